"""Networks whose weights do not fit into memory together take turns."""

from weakref import WeakKeyDictionary

import pytest

from tests.tiny import save_model
from tse_core import load_model, surprisals
from tse_core.models import memory


@pytest.fixture
def bytes_there(monkeypatch):
    """A machine with memory for some networks, each counted by its numbers; gives a setter."""
    monkeypatch.setattr(memory, "WORK", 0)
    monkeypatch.setattr(memory, "_last_use", WeakKeyDictionary())

    def of(size):
        def free(device):
            return size - 4 * sum(network.parameter_count for network in memory.opened())

        monkeypatch.setattr(memory, "free_memory", free)

    return of


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return [save_model(tmp_path_factory.mktemp("model"), "causal", seed) for seed in range(3)]


@pytest.fixture
def three(folders):
    return [load_model(folder, device="cpu") for folder in folders]


@pytest.mark.parametrize(("fit", "left"), [(0.5, [2]), (1, [2]), (2, [1, 2]), (3, [0, 1, 2])])
def test_those_used_longest_ago_close_until_the_next_one_fits(three, bytes_there, fit, left):
    bytes_there(int(fit * 4 * three[0].network.parameter_count))
    for model in three:
        surprisals(model, ["The author laughs."])
    assert memory.opened() == [three[number].network for number in left]


@pytest.mark.slow
def test_a_network_that_closed_reads_its_weights_again_and_says_the_same(three, bytes_there):
    bytes_there(4 * three[0].network.parameter_count)
    first = [surprisals(model, ["The author laughs."]) for model in three]
    again = [surprisals(model, ["The author laughs."]) for model in three]
    assert all(one.equals(other) for one, other in zip(first, again, strict=True))
    assert not first[0].equals(first[1])


def test_a_network_that_nobody_holds_any_more_is_forgotten(tiny_causal, bytes_there):
    bytes_there(1e12)
    surprisals(load_model(tiny_causal, device="cpu"), ["The author laughs."])
    assert memory.opened() == []
