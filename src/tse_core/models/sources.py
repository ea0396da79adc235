"""Where the files of a model lie: in a folder, in the hub's cache, or where a plug-in says.

`source_of` finds them by the model's name, and fetches those that are missing.
"""

from dataclasses import replace
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import is_folder
from tse_core.models.backend import Source
from tse_core.models.discovery import source_of_plugin
from tse_core.models.folders import laboratory_models, weight_files
from tse_core.models.hub import hub_folder
from tse_core.paths import data_folder


def source_of(name: str, revision: str | None = None) -> Source:
    """The files of a model by its name, fetched where they are missing. Raises InputError.

    Plug-ins are asked before, about all names but those that come with the project.
    """
    if name in laboratory_models():
        return hugging_face_source(name, revision)
    source = source_of_plugin(name, revision)
    if source:
        return source
    source = hugging_face_source(name, revision)
    if not is_folder(name):
        # What the hub gave may be a plug-in's, too.
        further = source_of_plugin(str(source.folder), None)
        if further:
            return replace(further, name=name)
    return source


def hugging_face_source(name: str, revision: str | None = None) -> Source:
    """As `source_of`, without plug-ins: of a folder, of the hub, or with the project."""
    # A folder, or the name of a model of the project, else one of the hub.
    folder = Path(name)
    if name in laboratory_models():
        folder = data_folder() / "models" / name
    if not is_folder(folder):
        folder = hub_folder(name, revision)
    elif revision:
        raise InputError(
            f"{name} is not of the hub, so {revision!r} names no revision: no branch, tag or commit"
        )
    return Source(name, folder, tuple(weight_files(folder)))
