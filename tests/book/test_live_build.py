"""What the build gives the living page: its pinned engine and its facts, with the real model where it can be had."""

import io
import json
import os
import sys
import tarfile

import pytest

from book.make import live, wllama
from book.make.recorded_examples import examples_html
from tse_core import load_model


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The step writes into a folder of its own."""
    monkeypatch.setattr(live, "LIVE", tmp_path)
    monkeypatch.setattr(live, "STATIC", tmp_path / "static" / "live")
    monkeypatch.setattr(live, "FACTS", tmp_path / "static" / "live" / "facts.json")
    return tmp_path


def test_without_the_engine_the_book_has_recorded_examples_and_one_warning(place, monkeypatch, capsys):
    def nothing(folder):
        raise wllama.UnavailableError("there is no npm")

    monkeypatch.setattr(live.wllama, "engine_files", nothing)
    live.write()
    said = "WARNING: the book is built without its living model, with recorded examples instead: there is no npm\n"
    assert capsys.readouterr().out == said
    assert json.loads(live.FACTS.read_text())["model"]["file"] is None and not live.complete()
    examples = json.loads(live.RECORDED.read_text())["examples"]
    assert (place / "recorded.html").read_text().count("<details") == len(examples)
    assert "EW differs by" in (place / "distance.html").read_text()


def test_live_0_leaves_it_out_without_a_word(place, monkeypatch, capsys):
    monkeypatch.setenv("LIVE", "0")
    monkeypatch.setattr(live.wllama, "engine_files", None)
    live.write()
    assert not capsys.readouterr().out and live.complete()
    assert [path.name for path in live.STATIC.iterdir()] == ["facts.json"]


def test_examples_show_text_as_text():
    example = {"left": "<b>", "number": "plural", "ew": 0.5, "mw": 0.5, "verbs": 2, "tse": {},
               "top": [{"token": " <i>", "p": 0.25, "form": "other"}]}  # fmt: skip
    html = examples_html([example])
    assert "&lt;b&gt;" in html and "␣&lt;i&gt;" in html and "25.00%" in html


@pytest.mark.slow
def test_the_recorded_examples_are_what_the_package_computes(real_model):
    from book.make.facts import page_facts, recorded_examples

    model = load_model(real_model)
    computed, recorded = recorded_examples(model), json.loads(live.RECORDED.read_text())["examples"]
    for one, other in zip(computed, recorded, strict=True):
        assert (one["left"], one["verbs"], one["tse"]) == (other["left"], other["verbs"], other["tse"])
        assert [one[score] for score in ("ew", "mw")] == pytest.approx([other["ew"], other["mw"]], abs=0.003)
        assert [entry["token"] for entry in one["top"][:3]] == [entry["token"] for entry in other["top"][:3]]
    facts = page_facts(model)
    assert len(facts["lemmas"]) == 962 and facts["bos_token"] == "<|endoftext|>" and len(facts["contexts"]) == 18
    assert all(len(context["agrees"]) == 962 for context in facts["contexts"])


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
