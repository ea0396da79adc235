"""How much there is to read of one `evaluate`: it grows only on purpose."""

import pytest

from benchmarks.lines import lines, loaded

MODULES, LINES = 55, 6_100


@pytest.mark.slow
def test_one_evaluate_loads_what_it_uses():
    """Kinds of models, formats, statistics, stores and whole words are imported when they are asked for."""
    files = loaded()
    assert len(files) <= MODULES and lines(files) <= LINES
