"""An LSTM language model in the shape of Gulordava et al.'s (2018), which BLiMP's authors evaluated, at any size.

Words are embedded, read left to right by stacked LSTM layers, and the last layer's state predicts the next word. The
embedding and the output share one matrix where the sizes agree (Press & Wolf 2017), which halves a small model.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from tse_core.errors import InputError

IGNORED = -100  # cross_entropy passes over targets with this id


class LSTM(nn.Module):
    """The network; :meth:`logits` is the protocol of every language model."""

    def __init__(self, vocabulary_size: int, embedding: int = 128, hidden: int = 128, layers: int = 2, dropout=0.2):
        super().__init__()
        self.settings = {"vocabulary_size": vocabulary_size, "embedding": embedding, "hidden": hidden, "layers": layers}
        self.settings["dropout"] = dropout
        self.embedding = nn.Embedding(vocabulary_size, embedding)
        self.recurrent = nn.LSTM(embedding, hidden, layers, batch_first=True, dropout=dropout if layers > 1 else 0)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, vocabulary_size)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        if embedding == hidden:
            self.output.weight = self.embedding.weight
        nn.init.zeros_(self.output.bias)

    def states(self, ids: torch.Tensor) -> torch.Tensor:
        """The last layer's states: (batch, length) ids -> (batch, length, hidden)."""
        return self.dropout(self.recurrent(self.dropout(self.embedding(ids)))[0])

    @torch.inference_mode()
    def logits(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Logits of the word after each (row, column): (n, vocabulary) float32."""
        return self.output(self.states(ids)[rows, columns]).float()


def train_lstm(
    sentences: Sequence[Sequence[int]],
    *,
    vocabulary_size: int,
    boundary: int,
    end: int,
    embedding: int = 128,
    hidden: int = 128,
    layers: int = 2,
    dropout: float = 0.2,
    epochs: float = 3,
    batch: int = 128,
    rate: float = 3e-3,
    seed: int = 0,
    device: str = "cpu",
    progress: Callable[[int, int, float], None] | None = None,
) -> tuple[LSTM, np.ndarray]:
    """Train by Adam with a one-cycle learning rate, sentence by sentence (no state is carried over).

    Parameters
    ----------
    sentences : sequences of token ids, without boundary tokens
    boundary, end : int
        The ids put before and after each sentence.
    epochs : float
        Passes over the corpus; a part of one is allowed.
    progress : callable(step, steps, loss), optional

    Returns
    -------
    LSTM, ndarray
        The network in evaluation mode, and the loss (nats a token) of each step.
    """
    sentences = [sentence for sentence in sentences if len(sentence)]
    if not sentences:
        raise InputError("an LSTM needs a corpus: no sentence with a word was given")
    torch.manual_seed(seed)
    network = LSTM(vocabulary_size, embedding, hidden, layers, dropout).to(device).train()
    steps = max(1, round(epochs * len(sentences) / batch))
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1)
    losses = np.zeros(steps, dtype=np.float32)
    for step, chosen in zip(range(steps), _batches(sentences, batch, seed), strict=False):
        ids, targets = (part.to(device) for part in _rows(chosen, boundary, end))
        inside = targets != IGNORED
        loss = cross_entropy(network.output(network.states(ids)[inside]), targets[inside])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        losses[step] = loss.item()
        if progress:
            progress(step + 1, steps, float(losses[step]))
    return network.eval(), losses


def _batches(sentences, batch, seed):
    """Endless shuffled batches; sentences of about one length go together, so that little is padded."""
    random = np.random.default_rng(seed)
    lengths = np.array([len(sentence) for sentence in sentences])
    while True:
        order = random.permutation(len(sentences))
        order = order[np.argsort(lengths[order], kind="stable")]
        for group in random.permutation(np.arange(0, len(order), batch)):
            yield [sentences[i] for i in order[group : group + batch]]


def _rows(sentences, boundary, end):
    """Inputs (boundary first) and targets (end last), padded on the right: no state of a sentence sees padding."""
    width = max(map(len, sentences)) + 1
    ids = torch.full((len(sentences), width), end)
    targets = torch.full((len(sentences), width), IGNORED)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence) + 1] = torch.tensor([boundary, *sentence])
        targets[row, : len(sentence) + 1] = torch.tensor([*sentence, end])
    return ids, targets
