"""The pages are built again when what they are made of has changed; the status page tells what the build recorded."""

import io
import json

import pandas as pd
import pytest
from doit.task import Task

from book.make import html, reporter
from book.make.reporter import StepReporter, step_times
from book.make.status import run_times, scoring_runs, stage_times, tables, versions


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in ("book/index.md", "src/tse_core/errors.py", "_build/runs/01_data.ipynb", "_build/html/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    monkeypatch.setattr(html, "ROOT", tmp_path)
    monkeypatch.setattr(html, "BUILD", tmp_path / "_build")
    return tmp_path


def test_a_change_counts_where_pages_read(tree):
    pages = ["book/index.md", "book/new.md", "src/tse_core/errors.py", "_build/runs/01_data.ipynb"]
    for name in [*pages, "_build/html/index.html", "src/tse_core/__pycache__/errors.pyc"]:
        before = html.state()
        (tree / name).parent.mkdir(exist_ok=True)
        assert html.state() == before
        (tree / name).write_text("another text")
        assert (html.state() != before) == (name in pages), name


def test_what_stops_the_book_is_told_without_its_traceback():
    said = "Running\n\x1b[91mSphinx error:\x1b[39;49;00m\nProvider not recognized\nTraceback (most recent call last):\n"
    said += "".join(f"  line {i}\n" for i in range(30))
    assert html.reason(said) == "the book cannot be built:\n  Provider not recognized"
    warned = html.reason(f"{said}{html.ROOT}/book/a.md:3: WARNING: unknown\n")
    assert warned == "the book has warnings, which count as errors:\n  book/a.md:3: WARNING: unknown"
    assert html.reason(said.replace("Sphinx", "Other")).splitlines()[-1] == "    line 29"


def test_run_times_are_in_the_books_order_with_their_sum(tmp_path):
    for name, seconds in (("03_table2", 2.5), ("01_data", 4.0)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"notebook": name, "seconds": seconds}))
    found = run_times(["01_data", "02_methods", "03_table2"], tmp_path)
    titles = ["Data: sentences and verbs", "Methods: TSE, EW and MW by hand", "Table 2: ten rows, three scores"]
    assert found["Notebook"].tolist() == [*titles, "All"]
    assert found["Seconds"].fillna(-1).tolist() == [4.0, -1, 2.5, 6.5]


def test_scoring_runs_carry_their_signatures(tmp_path):
    record = {"model": "m", "data": "d", "lemmas": "l", "protocol": "exact", "seconds": 3}
    (tmp_path / "m.json").write_text(json.dumps(record | {"signature": "m@1 d@2 | exact"}))
    (row,) = scoring_runs(tmp_path).to_dict("records")
    assert (row["Model"], row["Signature"]) == ("m", "m@1 d@2 | exact")
    assert scoring_runs(tmp_path / "nothing").empty


def test_versions_are_those_installed():
    found = versions().set_index("What")["Version"]
    assert found["pandas"] == pd.__version__
    assert all(text.startswith("<table") for text in tables().values())


def test_stages_are_the_sums_of_their_steps():
    found = stage_times({"notebook:a": 1.5, "html": 30.0, "notebook:b": 2.0, "score:m": 4.0, "unheard-of": 1.0})
    assert [tuple(row[1:]) for row in found.itertuples(index=False)] == [(1, 4.0), (2, 3.5), (1, 30.0)]
    assert found["Stage"].tolist()[:2] == ["score the models", "execute the notebooks"]


def test_the_reporter_keeps_what_a_step_took(tmp_path, monkeypatch):
    monkeypatch.setattr(reporter, "STEPS", tmp_path / "steps.json")
    (tmp_path / "steps.json").write_text("damaged")
    said = StepReporter(io.StringIO(), {})
    for name in ("notebook:a", "html"):
        task = Task(name, ["true"])
        said.execute_task(task)
        said.add_success(task)
    assert step_times().keys() == {"notebook:a", "html"} and all(0 <= s < 60 for s in step_times().values())
