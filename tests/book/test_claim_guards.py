"""A guard against rows that cannot fail: every check of published data fails on published data that say otherwise."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from tse_book import published
from tse_book.claims import blimp, judging
from tse_book.claims.cases import cases
from tse_book.claims.finding import CHECKS, load_claims

NUMBERS = ("value", "accuracy", "estimate", "slope", "perplexity", "probability", "items_accepted")
TABLES = [name for name in ("table2", "table3", "figure1", "figures234", "blimp_table3", "blimp_table4", "blimp_human",
          "blimp_prefix_methods", "blimp_slopes", "blimp_perplexities", "hu2020_suites", "hu2020_circuits",
          "syntaxgym_models")
          if hasattr(published, name)]  # fmt: skip


@dataclass
class Otherwise:
    """Ways in which the published numbers could have been others."""

    name: str

    def __call__(self, table: pd.DataFrame) -> pd.DataFrame:
        table = table.copy()
        for column in [c for c in NUMBERS if c in table and table[c].dtype.kind in "fi"]:
            values = table[column].to_numpy(float)
            if self.name == "reversed":
                table[column] = np.nanmax(values) + np.nanmin(values) - values
            elif self.name == "shuffled":
                table[column] = np.random.default_rng(0).permutation(values)
            elif self.name == "a tenth":
                table[column] = values / 10
            elif self.name == "level":
                table[column] = np.nanmean(values)
        for column in [c for c in ("recorded_as", "in_33") if c in table and self.name == "reversed"]:
            table[column] = "another" if column == "recorded_as" else ~table[column]
        return table


def checked_claims():
    for claim in load_claims()["claims"]:
        if "from_data" in claim:
            yield pytest.param(claim, id=claim["id"])


@pytest.mark.parametrize("claim", list(checked_claims()))
def test_each_check_fails_where_the_papers_had_printed_other_numbers(claim, monkeypatch):
    check = CHECKS[claim["from_data"]["check"]]
    variants = cases(claim)
    found = []
    for way in map(Otherwise, ("reversed", "shuffled", "level", "a tenth")):
        with monkeypatch.context() as patch:
            for name in TABLES:
                changed = way(getattr(published, name)())
                patch.setattr(
                    published, name, lambda *args, changed=changed, name=name, **kwargs: of(changed, name, args)
                )
            for module in (blimp, judging):
                for name in TABLES:
                    if hasattr(module, name):
                        patch.setattr(module, name, getattr(published, name))
            clear()
            for case in variants:
                case = {**claim, **case, **claim["from_data"]}
                if claim["from_data"]["check"] not in BY_COUNT:
                    found.append(check(case).holds)
                else:
                    found.append(check({**case, "published": case["published"] + 1}).holds)
    clear()
    assert not all(found), "this row holds whatever is printed"


# Checks of files that the project holds: the paper's number, not the file, is what may be another.
BY_COUNT = ("appendix", "released_list", "suites")


def of(table, figure=None, *_, **__):
    """What a reader of published tables would give: the table, or one figure of it."""
    return table if figure is None or "figure" not in table else table[table["figure"] == figure]


def clear():
    blimp._paradigms.cache_clear()
    blimp._phenomena.cache_clear()
    blimp.prefix_methods.cache_clear()
