"""A digest of the code that scores, so that a store never serves what other code has computed.

It is taken over the syntax trees of whole rooms (or single files) of the package. Comments, docstrings and layout play
no part in it; every other change gives another digest, and with it other keys in the store. A room is taken whole even
where some of its files do not score: a file that is forgotten would cost a wrong number, one too many costs time.

Signatures do not hold the digest. They hold `PROTOCOL_VERSION`, which is raised by hand when scores change.
"""

import ast
import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from tse_core.files import write_aside
from tse_core.paths import cache_folder

PACKAGE = Path(__file__).parents[1]
BESIDE = PACKAGE.parent  # where packages lie that build on this one
# What all scores go through: models and their passes, which lemmas count, which contexts are one.
SHARED = ("models", "forward", "datasets/lemmas.py", "datasets/pairs.py")
_DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def code_digest(*parts: str) -> str:
    """Twelve hexadecimal digits for `SHARED` and further rooms or files, e.g. "blimp", "tse_book/studies/rows.py".

    Raises FileNotFoundError for a part that is in no package.
    """
    places = [_place(part) for part in dict.fromkeys((*SHARED, *parts))]
    files = [f for place in places for f in ([place] if place.suffix == ".py" else sorted(place.rglob("*.py")))]
    digests = _file_digests(files)
    named = {file.relative_to(BESIDE).as_posix(): digest for file, digest in zip(files, digests, strict=True)}
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:12]


def same_code(parts: Iterable[str], digest: str | None) -> bool:
    """Whether a digest of these parts is still theirs; not where one of them is gone."""
    try:
        return code_digest(*parts) == digest
    except FileNotFoundError:
        return False


def _place(part: str) -> Path:
    """A room or file of this package, or of one that lies beside it."""
    places = [PACKAGE / part, BESIDE / part]
    if found := next((place for place in places if place.exists()), None):
        return found
    raise FileNotFoundError(f"no part of the code is called {part!r}: neither {places[0]} nor {places[1]} is there")


def source_digest(source: str) -> str:
    """The digest of one module, whatever its comments, docstrings and layout.

    >>> source_digest("x = 1  # one") == source_digest('"One."\\nx = (1)') != source_digest("x = 2")
    True
    """
    return hashlib.sha256(_plain(ast.parse(source)).encode()).hexdigest()


def _plain(node: object) -> str:
    """A syntax tree as text without positions and empty fields, the same in every version of Python."""
    if isinstance(node, list):
        return f"[{','.join(map(_plain, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, _DEFINITIONS) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = node.body[1:]
    shown = (f"{name}={_plain(value)}" for name, value in fields.items() if value is not None and value != [])
    return f"{type(node).__name__}({','.join(shown)})"


def _file_digests(files: list[Path]) -> list[str]:
    """The digest of each file; those of files that did not change since are remembered in the cache folder."""
    place = cache_folder() / "code.json"
    known = {}
    with suppress(OSError, ValueError):
        known = dict(json.loads(place.read_bytes()))
    found = {}
    for file in files:
        about = file.stat()
        name = f"{file} {about.st_size} {about.st_mtime_ns}"
        found[name] = known.get(name) or source_digest(file.read_text(encoding="utf-8"))
    if not found.keys() <= known.keys():
        changed = set(map(str, files))
        others = {name: digest for name, digest in known.items() if name.rsplit(" ", 2)[0] not in changed}
        with suppress(OSError):  # without the cache it takes a fifth of a second
            write_aside(place, json.dumps(others | found).encode())
    return list(found.values())
