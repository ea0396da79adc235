"""How a number was made: signatures, and when two numbers may stand side by side.

A signature has three parts: identity (which model, which data), policy (every choice that changes the number) and
provenance (with what, when). Results are comparable where their policies match; `differences` says where they do not
and what each difference does to a score.

>>> made = Signature({"model": "gpt2@1f3c9a27", "data": "simple@9f3e22ab"}, {"bos": "none"}, {"version": "0.1.0"})
>>> print(made)
gpt2@1f3c9a27 simple@9f3e22ab | bos:none | 0.1.0
>>> Signature.parse(str(made)) == made
True
>>> made.model, made.data_name, made.without_provenance
('gpt2', 'simple', 'gpt2@1f3c9a27 simple@9f3e22ab | bos:none')
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import NamedTuple
from urllib.parse import quote, unquote

import pandas as pd

from tse_core import __version__
from tse_core.errors import InputError

PROTOCOL_VERSION = 1  # raised by hand when scores change though no policy did
READING = ("bos", "space")  # policies that come with the kind of a model rather than by choice
EFFECTS = {
    "lemmas": "EW and MW are means over the lemmas that count, so other lemmas are other questions; TSE stays",
    "forms": "single entries, whole words and whole words without their ends have other probabilities",
    "cut": "cut-offs are shares of the list's probability, or of that of all words; scores at 100 % stay",
    "sample": "means are over other contexts; the intervals say how far they may differ by chance",
    "bos": "what stands before the first word changes every probability of a short left context most",
    "space": "another first token, so other probabilities after it",
    "caps": "a cased model reads other tokens at the start",
    "period": "a masked model reads other tokens at the end",
    "protocol": "'released' sums probability in float32, so lemmas of the far tail drop out of EW and MW at 100 %, "
    "finds RoBERTa's mask by counting tokens and keeps the first label of an ambiguous context",
    "dtype": "weights in half precision move log-probabilities by hundredths of a nat; close pairs flip",
    "revision": "other weights, perhaps",
    "chat": "a chat template and a user's message stand in front of every sentence",
    "source": "which model it is and its numbers are the word of a server, in its own precision",
    "quantised": "weights of few bits move every probability a little",
    "ties": "two equal scores count as wrong or as half",
    "method": "whole sentences, prefixes and pseudo-log-likelihoods are different questions",
    "first": "a cased model reads other tokens at the start",
    "unknown": "refused pairs leave the mean",
    "metric": "a region's surprisal is another summary of its tokens'",
    "score": "pseudo-log-likelihoods are no probabilities of sentences",
}
_LEMMAS = re.compile(r"(?P<list>.+)@(?P<hash>[0-9a-f]{8})\((?P<count>\d+)\)", re.DOTALL)
_PARTS = (("model", "data"), None, ("version", "hardware", "date"))


class Difference(NamedTuple):
    """A policy on which two results differ, and what that does to the scores; None: it has no such policy."""

    policy: str
    first: str | None
    second: str | None
    effect: str

    def __str__(self):
        return f"{self.policy}: {self.first or 'none'} against {self.second or 'none'} ({self.effect})"


@dataclass(frozen=True)
class Signature:
    """How a number was made.

    Attributes
    ----------
    identity : what was measured on what, e.g. {"model": "gpt2@1f3c9a27", "data": "marvin-linzen@9f3e22ab"}
    policy : every choice that changes the number, e.g. {"lemmas": "newman-appendix@77aa01c2(948)", "bos": "none"}
    provenance : package version, hardware, date (two days, "2026-01-03/2026-11-21", where the work took more than one);
        it plays no part in equality or in the key
    """

    identity: Mapping[str, str]
    policy: Mapping[str, str]
    provenance: Mapping[str, str] = field(default_factory=lambda: provenance(), compare=False)

    def __str__(self) -> str:
        """One line; what would blur its parts (spaces, bars, colons in names) is percent-encoded."""
        return f"{self.without_provenance} | {' '.join(map(_encoded, self.provenance.values()))}"

    @property
    def without_provenance(self) -> str:
        """The line's identity and policy: the same whenever and wherever the work is done."""
        named = {name: _encoded(value) for name, value in self.policy.items()}
        policy = " ".join(v.replace(":", "%3A") if name == "lemmas" else f"{name}:{v}" for name, v in named.items())
        return f"{' '.join(map(_encoded, self.identity.values()))} | {policy}"

    @property
    def model(self) -> str:
        """The model's name, without its hash."""
        return self.identity["model"].rpartition("@")[0]

    @property
    def data_name(self) -> str:
        """The data's name, without its hash."""
        return self.identity["data"].rpartition("@")[0]

    @property
    def protocol(self) -> str:
        """How probabilities were summed, "exact" or "released", without the version."""
        return self.policy["protocol"].split("/")[0]

    @property
    def key(self) -> str:
        """A hash of identity and policy: the same for the same work, whenever and wherever it is done."""
        parts = [sorted(self.identity.items()), sorted(self.policy.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def to_json(self) -> str:
        return json.dumps({part: dict(getattr(self, part)) for part in ("identity", "policy", "provenance")})

    @classmethod
    def from_json(cls, text: str) -> "Signature":
        parts = json.loads(text)
        return cls(parts["identity"], parts["policy"], parts["provenance"])

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """The signature that a line says; the provenance may be missing. Raises InputError."""
        parts = [part.split() for part in text.split("|")] if isinstance(text, str) else []
        if len(parts) not in (2, 3) or len(parts[0]) != len(_PARTS[0]) or not parts[1]:
            raise InputError(f"not a signature: {_short(text)}; it reads 'model@hash data@hash | policies | made with'")
        for name, value in zip(_PARTS[0], parts[0], strict=True):
            if not re.search(r"@[0-9a-f]{8}$", value):
                raise InputError(f"the {name} of a signature is name@hash with eight hexadecimal digits, not {value!r}")
        policy = {}
        for piece in parts[1]:
            name, colon, value = piece.partition(":")
            if not colon and not _LEMMAS.fullmatch(unquote(piece)):
                raise InputError(f"a policy of a signature is name:value or list@hash(count), not {piece!r}")
            policy["lemmas" if not colon else name] = unquote(value if colon else piece)
        made = dict(zip(_PARTS[2], map(unquote, parts[2]), strict=False)) if len(parts) == 3 else {}
        if not _is_date(made.get("date", "2000-01-01")):
            raise InputError(f"the date of a signature is a day such as 2026-01-31, or two, not {_short(made['date'])}")
        return cls(dict(zip(_PARTS[0], map(unquote, parts[0]), strict=True)), policy, made)


def differences(first: Signature | str, second: Signature | str) -> list[Difference]:
    """The policies on which two results differ, and what each difference does to the scores."""
    first, second = (s if isinstance(s, Signature) else Signature.parse(s) for s in (first, second))
    found = []
    for name in dict.fromkeys([*first.policy, *second.policy]):
        one, other = first.policy.get(name), second.policy.get(name)
        if one != other:
            found.append(Difference(name, one, other, _effect(name, one, other)))
    return found


def comparable(first: Signature | str, second: Signature | str, *, allow: Iterable[str] = ()) -> bool:
    """Whether two results were made under the same policies, those named in `allow` apart."""
    return all(difference.policy in allow for difference in differences(first, second))


def require_comparable(signatures: Iterable[Signature | str], *, allow: Iterable[str] = (), what="compared") -> None:
    """Raise InputError, naming the policies that differ, unless all results were made under the same ones.

    Whoever averages, ranks or plots results from several runs calls this first; ``allow=READING`` lets models of
    different kinds stand side by side.
    """
    unique = {s if isinstance(s, str) else str(s): None for s in signatures}
    parsed = {s.key: s for s in map(Signature.parse, unique)}
    for first, second in combinations(parsed.values(), 2):
        if found := [d for d in differences(first, second) if d.policy not in allow]:
            names, said = f"{first.identity['model']} and {second.identity['model']}", "; ".join(map(str, found))
            raise InputError(f"results of {names} cannot be {what}, their policies differ: {said}")


def without_provenance(texts: pd.Series) -> pd.Series:
    """A column of signatures, each without its provenance; a text that is no signature stays as it is."""
    return texts.map({text: _without_provenance(text) for text in texts.unique()})


def provenance(device: object = "cpu") -> dict[str, str]:
    """Package version, hardware and date of work done now."""
    return {"version": __version__, "hardware": _hardware(str(device)), "date": date.today().isoformat()}


def joined_provenance(made: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """With what and when several pieces of work were done: every version and device, the first and the last day.

    >>> old = {"version": "0.1.0", "hardware": "NVIDIA-H200", "date": "2026-01-03"}
    >>> joined_provenance([old, old | {"hardware": "cpu", "date": "2026-06-30"}])
    {'version': '0.1.0', 'hardware': 'NVIDIA-H200,cpu', 'date': '2026-01-03/2026-06-30'}
    """
    made = list(made)
    said = {name: sorted({each[name] for each in made}) for name in _PARTS[2]}
    days = dict.fromkeys([said["date"][0], said["date"][-1]])
    return {name: ",".join(values) for name, values in said.items()} | {"date": "/".join(days)}


def _without_provenance(text: str) -> str:
    try:
        return Signature.parse(text).without_provenance
    except InputError:
        return text


def _hardware(device: str) -> str:
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device).replace(" ", "-")
    return device


def _effect(name: str, first: str | None, second: str | None) -> str:
    if name == "lemmas" and first and second:
        one, other = (_LEMMAS.fullmatch(text) for text in (first, second))
        if one and other and one["hash"] == other["hash"]:
            return "the same list in two vocabularies: EW and MW compare over the lemmas that both hold"
    return EFFECTS.get(name, "the scores were made in another way")


def _encoded(value: object) -> str:
    return re.sub(r"[\s|%]", lambda found: quote(found[0]), str(value))


def _is_date(text: str) -> bool:
    """Whether a text is a day, or the first and the last of several as ISO 8601 writes them."""
    days = text.split("/")
    with suppress(ValueError):
        return [date.fromisoformat(day).isoformat() for day in days] == days and days == sorted(days) and len(days) <= 2
    return False


def _short(text: object) -> str:
    return repr(text if not isinstance(text, str) or len(text) <= 60 else text[:57] + "...")
