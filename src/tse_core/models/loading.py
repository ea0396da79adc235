"""Opening models, and the forms in which every public function takes its model."""

import inspect
import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeAlias

from tse_core.errors import InputError, check_known
from tse_core.models.backends.hugging_face import open_module
from tse_core.models.language_model import Kind, LanguageModel
from tse_core.models.network import DTYPES
from tse_core.models.surprisal_model import TIMEOUT, SurprisalModel

AnyModel: TypeAlias = LanguageModel | SurprisalModel
BACKENDS = {  # a pattern of names -> what opens a model of such a name; the first that matches wins
    r"command:.*": "tse_core.models.backends.command:open_command",
    r"https?://.*": "tse_core.models.backends.server:open_server",
    r".*": "tse_core.models.backends.hugging_face:open_hugging_face",
}


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
    timeout: float = TIMEOUT,
):
    """A language model by name, folder or file, or a Hugging Face model that is in memory.

    Tokenizer and configuration are opened at once, the weights when the first logits are asked for. Raises InputError
    if there is no such model, or it is not a language model of the requested kind.

    Parameters
    ----------
    model : str, Path or transformers.PreTrainedModel
        A model that comes with the project (``lab-systematic-causal``) or from the package index
        (``smollm2-135m-instruct``), a folder in Hugging Face's format or with a PEFT adapter, a ``.gguf`` file, a name
        on the Hugging Face hub, or a model in memory, which is run as it is and not changed. What gives surprisals only
        is a `SurprisalModel`: a program (``command:./my-model``), or a server that speaks OpenAI's completions protocol
        (``http://127.0.0.1:8000/v1#name-of-the-model``).
    tokenizer, name : of a model in memory
        Its results are kept only if it has a name, e.g. "run-7": under it and a hash of weights, configuration and the
        logits of a fixed probe.
    kind : "causal" or "masked"; by default read from the model's configuration
    device : "auto" takes a GPU where there is one; "map" spreads a model over all of them; else torch's name for one
    dtype : precision of the weights, "float32", "float16" or "bfloat16"; all but float32 are marked in every signature
    revision : branch, tag or commit on the hub
    bos : what a causal model reads before a sentence, see `LanguageModel`
    trust_remote_code : allow a hub repository to run its own code; weights are read from safetensors only in any case
    timeout : seconds that a server or a program may take for one whole answer

    Examples
    --------
    >>> load_model("lab-systematic-masked").kind
    'masked'

    A network of your own, such as nanoGPT's, which takes `idx` and gives `(logits, loss)`, needs a wrapper; its logits
    must be those at every place, which nanoGPT gives where there are targets::

        class Wrapped(torch.nn.Module):
            def __init__(self, gpt):
                super().__init__()
                self.gpt, size = gpt, gpt.config
                self.config = transformers.GPT2Config(vocab_size=size.vocab_size, n_positions=size.block_size)

            def forward(self, input_ids, **_):
                return transformers.modeling_outputs.CausalLMOutput(logits=self.gpt(input_ids, input_ids)[0])

        model = load_model(Wrapped(gpt), tokenizer)
    """
    options = {option: value for option, value in locals().items() if option != "model"}
    check_known("dtype", dtype, DTYPES)
    if not isinstance(model, str | Path):
        opener: Any = open_module
    else:
        model = str(model)
        opener = resolve_name(next(place for names, place in BACKENDS.items() if re.fullmatch(names, model, re.DOTALL)))
    taken = {key for key, each in inspect.signature(opener).parameters.items() if each.kind == each.KEYWORD_ONLY}
    known = inspect.signature(load_model).parameters
    for option in options.keys() - taken:
        if options[option] != known[option].default:
            what = model if isinstance(model, str) else "a model in memory"
            raise InputError(f"{what} takes no {option}; leave {option} out")
    return opener(model, **{option: options[option] for option in taken})


def as_model(model) -> AnyModel:
    """A model as it is, or the one that a name or path means (see `load_model`)."""
    return model if isinstance(model, AnyModel) else load_model(model)


def as_language_model(model) -> LanguageModel:
    """As `as_model`; raises InputError for a model that gives surprisals only."""
    found = as_model(model)
    if not isinstance(found, LanguageModel):
        raise InputError(f"{found.name} gives surprisals only; this needs distributions over a vocabulary")
    return found
