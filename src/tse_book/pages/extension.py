"""Does the finding hold for a model the paper never saw? The verdicts at a glance, and every claim with its rows."""

from html import escape

import pandas as pd

from tse_book.claims import papers, verdicts
from tse_book.pages.markup import badge, chapter_link, estimate, head_of, in_line, ledger_of, row_of, tile, tiles
from tse_book.recorded import BOS_SETTINGS
from tse_core.results.signature import without_provenance

_MEANING = {
    verdicts.EXTENDS: ("✓", "good", "the whole interval lies on the claim's side of the border"),
    verdicts.DOES_NOT_EXTEND: ("✗", "bad", "the whole interval lies on the other side"),
    verdicts.UNDECIDED: ("?", "open", "the interval holds the border"),
    verdicts.DEPENDS: ("⇄", "open", "another verdict with nothing in front of the sentence"),
    verdicts.NOT_RUN: ("…", "open", "not measured on this model"),
}
_PLACE = "does-the-finding-hold-for-a-model-the-paper-never-saw"


def extension_tiles(table: pd.DataFrame):
    """How often each verdict was given. `table` is an extension ledger; in the book each tile shows its rows."""
    counts = table["verdict"].value_counts()
    wanted = [verdict for verdict in _MEANING if verdict != verdicts.NOT_RUN or counts.get(verdict, 0)]
    return tiles(
        tile(verdict, *_MEANING[verdict][:2], int(counts.get(verdict, 0)), _MEANING[verdict][2], _PLACE)
        for verdict in wanted
    )


def extension_table(table: pd.DataFrame, findings: pd.DataFrame, caption: str):
    """The extension ledger, one row a model and claim; what unfolds has the border, the rows and the signatures.

    Parameters
    ----------
    table : DataFrame
        What `tse_book.claims.extension_ledger` gives.
    findings : DataFrame
        What it was judged from: the rows that stand beside each judged number.
    """
    titles = {key: title.split(",")[0] for key, title in papers().items()}
    table = table.assign(**{end: without_provenance(table[end]) for end in ("signature", "signature_none")})
    beside = dict(iter(findings[findings["row"] != "all"].groupby(["model", "claim"], sort=False)))
    rows = [_row(row, titles[row["paper"]], beside.get((row["model"], row["id"]))) for row in table.to_dict("records")]
    heads = ("Claim", "Border", "Default front [95 %]", "Nothing in front [95 %]", "Verdict")
    return ledger_of(heads, rows, caption, ("paper", "model", "verdict"), "extends-")


def _row(row: dict, paper: str, beside: pd.DataFrame | None) -> str:
    about = (f"<code>{escape(row['id'])}</code>", escape(paper), escape(row["model"]), chapter_link(row["cell"]))
    details = [
        ("Measured", escape(row["statistic"])),
        ("Border", escape(f"{row['shown']}, that of {row['whose']}".replace("that of ours", "ours"))),
        ("Why", escape(row["why"])),
        ("Rows", "" if beside is None else _rows(beside)),
        ("Clusters", f"{row['n']:,} nouns, pairs, items or paradigms" if row["n"] else ""),
    ]
    details += [
        ("Made by", f"<code>{escape(row[name])}</code>") for name in ("signature", "signature_none") if row[name]
    ]
    sign, kind, _ = _MEANING[row["verdict"]]
    return row_of(
        {"paper": paper, "model": row["model"], "verdict": row["verdict"]},
        head_of(row["claim"], about, details),
        ("Border", escape(row["shown"])),
        ("Default front", _judged(row, "default")),
        ("Nothing in front", _judged(row, "none")),
        ("Verdict", badge(row["verdict"], sign, kind)),
    )


def _judged(row: dict, front: str) -> str:
    """The number with its interval; its own verdict where the two fronts differ."""
    end = BOS_SETTINGS[front]
    text = estimate(row[f"value{end}"], row[f"low{end}"], row[f"high{end}"], _digits(row))
    if row["verdict"] == verdicts.DEPENDS:
        text += f" <small>{escape(row[f'verdict_{front}'])}</small>"
    return text


def _rows(beside: pd.DataFrame) -> str:
    """The rows of a statistic: with the default front, then with nothing in front."""
    words, items = {"default": "", "none": "nothing in front: "}, []
    for name, group in beside.groupby("row", sort=False):
        numbers = {row["front"]: in_line(row["value"], row["low"], row["high"], 3) for row in group.to_dict("records")}
        texts = [words[front] + numbers[front] for front in words if front in numbers]
        items.append(f"<li>{escape(name)}: {'; '.join(texts)}</li>")
    return f"<ul>{''.join(items)}</ul>"


def _digits(row: dict) -> int:
    return 0 if row["shown"].startswith("place") else 3
