"""Where the files of a model lie: in a folder, in the hub's cache, or in a GGUF file.

`source_of` finds them by the model's name, and fetches those that are missing.
"""

from dataclasses import dataclass, field
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import is_file, is_folder
from tse_core.models.adapters import ADAPTER, ADAPTER_WEIGHTS, adapter_settings
from tse_core.models.folders import laboratory_models, weight_files
from tse_core.models.gguf_files import PACKAGE_MODELS, converted_folder, model_file
from tse_core.models.hub import hub_folder
from tse_core.paths import data_folder


@dataclass
class Source:
    """Where a model's files lie; see `source_of`."""

    name: str  # as the user gave it
    folder: Path  # with its configuration and weights; of an adapter those of its base model
    adapter: Path | None = None  # the folder of an adapter
    settings: dict = field(default_factory=dict)  # the adapter's configuration
    # The file of which `folder` was made; its hash is the model's identity.
    gguf: Path | None = None

    @property
    def weights(self) -> list[Path]:
        """The files that hold the weights. Raises InputError where one is missing."""
        if self.gguf:
            return [self.gguf]
        files = weight_files(self.folder)
        if self.adapter:
            files.append(self.adapter / ADAPTER_WEIGHTS)
        for file in files:
            if not file.is_file():
                raise InputError(
                    f"{self.name} holds no {file.name}; weights are read from safetensors only"
                )
        return files


def source_of(name: str, revision: str | None = None) -> Source:
    """The files of a model by its name, fetched where they are missing. Raises InputError."""
    gguf = _gguf_file(name)
    if gguf:
        _refuse_revision(name, revision)
        return Source(name, converted_folder(gguf), gguf=gguf)
    base = name  # the folder with the network, or its name on the hub
    if name in laboratory_models():
        base = str(data_folder() / "models" / name)
    adapter = None
    settings = {}
    if is_file(Path(base, ADAPTER)):
        adapter = Path(base)
        settings = adapter_settings(name, adapter)
        base = _base_model(name, settings)
        # Of a base model on the hub, the adapter says which revision it was trained on.
        if not revision and not is_folder(base):
            revision = settings.get("revision")
    if is_folder(base):
        _refuse_revision(name, revision)
        return Source(name, Path(base), adapter, settings)
    label = f"{base}, the base model of {name}" if adapter else name
    folder = hub_folder(label, base, revision)
    if is_file(folder / ADAPTER):
        raise InputError(f"{label} is a PEFT adapter on the hub; download it, and give its folder")
    return Source(name, folder, adapter, settings)


def _base_model(name: str, settings: dict) -> str:
    """The base model of an adapter, which is taken out of its settings. Raises InputError."""
    base = settings.pop("base_model_name_or_path")
    if base in PACKAGE_MODELS or base.lower().endswith(".gguf"):
        raise InputError(
            f"{name}: its base model {base} is a GGUF file, which takes no adapter; {ADAPTER} "
            "must name the base model's folder in Hugging Face's format, or its name on the hub"
        )
    return base


def _refuse_revision(name: str, revision: str | None) -> None:
    """Raise InputError for a revision of a model that does not come from the hub."""
    if revision:
        raise InputError(
            f"{name} is not of the hub, so {revision!r} names no revision: no branch, tag or commit"
        )


def _gguf_file(name: str) -> Path | None:
    """The GGUF file that a name means, fetched where it is missing; None for other models."""
    if name in PACKAGE_MODELS:
        return model_file(name)
    if name.lower().endswith(".gguf"):
        return Path(name)
    return None
