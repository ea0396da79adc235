"""A GPU, or an Apple laptop's: no tensors of two devices meet, no float64 where there is none, the same scores.

No machine that runs the tests has either; `other_device` stands in for them.
"""

import numpy as np
import pandas as pd
import pytest
import torch
import transformers

from families import OpenedNetwork
from other_device import OtherDevice, moved
from tse_book.studies.slot_shares import form_shares
from tse_core import evaluate, load_lemmas, load_model, load_pairs, slot_distribution, surprisals
from tse_core.agreement.slots import score_context
from tse_core.models.language_model import LanguageModel

WITHIN = (
    1e-4  # nats, or a score: half precision is not at work here, so only the order of sums differs
)
VERBS = load_lemmas("newman-appendix").table.query(
    "lemma in ['laugh', 'swim', 'smile', 'be', 'have'] or zipf > 5.2"
)
SENTENCES = ["The author laughs.", "The authors that the guard likes laugh."]


@pytest.fixture(params=["cuda", "mps"])
def device(request, monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _=None: (2**33, 2**34))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _=None: "a stand-in")
    with OtherDevice(request.param) as there:
        yield there


@pytest.fixture(params=["causal", "masked"])
def both(request, device, tiny_causal, tiny_masked) -> tuple[LanguageModel, LanguageModel]:
    """A model on the processor, and the same one there."""
    folder = {"causal": tiny_causal, "masked": tiny_masked}[request.param]
    here = load_model(folder, device="cpu")
    auto = {
        "causal": transformers.AutoModelForCausalLM,
        "masked": transformers.AutoModelForMaskedLM,
    }[request.param]
    module = moved(auto.from_pretrained(folder).eval(), device)
    network = OpenedNetwork(module, causal=here.kind == "causal")
    return here, LanguageModel(
        here.name, here.kind, here.tokenizer, network, document_bos=here.document_bos
    )


def apart(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """The largest difference of any number of two tables."""
    numbers = first.select_dtypes("number").columns
    assert np.array_equal(first[numbers].isna(), second[numbers].isna())
    return float(
        np.nanmax(np.abs(first[numbers].to_numpy(float) - second[numbers].to_numpy(float)))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"detail": "forms"}, {"protocol": "released"}, {"verbs": "all"}], ids=str
)
def test_evaluations_give_the_same(both, options):
    pairs = load_pairs("marvin-linzen/simple").iloc[::40].reset_index(drop=True)
    here, there = (evaluate(model, pairs, VERBS, sample="all", **options) for model in both)
    assert apart(here.pairs, there.pairs) < WITHIN
    assert apart(here.contexts, there.contexts) < WITHIN


@pytest.mark.slow
def test_distributions_and_contexts_give_the_same(both):
    here, there = (slot_distribution(model, "The author").sort_values("id") for model in both)
    assert apart(here, there) < WITHIN
    here, there = (
        score_context(model, "The author", number="singular", lemmas=VERBS) for model in both
    )
    assert abs(here.ew - there.ew) < WITHIN and abs(here.mw - there.mw) < WITHIN
    contexts = pd.DataFrame(
        {"left": ["The author", "The authors"], "right": ".", "number": ["singular", "plural"]}
    )
    here, there = (form_shares(model, contexts, VERBS) for model in both)
    assert apart(here, there) < WITHIN


def test_surprisals_give_the_same(both):
    here, there = (surprisals(model, SENTENCES) for model in both)
    assert apart(here, there) < WITHIN
