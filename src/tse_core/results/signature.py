"""Signatures: how a number was made, and when two numbers may be compared.

A signature has three parts: identity (which model, which data), policy (every choice that changes
the number) and provenance (which machine, when). Results are comparable where their policies match
(`tse_core.results.comparing`).

>>> identity = {"model": "gpt2@1f3c9a27", "data": "simple@9f3e22ab"}
>>> signature = Signature(identity, {"bos": "none"}, {"version": "0.1.0"})
>>> print(signature)
gpt2@1f3c9a27 simple@9f3e22ab | bos:none | 0.1.0
>>> Signature.parse(str(signature)) == signature
True
>>> signature.model, signature.data_name, signature.without_provenance
('gpt2', 'simple', 'gpt2@1f3c9a27 simple@9f3e22ab | bos:none')
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

from tse_core import __version__
from tse_core.errors import InputError, one_line

# One number per protocol, raised by hand when a recorded or golden model moves without a change of
# policy.
PROTOCOL_NUMBERS = {"agreement": 1, "pairs": 1, "suites": 1}
# What each protocol scores.
KINDS = {"exact": "agreement", "released": "agreement", "pairs": "pairs", "syntaxgym": "suites"}
MEMORY = "memory"  # in place of a hash: a network in memory without a fingerprint
# The value of the policy "lemmas", such as newman-appendix@77aa01c2(948).
LEMMAS = re.compile(r"(?P<list>.*)@(?P<hash>[0-9a-f]{8})\((?P<count>\d+)\)", re.DOTALL)
_HASHED = rf"\S*@([0-9a-f]{{8}}|{MEMORY})"
_LINE = re.compile(
    rf"(?P<identity>{_HASHED} {_HASHED}) \| (?P<policy>[^|]+?)( \| (?P<provenance>[^|]*))?"
)
_PROVENANCE = ("version", "hardware", "date")


@dataclass(frozen=True)
class Signature:
    """How a number was made. The provenance plays no part in equality, hash or key.

    Attributes
    ----------
    identity : e.g. {"model": "gpt2@1f3c9a27", "data": "marvin-linzen@9f3e22ab"}
    policy : e.g. {"lemmas": "newman-appendix@77aa01c2(948)", "bos": "none"}
    provenance : package version, hardware, and date (of work that took several days the first and
        the last, "2026-01-03/2026-11-21"); of data from the hub their source, with the commit
    """

    identity: Mapping[str, str]
    policy: Mapping[str, str]
    provenance: Mapping[str, str] = field(default_factory=lambda: provenance(), compare=False)

    def __str__(self) -> str:
        """One line; spaces, bars and percent signs inside its parts are percent-encoded."""
        return f"{self.without_provenance} | {' '.join(map(_encoded, self.provenance.values()))}"

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def without_provenance(self) -> str:
        """The line's identity and policy: the same whenever and wherever the work is done."""
        identity = " ".join(map(_encoded, self.identity.values()))
        pieces = []
        for name, value in self.policy.items():
            text = _encoded(value)
            if name == "lemmas":  # without their name, so no colon may stand in the list's
                pieces.append(text.replace(":", "%3A"))
            else:
                pieces.append(f"{name}:{text}")
        return f"{identity} | {' '.join(pieces)}"

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
    def kind(self) -> str:
        """What was scored: "agreement" pairs, sentence "pairs" or "suites"."""
        protocol = self.policy.get("protocol", "").split("/")[0]
        return KINDS.get(protocol, "agreement")

    @property
    def key(self) -> str:
        """A hash of identity and policy: the same for the same work, wherever it is done."""
        parts = [sorted(self.identity.items()), sorted(self.policy.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """The signature in a line of text; the provenance may be missing. Raises InputError."""
        line = _LINE.fullmatch(one_line(text))
        if line is None:
            raise _no_signature_error(text)
        policy = {}
        for piece in line["policy"].split():
            name, colon, value = piece.partition(":")
            if not colon:  # lemmas stand without their name
                name, value = "lemmas", piece
            policy[name] = unquote(value)
            if name == "lemmas" and not LEMMAS.fullmatch(policy[name]):
                raise _no_signature_error(text)
        identity_values = map(unquote, line["identity"].split())
        identity = dict(zip(("model", "data"), identity_values, strict=True))
        provenance_values = map(unquote, (line["provenance"] or "").split())
        # The source is there for data from the hub only.
        names = (*_PROVENANCE, "source")
        parsed_provenance = dict(zip(names, provenance_values, strict=False))
        return cls(identity, policy, parsed_provenance)


def signature_of(
    model: Any,
    data: str,
    protocol: str,
    *,
    before: Mapping[str, str],
    behind: Mapping[str, str] | None = None,
    after: Mapping[str, str] | None = None,
) -> Signature:
    """The signature of scores of a model, made here and now: all its policies, in order.

    Parameters
    ----------
    model : LanguageModel or SurprisalModel, which gives its identity and its own policies
    data : name@hash
    protocol : one of `KINDS`; its number is added
    before : policies in front of the model's
    behind : those behind the model's, in front of the protocol
    after : those behind the protocol; one that is the model's, too, stands here alone
    """
    after = after or {}
    of_model = {name: value for name, value in model.policies().items() if name not in after}
    number = PROTOCOL_NUMBERS[KINDS[protocol]]
    policy = {
        **before,
        **of_model,
        **(behind or {}),
        "protocol": f"{protocol}/{number}",
        **after,
    }
    identity = {"model": model.identity(), "data": data}
    return Signature(identity, policy, provenance(model.device))


def provenance(device: object = "cpu") -> dict[str, str]:
    """Package version, hardware and date of work done now."""
    hardware = str(device)
    if hardware.startswith("cuda"):
        import torch

        hardware = torch.cuda.get_device_name(hardware).replace(" ", "-")
    return {"version": __version__, "hardware": hardware, "date": date.today().isoformat()}


def joined_provenance(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The provenance of several pieces of work: all versions and devices, the first and last day.

    `parts` are at least one.
    """
    parts = list(parts)
    joined = {}
    for name in _PROVENANCE:
        values = sorted({part[name] for part in parts})
        if name == "date":
            days = dict.fromkeys([values[0], values[-1]])  # one day stands once
            joined[name] = "/".join(days)
        else:
            joined[name] = ",".join(values)
    return joined


def _no_signature_error(text: str) -> InputError:
    form = "model@hash data@hash | policies | made with"
    return InputError(f"not a signature: {text[:60]!r}; it reads '{form}'")


def _encoded(value: object) -> str:
    """A value without the characters that separate the parts of a signature."""
    return re.sub(r"[\s|%]", lambda match: quote(match[0]), str(value))
