"""Trees of prefixes: sequences are sorted, and each adds only the tokens that it does not share with the one before."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Ids = tuple[int, ...]


@dataclass
class Tree:
    """A tree of prefixes, nodes in depth-first order."""

    ids: list[int]
    depths: list[int]
    parents: list[int]
    asked: list[tuple[tuple[Ids, int], int]]  # (request's key, node)


def trees(wanted, size) -> Iterator[Tree]:
    """Trees over the wanted sequences: no more than with `size` nodes each (or the longest sequence's, if more), and
    then as narrow as possible, to pad little. What a tree shares with the one before is computed again."""
    ordered = sorted(wanted)
    new = [len(ordered[0][0]), *(len(b) - _shared(a, b) for (a, _), (b, _) in pairwise(ordered))]
    whole = [len(sequence) for sequence, _ in ordered]
    size = max(size, *whole)
    count = len(_cuts(whole, new, size))
    narrowest = bisect_left(range(size), True, lo=max(whole), key=lambda width: len(_cuts(whole, new, width)) <= count)
    cuts = _cuts(whole, new, narrowest)
    for start, end in pairwise([*cuts, len(ordered)]):
        tree = Tree([], [], [], [])
        path: list[int] = []
        for number in range(start, end):
            sequence, place = ordered[number]
            if number > start:
                del path[len(sequence) - new[number] :]
            for depth in range(len(path), len(sequence)):
                tree.parents.append(path[-1] if path else -1)
                path.append(len(tree.ids))
                tree.ids.append(sequence[depth])
                tree.depths.append(depth)
            tree.asked.append(((sequence, place), path[place]))
        yield tree


def _cuts(whole: list[int], new: list[int], width: int) -> list[int]:
    """Where trees of at most `width` nodes start, if each is filled before the next; a sequence has `whole` nodes,
    `new` of which it does not share with the one before."""
    cuts, filled = [0], whole[0]
    for number in range(1, len(whole)):
        filled += new[number]
        if filled > width:
            cuts.append(number)
            filled = whole[number]
    return cuts


def _shared(first: Ids, second: Ids) -> int:
    """How many tokens two sequences have in common from their start."""
    return next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def arrays(batch: Sequence[Tree]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids and depths (trees, nodes) and which nodes each sees, (trees, nodes, nodes): its ancestors and itself."""
    width = max(len(tree.ids) for tree in batch)
    ids = np.zeros((len(batch), width), dtype=np.int64)
    depths = np.zeros((len(batch), width), dtype=np.int64)
    visible = np.zeros((len(batch), width, width), dtype=bool)
    visible[:, np.arange(width), np.arange(width)] = True  # padding sees itself, so that no row is empty
    for row, tree in enumerate(batch):
        ids[row, : len(tree.ids)] = tree.ids
        depths[row, : len(tree.ids)] = tree.depths
        sees = visible[row]
        for node, parent in enumerate(tree.parents):
            if parent >= 0:
                sees[node] |= sees[parent]
    return ids, depths, visible
