"""The laboratory's claims about training: what to expect from its languages, and what its checkpoints show.

The order in which things are learned was not known beforehand: each claim was written down as an expectation from the
design of both languages, and is judged on the recorded checkpoints.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from tse_book.claims import verdicts
from tse_extras.sweep.curves import ALL_CONSTRUCTIONS

SYSTEMATIC, LEXICAL = "lab-systematic-checkpoints", "lab-lexical-checkpoints"
LEARNED, GUESSING = 0.9, 0.05
# The step that decides, what was measured in words, whether the claim holds.
Judgement = tuple[Any, str, bool]
Judge = Callable[[pd.Series, pd.DataFrame], Judgement]  # of TSE by step, and EW by step and band
NEVER_LEARNED: Judgement = (None, f"TSE stays below {LEARNED}", False)
COLUMNS = ("id", "claim", "model", "step", "measured", "verdict", "signature")


def training_ledger(curves: pd.DataFrame | None) -> pd.DataFrame:
    """Each claim about training, once for every model that it concerns.

    `curves` is what `tse_extras.sweep.curves.training_curves` gives for the laboratory's checkpoints; None where
    nothing ran.

    Returns a table: id, claim, model, step (that decides), measured (in words), verdict ("holds", "does not hold",
    "not yet run"), signature (of that checkpoint).
    """
    rows = []
    for name, text, models, judge in CLAIMS:
        for model in models:
            row = {"id": name, "claim": text, "model": model}
            row |= {"verdict": verdicts.NOT_RUN, "signature": ""}
            if curves is not None and model in set(curves["name"]):
                row |= _judged(curves[curves["name"] == model], judge)
            rows.append(row)
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS)).astype({"step": "Int64"})


def _judged(curves: pd.DataFrame, judge: Judge) -> dict:
    """The ledger's columns on what one model's checkpoints show."""
    curves = curves[curves["construction"] == ALL_CONSTRUCTIONS]
    scores = curves.pivot_table("score", "step", ["metric", "band"])
    step, measured, holds = judge(scores["TSE", "all"], scores["EW"])
    signatures = curves.loc[curves["step"] == step, "signature"]
    return {
        "step": step,
        "measured": measured,
        "signature": "" if signatures.empty else signatures.iloc[0],
        "verdict": verdicts.in_words(holds),
    }


def _tse_first(tse: pd.Series, ew: pd.DataFrame) -> Judgement:
    if tse.max() < LEARNED:
        return NEVER_LEARNED
    step = (tse >= LEARNED).idxmax()
    all_verbs = ew.loc[step, "all"]
    return step, f"TSE {tse[step]:.3f}, EW {all_verbs:.3f}", all_verbs < LEARNED


def _head_first(tse: pd.Series, ew: pd.DataFrame) -> Judgement:
    if tse.max() < LEARNED:
        return NEVER_LEARNED
    step = (tse >= LEARNED).idxmax()
    head, middle, tail = ew.loc[step, ["head", "middle", "tail"]]
    return step, f"{head:.3f}, {middle:.3f}, {tail:.3f}", head > middle > tail


def _tail_never(tse: pd.Series, ew: pd.DataFrame) -> Judgement:
    distance = (ew["tail"] - 0.5).abs()
    step = distance.idxmax()
    farthest = ew.loc[step, "tail"]
    measured = f"tail EW {farthest:.3f} at its farthest, highest TSE {tse.max():.3f}"
    return step, measured, distance.max() <= GUESSING and tse.max() >= LEARNED


CLAIMS = (
    (
        "L.tse-first", f"At the first checkpoint whose TSE reaches {LEARNED}, EW over all verbs has not reached it",
        (SYSTEMATIC, LEXICAL), _tse_first,
    ),
    (
        "L.head-first", "There EW falls from the frequent verbs to the rare ones: head, middle, tail",
        (SYSTEMATIC,), _head_first,
    ),
    (
        "L.tail-never", f"Where rare verbs keep a form of their own, their EW stays within {GUESSING} of a half at "
        "every checkpoint, while TSE is learned", (LEXICAL,), _tail_never,
    ),
)  # fmt: skip
