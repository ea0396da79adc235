"""What a sweep can measure (agreement, BLiMP's pairs, suites): the work, the tokens and the result of each run."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

import pandas as pd

from tse_core.agreement.curves import number_names
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.job import Job
from tse_core.agreement.prepare import prepare
from tse_core.agreement.shards import job_work
from tse_core.agreement.word_distributions import tokens_read
from tse_core.blimp.scores import PairScores, evaluate_blimp, pairs_work
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs, load_sentence_pairs
from tse_core.metrics.table import PAPER_CUTOFFS
from tse_core.models.coerce import AnyModel, as_language_model
from tse_core.results.result_index import finished
from tse_core.results.store import Store
from tse_core.results.work import Work
from tse_core.sweep.runs import Run
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite
from tse_core.syntaxgym.scoring import suite_work

Result: TypeAlias = Evaluation | PairScores | Outcome


def result_of(model: AnyModel, run: Run, store: Store) -> Result:
    """A run's result from the store; what is missing there is scored."""
    if run.benchmark == "blimp":
        return evaluate_blimp(model, cached_sentence_pairs(run.data), store=store)
    if run.benchmark == "suites":
        return evaluate_suite(model, load_suite(run.data), store=store)
    return evaluate(
        as_language_model(model), cached_pairs(run.data), load_lemmas(run.lemmas), store=store, **policies(run)
    )


def policies(run: Run) -> dict[str, Any]:
    """How agreement is scored, as `evaluate` takes it."""
    return {"protocol": run.protocol, "keep": run.keep, "forms": run.forms, "sample": run.sample}


class Works:
    """The work of runs. What checkpoints with the same tokenizer share is computed once."""

    def __init__(self) -> None:
        self._jobs: dict[tuple, tuple] = {}

    def clear(self) -> None:
        self._jobs.clear()

    def of(self, model: AnyModel, run: Run) -> Work:
        """A run's work. Raises InputError."""
        if run.benchmark == "blimp":
            return pairs_work(model, cached_sentence_pairs(run.data))
        if run.benchmark == "suites":
            return suite_work(model, load_suite(run.data))
        job, shards = self._job(model, run)
        return job_work(job, shards=shards)

    def finished(self, model: AnyModel, run: Run, store: Store) -> pd.DataFrame | None:
        """The tidy table of an evaluation whose numbers are all in the store; None of other runs."""
        if run.benchmark != "agreement":
            return None
        job, _ = self._job(model, run)
        return finished(job.signature(), number_names(job.constructions, job.cutoffs), store)

    def tokens(self, model: AnyModel, run: Run, contents: Iterable) -> list[int]:
        """Roughly how many tokens the model reads in each shard, estimated by counting words."""
        if run.benchmark == "agreement":
            job, _ = self._job(model, run)
            masked = model.kind == "masked"
            read = job.contexts["left"] + " " + job.contexts["right"] if masked else job.contexts["left"]
            tokens = tokens_read(read.str.split().str.len() + 1, job.words, masked=masked)
            return [int(tokens.iloc[members].sum()) for members in contents]
        if run.benchmark == "blimp":
            sentences: Iterable = ([*shard["good"], *shard["bad"]] for shard in contents)
        else:
            sentences = ([sentence for *_, sentence in suite.sentences()] for suite in contents)
        power = 2 if model.kind == "masked" else 1  # a masked model reads a sentence once for each of its tokens
        return [sum((len(sentence.split()) + 1) ** power for sentence in shard) for shard in sentences]

    def _job(self, model: AnyModel, run: Run) -> tuple[Job, Any]:
        model = as_language_model(model)
        tokenizer = model.tokenizer.backend_tokenizer.to_str()
        key = (tokenizer, model.kind, model.bos, model.space, run.data, run.lemmas, *policies(run).values())
        if key not in self._jobs:
            if len(self._jobs) == 8:
                self._jobs.pop(next(iter(self._jobs)))
            job = prepare(
                model, cached_pairs(run.data), load_lemmas(run.lemmas), cutoffs=PAPER_CUTOFFS, **policies(run)
            )
            without_weights = replace(job, model=None)  # type: ignore[arg-type]  # each run has its own model
            self._jobs[key] = without_weights, job_work(job).shards, job.model.bos
        job, shards, bos = self._jobs[key]
        return replace(job, model=model.with_policies(bos=bos)), shards


def forget_data() -> None:
    """Clear the caches, so that pairs are read again."""
    cached_pairs.cache_clear()
    cached_sentence_pairs.cache_clear()


cached_pairs = lru_cache(maxsize=8)(load_pairs)  # generating a grammar's pairs takes a second
cached_sentence_pairs = lru_cache(maxsize=8)(load_sentence_pairs)
