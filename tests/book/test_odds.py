"""Odds ratios: those of a two-by-two table by hand, invariances, and the coverage of their intervals."""

import numpy as np
import pandas as pd
import pytest

from tse_book.studies.odds import COVARIATES, FACTORS, odds_ratios, simulated_odds_coverage, verb_outcomes
from tse_core import InputError, evaluate, load_pairs

NOUN = {"noun": FACTORS["noun"]}
RANDOM = np.random.default_rng(2)


def outcomes(shares, count):
    """Four subjects and four verbs, two of them nouns; `shares` of the nouns and of the others."""
    rows = [
        {"subject": f"s{s}", "lemma": f"{noun}{v}", "noun": noun, "correct": share, "count": count}
        for noun, share in zip(("yes", "no"), shares, strict=True)
        for s in range(4)
        for v in range(2)
    ]
    return pd.DataFrame(rows)


def test_the_odds_ratio_of_two_by_two_is_that_of_the_counts_by_hand():
    """Nouns right in 60 of 100, others in 90 of 100, a hundred times: (0.6 / 0.4) / (0.9 / 0.1) = 1/6."""
    found = odds_ratios(outcomes((0.6, 0.9), 10_000), NOUN, {}).iloc[0]
    assert found["odds_ratio"] == pytest.approx(1 / 6, rel=1e-4)
    assert found["effect"] == "the verb is also a noun"


def test_firths_penalty_adds_half_an_outcome_to_each_side():
    """A cell without an error, 16 outcomes: (16.5 / 0.5); the other 8 of 16: odds 1."""
    found = odds_ratios(outcomes((0.5, 1.0), 2), NOUN, {}).iloc[0]
    assert found["odds_ratio"] == pytest.approx(0.5 / 16.5, rel=1e-6)


def made_up(rows=3000):
    """Verbs of a likelihood of their own: a tenfold likelihood doubles the odds."""
    table = pd.DataFrame({"subject": RANDOM.integers(0, 12, rows), "lemma": RANDOM.integers(0, 80, rows)})
    likely = RANDOM.normal(-8, 2, 80)[table["lemma"]]
    chance = 1 / (1 + np.exp(-(1 + np.log(2) / np.log(10) * (likely + 8))))
    table["correct"] = (RANDOM.random(rows) < chance).astype(float)
    return table.assign(log_probability=likely, noun=np.where(table["lemma"] % 2, "yes", "no"))


def test_a_step_of_a_covariate_multiplies_the_odds_as_it_was_made_to():
    found = odds_ratios(made_up(), NOUN, COVARIATES).set_index("effect")
    tenfold = found.loc["the model finds the verb ten times as likely"]
    assert tenfold["low"] < 2 < tenfold["high"] and tenfold["odds_ratio"] == pytest.approx(2, rel=0.2)
    noun = found.loc["the verb is also a noun"]
    assert noun["low"] < 1 < noun["high"]
    assert "tokens" not in found.index and (found["p_holm"] >= found["p_value"]).all()


def test_rows_of_one_cell_may_be_joined_and_levels_turned_round():
    table = made_up()
    joined = table.groupby(["subject", "lemma", "noun", "log_probability"], as_index=False).agg(
        correct=("correct", "mean"), count=("correct", "size")
    )
    one, other = odds_ratios(table, NOUN), odds_ratios(joined, NOUN)
    np.testing.assert_allclose(one[["odds_ratio", "low"]], other[["odds_ratio", "low"]], rtol=2e-2)
    turned = odds_ratios(table, {"noun": ("yes", {"no": "is no noun"})})
    assert turned["odds_ratio"][0] == pytest.approx(1 / one["odds_ratio"][0])
    assert turned["low"][0] == pytest.approx(1 / one["high"][0])


def test_crossed_factors_are_compared_in_each_cell_of_the_others():
    table = made_up().assign(number=np.where(RANDOM.random(3000) < 0.5, "singular", "plural"))
    found = odds_ratios(table, {"noun": FACTORS["noun"], "number": FACTORS["number"]}, {})
    assert list(found["where"]) == ["number plural", "number singular", "noun no", "noun yes"]
    first = table[table["number"] == "singular"].groupby("noun")["correct"].mean()
    odds = first / (1 - first)
    assert found["odds_ratio"][1] == pytest.approx(odds["yes"] / odds["no"], rel=0.01)


def test_the_outcomes_of_an_evaluation_have_its_ew(tiny_causal):
    pairs = load_pairs("marvin-linzen-adverbs/simple")
    found = evaluate(tiny_causal, pairs, keep="forms")
    table = verb_outcomes(found)
    assert np.average(table["correct"], weights=table["count"]) == pytest.approx(found.contexts["ew"].mean())
    assert table["count"].sum() == len(found.contexts) * len(found.lemmas)
    assert set(table["adverb"]) == {"none", "some"} and set(table["attractor"]) == {"none"}
    assert {*FACTORS, *COVARIATES, "subject", "lemma", "correct", "count"} == set(table.columns)


def test_what_cannot_be_modelled_is_named():
    with pytest.raises(InputError, match="no column 'lemma'"):
        odds_ratios(made_up().drop(columns="lemma"))
    with pytest.raises(InputError, match="one lemma alone"):
        odds_ratios(made_up().assign(lemma="run"))


@pytest.mark.slow
def test_the_intervals_hold_the_odds_ratios_of_the_population():
    found = simulated_odds_coverage(runs=200)
    assert found["coverage"].between(0.90, 0.99).all(), found["coverage"]
