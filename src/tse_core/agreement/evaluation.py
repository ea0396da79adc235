"""A model on agreement pairs: each unique context scored over a whole verb list, each pair with its own verb.

`evaluate` is the replication's centre: pairs -> unique contexts -> distributions at the verb slot -> TSE, EW and MW
(Newman et al. 2021). `slot_distribution` shows one such distribution (their Table 3).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.cells import cell_table, twin_rows
from tse_core.agreement.clustered import clustered
from tse_core.agreement.counted_forms import FormsPolicy
from tse_core.agreement.job import Job, Keep, Protocol, prepare
from tse_core.agreement.scoring import job_work
from tse_core.agreement.some_lemmas import over
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError
from tse_core.metrics.table import METRICS, OF_CONTEXTS, OF_PAIRS, PAPER_CUTOFFS, Cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.results.result_index import finished, keep_results
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.results.work import Finished, Work, as_store, run
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import subject_clusters

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
        With keep="lemmas": construction x subject (the left context, where no subject is known) x lemma x number: noun,
        contexts, correct (how many of them), and the mean probability of each form.
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
            Of the contexts (construction, number, adverb; ``attractor`` means its number) or of the lemma list (noun,
            band, tokens, lemma); ``noun`` is the list's. A column of the list needs keep="forms".
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
        - lemmas, contexts, twins (how many), pairs (those that TSE counts), unscored (those that it does not), verbs
          (lemmas that TSE asked), decisions (distinct ones: the same context and the same two forms count once);
        - TSE_decisions, the mean over distinct decisions.

        Raises
        ------
        InputError : no such column; no lemma given counted; forms are needed and were not kept.
        """
        return cell_table(self, by, lemmas, intervals)

    def number_sensitivity(
        self, by: str | Sequence[str] = "construction", *, lemmas: Collection[str] | None = None, intervals: bool = True
    ) -> pd.DataFrame:
        """The share of verbs that react to the subject's number, over twins: contexts that differ in it alone.

        With c_s and c_p such contexts, of a singular and a plural subject, and v_s and v_p a lemma's two forms,

            NS = mean over twins and lemmas of 1[log P(v_s | c_s) / P(v_p | c_s) > log P(v_s | c_p) / P(v_p | c_p)].

        A constant preference for one form, be it for the shorter word or because the base form is also a noun, cancels
        in the difference; a model that does not see the subject scores 0.5. It is the interaction of SyntaxGym's 2 x 2
        designs (Gauthier et al. 2020), where the same four surprisals make two differences and their difference is
        tested. EW asks more, that each of the two log-odds lies on its side of 0; so NS is 1 where EW is 1.

        A tie counts as not sensitive. A context without a twin takes no part; a cell without twins is NaN.

        Returns
        -------
        DataFrame with the columns of `by`, NS, NS_low and NS_high (with `intervals`, 95 %), twins, lemmas.

        Raises
        ------
        InputError : no forms were kept (keep="forms"); no two contexts are twins; what `table` raises.
        """
        self.log_odds  # noqa: B018  (raises where no forms were kept)
        if not len(twin_rows(self.contexts)):
            raise InputError(
                "no two contexts differ in the subject's number alone, as a column 'twin' of the pairs would say"
            )
        table = self.table(by, lemmas=lemmas, intervals=intervals)
        names = by.split(",") if isinstance(by, str) else list(by)
        return table[[*names, *(c for c in table if c.startswith("NS")), "twins", "lemmas"]]

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
        """Scores against cut-offs (Figures 1 to 4).

        Columns construction, metric ("EW", "MW"), side ("top", "bottom"), cutoff (a fraction), score (mean over the
        contexts with an eligible lemma), coverage (mean probability on the forms that counted), invalid (share of
        contexts without an eligible lemma), contexts; with `intervals` also low and high, 95 % clustered by noun.
        """
        rows = []
        nouns = subject_clusters(self.contexts) if intervals else None
        for construction, members in self.contexts.groupby("construction", sort=False).indices.items():
            group = self.contexts.iloc[members]
            for metric in OF_CONTEXTS.values():
                for side in ("top", "bottom"):
                    for cutoff in getattr(self.cutoffs, side):
                        score, mass = (group[f"{kind}_{side}_{cutoff:g}"] for kind in (metric.column, "mass"))
                        row = [
                            construction,
                            metric.name,
                            side,
                            cutoff,
                            score.mean(),
                            mass.mean(),
                            score.isna().mean(),
                            len(group),
                        ]
                        rows.append(row + ([] if nouns is None else _bounds(score, nouns[members])))
        columns = ["construction", "metric", "side", "cutoff", "score", "coverage", "invalid", "contexts"]
        return pd.DataFrame(rows, columns=columns + (["low", "high"] if intervals else []))

    def tidy(self) -> pd.DataFrame:
        """Every number of this evaluation, one a row, with its signature: what result files hold.

        Columns model, protocol, construction, metric ("MW", "EW", "TSE"), side ("top", "bottom"; "" for TSE), cutoff (a
        fraction; NaN for TSE), score, low, high, coverage, invalid, lemmas (how many counted), contexts, pairs,
        signature.
        """
        return self._tidy.copy()

    @cached_property
    def _tidy(self) -> pd.DataFrame:
        table = self.table(intervals=True)
        of_pairs = [
            table[["construction", "contexts"]].assign(
                metric=name,
                side="",
                cutoff=np.nan,
                score=table[name],
                low=table[f"{name}_low"],
                high=table[f"{name}_high"],
            )
            for name in OF_PAIRS
        ]
        tidy = pd.concat([*of_pairs, self.curves(intervals=True)], ignore_index=True)
        tidy["pairs"] = tidy["construction"].map(table.set_index("construction")["pairs"])
        tidy = tidy.assign(
            model=self.signature.model,
            protocol=self.signature.protocol,
            lemmas=len(self.lemmas),
            signature=str(self.signature),
        )
        return tidy[TIDY_COLUMNS]


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
    forms : "single", "words" or "words-no-end"
        What of a lemma's forms counts. "single", the paper's choice: only lemmas whose two forms are single entries of
        the vocabulary. "words": forms of any number of tokens by the chain rule (`form_log_probabilities`), times the
        probability that the word ends there; "words-no-end": without it. A masked model knows no end ("words" is then
        "words-no-end"), and of it those lemmas count whose two forms have equally many tokens. Cut-offs are then *list
        cut-offs*: shares of the probability of all forms of the list, not of the vocabulary, and not to be drawn on the
        same axis; coverage is the probability of the forms that counted, not divided by that of the list.
    sample : int or "all", optional
        Contexts of each construction, stratified by the subject's number (`stratified_sample`). By default all, but 24
        for whole words on a processor, where each context takes seconds. Intervals are of the contexts scored.
    seed : int
        Of the sample.
    store : Store or folder, optional
        Finished shards are kept there and not computed again.
    batch_tokens : int, optional
        Tokens in one forward pass at most.

    Raises
    ------
    InputError
        For an unknown name, a model that gives no distributions, whole words under protocol "released", or a tokenizer
        that holds no lemma's two forms as single entries or does not show where a word ends.
    """
    job = prepare(model, pairs, lemmas, cutoffs, protocol, keep, forms, sample, seed)
    store = as_store(store)
    work = job_work(job, batch_tokens)
    found = _evaluation(job, work, run(work, store))
    if store and finished(found.signature, number_names(job.constructions, cutoffs), store) is None:
        keep_results(found.tidy(), store, imported=False)
    return found


def number_names(constructions: Iterable[str], cutoffs: Cutoffs) -> list[tuple]:
    """What names each number of an evaluation: construction, metric, side, cut-off; in the order of `tidy`."""
    cuts = [
        (metric, side, cutoff)
        for metric in OF_CONTEXTS
        for side in cutoffs._fields
        for cutoff in getattr(cutoffs, side)
    ]
    names = [(construction, metric, "", None) for metric in OF_PAIRS for construction in constructions]
    return names + [(construction, *cut) for construction in constructions for cut in cuts]


def _evaluation(job: Job, work: Work, done: Finished) -> Evaluation:
    """The tables of all shards as one evaluation."""
    parts = [job.placed(done.tables[name], shard.contents) for name, shard in work.shards.items()]
    joined = {t: pd.concat([p[t] for p in parts], ignore_index=True) for t in job.tables}
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


def _bounds(values, clusters) -> list[float]:
    if values.isna().all():
        return [np.nan, np.nan]
    found = interval(values, clusters)
    return [found.low, found.high]


def _by_lemma(joined, job) -> pd.DataFrame | None:
    if "lemmas" not in joined:
        return None
    keys = ["construction", "subject", "number", "lemma"]
    sums = joined["lemmas"].groupby(keys, sort=False, as_index=False).sum()
    for form in ("correct", "wrong"):
        sums[f"probability_{form}"] /= sums["contexts"]
    sums["lemma"] = job.lemmas["lemma"].to_numpy()[sums["lemma"]]
    nouns = job.contexts.drop_duplicates("subject").set_index("subject")["noun"]
    sums.insert(2, "noun", sums["subject"].map(nouns).fillna(""))  # a left context has none
    return sums
