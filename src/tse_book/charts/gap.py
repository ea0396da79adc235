"""What EW measures: scores by kind of subject, over fifths of the verbs, and by preposition."""

import altair as alt

from tse_book.charts.theme import KIND_COLOURS, SHOWN_NAMES, described, needs

SHAPES = ["circle", "diamond"]
_COLOURS = alt.Scale(domain=list(KIND_COLOURS), range=list(KIND_COLOURS.values()))
_LEGEND = alt.Legend(orient="top", symbolOpacity=1, symbolStrokeWidth=0)
_DASHES = alt.Legend(orient="top")


def subject_dots(rows, title: str):
    """EW by kind of subject and of verb with 95 % intervals, a panel for each model.

    Parameters
    ----------
    rows : DataFrame with model, subject, verbs ("never nouns", "also nouns"), EW, low, high
    """
    rows = needs(rows, "model", "subject", "verbs", "EW", "low", "high", what="a chart by kind of subject")
    base = alt.Chart().encode(
        y=alt.Y("subject:N", sort=list(dict.fromkeys(rows["subject"])), title=None, axis=alt.Axis(labelLimit=150)),
        yOffset=alt.YOffset("verbs:N", sort=list(KIND_COLOURS), scale=alt.Scale(paddingOuter=0.3)),
        color=alt.Color("verbs:N", scale=_COLOURS, title=None, legend=_LEGEND),
        tooltip=["model:N", "subject:N", "verbs:N", alt.Tooltip("EW:Q", format=".3f")],
    )
    axis = alt.Scale(domain=[min(0.5, float(rows["low"].min()) // 0.1 * 0.1), 1.0])
    rules = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title="EW", scale=axis), x2="high:Q")
    shape = alt.Shape("verbs:N", scale=alt.Scale(domain=list(KIND_COLOURS), range=SHAPES), title=None, legend=_LEGEND)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(x=alt.X("EW:Q", scale=axis), shape=shape)
    return _panels(rules + points, rows, title, "Dot plots of EW by kind of subject.", 26 * rows["subject"].nunique())


def fifth_lines(rows, title: str):
    """A score over fifths of the verbs from the least likely to the likeliest, a panel for each model.

    Parameters
    ----------
    rows : DataFrame with model, verbs ("never nouns", "also nouns"), number (the subject's), fifth (1 to 5), EW
    """
    rows = needs(rows, "model", "verbs", "number", "fifth", "EW", what="a chart of fifths")
    base = alt.Chart().encode(
        x=alt.X("fifth:O", title="fifth of the verbs, the likeliest last", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("EW:Q", scale=alt.Scale(domain=[min(0.5, float(rows["EW"].min()) // 0.1 * 0.1), 1.0])),
        color=alt.Color("verbs:N", scale=_COLOURS, title=None, legend=_LEGEND),
        detail="number:N",
        tooltip=["model:N", "verbs:N", "number:N", "fifth:O", alt.Tooltip("EW:Q", format=".3f")],
    )
    dashes = alt.StrokeDash("number:N", sort=["singular", "plural"], title="subject", legend=_DASHES)
    lines = base.mark_line().encode(strokeDash=dashes) + base.mark_point(filled=True, size=45, opacity=1)
    return _panels(lines, rows, title, "Line charts of EW over fifths of the verbs.", 220)


def share_lines(rows, title: str):
    """EW of verbs that are also nouns over fifths of how much they are nouns, a line for each subject.

    Parameters
    ----------
    rows : DataFrame with model, subject, fifth (1 to 5), EW
    """
    rows = needs(rows, "model", "subject", "fifth", "EW", what="a chart of noun shares")
    order = list(dict.fromkeys(rows["subject"]))
    base = alt.Chart().encode(
        x=alt.X("fifth:O", title="fifth of the verbs, those that are mostly nouns last", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("EW:Q", scale=alt.Scale(domain=[float(rows["EW"].min()) // 0.1 * 0.1, 1.0])),
        detail="subject:N",
        tooltip=["model:N", "subject:N", "fifth:O", alt.Tooltip("EW:Q", format=".3f")],
    )
    colour = KIND_COLOURS["also nouns"]
    dashes = alt.StrokeDash("subject:N", sort=order, title=None, legend=_DASHES)
    lines = base.mark_line(color=colour).encode(strokeDash=dashes) + base.mark_point(
        filled=True, size=45, opacity=1, color=colour
    )
    return _panels(lines, rows, title, "Line charts of EW over fifths of the noun share.", 200)


def preposition_dots(rows, title: str):
    """EW after a singular and a plural attractor by preposition, a panel for each model.

    Parameters
    ----------
    rows : DataFrame with model, preposition, attractor ("singular", "plural"), EW
    """
    rows = needs(rows, "model", "preposition", "attractor", "EW", what="a chart by preposition")
    plural = rows[rows["attractor"] == "plural"].groupby("preposition")["EW"].mean().sort_values()
    base = alt.Chart().encode(
        x=alt.X("EW:Q", scale=alt.Scale(domain=[float(rows["EW"].min()) // 0.1 * 0.1, 1.0])),
        y=alt.Y("preposition:N", sort=list(plural.index), title=None),
        tooltip=["model:N", "preposition:N", "attractor:N", alt.Tooltip("EW:Q", format=".3f")],
    )
    lines = base.mark_line(color="#8a8f98").encode(detail="preposition:N")
    numbers = alt.Scale(domain=["singular", "plural"], range=["circle", "square"])
    shape = alt.Shape(
        "attractor:N", scale=numbers, legend=alt.Legend(orient="top", symbolFillColor=KIND_COLOURS["never nouns"])
    )
    points = base.mark_point(filled=True, size=60, opacity=1, color=KIND_COLOURS["never nouns"]).encode(shape=shape)
    return _panels(lines + points, rows, title, "Dot plots of EW by preposition.", 16 * rows["preposition"].nunique())


def _panels(layers, rows, title: str, description: str, height: int):
    """The layers for one model after the other, below each other, on axes that they share."""
    rows = rows.assign(model=rows["model"].replace(SHOWN_NAMES))
    panels = alt.layer(layers, data=rows).properties(width=430, height=height).facet(
        row=alt.Row("model:N", sort=list(dict.fromkeys(rows["model"])), title=None, header=alt.Header(orient="top"))
    )  # fmt: skip
    return described(panels, title, f"{description} A panel for each model.")
