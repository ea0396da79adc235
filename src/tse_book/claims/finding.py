"""A check of published data and its finding. Checks are registered by name; data/claims.yaml refers to the names."""

import operator
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from tse_book.claims.choices import Choice
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
    versions: tuple[Choice, ...] = ()  # what other versions of the published table say


SIDES = {
    "below": operator.lt,
    "above": operator.gt,
    "at_least": operator.ge,
    "at_most": operator.le,
}
CHECKS: dict[str, Callable[[dict], Finding]] = {}


def check(function: Callable[[dict], Finding]) -> Callable[[dict], Finding]:
    """Register a check that needs no model. It takes the claim's case: its fields and its settings."""
    CHECKS[function.__name__] = function
    return function


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
