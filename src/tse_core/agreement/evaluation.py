"""The scores of a model on agreement pairs, and what can be asked of them.

Each method is implemented in a separate module, which is imported on first use.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.errors import InputError
from tse_core.metrics.table import Cutoffs
from tse_core.results.signature import Signature


@dataclass(frozen=True)
class Evaluation:
    """Scores of a model on agreement pairs.

    Attributes
    ----------
    contexts : DataFrame
        A row per unique context: construction, subject, noun (its singular, "" if not known), left, right, number,
        pairs (how many share it), further columns of its pairs (attractor, twin, the factors of a design), ew, mw (at
        top 100 % under the protocol), and for every cut-off ``ew_top_0.1``, ``mw_...``, ``mass_...`` (NaN: no lemma
        eligible).
    pairs : DataFrame
        A row per pair, with log_probability_correct and _wrong (nats), tse (1.0, 0.0, NaN where a form
        could not be scored) and within_noise: the margin is smaller than numeric noise (`NOISE`), so that another batch
        size or device might flip tse.
    lemmas : DataFrame
        The lemmas that counted.
    signature : Signature
    cutoffs : Cutoffs
    scored : str
        One line: how many of the pairs and lemmas could be scored, and why the others could not.
    by_lemma : DataFrame or None
        With keep="lemmas": construction x subject (its noun or the left context, where it is not known) x noun x number
        x lemma: contexts, correct (how many of them), and the mean probability of each form.
    forms : DataFrame or None
        With keep="forms": context x lemma: log-odds of the singular form against the plural one, log-probability of
        each (nats) and the mass of all likelier entries.
    """

    contexts: pd.DataFrame
    pairs: pd.DataFrame
    lemmas: pd.DataFrame
    signature: Signature
    cutoffs: Cutoffs
    scored: str
    by_lemma: pd.DataFrame | None = field(default=None, repr=False)
    forms: pd.DataFrame | None = field(default=None, repr=False)

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
            Of the contexts (construction, number, adverb; ``attractor`` means its number where ``attractor_number``
            says it) or of the lemma list (noun, band, tokens, lemma); ``noun`` is the list's. A column of the list
            needs keep="forms". In a text, a name that has a comma stands in double quotes.
        lemmas : names of lemmas, optional
            EW, MW and NS over these alone, TSE of their pairs; needs keep="forms".
        intervals : bool
            Adds ``EW_low``, ``EW_high`` and so on, 95 %: over subject nouns; of EW and NS of a group of verbs over
            subject nouns and verbs, crossed.

        Returns
        -------
        DataFrame, one row per cell:

        - the columns of `by`;
        - MW, EW and every other metric of contexts, means over unique contexts; TSE and every other metric of pairs,
          means over pairs; NS (`number_sensitivity`), where the evaluation has forms and twins;
        - lemmas, contexts, twins (how many), split_twins (twins with only one context in the cell: NS leaves them
          out), pairs (those that TSE counts), unscored (those that it does not), verbs (lemmas of TSE's
          pairs), decisions (distinct ones: the same context and the same two forms count once);
        - TSE_decisions, the mean over distinct decisions.

        Raises
        ------
        InputError : no such column; no lemma given counted; forms are needed and were not kept.
        """
        from tse_core.agreement.cells import cell_table

        return cell_table(self, by, lemmas, intervals)

    def number_sensitivity(
        self, by: str | Sequence[str] = "construction", *, lemmas: Collection[str] | None = None, intervals: bool = True
    ) -> pd.DataFrame:
        """NS in cells, the share of verbs that react to the subject's number; `number_sensitivity` defines it."""
        from tse_core.agreement.number_sensitivity import number_sensitivity

        return number_sensitivity(self, by, lemmas, intervals)

    @cached_property
    def log_odds(self) -> np.ndarray:
        """Log-odds (nats) of each lemma's singular against its plural form, (contexts, lemmas); needs keep="forms"."""
        return self._of_forms("log_odds")

    def log_probabilities(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """Log-probabilities (nats) of one form, (contexts, lemmas); needs keep="forms"."""
        return self._of_forms(f"log_probability_{form}")

    def _of_forms(self, column: str) -> np.ndarray:
        if self.forms is None:
            raise InputError("the evaluation was made without its forms; use keep='forms'")
        places = self.forms["context"].to_numpy()[:: len(self.lemmas)]
        values = np.empty((len(self.contexts), len(self.lemmas)), dtype=np.float32)
        values[places] = self.forms[column].to_numpy().reshape(len(places), -1)
        values.flags.writeable = False  # cached, and read again
        return values

    def intervals(self, over: Sequence[str] = ("subjects",)) -> pd.DataFrame:
        """95 % intervals of every metric in each construction, for other samples of what the claim is about.

        Parameters
        ----------
        over : what is sampled
            "subjects" by default: the scores of these verbs on other subjects. ("subjects", "verbs") crosses the two,
            for a claim about verbs at large; EW and MW then need keep="lemmas". "attractors" may be added where the
            table has them.

        Returns
        -------
        DataFrame with construction, metric, score, low, high, method, clusters, n (values that are defined).
        """
        from tse_core.agreement.clustered import metric_intervals

        return metric_intervals(self, over)

    def curves(self, *, intervals: bool = False) -> pd.DataFrame:
        """Scores against cut-offs (Figures 1 to 4); see `tse_core.agreement.curves.curves`."""
        from tse_core.agreement.curves import curves

        return curves(self, intervals)

    def tidy(self) -> pd.DataFrame:
        """Every number of this evaluation, one per row with its signature; see `tse_core.agreement.curves.tidy`."""
        return self._tidy.copy()

    @cached_property
    def _tidy(self) -> pd.DataFrame:
        from tse_core.agreement.curves import tidy

        return tidy(self)
