"""A profile says which models, data, verb lists and protocols the book runs on.

The task runner and the notebooks read the same file (see tse_book.pages.profiles).
A notebook whose parameters cell has ``models``, ``data``, ``lemmas`` or ``protocol`` is given the profile's.
As a program: has this machine what the profile needs? One message names all that is missing.
"""

import os
import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from book.make import ROOT, SCORES, fail
from tse_book.pages import SHARED, lists_at_hand, missing, profiles, read_profile
from tse_core.errors import InputError

WITHOUT = "TSE_WITHOUT"  # in the environment: the optional models that this build does without


@dataclass(frozen=True)
class Job:
    """One scoring run: of agreement pairs, or of sentence pairs (no verb list, a method instead of a protocol)."""

    model: str
    data: str
    lemmas: str
    protocol: str

    @property
    def record(self) -> Path:
        """Where its signature and its seconds are kept."""
        names = filter(None, (self.model, self.data, self.lemmas, self.protocol))
        return SCORES / ("__".join(names).replace("/", "-") + ".json")


def profile_name() -> str:
    return os.environ.get("PROFILE") or "default"


def load_profile(name: str | None = None) -> dict:
    """The profile's table, checked: every shared key a list of names, the notebooks' own parameters by notebook."""
    name = name or profile_name()
    try:
        profile = read_profile(name)
    except InputError as error:
        raise fail(error) from None
    absent = os.environ.get(WITHOUT, "").split()
    profile["models"] = [model for model in profile["models"] if model not in absent]
    profile["lemmas"] = lists_at_hand(profile["lemmas"])
    if extra := sorted(set(profile["notebooks"]) - set(notebook_names())):
        raise fail(f"{name}.yaml: {extra[0]!r} is no notebook of _toc.yml")
    return profile


def settle() -> None:
    """Fetch the optional models of the profile, once a build; those that cannot be had are left out with one line.

    The steps of the build, which are processes of their own, find the decision in the environment.
    """
    if WITHOUT in os.environ:
        return
    reasons = {name: profiles.cannot_be_had(name) for name in load_profile()["optional"]}
    for name, reason in reasons.items():
        if reason:
            print(f"The book is built without {name}. {reason}")
    if load_profile()["lemmas"] != read_profile(profile_name())["lemmas"]:
        print(profiles.NO_FULL_LIST)
    os.environ[WITHOUT] = " ".join(name for name, reason in reasons.items() if reason)


def jobs(profile: dict) -> list[Job]:
    """Every scoring run of a profile, each once, model by model: so that one model is in memory at a time."""
    sentence_pairs = [
        own["sentence_pairs"] for own in profile["notebooks"].values() if own.get("sentence_pairs")
    ]
    found = []
    for model in profile["models"]:
        found += [Job(model, *names) for names in product(*(profile[key] for key in SHARED[1:]))]
        found += [Job(model, pairs, "", "full-sentence") for pairs in sentence_pairs]
    return list(dict.fromkeys(found))


def notebook_names() -> list[str]:
    """The notebooks of the book, in its order: those _toc.yml lists."""
    return re.findall(
        r"^[- ]*file: notebooks/(\w+)$", (ROOT / "_toc.yml").read_text(), re.MULTILINE
    )


def parameters(notebook: str, known: dict[str, str], profile: dict) -> dict:
    """What papermill passes to a notebook: the shared keys it declares and its own entries; others are errors.

    `known` holds the notebook's defaults as text. A parameter whose default is a single name is given the first of the
    profile's names.
    """
    own = profile["notebooks"].get(notebook) or {}
    if extra := sorted(set(own) - set(known)):
        raise fail(
            f"{notebook} has no parameter {extra[0]!r}; it has: {', '.join(sorted(known)) or 'none'}"
        )
    names = {key: profile[key] for key in SHARED} | {"protocol": profile["protocols"]}
    given = {key: names[key] for key in names if key in known}
    return {
        key: found if known[key].startswith("[") else found[0] for key, found in given.items()
    } | own


if __name__ == "__main__" and (lacking := missing(load_profile())):
    lines = "\n".join(f"  {item}" for item in lacking)
    raise fail(
        f"profile {profile_name()} cannot run here yet; nothing was computed. Missing:\n{lines}"
    )
