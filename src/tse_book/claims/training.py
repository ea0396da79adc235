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


def _tse_first(scores: pd.DataFrame):
    return _when_learned(scores, lambda tse, ew: (f"TSE {tse:.3f}, EW {ew['all']:.3f}", ew["all"] < LEARNED))


def _head_first(scores: pd.DataFrame):
    def falls(tse, ew):
        head, middle, tail = ew[["head", "middle", "tail"]]
        return f"{head:.3f}, {middle:.3f}, {tail:.3f}", head > middle > tail

    return _when_learned(scores, falls)


def _when_learned(scores: pd.DataFrame, judge):
    """The first step whose TSE is learned, and what is judged of TSE and EW there."""
    tse = scores["TSE", "all"]
    if tse.max() < LEARNED:
        return None, f"TSE stays below {LEARNED}", False
    step = (tse >= LEARNED).idxmax()
    return step, *judge(tse[step], scores.loc[step, "EW"])


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
