"""The parts of the gap between TSE and EW as bars, and EW by adverb as lines of dots."""

import altair as alt

from tse_book.charts.theme import QUIET, described, needs

KINDS = {"TSE of be": "#7d6a00", "never nouns": "#0072b2", "also nouns": "#d55e00"}
SHAPES = ["square", "circle", "triangle-up"]


def gap_bars(parts, title: str):
    """The parts of the gap with their intervals, one bar each; the gap itself first.

    Parameters
    ----------
    parts : DataFrame
        part, value, low, high: one construction of ``tse_book.studies.gap.gap_parts``.
    """
    rows = needs(parts, "part", "value", "low", "high", what="a chart of the gap")
    y = alt.Y("part:N", sort=list(rows["part"]), title=None, axis=alt.Axis(labelLimit=200))
    tips = [alt.Tooltip("part:N"), *(alt.Tooltip(f"{end}:Q", format="+.3f") for end in ("value", "low", "high"))]
    base = alt.Chart(rows[["part", "value", "low", "high"]]).encode(y=y, tooltip=tips)
    bars = base.mark_bar(height=16, color=QUIET).encode(x=alt.X("value:Q", title="points of TSE minus EW"))
    rules = base.mark_rule(strokeWidth=2, color="#585161").encode(x="low:Q", x2="high:Q")
    said = "; ".join(f"{row.part} {row.value:+.3f}" for row in rows.itertuples())
    chart = (bars + rules).properties(width="container", height=34 * len(rows))
    return described(chart, title, f"Bar chart of the parts of a gap. {said}.", "Lines: 95 % intervals.")


def adverb_dots(cells, title: str):
    """EW of verbs that are also nouns and of others, and TSE of *be*, by adverb, one panel per attractor.

    Parameters
    ----------
    cells : DataFrame
        adverb, attractor, kind, score: one subject's number of ``tse_book.pages.design.ew_cells``.
    """
    rows = needs(cells, "adverb", "attractor", "kind", "score", what="a chart of adverbs")
    legend, inside = alt.Legend(orient="bottom"), ["transparent", *list(KINDS.values())[1:]]
    stroke = alt.Stroke(
        "kind:N", title=None, scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())), legend=legend
    )
    fill = alt.Fill("kind:N", title=None, scale=alt.Scale(domain=list(KINDS), range=inside), legend=legend)
    large = alt.condition("datum.kind == 'TSE of be'", alt.value(150), alt.value(60))  # around the marks that it meets
    shape = alt.Shape("kind:N", title=None, scale=alt.Scale(domain=list(KINDS), range=SHAPES))
    tips = ["adverb:N", "attractor:N", "kind:N", alt.Tooltip("score:Q", format=".3f")]
    low = min(0.5, float(rows["score"].min()) // 0.1 * 0.1)
    panels = []
    for attractor in dict.fromkeys(rows["attractor"]):
        base = alt.Chart(rows.loc[rows["attractor"] == attractor, ["adverb", "attractor", "kind", "score"]])
        panel = base.mark_point(strokeWidth=1.8, opacity=1).encode(
            x=alt.X("score:Q", title="score", scale=alt.Scale(domain=[low, 1.0], zero=False)),
            y=alt.Y("adverb:N", title=None, sort=list(dict.fromkeys(rows["adverb"]))),
            stroke=stroke, fill=fill, shape=shape, size=large, tooltip=tips,
        )  # fmt: skip
        panels.append(panel.properties(width=430, height=130, title=f"attractor: {attractor}"))
    note = f"Across: the score, on an axis from {low:.1g} to 1. Down: the adverb before the verb."
    bare = rows[rows["adverb"] == "none"]
    said = "; ".join(f"{row.kind}, attractor {row.attractor}: {row.score:.2f}" for row in bare.itertuples())
    return described(alt.vconcat(*panels), title, f"Dot plots of scores by adverb. Without an adverb: {said}.", note)
