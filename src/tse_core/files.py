"""Files: read with one clear line for each error, written whole or not at all, named safely."""

import hashlib
import json
import os
import re
import stat
import uuid
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tse_core.errors import InputError, one_line
from tse_core.limits import check_bytes, check_file, most_bytes

LONGEST_NAME = 80  # characters; file systems take 255 bytes
# Names that Windows gives to devices, in every folder and with any ending.
DEVICES = {"con", "prn", "aux", "nul"}
for _port in ("com", "lpt"):
    DEVICES.update(f"{_port}{number}" for number in range(10))

# These return False, rather than fail, for text that cannot be a path.
is_there = os.path.exists
is_file = os.path.isfile
is_folder = os.path.isdir


def safe_name(text: str) -> str:
    """A file name for a name that comes from data: lower-case letters, digits, ``_ . -``.

    It has at most 80 characters. Any other name gets eight digits of its hash, so that two names
    never share a file, not even where the file system ignores case. Names of devices, which are no
    files on Windows, are such names, too.

    >>> safe_name("number_prep"), safe_name("../Owned")
    ('number_prep', 'owned-0544c441')
    """
    plain = re.sub(r"[^a-z0-9_.-]+", "-", text.lower()).strip(".-")
    is_device = plain.partition(".")[0] in DEVICES
    if text and plain == text and len(plain) <= LONGEST_NAME and not is_device:
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    start = plain[: LONGEST_NAME - len(digest) - 1]
    # Windows looks at a name up to its first dot, so that the digest of a device stands in front.
    if is_device:
        return f"{digest}-{start}"
    return f"{start}-{digest}".lstrip("-")


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

    Raises InputError: no such file, no permission, no UTF-8, more bytes than the limit.
    """
    check_file(path)
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            contents = file.read(most_bytes() + 1)  # a pipe has no size before
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:  # of a path with a null character
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({reason})") from None
    check_bytes(len(contents), str(path))
    return decoded(contents, str(path))


def _without_waiting(path: str, flags: int) -> int:
    """Open a file without waiting: a named pipe to which nobody writes is empty."""
    no_wait = getattr(os, "O_NONBLOCK", 0)
    set_blocking = getattr(os, "set_blocking", None)
    # Windows has neither, and no named pipes in its folders.
    if not no_wait or not set_blocking:
        return os.open(path, flags)
    descriptor = os.open(path, flags | no_wait)
    # Only the opening must not wait; reading a pipe that has a writer must. A file of the system
    # that would wait for what comes is none that can be read.
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        set_blocking(descriptor, True)
    return descriptor


def decoded(contents: bytes, where: str) -> str:
    """Bytes as text in UTF-8, without a byte order mark. Raises InputError."""
    try:
        return contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1} is 0x{contents[error.start]:02x}"
        raise InputError(
            f"{where}: is not text in UTF-8 ({byte}); save it as UTF-8, e.g. as CSV UTF-8"
        ) from None


def read_json_object(path: str | Path) -> dict[str, Any]:
    """The object that a JSON file holds. Raises InputError."""
    content = parse_json(read_text(path), str(path))
    if not isinstance(content, dict):
        raise InputError(f"{path}: must hold a JSON object, in curly brackets")
    return content


def lines_of(text: str) -> list[str]:
    """The lines of a text; a line ends only at a line feed, at no other Unicode separator."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def parse_json(text: str, where: str, fault: str = "cannot be read as JSON") -> Any:
    """The value of a text in JSON, in which no key of an object may appear twice.

    Raises InputError, which names the place and the fault.
    """
    try:
        value = _json_decoder().decode(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # fails for half of a surrogate pair
    except (ValueError, RecursionError, OverflowError) as error:
        reason = "its parts are nested too deep" if isinstance(error, RecursionError) else error
        raise InputError(f"{where}: {fault} ({one_line(reason, 200)})") from None
    return value


@cache
def _json_decoder() -> json.JSONDecoder:
    """One decoder for all lines of all files: `json.loads` would make one for each."""
    return json.JSONDecoder(object_pairs_hook=_object_of_unique_keys)


def _object_of_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError for a key that appears twice."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {repeated!r} appears twice; keep one of the two")
    return record


def read_yaml(path: str | Path) -> Any:
    """The contents of a YAML file, in which no key may appear twice.

    Raises InputError with the file and the line.
    """
    text = read_text(path)
    try:
        return yaml.load(text, _UniqueKeys)  # noqa: S506  (a SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        reason = one_line(problem, 200)
        raise InputError(f"{path}{line}: not YAML as it is read here ({reason})") from None


class _UniqueKeys(yaml.SafeLoader):
    """A loader of plain YAML, for which aliases and repeated keys are mistakes.

    Aliases can make a small file huge; of two equal keys, YAML drops the first without a word.
    """

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="an alias; write it out", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        keys = [key for key, _ in node.value]
        names = [key.value for key in keys]
        for key in keys:
            if names.count(key.value) > 1:
                problem = f"the key {key.value!r} appears twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        return super().construct_mapping(node, deep)


def write_output(path: str | Path, contents: str | bytes) -> None:
    """Write what a user asked for; text in UTF-8. The old file stays until the new one is complete.

    Raises InputError if the folder is missing, the disk is full or the path cannot be written.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if isinstance(contents, str):
        # Half of a surrogate pair has no bytes in UTF-8; its escape is better than no file.
        contents = contents.encode("utf-8", "backslashreplace")
    try:
        write_aside(path, contents)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); what was there is kept"
        ) from None


def write_aside(path: Path, contents: bytes) -> None:
    """Write a temporary file beside the path and rename it, so that no file is half written.

    Raises OSError.
    """
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
