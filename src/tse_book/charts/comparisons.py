"""Scores and counts side by side: Table 2 as dots, truth beside measurement, training, bars and heat maps."""

import altair as alt
import pandas as pd

from tse_book.charts import theme
from tse_book.model_names import SHOWN_NAMES

EW, TSE = theme.METRIC_COLOURS["EW"], theme.METRIC_COLOURS["TSE"]
SERIES = {  # of training: colour, dashes
    "TSE": (TSE, [1, 0]),
    "EW, head": (EW, [1, 0]),
    "EW, middle": (EW, [7, 3]),
    "EW, tail": (EW, [2, 2]),
}

COUNTS = {
    "pairs": theme.QUIET,
    "contexts of a masked model": "#132aff",
    "contexts of a causal model": "#9000ae",
}


def table2_dots(scores, *, title=None, beside=False):
    """MW, EW and TSE of each construction as dots on one line, from the lowest to the highest: Table 2.

    `scores`: construction, metric ("MW", "EW", "TSE"), score; where known low, high (95 %), model, source ("published"
    is drawn hollow, "measured" filled), n, method. With `beside` all models are in one panel, one line each below the
    construction's name, instead of one panel per model.
    """
    rows = theme.with_models(
        theme.needs(scores, "construction", "metric", "score", what="a dot plot of Table 2")
    )
    models = list(dict.fromkeys(rows["model"]))
    scale = alt.Scale(
        domain=[theme.axis_start(rows[[c for c in ("score", "low") if c in rows]]), 1.0], zero=False
    )
    if beside or len(models) == 1:
        chart = _dumbbells(rows, models, rows["metric"], scale).properties(width="container")
    else:
        panels = []
        for model in models:
            heading = alt.TitleParams(SHOWN_NAMES.get(model, model), fontSize=12)
            panel = _dumbbells(rows[rows["model"] == model], [model], rows["metric"], scale)
            panels.append(panel.properties(width=275, title=heading))
        chart = alt.concat(*panels, columns=2, spacing={"row": 22, "column": 14})
    notes = []
    if beside and len(models) > 1:
        notes.append(f"Lines of a construction, from the top: {theme.listed(models)}.")
    if {"published", "measured"} <= set(rows["source"]):
        notes.append("Hollow: as published.")
    title = title or "Three scores of the same sentences: TSE, MW and EW"
    return theme.described(
        chart,
        title,
        "Dumbbell plot: on a line for each construction its scores, from the lowest.",
        notes,
    )


def _dumbbells(rows, models, metrics, scale):
    """A line for each construction, and for each of several models."""
    order, several = theme.in_order(rows["construction"]), len(models) > 1
    found, colours, shapes = theme.metric_scales(metrics)
    colour = alt.Color("metric:N", scale=colours, legend=theme.legend(symbolOpacity=1))
    base = alt.Chart(rows).encode(y=alt.Y("construction:N", sort=order, title=None, axis=None))
    base = base.encode(yOffset=alt.YOffset("model:N", sort=models)) if several else base
    down = 5 if several else 7  # below the construction's name
    span = base.transform_aggregate(
        groupby=["construction", "model"], first="min(score)", last="max(score)"
    )
    span = span.mark_rule(strokeWidth=2, color=theme.QUIET, opacity=0.6, yOffset=down)
    layers = [span.encode(x=alt.X("first:Q", scale=scale, title=", ".join(found)), x2="last:Q")]
    if {"low", "high"} <= set(rows):
        for number, name in enumerate(found):  # one below the other, so that each can be seen
            sure = base.transform_filter(f"datum.metric == '{name}' && isValid(datum.low)")
            sure = sure.mark_rule(strokeWidth=2, opacity=0.6, yOffset=down + 4 * number - 4)
            layers.append(sure.encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=colour))
    shown = {
        "score": alt.Tooltip("score:Q", title="score", format=".3f"),
        "low": alt.Tooltip("low:Q", title="95\u00a0% from", format=".3f"),
        "high": alt.Tooltip("high:Q", title="95\u00a0% to", format=".3f"),
        "n": alt.Tooltip("n:Q", title="n", format=",d"),
        "method": alt.Tooltip("method:N", title="interval by"),
    }
    dots = base.mark_point(size=70, strokeWidth=1.8, opacity=1, yOffset=down).encode(
        x=alt.X(
            "score:Q", scale=scale, title=", ".join(found), axis=alt.Axis(format=".1f", tickCount=6)
        ),
        color=colour,
        shape=alt.Shape("metric:N", scale=shapes, legend=None),
        tooltip=[
            "construction:N",
            "model:N",
            "metric:N",
            "source:N",
            *(shown[c] for c in shown if c in rows),
        ],
        fill=alt.condition("datum.source == 'published'", alt.value("transparent"), colour),
    )
    words = alt.Chart(rows).transform_aggregate(groupby=["construction"])
    words = words.mark_text(align="left", baseline="middle", dy=4 if several else -8, fontSize=11)
    place = {"bandPosition": 0} if several else {}
    words = words.encode(
        y=alt.Y("construction:N", sort=order, **place), x=alt.value(0), text="construction:N"
    )
    height = (28 + 14 * len(models) if several else 34) * len(order)
    return alt.layer(*layers, dots, words).properties(height=height)


def count_dots(counts, title):
    """How many pairs and contexts each construction has, on a logarithmic axis.

    `counts` is indexed by construction: pairs, contexts (of both sides), left_contexts.
    """
    shown = dict(zip(["pairs", "contexts", "left_contexts"], COUNTS, strict=True))
    rows = counts[list(shown)].rename(columns=shown).rename_axis("construction").reset_index()
    rows = rows.melt("construction", var_name="what", value_name="count")
    axis = alt.Axis(values=[10**power for power in range(1, 6)], format=",")
    several = alt.Legend(orient="top", columns=1)
    dots = alt.Chart(rows).mark_circle(size=90, opacity=1).encode(
        x=alt.X("count:Q", scale=alt.Scale(type="log"), title="count (logarithmic)", axis=axis),
        y=theme.names("construction", grid=True),
        color=alt.Color("what:N", title=None, scale=theme.scale_of(COUNTS), legend=several),
        tooltip=["construction", "what", alt.Tooltip("count", format=",")],
    )  # fmt: skip
    description = (
        "Dot plot: for each construction the number of pairs, of contexts and of left contexts."
    )
    return theme.described(theme.filling(dots, rows["construction"], 26), title, description)


def heat_map(table, row, column, value, *, title, domain=(0.0, 1.0)):
    """A value for every row and column, written into its cell; lighter is higher."""
    rows = theme.needs(table, row, column, value, what="a heat map").replace(SHOWN_NAMES)
    rows = rows.reset_index(drop=True)
    base = alt.Chart(rows).encode(
        x=alt.X(
            f"{column}:N", sort=None, title=None, axis=alt.Axis(labelAngle=-40, labelLimit=220)
        ),
        y=theme.names(row, limit=200),
    )
    shade = alt.Color(
        f"{value}:Q",
        scale=alt.Scale(scheme="viridis", domain=list(domain), clamp=True),
        legend=None,
    )
    cells = base.mark_rect(stroke=theme.QUIET, strokeWidth=0.5)
    cells = cells.encode(
        color=shade, tooltip=[f"{row}:N", f"{column}:N", *theme.tips(value, of=".2f")]
    )
    middle = domain[0] + 0.45 * (domain[1] - domain[0])
    ink = alt.condition(f"datum['{value}'] > {middle}", alt.value("#000000"), alt.value("#ffffff"))
    words = base.mark_text(fontSize=11).encode(text=alt.Text(f"{value}:Q", format=".2f"), color=ink)
    chart = theme.filling(alt.layer(cells, words), rows[row], 22)
    if rows[column].nunique() > 6:
        chart = chart.properties(width={"step": 38})
    return theme.described(
        chart, title, f"Heat map: {value} by {row} and {column}, lighter where it is higher."
    )


def bars(table, label, value, *, title, colour=None):
    """Horizontal bars in the table's order; `colour` names the column that colours them."""
    rows = theme.needs(table, label, value, what="a bar chart").replace(SHOWN_NAMES)
    base = alt.Chart(rows).encode(
        x=alt.X(f"{value}:Q", title=value),
        y=theme.names(label),
        tooltip=[f"{label}:N", *theme.tips(value)],
    )
    if colour:
        scale = alt.Scale(range=[theme.QUIET, "#9000ae"])
        base = base.encode(
            color=alt.Color(f"{colour}:N", scale=scale, legend=theme.legend(), sort=None)
        )
    chart = base.mark_bar() if colour else base.mark_bar(color="#198868")
    return theme.described(
        theme.filling(chart, rows[label], 20), title, f"Bar chart: {value} by {label}."
    )


def form_bars(rows, *, title):
    """The most probable words at a verb slot, coloured by whether they agree: Table 3. A panel for each sentence.

    `rows`: sentence, token, probability, form ("correct", "wrong", "past", "other"), the most probable first; where
    known lemma, as from `tse_core.agreement.slots.marked_distribution`.
    """
    rows = theme.needs(
        rows, "sentence", "token", "probability", "form", what="a chart of words at a slot"
    )
    rows = rows.reset_index(drop=True).assign(word=rows["token"].str.strip().to_numpy())
    panels = []
    for sentence, words in rows.groupby("sentence", sort=False):
        chart = alt.Chart(words).mark_bar().encode(
            x=alt.X("probability:Q", title="probability", axis=alt.Axis(tickCount=4)),
            y=alt.Y("word:N", sort=list(words["word"]), title=None),
            color=alt.Color("form:N", scale=theme.scale_of(theme.FORM_COLOURS), sort=None, legend=theme.legend()),
            tooltip=["word:N", "form:N", *theme.tips("probability")],
        )  # fmt: skip
        panels.append(
            chart.properties(
                width=190, height=20 * len(words), title=alt.TitleParams(sentence, fontSize=11)
            )
        )
    description = (
        "Bar charts of the most probable words, coloured by whether they agree, for each sentence."
    )
    return theme.described(alt.hconcat(*panels).resolve_scale(x="shared"), title, description)


def truth_vs_measured(scores, title):
    """What a language makes true (a tick) beside what was measured of a model (a dot).

    `scores`: construction, TSE, EW, MW (measured) and true_TSE, true_EW, true_MW: the rows of one model.
    """
    metrics = ["TSE", "EW", "MW"]
    wide = theme.needs(
        scores,
        "construction",
        *metrics,
        *(f"true_{m}" for m in metrics),
        what="a chart of the truth",
    )
    parts = [
        wide[["construction"]].assign(score=m, measured=wide[m], true=wide[f"true_{m}"])
        for m in metrics
    ]
    rows = pd.concat(parts).dropna(subset="measured")
    scale = alt.Scale(domain=[theme.axis_start(rows[["measured", "true"]]), 1.0])
    base = alt.Chart(rows).encode(
        y=theme.names("construction", grid=True),
        yOffset=alt.YOffset("score:N", sort=metrics),
        tooltip=["construction:N", "score:N", *theme.tips("true", "measured")],
    )
    axis = alt.Axis(format=".1f", tickCount=6)
    ticks = base.mark_tick(thickness=2.5, size=13, color=theme.QUIET).encode(
        x=alt.X("true:Q", scale=scale, axis=axis)
    )
    dots = base.mark_circle(size=55, opacity=1).encode(
        x=alt.X("measured:Q", scale=scale, title="TSE, EW or MW", axis=axis),
        color=alt.Color("score:N", scale=theme.metric_scales(metrics)[1], legend=theme.legend()),
    )
    chart = alt.layer(ticks, dots).properties(
        width="container", height={"step": 40, "for": "position"}
    )
    description = "Dot plot: in each row three grey ticks, the true scores, and three dots, the measured ones."
    return theme.described(chart, title, description, "Grey ticks: true. Dots: measured.")


def training_chart(curves, title):
    """TSE, and EW of frequent and rare verbs, against steps of training (logarithmic).

    `curves`: step, band ("head", "middle", "tail", "all"), metric, score: one model, one construction.
    """
    rows = theme.needs(curves, "step", "band", "metric", "score", what="a chart of training")
    rows = rows.assign(series=rows["metric"] + ", " + rows["band"]).replace(
        {"series": {"TSE, all": "TSE"}}
    )
    rows = rows.loc[rows["series"].isin(SERIES), ["step", "series", "score"]]
    rows["step"] = rows["step"].clip(lower=0.5)  # step 0, before any training, has no logarithm
    colours, dashes = (
        alt.Scale(domain=list(SERIES), range=list(look))
        for look in zip(*SERIES.values(), strict=True)
    )
    strokes = theme.legend(symbolType="stroke", symbolSize=300, symbolOpacity=1)
    y = {
        "scale": alt.Scale(domain=[min(0.4, rows["score"].min()), 1], nice=True),
        "title": "TSE, EW",
    }
    lines = alt.Chart(rows).mark_line(point=True)
    chart = lines.encode(
        x=alt.X("step:Q", scale=alt.Scale(type="log", nice=False), title="steps of training"),
        y=alt.Y("score:Q", **y),
        color=alt.Color("series:N", scale=colours, legend=strokes),
        strokeDash=alt.StrokeDash("series:N", scale=dashes, legend=strokes),
        tooltip=["series:N", *theme.tips("step", of=","), *theme.tips("score")],
    ).properties(width="container", height=260)
    return theme.described(
        chart, title, "Lines over training: TSE, and EW of the head, the middle and the tail."
    )
