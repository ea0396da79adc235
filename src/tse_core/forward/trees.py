"""Trees of prefixes: each sequence adds only the tokens that no sequence before it in the tree has.

Sequences are sorted first, so that those that begin alike are neighbours.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

Ids = tuple[int, ...]


class Tree(NamedTuple):
    """A tree of prefixes, and the sequences that it holds."""

    nodes: dict[Ids, int]  # the number of each node, from 0, by the prefix that ends in it
    sequences: list[Ids]


def trees(sequences: Iterable[Ids], size: int) -> Iterator[Tree]:
    """Trees over sequences, filled one by one, of at most `size` nodes each.

    A sequence longer than that gets a tree of its own length. What a tree shares with the one
    before is computed again.
    """
    tree = Tree({}, [])
    for sequence in sorted(sequences):
        shared = _shared_length(tree.nodes, sequence)
        if tree.nodes and len(tree.nodes) + len(sequence) - shared > size:
            yield tree
            tree, shared = Tree({}, []), 0
        for end in range(shared + 1, len(sequence) + 1):
            tree.nodes[sequence[:end]] = len(tree.nodes)
        tree.sequences.append(sequence)
    yield tree


def _shared_length(nodes: dict[Ids, int], sequence: Ids) -> int:
    """Length of the longest beginning of a sequence that is a node already, in tokens."""
    for end in range(len(sequence), 0, -1):
        if sequence[:end] in nodes:
            return end
    return 0


def arrays(batch: Sequence[dict[Ids, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes of several trees as arrays, padded to the largest tree.

    Returns ids and depths, int64 (trees, nodes), and visibility, bool (trees, nodes, nodes): each
    node sees its ancestors and itself.
    """
    width = max(map(len, batch))
    ids = np.zeros((len(batch), width), dtype=np.int64)
    depths = np.zeros((len(batch), width), dtype=np.int64)
    # Padding sees itself, too: attention over an empty row would be NaN.
    visible = np.tile(np.eye(width, dtype=bool), (len(batch), 1, 1))
    for row, nodes in enumerate(batch):
        for prefix, node in nodes.items():
            ids[row, node] = prefix[-1]
            depths[row, node] = len(prefix) - 1
            parent = prefix[:-1]
            if parent:
                visible[row, node] |= visible[row, nodes[parent]]
    return ids, depths, visible
