"""The workflows for a public git host call what is there."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(path: Path) -> list[dict]:
    return [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]


def test_there_is_a_workflow_for_the_book_and_one_for_its_links():
    assert [path.stem for path in WORKFLOWS] == ["book", "links"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_targets_of_the_makefile(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = [step["run"] for step in steps(path) if "run" in step]
    assert commands
    for command in commands:
        program, *called = command.split()
        assert program == "make" and called and set(called) <= targets, command


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_pins_its_actions_and_may_write_nothing_but_pages(path):
    actions = [step["uses"] for step in steps(path) if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", action) for action in actions)
    content = yaml.safe_load(path.read_text())
    assert content["permissions"] == {"contents": "read"}
    granted = {key for job in content["jobs"].values() for key in job.get("permissions", {})}
    assert granted <= {"pages", "id-token"}


def test_the_book_is_published_after_every_check():
    content = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text())
    assert content["jobs"]["deploy"]["needs"] == "build"
    commands = [step.get("run") for step in content["jobs"]["build"]["steps"]]
    checks = ["make lint", "make test", "make test-slow", "make book", "make pdf", "make test-browser"]
    assert [command for command in commands if command in checks] == checks


def test_links_are_checked_every_week():
    (when,) = yaml.safe_load((ROOT / ".github" / "workflows" / "links.yml").read_text())[True]["schedule"]  # "on"
    minute, hour, day, month, weekday = when["cron"].split()
    assert (day, month) == ("*", "*") and minute.isdigit() and hour.isdigit() and weekday in "0123456"
