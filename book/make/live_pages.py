"""What pages show of data/recorded/live.json, for readers whose browser cannot run the model."""

import json
from functools import cache
from html import escape

import pandas as pd

from tse_book.pages import table
from tse_core.paths import data_folder

RECORDED = data_folder() / "recorded" / "live.json"


@cache
def recorded() -> dict:
    """What `book.make.live_record` wrote."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def lesson() -> str:
    """What the class will see on the page Try it, as its engine gave it."""
    heads = {"left": "Context", "tse": "TSE, be", "ew": "EW", "mw": "MW"}
    heads |= {"never": "EW, never nouns", "also": "EW, also nouns"}
    return table(
        pd.DataFrame(recorded()["lesson"])[list(heads)].rename(columns=heads),
        "As the page itself computes them",
    ).data


def distance() -> str:
    """How far the page's numbers lie from the package's."""
    found = recorded()["distance"]
    rows = [
        ["difference of EW", found["ew_mean"], found["ew_max"]],
        ["difference of MW", found["mw_mean"], found["mw_max"]],
        ["share of verbs with the same outcome", found["same_mean"], found["same_min"]],
    ]
    caption = f"Page against package, {found['contexts']} contexts, {found['browser']}"
    return table(
        pd.DataFrame(rows, columns=["Measure", "Mean", "Worst context"]), caption, digits=3
    ).data


def examples() -> str:
    """One block an example, the first one open."""
    return "\n".join(map(example, recorded()["examples"])).replace("<details", "<details open", 1)


def example(one: dict) -> str:
    """A context with its scores and its likeliest continuations."""
    top = pd.DataFrame(one["top"])
    tokens = top["token"].str.translate(str.maketrans(" \n", "␣⏎"))
    rows = pd.DataFrame(
        {"Token": tokens, "Probability": top["p"].map("{:.2%}".format), "Marked as": top["form"]}
    )
    scores = f"{one['number']} subject: EW {one['ew']:.3f}, MW {one['mw']:.3f} by the package, {one['verbs']} verbs"
    return f"""<details class="live-card"><summary><strong>{escape(one["left"])} …</strong> {scores}</summary>
{table(rows, "The likeliest continuations").data}
</details>"""
