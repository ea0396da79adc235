"""Texts without columns, whose lines are good and bad sentences in turn, as Zorro has them."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets.raw_tables import RawTable, raw_table
from tse_core.errors import InputError
from tse_core.files import lines_of, read_text

ENDINGS = (".txt",)
LINES = ("odd", "even")  # what holds the good and the bad sentences


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether the columns say which lines hold what: ``{"good": "odd", "bad": "even"}``."""
    return path.suffix.lower() in ENDINGS and sorted(columns.values()) == sorted(LINES)


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """Good and bad of each pair, under the number of the first of its lines.

    Empty lines are passed over. Raises InputError for an odd number of lines.
    """
    if set(columns) != {"good", "bad"}:
        raise InputError(f"{path}: of alternating lines columns are good=odd,bad=even, or reversed")
    lines = enumerate(lines_of(read_text(path)), start=1)
    sentences = [(number, line) for number, line in lines if line.strip()]
    if not sentences:
        raise InputError(f"{path}: holds no sentence")
    if len(sentences) % 2:
        last, _ = sentences[-1]
        raise InputError(
            f"{path}:{last}: good and bad lines alternate, but there are {len(sentences):,}, so "
            "that one is without its other; complete the pair or take the line out"
        )
    of_lines = {"odd": sentences[0::2], "even": sentences[1::2]}
    cells = {}
    for use, position in columns.items():
        cells[use] = [line for _, line in of_lines[position]]
    first_lines = [number for number, _ in of_lines["odd"]]
    return raw_table(pd.DataFrame(cells, first_lines), str(path), by_row=False), {}
