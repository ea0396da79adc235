"""The forms in which every public function takes its model."""

import re
from pathlib import Path

from tse_core.errors import InputError
from tse_core.models.backends import AnyModel, Request, open_model
from tse_core.models.backends.hugging_face import open_module
from tse_core.models.language_model import Kind, LanguageModel


def load_model(
    model,
    tokenizer=None,
    *,
    name: str | None = None,
    kind: Kind | None = None,
    device: str = "auto",
    dtype: str = "float32",
    revision: str | None = None,
    bos: str = "default",
    trust_remote_code: bool = False,
):
    """A language model by name, folder or file, or a Hugging Face model that is in memory.

    Tokenizer and configuration are opened at once, the weights when the first logits are asked for. Raises InputError
    if there is no such model, or it is not a language model of the requested kind.

    Parameters
    ----------
    model : str, Path or transformers.PreTrainedModel
        A model that comes with the project (``lab-systematic-causal``) or from the package index
        (``smollm2-135m-instruct``), a folder in Hugging Face's format or with a PEFT adapter, a ``.gguf`` file, a name
        on the Hugging Face hub, a model in memory, which is run as it is and not changed, or what gives surprisals only
        (`SurprisalModel`): a program (``command:./my-model``, ``docker://image``), a server that speaks OpenAI's
        completions protocol (``http://127.0.0.1:8000/v1#name-of-the-model``).
    tokenizer : transformers.PreTrainedTokenizerFast
        Of a model in memory; other models bring their own.
    name : str, optional
        Of a model in memory, e.g. "run-7". Its results are kept under this name and a hash of its weights, its
        configuration and its log-probabilities of a fixed probe. Those of a model in memory without one are not kept.
    kind : "causal" or "masked", optional
        Read from the model's configuration where that is clear.
    device : str
        "auto" takes a GPU where there is one; "map" spreads a model that is too large for one over all of them; else
        any name that torch knows ("cpu", "cuda:1"). A model in memory stays where it is.
    dtype : "float32", "float16" or "bfloat16"
        Precision of the weights. Anything but float32 is marked in every signature.
    revision : str, optional
        Branch, tag or commit on the hub.
    bos : "default", "tokenizer", "add", "none" or the text of a token
        What a causal model reads before a sentence, see `LanguageModel`.
    trust_remote_code : bool
        Allow a hub repository to run its own code. Weights are read from safetensors only in any case.

    Examples
    --------
    >>> load_model("lab-systematic-masked").kind
    'masked'
    """
    if isinstance(model, str | Path):
        if tokenizer is not None or name is not None:
            raise InputError(f"{model} brings its own tokenizer and name; others belong to a model in memory")
        return open_model(Request(str(model), kind, device, dtype, revision, bos, trust_remote_code))
    if not hasattr(model, "config") or not hasattr(model, "state_dict"):
        raise InputError(f"a model is a name, a path or a Hugging Face model, not {type(model).__name__}")
    if tokenizer is None:
        raise InputError("a model in memory needs its tokenizer: load_model(model, tokenizer)")
    if (device, dtype, revision) != ("auto", "float32", None):
        raise InputError("a model in memory keeps its device and its precision, and has no revision")
    if name is not None and not re.fullmatch(r"[^\s@/\\]+", str(name)):
        raise InputError(f"the name of a model in memory is {name!r}; it must be one word, such as 'run-7'")
    return open_module(model, tokenizer, kind=kind, bos=bos, name=name)


def as_model(model) -> AnyModel:
    """A model as it is, or the one that a name or path means (see `load_model`)."""
    return model if isinstance(model, AnyModel) else load_model(model)


def as_language_model(model) -> LanguageModel:
    """As `as_model`; raises InputError for a model that gives surprisals only."""
    found = as_model(model)
    if not isinstance(found, LanguageModel):
        raise InputError(f"{found.name} gives surprisals only; this needs distributions over a vocabulary")
    return found
