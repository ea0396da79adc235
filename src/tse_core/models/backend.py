"""What a plug-in says about its kind of models: a `Backend`, and the `Source` of a model in files.

Nothing here imports torch, so that a list of names needs none.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tse_core.errors import InputError, check_known
from tse_core.files import is_file

if TYPE_CHECKING:
    from tse_core.models.language_model import LanguageModel
    from tse_core.models.surprisal_model import SurprisalModel

TIMEOUT = 3600.0  # seconds
# A pattern that takes all of these takes every name.
ANY_NAMES = ("gpt2", "owner/model", "./my-model")


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
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name in accepted:
                values[option.name] = value
            elif value != option.default:
                raise InputError(f"{model} takes no {option.name}; leave {option.name} out")
        return values


@dataclass(frozen=True)
class Source:
    """The files of a model that transformers opens from a folder.

    Attributes
    ----------
    name : as the user gave it
    folder : with configuration and weights, in Hugging Face's format
    files : those whose contents decide the numbers
        Their tensors and the configuration are the model's identity, and they must not change
        before the weights are read.
    digest : a hash of all that decides the numbers, tokenizer included, in place of that
    settings : a function of the network's shape (the module on torch's device "meta", without
        weights): what decides the numbers besides tensors and configuration, as in JSON
    change : a function of the module in single precision that gives the one to be used
        Its code is no part of the identity: `settings` must hold all that it depends on, and a
        number of its own that rises when its code changes.
    tokenizer_folder : where the tokenizer lies, if not in `folder`
    libraries : packages that compute the numbers, besides torch, transformers and tokenizers
    policies : what a signature says of these files
    """

    name: str
    folder: Path
    files: tuple[Path, ...]
    digest: str | None = None
    settings: Callable[[Any], dict] | None = None
    change: Callable[[Any], Any] | None = None
    tokenizer_folder: Path | None = None
    libraries: tuple[str, ...] = ()
    policies: Mapping[str, str] = field(default_factory=dict)

    def check_files(self) -> None:
        """Raise InputError where a file is missing."""
        from tse_core.models.folders import missing_weights  # imports libraries

        for file in self.files:
            if not is_file(file):
                raise missing_weights(self.name, self.folder, file)


@dataclass(frozen=True)
class NamedModel:
    """A model that a plug-in opens by a name of its own; `tse list models` shows it.

    Attributes
    ----------
    kind : "causal", "masked" or another one
    bytes : the size of its download
    licence, source : of the weights, and where they come from
    fetch : gives the path of its files, fetched where they are missing or damaged
    state : says whether they are "cached", "missing" or "damaged"
    """

    kind: str
    bytes: int
    licence: str
    source: str
    fetch: Callable[[], Path]
    state: Callable[[], str]


@dataclass(frozen=True)
class Backend:
    """A kind of models: the names that it takes, and how it opens them.

    It has an `opener`, or a `source` for models that are folders in Hugging Face's format in the
    end. A `source` without a pattern is asked about every name, since what lies there may decide.

    Attributes
    ----------
    pattern : a regular expression; the whole name must match
    opener : takes a name, and `options` by keyword; gives the model
    options : names of `OpenOptions`
        A `source` has none of its own: it takes those of any folder.
    source : takes a name and a revision (or None); gives a `Source`, or None for another's model
    names : gives the models that have names of their own
    example : how such a name is written, for `tse list models`

    Raises InputError: an opener and a source, or neither; a pattern that is none or takes every
    name; an unknown option.
    """

    pattern: str | None = None
    opener: "Callable[..., LanguageModel | SurprisalModel] | None" = None
    options: tuple[str, ...] = ()
    source: Callable[[str, str | None], Source | None] | None = None
    names: Callable[[], Mapping[str, NamedModel]] = dict
    example: str = ""

    def __post_init__(self) -> None:
        if (self.opener is None) == (self.source is None):
            raise InputError("a backend has an opener or a source, one of the two")
        if self.opener and self.pattern is None:
            raise InputError("an opener needs a pattern of the names that it takes")
        if self.pattern is not None:
            try:
                re.compile(self.pattern)
            except re.error as error:
                raise InputError(f"the pattern {self.pattern!r} is none: {error}") from None
            # Such a plug-in would keep every other model from being opened.
            if all(re.fullmatch(self.pattern, name) for name in ANY_NAMES):
                raise InputError(
                    f"the pattern {self.pattern!r} takes every name; begin names with a word of "
                    "your own, as in 'mine:.*'"
                )
        if self.source and self.options:
            raise InputError("options are those of an opener; a source has none")
        names = [option.name for option in fields(OpenOptions)]
        for option in self.options:
            check_known("option of a backend", option, names)

    def takes(self, name: str) -> bool:
        """Whether a name is one of its own, or matches its pattern."""
        if name in self.names():
            return True
        return self.pattern is not None and bool(re.fullmatch(self.pattern, name, re.DOTALL))
