"""A profile says which models, data, lemma lists and protocols the book runs on.

The task runner and the notebooks read the same file (see tse_book.pages.profile_file).
A notebook whose parameters cell has ``models``, ``data``, ``lemmas`` or ``protocols`` is given the profile's.
"""

import os
from dataclasses import dataclass
from itertools import product

import yaml

from book.make import ROOT, fail
from tse_book.pages import SHARED, read_profile
from tse_core.errors import InputError

WITHOUT = "TSE_WITHOUT"  # in the environment: the optional models that this build does without


@dataclass(frozen=True)
class Job:
    """One scoring run."""

    model: str
    data: str
    lemmas: str
    protocol: str

    @property
    def name(self) -> str:
        """A file name: no slashes."""
        return "__".join((self.model, self.data, self.lemmas, self.protocol)).replace("/", "-")


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
    if extra := sorted(set(profile["notebooks"]) - set(notebook_names())):
        raise fail(f"{name}.yaml: {extra[0]!r} is no notebook of _toc.yml")
    return profile


def jobs(profile: dict) -> list[Job]:
    """Every scoring run of a profile, each once."""
    return [Job(*names) for names in dict.fromkeys(product(*(profile[key] for key in SHARED)))]


def notebook_names() -> list[str]:
    """The notebooks of the book, in its order: those _toc.yml lists."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())

    def files(node):
        if isinstance(node, dict):
            yield from [node["file"]] if "file" in node else []
            for child in node.values():
                yield from files(child)
        elif isinstance(node, list):
            for child in node:
                yield from files(child)

    return [f.removeprefix("notebooks/") for f in files(contents) if f.startswith("notebooks/")]


def parameters(notebook: str, known: set[str], profile: dict) -> dict:
    """What papermill passes to a notebook: the shared keys it declares and its own entries; others are errors."""
    own = profile["notebooks"].get(notebook) or {}
    if extra := sorted(set(own) - known):
        raise fail(f"{notebook} has no parameter {extra[0]!r}; it has: {', '.join(sorted(known)) or 'none'}")
    return {key: profile[key] for key in SHARED if key in known} | own
