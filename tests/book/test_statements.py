"""S1 to S6b on made tables whose answers are known: what each statement needs, and a table for which each fails."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tse_book.claims import statements, verdicts
from tse_book.claims.statements import (
    RESULT,
    STATEMENTS,
    Tables,
    attraction,
    fifths,
    judge,
    noun_below_pronoun,
    rises_in_rows,
    shift_beyond_frequency,
    verdict,
)

VERBS, NOUNS, OPENERS, PREPOSITIONS = 120, 12, 5, 20
ADVERBS = ("none", "often", "probably")
EFFECTS = ("noun", "gap", "rise", "shift", "after", "plural", "adverb")
# Statement -> the effect that it is about; with the sign reversed, it does not hold.
ABOUT = {
    "S1": "noun",
    "S2": "gap",
    "S3a": "rise",
    "S3b": "shift",
    "S4": "after",
    "S6": "plural",
    "S6b": "adverb",
}


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(statements, "DRAWS", 400)


def made(seed: int = 1, **effects: float) -> Tables:
    """Tables in which every effect has a size in nats, 0 by default; without any, all statements are about noise."""
    size = dict.fromkeys(EFFECTS, 0.0) | effects
    random = np.random.default_rng(seed)
    lemmas = [f"verb{i}" for i in range(VERBS)]
    also = np.arange(VERBS) % 2 == 0
    likely = random.permutation(VERBS) / VERBS - 0.5  # from -.5 to .5
    own = random.normal(0, 1, VERBS)
    verbs = pd.DataFrame(
        {"lemma": lemmas, "also_noun": also, "zipf": 4 + random.normal(0, 0.5, VERBS)}
    )
    verbs["verb_uses"] = np.round(1000 * (likely + 0.6)).astype(int)
    keys = pd.DataFrame(
        {"lemma": lemmas, "modal": 4 * likely, "past": 4 * likely + 1, "as_noun": -likely}
    )

    def margins(mean):
        return mean + own + random.normal(0, 1, VERBS)

    controls = []
    for i in range(NOUNS):
        of_noun = margins(1 - size["noun"] * also - size["gap"] * also)
        controls.append(("Opener + the N", f"opener{i % OPENERS}", f"noun{i}", "singular", of_noun))
    for opener in range(OPENERS):
        for pronoun in ("he", "she"):
            after = margins(1 - size["gap"] * also + size["after"] * also * likely)
            controls.append(("He, she or they", f"opener{opener}", pronoun, "singular", after))
    controls = pd.concat(
        pd.DataFrame({"lemma": lemmas, "log_odds": odds, "log_odds_tokens": odds}).assign(
            construction=kind, opener=opener, noun=noun, number=number
        )
        for kind, opener, noun, number, odds in controls
    )
    rows = []
    for construction in ("Simple", "VP coordination"):
        for i in range(NOUNS):
            for number, sign in (("singular", 1.0), ("plural", -1.0)):
                margin = margins(1 + size["rise"] * also * likely + size["shift"] * ~also * likely)
                table = pd.DataFrame(
                    {"lemma": lemmas, "correct": (margin > 0) * 1, "log_odds": sign * margin}
                )
                rows.append(
                    table.assign(
                        construction=construction, noun=f"noun{i}", number=number, contexts=1
                    )
                )
    attractors = []
    for preposition, noun, adverb, number in product(
        range(PREPOSITIONS), range(6), ADVERBS, ("singular", "plural")
    ):
        cost = (number == "plural") * (size["plural"] + size["adverb"] * (adverb != "none"))
        odds = 2 - cost + random.normal(0, 1, 50)
        cell = {
            "correct": int((odds > 0).sum()),
            "margin": odds.mean(),
            "verbs": 50,
            "also_noun": False,
        }
        names = {"preposition": f"p{preposition}", "noun": f"noun{noun}", "adverb": adverb}
        attractors.append({**names, "attractor_number": number, "number": "singular", **cell})
    return Tables(controls, pd.DataFrame(attractors), pd.concat(rows), keys, verbs)


@pytest.mark.slow
@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.id)
def test_each_statement_has_a_table_for_which_it_fails(statement):
    effect = ABOUT[statement.id.partition(".")[0]]
    holds = statement.measure(made(**{effect: 2.5}))
    fails = statement.measure(made(**{effect: -2.5}))
    assert verdict(holds.low, holds.high, holds.p_value) == verdicts.EXTENDS
    assert verdict(fails.low, fails.high, fails.p_value) == verdicts.DOES_NOT_EXTEND


@pytest.mark.slow
def test_without_any_effect_almost_nothing_is_found():
    tables = [judge(made(seed)) for seed in range(4)]
    judged = pd.concat(tables)
    assert judged.columns.tolist() == RESULT
    assert (judged.loc[judged["role"] == "judged", "verdict"] == verdicts.UNDECIDED).mean() > 0.9


def test_two_openers_give_no_interval_and_few_verbs_in_a_fifth_no_verdict():
    tables = made(noun=1.5, rise=1.5)
    two = tables.controls[tables.controls["opener"].isin(["opener0", "opener1"])]
    found = noun_below_pronoun(tables._replace(controls=two))
    assert found.value > 0 and np.isnan(found.low)
    some = tables.rows[tables.rows["lemma"].isin([f"verb{i}" for i in range(60)])]
    found = rises_in_rows(tables._replace(rows=some))
    assert found.units["verbs in a fifth"] == 6 and np.isnan(found.low)


def test_singular_and_plural_subjects_are_not_pooled():
    tables = made(rise=1.5)
    plural = tables.rows["number"] == "plural"
    wrong = tables.rows.assign(correct=tables.rows["correct"].where(~plural, 0))
    assert rises_in_rows(tables._replace(rows=wrong)).value == rises_in_rows(tables).value


def test_a_difference_by_hand():
    """Of two openers' verbs one of two is right after a noun, both after a pronoun; attraction costs 30 of 100."""
    base = {"construction": "He, she or they", "opener": "a", "noun": "he", "number": "singular"}
    rows = [
        {**base, "lemma": lemma, "opener": opener, "log_odds": 1.0}
        for opener in "abc"
        for lemma in ("go", "see", "do")
    ]
    noun = {"construction": "Opener + the N", "noun": "author"}
    odds = {"go": 1.0, "see": -1.0, "do": -1.0}
    rows += [{**row, **noun, "noun": row["opener"], "log_odds": odds[row["lemma"]]} for row in rows]
    controls = pd.DataFrame(rows).assign(log_odds_tokens=0.0)
    known = pd.DataFrame({"lemma": list(odds), "also_noun": True})
    found = noun_below_pronoun(made()._replace(controls=controls, verbs=known))
    assert found.value == pytest.approx(2 / 3) and found.units == {
        "nouns": 3,
        "openers": 3,
        "verbs": 3,
    }
    cells = [
        {"preposition": p, "noun": n, "adverb": "none", "attractor_number": number, "number": "singular",
         "also_noun": False, "verbs": 100, "correct": correct, "margin": 0.0}
        for p in "abc" for n in "xyz" for number, correct in (("singular", 90), ("plural", 60))
    ]  # fmt: skip
    assert attraction(made()._replace(attractors=pd.DataFrame(cells))).value == pytest.approx(0.3)


def test_the_slope_of_the_twin_shift_is_that_of_the_table():
    """Twice the margin, which rises by `shift` nats while the key rises by 4: shift ln(10) / 2 for a tenfold P."""
    found = shift_beyond_frequency(made(shift=4.0))
    assert found.value == pytest.approx(2 * np.log(10), abs=0.5)


def test_fifths_hold_a_fifth_of_the_verbs_each_and_ties_stay_together():
    tables = made(rise=3.0)
    table = tables.rows.merge(tables.likelihoods, on="lemma").merge(tables.verbs, on="lemma")
    table = table[table["also_noun"] & (table["number"] == "singular")]
    found = fifths(table, "correct", "modal")
    assert (
        found["verbs"].tolist() == [12] * 5
        and found["value"].iloc[-1] > found["value"].iloc[0] + 0.2
    )
    tied = fifths(table.assign(modal=table["modal"].clip(upper=0)), "correct", "modal")
    ties = int((table.drop_duplicates("lemma")["modal"] >= 0).sum())
    assert tied["verbs"].iloc[-1] >= ties > 12 and tied["verbs"].sum() == 60
