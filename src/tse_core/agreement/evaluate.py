"""A model on agreement pairs: each unique context scored over a whole verb list, each pair with its own verb.

`evaluate` is the replication's centre: pairs -> unique contexts -> distributions at the verb slot -> TSE, EW and MW
(Newman et al. 2021).
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from tse_core.agreement.counted_forms import FormsPolicy
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.job import Cut, Job, Keep
from tse_core.agreement.prepare import prepare
from tse_core.agreement.shards import GROUP, job_work
from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.pairs import Protocol
from tse_core.metrics.table import OF_CONTEXTS, PAPER_CUTOFFS, Cutoffs, score_column
from tse_core.models.language_model import LanguageModel
from tse_core.results.work import Finished, Work, as_store, run

if TYPE_CHECKING:
    from tse_core.results.store import Store

# How far a margin between two log-probabilities (nats) moves with batch, order, threads or device: at least twice the
# largest spread measured over batch sizes, shared prefixes and threads (1.5e-5, 0.033 and 0.22 on small models).
NOISE = {"float32": 1e-4, "float16": 0.07, "bfloat16": 0.5}


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
    store: "Store | str | Path | None" = None,
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
        "released" follows the authors' code: probability summed in float32, RoBERTa's mask found by counting tokens,
        the first label met for each context. Use it to compare with the paper.
    keep : "contexts", "lemmas" or "forms"
        How much detail to keep; see `Evaluation`.
    forms : "single", "single-end", "words" or "words-no-end"
        Which forms count. "single", the paper's choice: only lemmas whose two forms are single entries of
        the vocabulary. "words": forms of any number of tokens by the chain rule (`form_log_probabilities`), times the
        probability that the word ends there; "words-no-end": without it; "single-end": single entries with it. A
        masked model sees the next word of the sentence, and so where a word ends; for it, only lemmas whose two forms
        have equally many tokens count.
    sample : int or "all", optional
        Contexts of each construction, stratified by the subject's number (`stratified_sample`). By default all, but 24
        on a CPU where `forms` is not "single", so that each takes seconds. Intervals are of the contexts scored.
    seed : int
        Of the sample.
    cut : "list" or "all-words"
        What the cut-offs of whole words are shares of. "list": of the probability of all forms of the list, so that
        they do not belong on the paper's axis; coverage is the probability of the forms that counted, not
        divided by that of the list. "all-words": of the probability of all words, found best-first (`likely_words`),
        as the paper's cut-offs are shares of the vocabulary's; top cut-offs of a causal model with forms="words" alone.
    store : Store or folder, optional
        Finished shards are kept there and not computed again.
    batch_tokens : int, optional
        The most tokens in one forward pass.

    Raises
    ------
    InputError
        For an unknown name, a model that gives no distributions, whole words under protocol "released", bottom cut-offs
        of all words, or a tokenizer that has no lemma with two single-entry forms or does not show where a word
        ends.
    """
    job = prepare(
        model,
        pairs,
        lemmas,
        cutoffs=cutoffs,
        protocol=protocol,
        keep=keep,
        forms=forms,
        sample=sample,
        seed=seed,
        cut=cut,
    )
    return evaluated(job, store, batch_tokens)


def evaluated(job: Job, store: "Store | str | Path | None" = None, batch_tokens: int | None = None) -> Evaluation:
    """The evaluation of a job from `prepare`, which has checked the input; see `evaluate`."""
    store = as_store(store)
    work = job_work(job, batch_tokens)
    found = _evaluation(job, work, run(work, store))
    if store:
        from tse_core.agreement.curves import keep_numbers  # only with a store

        keep_numbers(found, store)
    return found


def _evaluation(job: Job, work: Work, done: Finished) -> Evaluation:
    """The tables of all shards as one evaluation."""
    parts = [job.placed(done.tables[name], shard.contents) for name, shard in work.shards.items()]
    joined = {t: pd.concat([p[t] for p in parts], ignore_index=True) for t in job.tables}
    if "forms" in joined:  # each shard holds one construction; their contexts may be interleaved
        joined["forms"] = joined["forms"].sort_values(["context", "lemma"], kind="stable", ignore_index=True)
    contexts = pd.concat(
        [job.contexts, joined["contexts"].sort_values("context").drop(columns="context").reset_index(drop=True)], axis=1
    )
    for column in [metric.column for metric in OF_CONTEXTS.values()]:
        of_all = contexts[score_column(column, "top", 1)] if 1 in job.cutoffs.top else np.nan
        contexts.insert(contexts.columns.get_loc("pairs") + 1, column, of_all)
    scored = joined["pairs"].set_index("pair").sort_index()
    details = job.pairs.assign(context=job.index, **{c: scored[c].to_numpy() for c in scored.columns})
    margin = details["log_probability_correct"] - details["log_probability_wrong"]
    details["within_noise"] = margin.abs() < NOISE.get(job.model.dtype, max(NOISE.values()))
    signature = replace(job.signature(), provenance=done.provenance)
    return Evaluation(
        contexts=contexts, pairs=details, lemmas=job.lemmas, signature=signature, cutoffs=job.cutoffs,
        scored=job.scored, by_lemma=_by_lemma(joined, job), forms=joined.get("forms"),
    )  # fmt: skip


def _by_lemma(joined, job) -> pd.DataFrame | None:
    if "lemmas" not in joined:
        return None
    sums = joined["lemmas"].groupby([*GROUP, "lemma"], sort=False, as_index=False).sum()
    for form in ("correct", "wrong"):
        sums[f"probability_{form}"] /= sums["contexts"]
    sums["lemma"] = job.lemmas["lemma"].to_numpy()[sums["lemma"]]
    return sums
