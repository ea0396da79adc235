"""A check of a claim and what it finds. Checks register by name; data/claims.yaml refers to the names."""

from collections.abc import Callable
from typing import NamedTuple


class Finding(NamedTuple):
    """What a check of published data found: the value beside the printed one, and whether the claim holds."""

    value: float | None
    holds: bool
    note: str = ""


CHECKS: dict[str, Callable[[dict], Finding]] = {}


def check(function: Callable[[dict], Finding]) -> Callable[[dict], Finding]:
    """Register a check that needs no model. It takes the claim's case: its fields and its settings."""
    CHECKS[function.__name__] = function
    return function
