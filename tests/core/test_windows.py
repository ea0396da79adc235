"""Texts longer than the model, in windows, and contexts that are read and not scored: against plain loops."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

import tse_core
from tse_core.errors import InputError
from tse_core.sentences.tokens import surprisals

LIMIT = 64  # tokens that the tiny models read
LONG = " ".join(["the author sees the guards , and the pilots laugh ."] * 9)  # 99 words


def bits_of(model, ids, position, target):
    logits = model.network.module(torch.tensor([ids])).logits[0, position]
    return -logits.log_softmax(-1)[target].item() / math.log(2)


@pytest.mark.parametrize(("bos", "stride"), [("none", 20), ("add", 20), ("none", 1), ("add", 32)])
def test_a_causal_model_reads_windows(model, bos, stride):
    found = surprisals(model, [LONG], bos=bos, stride=stride)
    ids = list(model.with_policies(bos="none").encode(LONG).ids)
    front = [model.tokenizer.bos_token_id] if bos == "add" else []
    size = LIMIT - len(front)
    expected = []
    for token, target in enumerate(ids):
        begin = 0  # of the first window whose last token stands right before this one, or later
        while begin + size < token:
            begin += stride
        read = front + ids[begin:token]
        expected.append(bits_of(model, read, len(read) - 1, target) if read else 0.0)
    np.testing.assert_allclose(found["surprisal"], expected, atol=1e-4)
    assert found["scored"].tolist() == [bos == "add"] + [True] * (len(ids) - 1)
    assert f"stride:{stride}" in found.attrs["signature"]


@pytest.mark.parametrize(("method", "masks"), [("pll", 1), ("left-context", 3)])
def test_a_masked_model_reads_a_window_around_each_token(tiny_masked, method, masks):
    model = tse_core.load_model(tiny_masked)
    found = surprisals(model, [LONG], method=method, stride=10)
    first, *ids, last = model.encode(LONG).ids
    mask = model.tokenizer.mask_token_id
    expected = []
    for token, target in enumerate(ids):
        behind = ids[token + 1 :] if method == "pll" else []
        copy = ids[:token] + [mask] * masks + behind
        begin = min(max(token - 31, 0), max(len(copy) - 62, 0))
        window = [first, *copy[begin : begin + 62], last]
        expected.append(bits_of(model, window, 1 + token - begin, target))
    np.testing.assert_allclose(found["surprisal"], expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_context_is_read_and_has_no_rows(kind, request):
    model = request.getfixturevalue(f"tiny_{kind}")
    sentence, context = "The guards laugh.", "The author sees them."
    for unit in ("token", "word"):
        whole = surprisals(model, [f"{context} {sentence}"], unit=unit)
        beside, alone = (
            table.reset_index(drop=True)
            for _, table in surprisals(
                model, [sentence] * 2, contexts=[context, ""], unit=unit
            ).groupby("sentence")
        )
        rows = whole[whole["start"] > len(context)].reset_index(drop=True)
        np.testing.assert_allclose(beside["surprisal"], rows["surprisal"], atol=1e-4)
        shift = len(context) + 1
        assert (beside["start"] + shift).tolist() == rows["start"].tolist()
        assert beside["position"].tolist() == list(range(len(rows)))
        np.testing.assert_allclose(
            alone["surprisal"], surprisals(model, [sentence], unit=unit)["surprisal"], atol=1e-4
        )


def test_a_short_text_is_read_whole(model):
    short = "the author sees the guards ."
    whole, in_windows = (surprisals(model, [short], stride=stride) for stride in (None, 5))
    pd.testing.assert_frame_equal(whole, in_windows)


def test_what_cannot_be_read_so_is_said(model):
    with pytest.raises(InputError, match="at most 32, half of what"):
        surprisals(model, [LONG], stride=33)
    with pytest.raises(InputError, match="leave the stride out"):
        surprisals(model, [LONG], stride=8, unit="word", word_end=True)
    with pytest.raises(InputError, match="there are 1 contexts and 2 sentences"):
        surprisals(model, ["The author laughs."] * 2, contexts=["The guards laugh."])


def test_the_command_reads_windows_and_a_column_of_contexts(tse, tiny_causal, tmp_path):
    table = tmp_path / "texts.csv"
    table.write_text(f'text,before,name\n"{LONG}",,a\nThe guards laugh.,The author sees.,b\n')
    columns = ["--columns", "sentence=text,context=before,item=name"]
    code, output, errors = tse("surprisals", tiny_causal, table, *columns)
    assert code == 1 and "line 2 has" in errors and "--stride" in errors
    assert [line.split("\t")[3] for line in output.splitlines()[1:]] == [
        "the",
        "guards",
        "laugh",
        ".",
    ]
    code, output, errors = tse("surprisals", tiny_causal, table, *columns, "--stride", 16)
    assert code == 0 and "context:read stride:16" in errors
    assert output.count("\ta\t") == len(LONG.split()) and output.count("\tb\t") == 4
