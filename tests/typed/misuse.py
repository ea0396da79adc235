"""Mistakes that a type checker tells; `make lint` expects each. It is not run."""

from pathlib import Path

import tse_core

model = tse_core.load_model("gpt2")
server = tse_core.load_model("http://127.0.0.1:8000/v1", timeout=60)
pairs = tse_core.load_pairs("marvin-linzen")

tse_core.load_model("gpt2", kind="decoder")  # type: ignore[call-overload]
tse_core.load_model("gpt2", name="run-7")  # type: ignore[call-overload]
tse_core.load_model(5)  # type: ignore[call-overload]
tse_core.evaluate(server, pairs)  # type: ignore[arg-type]
tse_core.evaluate(model, pairs, verb="all")  # type: ignore[call-arg]
tse_core.evaluate(model, pairs, protocol="paper")  # type: ignore[arg-type]
print(tse_core.evaluate(model, pairs).scores)  # type: ignore[attr-defined]
print(server.network)  # type: ignore[attr-defined]
tse_core.evaluate_blimp(model, method=5)  # type: ignore[arg-type]
tse_core.score_pairs(model, "blimp", tie="half")  # type: ignore[call-arg]
tse_core.score_pairs(model, "blimp", normalise="word")  # type: ignore[arg-type]
tse_core.surprisals(model, ["The author laughs."], unit="character")  # type: ignore[arg-type]
tse_core.evaluate_suite(model)  # type: ignore[call-arg]
tse_core.cutoff_scores([[0.0]], [[0, 0]], [0], accumulate="float16")  # type: ignore[arg-type]
tse_core.syntaxgym.load_suite(5)  # type: ignore[arg-type]
print(tse_core.metrics.TSE)  # type: ignore[attr-defined]
print(tse_core.load_lemmas(Path("verbs.csv")).verbs)  # type: ignore[attr-defined]
