"""One context under the cut-offs: which verbs are inside, and which of each verb's two forms is more probable."""

import altair as alt
import numpy as np
import pandas as pd

from tse_book.charts.cutoffs import position
from tse_book.charts.theme import described, needs

SHOWN = 14  # verbs at a time: the most probable ones that are inside the cut-off
COLOURS = alt.Scale(domain=["correct", "wrong"], range=["#009e73", "#d55e00"])


def context_slider(marked, curves, *, title):
    """The most probable verbs inside a cut-off after one context, with both forms; a slider moves the cut-off.

    Parameters
    ----------
    marked : DataFrame
        The whole distribution, most probable first: token, probability, form ("correct", "wrong", other words for other
        entries), lemma, as from `marked_distribution`.
    curves : DataFrame
        metric ("EW", "MW"), side, cutoff, score of the same context, as from `score_context`.
    """
    needs(marked, "token", "probability", "form", "lemma", what="a chart of one context")
    steps = curves[["side", "cutoff"]].drop_duplicates()
    steps = steps.assign(at=position(steps["side"], steps["cutoff"])).sort_values("at")
    inside = curves.dropna(subset="score").merge(steps)["at"]  # beyond the last of these no verb is inside
    steps = steps[steps["at"].between(inside.min(), inside.max())].reset_index(drop=True)
    steps["label"] = [
        f"{side} {cutoff * 100:.10g} %" for side, cutoff in zip(steps["side"], steps["cutoff"], strict=True)
    ]
    rows, words = _verbs(marked), _words(curves, steps)
    slider = alt.binding_range(min=1, max=len(steps), step=1, name="Cut-off, from likely to unlikely verbs ")
    start = next((number for number, label in enumerate(steps["label"], 1) if label == "top 100 %"), 1)
    step = alt.param(name="step", value=start, bind=slider)
    cuts, tops = steps["cutoff"].tolist(), (steps["side"] == "top").tolist()
    inside = f"{tops}[step - 1] ? datum.top < {cuts}[step - 1] : datum.bottom <= {cuts}[step - 1]".replace(
        "True", "true"
    ).replace("False", "false")
    base = (
        alt.Chart(rows)
        .transform_filter(inside)
        .transform_window(rank="rank()", sort=[alt.SortField("best", order="descending")])
        .transform_filter(alt.datum.rank <= SHOWN)
    )
    y = alt.Y("lemma:N", sort=alt.EncodingSortField("best", order="descending"), title=None)
    x = alt.X("p:Q", scale=alt.Scale(type="log"), title="probability", axis=alt.Axis(format="~g", tickCount=5))
    between = base.mark_rule(strokeWidth=2, opacity=0.5).encode(
        y=y,
        x=alt.X("correct:Q", scale=alt.Scale(type="log"), title="probability"),
        x2="wrong:Q",
        color=alt.condition("datum.correct > datum.wrong", alt.value("#009e73"), alt.value("#d55e00")),
    )
    points = base.transform_fold(["correct", "wrong"], as_=["form", "p"]).mark_point(size=70, filled=True, opacity=1)
    points = points.encode(
        y=y, x=x, color=alt.Color("form:N", scale=COLOURS, legend=alt.Legend(title=None, orient="bottom")),
        shape=alt.Shape("form:N", scale=alt.Scale(domain=["correct", "wrong"], range=["circle", "cross"]), legend=None),
        tooltip=["lemma:N", "form:N", alt.Tooltip("p:Q", format=".2~e", title="probability")],
    )  # fmt: skip
    said = alt.Chart(words).transform_filter(alt.datum.step == step)
    said = said.mark_text(align="left", fontWeight=600, fontSize=12).encode(
        text="said:N", x=alt.value(0), y=alt.value(-8)
    )
    chart = alt.layer(between, points, said).properties(width="container", height=18 * SHOWN).add_params(step)
    chart = chart.properties(usermeta={"steps": {"step": steps["label"].tolist()}})  # shown beside the slider
    first, whole = words.iloc[0]["said"], words.loc[words["cut"] == "top 100 %", "said"]
    description = (
        f"Dot plot of the {SHOWN} likeliest verbs inside a cut-off with the probability of each form, "
        f"on a log axis. {first}. " + (f"{whole.iloc[0]}." if len(whole) else "")
    )
    note = "Across: the probability of a form, on a logarithmic scale. Green lines: the correct form leads."
    return described(chart, title, description, note)


def _verbs(marked: pd.DataFrame) -> pd.DataFrame:
    """One row per lemma with both forms: their probabilities, and the smallest top and bottom cut-off that it is in."""
    above = marked["probability"].cumsum() - marked["probability"]
    forms = marked.assign(above=above)[marked["form"].isin(("correct", "wrong"))]
    wide = forms.pivot_table(["probability", "above"], "lemma", "form").dropna()
    rows = pd.DataFrame(
        {
            "correct": wide["probability", "correct"],
            "wrong": wide["probability", "wrong"],
            "best": wide["probability"].max(axis=1),
            "top": wide["above"].min(axis=1),
            "bottom": 1 - wide["above"].min(axis=1),
        }
    )
    rounded = {name: [float(f"{value:.4g}") for value in rows[name]] for name in rows}
    return pd.DataFrame(rounded, index=rows.index).rename_axis("lemma").reset_index()


def _words(curves: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    scores = curves.pivot_table("score", ["side", "cutoff"], "metric", dropna=False)
    rows = []
    for number, (side, cutoff, label) in enumerate(steps[["side", "cutoff", "label"]].itertuples(index=False), 1):
        ew, mw = (scores.loc[(side, cutoff), metric] for metric in ("EW", "MW"))
        found = "no verb is inside" if np.isnan(ew) else f"EW {ew:.2f}, MW {mw:.2f}"
        rows.append((number, label, f"{label}: {found}"))
    return pd.DataFrame(rows, columns=["step", "cut", "said"])
