"""One way in: what every public function takes for its model."""

from typing import Protocol, runtime_checkable

from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel, load_model


@runtime_checkable
class SurprisalModel(Protocol):
    """A model that gives surprisals of sentences but no distributions, e.g. one behind a command.

    Attributes
    ----------
    name, label : str
        How it was asked for, and how tables and charts call it.
    kind : str
        Neither "causal" nor "masked".
    device : where it computes, as far as one knows
    """

    name: str
    label: str
    kind: str
    device: object

    def identity(self) -> str:
        """Name and hash, e.g. ``my-model@1f3c9a27``."""

    def policies(self) -> dict[str, str]:
        """What its scores depend on besides itself and the text."""

    def with_policies(self, *, bos=None, space=None) -> "SurprisalModel":
        """Itself; it refuses policies, which are its own affair. Raises InputError."""

    def token_surprisals(self, sentences, advance=None) -> list:
        """One object a sentence: tokens, starts, ends (characters), bits, unknown, all of one length."""


def as_model(model) -> LanguageModel | SurprisalModel:
    """A model as it is, or the one that a name or path means (see `load_model`). Raises InputError."""
    return model if isinstance(model, LanguageModel | SurprisalModel) else load_model(model)


def as_language_model(model) -> LanguageModel:
    """As `as_model`; raises InputError for a model that gives surprisals only."""
    found = as_model(model)
    if not isinstance(found, LanguageModel):
        raise InputError(f"{found.name} gives surprisals only; this needs distributions over a vocabulary")
    return found
