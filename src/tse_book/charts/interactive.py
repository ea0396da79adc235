"""Charts that a reader controls: sliders, lists and search fields above the chart, all within the page.

The controls are ordinary form fields, so they work with the keyboard and without a server.
"""

import altair as alt
import numpy as np
import pandas as pd

from tse_book.charts import theme
from tse_book.charts.cutoffs import cutoff_steps, with_step_slider
from tse_core.agreement.slots import FORMS as MARKS

RIGHT, WRONG = (
    9,
    5,
)  # verbs of one context shown at a time, the most probable of either kind inside the cut-off
LINES, PAGES = 9, 4  # minimal pairs on a page, and pages of a construction
FORMS = {"correct": theme.GREEN, "wrong": theme.ORANGE, "not a verb": theme.QUIET}
SHARE = alt.Scale(domain=[0, 1])
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
AGREES = theme.scale_of({"correct": theme.GREEN, "wrong": theme.ORANGE})
GOOD_BAD = theme.scale_of({"good": theme.GREEN, "bad": theme.ORANGE})
AGREES_SHAPES = theme.scale_of({"correct": "circle", "wrong": "cross"})


def cutoff_slider(curves):
    """The scores of all constructions at one cut-off; a slider goes from the likely verbs to the unlikely ones.

    `curves` is what `cutoff_curves` takes; several models are chosen from a list.
    """
    rows = theme.needs(
        curves, "construction", "metric", "side", "cutoff", "score", what="a slider of cut-offs"
    )
    steps = cutoff_steps(rows)
    rows = theme.with_models(rows).merge(steps)
    columns = ["construction", "model", "metric", "step", "label", "score", "low", "high"]
    rows = rows[[column for column in columns if column in rows]].dropna(subset="score").round(6)
    colours = theme.colours_of(rows["construction"])
    metrics, _, shapes = theme.metric_scales(rows["metric"])
    base = alt.Chart(rows).transform_filter("datum.step == step")
    marks = base.mark_point(size=90, filled=True, opacity=1).encode(
        x=alt.X(
            "score:Q", scale=alt.Scale(domain=[theme.axis_start(rows["score"]), 1.0]), title="score"
        ),
        y=theme.names("construction", sort=list(colours.domain), limit=200, grid=True),
        color=alt.Color("construction:N", scale=colours, legend=None),
        shape=alt.Shape("metric:N", scale=shapes, legend=alt.Legend(title=None, orient="bottom")),
        tooltip=["construction:N", "metric:N", "label:N", *theme.tips("score")],
    )
    scores = {m: f"datum.metric == '{m}' ? datum.score : null" for m in metrics}
    means = " + ".join(
        f"'|mean {m} ' + format(datum.{m}, '.3f') + ' over ' + datum.{m}_n" for m in metrics
    )
    sums = {m: f"mean({m})" for m in metrics} | {f"{m}_n": f"valid({m})" for m in metrics}
    caption = base.transform_calculate(**scores).transform_aggregate(label="min(label)", **sums)
    caption = caption.transform_calculate(caption=f"datum.label + {means}")
    caption = caption.mark_text(
        align="left", baseline="top", fontWeight=600, lineBreak="|", lineHeight=14
    )
    caption = caption.encode(
        text="caption:N", x=alt.value(0), y=alt.value(-4 - 14 * (1 + len(metrics)))
    )
    chart = theme.chosen_model(
        theme.filling(alt.layer(marks, caption), rows["construction"], 26), rows["model"]
    )
    description = (
        "Dot plot of the scores of every construction at one cut-off, which a slider chooses."
    )
    note = "Move the slider; choose a model where there are several."
    return theme.described(
        with_step_slider(chart, steps), "EW and MW at one cut-off", description, note
    )


def context_slider(marked, curves, *, title):
    """The most probable right and wrong verbs inside a cut-off after one context; a slider moves the cut-off.

    `marked`: the whole distribution, most probable first: token, probability, form ("correct", "wrong", other words for
    other entries), lemma, as from `marked_distribution`. `curves`: metric ("EW", "MW"), side, cutoff, score of the same
    context, as from `score_context`.
    """
    rows = placed_verbs(marked)
    numbers = ["correct", "wrong", "best", "top", "bottom"]
    rows[numbers] = rows[numbers].map(lambda value: float(f"{value:.4g}"))
    wide = (
        curves.pivot_table("score", ["side", "cutoff"], "metric").dropna(subset="EW").reset_index()
    )
    steps = cutoff_steps(wide).merge(wide)  # those inside which EW has a verb
    steps["caption"] = [
        f"{row.label}: EW {row.EW:.2f}, MW {row.MW:.2f}" for row in steps.itertuples()
    ]
    steps = steps.drop(columns=["EW", "MW"])
    side, cut = f"{steps['side'].tolist()}[step - 1]", f"{steps['cutoff'].tolist()}[step - 1]"
    base = (
        alt.Chart(rows)
        .transform_filter(f"({side} == 'top' ? datum.top : datum.bottom) < {cut}")
        .transform_window(
            rank="rank()", sort=[alt.SortField("best", order="descending")], groupby=["agrees"]
        )
        .transform_filter(f"datum.rank <= ({RIGHT} * datum.agrees + {WRONG} * !datum.agrees)")
    )
    order = alt.EncodingSortField("best", order="descending")
    base = base.encode(
        y=alt.Y("lemma:N", sort=order, title=None, axis=alt.Axis(minExtent=80, maxExtent=80))
    )
    across = _powers_of_ten(rows[["correct", "wrong"]].min().min())
    between = base.mark_rule(strokeWidth=2, opacity=0.5).encode(
        x=alt.X("correct:Q", **across),
        x2="wrong:Q",
        color=alt.condition("datum.agrees", alt.value(theme.GREEN), alt.value(theme.ORANGE)),
    )
    points = base.transform_fold(["correct", "wrong"], as_=["form", "p"]).mark_point(
        size=70, filled=True, opacity=1
    )
    points = points.encode(
        x=alt.X("p:Q", **across),
        color=alt.Color("form:N", scale=AGREES, legend=theme.legend()),
        shape=alt.Shape("form:N", scale=AGREES_SHAPES, legend=None),
        tooltip=["lemma:N", "form:N", alt.Tooltip("p:Q", format=".2~g", title="probability")],
    )
    caption = (
        alt.Chart(steps)
        .transform_filter("datum.step == step")
        .mark_text(align="left", fontWeight=600, fontSize=12)
    )
    caption = caption.encode(text="caption:N", x=alt.value(0), y=alt.value(-8))
    chart = alt.layer(between, points, caption).properties(
        width="container", height=18 * (RIGHT + WRONG)
    )
    description = "Dot plot of verbs inside a cut-off, with the probability of each form on a logarithmic axis."
    note = f"The most probable verbs: {RIGHT} whose correct form leads (green lines), and {WRONG} others."
    return theme.described(with_step_slider(chart, steps), title, description, note)


def _powers_of_ten(lowest: float) -> dict:
    """A logarithmic axis from a power of ten to 1, with every power in one notation."""
    last = int(-np.floor(np.log10(lowest)))
    powers = range(last + 1)
    written = ["1", *("10⁻" + str(power).translate(SUPERSCRIPTS) for power in powers[1:])]
    axis = alt.Axis(
        values=[10.0**-power for power in powers],
        labelExpr=f"{written}[round(-log(datum.value) / LN10)]",
    )
    scale = alt.Scale(type="log", domain=[10.0**-last, 1.0])
    return {"axis": axis, "scale": scale, "title": "probability"}


def placed_verbs(marked: pd.DataFrame) -> pd.DataFrame:
    """The lemmas of a marked distribution with both forms: lemma, correct, wrong, best (probabilities), agrees, top,
    bottom.

    A lemma is inside the top cut-offs above `top`, the probability before its better form, and inside the bottom ones
    above `bottom`, the probability below that form: the form on which a cut-off falls counts in part.
    """
    p = marked["probability"].astype(float)
    places = marked.assign(probability=p, top=p.cumsum() - p, bottom=p[::-1].cumsum() - p)
    forms = places[places["form"].isin(MARKS[:2])]
    wide = forms.pivot_table(["probability", "top", "bottom"], "lemma", "form").dropna()
    table = wide["probability"].assign(
        best=wide["probability"].max(axis=1), top=wide["top"].min(axis=1)
    )
    table = table.assign(
        agrees=table["correct"] > table["wrong"], bottom=wide["bottom"].max(axis=1).clip(lower=0)
    )
    return table.reset_index()


def token_browser(tokens, sentences, title: str):
    """Token by token surprisal of the two sentences of a minimal pair, one pair at a time from a list.

    `tokens` is what `tse_core.surprisals` gives for the texts of `sentences`, which has a row per sentence: paradigm
    (what the list shows) and sentence ("good" or "bad").
    """
    rows = tokens.rename(columns={"sentence": "row"}).join(
        sentences[["paradigm", "sentence"]], on="row"
    )
    rows["bits"] = rows["surprisal"].where(rows["scored"]).round(2)
    rows = rows.assign(position=rows["position"] + 1)[
        ["paradigm", "sentence", "position", "token", "bits"]
    ]
    picked = theme.menu("pair", rows["paradigm"], "Pair")
    base = theme.packed(rows, ["paradigm", "sentence"]).transform_filter(
        alt.datum.paradigm == picked
    )
    base = base.encode(
        x=alt.X("position:O", title="token", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("sentence:N", sort=["good", "bad"]),
        color=alt.Color("sentence:N", scale=GOOD_BAD, legend=theme.legend()),
    )
    tooltip = ["token:N", "sentence:N", *theme.tips("bits", of=".2f")]
    surprisals = base.mark_bar().encode(
        y=alt.Y("bits:Q", title="surprisal (bits)"), tooltip=tooltip
    )
    words = base.mark_text(angle=270, align="left", dx=4, fontSize=11).encode(
        y="bits:Q", text="token:N"
    )
    chart = (
        alt.layer(surprisals, words).properties(width="container", height=300).add_params(picked)
    )
    return theme.described(
        chart, title, "Bar chart of the surprisal of each token of a good and a bad sentence."
    )


def pair_browser(pairs, title):
    """Minimal pairs of a chosen construction, nine on a page, each on two lines so that it fits on a phone.

    `pairs`: construction, left, correct, wrong, right, as from `load_pairs`; a sample of each construction is kept.
    """
    some = (
        pairs.sample(frac=1, random_state=0).groupby("construction", sort=False).head(LINES * PAGES)
    )
    place = some.groupby("construction").cumcount()
    rows = some.assign(page=place // LINES + 1, line=place % LINES, starred="*" + some["wrong"])
    rows = rows[["construction", "page", "line", "left", "correct", "starred", "right"]]
    construction = theme.menu("construction", pairs["construction"], "Construction")
    page = alt.param(
        name="page", value=1, bind=alt.binding_range(min=1, max=PAGES, step=1, name="Page ")
    )
    base = alt.Chart(rows).transform_filter(
        "datum.construction == construction && datum.page == page"
    )
    base = base.encode(y=alt.Y("line:O", axis=None))
    columns = (
        ("left", 0, -9, {}),
        ("correct", 16, 9, {"color": theme.GREEN, "fontWeight": 600}),
        ("starred", 96, 9, {"color": theme.ORANGE, "fontWeight": 600}),
        ("right", 180, 9, {}),
    )
    words = [
        base.mark_text(align="left", fontSize=13, dy=down, **look).encode(
            x=alt.value(across), text=f"{column}:N"
        )
        for column, across, down, look in columns
    ]
    chart = (
        alt.layer(*words)
        .add_params(construction, page)
        .properties(width="container", height=alt.Step(48))
    )
    description = "A browser of minimal pairs: the words before the verb, the form that agrees, the other, the rest."
    return theme.described(chart, title, description).configure_view(stroke=None)


def weight_sliders(verbs, title):
    """TSE, EW and MW of two verbs whose four probabilities the reader sets.

    `verbs`: correct, P(correct), wrong, P(wrong): two rows, the verb of TSE first.
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
    base = alt.Chart(pd.DataFrame(rows)).transform_calculate(
        probability=f"({weight} : 0) / {total}"
    )
    forms = base.mark_bar(height=18).encode(
        x=alt.X("probability:Q", scale=SHARE),
        y=alt.Y("word:N", sort=None, title=None),
        color=_form_colours(["correct", "wrong"]),
        tooltip=["word:N", "form:N", *theme.tips("probability", of=".2f")],
    )
    first, second = (f"(correct_{number} > wrong_{number} ? 1 : 0)" for number in (0, 1))
    scores = {
        "TSE": first,
        "EW": f"({first} + {second}) / 2",
        "MW": f"(correct_0 + correct_1) / {total}",
    }
    score = " : ".join(
        f"datum.metric == '{metric}' ? {formula}" for metric, formula in scores.items()
    )
    words = alt.Chart(pd.DataFrame({"metric": list(scores)}))
    words = words.transform_calculate(shown=f"datum.metric + '  ' + format({score} : 0, '.2f')")
    words = words.mark_text(align="left", fontSize=20, fontWeight=600)
    words = words.encode(y=alt.Y("metric:N", sort=None, axis=None), x=alt.value(6), text="shown:N")
    both = alt.hconcat(
        forms.properties(width=330, height=130), words.properties(width=130, height=130)
    )
    description = "Bars: the probabilities of four verb forms, set by four sliders. Beside them TSE, EW and MW."
    return theme.described(both.add_params(*sliders), title, description).configure_view(
        stroke=None
    )


def cutoff_explorer(entries, scores, cutoffs, title):
    """A small distribution, its entries inside a chosen cut-off, and EW and MW at every cut-off.

    `entries`: entry, form ("correct", "wrong", "not a verb"), probability, most probable first. `scores` are those of
    this distribution, from `tse_core.cutoff_scores`, at `cutoffs` from the top and from the bottom.
    """
    side = alt.param(
        name="side_cut",
        value="top",
        bind=alt.binding_radio(options=["top", "bottom"], name="side "),
    )
    cut = alt.param(
        name="p_cut", value=0.94, bind=alt.binding_range(min=0.02, max=1, step=0.02, name="p ")
    )
    total = entries["probability"].cumsum()
    rows = entries.assign(
        above=total - entries["probability"], below=total.iloc[-1] - total, order=range(len(total))
    )
    before = "(side_cut == 'top' ? datum.above : datum.below)"
    shares = alt.Chart(rows).transform_calculate(
        inside=f"clamp((p_cut - {before}) / datum.probability, 0, 1)"
    )
    shares = shares.mark_bar().encode(
        x=alt.X("entry:N", sort=alt.SortField("order"), title=None, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("probability:Q"),
        color=_form_colours(FORMS),
        opacity=alt.Opacity(
            "inside:Q", scale=alt.Scale(domain=[0, 1], range=[0.15, 1]), legend=None
        ),
        tooltip=["entry:N", *theme.tips("probability"), *theme.tips("inside", of=".2f")],
    )
    found = [
        pd.DataFrame(
            {
                "p": cutoffs,
                "metric": metric,
                "side": end,
                "score": getattr(scores, f"{metric.lower()}_{end}")[0],
            }
        )
        for metric in ("EW", "MW")
        for end in ("top", "bottom")
    ]
    curves = pd.concat(found, ignore_index=True).dropna()
    lines = alt.Chart(curves).transform_filter("datum.side == side_cut").mark_line()
    _, metrics, _ = theme.metric_scales(["EW", "MW"])
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    lines = lines.encode(
        x=alt.X(
            "p:Q", scale=alt.Scale(domain=[0, 1.15]), title="cut-off p", axis=axis
        ),  # space for the numbers at 1
        y=alt.Y("score:Q", scale=SHARE, title="EW, MW"),
        color=alt.Color("metric:N", title=None, scale=metrics, legend=alt.Legend(orient="top")),
    )
    here = lines.transform_filter("abs(datum.p - p_cut) < 0.009").mark_point(
        filled=True, size=90, opacity=1
    )
    numbers = here.mark_text(align="left", dx=8, dy=-8, fontWeight=600).encode(
        text=alt.Text("score:Q", format=".2f")
    )
    right = alt.layer(lines, here, numbers).properties(width=230, height=190)
    both = alt.hconcat(shares.properties(width=270, height=190), right).resolve_scale(
        color="independent"
    )
    description = "Left: the entries of a small distribution, those outside the cut-off faded. Right: EW and MW over p."
    return theme.described(both.add_params(side, cut), title, description)


def _form_colours(forms) -> alt.Color:
    """Correct and wrong forms in their colours, with a legend above."""
    scale = theme.scale_of({form: FORMS[form] for form in forms})
    return alt.Color("form:N", title=None, scale=scale, legend=alt.Legend(orient="top"))
