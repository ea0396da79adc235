"""How far each verb moves with the subject's number: every verb a dot."""

from collections.abc import Callable, Sequence

import altair as alt
import pandas as pd

from tse_book.charts.theme import QUIET, described, needs, scale_of, tips, with_models
from tse_book.model_names import SHOWN_NAMES
from tse_core.datasets.formats import is_file_name, read_file
from tse_core.errors import InputError

ALSO, NEVER = "verbs that are also nouns", "verbs that are never nouns"
ROWS = {"noun": ALSO, "never": NEVER, "": "verbs"}  # of each kind of `Evaluation.verbs`
ROW_COLOURS = {"verbs": "#4b5a68", ALSO: "#c08400", NEVER: "#4b5a68", "be and have": "#4b5a68"}
OTHER_ROW = "#0072b2"
ZERO = "does not move"
SENSITIVITY = "sensitivity (nats)"
ROW_HEIGHT, PANEL_WIDTH = 56, 300  # pixels
DOTS_WIDTH = 430  # pixels of a panel of dots, where there are several, one below the other
GOLDEN_SECTION = 0.6180339887


def read_verbs(path: str) -> pd.DataFrame:
    """A table of `Evaluation.verbs` from a file, as ``tse evaluate --each-verb`` writes it. Raises InputError."""
    if not is_file_name(path):
        raise InputError(
            f"{path}: a figure of verbs is drawn from a file that tse evaluate --each-verb wrote (.csv or .parquet)"
        )
    raw, _ = read_file(path)
    what = f"{path}: a figure of verbs"
    table = needs(raw.cells, "lemma", "kind", "sensitivity", "bias", what=what)
    numbers = table[["sensitivity", "bias"]].apply(pd.to_numeric, errors="coerce")
    return table.assign(**numbers)


def verb_dots(
    verbs: pd.DataFrame,
    *,
    named: Sequence[str] = (),
    quiet: Sequence[str] = (),
    title: str = "How far each verb moves towards the form that agrees",
):
    """Each verb as a dot at its sensitivity (nats), in a row for each kind, a panel for each model.

    Parameters
    ----------
    verbs : lemma, sensitivity and bias (nats); row, what the dots of a row are, or kind, as in `Evaluation.verbs`; model
        where there are several
    named : lemmas whose names are written
    quiet : rows in grey, which are there to compare with
    """
    rows = _rows(verbs, ["lemma", "sensitivity", "bias"], named)
    rows.loc[rows["row"].isin(list(quiet)), "name"] = ""
    order = list(dict.fromkeys(rows["row"]))
    colours = _colours(order, quiet)
    data = alt.Chart(rows.assign(offset=_offsets(rows)))
    domain = [min(0.0, rows["sensitivity"].min()), rows["sensitivity"].max()]
    zero = alt.Chart(pd.DataFrame({"sensitivity": [0.0], "words": [ZERO]})).encode(
        x="sensitivity:Q"
    )
    rule = zero.mark_rule(strokeDash=[4, 3], color=QUIET)
    words = zero.mark_text(align="left", baseline="bottom", dx=4, fontSize=10)
    words = words.encode(y=alt.value(0), text="words:N")

    def panel(model: str):
        base = data.transform_filter(alt.datum.model == model).encode(
            x=alt.X("sensitivity:Q", scale=alt.Scale(domain=domain, nice=True), title=SENSITIVITY),
            y=alt.Y("row:N", sort=order, title=None, axis=alt.Axis(labelLimit=220)),
        )
        dots = base.mark_circle(size=18, opacity=0.55).encode(
            yOffset=alt.YOffset("offset:Q", scale=alt.Scale(domain=[-1.9, 1.9])),
            color=alt.Color("row:N", scale=scale_of(colours), legend=None),
            tooltip=["lemma:N", "row:N", *tips("sensitivity", "bias")],
        )
        layers = alt.layer(rule, dots, *_names(base, 0.4 * ROW_HEIGHT), words)
        return layers.properties(height=ROW_HEIGHT * len(order))

    description = f"Dot plot: a dot for each of {len(rows):,} verbs, in {len(order)} rows."
    return described(_panels(rows, panel, DOTS_WIDTH, columns=1), title, description)


def verb_scatter(
    verbs: pd.DataFrame, across: str, *, named: Sequence[str] = (), axis: str = "", title: str
):
    """Each verb as a dot, its sensitivity (nats) up, a column such as noun_share or bias across; a panel for each model.

    With the bias across, a line shows where the two cancel: after singular subjects, verbs above it are right on average.
    Other arguments are those of `verb_dots`; `axis` is the heading of the column.
    """
    rows = _rows(verbs, ["lemma", "sensitivity", across], named)
    colours = _colours(list(dict.fromkeys(rows["row"])), ())
    data = alt.Chart(rows)
    legend = alt.Legend(orient="top", title=None, labelLimit=220, symbolOpacity=1)
    heading = axis or across.replace("_", " ")
    ends = [float(rows["sensitivity"].min()), float(rows["sensitivity"].max())]
    line = alt.Chart(pd.DataFrame({"bias": ends, "sensitivity": ends}))
    line = line.mark_line(strokeDash=[4, 3], color=QUIET).encode(x="bias:Q", y="sensitivity:Q")

    def panel(model: str):
        base = data.transform_filter(alt.datum.model == model).encode(
            x=alt.X(f"{across}:Q", title=heading, scale=alt.Scale(padding=20)),
            y=alt.Y("sensitivity:Q", title=SENSITIVITY),
        )
        dots = base.mark_circle(size=22, opacity=0.55).encode(
            color=alt.Color("row:N", scale=scale_of(colours), legend=legend),
            tooltip=["lemma:N", "row:N", *tips("sensitivity", across)],
        )
        layers = [dots, *_names(base, 9)]
        if across == "bias":
            layers.insert(0, line)
        return alt.layer(*layers).properties(height=260)

    description = f"Scatter plot of {len(rows):,} verbs: {heading} across, sensitivity up."
    return described(_panels(rows, panel), title, description)


def fifth_lines(rows: pd.DataFrame, title: str):
    """The mean sensitivity over fifths of the verbs, from unlikely to likely, a panel for each model.

    `rows`: model, verbs (a row's name), fifth (1 to 5), sensitivity (nats).
    """
    rows = with_models(needs(rows, "verbs", "fifth", "sensitivity", what="a chart of fifths"))
    colours = _colours(list(dict.fromkeys(rows["verbs"])), ())
    data = alt.Chart(rows)
    legend = alt.Legend(orient="top", title=None, labelLimit=220, symbolOpacity=1)
    highest = float(rows["sensitivity"].max())

    def panel(model: str):
        base = data.transform_filter(alt.datum.model == model).encode(
            x=alt.X("fifth:O", title="fifth of the verbs", axis=alt.Axis(labelAngle=0)),
            y=alt.Y(
                "sensitivity:Q", title=SENSITIVITY, scale=alt.Scale(domain=[0, highest], nice=True)
            ),
            color=alt.Color("verbs:N", scale=scale_of(colours), legend=legend),
            tooltip=["verbs:N", "fifth:O", *tips("sensitivity")],
        )
        points = base.mark_point(filled=True, size=45, opacity=1)
        return alt.layer(base.mark_line(), points).properties(height=200)

    return described(
        _panels(rows, panel), title, "Line charts of the mean sensitivity over fifths of the verbs."
    )


def _rows(verbs: pd.DataFrame, columns: Sequence[str], named: Sequence[str]) -> pd.DataFrame:
    """What a chart draws: model, row, the columns, and name where it is written. Raises InputError."""
    rows = with_models(needs(verbs, *columns, what="a chart of verbs"))
    if "row" not in rows:
        kinds = needs(rows, "kind", what="a chart of verbs")["kind"].fillna("")
        rows = rows.assign(row=kinds.map(ROWS))
    rows = rows.assign(name=rows["lemma"].where(rows["lemma"].isin(list(named)), ""))
    rows = rows[["model", "row", *columns, "name"]].dropna(subset=list(columns)).round(3)
    if rows.empty:
        raise InputError(
            "a chart of verbs needs verbs after subjects of both numbers; there is none"
        )
    return rows.reset_index(drop=True)


def _colours(rows: Sequence[str], quiet: Sequence[str]) -> dict[str, str]:
    """The colour of each row."""
    colours = {}
    for row in rows:
        colours[row] = QUIET if row in quiet else ROW_COLOURS.get(row, OTHER_ROW)
    return colours


def _names(base, away: float) -> list:
    """The names of the verbs that have one, so many pixels above their dots, every other one of a row below."""
    named = base.transform_filter("datum.name != ''").transform_window(
        place="row_number()", sort=[alt.SortField("sensitivity")], groupby=["row"]
    )
    above = named.transform_filter("datum.place % 2 == 1").mark_text(dy=-away, fontSize=11)
    below = named.transform_filter("datum.place % 2 == 0").mark_text(dy=away, fontSize=11)
    return [layer.encode(text="name:N") for layer in (above, below)]


def _panels(
    rows: pd.DataFrame,
    panel: Callable[[str], alt.LayerChart],
    width: int = PANEL_WIDTH,
    columns: int = 2,
):
    """The panel of each model, with its name where there are several."""
    models = list(dict.fromkeys(rows["model"]))
    if len(models) == 1:
        return panel(models[0]).properties(width="container")
    panels = []
    for model in models:
        heading = SHOWN_NAMES.get(model, model)
        panels.append(panel(model).properties(width=width, title=heading))
    return alt.concat(*panels, columns=columns)


def _offsets(rows: pd.DataFrame) -> pd.Series:
    """Where each dot stands across its row, from -1 to 1, so that neighbours stand apart."""
    return rows.groupby(["model", "row"])["sensitivity"].rank(method="first").map(spread)


def spread(rank: float) -> float:
    """Where the dot of a rank stands, from -1 to 1: the golden section spreads neighbours evenly, however many."""
    return 2 * ((rank * GOLDEN_SECTION) % 1) - 1
