"""The workflows for a public git host call what is there."""

import importlib.util
import json
import re
import shutil
import subprocess
import types
from pathlib import Path

import pytest
import yaml

from book.make import pair

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(path: Path) -> list[dict]:
    return [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("name", ["book", "links"])
def test_a_workflow_calls_targets_of_the_makefile_pins_its_actions_and_may_write_nothing_but_pages(name):
    assert [path.stem for path in WORKFLOWS] == ["book", "links"]
    path = ROOT / ".github" / "workflows" / f"{name}.yml"
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = [step["run"] for step in steps(path) if "run" in step]
    assert commands
    for command in commands:
        program, *called = command.split()
        assert program == "make" and called and set(called) <= targets, command
    actions = [step["uses"] for step in steps(path) if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) for action in actions)
    versions = re.findall(r"uses: \S+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$", path.read_text(), re.MULTILINE)
    assert actions and len(versions) == len(actions), "beside each commit stands the version it is"
    content = yaml.safe_load(path.read_text())
    assert content["permissions"] == {"contents": "read"}
    granted = {name: set(job.get("permissions", {})) for name, job in content["jobs"].items()}
    assert granted.pop("colab", {"contents"}) == {"contents"}  # the branch with the notebooks, after every check
    assert set().union(*granted.values()) <= {"pages", "id-token"}


def test_the_book_is_published_after_every_check():
    content = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text())
    assert content["jobs"]["deploy"]["needs"] == content["jobs"]["colab"]["needs"] == "build"
    commands = [step.get("run") for step in content["jobs"]["build"]["steps"]]
    checks = ["make lint", "make test", "make book", "make pdf", "make test-browser", "make test-slow"]
    assert [command for command in commands if command in checks] == checks
    assert commands[-3:] == [None] * 3, "only uploads follow"


def test_on_pages_every_notebook_opens_in_colab_and_installs_the_commit_it_was_built_from(tmp_path, monkeypatch):
    given = {step["run"]: set(step.get("env", ())) for step in steps(WORKFLOWS[0]) if "run" in step}
    assert given["make book"] == {"TSE_REPOSITORY"} and given["make colab"] == {"TSE_REPOSITORY", "TSE_COMMIT"}
    monkeypatch.setenv("TSE_REPOSITORY", "https://example.org/someone/book")
    monkeypatch.setenv("TSE_COMMIT", "0123abc")
    pair.for_colab(tmp_path)
    for source in pair.sources():
        notebook = json.loads((tmp_path / "notebooks" / f"{source.stem}.ipynb").read_text())
        text = "".join("".join(cell["source"]) for cell in notebook["cells"])
        assert "git+https://example.org/someone/book@0123abc" in text, source
    spec = importlib.util.spec_from_file_location("tse_executed", ROOT / "book" / "ext" / "tse_executed.py")
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    config = types.SimpleNamespace(html_theme_options={"repository_url": ""})
    extension.repository_buttons(None, config)
    assert config.html_theme_options["launch_buttons"]["colab_url"] == "https://colab.research.google.com"
    assert config.html_theme_options["repository_branch"] == "colab"


def test_the_branch_for_colab_holds_the_notebooks_and_nothing_else(tmp_path):
    clone = tmp_path / "clone"

    def git(*arguments, place=clone):
        return subprocess.run(["git", *arguments], cwd=place, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet", "--bare", "origin", place=tmp_path)
    git("clone", "--quiet", "origin", "clone", place=tmp_path)
    shutil.copy(ROOT / "Makefile", clone)
    git("add", "Makefile")
    git("-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "-m", "first")
    (clone / "_build" / "colab" / "notebooks").mkdir(parents=True)
    for text in ("{}", "[]"):  # the next build takes the branch's place
        (clone / "_build" / "colab" / "notebooks" / "01_data.ipynb").write_text(text)
        subprocess.run(["make", "colab-branch"], cwd=clone, check=True, capture_output=True)
    assert git("ls-tree", "-r", "--name-only", "origin/colab").split() == ["notebooks/01_data.ipynb"]
