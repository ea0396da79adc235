"""What EW measures: scores by kind of subject, over fifths of the verbs, and by preposition."""

from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from tse_book.charts.theme import (
    KIND_COLOURS,
    QUIET,
    axis_start,
    described,
    needs,
    scale_of,
    tips,
)
from tse_book.model_names import SHOWN_NAMES

_LEGEND = alt.Legend(orient="top", symbolOpacity=1, symbolStrokeWidth=0)
_COLOUR = alt.Color("verbs:N", scale=scale_of(KIND_COLOURS), title=None, legend=_LEGEND)
_ORDER = list(KIND_COLOURS)
_DOTS_WIDTH, _DOTS_HEIGHT = 285, 280  # pixels of a panel of noun_dots
_NAME_PLACES: dict[
    str, tuple[Literal["left", "center", "right"], int, int]
] = {  # the alignment of a name at its dot, and how many pixels it is moved
    "right": ("left", 7, 0),
    "left": ("right", -7, 0),
    "above": ("center", 0, -12),
    "below": ("center", 0, 13),
    "above right": ("left", 3, -12),
    "above left": ("right", -3, -12),
    "below right": ("left", 3, 13),
    "below left": ("right", -3, 13),
}


def subject_dots(rows, nouns, title: str):
    """EW by kind of subject and of verb with 95 % intervals, a panel for each model; below each mean its nouns.

    `rows`: model, subject, verbs ("never nouns", "also nouns"), EW, low, high (NaN draws no interval). `nouns`: model,
    subject, verbs, noun, EW of each noun; the lowest and the highest noun of verbs that are also nouns are named.
    """
    rows = needs(
        rows, "model", "subject", "verbs", "EW", "low", "high", what="a chart by kind of subject"
    )
    nouns = needs(nouns, "model", "subject", "verbs", "noun", "EW", what="a chart of nouns")
    nouns = nouns.sort_values("EW", kind="stable", ignore_index=True).assign(end="")
    also = nouns[nouns["verbs"] == "also nouns"]
    for end, keep in (("lowest", "first"), ("highest", "last")):
        ends = also.drop_duplicates(["model", "subject"], keep=keep)
        nouns.loc[ends.index, "end"] = end
    nouns["line"] = nouns["verbs"] + ", each noun"
    lines = [line for kind in _ORDER for line in (kind, f"{kind}, each noun")]
    axis = alt.X("EW:Q", scale=alt.Scale(domain=[0.0, 1.0]), title="EW")
    base = alt.Chart().encode(
        x=axis,
        y=alt.Y(
            "subject:N",
            sort=list(dict.fromkeys(rows["subject"])),
            title=None,
            axis=alt.Axis(labelLimit=150),
        ),
        yOffset=alt.YOffset("line:N", sort=lines, scale=alt.Scale(paddingOuter=0.6)),
    )
    means = base.transform_filter("!isValid(datum.noun)")
    each = base.transform_filter("isValid(datum.noun)")
    rules = means.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2)
    rules = rules.encode(
        x=alt.X("low:Q", scale=alt.Scale(domain=[0.0, 1.0]), title="EW"), x2="high:Q", color=_COLOUR
    )
    shapes = alt.Scale(domain=_ORDER, range=["circle", "diamond"])
    points = means.mark_point(filled=True, size=70, opacity=1).encode(
        color=_COLOUR,
        shape=alt.Shape("verbs:N", scale=shapes, title=None, legend=_LEGEND),
        tooltip=["model:N", "subject:N", "verbs:N", *tips("EW", "low", "high")],
    )
    dots = each.mark_point(filled=True, shape="circle", size=16, opacity=0.7).encode(
        color=_COLOUR, tooltip=["model:N", "noun:N", "subject:N", "verbs:N", *tips("EW")]
    )
    lowest = each.transform_filter(alt.datum.end == "lowest")
    highest = each.transform_filter(alt.datum.end == "highest")
    names = [
        lowest.mark_text(align="right", dx=-5, fontSize=10).encode(text="noun:N"),
        highest.mark_text(align="left", dx=5, fontSize=10).encode(text="noun:N"),
    ]
    return _panels(
        alt.layer(rules, dots, points, *names),
        pd.concat([rows.assign(line=rows["verbs"]), nouns], ignore_index=True),
        title,
        "Dot plots of EW by kind of subject, with a small dot for each noun.",
        42 * rows["subject"].nunique(),
    )


def fifth_lines(rows, title: str):
    """A score over fifths of the verbs from the least to the most likely, a panel for each model.

    `rows`: model, verbs ("never nouns", "also nouns"), number (the subject's), fifth (1 to 5), EW.
    """
    rows = needs(rows, "model", "verbs", "number", "fifth", "EW", what="a chart of fifths")
    axis, legend = (
        "fifth of the verbs, the most probable last",
        alt.Legend(orient="top", title="subject"),
    )
    lines = _over_fifths(rows, axis, ["number", "verbs"], legend, axis_start(rows["EW"])).encode(
        color=_COLOUR
    )
    return _panels(lines, rows, title, "Line charts of EW over fifths of the verbs.", 220)


def share_lines(rows, title: str):
    """EW of verbs that are also nouns over fifths of how much they are nouns, a line for each subject.

    `rows`: model, subject, fifth (1 to 5), EW.
    """
    rows = needs(rows, "model", "subject", "fifth", "EW", what="a chart of noun shares")
    axis, legend = (
        "fifth of the verbs, those that are mostly nouns last",
        alt.Legend(orient="top", title=None),
    )
    lines = _over_fifths(rows, axis, ["subject"], legend, axis_start(rows["EW"], 1.0))
    lines = lines.encode(color=alt.value(KIND_COLOURS["also nouns"]))
    return _panels(lines, rows, title, "Line charts of EW over fifths of the noun share.", 200)


def preposition_dots(rows, title: str):
    """EW after a singular and a plural attractor by preposition, a panel for each model.

    `rows`: model, preposition, attractor ("singular", "plural"), EW.
    """
    rows = needs(rows, "model", "preposition", "attractor", "EW", what="a chart by preposition")
    plural = rows[rows["attractor"] == "plural"].groupby("preposition")["EW"].mean().sort_values()
    base = alt.Chart().encode(
        x=alt.X("EW:Q", scale=alt.Scale(domain=[axis_start(rows["EW"], 1.0), 1.0])),
        y=alt.Y("preposition:N", sort=list(plural.index), title=None),
        tooltip=["model:N", "preposition:N", "attractor:N", *tips("EW")],
    )
    lines = base.mark_line(color=QUIET).encode(detail="preposition:N")
    colour, numbers = (
        KIND_COLOURS["never nouns"],
        alt.Scale(domain=["singular", "plural"], range=["circle", "square"]),
    )
    shape = alt.Shape(
        "attractor:N", scale=numbers, legend=alt.Legend(orient="top", symbolFillColor=colour)
    )
    points = base.mark_point(filled=True, size=60, opacity=1, color=colour).encode(shape=shape)
    return _panels(
        lines + points,
        rows,
        title,
        "Dot plots of EW by preposition.",
        16 * rows["preposition"].nunique(),
    )


def noun_dots(rows, title: str):
    """EW of verbs that are also nouns after each noun, over how probable a noun is there, models side by side.

    `rows`: model, noun, P (on a logarithmic axis), EW, named (whether the noun's name stands at its dot).
    """
    rows = needs(rows, "model", "noun", "P", "EW", "named", what="a chart of nouns")
    powers = np.log10(rows["P"])
    lowest = int(np.floor(powers.min())) - 1  # room for names on the left
    highest = int(np.ceil(powers.max()))
    bottom = axis_start(rows["EW"])
    across = (powers - lowest) / (highest - lowest) * _DOTS_WIDTH
    down = (1 - rows["EW"]) / (1 - bottom) * _DOTS_HEIGHT
    places = [
        _name_places(part["noun"][part["named"]], across[part.index], down[part.index])
        for _, part in rows.groupby("model", sort=False)
    ]
    rows = rows.assign(model=rows["model"].replace(SHOWN_NAMES), place=pd.concat(places))
    ticks = [10.0**power for power in range(lowest, highest + 1)]
    base = alt.Chart().encode(
        x=alt.X(
            "P:Q",
            scale=alt.Scale(type="log", nice=False, domain=[ticks[0], ticks[-1]]),
            title="probability of a noun of the key after The N",
            axis=alt.Axis(values=ticks, format="~g"),
        ),
        y=alt.Y(
            "EW:Q", scale=alt.Scale(domain=[bottom, 1.0]), title="EW, verbs that are also nouns"
        ),
        tooltip=["model:N", "noun:N", alt.Tooltip("P:Q", format=".2~g"), *tips("EW")],
    )
    colour = KIND_COLOURS["also nouns"]
    points = base.mark_point(filled=True, size=45, opacity=0.85, color=colour, shape="diamond")
    names = [
        base.transform_filter(alt.datum.place == place)
        .mark_text(align=align, dx=dx, dy=dy, fontSize=11)
        .encode(text="noun:N")
        for place, (align, dx, dy) in _NAME_PLACES.items()
        if (rows["place"] == place).any()
    ]
    panels = (
        alt.layer(points, *names, data=rows)
        .properties(width=_DOTS_WIDTH, height=_DOTS_HEIGHT)
        .facet(
            facet=alt.Facet(
                "model:N",
                sort=list(dict.fromkeys(rows["model"])),
                title=None,
                header=alt.Header(orient="top"),
            ),
            columns=2,
            spacing=44,  # the last tick of a panel and the first of the next have long labels
        )
    )
    return described(
        panels, title, "Scatter plots of EW over the probability of a noun. A panel for each model."
    )


def _name_places(names: pd.Series, across: pd.Series, down: pd.Series) -> pd.Series:
    """Where each name stands at its dot: the first place at which it touches no dot, no other name and no edge.

    `across`, `down`: the pixels of every dot of the panel from its left and its upper edge, by the index of `names`.
    """
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in zip(across, down, strict=True)]
    places = {}
    for dot, name in names.items():
        boxes = {
            place: _name_box(name, across[dot] + dx, down[dot] + dy, align)
            for place, (align, dx, dy) in _NAME_PLACES.items()
        }
        free = [place for place, box in boxes.items() if _is_free(box, taken)]
        places[dot] = free[0] if free else next(iter(boxes))
        taken.append(boxes[places[dot]])
    return pd.Series(places, dtype=object)


def _name_box(name: str, x: float, y: float, align: str) -> tuple[float, float, float, float]:
    """The left, upper, right and lower edge of a name in pixels."""
    width = 7 * len(name)  # a wide font's letters
    left = {"left": x, "right": x - width, "center": x - width / 2}[align]
    return left, y - 7, left + width, y + 6


def _is_free(box, taken) -> bool:
    left, top, right, bottom = box
    if left < 3 or right > _DOTS_WIDTH + 6:
        return False
    if top < -6 or bottom > _DOTS_HEIGHT - 3:
        return False
    return not any(
        left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
        for other in taken
    )


def _over_fifths(rows, axis: str, names: list[str], legend: alt.Legend, lowest: float):
    """EW over fifths: dots, and a line for each different name, whose dashes are those of the first kind of name."""
    base = alt.Chart().encode(
        x=alt.X("fifth:O", title=axis, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("EW:Q", scale=alt.Scale(domain=[lowest, 1.0])),
        detail=f"{names[0]}:N",
        tooltip=["model:N", *(f"{name}:N" for name in reversed(names)), "fifth:O", *tips("EW")],
    )
    dashes = alt.StrokeDash(
        f"{names[0]}:N", sort=list(dict.fromkeys(rows[names[0]])), legend=legend
    )
    return alt.layer(
        base.mark_line().encode(strokeDash=dashes), base.mark_point(filled=True, size=45, opacity=1)
    )


def _panels(layers, rows, title: str, description: str, height: int):
    """The layers for one model after the other, below each other, on axes that they share."""
    rows = rows.assign(model=rows["model"].replace(SHOWN_NAMES))
    panels = alt.layer(layers, data=rows).properties(width=430, height=height).facet(
        row=alt.Row("model:N", sort=list(dict.fromkeys(rows["model"])), title=None, header=alt.Header(orient="top"))
    )  # fmt: skip
    return described(panels, title, f"{description} A panel for each model.")
