"""Mistakes that a type checker tells; `make lint` expects each. It is not run.

Every function of `tse_core` is used wrongly here, and those of `tse_book` that take a model, a name
or a choice. Tables go unchecked: pandas brings no types of its own.
"""

from pathlib import Path

import tse_book
import tse_core
from tse_book import gym, recorded
from tse_book.claims import judging
from tse_book.laboratory import corpus, known_truth

model = tse_core.load_model("gpt2")
server = tse_core.load_model("http://127.0.0.1:8000/v1", timeout=60)
pairs = tse_core.load_pairs("marvin-linzen")
scores = tse_core.evaluate(model, pairs)

# Models
tse_core.load_model("gpt2", kind="decoder")  # type: ignore[call-overload]
tse_core.load_model("gpt2", name="run-7")  # type: ignore[call-overload]
tse_core.load_model(5)  # type: ignore[call-overload]
tse_core.LanguageModel("gpt2", "causal")  # type: ignore[call-arg]
print(server.network)  # type: ignore[attr-defined]

# Data
tse_core.load_pairs("marvin-linzen", capital=True)  # type: ignore[call-arg]
tse_core.load_pairs("mine.csv", first="upper")  # type: ignore[arg-type]
tse_core.load_sentence_pairs("mine.csv", "good")  # type: ignore[arg-type]
tse_core.load_lemmas(name="newman-clean")  # type: ignore[call-arg]
print(tse_core.load_lemmas(Path("verbs.csv")).verbs)  # type: ignore[attr-defined]
print(tse_core.datasets.MARVIN)  # type: ignore[attr-defined]

# Agreement
tse_core.evaluate(server, pairs)  # type: ignore[arg-type]
tse_core.evaluate(model, pairs, verb="all")  # type: ignore[call-arg]
tse_core.evaluate(model, pairs, protocol="paper")  # type: ignore[arg-type]
tse_core.evaluate(model, pairs, cutoffs=0.5)  # type: ignore[arg-type]
tse_core.evaluate_models(model, "marvin-linzen")  # type: ignore[arg-type]
tse_core.score_context(model, "The author", number="sg")  # type: ignore[arg-type]
tse_core.score_context(model, "The author")  # type: ignore[call-arg]
tse_core.slot_distribution(server, "The author")  # type: ignore[arg-type]
tse_core.load_scores(scores)  # type: ignore[arg-type]
tse_core.Evaluation(model)  # type: ignore[call-arg]
print(scores.scores)  # type: ignore[attr-defined]
print(scores.table(interval=True))  # type: ignore[call-arg]

# Sentences
tse_core.evaluate_blimp(model, method="pseudo")  # type: ignore[arg-type]
tse_core.evaluate_blimp(model, unknown_words="skip")  # type: ignore[arg-type]
tse_core.score_pairs(model, "blimp", tie="half")  # type: ignore[call-arg]
tse_core.score_pairs(model, "blimp", ties="right")  # type: ignore[arg-type]
tse_core.score_pairs(model, "blimp", normalise="word")  # type: ignore[arg-type]
tse_core.surprisals(model, ["The author laughs."], unit="character")  # type: ignore[arg-type]

# Suites
tse_core.evaluate_suite(model)  # type: ignore[call-arg]
tse_core.evaluate_suite(model, "number_prep", metric="product")  # type: ignore[arg-type]
tse_core.syntaxgym.load_suite(5)  # type: ignore[arg-type]

# Metrics
tse_core.cutoff_scores([[0.0]], [[0, 0]], [0], accumulate="float16")  # type: ignore[arg-type]
print(tse_core.PAPER_CUTOFFS.middle)  # type: ignore[attr-defined]
print(tse_core.metrics.TSE)  # type: ignore[attr-defined]
tse_core.InputError(hint="no such model")  # type: ignore[call-arg]

# The book
tse_book.plot(scores, 2)  # type: ignore[arg-type]
tse_book.EvaluationCallback(model, every=100)  # type: ignore[call-arg]
tse_book.charts.save_chart(scores, 5)  # type: ignore[arg-type]
tse_book.charts.published_curves("2")  # type: ignore[arg-type]
recorded.load_recorded(model)  # type: ignore[arg-type]
judging.ledger(claims="claims.yaml")  # type: ignore[call-arg]
known_truth.truth(1)  # type: ignore[arg-type]
corpus.sentences("English", "systematic", 2)  # type: ignore[arg-type]
gym.run_gym("gym.yaml", None)  # type: ignore[arg-type]
