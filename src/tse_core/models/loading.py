"""Opening models, and the forms in which every public function takes its model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, overload

import torch

from tse_core.errors import InputError, check_flag, check_known, parsing
from tse_core.models.backend import TIMEOUT, OpenOptions
from tse_core.models.discovery import backend_of
from tse_core.models.folders import laboratory_models
from tse_core.models.hugging_face import open_hugging_face, open_module
from tse_core.models.language_model import KindRequest, LanguageModel
from tse_core.models.network import DTYPES
from tse_core.models.surprisal_model import SurprisalModel

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

AnyModel: TypeAlias = LanguageModel | SurprisalModel
# Options of a model in files, and of one in memory.
IN_FILES = ("kind", "device", "dtype", "revision", "bos", "trust_remote_code")
IN_MEMORY = ("tokenizer", "name", "fingerprint", "kind", "bos")


@overload
def load_model(
    model: str | Path,
    *,
    kind: KindRequest | None = None,
    device: str = "auto",
    dtype: str = "float32",
    revision: str | None = None,
    bos: str = "default",
    trust_remote_code: bool = False,
) -> LanguageModel: ...
@overload
def load_model(model: str, *, bos: str = "default", timeout: float) -> SurprisalModel: ...
@overload
def load_model(
    model: torch.nn.Module,
    tokenizer: "PreTrainedTokenizerBase",
    *,
    name: str | None = None,
    fingerprint: str | None = None,
    kind: KindRequest | None = None,
    bos: str = "default",
) -> LanguageModel: ...
def load_model(
    model: Any,
    tokenizer: Any = None,
    *,
    name: str | None = None,
    fingerprint: str | None = None,
    kind: KindRequest | None = None,
    device: str = "auto",
    dtype: str = "float32",
    revision: str | None = None,
    bos: str = "default",
    trust_remote_code: bool = False,
    timeout: float = TIMEOUT,
) -> AnyModel:
    """A language model by name, folder or file, or a Hugging Face model that is in memory.

    Tokenizer and configuration are opened at once, the weights when the first logits are computed.
    Raises InputError if there is no such model, or it is not a language model of the requested
    kind.

    Parameters
    ----------
    model : str, Path or transformers.PreTrainedModel
        A name of ``tse list models`` (``lab-systematic-causal``), a folder in Hugging Face's
        format, a name on the Hugging Face hub, or a model in memory, which is run as it is and not
        changed. Plug-ins take further names, which ``tse list models`` shows, too; a model of
        theirs that gives surprisals only is a `SurprisalModel`.
    tokenizer, name, fingerprint : of a model in memory
        Tables show its name. Its results are kept only where you give a fingerprint, a word of your
        own: under this word and a hash of weights, configuration and tokenizer. The word stands for
        whatever is no weight, such as a hook or a patched function: another one needs another word.
    kind : "causal", "masked" or "mntp"; by default read from the model's configuration
        "mntp" is a masked model that predicts a mask at the position before it (masked next token
        prediction).
    device : "auto" takes a GPU where there is one; "map" spreads a model over all of them; else
        torch's name for one
    dtype : precision of the weights, "float32", "float16" or "bfloat16"; all but float32 are marked
        in every signature
    revision : branch, tag or commit on the hub
    bos : what a causal model reads before a sentence, see `LanguageModel`
    trust_remote_code : allow a folder or a hub repository to run its own code; weights are read
        from safetensors only in any case
    timeout : seconds that a model outside this process may take for one whole answer
        A type checker, which reads no names, takes a name with `timeout` for that of a
        `SurprisalModel`.

    Examples
    --------
    >>> load_model("lab-systematic-masked").kind
    'masked'

    A network of your own, such as nanoGPT's, which takes `idx` and gives `(logits, loss)`, needs a
    wrapper; its logits must be those at every position, which nanoGPT gives
    where there are targets::

        class Wrapped(torch.nn.Module):
            def __init__(self, gpt):
                super().__init__()
                self.gpt = gpt
                self.config = transformers.GPT2Config(
                    vocab_size=gpt.config.vocab_size, n_positions=gpt.config.block_size
                )

            def forward(self, input_ids, **_):
                logits, _ = self.gpt(input_ids, input_ids)
                return transformers.modeling_outputs.CausalLMOutput(logits=logits)

        model = load_model(Wrapped(gpt), tokenizer)
    """
    check_known("dtype", dtype, DTYPES)
    check_flag("trust_remote_code", trust_remote_code)
    if kind is not None:
        check_known("kind of model", kind, get_args(KindRequest))
    options = OpenOptions(
        tokenizer=tokenizer,
        name=name,
        fingerprint=fingerprint,
        kind=kind,
        device=device,
        dtype=dtype,
        revision=revision,
        bos=bos,
        trust_remote_code=trust_remote_code,
        timeout=timeout,
    )
    if not isinstance(model, str | Path):
        return open_module(model, **options.for_opener("a model in memory", IN_MEMORY))
    path = str(model)
    if not path.strip():
        raise InputError("the name of a model is empty")
    # A plug-in that opens models itself; one that gives a folder is asked by `source_of`.
    backend = None if path in laboratory_models() else backend_of(path)
    if backend and backend.opener:
        return backend.opener(path, **options.for_opener(path, backend.options))
    # Whatever a library, or a setting of another type, makes of a folder's files.
    with parsing(f"{path}: cannot be opened as a model"):
        return open_hugging_face(path, **options.for_opener(path, IN_FILES))


def as_model(model: AnyModel | str | Path) -> AnyModel:
    """A model as it is, or the one that a name or path means (see `load_model`)."""
    if isinstance(model, AnyModel):
        return model
    return load_model(model)


def as_language_model(model: AnyModel | str | Path) -> LanguageModel:
    """As `as_model`; raises InputError for a model that gives surprisals only."""
    opened = as_model(model)
    if not isinstance(opened, LanguageModel):
        raise InputError(
            f"{opened.name} gives surprisals only; this needs distributions over a vocabulary"
        )
    return opened
