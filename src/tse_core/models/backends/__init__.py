"""Kinds of models, one row each: the pattern of their names, and the function that opens them.

To add a kind is to add a row to `KINDS`, above the last one, or to `SURPRISALS`; its module is imported when a name
needs it.
"""

import re
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TypeAlias

from tse_core.errors import InputError, check_known
from tse_core.models.devices import DTYPES, keep_freed_memory
from tse_core.models.language_model import Kind, LanguageModel
from tse_core.models.surprisal_model import SurprisalModel

AnyModel: TypeAlias = LanguageModel | SurprisalModel
SURPRISALS = {  # kinds that give surprisals only: a pattern of names -> a function of the name
    r"command:.*|docker://.*": "tse_core.models.backends.command:open_command",
    r"https?://.*": "tse_core.models.backends.server:open_server",
}
KINDS = {  # kinds that give distributions: a pattern of names -> a function of a `Request`
    r".*": "tse_core.models.backends.hugging_face:open_hugging_face",
}


@dataclass(frozen=True)
class Request:
    """A model by its name, with the options of `load_model`."""

    name: str
    kind: Kind | None = None
    device: str = "auto"
    dtype: str = "float32"
    revision: str | None = None
    bos: str = "default"
    trust: bool = False


def open_model(request: Request) -> AnyModel:
    """The model of a name, opened by the first kind whose pattern matches it. Raises InputError."""
    if not request.name:
        raise InputError("the name of the model is empty; it is a name, a folder or a file: tse list models")
    check_known("dtype", request.dtype, DTYPES)
    keep_freed_memory()
    names = next(names for names in (*SURPRISALS, *KINDS) if re.fullmatch(names, request.name, re.DOTALL))
    if names in KINDS:
        return resolve_name(KINDS[names])(request)
    for option in ("kind", "device", "dtype", "revision"):
        if getattr(request, option) != getattr(Request, option):
            raise InputError(f"what gives surprisals only has its own {option}; leave {option} out")
    model = resolve_name(SURPRISALS[names])(request.name)
    return model if request.bos == "default" else model.with_policies(bos=request.bos)
