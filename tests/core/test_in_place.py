"""Gaps where no space stands: a form is what follows the tokens of the text before it."""

import numpy as np
import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import BPE
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from tse_core import InputError, evaluate, evaluate_models, load_model
from tse_core.agreement.settings import VerbPolicy
from tse_core.agreement.slots import marked_distribution
from tse_core.agreement.verbs import (
    CountedVerbs,
    at_all_slots,
    verbs_at_slots,
    warn_of_few_lemmas,
)
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import TseWarning
from tse_core.models.slots import read, spellings_in_place

LEMMAS = pd.DataFrame(
    {"lemma": ["exist", "see"], "singular": ["ある", "見る"], "plural": ["いる", "読む"]}
)


def pair(left, correct, wrong):
    return {"left": left, "right": "。", "correct": correct, "wrong": wrong, "number": "singular"}


PAIRS = [pair("本が", "ある", "いる"), pair("本は", "ある", "いる"), pair("本は", "見る", "読む")]


@pytest.fixture(scope="module")
def characters():
    """It joins が and the beginning of ある."""
    return model_of_characters(merges=[("が", "あ")])


def model_of_characters(merges=(), last="a", missing=0):
    """A random causal model of characters, without logits for so many of the last entries."""
    characters = "本がはあるい見読む。 a".replace(last, "") + last
    entries = ["</s>", "があ", "The", *characters]
    tokenizer = Tokenizer(BPE({entry: i for i, entry in enumerate(entries)}, list(merges)))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>")
    torch.manual_seed(0)
    size = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 32, "initializer_range": 0.4}
    network = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer) - missing, **size)).eval()
    return load_model(network, tokenizer, name="characters").with_policies(bos="none")


def by_hand(model, left, form):
    """log P of the characters of a form after a text, by transformers alone."""
    ids = [model.tokenizer.convert_tokens_to_ids(character) for character in left + form]
    with torch.no_grad():
        logs = model.network.module(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return sum(logs[i - 1, ids[i]].item() for i in range(len(left), len(ids)))


def scored(model, pairs):
    return evaluate(model, pd.DataFrame(pairs), LEMMAS, verbs="all", word_end=False, store=None)


def test_a_form_follows_the_tokens_of_the_text_before_it(characters):
    run = scored(characters, PAIRS)
    values = run.pairs[["log_probability_correct", "log_probability_wrong"]].to_numpy()
    expected = [
        [np.nan, by_hand(characters, "本が", "いる")],  # があ is one token
        [by_hand(characters, "本は", "ある"), by_hand(characters, "本は", "いる")],
        [by_hand(characters, "本は", "見る"), by_hand(characters, "本は", "読む")],
    ]
    np.testing.assert_allclose(values, expected, atol=1e-5)
    assert np.isnan(run.pairs["tse"]).tolist() == [True, False, False]


def test_lemmas_count_whose_forms_can_be_looked_up_in_every_gap(characters):
    both, one = scored(characters, PAIRS), scored(characters, PAIRS[1:])
    assert both.lemmas["lemma"].tolist() == ["see"]
    assert sorted(one.lemmas["lemma"]) == ["exist", "see"]
    policies = [run.signature.policy["spelling"] for run in (both, one)]
    assert all(policy.startswith("in-place@") for policy in policies)
    assert policies[0] != policies[1]


def test_the_end_of_a_word_is_not_counted_where_nothing_shows_it(characters):
    with pytest.raises(InputError, match="nothing shows where a word ends"):
        evaluate(characters, pd.DataFrame(PAIRS), LEMMAS, verbs="all", store=None)


def test_words_after_a_space_are_spelled_in_place_as_everywhere(small_models):
    words = ["laughs", "are", "modernizes"]
    for name in ("random-gpt2", "random-roberta", "random-bert-cased"):
        model = load_model(small_models / name)
        (prompt,) = read(model, [("The author", "here.")], in_place=True)
        assert spellings_in_place(model, prompt, words) == model.spellings(words)
        (after_space,) = read(model, [("The author", "here.")])
        assert prompt[:2] == after_space[:2]


def test_a_context_at_which_no_verb_can_be_looked_up_is_named(characters):
    how = {"verbs": "all", "word_end": False, "store": None}
    with pytest.raises(
        InputError, match="1 of 2 contexts .* no lemma of verbs, the first '本が___。'"
    ):
        evaluate(characters, pd.DataFrame(PAIRS), LEMMAS.iloc[:1], **how)


def test_a_length_that_differs_between_slots_is_missing():
    ids = np.zeros((2, 2), dtype=np.int64)
    lemmas = pd.DataFrame({"lemma": ["see", "exist"], "tokens": [1, 2]})
    first = CountedVerbs(lemmas, ids, {})
    other = CountedVerbs(lemmas.assign(tokens=[1, 3]), ids, {})
    assert at_all_slots([first, first]).lemmas is lemmas
    tokens = at_all_slots([first, other, first]).lemmas["tokens"]
    assert tokens.isna().tolist() == [False, True] and tokens[0] == 1


def test_shared_verbs_count_in_the_gaps_of_all_models_in_any_order(characters):
    """Without the entry があ a model counts both verbs everywhere; beside it the other does not."""
    models = {"characters": characters, "apart": model_of_characters(merges=[])}
    counted = []
    for names in (list(models), list(models)[::-1]):
        runs = evaluate_models(
            {name: models[name] for name in names},
            pd.DataFrame(PAIRS),
            LEMMAS,
            shared=True,
            verbs="all",
            word_end=False,
            store=None,
        )
        counted += [run.lemmas["lemma"].tolist() for _, run in runs.runs]
    assert counted == [["see"]] * 4
    alone = scored(models["apart"], PAIRS)
    assert sorted(alone.lemmas["lemma"]) == ["exist", "see"]


def test_a_form_with_an_entry_that_the_network_lacks_does_not_count():
    model = model_of_characters(last="む", missing=1)
    run = scored(model, PAIRS[1:])
    assert run.lemmas["lemma"].tolist() == ["exist"]
    assert np.isnan(run.pairs["tse"]).tolist() == [False, True]


def test_a_short_list_is_said_to_be_one_of_these_gaps(characters):
    many = [(f"v{i}", "読る" + "る" * i, "読む" + "む" * i) for i in range(30)]
    verbs = pd.DataFrame(many, columns=["lemma", "singular", "plural"])
    lemmas = Lemmas("verbs", pd.concat([LEMMAS, verbs]))
    (prompt,) = read(characters, [("本は", "。")], in_place=True)
    (counted,) = verbs_at_slots(characters, Lemmas("two", LEMMAS), VerbPolicy("any"), [prompt])
    with pytest.warns(TseWarning, match="only 2 of 32 lemmas of verbs in these gaps"):
        warn_of_few_lemmas(characters.label, counted, lemmas, in_place=True)


def test_a_distribution_is_marked_as_its_gap_spells_the_forms(characters):
    lemmas = pd.DataFrame({"lemma": ["look"], "singular": ["見"], "plural": ["読"]})
    marked = marked_distribution(characters, "本は___。", "plural", lemmas).set_index("token")
    assert marked["form"][["見", "読", "る"]].tolist() == ["wrong", "correct", "other"]
