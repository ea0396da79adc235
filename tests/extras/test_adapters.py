"""Folders with PEFT adapters: merged with their base models, or refused."""

import json
import math
import shutil
import sys

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from families import module_of
from held import alike, opened
from tse_core import InputError, evaluate, load_model, surprisals
from tse_extras import adapters

PAIRS = pd.DataFrame(
    {"construction": "simple", "left": ["The author", "The authors"], "right": ".", "number": ["singular", "plural"],
     "correct": ["laughs", "laugh"], "wrong": ["laugh", "laughs"]}
)  # fmt: skip
SENTENCES = ["The authors laugh.", "The author that the guards like laughs."]
BASE = "base_model_name_or_path"


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
    monkeypatch.setattr(adapters, "untied_parts", lambda *_: [])
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


def settings(text):
    return lambda folder: (folder / "adapter_config.json").write_text(text)


REFUSED = [  # what is done to an adapter's folder, and what is said
    (without("lora"), "adapter_model.safetensors lacks 4 tensors"),
    (without(".h.1."), "adapter_model.safetensors lacks 2 tensors"),
    (of_one_layer, "adapter_model.safetensors has no place in the base model for 2 tensors"),
    (
        lambda folder: (folder / "adapter_model.safetensors").unlink(),
        "holds no adapter_model.safetensors; weights are",
    ),
    (settings("{}"), "cannot be read as an adapter's settings"),
    (settings("[" * 100_000), "adapter_config.json: cannot be read as JSON .*nested too deep"),
    (settings('{"base_model_name_or_path": 7}'), "settings .base_model_name_or_path is 7, no text"),
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
    "model.gguf": "its base model model.gguf takes no adapter; adapter_config.json must name",
    "smollm2-135m-instruct": "its base model smollm2-135m-instruct takes no adapter",
    "/nowhere/at all": "its base model cannot be had: unknown model '/nowhere/at all'",
}


@pytest.mark.parametrize("base", BASES)
def test_a_base_model_that_takes_no_adapter_is_refused(base, adapter):
    file = adapter[2] / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {BASE: base}))
    with pytest.raises(InputError, match=BASES[base]):
        load_model(adapter[2])


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
