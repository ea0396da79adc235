"""Scores, coverage and empty contexts along the cut-offs (Figures 1 to 4 of Newman et al. 2021), as small multiples.

The reader goes from the verbs a model finds likely to those it finds unlikely: first the top p of the distribution on
a linear axis (circles, solid), then, after a gap, the bottom p on a logarithmic one (crosses, dashed). A panel shows
one model and one metric; one construction is drawn in colour at a time, the others stay grey behind it.
"""

import altair as alt
import numpy as np
import pandas as pd

from tse_book.charts import theme
from tse_book.model_names import SHOWN_NAMES
from tse_core.agreement.tables import OF_DISTRIBUTION
from tse_core.errors import InputError

TOP_END, BOTTOM_START = 0.54, 0.63
FIRST_BOTTOM, LAST_BOTTOM = np.log10(0.5), -6
DASHES = {"top": [1, 0], "bottom": [5, 3]}
TICKS = {"top": (0.1, 0.4, 0.7, 1.0), "bottom": (1e-2, 1e-6)}  # as many as fit with their labels
CHOOSE = "Choose the construction in colour."
ALL_IN_COLOUR = 4  # as many curves in a panel can be told apart by colour
FEW = 10  # a mean over fewer contexts is drawn faint
KEPT = ("construction", "model", "metric", "side", "cutoff", "cut_off", "position", "source")
OF_SCORE = (
    "score",
    "low",
    "high",
    "null_low",
    "null_high",
)  # an interval belongs to the axis of the score
NUMBERS = {"score": "score", "coverage": "coverage", "invalid": "contexts without a verb"}
TIPS = {  # what hovering shows of a column
    "construction": alt.Tooltip("construction:N"), "model": alt.Tooltip("model:N"),
    "cut_off": alt.Tooltip("cut_off:N", title="cut-off"), "score": alt.Tooltip("score:Q", format=".3f"),
    "low": alt.Tooltip("low:Q", title="95\u00a0% from", format=".3f"),
    "high": alt.Tooltip("high:Q", title="95\u00a0% to", format=".3f"),
    "coverage": alt.Tooltip("coverage:Q", format=".4f"),
    "invalid": alt.Tooltip("invalid:Q", title="contexts without a verb", format=".1%"),
    "counted": alt.Tooltip("counted:Q", title="contexts with a score", format=",d"),
}  # fmt: skip


def cutoff_curves(curves, metrics=("EW", "MW"), *, published=None, chosen=None, title=None):
    """EW and MW at each cut-off, one panel per model and metric: Figures 1 and 2.

    `curves`: construction, metric, side ("top", "bottom"), cutoff (a fraction), score, and where known coverage,
    invalid, contexts, low, high, model, source ("measured", "published"): what `Evaluation.curves` gives; null_low and
    null_high of `tse_book.studies.shuffled.null_curves` are drawn as a band. The axis shows what the cut-offs are
    shares of (the column share); curves of different shares are refused. `published`: the same columns, and beside,
    the model in whose panels a published curve is drawn thin and hollow. `chosen`: the construction in colour at the
    start; a list offers the others. If none is chosen, up to four constructions are all drawn in colour, with a legend.
    """
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    title = title or "Agreement, from the verbs a model expects to those it does not"
    return _figure(curves, metrics, "score", published, chosen, title)


def coverage_curves(curves, *, published=None, chosen=None, title=None):
    """The probability on the forms that counted, at each cut-off: Figure 3. Parameters as for `cutoff_curves`."""
    title = title or "How much of the distribution the verb list covers"
    return _figure(curves, ["EW"], "coverage", published, chosen, title)


def invalid_curves(curves, *, published=None, chosen=None, title=None):
    """The share of contexts in which no lemma is eligible, at each cut-off: Figure 4. Parameters as above."""
    title = title or "Where contexts have no verb left to score"
    return _figure(curves, ["EW"], "invalid", published, chosen, title)


def position(side, cutoff):
    """The place of a cut-off on the joined axis, from 0 (top 10 %) to 1 (bottom 0.0001 %)."""
    cutoff = np.asarray(cutoff, dtype=float)
    below = (FIRST_BOTTOM - np.log10(cutoff)) / (FIRST_BOTTOM - LAST_BOTTOM)
    top, bottom = (cutoff - 0.1) / 0.9 * TOP_END, BOTTOM_START + below * (1 - BOTTOM_START)
    return np.where(np.asarray(side) == "top", top, bottom)


def cutoff_steps(curves: pd.DataFrame) -> pd.DataFrame:
    """The cut-offs from likely to unlikely, as a slider passes through them: side, cutoff, step (from 1), label."""
    steps = curves[["side", "cutoff"]].drop_duplicates()
    steps = steps.iloc[
        np.argsort(position(steps["side"], steps["cutoff"]), kind="stable")
    ].reset_index(drop=True)
    return steps.assign(step=steps.index + 1, label=labels(steps))


def labels(table: pd.DataFrame) -> list[str]:
    """Cut-offs in words: "top 10 %"."""
    return [
        f"{side} {cutoff * 100:.10g} %"
        for side, cutoff in zip(table["side"], table["cutoff"], strict=True)
    ]


def with_step_slider(chart, steps: pd.DataFrame):
    """The chart with a slider over `cutoff_steps`, the parameter step; beside it stands the name of the step."""
    slider = alt.binding_range(
        min=1, max=len(steps), step=1, name="Cut-off, from likely to unlikely verbs "
    )
    whole = steps.loc[steps["label"] == "top 100 %", "step"]
    step = alt.param(name="step", value=int(whole.iloc[0]) if len(whole) else 1, bind=slider)
    return chart.add_params(step).properties(usermeta={"steps": {"step": steps["label"].tolist()}})


def _figure(curves, metrics, value, published, chosen, title):
    theme.needs(
        curves, "construction", "metric", "side", "cutoff", value, what="a chart of cut-offs"
    )
    shares = (
        curves["share"].fillna(OF_DISTRIBUTION).unique() if "share" in curves else [OF_DISTRIBUTION]
    )
    if len(shares) > 1:
        raise InputError(
            f"cut-offs {' and '.join(shares)} are different scales; draw them in separate charts"
        )
    share = "" if shares[0] == OF_DISTRIBUTION else f" {shares[0]}"  # in the title of the axis
    rows = _rows(curves, metrics, value)
    models = list(dict.fromkeys(rows["model"]))
    constructions = theme.in_order(rows["construction"])
    all_in_colour = chosen is None and len(constructions) <= ALL_IN_COLOUR
    notes = [
        "Circles: top p. Crosses: bottom p."
        if all_in_colour
        else f"Circles: top p. Crosses: bottom p. {CHOOSE}"
    ]
    if published is not None and len(published):
        behind = _rows(published.assign(model=published["beside"], source="beside"), metrics, value)
        rows = pd.concat([rows, behind[behind["model"].isin(models)]], ignore_index=True)
        notes.append(
            f"Thin and hollow: {theme.listed(dict.fromkeys(published['model']))}, as published."
        )
    if "null_low" in rows and rows["null_low"].notna().any():
        notes.append(
            "Grey band: what the cut-offs alone would give (margins shuffled over the verbs of a context)."
        )
    if "counted" in rows and (rows["counted"] < FEW).any():
        notes.append(f"Faint: a mean over fewer than {FEW} contexts.")
    chosen = chosen if chosen in constructions else _furthest(rows, value)
    drawn = [column for column in OF_SCORE if column in rows]
    lowest = theme.axis_start(rows[drawn]) if value == "score" else 0.0
    highest = 1.0 if value != "coverage" else float(np.ceil(rows[value].max() * 10) / 10)
    panels = [(model, metric) for model in models for metric in metrics]
    plots = []
    for model, metric in panels:
        shown = [SHOWN_NAMES.get(model, model)] * any(models) + [metric] * (len(metrics) > 1)
        heading = alt.TitleParams(" · ".join(shown), fontSize=12, offset=20)
        panel = _panel(rows, model, metric, value, [lowest, highest], share, all_in_colour)
        plots.append(
            panel.properties(
                title=heading, width="container" if len(panels) == 1 else 275, height=170
            )
        )
    chart = (
        plots[0]
        if len(plots) == 1
        else alt.concat(*plots, columns=2, spacing={"row": 22, "column": 14})
    )
    chart.data = rows  # once for all layers
    if not all_in_colour:  # once for all panels
        chart.params = [theme.menu("shown", constructions, "Construction in colour", chosen).param]
    description = f"Line charts of the {NUMBERS[value]}: top p on a linear axis, then bottom p on a logarithmic one."
    return theme.described(chart, title, description, notes)


def _furthest(rows, value) -> str:
    """The construction whose curve for the first model changes most between its ends, to be shown first."""
    first = rows[rows["model"] == rows["model"].iloc[0]].sort_values("position")
    ends = first.groupby("construction", sort=False)[value].agg(["first", "last"])
    return str((ends["first"] - ends["last"]).abs().idxmax())


def _rows(table, metrics, value):
    table = table[table["metric"].isin(metrics)]
    table = theme.with_models(
        theme.needs(table[table[value].notna()], what=f"a chart of {theme.listed(metrics)}")
    )
    table["position"] = position(table["side"], table["cutoff"]).round(5)
    table["cut_off"] = labels(table)
    if {"contexts", "invalid"} <= set(table):
        table["counted"] = (
            (1 - table["invalid"].astype(float)) * table["contexts"].astype(float)
        ).round()
    columns = (*KEPT, *(OF_SCORE if value == "score" else (value,)), "counted")
    kept = [column for column in columns if column in table]
    return table[kept].sort_values(["metric", "construction", "side", "position"], kind="stable")


def _across(share: str = "") -> alt.X:
    """The joined axis of cut-offs."""
    ticks = [position(side, cutoff) for side, cutoffs in TICKS.items() for cutoff in cutoffs]
    words = (
        f"datum.value <= {TOP_END + 0.01} ? format(10 + datum.value / {TOP_END} * 90, '.0f') + '%' : "
        f"format(100 * pow(10, {FIRST_BOTTOM} - (datum.value - {BOTTOM_START}) / {1 - BOTTOM_START} * "
        f"{FIRST_BOTTOM - LAST_BOTTOM}), '.1~r') + '%'"
    )
    axis = alt.Axis(
        values=[float(tick.round(5)) for tick in ticks],
        labelOverlap=False,
        labelFontSize=11,
        labelExpr=words,
        grid=False,
        titleFontSize=11,
        title=f"likely ← top p{share} | bottom p{share} → unlikely",
    )
    return alt.X("position:Q", axis=axis, scale=alt.Scale(domain=[-0.02, 1.02], nice=False))


def _panel(rows, model, metric, value, ends, share, all_in_colour):
    here = alt.Chart().transform_filter((alt.datum.model == model) & (alt.datum.metric == metric))
    base = here.encode(
        x=_across(share),
        y=alt.Y(
            f"{value}:Q",
            title=metric if value == "score" else NUMBERS[value],
            scale=alt.Scale(domain=ends, zero=False),
            axis=alt.Axis(format=".1f" if value == "score" else ".0%", tickCount=5),
        ),
    )
    dashes = alt.StrokeDash("side:N", scale=theme.scale_of(DASHES), legend=None)
    signs = alt.Shape(
        "side:N", scale=theme.scale_of({"top": "circle", "bottom": "cross"}), legend=None
    )
    names = theme.legend(columns=2, symbolOpacity=1) if all_in_colour else None
    colour = alt.Color("construction:N", scale=theme.colours_of(rows["construction"]), legend=names)
    in_colour = "true" if all_in_colour else "datum.construction == shown"
    grey = base.transform_filter(f"!({in_colour}) && datum.source != 'beside'")
    one = base.transform_filter(in_colour)
    own, ghost = (one.transform_filter(f"datum.source {sign} 'beside'") for sign in ("!=", "=="))
    shown = [
        tip
        for name, tip in TIPS.items()
        if name in rows and rows[name].notna().any() and any(rows[name] != "")
    ]
    as_line = {"detail": ["construction:N", "side:N"], "strokeDash": dashes}
    as_point = {"shape": signs, "color": colour, "tooltip": shown}
    gap = here.transform_aggregate(n="count()").mark_rule(
        strokeDash=[2, 2], color=theme.QUIET, opacity=0.6
    )
    layers = [gap.encode(x=alt.XDatum((TOP_END + BOTTOM_START) / 2))]
    if {"null_low", "null_high"} <= set(rows):
        band = one.transform_filter("isValid(datum.null_low)").mark_area(
            color=theme.QUIET, opacity=0.3
        )
        layers.append(band.encode(y="null_low:Q", y2="null_high:Q", detail=as_line["detail"]))
    layers += [
        grey.mark_line(strokeWidth=1, color=theme.QUIET, opacity=0.7).encode(**as_line),
        ghost.mark_line(strokeWidth=1).encode(**as_line, color=colour),
        ghost.mark_point(size=34, strokeWidth=1, opacity=1).encode(**as_point),
        own.mark_line(strokeWidth=2.4).encode(**as_line, color=colour),
    ]
    few = f"isValid(datum.counted) && datum.counted < {FEW}"
    if {"low", "high"} <= set(rows):
        bars = own.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.2)
        faint = alt.OpacityValue(0.45, condition={"test": few, "value": 0.15})
        layers.append(bars.encode(y="low:Q", y2="high:Q", color=colour, opacity=faint))
    faint = alt.OpacityValue(1.0, condition={"test": few, "value": 0.25})
    layers.append(own.mark_point(size=34, filled=True).encode(**as_point, opacity=faint))
    if all_in_colour:
        return alt.layer(*layers)
    name = own.transform_aggregate(groupby=["construction"])
    name = name.mark_text(align="left", baseline="bottom", fontSize=11, fontWeight=600)
    name = name.encode(x=alt.XValue(0), y=alt.YValue(-5), text="construction:N", color=colour)
    return alt.layer(*layers, name)
