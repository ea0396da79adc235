"""Scores in cells, number sensitivity and distinct decisions: by hand, and against evaluations of just these verbs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    pairs = pd.DataFrame(
        [
            (0, "key", "opens", "open", "open", 1.0),
            (0, "key", "opens", "open", "open", 1.0),
            (0, "key", "rusts", "rust", "rust", 0.0),
            (2, "box", "walks", "walk", "walk", np.nan),
        ],
        columns=["context", "noun", "correct", "wrong", "lemma", "tse"],
    ).assign(construction="Simple", left="the key")
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


def test_number_sensitivity_counts_the_verbs_whose_odds_are_higher_after_the_singular_subject():
    found = by_hand().number_sensitivity(intervals=False).iloc[0]
    assert found["NS"] == pytest.approx(2 / 3)  # open 2 > -2; rust 1 = 1, a tie; walk -1 > -3; the box has no twin
    assert (found["twins"], found["lemmas"]) == (1, 3)
    verbs = by_hand().number_sensitivity("lemma", intervals=False).set_index("lemma")["NS"]
    assert verbs.to_dict() == {"open": 1.0, "rust": 0.0, "walk": 1.0}
    adverbs = by_hand().table("adverb").set_index("adverb")
    assert adverbs["NS"].isna().to_dict() == {"none": False, "often": True}
    assert adverbs["twins"].to_dict() == {"none": 1, "often": 0}


@pytest.mark.slow
@given(st.lists(st.floats(-50, 50), min_size=3, max_size=3))
def test_a_constant_preference_for_a_form_changes_ew_and_not_number_sensitivity(preference):
    odds = ODDS + np.round(preference, 3)
    assert by_hand(odds).table()["NS"][0] == by_hand().table()["NS"][0]


def test_where_every_verb_agrees_number_sensitivity_is_1():
    odds = np.array([[0.1, 3.0, 1.0], [-0.2, -9.0, -1.0], [1.0, 1.0, 1.0]])
    table = by_hand(odds).table()
    assert table["EW"][0] == table["NS"][0] == 1


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


def test_four_predicates_of_be_are_one_decision_in_each_context(tiny_causal):
    found = evaluate(tiny_causal, SIMPLE)
    table = found.table().iloc[0]
    scored = found.pairs[found.pairs["tse"].notna()]
    assert table["pairs"] + table["unscored"] == len(found.pairs) == 140
    assert table["verbs"] == scored["lemma"].nunique() and table["decisions"] == 20 * table["verbs"]
    assert table["pairs"] == 80 + 20 * (table["verbs"] - 1)
    means = scored.groupby(["context", "lemma"])["tse"].first().mean()
    assert table["TSE_decisions"] == pytest.approx(means)


def test_each_group_scores_as_an_evaluation_of_its_verbs_alone(tiny_causal):
    found = evaluate(tiny_causal, SIMPLE, keep="forms")
    table, verbs = found.table("noun,construction").set_index("noun"), load_lemmas().table
    assert set(table.index) == {True, False}
    for noun, row in table.iterrows():
        alone = evaluate(tiny_causal, SIMPLE, Lemmas("group", verbs[verbs["noun"] == noun]), keep="forms").table()
        assert row["lemmas"] == alone["lemmas"][0]
        assert row[["MW", "EW", "NS"]].tolist() == pytest.approx(alone[["MW", "EW", "NS"]].iloc[0].tolist(), abs=1e-6)


def test_a_column_that_pairs_have_too_divides_the_contexts():
    table = by_hand().table("left").set_index("left")
    assert table["contexts"].to_dict() == {"the key": 1, "the keys": 1, "the box": 1}


def test_cells_of_contexts_average_to_the_row_and_their_order_is_that_of_the_names(tiny_causal):
    found = evaluate(tiny_causal, "marvin-linzen/across-subject-relative")
    table = found.table(["number", "attractor"], intervals=True)
    assert table[["number", "attractor"]].to_numpy().tolist() == [
        ["singular", "singular"], ["singular", "plural"], ["plural", "singular"], ["plural", "plural"],
    ]  # fmt: skip
    assert np.average(table["EW"], weights=table["contexts"]) == pytest.approx(found.table()["EW"][0])
    assert (table["EW_low"] <= table["EW"]).all() and (table["EW"] <= table["EW_high"]).all()
    assert "NS" not in table


def test_intervals_of_a_group_sample_its_verbs_too(tiny_causal):
    found = evaluate(tiny_causal, SIMPLE, keep="forms")
    nouns_alone = found.table(intervals=True).iloc[0]
    verbs_too = found.table(lemmas=found.lemmas["lemma"], intervals=True).iloc[0]
    assert verbs_too["EW"] == pytest.approx(nouns_alone["EW"])
    assert verbs_too["EW_high"] - verbs_too["EW_low"] > nouns_alone["EW_high"] - nouns_alone["EW_low"]
    assert verbs_too[["NS_low", "NS_high"]].between(0, 1).all()


def test_twins_are_told_apart_by_construction_and_number():
    contexts = pd.DataFrame(
        [
            ("A", "x", "plural"),
            ("A", "x", "singular"),
            ("A", "x", "plural"),
            ("B", "x", "singular"),
            ("A", "", "singular"),
        ],
        columns=["construction", "twin", "number"],
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
        (lambda e: e.table("band"), "unknown column to divide by 'band'.*noun"),
        (
            lambda e: replace(e, lemmas=e.lemmas.drop(columns="noun")).table("noun"),
            "unknown column to divide by 'noun'",
        ),
        (lambda e: e.table("adverb,adverb"), "name at least one, each once"),
        (lambda e: e.table([]), "name at least one, each once"),
        (lambda e: e.table(lemmas=["sing", "dance"]), "none of the 2 lemmas given is among the 3 counted"),
    ],
)
def test_a_column_or_a_verb_that_is_not_there_is_one_line(ask, message):
    with pytest.raises(InputError, match=message) as error:
        ask(by_hand())
    assert "\n" not in str(error.value)


def test_what_needs_forms_or_twins_says_so(tiny_causal):
    without = evaluate(tiny_causal, SIMPLE)
    for ask in (lambda: without.table("noun"), without.number_sensitivity, lambda: without.table(lemmas=["walk"])):
        with pytest.raises(InputError, match="use keep='forms'"):
            ask()
    alone = load_pairs(SIMPLE).drop(columns="twin")
    with pytest.raises(InputError, match="no two contexts differ in the subject's number alone"):
        evaluate(tiny_causal, alone, keep="forms").number_sensitivity()


def test_one_verb_has_its_interval_over_subjects(tiny_causal):
    row = evaluate(tiny_causal, SIMPLE, keep="forms").table(lemmas=["be"], intervals=True).iloc[0]
    assert row["lemmas"] == 1 and 0 <= row["EW_low"] <= row["EW"] <= row["EW_high"] <= 1


def test_constructions_that_take_turns_keep_the_forms_of_each_context_together(tiny_causal):
    pairs = pd.concat(
        [load_pairs("marvin-linzen/simple").head(40), load_pairs("marvin-linzen/vp-coordination").head(40)]
    )
    shuffled = pairs.sample(frac=1, random_state=3).reset_index(drop=True)
    found = evaluate(tiny_causal, shuffled, keep="forms")
    forms = found.forms
    assert forms["context"].is_monotonic_increasing
    assert (forms["context"].to_numpy() == np.repeat(np.arange(len(found.contexts)), len(found.lemmas))).all()
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
