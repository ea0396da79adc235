"""BLiMP: the data's facts, accuracies and their intervals, paired comparison, resuming, the published tables."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tse_core
from tse_book import published
from tse_book.baselines import train_baseline
from tse_core.datasets.loading import blimp_paradigms
from tse_core.datasets.pairs import SENTENCE_COLUMNS
from tse_core.errors import InputError
from tse_core.results.tidy import read_results
from tse_core.sentences.accuracies import accuracy, compare, mcnemar
from tse_core.sentences.evaluate import PairScores, accuracies, evaluate_blimp
from tse_core.sentences.preferences import scored_pairs
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.shares import joined, wilson

CORPUS = [
    "The key is old.",
    "The keys are old.",
    "The key to the cabinets is here.",
    "No key has ever been here.",
]


def minimal_pairs():
    """Three paradigms of two pairs in two phenomena."""
    rows = [
        ("AGREEMENT", "plural", "The keys are old.", "The keys is old."),
        ("AGREEMENT", "plural", "The keys are here.", "The keys is here."),
        ("AGREEMENT", "singular", "The key is old.", "The key are old."),
        ("AGREEMENT", "singular", "The doors is old.", "The door are old."),
        ("LICENSING", "ever", "No key has ever been here.", "The key has ever been here."),
        ("LICENSING", "ever", "No keys are here.", "No keys are here."),
    ]
    table = pd.DataFrame(rows, columns=["phenomenon", "paradigm", "good", "bad"])
    return table.assign(pair_id=["0", "1"] * 3, methods="full-sentence")


@pytest.fixture(scope="module")
def model():
    return train_baseline(CORPUS, order=3, name="three-gram")


@pytest.fixture(scope="module")
def blimp(shared, tmp_path_factory):
    """All of BLiMP, taken from the folder of reference data instead of the network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TSE_MIRROR", str(shared / "mirror"))
        patch.setenv("TSE_CACHE", str(tmp_path_factory.mktemp("cache")))
        tse_core.datasets.downloads.fetch(["blimp"])
        yield tse_core.load_sentence_pairs("blimp")


@pytest.mark.slow
def test_blimp_has_67_paradigms_of_1000_in_12_phenomena(blimp):
    assert blimp.groupby("paradigm").size().tolist() == [1000] * 67
    assert blimp["phenomenon"].nunique() == 12 and list(blimp.columns) == SENTENCE_COLUMNS
    assert set(blimp["field"]) == {"morphology", "semantics", "syntax", "syntax_semantics"}
    counts = {
        method: blimp[blimp["methods"].str.contains(method)]["paradigm"].nunique()
        for method in ("one-prefix", "two-prefix")
    }
    assert counts == {"one-prefix": 20, "two-prefix": 20}
    assert set(blimp_paradigms()["UID"]) == set(blimp["paradigm"])
    assert (blimp["good"] == blimp["bad"]).sum() == 7  # ties for every model


def test_accuracy_of_paradigms_phenomena_and_everything(model):
    run = evaluate_blimp(model, minimal_pairs())
    paradigms = run.accuracy("paradigm").set_index("paradigm")
    assert paradigms["accuracy"].to_dict() == {"plural": 1, "singular": 1, "ever": 0.5}
    assert paradigms.loc["ever", "ties"] == 1 and paradigms.loc["singular", "unknown"] == 1
    phenomena = run.accuracy("phenomenon").set_index("phenomenon")
    assert phenomena["accuracy"].to_dict() == {"AGREEMENT": 1, "LICENSING": 0.5}
    assert run.accuracy("all")["accuracy"].item() == pytest.approx(5 / 6)
    other = train_baseline(CORPUS, order=2, name="two-gram")
    runs = {each.label: evaluate_blimp(each, minimal_pairs()) for each in (model, other)}
    both = accuracies(runs, "all").set_index("model")["accuracy"]
    assert list(both.index) == ["three-gram", "two-gram"] and both["three-gram"] == pytest.approx(
        5 / 6
    )
    assert "ties:wrong" in str(run.signature) and "three-gram@" in str(run.signature)
    assert repr(run) == f"accuracy 0.833  macro mean 0.833  over 6 pairs | {run.signature}"
    assert "<td>ever</td>\n      <td>0.500</td>" in run._repr_html_()


def test_the_macro_mean_counts_each_paradigm_alike():
    """Three of four and none of two: half of all pairs, and (3/4 + 0) / 2 over paradigms."""
    rows = {"paradigm": ["a"] * 4 + ["b"] * 2, "correct": [1.0, 1, 1, 0, 0, 0]}
    scores = pd.DataFrame(rows).assign(phenomenon="P", tie=False, unknown_critical=False)
    macro, pooled = accuracy(scores, "macro").iloc[0], accuracy(scores, "all").iloc[0]
    assert (macro["accuracy"], pooled["accuracy"]) == (3 / 8, 1 / 2)
    bounds = accuracy(scores)[["accuracy", "low", "high"]]
    _, low, high = joined(*bounds.to_numpy().T)
    assert (macro["low"], macro["high"]) == pytest.approx((low, high))
    clustered = accuracy(scores.assign(distinct_pair=range(6), cluster=[1, 1, 2, 3, 2, 3]), "macro")
    assert clustered["accuracy"].item() == 3 / 8


def test_intervals_are_wilsons_and_narrow_with_more_paradigms():
    """22 of 28: 0.605 to 0.898 (Wilson 1927); the mean of four such paradigms is known twice as well."""
    one = pd.DataFrame({"phenomenon": "P", "paradigm": "a", "correct": [1.0] * 22 + [0.0] * 6})
    one = one.assign(tie=False, unknown_critical=False)
    row = accuracy(one).iloc[0]
    assert (round(row["low"], 3), round(row["high"], 3)) == (0.605, 0.898)
    four = accuracy(pd.concat([one.assign(paradigm=name) for name in "abcd"]), "phenomenon").iloc[0]
    assert four["high"] - four["accuracy"] == pytest.approx((row["high"] - row["accuracy"]) / 2)


FOUR = [
    ("The author goes.", "The author go."), ("The guard runs.", "The guard run."),
    ("The farmers go.", "The farmers goes."), ("The pilots run.", "The pilots runs."),
]  # fmt: skip


def with_outcomes(
    model, pairs: pd.DataFrame, outcomes: dict[str, float], cluster: str | None = None
) -> PairScores:
    """The scores of a model, with outcomes of one's own for each good sentence."""
    run = evaluate_blimp(model, pairs, cluster=cluster)
    return replace(run, pairs=run.pairs.assign(correct=pairs["good"].map(outcomes).to_numpy(float)))


def bounds(run: PairScores, by: str = "paradigm") -> list[float]:
    return run.accuracy(by)[["low", "high"]].iloc[0].round(3).tolist()


def test_pairs_that_repeat_each_other_are_one_item(model):
    """Three of four right: 0.301 to 0.954 (Wilson 1927), however often each of the four is there."""
    outcomes = {good: float(good != "The pilots run.") for good, _ in FOUR}
    for times in (1, 50):
        pairs = pd.DataFrame(FOUR * times, columns=["good", "bad"]).assign(note=range(4 * times))
        run = with_outcomes(model, pairs, outcomes)
        row = run.accuracy().iloc[0]
        assert bounds(run) == [0.301, 0.954] and row["accuracy"] == row["accuracy_items"] == 0.75
        assert (row["pairs"], row["items"], row["clusters"]) == (4 * times, 4, 4)
    unequal = with_outcomes(
        model, pd.DataFrame(FOUR[:1] * 3 + FOUR[1:], columns=["good", "bad"]), outcomes
    )
    row = unequal.accuracy().iloc[0]
    assert (row["accuracy"], row["accuracy_items"]) == (5 / 6, 3 / 4)
    assert bounds(unequal) == [
        round(bound, 3) for bound in wilson(5 / 6 * 3, 3)[1:]
    ]  # 6^2 / (9 + 1 + 1 + 1) trials
    other = with_outcomes(model, pairs, dict.fromkeys(outcomes, 1.0))
    difference = compare(
        other.pairs.assign(pair_id=range(200)), run.pairs.assign(pair_id=range(200)), "all"
    ).iloc[0]
    # Four pairs, of which one differs: (2 - 1) / 6 -+ 1.96 sqrt((3/6 - 1/36) / 6).
    assert difference["difference"] == 0.25 and difference["p_value"] == 1
    assert difference[["low", "high"]].tolist() == pytest.approx([-0.3831, 0.7165], abs=1e-4)


PREFIXES = ["two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"]


def test_an_item_is_what_the_method_reads(model):
    """Whole sentences tell three of four pairs apart, and prefixes the other three."""
    rows = [
        ("The keys are old.", "The key are old.", "The keys", "The key", "are"),
        ("The keys are here.", "The key are here.", "The keys", "The key", "are"),
        ("The doors are old.", "The door are old.", "The doors", "The door", "are"),
        ("The doors are old.", "The door are old.", "The doors are", "The door are", "old"),
    ]
    pairs = pd.DataFrame(rows, columns=["good", "bad", *PREFIXES])
    for method, items in (("full-sentence", [0, 1, 2, 2]), ("two-prefix", [0, 0, 1, 2])):
        run = evaluate_blimp(model, pairs, method=method)
        assert run.pairs["distinct_pair"].tolist() == items
        row = run.accuracy().iloc[0]
        trials = 16 / 6  # 4^2 / (2^2 + 1 + 1)
        expected = wilson(row["accuracy"] * trials, trials)[1:]
        assert row["items"] == 3 and [row["low"], row["high"]] == pytest.approx(expected)


@pytest.mark.slow
def test_prefix_methods_read_less_of_blimp_than_there_are_pairs(blimp, model):
    pairs = blimp[blimp["paradigm"] == "irregular_plural_subject_verb_agreement_2"]
    assert evaluate_blimp(model, pairs).accuracy()["items"].item() == 1000
    by_prefixes = evaluate_blimp(model, pairs, method="two-prefix")
    assert by_prefixes.accuracy()["items"].item() == 573


@pytest.mark.slow
def test_pairs_are_clustered_by_a_column_of_the_users(model):
    """What a cluster's name says is sampled, by the intervals of agreement; the scores and their store stay."""
    rows = [
        (f"The {noun} {verb}s.", f"The {noun} {verb}.", noun)
        for noun in "abcdef"
        for verb in ("go", "run", "cut")
    ]
    pairs = pd.DataFrame(rows, columns=["good", "bad", "item"])
    outcomes = {
        good: float(good[4] not in "ab" or good.endswith("cuts.")) for good in pairs["good"]
    }
    plain, clustered = (
        with_outcomes(model, pairs, outcomes, cluster) for cluster in (None, "item")
    )
    expected = interval([outcomes[good] for good in pairs["good"]], pairs["item"])
    assert bounds(clustered) == [round(expected.low, 3), round(expected.high, 3)]
    assert bounds(clustered)[0] < bounds(plain)[0] and clustered.accuracy()["clusters"].item() == 6
    assert clustered.signature.identity == plain.signature.identity
    assert (
        clustered.signature.identity
        == evaluate_blimp(model, pairs.drop(columns="item")).signature.identity
    )
    assert clustered.signature.policy["cluster"].startswith("item@")
    assert clustered.signature.policy.items() - plain.signature.policy.items() == {
        ("cluster", clustered.signature.policy["cluster"])
    }
    both = pd.concat([pairs.assign(paradigm=name) for name in ("one", "two")], ignore_index=True)
    shared = with_outcomes(model, both, outcomes, "item")
    assert bounds(shared, "all") == bounds(clustered)  # the same six nouns
    apart = with_outcomes(
        model, both.assign(item=both["paradigm"] + both["item"]), outcomes, "item"
    )
    assert bounds(apart, "all")[0] > bounds(clustered)[0]
    single = with_outcomes(model, pairs.assign(item=range(18)), outcomes, "item")
    assert bounds(single) == bounds(plain)
    with pytest.raises(
        InputError, match="unknown column to cluster by 'itemm' .did you mean 'item'"
    ):
        evaluate_blimp(model, pairs, cluster="itemm")
    with pytest.raises(
        InputError, match="1 of 18 pairs have nothing in the column 'item', .* first pair 2"
    ):
        evaluate_blimp(
            model, pairs.assign(item=pairs["item"].mask(pairs.index == 1)), cluster="item"
        )


def test_clusters_stay_with_their_pairs_whatever_the_order_of_the_paradigms(model, tmp_path):
    pairs = minimal_pairs().iloc[[0, 2, 4, 1, 3, 5]].assign(item=["a", "b", "c", "d", "e", "f"])
    first = evaluate_blimp(model, pairs, cluster="item", store=tmp_path).pairs
    assert first["cluster"].tolist() == ["a", "d", "b", "e", "c", "f"]
    files = set(tmp_path.rglob("*.parquet"))
    again = evaluate_blimp(model, pairs.drop(columns="item"), store=tmp_path)
    assert (
        "cluster" not in again.pairs and len(set(tmp_path.rglob("*.parquet")) - files) == 1
    )  # its numbers alone


def test_mcnemar_is_the_sign_test_on_the_pairs_that_differ():
    assert mcnemar(1, 9) == pytest.approx(2 * (1 + 10) / 2**10)
    assert mcnemar(5, 5) == 1 and mcnemar(0, 0) == 1
    exact = sum(math.comb(3000, k) for k in range(1400)) / 2**2999
    assert mcnemar(1399, 1601) == pytest.approx(exact, rel=1e-6)


def test_comparison_counts_the_pairs_that_one_model_alone_gets_right(model):
    run = evaluate_blimp(model, minimal_pairs()).pairs
    other = run.assign(correct=[0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    row = compare(run, other, "all").iloc[0]
    assert (row["only_first"], row["only_second"]) == (3, 0)
    assert (
        row["difference"] == pytest.approx(0.5)
        and row["p_value"] == 0.25
        and row["low"] < 0.5 < row["high"]
    )
    by_phenomenon = compare(run, other, "phenomenon").set_index("phenomenon")
    assert by_phenomenon["only_first"].to_dict() == {"AGREEMENT": 3, "LICENSING": 0}
    with pytest.raises(InputError, match="different pairs"):
        compare(run, other.head(3))
    with pytest.raises(InputError, match="is there twice"):
        compare(run.assign(pair_id="1"), run.assign(pair_id="1"))


def outcomes_of(
    correct: list[float], items: list[int], clusters: list[int] | None = None
) -> pd.DataFrame:
    """The scores of one paradigm's pairs, of which some are the same item."""
    scores = pd.DataFrame({"phenomenon": "P", "paradigm": "a", "correct": correct})
    scores = scores.assign(pair_id=range(len(items)), distinct_pair=items)
    if clusters is None:
        return scores
    return scores.assign(cluster=clusters)


FORTY = list(range(40))
RIGHT, FIVE_WRONG = [1.0] * 40, [0.0] * 5 + [1.0] * 35


def test_mcnemars_test_counts_items_where_rows_repeat_each_other():
    """Five of five: 2 / 2^5. The interval is (a - b) -+ 1.96 sqrt((a + b - (a - b)^2) / (n + 2))."""
    for times in (1, 2, 50):  # a = 6/42, b = 1/42
        items = FORTY * times
        first = outcomes_of(RIGHT * times, items)
        row = compare(first, outcomes_of(FIVE_WRONG * times, items)).iloc[0]
        assert row["p_value"] == row["p_corrected"] == 0.0625 and row["only_first"] == 5 * times
        assert row[["low", "high"]].tolist() == pytest.approx([0.00095, 0.23715], abs=1e-5)
    # One is there twice: 41^2 / 43 = 39.093 trials, a = 5.76744 / 41.093, b = 1 / 41.093.
    items = [*FORTY, 39]
    first, second = outcomes_of([*RIGHT, 1], items), outcomes_of([*FIVE_WRONG, 1], items)
    row = compare(first, second).iloc[0]
    assert row["p_value"] == 0.0625 and row["difference"] == pytest.approx(5 / 41)
    assert row[["low", "high"]].tolist() == pytest.approx([-0.00288, 0.23491], abs=1e-5)


def test_clusters_give_no_smaller_p_value_than_items():
    pairs = [*range(39), 38]  # the last two are one cluster
    first, second = outcomes_of(RIGHT, FORTY, pairs), outcomes_of(FIVE_WRONG, FORTY)
    row = compare(first, second).iloc[0]
    expected = interval([1.0] * 5 + [0.0] * 35, pairs, bounds=(-1.0, 1.0))
    assert [row["low"], row["high"]] == [expected.low, expected.high]
    assert expected.p_value() < row["p_value"] == 0.0625
    single = compare(outcomes_of(RIGHT, FORTY, FORTY), second)
    pd.testing.assert_frame_equal(single, compare(outcomes_of(RIGHT, FORTY), second))
    halves = [0, 1, 2] * 2 + [3] * 34  # the five are of three clusters
    first = outcomes_of(RIGHT, FORTY, halves)
    expected = interval([1.0] * 5 + [0.0] * 35, halves, bounds=(-1.0, 1.0))
    assert compare(first, second)["p_value"].item() == expected.p_value() > 0.0625


def test_two_methods_are_compared_by_the_items_of_the_one_that_has_fewer():
    """Of three items one is right throughout and two by one method alone: 2 / 2^2."""
    sentences = outcomes_of([1.0] * 6, list(range(6)))
    prefixes = outcomes_of([0.0] * 4 + [1.0] * 2, [0, 0, 1, 1, 2, 2])
    rows = [compare(sentences, prefixes), compare(prefixes, sentences)]
    assert [row["p_value"].item() for row in rows] == [0.5, 0.5]


def test_where_both_models_judge_no_pair_there_is_nothing_to_compare():
    second = outcomes_of(FIVE_WRONG, FORTY)
    nothing = second.assign(correct=np.nan)
    for by in ("paradigm", "phenomenon", "all"):
        row = compare(nothing, second, by).iloc[0]
        assert row["pairs"] == 0
        assert row[["first", "difference", "low", "p_value", "p_corrected"]].isna().all()
    # The correction is for the paradigms that are compared.
    first = pd.concat([outcomes_of(RIGHT, FORTY), nothing.assign(paradigm="b")])
    second = pd.concat([second, second.assign(paradigm="b")])
    table = compare(first, second).set_index("paradigm")
    assert table.loc["a", "p_corrected"] == 0.0625 and table.loc["b", "pairs"] == 0


def test_nothing_scored_is_lost_when_a_paradigm_cannot_be_scored(model, tmp_path, monkeypatch):
    asked = []

    def score(model, group, *method, **how):
        asked.append(group["paradigm"].iloc[0])
        if asked == ["plural", "singular", "ever"]:
            raise InputError("three-gram gives NaN as a logit")
        return scored_pairs(model, group, *method, **how)

    monkeypatch.setattr("tse_core.sentences.evaluate.scored_pairs", score)
    with pytest.raises(InputError, match="paradigm ever: three-gram gives NaN"):
        evaluate_blimp(model, minimal_pairs(), store=tmp_path)
    evaluate_blimp(model, minimal_pairs(), store=tmp_path)
    again = evaluate_blimp(model, minimal_pairs(), store=tmp_path)
    assert asked == ["plural", "singular", "ever", "ever"]
    pd.testing.assert_frame_equal(
        again.pairs, evaluate_blimp(model, minimal_pairs(), store=None).pairs
    )


@pytest.mark.slow
def test_the_command_scores_shows_and_writes(model, tmp_path, tse, monkeypatch):
    monkeypatch.setattr("tse_core.models.loading.load_model", lambda name, **_: model)
    names = {
        "good": "sentence_good",
        "bad": "sentence_bad",
        "paradigm": "UID",
        "phenomenon": "linguistics_term",
    }
    records = minimal_pairs().drop(columns="methods").rename(columns=names).to_dict("records")
    lines = [
        json.dumps({key: value for key, value in record.items() if value}) for record in records
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines))
    asked = "blimp", "three-gram", "--data", tmp_path / "pairs.jsonl"
    code, output, errors = tse(*asked, "--items", tmp_path / "scores.parquet")
    assert code == 0 and "LICENSING" in output and "ties:wrong" in output
    assert "critical word that the model does not know" in errors
    written = pd.read_parquet(tmp_path / "scores.parquet")
    assert written["correct"].tolist() == [1, 1, 1, 1, 1, 0] and {
        "logp_good",
        "length_bad",
        "margin",
    } <= set(written)
    tse(*asked, "--out", tmp_path / "table.csv")
    assert read_results(tmp_path / "table.csv")["score"].iloc[0] == pytest.approx(5 / 6)
    code, output, _ = tse(*asked, "--by", "paradigm")
    assert code == 0 and "all pairs\t0.833 [" in output


@pytest.mark.slow
def test_the_command_takes_columns_by_other_names_and_a_cluster(model, tmp_path, tse, monkeypatch):
    monkeypatch.setattr("tse_core.models.loading.load_model", lambda name, **_: model)
    table = pd.DataFrame(FOUR * 2, columns=["sen", "wrong, sen"]).assign(item=[1, 2, 3, 4] * 2)
    table.to_csv(tmp_path / "mine.csv", index=False)
    asked = "blimp", "three-gram", "--data", tmp_path / "mine.csv"
    code, _, errors = tse(*asked)
    assert code == 2 and "--columns good=NAME,bad=NAME" in errors
    for columns in (["good=sen,bad=wrong, sen"], ["good=sen", "bad=wrong, sen"]):
        options = [text for each in columns for text in ("--columns", each)]
        code, output, _ = tse(*asked, *options, "--cluster", "item")
        lines = [line.split("\t") for line in output.splitlines()]
        assert code == 0 and lines[0][2:6] == ["pairs", "clusters", "items", "accuracy of items"]
        assert lines[1][2:5] == ["8", "4", "4"]
    for columns, message in (
        ("sen", "--columns is 'sen'; it reads USE=NAME"),
        ("good=sen,good=sen", "--columns says twice which column holds 'good'"),
        ("good=sne,bad=sen", "unknown column of .*mine.csv 'sne' .did you mean 'sen'"),
    ):
        code, _, errors = tse(*asked, "--columns", columns)
        assert code == 2 and re.search(message, errors)


@pytest.mark.parametrize("source", ["corrected", "recomputed"])
def test_table_3_follows_from_the_data_repositorys_paradigms(source):
    """A phenomenon is the mean over its paradigms, the overall score that over all 67 (of 1,000 pairs each)."""
    paradigms, phenomena = published.blimp_table4(), published.blimp_table3()
    paradigms = paradigms[paradigms["source"] == "recomputed"]
    means = paradigms.groupby(["model", "phenomenon"])["accuracy"].mean()
    overall = paradigms.groupby("model")["accuracy"].mean()
    for row in phenomena[phenomena["source"] == source].itertuples():
        expected = (
            overall[row.model] if row.phenomenon == "Overall" else means[row.model, row.phenomenon]
        )
        assert row.accuracy == pytest.approx(expected, abs=0.0007)
