"""What a model of any kind computes: logits over its vocabulary, at the places that are needed."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from zlib import crc32

import torch

from tse_core.errors import InputError
from tse_core.models import memory
from tse_core.models.identity import Tensor, cached, canonical, state_of, weights_digest
from tse_core.results.code import code_of


class Network:
    """A model that gives distributions. A new kind of model defines at least `vocabulary_size` and `states`.

    Attributes
    ----------
    max_length : the longest sequence that it reads, in tokens; None where there is no limit
    takes_trees : whether `tree_states` can be used: packed trees of prefixes instead of sequences
    window : how many tokens the layer that sees fewest sees; a tree is never larger. None where all layers see all
    parameter_count : how many numbers it holds
    """

    vocabulary_size: int
    max_length: int | None = None
    takes_trees = False
    window: int | None = None

    @property
    def device(self) -> torch.device:
        return torch.device("cpu")

    @property
    def parameter_count(self) -> int:
        return 0

    def states(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """What `project` turns into logits, (n, anything), at n places (rows, columns) of ids (batch, length)."""
        raise NotImplementedError

    def project(self, states: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary), float32. By default the states are the logits."""
        return states

    def logits(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary), float32, at n places (rows, columns) of ids (batch, length)."""
        return self.project(self.states(ids, rows, columns))

    def tree_states(self, ids, depths, visible, rows, columns) -> torch.Tensor:
        """States at n places of packed trees of prefixes, for a network that takes them.

        ids and depths are (batch, nodes); visible (batch, nodes, nodes) says which nodes each node sees: its ancestors
        and itself.
        """
        raise NotImplementedError

    def tensors(self) -> list[Tensor]:
        """All weights, by their names."""
        raise NotImplementedError

    def configuration(self) -> dict:
        """What decides its numbers besides the weights; can be written as JSON."""
        return {}

    def fingerprint(self) -> str:
        """A hash of weights and configuration."""
        return weights_digest(self.tensors(), self.configuration())

    def checksum(self) -> int:
        """A checksum that detects changes of weights or configuration in memory, three times as fast as a hash."""
        found = crc32(canonical(self.configuration()))
        for tensor in self.tensors():
            for block in tensor.blocks():
                found = crc32(block, found)
        return found

    @property
    def code(self) -> str:
        """A digest of the code that computes, where it is not this package's; see `code_of`."""
        return code_of([type(self)])

    @property
    def opened(self) -> "Network":
        """This network; a lazy one reads its weights first."""
        return self


class LazyNetwork:
    """A network whose weights are read when logits are needed, at first and after others needed the memory.

    What is known without them (vocabulary, device, size, fingerprint) is available at once; everything else
    comes from the opened network.

    Parameters
    ----------
    read : gives the network
    files : the weights' files, asked for when they are needed (a hub's may have to be fetched first)
    digest : gives the fingerprint from the files, which is kept on disk (see `tse_core.models.identity`)
    size : gives the number of weights, without reading them
    settings : what the digest covers besides the files
    made_of : further classes whose code computes, beside that of `read`
    """

    def __init__(
        self,
        read: Callable[[], Network],
        files: Callable[[], list[Path]],
        digest: Callable[[list[Path]], str],
        size: Callable[[], int],
        *,
        vocabulary_size: int,
        device: torch.device,
        settings: dict | None = None,
        made_of: Iterable = (),
    ):
        self.vocabulary_size, self.device = vocabulary_size, device
        self._read, self._files, self._digest, self._size = read, files, digest, size
        self._settings, self._made_of = settings or {}, made_of
        self._lock = threading.RLock()
        self._network: Network | None = None
        self._state: list[tuple] | None = None
        self._fingerprint = ""
        self._checksum = 0

    @property
    def opened(self) -> Network:
        """The network with its weights."""
        with self._lock:
            if self._network is None:
                self._of_files()
                memory.free_for(self)
                network = self._read()
                if self._state != state_of(self._files()):
                    raise InputError(f"{self._files()[0]} changed after the model was opened; open it again")
                if network.vocabulary_size != self.vocabulary_size:
                    raise InputError(
                        f"the network gives {network.vocabulary_size:,} logits, but its configuration says that the "
                        f"vocabulary has {self.vocabulary_size:,} entries"
                    )
                self._network, self._checksum = network, network.checksum()
            memory.used(self)
            return self._network

    @property
    def holds_weights(self) -> bool:
        """Whether the weights are in memory."""
        return self._network is not None

    def close(self) -> None:
        """Release the weights, which are read again when needed; those that were changed in memory stay."""
        with self._lock:
            if not self._changed:
                self._network = None

    def fingerprint(self) -> str:
        """A hash of weights and configuration: from the files, or from memory if the weights were changed there."""
        with self._lock:
            return self._network.fingerprint() if self._network and self._changed else self._of_files()

    @property
    def code(self) -> str:
        """As `Network.code`; the weights stay in their files."""
        return code_of([self._read, *self._made_of])

    @property
    def _changed(self) -> bool:
        return self._network is not None and self._network.checksum() != self._checksum

    def _of_files(self) -> str:
        if not self._fingerprint:
            self._state = state_of(self._files())
            self._fingerprint = cached(self._files(), lambda: self._digest(self._files()), self._settings)
        return self._fingerprint

    @property
    def parameter_count(self) -> int:
        return self._size()

    def __getattr__(self, name: str):
        if name.startswith("_"):  # its own attributes, while they are not there yet (a copy is being made)
            raise AttributeError(name)
        return getattr(self.opened, name)
