"""What a sweep can measure: agreement, BLiMP's pairs, suites. Each says what its work is and what comes of it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import pandas as pd

from tse_core.agreement.evaluation import Evaluation, evaluate, number_names
from tse_core.agreement.job import Job, prepare
from tse_core.agreement.scoring import job_work
from tse_core.blimp.scores import PairScores, evaluate_blimp, pairs_work
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs, load_sentence_pairs
from tse_core.metrics.table import PAPER_CUTOFFS
from tse_core.models.language_model import LanguageModel
from tse_core.results.result_index import finished
from tse_core.results.store import Store
from tse_core.results.work import Shard, Work
from tse_core.sweep.plan import Run
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite, suite_work

POLICIES = ("protocol", "keep", "forms", "sample")  # of a run, in the order in which `prepare` takes them
Result: TypeAlias = Evaluation | PairScores | Outcome


def result_of(model: LanguageModel, run: Run, store: Store) -> Result:
    """A run's result from the store; what is missing there is scored."""
    if run.part == "blimp":
        return evaluate_blimp(model, sentence_pairs(run.data), store=store)
    if run.part == "suites":
        return evaluate_suite(model, load_suite(run.data), store=store)
    policies = {name: getattr(run, name) for name in POLICIES}
    return evaluate(model, pairs(run.data), load_lemmas(run.lemmas), store=store, **policies)


class Works:
    """The work of runs. What checkpoints with the same tokenizer share is worked out once."""

    def __init__(self, most: int = 8):
        self._most = most
        self._jobs: dict[tuple, tuple[Job, Mapping[str, Shard], str]] = {}
        self._tokens: dict[tuple, dict[tuple[str, str], int]] = {}

    def clear(self) -> None:
        self._jobs.clear()
        self._tokens.clear()

    def of(self, model: LanguageModel, run: Run) -> Work:
        """A run's work. Raises InputError."""
        if run.part == "blimp":
            return pairs_work(model, sentence_pairs(run.data))
        if run.part == "suites":
            return suite_work(model, load_suite(run.data))
        job, shards = self._job(model, run)
        return job_work(job, shards=shards)

    def numbers(self, model: LanguageModel, run: Run, store: Store) -> pd.DataFrame:
        """A run's tidy table; an evaluation's is mostly there already."""
        if run.part == "agreement":
            job, _ = self._job(model, run)
            table = finished(job.signature(), number_names(job.constructions, job.cutoffs), store)
            if table is not None:
                return table
        return result_of(model, run, store).tidy()

    def tokens(self, model: LanguageModel, run: Run, name: str, contents) -> int:
        """About how many tokens of a shard the model reads.

        In pairs and suites words are counted for tokens; a masked model reads a sentence once for each.
        """
        kept = self._tokens.setdefault((reading(model), run.part), {})
        if (run.data, name) not in kept:
            kept[run.data, name] = self._counted(model, run, contents)
        return kept[run.data, name]

    def _counted(self, model: LanguageModel, run: Run, contents) -> int:
        if run.part == "agreement":
            job = self._job(model, run)[0]
            contexts = job.contexts.iloc[contents]
            slots = model.slots(list(zip(contexts["left"], contexts["right"], strict=True)))
            return sum(len(slot.ids) for slot in slots) + len(slots) * job.tokens_of_words
        if run.part == "blimp":
            sentences = [*contents["good"], *contents["bad"]]
        else:
            sentences = [sentence for _, _, sentence in contents.sentences()]
        lengths = [len(sentence.split()) + 1 for sentence in sentences]
        return sum(length**2 if model.kind == "masked" else length for length in lengths)

    def _job(self, model: LanguageModel, run: Run) -> tuple[Job, Mapping[str, Shard]]:
        key = (reading(model), *(getattr(run, name) for name in ("data", "lemmas", *POLICIES)))
        if key not in self._jobs:
            if len(self._jobs) == self._most:
                self._jobs.pop(next(iter(self._jobs)))
            policies = [getattr(run, name) for name in POLICIES]
            job = prepare(model, pairs(run.data), load_lemmas(run.lemmas), PAPER_CUTOFFS, *policies)
            shards = job_work(job).shards
            kept = replace(job, model=None)  # type: ignore[arg-type]  # its weights may go
            self._jobs[key] = kept, shards, job.model.bos
        job, shards, bos = self._jobs[key]
        return replace(job, model=model.with_policies(bos=bos)), shards


def reading(model: LanguageModel) -> tuple:
    """What a model makes tokens with."""
    return model.tokenizer.backend_tokenizer.to_str(), model.kind, model.bos, model.space


def forget_data() -> None:
    """Read pairs anew from now on."""
    pairs.cache_clear()
    sentence_pairs.cache_clear()


pairs = lru_cache(maxsize=8)(load_pairs)  # generating a grammar's pairs takes a second
sentence_pairs = lru_cache(maxsize=8)(load_sentence_pairs)
