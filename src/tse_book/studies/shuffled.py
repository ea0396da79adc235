"""The effect of the cut-offs alone on EW and MW: a null for head against tail.

At bottom p a lemma counts only if *both* its forms are in the tail. A verb on which a model is sure has one likely
form, so the tail keeps the verbs of small margins, which err more often, whatever the model knows of rare verbs. To see
how much of a fall from head to tail that is, the agreement margins (log P(correct) - log P(wrong)) are shuffled over
the verbs of each context. Every verb keeps how likely it is, the mean of its two log-probabilities; every context keeps
all its margins, and so its EW over all verbs. What still falls from head to tail is due to the cut-off.
"""

import numpy as np
import pandas as pd
import torch

from tse_core.metrics.distribution import Boundary
from tse_core.metrics.scores import scores_inside
from tse_core.metrics.table import OF_CONTEXTS, Cutoffs

BLOCK = 100  # contexts processed at a time, to bound memory
SEED = 0


def shuffled_scores(evaluation, *, draws: int = 20, seed: int = SEED) -> dict[tuple[str, str, float], np.ndarray]:
    """The scores of every context at every cut-off, measured and with margins shuffled over its verbs.

    The evaluation needs detail="forms" (else InputError). Where each cut-off falls is found from the mass above the
    forms, which is kept in single precision: exact to about 1e-7 of probability.

    Returns
    -------
    dict : ("EW", "top", 0.3), ... -> array (draws + 1, contexts), the measured scores first; NaN where no lemma is
    eligible.
    """
    evaluation.log_odds  # noqa: B018  (raises where no forms were kept)
    cutoffs = evaluation.cutoffs
    random = np.random.default_rng(seed)
    parts = []
    for start in range(0, len(evaluation.contexts), BLOCK):
        contexts = evaluation.contexts.iloc[start : start + BLOCK]
        correct, wrong, above = _forms(evaluation, start, contexts)
        at = (_boundary(correct, wrong, above, cutoffs.top, top=True),
              _boundary(correct, wrong, above, cutoffs.bottom, top=False))  # fmt: skip
        middle, margins = (correct + wrong) / 2, correct - wrong
        drawn = (random.permuted(margins, axis=1) / 2 for _ in range(draws))
        pairs = [(correct, wrong), *((middle + half, middle - half) for half in drawn)]
        parts.append([scores_inside(*pair, *at) for pair in pairs])
    columns = {}
    for metric in OF_CONTEXTS.values():
        for side in Cutoffs._fields:
            for i, cutoff in enumerate(getattr(cutoffs, side)):
                found = [[getattr(s, side)[metric.column][:, i] for s in part] for part in parts]
                columns[metric.name, side, cutoff] = np.concatenate(list(map(np.stack, found)), axis=1)
    return columns


def null_curves(evaluation, *, draws: int = 20, seed: int = SEED) -> pd.DataFrame:
    """The curves that the cut-offs alone would give, as a band beside `Evaluation.curves`.

    Returns a table: construction, metric, side, cutoff, null (the mean of the draws, each a mean over contexts),
    null_low, null_high (the middle 95 % of the draws); NaN where no context has an eligible lemma.
    """
    scores = shuffled_scores(evaluation, draws=draws, seed=seed)
    rows = []
    for construction, members in evaluation.contexts.groupby("construction", sort=False).indices.items():
        for metric in OF_CONTEXTS.values():
            for side in Cutoffs._fields:
                for cutoff in getattr(evaluation.cutoffs, side):
                    drawn = scores[metric.name, side, cutoff][1:, members]
                    means = pd.DataFrame(drawn.T).mean().dropna()
                    band = np.quantile(means, [0.025, 0.975]) if len(means) else (np.nan, np.nan)
                    rows.append((construction, metric.name, side, cutoff, means.mean(), *band))
    columns = ["construction", "metric", "side", "cutoff", "null", "null_low", "null_high"]
    return pd.DataFrame(rows, columns=columns)


def _forms(evaluation, start: int, contexts: pd.DataFrame):
    """Log-probabilities of the correct and the wrong forms (contexts, lemmas), and the mass above each of both."""
    here = slice(start, start + len(contexts))
    plural = (contexts["number"] == "plural").to_numpy()[:, None]
    both = {}
    for name, of_form in (("log_probability", evaluation.log_probabilities), ("mass_above", evaluation.mass_above)):
        singular, other = (of_form(number)[here].astype(float) for number in ("singular", "plural"))
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
