"""What the repository promises about itself."""

import ast
import importlib
import importlib.util
import pkgutil
import re
import subprocess
import tomllib
import types
from pathlib import Path

import jupytext
import nbformat
import pytest
import yaml
from packaging.requirements import Requirement
from pybtex.database import parse_string
from rattler import MatchSpec

from book.ext.tse_executed import repository_buttons
from book.make import edition, inputs, pair, profile
from tse_core import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def tracked() -> list[Path]:
    """Files in git, and new ones that git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("source", pair.sources(), ids=lambda p: p.stem)
def test_a_notebook_in_git_is_clean_and_its_sources_twin_and_opens_with_the_current_install_cell(
    source,
):
    notebook = jupytext.read(source.with_suffix(".ipynb"))
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert sum("install" in cell.metadata.get("tags", []) for cell in code) == 1
    current = pair.with_address(source.read_text())
    assert jupytext.writes(notebook, "py:percent") == source.read_text() == current, (
        "make notebooks-sync"
    )


@pytest.mark.parametrize(
    ("notebook", "used", "unused"),
    [
        ("table2", "src/tse_core/agreement/evaluate.py", "src/tse_core/syntaxgym/outcomes.py"),
        (
            "syntaxgym",
            "src/tse_core/syntaxgym/outcomes.py",
            "src/tse_core/agreement/evaluate.py",
        ),
        ("table2", "data/published/newman_table2.csv", "data/claims.yaml"),
    ],
)
def test_a_notebook_depends_on_the_modules_and_data_it_uses_and_not_on_others(
    notebook, used, unused
):
    found = inputs.notebook_inputs(notebook)
    assert used in found and unused not in found and (ROOT / unused).exists()


def test_an_optional_model_that_cannot_be_had_is_left_out_of_every_job_and_notebook(monkeypatch):
    monkeypatch.delenv(profile.WITHOUT, raising=False)
    models = profile.load_profile("default")["models"]
    [name] = profile.load_profile("default")["optional"]
    monkeypatch.setenv(profile.WITHOUT, name)
    rest = profile.load_profile("default")
    assert name in models and rest["models"] == [model for model in models if model != name]
    assert name not in {job.model for job in profile.jobs(rest)}
    assert name not in profile.parameters("table2", {"models": "[]"}, rest)["models"]


EXTRAS = PROJECT["optional-dependencies"]
ASKED = list(map(Requirement, [*PROJECT["dependencies"], *EXTRAS["book"], *EXTRAS["test"]]))


def test_environment_yml_is_readable_by_conda_and_asks_for_what_pyproject_asks_for():
    *conda, last = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    found = {}
    for text in conda:
        spec = MatchSpec(text, strict=True)
        name = spec.name.normalized if hasattr(spec.name, "normalized") else str(spec.name)
        found["torch" if name == "pytorch" else name] = str(spec.version or "")
    assert found.pop("python") == PROJECT["requires-python"] + ",<3.14"  # the newest that is tested
    assert not found.pop("pip") and not found.pop("make")
    requirements = [Requirement(text) for text in last["pip"] if text != "-e ."]
    names = [*found, *(requirement.name for requirement in requirements)]
    assert len(names) == len(set(names)) and last["pip"][-1] == "-e ."
    assert found | {r.name: str(r.specifier) for r in requirements} == {
        r.name: str(r.specifier) for r in ASKED
    }


def test_constraints_pin_what_pyproject_admits_and_leave_torch_to_the_makefile():
    lines = [
        line
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    pins = {
        r.name.lower().replace("_", "-"): next(iter(r.specifier)).version
        for r in map(Requirement, lines)
    }
    assert "torch" not in pins
    for requirement in ASKED:
        if requirement.name != "torch":
            assert requirement.specifier.contains(
                pins[requirement.name.lower().replace("_", "-")]
            ), requirement


def test_no_tracked_file_holds_an_absolute_path_or_an_index_address():
    forbidden = re.compile(
        rb"(?<![\w.])/(?:work|root|home|Users)/\w|/tmp/\w|index-url\s*=|://[^\s/@]+:[^\s/@]+@"
    )  # noqa: S108
    assert not [
        path
        for path in tracked()
        if b"\0" not in (text := path.read_bytes()) and forbidden.search(text)
    ]


def test_what_the_benchmarks_import_from_the_two_packages_is_there():
    for path in (ROOT / "benchmarks").glob("*.py"):
        for found in ast.walk(ast.parse(path.read_text())):
            if isinstance(found, ast.ImportFrom) and (found.module or "").startswith(
                ("tse_core", "tse_book")
            ):
                module = importlib.import_module(found.module)
                inside = {
                    there.name for there in pkgutil.iter_modules(getattr(module, "__path__", []))
                }
                for name in (alias.name for alias in found.names):
                    assert name in inside or hasattr(module, name), (
                        f"{path.name}: {module.__name__}.{name}"
                    )


def test_every_data_file_has_its_origin_in_the_data_readme():
    told = set(re.findall(r"`([^`\s]+)`", (ROOT / "data" / "README.md").read_text())) | {
        "README.md"
    }
    names = [p.relative_to(ROOT / "data") for p in tracked() if ROOT / "data" in p.parents]
    folders = tuple(entry for entry in told if entry.endswith("/"))
    assert not [
        n
        for n in names
        if not str(n).startswith(folders) and not any(n.match(pattern) for pattern in told)
    ]


CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


@pytest.mark.parametrize("page", ["book/related.md"])
def test_every_page_that_says_how_to_cite_says_the_same_as_the_citation_file(page):
    block = re.search(r"```bibtex\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    entry = parse_string(block[1], "bibtex").entries["tse_core"]
    assert entry.fields["title"].strip("{}") == CITATION["title"]
    assert entry.fields["version"].strip("{}") == CITATION["version"] == __version__
    assert entry.fields["year"] == CITATION["date-released"][:4]
    authors = [author["name"] for author in CITATION["authors"]]
    assert [str(person).strip("{}") for person in entry.persons["author"]] == authors
    bibliography = parse_string(
        (ROOT / "book" / "references.bib").read_text(), "bibtex"
    ).entries.values()
    assert {paper["doi"] for paper in CITATION["references"]} <= {
        one.fields.get("doi") for one in bibliography
    }


def test_what_pages_quote_of_a_chapter_is_glued_there():
    place = re.compile(r"(?:[{]\w+[}][ `]|notebooks/)([a-z]\w+)(?:\.ipynb)?::([\w-]+)")
    pages = [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").glob("*.py")]
    quoted = {found for page in pages for found in place.findall(page.read_text())}
    assert quoted
    for notebook, name in sorted(quoted):
        text = "".join(path.read_text() for path in (ROOT / "notebooks").rglob(f"{notebook}.py"))
        made = [
            re.sub(r"\\{.*?\\}", ".+", re.escape(one))
            for one in re.findall(r'f"(\w*{[^"]+)"', text)
        ]
        assert f'"{name}"' in text or any(re.fullmatch(one, name) for one in made), (
            f"{notebook} glues no {name}"
        )


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(path: Path) -> list[dict]:
    return [
        step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]
    ]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_targets_of_the_makefile_pins_its_actions_and_may_write_nothing_but_pages(
    path,
):
    """The workflow core calls pip and pytest: Windows has no make."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for step in steps(path):
        if step.get("run", "").startswith("python -m "):
            assert path.stem == "core", step
        elif "run" in step:
            program, *called = step["run"].split()
            assert program == "make" and called and set(called) <= targets, step
        else:
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]), step
    content = yaml.safe_load(path.read_text())
    granted = {name: set(job.get("permissions", {})) for name, job in content["jobs"].items()}
    assert granted.pop("colab", {"contents"}) == {
        "contents"
    }  # the branch with the notebooks, after every check
    assert content["permissions"] == {"contents": "read"} and set().union(*granted.values()) <= {
        "pages",
        "id-token",
    }


@pytest.mark.slow
def test_on_pages_every_notebook_opens_in_colab_and_installs_the_commit_it_was_built_from(
    monkeypatch,
):
    given = {step["run"]: set(step.get("env", ())) for step in steps(WORKFLOWS[0]) if "run" in step}
    assert given["make book"] == {"TSE_REPOSITORY", "TSE_COMMIT"}
    monkeypatch.setenv("TSE_REPOSITORY", "https://github.com/someone/book")
    monkeypatch.setenv("TSE_COMMIT", "0123abc")
    for name in profile.notebook_names():
        text = "".join(cell.source for cell in edition.edition(name).cells)
        assert text.count('package = "git+https://github.com/someone/book@0123abc"') == 1, name
    config = types.SimpleNamespace(html_theme_options={"repository_url": ""}, html_context={})
    repository_buttons(None, config)
    assert (
        config.html_theme_options["launch_buttons"]["colab_url"]
        == "https://colab.research.google.com"
    )
    assert config.html_theme_options["repository_branch"] == "colab"
    assert (
        config.html_context["edit_page_url_template"]
        == "https://github.com/someone/book/edit/main/{{ file_name }}"
    )
