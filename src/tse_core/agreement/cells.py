"""The scores of an evaluation in cells: by any factor of its contexts and any column of its verb list.

A column of the lemma list (noun, band, tokens, lemma) divides the verbs, any other one (construction, adverb, number,
attractor) the contexts. EW and MW of a group of verbs are computed in each context over that group alone, TSE over the
pairs whose own verb is in it, by its two forms.

**Number sensitivity** (NS) is the share of verbs that react to the subject's number. With c_s and c_p two contexts that
differ in it alone (twins), and v_s and v_p a lemma's two forms, the lemma's shift (in nats) is

    log P(v_s | c_s) / P(v_p | c_s)  -  log P(v_s | c_p) / P(v_p | c_p),

and NS is the share of twins and lemmas whose shift is above 0. A constant preference for one form, whether for the
shorter word or because the base form is also a noun, cancels in the difference; a model that does not see the subject
scores 0.5. It is the interaction of SyntaxGym's 2 x 2 designs (Gauthier et al. 2020). EW is stricter: each of the two
log-odds must lie on its side of 0; so NS is 1 where EW is 1. Contexts without a twin are left out, and so are twins
that a division splits (by the length of the subject, say), unless a cell is of one number. A cell without twins is NaN.

To sample verbs beside subjects, EW and MW of a context, means over its verbs, are taken apart into one value for each
verb, whose mean is the score again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from tse_core.errors import InputError, check_known, unknown_name_error
from tse_core.metrics.table import MARGIN, METRICS, NS, OF_CONTEXTS, OF_PAIRS, SHIFT, Forms
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine
from tse_core.uncertainty.tables import subject_clusters

if TYPE_CHECKING:
    from tse_core.agreement.evaluation import Evaluation

NONE = "none"  # the label where the data give no value
TABLE_ORDER = (*reversed(METRICS), MARGIN, NS, SHIFT)  # MW, EW, TSE, as in Table 2, then the others
COUNTS = ("lemmas", "contexts", "twins", "split_twins", "pairs", "unscored", "verbs", "items")
OVER_VERBS = ("EW", MARGIN, NS, SHIFT)  # means over verbs; MW is a ratio of sums
WAYS = ("subjects", "verbs")  # what can be sampled
UNBOUNDED = (-np.inf, np.inf)
_SCORES = [name.lower() for name in TABLE_ORDER]
_TAKEN = {*COUNTS, *_SCORES, *(f"{name}_{end}" for name in _SCORES for end in ("low", "high", "items")), "tokens",
          "context", "pair", "row", "metric", "score", "low", "high", "method", "clusters", "n", "within_noise",
          "log_probability_correct", "log_probability_wrong"}  # fmt: skip
_OF_CONTEXTS = ("construction", "subject", "left", "right", "number", "correct", "wrong", "twin")
_OF_BOTH = {"lemma", "noun"}  # dividing by one of these means the verb list's


class Cell(NamedTuple):
    """Some contexts of an evaluation, their pairs, and some of its verbs."""

    labels: dict[str, Any]  # of each column that divides
    scores: pd.DataFrame  # a row for each context, under its number: every metric of contexts
    pairs: pd.DataFrame  # those of these contexts and verbs
    verbs: np.ndarray | None  # rows of `Evaluation.lemmas`; None: all, as scored
    twins: pd.Series | None  # of each context its twin, -1 where there is none in the cell
    split: int  # contexts whose twin is in another cell

    @property
    def metrics(self) -> list[str]:
        """The metrics that it has, in the order of tables."""
        return [metric for metric in TABLE_ORDER if metric in self.scores or metric in OF_PAIRS]


def cells(found: "Evaluation", by: str | Sequence[str]) -> Iterator[Cell]:
    """The cells of an evaluation. Parameters and errors are those of `Evaluation.table`."""
    of_contexts, of_lemmas = divisions(by, found.contexts, found.lemmas)
    levels = found.contexts[of_contexts].replace("", NONE).assign(all="")
    twins, inside = twin_of(found.contexts), None
    if found.form_arrays is not None and (twins >= 0).any():
        either = levels.drop(columns="number", errors="ignore")
        cell = either.groupby(list(either), sort=False).ngroup().to_numpy()
        inside = pd.Series(np.where((twins >= 0) & (cell[twins] == cell), twins, -1))
    for verb_labels, verbs in _verb_groups(found.lemmas, of_lemmas):
        scores, pairs = _context_scores(found, verbs, inside), found.pairs
        if verbs is not None:
            pairs = pairs[verb_rows(pairs, found.lemmas).isin(verbs)]
        for label, part in levels.groupby(list(levels), sort=False):
            rows = part.index
            labels = dict(zip([*of_contexts, *of_lemmas], [*label[:-1], *verb_labels], strict=True))
            own = None if inside is None else inside[rows]
            split = 0 if own is None else int((twins[rows] != own).sum())
            yield Cell(labels, scores.loc[rows], pairs[pairs["context"].isin(rows)], verbs, own, split)


def in_order(table: pd.DataFrame, by: str | Sequence[str]) -> pd.DataFrame:
    """The rows of cells by the columns that divide, the levels of each in the order in which they come."""
    names = factor_names(by)
    order = [pd.factorize(table[name])[0] for name in reversed(names)]
    return table.iloc[np.lexsort(order)][[*names, *table.columns.drop(names)]].reset_index(drop=True)


def interval_of(found: "Evaluation", cell: Cell, metric: str, over: Sequence[str]) -> dict[str, Any] | None:
    """score, low, high, method, clusters and n of a metric in a cell; None where no value is defined."""
    made = sample(found, cell, metric, over)
    if made is None or np.isnan(made.values).all():
        return None
    score, low, high, method, clusters, *_ = combine([made], [1.0], bounds=score_limits(metric))
    count = int(np.sum(~np.isnan(made.values)))
    return {"score": score, "low": low, "high": high, "method": method, "clusters": clusters, "n": count}


def sample(found: "Evaluation", cell: Cell, metric: str, over: Sequence[str]) -> Sample | None:
    """The values of a metric in a cell with their clusters; None where it has none that can be sampled so.

    Raises InputError where verbs are to be sampled and none were kept.
    """
    if metric in OF_PAIRS:
        of_way = {"subjects": found.subjects[cell.pairs["context"]], "verbs": cell.pairs["lemma"].to_numpy()}
        return Sample(cell.pairs[OF_PAIRS[metric].column].to_numpy(float), [of_way[way] for way in over])
    if metric not in cell.scores:
        return None
    if "verbs" not in over:
        return Sample(cell.scores[metric].to_numpy(), [found.subjects[cell.scores.index]])
    if found.form_arrays is not None and metric in OVER_VERBS:
        return _verb_sample(found, cell, metric, over)
    if cell.verbs is not None or list(cell.labels) != ["construction"]:
        found.log_odds  # noqa: B018  (raises where no forms were kept)
        return None
    by_lemma = require_lemmas(found.by_lemma)
    table = lemma_scores(by_lemma[by_lemma["construction"] == cell.labels["construction"]])
    of_way = {"subjects": subject_clusters(table), "verbs": table["lemma"].to_numpy()}
    return Sample(table[metric.lower()].to_numpy(), [of_way[way] for way in over], table["contexts"].to_numpy())


def clustered(found: "Evaluation", metric: str, over: Sequence[str] = ("subjects",)) -> dict[str, Sample]:
    """A metric in every construction: a Sample, whose mean is the score. `over` is that of `Evaluation.intervals`.

    Raises InputError: an unknown metric or way of sampling; verbs of an evaluation that kept none.
    """
    check_known("metric", metric, [*METRICS, MARGIN, NS, SHIFT])
    check_ways(over)
    samples = {cell.labels["construction"]: sample(found, cell, metric, over) for cell in cells(found, "construction")}
    return {construction: made for construction, made in samples.items() if made is not None}


def check_ways(over: Sequence[str]) -> None:
    """Raises InputError for an unknown way of sampling, or none."""
    for way in over or [""]:
        check_known("way of sampling", way, WAYS)


def score_limits(metric: str) -> tuple[float, float]:
    """The lowest and the highest score of a metric, the limits of its intervals."""
    return METRICS[metric].range if metric in METRICS else (0.0, 1.0) if metric == NS else UNBOUNDED


def lemma_scores(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    """Every metric of contexts, taken apart into a value for each subject, number and lemma of `Evaluation.by_lemma`.

    For contexts in which the numerators and denominators of a metric sum to P and W over L lemmas, a lemma with p and w
    has the value P/W + L (p - w P/W) / W: the mean over the lemmas is the score P/W, and what a lemma adds to it is
    what it adds to the score of another sample of lemmas, up to first order. For EW it is the lemma's own share.

    Returns a table: construction, subject, noun, left (where the subject is not known), number, lemma, contexts (how
    many), each metric and the margin. Raises InputError where no lemmas were kept.
    """
    by_lemma = require_lemmas(by_lemma)
    forms = forms_of(by_lemma)
    groups = by_lemma.groupby(["construction", "subject", "number"], sort=False).ngroup()
    size = groups.map(groups.value_counts())
    scores = {}
    for metric in OF_CONTEXTS.values():
        numerator, denominator = metric.numerator(forms), metric.denominator(forms)
        whole = denominator.groupby(groups).transform("sum")
        score = numerator.groupby(groups).transform("sum") / whole
        scores[metric.column] = score + size * (numerator - denominator * score) / whole
    named = ["construction", "subject", "noun", "number", "lemma", "contexts", MARGIN]
    return by_lemma[named].assign(left=by_lemma["subject"], **scores)


def require_lemmas(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    """`Evaluation.by_lemma`, where it was kept. Raises InputError."""
    if by_lemma is None:
        raise InputError("the evaluation was made without its lemmas; use detail='lemmas'")
    return by_lemma


def forms_of(rows: pd.DataFrame) -> Forms:
    """What the metrics are computed from, of rows of `Evaluation.by_lemma`."""
    return Forms(rows["probability_correct"], rows["probability_wrong"], rows["correct"] / rows["contexts"])


def factor_names(by: str | Sequence[str]) -> list[str]:
    """The names of columns in a text with commas between them, or in a list.

    >>> factor_names("noun, adverb")
    ['noun', 'adverb']
    """
    return [name.strip() for name in by.split(",")] if isinstance(by, str) else list(by)


def divisions(by: str | Sequence[str], contexts: pd.DataFrame, lemmas: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The columns that divide the contexts, and those that divide the verbs.

    Raises InputError: no such column; a name twice, or none.
    """
    names = factor_names(by)
    if len(set(names)) < len(names) or names in ([], [""]):
        raise InputError(f"the columns to divide by are {', '.join(names) or 'none'}; name at least one, each once")
    factors = [name for name in contexts if name not in _OF_BOTH and name.lower() not in _TAKEN]
    for name in names:
        if name not in lemmas and name not in factors:
            hint = "; the data set marvin-linzen-adverbs has it" if name == "adverb" else ""
            raise unknown_name_error("column to divide by", name, [*lemmas, *factors], hint)
    return [name for name in names if name not in lemmas], [name for name in names if name in lemmas]


def refuse_taken_names(pairs: Iterable[str], lemmas: Iterable[str]) -> None:
    """Raises InputError for a column of the pairs or of the verb list that results have, or that both have."""
    pairs, lemmas = list(pairs), list(lemmas)
    for who, columns, more in (("pairs have", pairs, ()), ("verb list has", lemmas, _OF_CONTEXTS)):
        for name in columns:
            if name.lower() in _TAKEN or name in more:
                raise InputError(f"the {who} a column {name!r}, which results have too; give it another name")
    if both := set(pairs) & set(lemmas) - _OF_BOTH:
        raise InputError(f"the pairs and the verb list both have a column {min(both)!r}; give one another name")


def verb_rows(pairs: pd.DataFrame, lemmas: pd.DataFrame) -> pd.Series:
    """The verb-list row of each pair's verb: the one with its two forms (a list may have realises and realizes), else
    the first of its lemma (isn't goes with be); -1 if none."""
    row: dict = {}
    listed = lemmas[["lemma", "singular", "plural"]].itertuples(index=False)
    for number, (lemma, *forms) in reversed(list(enumerate(listed))):
        row[lemma] = row[tuple(forms)] = row[tuple(reversed(forms))] = number
    found = [
        row.get((correct, wrong), row.get(lemma, -1))
        for correct, wrong, lemma in zip(pairs["correct"], pairs["wrong"], pairs["lemma"], strict=True)
    ]
    return pd.Series(found, index=pairs.index, dtype="int64")


def twin_of(contexts: pd.DataFrame) -> np.ndarray:
    """The row of each context's twin, which shares its construction and its label in the column ``twin`` and has the
    other number, the first in the order of their text; -1 where there is none."""
    twins = np.full(len(contexts), -1)
    if "twin" in contexts:
        labelled = contexts.assign(row=range(len(contexts)))[(contexts["twin"] != "").to_numpy()]
        labelled = labelled.sort_values([name for name in ("left", "right", "row") if name in labelled])
        pair = ["construction", "twin"]
        rows = labelled.drop_duplicates([*pair, "number"]).pivot(index=pair, columns="number", values="row")
        singular, plural = rows.reindex(columns=["singular", "plural"]).dropna().to_numpy(dtype=int).T
        twins[singular], twins[plural] = plural, singular
    return twins


def _verb_groups(counted: pd.DataFrame, columns: list[str]) -> Iterator[tuple[tuple, np.ndarray | None]]:
    """The labels of each group of verbs and their rows in the list of lemmas (None: all of them)."""
    if not columns:
        yield (), None
        return
    for labels, rows in counted.groupby(columns, sort=True, dropna=False, observed=True):
        yield tuple(NONE if label == "" or pd.isna(label) else label for label in labels), rows.index.to_numpy()


def _context_scores(found: "Evaluation", verbs: np.ndarray | None, twins: pd.Series | None) -> pd.DataFrame:
    """Every metric of contexts in each context, over some lemmas (None: all); NS and shift where there are twins."""
    if verbs is None:
        scores = {name: found.contexts[name.lower()] for name in (*OF_CONTEXTS, MARGIN)}
    else:
        odds = found.log_odds[:, verbs]
        forms = [np.exp(found.log_probabilities(form)[:, verbs]) for form in ("singular", "plural")]
        correct, wrong = (np.where(found.plural, *order) for order in (forms[::-1], forms))
        of_verbs = Forms(correct, wrong, np.where(found.plural, odds < 0, odds > 0).astype(float))
        scores = {
            metric.name: metric.numerator(of_verbs).sum(axis=1) / metric.denominator(of_verbs).sum(axis=1)
            for metric in OF_CONTEXTS.values()
        }
        scores[MARGIN] = _verb_values(found, MARGIN, np.arange(len(odds)), verbs).mean(axis=1)
    table = pd.DataFrame(scores, index=found.contexts.index)
    if twins is not None:
        with_twin = twins[twins >= 0]
        for name in (NS, SHIFT):
            values = _verb_values(found, name, with_twin.index, verbs, with_twin).mean(axis=1)
            table[name] = pd.Series(values, with_twin.index)
    return table


def _verb_values(found: "Evaluation", metric: str, rows: np.ndarray, verbs: np.ndarray | None, twins=None):
    """A metric that is a mean over verbs, taken apart: its values (rows, verbs) in contexts, and their twins."""
    odds = found.log_odds if verbs is None else found.log_odds[:, verbs]
    values = odds[rows].astype(float)
    if metric in (NS, SHIFT):
        values -= odds[twins]
    values = np.where(found.plural[rows], -values, values)  # the log-odds of the correct form, or by how much they rise
    return values if metric in (MARGIN, SHIFT) else (values > 0).astype(float)


def _verb_sample(found: "Evaluation", cell: Cell, metric: str, over: Sequence[str]) -> Sample:
    """A value for each verb and subject: the mean over their contexts."""
    rows = cell.scores.index[cell.scores[metric].notna()] if metric in (NS, SHIFT) else cell.scores.index
    values = _verb_values(found, metric, rows, cell.verbs, None if cell.twins is None else cell.twins[rows])
    groups = found.subjects[rows] if "subjects" in over else np.zeros(len(rows), int)
    means, sizes = pd.DataFrame(values).groupby(groups).mean(), pd.Series(groups).value_counts(sort=False)
    lemmas = found.lemmas["lemma"].to_numpy() if cell.verbs is None else found.lemmas["lemma"].to_numpy()[cell.verbs]
    of_way = {"subjects": np.repeat(means.index, len(lemmas)), "verbs": np.tile(lemmas, len(means))}
    ways = [way for way in over if way != "verbs" or len(lemmas) > 1 or list(over) == ["verbs"]]
    counts = np.repeat(sizes[means.index].to_numpy(), len(lemmas))
    return Sample(means.to_numpy().ravel(), [of_way[way] for way in ways], counts)
