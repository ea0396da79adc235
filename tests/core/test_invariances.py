"""What scores do not depend on: batch size, order, shared prefixes, threads, other data."""

import numpy as np
import pandas as pd
import pytest
import torch

import tse_core
from families import in_trees
from tse_core import load_model, load_pairs
from tse_core.agreement import pieces as pipeline
from tse_core.agreement.assembly import NOISE
from tse_core.forward.passes import target_log_probabilities
from tse_core.models.slots import all_read, read

KINDS = ["tiny_causal", "tiny_masked"]
WITHIN = NOISE["float32"] / 2  # of a log-probability: a margin is the difference of two


@pytest.fixture(params=KINDS, scope="module")
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def model(folder):
    return load_model(folder, device="cpu")


@pytest.fixture(scope="module")
def pairs():
    return (
        load_pairs("marvin-linzen/vp-coordination")
        .sample(60, random_state=0)
        .reset_index(drop=True)
    )


@pytest.fixture(scope="module")
def whole(model, pairs):
    """The scores by the default options."""
    return scores(evaluate(model, pairs))


def evaluate(model, pairs, **how):
    return tse_core.evaluate(model, pairs, store=None, **how)


def scores(result) -> pd.DataFrame:
    """Log-probabilities and the contexts' scores of every pair, by the pair's id."""
    contexts = result.contexts[["ew", "mw"]].iloc[result.pairs["context"]].reset_index(drop=True)
    columns = ["id", "tse", "log_probability_correct", "log_probability_wrong"]
    return (
        pd.concat([result.pairs[columns].reset_index(drop=True), contexts], axis=1)
        .set_index("id")
        .sort_index()
    )


def difference(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """The largest difference of any number; infinite where pairs, gaps or decisions differ."""
    alike = (
        first.index.equals(second.index)
        and first.isna().equals(second.isna())
        and first["tse"].equals(second["tse"])
    )
    return (first.astype(float) - second.astype(float)).abs().max().max() if alike else np.inf


def with_other_data(model, pairs):
    """In one run with contexts that are longer."""
    other = load_pairs("marvin-linzen/across-subject-relative").sample(40, random_state=1)
    return evaluate(model, pd.concat([other, pairs], ignore_index=True))


WAYS = {
    "a token in a pass": lambda model, pairs: evaluate(model, pairs, batch_tokens=1),
    "pairs in another order": lambda model, pairs: evaluate(
        model, pairs.iloc[::-1].reset_index(drop=True)
    ),
    "other data in the run": with_other_data,
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_scores_do_not_depend_on(way, model, pairs, whole):
    found = scores(WAYS[way](model, pairs))
    assert difference(found.loc[whole.index], whole) < WITHIN


@pytest.mark.slow
def test_how_many_contexts_are_scored_at_once(model, pairs, whole, monkeypatch):
    monkeypatch.setattr(pipeline, "AT_ONCE", 7)
    assert difference(scores(evaluate(model, pairs)), whole) < WITHIN


@pytest.mark.slow
def test_the_number_of_threads(model, pairs, whole):
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(3 - min(threads, 2))  # two where there is one, else one
        found = scores(evaluate(model, pairs))
    finally:
        torch.set_num_threads(threads)
    assert difference(found, whole) < WITHIN


@pytest.mark.slow
@pytest.mark.parametrize("dtype", list(NOISE))
def test_margins_move_less_than_the_stated_noise(request, dtype, pairs):
    """The measurement behind NOISE: the same margins with other batches, shared prefixes or none."""
    for kind in KINDS:
        model = load_model(request.getfixturevalue(kind), device="cpu")
        model.network.module.to(
            getattr(torch, dtype)
        )  # float64 can be had of a network in memory only
        assert model.policies()["dtype"] == dtype
        slots = all_read(read(model, list(zip(pairs["left"], pairs["right"], strict=True))))
        targets = np.array(
            [model.word_ids([c, w]) for c, w in zip(pairs["correct"], pairs["wrong"], strict=True)]
        )
        sequences, positions = [s.ids for s in slots], [[s.position, s.position] for s in slots]
        margins = []
        for batch, shared in ((8192, True), (8192, False), (16, True), (16, False)):
            with in_trees(shared):
                logs = target_log_probabilities(
                    model, sequences, positions, targets.tolist(), batch_tokens=batch
                )
            margins.append(logs.reshape(-1, 2) @ [1.0, -1.0])
        assert np.ptp(margins, axis=0).max() < NOISE[dtype]
