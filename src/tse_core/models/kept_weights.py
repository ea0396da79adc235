"""The dequantised weights of a GGUF file, kept in the cache as float32 and mapped into memory.

Dequantising takes seconds every time. The kept file is mapped instead, so a model opens at once and processes that
read the same model share its memory. It is four to eight times as large as the GGUF file; the progress bar says how
large when it is written, and ``TSE_KEEP_WEIGHTS=0`` leaves it out. It is made anew where the GGUF file, the code or the
libraries that read it have changed, and where it is damaged.
"""

import hashlib
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import torch

from tse_core.models import gguf_weights
from tse_core.models.identity import cached, file_digest
from tse_core.paths import cache_folder
from tse_core.progress import progress

SMALLEST, LARGEST = 2**26, 2**32  # bytes in float32: smaller ones open at once, larger ones would fill a disk


def kept_weights(path: Path, numbers: int, make: Callable[[], dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """The float32 weights of a file: those that were kept, else what `make` gives, kept.

    Parameters
    ----------
    path : of the GGUF file
    numbers : how many its weights are
    """
    if os.environ.get("TSE_KEEP_WEIGHTS") == "0" or not SMALLEST <= 4 * numbers <= LARGEST:
        return make()
    from safetensors.torch import load_file

    place = _place(path)
    if _whole(place):
        with suppress(Exception):  # as for a damaged file: it is made anew
            return load_file(place)
    weights = make()
    with progress(1, f"keep the weights of {path.name} in the cache ({4 * numbers / 1e6:,.0f} MB)") as advance:
        _keep(weights, place)
        advance(1)
    return weights


def _place(path: Path) -> Path:
    """Named after the file's contents and what dequantises it."""
    code = Path(gguf_weights.__file__).read_bytes() + f"{version('gguf')} {version('transformers')}".encode()
    of_file, of_code = cached([path], lambda: file_digest([path])), hashlib.sha256(code).hexdigest()
    return cache_folder() / "weights" / f"{of_file[:16]}-{of_code[:8]}.safetensors"


def _whole(place: Path) -> bool:
    """Whether the file is there with the contents that were written."""
    try:
        written = place.with_suffix(".sha256").read_text(encoding="ascii")
        return place.is_file() and cached([place], lambda: file_digest([place])) == written
    except (OSError, ValueError):
        return False


def _keep(weights: dict[str, torch.Tensor], place: Path) -> None:
    """Write aside, then move into place; where that cannot be done, the next opening dequantises again."""
    from safetensors.torch import save_file

    part = place.with_name(f"{uuid.uuid4().hex}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        for old in place.parent.glob(f"{place.name.partition('-')[0]}-*"):
            old.unlink()
        save_file({name: tensor.contiguous() for name, tensor in weights.items()}, part)
        digest = file_digest([part])
        part.replace(place)
        place.with_suffix(".sha256").write_text(digest, encoding="ascii")
    except Exception:  # a full disk: what the library raises is of its own kind
        with suppress(OSError):
            part.unlink()
