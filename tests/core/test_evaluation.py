"""Evaluation: the released code's results, invariances, the store, the mistakes."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from tse_core import InputError, evaluate, load_model, load_pairs, slot_distribution
from tse_core.agreement import pieces as pipeline
from tse_core.agreement.comparison import compare_metrics
from tse_core.metrics.scores import cutoff_scores

RELEASED = "mirror/bnewm0609/refining-tse/db423f80246ba2d7c2fc602fc514943949cfaf71/data"
STAND_INS = json.loads(
    (Path(__file__).parents[1] / "golden" / "end_to_end_stand_ins.json").read_text()
)


@pytest.fixture
def released(case, reference_data, tmp_path):
    """What the released code says of a case, and its pairs, for the stand-ins and for the reference models."""
    if reference_data is None:
        expected = STAND_INS["cases"][case]
        return expected, load_pairs(expected["pairs"]).iloc[:: expected["every"]]
    expected = json.loads(
        (reference_data / "reference" / "end_to_end" / f"{case}.json").read_text()
    )
    folder = "blimp" if "distractor" in case else "ML"
    lines = (
        (reference_data / RELEASED / folder / f"{expected['template']}.jsonl")
        .read_text()
        .splitlines(keepends=True)
    )
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(lines[: expected["max_examples"] or None]))
    return expected, load_pairs(file, first="capital", period="add")  # as the released code does


QUICK = ["random-gpt2-simple_agrmt_all"]
QUICK += [f"random-{name}-distractor_agreement_relational_noun" for name in ("bert-cased", "gpt2")]
SLOW = [f"random-{name}-simple_agrmt_all" for name in ("bert-cased", "roberta")]
SLOW += [f"random-{name}-long_vp_coord_all" for name in ("bert-cased", "gpt2")]


@pytest.mark.parametrize(
    "case", [*QUICK, *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW)]
)
def test_the_released_protocol_reproduces_the_released_code(small_models, released):
    expected, pairs = released
    result = evaluate(
        small_models / expected["model"], pairs, "newman-released", protocol="released"
    )
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


def test_forms_give_back_the_scores_and_margins_are_means_of_log_odds(tiny_masked, simple):
    result = evaluate(tiny_masked, simple, detail="forms")
    plural = (result.contexts["number"] == "plural").to_numpy()[:, None]
    singular, other = (np.exp(result.log_probabilities(form)) for form in ("singular", "plural"))
    correct = np.where(plural, other, singular)
    odds = np.where(plural, -result.log_odds, result.log_odds)
    np.testing.assert_allclose(
        correct.sum(1) / (singular + other).sum(1), result.contexts["mw"], atol=1e-6
    )
    np.testing.assert_allclose((odds > 0).mean(1), result.contexts["ew"])
    np.testing.assert_allclose(odds.mean(1), result.contexts["margin"], atol=1e-5)
    means = result.by_lemma.groupby("lemma", sort=False)["margin"].mean()
    assert means.mean() == pytest.approx(result.table()["margin"][0], abs=1e-5)
    for form, own in (("singular", singular), ("plural", other)):
        above = result.mass_above(form)
        assert above.min() >= 0 and (above + own).max() <= 1 + 1e-5


@pytest.mark.slow
def test_a_run_that_kept_more_serves_one_that_asks_for_less(
    tiny_causal, simple, tmp_path, monkeypatch
):
    alone = {
        keep: evaluate(tiny_causal, simple, detail=keep) for keep in ("contexts", "lemmas", "forms")
    }
    for keep in (
        "contexts",
        "lemmas",
        "forms",
    ):  # each has a table more than the one before: nothing serves it
        pd.testing.assert_frame_equal(
            evaluate(tiny_causal, simple, detail=keep, store=tmp_path).contexts,
            alone[keep].contexts,
        )
    monkeypatch.setattr(pipeline, "score_contexts", lambda *a: pytest.fail("computed again"))
    for keep, expected in alone.items():
        found = evaluate(tiny_causal, simple, detail=keep, store=tmp_path)
        pd.testing.assert_frame_equal(found.pairs, expected.pairs)
        pd.testing.assert_frame_equal(found.contexts, expected.contexts)
        assert (
            found.by_lemma is None
            if expected.by_lemma is None
            else found.by_lemma.equals(expected.by_lemma)
        )
        assert (
            found.form_arrays is None
            if keep != "forms"
            else (found.log_odds == expected.log_odds).all()
        )


@pytest.mark.slow
def test_a_stored_shard_serves_a_run_in_which_its_contexts_have_other_numbers(
    tiny_causal, simple, tmp_path
):
    coordination = load_pairs("marvin-linzen/vp-coordination")
    both = pd.concat([coordination, simple])
    evaluate(tiny_causal, simple, store=tmp_path, detail="forms")
    resumed = evaluate(tiny_causal, both, store=tmp_path, detail="forms")
    plain = evaluate(tiny_causal, both, detail="forms")
    for table in ("contexts", "pairs", "at_cutoffs", "by_lemma"):
        pd.testing.assert_frame_equal(getattr(resumed, table), getattr(plain, table), atol=1e-6)
    np.testing.assert_allclose(resumed.log_odds, plain.log_odds, atol=1e-5)


@pytest.mark.slow
def test_a_stored_slice_serves_data_whose_other_sentences_begin_in_lower_case(
    tiny_causal, simple, tmp_path, monkeypatch
):
    few = simple.head(6)
    lower = few.assign(construction="lower", left=few["left"].str.lower())
    evaluate(tiny_causal, few, store=tmp_path)
    computed, score = [], pipeline.score_contexts
    monkeypatch.setattr(pipeline, "score_contexts", lambda *a: computed.append(a) or score(*a))
    both = evaluate(tiny_causal, pd.concat([few, lower]), store=tmp_path)
    assert both.signature.policy["caps"] == "as-is" and len(computed) == 1
    evaluate(tiny_causal, lower, store=tmp_path)
    assert len(computed) == 1


@pytest.mark.slow
def test_an_interval_samples_what_the_claim_is_about(tiny_causal, simple):
    found = evaluate(tiny_causal, simple, detail="forms")
    lemmas = replace(found, form_arrays=None)
    own, wide, of_forms = (
        run.intervals(over).set_index("metric")
        for run, over in (
            (lemmas, ["subjects"]),
            (lemmas, ["subjects", "verbs"]),
            (found, ["subjects", "verbs"]),
        )
    )
    for metric, verbs in (
        ("TSE", simple["lemma"].nunique()),
        ("EW", len(found.lemmas)),
        ("MW", len(found.lemmas)),
    ):
        assert (
            wide["score"][metric]
            == pytest.approx(own["score"][metric])
            == pytest.approx(found.table()[metric][0])
        )
        assert wide["clusters"][metric] == min(simple["noun"].nunique(), verbs)
        assert of_forms["low"][metric] == pytest.approx(wide["low"][metric], abs=1e-6)
        assert (
            of_forms["n"][metric]
            == wide["n"][metric]
            == own["n"][metric] * (1 if metric == "TSE" else verbs)
        )
    with pytest.raises(InputError, match="without its lemmas"):
        replace(lemmas, by_lemma=None).intervals(["subjects", "verbs"])


@pytest.mark.slow
def test_two_metrics_of_one_evaluation_differ_by_pairs_of_the_same_clusters(tiny_causal, simple):
    both = pd.concat([simple, load_pairs("marvin-linzen/vp-coordination")])
    found = evaluate(tiny_causal, both, detail="lemmas")
    means = found.table().set_index("construction")
    for over in (["subjects"], ["subjects", "verbs"]):
        gap = compare_metrics(found, "TSE", "EW", over=over).set_index("construction")
        assert gap.loc[means.index, "difference"].tolist() == pytest.approx(
            (means["TSE"] - means["EW"]).tolist()
        )
        mean = gap.loc["mean of the rows"]
        assert mean["difference"] == pytest.approx((means["TSE"] - means["EW"]).mean())
        assert (gap["p_corrected"] >= gap["p_value"]).all()
        has_interval = gap[gap["low"].notna()]
        bounds = has_interval[["low", "high", "low_corrected", "high_corrected"]]
        assert bounds.abs().max().max() <= 1  # the scores are shares
        assert (has_interval["low"] <= has_interval["difference"]).all()
        excludes_0 = (gap["low_corrected"] > 0) | (gap["high_corrected"] < 0)
        assert (excludes_0 == (gap["p_corrected"] < 0.05)).all()
    same = compare_metrics(found, "EW", "EW").iloc[0]
    assert (same["difference"], same["p_value"]) == (0, 1)
    fewer = replace(found, pairs=found.pairs[found.pairs["construction"] == "Simple"])
    for metrics in (("TSE", "EW"), ("EW", "TSE")):
        assert compare_metrics(fewer, *metrics)["construction"].tolist() == ["Simple"]


@pytest.mark.slow
def test_ties_are_counted_and_said(tiny_causal):
    """As in half precision, where many forms are equally probable."""
    model = load_model(tiny_causal, device="cpu")
    singular, plural = model.word_ids(["laughs", "laugh"])
    with torch.no_grad():
        weight = model.network.module.lm_head.weight
        weight[plural] = weight[singular]
    found = evaluate(model, "marvin-linzen/simple", detail="forms", store=None)
    of_verbs = int((found.log_odds == 0).sum())
    said = re.search(
        r"ties, which count as wrong: .*?([\d,]+) verbs in contexts \(([\d.]+)%\)", found.scored
    )
    assert of_verbs == len(found.contexts) and int(said[1].replace(",", "")) == of_verbs
    assert float(said[2]) == pytest.approx(100 * of_verbs / found.log_odds.size, abs=0.01)
    exact = evaluate(load_model(tiny_causal), "marvin-linzen/simple", store=None)
    assert "ties" not in exact.scored
