"""Tables in text: cells with separators between them, and names of columns in the first line.

Nothing is guessed about what columns hold; a cell is text.
"""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets.formats import alternating, clams
from tse_core.datasets.raw_tables import RawTable, check_columns, raw_table
from tse_core.errors import InputError, one_line
from tse_core.files import read_text

ENDINGS = (".csv", ".tsv", ".tab", ".txt")
_SEPARATOR_LINE = r"\"?sep=([^\r\n])\"?[ ,;\t]*\r?\n"  # the first line of some files of Excel's


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a file has one of the endings, and is in neither of the other layouts of text."""
    is_other = alternating.reads(path, columns) or clams.reads(path, columns)
    return path.suffix.lower() in ENDINGS and not is_other


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """The rows under the numbers of their lines.

    Cells are separated by tabs in .tsv and .tab, else as line 1 shows.
    """
    text, separator = _with_separator(read_text(path), path)
    several_lines = _check_quoting(text, path, separator)
    options = {"dtype": "str", "keep_default_na": False, "skip_blank_lines": False, "header": None}
    try:
        table = pd.read_csv(io.StringIO(text), sep=separator, **options)
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        # A stray mark swallows the lines up to the next one, which then have too few cells.
        if several_lines:
            raise _quoting_error(path, several_lines, one_line(error)) from None
        raise
    check_columns(table.shape[1], str(path))
    # Lines of empty cells go only now, so that the index has counted them.
    table = table[(table != "").any(axis=1)]
    if not table.empty:
        table.columns = table.iloc[0].str.strip().tolist()
        table.index = table.index + 1
        table = table.iloc[1:]
    return raw_table(table, str(path), by_row=False), columns


def _with_separator(text: str, path: Path) -> tuple[str, str]:
    """The text of a table and its separator. A first line that names the separator is emptied."""
    separator_line = re.match(_SEPARATOR_LINE, text, re.IGNORECASE)
    if separator_line:
        separator = separator_line[1]
        rest = text[separator_line.end() :]
        header = rest.partition("\n")[0]
        cells = next(csv.reader([header], delimiter=separator), [])
        # A line of empty cells in its stead: the other lines keep their numbers.
        return separator * (len(cells) - 1) + "\n" + rest, separator
    header = text.partition("\n")[0]
    if path.suffix.lower() in (".tsv", ".tab"):
        other = max(",;", key=header.count)
        if "\t" not in header and other in header:
            raise InputError(
                f"{path}: the cells of a {path.suffix} are separated by tabs, and its header has "
                "none, but "
                f"{other!r}; call the file .csv if that separates them"
            )
        return text, "\t"
    return text, max(",;\t", key=header.count)


def _check_quoting(text: str, path: Path, separator: str) -> int:
    """The line where the first row of several lines begins; 0 where there is none.

    Raises InputError for quotation marks that do not enclose a cell: pandas would drop them.
    """
    reader = csv.reader(io.StringIO(text, None), delimiter=separator, strict=True)
    first = 0
    begin = 1
    try:
        # A row ends in the line that was read last: one of several lines has begun before it.
        for _ in reader:
            if reader.line_num > begin and not first:
                first = begin
            begin = reader.line_num + 1
    except csv.Error as error:
        if "NUL" in str(error):
            raise InputError(f"{path}:{begin}: cannot be read as a table ({error})") from None
        if "field limit" in str(error):
            raise InputError(
                f"{path}:{begin}: a cell has more than {csv.field_size_limit():,} characters; a "
                "cell holds one sentence"
            ) from None
        raise _quoting_error(path, begin, str(error)) from None
    return first


def _quoting_error(path: Path, line: int, reason: str) -> InputError:
    """The error for a quotation mark of the text that was read as one that encloses a cell."""
    cause = "a quotation mark at the start of a cell encloses it; where it is part of the text"
    remedy = 'enclose the cell and double its marks ("""No,"" he says."), or save it as .jsonl'
    return InputError(f"{path}:{line}: cannot be read as a table ({reason}): {cause}, {remedy}")
