"""A test suite: items in several conditions, cut into regions, with predictions.

The published JSON Schema (data/syntaxgym) says what a file may hold; what a schema cannot say is checked here. Reading
accepts what published copies contain (stray spaces, square brackets in formulas, conditions in any order). Writing
gives the canonical form.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tse_core.datasets.plain_text import warn_of_changes
from tse_core.errors import InputError
from tse_core.files import read_text, write_output
from tse_core.schemas import mistakes, read_schema
from tse_core.syntaxgym import spreadsheet
from tse_core.syntaxgym.formula import Formula, FormulaError, listed
from tse_core.syntaxgym.regions import sentence_of
from tse_core.words import plain


@dataclass(frozen=True)
class Item:
    """One item: its number and, by condition and region number, the text of every region, in plain spelling."""

    number: int
    contents: dict[str, dict[int, str]]

    def __post_init__(self):
        spelled = {name: {n: plain(text) for n, text in texts.items()} for name, texts in self.contents.items()}
        object.__setattr__(self, "contents", spelled)

    def sentence(self, condition: str) -> str:
        """The regions that are not empty, joined by one space."""
        return sentence_of(self.contents[condition])


@dataclass(frozen=True)
class Suite:
    """A suite; ``regions`` are the regions' names by number."""

    meta: dict
    regions: dict[int, str]
    predictions: tuple[Formula, ...]
    items: tuple[Item, ...]

    @property
    def name(self) -> str:
        return self.meta["name"]

    @property
    def metric(self) -> str:
        return self.meta["metric"]

    @property
    def conditions(self) -> list[str]:
        return list(self.items[0].contents)

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits of the SHA-256 of the canonical JSON."""
        return hashlib.sha256(to_json(self).encode()).hexdigest()[:8]

    def sentences(self) -> Iterator[tuple[int, str, str]]:
        """(item number, condition, sentence) for every sentence, in order."""
        for item in self.items:
            for condition in self.conditions:
                yield item.number, condition, item.sentence(condition)


def read_suite(path: str | Path) -> Suite:
    """A suite from a .json or .csv file. Raises InputError naming the item, condition and region at fault."""
    return suite_from_dict(_data(Path(path)), where=str(path))


def problems_of(path: str | Path) -> list[str]:
    """Everything that is wrong with a suite's file, one line each; empty for a suite."""
    return problems(_data(Path(path)))


def problems(data: Any) -> list[str]:
    """Everything that is wrong with the data of a suite's JSON, one line each."""
    return mistakes(data, schema()) or _inconsistent(_spelled(data, []))


def suite_from_dict(data: Any, *, where: str = "suite") -> Suite:
    """A suite from the data of its JSON; surprisals of an evaluated suite are left out. Raises InputError."""
    if wrong := problems(data):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise InputError(f"{where}: {wrong[0]}{more}")
    changed: list[str] = []
    data = _spelled(data, changed)
    warn_of_changes(changed, where)
    regions = {number: data["region_meta"][str(number)] for number in sorted(map(int, data["region_meta"]))}
    conditions = [condition["condition_name"] for condition in data["items"][0]["conditions"]]
    items = []
    for item in data["items"]:
        texts = {
            condition["condition_name"]: {region["region_number"]: region["content"] for region in condition["regions"]}
            for condition in item["conditions"]
        }
        contents = {name: {number: texts[name][number] for number in regions} for name in conditions}
        items.append(Item(int(item["item_number"]), contents))
    predictions = (Formula.parse(prediction["formula"]) for prediction in data["predictions"])
    return Suite(data["meta"], regions, tuple(predictions), tuple(items))


def to_dict(suite: Suite) -> dict:
    """The data of the canonical JSON."""
    items = [
        {
            "item_number": item.number,
            "conditions": [
                {
                    "condition_name": condition,
                    "regions": [{"region_number": n, "content": text} for n, text in regions.items()],
                }
                for condition, regions in item.contents.items()
            ],
        }
        for item in suite.items
    ]
    return {
        "meta": {"name": suite.name, "metric": suite.metric, **suite.meta},
        "region_meta": {str(number): name for number, name in suite.regions.items()},
        "predictions": [{"type": "formula", "formula": str(formula)} for formula in suite.predictions],
        "items": items,
    }


def to_json(suite: Suite | dict) -> str:
    """The canonical JSON: indented by two spaces, in a fixed order, round brackets in formulas, a final line break."""
    data = to_dict(suite) if isinstance(suite, Suite) else suite
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_suite(suite: Suite, path: str | Path) -> None:
    """Write a .json file."""
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"{path}: a suite is written as .json")
    write_output(path, to_json(suite))


def schema() -> dict:
    """The JSON Schema of a suite."""
    return read_schema("syntaxgym/suite.schema.json")


def _data(path: Path) -> Any:
    """What the file says, whether or not it is a suite."""
    text = read_text(path)
    if path.suffix.lower() == ".csv":
        return spreadsheet.read(text, str(path))
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path}: not JSON ({error})") from None


def _spelled(data: dict, changed: list[str]) -> dict:
    """A copy with names and contents in plain spelling; the texts that were written otherwise go into `changed`."""

    def spelled(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: spelled(value) for key, value in part.items()}
        if isinstance(part, list):
            return [spelled(value) for value in part]
        if isinstance(part, str) and part != plain(part):
            changed.append(part)
            return plain(part)
        return part

    meta = data["meta"] | {"name": spelled(data["meta"]["name"])}
    return data | {"meta": meta, "region_meta": spelled(data["region_meta"]), "items": spelled(data["items"])}


def _inconsistent(data: dict) -> list[str]:
    """What a schema cannot say: each item has the same conditions, each of these all regions, all of them once."""
    regions = {int(number) for number in data["region_meta"]}
    sets = Counter(frozenset(c["condition_name"] for c in item["conditions"]) for item in data["items"])
    conditions = set(sets.most_common(1)[0][0])
    numbers = [item["item_number"] for item in data["items"]]
    found = _miscounted(numbers, set(numbers), "the suite: item")
    for item in data["items"]:
        place = f"item {item['item_number']}"
        found += _miscounted([c["condition_name"] for c in item["conditions"]], conditions, f"{place}: condition")
        for condition in item["conditions"]:
            here = f"{place}, condition {condition['condition_name']!r}"
            found += _miscounted([r["region_number"] for r in condition["regions"]], regions, f"{here}: region")
            if not any(region["content"] for region in condition["regions"]):
                found.append(f"{here}: every region is empty")
    for number, prediction in enumerate(data["predictions"], 1):
        try:
            Formula.parse(prediction["formula"]).check(regions, conditions)
        except FormulaError as error:
            found.append(f"prediction {number}: {error}")
    return found


def _miscounted(names: list, wanted: Collection, what: str) -> list[str]:
    """A line for each name that is not there once, or is there and not wanted."""
    counts = Counter(names)
    wrong = [name for name in sorted({*names, *wanted}) if counts[name] != (name in wanted)]
    return [f"{what} {name!r} is there {counts[name]} times; each of these once: {listed(wanted)}" for name in wrong]
