"""Forward passes: the same log-probabilities whatever is shared, packed or batched."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from families import in_trees, model_of, module_of
from tse_core import InputError, load_model
from tse_core.forward import passes
from tse_core.forward.passes import blocks, fitting_tokens, target_log_probabilities
from tse_core.forward.trees import distinct_prefixes, trees


@pytest.fixture(scope="module")
def causal(tiny_causal):
    return load_model(tiny_causal)


@pytest.fixture(scope="module")
def masked(tiny_masked):
    return load_model(tiny_masked)


@pytest.fixture(params=["causal", "masked"])
def model(request):
    return request.getfixturevalue(request.param)


def plain(model, sequences, positions):
    """One sequence at a time, all logits, nothing shared."""
    rows = []
    with torch.no_grad():
        for sequence, places in zip(sequences, positions, strict=True):
            full = (
                model.network.module(input_ids=torch.tensor([sequence]))
                .logits[0]
                .float()
                .log_softmax(-1)
            )
            rows += [full[place] for place in places]
    return torch.stack(rows)


def collected(model, sequences, positions, **options):
    found = torch.full((sum(map(len, positions)), model.vocabulary_size), torch.nan)
    for block in blocks(model, sequences, positions, **options):
        found[torch.as_tensor(block.requests)] = block.logits[
            torch.as_tensor(block.rows)
        ].log_softmax(-1)
    return found


sequences = st.lists(
    st.lists(st.integers(5, 40), min_size=1, max_size=9).map(tuple), min_size=1, max_size=12
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sequences,
    st.sampled_from([1, 16, 400, 8192]),
    st.sampled_from([1, 3, 1000]),
    st.booleans(),
    st.data(),
)
def test_log_probabilities_equal_the_plain_loop(model, chosen, batch, rows, share, data):
    chosen = chosen + chosen[: data.draw(st.integers(0, 3))]
    positions = [sorted(data.draw(st.sets(st.integers(0, len(s) - 1)))) for s in chosen]
    if not any(positions):
        positions[0] = [0]
    with in_trees(share), pytest.MonkeyPatch.context() as patch:
        patch.setitem(passes.PROJECTED_ENTRIES, "cpu", rows * model.vocabulary_size)
        found = collected(model, chosen, positions, batch_tokens=batch)
    assert torch.allclose(found, plain(model, chosen, positions), atol=1e-4)


@pytest.mark.parametrize("share", [True, False])
def test_every_distinct_prefix_is_answered_once(causal, share):
    chosen = [(5, 6, 7), (5, 6, 8), (5, 6)]
    with in_trees(share):
        found = list(blocks(causal, chosen, [[0, 1, 2], [0, 1, 2], [1]]))
    assert sum(len(b.logits) for b in found) == (
        4 if share else 7
    )  # 5 | 5 6 | 5 6 7 | 5 6 8; or of each by itself
    assert sorted(np.concatenate([b.requests for b in found])) == list(range(7))


@pytest.mark.parametrize(
    ("sequences", "positions", "message"),
    [
        ([(5, 6)], [[2]], "position 2 is outside a sequence of 2 tokens"),
        ([(5,) * 65], [[0]], "65 tokens is longer than .* can read \\(64\\)"),
    ],
)
def test_requests_that_cannot_be_answered(causal, sequences, positions, message):
    with pytest.raises(InputError, match=message):
        list(blocks(causal, sequences, positions))


class Cramped:
    """A network that runs out of memory above so many sequences in a pass."""

    error: RuntimeError = torch.OutOfMemoryError("no memory left")

    def __init__(self, network, most):
        self._network, self._most, self.asked = network, most, []

    def __getattr__(self, name):
        return getattr(self._network, name)

    def _checked(self, ids):
        self.asked.append(len(ids))
        if len(ids) > self._most:
            raise self.error

    def states(self, ids, *places):
        self._checked(ids)
        return self._network.states(ids, *places)

    def tree_states(self, ids, *rest):
        self._checked(ids)
        return self._network.tree_states(ids, *rest)


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("causal", torch.OutOfMemoryError("no memory left")),
        ("masked", RuntimeError("MPS backend out of memory (MPS allocated: 18 GB)")),
    ],
)
def test_passes_are_halved_where_memory_runs_out(kind, error, request, monkeypatch):
    monkeypatch.setattr(
        passes.gc, "collect", lambda: None
    )  # which takes long among all that tests hold
    model = request.getfixturevalue(kind)
    chosen = [(5 + i, 6, 7, 8) for i in range(20)]
    positions = [[2, 3]] * 20
    cramped = Cramped(model.network, 3)
    cramped.error = error
    with pytest.warns(UserWarning, match="out of memory: passes have"), in_trees(False):
        found = collected(replace(model, network=cramped), chosen, positions)
    assert torch.allclose(found, plain(model, chosen, positions), atol=1e-4)
    assert cramped.asked[:4] == [20, 10, 5, 2]
    assert max(cramped.asked[4:]) == 2  # what was learned holds for the rest


@pytest.mark.parametrize(
    ("free", "tokens"),
    [(15e9, 29_296), (139e9, 65_536), (2e8, 1_024)],
    ids=["T4", "H200", "nearly full"],
)
def test_a_gpu_has_passes_of_half_its_free_memory_and_a_processor_of_a_fixed_size(
    monkeypatch, free, tokens
):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (int(free), 140 * 10**9))
    assert fitting_tokens(torch.device("cuda")) == tokens
    assert fitting_tokens(torch.device("cpu")) == passes.BATCH_TOKENS


class Altered:
    """A network whose logits at one entry of the vocabulary are something else."""

    def __init__(self, network, entry, value):
        self._network, self._entry, self._value = network, entry, value

    def __getattr__(self, name):
        return getattr(self._network, name)

    def project(self, states):
        logits = self._network.project(states).clone()
        logits[:, self._entry] = self._value
        return logits


@pytest.mark.parametrize(
    ("entry", "value"), [(7, float("inf")), (slice(None), float("-inf")), (7, float("nan"))]
)
def test_logits_that_are_no_distribution_are_refused(causal, entry, value):
    broken = replace(causal, network=Altered(causal.network, entry, value), name="broken")
    with pytest.raises(InputError, match="broken gives (NaN|an infinite number) as a logit"):
        target_log_probabilities(broken, [(5, 6, 7)], [[0, 1]], [[6, 7]])


def test_an_entry_that_a_model_rules_out_has_probability_0(causal):
    without = replace(causal, network=Altered(causal.network, 7, float("-inf")))
    found = target_log_probabilities(without, [(5, 6, 7)], [[0, 1]], [[6, 7]])
    assert np.isfinite(found[0]) and found[1] == -np.inf


TEXT = tuple(range(1000))


def beginnings(text):
    return [text[:end] for end in range(1, len(text) + 1)]


def node_counts(sequences, **options):
    return [len(tree.nodes) for tree in trees(sequences, 192, **options)]


def test_a_text_and_all_of_its_beginnings_are_one_tree():
    assert node_counts(beginnings(TEXT)) == [1000]
    assert node_counts(beginnings(TEXT)[99::300]) == [1000]  # of 100, 400, 700 and 1000 tokens


def test_words_behind_a_long_context_share_it():
    context = TEXT[:192]
    words = [(*context, 5, last) for last in range(2000)]
    # 195 words double the first tree and begin the next one; each tree holds 193 shared nodes.
    counts = node_counts([context, *words])
    assert counts == [387] * 10 + [253]
    assert sum(counts) == 2000 + 11 * 193
    assert node_counts([context, *words], most=250)[0] == 250  # the window of a layer


def test_short_sequences_fill_trees_of_the_size():
    forms = [(1, 2, 3, last) for last in range(400)]
    assert node_counts(forms) == [192, 192, 25]  # 3 shared nodes and 189, 189 and 22 others


@given(sequences)
def test_distinct_prefixes_are_those_of_all_sequences(chosen):
    prefixes = set()
    for sequence in chosen:
        prefixes.update(beginnings(sequence))
    assert distinct_prefixes(chosen) == len(prefixes)
    assert node_counts(chosen) == [len(prefixes)]  # at most 108


@pytest.mark.parametrize("family", ["GPT2", "GPTNeoX"])
def test_a_long_text_has_the_log_probabilities_of_plain_transformers(family):
    model = model_of(family, module_of(family))
    ids = np.random.RandomState(0).randint(2, 60, 300)
    text = tuple(ids.tolist())
    positions = [list(range(300))]
    assert torch.allclose(
        collected(model, [text], positions), plain(model, [text], positions), atol=1e-4
    )


@pytest.mark.parametrize(
    ("family", "changed"),
    [
        ("GPT2", {}),
        ("GPTNeo", {"window_size": 256}),
        ("GPTNeo", {"window_size": 256, "max_position_embeddings": 202}),
        ("Mistral", {"sliding_window": 256}),
    ],
)
def test_words_behind_a_long_context_have_those_of_plain_transformers(family, changed):
    model = model_of(family, module_of(family, **changed))
    context = tuple(np.random.RandomState(0).randint(2, 60, 200).tolist())
    words = [(*context, first, 7) for first in range(2, 60)]
    positions = [[199, 200, 201]] * len(words)
    assert torch.allclose(
        collected(model, words, positions), plain(model, words, positions), atol=1e-4
    )
