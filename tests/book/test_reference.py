"""The reference of functions and the capstone: examples give what they print, commands run as they stand."""

import ast
import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "book" / "api").glob("*.md"))
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^\.\. (?:auto(?:function|class|exception)|py:data):: ([\w.]+)$", re.MULTILINE)


def entries() -> list[str]:
    return [name for page in PAGES for name in ENTRY.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_give_what_they_print(page):
    source = "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))
    examples = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    assert examples.examples
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(examples, out=said.append)
    assert not runner.failures, "".join(said)


def test_every_name_of_the_package_has_one_entry():
    stub = ast.parse((ROOT / "src" / "tse_core" / "__init__.pyi").read_text())
    lines = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    names = {f"tse_core.{alias.name}" for line in lines for alias in line.names}
    assert names <= set(entries())


@pytest.mark.slow
def test_the_commands_and_the_starter_code_of_the_capstone_run(
    real_model, tse, tmp_path, monkeypatch, capsys
):
    page, names, said = (ROOT / "book" / "capstone.md").read_text(), {}, ""
    assert real_model in page
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for language, code in re.findall(r"```(bash|python)\n(.*?)```", page, re.DOTALL):
        if language == "python":
            exec(code, names)
            said += capsys.readouterr().out
            continue
        for line in code.strip().splitlines():
            status, _, told = tse(*line.split()[1:])
            assert status == 0, f"{line}: {told}"
    by_hand = re.search(
        r"by hand EW (\S+) MW (\S+), by the package EW (\S+) MW (\S+)", said
    ).groups()
    assert by_hand[:2] == by_hand[2:]
    assert (tmp_path / "row.csv").exists()
