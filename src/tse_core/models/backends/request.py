"""The request to open a model: its name, and the options of `load_model`."""

from dataclasses import dataclass, fields

import torch

from tse_core.errors import InputError
from tse_core.models.folders import laboratory_models
from tse_core.models.language_model import Kind
from tse_core.paths import data_folder

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


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

    @property
    def place(self) -> str:
        """The folder of one of the project's own models, else the name itself."""
        return str(data_folder() / "models" / self.name) if self.name in laboratory_models() else self.name

    def refuse(self, what: str, *options: str) -> None:
        """Raise InputError where one of these options was given to a model that decides them itself."""
        usual = {field.name: field.default for field in fields(self)}
        for option in options:
            if getattr(self, option) != usual[option]:
                raise InputError(f"{what}, which has its own {option}; leave {option} out")
