"""Files: read with one clear line for each error, written whole or not at all, named safely."""

import errno
import hashlib
import os
import re
import uuid
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from tse_core.errors import InputError

LARGEST = 2**31  # bytes of text that are read at once
LARGEST_YAML = 2**22
LONGEST_NAME = 80  # characters; file systems take 255 bytes
# These return False, rather than fail, for text that cannot be a path.
is_there, is_file, is_folder = os.path.exists, os.path.isfile, os.path.isdir


def safe_name(text: str) -> str:
    """A file name for a name that comes from data: lower-case letters, digits, ``_ . -``, at most 80 characters.

    Any other name gets eight digits of its hash, so that two names never share a file, not even where
    the file system ignores case.

    >>> safe_name("number_prep"), safe_name("../Owned")
    ('number_prep', 'owned-0544c441')
    """
    plain = re.sub(r"[^a-z0-9_.-]+", "-", text.lower()).strip(".-")
    if text and plain == text and len(plain) <= LONGEST_NAME:
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: LONGEST_NAME - 9]}-{digest}".lstrip("-")


def read_text(path: str | Path, *, largest: int = LARGEST) -> str:
    """The text of a file in UTF-8, without a byte order mark, its line ends as they are.

    Raises InputError: no such file, no permission, no UTF-8, more than `largest` bytes.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            contents = file.read(largest + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:  # a NUL, or half of a character
        raise InputError(f"{str(path)!r} is not a file path") from None
    if len(contents) > largest:
        raise InputError(f"{path}: has more than {largest:,} bytes")
    return decoded(contents, str(path))


def _without_waiting(path: str, flags: int) -> int:
    """Opens a file; a pipe that nobody writes to is opened too, and is empty."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(descriptor, True)
    return descriptor


def decoded(contents: bytes, where: str) -> str:
    """Bytes as text in UTF-8, without a byte order mark."""
    try:
        return contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = contents[error.start]
        raise InputError(f"{where}: is not text in UTF-8 (byte {error.start + 1} is 0x{byte:02x})") from None


def lines_of(text: str) -> list[str]:
    """The lines of a text; a line ends only at a line feed, at no other Unicode separator."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def read_yaml(path: str | Path) -> Any:
    """The contents of a YAML file without aliases (so it is no larger than it looks) or repeated keys.

    Raises InputError with the file's name and the line.
    """
    text = read_text(path, largest=LARGEST_YAML)
    try:
        return _PlainYaml(text).get_single_data()
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        reason = " ".join(str(getattr(error, "problem", None) or error).split())[:200]
        raise InputError(f"{path}{line}: not YAML as it is read here ({reason})") from None


class _PlainYaml(yaml.SafeLoader):
    """YAML's plain part."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.composer.ComposerError(
                None, None, f"the alias *{event.anchor}; write out what it stands for", event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {str(key)[:80]!r} appears twice", key_node.start_mark
                )
            seen |= {key} if isinstance(key, Hashable) else set()
        return super().construct_mapping(node, deep)


def write_output(path: str | Path, contents: str | bytes) -> None:
    """Write what a user asked for; text in UTF-8. The old file stays until the new one is complete.

    Raises InputError if the folder is missing, the disk is full or the place cannot be written.
    """
    path = Path(path)
    data = contents.encode("utf-8", "backslashreplace") if isinstance(contents, str) else contents
    try:
        if not path.parent.is_dir():
            raise InputError(f"{path}: there is no folder {path.parent}")
        if path.exists() and not path.is_file() and not path.is_dir():  # a device, a pipe
            path.write_bytes(data)
        else:
            write_aside(path, data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); what was there is kept") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{str(path)!r} is not a file path") from None


def write_aside(path: Path, contents: bytes) -> None:
    """Write a file next to its place, then move it there, so that it is never half written. Raises OSError."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.stem[:40]}.{uuid.uuid4().hex[:12]}.part")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # less what the umask withholds
        with os.fdopen(descriptor, "wb") as file:
            file.write(contents)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):  # the error of a full disk names no file
            error.filename = error.filename or str(path)
        raise
