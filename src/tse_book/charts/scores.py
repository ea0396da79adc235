"""Scores side by side: Table 2 as dots, truth beside measurement, bars and heat maps."""

import altair as alt

from tse_book.charts.theme import (
    CONSTRUCTIONS,
    FORM_COLOURS,
    QUIET,
    SHOWN_NAMES,
    described,
    filling,
    listed,
    metric_scales,
    needs,
    with_models,
)


def table2_dots(scores, *, title=None, beside=False):
    """MW, EW and TSE of each construction as dots on one line, from the lowest to the highest: Table 2.

    Parameters
    ----------
    scores : DataFrame
        construction, metric ("MW", "EW", "TSE"), score; where known low, high (95 %), model, source ("published" is
        drawn hollow, "measured" filled), n, method.
    beside : bool
        All models in one panel, one line each below the construction's name, instead of one panel per model.
    """
    rows = needs(scores, "construction", "metric", "score", what="a dot plot of Table 2")
    rows = with_models(rows)
    models = list(dict.fromkeys(rows["model"]))
    low = min(0.5, float(rows[[c for c in ("score", "low") if c in rows]].min().min()) // 0.1 * 0.1)
    scale = alt.Scale(domain=[low, 1.0], zero=False)
    one = beside or len(models) == 1
    groups = [models] if one else [[model] for model in models]
    panels = [_dumbbells(rows[rows["model"].isin(group)], group, rows["metric"], scale, one) for group in groups]
    if not one:
        panels = [
            panel.properties(width=275, title=alt.TitleParams(SHOWN_NAMES.get(model, model), fontSize=12))
            for panel, model in zip(panels, models, strict=True)
        ]
    chart = panels[0] if one else alt.concat(*panels, columns=2, spacing={"row": 22, "column": 14})
    title = title or "Three scores of the same sentences: TSE, MW and EW"
    notes = []
    if beside and len(models) > 1:
        notes.append(f"Lines of a construction, from the top: {listed(models)}.")
    if (rows["source"] == "published").any() and (rows["source"] == "measured").any():
        notes.append("Hollow: as published.")
    return described(chart, title, "Dumbbell plot: on a line for each construction its scores, from the lowest.", notes)


def _dumbbells(rows, models, metrics, scale, wide):
    order = [c for c in CONSTRUCTIONS if c in set(rows["construction"])]
    order += [c for c in dict.fromkeys(rows["construction"]) if c not in order]
    names, colours, shapes = metric_scales(metrics)
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    colour = alt.Color("metric:N", scale=colours, legend=legend)
    shape = alt.Shape("metric:N", scale=shapes, legend=None)
    several = len(models) > 1
    base = alt.Chart(rows).encode(y=alt.Y("construction:N", sort=order, title=None, axis=None))
    base = base.encode(yOffset=alt.YOffset("model:N", sort=models)) if several else base
    down = {"yOffset": 5 if several else 7}  # below the construction's name
    optional = [c for c in ("low", "high", "n", "method") if c in rows]
    tips = ["construction:N", "model:N", "metric:N", "source:N", *(_tip(c) for c in ("score", *optional))]
    x = alt.X("score:Q", scale=scale, title=", ".join(names), axis=alt.Axis(format=".1f", tickCount=6))
    span = base.transform_aggregate(groupby=["construction", "model"], first="min(score)", last="max(score)")
    span = span.mark_rule(strokeWidth=2, color=QUIET, opacity=0.6, **down)
    layers = [span.encode(x=alt.X("first:Q", scale=scale, title=", ".join(names)), x2="last:Q")]
    if {"low", "high"} <= set(rows):
        for number, name in enumerate(names):  # one below the other, so that each can be seen
            sure = base.transform_filter(f"datum.metric == '{name}' && isValid(datum.low)")
            sure = sure.mark_rule(strokeWidth=2, opacity=0.6, yOffset=down["yOffset"] + 4 * number - 4)
            layers.append(sure.encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=colour))
    dots = base.mark_point(size=70, strokeWidth=1.8, opacity=1, **down).encode(
        x=x, color=colour, shape=shape, tooltip=tips,
        fill=alt.condition("datum.source == 'published'", alt.value("transparent"), colour),
    )  # fmt: skip
    place = {"bandPosition": 0} if several else {}
    names = alt.Chart(rows).transform_aggregate(groupby=["construction"])
    names = names.mark_text(align="left", baseline="middle", dy=4 if several else -8, fontSize=11)
    names = names.encode(y=alt.Y("construction:N", sort=order, **place), x=alt.value(0), text="construction:N")
    height = (28 + 14 * len(models) if several else 34) * len(order)
    return alt.layer(*layers, dots, names).properties(height=height, **({"width": "container"} if wide else {}))


def heat_map(table, row, column, value, *, title, domain=(0.0, 1.0)):
    """A value for every row and column, written into its cell; lighter is higher."""
    rows = needs(table, row, column, value, what="a heat map").reset_index(drop=True)
    base = alt.Chart(rows).encode(
        x=alt.X(f"{column}:N", sort=None, title=None, axis=alt.Axis(labelAngle=-40, labelLimit=220)),
        y=alt.Y(f"{row}:N", sort=None, title=None, axis=alt.Axis(labelLimit=200)),
    )
    shade = alt.Color(f"{value}:Q", scale=alt.Scale(scheme="viridis", domain=list(domain), clamp=True), legend=None)
    cells = base.mark_rect(stroke="#8a8f98", strokeWidth=0.5).encode(
        color=shade, tooltip=[f"{row}:N", f"{column}:N", alt.Tooltip(f"{value}:Q", format=".2f")]
    )
    middle = domain[0] + 0.45 * (domain[1] - domain[0])
    ink = alt.condition(f"datum['{value}'] > {middle}", alt.value("#000000"), alt.value("#ffffff"))
    words = base.mark_text(fontSize=11).encode(text=alt.Text(f"{value}:Q", format=".2f"), color=ink)
    chart = filling(alt.layer(cells, words), rows[row], 22)
    if rows[column].nunique() > 6:
        chart = chart.properties(width={"step": 38})
    return described(chart, title, f"Heat map: {value} by {row} and {column}, lighter where it is higher.")


def bars(table, label, value, *, title, colour=None):
    """Horizontal bars in the table's order; `colour` names the column that colours them."""
    rows = needs(table, label, value, what="a bar chart").replace(SHOWN_NAMES)
    base = alt.Chart(rows).encode(
        x=alt.X(f"{value}:Q", title=value),
        y=alt.Y(f"{label}:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        tooltip=[f"{label}:N", alt.Tooltip(f"{value}:Q", format=".3f")],
    )
    if colour:
        legend = alt.Legend(title=None, orient="top")
        scale = alt.Scale(range=[QUIET, "#9000ae"])
        base = base.encode(color=alt.Color(f"{colour}:N", scale=scale, legend=legend, sort=None))
    chart = base.mark_bar() if colour else base.mark_bar(color="#198868")
    return described(filling(chart, rows[label], 20), title, f"Bar chart: {value} by {label}.")


def _tip(column):
    if column == "method":
        return alt.Tooltip("method:N", title="interval by")
    titles = {"low": "95\u00a0% from", "high": "95\u00a0% to"}
    return alt.Tooltip(f"{column}:Q", title=titles.get(column, column), format=",d" if column == "n" else ".3f")


def form_bars(rows, *, title):
    """The most probable words at a verb slot, coloured by whether they agree: Table 3. A panel for each sentence.

    Parameters
    ----------
    rows : DataFrame
        sentence, token, probability, form ("correct", "wrong", "past", "other"), the most probable first; where known
        lemma, as from `tse_core.agreement.slots.marked_distribution`.
    """
    rows = needs(rows, "sentence", "token", "probability", "form", what="a chart of words at a slot")
    rows = rows.reset_index(drop=True)
    rows["word"] = rows["token"].str.strip()
    scale = alt.Scale(domain=list(FORM_COLOURS), range=list(FORM_COLOURS.values()))
    panels = []
    for sentence, words in rows.groupby("sentence", sort=False):
        chart = (
            alt.Chart(words)
            .mark_bar()
            .encode(
                x=alt.X("probability:Q", title="probability", axis=alt.Axis(tickCount=4)),
                y=alt.Y("word:N", sort=list(words["word"]), title=None),
                color=alt.Color("form:N", scale=scale, sort=None, legend=alt.Legend(title=None, orient="top")),
                tooltip=["word:N", "form:N", alt.Tooltip("probability:Q", format=".3f")],
            )
        )
        panels.append(chart.properties(width=190, height=20 * len(words), title=alt.TitleParams(sentence, fontSize=11)))
    description = "Bar charts of the most probable words, coloured by whether they agree, for each sentence."
    return described(alt.hconcat(*panels).resolve_scale(x="shared"), title, description)
