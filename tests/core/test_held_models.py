"""Models in memory: read as they are, not copied, not changed."""

import inspect
import math
import textwrap
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from transformers.modeling_outputs import CausalLMOutput

from families import module_of
from held import alike, opened
from tiny import words
from tse_core import InputError, evaluate, load_model, surprisals

PAIRS = pd.DataFrame(
    {"construction": "simple", "left": ["The author", "The authors"], "right": ".", "number": ["singular", "plural"],
     "correct": ["laughs", "laugh"], "wrong": ["laugh", "laughs"]}
)  # fmt: skip
SENTENCES = ["The authors laugh.", "The author that the guards like laughs."]


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


@pytest.mark.slow
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
