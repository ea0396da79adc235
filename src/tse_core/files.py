"""Files: read with one clear line for each error, written whole or not at all, named safely."""

import hashlib
import os
import re
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from tse_core.errors import InputError

LONGEST_NAME = 80  # characters; file systems take 255 bytes
DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}
# These return False, rather than fail, for text that cannot be a path.
is_there, is_file, is_folder = os.path.exists, os.path.isfile, os.path.isdir


def safe_name(text: str) -> str:
    """A file name for a name that comes from data: lower-case letters, digits, ``_ . -``, at most 80 characters.

    Any other name gets eight digits of its hash, so that two names never share a file, not even where
    the file system ignores case. Names of devices, which are no files on Windows, are such names, too.

    >>> safe_name("number_prep"), safe_name("../Owned")
    ('number_prep', 'owned-0544c441')
    """
    plain = re.sub(r"[^a-z0-9_.-]+", "-", text.lower()).strip(".-")
    is_device = plain.partition(".")[0] in DEVICES
    if text and plain == text and len(plain) <= LONGEST_NAME and not is_device:
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if is_device:
        return f"{digest}-{plain[: LONGEST_NAME - 9]}"
    return f"{plain[: LONGEST_NAME - 9]}-{digest}".lstrip("-")


def file_digest(file: Path) -> str:
    """The sha256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def files_digest(folder: Path, files: Iterable[Path]) -> str:
    """A sha256 of the names and contents of files below a folder."""
    digest = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(folder).as_posix()
        digest.update(f"{name} {file_digest(file)}\n".encode())
    return digest.hexdigest()


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, without a byte order mark, its line ends as they are.

    Raises InputError: no such file, no permission, no UTF-8.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            contents = file.read()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return decoded(contents, str(path))


def _without_waiting(path: str, flags: int) -> int:
    """Opens a file; a named pipe to which nobody writes is empty. Windows has no such pipes in its folders."""
    no_wait = getattr(os, "O_NONBLOCK", 0)
    set_blocking = getattr(os, "set_blocking", None)
    if not (no_wait and set_blocking):
        return os.open(path, flags)
    descriptor = os.open(path, flags | no_wait)
    set_blocking(descriptor, True)
    return descriptor


def decoded(contents: bytes, where: str) -> str:
    """Bytes as text in UTF-8, without a byte order mark."""
    try:
        return contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1} is 0x{contents[error.start]:02x}"
        raise InputError(
            f"{where}: is not text in UTF-8 ({byte}); save it as UTF-8, e.g. as CSV UTF-8"
        ) from None


def lines_of(text: str) -> list[str]:
    """The lines of a text; a line ends only at a line feed, at no other Unicode separator."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def read_yaml(path: str | Path) -> Any:
    """The contents of a YAML file, in which no key may appear twice. Raises InputError with the file and the line."""
    text = read_text(path)
    try:
        return yaml.load(text, _UniqueKeys)  # noqa: S506  (a SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        reason = " ".join(str(getattr(error, "problem", None) or error).split())[:200]
        raise InputError(f"{path}{line}: not YAML as it is read here ({reason})") from None


class _UniqueKeys(yaml.SafeLoader):
    """YAML's plain part; aliases, which can make a small file huge, and repeated keys are mistakes."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(
                problem="an alias; write it out", problem_mark=self.peek_event().start_mark
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        names = [key.value for key, _ in node.value]
        for (key, _), name in zip(node.value, names, strict=True):
            if names.count(name) > 1:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {name!r} appears twice", problem_mark=key.start_mark
                )
        return super().construct_mapping(node, deep)


def write_output(path: str | Path, contents: str | bytes) -> None:
    """Write what a user asked for; text in UTF-8. The old file stays until the new one is complete.

    Raises InputError if the folder is missing, the disk is full or the place cannot be written.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    data = contents.encode("utf-8", "backslashreplace") if isinstance(contents, str) else contents
    try:
        write_aside(path, data)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); what was there is kept"
        ) from None


def write_aside(path: Path, contents: bytes) -> None:
    """Write a file next to its place, then move it there, so that it is never half written. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.stem[:40]}.{uuid.uuid4().hex[:12]}.part")
    try:
        temporary.write_bytes(contents)
        temporary.replace(path)
    except OSError as error:
        error.filename = str(path)  # the error of a full disk names no file
        raise
    finally:
        temporary.unlink(missing_ok=True)
