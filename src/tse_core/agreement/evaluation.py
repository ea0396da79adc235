"""The scores of models on agreement pairs, and what can be asked of them: tables in cells, intervals, curves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from tse_core.agreement import tables
from tse_core.agreement.comparison import compare_evaluations, compare_metrics
from tse_core.agreement.data import EvaluationData
from tse_core.errors import InputError


@dataclass(frozen=True, eq=False)
class Evaluation(EvaluationData):
    """The scores of one model: the data of `EvaluationData`, and its tables."""

    def table(self, by: str | Sequence[str] = "construction", *, intervals: bool = False) -> pd.DataFrame:
        """The scores in cells, by default the rows of Table 2.

        Raises InputError: no such column; forms are needed and were not kept.

        Parameters
        ----------
        by : names of columns, as a sequence or with commas between them
            Of the contexts (construction, number, adverb, attractor_number) or of the lemma list (noun, band, tokens,
            lemma; ``noun`` is the list's); these need detail "forms".
        intervals : bool
            Adds ``EW_low``, ``EW_high`` and so on, 95 %: over subject nouns; of a group of verbs over subject nouns and
            verbs, crossed (EW, margin, NS and shift alone).

        Returns
        -------
        DataFrame, one row per cell:

        - the columns of `by`;
        - MW, EW and other metrics of contexts, means over unique contexts; TSE and other metrics of pairs, means over
          pairs; margin (nats); NS and shift (nats), where there are forms and twins (`tse_core.agreement.twins`);
        - lemmas, contexts, twins (how many), split_twins (twins with one context in another cell: NS leaves them out),
          pairs (those that TSE counts), unscored (those that it does not), verbs (lemmas of TSE's pairs), items
          (distinct ones: the same context and the same two forms count once) and TSE_items, the mean over these.
        """
        return tables.score_table(self, by, intervals=intervals)

    def intervals(self, over: Sequence[str] = ("subjects",), by: str | Sequence[str] = "construction") -> pd.DataFrame:
        """95 % intervals of every metric in each cell, for other samples of what the claim is about.

        Parameters
        ----------
        over : what is sampled
            "subjects" by default: the scores of these verbs on other subjects. ("subjects", "verbs") crosses the two,
            for a claim about verbs at large; EW, MW and margin then need detail "lemmas", cells other than
            constructions detail "forms", and MW has none there.
        by : as in `table`

        Returns
        -------
        DataFrame with the columns of `by`, metric, score, low, high, method, clusters, n (values that are defined).
        """
        return tables.interval_table(self, over, by)

    def curves(self, *, intervals: bool = False) -> pd.DataFrame:
        """Scores against cut-offs (Figures 1 to 4).

        Returns
        -------
        DataFrame with columns construction, metric ("EW", "MW"), side ("top", "bottom"), cutoff (a fraction), share
        ("of the distribution"; of whole words "of the list"), score (mean over the contexts with an eligible lemma),
        coverage (mean probability on the forms that counted), invalid (share of contexts without an eligible lemma),
        contexts; with `intervals` also low and high, 95 % clustered by noun.
        """
        return tables.curve_table(self, intervals=intervals)

    def tidy(self) -> pd.DataFrame:
        """Every number of this evaluation, one per row with its signature, as in result files.

        The columns are `TIDY_COLUMNS`: side and method are "" and cutoff is NaN for TSE; lemmas is how many counted.
        """
        return tables.tidy_table(self)


@dataclass(frozen=True)
class Evaluations:
    """The evaluations of several models, each on one data set or more. Raises InputError where there is none.

    Its tables are those of each `Evaluation`, which take the same arguments, one under the other, with a first column
    that names the model.

    Attributes
    ----------
    runs : list of (name of the model, Evaluation), model by model, each on the data in the order given
    """

    runs: list[tuple[str, Evaluation]]

    def __post_init__(self):
        if not self.runs:
            raise InputError("there is no evaluation; give at least one model and one data set")

    @property
    def models(self) -> list[str]:
        """The models' names, in order."""
        return list(dict.fromkeys(model for model, _ in self.runs))

    def __getitem__(self, model: str) -> Evaluation:
        """The evaluation of a model, the first where there is more than one data set."""
        return self._of(model)[0]

    def table(self, *by, **how) -> pd.DataFrame:
        """`Evaluation.table` of every model."""
        return self._joined(lambda found: found.table(*by, **how))

    def intervals(self, *over, **how) -> pd.DataFrame:
        """`Evaluation.intervals` of every model."""
        return self._joined(lambda found: found.intervals(*over, **how))

    def curves(self, **how) -> pd.DataFrame:
        """`Evaluation.curves` of every model."""
        return self._joined(lambda found: found.curves(**how))

    def compare(self, first: str, second: str, *, over: Sequence[str] = ("subjects",)) -> pd.DataFrame:
        """`tse_core.agreement.comparison.compare_metrics` of every model; its p-values are corrected model by model."""
        return self._joined(lambda found: compare_metrics(found, first, second, over=over))

    def compare_models(self, first: str, second: str) -> pd.DataFrame:
        """Two models as paired differences of every metric; see `tse_core.agreement.comparison.compare_evaluations`.

        Models of different vocabularies can be compared if they were evaluated with ``shared=True``.
        """
        both = zip(self._of(first), self._of(second), strict=True)
        tables = [compare_evaluations(one, other).assign(data=one.signature.data_name) for one, other in both]
        return pd.concat(tables, ignore_index=True)

    def tidy(self) -> pd.DataFrame:
        """Every number with its signature, as in result files."""
        return pd.concat([found.tidy() for _, found in self.runs], ignore_index=True)

    def _of(self, model: str) -> list[Evaluation]:
        if model not in self.models:
            raise InputError(f"no model {model!r} was evaluated; there is: {', '.join(self.models)}")
        return [found for name, found in self.runs if name == model]

    def _joined(self, table_of: Callable[[Evaluation], pd.DataFrame]) -> pd.DataFrame:
        joined = pd.concat([table_of(found).assign(model=model) for model, found in self.runs], ignore_index=True)
        return joined[["model", *joined.columns.drop("model")]]
