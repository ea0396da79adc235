"""A test suite: sentences of items in conditions, cut into regions, and predictions about them.

The published JSON Schema (data/syntaxgym) says what a file may hold; what a schema cannot say is
checked here. Reading accepts what published copies contain (stray spaces, square brackets in
formulas, conditions in any order). Keys that mean nothing here (``comment``, ``pos``, the ``name``
of a prediction) are kept and change nothing. Writing gives the canonical form. A sentence is its
regions in the order in which the condition lists them, whatever their numbers; a formula finds a
region by its number.

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
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tse_core.datasets.raw_tables import check_columns
from tse_core.errors import InputError, warn
from tse_core.files import parse_json, read_text
from tse_core.schemas import located_mistakes, read_schema
from tse_core.syntaxgym.formula import Formula
from tse_core.words import is_unspaced, plain

KEYS = ["item", "condition", "region"]
COLUMNS = [*KEYS, "content"]
LISTS = {  # of a suite's JSON: a part's kind, and the key of its number or name
    "predictions": ("prediction", ""),
    "items": ("item", "item_number"),
    "conditions": ("condition", "condition_name"),
    "regions": ("region", "region_number"),
}
KNOWN_KEYS = {  # of each part of a suite's JSON; the last two of a region are results
    "suite": {"meta", "region_meta", "predictions", "items"},
    "prediction": {"type", "formula"},
    "item": {"item_number", "conditions"},
    "condition": {"condition_name", "regions"},
    "region": {"region_number", "content", "metric_value", "oovs"},
}


@dataclass(frozen=True, eq=False)
class Suite:
    """A suite.

    Attributes
    ----------
    meta : its name, its metric, and whatever else its file says about it
    regions : the names of the regions, by number
    table : item, condition, region (numbers and names) and content, the words: a row per region of
        every sentence, in the order of the sentence
    extra : keys of its JSON that mean nothing here, by the part where they stand, such as
        ("item", 3) or ("region", 3, "match", 6)
    """

    meta: dict
    regions: dict[int, str]
    predictions: tuple[Formula, ...]
    table: pd.DataFrame = field(repr=False)
    extra: dict[tuple, dict] = field(default_factory=dict, repr=False)

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
        """Eight hexadecimal digits of the SHA-256 of the canonical JSON, without `extra`."""
        text = to_json(replace(self, extra={}))
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def sentences(self, between: str = " ") -> pd.DataFrame:
        """Columns item, condition and sentence: the regions with content, joined by a text."""
        filled = self.table[self.table["content"] != ""]
        contents = filled.groupby(["item", "condition"], sort=False)["content"]
        return contents.agg(between.join).rename("sentence").reset_index()


def read_suite(path: str | Path) -> Suite:
    """A suite from a .json or .csv file.

    Raises InputError naming the item and the condition at fault.
    """
    data, faults = _data(Path(path))
    if faults:
        raise InputError(f"{path}: cannot be read as a suite ({_first(faults)})")
    return suite_from_dict(data, where=str(path))


def file_faults(path: str | Path) -> list[str]:
    """Everything that is wrong with a suite's file, one line each.

    Raises InputError: there is no such file, or it is no text.
    """
    data, faults = _data(Path(path))
    return faults or problems(data)


def problems(data: Any) -> list[str]:
    """Everything that is wrong with the data of a suite's JSON, one line each.

    A line names the prediction, or the item, the condition and the region. What the schema says of
    a prediction or an item is all that is said of it.
    """
    faults = []
    refused = set()  # predictions and items that do not fit the schema, such as ("items", 2)
    has_other_mistakes = False
    for path, message in located_mistakes(data, read_schema("syntaxgym/suite.schema.json")):
        faults.append(_place(data, path) + message)
        if len(path) > 1 and path[0] in ("predictions", "items"):
            refused.add(path[:2])
        else:
            has_other_mistakes = True
    # The other predictions and items can be read where nothing else is wrong.
    if not has_other_mistakes:
        faults += _inconsistencies(data, refused)
    return faults


def suite_from_dict(data: Any, *, where: str = "suite") -> Suite:
    """A suite from the data of its JSON; surprisals of an evaluated suite are left out.

    Raises InputError with the first of its `problems`. Warns where a sentence without spaces gets
    some between its regions.
    """
    faults = problems(data)
    if faults:
        raise InputError(f"{where}: {_first(faults)}")
    # Items in their order, conditions in that of the first item, whatever the file has.
    table = _table(data["items"])
    item = pd.factorize(table["item"])[0]
    condition = pd.factorize(table["condition"])[0]  # in the order of the first item
    order = np.lexsort([condition, item])  # stable: regions stay as they are listed
    table = table.iloc[order].reset_index(drop=True)
    names = data["region_meta"]
    regions = {number: plain(names[str(number)]) for number in sorted(map(int, names))}
    predictions = tuple(Formula.parse(prediction["formula"]) for prediction in data["predictions"])
    meta = data["meta"] | {"name": plain(data["meta"]["name"])}
    suite = Suite(meta, regions, predictions, table, _extra(data))
    _check_script(suite, where)
    return suite


def _first(faults: list[str]) -> str:
    """The first of some faults, and the number of the others."""
    more = len(faults) - 1
    return f"{faults[0]} (and {more} more)" if more else faults[0]


def _place(data: Any, path: tuple) -> str:
    """What a path such as ("items", 1, "conditions", 0, "content") leads to, in a reader's words.

    Items, conditions and regions by their own numbers and names where they have one.
    """
    names = []
    part = data
    while len(path) > 1 and path[0] in LISTS:
        kind, key = LISTS[path[0]]
        part = part[path[0]][path[1]]
        name = path[1] + 1
        if isinstance(part, dict):
            name = part.get(key, name)
        names.append(f"{kind} {name!r}")
        path = path[2:]
    place = f"{', '.join(names)}: " if names else ""
    key = ".".join(map(str, path))
    return f"{place}{key}: " if key else place


def _parts(data: dict) -> Iterator[tuple[tuple, dict]]:
    """The parts of a suite's JSON, each after its place, such as ("item", 3)."""
    yield ("suite",), data
    for number, prediction in enumerate(data["predictions"], 1):
        yield ("prediction", number), prediction
    for item in data["items"]:
        number = item["item_number"]
        yield ("item", number), item
        for condition in item["conditions"]:
            name = plain(condition["condition_name"])
            yield ("condition", number, name), condition
            for region in condition["regions"]:
                yield ("region", number, name, region["region_number"]), region


def _extra(data: dict) -> dict[tuple, dict]:
    """The keys of a suite's JSON that mean nothing here, by place."""
    extra = {}
    for place, part in _parts(data):
        keys = part.keys() - KNOWN_KEYS[place[0]]
        if keys:
            extra[place] = {key: value for key, value in part.items() if key in keys}
    return extra


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
    data = {
        "meta": {"name": suite.name, "metric": suite.metric, **suite.meta},
        "region_meta": {str(number): name for number, name in suite.regions.items()},
        "predictions": _predictions(map(str, suite.predictions)),
        "items": _items(suite.table.itertuples(index=False)),
    }
    for place, part in _parts(data):
        part.update(suite.extra.get(place, {}))
    return data


def to_json(suite: Suite | dict) -> str:
    """The canonical JSON: in a fixed order, indented by two spaces, with a final line break."""
    data = to_dict(suite) if isinstance(suite, Suite) else suite
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _data(path: Path) -> tuple[Any, list[str]]:
    """The data of a file, whether or not it is a suite, and what keeps it from having any.

    Raises InputError: there is no such file, or it is no text.
    """
    text = read_text(path)
    try:
        if path.suffix.lower() == ".csv":
            return _spreadsheet(text)
        return parse_json(text, str(path)), []
    except csv.Error as error:
        return None, [str(error)]
    except InputError as error:
        return None, [str(error).removeprefix(f"{path}: ")]


def _spreadsheet(text: str) -> tuple[dict, list[str]]:
    """The data of a suite's JSON from the text of a CSV file, and what is wrong with its rows.

    Raises csv.Error.
    """
    text = re.sub(r"\A\s*sep=.\s*\n", "", text)  # Excel's own line about the separator
    # The first cell, such as #meta, has no separator inside.
    match = re.match(r'\s*"?[#\w]+"?\s*([,;\t])', text)
    separator = match[1] if match else ","
    lines = list(csv.reader(io.StringIO(text, None), delimiter=separator, strict=True))
    width = max([3, *map(len, lines)])  # the columns that are named below are three
    check_columns(width, "the longest line")
    cells = [line + [""] * (width - len(line)) for line in lines]
    table = pd.DataFrame(cells, columns=range(width), dtype="str")
    table = table[table.ne("").any(axis=1)]
    kind = table[0].str.strip()
    heads = table.loc[kind == "item_number", 2:].to_numpy().ravel()
    faults = []
    region_of_column: dict[int, tuple[int, str]] = {}
    for column, head in enumerate(heads):
        number, _, name = head.partition(":")
        if _is_whole(number):
            region_of_column[column] = int(number), name.lstrip()
        elif head:
            faults.append(f"{head!r} is no head of a region, such as 3: verb")
    if not len(heads) and not table.empty:
        faults.append("no line begins with item_number, condition_name, 1: the first region, ...")
    sentences = table[~kind.isin(["#meta", "#prediction", "item_number"])]
    rows = []
    for item, condition, *contents in sentences.to_numpy():
        if not _is_whole(item):
            faults.append(f"item {item!r}, {condition!r}: an item has a whole number")
            continue
        heads_of_contents = itertools.zip_longest(contents, heads[: len(contents)], fillvalue="")
        surplus = [text for text, head in heads_of_contents if not head]
        # A second line of heads makes more heads than cells.
        if any(surplus) or len(contents) < len(heads):
            faults.append(
                f"item {item}, {condition!r} has more cells than there are regions above it"
            )
            continue
        for column, (number, _) in region_of_column.items():
            rows.append((int(item), condition, number, contents[column]))
    names_of_meta = table.loc[kind == "#meta", 1].str.strip()
    for name in names_of_meta[names_of_meta.duplicated()].unique():
        faults.append(f"two lines #meta say {name!r}; keep one of them")
    data = {
        "meta": dict(table.loc[kind == "#meta", [1, 2]].to_numpy()),
        "region_meta": {str(number): name for number, name in region_of_column.values()},
        "predictions": _predictions(table.loc[kind == "#prediction", 1]),
        "items": _items(rows),
    }
    return data, faults


def _is_whole(text: str) -> bool:
    """Whether a cell holds a whole number."""
    return re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", text) is not None


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


def _table(items: list[dict]) -> pd.DataFrame:
    """The regions of the items of a suite's JSON, in plain spelling."""
    rows = []
    for item in items:
        for condition in item["conditions"]:
            name = plain(condition["condition_name"])
            for region in condition["regions"]:
                content = plain(region["content"])
                rows.append((item["item_number"], name, region["region_number"], content))
    return pd.DataFrame(rows, columns=COLUMNS)


def _inconsistencies(data: dict, refused: set[tuple]) -> list[str]:
    """What a schema cannot say, one line each, but for the predictions and items that it refuses.

    All items have the same conditions, each of these all regions, and all of them once; formulas
    can be read and speak of regions and conditions that exist.
    """
    numbers = sorted(map(int, data["region_meta"]))
    readable_items = []
    for place, item in enumerate(data["items"]):
        if ("items", place) not in refused:
            readable_items.append(item)
    # The regions of each sentence, as (number, content), by item and condition.
    items: dict[int, dict[str, list]] = {}
    for item, condition, *region in _table(readable_items).itertuples(index=False, name=None):
        items.setdefault(item, {}).setdefault(condition, []).append(region)
    faults = _faults_of_items(items, numbers)
    conditions = set(next(iter(items.values()), {}))
    for number, prediction in enumerate(data["predictions"], 1):
        if ("predictions", number - 1) in refused:
            continue
        try:
            formula = Formula.parse(prediction["formula"])
        except InputError as error:
            faults.append(f"prediction {number}: {error}")
            continue
        if items:
            for fault in formula.faults(set(numbers), conditions):
                faults.append(f"prediction {number}: {fault}")
    return faults


def _faults_of_items(items: dict[int, dict[str, list]], numbers: list[int]) -> list[str]:
    """What is wrong with the conditions of items and with their regions, one line each.

    `numbers` are those of the suite's regions, sorted.
    """
    faults = []
    conditions = next(iter(items.values()), {}).keys()
    for item, sentences in items.items():
        for name in sorted(conditions ^ sentences.keys()):
            faults.append(f"item {item}: condition {name!r} is not in every item")
    for item, sentences in items.items():
        for condition, regions in sentences.items():
            where = f"item {item}, condition {condition!r}"
            numbers_of_sentence, contents = zip(*regions, strict=True)
            if sorted(numbers_of_sentence) != numbers:
                there = ", ".join(map(str, numbers_of_sentence))
                faults.append(f"{where}: the regions are {there}, not each of the suite once")
            elif not any(contents):
                faults.append(f"{where}: every region is empty")
    return faults
