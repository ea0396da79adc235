"""What a profile of the book needs, looked at before the work starts: verb lists, data, models and memory."""

from collections.abc import Iterable
from pathlib import Path

from tse_core.datasets.lemmas import full_list_file, load_lemmas
from tse_core.datasets.names import load_pairs, load_sentence_pairs
from tse_core.errors import InputError
from tse_core.models.gguf_files import PACKAGE_MODELS, model_file
from tse_core.models.hub import hub_unreachable
from tse_core.paths import data_folder

FULL, INSTEAD = "newman-full", "newman-released"
FULL_LENGTH = 3562  # the paper's lemmas
GIANT_VERB_LIST = "https://patternbasedwriting.com/1/Giant-Verb-List-3250-Verbs.pdf"  # as its appendix gives it
# Weights in float32, GB, of the models that the profiles name; an unknown model is not estimated.
GIGABYTES = {
    "bert-base-cased": 0.44, "bert-base-uncased": 0.44, "roberta-base": 0.5, "gpt2": 0.55,
    "bert-large-cased": 1.35, "bert-large-uncased": 1.35, "roberta-large": 1.43, "gpt2-xl": 6.45,
}  # fmt: skip


def missing(profile: dict, at_once: int = 1) -> list[str]:
    """What a profile needs and this machine lacks: verb lists, data, models, memory for `at_once` parallel steps.

    Nothing is downloaded. A model that is neither in the cache nor in a folder needs the hub, which is contacted once.
    """
    pairs = [options.get("sentence_pairs") for options in (profile.get("notebooks") or {}).values()]
    found = [*_failing("verb list", profile["lemmas"], load_lemmas), *_failing("data", profile["data"], load_pairs)]
    found += _failing("data", dict.fromkeys(filter(None, pairs)), load_sentence_pairs)
    absent = [name for name in profile["models"] if name not in PACKAGE_MODELS and not model_is_here(name)]
    if reason := absent and hub_unreachable():
        found += [f"model {name}: not in the cache, and {reason}" for name in absent]
    return found + _memory(profile["models"], at_once)


def lists_at_hand(lemmas: Iterable[str]) -> list[str]:
    """The verb lists, with the released one in place of the full one if that has not been made here."""
    there = full_list_file().is_file()
    return list(dict.fromkeys(INSTEAD if name == FULL and not there else name for name in lemmas))


def instead_of_full_list(lemmas: Iterable[str]) -> str:
    """The note if the full list is wanted and has not been made here; else ""."""
    if FULL not in lemmas or full_list_file().is_file():
        return ""
    return (
        f"{FULL}, the paper's list of {FULL_LENGTH:,} verbs, has not been made here, so {INSTEAD} counts instead, "
        f"and no number can be called reproduced. To make it, download the Giant Verb List ({GIANT_VERB_LIST}), then: "
        "python data/lemmas/giant_verb_list.py Giant-Verb-List-3250-Verbs.pdf"
    )


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


def _failing(what: str, names: Iterable[str], load) -> list[str]:
    found = []
    for name in names:
        try:
            load(name)
        except InputError as error:
            found.append(f"{what} {name}: {error}")
    return found


def _memory(names: Iterable[str], at_once: int) -> list[str]:
    sizes = {name: GIGABYTES.get(Path(name).name, 0) for name in names}
    largest = max(sizes, key=lambda name: sizes[name])
    needed, free = at_once * memory_needed(sizes[largest]), free_gigabytes()
    if not sizes[largest] or free is None or needed <= free:
        return []
    together = f", for {at_once} notebooks at once" if at_once > 1 else ""
    return [f"memory: {largest} needs {needed:.1f} GB{together}, {free:.1f} GB are free"]


def memory_needed(gigabytes: float) -> float:
    """GB that a step of the build, with one model at a time, needs for a model with that many GB of weights."""
    return gigabytes + 2  # for what a run needs besides the weights


def free_gigabytes() -> float | None:
    """Free memory in GB: the GPU's where there is one, else the machine's; None if unknown."""
    import torch

    from tse_core.models.devices import usable_device

    device = usable_device("auto")
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0] / 1e9
    memory = Path("/proc/meminfo")
    lines = memory.read_text().splitlines() if memory.exists() else []
    return next((int(line.split()[1]) * 1024 / 1e9 for line in lines if line.startswith("MemAvailable")), None)
