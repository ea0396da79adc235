"""Run one notebook and keep a copy that is the same, byte for byte, whenever code, data and parameters are the same."""

import ast
import os
import re
import sys
import time

import nbformat

from book.make import BUILD, NOTEBOOKS, RUNS, fail
from book.make.guards import with_guards
from book.make.profile import load_profile, parameters

UNSTABLE = (  # (what differs between two equal runs, what stands in its place)
    (re.compile(r"altair-viz-[0-9a-f]{32}"), "altair-viz-{}"),
    (re.compile(r"(?<=[\"'#\s_])T_[0-9a-f]{5}(?=[\"'_\s])"), "T_{}"),  # pandas' styled tables
)


def execute(name: str) -> float:
    """Run notebooks/<name>.ipynb with the profile's parameters into _build/runs; returns the seconds it took."""
    import papermill

    source, target = NOTEBOOKS / f"{name}.ipynb", RUNS / f"{name}.ipynb"
    if not source.exists():
        raise fail(f"{source.relative_to(NOTEBOOKS.parent)} is missing: make notebooks-sync writes it from {name}.py")
    known = {key: told["default"] for key, told in papermill.inspect_notebook(str(source)).items()}
    given = parameters(name, known, load_profile())
    draft = BUILD / "drafts" / f"{name}.ipynb"
    for folder in (draft.parent, RUNS):
        folder.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    os.environ |= {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "PYTHONWARNINGS": "ignore:IProgress not found"}
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # notebooks run in parallel
    started = time.perf_counter()
    notebook = run(source, draft, given)
    seconds = time.perf_counter() - started
    if errors := stored_errors(notebook):
        raise fail(f"{name}: {errors[0]}\nthe notebook as far as it came: {draft}")
    if warnings := drop_stderr(notebook):
        print(f"{name} warned:\n{warnings}", file=sys.stderr)
    draft.write_text(nbformat.writes(clean(notebook, name)))
    draft.replace(target)
    return seconds


def run(source, draft, given):
    """Papermill, quietly, with the guards. A kernel that does not come up (two can pick one port) gets a second try."""
    import papermill

    def once():
        return papermill.execute_notebook(
            with_guards(source.stem), str(draft), parameters=given, cwd=str(NOTEBOOKS), progress_bar=False,
            record_timing=False, execution_timeout=3600, start_timeout=120, extra_arguments=["--log-level=40"],
        )  # fmt: skip

    try:
        try:
            return once()
        except RuntimeError:
            return once()
    except papermill.PapermillExecutionError as error:
        said = re.sub(r"\x1b\[[0-9;]*m", "", f"{error.ename}: {error.evalue}").strip()
        raise fail(f"{source.stem}, cell {error.cell_index}: {said}\nthe notebook as far as it came: {draft}") from None
    except RuntimeError as error:
        raise fail(f"{source.stem}: {error}") from None


def with_values(defaults: str, given: str) -> str:
    """The cell of the defaults with the given values in their places and its own comments: what the page shows.

    >>> with_values("rows = ['a']  # of the table\\nn = 3\\n", "rows = ['b', 'c']")
    "rows = ['b', 'c']  # of the table\\nn = 3\\n"
    """
    values = {name: ast.get_source_segment(given, node.value) for name, node in _assignments(given)}
    lines = defaults.encode().splitlines(keepends=True)
    for name, node in reversed(_assignments(defaults)):
        if name in values:
            first, last = node.value.lineno - 1, node.value.end_lineno - 1
            before, after = lines[first][: node.value.col_offset], lines[last][node.value.end_col_offset :]
            lines[first : last + 1] = [before + values[name].encode() + after]
    return b"".join(lines).decode()


def _assignments(source: str) -> list[tuple[str, ast.Assign]]:
    found = (node for node in ast.parse(source).body if isinstance(node, ast.Assign))
    return [(node.targets[0].id, node) for node in found if isinstance(node.targets[0], ast.Name)]


def stored_errors(notebook) -> list[str]:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [f"{output.ename}: {output.evalue}" for output in outputs if output.output_type == "error"]


def drop_stderr(notebook) -> str:
    """Take warnings and progress bars off the page; returns what they said."""
    said = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        said += [output.text for output in outputs if output.get("name") == "stderr"]
        if outputs:
            cell.outputs = [output for output in outputs if output.get("name") != "stderr"]
    return "".join(said)


def clean(notebook, name: str):
    """Drop what differs between two equal runs (times, versions, random ids); show the parameters that were used."""
    for key in ("papermill", "widgets"):
        notebook.metadata.pop(key, None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for index, cell in enumerate(notebook.cells):  # papermill puts its parameters below the cell of the defaults
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
        if not cell.metadata.get("tags"):
            cell.metadata.pop("tags", None)
        elif "injected-parameters" in cell.metadata.tags:
            shown = notebook.cells[index - 1]
            shown.source = with_values(shown.source, cell.source)
            cell["id"] = "injected-parameters"
            cell.metadata.tags.append("remove-cell")
    text = nbformat.writes(notebook)
    for pattern, stable in UNSTABLE:
        for number, found in enumerate(dict.fromkeys(pattern.findall(text)), 1):
            text = text.replace(found, stable.format(f"{name}-{number}"))
    return nbformat.reads(text, 4)


if __name__ == "__main__":
    execute(sys.argv[1])
