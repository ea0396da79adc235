"""What makes a suite a suite: the JSON Schema of data/syntaxgym, and what a schema cannot say.

Every problem is one line that names its place: the path that the schema's library gives, or item, condition and region.
"""

import json
from collections import Counter
from functools import cache
from typing import Any

from tse_core.errors import unknown
from tse_core.paths import data_folder
from tse_core.schemas import mistakes
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.formula_parser import FormulaError
from tse_core.words import composed, plain


@cache
def schema() -> dict:
    """The JSON Schema of a suite."""
    return json.loads((data_folder() / "syntaxgym" / "suite.schema.json").read_text(encoding="utf-8"))


def problems(data: object) -> list[str]:
    """Everything that is wrong with a suite's data, the first thing first; empty for a suite."""
    return mistakes(data, schema()) or _unwritable(data) or _inconsistent(data)


def tidied(data: Any) -> tuple[Any, list[str]]:
    """A copy with plain text (see `tse_core.datasets.plain_text`), and one line for each place that had another.

    Data of the wrong shape is left as it is, for ``problems`` to name.
    """
    notes = []

    def clean(text, *where):
        if not isinstance(text, str):
            return text
        tidy = plain(text)
        if tidy != text:
            what = "stray spaces" if composed(text) == text else "letters apart from their marks"
            notes.append(f"{_joined(where)}: {what} in {_short(text)}")
        return tidy

    def mapped(key, value, *where):
        """``value`` with the texts under ``key`` cleaned."""
        return {**value, key: clean(value[key], *where)} if isinstance(value, dict) and key in value else value

    def listed(key, value, function):
        if not isinstance(value, dict) or not isinstance(value.get(key), list):
            return value
        return {**value, key: [function(element) for element in value[key]]}

    def item(value):
        return listed("conditions", value, lambda c: condition(_item(value), c))

    def condition(place, value):
        value = mapped("condition_name", value, place)
        return listed("regions", value, lambda r: mapped("content", r, place, _condition(value), _region(r)))

    data = listed("items", data, item)
    if isinstance(data, dict) and "meta" in data:
        data = {**data, "meta": mapped("name", data["meta"], "meta")}
    if isinstance(data, dict) and isinstance(data.get("region_meta"), dict):
        names = {number: clean(name, f"region_meta {number}") for number, name in data["region_meta"].items()}
        data = {**data, "region_meta": names}
    return data, notes


def _unwritable(data) -> list[str]:
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return [f"a text holds half a character ({error.object[error.start]!r})"]
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
            place = _joined([_item(item), _condition(condition)])
            numbers = Counter(region["region_number"] for region in condition["regions"])
            for number, count in numbers.items():
                if number not in regions:
                    found.append(f"{place}: no region {number} in region_meta; there is: {_numbers(regions)}")
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


def _item(item) -> str:
    return f"item {item['item_number']}" if isinstance(item, dict) and "item_number" in item else "an item"


def _condition(condition) -> str:
    known = isinstance(condition, dict) and "condition_name" in condition
    return f"condition {condition['condition_name']!r}" if known else "a condition"


def _region(region) -> str:
    return f"region {region['region_number']}" if isinstance(region, dict) and "region_number" in region else "a region"


def _joined(places) -> str:
    return ", ".join(places)


def _numbers(numbers) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
