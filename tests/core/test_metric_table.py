"""The table of metrics: the value of each by hand; a new one is scored, tabled and drawn without further code."""

import subprocess
import sys

import numpy as np
import pytest

from tse_core import InputError
from tse_core.metrics.definitions import (
    METRICS,
    OF_CONTEXTS,
    OF_PAIRS,
    CellMetric,
    Forms,
    Metric,
    add_metric,
)
from tse_core.metrics.movement import VerbScores

BEFORE = """
from tse_core import evaluate, load_pairs

evaluate(MODEL, load_pairs("marvin-linzen/simple"), detail="lemmas").save(OLDER)
"""
NEW = """
from tse_core.metrics import definitions

mean_share = definitions.Metric("SHARE", of="context",
                          numerator=lambda forms: forms.correct / (forms.correct + forms.wrong), denominator=definitions.one_per_lemma)
likelihood = definitions.Metric("LIKELIHOOD", of="pair",
                          numerator=definitions.correct, denominator=definitions.one_per_lemma)
weakest = definitions.CellMetric("WEAKEST", lambda verbs: verbs.sensitivity.min(axis=-1))
for metric in (mean_share, likelihood, weakest):
    definitions.add_metric(metric)

import numpy as np
from tse_book import charts
from tse_extras.sweep.curves import scores_over
from tse_core import evaluate, load_pairs, load_scores

older = load_scores(OLDER)
assert "SHARE" not in older.table() and "EW" in str(older) and len(older.tidy())

found = evaluate(MODEL, load_pairs("marvin-linzen/simple"), detail="lemmas")
forms = found.by_lemma
shares = forms["probability_correct"] / (forms["probability_correct"] + forms["probability_wrong"])
row = found.table(intervals=True).iloc[0]
assert abs(row["SHARE"] - np.average(shares, weights=forms["contexts"])) < 1e-6, row
assert row["SHARE_low"] < row["SHARE"] < row["SHARE_high"]
assert abs(row["LIKELIHOOD"] - np.exp(found.pairs["log_probability_correct"]).mean()) < 1e-12
assert abs(row["WEAKEST"] - found.verbs()["sensitivity"].min()) < 1e-12
assert row["WEAKEST_low"] <= row["WEAKEST"] <= row["WEAKEST_high"]
assert {"SHARE", "LIKELIHOOD", "WEAKEST"} <= set(found.tidy()["metric"])
assert {"EW", "MW", "SHARE"} <= set(found.curves()["metric"])
assert abs(scores_over(found, found.lemmas["lemma"])["share"].mean() - row["SHARE"]) < 1e-6
assert '"SHARE"' in charts.table2_dots(found.intervals()).to_json()
"""


def test_each_metric_is_what_its_definition_says_of_three_verbs():
    forms = Forms(np.array([0.3, 0.1, 0.0]), np.array([0.1, 0.1, 0.4]), np.array([1.0, 0.0, 0.0]))
    values = {
        name: metric.numerator(forms).sum() / metric.denominator(forms).sum()
        for name, metric in (OF_PAIRS | OF_CONTEXTS).items()
    }
    assert values == pytest.approx({"TSE": 1 / 3, "EW": 1 / 3, "MW": 0.4})


def test_a_metric_of_cells_that_takes_all_samples_of_verbs_as_one_is_refused():
    flat = CellMetric("WEAKEST", lambda verbs: verbs.sensitivity.min())
    samples = VerbScores(*np.ones((5, 2, 3)))  # two of three verbs
    with pytest.raises(InputError, match=r"'WEAKEST' gives values of the shape \(\) .* axis=-1"):
        flat.of_samples(samples)


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (METRICS["EW"], "there is a metric 'EW'"),
        (CellMetric("Margin", len), "there is a metric 'Margin'"),
        (CellMetric("a b", len), "is no word"),
        (Metric("MEDIAN", of="cell", numerator=len, denominator=len), "of cells is a CellMetric"),
        ("EW", "this is 'EW'"),
    ],
)
def test_what_cannot_be_added_as_a_metric_is_refused(metric, reason):
    with pytest.raises(InputError, match=reason):
        add_metric(metric)


@pytest.mark.slow
def test_a_new_metric_in_the_table_is_scored_cut_bounded_and_drawn(tiny_causal, tmp_path):
    older = repr(str(tmp_path / "older.parquet"))
    for program in (BEFORE, NEW):  # which share a store
        code = program.replace("MODEL", repr(str(tiny_causal))).replace("OLDER", older)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
