"""The work of scoring a suite: the token surprisals of its sentences, each token in its region."""

import hashlib
import json
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from tse_core.errors import InputError
from tse_core.results.signature import PROTOCOL_VERSION, Signature, provenance
from tse_core.results.work import Shard, Work
from tse_core.sentences.tokens import token_surprisals
from tse_core.syntaxgym.regions import assign_tokens, sentence_of
from tse_core.syntaxgym.suites import Suite
from tse_core.words import word_span

COLUMNS = ["item", "condition", "position", "token", "region", "bits", "unknown"]


def suite_work(model, suite: Suite) -> Work:
    """The work of scoring a suite's sentences, one shard; it knows nothing of predictions and metric."""
    items = hashlib.sha256(json.dumps([[item.number, item.contents] for item in suite.items]).encode()).hexdigest()[:8]
    policy = {"score": "pll"} if model.kind == "masked" else {}
    policy |= {**model.policies(), "protocol": f"syntaxgym/{PROTOCOL_VERSION}"}
    identity = {"model": model.identity(), "data": f"{suite.name}@{items}"}
    signature = Signature(identity, policy, provenance(model.device))
    words = sum(len(sentence.split()) for sentence in _different(suite))
    shards = {"suite": Shard(suite, words)}
    return Work(signature, shards, partial(_suite_tokens, model), ["tokens"], suite.name, "words", model.probe)


def _suite_tokens(model, suite: Suite, advance) -> dict[str, pd.DataFrame]:
    """The token surprisals of every sentence of a suite: ``Outcome.tokens``."""
    different = _different(suite)
    scores = dict(zip(different, token_surprisals(model, different, advance=advance), strict=True))
    rows: list[tuple] = []
    for item in suite.items:
        for condition, texts in item.contents.items():
            rows += _tokens(item.number, condition, texts, scores[item.sentence(condition)])
    return {"tokens": pd.DataFrame(rows, columns=COLUMNS)}


def _different(suite: Suite) -> list[str]:
    return list(dict.fromkeys(sentence for _, _, sentence in suite.sentences()))


def _tokens(item: int, condition: str, texts: dict[int, str], scores) -> Iterator[tuple]:
    sentence, place = sentence_of(texts), f"item {item}, condition {condition!r}"
    region = assign_tokens(texts, scores.starts, scores.ends)
    last = assign_tokens(texts, np.maximum(scores.ends - 1, scores.starts), scores.ends)
    for token in np.flatnonzero(region != last):
        if " " in sentence[scores.starts[token] : scores.ends[token]].strip():
            raise InputError(
                f"{place}: {scores.tokens[token]!r} is a token of the regions {region[token]} and {last[token]}, so "
                "that neither has a surprisal of its own; take a model whose tokens end at spaces"
            )
    if not np.isfinite(scores.bits).all():
        what = "NaN" if np.isnan(scores.bits).any() else "probability 0"
        raise InputError(f"{place}: the model gives {what} for a token of {sentence!r}")
    for position, start in enumerate(scores.starts):
        unknown = sentence[slice(*word_span(sentence, start))] if scores.unknown[position] else ""
        token, bits = scores.tokens[position], float(scores.bits[position])
        yield item, condition, position + 1, token, region[position], bits, unknown
