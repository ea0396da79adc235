"""Scores, coverage and empty contexts along the cut-offs (Figures 1 to 4 of Newman et al. 2021).

The reader walks from the verbs a model finds likely to those it finds unlikely: first the top p of the distribution on
a linear axis (circles, solid), then, after a gap, the bottom p on a logarithmic one (crosses, dashed). Both axes live
in one plot, so that a curve reads as one line of argument and the chart fits any width.
"""

import altair as alt
import numpy as np
import pandas as pd

from tse_core.charts.look import colours_of, described, listed, needs, together

TOP_END, BOTTOM_START = 0.54, 0.63
TICKS = {"top": (0.1, 0.4, 0.7, 1.0), "bottom": (0.5, 1e-2, 1e-4, 1e-6)}


def cutoff_curves(curves, metrics=("EW", "MW"), *, published=None, choose=False, title=None, width=520, height=230):
    """EW and MW at each cut-off, one panel per metric (and model): Figures 1 and 2.

    Parameters
    ----------
    curves : DataFrame
        construction, metric, side ("top", "bottom"), cutoff (a fraction), score, and where known coverage, invalid,
        low, high, contexts, model: what ``Evaluation.curves()`` gives.
    published : DataFrame, optional
        The same columns, drawn hollow and thin beside the measured curves.
    choose : bool
        One model at a time, from a list under the chart, instead of panels below each other.

    Returns
    -------
    An Altair chart. Click the legend to single series out (shift: several); hover for values.
    """
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    panels = [(metric, "score", f"{metric} score") for metric in metrics]
    title = title or "Agreement, from the verbs a model expects to those it does not"
    return _figure(curves, panels, published, choose, title, "the score", width, height)


def coverage_curves(curves, *, metric="EW", published=None, choose=False, title=None, width=520, height=230):
    """The probability on the forms that counted, at each cut-off: Figure 3."""
    title = title or "How much of the distribution the verb list covers"
    panels = [(metric, "coverage", "probability on the counted forms")]
    return _figure(curves, panels, published, choose, title, "the coverage", width, height)


def invalid_curves(curves, *, metric="EW", published=None, choose=False, title=None, width=520, height=230):
    """The share of contexts in which no lemma is eligible, at each cut-off: Figure 4."""
    title = title or "Where contexts have no verb left to score"
    panels = [(metric, "invalid", "share of contexts without a verb")]
    return _figure(curves, panels, published, choose, title, "the share of empty contexts", width, height)


def position(side, cutoff):
    """Where a cut-off stands on the joined axis, from 0 (top 10 %) to 1 (bottom 0.0001 %)."""
    cutoff = np.asarray(cutoff, dtype=float)
    top = (cutoff - 0.1) / 0.9 * TOP_END
    bottom = BOTTOM_START + (np.log10(0.5) - np.log10(cutoff)) / (np.log10(0.5) + 6) * (1 - BOTTOM_START)
    return np.where(np.asarray(side) == "top", top, bottom)


def _figure(curves, panels, published, choose, title, subject, width, height):
    needs(curves, "construction", "metric", "side", "cutoff", panels[0][1], what="a chart of cut-offs")
    drawn = [curves.assign(source=curves.get("source", "measured"))]
    if published is not None and len(published):
        drawn.append(published.assign(source="published"))
    rows = _rows(pd.concat(drawn, ignore_index=True), [metric for metric, *_ in panels], panels[0][1])
    colours, models = colours_of(rows["construction"]), list(dict.fromkeys(rows["model"]))
    chosen = alt.selection_point(fields=["construction"], bind="legend", name="chosen")
    shown, plots = (None if choose else model for model in models[: 1 if choose else None]), []
    for model in shown:
        for metric, value, label in panels:
            part = rows[(rows["metric"] == metric) & ((rows["model"] == model) | choose)]
            alone = len(panels) == 1 and (choose or len(models) == 1)
            size = ("container" if alone else width, height)
            plot = _panel(part, value, label, colours, chosen, *size)
            plots.append(
                plot.properties(title=model) if not choose and len(models) > 1 and metric == panels[0][0] else plot
            )
    if choose and len(models) > 1:
        picked = alt.param(name="picked", value=models[0], bind=alt.binding_select(options=models, name="Model "))
        plots = [plot.transform_filter(alt.datum.model == picked) for plot in plots]
        chart = together(plots, chosen).add_params(picked)
    else:
        chart = together(plots, chosen)
    description = _description(rows, [m for m, *_ in panels], panels[0][1], subject, models)
    hint = "Select series in the legend (shift for several); hover for values."
    lines = [hint] + (["Thin, hollow: the published curve."] if (rows["source"] == "published").any() else [])
    return described(chart, title, description, lines)


def _rows(table, metrics, value):
    table = table[table["metric"].isin(metrics)].copy()
    table = needs(table[table[value].notna()], what=f"a chart of {listed(metrics)}")
    table["model"] = table["model"].fillna("") if "model" in table else ""
    table["position"] = position(table["side"], table["cutoff"]).round(5)
    table["cut_off"] = [f"{s} {c * 100:.10g} %" for s, c in zip(table["side"], table["cutoff"], strict=True)]
    kept = [
        "construction",
        "model",
        "metric",
        "side",
        "cutoff",
        "cut_off",
        "position",
        "source",
        "score",
        "low",
        "high",
    ]
    kept += ["coverage", "invalid", "contexts"]
    return table[[c for c in kept if c in table]].sort_values(["model", "metric", "construction", "side", "position"])


def _panel(rows, value, label, colours, chosen, width, height):
    ticks = [float(position(side, c).round(5)) for side, cuts in TICKS.items() for c in cuts]
    shown = (
        f"datum.value <= {TOP_END + 0.01} ? format(10 + datum.value / {TOP_END} * 90, '.0f') + '%' : "
        f"format(100 * pow(10, {np.log10(0.5)} - (datum.value - {BOTTOM_START}) / {1 - BOTTOM_START} * "
        f"{np.log10(0.5) + 6}), '.1~r') + '%'"
    )
    axis = alt.Axis(
        values=ticks,
        labelOverlap="greedy",
        labelFontSize=10,
        labelExpr=shown,
        title="likely verbs ← top p  |  bottom p → unlikely verbs",
        grid=False,
    )
    floor = 0.0 if value != "score" else min(0.5, float(np.floor(rows["score"].min() * 10) / 10))
    by_source = alt.condition("datum.source == 'published'", alt.value(0.9), alt.value(2.2))
    emphasis = alt.condition(chosen, alt.value(1.0), alt.value(0.08))
    base = alt.Chart(rows).encode(
        x=alt.X("position:Q", axis=axis, scale=alt.Scale(domain=[-0.02, 1.02], nice=False)),
        y=alt.Y(
            f"{value}:Q", title=label, scale=alt.Scale(domain=[floor, 1.0], zero=False), axis=alt.Axis(format=".0%")
        ),
        color=alt.Color("construction:N", scale=colours, sort=None, legend=_legend()),
        opacity=emphasis,
    )
    lines = base.mark_line().encode(
        detail=["side:N", "source:N"],
        strokeDash=alt.StrokeDash(
            "side:N", scale=alt.Scale(domain=["top", "bottom"], range=[[1, 0], [5, 3]]), legend=None
        ),
        strokeWidth=by_source,
    )
    points = base.mark_point(strokeWidth=1.4).encode(
        shape=alt.Shape("side:N", scale=alt.Scale(domain=["top", "bottom"], range=["circle", "cross"]), legend=None),
        size=alt.condition("datum.source == 'published'", alt.value(55), alt.value(32)),
        fill=alt.condition(
            "datum.source == 'published'", alt.value("transparent"), alt.Color("construction:N", scale=colours)
        ),
        tooltip=_tooltip(rows),
    )
    gap = alt.Chart(rows).transform_aggregate(n="count()").mark_rule(strokeDash=[2, 2], color="#888888", opacity=0.6)
    layers = [gap.encode(x=alt.datum((TOP_END + BOTTOM_START) / 2)), lines]
    if {"low", "high"} <= set(rows):
        bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.2)
        layers.append(
            bars.encode(y="low:Q", y2="high:Q", opacity=alt.condition(chosen, alt.value(0.4), alt.value(0.03)))
        )
    return alt.layer(*layers, points).properties(width=width, height=height)


def _legend():
    return alt.Legend(title=None, orient="bottom", columns=2, direction="horizontal", symbolOpacity=1)


def _tooltip(rows):
    named = {
        "construction": None, "model": None, "source": None, "cut_off": None, "score": ".3f",
        "low": ".3f", "high": ".3f", "coverage": ".4f", "invalid": ".1%", "contexts": ",d",
    }  # fmt: skip
    titles = {"cut_off": "cut-off", "low": "95 % from", "high": "95 % to", "invalid": "contexts without a verb"}
    present = [c for c in named if c in rows and rows[c].notna().any() and (rows[c] != "").any()]
    make = {c: {"format": named[c]} if named[c] else {"type": "nominal"} for c in present}
    return [alt.Tooltip(c, title=titles.get(c, c), **({"type": "quantitative"} | make[c])) for c in present]


def _description(rows, metrics, value, subject, models):
    measured = rows[rows["source"] != "published"] if (rows["source"] != "published").any() else rows
    parts = []
    for metric in metrics:
        part = measured[measured["metric"] == metric].sort_values("position")
        if part.empty:
            continue
        ends = part.groupby("construction", sort=False)[value].agg(["first", "last"])
        lead = f"{metric}: " if len(metrics) > 1 else ""
        parts.append(
            f"{lead}{subject} lies between {ends['first'].min():.2f} and {ends['first'].max():.2f} at the first "
            f"cut-off and between {ends['last'].min():.2f} and {ends['last'].max():.2f} at the last"
        )
    of = f" of {listed(models)}" if any(models) else ""
    names = listed(dict.fromkeys(rows["construction"]))
    return f"Line chart{of}, top p on a linear axis, then bottom p on a log axis, for {names}. {'. '.join(parts)}."
