"""A user's script that uses each public function as its types say; `make lint` has mypy read it. It is not run."""

from pathlib import Path
from typing import assert_type

import numpy as np
import pandas as pd
import torch
import transformers

import tse_core
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.agreement.slots import ContextScores
from tse_core.datasets.lemmas import Lemmas
from tse_core.metrics.scores import CutoffScores
from tse_core.models.backend import Backend
from tse_core.models.surprisal_model import SurprisalModel
from tse_core.sentences.evaluate import PairScores
from tse_core.syntaxgym.outcomes import Outcome
from tse_core.syntaxgym.suites import Suite

model = tse_core.load_model("gpt2", device="cuda", dtype="bfloat16", revision="main")
assert_type(model, tse_core.LanguageModel)
assert_type(tse_core.load_model(Path("folder")), tse_core.LanguageModel)
server = tse_core.load_model("http://127.0.0.1:8000/v1", timeout=60)
assert_type(server, SurprisalModel)
module = transformers.GPT2LMHeadModel(transformers.GPT2Config())
tokenizer = transformers.AutoTokenizer.from_pretrained("gpt2")
assert_type(
    tse_core.load_model(module, tokenizer, name="run-7", fingerprint="7"), tse_core.LanguageModel
)

pairs = tse_core.load_pairs("marvin-linzen")
sentences = tse_core.load_sentence_pairs("blimp")
lemmas = tse_core.load_lemmas("newman-clean")
assert_type(pairs, pd.DataFrame)
assert_type(lemmas, Lemmas)

cutoffs = tse_core.metrics.Cutoffs((0.5, 1.0), ())
scores = tse_core.evaluate(
    model, pairs, lemmas, cutoffs=cutoffs, verbs="all", sample=24, store=None
)
assert_type(scores, Evaluation)
assert_type(scores.table(), pd.DataFrame)
assert_type(
    tse_core.evaluate_models({"a": model, "b": "gpt2-large"}, ["marvin-linzen"]), Evaluations
)
assert_type(tse_core.score_context("gpt2", "The author", number="singular"), ContextScores)
assert_type(tse_core.slot_distribution(model, "The keys to the cabinet"), pd.DataFrame)

blimp = tse_core.evaluate_blimp(
    server, sentences, method="full-sentence", ties="half", store="results"
)
assert_type(blimp, PairScores)
assert_type(tse_core.score_pairs("gpt2", sentences, "one-prefix", bos="none"), pd.DataFrame)
assert_type(tse_core.score_pairs("gpt2", sentences, normalise="byte"), pd.DataFrame)
assert_type(tse_core.surprisals(server, ["The author laughs."], unit="word"), pd.DataFrame)
assert_type(blimp.item_table(), pd.DataFrame)
assert_type(tse_core.evaluate_suite(server, "number_prep", metric="sum"), Outcome)

of_arrays = tse_core.cutoff_scores(np.zeros((1, 4)), [[1, 0], [3, 2]], [1], top=[1.0], bottom=[])
assert_type(of_arrays, CutoffScores)
tse_core.cutoff_scores(torch.zeros(1, 4), [(1, 0)], np.array([1]), accumulate="float32")
assert_type(tse_core.metrics.METRICS["EW"], tse_core.metrics.Metric | tse_core.metrics.CellMetric)
assert_type(tse_core.syntaxgym.load_suite("number_prep"), Suite)


def open_mine(name: str, *, bos: str) -> tse_core.LanguageModel:
    return tse_core.load_model(name.removeprefix("mine:"), bos=bos)


backend = Backend(r"mine:.*", open_mine, options=("bos",))
