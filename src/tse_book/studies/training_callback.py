"""Evaluations inside a training loop: scores over training, at a bounded cost and with no effect on the weights."""

import random
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import TrainerCallback

from tse_core.agreement.evaluation import Evaluation
from tse_core.blimp.scores import PairScores
from tse_core.errors import InputError
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.results.tidy import TIDY_COLUMNS, write_results
from tse_core.syntaxgym.outcomes import Outcome


class EvaluationCallback(TrainerCallback):
    """Evaluates the model of a Hugging Face Trainer every `every` steps.

    The final weights are bit for bit those of a training run without it: the model is read without being changed
    (see `tse_core.load_model`), and the states of the random generators are restored. An evaluation that fails is left
    out with a warning, and training goes on.

    Used as ``trainer.add_callback(EvaluationCallback(trainer, {"agreement": lambda model: evaluate(model, pairs)}))``.

    Parameters
    ----------
    trainer : transformers.Trainer
        The scores go to its log, and so to every tracker that it reports to: ``eval_agreement_EW`` and so on.
    measures : name -> function of a `LanguageModel`, which returns what `evaluate`, `evaluate_blimp` or
        `evaluate_suite` return
    every : steps from one evaluation to the next
    share : of the training's time that evaluations may take. One that would exceed it is `skipped`, by the cost of the
        one before; the first is always done.
    out : results file (.parquet or .csv), rewritten after each evaluation
    tokenizer : by default the trainer's ``processing_class``
    options : how the model is read, as in `load_model`: kind, bos

    Every score with its signature is in ``curve``: the columns of results files, and before them step and measure.
    """

    def __init__(
        self,
        trainer,
        measures: Mapping[str, Callable[[LanguageModel], Evaluation | PairScores | Outcome]],
        *,
        every: int = 500,
        share: float = 0.05,
        out: str | Path | None = None,
        tokenizer=None,
        **options,
    ):
        if not isinstance(every, int) or every < 1:
            raise InputError(f"every is {every!r}; it must be a number of steps, 1 or more")
        self.trainer, self.measures, self.every, self.share = trainer, dict(measures), every, share
        self.out, self.tokenizer, self.options = out and Path(out), tokenizer, options
        self.curve = pd.DataFrame(columns=["step", "measure", *TIDY_COLUMNS])
        self.skipped: list[int] = []
        self._start, self._spent, self._last = time.perf_counter(), 0.0, 0.0
        self._warned: set[str] = set()

    def on_train_begin(self, args, state, control, **_):
        self._start, self._spent = time.perf_counter(), 0.0

    def on_step_end(self, args, state, control, **_):
        if state.global_step % self.every or not state.is_world_process_zero:
            return
        begun = time.perf_counter()
        if self._spent + self._last > self.share * (begun - self._start + self._last):
            self.skipped.append(state.global_step)
            return
        with _same_random_numbers():
            scores = self._evaluated(state.global_step)
        self._last = time.perf_counter() - begun
        self._spent += self._last
        if scores:
            due = control.should_log  # which our own log would reset
            self.trainer.log(scores)
            control.should_log = due

    def _evaluated(self, step: int) -> dict[str, float]:
        """The scores for the trainer's log; the curve and its file get all scores."""
        logged: dict[str, float] = {}
        tables, model = [self.curve] if len(self.curve) else [], None
        for name, measure in self.measures.items():
            try:
                model = model or self._model(step)
                table = measure(model).tidy()
            except Exception as error:  # whatever fails here must not end the training
                self._warn(f"the evaluation {name!r} at step {step} failed, training goes on: {error}", name)
                continue
            logged |= {f"eval_{name}_{metric}": score for metric, score in _overall(table).items()}
            tables.append(table.assign(step=step, measure=name))
        if tables:
            self.curve = pd.concat(tables, ignore_index=True)[["step", "measure", *TIDY_COLUMNS]]
        if self.out and logged:
            try:
                write_results(self.curve[TIDY_COLUMNS], self.out)
            except (InputError, OSError) as error:
                self._warn(f"the curve is kept in memory only: {error}", "file")
        return logged

    def _model(self, step: int) -> LanguageModel:
        tokenizer = self.tokenizer or getattr(self.trainer, "processing_class", None)
        model = load_model(self.trainer.model, tokenizer=tokenizer, **self.options)
        return replace(model, name=f"{model.name}-step-{step}")

    def _warn(self, message: str, what: str) -> None:
        """Once for each measure, and once for the file."""
        if what not in self._warned:
            self._warned.add(what)
            warnings.warn(message, stacklevel=2)


def _overall(table: pd.DataFrame) -> dict[str, float]:
    """One score per metric of a tidy table: over all verbs, and over all constructions, weighted by size."""
    rows = table[(table["side"] == "") | ((table["side"] == "top") & (table["cutoff"] == 1.0))].dropna(subset=["score"])
    whole = rows[rows["construction"].isin(["Overall", "all pairs"])]
    scores = {}
    for metric, group in (whole if len(whole) else rows).groupby("metric", sort=False):
        size = group["contexts" if (group["side"] == "top").any() else "pairs"]
        scores[str(metric).replace(" ", "_")] = float(np.average(group["score"], weights=size))
    return scores


@contextmanager
def _same_random_numbers() -> Iterator[None]:
    """Restores every random generator afterwards, as if nothing had been drawn in between."""
    python, cpu = random.getstate(), torch.get_rng_state()
    numpy = np.random.get_state()  # noqa: NPY002 (the generator that a training loop shares is the one to restore)
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(cpu)
        if gpus:
            torch.cuda.set_rng_state_all(gpus)
