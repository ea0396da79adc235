"""A test suite: sentences of items in conditions, cut into regions, as one long table, and predictions about them.

The published JSON Schema (data/syntaxgym) says what a file may hold; what a schema cannot say is checked here. Reading
accepts what published copies contain (stray spaces, square brackets in formulas, conditions in any order). Writing
gives the canonical form. A sentence is its regions in the order in which the condition lists them,
whatever their numbers; a formula finds a region by its number.

A suite can also be written in a spreadsheet (CSV), a row for every sentence:

    #meta,name,number_prep
    #meta,metric,sum
    #prediction,(3;%match%) < (3;%mismatch%)
    item_number,condition_name,1: intro,2: subject,3: verb
    1,match,The,author,laughs
    1,mismatch,The,author,laugh
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.schemas import mistakes, read_schema
from tse_core.syntaxgym.formula import Formula
from tse_core.words import plain

KEYS = ["item", "condition", "region"]
COLUMNS = [*KEYS, "content"]


@dataclass(frozen=True, eq=False)
class Suite:
    """A suite.

    Attributes
    ----------
    meta : its name, its metric, and whatever else its file says about it
    regions : the names of the regions, by number
    table : item, condition, region (numbers and names) and content, the words: a row per region of
        every sentence, in the order of the sentence
    """

    meta: dict
    regions: dict[int, str]
    predictions: tuple[Formula, ...]
    table: pd.DataFrame

    @property
    def name(self) -> str:
        return self.meta["name"]

    @property
    def metric(self) -> str:
        return self.meta["metric"]

    @property
    def items(self) -> list[int]:
        return self.table["item"].unique().tolist()

    @property
    def conditions(self) -> list[str]:
        return self.table["condition"].unique().tolist()

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits of the SHA-256 of the canonical JSON."""
        return hashlib.sha256(to_json(self).encode()).hexdigest()[:8]

    def sentences(self, between: str = " ") -> pd.DataFrame:
        """Columns item, condition and sentence: the regions with content, with this text between."""
        filled = self.table[self.table["content"] != ""]
        return (
            filled.groupby(KEYS[:2], sort=False)["content"]
            .agg(between.join)
            .rename("sentence")
            .reset_index()
        )


def read_suite(path: str | Path) -> Suite:
    """A suite from a .json or .csv file. Raises InputError naming the item and the condition at fault."""
    return suite_from_dict(_data(Path(path)), where=str(path))


def problems(data: Any) -> list[str]:
    """Everything that is wrong with the data of a suite's JSON, one line each."""
    return mistakes(data, read_schema("syntaxgym/suite.schema.json")) or _inconsistent(data)


def suite_from_dict(data: Any, *, where: str = "suite") -> Suite:
    """A suite from the data of its JSON; surprisals of an evaluated suite are left out. Raises InputError."""
    if wrong := problems(data):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise InputError(f"{where}: {wrong[0]}{more}")
    table = _table(data)
    item = pd.factorize(table["item"])[0]
    condition = pd.factorize(table["condition"])[0]  # in the order of the first item
    order = np.lexsort([condition, item])  # stable: regions stay as they are listed
    table = table.iloc[order].reset_index(drop=True)
    regions = {
        number: plain(data["region_meta"][str(number)])
        for number in sorted(map(int, data["region_meta"]))
    }
    predictions = tuple(Formula.parse(prediction["formula"]) for prediction in data["predictions"])
    return Suite(data["meta"] | {"name": plain(data["meta"]["name"])}, regions, predictions, table)


def to_dict(suite: Suite) -> dict:
    """The data of the canonical JSON."""
    return {
        "meta": {"name": suite.name, "metric": suite.metric, **suite.meta},
        "region_meta": {str(number): name for number, name in suite.regions.items()},
        "predictions": [
            {"type": "formula", "formula": str(formula)} for formula in suite.predictions
        ],
        "items": _items(suite.table.itertuples(index=False)),
    }


def to_json(suite: Suite | dict) -> str:
    """The canonical JSON: indented by two spaces, in a fixed order, round brackets in formulas, a final line break."""
    data = to_dict(suite) if isinstance(suite, Suite) else suite
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _data(path: Path) -> Any:
    """What the file says, whether or not it is a suite."""
    text, reader = read_text(path), _spreadsheet if path.suffix.lower() == ".csv" else json.loads
    try:
        data = reader(text)
        json.dumps(data, ensure_ascii=False).encode()  # fails for half of a character
    except (RecursionError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as a suite ({error})") from None
    return data


def _spreadsheet(text: str) -> dict:
    """The data of a suite's JSON from the text of a CSV file. Raises ValueError."""
    text = re.sub(r"\A\s*sep=.\s*\n", "", text)  # Excel's own line about the separator
    separator = re.match(
        r'\s*"?[#\w]+"?\s*([,;\t])', text
    )  # after the first cell, which has none inside
    sep = separator[1] if separator else ","
    lines = csv.reader(io.StringIO(text, None), delimiter=sep, strict=True)
    table = pd.DataFrame([[""] * 3, *lines], dtype="str").fillna("")
    table = table[table.ne("").any(axis=1)]
    kind = table[0].str.strip()
    heads = table.loc[kind == "item_number", 2:].to_numpy().ravel()
    regions = {place: head.partition(":") for place, head in enumerate(heads) if head}
    rows = []
    for number, condition, *contents in table[
        ~kind.isin(["#meta", "#prediction", "item_number"])
    ].to_numpy():
        if any(text for place, text in enumerate(contents) if place not in regions) or len(
            contents
        ) < len(heads):
            raise ValueError(
                f"item {number}, {condition!r} has more cells than there are regions above it"
            )
        rows += [
            (int(number), condition, int(n), contents[place])
            for place, (n, _, _) in regions.items()
        ]
    return {
        "meta": dict(table.loc[kind == "#meta", [1, 2]].to_numpy()),
        "region_meta": {str(int(number)): name.lstrip() for number, _, name in regions.values()},
        "predictions": [
            {"type": "formula", "formula": text} for text in table.loc[kind == "#prediction", 1]
        ],
        "items": _items(rows),
    }


def _items(rows: Iterable[tuple]) -> list[dict]:
    """The items of a suite's JSON from rows in the order of `COLUMNS`."""
    items: dict[int, dict[str, list[dict]]] = {}
    for item, condition, region, content in rows:
        regions = items.setdefault(item, {}).setdefault(condition, [])
        regions.append({"region_number": region, "content": content})
    return [
        {
            "item_number": item,
            "conditions": [
                {"condition_name": name, "regions": regions} for name, regions in conditions.items()
            ],
        }
        for item, conditions in items.items()
    ]


def _table(data: dict) -> pd.DataFrame:
    """The regions of a suite's JSON, in plain spelling."""
    rows = [
        (
            item["item_number"],
            plain(condition["condition_name"]),
            region["region_number"],
            plain(region["content"]),
        )
        for item in data["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _inconsistent(data: dict) -> list[str]:
    """What a schema cannot say: each item has the same conditions, each of these all regions, all of them once."""
    regions, found = sorted(map(int, data["region_meta"])), []
    items: dict[int, dict[str, list]] = {}
    for item, condition, *region in _table(data).itertuples(index=False, name=None):
        items.setdefault(item, {}).setdefault(condition, []).append(region)
    conditions = next(iter(items.values())).keys()
    for item, sentences in items.items():
        for name in sorted(conditions ^ sentences.keys()):
            found.append(f"item {item}: condition {name!r} is not in every item")
    for item, condition in [
        (item, condition) for item, sentences in items.items() for condition in sentences
    ]:
        numbers, words = zip(*items[item][condition], strict=True)
        if sorted(numbers) != regions:
            there = ", ".join(map(str, numbers))
            found.append(
                f"item {item}, condition {condition!r}: the regions are {there}, not each of the suite once"
            )
        elif not any(words):
            found.append(f"item {item}, condition {condition!r}: every region is empty")
    for number, prediction in enumerate(data["predictions"], 1):
        try:
            Formula.parse(prediction["formula"]).check(set(regions), set(conditions))
        except InputError as error:
            found.append(f"prediction {number}: {error}")
    return found
