"""The scores of a model on agreement pairs, and what can be asked of them: tables in cells, intervals, curves."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.cells import OVER_VERBS, cells, check_ways, in_order
from tse_core.agreement.divisions import TABLE_ORDER, factor_names
from tse_core.errors import InputError
from tse_core.metrics.table import OF_CONTEXTS, OF_PAIRS, Cutoffs
from tse_core.results.signature import Signature
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters

INTERVAL_COLUMNS = ["metric", "score", "low", "high", "method", "clusters", "n"]
OF_DISTRIBUTION, OF_LIST = "of the distribution", "of the list"  # what cut-offs are shares of


@dataclass(frozen=True)
class Evaluation:
    """The scores of one model.

    Attributes
    ----------
    contexts : a row per unique context, construction by construction: construction, subject, noun (its singular, "" if
        not known), left, right, number, pairs (how many share it), ew, mw (at top 100 % under the protocol), margin
        (the mean over the verbs of log P(correct) - log P(wrong), in nats), and further columns of its pairs
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

    contexts: pd.DataFrame
    pairs: pd.DataFrame
    lemmas: pd.DataFrame
    signature: Signature
    cutoffs: Cutoffs
    scored: str
    at_cutoffs: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    by_lemma: pd.DataFrame | None = field(default=None, repr=False)
    form_arrays: Mapping[str, np.ndarray] | None = field(default=None, repr=False)

    def table(
        self,
        by: str | Sequence[str] = "construction",
        *,
        lemmas: Collection[str] | None = None,
        intervals: bool = False,
    ) -> pd.DataFrame:
        """The scores in cells, by default the rows of Table 2.

        Parameters
        ----------
        by : names of columns, as a sequence or with commas between them
            Of the contexts (construction, number, adverb, attractor_number) or of the lemma list (noun, band, tokens,
            lemma; ``noun`` is the list's); these need detail "forms".
        lemmas : names of the only lemmas to count, optional; needs detail "forms"
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

        Raises
        ------
        InputError : no such column; no lemma given counted; forms are needed and were not kept.
        """
        rows = []
        for cell in cells(self, by, lemmas):
            pairs = self.pairs.iloc[cell.pairs]
            scored, once = pairs[pairs["tse"].notna()], distinct_items(pairs)
            scores = {name: pd.Series(values[cell.contexts]).mean() for name, values in cell.scores.items()}
            scores |= {metric.name: pairs[metric.column].mean() for metric in OF_PAIRS.values()}
            row = cell.labels | {name: scores[name] for name in cell.metrics}
            row |= {"lemmas": len(self.lemmas if cell.verbs is None else cell.verbs), "contexts": len(cell.contexts)}
            if cell.partners is not None:
                halves = int((cell.partners[cell.contexts] >= 0).sum())
                row |= {"twins": halves // (1 if "number" in cell.labels else 2), "split_twins": cell.split}
            row |= {"pairs": len(scored), "unscored": len(pairs) - len(scored), "verbs": scored["lemma"].nunique()}
            row |= {"items": len(once), "TSE_items": once["tse"].mean()}
            over = ("subjects",) if cell.verbs is None else ("subjects", "verbs")
            for metric in cell.metrics if intervals else ():
                if cell.verbs is None or metric in OVER_VERBS:
                    bounds = cell.interval(metric, over)
                    low, high = bounds[0][1:3] if bounds else (np.nan, np.nan)
                    row |= {f"{metric}_low": low, f"{metric}_high": high}
            rows.append(row)
        return in_order(pd.DataFrame(rows), self, by)

    def intervals(
        self,
        over: Sequence[str] = ("subjects",),
        by: str | Sequence[str] = "construction",
        *,
        lemmas: Collection[str] | None = None,
    ) -> pd.DataFrame:
        """95 % intervals of every metric in each cell, for other samples of what the claim is about.

        Parameters
        ----------
        over : what is sampled
            "subjects" by default: the scores of these verbs on other subjects. ("subjects", "verbs") crosses the two,
            for a claim about verbs at large; EW, MW and margin then need detail "lemmas". "attractors" and any column
            of the contexts ("opener") may be added; beside verbs they need detail "forms", as cells other than
            constructions do, and MW has none there.
        by, lemmas : as in `table`

        Returns
        -------
        DataFrame with the columns of `by`, metric, score, low, high, method, clusters, n (values that are defined).
        """
        check_ways(self, over)
        rows = []
        for cell in cells(self, by, lemmas):
            for metric in cell.metrics:
                if found := cell.interval(metric, over):
                    bounds, count = found
                    row = [metric, *bounds[: len(INTERVAL_COLUMNS) - 2], count]
                    rows.append(cell.labels | dict(zip(INTERVAL_COLUMNS, row, strict=True)))
        columns = [*factor_names(by), *INTERVAL_COLUMNS]
        if not rows:
            return pd.DataFrame(columns=columns)
        table = in_order(pd.DataFrame(rows), self, by)[columns]
        return table.sort_values("metric", key=lambda m: m.map(TABLE_ORDER.index), kind="stable", ignore_index=True)

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
        numbers = numbers.assign(construction=self.contexts["construction"].to_numpy()[numbers["context"]])
        subjects = pd.factorize(self.subjects)[0] if intervals else None
        rows = []
        for key, group in numbers.groupby(["construction", "metric", "side", "cutoff"], sort=False, observed=True):
            score = group["score"]
            row = [*key, score.mean(), group["coverage"].mean(), score.isna().mean(), len(group)]
            if subjects is not None:
                limits, known = OF_CONTEXTS[key[1]].range, score.notna().any()
                row += interval(score, subjects[group["context"]], bounds=limits)[1:3] if known else (np.nan, np.nan)
            rows.append(row)
        columns = ["construction", "metric", "side", "cutoff", "score", "coverage", "invalid", "contexts"]
        table = pd.DataFrame(rows, columns=columns + (["low", "high"] if intervals else []))
        table.insert(4, "share", OF_LIST if "forms" in self.signature.policy else OF_DISTRIBUTION)
        return table

    def tidy(self) -> pd.DataFrame:
        """Every number of this evaluation, one per row with its signature, as in result files.

        The columns are `TIDY_COLUMNS`: side and method are "" and cutoff is NaN for TSE; lemmas is how many counted.
        """
        return self._tidy.copy()

    @cached_property
    def _tidy(self) -> pd.DataFrame:
        table = self.table(intervals=True)
        ends = {"score": "", "low": "_low", "high": "_high"}
        curves = self.curves(intervals=True)
        curves["pairs"] = curves["construction"].map(table.set_index("construction")["pairs"])
        of_pairs = [
            table.assign(metric=name, side="", cutoff=np.nan, **{end: table[name + tail] for end, tail in ends.items()})
            for name in OF_PAIRS
        ]
        made = self.signature
        return pd.concat([*of_pairs, curves], ignore_index=True).assign(
            model=made.model, protocol=made.protocol, method="", lemmas=len(self.lemmas), signature=str(made)
        )[TIDY_COLUMNS]

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

    @cached_property
    def attractors(self) -> np.ndarray:
        """What clusters the contexts by the noun between subject and verb. Raises InputError where none is known."""
        return attractor_clusters(self.contexts)

    def clusters(self, over: Sequence[str], contexts: np.ndarray, lemmas: np.ndarray | None = None) -> list[np.ndarray]:
        """For each way of sampling, the clusters of some contexts, or of pairs with these contexts and lemmas."""
        found = []
        for way in over:
            if way == "verbs" and lemmas is not None:
                found.append(lemmas)
            else:
                named = way in ("subjects", "attractors")
                found.append((getattr(self, way) if named else self.contexts[way].to_numpy())[contexts])
        return found


def distinct_items(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that TSE scores, one for each distinct item (same context and same two forms)."""
    return pairs[pairs["tse"].notna()].drop_duplicates(["context", "correct", "wrong"])
