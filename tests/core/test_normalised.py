"""Accuracy by log-probabilities per token, character or byte: by a plain loop and by hand."""

import numpy as np
import pandas as pd
import pytest
import torch

import tse_core
from tse_core.errors import InputError
from tse_core.results.comparing import differences
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.sentences.preferences import judged, score_pairs, scored_pairs

PAIRS = pd.DataFrame(
    {
        "good": ["The keys to the café are old.", "Dogs bark.", "She sees “it”."],
        "bad": ["The keys to the café is very old.", "Dogs barks.", "She see “it” now."],
        "paradigm": ["length", "number", "length"],
        "pair_id": ["1", "2", "3"],
    }
)


def plain(model, sentence: str, unit: str, bos: bool) -> float:
    """The mean log-probability of a causal model's tokens, characters or bytes, by one pass."""
    tokens = model.tokenizer(sentence, add_special_tokens=False)["input_ids"]
    ids = [model.tokenizer.bos_token_id, *tokens] if bos else tokens
    with torch.no_grad():
        logs = model.network.module(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    total = sum(logs[place, token].item() for place, token in enumerate(ids[1:]))
    first = "" if bos else model.tokenizer.decode(tokens[:1])
    scored = sentence.removeprefix(first)
    lengths = {"token": len(ids) - 1, "char": len(scored), "byte": len(scored.encode())}
    return total / lengths[unit]


@pytest.mark.parametrize("unit", ["token", "char", "byte"])
@pytest.mark.parametrize("bos", ["none", "add"])
def test_what_is_scored_divides(small_models, unit, bos):
    model = tse_core.load_model(small_models / "random-gpt2", device="cpu", bos=bos)
    scores = score_pairs(model, PAIRS, normalise=unit)
    good, bad = (
        np.array([plain(model, sentence, unit, bos == "add") for sentence in PAIRS[side]])
        for side in ("good", "bad")
    )
    for side, means in (("good", good), ("bad", bad)):
        ours = scores[f"logp_{side}"] / scores[f"length_{side}"]
        np.testing.assert_allclose(ours, means, atol=1e-5)
    np.testing.assert_allclose(scores["margin"], good - bad, atol=1e-5)
    assert scores["correct"].tolist() == (good > bad).tolist()
    sums = score_pairs(model, PAIRS)
    assert sums["logp_good"].tolist() == scores["logp_good"].tolist()


def test_all_tokens_of_a_masked_model_divide(small_models):
    model = tse_core.load_model(small_models / "random-bert-cased", device="cpu")
    sums, means = (score_pairs(model, PAIRS, normalise=unit) for unit in (None, "token"))
    for side in ("good", "bad"):
        expected = [len(tokens) for tokens in model.tokenize(PAIRS[side].tolist())]
        assert means[f"length_{side}"].tolist() == expected == sums[f"length_{side}"].tolist()
    assert score_pairs(model, PAIRS, normalise="byte")["length_good"].tolist() == [30, 10, 18]


def test_a_longer_sentence_can_win_by_its_mean():
    """-6 of 3 tokens against -5 of 2: -2 is more than -2.5. Equal means are a tie."""
    scores = pd.DataFrame(
        {
            "logp_good": [-6.0, -6.0, -1.0],
            "logp_bad": [-5.0, -4.0, -2.0],
            "length_good": [3, 3, 0],
            "length_bad": [2, 2, 2],
        }
    )
    assert judged(scores)["correct"].tolist()[:2] == [0, 0]
    means = judged(scores, normalise="token", ties="half")
    assert means["correct"].tolist()[:2] == [1, 0.5] and means["tie"].tolist() == [
        False,
        True,
        False,
    ]
    assert means["margin"].tolist()[:2] == [0.5, 0]
    assert np.isnan(means["correct"][2])  # nothing of one side was scored


@pytest.mark.slow
def test_signatures_say_it_and_sums_serve_means_per_token(model, tmp_path, monkeypatch):
    calls = []

    def score(*arguments, **choices):
        calls.append(choices["normalise"])
        return scored_pairs(*arguments, **choices)

    monkeypatch.setattr("tse_core.sentences.evaluate.scored_pairs", score)
    runs = {}
    for unit in (None, "token", "char", "byte", "char"):
        runs[unit] = evaluate_blimp(model, PAIRS, normalise=unit, store=tmp_path)
        expected = score_pairs(model, PAIRS, normalise=unit).set_index("pair_id")
        scores = runs[unit].pairs.set_index("pair_id")
        columns = ["margin", "correct", "length_good"]
        pd.testing.assert_frame_equal(scores[columns].sort_index(), expected[columns].sort_index())
    assert calls == [None, None, "char", "char", "byte", "byte"]  # two paradigms each
    sums, means = runs[None].signature, runs["token"].signature
    assert "normalise" not in str(sums) and means.policy.items() - sums.policy.items() == {
        ("normalise", "token")
    }
    (difference,) = differences(sums, means)
    assert "favour short sentences" in str(difference)


def test_what_has_no_length_is_refused(model):
    with pytest.raises(InputError, match="one-prefix method scores words after a prefix"):
        score_pairs(model, PAIRS, "one-prefix", normalise="token")
    with pytest.raises(InputError, match="unknown unit to normalise by 'word'"):
        evaluate_blimp(model, PAIRS, normalise="word")


@pytest.mark.slow
def test_the_command_divides(tse, tiny_causal, tmp_path):
    PAIRS.to_csv(tmp_path / "pairs.csv", index=False)
    command = ["blimp", tiny_causal, "--data", tmp_path / "pairs.csv"]
    code, out, _ = tse(*command, "--normalise", "char", "--items", tmp_path / "scores.csv")
    assert code == 0 and "normalise:char" in out
    written = pd.read_csv(tmp_path / "scores.csv").set_index("pair_id")
    expected = score_pairs(tiny_causal, PAIRS, normalise="char")["margin"].tolist()
    np.testing.assert_allclose(written.loc[[1, 2, 3], "margin"], expected, atol=1e-5)
    code, _, errors = tse(*command, "--normalise", "char", "--method", "two-prefix")
    assert code == 2 and errors.count("\n") == 1
