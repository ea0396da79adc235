"""SyntaxGym drawn: accuracy of models on suites, surprisal region by region, item by item."""

import altair as alt
import pandas as pd

from tse_book.charts.theme import CONSTRUCTIONS, described, listed, needs

HOLDS = alt.Scale(domain=["holds", "fails", "not judged"], range=["#198868", "#d55e00", "#8a8f98"])
MODELS = alt.Scale(range=list(CONSTRUCTIONS.values()))
KEYS = ["model", "item", "condition"]  # of a sentence


def suite_accuracy(table: pd.DataFrame, *, title: str, recorded: pd.DataFrame | None = None):
    """Accuracy of every model on every suite as dots, over published values as hollow diamonds.

    Parameters
    ----------
    table : DataFrame
        suite, model, accuracy; where known correct, items.
    recorded : DataFrame, optional
        suite, model, accuracy of models that others have measured.
    """
    rows = needs(table, "suite", "model", "accuracy", what="a chart of accuracies").assign(source="measured")
    if recorded is not None and len(recorded):
        rows = pd.concat([rows, recorded.assign(source="recorded")], ignore_index=True)
    several = rows["suite"].nunique() > 1
    chosen = alt.selection_point(fields=["model"], bind="legend", name="model_chosen")
    label, colour = ("suite", "model") if several else ("model", "model")
    base = alt.Chart(rows).encode(
        x=alt.X("accuracy:Q", scale=alt.Scale(domain=[0, 1]), title="accuracy (share of items)"),
        y=alt.Y(f"{label}:N", sort=list(dict.fromkeys(rows[label])), title=None, axis=alt.Axis(labelLimit=220)),
        opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.1)),
        tooltip=["suite:N", "model:N", "source:N", alt.Tooltip("accuracy:Q", format=".3f"),
                 *[f"{name}:Q" for name in ("correct", "items") if name in rows]],
    )  # fmt: skip
    legend = alt.Legend(title=None, orient="bottom", columns=3) if several else None
    dots = base.transform_filter("datum.source == 'measured'").mark_point(size=80, filled=True).encode(
        color=alt.Color(f"{colour}:N", scale=MODELS, legend=legend, sort=None)
    )  # fmt: skip
    hollow = base.transform_filter("datum.source == 'recorded'").mark_point(
        size=60, shape="diamond", strokeWidth=1.4, filled=False, color="#8a8f98"
    )
    chart = alt.layer(hollow, dots.add_params(chosen)).properties(width="container", height=alt.Step(22))
    means = rows[rows["source"] == "measured"].groupby("model", sort=False)["accuracy"].mean()
    found = "; ".join(f"{model} {mean:.2f}" for model, mean in means.dropna().items())
    return described(chart, title, f"Dot plot of accuracies. Means of the measured models: {found or 'none judged'}.")


def region_profile(regions: pd.DataFrame, *, title: str, critical=()):
    """Mean surprisal of each region in each condition; a menu chooses the model.

    Parameters
    ----------
    regions : DataFrame
        model, condition, region, name, bits: the rows of ``Outcome.regions`` of one or more models. Where content is
        known, regions that a condition leaves empty are not drawn.
    critical : collection of int
        The regions in the prediction, which are shaded.
    """
    needs(regions, "model", "condition", "region", "name", "bits", what="a chart of regions")
    keys = ["model", "condition", "region", "name"]
    regions = regions[regions["content"] != ""] if "content" in regions else regions
    rows = regions.groupby(keys, sort=False, as_index=False).agg(bits=("bits", "mean"), items=("bits", "size"))
    rows = rows.assign(label=_labels(rows), bits=rows["bits"].round(3))
    return _profile(rows, title, critical, choosers=("model",), description=_profile_words(rows))


def item_profile(regions: pd.DataFrame, *, title: str, critical=()):
    """The surprisal of every region of one item in each condition; menus choose model and item.

    ``regions`` as for :func:`region_profile`, with item, content and, where known, pieces (its tokens).
    """
    needs(regions, "model", "item", "condition", "region", "name", "bits", "content", what="a chart of an item")
    rows = regions[regions["content"] != ""]
    columns = ["model", "item", "condition", "region", "name", "content", "bits"]
    rows = rows[[*columns, *[c for c in ("pieces",) if c in rows]]].assign(
        label=_labels(rows), bits=rows["bits"].round(2)
    )
    words = (
        f"Line chart: surprisal of each region of one item in the conditions {listed(rows['condition'].unique())}. "
        f"Menus choose among {rows['item'].nunique()} items and {rows['model'].nunique()} models."
    )
    return _profile(rows, title, critical, choosers=("model", "item"), description=words, by=KEYS)


def item_outcomes(items: pd.DataFrame, *, title: str):
    """Which predictions hold for which item: a tile for each item (column) and model and prediction (row).

    ``items``: model, item, prediction, holds; where known unknown.
    """
    rows = needs(items, "model", "item", "prediction", "holds", what="a chart of outcomes").copy()
    several = rows["prediction"].nunique() > 1
    rows["row"] = rows["model"] + (", prediction " + rows["prediction"].astype(str) if several else "")
    unknown = rows.get("unknown", False)
    rows["outcome"] = rows["holds"].map({True: "holds", False: "fails"}).mask(unknown, "not judged")
    rows["sign"] = rows["outcome"].map({"holds": "✓", "fails": "✗", "not judged": "?"})
    rows = rows[["row", "model", "item", "prediction", "outcome", "sign"]]
    base = alt.Chart(rows).encode(
        x=alt.X("item:O", title="item", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("row:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        tooltip=["model:N", "item:O", "prediction:N", "outcome:N"],
    )
    tiles = base.mark_rect(stroke="#8a8f98", strokeWidth=0.4, opacity=1).encode(
        color=alt.Color("outcome:N", scale=HOLDS, legend=alt.Legend(title=None, orient="bottom"))
    )
    signs = base.mark_text(fontSize=11).encode(text="sign:N", color=alt.value("#000000"))
    chart = alt.layer(tiles, signs).properties(width="container", height=alt.Step(24))
    share = rows.assign(yes=rows["outcome"] == "holds").groupby("row", sort=False)["yes"].sum()
    found = "; ".join(f"{row}: {yes} of {items['item'].nunique()} items" for row, yes in share.items())
    return described(chart, title, f"Grid of items. Predictions that hold: {found}.")


def _labels(rows) -> pd.Series:
    return rows["region"].astype(str) + " " + rows["name"].astype(str)


def _profile(rows, title, critical, choosers, description, by=()):
    """Lines over regions. Rows that share `by` are stored as one with lists: names and keys are in the page once, not
    in every row.
    """
    order = list(dict.fromkeys(rows.sort_values("region")["label"]))
    shown = [c for c in ("condition", "label", "content", "pieces", "bits", "items") if c in rows]
    lists = [c for c in shown if c not in by]
    chart = alt.Chart(rows.groupby(list(by), sort=False, as_index=False)[lists].agg(list) if by else rows)
    selected = []
    for field in choosers:
        options = rows[field].drop_duplicates().tolist()
        if len(options) > 1:
            menu = alt.binding_select(options=options, name=f"{field} ")
            selected.append(alt.param(name=f"chosen_{field}", value=options[0], bind=menu))
            chart = chart.transform_filter(f"datum.{field} == chosen_{field}")
    chart = chart.transform_flatten(lists) if by else chart
    conditions = alt.selection_point(fields=["condition"], bind="legend", name="condition_chosen")
    base = chart.encode(
        x=alt.X(
            "label:N",
            sort=order,
            title="region",
            axis=alt.Axis(labelAngle=-30, labelPadding=8, labelLimit=140, grid=False),
        ),
        y=alt.Y("bits:Q", title="surprisal (bits)"),
        color=alt.Color(
            "condition:N", scale=MODELS, sort=None, legend=alt.Legend(title=None, orient="bottom", columns=2)
        ),
        opacity=alt.condition(conditions, alt.value(1.0), alt.value(0.12)),
        tooltip=[alt.Tooltip("bits:Q", format=".2f") if c == "bits" else f"{c}:N" for c in shown],
    )
    marks = base.encode(shape=alt.Shape("condition:N", sort=None, legend=None))
    layers = [marks.mark_point(size=60, filled=True).add_params(conditions), base.mark_line(strokeWidth=1.8)]
    if marked := [label for label in order if int(label.split(" ")[0]) in set(critical)]:
        ground = alt.Chart(pd.DataFrame({"label": marked})).mark_bar(width=44, opacity=0.13, color="#8a8f98")
        layers.insert(0, ground.encode(x=alt.X("label:N", sort=order), y=alt.value(0), y2=alt.value("height")))
    chart = alt.layer(*layers).add_params(*selected).properties(width="container", height=240)
    note = "Shaded: the regions in the prediction." if marked else None
    return described(chart, title, description, note)


def _profile_words(rows) -> str:
    top = rows.loc[rows["bits"].idxmax()]
    return (
        f"Line chart: mean surprisal by region in the conditions {listed(rows['condition'].unique())}. "
        f"Highest: region {top['label']} in {top['condition']} ({top['model']}), {top['bits']:.1f} bits."
    )
