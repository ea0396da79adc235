"""GGUF files as Hugging Face folders: transformers opens a file once, and the cache keeps what it read.

Opening takes transformers many seconds. The network, in float32 over the dequantised weights, and the tokenizer are
therefore saved as an ordinary model folder (540 MB for SmolLM2-135M), named after the file's sha256, from which every
later opening reads. ``TSE_KEEP_WEIGHTS=0`` removes the folder when the process ends.

What transformers leaves aside without a word is mended here or refused: some settings of the header, scaled positions,
the rule by which a tokenizer splits text into words, tensors that have no place in the network.
"""

import atexit
import hashlib
import io
import os
import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from tse_core.errors import InputError
from tse_core.models.folders import check_layers, quiet
from tse_core.models.identity import cached, file_digest
from tse_core.models.kinds.hugging_face import open_hugging_face
from tse_core.models.kinds.request import Request
from tse_core.models.language_model import LanguageModel
from tse_core.models.package_index import model_file, package_models
from tse_core.paths import cache_folder
from tse_core.progress import progress

if TYPE_CHECKING:
    from gguf import GGUFReader

READERS = ("gguf", "accelerate")  # what transformers reads these files with
ROTARY_DIVISORS = "rope_freqs.weight"
LLAMA_3 = {
    "rope_type": "llama3",
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
SETTINGS = {  # of the header, where transformers' tables lack them for some families: the configuration's attribute
    "attention.key_length": "head_dim",
    "context_length": "max_position_embeddings",
    "feed_forward_length": "n_inner",
}
SINGLE_DIGITS = ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b")
LIKE_GPT2 = ("gpt-2", "phi-2", "olmo", "mpt", "jais", "roberta-bpe", "gigachat", "mellum", "modern-bert")


def open_gguf(request: Request) -> LanguageModel | None:
    """The model of a ``.gguf`` file or of the Python package index; None for any other name. Raises InputError."""
    packaged = request.name in package_models()
    if not packaged and not request.name.lower().endswith(".gguf"):
        return None
    if request.revision or request.kind == "masked":
        raise InputError(f"{request.name} is a GGUF file of a causal model; it has no revision and cannot be masked")
    file = model_file(request.name) if packaged else Path(request.name)
    return open_hugging_face(request, str(converted_folder(file)), gguf=file)


def converted_folder(path: str | Path) -> Path:
    """The Hugging Face folder of a GGUF file; its config.json also says the file's `quantisation`.

    Raises
    ------
    InputError
        The file is missing, damaged, cut off, one part of several, of a family or with a setting that is not read; or
        a package that reads it is not installed; or the folder cannot be written.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    for package in READERS:
        if find_spec(package) is None:
            raise InputError(f"{path}: a GGUF file needs {package}, which is not installed: pip install {package}")
    readers = Path(__file__).read_bytes() + f"{version('gguf')} {version('transformers')}".encode()
    digest, made_by = cached([path], lambda: file_digest([path])), hashlib.sha256(readers).hexdigest()
    folder = cache_folder() / "gguf" / f"{digest[:16]}-{made_by[:8]}"
    if not _whole(folder):
        with progress(1, f"opening {path.name} for the first time") as advance:
            _keep(path, folder)
            advance(1)
        if os.environ.get("TSE_KEEP_WEIGHTS") == "0":
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _whole(folder: Path) -> bool:
    """Whether the folder holds what was written: the weights, the configuration, the tokenizer."""
    try:
        files = _written(folder)
        return bool(files) and cached(files, lambda: file_digest(files)) == (folder / "sha256").read_text("ascii")
    except (OSError, ValueError):
        return False


def _written(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.name != "sha256")


def _keep(path: Path, folder: Path) -> None:
    """Write the folder beside its place and move it there; folders of the same file that other versions made go."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            _convert(path, Path(made, "model"))
            for old in folder.parent.glob(f"{folder.name.partition('-')[0]}-*"):
                shutil.rmtree(old, ignore_errors=True)
            Path(made, "model").replace(folder)
    except OSError as error:
        if not _whole(folder):  # else another process was faster
            raise InputError(
                f"{path}: its weights in float32 cannot be kept in {folder.parent} ({error.strerror or error}); "
                "TSE_CACHE chooses the folder"
            ) from None


def _convert(path: Path, folder: Path) -> None:
    """Write the configuration, the network and the tokenizer of a GGUF file into a folder. Raises InputError."""
    import gguf
    from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

    models: Any = AutoModelForCausalLM
    where: dict[str, Any] = {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name}
    try:
        with quiet(), _remembered():
            header = gguf.GGUFReader(str(path))
            _check_header(path, header)
            config = AutoConfig.from_pretrained(**where)
            check_layers(str(path), config, len(header.tensors))
            _mend_config(path, config, header)
            tokenizer = PreTrainedTokenizerFast.from_pretrained(**where)
            _mend_tokenizer(path, tokenizer.backend_tokenizer, header)
            with redirect_stderr(io.StringIO()):  # a bar that no setting of transformers turns off
                network, report = models.from_pretrained(
                    **where, config=config, dtype=torch.float32, output_loading_info=True
                )
    except (InputError, MemoryError):
        raise
    except Exception as error:  # whatever the libraries raise for what a file says
        said = " ".join(str(error).split())[:200]
        raise InputError(
            f"{path}: no GGUF file of a language model that transformers can open, or damaged or cut off "
            f"({type(error).__name__}: {said})"
        ) from None
    _check_complete(path, network, report["missing_keys"], header)
    network.hf_quantizer = None  # the weights are plain numbers now
    vars(network.config).pop("quantization_config", None)  # transformers 5.0 has set none
    network.config.quantisation = _quantisation(header)
    with quiet():
        network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "sha256").write_text(file_digest(_written(folder)), "ascii")


@contextmanager
def _remembered() -> Iterator[None]:
    """Within this, the package gguf answers repeated questions from memory, and its reader notices where a file ends.

    transformers reads the header twice and builds the table of tensors' names for each layer, half of the time of an
    opening. The reader itself takes a list that is longer than the file for a list of nothing, without end.
    """
    import gguf

    class Reader(gguf.GGUFReader):
        def _get(self, offset, dtype, count=1, override_order=None):
            found = super()._get(offset, dtype, count, override_order)
            if len(found) < count:
                raise ValueError("the file ends within its header")
            return found

    package: Any = gguf
    former = package.GGUFReader, package.get_tensor_name_map
    package.GGUFReader, package.get_tensor_name_map = cache(Reader), cache(package.get_tensor_name_map)
    try:
        yield
    finally:
        package.GGUFReader, package.get_tensor_name_map = former


def _said(header: "GGUFReader", name: str) -> Any:
    """A value of the header, by its full name or by its name within the model's family; None where it is missing."""
    for full in (name, f"{header.fields['general.architecture'].contents()}.{name}"):
        if full in header.fields:
            return header.fields[full].contents()
    return None


def _check_header(path: Path, header: "GGUFReader") -> None:
    from gguf import GGUFEndian

    if header.endianess != GGUFEndian.LITTLE:
        raise InputError(f"{path}: is a big-endian GGUF file; only little-endian files are read")
    if (parts := _said(header, "split.count") or 1) != 1:
        raise InputError(
            f"{path}: is one of {parts} parts of a model; only whole files are read "
            "(llama.cpp's `llama-gguf-split --merge` joins the parts)"
        )
    if not header.tensors:
        raise InputError(f"{path}: holds a vocabulary but no weights, so there is no model to open")
    if (scaling := _said(header, "rope.scaling.type") or "none") != "none":
        raise InputError(f"{path}: its positions are scaled ({scaling!r}), which is not read from GGUF files")


def _mend_config(path: Path, config, header: "GGUFReader") -> None:
    """Take over what the header says and transformers' tables leave out."""
    for name, attribute in SETTINGS.items():
        if (value := _said(header, name)) is not None and attribute in vars(config) | config.attribute_map:
            setattr(config, attribute, value)
    rotary = getattr(config, "rope_parameters", None) or {}
    if "rope_theta" in rotary and (base := _said(header, "rope.freq_base")):
        rotary["rope_theta"] = base
    divisors = next((tensor.data for tensor in header.tensors if tensor.name == ROTARY_DIVISORS), None)
    if divisors is not None:  # Llama 3.1 and later; transformers wants the rule behind these numbers
        rotary |= LLAMA_3 | {"factor": float(np.max(divisors))}
        if not _explained(divisors, config):
            raise InputError(f"{path}: its {ROTARY_DIVISORS} is not the scaling of Llama 3, the only one that is read")


def _explained(divisors: np.ndarray, config) -> bool:
    """Whether the configuration's scaling divides the rotary frequencies by these numbers."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    scaled = ROPE_INIT_FUNCTIONS["llama3"](config, torch.device("cpu"))[0].numpy()
    plain = config.rope_parameters["rope_theta"] ** (-np.arange(len(scaled)) / len(scaled))
    return scaled.shape == divisors.shape and np.allclose(plain / scaled, divisors, rtol=1e-3)


def _mend_tokenizer(path: Path, backend, header: "GGUFReader") -> None:
    """Split text into words where the vocabulary's merges were learned: transformers knows most ways, not all."""
    from tokenizers import pre_tokenizers

    way = _said(header, "tokenizer.ggml.pre")
    if _said(header, "tokenizer.ggml.model") != "gpt2" or way is None:
        return
    if way in SINGLE_DIGITS:
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    elif way not in LIKE_GPT2 and "Split" not in repr(backend.pre_tokenizer):
        warnings.warn(f"{path}: words are split as GPT-2 does, because {way!r} is not known", stacklevel=2)


def _check_complete(path: Path, network, missing, header: "GGUFReader") -> None:
    """Every place in the network has its tensor, and every tensor its place. Raises InputError."""
    if missing:
        raise InputError(f"{path}: lacks {len(missing)} tensors of the network, e.g. {sorted(missing)[0]}")
    elsewhere = {ROTARY_DIVISORS} | ({"output.weight"} if network.config.tie_word_embeddings else set())
    stored = sum(int(tensor.n_elements) for tensor in header.tensors if tensor.name not in elsewhere)
    needed = sum(parameter.numel() for parameter in network.parameters())
    if stored != needed:
        raise InputError(f"{path}: holds {stored:,} weights, but the network that its header describes has {needed:,}")


def _quantisation(header: "GGUFReader") -> str:
    """How most weights are stored, e.g. "Q4_1", "Q4_K_M", "F16"."""
    from gguf import LlamaFileType

    try:
        stated = LlamaFileType(_said(header, "general.file_type"))
        if stated is not LlamaFileType.GUESSED:
            return stated.name.removeprefix("MOSTLY_").removeprefix("ALL_")
    except ValueError:
        pass
    weights: Counter[str] = Counter()
    for tensor in header.tensors:
        weights[tensor.tensor_type.name] += int(tensor.n_elements)
    return weights.most_common(1)[0][0]
