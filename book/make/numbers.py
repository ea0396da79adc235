"""The numbers that pages quote, version by version, so that whoever quoted one sees whether it changed.

``python -m book.make.numbers --record`` writes data/numbers/<version>.csv from the executed notebooks; without the
option the build writes what the page *Change log of numbers* includes.
"""

import ast
import math
import re
import sys
from itertools import pairwise
from pathlib import Path

import nbformat
import pandas as pd

from book.make import NOTEBOOKS, NUMBERS, ROOT, RUNS, fail
from book.make.profile import notebook_names, profile_name
from tse_book.claims import ledger, verdicts
from tse_core import __version__

RECORDED = ROOT / "data" / "numbers"
GLUED = "application/papermill.record/text/plain"
KEY = ["notebook", "name"]
SAME = 1e-4  # relative; another machine's arithmetic moves a number by less


def numbers(runs: Path = RUNS) -> pd.DataFrame:
    """Every number that the executed notebooks glue: notebook, name, value. Texts and charts are no numbers."""
    rows = []
    for notebook in notebook_names():
        for cell in nbformat.read(runs / f"{notebook}.ipynb", 4).cells:
            for output in cell.get("outputs", []):
                name = output.get("metadata", {}).get("scrapbook", {}).get("name")
                if name and set(output["data"]) == {GLUED} and (value := number(output["data"][GLUED])) is not None:
                    rows.append((notebook, name, value))
    return pd.DataFrame(rows, columns=[*KEY, "value"])


def number(shown: str) -> float | None:
    """The number that a glued text shows; None where it shows none."""
    try:
        value = ast.literal_eval(shown)
        value = float("nan") if isinstance(value, bool) else float(value)
    except (ValueError, TypeError, SyntaxError):
        return None
    return value if math.isfinite(value) else None


def record(folder: Path = RECORDED, runs: Path = RUNS) -> Path:
    """Keep the numbers of this build under the package's version, with six digits."""
    if profile_name() != "default":
        raise fail(f"versions are recorded from the default profile, not from {profile_name()}")
    path = folder / f"{__version__}.csv"
    numbers(runs).to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    return path


def recorded(folder: Path = RECORDED) -> dict[str, pd.DataFrame]:
    """The numbers of each recorded version, oldest first."""
    paths = sorted(folder.glob("*.csv"), key=lambda path: [int(part) for part in path.stem.split(".")])
    return {path.stem: pd.read_csv(path) for path in paths}


def changes(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """What differs between two versions: notebook, name, before, after (missing where a number is new or gone)."""
    both = before.merge(after, on=KEY, how="outer", suffixes=("_before", "_after"))
    both = both.rename(columns={"value_before": "before", "value_after": "after"})
    same = [math.isclose(*pair, rel_tol=SAME, abs_tol=1e-9) for pair in zip(both["before"], both["after"], strict=True)]
    return both[~pd.Series(same, dtype=bool)].reset_index(drop=True)


def changes_page(versions: dict[str, pd.DataFrame], build: pd.DataFrame | None) -> str:
    """This build against the latest version, then each version against the one before; build None: not comparable."""
    if not versions:
        return "No version has been recorded yet.\n"
    latest, first = list(versions)[-1], next(iter(versions))
    parts = [f"## Since {latest}\n"]
    if build is None:
        parts.append("This build ran another profile than the recorded versions: its numbers are about other models.\n")
    else:
        parts.append(difference(versions[latest], build, latest))
    for (older, before), (newer, after) in reversed(list(pairwise(versions.items()))):
        parts += [f"## From {older} to {newer}\n", difference(before, after, older)]
    parts += [f"## {first}\n", f"The first recorded version, with {len(versions[first])} numbers.\n"]
    return "\n".join(parts)


def difference(before: pd.DataFrame, after: pd.DataFrame, since: str) -> str:
    """One comparison in words and, where numbers differ, a table."""
    found = changes(before, after)
    if found.empty:
        return f"Nothing has changed since {since}: all {len(after)} numbers are the same.\n"
    new, gone = found["before"].isna(), found["after"].isna()
    rows = ["| page | number | before | after |", "|---|---|---:|---:|"]
    for row in found[~new].itertuples():
        page = f"[](../notebooks/{row.notebook}.ipynb)" if row.notebook in notebook_names() else row.notebook
        if said := sentence_of(row.notebook, row.name, shown(row.before)):
            rows.append(f"| {page} | {said} | {shown(row.before)} | {shown(row.after)} |")
    count = f"Numbers that changed: {int((~new & ~gone).sum())}. New: {int(new.sum())}. Gone: {int(gone.sum())}."
    return "\n".join([count, "", *(rows if len(rows) > 2 else ["No sentence quotes one of them."]), ""])


def sentence_of(notebook: str, name: str, value: str) -> str:
    """The sentence that quotes a number, with its value in bold and dots for others; empty where none quotes it."""
    sources = {
        NOTEBOOKS / f"{notebook}.py": "",
        **dict.fromkeys(sorted((ROOT / "book").glob("*.md")), f"{notebook}.ipynb::"),
    }
    for source, place in sources.items():
        text = re.sub(r"^# ?", "", source.read_text(), flags=re.MULTILINE) if source.is_file() else ""
        here = rf"\{{glue:text\}}`[^`\n]*{re.escape(place + name)}(?::[^`]*)?`"
        if not place:
            here = rf"\{{glue:text\}}`{re.escape(name)}(?::[^`]*)?`"
        for line in text.splitlines():
            for sentence in re.split(r"(?<=[.!?:])\s+", line):
                if re.search(here, sentence) and not sentence.startswith("|"):
                    return _plain(re.sub(here, f"**{value}**", sentence))
    return ""


def _plain(sentence: str) -> str:
    """A sentence without roles and links, fit for a table's cell."""
    sentence = re.sub(r"\{glue:text\}`[^`]*`", "…", sentence)
    sentence = re.sub(r"\{[\w:]+\}`([^`<]*?)\s*(?:<[^>]*>)?`", r"\1", sentence)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence).replace("|", "/").lstrip("-: ")


def shown(value: float, digits: int = 6) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}g}"


def corrections_page(claims: pd.DataFrame) -> str:
    """The statements of the papers that their own published numbers do not bear out, as a table."""
    rows = ["| claim | said | recomputed | page |", "|---|---:|---:|---|"]
    for row in claims[claims["verdict"] == verdicts.FAILS].itertuples():
        page, note = row.cell.partition("#")[0], f" ({row.note})" if row.note else ""
        values = f"{shown(row.published, 4)} | {shown(row.measured, 4)}"
        rows.append(f"| {row.claim}{note} | {values} | [](../notebooks/{page}.ipynb) |")
    return "\n".join([*rows, ""])


def write_pages() -> None:
    """What the page includes. Another profile has other numbers, which no version is compared with."""
    NUMBERS.mkdir(parents=True, exist_ok=True)
    build = numbers() if profile_name() == "default" else None
    (NUMBERS / "changes.md").write_text(changes_page(recorded(), build))
    (NUMBERS / "corrections.md").write_text(corrections_page(ledger()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        print(f"recorded: {record().relative_to(ROOT)}")
    else:
        write_pages()
