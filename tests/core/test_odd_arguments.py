"""Arguments from Python that mean nothing: one line that says what is meant, where a number or a traceback came."""

import numpy as np
import pandas as pd
import pytest

from tse_core import evaluate, load_lemmas, load_model
from tse_core.agreement.clustered import clustered
from tse_core.agreement.comparison import compare_evaluations
from tse_core.errors import InputError
from tse_core.metrics import table as metrics
from tse_core.metrics.table import Cutoffs, Metric, score_range
from tse_core.results.tidy import read_results, write_results
from tse_core.sentences.tokens import token_surprisals
from tse_core.uncertainty.tables import table_intervals

PAIRS = pd.DataFrame(
    {"construction": "simple", "left": ["The author", "The authors"], "right": ".", "number": ["singular", "plural"],
     "correct": ["laughs", "laugh"], "wrong": ["laugh", "laughs"], "noun": "author"}
)  # fmt: skip


@pytest.fixture(scope="module")
def evaluation(tiny_causal):
    return evaluate(tiny_causal, PAIRS, "newman-clean", keep="forms")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.intervals([]), "over is empty"),
        (lambda e: e.table(lemmas="laugh"), "is the text 'laugh'"),
        (lambda e: e.table(lemmas=["zzz"]), "none of the 1 lemmas given"),
        (lambda e: clustered(e, "XX"), "unknown metric 'XX'"),
    ],
)
def test_what_an_evaluation_refuses(call, message, evaluation):
    with pytest.raises(InputError, match=message):
        call(evaluation)


def test_a_list_of_lemmas_may_be_named_by_the_list_itself(evaluation):
    lemmas = load_lemmas("newman-clean")
    assert evaluation.table(lemmas=lemmas)["EW"].tolist() == pytest.approx(evaluation.table()["EW"].tolist())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cutoffs": ((0.1, 1.0), (0.5,))}, r"must be Cutoffs\(top, bottom\)"),
        ({"cutoffs": Cutoffs((0.1, 0.10000001, 1.0), ())}, "0.10000001 has more than six digits"),
        ({"cutoffs": Cutoffs((0.5, 0.5, 1.0), ())}, "one share twice"),
        ({"cutoffs": Cutoffs((0.5, "1"), ())}, "a tuple of shares"),
        ({"batch_tokens": "5"}, "batch_tokens is '5'"),
        ({"sample": True}, "a sample is a number"),
        ({"protocol": ["exact"]}, "unknown protocol"),
        ({"keep": np.array(["forms", "lemmas"])}, "unknown detail to keep"),
    ],
)
def test_what_evaluate_refuses(arguments, message, tiny_causal):
    with pytest.raises(InputError, match=message):
        evaluate(tiny_causal, PAIRS, "newman-clean", **arguments)


def test_a_form_twice_and_a_number_that_the_verbs_own_forms_contradict_are_refused(tiny_causal):
    with pytest.raises(InputError, match="row 2: both forms are 'laugh'"):
        evaluate(tiny_causal, PAIRS.assign(wrong=["laugh", "laugh"]), "newman-clean")
    exchanged = PAIRS.assign(number=["plural", "singular"])
    with pytest.raises(InputError, match="said to be plural, .* 'laughs' is singular"):
        evaluate(tiny_causal, exchanged, "newman-clean")
    swapped = pd.DataFrame({"lemma": ["laugh"], "singular": ["laugh"], "plural": ["laughs"]})
    with pytest.raises(InputError, match="said to be singular, .* 'laughs' is plural"):
        evaluate(tiny_causal, PAIRS, swapped)


def test_a_size_of_a_sample_may_come_from_a_table(tiny_causal):
    few = evaluate(tiny_causal, PAIRS, "newman-clean", sample=np.int64(1))
    assert len(few.contexts) == 1 and "1@0" in str(few.signature)


def test_a_sentence_that_holds_a_mask_is_refused_as_a_context_is(tiny_masked):
    with pytest.raises(InputError, match="must contain no mask token of its own"):
        token_surprisals(tiny_masked, ["The author laughs.", "The [MASK] laughs."])
    with pytest.raises(InputError, match="must contain no mask token of its own"):
        load_model(tiny_masked).slot("The [MASK]", "laughs.")


def test_a_score_in_nats_has_a_range_of_its_own(monkeypatch):
    margin = Metric("MARGIN", "mean margin in nats", "context", metrics.correct, metrics.each, range=(-np.inf, np.inf))
    monkeypatch.setitem(metrics.METRICS, "MARGIN", margin)
    assert score_range("margin_top_0.1") == (-np.inf, np.inf) and score_range("mass_top_0.1") == (0, 1)
    contexts = pd.DataFrame({"construction": "a", "noun": list("abcd"), "margin": [2.0, 3.0, -1.0, 4.0]})
    row = table_intervals(contexts, ["margin"]).iloc[0]
    assert row["score"] == 2.0 and row["low"] == pytest.approx(2 - 3.1824463 * np.std([2, 3, -1, 4], ddof=1) / 2)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_metric_that_is_no_share_is_written_read_and_compared(ending, tiny_causal, tmp_path, monkeypatch):
    points = Metric("MEAN_POINTS", "20 or -10", "context", lambda f: f.wins * 30 - 10, metrics.each, range=(-10, 20))
    for table in (metrics.METRICS, metrics.OF_CONTEXTS):
        monkeypatch.setitem(table, "MEAN_POINTS", points)
    found = [evaluate(load_model(tiny_causal, bos=bos), "marvin-linzen/simple") for bos in ("none", "[CLS]")]
    numbers = found[0].tidy()
    scores = numbers.loc[numbers["metric"] == "MEAN_POINTS", "score"].dropna()
    assert len(scores) and not scores.between(0, 1).all() and score_range("mean_points_top_0.1") == (-10, 20)
    write_results(numbers, path := tmp_path / f"points.{ending}")
    pd.testing.assert_frame_equal(read_results(path), numbers, check_dtype=False)
    row = compare_evaluations(*found).set_index("metric").loc["MEAN_POINTS"]
    shares = compare_evaluations(*found).set_index("metric").loc["EW"]
    for column in ("difference", "low", "high"):
        assert row[column] == pytest.approx(30 * shares[column])
    assert row["p_value"] == pytest.approx(shares["p_value"])
    write_results(numbers.assign(score=20.5, low=np.nan, high=np.nan), path)
    with pytest.raises(InputError, match="score is 20.5; it must be a (share from 0 to 1|number from -10 to 20)"):
        read_results(path)


def test_a_folder_has_no_revision_and_a_name_that_no_file_can_have_is_unknown(tiny_causal):
    with pytest.raises(InputError, match="is a folder, which has no revision"):
        load_model(tiny_causal, revision="step1000")
    with pytest.raises(InputError, match="unknown model"):
        load_model("a" * 300)


def test_log_odds_that_later_scores_read_cannot_be_changed(evaluation):
    with pytest.raises(ValueError, match="read-only"):
        evaluation.log_odds[:] = 0
