"""Models in folders of Hugging Face's format: their files, and the errors where these are bad."""

import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from tse_core.errors import InputError, one_line, parsing, warn
from tse_core.files import is_file, read_json_object, read_text
from tse_core.limits import check_file
from tse_core.models.identity import tensor_types
from tse_core.models.tokenizing import readable_text
from tse_core.paths import data_folder

WEIGHTS = "model.safetensors"
# Files that transformers reads whole.
SETTINGS = (
    "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json", "generation_config.json", "vocab.json", "merges.txt", "vocab.txt",
    "tokenizer.model", "chat_template.jinja",
)  # fmt: skip
INDEX = "model.safetensors.index.json"
COUNTS = re.compile(r"(n|num)_(\w+_)?(label|layer|head|expert)s?")  # keys of config.json
MOST_PARTS = 50_000  # of one kind, such as labels
NORMALISER = re.compile(r'"normalizer"\s*:\s*')  # a key of tokenizer.json, or a token before its id
MOST_GROWTH = 100  # characters that a normaliser may make of one
# Compatibility characters, accents and scripts, which a tokenizer splits as its file says.
SAMPLES = (
    "The keys to Zoë's cabinet, 1234 of them, aren't here.",
    "Wait… “Two” ﬁgs, ½ of № ２３; Ⅳ ｶﾞ ㎏ ™.",
    "Ve\u0301rite\u0301 \u212b Straße ΣΑΣ İstanbul Ǆ.",
    "Ключи здесь. لِلْمَفَاتِيحُ هنا۔ हैं क़लम। 大山上の中国人。 한국어 שָׁלוֹם ภาษาไทย ქართული",
)
# White space and marks, where the library's own classes differ from the files of some models.
MARKS = (
    "a  b   c",
    "Who left?\n\nThe guests\tran",
    "well-known -x",
    "''No'' he said, ``yes''",
)
# An option of transformers for tokenizers whose file has a faulty pattern.
REGEX = "fix_mistral_regex"
# Classes of tokenizers that do what tokenizer.json says.
AS_STORED = ("PreTrainedTokenizerFast", "TokenizersBackend")
FLOATS = ("F64", "F32", "F16", "BF16")  # as safetensors files write them
# Endings of tensors that hold constants, which a network computes itself.
UNLEARNED = ("position_ids", "masked_bias", "inv_freq", "attn.bias", "attention.bias")
# Scales of activations, which are not quantised here.
OF_ACTIVATIONS = re.compile(r"(input|output|[qkv])_(global_)?scale")


def laboratory_models() -> list[str]:
    """Names of the models that come with the project."""
    configurations = (data_folder() / "models").glob("*/config.json")
    return sorted(file.parent.name for file in configurations)


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files that a folder should hold, or that its index names, in order.

    Where there are both, transformers reads the one file. Raises InputError where the index names
    none beside it.
    """
    index = folder / INDEX
    if (folder / WEIGHTS).is_file() or not index.is_file():
        return [folder / WEIGHTS]
    try:
        names = set(read_json_object(index)["weight_map"].values())
        files = [folder / name for name in sorted(names)]
    except (InputError, KeyError, TypeError, AttributeError):
        files = []
    if not files or any(file.parent != folder for file in files):
        raise InputError(
            f"{index}: no index of weights; its weight_map names for each tensor a file beside it"
        )
    return files


def open_with(
    name: str, folder: Path, auto_class: str, options: dict, messages: list[str] | None = None
) -> Any:
    """The object that a class of transformers (AutoConfig, ...) loads from a folder.

    The library's warnings are appended to `messages`. Raises InputError.
    """
    import transformers

    with parsing(f"{name} cannot be opened with {auto_class}"), quiet(messages):
        return getattr(transformers, auto_class).from_pretrained(folder, **options)


def check_settings(folder: Path) -> None:
    """Raise InputError for settings with which the libraries would fill the memory, or never end.

    A file of them may be a device, or larger than the limit; config.json may count parts by the
    million (num_labels), each of which gets a name; and tokenizer.json may have a normaliser whose
    steps put a text in the place of each letter, again and again.
    """
    for name in SETTINGS:
        check_file(folder / name, pipe=False)
    configuration = folder / "config.json"
    if is_file(configuration):
        _check_counts(configuration, read_json_object(configuration))
    tokenizer = folder / "tokenizer.json"
    if is_file(tokenizer) and _growth_in(read_text(tokenizer)) > MOST_GROWTH:
        raise InputError(
            f"{tokenizer}: its normaliser may make more than {MOST_GROWTH} characters of one"
        )


def _check_counts(file: Path, settings: dict) -> None:
    """Raise InputError where settings, or a part of them, count parts as no model has them."""
    for key, value in settings.items():
        if isinstance(value, dict):
            _check_counts(file, value)
        is_count = COUNTS.fullmatch(key) and isinstance(value, int)
        if is_count and not 0 <= value <= MOST_PARTS:
            raise InputError(f"{file}: {key} is {one_line(value, 40)}, as in no model")


def _growth_in(tokenizer: str) -> int:
    """The most characters that a normaliser in the text of a tokenizer.json makes of one.

    It is decoded alone: to decode a large vocabulary beside it takes a second or two.
    """
    growth = 1
    for key in NORMALISER.finditer(tokenizer):
        with suppress(ValueError, RecursionError):  # the library says what is wrong with the file
            normaliser, _ = json.JSONDecoder().raw_decode(tokenizer, key.end())
            growth = max(growth, _growth(normaliser))
    return growth


def _growth(normaliser: Any) -> int:
    """The most characters that the replacements of a normaliser make of one, up to a limit."""
    if not isinstance(normaliser, dict):
        return 1
    growth = max(1, len(str(normaliser.get("content", ""))))
    steps = normaliser.get("normalizers")
    if isinstance(steps, list):
        for step in steps:
            growth = min(growth * _growth(step), MOST_GROWTH + 1)
    return growth


def missing_weights(name: str, folder: Path, file: Path) -> InputError:
    """The error for a folder without a file of weights: what it has instead, and the remedy."""
    # What lies there instead says which mistake it was.
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    others = sorted(other for other in names if other.endswith(".safetensors"))
    shards = [other for other in others if re.search(r"-of-\d+\.safetensors$", other)]
    remedy = "weights are read from safetensors only"
    if shards and INDEX not in names:
        remedy = (
            f"it has {shards[0]}, and {INDEX} is missing, which names the tensors of each file; "
            "take all of them from where the model comes from"
        )
    elif shards:
        remedy = f"{INDEX} names it; take it from where the model comes from"
    elif any(other.startswith("consolidated") for other in others):
        remedy = (
            "its consolidated.safetensors has the tensors' names of the makers' own code; take the "
            "files in Hugging Face's format (model.safetensors)"
        )
    elif len(others) == 1 and others[0] != file.name:
        remedy = f"if {others[0]} holds the weights, call it {WEIGHTS}"
    elif any(other.startswith("pytorch_model") for other in names):
        remedy = (
            f"{remedy}, and its pytorch_model.bin is a pickle; convert it once: python -c "
            '"from transformers import AutoModelForCausalLM as M; '
            f"M.from_pretrained('{folder}').save_pretrained('{folder}')\" "
            "(AutoModelForMaskedLM for a masked model); weights of which that says that they are "
            "newly initialized are random, as the file lacks them"
        )
    elif any(other.endswith(".onnx") for other in names):
        remedy += ", and not from ONNX"
    return InputError(f"{name} holds no {file.name}; {remedy}")


# Where a folder names code of its own, and for what the scores depend on it.
_OWN_CODE = {
    "config.json": ("AutoConfig", "AutoModelForCausalLM", "AutoModelForMaskedLM"),
    "tokenizer_config.json": ("AutoTokenizer",),
}


def check_own_code(name: str, folder: Path) -> None:
    """Raise InputError where a folder's files name code beside them for its model or tokenizer.

    transformers would take its own class of the same type, which may give other numbers, or ask
    for an option of its own. Code for other tasks, such as classification, does not matter.
    """
    for file_name, keys in _OWN_CODE.items():
        file = folder / file_name
        classes = read_json_object(file).get("auto_map") if file.is_file() else None
        if not isinstance(classes, dict):
            continue
        for key in keys:
            if key in classes:
                raise InputError(
                    f"{name} comes with code of its own, which --trust-remote-code "
                    "(trust_remote_code=True) runs, with all rights that you have, so read it "
                    f"first: {file_name} names {classes[key]} as {key}, and without it numbers may "
                    "be others"
                )


def open_tokenizer(name: str, folder: Path, options: dict) -> tuple[Any, str | None]:
    """A folder's tokenizer, and the option of transformers that mends it, or None.

    The library's warnings are passed on. An option that it names is used, unless the vocabulary
    speaks against it: merges never cross the pieces into which a pattern cuts a text, so that the
    right pattern leaves no fewer entries whole. Raises InputError.
    """
    messages: list[str] = []
    tokenizer = open_with(name, folder, "AutoTokenizer", options, messages)
    mended = None
    if any(REGEX in text for text in messages):
        # The library's advice is replaced by one line on whether it is followed.
        messages = [text for text in messages if REGEX not in text]
        other = open_with(name, folder, "AutoTokenizer", options | {REGEX: True})
        if other.backend_tokenizer.to_str() != tokenizer.backend_tokenizer.to_str():
            fault = "transformers says that the pattern in its tokenizer.json is incorrect"
            if _entries_in_one_piece(other) >= _entries_in_one_piece(tokenizer):
                tokenizer, mended = other, REGEX
                messages.append(f"{fault}, and offers {REGEX}=True, which is used")
            else:
                reason = "the entries of the vocabulary are those of this pattern"
                messages.append(f"{fault}, and offers {REGEX}=True, which is not used: {reason}")
    for text in dict.fromkeys(messages):
        warn(f"the tokenizer of {name}: {text}")
    return tokenizer, mended


def check_stored(name: str, tokenizer: Any, file: Path) -> None:
    """Raise InputError unless a tokenizer splits `SAMPLES` as a file tokenizer.json says.

    Warns where it splits some of `MARKS` otherwise.
    """
    stored = Tokenizer.from_file(str(file))
    cause = (
        f"otherwise than its tokenizer.json says, as transformers makes a "
        f"{type(tokenizer).__name__} of it; tokenizer_config.json may name another "
        "tokenizer_class (PreTrainedTokenizerFast reads the file as it is)"
    )
    different = []
    with readable_text(name):
        # Words that are split otherwise are other input; white space and marks are worth a warning.
        for sample in SAMPLES:
            if not _is_split_alike(tokenizer, stored, sample):
                raise InputError(f"the tokenizer of {name} splits {sample!r} {cause}")
        for text in MARKS:
            if not _is_split_alike(tokenizer, stored, text):
                different.append(repr(text))
    if different:
        warn(f"the tokenizer of {name} splits {' and '.join(different)} {cause}")


def as_stored(name: str, tokenizer: Any, folder: Path, options: dict) -> Any:
    """The tokenizer, or the one that reads tokenizer.json as it is where the folder asks for that.

    For some types of models (qwen2) transformers makes a tokenizer of their own, whatever class
    tokenizer_config.json names. Raises InputError.
    """
    file = folder / "tokenizer_config.json"
    if not file.is_file() or read_json_object(file).get("tokenizer_class") not in AS_STORED:
        return tokenizer
    if type(tokenizer).__name__ in AS_STORED:
        return tokenizer
    stored = Tokenizer.from_file(str(folder / "tokenizer.json"))
    with readable_text(name):
        if all(_is_split_alike(tokenizer, stored, text) for text in (*SAMPLES, *MARKS)):
            return tokenizer
    return open_with(name, folder, "PreTrainedTokenizerFast", options)


def _is_split_alike(tokenizer: Any, stored: Tokenizer, text: str) -> bool:
    """Whether a tokenizer of transformers gives a text the ids that the stored one gives it."""
    ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    return ids == stored.encode(text, add_special_tokens=False).ids


def _entries_in_one_piece(tokenizer: Any) -> int:
    """How many of the vocabulary's first 20,000 entries, the most frequent ones, are one piece."""
    backend = tokenizer.backend_tokenizer
    vocabulary = backend.get_vocab(with_added_tokens=False)
    entries = sorted(vocabulary, key=vocabulary.__getitem__)[:20_000]
    sequences = [[vocabulary[entry]] for entry in entries]
    texts = backend.decode_batch(sequences, skip_special_tokens=False)
    count = 0
    for entry, text in zip(entries, texts, strict=True):
        pieces = backend.pre_tokenizer.pre_tokenize_str(text)
        # A tokenizer may put a mark before a text, which the entry lacks.
        if len(pieces) == 1 and pieces[0][0].endswith(entry):
            count += 1
    return count


def shape_of(name: str, auto_class: str, config: Any, trust_remote_code: bool) -> Any:
    """A network on the device "meta", without weights, as a class of transformers makes it.

    Raises InputError.
    """
    import torch
    import transformers

    with parsing(f"{name} cannot be opened with {auto_class}"), quiet(), torch.device("meta"):
        return getattr(transformers, auto_class).from_config(
            config, trust_remote_code=trust_remote_code
        )


def open_network(name: str, folder: Path, auto_class: str, options: dict) -> Any:
    """As `open_with`, for networks. The library's warnings are passed on.

    Raises InputError if weights and configuration do not match. transformers itself fills missing
    tensors with random numbers, ignores those of additional layers, and reads quantised weights as
    they are where config.json does not say how they are scaled.
    """
    config = options.get("config")
    is_quantised = bool(getattr(config, "quantization_config", None))
    types = _types_of_weights(name, folder)
    # Before loading: the library may fail on such weights with an error of its own.
    if not is_quantised:
        weights = [tensor for tensor in types if "weight" in tensor.rpartition(".")[2]]
        _check_types(name, types, weights)
    _check_layers(name, config, len(types))
    messages: list[str] = []
    # Tensors of other shapes are counted, too, rather than listed in a table that is not shown.
    options = options | {"output_loading_info": True, "ignore_mismatched_sizes": True}
    network, loading = open_with(name, folder, auto_class, options, messages)
    _check_loaded(name, network, loading, types, is_quantised)
    # The library's table of tensors is replaced by one line.
    messages = [text for text in messages if "LOAD REPORT" not in text]
    messages += _unused(type(network).__name__, sorted(loading["unexpected_keys"]))
    for text in dict.fromkeys(messages):
        warn(f"the weights of {name}: {text}")
    return network


def _types_of_weights(name: str, folder: Path) -> dict[str, str]:
    """The type of each tensor in a folder's files. Raises InputError for one in two files."""
    types: dict[str, str] = {}
    for file in weight_files(folder):
        types_of_file = tensor_types(file)
        for tensor in types.keys() & types_of_file.keys():
            raise InputError(f"{name}: two of its files of weights hold {tensor}; keep one of them")
        types |= types_of_file
    return types


def _check_loaded(
    name: str, network: Any, loading: Mapping[str, Any], types: dict[str, str], is_quantised: bool
) -> None:
    """Raise InputError where a network is not what its files and its configuration say.

    `loading` is the library's report: the tensors of another shape, without a value, without a
    place. `types` are those of all tensors in the files.
    """
    _check_shapes(name, sorted(loading["mismatched_keys"]))
    _check_missing(name, sorted(loading["missing_keys"]))
    # Parameters that are not called weights have not been looked at before loading.
    if not is_quantised:
        parameters = [tensor for tensor, _ in network.named_parameters() if tensor in types]
        _check_types(name, types, parameters)
    _check_unexpected(name, network, sorted(loading["unexpected_keys"]), is_quantised)
    _check_prefixes(name, network.base_model_prefix, types)


def _check_layers(name: str, config: Any, tensors: int) -> None:
    """Raise InputError for a configuration without layers, or with more than its files' tensors."""
    if config is None:
        return
    layers = getattr(config.get_text_config(), "num_hidden_layers", 1)
    if not isinstance(layers, int) or not 1 <= layers <= tensors:
        raise InputError(
            f"{name}: config.json says {layers!r} layers, and its files hold {tensors:,} tensors"
        )


def _check_shapes(name: str, mismatched: list[tuple]) -> None:
    """Raise InputError where the files' tensors have other shapes than those of the network.

    `mismatched` has name, shape in the file and shape in the network of each.
    """
    if mismatched:
        tensor, stored, expected = mismatched[0]
        raise InputError(
            f"{name}: {len(mismatched)} tensors have other shapes than config.json says, e.g. "
            f"{tensor}: {tuple(stored)} in the file, {tuple(expected)} by config.json; save model "
            "and configuration together (save_pretrained), as after resize_token_embeddings"
        )


def _check_prefixes(name: str, prefix: str, tensors: Collection[str]) -> None:
    """Raise InputError for a tensor that stands there twice, with the base model's prefix and not.

    It depends on their order which of the two is read.
    """
    for tensor in tensors:
        if f"{prefix}.{tensor}" in tensors:
            raise InputError(
                f"{name}: the weights have both {tensor} and {prefix}.{tensor}, which are the same "
                "tensor of its network; keep one of them"
            )


def _check_missing(name: str, missing: list[str]) -> None:
    """Raise InputError where the files lack tensors of the network."""
    if missing:
        raise InputError(
            f"{name}: the weights lack {len(missing)} of the tensors that config.json asks for, "
            f"e.g. {missing[0]}"
        )


def _check_unexpected(name: str, network: Any, unexpected: list[str], is_quantised: bool) -> None:
    """Raise InputError where tensors without a place in the network would change its numbers."""
    names = {_of_any_layer(tensor) for tensor in network.state_dict()}
    parts = _parts_of(network)
    # Layers that the configuration does not count would change every number.
    further = []
    for tensor in unexpected:
        if _of_any_layer(tensor) in names or _behind_a_list(parts, tensor):
            further.append(tensor)
    if further:
        raise InputError(
            f"{name}: the weights have more layers than config.json says, e.g. {further[0]}"
        )
    for tensor in unexpected:
        # Inside a part, a tensor without a place is something that the part computes with.
        is_unneeded = is_quantised and OF_ACTIVATIONS.fullmatch(tensor.rpartition(".")[2])
        if not is_unneeded and _inside_a_part(parts, tensor):
            raise InputError(
                f"{name}: the weights have {tensor}, which belongs to a part of "
                f"{type(network).__name__} and has no place there, as a scale of quantised "
                "weights; save the weights dequantised and merged"
            )


def _parts_of(network: Any) -> dict[str, Any]:
    """The parts of a network by their names, with and without the base model's prefix.

    A file of the base model alone leaves out the prefix.
    """
    parts = dict(network.named_modules())
    prefix = f"{network.base_model_prefix}."
    of_base = {name.removeprefix(prefix): part for name, part in parts.items()}
    return of_base | parts


def _behind_a_list(parts: Mapping[str, Any], tensor: str) -> bool:
    """Whether a tensor is of a layer behind the last one of a list, which may be empty."""
    numbered = re.match(r"(.+?)\.(\d+)\.", tensor)
    if numbered is None:
        return False
    part: Any = parts.get(numbered[1])
    return type(part).__name__ == "ModuleList" and int(numbered[2]) >= len(part)


def _of_any_layer(tensor: str) -> str:
    """The name of a tensor without the number of its layer."""
    return re.sub(r"\d+", "#", tensor)


def _unused(network_class: str, tensors: list[str]) -> list[str]:
    """The warning of tensors without a place in a network: one line, or none."""
    learned = [tensor for tensor in tensors if not tensor.endswith(UNLEARNED)]
    parts = [_of_any_layer(tensor).rpartition(".")[0] for tensor in learned]
    parts = list(dict.fromkeys(parts))
    if not parts:
        return []
    examples = ", ".join(parts[:4])
    if len(parts) > 4:
        examples += ", ..."
    return [
        f"{len(learned)} tensors have no place in {network_class} and are not used ({examples})"
    ]


def _inside_a_part(parts: Mapping[str, Any], tensor: str) -> bool:
    """Whether a tensor without a place of its own belongs to a part that has parameters.

    Either it stands beside these parameters, or below them, where the part has no further parts:
    q_proj.scale, and q_proj.lora.weight, beside q_proj.weight.
    """
    parent, _, _ = tensor.rpartition(".")
    above = parent
    while above:
        part: Any = parts.get(above)
        weights = [] if part is None else list(part.parameters(recurse=False))
        if weights and (above == parent or not any(part.children())):
            return True
        above, _, _ = above.rpartition(".")
    return False


def _check_types(name: str, types: dict[str, str], tensors: list[str]) -> None:
    """Raise InputError for weights that are integers or of 8 bits or fewer."""
    other = [tensor for tensor in tensors if types[tensor] not in FLOATS]
    if other:
        raise InputError(
            f"{name}: {len(other)} weights are stored as {types[other[0]]}, e.g. {other[0]}, and "
            "config.json has no quantization_config that says how they are scaled; save them "
            "dequantised (float32, float16 or bfloat16)"
        )


@contextmanager
def quiet(messages: list[str] | None = None) -> Iterator[None]:
    """Within this, transformers writes no warning and draws no progress bar.

    Its warnings are appended to `messages`, a line each; without it they are not made.
    """
    from transformers.utils import logging as library

    # All of it is put back at the end, as the library belongs to the user, too.
    level = library.get_verbosity()
    has_bars = library.is_progress_bar_enabled()
    root = logging.getLogger("transformers")
    handlers = root.handlers
    library.set_verbosity(logging.ERROR)
    library.disable_progress_bar()
    if messages is not None:
        library.set_verbosity(logging.WARNING)
        root.handlers = [_Listener(messages)]
    try:
        yield
    finally:
        root.handlers = handlers
        library.set_verbosity(level)
        if has_bars:
            library.enable_progress_bar()


class _Listener(logging.Handler):
    """A handler that appends each record to a list, as one line of text."""

    def __init__(self, messages: list[str]):
        super().__init__()
        self.messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(one_line(record.getMessage()))
