"""What a command has answered before: asked again with nothing changed, it needs no model and no tables.

An answer lies beside the finished numbers that it shows, so it goes when they are removed. It counts for the same
options, the same files that they name, the same package and versions of the libraries under it, and only for models
whose files are on this machine: a name on the hub may stand for other weights tomorrow.
"""

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tse_core.files import is_file, is_there, write_aside
from tse_core.paths import cache_folder, data_folder

LIBRARIES = ("numpy", "pandas", "scipy", "statsmodels", "torch", "transformers", "tokenizers", "gguf")
SETTINGS = ("TSE_", "HF_", "TRANSFORMERS_", "OMP_", "CUDA_")  # beginnings of environment variables that may matter
PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Question:
    """What a command was asked, with all that its answer depends on."""

    key: str
    results: Path  # the finished numbers of a store

    def answer(self) -> tuple[str, str] | None:
        """What was printed, and noted on standard error, when it was asked before; None where the numbers are gone."""
        for place in self.results.glob(f"*/{self.key}.answer.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                kept = json.loads(place.read_bytes())
                if all(any((self.results / key).glob("*.parquet")) for key in kept["results"]):
                    return str(kept["text"]), str(kept["notes"])
        return None

    def keep(self, text: str, notes: str, results: Iterable[str]) -> None:
        """Keep an answer beside the first of the finished numbers (their keys) that it shows."""
        keys = list(results)
        place = self.results / keys[0] / f"{self.key}.answer.json"
        with suppress(OSError):  # without it the next answer comes from the numbers
            write_aside(place, json.dumps({"results": keys, "text": text, "notes": notes}).encode())


def question(command: str, options: Mapping[str, Any], models: Iterable[str], store: Path) -> Question | None:
    """The question that a command's options ask; None where a model is not one of this machine's files."""
    places = []
    for model in models:
        if (place := _files_of(model)) is None:
            return None
        places.append(place)
    named = [Path(text) for value in options.values() for text in _texts(value) if is_file(text)]
    about = {
        "command": command,
        "options": {name: str(value) for name, value in options.items()},
        "folder": str(Path.cwd()),
        "files": [_state(file) for place in [*places, *named] for file in _files_in(place)],
        "package": [_state(file) for file in (*_files_in(PACKAGE), *_files_in(data_folder())) if _counts(file)],
        "versions": [sys.version, *(_version(library) for library in LIBRARIES)],
        "settings": {name: os.environ[name] for name in sorted(os.environ) if name.startswith(SETTINGS)},
    }
    return Question(hashlib.sha256(json.dumps(about).encode()).hexdigest()[:24], store / "results")


@contextmanager
def warned() -> Iterator[list]:
    """The warnings that are shown meanwhile: an answer that came with some is given anew each time."""
    heard: list = []
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def hear(*about, **more):
            heard.append(about)
            shown(*about, **more)

        warnings.showwarning = hear
        yield heard


def _files_of(model: str) -> Path | None:
    """The file or folder of a model that lies on this machine whole."""
    own = [folder / "models" / model for folder in (data_folder(), cache_folder())]
    named = own if Path(model).name == model else []
    place = next((place for place in (*named, Path(model)) if is_there(place)), None)
    return None if place and (place / "adapter_config.json").exists() else place  # its base model may be on the hub


def _files_in(place: Path) -> Iterator[Path]:
    return (file for file in sorted(place.rglob("*")) if file.is_file()) if place.is_dir() else iter([place])


def _counts(file: Path) -> bool:
    return file.suffix in (".py", ".csv", ".yaml", ".txt", ".lark") and "recorded" not in file.parts


def _state(file: Path) -> tuple:
    about = file.stat()
    return (str(file), about.st_size, about.st_mtime_ns, about.st_ino)


def _texts(value: Any) -> list[str]:
    """The texts among the values of an option, and what stands behind an equals sign in them."""
    values = value if isinstance(value, list | tuple) else [value]
    return [part for v in values if isinstance(v, str | Path) for part in {str(v), str(v).rpartition("=")[2]} if part]


def _version(library: str) -> str:
    with suppress(Exception):
        return version(library)
    return ""
