"""What a server answers about a prompt: its tokens, their log-probabilities, and where they lie in the sentence.

Tokens are placed by their texts alone. What servers say of offsets is not used: vLLM counts the BOS token in them, and
its prompt_logprobs have none.
"""

import math

from tse_core.models.spelling import spell
from tse_core.models.surprisal_model import TokenSurprisals

Piece = tuple[str, float]  # a token's text, empty where it is not said, and its log-probability (nats), NaN likewise
UNKNOWN = ("<unk>", "[unk]", "<|unk|>")  # how servers write a token that the model does not know
ALMOST_ONE = 1e-3  # nats by which rounding may lift a log-probability above 0


class ServerError(Exception):
    """The server does not do what it is asked, or answers something else; the message says what, in its words."""


def scores_in(choice: dict, sentence: str, bos: str = "") -> TokenSurprisals:
    """The tokens of a sentence where they lie in it, without the BOS token and without what was generated.

    Raises ServerError where there are no log-probabilities, one is missing, or the tokens do not spell the sentence.
    """
    pieces = _pieces(choice)
    if bos and pieces and pieces[0][0] in (bos, ""):  # llama.cpp writes a special token as "", vLLM says nothing of it
        pieces = pieces[1:]
    readings = [pieces] if "prompt_logprobs" in choice else [pieces[:-1], pieces]  # the last may have been generated
    if choice.get("text") == bos + sentence:  # nothing was
        readings.reverse()
    for read in map(_whole_characters, readings):
        spans = spell(sentence, [text for text, _ in read], [not text or text.lower() in UNKNOWN for text, _ in read])
        if spans is not None:
            return _scores(sentence, read, spans)
    tokens = " ".join(text or "?" for text, _ in pieces)
    raise ServerError(f"its tokens {tokens[:200]!r} do not spell {sentence!r}")


def first_written(choice: dict) -> tuple[str, float]:
    """The first token that was generated, without an echo, and its log-probability (nats).

    Raises ServerError where either is missing.
    """
    text, nats = next(iter(_pieces(choice)), ("", math.nan))
    if not text or math.isnan(nats):
        raise ServerError("it does not say what it wrote, or how likely that was")
    return text, nats


def _pieces(choice: dict) -> list[Piece]:
    """The tokens of an answer."""
    prompt, logprobs = choice.get("prompt_logprobs"), choice.get("logprobs") or {}
    try:
        if prompt is not None:  # vLLM lists the prompt's own token first
            said = [next(iter(entry.values())) if entry else {} for entry in prompt]
            pairs = [(entry.get("decoded_token"), entry.get("logprob")) for entry in said]
        else:
            pairs = list(zip(logprobs["tokens"], logprobs["token_logprobs"], strict=True))
        pieces = [(str(text or ""), math.nan if nats is None else float(nats)) for text, nats in pairs]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ServerError("its answer holds no log-probabilities") from None
    for text, nats in pieces:
        if nats > ALMOST_ONE or nats == -math.inf:
            raise ServerError(f"the log-probability of {text[:40]!r} is {nats}")
    return pieces


def _whole_characters(pieces: list[Piece]) -> list[Piece]:
    """Pieces without neighbours that are parts of characters: these are one piece without a text."""
    joined: list[Piece] = []
    for text, nats in pieces:
        text = "" if "\ufffd" in text else text
        if not text and joined and not joined[-1][0]:
            nats += joined.pop()[1]
        joined.append((text, nats))
    return joined


def _scores(sentence: str, pieces: list[Piece], spans: list[tuple[int, int]]) -> TokenSurprisals:
    """The scores of the tokens; a piece that covers nothing, such as a space of its own, counts with the next one.

    Marks at either end that the server itself adds are left out.
    """
    places = [place for place, (start, end) in enumerate(spans) if end > start]
    if not places:
        raise ServerError(f"it has no token for {sentence!r}")
    tokens, bits, waiting = [], [], 0.0
    for place in range(places[0], places[-1] + 1):
        (text, nats), (start, end) = pieces[place], spans[place]
        if math.isnan(nats) and place > places[0]:
            raise ServerError(f"no log-probability of {text!r} in {sentence!r}")
        waiting -= nats / math.log(2)
        if end > start:
            tokens.append(text or sentence[start:end])
            bits.append(waiting)
            waiting = 0.0
    unknown = [token.lower() in UNKNOWN for token in tokens]
    return TokenSurprisals.given(tokens, [spans[place] for place in places], bits, unknown)
