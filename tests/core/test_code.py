"""The keys of pieces hold the versions of the libraries that compute a number, and a plug-in's identity its code."""

import sys
from importlib import import_module

import pandas as pd
import pytest
import torch
import transformers

from gguf_files import network_of, write_network
from suites import suite_data
from tse_core import evaluate, evaluate_blimp, evaluate_suite, load_model
from tse_core.errors import TseWarning
from tse_core.models.identity import code_of
from tse_core.models.network import Network
from tse_core.results import libraries, store
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.syntaxgym.suites import suite_from_dict

NETWORK = Network.libraries
FORMAT_3 = {
    "agreement": """
        contexts/score contexts/coverage contexts/ties pairs/tse pairs/log_probability_correct pairs/log_probability_wrong
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
SIGNATURE = Signature.parse(
    "m@00000000 d@11111111 | bos:none protocol:exact/1 | 0.1.0 cpu 2026-01-01"
)
EMPTY = {"pairs": pd.DataFrame({"x": [1]})}


def is_served(folder, used) -> bool:
    """Whether a store has the piece of a model with these libraries."""
    libraries.minor_versions.cache_clear()
    return Store(folder, used).get(SIGNATURE, "piece", ["pairs"]) is not None


@pytest.fixture(autouse=True)
def other_versions_are_forgotten():
    yield
    libraries.minor_versions.cache_clear()


@pytest.mark.parametrize(
    "library", ["torch", "transformers", "tokenizers", "peft", "gguf", "pandas", "numpy"]
)
@pytest.mark.parametrize("used", [(), NETWORK, (*NETWORK, "gguf")])
def test_a_piece_is_computed_anew_with_another_minor_version_of_a_library_of_its_model(
    library, used, monkeypatch, tmp_path
):
    Store(tmp_path, used).put(SIGNATURE, "piece", EMPTY)
    real = libraries.version
    major, minor, *_ = real(library).split(".")
    for other, is_another in (
        (f"{major}.{minor}.99+cpu", False),
        (f"{major}.{int(minor) + 1}.0", library in used),
    ):
        monkeypatch.setattr(
            libraries, "version", lambda name, other=other: other if name == library else real(name)
        )
        assert is_served(tmp_path, used) != is_another


def test_a_piece_with_other_rows_than_were_kept_is_computed_anew(tmp_path):
    store = Store(tmp_path)
    store.put(SIGNATURE, "piece", {"pairs": pd.DataFrame({"logp": [-1.0, -2.0]})})
    (file,) = tmp_path.rglob("*.parquet")
    tables, facts = read_tables(file)
    assert store.get(SIGNATURE, "piece", ["pairs"])
    for other in (tables["pairs"][:1], tables["pairs"].astype(str)):
        write_tables(file, {"pairs": other}, facts)
        with pytest.warns(TseWarning, match="pairs is not the one that was kept; it is computed"):
            assert store.get(SIGNATURE, "piece", ["pairs"]) is None


def test_a_piece_with_other_columns_is_computed_anew(monkeypatch, tmp_path):
    Store(tmp_path).put(SIGNATURE, "piece", EMPTY)
    assert is_served(tmp_path, ())
    monkeypatch.setattr(store, "FORMAT", store.FORMAT + 1)
    assert not is_served(tmp_path, ())


def test_stored_tables_have_the_columns_of_format_3(tiny_causal, simple, tmp_path):
    """Where a column comes, goes or gets another meaning, FORMAT in results/store.py is raised."""
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
    assert columns == {name: text.split() for name, text in FORMAT_3.items()}


def test_models_say_which_libraries_compute_their_numbers(tiny_causal, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path))
    file = write_network(tmp_path / "m.gguf", "llama", network_of("llama"))
    assert load_model(file).libraries == (*NETWORK, "gguf")
    model = load_model(tiny_causal)
    assert model.libraries == NETWORK
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
