"""Language models behind a server that speaks OpenAI's completions protocol, such as vLLM or llama-cpp-python's.

Asked with "echo" and "logprobs", it must give the tokens of the prompt as text, and their log-probabilities. Tokens are
placed by their texts alone, as vLLM counts the BOS token in its offsets. Without a BOS token the first token has no
log-probability. The server decides which model answers, and the signature says so. Whether each number belongs to its
token is tested: a token that the server generates must have the same probability when the server reads it.
"""

import copy
import hashlib
import json
import math
import os
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from tse_core.errors import InputError, check_known
from tse_core.models.surprisal_model import TIMEOUT, Piece, SurprisalModel, TokenSurprisals, placed
from tse_core.models.tokenizing import BOS_WORDS

SPECIAL = re.compile(r"<\|[^<>|]*\|>|</?(?:s|bos|eos|unk|pad|mask)>|\[(?:CLS|SEP|MASK|UNK|PAD)\]")
UNKNOWN = ("<unk>", "[unk]", "<|unk|>")  # how servers write a token that the model does not know
AT_ONCE = 32  # requests; a server answers them together
SAME = 0.5  # nats between a token written and read: half precision and other batches move it by hundredths
ALMOST_ONE = 1e-3  # nats by which rounding may lift a log-probability above 0
BEGUN = "The keys to the cabinet"  # the server generates the next token, and reads it again
PART = (
    256  # bytes of an answer between two looks at the clock: the time-out is for the whole answer
)
CHANGING = (
    "created",
    "object",
    "permission",
    "permissions",
)  # entries that change while the model does not
BUSY = Retry(  # a server that restarts or is overloaded is asked again; one that is slow has its time-out
    5,
    read=0,
    status_forcelist=(408, 429, 502, 503, 504),
    allowed_methods=None,
    backoff_factor=1,
    raise_on_status=False,
)


class ServerModel(SurprisalModel):
    """A model behind a server at an address such as ``http://127.0.0.1:8000/v1``.

    `served` says which of the server's models, where it has several. The environment variable ``TSE_API_KEY`` may hold
    a key. Raises InputError where the server cannot be reached, or has no such model.
    """

    kind = "server"
    device = "server"

    def __init__(self, address: str, served: str = "", timeout: float = TIMEOUT):
        self.address, self.bos, self.timeout = address, "", timeout
        self._session = requests.Session()
        self._session.trust_env = (
            False  # no proxy, no password of ~/.netrc: a key reaches nobody but the server
        )
        if key := os.environ.get("TSE_API_KEY", "").strip():
            self._session.headers["Authorization"] = f"Bearer {key}"
        self._said = self._entry(served)
        self._session.mount(address, HTTPAdapter(max_retries=BUSY, pool_maxsize=AT_ONCE))
        self.served = self._said["id"]
        super().__init__(f"{address}#{self.served}")
        self._tried: set[str] = (
            set()
        )  # BOS tokens with which a token scores the same read as written

    @property
    def label(self) -> str:
        """The model's name; the last part if it is a path."""
        return PurePosixPath(self.served).name if self.served.startswith("/") else self.served

    def identity(self) -> str:
        """Name and hash of what the server says of the model."""
        about = {name: value for name, value in self._said.items() if name not in CHANGING}
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
        return f"{self.label}@{digest.hexdigest()[:8]}"

    def policies(self) -> dict[str, str]:
        return {"bos": self.bos or "server", "source": "server"}

    def with_policies(self, *, bos: str | None = None, space: bool | None = None) -> "ServerModel":
        """This model with a token's text before each sentence; by default the server decides what stands there."""
        if space is not None or (bos in BOS_WORDS and bos != "default"):
            raise InputError(
                f"{self.name} is behind a server; its only policy is bos, which may be a token's text"
            )
        model = copy.copy(self)
        if bos is not None:
            model.bos = "" if bos == "default" else bos
        return model

    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        for sentence in sentences:
            if mark := SPECIAL.search(sentence):
                raise InputError(
                    f"{self.name}: a server reads {mark[0]!r} in {sentence!r} as a special token"
                )
        self._check_places()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self._scores, sentences))

    def _entry(self, served: str) -> dict:
        """What the server says of the model."""
        try:
            known = {str(entry["id"]): entry for entry in self._answer("models")["data"]}
        except (KeyError, TypeError):
            raise InputError(f"{self.address}/models lists no model") from None
        if not served and len(known) != 1:
            raise InputError(
                f"{self.address} has {len(known)} models, say which, as in {self.address}#my-model"
            )
        served = served or next(iter(known))
        check_known(f"model of {self.address}", served, known)
        return known[served]

    def _check_places(self) -> None:
        """Raise InputError where a token has another log-probability written than read.

        That cannot be tested where the server does not say what it wrote, or reads the text as other tokens.
        """
        if self.bos in self._tried:
            return
        try:
            written = self._complete(self.bos + BEGUN)[0][0]
            found = self._scores(BEGUN + written.text)
            comparable = found.tokens[-1].strip() == written.text.strip() and not math.isnan(
                written.bits
            )
        except (InputError, IndexError):
            comparable = False
        if comparable and not abs(found.bits[-1] - written.bits) * math.log(2) <= SAME:
            raise InputError(
                f"{self.name}: its log-probabilities do not belong to the tokens next to them ({written.text!r} after "
                f"{BEGUN!r}: {written.bits:.2f} bits written, {found.bits[-1]:.2f} read); llama-cpp-python does "
                "so unless a text begins with the BOS token of the model's file: name it, as in --bos '<|im_start|>'"
            )
        self._tried.add(self.bos)

    def _scores(self, sentence: str) -> TokenSurprisals:
        pieces, text = self._complete(self.bos + sentence, echo=True)
        if (
            self.bos and pieces and pieces[0].text in (self.bos, "")
        ):  # llama.cpp writes a special token as ""
            pieces = pieces[1:]
        readings = [pieces[:-1], pieces]  # the last may have been generated
        if text == self.bos + sentence:  # nothing was
            readings.reverse()
        for reading in readings:
            if found := placed(sentence, _whole_characters(reading)):
                return found
        tokens = " ".join(piece.text or "?" for piece in pieces)
        raise InputError(f"{self.name}: its tokens {tokens[:200]!r} do not spell {sentence!r}")

    def _complete(self, prompt: str, **options) -> tuple[list[Piece], str]:
        """The tokens and the text that the server answers to a prompt, which it continues by one token.

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
            said = list(
                zip(choice["logprobs"]["tokens"], choice["logprobs"]["token_logprobs"], strict=True)
            )
            pairs = [
                (str(text or ""), math.nan if nats is None else float(nats)) for text, nats in said
            ]
        except (KeyError, IndexError, TypeError, ValueError):
            words = str(answer)[:200]
            raise InputError(
                f"{self.name}: its answer holds no log-probabilities of the prompt: {words}"
            ) from None
        for number, (text, nats) in enumerate(pairs):
            if not -math.inf < nats <= ALMOST_ONE and not (number == 0 and math.isnan(nats)):
                raise InputError(f"{self.name}: the log-probability of {text[:40]!r} is {nats}")
        pieces = [
            Piece(text, -nats / math.log(2), not text or text.lower() in UNKNOWN)
            for text, nats in pairs
        ]
        return pieces, choice.get("text", "")

    def _answer(self, place: str, body: dict | None = None):
        """What the server answers as JSON: to POST with a body, else to GET."""
        address, method = f"{self.address}/{place}", "POST" if body else "GET"
        latest, said = time.monotonic() + self.timeout, b""
        how: dict = {"timeout": self.timeout, "stream": True, "allow_redirects": False}
        try:
            with self._session.request(method, address, json=body, **how) as response:
                for part in response.iter_content(PART):
                    said += part
                    if time.monotonic() > latest:
                        raise requests.Timeout(f"its answer is not whole after {self.timeout:g} s")
                response.raise_for_status()
            return json.loads(said)
        except (requests.RequestException, ValueError) as error:
            words = " ".join([f"{error};", *said[:400].decode(errors="replace").split()])[:400]
            raise InputError(
                f"{address}: no answer ({words.strip(';')}); is a server running there? What is finished is kept, and "
                "the same command goes on from there"
            ) from None


def _whole_characters(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces without neighbours that are parts of characters: these are one piece without a text."""
    joined: list[Piece] = []
    for text, bits, unknown in pieces:
        text = "" if "\ufffd" in text else text
        if not text and joined and not joined[-1].text:
            bits += joined.pop().bits
        joined.append(Piece(text, bits, unknown or not text))
    return joined


def open_server(name: str, *, bos: str = "default", timeout: float = TIMEOUT) -> ServerModel:
    """The model of a name like ``http://127.0.0.1:8000/v1#my-model``. Raises InputError."""
    address, _, served = name.partition("#")
    if "@" in address:  # which may be part of a password, and is not shown
        raise InputError(
            "a server's address is like http://127.0.0.1:8000/v1; its key goes into TSE_API_KEY"
        )
    return ServerModel(address.rstrip("/"), served, timeout).with_policies(bos=bos)
