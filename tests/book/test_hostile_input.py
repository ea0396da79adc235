"""Input that means harm or nonsense: readers refuse it in one line, names reach no other folder, text stays text."""

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from fuzz import LONGEST, TARGETS, mutated, read
from tse_core import InputError, load_lemmas, load_model, load_pairs, load_sentence_pairs
from tse_core.datasets.registry import read_registry
from tse_core.errors import unknown_name_error
from tse_core.results.store import Store

ROOT = Path(__file__).parents[2]
OURS = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "book").rglob("*.py"), *(ROOT / "notebooks").glob("*.py")])


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_no_reader_lets_anything_but_an_input_error_out_or_takes_long(target, tmp_path):
    @settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutated(TARGETS[target][1]))
    def hostile(contents):
        assert read(target, contents, tmp_path) < LONGEST

    hostile()


# What the code never does


def keyword(call: ast.Call, name: str) -> str | None:
    return next((ast.unparse(k.value) for k in call.keywords if k.arg == name), None)


# peft has no such keyword: it takes safetensors first, and models/adapters.py refuses a folder without them
READ_ARCHIVES = ("gguf_files.py", "wllama.py")  # members of pinned names, read as streams; both check a pinned hash


def test_code_runs_no_text_and_reads_no_pickle():
    assert len(OURS) > 60
    for path in OURS:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))))
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            name = ast.unparse(call.func)
            where = f"{path.name}:{call.lineno}: {name}"
            assert name not in ("eval", "exec", "compile", "__import__", "os.system", "os.popen"), where
            assert name not in ("yaml.load", "yaml.full_load", "yaml.unsafe_load", "pd.read_pickle"), where
            assert name != "np.fromfile" and not name.endswith(("extractall", ".extract", "unpack_archive")), where
            writes = [ast.unparse(a) for a in call.args[1:2]] == ["'w'"]
            if name == "tarfile.open" or name == "zipfile.ZipFile" and not writes:
                assert path.name in READ_ARCHIVES, where
            assert keyword(call, "shell") in (None, "False"), where
            assert keyword(call, "allow_pickle") in (None, "False"), where
            assert keyword(call, "verify") in (None, "True"), where
            if name == "torch.load":
                assert keyword(call, "weights_only") == "True", where
            if name.endswith("from_pretrained") and "Model" in name and name != "PeftModel.from_pretrained":
                assert keyword(call, "use_safetensors") == "True", where
        modules = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
        modules |= {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}
        assert not modules & {"pickle", "dill", "joblib", "shelve", "marshal", "cloudpickle"}, path


def test_every_silenced_warning_says_why():
    for path in OURS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            reason = re.search(r"noqa: \w+(, ?\w+)*\s+\(.{8,}\)", line)
            assert "noqa" not in line or reason, f"{path.name}:{number}: no reason given"


def test_nothing_of_a_pickled_model_is_run(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}')
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04cos\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(InputError, match="weights are read from safetensors only"):
        load_model(tmp_path)
    assert not (tmp_path / "owned").exists() and not Path("owned").exists()


# Names reach no other folder


@pytest.mark.parametrize("name", ["marvin-linzen/../../x", "../blimp", "newman-blimp/..", "/x"])
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
        ({"files": {"a\\..\\b": PIN}}, "greetings.files"),
        ({"files": {"a/./../b": PIN}}, "greetings.files"),
        ({"repository": "../.."}, "greetings.repository"),
        ({"commit": "main"}, "greetings.commit"),
        ({"files": {"a.txt": "3 "}}, "greetings.files.*a.txt"),
        ({"files": {"a.txt": f"-1 {'0' * 64}"}}, "greetings.files.*a.txt"),
        ({"folder": "../x"}, "greetings"),
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
def test_a_key_of_the_store_is_no_path(tmp_path, key):
    with pytest.raises(InputError, match="unknown result"):
        Store(tmp_path).full_key(key)
    with pytest.raises(InputError):
        load_lemmas(f"{key}/passwd")


# Text stays text


def test_an_error_is_one_line_of_bounded_length_whatever_it_quotes():
    error = unknown_name_error("thing", "a\nb" + "x" * 10_000, ["c"])
    assert len(str(error)) <= 2000 and len(str(error).splitlines()) == 1
