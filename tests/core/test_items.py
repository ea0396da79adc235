"""Rows for mixed models, and two models compared from the command: what the files hold."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tse_core
from tse_core.sentences.accuracies import compare
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.uncertainty.intervals import interval

GUIDE = Path(__file__).parents[2] / "book" / "quickstart.md"
MODELS = ("lab-systematic-causal", "lab-lexical-causal")
AGREEMENT = pd.DataFrame(
    {
        "good": ["The author laughs.", "The guards laugh.", "The pilot ignites."],
        "bad": ["The author laugh.", "The guards laughs.", "The pilot ignite."],
        "number": ["singular", "plural", "singular"],
        "subject": ["author", "guards", "pilot"],
        "noun": ["author", "guard", "pilot"],
        "speaker": ["a", "b", "c"],
    }
)


def sentence_pairs() -> pd.DataFrame:
    """Sixteen of the laboratory's reflexives and sixteen verbs, in an order of their own."""
    parts = []
    for name in ("anaphor_number_agreement", "agreement_across_object_relative"):
        parts.append(tse_core.load_sentence_pairs(f"laboratory/{name}").head(16))
    pairs = pd.concat(parts).sample(frac=1, random_state=0).reset_index(drop=True)
    return pairs.assign(speaker=[str(number % 7) for number in range(len(pairs))], margin="mine")


@pytest.mark.slow
def test_agreement_has_a_row_for_each_pair(tse, tmp_path):
    AGREEMENT.to_csv(tmp_path / "pairs.csv", index=False)
    data = ["--data", tmp_path / "pairs.csv", "--data", "marvin-linzen/simple"]
    code, out, _ = tse("evaluate", *MODELS, *data, "--items", tmp_path / "items.parquet")
    items = pd.read_parquet(tmp_path / "items.parquet")
    assert code == 0 and "items.parquet" in out and len(items) == 2 * (3 + 140)
    assert set(items["model"]) == set(MODELS) and set(items["data"]) == {
        "pairs",
        "marvin-linzen/simple",
    }
    margins = items["log_probability_correct"] - items["log_probability_wrong"]
    assert items["margin"].tolist() == margins.tolist()
    scored = items.dropna(subset="tse")
    assert scored["tse"].tolist() == (scored["margin"] > 0).tolist()
    own = items[(items["data"] == "pairs") & (items["model"] == MODELS[1])]
    assert own["speaker"].tolist() == ["a", "b", "c"]
    assert own[["noun", "lemma", "correct", "number"]].values.tolist() == [
        ["author", "laugh", "laughs", "singular"],
        ["guard", "laugh", "laugh", "plural"],
        ["pilot", "ignite", "ignites", "singular"],
    ]
    means = items.groupby(["model", "data"])["tse"].mean()
    table = tse_core.evaluate(MODELS[0], "marvin-linzen/simple").table()
    assert means[MODELS[0], "marvin-linzen/simple"] == table["TSE"].item()


def test_sentence_pairs_keep_their_sentences_and_own_columns():
    pairs = sentence_pairs()
    run = evaluate_blimp(MODELS[1], pairs)
    items = run.item_table()
    assert items.columns[:9].tolist() == [
        "model", "data", "phenomenon", "paradigm", "pair_id", "good", "bad", "correct", "margin",
    ]  # fmt: skip
    by_pair = items.set_index(["paradigm", "pair_id"])
    for row in pairs.itertuples():
        item = by_pair.loc[(row.paradigm, row.pair_id)]
        assert (item["good"], item["speaker"], item["data_margin"]) == (
            row.good,
            row.speaker,
            "mine",
        )
    np.testing.assert_array_equal(items["margin"], items["logp_good"] - items["logp_bad"])
    assert items["correct"].mean() == run.accuracy("all")["accuracy"].item()


@pytest.mark.slow
def test_two_models_are_tested_on_the_same_pairs(tse, tmp_path):
    pairs = sentence_pairs().drop(columns="margin")
    pairs.to_csv(tmp_path / "pairs.csv", index=False)
    command = ["blimp", MODELS[0], "--against", MODELS[1], "--data", tmp_path / "pairs.csv"]
    files = ["--out", tmp_path / "scores.csv", "--items", tmp_path / "items.csv"]
    for more in ([], ["--cluster", "speaker"]):
        cluster = more[1] if more else None
        code, out, _ = tse(*command, *files, *more)
        runs = [evaluate_blimp(model, pairs, cluster=cluster).pairs for model in MODELS]
        expected = pd.concat([compare(*runs, "phenomenon"), compare(*runs, "all")])
        written = pd.read_csv(tmp_path / "scores-differences.csv")
        assert code == 0 and written["model_second"].tolist() == [MODELS[1]] * len(written)
        columns = [
            "pairs",
            "first",
            "second",
            "difference",
            "low",
            "high",
            "p_value",
            "p_corrected",
        ]
        np.testing.assert_allclose(written[columns], expected[columns])
        assert written["signature_first"].iloc[0] in out
        for p_value in expected["p_corrected"]:
            assert f"\t{p_value:.2g}\n" in out
    # With clusters the interval is that of the differences over speakers.
    both = runs[0]["correct"] - runs[1]["correct"]
    clustered = interval(both, runs[0]["cluster"].to_numpy(), bounds=(-1.0, 1.0))
    assert written[["low", "high"]].iloc[-1].tolist() == pytest.approx(
        [clustered.low, clustered.high], nan_ok=True
    )
    items = pd.read_csv(tmp_path / "items.csv")
    assert len(items) == 2 * len(pairs) and set(items["speaker"]) == set(range(7))
    assert set(pd.read_csv(tmp_path / "scores.csv")["model"]) == set(MODELS)


def test_what_cannot_be_tested_is_refused_before_it_is_scored(tse, tmp_path):
    command = ["blimp", MODELS[0], "--data", "laboratory/anaphor_number_agreement"]
    code, _, errors = tse(*command, "--against", MODELS[1], "--ties", "half")
    assert code == 2 and "--ties" in errors
    code, _, errors = tse(*command, "--against", MODELS[0])
    assert code == 2 and "both models are called" in errors


@pytest.mark.slow
def test_evaluate_writes_the_differences_that_it_prints(tse, tmp_path):
    AGREEMENT.to_csv(tmp_path / "pairs.csv", index=False)
    data = [tmp_path / "pairs.csv", "marvin-linzen/simple"]
    options = ["--against", MODELS[1], "--out", tmp_path / "scores.parquet"]
    code, out, _ = tse("evaluate", MODELS[0], "--data", data[0], "--data", data[1], *options)
    table = pd.read_parquet(tmp_path / "scores-differences.parquet")
    expected = tse_core.evaluate_models(MODELS, data, shared=True).compare_models(*MODELS)
    pd.testing.assert_frame_equal(table[list(expected)], expected)
    for row in table.itertuples():
        line = f"{row.data}\t{row.construction}\t{row.metric}\t{row.difference:+.3f}"
        assert line in out and f"{row.p_corrected:.2g}\n" in out
        assert f" {row.data}@" in row.signature_first
    assert code == 0 and "corrected p" in out


@pytest.mark.slow
def test_the_guide_says_why_the_difference_in_ew_has_no_interval():
    page = GUIDE.read_text()
    data = "marvin-linzen/vp-coordination"
    assert f"--data {data}" in page and "all ten subject nouns" in page
    runs = tse_core.evaluate_models(MODELS, data, shared=True)
    differences = runs.compare_models(*MODELS).set_index("metric")
    assert differences.loc["EW", ["low", "high"]].isna().all()
    low, high = differences.loc["MW", ["low", "high"]]
    assert f"({low:.3f} to {high:.3f})".replace("-", "−") in page
    for model in MODELS:
        contexts = tse_core.evaluate(model, data).contexts
        means = contexts.groupby("noun")[["ew", "mw"]].mean()
        assert len(means) == 10
        assert means["ew"].max() - means["ew"].min() < 1e-9 < means["mw"].std()


@pytest.mark.slow
def test_the_guide_fits_a_mixed_model_to_items(tse, tmp_path, monkeypatch):
    """Run where statsmodels is there, of which nothing else here has need."""
    pytest.importorskip("statsmodels")
    text = GUIDE.read_text()
    (code,) = [
        block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "mixedlm" in block
    ]
    monkeypatch.chdir(tmp_path)
    data = ["--data", "marvin-linzen/vp-coordination"]
    assert tse("evaluate", *MODELS, *data, "--items", "items.csv")[0] == 0
    names: dict = {}
    exec(code, names)  # noqa: S102
    items = pd.read_csv("items.csv")
    means = items.groupby(["model", "number"])["margin"].mean()
    fitted = names["fit"].fe_params
    # The design is balanced but for its nouns, whose variance is about 0.
    assert fitted["Intercept"] == pytest.approx(means[MODELS[1], "plural"], abs=0.05)
