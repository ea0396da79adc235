"""Every recorded signature is what today's code composes for the same work.

The networks give the same logits everywhere, so that the work takes seconds: a signature says how
numbers are made, and does not depend on the numbers.
"""

from dataclasses import replace
from functools import partial

import pandas as pd
import pytest
import torch

from tse_book.recorded import detail_measurements, measurements
from tse_book.recorded.detail_measurements import words_for
from tse_book.recorded.measurements import default_sources, parts_for
from tse_book.recorded.provenance import read_provenance
from tse_book.studies.rows import suites_signature
from tse_core import evaluate, load_model, load_sentence_pairs
from tse_core.blimp.evaluate import evaluate_blimp
from tse_core.datasets.loading import data_hash
from tse_core.models.network import Network
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.results.tidy import read_results

RECORDED = data_folder() / "recorded"
LABORATORY = (
    "lab-lexical-causal",
    "lab-lexical-masked",
)  # the others differ in their weights alone
LEMMAS = "newman-clean"


class SameEverywhere(Network):
    """A network with another one's identity, whose logits rise from entry to entry of the vocabulary."""

    def __init__(self, network: Network) -> None:
        self.vocabulary_size = network.vocabulary_size
        self.device = network.device
        self.dtype = network.dtype
        self.max_length = network.max_length
        self._network = network
        self._logits = torch.linspace(0, 5, network.vocabulary_size)

    def states(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        return self._logits.expand(len(rows), -1)

    def tensors(self) -> dict[str, torch.Tensor]:
        return self._network.tensors()

    def fingerprint(self, tokenizer) -> str:
        return self._network.fingerprint(tokenizer)


@pytest.fixture(autouse=True)
def one_cutoff(monkeypatch):
    """Signatures do not hold the cut-offs, which take most of the time."""
    quick = partial(evaluate, cutoffs=((1.0,), ()))
    monkeypatch.setattr(measurements, "evaluate", quick)
    monkeypatch.setattr(detail_measurements, "evaluate", quick)


def quick_model(name: str):
    model = load_model(name, device="cpu")
    return replace(model, network=SameEverywhere(model.network))


def recorded(model: str, part: str) -> set[str]:
    texts = read_results(RECORDED / model / f"{part}.parquet")["signature"].unique()
    return {Signature.parse(text).without_provenance for text in texts}


def composed(pieces) -> set[str]:
    table = pd.concat([measure() for measure in pieces.values()])
    return {Signature.parse(text).without_provenance for text in table["signature"].unique()}


def composed_of_suites(pieces) -> set[str]:
    outcomes = [measure() for measure in pieces.values()]
    signatures = [outcome.signature for outcome in outcomes]
    metric = outcomes[0].signature.policy["metric"]
    assert {signature.policy["metric"] for signature in signatures} == {metric}
    return {suites_signature(signatures).without_provenance}


def composed_of_pairs(model, pairs: str) -> set[str]:
    """Of a data set's signature: the policy of a pair of each paradigm, and the identity of all pairs."""
    loaded = load_sentence_pairs(pairs)
    some = loaded.groupby("paradigm").head(1)
    signature = evaluate_blimp(model, some, store=None).signature
    identity = {**signature.identity, "data": f"{pairs}@{data_hash(loaded)}"}
    return {replace(signature, identity=identity).without_provenance}


@pytest.mark.slow
@pytest.mark.parametrize("name", LABORATORY)
def test_signatures_of_a_laboratory_model_are_composed_anew(name):
    model = quick_model(name)
    work = default_sources(model)
    parts = parts_for(model, LEMMAS, work["data"], work["pairs"], work["suites"], None)
    assert composed(parts["agreement"]) == recorded(name, "agreement")
    assert composed_of_pairs(model, work["pairs"]) == recorded(name, "blimp")
    assert composed_of_suites(parts["suites"]) == recorded(name, "suites")
    assert read_provenance(RECORDED / name)["model"] == model.identity()


@pytest.mark.slow
def test_signatures_of_the_real_model_are_composed_anew(real_model):
    """Those of data sets in the repository."""
    model = quick_model(real_model)
    parts = parts_for(model, LEMMAS, ["marvin-linzen"], "blimp", [], None)
    assert composed(parts["agreement"]) <= recorded(real_model, "agreement")
    words, signatures = words_for(model, LEMMAS, ["marvin-linzen"], None)["words"]()
    texts = {signature.without_provenance for signature in signatures.values()}
    assert texts == recorded(real_model, "words")


@pytest.mark.slow
def test_all_signatures_of_the_real_model_are_composed_anew(real_model, shared, monkeypatch):
    """Those of downloaded data sets, too."""
    monkeypatch.setenv("TSE_MIRROR", str(shared / "mirror"))
    model = quick_model(real_model)
    work = default_sources(model)
    parts = parts_for(model, LEMMAS, work["data"], work["pairs"], work["suites"], None)
    assert composed(parts["agreement"]) == recorded(real_model, "agreement")
    assert composed_of_pairs(model, work["pairs"]) == recorded(real_model, "blimp")
    assert composed_of_suites(parts["suites"]) == recorded(real_model, "suites")
