"""Scores of the laboratory models that stay the same until somebody raises PROTOCOL_VERSION.

python tests/golden_scores.py writes them anew: after the version was raised, or the models were trained again.
"""

import json
from pathlib import Path

import pandas as pd

from tse_core import evaluate, evaluate_suite, load_model, load_pairs, load_sentence_pairs
from tse_core.blimp.scores import evaluate_blimp
from tse_core.results.signature import PROTOCOL_VERSION
from tse_core.syntaxgym.library import load_suite

GOLDEN = Path(__file__).parent / "golden" / "scores.json"
MODELS = ("lab-systematic-causal", "lab-lexical-masked")
SUITES = ("lab_number_prep",)


def measured() -> dict[str, float]:
    """Mean scores by name: of agreement at every cut-off, pairs, suites."""
    pairs = load_pairs("marvin-linzen/simple").iloc[::8]
    sentence_pairs = load_sentence_pairs("laboratory").groupby("paradigm", sort=False).head(8)
    tables = {}
    for name in MODELS:
        model = load_model(name, device="cpu")
        for protocol in ("exact", "released"):
            tables[f"{name} {protocol}"] = evaluate(model, pairs, "newman-clean", protocol=protocol).tidy()
        blimp = evaluate_blimp(model, sentence_pairs)
        tables[f"{name} blimp"] = blimp.tidy()
        tables[f"{name} margins"] = blimp.pairs.rename(columns={"paradigm": "construction", "margin": "score"})
        outcome = evaluate_suite(model, load_suite(SUITES[0]))
        tables[f"{name} bits"] = outcome.regions.rename(columns={"condition": "construction", "bits": "score"})
    return {f"{part} {number}": score for part, table in tables.items() for number, score in _means(table)}


def _means(table: pd.DataFrame):
    columns = [column for column in ("construction", "metric", "side", "cutoff", "region") if column in table]
    means = table.dropna(subset="score").groupby(columns, sort=False, dropna=False)["score"].mean()
    for names, score in means.items():
        names = names if isinstance(names, tuple) else (names,)
        yield " ".join(str(name) for name in names if name == name), round(score, 5)  # NaN: no cut-off


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({"version": PROTOCOL_VERSION, "scores": measured()}, indent=0) + "\n")
