"""A suite from a spreadsheet (CSV): a row for every sentence, a column for every region.

    #meta,name,number_prep
    #meta,metric,sum
    #prediction,(3;%match%) < (3;%mismatch%)
    item_number,condition_name,1: intro,2: subject,3: verb
    1,match,The,author,laughs
    1,mismatch,The,author,laugh

A meta value that is not text is written as JSON after ``json:``. Commas, semicolons or tabs may separate the cells.
"""

import csv
import io
import json
import re

from tse_core.errors import InputError


def read(text: str, where: str) -> dict:
    """The data of a suite's JSON from the text of a CSV file. Raises InputError."""
    separator = re.match(r'\s*"?[#\w]+"?\s*([,;\t])', text)  # after the first cell, which has none inside
    lines = io.StringIO(text, newline="")  # a line ends only at a line feed or a carriage return
    try:
        reader = csv.reader(lines, delimiter=separator[1] if separator else ",", strict=True)
        rows = [cells for cells in reader if any(map(str.strip, cells))]
    except csv.Error as error:
        raise InputError(f"{where}: not CSV ({error})") from None
    meta, predictions = {}, []
    regions: list[tuple[int, str]] = []
    items: dict[int, list[dict]] = {}
    for start, *cells in rows:
        first, second, *_ = [*cells, "", ""]
        if start.strip() == "#meta":
            meta[first] = _meta_value(second, f"{where}: the value of {first!r}")
        elif start.strip() == "#prediction":
            predictions.append({"type": "formula", "formula": first})
        elif start.strip() == "item_number":
            regions = [_region(head, where) for head in cells[1:] if head]
        elif start.strip().isdecimal():
            contents = [*cells[1:], *[""] * len(regions)]
            if any(contents[len(regions) :]):
                raise InputError(f"{where}: item {start}, {first!r} has more cells than there are regions above it")
            numbered = zip(regions, contents, strict=False)
            texts = [{"region_number": number, "content": content} for (number, _), content in numbered]
            items.setdefault(int(start), []).append({"condition_name": first, "regions": texts})
        else:
            raise InputError(
                f"{where}: a row must start with #meta, #prediction, item_number or an item's number, not {start!r}"
            )
    return {
        "meta": meta,
        "region_meta": {str(number): name for number, name in regions},
        "predictions": predictions,
        "items": [{"item_number": number, "conditions": conditions} for number, conditions in items.items()],
    }


def _meta_value(text: str, what: str):
    if not text.startswith("json:"):
        return text
    try:
        return json.loads(text.removeprefix("json:"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{what} is not JSON after 'json:' ({error})") from None


def _region(head: str, where: str) -> tuple[int, str]:
    """The number and the name of a region, from the head of its column."""
    number, _, name = head.partition(":")
    if not number.strip().isdecimal():
        raise InputError(f"{where}: a region's column is headed by its number and name, '3: verb', not {head!r}")
    return int(number), name.lstrip()
