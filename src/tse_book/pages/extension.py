"""Does the finding hold for a model the paper never saw? The verdicts at a glance, and every claim with its rows."""

from html import escape

import pandas as pd

from tse_book.claims import papers, verdicts
from tse_book.pages.markup import badge, chapter_link, estimate, head_of, in_line, ledger_of, legible, row_of
from tse_core.results.signature import without_provenance

FEW_UNITS = 10  # fewer are counted beside the number
_SIGNS = {
    verdicts.EXTENDS: ("✓", "good"),
    verdicts.DEPENDS: ("⇄", "open"),
    verdicts.DOES_NOT_EXTEND: ("✗", "bad"),
    verdicts.UNDECIDED: ("?", "open"),
    verdicts.DESCRIBED: ("●", "open"),
    verdicts.NOT_RUN: ("…", "open"),
}


def extension_table(table: pd.DataFrame, findings: pd.DataFrame, caption: str):
    """The extension ledger, one row per model and claim, which unfolds to the threshold, the conditions and the rows.

    Parameters
    ----------
    table : DataFrame
        What `tse_book.claims.extension_ledger` gives.
    findings : DataFrame
        The data behind it: the rows to show with each judged number.
    """
    titles = {key: title.split(",")[0] for key, title in papers().items()}
    table = table.assign(signature=without_provenance(table["signature"]))
    own = findings[(findings["condition"] == "default") & ~findings["row"].isin(["all", "difference"])]
    beside = dict(iter(own.groupby(["model", "claim"], sort=False)))
    rows = [_row(row, titles[row["paper"]], beside.get((row["model"], row["id"]))) for row in table.to_dict("records")]
    heads = ("Claim", "Threshold", "Measured [95 %]", "Verdict")
    return ledger_of(heads, rows, caption, ("paper", "model", "verdict"), "extends-")


def verdict_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The extension ledger as one table of numbers: each claim under the default, then under each condition.

    Returns a table with the columns of `tse_book.claims.EXTENSION` but for conditions, and condition; in a condition's
    row value, low, high, verdict and p_holm are the condition's (p_holm that of the difference).
    """
    of_claims = table.drop(columns="conditions")
    parts = []
    for place, conditions in table["conditions"].items():
        claim = of_claims.loc[[place]].assign(condition="default")
        same = claim[["model", "id", "paper", "claim", "statistic", "threshold"]].iloc[0].to_dict()
        parts += [claim, conditions.assign(**same)]
    found = pd.concat(parts, ignore_index=True)
    first = ["model", "id", "condition", "value", "low", "high", "verdict", "difference"]
    return found[[*first, *found.columns.drop(first)]]


def _p(value: float) -> str:
    return "&lt; .001" if value < 0.001 else f"{value:.2g}"


def _row(row: dict, paper: str, beside: pd.DataFrame | None) -> str:
    about = (f"<code>{escape(row['id'])}</code>", escape(paper), escape(row["model"]), chapter_link(row["cell"]))
    details = [
        ("Measured", escape(row["statistic"])),
        ("Threshold", escape(f"{row['threshold']:.3g}, that of {row['whose']}".replace("that of ours", "ours"))),
        ("Under another", escape(row["otherwise"])),
        ("Why", escape(row["why"])),
        ("Conditions", _conditions(row["conditions"])),
        ("Rows", "" if beside is None else _rows(beside)),
        ("Rests on", f"{row['n']:,} independent units (subjects, verbs, items or paradigms)" if row["n"] else ""),
        ("p, corrected", "" if pd.isna(row["p_holm"]) else f"{_p(row['p_holm'])} (Holm, all tests of this model)"),
    ]
    if row["signature"]:
        details.append(("Made by", f"<code>{escape(legible(row['signature']))}</code>"))
    verdict = f"{row['verdict']} on {row['on']}" if row["on"] else row["verdict"]
    units = f" ({row['n']} units)" if 0 < row["n"] < FEW_UNITS else ""
    return row_of(
        {"paper": paper, "model": row["model"], "verdict": row["verdict"]},
        head_of(row["claim"], about, details),
        ("Threshold", escape(f"{row['threshold']:.3g}")),
        ("Measured", estimate(row["value"], row["low"], row["high"], 3) + units),
        ("Verdict", badge(verdict, *_SIGNS[row["verdict"]])),
    )


def _conditions(table: pd.DataFrame) -> str:
    """The result under each condition, and the paired difference with its corrected p-value."""
    items = []
    for row in table.to_dict("records"):
        text = f"{escape(row['condition'])}: {in_line(row['value'], row['low'], row['high'], 3)}, {row['verdict']}"
        if not pd.isna(row["difference"]):
            p = "" if pd.isna(row["p_holm"]) else f", p {_p(row['p_holm'])}"
            text += f" (paired difference {row['difference']:+.3f}{p})"
        items.append(f"<li>{text}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _rows(beside: pd.DataFrame) -> str:
    items = [f"<li>{escape(row['row'])}: {in_line(row['value'], row['low'], row['high'], 3)}</li>"
             for row in beside.to_dict("records")]  # fmt: skip
    return f"<ul>{''.join(items)}</ul>"
