"""How probable is a sentence? Log-probabilities of tokens, words, sentences, and of the two sides of minimal pairs.

A causal model gives the chain rule: log P(sentence) is the sum of log P(token | tokens before it). A masked model has
no such sum; its *pseudo-log-likelihood* (PLL; Salazar et al. 2020) adds log P(token | all other tokens), each token
masked in turn. A word of several tokens then looks too probable, because its other pieces give it away; the variant
``pll-l2r`` (Kauf & Ivanova 2023) also masks the later pieces of the same word.

Sentences are scored as they are written. What a model reads in front of them is its policy: ``bos`` says which token a
causal model reads first (see :class:`tse_core.LanguageModel`), ``space`` whether a space precedes the first word. With
nothing in front the first token has nothing to be predicted from: it is not scored, counts 0, and is flagged.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core import forward
from tse_core.errors import InputError, unknown
from tse_core.models import LanguageModel, SurprisalModel, as_model

METHODS = ("full-sentence", "one-prefix", "two-prefix", "pll", "pll-l2r")


@dataclass(frozen=True)
class TokenScores:
    """The tokens of one sentence, without special ones, and their surprisals.

    Attributes
    ----------
    tokens : list of str; ids : (tokens,) int
        Ids are -1 for a model that gives surprisals only.
    starts, ends : (tokens,) int
        Character offsets in the sentence; a space that a token begins with is not counted as its own.
    bits : (tokens,) float64
        Surprisal, -log2 P(token | context); 0 where nothing was scored.
    scored : (tokens,) bool
        False for a first token with nothing in front.
    unknown : (tokens,) bool
        True where the tokenizer had no entry and put its unknown token.
    """

    tokens: list[str]
    ids: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    bits: np.ndarray
    scored: np.ndarray
    unknown: np.ndarray


def token_surprisals(
    model: LanguageModel | SurprisalModel | str | Path,
    sentences: Iterable[str],
    *,
    bos=None,
    space=None,
    method=None,
    advance=None,
) -> list[TokenScores]:
    """The surprisal of every token of every sentence.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    sentences : iterable of str
    bos : str, optional
    space : bool, optional
        Both default to the model's own policies.
    method : "full-sentence", "pll" or "pll-l2r", optional
        Default: the chain rule for a causal model, the original PLL for a masked one.
    advance : callable(share), optional
        Told which share of the work was done since the last call; the shares add up to 1.

    Returns
    -------
    list of TokenScores
        In bits, one a sentence, in order.

    Raises
    ------
    InputError
        Names an empty sentence; a method that does not suit the model.
    """
    model = as_model(model).with_policies(bos=bos, space=space)
    method = method or ("pll" if model.kind == "masked" else "full-sentence")
    check_method(model, method, METHODS[:1] + METHODS[3:])
    sentences = [sentences] if isinstance(sentences, str) else list(sentences)
    names = [f"sentence {number}" for number in range(1, len(sentences) + 1)]
    if not isinstance(model, LanguageModel):
        return [text.given for text in given_texts(model, sentences, names, advance)]
    texts = read_texts(model, sentences, names)
    nats = token_log_probabilities(model, texts, [text.scorable() for text in texts], method, advance)
    return [text.scores(values) for text, values in zip(texts, nats, strict=True)]


def surprisals(
    model, sentences, *, unit="token", bos=None, space=None, method=None, boundary=False, advance=None
) -> pd.DataFrame:
    """Surprisals in bits as a table, one row a token or a word.

    Parameters
    ----------
    unit : "token" or "word"
        A word is what stands between spaces, its punctuation included; its surprisal is the sum over its tokens, a
        token belonging to the word in which its first visible character lies.
    boundary : bool
        For tokenizers that write the space into the next token: count "the word ends here" with the word and not with
        its successor (Pimentel & Meister 2024; Oh & Schuler 2024); see :mod:`tse_core.sentences.boundaries`.

    Returns
    -------
    DataFrame
        sentence and position (from 0), token or word, start and end (characters), surprisal, scored, unknown; for
        words also tokens, how many it has. A word is unknown if a token of it is, scored if all of them are.

    Examples
    --------
    >>> words = surprisals("lab-systematic-causal", ["The author laughs."], unit="word")
    >>> words[["word", "surprisal", "scored"]].round(1)
          word  surprisal  scored
    0      The        0.0   False
    1   author        6.6    True
    2  laughs.       10.2    True
    """
    if unit not in ("token", "word"):
        raise unknown("unit", unit, ("token", "word"))
    model = as_model(model)
    sentences = [sentences] if isinstance(sentences, str) else list(sentences)
    scored = token_surprisals(model, sentences, bos=bos, space=space, method=method, advance=advance)
    if boundary:
        from tse_core.sentences.boundaries import with_boundaries

        scored = with_boundaries(model.with_policies(bos=bos, space=space), sentences, scored)
    rows = []
    for number, (sentence, scores) in enumerate(zip(sentences, scored, strict=True)):
        groups = [[i] for i in range(len(scores.ids))] if unit == "token" else _words(sentence, scores)
        for position, group in enumerate(groups):
            start, end = int(scores.starts[group[0]]), int(scores.ends[group].max())
            row = {"sentence": number, "position": position, "token": scores.tokens[group[0]]}
            if unit == "word":
                start, end = word_span(sentence, start)
                row = {"sentence": number, "position": position, "word": sentence[start:end], "tokens": len(group)}
            row |= {"start": start, "end": end, "surprisal": float(scores.bits[group].sum())}
            rows.append(
                row | {"scored": bool(scores.scored[group].all()), "unknown": bool(scores.unknown[group].any())}
            )
    return pd.DataFrame(rows)


class Text:
    """A sentence as the model reads it: its tokens and where they lie."""

    def __init__(self, model, sentence: str, encoding, name: str):
        self.model, self.sentence, self.name = model, sentence, name
        self.ids = encoding.ids
        self.real = np.flatnonzero(~np.asarray(encoding.special, dtype=bool))
        unknown_id = model.tokenizer.unk_token_id
        if unknown_id == model.tokenizer.eos_token_id:  # GPT-2 knows every byte; its unknown token is never used
            unknown_id = None
        self.unknown = np.zeros(len(self.ids), dtype=bool)  # never a token that the model itself puts in front
        self.unknown[self.real] = [self.ids[place] == unknown_id for place in self.real]
        spaces = len(sentence) - len(sentence.lstrip())
        starts = np.array([start for start, _ in encoding.offsets])
        for i in np.flatnonzero([start >= len(sentence) or sentence[start].isspace() for start in starts]):
            starts[i] += len(sentence[starts[i] :]) - len(sentence[starts[i] :].lstrip())
        self.starts = np.maximum(starts, spaces)
        self.ends = np.maximum([end for _, end in encoding.offsets], self.starts)

    def scorable(self) -> np.ndarray:
        """The tokens that have something to be predicted from."""
        return self.real if self.model.kind == "masked" else self.real[self.real > 0]

    @property
    def unscored(self) -> int | None:
        """The id of a first token that nothing stands in front of, so that nothing predicts it."""
        first = self.real[:1]
        return self.ids[first[0]] if len(first) and first[0] not in self.scorable() else None

    def scores(self, nats: np.ndarray) -> TokenScores:
        real, scored = self.real, np.isin(self.real, self.scorable())
        ids = np.array(self.ids)[real]
        bits = np.where(scored, -nats[real] / math.log(2), 0.0)
        return TokenScores(
            self.model.tokens(ids), ids, self.starts[real], self.ends[real], bits, scored, self.unknown[real]
        )

    def inside_word(self, token: int) -> bool:
        """Does the token go on with the letters or digits that the token before it ends with?"""
        start = self.starts[token]
        return bool(self.ends[token - 1] == start and start > 0 and self.sentence[start - 1 : start + 1].isalnum())


class GivenText:
    """A sentence whose surprisals are given by a model that keeps its probabilities to itself.

    A mark that stands for nothing in the sentence, such as its end, is no token of it. A first token that nothing
    stands in front of may have no surprisal (NaN); it counts nothing.
    """

    def __init__(self, sentence: str, found):
        self.sentence, self.starts, self.ends, self.unknown = sentence, found.starts, found.ends, found.unknown
        self.real = np.flatnonzero(found.ends > found.starts)
        self.nats = -np.asarray(found.bits) * math.log(2)
        scored, none = ~np.isnan(self.nats), np.full(len(found.tokens), -1)
        bits = np.where(scored, found.bits, 0.0)
        self.given = TokenScores(found.tokens, none, found.starts, found.ends, bits, scored, found.unknown)

    def scorable(self) -> np.ndarray:
        """The tokens that have a surprisal."""
        return self.real[self.given.scored[self.real]]

    @property
    def unscored(self) -> str | None:
        """The text of a first token whose surprisal is not given."""
        first = self.real[:1]
        return self.given.tokens[first[0]] if len(first) and not self.given.scored[first[0]] else None


def given_texts(model, sentences: Sequence[str], names: Sequence[str], advance=None) -> list[GivenText]:
    """What a model that gives surprisals only says of sentences; an empty one is named."""
    _check_sentences(sentences, names)
    found = [GivenText(*parts) for parts in zip(sentences, model.token_surprisals(sentences), strict=True)]
    if advance:
        advance(1.0)
    return found


def read_texts(model, sentences: Sequence[str], names: Sequence[str]) -> list[Text]:
    """Tokenise; an empty sentence is named."""
    _check_sentences(sentences, names)
    encodings = model.encode_batch(sentences)
    return [Text(model, *parts) for parts in zip(sentences, encodings, names, strict=True)]


def _check_sentences(sentences: Sequence[str], names: Sequence[str]) -> None:
    for sentence, name in zip(sentences, names, strict=True):
        if not isinstance(sentence, str) or not sentence.strip():
            raise InputError(f"{name}: an empty sentence cannot be scored")


def token_log_probabilities(model, texts: Sequence[Text], wanted: Sequence[np.ndarray], method, advance=None) -> list:
    """log P (nats) of the wanted tokens of each text: float64 (tokens of the text,), NaN at its others.

    Everything goes to one forward pass, which computes what several texts share (a prefix, a masked copy) once.
    """
    sequences, positions, targets = [], [], []
    for text, tokens in zip(texts, wanted, strict=True):
        for sequence, places, ids in _reads(text, tokens, method):
            sequences.append(sequence)
            positions.append(places)
            targets.append(ids)
    requests = sum(map(len, wanted))
    options = {"advance": lambda done: advance(done / requests)} if advance else {}
    values = forward.target_log_probabilities(model, sequences, positions, targets, **options)
    scores, start = [], 0
    for text, tokens in zip(texts, wanted, strict=True):
        scores.append(np.full(len(text.ids), np.nan))
        scores[-1][tokens] = values[start : start + len(tokens)]
        start += len(tokens)
    return scores


def check_method(model, method: str, known: Sequence[str] = METHODS) -> None:
    """A method that exists and suits the kind of model."""
    if method not in known:
        raise unknown("method", method, known)
    if (model.kind == "masked") != method.startswith("pll"):
        suits = "pll and pll-l2r" if model.kind == "masked" else "full-sentence, one-prefix and two-prefix"
        raise InputError(f"the method {method!r} does not suit the {model.kind} model {model.label}; {suits} do")


def word_span(sentence: str, position: int) -> tuple[int, int]:
    """Start and end of the word (what stands between spaces) around a character."""
    start = max(sentence.rfind(" ", 0, position + 1) + 1, 0)
    return start, start + len(sentence[start:].split(" ", 1)[0])


def _words(sentence: str, scores: TokenScores) -> list[list[int]]:
    """The tokens of each word, by the word in which a token's first visible character lies."""
    groups: dict[int, list[int]] = {}
    for token, start in enumerate(scores.starts):
        if scores.ids[token] < 0 and scores.ends[token] == start:  # a mark like <eos> belongs to no word
            continue
        groups.setdefault(word_span(sentence, min(int(start), len(sentence.rstrip()) - 1))[0], []).append(token)
    return list(groups.values())


def _reads(text: Text, tokens: np.ndarray, method: str):
    """(what the model reads, the positions at which it predicts, the ids that stand there), for the wanted tokens.

    A causal model reads the text once, a masked model a copy for each token.
    """
    tokens = tokens.tolist()
    if text.model.kind == "causal":
        if tokens:
            yield text.ids[: tokens[-1]], [token - 1 for token in tokens], [text.ids[token] for token in tokens]
        return
    for token in tokens:
        stop = token + 1
        while method == "pll-l2r" and stop <= text.real[-1] and text.inside_word(stop):
            stop += 1
        masks = (text.model.tokenizer.mask_token_id,) * (stop - token)
        yield (*text.ids[:token], *masks, *text.ids[stop:]), [token], [text.ids[token]]
