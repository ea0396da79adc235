"""The paper's figures for any run: what is drawn is the run and the published model, written as page or picture."""

import re
import sys

import pandas as pd
import pytest

import tse_book
import tse_core
from tse_book import published
from tse_book.charts import chart_data, save_chart
from tse_core import InputError

DATA = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"]


@pytest.fixture(scope="module")
def tidy(tiny_causal):
    return pd.concat([tse_core.evaluate(tiny_causal, name, sample=20).tidy() for name in DATA], ignore_index=True)


def drawn(chart, source, column):
    rows = chart_data(chart)
    return rows[(rows["source"] == source) & rows[column].notna()]


@pytest.mark.parametrize(
    ("figure", "column", "points"),
    [("figure1", "score", 38), ("figure2", "score", 76), ("figure3", "coverage", 38), ("figure4", "invalid", 38)],
)
def test_a_figure_draws_every_number_of_the_run_that_has_a_value(tidy, figure, column, points):
    keys = ["construction", "metric", "side", "cutoff"]
    rows = drawn(tse_book.plot(tidy, figure), "measured", column).set_index(keys)[column]
    curves = tidy[tidy["side"] != ""]
    if figure == "figure1":
        curves = curves[curves["construction"] == "Simple"]  # of these two the paper draws
    if column != "score":
        curves = curves[curves["metric"] == "EW"]
    expected = curves.set_index(keys)[column].dropna()
    assert len(curves) == points and len(rows) == len(expected) > 0
    assert (rows == expected[rows.index]).all()


def test_the_published_model_stands_behind_with_its_own_numbers(tidy):
    rows = drawn(tse_book.plot(tidy, "figure2", beside="gpt2-xl"), "beside", "score")
    assert set(rows["construction"]) == {"Simple", "VP coordination"}
    whole = rows[(rows["side"] == "top") & (rows["cutoff"] == 1)].set_index(["construction", "metric"])["score"]
    printed = published.table2().query("hf_name == 'gpt2-xl'").set_index(["construction", "metric"])["score"]
    assert len(whole) == 4 and all(printed[key] == value for key, value in whole.items())
    rows = chart_data(tse_book.plot(tidy, "table2", beside="roberta-large"))
    assert rows.groupby("source").size().to_dict() == {"measured": 6, "published": 6}
    simple = rows.query("source == 'published' and construction == 'Simple' and metric == 'EW'")["score"]
    assert simple.item() == 0.93


def test_other_results_and_two_runs_of_one_model_are_refused(tidy):
    with pytest.raises(InputError, match="the results hold no TSE, EW and MW"):
        tse_book.plot(tidy.assign(metric="accuracy"), "figure2")
    with pytest.raises(InputError, match="the results hold several runs of tiny-causal"):
        tse_book.plot(pd.concat([tidy, tidy]), "figure2")
    with pytest.raises(InputError, match="gpt2-xl was published for .*; the results hold others"):
        tse_book.plot(tidy.assign(construction=tidy["construction"] + "!"), "figure2", beside="gpt2-xl")


@pytest.mark.slow
def test_a_figure_is_written_as_a_page_and_as_pictures(tidy, tmp_path, monkeypatch):
    pytest.importorskip("vl_convert")
    chart = tse_book.plot(tidy, "figure2", chosen="Simple")
    for ending in (".svg", ".png", ".html"):
        save_chart(chart, tmp_path / f"figure{ending}")
    words = re.sub("<[^>]*>", " ", (tmp_path / "figure.svg").read_text())
    assert "In colour: Simple." in words and "Choose the construction" not in words
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert "https://cdn" not in (tmp_path / "figure.html").read_text()[:20000]
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    save_chart(chart, tmp_path / "light.html")
    with pytest.raises(InputError, match="pictures need one package more: pip install vl-convert-python"):
        save_chart(chart, tmp_path / "figure.svg")


def test_the_command_draws_a_results_file_or_names_what_is_missing_in_one_line(tse, tidy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tidy.to_csv("run.csv", index=False)
    code, out, _ = tse("plot", "run.csv", "--figure", "table2", "--beside", "gpt2-xl")
    assert (code, out) == (0, "written: table2-tiny-causal.html\n")
    monkeypatch.setattr("tse_book.cli.plot.find_spec", lambda name: None)
    code, _, said = tse("plot", "run.csv")
    assert code == 2 and said == "tse: figures need one package more: pip install 'tse-core[figures]' (or altair)\n"
