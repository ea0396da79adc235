"""PEFT adapters: a few extra weights on top of those of a base model.

A folder with ``adapter_config.json`` names its base model, and the package peft merges the two.
"""

import importlib.util
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch

from tse_core import InputError
from tse_core.plugins import (
    Source,
    backend_of,
    hugging_face_source,
    is_file,
    is_folder,
    longest,
    one_line,
    quiet,
    read_json_object,
    tensor_names,
    warn,
)

ADAPTER = "adapter_config.json"  # marks the folder of an adapter
ADAPTER_WEIGHTS = "adapter_model.safetensors"
# Types of adapters that put learned vectors before the text.
BEFORE_THE_TEXT = ("PROMPT_TUNING", "MULTITASK_PROMPT_TUNING", "P_TUNING", "CPT")
IN_MEMORY = (
    "open the base model and the adapter with peft, and give this network to "
    "load_model(network, tokenizer)"
)
# peft's warnings about what is done here, or refused.
NEEDLESS_WARNINGS = re.compile(
    "Found missing adapter keys|tie_word_embeddings|ensure_weight_tying|"
    "are no longer tied after merging"
)
RESIZED = (
    "after training with another vocabulary, call resize_token_embeddings on the base model, merge "
    "the two with peft and save the result as a folder"
)
PROBE = (2, 32)  # sequences and tokens of the probe, at random
ADAPTED_TOKENS = 256  # the most tokens with learned vectors that the probe holds besides
# Of the largest logit; real models in single precision were at most 5e-5 apart.
TOLERANCE = 5e-4


def adapter_source(name: str, revision: str | None) -> Source:
    """The source of a folder with an adapter: that of its base model, changed. Raises InputError.

    Of a base model on the hub the adapter says which revision it was trained on, unless `revision`
    does.
    """
    folder = Path(name)
    settings = _settings(name, folder)
    base = settings.pop("base_model_name_or_path")
    if backend_of(base):
        raise InputError(
            f"{name}: its base model {base} takes no adapter; {ADAPTER} must name a folder in "
            "Hugging Face's format, or a name on its hub"
        )
    if not revision and not is_folder(base):
        revision = settings.get("revision")
    try:
        source = hugging_face_source(base, revision)
    except InputError as error:
        raise InputError(f"{name}: its base model cannot be had: {error}") from None
    weights = folder / ADAPTER_WEIGHTS

    def identifying_settings(shape: Any) -> dict:
        untied = untied_parts(shape, weights, settings)
        return {"adapter": settings, "untied": untied} if untied else {"adapter": settings}

    return replace(
        source,
        name=name,
        files=(*source.files, weights),
        settings=identifying_settings,
        change=lambda module: with_adapter(name, module, folder, settings),
        tokenizer_folder=folder if is_file(folder / "tokenizer.json") else None,
        libraries=("peft",),
    )


def _settings(name: str, folder: Path) -> dict:
    """The configuration of an adapter, which the file `ADAPTER` holds.

    Raises InputError where it names no base model or a kind of adapter that cannot be merged, such
    as learned vectors in front of the text, and where the package peft is missing.
    """
    file = folder / ADAPTER
    settings = read_json_object(file)
    for key in ("base_model_name_or_path", "peft_type"):
        value = settings.get(key)
        if not isinstance(value, str) or not value:
            raise InputError(
                f"{file}: cannot be read as an adapter's settings ({key} is {value!r}, no text)"
            )
    for key in ("modules_to_save", "layer_replication"):
        if not isinstance(settings.get(key) or [], list):
            raise InputError(
                f"{file}: cannot be read as an adapter's settings ({key} is {settings[key]!r}, no "
                "list)"
            )
    base, kind = settings["base_model_name_or_path"], settings["peft_type"]
    if importlib.util.find_spec("peft") is None:
        raise InputError(
            f"{name} is a PEFT adapter of {base}; pip install peft, or merge the two into a folder"
        )
    _check_kind(name, kind)
    if is_file(Path(base, ADAPTER)):
        raise InputError(
            f"{name}: its base model {base} is an adapter, too; merge that one with its own base "
            "model (merge_and_unload of peft) and save the result as a folder"
        )
    if not is_file(folder / ADAPTER_WEIGHTS):
        raise InputError(
            f"{name} holds no {ADAPTER_WEIGHTS}; weights are read from safetensors only, and those "
            "of an adapter on the hub are not fetched: download it, and give its folder"
        )
    return settings


def _check_kind(name: str, kind: str) -> None:
    """Raise InputError for a kind of adapter that cannot be merged with its base model."""
    if kind in BEFORE_THE_TEXT:
        raise InputError(
            f"{name}: an adapter of type {kind} puts learned vectors before the text and cannot be "
            "merged with the base model; score it with a program of yours that gives surprisals "
            "(command:./my-model)"
        )
    from peft import PEFT_TYPE_TO_TUNER_MAPPING

    tuners = {peft_type.value: tuner for peft_type, tuner in PEFT_TYPE_TO_TUNER_MAPPING.items()}
    if not hasattr(tuners.get(kind), "merge_and_unload"):
        raise InputError(
            f"{name}: an adapter of type {kind} cannot be merged with the base model; {IN_MEMORY}"
        )


def untied_parts(module: Any, file: Path, settings: dict) -> list[str]:
    """Parts of a base model that share weights with others, and that an adapter changes alone.

    The merged numbers depend on `with_adapter` giving these parts weights of their own. They are
    known without the base model's weights: by the names of the adapter's tensors, and a module of
    its shape on the device "meta".
    """
    # Parts that the adapter saves as a whole have weights of their own anyway.
    saved = tuple(settings.get("modules_to_save") or ())
    parts = {name: part for name, part in module.named_modules() if not name.endswith(saved)}
    owners = _owners(parts.values())
    shared = {name for name, part in parts.items() if _is_shared(part, owners)}
    embedding = _name_of(module.get_input_embeddings(), module)
    changed = set()
    for tensor in tensor_names(file):
        path, _, last = tensor.removeprefix("base_model.model.").rpartition(".")
        if last == "trainable_tokens_delta" and _is_within(path, embedding):
            continue  # peft changes what is tied to the embedding with it
        if last == "weight" and path in shared:
            continue  # a copy of the base model's own tensor
        changed |= {name for name in shared if _is_within(path, name)}
    # Replicated layers share their weights as well.
    repeated = settings.get("layer_replication") or []
    return sorted(changed) + [str(layers) for layers in repeated]


def _name_of(part: Any, module: Any) -> str:
    """The name of a part within a network."""
    return next(name for name, other in module.named_modules() if other is part)


def _is_within(path: str, part: str) -> bool:
    """Whether the path of a tensor is that of a part, or below it."""
    return f"{path}.".startswith(f"{part}.")


class _Merger(NamedTuple):
    """A base model with its adapter merged, and what shows whether that is right."""

    network: Any
    expected: set[str]  # names of the adapter's tensors
    placeable: set[str]  # names of all tensors that have a place in the model
    unmerged_logits: torch.Tensor  # of the probe
    merged_logits: torch.Tensor


def with_adapter(name: str, module: Any, folder: Path, settings: dict) -> Any:
    """A base model in single precision with the adapter of a folder merged into it, by peft.

    An adapted part that shares its weights with another one, such as a tied embedding, gets weights
    of its own before that: peft would write into both. Raises InputError unless merged and unmerged
    networks give the same logits, up to `TOLERANCE` of the largest one, and unless the file holds
    each tensor of the adapter, and none without a place in the model: peft itself ignores the
    latter, and leaves what the file lacks at its initial values.
    """
    kind = settings["peft_type"]
    _check_tokens(name, module, settings)
    try:
        with warnings.catch_warnings(record=True) as records:
            warnings.simplefilter("always")
            merger = _merge(module, folder, settings)
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:  # whatever peft raises
        raise InputError(
            f"{name}: its adapter of type {kind} cannot be merged with the base model "
            f"({_reason(error)})"
        ) from error
    _pass_on(name, records)
    _check_tensors(name, folder / ADAPTER_WEIGHTS, merger)
    _check_logits(name, kind, merger)
    return merger.network


def _check_tokens(name: str, module: Any, settings: dict) -> None:
    """Raise InputError where an adapter learned tokens that the base model lacks."""
    vocabulary = module.config.get_text_config().vocab_size
    last = max(_adapted_tokens(settings), default=0)
    if last >= vocabulary:
        raise InputError(
            f"{name}: its adapter of type {settings['peft_type']} learned the token {last:,}, and "
            f"the base model has {vocabulary:,} tokens; {RESIZED}"
        )


def _merge(module: Any, folder: Path, settings: dict) -> _Merger:
    """A base model with an adapter merged into it. Its errors are those of peft."""
    from peft import PeftConfig, PeftModel, get_peft_model_state_dict

    config = PeftConfig.from_peft_type(**settings)
    wrapped = PeftModel.from_pretrained(module, folder, config=config).eval()
    expected = set(get_peft_model_state_dict(wrapped, save_embedding_layers=False))
    # A file may hold embeddings of the base model, too.
    placeable = expected | set(wrapped.state_dict())
    probe = _probe(wrapped.get_base_model(), settings)
    unmerged_logits = _logits(wrapped, probe)
    _untie(wrapped)
    network = wrapped.merge_and_unload(safe_merge=True)
    return _Merger(network, expected, placeable, unmerged_logits, _logits(network, probe))


def _pass_on(name: str, records: list[warnings.WarningMessage]) -> None:
    """Warn of what peft warned of, once each, but for what is done or refused here."""
    messages = []
    for record in records:
        text = one_line(record.message)
        if issubclass(record.category, UserWarning) and not NEEDLESS_WARNINGS.search(text):
            messages.append(text)
    for text in dict.fromkeys(messages):
        warn(f"the adapter of {name}: {text}")


def _check_tensors(name: str, file: Path, merger: _Merger) -> None:
    """Raise InputError unless a file holds the adapter's tensors, and none without a place."""
    tensors = set(tensor_names(file))
    faults = {
        "lacks": merger.expected - tensors,
        "has no place in the base model for": tensors - merger.placeable,
    }
    for fault, names in faults.items():
        if names:
            raise InputError(
                f"{name}: {ADAPTER_WEIGHTS} {fault} {len(names)} tensors, e.g. {min(names)}"
            )


def _check_logits(name: str, kind: str, merger: _Merger) -> None:
    """Raise InputError unless merged and unmerged networks agree up to `TOLERANCE`."""
    difference = float((merger.merged_logits - merger.unmerged_logits).abs().max())
    largest = max(1.0, float(merger.unmerged_logits.abs().max()))
    if not difference <= TOLERANCE * largest:  # also where either is no number
        raise InputError(
            f"{name}: its adapter of type {kind}, merged with the base model, gives other logits "
            f"than unmerged ({difference:.2g} apart, where the largest is {largest:.2g}); "
            f"{IN_MEMORY}"
        )


def _reason(error: Exception) -> str:
    """The error in a few words, with a remedy where shapes do not fit."""
    reason = one_line(error)
    shapes = re.search(
        r"size mismatch for (\S+): .*?torch\.Size\((.*?)\).*?torch\.Size\((.*?)\)", reason
    )
    if not shapes:
        return reason[:200]
    return f"it has {shapes[2]} for {shapes[1]}, the base model {shapes[3]}; {RESIZED}"


def _owners(parts: Iterable[torch.nn.Module]) -> Counter:
    """The number of parts of a network to which each parameter belongs, by the parameter's id."""
    owners: Counter = Counter()
    for part in parts:
        owners.update(id(weight) for weight in part.parameters(recurse=False))
    return owners


def _is_shared(part: torch.nn.Module, owners: Counter) -> bool:
    """Whether a part holds a parameter that another one holds, too."""
    return any(owners[id(weight)] > 1 for weight in part.parameters(recurse=False))


def _untie(wrapped: Any) -> None:
    """Give each part of a network weights of its own, if an adapted part shares them."""
    from peft.tuners.tuners_utils import BaseTunerLayer

    owners = _owners(wrapped.modules())
    layers = [part for part in wrapped.modules() if isinstance(part, BaseTunerLayer)]
    if not any(_is_shared(layer.get_base_layer(), owners) for layer in layers):
        return
    # One shared weight is enough: every part that shares then gets a copy, adapted or not.
    for part in list(wrapped.modules()):
        for name, weight in list(part.named_parameters(recurse=False)):
            if owners[id(weight)] > 1:
                copy = torch.nn.Parameter(weight.detach().clone(), requires_grad=False)
                setattr(part, name, copy)


def _adapted_tokens(settings: dict) -> list[int]:
    """The tokens whose own vectors an adapter learned."""
    indices = settings.get("trainable_token_indices") or settings.get("token_indices") or []
    # Of several embeddings each has a list of its own.
    lists = indices.values() if isinstance(indices, dict) else [indices]
    tokens: set[int] = set()
    for tokens_of_embedding in lists:
        tokens.update(int(token) for token in tokens_of_embedding)
    return sorted(tokens)


def _probe(base: Any, settings: dict) -> torch.Tensor:
    """Token ids (sequences, tokens): random ones, and some of those that an adapter learned."""
    sequences, length = PROBE
    length = min(length, longest(base) or length)
    vocabulary = base.config.get_text_config().vocab_size
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(vocabulary, (sequences * length,), generator=generator).tolist()
    adapted = _adapted_tokens(settings)
    step = len(adapted) // ADAPTED_TOKENS + 1
    ids += adapted[::step]
    # The first tokens again, up to a whole number of sequences.
    missing = -len(ids) % length
    ids += ids[:missing]
    return torch.tensor(ids).reshape(-1, length)


def _logits(network: Any, ids: torch.Tensor) -> torch.Tensor:
    """Logits at each position of sequences, (sequences, tokens, vocabulary), float32."""
    device = next(network.parameters()).device
    logits = []
    with torch.no_grad(), torch.autocast(device.type, enabled=False), quiet():
        for sequence in ids:
            output = network(input_ids=sequence[None].to(device))
            logits.append(output.logits.float().cpu())
    return torch.cat(logits)
