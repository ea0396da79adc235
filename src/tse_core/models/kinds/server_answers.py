"""What a server answers about a prompt: its tokens, their log-probabilities, and where they lie in the sentence."""

import math

import numpy as np

from tse_core.models.kinds.server_requests import ServerError
from tse_core.models.spelling import spell
from tse_core.models.surprisal_model import GivenScores

Piece = tuple[str | None, float | None]  # a token's text and log-probability (nats), as far as they are said
UNKNOWN = ("<unk>", "[unk]", "<|unk|>")  # how servers write a token that the model does not know
ALMOST_ONE = 1e-3  # nats by which rounding may lift a log-probability above 0


def scores_in(choice: dict, sentence: str, bos: str = "") -> GivenScores:
    """The tokens of a sentence where they lie in it, without the BOS token and without what was generated.

    Raises ServerError where there are no log-probabilities, one is missing, or the tokens do not spell the sentence.
    """
    pieces = _pieces(choice)
    if bos and pieces and pieces[0][0] in (bos, None, ""):  # llama.cpp writes a special token as ""
        pieces = pieces[1:]
    for kept in _without_generated(pieces, choice, bos + sentence):
        whole = _joined(kept)
        texts = [text or "<?>" for text, _ in whole]  # a first token that is not named is a mark, else a word's part
        unknown = [text is not None and text.lower() in UNKNOWN for text, _ in whole]
        for unwritten in ([text == "" for text, _ in whole], [not text for text, _ in whole]):
            free = [a or b for a, b in zip(unwritten, unknown, strict=True)]  # may be any part of the sentence
            if (spans := spell(sentence, texts, free)) is not None:
                return _scores(sentence, whole, spans, unknown)
    tokens = " ".join(text or "?" for text, _ in pieces)
    raise ServerError(f"its tokens {tokens[:200]!r} do not spell {sentence!r}")


def first_written(choice: dict) -> tuple[str, float]:
    """The first token that was generated, without an echo, and its log-probability (nats).

    Raises ServerError where either is missing.
    """
    text, nats = next(iter(_pieces(choice)), (None, None))
    if not text or nats is None:
        raise ServerError("it does not say what it wrote, or how likely that was")
    return text, nats


def _scores(sentence: str, pieces: list[Piece], spans: list[tuple[int, int]], unknown: list[bool]) -> GivenScores:
    places = [place for place, (start, end) in enumerate(spans) if end > start]
    if not places:
        raise ServerError(f"it has no token for {sentence!r}")
    inside = slice(places[0], places[-1] + 1)  # without marks that the server itself adds at either end
    pieces, spans, unknown = pieces[inside], spans[inside], unknown[inside]
    if nameless := [text for text, nats in pieces[1:] if nats is None]:
        raise ServerError(f"no log-probability of {nameless[0]!r} in {sentence!r}")
    bits = np.array([math.nan if nats is None else -nats / math.log(2) for _, nats in pieces])
    starts, ends = np.array(spans, dtype=int).T
    tokens = [text or sentence[a:b] for (text, _), (a, b) in zip(pieces, spans, strict=True)]
    return GivenScores(tokens, starts, ends, bits, np.array(unknown, dtype=bool))


def _without_generated(pieces: list[Piece], choice: dict, prompt: str) -> list[list[Piece]]:
    """The tokens without the one that was generated behind an echo, the more plausible reading first."""
    if isinstance(choice.get("prompt_logprobs"), list):
        return [pieces]
    return [pieces, pieces[:-1]] if choice.get("text") == prompt else [pieces[:-1], pieces]


def _pieces(choice: dict) -> list[Piece]:
    """The tokens of an answer."""
    said, logprobs = choice.get("prompt_logprobs"), choice.get("logprobs")
    if isinstance(said, list):
        return [_first_of(entry) for entry in said]
    if isinstance(logprobs, dict):
        tokens, values = logprobs.get("tokens"), logprobs.get("token_logprobs")
        if isinstance(tokens, list) and isinstance(values, list) and len(tokens) == len(values):
            return [_piece(*pair) for pair in zip(tokens, values, strict=True)]
    raise ServerError("its answer holds no log-probabilities")


def _first_of(entry: object) -> Piece:
    """A token of vLLM's prompt_logprobs, which lists the prompt's own token first."""
    said = next(iter(entry.values()), None) if isinstance(entry, dict) else entry
    if said is None:
        return None, None
    if not isinstance(said, dict):
        raise ServerError(f"its log-probabilities hold {str(said)[:40]!r}")
    return _piece(said.get("decoded_token"), said.get("logprob"))


def _piece(text: object, nats: object) -> Piece:
    if not isinstance(text, str | None) or isinstance(nats, bool) or not isinstance(nats, float | int | None):
        raise ServerError(f"the log-probability of {str(text)[:40]!r} is {str(nats)[:40]!r}")
    if nats is not None and not -math.inf < nats <= ALMOST_ONE:
        raise ServerError(f"the log-probability of {str(text)[:40]!r} is {nats}")
    return text, nats


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Joins neighbours that are parts of one character, which have no text, into one piece without text."""
    joined: list[Piece] = []
    for text, nats in pieces:
        broken = text is not None and (text == "" or "\ufffd" in text)
        if broken and joined and joined[-1][0] == "":
            before = joined[-1][1]
            joined[-1] = "", None if nats is None or before is None else before + nats
        else:
            joined.append(("" if broken else text, nats))
    return joined
