"""Charts of minimal-pair accuracies: dots with intervals, and lines over conditions, bins or corpus sizes."""

import altair as alt

from tse_book.charts.theme import SHOWN_NAMES, described, needs

MODEL_COLOURS = {
    "5-gram": "#a0814f", "LSTM": "#3f8f8f", "Transformer-XL": "#7c9a35", "GPT-2": "#4a63c9", "GPT-2 large": "#4a63c9",
    "human": "#8a8a8a",
}  # fmt: skip
OTHERS = ["#9000ae", "#c2410c", "#2b8cc4", "#198868", "#df7a00", "#132aff", "#ae0004"]


def series_colours(names) -> alt.Scale:
    """One colour per model: the published ones keep theirs, others take free ones.

    >>> series_colours(["GPT-2", "mine"]).range
    ['#4a63c9', '#9000ae']
    """
    names = list(dict.fromkeys(names))
    others = [name for name in names if name not in MODEL_COLOURS]
    chosen = {name: MODEL_COLOURS.get(name) or OTHERS[others.index(name) % len(OTHERS)] for name in names}
    return alt.Scale(domain=names, range=list(chosen.values()))


def accuracy_dots(table, label="phenomenon", *, title):
    """Accuracy of each model on each phenomenon or paradigm, with its interval where there is one; the easiest first.

    Parameters
    ----------
    table : DataFrame
        The label, model, accuracy; where known low, high, pairs.
    """
    rows = needs(table, label, "model", "accuracy", what="a chart of accuracies").replace(SHOWN_NAMES)
    rows = rows.assign(**{label: rows[label].str.replace("_", " ")})
    order = list(rows.groupby(label)["accuracy"].mean().sort_values(ascending=False).index)
    chosen = alt.selection_point(fields=["model"], bind="legend", name="model_chosen")
    legend = alt.Legend(title=None, orient="top", columns=2)
    colours = alt.Color("model:N", scale=series_colours(rows["model"]), legend=legend)
    shown = [alt.Tooltip(f"{c}:Q", format=".3f") for c in ("accuracy", "low", "high") if c in rows]
    base = alt.Chart(rows).encode(
        y=alt.Y(f"{label}:N", sort=order, title=None, axis=alt.Axis(labelLimit=230, grid=True)),
        color=colours,
        opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.08)),
        tooltip=[f"{label}:N", "model:N", *shown, *(["pairs:Q"] if "pairs" in rows else [])],
    )
    if rows["model"].nunique() > 1:
        base = base.encode(yOffset=alt.YOffset("model:N", sort=None))
    lowest = float(rows[[c for c in ("accuracy", "low") if c in rows]].min().min())
    scale = alt.Scale(domain=[min(0.4, lowest // 0.1 * 0.1), 1.0], zero=False)
    across = alt.X("accuracy:Q", scale=scale, title="accuracy", axis=alt.Axis(format=".1f", tickCount=6))
    dots = base.mark_point(filled=True, size=60).encode(x=across)
    chance = alt.Chart().mark_rule(strokeDash=[4, 4], color="#8a8a8a").encode(x=alt.datum(0.5))
    layers = [chance, dots.add_params(chosen)]  # a legend is bound to the selection of the first marks in its colours
    if {"low", "high"} <= set(rows):
        sure = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.6)
        layers.append(sure.encode(x="low:Q", x2="high:Q"))
    chart = alt.layer(*layers, data=rows).properties(width="container", height={"step": 26, "for": "position"})
    note = "Dashed line: chance. Tap or click a model in the legend to see it alone."
    return described(chart, title, f"Dot plot of the accuracy of each model by {label}.", note)


def accuracy_lines(
    table, x, *, title, series="model", panel=None, x_title=None, quantitative=False, log=False,
    width=270, columns=2,
):  # fmt: skip
    """Accuracy along conditions, bins or corpus sizes: one line per series, one panel per value of ``panel``.

    Parameters
    ----------
    table : DataFrame
        x, the series, accuracy; where known low, high, and the panel.
    quantitative, log : bool
        The x axis is a number; a logarithmic one to base 2.
    """
    rows = needs(table, x, series, "accuracy", what="a chart of accuracies").replace(SHOWN_NAMES)
    chosen = alt.selection_point(fields=[series], bind="legend", name="series_chosen")
    if quantitative:
        scale = alt.Scale(type="log", base=2) if log else alt.Scale(zero=False)
        across = alt.X(
            f"{x}:Q",
            scale=scale,
            title=x_title or x,
            axis=alt.Axis(tickCount=5, format=".2s") if log else alt.Axis(tickCount=5),
        )
    else:
        across = alt.X(
            f"{x}:N", sort=None, title=x_title, axis=alt.Axis(labelAngle=-25, labelPadding=6, labelLimit=160)
        )
    kind = "Q" if quantitative else "N"
    legend = alt.Legend(title=None, orient="top", columns=3)
    shown = [alt.Tooltip(f"{c}:Q", format=".3f") for c in ("accuracy", "low", "high") if c in rows]
    counts = [f"{c}:Q" for c in ("pairs", "paradigms", "sentences") if c in rows]
    base = alt.Chart().encode(
        x=across,
        color=alt.Color(f"{series}:N", scale=series_colours(rows[series]), legend=legend),
        opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.1)),
        tooltip=[f"{series}:N", alt.Tooltip(f"{x}:{kind}", title=x_title or x), *shown, *counts],
    )
    up = alt.Y("accuracy:Q", scale=alt.Scale(zero=False), title="accuracy")
    points = base.mark_point(filled=True, size=50).encode(y=up)
    layers = [points.add_params(chosen), base.mark_line(strokeWidth=2).encode(y=up)]
    if {"low", "high"} <= set(rows):
        layers.append(base.mark_rule(strokeWidth=1.4).encode(y=alt.Y("low:Q", title="accuracy"), y2="high:Q"))
    plot = alt.layer(*layers, data=rows)
    if panel:
        plot = plot.properties(width=width, height=190)
        header = alt.Header(title=None, labelLimit=width)
        plot = plot.facet(alt.Facet(f"{panel}:N", sort=None, header=header), columns=columns)
        plot = plot.resolve_scale(x="shared" if log else "independent")
    else:
        plot = plot.properties(width="container", height=240)
    return described(plot, title, f"Line chart of accuracy by {x_title or x}, a line for each {series}.")
