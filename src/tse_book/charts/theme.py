"""The look of every chart: fonts of the page, a transparent ground, a palette that colour-blind readers can tell apart.

The palette was found by search: the smallest distance between two of its ten colours (OKLab) is kept large for normal
vision and under simulated protanopia, deuteranopia and tritanopia, with a contrast of 3:1 on white. What the page shows
instead when it is dark stands in tse.css and was found in the same way.
Constructions with and without "that" share a hue. The two across an object relative clause, whose curves lie side by
side in Figure 1, differ most in lightness.
"""

import base64
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import cast

import altair as alt
import numpy as np
import pandas as pd

from tse_book.model_names import SHOWN_NAMES
from tse_core.errors import InputError
from tse_core.metrics import definitions

CONSTRUCTIONS = {
    "Simple": "#585161",
    "In a sentential complement": "#132aff",
    "VP coordination": "#198868",
    "Across prepositional phrase": "#df7a00",
    "Across subject relative clause": "#9000ae",
    "Across object relative clause": "#720008",
    "Across object relative (no that)": "#e21c1f",
    "In object relative clause": "#8a67c1",
    "In object relative (no that)": "#a880e9",
    "BLiMP": "#25a68f",
}
KIND_COLOURS = {
    "never nouns": "#4b5a68",
    "also nouns": "#c08400",
}  # of verbs: those that are nouns as well
OTHER = ("triangle-up", "#4d6b53")  # a metric that is added
_MARKS = {
    "TSE": ("square", "#7d6a00"),
    "EW": ("circle", "#0072b2"),
    "MW": ("diamond", "#b3578f"),
}  # 3:1 on both pages
METRIC_SHAPES, METRIC_COLOURS = (
    {name: _MARKS.get(name, OTHER)[part] for name in definitions.metrics_of_sums()}
    for part in (0, 1)
)
GREEN, ORANGE = "#009e73", "#d55e00"  # what agrees, what does not
QUIET = "#8a8f98"  # for the background: grey curves, gaps, ticks
FORM_COLOURS = {
    "correct": GREEN,
    "wrong": ORANGE,
    "past": "#5b8fb4",
    "other": QUIET,
}  # of words at a verb slot
FONT = '-apple-system, BlinkMacSystemFont, "Segoe UI", "Helvetica Neue", Arial, sans-serif'


@alt.theme.register("tse", enable=True)
def theme() -> alt.theme.ThemeConfig:
    """No text or axis colours: the page's light or dark theme sets them."""
    return {
        "config": {
            "background": "transparent",
            "font": FONT,
            "view": {"stroke": None},
            "title": {"anchor": "start", "fontSize": 14, "fontWeight": 600, "subtitleFontSize": 12, "offset": 10},
            "axis": {
                "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": 500, "gridOpacity": 0.35, "tickSize": 4,
                "labelSeparation": 6,
                "labelFlush": False,  # an outer label that moves inwards runs into its neighbour on a phone
            },
            "legend": {"labelFontSize": 11, "titleFontSize": 11, "labelLimit": 260, "symbolSize": 80},
            "header": {"labelFontSize": 12, "labelFontWeight": 600},
        }
    }  # fmt: skip


class _InertJSON(json.JSONEncoder):
    """JSON that cannot end the script in which a page holds it, whatever names and sentences it quotes."""

    def encode(self, o) -> str:
        return super().encode(o).replace("<", "\\u003c")


INERT = {"cls": _InertJSON}
alt.renderers.enable("html", json_kwds=INERT)
_as_page = cast(Callable[[dict], dict[str, str]], alt.renderers.get())


def _page_and_words(spec: dict) -> dict[str, str]:
    """A chart as HTML, and its title and description for views that run no scripts."""
    title = spec.get("title", {})
    lines = title.get("text", []) if isinstance(title, dict) else title
    lines = [lines] if isinstance(lines, str) else lines
    words = [" ".join(lines), spec.get("description", "")]
    return _as_page(spec) | {"text/plain": "\n".join(filter(None, words)) or "A chart."}


alt.renderers.register("page-and-words", _page_and_words)
alt.renderers.enable("page-and-words")
alt.data_transformers.disable_max_rows()  # a chart of every verb and model has more rows than altair's 5,000


def colours_of(constructions) -> alt.Scale:
    """The colour scale for these constructions: the ten rows of Table 2 keep theirs everywhere, others take free ones.

    >>> colours_of(["BLiMP", "Simple"]).range
    ['#585161', '#25a68f']
    """
    names = in_order(constructions)
    others = [name for name in names if name not in CONSTRUCTIONS]
    free = [colour for name, colour in CONSTRUCTIONS.items() if name not in names] or list(
        CONSTRUCTIONS.values()
    )
    return scale_of({n: CONSTRUCTIONS.get(n) or free[others.index(n) % len(free)] for n in names})


def in_order(constructions) -> list[str]:
    """Each construction once: those of Table 2 in its order, then the others."""
    present = list(dict.fromkeys(constructions))
    return [name for name in CONSTRUCTIONS if name in present] + [
        n for n in present if n not in CONSTRUCTIONS
    ]


def metric_scales(metrics) -> tuple[list[str], alt.Scale, alt.Scale]:
    """The metrics among these in the book's order, the scale of their colours and that of their shapes."""
    names = [name for name in METRIC_SHAPES if name in set(metrics)]
    return (
        names,
        scale_of({n: METRIC_COLOURS[n] for n in names}),
        scale_of({n: METRIC_SHAPES[n] for n in names}),
    )


def scale_of(looks: Mapping[str, str]) -> alt.Scale:
    """A scale with a colour or shape for each name."""
    return alt.Scale(domain=list(looks), range=list(looks.values()))


def legend(**look) -> alt.Legend:
    """A legend above the chart, without a title."""
    return alt.Legend(title=None, orient="top", **look)


def names(column: str, *, limit: int = 220, sort=None, **axis) -> alt.Y:
    """Names down the left side."""
    return alt.Y(f"{column}:N", sort=sort, title=None, axis=alt.Axis(labelLimit=limit, **axis))


def tips(*columns: str, of: str = ".3f") -> list[alt.Tooltip]:
    """What hovering shows of columns of numbers, in one format."""
    return [alt.Tooltip(f"{column}:Q", format=of) for column in columns]


def axis_start(numbers: pd.DataFrame | pd.Series, most: float = 0.5) -> float:
    """Where an axis begins that shows these numbers: a multiple of 0.1, no higher than `most`."""
    return min(most, float(np.nanmin(numbers.to_numpy(float))) // 0.1 * 0.1)


def menu(name: str, options: Iterable, label: str, value: str | None = None) -> alt.Parameter:
    """A parameter that the reader chooses from a list above the chart; models have their short names in it."""
    options = list(dict.fromkeys(options))
    shown = [SHOWN_NAMES.get(option, str(option)) for option in options]
    bind = alt.binding_select(options=options, labels=shown, name=f"{label} ")
    return alt.param(name=name, value=options[0] if value is None else value, bind=bind)


def chosen_in_legend(field: str, faint: float, name: str):
    """A selection of one entry of the legend, and the opacity that makes the others faint."""
    chosen = alt.selection_point(fields=[field], bind="legend", name=name)
    return chosen, alt.condition(chosen, alt.value(1.0), alt.value(faint))


def described(chart, title: str, description: str, subtitle: str | list[str] | None = None):
    """A title that says what to see, a description for those who cannot see it."""
    parts = [subtitle] if isinstance(subtitle, str) else subtitle or []
    below = [line for part in parts for line in _lines(part, 58)]
    words = alt.TitleParams(_lines(title, 48), subtitle=below or alt.Undefined)
    return chart.properties(title=words, description=description)


def _lines(text: str, width: int) -> list[str]:
    """Lines that a phone can show: titles in a chart do not wrap by themselves. A name with hyphens stays whole, since
    the page joins the lines with spaces and wraps them again.

    >>> _lines("highest: gpt-2-xl-pretrained", 20)
    ['highest:', 'gpt-2-xl-pretrained']
    """
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def filling(chart, rows: pd.Series, row_pixels: int):
    """A chart with a line for each different name in `rows`, as wide as its place on the page."""
    return chart.properties(width="container", height=rows.nunique() * row_pixels)


def chosen_model(chart, models: pd.Series):
    """The chart for one model at a time, chosen from a list; unchanged where there is only one."""
    if models.nunique() < 2:
        return chart
    picked = menu("model", models, "Model")
    return chart.transform_filter(alt.datum.model == picked).add_params(picked)


def chart_data(chart) -> pd.DataFrame:
    """The rows a chart draws, from its specification: the data that a reader of the page gets.

    Rows of several data sets are concatenated; the same data set used twice appears once. A row of lists
    becomes one row for each of their entries.
    """
    tables = []
    for rows in filter(None, chart.to_dict(validate=False).get("datasets", {}).values()):
        table = pd.DataFrame(rows)
        lists = [name for name in table if isinstance(table[name].iloc[0], list)]
        tables.append(table.explode(lists, ignore_index=True).infer_objects() if lists else table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def download_table(table: pd.DataFrame, name: str, label: str | None = None):
    """A link that saves the table as CSV; it works from a folder, without a server.

    >>> download_table(pd.DataFrame({"a": [1]}), "one.csv").data[:40]
    '<p class="tse-download"><a download="one'
    """
    from IPython.display import HTML

    name = re.sub(r"[^\w.-]+", "-", name).removesuffix(".csv") + ".csv"
    text = table.to_csv(index=False).encode()
    rows = f"{len(table):,} row{'' if len(table) == 1 else 's'}"
    label = escape(label or "Download the data")
    address = "data:text/csv;charset=utf-8;base64," + base64.b64encode(text).decode()
    return HTML(
        f'<p class="tse-download"><a download="{escape(name)}" href="{address}">{label} (CSV, {rows})</a></p>'
    )


def packed(rows: pd.DataFrame, by: list[str]):
    """A chart of the rows in which those that share `by` are stored as one with lists, to save space."""
    lists = [column for column in rows if column not in by]
    return alt.Chart(
        rows.groupby(by, sort=False, as_index=False)[lists].agg(list)
    ).transform_flatten(lists)


def with_models(table: pd.DataFrame) -> pd.DataFrame:
    """A copy of the table that has the columns model ("" where unknown) and source ("measured")."""
    model = table["model"].fillna("") if "model" in table else ""
    return table.assign(
        model=model, source=table["source"].fillna("measured") if "source" in table else "measured"
    )


def needs(table: pd.DataFrame, *columns: str, what: str) -> pd.DataFrame:
    """The table, or the error that names the missing column."""
    if missing := [c for c in columns if c not in table]:
        raise InputError(
            f"{what} needs a column {missing[0]!r}; the table has: {', '.join(map(str, table.columns))}"
        )
    if table.empty:
        raise InputError(f"{what}: the table has no rows")
    return table


def listed(names) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    names = list(map(str, names))
    return (
        names[0]
        if len(names) == 1
        else f"{', '.join(names[:-1])} and {names[-1]}"
        if names
        else "none"
    )
