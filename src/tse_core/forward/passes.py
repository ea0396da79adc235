"""Efficient forward passes: each distinct input is computed once, and logits only where needed.

A *request* is a position in a sequence of token ids. For a causal model the logits there predict
the next token, for a masked model the token at that position. Requests with the same answer share
one *query*: the tokens that the model reads, and a position among them.

Causal models that take a tree of prefixes get one. Other models, and sequences longer than the
attention window of a layer, get batches of equally long sequences, so that no padding is ever
computed. If memory runs out, passes are halved until they fit.
"""

import gc
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakSet

import numpy as np
import torch

from tse_core.errors import InputError, warn
from tse_core.forward.objective import warn_of_shift
from tse_core.forward.trees import Ids, Tree, arrays, distinct_prefixes, trees
from tse_core.models.language_model import LanguageModel
from tse_core.models.network import Network

# Tokens of a pass on a CPU: what a layer computes then stays below 32 MB, see PROJECTED_ENTRIES.
BATCH_TOKENS = 1024
MOST_TOKENS = 65536  # on a GPU, which gets as many as its free memory allows
TOKEN_BYTES = 256_000  # memory per token of a large model during a pass, a generous estimate
# Nodes of one tree, unless most of them are one beginning: a larger one shares more prefixes, but
# the attention of each token grows.
TREE_TOKENS = 192
# Logits in memory at a time; on a CPU 32 MB, the most that the C library reuses: new pages cost
# more than larger products gain.
PROJECTED_ENTRIES = {"cpu": 8_000_000, "cuda": 64_000_000}
NO_FLOAT64 = ("mps",)  # devices whose logits go to the CPU first, to be summed
CACHED_ENTRIES = 250_000  # logits that stay in a CPU's cache during several passes over them
# Where the ends have a smaller share of the most probable entry, they are summed in double
# precision: a single one rounds the difference from that entry to seven digits.
SMALLEST_SHARE = 1e-12
END = -1  # as a target: any entry that ends the word before it
_networks_warned_about: WeakSet = WeakSet()

Query: TypeAlias = tuple[Ids, int]  # the tokens that the model reads, and a position among them


@dataclass(frozen=True)
class Block:
    """Some distinct distributions and the requests that they answer."""

    # float32 (m, vocabulary), on the model's device, or on the CPU if that has no float64
    logits: torch.Tensor
    requests: np.ndarray  # (k,) indices into the flattened requests
    rows: np.ndarray  # (k,) the row of the logits that answers each request


class _Pass(NamedTuple):
    """What the network computed in one pass."""

    states: torch.Tensor  # (queries, width) of the last layer
    queries: list[Query]


class _Group(NamedTuple):
    """Sequences or trees that can be computed in one pass, if memory allows."""

    items: list
    size: int  # tokens of each item


def blocks(
    model: LanguageModel,
    sequences: Sequence[Ids],
    positions: Sequence[Sequence[int]],
    *,
    batch_tokens: int | None = None,
    advance: Callable[[int], None] = lambda n: None,
) -> Iterator[Block]:
    """Logits at positions of each sequence, in blocks of bounded memory, in no fixed order.

    Parameters
    ----------
    sequences : token ids of each sequence; repeated ones are computed once
    positions : the positions of each sequence; requests are numbered through all of them in order
    batch_tokens : most tokens in one forward pass, by default what the device's memory allows
        It is halved, with a warning, when memory runs out.
    advance : called with the number of requests answered

    Raises
    ------
    InputError : a position outside its sequence; a sequence longer than the model can read; NaN or
        infinity as a logit; too little memory for a single sequence.
    """
    network = model.network
    longest = 1 + max(chain.from_iterable(positions), default=-1)
    fits_window = not network.window or longest <= network.window
    in_trees = network.takes_trees and fits_window
    if model.reads_right:
        warn_of_shift(model)
    requests_of = _requests_of_queries(model, sequences, positions, in_trees)
    if not requests_of:
        return
    run: Callable[[list], _Pass]
    if in_trees:
        groups = _tree_groups(requests_of, network.window)
        run = partial(_run_trees, network)
    else:
        groups = _length_groups(requests_of)
        # The mask of a shifted model is predicted at the position before it.
        run = partial(_run_sequences, network, int(model.shifted))
    is_slower = network.slower_without_trees and not network.takes_trees
    if is_slower and not model.reads_right:
        _warn_without_trees(model, requests_of, groups)

    tokens = batch_tokens or fitting_tokens(network.device)
    if network.one_at_a_time:
        tokens = 1  # less than a sequence, of which each pass has at least one
    passes = _in_batches(groups, run, tokens)
    entries = PROJECTED_ENTRIES.get(network.device.type, PROJECTED_ENTRIES["cpu"])
    for states, queries in _joined(passes, max(1, entries // network.vocabulary_size)):
        logits = network.project(states)
        if logits.device.type in NO_FLOAT64:
            logits = logits.cpu()
        _check_logits(model.name, logits, network.vocabulary_size)
        answered = [requests_of[query] for query in queries]
        requests = np.concatenate(answered)
        rows = np.repeat(np.arange(len(answered)), [len(numbers) for numbers in answered])
        yield Block(logits, requests, rows)
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
    """log P (nats) of one target token at each request: float64 (requests,), in their order.

    To score a sentence with a causal model, ask for positions 0 to n - 2 with the ids 1 to n - 1 as
    targets; with a masked model, give a copy of the sentence for each masked position. The target
    `END` means all entries of `ends`, bool (vocabulary,), together. Options and errors are those of
    `blocks`.
    """
    target_ids = np.fromiter(chain.from_iterable(targets), dtype=np.int64)
    log_probabilities = np.full(len(target_ids), np.nan)
    for block in blocks(model, sequences, positions, **options):
        rows = torch.as_tensor(block.rows)
        ids = torch.as_tensor(target_ids[block.requests])
        normaliser, ending = _log_sums(block.logits, ends)
        device = block.logits.device
        # As an index `END` means the last entry, which is replaced below.
        logits = block.logits[rows.to(device), ids.to(device)].double().cpu()
        if ending is not None:
            logits = torch.where(ids == END, ending[rows], logits)
        log_probabilities[block.requests] = (logits - normaliser[rows]).numpy()
    return log_probabilities


def fitting_tokens(device: torch.device) -> int:
    """Tokens in one pass that a device should be able to hold: half of a GPU's free memory."""
    if device.type != "cuda":
        return BATCH_TOKENS
    free, _ = torch.cuda.mem_get_info(device)
    return int(min(max(free // 2 // TOKEN_BYTES, 1024), MOST_TOKENS))


def _log_sums(
    logits: torch.Tensor, ends: np.ndarray | None
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Logs of the sums of exp over all entries and over those that end a word: float64 (m,).

    The second is None without `ends`.
    """
    size = len(logits)
    if logits.device.type == "cpu":
        size = max(1, CACHED_ENTRIES // logits.shape[1])
    parts = logits.split(size)
    if ends is None:
        return torch.cat([part.logsumexp(1) for part in parts]).double().cpu(), None
    ending = torch.as_tensor(ends, device=logits.device)
    totals, totals_of_ends = [], []
    for part in parts:
        total, total_of_ends = _log_sums_with_ends(part, ending)
        totals.append(total)
        totals_of_ends.append(total_of_ends)
    return torch.cat(totals).cpu(), torch.cat(totals_of_ends).cpu()


def _log_sums_with_ends(
    logits: torch.Tensor, ending: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `_log_sums`, of a few rows and a bool tensor (vocabulary,) on their device.

    Single precision errs by at most 1e-6 nats, because torch sums in pairs. The product with
    `ending` as numbers would add one entry after the other, and err by more than 1e-5.
    """
    top = logits.amax(1, keepdim=True)
    shares = (logits - top).exp_()
    total = shares.sum(1).double()
    total_of_ends = shares.mul_(ending.to(shares.dtype)).sum(1).double()
    top = top[:, 0].double()
    log_total = total.log_() + top
    log_total_of_ends = total_of_ends.log() + top
    rare = total_of_ends < SMALLEST_SHARE
    if rare.any():
        log_total_of_ends[rare] = logits[rare][:, ending].double().logsumexp(1)
    return log_total, log_total_of_ends


def _check_logits(name: str, logits: torch.Tensor, entries: int) -> None:
    """Raise InputError for logits that are no distributions over the entries of a vocabulary.

    A logit of -inf is a probability of 0, but a row of only these has no sum.
    """
    if logits.shape[1:] != (entries,) or not logits.is_floating_point():
        raise InputError(
            f"{name} gives logits of the shape {tuple(logits.shape)} and the type {logits.dtype}; "
            f"right are floating-point numbers, one for each of {entries:,} entries"
        )
    if logits.amax(1).isfinite().all():
        return
    what = "NaN" if logits.isnan().any() else "an infinite number"
    raise InputError(
        f"{name} gives {what} as a logit; its weights are damaged or its precision is too low"
    )


def _warn_without_trees(
    model: LanguageModel, queries: Iterable[Query], groups: Sequence[_Group]
) -> None:
    """Warn, once for each network, where trees of prefixes would save a quarter of the tokens."""
    if model.network in _networks_warned_about:
        return
    sequences = {sequence for sequence, _ in queries}
    tokens = sum(len(group.items) * group.size for group in groups)
    ratio = tokens / distinct_prefixes(sequences)
    if ratio <= 1.33:
        return
    _networks_warned_about.add(model.network)
    warn(
        f"{model.label} computes each context by itself, {ratio:.1f} times as many tokens as if "
        "contexts shared their beginnings; they do where a model of a common architecture is "
        "opened by name or from its folder"
    )


def _requests_of_queries(
    model: LanguageModel,
    sequences: Sequence[Ids],
    positions: Sequence[Sequence[int]],
    in_trees: bool,
) -> dict[Query, np.ndarray]:
    """The distinct queries, each with the numbers of its requests.

    Nothing after a position matters to a causal model: in a tree the sequence is cut there, else
    after its last position, so that all of its positions are computed together.
    """
    limit = model.network.max_length
    requests_of: dict[Query, list[int]] = {}
    request = 0
    for sequence, positions_of_sequence in zip(sequences, positions, strict=True):
        tokens = tuple(sequence)
        if limit and len(tokens) > limit:
            raise InputError(
                f"a sentence of {len(tokens)} tokens is longer than {model.name} can read ({limit})"
            )
        # A causal model sees nothing behind the last position that is asked for.
        last = max(positions_of_sequence, default=-1)
        beginning = tokens if model.reads_right else tokens[: last + 1]
        for position in positions_of_sequence:
            if not 0 <= position < len(tokens):
                raise InputError(
                    f"position {position} is outside a sequence of {len(tokens)} tokens"
                )
            if model.shifted and position == 0:
                raise InputError(
                    f"{model.label} predicts a word at the position before it, and its tokenizer "
                    "puts no token before a sentence"
                )
            context = beginning[: position + 1] if in_trees else beginning
            requests_of.setdefault((context, position), []).append(request)
            request += 1
    return {query: np.array(requests) for query, requests in requests_of.items()}


def _tree_groups(queries: Iterable[Query], window: int | None) -> list[_Group]:
    """Two groups of trees of prefixes: the full ones, and the last, which may be small.

    In one pass with others, it would be padded to their size.
    """
    size = min(TREE_TOKENS, window or TREE_TOKENS)
    packed = list(trees((sequence for sequence, _ in queries), size, window))
    groups = []
    for items in (packed[:-1], packed[-1:]):
        if items:
            groups.append(_Group(items, max(len(tree.nodes) for tree in items)))
    return groups


def _run_trees(network: Network, batch: Sequence[Tree]) -> _Pass:
    """One pass over several trees, with the states at the end of each of their sequences."""
    rows, columns, queries = [], [], []
    for row, tree in enumerate(batch):
        for sequence in tree.sequences:
            rows.append(row)
            columns.append(tree.nodes[sequence])
            queries.append((sequence, len(sequence) - 1))
    ids, depths, visible = arrays([tree.nodes for tree in batch])
    states = network.tree_states(
        torch.from_numpy(ids).to(network.device),
        torch.from_numpy(depths).to(network.device),
        torch.from_numpy(visible).to(network.device),
        torch.tensor(rows, device=network.device),
        torch.tensor(columns, device=network.device),
    )
    return _Pass(states, queries)


def _length_groups(queries: Iterable[Query]) -> list[_Group]:
    """Groups of equally long sequences, each with its positions.

    The longest come first, so that running out of memory shows early. A sequence is run even where
    a longer one begins with it: a network in memory may treat its last token differently.
    """
    positions_of: dict[Ids, list[int]] = {}
    for sequence, position in sorted(queries):
        positions_of.setdefault(sequence, []).append(position)
    groups: dict[int, list[tuple[Ids, list[int]]]] = {}
    for sequence in sorted(positions_of, key=len, reverse=True):
        groups.setdefault(len(sequence), []).append((sequence, positions_of[sequence]))
    return [_Group(items, size) for size, items in groups.items()]


def _run_sequences(network: Network, shift: int, batch: Sequence[tuple[Ids, list[int]]]) -> _Pass:
    """One pass over equally long sequences, with the states at the positions of each.

    They are `shift` tokens before these where the network predicts a token so much earlier.
    """
    rows, columns, queries = [], [], []
    for row, (sequence, positions) in enumerate(batch):
        for position in positions:
            rows.append(row)
            columns.append(position - shift)
            queries.append((sequence, position))
    states = network.states(
        torch.tensor([sequence for sequence, _ in batch], device=network.device),
        torch.tensor(rows, device=network.device),
        torch.tensor(columns, device=network.device),
    )
    return _Pass(states, queries)


def _in_batches(
    groups: Iterable[_Group], run: Callable[[list], _Pass], tokens: int
) -> Iterator[_Pass]:
    """Passes over slices of each group, of at most so many tokens, half once memory runs out."""
    for items, size in groups:
        start = 0
        while start < len(items):
            length = _even_length(len(items) - start, tokens // size)
            batch = items[start : start + length]
            try:
                result = run(batch)
            except RuntimeError as error:
                if not _is_out_of_memory(error):
                    raise
                result = None
            # Not in the handler: its traceback keeps the tensors of the pass in memory.
            if result is None:
                tokens = _halved(len(batch), size)
                continue
            yield result
            start += len(batch)


def _even_length(items: int, most: int) -> int:
    """Items of the next pass, if passes of at most `most` shall have nearly the same length."""
    passes = math.ceil(items / max(1, most))
    return math.ceil(items / passes)


def _is_out_of_memory(error: RuntimeError) -> bool:
    # PyTorch has a class for it, which the backend of Apple's GPUs (mps) does not use.
    return isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error)


def _halved(length: int, size: int) -> int:
    """Tokens of a pass after one of `length` items of `size` tokens had not enough memory."""
    if length == 1:
        raise InputError(
            f"there is not enough memory for one pass of {size} tokens: take a smaller model, "
            "another device or half precision (dtype='float16')"
        )
    tokens = length // 2 * size
    warn(f"out of memory: passes have {tokens:,} tokens from here on")
    gc.collect()
    torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()
    return tokens


def _joined(passes: Iterable[_Pass], size: int) -> Iterator[_Pass]:
    """The passes, cut and joined to `size` queries: the product with the vocabulary needs many."""
    parts: list[torch.Tensor] = []
    queries: list[Query] = []
    for part in passes:
        parts.append(part.states)
        queries += part.queries
        if len(queries) < size:
            continue
        states = parts[0] if len(parts) == 1 else torch.cat(parts)
        whole = len(queries) // size * size
        for start in range(0, whole, size):
            end = start + size
            yield _Pass(states[start:end], queries[start:end])
        # A view of the rest would keep all states in memory.
        parts, queries = [states[whole:].clone()], queries[whole:]
    if queries:
        yield _Pass(torch.cat(parts), queries)
