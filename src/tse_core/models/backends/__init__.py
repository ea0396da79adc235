"""Kinds of models. A `Backend` opens the models of some names with some of the `OpenOptions`."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from tse_core.errors import InputError, check_known
from tse_core.models.surprisal_model import TIMEOUT, SurprisalModel

if TYPE_CHECKING:
    from tse_core.models.language_model import LanguageModel


@dataclass(frozen=True)
class OpenOptions:
    """How a model is opened; `tse_core.load_model` explains each option."""

    tokenizer: Any = None
    name: str | None = None
    fingerprint: str | None = None
    kind: str | None = None
    device: str = "auto"
    dtype: str = "float32"
    revision: str | None = None
    bos: str = "default"
    trust_remote_code: bool = False
    timeout: float = TIMEOUT

    def for_opener(self, model: str, accepted: tuple[str, ...]) -> dict[str, Any]:
        """The values of the options that an opener takes, the `accepted` ones.

        Raises InputError where another option has not its default; `model` names the model there.
        """
        values = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in accepted:
                values[field.name] = value
            elif value != field.default:
                raise InputError(f"{model} takes no {field.name}; leave {field.name} out")
        return values


@dataclass(frozen=True)
class Backend:
    """The opener of the models of some names. Raises InputError for an unknown option."""

    pattern: str  # regular expression, which the whole name matches
    # Takes a name, and `options` by keyword.
    opener: Callable[..., "LanguageModel | SurprisalModel"]
    options: tuple[str, ...] = ()  # names of `OpenOptions`

    def __post_init__(self) -> None:
        re.compile(self.pattern)
        names = [field.name for field in fields(OpenOptions)]
        for option in self.options:
            check_known("option of a backend", option, names)

    def takes(self, name: str) -> bool:
        """Whether this backend opens models of such a name."""
        return re.fullmatch(self.pattern, name, re.DOTALL) is not None
