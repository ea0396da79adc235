"""The store's keys hold digests of the code that scores."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tse_core.results import code
from tse_core.results.code import code_digest, code_of

PACKAGE = Path(code.__file__).parents[1]
fresh = code_digest.__wrapped__


def test_the_digest_covers_every_module_but_the_commands(tmp_path, monkeypatch):
    copy = tmp_path / "tse_core"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "PACKAGE", copy)
    before = fresh()
    assert before == code_digest()  # wherever the package lies, also below a folder called recorded
    for file in {file.parent: file for file in sorted(copy.rglob("*.py"))}.values():  # one of each folder
        times, source = file.stat(), file.read_bytes()
        file.write_bytes(source[:-1] + b"#")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert (fresh() == before) == ("cli" in file.relative_to(copy).parts), file
        file.write_bytes(source)
    assert fresh() == before


COMPUTE = ["torch", "transformers", "tokenizers", "numpy", "pandas", "peft", "gguf", "scipy"]


@pytest.mark.parametrize("library", [*COMPUTE, "rich", "typer", "altair"])
def test_another_version_of_a_library_that_computes_is_another_digest(library, monkeypatch):
    real = code.version
    monkeypatch.setattr(code, "version", lambda name: "99" if name == library else real(name))
    assert (fresh() != code_digest()) == (library in COMPUTE)


def test_a_network_of_ones_own_has_the_digest_of_its_code(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    codes = set()
    for factor in (1, 2):
        text = f"from tse_core.models.network import Network\nclass Own(Network):\n    factor = {factor}\n"
        (tmp_path / "own_network.py").write_text(text)
        sys.modules.pop("own_network", None)
        codes.add(code_of(__import__("own_network").Own))
    sys.modules.pop("own_network")
    assert len(codes - {""}) == 2
