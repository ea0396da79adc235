"""What a model is: its identity follows weights, tokenizer and configuration, and nothing else."""

import json
import os
import shutil

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from tiny import save_model
from tse_core import evaluate, load_model
from tse_core.errors import InputError
from tse_core.models import identity as hashes
from tse_core.models.network import LazyNetwork

PAIRS = "marvin-linzen/simple"


@pytest.fixture(scope="module")
def scored(tiny_causal, tmp_path_factory):
    """A store, and the evaluation of the tiny model that it holds."""
    store = tmp_path_factory.mktemp("store")
    return store, evaluate(tiny_causal, PAIRS, store=store)


@pytest.fixture
def hashes_folder(tmp_path, monkeypatch):
    """Where hashes of weights are kept, also of files that were written just now."""
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hashes, "_SETTLING", -1)
    return tmp_path / "cache" / "fingerprints"


def rewritten(place, file, change):
    """A model's folder in which the JSON of one file was changed."""
    content = json.loads((place / file).read_text())
    change(content)
    (place / file).write_text(json.dumps(content))
    return place


def in_memory(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return load_model(transformers.AutoModelForCausalLM.from_pretrained(folder), tokenizer=tokenizer)


def swap_two_verbs(content):
    vocabulary = content["model"]["vocab"]
    vocabulary["laughs"], vocabulary["laugh"] = vocabulary["laugh"], vocabulary["laughs"]


CHANGES = {
    "two verbs swapped": ("tokenizer.json", swap_two_verbs),
    "another beginning of sentence": ("tokenizer_config.json", lambda content: content.update(bos_token="[SEP]")),
    "another number of heads": ("config.json", lambda content: content.update(n_head=4)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_numbers_changes_the_identity_also_a_day_later(tiny_causal, tmp_path, hashes_folder, what):
    """The hash of the weights is kept on disk; those of the tokenizer and the configuration must not be."""
    place = shutil.copytree(tiny_causal, tmp_path / tiny_causal.name)
    before, after = load_model(place).identity(), load_model(rewritten(place, *CHANGES[what])).identity()
    assert before == load_model(tiny_causal).identity() != after
    assert before.partition("@")[0] == after.partition("@")[0]


def test_no_score_of_the_one_is_served_to_the_other(tiny_causal, scored, tmp_path):
    store, first = scored
    copy = shutil.copytree(tiny_causal, tmp_path / tiny_causal.name)
    other = evaluate(rewritten(copy, *CHANGES["two verbs swapped"]), PAIRS, store=store)
    assert other.signature.key != first.signature.key
    assert not other.pairs["log_probability_correct"].equals(first.pairs["log_probability_correct"])


def test_what_changes_no_number_does_not(tiny_causal, tmp_path):
    other = shutil.copytree(tiny_causal, tmp_path / tiny_causal.name)
    said = {"transformers_version": "0.0.1", "_name_or_path": "elsewhere", "dtype": "bfloat16", "bos": "none"}
    rewritten(other, "config.json", lambda content: content.update(said))
    rewritten(other, "tokenizer.json", lambda content: content.update(truncation=None))
    assert load_model(tiny_causal).identity() == load_model(other).identity()


def test_the_files_layout_does_not_matter_but_every_number_does(tiny_causal, tmp_path):
    parts, other = (shutil.copytree(tiny_causal, tmp_path / name / tiny_causal.name) for name in ("parts", "other"))
    weights = load_file(tiny_causal / "model.safetensors")
    names = sorted(weights)
    index = {"weight_map": {name: f"model-{i % 2 + 1}-of-2.safetensors" for i, name in enumerate(names)}}
    for file in sorted(set(index["weight_map"].values())):
        save_file({n: weights[n] for n in names if index["weight_map"][n] == file}, parts / file, {"format": "pt"})
    (parts / "model.safetensors").unlink()
    (parts / "model.safetensors.index.json").write_text(json.dumps(index))
    weights[names[0]].view(-1)[0] += 1e-3
    save_file(weights, other / "model.safetensors", {"format": "pt"})
    whole = load_model(tiny_causal)
    assert load_model(parts).identity() == whole.identity() != load_model(other).identity()
    assert load_model(parts).network.parameter_count == whole.network.parameter_count


@pytest.mark.parametrize("kind", ["tiny_causal", "tiny_masked"])
def test_a_model_is_the_same_before_and_after_its_weights_are_read_and_in_memory(kind, request):
    folder = request.getfixturevalue(kind)
    model = load_model(folder)
    before = model.identity()
    assert model.network.opened.fingerprint() == model.network.fingerprint()
    auto = transformers.AutoModelForCausalLM if kind == "tiny_causal" else transformers.AutoModelForMaskedLM
    module = auto.from_pretrained(folder)
    held = load_model(module, tokenizer=transformers.AutoTokenizer.from_pretrained(folder))
    assert before == load_model(folder).identity() and held.identity().split("@")[1] == before.split("@")[1]
    held_weights = dict(held.network.module.named_parameters())
    assert all(held_weights[name] is weight for name, weight in module.named_parameters())


@pytest.mark.parametrize("opened", [load_model, in_memory])
def test_weights_that_change_in_memory_are_another_model(opened, tiny_causal, scored):
    """However they are changed: in place, through .data, or as another tensor; and back again."""
    model, first = opened(tiny_causal), scored[1]
    before_all = model.identity()
    weight = model.network.opened.module.transformer.h[0].mlp.c_fc.weight
    before = weight.detach().clone()
    changes = (
        lambda: weight.data.mul_(-1),
        lambda: weight.data.copy_(before[torch.randperm(len(before), generator=torch.Generator().manual_seed(0))]),
        lambda: setattr(weight, "data", before * 2),
    )
    for change in changes:
        with torch.no_grad():
            change()
        found, alone = (evaluate(model, PAIRS, store=place) for place in (scored[0], None))
        assert found.table().equals(alone.table()) and not found.table().equals(first.table())
        assert found.signature.identity["model"] != before_all
    weight.data = before
    assert model.identity() == before_all


def hooked(network):
    return network.transformer.h[0].register_forward_hook(lambda part, given, found: torch.zeros_like(found))


BY_HAND = {
    "a hook": hooked,
    "a forward pass": lambda network: setattr(network.transformer.h[0].mlp, "forward", torch.zeros_like),
    "an activation": lambda network: setattr(network.transformer.h[1].mlp, "act", torch.nn.Identity()),
    "dropout": lambda network: network.train(),
}


@pytest.mark.parametrize("how", BY_HAND)
def test_a_network_that_is_changed_by_hand_is_not_served_the_scores_of_its_weights(how, tiny_causal, scored):
    model, (store, first) = load_model(tiny_causal), scored
    assert model.identity() == first.signature.identity["model"]
    BY_HAND[how](model.network.opened.module)
    found = evaluate(model, PAIRS, store=store)
    assert not found.table().equals(first.table())
    assert found.signature.identity["model"] != first.signature.identity["model"]


def test_a_network_in_memory_with_a_hook_is_not_the_network_of_its_weights(tiny_causal):
    held = in_memory(tiny_causal)
    module = held.network.module
    hook = hooked(module)
    assert load_model(module, tokenizer=held.tokenizer).identity() != held.identity()
    hook.remove()
    assert load_model(module, tokenizer=held.tokenizer).identity() == in_memory(tiny_causal).identity()


def test_a_tokenizer_that_changes_in_memory_is_another_model(tiny_causal):
    model = load_model(tiny_causal)
    before = model.identity()
    model.tokenizer.add_tokens(["author laughs"])
    assert model.identity() != before


def test_a_hash_is_not_kept_where_times_have_no_fractions(tiny_causal, hashes_folder, monkeypatch):
    """An image with clamped times, say: nothing but reading shows that a file there is another one."""
    real = hashes.state_of
    clamped = lambda files: [(path, size, 0, 10**18, inode) for path, size, *_, inode in real(files)]  # noqa: E731
    monkeypatch.setattr(hashes, "state_of", clamped)
    load_model(tiny_causal).identity()
    assert not hashes_folder.exists()
    monkeypatch.setattr(hashes, "state_of", real)
    load_model(tiny_causal).identity()
    assert len(list(hashes_folder.iterdir())) == 1


OWN_CODE = """
from transformers import GPT2LMHeadModel

class Own(GPT2LMHeadModel):
    def forward(self, *arguments, **options):
        found = super().forward(*arguments, **options)
        found.logits = found.logits * 1.0
        return found
"""


def test_the_own_code_of_a_trusted_model_is_part_of_it(tmp_path):
    folder, own = save_model(tmp_path / "model", "causal"), {"auto_map": {"AutoModelForCausalLM": "own.Own"}}
    rewritten(folder, "config.json", lambda content: content.update(own))
    found = []
    for factor in ("1.0", "-1"):
        (folder / "own.py").write_text(OWN_CODE.replace("1.0", factor))
        model = load_model(folder, trust_remote_code=True)
        runs = [evaluate(model, PAIRS, store=store) for store in (tmp_path / "store", None)]
        assert runs[0].table().equals(runs[1].table())
        found.append((model.identity(), runs[0].table()["MW"].item()))
    assert found[0][0] != found[1][0] and found[0][1] != found[1][1]


def test_other_policies_keep_the_fingerprint(tiny_causal, monkeypatch):
    model = load_model(tiny_causal)
    identity = model.identity()
    monkeypatch.setattr(hashes, "weights_digest", None)
    monkeypatch.setattr("tse_core.models.kinds.hugging_face.weights_digest", None)
    assert model.with_policies(bos="add").identity() == identity


def test_a_second_run_reads_no_weights(tiny_causal, scored, hashes_folder, monkeypatch):
    store, first = scored
    load_model(tiny_causal).identity()
    monkeypatch.setattr(hashes, "_read", lambda *_: pytest.fail("weights were read"))
    monkeypatch.setattr(LazyNetwork, "opened", property(lambda _: pytest.fail("weights were opened")))
    second = evaluate(tiny_causal, PAIRS, store=store)
    assert second.signature == first.signature and second.table().equals(first.table())


def test_weights_that_were_written_again_are_read_again_and_refused_where_the_old_ones_are_expected(tmp_path):
    folder = save_model(tmp_path / "model", "causal")
    model = load_model(folder)
    before, times = model.identity(), (folder / "model.safetensors").stat()
    save_model(folder, "causal", seed=1)
    os.utime(folder / "model.safetensors", ns=(times.st_atime_ns, times.st_mtime_ns))  # of the same size and date
    assert load_model(folder).identity() != before
    with pytest.raises(InputError, match=r"model.safetensors changed after the model was opened"):
        model.network.logits(None, None, None)


def test_a_damaged_fingerprint_is_worked_out_again(tiny_causal, hashes_folder):
    before = load_model(tiny_causal).identity()
    (kept,) = hashes_folder.iterdir()
    kept.write_bytes(b"\xff no hash")
    assert load_model(tiny_causal).identity() == before


def test_nothing_is_opened_before_the_first_logits(tiny_causal, monkeypatch):
    monkeypatch.setattr("tse_core.models.kinds.hugging_face.HuggingFaceNetwork", None)
    model = load_model(tiny_causal)
    assert model.vocabulary_size and model.network.parameter_count
    assert model.encode("The author laughs.").ids and model.identity()


def test_damaged_weights_are_told_when_the_model_is_opened(tmp_path):
    folder = save_model(tmp_path / "model", "causal")
    for content in (b"", b"\xff" * 8, b"\x10\x00\x00\x00\x00\x00\x00\x00{}"):
        (folder / "model.safetensors").write_bytes(content)
        with pytest.raises(InputError, match=r"model.safetensors: not a readable safetensors file"):
            load_model(folder)
