"""The papers' own numbers, and the tables of the book beside them: sizes, known cells, contrasts, bins, slopes."""

import hashlib
import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from golden_facts import facts
from tse_book import charts, published
from tse_book.pages import blimp_figures, figures, newman
from tse_book.pages.blimp_figures import doubling_slopes
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.metrics.definitions import Cutoffs
from tse_core.results.signature import Signature
from tse_core.syntaxgym.library import public_suites


def test_figure_1_covers_2_metrics_4_constructions_and_19_cutoffs_and_agrees_with_table_2_where_they_meet():
    figure = published.figures(1)
    assert len(figure) == 2 * 4 * 19 and figure["estimate"].between(0.5, 1).all()
    whole = figure.query("side == 'top' and cutoff == 1.0").set_index(["construction", "metric"])[
        "estimate"
    ]
    table = (
        published.table2()
        .query("hf_name == 'bert-large-cased'")
        .set_index(["construction", "metric"])["score"]
    )
    assert len(whole) == 8 and ((whole - table[whole.index]).abs() <= 0.008).all()


def test_each_reader_gives_the_cell_that_the_paper_prints():
    table = (
        published.table2()
        .query("construction == 'BLiMP' and hf_name == 'gpt2-xl'")
        .set_index("metric")["score"]
    )
    assert table.to_dict() == {"MW": 0.82, "EW": 0.75, "TSE": 0.91}
    table = (
        published.blimp_table4()
        .query("UID == 'transitive' and model == 'GPT-2'")
        .set_index("source")["accuracy"]
    )
    assert table.to_dict() == {"printed": 0.49, "corrected": 0.76, "recomputed": 0.86}
    (printed,) = published.syntaxgym_figure5().query("command == 'syntaxgym evaluate gpt-2 mvrr'")[
        "printed"
    ]
    recorded = (
        published.hu2020_suites()
        .query("model == 'gpt-2-pretrained' and suite == 'mvrr'")["accuracy"]
        .item()
    )
    assert printed == f"Accuracy: {recorded:.4f} ({recorded * 28:.0f}/28 correct)"
    suites = public_suites()
    assert (len(suites), suites["items"].sum(), suites["in_33"].sum(), suites["in_31"].sum()) == (
        34,
        842,
        33,
        31,
    )


def test_the_committed_tables_are_the_published_ones():
    elsewhere = {
        "blimp_paradigms.csv": "blimp/paradigms.csv",
        "syntaxgym_suites.csv": "syntaxgym/suites.csv",
    }
    for name, digest in facts()["published tables"].items():
        file = published.data_folder() / elsewhere.get(name, f"published/{name}")
        assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, name


def test_the_other_figures_agree_with_figure_1_where_they_show_the_same_curve_and_leave_out_a_misread_marker():
    keys, second = ["model", "construction", "metric", "side", "cutoff"], charts.published_curves(2)
    both = second.merge(charts.published_curves(1), on=keys)
    assert len(both) > 80 and (both["score_x"] - both["score_y"]).abs().max() < 0.02
    falls = figures.head_and_tail(charts.published_curves(1)).set_index(["construction", "metric"])
    mw = falls.loc[("Across object relative clause", "MW")]
    assert (mw["head"], mw["tail"], mw["tail_cutoff"]) == (0.987, 0.570, 1e-6)
    bert = second.query("model == 'bert-large-cased' and metric == 'MW' and side == 'bottom'")
    assert not (
        (bert["construction"] == "Across object relative (no that)") & (bert["score"] == 1.0)
    ).any()


PLACE = ["figure", "model", "metric", "construction", "side", "cutoff"]
READING = 0.02  # the largest difference between two numbers read off that is no contradiction


def broken_rules(points: pd.DataFrame) -> set[tuple]:
    """The points that break a rule which a figure must obey; of two that contradict each other, both."""
    points = points.dropna(subset="estimate")
    found = list(map(tuple, points.loc[~points["estimate"].between(0, 1), PLACE].to_numpy()))
    # what lies in the bottom p holds at most p
    tail = points[(points["figure"] == 3) & (points["side"] == "bottom")]
    found += map(tuple, tail.loc[tail["estimate"] > tail["cutoff"], PLACE].to_numpy())
    # a larger part of the distribution holds more verbs, and fewer contexts are without one
    for figure, sign in ((3, 1), (4, -1)):
        for _, curve in points[points["figure"] == figure].groupby(PLACE[1:-1]):
            for one, other in itertools.combinations(
                curve.sort_values("cutoff").to_dict("records"), 2
            ):
                if sign * (other["estimate"] - one["estimate"]) < -READING:
                    found += [tuple(point[name] for name in PLACE) for point in (one, other)]
    # the same number can be read in Figure 1 or stands in Table 2
    known = published.figures(1)[[*PLACE[1:], "estimate"]]
    table = published.table2().assign(model=lambda table: table["hf_name"], side="top", cutoff=1.0)
    known = pd.concat(
        [known, table.rename(columns={"score": "estimate"})[[*PLACE[1:], "estimate"]]]
    )
    both = points[points["figure"] == 2].merge(known, on=PLACE[1:])
    apart = (both["estimate_x"] - both["estimate_y"]).abs() > READING
    return {*found, *map(tuple, both.loc[apart, PLACE].to_numpy())}


def test_the_digitised_figures_hold_no_point_that_cannot_be():
    assert broken_rules(published.figures()) == set()


def test_each_point_that_was_taken_out_breaks_a_rule():
    folder = published.data_folder() / "published"
    readings = pd.read_csv(folder / "newman_fig2_3_4_digitised.csv").replace(
        {"metric": {"EW-run": "EW"}}
    )
    readings = readings.replace({"model": published.MODELS})
    readings["figure"] = readings["figure"].str[3].astype(int)
    taken_out = published.figures().query("quality == 'impossible'")[PLACE]
    assert {*map(tuple, taken_out.to_numpy())} <= broken_rules(readings)
    worst = [
        (3, "roberta-large", "EW", "In object relative clause", "bottom", 1e-6),
        (3, "bert-large-uncased", "EW", "In object relative (no that)", "bottom", 1e-6),
    ]
    assert {*worst} <= {*map(tuple, taken_out.to_numpy())}
    words = (published.data_folder() / "README.md").read_text(encoding="utf-8")
    assert f"{len(taken_out)} of those readings" in words
    for figure, readings_out in taken_out.groupby("figure").size().items():
        assert f"{readings_out} of Figure {figure}" in words


def test_a_fall_over_the_same_contexts_is_not_one_of_the_means_of_what_is_left():
    """At the head both contexts have a score, 1 and 0.5; at the tail only the first, 0.8."""
    numbers = [
        (0, "top", 0.3, 1.0),
        (1, "top", 0.3, 0.5),
        (0, "bottom", 0.01, 0.8),
        (1, "bottom", 0.01, None),
    ]
    rows = [(context, metric, *rest) for metric in ("EW", "MW") for context, *rest in numbers]
    at_cutoffs = pd.DataFrame(rows, columns=["context", "metric", "side", "cutoff", "score"])
    contexts = pd.DataFrame({"construction": ["Simple"] * 2})
    signature = Signature({"model": "m@00000000", "data": "simple@00000000"}, {})
    none = pd.DataFrame()
    found = Evaluation(
        contexts, none, none, signature, Cutoffs((0.3,), (0.01,)), "", at_cutoffs=at_cutoffs
    )
    [ew, mw] = figures.falls_of_same_contexts(Evaluations([("m", found)])).to_dict("records")
    assert (ew["contexts"], ew["at both ends"]) == (2, 1) and (ew["metric"], mw["metric"]) == (
        "EW",
        "MW",
    )
    assert ew["any contexts"] == pytest.approx(-0.05) and ew["same contexts"] == pytest.approx(0.2)


def lost(accuracies, contrast):
    """Points lost in each condition against the first one: a row per model."""
    table = blimp_figures.contrast(accuracies, contrast)
    wide = table.pivot_table("accuracy", "model", "condition", sort=False)
    return 100 * wide.iloc[:, 1:].rsub(wide.iloc[:, 0], axis=0)


def test_an_adjective_costs_the_ngram_model_35_points_and_attractors_what_the_paper_says():
    """The paper's text (section 6.1); the corrected Table 4, with its repeated rows, would give 18."""
    for source, points in (("recomputed", 35), ("corrected", 18)):
        found = lost(blimp_figures.published_accuracies(source), "adjective")
        assert round(found.loc["5-gram"].item()) == points
    # 20 points for the LSTM and 5 for Transformer-XL; 24 for GPT-2 (22 in the text, from the printed table)
    attractors = lost(blimp_figures.published_accuracies(), "attractor").mean(axis=1)
    assert attractors[["LSTM", "Transformer-XL", "GPT-2"]].round().tolist() == [20, 5, 24]


def test_bins_of_a_known_relation():
    """Pairs are right exactly where the margin is wide: accuracy 0 in the lower half of confidence, 1 in the upper."""
    n = 400
    margin = np.linspace(0.01, 4, n)
    scores = pd.DataFrame(
        {"margin": margin, "logp_good": -np.arange(n) / 10 - 5.0, "length_good": 8, "length_bad": 8}
    )
    scores["correct"] = (margin > 2).astype(float)
    run = SimpleNamespace(pairs=scores)
    table = blimp_figures.shallow_predictors({"m": run}, bins=4).set_index("predictor")
    assert table.loc["confidence", "accuracy"].tolist() == [0, 0, 1, 1]
    assert table.loc["probability", "accuracy"].tolist() == [1, 1, 0, 0]
    assert table.loc["perplexity", "accuracy"].tolist() == [0, 0, 1, 1]
    assert table.loc[["length"], "pairs"].tolist() == [n]  # one length: one bin
    assert (table["low"] <= table["accuracy"] + 1e-12).all() and (
        table["accuracy"] <= table["high"] + 1e-12
    ).all()


def test_methods_are_compared_on_shared_pairs():
    table = blimp_figures.recorded_methods(["nobody", "smollm2-135m-instruct"])
    assert set(table) == set(published.blimp_methods_compared()) and set(table["model"]) == {
        "smollm2-135m-instruct"
    }
    assert table.groupby("compared").size().to_dict() == {"one-prefix": 20, "two-prefix": 20}
    row = table.set_index(["paradigm", "compared"]).loc[("wh_island", "one-prefix")]
    assert (row["full_sentence"], row["prefix"]) == (0.737, 0.585)
    drawn = blimp_figures.three_phenomena(table)
    assert drawn["phenomenon"].nunique() == 3 and "whole sentence" in set(drawn["method"])


def test_a_slope_is_the_gain_of_a_doubling():
    words = np.array([1000, 2000, 4000, 8000])
    curve = pd.DataFrame(
        {"model": "m", "phenomenon": "p", "paradigm": "q", "sentences": words, "words": words}
    )
    curve["accuracy"] = [0.5, 0.56, 0.62, 0.68]
    row = doubling_slopes(curve).iloc[0]
    assert (
        row["slope"] == pytest.approx(0.06)
        and row["low"] == pytest.approx(0.06)
        and row["last"] == 0.68
    )


def test_a_model_of_the_laboratory_is_none_of_the_real_ones_whatever_its_folder():
    models = ["smollm2-135m-instruct", "models/lab-lexical-causal/", "/somewhere/gpt2"]
    assert newman.real_models(models) == ["smollm2-135m-instruct", "/somewhere/gpt2"]


def test_the_whole_distribution_is_table_2_with_no_point_hidden():
    curves = charts.with_table2(charts.published_curves(2))
    whole = curves[(curves["side"] == "top") & (curves["cutoff"] == 1.0)].set_index(
        ["model", "construction", "metric"]
    )
    printed = (
        published.table2()
        .query("metric != 'TSE'")
        .set_index(["hf_name", "construction", "metric"])["score"]
    )
    assert len(whole) == len(printed) == 80
    assert (whole["score"].sort_index().to_numpy() == printed.sort_index().to_numpy()).all()
