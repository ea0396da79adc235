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
import math
from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import numpy as np

from tse_core.errors import InputError, unknown
from tse_core.models.bos import WORDS
from tse_core.models.identity import canonical
from tse_core.models.kinds.request import Request
from tse_core.models.kinds.server_answers import first_written, scores_in
from tse_core.models.kinds.server_requests import ServerError, ask
from tse_core.models.surprisal_model import PROBE, TIMEOUT, GivenScores, SurprisalModel
from tse_core.results.work import SAME

WAYS: tuple[dict, ...] = ({"echo": True, "logprobs": 1}, {"prompt_logprobs": 0})
BATCH = 32  # sentences in one request
ONE_BY_ONE = (400, 422, 500)  # answers of servers that do not take a list of prompts
BEGUN = "The keys to the cabinet"  # the server generates the next token, and reads it again
CHANGING = ("created", "object", "permission", "permissions")  # entries that change while the model does not


class ServerModel(SurprisalModel):
    """A model behind a server.

    Parameters
    ----------
    address : str
        Up to the version, e.g. ``http://127.0.0.1:8000/v1``. A key, if the server wants one, is taken from the
        environment variable ``TSE_API_KEY``.
    served : str, optional
        Which of the server's models; may be left out where it has one.
    timeout : float
        Seconds that one request may take.

    Raises InputError where the server cannot be reached, or has no such model.
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
        self._several = True  # whether it takes several prompts in one request
        self._probe: GivenScores | None = None
        self._tried: set[str] = set()  # BOS tokens with which a token scores the same read as written

    @property
    def label(self) -> str:
        """The model's name; the last part if it is a path."""
        return PurePosixPath(self.served).name if self.served.startswith("/") else self.served

    def identity(self) -> str:
        """Name and hash of what the server says of the model, and of the tokens into which it splits a sentence."""
        about = {name: value for name, value in self._said.items() if name not in CHANGING}
        digest = hashlib.sha256(canonical(about | {"tokens": self._first_probe().tokens}))
        return f"{self.label}@{digest.hexdigest()[:8]}"

    def policies(self) -> dict[str, str]:
        return {"bos": self.bos or "server", "source": "server"}

    def with_policies(self, *, bos=None, space=None) -> "ServerModel":
        """This model with a token's text before each sentence; by default the server decides what stands there.

        Raises InputError for any other policy.
        """
        if space is not None or (bos in WORDS and bos != "default"):
            what = f"bos={bos!r}" if space is None else "a space"
            raise InputError(
                f"{self.name} is behind a server, which cannot be asked for {what}; bos may be a token's text"
            )
        model = copy.copy(self)
        if bos is not None:
            model.bos = "" if bos == "default" else bos
        return model

    def token_surprisals(self, sentences: Sequence[str]) -> list[GivenScores]:
        """The surprisal of every token of every sentence, with its place in the sentence.

        Raises InputError where the server is gone or too slow, another model answers than before, an answer is not the
        log-probabilities of its sentence, or a token that the server wrote is not as likely when the server reads it.
        """
        scores: list[GivenScores] = []
        try:
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
            listed = ask(self.address, "/models", timeout=self.timeout, waits=()).get("data")
        except ServerError as error:
            raise InputError(f"{self.address}/models: {error}") from None
        entries = listed if isinstance(listed, list) else []
        known = {e["id"]: e for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str)}
        if not known:
            raise InputError(f"{self.address}/models lists no model")
        if not served and len(known) > 1:
            names = sorted(known)
            which = f"say which, as in {self.address}#{names[0]}"
            raise InputError(f"{self.address} has several models, {which}: {', '.join(names)}")
        if served and served not in known:
            raise unknown(f"model of {self.address}", served, known)
        return known[served or next(iter(known))]

    def _first_probe(self) -> GivenScores:
        """The first scores of the probe, in the first way that the server understands."""
        if self._probe is None:
            refusals = []
            for way in WAYS:
                self._way = way
                try:
                    (self._probe,) = self._scores([PROBE], "")
                    return self._probe
                except ServerError as error:
                    refusals.append(f"asked with {' and '.join(way)}: {error}")
            raise InputError(f"{self.name} gives no log-probabilities of a prompt; {'; '.join(refusals)}")
        return self._probe

    def _check_same(self) -> None:
        """Raise InputError where the probe is not scored as it was: another model answers now."""
        if self._probe is None:
            self._first_probe()
            return
        (now,) = self._scores([PROBE], "")
        same = now.tokens == self._probe.tokens
        if not same or np.nanmax(np.abs(now.bits - self._probe.bits), initial=0) * math.log(2) > SAME:
            raise InputError(f"{self.name} is another model than it was: it scores {PROBE!r} differently")

    def _check_places(self) -> None:
        """Raise InputError where a token has another log-probability written than read."""
        if self.bos in self._tried:
            return
        if (found := self._written_and_read()) is not None:
            text, written, read = found
            if not abs(read - written) <= SAME:
                raise InputError(
                    f"{self.name}: its log-probabilities do not belong to the tokens next to them: it wrote "
                    f"{text!r} after {BEGUN!r} with {written:.2f} nats and reads it there with {read:.2f}; the server "
                    "of llama-cpp-python does so unless a text begins with the BOS token that the model's file names: "
                    "name that token, as in --bos '<|im_start|>'"
                )
        self._tried.add(self.bos)

    def _written_and_read(self) -> tuple[str, float, float] | None:
        """A token that the server writes, and its log-probability (nats) written and read.

        None if the server does not give the probability of the token that it wrote, or splits the text into other
        tokens when it reads it: then it cannot be tested.
        """
        try:
            (choice,) = self._request([self.bos + BEGUN], {"logprobs": 1})
            text, written = first_written(choice)
            (found,) = self._scores([BEGUN + text], self.bos)
        except ServerError:
            return None
        same = found.tokens[-1].strip() == text.strip()
        return (text, written, -found.bits[-1] * math.log(2)) if same else None

    def _scores(self, sentences: Sequence[str], bos: str) -> list[GivenScores]:
        choices = self._asked([bos + sentence for sentence in sentences])
        return [scores_in(choice, sentence, bos) for choice, sentence in zip(choices, sentences, strict=True)]

    def _asked(self, prompts: list[str]) -> list[dict]:
        """The answer to each prompt; they are sent one by one if the server does not take a list."""
        if len(prompts) > 1 and self._several:
            try:
                return self._request(prompts)
            except ServerError as error:
                if error.status not in ONE_BY_ONE:
                    raise
                self._several = False
        return [choice for prompt in prompts for choice in self._request([prompt])]

    def _request(self, prompts: list[str], way: dict | None = None) -> list[dict]:
        way = self._way if way is None else way
        body = {"model": self.served, "prompt": prompts, "max_tokens": 1, "temperature": 0.0, **way}
        answer = ask(self.address, "/completions", body, timeout=self.timeout)
        if answer.get("model") not in (None, "", self.served):
            raise InputError(f"{self.name}: another model answers, {str(answer['model'])[:80]!r}")
        choices = answer.get("choices")
        if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
            raise ServerError("its answer holds no choices")
        placed = {choice.get("index", number): choice for number, choice in enumerate(choices)}
        if len(choices) != len(prompts) or set(placed) != set(range(len(prompts))):
            raise ServerError(f"{len(choices)} answers for {len(prompts)} prompts")
        return [placed[number] for number in range(len(prompts))]


def open_server(request: Request) -> ServerModel:
    """The model of a name like ``http://127.0.0.1:8000/v1#my-model``. Raises InputError."""
    address, _, served = request.name.partition("#")
    try:
        place = urlsplit(address)
        right = place.hostname and place.port != 0 and not (place.query or place.username or place.password)
    except ValueError:
        right = False
    if not right:
        shown = address.rpartition("@")[2]  # never a password
        raise InputError(
            f"{shown!r} is not a server's address; it is like http://127.0.0.1:8000/v1 (a key: TSE_API_KEY)"
        )
    request.refuse(f"{address} is a server", "kind", "device", "dtype", "revision")
    model = ServerModel(address.rstrip("/"), served)
    return model if request.bos == "default" else model.with_policies(bos=request.bos)
