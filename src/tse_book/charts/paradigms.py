"""Charts of minimal-pair accuracies: dots with intervals, and lines over conditions, bins or corpus sizes."""

import altair as alt

from tse_book.charts import theme
from tse_book.model_names import SHOWN_NAMES

MODEL_COLOURS = {
    "5-gram": "#a0814f", "LSTM": "#3f8f8f", "Transformer-XL": "#7c9a35", "GPT-2": "#4a63c9", "GPT-2 large": "#4a63c9",
    "human": "#8a8a8a",
}  # fmt: skip
OTHERS = ["#9000ae", "#c2410c", "#2b8cc4", "#198868", "#df7a00", "#132aff", "#720008"]
INTERVAL = {"low", "high"}


def series_colours(models) -> alt.Scale:
    """One colour per model: the published ones keep theirs, others take free ones.

    >>> series_colours(["GPT-2", "mine"]).range
    ['#4a63c9', '#9000ae']
    """
    models = list(dict.fromkeys(models))
    others = [name for name in models if name not in MODEL_COLOURS]
    return theme.scale_of(
        {m: MODEL_COLOURS.get(m) or OTHERS[others.index(m) % len(OTHERS)] for m in models}
    )


def accuracy_dots(table, *, title):
    """Accuracy of each model on each phenomenon, with its interval where there is one; the easiest first.

    `table`: phenomenon, model, accuracy; where known low, high, pairs.
    """
    rows = theme.needs(
        table, "phenomenon", "model", "accuracy", what="a chart of accuracies"
    ).replace(SHOWN_NAMES)
    rows = rows.assign(phenomenon=rows["phenomenon"].str.replace("_", " "))
    order = list(rows.groupby("phenomenon")["accuracy"].mean().sort_values(ascending=False).index)
    chosen, opacity = theme.chosen_in_legend("model", 0.08, "model_chosen")
    numbers = [column for column in ("accuracy", "low", "high") if column in rows]
    base = alt.Chart(rows).encode(
        y=theme.names("phenomenon", sort=order, limit=230, grid=True),
        color=alt.Color(
            "model:N", scale=series_colours(rows["model"]), legend=theme.legend(columns=2)
        ),
        opacity=opacity,
        tooltip=[
            "phenomenon:N",
            "model:N",
            *theme.tips(*numbers),
            *(["pairs:Q"] if "pairs" in rows else []),
        ],
    )
    if rows["model"].nunique() > 1:
        base = base.encode(yOffset=alt.YOffset("model:N", sort=None))
    scale = alt.Scale(domain=[theme.axis_start(rows[numbers], 0.4), 1.0], zero=False)
    across = alt.X(
        "accuracy:Q", scale=scale, title="accuracy", axis=alt.Axis(format=".1f", tickCount=6)
    )
    dots = base.mark_point(filled=True, size=60).encode(x=across)
    chance = alt.Chart().mark_rule(strokeDash=[4, 4], color="#8a8a8a").encode(x=alt.datum(0.5))
    layers = [
        chance,
        dots.add_params(chosen),
    ]  # a legend is bound to the selection of the first marks in its colours
    if set(rows) >= INTERVAL:
        sure = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.6)
        layers.append(sure.encode(x="low:Q", x2="high:Q"))
    chart = alt.layer(*layers, data=rows).properties(
        width="container", height={"step": 26, "for": "position"}
    )
    note = "Dashed line: chance. Tap or click a model in the legend to see it alone."
    return theme.described(
        chart, title, "Dot plot of the accuracy of each model by phenomenon.", note
    )


def accuracy_lines(
    table,
    x,
    *,
    title,
    panel,
    series="model",
    x_title=None,
    quantitative=False,
    log=False,
    width=270,
    columns=2,
):
    """Accuracy along conditions, bins or corpus sizes: one line per series, one panel per value of ``panel``.

    `table`: x, the series, the panel, accuracy; where known low, high. With `quantitative` the x axis is a number,
    with `log` a logarithmic one to base 2.
    """
    rows = theme.needs(table, x, series, "accuracy", what="a chart of accuracies").replace(
        SHOWN_NAMES
    )
    chosen, opacity = theme.chosen_in_legend(series, 0.1, "series_chosen")
    if quantitative:
        scale = alt.Scale(type="log", base=2) if log else alt.Scale(zero=False)
        axis = alt.Axis(tickCount=5, **({"format": ".2s"} if log else {}))
        across = alt.X(f"{x}:Q", scale=scale, title=x_title or x, axis=axis)
    else:
        axis = alt.Axis(labelAngle=-25, labelPadding=6, labelLimit=160)
        across = alt.X(f"{x}:N", sort=None, title=x_title, axis=axis)
    of_x = alt.Tooltip(f"{x}:{'Q' if quantitative else 'N'}", title=x_title or x)
    numbers = theme.tips(*(column for column in ("accuracy", "low", "high") if column in rows))
    counts = [f"{column}:Q" for column in ("pairs", "paradigms", "sentences") if column in rows]
    base = alt.Chart().encode(
        x=across,
        color=alt.Color(
            f"{series}:N", scale=series_colours(rows[series]), legend=theme.legend(columns=3)
        ),
        opacity=opacity,
        tooltip=[f"{series}:N", of_x, *numbers, *counts],
    )
    up = alt.Y("accuracy:Q", scale=alt.Scale(zero=False), title="accuracy")
    points = base.mark_point(filled=True, size=50).encode(y=up)
    layers = [points.add_params(chosen), base.mark_line(strokeWidth=2).encode(y=up)]
    if set(rows) >= INTERVAL:
        layers.append(
            base.mark_rule(strokeWidth=1.4).encode(y=alt.Y("low:Q", title="accuracy"), y2="high:Q")
        )
    facet = alt.Facet(f"{panel}:N", sort=None, header=alt.Header(title=None, labelLimit=width))
    plot = (
        alt.layer(*layers, data=rows)
        .properties(width=width, height=190)
        .facet(facet, columns=columns)
    )
    plot = plot.resolve_scale(x="shared" if log else "independent")
    return theme.described(
        plot, title, f"Line chart of accuracy by {x_title or x}, a line for each {series}."
    )
