"""Language models behind a server that speaks OpenAI's completions protocol.

vLLM and llama-cpp-python are such servers. On a request with "echo" and "logprobs" the server must
give the tokens of the prompt as text, and their log-probabilities. Tokens are placed by their texts
alone, as vLLM counts the BOS token in its offsets. Without a BOS token the first token has no
log-probability. The server decides which model answers, and the signature says so. Whether each
number belongs to its token is tested: a token that the server generates must have the same
probability when the server reads it.
"""

import copy
import hashlib
import json
import math
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from tse_core import InputError
from tse_core.plugins import (
    BOS_WORDS,
    TIMEOUT,
    Piece,
    SurprisalModel,
    TokenSurprisals,
    check_bytes,
    check_known,
    decoded,
    one_line,
    parse_json,
    placed,
    within,
)

SPECIAL = re.compile(r"<\|[^<>|]*\|>|</?(?:s|bos|eos|unk|pad|mask)>|\[(?:CLS|SEP|MASK|UNK|PAD)\]")
UNKNOWN = ("<unk>", "[unk]", "<|unk|>")  # how servers write a token that the model does not know
AT_ONCE = 32  # requests; a server answers them together
# Nats between a token written and read: half precision and other batches move it by hundredths.
SAME = 0.5
ALMOST_ONE = 1e-3  # nats by which rounding may lift a log-probability above 0
# Nats of a token. Where they know none, vLLM writes -9999 and llama.cpp the lowest number.
MOST_NATS = 9000
BEGINNING = "The keys to the cabinet"  # the server generates the next token, and reads it again
PART = 2**16  # bytes of an answer between two looks at its size
RESUMED = (
    "is a server running there? What is finished is kept, and the same command goes on from there"
)
# What to do where a server gives no log-probabilities of what it reads.
OF_PROMPTS = (
    "vLLM and llama-cpp-python give those of the prompt (echo); llama.cpp's own server, Ollama and "
    "text-generation-inference do not: open the model's files with tse"
)
# Entries of a server's list of models that change while the model does not.
CHANGING = ("created", "object", "permission", "permissions")
# A server that restarts or is overloaded is asked again; one that is slow has its time-out.
BUSY = Retry(
    5,
    read=0,
    status_forcelist=(408, 429, 502, 503, 504),
    allowed_methods=None,
    backoff_factor=1,
    raise_on_status=False,
)


class NoAnswerError(InputError):
    """No answer came in time, or one that says only that there is none."""


class ServerModel(SurprisalModel):
    """A model behind a server at an address such as ``http://127.0.0.1:8000/v1``.

    `served` is the name of one of the server's models, needed where it has several. The environment
    variable ``TSE_API_KEY`` may hold a key. Raises InputError where the server cannot be reached,
    or has no such model.
    """

    kind = "server"
    device = "server"

    def __init__(self, address: str, served: str = "", timeout: float = TIMEOUT):
        self.address = address
        self.bos = ""
        self.timeout = timeout
        self._session = requests.Session()
        # No proxy, no password of ~/.netrc: a key reaches nobody but the server.
        self._session.trust_env = False
        key = os.environ.get("TSE_API_KEY", "").strip()
        if key:
            self._session.headers["Authorization"] = f"Bearer {key}"
        self._entry = self._find_entry(served)
        # Only now: a wrong address should fail at once.
        self._session.mount(address, HTTPAdapter(max_retries=BUSY, pool_maxsize=AT_ONCE))
        self.served = self._entry["id"]
        super().__init__(f"{address}#{self.served}")
        # The BOS tokens, each as text, with which `_check_positions` is done.
        self._tested: set[str] = set()

    @property
    def label(self) -> str:
        """The model's name; the last part if it is a path."""
        if self.served.startswith("/"):
            return PurePosixPath(self.served).name
        return self.served

    def identity(self) -> str:
        """Name and hash of the server's entry of the model."""
        lasting = {name: value for name, value in self._entry.items() if name not in CHANGING}
        digest = hashlib.sha256(json.dumps(lasting, sort_keys=True).encode())
        return f"{self.label}@{digest.hexdigest()[:8]}"

    def policies(self) -> dict[str, str]:
        return {"bos": self.bos or "server", "source": "server"}

    def with_policies(self, *, bos: str | None = None, space: bool | None = None) -> "ServerModel":
        """This model with a token's text before each sentence; by default the server decides."""
        if space is not None or (bos in BOS_WORDS and bos != "default"):
            raise InputError(
                f"{self.name} is behind a server; its only policy is bos, which may be a token's "
                "text"
            )
        model = copy.copy(self)
        if bos is not None:
            model.bos = "" if bos == "default" else bos
        return model

    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        for sentence in sentences:
            mark = SPECIAL.search(sentence)
            if mark:
                raise InputError(
                    f"{self.name}: a server reads {mark[0]!r} in {sentence!r} as a special token"
                )
        self._check_positions()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self._scores, sentences))

    def _find_entry(self, served: str) -> dict:
        """The entry of the model in the server's list. Raises InputError."""
        try:
            entries = {}
            for entry in self._answer("models")["data"]:
                if not isinstance(entry["id"], str):
                    raise TypeError("a model's id is no text")  # becomes the InputError below
                entries[entry["id"]] = entry
        except (KeyError, TypeError):
            raise InputError(f"{self.address}/models lists no model") from None
        if not served and len(entries) != 1:
            raise InputError(
                f"{self.address} has {len(entries)} models, say which, as in "
                f"{self.address}#my-model"
            )
        served = served or next(iter(entries))
        check_known(f"model of {self.address}", served, entries)
        return entries[served]

    def _check_positions(self) -> None:
        """Raise InputError where a token has another log-probability written than read.

        That cannot be tested where the server omits the token that it wrote, or reads the text as
        other tokens.
        """
        if self.bos in self._tested:
            return
        try:
            written, text = self._generated_token()
            scores = self._scores(BEGINNING + text)
            is_same_token = scores.tokens[-1].strip() == text.strip()
            read = float(scores.bits[-1])
            is_comparable = is_same_token and not math.isnan(written)
        except NoAnswerError:  # the next request would wait as long
            raise
        except (InputError, IndexError):
            is_comparable = False
        if is_comparable and not abs(read - written) * math.log(2) <= SAME:
            raise InputError(
                f"{self.name}: its log-probabilities do not belong to the tokens next to them "
                f"({text!r} after {BEGINNING!r}: {written:.2f} bits written, {read:.2f} read); "
                "llama-cpp-python does so unless a text begins with the BOS token of the model's "
                "file: name it, as in --bos '<|im_start|>'"
            )
        self._tested.add(self.bos)

    def _generated_token(self) -> tuple[float, str]:
        """Bits and text of the token that the server generates after `BEGINNING`."""
        pieces, _ = self._complete(self.bos + BEGINNING)
        return pieces[0].bits, pieces[0].text

    def _scores(self, sentence: str) -> TokenSurprisals:
        """The tokens of a sentence and their surprisals. Raises InputError."""
        pieces, text = self._complete(self.bos + sentence, echo=True)
        if self.bos:
            self._check_one_bos(sentence, pieces)
        # llama.cpp writes a special token as "".
        if self.bos and pieces and pieces[0].text in (self.bos, ""):
            pieces = pieces[1:]
        # The last token may be one that the server generated.
        readings = [pieces[:-1], pieces]
        if text == self.bos + sentence:  # nothing was generated
            readings.reverse()
        for reading in readings:
            scores = placed(sentence, _whole_characters(reading))
            if scores:
                return scores
        if len(pieces) <= 1:
            raise InputError(f"{self.name}: its answer leaves the prompt out; {OF_PROMPTS}")
        tokens = " ".join(piece.text or "?" for piece in pieces)
        raise InputError(f"{self.name}: its tokens {tokens[:200]!r} do not spell {sentence!r}")

    def _check_one_bos(self, sentence: str, pieces: Sequence[Piece]) -> None:
        """Raise InputError where the server puts a BOS token of its own before the one of `bos`."""
        front = [piece.text for piece in pieces[:2]]
        # llama.cpp writes a special token as "", and parts of a character beyond ASCII, too.
        unwritten = ("",) if sentence[:1].isascii() else ()
        is_special = [text in (self.bos, *unwritten) or SPECIAL.fullmatch(text) for text in front]
        if len(front) == 2 and all(is_special):
            own = front[0] or self.bos
            raise InputError(
                f"{self.name} reads two tokens before a sentence: {own!r}, which it puts there "
                f"itself, and {self.bos!r}; leave bos out (--bos)"
            )

    def _complete(self, prompt: str, **options: Any) -> tuple[list[Piece], str]:
        """The tokens and the text of the server's answer to a prompt, one token longer.

        Raises InputError unless each token but the first has a log-probability.
        """
        body = {
            "model": self.served,
            "prompt": prompt,
            "max_tokens": 1,
            "temperature": 0.0,
            "logprobs": 1,
            **options,
        }
        answer = self._answer("completions", body)
        try:
            choice = answer["choices"][0]
            tokens = _tokens_of(choice["logprobs"])
            generated = str(choice.get("text") or "")
        except (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError):
            raise InputError(
                f"{self.name}: its answer holds no log-probabilities of the prompt, numbers beside "
                f"texts of tokens: {str(answer)[:200]}; {OF_PROMPTS}"
            ) from None
        pieces = []
        for number, (text, nats) in enumerate(tokens):
            is_first_without_context = number == 0 and math.isnan(nats)
            if not -MOST_NATS < nats <= ALMOST_ONE and not is_first_without_context:
                raise InputError(f"{self.name}: the log-probability of {text[:40]!r} is {nats}")
            is_unknown = not text or text.lower() in UNKNOWN
            pieces.append(Piece(text, -nats / math.log(2), is_unknown))
        return pieces, generated

    def _answer(self, path: str, body: dict | None = None) -> Any:
        """The server's answer as JSON: to POST with a body, else to GET. Raises InputError."""
        address = f"{self.address}/{path}"
        try:
            status, content = within(self.timeout, lambda: self._received(address, body))
        except TimeoutError:
            reason = f"its answer is not whole after {self.timeout:g} s, the time-out"
            raise NoAnswerError(f"{address}: no answer ({reason}); {RESUMED}") from None
        except InputError:
            raise
        except Exception as error:  # of the header's numbers and dates, too
            reason = one_line(error, 400)
            raise NoAnswerError(f"{address}: no answer ({reason}); {RESUMED}") from None
        if status != requests.codes.ok:
            raise NoAnswerError(f"{address}: {_fault(status, content)}")
        text = decoded(content, f"{address}: its answer")
        return parse_json(text, address, "no answer that can be read as JSON")

    def _received(self, address: str, body: dict | None) -> tuple[int, bytes]:
        """Status and content of the answer to a request. Raises InputError for too long a one."""
        content = bytearray()
        with self._session.request(
            "POST" if body else "GET",
            address,
            json=body,
            timeout=self.timeout,
            stream=True,
            allow_redirects=False,
        ) as response:
            for part in response.iter_content(PART):
                content += part
                check_bytes(len(content), address, "its answer has")
        return response.status_code, bytes(content)


def _fault(status: int, content: bytes) -> str:
    """What an answer without a result says, and what would help."""
    words = one_line(content[:1000].decode(errors="replace"), 300)
    remedy = ""
    if status in (401, 403):
        remedy = "the key in TSE_API_KEY is not accepted"
        if not os.environ.get("TSE_API_KEY"):
            remedy = "it asks for a key, which TSE_API_KEY can hold"
    elif status == requests.codes.not_found:
        remedy = "addresses usually end in /v1"
    elif status == requests.codes.server_error:
        remedy = "the server failed, and its own log says why"
    parts = [part for part in (str(status), remedy, words) if part]
    fault = f"no answer ({'; '.join(parts)})"
    return f"{fault}; {RESUMED}" if status in BUSY.status_forcelist else fault


def _tokens_of(logprobs: dict) -> list[tuple[str, float]]:
    """Text and nats of each token of an answer; "" and NaN where the server omits them.

    Raises TypeError or OverflowError for what is no text or no number.
    """
    tokens = []
    for text, nats in zip(logprobs["tokens"], logprobs["token_logprobs"], strict=True):
        if text is not None and not isinstance(text, str):
            raise TypeError("a token is no text")  # becomes an InputError, as what follows
        if isinstance(nats, bool) or not isinstance(nats, int | float | None):
            raise TypeError("a log-probability is no number")
        value = math.nan if nats is None else float(nats)
        tokens.append((text or "", value))
    return tokens


def _whole_characters(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces, where neighbours that are parts of one character are one, without a text."""
    joined: list[Piece] = []
    for text, bits, unknown in pieces:
        if "\ufffd" in text:  # the sign for bytes that are no whole character
            text = ""
        if not text and joined and not joined[-1].text:
            bits += joined.pop().bits
        joined.append(Piece(text, bits, unknown or not text))
    return joined


def open_server(name: str, *, bos: str = "default", timeout: float = TIMEOUT) -> ServerModel:
    """The model of a name like ``http://127.0.0.1:8000/v1#my-model``. Raises InputError."""
    address, _, served = name.partition("#")
    if "@" in address or "?" in address:  # which may be part of a secret, and is not shown
        raise InputError(
            "a server's address is like http://127.0.0.1:8000/v1; its key goes into TSE_API_KEY"
        )
    return ServerModel(address.rstrip("/"), served, timeout).with_policies(bos=bos)
