"""A baseline that anyone can train here: an n-gram model with interpolated Kneser-Ney smoothing, over sorted arrays.

Each word is one entry, and each next-word distribution covers the whole vocabulary, so that TSE, EW, MW, BLiMP and
SyntaxGym run on it unchanged.

All n-grams of the corpus form a tree: the node of "the keys are" is the child ``are`` of the node "the keys".
Level k holds the nodes of length k as one sorted array of ``parent * vocabulary + word``, so the continuations of a
context lie side by side, a look-up is a binary search, and the distributions after thousands of contexts are
computed at once. The probability of a word after a context interpolates down the orders (Kneser & Ney 1995;
Chen & Goodman 1999)::

    P(w | c) = max(count(c w) - d, 0) / count(c) + d * types(c) / count(c) * P(w | c without its first word)

At the highest order ``count`` is how often the n-gram occurs; below it is the number of different words that
precede it. The recursion ends in the uniform distribution, so every word of the vocabulary has a probability and
each distribution sums to 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.trainers import WordLevelTrainer
from transformers import PreTrainedTokenizerFast

from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel
from tse_core.models.network import Network

SPECIAL = ("[UNK]", "[BOS]", "[EOS]")


def train_baseline(
    sentences: Iterable[str], tokenizer=None, *, name="ngram", order: int = 5
) -> LanguageModel:
    """An n-gram model of these sentences.

    `tokenizer` is a PreTrainedTokenizerFast with a beginning and an end of sentence and an unknown token, by default
    one entry for each word or mark of the sentences, in lower case.

    >>> model = train_baseline(["The key is old.", "The keys are old."], order=3)
    >>> model.kind, model.tokenizer.tokenize("The keys are odd.")
    ('causal', ['the', 'keys', 'are', '[UNK]', '.'])
    """
    sentences = [sentence for sentence in sentences if sentence.strip()]
    if not sentences:
        raise InputError("a baseline needs a corpus: no sentence with a word was given")
    tokenizer = tokenizer or _word_tokenizer(sentences)
    ids = tokenizer(sentences, add_special_tokens=False, verbose=False)["input_ids"]
    boundary, end = tokenizer.bos_token_id, tokenizer.eos_token_id
    sizes = {"vocabulary_size": len(tokenizer), "boundary": boundary, "end": end}
    return LanguageModel(name, "causal", tokenizer, train_ngram(ids, **sizes, order=order))


def _word_tokenizer(sentences: list[str]) -> PreTrainedTokenizerFast:
    words = Tokenizer(WordLevel(unk_token=SPECIAL[0]))
    words.normalizer, words.pre_tokenizer = Lowercase(), Whitespace()
    every = WordLevelTrainer(vocab_size=2**31, special_tokens=list(SPECIAL), show_progress=False)
    words.train_from_iterator(sentences, every)
    names = dict(zip(("unk_token", "bos_token", "eos_token"), SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=words, **names)


@dataclass(frozen=True)
class Level:
    """The n-grams of one length, as continuations of the contexts one word shorter (the nodes of the level above)."""

    keys: np.ndarray  # (nodes,) int64, sorted: parent node * vocabulary + last word
    counts: (
        np.ndarray
    )  # (nodes,) int64: occurrences, or different preceding words below the highest order
    first: (
        np.ndarray
    )  # (parents + 1,) int64: the children of parent c are first[c] .. first[c + 1] - 1
    probability: np.ndarray  # (nodes,) float64: the discounted share of the parent's count
    rest: (
        np.ndarray
    )  # (parents,) float64: the mass left to the shorter context; 1 where nothing was counted


class NGram(Network):
    """An n-gram model over token ids, which :func:`train_ngram` makes; one discount per order, from unigrams up."""

    def __init__(self, keys: Sequence[np.ndarray], counts: Sequence[np.ndarray], vocabulary_size: int, boundary: int,
                 discounts: float | Sequence[float] | None = None):  # fmt: skip
        self.vocabulary_size, self.order, self.boundary = (
            int(vocabulary_size),
            len(keys),
            int(boundary),
        )
        if discounts is None:
            once, twice = ([int((level == times).sum()) for level in counts] for times in (1, 2))
            discounts = [a / (a + 2 * b) if a else 0.5 for a, b in zip(once, twice, strict=True)]
        self.discounts = tuple(np.broadcast_to(discounts, len(counts)).tolist())
        parents = [1, *(len(level) for level in keys[:-1])]
        self.levels = []
        for level, count, size, discount in zip(keys, counts, parents, self.discounts, strict=True):
            parent = level // self.vocabulary_size
            total, types = (np.bincount(parent, weights, size) for weights in (count, count > 0))
            some = np.where(total > 0, total, 1)
            first = np.searchsorted(level, np.arange(size + 1) * self.vocabulary_size)
            rest = np.where(total > 0, discount * types / some, 1.0)
            self.levels.append(
                Level(level, count, first, np.maximum(count - discount, 0) / some[parent], rest)
            )

    def probabilities(self, contexts: np.ndarray) -> np.ndarray:
        """The distribution of the next word after each context: (contexts, vocabulary) float64.

        contexts is (contexts, length) int: token ids, right-aligned, -1 where a context is shorter.
        """
        contexts = np.asarray(contexts, dtype=np.int64)
        mixed = np.full((len(contexts), self.vocabulary_size), 1 / self.vocabulary_size)
        for length, level in enumerate(self.levels):
            nodes = (
                self._nodes(contexts[:, contexts.shape[1] - length :])
                if length <= contexts.shape[1]
                else None
            )
            if nodes is None:
                break
            rows = np.flatnonzero(nodes >= 0)
            nodes = nodes[rows]
            mixed[rows] *= level.rest[nodes, None]
            size = level.first[nodes + 1] - level.first[nodes]
            children = np.repeat(level.first[nodes] - np.cumsum(size) + size, size) + np.arange(
                size.sum()
            )
            mixed[np.repeat(rows, size), level.keys[children] % self.vocabulary_size] += (
                level.probability[children]
            )
        return mixed

    def _nodes(self, contexts: np.ndarray) -> np.ndarray:
        """The tree's node of each context, -1 where the corpus does not have it."""
        nodes = np.zeros(len(contexts), dtype=np.int64)
        for level, words in zip(self.levels, contexts.T, strict=False):
            wanted = nodes * self.vocabulary_size + words
            found = np.minimum(np.searchsorted(level.keys, wanted), len(level.keys) - 1)
            nodes = np.where((nodes >= 0) & (words >= 0) & (level.keys[found] == wanted), found, -1)
        return nodes

    def states(self, ids, rows, columns):
        """The last n - 1 tokens up to each (row, column) of a batch of ids: (n, order - 1) LongTensor, -1 for none.

        A sentence that begins with the boundary token gets n - 1 of them, as in training; any other begins with
        an empty context.
        """
        before = torch.full((len(ids), self.order - 1), -1)
        before[ids[:, 0] == self.boundary] = self.boundary
        places = columns[:, None] + torch.arange(1, self.order)
        return torch.cat([before, ids], dim=1)[rows[:, None], places]

    def project(self, contexts):
        """Log-probabilities (nats) of the next word: (n, vocabulary) float32, normalised, so a softmax keeps them."""
        different, where = np.unique(contexts.numpy(), axis=0, return_inverse=True)
        logarithms = np.log(self.probabilities(different)).astype(np.float32)
        return torch.from_numpy(logarithms)[torch.from_numpy(where.reshape(-1))]

    def tensors(self) -> dict[str, torch.Tensor]:
        counted = {
            f"counts {n}": torch.from_numpy(level.counts)
            for n, level in enumerate(self.levels, start=1)
        }
        return counted | {
            f"keys {n}": torch.from_numpy(level.keys)
            for n, level in enumerate(self.levels, start=1)
        }

    def configuration(self) -> dict:
        sizes = {"vocabulary_size": self.vocabulary_size, "boundary": self.boundary}
        return sizes | {"discounts": list(self.discounts)}


def train_ngram(
    sentences: Sequence[Sequence[int]],
    *,
    vocabulary_size: int,
    boundary: int,
    end: int,
    order: int = 5,
    discounts: float | Sequence[float] | None = None,
) -> NGram:
    """Count all n-grams up to ``order`` and smooth them.

    `sentences` are token ids without boundaries. `boundary` is put before each (n - 1 times) and never counted as a
    continuation, `end` after it. `discounts`: a number or one per order; by default Ney, Essen & Kneser's (1994)
    estimate n1 / (n1 + 2 n2) of each order, n1 and n2 being the number of n-grams counted once and twice; 0.5 where
    there are none to estimate from.

    >>> model = train_ngram([[2, 3], [2, 4]], vocabulary_size=5, boundary=0, end=1, order=2)
    >>> model.probabilities([[2]])[0].round(3).tolist()
    [0.064, 0.251, 0.117, 0.284, 0.284]
    """
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    total = (
        lengths + order
    )  # all sentences with their boundaries in one array; how many words of each still follow
    stops = np.cumsum(total)
    words = np.full(stops[-1], boundary, dtype=np.int64)
    inside = np.repeat(
        stops - total + order - 1 - (np.cumsum(lengths) - lengths), lengths
    ) + np.arange(lengths.sum())
    words[inside] = np.concatenate(
        [np.asarray(sentence, dtype=np.int64) for sentence in sentences if len(sentence)]
    )
    words[stops - 1] = end
    last = np.repeat(stops, total) - np.arange(len(words)) - 1
    nodes = np.zeros(len(words), dtype=np.int64)
    keys, numbers, suffixes = [], [], []
    for length in range(1, order + 1):
        starts = np.flatnonzero(
            last >= length - 1
        )  # positions that have length - 1 more words in their sentence
        wanted = nodes[starts] * vocabulary_size + words[starts + length - 1]
        level, where, count = np.unique(wanted, return_inverse=True, return_counts=True)
        suffix = np.zeros(len(level), dtype=np.int64)
        if length > 1:
            suffix[where] = nodes[starts + 1]
        nodes = np.zeros_like(nodes)
        nodes[starts] = where
        keys.append(level)
        numbers.append(count)
        suffixes.append(suffix)
    for length in range(order - 1):  # below the highest order: how many different words come before
        counted = keys[length + 1] % vocabulary_size != boundary
        numbers[length] = np.bincount(suffixes[length + 1][counted], minlength=len(keys[length]))
    numbers[-1] = np.where(keys[-1] % vocabulary_size != boundary, numbers[-1], 0)
    return NGram(keys, numbers, vocabulary_size, boundary, discounts)
