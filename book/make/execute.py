"""Run one notebook and keep a copy that is the same, byte for byte, whenever code, data and parameters are the same."""

import os
import re
import sys

import nbformat
import papermill

from book.make import BUILD, NOTEBOOKS, RUNS, fail
from book.make.forks import FORK, fork_kernels
from book.make.guards import with_guards
from book.make.profile import load_profile, parameters

CHART = re.compile(r"altair-viz-[0-9a-f]{32}")  # differs between two equal runs

PROMPTS = {
    "exercise-setup": "Set-up",
    "solution": "Solution",
    "check": "Check",
}  # on folded cells, by their tags


def execute(name: str) -> None:
    """Run notebooks/<name>.ipynb with the profile's parameters into _build/runs."""
    source, target, draft = (
        NOTEBOOKS / f"{name}.ipynb",
        RUNS / f"{name}.ipynb",
        BUILD / "drafts" / f"{name}.ipynb",
    )
    if not source.exists():
        raise fail(
            f"notebooks/{name}.ipynb is missing: make notebooks-sync writes it from {name}.py"
        )
    given = chosen_parameters(name)
    for folder in (draft.parent, RUNS):
        folder.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    os.environ |= {
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "PYTHONWARNINGS": "ignore:IProgress not found",
        "TSE_BOOK": "../",  # the book's pages, from the folder of a chapter
    }
    notebook = run(source, draft, given)
    if errors := stored_errors(notebook):
        raise fail(f"{name}: {errors[0]}\nthe notebook as far as it came: {draft}")
    if warnings := drop_stderr(notebook):
        print(f"{name} warned:\n{warnings}", file=sys.stderr)
    draft.write_text(clean(notebook, name))
    draft.replace(target)


def chosen_parameters(name: str, profile: str | None = None) -> dict:
    """What a profile, by default the build's, gives notebooks/<name>.ipynb: papermill's parameters."""
    cells = papermill.inspect_notebook(str(NOTEBOOKS / f"{name}.ipynb"))
    known = {key: cell["default"] for key, cell in cells.items()}
    return parameters(name, known, load_profile(profile))


def run(source, draft, given):
    """Papermill, quietly, with the guards. A kernel that does not come up (two can pick one port) gets a second try."""
    how = {
        "parameters": given,
        "cwd": str(NOTEBOOKS),
        "progress_bar": False,
        "record_timing": False,
    }
    how |= {"execution_timeout": 3600, "start_timeout": 120, "extra_arguments": ["--log-level=40"]}

    def once():
        return papermill.execute_notebook(with_guards(source.stem), str(draft), **how)

    try:
        try:
            return once()
        except RuntimeError:
            return once()
    except papermill.PapermillExecutionError as error:
        said = re.sub(
            r"\x1b\[[0-9;]*m", "", f"cell {error.cell_index}: {error.ename}: {error.evalue}"
        ).strip()
        raise fail(f"{source.stem}, {said}\nthe notebook as far as it came: {draft}") from None


def with_values(defaults: str, given: str) -> str:
    """The cell of the defaults with the given values in their places and its own comments: what the page shows.

    >>> with_values("rows = ['a']  # of the table\\nn = 3\\n", "# Parameters\\nrows = ['b', 'c']")
    "rows = ['b', 'c']  # of the table\\nn = 3\\n"
    """
    for name, value in re.findall(r"^(\w+) = (.+)$", given, re.MULTILINE):
        old = re.compile(rf"^{name} = (\[.*?\]|[^\[\n]*?)(?=  #|$)", re.DOTALL | re.MULTILINE)
        defaults = old.sub(lambda _, new=f"{name} = {value}": new, defaults)
    return defaults


def stored_errors(notebook) -> list[str]:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [
        f"{output.ename}: {output.evalue}" for output in outputs if output.output_type == "error"
    ]


def drop_stderr(notebook) -> str:
    """Take warnings and progress bars off the page; returns what they said."""
    said = ""
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        said += "".join(output.text for output in outputs if output.get("name") == "stderr")
        if outputs:
            cell.outputs = [output for output in outputs if output.get("name") != "stderr"]
    return said


def clean(notebook, name: str) -> str:
    """Drop what differs between two equal runs (times, versions, random ids); show the parameters that were used."""
    for key in ("papermill", "widgets"):
        notebook.metadata.pop(key, None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for index, cell in enumerate(
        notebook.cells
    ):  # papermill puts its parameters below the cell of the defaults
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
        for tag in PROMPTS.keys() & set(cell.metadata.get("tags", [])):
            cell.metadata["mystnb"] = {
                "code_prompt_show": PROMPTS[tag],
                "code_prompt_hide": PROMPTS[tag],
            }
        if not cell.metadata.get("tags"):
            cell.metadata.pop("tags", None)
        elif "injected-parameters" in cell.metadata.tags:
            shown = notebook.cells[index - 1]
            shown.source = with_values(shown.source, cell.source)
            cell["id"] = "injected-parameters"
            cell.metadata.tags.append("remove-cell")
    text = nbformat.writes(notebook)
    for number, found in enumerate(dict.fromkeys(CHART.findall(text)), 1):
        text = text.replace(found, f"altair-viz-{name}-{number}")
    return text


if __name__ == "__main__":
    if FORK:
        fork_kernels()
    execute(sys.argv[1])
