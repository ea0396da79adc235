"""A suite as one table for a spreadsheet: a row for every sentence, a column for every region.

    #meta,name,number_prep
    #meta,metric,sum
    #prediction,(3;%match%) < (3;%mismatch%)
    item_number,condition_name,1: intro,2: subject,3: verb
    1,match,The,author,laughs
    1,mismatch,The,author,laugh

A meta value that is not text is written as JSON after ``json:``. Commas, semicolons or tabs may separate the cells.
A text that a spreadsheet would take for a formula is written with an apostrophe in front, which is removed
when it is read (`tse_core.spreadsheets.inert_cell`).
"""

import csv
import io
import json
import re
from typing import Any

from tse_core.errors import InputError
from tse_core.spreadsheets import cell_text, inert_cell

HEADER = ["item_number", "condition_name"]


def write(suite) -> str:
    """The text of the CSV file."""
    out = io.StringIO(newline="")
    rows: list[list] = []
    for key, value in {"name": suite.name, "metric": suite.metric, **suite.meta}.items():
        plain = isinstance(value, str) and not value.startswith("json:")
        rows.append(["#meta", key, value if plain else "json:" + json.dumps(value, ensure_ascii=False)])
    rows.extend(["#prediction", str(formula)] for formula in suite.predictions)
    rows.append(HEADER + [f"{number}: {name}" for number, name in suite.regions.items()])
    for item in suite.items:
        rows.extend([item.number, name, *regions.values()] for name, regions in item.contents.items())
    csv.writer(out, lineterminator="\r\n").writerows([inert_cell(cell) for cell in row] for row in rows)
    return out.getvalue()


def read(text: str, where: str) -> dict:
    """The data of a suite's JSON from the text of a CSV file; raises InputError with the line."""
    meta: dict[str, Any] = {}
    predictions: list[dict[str, str]] = []
    items: dict[int, list[dict]] = {}
    columns = None
    try:
        table = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
        for cells in table:
            row = [cell_text(cell) for cell in cells]
            place = f"{where}, line {table.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns = _before_the_sentences(row, meta, predictions, place)
            else:
                _sentence(row, columns, items, place)
    except csv.Error as error:
        raise InputError(f"{where}, line {table.line_num}: not CSV ({error})") from None
    if columns is None:
        raise InputError(f"{where}: no row starts with item_number,condition_name and the regions")
    return {
        "meta": meta,
        "region_meta": dict(columns),
        "predictions": predictions,
        "items": [{"item_number": number, "conditions": conditions} for number, conditions in items.items()],
    }


def _before_the_sentences(row, meta, predictions, place):
    """Take a meta or prediction row in; return the regions' (number, name) at the header."""
    match [cell.strip() for cell in row], row:
        case ["#meta", _, *_], [_, key, value, *_]:
            try:
                meta[key] = json.loads(value[5:]) if value.startswith("json:") else value
            except json.JSONDecodeError as error:
                raise InputError(f"{place}: the value of {key!r} is not JSON after 'json:' ({error.msg})") from None
            except (ValueError, RecursionError):
                raise InputError(f"{place}: the value of {key!r} is too long or nested too deep") from None
        case ["#prediction", formula, *_], _:
            predictions.append({"type": "formula", "formula": formula})
        case ["item_number", "condition_name", *names], _:
            while names and not names[-1]:
                names.pop()
            regions = [re.fullmatch(r"([0-9]+)(?::\s*(.*))?", name, re.DOTALL) for name in names]
            if None in regions:
                wrong = names[regions.index(None)]
                raise InputError(
                    f"{place}: a region's column is headed by its number and name, '3: verb', not {wrong!r}"
                )
            columns = [(region[1], region[2] or "") for region in regions]
            if len(dict(columns)) < len(columns):
                raise InputError(f"{place}: two columns have the same region number")
            return columns
        case [first, *_], _:
            raise InputError(f"{place}: the row must start with #meta, #prediction or item_number, not {first!r}")
    return None


def _sentence(row, columns, items, place):
    cells = [*row, *[""] * (2 + len(columns) - len(row))]
    if any(cell.strip() for cell in cells[2 + len(columns) :]):
        raise InputError(f"{place}: more cells than the header has regions")
    try:
        number = int(cells[0])
    except ValueError:
        raise InputError(f"{place}: item_number must be a whole number, not {cells[0]!r}") from None
    regions = [
        {"region_number": int(region), "content": content}
        for (region, _), content in zip(columns, cells[2:], strict=False)
    ]
    items.setdefault(number, []).append({"condition_name": cells[1], "regions": regions})


def _delimiter(text: str) -> str:
    """The separator after the first cell, which has none inside."""
    found = re.match(r'\s*"?[#\w]+"?\s*([,;\t])', text)
    return found[1] if found else ","
