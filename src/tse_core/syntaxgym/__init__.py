"""SyntaxGym (Gauthier et al. 2020): suites of controlled sentences, predictions about surprisal, how often they hold.

suite -> sentences -> token surprisals -> region surprisals -> does each prediction hold for each item -> accuracy
"""

from tse_core.formula import Formula
from tse_core.syntaxgym.library import circuit, find_suite, list_suites, load_suite, load_suites
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite
from tse_core.syntaxgym.regions import METRICS, assign_tokens, region_value
from tse_core.syntaxgym.suites import (
    Item,
    Suite,
    problems_of,
    read_suite,
    suite_from_dict,
    to_dict,
    to_json,
    write_suite,
)

__all__ = [
    "METRICS", "Formula", "Item", "Outcome", "Suite", "assign_tokens", "circuit", "evaluate_suite", "find_suite",
    "list_suites", "load_suite", "load_suites", "problems_of", "read_suite", "region_value", "suite_from_dict",
    "to_dict", "to_json", "write_suite",
]  # fmt: skip
