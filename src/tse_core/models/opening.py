"""What `load_model` does for Hugging Face models: masked or causal, which device, with or without the weights."""

import importlib.util
from pathlib import Path

import torch

from tse_core.errors import InputError, unknown
from tse_core.models.allocator import keep_freed_memory
from tse_core.models.hub import laboratory_models, opened, weight_files
from tse_core.models.huggingface import HuggingFaceNetwork
from tse_core.models.language_model import Kind, LanguageModel
from tse_core.models.openers import document_opener
from tse_core.models.unloaded import UnloadedNetwork
from tse_core.paths import data_folder

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def open_model(name: str, *, kind, device, dtype, revision, bos, trust, weights: bool = True) -> LanguageModel:
    """What `load_model` says; without `weights`, a model to plan with: its weights stay in their files."""
    if kind not in (None, "causal", "masked"):
        raise InputError(f"kind is {kind!r}; it must be 'causal' or 'masked'")
    if dtype not in DTYPES:
        raise unknown("dtype", dtype, DTYPES)
    place = data_folder() / "models" / name
    place = str(place) if name in laboratory_models() else name
    if (Path(place) / "tse_baseline.json").is_file():
        from tse_core.models.baselines import load_baseline

        return load_baseline(place, name=name)
    options = {"revision": revision, "trust_remote_code": trust} if revision else {"trust_remote_code": trust}
    config = opened(name, place, "AutoConfig", options)
    kind = kind or detect_kind(name, config)
    tokenizer = opened(name, place, "AutoTokenizer", options)
    if not tokenizer.is_fast:
        raise InputError(
            f"the tokenizer of {name} gives no character offsets; a fast tokenizer (tokenizer.json) is needed"
        )
    if kind == "masked" and tokenizer.mask_token is None:
        raise InputError(f"{name} has no mask token, so it cannot be read as a masked model; use kind='causal'")
    files = [] if weights else weight_files(place, revision)
    if files:
        network = UnloadedNetwork(config.get_text_config().vocab_size, tuple(files))
    else:
        network = _loaded(name, place, kind, device, options | {"dtype": DTYPES[dtype], "use_safetensors": True})
    spaced = kind == "masked" and config.model_type in ("roberta", "xlm-roberta", "camembert", "longformer")
    return LanguageModel(
        name, kind, tokenizer, network, dtype=dtype, revision=revision, bos=bos,
        leading_space=spaced and _byte_level(tokenizer),
        opener=document_opener(name, config, tokenizer) if kind == "causal" else None,
    )  # fmt: skip


def _loaded(name, place, kind, device, options) -> HuggingFaceNetwork:
    """The network with its weights, on one device, or with device "map" spread over all there are."""
    keep_freed_memory()
    auto = "AutoModelForCausalLM" if kind == "causal" else "AutoModelForMaskedLM"
    if device == "map":
        if importlib.util.find_spec("accelerate") is None:
            raise InputError("device 'map' needs the package accelerate: pip install accelerate")
        module = opened(name, place, auto, options | {"device_map": "auto"}).eval()
    else:
        module = opened(name, place, auto, options).eval().to(_device(device))
    return HuggingFaceNetwork(module, weight_files(place, options.get("revision")), causal=kind == "causal")


def detect_kind(name: str, config) -> Kind:
    """Masked or causal, from the configuration's architectures, else from what the model type can be."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"{name} is an encoder-decoder ({config.model_type}); only causal and masked models can be scored"
        )
    kinds = set()
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


def _device(device: str) -> torch.device:
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        found = torch.device(device)
        torch.empty(1, device=found)
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {device!r} cannot be used here ({str(error).splitlines()[0][:120]}); 'cpu' always can"
        ) from error
    return found


def _byte_level(tokenizer) -> bool:
    return "Ġthe" in tokenizer.get_vocab()
