"""Charts draw the numbers they are given: read back from the charts' own specifications, of the paper's figures too."""

import base64
import itertools
import re
import sys
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import pytest

import tse_book
import tse_core
from tse_book import charts, published
from tse_book.charts import chart_data, save_chart
from tse_book.charts.cutoffs import position
from tse_book.charts.theme import (
    CONSTRUCTIONS,
    FORM_COLOURS,
    KIND_COLOURS,
    METRIC_COLOURS,
    OTHER,
    colours_of,
)
from tse_core import InputError


def test_the_joined_axis_is_linear_in_top_p_and_logarithmic_in_bottom_p():
    top = position("top", np.array([0.1, 0.4, 0.7, 1.0]))
    bottom = position("bottom", np.array([1e-3, 1e-4, 1e-5, 1e-6]))
    assert np.diff(top) == pytest.approx(np.diff(top)[0]) and np.diff(bottom) == pytest.approx(
        np.diff(bottom)[0]
    )
    assert top[0] == 0 and bottom[-1] == pytest.approx(1) and top[-1] < position("bottom", 0.5)


def test_a_construction_keeps_its_colour_whatever_stands_beside_it_and_other_names_get_their_own():
    for names in (["BLiMP"], ["BLiMP", "Simple"], ["something else", "BLiMP", "another"]):
        scale = colours_of(names)
        assert dict(zip(scale.domain, scale.range, strict=True))["BLiMP"] == CONSTRUCTIONS["BLiMP"]
        assert len(set(scale.range)) == len(names)


MACHADO = {  # simulated dichromacy on linear RGB (Machado, Oliveira & Fernandes 2009, severity 1)
    "protanopia": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deuteranopia": [
        [0.3673, 0.8606, -0.2280],
        [0.2801, 0.6725, 0.0475],
        [-0.0118, 0.0429, 0.9689],
    ],
    "tritanopia": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


def linear(hexes):
    srgb = np.array([[int(h[i : i + 2], 16) / 255 for i in (1, 3, 5)] for h in hexes])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    cones = [[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]
    lab = [[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]]
    return np.cbrt(np.clip(rgb, 0, 1) @ np.array(cones).T) @ np.array(lab).T


CSS = (Path(__file__).parents[2] / "book" / "assets" / "tse.css").read_text()
RULES = CSS.partition('html[data-theme="dark"] .vega-embed svg {')[2].partition("& text")[0]
ON_DARK = {f"#{light}": colour for light, colour in re.findall(r"--mark-(\w+): (#\w+);", RULES)}
DARK = [ON_DARK[colour] for colour in CONSTRUCTIONS.values()]


@pytest.mark.parametrize("vision", [np.eye(3), *map(np.array, MACHADO.values())])
def test_the_ten_colours_differ_for_every_reader(vision):
    for palette in (list(CONSTRUCTIONS.values()), DARK):
        seen = oklab(linear(palette) @ vision.T)
        assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.09


def test_the_page_has_the_colours_of_the_charts_and_the_dark_page_changes_just_those_that_it_is_said_to():
    assert set(ON_DARK) == {
        *CONSTRUCTIONS.values(),
        *KIND_COLOURS.values(),
        *METRIC_COLOURS.values(),
        OTHER[1],
    }
    charts = {"never": KIND_COLOURS["never nouns"], "also": KIND_COLOURS["also nouns"]}
    charts |= {name.lower(): METRIC_COLOURS[name] for name in ("TSE", "EW", "MW")}
    for name, colour in charts.items():
        assert re.findall(rf"--tse-{name}: (#\w+);", CSS) == [colour, ON_DARK[colour]], name
    forms = {"good": "correct", "bad": "wrong", "past": "past", "other": "other"}
    for name, form in forms.items():
        assert f"--tse-{name}: {FORM_COLOURS[form]};" in CSS, name


def test_a_download_holds_the_table_and_escapes_its_name():
    table = pd.DataFrame({"word": ['say "hi"', "<b>"], "score": [0.1, 1 / 3]})
    html = charts.download_table(table, 'my"><script>', label="a < b").data
    assert "<script" not in html and "a &lt; b" in html and 'download="my-script-.csv"' in html
    text = base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()
    assert (
        text.splitlines()[0] == "word,score" and float(text.splitlines()[2].split(",")[1]) == 1 / 3
    )


DATA = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"]


@pytest.fixture(scope="module")
def tidy(tiny_causal):
    return pd.concat(
        [tse_core.evaluate(tiny_causal, name, sample=20).tidy() for name in DATA], ignore_index=True
    )


@pytest.mark.slow
def test_the_slider_has_a_step_for_every_cutoff_from_likely_to_unlikely(tidy):
    curves = tidy.query("construction == 'Simple' and side != ''")
    chart = charts.cutoff_slider(curves)
    rows = chart_data(chart)
    bind = next(p["bind"] for p in chart.to_dict()["params"] if p["name"] == "step")
    assert (bind["min"], bind["max"]) == (1, 19)
    order = rows.drop_duplicates("step").sort_values("step")["label"].tolist()
    assert order[:2] == ["top 10 %", "top 20 %"] and order[11:13] == ["top 100 %", "bottom 50 %"]
    shown = rows.query("label == 'top 50 %' and metric == 'EW'")["score"].item()
    whole = curves.query("side == 'top' and cutoff == 0.5 and metric == 'EW'")["score"].item()
    assert shown == round(whole, 6)


def drawn(chart, source, column):
    rows = chart_data(chart)
    return rows[(rows["source"] == source) & rows[column].notna()]


@pytest.mark.parametrize(
    ("figure", "column", "points"),
    [
        ("figure1", "score", 38),
        ("figure2", "score", 76),
        ("figure3", "coverage", 38),
        ("figure4", "invalid", 38),
    ],
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
    whole = rows[(rows["side"] == "top") & (rows["cutoff"] == 1)].set_index(
        ["construction", "metric"]
    )["score"]
    printed = (
        published.table2()
        .query("hf_name == 'gpt2-xl'")
        .set_index(["construction", "metric"])["score"]
    )
    assert len(whole) == 4 and all(printed[key] == value for key, value in whole.items())
    rows = chart_data(tse_book.plot(tidy, "table2", beside="roberta-large"))
    assert rows.groupby("source").size().to_dict() == {"measured": 6, "published": 6}
    simple = rows.query("source == 'published' and construction == 'Simple' and metric == 'EW'")[
        "score"
    ]
    assert simple.item() == 0.93


def test_other_results_and_two_runs_of_one_model_are_refused(tidy):
    with pytest.raises(InputError, match="the results hold no TSE, EW and MW"):
        tse_book.plot(tidy.assign(metric="accuracy"), "figure2")
    with pytest.raises(InputError, match="the results hold several runs of tiny-causal"):
        tse_book.plot(pd.concat([tidy, tidy]), "figure2")
    with pytest.raises(InputError, match="gpt2-xl was published for .*; the results hold others"):
        tse_book.plot(
            tidy.assign(construction=tidy["construction"] + "!"), "figure2", beside="gpt2-xl"
        )


@pytest.mark.slow
def test_a_figure_is_written_as_a_page_and_as_pictures(tidy, tmp_path, monkeypatch):
    pytest.importorskip("vl_convert")
    chart = tse_book.plot(tidy, "figure2", chosen="Simple")
    for ending in (".svg", ".png", ".pdf", ".html"):
        save_chart(chart, tmp_path / f"figure{ending}")
    words = re.sub("<[^>]*>", " ", (tmp_path / "figure.svg").read_text())
    assert "In colour: Simple." in words and "Choose the construction" not in words
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")
    assert "https://cdn" not in (tmp_path / "figure.html").read_text()[:20000]
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    save_chart(chart, tmp_path / "light.html")
    with pytest.raises(
        InputError, match="pictures need one package more: pip install vl-convert-python"
    ):
        save_chart(chart, tmp_path / "figure.svg")


def test_the_command_draws_a_results_file(tse, tidy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # whose copy of Vega takes long to read
    tidy.to_csv("run.csv", index=False)
    code, out, _ = tse("plot", "run.csv", "--figure", "table2", "--beside", "gpt2-xl")
    assert (code, out) == (0, "written: table2-tiny-causal.html\n")


def test_a_suite_in_no_circuit_stands_below_a_heading_of_its_own():
    suites = pd.DataFrame(
        {"circuit": ["Licensing", None], "suite": ["npi", "nn"], "model": "m", "accuracy": 0.5}
    )
    suites = suites.assign(correct=5, items=10)
    drawn = charts.suite_accuracy(suites, suites, title="Every suite").to_json()
    assert '"In no circuit"' in drawn and '"nn"' in drawn
    assert not re.search(r"\bnan\b|, None\]", drawn)


def a_row_a_verb(**columns) -> pd.DataFrame:
    rows = [
        ("plan", "noun", 0.5, 1.0),
        ("show", "noun", 1.5, 1.5),
        ("know", "never", 4.0, 0.2),
        ("be", "never", np.nan, 0.0),
    ]
    return pd.DataFrame(rows, columns=["lemma", "kind", "sensitivity", "bias"]).assign(**columns)


def test_every_verb_that_has_a_sensitivity_is_a_dot_at_it_in_the_row_of_its_kind():
    data = chart_data(charts.verb_dots(a_row_a_verb(), named=["plan"]))
    dots = data[data["lemma"].notna()]
    assert dots.set_index("lemma")["sensitivity"].to_dict() == {
        "plan": 0.5,
        "show": 1.5,
        "know": 4.0,
    }
    assert dots["row"].tolist() == ["verbs that are also nouns"] * 2 + [
        "verbs that are never nouns"
    ]
    assert dots["name"].tolist() == ["plan", "", ""]
    assert dots["offset"].between(-1, 1).all() and dots["offset"].nunique() > 1
    two = charts.verb_dots(
        pd.concat([a_row_a_verb(model=name) for name in ("one", "other")]), quiet=["verbs"]
    )
    assert len(two.concat) == 2
    with pytest.raises(InputError, match="a chart of verbs needs a column 'bias'"):
        charts.verb_dots(a_row_a_verb().drop(columns="bias"))
    with pytest.raises(InputError, match="subjects of both numbers; there is none"):
        charts.verb_dots(a_row_a_verb(sensitivity=np.nan))


def test_the_bias_across_has_the_line_on_which_it_cancels_the_sensitivity():
    chart = charts.verb_scatter(a_row_a_verb(), "bias", title="Both").to_dict()
    assert chart["layer"][0]["mark"]["type"] == "line"
    (line,) = [values for values in chart["datasets"].values() if "lemma" not in values[0]]
    assert all(point["bias"] == point["sensitivity"] for point in line)
    shares = charts.verb_scatter(
        a_row_a_verb(noun_share=0.5), "noun_share", title="Shares"
    ).to_dict()
    assert len(shares["layer"]) == len(chart["layer"]) - 1


def test_the_command_draws_a_file_of_verbs(tmp_path):
    path = tmp_path / "verbs.csv"
    a_row_a_verb(model="mine").to_csv(path, index=False)
    assert charts.read_verbs(str(path))["sensitivity"].tolist()[:3] == [0.5, 1.5, 4.0]
    with pytest.raises(InputError, match="tse evaluate --each-verb wrote"):
        charts.read_verbs("4f2a91")
    with pytest.raises(InputError, match="verbs.csv: a figure of verbs needs a column 'bias'"):
        a_row_a_verb().drop(columns="bias").to_csv(path, index=False)
        charts.read_verbs(str(path))


def test_a_chart_in_a_notebook_has_its_title_and_description_in_words():
    chart = alt.Chart(pd.DataFrame({"a": [1]})).mark_point().encode(x="a")
    title = "A title so long that on a phone it stands in more than one line"
    bundle = charts.theme.described(chart, title, "One dot.")._repr_mimebundle_()
    assert bundle["text/plain"] == f"{title}\nOne dot." and "<script" in bundle["text/html"]
