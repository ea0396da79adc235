"""Trees of prefixes: sequences are sorted, and each adds only the tokens that it does not share with those before."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

Ids = tuple[int, ...]


def trees(sequences: Iterable[Ids], size: int) -> Iterator[tuple[dict[Ids, int], list[Ids]]]:
    """Trees over sequences, of at most `size` nodes each (or the longest sequence's, if more), filled one by one.

    Of each: its nodes, numbered from 0, by the prefixes that end in them, and its sequences. What a tree shares with
    the one before is computed again.
    """
    nodes: dict[Ids, int] = {}
    held: list[Ids] = []
    for sequence in sorted(sequences):
        shared = next((end for end in range(len(sequence), 0, -1) if sequence[:end] in nodes), 0)
        if nodes and len(nodes) + len(sequence) - shared > size:
            yield nodes, held
            nodes, held, shared = {}, [], 0
        for end in range(shared + 1, len(sequence) + 1):
            nodes[sequence[:end]] = len(nodes)
        held.append(sequence)
    yield nodes, held


def arrays(batch: Sequence[dict[Ids, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids and depths (trees, nodes) and which nodes each sees, (trees, nodes, nodes): its ancestors and itself."""
    width = max(map(len, batch))
    ids, depths = np.zeros((2, len(batch), width), dtype=np.int64)
    visible = np.tile(
        np.eye(width, dtype=bool), (len(batch), 1, 1)
    )  # padding sees itself, so that no row is empty
    for row, nodes in enumerate(batch):
        for prefix, node in nodes.items():
            ids[row, node], depths[row, node] = prefix[-1], len(prefix) - 1
            if prefix[1:]:
                visible[row, node] |= visible[row, nodes[prefix[:-1]]]
    return ids, depths, visible
