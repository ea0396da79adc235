"""Hugging Face models from a folder, the hub or memory: tokenizer and configuration at once, the weights later."""

import copy
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import is_file, is_folder
from tse_core.models.bos import document_bos
from tse_core.models.devices import usable_device
from tse_core.models.folders import ADAPTER, check_layers, no_weights, opened, opened_network, weight_files
from tse_core.models.hugging_face_network import HuggingFaceNetwork
from tse_core.models.identity import file_digest, safetensors_tensors, tensor_count, weights_digest
from tse_core.models.kinds.request import DTYPES, Request
from tse_core.models.language_model import Kind, LanguageModel
from tse_core.models.network import LazyNetwork

SPACED = ("roberta", "xlm-roberta", "camembert", "longformer")  # masked families that read a space before a first word


def open_module(module, tokenizer, *, kind=None, bos="default") -> LanguageModel:
    """A Hugging Face model that is in memory, with its tokenizer.

    It is read through separate modules that share its weights, so it is neither copied nor changed, not even in its
    training mode or in how its layers compute.
    """
    name = Path(str(getattr(module.config, "_name_or_path", "") or type(module).__name__)).name
    if hasattr(module, "get_base_model"):  # of peft
        from tse_core.models.adapters import without_wrapper

        held = without_wrapper(name, module)
        name, module = name if held is module else f"{name}+adapter", held
    kind = kind or detect_kind(name, module.config)
    check_tokenizer(name, tokenizer, kind, module.config)
    weights = {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())}
    network = _network(name, copy.deepcopy(module, weights).eval(), kind)
    return _language_model(name, kind, tokenizer, network, module.config, bos, str(module.dtype).removeprefix("torch."))


def open_hugging_face(request: Request, place: str | None = None, gguf: Path | None = None) -> LanguageModel:
    """A model in a folder or on the hub. Raises InputError.

    `place` is another folder than the one that the request names, made from the file `gguf`, whose hash is then the
    model's identity.
    """
    name, kind, trust = request.name, request.kind, request.trust
    place, spread = place or request.place, request.device == "map"
    options, own = {"trust_remote_code": trust, "local_files_only": not trust}, Path(place)
    adapter, further = None, []
    if is_file(own / ADAPTER):
        from tse_core.models.adapters import WEIGHTS, adapter_settings

        adapter, further = adapter_settings(name, place), [own / WEIGHTS]
        place = adapter.pop("base_model_name_or_path")
    folder, of_base = _files(name, place, request.revision, trust)
    config = opened(name, folder, "AutoConfig", options)

    def check_weights() -> None:
        check_layers(name, config, len(safetensors_tensors(of_base())))

    kind = kind or detect_kind(name, config)
    tokenizer = opened(name, own if (own / "tokenizer.json").is_file() else folder, "AutoTokenizer", options)
    if folder == Path(place):  # says at once what is wrong with its weights
        check_weights()
    check_tokenizer(name, tokenizer, kind, config)
    where = usable_device("auto" if spread else request.device)
    auto = "AutoModelForCausalLM" if kind == "causal" else "AutoModelForMaskedLM"

    def read() -> HuggingFaceNetwork:
        more = {"dtype": DTYPES[request.dtype], "use_safetensors": True, "device_map": "auto" if spread else None}
        check_weights()
        module = opened_network(name, folder, auto, options | more).eval()
        if adapter:
            from tse_core.models.adapters import with_adapter

            module = with_adapter(name, module, str(own)).eval()
        return _network(name, module if spread else module.to(where), kind)

    def weights() -> list[Path]:
        return of_base() + further

    settings = config.to_diff_dict() | ({"adapter": adapter} if adapter else {})
    network = LazyNetwork(
        read,
        files=weights if gguf is None else lambda: [gguf],
        digest=file_digest if gguf else lambda files: weights_digest(safetensors_tensors(files), settings),
        settings={} if gguf else settings,
        size=lambda: tensor_count(weights()),
        vocabulary_size=config.get_text_config().vocab_size,
        device=where,
        made_of=[type(config), *_own_class(folder, config, auto, trust)],
    )
    return _language_model(
        name, kind, tokenizer, network, config, request.bos, request.dtype,
        revision=request.revision, quantisation=config.quantisation if gguf else None,
    )  # fmt: skip


def _network(name: str, module, kind: Kind) -> HuggingFaceNetwork:
    """The network of a module. Raises InputError where it cannot be read as causal."""
    network = HuggingFaceNetwork(module, causal=kind == "causal")
    if network.reads_ahead:
        raise InputError(
            f"{name} sees the tokens after the one that it predicts, so it cannot be read as a causal model; a masked "
            "model is read with kind='masked'"
        )
    return network


def _files(name: str, place: str, revision: str | None, trust: bool) -> tuple[Path, Callable[[], list[Path]]]:
    """The folder with configuration and tokenizer, and a function for the weight files, which may be fetched."""
    if not is_folder(place):
        from tse_core.models.hub import fetched_weights, model_folder

        folder = model_folder(name, place, revision, trust)
        return folder, partial(fetched_weights, name, place, folder)

    if revision:
        raise InputError(f"{name} is a folder, which has no revision; {revision!r} would name a branch, tag or commit")

    def weights() -> list[Path]:
        if not (found := weight_files(Path(place))):
            raise no_weights(name)
        return found

    return Path(place), weights


def _own_class(folder, config, auto: str, trust: bool) -> list[type]:
    """The class of a model that brings its own code and may run it."""
    reference = (getattr(config, "auto_map", None) or {}).get(auto)
    if not trust or not reference:
        return []
    from transformers.dynamic_module_utils import get_class_from_dynamic_module

    return [get_class_from_dynamic_module(reference, folder)]


def _language_model(name, kind, tokenizer, network, config, bos, dtype, **more) -> LanguageModel:
    return LanguageModel(
        name, kind, tokenizer, network, dtype=dtype, bos=bos,
        space=kind == "masked" and config.model_type in SPACED and "Ġthe" in tokenizer.get_vocab(),
        document_bos=document_bos(name, config, tokenizer) if kind == "causal" else None, **more,
    )  # fmt: skip


def check_tokenizer(name: str, tokenizer, kind: Kind, config) -> None:
    """Raise InputError unless the tokenizer is complete, gives character offsets and, if masked, has a mask.

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
    backend = tokenizer.backend_tokenizer
    if backend.normalizer and "A" not in backend.normalizer.normalize_str("A"):
        entries = backend.get_vocab(with_added_tokens=False)
        if capitals := sorted(filter(re.compile("[A-Z][a-z]+").fullmatch, entries)):
            raise InputError(
                f"the tokenizer of {name} writes all text in lower case, and its vocabulary has capitals, e.g. "
                f"{capitals[0]!r}: tokenizer_config.json is missing, or lacks do_lower_case: false"
            )
    if kind == "masked" and (tokenizer.mask_token is None or tokenizer.mask_token_id >= vocabulary):
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
        other = re.search(r"\w+(Classification|QuestionAnswering|MultipleChoice)", " ".join(config.architectures or []))
        if kinds and other:
            raise InputError(
                f"{name} was trained for another task than predicting words ({other[0]}); to read it as a language "
                "model anyway, say kind='masked' or kind='causal'"
            )
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        raise InputError(
            f"{name} ({config.model_type}) can be read as masked or causal; say kind='masked' or kind='causal'"
        )
    raise InputError(f"{name} ({config.model_type}) is neither a masked nor a causal language model")
