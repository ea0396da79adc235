"""What Newman et al. 2021, and Marvin and Linzen before them, find in models generally, as numbers of one evaluation.

Each claim samples what it is about: claims about verbs sample subjects and verbs, crossed; the shares of the
distribution sample subjects.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tse_book.published import BETWEEN
from tse_book.studies.contrasts import Group, Statistic, Statistics, negative
from tse_core.agreement.evaluation import distinct_items
from tse_core.agreement.scores import lemma_scores
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters


def agreement_statistics(evaluation, forms: pd.DataFrame | None = None) -> Statistics:
    """The claims that need every context (detail="lemmas" or "forms"): claim -> its statistic.

    `forms` is what `form_shares` gives for a sample of the contexts.
    """
    found = about_verbs(evaluation) | {"E.attractors.pairs": Statistic(_attractors(_rows(evaluation.pairs)))}
    if forms is not None:
        rows = _rows(forms)
        found["E.mass-past"] = Statistic({row: [Group(_past(g), [g["noun"].to_numpy()])] for row, g in rows.items()})
    return found


def about_verbs(evaluation, *, once: bool = False) -> Statistics:
    """TSE, MW and EW against each other, over subjects and verbs.

    The verbs of EW and MW are a sample of verbs. Those of TSE are not: they are the ones that the templates chose, and
    the claim is about TSE of exactly these. With `once` TSE counts the same context with the same two forms once.
    """
    asked = distinct_items(evaluation.pairs) if once else evaluation.pairs
    asked = asked[asked["tse"].notna()]
    pairs = _rows(asked)
    tse = {row: Group(g["tse"].to_numpy(float), _ways(g.assign(lemma="the templates'"))) for row, g in pairs.items()}
    cells = _rows(lemma_scores(evaluation.by_lemma))
    scores = {name: {row: _of_cells(g, name) for row, g in cells.items()} for name in ("ew", "mw")}
    for row, contexts in _rows(evaluation.contexts).items():  # MW of a group is not quite their mean, which tables show
        for name, groups in scores.items():
            groups[row] = _centred(groups[row], contexts[name].mean())
    against_tse = {row: [tse[row], *negative([scores["ew"][row]])] for row in cells if row in tse}
    found = {"E.ew-below-tse": Statistic(against_tse)}
    if not once:
        rows = {row: [scores["mw"][row], *negative([scores["ew"][row]])] for row in cells}
        found["E.mw-above-ew"] = Statistic(rows)
    return found


def _rows(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """A table by construction, its subjects' clusters in the column noun."""
    clustered = table if "left" not in table else table.assign(noun=subject_clusters(table))
    return {str(name): group for name, group in clustered.groupby("construction", sort=False)}


def _ways(table: pd.DataFrame) -> list[np.ndarray]:
    return [table["noun"].to_numpy(), table["lemma"].to_numpy()]


def _of_cells(table: pd.DataFrame, score: str) -> Group:
    return Group(table[score].to_numpy(float), _ways(table), counts=table["contexts"].to_numpy())


def _centred(group: Group, mean: float) -> Group:
    return group._replace(values=group.values + mean - np.average(group.values, weights=group.counts))


def _attractors(pairs: Mapping[str, pd.DataFrame]) -> dict[str, list[Group]]:
    """TSE where the noun between subject and verb has the subject's number, less TSE where it has the other number.

    Over subjects and over the nouns in between."""
    rows = {}
    for row in BETWEEN:
        if row in pairs and "attractor_number" in pairs[row]:
            same = pairs[row]["attractor_number"] == pairs[row]["number"]
            between = attractor_clusters(pairs[row])
            ends = [Group(pairs[row]["tse"].to_numpy(float)[here], [pairs[row]["noun"].to_numpy()[here], between[here]])
                    for here in (same.to_numpy(), ~same.to_numpy())]  # fmt: skip
            rows[row] = [ends[0], *negative(ends[1:])]
    return rows


def _past(forms: pd.DataFrame) -> np.ndarray:
    """The share of past forms in the probability of words that are not present forms of a lemma."""
    return (forms["past"] / (forms["past"] + forms["other"])).to_numpy(float)
