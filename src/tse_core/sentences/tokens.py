"""How probable is a sentence? Log-probabilities of its tokens and words.

A causal model gives the chain rule: log P(sentence) is the sum of log P(token | tokens before it). A masked model has
no such sum; its *pseudo-log-likelihood* (PLL; Salazar et al. 2020) adds log P(token | all other tokens), each token
masked in turn. A word of several tokens then looks too probable, because its other pieces give it away; the variant
``pll-l2r`` (Kauf & Ivanova 2023) also masks the later pieces of the same word. A word is what the
tokenizer itself divides a text into before it cuts pieces (`word_ids` in Hugging Face's library),
as in published code: BERT's makes a word of each Chinese character and each mark, RoBERTa's divides
*1980* from *s*, and one of SentencePiece's kind divides at spaces alone, so that the final mark
belongs to the last word.

Sentences are read as they are written, without white space at their ends (`tse_core.words.trimmed`), after what the
policies of :class:`tse_core.LanguageModel` put before them. Without a BOS token the first token has no context that
predicts it: it is not scored, counts 0, and is flagged.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from tse_core.errors import InputError, check_known
from tse_core.forward import passes
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import AnyModel, as_model
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.models.tokenizing import Encoding
from tse_core.models.word_ends import of_word
from tse_core.words import trimmed, word_span

METHODS = ("full-sentence", "one-prefix", "two-prefix", "pll", "pll-l2r")
Advance: TypeAlias = Callable[
    [float], object
]  # takes the share of the work done since the last call
OF_EACH_TOKEN = ("full-sentence", "pll", "pll-l2r")  # those that score all tokens of a sentence


def token_surprisals(
    model: AnyModel | str | Path,
    sentences: Iterable[str],
    *,
    bos: str | None = None,
    space: bool | None = None,
    method: str | None = None,
    advance: Advance | None = None,
) -> list[TokenSurprisals]:
    """The surprisal of every token of every sentence, in bits, one `TokenSurprisals` per sentence in order.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    bos, space : by default the model's own policies
    method : "full-sentence", "pll" or "pll-l2r"; by default the chain rule, or for a masked model the original PLL
    advance : called with the share of the work done since the last call; the shares add up to 1

    Raises
    ------
    InputError : an empty sentence, which is named; a method that does not suit the model.
    """
    model = as_model(model).with_policies(bos=bos, space=space)
    method = check_method(model, method, OF_EACH_TOKEN)
    sentences = [sentences] if isinstance(sentences, str) else list(sentences)
    for number, sentence in enumerate(sentences, 1):
        if not isinstance(sentence, str) or not sentence.strip():
            raise InputError(f"sentence {number}: an empty sentence cannot be scored")
    return scored_tokens(model, list(map(trimmed, sentences)), method, advance=advance)


def surprisals(
    model: AnyModel | str | Path,
    sentences: Iterable[str],
    *,
    unit: Literal["token", "word"] = "token",
    bos: str | None = None,
    space: bool | None = None,
    method: str | None = None,
    advance: Advance | None = None,
) -> pd.DataFrame:
    """Surprisals in bits as a table, one row per token or word.

    Parameters
    ----------
    unit : "token" or "word"
        A word is the text between white space, including punctuation; its surprisal is the sum over its tokens, a
        token belonging to the word in which its first visible character lies.
    bos, space, method, advance : as in `token_surprisals`

    Returns
    -------
    DataFrame with sentence and position (from 0), token or word, start and end (characters of the sentence without
    white space at its ends), surprisal, scored, unknown; for words also tokens, how many it has. A word is unknown if a
    token of it is, scored if all of them are.

    Examples
    --------
    >>> words = surprisals("lab-systematic-causal", ["The author laughs."], unit="word")
    >>> words[["word", "surprisal", "scored"]].round(1)
          word  surprisal  scored
    0      The        0.0   False
    1   author        6.6    True
    2  laughs.       10.2    True
    """
    check_known("unit", unit, ("token", "word"))
    sentences = [sentences] if isinstance(sentences, str) else list(sentences)
    scored = token_surprisals(
        model, sentences, bos=bos, space=space, method=method, advance=advance
    )
    rows = []
    for number, (sentence, scores) in enumerate(zip(map(trimmed, sentences), scored, strict=True)):
        groups = (
            [[i] for i in range(len(scores.ids))] if unit == "token" else _words(sentence, scores)
        )
        for position, group in enumerate(groups):
            start, end = int(scores.starts[group[0]]), int(scores.ends[group].max())
            row = {"sentence": number, "position": position, "token": scores.tokens[group[0]]}
            if unit == "word":
                start, end = word_span(sentence, start)
                row = {
                    "sentence": number,
                    "position": position,
                    "word": sentence[start:end],
                    "tokens": len(group),
                }
            row |= {"start": start, "end": end, "surprisal": float(scores.bits[group].sum())}
            row |= {
                "scored": bool(scores.scored[group].all()),
                "unknown": bool(scores.unknown[group].any()),
            }
            rows.append(row)
    return pd.DataFrame(rows)


def scored_tokens(
    model: AnyModel,
    texts: Sequence[str],
    method: str,
    since: Sequence[int] | None = None,
    advance: Advance | None = None,
) -> list[TokenSurprisals]:
    """`token_surprisals` of trimmed texts; a language model scores no tokens before the characters `since`.

    Everything goes to one forward pass, which computes what several texts share (a prefix, a masked copy) once.
    """
    if not texts:
        return []
    if not isinstance(model, LanguageModel):
        given = model.token_surprisals(texts)
        if advance:
            advance(1.0)
        return given
    encodings = model.encode_batch(texts)
    entries = sorted({entry for encoding in encodings for entry in encoding.ids})
    words = dict(zip(entries, model.tokens(entries), strict=True))
    found: list[TokenSurprisals] = []
    reads: list[tuple] = []
    for text, encoding, first in zip(texts, encodings, since or [0] * len(texts), strict=True):
        places = np.flatnonzero(~np.asarray(encoding.special, dtype=bool))
        tokens = _tokenized(model, text, encoding, places, words)
        tokens.scored[tokens.starts < first] = False
        reads += _reads(model, encoding, tokens, places, method)
        found.append(tokens)
    sequences, positions, targets = ([read[part] for read in reads] for part in range(3))
    sizes = np.cumsum([tokens.scored.sum() for tokens in found])
    options: dict = {"advance": lambda done: advance(done / sizes[-1])} if advance else {}
    nats = passes.target_log_probabilities(model, sequences, positions, targets, **options)
    for tokens, of_text in zip(found, np.split(nats, sizes[:-1]), strict=True):
        tokens.bits[tokens.scored] = -of_text / math.log(2)
    return found


def in_text(tokens: TokenSurprisals) -> np.ndarray:
    """Which tokens stand for something in the sentence; a mark such as <eos> does not."""
    return (tokens.ids >= 0) | (tokens.ends > tokens.starts)


def check_method(model: AnyModel, method: str | None, known: Sequence[str] = METHODS) -> str:
    """The method, by default full sentences for a causal model and the original PLL for a masked one.

    Raises InputError for one that does not exist or does not suit the kind of model.
    """
    method = method or ("pll" if model.kind == "masked" else "full-sentence")
    check_known("method", method, known)
    if (model.kind == "masked") != method.startswith("pll"):
        suits = (
            "pll and pll-l2r"
            if model.kind == "masked"
            else "full-sentence, one-prefix and two-prefix"
        )
        raise InputError(
            f"the method {method!r} does not suit the {model.kind} model {model.label}; {suits} do"
        )
    return method


def check_spaces(
    sentence: str,
    tokens: TokenSurprisals,
    where: Callable[[int, int], bool] = lambda start, end: True,
) -> None:
    """Raises InputError for a token that belongs to two words, if `where` of its characters says that it matters."""
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        text = sentence[start:end].strip()
        if any(map(str.isspace, text)) and where(start, end):
            raise InputError(
                f"{sentence!r}: {text!r} is one token, so that its words have no surprisals of their own; score whole "
                "sentences, or take a model whose tokens end at spaces"
            )


def _words(sentence: str, scores: TokenSurprisals) -> list[list[int]]:
    """The tokens of each word, by the word in which a token's first visible character lies."""
    groups: dict[int, list[int]] = {}
    check_spaces(sentence, scores)
    for token in np.flatnonzero(in_text(scores)).tolist():
        start = min(int(scores.starts[token]), len(sentence) - 1)
        groups.setdefault(word_span(sentence, start)[0], []).append(token)
    return list(groups.values())


def _tokenized(
    model: LanguageModel, text: str, encoding, places: np.ndarray, words: dict[int, str]
) -> TokenSurprisals:
    """The tokens of a sentence, which are at these places of what the model reads; none has its surprisal yet."""
    ids = np.array(encoding.ids)[places]
    starts, ends = _spans(text, encoding, places)
    scored = (places > 0) | (model.kind == "masked")  # a causal model needs something before it
    unknown, tokens = (
        ids == (-1 if model.unknown_id is None else model.unknown_id),
        [words[i] for i in ids.tolist()],
    )
    return TokenSurprisals(tokens, ids, starts, ends, np.zeros(len(ids)), scored, unknown)


def _spans(text: str, encoding: Encoding, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the tokens at these places start and end, without the space before a word: int (tokens,)."""
    starts, ends = np.array(encoding.offsets)[places].reshape(-1, 2).T.copy()
    for i, start in enumerate(starts):
        if text[start : start + 1].isspace():
            starts[i] += len(text[start:]) - len(text[start:].lstrip())
    return starts, np.maximum(ends, starts)


def _reads(
    model, encoding: Encoding, tokens: TokenSurprisals, places: np.ndarray, method: str
) -> Iterator[tuple]:
    """(sequence that the model reads, positions at which it predicts, ids to predict), for the tokens to be scored.

    A causal model reads the sentence once, a masked model a copy for each token.
    """
    read, scored = encoding.ids, np.flatnonzero(tokens.scored).tolist()
    if model.kind == "causal":
        if scored:
            yield (
                read[: places[scored[-1]]],
                [int(places[i]) - 1 for i in scored],
                tokens.ids[scored].tolist(),
            )
        return
    words = [encoding.words[place] for place in places]
    for token in scored:
        stop, place = token + 1, int(places[token])
        while method == "pll-l2r" and stop < len(words) and words[stop] == words[token]:
            stop += 1
        masks = (model.tokenizer.mask_token_id,) * (stop - token)
        yield (
            (*read[:place], *masks, *read[place + len(masks) :]),
            [place],
            [int(tokens.ids[token])],
        )


def words_policy(model: AnyModel, texts: Iterable[str], method: str) -> dict[str, str]:
    """The policy ``words: tokenizer`` where the tokenizer's words differ from runs of letters and digits.

    Under `pll-l2r`, for signatures; else none. Such runs were the words before `word_ids` were.
    """
    if method != "pll-l2r" or not isinstance(model, LanguageModel):
        return {}
    texts = list(dict.fromkeys(texts))
    for text, encoding in zip(texts, model.encode_batch(texts), strict=True):
        places = np.flatnonzero(~np.asarray(encoding.special, dtype=bool))
        starts, ends = _spans(text, encoding, places)
        for before, after in pairwise(range(len(places))):
            one_word = encoding.words[places[before]] == encoding.words[places[after]]
            if one_word != _of_letters(text, starts, ends, after):
                return {"words": "tokenizer"}
    return {}


def _of_letters(text: str, starts: np.ndarray, ends: np.ndarray, token: int) -> bool:
    """Whether a token goes on with the letters, marks or digits at the end of the token before it.

    It does, too, if it is the rest of a character, or follows one that is only the space before a
    word.
    """
    start, first, last = starts[token], starts[token - 1], ends[token - 1]
    return last >= start and (
        start < last or first == last or all(map(of_word, text[start - 1 : start + 1]))
    )
