"""The change log of numbers: what counts as a change, and what the page says, on two made-up versions."""

import nbformat
import pandas as pd
import pytest

from book.make import numbers
from tse_core import __version__


def version(*rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["notebook", "name", "value"])


FIRST = version(("03_table2", "cells", 40), ("03_table2", "ew", 0.91), ("09_blimp", "single", 88.55))
SECOND = version(("03_table2", "cells", 40), ("03_table2", "ew", 0.93), ("04_figure1", "tail", 0.57))


def test_a_number_changed_is_new_or_is_gone_and_what_another_machine_moves_is_no_change():
    found = numbers.changes(FIRST, SECOND).set_index(["notebook", "name"])
    assert found.loc[("03_table2", "ew")].tolist() == [0.91, 0.93]
    assert found["before"].isna().to_dict()[("04_figure1", "tail")]
    assert found["after"].isna().to_dict()[("09_blimp", "single")]
    assert len(found) == 3
    assert numbers.changes(FIRST, FIRST.assign(value=FIRST["value"] * (1 + 1e-6))).empty
    assert len(numbers.changes(FIRST, FIRST.assign(value=FIRST["value"] * 1.001))) == 3


def test_the_page_compares_the_build_with_the_latest_version_and_each_version_with_the_one_before():
    page = numbers.changes_page({"0.9.0": FIRST, "0.10.0": SECOND}, SECOND)
    parts = page.split("## ")[1:]
    assert [part.splitlines()[0] for part in parts] == ["Since 0.10.0", "From 0.9.0 to 0.10.0", "0.9.0"]
    assert "Nothing has changed since 0.10.0: all 3 numbers are the same." in parts[0]
    assert "Numbers that changed: 1. New: 1. Gone: 1." in parts[1]
    assert "in … % of the pairs, a single person in **88.55** %. | 88.55 | – |" in parts[1]
    assert "0.93" not in parts[1]  # no sentence quotes what changed there
    assert "tail" not in parts[1]  # nobody can have quoted a number that is new


def test_a_build_of_another_profile_is_not_compared():
    page = numbers.changes_page({"0.1.0": FIRST}, None)
    assert "another profile" in page and "changed" not in page


def test_versions_are_ordered_by_number_not_by_name(tmp_path):
    for name in ("0.10.0", "0.9.0"):
        FIRST.to_csv(tmp_path / f"{name}.csv", index=False)
    assert list(numbers.recorded(tmp_path)) == ["0.9.0", "0.10.0"]


@pytest.mark.parametrize(
    ("shown", "value"),
    [("40", 40), ("0.25", 0.25), ("'0.250'", 0.25), ("'BERT'", None), ("True", None), ("None", None), ("'nan'", None)],
)
def test_a_glued_text_is_a_number_or_none(shown, value):
    assert numbers.number(shown) == value


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """An executed notebook that glues a number, a text and a chart."""
    chart = {numbers.GLUED: "1", "application/papermill.record/text/html": "<p>"}
    glued = {"ew": {numbers.GLUED: "0.123456789"}, "model": {numbers.GLUED: "'gpt2'"}, "chart": chart}
    shown = nbformat.v4.new_output
    outputs = [shown("display_data", data, metadata={"scrapbook": {"name": name}}) for name, data in glued.items()]
    cell = nbformat.v4.new_code_cell("", outputs=outputs)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "03_table2.ipynb")
    monkeypatch.setattr(numbers, "notebook_names", lambda: ["03_table2"])
    return tmp_path


def test_a_version_is_recorded_from_the_executed_notebooks_of_the_default_profile(runs, monkeypatch):
    monkeypatch.delenv("PROFILE", raising=False)
    path = numbers.record(runs, runs)
    assert path.name == f"{__version__}.csv"
    assert path.read_text() == "notebook,name,value\n03_table2,ew,0.123457\n"
    assert numbers.changes(numbers.recorded(runs)[__version__], numbers.numbers(runs)).empty
    monkeypatch.setenv("PROFILE", "paper")
    with pytest.raises(SystemExit, match="default profile, not from paper"):
        numbers.record(runs, runs)


def test_the_current_version_has_its_numbers():
    found = numbers.recorded()
    assert __version__ in found, "make book, then python -m book.make.numbers --record"
    assert not any(table.duplicated(numbers.KEY).any() for table in found.values())


def test_the_corrections_are_the_claims_that_published_numbers_do_not_bear_out():
    claims = pd.DataFrame(
        {"claim": ["A", "B"], "verdict": [numbers.verdicts.FAILS, numbers.verdicts.HOLDS], "published": [13, 1],
         "measured": [10, 1], "cell": ["09_blimp#table-3", "03_table2"], "note": ["why", ""]}
    )  # fmt: skip
    page = numbers.corrections_page(claims)
    assert "| A (why) | 13 | 10 | [](../notebooks/09_blimp.ipynb) |" in page and "| B" not in page
