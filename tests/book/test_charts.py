"""Charts draw the numbers they are given: read back from the charts' own specifications."""

import base64
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tse_book import charts
from tse_book.charts.cutoffs import FEW, coverage_curves, cutoff_curves, invalid_curves, position
from tse_book.charts.interactive import cutoff_slider
from tse_book.charts.paradigms import accuracy_dots, accuracy_lines
from tse_book.charts.scores import bars, form_bars, heat_map, table2_dots
from tse_book.charts.suites import region_profile, suite_accuracy
from tse_book.charts.tables import download_table
from tse_book.charts.theme import (
    CONSTRUCTIONS,
    FORM_COLOURS,
    KIND_COLOURS,
    METRIC_COLOURS,
    ON_DARK,
    chart_data,
    colours_of,
)
from tse_book.charts.truth import truth_vs_measured
from tse_core.errors import InputError
from tse_core.metrics.table import PAPER_CUTOFFS
from tse_core.paths import data_folder


@pytest.fixture(scope="module")
def reference():
    """A recorded run as the table that ``Evaluation.curves()`` gives."""
    run = json.loads((Path(__file__).parents[1] / "golden" / "end_to_end.json").read_text())
    rows = []
    for metric, (side, cutoffs) in itertools.product(("ew", "mw"), PAPER_CUTOFFS._asdict().items()):
        found = run[metric]
        values = zip(cutoffs, found[side], found[f"mass_{side}"], found[f"invalid_{side}"], strict=True)
        rows += [("Simple", metric.upper(), side, *row) for row in values]
    return pd.DataFrame(rows, columns=["construction", "metric", "side", "cutoff", "score", "coverage", "invalid"])


@pytest.fixture(scope="module")
def figure1():
    table = pd.read_csv(data_folder() / "published" / "newman_fig1_digitised_bert-large-cased.csv")
    return table.rename(columns={"score_estimate": "score"})


@pytest.fixture(scope="module")
def table2():
    table = pd.read_csv(data_folder() / "published" / "newman_table2.csv").rename(columns={"template": "construction"})
    long = table.melt(["construction", "model"], ["MW", "EW", "TSE"], var_name="metric", value_name="score")
    return long.assign(source="published")


@pytest.fixture(scope="module")
def truth():
    """The scores of a laboratory model beside the true ones."""
    table = pd.read_csv(data_folder() / "recorded" / "laboratory" / "scores.csv")
    return table[table["model"].eq("lab-lexical-causal") & table["band"].eq("all")]


@pytest.fixture(scope="module")
def every_spec(reference, figure1, table2, truth):
    ew = table2[table2["metric"] == "EW"]
    charts = [
        cutoff_curves(figure1),
        cutoff_curves(reference, "EW", published=figure1.assign(beside="")),
        coverage_curves(reference),
        invalid_curves(reference),
        table2_dots(table2),
        truth_vs_measured(truth, "A known truth"),
        heat_map(ew, "construction", "model", "score", title="EW"),
        bars(ew[ew["model"] == "GPT2"], "construction", "score", title="EW of GPT-2"),
    ]
    return [chart.to_dict() for chart in charts]


@pytest.fixture(scope="module")
def two_models(figure1):
    """The chart of two models, *Simple* in colour."""
    return cutoff_curves(pd.concat([figure1.assign(model="one"), figure1.assign(model="two")]), chosen="Simple")


CURVES = [(cutoff_curves, "score", "EW"), (cutoff_curves, "score", "MW")]
CURVES += [(coverage_curves, "coverage", "EW"), (invalid_curves, "invalid", "EW")]


@pytest.mark.parametrize(("draw", "value", "metric"), CURVES)
def test_curves_equal_the_numbers_of_the_reference_run(reference, draw, value, metric):
    own = reference[reference["metric"] == metric]
    drawn = chart_data(draw(own)).set_index(["side", "cutoff"])[value]
    expected = own.set_index(["side", "cutoff"])[value].dropna()
    assert len(drawn) == len(expected) > 15
    assert drawn[expected.index].tolist() == expected.tolist()


def test_published_curves_stand_behind_the_model_they_are_meant_for(reference, figure1):
    both = pd.concat([reference.assign(model="one"), reference.assign(model="two")])
    drawn = chart_data(cutoff_curves(both, "EW", published=figure1.assign(model="bert", beside="two")))
    behind = drawn[drawn["source"] == "beside"]
    assert set(behind["model"]) == {"two"} and len(behind) == (figure1["metric"] == "EW").sum()
    assert (drawn["source"] == "measured").sum() == 2 * 16


def test_what_the_cut_offs_alone_would_give_is_a_band_behind_the_curves(figure1):
    null = figure1.assign(null_low=figure1["score"] - 0.1, null_high=figure1["score"])
    chart = cutoff_curves(null, "EW")
    drawn = chart.to_dict()
    assert chart_data(chart)["null_low"].notna().any()
    assert '"type": "area"' in json.dumps(drawn) and "Grey band" in json.dumps(drawn)
    whole = cutoff_curves(figure1, "EW").to_dict()
    assert "Grey band" not in json.dumps(whole) and whole["width"] == "container"


def test_a_panel_for_each_model_and_metric_and_one_construction_in_colour(figure1, two_models):
    spec = two_models.to_dict()
    menu = next(p for p in spec["params"] if p["name"] == "shown")
    assert menu["value"] == "Simple" and set(menu["bind"]["options"]) == set(figure1["construction"])
    titles = [panel["title"]["text"] for panel in spec["concat"]]
    assert titles == ["one · EW", "one · MW", "two · EW", "two · MW"] and spec["columns"] == 2


def test_intervals_stand_on_the_axis_of_the_score_only(reference):
    bounded = reference.assign(low=0.1, high=0.2)
    assert {"low", "high"} <= set(chart_data(cutoff_curves(bounded, "EW")))
    for chart in (coverage_curves(bounded), invalid_curves(bounded)):
        assert not {"low", "high", "score"} & set(chart_data(chart))


def test_points_that_rest_on_few_contexts_are_drawn_faint_and_counted(reference):
    few = reference.assign(contexts=20)
    drawn = chart_data(cutoff_curves(few.assign(invalid=0.25), "EW"))
    assert (drawn["counted"] == 15).all()
    spec = cutoff_curves(few.assign(invalid=0.9), "EW").to_dict()
    assert f"datum.counted < {FEW}" in json.dumps(spec) and "fewer than" in " ".join(spec["title"]["subtitle"])
    assert "fewer than" not in " ".join(cutoff_curves(few.assign(invalid=0.0), "EW").to_dict()["title"]["subtitle"])


def test_the_joined_axis_is_linear_in_top_p_and_logarithmic_in_bottom_p():
    top = position("top", np.array([0.1, 0.4, 0.7, 1.0]))
    bottom = position("bottom", np.array([1e-3, 1e-4, 1e-5, 1e-6]))
    assert np.diff(top) == pytest.approx(np.diff(top)[0]) and np.diff(bottom) == pytest.approx(np.diff(bottom)[0])
    assert top[0] == 0 and bottom[-1] == pytest.approx(1) and top[-1] < position("bottom", 0.5)


def test_every_chart_has_a_title_and_a_description_and_fits_a_light_and_a_dark_page(every_spec):
    for spec in every_spec:
        assert len(" ".join(spec["title"]["text"])) >= 2 and max(map(len, spec["title"]["text"])) <= 48
        assert len(spec["description"].split()) > 4 and "nan" not in spec["description"]
        widths = [spec.get("width")] + [panel.get("width") for panel in spec.get("vconcat", [])]
        assert all(w is None or w == "container" or w <= 640 for w in widths)
        assert spec["config"]["background"] == "transparent"
        assert not re.search(r"(label|title|grid|domain|tick)Color", json.dumps(spec["config"]))


def test_a_construction_keeps_its_colour_whatever_stands_beside_it_and_other_names_get_their_own():
    for names in (["BLiMP"], ["BLiMP", "Simple"], ["something else", "BLiMP", "another"]):
        scale = colours_of(names)
        assert dict(zip(scale.domain, scale.range, strict=True))["BLiMP"] == CONSTRUCTIONS["BLiMP"]
        assert len(set(scale.range)) == len(names)


MACHADO = {  # simulated dichromacy on linear RGB (Machado, Oliveira & Fernandes 2009, severity 1)
    "protanopia": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deuteranopia": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0475], [-0.0118, 0.0429, 0.9689]],
    "tritanopia": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


def linear(hexes):
    srgb = np.array([[int(h[i : i + 2], 16) / 255 for i in (1, 3, 5)] for h in hexes])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    cones = [[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]
    lab = [[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]]
    return np.cbrt(np.clip(rgb, 0, 1) @ np.array(cones).T) @ np.array(lab).T


DARK = [ON_DARK.get(colour, colour) for colour in CONSTRUCTIONS.values()]


@pytest.mark.parametrize("palette", [list(CONSTRUCTIONS.values()), DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", [None, *MACHADO])
def test_the_ten_colours_differ_for_every_reader(vision, palette):
    rgb = linear(palette)
    seen = oklab(rgb @ np.array(MACHADO[vision]).T if vision else rgb)
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert min(distances) > 0.09


def test_colours_stand_out_from_the_white_and_the_dark_page():
    kinds = KIND_COLOURS.values()
    dark_kinds = [ON_DARK[colour] for colour in kinds]
    for palettes in ((CONSTRUCTIONS.values(), DARK), (METRIC_COLOURS.values(),) * 2, (kinds, dark_kinds)):
        light, dark = (linear(palette) @ [0.2126, 0.7152, 0.0722] for palette in palettes)
        assert (1.05 / (light + 0.05)).min() > 3 and ((dark + 0.05) / 0.057).min() > 3


def test_the_dark_page_changes_just_the_colours_that_it_is_said_to():
    css = (Path(__file__).parents[2] / "book" / "assets" / "tse.css").read_text()
    rules = re.findall(r'dark"\] .vega-embed svg \[(fill|stroke)="(#\w+)"\] { \1: (#\w+); }', css)
    assert sorted(rules) == sorted((a, *pair) for a in ("fill", "stroke") for pair in ON_DARK.items())


def test_the_page_and_the_charts_have_the_same_colours():
    css = (Path(__file__).parents[2] / "book" / "assets" / "tse.css").read_text()
    charts = {"never": KIND_COLOURS["never nouns"], "also": KIND_COLOURS["also nouns"]}
    charts |= {name.lower(): METRIC_COLOURS[name] for name in ("TSE", "EW", "MW")}
    for name, colour in charts.items():
        assert re.findall(rf"--tse-{name}: (#\w+);", css) == [colour, ON_DARK[colour]], name
    forms = {"good": "correct", "bad": "wrong", "past": "past", "other": "other"}
    for name, form in forms.items():
        assert f"--tse-{name}: {FORM_COLOURS[form]};" in css, name


def test_words_at_a_slot_have_a_panel_for_each_sentence_and_the_colours_of_their_forms():
    rows = pd.DataFrame({"token": [" laughs", " laugh"], "probability": [0.2, 0.1], "form": ["correct", "wrong"]})
    both = pd.concat([rows.assign(sentence="She ___."), rows.assign(sentence="It ___.")])
    spec = form_bars(both, title="t").to_dict()
    assert [panel["title"]["text"] for panel in spec["hconcat"]] == ["She ___.", "It ___."]
    assert spec["hconcat"][0]["encoding"]["color"]["scale"]["range"] == list(FORM_COLOURS.values())


def test_a_download_holds_the_table_and_escapes_its_name():
    table = pd.DataFrame({"word": ['say "hi"', "<b>"], "score": [0.1, 1 / 3]})
    html = download_table(table, 'my"><script>', label="a < b").data
    assert "<script" not in html and "a &lt; b" in html and 'download="my-script-.csv"' in html
    text = base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()
    assert text.splitlines()[0] == "word,score" and float(text.splitlines()[2].split(",")[1]) == 1 / 3


def test_a_missing_column_is_named_and_a_table_or_metric_without_rows_is_refused(figure1):
    with pytest.raises(InputError, match="needs a column 'cutoff'; the table has: construction, metric, side, score"):
        cutoff_curves(pd.DataFrame(columns=["construction", "metric", "side", "score"]))
    with pytest.raises(InputError, match="chart of TSE: the table has no rows"):
        cutoff_curves(figure1, "TSE")
    with pytest.raises(InputError, match="no rows"):
        table2_dots(pd.DataFrame(columns=["construction", "metric", "score"]))


def test_the_slider_has_a_step_for_every_cutoff_from_likely_to_unlikely(reference):
    chart = cutoff_slider(reference)
    rows = chart_data(chart)
    bind = next(p["bind"] for p in chart.to_dict()["params"] if p["name"] == "step")
    assert (bind["min"], bind["max"]) == (1, 19)
    order = rows.drop_duplicates("step").sort_values("step")["label"].tolist()
    assert order[:2] == ["top 10 %", "top 20 %"] and order[11:13] == ["top 100 %", "bottom 50 %"]
    shown = rows.query("label == 'bottom 1 %' and metric == 'EW'")["score"].item()
    whole = reference.query("side == 'bottom' and cutoff == 0.01 and metric == 'EW'")["score"].item()
    assert shown == round(whole, 6)


def legends(spec) -> list[dict]:
    """The legends of a compiled chart, those of its panels too."""
    parts = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else []
    own = spec.get("legends", []) if isinstance(spec, dict) else []
    return own + [legend for part in parts for legend in legends(part)]


def test_a_legend_that_chooses_answers_to_clicks():
    vl_convert = pytest.importorskip("vl_convert")
    rows = pd.DataFrame(
        {"name": ["a", "b"] * 2, "model": ["x", "x", "y", "y"], "accuracy": 0.5, "low": 0.4, "high": 0.6}
    )
    suites = rows.rename(columns={"name": "suite"}).assign(correct=1, items=2)
    regions = pd.DataFrame({"model": "m", "condition": ["a", "b"], "region": 1, "name": "verb", "bits": [1.0, 2.0]})
    charts = [accuracy_dots(rows, "name", title="t"), accuracy_lines(rows, "name", title="t"),
              accuracy_lines(rows.assign(part="one"), "name", panel="part", title="t"),
              suite_accuracy(suites, suites, title="t"),
              region_profile(regions, title="t", critical={1})]  # fmt: skip
    for chart in charts:
        drawn = legends(vl_convert.vegalite_to_vega(json.dumps(chart.to_dict())))
        assert drawn and all(legend["encode"]["symbols"]["interactive"] for legend in drawn)


NODES = pd.DataFrame(
    [
        ("a", "", " mod", 0.25, "", "", None),
        ("ab", "a", "ern", 0.5, "modern", "wrong", 0.1),
        ("abc", "ab", "s", 0.2, "moderns", "correct", 0.025),
        ("ad", "a", "els", 0.04, "models", "correct", 0.01),
        ("e", "", " is", 0.001, "is", "correct", 0.001),
    ],
    columns=["node", "parent", "token", "step", "form", "agrees", "probability"],
)


def test_each_token_has_a_place_and_no_two_share_one():
    chart = charts.word_tree(NODES, context="The fox", title="t")
    rows = chart_data(chart).set_index("node")
    assert rows["x"].to_dict() == {"": 0, "a": 1, "ab": 2, "abc": 3, "ad": 2, "e": 1}
    assert rows["y"].to_dict() == {"": 0, "a": 0, "ab": 0, "abc": 0, "ad": 1, "e": 2}
    assert rows["share"].to_dict() == {"": "", "a": "25%", "ab": "50%", "abc": "20%", "ad": "4e-2", "e": "1e-3"}
    assert rows.loc["", "token"] == "The fox"
    assert "NaN" not in chart.to_json(validate=False)
