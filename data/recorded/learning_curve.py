"""Train an n-gram model and an LSTM on growing corpora of the laboratory: how learning_curve.csv was made.

    python data/recorded/learning_curve.py [FILE]

As in Warstadt et al. (2020), section 6.3: each corpus is twice as long as the one before and begins with it. The LSTM
has the shape of Gulordava et al.'s (2018), which they evaluated, and gets the same number of updates on every corpus,
so that what grows is the text and not the training.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from tse_book.baselines import train_baseline
from tse_book.laboratory.corpus import sentences
from tse_book.laboratory.language import load_language
from tse_book.laboratory.networks import tokenizer
from tse_core.datasets.loading import load_sentence_pairs
from tse_core.models.language_model import LanguageModel
from tse_core.models.network import Network
from tse_core.sentences.evaluate import evaluate_blimp

SIZES = tuple(1000 * 2**step for step in range(8))
UPDATES, BATCH = 2000, 64  # of the LSTM
IGNORED = -100  # cross_entropy ignores targets with this id


class LSTM(nn.Module, Network):
    """The network; its embedding and output share a matrix where `embedding` equals `hidden`."""

    keeps_results = False

    def __init__(
        self,
        vocabulary_size: int,
        embedding: int = 128,
        hidden: int = 128,
        layers: int = 1,
        dropout=0.1,
    ):
        super().__init__()
        self.vocabulary_size = vocabulary_size
        self.embedding = nn.Embedding(vocabulary_size, embedding)
        self.recurrent = nn.LSTM(
            embedding, hidden, layers, batch_first=True, dropout=dropout if layers > 1 else 0
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, vocabulary_size)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        if embedding == hidden:
            self.output.weight = self.embedding.weight
        nn.init.zeros_(self.output.bias)

    def read(self, ids: torch.Tensor) -> torch.Tensor:
        """The last layer's states: (batch, length) ids -> (batch, length, hidden)."""
        return self.dropout(self.recurrent(self.dropout(self.embedding(ids)))[0])

    @torch.inference_mode()
    def states(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """States (n, hidden) at n places of a batch of equally long sequences."""
        return self.read(ids)[rows, columns]

    @torch.inference_mode()
    def project(self, states: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary) float32 of the next word."""
        return self.output(states).float()

    def tensors(self) -> dict[str, torch.Tensor]:
        return self.state_dict()


def train_lstm(
    sentences: Sequence[Sequence[int]],
    *,
    vocabulary_size: int,
    boundary: int,
    end: int,
    embedding: int = 128,
    hidden: int = 128,
    layers: int = 1,
    dropout: float = 0.1,
    epochs: float = 3,
    batch: int = 64,
    rate: float = 1e-2,
    seed: int = 0,
) -> tuple[LSTM, np.ndarray]:
    """Train by Adam with a one-cycle learning rate, sentence by sentence (no state is carried over).

    `sentences` are sequences of token ids, without boundary tokens; `boundary` is put before a random half of them, so
    that they can be read with and without, `end` after all. A part of an epoch is allowed.

    Returns the network in evaluation mode, and the loss (nats per token) of each step.
    """
    torch.manual_seed(seed)
    network = LSTM(vocabulary_size, embedding, hidden, layers, dropout).train()
    steps = max(1, round(epochs * len(sentences) / batch))
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1)
    losses = np.zeros(steps, dtype=np.float32)
    for step, chosen in zip(range(steps), _batches(sentences, batch, seed, boundary), strict=False):
        ids, targets = _rows(chosen, end)
        inside = targets != IGNORED
        loss = cross_entropy(network.output(network.read(ids)[inside]), targets[inside])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        losses[step] = loss.item()
    return network.eval(), losses


def _batches(sentences, batch, seed, boundary):
    """Endless shuffled batches; sentences of similar length go together, so that little is padded."""
    random = np.random.default_rng(seed)
    lengths = np.array([len(sentence) for sentence in sentences])
    while True:
        order = random.permutation(len(sentences))
        order = order[np.argsort(lengths[order], kind="stable")]
        for group in random.permutation(np.arange(0, len(order), batch)):
            chosen = order[group : group + batch]
            begins = random.random(len(chosen)) < 0.5
            yield [
                [boundary, *sentences[i]] if b else [*sentences[i]]
                for i, b in zip(chosen, begins, strict=True)
            ]


def _rows(sequences, end):
    """Inputs and targets (the end last), padded on the right: no state of a sentence sees padding."""
    width = max(map(len, sequences))
    ids = torch.full((len(sequences), width), end)
    targets = torch.full((len(sequences), width), IGNORED)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence)
        targets[row, : len(sequence)] = torch.tensor([*sequence[1:], end])
    return ids, targets


def trained(kind: str, corpus: list[str], words) -> LanguageModel:
    """A model of a corpus: "ngram" or "lstm"."""
    if kind == "ngram":
        return train_baseline(corpus, words, name=kind)
    ids = words(corpus, add_special_tokens=False, verbose=False)["input_ids"]
    common = {
        "vocabulary_size": len(words),
        "boundary": words.bos_token_id,
        "end": words.eos_token_id,
    }
    network, _ = train_lstm(ids, **common, batch=BATCH, epochs=UPDATES * BATCH / len(corpus))
    return LanguageModel(kind, "causal", words, network)


def learning_curve(sizes: Iterable[int] = SIZES) -> pd.DataFrame:
    """Accuracy of each paradigm after training each kind of model on so many sentences of the corpus."""
    pairs, language, parts = load_sentence_pairs("laboratory"), load_language(), []
    words, sizes = tokenizer(language, "causal"), list(sizes)
    for kind in ("ngram", "lstm"):
        for size in sizes:
            corpus = list(sentences(language, "systematic", size))
            length = sum(map(len, words(corpus, add_special_tokens=False)["input_ids"]))
            found = evaluate_blimp(trained(kind, corpus, words), pairs).accuracy()
            parts.append(found.assign(model=kind, sentences=size, words=length))
    columns = [
        "model",
        "sentences",
        "words",
        "phenomenon",
        "paradigm",
        "accuracy",
        "low",
        "high",
        "pairs",
    ]
    return pd.concat(parts, ignore_index=True)[columns]


if __name__ == "__main__":
    out = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_suffix(".csv")
    learning_curve().to_csv(out, index=False, float_format="%.6g")
