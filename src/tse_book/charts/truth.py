"""Scores of laboratory models beside the truth of their language."""

import altair as alt
import pandas as pd

from tse_book.charts.theme import METRIC_COLOURS, QUIET, described, needs

SCORES = ("TSE", "EW", "MW")


def truth_vs_measured(scores, title):
    """What a language makes true (a tick) beside what was measured of a model (a dot).

    Parameters
    ----------
    scores : DataFrame
        construction, TSE, EW, MW (measured) and true_TSE, true_EW, true_MW: the rows of one model.
    """
    known = [f"true_{score}" for score in SCORES]
    needs(scores, "construction", *SCORES, *known, what="a chart of truth and measurement")
    parts = [
        scores[["construction"]].assign(score=score, measured=scores[score], true=scores[f"true_{score}"])
        for score in SCORES
    ]
    rows = pd.concat(parts).dropna(subset="measured")
    scale = alt.Scale(domain=[min(0.5, rows[["measured", "true"]].min().min() // 0.1 * 0.1), 1.0])
    colours = alt.Scale(domain=list(SCORES), range=[METRIC_COLOURS[score] for score in SCORES])
    tips = ["construction:N", "score:N", alt.Tooltip("true:Q", format=".3f"), alt.Tooltip("measured:Q", format=".3f")]
    base = alt.Chart(rows).encode(
        y=alt.Y("construction:N", sort=None, title=None, axis=alt.Axis(labelLimit=220, grid=True)),
        yOffset=alt.YOffset("score:N", sort=list(SCORES)),
        tooltip=tips,
    )
    ticks = base.mark_tick(thickness=2.5, size=13, color=QUIET).encode(x=alt.X("true:Q", scale=scale))
    dots = base.mark_circle(size=55, opacity=1).encode(
        x=alt.X("measured:Q", scale=scale, title="TSE, EW or MW"),
        color=alt.Color("score:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
    )
    chart = alt.layer(ticks, dots).properties(width="container", height={"step": 40, "for": "position"})
    description = "Dot plot: in each row three grey ticks, the true scores, and three dots, the measured ones."
    return described(chart, title, description, "Grey ticks: true. Dots: measured.")
