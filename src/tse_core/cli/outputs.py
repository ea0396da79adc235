"""One rule for every command that writes: what it reads stays as it is."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tse_core.errors import InputError
from tse_core.files import is_there

OUTPUTS = ("out", "table", "page")  # parameters of commands that name what is written


def spare_inputs(parameters: Mapping[str, Any], *, keeps_work: bool = True) -> None:
    """Raise InputError where a command would write over its input.

    An output is no input; a store, where a command keeps work in one, is no input and holds none.
    """
    written = (*OUTPUTS, "store")
    inputs = [path for name, value in parameters.items() if name not in written for path in _paths(value)]
    for name in OUTPUTS:
        for output in _paths(parameters.get(name)):
            spare(output, inputs)
    for store in _paths(parameters.get("store")) if keeps_work else ():
        for path in inputs:
            if path == store or store in path.parents:
                raise InputError(f"--store {store} is or holds {path}, which is read; give another folder")


def spare(output: Path, inputs: Iterable[str | Path]) -> None:
    """Raise InputError where an output is one of the inputs, under whatever name."""
    for path in (path for given in inputs for path in _paths(given)):
        if output.exists() and output.samefile(path):
            raise InputError(f"{output} would be written over {path}, which is read; give another place")


def _paths(value: Any) -> Iterator[Path]:
    """The places of a value that exist, links followed; of a list those of all its values."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from _paths(part)
    elif isinstance(value, Path) or (isinstance(value, str) and value and is_there(value)):
        yield Path(value).resolve()
