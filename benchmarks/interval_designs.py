"""Studies with a known truth, on which intervals are tried: nouns, verbs and documents, drawn at random.

A noun's log-odds of the correct form are a normal draw, centred so that the mean of all nouns is
the truth; a score counts how often the correct form wins. Nats are normal draws, or skewed ones.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

CONTEXTS = 20  # of a noun
FEW = 5  # contexts, where they are few
VERBS = 20  # that EW counts in a context
CHOICE, TEST = "choice", "test"  # the halves of the designs
MANY_DRAWS = np.random.default_rng(0).normal(size=200_000)


class Study(NamedTuple):
    """Scores of many runs: sums and counts of the values in each cell of two ways of clustering."""

    sums: np.ndarray  # (runs, means, clusters, clusters of the second way or 1)
    counts: np.ndarray  # (means, clusters, clusters of the second way or 1)
    weights: np.ndarray  # (means,)
    truth: float
    is_share: bool
    answers: float = np.inf  # how many answers, right or wrong, the values of a run are


class Design(NamedTuple):
    """A kind of study."""

    kind: str
    name: str
    clusters: str  # how many in each way
    draw: Callable[[np.random.Generator, int], Study]
    half: str
    judged: bool = True  # False where no interval can know what the sample did not show


def designs() -> list[Design]:
    """All designs; neighbours are in different halves."""
    table: list[Design] = []
    for i, nouns in enumerate((3, 5, 10, 20, 60, 300)):
        for j, mean in enumerate((0.5, 0.9, 0.97, 0.99)):
            for k, spread in enumerate((1.0, 2.0)):
                draw = partial(_nouns, sizes=(CONTEXTS,) * nouns, means=(mean,), spread=spread)
                table.append(_design("nouns", f"mean {mean}, sd {spread}", nouns, draw, i + j + k))
    for i, nouns in enumerate((10, 20)):
        sizes = ((nouns - 1) * CONTEXTS, *(CONTEXTS,) * (nouns - 1))
        for j, mean in enumerate((0.9, 0.97, 0.99)):
            draw = partial(_nouns, sizes=sizes, means=(mean,), spread=1.0)
            name = f"mean {mean}, one noun with half of the contexts"
            table.append(_design("unequal nouns", name, nouns, draw, i + j))
    for i, nouns in enumerate((10, 20, 60)):
        for j, mean in enumerate((0.9, 0.97, 0.99)):
            draw = partial(_nouns, sizes=(FEW,) * nouns, means=(mean,), spread=1.0, answers=1)
            table.append(_design("few answers", f"mean {mean}, right or wrong", nouns, draw, i + j))
    for i, mean in enumerate((0.9, 0.97)):
        draw = partial(_nouns, sizes=(CONTEXTS,) * 10, means=(mean,) * 9, spread=1.0, together=0.5)
        table.append(_design("rows", f"mean {mean} of nine rows", 10, draw, i))
    for i, nouns in enumerate((10, 20, 60)):
        for j, means in enumerate(((0.99, 0.9), (0.9, 0.7), (0.97, 0.97))):
            for k, spread in enumerate((1.0, 2.0)):
                draw = partial(
                    _nouns,
                    sizes=(CONTEXTS,) * nouns,
                    means=means,
                    spread=spread,
                    together=0.5,
                    weights=(1.0, -1.0),
                )
                name = f"{means[0]} less {means[1]}, sd {spread}"
                table.append(_design("differences", name, nouns, draw, i + j + k))
    for i, (nouns, verbs) in enumerate(((10, 2), (10, 4), (10, 8), (20, 8), (10, 60), (10, 900))):
        for j, mean in enumerate((0.5, 0.9, 0.97, 0.99)):
            draw = partial(_crossed_shares, nouns=nouns, verbs=verbs, mean=mean)
            table.append(
                _design("crossed nouns x verbs", f"mean {mean}", f"{nouns} x {verbs}", draw, i + j)
            )
    for i, documents in enumerate((10, 30, 60, 300)):
        for j, skewed in enumerate((False, True)):
            draw = partial(_documents, documents=documents, skewed=skewed)
            name = "nats, skewed" if skewed else "nats"
            table.append(_design("documents", name, documents, draw, i + j))
    for i, (documents, verbs) in enumerate(((10, 10), (30, 10), (30, 300), (60, 300))):
        draw = partial(_sensitivities, documents=documents, verbs=verbs)
        name = "sensitivity (nats)"
        table.append(_design("crossed documents x verbs", name, f"{documents} x {verbs}", draw, i))
    for i, nouns in enumerate((10, 20, 60)):
        draw = partial(_one_in_ten, nouns=nouns)
        design = _design("one noun in ten is bad", "mean 0.946", nouns, draw, i)
        table.append(design._replace(judged=False))
    return table


def _design(kind: str, name: str, clusters: object, draw: Callable, number: int) -> Design:
    return Design(kind, name, str(clusters), draw, TEST if number % 2 else CHOICE)


def _nouns(
    random: np.random.Generator,
    runs: int,
    *,
    sizes: tuple[int, ...],
    means: tuple[float, ...],
    spread: float,
    together: float = 0.0,
    weights: tuple[float, ...] | None = None,
    answers: int = VERBS,
) -> Study:
    """Means over the same nouns; `together` is the correlation of a noun's log-odds in two means.

    A context has as many `answers` as EW counts verbs, or one.
    """
    shape = runs, len(means), len(sizes)
    own, shared = random.normal(size=shape), random.normal(size=(runs, 1, len(sizes)))
    easiness = np.sqrt(1 - together) * own + np.sqrt(together) * shared
    shifts = np.array([centre(mean, spread) for mean in means])
    probability = expit(easiness * spread + shifts[:, None])
    counts = np.broadcast_to(np.array(sizes, float), (len(means), len(sizes)))
    sums = random.binomial(np.array(sizes) * answers, probability) / answers
    if weights is None:
        weights = (1 / len(means),) * len(means)
    truth = float(np.dot(weights, means))
    is_share = min(weights) > 0
    number = float(sum(sizes)) if answers == 1 else np.inf
    return Study(sums[..., None], counts[..., None], np.array(weights), truth, is_share, number)


def _crossed_shares(
    random: np.random.Generator, runs: int, *, nouns: int, verbs: int, mean: float
) -> Study:
    """Every noun with every verb, in 12 contexts; nouns and verbs differ equally, pairs by half."""
    easiness = random.normal(size=(runs, nouns, 1)) + random.normal(size=(runs, 1, verbs))
    easiness = easiness + 0.5 * random.normal(size=(runs, nouns, verbs))
    sums = random.binomial(12, expit(easiness + centre(mean, 1.5))).astype(float)
    counts = np.full((1, nouns, verbs), 12.0)
    return Study(sums[:, None], counts, np.ones(1), mean, True)


def _documents(random: np.random.Generator, runs: int, *, documents: int, skewed: bool) -> Study:
    """A mean in nats over documents of very unequal size (lognormal); some differ much if skewed."""
    sizes = _sizes(documents)
    effects = random.normal(size=(runs, documents))
    if skewed:
        effects = random.exponential(size=(runs, documents)) - 1
    noise = random.normal(size=(runs, documents)) * 2 / np.sqrt(sizes)
    sums = (3 + effects + noise) * sizes
    return Study(sums[:, None, :, None], sizes[None, :, None], np.ones(1), 3.0, False)


def _sensitivities(random: np.random.Generator, runs: int, *, documents: int, verbs: int) -> Study:
    """Half of what a mean over verbs in singular contexts exceeds that in plural ones, by documents."""
    sizes = np.stack([_sizes(documents), _sizes(documents)[::-1]])
    signs = np.array([1.0, -1.0])[:, None, None]
    moves = 3 + random.normal(size=(runs, 1, 1, verbs))
    bias = random.normal(size=(runs, 1, 1, verbs))
    of_documents = random.normal(size=(runs, 2, documents, 1)) / np.sqrt(sizes)[..., None]
    of_topics = 0.5 * random.normal(size=(runs, 1, documents, 1))
    noise = random.normal(size=(runs, 2, documents, verbs)) / np.sqrt(sizes)[..., None]
    counts = np.repeat(sizes[..., None], verbs, axis=2)
    sums = counts * (signs * moves + bias + of_documents + signs * of_topics + noise)
    return Study(sums, counts, np.array([0.5, -0.5]), 3.0, False)


def _one_in_ten(random: np.random.Generator, runs: int, *, nouns: int) -> Study:
    """Nine nouns in ten at .995, one in ten at .5: among ten nouns a third of the runs have none."""
    probability = np.where(random.random((runs, nouns)) < 0.1, 0.5, 0.995)
    sums = random.binomial(CONTEXTS * VERBS, probability) / VERBS
    counts = np.full((1, nouns, 1), float(CONTEXTS))
    return Study(sums[:, None, :, None], counts, np.ones(1), 0.9 * 0.995 + 0.1 * 0.5, True)


@cache
def centre(mean: float, spread: float) -> float:
    """What to add to normal draws of this spread so that their logistic function has this mean."""
    return brentq(lambda shift: float(expit(MANY_DRAWS * spread + shift).mean()) - mean, -15, 15)


@cache
def _sizes(documents: int) -> np.ndarray:
    """How many sites documents have: from one to some dozens, the same in every run."""
    return np.ceil(np.random.default_rng(documents).lognormal(1.5, 1.0, documents))
