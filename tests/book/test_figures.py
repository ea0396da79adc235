"""The tables behind the figures: the digitised ones, and a model's beside them."""

import pandas as pd
import pytest

from tse_book import charts
from tse_book.pages import figures
from tse_core import evaluate
from tse_core.errors import InputError


def test_figure_1_falls_from_head_to_tail_as_the_field_notes_say():
    falls = figures.head_and_tail(figures.published_curves(1)).set_index(["construction", "metric"])
    mw = falls.loc[("Across object relative clause", "MW")]
    assert (mw["head"], mw["tail"]) == (0.987, 0.570) and mw["tail_cutoff"] == 1e-6
    assert falls.loc[("Across object relative clause", "EW"), "fall"] == pytest.approx(0.31, abs=0.005)


def test_the_other_figures_agree_with_figure_1_where_they_show_the_same_curve_and_leave_out_a_misread_marker():
    keys, second = ["model", "construction", "metric", "side", "cutoff"], figures.published_curves(2)
    both = second.merge(figures.published_curves(1), on=keys)
    assert len(both) > 80 and (both["score_x"] - both["score_y"]).abs().max() < 0.02
    bert = second.query("model == 'bert-large-cased' and metric == 'MW' and side == 'bottom'")
    assert not ((bert["construction"] == "Across object relative (no that)") & (bert["score"] == 1.0)).any()
    with pytest.raises(InputError, match="unknown figure '9'; there is: 1, 2, 3, 4"):
        figures.published_curves(9)


def test_measured_and_published_curves_of_one_model_are_never_one_line_or_one_mean():
    printed = figures.published_curves(3)
    real = pd.DataFrame({"model": ["gpt2-xl", "gpt2-xl", "gpt2"]})
    both = figures.and_published(real, printed)
    assert len(both) == 3 + len(printed)
    assert set(both["model"][3:]) == {"bert-large-cased", "bert-large-uncased", "roberta-large", "gpt2-xl, published"}
    drawn = figures.and_others(real, printed)
    assert len(drawn) == 3 + (printed["model"] != "gpt2-xl").sum() and (drawn["model"] == "gpt2-xl").sum() == 2
    nothing = figures.measured_curves([], [], "newman-clean")
    assert nothing.empty and set(figures.KEYS) < set(nothing)
    assert set(figures.and_others(nothing, printed)["model"]) == set(printed["model"])


@pytest.mark.slow
def test_a_models_curves_reach_the_chart_with_their_intervals(small_models, tmp_path):
    model = small_models / "random-gpt2"
    evaluation = evaluate(model, "marvin-linzen/simple", "newman-clean", store=tmp_path)
    curves = figures.curves_of(evaluation)
    assert set(curves["model"]) == {"random-gpt2"} and curves["signature"].nunique() == 1
    drawn = charts.chart_data(charts.cutoff_curves(curves)).set_index(["metric", "side", "cutoff"])
    whole = evaluation.table().iloc[0]
    for metric in ("EW", "MW"):
        row = drawn.loc[(metric, "top", 1.0)]
        assert row["score"] == pytest.approx(whole[metric]) and row["low"] < row["score"] < row["high"]
    again = figures.measured_curves([model], ["marvin-linzen/simple"], "newman-clean", store=tmp_path)
    pd.testing.assert_frame_equal(again, curves[again.columns])
