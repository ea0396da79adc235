"""Models in folders of Hugging Face's format: the files there, and the errors if they cannot be opened."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from tse_core.errors import InputError, warn
from tse_core.files import read_text
from tse_core.models.identity import tensor_types
from tse_core.paths import data_folder

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
SAMPLES = (  # of compatibility characters, accents and scripts, which a tokenizer splits as its file says
    "The keys to Zoë's cabinet, 1234 of them, aren't here.",
    "Wait… “Two” ﬁgs, ½ of № ２３; Ⅳ ｶﾞ ㎏ ™.",
    "Ve\u0301rite\u0301 \u212b Straße ΣΑΣ İstanbul Ǆ.",
    "Ключи здесь. لِلْمَفَاتِيحُ هنا۔ हैं क़लम। 大山上の中国人。 한국어 שָׁלוֹם ภาษาไทย ქართული",
)
REGEX = (
    "fix_mistral_regex"  # an option of transformers for tokenizers whose file has a faulty pattern
)
UNLEARNED = ("position_ids", "masked_bias", "inv_freq", "attn.bias", "attention.bias")  # constants
OF_ACTIVATIONS = re.compile(r"(input|output|[qkv])_(global_)?scale")  # they are not quantised here


def laboratory_models() -> list[str]:
    """Names of the models that come with the project."""
    return sorted(p.parent.name for p in (data_folder() / "models").glob("*/config.json"))


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files that a folder should hold, or that its index names, in order.

    Where there are both, transformers reads the one file. Raises InputError where the index names none beside it.
    """
    index = folder / INDEX
    if (folder / WEIGHTS).is_file() or not index.is_file():
        return [folder / WEIGHTS]
    try:
        files = [
            folder / file
            for file in sorted(set(json.loads(read_text(index))["weight_map"].values()))
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        files = []
    if not files or any(file.parent != folder for file in files):
        raise InputError(
            f"{index}: no index of weights; its weight_map names for each tensor a file beside it"
        )
    return files


def opened(name: str, folder: Path, auto: str, options: dict, said: list[str] | None = None) -> Any:
    """The object that a class of transformers (AutoConfig, ...) loads from a folder. Raises InputError.

    `said` gets the warnings of the library.
    """
    import torch
    import transformers

    try:
        with quiet(said):
            return getattr(transformers, auto).from_pretrained(folder, **options)
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:  # whatever the library raises for a bad file
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"{name} cannot be opened with {auto}: {reason}") from error


def opened_tokenizer(name: str, folder: Path, options: dict) -> tuple[Any, str | None]:
    """A folder's tokenizer, and the option of transformers that mends it, or None.

    The library's warnings are passed on. An option that it names is used, unless the vocabulary
    speaks against it: merges never cross the pieces into which a pattern cuts a text, so that the
    right pattern leaves no fewer entries whole. Raises InputError.
    """
    said: list[str] = []
    tokenizer, mended = opened(name, folder, "AutoTokenizer", options, said), None
    if any(REGEX in text for text in said):
        said = [text for text in said if REGEX not in text]
        other = opened(name, folder, "AutoTokenizer", options | {REGEX: True})
        if other.backend_tokenizer.to_str() != tokenizer.backend_tokenizer.to_str():
            fault = "transformers says that the pattern in its tokenizer.json is incorrect"
            if _left_whole(other) >= _left_whole(tokenizer):
                tokenizer, mended = other, REGEX
                said.append(f"{fault}, and offers {REGEX}=True, which is used")
            else:
                reason = "the entries of the vocabulary are those of this pattern"
                said.append(f"{fault}, and offers {REGEX}=True, which is not used: {reason}")
    for text in dict.fromkeys(said):
        warn(f"the tokenizer of {name}: {text}")
    return tokenizer, mended


def check_stored(name: str, tokenizer: Any, file: Path) -> None:
    """Raise InputError unless a tokenizer splits `SAMPLES` as a file tokenizer.json says."""
    stored = Tokenizer.from_file(str(file))
    for sample in SAMPLES:
        right = stored.encode(sample, add_special_tokens=False).ids
        if tokenizer(sample, add_special_tokens=False)["input_ids"] != right:
            raise InputError(
                f"the tokenizer of {name} splits {sample!r} otherwise than its tokenizer.json "
                f"says, as transformers makes a {type(tokenizer).__name__} of it; "
                "tokenizer_config.json may name another tokenizer_class "
                "(PreTrainedTokenizerFast reads the file as it is)"
            )


def _left_whole(tokenizer) -> int:
    """How many of the first 20,000 entries of the vocabulary (the most frequent ones) are one piece."""
    backend = tokenizer.backend_tokenizer
    vocabulary = backend.get_vocab(with_added_tokens=False)
    entries = sorted(vocabulary, key=vocabulary.__getitem__)[:20_000]
    texts = backend.decode_batch(
        [[vocabulary[entry]] for entry in entries], skip_special_tokens=False
    )
    whole = 0
    for entry, text in zip(entries, texts, strict=True):
        pieces = backend.pre_tokenizer.pre_tokenize_str(text)
        whole += len(pieces) == 1 and pieces[0][0].endswith(
            entry
        )  # a mark may be put before a text
    return whole


def shape_of(name: str, auto: str, config: Any, trust_remote_code: bool) -> Any:
    """A network on the device "meta", without weights, as a class of transformers makes it.

    Raises InputError.
    """
    import torch
    import transformers

    try:
        with quiet(), torch.device("meta"):
            return getattr(transformers, auto).from_config(
                config, trust_remote_code=trust_remote_code
            )
    except Exception as error:  # whatever the library raises
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"{name} cannot be opened with {auto}: {reason}") from error


def opened_network(name: str, folder: Path, auto: str, options: dict) -> Any:
    """As `opened`, for networks. The library's warnings are passed on.

    Raises InputError if weights and configuration do not match. transformers itself fills missing
    tensors with random numbers, ignores those of additional layers, and reads quantised weights as
    they are where config.json does not say how they are scaled.
    """
    quantised = getattr(options.get("config"), "quantization_config", None)
    types: dict[str, str] = {}
    for file in weight_files(folder):
        types |= tensor_types(file)
    if not quantised:
        _check_types(
            name, types, [tensor for tensor in types if "weight" in tensor.rpartition(".")[2]]
        )
    said: list[str] = []
    network, loading = opened(name, folder, auto, options | {"output_loading_info": True}, said)
    if missing := sorted(loading["missing_keys"]):
        raise InputError(
            f"{name}: the weights lack {len(missing)} of the tensors that config.json asks for, e.g. {missing[0]}"
        )
    if not quantised:
        _check_types(
            name, types, [tensor for tensor, _ in network.named_parameters() if tensor in types]
        )
    known = {re.sub(r"\d+", "#", tensor) for tensor in network.state_dict()}  # of any layer
    unexpected = sorted(loading["unexpected_keys"])
    if further := [tensor for tensor in unexpected if re.sub(r"\d+", "#", tensor) in known]:
        raise InputError(
            f"{name}: the weights have more layers than config.json says, e.g. {further[0]}"
        )
    for tensor in unexpected:
        unneeded = quantised and OF_ACTIVATIONS.fullmatch(tensor.rpartition(".")[2])
        if not unneeded and _inside_a_part(network, tensor):
            raise InputError(
                f"{name}: the weights have {tensor}, which belongs to a part of "
                f"{type(network).__name__} and has no place there, as a scale of quantised weights; "
                "save the weights dequantised and without adapters"
            )
    said = [text for text in said if "LOAD REPORT" not in text]  # a table of what is said here
    said += _unused(type(network).__name__, unexpected)
    for text in dict.fromkeys(said):
        warn(f"the weights of {name}: {text}")
    return network


def _unused(kind: str, tensors: list[str]) -> list[str]:
    """What is said of tensors without a place in a network of a kind: one line, or none."""
    tensors = [tensor for tensor in tensors if not tensor.endswith(UNLEARNED)]
    parts = list(
        dict.fromkeys(re.sub(r"\d+", "#", tensor).rpartition(".")[0] for tensor in tensors)
    )
    if not parts:
        return []
    shown = ", ".join(parts[:4]) + ", ..." * (len(parts) > 4)
    return [f"{len(tensors)} tensors have no place in {kind} and are not used ({shown})"]


def _inside_a_part(network, tensor: str) -> bool:
    """Whether a tensor stands beside the parameters of a part, or below a part that has no parts."""
    places = dict(network.named_modules())
    parent, _, _ = tensor.rpartition(".")
    above = parent
    while above:
        part: Any = places.get(above) or places.get(f"{network.base_model_prefix}.{above}")
        weights = [] if part is None else list(part.parameters(recurse=False))
        if weights and (above == parent or not any(part.children())):
            return True
        above, _, _ = above.rpartition(".")
    return False


def _check_types(name: str, types: dict[str, str], tensors: list[str]) -> None:
    """Raise InputError for tensors, all of them weights, that are integers or of 8 bits or fewer."""
    other = [tensor for tensor in tensors if types[tensor] not in ("F64", "F32", "F16", "BF16")]
    if other:
        raise InputError(
            f"{name}: {len(other)} weights are stored as {types[other[0]]}, e.g. {other[0]}, and "
            "config.json has no quantization_config that says how they are scaled; save them "
            "dequantised (float32, float16 or bfloat16)"
        )


@contextmanager
def quiet(said: list[str] | None = None) -> Iterator[None]:
    """Within this, transformers writes no warning and draws no progress bar.

    `said` gets its warnings, a line each; without it they are not made.
    """
    from transformers.utils import logging as library

    level, bars = library.get_verbosity(), library.is_progress_bar_enabled()
    root = logging.getLogger("transformers")
    handlers = root.handlers
    library.set_verbosity(logging.ERROR)
    library.disable_progress_bar()
    if said is not None:
        library.set_verbosity(logging.WARNING)
        root.handlers = [_Heard(said)]
    try:
        yield
    finally:
        root.handlers = handlers
        library.set_verbosity(level)
        if bars:
            library.enable_progress_bar()


class _Heard(logging.Handler):
    """Keeps what is logged as lines of text."""

    def __init__(self, said: list[str]):
        super().__init__()
        self.said = said

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(" ".join(record.getMessage().split()))
