"""How probable is a sentence? Log-probabilities of its tokens and words.

A causal model gives the chain rule: log P(sentence) is the sum of log P(token | tokens before it).
A masked model has no such sum; its *pseudo-log-likelihood* (PLL; Salazar et al. 2020) adds
log P(token | all other tokens), each token masked in turn. A word of several tokens then looks too
probable, because its other tokens give it away; the variant ``pll-l2r`` (Kauf & Ivanova 2023) also
masks the later tokens of the same word. A word is what the tokenizer itself divides a text into
before it cuts subwords (`word_ids` in Hugging Face's library), as in published code: BERT's makes a
word of each Chinese character and punctuation mark, RoBERTa's divides *1980* from *s*, and one of
SentencePiece's kind divides at spaces alone, so that the full stop belongs to the last word. By
``left-context`` a masked model reads what stands before a token, then `LEFT_MASKS` masks and the
tokens that end a text; the first mask stands for the token. So the BabyLM challenge of 2025
compares such models with reading times. These are probabilities of one token each, whose product is
no probability of a text either.

Sentences are read as they are written, without white space at their ends
(`tse_core.words.trimmed`), after what the policies of :class:`tse_core.LanguageModel` put before
them. Without a BOS token the first token has no context that predicts it: it is not scored,
counts 0, and is flagged.

A text that is longer than the model can read is an error, or with a `stride` is read in windows,
each after the tokens that stand before a text. A causal model's are as long as it can read, each
`stride` tokens further than the last, and a token is scored in the first that holds what stands
before it: after the first window it reads all but `stride` of the tokens that the model can read.
A masked model reads each token in a window of its own, as near to its middle as the text allows.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd

from tse_core.datasets.loading import data_hash
from tse_core.errors import InputError, check_known, warn
from tse_core.forward.passes import target_log_probabilities
from tse_core.forward.trees import Ids
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import AnyModel, as_model
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.models.tokenizing import Encoding
from tse_core.results.signature import signature_of
from tse_core.sentences.units import (
    Punctuation,
    Unit,
    bits_of_ends,
    check_spaces,
    check_units,
    text_positions,
    token_units,
    word_units,
)
from tse_core.text import sentences_of
from tse_core.words import trimmed

Method: TypeAlias = Literal[
    "full-sentence", "one-prefix", "two-prefix", "pll", "pll-l2r", "left-context"
]
METHODS = get_args(Method)
LEFT_MASKS = 3  # read by "left-context" in the place of a token and of what follows it
SUITABLE: dict[str, tuple[Method, ...]] = {  # the usual method of each kind of model first
    "causal": ("full-sentence", "one-prefix", "two-prefix"),
    "masked": ("pll", "pll-l2r", "left-context", "one-prefix", "two-prefix"),
}
OF_EACH_TOKEN = (
    "full-sentence",
    "pll",
    "pll-l2r",
    "left-context",
)  # methods that score all tokens of a sentence
_NUMBERS = ["start", "end", "surprisal", "scored", "unknown"]
_COLUMNS = {  # of the rows of `surprisals`, by unit
    "token": ["sentence", "position", "token", *_NUMBERS],
    "word": ["sentence", "position", "word", "tokens", *_NUMBERS],
}
# Takes the share of the work done since the last call.
Advance: TypeAlias = Callable[[float], object]


class _Input(NamedTuple):
    """One sequence that the model reads, and what it predicts there."""

    ids: Ids
    positions: list[int]
    targets: list[int]  # the id to predict at each position


def token_surprisals(
    model: AnyModel | str | Path,
    sentences: Iterable[str],
    *,
    bos: str | None = None,
    space: bool | None = None,
    method: Method | None = None,
    stride: int | None = None,
    advance: Advance | None = None,
) -> list[TokenSurprisals]:
    """The surprisal of each token of each sentence, in bits: a `TokenSurprisals` per sentence.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    sentences : a text, a list of texts, or a Series such as a column of a DataFrame
    bos, space : by default the model's own policies
    method : "full-sentence", "pll", "pll-l2r" or "left-context"
        By default the chain rule, or for a masked model the original PLL.
    stride : how many tokens further each window of a text begins that is longer than the model
        At most half of what the model can read. By default such a text is an error.
    advance : called with the share of the work done since the last call; the shares add up to 1

    Raises
    ------
    InputError : an empty sentence or one that is no text, which is named; a method that does not
        suit the model.
    """
    model = as_model(model).with_policies(bos=bos, space=space)
    method = check_method(model.kind, model.label, method, OF_EACH_TOKEN)
    check_stride(model, stride)
    texts = list(map(trimmed, sentences_of(sentences)))
    return scored_tokens(model, texts, method, advance=advance, stride=stride)


def surprisals(
    model: AnyModel | str | Path,
    sentences: Iterable[str],
    *,
    unit: Literal["token", "word"] = "token",
    punctuation: Punctuation | None = None,
    word_end: bool = False,
    bos: str | None = None,
    space: bool | None = None,
    method: Method | None = None,
    contexts: Iterable[str] | None = None,
    stride: int | None = None,
    advance: Advance | None = None,
) -> pd.DataFrame:
    """Surprisals in bits as a table, one row per token or word.

    Parameters
    ----------
    unit : "token" or "word"
        A word is the text between white space; its surprisal is the sum over its tokens, a token
        belonging to the word in which its first visible character lies.
    punctuation : "attached" or "apart"
        Whether the marks beside a word are part of it, the default, or have rows of their own.
    word_end : bool
        Count the probability that each word ends, and take it off the next word (Pimentel & Meister
        2024; Oh & Schuler 2024; see `tse_core.sentences.units`), which needs a causal model.
    contexts : a text for each sentence that is read before it, with a space between, not scored
        It has no rows; an empty one is none. A masked model reads it, too.
    bos, space, method, stride, advance : as in `token_surprisals`

    Returns
    -------
    DataFrame with sentence (its label in a Series, else its position from 0), position (from 0),
    token or word, start and end (characters of the
    sentence without white space at its ends), surprisal, scored, unknown; for words also tokens,
    how many it has. A word is unknown if a token of it is, scored if all of them are. Without a BOS
    token nothing predicts the first token of a text: its surprisal is 0, and that of the word to
    which it belongs is missing (NaN). Sentences whose words cannot be told apart have no rows, and
    a warning counts them. ``attrs`` has the signature, with the method, contexts and stride.

    Raises
    ------
    InputError : as `token_surprisals`; a choice on words where tokens are asked for; a token of two
        words or, with marks apart, of a word and a mark; `word_end` for a model that is not causal
        or whose tokenizer does not show where words end, or with a `stride`; contexts that are not
        as many as the sentences.

    Examples
    --------
    >>> words = surprisals("lab-systematic-causal", ["The author laughs."], unit="word")
    >>> words[["word", "surprisal", "scored"]].round(1)
          word  surprisal  scored
    0      The        NaN   False
    1   author        6.6    True
    2  laughs.       10.2    True
    """
    model = as_model(model)
    chosen = check_units(unit, punctuation, word_end, model)
    model = model.with_policies(bos=bos, space=space)
    labels = list(sentences.index) if isinstance(sentences, pd.Series) else None
    method = check_method(model.kind, model.label, method, OF_EACH_TOKEN)
    check_stride(model, stride)
    if stride and word_end:
        raise InputError("word_end needs each text whole: leave the stride out")
    texts = list(map(trimmed, sentences_of(sentences)))
    texts, starts = with_contexts(texts, contexts)
    scored = scored_tokens(model, texts, method, starts, advance, stride)
    for text, tokens, begin in zip(texts, scored, starts, strict=True):
        check_boundary(text, tokens, begin)
    units = list(map(token_units, scored))
    if unit == "word":
        units = _units_of_words(texts, scored, chosen, labels)
    end_bits = [np.zeros(len(of_sentence)) for of_sentence in units]
    if word_end and texts and isinstance(model, LanguageModel):
        end_bits = bits_of_ends(model, texts, units, chosen)
    rows = []
    for number, text in enumerate(texts):
        label = labels[number] if labels else number
        begin = starts[number]
        rows += _rows(label, unit, text, begin, units[number], end_bits[number], scored[number])
    table = pd.DataFrame(rows, columns=_COLUMNS[unit])
    policies = {"method": method}
    after = {}
    if contexts is not None:
        after["context"] = "read"
    if stride:
        after["stride"] = str(stride)
    if word_end:
        after["word-end"] = chosen
    data = f"text@{data_hash(pd.DataFrame({'text': texts, 'start': starts}))}"
    signature = signature_of(model, data, "pairs", before=policies, after=after)
    table.attrs["signature"] = str(signature)
    return table


def _rows(
    label: object,
    unit: str,
    text: str,
    begin: int,
    units: Sequence[Unit],
    end_bits: Sequence[float] | np.ndarray,
    scores: TokenSurprisals,
) -> list[dict[str, object]]:
    """The rows of `surprisals` for a sentence, which begins at character `begin` of its text.

    Its units are tokens or words; `end_bits` is what the ends of words add to each.
    """
    rows: list[dict[str, object]] = []
    for token, (part, bits) in enumerate(zip(units, end_bits, strict=True)):
        if part.start < begin:  # of the context before it
            continue
        row: dict[str, object] = {"sentence": label, "position": len(rows)}
        if unit == "word":
            row |= {"word": text[part.start : part.end], "tokens": len(part.tokens)}
        else:
            row["token"] = scores.tokens[token]
        numbers = _numbers_of_unit(part, scores, bits)
        # A part of a word's surprisal is none; a token that is not scored counts 0.
        if unit == "word" and not numbers["scored"]:
            numbers["surprisal"] = math.nan
        row |= numbers
        row["start"], row["end"] = part.start - begin, part.end - begin
        rows.append(row)
    return rows


def with_contexts(
    sentences: Sequence[str], contexts: Iterable[str] | None
) -> tuple[list[str], list[int]]:
    """Sentences after their contexts, and where each begins in that text. Raises InputError."""
    if contexts is None:
        return list(sentences), [0] * len(sentences)
    contexts = list(contexts)
    if isinstance(contexts, str) or len(contexts) != len(sentences):
        raise InputError(
            f"there are {len(contexts):,} contexts and {len(sentences):,} sentences; each sentence "
            "has one, which may be empty"
        )
    texts, starts = [], []
    for sentence, context in zip(sentences, contexts, strict=True):
        before = f"{trimmed(context)} " if trimmed(context) else ""
        texts.append(before + sentence)
        starts.append(len(before))
    return texts, starts


def check_boundary(text: str, tokens: TokenSurprisals, begin: int) -> None:
    """Raise InputError for a token of both a context and the sentence that begins after it."""
    check_spaces(text, tokens, lambda start, end: start < begin < end)


def check_stride(model: AnyModel, stride: int | None) -> None:
    """Raise InputError for a stride that a model cannot take."""
    if stride is None:
        return
    if not isinstance(model, LanguageModel):
        raise InputError(f"{model.label} gives surprisals of whole texts alone: no stride")
    limit = model.network.max_length
    if stride < 1 or (limit and stride > limit // 2):
        most = f" and at most {limit // 2:,}, half of what {model.name} reads" if limit else ""
        raise InputError(f"the stride is {stride}; it must be a number of tokens, at least 1{most}")


def _units_of_words(
    texts: Sequence[str],
    scored: Sequence[TokenSurprisals],
    punctuation: Punctuation,
    labels: Sequence[object] | None,
) -> list[list[Unit]]:
    """The words of each sentence; none of a sentence that cannot be taken apart.

    A warning counts these, and names the first by its label, else its number from 1. Raises
    InputError where all are such.
    """
    units: list[list[Unit]] = []
    faults = []
    for number, (text, scores) in enumerate(zip(texts, scored, strict=True)):
        try:
            units.append(word_units(text, scores, punctuation))
        except InputError as error:
            faults.append((labels[number] if labels else number + 1, error))
            units.append([])
    if faults:
        label, first = faults[0]
        if len(faults) == len(texts):
            raise first
        count = f"{len(faults):,} of {len(texts):,} sentences are set aside"
        warn(f"{count}, as their words cannot be told apart; the first, {label}: {first}")
    return units


def _numbers_of_unit(part: Unit, scores: TokenSurprisals, end_bits: float) -> dict[str, object]:
    """A row of `surprisals` for a token or word; `end_bits` is what the ends of words add."""
    bits = float(scores.bits[part.tokens].sum())
    if scores.scored[part.tokens].any():
        bits += float(end_bits)
    return {
        "start": part.start,
        "end": part.end,
        "surprisal": bits,
        "scored": bool(scores.scored[part.tokens].all()),
        "unknown": bool(scores.unknown[part.tokens].any()),
    }


def scored_tokens(
    model: AnyModel,
    texts: Sequence[str],
    method: str,
    since: Sequence[int] | None = None,
    advance: Advance | None = None,
    stride: int | None = None,
) -> list[TokenSurprisals]:
    """`token_surprisals` of trimmed texts; a language model scores none before characters `since`.

    Everything goes to one forward pass, which computes what several texts share (a prefix, a masked
    copy) once.
    """
    if not texts:
        return []
    if not isinstance(model, LanguageModel):
        surprisals_of_texts = model.token_surprisals(texts)
        if advance:
            advance(1.0)
        return surprisals_of_texts

    encodings = model.encode_batch(texts)
    entries = sorted(set(chain.from_iterable(encoding.ids for encoding in encodings)))
    spellings = dict(zip(entries, model.tokens(entries), strict=True))
    needs_front = not model.reads_right or model.shifted
    limit = model.network.max_length if stride else None
    tokens_of_texts: list[TokenSurprisals] = []
    inputs: list[_Input] = []
    starts = since or [0] * len(texts)
    for text, encoding, start in zip(texts, encodings, starts, strict=True):
        positions = text_positions(encoding)
        tokens = _tokenized(text, encoding, positions, spellings, model.unknown_id)
        if needs_front:
            tokens.scored[positions == 0] = False  # nothing predicts the very first token
        tokens.scored[tokens.starts < start] = False
        if model.reads_right:
            mask = model.tokenizer.mask_token_id
            inputs += _masked_inputs(encoding, tokens, positions, method, mask, limit)
        else:
            inputs += _left_inputs(encoding, tokens, positions, limit, stride or 1)
        tokens_of_texts.append(tokens)

    ends = np.cumsum([tokens.scored.sum() for tokens in tokens_of_texts])
    options: dict = {}
    if advance:
        options["advance"] = lambda requests: advance(requests / ends[-1])
    nats = target_log_probabilities(
        model,
        [part.ids for part in inputs],
        [part.positions for part in inputs],
        [part.targets for part in inputs],
        **options,
    )
    for tokens, nats_of_text in zip(tokens_of_texts, np.split(nats, ends[:-1]), strict=True):
        tokens.bits[tokens.scored] = -nats_of_text / math.log(2)
    return tokens_of_texts


def check_method(
    kind: str, label: str, method: Method | None, methods: Sequence[str] = METHODS
) -> Method:
    """The method; by default full sentences, or the original PLL for a masked model.

    `kind` is that of the model, `label` its name. Raises InputError for a method that does not
    exist or does not suit this kind.
    """
    of_kind = SUITABLE["masked" if kind == "masked" else "causal"]
    suitable = [name for name in methods if name in of_kind]
    method = method or of_kind[0]
    check_known("method", method, methods)
    if method in suitable:
        return method
    raise InputError(
        f"the method {method!r} does not suit the {kind} model {label}; "
        f"{', '.join(suitable[:-1])} and {suitable[-1]} do"
    )


def _tokenized(
    text: str,
    encoding: Encoding,
    positions: np.ndarray,
    spellings: dict[int, str],
    unknown_id: int | None,
) -> TokenSurprisals:
    """The tokens of a sentence, at these positions of its encoding, without surprisals as yet."""
    ids = np.array(encoding.ids)[positions]
    starts, ends = _spans(text, encoding, positions)
    scored = np.ones(len(ids), dtype=bool)
    unknown = np.zeros(len(ids), dtype=bool)
    if unknown_id is not None:
        unknown = ids == unknown_id
    tokens = [spellings[token] for token in ids.tolist()]
    return TokenSurprisals(tokens, ids, starts, ends, np.zeros(len(ids)), scored, unknown)


def _spans(text: str, encoding: Encoding, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of the tokens at these positions, without the space before a word.

    Both are int (tokens,), in characters of the text.
    """
    offsets = np.array(encoding.offsets)[positions].reshape(-1, 2)
    starts, ends = offsets[:, 0].copy(), offsets[:, 1]
    for token, start in enumerate(starts):
        if text[start : start + 1].isspace():
            rest = text[start:]
            starts[token] += len(rest) - len(rest.lstrip())
    return starts, np.maximum(ends, starts)


def _left_inputs(
    encoding: Encoding,
    tokens: TokenSurprisals,
    positions: np.ndarray,
    limit: int | None,
    stride: int,
) -> list[_Input]:
    """What a causal model reads of a sentence: all of it once, or windows of `limit` tokens.

    Each window begins `stride` tokens behind the one before it.
    """
    scored = tokens.scored
    if not scored.any():
        return []
    targets = tokens.ids[scored].tolist()
    whole = _Input(encoding.ids, positions[scored].tolist(), targets)
    return _left_windows(whole, int(positions[0]), limit, stride)


def _masked_inputs(
    encoding: Encoding,
    tokens: TokenSurprisals,
    positions: np.ndarray,
    method: str,
    mask: int,
    limit: int | None,
) -> list[_Input]:
    """What a masked model reads of a sentence: a copy for each token that is scored.

    A `mask` takes the place of that token; of a longer text the `limit` tokens around it are read.
    """
    words = [encoding.words[position] for position in positions]
    inputs = []
    for token in np.flatnonzero(tokens.scored).tolist():
        position = int(positions[token])
        if method == "left-context":
            masked = LEFT_MASKS
            right = encoding.ids[positions[-1] + 1 :]  # what the tokenizer adds
        else:
            masked = _rest_of_word(words, token) if method == "pll-l2r" else 1
            right = encoding.ids[position + masked :]
        ids = encoding.ids[:position] + (mask,) * masked + right
        whole = _Input(ids, [position], [int(tokens.ids[token])])
        suffix = len(encoding.ids) - 1 - int(positions[-1])
        inputs.append(_window_around(whole, int(positions[0]), suffix, limit))
    return inputs


def _rest_of_word(words: Sequence[int | None], token: int) -> int:
    """How many tokens of a token's word there are from it on, itself included."""
    end = token + 1
    while end < len(words) and words[end] == words[token]:
        end += 1
    return end - token


def _left_windows(whole: _Input, prefix: int, limit: int | None, stride: int) -> list[_Input]:
    """What a causal model reads to predict the targets of a text, which stand at its positions.

    That is the text up to the last of them, or windows of `limit` tokens; each begins with the
    `prefix` tokens that stand before a text.
    """
    ids, positions, targets = whole
    if not limit or positions[-1] <= limit:
        before = [position - 1 for position in positions]
        return [_Input(ids[: positions[-1]], before, targets)]
    windows = []
    begin = prefix
    done = 0  # targets that are predicted
    while done < len(targets):
        # Behind the prefix a window has the tokens [begin, end), whose last one predicts the next.
        end = begin + limit - prefix
        inside = [position for position in positions[done:] if position <= end]
        if inside:
            window = ids[:prefix] + ids[begin : inside[-1]]
            before = [prefix + position - begin - 1 for position in inside]
            windows.append(_Input(window, before, targets[done : done + len(inside)]))
        done += len(inside)
        begin += stride
    return windows


def _window_around(whole: _Input, prefix: int, suffix: int, limit: int | None) -> _Input:
    """A masked copy of a text, or the `limit` tokens of it around its position.

    The `prefix` tokens before the text and the `suffix` ones after it stay.
    """
    ids, (position,), targets = whole
    if not limit or len(ids) <= limit:
        return whole
    width = limit - prefix - suffix
    text = ids[prefix : len(ids) - suffix]
    middle = position - prefix - width // 2
    begin = min(max(middle, 0), len(text) - width)
    window = ids[:prefix] + text[begin : begin + width] + ids[len(ids) - suffix :]
    return _Input(window, [position - begin], targets)
