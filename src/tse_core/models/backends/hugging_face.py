"""Hugging Face models from a folder, the hub or memory: tokenizer and configuration at once, the weights later."""

import hashlib
import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from tse_core.errors import GuessedWarning, InputError
from tse_core.files import is_file, is_folder
from tse_core.models.adapters import ADAPTER_WEIGHTS, adapter_settings, with_adapter, without_wrapper
from tse_core.models.backends.request import DTYPES, Request
from tse_core.models.bos import DOCUMENT_BOS, added_by, document_bos
from tse_core.models.devices import usable_device
from tse_core.models.folders import ADAPTER, no_weights, opened, opened_network, weight_files
from tse_core.models.hub import fetched_weights, model_folder
from tse_core.models.hugging_face_network import HuggingFaceNetwork, NetworkInMemory, dtype_of, in_one_pass
from tse_core.models.identity import cached, file_digest, state_of, stored_tensors, tokenizer_digest, weights_digest
from tse_core.models.language_model import Kind, LanguageModel

SPACED = ("roberta", "xlm-roberta", "camembert", "longformer")  # masked families that read a space before a first word
ENCODERS = ("bert-generation", "xlnet")  # of the library's causal models, those that may see later tokens
SAMPLE = "The keys to Zoë's cabinet, 1234 of them, aren't here."  # a tokenizer splits it as tokenizer.json says


class NetworkInFiles(HuggingFaceNetwork):
    """A network whose weights are read when they are needed.

    Parameters
    ----------
    read : gives the module
    files : gives the files that decide its numbers, which may have to be fetched first
    digest : gives a hash of them; `own_hash` says that it covers the tokenizer, too, as that of a GGUF file does
    """

    def __init__(
        self,
        config,
        *,
        causal: bool,
        device,
        dtype: str,
        read: Callable[[], Any],
        files: Callable[[], list[Path]],
        digest: Callable[[], str],
        own_hash: bool = False,
    ):
        super().__init__(config, causal=causal)
        self._dtype, self._device = dtype, device
        self._read, self._files, self._digest, self._own_hash = read, files, digest, own_hash
        self._reading = threading.RLock()
        self._state: list[tuple] = []
        self._hash = ""
        self._module: Any = None
        self._read_as = ""  # the precision of the module when it was read; some of its weights may keep their own

    @property
    def module(self):
        """The module with its weights."""
        with self._reading:
            if self._module is None:
                self._hash_of_files()
                module = in_one_pass(self._read())
                if self._state != state_of(self._files()):
                    raise InputError(f"{self._files()[0]} changed after the model was opened; open it again")
                self._module, self._read_as = module, dtype_of(module)
            return self._module

    @property
    def device(self):
        return self._device

    @property
    def dtype(self) -> str:
        """That which was asked for, or else what the caller has made of the module since it was read."""
        if self._module is None or dtype_of(self._module) == self._read_as:
            return self._dtype
        return dtype_of(self._module)

    def fingerprint(self, tokenizer) -> str:
        found = self._hash_of_files()
        return found if self._own_hash else hashlib.sha256((found + tokenizer_digest(tokenizer)).encode()).hexdigest()

    def _hash_of_files(self) -> str:
        with self._reading:
            if not self._hash:
                self._state = state_of(self._files())
                self._hash = self._digest()
            return self._hash


def open_module(module, tokenizer, *, kind=None, bos="default", name: str | None = None) -> LanguageModel:
    """A Hugging Face model that is in memory, with its tokenizer; see `NetworkInMemory`. Raises InputError."""
    label = name or Path(str(getattr(module.config, "_name_or_path", "") or type(module).__name__)).name
    held = without_wrapper(label, module)
    if held is not module and not name:
        label = f"{label}+adapter"
    kind = kind_of(label, held.config, kind)
    check_tokenizer(label, tokenizer, kind, held.config)
    network = NetworkInMemory(held, causal=kind == "causal", name=name)
    return _language_model(label, kind, tokenizer, network, held.config, bos)


def open_hugging_face(request: Request, place: str | None = None, gguf: Path | None = None) -> LanguageModel:
    """A model in a folder or on the hub. Raises InputError.

    `place` is another folder than the one that the request names, made from the file `gguf`, whose hash is then the
    model's identity.
    """
    name, trust, revision = request.name, request.trust, request.revision
    place, adapter = place or request.place, None
    own = Path(place)  # of an adapter its folder, while `place` and `folder` are those of its base model
    if is_file(own / ADAPTER):
        adapter = adapter_settings(name, place)
        place = adapter.pop("base_model_name_or_path")
        revision = revision or (None if is_folder(place) else adapter.get("revision"))
    if revision and is_folder(place):
        raise InputError(f"{name} is a folder, which has no revision; {revision!r} would name a branch, tag or commit")
    folder = Path(place) if is_folder(place) else model_folder(name, place, revision, trust)
    options = {"trust_remote_code": trust, "local_files_only": not trust}
    config = opened(name, folder, "AutoConfig", options)
    if getattr(config, "transformers_weights", None):
        raise InputError(f"{name}: config.json names other files of weights (transformers_weights); remove that line")
    kind = kind_of(name, config, request.kind)
    source = own if (own / "tokenizer.json").is_file() else folder
    tokenizer = opened(name, source, "AutoTokenizer", options)
    if is_folder(place):
        _weights(name, place, folder)  # says at once where there are none
    check_tokenizer(name, tokenizer, kind, config)
    if not gguf:
        _check_splitting(name, tokenizer, source / "tokenizer.json")
    spread = request.device == "map"
    where = usable_device("auto" if spread else request.device)
    auto = "AutoModelForCausalLM" if kind == "causal" else "AutoModelForMaskedLM"
    settings = config.to_diff_dict() | ({"adapter": adapter} if adapter else {})
    if code := sorted(folder.glob("*.py")) if trust else []:
        settings["code"] = [file_digest(file) for file in code]

    def read():
        dtype = DTYPES["float32" if adapter else request.dtype]  # an adapter is merged in single precision
        more = {"dtype": dtype, "use_safetensors": True, "device_map": "auto" if spread else None}
        module = opened_network(name, folder, auto, options | more)
        if adapter:
            module = with_adapter(name, module, str(own)).to(DTYPES[request.dtype])
        return module.eval() if spread else module.eval().to(where)

    def files() -> list[Path]:
        if gguf:
            return [gguf]
        return _weights(name, place, folder) + ([own / ADAPTER_WEIGHTS] if adapter else [])

    def digest() -> str:
        if gguf:
            return cached([gguf], lambda: file_digest(gguf))
        return cached(files(), lambda: weights_digest(stored_tensors(files()), settings), settings)

    network = NetworkInFiles(
        config,
        causal=kind == "causal",
        device=where,
        dtype=request.dtype,
        read=read,
        files=files,
        digest=digest,
        own_hash=gguf is not None,
    )
    quantised = (
        config.quantisation if gguf else (getattr(config, "quantization_config", None) or {}).get("quant_method")
    )
    more = {"revision": request.revision, "quantisation": quantised}
    return _language_model(name, kind, tokenizer, network, config, request.bos, **more)


def _weights(name: str, place: str, folder: Path) -> list[Path]:
    """The files of weights of a folder, or of a model of the hub, whose cache may have to be filled first."""
    if not is_folder(place):
        return fetched_weights(name, place, folder)
    if not (found := weight_files(folder)):
        raise no_weights(name)
    return found


def _language_model(name, kind, tokenizer, network, config, bos, **more) -> LanguageModel:
    """The model of a network and a tokenizer; warns where nothing is read before a sentence and nobody chose that."""
    front = document_bos(config, tokenizer) if kind == "causal" else None
    chosen = bos != "default" or getattr(config, "bos", None) == "none"
    if kind == "causal" and not (chosen or front or added_by(tokenizer)):
        warnings.warn(
            f"{name} reads no BOS token: its tokenizer adds none, and its vocabulary has none of "
            f"{', '.join(DOCUMENT_BOS)}; bos names another one (--bos), or 'none'",
            GuessedWarning,
            stacklevel=2,
        )
    space = kind == "masked" and config.model_type in SPACED and "Ġthe" in tokenizer.get_vocab()
    return LanguageModel(name, kind, tokenizer, network, bos=bos, space=space, document_bos=front, **more)


def check_tokenizer(name: str, tokenizer, kind: Kind, config) -> None:
    """Raise InputError unless the tokenizer is complete, gives character offsets and, if masked, has a mask.

    Where its files are missing, transformers makes an empty tokenizer, or one for lower case, and says nothing.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(f"the tokenizer of {name} gives no character offsets; it needs a tokenizer.json")
    known, vocabulary = tokenizer.get_vocab(), config.get_text_config().vocab_size
    if len(known) < vocabulary / 2:  # padding is a few hundred
        raise InputError(
            f"the tokenizer of {name} knows {len(known):,} tokens, and its network {vocabulary:,}: the tokenizer's "
            "files (tokenizer.json) are missing or of another model"
        )
    normalizer = tokenizer.backend_tokenizer.normalizer
    lowers = normalizer and "A" not in normalizer.normalize_str("A")
    if lowers and any(
        re.fullmatch("[A-Z][a-z]+", entry) for entry in known.keys() - tokenizer.added_tokens_encoder.keys()
    ):
        raise InputError(
            f"the tokenizer of {name} writes all text in lower case, and its vocabulary has capitals: "
            "tokenizer_config.json is missing, or lacks do_lower_case: false"
        )
    if kind == "masked" and (tokenizer.mask_token is None or tokenizer.mask_token_id >= vocabulary):
        raise InputError(f"{name} has no mask token, so it cannot be read as a masked model; use kind='causal'")


def _check_splitting(name: str, tokenizer, file: Path) -> None:
    """Raise InputError where transformers makes another tokenizer of a folder than its tokenizer.json describes."""
    if file.is_file():
        said = Tokenizer.from_file(str(file)).encode(SAMPLE, add_special_tokens=False).ids
        if tokenizer(SAMPLE, add_special_tokens=False)["input_ids"] != said:
            raise InputError(
                f"the tokenizer of {name} splits {SAMPLE!r} otherwise than its tokenizer.json says, as transformers "
                f"makes a {type(tokenizer).__name__} of it; tokenizer_config.json may name another tokenizer_class"
            )


def kind_of(name: str, config, wanted: Kind | None = None) -> Kind:
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
    found: Kind | None = None
    if family in MASKED or family in ENCODERS:
        reads_left = getattr(config, "causal" if family == "xlm" else "is_decoder", False)
        found = "causal" if reads_left else "masked" if family in MASKED else None
    elif family in CAUSAL:
        found = None if _sees_later_tokens(config.get_text_config()) else "causal"
    elif wanted or re.search("MaskedLM|CausalLM|LMHead", architectures):  # a family that brings its own code
        found = wanted or ("masked" if "MaskedLM" in architectures else "causal")
    if found is None:
        raise InputError(f"{name} ({family}) is no masked model, and no causal one that sees earlier tokens only")
    if wanted not in (None, found):
        raise InputError(f"{name} ({family}) is {found} by its configuration, and cannot be read as {wanted}")
    return found


def _sees_later_tokens(config) -> bool:
    return getattr(config, "is_causal", True) is False or getattr(config, "use_bidirectional_attention", None) is True
