"""Exercises: every solution passes its check, every check fails without one, and learners get no solution."""

import re
from functools import cache

import nbformat
import pytest

from book.ext.tse_executed import with_prompts
from book.make import exercises
from book.make.exercises import chapters, learners_notebook, plain, read_chapter, skeleton

CHAPTERS = chapters()
EVERY = [(chapter, one) for chapter in CHAPTERS for one in chapter.exercises]
IN_CODE = [
    pytest.param(chapter.setup, one.solution, one.check, id=one.label)
    for chapter, one in EVERY
    if one.solution or one.check
]
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)


@cache
def prepared(setup):
    """What a chapter's exercise-setup defines; it runs once, and every run begins with a copy."""
    namespace = {"__name__": "exercise"}
    exec(compile(setup, "<setup>", "exec"), namespace)
    return namespace


def run(setup, *cells):
    """Run code cells one after the other, after the setup and on their own."""
    namespace = dict(prepared(setup))
    for number, cell in enumerate(cells):
        exec(compile(cell, f"<cell {number}>", "exec"), namespace)


@each_chapter
def test_a_chapter_asks_three_questions_or_more_from_easy_to_hard_of_code_and_of_thought(chapter):
    stars = [one.stars for one in chapter.exercises]
    assert len(stars) >= 3 and stars == sorted(stars) and set(stars) <= {1, 2, 3}
    assert sum(bool(one.solution) for one in chapter.exercises) >= 2
    assert any(one.discussion for one in chapter.exercises)
    for one in chapter.exercises:
        assert one.label.startswith(chapter.name[:2] + "-") and one.title.lstrip("★").startswith(" ")
        assert one.question and one.hint and "{dropdown}" not in one.question, one.label
        assert bool(one.solution) == bool(one.check) != bool(one.discussion), one.label
        assert [other.label for _, other in EVERY].count(one.label) == 1
    text = next(path for path in exercises.sources() if path.stem == chapter.name).read_text()
    section = text[text.index("# ## Exercises\n") :]
    words = " ".join(section[: section.index("# %%")].replace("#", "").split())
    assert words == (
        "Exercises ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers "
        f"<../_build/exercises/{chapter.name}.ipynb>`."
    )


@pytest.mark.parametrize(("setup", "solution", "check"), IN_CODE)
def test_a_solution_passes_its_check_alone_and_a_check_without_one_says_what_is_wrong(setup, solution, check, capsys):
    run(setup, solution, check)
    assert capsys.readouterr().out.strip(), "the check's last line says what is known now"
    with pytest.raises(AssertionError) as failure:
        run(setup, skeleton(solution, check), check)
    assert len(str(failure.value).split()) >= 3, "an assertion says in words what is wrong"


@each_chapter
def test_the_solutions_of_a_chapter_do_not_disturb_each_other(chapter):
    run(chapter.setup, *(cell for one in chapter.exercises for cell in (one.solution, one.check)))


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
    assert (one.label, one.stars, one.hint) == ("01-add", 2, "One and two.")
    *_, question, answer, check = (cell.source for cell in learners_notebook(chapter).cells)
    assert question == (
        "## ★★ Add\n\nGive `total` of the numbers.\n\n<details><summary>Hint</summary>\n\nOne and two.\n\n</details>"
    )
    assert answer == "# Your answer\ntotal = ..." and check == one.check


def test_a_folded_cell_says_what_it_hides():
    cells = [nbformat.v4.new_code_cell("", metadata={"tags": ["hide-cell", tag]}) for tag in ("solution", "other")]
    shown = nbformat.reads(with_prompts(nbformat.writes(nbformat.v4.new_notebook(cells=cells))), 4).cells
    assert shown[0].metadata["mystnb"]["code_prompt_show"] == "Solution" and "mystnb" not in shown[1].metadata


def test_words_of_the_book_become_plain_words_and_an_empty_answer_keeps_arguments_and_docstring_of_a_function():
    text = "{term}`pairs <minimal pair>` and {term}`MW`, see [Table 3](05_table3.ipynb) and [this](https://example.org)"
    assert plain(text) == "pairs and MW, see Table 3 and [this](https://example.org)"
    head = 'def mw(right, wrong=0.0):\n    """The share that is right."""\n    '
    assert skeleton(f"{head}return right / (right + wrong)\n", "assert mw(1) == 1") == f"{head}..."
