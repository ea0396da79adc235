"""Kinds of models, one row each: the pattern of their names, and the function that opens them.

To add a kind is to add a row to `KINDS`, above the last one, or to `SURPRISALS`: the function takes a `Request`, and
its module is imported when a name needs it. An installed package can add a kind for folders: an entry point of the
group "tse.models", named after the file that marks such a folder.
"""

import re
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import get_args

from tse_core.errors import InputError, check_known
from tse_core.files import is_file
from tse_core.models.coerce import AnyModel
from tse_core.models.devices import keep_freed_memory
from tse_core.models.kinds.request import DTYPES, Request
from tse_core.models.language_model import Kind
from tse_core.models.packages import package_models

_HERE = "tse_core.models.kinds"
SURPRISALS = {  # kinds that give surprisals only; they compute on no device of this machine
    r"command:.*|docker://.*": f"{_HERE}.command:open_command",
    r"https?://.*": f"{_HERE}.server:open_server",
}
KINDS = SURPRISALS | {  # a pattern of names -> where the function is that opens such a model
    "|".join([r"(?i:.*\.gguf)", *map(re.escape, package_models())]): f"{_HERE}.gguf:open_gguf",
    r".*": f"{_HERE}.hugging_face:open_hugging_face",
}


def open_model(request: Request) -> AnyModel:
    """The model of a name, opened by the first kind whose pattern matches it. Raises InputError."""
    if not request.name:
        raise InputError("the name of the model is empty; it is a name, a folder or a file: tse list models")
    if request.revision == "":
        raise InputError(f"the revision of {request.name} is empty; it is a branch, a tag or a commit on the hub")
    if request.kind not in (None, *get_args(Kind)):
        raise InputError(f"kind is {request.kind!r}; it must be 'causal' or 'masked'")
    check_known("dtype", request.dtype, DTYPES)
    keep_freed_memory()
    for entry in entry_points(group="tse.models"):
        if is_file(Path(request.place) / entry.name):
            return entry.load()(request)
    place = next(place for names, place in KINDS.items() if re.fullmatch(names, request.name, re.DOTALL))
    return resolve_name(place)(request)


def gives_surprisals_only(name: str) -> bool:
    """Whether the kind of a name gives surprisals and no distributions.

    >>> gives_surprisals_only("http://127.0.0.1:8000/v1"), gives_surprisals_only("gpt2")
    (True, False)
    """
    return any(re.fullmatch(names, name, re.DOTALL) for names in SURPRISALS)
