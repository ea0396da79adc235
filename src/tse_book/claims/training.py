"""The laboratory's claims about training: what to expect from its languages, and what its checkpoints show.

A language determines only the end of training; the order in which things are learned was not known beforehand. Each
claim was written down as an expectation from the design of both languages, and is judged on the recorded checkpoints.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_core.results.tidy import ALL_CONSTRUCTIONS

SYSTEMATIC, LEXICAL = "lab-systematic-checkpoints", "lab-lexical-checkpoints"
LEARNED, GUESSING = 0.9, 0.05
COLUMNS = ("id", "claim", "model", "step", "measured", "verdict", "signature")

_CLAIMS: list[tuple[str, str, tuple[str, ...], Callable]] = []


def _claim(name: str, text: str, *models: str):
    def register(judge):
        _CLAIMS.append((name, text, models, judge))
        return judge

    return register


def training_ledger(curves: pd.DataFrame | None) -> pd.DataFrame:
    """Each claim about training, once for every model that it concerns.

    Parameters
    ----------
    curves : DataFrame or None
        What `tse_book.studies.training_curves` gives for the laboratory's checkpoints; None where nothing ran.

    Returns
    -------
    DataFrame
        id, claim, model, step (that decides), measured (in words), verdict ("holds", "does not hold",
        "not yet run"), signature (of that checkpoint).
    """
    rows = []
    for name, text, models, judge in _CLAIMS:
        for model in models:
            row = {"id": name, "claim": text, "model": model, "verdict": verdicts.NOT_RUN, "signature": ""}
            mine = (
                None
                if curves is None
                else curves[(curves["name"] == model) & (curves["construction"] == ALL_CONSTRUCTIONS)]
            )
            if mine is not None and len(mine):
                scores = mine.pivot_table("score", "step", ["metric", "band"])
                step, measured, holds = judge(scores)
                made = mine.loc[mine["step"] == step, "signature"]
                row |= {"step": step, "measured": measured, "verdict": "holds" if holds else "does not hold"}
                row["signature"] = made.iloc[0] if len(made) else ""
            rows.append(row)
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS)).astype({"step": "Int64"})


@_claim(
    "L.tse-first",
    f"At the first checkpoint whose TSE reaches {LEARNED}, EW over all verbs has not reached it",
    SYSTEMATIC,
    LEXICAL,
)
def _tse_first(scores):
    step = _learned(scores)
    if step is None:
        return None, f"TSE stays below {LEARNED}", False
    tse, ew = scores.loc[step, ("TSE", "all")], scores.loc[step, ("EW", "all")]
    return step, f"TSE {tse:.3f}, EW {ew:.3f}", bool(ew < LEARNED)


@_claim("L.head-first", "There EW falls from the frequent verbs to the rare ones: head, middle, tail", SYSTEMATIC)
def _head_first(scores):
    step = _learned(scores)
    if step is None:
        return None, f"TSE stays below {LEARNED}", False
    head, middle, tail = (scores.loc[step, ("EW", band)] for band in ("head", "middle", "tail"))
    return step, f"{head:.3f}, {middle:.3f}, {tail:.3f}", bool(head > middle > tail)


@_claim(
    "L.tail-never",
    f"Where rare verbs keep a form of their own, their EW stays within {GUESSING} of a half at every checkpoint, "
    "while TSE is learned",
    LEXICAL,
)
def _tail_never(scores):
    tail, tse = scores["EW", "tail"], scores["TSE", "all"]
    farthest = (tail - 0.5).abs().idxmax()
    holds = np.abs(tail - 0.5).max() <= GUESSING and tse.max() >= LEARNED
    return farthest, f"tail EW {tail[farthest]:.3f} at its farthest, highest TSE {tse.max():.3f}", bool(holds)


def _learned(scores) -> int | None:
    steps = scores.index[scores["TSE", "all"] >= LEARNED]
    return int(steps[0]) if len(steps) else None
