"""A suite from a spreadsheet (CSV): a row for every sentence, a column for every region.

    #meta,name,number_prep
    #meta,metric,sum
    #prediction,(3;%match%) < (3;%mismatch%)
    item_number,condition_name,1: intro,2: subject,3: verb
    1,match,The,author,laughs
    1,mismatch,The,author,laugh

A meta value that is not text is written as JSON after ``json:``. Commas, semicolons or tabs may separate the cells.
"""

import io
import json
import re

import pandas as pd

from tse_core.errors import InputError

KINDS = ("#meta", "#prediction", "item_number")  # what a row begins with; each other row with its item's number


def read(text: str, where: str) -> dict:
    """The data of a suite's JSON from the text of a CSV file. Raises InputError."""
    separator = re.match(r'\s*"?[#\w]+"?\s*([,;\t])', text)  # after the first cell, which has none inside
    sep = separator[1] if separator else ","
    columns = range(max(line.count(sep) for line in text.split("\n")) + 3)
    try:
        table = pd.read_csv(io.StringIO(text), sep=sep, names=columns, dtype="str", keep_default_na=False).fillna("")
    except (pd.errors.ParserError, ValueError) as error:
        raise InputError(f"{where}: cannot be read as a table ({error})") from None
    table = table[table.ne("").any(axis=1)]
    kind = table[0].str.strip()
    for other in kind[~(kind.isin(KINDS) | kind.str.isdecimal())]:
        raise InputError(f"{where}: a row begins with {', '.join(KINDS)} or an item's number, not {other!r}")
    heads = table.loc[kind == "item_number", 2:].to_numpy().ravel()
    regions = [_region(head, where) for head in heads if head]
    items: dict[int, list[dict]] = {}
    for number, condition, *contents in table[~kind.isin(KINDS)].itertuples(index=False):
        if any(contents[len(regions) :]):
            raise InputError(f"{where}: item {number}, {condition!r} has more cells than there are regions above it")
        texts = [{"region_number": n, "content": text} for (n, _), text in zip(regions, contents, strict=False)]
        items.setdefault(int(number), []).append({"condition_name": condition, "regions": texts})
    meta = table.loc[kind == "#meta", [1, 2]].itertuples(index=False)
    return {
        "meta": {name: _meta_value(value, f"{where}: the value of {name!r}") for name, value in meta},
        "region_meta": {str(number): name for number, name in regions},
        "predictions": [{"type": "formula", "formula": text} for text in table.loc[kind == "#prediction", 1]],
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
