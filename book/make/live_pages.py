"""What pages show of data/recorded/live.json, for readers whose browser cannot run the model."""

import json
from functools import cache
from html import escape

import pandas as pd

from tse_book.pages import table
from tse_core.paths import data_folder

RECORDED = data_folder() / "recorded" / "live.json"
LOOKS = {"correct": "good", "wrong": "bad", "past": "live-quiet", "other": "live-quiet"}


@cache
def recorded() -> dict:
    """What `book.make.live_record` wrote."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def lesson() -> str:
    """What the class will see on the page Try it, as its engine gave it."""
    heads = {"left": "Context", "tse": "TSE, be", "ew": "EW", "mw": "MW"}
    heads |= {"never": "EW, never nouns", "also": "EW, also nouns"}
    return table(
        pd.DataFrame(recorded()["lesson"])[list(heads)].rename(columns=heads), "As the page itself computes"
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
    return table(pd.DataFrame(rows, columns=["Measure", "Mean", "Worst context"]), caption, digits=3).data


def examples() -> str:
    """One block an example, the first one open."""
    blocks = [example(one) for one in recorded()["examples"]]
    return "\n".join([blocks[0].replace("<details", "<details open", 1), *blocks[1:]])


def example(one: dict) -> str:
    """A context with its scores, its likeliest continuations and some verbs."""
    rows = ""
    for entry in one["top"]:
        token = escape(entry["token"].replace(" ", "␣").replace("\n", "⏎"))
        form = f'<span class="{LOOKS[entry["form"]]}">{entry["form"]}</span>'
        rows += f"<tr><td><code>{token}</code></td><td>{entry['p']:.2%}</td><td>{form}</td></tr>"
    verbs = []
    for verb in one["tse"].values():
        correct, wrong = (f"<em>{escape(verb[form])}</em>" for form in ("correct", "wrong"))
        verbs.append(f"{correct} {'beats' if verb['agrees'] else 'loses to'} {wrong}")
    return f"""<details class="live-card">
<summary><strong>{escape(one["left"])} …</strong> ({one["number"]} subject)</summary>
<p class="live-numbers"><span>EW <strong>{one["ew"]:.3f}</strong></span>
<span>MW <strong>{one["mw"]:.3f}</strong></span>
<span class="live-quiet">over {one["verbs"]} verbs, by the package</span></p>
<p>TSE: {"; ".join(verbs)}.</p>
<div class="live-scroll"><table><caption>The likeliest continuations</caption>
<thead><tr><th scope="col">Token</th><th scope="col">Probability</th><th scope="col">It is</th></tr></thead>
<tbody>{rows}</tbody></table></div>
</details>"""
