"""A check of published data and its finding. Checks are registered by name; data/claims.yaml refers to the names."""

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_book.claims.choices import Choice, Part, by_rule, each_half, each_left_out
from tse_core.files import read_yaml
from tse_core.paths import data_folder


class Finding(NamedTuple):
    """The value that decides a claim, and the total if the value is a count.

    `holds` is None where the settings of the claim decide (`meets`). `error` is how far the value may be off, where it
    was read off a drawing or is a mean of rounded numbers. A finding of a run has a verdict, and the interval and the
    signature of what was measured where they are known.
    """

    value: float
    note: str = ""
    out_of: int | None = None
    holds: bool | None = None
    verdict: str = ""
    low: float | None = None
    high: float | None = None
    signature: str = ""
    error: float = 0


SIDES = {
    "below": operator.lt,
    "above": operator.gt,
    "at_least": operator.ge,
    "at_most": operator.le,
}
ROUNDING = 1e-12  # by which a number may differ that no choice changed
CHECKS: dict[str, Callable[[dict], Finding]] = {}
# What other data say of a case, by the name of its check: from the case and what our data say.
OTHER_DATA: dict[str, Callable[[dict, Finding], list[Choice]]] = {}


def check(function: Callable[[dict], Finding]) -> Callable[[dict], Finding]:
    """Register a check that needs no model. It takes the claim's case: its fields and its settings."""
    CHECKS[function.__name__] = function
    return function


def check_of(read: Callable[[dict], pd.DataFrame], **units: str) -> Callable:
    """Register a check of a table, of which the parts that units make are other data.

    read : a case's table
    units : the column of each unit of `choices.PLURALS`, if the table has it
    """

    def register(judge: Callable[[dict, pd.DataFrame], Finding], name: str = "") -> Callable:
        def judged(case: dict) -> Finding:
            return judge(case, read(case))

        def others(case: dict, found: Finding) -> list[Choice]:
            table = with_plain_strings(read(case))
            parts = []
            for unit, column in units.items():
                if column not in table:
                    continue
                for part in parts_of(table[column], unit, case):
                    parts.append((part, judge(case, table[part.rows])))
            return said_by_parts(case, found, parts)

        name = name or judge.__name__
        CHECKS[name], OTHER_DATA[name] = judged, others
        return judge

    return register


def with_plain_strings(table: pd.DataFrame) -> pd.DataFrame:
    """The table with strings as Python objects, of which small parts are taken several times as fast."""
    columns = [name for name in table if pd.api.types.is_string_dtype(table[name])]
    return table.astype(dict.fromkeys(columns, object))


def parts_of(units: pd.Series, unit: str, case: dict) -> list[Part]:
    """The parts of a table that a case is judged on, too: none of one that says what a number of the whole is.

    What the case names is in every part.
    """
    if "published" in case:
        return []
    named = str(case)
    return [*each_left_out(units, unit, named), *each_half(units, unit, named)]


def said_by_parts(case: dict, found: Finding, parts: list[tuple[Part, Finding]]) -> list[Choice]:
    """What parts of the data say of a case: those that change what was found.

    Where a count decides, the threshold is the same share of what is counted.
    """
    answers = []
    for part, other in parts:
        is_same = abs(other.value - found.value) < ROUNDING and other[1:4] == found[1:4]
        if np.isnan(other.value) or is_same:
            continue
        of_part = case
        if found.out_of and other.out_of and "at_least" in case:
            of_part = case | {"at_least": case["at_least"] * other.out_of / found.out_of}
        answers.append((part, verdicts.in_words(meets(other, of_part))))
    return by_rule(verdicts.in_words(meets(found, case)), answers)


def meets(finding: Finding, case: dict, error: float = 0) -> bool:
    """Whether a claim holds: its value is on the right side of its threshold, or is the published one, `within`.

    With an error of the value the claim holds if it does wherever the value may be.
    """
    if finding.holds is not None:
        return bool(finding.holds)
    values = finding.value - error, finding.value + error
    for name, on_its_side in SIDES.items():
        if name in case:
            return all(on_its_side(value, case[name]) for value in values)
    return all(abs(value - case["published"]) <= case.get("within", 0) for value in values)


def other_thresholds(case: dict, out_of: int | None = None) -> list[tuple[str, dict]]:
    """The threshold of a case with half and with twice its leeway, in words and as settings.

    The leeway of a distance (`within`) is the distance. That of another threshold is how far it is from the nearest
    number that nobody has to choose: the printed one, 0, chance (.5) and the whole (1, or what a count is `out_of`); of a
    ratio 1 is no difference. A threshold that is such a number has no leeway.

    >>> [words for words, _ in other_thresholds({"at_least": 36}, out_of=40)]
    ['at least 38', 'at least 32']
    >>> other_thresholds({"below": 0.95}), other_thresholds({"above": 0.5})
    ([('below 0.975', {'below': 0.975}), ('below 0.9', {'below': 0.9})], [])
    """
    name = next((name for name in (*SIDES, "within") if name in case), None)
    if name is None:
        return []
    fixed_points = [0.0]
    if name != "within":
        fixed_points += [out_of] if out_of else [0.5, 1.0]
        fixed_points += [case["published"]] if "published" in case else []
    nearest = min(fixed_points, key=lambda point: abs(case[name] - point))
    leeway = case[name] - nearest
    others = []
    for factor in (0.5, 2.0) if leeway else ():
        threshold = round(nearest + factor * leeway, 9)
        if out_of and name == "at_least":
            threshold = math.ceil(threshold)
        others.append((f"{name.replace('_', ' ')} {threshold:g}", {name: threshold}))
    return others


@cache
def load_claims() -> dict:
    """The claims, from data/claims.yaml."""
    return read_yaml(data_folder() / "claims.yaml")
