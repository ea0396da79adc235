"""Charts that a reader controls: sliders, lists and search fields above the chart, all within the page.

The controls are ordinary form fields, so they work with the keyboard and without a server.
"""

import altair as alt

from tse_book.charts.cutoffs import cutoff_steps, with_step_slider
from tse_book.charts.theme import (
    chosen_model,
    colours_of,
    described,
    filling,
    metric_scales,
    needs,
    packed,
    with_models,
)

GOOD_BAD = alt.Scale(domain=["good", "bad"], range=["#009e73", "#d55e00"])


def cutoff_slider(curves):
    """The scores of all constructions at one cut-off; a slider walks from the likely verbs to the unlikely ones.

    Parameters
    ----------
    curves : DataFrame
        What `cutoff_curves` takes; several models are chosen from a list.
    """
    rows = needs(curves, "construction", "metric", "side", "cutoff", "score", what="a slider of cut-offs")
    steps = cutoff_steps(rows)
    rows = with_models(rows).merge(steps)
    kept = ["construction", "model", "metric", "step", "label", "score", "low", "high"]
    rows = rows[[c for c in kept if c in rows]].dropna(subset="score").round(6)
    low = min(0.5, float(rows["score"].min()) // 0.1 * 0.1)
    names = list(colours_of(rows["construction"]).domain)
    metrics, _, shapes = metric_scales(rows["metric"])
    base = alt.Chart(rows).transform_filter("datum.step == step")
    marks = base.encode(
        x=alt.X("score:Q", scale=alt.Scale(domain=[low, 1.0]), title="score"),
        y=alt.Y("construction:N", sort=names, title=None, axis=alt.Axis(labelLimit=200, grid=True)),
        color=alt.Color("construction:N", scale=colours_of(rows["construction"]), legend=None),
        shape=alt.Shape("metric:N", scale=shapes, legend=alt.Legend(title=None, orient="bottom")),
        tooltip=["construction:N", "metric:N", "label:N", alt.Tooltip("score:Q", format=".3f")],
    )
    own = {m: f"datum.metric == '{m}' ? datum.score : null" for m in metrics}
    means = " + ".join(f"'|mean {m} ' + format(datum.{m}, '.3f') + ' over ' + datum.{m}_n" for m in metrics)
    sums = {m: f"mean({m})" for m in metrics} | {f"{m}_n": f"valid({m})" for m in metrics}
    said = base.transform_calculate(**own).transform_aggregate(label="min(label)", **sums)
    said = said.transform_calculate(said=f"datum.label + {means}")
    said = said.mark_text(align="left", baseline="top", fontWeight=600, lineBreak="|", lineHeight=14)
    layers = [marks.mark_point(size=90, filled=True, opacity=1)]
    layers.append(said.encode(text="said:N", x=alt.value(0), y=alt.value(-4 - 14 * (1 + len(metrics)))))
    chart = chosen_model(filling(alt.layer(*layers), rows["construction"], 26), rows["model"])
    description = "Dot plot of the scores of every construction at one cut-off, which a slider chooses."
    note = "Move the slider; choose a model where there are several."
    return described(with_step_slider(chart, steps), "EW and MW at one cut-off", description, note)


def token_browser(tokens, sentences, title: str):
    """Token by token surprisal of the two sentences of a minimal pair, one pair at a time from a list.

    Parameters
    ----------
    tokens : DataFrame
        What `tse_core.surprisals` gives for the texts of `sentences`.
    sentences : DataFrame
        A row per sentence: paradigm (what the list shows) and sentence ("good" or "bad").
    """
    rows = tokens.rename(columns={"sentence": "row"}).join(sentences[["paradigm", "sentence"]], on="row")
    rows["bits"] = rows["surprisal"].where(rows["scored"]).round(2)
    rows = rows.assign(position=rows["position"] + 1)[["paradigm", "sentence", "position", "token", "bits"]]
    pairs = list(dict.fromkeys(rows["paradigm"]))
    picked = alt.param(name="pair", value=pairs[0], bind=alt.binding_select(options=pairs, name="Pair "))
    base = (
        packed(rows, ["paradigm", "sentence"])
        .transform_filter(alt.datum.paradigm == picked)
        .encode(
            x=alt.X("position:O", title="token", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("sentence:N", sort=["good", "bad"]),
            color=alt.Color("sentence:N", scale=GOOD_BAD, legend=alt.Legend(title=None, orient="top")),
        )
    )
    tips = ["token:N", "sentence:N", alt.Tooltip("bits:Q", format=".2f")]
    bars = base.mark_bar().encode(y=alt.Y("bits:Q", title="surprisal (bits)"), tooltip=tips)
    words = base.mark_text(angle=270, align="left", dx=4, fontSize=11).encode(y="bits:Q", text="token:N")
    chart = alt.layer(bars, words).properties(width="container", height=300).add_params(picked)
    return described(chart, title, "Bar chart of the surprisal of each token of a good and a bad sentence.")


def switchboard(scores):
    """Scores under the default policies (hollow) and with one policy changed (filled), chosen from a list.

    Parameters
    ----------
    scores : DataFrame
        switch (what the list shows), setting ("default" or "flipped"), construction, metric, score; several models in a
        column model.
    """
    rows = needs(scores, "switch", "setting", "construction", "metric", "score", what="a switchboard")
    rows = with_models(rows).drop(columns="source")
    switches = list(dict.fromkeys(rows["switch"]))
    picked = alt.param(name="policy", value=switches[0], bind=alt.binding_select(options=switches, name="Switch "))
    names = list(colours_of(rows["construction"]).domain)
    metrics, colours, shapes = metric_scales(rows["metric"])
    scale = alt.Scale(domain=[float(rows["score"].min()) // 0.05 * 0.05, 1.0])
    x = alt.X("score:Q", scale=scale, title="TSE, EW or MW", axis=alt.Axis(tickCount=6))
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    colour = alt.Color("metric:N", scale=colours, legend=legend)
    base = alt.Chart(rows).transform_filter(alt.datum.switch == picked)
    base = base.encode(
        x=x,
        y=alt.Y("construction:N", sort=names, title=None, axis=alt.Axis(labelLimit=200, grid=True)),
        yOffset=alt.YOffset("metric:N", sort=metrics),
        color=colour,
    )
    paths = base.mark_line(strokeWidth=1.5).encode(detail=["construction:N", "metric:N"])
    dots = base.mark_point(size=80, strokeWidth=1.6, opacity=1).encode(
        shape=alt.Shape("metric:N", scale=shapes, legend=legend),
        fill=alt.condition("datum.setting == 'default'", alt.value("transparent"), colour),
        tooltip=["construction:N", "metric:N", "setting:N", alt.Tooltip("score:Q", format=".4f")],
    )
    chart = chosen_model(filling(alt.layer(paths, dots), rows["construction"], 40), rows["model"]).add_params(picked)
    description = "Dot plot: TSE, EW and MW of each construction, hollow by default and filled with one policy changed."
    note = "Hollow: default policies. Filled: with the chosen switch flipped."
    return described(chart, "Flip one policy and see the score move", description, note)
