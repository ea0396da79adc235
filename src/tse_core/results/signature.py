"""Signatures: how a number was made, and when two numbers may be compared.

A signature has three parts: identity (which model, which data), policy (every choice that changes the number) and
provenance (which machine, when). Results are comparable where their policies match (`tse_core.results.comparing`).

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
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import quote, unquote

from tse_core import __version__
from tse_core.errors import InputError

PROTOCOL_VERSION = 1  # raised by hand when scores change without a change of policy
MEMORY = "memory"  # instead of a hash: a network in memory that has no name, so that nothing says what it is
LEMMAS = re.compile(r"(?P<list>.*)@(?P<hash>[0-9a-f]{8})\((?P<count>\d+)\)", re.DOTALL)
_HASHED = rf"\S*@([0-9a-f]{{8}}|{MEMORY})"
_LINE = re.compile(
    rf"(?P<identity>{_HASHED} {_HASHED}) \| (?P<policy>[^|]+?)( \| (?P<made>[^|]*))?"
)
_PROVENANCE = ("version", "hardware", "date")


@dataclass(frozen=True)
class Signature:
    """How a number was made. The provenance plays no part in equality, hash or key."""

    identity: Mapping[str, str]  # e.g. {"model": "gpt2@1f3c9a27", "data": "marvin-linzen@9f3e22ab"}
    policy: Mapping[str, str]  # e.g. {"lemmas": "newman-appendix@77aa01c2(948)", "bos": "none"}
    provenance: Mapping[str, str] = field(default_factory=lambda: provenance(), compare=False)
    # package version, hardware, date (two days, "2026-01-03/2026-11-21", where the work took more than one)

    def __str__(self) -> str:
        """One line; separators inside its parts (spaces, bars, percent signs) are percent-encoded."""
        return f"{self.without_provenance} | {' '.join(map(_encoded, self.provenance.values()))}"

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def without_provenance(self) -> str:
        """The line's identity and policy: the same whenever and wherever the work is done."""
        named = {name: _encoded(value) for name, value in self.policy.items()}
        policy = " ".join(
            v.replace(":", "%3A") if name == "lemmas" else f"{name}:{v}"
            for name, v in named.items()
        )
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
        """A hash of identity and policy: the same for the same work, wherever it is done."""
        parts = [sorted(self.identity.items()), sorted(self.policy.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """The signature in a line of text; the provenance may be missing. Raises InputError."""
        found = _LINE.fullmatch(" ".join(text.split()))
        pieces = found["policy"].split() if found else []
        named = [
            piece.partition(":") if ":" in piece else ("lemmas", ":", piece) for piece in pieces
        ]
        if not found or any(
            name == "lemmas" and not LEMMAS.fullmatch(unquote(value)) for name, _, value in named
        ):
            raise InputError(
                f"not a signature: {text[:60]!r}; it reads 'model@hash data@hash | policies | made with'"
            )
        identity = dict(
            zip(("model", "data"), map(unquote, found["identity"].split()), strict=True)
        )
        made = dict(zip(_PROVENANCE, map(unquote, (found["made"] or "").split()), strict=False))
        return cls(identity, {name: unquote(value) for name, _, value in named}, made)


def provenance(device: object = "cpu") -> dict[str, str]:
    """Package version, hardware and date of work done now."""
    hardware = str(device)
    if hardware.startswith("cuda"):
        import torch

        hardware = torch.cuda.get_device_name(hardware).replace(" ", "-")
    return {"version": __version__, "hardware": hardware, "date": date.today().isoformat()}


def joined_provenance(made: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The provenance of several pieces of work together: every version and device, the first and the last day."""
    made = list(made)
    said = {name: sorted({each[name] for each in made}) for name in _PROVENANCE}
    days = dict.fromkeys([said["date"][0], said["date"][-1]])
    return {name: ",".join(values) for name, values in said.items()} | {"date": "/".join(days)}


def _encoded(value: object) -> str:
    return re.sub(r"[\s|%]", lambda found: quote(found[0]), str(value))
