"""Every recorded signature is what today's code composes for the same work.

A signature says how numbers are made, and needs none: an evaluation is stopped where it has its
signature, and other work is done by networks that give the same logits everywhere.
"""

from dataclasses import replace

import pandas as pd
import pytest
import torch

import tse_core.agreement.evaluate
from tse_book.recorded.measurements import default_sources
from tse_book.recorded.provenance import read_provenance
from tse_book.studies.rows import sentence_rows, suites_signature
from tse_core import evaluate, load_model, load_sentence_pairs
from tse_core.agreement.settings import VerbPolicy
from tse_core.datasets.loading import data_hash
from tse_core.models.network import Network
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.syntaxgym.outcomes import evaluate_suite

RECORDED = data_folder() / "recorded"
LABORATORY = ["lab-lexical-causal", "lab-lexical-masked"]  # the others are recorded like these
LEMMAS = "newman-clean"
VERBS = {"single": "single-token", "any": "all"}  # of a policy of verbs: the argument of `evaluate`


class SameEverywhere(Network):
    """A network with another one's identity, whose logits rise from entry to entry."""

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


class Composed(Exception):  # noqa: N818  (no error)
    """Carries the signature of an evaluation that ends here."""


@pytest.fixture
def composed_signature(monkeypatch):
    """The signature that `evaluate` composes for the work of another one."""
    compose = tse_core.agreement.evaluate.evaluation_signature

    def stop(*arguments):
        raise Composed(compose(*arguments))

    monkeypatch.setattr(tse_core.agreement.evaluate, "evaluation_signature", stop)

    def signature(model, recorded: Signature) -> Signature:
        policy = VerbPolicy.parse(recorded.policy.get("forms", "single"))
        sample = recorded.policy.get("sample")
        with pytest.raises(Composed) as composed:
            evaluate(
                model,
                recorded.data_name,
                LEMMAS,
                protocol=recorded.protocol,
                verbs=VERBS[policy.tokens],
                word_end=policy.word_end,
                sample=int(sample.partition("@")[0]) if sample else "all",
                store=None,
            )
        return composed.value.args[0]

    return signature


def quick_model(name: str):
    model = load_model(name, device="cpu")
    return replace(model, network=SameEverywhere(model.network))


def recorded_signatures(model: str, part: str) -> list[Signature]:
    texts = pd.read_parquet(RECORDED / model / f"{part}.parquet")["signature"].unique()
    return [Signature.parse(text) for text in texts]


def signature_of_suites(model, names) -> str:
    signatures = [evaluate_suite(model, name, store=None).signature for name in names]
    return suites_signature(signatures).without_provenance


def signature_of_pairs(model, pairs: str) -> str:
    """Its policy is that of a pair of each paradigm, its identity that of all pairs."""
    loaded = load_sentence_pairs(pairs)
    some = loaded.groupby("paradigm").head(1)
    signature = evaluate_blimp(model, some, store=None).signature
    identity = {**signature.identity, "data": f"{pairs}@{data_hash(loaded)}"}
    return replace(signature, identity=identity).without_provenance


def check_agreement(model, name, part, composed_signature, available) -> None:
    """Of the data that are available here; the sentences of Table 3 are always."""
    for recorded in recorded_signatures(name, part):
        if recorded.data_name == "table3":
            signature = Signature.parse(sentence_rows(model, LEMMAS)["signature"].iloc[0])
        elif recorded.data_name in available:
            signature = composed_signature(model, recorded)
        else:
            continue
        assert signature.without_provenance == recorded.without_provenance


@pytest.mark.slow
@pytest.mark.parametrize("name", LABORATORY)
def test_signatures_of_a_laboratory_model_are_composed_anew(name, composed_signature):
    model = quick_model(name)
    work = default_sources(model)
    available = {"marvin-linzen", "marvin-linzen/simple"}
    check_agreement(model, name, "agreement", composed_signature, available)
    [pairs] = recorded_signatures(name, "blimp")
    assert signature_of_pairs(model, work["pairs"]) == pairs.without_provenance
    [suites] = recorded_signatures(name, "suites")
    assert signature_of_suites(model, work["suites"]) == suites.without_provenance
    assert read_provenance(RECORDED / name)["model"] == model.identity()


@pytest.mark.slow
def test_signatures_of_the_real_model_are_composed_anew(real_model, composed_signature):
    """Those of data in the repository; whole words were recorded before signatures said ``cut``."""
    model = quick_model(real_model)
    available = {"marvin-linzen", "marvin-linzen/simple"}
    check_agreement(model, real_model, "agreement", composed_signature, available)


@pytest.mark.slow
def test_signatures_on_downloaded_data_are_composed_anew(
    real_model, shared, monkeypatch, composed_signature
):
    monkeypatch.setenv("TSE_MIRROR", str(shared / "mirror"))
    check_agreement(
        quick_model(real_model), real_model, "agreement", composed_signature, {"newman-blimp"}
    )
    for name in (real_model, str(shared / "models" / "stories260K")):
        model = quick_model(name)
        work = default_sources(model)
        [pairs] = recorded_signatures(model.label, "blimp")
        assert signature_of_pairs(model, work["pairs"]) == pairs.without_provenance
        [suites] = recorded_signatures(model.label, "suites")
        assert signature_of_suites(model, work["suites"]) == suites.without_provenance
