"""The scores of models on agreement pairs, with their tables, comparisons and files as methods."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Self

import pandas as pd

from tse_core.agreement import movement, tables
from tse_core.agreement.comparison import compare_evaluations, compare_metrics
from tse_core.agreement.data import EvaluationData
from tse_core.agreement.files import evaluation_fields, write_evaluation
from tse_core.errors import InputError
from tse_core.results.saved import Saved


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(EvaluationData):
    """The scores of one model: the data of `EvaluationData`, and its tables.

    It prints its scores and its signature, in a notebook as a table.
    """

    def __repr__(self) -> str:
        return f"{tables.score_line(self)} | {self.signature}"

    def _repr_html_(self) -> str:
        scores = tables.construction_scores(self).to_html(index=False, float_format="%.3f")
        return f"{scores}<p><code>{escape(str(self.signature))}</code></p>"

    def table(
        self, by: str | Sequence[str] = "construction", *, intervals: bool = False
    ) -> pd.DataFrame:
        """The scores in cells, by default the rows of Table 2.

        Raises InputError: no such column; forms are needed and were not kept.

        Parameters
        ----------
        by : names of columns, as a sequence or with commas between them
            Of the contexts (construction, number, adverb, attractor_number) or of the lemma list
            (noun, band, tokens, lemma; ``noun`` is the list's); these need detail "forms".
        intervals : bool
            Adds ``EW_low``, ``EW_high`` and so on, 95 %: over subject nouns; of a group of verbs
            over subject nouns and verbs, crossed (all but MW and TSE).

        Returns
        -------
        DataFrame, one row per cell:

        - the columns of `by`;
        - MW, EW and other metrics of contexts, means over unique contexts; TSE and other metrics of
          pairs, means over pairs; margin (nats); NS, where there are forms and twins
          (`tse_core.agreement.twins`);
        - sensitivity, spread, relative_spread, bias (nats), balanced_EW and other metrics of cells,
          of each verb's means (`tse_core.metrics.movement`); NaN where a cell has subjects of one
          number, and missing where all have, or where contexts are divided by other columns than
          construction and number and no forms were kept;
        - lemmas, contexts, twins (how many), split_twins (twins with one context in another cell:
          NS leaves them out), pairs (those that TSE counts), unscored (those that it does not),
          verbs (lemmas of TSE's pairs), items (distinct ones: the same context and the same two
          forms count once) and TSE_items, the mean over these.
        """
        return tables.score_table(self, by, intervals=intervals)

    def intervals(
        self, over: Sequence[str] = ("subjects",), by: str | Sequence[str] = "construction"
    ) -> pd.DataFrame:
        """95 % intervals of every metric in each cell, for other samples of what a claim is about.

        Parameters
        ----------
        over : what is sampled
            "subjects" by default: the scores of these verbs on other subjects. ("subjects",
            "verbs") crosses the two, for a claim about verbs at large; EW, MW and margin then need
            detail "lemmas", cells other than constructions detail "forms", and MW has none there.
        by : as in `table`

        Returns
        -------
        DataFrame with the columns of `by`, metric, score, low, high, method (or why there is no
        interval, such as that of a relative spread where the sensitivity may be 0), clusters, n
        (values that are defined).
        """
        return tables.interval_table(self, over, by)

    def verbs(self, by: str | Sequence[str] = ()) -> pd.DataFrame:
        """How far each verb moves with the subject's number, over all contexts or in cells of them.

        Raises InputError: no such column of contexts; it needs forms and they were not kept.

        Returns
        -------
        DataFrame, a row for each verb (and cell): the columns of `by`, lemma, singular, plural,
        kind ("noun": it is a noun, too; "never"; "" where the list does not say), sensitivity, bias
        (nats), EW, EW_singular and EW_plural (the share of contexts in which it is right; EW is the
        mean of the two), error (standard error of what the verb moves beyond the mean verb, nats)
        and contexts. Scores are NaN where there is no subject of either number.
        """
        return movement.verb_table(self, by)

    def curves(self, *, intervals: bool = False) -> pd.DataFrame:
        """Scores against cut-offs (Figures 1 to 4).

        Returns
        -------
        DataFrame with columns construction, metric ("EW", "MW"), side ("top", "bottom"), cutoff (a
        fraction), share ("of the distribution"; of whole words "of the list"), score (mean over the
        contexts with an eligible lemma), coverage (mean probability on the forms that counted),
        invalid (share of contexts without an eligible lemma), contexts; with `intervals` also low
        and high, 95 % clustered by noun.
        """
        return tables.curve_table(self, intervals=intervals)

    def tidy(self) -> pd.DataFrame:
        """Every number of this evaluation, one per row with its signature, as in result files.

        The columns are `TIDY_COLUMNS`: side and method are "" and cutoff is NaN for TSE; lemmas is
        how many counted.
        """
        return tables.tidy_table(self)

    def item_table(self) -> pd.DataFrame:
        """A row for each pair, as a mixed model takes them.

        Returns
        -------
        DataFrame with model, data, construction, id, subject, noun, number, lemma, correct and
        wrong (the two forms), tse (1.0, 0.0, NaN where a form could not be scored), margin (log
        P(correct) - log P(wrong), nats), then what else `pairs` has: attractors, both sides of the
        gap, columns of the data's own, context (a number that pairs of one context share).
        """
        return tables.item_table(self)

    def save(self, path: str | Path) -> None:
        """All of it in one .parquet file, which `tse_core.load_scores` reads.

        Raises InputError: another ending; the file cannot be written.
        """
        write_evaluation(self, self.tidy(), path)

    @classmethod
    def of_saved(cls, saved: Saved) -> Self:
        """The evaluation in a file of saved scores."""
        return cls(**evaluation_fields(saved))


class UnknownRunError(InputError, KeyError):
    """A key that `Evaluations` does not have."""

    def __str__(self) -> str:
        return str(InputError(*self.args))  # that of a KeyError would be in quotation marks


class Evaluations(Mapping[str | tuple[str, str], Evaluation]):
    """The evaluations of several models: a mapping from the names of models.

    With several data sets its keys are (model, data). Its tables are those of each `Evaluation`,
    which take the same arguments, one under the other, with a first column that names the model.
    Raises InputError where there is no evaluation.

    Attributes
    ----------
    runs : list of (name of the model, Evaluation), model by model, data in the order given
    """

    def __init__(self, runs: Iterable[tuple[str, Evaluation]]):
        self.runs = list(runs)
        if not self.runs:
            raise InputError("there is no evaluation; give at least one model and one data set")
        evaluations = [evaluation for _, evaluation in self.runs]
        self._by_key = dict(zip(_keys(self.runs), evaluations, strict=True))

    def __getitem__(self, key: str | tuple[str, str]) -> Evaluation:
        """The evaluation of a model, or of (model, data). Raises UnknownRunError."""
        if key not in self._by_key:
            keys = ", ".join(map(repr, self._by_key))
            raise UnknownRunError(f"no evaluation {key!r}; there is: {keys}")
        return self._by_key[key]

    def __iter__(self) -> Iterator[str | tuple[str, str]]:
        return iter(self._by_key)

    def __len__(self) -> int:
        return len(self._by_key)

    def __repr__(self) -> str:
        lines = [f"{_label(key)}: {evaluation!r}" for key, evaluation in self.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = []
        for key, evaluation in self.items():
            parts.append(f"<p>{escape(_label(key))}</p>{evaluation._repr_html_()}")
        return "".join(parts)

    @property
    def models(self) -> list[str]:
        """The models' names, in order."""
        return list(dict.fromkeys(model for model, _ in self.runs))

    def table(
        self, by: str | Sequence[str] = "construction", *, intervals: bool = False
    ) -> pd.DataFrame:
        """`Evaluation.table` of every model."""
        return self._joined(lambda evaluation: evaluation.table(by, intervals=intervals))

    def intervals(
        self, over: Sequence[str] = ("subjects",), by: str | Sequence[str] = "construction"
    ) -> pd.DataFrame:
        """`Evaluation.intervals` of every model."""
        return self._joined(lambda evaluation: evaluation.intervals(over, by))

    def verbs(self, by: str | Sequence[str] = ()) -> pd.DataFrame:
        """`Evaluation.verbs` of every model."""
        return self._joined(lambda evaluation: evaluation.verbs(by))

    def curves(self, *, intervals: bool = False) -> pd.DataFrame:
        """`Evaluation.curves` of every model."""
        return self._joined(lambda evaluation: evaluation.curves(intervals=intervals))

    def compare(
        self, first: str, second: str, *, over: Sequence[str] = ("subjects",)
    ) -> pd.DataFrame:
        """`compare_metrics` of every model; its p-values are corrected model by model."""
        return self._joined(
            lambda evaluation: compare_metrics(evaluation, first, second, over=over)
        )

    def compare_models(self, first: str, second: str) -> pd.DataFrame:
        """Two models as paired differences of every metric; see `compare_evaluations`.

        Models of different vocabularies can be compared if they were evaluated with
        ``shared=True``.
        """
        tables = []
        # The data sets stand in one order for every model.
        for one, other in zip(self._of(first), self._of(second), strict=True):
            tables.append(compare_evaluations(one, other).assign(data=one.signature.data_name))
        return pd.concat(tables, ignore_index=True)

    def tidy(self) -> pd.DataFrame:
        """Every number with its signature, as in result files."""
        return pd.concat([evaluation.tidy() for evaluation in self.values()], ignore_index=True)

    def item_table(self) -> pd.DataFrame:
        """`Evaluation.item_table` of every model; model is the name in this mapping."""
        parts = [evaluation.item_table().assign(model=model) for model, evaluation in self.runs]
        return pd.concat(parts, ignore_index=True)

    def _of(self, model: str) -> list[Evaluation]:
        if model not in self.models:
            raise UnknownRunError(
                f"no model {model!r} was evaluated; there is: {', '.join(self.models)}"
            )
        return [evaluation for name, evaluation in self.runs if name == model]

    def _joined(self, table_of: Callable[[Evaluation], pd.DataFrame]) -> pd.DataFrame:
        parts = [table_of(evaluation).assign(model=model) for model, evaluation in self.runs]
        joined = pd.concat(parts, ignore_index=True)
        return joined[["model", *joined.columns.drop("model")]]


def _keys(runs: Sequence[tuple[str, Evaluation]]) -> list[str | tuple[str, str]]:
    """The key of each run: its model, or model and data where there are several data sets.

    Data sets of one name are told apart by their hashes.
    """
    models = [model for model, _ in runs]
    # A model of which pairs were set aside has other data than the rest, but one data set as they.
    if len(models) == len(set(models)):
        return list(models)
    data_names = {}
    for _, evaluation in runs:
        data_names[evaluation.signature.identity["data"]] = evaluation.signature.data_name
    names = list(data_names.values())
    keys: list[str | tuple[str, str]] = []
    for model, evaluation in runs:
        data = evaluation.signature.data_name
        if names.count(data) > 1:
            data = evaluation.signature.identity["data"]
        keys.append((model, data))
    return keys


def _label(key: str | tuple[str, str]) -> str:
    return key if isinstance(key, str) else " on ".join(key)
