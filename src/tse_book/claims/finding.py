"""A check of published data and its finding. Checks are registered by name; data/claims.yaml refers to the names."""

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

    `holds` is None where the settings of the claim decide (`meets`). A finding of a run has a verdict, and the interval
    and the signature of what was measured where they are known.
    """

    value: float
    note: str = ""
    out_of: int | None = None
    holds: bool | None = None
    verdict: str = ""
    low: float | None = None
    high: float | None = None
    signature: str = ""


SIDES = {
    "below": operator.lt,
    "above": operator.gt,
    "at_least": operator.ge,
    "at_most": operator.le,
}
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
    units : the column of each unit of `choices.PLURALS`
    """

    def register(judge: Callable[[dict, pd.DataFrame], Finding], name: str = "") -> Callable:
        def judged(case: dict) -> Finding:
            return judge(case, read(case))

        def others(case: dict, found: Finding) -> list[Choice]:
            table = read(case)
            parts = []
            for unit, column in units.items():
                for part in parts_of(table[column], unit, case):
                    parts.append((part, judge(case, table[part.rows])))
            return said_by_parts(case, found, parts)

        name = name or judge.__name__
        CHECKS[name], OTHER_DATA[name] = judged, others
        return judge

    return register


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
        if np.isnan(other.value) or other[:4] == found[:4]:
            continue
        of_part = case
        if found.out_of and other.out_of and "at_least" in case:
            of_part = case | {"at_least": case["at_least"] * other.out_of / found.out_of}
        answers.append((part, verdicts.in_words(meets(other, of_part))))
    return by_rule(verdicts.in_words(meets(found, case)), answers)


def meets(finding: Finding, case: dict) -> bool:
    """Whether a claim holds: its value is on the right side of its threshold, or is the published one, `within`.

    `misread` is an error of the value: the claim then holds if it does wherever the value may be.
    """
    if finding.holds is not None:
        return bool(finding.holds)
    error = case.get("misread", 0)
    values = finding.value - error, finding.value + error
    for name, on_its_side in SIDES.items():
        if name in case:
            return all(on_its_side(value, case[name]) for value in values)
    return all(abs(value - case["published"]) <= case.get("within", 0) for value in values)


@cache
def load_claims() -> dict:
    """The claims, from data/claims.yaml."""
    return read_yaml(data_folder() / "claims.yaml")
