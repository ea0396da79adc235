"""Exercises: every solution passes its check, every check fails without one, and learners get no solution."""

import re

import nbformat
import pytest

from book.make.exercises import chapters, learners_notebook, skeleton

CHAPTERS = chapters()
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)


@each_chapter
def test_a_solution_passes_its_check_alone_and_a_check_without_one_says_what_is_wrong(chapter, capsys):
    prepared = {"__name__": "exercise"}
    exec(chapter.setup, prepared)
    for one in (one for one in chapter.exercises if one.check):
        capsys.readouterr()
        exec(f"{one.solution}\n{one.check}", dict(prepared))
        assert capsys.readouterr().out.strip(), f"{one.label}: the check's last line says what is known now"
        with pytest.raises(AssertionError) as failure:
            exec(f"{skeleton(one.solution, one.check)}\n{one.check}", dict(prepared))
        assert " " in str(failure.value), f"{one.label}: an assertion says in words what is wrong"


@each_chapter
def test_a_learners_notebook_is_valid_and_holds_every_question_and_no_solution(chapter):
    notebook = learners_notebook(chapter)
    nbformat.validate(notebook)
    given = "\n".join([chapter.setup, *(one.check for one in chapter.exercises)])
    text = "\n".join(cell.source for cell in notebook.cells)
    for one in chapter.exercises:
        assert one.title in text and one.check in text
        hidden = [*one.solution.splitlines(), *one.discussion.splitlines()]
        left = skeleton(one.solution, one.check) if one.solution else ""
        assert not [line for line in hidden if len(line) > 40 and line not in given + left and line in text]
    words = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert not re.search(r"\{[\w:]+\}`|```\{|\.ipynb\)", words), "nothing that only the book understands"
