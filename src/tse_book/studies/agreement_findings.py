"""What Newman et al. 2021, and Marvin and Linzen before them, find in models generally, as numbers of one evaluation.

Each claim samples what it is about: claims about verbs sample subjects and verbs, crossed; the falls over the cut-offs
and the shares of the distribution sample subjects. A fall counts from its null (`tse_book.studies.shuffled`).
"""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from tse_book.published import BETWEEN
from tse_book.studies.also_nouns import also_nouns
from tse_book.studies.contrasts import Group, Statistic, Statistics, negative, paired
from tse_book.studies.shuffled import falls_and_nulls
from tse_core.agreement.cells import decisions
from tse_core.agreement.clustered import lemma_scores
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters

FIRST, LAST = "top_0.1", "bottom_1e-06"  # the outer ends of the whole curve
FEWEST_NOUNS = 10  # below that, the fall of a curve rests on too few subjects to count
FEW_LEMMAS = 10  # fewer eligible lemmas than these are "very few"
SIMPLE = "Simple"


def agreement_statistics(evaluation, forms: pd.DataFrame | None = None) -> Statistics:
    """The claims that need every context: claim -> its statistic.

    Parameters
    ----------
    evaluation : Evaluation, made with keep="lemmas" or "forms"
    forms : DataFrame, optional
        What `form_shares` gives for a sample of the contexts.
    """
    contexts = _rows(evaluation.contexts)
    found = about_verbs(evaluation) | {
        "E.forty": Statistic(_falls(contexts), "largest", FEWEST_NOUNS),
        "E.attractors.pairs": Statistic(_attractors(_rows(evaluation.pairs))),
    }
    if forms is not None:
        rows = _rows(forms)
        found["E.mass-past"] = Statistic({row: [Group(_past(g), [g["noun"].to_numpy()])] for row, g in rows.items()})
    if all((group["right"] == "").all() for group in contexts.values()):
        found |= _noun_readings(evaluation)  # a masked model sees both sides of the verb
    return found


def about_verbs(evaluation, nouns: bool | None = None, *, once: bool = False) -> Statistics:
    """TSE, MW and EW against each other, over subjects and verbs.

    The verbs of EW and MW are a sample of verbs. Those of TSE are not: they are the ones that the templates chose, and
    the claim is about TSE of exactly these.

    Parameters
    ----------
    nouns : whether TSE and EW alike count the verbs that are also nouns alone (True), or those that are never nouns
        (False); all verbs by default. A construction whose pairs have no such verb is left out.
    once : whether TSE counts distinct decisions, the same context and the same two forms, once
    """
    asked, lemmas = decisions(evaluation.pairs) if once else evaluation.pairs, None
    if nouns is not None:
        asked = asked[also_nouns(asked["lemma"]) == nouns]
        lemmas = evaluation.lemmas.loc[evaluation.lemmas["noun"].astype(bool) == nouns, "lemma"]
    asked = asked[asked["tse"].notna()]
    pairs = _rows(asked)
    tse = {row: Group(g["tse"].to_numpy(float), _ways(g.assign(lemma="the templates'"))) for row, g in pairs.items()}
    cells = _rows(lemma_scores(evaluation.by_lemma, lemmas))
    scores = {name: {row: _of_cells(g, name) for row, g in cells.items()} for name in ("ew", "mw")}
    if nouns is None:  # MW of a group of contexts is not quite their mean MW, which tables show
        for row, contexts in _rows(evaluation.contexts).items():
            for name, groups in scores.items():
                groups[row] = _centred(groups[row], contexts[name].mean())
    against_tse = {row: [tse[row], *negative([scores["ew"][row]])] for row in cells if row in tse}
    found = {"E.ew-below-tse": Statistic(against_tse)}
    if not once and nouns is None:  # MW of some lemmas is known only for groups of contexts
        rows = {row: [scores["mw"][row], *negative([scores["ew"][row]])] for row in cells}
        found["E.mw-above-ew"] = Statistic(rows)
    return found


def about_cutoffs(evaluation, lemmas: Collection[str] | None = None) -> Statistics:
    """The falls over the cut-offs beyond their null, and contexts with very few eligible lemmas at either end.

    `evaluation` was made with keep="forms"; it may cover only a sample of the contexts.
    """
    found = {}
    for metric in ("EW", "MW"):
        table = _rows(falls_and_nulls(evaluation, metric, lemmas=lemmas))
        beyond = {row: [Group(g["beyond"].to_numpy(), [g["noun"].to_numpy()])] for row, g in table.items()}
        found[f"E.head-tail.{metric.lower()}"] = Statistic(beyond, "mean", FEWEST_NOUNS)
    if lemmas is None:
        few = _rows(evaluation.contexts.assign(head=_few(evaluation, 0.1, True), tail=_few(evaluation, 1e-6, False)))
        for end in ("head", "tail"):
            found[f"E.empty-{end}"] = Statistic(
                {row: [Group(g[end].to_numpy(float), [g["noun"].to_numpy()])] for row, g in few.items()}
            )
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


def _noun_readings(evaluation) -> Statistics:
    """EW over verbs that are never nouns less EW over those that are, on Simple and with material in between."""
    if "noun" not in evaluation.lemmas:
        return {}
    nouns = set(evaluation.lemmas.loc[evaluation.lemmas["noun"].astype(bool), "lemma"])
    verbs = set(evaluation.lemmas["lemma"]) - nouns
    if not nouns or not verbs:
        return {}
    cells = [_rows(lemma_scores(evaluation.by_lemma, kind)) for kind in (verbs, nouns)]
    rows = {row: [_of_cells(cells[0][row], "ew"), *negative([_of_cells(cells[1][row], "ew")])] for row in cells[0]}
    return {
        "E.noun-reading": Statistic({row: groups for row, groups in rows.items() if row == SIMPLE}),
        "E.noun-reading.between": Statistic({row: rows[row] for row in BETWEEN if row in rows}),
    }


def _falls(contexts: Mapping[str, pd.DataFrame]) -> dict[str, list[Group]]:
    """The fall from the top 10 % to the last bottom cut-off, in each construction and metric."""
    return {
        f"{metric}, {row}": paired(
            group[f"{metric.lower()}_{FIRST}"], group[f"{metric.lower()}_{LAST}"], group["noun"].to_numpy()
        )
        for metric in ("EW", "MW")
        for row, group in contexts.items()
    }


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


def _few(evaluation, cutoff: float, top: bool) -> np.ndarray:
    """Whether a context has fewer than `FEW_LEMMAS` eligible lemmas at a cut-off."""
    shape = (2, len(evaluation.contexts), len(evaluation.lemmas))
    above, own = (
        evaluation.forms[[f"{name}_singular", f"{name}_plural"]].to_numpy(float).T.reshape(shape)
        for name in ("mass_above", "log_probability")
    )
    likelier = np.argmax(own, axis=0)[None]
    above, own = (np.take_along_axis(part, likelier, axis=0)[0] for part in (above, np.exp(own)))
    inside = above < cutoff if top else 1 - above - own < cutoff
    return inside.sum(axis=1) < FEW_LEMMAS
