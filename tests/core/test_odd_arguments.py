"""Arguments from Python that mean nothing: one line that says what is meant, where a number or a traceback came."""

import numpy as np
import pandas as pd
import pytest

from tse_core import evaluate, load_model
from tse_core.agreement.comparison import compare_evaluations
from tse_core.errors import InputError
from tse_core.metrics import definitions as metrics
from tse_core.metrics.definitions import Cutoffs, Metric
from tse_core.results.tidy import read_results, write_results

PAIRS = pd.DataFrame(
    {"construction": "simple", "left": ["The author", "The authors"], "right": ".", "number": ["singular", "plural"],
     "correct": ["laughs", "laugh"], "wrong": ["laugh", "laughs"], "noun": "author"}
)  # fmt: skip

SWAPPED = pd.DataFrame({"lemma": ["laugh"], "singular": ["laugh"], "plural": ["laughs"]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cutoffs": Cutoffs((0.5, 0.5, 1.0), ())}, "a tuple of different shares"),
        ({"cutoffs": Cutoffs((0.5, "1"), ())}, "a tuple of different shares"),
        ({"cutoffs": Cutoffs((float("nan"),), ())}, "above 0 and at most 1"),
        (
            {"cutoffs": (0.5, 1.0)},
            r"cutoffs is \(0.5, 1.0\); give a pair: a sequence of shares at the top",
        ),
        ({"cutoffs": ((0.5,), (0.1,), ())}, "give a pair"),
        ({"cutoffs": "paper"}, "give a pair"),
        ({"cutoffs": ((), ())}, "there is no cut-off"),
        ({"word_end": "no"}, "word_end is 'no'; it must be True or False"),
        ({"seed": -1}, "seed is -1"),
        ({"batch_tokens": 0}, "batch_tokens is 0"),
        ({"sample": True}, "sample is True; it must be a number"),
        ({"sample": 0}, "sample is 0; it must be a number"),
        ({"verbs": "al"}, "unknown choice of verbs 'al'.*did you mean 'all'"),
        ({"pairs": PAIRS.iloc[:0]}, "there are no pairs to score"),
        (
            {"pairs": [PAIRS, PAIRS]},
            "pairs is a list; give one data set, or several to evaluate_models",
        ),
        (
            {"pairs": PAIRS.assign(wrong=["laughs", "laugh"])},
            "row 1: the correct and the wrong form are the same",
        ),
        (
            {"pairs": PAIRS.assign(number=["plural", "singular"])},
            "plural, but by .* newman-clean its form 'laughs' is singular",
        ),
        ({"lemmas": SWAPPED}, "said to be singular, .* 'laughs' is plural"),
    ],
)
def test_what_evaluate_refuses(arguments, message, tiny_causal):
    with pytest.raises(InputError, match=message):
        evaluate(tiny_causal, **{"pairs": PAIRS, "lemmas": "newman-clean"} | arguments)


@pytest.mark.slow
def test_a_metric_that_is_no_share_is_written_read_and_compared(tiny_causal, tmp_path, monkeypatch):
    points = Metric(
        "MEAN_POINTS", "context", lambda f: f.wins * 30 - 10, metrics.one_per_lemma, range=(-10, 20)
    )
    for table in (metrics.METRICS, metrics.OF_CONTEXTS):
        monkeypatch.setitem(table, "MEAN_POINTS", points)
    found = [
        evaluate(load_model(tiny_causal, bos=bos), "marvin-linzen/simple")
        for bos in ("none", "[CLS]")
    ]
    numbers, compared = found[0].tidy(), compare_evaluations(*found).set_index("metric")
    scores = numbers.loc[numbers["metric"] == "MEAN_POINTS", "score"].dropna()
    assert len(scores) and not scores.between(0, 1).all()
    changes = ["difference", "low", "high"]
    assert compared.loc["MEAN_POINTS", changes].tolist() == pytest.approx(
        (30 * compared.loc["EW", changes]).tolist()
    )
    assert compared.loc["MEAN_POINTS", "p_value"] == pytest.approx(compared.loc["EW", "p_value"])
    for path in (tmp_path / "points.csv", tmp_path / "points.parquet"):
        write_results(numbers, path)
        pd.testing.assert_frame_equal(read_results(path), numbers, check_dtype=False)
        write_results(numbers.assign(score=20.5, low=np.nan, high=np.nan), path)
        with pytest.raises(InputError, match="score is outside its range"):
            read_results(path)
