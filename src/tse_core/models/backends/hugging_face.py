"""Hugging Face models from a folder, the hub, a GGUF file or memory.

The tokenizer is opened at once, the weights when they are needed.
"""

# mypy: disable-error-code=override
import hashlib
import inspect
import re
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tse_core.errors import InputError, warn
from tse_core.files import file_digest, is_file, is_folder
from tse_core.models.adapters import (
    ADAPTER,
    ADAPTER_WEIGHTS,
    adapter_settings,
    untied_parts,
    with_adapter,
)
from tse_core.models.folders import (
    check_stored,
    laboratory_models,
    open_network,
    open_tokenizer,
    open_with,
    shape_of,
    weight_files,
)
from tse_core.models.gguf_files import PACKAGE_MODELS, converted_folder, model_file
from tse_core.models.hub import hub_folder
from tse_core.models.hugging_face_network import (
    HuggingFaceNetwork,
    NetworkInMemory,
    dtype_of,
    in_one_pass,
    one_pass,
)
from tse_core.models.identity import (
    cached,
    state_of,
    stored_tensors,
    tokenizer_digest,
    weights_digest,
)
from tse_core.models.language_model import Kind, LanguageModel
from tse_core.models.network import DTYPES, usable_device
from tse_core.models.tokenizing import DOCUMENT_BOS, added_by, document_bos
from tse_core.paths import data_folder

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast

# Masked families that read a space before a first word.
SPACED = ("roberta", "xlm-roberta", "camembert", "longformer")
# Families among the library's causal models that may see later tokens.
ENCODERS = ("bert-generation", "xlnet")


@dataclass
class Source:
    """Where a model's files lie; see `source_of`."""

    name: str  # as the user gave it
    folder: Path  # with its configuration and weights; of an adapter those of its base model
    adapter: Path | None = None  # the folder of an adapter
    settings: dict = field(default_factory=dict)  # the adapter's configuration
    # The file of which `folder` was made; its hash is the model's identity.
    gguf: Path | None = None

    @property
    def weights(self) -> list[Path]:
        """The files that hold the weights. Raises InputError where one is missing."""
        if self.gguf:
            return [self.gguf]
        files = weight_files(self.folder)
        if self.adapter:
            files.append(self.adapter / ADAPTER_WEIGHTS)
        for file in files:
            if not file.is_file():
                raise InputError(
                    f"{self.name} holds no {file.name}; weights are read from safetensors only"
                )
        return files


def source_of(name: str, revision: str | None = None) -> Source:
    """The files of a model by its name, fetched where they are missing. Raises InputError."""
    gguf = _gguf_file(name)
    base = name  # the folder with the network, or its name on the hub
    if name in laboratory_models():
        base = str(data_folder() / "models" / name)
    adapter = None
    settings = {}
    if is_file(Path(base, ADAPTER)):
        adapter = Path(base)
        settings = adapter_settings(name, adapter)
        base = settings.pop("base_model_name_or_path")
        if base in PACKAGE_MODELS or base.lower().endswith(".gguf"):
            raise InputError(
                f"{name}: its base model {base} is a GGUF file, which takes no adapter; {ADAPTER} "
                "must name the base model's folder in Hugging Face's format, or its name on the hub"
            )
        # Of a base model on the hub, the adapter says which revision it was trained on.
        if not revision and not is_folder(base):
            revision = settings.get("revision")
    if gguf or is_folder(base):
        if revision:
            raise InputError(
                f"{name} is not of the hub, so {revision!r} names no revision: "
                "no branch, tag or commit"
            )
        folder = converted_folder(gguf) if gguf else Path(base)
        return Source(name, folder, adapter, settings, gguf)
    label = f"{base}, the base model of {name}" if adapter else name
    folder = hub_folder(label, base, revision)
    if is_file(folder / ADAPTER):
        raise InputError(f"{label} is a PEFT adapter on the hub; download it, and give its folder")
    return Source(name, folder, adapter, settings)


def _gguf_file(name: str) -> Path | None:
    """The GGUF file that a name means, fetched where it is missing; None for other models."""
    if name in PACKAGE_MODELS:
        return model_file(name)
    if name.lower().endswith(".gguf"):
        return Path(name)
    return None


class NetworkInFiles(HuggingFaceNetwork):
    """A network whose weights are read when they are needed."""

    def __init__(
        self,
        source: Source,
        config: "PreTrainedConfig",
        *,
        causal: bool,
        device: str,
        dtype: str,
        options: dict,
    ):
        super().__init__(config, causal=causal)
        self._source = source
        self._config = config
        self._dtype = dtype
        self._options = options | {"config": config}
        self._auto_class = "AutoModelForCausalLM" if causal else "AutoModelForMaskedLM"
        if source.gguf:
            self.libraries = (*self.libraries, "gguf")
        elif source.adapter:
            self.libraries = (*self.libraries, "peft")
        self._spread = device == "map"
        if self._spread and find_spec("accelerate") is None:
            raise InputError(
                "device 'map' needs one package more: pip install 'tse-core[gpus]' (or accelerate)"
            )
        if self._spread:
            device = "auto"  # where the inputs are
        self._device = usable_device(device)
        self._module: Any = None

    @property
    def module(self) -> Any:
        """The module with its weights, for the caller.

        The caller may change it: from here on no results are kept.
        """
        self.keeps_results = False
        return self._inner

    @property
    def _inner(self):
        """The module with its weights, read on first use.

        Raises InputError where their files changed after the model was opened.
        """
        with one_pass:
            if self._module is None:
                state, _ = self._provenance
                module = in_one_pass(self._read())
                files = self._source.weights
                if state != state_of(files):
                    raise InputError(
                        f"{files[0]} changed after the model was opened; open it again"
                    )
                self._module = module
            return self._module

    @property
    def device(self) -> torch.device:
        return self._device

    @property
    def dtype(self) -> str:
        """Precision of the weights: the requested one, until the caller has the module."""
        return self._dtype if self.keeps_results else dtype_of(self._inner)

    def fingerprint(self, tokenizer: "PreTrainedTokenizerFast") -> str:
        _, digest = self._provenance
        if self._source.gguf:  # the file holds the tokenizer, too
            return digest
        return hashlib.sha256((digest + tokenizer_digest(tokenizer)).encode()).hexdigest()

    @cached_property
    def _provenance(self) -> tuple[list[tuple], str]:
        """Stat fingerprint of the weight files on first use, and hash of what decides numbers.

        The hash covers weights, configuration, adapter and the folder's own code.
        """
        source = self._source
        files = source.weights
        state = state_of(files)
        if source.gguf:
            return state, cached(files, lambda: file_digest(files[0]))
        trusts_code = self._options["trust_remote_code"]
        settings = self._config.to_diff_dict()
        if source.adapter:
            settings["adapter"] = source.settings
            shape = shape_of(source.name, self._auto_class, self._config, trusts_code)
            adapter_file = source.adapter / ADAPTER_WEIGHTS
            untied = untied_parts(shape, adapter_file, source.settings)
            if untied:
                settings["untied"] = untied
        if trusts_code:
            code = [file_digest(file) for file in sorted(source.folder.glob("*.py"))]
            if code:
                settings["code"] = code
        digest = cached(files, lambda: weights_digest(stored_tensors(files), settings), settings)
        return state, digest

    def _read(self) -> Any:
        """The module from its files, on its device, in evaluation mode."""
        source = self._source
        # An adapter is merged in single precision, and the result converted.
        dtype = "float32" if source.adapter else self._dtype
        options = self._options | {"dtype": DTYPES[dtype], "use_safetensors": True}
        options["device_map"] = "auto" if self._spread else None
        module = open_network(source.name, source.folder, self._auto_class, options)
        # safetensors maps the file, which may be overwritten in place: keep a copy in memory.
        module._apply(lambda tensor: tensor.clone())
        if source.adapter:
            module = with_adapter(source.name, module, source.adapter, source.settings)
            module = module.to(DTYPES[self._dtype])
        module.eval()
        if not self._spread:
            module.to(self._device)
        return module


def open_module(
    module: Any,
    *,
    tokenizer: Any = None,
    kind: Kind | None = None,
    bos: str = "default",
    name: str | None = None,
) -> LanguageModel:
    """A Hugging Face model that is in memory, with its tokenizer; see `NetworkInMemory`.

    Raises InputError.
    """
    if not hasattr(module, "state_dict") or not hasattr(module, "forward"):
        raise InputError(
            f"a model is a name, a path or a Hugging Face model, not {type(module).__name__}"
        )
    if not _takes_input_ids(module) or not _has_configuration(module):
        raise InputError(
            f"{type(module).__name__} is no Hugging Face model, which has a configuration of "
            "transformers as `config`, takes `input_ids`, and gives `logits` at every place; "
            "help(tse_core.load_model) shows a wrapper"
        )
    if tokenizer is None:
        raise InputError("a model in memory needs its tokenizer: load_model(model, tokenizer)")
    if name is not None and not re.fullmatch(r"[^\s@/\\]+", name):
        raise InputError(
            f"the name of a model in memory is {name!r}; it must be one word, such as 'run-7'"
        )
    label = name or _label_in_memory(module)
    kind = kind_of(label, module.config, kind)
    check_tokenizer(label, tokenizer, kind, module.config)
    network = NetworkInMemory(module, causal=kind == "causal", name=name)
    return _language_model(label, kind, tokenizer, network, module.config, bos)


def _takes_input_ids(module: Any) -> bool:
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.name == "input_ids" or parameter.kind == parameter.VAR_KEYWORD:
            return True
    return False


def _has_configuration(module: Any) -> bool:
    return hasattr(getattr(module, "config", None), "get_text_config")


def _label_in_memory(module: Any) -> str:
    """What tables call a module without a name: the folder that it was read from, or its class."""
    origin = getattr(module.config, "_name_or_path", "") or type(module).__name__
    label = Path(str(origin)).name
    has_adapter = isinstance(getattr(module, "peft_config", None), dict)
    return f"{label}+adapter" if has_adapter else label


def open_hugging_face(
    name: str,
    *,
    kind: Kind | None,
    device: str,
    dtype: str,
    revision: str | None,
    bos: str,
    trust_remote_code: bool,
) -> LanguageModel:
    """A model in a folder, on the hub, of the package index or in a GGUF file.

    Raises InputError.
    """
    source = source_of(name, revision)
    options = {"trust_remote_code": trust_remote_code, "local_files_only": not trust_remote_code}
    config = open_with(name, source.folder, "AutoConfig", options)
    if getattr(config, "transformers_weights", None):
        raise InputError(
            f"{name}: config.json names other files of weights (transformers_weights); "
            "remove that line"
        )
    kind = kind_of(name, config, kind)
    folder = _tokenizer_folder(source)
    tokenizer, mended = open_tokenizer(name, folder, options)
    _ = source.weights  # raises at once where one is missing
    check_tokenizer(name, tokenizer, kind, config)
    # A GGUF file has no tokenizer.json of its own, and a mended tokenizer differs from its file.
    file = folder / "tokenizer.json"
    if file.is_file() and not source.gguf and not mended:
        check_stored(name, tokenizer, file)
    network = NetworkInFiles(
        source, config, causal=kind == "causal", device=device, dtype=dtype, options=options
    )
    # Other quantised models than GGUF files name the library that quantised them.
    settings = getattr(config, "quantization_config", None) or {}
    origin = {
        "revision": revision,
        "quantisation": getattr(config, "quantisation", settings.get("quant_method")),
        "mended": mended,
    }
    return _language_model(name, kind, tokenizer, network, config, bos, **origin)


def _tokenizer_folder(source: Source) -> Path:
    """The folder with the tokenizer: that of an adapter if it has one, else the base model's."""
    if source.adapter and (source.adapter / "tokenizer.json").is_file():
        return source.adapter
    return source.folder


def _language_model(
    name: str,
    kind: Kind,
    tokenizer: Any,
    network: HuggingFaceNetwork,
    config: "PreTrainedConfig",
    bos: str,
    **origin: str | None,
) -> LanguageModel:
    """The model of a network and a tokenizer.

    Warns where nothing is read before a sentence and nobody chose that.
    """
    between_documents = document_bos(config, tokenizer) if kind == "causal" else None
    is_chosen = bos != "default" or getattr(config, "bos", None) == "none"
    if kind == "causal" and not (is_chosen or between_documents or added_by(tokenizer)):
        warn(
            f"{name} reads no BOS token: its tokenizer adds none, and its vocabulary has none of "
            f"{', '.join(DOCUMENT_BOS)}; bos names another one (--bos), or 'none'"
        )
    # "Ġthe" shows a tokenizer of GPT-2's kind, whose first word is another one without a space.
    space = kind == "masked" and config.model_type in SPACED and "Ġthe" in tokenizer.get_vocab()
    return LanguageModel(
        name,
        kind,
        tokenizer,
        network,
        bos=bos,
        space=space,
        document_bos=between_documents,
        **origin,
    )


def check_tokenizer(name: str, tokenizer: Any, kind: Kind, config: "PreTrainedConfig") -> None:
    """Raise InputError unless the tokenizer is complete, gives offsets and, if masked, has a mask.

    Where its files are missing, transformers makes an empty tokenizer, or one for lower case, and
    says nothing.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(
            f"the tokenizer of {name} gives no character offsets; it needs a tokenizer.json"
        )
    vocabulary = tokenizer.get_vocab()
    size = config.get_text_config().vocab_size
    # Networks pad their vocabularies by a few hundred entries; half is no padding.
    if len(vocabulary) < size / 2:
        raise InputError(
            f"the tokenizer of {name} knows {len(vocabulary):,} tokens, and its network {size:,}: "
            "the tokenizer's files (tokenizer.json) are missing or of another model"
        )
    if _lowers_capitals(tokenizer):
        raise InputError(
            f"the tokenizer of {name} writes all text in lower case, and its vocabulary has "
            "capitals: tokenizer_config.json is missing, or lacks do_lower_case: false"
        )
    if kind == "masked" and (tokenizer.mask_token is None or tokenizer.mask_token_id >= size):
        raise InputError(
            f"{name} has no mask token, so it cannot be read as a masked model; use kind='causal'"
        )


def _lowers_capitals(tokenizer: Any) -> bool:
    """Whether a tokenizer writes text in lower case although its vocabulary has capitals."""
    normalizer = tokenizer.backend_tokenizer.normalizer
    if not normalizer or "A" in normalizer.normalize_str("A"):
        return False
    words = tokenizer.get_vocab().keys() - tokenizer.added_tokens_encoder.keys()
    return any(re.fullmatch("[A-Z][a-z]+", word) for word in words)


def kind_of(name: str, config: "PreTrainedConfig", request: Kind | None = None) -> Kind:
    """Masked or causal, by the configuration; `request` decides where that says nothing.

    Raises InputError for other kinds of models, and where the two contradict each other.
    """
    family = config.model_type
    architectures = " ".join(config.architectures or [])
    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"{name} is an encoder-decoder ({family}), which predicts one text from another; "
            "causal and masked models can be scored, or a program of yours that gives surprisals "
            "(command:./my-model)"
        )
    other = re.search(r"\w+(Classification|QuestionAnswering|MultipleChoice)", architectures)
    if other and request is None:
        raise InputError(
            f"{name} was trained for another task than predicting words ({other[0]}); to read it "
            "as a language model anyway, say kind='masked' or kind='causal'"
        )
    kind = _configured_kind(config, architectures, request)
    if kind is None or family == "reformer":  # whose buckets depend on later tokens, and on chance
        raise InputError(
            f"{name} ({family}) is no masked model, and no causal one that sees earlier tokens only"
        )
    if request not in (None, kind):
        raise InputError(
            f"{name} ({family}) is {kind} by its configuration, and cannot be read as {request}"
        )
    return kind


def _configured_kind(
    config: "PreTrainedConfig", architectures: str, request: Kind | None
) -> Kind | None:
    """The kind of a model by its family, or else by its architectures; None where it is neither."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    family = config.model_type
    if family in MASKED or family in ENCODERS:
        # An encoder may be configured as a decoder; XLM calls the option `causal`.
        if getattr(config, "is_decoder", False) or getattr(config, "causal", False):
            return "causal"
        return "masked" if family in MASKED else None
    if family in CAUSAL:
        text = config.get_text_config()
        sees_later_tokens = getattr(text, "use_bidirectional_attention", False) is True
        is_causal = getattr(text, "is_causal", True)
        return "causal" if is_causal and not sees_later_tokens else None
    if request:
        return request
    # A family that brings its own code is known by the names of its classes alone.
    if re.search("MaskedLM|CausalLM|LMHead", architectures):
        return "masked" if "MaskedLM" in architectures else "causal"
    return None
