"""Every public function takes a name, a path or an object; a model that gives surprisals only scores what it can."""

import math
import sys

import pandas as pd
import pytest
from test_command_model import SCRIPT

from tse_core import InputError, load_model, score_pairs, surprisals
from tse_core.models.backends.command import CommandModel
from tse_core.models.coerce import as_model

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


def test_a_command_takes_no_choices_that_are_its_own(command, monkeypatch):
    with pytest.raises(InputError, match="has its own dtype; leave dtype out"):
        load_model(command, dtype="float16")
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


def test_a_model_in_memory_needs_its_tokenizer(tiny_causal):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    module, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_causal), AutoTokenizer.from_pretrained(tiny_causal)
    with pytest.raises(InputError, match="needs its tokenizer: load_model"):
        load_model(module)
    with pytest.raises(InputError, match="a model in memory has its own dtype; leave dtype out"):
        load_model(module, tokenizer, dtype="float16")
    for name, other in {"tokenizer": tokenizer, "name": "run-7"}.items():
        with pytest.raises(InputError, match=f"has its own {name}; leave {name} out"):
            load_model(tiny_causal, **{name: other})
    with pytest.raises(InputError, match="a name, a path or a Hugging Face model, not int"):
        load_model(3)
    held = load_model(module, tokenizer)
    found, opened = (surprisals(model, "The author laughs.")["surprisal"] for model in (held, tiny_causal))
    assert found.tolist() == pytest.approx(opened.tolist(), abs=1e-5)
