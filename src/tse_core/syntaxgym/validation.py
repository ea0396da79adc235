"""Validation of suites: the JSON Schema of data/syntaxgym, and checks beyond a schema.

Every problem is one line that names its place: the path that the schema's library gives, or item, condition and region.
"""

import json
from collections import Counter
from functools import cache
from typing import Any

from tse_core.errors import shortened, unknown
from tse_core.paths import data_folder
from tse_core.schemas import mistakes
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.formula_parser import FormulaError, listed
from tse_core.words import composed, plain


@cache
def schema() -> dict:
    """The JSON Schema of a suite."""
    return json.loads((data_folder() / "syntaxgym" / "suite.schema.json").read_text(encoding="utf-8"))


def checked(data: Any) -> tuple[Any, list[str], list[str]]:
    """The data in plain text, a line for each place that was not plain, and a line for every mistake.

    Mistakes are listed in order; data of the wrong shape is left as it is.
    """
    if wrong := mistakes(data, schema()):
        return data, [], wrong
    tidy, notes = _tidied(data)
    return tidy, notes, _unwritable(tidy) or _inconsistent(tidy)


def _tidied(data: dict) -> tuple[dict, list[str]]:
    """A copy with plain text (see `tse_core.datasets.plain_text`), and a line for each place that was not plain."""
    notes = []

    def clean(text: str, *where: str) -> str:
        tidy = plain(text)
        if tidy != text:
            what = "stray spaces" if composed(text) == text else "letters apart from their marks"
            notes.append(f"{', '.join(where)}: {what} in {shortened(text)}")
        return tidy

    def condition(item: dict, value: dict) -> dict:
        name = clean(value["condition_name"], _item(item))
        where = _item(item), f"condition {name!r}"
        regions = [
            {**region, "content": clean(region["content"], *where, f"region {region['region_number']}")}
            for region in value["regions"]
        ]
        return {**value, "condition_name": name, "regions": regions}

    items = [{**item, "conditions": [condition(item, c) for c in item["conditions"]]} for item in data["items"]]
    meta = {**data["meta"], "name": clean(data["meta"]["name"], "meta")}
    names = {number: clean(name, f"region_meta {number}") for number, name in data["region_meta"].items()}
    return {**data, "meta": meta, "region_meta": names, "items": items}, notes


def _unwritable(data) -> list[str]:
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return [f"text holds half of a character ({error.object[error.start]!r})"]
    return []


def _inconsistent(data) -> list[str]:
    found = []
    regions = {int(number) for number in data["region_meta"]}
    sets = Counter(frozenset(c["condition_name"] for c in item["conditions"]) for item in data["items"])
    conditions = set(sets.most_common(1)[0][0])
    for number, count in Counter(item["item_number"] for item in data["items"]).items():
        if count > 1:
            found.append(f"item {number}: the number is used {count} times")
    for item in data["items"]:
        names = Counter(condition["condition_name"] for condition in item["conditions"])
        for name in sorted(conditions - set(names)):
            found.append(f"{_item(item)}: condition {name!r} is missing; there is: {', '.join(names)}")
        for name, count in names.items():
            if name not in conditions:
                found.append(f"{_item(item)}: {unknown('condition', name, conditions)}")
            if count > 1:
                found.append(f"{_item(item)}: condition {name!r} is there {count} times")
        for condition in item["conditions"]:
            place = f"{_item(item)}, condition {condition['condition_name']!r}"
            numbers = Counter(region["region_number"] for region in condition["regions"])
            for number, count in numbers.items():
                if number not in regions:
                    found.append(f"{place}: no region {number} in region_meta; there is: {listed(regions)}")
                elif count > 1:
                    found.append(f"{place}, region {number}: the number is used {count} times")
            for number in sorted(regions - set(numbers)):
                found.append(f"{place}: region {number} is missing; an empty region has the content ''")
            if not any(region["content"] for region in condition["regions"]):
                found.append(f"{place}: every region is empty")
    for i, prediction in enumerate(data["predictions"], 1):
        try:
            Formula.parse(prediction["formula"]).check(regions, conditions)
        except FormulaError as error:
            found.append(f"prediction {i}: {error}")
    return found


def _item(item: dict) -> str:
    return f"item {item['item_number']}"
