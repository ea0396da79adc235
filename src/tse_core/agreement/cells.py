"""The scores of an evaluation in cells: by any factor of its contexts and any column of its verb list.

A column of the lemma list (noun, band, tokens, lemma) divides the verbs, any other one (construction, adverb, number,
attractor) divides the contexts. EW and MW of a group of verbs are computed in each context over that group alone, and
TSE over the pairs whose own verb is in it, by its two forms. Twins with only one context in a cell are left out of it.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tse_core.agreement.divisions import NONE, among, divisions, factor_names, verb_rows
from tse_core.datasets.plain_text import is_text
from tse_core.metrics.table import METRICS, NS, OF_CONTEXTS, OF_PAIRS, Forms, higher_after_singular, score_columns

if TYPE_CHECKING:
    from tse_core.agreement.evaluation import Evaluation

TABLE_ORDER = (*reversed(METRICS), NS)  # MW, EW, TSE, as in Table 2, then NS


def cell_table(
    found: "Evaluation", by: str | Sequence[str], lemmas: Collection[str] | None = None, intervals: bool = False
) -> pd.DataFrame:
    """See `Evaluation.table`."""
    by = factor_names(by)
    meant, of_lemmas = divisions(by, found.contexts, found.lemmas)
    of_contexts = list(meant)
    contexts = found.contexts.assign(**{name: found.contexts[column] for name, column in meant.items()})
    contexts[of_contexts] = contexts[of_contexts].replace("", NONE)
    tables = []
    for labels, members in _verb_groups(found, of_lemmas, lemmas):
        scored = contexts.assign(**context_scores(found, members))
        cells = _cells(found, scored, of_contexts, members, intervals)
        tables.append(cells.assign(**dict(zip(of_lemmas, labels, strict=True))))
    table = pd.concat(tables, ignore_index=True)
    order = {name: pd.factorize(table[name], sort=name in of_lemmas)[0] for name in by}
    table = table.iloc[np.lexsort([*reversed(order.values())])].reset_index(drop=True)
    missing = {name: table[name].astype(object).fillna(NONE) for name in of_lemmas if table[name].isna().any()}
    return table.assign(**missing)[[*by, *table.columns.drop(by)]]


def context_scores(found: "Evaluation", members: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Every metric of contexts and NS, in each context over the lemmas numbered `members` (None: all).

    NS is NaN in a context without a twin, and left out where no context has one or no forms were kept.
    """
    scores = {} if members is None else _over(found, members)
    if found.forms is None or not len(twins := twin_rows(found.contexts)):
        return scores
    odds = found.log_odds if members is None else found.log_odds[:, members]
    scores["ns"] = np.full(len(odds), np.nan)
    scores["ns"][twins] = higher_after_singular(*odds[twins.T]).mean(axis=1)[:, None]
    return scores


def twin_rows(contexts: pd.DataFrame) -> np.ndarray:
    """The rows (twins, 2) of the contexts that differ in the subject's number alone: [singular, plural].

    They share a construction and a label in the column ``twin``; if several do, the first of each number in the order
    of their text is taken.
    """
    if "twin" not in contexts:
        return np.empty((0, 2), dtype=np.int64)
    labelled = contexts.reset_index(drop=True)
    labelled = labelled[labelled["twin"] != ""].reset_index(names="row")
    labelled = labelled.sort_values([*(name for name in ("left", "right") if name in labelled), "row"])
    first = labelled.drop_duplicates(["construction", "twin", "number"]).pivot(
        index=["construction", "twin"], columns="number", values="row"
    )
    both = first.reindex(columns=["singular", "plural"]).dropna().to_numpy(dtype=np.int64)
    return both[np.argsort(both[:, 0])]


def decisions(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that TSE scores, one for each distinct decision (same context and same two forms)."""
    return pairs[pairs["tse"].notna()].drop_duplicates(["context", "correct", "wrong"])


def _verb_groups(found: "Evaluation", columns: list[str], lemmas: Collection[str] | None):
    """The labels of each group of verbs and their places in the list of lemmas (None: all of them)."""
    if not columns and lemmas is None:
        return [((), None)]
    chosen = found.lemmas if lemmas is None else found.lemmas[among(found.lemmas["lemma"], lemmas)]
    if not columns:
        return [((), chosen.index.to_numpy())]
    texts = [name for name in columns if is_text(chosen[name])]
    groups = chosen.assign(**chosen[texts].replace("", NONE)).groupby(columns, sort=True, dropna=False)
    return [(labels, rows.index.to_numpy()) for labels, rows in groups]


def _over(found: "Evaluation", members: np.ndarray) -> dict[str, np.ndarray]:
    odds = found.log_odds[:, members]
    plural = (found.contexts["number"] == "plural").to_numpy()[:, None]
    singular_form, plural_form = (np.exp(found.log_probabilities(form)[:, members]) for form in ("singular", "plural"))
    forms = Forms(
        np.where(plural, plural_form, singular_form),
        np.where(plural, singular_form, plural_form),
        np.where(plural, odds < 0, odds > 0).astype(float),
    )
    return {m.column: m.part(forms).sum(axis=1) / m.whole(forms).sum(axis=1) for m in OF_CONTEXTS.values()}


def _cells(found, contexts: pd.DataFrame, by: list[str], members, intervals: bool) -> pd.DataFrame:
    """One group of verbs in each cell of the contexts."""
    asked = found.pairs if members is None else found.pairs[verb_rows(found.pairs, found.lemmas).isin(members)]
    keys = by or [""]
    contexts = contexts if by else contexts.assign(**{"": ""})
    contexts, twins = _with_whole_twins(contexts, keys)
    asked = asked[["context", "noun", "left", "correct", "wrong", "lemma", *(m.column for m in OF_PAIRS.values())]]
    asked = asked.join(contexts[[key for key in keys if key not in asked]], on="context")
    once = decisions(asked)
    of = {"context": contexts.groupby(keys, sort=False), "pair": asked.groupby(keys, sort=False)}
    columns = score_columns()
    units = {name: "pair" if name in OF_PAIRS else "context" for name in TABLE_ORDER}
    units = {name: unit for name, unit in units.items() if unit == "pair" or columns[name] in contexts}
    means = {name: of[unit][columns[name]].mean() for name, unit in units.items()}
    table = pd.DataFrame(means, index=of["context"].size().index)  # some cells may have no pairs
    table["lemmas"] = len(found.lemmas if members is None else members)
    table["contexts"] = of["context"].size()
    if "ns" in contexts:
        table["twins"] = of["context"]["ns"].count() // (1 if "number" in by else 2)
        table["split_twins"] = of["context"]["split"].sum()
    table["pairs"] = of["pair"]["tse"].count()
    table["unscored"] = of["pair"]["tse"].size() - table["pairs"]
    scored = once.groupby(keys, sort=False)
    table["verbs"], table["decisions"] = scored["lemma"].nunique(), scored.size()
    table["TSE_decisions"] = scored["tse"].mean()
    of_pairs = ["pairs", "unscored", "verbs", "decisions"]
    table[of_pairs] = table[of_pairs].fillna(0).astype(int)
    if intervals:
        from tse_core.agreement import cell_intervals  # imported only when needed

        if members is None:
            bounds = cell_intervals.of_subjects(contexts, asked, keys, units)
        else:
            bounds = cell_intervals.of_subjects_and_verbs(found, contexts, keys, members, twins)
        table = table.join(bounds)
    table = table.reset_index()
    return table if by else table.drop(columns="")


def _with_whole_twins(contexts: pd.DataFrame, keys: list[str]) -> tuple[pd.DataFrame, np.ndarray]:
    """The contexts, with twins in different cells marked as split and their scores removed; and the whole twins.

    Twins differ in their number, so a cell of one number has one context of each of its twins.
    """
    twins = twin_rows(contexts)
    cells = contexts.assign(all="").groupby(["all", *(key for key in keys if key != "number")], sort=False).ngroup()
    whole = np.equal(*cells.to_numpy()[twins.T])
    split = contexts.index.isin(twins[~whole].ravel())
    sensitivity = {"ns": contexts["ns"].mask(split)} if "ns" in contexts else {}
    return contexts.assign(split=split, **sensitivity), twins[whole]
