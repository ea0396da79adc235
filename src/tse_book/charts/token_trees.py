"""The tree of tokens that the forms of a verb list share after one context."""

import altair as alt
import pandas as pd

from tse_book.charts.interactive import AGREES, AGREES_SHAPES
from tse_book.charts.theme import QUIET, described

ROW = 30  # pixels


def word_tree(nodes: pd.DataFrame, *, context: str, title: str):
    """Word forms as paths through a tree: each token once, with its probability after the tokens before it.

    `nodes` has a row for each beginning of a form: node and parent (any names; the parent of a first token is ""),
    token, step (P of the token after those before it), form ("" where the beginning is no form), agrees ("correct" or
    "wrong" for a form, else "") and probability (of the form). `context` is the text before the verb.
    """
    rows = _placed(nodes, context)
    across = alt.Scale(domain=[-0.05, rows["x"].max() + 0.95], nice=False)
    down = alt.Scale(domain=[-0.7, rows["y"].max() + 0.6], nice=False, reverse=True)
    x, y = alt.X("x:Q", axis=None, scale=across), alt.Y("y:Q", axis=None, scale=down)
    tips = ["form:N", "agrees:N", alt.Tooltip("probability:Q", format=".2~e", title="P(form)")]
    tips += ["token:N", alt.Tooltip("step:Q", format=".2~e", title="P(token after those before)")]
    base = alt.Chart(rows).encode(y=y)
    line = base.mark_rule(color=QUIET, strokeWidth=1.4)
    down_to = line.encode(
        x=alt.X("from_x:Q", axis=None, scale=across),
        y=alt.Y("from_y:Q", axis=None, scale=down),
        y2="y:Q",
    )
    over_to = line.encode(x=alt.X("from_x:Q", axis=None, scale=across), x2="x:Q")
    inner = base.transform_filter("datum.form === ''").mark_point(
        color=QUIET, filled=True, size=30, opacity=1
    )
    forms = base.transform_filter("datum.form !== ''").mark_point(filled=True, size=80, opacity=1)
    forms = forms.encode(
        x=x, tooltip=tips, shape=alt.Shape("agrees:N", scale=AGREES_SHAPES, legend=None),
        color=alt.Color("agrees:N", scale=AGREES, legend=alt.Legend(title=None, orient="top", symbolOpacity=1)),
    )  # fmt: skip
    words = base.mark_text(align="left", dx=7, dy=-8, fontSize=11, fontWeight=600).encode(
        x=x, text="token:N"
    )
    shares = base.mark_text(align="left", dx=7, dy=5, fontSize=10, opacity=0.8).encode(
        x=x, text="share:N"
    )
    chart = alt.layer(down_to, over_to, inner.encode(x=x), forms, words, shares)
    chart = chart.properties(width="container", height=int(ROW * (rows["y"].max() + 1.3)))
    description = "Tree of tokens: from left to right each path spells a form, with the probability of each token."
    return described(
        chart,
        title,
        description,
        "Green circles: forms that agree. Red crosses: forms that do not.",
    )


def _placed(nodes: pd.DataFrame, context: str) -> pd.DataFrame:
    """The nodes below a root that shows the context: their depth x and line y, their parents' too, and what to show."""
    children: dict[str, list[str]] = {}
    for row in nodes.itertuples():
        children.setdefault(row.parent, []).append(row.node)
    depth, line, lines = {}, {}, 0

    def place(node: str, at: int) -> None:
        nonlocal lines
        depth[node], line[node] = at, lines
        for number, child in enumerate(children.get(node, [])):
            lines += bool(number)
            place(child, at + 1)

    place("", 0)
    root = {
        "node": "",
        "parent": "",
        "token": context,
        "step": 1.0,
        "form": "",
        "agrees": "",
        "probability": 0.0,
    }
    rows = pd.concat(
        [pd.DataFrame([root]), nodes[list(root)].fillna({"probability": 0.0})], ignore_index=True
    )
    shown = [
        f"{step:.0%}" if step >= 0.1 else f"{step:.0e}".replace("e-0", "e-")
        for step in rows["step"]
    ]
    return rows.assign(
        x=rows["node"].map(depth), y=rows["node"].map(line), share=["", *shown[1:]],
        from_x=rows["parent"].map(depth), from_y=rows["parent"].map(line),
    )  # fmt: skip
