"""Input that means harm or nonsense: readers refuse it in one line, names reach no other folder."""

import ast
import json
from pathlib import Path

import pytest

from tse_core import InputError, load_lemmas, load_model, load_pairs, load_sentence_pairs
from tse_core.cli.results import opened
from tse_core.datasets.downloads import read_registry
from tse_core.errors import unknown_name_error

ROOT = Path(__file__).parents[2]
OURS = sorted(
    [
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "book").rglob("*.py"),
        *(ROOT / "notebooks").glob("*.py"),
    ]
)


# What the code never does, besides what ruff's rules S forbid


@pytest.mark.slow
def test_code_reads_no_pickle():
    assert len(OURS) > 60
    for path in OURS:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(call, ast.Call):
                name, where = ast.unparse(call.func), f"{path.name}:{call.lineno}"
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
                assert given.get("allow_pickle", "False") == "False", where
                assert name != "torch.load" or given["weights_only"] == "True", where
                # peft has no such keyword: models/adapters.py refuses a folder without safetensors
                if (
                    name.endswith("from_pretrained")
                    and "Model" in name
                    and name != "PeftModel.from_pretrained"
                ):
                    assert given["use_safetensors"] == "True", where


def test_nothing_of_a_pickled_model_is_run(tmp_path):
    (tmp_path / "config.json").write_text(
        '{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}'
    )
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04cos\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(InputError, match="weights are read from safetensors only"):
        load_model(tmp_path)
    assert not (tmp_path / "owned").exists() and not Path("owned").exists()


# Names reach no other folder


@pytest.mark.parametrize("name", ["marvin-linzen/../../x", "../blimp", "/x"])
def test_names_of_data_are_no_paths(name):
    for load in (load_pairs, load_sentence_pairs):
        with pytest.raises(InputError, match="unknown"):
            load(name)


PIN = f"3 {'0' * 64}"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"files": {"../../../.ssh/authorized_keys": PIN}}, "greetings.files"),
        ({"files": {"/etc/passwd": PIN}}, "greetings.files"),
        ({"repository": "../.."}, "greetings.repository"),
        ({"commit": "main"}, "greetings.commit"),
        ({"files": {"a.txt": "3 "}}, "greetings.files.*a.txt"),
    ],
)
def test_a_registry_that_leaves_the_cache_is_refused(tiny_registry, change, place):
    file = tiny_registry.parent / "data" / "datasets.yaml"
    rows = json.loads(file.read_text())
    rows["greetings"] |= change
    file.write_text(json.dumps(rows))
    with pytest.raises(InputError, match=f"datasets.yaml: {place}"):
        read_registry()


@pytest.mark.parametrize("key", ["..", "../..", "/", "*", ""])
def test_a_key_of_the_store_is_no_path(tmp_path, monkeypatch, key):
    monkeypatch.setenv("TSE_STORE", str(tmp_path))
    with pytest.raises(InputError, match="^the store has 0 results whose key starts with"):
        opened(key)
    with pytest.raises(InputError):
        load_lemmas(f"{key}/passwd")


def test_an_error_is_one_line_of_bounded_length_whatever_it_quotes():
    error = unknown_name_error("thing", "a\nb" + "x" * 10_000, ["c"])
    assert len(str(error)) <= 2000 and len(str(error).splitlines()) == 1
