"""A test suite: sentences of items in conditions, cut into regions, and predictions about them.

The published JSON Schema (data/syntaxgym) says what a file may hold; what a schema cannot say is
checked here. Reading accepts what published copies contain (stray spaces, square brackets in
formulas, conditions in any order). Writing gives the canonical form. A sentence is its regions in
the order in which the condition lists them, whatever their numbers; a formula finds a region by its
number.

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

from tse_core.errors import InputError, warn
from tse_core.files import read_text
from tse_core.schemas import mistakes, read_schema
from tse_core.syntaxgym.formula import Formula
from tse_core.words import is_unspaced, plain

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
        """Columns item, condition and sentence: the regions with content, joined by a text."""
        filled = self.table[self.table["content"] != ""]
        contents = filled.groupby(["item", "condition"], sort=False)["content"]
        return contents.agg(between.join).rename("sentence").reset_index()


def read_suite(path: str | Path) -> Suite:
    """A suite from a .json or .csv file.

    Raises InputError naming the item and the condition at fault.
    """
    return suite_from_dict(_data(Path(path)), where=str(path))


def problems(data: Any) -> list[str]:
    """What is wrong with the data of a suite's JSON, one line each."""
    by_schema = mistakes(data, read_schema("syntaxgym/suite.schema.json"))
    return by_schema or _inconsistencies(data)


def suite_from_dict(data: Any, *, where: str = "suite") -> Suite:
    """A suite from the data of its JSON; surprisals of an evaluated suite are left out.

    Raises InputError with the first of its `problems`. Warns where a sentence without spaces gets
    some between its regions.
    """
    faults = problems(data)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise InputError(f"{where}: {faults[0]}{more}")
    table = _table(data)
    item = pd.factorize(table["item"])[0]
    condition = pd.factorize(table["condition"])[0]  # in the order of the first item
    order = np.lexsort([condition, item])  # stable: regions stay as they are listed
    table = table.iloc[order].reset_index(drop=True)
    names = data["region_meta"]
    regions = {number: plain(names[str(number)]) for number in sorted(map(int, names))}
    predictions = tuple(Formula.parse(prediction["formula"]) for prediction in data["predictions"])
    meta = data["meta"] | {"name": plain(data["meta"]["name"])}
    suite = Suite(meta, regions, predictions, table)
    _check_script(suite, where)
    return suite


def _check_script(suite: Suite, where: str) -> None:
    """Warn of the first sentence with several regions, one of them in writing without spaces."""
    sentences = suite.sentences("\n")
    for item, condition, sentence in sentences.itertuples(index=False):
        contents = sentence.split("\n")
        if len(contents) > 1 and any(map(is_unspaced, contents)):
            text = " ".join(contents)
            warn(
                f"{where}: regions are joined by a space, so that writing without spaces is read "
                f"as another text: {text!r} (item {item}, condition {condition!r}); compare whole "
                "sentences (tse blimp), unless the model learned from text with such spaces"
            )
            return


def to_dict(suite: Suite) -> dict:
    """The data of the canonical JSON."""
    return {
        "meta": {"name": suite.name, "metric": suite.metric, **suite.meta},
        "region_meta": {str(number): name for number, name in suite.regions.items()},
        "predictions": _predictions(map(str, suite.predictions)),
        "items": _items(suite.table.itertuples(index=False)),
    }


def to_json(suite: Suite | dict) -> str:
    """The canonical JSON: in a fixed order, indented by two spaces, with a final line break."""
    data = to_dict(suite) if isinstance(suite, Suite) else suite
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _data(path: Path) -> Any:
    """The data of a file, whether or not it is a suite. Raises InputError if it has none."""
    reader = _spreadsheet if path.suffix.lower() == ".csv" else json.loads
    text = read_text(path)
    try:
        data = reader(text)
        json.dumps(data, ensure_ascii=False).encode()  # fails for half of a character
    except (RecursionError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as a suite ({error})") from None
    return data


def _spreadsheet(text: str) -> dict:
    """The data of a suite's JSON from the text of a CSV file. Raises ValueError."""
    text = re.sub(r"\A\s*sep=.\s*\n", "", text)  # Excel's own line about the separator
    # The first cell, such as #meta, has no separator inside.
    match = re.match(r'\s*"?[#\w]+"?\s*([,;\t])', text)
    separator = match[1] if match else ","
    lines = csv.reader(io.StringIO(text, None), delimiter=separator, strict=True)
    # A first line of three empty cells gives the table the columns that are named below.
    table = pd.DataFrame([[""] * 3, *lines], dtype="str").fillna("")
    table = table[table.ne("").any(axis=1)]
    kind = table[0].str.strip()
    heads = table.loc[kind == "item_number", 2:].to_numpy().ravel()
    region_of_column: dict[int, tuple[str, str]] = {}
    for column, head in enumerate(heads):
        if head:
            number, _, name = head.partition(":")
            region_of_column[column] = number, name.lstrip()
    sentences = table[~kind.isin(["#meta", "#prediction", "item_number"])]
    rows = []
    for item, condition, *contents in sentences.to_numpy():
        surplus = [text for column, text in enumerate(contents) if column not in region_of_column]
        # A second line of heads makes more heads than cells.
        if any(surplus) or len(contents) < len(heads):
            raise ValueError(
                f"item {item}, {condition!r} has more cells than there are regions above it"
            )
        for column, (number, _) in region_of_column.items():
            rows.append((int(item), condition, int(number), contents[column]))
    return {
        "meta": dict(table.loc[kind == "#meta", [1, 2]].to_numpy()),
        "region_meta": {str(int(number)): name for number, name in region_of_column.values()},
        "predictions": _predictions(table.loc[kind == "#prediction", 1]),
        "items": _items(rows),
    }


def _predictions(formulas: Iterable[str]) -> list[dict]:
    """The predictions of a suite's JSON."""
    return [{"type": "formula", "formula": formula} for formula in formulas]


def _items(rows: Iterable[tuple]) -> list[dict]:
    """The items of a suite's JSON from rows in the order of `COLUMNS`."""
    regions_of: dict[int, dict[str, list[dict]]] = {}
    for item, condition, region, content in rows:
        regions = regions_of.setdefault(item, {}).setdefault(condition, [])
        regions.append({"region_number": region, "content": content})
    items = []
    for item, sentences in regions_of.items():
        conditions = []
        for name, regions in sentences.items():
            conditions.append({"condition_name": name, "regions": regions})
        items.append({"item_number": item, "conditions": conditions})
    return items


def _table(data: dict) -> pd.DataFrame:
    """The regions of a suite's JSON, in plain spelling."""
    rows = []
    for item in data["items"]:
        for condition in item["conditions"]:
            name = plain(condition["condition_name"])
            for region in condition["regions"]:
                content = plain(region["content"])
                rows.append((item["item_number"], name, region["region_number"], content))
    return pd.DataFrame(rows, columns=COLUMNS)


def _inconsistencies(data: dict) -> list[str]:
    """What a schema cannot say, one line each.

    All items have the same conditions, each of these all regions, and all of them once; formulas
    can be read and speak of regions and conditions that exist.
    """
    faults = []
    numbers_of_suite = sorted(map(int, data["region_meta"]))
    items: dict[int, dict[str, list]] = {}
    for item, condition, *region in _table(data).itertuples(index=False, name=None):
        items.setdefault(item, {}).setdefault(condition, []).append(region)
    conditions = next(iter(items.values())).keys()
    for item, sentences in items.items():
        for name in sorted(conditions ^ sentences.keys()):
            faults.append(f"item {item}: condition {name!r} is not in every item")
    for item, sentences in items.items():
        for condition, regions in sentences.items():
            where = f"item {item}, condition {condition!r}"
            numbers, contents = zip(*regions, strict=True)
            if sorted(numbers) != numbers_of_suite:
                there = ", ".join(map(str, numbers))
                faults.append(f"{where}: the regions are {there}, not each of the suite once")
            elif not any(contents):
                faults.append(f"{where}: every region is empty")
    for number, prediction in enumerate(data["predictions"], 1):
        try:
            formula = Formula.parse(prediction["formula"])
            formula.check(set(numbers_of_suite), set(conditions))
        except InputError as error:
            faults.append(f"prediction {number}: {error}")
    return faults
