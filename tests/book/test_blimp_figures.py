"""The tables behind BLiMP's figures: the published contrasts, bins, slopes; each by hand or from the paper."""

import numpy as np
import pandas as pd
import pytest

from tse_book import charts
from tse_book.charts.paradigms import accuracy_dots, accuracy_lines
from tse_book.pages import blimp_figures
from tse_book.studies.learning_curves import doubling_slopes
from tse_core.errors import InputError


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
