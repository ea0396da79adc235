"""The scores of models on agreement pairs, and what can be asked of them: tables in cells, intervals, curves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.cells import OVER_VERBS, Cells
from tse_core.agreement.comparison import compare_evaluations, compare_metrics
from tse_core.agreement.options import VerbPolicy
from tse_core.errors import InputError
from tse_core.metrics.table import NS, OF_CONTEXTS, OF_PAIRS, Cutoffs
from tse_core.results.signature import Signature
from tse_core.results.tidy import tidied
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import subject_clusters

OF_DISTRIBUTION, OF_LIST = "of the distribution", "of the list"  # what cut-offs are shares of


@dataclass(frozen=True)
class Evaluation:
    """The scores of one model.

    Attributes
    ----------
    contexts : a row per unique context, construction by construction: construction, subject, noun (its singular, "" if
        not known), left, right, number, pairs (how many share it), ew, mw (at top 100 % under the protocol), margin
        (mean over the verbs of log P(correct) - log P(wrong), nats), and further columns of its pairs
    pairs : a row per pair, with its context (a row of `contexts`), log_probability_correct and _wrong (nats), tse (1.0,
        0.0, NaN where a form could not be scored) and within_noise: the margin is smaller than numeric noise, so that
        another batch size or device might flip tse
    lemmas : the lemmas that counted
    scored : one line: how many of the pairs and lemmas could be scored, and why others could not
    at_cutoffs : a row per context and number at a cut-off: context, metric ("EW", "MW"; "margin" over all verbs), side
        ("top", "bottom"), cutoff, score (NaN: no lemma is eligible), coverage (the probability on the counted forms)
    by_lemma : with detail "lemmas" construction x subject (its noun, or the left context where that is not known) x
        noun x number x lemma: contexts, correct (how many of them), and the mean probability of each form and margin
    form_arrays : with detail "forms" what `log_odds`, `log_probabilities` and `mass_above` give
    """

    contexts: pd.DataFrame = field(repr=False)
    pairs: pd.DataFrame = field(repr=False)
    lemmas: pd.DataFrame = field(repr=False)
    signature: Signature
    cutoffs: Cutoffs
    scored: str
    at_cutoffs: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    by_lemma: pd.DataFrame | None = field(default=None, repr=False)
    form_arrays: Mapping[str, np.ndarray] | None = field(default=None, repr=False)

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
          pairs; margin (nats); NS and shift (nats), where there are forms and twins (`tse_core.agreement.cells`);
        - lemmas, contexts, twins (how many), split_twins (twins with one context in another cell: NS leaves them out),
          pairs (those that TSE counts), unscored (those that it does not), verbs (lemmas of TSE's pairs), items
          (distinct ones: the same context and the same two forms count once) and TSE_items, the mean over these.
        """
        cells = Cells(self, by)
        contexts, pairs = cells.contexts, cells.pairs
        scored = pairs[pairs["tse"].notna()]
        scores = contexts.groupby("cell")[[metric for metric in cells.metrics if metric in contexts]].mean()
        for name, of_pairs in OF_PAIRS.items():
            scores[name] = pairs.groupby("cell")[of_pairs.column].mean()
        table = cells.labels.join(scores[cells.metrics])
        counted = {"contexts": contexts}
        if NS in cells.metrics:
            counted |= {"twins": contexts[contexts["has_twin"]], "split_twins": contexts[contexts["split"]]}
        counted |= {"pairs": scored, "unscored": pairs[pairs["tse"].isna()]}
        counted |= {"verbs": scored.drop_duplicates(["cell", "lemma"]), "items": distinct_items(pairs)}
        table["lemmas"] = cells.lemmas[table.index]
        for name, rows in counted.items():
            table[name] = rows["cell"].value_counts().reindex(table.index, fill_value=0)
        if NS in cells.metrics and "number" not in cells.labels:
            table["twins"] //= 2  # both contexts are in the cell
        table["TSE_items"] = counted["items"].groupby("cell")["tse"].mean()
        over = ("subjects", "verbs") if cells.by_verbs else ("subjects",)
        for metric in cells.metrics if intervals else ():
            if metric in OVER_VERBS or not cells.by_verbs:
                table[[f"{metric}_low", f"{metric}_high"]] = cells.intervals(metric, over)[["low", "high"]]
        return table.reset_index(drop=True)

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
        cells = Cells(self, by)
        found = {metric: cells.intervals(metric, over) for metric in cells.metrics}
        tables = {metric: cells.labels.join(rows, how="inner") for metric, rows in found.items() if len(rows)}
        table = pd.concat(tables, names=["metric"]).reset_index("metric").reset_index(drop=True)
        return table[[*cells.labels, *table.columns.drop(list(cells.labels))]]

    def curves(self, *, intervals: bool = False) -> pd.DataFrame:
        """Scores against cut-offs (Figures 1 to 4).

        Returns
        -------
        DataFrame with columns construction, metric ("EW", "MW"), side ("top", "bottom"), cutoff (a fraction), share
        ("of the distribution"; of whole words "of the list"), score (mean over the contexts with an eligible lemma),
        coverage (mean probability on the forms that counted), invalid (share of contexts without an eligible lemma),
        contexts; with `intervals` also low and high, 95 % clustered by noun.
        """
        numbers = self.at_cutoffs[self.at_cutoffs["metric"].isin(list(OF_CONTEXTS))]
        numbers = numbers.astype({"metric": "str", "side": "str"})
        numbers.insert(0, "construction", self.contexts["construction"].to_numpy()[numbers["context"]])
        numbers["invalid"] = numbers["score"].isna()
        groups = numbers.groupby(["construction", "metric", "side", "cutoff"], sort=False)
        table = groups[["score", "coverage", "invalid"]].mean().assign(contexts=groups.size())
        if intervals:
            table[["low", "high"]] = [self._bounds(group, key[1]) for key, group in groups]
        table = table.reset_index()
        verbs = VerbPolicy.parse(self.signature.policy.get("forms", "single"))
        table.insert(4, "share", OF_DISTRIBUTION if verbs.in_vocabulary else OF_LIST)
        return table

    def _bounds(self, numbers: pd.DataFrame, metric: str) -> tuple[float, float]:
        """The interval of a score at one cut-off."""
        if numbers["invalid"].all():
            return np.nan, np.nan
        return interval(numbers["score"], self.subjects[numbers["context"]], bounds=OF_CONTEXTS[metric].range)[1:3]

    def tidy(self) -> pd.DataFrame:
        """Every number of this evaluation, one per row with its signature, as in result files.

        The columns are `TIDY_COLUMNS`: side and method are "" and cutoff is NaN for TSE; lemmas is how many counted.
        """
        table, curves = self.table(intervals=True), self.curves(intervals=True)
        curves["pairs"] = curves["construction"].map(table.set_index("construction")["pairs"])
        of_pairs = []
        for name in OF_PAIRS:
            ends = {"score": table[name], "low": table[f"{name}_low"], "high": table[f"{name}_high"]}
            of_pairs.append(table.assign(metric=name, side="", cutoff=np.nan, **ends))
        return tidied(pd.concat([*of_pairs, curves.assign(lemmas=len(self.lemmas))], ignore_index=True), self.signature)

    @property
    def log_odds(self) -> np.ndarray:
        """Log-odds (nats) of each lemma's singular form against its plural one, (contexts, lemmas); needs "forms"."""
        return self._of_forms("log_odds")

    def log_probabilities(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """Log-probabilities (nats) of one form, (contexts, lemmas); needs detail "forms"."""
        return self._of_forms(f"log_probability_{form}")

    def mass_above(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """The probability of all entries more probable than one form, (contexts, lemmas); needs detail "forms"."""
        return self._of_forms(f"mass_above_{form}")

    def _of_forms(self, column: str) -> np.ndarray:
        if self.form_arrays is None:
            raise InputError("the evaluation was made without its forms; use detail='forms'")
        return self.form_arrays[column]

    @property
    def plural(self) -> np.ndarray:
        """Whether the subject is plural, bool (contexts, 1)."""
        return (self.contexts["number"] == "plural").to_numpy()[:, None]

    @cached_property
    def subjects(self) -> np.ndarray:
        """What clusters the contexts by subject: its noun, where that is not known a guess (`subject_clusters`)."""
        return subject_clusters(self.contexts)


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


def distinct_items(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that TSE scores, one for each distinct item (same context and same two forms)."""
    return pairs[pairs["tse"].notna()].drop_duplicates(["context", "correct", "wrong"])
