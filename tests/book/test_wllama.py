"""The engine of the living page comes as the pinned archive or not at all."""

import io
import json
import os
import sys
import tarfile

import pytest

from book.make import wllama


def archive(path, content=b"text"):
    with tarfile.open(path, "w:gz") as packed:
        for member in wllama.FILES:
            about = tarfile.TarInfo(member)
            about.size = len(content)
            packed.addfile(about, io.BytesIO(content))


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """npm(script) puts a command called npm, written in Python, before all others."""

    def install(script):
        command = tmp_path / "bin" / "npm"
        command.parent.mkdir(exist_ok=True)
        command.write_text(f"#!{sys.executable}\nimport sys\n{script}\n")
        command.chmod(0o755)
        monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")

    return install


def test_another_archive_than_the_pinned_one_is_refused(tmp_path, npm):
    other = tmp_path / "other.tgz"
    archive(other)
    npm(f"import shutil; shutil.copy({str(other)!r}, sys.argv[sys.argv.index('--pack-destination') + 1])")
    with pytest.raises(wllama.UnavailableError, match="is not the pinned archive"):
        wllama.engine_files(tmp_path / "engine")
    assert not (tmp_path / "engine").exists()


def test_what_npm_says_is_passed_on_in_one_line_or_that_there_is_none(tmp_path, npm, monkeypatch):
    answer = {"error": {"summary": "request to the registry failed\nand more"}}
    npm(f"print({json.dumps(answer)!r}); sys.exit(1)")
    with pytest.raises(wllama.UnavailableError, match="could not fetch .* 2.3.7: request to the registry failed$"):
        wllama.engine_files(tmp_path / "engine")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(wllama, "find_spec", lambda name: None)
    with pytest.raises(wllama.UnavailableError, match="there is no npm"):
        wllama.engine_files(tmp_path / "engine")


def test_files_that_are_there_are_not_fetched_again(tmp_path, monkeypatch):
    archive(tmp_path / "one.tgz", b"engine")
    wllama.unpack(tmp_path / "one.tgz", tmp_path / "engine")
    monkeypatch.setattr(wllama, "fetch", None)
    found = wllama.engine_files(tmp_path / "engine")
    assert {path.name: path.read_bytes() for path in found} == dict.fromkeys(wllama.FILES.values(), b"engine")
