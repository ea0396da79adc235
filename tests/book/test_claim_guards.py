"""A guard against rows that cannot fail: every check of published data fails on published data that say otherwise."""

import itertools
from functools import partial

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


def otherwise(table: pd.DataFrame, way: str) -> pd.DataFrame:
    """The published numbers as they could have been."""
    table = table.copy()
    for column in [c for c in NUMBERS if c in table and table[c].dtype.kind in "fi"]:
        values = table[column].to_numpy(float)
        table[column] = {
            "reversed": np.nanmax(values) + np.nanmin(values) - values,
            "shuffled": np.random.default_rng(0).permutation(values),
            "a tenth": values / 10,
            "level": np.nanmean(values),
        }[way]
    if way == "reversed" and "recorded_as" in table:
        table["recorded_as"] = "another"
    if way == "reversed" and "in_33" in table:
        table["in_33"] = ~table["in_33"]
    return table


def test_each_check_fails_where_the_papers_had_printed_other_numbers():
    claims = [claim for claim in load_claims()["claims"] if "from_data" in claim]
    found = {claim["id"]: [] for claim in claims}
    tables = {name: getattr(published, name)() for name in TABLES}
    for way in ("reversed", "shuffled", "level", "a tenth"):
        changed = {name: partial(of, otherwise(table, way)) for name, table in tables.items()}
        with pytest.MonkeyPatch.context() as patch:
            for module, name in itertools.product((published, blimp, judging), TABLES):
                if hasattr(module, name):
                    patch.setattr(module, name, changed[name])
            clear()
            for claim in claims:
                check = claim["from_data"]["check"]
                for case in ({**claim, **case, **claim["from_data"]} for case in cases(claim)):
                    other = {"published": case["published"] + 1} if check in BY_COUNT else {}
                    found[claim["id"]].append(CHECKS[check](case | other).holds)
    clear()
    assert not [claim for claim, held in found.items() if all(held)], "these rows hold whatever is printed"


# Checks of files that the project holds: the paper's number, not the file, is what may be another.
BY_COUNT = ("appendix", "released_list", "suites")


def of(table, figure=None, *_, **__):
    """What a reader of published tables would give: the table, or one figure of it."""
    return table if figure is None or "figure" not in table else table[table["figure"] == figure]


def clear():
    blimp._paradigms.cache_clear()
    blimp._phenomena.cache_clear()
    blimp.prefix_methods.cache_clear()
