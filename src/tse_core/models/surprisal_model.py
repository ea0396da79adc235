"""Models that give surprisals of sentences but no distributions: programs behind a command, models behind a server."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

PREFIXES = ("command:", "docker://", "http://", "https://")  # of the names of such models


@dataclass(frozen=True)
class GivenScores:
    """The tokens of one sentence, as a model that keeps its probabilities to itself gives them.

    Attributes
    ----------
    tokens : list of str
    starts, ends : (tokens,) int
        Characters of the sentence; equal for a mark that stands for nothing, such as its end.
    bits : (tokens,) float64
        Surprisal; NaN where the model says none, which only a first token may be.
    unknown : (tokens,) bool
        Whether the model does not know the token.
    """

    tokens: list[str]
    starts: np.ndarray
    ends: np.ndarray
    bits: np.ndarray
    unknown: np.ndarray


@runtime_checkable
class SurprisalModel(Protocol):
    """A model that gives surprisals of sentences but no distributions, e.g. one behind a command."""

    @property
    def name(self) -> str:
        """How it was asked for."""

    @property
    def label(self) -> str:
        """How tables and charts call it."""

    @property
    def kind(self) -> str:
        """Neither "causal" nor "masked"."""

    @property
    def device(self) -> object:
        """Where it computes, as far as one knows."""

    def identity(self) -> str:
        """Name and hash, e.g. ``my-model@1f3c9a27``."""

    def policies(self) -> dict[str, str]:
        """What its scores depend on besides itself and the text."""

    def with_policies(self, *, bos=None, space=None) -> "SurprisalModel":
        """Itself, reading text in another way; it refuses policies that are its own affair. Raises InputError."""

    def token_surprisals(self, sentences, advance=None) -> list:
        """One object a sentence, with the attributes of `GivenScores`."""
