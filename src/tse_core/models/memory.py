"""Memory for weights: if the next network does not fit beside the open ones, the least recently used ones are closed.

A closed network reads its weights again when it is next used. So a page may name any number of models, and a
GPU only has to hold the largest of them.
"""

import gc
from itertools import count
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import torch

from tse_core.models.devices import free_memory

if TYPE_CHECKING:
    from tse_core.models.network import LazyNetwork

WORK = 2e9  # bytes that a run needs besides the weights
_uses = count()
_last_use: WeakKeyDictionary["LazyNetwork", int] = WeakKeyDictionary()


def opened() -> list["LazyNetwork"]:
    """The networks whose weights are in memory, least recently used first."""
    return [network for network in sorted(_last_use, key=_last_use.__getitem__) if network.holds_weights]


def used(network: "LazyNetwork") -> None:
    """Note that a network is being used."""
    _last_use[network] = next(_uses)


def free_for(network: "LazyNetwork") -> None:
    """Close other networks of its device until this one's weights fit, or none is left."""
    needed = 4 * network.parameter_count + WORK  # single precision; half precision needs half of it
    for other in opened():
        free = free_memory(network.device)
        if free is None or free >= needed:
            return
        if other is not network and other.device == network.device:
            other.close()
            gc.collect()
            if network.device.type == "cuda":
                torch.cuda.empty_cache()
