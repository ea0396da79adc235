"""How much text does a phenomenon need? Baselines trained on growing corpora (Warstadt et al. 2020, section 6.3).

The paper's Figure 5 has models trained on up to 64 million words. Here the corpora are the laboratory's, each one twice
as long as the one before and beginning with it, and so are the paradigms. An LSTM gets the same number of updates on
every corpus, so that what grows is the text and not the training.
"""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from tse_core.blimp import evaluate_blimp
from tse_core.datasets import data_hash, load_sentence_pairs
from tse_core.errors import InputError
from tse_core.laboratory import load_language, sentences, tokenizer
from tse_core.models import train_baseline
from tse_core.results import Signature, Store
from tse_core.uncertainty import t_quantile

SIZES = tuple(1000 * 2**step for step in range(8))
SETTINGS = {"ngram": {"order": 5}, "lstm": {"hidden": 128, "embedding": 128, "batch": 64}}
UPDATES = 2000


def learning_curve(
    kinds: Iterable[str] = ("ngram", "lstm"), sizes: Iterable[int] = SIZES, *, regime="systematic", seed=0,
    updates: int = UPDATES, store: Store | None = None, report: Callable[[str], None] = lambda line: None,
) -> pd.DataFrame:  # fmt: skip
    """Accuracy of each paradigm after training on each size.

    Parameters
    ----------
    kinds : of "ngram" and "lstm"
    sizes : sentences of the laboratory corpus
    updates : steps of an LSTM's training
    store : Store, optional
        Finished sizes are kept there.
    report : callable(line), optional

    Returns
    -------
    DataFrame
        model, sentences, words (in the corpus), phenomenon, paradigm, accuracy, low, high, pairs.
    """
    language, pairs = load_language(), load_sentence_pairs("laboratory")
    words = tokenizer(language, "causal")
    tables = []
    for kind in kinds:
        if kind not in SETTINGS:
            raise InputError(f"unknown kind of baseline {kind!r}; there is: {', '.join(SETTINGS)}")
        for size in sizes:
            settings = SETTINGS[kind] if kind == "ngram" else SETTINGS[kind] | {"updates": updates, "seed": seed}
            identity = {"model": f"{kind}-{size}", "data": f"laboratory@{data_hash(pairs)}"}
            policy = {"corpus": f"{regime}/{seed}", **{name: str(value) for name, value in settings.items()}}
            signature = Signature(identity, policy, {})
            kept = store.get(signature.key, "accuracy", ["paradigms"]) if store else None
            if kept is None:
                corpus = list(sentences(language, regime, size, seed))
                if kind == "lstm":
                    settings = {k: v for k, v in settings.items() if k != "updates"}
                    settings["epochs"] = updates * settings["batch"] / size
                model = train_baseline(kind, corpus, words, name=kind, **settings)
                table = evaluate_blimp(model, pairs).accuracy()
                length = sum(map(len, words(corpus, add_special_tokens=False)["input_ids"]))
                table = table.assign(model=kind, sentences=size, words=length)
                kept = {"paradigms": table[COLUMNS]}
                if store:
                    store.put(signature.key, "accuracy", kept)
            tables.append(kept["paradigms"])
            report(f"{kind} on {size:,} sentences: {tables[-1]['accuracy'].mean():.3f}")
    return pd.concat(tables, ignore_index=True)


COLUMNS = ["model", "sentences", "words", "phenomenon", "paradigm", "accuracy", "low", "high", "pairs"]


def doubling_slopes(curve: pd.DataFrame, by: str = "phenomenon") -> pd.DataFrame:
    """The gain in accuracy for each doubling of the corpus: a straight line through accuracy against log2(words).

    Returns
    -------
    DataFrame
        model, the group, slope (accuracy per doubling), low and high (95 %, from the residuals, as if the sizes were
        independent), first and last accuracy.
    """
    means = curve.groupby(["model", by, "sentences", "words"], sort=False)["accuracy"].mean().reset_index()
    rows = []
    for (model, group), part in means.groupby(["model", by], sort=False):
        part = part.sort_values("words")
        x, y = np.log2(part["words"].to_numpy(float)), part["accuracy"].to_numpy()
        slope, intercept = np.polyfit(x, y, 1)
        spread = ((x - x.mean()) ** 2).sum()
        error = np.sqrt(((y - slope * x - intercept) ** 2).sum() / max(len(x) - 2, 1) / spread)
        half = t_quantile(0.95, len(x) - 2) * error if len(x) > 2 else np.nan
        rows.append((model, group, slope, slope - half, slope + half, y[0], y[-1]))
    return pd.DataFrame(rows, columns=["model", by, "slope", "low", "high", "first", "last"])
