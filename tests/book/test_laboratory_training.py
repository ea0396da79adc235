"""Training the laboratory models, in whole words and in byte pairs: repeatable, read by every tool."""

import json
import runpy
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from tse_book.laboratory import training
from tse_book.laboratory.byte_pair import Pieces, byte_pair_tokenizer
from tse_book.laboratory.corpus import as_text, draw
from tse_book.laboratory.language import MODEL_KINDS, load_language
from tse_book.laboratory.training import _batches, _tensors, plan_for, train
from tse_core import load_model
from tse_core.errors import InputError
from tse_core.paths import data_folder

LANGUAGE = load_language()


@pytest.fixture(scope="module", autouse=True)
def few_held_out_sentences():
    """Perplexity is measured on 64 sentences instead of 2,048; no test asks how large it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            training, "held_out_perplexity", partial(training.held_out_perplexity, count=64)
        )
        yield


def small(kind: str, **changes):
    return replace(plan_for(f"lab-lexical-{kind}"), steps=6, batch=16, **changes)


@pytest.fixture(scope="module")
def trained(few_held_out_sentences, tmp_path_factory):
    """A trained folder of either kind, the causal one with its checkpoints."""
    place = tmp_path_factory.mktemp("trained")
    causal = train(small("causal"), place / "causal", checkpoints="log")
    return {"causal": causal, "masked": train(small("masked"), place / "masked")}


def weights(folder):
    return load_file(folder / "model.safetensors")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(trained, tmp_path):
    again, other = (
        train(small("masked"), tmp_path / "0"),
        train(small("masked", seed=1), tmp_path / "1"),
    )
    first, second, third = map(weights, (trained["masked"], again, other))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not any(
        torch.equal(first[name], third[name]) for name in first if name.endswith("query.weight")
    )
    with pytest.raises(InputError, match="exists already"):
        train(small("masked"), again)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "auto"), [("causal", AutoModelForCausalLM), ("masked", AutoModelForMaskedLM)]
)
def test_plain_transformers_reads_the_folder(trained, kind, auto):
    network, tokenizer = (
        auto.from_pretrained(trained[kind]),
        AutoTokenizer.from_pretrained(trained[kind]),
    )
    assert json.loads((trained[kind] / "config.json").read_text())["architectures"] == [
        type(network).__name__
    ]
    assert network.dtype == torch.float32
    inputs = tokenizer("The authors that the guard likes laugh, today.", return_tensors="pt")
    words = ["the", "authors", "that", "the", "guard", "likes", "laugh", ",", "today", "."]
    expected = words if kind == "causal" else ["[CLS]", *words, "[SEP]"]
    assert tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]) == expected
    with torch.inference_mode():
        assert network(**inputs).logits.shape == (1, len(expected), len(LANGUAGE.vocabulary))
    if kind == "causal":
        steps = sorted(path.name for path in (trained[kind] / "checkpoints").iterdir())
        assert steps == ["step-00001", "step-00002", "step-00004"]


def test_a_small_corpus_is_repeated_in_every_epoch_in_another_order():
    plan = small("causal", sentences=32)
    steps = [[tuple(row) for row in rows] for rows in _batches(plan, LANGUAGE)]
    epochs = [steps[0] + steps[1], steps[2] + steps[3], steps[4] + steps[5]]
    assert sorted(epochs[0]) == sorted(epochs[1]) == sorted(epochs[2])
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize("kind", MODEL_KINDS)
def test_what_a_model_must_predict_is_the_next_word_or_hidden_and_nothing_else(kind):
    plan, words = small(kind, sentences=64), LANGUAGE.vocabulary
    rows, predicted, starts = next(_batches(replace(plan, batch=64), LANGUAGE)), 0, []
    for inputs, targets in _tensors(rows, plan, LANGUAGE, np.random.default_rng(0)):
        there = targets >= 0
        predicted += int(there.sum())
        starts += (inputs[:, 0] == words.index("[BOS]")).tolist()
        if kind == "masked":
            assert torch.equal(inputs == words.index("[MASK]"), there)
        else:
            assert torch.equal(inputs[:, 1:][there[:, 1:]], targets[:, :-1][there[:, 1:]])
    share = predicted / sum(map(len, rows)) if kind == "masked" else np.mean(starts)
    assert (0.15 < share < 0.35) if kind == "masked" else (0.3 < share < 0.7)


ENTRIES = 600  # of a byte-pair vocabulary


@pytest.fixture(scope="module")
def tokens():
    return byte_pair_tokenizer(LANGUAGE, "lexical", ENTRIES)


@pytest.mark.slow
def test_tokens_spell_every_sentence_again_and_words_cut_one_by_one_are_the_sentence_cut(tokens):
    pieces = Pieces(LANGUAGE, tokens)
    for row in draw(LANGUAGE, "lexical", 200, np.random.default_rng(0)):
        sentence = as_text([LANGUAGE.vocabulary[word] for word in row])
        ids = tokens(sentence)["input_ids"]
        assert pieces(row).tolist() == ids and tokens.decode(ids) == sentence.lower()


@pytest.mark.slow
def test_a_trained_folder_carries_its_tokens(tmp_path, tokens):
    plan = plan_for("lab-lexical-causal", steps=2, batch=16, byte_pair=ENTRIES)
    folder = train(plan, tmp_path / "lab-lexical-causal-bpe")
    assert AutoTokenizer.from_pretrained(folder).get_vocab() == tokens.get_vocab()
    assert weights(folder)["transformer.wte.weight"].shape[0] == ENTRIES
    assert f"--byte-pair {ENTRIES}" in (folder / "README.md").read_text()
    model = load_model(folder)
    forms = [[*LANGUAGE.lemmas[number]] for number in ("singular", "plural")]
    whole = [None not in both for both in zip(*map(model.word_ids, forms), strict=True)]
    assert sum(whole) == Pieces(LANGUAGE, tokens).whole_verbs(LANGUAGE)


@pytest.mark.slow
def test_where_every_word_is_an_entry_whole_words_are_single_entries():
    model = load_model("lab-lexical-causal")
    measure = runpy.run_path(str(data_folder() / "recorded" / "laboratory" / "measure.py"))[
        "against_truth_by_words"
    ]
    found = measure(model, "lexical", "marvin-linzen/simple", ways=("single", "words"), sample=2)
    single, words = found.set_index("forms").loc[["single", "words"]].to_dict("records")
    assert single["lemmas"] == words["lemmas"] == len(LANGUAGE.lemmas)
    for score in ("EW", "MW"):
        assert single[score] == pytest.approx(words[score], abs=1e-6)
        assert single[score] == pytest.approx(single[f"true_{score}"], abs=0.03)
