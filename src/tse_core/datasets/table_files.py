"""Files of tables: text with separators, JSON, Parquet.

Nothing is guessed about what columns hold; a cell of a table in text is text.
"""

import csv
import io
import json
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa

from tse_core.errors import InputError, one_line
from tse_core.files import lines_of, read_text

TABLES = (".csv", ".tsv", ".tab", ".txt")
SPREADSHEETS = (".xlsx", ".xls", ".ods")  # refused, with a line on how to save them
_SEPARATOR_LINE = r"\"?sep=([^\r\n])\"?[ ,;\t]*\r?\n"  # the first line of some files of Excel's
READ = (*TABLES, ".jsonl", ".json", ".parquet")
FILES = (*READ, *SPREADSHEETS)


def read_table(path: str | Path) -> pd.DataFrame:
    """The rows of a file with one of the endings `READ`, cells of tables as text.

    A .json file is an array of records, or one record a line. The index holds line numbers; for a
    .parquet file and for an array, where ``attrs["by_row"]`` is True, numbers of rows from 1.
    ``attrs["where"]`` is the path. Raises InputError with the file and the line.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending in SPREADSHEETS:
        raise InputError(
            f"{path}: spreadsheets are not read; save it as CSV UTF-8 (comma delimited)"
        )
    by_row = ending == ".parquet"
    if by_row:
        table = _parquet(path)
    elif ending == ".jsonl":
        table = _json_lines(read_text(path), path)
    elif ending == ".json":
        table, by_row = _json(read_text(path), path)
    else:
        table = _cells(read_text(path), path)
    if table.empty:
        raise InputError(
            f"{path}: holds no row; it needs a header and a line for each row, "
            "or a JSON object a line"
        )
    if by_row:
        table.index = range(1, len(table) + 1)
    table.attrs = {"where": str(path), "by_row": by_row}
    return table


def _cells(text: str, path: Path) -> pd.DataFrame:
    """The rows of a table in text, separated by tabs in .tsv and .tab, else as line 1 shows."""
    text, separator = _with_separator(text, path)
    several_lines = _check_quoting(text, path, separator)
    options = {"dtype": "str", "keep_default_na": False, "skip_blank_lines": False, "header": None}
    try:
        table = pd.read_csv(io.StringIO(text), sep=separator, **options)
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        reason = one_line(error)
        # A stray mark swallows the lines up to the next one, which then have too few cells.
        if several_lines:
            raise _quoting_error(path, several_lines, reason) from None
        raise InputError(f"{path}: cannot be read as a table ({reason})") from None
    # Lines of empty cells go only now, so that the index has counted them.
    table = table[(table != "").any(axis=1)]
    if table.empty:
        return table
    table.columns = table.iloc[0].str.strip().tolist()
    table.index = table.index + 1
    return table.iloc[1:]


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
        for _ in reader:
            if reader.line_num > begin and not first:
                first = begin
            begin = reader.line_num + 1
    except csv.Error as error:
        if "NUL" in str(error):
            raise InputError(f"{path}:{begin}: cannot be read as a table ({error})") from None
        raise _quoting_error(path, begin, str(error)) from None
    return first


def _quoting_error(path: Path, line: int, reason: str) -> InputError:
    """The error for a quotation mark of the text that was read as one that encloses a cell."""
    cause = "a quotation mark at the start of a cell encloses it; where it is part of the text"
    remedy = 'enclose the cell and double its marks ("""No,"" he says."), or save it as .jsonl'
    return InputError(f"{path}:{line}: cannot be read as a table ({reason}): {cause}, {remedy}")


def _parquet(path: Path) -> pd.DataFrame:
    """The rows of a Parquet file, with its index as columns if that has names."""
    try:
        table = pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = one_line(error, 200)
        raise InputError(f"{path}: cannot be read as Parquet ({reason})") from None
    has_names = all(name is not None for name in table.index.names)
    return table.reset_index(drop=not has_names)


def _json(text: str, path: Path) -> tuple[pd.DataFrame, bool]:
    """The records of an array or of lines, and whether it was an array, whose rows have numbers."""
    try:
        records = json.loads(text)
        json.dumps(records, ensure_ascii=False).encode()  # fails for half of a surrogate pair
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("{"):
            return _json_lines(text, path), False
        raise InputError(f"{path}: cannot be read as JSON ({error})") from None
    # One object in one line is a file of lines with one record.
    if isinstance(records, dict) and len(lines_of(text.strip())) == 1:
        return _json_lines(text, path), False
    is_array = isinstance(records, list)
    if not is_array or not all(isinstance(record, dict) for record in records):
        example = '[{"good": "He laughs.", "bad": "He laugh."}]'
        raise InputError(f"{path}: is no array of records, such as {example}")
    return pd.DataFrame.from_records(records), True


def _json_lines(text: str, path: Path) -> pd.DataFrame:
    """The records of a text with one JSON object a line, under the numbers of their lines."""
    records = {}
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        try:
            record = {**json.loads(line)}  # raises TypeError for what is no object
            json.dumps(record, ensure_ascii=False).encode()  # fails for half of a surrogate pair
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not a JSON object ({error})") from None
        records[number] = record
    return pd.DataFrame.from_records(list(records.values()), index=list(records))
