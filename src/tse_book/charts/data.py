"""The charts of the chapter on data: a browser of minimal pairs, and how many pairs and contexts there are."""

import altair as alt

from tse_book.charts.theme import QUIET, described, filling, needs

LINES, PAGES = 9, 4  # minimal pairs on a page, and pages of a construction
COUNTS = {"pairs": QUIET, "contexts of a masked model": "#132aff", "contexts of a causal model": "#9000ae"}


def pair_browser(pairs, title):
    """Minimal pairs of a chosen construction, nine on a page, each on two lines so that it fits on a phone.

    Parameters
    ----------
    pairs : DataFrame
        construction, left, correct, wrong, right, as from `load_pairs`; a sample of each construction is kept.
    """
    needs(pairs, "construction", "left", "correct", "wrong", "right", what="a browser of pairs")
    some = pairs.sample(frac=1, random_state=0).groupby("construction", sort=False).head(LINES * PAGES)
    place = some.groupby("construction").cumcount()
    rows = some.assign(page=place // LINES + 1, line=place % LINES, starred="*" + some["wrong"])
    rows = rows[["construction", "page", "line", "left", "correct", "starred", "right"]]
    names = list(dict.fromkeys(pairs["construction"]))
    menu = alt.binding_select(options=names, name="Construction ")
    construction = alt.param(name="construction", value=names[0], bind=menu)
    page = alt.param(name="page", value=1, bind=alt.binding_range(min=1, max=PAGES, step=1, name="Page "))
    base = alt.Chart(rows).transform_filter("datum.construction == construction && datum.page == page")
    base = base.encode(y=alt.Y("line:O", axis=None))

    def words(column, x, dy, **look):
        marks = base.mark_text(align="left", fontSize=13, dy=dy, **look)
        return marks.encode(x=alt.value(x), text=f"{column}:N")

    lines = alt.layer(
        words("left", 0, -9),
        words("correct", 16, 9, color="#009e73", fontWeight=600),
        words("starred", 96, 9, color="#d55e00", fontWeight=600),
        words("right", 180, 9),
    )
    chart = lines.add_params(construction, page).properties(width="container", height=alt.Step(48))
    description = "A browser of minimal pairs: the words before the verb, the form that agrees, the other, the rest."
    return described(chart, title, description).configure_view(stroke=None)


def count_dots(counts, title):
    """How many pairs and contexts each construction has, on a logarithmic axis.

    Parameters
    ----------
    counts : DataFrame
        Indexed by construction; pairs, contexts (of both sides), left_contexts.
    """
    names = dict(zip(["pairs", "contexts", "left_contexts"], COUNTS, strict=True))
    rows = counts[list(names)].rename(columns=names).rename_axis("construction").reset_index()
    rows = rows.melt("construction", var_name="what", value_name="count")
    scale = alt.Scale(domain=list(COUNTS), range=list(COUNTS.values()))
    axis = alt.Axis(values=[10**power for power in range(1, 6)], format=",")
    dots = (
        alt.Chart(rows)
        .mark_circle(size=90, opacity=1)
        .encode(
            x=alt.X("count:Q", scale=alt.Scale(type="log"), title="count (logarithmic)", axis=axis),
            y=alt.Y("construction:N", sort=None, title=None, axis=alt.Axis(labelLimit=220, grid=True)),
            color=alt.Color("what:N", title=None, scale=scale, legend=alt.Legend(orient="top", columns=1)),
            tooltip=["construction", "what", alt.Tooltip("count", format=",")],
        )
    )
    description = "Dot plot: for each construction the number of pairs, of contexts and of left contexts."
    return described(filling(dots, rows["construction"], 26), title, description)
