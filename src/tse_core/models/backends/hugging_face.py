"""Hugging Face models from a folder, the hub, a GGUF file or memory: tokenizer at once, the weights later."""

# mypy: disable-error-code=override
import hashlib
import inspect
import re
from dataclasses import dataclass
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
    opened,
    opened_network,
    opened_tokenizer,
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

SPACED = (
    "roberta",
    "xlm-roberta",
    "camembert",
    "longformer",
)  # masked families that read a space before a first word
ENCODERS = (
    "bert-generation",
    "xlnet",
)  # of the library's causal models, those that may see later tokens


@dataclass
class Source:
    """Where a model's files lie; see `source_of`."""

    name: str  # as the user gave it
    folder: Path  # with its configuration and weights, of an adapter those of its base model
    adapter: Path | None = None  # the folder of an adapter
    settings: dict | None = None  # what it says
    gguf: Path | None = (
        None  # the file of which `folder` was made; its hash is the model's identity
    )

    @property
    def weights(self) -> list[Path]:
        """The files that hold the weights. Raises InputError where one is missing."""
        if self.gguf:
            return [self.gguf]
        found = weight_files(self.folder) + (
            [self.adapter / ADAPTER_WEIGHTS] if self.adapter else []
        )
        for file in found:
            if not file.is_file():
                raise InputError(
                    f"{self.name} holds no {file.name}; weights are read from safetensors only"
                )
        return found


def source_of(name: str, revision: str | None = None) -> Source:
    """The files of a model by its name, fetched where they are missing. Raises InputError."""
    gguf = (
        model_file(name)
        if name in PACKAGE_MODELS
        else Path(name)
        if name.lower().endswith(".gguf")
        else None
    )
    place = str(data_folder() / "models" / name) if name in laboratory_models() else name
    adapter = settings = None
    if is_file(Path(place, ADAPTER)):
        adapter, settings = Path(place), adapter_settings(name, Path(place))
        place = settings.pop("base_model_name_or_path")
        if place in PACKAGE_MODELS or place.lower().endswith(".gguf"):
            raise InputError(
                f"{name}: its base model {place} is a GGUF file, which takes no adapter; {ADAPTER} must name the base "
                "model's folder in Hugging Face's format, or its name on the hub"
            )
        revision = revision or (None if is_folder(place) else settings.get("revision"))
    if not gguf and not is_folder(place):
        called = f"{place}, the base model of {name}" if adapter else name
        folder = hub_folder(called, place, revision)
        if is_file(folder / ADAPTER):
            raise InputError(
                f"{called} is a PEFT adapter on the hub; download it, and give its folder"
            )
        return Source(name, folder, adapter, settings)
    if revision:
        raise InputError(
            f"{name} is not of the hub, so {revision!r} names no revision: no branch, tag or commit"
        )
    return Source(name, converted_folder(gguf) if gguf else Path(place), adapter, settings, gguf)


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
        self._source, self._config, self._dtype, self._options = (
            source,
            config,
            dtype,
            options | {"config": config},
        )
        self._auto = "AutoModelForCausalLM" if causal else "AutoModelForMaskedLM"
        if source.gguf:
            self.libraries = (*self.libraries, "gguf")
        elif source.adapter:
            self.libraries = (*self.libraries, "peft")
        self._spread = device == "map"
        if self._spread and find_spec("accelerate") is None:
            raise InputError(
                "device 'map' needs one package more: pip install 'tse-core[gpus]' (or accelerate)"
            )
        self._device = usable_device("auto" if self._spread else device)
        self._module: Any = None

    @property
    def module(self) -> Any:
        """The module with its weights, for the caller, who may change it: from here on no results are kept."""
        self.keeps_results = False
        return self._inner

    @property
    def _inner(self):
        """The module with its weights. Raises InputError where they changed after the model was opened."""
        with one_pass:
            if self._module is None:
                (state, _), module = self._found, in_one_pass(self._read())
                if state != state_of(self._source.weights):
                    raise InputError(
                        f"{self._source.weights[0]} changed after the model was opened; open it again"
                    )
                self._module = module
            return self._module

    @property
    def device(self) -> torch.device:
        return self._device

    @property
    def dtype(self) -> str:
        """That which was asked for, or else that of the module which the caller has."""
        return self._dtype if self.keeps_results else dtype_of(self._inner)

    def fingerprint(self, tokenizer: "PreTrainedTokenizerFast") -> str:
        _, digest = self._found
        if self._source.gguf:  # holds the tokenizer, too
            return digest
        return hashlib.sha256((digest + tokenizer_digest(tokenizer)).encode()).hexdigest()

    @cached_property
    def _found(self) -> tuple[list[tuple], str]:
        """The state of the files when they were first looked at, and a hash of what in them decides the numbers."""
        source, files = self._source, self._source.weights
        state = state_of(files)
        if source.gguf:
            return state, cached(files, lambda: file_digest(files[0]))
        settings = self._config.to_diff_dict()
        if source.adapter:
            settings["adapter"] = source.settings
            shape = shape_of(
                source.name, self._auto, self._config, self._options["trust_remote_code"]
            )
            if untied := untied_parts(
                shape, source.adapter / ADAPTER_WEIGHTS, source.settings or {}
            ):
                settings["untied"] = untied
        if code := sorted(source.folder.glob("*.py")) if self._options["trust_remote_code"] else []:
            settings["code"] = [file_digest(file) for file in code]
        return state, cached(
            files, lambda: weights_digest(stored_tensors(files), settings), settings
        )

    def _read(self):
        source = self._source
        dtype = DTYPES[
            "float32" if source.adapter else self._dtype
        ]  # an adapter is merged in single precision
        more = {
            "dtype": dtype,
            "use_safetensors": True,
            "device_map": "auto" if self._spread else None,
        }
        module = opened_network(source.name, source.folder, self._auto, self._options | more)
        module._apply(
            lambda tensor: tensor.clone()
        )  # safetensors maps the file, which may be overwritten in place
        if source.adapter:
            module = with_adapter(source.name, module, source.adapter, source.settings).to(
                DTYPES[self._dtype]
            )
        return module.eval() if self._spread else module.eval().to(self._device)


def open_module(
    module: Any,
    *,
    tokenizer: Any = None,
    kind: Kind | None = None,
    bos: str = "default",
    name: str | None = None,
) -> LanguageModel:
    """A Hugging Face model that is in memory, with its tokenizer; see `NetworkInMemory`. Raises InputError."""
    if not hasattr(module, "state_dict") or not hasattr(module, "forward"):
        raise InputError(
            f"a model is a name, a path or a Hugging Face model, not {type(module).__name__}"
        )
    arguments = inspect.signature(module.forward).parameters.values()
    takes_ids = any(each.name == "input_ids" or each.kind == each.VAR_KEYWORD for each in arguments)
    if not takes_ids or not hasattr(getattr(module, "config", None), "get_text_config"):
        raise InputError(
            f"{type(module).__name__} is no Hugging Face model, which has a configuration of transformers as `config`, "
            "takes `input_ids`, and gives `logits` at every place; help(tse_core.load_model) shows a wrapper"
        )
    if tokenizer is None:
        raise InputError("a model in memory needs its tokenizer: load_model(model, tokenizer)")
    if name is not None and not re.fullmatch(r"[^\s@/\\]+", name):
        raise InputError(
            f"the name of a model in memory is {name!r}; it must be one word, such as 'run-7'"
        )
    label = (
        name or Path(str(getattr(module.config, "_name_or_path", "") or type(module).__name__)).name
    )
    if not name and isinstance(getattr(module, "peft_config", None), dict):
        label = f"{label}+adapter"
    kind = kind_of(label, module.config, kind)
    check_tokenizer(label, tokenizer, kind, module.config)
    network = NetworkInMemory(module, causal=kind == "causal", name=name)
    return _language_model(label, kind, tokenizer, network, module.config, bos)


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
    """A model in a folder, on the hub, of the package index or in a GGUF file. Raises InputError."""
    source = source_of(name, revision)
    options = {"trust_remote_code": trust_remote_code, "local_files_only": not trust_remote_code}
    config = opened(name, source.folder, "AutoConfig", options)
    if getattr(config, "transformers_weights", None):
        raise InputError(
            f"{name}: config.json names other files of weights (transformers_weights); remove that line"
        )
    kind = kind_of(name, config, kind)
    folder = source.folder
    if source.adapter and (source.adapter / "tokenizer.json").is_file():
        folder = source.adapter
    tokenizer, mended = opened_tokenizer(name, folder, options)
    _ = source.weights  # raises at once where one is missing
    check_tokenizer(name, tokenizer, kind, config)
    if (folder / "tokenizer.json").is_file() and not source.gguf and not mended:
        check_stored(name, tokenizer, folder / "tokenizer.json")
    network = NetworkInFiles(
        source, config, causal=kind == "causal", device=device, dtype=dtype, options=options
    )
    library = (getattr(config, "quantization_config", None) or {}).get("quant_method")
    more = {
        "revision": revision,
        "quantisation": getattr(config, "quantisation", library),
        "mended": mended,
    }
    return _language_model(name, kind, tokenizer, network, config, bos, **more)


def _language_model(name, kind, tokenizer, network, config, bos, **more) -> LanguageModel:
    """The model of a network and a tokenizer; warns where nothing is read before a sentence and nobody chose that."""
    front = document_bos(config, tokenizer) if kind == "causal" else None
    chosen = bos != "default" or getattr(config, "bos", None) == "none"
    if kind == "causal" and not (chosen or front or added_by(tokenizer)):
        warn(
            f"{name} reads no BOS token: its tokenizer adds none, and its vocabulary has none of "
            f"{', '.join(DOCUMENT_BOS)}; bos names another one (--bos), or 'none'"
        )
    space = kind == "masked" and config.model_type in SPACED and "Ġthe" in tokenizer.get_vocab()
    return LanguageModel(
        name, kind, tokenizer, network, bos=bos, space=space, document_bos=front, **more
    )


def check_tokenizer(name: str, tokenizer: Any, kind: Kind, config: "PreTrainedConfig") -> None:
    """Raise InputError unless the tokenizer is complete, gives character offsets and, if masked, has a mask.

    Where its files are missing, transformers makes an empty tokenizer, or one for lower case, and says nothing.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(
            f"the tokenizer of {name} gives no character offsets; it needs a tokenizer.json"
        )
    known, vocabulary = tokenizer.get_vocab(), config.get_text_config().vocab_size
    if len(known) < vocabulary / 2:  # padding is a few hundred
        raise InputError(
            f"the tokenizer of {name} knows {len(known):,} tokens, and its network {vocabulary:,}: the tokenizer's "
            "files (tokenizer.json) are missing or of another model"
        )
    normalizer, words = (
        tokenizer.backend_tokenizer.normalizer,
        known.keys() - tokenizer.added_tokens_encoder.keys(),
    )
    lowers = normalizer and "A" not in normalizer.normalize_str("A")
    if lowers and any(re.fullmatch("[A-Z][a-z]+", word) for word in words):
        raise InputError(
            f"the tokenizer of {name} writes all text in lower case, and its vocabulary has capitals: "
            "tokenizer_config.json is missing, or lacks do_lower_case: false"
        )
    if kind == "masked" and (tokenizer.mask_token is None or tokenizer.mask_token_id >= vocabulary):
        raise InputError(
            f"{name} has no mask token, so it cannot be read as a masked model; use kind='causal'"
        )


def kind_of(name: str, config: "PreTrainedConfig", wanted: Kind | None = None) -> Kind:
    """Masked or causal, by the configuration; `wanted` decides where that says nothing. Raises InputError."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    family, architectures = config.model_type, " ".join(config.architectures or [])
    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"{name} is an encoder-decoder ({family}), which predicts one text from another; causal and masked models "
            "can be scored, or a program of yours that gives surprisals (command:./my-model)"
        )
    other = re.search(r"\w+(Classification|QuestionAnswering|MultipleChoice)", architectures)
    if other and wanted is None:
        raise InputError(
            f"{name} was trained for another task than predicting words ({other[0]}); to read it as a language "
            "model anyway, say kind='masked' or kind='causal'"
        )
    found = wanted
    if family in MASKED or family in ENCODERS:
        earlier = getattr(config, "is_decoder", False) or getattr(
            config, "causal", False
        )  # as XLM says it
        found = "causal" if earlier else "masked" if family in MASKED else None
    elif family in CAUSAL:
        text = config.get_text_config()
        ahead = getattr(text, "use_bidirectional_attention", False) is True or not getattr(
            text, "is_causal", True
        )
        found = None if ahead else "causal"
    elif not wanted and re.search(
        "MaskedLM|CausalLM|LMHead", architectures
    ):  # a family that brings its own code
        found = "masked" if "MaskedLM" in architectures else "causal"
    if found is None or family == "reformer":  # whose buckets depend on later tokens, and on chance
        raise InputError(
            f"{name} ({family}) is no masked model, and no causal one that sees earlier tokens only"
        )
    if wanted not in (None, found):
        raise InputError(
            f"{name} ({family}) is {found} by its configuration, and cannot be read as {wanted}"
        )
    return found
