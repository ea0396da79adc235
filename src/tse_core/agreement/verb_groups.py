"""m of every verb over groups of contexts: what sensitivity and bias need, however little is kept.

m is the log-odds (nats) of a verb's singular form against its plural one. Contexts of one
construction, number and cluster form a group, whose means are kept with every evaluation: a few
hundred rows where templates have thousands of contexts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_core.agreement.data import EvaluationData, VerbGroups

GROUP_KEYS = ["construction", "number", "cluster"]
VERB_COLUMNS = ["log_odds", "right"]  # of the table of verbs: a row for each group and verb


def group_keys(contexts: pd.DataFrame) -> pd.DataFrame:
    """The group of each context, by `GROUP_KEYS`: no two clusters of intervals share a group.

    The cluster is the document of a treebank's sentence, else the subject's noun, and the left
    context where neither is known.
    """
    if "document" in contexts:
        cluster = contexts["document"].astype(str)
    else:
        noun = contexts["noun"].fillna("").astype(str).str.lower()
        cluster = noun.where(noun != "", contexts["left"])
    return contexts[["construction", "number"]].assign(cluster=cluster)


class GroupSums:
    """Sums over the contexts of each group, which come some at a time."""

    def __init__(self, contexts: pd.DataFrame, verbs: int):
        self.codes, groups = pd.factorize(pd.MultiIndex.from_frame(group_keys(contexts)))
        self.groups = pd.DataFrame(list(groups), columns=GROUP_KEYS)
        self.log_odds = np.zeros((len(self.groups), verbs))
        self.right = np.zeros((len(self.groups), verbs), dtype=np.int64)

    def add(self, rows: np.ndarray, log_odds: np.ndarray, right: np.ndarray) -> None:
        """Add m and whether it is right, (k, verbs), of contexts by their rows."""
        # Several contexts of one group may be among them, which `+=` would add once.
        np.add.at(self.log_odds, self.codes[rows], log_odds)
        np.add.at(self.right, self.codes[rows], right.astype(np.int64))

    def tables(self) -> dict[str, pd.DataFrame]:
        """The groups, with the number of their contexts, and the means of their verbs."""
        contexts = np.bincount(self.codes, minlength=len(self.groups))
        means = self.log_odds / contexts[:, None]
        verbs = {"log_odds": means.ravel().astype(np.float32), "right": self.right.ravel()}
        return {"groups": self.groups.assign(contexts=contexts), "verbs": pd.DataFrame(verbs)}


def groups_of_tables(groups: pd.DataFrame, verbs: pd.DataFrame) -> VerbGroups:
    """The groups of the tables of `GroupSums`, one behind the other."""
    shape = len(groups), -1
    return VerbGroups(
        groups.reset_index(drop=True),
        verbs["log_odds"].to_numpy().reshape(shape),
        verbs["right"].to_numpy().reshape(shape),
    )


def groups_of_lemmas(by_lemma: pd.DataFrame, lemmas: int) -> VerbGroups:
    """The groups of `EvaluationData.by_lemma`, which has a row for each group and lemma in turn.

    `lemmas` is how many there are. A group is here one of subjects of one name.
    """
    # The first of the rows of each group: the others differ in the lemma alone.
    of_groups = by_lemma.iloc[::lemmas].rename(columns={"subject": "left"})
    table = group_keys(of_groups).assign(contexts=of_groups["contexts"])
    margins = by_lemma["margin"].to_numpy("float32").reshape(-1, lemmas)
    plural = (table["number"] == "plural").to_numpy()[:, None]
    return VerbGroups(
        table.reset_index(drop=True),
        np.where(plural, -margins, margins),
        by_lemma["correct"].to_numpy().reshape(-1, lemmas),
    )


class VerbRows(NamedTuple):
    """m of every verb in contexts, or in groups of them: a row each.

    Attributes
    ----------
    contexts : how many contexts each row stands for, (rows,)
    plural : whether their subjects are plural, bool (rows,)
    clusters : their clusters of intervals, (rows,)
    cells : the group of contexts of a table to which each belongs, (rows,)
    log_odds : the mean of m, (rows, verbs)
    right : in how many of them each verb is right, (rows, verbs)
    """

    contexts: np.ndarray
    plural: np.ndarray
    clusters: np.ndarray
    cells: np.ndarray
    log_odds: np.ndarray
    right: np.ndarray

    def of_cell(self, cell: int) -> "VerbRows":
        """The rows of a group of contexts."""
        chosen = self.cells == cell
        return VerbRows(*(values[chosen] for values in self))


def movement_rows(
    data: EvaluationData, factors: Sequence[str], cells: np.ndarray
) -> VerbRows | None:
    """The rows of an evaluation, from its forms, groups or sums of lemmas; None without any.

    `factors` are the columns of contexts that divide them into cells, whose number is given for
    each context. Groups are of one construction and number, and know no other factor.
    """
    if data.form_arrays is not None:
        odds = data.log_odds
        right = np.where(data.plural, odds < 0, odds > 0)
        ones = np.ones(len(odds))
        return VerbRows(ones, data.plural.ravel(), data.subjects, cells, odds, right)
    groups = data.verb_groups
    if groups is None and data.by_lemma is not None:
        groups = groups_of_lemmas(data.by_lemma, len(data.lemmas))
    if groups is None or not set(factors) <= {"construction", "number"}:
        return None
    # All contexts of a group have its cluster and its cell: those of its first context are taken.
    context_of: dict[tuple, int] = {}
    for row, group in enumerate(group_keys(data.contexts).itertuples(index=False, name=None)):
        context_of.setdefault(group, row)
    groups_in_order = groups.table[GROUP_KEYS].itertuples(index=False, name=None)
    first_contexts = [context_of[group] for group in groups_in_order]
    return VerbRows(
        groups.table["contexts"].to_numpy(),
        (groups.table["number"] == "plural").to_numpy(),
        data.subjects[first_contexts],
        cells[first_contexts],
        groups.log_odds,
        groups.right,
    )
