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
from tse_book.charts.cutoffs import FEW, cutoff_curves, position
from tse_book.charts.interactive import cutoff_slider
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
from tse_core.metrics.table import PAPER_CUTOFFS


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


def test_a_download_holds_the_table_and_escapes_its_name():
    table = pd.DataFrame({"word": ['say "hi"', "<b>"], "score": [0.1, 1 / 3]})
    html = download_table(table, 'my"><script>', label="a < b").data
    assert "<script" not in html and "a &lt; b" in html and 'download="my-script-.csv"' in html
    text = base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()
    assert text.splitlines()[0] == "word,score" and float(text.splitlines()[2].split(",")[1]) == 1 / 3


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


def test_each_token_of_a_tree_of_words_has_a_place_and_no_two_share_one():
    nodes = [
        ("a", "", " mod", 0.25, "", "", None),
        ("ab", "a", "ern", 0.5, "modern", "wrong", 0.1),
        ("abc", "ab", "s", 0.2, "moderns", "correct", 0.025),
        ("ad", "a", "els", 0.04, "models", "correct", 0.01),
        ("e", "", " is", 0.001, "is", "correct", 0.001),
    ]
    columns = ["node", "parent", "token", "step", "form", "agrees", "probability"]
    chart = charts.word_tree(pd.DataFrame(nodes, columns=columns), context="The fox", title="t")
    rows = chart_data(chart).set_index("node")
    assert rows["x"].to_dict() == {"": 0, "a": 1, "ab": 2, "abc": 3, "ad": 2, "e": 1}
    assert rows["y"].to_dict() == {"": 0, "a": 0, "ab": 0, "abc": 0, "ad": 1, "e": 2}
    assert rows["share"].to_dict() == {"": "", "a": "25%", "ab": "50%", "abc": "20%", "ad": "4e-2", "e": "1e-3"}
    assert rows.loc["", "token"] == "The fox"
