"""Which of two sentences does a model prefer? The methods of BLiMP.

See Warstadt et al. (2020), sections 4.2 and 6.3.

======================  ======================================================  ==================
full-sentence           P(good) > P(bad), the whole sentences                   causal
one-prefix              P(word_good | prefix) > P(word_bad | prefix)            causal, masked
two-prefix              P(word | prefix_good) > P(word | prefix_bad)            causal, masked
pll, pll-l2r            the same as full-sentence with pseudo-log-likelihoods   masked
======================  ======================================================  ==================

A critical word may be several tokens or several words: all of them count, by the chain rule, or of
a masked model by the pseudo-log-likelihood, which sums log P(token | prefix, its other tokens). Of
several wrong words (`tse_core.datasets.completions`) the likeliest one is compared.

A sum of log-probabilities favours the shorter sentence. With `normalise` whole sentences are
compared by it divided by a length:

    log P(good) / length(good) > log P(bad) / length(bad)

The length is in tokens, as MultiBLiMP has it (Jumelet et al. 2025), in characters (``acc_norm`` of
lm-evaluation-harness, which always reads a token before the text) or in bytes of UTF-8 (its
``acc_bytes``). **Only what is scored divides**: without a BOS token the first token has no score,
and neither it nor its characters count in the length.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from itertools import chain, islice
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd

from tse_core.datasets.completions import completed, usual_method
from tse_core.datasets.loading import load_sentence_pairs
from tse_core.datasets.pairs import FURTHER_BAD, PREFIX_FIELDS
from tse_core.errors import InputError, check_known
from tse_core.files import parse_json
from tse_core.models.loading import AnyModel, as_model
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.sentences.tokens import Advance, Method, check_method, scored_tokens
from tse_core.sentences.units import check_spaces, in_text
from tse_core.words import First, first_letter, trimmed, word_span

Normalise: TypeAlias = Literal["token", "char", "byte"]  # the unit of a sentence's length
Ties: TypeAlias = Literal["wrong", "half"]  # how two equal scores count
# What becomes of pairs with an unknown word.
UnknownWords: TypeAlias = Literal["flag", "refuse"]
POLICIES = {
    "ties": get_args(Ties),
    "first": get_args(First),
    "unknown_words": get_args(UnknownWords),
}


_LABELS = ("paradigm", "pair_id")  # columns that name a pair


class Side(NamedTuple):
    """One sentence of a pair.

    Of a prefix and its continuation, all of the continuation is critical; of whole sentences, the
    words that the other side lacks, or all words where the two differ only in their order.
    """

    text: str
    critical: int = 0  # the start of the continuation, in characters
    own_words: Set[str] | None = None  # those that the other side lacks; None with a prefix


class _SideScores(NamedTuple):
    """What a model says of one sentence of a pair."""

    logp: float  # nats, of the tokens that count
    length: int  # how many these are; of whole sentences in the unit of `normalise`
    unknown: int  # how many tokens of the sentence are unknown
    unknown_critical: bool  # whether one of the words in which the sides differ is
    unscored: str  # the first token, if nothing predicts it, else ""


def score_pairs(
    model: AnyModel | str | Path,
    sentence_pairs: pd.DataFrame | str | Path,
    method: Method | None = None,
    *,
    bos: str | None = None,
    space: bool | None = None,
    first: First = "as-is",
    ties: Ties = "wrong",
    unknown_words: UnknownWords = "flag",
    normalise: Normalise | None = None,
) -> pd.DataFrame:
    """Score both sides of each pair and compare them.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    sentence_pairs : DataFrame, or what `load_sentence_pairs` takes
        good and bad; for the prefix methods their fields (see :mod:`tse_core.datasets.pairs`), and
        for one-prefix any further wrong words (`FURTHER_BAD`).
    method : "full-sentence", "one-prefix", "two-prefix", "pll", "pll-l2r" or "left-context"
        By default the usual one of the pairs: of completions a prefix method, else "full-sentence"
        for causal models and "pll" for masked ones.
    bos, space : what the model reads before the text
        By default its own policies (:class:`LanguageModel`).
    first : "as-is", "capital" or "lower", the first letter of each sentence or prefix
    ties : "wrong" or "half", how two equal scores count; ties are reported in any case
    unknown_words : "flag" or "refuse"
        With "refuse" a pair with an unknown word in its critical region is not judged: ``correct``
        is NaN.
    normalise : "token", "char" or "byte"
        Compare log P / length, with the length of each sentence in this unit, of what is scored: a
        first token without a BOS token before it does not divide. By default sums are compared. Not
        for the prefix methods, which score words after a prefix.

    Returns
    -------
    DataFrame
        A row per pair, with the pairs' index: paradigm and pair_id if the pairs have them,
        logp_good and logp_bad (nats), length_good and length_bad (tokens scored, or what is scored
        in the unit of `normalise`), margin (nats, or nats per unit), correct (1, 0, a half, or
        NaN), tie, unknown_good and unknown_bad (how many tokens),
        unknown_critical (an unknown word among those in which the sides differ),
        unscored_difference (the sides differ in their first token, which counts nothing without a
        BOS token). Where pairs have further wrong words, bad_option is the number of the likeliest
        one, from 0; it is the bad side of the pair.

    Raises
    ------
    InputError : a missing or empty field, named with its pair; a method that does not suit the
        model; an unknown policy.
    """
    check_policies(first=first, ties=ties, unknown_words=unknown_words)
    model = as_model(model).with_policies(bos=bos, space=space)
    sentence_pairs = load_sentence_pairs(sentence_pairs)
    if method is None:
        method = usual_method_of(sentence_pairs.columns, sentence_pairs.get("methods"))
    method = check_method(model.kind, model.label, method)
    check_normalise(normalise, method)
    scores = scored_pairs(model, sentence_pairs, method, first=first, normalise=normalise)
    return judged(scores, ties=ties, unknown_words=unknown_words, normalise=normalise)


def scored_pairs(
    model: AnyModel,
    sentence_pairs: pd.DataFrame,
    method: Method,
    *,
    first: First,
    normalise: Normalise | None,
    advance: Advance | None = None,
) -> pd.DataFrame:
    """`score_pairs` of loaded pairs under checked policies, without the columns of `judged`."""
    sides_of_pairs = sides_of(sentence_pairs, method, first)
    sides = list(chain.from_iterable(sides_of_pairs))
    tokens_of_sides = scored_tokens(
        model, [side.text for side in sides], method, [side.critical for side in sides], advance
    )
    scores_of_sides = []
    for side, tokens in zip(sides, tokens_of_sides, strict=True):
        scores_of_sides.append(_side_scores(side, tokens, normalise))
    goods, bads, bad_options = [], [], []
    scores_in_order = iter(scores_of_sides)
    for sides in sides_of_pairs:
        good_side, *bad_sides = islice(scores_in_order, len(sides))
        option = _likeliest(bad_sides)
        goods.append(good_side)
        bads.append(bad_sides[option])
        bad_options.append(option)
    good = pd.DataFrame(goods, sentence_pairs.index, _SideScores._fields)
    bad = pd.DataFrame(bads, sentence_pairs.index, _SideScores._fields)
    labels = [name for name in _LABELS if name in sentence_pairs]
    scores = sentence_pairs[labels].copy()
    if FURTHER_BAD in sentence_pairs and method == "one-prefix":
        scores["bad_option"] = bad_options
    for name in ("logp", "length", "unknown"):
        scores[f"{name}_good"] = good[name]
        scores[f"{name}_bad"] = bad[name]
    scores["unknown_critical"] = good["unknown_critical"] | bad["unknown_critical"]
    # Of a prefix nothing counts, and a masked model scores its first token, too.
    scores["unscored_difference"] = False
    if method == "full-sentence":
        scores["unscored_difference"] = good["unscored"] != bad["unscored"]
    return scores


def judged(
    scores: pd.DataFrame,
    *,
    ties: Ties = "wrong",
    unknown_words: UnknownWords = "flag",
    normalise: Normalise | None = None,
) -> pd.DataFrame:
    """The same log-probabilities under other policies: margin, correct and tie are recomputed.

    A pair with a side of which no token was scored, or whose log-probability is NaN, is not judged:
    ``correct`` is NaN. With `normalise` the lengths of the table divide, which are in the unit for
    which it was made (tokens by default).

    >>> scores = pd.DataFrame({"logp_good": [-1.0, -2.0, -3.0], "logp_bad": [-2.0, -2.0, -1.0]})
    >>> judged(scores, ties="half")["correct"].tolist()
    [1.0, 0.5, 0.0]
    """
    good, bad = scores["logp_good"].to_numpy(), scores["logp_bad"].to_numpy()
    if normalise is not None:
        good = _per_unit(good, scores["length_good"].to_numpy())
        bad = _per_unit(bad, scores["length_bad"].to_numpy())
    tie = good == bad
    margin = np.subtract(good, bad, out=np.zeros(len(good)), where=~tie)
    credit = 0.5 if ties == "half" else 0.0
    correct = np.where(tie, credit, good > bad)
    compared = ~(np.isnan(good) | np.isnan(bad))
    for length in ("length_good", "length_bad"):
        if length in scores:
            compared &= np.asarray(scores[length]) > 0
    correct = np.where(compared, correct, np.nan)
    if unknown_words == "refuse":
        correct = np.where(scores["unknown_critical"], np.nan, correct)
    return scores.assign(margin=margin, correct=correct, tie=tie)


def check_normalise(normalise: str | None, method: str) -> None:
    """Raise InputError for a unit of length that does not exist, or for a prefix method."""
    if normalise is None:
        return
    check_known("unit to normalise by", normalise, get_args(Normalise))
    if method in PREFIX_FIELDS:
        raise InputError(
            f"the {method} method scores words after a prefix, so that no length of a sentence can "
            "divide; normalise whole sentences (full-sentence, pll, pll-l2r)"
        )


def check_policies(**policies: str) -> None:
    """Raise InputError for a policy with a value that is none of its `POLICIES`."""
    for policy, value in policies.items():
        check_known(f"policy for {policy}", value, POLICIES[policy])


def usual_method_of(
    names_of_columns: Collection[str], methods: Iterable[str] | None
) -> Method | None:
    """The usual method of pairs with these columns; None of whole sentences: the model's own.

    `methods` are those that each pair allows, the usual one first, where they are known. Raises
    InputError for pairs whose usual methods differ.
    """
    usual = {usual_method(names_of_columns)}
    if "good" in names_of_columns:
        usual = {"full-sentence"}
    if methods is not None:
        usual = {str(of_pair).partition(" ")[0] for of_pair in methods}
    if len(usual) > 1:
        raise InputError(
            f"some pairs are compared by {', some by '.join(sorted(usual))}; score the data sets "
            "one by one, or choose a method for all"
        )
    if "one-prefix" in usual:
        return "one-prefix"
    return "two-prefix" if "two-prefix" in usual else None


def sides_of(pairs: pd.DataFrame, method: str, first: str = "as-is") -> list[list[Side]]:
    """The sides of each pair as sentences are read (`tse_core.words.trimmed`): good, then bad.

    There are two, or more where there are further wrong words after a prefix. Raises InputError: no
    pairs; a field that the method needs is missing, or empty, which is named with its pair.
    """
    fields = PREFIX_FIELDS.get(method, ("good", "bad"))
    missing = [field for field in fields if field not in pairs]
    if missing:
        raise InputError(
            f"the {method} method needs the column {missing[0]!r}; the table has {', '.join(pairs)}"
        )
    if pairs.empty:
        raise InputError("there are no pairs to score")
    sides: list[list[Side]] = []
    for number, values in enumerate(pairs[list(fields)].to_numpy()):
        for field, value in zip(fields, values, strict=True):
            if not isinstance(value, str) or not value.strip():
                pair = name_of_pair(pairs, number)
                raise InputError(f"pair {pair}: {field} is empty; the {method} method needs it")
        if method == "one-prefix":
            prefix, *words = values
            words += further_bad(pairs, number)
            sides.append([_continued(prefix, word, first) for word in words])
        elif method == "two-prefix":
            good, bad, word = values
            sides.append([_continued(good, word, first), _continued(bad, word, first)])
        else:
            good, bad = values
            sides.append(_whole_sentences(good, bad, first))
    return sides


def further_bad(pairs: pd.DataFrame, number: int) -> list[str]:
    """The wrong words of a pair besides its first one. Raises InputError for what is no list."""
    if FURTHER_BAD not in pairs:
        return []
    cell = pairs[FURTHER_BAD].iloc[number]
    if not isinstance(cell, str) or not cell:
        return []
    where = f"pair {name_of_pair(pairs, number)}: {FURTHER_BAD}"
    words = parse_json(cell, where)
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise InputError(f"{where} is no list of texts")
    return words


def name_of_pair(pairs: pd.DataFrame, number: int) -> str:
    """The paradigm and id of a pair for a message; its index where it has no id."""
    labels = [str(pairs[name].iloc[number]) for name in _LABELS if name in pairs]
    if "pair_id" not in pairs:
        labels.append(str(pairs.index[number]))
    return "/".join(labels)


def _continued(prefix: str, word: str, first: str) -> Side:
    """A prefix and the word, or words, after it."""
    prefix = first_letter(trimmed(prefix), first)
    return Side(completed(prefix, word), critical=len(prefix))


def _whole_sentences(good: str, bad: str, first: str) -> list[Side]:
    """Both sides of a pair of whole sentences."""
    good, bad = first_letter(trimmed(good), first), first_letter(trimmed(bad), first)
    good_words, bad_words = Counter(good.split()), Counter(bad.split())
    if good_words == bad_words:  # in another order
        return [Side(good, own_words=set(good_words)), Side(bad, own_words=set(bad_words))]
    return [
        Side(good, own_words=set(good_words - bad_words)),
        Side(bad, own_words=set(bad_words - good_words)),
    ]


def _likeliest(sides: Sequence[_SideScores]) -> int:
    """The position of the likeliest side; the first that cannot be compared, if there is one.

    That has no token that is scored, or NaN, and its pair is not judged.
    """
    for option, side in enumerate(sides):
        if not side.length or math.isnan(side.logp):
            return option
    return max(range(len(sides)), key=lambda option: sides[option].logp)


def _per_unit(logp: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Log-probabilities (nats) divided by lengths; NaN where there is no length. Arrays (n,)."""
    rates = np.full(len(logp), np.nan)
    np.divide(logp, lengths, out=rates, where=lengths > 0)
    return rates


def _side_scores(side: Side, tokens: TokenSurprisals, normalise: Normalise | None) -> _SideScores:
    """What the tokens of a side add up to.

    Raises InputError for a token that covers the end of the prefix and more than a space after it.
    """
    # A mark such as <eos> is a token, and no part of the sentence.
    visible = in_text(tokens)
    check_spaces(side.text, tokens, lambda start, end: start < side.critical < end - 1)
    counted = visible & tokens.scored & (tokens.starts >= side.critical)
    critical = counted
    if side.own_words is not None:
        spans = [word_span(side.text, int(start)) for start in tokens.starts]
        critical = np.array([side.text[a:b] in side.own_words for a, b in spans], dtype=bool)
    unknown = tokens.unknown & visible
    unscored = ""
    # Without a BOS token nothing predicts the first token.
    positions = np.flatnonzero(visible)
    if len(positions) and not tokens.scored[positions[0]]:
        unscored = f"{tokens.ids[positions[0]]} {tokens.tokens[positions[0]]}"
    length = int(counted.sum())
    if normalise in ("char", "byte"):
        length = _text_length(side.text, tokens, visible, normalise)
    return _SideScores(
        logp=math.fsum(-tokens.bits[counted] * math.log(2)),
        length=length,
        unknown=int(unknown.sum()),
        unknown_critical=bool((unknown & critical).any()),
        unscored=unscored,
    )


def _text_length(text: str, tokens: TokenSurprisals, visible: np.ndarray, unit: str) -> int:
    """Characters or bytes (UTF-8) of a sentence that are scored: all but those of unscored tokens.

    A character of which one token is scored and another is not counts.
    """
    # White space between tokens counts. Scored tokens are marked last, over unscored ones.
    scored = np.ones(len(text), dtype=bool)
    for is_scored in (False, True):
        for token in np.flatnonzero(visible & (tokens.scored == is_scored)):
            scored[tokens.starts[token] : tokens.ends[token]] = is_scored
    if not (visible & tokens.scored).any():
        return 0
    if unit == "char":
        return int(scored.sum())
    bytes_of_characters = [len(character.encode("utf-8", "surrogatepass")) for character in text]
    return int(np.array(bytes_of_characters)[scored].sum())
