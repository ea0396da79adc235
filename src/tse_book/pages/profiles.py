"""Profiles: which models, data, verb lists and protocols a notebook or the book runs on, and what they need first.

`missing` looks before the work starts; `chosen` and `offer_results` serve a notebook that runs alone, on Colab say:
take a profile's choices, say what machine there is, and give the results out as a file.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tse_book.pages.profile_file import SHARED, read_profile
from tse_core.datasets.lemmas import full_list_file
from tse_core.errors import InputError
from tse_core.models.hub import hub_unreachable
from tse_core.models.package_index import model_file, package_models
from tse_core.paths import data_folder, store_folder

FULL, INSTEAD = "newman-full", "newman-released"
# Weights in float32, GB, of the models that the profiles name; an unknown model is not estimated.
GIGABYTES = {
    "bert-base-cased": 0.44, "bert-base-uncased": 0.44, "roberta-base": 0.5, "gpt2": 0.55,
    "bert-large-cased": 1.35, "bert-large-uncased": 1.35, "roberta-large": 1.43, "gpt2-xl": 6.45,
}  # fmt: skip
WORK_GIGABYTES = 2.0  # what a run needs besides the weights


class Missing(NamedTuple):
    """Something a profile needs that is not there, and how to get it."""

    what: str
    remedy: str

    def __str__(self):
        return f"{self.what}: {self.remedy}"


def missing(profile: dict) -> list[Missing]:
    """What a profile needs and this machine lacks: verb lists, data, models, disk, memory.

    Nothing is downloaded. A model that is neither in the cache nor in a folder needs the hub, which is asked for once.
    """
    own = (options.get("sentence_pairs") for options in (profile.get("notebooks") or {}).values())
    found = [*_lemmas(profile["lemmas"]), *_data(profile["data"]), *_sentences(dict.fromkeys(filter(None, own)))]
    absent = [name for name in profile["models"] if name not in package_models() and not model_is_here(name)]
    if absent:
        if reason := hub_unreachable():
            found += [Missing(f"model {name}", f"not in the cache, and {reason}") for name in absent]
        else:
            found += _disk(absent)
    return found + _memory(profile["models"])


def chosen(name: str) -> dict[str, list[str]]:
    """A profile's choices for a notebook that runs alone; fetches the data they name and says what machine there is.

    Raises
    ------
    InputError : no such profile; something it needs is missing.
    """
    profile = read_profile(name)
    choice = {key: list(profile[key]) for key in SHARED}
    if FULL in choice["lemmas"] and not full_list_file().is_file():
        print(f"{FULL} has not been made here (tse data lemmas --giant-verb-list FILE); {INSTEAD} instead")
        choice["lemmas"] = [INSTEAD if lemmas == FULL else lemmas for lemmas in choice["lemmas"]]
    _fetch(choice["data"])
    print(machine())
    if lacking := missing(choice):
        raise InputError(f"profile {name} cannot run: " + "; ".join(map(str, lacking)))
    return choice


def offer_results(path: str | Path = "results.parquet") -> Path:
    """Write all results of the store to a file, and on Colab hand it to the browser.

    The file carries the signatures: ``tse results add results.parquet`` merges it on another machine.
    """
    from tse_book.recorded import known_results
    from tse_core.results.store import Store
    from tse_core.results.tidy import TIDY_COLUMNS, write_results

    table = known_results(Store(store_folder()))
    table = table[table["source"] != "recorded"][TIDY_COLUMNS]
    if table.empty:
        raise InputError("the store holds no results yet: run the notebook's cells first")
    write_results(table, path)
    print(f"{len(table):,} numbers in {path}; on another machine: tse results add {path}")
    try:
        from google.colab import files
    except ImportError:
        return Path(path)
    files.download(str(path))
    return Path(path)


def machine() -> str:
    """The GPU there is, or that there is none."""
    import torch

    if not torch.cuda.is_available():
        return "no GPU: large models will take very long (on Colab: Runtime, Change runtime type)"
    free, total = torch.cuda.mem_get_info()
    return f"GPU: {torch.cuda.get_device_name()}, {free / 1e9:.0f} of {total / 1e9:.0f} GB free"


def model_is_here(name: str) -> bool:
    """Whether a model needs no download: a laboratory model, a folder, or in the hub's cache with its weights."""
    if (data_folder() / "models" / name).is_dir() or Path(name).is_dir():
        return True
    from huggingface_hub import try_to_load_from_cache

    files = ("model.safetensors", "model.safetensors.index.json")
    return any(isinstance(try_to_load_from_cache(name, file), str) for file in files)


def cannot_be_had(name: str) -> str:
    """Why a model of the package index cannot be fetched, in a sentence; empty where it is in the cache now."""
    try:
        model_file(name)
    except InputError as error:
        return str(error)
    return ""


def _lemmas(names: Iterable[str]) -> list[Missing]:
    from tse_core.datasets.lemmas import load_lemmas

    return _failing("verb list", names, load_lemmas)


def _data(names: Iterable[str]) -> list[Missing]:
    from tse_core.datasets.names import load_pairs

    return _failing("data", names, load_pairs)


def _sentences(names: Iterable[str]) -> list[Missing]:
    from tse_core.datasets.names import load_sentence_pairs

    return _failing("data", names, load_sentence_pairs)


def _failing(what: str, names: Iterable[str], load) -> list[Missing]:
    found = []
    for name in names:
        try:
            load(name)
        except InputError as error:
            found.append(Missing(f"{what} {name}", str(error)))
    return found


def _disk(absent: Iterable[str]) -> list[Missing]:
    from huggingface_hub.constants import HF_HUB_CACHE

    place = next(folder for folder in [Path(HF_HUB_CACHE), *Path(HF_HUB_CACHE).parents] if folder.exists())
    needed, free = sum(GIGABYTES.get(name, 0) for name in absent), shutil.disk_usage(place).free / 1e9
    if needed <= free:
        return []
    return [
        Missing("disk", f"{needed:.1f} GB are to be downloaded, {free:.1f} GB are free; HF_HOME chooses another place")
    ]


def _memory(names: Iterable[str]) -> list[Missing]:
    sizes = {name: GIGABYTES.get(Path(name).name, 0) for name in names}
    if not any(sizes.values()):
        return []
    largest = max(sizes, key=lambda name: sizes[name])
    needed, free = sizes[largest] + WORK_GIGABYTES, free_memory()
    if free is None or needed <= free:
        return []
    return [Missing("memory", f"{largest} needs {needed:.1f} GB, {free:.1f} GB are free")]


def free_memory() -> float | None:
    """Free memory in GB: the GPU's where there is one, else the machine's; None where nobody says."""
    import torch

    if torch.cuda.is_available():
        return torch.cuda.mem_get_info()[0] / 1e9
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / 1e6
    except (OSError, StopIteration):
        return None


def _fetch(names: Iterable[str]) -> None:
    from tse_core.datasets import downloads
    from tse_core.datasets.registry import data_set_of

    if wanted := [name for name in names if (found := data_set_of(name)) and found[0].files]:
        downloads.fetch(wanted)
