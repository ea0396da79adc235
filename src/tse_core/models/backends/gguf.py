"""Models of GGUF files, by their paths or by the names of `PACKAGE_MODELS`."""

from pathlib import Path

from tse_core.errors import InputError
from tse_core.models.backends.hugging_face import open_hugging_face
from tse_core.models.backends.request import Request
from tse_core.models.gguf_files import PACKAGE_MODELS, converted_folder, model_file
from tse_core.models.language_model import LanguageModel


def open_gguf(request: Request) -> LanguageModel:
    """The model of a ``.gguf`` file, or of the Python package index, whose packages hold one. Raises InputError."""
    if request.revision or request.kind == "masked":
        raise InputError(f"{request.name} is a GGUF file of a causal model; it has no revision and cannot be masked")
    file = model_file(request.name) if request.name in PACKAGE_MODELS else Path(request.name)
    return open_hugging_face(request, str(converted_folder(file)), gguf=file)
