"""SyntaxGym drawn: accuracy of models on suites, surprisal region by region, item by item."""

import altair as alt
import pandas as pd

from tse_book.charts import theme
from tse_book.charts.paradigms import series_colours
from tse_book.model_names import SHOWN_NAMES

HOLDS = theme.scale_of({"holds": "#198868", "fails": theme.ORANGE, "not judged": theme.QUIET})
CORRECT_LIKE = ("#198868", "#df7a00")  # near the colours of correct and wrong: last
CONDITIONS = [
    colour for colour in theme.CONSTRUCTIONS.values() if colour not in CORRECT_LIKE
] + list(CORRECT_LIKE)


def suite_accuracy(table: pd.DataFrame, recorded: pd.DataFrame, *, title: str):
    """Accuracy of models on every suite as dots, and of the models recorded in 2020 as hollow diamonds.

    `table` and `recorded`: circuit, suite, model, accuracy, correct, items. Suites stand below the name of their circuit.
    """
    dots = theme.needs(table, "suite", "model", "accuracy", what="a chart of accuracies").replace(
        SHOWN_NAMES
    )
    dots["circuit"] = dots["circuit"].fillna("In no circuit")
    rows = pd.concat(
        [dots.assign(source="dot"), recorded.assign(source="diamond")], ignore_index=True
    )
    lines = []  # down the left side: a circuit, its suites, the next circuit
    for circuit, suites in dots.groupby("circuit", sort=False)["suite"]:
        lines += [circuit, *suites.unique()]
    circuits = list(dots["circuit"].unique())
    heading = f"indexof({circuits}, datum.value) >= 0"
    axis = alt.Axis(
        labelLimit=220,
        labelFontWeight=alt.condition(heading, alt.value(700), alt.value(400)),
        ticks=False,
    )
    chosen, opacity = theme.chosen_in_legend("model", 0.1, "model_chosen")
    base = alt.Chart(rows).encode(
        x=alt.X("accuracy:Q", scale=alt.Scale(domain=[0, 1]), title="accuracy (share of items)"),
        y=alt.Y("suite:N", title=None, scale=alt.Scale(domain=lines), axis=axis),
        opacity=opacity,
        tooltip=["suite:N", "model:N", *theme.tips("accuracy"), "correct:Q", "items:Q"],
    )
    colours = alt.Color(
        "model:N", scale=series_colours(rows["model"]), legend=theme.legend(columns=2)
    )
    filled = (
        base.transform_filter("datum.source == 'dot'")
        .mark_point(size=80, filled=True)
        .encode(color=colours)
    )
    hollow = base.transform_filter("datum.source == 'diamond'")
    hollow = hollow.mark_point(size=60, shape="diamond", strokeWidth=1.4, filled=False)
    hollow = hollow.encode(color=colours)
    chart = alt.layer(hollow, filled.add_params(chosen)).properties(
        width="container", height=alt.Step(22)
    )
    note = "Filled: recorded for this book. Hollow diamonds: recorded in 2020."
    description = "Dot plot of the accuracy of each model on each suite, by circuit."
    return theme.described(chart, title, description, note)


def region_profile(regions: pd.DataFrame, *, title: str, critical=()):
    """Mean surprisal of each region in each condition; a menu chooses the model.

    `regions`: model, condition, region, name, bits: the rows of ``Outcome.regions`` of one or more models. Where their
    content is known, regions that a condition leaves empty are not drawn. `critical` are the numbers of the regions in
    the prediction, which are shaded.
    """
    rows = mean_regions(regions)
    order = list(dict.fromkeys(rows.sort_values("region")["label"]))
    shown = [c for c in ("condition", "label", "bits", "items") if c in rows]
    chart, selected = alt.Chart(rows), []
    if rows["model"].nunique() > 1:
        selected = [theme.menu("chosen_model", rows["model"].tolist(), "model")]
        chart = chart.transform_filter("datum.model == chosen_model")
    named = list(
        dict.fromkeys(rows["condition"])
    )  # the same domain makes one legend of colours and shapes
    colours, shapes = alt.Scale(domain=named, range=CONDITIONS), alt.Scale(domain=named)
    chosen, opacity = theme.chosen_in_legend("condition", 0.12, "condition_chosen")
    axis = alt.Axis(labelAngle=-30, labelPadding=8, labelLimit=140, grid=False)
    base = chart.encode(
        x=alt.X("label:N", sort=order, title="region", axis=axis),
        y=alt.Y("bits:Q", title="surprisal (bits)"),
        color=alt.Color("condition:N", scale=colours, sort=None, legend=theme.legend(columns=2)),
        opacity=opacity,
        tooltip=[alt.Tooltip("bits:Q", format=".2f") if c == "bits" else f"{c}:N" for c in shown],
    )
    marks = base.encode(
        shape=alt.Shape("condition:N", scale=shapes, sort=None, legend=theme.legend(columns=2))
    )
    layers = [
        marks.mark_point(size=60, filled=True).add_params(chosen),
        base.mark_line(strokeWidth=1.8),
    ]
    if marked := [label for label in order if int(label.split(" ")[0]) in set(critical)]:
        ground = alt.Chart(pd.DataFrame({"label": marked})).mark_bar(
            width=44, opacity=0.13, color=theme.QUIET
        )
        layers.insert(
            0, ground.encode(x=alt.X("label:N", sort=order), y=alt.value(0), y2=alt.value("height"))
        )
    drawn = alt.layer(*layers).add_params(*selected).properties(width="container", height=240)
    note = "Shaded: the regions in the prediction." if marked else None
    return theme.described(
        drawn, title, "Line chart: surprisal by region, a line for each condition.", note
    )


def mean_regions(regions: pd.DataFrame) -> pd.DataFrame:
    """The mean surprisal (bits) of each model's regions in each condition, and over how many items."""
    keys = ["model", "condition", "region", "name"]
    regions = regions[regions["content"] != ""] if "content" in regions else regions
    rows = regions.groupby(keys, sort=False, as_index=False).agg(
        bits=("bits", "mean"), items=("bits", "size")
    )
    label = rows["region"].astype(str) + " " + rows["name"].astype(str)
    return rows.assign(bits=rows["bits"].round(3), label=label)


def item_outcomes(items: pd.DataFrame, *, title: str):
    """Which predictions hold for which item: a tile for each item (column) and model and prediction (row).

    ``items``: model, item, prediction, holds, unknown.
    """
    rows = theme.needs(
        items, "model", "item", "prediction", "holds", "unknown", what="a chart of outcomes"
    ).replace({"model": SHOWN_NAMES})
    several = rows["prediction"].nunique() > 1
    rows["row"] = rows["model"] + (
        ", prediction " + rows["prediction"].astype(str) if several else ""
    )
    rows["outcome"] = (
        rows["holds"].map({True: "holds", False: "fails"}).mask(rows["unknown"], "not judged")
    )
    rows["sign"] = rows["outcome"].map({"holds": "✓", "fails": "✗", "not judged": "?"})
    rows = rows[["row", "model", "item", "prediction", "outcome", "sign"]]
    base = alt.Chart(rows).encode(
        x=alt.X("item:O", title="item", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=theme.names("row"),
        tooltip=["model:N", "item:O", "prediction:N", "outcome:N"],
    )
    tiles = base.mark_rect(stroke=theme.QUIET, strokeWidth=0.4, opacity=1)
    tiles = tiles.encode(color=alt.Color("outcome:N", scale=HOLDS, legend=theme.legend()))
    signs = base.mark_text(fontSize=11).encode(text="sign:N", color=alt.value("#000000"))
    chart = alt.layer(tiles, signs).properties(width="container", height=alt.Step(24))
    return theme.described(
        chart, title, "Grid of items: whether each prediction holds for each item."
    )
