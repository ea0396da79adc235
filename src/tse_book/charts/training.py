"""Scores over training."""

import altair as alt
import pandas as pd

from tse_book.charts.theme import described, listed, needs, together
from tse_core.metrics.table import OF_CONTEXTS

SERIES = {"head": "#132aff", "middle": "#198868", "tail": "#df7a00", "all": "#9000ae", "TSE": "#585161"}
DRAWN = ("name", "step", "at", "series", "band", "metric", "score", "low", "high")


def training_chart(curves, *, title, x_title="steps of training", truth=None):
    """EW and MW against steps (logarithmic), a line per frequency band, with 95 % intervals; TSE beside them in grey.

    Parameters
    ----------
    curves : DataFrame
        name, step, band, metric, score; where known low, high. One construction; two panels per name.
    truth : DataFrame, optional
        name, band, metric, truth: a dashed line where a perfect learner would end.
    """
    rows = needs(curves, "name", "step", "band", "metric", "score", what="a chart of training").copy()
    rows["at"] = rows["step"].clip(lower=0.5)  # step 0, before any training, has no logarithm
    rows["series"] = rows["band"].where(rows["metric"] != "TSE", "TSE")
    rows = rows[[c for c in DRAWN if c in rows]]
    series = [name for name in SERIES if name in set(rows["series"])]
    legend = alt.Legend(title=None, orient="bottom", symbolOpacity=1)
    colour = alt.Color("series:N", legend=legend, scale=alt.Scale(domain=series, range=[SERIES[s] for s in series]))
    chosen = alt.selection_point(fields=["series"], bind="legend", name="chosen")
    low = float(rows[[c for c in ("score", "low") if c in rows]].min().min())
    scale = alt.Scale(domain=[min(0.5, low // 0.1 * 0.1), 1.0], zero=False)
    names, panels = list(dict.fromkeys(rows["name"])), []
    for name in names:
        mine = rows[rows["name"] == name]
        drawn = [m for m in OF_CONTEXTS if m in set(mine["metric"])]
        for metric in drawn:
            part = mine[mine["metric"].isin([metric, "TSE"])]
            known = (
                truth[(truth["name"] == name) & (truth["metric"] == metric)] if truth is not None else pd.DataFrame()
            )
            known = known.rename(columns={"band": "series"})
            panel = _panel(part, known, metric, colour, scale, chosen, x_title).properties(width=460, height=180)
            panels.append(panel.properties(title=name) if len(names) > 1 and metric == drawn[0] else panel)
    hint = "Tap or click a band in the legend to see it alone."
    hint += " Dashed: the truth of the language." if truth is not None else ""
    return described(together(panels, chosen), title, _words(rows, names), hint)


def _panel(part, known, metric, colour, scale, chosen, x_title):
    axis = alt.Axis(format="~s", tickCount=6, grid=False)
    x = alt.X("at:Q", scale=alt.Scale(type="log", nice=False), title=x_title, axis=axis)
    tips = ["name:N", "series:N", "metric:N", alt.Tooltip("step:Q", format=","), alt.Tooltip("score:Q", format=".3f")]
    tips += [alt.Tooltip(f"{c}:Q", format=".3f") for c in ("low", "high") if c in part]
    base = alt.Chart(part).encode(x=x, color=colour)
    line = base.mark_line(point=alt.OverlayMarkDef(size=36), clip=True).encode(
        y=alt.Y("score:Q", scale=scale, title=metric),
        opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.1)),
        tooltip=tips,
    )
    layers = [line]
    if {"low", "high"} <= set(part):
        bounds = alt.Y("low:Q", scale=scale, title=metric)
        faint = alt.condition(chosen, alt.value(0.14), alt.value(0.02))
        layers.insert(0, base.mark_area(clip=True).encode(y=bounds, y2="high:Q", opacity=faint))
    if len(known := known[known["series"].isin(part["series"])] if len(known) else known):
        shown = alt.condition(chosen, alt.value(0.9), alt.value(0.1))
        rule = alt.Chart(known).mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
        layers.append(rule.encode(y=alt.Y("truth:Q", scale=scale), color=colour, opacity=shown))
    return alt.layer(*layers)


def _words(rows, names) -> str:
    """Where each model's lines end, for those who cannot see them."""
    found = []
    for name in names:
        mine = rows[rows["name"] == name]
        last = mine[mine["step"] == mine["step"].max()]
        ends = [f"{m} {s} {v:.2f}" for m, s, v in last[["metric", "series", "score"]].itertuples(index=False) if m != s]
        ends += [f"TSE {v:.2f}" for v in last.loc[last["metric"] == "TSE", "score"]]
        found.append(f"{name} ends at {', '.join(ends)}")
    metrics = [m for m in OF_CONTEXTS if m in set(rows["metric"])]
    return f"Line charts of {listed(metrics)} over training. {'; '.join(found)}."
