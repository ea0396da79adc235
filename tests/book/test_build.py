"""What the build's steps make: the tables that the book offers, the living page's engine and facts, pages anew."""

import json
import re

import pandas as pd
import pytest

from book.make import ROOT, downloads, html, inputs, live, live_pages
from tse_core import InputError, load_model
from tse_core.results.tidy import TIDY_COLUMNS, read_results

# The tables


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder that the step writes, with a store that is empty."""
    folder = tmp_path_factory.mktemp("downloads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloads, "store_folder", lambda: folder / "store")
        downloads.build(folder)
    return folder


@pytest.mark.slow
def test_parquet_and_csv_hold_the_same_rows_in_the_columns_that_the_page_explains(written):
    parquet, csv = (
        pd.read_parquet(written / "measured.parquet"),
        pd.read_csv(written / "measured.csv"),
    )
    explained = re.findall(
        r"^\| `(\w+)` \|", (ROOT / "book" / "related.md").read_text(), re.MULTILINE
    )
    assert list(parquet) == list(csv) == explained
    assert len(parquet) == len(csv) > 0
    for column in parquet.select_dtypes("number"):
        pd.testing.assert_series_equal(parquet[column], csv[column], check_dtype=False)


@pytest.mark.slow
def test_measured_scores_are_a_results_file_without_time_or_place(written):
    table = read_results(written / "measured.parquet")
    assert list(table) == TIDY_COLUMNS
    assert (table["signature"].str.count(r"\|") == 1).all()
    shares = pd.read_parquet(written / "measured.parquet", columns=["score", "low", "high"])
    assert ((shares["low"].isna()) | (shares["low"] <= shares["score"] + 1e-9)).all()


# The living page


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The step writes into a folder of its own."""
    monkeypatch.setattr(live, "LIVE", tmp_path)
    monkeypatch.setattr(live, "STATIC", tmp_path / "static" / "live")
    monkeypatch.setattr(live, "FACTS", tmp_path / "static" / "live" / "facts.json")
    return tmp_path


@pytest.mark.slow
def test_without_the_engine_the_book_has_recorded_examples_and_one_warning(
    place, monkeypatch, capsys
):
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9")
    live.write()
    said = capsys.readouterr().out
    assert said.startswith(
        "WARNING: the book is built without its living model, with recorded examples instead: "
    )
    assert json.loads(live.FACTS.read_text())["model"]["file"] is None and not live.complete()


def test_another_archive_than_the_pinned_one_is_refused(place, monkeypatch):
    (place / "npm").write_text("#!/bin/sh\n: >other.tgz\n")
    (place / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(place))
    with pytest.raises(InputError, match="is not the pinned one"):
        live.engine_files(place / "engine")
    assert not (place / "engine").exists()


def test_examples_show_text_as_text():
    example = {"left": "<b>", "number": "plural", "ew": 0.5, "mw": 0.5, "verbs": 2,
               "top": [{"token": " <i>", "p": 0.25, "form": "other"}]}  # fmt: skip
    html = live_pages.example(example)
    assert "&lt;b&gt;" in html and "␣&lt;i&gt;" in html and "25.00%" in html


@pytest.mark.slow
def test_the_recorded_examples_are_what_the_package_computes(real_model):
    from book.make.facts import recorded_examples

    model = load_model(real_model)
    computed, recorded = recorded_examples(model), live_pages.recorded()["examples"]
    for one, other in zip(computed, recorded, strict=True):
        assert (one["left"], one["verbs"]) == (other["left"], other["verbs"])
        assert [one[score] for score in ("ew", "mw")] == pytest.approx(
            [other["ew"], other["mw"]], abs=0.003
        )
        assert [entry["token"] for entry in one["top"][:3]] == [
            entry["token"] for entry in other["top"][:3]
        ]


# Pages


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in (
        "book/index.md",
        "src/tse_core/errors.py",
        "_build/runs/data.ipynb",
        "_build/html/index.html",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    monkeypatch.setattr(html, "ROOT", tmp_path)
    monkeypatch.setattr(inputs, "ROOT", tmp_path)
    monkeypatch.setattr(html, "BUILD", tmp_path / "_build")
    return tmp_path


def test_a_change_counts_where_pages_read(tree):
    pages = ["book/index.md", "book/new.md", "src/tse_core/errors.py", "_build/runs/data.ipynb"]
    for name in [*pages, "_build/html/index.html", "src/tse_core/__pycache__/errors.pyc"]:
        before = html.state()
        (tree / name).parent.mkdir(exist_ok=True)
        assert html.state() == before
        (tree / name).write_text("another text")
        assert (html.state() != before) == (name in pages), name
