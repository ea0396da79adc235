"""One context under the cut-offs: which verbs are inside, and which of each verb's two forms is more probable."""

import altair as alt
import numpy as np
import pandas as pd

from tse_book.charts.cutoffs import cutoff_steps, with_step_slider
from tse_book.charts.theme import FORM_COLOURS, described, needs

RIGHT, WRONG = 9, 5  # how many verbs are shown at a time, the most probable of either kind inside the cut-off
COLOURS = alt.Scale(domain=["correct", "wrong"], range=[FORM_COLOURS["correct"], FORM_COLOURS["wrong"]])


def context_slider(marked, curves, *, title):
    """The most probable right and wrong verbs inside a cut-off after one context; a slider moves the cut-off.

    Parameters
    ----------
    marked : DataFrame
        The whole distribution, most probable first: token, probability, form ("correct", "wrong", other words for other
        entries), lemma, as from `marked_distribution`.
    curves : DataFrame
        metric ("EW", "MW"), side, cutoff, score of the same context, as from `score_context`.
    """
    needs(marked, "token", "probability", "form", "lemma", what="a chart of one context")
    steps, rows = _steps(curves), _verbs(marked)
    side, cut = f"{steps['side'].tolist()}[step - 1]", f"{steps['cutoff'].tolist()}[step - 1]"
    likeliest = f"datum.rank <= ({RIGHT} * datum.agrees + {WRONG} * !datum.agrees)"
    base = (
        alt.Chart(rows)
        .transform_filter(f"({side} == 'top' ? datum.top : datum.bottom) < {cut}")
        .transform_window(rank="rank()", sort=[alt.SortField("best", order="descending")], groupby=["agrees"])
        .transform_filter(likeliest)
    )
    order = alt.EncodingSortField("best", order="descending")
    y = alt.Y("lemma:N", sort=order, title=None, axis=alt.Axis(minExtent=80, maxExtent=80))
    ends = [10.0 ** np.floor(np.log10(rows[["correct", "wrong"]].min().min())), 1.0]
    x = alt.X("p:Q", scale=alt.Scale(type="log", domain=ends), title="probability", axis=alt.Axis(format="~g"))
    colour = alt.Color("form:N", scale=COLOURS, legend=alt.Legend(title=None, orient="top"))
    shapes = alt.Scale(domain=["correct", "wrong"], range=["circle", "cross"])
    between = base.mark_rule(strokeWidth=2, opacity=0.5).encode(
        y=y,
        x=alt.X("correct:Q", scale=alt.Scale(type="log", domain=ends), title="probability"),
        x2="wrong:Q",
        color=alt.condition("datum.agrees", alt.value(FORM_COLOURS["correct"]), alt.value(FORM_COLOURS["wrong"])),
    )
    points = base.transform_fold(["correct", "wrong"], as_=["form", "p"]).mark_point(size=70, filled=True, opacity=1)
    tips = ["lemma:N", "form:N", alt.Tooltip("p:Q", format=".2~g", title="probability")]
    points = points.encode(y=y, x=x, color=colour, shape=alt.Shape("form:N", scale=shapes, legend=None), tooltip=tips)
    said = alt.Chart(steps).transform_filter("datum.step == step").mark_text(align="left", fontWeight=600, fontSize=12)
    said = said.encode(text="said:N", x=alt.value(0), y=alt.value(-8))
    height = 18 * (RIGHT + WRONG)
    chart = alt.layer(between, points, said).properties(width="container", height=height)
    description = "Dot plot of verbs inside a cut-off, with the probability of each form on a logarithmic axis."
    note = f"The most probable verbs: {RIGHT} whose correct form leads (green lines), and {WRONG} others."
    return described(with_step_slider(chart, steps), title, description, note)


def _verbs(marked: pd.DataFrame) -> pd.DataFrame:
    """A row for each lemma with both forms: correct, wrong, best (probabilities), agrees, top, bottom.

    A lemma is inside a top cut-off that is above `top`, the probability before its better form, and inside a bottom
    cut-off that is above `bottom`, the probability below it.
    """
    p = marked["probability"].astype(float)
    places = marked.assign(probability=p, top=p.cumsum() - p, bottom=p[::-1].cumsum() - p)
    forms = places[marked["form"].isin(("correct", "wrong"))]
    wide = forms.pivot_table(["probability", "top", "bottom"], "lemma", "form").dropna()
    rows = wide["probability"].assign(best=wide["probability"].max(axis=1))
    rows = rows.assign(top=wide["top"].min(axis=1), bottom=wide["bottom"].max(axis=1)).clip(lower=0)
    rows = rows.apply(lambda values: [float(f"{value:.4g}") for value in values])
    return rows.assign(agrees=wide["probability", "correct"] > wide["probability", "wrong"]).reset_index()


def _steps(curves: pd.DataFrame) -> pd.DataFrame:
    """The cut-offs inside which EW has a verb, from likely to unlikely: side, cutoff, step (from 1), label, said."""
    wide = curves.pivot_table("score", ["side", "cutoff"], "metric").dropna(subset="EW").reset_index()
    steps = cutoff_steps(wide).merge(wide)
    said = [f"{row.label}: EW {row.EW:.2f}, MW {row.MW:.2f}" for row in steps.itertuples()]
    return steps.assign(said=said).drop(columns=["EW", "MW"])
