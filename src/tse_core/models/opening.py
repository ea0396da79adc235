"""What `load_model` does: finds the model, opens tokenizer and configuration, and leaves the weights for later."""

import copy
import importlib.util
from importlib.metadata import entry_points
from pathlib import Path

import torch

from tse_core.errors import InputError, unknown
from tse_core.models.adapters import WEIGHTS, adapter_settings, with_adapter, without_wrapper
from tse_core.models.allocator import keep_freed_memory
from tse_core.models.bos import document_opener
from tse_core.models.command import open_command
from tse_core.models.devices import usable_device
from tse_core.models.folders import check_layers, laboratory_models, opened, opened_network
from tse_core.models.hub import fetched_weights, model_folder
from tse_core.models.huggingface import HuggingFaceNetwork
from tse_core.models.identity import file_digest, safetensors_tensors, tensor_count, weights_digest
from tse_core.models.language_model import Kind, LanguageModel
from tse_core.models.network import LazyNetwork
from tse_core.models.server import open_server
from tse_core.models.surprisal_model import SurprisalModel
from tse_core.paths import data_folder

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
SPACED = ("roberta", "xlm-roberta", "camembert", "longformer")  # masked families that read a space before a first word


def open_model(name: str, *, kind, device, dtype, revision, bos, trust) -> LanguageModel | SurprisalModel:
    """What `load_model` says, for a name or a path."""
    from tse_core.models.package_index import model_file, package_models

    if given := open_command(name) or open_server(name):
        chosen = {"kind": (kind, None), "device": (device, "auto"), "dtype": (dtype, "float32")}
        chosen |= {"revision": (revision, None)} | ({"bos": (bos, "default")} if given.kind == "command" else {})
        for option, (value, usual) in chosen.items():
            if value != usual:
                raise InputError(
                    f"{given.name} is behind a {given.kind}, which has its own {option}; leave {option} out"
                )
        return given.with_policies(bos=bos) if bos != "default" else given
    if kind not in (None, "causal", "masked"):
        raise InputError(f"kind is {kind!r}; it must be 'causal' or 'masked'")
    if dtype not in DTYPES:
        raise unknown("dtype", dtype, DTYPES)
    keep_freed_memory()
    if name in package_models() or name.lower().endswith(".gguf"):
        if revision or kind == "masked":
            raise InputError(f"{name} is a GGUF file of a causal model; it has no revision and cannot be masked")
        file = model_file(name) if name in package_models() else Path(name)
        return _open_gguf(name, file, device, dtype, bos)
    place = str(data_folder() / "models" / name) if name in laboratory_models() else name
    for entry in entry_points(group="tse.models"):  # a folder with a file of this name is another package's
        if (Path(place) / entry.name).is_file():
            load = entry.load()
            return load(place, name=name, kind=kind, device=device, dtype=dtype, revision=revision, bos=bos)
    return _open_hugging_face(name, place, kind, device, dtype, revision, bos, trust)


def open_module(module, tokenizer, *, kind=None, bos="default") -> LanguageModel:
    """A Hugging Face model that is in memory, with its tokenizer.

    It is read through modules of its own that share its weights, so nothing of it is copied or changed: neither its
    training mode nor how its layers compute.
    """
    name = Path(str(getattr(module.config, "_name_or_path", "") or type(module).__name__)).name
    held = without_wrapper(name, module)
    name, module = name if held is module else f"{name}+adapter", held
    kind = kind or detect_kind(name, module.config)
    check_tokenizer(name, tokenizer, kind, module.config)
    weights = {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())}
    network = HuggingFaceNetwork(copy.deepcopy(module, weights).eval(), causal=kind == "causal")
    return _language_model(name, kind, tokenizer, network, module.config, bos, str(module.dtype).removeprefix("torch."))


def _open_hugging_face(name, place, kind, device, dtype, revision, bos, trust) -> LanguageModel:
    options, own = {"trust_remote_code": trust, "local_files_only": not trust}, Path(place)
    adapter = adapter_settings(name, place)
    if adapter:
        place = adapter.pop("base_model_name_or_path")
    folder = model_folder(name, place, revision, trust)
    config = opened(name, folder, "AutoConfig", options)
    kind = kind or detect_kind(name, config)
    tokenizer = opened(name, own if (own / "tokenizer.json").is_file() else folder, "AutoTokenizer", options)
    if Path(place).is_dir():  # says at once what is wrong with its weights
        check_layers(name, config, len(safetensors_tensors(fetched_weights(name, place, folder))))
    check_tokenizer(name, tokenizer, kind, config)
    if device == "map" and importlib.util.find_spec("accelerate") is None:
        raise InputError("device 'map' needs the package accelerate: pip install accelerate")
    where = usable_device("auto" if device == "map" else device)

    def read() -> HuggingFaceNetwork:
        auto = "AutoModelForCausalLM" if kind == "causal" else "AutoModelForMaskedLM"
        more = {"dtype": DTYPES[dtype], "use_safetensors": True} | ({"device_map": "auto"} if device == "map" else {})
        fetched_weights(name, place, folder)
        module = opened_network(name, folder, auto, options | more).eval()
        module = with_adapter(name, module, str(own)).eval() if adapter else module
        return HuggingFaceNetwork(module if device == "map" else module.to(where), causal=kind == "causal")

    settings = config.to_diff_dict() | ({"adapter": adapter} if adapter else {})
    network = LazyNetwork(
        read,
        files=lambda: fetched_weights(name, place, folder) + ([own / WEIGHTS] if adapter else []),
        digest=lambda files: weights_digest(safetensors_tensors(files), settings),
        settings=settings,
        size=tensor_count,
        vocabulary_size=config.get_text_config().vocab_size,
        device=where,
    )
    return _language_model(name, kind, tokenizer, network, config, bos, dtype, revision=revision)


def _open_gguf(name: str, path: Path, device, dtype, bos) -> LanguageModel:
    from tse_core.models.gguf import parameter_count, quantisation, read_config, read_network, read_tokenizer

    config, tokenizer, where = read_config(path), read_tokenizer(path), usable_device(device)

    def read() -> HuggingFaceNetwork:
        return HuggingFaceNetwork(read_network(path, config, DTYPES[dtype]).to(where), causal=True)

    network = LazyNetwork(
        read,
        files=lambda: [path],
        digest=file_digest,
        size=lambda files: parameter_count(files[0]),
        vocabulary_size=config.get_text_config().vocab_size,
        device=where,
    )
    return _language_model(name, "causal", tokenizer, network, config, bos, dtype, quantisation=quantisation(path))


def _language_model(name, kind, tokenizer, network, config, bos, dtype, **more) -> LanguageModel:
    return LanguageModel(
        name, kind, tokenizer, network, dtype=dtype, bos=bos,
        space=kind == "masked" and config.model_type in SPACED and "Ġthe" in tokenizer.get_vocab(),
        opener=document_opener(name, config, tokenizer) if kind == "causal" else None, **more,
    )  # fmt: skip


def check_tokenizer(name: str, tokenizer, kind: Kind, config) -> None:
    """A whole tokenizer that gives character offsets, and for a masked model one with a mask. Raises InputError.

    transformers makes an empty tokenizer, and says nothing, where a model's folder lacks the tokenizer's files.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(
            f"the tokenizer of {name} gives no character offsets; a fast tokenizer (tokenizer.json) is needed"
        )
    if (known := len(tokenizer)) < (vocabulary := config.get_text_config().vocab_size) / 2:  # padding is a few hundred
        raise InputError(
            f"the tokenizer of {name} knows {known:,} tokens, and its network {vocabulary:,}: the tokenizer's files "
            "(tokenizer.json) are missing or of another model"
        )
    if kind == "masked" and tokenizer.mask_token is None:
        raise InputError(f"{name} has no mask token, so it cannot be read as a masked model; use kind='causal'")


def detect_kind(name: str, config) -> Kind:
    """Masked or causal, from the configuration's architectures, else from what the model type can be."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"{name} is an encoder-decoder ({config.model_type}), which predicts one text from another; causal and "
            "masked models can be scored, or a program of yours that gives surprisals (command:./my-model)"
        )
    kinds: set[Kind] = set()
    for architecture in config.architectures or []:
        if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
            kinds.add("masked")
        elif architecture.endswith(("ForCausalLM", "LMHeadModel")):
            kinds.add("causal")
    if not kinds:
        kinds |= {"masked"} if config.model_type in MASKED else set()
        kinds |= {"causal"} if config.model_type in CAUSAL else set()
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        raise InputError(
            f"{name} ({config.model_type}) can be read as masked or causal; say kind='masked' or kind='causal'"
        )
    raise InputError(f"{name} ({config.model_type}) is neither a masked nor a causal language model")
