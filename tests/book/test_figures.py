"""The tables behind the figures and behind BLiMP's: digitised ones, contrasts, bins, slopes, a model's beside them."""

import numpy as np
import pandas as pd
import pytest

from tse_book import charts
from tse_book.charts.paradigms import accuracy_dots, accuracy_lines
from tse_book.pages import blimp_figures, figures
from tse_book.studies.learning_curves import doubling_slopes
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


@pytest.fixture(scope="module")
def accuracies():
    return blimp_figures.published_accuracies()


def test_lstm_and_transformer_xl_correlate_at_0_9(accuracies):
    r = blimp_figures.correlations(accuracies).set_index(["model", "other"])["correlation"]
    assert r["LSTM", "Transformer-XL"] == pytest.approx(0.90, abs=0.005)
    assert r["GPT-2", "human"] == r.loc[:, "human"].drop("human").max()
    assert r["5-gram", "human"] == r.loc[:, "human"].min() and r["LSTM", "LSTM"] == pytest.approx(1)


def test_an_adjective_costs_the_ngram_model_35_points():
    """The paper's text (section 6.1); the corrected Table 4, with its repeated rows, would give 18."""
    for source, points in (("recomputed", 35), ("corrected", 18)):
        table = blimp_figures.contrast(blimp_figures.published_accuracies(source), "adjective")
        assert (table["paradigms"] == 4).all()
        assert round(100 * blimp_figures.cost(table).set_index("model")["cost"]["5-gram"]) == points


def test_attractors_cost_gpt2_and_the_lstm_about_what_the_paper_says(accuracies):
    """20 points for the LSTM and 5 for Transformer-XL; 24 for GPT-2 (22 in the text, from the printed table)."""
    cost = blimp_figures.cost(blimp_figures.contrast(accuracies, "attractor")).groupby("model")["cost"].mean()
    assert (100 * cost[["LSTM", "Transformer-XL", "GPT-2"]]).round().tolist() == [20, 5, 24]


def test_irregular_contrast_takes_twelve_paradigms(accuracies):
    table = blimp_figures.contrast(accuracies, "irregular").query("model == 'LSTM'")
    counts = table.pivot(index="group", columns="condition", values="paradigms")[["regular plural", "irregular plural"]]
    assert counts.loc["determiner and noun"].tolist() == [4, 4] and counts.loc["subject and verb"].tolist() == [2, 2]


def test_the_laboratorys_paradigms_fall_under_the_same_contrasts():
    names = ["determiner_noun_agreement_with_adjective_irregular_1", "determiner_noun_agreement_2",
             "regular_plural_agreement_1", "irregular_plural_agreement_2", "agreement_across_subject_relative",
             "agreement_across_prepositional_phrase", "anaphor_gender_agreement"]  # fmt: skip
    table = pd.DataFrame({"model": "m", "paradigm": names, "accuracy": np.linspace(0, 1, len(names))})
    sizes = {name: blimp_figures.contrast(table, name)["paradigms"].sum() for name in blimp_figures.CONTRASTS}
    assert sizes == {"adjective": 2, "attractor": 3, "irregular": 4}


def test_bins_of_a_known_relation():
    """Pairs are right exactly where the margin is wide: accuracy 0 in the lower half of confidence, 1 in the upper."""
    n = 400
    margin = np.linspace(0.01, 4, n)
    scores = pd.DataFrame({"margin": margin, "logp_good": -np.arange(n) / 10 - 5.0, "length_good": 8, "length_bad": 8})
    scores["correct"] = (margin > 2).astype(float)
    table = blimp_figures.shallow_predictors(scores, bins=4).set_index("predictor")
    assert table.loc["confidence", "accuracy"].tolist() == [0, 0, 1, 1]
    assert table.loc["probability", "accuracy"].tolist() == [1, 1, 0, 0]
    assert table.loc["perplexity", "accuracy"].tolist() == [0, 0, 1, 1]
    assert table.loc[["length"], "pairs"].tolist() == [n]  # one length: one bin
    assert (table["low"] <= table["accuracy"]).all() and (table["accuracy"] <= table["high"]).all()


def test_methods_are_compared_on_shared_pairs():
    keys = {"paradigm": ["a", "a", "b"], "pair_id": ["0", "1", "0"]}
    first = pd.DataFrame(keys | {"correct": [1.0, 0.0, 1.0]})
    second = pd.DataFrame(keys | {"correct": [1.0, 1.0, 0.0]}).iloc[:2]
    table = blimp_figures.methods_compared(first, second)
    assert table.to_dict("records") == [{"paradigm": "a", "first": 0.5, "second": 1.0, "difference": 0.5, "pairs": 2}]


def test_a_slope_is_the_gain_of_a_doubling():
    words = np.array([1000, 2000, 4000, 8000])
    curve = pd.DataFrame({"model": "m", "phenomenon": "p", "paradigm": "q", "sentences": words, "words": words})
    curve["accuracy"] = [0.5, 0.56, 0.62, 0.68]
    row = doubling_slopes(curve).iloc[0]
    assert row["slope"] == pytest.approx(0.06) and row["low"] == pytest.approx(0.06) and row["last"] == 0.68


def test_charts_draw_what_the_tables_say(accuracies):
    table = blimp_figures.contrast(accuracies, "adjective")
    drawn = charts.chart_data(accuracy_lines(table, "condition", title="t"))
    assert sorted(drawn["accuracy"]) == pytest.approx(sorted(table["accuracy"]))
    dots = accuracy_dots(accuracies.head(20), "paradigm", title="t")
    assert "on average" in dots.to_dict()["description"] and len(charts.chart_data(dots)) == 20


def test_unknown_names_are_named(accuracies):
    with pytest.raises(InputError, match="did you mean 'attractor'"):
        blimp_figures.contrast(accuracies, "attractors")
    with pytest.raises(InputError, match="unknown source"):
        blimp_figures.published_accuracies("journal")
