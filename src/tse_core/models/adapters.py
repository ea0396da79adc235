"""PEFT adapters: a few extra weights on top of those of a base model.

A folder with ``adapter_config.json`` names its base model, and the package peft merges the two.
"""

import importlib.util
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from tse_core.errors import InputError, warn
from tse_core.files import is_file, read_text
from tse_core.models.folders import quiet
from tse_core.models.hugging_face_network import longest
from tse_core.models.identity import tensor_names

ADAPTER = "adapter_config.json"  # marks the folder of an adapter
ADAPTER_WEIGHTS = "adapter_model.safetensors"
BEFORE_THE_TEXT = ("PROMPT_TUNING", "MULTITASK_PROMPT_TUNING", "P_TUNING", "CPT")
IN_MEMORY = "open the base model and the adapter with peft, and give this network to load_model(network, tokenizer)"
SAID_HERE = re.compile(  # of peft's warnings, those about what is done here, or refused
    "Found missing adapter keys|tie_word_embeddings|ensure_weight_tying|are no longer tied after merging"
)
RESIZED = (
    "after training with another vocabulary, call resize_token_embeddings on the base model, merge "
    "the two with peft and save the result as a folder"
)
ROWS, COLUMNS = 2, 32  # of the probe: sequences of random tokens
ADAPTED_TOKENS = 256  # the most that are added to them
TOLERANCE = 5e-4  # of the largest logit; real models in single precision were at most 5e-5 apart


def adapter_settings(name: str, folder: Path) -> dict:
    """What `ADAPTER` says.

    Raises InputError where it names no base model or a kind of adapter that cannot be merged, such
    as learned vectors in front of the text, and where the package peft is missing.
    """
    try:
        settings = json.loads(read_text(folder / ADAPTER))
        if not (base := settings["base_model_name_or_path"]):
            raise ValueError("it names no base model")
        kind = str(settings["peft_type"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder / ADAPTER}: cannot be read as an adapter's settings ({error})"
        ) from None
    if importlib.util.find_spec("peft") is None:
        raise InputError(
            f"{name} is a PEFT adapter of {base}; pip install peft, or merge the two into a folder"
        )
    if kind in BEFORE_THE_TEXT:
        raise InputError(
            f"{name}: an adapter of type {kind} puts learned vectors before the text and cannot be merged with the "
            "base model; score it with a program of yours that gives surprisals (command:./my-model)"
        )
    from peft import PEFT_TYPE_TO_TUNER_MAPPING

    tuners = {each.value: tuner for each, tuner in PEFT_TYPE_TO_TUNER_MAPPING.items()}
    if not hasattr(tuners.get(kind), "merge_and_unload"):
        raise InputError(
            f"{name}: an adapter of type {kind} cannot be merged with the base model; {IN_MEMORY}"
        )
    if is_file(Path(base, ADAPTER)):
        raise InputError(
            f"{name}: its base model {base} is an adapter, too; merge that one with its own base model "
            "(merge_and_unload of peft) and save the result as a folder"
        )
    return settings


def untied_parts(module: Any, file: Path, settings: dict) -> list[str]:
    """The parts of a base model that share weights with another one, and which an adapter changes alone.

    The merged numbers depend on `with_adapter` giving these parts weights of their own. They are
    known without the base model's weights: by the names of the adapter's tensors, and a module of
    its shape on the device "meta".
    """
    saved = tuple(settings.get("modules_to_save") or ())  # parts with weights of their own anyway
    parts = {name: part for name, part in module.named_modules() if not name.endswith(saved)}
    owners = _owners(parts.values())
    shared = {name for name, part in parts.items() if _is_shared(part, owners)}
    embedding = next(
        name for name, part in module.named_modules() if part is module.get_input_embeddings()
    )
    changed = set()
    for tensor in tensor_names(file):
        place, _, last = tensor.removeprefix("base_model.model.").rpartition(".")
        if last == "trainable_tokens_delta" and f"{place}.".startswith(f"{embedding}."):
            continue  # peft changes what is tied to the embedding with it
        if (
            last != "weight" or place not in shared
        ):  # else it is a copy of the base model's own tensor
            changed |= {name for name in shared if f"{place}.".startswith(f"{name}.")}
    repeated = settings.get("layer_replication") or []
    return sorted(changed) + [str(layers) for layers in repeated]


def with_adapter(name: str, module: Any, folder: Path, settings: dict) -> Any:
    """A base model in single precision with the adapter of a folder merged into its weights, by peft.

    An adapted part that shares its weights with another one, such as a tied embedding, gets weights
    of its own before that: peft would write into both. What is merged gives the logits of what is
    not, up to `TOLERANCE` of the largest one, or InputError is raised. It is raised, too, unless the
    file holds each tensor of the adapter, and none without a place in the model: peft itself ignores
    the latter, and leaves what the file lacks at its initial values.
    """
    from peft import PeftConfig, PeftModel, get_peft_model_state_dict

    kind, vocabulary = settings["peft_type"], module.config.get_text_config().vocab_size
    if (last := max(_adapted_tokens(settings), default=0)) >= vocabulary:
        raise InputError(
            f"{name}: its adapter of type {kind} learned the token {last:,}, and the base model has {vocabulary:,} "
            f"tokens; {RESIZED}"
        )
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            wrapped = PeftModel.from_pretrained(
                module, folder, config=PeftConfig.from_peft_type(**settings)
            ).eval()
            asked = set(get_peft_model_state_dict(wrapped, save_embedding_layers=False))
            known = asked | set(
                wrapped.state_dict()
            )  # a file may hold embeddings of the base model too
            probe = _probe(wrapped.get_base_model(), settings)
            right = _logits(wrapped, probe)
            _untie(wrapped)
            merged = wrapped.merge_and_unload(safe_merge=True)
            found = _logits(merged, probe)
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:  # whatever peft raises
        raise InputError(
            f"{name}: its adapter of type {kind} cannot be merged with the base model ({_reason(error)})"
        ) from error
    said = [
        " ".join(str(each.message).split())
        for each in heard
        if issubclass(each.category, UserWarning)
    ]
    for text in dict.fromkeys(text for text in said if not SAID_HERE.search(text)):
        warn(f"the adapter of {name}: {text}")
    held = set(tensor_names(folder / ADAPTER_WEIGHTS))
    for what, names in (
        ("lacks", asked - held),
        ("has no place in the base model for", held - known),
    ):
        if names:
            raise InputError(
                f"{name}: {ADAPTER_WEIGHTS} {what} {len(names)} tensors, e.g. {min(names)}"
            )
    difference, largest = float((found - right).abs().max()), max(1.0, float(right.abs().max()))
    if not difference <= TOLERANCE * largest:
        raise InputError(
            f"{name}: its adapter of type {kind}, merged with the base model, gives other logits than unmerged "
            f"({difference:.2g} apart, where the largest is {largest:.2g}); {IN_MEMORY}"
        )
    return merged


def _reason(error: Exception) -> str:
    """What went wrong, in a few words, and what would help where shapes do not fit."""
    reason = " ".join(str(error).split())
    shapes = re.search(
        r"size mismatch for (\S+): .*?torch\.Size\((.*?)\).*?torch\.Size\((.*?)\)", reason
    )
    if not shapes:
        return reason[:200]
    return f"it has {shapes[2]} for {shapes[1]}, the base model {shapes[3]}; {RESIZED}"


def _owners(parts: Iterable) -> Counter:
    """How many parts of a network hold each parameter as their own, by the parameter's id."""
    owners: Counter = Counter()
    for part in parts:
        owners.update(id(weight) for weight in part.parameters(recurse=False))
    return owners


def _is_shared(part, owners: Counter) -> bool:
    return any(owners[id(weight)] > 1 for weight in part.parameters(recurse=False))


def _untie(wrapped) -> None:
    """Give each part of a network weights of its own, if an adapted part shares them."""
    from peft.tuners.tuners_utils import BaseTunerLayer

    owners = _owners(wrapped.modules())
    adapted = [
        part.get_base_layer() for part in wrapped.modules() if isinstance(part, BaseTunerLayer)
    ]
    if not any(_is_shared(part, owners) for part in adapted):
        return
    for part in list(wrapped.modules()):
        for name, weight in list(part.named_parameters(recurse=False)):
            if owners[id(weight)] > 1:
                setattr(
                    part, name, torch.nn.Parameter(weight.detach().clone(), requires_grad=False)
                )


def _adapted_tokens(settings: dict) -> list[int]:
    """The tokens whose own vectors an adapter learned."""
    chosen = settings.get("trainable_token_indices") or settings.get("token_indices") or []
    lists = chosen.values() if isinstance(chosen, dict) else [chosen]
    return sorted({int(token) for tokens in lists for token in tokens})


def _probe(base, settings: dict) -> torch.Tensor:
    """Token ids (sequences, tokens): random ones, and some of those that an adapter learned."""
    columns = min(COLUMNS, longest(base) or COLUMNS)
    generator, vocabulary = (
        torch.Generator().manual_seed(0),
        base.config.get_text_config().vocab_size,
    )
    ids = torch.randint(vocabulary, (ROWS * columns,), generator=generator).tolist()
    adapted = _adapted_tokens(settings)
    ids += adapted[:: len(adapted) // ADAPTED_TOKENS + 1]
    ids += ids[: -len(ids) % columns]  # a whole number of sequences
    return torch.tensor(ids).reshape(-1, columns)


def _logits(network, ids: torch.Tensor) -> torch.Tensor:
    """The logits at each place of sequences, in single precision."""
    device = next(network.parameters()).device
    with torch.no_grad(), torch.autocast(device.type, enabled=False), quiet():
        return torch.cat(
            [network(input_ids=row[None].to(device)).logits.float().cpu() for row in ids]
        )
