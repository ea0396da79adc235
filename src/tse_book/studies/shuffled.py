"""The effect of the cut-offs alone on EW and MW: a null for head against tail.

At bottom p a lemma counts only if *both* its forms are in the tail. A verb on which a model is sure has one likely
form, so the tail keeps the verbs of small margins, which err more often, whatever the model knows of rare verbs. To see
how much of a fall from head to tail that is, the agreement margins (log P(correct) - log P(wrong)) are shuffled over
the verbs of each context. Every verb keeps how likely it is, the mean of its two log-probabilities; every context keeps
all its margins, and so its EW over all verbs. What still falls from head to tail is due to the cut-off.
"""

from collections.abc import Collection

import numpy as np
import pandas as pd
import torch

from tse_core.errors import InputError
from tse_core.metrics.distribution import Boundary
from tse_core.metrics.scores import scores_inside
from tse_core.metrics.table import OF_CONTEXTS, Cutoffs, score_column
from tse_core.uncertainty.tables import subject_clusters

BLOCK = 100  # contexts processed at a time, to bound memory
SEED = 0


def shuffled_scores(
    evaluation,
    *,
    lemmas: Collection[str] | None = None,
    cutoffs: Cutoffs | None = None,
    draws: int = 20,
    seed: int = SEED,
) -> dict[str, np.ndarray]:
    """The scores of every context at every cut-off, measured and with margins shuffled over its verbs.

    Parameters
    ----------
    evaluation : Evaluation
        Made with keep="forms". Where each cut-off falls is found from the mass above the forms, which is kept in single
        precision: exact to about 1e-7 of probability.
    lemmas : collection of str, optional
        Those that count, and whose margins are shuffled; all by default.
    cutoffs : Cutoffs, optional
        Those of the evaluation by default.
    draws : how often to shuffle
    seed : of the shuffles

    Returns
    -------
    dict : column ("ew_top_0.3", ...) -> array (draws + 1, contexts), the measured scores first; NaN where no lemma is
    eligible.

    Raises
    ------
    InputError : the evaluation was made without keep="forms".
    """
    if evaluation.forms is None:
        raise InputError("the evaluation was made without its forms; use keep='forms'")
    cutoffs = cutoffs or evaluation.cutoffs
    kept = np.ones(len(evaluation.lemmas), dtype=bool)
    if lemmas is not None:
        kept = evaluation.lemmas["lemma"].isin(set(lemmas)).to_numpy()
    random = np.random.default_rng(seed)
    parts = []
    for start in range(0, len(evaluation.contexts), BLOCK):
        contexts = evaluation.contexts.iloc[start : start + BLOCK]
        correct, wrong, above = _forms(evaluation, start, contexts)
        at = (_boundary(correct, wrong, above, cutoffs.top, top=True),
              _boundary(correct, wrong, above, cutoffs.bottom, top=False))  # fmt: skip
        correct, wrong = correct[:, kept], wrong[:, kept]
        middle, margins = (correct + wrong) / 2, correct - wrong
        drawn = (random.permuted(margins, axis=1) / 2 for _ in range(draws))
        pairs = [(correct, wrong), *((middle + half, middle - half) for half in drawn)]
        parts.append([scores_inside(*pair, *at) for pair in pairs])
    columns = {}
    for metric in OF_CONTEXTS.values():
        for side in Cutoffs._fields:
            for i, cutoff in enumerate(getattr(cutoffs, side)):
                found = [[getattr(s, side)[metric.column][:, i] for s in part] for part in parts]
                columns[score_column(metric.column, side, cutoff)] = np.concatenate(list(map(np.stack, found)), axis=1)
    return columns


def null_curves(evaluation, *, draws: int = 20, seed: int = SEED) -> pd.DataFrame:
    """The curves that the cut-offs alone would give, as a band beside `Evaluation.curves`.

    Returns
    -------
    DataFrame with columns construction, metric, side, cutoff, null (the mean of the draws, each a mean over contexts),
    null_low, null_high (the middle 95 % of the draws); NaN where no context has an eligible lemma.
    """
    scores = shuffled_scores(evaluation, draws=draws, seed=seed)
    rows = []
    for construction, members in evaluation.contexts.groupby("construction", sort=False).indices.items():
        for metric in OF_CONTEXTS.values():
            for side in Cutoffs._fields:
                for cutoff in getattr(evaluation.cutoffs, side):
                    drawn = scores[score_column(metric.column, side, cutoff)][1:, members]
                    means = pd.DataFrame(drawn.T).mean().dropna()
                    band = np.quantile(means, [0.025, 0.975]) if len(means) else (np.nan, np.nan)
                    rows.append((construction, metric.name, side, cutoff, means.mean(), *band))
    columns = ["construction", "metric", "side", "cutoff", "null", "null_low", "null_high"]
    return pd.DataFrame(rows, columns=columns)


def falls_and_nulls(
    evaluation,
    metric: str,
    *,
    lemmas: Collection[str] | None = None,
    head: float = 0.3,
    tail: float = 0.01,
    draws: int = 20,
    seed: int = SEED,
) -> pd.DataFrame:
    """The fall of a metric from head to tail in each context, and its null.

    Parameters
    ----------
    metric : "EW", "MW" or another metric of contexts
    lemmas : those that count; all by default
    head, tail : the top and the bottom cut-off

    Returns
    -------
    DataFrame with a row for each context that has a score at both ends, measured and in at least one draw:
    construction, noun (the left context where it is not known), fall, null (the mean over the draws), beyond (fall -
    null).
    """
    column = OF_CONTEXTS[metric].column
    cutoffs = Cutoffs((head,), (tail,))
    scores = shuffled_scores(evaluation, lemmas=lemmas, cutoffs=cutoffs, draws=draws, seed=seed)
    falls = scores[score_column(column, "top", head)] - scores[score_column(column, "bottom", tail)]
    null = pd.DataFrame(falls[1:].T).mean(axis=1).to_numpy()
    contexts = evaluation.contexts
    table = pd.DataFrame({"construction": contexts["construction"], "noun": subject_clusters(contexts),
                          "fall": falls[0], "null": null, "beyond": falls[0] - null})  # fmt: skip
    return table.dropna().reset_index(drop=True)


def _forms(evaluation, start: int, contexts: pd.DataFrame):
    """Log-probabilities of the correct and the wrong forms (contexts, lemmas), and the mass above each of both."""
    lemmas = len(evaluation.lemmas)
    here = evaluation.forms.iloc[start * lemmas : (start + len(contexts)) * lemmas]
    plural = (contexts["number"] == "plural").to_numpy()[:, None]
    both = {}
    for name in ("log_probability", "mass_above"):
        singular, other = (here[f"{name}_{n}"].to_numpy(float).reshape(-1, lemmas) for n in ("singular", "plural"))
        both[name] = np.where(plural, other, singular), np.where(plural, singular, other)
    return *both["log_probability"], np.concatenate(both["mass_above"], axis=1)


def _boundary(correct, wrong, above, cutoffs, *, top: bool) -> Boundary:
    """Where cut-offs fall, judging by the forms alone.

    On a form, with the share of it that is inside; or between two forms, where the log-probability is interpolated by
    the mass between them (no form lies there, but shuffled ones may).
    """
    logs = np.concatenate([correct, wrong], axis=1)
    wanted = np.asarray(cutoffs, dtype=float)
    from_above = np.minimum(wanted, 1.0) if top else 1 - wanted
    keys, shares = np.empty((len(logs), len(wanted))), np.empty((len(logs), len(wanted)))
    for i in range(len(logs)):
        order = np.argsort(-logs[i], kind="stable")
        log, mass = logs[i, order], above[i, order]
        ends = mass + np.exp(log)
        place = np.searchsorted(mass, from_above, side="left") - 1  # the last form with less mass above it
        known = np.clip(place, 0, None)
        on_form = (place >= 0) & (from_above < ends[known])
        between = np.interp(from_above, np.concatenate([[0.0], mass]), np.concatenate([[0.0], log]))
        inside = (from_above - mass[known]) / np.exp(log[known])
        keys[i] = torch.from_numpy(
            np.where(on_form, log[known], np.minimum(between, np.where(place >= 0, log[known], 0.0)))
        ).exp()
        shares[i] = np.where(on_form, inside if top else 1 - inside, 1.0)
    everything = np.broadcast_to(wanted >= 1, keys.shape).copy()
    return Boundary(torch.from_numpy(keys), torch.from_numpy(shares), torch.from_numpy(everything))
