"""Hugging Face models from a folder, the hub or memory.

`open_hugging_face` opens one by its name, `open_module` one that is in memory already. Both check
that network and tokenizer belong together. The tokenizer is opened at once, the weights when they
are needed.
"""

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tse_core.errors import InputError, warn
from tse_core.models.backend import Source
from tse_core.models.document_tokens import document_bos, reads_none
from tse_core.models.folders import (
    SAMPLES,
    as_stored,
    check_own_code,
    check_settings,
    check_stored,
    open_tokenizer,
    open_with,
)
from tse_core.models.hugging_face_network import HuggingFaceNetwork, NetworkInMemory
from tse_core.models.kinds import is_shifted, kind_of
from tse_core.models.language_model import Kind, KindRequest, LanguageModel
from tse_core.models.network_in_files import NetworkInFiles
from tse_core.models.sources import source_of
from tse_core.models.tokenizing import added_by, encoded

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

# Masked families that read a space before a first word.
SPACED = ("roberta", "xlm-roberta", "camembert", "longformer")


def open_module(
    module: Any,
    *,
    tokenizer: Any = None,
    kind: KindRequest | None = None,
    bos: str = "default",
    name: str | None = None,
    fingerprint: str | None = None,
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
    if fingerprint is not None and not str(fingerprint).strip():
        raise InputError("fingerprint is empty; it is a word of your own, such as 'run-7'")
    label = name or _label_in_memory(module)
    kind_read, shifted = _kind_and_shift(label, module.config, kind)
    check_tokenizer(label, tokenizer, kind_read, module.config)
    network = NetworkInMemory(module, causal=kind_read == "causal", word=fingerprint)
    return _language_model(
        label, kind_read, tokenizer, network, module.config, bos, shifted=shifted
    )


def _kind_and_shift(
    name: str, config: "PreTrainedConfig", kind: KindRequest | None
) -> tuple[Kind, bool]:
    """The kind of a model, and whether masks are predicted at the position before them.

    Raises InputError.
    """
    if kind == "mntp" or (kind is None and is_shifted(config)):
        return kind_of(name, config, "masked"), True
    return kind_of(name, config, kind), False


def _takes_input_ids(module: Any) -> bool:
    """Whether a module's forward takes `input_ids` by keyword."""
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.name == "input_ids" or parameter.kind == parameter.VAR_KEYWORD:
            return True
    return False


def _has_configuration(module: Any) -> bool:
    """Whether a module has a configuration of transformers, which knows its vocabulary's size."""
    return hasattr(getattr(module, "config", None), "get_text_config")


def _label_in_memory(module: Any) -> str:
    """What tables call a module without a name: the folder that it was read from, or its class."""
    origin = getattr(module.config, "_name_or_path", "") or type(module).__name__
    return Path(str(origin)).name


def open_hugging_face(
    name: str,
    *,
    kind: KindRequest | None,
    device: str,
    dtype: str,
    revision: str | None,
    bos: str,
    trust_remote_code: bool,
) -> LanguageModel:
    """A model in a folder or on the hub, or whose `Source` a plug-in gives. Raises InputError."""
    source = source_of(name, revision)
    options = {"trust_remote_code": trust_remote_code, "local_files_only": not trust_remote_code}
    check_settings(source.folder)
    if not trust_remote_code:
        check_own_code(name, source.folder)
    config = open_with(name, source.folder, "AutoConfig", options)
    if getattr(config, "transformers_weights", None):
        raise InputError(
            f"{name}: config.json names other files of weights (transformers_weights); "
            "remove that line"
        )
    settings = getattr(config, "quantization_config", None) or {}
    if settings and "quant_method" not in settings:
        raise InputError(
            f"{name}: quantization_config in config.json names no quant_method, as MLX writes it; "
            "its packed weights are not read here: take the weights that they were made from"
        )
    sparse = getattr(config, "attention_type", None) == "block_sparse"
    if sparse:
        # BigBird turns its sparse attention off for good when it reads a short text.
        config.attention_type = "original_full"
    kind_read, shifted = _kind_and_shift(name, config, kind)
    tokenizer, mended = _tokenizer_of(source, kind_read, config, options)
    network = NetworkInFiles(
        source, config, causal=kind_read == "causal", device=device, dtype=dtype, options=options
    )
    # Quantised weights name the library that quantised them.
    further = {
        "quantised": settings.get("quant_method"),
        **source.policies,
        "revision": revision,
        "tokenizer": mended,
        "attention": "full" if sparse else None,
    }
    origin = {policy: value for policy, value in further.items() if value}
    return _language_model(
        name, kind_read, tokenizer, network, config, bos, origin, shifted=shifted
    )


def _tokenizer_of(
    source: Source, kind: Kind, config: "PreTrainedConfig", options: dict
) -> tuple[Any, str | None]:
    """The tokenizer of a model, checked, and the option of transformers that mends it, or None.

    Raises InputError, also where a file of weights is missing.
    """
    folder = source.tokenizer_folder or source.folder
    tokenizer, mended = open_tokenizer(source.name, folder, options)
    # Files that are missing altogether are the plainer mistake, and named first.
    source.check_files()
    check_tokenizer(source.name, tokenizer, kind, config)
    file = folder / "tokenizer.json"
    if file.is_file() and not mended:  # a mended tokenizer differs from its file
        tokenizer = as_stored(source.name, tokenizer, folder, options)
        check_stored(source.name, tokenizer, file)
    return tokenizer, mended


def _language_model(
    name: str,
    kind: Kind,
    tokenizer: Any,
    network: HuggingFaceNetwork,
    config: "PreTrainedConfig",
    bos: str,
    origin: Mapping[str, str] | None = None,
    *,
    shifted: bool = False,
) -> LanguageModel:
    """The model of a network and a tokenizer; `origin` is that of `LanguageModel`.

    Warns where nothing is read before a sentence and nobody chose that.
    """
    document_token = None
    space = False
    if kind == "causal":
        document_token = document_bos(config, tokenizer)
        is_chosen = bos != "default" or reads_none(config)
        if not (is_chosen or document_token or added_by(tokenizer)):
            warn(
                f"{name} reads no BOS token: its tokenizer adds none, and has none as a special "
                "token but for chat; bos names another one (--bos), or 'none'"
            )
    else:
        # "Ġthe" shows a tokenizer of GPT-2's kind, whose first word is another without a space.
        space = config.model_type in SPACED and "Ġthe" in tokenizer.get_vocab()
    return LanguageModel(
        name,
        kind,
        tokenizer,
        network,
        bos=bos,
        space=space,
        document_bos=document_token,
        shifted=shifted,
        origin=origin or {},
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
    if _replaces_capitals(tokenizer):
        raise InputError(
            f"the tokenizer of {name} reads 'A' as {_of_capital(tokenizer)!r}, and its "
            "vocabulary has capitals: tokenizer_config.json is missing, or lacks "
            "do_lower_case: false"
        )
    if not _keeps_text(name, tokenizer):
        raise InputError(
            f"the tokenizer of {name} leaves a text out, or repeats it: the template in its "
            "tokenizer.json (post_processor) must have the sequence A once"
        )
    if kind == "masked" and (tokenizer.mask_token is None or tokenizer.mask_token_id >= size):
        raise InputError(
            f"{name} has no mask token, so it cannot be read as a masked model; use kind='causal'"
        )


def _keeps_text(name: str, tokenizer: Any) -> bool:
    """Whether the tokens of a text are those of its characters, from the first to the last.

    A list of words that has no token for unknown ones, and cannot read the samples, keeps those
    that it has: reading any other says so.
    """
    try:
        encoding = encoded(name, tokenizer, " ".join(SAMPLES), return_offsets_mapping=True)
    except InputError:
        return True
    starts = [start for start, _ in encoding["offset_mapping"]]
    return bool(starts) and starts == sorted(starts)


def _of_capital(tokenizer: Any) -> str:
    """What a tokenizer makes of the capital A before it splits it."""
    normalizer = tokenizer.backend_tokenizer.normalizer
    return normalizer.normalize_str("A") if normalizer else "A"


def _replaces_capitals(tokenizer: Any) -> bool:
    """Whether a tokenizer replaces capitals, which its vocabulary has, as by small letters."""
    if "A" in _of_capital(tokenizer):
        return False
    words = tokenizer.get_vocab().keys() - tokenizer.added_tokens_encoder.keys()
    return any(re.fullmatch("[A-Z][a-z]+", word) for word in words)
