"""The file of a profile: which models, data, verb lists and protocols the book uses.

notebooks/profiles/<profile>.yaml::

    models: [smollm2-135m-instruct, lab-systematic-causal]
    data: [marvin-linzen]
    lemmas: [newman-clean]
    protocols: [exact]
    optional: [smollm2-135m-instruct]             # left out, with a note on the pages, if unavailable
    bos: {gpt2-xl: none}             # what models read before a sentence where no protocol is asked
    notebooks:            # only for notebooks with parameters of their own
      04_figure1: {rows: [Simple]}
"""

from pathlib import Path

from tse_core.errors import InputError, check_known
from tse_core.files import read_yaml
from tse_core.paths import data_folder

SHARED = ("models", "data", "lemmas", "protocols")
FURTHER: dict[str, list | dict] = {
    "optional": [],
    "notebooks": {},
    "bos": {},
}  # further keys, and what they are where a profile has none
PAPER = "paper"  # the profile of the paper's own models


def profiles_folder() -> Path:
    """The profiles: beside the notebooks in a checkout, among the data in an installed wheel."""
    packaged = data_folder() / "profiles"
    return packaged if packaged.is_dir() else data_folder().parent / "notebooks" / "profiles"


def read_profile(name: str) -> dict:
    """The profile's table: every shared key a list of names, "optional" a list, "notebooks" and "bos" by name.

    Raises InputError: no such profile; a shared key that is no list; an unknown key.
    """
    known = {path.stem: path for path in profiles_folder().glob("*.yaml")}
    check_known("profile", name, known)
    profile = read_yaml(known[name]) or {}
    for key in SHARED:
        if not isinstance(profile.get(key), list):
            raise InputError(f"{known[name].name}: {key} must be a list of names")
    for key in profile:
        check_known(f"key in {known[name].name}", key, (*SHARED, *FURTHER))
    return profile | {key: profile.get(key) or nothing for key, nothing in FURTHER.items()}


def papers_bos(name: str) -> str:
    """What a model reads before a sentence where no protocol is asked: what the paper's profile says, else "default".

    >>> papers_bos("gpt2-xl"), papers_bos("gpt2")
    ('none', 'default')
    """
    return read_profile(PAPER)["bos"].get(name.rpartition("/")[2], "default")
