"""One way in: what every public function takes for its model."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from tse_core.errors import InputError
from tse_core.models.language_model import Kind, LanguageModel


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


def load_model(
    model,
    *,
    tokenizer=None,
    kind: Kind | None = None,
    device: str = "auto",
    dtype: str = "float32",
    revision: str | None = None,
    bos: str = "default",
    trust_remote_code: bool = False,
):
    """A language model by name, folder or file, or a Hugging Face model that is in memory.

    Tokenizer and configuration are opened at once, the weights when the first logits are asked for.

    Parameters
    ----------
    model : str, Path or transformers.PreTrainedModel
        A model that comes with the project (``lab-systematic-causal``) or from the package index (``smollm2-135m``), a
        folder in Hugging Face's format, a ``.gguf`` file, a name on the Hugging Face hub, a model in memory, which is
        not copied and is set to evaluation, or a program (``command:./my-model``, ``docker://image``), which gives
        surprisals only: `tse_core.models.SurprisalModel`.
    tokenizer : transformers.PreTrainedTokenizerFast
        Of a model in memory; other models bring their own.
    kind : "causal" or "masked", optional
        Read from the model's configuration where that is clear.
    device : str
        "auto" takes a GPU where there is one; "map" spreads a model that is too large for one over all of them (with
        the package accelerate); else any name that torch knows ("cpu", "cuda:1"). A model in memory stays where it is.
    dtype : "float32", "float16" or "bfloat16"
        Precision of the weights. Anything but float32 is marked in every signature.
    revision : str, optional
        Branch, tag or commit on the hub.
    bos : "default", "tokenizer", "add", "none" or the text of a token
        What a causal model reads in front of a sentence, see `LanguageModel`. By default what its tokenizer puts there,
        else the token that opened documents in its pretraining. Laboratory models and the paper's GPT-2 XL, which were
        trained or measured with nothing in front, keep nothing.
    trust_remote_code : bool
        Allow a hub repository to run its own code. Weights are read from safetensors only, whatever this says.

    Returns
    -------
    LanguageModel

    Raises
    ------
    InputError
        If there is no such model, or it is no language model of the kind asked for.
    """
    from tse_core.models.opening import open_model, open_module

    if isinstance(model, str | Path):
        if tokenizer is not None:
            raise InputError(f"{model} brings its own tokenizer; another one belongs to a model in memory")
        return open_model(
            str(model), kind=kind, device=device, dtype=dtype, revision=revision, bos=bos, trust=trust_remote_code
        )
    if not hasattr(model, "config") or not hasattr(model, "state_dict"):
        raise InputError(f"a model is a name, a path or a Hugging Face model, not {type(model).__name__}")
    if tokenizer is None:
        raise InputError("a model in memory needs its tokenizer: load_model(model, tokenizer=...)")
    if (device, dtype, revision) != ("auto", "float32", None):
        raise InputError("a model in memory keeps its device and its precision, and has no revision")
    return open_module(model, tokenizer, kind=kind, bos=bos)


def as_model(model) -> LanguageModel | SurprisalModel:
    """A model as it is, or the one that a name or path means (see `load_model`). Raises InputError."""
    return model if isinstance(model, LanguageModel | SurprisalModel) else load_model(model)


def as_language_model(model) -> LanguageModel:
    """As `as_model`; raises InputError for a model that gives surprisals only."""
    found = as_model(model)
    if not isinstance(found, LanguageModel):
        raise InputError(f"{found.name} gives surprisals only; this needs distributions over a vocabulary")
    return found
