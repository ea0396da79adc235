"""Evaluations inside a training loop: scores over training, with no effect on the weights."""

import random
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from transformers import TrainerCallback

from tse_core.agreement.evaluation import Evaluation
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import load_model
from tse_core.results.tidy import TIDY_COLUMNS, of_everything
from tse_core.sentences.evaluate import PairScores
from tse_core.syntaxgym.outcomes import Outcome

Measure = Callable[[LanguageModel], Evaluation | PairScores | Outcome]


class EvaluationCallback(TrainerCallback):
    """Evaluates the model of a Hugging Face Trainer every `every` steps.

    The final weights are bit for bit those of a training run without it. An evaluation that fails is left out with a
    warning, and training goes on.

    Used as ``trainer.add_callback(EvaluationCallback(trainer, {"agreement": lambda model: evaluate(model, pairs)}))``.

    The log of the `trainer` gets the scores, and so does every tracker that it reports to: ``eval_agreement_EW`` and so
    on. `measures`: name -> function of a `LanguageModel` that returns what `evaluate`, `evaluate_blimp` or
    `evaluate_suite` return. `options` say how the model is read, as in `load_model`: kind, bos, tokenizer (by default
    the trainer's ``processing_class``).

    Every score with its signature is in ``curve``: the columns of results files, and before them step and measure.
    """

    def __init__(self, trainer, measures: Mapping[str, Measure], *, every: int = 500, **options):
        self.trainer, self.measures, self.every = trainer, measures, every
        self.options = {"tokenizer": trainer.processing_class} | options
        self.curve = pd.DataFrame(columns=["step", "measure", *TIDY_COLUMNS])

    def on_step_end(self, args, state, control, **_):
        if state.global_step % self.every or not state.is_world_process_zero:
            return
        python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 (what a training loop draws from)
        with torch.random.fork_rng(range(torch.cuda.device_count())):
            found = {name: self._measured(state.global_step, name) for name in self.measures}
        random.setstate(python)
        np.random.set_state(numpy)
        tables = [table for table in (self.curve, *found.values()) if len(table)]
        self.curve = pd.concat(tables, ignore_index=True) if tables else self.curve
        scores = {
            f"eval_{name}_{metric}": s
            for name, table in found.items()
            for metric, s in _overall(table).items()
        }
        if scores:
            due = control.should_log  # which our own log would reset
            self.trainer.log(scores)
            control.should_log = due

    def _measured(self, step: int, name: str) -> pd.DataFrame:
        """The scores of one measure at this step, in the columns of the curve; no rows where it fails."""
        try:
            model = load_model(self.trainer.model, **self.options)
            table = self.measures[name](replace(model, name=f"{model.name}-step-{step}")).tidy()
            return table.assign(step=step, measure=name)[self.curve.columns]
        except Exception as error:  # whatever fails here must not end the training
            warnings.warn(
                f"the evaluation {name!r} failed, training goes on: {error}", stacklevel=2
            )
            return self.curve.iloc[:0]


def _overall(table: pd.DataFrame) -> dict[str, float]:
    """One score per metric of a tidy table: over all verbs, and over all constructions, weighted by size."""
    rows = table[of_everything(table)].dropna(subset=["score"])
    whole = rows[rows["construction"].isin(["Overall", "all pairs"])]
    scores = {}
    for metric, group in (whole if len(whole) else rows).groupby("metric", sort=False):
        size = group["contexts" if (group["side"] == "top").any() else "pairs"]
        scores[str(metric).replace(" ", "_")] = float(np.average(group["score"], weights=size))
    return scores
