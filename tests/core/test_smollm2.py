"""The real model, smollm2-135m-instruct: its numbers against values and loops that do not use this package's passes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from tse_core import evaluate, load_model, load_pairs
from tse_core.models.slots import all_read, read
from tse_core.paths import data_folder
from tse_core.sentences.tokens import token_surprisals
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite

pytestmark = pytest.mark.slow
TABLE2 = pd.read_csv(
    Path(__file__).parents[1] / "golden" / "smollm2_table2.csv",
    comment="#",
    index_col="construction",
)

PUBLIC = [
    pytest.param(name, marks=pytest.mark.reference)
    for name in ("number_prep", "mvrr", "npi_src_ever")
]


@pytest.fixture(scope="module")
def smollm2(real_model):
    return load_model(real_model, device="cpu")


@pytest.fixture(scope="module")
def plain(smollm2):
    """The network by itself, as transformers runs it: token ids to log-probabilities (nats) of each next token."""
    from transformers import AutoModelForCausalLM

    from tse_extras.gguf import converted_folder, model_file

    folder = converted_folder(model_file("smollm2-135m-instruct"))
    network = AutoModelForCausalLM.from_pretrained(
        folder
    ).double()  # single precision is off by 1.5e-4

    def next_token(ids: list[int]) -> np.ndarray:
        with torch.inference_mode():
            return network(torch.tensor([ids])).logits[0].double().log_softmax(-1).numpy()

    return next_token


def test_table_2_equals_the_values_of_an_independent_loop(smollm2, results):
    found = evaluate(smollm2, "marvin-linzen", "newman-clean", store=results)
    table = found.table().set_index("construction").loc[TABLE2.index]
    assert len(found.lemmas) == 962 and found.signature.policy["bos"] == "<|endoftext|>"
    assert "Q4_1" in str(found.signature)
    assert (table["contexts"] == TABLE2["contexts"]).all() and (
        table["pairs"] == TABLE2["pairs"]
    ).all()
    assert np.abs(table["TSE"] - TABLE2["TSE_opened"]).max() <= 5e-4
    assert (table["EW"] < table["TSE"]).all()


def test_rows_of_table_2_without_a_bos_token_equal_the_values_of_an_independent_loop(smollm2):
    golden = TABLE2[TABLE2["contexts"] < 500]
    pairs = load_pairs("marvin-linzen")
    pairs = pairs[pairs["construction"].isin(golden.index)]
    table = evaluate(smollm2.with_policies(bos="none"), pairs, "newman-clean").table()
    table = table.set_index("construction").loc[golden.index]
    assert len(table) >= 3 and (table["pairs"] == golden["pairs"]).all()
    for metric in ("MW", "EW", "TSE"):
        assert np.abs(table[metric] - golden[metric]).max() <= 5e-4, metric


@pytest.mark.parametrize("bos", ["none", "default"])
def test_log_probabilities_of_sentences_of_paradigms_equal_a_plain_loop(smollm2, plain, bos):
    one_each = pd.read_csv(data_folder() / "blimp" / "examples.csv")
    sentences = list(one_each["good"][::6] if bos == "none" else one_each["bad"][1::6])
    model = smollm2.with_policies(bos=bos)
    bos = [] if bos == "none" else [model.tokenizer.convert_tokens_to_ids("<|endoftext|>")]
    for sentence, scores in zip(sentences, token_surprisals(model, sentences), strict=True):
        ids = [*bos, *model.tokenizer(sentence, add_special_tokens=False)["input_ids"]]
        logs = plain(ids)
        expected = [logs[i, token] for i, token in enumerate(ids[1:])]
        found = -scores.bits[scores.scored] * np.log(2)
        assert found == pytest.approx(np.array(expected), abs=1e-4, rel=1e-5), (
            sentence
        )  # float32 holds seven digits


@pytest.mark.parametrize("name", ["lab_number_prep", "lab_npi_src_ever", *PUBLIC])
def test_region_surprisals_equal_a_plain_loop(smollm2, plain, name, request, monkeypatch):
    if not name.startswith("lab_"):
        monkeypatch.setenv("TSE_MIRROR", str(request.getfixturevalue("shared") / "mirror"))
    suite = load_suite(name)
    some = replace(suite, table=suite.table[suite.table["item"].isin(suite.items[:4])])
    outcome = evaluate_suite(smollm2, some)
    bos = smollm2.tokenizer.convert_tokens_to_ids("<|endoftext|>")
    regions = outcome.regions.groupby(["item", "condition"], sort=False)
    for _, rows in list(regions)[:12]:
        text = " ".join(content for content in rows["content"] if content)
        encoded = smollm2.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        logs = plain([bos, *encoded["input_ids"]])
        bits = [-logs[i, token] / np.log(2) for i, token in enumerate(encoded["input_ids"])]
        start = 0
        for content, found in zip(rows["content"], rows["bits"], strict=True):
            end = start + len(content)
            inside = [b for b, (a, z) in zip(bits, encoded["offset_mapping"], strict=True)
                      if content and start <= a + (text[a] == " ") < end]  # fmt: skip
            assert sum(inside) == pytest.approx(found, abs=1e-4), (name, text, content)
            start = end + 1 if content else start


def test_ew_and_number_sensitivity_of_ten_contexts_equal_a_plain_loop(smollm2, plain):
    pairs = load_pairs("marvin-linzen-adverbs/simple")
    some = pairs[
        pairs["noun"].isin(pairs["noun"].unique()[:5]) & (pairs["adverb"] == "often")
    ].reset_index(drop=True)
    found = evaluate(smollm2, some, detail="forms")
    assert len(found.contexts) == 10
    ids = np.array(
        [smollm2.word_ids(found.lemmas[form].tolist()) for form in ("singular", "plural")]
    )
    slots = all_read(
        read(smollm2, list(zip(found.contexts["left"], found.contexts["right"], strict=True)))
    )
    odds = np.array([np.subtract(*plain(list(slot.ids))[slot.position][ids]) for slot in slots])
    plural = (found.contexts["number"] == "plural").to_numpy()
    ew = (np.where(plural[:, None], -odds, odds) > 0).mean(axis=1)
    assert np.abs(found.contexts["ew"] - ew).max() <= 1e-4
    by_noun = {
        number: odds[rows][np.argsort(found.contexts["noun"][rows])]
        for number, rows in ((0, ~plural), (1, plural))
    }
    measured = found.table()["NS"].item()
    assert measured == pytest.approx((by_noun[0] > by_noun[1]).mean(), abs=1e-4)
