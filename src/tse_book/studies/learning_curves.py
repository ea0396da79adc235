"""How much text does a phenomenon need? Baselines trained on growing corpora (Warstadt et al. 2020, section 6.3).

The paper's Figure 5 has models trained on up to 64 million words. Here the corpora are the laboratory's, each one twice
as long as the one before and beginning with it, and so are the paradigms. An LSTM gets the same number of updates on
every corpus, so that what grows is the text and not the training.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from tse_book.baselines.baselines import train_baseline
from tse_book.laboratory import load_language, sentences, tokenizer
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import data_hash, load_sentence_pairs
from tse_core.errors import InputError
from tse_core.results.code import code_of
from tse_core.results.signature import Signature, joined_provenance, provenance
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.results.work import Shape, Shard, Work, run
from tse_core.uncertainty.quantiles import t_quantile

SIZES = tuple(1000 * 2**step for step in range(8))
SETTINGS = {"ngram": {"order": 5}, "lstm": {"hidden": 128, "embedding": 128, "batch": 64}}
UPDATES = 2000
COLUMNS = ["model", "sentences", "words", "phenomenon", "paradigm", "accuracy", "low", "high", "pairs"]


@dataclass(frozen=True)
class LearningCurve:
    """Accuracy after training on each size.

    Attributes
    ----------
    points : DataFrame
        model, sentences, words (in the corpus), phenomenon, paradigm, accuracy, low, high, pairs, signature.
    signature : Signature
        Of the whole curve; each point has its own besides.
    """

    points: pd.DataFrame
    signature: Signature

    def table(self) -> pd.DataFrame:
        """The points without their signatures."""
        return self.points[COLUMNS]

    def tidy(self) -> pd.DataFrame:
        """Every accuracy, one per row, in the columns of result files; a model is called "ngram-1000" and so on."""
        names = self.points["model"] + "-" + self.points["sentences"].astype(str)
        table = self.points.rename(columns={"paradigm": "construction", "accuracy": "score"})
        return table.assign(
            model=names, protocol="full-sentence", metric="accuracy", side="", cutoff=np.nan, coverage=np.nan,
            invalid=np.nan, lemmas=0, contexts=table["pairs"],
        )[TIDY_COLUMNS]  # fmt: skip


def learning_curve(
    kinds: Iterable[str] = ("ngram", "lstm"), sizes: Iterable[int] = SIZES, *, regime="systematic", seed=0,
    updates: int = UPDATES, store: Store | str | Path | None = None, report: Callable[[str], None] = lambda line: None,
) -> LearningCurve:  # fmt: skip
    """Accuracy of each paradigm after training on each size.

    Parameters
    ----------
    kinds : of "ngram" and "lstm"
    sizes : sentences of the laboratory corpus
    updates : steps of an LSTM's training
    store : Store or folder, optional
        Finished sizes are kept there.
    report : callable(line), optional

    Raises
    ------
    InputError
        An unknown kind.
    """
    pairs, kinds, sizes = load_sentence_pairs("laboratory"), list(kinds), list(sizes)
    for kind in kinds:
        if kind not in SETTINGS:
            raise InputError(f"unknown kind of baseline {kind!r}; there is: {', '.join(SETTINGS)}")
    policy = {"corpus": _corpus(regime, seed), "updates": str(updates)}
    parts, made, works = [], [], []
    for kind in kinds:
        for size in sizes:
            work = point_work(kind, size, pairs, regime=regime, seed=seed, updates=updates)
            done = run(work, store)
            signature = Signature(work.signature.identity, work.signature.policy, done.provenance)
            made.append(done.provenance)
            works.append(work.signature)
            parts.append(done.tables["accuracy"]["paradigms"].assign(signature=str(signature)))
            report(f"{kind} on {size:,} sentences: {parts[-1]['accuracy'].mean():.3f}")
    points = pd.concat(parts, ignore_index=True)
    name = _named("+".join(kinds), {"points": [each.identity["model"] for each in works]})
    identity = {"model": name, "data": f"laboratory@{data_hash(pairs)}"}
    return LearningCurve(points, Signature(identity, policy, joined_provenance(made)))


def point_work(kind: str, size: int, pairs: pd.DataFrame, *, regime="systematic", seed=0, updates=UPDATES) -> Work:
    """The work of one point: a baseline trained on so many sentences, scored on all paradigms."""
    settings = SETTINGS[kind] if kind == "ngram" else SETTINGS[kind] | {"updates": updates, "seed": seed}
    policy = {"corpus": _corpus(regime, seed), **{name: str(value) for name, value in settings.items()}}
    code = code_of([train_baseline, sentences, _trained])
    identity = {"model": _named(f"{kind}-{size}", {**policy, "code": code}), "data": f"laboratory@{data_hash(pairs)}"}
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


def _corpus(regime: str, seed: int) -> str:
    """Which sentences a model is trained on: regime, seed, and a hash of the language."""
    return f"{regime}/{seed}@{load_language().hash}"


def _named(name: str, settings: dict) -> str:
    """A name with a hash of how the model comes about."""
    return f"{name}@{hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]}"


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
