"""Exercises without their solutions: for every chapter a notebook of questions, empty cells and checks, to work in.

A chapter holds an exercise as a cell with the question and, for a question of code, a cell tagged ``solution`` and
one tagged ``check`` right below it. In the learner's notebook the solution becomes the names it must give.
"""

import ast

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from book.make import EXERCISES, NOTEBOOKS
from book.make.edition import KERNEL, archive, install_cell
from book.make.plain import directives, plain, title_of

SETUP, SOLUTION, CHECK = "exercise-setup", "solution", "check"
OPENING = """\
# Exercises: {title}

Run the next two cells, then write into the empty ones. The cell below an answer says whether it is right, and if not,
what is wrong. ★ takes minutes, ★★ some thought, ★★★ a small study. The chapter itself has the solutions."""


def chapters() -> list[str]:
    """The names of the notebooks that have exercises, in order."""
    return sorted(
        path.stem for path in NOTEBOOKS.glob("*.ipynb") if f'"{SETUP}"' in path.read_text()
    )


def learners_notebook(name: str):
    """Set-up, questions with hints, an empty cell for each answer, checks; no solutions."""
    chapter = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4).cells
    title = title_of(f"notebooks/{name}.html")
    cells = [new_markdown_cell(OPENING.format(title=title), id="opening")]
    for cell, next_cell in zip(chapter, [*chapter[1:], None], strict=True):
        tags = {"install", SETUP, SOLUTION, CHECK} & set(cell.metadata.get("tags", []))
        cell.metadata = {"tags": sorted(tags)}
        if SOLUTION in tags:
            cell.source = f"# Your answer\n{skeleton(cell.source, next_cell.source)}"
        if "install" in tags:
            cell.source = install_cell(cell.source)
        if tags:
            cells.append(cell)
        elif cell.cell_type == "markdown":
            cells += question_cells(cell)
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def question_cells(cell) -> list:
    """The question of a chapter's cell, and an empty cell for an answer where its solution is prose."""
    of_kind = {directive.name: directive for directive in directives(cell.source)}
    if "exercise" not in of_kind:
        return []
    question = of_kind["exercise"]
    cells = [new_markdown_cell(f"## {plain(question.title)}\n\n{plain(question.body)}", id=cell.id)]
    if "solution" in of_kind:
        cells.append(new_markdown_cell("*Your answer:*", id=f"{cell.id}-answer"))
    return cells


def skeleton(solution: str, check: str) -> str:
    """What an answer has to give: the names that the solution makes and the check reads, without their values."""
    names_in_check = _names(ast.parse(check))
    lines = {}
    for statement in ast.parse(solution).body:
        if isinstance(statement, ast.FunctionDef) and statement.name in names_in_check:
            docstring = ast.get_docstring(statement)
            body = [docstring, ...] if docstring else [...]
            statement.body = [ast.Expr(ast.Constant(value)) for value in body]
            lines[statement.name] = ast.unparse(statement)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                for name in _names(target):
                    if name in names_in_check:
                        lines[name] = f"{name} = ..."
    return "\n".join(lines.values())


def _names(code: ast.AST) -> list[str]:
    """The names that stand in some code, in its order."""
    return [node.id for node in ast.walk(code) if isinstance(node, ast.Name)]


def write() -> None:
    """The notebooks, and all of them in one archive; equal sources give equal files."""
    EXERCISES.mkdir(parents=True, exist_ok=True)
    texts = {name: nbformat.writes(learners_notebook(name)) + "\n" for name in chapters()}
    for name, text in texts.items():
        (EXERCISES / f"{name}.ipynb").write_text(text, encoding="utf-8")
    archive(EXERCISES / "exercises.zip", texts)


if __name__ == "__main__":
    write()
