"""Findings on models that the papers never saw: tables whose verdict is known by construction, one interval by hand."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tse_book.claims import extension_ledger, extension_sentence, extension_summary
from tse_book.claims.extension import EXTENSION, extends
from tse_book.claims.finding import load_claims
from tse_book.claims.verdicts import DEPENDS, DOES_NOT_EXTEND, EXTENDS, NOT_RUN, UNDECIDED
from tse_book.published import blimp_table4
from tse_book.studies.benchmark_findings import blimp_findings, suite_findings
from tse_book.studies.contrasts import Group, largest_of_rows, mean_of_rows
from tse_book.studies.findings import FINDING_COLUMNS
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.errors import InputError
from tse_core.uncertainty.intervals import combine


def finding(claim="E.ew-below-tse", low=0.1, high=0.3, *, model="some-model", front="default", row="all"):
    return (model, front, claim, row, (low + high) / 2, low, high, 20, "made up")


def judged(*findings):
    return extension_ledger(pd.DataFrame(findings, columns=FINDING_COLUMNS)).set_index("id")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.01, 0.2, EXTENDS), (-0.2, -0.01, DOES_NOT_EXTEND), (-0.1, 0.1, UNDECIDED), (0.0, 0.1, UNDECIDED)],
)
def test_the_interval_decides_on_which_side_of_the_border_it_lies(low, high, verdict):
    assert judged(finding(low=low, high=high)).loc["E.ew-below-tse", "verdict"] == verdict


def test_a_border_of_its_own_and_a_claim_below_its_border():
    found = judged(
        finding("E.forty", 0.3, 0.39),
        finding("E.mass-past", 0.11, 0.2),
        finding("E.islands", 1, 1),
        finding("E.morphology", 1, 2),
        finding("E.methods.mean", 0.04, 0.05),
    )
    verdicts = found.loc[["E.forty", "E.mass-past", "E.islands", "E.morphology", "E.methods.mean"], "verdict"]
    assert list(verdicts) == [DOES_NOT_EXTEND, EXTENDS, EXTENDS, UNDECIDED, DOES_NOT_EXTEND]
    assert found.loc["E.methods.mean", "border"] == pytest.approx(0.02995)  # Transformer-XL, two prefixes
    assert found.loc["E.methods.correlation", "border"] == pytest.approx((0.849 + 0.407) / 2, abs=1e-3)  # GPT-2


@pytest.mark.parametrize(
    ("default", "none", "verdict"),
    [
        ((0.1, 0.2), (0.05, 0.3), EXTENDS),
        ((0.1, 0.2), (-0.2, -0.1), DEPENDS),
        ((0.1, 0.2), (-0.1, 0.3), DEPENDS),
        ((-0.1, 0.2), (-0.1, 0.3), UNDECIDED),
        ((0.1, 0.2), None, EXTENDS),
        (None, (-0.2, -0.1), DOES_NOT_EXTEND),
        (None, None, NOT_RUN),
    ],
)
def test_a_verdict_that_differs_depends_on_the_front_token(default, none, verdict):
    fronts = {"default": default, "none": none}
    rows = [finding(low=bounds[0], high=bounds[1], front=front) for front, bounds in fronts.items() if bounds]
    found = judged(*rows, finding("E.mw-above-ew")).loc["E.ew-below-tse"]
    assert found["verdict"] == verdict
    for front, bounds in fronts.items():
        assert found[f"verdict_{front}"] == (extends(*bounds, 0) if bounds else NOT_RUN)


def test_laboratory_models_and_those_of_the_claims_paper_are_not_judged():
    assert judged(finding(model="lab-systematic-causal")).empty
    papers = judged(finding(model="openai-community/gpt2-xl"))
    assert papers.empty
    large = judged(finding(model="gpt2-large"))  # BLiMP's, but not Newman et al.'s
    assert set(large["paper"]) == {"newman-2021", "syntaxgym-2020"}
    assert set(judged(finding(model="gpt2-large", claim="E.islands", low=1, high=1))["verdict"]) == {NOT_RUN}


def test_every_claim_has_a_row_for_every_model_and_the_summary_counts_them():
    one, other = finding(), finding("E.islands", 2, 3, model="another/model")
    table = extension_ledger(pd.DataFrame([one, other], columns=FINDING_COLUMNS))
    assert list(table.columns) == list(EXTENSION)
    claims = load_claims()["extensions"]
    assert len(table) == 2 * len(claims)
    summary = extension_summary(table)
    assert (summary.sum(axis=1) == len(claims)).all()
    assert summary.loc["some-model", EXTENDS] == 1
    assert summary.loc["another/model", DOES_NOT_EXTEND] == 1
    assert extension_ledger(pd.DataFrame(columns=FINDING_COLUMNS)).empty


def test_the_verdicts_in_a_sentence():
    table = judged(finding(), finding("E.mw-above-ew"), finding("E.islands", 2, 3)).reset_index()
    assert extension_sentence(table) == "Of 3 general claims measured on some-model, 2 extend and 1 does not extend."
    assert extension_sentence(table[table["verdict"] == NOT_RUN]).startswith("No general claim")


def test_rows_beside_the_judged_number_play_no_part():
    found = judged(finding(), finding(low=-0.3, high=-0.1, row="Simple"))
    assert found.loc["E.ew-below-tse", "verdict"] == EXTENDS


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (pd.DataFrame([finding()], columns=FINDING_COLUMNS).drop(columns="low"), "findings without low"),
        (pd.DataFrame([finding("E.ew-bellow-tse")], columns=FINDING_COLUMNS), "E.ew-bellow-tse"),
        (pd.DataFrame([finding(front="nothing")], columns=FINDING_COLUMNS), "nothing"),
        (pd.DataFrame([finding(), finding()], columns=FINDING_COLUMNS), "twice"),
    ],
)
def test_findings_that_cannot_be_judged_are_refused(table, says):
    with pytest.raises(InputError, match=says):
        extension_ledger(table)


def test_every_border_says_whose_it_is_and_why_it_is_ours():
    for claim in load_claims()["extensions"]:
        assert claim["whose"] in ("the paper", "ours", "the published models", "the suites' design")
        assert claim["whose"] in ("the paper", "the suites' design") or claim["why"]
        assert claim["paper"] in load_claims()["tested"]


def test_judging_needs_no_torch():
    code = "import sys, tse_book.claims as c; c.extension_ledger, c.ledger; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ---- measuring ----


def test_a_mean_over_rows_that_share_nouns_by_hand():
    """Two constructions, nouns a, b, c; the means are 0.5 and 0.8, so the mean over rows is 0.65.

    Influences on it, (noun's sum - mean x its contexts) / contexts / 2: in the first row (two contexts a noun) a
    (2 - 1) / 6 / 2 = 1/12, b 0, c -1/12; in the second (one context a noun) a 0.2 / 3 / 2 = 1/30, b 1/30, c -1/15.
    Together 7/60, 2/60, -9/60; variance 3/2 x (49 + 4 + 81) / 3600; t(2) = 4.302653.
    """
    rows = {
        "first": [Group(np.array([1, 1, 0, 1, 0, 0.0]), np.array(list("aabbcc")))],
        "second": [Group(np.array([1, 1, 0.4]), np.array(list("abc")))],
    }
    judged_number, *others = mean_of_rows(rows)
    reach = 4.302653 * np.sqrt(1.5 * 134 / 3600)
    assert judged_number.row == "all"
    assert judged_number.value == pytest.approx(0.65)
    found = combine([(g.values, [g.clusters]) for groups in rows.values() for g in groups], [0.5, 0.5])
    assert (found.low, found.high) == pytest.approx((0.65 - reach, 0.65 + reach), abs=1e-6)
    assert (judged_number.low, judged_number.high) == (0.0, 1.0)  # a share stays one
    assert [number.row for number in others] == ["first", "second"]
    assert [number.value for number in others] == pytest.approx([0.5, 0.8])
    assert judged_number.n == 3


def test_a_row_that_is_undefined_leaves_the_mean():
    nothing = [Group(np.array([np.nan, np.nan]), np.array(["a", "b"]))]
    something = [Group(np.array([0.2, 0.4, 0.3]), np.array(["a", "b", "c"]))]
    assert [n.row for n in mean_of_rows({"one": nothing, "other": something})] == ["all", "other"]
    assert mean_of_rows({"one": nothing}) == []


def test_the_largest_of_rows_has_an_interval_that_is_at_least_as_wide_as_its_own():
    random = np.random.default_rng(3)
    labels = np.arange(40)
    rows = {name: [Group(random.normal(mean, 0.1, 40).clip(0, 1), labels)] for name, mean in (("a", 0.3), ("b", 0.6))}
    few = {"few": [Group(np.array([0.9, 0.95]), np.array([0, 1]))]}
    largest, *others = largest_of_rows(rows | few, fewest_clusters=10)
    own = next(number for number in others if number.row == "b")
    assert {number.row for number in others} == {"a", "b"}
    assert largest.value == own.value == pytest.approx(0.6, abs=0.05)
    assert largest.low < own.low and own.high < largest.high


def made_up_pairs(accuracy, pairs=200):
    """Pairs of every paradigm, the share `accuracy[paradigm]` of them right."""
    names = np.repeat(list(accuracy), pairs)
    numbers = np.tile(np.arange(pairs), len(accuracy))
    right = numbers < np.repeat([round(share * pairs) for share in accuracy.values()], pairs)
    return pd.DataFrame({"paradigm": names, "pair_id": numbers, "correct": right.astype(float)})


def published_accuracies(model):
    table = blimp_table4().query("source == 'recomputed' and model == @model")
    return dict(zip(table["UID"], table["accuracy"], strict=True))


def test_blimps_claims_on_gpt2s_own_accuracies():
    """Pairs that are right as often as the paper's GPT-2 was give the paper's values."""
    known, gpt2 = blimp_paradigms(), published_accuracies("GPT-2")
    scored = {"full-sentence": made_up_pairs(gpt2)}
    for method in ("one_prefix", "two_prefix"):
        scored[method.replace("_", "-")] = made_up_pairs({uid: gpt2[uid] for uid in known.loc[known[method], "UID"]})
    found = {claim: {n.row: n for n in numbers} for claim, numbers in blimp_findings(scored).items()}
    phenomena = blimp_table4().query("source == 'recomputed' and model == 'GPT-2'").groupby("phenomenon")["accuracy"]
    order = phenomena.mean().sort_values().index
    assert found["E.islands"]["all"][1:4] == (1, 1, 1)
    assert [row for row in found["E.islands"] if row != "all"] == list(order)
    assert found["E.morphology"]["all"].value == 1
    attractor = found["E.attractors.blimp"]["all"]
    assert attractor.value == pytest.approx(0.241, abs=0.005)
    assert attractor.low < attractor.value < attractor.high
    assert found["E.correlation"]["GPT-2"].value == pytest.approx(1, abs=1e-4)
    lstm = np.corrcoef([gpt2[uid] for uid in gpt2], [published_accuracies("LSTM")[uid] for uid in gpt2])[0, 1]
    assert found["E.correlation"]["LSTM"].value == pytest.approx(lstm, abs=0.01)
    assert found["E.methods.mean"]["all"].value == pytest.approx(0, abs=1e-12)
    assert found["E.methods.correlation"]["all"].value == pytest.approx(1)


def test_a_prefix_method_that_is_lower_is_as_far_off_as_one_that_is_higher():
    known = blimp_paradigms()
    whole = dict.fromkeys(known["UID"], 0.8)
    one = {uid: 0.8 + 0.005 * (-1) ** i for i, uid in enumerate(known.loc[known["one_prefix"], "UID"])}
    two = dict.fromkeys(known.loc[known["two_prefix"], "UID"], 0.7)
    scored = {"full-sentence": made_up_pairs(whole), "one-prefix": made_up_pairs(one), "two-prefix": made_up_pairs(two)}
    furthest, *signed = blimp_findings(scored)["E.methods.mean"]
    assert furthest.value == pytest.approx(0.1)
    assert {number.row: round(number.value, 6) for number in signed} == {"one-prefix": 0.0, "two-prefix": -0.1}
    assert 0.08 < furthest.low < 0.1 < furthest.high < 0.12


def test_a_tie_of_two_phenomena_shares_the_harder_place():
    known = blimp_paradigms().set_index("UID")["phenomenon"]
    level = {"ISLAND EFFECTS": 0.5, "QUANTIFIERS": 0.5}
    places = blimp_findings({"full-sentence": made_up_pairs({u: level.get(p, 0.9) for u, p in known.items()})})
    rows = {number.row: number for number in places["E.islands"]}
    assert rows["ISLAND EFFECTS"].value == rows["QUANTIFIERS"].value == 1
    assert (rows["all"].low, rows["all"].high) == (1, 2)


def test_suites_are_compared_item_by_item():
    items = [("cleft", i, True) for i in range(10)] + [("cleft_modifier", i, i >= 4) for i in range(10)]
    items += [("mvrr", i, i % 2 == 0) for i in range(10)] + [("mvrr_mod", i, i % 2 == 0) for i in range(10)]
    found = {
        number.row: number
        for number in suite_findings(pd.DataFrame(items, columns=["suite", "item", "correct"]))["E.suites.modifier"]
    }
    assert set(found) == {"all", "cleft", "mvrr"}
    assert found["cleft"].value == pytest.approx(0.4)
    assert found["mvrr"].value == 0
    assert found["mvrr"].high == pytest.approx(1 - 0.05**0.1)  # no item differs: the rule of three
    assert found["all"].value == pytest.approx(0.2)
    assert found["all"].n == 20


def test_many_small_clusters_do_not_make_up_for_few_large_ones():
    """Ten nouns share one half of the mean and a thousand sentences the other: the ten make up nearly all variance."""
    random = np.random.default_rng(0)
    few, many = (random.uniform(size=10), [np.arange(10)]), (random.uniform(size=1000), [np.arange(100, 1100)])
    assert combine([few, many], [0.5, 0.5]).method == "t(9)"
    assert combine([few], [1]).method == "t(9)"
