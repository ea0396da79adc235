"""Efficient forward passes: every distinct input is computed once, and logits only where needed.

A *request* is a place in a sequence of token ids. For a causal model the logits there predict the next token, for a
masked model the token at that place. Causal models that take a tree of prefixes get one. Other models, and sequences
longer than the window that a layer sees, get batches of equally long sequences, so that no padding is ever computed.
If memory runs out, passes are halved until they fit.
"""

import gc
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any
from weakref import WeakSet

import numpy as np
import torch

from tse_core.errors import InputError, warn
from tse_core.forward.trees import Ids, arrays, trees
from tse_core.models.language_model import LanguageModel

BATCH_TOKENS = 1024  # on a CPU; what a layer computes then stays below 32 MB, see PROJECTED_ENTRIES
MOST_TOKENS = 65536  # on a GPU, which gets as many as its free memory allows
TOKEN_BYTES = 256_000  # memory per token of a large model during a pass, a generous estimate
TREE_TOKENS = 192  # of one packed tree: more share more prefixes, but each token's attention grows with the pack
# Logits held at a time; on a CPU 32 MB, the most that the C library reuses, as new pages cost more than they gain.
PROJECTED_ENTRIES = {"cpu": 8_000_000, "cuda": 64_000_000}
NO_FLOAT64 = ("mps",)  # their logits go to the CPU first, to be summed
CACHED_ENTRIES = 500_000  # logits that stay in a CPU's cache during several passes over them
_told: WeakSet = WeakSet()  # the networks of which it was said what their passes cost
END = -1  # as a target: any entry that ends the word before it


@dataclass(frozen=True)
class Block:
    """Some distinct distributions and the requests that they answer."""

    logits: (
        torch.Tensor
    )  # (m, vocabulary), float32, on the model's device, or on the CPU if that has no float64
    requests: np.ndarray  # (k,) indices into the flattened requests
    rows: np.ndarray  # (k,) which of the m rows answers each


def blocks(
    model: LanguageModel,
    sequences: Sequence[Ids],
    positions: Sequence[Sequence[int]],
    *,
    batch_tokens: int | None = None,
    advance: Callable[[int], None] = lambda n: None,
) -> Iterator[Block]:
    """Logits at the given positions of each sequence, in blocks of bounded memory, in no fixed order.

    Parameters
    ----------
    sequences : token ids of each sequence; repeated ones are computed once
    positions : for each sequence, the places wanted. Requests are numbered through all sequences in order.
    batch_tokens : most tokens in one forward pass; by default what the device's memory allows. It is halved, with a
        warning, when memory runs out.
    advance : called with the number of requests answered
    """
    network, longest = (
        model.network,
        1 + max((max(places, default=-1) for places in positions), default=-1),
    )
    in_trees = network.takes_trees and longest <= (network.window or longest)
    wanted = _places(model, sequences, positions, in_trees)
    if not wanted:
        return
    groups, run = (_packed if in_trees else _by_length)(model, wanted)
    if model.kind == "causal" and network.slower_without_trees and not network.takes_trees:
        _say_what_it_costs(model, wanted, sum(len(items) * size for items, size in groups))
    passes = _in_batches(groups, run, batch_tokens or fitting_tokens(model.device))
    entries = PROJECTED_ENTRIES.get(model.device.type, PROJECTED_ENTRIES["cpu"])
    for states, places in _joined(passes, max(1, entries // model.vocabulary_size)):
        answered = [wanted[place] for place in places]
        requests = np.concatenate(answered)
        logits = network.project(states)
        logits = logits.cpu() if logits.device.type in NO_FLOAT64 else logits
        if (
            not logits.amax(1).isfinite().all()
        ):  # -inf is a probability of 0; a row of only these is no distribution
            what = "NaN" if logits.isnan().any() else "an infinite number"
            raise InputError(
                f"{model.name} gives {what} as a logit; its weights are damaged or its precision is too low"
            )
        yield Block(
            logits, requests, np.repeat(np.arange(len(answered)), [len(a) for a in answered])
        )
        advance(len(requests))


def target_log_probabilities(
    model: LanguageModel,
    sequences: Sequence[Ids],
    positions: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    *,
    ends: np.ndarray | None = None,
    **options: Any,
) -> np.ndarray:
    """log P (nats) of one target token at each request: float64 (requests,), flattened in the order of the requests.

    To score a sentence with a causal model, ask for positions 0 to n - 2 with the ids 1 to n - 1 as targets; with a
    masked model, give a copy of the sentence for each masked place. The target `END` means all entries of `ends`, bool
    (vocabulary,), together. Options are those of `blocks`.
    """
    flat = np.fromiter(chain.from_iterable(targets), dtype=np.int64)
    found = np.full(len(flat), np.nan)
    for block in blocks(model, sequences, positions, **options):
        rows, asked = torch.as_tensor(block.rows), torch.as_tensor(flat[block.requests])
        normaliser, ending = _normalised(block.logits, ends)
        device = block.logits.device
        logits = block.logits[rows.to(device), asked.to(device)].double().cpu()
        logits = logits if ending is None else torch.where(asked == END, ending[rows], logits)
        found[block.requests] = (logits - normaliser[rows]).numpy()
    return found


def _normalised(
    logits: torch.Tensor, ends: np.ndarray | None
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """log of the sum of exp over all entries, and, in double precision, over those that end a word: float64 (m,)."""
    parts = logits.split(
        max(1, CACHED_ENTRIES // logits.shape[1]) if logits.device.type == "cpu" else len(logits)
    )
    if ends is None:
        return torch.cat([rows.logsumexp(1) for rows in parts]).double().cpu(), None
    chosen = torch.as_tensor(ends, device=logits.device).double()
    totals, ending = [], []
    for rows in parts:
        top = rows.amax(1, keepdim=True).double()
        shares = (rows.double() - top).exp_()
        totals.append(shares.sum(1).log_() + top[:, 0])
        ending.append((shares @ chosen).log_() + top[:, 0])
    return torch.cat(totals).cpu(), torch.cat(ending).cpu()


def _say_what_it_costs(model, wanted, tokens: int) -> None:
    """Warn, once for each network, where trees of prefixes would have saved a quarter of the tokens or more."""
    nodes = len({sequence[:end] for sequence, _ in wanted for end in range(1, len(sequence) + 1)})
    if model.network in _told or tokens <= 1.33 * nodes:
        return
    _told.add(model.network)
    warn(
        f"{model.label} computes each context by itself, {tokens / nodes:.1f} times as many tokens as if contexts "
        "shared their beginnings; they do where a model of a common architecture is opened by name or from its folder"
    )


def fitting_tokens(device: torch.device) -> int:
    """Tokens in one pass that a device should be able to hold: half of a GPU's free memory."""
    if device.type != "cuda":
        return BATCH_TOKENS
    free, _ = torch.cuda.mem_get_info(device)
    return int(min(max(free // 2 // TOKEN_BYTES, 1024), MOST_TOKENS))


def _in_batches(
    groups: Sequence[tuple[list, int]], run: Callable[[list], object], tokens: int
) -> Iterator[object]:
    """Run over slices of the items of each group, of `size` tokens each; once memory runs out, over half as many."""
    for items, size in groups:
        start = 0
        while start < len(items):
            rest = math.ceil(
                (len(items) - start) / max(1, tokens // size)
            )  # passes, of nearly the same length
            batch = items[start : start + math.ceil((len(items) - start) / rest)]
            try:
                found = run(batch)
            except RuntimeError as error:
                if not (
                    isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error)
                ):  # as mps says
                    raise
                found = None
            if found is None:  # outside the handler, which would keep what the pass had in memory
                tokens = _halved(len(batch), size)
                continue
            yield found
            start += len(batch)


def _halved(length: int, size: int) -> int:
    """The tokens of a pass after one of `length` items had not enough memory."""
    if length == 1:
        raise InputError(
            f"there is not enough memory for one pass of {size} tokens: take a smaller model, another device or half "
            "precision (dtype='float16')"
        )
    tokens = length // 2 * size
    warn(f"out of memory: passes have {tokens:,} tokens from here on")
    gc.collect()
    torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()
    return tokens


def _places(model, sequences, positions, in_trees: bool) -> dict[tuple[Ids, int], np.ndarray]:
    """The distinct (sequence, position) wanted, each with its requests.

    For a causal model nothing after the last position matters, so the sequence is cut there; in a tree, after each.
    """
    limit = model.network.max_length
    wanted: dict[tuple[Ids, int], list[int]] = {}
    request = 0
    for sequence, places in zip(sequences, positions, strict=True):
        sequence = tuple(sequence)
        if limit and len(sequence) > limit:
            raise InputError(
                f"a sentence of {len(sequence)} tokens is longer than {model.name} can read ({limit})"
            )
        for place in places:
            if not 0 <= place < len(sequence):
                raise InputError(
                    f"position {place} is outside a sequence of {len(sequence)} tokens"
                )
            read = (
                sequence[: (place if in_trees else max(places)) + 1]
                if model.kind == "causal"
                else sequence
            )
            wanted.setdefault((read, place), []).append(request)
            request += 1
    return {key: np.array(requests) for key, requests in wanted.items()}


def _joined(passes, rows: int):
    """States of several passes, `rows` at a time: with few of them the product with the vocabulary is slow."""
    held, places = [], []
    for states, found in passes:
        held.append(states)
        places += found
        if len(places) < rows:
            continue
        states = held[0] if len(held) == 1 else torch.cat(held)
        whole = len(places) // rows * rows
        for start in range(0, whole, rows):
            yield states[start : start + rows], places[start : start + rows]
        held, places = [states[whole:].clone()], places[whole:]
    if places:
        yield torch.cat(held), places


def _by_length(model, wanted):
    """Groups of equally long sequences, longest first, so that running out of memory shows early; how they are run.

    A sequence is run even where a longer one begins with it: a network in memory may treat its last token differently.
    """
    asked: dict[Ids, list[tuple[Ids, int]]] = {}
    for sequence, place in sorted(wanted):
        asked.setdefault(sequence, []).append((sequence, place))

    def run(batch):
        where = [(row, place) for row, sequence in enumerate(batch) for _, place in asked[sequence]]
        rows, columns = torch.tensor(where, device=model.device).T
        keys = [key for sequence in batch for key in asked[sequence]]
        return model.network.states(torch.tensor(batch, device=model.device), rows, columns), keys

    return [
        (list(group), size) for size, group in groupby(sorted(asked, key=len, reverse=True), len)
    ], run


def _packed(model, wanted):
    """Two groups of trees of prefixes: full ones, of which several are run at once, and the last; how they are run."""

    def run(batch):
        where = [
            (row, nodes[sequence])
            for row, (nodes, sequences) in enumerate(batch)
            for sequence in sequences
        ]
        rows, columns = torch.tensor(where, device=model.device).T
        ids, depths, visible = (
            torch.from_numpy(a).to(model.device) for a in arrays([nodes for nodes, _ in batch])
        )
        states = model.network.tree_states(ids, depths, visible, rows, columns)
        return states, [
            (sequence, len(sequence) - 1) for _, sequences in batch for sequence in sequences
        ]

    size = min(TREE_TOKENS, model.network.window or TREE_TOKENS)
    found = list(trees((sequence for sequence, _ in wanted), size))
    return [
        (part, max(len(nodes) for nodes, _ in part)) for part in (found[:-1], found[-1:]) if part
    ], run
