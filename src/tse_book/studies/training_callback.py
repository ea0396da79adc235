"""Evaluations inside a training loop: scores over training, with no effect on the weights."""

import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from transformers import TrainerCallback

from tse_core.agreement.evaluation import Evaluation
from tse_core.blimp.scores import PairScores
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.results.tidy import TIDY_COLUMNS
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
    options : how the model is read, as in `load_model`: kind, bos, tokenizer (by default the trainer's
        ``processing_class``)

    Every score with its signature is in ``curve``: the columns of results files, and before them step and measure.
    """

    def __init__(
        self,
        trainer,
        measures: Mapping[str, Callable[[LanguageModel], Evaluation | PairScores | Outcome]],
        *,
        every: int = 500,
        **options,
    ):
        self.trainer, self.measures, self.every = trainer, dict(measures), every
        self.options = {"tokenizer": trainer.processing_class} | options
        self.curve = pd.DataFrame(columns=["step", "measure", *TIDY_COLUMNS])
        self._failed: set[str] = set()

    def on_step_end(self, args, state, control, **_):
        if state.global_step % self.every or not state.is_world_process_zero:
            return
        with _same_random_numbers():
            scores = self._evaluated(state.global_step)
        if scores:
            due = control.should_log  # which our own log would reset
            self.trainer.log(scores)
            control.should_log = due

    def _evaluated(self, step: int) -> dict[str, float]:
        """The scores for the trainer's log; the curve gets all scores."""
        logged: dict[str, float] = {}
        tables = [self.curve] if len(self.curve) else []
        for name, measure in self.measures.items():
            try:
                model = load_model(self.trainer.model, **self.options)
                table = measure(replace(model, name=f"{model.name}-step-{step}")).tidy()
            except Exception as error:  # whatever fails here must not end the training
                if name not in self._failed:
                    self._failed.add(name)
                    note = f"the evaluation {name!r} at step {step} failed, training goes on: {error}"
                    warnings.warn(note, stacklevel=2)
                continue
            logged |= {f"eval_{name}_{metric}": score for metric, score in _overall(table).items()}
            tables.append(table.assign(step=step, measure=name))
        if tables:
            self.curve = pd.concat(tables, ignore_index=True)[["step", "measure", *TIDY_COLUMNS]]
        return logged


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
