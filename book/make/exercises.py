"""Exercises without their solutions: for every chapter a notebook of questions, empty cells and checks, to work in.

A chapter's source holds an exercise as a cell with the question and, for a question of code, a cell tagged ``solution``
and one tagged ``check``. The learner's notebook keeps question and check; the solution becomes the names it must give.
"""

import ast
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.make import BUILD
from book.make.pair import install_cell, sources

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


@dataclass(frozen=True)
class Exercise:
    """One question: `solution` and `check` are code, `discussion` is prose; a question has either."""

    label: str
    title: str
    question: str
    hint: str
    discussion: str = ""
    solution: str = ""
    check: str = ""


@dataclass(frozen=True)
class Chapter:
    """A notebook's exercises, and the cell that they all need."""

    name: str
    title: str
    setup: str
    exercises: tuple[Exercise, ...]


def chapters() -> list[Chapter]:
    """Every notebook that has exercises, in order."""
    found = (read_chapter(path) for path in sources())
    return [chapter for chapter in found if chapter.setup]


def read_chapter(path: Path) -> Chapter:
    cells = jupytext.read(path).cells
    title = next(line for line in cells[0].source.splitlines() if line.startswith("# ")).removeprefix("# ")
    setup, parts = "", []
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if SETUP in tags:
            setup = cell.source
        elif setup and (match := QUESTION.search(cell.source)):
            hint, discussion = HINT.search(match[3]), DISCUSSION.search(cell.source)
            parts.append(
                {
                    "title": match[1],
                    "label": match[2],
                    "question": HINT.sub("", match[3]).strip(),
                    "hint": hint[1].strip() if hint else "",
                    "discussion": discussion[2].strip() if discussion else "",
                }
            )
        elif setup and (kind := {"solution", "check"} & set(tags)):
            parts[-1][kind.pop()] = cell.source
    return Chapter(path.stem, title, setup, tuple(Exercise(**part) for part in parts))


def learners_notebook(chapter: Chapter):
    """Set-up, questions with hints, an empty cell for each answer, checks; no solutions."""
    cells = [
        new_markdown_cell(OPENING.format(title=chapter.title), id="opening"),
        new_code_cell(install_cell().split("\n", 1)[1].rstrip("\n"), id="install", metadata={"tags": ["install"]}),
        new_code_cell(chapter.setup, id=SETUP, metadata={"tags": [SETUP]}),
    ]
    for one in chapter.exercises:
        hint = f"<details><summary>Hint</summary>\n\n{plain(one.hint)}\n\n</details>"
        question = f"## {one.title}\n\n{plain(one.question)}\n\n{hint}"
        cells.append(new_markdown_cell(question, id=f"{one.label}-question"))
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
            lines[statement.name] = empty_function(statement)
        elif isinstance(statement, ast.Assign):
            made = (node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name))
            lines |= {name: f"{name} = ..." for name in made if name in asked}
    return "\n".join(lines.values())


def empty_function(function: ast.FunctionDef) -> str:
    says = ast.get_docstring(function)
    head = f"def {function.name}({ast.unparse(function.args)}):"
    return "\n".join([head, *([f'    """{says}"""'] if says else []), "    ..."])


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
