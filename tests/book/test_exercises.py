"""Exercises: every solution passes its check, every check fails without one, and learners get no solution."""

import re

import nbformat
import pytest

from book.make import NOTEBOOKS
from book.make.exercises import CHECK, SETUP, SOLUTION, chapters, learners_notebook, skeleton

each_chapter = pytest.mark.parametrize("name", chapters())


def tagged(name: str, tag: str) -> list[str]:
    """The code of a chapter's cells with this tag, in order."""
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4).cells
    return [cell.source for cell in cells if tag in cell.metadata.get("tags", [])]


@pytest.mark.slow
@each_chapter
def test_a_solution_passes_its_check_alone_and_a_check_without_one_says_what_is_wrong(name, capsys):
    prepared = {"__name__": "exercise"}
    exec(tagged(name, SETUP)[0], prepared)
    for solution, check in zip(tagged(name, SOLUTION), tagged(name, CHECK), strict=True):
        capsys.readouterr()
        exec(f"{solution}\n{check}", dict(prepared))
        assert capsys.readouterr().out.strip(), (
            f"the check's last line says what is known now:\n{check}"
        )
        with pytest.raises(AssertionError) as failure:
            exec(f"{skeleton(solution, check)}\n{check}", dict(prepared))
        assert " " in str(failure.value), f"an assertion says in words what is wrong:\n{check}"


@each_chapter
def test_a_learners_notebook_is_valid_and_holds_every_question_and_no_solution(name):
    notebook, chapter = learners_notebook(name), (NOTEBOOKS / f"{name}.py").read_text()
    nbformat.validate(notebook)
    text = "\n".join(cell.source for cell in notebook.cells)
    solutions, checks = tagged(name, SOLUTION), tagged(name, CHECK)
    assert all(check in text for check in checks)
    assert all(f"## {title}\n" in text for title in re.findall(r"\{exercise\} (.+)", chapter))
    assert text.count("our answer") == len(solutions) + chapter.count("# ```{solution}")
    left = [skeleton(solution, check) for solution, check in zip(solutions, checks, strict=True)]
    discussions = re.findall(r"^# ```\{solution\}.*?^# ```$", chapter, re.DOTALL | re.MULTILINE)
    given = "\n".join([*tagged(name, SETUP), *checks, *left])
    hidden = [
        line.removeprefix("# ")
        for block in [*solutions, *discussions]
        for line in block.splitlines()
    ]
    assert not [line for line in hidden if len(line) > 40 and line not in given and line in text]
    words = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert not re.search(r"\{[\w:]+\}`|```\{|\.ipynb\)", words), (
        "nothing that only the book understands"
    )


def test_the_grammar_that_an_exercise_quotes_makes_the_pairs_that_it_says():
    prepared = {"__name__": "exercise"}
    exec(tagged("data", SETUP)[0], prepared)
    cells = learners_notebook("data").cells
    [quoting] = [cell.source for cell in cells if "```yaml" in cell.source]
    [grammar] = re.findall(r"```yaml\n(.*?)```", quoting, re.DOTALL)
    pairs = prepared["pairs_of"](grammar)
    assert "eight pairs" in quoting and len(pairs) == 8
    assert "*the baker waits today* with *the baker wait today*" in quoting
    said = pairs.query("correct == 'waits' and wrong == 'wait'")
    assert "the baker" in set(said["left"].str.strip())
    assert "today" in set(said["right"].str.strip())
