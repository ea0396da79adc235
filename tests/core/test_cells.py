"""Scores in cells, number sensitivity and distinct decisions: by hand, and against evaluations of just these verbs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tse_core import InputError, evaluate, load_lemmas, load_pairs
from tse_core.agreement.cells import twin_rows
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import Lemmas
from tse_core.metrics.table import PAPER_CUTOFFS
from tse_core.results.signature import Signature

SIMPLE = "marvin-linzen/simple"
ODDS = np.array([[2.0, 1.0, -1.0], [-2.0, 1.0, -3.0], [1.0, 0.0, 0.0]])  # key, keys, box x open, rust, walk


def by_hand(odds=ODDS) -> Evaluation:
    """Three contexts, "the key", "the keys" and "the box"; open and rust are no nouns, walk is one."""
    contexts = pd.DataFrame(
        {
            "construction": "Simple",
            "noun": ["key", "key", "box"],
            "left": ["the key", "the keys", "the box"],
            "number": ["singular", "plural", "singular"],
            "pairs": 2,
            "twin": ["the key/keys", "the key/keys", "the box/boxes"],
            "adverb": ["none", "none", "often"],
            "ew": (np.where([[False], [True], [False]], -odds, odds) > 0).mean(axis=1),
            "mw": 0.5,
        }
    )
    pairs = pd.DataFrame({"context": [0, 0, 0, 2], "noun": ["key"] * 3 + ["box"], "tse": [1.0, 1.0, 0.0, np.nan]})
    pairs = pairs.assign(construction="Simple", left="the key", lemma=["open", "open", "rust", "walk"])
    pairs = pairs.assign(correct=pairs["lemma"] + "s", wrong=pairs["lemma"])
    lemmas = pd.DataFrame({"lemma": ["open", "rust", "walk"], "noun": [False, False, True]})
    lemmas = lemmas.assign(singular=lemmas["lemma"] + "s", plural=lemmas["lemma"])
    plural = -np.log1p(np.exp(odds))
    forms = pd.DataFrame(
        {
            "context": np.repeat(np.arange(3), 3),
            "lemma": np.tile(np.arange(3), 3),
            "log_odds": odds.ravel(),
            "log_probability_singular": (plural + odds).ravel(),
            "log_probability_plural": plural.ravel(),
        }
    )
    return Evaluation(contexts, pairs, lemmas, Signature({}, {}), PAPER_CUTOFFS, "", forms=forms)


@pytest.fixture(scope="module")
def simple(tiny_causal) -> Evaluation:
    return evaluate(tiny_causal, SIMPLE, keep="forms")


def test_number_sensitivity_counts_the_verbs_whose_odds_are_higher_after_the_singular_subject():
    found = by_hand().number_sensitivity(intervals=False).iloc[0]
    assert found["NS"] == pytest.approx(2 / 3)  # open 2 > -2; rust 1 = 1, a tie; walk -1 > -3; the box has no twin
    assert (found["twins"], found["lemmas"]) == (1, 3)
    verbs = by_hand().number_sensitivity("lemma", intervals=False).set_index("lemma")["NS"]
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
    assert by_hand().table(lemmas=["walk"])["EW"][0] == pytest.approx(1 / 3)


def test_a_decision_that_several_pairs_ask_counts_once():
    table = by_hand().table().iloc[0]
    assert (table["TSE"], table["TSE_decisions"]) == (2 / 3, 1 / 2)
    assert table[["pairs", "unscored", "verbs", "decisions"]].tolist() == [3, 1, 2, 2]


def test_four_predicates_of_be_are_one_decision_in_each_context(simple):
    table = simple.table().iloc[0]
    scored = simple.pairs[simple.pairs["tse"].notna()]
    assert table["pairs"] + table["unscored"] == len(simple.pairs) == 140
    assert table["verbs"] == scored["lemma"].nunique() and table["decisions"] == 20 * table["verbs"]
    assert table["pairs"] == 80 + 20 * (table["verbs"] - 1)
    means = scored.groupby(["context", "lemma"])["tse"].first().mean()
    assert table["TSE_decisions"] == pytest.approx(means)


def test_each_group_scores_as_an_evaluation_of_its_verbs_alone(tiny_causal, simple):
    table, verbs = simple.table("noun,construction").set_index("noun"), load_lemmas().table
    assert set(table.index) == {True, False}
    for noun, row in table.iterrows():
        alone = evaluate(tiny_causal, SIMPLE, Lemmas("group", verbs[verbs["noun"] == noun]), keep="forms").table()
        assert row["lemmas"] == alone["lemmas"][0]
        assert row[["MW", "EW", "NS"]].tolist() == pytest.approx(alone[["MW", "EW", "NS"]].iloc[0].tolist(), abs=1e-6)


def test_cells_of_contexts_average_to_the_row_and_their_order_is_that_of_the_names(tiny_causal):
    found = evaluate(tiny_causal, "marvin-linzen/across-subject-relative")
    table = found.table(["number", "attractor"], intervals=True)
    assert table[["number", "attractor"]].to_numpy().tolist() == [
        ["singular", "singular"], ["singular", "plural"], ["plural", "singular"], ["plural", "plural"],
    ]  # fmt: skip
    assert np.average(table["EW"], weights=table["contexts"]) == pytest.approx(found.table()["EW"][0])
    assert (table["EW_low"] <= table["EW"]).all() and (table["EW"] <= table["EW_high"]).all()
    assert "NS" not in table


def test_intervals_of_a_group_sample_its_verbs_too(simple):
    nouns_alone = simple.table(intervals=True).iloc[0]
    verbs_too = simple.table(lemmas=simple.lemmas["lemma"], intervals=True).iloc[0]
    assert verbs_too["EW"] == pytest.approx(nouns_alone["EW"])
    assert verbs_too["EW_high"] - verbs_too["EW_low"] > nouns_alone["EW_high"] - nouns_alone["EW_low"]
    assert verbs_too[["NS_low", "NS_high"]].between(0, 1).all()
    one = simple.table(lemmas=["be"], intervals=True).iloc[0]
    assert one["lemmas"] == 1 and 0 <= one["EW_low"] <= one["EW"] <= one["EW_high"] <= 1


def test_twins_are_told_apart_by_construction_and_number():
    contexts = pd.DataFrame(
        {"construction": list("AAABA"), "twin": [*"xxxx", ""], "number": ["plural", "singular"] * 2 + ["singular"]}
    )
    assert twin_rows(contexts).tolist() == [[1, 0]]
    assert twin_rows(contexts.drop(columns="twin")).shape == (0, 2)


def test_every_context_of_a_grammar_but_those_cut_off_has_its_twin():
    from tse_core.datasets.pairs import context_factors, context_index, unique_contexts

    pairs = load_pairs("marvin-linzen/in-object-relative")
    for kind, ends in (("causal", "guard/guards"), ("masked", "laughs.")):
        index = context_index(pairs, kind)
        factors = context_factors(pairs, index, kind)
        contexts = pd.concat([unique_contexts(pairs, kind), factors], axis=1)
        twins = twin_rows(contexts)
        assert 2 * len(twins) == len(contexts) and factors["twin"][0].endswith(ends.rstrip("."))
        left, right = contexts.iloc[twins[0, 0]], contexts.iloc[twins[0, 1]]
        assert (left["number"], right["number"]) == ("singular", "plural")
        assert left["left"] + "s" == right["left"] and left["right"] == right["right"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda e: e.table("advrb"), "unknown column to divide by 'advrb' .did you mean 'adverb'"),
        (lambda e: e.table("adverb,adverb"), "name at least one, each once"),
        (lambda e: replace(e, forms=None).table("noun"), "use keep='forms'"),
        (lambda e: replace(e, forms=None).table(lemmas=["walk"]), "use keep='forms'"),
        (lambda e: replace(e, forms=None).number_sensitivity(), "use keep='forms'"),
        (lambda e: replace(e, contexts=e.contexts.assign(twin="")).number_sensitivity(), "no two contexts differ in"),
    ],
)
def test_what_is_not_there_is_one_line(ask, message):
    with pytest.raises(InputError, match=message) as error:
        ask(by_hand())
    assert "\n" not in str(error.value)


def test_constructions_that_take_turns_keep_the_forms_of_each_context_together(tiny_causal):
    pairs = pd.concat([load_pairs(SIMPLE).head(40), load_pairs("marvin-linzen/vp-coordination").head(40)])
    found = evaluate(tiny_causal, pairs.sample(frac=1, random_state=3).reset_index(drop=True), keep="forms")
    assert (found.forms["context"].to_numpy() == np.repeat(np.arange(len(found.contexts)), len(found.lemmas))).all()
    ew = found.contexts["ew"].to_numpy()
    right = np.where((found.contexts["number"] == "plural").to_numpy()[:, None], found.log_odds < 0, found.log_odds > 0)
    assert right.mean(axis=1) == pytest.approx(ew)


def test_twins_do_not_depend_on_the_order_of_rows():
    rows = [("The pilot", "singular"), ("The author", "singular"), ("The authors", "plural"), ("The pilots", "plural")]
    contexts = pd.DataFrame(rows, columns=["left", "number"]).assign(construction="Simple", twin="one", right="")
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1]):
        some = contexts.iloc[order].reset_index(drop=True)
        ((singular, plural),) = twin_rows(some)
        assert (some["left"][singular], some["left"][plural]) == ("The author", "The authors")


def test_a_list_of_a_users_says_yes_or_no_of_nouns(tmp_path):
    file = tmp_path / "verbs.csv"
    file.write_text("lemma,singular,plural,noun,zipf\nwalk,walks,walk,yes,5.2\nsee,sees,see,no,10.5\n")
    table = load_lemmas(file).table
    assert table["noun"].tolist() == [True, False]
    assert table["zipf"].tolist() == [5.2, 10.5]
    file.write_text("lemma,singular,plural,noun\nwalk,walks,walk,perhaps\n")
    with pytest.raises(InputError, match="noun is 'perhaps' for walk; it must be yes or no"):
        load_lemmas(file)
