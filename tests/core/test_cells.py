"""Scores in cells, number sensitivity and distinct items: by hand, and against evaluations of just these verbs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tse_core import InputError, evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement.comparison import compare_metrics
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.factors import COUNTS, refuse_taken_names
from tse_core.agreement.twins import twin_of
from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.pairs import unique_contexts
from tse_core.metrics.definitions import METRICS, NS, OF_CONTEXTS, PAPER_CUTOFFS, Cutoffs
from tse_core.results.signature import Signature

SIMPLE = "marvin-linzen/simple"
LEMMAS = load_lemmas().table
SOME = LEMMAS[LEMMAS["lemma"].isin(["be", "have", "laugh", "see", "walk"])].reset_index(drop=True)
ODDS = np.array(
    [[2.0, 1.0, -1.0], [-2.0, 1.0, -3.0], [1.0, 0.0, 0.0]]
)  # key, keys, box x open, rust, walk


def by_hand(odds=ODDS) -> Evaluation:
    """Three contexts, "the key", "the keys" and "the box"; open and rust are no nouns, walk is one."""
    contexts = pd.DataFrame(
        {
            "construction": "Simple",
            "noun": ["key", "key", "box"],
            "left": ["the key", "the keys", "the box"],
            "right": "",
            "number": ["singular", "plural", "singular"],
            "pairs": 2,
            "twin": ["the key/keys", "the key/keys", "the box/boxes"],
            "adverb": ["none", "none", "often"],
            **dict.fromkeys(map(str.lower, OF_CONTEXTS), 0.5),
            "ew": (np.where([[False], [True], [False]], -odds, odds) > 0).mean(axis=1),
            "margin": 0.0,
        }
    )
    pairs = pd.DataFrame(
        {"context": [0, 0, 0, 2], "noun": ["key"] * 3 + ["box"], "tse": [1.0, 1.0, 0.0, np.nan]}
    )
    pairs = pairs.assign(
        construction="Simple", left="the key", lemma=["open", "open", "rust", "walk"]
    )
    pairs = pairs.assign(correct=pairs["lemma"] + "s", wrong=pairs["lemma"])
    lemmas = pd.DataFrame({"lemma": ["open", "rust", "walk"], "noun": [False, False, True]})
    lemmas = lemmas.assign(singular=lemmas["lemma"] + "s", plural=lemmas["lemma"])
    plural = -np.log1p(np.exp(odds))
    forms = {
        "log_odds": odds,
        "log_probability_singular": plural + odds,
        "log_probability_plural": plural,
    }
    return Evaluation(
        contexts, pairs, lemmas, Signature({}, {}), PAPER_CUTOFFS, "", form_arrays=forms
    )


@pytest.fixture(scope="module")
def simple(tiny_causal) -> Evaluation:
    return evaluate(tiny_causal, SIMPLE, detail="forms")


def test_number_sensitivity_counts_the_verbs_whose_odds_are_higher_after_the_singular_subject():
    found = by_hand().table().iloc[0]
    assert found["NS"] == pytest.approx(
        2 / 3
    )  # open 2 > -2; rust 1 = 1, a tie; walk -1 > -3; the box has no twin
    assert (found["twins"], found["lemmas"]) == (1, 3)
    verbs = by_hand().table("lemma").set_index("lemma")["NS"]
    assert verbs.to_dict() == {"open": 1.0, "rust": 0.0, "walk": 1.0}
    adverbs = by_hand().table("adverb").set_index("adverb")
    assert adverbs["NS"].isna().to_dict() == {"none": False, "often": True}
    assert adverbs["twins"].to_dict() == {"none": 1, "often": 0}


def test_a_constant_preference_for_a_form_changes_ew_and_not_number_sensitivity():
    plain, preferred = (by_hand(odds).table().iloc[0] for odds in (ODDS, ODDS + 5))
    assert plain["NS"] == preferred["NS"] and plain["EW"] != preferred["EW"]


def test_ew_of_a_group_of_verbs_is_the_share_of_these_alone():
    table = by_hand().table("noun,number").set_index(["noun", "number"])
    assert table["EW"].to_dict() == {
        (False, "singular"): 3 / 4, (False, "plural"): 1 / 2, (True, "singular"): 0.0, (True, "plural"): 1.0,
    }  # fmt: skip
    assert table["lemmas"].tolist() == [2, 2, 1, 1]
    assert table["pairs"].tolist() == [3, 0, 0, 0] and table["unscored"].tolist() == [0, 0, 1, 0]


def test_an_item_that_several_pairs_ask_counts_once():
    table = by_hand().table().iloc[0]
    assert (table["TSE"], table["TSE_items"]) == (2 / 3, 1 / 2)
    assert table[["pairs", "unscored", "verbs", "items"]].tolist() == [3, 1, 2, 2]


@pytest.mark.slow
def test_each_group_scores_as_an_evaluation_of_its_verbs_alone(tiny_causal, simple):
    table, verbs = simple.table("noun,construction").set_index("noun"), LEMMAS
    assert set(table.index) == {True, False}
    for noun, row in table.iterrows():
        alone = evaluate(
            tiny_causal, SIMPLE, Lemmas("group", verbs[verbs["noun"] == noun]), detail="forms"
        ).table()
        assert row["lemmas"] == alone["lemmas"][0]
        assert row[["MW", "EW", "NS"]].tolist() == pytest.approx(
            alone[["MW", "EW", "NS"]].iloc[0].tolist(), abs=1e-6
        )


@pytest.mark.slow
def test_cells_of_contexts_average_to_the_row_and_their_order_is_that_of_the_names(tiny_causal):
    found = evaluate(tiny_causal, "marvin-linzen/across-subject-relative")
    table = found.table(["number", "attractor_number"], intervals=True)
    assert table[["number", "attractor_number"]].to_numpy().tolist() == [
        ["singular", "singular"], ["singular", "plural"], ["plural", "singular"], ["plural", "plural"],
    ]  # fmt: skip
    assert np.average(table["EW"], weights=table["contexts"]) == pytest.approx(
        found.table()["EW"][0]
    )
    assert (table["EW_low"] <= table["EW"]).all() and (table["EW"] <= table["EW_high"]).all()
    assert "NS" not in table


def test_every_context_of_a_grammar_but_those_cut_off_has_its_twin():
    pairs = load_pairs("marvin-linzen/in-object-relative")
    for kind, ends in (("causal", "guard/guards"), ("masked", "laughs.")):
        contexts = unique_contexts(pairs, kind)
        twins = twin_of(contexts)
        assert (twins >= 0).all() and contexts["twin"][0].endswith(ends.rstrip("."))
        left, right = contexts.iloc[0], contexts.iloc[twins[0]]
        assert (left["number"], right["number"]) == ("singular", "plural")
        assert left["left"] + "s" == right["left"] and left["right"] == right["right"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda e: e.table("advrb"), "unknown column to divide by 'advrb' .did you mean 'adverb'"),
        (lambda e: e.table("adverb,adverb"), "name at least one, each once"),
        (lambda e: replace(e, form_arrays=None).table("noun"), "use detail='forms'"),
        (lambda e: e.intervals([]), "unknown way of sampling ''"),
        (lambda e: e.intervals(["nouns"]), "unknown way of sampling 'nouns'"),
        (lambda e: compare_metrics(e, "XX", "EW"), "unknown metric 'XX'"),
    ],
)
def test_what_is_not_there_is_one_line(ask, message):
    with pytest.raises(InputError, match=message) as error:
        ask(by_hand())
    assert "\n" not in str(error.value)


def test_twins_do_not_depend_on_the_order_of_rows():
    rows = [
        ("The pilot", "singular"),
        ("The author", "singular"),
        ("The authors", "plural"),
        ("The pilots", "plural"),
    ]
    contexts = pd.DataFrame(rows, columns=["left", "number"]).assign(
        construction="Simple", twin="one", right=""
    )
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1]):
        some = contexts.iloc[order].reset_index(drop=True)
        twins = dict(zip(some["left"], twin_of(some), strict=True))
        assert (
            some["left"][twins["The author"]] == "The authors"
            and some["left"][twins["The authors"]] == "The author"
        )
        assert twins["The pilot"] == twins["The pilots"] == -1


def two_nouns(**columns) -> pd.DataFrame:
    pairs = load_pairs(SIMPLE)
    return pairs[pairs["noun"].isin(["author", "pilot"])].reset_index(drop=True).assign(**columns)


@pytest.fixture
def scored(tiny_causal):
    model = load_model(tiny_causal)

    def run(pairs=None, lemmas=SOME, **how):
        return evaluate(
            model, two_nouns() if pairs is None else pairs, lemmas, detail="forms", **how
        )

    return run


def test_every_column_of_results_is_refused_before_anything_is_scored(scored):
    found = scored(cutoffs=Cutoffs((0.1, 1.0), (0.5,)))
    tables = [found.table(intervals=True), found.table("noun", intervals=True), found.intervals()]
    taken = {column for table in (*tables, found.contexts, found.pairs) for column in table}
    taken -= {
        "construction",
        "noun",
        "subject",
        "left",
        "right",
        "number",
        "template",
        "attractor",
        "attractor_number",
    }
    taken -= {"id", "lemma", "correct", "wrong", "twin"}
    assert {
        "EW",
        "NS_low",
        "margin",
        "sensitivity_high",
        "spread",
        "bias_low",
        "TSE_items",
        "split_twins",
        "within_noise",
    } <= taken
    for name in sorted(
        {*taken, *COUNTS, *METRICS, NS, "row", "metric", "tokens", "Pairs", "tse", "model", "data"}
    ):
        for who, columns in (("pairs have", ([name], [])), ("verb list has", ([], [name]))):
            with pytest.raises(
                InputError, match=f"the {who} a column .*, which results have too; give it another"
            ):
                refuse_taken_names(*columns)
    with pytest.raises(InputError, match="the verb list has a column 'twin'"):
        scored(lemmas=SOME.assign(twin="x"))
    with pytest.raises(InputError, match="the pairs and the verb list both have a column 'band'"):
        scored(two_nouns(band="x"))
    refuse_taken_names(
        ["mass_verb", "news", "wordlength"], ["lemma", "noun", "singular", "plural", "mass_noun"]
    )


def test_a_lemma_that_is_listed_twice_is_told_apart_by_its_forms(scored):
    forms = [("go", "is", "are", "one"), ("go", "sees", "see", "other")]
    twice = pd.DataFrame(forms, columns=["lemma", "singular", "plural", "spelling"])
    pairs = two_nouns().query("correct in ('is', 'are')").assign(lemma="go")
    others = pairs.replace({"is": "sees", "are": "see"}).head(6)
    unlisted = pairs.replace({"is": "isn't", "are": "aren't"}).head(2)
    found = scored(pd.concat([pairs, others, unlisted], ignore_index=True), twice)
    table = found.table("spelling").set_index("spelling")
    assert table["pairs"].to_dict() == {"one": len(pairs), "other": 6}
    assert table["unscored"].to_dict() == {"one": 2, "other": 0}


@pytest.mark.slow
def test_twins_whose_halves_are_in_different_cells_are_not_counted_but_numbered(scored):
    length = two_nouns()["left"].str.len()
    found = scored(two_nouns(length=length.where(length > 9, 10)))  # The pilot goes with The author
    for by in ("length", "noun,length"):
        table = found.table(by, intervals=True).set_index("length")
        assert table["NS"].isna().to_dict() == {"10": False, "11": True}
        assert set(table.loc[["10"], "twins"]) == {1} and set(table.loc[["11"], "twins"]) == {0}
        assert (table["split_twins"] == 1).all()
    whole = scored(two_nouns().query("noun == 'pilot'").reset_index(drop=True)).table()["NS"][0]
    assert found.table("length")["NS"][0] == pytest.approx(whole)
    by_number = found.table("number")
    assert by_number["twins"].tolist() == [2, 2] and by_number["split_twins"].tolist() == [0, 0]
