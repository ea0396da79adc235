"""The scores of an evaluation in cells: by any factor of its contexts and any column of its verb list.

A column of the lemma list divides the verbs, any other one the contexts (`Evaluation.table`). EW and MW of a group of
verbs are computed in each context over that group alone, TSE over the pairs whose own verb is in it, by its two forms.

**Number sensitivity** (NS) is the share of verbs that react to the subject's number. With c_s and c_p two contexts that
differ in it alone (twins), and v_s and v_p a lemma's two forms, the lemma's shift (in nats) is

    log P(v_s | c_s) / P(v_p | c_s)  -  log P(v_s | c_p) / P(v_p | c_p),

and NS is the share of twins and lemmas whose shift is above 0. A constant preference for one form, whether for the
shorter word or because the base form is also a noun, cancels in the difference; a model whose preferences have nothing
to do with the subject scores 0.5 on average. It is the interaction of SyntaxGym's 2 x 2 designs (Gauthier et al. 2020).
EW is stricter: each of the two log-odds must lie on its side of 0; so NS is 1 where EW is 1. Contexts without a twin
are left out, and so are twins that a division splits (by the length of the subject, say), unless a cell is of one
number. A cell without twins is NaN.

Each cell has a number: all rows of contexts, pairs and values are labelled with it, and grouped by it.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

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
          "model", "data", "context", "pair", "row", "metric", "score", "low", "high", "method", "clusters", "n",
          "within_noise", "log_probability_correct", "log_probability_wrong"}  # fmt: skip
_OF_CONTEXTS = ("construction", "subject", "left", "right", "number", "correct", "wrong", "twin")
_OF_BOTH = {"lemma", "noun"}  # dividing by one of these means the verb list's


class Cells:
    """The scores of an evaluation in cells. Parameters and errors are those of `Evaluation.table`.

    Attributes
    ----------
    labels : a row for each cell, in the order of tables and under its number: the columns that divide
    by_verbs, lemmas : whether the verbs are divided; how many there are in each cell, by its number
    contexts : a row for each context and group of verbs: cell, context, has_twin (in the same cell), split (its twin is
        in another cell), every metric of contexts
    pairs : those of the evaluation whose verb is in a group, with their cell
    metrics : those that there are, in the order of tables
    """

    def __init__(self, found: "Evaluation", by: str | Sequence[str] = "construction"):
        of_contexts, of_verbs = divisions(by, found.contexts, found.lemmas)
        self.found, self.by_verbs = found, bool(of_verbs)
        group, contexts = _groups(found.contexts, of_contexts)
        self._of_verb, verbs = _groups(found.lemmas, of_verbs, sort=True)
        self._of_context = group * len(verbs)  # the number of a cell is the sum of that of a context and of a verb
        labels = contexts.merge(verbs, how="cross")[factor_names(by)]
        self.labels = labels.iloc[np.lexsort([pd.factorize(labels[name])[0] for name in reversed(list(labels))])]
        self.lemmas = np.tile(np.bincount(self._of_verb), len(contexts))
        twins, either = twin_of(found.contexts), _groups(found.contexts, [n for n in of_contexts if n != "number"])[0]
        self._twins = np.where((twins >= 0) & (either[twins] == either), twins, -1)
        context = np.arange(len(twins))[:, None]
        rows: dict[str, np.ndarray] = {"cell": self._of_context[context] + np.arange(len(verbs)), "context": context}
        rows |= {"has_twin": (self._twins >= 0)[:, None], "split": (self._twins != twins)[:, None]}
        rows |= self._scores(with_twins=found.form_arrays is not None and bool((twins >= 0).any()))
        self.contexts = pd.DataFrame({n: np.broadcast_to(of, rows["cell"].shape).ravel() for n, of in rows.items()})
        self.metrics = [metric for metric in TABLE_ORDER if metric in rows or metric in OF_PAIRS]
        verb = verb_rows(found.pairs, found.lemmas) if of_verbs else np.zeros(len(found.pairs), int)
        pairs, verb = found.pairs[verb >= 0], verb[verb >= 0]
        self.pairs = pairs.assign(cell=self._of_context[pairs["context"]] + self._of_verb[verb])

    def samples(self, metric: str, over: Sequence[str]) -> dict[int, Sample]:
        """The values of a metric in each cell with their clusters; none where they cannot be sampled so.

        Raises InputError: an unknown metric or way of sampling, or none; verbs are to be sampled and none were kept.
        """
        check_known("metric", metric, [*METRICS, MARGIN, NS, SHIFT])
        for way in over or [""]:
            check_known("way of sampling", way, WAYS)
        samples = {}
        for cell, rows in self._values(metric, over).groupby("cell", sort=False):
            one_verb = metric not in OF_PAIRS and len(over) > 1 and rows["verbs"].nunique() == 1
            ways = [rows["subjects" if one_verb else way].to_numpy() for way in over]
            samples[cell] = Sample(rows["value"].to_numpy(float), ways, rows["count"].to_numpy())
        return samples

    def intervals(self, metric: str, over: Sequence[str]) -> pd.DataFrame:
        """score, low, high, method, clusters and n of a metric, in the cells where it is defined, by their numbers."""
        rows = {}
        for cell, sample in self.samples(metric, over).items():
            if count := int(sample.counts[~np.isnan(sample.values)].sum()):
                rows[cell] = *combine([sample], [1.0], bounds=score_limits(metric))[:5], count
        columns = ["score", "low", "high", "method", "clusters", "n"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns)

    def _scores(self, with_twins: bool) -> dict[str, np.ndarray]:
        """Every metric of contexts (contexts, groups of verbs), over the verbs of each group."""
        found, inside = self.found, pd.get_dummies(self._of_verb).to_numpy(float)
        scores = {name: found.contexts[name.lower()].to_numpy()[:, None] for name in (*OF_CONTEXTS, MARGIN)}
        if self.by_verbs:
            both = [np.exp(found.log_probabilities(form)) for form in ("singular", "plural")]
            correct, wrong = np.where(found.plural, both[::-1], both)
            forms = Forms(correct, wrong, self._of_verbs("EW").to_numpy())
            for metric in OF_CONTEXTS.values():
                scores[metric.name] = metric.numerator(forms) @ inside / (metric.denominator(forms) @ inside)
        for name in [MARGIN] * self.by_verbs + [NS, SHIFT] * with_twins:
            means = self._of_verbs(name) @ inside / inside.sum(axis=0)
            scores[name] = means.reindex(range(len(self._twins))).to_numpy()
        return scores

    def _of_verbs(self, metric: str) -> pd.DataFrame:
        """A metric that is a mean over verbs, taken apart: contexts (of NS and shift those with a twin) x verbs."""
        between = metric in (NS, SHIFT)
        rows = np.flatnonzero(self._twins >= 0) if between else np.arange(len(self._twins))
        odds = self.found.log_odds.astype(float)
        values = odds[rows] - odds[self._twins[rows]] if between else odds
        values = np.where(self.found.plural[rows], -values, values)  # of the correct form, or by how much it rises
        return pd.DataFrame(values if metric in (MARGIN, SHIFT) else (values > 0).astype(float), rows)

    def _values(self, metric: str, over: Sequence[str]) -> pd.DataFrame:
        """Values whose mean is the score: cell, value, subjects, verbs (where these are sampled), count of each."""
        found = self.found
        if metric in OF_PAIRS:
            values = self.pairs.assign(value=self.pairs[OF_PAIRS[metric].column], verbs=self.pairs["lemma"], count=1)
            return values.assign(subjects=found.subjects[values["context"]])
        if metric not in self.contexts:
            return pd.DataFrame({"cell": []})
        if "verbs" not in over:
            values = self.contexts.assign(value=self.contexts[metric], count=1)
            return values.assign(subjects=found.subjects[values["context"]])
        if found.form_arrays is not None and metric in OVER_VERBS:
            values = self._of_verbs(metric)
            groups = values.groupby([self._of_context[values.index], found.subjects[values.index]])
            values = groups.mean().melt(var_name="verb", ignore_index=False).reset_index(names=["cell", "subjects"])
            verb, count = values["verb"].to_numpy(int), np.tile(groups.size(), len(found.lemmas))
            verbs = found.lemmas["lemma"].to_numpy()[verb]
            return values.assign(cell=values["cell"] + self._of_verb[verb], verbs=verbs, count=count)
        if list(self.labels) != ["construction"]:
            found.log_odds  # noqa: B018  (raises where no forms were kept)
            return pd.DataFrame({"cell": []})
        values = self._lemma_scores
        cells = {construction: cell for cell, construction in self.labels["construction"].items()}
        values = values.assign(value=values[metric.lower()], cell=values["construction"].map(cells))
        return values.rename(columns={"lemma": "verbs", "contexts": "count"})

    @cached_property
    def _lemma_scores(self) -> pd.DataFrame:
        table = lemma_scores(self.found.by_lemma)
        return table.assign(subjects=subject_clusters(table))


def clustered(found: "Evaluation", metric: str, over: Sequence[str] = ("subjects",)) -> dict[str, Sample]:
    """`Cells.samples` of a metric in every construction; the mean of each is the score."""
    cells = Cells(found)
    return {cells.labels["construction"][cell]: sample for cell, sample in cells.samples(metric, over).items()}


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
    twins, pair = np.full(len(contexts), -1), ["construction", "twin"]
    if "twin" in contexts:
        rows = contexts[contexts["twin"] != ""].sort_values(["left", "right"]).drop_duplicates([*pair, "number"])
        rows = rows[[*pair, "number"]].reset_index(names="row")
        both = rows.merge(rows, on=pair, suffixes=("", "_twin")).query("number != number_twin")
        twins[both["row"]] = both["row_twin"]
    return twins


def _groups(table: pd.DataFrame, columns: list[str], sort: bool = False) -> tuple[np.ndarray, pd.DataFrame]:
    """The group of each row by these columns, and the groups' labels; in the order of the rows, or of the labels."""
    if not columns:
        return np.zeros(len(table), int), pd.DataFrame(index=[0])
    groups = table.groupby(columns, sort=sort, dropna=False, observed=True)
    labels = groups.size().index.to_frame(index=False).astype(object)
    return groups.ngroup().to_numpy(), labels.where(labels.notna() & (labels != ""), NONE).infer_objects()
