"""The laboratory's claims about training: what to expect from its languages, and what its checkpoints show.

A language determines only the end of training; the order in which things are learned was not known beforehand. Each
claim was written down as an expectation from the design of both languages, and is judged on the recorded checkpoints.
"""

import pandas as pd

from tse_book.claims import verdicts
from tse_core.results.tidy import ALL_CONSTRUCTIONS

SYSTEMATIC, LEXICAL = "lab-systematic-checkpoints", "lab-lexical-checkpoints"
LEARNED, GUESSING = 0.9, 0.05
COLUMNS = ("id", "claim", "model", "step", "measured", "verdict", "signature")


def training_ledger(curves: pd.DataFrame | None) -> pd.DataFrame:
    """Each claim about training, once for every model that it concerns.

    `curves` is what `tse_book.studies.training_curves` gives for the laboratory's checkpoints; None where nothing ran.

    Returns a table: id, claim, model, step (that decides), measured (in words), verdict ("holds", "does not hold",
    "not yet run"), signature (of that checkpoint).
    """
    known = pd.DataFrame(columns=["name", "construction"]) if curves is None else curves
    known = known[known["construction"] == ALL_CONSTRUCTIONS]
    rows = []
    for name, text, models, judge in CLAIMS:
        for model in models:
            row = {"id": name, "claim": text, "model": model, "verdict": verdicts.NOT_RUN, "signature": ""}
            mine = known[known["name"] == model]
            if len(mine):
                step, measured, holds = judge(mine.pivot_table("score", "step", ["metric", "band"]))
                made = [*mine.loc[mine["step"] == step, "signature"], ""][0]
                row |= {"step": step, "measured": measured, "signature": made}
                row["verdict"] = "holds" if holds else "does not hold"
            rows.append(row)
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS)).astype({"step": "Int64"})


def _learned(scores: pd.DataFrame) -> int | None:
    """The first step whose TSE is learned."""
    steps = scores.index[scores["TSE", "all"] >= LEARNED]
    return int(steps[0]) if len(steps) else None


def _tse_first(scores: pd.DataFrame):
    step = _learned(scores)
    if step is None:
        return None, f"TSE stays below {LEARNED}", False
    tse, ew = scores.loc[step, ("TSE", "all")], scores.loc[step, ("EW", "all")]
    return step, f"TSE {tse:.3f}, EW {ew:.3f}", ew < LEARNED


def _head_first(scores: pd.DataFrame):
    step = _learned(scores)
    if step is None:
        return None, f"TSE stays below {LEARNED}", False
    head, middle, tail = (scores.loc[step, ("EW", band)] for band in ("head", "middle", "tail"))
    return step, f"{head:.3f}, {middle:.3f}, {tail:.3f}", head > middle > tail


def _tail_never(scores: pd.DataFrame):
    tail, tse = scores["EW", "tail"], scores["TSE", "all"]
    away = (tail - 0.5).abs()
    farthest, holds = away.idxmax(), away.max() <= GUESSING and tse.max() >= LEARNED
    return farthest, f"tail EW {tail[farthest]:.3f} at its farthest, highest TSE {tse.max():.3f}", holds


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
