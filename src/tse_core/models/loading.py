"""Opening models, and the forms in which every public function takes its model.

Another package adds a kind of model as an entry point of the group `PLUGINS`, which names a
`Backend`::

    [project.entry-points."tse_core.backends"]
    frequencies = "my_package:backend"
"""

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import torch

from tse_core.errors import InputError, check_known, warn
from tse_core.models.backends import Backend, OpenOptions
from tse_core.models.backends.command import open_command, open_docker
from tse_core.models.backends.hugging_face import open_hugging_face, open_module
from tse_core.models.backends.server import open_server
from tse_core.models.language_model import Kind, LanguageModel
from tse_core.models.network import DTYPES
from tse_core.models.surprisal_model import TIMEOUT, SurprisalModel

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

AnyModel: TypeAlias = LanguageModel | SurprisalModel
# The first that takes a name opens it; plug-ins come before the last, which takes every name.
BACKENDS = (
    Backend(r"command:.*", open_command, options=("timeout",)),
    Backend(r"docker://.*", open_docker, options=("timeout",)),
    Backend(r"https?://.*", open_server, options=("bos", "timeout")),
    Backend(
        r".*",
        open_hugging_face,
        options=("kind", "device", "dtype", "revision", "bos", "trust_remote_code"),
    ),
)
IN_MEMORY = ("tokenizer", "name", "fingerprint", "kind", "bos")  # options of a model in memory
PLUGINS = "tse_core.backends"


@overload
def load_model(
    model: str | Path,
    *,
    kind: Kind | None = None,
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
    kind: Kind | None = None,
    bos: str = "default",
) -> LanguageModel: ...
def load_model(
    model: Any,
    tokenizer: Any = None,
    *,
    name: str | None = None,
    fingerprint: str | None = None,
    kind: Kind | None = None,
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
        A model that comes with the project (``lab-systematic-causal``) or from the package index
        (``smollm2-135m-instruct``), a folder in Hugging Face's format or with a PEFT adapter, a
        ``.gguf`` file, a name on the Hugging Face hub, or a model in memory, which is run as it is
        and not changed. A model that gives surprisals only becomes a `SurprisalModel`: a program
        (``command:./my-model``), an image of docker's that prints what lm-zoo's do
        (``docker://me/my-model``), or a server that speaks OpenAI's completions protocol
        (``http://127.0.0.1:8000/v1#name-of-the-model``).
    tokenizer, name, fingerprint : of a model in memory
        Tables show its name. Its results are kept only where you give a fingerprint, a word of your
        own: under this word and a hash of weights, configuration and tokenizer. The word stands for
        whatever is no weight, such as a hook or a patched function: another one needs another word.
    kind : "causal" or "masked"; by default read from the model's configuration
    device : "auto" takes a GPU where there is one; "map" spreads a model over all of them; else
        torch's name for one
    dtype : precision of the weights, "float32", "float16" or "bfloat16"; all but float32 are marked
        in every signature
    revision : branch, tag or commit on the hub
    bos : what a causal model reads before a sentence, see `LanguageModel`
    trust_remote_code : allow a folder or a hub repository to run its own code; weights are read
        from safetensors only in any case
    timeout : seconds that a server or a program may take for one whole answer
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
    backend = backend_of(path)
    return backend.opener(path, **options.for_opener(path, backend.options))


def backend_of(name: str) -> Backend:
    """The backend that opens a model of this name: built-in, of a plug-in, or the last built-in.

    Raises InputError where several plug-ins take the name.
    """
    *specific_backends, last_backend = BACKENDS
    for backend in specific_backends:
        if backend.takes(name):
            return backend
    plugins = [(entry, backend) for entry, backend in _plugins() if backend.takes(name)]
    if len(plugins) > 1:
        packages = " and ".join(sorted(_description(entry) for entry, _ in plugins))
        raise InputError(f"{name} is taken by {packages}; uninstall all but one of them")
    if plugins:
        _, backend = plugins[0]
        return backend
    return last_backend


def _plugins() -> Iterator[tuple[EntryPoint, Backend]]:
    """The backends of installed packages; warns of each that cannot be loaded."""
    for entry in entry_points(group=PLUGINS):
        try:
            backend = entry.load()
            if not isinstance(backend, Backend):
                raise TypeError(f"{entry.value} is no Backend")
        except Exception as error:  # whatever another package raises
            reason = f"{type(error).__name__}: {error}"
            warn(f"{_description(entry)} cannot be loaded ({reason})")
        else:
            yield entry, backend


def _description(entry: EntryPoint) -> str:
    """What messages call a plug-in."""
    package = entry.dist.name if entry.dist else "unknown"
    return f"the plug-in {entry.name} of the package {package}"


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
