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
    kind: str | None = None
    device: str = "auto"
    dtype: str = "float32"
    revision: str | None = None
    bos: str = "default"
    trust_remote_code: bool = False
    timeout: float = TIMEOUT

    def for_opener(self, model: str, taken: tuple[str, ...]) -> dict[str, Any]:
        """The values of the options that an opener takes.

        Raises InputError where another option has not its default; `model` names the model there.
        """
        values = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in taken:
                values[field.name] = value
            elif value != field.default:
                raise InputError(f"{model} takes no {field.name}; leave {field.name} out")
        return values


@dataclass(frozen=True)
class Backend:
    """What opens the models of some names. Raises InputError for an option that does not exist."""

    pattern: str  # regular expression, which the whole name matches
    opener: Callable[
        ..., "LanguageModel | SurprisalModel"
    ]  # takes a name, and `options` by keyword
    options: tuple[str, ...] = ()  # names of `OpenOptions`

    def __post_init__(self) -> None:
        re.compile(self.pattern)
        known = [field.name for field in fields(OpenOptions)]
        for option in self.options:
            check_known("option of a backend", option, known)

    def takes(self, name: str) -> bool:
        """Whether this backend opens models of such a name."""
        return re.fullmatch(self.pattern, name, re.DOTALL) is not None
