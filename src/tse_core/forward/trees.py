"""Trees of prefixes: each sequence adds only the tokens that no sequence before it in the tree has.

Sequences are sorted first, so that those that begin alike are neighbours.
"""

from collections.abc import Iterable, Iterator, Sequence
from os.path import commonprefix
from typing import NamedTuple

import numpy as np

Ids = tuple[int, ...]


class Tree(NamedTuple):
    """A tree of prefixes, and the sequences that it holds."""

    nodes: dict[Ids, int]  # the number of each node, from 0, by the prefix that ends in it
    sequences: list[Ids]


def trees(sequences: Iterable[Ids], size: int, most: int | None = None) -> Iterator[Tree]:
    """Trees over sequences, filled one by one, of `size` nodes or a little more.

    A full tree takes another sequence only if half of its nodes or more are a beginning of that
    sequence, which a new tree would compute again. So a text with all of its beginnings is one
    tree, and a tree of more than `size` nodes has less than twice as many as its longest sequence.
    No tree has more than `most` nodes, unless a single sequence has.
    """
    tree = Tree({}, [])
    previous: Ids = ()
    for sequence in sorted(sequences):
        shared = _shared_length(previous, sequence)
        total = len(tree.nodes) + len(sequence) - shared
        shares_most = 2 * shared >= len(tree.nodes)
        is_full = total > size and not shares_most
        if is_full or (most and total > most):
            yield tree
            # The new tree has nothing yet, so that the whole sequence is added to it.
            tree, shared = Tree({}, []), 0
        for end in range(shared + 1, len(sequence) + 1):
            node = len(tree.nodes)
            tree.nodes[sequence[:end]] = node
        tree.sequences.append(sequence)
        previous = sequence
    yield tree


def distinct_prefixes(sequences: Iterable[Ids]) -> int:
    """How many distinct beginnings sequences have, each sequence being one of its own."""
    total = 0
    previous: Ids = ()
    for sequence in sorted(sequences):
        total += len(sequence) - _shared_length(previous, sequence)
        previous = sequence
    return total


def _shared_length(first: Ids, second: Ids) -> int:
    """In how many tokens two sequences begin alike.

    Of sorted sequences no earlier one shares more with a sequence than the one just before it.
    """
    # No loop over the tokens where the first begins the second, as among a text's beginnings.
    if second[: len(first)] == first:
        return len(first)
    return len(commonprefix([first, second]))


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
        # The nodes of a tree are in the order of their making: each after its parent.
        for prefix, node in nodes.items():
            ids[row, node] = prefix[-1]
            depths[row, node] = len(prefix) - 1
            parent = prefix[:-1]
            if parent:
                visible[row, node] |= visible[row, nodes[parent]]
    return ids, depths, visible
