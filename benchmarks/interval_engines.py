"""Ways to make a 95 % interval of a weighted sum of clustered means, for many runs of a study at once.

Each takes a `benchmarks.interval_designs.Study` and returns the bounds, arrays (runs,); None where
it is not made for the study.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, expit, logit, stdtrit
from scipy.stats import bootstrap

from benchmarks.interval_designs import Study

LEVEL = 0.95
DRAWS = 1000  # of a bootstrap
CHOSEN = "jackknife, Wilson, 10 trials"  # that of tse_core.uncertainty
Bounds = tuple[np.ndarray, np.ndarray]


class Moves(NamedTuple):
    """How far the estimate moves by the clusters of one way."""

    moves: np.ndarray  # (runs, clusters)
    shares: np.ndarray  # (means, clusters): the clusters' shares of the values


def student(study: Study, scale: str = "as it is") -> Bounds:
    """t with Bell and McCaffrey's (2002) variance CR2 and degrees of freedom.

    Crossed ways are added less their overlap (Cameron, Gelbach and Miller 2011), with the least
    degrees of freedom of a way. A share may be on the scale of log-odds.
    """
    estimate = _estimate(study)
    ways = _ways(study, 0.5)
    variance = _variance(study, ways, 0.5)
    freedom = min(_bell_mccaffrey(study, way) for way in ways)
    reach = stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt(variance)
    if scale == "log-odds" and study.is_share:
        with np.errstate(all="ignore"):
            reach = np.nan_to_num(reach / (estimate * (1 - estimate)))
            return expit(logit(estimate) - reach), expit(logit(estimate) + reach)
    return estimate - reach, estimate + reach


def resampled(study: Study, method: str) -> Bounds | None:
    """scipy's bootstrap over the clusters: percentile or BCa."""
    if study.sums.shape[3] > 1:
        return None
    lows, highs = [], []
    means, clusters = study.counts.shape[:2]
    chunk = max(1, 4_000_000 // (DRAWS * clusters * means))
    for start in range(0, len(study.sums), chunk):
        sums = study.sums[start : start + chunk, ..., 0]
        counts = np.broadcast_to(study.counts[..., 0], sums.shape)
        arrays = [*np.moveaxis(sums, 1, 0), *np.moveaxis(counts, 1, 0)]
        statistic = partial(_weighted_means, weights=study.weights)
        with np.errstate(all="ignore"):
            result = bootstrap(
                arrays,
                statistic,
                n_resamples=DRAWS,
                paired=True,
                vectorized=True,
                axis=-1,
                method=method,
                confidence_level=LEVEL,
                rng=np.random.default_rng(start),
            )
        lows.append(result.confidence_interval.low)
        highs.append(result.confidence_interval.high)
    return np.concatenate(lows), np.concatenate(highs)


def pigeonhole(study: Study) -> Bounds | None:
    """The pigeonhole bootstrap (Owen 2007): both ways are drawn anew, and cells count as drawn."""
    means, first, second = study.counts.shape
    if second == 1:
        return None
    draws = DRAWS if first * second < 5000 else DRAWS // 4
    random = np.random.default_rng(0)
    of_first = random.multinomial(first, np.full(first, 1 / first), draws).astype(float)
    of_second = random.multinomial(second, np.full(second, 1 / second), draws).astype(float)
    counts = _drawn(study.counts, of_first, of_second)
    lows, highs = [], []
    for sums in study.sums:
        with np.errstate(all="ignore"):
            values = study.weights @ (_drawn(sums, of_first, of_second) / counts)
        low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        lows.append(low)
        highs.append(high)
    return np.array(lows), np.array(highs)


def hall(study: Study) -> Bounds:
    """The jackknife with Hall's (1992) transformation, within the bounds of all or nothing.

    Without variance by the rule of three; below three clusters of a way all that is possible.
    """
    estimate = _estimate(study)
    ways = _ways(study, 1.0)
    together = _of_cells(study, 1.0) if len(ways) > 1 else None
    squares = [(way.moves**2).sum(axis=1) for way in ways]
    cubes = [(way.moves**3).sum(axis=1) for way in ways]
    freedoms = [_kish(study, way) - 1 for way in ways]
    variance, third = sum(squares), sum(cubes)
    freedom_of_moments = np.full(len(estimate), float(min(freedoms)))
    if together is not None:
        variance = variance - (together**2).sum(axis=1)
        third = third - (together**3).sum(axis=1)
        for square, cube, freedom in zip(squares, cubes, freedoms, strict=True):
            larger = square > variance
            variance = np.where(larger, square, variance)
            third = np.where(larger, cube, third)
            freedom_of_moments = np.where(larger, freedom, freedom_of_moments)
    clusters = min(way.moves.shape[1] for way in ways)
    lowest, highest = (0.0, 1.0) if study.is_share else (-np.inf, np.inf)
    if clusters < 3:
        return np.full(len(estimate), lowest), np.full(len(estimate), highest)
    freedom = max(1, min(freedoms))
    error = np.sqrt(variance)
    with np.errstate(all="ignore"):
        skewness = np.clip(np.nan_to_num(third / error**3), -1, 1)
        factor = (freedom_of_moments + 1) / (freedom_of_moments - 1)
    skewness = np.where(freedom_of_moments > 3, skewness * factor, skewness)
    skewness = np.where(np.abs(skewness) < 1e-6, 1e-6, skewness)
    quantile = stdtrit(freedom, (1 + LEVEL) / 2)
    low = estimate - error * _skewed(quantile, skewness)
    high = estimate - error * _skewed(-quantile, skewness)
    if study.is_share:
        least, most = _clopper_pearson(estimate, freedom + 1)
        low, high = np.clip(low, least, most), np.clip(high, least, most)
    share = 1 - (1 - LEVEL) ** (1 / clusters)
    reach = (estimate, 1 - estimate) if study.is_share else (1.0, 1.0)
    low = np.where(variance < 1e-24, estimate - share * reach[0], low)
    high = np.where(variance < 1e-24, estimate + share * reach[1], high)
    return low, high


def jackknife(study: Study, trials: float = np.inf, shape: str = "Wilson") -> Bounds | None:
    """The jackknife with Satterthwaite's degrees of freedom; Wilson's interval of a share.

    Each cluster's squared move has one degree of freedom; `trials` are how many independent ones a
    cluster counts for at most. None below three clusters of a way.
    """
    estimate = _estimate(study)
    ways = _ways(study, 1.0)
    if min(way.moves.shape[1] for way in ways) < 3:
        return None
    variance = _variance(study, ways, 1.0)
    total, over = np.zeros(len(estimate)), np.zeros(len(estimate))
    fewest = np.inf
    for way in ways:
        square = (way.moves**2).sum(axis=1)
        with np.errstate(all="ignore"):
            effective = square**2 / (way.moves**4).sum(axis=1)
        freedom = np.minimum(np.nan_to_num(effective, nan=np.inf), way.moves.shape[1] - 1)
        total += square
        over += square**2 / freedom
        fewest = min(fewest, _kish(study, way, whole=False))
    least = min(way.moves.shape[1] for way in ways) - 1
    with np.errstate(all="ignore"):
        freedom = np.where(over > 0, total**2 / over, least)
    if study.is_share and shape == "Wilson":
        limit = min(trials * fewest, study.answers, 1e12)
        with np.errstate(all="ignore"):
            effective = np.nan_to_num(estimate * (1 - estimate) / variance, nan=np.inf)
            # What the limit adds to the variance is known, and has no degrees of freedom to lose.
            known = freedom * np.maximum(1, effective / limit) ** 2
        freedom = np.maximum(freedom, np.minimum(known, least))
        quantile = stdtrit(freedom, (1 + LEVEL) / 2)
        return _wilson(estimate, np.minimum(effective, limit), quantile)
    quantile = stdtrit(freedom, (1 + LEVEL) / 2)
    reach = quantile * np.sqrt(variance)
    return estimate - reach, estimate + reach


ENGINES: dict[str, Callable[[Study], Bounds | None]] = {
    "t, CR2": student,
    "t, CR2, log-odds": partial(student, scale="log-odds"),
    "percentile bootstrap": partial(resampled, method="percentile"),
    "BCa bootstrap": partial(resampled, method="BCa"),
    "pigeonhole bootstrap": pigeonhole,
    "jackknife, Hall": hall,
    "jackknife, t": partial(jackknife, shape="t"),
    "jackknife, Wilson": jackknife,
    "jackknife, Wilson, 40 trials": partial(jackknife, trials=40),
    "jackknife, Wilson, 20 trials": partial(jackknife, trials=20),
    CHOSEN: partial(jackknife, trials=10),
}


def _estimate(study: Study) -> np.ndarray:
    means = study.sums.sum(axis=(2, 3)) / study.counts.sum(axis=(1, 2))
    return means @ study.weights


def _ways(study: Study, power: float) -> list[Moves]:
    """The moves by each way of clustering."""
    ways = [_moves(study.sums.sum(axis=3), study.counts.sum(axis=2), study.weights, power)]
    if study.sums.shape[3] > 1:
        second = _moves(study.sums.sum(axis=2), study.counts.sum(axis=1), study.weights, power)
        ways.append(second)
    return ways


def _of_cells(study: Study, power: float) -> np.ndarray:
    """The moves by both ways together."""
    runs, means = study.sums.shape[:2]
    sums, counts = study.sums.reshape(runs, means, -1), study.counts.reshape(means, -1)
    return _moves(sums, counts, study.weights, power).moves


def _moves(sums: np.ndarray, counts: np.ndarray, weights: np.ndarray, power: float) -> Moves:
    """(with each cluster, less without) x (1 - its share) ^ (1 - power), as CR2 (.5) and CR3 (1)."""
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / totals
    deviations = sums - counts * (sums.sum(axis=2, keepdims=True) / totals)
    scaled = deviations / totals * (1 - shares) ** -power
    return Moves(np.einsum("rpg,p->rg", scaled, weights), shares)


def _variance(study: Study, ways: list[Moves], power: float) -> np.ndarray:
    """The squared moves of all ways less their overlap, and no less than those of one way."""
    squares = [(way.moves**2).sum(axis=1) for way in ways]
    if len(ways) == 1:
        return squares[0]
    overlap = (_of_cells(study, power) ** 2).sum(axis=1)
    return np.maximum(sum(squares) - overlap, np.maximum(*squares))


def _bell_mccaffrey(study: Study, way: Moves) -> float:
    """Degrees of freedom if all values were independent."""
    totals = study.counts.sum(axis=(1, 2))
    scales = study.weights[:, None] / np.sqrt(totals)[:, None] * (1 - way.shares) ** -0.5
    covariance = np.diag((scales**2 * way.shares).sum(axis=0))
    products = scales * way.shares
    covariance = covariance - products.T @ products
    return max(1.0, np.trace(covariance) ** 2 / (covariance**2).sum())


def _kish(study: Study, way: Moves, whole: bool = True) -> float:
    """The effective number of clusters of unequal size (Kish 1965)."""
    shares = way.shares.T @ np.abs(study.weights)
    number = shares.sum() ** 2 / (shares**2).sum()
    return float(np.rint(number)) if whole else float(number)


def _weighted_means(*arrays: np.ndarray, axis: int, weights: np.ndarray) -> np.ndarray:
    sums, counts = arrays[: len(weights)], arrays[len(weights) :]
    total = 0.0
    for weight, some, number in zip(weights, sums, counts, strict=True):
        total = total + weight * some.sum(axis=axis) / number.sum(axis=axis)
    return np.asarray(total)


def _drawn(cells: np.ndarray, of_first: np.ndarray, of_second: np.ndarray) -> np.ndarray:
    """Sums (means, draws) of cells (means, first, second), each as often as both are drawn."""
    return np.stack([((of_first @ cell) * of_second).sum(axis=1) for cell in cells])


def _skewed(value: float, skewness: np.ndarray) -> np.ndarray:
    return 3 / skewness * (np.cbrt(1 + skewness * (value - skewness / 6)) - 1)


def _clopper_pearson(share: np.ndarray, trials: float) -> Bounds:
    right = np.clip(share, 0, 1) * trials
    wrong = trials - right
    some = np.maximum(right, 1e-12)
    low = np.where(right > 1e-9, betaincinv(some, wrong + 1, (1 - LEVEL) / 2), 0)
    some = np.maximum(wrong, 1e-12)
    high = np.where(wrong > 1e-9, betaincinv(right + 1, some, (1 + LEVEL) / 2), 1)
    return low, high


def _wilson(share: np.ndarray, trials: np.ndarray, quantile: ArrayLike) -> Bounds:
    square = np.square(quantile)
    centre = (share + square / (2 * trials)) / (1 + square / trials)
    spread = share * (1 - share) / trials + square / (4 * trials**2)
    reach = np.asarray(quantile) / (1 + square / trials) * np.sqrt(spread)
    return centre - reach, centre + reach
