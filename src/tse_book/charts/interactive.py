"""Charts that a reader controls: sliders, lists and search fields above the chart, all within the page.

The controls are ordinary form fields, so they work with the keyboard and without a server.
"""

import altair as alt

from tse_book.charts.cutoffs import position
from tse_book.charts.theme import METRICS, chosen_model, colours_of, described, filling, listed, needs, packed


def cutoff_slider(curves):
    """The scores of all constructions at one cut-off; a slider walks from the likely verbs to the unlikely ones.

    Parameters
    ----------
    curves : DataFrame
        What `cutoff_curves` takes; several models are chosen from a list.
    """
    rows = needs(curves, "construction", "metric", "side", "cutoff", "score", what="a slider of cut-offs").copy()
    rows["model"] = rows["model"].fillna("") if "model" in rows else ""
    steps = rows[["side", "cutoff"]].drop_duplicates()
    steps = steps.assign(at=position(steps["side"], steps["cutoff"])).sort_values("at").reset_index(drop=True)
    steps["step"] = steps.index + 1
    steps["label"] = [f"{side} {c * 100:.10g} %" for side, c in zip(steps["side"], steps["cutoff"], strict=True)]
    rows = rows.merge(steps[["side", "cutoff", "step", "label"]])
    kept = ["construction", "model", "metric", "step", "label", "score", "low", "high"]
    rows = rows[[c for c in kept if c in rows]].dropna(subset="score").round(6)
    slider = alt.binding_range(min=1, max=len(steps), step=1, name="Cut-off, from likely to unlikely verbs ")
    step = alt.param(name="step", value=int(steps.loc[steps["label"] == "top 100 %", "step"].max() or 1), bind=slider)
    low = min(0.5, float(rows["score"].min()) // 0.1 * 0.1)
    names = list(colours_of(rows["construction"]).domain)
    base = alt.Chart(rows).transform_filter(alt.datum.step == step)
    marks = base.encode(
        x=alt.X("score:Q", scale=alt.Scale(domain=[low, 1.0]), title="score"),
        y=alt.Y("construction:N", sort=names, title=None, axis=alt.Axis(labelLimit=200, grid=True)),
        color=alt.Color("construction:N", scale=colours_of(rows["construction"]), legend=None),
        shape=alt.Shape("metric:N", scale=_shapes(rows["metric"]), legend=alt.Legend(title=None, orient="bottom")),
        tooltip=["construction:N", "metric:N", "label:N", alt.Tooltip("score:Q", format=".3f")],
    )
    metrics = [metric for metric in METRICS if metric in set(rows["metric"])]
    own = {m: f"datum.metric == '{m}' ? datum.score : null" for m in metrics}
    means = " + ".join(f"'|mean {m} ' + format(datum.{m}, '.3f') + ' over ' + datum.{m}_n" for m in metrics)
    sums = {m: f"mean({m})" for m in metrics} | {f"{m}_n": f"valid({m})" for m in metrics}
    said = base.transform_calculate(**own).transform_aggregate(label="min(label)", **sums)
    said = said.transform_calculate(said=f"datum.label + {means}")
    said = said.mark_text(align="left", baseline="top", fontWeight=600, lineBreak="|", lineHeight=14)
    layers = [marks.mark_point(size=90, filled=True, opacity=1)]
    layers.append(said.encode(text="said:N", x=alt.value(0), y=alt.value(-4 - 14 * (1 + len(metrics)))))
    chart = chosen_model(filling(alt.layer(*layers), rows["construction"], 26), rows["model"]).add_params(step)
    chart = chart.properties(usermeta={"steps": {"step": steps["label"].tolist()}})  # shown beside the slider
    description = (
        f"Dot plot of {listed(dict.fromkeys(rows['metric']))} for {rows['construction'].nunique()} constructions at "
        f"one of {len(steps)} cut-offs, chosen with a slider."
    )
    return described(
        chart, "EW and MW at one cut-off", description, "Move the slider; choose a model where there are several."
    )


def lemma_explorer(by_lemma):
    """Each lemma's share of probability on the right form against its probability, for one construction at a time.

    Parameters
    ----------
    by_lemma : DataFrame
        An evaluation's table with keep="lemmas": construction, subject, number, lemma, contexts, correct,
        probability_correct, probability_wrong; several models in a column model. Dots are means over subjects and
        numbers.
    """
    needs(by_lemma, "construction", "lemma", "contexts", "correct", "probability_correct", what="a chart of lemmas")
    rows = _per_lemma(by_lemma)
    names = list(colours_of(rows["construction"]).domain)
    picked = alt.param(name="row", value=names[0], bind=alt.binding_select(options=names, name="Construction "))
    sought = alt.param(name="verb", value="", bind=alt.binding(input="search", placeholder="a verb", name="Verb "))
    found = "verb == '' || datum.lemma == lower(verb)"
    base = packed(rows, ["model", "construction"]).transform_filter(alt.datum.construction == picked)
    dots = base.mark_circle().encode(
        x=alt.X(
            "probability:Q",
            scale=alt.Scale(type="log"),
            title="mean probability of the verb's two forms",
            axis=alt.Axis(format=".0e", tickCount=6),
        ),
        y=alt.Y("right:Q", scale=alt.Scale(domain=[0, 1]), title="share of contexts with the right form ahead"),
        color=alt.Color("construction:N", scale=colours_of(rows["construction"]), legend=None),
        opacity=alt.condition(found, alt.value(0.65), alt.value(0.06)),
        size=alt.condition(f"verb != '' && ({found})", alt.value(160), alt.value(36)),
        tooltip=["lemma:N", alt.Tooltip("probability:Q", format=".2e"), *(_share(c) for c in ("right", "weighted"))],
    )
    label = base.transform_filter(f"verb != '' && ({found})").mark_text(dx=8, align="left", fontWeight=600)
    chart = alt.layer(dots, label.encode(x="probability:Q", y="right:Q", text="lemma:N"))
    chart = chosen_model(chart.properties(width="container", height=320), rows["model"]).add_params(picked, sought)
    first = rows[(rows["construction"] == names[0]) & (rows["model"] == rows["model"].iloc[0])]
    description = (
        f"Scatter plot of {rows['lemma'].nunique()} lemmas. In {names[0]}, {(first['right'] == 1).mean():.0%} of them "
        f"have the right form ahead in every context and {(first['right'] < 0.5).mean():.0%} in less than half."
    )
    return described(
        chart,
        "One dot, one verb: how sure, and how often right",
        description,
        "Choose a construction; type a verb to find it; touch a dot, or point at it, for its numbers.",
    )


def token_browser(tokens):
    """Token by token surprisal of the two sentences of a minimal pair, one pair at a time from a list.

    Parameters
    ----------
    tokens : DataFrame
        pair (what the list shows), sentence ("good" or "bad"), position (from 1), token, bits (NaN where a model gives
        no surprisal, as to the first token without BOS); several models in a column model.
    """
    rows = needs(tokens, "pair", "sentence", "position", "token", "bits", what="a browser of pairs").copy()
    rows["model"] = rows["model"].fillna("") if "model" in rows else ""
    rows = rows[["model", "pair", "sentence", "position", "token", "bits"]]
    pairs = list(dict.fromkeys(rows["pair"]))
    picked = alt.param(name="pair", value=pairs[0], bind=alt.binding_select(options=pairs, name="Pair "))
    colours = alt.Scale(domain=["good", "bad"], range=["#009e73", "#d55e00"])
    base = (
        packed(rows, ["model", "pair", "sentence"])
        .transform_filter(alt.datum.pair == picked)
        .encode(
            x=alt.X("position:O", title="token", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("sentence:N", sort=["good", "bad"]),
            color=alt.Color("sentence:N", scale=colours, legend=alt.Legend(title=None, orient="bottom")),
        )
    )
    tips = ["token:N", "sentence:N", alt.Tooltip("bits:Q", format=".2f")]
    bars = base.mark_bar().encode(y=alt.Y("bits:Q", title="surprisal (bits)"), tooltip=tips)
    words = base.mark_text(angle=270, align="left", dx=4, fontSize=11).encode(y="bits:Q", text="token:N")
    chart = alt.layer(bars, words).properties(width="container", height=300)
    totals = rows.groupby(["model", "pair", "sentence"])["bits"].sum().unstack("sentence")
    won = (totals["good"] < totals["bad"]).mean() if {"good", "bad"} <= set(totals) else 0
    description = (
        f"Bar chart of surprisals, one of {len(pairs)} pairs at a time; the good sentence is more probable in "
        f"{won:.0%} of them."
    )
    chart = chosen_model(chart, rows["model"]).add_params(picked)
    title = "Where the two sentences of a pair part ways"
    return described(chart, title, description, "Choose a pair: bars of the same token differ where the sentences do.")


def switchboard(scores):
    """Scores under the default policies (hollow) and with one policy changed (filled), chosen from a list.

    Parameters
    ----------
    scores : DataFrame
        switch (what the list shows), setting ("default" or "flipped"), construction, metric, score; several models in a
        column model.
    """
    rows = needs(scores, "switch", "setting", "construction", "metric", "score", what="a switchboard").copy()
    rows["model"] = rows["model"].fillna("") if "model" in rows else ""
    switches = list(dict.fromkeys(rows["switch"]))
    picked = alt.param(name="policy", value=switches[0], bind=alt.binding_select(options=switches, name="Switch "))
    names, metrics = list(colours_of(rows["construction"]).domain), [m for m in METRICS if m in set(rows["metric"])]
    low = min(0.5, float(rows["score"].min()) // 0.1 * 0.1)
    base = (
        alt.Chart(rows)
        .transform_filter(alt.datum.switch == picked)
        .encode(
            y=alt.Y("construction:N", sort=names, title=None, axis=alt.Axis(labelLimit=200, grid=True)),
            yOffset=alt.YOffset("metric:N", sort=metrics),
            color=alt.Color("construction:N", scale=colours_of(rows["construction"]), legend=None),
        )
    )
    filled = alt.Color("construction:N", scale=colours_of(rows["construction"]))
    tips = ["construction:N", "metric:N", "setting:N", alt.Tooltip("score:Q", format=".4f")]
    paths = base.mark_line(strokeWidth=1.5).encode(x="score:Q", detail=["construction:N", "metric:N"])
    dots = base.mark_point(size=80, strokeWidth=1.6, opacity=1).encode(
        x=alt.X("score:Q", scale=alt.Scale(domain=[low, 1.0]), title="score", axis=alt.Axis(format=".1f", tickCount=6)),
        shape=alt.Shape("metric:N", scale=_shapes(rows["metric"]), legend=alt.Legend(title=None, orient="bottom")),
        fill=alt.condition("datum.setting == 'default'", alt.value("transparent"), filled),
        tooltip=tips,
    )
    chart = chosen_model(filling(alt.layer(paths, dots), rows["construction"], 40), rows["model"]).add_params(picked)
    keys = ["model", "switch", "construction", "metric"]
    moved = rows.pivot_table("score", keys, "setting").eval("flipped - default").abs()
    far = moved.idxmax()
    description = (
        f"Dot plot of {len(switches)} switches. The largest movement is {moved.max():.3f}: "
        f"{far[3]} of {far[2]}, {far[1]}."
    )
    title = "Flip one policy and see the score move"
    return described(chart, title, description, "Hollow: default policies. Filled: with the chosen switch flipped.")


def _per_lemma(by_lemma):
    table = by_lemma.assign(model=by_lemma.get("model", ""))
    for form in ("correct", "wrong"):
        table[f"mass_{form}"] = table[f"probability_{form}"] * table["contexts"]
    sums = table.groupby(["model", "construction", "lemma"], sort=False, as_index=False)[
        ["contexts", "correct", "mass_correct", "mass_wrong"]
    ].sum()
    total = sums["mass_correct"] + sums["mass_wrong"]
    numbers = {"probability": total / sums["contexts"], "right": sums["correct"] / sums["contexts"]}
    numbers["weighted"] = sums["mass_correct"] / total
    rows = sums[["model", "construction", "lemma"]].assign(**numbers)
    rows["probability"] = [float(f"{p:.3g}") for p in rows["probability"]]
    return rows[rows["probability"] > 0].round({"right": 4, "weighted": 4})


def _shapes(metrics):
    present = [m for m in METRICS if m in set(metrics)]
    return alt.Scale(domain=present, range=[METRICS[m] for m in present])


def _share(column):
    titles = {"right": "right form ahead in", "weighted": "probability on the right form"}
    return alt.Tooltip(f"{column}:Q", title=titles[column], format=".1%")
