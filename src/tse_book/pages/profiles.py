"""A profile: which models, data, verb lists and protocols the book uses, and what of it this machine lacks.

notebooks/profiles/<profile>.yaml::

    models: [smollm2-135m-instruct, lab-systematic-causal]
    data: [marvin-linzen]
    lemmas: [newman-clean]
    protocols: [exact]
    optional: [smollm2-135m-instruct]             # left out, with a note on the pages, if unavailable
    bos: {gpt2-xl: none}             # what models read before a sentence where no protocol is asked
    notebooks:            # only for notebooks with parameters of their own
      figure1: {rows: [Simple]}
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from tse_book.laboratory.names import is_laboratory
from tse_core.datasets.lemmas import full_list_file, load_lemmas
from tse_core.datasets.loading import load_pairs, load_sentence_pairs
from tse_core.errors import InputError, check_known
from tse_core.files import read_yaml
from tse_core.hub import hub_unreachable
from tse_core.paths import data_folder
from tse_extras.gguf import PACKAGE_MODELS, model_file

SHARED = ("models", "data", "lemmas", "protocols")
FURTHER: dict[str, list | dict] = {
    "optional": [],
    "notebooks": {},
    "bos": {},
}  # and what a profile without them has
FULL, INSTEAD = "newman-full", "newman-released"
NO_FULL_LIST = (
    f"{FULL}, the paper's list of 3,562 verbs, has not been made here, so {INSTEAD} counts instead, and no number can "
    "be called reproduced. To make it, download https://patternbasedwriting.com/1/Giant-Verb-List-3250-Verbs.pdf, "
    "then: python data/lemmas/giant_verb_list.py Giant-Verb-List-3250-Verbs.pdf"
)


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
    return read_profile("paper")["bos"].get(name.rpartition("/")[2], "default")


def missing(profile: dict) -> list[str]:
    """What a profile needs and this machine lacks: verb lists, data, models. Nothing is downloaded.

    A model that is neither in the cache nor in a folder needs the hub, which is contacted once.
    """
    pairs = dict.fromkeys(
        filter(None, (own.get("sentence_pairs") for own in profile["notebooks"].values()))
    )
    kinds: list[tuple[str, Iterable[str], Callable]] = [
        ("verb list", profile["lemmas"], load_lemmas), ("data", profile["data"], load_pairs),
        ("data", pairs, load_sentence_pairs),
    ]  # fmt: skip
    found = []
    for what, names, load in kinds:
        for name in names:
            try:
                load(name)
            except InputError as error:
                found.append(f"{what} {name}: {error}")
    absent = [
        name
        for name in profile["models"]
        if not (name in PACKAGE_MODELS or is_laboratory(name) or _cached(name))
    ]
    if reason := absent and hub_unreachable():
        found += [f"model {name}: not in the cache, and {reason}" for name in absent]
    return found


def _cached(name: str) -> bool:
    """Whether a model of the hub is in its cache with its weights, or in a folder."""
    from huggingface_hub import try_to_load_from_cache

    files = ("model.safetensors", "model.safetensors.index.json")
    return Path(name).is_dir() or any(
        isinstance(try_to_load_from_cache(name, file), str) for file in files
    )


def lists_at_hand(lemmas: Iterable[str]) -> list[str]:
    """The verb lists, with the released one in place of the full one if that has not been made here."""
    there = full_list_file().is_file()
    return list(dict.fromkeys(INSTEAD if name == FULL and not there else name for name in lemmas))


def cannot_be_had(name: str) -> str:
    """Why a model of the package index cannot be fetched, in a sentence; empty where it is in the cache now."""
    try:
        model_file(name)
    except InputError as error:
        return str(error)
    return ""
