"""The ledgers as pages: a summary at a glance, then every claim with what was found and where."""

from html import escape
from urllib.parse import unquote

import pandas as pd
from IPython.display import HTML

from tse_book.claims import verdicts
from tse_book.claims.judging import LEDGER, papers
from tse_book.pages import markup
from tse_book.recorded import without_provenance

MEANING = {
    verdicts.REPRODUCED: "a run of the same model gives the printed number",
    verdicts.CLOSE: "within 0.02 of it, a probability within a quarter",
    verdicts.DIRECTION: "a comparison that holds in a run",
    verdicts.OTHER_LIST: "run with other verbs than the paper's",
    verdicts.NOT_REPRODUCED: "a run says otherwise",
    verdicts.HOLDS: "checked from published numbers alone: holds",
    verdicts.AS_PRINTED: "true of a table in the paper, not of the one that its authors corrected",
    verdicts.BY_TABLE: "versions of the published table give different answers",
    verdicts.AT_THRESHOLD: "half or twice the leeway of our threshold changes the answer",
    verdicts.FAILS: "checked from published numbers alone: does not hold",
    verdicts.NOT_RUN: "needs a model that has not run here",
}
_ALWAYS = (
    verdicts.REPRODUCED, verdicts.HOLDS, verdicts.AS_PRINTED, verdicts.BY_TABLE, verdicts.AT_THRESHOLD, verdicts.FAILS,
    verdicts.NOT_RUN,
)  # fmt: skip
_FILTERS = ("paper", "chapter", "model", "construction", "verdict", "robustness")
NONE_TRIED, ALWAYS_SO = "no other choice tried", "the same under every choice"


def verdict_tiles(table: pd.DataFrame):
    """How often each verdict was given: the summary of a ledger. In the book each tile shows its rows."""
    counts = table["verdict"].value_counts()
    given = dict.fromkeys([*_ALWAYS, *counts.index.intersection(list(MEANING), sort=False)])
    items = []
    for verdict in given:
        name, (sign, kind) = escape(verdict), markup.SIGNS[verdict]
        items.append(
            f'<li class="tse-tile tse-{kind}"><a href="#every-claim" data-verdict="{name}">'
            f'<span class="tse-tile-count">{counts.get(verdict, 0)}</span> '
            f'<span class="tse-tile-name"><span aria-hidden="true">{sign}</span> {name}</span></a> '
            f'<span class="tse-tile-meaning">{escape(MEANING[verdict])}</span></li>'
        )
    return HTML(f'<ul class="tse-tiles">{"".join(items)}</ul>')


def ledger_table(table: pd.DataFrame, caption: str):
    """A ledger, one row per claim, judged ones first; filters are paper, chapter, model, construction, verdict and what
    the verdict turns on.
    """
    table = table.sort_values(
        "verdict", key=lambda verdict: verdict.eq(verdicts.NOT_RUN), kind="stable"
    )
    words = [name for name in LEDGER if not pd.api.types.is_float_dtype(table[name])]
    table = table.fillna(dict.fromkeys(words, ""))
    table = table.assign(signature=without_provenance(table["signature"]))
    table["paper"] = table["paper"].map(papers()).str.split(",").str[0]
    table["chapter"] = table["cell"].map(markup.chapter)
    table["place"] = "claim-" + table["id"]
    table.loc[table.duplicated("id"), "place"] = (
        ""  # the run of a claim stands below its row from published data
    )
    rows = map(_row, table.to_dict("records"))
    heads = ("Claim", "Published", "Ours [95 %]", "Difference", "Verdict", "Robust")
    return markup.ledger_of(heads, rows, caption, _FILTERS)


def _row(row: dict) -> str:
    printed = markup.decimals(row["published"])
    digits = max(3, printed)
    numbers = float(row["published"]), float(row["measured"])
    is_count = min(numbers) >= 2 and all(number.is_integer() for number in numbers)
    digits_of_difference = 0 if is_count else digits
    command = row["how"].split(" ")[0] in ("make", "tse")
    return markup.row_of(
        {column: row[column] for column in _FILTERS} | {"robustness": _turns(row)},
        row["claim"],
        (markup.code(row["id"]), escape(row["paper"]), escape(row["model"]), markup.chapter_link(row["cell"])),
        {
            "Our criterion": escape(row["criterion"]),
            "By this criterion": escape(row["answer"]),
            "Other choices": escape(row["otherwise"]),
            "Note": escape(row["note"]),
            "To run it": markup.code(row["how"]) if command else escape(row["how"]),
            "Made by": markup.code(unquote(row["signature"])),
        },
        {
            "Published": markup.number(row["published"], printed),
            "Ours": markup.estimate(row["measured"], row["low"], row["high"], digits, row["out_of"]),
            "Difference": markup.number(row["difference"], digits_of_difference, signed=True),
            "Verdict": markup.badge(row["verdict"]),
            "Robust": _robust(row),
        },
        row["place"],
    )  # fmt: skip


def _turns(row: dict) -> str:
    """What a verdict turns on, as the filter says it; several things with a bar between them."""
    if not row["choices"]:
        return NONE_TRIED if row["verdict"] != verdicts.NOT_RUN else ""
    return (
        "|".join(f"turns on {about}" for about in row["turns_on"].split(", ") if about) or ALWAYS_SO
    )


def _robust(row: dict) -> str:
    """How many of the other choices give the same answer."""
    if not row["choices"]:
        return markup.number(float("nan"), 0)
    return escape(f"{row['agree']} of {row['choices']}")


def laboratory_table(table: pd.DataFrame, caption: str):
    """The laboratory's ledger: truth beside measured, to be filtered by model, construction, band and verdict."""
    filters = ("model", "construction", "band", "verdict")
    rows = [
        markup.row_of(
            {name: row[name] for name in filters},
            f"{row['metric']} of {row['model']}",
            (escape(row["construction"]), escape(str(row["band"]))),
            {},
            {
                "Truth": markup.number(row["truth"], 3),
                "Measured": markup.estimate(row["measured"], row["low"], row["high"], 3),
                "Difference": markup.number(row["difference"], 3, signed=True),
                "Verdict": markup.badge(row["verdict"]),
            },
        )
        for row in table.to_dict("records")
    ]
    heads = ("Score", "Truth", "Measured [95 %]", "Difference", "Verdict")
    return markup.ledger_of(heads, rows, caption, filters, "laboratory-")
