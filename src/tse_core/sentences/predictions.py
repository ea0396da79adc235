"""What a model prefers, in the layout of the BabyLM challenge's predictions.json::

    {"wh_island": {"predictions": [{"id": "wh_island_0", "pred": "Who ..."}, ...]}, ...}

An object for each part of a task (a paradigm), in it a prediction for each item, in the order of
the data: the preferred sentence, or of several completions of one prefix the preferred completion.
The challenge counts a prediction as right where it is the right text. A tie and an item that is not
judged (NaN) are no preference for it: there the wrong text stands, where the challenge's own code
names the right one, which comes first.
"""

from typing import Any

import pandas as pd

from tse_core.errors import InputError

_NEEDED = ("model", "data", "paradigm", "good", "bad", "correct")


def predictions(items: pd.DataFrame, where: str = "the items") -> dict[str, Any]:
    """The predictions of one run, from a row for each item (`PairScores.item_table`).

    Raises InputError: a missing column; items of several models or data sets.
    """
    for name in _NEEDED:
        if name not in items:
            raise InputError(
                f"{where}: has no column {name!r}; `tse blimp MODEL --items FILE` writes a row for "
                "each item"
            )
    for name in ("model", "data"):
        values = list(items[name].unique())
        if len(values) > 1:
            raise InputError(
                f"{where}: holds items of several values of {name!r} ({values[0]}, {values[1]}); "
                "a file of predictions is of one model and one task"
            )
    good, bad = "good", "bad"
    if "completion_good" in items:
        good, bad = "completion_good", "completion_bad"
    parts: dict[str, Any] = {}
    for paradigm, rows in items.groupby("paradigm", sort=False):
        texts = rows[bad].mask(rows["correct"] == 1, rows[good])
        part = [{"id": f"{paradigm}_{n}", "pred": text} for n, text in enumerate(texts)]
        parts[str(paradigm)] = {"predictions": part}
    return parts
