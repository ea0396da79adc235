"""A test suite: items in several conditions, cut into regions, with predictions; JSON and CSV files in and out.

Reading accepts what published copies contain (stray spaces, square brackets in formulas, conditions in any order); one
warning and ``Suite.notes`` say what was changed. Writing gives the canonical form, so a suite that is read
and written again is byte for byte the same, in JSON as through CSV.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tse_core.datasets.plain_text import plain_texts, warn_of_changes
from tse_core.errors import InputError
from tse_core.files import read_text, write_output
from tse_core.syntaxgym import validation
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.regions import sentence_of


@dataclass(frozen=True)
class Item:
    """One item: its number and, by condition and region number, the text of every region, in plain spelling."""

    number: int
    contents: dict[str, dict[int, str]]

    def __post_init__(self):
        where = f"item {self.number}"
        spelled = {c: dict(zip(t, plain_texts([*t.values()], where), strict=True)) for c, t in self.contents.items()}
        object.__setattr__(self, "contents", spelled)

    def sentence(self, condition: str) -> str:
        """The regions that are not empty, joined by one space."""
        return sentence_of(self.contents[condition])


@dataclass(frozen=True)
class Suite:
    """``regions`` are the regions' names by number; ``notes`` what reading fixed."""

    meta: dict
    regions: dict[int, str]
    predictions: tuple[Formula, ...]
    items: tuple[Item, ...]
    notes: tuple[str, ...] = field(default=(), compare=False)

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
    path = Path(path)
    return suite_from_dict(_data(path), where=str(path))


def problems_of(path: str | Path, *, strict: bool = False) -> list[str]:
    """Everything that is wrong with a suite's file, one line each; empty for a suite."""
    _, notes, problems = validation.checked(_data(Path(path)))
    return [*(notes if strict else []), *problems]


def _data(path: Path) -> object:
    """What the file says, whether or not it is a suite."""
    from tse_core.syntaxgym import spreadsheet

    text = read_text(path)
    if path.suffix.lower() == ".csv":
        return spreadsheet.read(text, str(path))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deep to be a suite") from None
    except ValueError:
        raise InputError(f"{path}: holds a number of too many digits") from None


def suite_from_dict(data: object, *, where: str = "suite") -> Suite:
    """A suite from the data of its JSON; surprisals of an evaluated suite are left out. Raises InputError."""
    tidy, notes, problems = validation.checked(data)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InputError(f"{where}: {problems[0]}{more}")
    warn_of_changes(notes, where)
    conditions = [condition["condition_name"] for condition in tidy["items"][0]["conditions"]]
    numbers = sorted(int(number) for number in tidy["region_meta"])

    def contents(item) -> dict[str, dict[int, str]]:
        found = {
            condition["condition_name"]: {region["region_number"]: region["content"] for region in condition["regions"]}
            for condition in item["conditions"]
        }
        return {name: {number: found[name][number] for number in numbers} for name in conditions}

    return Suite(
        meta=tidy["meta"],
        regions={number: tidy["region_meta"][str(number)] for number in numbers},
        predictions=tuple(Formula.parse(prediction["formula"]) for prediction in tidy["predictions"]),
        items=tuple(Item(int(item["item_number"]), contents(item)) for item in tidy["items"]),
        notes=tuple(notes),
    )


def to_dict(suite: Suite) -> dict:
    """The data of the canonical JSON."""
    return {
        "meta": {"name": suite.name, "metric": suite.metric, **suite.meta},
        "region_meta": {str(number): name for number, name in suite.regions.items()},
        "predictions": [{"type": "formula", "formula": str(formula)} for formula in suite.predictions],
        "items": [
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
        ],
    }


def to_json(suite: Suite | dict) -> str:
    """The canonical JSON: indented by two spaces, in a fixed order, round brackets in formulas, a final line break."""
    data = to_dict(suite) if isinstance(suite, Suite) else suite
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_suite(suite: Suite, path: str | Path) -> None:
    """Write a .json or .csv file."""
    from tse_core.syntaxgym import spreadsheet

    path = Path(path)
    if path.suffix.lower() not in (".json", ".csv"):
        raise InputError(f"{path}: a suite is written as .json or .csv")
    text = spreadsheet.write(suite) if path.suffix.lower() == ".csv" else to_json(suite)
    write_output(path, text)
