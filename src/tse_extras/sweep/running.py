"""The runs of a plan: each is one evaluation that uses the store.

`sweep` does all of them, `result_of` and `score_run` one, `trouble` says what keeps one from being
done. A run that the store holds costs nothing, so a sweep that was stopped resumes when it is
started again, and its numbers do not depend on where its runs were computed (`workers`).
"""

import gc
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

import pandas as pd
import torch

from tse_core import (
    Evaluation,
    InputError,
    evaluate,
    evaluate_blimp,
    evaluate_suite,
    load_model,
    load_pairs,
    load_sentence_pairs,
)
from tse_core.plugins import (
    AnyModel,
    Outcome,
    PairScores,
    Signature,
    Store,
    as_language_model,
    counted_verbs,
    progress,
    verb_list,
    verb_policy,
    warn,
)
from tse_core.syntaxgym import load_suite
from tse_extras.sweep.plan import Model, Plan, Run, load_plan
from tse_extras.sweep.workers import results_of_plan
from tse_extras.sweep.workers import visible_gpus as visible_gpus  # documented here

KEYS = ["name", "revision", "step", "data"]  # of the plan, before the columns of the results
# The reader of each benchmark's data, and the function that scores a model on them.
BENCHMARKS: dict[str, tuple[Callable, Callable]] = {
    "agreement": (load_pairs, evaluate),
    "blimp": (load_sentence_pairs, evaluate_blimp),
    "suites": (load_suite, evaluate_suite),
}


_one_at_a_time = Lock()


@dataclass(frozen=True)
class Sweep:
    """The results of a sweep.

    Attributes
    ----------
    numbers : those of all runs that did not fail, one per row: name, revision, step and data of
        the plan, and the columns of every results file
    failures : a message for each of the other runs
    """

    numbers: pd.DataFrame
    failures: dict[Run, str]

    def tidy(self) -> pd.DataFrame:
        """A copy of the numbers, as other results give theirs."""
        return self.numbers.copy()


def sweep(
    plan: Plan | str | Path | Mapping,
    *,
    store: Store | str | Path | None = None,
    workers: int | None = None,
    address: str | None = None,
) -> Sweep:
    """Run a plan.

    Parameters
    ----------
    plan : Plan, or what `load_plan` takes
    store : Store or folder, by default the plan's, else $TSE_STORE or the user's cache
        All workers must see it under the same path.
    workers : processes here, by default one for each visible GPU, else one; SLURM's jobs at a time
        Each computes with one thread, so that results are the same to the last bit whatever the
        machine's load.
    address : that of a running Dask scheduler, whose workers are used instead
        `workers` and `address` replace those of the plan.

    Raises
    ------
    InputError : a mistake in the plan, no scheduler at the address, several workers without Dask,
        or all runs failed. An error in one run is that run's failure; the others are done.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    store = store if isinstance(store, Store) else Store(store or plan.store)
    workers = workers or plan.workers
    address = address or plan.address
    numbers: dict[Run, pd.DataFrame] = {}
    failures: dict[Run, str] = {}
    with _marked(store) as mark, progress(len(plan.runs), "sweep", unit="runs") as bar:
        score = partial(score_run, mark=mark)
        for run, result in results_of_plan(plan, score, workers, address):
            if isinstance(result, Exception):
                reason = str(result) or type(result).__name__
                failures[run] = str(InputError(f"{run}: {reason}"))
            else:
                numbers[run] = result
            bar.set_postfix(failed=len(failures), refresh=False)
            bar.update()
    if not numbers:
        raise InputError(failures[plan.runs[0]])
    tables = [numbers[run] for run in plan.runs if run in numbers]
    joined = pd.concat(tables, ignore_index=True)
    rest = [column for column in joined if column not in KEYS]
    _warn_of_equal_weights({run.model: numbers[run] for run in plan.runs if run in numbers})
    return Sweep(joined[[*KEYS, *rest]], failures)


def _warn_of_equal_weights(numbers: Mapping[Model, pd.DataFrame]) -> None:
    """Warn of models of several names whose weights are the same, such as copied checkpoints.

    `numbers` are the tidy tables of one run of each model.
    """
    labels_of: dict[str, list[str]] = {}
    for model, table in numbers.items():
        identity = Signature.parse(table["signature"].iloc[0]).identity["model"]
        digest = identity.rpartition("@")[2]
        labels_of.setdefault(digest, []).append(model.label)
    for digest, labels in labels_of.items():
        different = list(dict.fromkeys(labels))
        if len(different) > 1:
            warn(f"the same weights, under the fingerprint {digest}: {', '.join(different)}")


@contextmanager
def _marked(store: Store) -> Iterator[Path]:
    """A file in a store, by which a worker recognises that it shares the store with a sweep.

    Afterwards it is gone, and so is the model that the last run left in memory.
    """
    mark = store.folder.resolve() / f".sweep-{uuid.uuid4().hex}"
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    try:
        yield mark
    finally:
        mark.unlink(missing_ok=True)
        _opened.cache_clear()


def result_of(run: Run, store: Store | None, sweep: str = "") -> Evaluation | PairScores | Outcome:
    """The result of a run, from the store as far as it is there.

    Consecutive runs of one model in one sweep open it once.
    """
    _, score = BENCHMARKS[run.benchmark]
    return score(_opened(run.model, sweep), run.data, store=store, **dict(run.policies))


def trouble(run: Run) -> str:
    """The reason why a run cannot be done, as far as it shows before scoring; "" for none.

    The weights are fetched and hashed, the network does not run.
    """
    read, _ = BENCHMARKS[run.benchmark]
    try:
        model = _opened(run.model, "")
        model.identity()
        data = read(run.data)
        if run.benchmark == "agreement":
            _check_verbs(model, data, dict(run.policies))
    except InputError as error:
        return str(error)
    return ""


def _check_verbs(model: AnyModel, pairs: pd.DataFrame, policies: Mapping[str, Any]) -> None:
    """Raises InputError where the tokenizer has no verb of the list, or shows no ends of words.

    `policies` are those of the run.
    """
    lemmas = verb_list(pairs, policies.get("lemmas"), policies.get("protocol", "exact"))
    policy = verb_policy(policies.get("verbs", "single-token"), policies.get("word_end"))
    language_model = as_language_model(model)
    if counted_verbs(language_model, lemmas, policy).ends:
        language_model.word_ends  # noqa: B018  (raises)


def score_run(run: Run, mark: Path) -> pd.DataFrame | InputError:
    """The numbers of a run, scored on the worker that calls this.

    A mistake in the input is returned, not raised: Dask tries again after an exception, which would
    not help here.
    """
    if not mark.exists():
        raise FileNotFoundError(
            f"the worker on {socket.gethostname()} does not see the store {mark.parent} that the "
            "sweep writes to; name a folder that all machines share as `store` of the plan"
        )
    with _one_at_a_time:  # a worker may have several threads; memory is planned for one model
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            numbers = result_of(run, Store(mark.parent), mark.name).tidy()
        except InputError as error:
            # The text alone, which travels between processes whatever the error holds.
            return InputError(str(error))
        finally:
            torch.set_num_threads(threads)
    model = run.model
    return numbers.assign(name=model.name, revision=model.version, step=model.step, data=run.data)


@lru_cache(maxsize=1)
def _opened(model: Model, sweep: str) -> AnyModel:
    """The model, which stays in memory until a run needs another.

    `sweep` is only a part of the key, so that another sweep opens the model anew.
    """
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return load_model(model.source, **dict(model.options))
