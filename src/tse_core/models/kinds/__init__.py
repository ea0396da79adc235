"""The kinds of models that can be opened by a name: to add one, write its module here and add its function to `KINDS`.

Such a function takes a `Request` and gives a model, or None where the name is of another kind. A package of one's own
brings a kind for folders: an entry point of the group "tse.models", named after the file that marks such a folder.
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

from tse_core.errors import InputError, unknown
from tse_core.models.allocator import keep_freed_memory
from tse_core.models.kinds.command import open_command
from tse_core.models.kinds.gguf import open_gguf
from tse_core.models.kinds.hugging_face import open_hugging_face
from tse_core.models.kinds.request import DTYPES, Request
from tse_core.models.kinds.server import open_server
from tse_core.models.language_model import LanguageModel
from tse_core.models.surprisal_model import SurprisalModel

Model = LanguageModel | SurprisalModel


def open_model(request: Request) -> Model:
    """The model of a name, opened by the first kind that knows the name. Raises InputError."""
    if request.kind not in (None, "causal", "masked"):
        raise InputError(f"kind is {request.kind!r}; it must be 'causal' or 'masked'")
    if request.dtype not in DTYPES:
        raise unknown("dtype", request.dtype, DTYPES)
    keep_freed_memory()
    for opens in KINDS:
        if (model := opens(request)) is not None:
            return model
    return open_hugging_face(request)


def _open_installed(request: Request) -> Model | None:
    """A folder of a kind that an installed package brings."""
    for entry in entry_points(group="tse.models"):
        if (Path(request.place) / entry.name).is_file():
            return entry.load()(request)
    return None


KINDS: tuple[Callable[[Request], Model | None], ...] = (open_command, open_server, open_gguf, _open_installed)
