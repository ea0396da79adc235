"""Evaluation: the released code's results, invariances, the store, the mistakes."""

import json
import string
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from tiny import save_model
from tse_book.studies.some_lemmas import scores_over
from tse_core import InputError, evaluate, load_model, load_pairs, slot_distribution
from tse_core.agreement.comparison import compare_metrics
from tse_core.agreement.shards import _forms
from tse_core.datasets.pair_files import read_pairs
from tse_core.metrics.scores import PAPER_CUTOFFS, cutoff_scores
from tse_core.metrics.table import columns_at_cutoffs

RELEASED = "mirror/bnewm0609/refining-tse/db423f80246ba2d7c2fc602fc514943949cfaf71/data"
STAND_INS = json.loads((Path(__file__).parents[1] / "golden" / "end_to_end_stand_ins.json").read_text())


@pytest.fixture(scope="module")
def simple():
    return load_pairs("marvin-linzen/simple")


@pytest.fixture
def released(case, reference_data, tmp_path):
    """What the released code says of a case, and its pairs: the reference ones, else those of the stand-ins."""
    if reference_data is None:
        expected = STAND_INS["cases"][case]
        return expected, load_pairs(expected["pairs"]).iloc[:: expected["every"]]
    expected = json.loads((reference_data / "reference" / "end_to_end" / f"{case}.json").read_text())
    folder = "blimp" if "distractor" in case else "ML"
    lines = (reference_data / RELEASED / folder / f"{expected['template']}.jsonl").read_text().splitlines(keepends=True)
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(lines[: expected["max_examples"] or None]))
    return expected, read_pairs(file)


@pytest.mark.parametrize(
    "case",
    [
        "random-bert-cased-distractor_agreement_relational_noun",
        pytest.param("random-bert-cased-long_vp_coord_all", marks=pytest.mark.slow),
        "random-bert-cased-simple_agrmt_all",
        "random-gpt2-distractor_agreement_relational_noun",
        pytest.param("random-gpt2-long_vp_coord_all", marks=pytest.mark.slow),
        "random-gpt2-simple_agrmt_all",
        "random-roberta-simple_agrmt_all",
    ],
)
def test_the_released_protocol_reproduces_the_released_code(small_models, released):
    expected, pairs = released
    result = evaluate(small_models / expected["model"], pairs, "newman-released", protocol="released")
    assert len(result.contexts) == expected["ew"]["contexts"]
    assert len(result.lemmas) == expected["ew"]["lemmas"]
    assert result.pairs["tse"].count() == expected["tse"]["n"]
    assert result.pairs["tse"].mean() == pytest.approx(expected["tse"]["score"], abs=1e-12)
    curves = result.curves().set_index(["metric", "side"])
    for metric in ("EW", "MW"):
        for side in ("top", "bottom"):
            ours, theirs = curves.loc[(metric, side)], expected[metric.lower()]
            scores = np.array(theirs[side], dtype=float)
            np.testing.assert_allclose(ours["score"], scores, atol=5e-4)
            np.testing.assert_allclose(ours["coverage"], theirs[f"mass_{side}"], atol=5e-4)
            np.testing.assert_allclose(ours["invalid"], theirs[f"invalid_{side}"], atol=5e-4)


def test_the_signature_says_whether_a_first_letter_is_large_and_a_period_ends_the_sentences(tiny_causal):
    plain = load_pairs("marvin-linzen/simple", capital=False, period=False)
    for pairs, said in ((load_pairs("marvin-linzen/simple"), ("first", "add")), (plain, ("as-is", "as-is"))):
        policy = evaluate(tiny_causal, pairs).signature.policy
        assert (policy["caps"], policy["period"]) == said


@pytest.mark.parametrize("kind", ["tiny_causal", "tiny_masked"])
def test_scores_equal_the_metrics_of_each_slot(kind, simple, request):
    """Every context by hand: its slot's distribution, then the metrics on that one row."""
    model = load_model(request.getfixturevalue(kind))
    result = evaluate(model, simple)
    ids = np.array([model.word_ids([r.singular, r.plural]) for r in result.lemmas.itertuples()])
    for context in result.contexts.iloc[::7].itertuples():
        distribution = slot_distribution(model, context.left, context.right).sort_values("id")
        row = np.log(distribution["probability"].to_numpy())[None]
        scores = cutoff_scores(row, ids, [int(context.number == "plural")])
        assert context.ew == pytest.approx(scores.ew_top[0, -1], abs=1e-6)
        assert context.mw == pytest.approx(scores.mw_top[0, -1], abs=1e-5)


def test_the_exact_protocol_counts_every_lemma_at_100_percent(tiny_causal, simple):
    result = evaluate(tiny_causal, simple, keep="lemmas")
    counted = result.by_lemma.groupby("construction")[["correct", "contexts"]].sum().iloc[0]
    assert result.table()["EW"][0] == pytest.approx(counted["correct"] / counted["contexts"])


def test_kept_forms_give_back_the_scores(tiny_masked, simple):
    result = evaluate(tiny_masked, simple, keep="forms")
    forms = result.forms.merge(result.contexts[["number", "mw"]], left_on="context", right_index=True)
    plural = forms["number"] == "plural"
    p = np.exp(forms[["log_probability_singular", "log_probability_plural"]]).to_numpy()
    correct = np.where(plural, p[:, 1], p[:, 0])
    sums = pd.DataFrame({"context": forms["context"], "correct": correct, "all": p.sum(1)}).groupby("context").sum()
    np.testing.assert_allclose(sums["correct"] / sums["all"], result.contexts["mw"], atol=1e-6)
    assert forms[["mass_above_singular", "mass_above_plural"]].min().min() >= 0


def test_a_run_that_kept_more_serves_one_that_asks_for_less(tiny_causal, simple, tmp_path, monkeypatch):
    alone = {keep: evaluate(tiny_causal, simple, keep=keep) for keep in ("contexts", "lemmas", "forms")}
    for keep in ("contexts", "lemmas", "forms"):  # each has a table more than the one before: nothing serves it
        pd.testing.assert_frame_equal(
            evaluate(tiny_causal, simple, keep=keep, store=tmp_path).contexts, alone[keep].contexts
        )
    monkeypatch.setattr("tse_core.agreement.shards.score_shard", lambda *a: pytest.fail("computed again"))
    for keep, expected in alone.items():
        found = evaluate(tiny_causal, simple, keep=keep, store=tmp_path)
        pd.testing.assert_frame_equal(found.pairs, expected.pairs)
        pd.testing.assert_frame_equal(found.contexts, expected.contexts)
        for table in ("by_lemma", "forms"):
            before, after = getattr(expected, table), getattr(found, table)
            assert after is None if before is None else after.equals(before)


def test_tidy_results_carry_every_number_and_the_signature(tiny_causal, simple):
    result = evaluate(tiny_causal, simple)
    tidy = result.tidy()
    assert len(tidy) == 1 + 2 * (len(PAPER_CUTOFFS.top) + len(PAPER_CUTOFFS.bottom))
    assert set(tidy["signature"]) == {str(result.signature)}
    whole = tidy[(tidy["metric"] == "EW") & (tidy["cutoff"] == 1.0) & (tidy["side"] == "top")].iloc[0]
    assert whole["score"] == result.table()["EW"][0]
    assert whole["low"] <= whole["score"] <= whole["high"]


def test_a_distribution_sums_to_one(tiny_masked):
    shown = slot_distribution(tiny_masked, "The author", ".")
    assert shown["probability"].sum() == pytest.approx(1, abs=1e-5)
    assert shown["probability"].is_monotonic_decreasing


def test_a_tokenizer_without_any_lemma_is_said_plainly(reference_data, simple, tmp_path):
    models = [save_model(tmp_path / "letters", "causal", entries=string.ascii_letters)]
    models += [reference_data / "models" / "stories260K"] if reference_data is not None else []
    for model in models:
        with pytest.raises(InputError, match="holds no lemma of newman-clean \\(1945 lemmas\\)"):
            evaluate(model, simple)


def test_pairs_whose_verbs_are_all_outside_the_vocabulary_have_no_tse_but_all_other_scores(
    tiny_causal, simple, tmp_path
):
    strange = simple.assign(correct="xyzzies", wrong="xyzzy")
    found, usual = evaluate(tiny_causal, strange, store=tmp_path), evaluate(tiny_causal, simple)
    assert found.pairs["tse"].isna().all() and found.table(intervals=True)["TSE"].isna().all()
    columns = ["EW", "MW", "EW_low", "MW_high"]
    for intervals in (found, usual):
        assert intervals.table(intervals=True)[columns].notna().all(axis=None)
    assert found.tidy().set_index("metric").loc["TSE", ["score", "low", "high"]].isna().all()
    again = evaluate(tiny_causal, strange, store=tmp_path).tidy()
    pd.testing.assert_frame_equal(again, found.tidy())


def test_a_stored_shard_serves_a_run_in_which_its_contexts_have_other_numbers(tiny_causal, simple, tmp_path):
    coordination = load_pairs("marvin-linzen/vp-coordination")
    both = pd.concat([coordination, simple])
    evaluate(tiny_causal, simple, store=tmp_path, keep="forms")
    resumed = evaluate(tiny_causal, both, store=tmp_path, keep="forms")
    plain = evaluate(tiny_causal, both, keep="forms")
    for table in ("contexts", "pairs", "forms", "by_lemma"):
        pd.testing.assert_frame_equal(getattr(resumed, table), getattr(plain, table), atol=1e-6)


def test_an_interval_samples_what_the_claim_is_about(tiny_causal, simple):
    found = evaluate(tiny_causal, simple, keep="lemmas")
    own, other = (
        found.intervals(over).set_index(["construction", "metric"]) for over in (["subjects"], ["subjects", "verbs"])
    )
    table = found.table().set_index("construction")
    for metric, verbs in (("TSE", simple["lemma"].nunique()), ("EW", len(found.lemmas)), ("MW", len(found.lemmas))):
        narrow, wide = own.loc["Simple", metric], other.loc["Simple", metric]
        assert wide["score"] == pytest.approx(narrow["score"]) == pytest.approx(table.loc["Simple", metric])
        assert wide["clusters"] == min(simple["noun"].nunique(), verbs)
        assert wide["high"] - wide["low"] >= narrow["high"] - narrow["low"]
    with pytest.raises(InputError, match="without its lemmas"):
        evaluate(tiny_causal, simple).intervals(["subjects", "verbs"])
    with pytest.raises(InputError, match="way of sampling"):
        found.intervals(["nouns"])


def test_pairs_of_an_unknown_subject_are_clustered_by_the_noun_that_their_context_begins_with(tiny_causal, simple):
    unknown = simple.assign(noun="", subject="")
    found = evaluate(tiny_causal, unknown, keep="lemmas")
    bounds = found.intervals().set_index("metric")
    named = evaluate(tiny_causal, simple, keep="lemmas")
    assert (bounds["clusters"] == simple["noun"].nunique()).all()
    for over in (["subjects"], ["subjects", "verbs"]):
        pd.testing.assert_frame_equal(found.intervals(over), named.intervals(over))
    every = scores_over(found, found.lemmas["lemma"])
    assert len(every) == len(found.contexts)
    assert sorted(every["ew"]) == pytest.approx(sorted(scores_over(named, named.lemmas["lemma"])["ew"]))


def test_two_metrics_of_one_evaluation_differ_by_pairs_of_the_same_clusters(tiny_causal, simple):
    both = pd.concat([simple, load_pairs("marvin-linzen/vp-coordination")])
    found = evaluate(tiny_causal, both, keep="lemmas")
    means = found.table().set_index("construction")
    for over in (["subjects"], ["subjects", "verbs"]):
        gap = compare_metrics(found, "TSE", "EW", over=over).set_index("construction")
        assert gap.loc[means.index, "difference"].tolist() == pytest.approx((means["TSE"] - means["EW"]).tolist())
        mean = gap.loc["mean of the rows"]
        assert mean["difference"] == pytest.approx((means["TSE"] - means["EW"]).mean())
        assert (gap["p_holm"] >= gap["p_value"]).all() and (gap["low"] <= gap["difference"]).all()
    same = compare_metrics(found, "EW", "EW").iloc[0]
    assert (same["difference"], same["p_value"]) == (0, 1)
    fewer = replace(found, pairs=found.pairs[found.pairs["construction"] == "Simple"])
    for metrics in (("TSE", "EW"), ("EW", "TSE")):
        assert compare_metrics(fewer, *metrics)["construction"].tolist() == ["Simple"]


def test_forms_of_very_long_verb_lists_keep_their_lemmas():
    lemmas = 40_000
    log_probabilities = torch.zeros(1, 4).log_softmax(-1)
    table = _forms(np.array([0]), log_probabilities, log_probabilities, np.tile([[0, 1]], (lemmas, 1)))
    assert table["lemma"].tolist() == list(range(lemmas))


def test_the_scores_of_contexts_stand_in_the_order_of_the_table_of_metrics(tiny_causal, simple):
    found = evaluate(tiny_causal, simple)
    at_cutoffs = [name.rsplit("_", 1)[0] for name in found.contexts if "_top_" in name or "_bottom_" in name]
    expected = [f"{column}_{side}" for side in ("top", "bottom") for column in columns_at_cutoffs()]
    assert list(dict.fromkeys(at_cutoffs)) == expected
