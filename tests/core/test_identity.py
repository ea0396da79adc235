"""What a model is: its identity follows weights, tokenizer and configuration, and nothing else."""

import json
import os
import shutil

import pytest
from safetensors.torch import load_file, save_file

from tiny import save_model
from tse_core import evaluate, load_model, surprisals
from tse_core.errors import InputError
from tse_core.models import identity as hashes
from tse_core.models.network_in_files import NetworkInFiles

PAIRS = "marvin-linzen/simple"


@pytest.fixture(scope="module")
def scored(tiny_causal, tmp_path_factory):
    """A store, and the evaluation of the tiny model that it holds."""
    store = tmp_path_factory.mktemp("store")
    return store, evaluate(tiny_causal, PAIRS, store=store)


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A cache of hashes of this test alone."""
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))


def rewritten(place, file, change):
    """A model's folder in which the JSON of one file was changed."""
    content = json.loads((place / file).read_text())
    change(content)
    (place / file).write_text(json.dumps(content))
    return place


def swap_two_verbs(content):
    vocabulary = content["model"]["vocab"]
    vocabulary["laughs"], vocabulary["laugh"] = vocabulary["laugh"], vocabulary["laughs"]


CHANGES = {
    "two verbs swapped": ("tokenizer.json", swap_two_verbs),
    "another beginning of sentence": (
        "tokenizer_config.json",
        lambda content: content.update(bos_token="[SEP]"),
    ),
    "another number of heads": ("config.json", lambda content: content.update(n_head=4)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_numbers_changes_the_identity_also_a_day_later(
    tiny_causal, tmp_path, empty_cache, what
):
    """The hash of the weights is kept on disk; those of the tokenizer and the configuration must not be."""
    place = shutil.copytree(tiny_causal, tmp_path / tiny_causal.name)
    before, after = (
        load_model(place).identity(),
        load_model(rewritten(place, *CHANGES[what])).identity(),
    )
    assert before == load_model(tiny_causal).identity() != after
    assert before.partition("@")[0] == after.partition("@")[0]


def test_what_changes_no_number_does_not(tiny_causal, tmp_path):
    other = shutil.copytree(tiny_causal, tmp_path / tiny_causal.name)
    said = {
        "transformers_version": "0.0.1",
        "_name_or_path": "elsewhere",
        "dtype": "bfloat16",
        "bos": "none",
    }
    rewritten(other, "config.json", lambda content: content.update(said))
    rewritten(other, "tokenizer.json", lambda content: content.update(truncation=None))
    assert load_model(tiny_causal).identity() == load_model(other).identity()


def test_the_files_layout_does_not_matter_but_every_number_does(tiny_causal, tmp_path):
    parts, other = (
        shutil.copytree(tiny_causal, tmp_path / name / tiny_causal.name)
        for name in ("parts", "other")
    )
    weights = load_file(tiny_causal / "model.safetensors")
    names = sorted(weights)
    index = {
        "weight_map": {name: f"model-{i % 2 + 1}-of-2.safetensors" for i, name in enumerate(names)}
    }
    for file in sorted(set(index["weight_map"].values())):
        save_file(
            {n: weights[n] for n in names if index["weight_map"][n] == file},
            parts / file,
            {"format": "pt"},
        )
    (parts / "model.safetensors").unlink()
    (parts / "model.safetensors.index.json").write_text(json.dumps(index))
    weights[names[0]].view(-1)[0] += 1e-3
    save_file(weights, other / "model.safetensors", {"format": "pt"})
    whole = load_model(tiny_causal)
    assert load_model(parts).identity() == whole.identity() != load_model(other).identity()


@pytest.mark.parametrize(
    "index", ["{", "{}", '{"weight_map": 3}', '{"weight_map": {"a": "../b.safetensors"}}']
)
def test_an_index_that_names_no_weights_is_refused(tiny_causal, tmp_path, index):
    broken = shutil.copytree(tiny_causal, tmp_path / tiny_causal.name)
    (broken / "model.safetensors").unlink()
    (broken / "model.safetensors.index.json").write_text(index)
    with pytest.raises(InputError, match="no index of weights"):
        load_model(broken)


OWN_CODE = """
from transformers import GPT2LMHeadModel

class Own(GPT2LMHeadModel):
    def forward(self, *arguments, **options):
        found = super().forward(*arguments, **options)
        found.logits = found.logits * 1.0
        return found
"""


@pytest.mark.slow
def test_the_own_code_of_a_trusted_model_is_part_of_it(tmp_path):
    folder, own = (
        save_model(tmp_path / "model", "causal"),
        {"auto_map": {"AutoModelForCausalLM": "own.Own"}},
    )
    rewritten(folder, "config.json", lambda content: content.update(own))
    found = []
    for factor in ("1.0", "-1"):
        (folder / "own.py").write_text(OWN_CODE.replace("1.0", factor))
        model = load_model(folder, trust_remote_code=True)
        runs = [evaluate(model, PAIRS, store=store) for store in (tmp_path / "store", None)]
        assert runs[0].table().equals(runs[1].table())
        found.append((model.identity(), runs[0].table()["MW"].item()))
    assert found[0][0] != found[1][0] and found[0][1] != found[1][1]


@pytest.mark.slow
def test_a_second_run_reads_no_weights(tiny_causal, scored, empty_cache, monkeypatch):
    store, first = scored
    load_model(tiny_causal).identity()
    monkeypatch.setattr(hashes, "safe_open", lambda *_: pytest.fail("weights were read"))
    monkeypatch.setattr(
        NetworkInFiles, "_inner", property(lambda _: pytest.fail("weights were opened"))
    )
    second = evaluate(tiny_causal, PAIRS, store=store)
    assert second.signature == first.signature and second.table().equals(first.table())


def test_weights_that_were_written_again_are_read_again_and_refused_where_the_old_ones_are_expected(
    tmp_path,
):
    folder = save_model(tmp_path / "model", "causal")
    model, held = load_model(folder), load_model(folder)
    before, times = model.identity(), (folder / "model.safetensors").stat()
    expected = surprisals(held, "The author laughs.")
    other = save_model(tmp_path / "other", "causal", seed=1)
    shutil.copy(
        other / "model.safetensors", folder / "model.safetensors"
    )  # over the file that was mapped
    assert surprisals(held, "The author laughs.").equals(expected) and held.identity() == before
    os.utime(
        folder / "model.safetensors", ns=(times.st_atime_ns, times.st_mtime_ns)
    )  # of the same size and date
    assert load_model(folder).identity() != before
    with pytest.raises(InputError, match=r"model.safetensors changed after the model was opened"):
        model.network.logits(None, None, None)


def test_damaged_weights_are_told(tmp_path):
    folder = save_model(tmp_path / "model", "causal")
    whole = (folder / "model.safetensors").read_bytes()
    for content in (b"", b"\xff" * 8, whole[: len(whole) // 2]):
        (folder / "model.safetensors").write_bytes(content)
        with pytest.raises(InputError, match=r"model.safetensors: not a readable safetensors file"):
            load_model(folder).identity()
