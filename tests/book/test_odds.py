"""Odds ratios: those of a two-by-two table by hand, invariances, and the coverage of their intervals."""

import numpy as np
import pandas as pd
import pytest

from tse_book.studies.details import recorded_details
from tse_book.studies.factorial import likelihoods, verb_counts
from tse_book.studies.odds import COVARIATES, FACTORS, odds_for, odds_ratios, verb_outcomes
from tse_core import InputError, evaluate, load_pairs
from tse_core.uncertainty.quantiles import logistic

NOUN = {"noun": FACTORS["noun"]}


def outcomes(shares, count):
    """Four subjects and four verbs, two of them nouns; `shares` of the nouns and of the others."""
    rows = [(f"s{s}", f"{noun}{v}", noun, share, count) for noun, share in zip(("yes", "no"), shares, strict=True)
            for s in range(4) for v in range(2)]  # fmt: skip
    return pd.DataFrame(rows, columns=["subject", "lemma", "noun", "correct", "count"])


def test_the_odds_ratio_of_two_by_two_is_that_of_the_counts_by_hand():
    """Nouns right in 60 of 100, others in 90 of 100, a hundred times: (0.6 / 0.4) / (0.9 / 0.1) = 1/6."""
    found = odds_ratios(outcomes((0.6, 0.9), 10_000), NOUN, {}).iloc[0]
    assert found["odds_ratio"] == pytest.approx(1 / 6, rel=1e-4)
    assert found["effect"] == "the verb is also a noun"


def test_firths_penalty_adds_half_an_outcome_to_each_side():
    """Right in 14 of 16 outcomes: (14.5 / 2.5); in 8 of 16: odds 1."""
    found = odds_ratios(outcomes((0.5, 14 / 16), 2), NOUN, {}).iloc[0]
    assert found["odds_ratio"] == pytest.approx(2.5 / 14.5, rel=1e-6)


def made_up(rows=3000):
    """Verbs of a likelihood of their own: a tenfold likelihood doubles the odds."""
    random = np.random.default_rng(2)
    table = pd.DataFrame({"subject": random.integers(0, 12, rows), "lemma": random.integers(0, 80, rows)})
    likely = random.normal(-8, 2, 80)[table["lemma"]]
    chance = logistic(1 + np.log(2) / np.log(10) * (likely + 8))
    table = table.assign(correct=(random.random(rows) < chance).astype(float), log_probability=likely)
    return table.assign(noun=np.where(table["lemma"] % 2, "yes", "no"))


def test_a_step_of_a_covariate_multiplies_the_odds_as_it_was_made_to():
    found = odds_ratios(made_up(), NOUN, COVARIATES).set_index("effect")
    tenfold = found.loc["the model finds the verb ten times as likely"]
    assert tenfold["low"] < 2 < tenfold["high"] and tenfold["odds_ratio"] == pytest.approx(2, rel=0.2)
    noun = found.loc["the verb is also a noun"]
    assert noun["low"] < 1 < noun["high"]
    assert "tokens" not in found.index and (found["p_holm"] >= found["p_value"]).all()


def test_rows_of_one_cell_may_be_joined_and_levels_turned_round():
    table = made_up()
    cells = table.groupby(["subject", "lemma", "noun", "log_probability"], as_index=False)
    joined = cells.agg(correct=("correct", "mean"), count=("correct", "size"))
    one, other = odds_ratios(table, NOUN), odds_ratios(joined, NOUN)
    np.testing.assert_allclose(one[["odds_ratio", "low"]], other[["odds_ratio", "low"]], rtol=2e-2)
    turned = odds_ratios(table, {"noun": ("yes", {"no": "is no noun"})})
    assert turned["odds_ratio"][0] == pytest.approx(1 / one["odds_ratio"][0])
    assert turned["low"][0] == pytest.approx(1 / one["high"][0])


def test_crossed_factors_are_compared_in_each_cell_of_the_others():
    table = made_up().assign(number=np.resize(["singular", "plural"], 3000))
    found = odds_ratios(table, {"noun": FACTORS["noun"], "number": FACTORS["number"]}, {})
    assert list(found["where"]) == ["number plural", "number singular", "noun no", "noun yes"]
    first = table[table["number"] == "singular"].groupby("noun")["correct"].mean()
    odds = first / (1 - first)
    assert found["odds_ratio"][1] == pytest.approx(odds["yes"] / odds["no"], rel=0.01)


def test_conditions_are_compared_within_constructions():
    """An adverb doubles the odds in both constructions; most of its sentences are of the harder one."""
    cells = [("easy", "none", 3 / 4, 90_000), ("easy", "some", 6 / 7, 10_000),
             ("hard", "none", 1 / 5, 10_000), ("hard", "some", 1 / 3, 90_000)]  # fmt: skip
    rows = [(f"s{i % 4}", f"v{i // 4}", *cell) for cell in cells for i in range(16)]
    table = pd.DataFrame(rows, columns=["subject", "lemma", "construction", "adverb", "correct", "count"])
    adverb = {"adverb": FACTORS["adverb"]}
    assert odds_ratios(table, adverb, {})["odds_ratio"][0] == pytest.approx(2, rel=1e-3)
    assert odds_ratios(table.drop(columns="construction"), adverb, {})["odds_ratio"][0] < 1
    assert odds_ratios(table.assign(construction="one"), adverb, {})["odds_ratio"][0] < 1


def test_the_outcomes_of_a_design_have_its_ew_and_its_likelihoods(tiny_causal):
    pairs = load_pairs("marvin-linzen-adverbs/simple")
    found = evaluate(tiny_causal, pairs, keep="forms")
    table = verb_outcomes(verb_counts(found), likelihoods(found))
    assert np.average(table["correct"], weights=table["count"]) == pytest.approx(found.contexts["ew"].mean())
    both = np.logaddexp(found.log_probabilities("singular"), found.log_probabilities("plural"))
    assert np.average(table["log_probability"], weights=table["count"]) == pytest.approx(both.mean(), abs=0.01)
    assert table["count"].sum() == len(found.contexts) * len(found.lemmas)
    assert set(table["adverb"]) == {"none", "some"} and set(table["attractor"]) == {"none"}
    columns = {*FACTORS, *COVARIATES, "subject", "lemma", "construction", "correct", "count"} - {"tokens"}
    assert columns == set(table.columns)


def test_recorded_odds_are_those_of_the_recorded_design():
    found = recorded_details("smollm2-135m-instruct", "odds").table.set_index(["effect", "where"])
    cells = recorded_details("smollm2-135m-instruct", "factorial").table
    bare = cells.query("adverb == 'none' and number == 'singular' and attractor_number == ''")
    sums = bare.groupby("also_noun")[["correct", "lemmas"]].sum()
    odds = sums["correct"] / (sums["lemmas"] - sums["correct"])
    noun = found.loc[("the verb is also a noun", "number singular, adverb none, attractor none")]
    assert noun["high"] < 1 and noun["odds_ratio"] == pytest.approx(odds[True] / odds[False], rel=1.0)
    likely = found.loc[("the model finds the verb ten times as likely", "everywhere")]
    assert likely["low"] <= likely["odds_ratio"] <= likely["high"]


def test_what_cannot_be_modelled_is_named(tmp_path):
    with pytest.raises(InputError, match="nobody has no recorded factorial design"):
        odds_for("nobody", tmp_path)["odds"]()
    with pytest.raises(InputError, match="no column 'lemma'"):
        odds_ratios(made_up().drop(columns="lemma"))


@pytest.mark.parametrize("way", ["subject", "lemma"])
def test_errors_of_one_cluster_alone_make_no_odds_ratio(way):
    """Nouns err for one subject (or verb) alone: with errors of all its verbs this looked like p < .01."""
    table = made_up()
    nouns = table["noun"] == "yes"
    wrong = nouns & (table[way] == table.loc[nouns, way].iloc[0]) | ~nouns & (table.index % 5 == 0)
    few = table.assign(correct=np.where(wrong, 0.0, 1.0))
    with pytest.raises(InputError, match="no odds ratio is estimable.*at least two subjects and two verbs"):
        odds_ratios(few, NOUN, {})
    with_slope = odds_ratios(few, NOUN)
    assert list(with_slope["where"]) == ["everywhere"]
    assert with_slope.attrs["not estimable"] == [("the verb is also a noun", "")]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda t: t.assign(frequency=2 * t["log_probability"] + 1), "log_probability and frequency cannot be told"),
        (lambda t: t.assign(tokens=t["noun"].map({"yes": 2, "no": 1})), "^tokens cannot be told apart"),
        (lambda t: t.assign(number=t["noun"].map({"yes": "singular", "no": "plural"})), "differ in noun alone"),
        (lambda t: t.assign(correct=t["correct"].where(t.index != 4)), "row 5: correct is missing"),
        (lambda t: t.assign(log_probability=t["log_probability"].where(t.index != 4, np.inf)), "row 5: log_prob"),
        (lambda t: t.assign(noun=t["noun"].where(t.index != 4)), "row 5: noun is missing"),
        (lambda t: t.assign(subject=t["subject"].where(t.index != 4)), "row 5: subject is missing"),
        (lambda t: t.assign(correct=1.2), "row 1: correct is 1.2; it must be a share from 0 to 1"),
        (lambda t: t.assign(count=-1), "row 1: count is -1; it must be a number from 0 on"),
        (lambda t: t.head(0), "there are no outcomes"),
        (lambda t: t.assign(lemma="run"), "one lemma alone"),
        (lambda t: t.assign(correct=0.0), "of 3,000 outcomes 0 are right"),
        (lambda t: t.assign(correct=1.0), "of 3,000 outcomes 3,000 are right"),
    ],
)
def test_outcomes_that_cannot_be_told_apart_or_are_missing_are_one_line(changed, message):
    with pytest.raises(InputError, match=message) as error:
        odds_ratios(changed(made_up()))
    assert "\n" not in str(error.value)


def simulated_odds_coverage(subjects=20, verbs=150, *, spread=(0.5, 1.0), runs=200, seed=0):
    """How often the intervals hold the population's odds ratios, in data whose effects are known.

    Verbs are nouns or not, subjects singular or plural (a noun costs odds in the singular), and likelier verbs do
    better; subjects and verbs differ by normal draws (standard deviations `spread`). The truth is the same regression
    on the whole population: the mean outcome over many draws.
    """
    random = np.random.default_rng([seed, subjects, verbs])
    factors = {name: FACTORS[name] for name in ("noun", "number")}
    covariates = {"log_probability": COVARIATES["log_probability"]}
    easiness = {("no", "singular"): 2.5, ("yes", "singular"): 0.5, ("no", "plural"): 2.5, ("yes", "plural"): 2.0}

    def drawn(how_many_subjects, how_many_verbs, outcome):
        of_subject = random.normal(0, spread[0], how_many_subjects)
        of_verb, likely = random.normal(0, spread[1], how_many_verbs), random.normal(-8, 2, how_many_verbs)
        s, v, n = (way.ravel() for way in np.indices((how_many_subjects, how_many_verbs, 2)))
        table = pd.DataFrame({"subject": s, "lemma": v, "number": np.where(n == 0, "singular", "plural"),
                              "noun": np.where(v % 2 == 0, "yes", "no"), "log_probability": likely[v]})  # fmt: skip
        base = np.array([easiness[key] for key in zip(table["noun"], table["number"], strict=True)])
        chance = logistic(base + 0.2 * (likely[v] + 8) + of_subject[s] + of_verb[v])
        return table.assign(correct=outcome(chance))

    whole = drawn(300, 3000, lambda chance: chance)
    truth = odds_ratios(whole, factors, covariates)["odds_ratio"]
    held = pd.Series(0, index=truth.index)
    for _ in range(runs):
        some = drawn(subjects, verbs, lambda chance: (random.random(len(chance)) < chance).astype(float))
        found = odds_ratios(some, factors, covariates)
        held = held + (found["low"].le(truth) & found["high"].ge(truth)).astype(int)
    return (held / runs).set_axis([f"{e}: {w}" for e, w in zip(found["effect"], found["where"], strict=True)])


@pytest.mark.slow
def test_the_intervals_hold_the_odds_ratios_of_the_population():
    found = simulated_odds_coverage(runs=200)
    assert found.between(0.90, 0.99).all(), found
