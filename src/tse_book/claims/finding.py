"""A check of a claim and its finding. Checks are registered by name; data/claims.yaml refers to the names."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from tse_core.files import read_yaml
from tse_core.paths import data_folder


class Finding(NamedTuple):
    """What a check of published data found: the value that decides, and whether the claim holds.

    If the value is a count, `out_of` is its total.
    """

    value: float | None
    holds: bool
    note: str = ""
    out_of: int | None = None


CHECKS: dict[str, Callable[[dict], Finding]] = {}


def check(function: Callable[[dict], Finding]) -> Callable[[dict], Finding]:
    """Register a check that needs no model. It takes the claim's case: its fields and its settings."""
    CHECKS[function.__name__] = function
    return function


@cache
def load_claims() -> dict:
    """The claims, from data/claims.yaml."""
    return read_yaml(data_folder() / "claims.yaml")
