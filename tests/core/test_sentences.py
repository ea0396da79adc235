"""Sentence scores: against a plain loop, against minicons, and what must not change them."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

import tse_core
from tiny import save_unigram_model
from tse_core.errors import InputError
from tse_core.paths import data_folder
from tse_core.sentences.preferences import judged, score_pairs
from tse_core.sentences.tokens import surprisals, token_surprisals

GOLDEN, STAND_INS = (
    json.loads((Path(__file__).parents[1] / "golden" / name).read_text())
    for name in ("minicons.json", "minicons_stand_ins.json")
)
SENTENCES = ["The keys to the cabinet are on the table.", "Who couldn't admire her?", "Dogs bark."]


@pytest.fixture(scope="module")
def models(small_models):
    names = ("random-gpt2", "random-bert-cased", "random-roberta", "stories260K")
    return {
        name: tse_core.load_model(small_models / name, device="cpu", bos="tokenizer")
        for name in names
    }


@pytest.fixture(scope="module")
def minicons(reference_data):
    """Sentences and their scores: this project's own by the stand-ins, those of BLiMP by the reference models."""
    if reference_data is None:
        return STAND_INS["sentences"], STAND_INS["scores"]
    folder = next((reference_data / "mirror" / "alexwarstadt" / "blimp").glob("*/data"))
    lines = {
        uid: (folder / f"{uid}.jsonl").read_text().splitlines()
        for uid in {u for u, _, _ in GOLDEN["sentences"]}
    }
    sentences = [
        json.loads(lines[uid][line])[f"sentence_{side}"] for uid, line, side in GOLDEN["sentences"]
    ]
    return sentences, GOLDEN["scores"]


def pairs(**fields):
    return pd.DataFrame({"good": ["The keys are old."], "bad": ["The keys is old."]} | fields)


def total(scores):
    """Log-probability of a sentence in nats."""
    return -scores.bits.sum() * math.log(2)


def plain_loop(model, sentence, bos):
    """log P of one sentence by one unbatched pass: no caching, no sharing."""
    ids = model.tokenizer(sentence, add_special_tokens=False)["input_ids"]
    ids = [model.tokenizer.bos_token_id, *ids] if bos else ids
    with torch.no_grad():
        logits = model.network.module(torch.tensor([ids])).logits[0].double()
    return sum(logits[i].log_softmax(-1)[ids[i + 1]].item() for i in range(len(ids) - 1))


@pytest.mark.parametrize(("name", "bos"), [("random-gpt2", "none"), ("stories260K", "add")])
def test_full_sentences_equal_a_plain_loop(models, name, bos):
    """On both sentences of a pair of each kind that BLiMP has."""
    examples = pd.read_csv(data_folder() / "blimp" / "examples.csv")
    sentences = [*examples["good"], *examples["bad"]]
    scores = token_surprisals(models[name], sentences, bos=bos)
    expected = [plain_loop(models[name], sentence, bos == "add") for sentence in sentences]
    np.testing.assert_allclose([total(s) for s in scores], expected, atol=1e-4)


DIALOGUES = [
    ("Who left?\n\nThe guests did.", "Who left?\n\nThe guests does."),
    ("It is late.  We go home.", "It is late.  We goes home."),
]


def test_line_breaks_and_double_spaces_are_scored_as_they_stand(models):
    table = pd.DataFrame(DIALOGUES, columns=["good", "bad"])
    scores = score_pairs(models["random-gpt2"], table, bos="add")
    for side in ("good", "bad"):
        expected = [plain_loop(models["random-gpt2"], sentence, True) for sentence in table[side]]
        np.testing.assert_allclose(scores[f"logp_{side}"], expected, atol=1e-4)
    words = surprisals(models["random-gpt2"], table["good"].tolist(), unit="word")
    assert [list(word) for _, word in words.groupby("sentence")["word"]] == [
        text.split() for text in table["good"]
    ]


@pytest.mark.parametrize("key", list(GOLDEN["scores"]))
def test_scores_equal_minicons(models, minicons, key):
    """Full sentences, PLL and PLL-l2r; minicons puts no space before RoBERTa's first word."""
    name, method = key.split("/")
    sentences, expected = minicons[0], minicons[1][key]
    scores = token_surprisals(models[name], sentences[: len(expected)], method=method, space=False)
    np.testing.assert_allclose([total(s) for s in scores], expected, atol=1e-4)


def test_the_first_token_needs_something_before_it(models):
    without, with_bos = (
        token_surprisals(models["random-gpt2"], SENTENCES[:1], bos=b)[0] for b in ("none", "add")
    )
    assert not without.scored[0] and without.bits[0] == 0 and without.scored[1:].all()
    assert with_bos.scored.all() and with_bos.bits[0] > 0
    assert without.tokens == with_bos.tokens and with_bos.starts[0] == 0


@pytest.mark.parametrize("word", ["zips", "日"])
def test_pll_l2r_hides_the_rest_of_a_word_whose_space_or_first_byte_stands_alone(
    tmp_path, small_models, word
):
    """As in XLM-R and RoBERTa: log P of that token by hand, with every piece of its word masked, and no more."""
    folder = (
        save_unigram_model(tmp_path, "masked")
        if word == "zips"
        else small_models / "random-roberta"
    )
    model = tse_core.load_model(folder)
    sentence = f"The author {word} ."
    (scores,) = token_surprisals(model, [sentence], method="pll-l2r")
    pieces = np.flatnonzero((scores.starts >= 11) & (scores.ends <= 11 + len(word)))
    encoding = model.encode(sentence)
    places = np.flatnonzero(~np.array(encoding.special))[pieces]
    assert len(places) > 1
    ids = np.array(encoding.ids)
    ids[places] = model.tokenizer.mask_token_id
    logits = model.network.module(torch.tensor(ids[None])).logits[0, places[0]]
    expected = -logits.log_softmax(-1)[scores.ids[pieces[0]]].item() / math.log(2)
    assert scores.bits[pieces[0]] == pytest.approx(expected, abs=1e-4)


def test_a_masked_model_may_read_the_left_context_alone(tiny_masked):
    """log P of a token by hand: three masks stand for it and for all that follows it."""
    model = tse_core.load_model(tiny_masked)
    (scores,) = token_surprisals(model, ["the author laughs ."], method="left-context")
    ids = list(model.encode("the author laughs .").ids)
    ids[3:5] = [model.tokenizer.mask_token_id] * 3
    logits = model.network.module(torch.tensor([ids])).logits[0, 3]
    expected = -logits.log_softmax(-1)[scores.ids[2]].item() / math.log(2)
    assert scores.bits[2] == pytest.approx(expected, abs=1e-4)


def test_words_add_up_their_tokens(models):
    for model in models.values():
        bos = None if model.kind == "masked" else "add"  # without it a first word has no number
        tokens, words = (
            surprisals(model, SENTENCES, unit=unit, bos=bos) for unit in ("token", "word")
        )
        assert [list(w) for _, w in words.groupby("sentence")["word"]] == [
            s.split() for s in SENTENCES
        ]
        sums = [table.groupby("sentence")["surprisal"].sum() for table in (tokens, words)]
        np.testing.assert_allclose(*sums)
        assert words["tokens"].sum() == len(tokens)


def test_prefix_methods_score_the_critical_words_only(models):
    """Each is the difference of two whole log-probabilities, words of several tokens and of several words included."""
    model = models["random-gpt2"]

    def log_probability(text):
        return plain_loop(model, text, False)

    table = pairs(one_prefix_prefix="The skateboarders", one_prefix_word_good="are unhappiest",
                  one_prefix_word_bad="skateboards", two_prefix_prefix_good="The key", two_prefix_prefix_bad="The keys",
                  two_prefix_word=" unhinges")  # fmt: skip
    one, two = (
        score_pairs(model, table, method=method).iloc[0] for method in ("one-prefix", "two-prefix")
    )
    prefix = log_probability("The skateboarders")
    assert one["logp_good"] == pytest.approx(
        log_probability("The skateboarders are unhappiest") - prefix, abs=1e-4
    )
    assert one["logp_bad"] == pytest.approx(
        log_probability("The skateboarders skateboards") - prefix, abs=1e-4
    )
    expected = log_probability("The keys unhinges") - log_probability("The keys")
    assert two["logp_bad"] == pytest.approx(expected, abs=1e-4)
    assert one["length_good"] == len(model.encode(" are unhappiest").ids)


def test_ties_are_wrong_unless_asked_otherwise(models):
    same = pairs(bad=["The keys are old."])
    scores = {
        ties: score_pairs(models["random-gpt2"], same, ties=ties).iloc[0]
        for ties in ("wrong", "half")
    }
    assert (
        scores["wrong"]["tie"]
        and scores["wrong"]["correct"] == 0
        and scores["half"]["correct"] == 0.5
    )
    given = judged(
        pd.DataFrame(
            {"logp_good": [-np.inf, math.nan, -1.0], "logp_bad": [-np.inf, -1.0, math.nan]}
        )
    )
    assert given["tie"][0] and given["margin"][0] == 0
    assert given["correct"][1:].isna().all()  # neither right nor wrong


def test_unknown_words_are_flagged_or_refused(models):
    """A character that BERT's vocabulary lacks, in the critical region and outside it."""
    model = models["random-bert-cased"]
    table = pd.DataFrame(
        {
            "good": ["The ꙮ are old.", "The ꙮ sees it."],
            "bad": ["The keys are old.", "The ꙮ see it."],
        }
    )
    flagged, refused = (
        score_pairs(model, table, unknown_words=policy) for policy in ("flag", "refuse")
    )
    assert flagged["unknown_good"].tolist() == [1, 1] and flagged["unknown_critical"].tolist() == [
        True,
        False,
    ]
    assert flagged["correct"].notna().all()
    assert refused["correct"].isna().tolist() == [True, False]


def test_bad_input_is_named_and_no_input_has_no_surprisals(models):
    gpt2, bert = models["random-gpt2"], models["random-bert-cased"]
    assert (
        token_surprisals(gpt2, []) == token_surprisals(bert, []) == []
        and surprisals(gpt2, []).empty
    )
    with pytest.raises(InputError, match="sentence 2: an empty sentence"):
        token_surprisals(gpt2, ["Dogs bark.", " "])
    with pytest.raises(InputError, match="pair wh/3: bad is empty"):
        score_pairs(gpt2, pairs(bad=[""], paradigm="wh", pair_id="3"))
    with pytest.raises(InputError, match="there are no pairs to score"):
        score_pairs(gpt2, pairs().iloc[:0])
    with pytest.raises(InputError, match="needs the column 'one_prefix_prefix'"):
        score_pairs(gpt2, pairs(), "one-prefix")
    with pytest.raises(InputError, match="does not suit the masked model"):
        score_pairs(bert, pairs(), "full-sentence")
    without_tokens = pd.DataFrame(
        {"good": ["\u00ad"], "bad": ["The cat"]}
    )  # a soft hyphen, which BERT does not read
    assert score_pairs(bert, without_tokens)["correct"].isna().all()


def test_sentences_of_one_token_are_not_judged_where_nothing_precedes_them(tiny_causal):
    model = tse_core.load_model(tiny_causal)
    one_word = pd.DataFrame(
        {"good": ["laughs", "The author laughs"], "bad": ["The author laugh", "The author laugh"]}
    )
    found = score_pairs(model, one_word, bos="none")
    assert found["length_good"].tolist() == [0, 2] and found["correct"].isna().tolist() == [
        True,
        False,
    ]
