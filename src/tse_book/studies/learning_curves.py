"""How much text does a phenomenon need? Baselines trained on growing corpora (Warstadt et al. 2020, section 6.3).

The corpora are the laboratory's, each twice as long as the one before and beginning with it, and so are the paradigms.
An LSTM gets the same number of updates on every corpus, so that what grows is the text and not the training.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import linregress

from tse_book.baselines.baselines import BASELINES, train_baseline
from tse_book.laboratory import load_language, sentences, tokenizer
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_sentence_pairs

SIZES = tuple(1000 * 2**step for step in range(8))
UPDATES, BATCH = 2000, 64  # of the LSTM


def learning_curve(
    kinds: Iterable[str] = BASELINES, sizes: Iterable[int] = SIZES, *, regime="systematic", seed=0
) -> pd.DataFrame:
    """Accuracy of each paradigm after training a kind of baseline on so many sentences of the corpus.

    Returns a table: model, sentences, words, phenomenon, paradigm, accuracy, low, high, pairs.
    """
    pairs, language = load_sentence_pairs("laboratory"), load_language()
    words, parts, sizes = tokenizer(language, "causal"), [], list(sizes)
    for kind in kinds:
        for size in sizes:
            corpus = list(sentences(language, regime, size, seed))
            of_lstm = {"hidden": 128, "embedding": 128, "batch": BATCH, "seed": seed, "epochs": UPDATES * BATCH / size}
            model = train_baseline(kind, corpus, words, name=kind, **(of_lstm if kind == "lstm" else {"order": 5}))
            length = sum(map(len, words(corpus, add_special_tokens=False)["input_ids"]))
            parts.append(evaluate_blimp(model, pairs).accuracy().assign(model=kind, sentences=size, words=length))
    columns = ["model", "sentences", "words", "phenomenon", "paradigm", "accuracy", "low", "high", "pairs"]
    return pd.concat(parts, ignore_index=True)[columns]


def doubling_slopes(curve: pd.DataFrame) -> pd.DataFrame:
    """The gain in accuracy for each doubling of the corpus: a straight line through accuracy against log2(words).

    Returns a table: model, phenomenon, slope (accuracy per doubling), low and high (95 %, from the residuals, as if the
    sizes were independent), first and last accuracy.
    """
    means = curve.groupby(["model", "phenomenon", "sentences", "words"], sort=False)["accuracy"].mean().reset_index()
    rows = []
    for (model, phenomenon), part in means.groupby(["model", "phenomenon"], sort=False):
        x, y = part.sort_values("words")[["words", "accuracy"]].to_numpy(float).T
        line = linregress(np.log2(x), y)
        half = stdtrit(len(y) - 2, 0.975) * line.stderr if len(y) > 2 else np.nan
        rows.append((model, phenomenon, line.slope, line.slope - half, line.slope + half, y[0], y[-1]))
    return pd.DataFrame(rows, columns=["model", "phenomenon", "slope", "low", "high", "first", "last"])
