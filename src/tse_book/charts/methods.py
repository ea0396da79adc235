"""Two charts a reader drives in Methods: the probabilities of four forms, and the cut-offs of a small distribution."""

import altair as alt
import numpy as np
import pandas as pd

from tse_book.charts.theme import METRIC_COLOURS, QUIET, described, needs

FORMS = {"correct": "#009e73", "wrong": "#d55e00", "not a verb": QUIET}
SHARE = alt.Scale(domain=[0, 1])


def form_colours(names) -> alt.Color:
    """Correct and wrong forms in their colours, with a legend above."""
    scale = alt.Scale(domain=list(names), range=[FORMS[name] for name in names])
    return alt.Color("form:N", title=None, scale=scale, legend=alt.Legend(orient="top"))


def weight_sliders(verbs, title):
    """TSE, EW and MW of two verbs whose four probabilities the reader sets.

    Parameters
    ----------
    verbs : DataFrame
        correct, P(correct), wrong, P(wrong): two rows, the verb of TSE first.
    """
    rows, sliders, weights = [], [], {}
    for number, verb in enumerate(verbs.to_dict("records")):
        for form in ("correct", "wrong"):
            name, label = f"{form}_{number}", f"weight of {verb[form]} "
            bound = alt.binding_range(min=1, max=100, step=1, name=label)
            sliders.append(alt.param(name=name, value=round(100 * verb[f"P({form})"]), bind=bound))
            rows.append({"word": verb[form], "form": form})
            weights[verb[form]] = name
    total = f"({' + '.join(weights.values())})"
    weight = " : ".join(f"datum.word == '{word}' ? {name}" for word, name in weights.items())
    bars = (
        alt.Chart(pd.DataFrame(rows)).transform_calculate(probability=f"({weight} : 0) / {total}").mark_bar(height=18)
    )
    bars = bars.encode(
        x=alt.X("probability:Q", scale=SHARE),
        y=alt.Y("word:N", sort=None, title=None),
        color=form_colours(["correct", "wrong"]),
        tooltip=["word:N", "form:N", alt.Tooltip("probability:Q", format=".2f")],
    )
    first, second = (f"(correct_{number} > wrong_{number} ? 1 : 0)" for number in (0, 1))
    scores = {"TSE": first, "EW": f"({first} + {second}) / 2", "MW": f"(correct_0 + correct_1) / {total}"}
    score = " : ".join(f"datum.metric == '{metric}' ? {formula}" for metric, formula in scores.items())
    words = alt.Chart(pd.DataFrame({"metric": list(scores)}))
    words = words.transform_calculate(shown=f"datum.metric + '  ' + format({score} : 0, '.2f')")
    words = words.mark_text(align="left", fontSize=20, fontWeight=600)
    words = words.encode(y=alt.Y("metric:N", sort=None, axis=None), x=alt.value(6), text="shown:N")
    both = alt.hconcat(bars.properties(width=330, height=130), words.properties(width=130, height=130))
    description = "Bars: the probabilities of four verb forms, set by four sliders. Beside them TSE, EW and MW."
    return described(both.add_params(*sliders), title, description).configure_view(stroke=None)


def cutoff_explorer(entries, scores, cutoffs, title):
    """A small distribution, its entries inside a chosen cut-off, and EW and MW at every cut-off.

    Parameters
    ----------
    entries : DataFrame
        entry, form ("correct", "wrong", "not a verb"), probability, most probable first.
    scores : CutoffScores
        Of this distribution, from `tse_core.cutoff_scores`, at `cutoffs` from the top and from the bottom.
    """
    needs(entries, "entry", "form", "probability", what="a chart of a small distribution")
    side = alt.param(name="side_cut", value="top", bind=alt.binding_radio(options=["top", "bottom"], name="side "))
    cut = alt.param(name="p_cut", value=0.94, bind=alt.binding_range(min=0.02, max=1, step=0.02, name="p "))
    total = entries["probability"].cumsum()
    rows = entries.assign(above=total - entries["probability"], below=total.iloc[-1] - total, order=range(len(total)))
    before = "(side_cut == 'top' ? datum.above : datum.below)"
    bars = alt.Chart(rows).transform_calculate(inside=f"clamp((p_cut - {before}) / datum.probability, 0, 1)").mark_bar()
    bars = bars.encode(
        x=alt.X("entry:N", sort=alt.SortField("order"), title=None, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("probability:Q"),
        color=form_colours(FORMS),
        opacity=alt.Opacity("inside:Q", scale=alt.Scale(domain=[0, 1], range=[0.15, 1]), legend=None),
        tooltip=["entry:N", alt.Tooltip("probability:Q", format=".3f"), alt.Tooltip("inside:Q", format=".2f")],
    )
    lines = alt.Chart(_curves(scores, cutoffs)).transform_filter("datum.side == side_cut").mark_line()
    metrics = alt.Scale(domain=["EW", "MW"], range=[METRIC_COLOURS["EW"], METRIC_COLOURS["MW"]])
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    lines = lines.encode(
        x=alt.X("p:Q", scale=alt.Scale(domain=[0, 1.15]), title="cut-off p", axis=axis),  # room for the numbers at 1
        y=alt.Y("score:Q", scale=SHARE, title="EW, MW"),
        color=alt.Color("metric:N", title=None, scale=metrics, legend=alt.Legend(orient="top")),
    )
    here = lines.transform_filter("abs(datum.p - p_cut) < 0.009").mark_point(filled=True, size=90, opacity=1)
    numbers = here.mark_text(align="left", dx=8, dy=-8, fontWeight=600).encode(text=alt.Text("score:Q", format=".2f"))
    right = alt.layer(lines, here, numbers).properties(width=230, height=190)
    both = alt.hconcat(bars.properties(width=270, height=190), right).resolve_scale(color="independent")
    description = "Left: the entries of a small distribution, those outside the cut-off faded. Right: EW and MW over p."
    return described(both.add_params(side, cut), title, description)


def _curves(scores, cutoffs) -> pd.DataFrame:
    """The columns p, metric, side and score of one context's scores."""
    parts = []
    for metric in ("EW", "MW"):
        for side in ("top", "bottom"):
            found = np.asarray(getattr(scores, f"{metric.lower()}_{side}"))[0]
            parts.append(pd.DataFrame({"p": cutoffs, "metric": metric, "side": side, "score": found}))
    return pd.concat(parts, ignore_index=True).dropna()
