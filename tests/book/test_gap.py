"""Where the gap comes from, the expectations of the factorial design, and number sensitivity against its truth."""

import itertools

import numpy as np
import pandas as pd
import pytest

from tse_book.laboratory.known_truth import true_sensitivity, truth
from tse_book.laboratory.language import load_language
from tse_book.laboratory.sensitivity import sensitivity_against_truth, some_twins
from tse_book.pages.design import FALL_CLAIM, GAP_CLAIM, gap_findings, gaps_and_falls
from tse_book.pages.gap_sentences import fall_of_ew, kind_of_verb
from tse_book.studies.details import COLUMNS, recorded_details
from tse_book.studies.expectations import (
    MEAN,
    Region,
    design_of,
    expectations,
    expected_of_falls,
    expected_of_tokens,
    lifts,
)
from tse_book.studies.factorial import TABLES, WHOLE
from tse_book.studies.findings import DEFAULT, NO_NOUNS
from tse_book.studies.findings import NOUNS as OF_NOUNS
from tse_book.studies.gap import (
    ALL,
    CHOICE,
    END,
    GAP,
    NEVER,
    NEVER_ALL,
    NEVER_END,
    NOUNS,
    OUTCOMES,
    PARTS,
    SINGLE,
    SINGLE_END,
    TOKENS,
    TSE,
    ew_of_kinds,
    gap_parts,
    has_whole_words,
    known_parts,
    recorded_stages,
    stages,
    stages_of,
)
from tse_core import InputError, evaluate, load_lemmas, load_pairs
from tse_core.paths import data_folder
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import Interval
from tse_core.words import spelled_nouns


def sample(values, verbs):
    return Sample(np.array(values, float), [np.array(["key"] * len(verbs)), np.array(verbs)])


def by_hand():
    stages = {
        TSE: sample([1.0, 0.9], ["be", "walk"]),  # .95
        NEVER: sample([1.0, 0.8, 0.6], ["be", "open", "rust"]),  # .80
        SINGLE: sample([1.0, 0.8, 0.6, 0.0], ["be", "open", "rust", "walk"]),  # .60
        NEVER_END: sample([1.0, 0.9, 0.8], ["be", "open", "rust"]),  # .90
        SINGLE_END: sample([1.0, 0.9, 0.8, 0.1], ["be", "open", "rust", "walk"]),  # .70
        NEVER_ALL: sample([1.0, 0.9, 0.8, 0.1], ["be", "open", "rust", "abdicate"]),  # .70
        ALL: sample([1.0, 0.9, 0.8, 0.1, 0.1, 0.1], ["be", "open", "rust", "walk", "abdicate", "zip"]),  # .50
    }
    return {"Simple": stages, "Twice": stages}


def test_the_parts_of_the_gap_by_hand():
    single = {GAP: 0.35, CHOICE: 0.15, NOUNS: 0.2}
    whole = {GAP: 0.45, CHOICE: 0.15, END: -0.1, NOUNS: (0.2 + 0.2) / 2, TOKENS: (0.2 + 0.2) / 2}
    for over, parts in (("single entries", single), ("all verbs", whole)):
        table = gap_parts(by_hand(), over).set_index(["construction", "part"])["value"]
        for row in (MEAN, "Simple", "Twice"):
            assert table[row].to_dict() == pytest.approx(parts)
    stages = {"Simple": by_hand()["Simple"] | {NEVER_ALL: sample([0.9, 0.9], ["be", "open"])}}
    table = gap_parts(stages, "all verbs").set_index(["construction", "part"])["value"][MEAN]
    # the mean over both orders: nouns first .90 - .70, nouns last .90 - .50; tokens last .70 - .50, first .90 - .90
    assert (table[NOUNS], table[TOKENS]) == (pytest.approx(0.3), pytest.approx(0.1))
    few = {"Simple": {name: by_hand()["Simple"][name] for name in (TSE, NEVER, SINGLE)}}
    assert set(gap_parts(few, "single entries")["part"]) == {GAP, CHOICE, NOUNS}
    with pytest.raises(InputError, match="no scores of: all verbs"):
        gap_parts(few, "all verbs")


def test_the_parts_add_up_in_the_recorded_run_whose_long_verbs_and_nouns_are_worse():
    recorded = recorded_stages("smollm2-135m-instruct")
    for over, names in PARTS.items():
        table = gap_parts(recorded, over).pivot(index="construction", columns="part", values="value")
        assert len(table) == 10
        assert np.abs(table[list(names)[1:]].sum(axis=1) - table[GAP]).max() < 1e-12
        assert (table[GAP] > 0).sum() >= 9 and table.loc[MEAN, NOUNS] > 0.05
    kinds = ew_of_kinds(recorded).set_index(["verbs", "length"])["value"]
    assert (kinds.idxmax(), kinds.idxmin()) == (("never nouns", "one token"), ("all", "any"))


SUBJECTS, BETWEEN, LISTED = ["key", "box", "cup"], ["shelf", "table"], ["open", "walk", "rust", "plan", "abdicate"]


def outcomes():
    """Made-up outcomes of two constructions, by subject, attractor and verb; the last verb is several tokens."""
    random, rows = np.random.default_rng(1), []
    for construction, noun, attractor in itertools.product(("Simple", "Twice"), SUBJECTS, BETWEEN):
        rows.append(("pairs", construction, noun, attractor, "the templates' own", 2, random.integers(0, 3)))
        rows += [("single", construction, noun, attractor, verb, 4, random.integers(1, 5)) for verb in LISTED[:-1]]
        rows += [("words", construction, noun, attractor, verb, 4, random.integers(1, 5)) for verb in LISTED]
    return pd.DataFrame(rows, columns=OUTCOMES)


@pytest.mark.slow
def test_the_parts_add_up_in_every_replicate_of_subjects_verbs_and_attractors():
    table, random = outcomes(), np.random.default_rng(2)
    for _ in range(20):
        drawn = np.ones(len(table))
        for way, labels in (("noun", SUBJECTS), ("attractor", BETWEEN), ("lemma", LISTED)):
            times = dict(zip(labels, 1 + random.integers(0, 3, len(labels)), strict=True))
            drawn *= table[way].map(times).fillna(1)
        replicate = table.assign(contexts=table["contexts"] * drawn, correct=table["correct"] * drawn)
        for over, names in PARTS.items():
            found = gap_parts(stages(replicate), over).pivot(index="construction", columns="part", values="value")
            assert np.abs(found[list(names)[1:]].sum(axis=1) - found[GAP]).max() < 1e-12
        sums = replicate.query("construction == 'Simple'").groupby("forms")[["correct", "contexts"]].sum()
        share = sums["correct"] / sums["contexts"]
        assert found.loc["Simple", GAP] == pytest.approx(share["pairs"] - share["words"])


def test_more_ways_of_sampling_give_wider_intervals():
    table = outcomes()
    widths = []
    for ways in (["lemma"], ["noun", "lemma"], ["noun", "attractor", "lemma"]):
        kept = table[["forms", "construction", *ways, "contexts", "correct"]]
        parts = gap_parts(stages(kept), "all verbs").query("construction == 'mean'").set_index("part")
        widths.append(parts.loc[NOUNS, "high"] - parts.loc[NOUNS, "low"])
    assert widths[0] < widths[1] <= widths[2]


def test_the_stages_of_an_evaluation_have_its_scores_and_sample_its_nouns_verbs_and_attractors(tiny_causal):
    pairs = load_pairs("marvin-linzen/across-prepositional-phrase")
    some = pairs[pairs["noun"].isin(["author", "pilot", "farmer"])].reset_index(drop=True)
    found = evaluate(tiny_causal, some, cutoffs=WHOLE, keep="forms")
    (stage,) = stages_of([found]).values()
    scores = found.table().iloc[0]
    assert np.average(stage[SINGLE].values, weights=stage[SINGLE].counts) == pytest.approx(scores["EW"])
    assert np.average(stage[TSE].values, weights=stage[TSE].counts) == pytest.approx(scores["TSE"])
    ways = [len(set(way)) for way in stage[SINGLE].clusters]
    assert ways == [3, len(set(spelled_nouns(some["attractor"]))), len(found.lemmas)]
    assert [len(set(way)) for way in stage[TSE].clusters] == [3, ways[1], 1]


def test_the_known_parts_of_the_laboratory_add_up_to_its_known_gap():
    lemmas = load_language().lemmas[["lemma"]]
    known = truth("lexical").query("band == 'all'").set_index("construction")
    for over, names in PARTS.items():
        table = known_parts("lexical", lemmas, over).pivot(index="construction", columns="part", values="value")
        rows = known.index
        assert table.loc[rows, GAP].to_numpy() == pytest.approx((known["TSE"] - known["EW"]).to_numpy())
        assert table[list(names)[1:]].sum(axis=1).to_numpy() == pytest.approx(table[GAP].to_numpy())
    assert table[[END, TOKENS]].abs().max(axis=None) < 1e-12  # every verb of the language is one entry
    assert known_parts("systematic", lemmas, "all verbs").query("construction == 'Simple'")["value"].abs().max() == 0


@pytest.mark.slow
def test_the_measured_parts_of_a_laboratory_model_are_the_known_ones():
    verbs = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    found = evaluate("lab-lexical-causal", "marvin-linzen/simple", verbs, cutoffs=WHOLE, keep="forms")
    tables = gap_parts(stages_of([found]), "single entries"), known_parts("lexical", found.lemmas, "single entries")
    measured, known = (table.query("construction == 'Simple'").set_index("part")["value"] for table in tables)
    for part in (GAP, CHOICE, NOUNS):
        assert measured[part] == pytest.approx(known[part], abs=0.03)


def test_the_truth_of_number_sensitivity_follows_from_the_language():
    lexical = true_sensitivity("lexical").set_index(["construction", "band"])["true_NS"]
    assert set(lexical.xs("head", level="band")) == set(lexical.xs("middle", level="band")) == {1.0}
    assert set(lexical.xs("tail", level="band")) == {0.5}
    assert lexical["Simple", "all"] == pytest.approx((200 + 200 + 250) / 900)
    assert set(true_sensitivity("systematic")["true_NS"]) == {1.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "regime"), [("lab-lexical-causal", "lexical"), ("lab-systematic-masked", "systematic")]
)
def test_number_sensitivity_measured_on_laboratory_models_is_the_known_one(model, regime):
    table = sensitivity_against_truth(model, regime, twins=4)
    assert len(table) == 9 * 4
    error = (table["NS"] - table["true_NS"]).abs()
    assert error[table["band"] != "tail"].max() <= 0.06 and error.max() <= 0.15


def test_some_twins_keep_both_numbers():
    some = some_twins(load_pairs("marvin-linzen/across-subject-relative"), 3)
    left = some["twin"].str.partition("___")[0]
    assert left.nunique() == 3 and set(some.groupby(left)["number"].nunique()) == {2}


@pytest.fixture(scope="module")
def design(tiny_causal):
    pairs = load_pairs("marvin-linzen-adverbs")
    some = pairs[pairs["noun"].isin(["author", "pilot"]) & pairs["adverb"].isin(["none", "often", "never"])]
    found = evaluate(tiny_causal, some.reset_index(drop=True), cutoffs=WHOLE, keep="forms")
    tables = {kind: reduce(found) for kind, reduce in TABLES.items()}
    return found, tables


def test_the_counts_of_a_design_are_those_of_the_evaluation(design):
    found, tables = design
    assert {kind: set(table) for kind, table in tables.items()} == {kind: set(COLUMNS[kind]) for kind in TABLES}
    by = ["noun", "adverb", "construction"]
    whole = found.table(",".join(by)).set_index(by)
    counts = tables["factorial"].groupby(["also_noun", *by[1:]])[["correct", "lemmas", "decisions"]].sum()
    assert (counts["correct"] / counts["lemmas"]).to_dict() == pytest.approx(whole["EW"].to_dict())
    assert counts["decisions"].to_dict() == whole["decisions"].to_dict()
    by = ["construction", "adverb"]
    whole = found.table(",".join(by)).set_index(by)
    sums = tables["factorial_verbs"].groupby(by)[["correct", "contexts", "sensitive", "twins"]].sum()
    assert (sums["correct"] / sums["contexts"]).to_dict() == pytest.approx(whole["EW"].to_dict())
    assert (sums["sensitive"] / sums["twins"]).to_dict() == pytest.approx(whole["NS"].to_dict())


def test_the_expectations_are_differences_of_cells(design):
    found, tables = design
    asked = design_of(tables["factorial"], tables["factorial_verbs"])
    table = expectations(asked)
    assert set(table["expectation"]) == {"H1", "H2", "H3", "H4"}
    cells = found.contexts.query("attractor_number != 'plural' and construction == 'Simple'")
    nouns = found.lemmas["noun"].to_numpy(bool)
    odds = found.log_odds[np.ix_(cells.index, np.flatnonzero(nouns))]
    wins = np.where((cells["number"] == "plural").to_numpy()[:, None], odds < 0, odds > 0).mean(axis=1)
    bare = (cells["adverb"] == "none").to_numpy()
    lifted = table["statement"] == "no plural noun: EW of verbs that are also nouns, with an adverb minus without"
    row = table[lifted & (table["row"] == "Simple")].iloc[0]
    assert row["value"] == pytest.approx(wins[~bare].mean() - wins[bare].mean())
    assert row["low"] <= row["value"] <= row["high"]
    means = table[table["row"] == MEAN]
    assert len(means) == 8 and set(table["verdict"]) <= {"holds", "fails", "open"}
    assert set(lifts(asked, "singular")["adverb"]) == {"often", "never"}


def test_a_verdict_depends_on_the_whole_interval():
    bounds = {(-0.01, 0.02): "holds", (0.03, 0.1): "fails", (0.0, 0.03): "open", (-1, 1): "open"}
    assert {ends: Region(-0.02, 0.02).verdict(*ends) for ends in bounds} == bounds


def test_every_cell_of_number_sensitivity_is_judged(design, monkeypatch):
    """One cell whose interval lies below the limit is enough to fail, and none may be open where it holds."""
    levels = []

    def known(values, *clusters, level, **more):
        levels.append(level)
        share, reach = odd if len(levels) == 3 else (0.99995, 5e-5)  # the third cell is the odd one
        return Interval(share, share - reach, min(1, share + reach), "", 2)

    monkeypatch.setattr("tse_book.studies.expectations.interval", known)
    asked = design_of(design[1]["factorial"], design[1]["factorial_verbs"])
    for odd, verdict in (((0.9999, 1e-4), "holds"), ((0.5, 0.01), "fails"), ((0.992, 0.01), "open")):
        levels.clear()
        rows = expectations(asked)
        whole = rows[(rows["expectation"] == "H3") & (rows["row"] == MEAN)].iloc[0]
        assert (whole["verdict"], whole["value"]) == (verdict, odd[0])
        assert len(levels) > 40 and levels == [1 - 0.05 / len(levels)] * len(levels)


def test_what_is_empty_is_one_line(design):
    contexts, verbs = design[1]["factorial"], design[1]["factorial_verbs"]
    falls = pd.DataFrame(columns=["claim", "condition", "row", "low", "high"])
    asks = {
        "the design has no contexts": lambda: design_of(contexts.head(0), verbs),
        "the design has no verbs": lambda: design_of(contexts, verbs.head(0)),
        "H5: the design has no contexts": lambda: expected_of_tokens(outcomes().assign(tokens=1).head(0)),
        "H6: the findings have no fall": lambda: expected_of_falls(falls),
        "H3: the design has no twins": lambda: expectations(design_of(contexts, verbs.assign(twins=0))),
        "no stages to compare": lambda: gap_parts({}, "single entries"),
        "there are no outcomes": lambda: stages(outcomes().head(0)),
        "no evaluation to take apart": lambda: stages_of([]),
        "no lemma has both forms": lambda: known_parts("lexical", pd.DataFrame({"lemma": []}), "all verbs"),
    }
    for message, ask in asks.items():
        with pytest.raises(InputError, match=f"^{message}"):
            ask()
    assert not has_whole_words({})


def test_the_recorded_design_is_whole_and_its_counts_agree():
    contexts, verbs = (
        recorded_details("smollm2-135m-instruct", kind).table for kind in ("factorial", "factorial_verbs")
    )
    assert contexts.groupby("also_noun").size().tolist() == [36_120, 36_120]
    assert contexts.groupby("also_noun")["lemmas"].first().tolist() == [294, 668]
    assert contexts["correct"].sum() == verbs["correct"].sum()
    assert contexts["lemmas"].sum() == verbs["contexts"].sum()
    plain = contexts.query("construction == 'Simple' and number == 'singular' and also_noun")
    ew = plain.groupby("adverb")["correct"].sum() / plain.groupby("adverb")["lemmas"].sum()
    assert ew["none"] == pytest.approx(0.697, abs=0.001) and ew["often"] == pytest.approx(0.936, abs=0.001)


@pytest.mark.parametrize(
    ("nouns", "never", "verdict"),
    [
        ((0.01, 0.09), (0.01, 0.03), "within either kind EW is below TSE."),
        ((0.05, 0.09), (-0.01, 0.03), "within the former EW is below TSE, within the latter it is open."),
        ((-0.01, 0.09), (0.01, 0.03), "within the former it is open, within the latter EW is below TSE."),
        ((-0.01, 0.09), (-0.01, 0.03), "within either kind it is open."),
        ((0.05, 0.09), (-0.2, -0.1), "within the former EW is below TSE, within the latter EW is above TSE."),
    ],
)
def test_the_verdict_holds_what_each_kind_of_verb_shows(nouns, never, verdict):
    rows = pd.DataFrame([(0.09, 0.11), nouns, never], columns=["low", "high"])
    rows = rows.assign(claim=GAP_CLAIM, condition=[DEFAULT, OF_NOUNS, NO_NOUNS], against=0.12, constructions=8)
    rows = rows.assign(value=rows[["low", "high"]].mean(axis=1))
    assert f"So {verdict}" in kind_of_verb(rows)
    assert kind_of_verb(rows[:1]).endswith("TSE minus EW is 0.10 [0.09, 0.11].")


def some_findings():
    """Two constructions of the gap, one that has a fall: default, and over verbs that are never nouns."""
    numbers = {
        (GAP_CLAIM, DEFAULT): {"all": 0.2, "Simple": 0.1, "PP": 0.3},
        (GAP_CLAIM, NO_NOUNS): {"all": 0.05, "PP": 0.05, "difference": 0.25},
        (FALL_CLAIM, DEFAULT): {"all": 0.3, "PP": 0.3},
        (FALL_CLAIM, NO_NOUNS): {"all": 0.0, "PP": 0.0, "difference": 0.3},
    }
    rows = [(*key, row, v, v - 0.1, v + 0.1) for key, part in numbers.items() for row, v in part.items()]
    return pd.DataFrame(rows, columns=["claim", "condition", "row", "value", "low", "high"])


def test_a_condition_stands_beside_the_default_over_the_same_constructions():
    table = gaps_and_falls(some_findings())
    by = table.set_index(["claim", "condition"])
    never = by.loc[(GAP_CLAIM, NO_NOUNS)]
    assert (never["against"], never["constructions"], never["without"]) == (0.3, 1, "Simple")
    assert by.loc[(FALL_CLAIM, DEFAULT), "without"] == "Simple" and by.loc[(FALL_CLAIM, DEFAULT), "certain"] == 1
    said = fall_of_ew(table)
    assert "by 0.30 [0.20, 0.40] beyond" in said and "(1 constructions in which" in said
    assert "it is 0.00 [-0.10, 0.10], a certain fall in 0 of 1." in said
    assert fall_of_ew(table[table["claim"] == GAP_CLAIM]) == ""  # of both kinds or not at all


def test_the_recorded_difference_is_that_of_the_two_numbers_shown():
    found = gap_findings("smollm2-135m-instruct", [], "newman-clean")
    gaps = found[found["row"] == "difference"].set_index(["claim", "condition"])["value"]
    shown = gaps_and_falls(found).set_index(["claim", "condition"])
    same = (shown["against"] - shown["value"]).loc[gaps.index]
    assert len(gaps) >= 6 and same.to_numpy() == pytest.approx(gaps.to_numpy(), abs=2e-6)
