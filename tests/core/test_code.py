"""The store's keys hold what computes a number: libraries, and in a checkout the code."""

import os
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
import torch
import transformers

from gguf_files import network_of, write_network
from suites import suite_data
from tse_core import evaluate, evaluate_blimp, evaluate_suite, load_model
from tse_core.models.identity import code_of
from tse_core.results import code
from tse_core.results.code import NETWORK, code_digest, code_digests
from tse_core.results.parquet import read_tables
from tse_core.syntaxgym.suites import suite_from_dict

PACKAGE = Path(code.__file__).parents[1]
FORMAT_2 = {
    "agreement": """
        contexts/score contexts/coverage pairs/tse pairs/log_probability_correct pairs/log_probability_wrong
        groups/construction groups/number groups/cluster groups/contexts verbs/log_odds verbs/right
        lemmas/construction lemmas/subject lemmas/noun lemmas/number lemmas/lemma lemmas/contexts lemmas/correct
        lemmas/probability_correct lemmas/probability_wrong lemmas/margin forms/log_odds
        forms/log_probability_singular forms/log_probability_plural forms/mass_above_singular
        forms/mass_above_plural""",
    "pairs": """
        pairs/paradigm pairs/logp_good pairs/logp_bad pairs/length_good pairs/length_bad pairs/unknown_good
        pairs/unknown_bad pairs/unknown_critical pairs/unscored_difference pairs/margin pairs/correct pairs/tie""",
    "suite": """
        tokens/item tokens/condition tokens/position tokens/token tokens/region tokens/bits tokens/unknown""",
}
fresh = code_digest.__wrapped__


@pytest.fixture
def package_in(tmp_path, monkeypatch):
    """Puts a copy of the package into a folder of the machine, from which digests are taken."""

    def copied(folder: str) -> Path:
        copy = tmp_path / folder / "tse_core"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(code, "PACKAGE", copy)
        return copy

    return copied


def changes_of_the_digest(package: Path) -> dict[Path, bool]:
    """Whether a changed module changes the digest, for one module of each folder."""
    before, changes = fresh(NETWORK), {}
    for file in {file.parent: file for file in sorted(package.rglob("*.py"))}.values():
        times, source = file.stat(), file.read_bytes()
        file.write_bytes(source[:-1] + b"#")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        changes[file.relative_to(package)] = fresh(NETWORK) != before
        file.write_bytes(source)
    assert fresh(NETWORK) == before
    return changes


def test_in_a_checkout_the_digest_covers_every_module_but_the_commands(package_in, tmp_path):
    copy = package_in("project/src")
    (tmp_path / "project" / "pyproject.toml").touch()
    assert fresh(NETWORK) == code_digest(NETWORK)  # wherever the checkout lies
    for file, changed in changes_of_the_digest(copy).items():
        assert changed == ("cli" not in file.parts), file


def test_an_installed_package_serves_what_its_earlier_versions_computed(package_in, tmp_path):
    copy = package_in("project/.venv/lib/python3.12/site-packages")
    (tmp_path / "project" / "pyproject.toml").touch()  # of a project that uses the package
    assert not any(changes_of_the_digest(copy).values())


@pytest.mark.parametrize(
    "library", ["torch", "transformers", "tokenizers", "peft", "gguf", "pandas", "numpy"]
)
@pytest.mark.parametrize("used", [(), NETWORK, (*NETWORK, "gguf")])
def test_another_minor_version_of_a_library_that_the_model_uses_is_another_digest(
    library, used, monkeypatch
):
    before = fresh(used)
    real = code.version
    major, minor, *_ = real(library).split(".")
    for other, differs in (
        (f"{major}.{minor}.99+cpu", False),
        (f"{major}.{int(minor) + 1}.0", library in used),
    ):
        monkeypatch.setattr(
            code, "version", lambda name, other=other: other if name == library else real(name)
        )
        assert (fresh(used) != before) == differs


def test_a_change_of_the_stored_tables_is_another_digest(monkeypatch):
    before = fresh(())
    monkeypatch.setattr(code, "FORMAT", code.FORMAT + 1)
    assert fresh(()) != before


def test_stored_tables_have_the_columns_of_format_2(tiny_causal, simple, tmp_path):
    """Where a column comes, goes or gets another meaning, FORMAT in results/code.py is raised."""
    model = load_model(tiny_causal)
    pair = pd.DataFrame({"good": ["The author laughs."], "bad": ["The author laugh."]})
    evaluate(model, simple.head(4), detail="forms", store=tmp_path / "agreement")
    evaluate_blimp(model, pair, store=tmp_path / "pairs")
    evaluate_suite(
        model,
        suite_from_dict(suite_data([{"x": ["The author", "laughs ."]}], "(2;%x%) < 9")),
        store=tmp_path / "suite",
    )
    columns = {}
    for folder in tmp_path.iterdir():
        (file,) = folder.glob("*/*/*.parquet")
        columns[folder.name] = read_tables(file)[1]["columns"]
    assert columns == {name: text.split() for name, text in FORMAT_2.items()}


def test_models_say_which_libraries_compute_their_numbers(tiny_causal, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path))
    file = write_network(tmp_path / "m.gguf", "llama", network_of("llama"))
    assert load_model(file).libraries == (*NETWORK, "gguf")
    model = load_model(tiny_causal)
    assert model.libraries == NETWORK and code_digest(model.libraries) in code_digests()
    in_memory = load_model(model.network.module, model.tokenizer, fingerprint="run-7")
    assert in_memory.libraries == NETWORK
    assert load_model("command:cat").libraries == ()


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


def test_the_code_of_a_network_is_that_of_its_whole_package(tmp_path, monkeypatch):
    """A number that the class takes from a module beside its own folder is part of it."""
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "own_package"
    (package / "models").mkdir(parents=True)
    for folder in (package, package / "models"):
        (folder / "__init__.py").touch()
    (package / "models" / "net.py").write_text(
        "from own_package.scale import SCALE\nclass Own: pass\n"
    )
    codes = set()
    for scale in (1, 2):
        (package / "scale.py").write_text(f"SCALE = {scale}\n")
        codes.add(code_of(import_module("own_package.models.net").Own))
    for name in (
        "own_package",
        "own_package.models",
        "own_package.models.net",
        "own_package.scale",
    ):
        sys.modules.pop(name)
    assert len(codes - {""}) == 2


def test_classes_of_libraries_have_no_digest_of_their_code():
    assert code_of(torch.nn.Linear) == code_of(transformers.GPT2LMHeadModel) == ""
