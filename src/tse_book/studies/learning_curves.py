"""How much text does a phenomenon need? Baselines trained on growing corpora (Warstadt et al. 2020, section 6.3).

The paper's Figure 5 has models trained on up to 64 million words. Here the corpora are the laboratory's, each one twice
as long as the one before and beginning with it, and so are the paradigms. An LSTM gets the same number of updates on
every corpus, so that what grows is the text and not the training.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from tse_book.baselines.baselines import train_baseline
from tse_book.laboratory import load_language, sentences, tokenizer
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import data_hash, load_sentence_pairs
from tse_core.errors import check_known
from tse_core.results.code import code_of
from tse_core.results.signature import Signature, provenance
from tse_core.results.store import Store
from tse_core.results.work import Shape, Shard, Work, run
from tse_core.uncertainty.quantiles import t_quantile

SIZES = tuple(1000 * 2**step for step in range(8))
SETTINGS = {"ngram": {"order": 5}, "lstm": {"hidden": 128, "embedding": 128, "batch": 64, "updates": 2000}}
COLUMNS = ["model", "sentences", "words", "phenomenon", "paradigm", "accuracy", "low", "high", "pairs"]


def learning_curve(
    kinds: Iterable[str] = tuple(SETTINGS), sizes: Iterable[int] = SIZES, *, regime="systematic", seed=0,
    store: Store | str | Path | None = None, report: Callable[[str], None] = lambda line: None,
) -> pd.DataFrame:  # fmt: skip
    """Accuracy of each paradigm after training on each size.

    Parameters
    ----------
    kinds : of "ngram" and "lstm"
    sizes : sentences of the laboratory corpus
    store : Store or folder, optional
        Finished sizes are kept there.
    report : callable(line), optional

    Returns
    -------
    DataFrame
        model, sentences, words (in the corpus), phenomenon, paradigm, accuracy, low, high, pairs.

    Raises
    ------
    InputError
        An unknown kind.
    """
    pairs, kinds, sizes = load_sentence_pairs("laboratory"), list(kinds), list(sizes)
    for kind in kinds:
        check_known("kind of baseline", kind, SETTINGS)
    parts = []
    for kind, size in product(kinds, sizes):
        done = run(point_work(kind, size, pairs, regime, seed), store)
        parts.append(done.tables["accuracy"]["paradigms"])
        report(f"{kind} on {size:,} sentences: {parts[-1]['accuracy'].mean():.3f}")
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def point_work(kind: str, size: int, pairs: pd.DataFrame, regime: str, seed: int) -> Work:
    """The work of one point: a baseline trained on `size` sentences, scored on all paradigms."""
    settings = SETTINGS[kind] if kind == "ngram" else SETTINGS[kind] | {"seed": seed}
    corpus = {"corpus": f"{regime}/{seed}@{load_language().hash}"}
    policy = corpus | {name: str(value) for name, value in settings.items()}
    code = code_of([train_baseline, sentences, _trained])
    made = hashlib.sha256(json.dumps({**policy, "code": code}, sort_keys=True).encode()).hexdigest()[:8]
    identity = {"model": f"{kind}-{size}@{made}", "data": f"laboratory@{data_hash(pairs)}"}
    shape = Shape(tuple(COLUMNS), pairs["paradigm"].nunique())
    shards = {"accuracy": Shard((kind, size, settings, regime, seed), size, {"paradigms": shape})}
    signature = Signature(identity, policy, provenance())
    return Work(signature, shards, partial(_trained, pairs), title=f"{kind} on {size:,}", unit="sentences")


def _trained(pairs: pd.DataFrame, point: tuple, _) -> dict[str, pd.DataFrame]:
    kind, size, settings, regime, seed = point
    language = load_language()
    corpus, words = list(sentences(language, regime, size, seed)), tokenizer(language, "causal")
    if kind == "lstm":
        epochs = settings["updates"] * settings["batch"] / size
        settings = {name: value for name, value in settings.items() if name != "updates"} | {"epochs": epochs}
    table = evaluate_blimp(train_baseline(kind, corpus, words, name=kind, **settings), pairs).accuracy()
    length = sum(map(len, words(corpus, add_special_tokens=False)["input_ids"]))
    return {"paradigms": table.assign(model=kind, sentences=size, words=length)[COLUMNS]}


def doubling_slopes(curve: pd.DataFrame) -> pd.DataFrame:
    """The gain in accuracy for each doubling of the corpus: a straight line through accuracy against log2(words).

    Returns
    -------
    DataFrame
        model, phenomenon, slope (accuracy per doubling), low and high (95 %, from the residuals, as if the sizes were
        independent), first and last accuracy.
    """
    means = curve.groupby(["model", "phenomenon", "sentences", "words"], sort=False)["accuracy"].mean().reset_index()
    rows = []
    for (model, phenomenon), part in means.groupby(["model", "phenomenon"], sort=False):
        part = part.sort_values("words")
        x, y = np.log2(part["words"].to_numpy(float)), part["accuracy"].to_numpy()
        slope, intercept = np.polyfit(x, y, 1)
        spread = ((x - x.mean()) ** 2).sum()
        error = np.sqrt(((y - slope * x - intercept) ** 2).sum() / max(len(x) - 2, 1) / spread)
        half = t_quantile(0.95, len(x) - 2) * error if len(x) > 2 else np.nan
        rows.append((model, phenomenon, slope, slope - half, slope + half, y[0], y[-1]))
    return pd.DataFrame(rows, columns=["model", "phenomenon", "slope", "low", "high", "first", "last"])
