"""Every chapter of the built book, and those that take models once more without the real one: what they say holds."""

import json
import multiprocessing
import os
import re

import nbformat
import numpy as np
import pytest

from book.make import NOTEBOOKS, RUNS, forks
from book.make import execute as build
from book.make.profile import load_profile, notebook_names
from tse_book.pages.notebook import NOTHING

pytestmark = pytest.mark.slow
LABORATORY = ["lab-systematic-causal", "lab-lexical-causal"]
CHAPTERS = ["table2", "table3", "blimp", "real_sentences"]
PROGRESS = re.compile(r".*: +\d+%\|.*")  # the bar of what takes longer than half a second
TAGS = re.compile(r"<(style|script).*?</\1>|<[^>]+>", re.DOTALL)


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def charts(notebook) -> list[tuple[str, str]]:
    """What the titles, subtitles and the description of each chart say, and its data as text."""
    found = []
    for output in outputs(notebook):
        html = output.get("data", {}).get("text/html", "")
        for spec in re.findall(r'\)\((\{"config".*?\}), \{"mode"', html, re.DOTALL):
            chart = json.loads(spec)
            data = json.dumps(chart.pop("datasets", {}), ensure_ascii=False)
            found.append((" ".join([chart.get("description", ""), *titles(chart)]), data))
    return found


def titles(part) -> list[str]:
    """The titles and subtitles of a chart and of its panels, from its specification."""
    if isinstance(part, list):
        return [text for each in part for text in titles(each)]
    if not isinstance(part, dict):
        return []
    own = part.get("title") if isinstance(part.get("title"), dict) else {}
    texts = [" ".join(np.atleast_1d(own[key])) for key in ("text", "subtitle") if key in own]
    return texts + [text for each in part.values() for text in titles(each)]


def words(notebook) -> str:
    """All that the cells show in words: titles of charts, tables, sentences."""
    shown = [title for title, _ in charts(notebook)]
    for output in outputs(notebook):
        html = output.get("data", {}).get("text/html", "")
        shown += [output.get("text", ""), output.get("data", {}).get("text/markdown", "")]
        shown += [] if "altair-viz" in html else [TAGS.sub(" ", html)]
    return " ".join(shown)


def holds_together(notebook):
    """No error or warning, every number of the prose computed, no empty value, no comparison with what is not drawn."""
    assert not build.stored_errors(notebook)
    said = build.drop_stderr(notebook).splitlines()
    assert not [line for line in said if line.strip() and not PROGRESS.fullmatch(line)]
    glued = {output.metadata["scrapbook"]["name"]: output.data for output in outputs(notebook)
             if "scrapbook" in output.get("metadata", {})}  # fmt: skip
    prose = " ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert set(re.findall(r"\{glue:text\}`([^`:]+)", prose)) <= set(glued)
    assert not re.search(
        r"\b(nan|inf|NaN)\b", f"{words(notebook)} {json.dumps(list(glued.values()))}"
    )
    for title, data in charts(notebook):
        assert "hollow:" not in title or '"beside"' in data, (
            f"{title!r} speaks of points that are not drawn"
        )
        if re.search(r"-\w+ leads|does best|ranks first", title):
            assert len(set(re.findall(r'"model": "([^"]+)"', data))) > 1, (
                f"{title!r} compares one model with none"
            )


@pytest.mark.parametrize("name", notebook_names())
def test_a_chapter_of_the_built_book_holds(name):
    built = RUNS / f"{name}.ipynb"
    if not built.exists() and not os.environ.get("CI"):
        pytest.skip("the book is not built: make book")
    holds_together(nbformat.read(built, 4))


def without_the_real_model(name, target, store):
    os.environ["TSE_STORE"] = str(store)
    if forks.FORK:
        forks.fork_kernels()
    one_text = ", ".join(LABORATORY)  # as `papermill -p` hands it over
    build.run(NOTEBOOKS / f"{name}.ipynb", target, {"models": one_text})


@pytest.fixture(scope="module")
def processes():
    """Processes that begin with what chapters import."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["book.make.execute", *forks.SHARED])
    return context.Process


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_holds_with_no_real_model(name, tmp_path, results, processes):
    target = tmp_path / f"{name}.ipynb"
    run = processes(target=without_the_real_model, args=(name, target, results))
    run.start()
    run.join()
    assert run.exitcode == 0
    holds_together(notebook := nbformat.read(target, 4))
    said, [real] = words(notebook), load_profile("default")["optional"]
    if "\nrecorded = " not in (NOTEBOOKS / f"{name}.py").read_text():
        assert f"built without {real}" in said or NOTHING in said
        assert not [title for title, _ in charts(notebook) if real in title]
