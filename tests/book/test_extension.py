"""Findings on models that the papers never saw: intervals by hand, tables whose verdict is known by construction.

Every predicate fails for some model or made table. The rows checked from published data have theirs in test_claims.py,
S1 to S6b in test_statements.py.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from tse_book.claims.extension import EXTENSION, extension_ledger, threshold_of
from tse_book.claims.finding import load_claims
from tse_book.claims.verdicts import (
    DEPENDS,
    DESCRIBED,
    DOES_NOT_EXTEND,
    EXTENDS,
    NOT_RUN,
    UNDECIDED,
)
from tse_book.published import blimp_table4
from tse_book.studies.agreement_findings import agreement_statistics
from tse_book.studies.benchmark_findings import (
    DISTANCES,
    MODIFIERS,
    PREFIXES,
    blimp_statistics,
    suite_statistics,
)
from tse_book.studies.contrasts import Group, Statistic, correlated, difference, numbers
from tse_book.studies.findings import FINDING_COLUMNS, findings_table
from tse_core import evaluate, load_pairs
from tse_core.datasets.loading import blimp_paradigms
from tse_core.results.signature import Signature
from tse_core.uncertainty.intervals import combine

CLAIMS = {claim["id"]: claim for claim in load_claims()["extensions"]}


def finding(
    claim="E.ew-below-tse",
    value=0.2,
    error=0.01,
    *,
    model="some-model",
    condition="default",
    row="all",
):
    return (
        model,
        condition,
        claim,
        row,
        value,
        value - 2 * error,
        value + 2 * error,
        error,
        200,
        20,
        "made up",
    )


def findings_of(*findings):
    return pd.DataFrame(findings, columns=FINDING_COLUMNS)


def judged(*findings):
    return extension_ledger(findings_of(*findings)).set_index("id")


def test_each_claim_can_extend_fail_and_stay_undecided():
    """A guard against rows that cannot fail: each verdict is given to some value that the statistic can take."""
    for away, verdict in ((0.05, EXTENDS), (-0.05, DOES_NOT_EXTEND), (5e-4, UNDECIDED)):
        rows = []
        for claim, about in CLAIMS.items():
            away_from = -away if about.get("side") == "below" else away
            rows.append(finding(claim, threshold_of(about) + away_from, 0.001))
            assert -1 < rows[-1][4] < 1
        assert set(judged(*rows)["verdict"]) == {verdict}


def test_two_units_are_described_and_take_no_part_in_the_family():
    rows = findings_of(finding("E.wh-gap", 0.4), finding("E.islands", 0.4)).assign(n=[2, 8])
    found = extension_ledger(rows).set_index("id")
    assert (found.loc["E.wh-gap", "verdict"], found.loc["E.islands", "verdict"]) == (
        DESCRIBED,
        EXTENDS,
    )
    assert np.isnan(found.loc["E.wh-gap", "p_holm"])


def test_a_family_of_tests_is_corrected():
    """One p-value of 0.01 alone extends; as one of ten of which nine say nothing it does not (Holm: 0.1)."""
    one = finding(value=0.026, error=0.01)
    others = [c for c in CLAIMS if c != "E.ew-below-tse"][:9]
    others = [finding(claim, threshold_of(CLAIMS[claim]), 0.01) for claim in others]
    assert judged(one).loc["E.ew-below-tse", "verdict"] == EXTENDS
    together = judged(one, *others).loc["E.ew-below-tse"]
    assert together["verdict"] == UNDECIDED and together["p_holm"] == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    ("other", "gap", "verdict", "on"),
    [
        (0.0, (0.2, 0.01), DEPENDS, "the BOS token"),
        (-0.2, (0.4, 0.01), DEPENDS, "the BOS token"),
        (0.01, (0.19, 0.1), EXTENDS, ""),  # another verdict, which no paired test shows
        (0.1, (0.1, 0.01), EXTENDS, ""),  # a difference that changes no verdict
    ],
)
def test_a_claim_depends_on_what_changes_its_verdict_by_a_paired_test(other, gap, verdict, on):
    bare = {"condition": "no BOS token"}
    difference = finding(value=gap[0], error=gap[1], row="difference", **bare)
    found = judged(finding(), finding(value=other, **bare), difference).loc["E.ew-below-tse"]
    assert (found["verdict"], found["on"]) == (verdict, on)
    assert found["conditions"]["difference"].tolist() == [gap[0]]


def test_each_model_has_a_row_for_each_claim_but_those_of_the_laboratory_and_of_the_claims_own_paper():
    assert judged(finding(model="lab-systematic-causal")).empty
    assert set(judged(finding(model="openai-community/gpt2-xl"))["paper"]) == {
        "marvin-linzen-2018"
    }  # no folder
    assert {"newman-2021", "marvin-linzen-2018"} == set(
        judged(finding(model="gpt2-large"))["paper"]
    ) - {"hu-2020"}
    table = extension_ledger(findings_of(finding(), finding(model="another/model")))
    assert list(table.columns) == list(EXTENSION)
    assert len(table) == 2 * len(CLAIMS) and (table["verdict"] != NOT_RUN).sum() == 2
    assert extension_ledger(findings_of()).empty


def test_every_threshold_says_whose_it_is_and_why_it_is_ours():
    for claim in CLAIMS.values():
        assert claim["whose"] == "the paper" or claim["why"]
    assert threshold_of(CLAIMS["E.methods.mean"]) == pytest.approx(
        0.02995
    )  # Transformer-XL, two prefixes
    assert threshold_of(CLAIMS["E.methods.correlation"]) == pytest.approx(
        (0.849 + 0.407) / 2, abs=1e-3
    )  # GPT-2


# ---- measuring ----


def test_a_mean_over_rows_that_share_nouns_by_hand():
    """Two constructions, nouns a, b, c; the means are 0.5 and 0.8, so the mean over rows is 0.65.

    A noun left out moves it by (noun's sum - mean x its contexts) / the others' contexts / 2: in the first row (two
    contexts a noun) a by (2 - 1) / 4 / 2 = 1/8, b 0, c -1/8; in the second (one context a noun) a by 0.2 / 2 / 2 =
    1/20, b 1/20, c -1/10. Together 7/40, 2/40, -9/40; variance (49 + 4 + 81) / 1600.
    """
    rows = {
        "first": [Group(np.array([1, 1, 0, 1, 0, 0.0]), [np.array(list("aabbcc"))])],
        "second": [Group(np.array([1, 1, 0.4]), [np.array(list("abc"))])],
    }
    judged_number, *others = numbers(Statistic(rows))
    assert judged_number.row == "all"
    assert judged_number.value == pytest.approx(0.65)
    found = combine(
        [(g.values, g.clusters) for groups in rows.values() for g in groups], [0.5, 0.5]
    )
    assert (found.error, found.freedom) == (pytest.approx(np.sqrt(134 / 1600)), 2)
    assert found.skewness == pytest.approx((7**3 + 2**3 - 9**3) / 134**1.5)
    assert (judged_number.low, judged_number.high) == (0.0, 1.0)  # a share stays one
    assert [number.row for number in others] == ["first", "second"]
    assert [number.value for number in others] == pytest.approx([0.5, 0.8])
    assert judged_number.n == 3


def test_the_largest_of_rows_has_an_interval_that_is_at_least_as_wide_as_its_own():
    random = np.random.default_rng(3)
    labels = [np.arange(40)]
    rows = {
        name: [Group(random.normal(mean, 0.1, 40).clip(0, 1), labels)]
        for name, mean in (("a", 0.3), ("b", 0.6))
    }
    largest, *others = numbers(Statistic(rows, "largest"))
    own = next(number for number in others if number.row == "b")
    assert {number.row for number in others} == {"a", "b"}
    assert largest.value == own.value == pytest.approx(0.6, abs=0.05)
    assert largest.low < own.low and own.high < largest.high
    assert numbers(Statistic(rows, "least"))[0].value == pytest.approx(0.3, abs=0.05)


def test_two_conditions_of_the_same_nouns_differ_by_a_paired_difference():
    """What the nouns share cancels: each noun's difference is 0.1 and a little, so the interval is narrow."""
    random = np.random.default_rng(4)
    nouns, easy = [np.arange(20)], random.normal(0.5, 0.3, 20)
    one = Statistic({"Simple": [Group(easy + 0.1 + random.normal(0, 0.01, 20), nouns)]})
    other = Statistic({"Simple": [Group(easy, nouns)], "not in the first": [Group(easy, nouns)]})
    gap = difference(one, other)
    assert gap.value == pytest.approx(0.1, abs=0.01) and gap.high - gap.low < 0.02
    alone = numbers(one)[1]
    assert alone.high - alone.low > 0.2
    assert difference(one, Statistic({"BLiMP": [Group(easy, nouns)]})) is None


def test_a_correlation_is_the_mean_of_its_units_and_errs_as_fishers_transformation_says():
    random = np.random.default_rng(0)
    first = random.normal(size=400)
    second = 0.6 * first + 0.8 * random.normal(size=400)
    group = correlated(first, second, np.arange(400))
    found = numbers(Statistic({"r": [group]}))[0]
    assert found.value == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert found.error == pytest.approx((1 - found.value**2) / np.sqrt(400), rel=0.15)


def of_blimp(accuracy, prefix=None):
    """The statistics of pairs of every paradigm with these accuracies, and of prefix methods with others."""
    known = blimp_paradigms().set_index("UID")
    scored = {"full-sentence": accuracy}
    for method in PREFIXES:
        allowed = known.index[known[method.replace("-", "_")]]
        scored[method] = (accuracy if prefix is None else prefix)[allowed]
    pairs = {
        m: pd.DataFrame({"paradigm": a.index, "correct": a.to_numpy()}) for m, a in scored.items()
    }
    return blimp_statistics(pairs)


def published(model):
    table = blimp_table4().query("source == 'recomputed' and model == @model")
    return table.set_index("UID")["accuracy"]


def noise(seed=0):
    names = blimp_paradigms()["UID"]
    return pd.Series(
        np.random.default_rng(seed).uniform(0.4, 0.9, len(names)), index=names.to_numpy()
    )


def of_suites(share):
    """Every suite right in all items without the difficulty, and with it in this share of them."""
    with_it = {*MODIFIERS.values(), *DISTANCES}
    names = {*MODIFIERS, *MODIFIERS.values(), *DISTANCES, *DISTANCES.values()}
    rows = [
        (name, i, name not in with_it or i < 20 * share)
        for name in sorted(names)
        for i in range(20)
    ]
    return suite_statistics(pd.DataFrame(rows, columns=["suite", "item", "correct"]))


@cache
def of_agreement():
    """A language in which every verb agrees, and no probability on past forms."""
    pairs = pd.concat(
        [
            load_pairs("marvin-linzen/simple"),
            load_pairs("marvin-linzen/across-prepositional-phrase"),
        ]
    )
    some = pairs.groupby("construction").sample(120, random_state=0).reset_index(drop=True)
    found = evaluate("lab-systematic-causal", some, "newman-clean", detail="lemmas")
    forms = found.contexts.assign(past=0.0, other=1.0)
    return agreement_statistics(found, forms)


def by_row(statistics):
    return {
        claim: {number.row: number for number in numbers(statistic)}
        for claim, statistic in statistics.items()
    }


def test_blimps_claims_on_gpt2s_own_accuracies():
    """Pairs that are right as often as the paper's GPT-2 was give the paper's values."""
    gpt2 = published("GPT-2")
    found = by_row(of_blimp(gpt2))
    order = gpt2.groupby(blimp_paradigms().set_index("UID")["phenomenon"]).mean().sort_values()
    assert found["E.islands"]["all"].value == pytest.approx(
        order.iloc[1] - order.iloc[0], abs=0.003
    )
    assert found["E.islands"]["NPI LICENSING"].value == pytest.approx(
        order["NPI LICENSING"] - order.iloc[0], abs=0.003
    )
    assert found["E.morphology"]["all"].value > 0
    gaps = [
        gpt2[f"wh_vs_that_no_gap{far}"] - gpt2[f"wh_vs_that_with_gap{far}"]
        for far in ("", "_long_distance")
    ]
    assert found["E.wh-gap"]["all"].value == pytest.approx(np.mean(gaps), abs=0.006)
    attractor = found["E.attractors.blimp"]["all"]
    assert attractor.value == pytest.approx(0.241, abs=0.005)
    assert (
        attractor.n == 2
        and found["E.irregulars"]["all"].n == 6
        and found["E.adjectives"]["all"].n == 4
    )
    human, lstm = (gpt2.corr(published(model)) for model in ("human", "LSTM"))
    assert found["E.correlation"]["GPT-2"].value == pytest.approx(1 - human, abs=0.01)
    assert found["E.correlation"]["LSTM"].value == pytest.approx(lstm - human, abs=0.01)
    assert found["E.methods.mean"]["all"].value == pytest.approx(0, abs=1e-12)
    assert found["E.methods.correlation"]["all"].value == pytest.approx(1)


def test_a_prefix_method_that_is_lower_is_as_far_off_as_one_that_is_higher():
    known = blimp_paradigms().set_index("UID")
    known["prefix"] = np.where(known["two_prefix"], 0.7, 0.8)
    odd = known.index[known["one_prefix"]]
    known.loc[odd, "prefix"] += 0.005 * (-1.0) ** np.arange(len(odd))
    found = by_row(of_blimp(pd.Series(0.8, known.index), known["prefix"]))["E.methods.mean"]
    assert found["all"].value == pytest.approx(0.1)
    assert found["one-prefix"].value == pytest.approx(0, abs=1e-6)
    assert found["two-prefix"].value == pytest.approx(-0.1, abs=1e-6)
    assert found["all"].n == known["two_prefix"].sum()


def test_suites_are_compared_item_by_item():
    items = [("cleft", i, True) for i in range(10)] + [
        ("cleft_modifier", i, i >= 4) for i in range(10)
    ]
    items += [("mvrr", i, i % 2 == 0) for i in range(10)] + [
        ("mvrr_mod", i, i % 2 == 0) for i in range(10)
    ]
    table = pd.DataFrame(items, columns=["suite", "item", "correct"])
    found = {number.row: number for number in numbers(suite_statistics(table)["E.suites.modifier"])}
    assert {row: number.value for row, number in found.items()} == pytest.approx(
        {"all": 0.2, "cleft": 0.4, "mvrr": 0}
    )
    assert found["mvrr"].high == pytest.approx(1 - 0.05**0.1)  # no item differs: the rule of three
    assert found["all"].n == 10  # items in each row


# ---- every predicate has a model or a made table for which it fails ----


AT_RANDOM = ("E.adjectives", "E.irregulars", "E.islands", "E.morphology")
FAILS = {  # claim -> statistics that make it fail
    # a language in which every verb agrees, without attraction and past forms
    **dict.fromkeys(
        ("E.ew-below-tse", "E.mw-above-ew", "E.mass-past", "E.attractors.pairs"), of_agreement
    ),
    **dict.fromkeys(
        ("E.attractors.blimp", "E.wh-gap"), lambda: of_blimp(published("GPT-2"))
    ),  # two pairs of paradigms
    **dict.fromkeys(AT_RANDOM, lambda: of_blimp(noise())),
    **dict.fromkeys(
        ("E.methods.mean", "E.methods.correlation"), lambda: of_blimp(published("GPT-2"), noise())
    ),
    "E.correlation": lambda: of_blimp(published("human")),
    **dict.fromkeys(
        ("E.suites.modifier", "E.suites.distance"), lambda: of_suites(1.0)
    ),  # as easy with the modifier
}
HOLDS = {
    "E.suites.modifier": lambda: of_suites(0.2),
    "E.suites.distance": lambda: of_suites(0.2),
    "E.methods.correlation": lambda: of_blimp(noise()),
    "E.methods.mean": lambda: of_blimp(noise(), noise() + noise(1) / 100),
    "E.correlation": lambda: of_blimp(published("GPT-2")),
}


def verdict(claim, statistics):
    made = Signature({"model": "made-up@12345678", "data": "d@1"}, {"bos": "none"})
    table = findings_table([("default", {claim: statistics[claim]}, made)])
    return extension_ledger(table).set_index("id").loc[claim, "verdict"]


def test_every_predicate_is_listed():
    assert set(FAILS) == {claim["id"] for claim in load_claims()["extensions"]}


@pytest.mark.slow
@pytest.mark.parametrize("claim", FAILS)
def test_each_predicate_fails_for_some_model_or_made_table(claim):
    assert verdict(claim, FAILS[claim]()) not in (EXTENDS, NOT_RUN)


@pytest.mark.parametrize("claim", HOLDS)
def test_these_hold_where_the_table_was_made_so(claim):
    assert verdict(claim, HOLDS[claim]()) == EXTENDS
