"""The probability of whole word forms of any number of tokens, by the chain rule over a tree of their beginnings.

    P(form | slot) = P(first token | slot) * P(second token | slot, first token) * ...   [ * P(the word ends | form) ]

A form of several tokens has no entry of its own in the distribution at a slot, so the forms of a list are put into one
tree: a node for each distinct beginning, the empty one at the root. Of the distribution at a node only the normaliser,
the logits of the node's children and, where the end counts, the mass of the entries that end a word are kept.

Pimentel & Meister (2024) and Oh & Schuler (2024) call for the end: if spaces start the next entry, it alone shows that
" walk" is not " walked". Their other factor, the probability that the word before the slot is over, is the same for all
forms and is not divided out here, just as for the probability of a single entry.

A masked model gets n masks for a form of n tokens, filled from left to right (Kauf & Ivanova 2023). Each length has its
own tree. The end needs no factor: the token after the masks is seen in every step, and it ends the word.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch

from tse_core.errors import InputError
from tse_core.forward.passes import CACHED_ENTRIES, Block, blocks
from tse_core.forward.trees import Ids
from tse_core.models.language_model import LanguageModel, Prompt


class FormScores(NamedTuple):
    """The scores of each form at each slot, float64 (slots, forms), in nats."""

    log_probability: np.ndarray  # of the form's tokens, whatever follows
    log_end: np.ndarray  # that the word ends after them; 0 where ends are not counted


@dataclass(frozen=True)
class FormTree:
    """Distinct beginnings of forms, the shorter ones first; the empty one (of each length, where masked) is a root."""

    lengths: list[int]  # (nodes,) of the forms that a node belongs to; 0 where one tree holds all lengths
    beginnings: list[Ids]  # (nodes,)
    parents: np.ndarray  # (nodes,) -1 for a root
    of_forms: np.ndarray  # (forms,) the node of each form

    @property
    def inner(self) -> np.ndarray:
        """The nodes that have children."""
        return np.unique(self.parents[self.parents >= 0])


def form_tree(forms: Sequence[Ids], by_length: bool = False) -> FormTree:
    """The tree of all beginnings of some forms; with `by_length` one for each number of tokens.

    >>> form_tree([(5,), (5, 7), (6, 7)]).beginnings
    [(), (5,), (6,), (5, 7), (6, 7)]
    """
    if not forms or not all(forms):
        raise InputError("whole words need at least one form, and each form at least one token")
    length = {form: len(form) if by_length else 0 for form in forms}
    nodes = {(length[form], form[:end]) for form in forms for end in range(len(form) + 1)}
    ordered = sorted(nodes, key=lambda node: (len(node[1]), node))
    number = {node: i for i, node in enumerate(ordered)}
    parents = [number[group, beginning[:-1]] if beginning else -1 for group, beginning in ordered]
    of_forms = np.array([number[length[form], form] for form in forms])
    return FormTree([group for group, _ in ordered], [b for _, b in ordered], np.array(parents), of_forms)


def asked_beginnings(forms: Sequence[Ids], *, masked: bool, ends: bool) -> tuple[FormTree, np.ndarray]:
    """The tree of some forms, and its nodes after which a token is predicted: whole forms only where ends count."""
    tree = form_tree(forms, by_length=masked)
    return tree, np.union1d(tree.inner, tree.of_forms) if ends else tree.inner


def form_log_probabilities(
    model: LanguageModel,
    slots: Sequence[Prompt],
    forms: Sequence[Ids],
    *,
    ends: np.ndarray | None = None,
    batch_tokens: int | None = None,
    share_prefixes: bool = True,
    advance: Callable[[float], None] = lambda share: None,
) -> FormScores:
    """log P (nats) of each form at each slot.

    Parameters
    ----------
    model : LanguageModel
    slots : from `LanguageModel.slots`
    forms : token ids of each form, from `LanguageModel.spellings`
    ends : bool (vocabulary,), optional
        The entries that end the word before them (`LanguageModel.word_ends`); the end is counted. Not for a masked
        model.
    batch_tokens, share_prefixes : as in `blocks`
    advance : called with the share of the work that was done

    Raises InputError: no forms, an empty form, `ends` for a masked model or of another size than the vocabulary.
    """
    masked = model.kind == "masked"
    if ends is not None and (masked or ends.shape != (model.vocabulary_size,)):
        raise InputError(
            "a masked model sees where a word ends; its forms need no ends" if masked
            else f"ends has shape {ends.shape}; it must be ({model.vocabulary_size},), one for each entry"
        )  # fmt: skip
    tree, asked = asked_beginnings(forms, masked=masked, ends=ends is not None)
    sequences, places = [], []
    for slot in slots:
        for node in asked:
            sequence, place = _filled(model, slot, tree.beginnings[node], tree.lengths[node])
            sequences.append(sequence)
            places.append([place])
    steps = np.zeros((len(slots), len(tree.beginnings)))
    closed = np.zeros_like(steps)
    children = _Children(tree)
    passes = blocks(model, sequences, places, batch_tokens=batch_tokens, share_prefixes=share_prefixes,
                    advance=lambda done: advance(done / len(sequences)))  # fmt: skip
    for block in passes:
        normaliser, ending = _normalised(block.logits, ends)
        of_slot, at = np.divmod(block.requests, len(asked))
        _take_children(steps, children, block, normaliser, of_slot, asked[at])
        if ending is not None:
            closed[of_slot, asked[at]] = (ending - normaliser)[torch.as_tensor(block.rows)].numpy()
    _multiply(steps, tree)
    return FormScores(steps[:, tree.of_forms], closed[:, tree.of_forms])


def _filled(model, slot: Prompt, beginning: Ids, length: int) -> tuple[Ids, int]:
    """The sequence in which the token after a beginning is predicted, and the place where it is."""
    place = slot.position + len(beginning)
    if model.kind == "causal":
        return slot.ids + beginning, place
    masks = (model.tokenizer.mask_token_id,) * (length - len(beginning))
    return slot.ids[: slot.position] + beginning + masks + slot.ids[slot.position + 1 :], place


class _Children:
    """The children of each node, one after the other, and the token that leads to each."""

    def __init__(self, tree: FormTree):
        count = np.bincount(tree.parents[tree.parents >= 0], minlength=len(tree.parents))
        self.count, self.first = count, np.cumsum(count) - count
        self.nodes = np.argsort(tree.parents, kind="stable")[(tree.parents < 0).sum() :]
        self.tokens = np.array([tree.beginnings[node][-1] for node in self.nodes], dtype=np.int64)

    def of(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each child of some nodes: which of these is its parent, and its place in `nodes` and `tokens`."""
        count = self.count[nodes]
        starts = np.repeat(self.first[nodes] - np.cumsum(count) + count, count)
        return np.repeat(np.arange(len(nodes)), count), starts + np.arange(count.sum())


def _take_children(steps, children: _Children, block: Block, normaliser, slot, nodes) -> None:
    """Fill in log P of the last token of every child of the nodes that a block answers."""
    parent, place = children.of(nodes)
    rows, tokens = block.rows[parent], children.tokens[place]
    device = block.logits.device
    found = block.logits[torch.as_tensor(rows, device=device), torch.as_tensor(tokens, device=device)].double().cpu()
    steps[slot[parent], children.nodes[place]] = (found - normaliser[torch.as_tensor(rows)]).numpy()


def _normalised(logits, ends) -> tuple[torch.Tensor, torch.Tensor | None]:
    """log of the sum of exp over all entries, and over those that end a word: float64 (m,), in double precision."""
    size = max(1, CACHED_ENTRIES // logits.shape[1]) if logits.device.type == "cpu" else len(logits)
    chosen = None if ends is None else torch.as_tensor(ends, device=logits.device).double()
    totals, ending = [], []
    for rows in logits.split(size):
        top = rows.amax(1, keepdim=True).double()
        shares = (rows.double() - top).exp_()
        totals.append(shares.sum(1).log_() + top[:, 0])
        if chosen is not None:
            ending.append((shares @ chosen).log_() + top[:, 0])
    return torch.cat(totals).cpu(), torch.cat(ending).cpu() if ending else None


def _multiply(steps: np.ndarray, tree: FormTree) -> None:
    """Turn log P of each node's last token into log P of the whole beginning, in place; a root has 0."""
    depths = np.array([len(beginning) for beginning in tree.beginnings])
    bounds = np.searchsorted(depths, np.arange(depths.max() + 2))
    for start, end in list(pairwise(bounds))[1:]:
        steps[:, start:end] += steps[:, tree.parents[start:end]]
