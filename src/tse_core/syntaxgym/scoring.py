"""The work of scoring a suite: the token surprisals of its sentences, each token in its region."""

import hashlib
import json
from functools import partial

import numpy as np
import pandas as pd

from tse_core.errors import InputError
from tse_core.models.surprisal_model import SurprisalModel
from tse_core.results.signature import PROTOCOL_VERSION, Signature, provenance
from tse_core.results.work import Shape, Shard, Work
from tse_core.syntaxgym.regions import assign_tokens, sentence_of
from tse_core.syntaxgym.suites import Suite
from tse_core.words import word_span

TOKENS = ("item", "condition", "position", "token", "region", "bits", "unknown")


def suite_work(model, suite: Suite) -> Work:
    """The work of scoring a suite's sentences, one shard; it knows nothing of predictions and metric."""
    items = hashlib.sha256(json.dumps([[item.number, item.contents] for item in suite.items]).encode()).hexdigest()[:8]
    identity = {"model": model.identity(), "data": f"{suite.name}@{items}"}
    signature = Signature(identity, policies_of(model), provenance(model.device))
    words = sum(len(sentence.split()) for sentence in _different(suite))
    shards = {"suite": Shard(suite, words, {"tokens": Shape(TOKENS, _token_count(model, suite))})}
    return Work(signature, shards, partial(_suite_tokens, model), suite.name, "words", model.probe)


def _suite_tokens(model, suite: Suite, advance) -> dict[str, pd.DataFrame]:
    """The token surprisals of every sentence of a suite: ``Outcome.tokens``."""
    from tse_core.sentences.tokens import token_surprisals

    different = _different(suite)
    scores = dict(zip(different, token_surprisals(model, different, advance=advance), strict=True))
    rows = [
        _token_rows(item.number, condition, texts, scores[item.sentence(condition)])
        for item in suite.items
        for condition, texts in item.contents.items()
    ]
    return {"tokens": pd.DataFrame({name: np.concatenate([row[name] for row in rows]) for name in rows[0]})}


def _token_count(model, suite: Suite) -> int | None:
    """How many tokens a model reads in a suite; None for one that gives surprisals only, with its own tokenizer."""
    if isinstance(model, SurprisalModel):
        return None
    different = _different(suite)
    counts = {
        sentence: encoding.special.count(False)
        for sentence, encoding in zip(different, model.encode_batch(different), strict=True)
    }
    return sum(counts[sentence] for _, _, sentence in suite.sentences())


def _different(suite: Suite) -> list[str]:
    return list(dict.fromkeys(sentence for _, _, sentence in suite.sentences()))


def policies_of(model) -> dict[str, str]:
    """How a model's surprisals are made: pseudo-log-likelihood for a masked one, what it reads before a sentence."""
    score = {"score": "pll"} if model.kind == "masked" else {}
    return {**score, **model.policies(), "protocol": f"syntaxgym/{PROTOCOL_VERSION}"}


def _token_rows(item: int, condition: str, texts: dict[int, str], scores) -> dict[str, np.ndarray]:
    sentence = sentence_of(texts)
    words = [sentence[slice(*word_span(sentence, start))] for start in scores.starts]
    first, last = (
        assign_tokens(texts, at, scores.ends) for at in (scores.starts, np.maximum(scores.ends - 1, scores.starts))
    )
    spans = zip(scores.starts, scores.ends, strict=True)
    joins = np.array([" " in sentence[start:end].strip() for start, end in spans], dtype=bool)
    for token in np.flatnonzero(joins & (first != last))[:1]:
        raise InputError(
            f"item {item}, condition {condition!r}: {scores.tokens[token]!r} is a token of the regions {first[token]} "
            f"and {last[token]}, so that neither has a surprisal of its own; take a model whose tokens end at spaces"
        )
    count = len(scores.tokens)
    unknown = [word if missing else "" for word, missing in zip(words, scores.unknown, strict=True)]
    table = {
        "item": np.full(count, item),
        "condition": np.full(count, condition, dtype=object),
        "position": np.arange(1, count + 1),
        "token": np.array(scores.tokens, dtype=object),
        "region": first,
        "bits": np.asarray(scores.bits, dtype=float),
        "unknown": np.array(unknown, dtype=object),
    }
    if not np.isfinite(table["bits"]).all():
        what = "NaN" if np.isnan(table["bits"]).any() else "probability 0"
        raise InputError(f"item {item}, condition {condition!r}: the model gives {what} for a token of {sentence!r}")
    return table
