"""Kinds of models, one row each: the pattern of their names, and the function that opens them.

To add a kind is to add a row to `KINDS`, above the last one, or to `SURPRISALS`: the function takes a `Request`, and
its module is imported when a name needs it.
"""

import re
from pkgutil import resolve_name
from typing import TypeAlias

from tse_core.errors import InputError, check_known
from tse_core.models.backends.request import DTYPES, Request
from tse_core.models.devices import keep_freed_memory
from tse_core.models.gguf_files import PACKAGE_MODELS
from tse_core.models.hub import check_address
from tse_core.models.language_model import LanguageModel
from tse_core.models.surprisal_model import SurprisalModel

AnyModel: TypeAlias = LanguageModel | SurprisalModel
_HERE = "tse_core.models.backends"
SURPRISALS = {  # kinds that give surprisals only; they compute on no device of this machine
    r"command:.*|docker://.*": f"{_HERE}.command:open_command",
    r"https?://.*": f"{_HERE}.server:open_server",
}
KINDS = SURPRISALS | {  # a pattern of names -> where the function is that opens such a model
    "|".join([r"(?i:.*\.gguf)", *map(re.escape, PACKAGE_MODELS)]): f"{_HERE}.gguf:open_gguf",
    r".*": f"{_HERE}.hugging_face:open_hugging_face",
}


def open_model(request: Request) -> AnyModel:
    """The model of a name, opened by the first kind whose pattern matches it. Raises InputError."""
    if not request.name:
        raise InputError("the name of the model is empty; it is a name, a folder or a file: tse list models")
    check_known("dtype", request.dtype, DTYPES)
    check_address()
    keep_freed_memory()
    place = next(place for names, place in KINDS.items() if re.fullmatch(names, request.name, re.DOTALL))
    return resolve_name(place)(request)
