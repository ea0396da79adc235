"""Tables from files: CSV, TSV, and lines that say True or False (CLAMS), as text and with their line numbers."""

import csv
import io
from pathlib import Path

import pandas as pd

from tse_core.errors import InputError
from tse_core.files import lines_of, read_text

TABLES = (".csv", ".tsv", ".txt")


def read_table(path: str | Path) -> pd.DataFrame:
    """The cells of a .csv, .tsv or .txt file as text; the index holds line numbers, ``attrs["where"]`` the path.

    A file whose first line starts with True or False has no header: one sentence per line, True before the good
    one of a pair and False before each of its bad ones (CLAMS).

    Raises InputError.
    """
    path, text = Path(path), read_text(path)
    first = text.lstrip("\ufeff").partition("\n")[0]
    if first.partition("\t")[0].strip() in ("True", "False"):
        rows, header = _true_false(text, path)
    else:
        rows, header = _cells(text, path, "\t" if path.suffix == ".tsv" or "\t" in first else ",")
    table = pd.DataFrame([cells for _, cells in rows], columns=header, index=[line for line, _ in rows])
    table.attrs["where"] = str(path)
    return table


def _cells(text: str, path: Path, separator: str) -> tuple[list[tuple[int, list[str]]], list[str]]:
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=separator)
    try:
        header = [name.strip() for name in next(reader, [])]
        rows = [(reader.line_num, cells) for cells in reader if any(cells)]
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: cannot be read as a table ({error})") from None
    if len(set(header)) < len(header):
        raise InputError(f"{path}:1: two columns have the same name; keep one of each")
    for line, cells in rows:
        if len(cells) != len(header):
            raise InputError(f"{path}:{line}: {len(cells)} cells, but the header names {len(header)} columns")
    return rows, header


def _true_false(text: str, path: Path) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """Each False with the True before it."""
    rows, good, used = [], "", True
    for line, content in enumerate(lines_of(text.lstrip("\ufeff")), start=1):
        label, tab, sentence = content.partition("\t")
        if not content.strip():
            continue
        if label.strip() not in ("True", "False") or not tab or not sentence.strip():
            raise InputError(f"{path}:{line}: a line must be True or False, a tab and a sentence, not {content[:60]!r}")
        if label.strip() == "True":
            if not used:
                raise InputError(f"{path}:{line}: True again; the sentence before has no False one to go with it")
            good, used = sentence, False
        elif not good:
            raise InputError(f"{path}:{line}: False, but no True sentence stands before it")
        else:
            rows.append((line, [good, sentence]))
            used = True
    if not used:
        raise InputError(f"{path}: the last sentence has no False one to go with it")
    return rows, ["good", "bad"]
