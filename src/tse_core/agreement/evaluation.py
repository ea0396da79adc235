"""A model on agreement pairs: each unique context scored over a whole verb list, each pair with its own verb.

`evaluate` is the replication's centre: pairs -> unique contexts -> distributions at the verb slot -> TSE, EW and MW
(Newman et al. 2021). `slot_distribution` shows one such distribution (their Table 3).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.cells import cell_table
from tse_core.agreement.clustered import clustered
from tse_core.agreement.counted_forms import FormsPolicy
from tse_core.agreement.curves import curves, number_names, tidy
from tse_core.agreement.job import Cut, Job, Keep, Protocol, prepare
from tse_core.agreement.number_sensitivity import number_sensitivity
from tse_core.agreement.scoring import job_work
from tse_core.agreement.shards import GROUP
from tse_core.agreement.some_lemmas import over
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError
from tse_core.metrics.table import METRICS, OF_CONTEXTS, PAPER_CUTOFFS, Cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.results.result_index import finished, keep_results
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.work import Finished, Work, as_store, run
from tse_core.uncertainty.intervals import interval

# How far a margin between two log-probabilities (nats) moves with batch, order, threads or device: at least twice the
# largest spread measured over batch sizes, shared prefixes and threads (1.5e-5, 0.033 and 0.22 on small models).
NOISE = {"float32": 1e-4, "float16": 0.07, "bfloat16": 0.5}
TABLE_ORDER = tuple(reversed(METRICS.values()))  # MW, EW, TSE, as in Table 2


@dataclass(frozen=True)
class Evaluation:
    """Scores of a model on agreement pairs.

    Attributes
    ----------
    contexts : DataFrame
        One row a unique context: construction, subject, noun (its singular, "" if not known), left, right, number,
        pairs (how many share it), what else its pairs say of it (attractor, twin, the factors of a design), ew, mw (at
        top 100 % under the protocol), and for every cut-off ``ew_top_0.1``, ``mw_...``, ``mass_...`` (NaN: no lemma
        eligible).
    pairs : DataFrame
        One row a pair, with log_probability_correct and _wrong (nats), tse (1.0, 0.0, NaN where a form
        could not be scored) and within_noise: the margin is smaller than numeric noise (`NOISE`), so that another batch
        size or device might turn tse round.
    lemmas : DataFrame
        The lemmas that counted.
    signature : Signature
    cutoffs : Cutoffs
    scored : str
        How many of the pairs and lemmas given could be scored, and why not the others, in a line.
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

    def over(self, lemmas: Collection[str]) -> pd.DataFrame:
        """EW and MW of each context over some of the lemmas; made with keep="lemmas". See `some_lemmas.over`."""
        return over(self.by_lemma, lemmas)

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
        DataFrame, a row a cell:

        - the columns of `by`;
        - MW, EW and every other metric of contexts, means over unique contexts; TSE and every other metric of pairs,
          means over pairs; NS (`number_sensitivity`), where the evaluation has forms and twins;
        - lemmas, contexts, twins (how many), split_twins (those of which the cell has one context alone: NS leaves them
          out), pairs (those that TSE counts), unscored (those that it does not), verbs (lemmas that TSE
          asked), decisions (distinct ones: the same context and the same two forms count once);
        - TSE_decisions, the mean over distinct decisions.

        Raises
        ------
        InputError : no such column; no lemma given counted; forms are needed and were not kept.
        """
        return cell_table(self, by, lemmas, intervals)

    def number_sensitivity(
        self, by: str | Sequence[str] = "construction", *, lemmas: Collection[str] | None = None, intervals: bool = True
    ) -> pd.DataFrame:
        """NS in cells, the share of verbs that react to the subject's number; `number_sensitivity` defines it."""
        return number_sensitivity(self, by, lemmas, intervals)

    @cached_property
    def log_odds(self) -> np.ndarray:
        """Of each lemma's singular form against its plural form (nats): (contexts, lemmas), with keep="forms"."""
        return self._of_forms("log_odds")

    def log_probabilities(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """Of each lemma's form (nats): (contexts, lemmas), with keep="forms"."""
        return self._of_forms(f"log_probability_{form}")

    def _of_forms(self, column: str) -> np.ndarray:
        if self.forms is None:
            raise InputError("the evaluation was made without its forms; use keep='forms'")
        places = self.forms["context"].to_numpy()[:: len(self.lemmas)]
        values = np.empty((len(self.contexts), len(self.lemmas)), dtype=np.float32)
        values[places] = self.forms[column].to_numpy().reshape(len(places), -1)
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
        rows = []
        for metric in TABLE_ORDER:
            for construction, sample in clustered(self, metric.name, over).items():
                n = int(np.sum(~np.isnan(sample.values)))
                if n:
                    first, *others = sample.clusters
                    found = interval(sample.values, first, crossed_with=others, counts=sample.counts)
                    rows.append((construction, metric.name, *found[:5], n))
        return pd.DataFrame(rows, columns=["construction", "metric", "score", "low", "high", "method", "clusters", "n"])

    def curves(self, *, intervals: bool = False) -> pd.DataFrame:
        """Scores against cut-offs (Figures 1 to 4); see `tse_core.agreement.curves.curves`."""
        return curves(self, intervals)

    def tidy(self) -> pd.DataFrame:
        """Every number of this evaluation, one a row, with its signature; see `tse_core.agreement.curves.tidy`."""
        return self._tidy.copy()

    @cached_property
    def _tidy(self) -> pd.DataFrame:
        return tidy(self)


def evaluate(
    model: LanguageModel | str | Path,
    pairs: pd.DataFrame | str | Path,
    lemmas: Lemmas | str | Path | None = None,
    *,
    cutoffs: Cutoffs = PAPER_CUTOFFS,
    protocol: Protocol = "exact",
    keep: Keep = "contexts",
    forms: FormsPolicy = "single",
    sample: int | Literal["all"] | None = None,
    seed: int = 0,
    cut: Cut = "list",
    store: Store | str | Path | None = None,
    batch_tokens: int | None = None,
) -> Evaluation:
    """TSE, EW and MW of a model on agreement pairs.

    Parameters
    ----------
    model : LanguageModel, or what `load_model` takes
    pairs : agreement pairs, or what `load_pairs` takes
    lemmas : Lemmas, or what `load_lemmas` takes
        "newman-clean" by default, "newman-appendix" under protocol "released", the list of the language for CLAMS.
    cutoffs : Cutoffs
        Shares of the distribution, the paper's by default.
    protocol : "exact" or "released"
        "released" does as the authors' code: probability summed in float32, RoBERTa's mask found by counting tokens,
        the first label met for each context. Published values compare with it.
    keep : "contexts", "lemmas" or "forms"
        How much detail to keep; see `Evaluation`.
    forms : "single", "single-end", "words" or "words-no-end"
        What of a lemma's forms counts. "single", the paper's choice: only lemmas whose two forms are single entries of
        the vocabulary. "words": forms of any number of tokens by the chain rule (`form_log_probabilities`), times the
        probability that the word ends there; "words-no-end": without it; "single-end": single entries with it. To a
        masked model the next word of the sentence, fixed and seen, says where a word ends, and of it those lemmas count
        whose two forms have equally many tokens.
    sample : int or "all", optional
        Contexts of each construction, stratified by the subject's number (`stratified_sample`). By default all, but 24
        for whole words on a processor, where each context takes seconds. Intervals are of the contexts scored.
    seed : int
        Of the sample.
    cut : "list" or "all-words"
        What the cut-offs of whole words are shares of. "list": of the probability of all forms of the list, so that
        they are not to be drawn on the axis of the paper's; coverage is the probability of the forms that counted, not
        divided by that of the list. "all-words": of the probability of all words, found best-first (`likely_words`),
        as the paper's cut-offs are shares of the vocabulary's; top cut-offs of a causal model with forms="words" alone.
    store : Store or folder, optional
        Finished shards are kept there and not computed again.
    batch_tokens : int, optional
        Tokens in one forward pass at most.

    Raises
    ------
    InputError
        For an unknown name, a model that gives no distributions, whole words under protocol "released", bottom cut-offs
        of all words, or a tokenizer that holds no lemma's two forms as single entries or does not show where a word
        ends.
    """
    job = prepare(model, pairs, lemmas, cutoffs, protocol, keep, forms, sample, seed, cut)
    return evaluated(job, store, batch_tokens)


def evaluated(job: Job, store: Store | str | Path | None = None, batch_tokens: int | None = None) -> Evaluation:
    """The evaluation of a job (`prepare`), in which every mistake of the input has shown; as `evaluate`."""
    store = as_store(store)
    work = job_work(job, batch_tokens)
    found = _evaluation(job, work, run(work, store))
    if store and finished(found.signature, number_names(job.constructions, job.cutoffs), store) is None:
        keep_results(found.tidy(), store, imported=False)
    return found


def _evaluation(job: Job, work: Work, done: Finished) -> Evaluation:
    """The tables of all shards as one evaluation."""
    parts = [job.placed(done.tables[name], shard.contents) for name, shard in work.shards.items()]
    joined = {t: pd.concat([p[t] for p in parts], ignore_index=True) for t in job.tables}
    if "forms" in joined:  # shards hold a construction each: contexts of several may take turns
        joined["forms"] = joined["forms"].sort_values(["context", "lemma"], kind="stable", ignore_index=True)
    contexts = pd.concat(
        [job.contexts, joined["contexts"].sort_values("context").drop(columns="context").reset_index(drop=True)], axis=1
    )
    top = f"{max(job.cutoffs.top):g}" if job.cutoffs.top else None
    for metric in [metric.column for metric in OF_CONTEXTS.values()]:
        contexts.insert(
            contexts.columns.get_loc("pairs") + 1, metric, contexts[f"{metric}_top_{top}"] if top == "1" else np.nan
        )
    scored = joined["pairs"].set_index("pair").sort_index()
    details = job.pairs.assign(context=job.index, **{c: scored[c].to_numpy() for c in scored.columns})
    margin = details["log_probability_correct"] - details["log_probability_wrong"]
    details["within_noise"] = margin.abs() < NOISE.get(job.model.dtype, max(NOISE.values()))
    signature = replace(job.signature(), provenance=done.provenance)
    return Evaluation(
        contexts, details, job.lemmas, signature, job.cutoffs, job.scored, _by_lemma(joined, job), joined.get("forms")
    )


def _by_lemma(joined, job) -> pd.DataFrame | None:
    if "lemmas" not in joined:
        return None
    sums = joined["lemmas"].groupby([*GROUP, "lemma"], sort=False, as_index=False).sum()
    for form in ("correct", "wrong"):
        sums[f"probability_{form}"] /= sums["contexts"]
    sums["lemma"] = job.lemmas["lemma"].to_numpy()[sums["lemma"]]
    return sums
