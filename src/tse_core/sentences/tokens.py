"""How probable is a sentence? Log-probabilities of tokens, words, sentences, and of the two sides of minimal pairs.

A causal model gives the chain rule: log P(sentence) is the sum of log P(token | tokens before it). A masked model has
no such sum; its *pseudo-log-likelihood* (PLL; Salazar et al. 2020) adds log P(token | all other tokens), each token
masked in turn. A word of several tokens then looks too probable, because its other pieces give it away; the variant
``pll-l2r`` (Kauf & Ivanova 2023) also masks the later pieces of the same word.

Sentences are read in plain spelling (`tse_core.words.plain`), otherwise as they are written. What a model reads
before them is its policy: ``bos`` says which token a causal model reads first (see :class:`tse_core.LanguageModel`),
``space`` whether a space precedes the first word. Without a BOS token the first token has no context that predicts it:
it is not scored, counts 0, and is flagged.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.errors import InputError, check_known
from tse_core.forward import passes
from tse_core.models.coerce import AnyModel, as_model
from tse_core.models.language_model import LanguageModel
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.sentences.texts import Sentence, read_sentences
from tse_core.words import plain, word_span

METHODS = ("full-sentence", "one-prefix", "two-prefix", "pll", "pll-l2r")
OF_EACH_TOKEN = ("full-sentence", "pll", "pll-l2r")  # those that score all tokens of a sentence


def token_surprisals(
    model: AnyModel | str | Path, sentences: Iterable[str], *, bos=None, space=None, method=None, advance=None
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
    names = [f"sentence {number}" for number in range(1, len(sentences) + 1)]
    read = read_sentences(model, sentences, names)
    nats = token_log_probabilities(model, read, [np.flatnonzero(each.scorable) for each in read], method, advance)
    if not isinstance(model, LanguageModel):
        return [each.given for each in read if each.given]
    found = []
    for each, values in zip(read, nats, strict=True):
        bits = np.where(each.scorable, -values / math.log(2), 0.0)
        of_tokens = each.ids, each.starts, each.ends, bits, each.scorable, each.unknown
        found.append(TokenSurprisals(model.tokens(each.ids.tolist()), *of_tokens))
    return found


def surprisals(model, sentences, *, unit="token", bos=None, space=None, method=None, advance=None) -> pd.DataFrame:
    """Surprisals in bits as a table, one row per token or word.

    Parameters
    ----------
    unit : "token" or "word"
        A word is the text between spaces, including punctuation; its surprisal is the sum over its tokens, a
        token belonging to the word in which its first visible character lies.
    bos, space, method, advance : as in `token_surprisals`

    Returns
    -------
    DataFrame with sentence and position (from 0), token or word, start and end (characters of the sentence in plain
    spelling), surprisal, scored, unknown; for words also tokens, how many it has. A word is unknown if a token of it
    is, scored if all of them are.

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
    sentences = [plain(sentence) for sentence in ([sentences] if isinstance(sentences, str) else sentences)]
    scored = token_surprisals(model, sentences, bos=bos, space=space, method=method, advance=advance)
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
            row |= {"scored": bool(scores.scored[group].all()), "unknown": bool(scores.unknown[group].any())}
            rows.append(row)
    return pd.DataFrame(rows)


def token_log_probabilities(
    model, sentences: Sequence[Sentence], wanted: Sequence[np.ndarray], method: str, advance=None
) -> list[np.ndarray]:
    """log P (nats) of the wanted tokens of each sentence: float64 (its tokens,), NaN where it is not computed.

    Everything goes to one forward pass, which computes what several sentences share (a prefix, a masked copy) once.
    """
    if not isinstance(model, LanguageModel):
        if advance:
            advance(1.0)
        return [sentence.nats for sentence in sentences]
    found = [np.full(len(sentence.ids), np.nan) for sentence in sentences]
    reads = [read for parts in zip(sentences, wanted, strict=True) for read in _reads(model, *parts, method)]
    sequences, positions, targets = ([read[part] for read in reads] for part in range(3))
    requests = sum(map(len, wanted))
    options = {"advance": lambda done: advance(done / requests)} if advance else {}
    values = passes.target_log_probabilities(model, sequences, positions, targets, **options)
    start = 0
    for nats, tokens in zip(found, wanted, strict=True):
        nats[tokens] = values[start : start + len(tokens)]
        start += len(tokens)
    return found


def check_method(model, method: str | None, known: Sequence[str] = METHODS) -> str:
    """The method, by default full sentences for a causal model and the original PLL for a masked one.

    Raises InputError for one that does not exist or does not suit the kind of model.
    """
    method = method or ("pll" if model.kind == "masked" else "full-sentence")
    check_known("method", method, known)
    if (model.kind == "masked") != method.startswith("pll"):
        suits = "pll and pll-l2r" if model.kind == "masked" else "full-sentence, one-prefix and two-prefix"
        raise InputError(f"the method {method!r} does not suit the {model.kind} model {model.label}; {suits} do")
    return method


def check_spaces(sentence: str, starts, ends, where: Callable[[int, int], bool] = lambda start, end: True) -> None:
    """Raises InputError for a token that belongs to two words, if `where` of its characters says that it matters."""
    for start, end in zip(starts, ends, strict=True):
        if " " in (text := sentence[start:end].strip()) and where(start, end):
            raise InputError(
                f"{sentence!r}: {text!r} is one token, so that its words have no surprisals of their own; score whole "
                "sentences, or take a model whose tokens end at spaces"
            )


def _words(sentence: str, scores: TokenSurprisals) -> list[list[int]]:
    """The tokens of each word, by the word in which a token's first visible character lies."""
    groups: dict[int, list[int]] = {}
    check_spaces(sentence, scores.starts, scores.ends)
    for token, start in enumerate(scores.starts):
        if scores.ids[token] < 0 and scores.ends[token] == start:  # a mark like <eos> belongs to no word
            continue
        groups.setdefault(word_span(sentence, min(int(start), len(sentence) - 1))[0], []).append(token)
    return list(groups.values())


def _reads(model, sentence: Sentence, tokens: np.ndarray, method: str) -> Iterator[tuple]:
    """(sequence that the model reads, positions at which it predicts, ids to predict), for the wanted tokens.

    A causal model reads the sentence once, a masked model a copy for each token.
    """
    places, ids = sentence.places[tokens].tolist(), sentence.ids[tokens].tolist()
    if model.kind == "causal":
        if places:
            yield sentence.read[: places[-1]], [place - 1 for place in places], ids
        return
    for token, place, wanted in zip(tokens.tolist(), places, ids, strict=True):
        stop = token + 1
        while method == "pll-l2r" and stop < len(sentence.ids) and sentence.inside_word(stop):
            stop += 1
        masks = (model.tokenizer.mask_token_id,) * (stop - token)
        yield (*sentence.read[:place], *masks, *sentence.read[place + len(masks) :]), [place], [wanted]
