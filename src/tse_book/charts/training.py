"""Scores over training."""

import altair as alt

from tse_book.charts.theme import METRIC_COLOURS, described, needs

EW, TSE = METRIC_COLOURS["EW"], METRIC_COLOURS["TSE"]
SERIES = {  # colour, dashes
    "TSE": (TSE, [1, 0]),
    "EW, head": (EW, [1, 0]),
    "EW, middle": (EW, [7, 3]),
    "EW, tail": (EW, [2, 2]),
}


def training_chart(curves, title):
    """TSE, and EW of frequent and rare verbs, against steps of training (logarithmic), with 95 % intervals.

    Parameters
    ----------
    curves : DataFrame
        step, band ("head", "middle", "tail", "all"), metric, score, low, high: one model, one construction.
    """
    rows = needs(curves, "step", "band", "metric", "score", "low", "high", what="a chart of training")
    rows = rows.assign(series=rows["metric"] + ", " + rows["band"]).replace({"series": {"TSE, all": "TSE"}})
    rows = rows.loc[rows["series"].isin(SERIES), ["step", "series", "score", "low", "high"]]
    rows["step"] = rows["step"].clip(lower=0.5)  # step 0, before any training, has no logarithm
    colours = [colour for colour, _ in SERIES.values()]
    dashes = [dash for _, dash in SERIES.values()]
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", symbolSize=300, symbolOpacity=1)
    colour = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES), range=colours), legend=legend)
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=list(SERIES), range=dashes), legend=legend)
    y = {"scale": alt.Scale(domain=[min(0.4, rows["low"].min()), 1], nice=True), "title": "TSE, EW"}
    base = alt.Chart(rows).encode(
        x=alt.X("step:Q", scale=alt.Scale(type="log", nice=False), title="steps of training"), color=colour
    )
    tips = [
        "series:N",
        alt.Tooltip("step:Q", format=","),
        *(alt.Tooltip(f"{c}:Q", format=".3f") for c in ("score", "low", "high")),
    ]
    lines = base.mark_line(point=True).encode(y=alt.Y("score:Q", **y), strokeDash=dash, tooltip=tips)
    bounds = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", **y), y2="high:Q")
    chart = alt.layer(bounds, lines).properties(width="container", height=260)
    return described(chart, title, "Lines over training: TSE, and EW of the head, the middle and the tail.")
