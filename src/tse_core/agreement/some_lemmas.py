"""EW and MW over some of the lemmas that an evaluation counted: a band, a list that two models share, verbs alone."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from tse_core.errors import InputError


def over(by_lemma: pd.DataFrame | None, lemmas: Collection[str]) -> pd.DataFrame:
    """EW and MW of each context over the given lemmas.

    An evaluation keeps sums over the contexts of one construction, subject and number, so these contexts get the same
    scores: EW is their mean, which is all that a cluster needs; MW is the probability of all their correct forms as a
    share of that of all their forms.

    Parameters
    ----------
    by_lemma : DataFrame
        `Evaluation.by_lemma`.
    lemmas : collection of str
        Their names; those that did not count are passed over.

    Returns
    -------
    DataFrame with a row for each context: construction, subject, noun, number, ew, mw, lemmas (how many).

    Raises
    ------
    InputError : the evaluation was made without keep="lemmas".
    """
    if by_lemma is None:
        raise InputError("the evaluation was made without its lemmas; use keep='lemmas'")
    chosen = by_lemma[by_lemma["lemma"].isin(set(lemmas))]
    cells = chosen.groupby(["construction", "subject", "noun", "number"], sort=False, as_index=False).agg(
        contexts=("contexts", "first"),
        lemmas=("lemma", "size"),
        correct=("correct", "sum"),
        right=("probability_correct", "sum"),
        wrong=("probability_wrong", "sum"),
    )
    cells["ew"] = cells["correct"] / (cells["contexts"] * cells["lemmas"])
    cells["mw"] = cells["right"] / (cells["right"] + cells["wrong"])
    columns = ["construction", "subject", "noun", "number", "ew", "mw", "lemmas"]
    return cells.loc[np.repeat(cells.index, cells["contexts"]), columns].reset_index(drop=True)
