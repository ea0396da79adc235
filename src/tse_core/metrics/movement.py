"""How far each verb moves with the subject's number: sensitivity and bias, in nats.

With m(v, c) = log P(singular form of v | c) - log P(plural form of v | c) in a context c,

* sensitivity(v) = (mean of m over singular contexts - mean over plural ones) / 2: how far the
  subject's number moves the verb towards the form that agrees;
* bias(v) = -(sum of the two means) / 2: what the model prefers whatever the subject is; above 0 it
  prefers the plural form.

After singular subjects the mean of m is sensitivity - bias, after plural ones -(sensitivity +
bias): a verb is right on average where its sensitivity exceeds its bias. These are the sensitivity
and the bias of signal detection (Green & Swets 1966), on a scale of log-odds.

**The spread** of the sensitivities is their standard deviation over verbs, less what few contexts
add to it by chance. Each verb's mean over few contexts is off by some error, and these errors
spread the verbs even where all of them move equally far. An error that all verbs share (in a
sentence that moves all of them far) spreads nothing, so only what is a verb's own is taken off: its
variance from cluster to cluster (`ClusterSums.scores`). Where a number has a single cluster nothing
is known of it, and nothing is taken off.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tse_core.errors import InputError


class VerbScores(NamedTuple):
    """What some contexts say of each verb: float64 arrays (verbs,), NaN where undefined.

    Of several samples of contexts or verbs the arrays are (samples, verbs).
    """

    sensitivity: np.ndarray  # nats
    bias: np.ndarray  # nats
    ew_singular: np.ndarray  # the share of singular contexts in which the verb is right
    ew_plural: np.ndarray  # of plural ones
    noise: np.ndarray  # variance of a verb's own error in its sensitivity, nats squared

    def of(self, verbs: np.ndarray) -> "VerbScores":
        """Those of some verbs: their rows, or a mask of all.

        The rows of several samples of k verbs are (samples, k).
        """
        return VerbScores(*(values[..., verbs] for values in self))


class ClusterSums(NamedTuple):
    """Sums over the contexts of each cluster, such as a subject noun or a document.

    The first axis is the subject's number: 0 singular, 1 plural.
    """

    contexts: np.ndarray  # (2, clusters): how many contexts
    log_odds: np.ndarray  # (2, clusters, verbs): the sum of m, nats
    right: np.ndarray  # (2, clusters, verbs): in how many contexts the verb is right

    def scores(self) -> VerbScores:
        """The scores of each verb.

        The mean of a number is over its contexts, each of which counts once. A cluster moves a
        verb's sensitivity by a certain amount; the squares of these moves, less what the mean verb
        moves, sum to the variance of the verb's own error (times G / (G - 1) for the G clusters of
        each number). Where a number has no context all scores are NaN.
        """
        totals = self.contexts.sum(axis=1)
        log_odds, right = self.log_odds.sum(axis=1), self.right.sum(axis=1)
        return _scores(totals, log_odds, right, (self._own_moves() ** 2).sum(axis=0))

    def scores_without_each(self) -> VerbScores:
        """The scores of each verb without each cluster in turn: arrays (clusters, verbs).

        What is left of the noise is scaled as if all clusters were of one size.
        """
        contexts = self.contexts.sum(axis=1, keepdims=True) - self.contexts
        log_odds = self.log_odds.sum(axis=1, keepdims=True) - self.log_odds
        right = self.right.sum(axis=1, keepdims=True) - self.right
        squares = self._own_moves() ** 2
        clusters = self.contexts.shape[1]
        # Of n clusters of one size the noise goes as 1 / (n (n - 1)) times the sum of n squares.
        scale = clusters / (clusters - 2) if clusters > 2 else 0.0
        return _scores(contexts, log_odds, right, (squares.sum(axis=0) - squares) * scale)

    def _own_moves(self) -> np.ndarray:
        """How far each cluster moves a verb beyond the mean verb, (clusters, verbs), nats.

        They are 0 where a number has fewer than two clusters: nothing is known of the noise.
        """
        clusters = (self.contexts > 0).sum(axis=1)
        if (clusters < 2).any():
            return np.zeros(self.log_odds.shape[1:])
        totals = self.contexts.sum(axis=1)
        means = self.log_odds.sum(axis=1) / totals[:, None]
        deviations = self.log_odds - self.contexts[:, :, None] * means[:, None]
        factors = np.sqrt(clusters / (clusters - 1)) / totals
        moves = (factors[0] * deviations[0] - factors[1] * deviations[1]) / 2
        return moves - moves.mean(axis=1, keepdims=True)

    def of(self, verbs: np.ndarray) -> "ClusterSums":
        """The sums of some verbs: their rows, or a mask of all."""
        return ClusterSums(self.contexts, self.log_odds[:, :, verbs], self.right[:, :, verbs])


def _scores(
    contexts: np.ndarray, log_odds: np.ndarray, right: np.ndarray, noise: np.ndarray
) -> VerbScores:
    """The scores of verbs from sums over all contexts of each number: (2,) and (2, verbs).

    Of several samples they are (2, samples) and (2, samples, verbs).
    """
    totals = np.where(contexts > 0, contexts, np.nan)[..., None]
    means, shares = log_odds / totals, right / totals
    return VerbScores(
        sensitivity=(means[0] - means[1]) / 2,
        bias=-(means[0] + means[1]) / 2,
        ew_singular=shares[0],
        ew_plural=shares[1],
        noise=noise,
    )


def cluster_sums(
    log_odds: ArrayLike,
    plural: ArrayLike,
    clusters: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    right: ArrayLike | None = None,
) -> ClusterSums:
    """The sums of each cluster, from values of contexts or of groups of contexts.

    Parameters
    ----------
    log_odds : array of float (n, verbs), m of each context, or its mean over a group; nats
    plural : array of bool or int (n,), the number of the subject: 0 (False) singular, 1 (True)
        plural
    clusters : array (n,), the cluster of each row; by default each row is one
    counts : array of int (n,), how many contexts each row stands for; by default 1
    right : array (n, verbs), in how many of them the verb is right; by default m decides

    Raises
    ------
    InputError : the shapes do not fit together, a number is neither 0 nor 1, or a row has no
        cluster.
    """
    values = np.asarray(log_odds, dtype=float)
    numbers = np.asarray(plural)
    if values.ndim != 2 or numbers.shape != values.shape[:1]:
        shapes = f"log_odds and plural have the shapes {values.shape}, {numbers.shape}"
        raise InputError(f"{shapes}; they must be (contexts, verbs) and (contexts,)")
    if not np.isin(numbers, (0, 1)).all():
        raise InputError("plural must be 0 (singular) or 1 (plural) for each context")
    rows = len(values)
    is_plural = numbers.astype(bool)
    weights = np.ones(rows) if counts is None else np.asarray(counts, dtype=float)
    names = np.arange(rows) if clusters is None else np.asarray(clusters)
    if right is None:
        agrees = np.where(is_plural[:, None], values < 0, values > 0)
        right = agrees * weights[:, None]
    codes, labels = pd.factorize(names)
    if (codes < 0).any():
        raise InputError(f"{(codes < 0).sum()} contexts have no cluster (None or NaN)")
    cells = is_plural * len(labels) + codes  # those of singular contexts first
    shape = 2, len(labels)
    in_cells = np.zeros(2 * len(labels))
    np.add.at(in_cells, cells, weights)
    sums = np.zeros((2 * len(labels), values.shape[1]))
    np.add.at(sums, cells, values * weights[:, None])
    right_sums = np.zeros_like(sums)
    np.add.at(right_sums, cells, np.asarray(right, dtype=float))
    return ClusterSums(
        in_cells.reshape(shape), sums.reshape(*shape, -1), right_sums.reshape(*shape, -1)
    )


def verb_scores(
    log_odds: ArrayLike, plural: ArrayLike, clusters: ArrayLike | None = None
) -> VerbScores:
    """Sensitivity, bias and EW of each verb. Parameters and errors are those of `cluster_sums`.

    Two verbs, in a singular and in a plural context: the first prefers what agrees, the second its
    plural form, and a little less so after the singular subject.

    >>> scores = verb_scores([[2.0, -1.0], [-1.0, -2.0]], plural=[0, 1])
    >>> scores.sensitivity.tolist(), scores.bias.tolist(), scores.ew_singular.tolist()
    ([1.5, 0.5], [-0.5, 1.5], [1.0, 0.0])
    """
    return cluster_sums(log_odds, plural, clusters).scores()


# Scores of a sample of verbs; several samples, (samples, verbs), have one each: (samples,).


def mean_sensitivity(verbs: VerbScores) -> np.ndarray:
    """The mean sensitivity over verbs, nats."""
    return verbs.sensitivity.mean(axis=-1)


def spread(verbs: VerbScores) -> np.ndarray:
    """The standard deviation of the sensitivities, less chance (nats).

    It is 0 where the verbs differ by no more than few contexts make them differ; NaN for a single
    verb, and where a sensitivity is infinite (a form with probability 0).
    """
    *samples, count = verbs.sensitivity.shape
    if count < 2:
        return np.full(samples, np.nan)
    noise = verbs.noise.sum(axis=-1) / (count - 1)
    with np.errstate(invalid="ignore"):  # infinity less infinity
        variance = verbs.sensitivity.var(axis=-1, ddof=1) - noise
    return np.sqrt(np.maximum(0.0, variance))


def relative_spread(verbs: VerbScores) -> np.ndarray:
    """The spread divided by the mean sensitivity without its sign, the coefficient of variation."""
    mean = np.abs(mean_sensitivity(verbs))
    return spread(verbs) / np.where(mean > 0, mean, np.nan)


def mean_bias(verbs: VerbScores) -> np.ndarray:
    """The mean bias over verbs, nats; above 0 the plural form is preferred."""
    return verbs.bias.mean(axis=-1)


def balanced_ew(verbs: VerbScores) -> np.ndarray:
    """The mean of EW after singular and after plural subjects."""
    return (verbs.ew_singular + verbs.ew_plural).mean(axis=-1) / 2
