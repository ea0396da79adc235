"""The laboratory's claims about training: what to expect from its languages, and what its checkpoints show.

The order in which things are learned was not known beforehand: each claim was written down as an expectation from the
design of both languages, and is judged on the recorded checkpoints.
"""

import pandas as pd

from tse_book.claims import verdicts
from tse_book.studies.dynamics import ALL_CONSTRUCTIONS

SYSTEMATIC, LEXICAL = "lab-systematic-checkpoints", "lab-lexical-checkpoints"
LEARNED, GUESSING = 0.9, 0.05
COLUMNS = ("id", "claim", "model", "step", "measured", "verdict", "signature")


def training_ledger(curves: pd.DataFrame | None) -> pd.DataFrame:
    """Each claim about training, once for every model that it concerns.

    `curves` is what `tse_book.studies.dynamics.training_curves` gives for the laboratory's checkpoints; None where
    nothing ran.

    Returns a table: id, claim, model, step (that decides), measured (in words), verdict ("holds", "does not hold",
    "not yet run"), signature (of that checkpoint).
    """
    rows = []
    for name, text, models, judge in CLAIMS:
        for model in models:
            row = {
                "id": name,
                "claim": text,
                "model": model,
                "verdict": verdicts.NOT_RUN,
                "signature": "",
            }
            if curves is not None and model in set(curves["name"]):
                mine = curves[
                    (curves["name"] == model) & (curves["construction"] == ALL_CONSTRUCTIONS)
                ]
                scores = mine.pivot_table("score", "step", ["metric", "band"])
                step, measured, holds = judge(scores["TSE", "all"], scores["EW"])
                made = [*mine.loc[mine["step"] == step, "signature"], ""][0]
                row |= {"step": step, "measured": measured, "signature": made}
                row["verdict"] = verdicts.in_words(holds)
            rows.append(row)
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS)).astype({"step": "Int64"})


def _tse_first(tse: pd.Series, ew: pd.DataFrame):
    step = (tse >= LEARNED).idxmax()
    return _once_learned(
        tse,
        step,
        f"TSE {tse[step]:.3f}, EW {ew.loc[step, 'all']:.3f}",
        ew.loc[step, "all"] < LEARNED,
    )


def _head_first(tse: pd.Series, ew: pd.DataFrame):
    step = (tse >= LEARNED).idxmax()
    head, middle, tail = ew.loc[step, ["head", "middle", "tail"]]
    return _once_learned(tse, step, f"{head:.3f}, {middle:.3f}, {tail:.3f}", head > middle > tail)


def _once_learned(tse: pd.Series, *found):
    """What was found at the first step whose TSE is learned."""
    return found if tse.max() >= LEARNED else (None, f"TSE stays below {LEARNED}", False)


def _tail_never(tse: pd.Series, ew: pd.DataFrame):
    away = (ew["tail"] - 0.5).abs()
    farthest, holds = away.idxmax(), away.max() <= GUESSING and tse.max() >= LEARNED
    return (
        farthest,
        f"tail EW {ew.loc[farthest, 'tail']:.3f} at its farthest, highest TSE {tse.max():.3f}",
        holds,
    )


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
