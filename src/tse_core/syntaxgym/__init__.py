"""SyntaxGym (Gauthier et al. 2020): suites of controlled sentences, predictions about surprisal, how often they hold.

suite -> sentences -> token surprisals -> region surprisals -> does each prediction hold for each item -> accuracy
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "formula": ["Formula"],
        "library": ["list_suites", "load_suite", "load_suites"],
        "outcomes": ["evaluate_suite"],
        "tables": ["accuracy_table"],
        "suites": ["read_suite"],
    },
)
