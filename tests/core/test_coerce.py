"""Every public function takes a name, a path or an object; a model that gives surprisals only scores what it can."""

import math
import sys

import pandas as pd
import pytest
from test_command_model import SCRIPT

import tse_core
from tse_core import InputError, evaluate, evaluate_blimp, evaluate_suite, load_model, score_pairs, surprisals
from tse_core.models.coerce import as_model
from tse_core.models.kinds.command import CommandModel
from tse_core.models.language_model import LanguageModel
from tse_core.models.surprisal_model import SurprisalModel

LAB = "lab-systematic-causal"
PAIRS = pd.DataFrame({"good": ["The cat runs .", "The cats run ."], "bad": ["The cats runs .", "The dogs run ."]})


@pytest.fixture
def command(tmp_path):
    """A made-up model behind a command: a word's surprisal is its number of letters, and <eos> has five more bits."""
    script = tmp_path / "letters.py"
    script.write_text(SCRIPT.replace("{python}", sys.executable))
    return f"command:{sys.executable} {script}"


def test_a_model_by_name_by_path_and_as_an_object_is_the_same(tiny_causal):
    by_path, as_object = surprisals(tiny_causal, "The author laughs."), load_model(tiny_causal)
    assert by_path.equals(surprisals(str(tiny_causal), "The author laughs."))
    assert by_path.equals(surprisals(as_object, "The author laughs."))
    assert as_model(as_object) is as_object
    assert surprisals(LAB, "The author laughs.")["scored"].tolist() == [False, True, True, True]


def test_every_function_takes_names_and_a_store_by_its_path(tmp_path):
    assert score_pairs(LAB, PAIRS).equals(score_pairs(load_model(LAB), PAIRS))
    name = tse_core.load_sentence_pairs("laboratory")["paradigm"].iloc[0]
    runs = [
        evaluate(LAB, "marvin-linzen/simple", store=str(tmp_path)),
        evaluate_blimp(LAB, f"laboratory/{name}", store=str(tmp_path)),
        evaluate_suite(LAB, "lab_number_prep", store=str(tmp_path)),
    ]
    assert [run.signature.model for run in runs] == [LAB] * 3
    assert runs[0].signature.policy["lemmas"].startswith(f"{tse_core.load_lemmas().name}@")
    assert tse_core.load_lemmas().name == "newman-clean"


def test_a_command_is_a_model_that_gives_surprisals_only(command):
    model = load_model(command)
    assert isinstance(model, CommandModel) and isinstance(model, SurprisalModel)
    assert not isinstance(model, LanguageModel)
    with pytest.raises(InputError, match="gives surprisals only; this needs distributions over a vocabulary"):
        evaluate(command, "marvin-linzen/simple")


def test_a_command_takes_no_choices_that_are_its_own(command, monkeypatch):
    choices = {"kind": "causal", "device": "cpu", "dtype": "float16", "revision": "main", "bos": "add"}
    for option, value in choices.items():
        with pytest.raises(InputError, match=f"has its own {option}; leave {option} out"):
            load_model(command, **{option: value})
    for choice in ({"bos": "add"}, {"space": True}):
        with pytest.raises(InputError, match="itself decides what is read before"):
            surprisals(command, "The cat runs .", **choice)
    with pytest.raises(InputError, match="'pll' does not suit the command model"):
        surprisals(command, "The cat runs .", method="pll")
    monkeypatch.setattr(CommandModel, "token_surprisals", None)  # nothing is scored before
    with pytest.raises(InputError, match="is not a causal model; word boundaries belong to causal models only"):
        surprisals(command, "The cat runs .", boundary=True)


def test_pairs_of_a_command_sum_its_tokens(command):
    scores = score_pairs(command, PAIRS)  # The cat runs . / The cats runs . : 11 and 12 letters; <unk> has 5
    assert scores["logp_good"].tolist() == pytest.approx([-11 * math.log(2), -11 * math.log(2)])
    assert scores["logp_bad"].tolist() == pytest.approx([-12 * math.log(2), -12 * math.log(2)])
    assert scores["correct"].tolist() == [1, 1] and scores["length_good"].tolist() == [4, 4]
    assert scores["unknown_critical"].tolist() == [False, True] and not scores["unscored_difference"].any()


def test_the_prefix_methods_count_the_critical_word_only(command):
    pairs = pd.DataFrame(
        {"one_prefix_prefix": ["The cats"], "one_prefix_word_good": ["run"], "one_prefix_word_bad": ["runs"]}
    )
    scores = score_pairs(command, pairs, "one-prefix").iloc[0]
    assert (scores["logp_good"], scores["logp_bad"]) == pytest.approx((-3 * math.log(2), -4 * math.log(2)))


def test_blimp_and_surprisals_behind_a_command(command, tmp_path):
    run = evaluate_blimp(command, PAIRS.assign(paradigm="p", pair_id=["1", "2"]), store=tmp_path)
    assert run.accuracy("all")["accuracy"].iloc[0] == 1 and run.signature.policy["score"] == "command"
    words = surprisals(command, "The cat runs .", unit="word")
    assert words["surprisal"].tolist() == [3.0, 3.0, 4.0, 1.0]


def test_a_baseline_refuses_what_it_cannot_do(tmp_path):
    from tse_book.baselines.baselines import save_baseline, train_baseline

    save_baseline(train_baseline("ngram", ["The key is old.", "The keys are old."], order=2), tmp_path / "two-gram")
    wrong = {"kind": "masked", "dtype": "float16", "revision": "main", "device": "cuda"}
    for (option, value), right in zip(wrong.items(), ("causal", "float32", None, "cpu"), strict=True):
        with pytest.raises(InputError, match=f"is a baseline .ngram.; {option} can only be {right!r}, not {value!r}"):
            load_model(tmp_path / "two-gram", **{option: value})
    assert load_model(tmp_path / "two-gram", bos="add").bos_read == "[BOS]"


def test_a_model_in_memory_needs_its_tokenizer(tiny_causal):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    module, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_causal), AutoTokenizer.from_pretrained(tiny_causal)
    with pytest.raises(InputError, match="needs its tokenizer: load_model"):
        load_model(module)
    with pytest.raises(InputError, match="keeps its device and its precision"):
        load_model(module, tokenizer=tokenizer, dtype="float16")
    with pytest.raises(InputError, match="brings its own tokenizer"):
        load_model(tiny_causal, tokenizer=tokenizer)
    with pytest.raises(InputError, match="a name, a path or a Hugging Face model, not int"):
        load_model(3)
    held = load_model(module, tokenizer=tokenizer)
    assert surprisals(held, "The author laughs.").equals(surprisals(tiny_causal, "The author laughs."))
