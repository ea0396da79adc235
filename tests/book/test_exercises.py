"""Exercises: every solution passes its check, every check fails without one, and learners get no solution."""

import re

import nbformat
import pytest

from book.make.exercises import chapters, learners_notebook, read_chapter, skeleton

CHAPTERS = chapters()
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)


def run(prepared, *cells):
    """Run code cells one after the other in a copy of what the set-up defines."""
    namespace = dict(prepared)
    for number, cell in enumerate(cells):
        exec(compile(cell, f"<cell {number}>", "exec"), namespace)


@each_chapter
def test_a_solution_passes_its_check_alone_and_a_check_without_one_says_what_is_wrong(chapter, capsys):
    prepared = {"__name__": "exercise"}
    exec(compile(chapter.setup, "<setup>", "exec"), prepared)
    for one in chapter.exercises:
        if not one.check:
            continue
        capsys.readouterr()
        run(prepared, one.solution, one.check)
        assert capsys.readouterr().out.strip(), f"{one.label}: the check's last line says what is known now"
        with pytest.raises(AssertionError) as failure:
            run(prepared, skeleton(one.solution, one.check), one.check)
        assert len(str(failure.value).split()) >= 3, f"{one.label}: an assertion says in words what is wrong"


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


def test_a_cell_becomes_a_question_with_a_hint_and_an_empty_answer(tmp_path):
    source = tmp_path / "01_data.py"
    source.write_text(
        "# %% [markdown]\n# # Data\n\n"
        '# %% tags=["exercise-setup"]\nnumbers = [1, 2]\n\n'
        "# %% [markdown]\n# ````{exercise} ★★ Add\n# :label: 01-add\n#\n# Give `total` of the {term}`numbers <n>`.\n#\n"
        "# ```{dropdown} Hint\n# One and two.\n# ```\n# ````\n\n"
        '# %% tags=["hide-cell", "solution"]\nextra = 0\ntotal = sum(numbers) + extra\n\n'
        '# %% tags=["hide-cell", "check"]\nassert total == 3, "it should be the sum"\n'
    )
    chapter = read_chapter(source)
    [one] = chapter.exercises
    assert (one.label, one.title, one.hint) == ("01-add", "★★ Add", "One and two.")
    *_, question, answer, check = (cell.source for cell in learners_notebook(chapter).cells)
    assert question.startswith("## ★★ Add\n\nGive `total` of the numbers.\n") and "\n\nOne and two.\n\n" in question
    assert answer == "# Your answer\ntotal = ..." and check == one.check
