"""Models in memory, with adapters, in a chat: read as they are, not copied, not changed."""

import json
import sys

import pandas as pd
import pytest
import torch
import transformers

from tse_core import InputError, evaluate, load_model, score_pairs, surprisals

SENTENCES = ["The authors laugh.", "The author that the guards like laughs."]
TEMPLATE = "{% for m in messages %}[CLS] {{ m['content'] }} [SEP]{% endfor %}{{ ' the' if add_generation_prompt }}"


def opened(folder):
    transformers.set_seed(0)
    auto = transformers.AutoModelForCausalLM
    return auto.from_pretrained(folder), transformers.AutoTokenizer.from_pretrained(folder)


def test_a_model_in_memory_is_neither_copied_nor_changed(tiny_causal):
    module, tokenizer = opened(tiny_causal)
    module.train()
    kinds = [type(part) for part in module.modules()]
    held = load_model(module, tokenizer=tokenizer)
    assert surprisals(held, SENTENCES).equals(surprisals(tiny_causal, SENTENCES))
    assert all(part.training for part in module.modules()) and kinds == [type(part) for part in module.modules()]
    assert not any(part._forward_hooks or "forward" in vars(part) for part in module.modules())
    places = {weight.data_ptr() for weight in module.parameters()}
    assert {weight.data_ptr() for weight in held.network.module.parameters()} == places
    with torch.no_grad():
        next(module.parameters()).add_(0.1)
    assert not surprisals(held, SENTENCES).equals(surprisals(tiny_causal, SENTENCES))  # it sees what training does


@pytest.fixture
def adapter(tiny_causal, tmp_path):
    peft = pytest.importorskip("peft")
    module, tokenizer = opened(tiny_causal)
    settings = peft.LoraConfig(r=2, target_modules=["c_attn"], init_lora_weights=False, fan_in_fan_out=True)
    wrapped = peft.get_peft_model(module, settings)
    wrapped.save_pretrained(tmp_path / "adapter")
    file = tmp_path / "adapter" / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"base_model_name_or_path": str(tiny_causal)}))
    return wrapped, tokenizer, tmp_path / "adapter"


def test_an_adapter_as_an_object_as_a_folder_and_merged_gives_the_same_numbers(adapter, tiny_causal):
    wrapped, tokenizer, folder = adapter
    held = surprisals(load_model(wrapped, tokenizer=tokenizer), SENTENCES)["surprisal"]
    opened = surprisals(folder, SENTENCES)["surprisal"]
    assert held.tolist() == pytest.approx(opened.tolist(), abs=1e-4)
    base = surprisals(tiny_causal, SENTENCES)["surprisal"]
    assert abs(held - base).max() > 0.01
    merged = wrapped.merge_and_unload()
    found = surprisals(load_model(merged, tokenizer=tokenizer), SENTENCES)["surprisal"]
    assert found.tolist() == pytest.approx(held.tolist(), abs=1e-3)


def test_an_adapter_has_its_own_name_and_hash(adapter, tiny_causal):
    wrapped, tokenizer, folder = adapter
    names = [load_model(m).identity() for m in (tiny_causal, folder)]
    names.append(load_model(wrapped, tokenizer=tokenizer).identity())
    assert len({name.split("@")[1] for name in names}) == 3
    assert [name.split("@")[0] for name in names[1:]] == ["adapter", f"{tiny_causal.name}+adapter"]
    assert evaluate(folder, "marvin-linzen/simple").signature.model == "adapter"
    file = folder / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"lora_alpha": 64}))
    assert load_model(folder).identity() != names[1]


def test_adapters_that_cannot_be_read_are_one_line(adapter, tmp_path, monkeypatch):
    import peft

    _, _, folder = adapter
    module, tokenizer = opened(json.loads((folder / "adapter_config.json").read_text())["base_model_name_or_path"])
    prompt = peft.get_peft_model(module, peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3))
    with pytest.raises(InputError, match=r"an adapter \(PROMPT_TUNING\) that puts vectors in front of the text"):
        load_model(prompt, tokenizer=tokenizer)
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with pytest.raises(InputError, match="holds no adapter_model.safetensors; weights are read from safetensors only"):
        load_model(folder)
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(InputError, match="is a PEFT adapter of .*; pip install peft, or give a folder with the merged"):
        load_model(folder)
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(InputError, match="adapter_config.json: cannot be read as an adapter's settings"):
        load_model(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda name: name.replace("base_model.model", "module"), "lacks 4 of the 4 tensors"),  # renamed
        (lambda name: name if ".h.0." in name else None, "lacks 2 of the 4 tensors"),  # of one layer only
    ],
)
def test_an_adapter_without_the_tensors_that_it_needs_is_refused(adapter, change, message):
    from safetensors.torch import load_file, save_file

    file = adapter[2] / "adapter_model.safetensors"
    save_file({new: tensor for name, tensor in load_file(file).items() if (new := change(name))}, file)
    with pytest.raises(InputError, match=rf"adapter_model\.safetensors {message}"):
        surprisals(adapter[2], SENTENCES)


def test_an_adapter_with_tensors_that_have_no_place_is_refused(adapter):
    file = adapter[2] / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"layers_to_transform": [0]}))
    with pytest.raises(InputError, match="2 of the 4 tensors in adapter_model.safetensors have no place"):
        surprisals(adapter[2], SENTENCES)


@pytest.mark.slow
def test_a_chat_is_a_policy_that_the_signature_names(tiny_causal):
    module, tokenizer = opened(tiny_causal)
    tokenizer.chat_template = TEMPLATE
    plain = load_model(module, tokenizer=tokenizer)
    chat = load_model(module, tokenizer=tokenizer, chat="like the guards")
    front = tokenizer("[CLS] like the guards [SEP] the", add_special_tokens=False)["input_ids"]
    sentence = plain.with_policies(bos="none").encode("The author laughs.").ids
    assert chat.encode("The author laughs.").ids == (*front, *sentence)
    assert "chat" not in plain.policies()
    policy = chat.policies()
    assert policy["bos"] == "template" and policy["chat"].startswith("like the guards@")
    assert chat.identity() == plain.identity()
    pairs = score_pairs(chat, pd.DataFrame({"good": ["The authors laugh."], "bad": ["The authors laughs."]}))
    assert pairs["length_good"].tolist() == [4] and not pairs["unscored_difference"].any()
    tokenizer.chat_template = TEMPLATE.replace("[SEP]", "[SEP] [SEP]")
    assert load_model(module, tokenizer=tokenizer, chat="like the guards").policies() != policy


@pytest.mark.slow
def test_a_chat_where_there_can_be_none(tiny_causal, tiny_masked):
    with pytest.raises(InputError, match="has no chat template; leave chat out"):
        load_model(tiny_causal, chat="Say something.")
    with pytest.raises(InputError, match="chat is for causal models"):
        load_model(tiny_masked, chat="Say something.")
    with pytest.raises(InputError, match="its template says what is read before a sentence .no bos."):
        load_model(tiny_causal, chat="Say something.", bos="add")
    module, tokenizer = opened(tiny_causal)
    tokenizer.chat_template = "{{ raise_exception('no system message') }}"
    with pytest.raises(InputError, match="the chat template of .* takes no message .no system message"):
        load_model(module, tokenizer=tokenizer, chat="Say something.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ 9 ** (9 ** 9) }}", "does not end within 8 seconds"),
        ("{% for i in range(99999) %}{{ 'a' * 999 }}{% endfor %}", "does not end within 4,194,304 bytes"),
        ("{{ 'a' * 10 ** 11 }}", "takes no message .MemoryError."),
    ],
)
def test_a_chat_template_that_does_not_end_is_refused(tiny_causal, template, message, monkeypatch):
    monkeypatch.setattr("tse_core.models.chat.LONGEST", 8.0)
    module, tokenizer = opened(tiny_causal)
    tokenizer.chat_template = template
    with pytest.raises(InputError, match=f"the chat template of .* {message}"):
        load_model(module, tokenizer=tokenizer, chat="Say something.")


def test_a_device_map_gives_the_same_numbers(tiny_causal):
    pytest.importorskip("accelerate")
    assert surprisals(load_model(tiny_causal, device="map"), SENTENCES).equals(surprisals(tiny_causal, SENTENCES))
