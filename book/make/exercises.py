"""Exercises without their solutions: for every chapter a notebook of questions, empty cells and checks, to work in.

A chapter's source holds an exercise as a cell with the question and, for a question of code, a cell tagged ``solution``
and one tagged ``check``. The learner's notebook keeps question and check; the solution becomes the names it must give.
"""

import ast
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import jupytext
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.make import BUILD
from book.make.pair import install_source, sources

EXERCISES = BUILD / "exercises"
ARCHIVE = EXERCISES / "exercises.zip"
SETUP = "exercise-setup"
QUESTION = re.compile(r"^````\{exercise\} (.+)\n:label: (\S+)\n(.*?)^````$", re.DOTALL | re.MULTILINE)
HINT = re.compile(r"^```\{dropdown\} Hint\n(.*?)^```$", re.DOTALL | re.MULTILINE)
DISCUSSION = re.compile(r"^```\{solution\} (\S+)\n:class: dropdown\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ROLE = re.compile(r"\{[\w:]+\}`([^`<]*?)(?: ?<[^`>]*>)?`")
LINK = re.compile(r"\[([^\]]+)\]\((?!http)[^)]*\)")
OPENING = """\
# Exercises: {title}

Run the next two cells, then write into the empty ones. The cell below an answer says whether it is right, and if not,
what is wrong. ★ takes minutes, ★★ some thought, ★★★ a small study. The chapter itself has the solutions."""


@dataclass
class Exercise:
    """One question, with its hint: `solution` and `check` are code, `discussion` is prose; a question has either."""

    label: str
    title: str
    question: str
    discussion: str = ""
    solution: str = ""
    check: str = ""


@dataclass
class Chapter:
    """A notebook's exercises, and the cell that they all need."""

    name: str
    title: str
    setup: str = ""
    exercises: list[Exercise] = field(default_factory=list)


def chapters() -> list[Chapter]:
    """Every notebook that has exercises, in order."""
    return [chapter for chapter in map(read_chapter, sources()) if chapter.setup]


def read_chapter(path: Path) -> Chapter:
    cells = jupytext.read(path).cells
    chapter = Chapter(path.stem, re.search(r"^# (.+)", cells[0].source, re.MULTILINE)[1])
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if SETUP in tags:
            chapter.setup = cell.source
        elif chapter.setup and (match := QUESTION.search(cell.source)):
            question = HINT.sub(r"<details><summary>Hint</summary>\n\n\1\n</details>", match[3]).strip()
            discussion = DISCUSSION.search(cell.source)
            chapter.exercises.append(Exercise(match[2], match[1], plain(question), discussion[2] if discussion else ""))
        elif chapter.setup and (kind := {"solution", "check"} & set(tags)):
            setattr(chapter.exercises[-1], kind.pop(), cell.source)
    return chapter


def learners_notebook(chapter: Chapter):
    """Set-up, questions with hints, an empty cell for each answer, checks; no solutions."""
    cells = [
        new_markdown_cell(OPENING.format(title=chapter.title), id="opening"),
        new_code_cell(install_source(), id="install", metadata={"tags": ["install"]}),
        new_code_cell(chapter.setup, id=SETUP, metadata={"tags": [SETUP]}),
    ]
    for one in chapter.exercises:
        cells.append(new_markdown_cell(f"## {one.title}\n\n{one.question}", id=f"{one.label}-question"))
        if one.check:
            answer = f"# Your answer\n{skeleton(one.solution, one.check)}"
            cells.append(new_code_cell(answer, id=f"{one.label}-answer"))
            cells.append(new_code_cell(one.check, id=f"{one.label}-check", metadata={"tags": ["check"]}))
        else:
            cells.append(new_markdown_cell("*Your answer:*", id=f"{one.label}-answer"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def skeleton(solution: str, check: str) -> str:
    """What an answer has to give: the names that the solution makes and the check reads, without their values."""
    asked = {node.id for node in ast.walk(ast.parse(check)) if isinstance(node, ast.Name)}
    lines = {}
    for statement in ast.parse(solution).body:
        if isinstance(statement, ast.FunctionDef) and statement.name in asked:
            says = ast.get_docstring(statement)
            statement.body = [ast.Expr(ast.Constant(text)) for text in ([says, ...] if says else [...])]
            lines[statement.name] = ast.unparse(statement)
        elif isinstance(statement, ast.Assign):
            made = (node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name))
            lines |= {name: f"{name} = ..." for name in made if name in asked}
    return "\n".join(lines.values())


def plain(text: str) -> str:
    """Markdown for any notebook: roles as the words they show, links inside the book without their target."""
    return LINK.sub(r"\1", ROLE.sub(r"\1", text))


def write() -> None:
    """The notebooks, and all of them in one archive; equal sources give equal files."""
    EXERCISES.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for chapter in chapters():
            content = nbformat.writes(learners_notebook(chapter)) + "\n"
            (EXERCISES / f"{chapter.name}.ipynb").write_text(content, encoding="utf-8")
            archive.writestr(zipfile.ZipInfo(f"exercises/{chapter.name}.ipynb"), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    write()
