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

from tse_core.metrics.definitions import OF_CONTEXTS, Cutoffs
from tse_core.metrics.distribution import Boundary
from tse_core.metrics.scores import scores_inside

BLOCK = 100  # contexts processed at a time, to bound memory


def shuffled_scores(
    evaluation, *, draws: int = 20, seed: int = 0
) -> dict[tuple[str, str, float], np.ndarray]:
    """The scores of every context at every cut-off, measured and with margins shuffled over its verbs.

    The evaluation needs detail="forms" (else InputError). Where each cut-off falls is found from the mass above the
    forms, which is kept in single precision: exact to about 1e-7 of probability.

    Returns a dict: ("EW", "top", 0.3), ... -> array (draws + 1, contexts), the measured scores first; NaN where no
    lemma is eligible.
    """
    random, cutoffs = np.random.default_rng(seed), evaluation.cutoffs
    parts = []
    for start in range(0, len(evaluation.contexts), BLOCK):
        here = slice(start, start + BLOCK)
        plural, both = evaluation.plural[here], []
        for of in (evaluation.log_probabilities, evaluation.mass_above):
            one, two = (of(form)[here].astype(float) for form in ("singular", "plural"))
            both += [np.where(plural, two, one), np.where(plural, one, two)]
        right, other, *above = both
        masses = np.concatenate(above, axis=1)
        ends = [_boundary(right, other, masses, cutoffs.top, top=True),
                _boundary(right, other, masses, cutoffs.bottom, top=False)]  # fmt: skip
        middle, margins = (right + other) / 2, right - other
        drawn = (random.permuted(margins, axis=1) / 2 for _ in range(draws))
        pairs = [(right, other), *((middle + half, middle - half) for half in drawn)]
        parts.append([scores_inside(*pair, *ends) for pair in pairs])
    found: dict[tuple[str, str, float], np.ndarray] = {}
    for metric in OF_CONTEXTS.values():
        for side in Cutoffs._fields:
            blocks = [
                np.stack([getattr(scores, side)[metric.column] for scores in part])
                for part in parts
            ]
            values = np.concatenate(blocks, axis=1)  # (draws + 1, contexts, cutoffs)
            found |= {
                (metric.name, side, cut): values[..., i]
                for i, cut in enumerate(getattr(cutoffs, side))
            }
    return found


def null_curves(evaluation, *, draws: int = 20, seed: int = 0) -> pd.DataFrame:
    """The curves that the cut-offs alone would give, as a band beside `Evaluation.curves`.

    Returns a table: construction, metric, side, cutoff, null (the mean of the draws, each a mean over contexts),
    null_low, null_high (the middle 95 % of the draws); NaN where no context has an eligible lemma.
    """
    scores = shuffled_scores(evaluation, draws=draws, seed=seed)
    rows = []
    for construction, members in evaluation.contexts.groupby(
        "construction", sort=False
    ).indices.items():
        for name, values in scores.items():
            means = pd.DataFrame(values[1:, members].T).mean().dropna()
            band = np.quantile(means, [0.025, 0.975]) if len(means) else (np.nan, np.nan)
            rows.append((construction, *name, means.mean(), *band))
    columns = ["construction", "metric", "side", "cutoff", "null", "null_low", "null_high"]
    return pd.DataFrame(rows, columns=columns)


def _boundary(correct, wrong, above, cutoffs, *, top: bool) -> Boundary:
    """Where cut-offs fall, judging by the forms alone.

    On a form, with the share of it that is inside; or between two forms, where the log-probability is interpolated by
    the mass between them (no form lies there, but shuffled ones may).
    """
    wanted = np.asarray(cutoffs, dtype=float)
    from_above = np.minimum(wanted, 1.0) if top else 1 - wanted
    keys, shares = [], []
    for logs, masses in zip(np.concatenate([correct, wrong], axis=1), above, strict=True):
        order = np.argsort(-logs, kind="stable")
        log, mass = logs[order], masses[order]
        place = (
            np.searchsorted(mass, from_above, side="left") - 1
        )  # the last form with less mass above it
        known = np.clip(place, 0, None)
        on_form = (place >= 0) & (from_above < mass[known] + np.exp(log[known]))
        between = np.interp(from_above, np.concatenate([[0.0], mass]), np.concatenate([[0.0], log]))
        between = np.minimum(between, np.where(place >= 0, log[known], 0.0))
        inside = (from_above - mass[known]) / np.exp(log[known])
        keys.append(torch.from_numpy(np.where(on_form, log[known], between)).exp())
        shares.append(torch.from_numpy(np.where(on_form, inside if top else 1 - inside, 1.0)))
    everything = np.broadcast_to(wanted >= 1, (len(keys), len(wanted))).copy()
    return Boundary(torch.stack(keys), torch.stack(shares), torch.from_numpy(everything))
