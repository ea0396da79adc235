"""Language models behind a server that speaks OpenAI's completions protocol, such as vLLM or llama-cpp-python's.

It must give the log-probabilities of the prompt itself, in one of two ways (tokens come as text):

    asked with "echo" and "logprobs"     choices[i].logprobs: tokens, token_logprobs; the token generated comes last
    asked with "prompt_logprobs" (vLLM)  choices[i].prompt_logprobs: for each token {id: {logprob, decoded_token}}

Without a BOS token the first token has no log-probability. The server decides which model answers, and the signature
says so; a test sentence shows whether the model stays the same. Whether each number belongs to its token is
tested, too: a token that the server generates must have the same probability when the server reads it.
"""

import copy
import hashlib
import json
import math
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np

from tse_core.errors import InputError, check_known
from tse_core.models.backends.request import Request
from tse_core.models.backends.server_answers import ServerError, first_written, scores_in
from tse_core.models.backends.server_requests import ask
from tse_core.models.bos import WORDS
from tse_core.models.surprisal_model import PROBE, TIMEOUT, SurprisalModel, TokenSurprisals
from tse_core.results.store import SAME_PROBE

WAYS: tuple[dict, ...] = ({"echo": True, "logprobs": 1}, {"prompt_logprobs": 0})
SPECIAL = re.compile(r"<\|[^<>|]*\|>|</?(?:s|bos|eos|unk|pad|mask)>|\[(?:CLS|SEP|MASK|UNK|PAD)\]")
BATCH = 32  # sentences in one request
BEGUN = "The keys to the cabinet"  # the server generates the next token, and reads it again
CHANGING = ("created", "object", "permission", "permissions")  # entries that change while the model does not


class ServerModel(SurprisalModel):
    """A model behind a server at an address such as ``http://127.0.0.1:8000/v1``.

    `served` says which of the server's models, and may be left out where it has one. A key, if the server wants one, is
    taken from the environment variable ``TSE_API_KEY``. Raises InputError where the server cannot be reached, or has no
    such model.
    """

    kind = "server"
    device = "server"

    def __init__(self, address: str, served: str = "", *, timeout: float = TIMEOUT):
        super().__init__(address, timeout)
        self.address, self.bos = address, ""
        self._said = self._entry(served)
        self.served = self._said["id"]
        self.name = f"{address}#{self.served}"
        self._way = WAYS[0]
        self._takes_lists = True
        self._probe: TokenSurprisals | None = None
        self._tried: set[str] = set()  # BOS tokens with which a token scores the same read as written

    @property
    def label(self) -> str:
        """The model's name; the last part if it is a path."""
        return PurePosixPath(self.served).name if self.served.startswith("/") else self.served

    def identity(self) -> str:
        """Name and hash of what the server says of the model, and of the tokens into which it splits a sentence."""
        about = {name: value for name, value in self._said.items() if name not in CHANGING}
        digest = hashlib.sha256(json.dumps([about, self._first_probe().tokens], sort_keys=True).encode())
        return f"{self.label}@{digest.hexdigest()[:8]}"

    def policies(self) -> dict[str, str]:
        return {"bos": self.bos or "server", "source": "server"}

    def with_policies(self, *, bos=None, space=None) -> "ServerModel":
        """This model with a token's text before each sentence; by default the server decides what stands there.

        Raises InputError for any other policy.
        """
        if space is not None or (bos in WORDS and bos != "default"):
            raise InputError(f"{self.name} is behind a server; its only policy is bos, which may be a token's text")
        model = copy.copy(self)
        if bos is not None:
            model.bos = "" if bos == "default" else bos
        return model

    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        """The surprisal of every token of every sentence, with its place in the sentence.

        Raises InputError where the server is gone or too slow, another model answers than before, an answer is not the
        log-probabilities of its sentence, or a token that the server wrote is not as likely when the server reads it.
        """
        scores: list[TokenSurprisals] = []
        for sentence in sentences:
            if mark := SPECIAL.search(sentence):
                raise InputError(f"{self.name}: a server reads {mark[0]!r} in {sentence!r} as a special token")
        try:
            if self._probe is None:
                self._first_probe()
            else:
                self._check_same()
            self._check_places()
            for start in range(0, len(sentences), BATCH):
                scores += self._scores(sentences[start : start + BATCH], self.bos)
        except ServerError as error:
            raise InputError(f"{self.name}: {error}") from None
        return scores

    def _entry(self, served: str) -> dict:
        """What the server says of the model."""
        try:
            listed = ask(f"{self.address}/models", timeout=self.timeout, retry=0)
            known = {str(entry["id"]): entry for entry in listed["data"]}
        except (ServerError, KeyError, TypeError) as error:
            raise InputError(f"{self.address}/models lists no model ({error})") from None
        if not served and len(known) != 1:
            raise InputError(f"{self.address} has {len(known)} models, say which, as in {self.address}#my-model")
        if served:
            check_known(f"model of {self.address}", served, known)
        return known[served or next(iter(known))]

    def _first_probe(self) -> TokenSurprisals:
        """The first scores of the probe, in the first way that the server understands."""
        if self._probe is not None:
            return self._probe
        refusals = []
        for way in WAYS:
            self._way = way
            try:
                (self._probe,) = self._scores([PROBE], "")
                return self._probe
            except ServerError as error:
                refusals.append(f"asked with {' and '.join(way)}: {error}")
        raise InputError(f"{self.name} gives no log-probabilities of a prompt; {'; '.join(refusals)}")

    def _check_same(self) -> None:
        """Raise InputError where the probe is not scored as it was: another model answers now."""
        (now,) = self._scores([PROBE], "")
        before = self._first_probe()
        if now.tokens != before.tokens or np.abs(now.bits - before.bits).max() * math.log(2) > SAME_PROBE:
            raise InputError(f"{self.name} is another model than it was: it scores {PROBE!r} differently")

    def _check_places(self) -> None:
        """Raise InputError where a token has another log-probability written than read.

        That cannot be tested where the server does not give the probability of the token that it wrote, or splits the
        text into other tokens when it reads it.
        """
        if self.bos in self._tried:
            return
        try:
            (choice,) = self._request([self.bos + BEGUN], {"logprobs": 1})
            text, written = first_written(choice)
            (found,) = self._scores([BEGUN + text], self.bos)
            same, read = found.tokens[-1].strip() == text.strip(), -found.bits[-1] * math.log(2)
        except ServerError:
            same = False
        if same and not abs(read - written) <= SAME_PROBE:
            raise InputError(
                f"{self.name}: its log-probabilities do not belong to the tokens next to them ({text!r} after "
                f"{BEGUN!r}: {written:.2f} nats written, {read:.2f} read); llama-cpp-python's server does so "
                "unless a text begins with the BOS token of the model's file: name it, as in --bos '<|im_start|>'"
            )
        self._tried.add(self.bos)

    def _scores(self, sentences: Sequence[str], bos: str) -> list[TokenSurprisals]:
        choices = self._asked([bos + sentence for sentence in sentences])
        return [scores_in(choice, sentence, bos) for choice, sentence in zip(choices, sentences, strict=True)]

    def _asked(self, prompts: list[str]) -> list[dict]:
        """The answer to each prompt; they are sent one by one if the server does not take a list."""
        if len(prompts) > 1 and self._takes_lists:
            try:
                return self._request(prompts)
            except ServerError:
                self._takes_lists = False
        return [choice for prompt in prompts for choice in self._request([prompt])]

    def _request(self, prompts: list[str], way: dict | None = None) -> list[dict]:
        way = self._way if way is None else way
        body = {"model": self.served, "prompt": prompts, "max_tokens": 1, "temperature": 0.0, **way}
        answer = ask(f"{self.address}/completions", body, timeout=self.timeout)
        try:
            choices = {choice.get("index", number): choice for number, choice in enumerate(answer["choices"])}
            return [choices[number] for number in range(len(prompts))]
        except (AttributeError, KeyError, TypeError):
            raise ServerError(f"it does not answer each of {len(prompts)} prompts") from None


def open_server(request: Request) -> ServerModel:
    """The model of a name like ``http://127.0.0.1:8000/v1#my-model``. Raises InputError."""
    address, _, served = request.name.partition("#")
    if "@" in address:  # which may be part of a password, and is not shown
        raise InputError("a server's address is like http://127.0.0.1:8000/v1; its key goes into TSE_API_KEY")
    request.refuse(f"{address} is a server", "kind", "device", "dtype", "revision")
    model = ServerModel(address.rstrip("/"), served)
    return model if request.bos == "default" else model.with_policies(bos=request.bos)
