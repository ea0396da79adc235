"""Linzen's pair of files: NAME.text has a sentence a line, NAME.gold the verb's place and forms.

A line of NAME.gold has four cells, separated by tabs: how many words stand before the verb, the
form that the sentence has, the other one, and the number of attractors (Linzen et al. 2016, in the
files of Gulordava et al. 2018).
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets.raw_tables import RawTable, raw_table
from tse_core.errors import InputError
from tse_core.files import lines_of, read_text

ENDINGS = (".gold",)
_CELLS = 4
_END = "<eos>"  # what their tokenizer writes at the end of a sentence


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a file has this ending."""
    return path.suffix.lower() in ENDINGS


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """Left, correct, wrong, right and attractors of each line, with its number.

    Raises InputError: no NAME.text beside the file, another number of lines, a line that is not of
    this layout, or a verb that is not at its place.
    """
    text_path = path.with_suffix(".text")
    places = [line for line in lines_of(read_text(path)) if line.strip()]
    if not text_path.is_file():
        raise InputError(f"{path}: needs its sentences in {text_path}, a line for each of its own")
    sentences = [line for line in lines_of(read_text(text_path)) if line.strip()]
    if len(places) != len(sentences):
        raise InputError(
            f"{path}: has {len(places):,} lines and {text_path} {len(sentences):,}; each line of "
            "one belongs to the same line of the other"
        )
    rows = []
    for number, (place, sentence) in enumerate(zip(places, sentences, strict=True), start=1):
        rows.append(_row(place, sentence, f"{path}:{number}"))
    names = ["left", "correct", "wrong", "right", "attractors"]
    cells = pd.DataFrame(rows, range(1, len(rows) + 1), names, dtype="str")
    return raw_table(cells, str(path), by_row=False), columns


def _row(place: str, sentence: str, where: str) -> tuple[str, str, str, str, str]:
    """The cells of one line. Raises InputError."""
    cells = place.split("\t")
    if len(cells) != _CELLS or not cells[0].isdecimal():
        raise InputError(
            f"{where}: needs four cells, separated by tabs: the number of words before the verb, "
            "its right and its wrong form, the number of attractors; of Gulordava's files, "
            "NAME.tab is read"
        )
    before, correct, wrong, attractors = cells
    words = sentence.split()
    if words[-1] == _END:
        words.pop()
    position = int(before)
    if words[position : position + 1] == [correct.lower()]:
        correct, wrong = correct.lower(), wrong.lower()  # these sentences have no capitals
    if words[position : position + 1] != [correct]:
        raise InputError(f"{where}: {correct!r} is not word {position + 1} of its sentence")
    left, right = words[:position], words[position + 1 :]
    return " ".join(left), correct, wrong, " ".join(right), attractors
