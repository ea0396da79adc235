"""GGUF files as Hugging Face folders: transformers opens a file once, and the cache keeps what it read.

Opening takes transformers many seconds. The network, in float32 over the dequantised weights, and the tokenizer are
therefore saved as an ordinary model folder (540 MB for SmolLM2-135M), named after the file's sha256, from which every
later opening reads. ``TSE_KEEP_WEIGHTS=0`` removes the folder when the process ends.
"""

import atexit
import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from tse_core.errors import InputError
from tse_core.models.folders import check_layers, quiet
from tse_core.models.identity import cached, file_digest
from tse_core.models.kinds import gguf_header
from tse_core.models.kinds.hugging_face import open_hugging_face
from tse_core.models.kinds.request import Request
from tse_core.models.language_model import LanguageModel
from tse_core.models.package_index import model_file
from tse_core.models.packages import package_models
from tse_core.paths import cache_folder
from tse_core.progress import progress


def open_gguf(request: Request) -> LanguageModel:
    """The model of a ``.gguf`` file, or of the Python package index, whose packages hold one. Raises InputError."""
    if request.revision or request.kind == "masked":
        raise InputError(f"{request.name} is a GGUF file of a causal model; it has no revision and cannot be masked")
    file = model_file(request.name) if request.name in package_models() else Path(request.name)
    return open_hugging_face(request, str(converted_folder(file)), gguf=file)


def converted_folder(path: str | Path) -> Path:
    """The Hugging Face folder of a GGUF file; its config.json also says the file's `quantisation`.

    Raises InputError where the file is missing, damaged, one part of several, of a family or with a setting that is not
    read, or the folder cannot be written.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    readers = (
        Path(__file__).read_bytes()
        + Path(gguf_header.__file__).read_bytes()
        + f"{version('gguf')} {version('transformers')}".encode()
    )
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
    """Write the folder next to its place, then move it there; those of the file by other versions are removed."""
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
            gguf_header.check(path, header)
            config = AutoConfig.from_pretrained(**where)
            check_layers(str(path), config, len(header.tensors))
            gguf_header.mend_config(path, config, header)
            tokenizer = PreTrainedTokenizerFast.from_pretrained(**where)
            gguf_header.mend_tokenizer(path, tokenizer.backend_tokenizer, header)
            with redirect_stderr(io.StringIO()):  # a progress bar that no setting of transformers disables
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
    gguf_header.check_complete(path, network, report["missing_keys"], header)
    network.hf_quantizer = None  # the weights are plain numbers now
    vars(network.config).pop("quantization_config", None)  # transformers 5.0 has set none
    network.config.quantisation = gguf_header.quantisation(header)
    with quiet():
        network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "sha256").write_text(file_digest(_written(folder)), "ascii")


@contextmanager
def _remembered() -> Iterator[None]:
    """Within this, the package gguf answers repeated questions from memory, and its reader notices where a file ends.

    transformers reads the header twice and builds the table of tensor names for each layer, half of the time of an
    opening. The reader itself loops without end over a list that is longer than the file.
    """
    import gguf

    class Reader(gguf.GGUFReader):
        def _get(self, offset, dtype, count=1, override_order=None):
            found = super()._get(offset, dtype, count, override_order)
            if len(found) < count:
                raise ValueError("the file ends too early")
            return found

    package: Any = gguf
    former = package.GGUFReader, package.get_tensor_name_map
    package.GGUFReader, package.get_tensor_name_map = cache(Reader), cache(package.get_tensor_name_map)
    try:
        yield
    finally:
        package.GGUFReader, package.get_tensor_name_map = former
