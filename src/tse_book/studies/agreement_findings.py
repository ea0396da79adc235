"""What Newman et al. 2021, and Marvin and Linzen before them, find in models generally, as numbers of one evaluation.

Each claim samples what it is about: claims about verbs sample subjects and verbs, crossed; the shares of the
distribution sample subjects.
"""

import numpy as np
import pandas as pd

from tse_book.published import BETWEEN
from tse_book.studies.contrasts import Group, Statistic, Statistics, negative
from tse_core.agreement.by_lemma import lemma_scores
from tse_core.agreement.tables import distinct_items
from tse_core.uncertainty.subject_nouns import subject_clusters
from tse_core.words import spelled_nouns


def agreement_statistics(evaluation, forms: pd.DataFrame) -> Statistics:
    """The claims about agreement: claim -> its statistic, of an evaluation with detail "lemmas" or "forms".

    `forms` is what `form_shares` gives for a sample of the contexts.
    """
    past = {}
    for row, group in _rows(forms).items():
        share = group["past"] / (
            group["past"] + group["other"]
        )  # of what is no present form of a lemma
        past[row] = [Group(share.to_numpy(float), [group["noun"]])]
    found = about_verbs(evaluation)
    return found | {
        "E.attractors.pairs": _attractors(evaluation.pairs),
        "E.mass-past": Statistic(past),
    }


def about_verbs(evaluation, *, once: bool = False) -> Statistics:
    """TSE, MW and EW against each other, over subjects and verbs.

    The verbs of EW and MW are a sample of verbs. Those of TSE are not: they are the ones that the templates chose, and
    the claim is about TSE of exactly these. With `once` TSE counts the same context with the same two forms once.
    """
    asked = distinct_items(evaluation.pairs) if once else evaluation.pairs
    pairs = _rows(asked[asked["tse"].notna()])
    contexts = evaluation.contexts.groupby("construction")[["ew", "mw"]].mean()
    against_tse, against_mw = {}, {}
    for row, cells in _rows(lemma_scores(evaluation.by_lemma)).items():
        counts, ways = cells["contexts"].to_numpy(), [cells["noun"], cells["lemma"]]
        groups = {}
        for name in (
            "ew",
            "mw",
        ):  # MW of a group is not quite the mean of its contexts, which tables show
            mean = np.average(cells[name], weights=counts)
            groups[name] = Group(
                cells[name].to_numpy(float) + contexts.loc[row, name] - mean, ways, counts=counts
            )
        lower = negative([groups["ew"]])
        against_mw[row] = [groups["mw"], *lower]
        if row in pairs:
            same_verbs = np.full(len(pairs[row]), "the templates'")
            tse = Group(pairs[row]["tse"].to_numpy(float), [pairs[row]["noun"], same_verbs])
            against_tse[row] = [tse, *lower]
    found = {"E.ew-below-tse": Statistic(against_tse)}
    return found if once else found | {"E.mw-above-ew": Statistic(against_mw)}


def _attractors(pairs: pd.DataFrame) -> Statistic:
    """TSE where the noun between subject and verb has the subject's number, less TSE where it has the other number.

    Over subjects and over the nouns in between."""
    rows = {}
    for row, group in _rows(pairs).items():
        if row in BETWEEN and "attractor_number" in group:
            same = (group["attractor_number"] == group["number"]).to_numpy()
            ways = [group["noun"].to_numpy(), np.array(spelled_nouns(group["attractor"]))]
            one, other = (
                Group(group["tse"].to_numpy(float)[here], [way[here] for way in ways])
                for here in (same, ~same)
            )
            rows[row] = [one, *negative([other])]
    return Statistic(rows)


def _rows(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """A table by construction, its subjects' clusters in the column noun."""
    clustered = table.assign(noun=subject_clusters(table))
    return {str(name): group for name, group in clustered.groupby("construction", sort=False)}
