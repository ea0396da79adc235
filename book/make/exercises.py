"""Exercises without their solutions: for every chapter a notebook of questions, empty cells and checks, to work in.

A chapter holds an exercise as a cell with the question and, for a question of code, a cell tagged ``solution`` and
one tagged ``check`` right below it. In the learner's notebook the solution becomes the names it must give.
"""

import ast
import re
import zipfile

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from book.make import BUILD, NOTEBOOKS

EXERCISES = BUILD / "exercises"
ARCHIVE = EXERCISES / "exercises.zip"
SETUP, SOLUTION, CHECK = "exercise-setup", "solution", "check"
QUESTION = re.compile(r"^````\{exercise\} (.+)\n:label: \S+\n(.*?)^````$", re.DOTALL | re.MULTILINE)
DISCUSSION = re.compile(r"^```\{solution\} ", re.MULTILINE)  # of a question whose answer is prose
PLAIN = (  # Markdown for any notebook: roles as the words they show, links inside the book without their target
    (re.compile(r"^```\{dropdown\} Hint\n(.*?)^```$", re.DOTALL | re.MULTILINE),
     r"<details><summary>Hint</summary>\n\n\1\n</details>"),
    (re.compile(r"\{[\w:]+\}`([^`<]*?)(?: ?<[^`>]*>)?`"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\((?!http)[^)]*\)"), r"\1"),
)  # fmt: skip
OPENING = """\
# Exercises: {title}

Run the next two cells, then write into the empty ones. The cell below an answer says whether it is right, and if not,
what is wrong. ★ takes minutes, ★★ some thought, ★★★ a small study. The chapter itself has the solutions."""


def chapters() -> list[str]:
    """The names of the notebooks that have exercises, in order."""
    return sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb") if f'"{SETUP}"' in path.read_text())


def learners_notebook(name: str):
    """Set-up, questions with hints, an empty cell for each answer, checks; no solutions."""
    chapter = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4).cells
    title = re.search(r"^# (.+)", chapter[0].source, re.MULTILINE)[1]
    cells = [new_markdown_cell(OPENING.format(title=title), id="opening")]
    for cell, below in zip(chapter, [*chapter[1:], None], strict=True):
        tags = {"install", SETUP, SOLUTION, CHECK} & set(cell.metadata.get("tags", []))
        cell.metadata = {"tags": sorted(tags)}
        if SOLUTION in tags:
            cell.source = f"# Your answer\n{skeleton(cell.source, below.source)}"
        if tags:
            cells.append(cell)
        elif question := QUESTION.search(cell.source):
            cells.append(new_markdown_cell(f"## {question[1]}\n\n{plain(question[2])}", id=cell.id))
            if DISCUSSION.search(cell.source):
                cells.append(new_markdown_cell("*Your answer:*", id=f"{cell.id}-answer"))
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
    for pattern, instead in PLAIN:
        text = pattern.sub(instead, text)
    return text.strip()


def write() -> None:
    """The notebooks, and all of them in one archive; equal sources give equal files."""
    EXERCISES.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for name in chapters():
            content = nbformat.writes(learners_notebook(name)) + "\n"
            (EXERCISES / f"{name}.ipynb").write_text(content, encoding="utf-8")
            archive.writestr(zipfile.ZipInfo(f"exercises/{name}.ipynb"), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    write()
