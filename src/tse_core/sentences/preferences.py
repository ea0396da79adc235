"""Which of two sentences does a model prefer? The methods of BLiMP (Warstadt et al. 2020, sections 4.2 and 6.3).

======================  ======================================================  ==================
full-sentence           P(good) > P(bad), the whole sentences                   causal
one-prefix              P(word_good | prefix) > P(word_bad | prefix)            causal
two-prefix              P(word | prefix_good) > P(word | prefix_bad)            causal
pll, pll-l2r            the same as full-sentence with pseudo-log-likelihoods   masked
======================  ======================================================  ==================

A critical word may be several tokens or several words: all of them count, by the chain rule.
"""

import math
from collections import Counter
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from tse_core.datasets.loading import load_sentence_pairs
from tse_core.datasets.pairs import PREFIX_FIELDS
from tse_core.errors import InputError, check_known
from tse_core.models.loading import AnyModel, as_model
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.sentences.tokens import Advance, check_method, check_spaces, in_text, scored_tokens
from tse_core.words import First, first_letter, trimmed, word_span

POLICIES = {
    "ties": ("wrong", "half"),
    "first": get_args(First),
    "unknown_words": ("flag", "refuse"),
}


class Side(NamedTuple):
    """One sentence of a pair: its text, where its critical word starts, and the words that the other side lacks.

    Two sides with the same words in another order differ in all of them. Of a prefix and a word all behind it counts.
    """

    text: str
    critical: int = 0
    own_words: Set[str] | None = None


def score_pairs(
    model: AnyModel | str | Path,
    sentence_pairs: pd.DataFrame | str | Path,
    method: str | None = None,
    *,
    bos: str | None = None,
    space: bool | None = None,
    first: str = "as-is",
    ties: str = "wrong",
    unknown_words: str = "flag",
    advance: Advance | None = None,
) -> pd.DataFrame:
    """Score both sides of each pair and compare them.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    sentence_pairs : DataFrame, or what `load_sentence_pairs` takes
        good and bad; for the prefix methods their fields (see :mod:`tse_core.datasets.pairs`).
    method : "full-sentence" (default for causal models), "one-prefix", "two-prefix", "pll" (for masked ones) or
        "pll-l2r"
    bos, space : what the model reads before the text, by default its own policies (:class:`LanguageModel`)
    first : "as-is", "capital" or "lower", the first letter of each sentence or prefix
    ties : "wrong" or "half", how two equal scores count; ties are reported in any case
    unknown_words : "flag" or "refuse"
        With "refuse" a pair with an unknown word in its critical region is not judged: ``correct`` is NaN.

    Returns
    -------
    DataFrame
        A row per pair, with the pairs' index: paradigm and pair_id where given, logp_good and logp_bad (nats),
        length_good and length_bad (tokens scored), margin (nats), correct (1, 0, a half, or NaN), tie, unknown_good and
        unknown_bad (how many tokens), unknown_critical (an unknown word among those in which the sides differ),
        unscored_difference (the sides differ in their first token, which counts nothing without a BOS token).

    Raises
    ------
    InputError : a missing or empty field, named with its pair; a method that does not suit the model; an unknown
        policy.
    """
    check_policies(first=first, ties=ties, unknown_words=unknown_words)
    model = as_model(model).with_policies(bos=bos, space=space)
    method = check_method(model, method)
    sentence_pairs = load_sentence_pairs(sentence_pairs)
    sides = sides_of(sentence_pairs, method, first)
    found = scored_tokens(
        model, [side.text for side in sides], method, [side.critical for side in sides], advance
    )
    columns = ["logp", "length", "unknown", "unknown_critical", "unscored"]
    table = pd.DataFrame(map(_side_scores, sides, found), columns=columns)
    good, bad = (table.iloc[start::2].set_index(sentence_pairs.index) for start in (0, 1))
    scores = sentence_pairs[
        [name for name in ("paradigm", "pair_id") if name in sentence_pairs]
    ].copy()
    for name in ("logp", "length", "unknown"):
        scores[f"{name}_good"], scores[f"{name}_bad"] = good[name], bad[name]
    scores["unknown_critical"] = good["unknown_critical"] | bad["unknown_critical"]
    scores["unscored_difference"] = (good["unscored"] != bad["unscored"]) & (
        method == "full-sentence"
    )
    return judged(scores, ties=ties, unknown_words=unknown_words)


def judged(
    scores: pd.DataFrame, *, ties: str = "wrong", unknown_words: str = "flag"
) -> pd.DataFrame:
    """The same log-probabilities under other policies: margin, correct and tie are recomputed.

    A pair with a side of which no token was scored, or whose log-probability is NaN, is not judged: ``correct`` is NaN.

    >>> scores = pd.DataFrame({"logp_good": [-1.0, -2.0, -3.0], "logp_bad": [-2.0, -2.0, -1.0]})
    >>> judged(scores, ties="half")["correct"].tolist()
    [1.0, 0.5, 0.0]
    """
    good, bad = scores["logp_good"].to_numpy(), scores["logp_bad"].to_numpy()
    tie = good == bad
    margin = np.subtract(good, bad, out=np.zeros(len(good)), where=~tie)
    correct = np.where(tie, 0.5 if ties == "half" else 0.0, good > bad)
    compared = ~(np.isnan(good) | np.isnan(bad))
    for length in ("length_good", "length_bad"):
        compared &= np.asarray(scores[length]) > 0 if length in scores else True
    correct = np.where(compared, correct, np.nan)
    if unknown_words == "refuse":
        correct = np.where(scores["unknown_critical"], np.nan, correct)
    return scores.assign(margin=margin, correct=correct, tie=tie)


def check_policies(**chosen: str) -> None:
    """Each policy has one of its values."""
    for policy, value in chosen.items():
        check_known(f"policy for {policy}", value, POLICIES[policy])


def sides_of(pairs: pd.DataFrame, method: str, first: str = "as-is") -> list[Side]:
    """Both sides of each pair as sentences are read (`tse_core.words.trimmed`), good first.

    Raises InputError: no pairs; a field that the method needs is missing, or empty, which is named with its pair.
    """
    needed = PREFIX_FIELDS.get(method, ("good", "bad"))
    if missing := [field for field in needed if field not in pairs]:
        raise InputError(
            f"the {method} method needs the column {missing[0]!r}; the table has {', '.join(pairs)}"
        )
    if pairs.empty:
        raise InputError("there are no pairs to score")
    sides = []
    for number, fields in enumerate(pairs[list(needed)].to_numpy()):
        for field, value in zip(needed, fields, strict=True):
            if not isinstance(value, str) or not value.strip():
                named = [
                    str(pairs[name].iloc[number])
                    for name in ("paradigm", "pair_id")
                    if name in pairs
                ]
                name = "/".join(named) or pairs.index[number]
                raise InputError(f"pair {name}: {field} is empty; the {method} method needs it")
        if method in PREFIX_FIELDS:
            a, b, c = fields
            for prefix, word in ((a, b), (a, c)) if method == "one-prefix" else ((a, c), (b, c)):
                prefix = first_letter(trimmed(prefix), first)
                sides.append(Side(f"{prefix} {trimmed(word)}", len(prefix)))
        else:
            both = [first_letter(trimmed(sentence), first) for sentence in fields]
            good, bad = (Counter(text.split()) for text in both)
            own = (good, bad) if good == bad else (good - bad, bad - good)
            sides += [
                Side(text, own_words=set(words)) for text, words in zip(both, own, strict=True)
            ]
    return sides


def _side_scores(side: Side, tokens: TokenSurprisals) -> tuple[float, int, int, bool, str]:
    """log P (nats) of what counts of a side, how many tokens that is, how many of all are unknown, whether one of those
    in which the sides differ is, and the first token where nothing predicts it."""
    text, here = side.text, in_text(tokens)
    check_spaces(text, tokens, lambda start, end: start < side.critical < end - 1)
    counted = here & tokens.scored & (tokens.starts >= side.critical)
    differing, first = counted, np.flatnonzero(here)[:1]
    if side.own_words is not None:
        words = (text[slice(*word_span(text, int(start)))] for start in tokens.starts)
        differing = np.array([word in side.own_words for word in words], dtype=bool)
    unknown, logp = tokens.unknown & here, math.fsum(-tokens.bits[counted] * math.log(2))
    unscored = "".join(
        f"{tokens.ids[place]} {tokens.tokens[place]}" for place in first if not tokens.scored[place]
    )
    return logp, int(counted.sum()), int(unknown.sum()), bool((unknown & differing).any()), unscored
