"""How far verbs move with the subject's number: tables of single verbs and of their kinds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tse_core.agreement.data import EvaluationData
from tse_core.agreement.factors import factor_names, find_factors, label_groups
from tse_core.agreement.verb_cells import VerbCells
from tse_core.agreement.verb_groups import movement_rows
from tse_core.errors import InputError
from tse_core.metrics.definitions import OF_CELLS, score_range
from tse_core.metrics.movement import VerbScores
from tse_core.uncertainty.intervals import combine

NOUN, NEVER = "noun", "never"  # kinds of verbs: also a noun, never one
LEAST = 5  # how many of the verbs that move least are named
KIND_NAMES = {NEVER: "never nouns", NOUN: "also nouns", "": "all verbs"}


def verb_table(data: EvaluationData, by: str | Sequence[str] = ()) -> pd.DataFrame:
    """`Evaluation.verbs`."""
    factors = _factors(data, by)
    groups, labels = label_groups(data.contexts, factors)
    cells = _verb_cells(data, factors, groups)
    contexts = np.bincount(groups)
    verbs = data.lemmas[["lemma", "singular", "plural"]].assign(kind=verb_kinds(data.lemmas))
    tables = []
    for group in labels.index:
        scores = _scores(cells, group, len(verbs))
        names = labels.iloc[[group] * len(verbs)].reset_index(drop=True)
        table = pd.concat([names, verbs], axis=1).assign(
            sensitivity=scores.sensitivity,
            bias=scores.bias,
            EW=(scores.ew_singular + scores.ew_plural) / 2,
            EW_singular=scores.ew_singular,
            EW_plural=scores.ew_plural,
            error=np.sqrt(scores.noise),
            contexts=contexts[group],
        )
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def kind_table(data: EvaluationData) -> pd.DataFrame | None:
    """Metrics of cells for verbs that are never and also nouns, over all contexts.

    Returns a table: verbs (the kind), every metric of cells with its interval over subject nouns
    and verbs (``sensitivity_low`` and so on), moving (how many verbs have a sensitivity above 0)
    and lemmas (how many there are); None where no context shows a verb after both numbers.
    """
    # The cells are the kinds of verbs, over all contexts as one group.
    every_context = np.zeros(len(data.contexts), int)
    rows = movement_rows(data, [], every_context)
    kinds = verb_kinds(data.lemmas)
    names = [kind for kind in KIND_NAMES if kind in set(kinds)]
    codes = np.array([names.index(kind) for kind in kinds])
    cells = VerbCells(rows, codes, len(names), data.lemmas["lemma"].to_numpy())
    if not cells.groups:
        return None
    sensitivity = cells.groups[0].scores.sensitivity
    table = pd.DataFrame({"verbs": [KIND_NAMES[name] for name in names]})
    for metric in OF_CELLS.values():
        table[metric.name] = [cells.value(metric, cell) for cell in table.index]
        samples = cells.samples(metric, table.index, ("subjects", "verbs"))
        for cell, sample in samples.items():
            interval = combine([sample], [1.0], bounds=score_range(metric.name))
            table.loc[cell, [f"{metric.name}_low", f"{metric.name}_high"]] = interval[1:3]
    table["moving"] = [int((sensitivity[codes == cell] > 0).sum()) for cell in table.index]
    table["lemmas"] = np.bincount(codes)
    return table


def least_moving(data: EvaluationData) -> str:
    """How many verbs move the right way, and the `LEAST` that move least, in a line."""
    verbs = verb_table(data).sort_values("sensitivity", kind="stable")
    moving = int((verbs["sensitivity"] > 0).sum())
    named = []
    for verb in verbs.head(LEAST).itertuples():
        named.append(f"{verb.singular}/{verb.plural} {verb.sensitivity:.2f}")
    listed = ", ".join(named)
    return f"{moving:,} of {len(verbs):,} verbs move the right way; least (nats): {listed}"


def verb_kinds(lemmas: pd.DataFrame) -> np.ndarray:
    """The kind of each verb of a list: `NOUN`, `NEVER`, or "" where the list does not say."""
    if "noun" not in lemmas:
        return np.full(len(lemmas), "", dtype=object)
    return np.where(lemmas["noun"], NOUN, NEVER)


def _factors(data: EvaluationData, by: str | Sequence[str]) -> list[str]:
    """The columns of contexts that divide them. Raises InputError for one of the verb list."""
    if not by:
        return []
    factors = find_factors(factor_names(by), data.contexts, data.lemmas)
    if factors.of_verbs:
        raise InputError(
            f"{factors.of_verbs[0]} is a column of the verb list, and every verb has a row of its "
            "own; name columns of the contexts"
        )
    return factors.of_contexts


def _verb_cells(data: EvaluationData, factors: Sequence[str], groups: np.ndarray) -> VerbCells:
    """The verbs in groups of contexts, each verb in the one group of verbs. Raises InputError."""
    rows = movement_rows(data, factors, groups)
    if rows is None:
        raise InputError(
            "what single verbs do in these contexts was not kept; evaluate with detail='forms'"
        )
    count = len(data.lemmas)
    return VerbCells(rows, np.zeros(count, int), 1, data.lemmas["lemma"].to_numpy())


def _scores(cells: VerbCells, group: int, count: int) -> VerbScores:
    """The scores of a group's verbs, NaN where its contexts are of one number."""
    if group in cells.groups:
        return cells.groups[group].scores
    return VerbScores(*np.full((len(VerbScores._fields), count), np.nan))
