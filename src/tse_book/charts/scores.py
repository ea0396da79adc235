"""Scores side by side: Table 2 as dots, truth beside measurement, bars and heat maps."""

import altair as alt

from tse_book.charts.theme import (
    CONSTRUCTIONS,
    METRIC_COLOURS,
    METRICS,
    QUIET,
    colours_of,
    described,
    filling,
    listed,
    needs,
    together,
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
    rows = needs(scores, "construction", "metric", "score", what="a dot plot of Table 2").copy()
    rows["model"] = rows["model"].fillna("") if "model" in rows else ""
    rows["source"] = rows["source"].fillna("measured") if "source" in rows else "measured"
    models = list(dict.fromkeys(rows["model"]))
    low = min(0.5, float(rows[[c for c in ("score", "low") if c in rows]].min().min()) // 0.1 * 0.1)
    scale = alt.Scale(domain=[low, 1.0], zero=False)
    one = beside or len(models) == 1
    groups = [models] if one else [[model] for model in models]
    panels = [_dumbbells(rows[rows["model"].isin(group)], group, rows["metric"], scale, one) for group in groups]
    if not one:
        panels = [
            panel.properties(width=275, title=alt.TitleParams(model, fontSize=12))
            for panel, model in zip(panels, models, strict=True)
        ]
    chart = panels[0] if one else alt.concat(*panels, columns=2, spacing={"row": 22, "column": 14})
    title = title or "Three scores of the same sentences: TSE, MW and EW"
    means = rows.groupby(["model", "metric"], sort=False)["score"].mean()
    found = "; ".join(f"{model} {metric} {mean:.2f} on average".strip() for (model, metric), mean in means.items())
    of = f" for {listed(models)}" if any(models) else ""
    notes = [f"Across: each score, on an axis from {low:.1g} to 1."]
    if beside and len(models) > 1:
        notes.append(f"Lines of a construction, from the top: {listed(models)}.")
    if (rows["source"] == "published").any() and (rows["source"] == "measured").any():
        notes.append("Hollow: as published.")
    return described(chart, title, f"Dumbbell plot{of}: a line per construction. {found}.", notes)


def _dumbbells(rows, models, metrics, scale, wide):
    order = [c for c in CONSTRUCTIONS if c in set(rows["construction"])]
    order += [c for c in dict.fromkeys(rows["construction"]) if c not in order]
    names = [metric for metric in METRICS if metric in set(metrics)]
    colour = alt.Color(
        "metric:N",
        scale=alt.Scale(domain=names, range=[METRIC_COLOURS[n] for n in names]),
        legend=alt.Legend(title=None, orient="top", symbolOpacity=1),
    )
    shape = alt.Shape("metric:N", scale=alt.Scale(domain=names, range=[METRICS[n] for n in names]), legend=None)
    several = len(models) > 1
    base = alt.Chart(rows).encode(y=alt.Y("construction:N", sort=order, title=None, axis=None))
    base = base.encode(yOffset=alt.YOffset("model:N", sort=models)) if several else base
    down = {"yOffset": 5 if several else 7}  # below the construction's name
    optional = [c for c in ("low", "high", "n", "method") if c in rows]
    tips = ["construction:N", "model:N", "metric:N", "source:N", *(_tip(c) for c in ("score", *optional))]
    x = alt.X("score:Q", scale=scale, title="score", axis=alt.Axis(format=".1f", tickCount=6))
    span = base.transform_aggregate(groupby=["construction", "model"], first="min(score)", last="max(score)")
    span = span.mark_rule(strokeWidth=2, color=QUIET, opacity=0.6, **down)
    layers = [span.encode(x=alt.X("first:Q", scale=scale, title="score"), x2="last:Q")]
    if {"low", "high"} <= set(rows):
        sure = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=5, opacity=0.25, **down)
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


def truth_vs_measured(scores, *, title=None):
    """The laboratory: the truth of the language (a tick) beside the measurement (a dot with its interval).

    Parameters
    ----------
    scores : DataFrame
        construction, metric, truth, measured; where known low, high, model, band. One panel per model.
    """
    rows = needs(scores, "construction", "metric", "truth", "measured", what="a chart of truth and measurement").copy()
    rows["model"] = rows["model"].fillna("") if "model" in rows else ""
    rows["difference"] = rows["measured"] - rows["truth"]
    lines = "band" in rows and rows["band"].nunique() > 1
    rows["line"] = rows["construction"] + (" · " + rows["band"].astype(str) if lines else "")
    metrics = [m for m in METRICS if m in set(rows["metric"])]
    shapes = alt.Scale(domain=metrics, range=[METRICS[m] for m in metrics])
    chosen = alt.selection_point(fields=["metric"], bind="legend", name="metric_chosen")
    models, colours = list(dict.fromkeys(rows["model"])), colours_of(rows["construction"])
    low = min(0.5, float(rows[[c for c in ("truth", "measured", "low") if c in rows]].min().min()) // 0.1 * 0.1)
    scale = alt.Scale(domain=[low, 1.0], zero=False)
    panels = []
    for model in models:
        base = alt.Chart(rows[rows["model"] == model]).encode(
            y=alt.Y("line:N", sort=None, title=None, axis=alt.Axis(labelLimit=220, grid=True)),
            yOffset=alt.YOffset("metric:N", sort=metrics),
            color=alt.Color("construction:N", scale=colours, legend=None),
            opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.08)),
        )
        tips = ["construction:N", "metric:N", _tip("truth"), _tip("measured"), _tip("difference", "+.3f")]
        tips += [_tip(c) for c in ("low", "high") if c in rows]
        ticks = base.mark_tick(thickness=2.5, size=15, color="#888888")
        marks = [ticks.encode(x=alt.X("truth:Q", scale=scale), tooltip=tips, color=alt.value("#888888"))]
        if {"low", "high"} <= set(rows):
            marks.append(base.transform_filter("isValid(datum.low)").mark_rule().encode(x="low:Q", x2="high:Q"))
        dots = base.mark_point(filled=True, size=60).encode(
            x=alt.X("measured:Q", scale=scale, title="score"),
            shape=alt.Shape("metric:N", scale=shapes, legend=alt.Legend(title=None, orient="bottom", symbolOpacity=1)),
            tooltip=tips,
        )
        plot, row = alt.layer(*marks, dots), 12 * len(metrics) + 6
        if len(models) == 1:
            panels.append(filling(plot, rows["line"], row))
        else:
            panels.append(plot.properties(width=430, height={"step": row, "for": "position"}, title=model))
    chart = together(panels, chosen)
    worst = rows.loc[rows["difference"].abs().idxmax()]
    description = (
        f"Dot plot of {len(rows)} scores beside their known truth. The mean distance is "
        f"{rows['difference'].abs().mean():.3f}; the largest difference is {worst['difference']:+.3f} "
        f"({worst['metric']}, {worst['line']})."
    )
    title = title or "What the language makes true, and what was measured"
    note = "Grey tick: the truth. Dot: measured" + (", with its 95 % interval." if "low" in rows else ".")
    return described(chart, title, description, note)


def heat_map(table, row, column, value, *, title, domain=(0.0, 1.0), upright=False):
    """A value for every row and column, written into its cell; lighter is higher.

    With `upright` column names are vertical, so that nine fit on a phone.
    """
    rows = needs(table, row, column, value, what="a heat map").copy()
    base = alt.Chart(rows).encode(
        x=alt.X(
            f"{column}:N", sort=None, title=None, axis=alt.Axis(labelAngle=-90 if upright else -40, labelLimit=220)
        ),
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
    if rows[column].nunique() > 6 and not upright:
        chart = chart.properties(width={"step": 38})
    best, worst = rows.loc[rows[value].idxmax()], rows.loc[rows[value].idxmin()]
    found = f"Highest: {best[row]}, {best[column]} ({best[value]:.2f}); lowest: {worst[row]}, {worst[column]}"
    return described(chart, title, f"Heat map. {found} ({worst[value]:.2f}).")


def bars(table, label, value, *, title, colour=None, scale=None, format=".3f", note=None):
    """Horizontal bars in the table's order; `colour` names a column, `scale` its colours, `note` is the subtitle."""
    rows = needs(table, label, value, what="a bar chart")
    base = alt.Chart(rows).encode(
        x=alt.X(f"{value}:Q", title=value),
        y=alt.Y(f"{label}:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        tooltip=[f"{label}:N", alt.Tooltip(f"{value}:Q", format=format)],
    )
    if colour:
        legend = alt.Legend(title=None, orient="bottom")
        base = base.encode(color=alt.Color(f"{colour}:N", scale=scale or alt.Undefined, legend=legend, sort=None))
    best = rows.loc[rows[value].idxmax()]
    description = f"Bar chart of {len(rows)} values; the largest is {best[label]} at {best[value]:{format}}."
    chart = base.mark_bar() if colour else base.mark_bar(color="#198868")
    return described(filling(chart, rows[label], 20), title, description, note)


def _tip(column, format=".3f"):
    if column == "method":
        return alt.Tooltip("method:N", title="interval by")
    titles = {"low": "95 % from", "high": "95 % to"}
    return alt.Tooltip(f"{column}:Q", title=titles.get(column, column), format=",d" if column == "n" else format)
