"""The ledger as a page: a summary at a glance, then every claim with what was found and where."""

from html import escape

import pandas as pd

from tse_book.claims import LEDGER, papers, verdicts
from tse_book.pages.markup import (
    badge,
    chapter,
    chapter_link,
    decimals,
    estimate,
    head_of,
    ledger_of,
    legible,
    number,
    row_of,
    tile,
    tiles,
)
from tse_book.pages.notebook import table as plain_table
from tse_core.results.signature import without_provenance

MEANING = {
    verdicts.REPRODUCED: ("=", "a run of the same model gives the printed number"),
    verdicts.CLOSE: ("≈", "within 0.02 of it, a probability within a quarter"),
    verdicts.DIRECTION: ("↗", "a comparison that holds in a run"),
    verdicts.OTHER_LIST: ("~", "run with other verbs than the paper's"),
    verdicts.NOT_REPRODUCED: ("≠", "a run says otherwise"),
    verdicts.HOLDS: ("✓", "checked from published numbers alone: holds"),
    verdicts.FAILS: ("✗", "checked from published numbers alone: does not hold"),
    verdicts.NOT_RUN: ("…", "needs a model that has not run here"),
}
_ALWAYS = (verdicts.REPRODUCED, verdicts.HOLDS, verdicts.FAILS, verdicts.NOT_RUN)
_NAMES = {verdicts.HOLDS: "published data agree", verdicts.FAILS: "published data disagree"}
_LABORATORY = {
    "truth in the interval": "✓",
    "truth outside the interval": "✗",
    "within 0.02": "≈",
    "differs": "≠",
    verdicts.NOT_RUN: "…",
}
_FILTERS = ("paper", "chapter", "model", "construction", "verdict")
_OWN = {verdicts.HOLDS: "holds", verdicts.FAILS: "does not hold"}


def verdict_tiles(table: pd.DataFrame):
    """How often each verdict was given: the summary of a ledger. In the book each tile shows its rows."""
    counts = table["verdict"].value_counts()
    given = dict.fromkeys([*_ALWAYS, *counts.index.intersection(list(MEANING), sort=False)])
    return tiles(
        tile(_name(verdict), MEANING[verdict][0], _kind(verdict), int(counts.get(verdict, 0)), MEANING[verdict][1],
             "every-claim")
        for verdict in given
    )  # fmt: skip


def ledger_table(table: pd.DataFrame, caption: str):
    """A ledger, one row per claim, judged ones first; filters are paper, chapter, model, construction and verdict."""
    titles = papers()
    table = table.sort_values("verdict", key=lambda verdict: verdict.eq(verdicts.NOT_RUN), kind="stable")
    words = [name for name in LEDGER if not pd.api.types.is_float_dtype(table[name])]
    table = table.fillna(dict.fromkeys(words, ""))
    table = table.assign(signature=without_provenance(table["signature"]))
    table["another"] = another_verdict(table)
    table["place"] = [f"claim-{name}" for name in table["id"]]
    table.loc[table.duplicated("id"), "place"] = ""  # the run of a claim stands below its row from published data
    rows = [_row(claim, titles[claim["paper"]].split(",")[0]) for claim in table.to_dict("records")]
    return ledger_of(("Claim", "Published", "Ours [95 %]", "Difference", "Verdict"), rows, caption, _FILTERS)


def failing_table(table: pd.DataFrame, caption: str):
    """The claims of a ledger that published data contradict; each links to its row on the ledger's page."""
    failing = table[table["verdict"] == verdicts.FAILS]
    shown = pd.DataFrame(
        {
            "": failing["id"],
            "claim": failing["claim"],
            "printed": ["–" if value != value else number(value, decimals(value)) for value in failing["published"]],
            "from its data": list(map(_found, failing["measured"], failing["out_of"])),
            "would hold": ["; ".join(w for w, verdict in _others(text) if verdict == "holds") or "–"
                           for text in failing["otherwise"]],
        }
    )  # fmt: skip
    made = plain_table(shown, caption)
    for name in failing["id"]:
        made.data = made.data.replace(f">{name}<", f'><a href="19_ledger.html#claim-{name}">{name}</a><')
    return made


def another_verdict(table: pd.DataFrame) -> pd.Series:
    """Whether each claim of a ledger has another verdict under another plausible threshold."""
    differs = [any(other != _OWN.get(verdict, verdict) for _, other in _others(text))
               for verdict, text in zip(table["verdict"], table["otherwise"], strict=True)]  # fmt: skip
    return pd.Series(differs, table.index, dtype=bool)


def _others(otherwise: str) -> list[tuple[str, str]]:
    """Other criteria than ours, each with its verdict, from a ledger's column."""
    parts = [part.rpartition(": ") for part in otherwise.split("; ") if part]
    return [(words, verdict) for words, _, verdict in parts]


def _found(measured: float, out_of: float) -> str:
    return f"{measured:.3f}" if out_of != out_of else f"{measured:,.0f} of {out_of:,.0f}"


def laboratory_table(table: pd.DataFrame, caption: str):
    """The laboratory's ledger: truth beside measured, to be filtered by model, construction, band and verdict."""
    rows = map(_laboratory_row, table.to_dict("records"))
    heads = ("Score", "Truth", "Measured [95 %]", "Difference", "Verdict")
    return ledger_of(heads, rows, caption, ("model", "construction", "band", "verdict"), "laboratory-")


def _row(claim: dict, paper: str) -> str:
    digits = max(3, decimals(claim["published"]))
    about = (f"<code>{escape(claim['id'])}</code>", escape(paper), escape(claim["model"]), chapter_link(claim["cell"]),
             "depends on our criterion" * claim["another"])  # fmt: skip
    details = (
        ("Our criterion", escape(claim["criterion"])),
        ("Under another", escape(claim["otherwise"])),
        ("Note", escape(claim["note"])),
        ("To run it", _command(claim["how"])),
        ("Made by", f"<code>{escape(legible(claim['signature']))}</code>" if claim["signature"] else ""),
    )
    said = claim | {"paper": paper, "chapter": chapter(claim["cell"]), "verdict": _name(claim["verdict"])}
    return row_of(
        {name: said[name] for name in _FILTERS},
        head_of(claim["claim"], about, details),
        ("Published", number(claim["published"], decimals(claim["published"]))),
        ("Ours", estimate(claim["measured"], claim["low"], claim["high"], digits, claim["out_of"])),
        ("Difference", number(claim["difference"], digits, signed=True)),
        ("Verdict", badge(_name(claim["verdict"]), MEANING[claim["verdict"]][0], _kind(claim["verdict"]))),
        place=claim["place"],
    )


def _laboratory_row(row: dict) -> str:
    return row_of(
        {name: row[name] for name in ("model", "construction", "band", "verdict")},
        head_of(f"{row['metric']} of {row['model']}", (escape(row["construction"]), escape(str(row["band"])))),
        ("Truth", number(row["truth"], 3)),
        ("Measured", estimate(row["measured"], row["low"], row["high"], 3)),
        ("Difference", number(row["difference"], 3, signed=True)),
        ("Verdict", badge(row["verdict"], _LABORATORY[row["verdict"]], _kind(row["verdict"]))),
    )


def _name(verdict: str) -> str:
    return _NAMES.get(verdict, verdict)


def _kind(verdict: str) -> str:
    good = (verdicts.REPRODUCED, verdicts.CLOSE, verdicts.DIRECTION, verdicts.HOLDS, "truth in the interval")
    bad = (verdicts.NOT_REPRODUCED, verdicts.FAILS, "truth outside the interval", "differs")
    return "good" if verdict in (*good, "within 0.02") else "bad" if verdict in bad else "open"


def _command(text: str) -> str:
    """How to run a claim: a command as code, anything else as it is."""
    return f"<code>{escape(text)}</code>" if text.split(" ")[0] in ("make", "tse") else escape(text)
