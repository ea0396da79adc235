"""Models in memory and with adapters: read as they are, not copied, not changed."""

import inspect
import json
import math
import shutil
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import gguf
import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.modeling_outputs import CausalLMOutput

from families import module_of
from tiny import words
from tse_core import InputError, evaluate, load_model, surprisals
from tse_core.models import adapters, network_in_files

PAIRS = pd.DataFrame(
    {"construction": "simple", "left": ["The author", "The authors"], "right": ".", "number": ["singular", "plural"],
     "correct": ["laughs", "laugh"], "wrong": ["laugh", "laughs"]}
)  # fmt: skip
SENTENCES = ["The authors laugh.", "The author that the guards like laughs."]
BASE = "base_model_name_or_path"


def opened(folder):
    transformers.set_seed(0)
    auto = transformers.AutoModelForCausalLM
    return auto.from_pretrained(folder), transformers.AutoTokenizer.from_pretrained(folder)


def alike(first, second) -> bool:
    """Whether surprisals are equal but for rounding: GPT-2's activation is computed in one step in opened files."""
    return np.allclose(first["surprisal"], second["surprisal"], atol=1e-4, equal_nan=True)


def test_a_model_in_memory_is_neither_copied_nor_changed(tiny_causal):
    module, tokenizer = opened(tiny_causal)
    module.train()
    before = {name: dict(vars(part)) for name, part in module.named_modules()}
    held = load_model(module, tokenizer)
    assert alike(surprisals(held, SENTENCES), surprisals(load_model(tiny_causal), SENTENCES))
    for name, part in module.named_modules():
        assert (
            vars(part).keys() == before[name].keys()
            and part.training
            and not part._forward_pre_hooks
        )
    assert held.network.module is module
    module(
        torch.tensor([[5, 6, 7]])
    ).logits.sum().backward()  # what a pass left behind is fit for training


class Doubling(torch.nn.Linear):
    def forward(self, states):
        return 2 * super().forward(states)


def patched_by_the_usual_idiom(module):
    module._original_forward = old = module.forward
    module.forward = lambda *given, **named: CausalLMOutput(logits=2 * old(*given, **named).logits)


def without_its_block(module):
    module.transformer.h[0].forward = lambda states, *_, **__: states


CHANGES = {
    "weights in place": lambda module: next(module.parameters()).data.mul_(2),
    "a hook that counts places": lambda module: module.register_forward_hook(
        lambda _, given, found: setattr(
            found, "logits", found.logits * (1 + torch.arange(found.logits.shape[1]))[None, :, None]
        )
    ),
    "another class": lambda module: setattr(module.lm_head, "__class__", Doubling),
    "a patched forward": without_its_block,
    "a forward patched by the usual idiom": patched_by_the_usual_idiom,
    "a hook at one token": lambda module: module.get_input_embeddings().register_forward_hook(
        lambda _, given, found: torch.where(
            (given[0] == 5 + words().index("authors"))[..., None], -3 * found, found
        )
    ),
    "an epsilon": lambda module: setattr(module.transformer.ln_f, "eps", 1.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_a_network_in_memory_is_scored_as_it_is_now_and_keeps_nothing(what, tiny_causal, tmp_path):
    module, tokenizer = opened(tiny_causal)
    module.eval()
    held = load_model(module, tokenizer)
    before = evaluate(held, PAIRS, store=tmp_path)
    assert held.identity() == f"{tiny_causal.name}@memory" and not held.keeps_results
    CHANGES[what](module)
    ids = torch.tensor([held.encode(sentence).ids for sentence in SENTENCES[:1]])
    with torch.no_grad():
        logits = module(ids).logits[0, :-1].log_softmax(-1)
    plain = logits[range(ids.shape[1] - 1), ids[0, 1:]] / -math.log(2)
    found = surprisals(held, SENTENCES[0])["surprisal"].iloc[1:]  # nothing precedes the first token
    assert found.tolist() == pytest.approx(plain.tolist(), abs=1e-4)
    after = evaluate(held, PAIRS, store=tmp_path)
    assert after.contexts["mw"].tolist() != before.contexts["mw"].tolist()
    assert not list(tmp_path.iterdir())


def test_training_on_under_one_word_serves_no_older_scores(tiny_causal, tmp_path):
    module, tokenizer = opened(tiny_causal)
    model = load_model(module, tokenizer, name="run-7", fingerprint="plain")
    before, identity = evaluate(model, PAIRS, store=tmp_path), model.identity()
    assert identity.startswith("run-7@") and model.keeps_results
    evaluate(model, PAIRS, store=tmp_path)
    assert model.identity() == identity
    with torch.no_grad():
        next(module.parameters()).mul_(2)
    after = evaluate(model, PAIRS, store=tmp_path)
    assert model.identity() != identity
    assert after.table().equals(evaluate(model, PAIRS, store=None).table())
    assert after.contexts["mw"].tolist() != before.contexts["mw"].tolist()


IDENTITY = {
    "a weight": lambda module: module.get_input_embeddings().weight.data[7].add_(1),
    "the configuration": lambda module: setattr(module.config, "n_head", 4),
}


@pytest.mark.parametrize("what", IDENTITY)
def test_weights_and_configuration_are_part_of_the_identity(what, tiny_causal):
    module, tokenizer = opened(tiny_causal)
    model = load_model(module, tokenizer, fingerprint="run-7")
    before = model.identity()
    surprisals(model, SENTENCES)
    assert model.identity() == before
    IDENTITY[what](module)
    assert model.identity() != before


def test_the_word_is_part_of_the_identity_and_no_empty_one_is_taken(tiny_causal):
    module, tokenizer = opened(tiny_causal)
    identities = set()
    for word in ("plain", "with a hook"):
        identities.add(load_model(module, tokenizer, fingerprint=word).identity())
    assert len(identities) == 2
    with pytest.raises(InputError, match="fingerprint is empty; it is a word of your own"):
        load_model(module, tokenizer, fingerprint=" ")


@pytest.mark.parametrize("family", ["Llama", "Gemma2"])
def test_trees_of_opened_files_and_the_own_logits_of_memory_give_the_same(
    family, tiny_causal, tmp_path
):
    tokenizer = opened(tiny_causal)[1]
    module = module_of(family, vocab_size=len(tokenizer))
    module.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    held, in_files = load_model(module, tokenizer, bos="none"), load_model(tmp_path, bos="none")
    assert in_files.network.takes_trees and not held.network.takes_trees
    assert alike(surprisals(held, SENTENCES), surprisals(in_files, SENTENCES))


def test_the_precision_that_is_said_is_the_one_that_is_used(tiny_causal):
    import accelerate

    module, tokenizer = opened(tiny_causal)
    held = load_model(module, tokenizer)
    expected = surprisals(held, SENTENCES)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert surprisals(held, SENTENCES).equals(expected)
        assert alike(surprisals(tiny_causal, SENTENCES), expected)
    accelerate.state.AcceleratorState._reset_state(
        reset_partial_state=True
    )  # of a test before this one
    prepared = accelerate.Accelerator(mixed_precision="bf16", cpu=True).prepare(
        module
    )  # as a Trainer with bf16=True
    forward = prepared.forward
    assert surprisals(load_model(prepared, tokenizer), SENTENCES).equals(expected)
    assert prepared.forward == forward and held.policies()["dtype"] == "float32"
    accelerate.utils.extract_model_from_parallel(prepared, keep_fp32_wrapper=False)
    module.bfloat16()
    assert held.policies()["dtype"] == "bfloat16" and not surprisals(held, SENTENCES).equals(
        expected
    )


def test_a_network_from_files_says_the_precision_that_it_was_given_since(tiny_causal):
    model = load_model(tiny_causal)
    assert model.policies()["dtype"] == "float32" and model.keeps_results
    model.network.module.half()
    assert model.policies()["dtype"] == "float16"
    assert model.identity() == f"{tiny_causal.name}@memory"  # its weights may be others by now


def test_a_context_is_read_to_its_own_end_where_another_one_begins_with_it(tiny_causal):
    module, tokenizer = opened(tiny_causal)
    module.transformer.h[0].register_forward_hook(
        lambda *_: torch.cat([_[2][:, :-1], -_[2][:, -1:]], dim=1)
    )
    held, lefts = (
        load_model(module, tokenizer, bos="none"),
        ["The author", "The author that the guards like"],
    )
    found = evaluate(
        held, PAIRS.assign(left=lefts, number="singular", correct="laughs", wrong="laugh")
    ).pairs
    for left, log in zip(lefts, found["log_probability_correct"], strict=True):
        plain = module(torch.tensor([tokenizer(left)["input_ids"]])).logits[0, -1].log_softmax(-1)
        assert log == pytest.approx(float(plain[held.word_ids(["laughs"])[0]]), abs=1e-4)


def test_a_configuration_that_changes_after_opening_is_not_read(adapter, tmp_path):
    expected, identity = surprisals(adapter[2], SENTENCES), load_model(adapter[2]).identity()
    base = shutil.copytree(
        json.loads((adapter[2] / "adapter_config.json").read_text())[BASE], tmp_path / "base"
    )
    files = {adapter[2] / "adapter_config.json": {BASE: str(base)}, base / "config.json": {}}
    for changes in (
        files,
        {file: {"lora_alpha": 64, "activation_function": "relu"} for file in files},
    ):
        for file, changed in changes.items():
            file.write_text(json.dumps(json.loads(file.read_text()) | changed))
        if changes is files:
            model = load_model(adapter[2])
    assert model.identity() == identity and surprisals(model, SENTENCES).equals(expected)


def test_threads_take_turns(tiny_causal):
    tokenizer = opened(tiny_causal)[1]
    modules = [
        module_of("Llama", vocab_size=len(tokenizer), initializer_range=spread)
        for spread in (0.2, 0.3, 0.4)
    ]
    for module in modules:
        module.lm_head = modules[0].lm_head
    models = [load_model(module, tokenizer) for module in modules]
    texts = [
        [f"The {noun} that the guards like laughs."] for noun in ("author", "pilot", "senator")
    ] * 12
    expected = [surprisals(models[i % 3], text)["surprisal"] for i, text in enumerate(texts)]
    with ThreadPoolExecutor(3) as pool:
        found = list(
            pool.map(lambda i: surprisals(models[i % 3], texts[i])["surprisal"], range(len(texts)))
        )
    assert all(
        np.allclose(one, other, atol=1e-5, equal_nan=True)
        for one, other in zip(expected, found, strict=True)
    )


@pytest.mark.parametrize("name", ["", "run 7", "a@b"])
def test_the_name_of_a_model_in_memory_is_one_word(name, tiny_causal):
    with pytest.raises(InputError, match="must be one word, such as 'run-7'"):
        load_model(*opened(tiny_causal), name=name)


def save_adapter(base, folder, settings):
    """The network of a folder with a random adapter, which is written into another folder."""
    import peft

    wrapped = peft.get_peft_model(opened(base)[0], settings).eval()
    with torch.no_grad():
        for weight in wrapped.parameters():
            if weight.requires_grad:
                weight.add_(torch.randn_like(weight) / 10)
    wrapped.save_pretrained(folder)
    file = folder / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {BASE: str(base)}))
    return wrapped


@pytest.fixture
def adapter(tiny_causal, tmp_path):
    peft = pytest.importorskip("peft")
    settings = peft.LoraConfig(
        r=2, target_modules=["c_attn"], init_lora_weights=False, fan_in_fan_out=True
    )
    wrapped = save_adapter(tiny_causal, tmp_path / "adapter", settings)
    return wrapped, opened(tiny_causal)[1], tmp_path / "adapter"


TOKENS = {"wte": [9, 40], "lm_head": [12, 55]}
TIED = {  # adapters of GPT-2, whose output embedding is its input embedding; whether peft alone merges them wrongly
    "the output": ({"target_modules": ["lm_head"]}, True),
    "the input": ({"target_modules": ["wte"]}, True),
    "both": ({"target_modules": ["wte", "lm_head"]}, True),
    "DoRA": ({"target_modules": ["lm_head"], "use_dora": True}, True),
    "rsLoRA": ({"target_modules": ["wte"], "use_rslora": True}, True),
    "a parameter": ({"target_modules": [], "target_parameters": ["lm_head.weight"]}, True),
    "tokens, other ones at each end": (
        {"target_modules": ["attn.c_proj"], "trainable_token_indices": TOKENS},
        True,
    ),
    "tokens": (
        {"target_modules": ["attn.c_proj"], "trainable_token_indices": [9, 12, 40, 55]},
        False,
    ),
    "a saved output": ({"target_modules": ["attn.c_proj"], "modules_to_save": ["lm_head"]}, False),
    "an input beside a saved output": (
        {"target_modules": ["wte"], "modules_to_save": ["lm_head"]},
        False,
    ),
    "tied ones": (
        {
            "target_modules": ["c_proj"],
            "modules_to_save": ["wte", "lm_head"],
            "ensure_weight_tying": True,
        },
        False,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("part", TIED)
@pytest.mark.filterwarnings("ignore::UserWarning:peft", "ignore::FutureWarning")
def test_an_adapter_of_tied_embeddings_is_merged_into_the_end_that_it_changes(
    part, tiny_causal, tmp_path, monkeypatch
):
    peft = pytest.importorskip("peft")
    changed, alone_is_wrong = TIED[part]
    settings = peft.LoraConfig(r=2, init_lora_weights=False, **changed)
    wrapped = save_adapter(tiny_causal, tmp_path / "adapter", settings)
    tokenizer = opened(tiny_causal)[1]
    held = surprisals(load_model(wrapped, tokenizer), SENTENCES)
    model = load_model(tmp_path / "adapter")
    assert alike(surprisals(model, SENTENCES), held)
    model.network.module.save_pretrained(tmp_path / "merged")
    tokenizer.save_pretrained(tmp_path / "merged")
    assert alike(surprisals(tmp_path / "merged", SENTENCES), held)
    identity = load_model(tmp_path / "adapter").identity()
    monkeypatch.setattr(network_in_files, "untied_parts", lambda *_: [])
    assert (load_model(tmp_path / "adapter").identity() != identity) == alone_is_wrong
    monkeypatch.setattr(adapters, "_untie", lambda _: None)
    if alone_is_wrong:
        with pytest.raises(
            InputError, match="adapter of type LORA, merged with the base model, gives other logits"
        ):
            surprisals(tmp_path / "adapter", SENTENCES)
    else:
        assert alike(surprisals(tmp_path / "adapter", SENTENCES), held)


def test_a_part_that_an_adapter_repeats_is_merged_once(tiny_causal, tmp_path):
    peft = pytest.importorskip("peft")
    module = module_of("Llama", vocab_size=len(opened(tiny_causal)[1]))
    module.save_pretrained(tmp_path / "base")
    opened(tiny_causal)[1].save_pretrained(tmp_path / "base")
    settings = peft.LoraConfig(r=2, target_modules=["q_proj"], layer_replication=[[0, 2], [1, 3]])
    wrapped = save_adapter(tmp_path / "base", tmp_path / "adapter", settings)
    model = load_model(tmp_path / "adapter")
    assert alike(
        surprisals(model, SENTENCES), surprisals(load_model(wrapped, model.tokenizer), SENTENCES)
    )


def test_an_adapter_as_an_object_as_a_folder_and_merged_gives_the_same_numbers(
    adapter, tiny_causal
):
    wrapped, tokenizer, folder = adapter
    held = surprisals(load_model(wrapped, tokenizer=tokenizer), SENTENCES)["surprisal"]
    opened = surprisals(folder, SENTENCES)["surprisal"]
    assert held.tolist() == pytest.approx(opened.tolist(), abs=1e-4)
    base = surprisals(tiny_causal, SENTENCES)["surprisal"]
    assert abs(held - base).max() > 0.01
    merged = wrapped.merge_and_unload()
    found = surprisals(load_model(merged, tokenizer=tokenizer), SENTENCES)["surprisal"]
    assert found.tolist() == pytest.approx(held.tolist(), abs=1e-3)


def test_the_numbers_of_an_adapter_are_those_of_a_version_of_peft(adapter):
    wrapped, tokenizer, folder = adapter
    for model in (load_model(folder), load_model(wrapped, tokenizer)):
        assert model.libraries == ("torch", "transformers", "tokenizers", "peft")


def test_an_adapter_s_folder_has_its_own_name_and_a_hash_of_all_that_changes_scores(
    adapter, tiny_causal
):
    folder = adapter[2]
    identity = load_model(folder).identity()
    assert (
        identity.startswith("adapter@") and identity[8:] != load_model(tiny_causal).identity()[-8:]
    )
    assert evaluate(folder, PAIRS).signature.model == "adapter"
    file = folder / "adapter_config.json"
    settings, found = json.loads(file.read_text()), {identity}
    for changed in (
        {"lora_alpha": 64},
        {"use_rslora": True},
        {"use_dora": True},
        {"alpha_pattern": {"c_attn": 2}},
    ):
        file.write_text(json.dumps(settings | changed))
        found.add(load_model(folder).identity())
    assert len(found) == 5


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_an_adapter_is_merged_in_single_precision(adapter, dtype):
    exact = surprisals(adapter[2], SENTENCES)["surprisal"].dropna()
    found = surprisals(load_model(adapter[2], dtype=dtype), SENTENCES)["surprisal"].dropna()
    assert 0 < abs(found - exact).mean() < {"float16": 0.01, "bfloat16": 0.1}[dtype]


def without(part):
    """Takes the tensors with this part in their names out of an adapter's file."""

    def change(folder):
        file = folder / "adapter_model.safetensors"
        save_file(
            {name: tensor for name, tensor in load_file(file).items() if part not in name}, file
        )

    return change


def of_one_layer(folder):
    file = folder / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"layers_to_transform": [0]}))


REFUSED = [  # what is done to an adapter's folder, and what is said
    (without("lora"), "adapter_model.safetensors lacks 4 tensors"),
    (without(".h.1."), "adapter_model.safetensors lacks 2 tensors"),
    (of_one_layer, "adapter_model.safetensors has no place in the base model for 2 tensors"),
    (
        lambda folder: (folder / "adapter_model.safetensors").unlink(),
        "holds no adapter_model.safetensors; weights are",
    ),
    (
        lambda folder: (folder / "adapter_config.json").write_text("{}"),
        "cannot be read as an adapter's settings",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_an_adapter_that_does_not_fit_is_refused(adapter, change, message):
    change(adapter[2])
    with pytest.raises(InputError, match=message):
        surprisals(adapter[2], SENTENCES)


NOT_MERGED = {
    "PromptTuning": "an adapter of type PROMPT_TUNING puts learned vectors before the text .*command:./my-model",
    "PromptEncoder": "an adapter of type P_TUNING puts learned vectors before the text .*command:./my-model",
    "PrefixTuning": "an adapter of type PREFIX_TUNING cannot be merged .* give this network to load_model",
}


@pytest.mark.parametrize("kind", NOT_MERGED)
def test_learned_vectors_before_the_text_are_refused(kind, tiny_causal, tmp_path):
    peft = pytest.importorskip("peft")
    settings = getattr(peft, f"{kind}Config")(task_type="CAUSAL_LM", num_virtual_tokens=3)
    wrapped = save_adapter(tiny_causal, tmp_path, settings)
    with pytest.raises(InputError, match=NOT_MERGED[kind]):
        load_model(tmp_path)
    tokenizer = opened(tiny_causal)[1]
    if kind != "PrefixTuning":
        with pytest.raises(InputError, match="gives no logits over a vocabulary"):
            surprisals(load_model(wrapped, tokenizer), SENTENCES)
        return
    ids = torch.tensor([tokenizer(SENTENCES[0])["input_ids"]])
    plain = wrapped(input_ids=ids).logits[0, :-1].log_softmax(-1)[
        range(ids.shape[1] - 1), ids[0, 1:]
    ] / -math.log(2)
    held = surprisals(load_model(wrapped, tokenizer), SENTENCES[0])["surprisal"].iloc[1:]
    assert held.tolist() == pytest.approx(plain.tolist(), abs=1e-4)


@pytest.mark.filterwarnings("ignore:Setting `save_embedding_layers` to `True`")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {},
            r"has \[\d+, 32\] for base_model.model.transformer.wte.weight, the base model \[\d+, 32\]; after",
        ),
        (
            {"trainable_token_indices": [1, -1]},
            "learned the token .* call resize_token_embeddings on the base model",
        ),
    ],
)
def test_an_adapter_of_a_larger_vocabulary_is_refused(changed, message, tiny_causal, tmp_path):
    peft = pytest.importorskip("peft")
    module, tokenizer = opened(tiny_causal)
    known = len(tokenizer)
    module.resize_token_embeddings(known + 2)
    changed = {key: [each % (known + 1) for each in tokens] for key, tokens in changed.items()}
    peft.get_peft_model(
        module, peft.LoraConfig(target_modules=["c_attn"], **changed)
    ).save_pretrained(tmp_path)
    file = tmp_path / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {BASE: str(tiny_causal)}))
    with pytest.raises(InputError, match=message):
        surprisals(tmp_path, SENTENCES)


BASES = {
    "model.gguf": "its base model model.gguf is a GGUF file, which takes no adapter",
    "smollm2-135m-instruct": "its base model smollm2-135m-instruct is a GGUF file",
    "/nowhere/at all": "unknown model '/nowhere/at all, the base model of ",
}


@pytest.mark.parametrize("base", BASES)
def test_a_base_model_that_takes_no_adapter_is_refused(base, adapter):
    file = adapter[2] / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {BASE: base}))
    with pytest.raises(InputError, match=BASES[base]):
        load_model(adapter[2])


def test_an_adapter_in_a_gguf_file_is_refused(tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "lora.gguf", "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(
        InputError, match="general.type is adapter, of type lora; merge it with its base"
    ):
        load_model(tmp_path / "lora.gguf")


def test_an_adapter_over_an_adapter_or_without_peft_is_refused(adapter, monkeypatch):
    file = adapter[2] / "adapter_config.json"
    settings = json.loads(file.read_text())
    file.write_text(json.dumps(settings | {BASE: str(adapter[2])}))
    with pytest.raises(
        InputError, match="its base model .* is an adapter, too; merge that one with its own base"
    ):
        load_model(adapter[2])
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(
        InputError, match="is a PEFT adapter of .*; pip install peft, or merge the two"
    ):
        load_model(adapter[2])


def test_a_device_map_gives_the_same_numbers(tiny_causal):
    assert surprisals(load_model(tiny_causal, device="map"), SENTENCES).equals(
        surprisals(tiny_causal, SENTENCES)
    )


def test_a_model_in_memory_needs_its_tokenizer(tiny_causal):
    module, tokenizer = opened(tiny_causal)
    with pytest.raises(InputError, match="needs its tokenizer: load_model"):
        load_model(module)
    with pytest.raises(InputError, match="a model in memory takes no dtype; leave dtype out"):
        load_model(module, tokenizer, dtype="float16")
    with pytest.raises(InputError, match="not in memory"):
        load_model(opened(tiny_causal)[0].to("meta"), tokenizer)
    for name, other in {"tokenizer": tokenizer, "name": "run-7"}.items():
        with pytest.raises(InputError, match=f"takes no {name}; leave {name} out"):
            load_model(tiny_causal, **{name: other})
    with pytest.raises(InputError, match="a name, a path or a Hugging Face model, not int"):
        load_model(3)


class Own(torch.nn.Module):
    """A network as nanoGPT has it: it takes `idx`, and gives logits at every place only where there are targets."""

    def __init__(self, module):
        super().__init__()
        self.config = SimpleNamespace(
            vocab_size=module.config.vocab_size, block_size=module.config.n_positions
        )
        self.inner = module

    def forward(self, idx, targets=None):
        logits = self.inner(idx).logits
        return (logits[:, [-1]], None) if targets is None else (logits, logits.mean())


def test_a_network_that_gives_logits_and_loss_is_read_in_the_wrapper_that_the_refusal_names(
    tiny_causal,
):
    module, tokenizer = opened(tiny_causal)
    own = Own(module.eval())
    for network in (own, torch.nn.Linear(2, 2)):
        with pytest.raises(
            InputError,
            match=r"is no Hugging Face model, .* help\(tse_core.load_model\) shows a wrapper",
        ):
            load_model(network, tokenizer)
    example = (
        inspect.cleandoc(load_model.__doc__)
        .partition("where there are targets::")[2]
        .partition("Parameters")[0]
    )
    names = {
        "torch": torch,
        "transformers": transformers,
        "load_model": load_model,
        "gpt": own,
        "tokenizer": tokenizer,
    }
    exec(textwrap.dedent(example), names)
    found = surprisals(names["model"].with_policies(bos="none"), SENTENCES)
    assert alike(found, surprisals(load_model(module, tokenizer, bos="none"), SENTENCES))
