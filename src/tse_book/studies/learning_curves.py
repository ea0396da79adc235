"""How much text does a phenomenon need? Baselines trained on growing corpora (Warstadt et al. 2020, section 6.3).

The corpora are the laboratory's, each twice as long as the one before and beginning with it, and so are the paradigms.
An LSTM gets the same number of updates on every corpus, so that what grows is the text and not the training.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from tse_book.baselines.baselines import train_baseline
from tse_book.laboratory import load_language, sentences, tokenizer
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_sentence_pairs
from tse_core.errors import check_known

SIZES = tuple(1000 * 2**step for step in range(8))
SETTINGS: dict[str, dict[str, Any]] = {
    "ngram": {"order": 5},
    "lstm": {"hidden": 128, "embedding": 128, "batch": 64, "updates": 2000},
}
COLUMNS = ["model", "sentences", "words", "phenomenon", "paradigm", "accuracy", "low", "high", "pairs"]


def learning_curve(
    kinds: Iterable[str] = tuple(SETTINGS), sizes: Iterable[int] = SIZES, *, regime="systematic", seed=0
) -> pd.DataFrame:
    """Accuracy of each paradigm (`COLUMNS`) after training a kind of baseline on so many sentences of the corpus.

    Raises InputError for an unknown kind.
    """
    pairs, language = load_sentence_pairs("laboratory"), load_language()
    words, parts, sizes = tokenizer(language, "causal"), [], list(sizes)
    for kind in kinds:
        check_known("kind of baseline", kind, SETTINGS)
        for size in sizes:
            corpus, settings = list(sentences(language, regime, size, seed)), dict(SETTINGS[kind])
            if kind == "lstm":
                settings |= {"seed": seed, "epochs": settings.pop("updates") * settings["batch"] / size}
            table = evaluate_blimp(train_baseline(kind, corpus, words, name=kind, **settings), pairs).accuracy()
            length = sum(map(len, words(corpus, add_special_tokens=False)["input_ids"]))
            parts.append(table.assign(model=kind, sentences=size, words=length))
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def doubling_slopes(curve: pd.DataFrame) -> pd.DataFrame:
    """The gain in accuracy for each doubling of the corpus: a straight line through accuracy against log2(words).

    Returns a table: model, phenomenon, slope (accuracy per doubling), low and high (95 %, from the residuals, as if the
    sizes were independent), first and last accuracy.
    """
    means = curve.groupby(["model", "phenomenon", "sentences", "words"], sort=False)["accuracy"].mean().reset_index()
    rows = []
    for (model, phenomenon), part in means.groupby(["model", "phenomenon"], sort=False):
        part = part.sort_values("words")
        x, y = np.log2(part["words"].to_numpy(float)), part["accuracy"].to_numpy()
        slope, intercept = np.polyfit(x, y, 1)
        spread = ((x - x.mean()) ** 2).sum()
        error = np.sqrt(((y - slope * x - intercept) ** 2).sum() / max(len(x) - 2, 1) / spread)
        half = stdtrit(len(x) - 2, 0.975) * error if len(x) > 2 else np.nan
        rows.append((model, phenomenon, slope, slope - half, slope + half, y[0], y[-1]))
    return pd.DataFrame(rows, columns=["model", "phenomenon", "slope", "low", "high", "first", "last"])
