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
import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePosixPath

import numpy as np
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from tse_core.errors import InputError, check_known
from tse_core.models.backends.server_answers import ServerError, first_written, scores_in
from tse_core.models.bos import WORDS
from tse_core.models.surprisal_model import PROBE, SurprisalModel, TokenSurprisals
from tse_core.results.store import SAME_PROBE

WAYS: tuple[dict, ...] = ({"echo": True, "logprobs": 1}, {"prompt_logprobs": 0})
SPECIAL = re.compile(r"<\|[^<>|]*\|>|</?(?:s|bos|eos|unk|pad|mask)>|\[(?:CLS|SEP|MASK|UNK|PAD)\]")
BATCH = 32  # sentences in one request
BEGUN = "The keys to the cabinet"  # the server generates the next token, and reads it again
CHANGING = ("created", "object", "permission", "permissions")  # entries that change while the model does not
KEY = "TSE_API_KEY"  # the environment variable that holds the server's key, if it wants one
BUSY = Retry(  # a server that restarts or is overloaded is asked again; one that is slow has its time-out
    5, read=0, status_forcelist=(408, 429, 502, 503, 504), allowed_methods=None, backoff_factor=1, raise_on_status=False
)


class ServerModel(SurprisalModel):
    """A model behind a server at an address such as ``http://127.0.0.1:8000/v1``.

    `served` says which of the server's models, where it has several. The environment variable ``TSE_API_KEY`` may hold
    a key. Raises InputError where the server cannot be reached, or has no such model.
    """

    kind = "server"
    device = "server"

    def __init__(self, address: str, served: str = ""):
        self.address, self.bos = address, ""
        self._said = self._entry(served)
        self.served = self._said["id"]
        super().__init__(f"{address}#{self.served}")
        self._takes_lists = True
        self._tried: set[str] = set()  # BOS tokens with which a token scores the same read as written

    @property
    def label(self) -> str:
        """The model's name; the last part if it is a path."""
        return PurePosixPath(self.served).name if self.served.startswith("/") else self.served

    def identity(self) -> str:
        """Name and hash of what the server says of the model, and of the tokens into which it splits a sentence."""
        about = {name: value for name, value in self._said.items() if name not in CHANGING}
        digest = hashlib.sha256(json.dumps([about, self._first_probe.tokens], sort_keys=True).encode())
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

        Raises InputError where the server is gone or too slow, another model answers than before, or an answer is not
        the log-probabilities of its sentence.
        """
        for sentence in sentences:
            if mark := SPECIAL.search(sentence):
                raise InputError(f"{self.name}: a server reads {mark[0]!r} in {sentence!r} as a special token")
        try:
            self._check_same()
            self._check_places()
            batches = [sentences[start : start + BATCH] for start in range(0, len(sentences), BATCH)]
            return [scores for batch in batches for scores in self._scores(batch, self.bos)]
        except ServerError as error:
            raise InputError(f"{self.name}: {error}") from None

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

    @cached_property
    def _first_probe(self) -> TokenSurprisals:
        """The first scores of the probe, in the first way that the server understands."""
        refusals = []
        for way in WAYS:
            self._way = way
            try:
                (probe,) = self._scores([PROBE], "")
                return probe
            except ServerError as error:
                refusals.append(f"asked with {' and '.join(way)}: {error}")
        raise InputError(f"{self.name} gives no log-probabilities of a prompt; {'; '.join(refusals)}")

    def _check_same(self) -> None:
        """Raise InputError where the probe is not scored as it was: another model answers now."""
        before, (now,) = self._first_probe, self._scores([PROBE], "")
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
        """Of many sentences at once, or one by one if the server takes no list of prompts."""
        prompts, choices = [bos + sentence for sentence in sentences], []
        if len(prompts) > 1 and self._takes_lists:
            try:
                choices = self._request(prompts, self._way)
            except ServerError:
                self._takes_lists = False
        choices = choices or [choice for prompt in prompts for choice in self._request([prompt], self._way)]
        return [scores_in(choice, sentence, bos) for choice, sentence in zip(choices, sentences, strict=True)]

    def _request(self, prompts: list[str], way: dict) -> list[dict]:
        body = {"model": self.served, "prompt": prompts, "max_tokens": 1, "temperature": 0.0, **way}
        answer = ask(f"{self.address}/completions", body, timeout=self.timeout)
        try:
            choices = {choice.get("index", number): choice for number, choice in enumerate(answer["choices"])}
            return [choices[number] for number in range(len(prompts))]
        except (AttributeError, KeyError, TypeError):
            raise ServerError(f"it does not answer each of {len(prompts)} prompts") from None


def ask(address: str, body: dict | None = None, *, timeout: float, retry: Retry | int | None = None) -> dict:
    """The JSON object that a server answers: to POST with a body, else to GET.

    The address is asked directly, without proxies and redirections, so that a key reaches nobody but the server. Raises
    InputError where it cannot be reached or is too slow, ServerError for any other answer.
    """
    key = os.environ.get(KEY, "").strip()
    with requests.Session() as session:
        session.trust_env = False  # no proxy, no password of ~/.netrc
        session.mount(address, HTTPAdapter(max_retries=BUSY if retry is None else retry))
        try:
            response = session.request(
                "POST" if body else "GET", address, json=body, timeout=timeout, allow_redirects=False,
                headers={"Authorization": f"Bearer {key}"} if key else {},
            )  # fmt: skip
        except requests.RequestException as error:
            advice = "is a server running there? What is finished is kept, and the same command goes on from there"
            raise InputError(f"{address}: no answer ({error}); {advice}") from None
    shown = " ".join(response.text[:400].split())[:200]
    if response.status_code != 200:
        raise ServerError(f"it answers {response.status_code}: {shown}")
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise ServerError(f"its answer is not a JSON object: {shown}")
    return answer


def open_server(name: str) -> ServerModel:
    """The model of a name like ``http://127.0.0.1:8000/v1#my-model``. Raises InputError."""
    address, _, served = name.partition("#")
    if "@" in address:  # which may be part of a password, and is not shown
        raise InputError("a server's address is like http://127.0.0.1:8000/v1; its key goes into TSE_API_KEY")
    return ServerModel(address.rstrip("/"), served)
