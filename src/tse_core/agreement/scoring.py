"""From contexts to tables of scores: metrics over the verbs, of the distributions at the slots.

`score_contexts` is the whole of it. Rows of all tables are in the order of the contexts, or of the
pairs, that were given, so that a stored table serves any run that asks for the same ones.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
import torch

from tse_core.agreement.distributions import Advance, Distributions, distributions
from tse_core.agreement.settings import Settings
from tse_core.agreement.verb_groups import GroupSums
from tse_core.agreement.verbs import CountedVerbs
from tse_core.metrics.definitions import COVERAGE, MARGIN, OF_CONTEXTS, OF_PAIRS, Cutoffs, Forms
from tse_core.metrics.scores import agreement, correct_and_wrong, cutoff_scores
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt

# Over the contexts of a group, which are equal in these columns, a lemma's scores are summed.
GROUP = ["construction", "subject", "noun", "number"]
FORM_COLUMNS = [
    "log_odds",
    "log_probability_singular",
    "log_probability_plural",
    "mass_above_singular",
    "mass_above_plural",
]
SUMS = ["correct", "probability_correct", "probability_wrong", MARGIN]


def pair_columns() -> list[str]:
    """The columns of scored pairs; a metric that was added has one from then on."""
    of_metrics = [metric.column for metric in OF_PAIRS.values()]
    return [*of_metrics, "log_probability_correct", "log_probability_wrong"]


def score_contexts(
    model: LanguageModel,
    settings: Settings,
    contexts: pd.DataFrame,
    pairs: pd.DataFrame,
    slots: Sequence[Prompt],
    verbs_at: Sequence[CountedVerbs],
    batch_tokens: int | None = None,
    advance: Advance = lambda share: None,
) -> dict[str, pd.DataFrame]:
    """The scores of contexts and of their pairs, by the names in `TABLES`.

    Contexts have number, left and the columns of `GROUP`, pairs correct, wrong and context (the row
    of each pair's context); `slots` are those of the contexts, `verbs_at` the same lemmas at each;
    `advance` is called with the share of the work that was just done.

    Returns
    -------
    - contexts: score and coverage, a row for each context, metric and cut-off (see
      `all_at_cutoffs`), and ties, how many verbs of the context tie;
    - pairs: `pair_columns`, NaN where a form does not count;
    - groups, verbs: those of `GroupSums`;
    - lemmas: `SUMS` over the contexts of each group, for every lemma;
    - forms: a row for each context and lemma: `FORM_COLUMNS`, float32.
    """
    scores = _Scores(len(verbs_at[0].lemmas), settings, contexts, pairs)
    for verbs, rows in _rows_by_verbs(verbs_at):
        scores.add_forms(verbs, pairs, rows, model.compares_lengths)
        some_slots = [slots[row] for row in rows]
        some_advance = partial(_advance_by_share, advance, len(rows) / len(slots))
        for block in distributions(model, verbs, some_slots, batch_tokens, some_advance):
            scores.add(block._replace(contexts=rows[block.contexts]), verbs.ids)
    return scores.tables()


def _advance_by_share(advance: Advance, share: float, done: float) -> None:
    """Report a part of a share of the work as done."""
    advance(done * share)


def _rows_by_verbs(verbs_at: Sequence[CountedVerbs]) -> list[tuple[CountedVerbs, np.ndarray]]:
    """The verbs that are spelled alike at some contexts, with the rows of these."""
    verbs_of = {id(verbs): verbs for verbs in verbs_at}
    identities = np.array([id(verbs) for verbs in verbs_at])
    return [(verbs, np.flatnonzero(identities == i)) for i, verbs in verbs_of.items()]


class _Scores:
    """The scores of all contexts and pairs, which come block by block, in no fixed order."""

    def __init__(
        self,
        lemmas: int,
        settings: Settings,
        contexts: pd.DataFrame,
        pairs: pd.DataFrame,
    ):
        self.settings = settings
        self.plural = (contexts["number"] == "plural").to_numpy()
        self.contexts_of_pairs = pairs["context"].to_numpy()
        self.forms_of_pairs = np.full((len(pairs), 2), -1, dtype=np.int64)
        scores_per_context = len(_cutoff_rows(settings.cutoffs))
        # First the score, then the coverage, of each context and row of `_cutoff_rows`.
        self.at_cutoffs = np.full((2, len(contexts), scores_per_context), np.nan)
        # How many verbs tie in each context.
        self.ties = np.zeros(len(contexts), dtype=np.int64)
        self.of_pairs = np.full((len(pairs), len(pair_columns())), np.nan)
        self.groups = GroupSums(contexts, lemmas)
        self.sums: _LemmaSums | None = None
        if settings.detail != "contexts":
            self.sums = _LemmaSums(contexts, lemmas)
        self.forms: np.ndarray | None = None
        if settings.detail == "forms":
            shape = (len(contexts), lemmas, len(FORM_COLUMNS))
            self.forms = np.empty(shape, np.float32)

    def add_forms(
        self, verbs: CountedVerbs, pairs: pd.DataFrame, rows: np.ndarray, compares_lengths: bool
    ) -> None:
        """Add where the forms of the pairs of some contexts are, by the contexts' rows."""
        chosen = np.isin(self.contexts_of_pairs, rows)
        self.forms_of_pairs[chosen] = pair_forms(verbs, pairs[chosen], compares_lengths)

    def add(self, block: Distributions, ids: np.ndarray) -> None:
        """Add the scores of the contexts of a block, and of their pairs.

        `ids` are the entries, or positions, of each lemma's forms at these contexts.
        """
        rows = block.contexts
        plural = self.plural[rows]
        correct, wrong = _log_probabilities(block, ids, plural)
        self.at_cutoffs[:, rows] = _at_cutoffs(block, ids, plural, self.settings, correct, wrong)
        self.ties[rows] = _ties(block, ids, self.settings)
        self._add_pairs(block)
        wins = agreement(block.logits, ids, plural)
        margins = correct - wrong
        self.groups.add(rows, np.where(plural[:, None], -margins, margins), wins)
        if self.sums is not None:
            self.sums.add(rows, wins, correct, wrong)
        if self.forms is not None:
            self.forms[rows] = _form_rows(block, ids)

    def _add_pairs(self, block: Distributions) -> None:
        """Add the scores of the pairs whose context is in a block."""
        # The row within the block of each context; -1 for those of other blocks.
        position = np.full(len(self.plural), -1)
        position[block.contexts] = np.arange(len(block.contexts))
        positions = position[self.contexts_of_pairs]
        chosen = np.flatnonzero(positions >= 0)
        self.of_pairs[chosen] = _of_pairs(
            block, positions[chosen], self.forms_of_pairs[chosen], self.settings
        )

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables of `score_contexts`, once all blocks have been added."""
        at_cutoffs = self.at_cutoffs.reshape(2, -1).T
        of_contexts = pd.DataFrame(at_cutoffs, columns=["score", "coverage"])
        of_contexts["ties"] = np.repeat(self.ties, self.at_cutoffs.shape[2])
        tables = {
            "contexts": of_contexts,
            "pairs": pd.DataFrame(self.of_pairs, columns=pair_columns()),
            **self.groups.tables(),
        }
        if self.sums is not None:
            tables["lemmas"] = self.sums.table()
        if self.forms is not None:
            forms = self.forms.reshape(-1, len(FORM_COLUMNS))
            tables["forms"] = pd.DataFrame(forms, columns=FORM_COLUMNS)
        return tables


class _LemmaSums:
    """The sums `SUMS` of every lemma over the contexts of each group."""

    def __init__(self, contexts: pd.DataFrame, lemmas: int):
        self.group, self.groups = pd.factorize(_groups(contexts))
        self.sums = np.zeros((len(SUMS), len(self.groups), lemmas))

    def add(
        self, rows: np.ndarray, wins: np.ndarray, correct: np.ndarray, wrong: np.ndarray
    ) -> None:
        """Add scores (k, lemmas) of contexts: agreement, and log-probabilities of both forms."""
        values = [wins, np.exp(correct), np.exp(wrong), correct - wrong]
        for total, of_contexts in zip(self.sums, values, strict=True):
            # Several contexts of one group may be in a block, which `+=` would add once.
            np.add.at(total, self.group[rows], of_contexts.astype(np.float64))

    def table(self) -> pd.DataFrame:
        """A row for each group and lemma: `GROUP`, lemma (its number), contexts, `SUMS`."""
        lemmas = self.sums.shape[2]
        groups = pd.DataFrame(list(self.groups), columns=GROUP).assign(
            contexts=np.bincount(self.group)
        )
        # Each group once for every lemma.
        table = groups.loc[np.repeat(groups.index, lemmas)].reset_index(drop=True)
        table.insert(len(GROUP), "lemma", np.tile(np.arange(lemmas), len(groups)))
        table[SUMS] = self.sums.reshape(len(SUMS), -1).T
        return table.astype({"correct": np.int64})


def pair_forms(
    verbs: CountedVerbs, pairs: pd.DataFrame, compares_lengths: bool = True
) -> np.ndarray:
    """The entries, or positions, of each pair's two forms, int64 (pairs, 2); -1 for none.

    Both are -1 of forms of unequal lengths for a model that cannot compare these.
    """
    correct = pairs["correct"].map(verbs.positions).fillna(-1).to_numpy(np.int64)
    wrong = pairs["wrong"].map(verbs.positions).fillna(-1).to_numpy(np.int64)
    forms = np.stack([correct, wrong], axis=1)
    if not compares_lengths and not verbs.policy.in_vocabulary:
        lengths = np.array([len(spelling) for spelling in verbs.spellings])
        has_both = (forms >= 0).all(axis=1)
        uneven = lengths[correct] != lengths[wrong]
        forms[has_both & uneven] = -1
    return forms


def all_at_cutoffs(cutoffs: Cutoffs, scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of all contexts: context, metric, side, cutoff and the columns of `scores`."""
    rows = _cutoff_rows(cutoffs)
    contexts = np.arange(len(scores) // len(rows))
    table = rows.take(np.tile(np.arange(len(rows)), len(contexts))).reset_index(drop=True)
    table.insert(0, "context", np.repeat(contexts, len(rows)))
    return pd.concat([table, scores.reset_index(drop=True)], axis=1)


def _cutoff_rows(cutoffs: Cutoffs) -> pd.DataFrame:
    """The scores that one context has: metric, side, cutoff; last the margin, over all verbs."""
    rows = []
    for metric in OF_CONTEXTS:
        rows += [(metric, side, cutoff) for side, cutoff in cutoffs.listed()]
    rows.append((MARGIN, "top", 1.0))
    table = pd.DataFrame(rows, columns=["metric", "side", "cutoff"])
    table["metric"] = pd.Categorical(table["metric"], [*OF_CONTEXTS, MARGIN])
    table["side"] = pd.Categorical(table["side"], list(Cutoffs._fields))
    return table


def _groups(contexts: pd.DataFrame) -> pd.MultiIndex:
    """The group of each context.

    A subject known by its noun alone is named after it. Where no noun is known, whatever the
    subject, the left context is its name, so that it is a group by itself. The contexts of a
    document are a group, as intervals are over documents.
    """
    if "document" in contexts:
        documents = contexts["document"]
        return pd.MultiIndex.from_frame(contexts.assign(subject=documents, noun=documents)[GROUP])
    subjects = contexts["subject"].where(contexts["subject"] != "", contexts["noun"])
    subjects = subjects.where(contexts["noun"] != "", contexts["left"])
    return pd.MultiIndex.from_frame(contexts.assign(subject=subjects)[GROUP])


def _log_probabilities(
    block: Distributions, ids: np.ndarray, plural: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log-probabilities (nats) of correct and of wrong forms, each float64 (k, lemmas)."""
    correct, wrong = correct_and_wrong(block.log_probabilities, ids, plural)
    return correct.double().cpu().numpy(), wrong.double().cpu().numpy()


def _at_cutoffs(
    block: Distributions,
    ids: np.ndarray,
    plural: np.ndarray,
    settings: Settings,
    correct: np.ndarray,
    wrong: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and coverage of some contexts, each (k, rows of `_cutoff_rows`).

    `correct` and `wrong` are the log-probabilities of the two forms (k, lemmas).
    """
    top, bottom = settings.cutoffs
    accumulate: Literal["float32", "float64"] = "float64"
    if settings.protocol == "released":
        accumulate = "float32"
    ranked = block.logits[:, : block.ranked]
    sides = cutoff_scores(ranked, ids, plural, top=top, bottom=bottom, accumulate=accumulate)
    shares = np.concatenate([sides.top[COVERAGE], sides.bottom[COVERAGE]], axis=1)
    # Each metric at all cut-offs, then the margin: the order of `_cutoff_rows`.
    scores, coverage = [], []
    for metric in OF_CONTEXTS.values():
        scores += [sides.top[metric.column], sides.bottom[metric.column]]
        coverage.append(shares * block.total)
    margins = (correct - wrong).mean(axis=1)
    mass_of_forms = np.exp(correct).sum(axis=1) + np.exp(wrong).sum(axis=1)
    scores.append(margins[:, None])
    coverage.append(mass_of_forms[:, None])
    return np.concatenate(scores, axis=1), np.concatenate(coverage, axis=1)


def _ties(block: Distributions, ids: np.ndarray, settings: Settings) -> np.ndarray:
    """How many verbs have two equally probable forms, int64 (k,), compared as by the protocol."""
    compared = block.logits
    if settings.protocol == "released":
        compared = block.log_probabilities.exp()
    singular = torch.as_tensor(ids[:, 0], device=compared.device)
    plural = torch.as_tensor(ids[:, 1], device=compared.device)
    return (compared[:, singular] == compared[:, plural]).sum(dim=1).cpu().numpy()


def _of_pairs(
    block: Distributions, rows: np.ndarray, forms: np.ndarray, settings: Settings
) -> np.ndarray:
    """`pair_columns` of some pairs (pairs, columns), by the rows of their contexts."""
    # Logits are not rounded by a softmax, so that fewer of them are equal.
    compared = block.logits
    if settings.protocol == "released":
        compared = block.log_probabilities.exp()
    rows_there = torch.as_tensor(rows, device=compared.device)
    # A form that does not count looks up entry 0, and its scores are replaced by NaN below.
    ids = torch.as_tensor(forms, device=compared.device).clamp(min=0)
    wins = compared[rows_there, ids[:, 0]] > compared[rows_there, ids[:, 1]]
    logs_there = block.log_probabilities
    correct = logs_there[rows_there, ids[:, 0]].double().cpu().numpy()
    wrong = logs_there[rows_there, ids[:, 1]].double().cpu().numpy()
    of_pairs = Forms(np.exp(correct), np.exp(wrong), wins.cpu().numpy().astype(float))
    has_correct, has_wrong = (forms >= 0).T
    columns = []
    for metric in OF_PAIRS.values():
        scores = metric.numerator(of_pairs) / metric.denominator(of_pairs)
        columns.append(np.where(has_correct & has_wrong, scores, np.nan))
    columns.append(np.where(has_correct, correct, np.nan))
    columns.append(np.where(has_wrong, wrong, np.nan))
    return np.stack(columns, axis=1)


def _form_rows(block: Distributions, ids: np.ndarray) -> np.ndarray:
    """`FORM_COLUMNS` of some contexts, (k, lemmas, columns).

    They are log-odds and log-probabilities in nats, and the mass of all entries more probable than
    each form. The log-odds are taken before the softmax rounds, so that their sign is that of the
    comparison.
    """
    singular = torch.as_tensor(ids[:, 0], device=block.logits.device)
    plural = torch.as_tensor(ids[:, 1], device=block.logits.device)
    scores = [
        block.logits[:, singular] - block.logits[:, plural],
        block.log_probabilities[:, singular],
        block.log_probabilities[:, plural],
    ]
    columns = [score.float().cpu().numpy() for score in scores]
    probabilities = block.log_probabilities[:, : block.ranked].double().exp().cpu().numpy()
    masses = _mass_above(probabilities, np.concatenate([ids[:, 0], ids[:, 1]]))
    columns += np.split(masses.astype(np.float32), 2, axis=1)
    return np.stack(columns, axis=2)


def _mass_above(probabilities: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """The mass of all entries that are more probable than each of these: (k, these entries).

    `probabilities` are those of k contexts, (k, all entries).
    """
    ascending = np.sort(probabilities, axis=1)
    size = ascending.shape[1]
    # The mass of the n most probable entries, for every n from 0 to all.
    mass_of_largest = np.zeros((len(ascending), size + 1))
    np.cumsum(ascending[:, ::-1], axis=1, out=mass_of_largest[:, 1:])
    at_most = []  # how many entries are at most as probable as each of these
    for row, of_entries in zip(ascending, probabilities[:, entries], strict=True):
        at_most.append(row.searchsorted(of_entries, side="right"))
    more_probable = size - np.stack(at_most)
    return np.take_along_axis(mass_of_largest, more_probable, axis=1)
