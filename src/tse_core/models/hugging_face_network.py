"""The network of a Hugging Face model.

Its architecture is read from its configuration, never guessed from its numbers. Prefixes are shared
in trees by the architectures of `TREES` alone, whose attention adds any mask to its scores. Every
other network computes batches of equally long sequences, and its own logits.
"""

# mypy: disable-error-code=override
import hashlib
import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import TYPE_CHECKING, Any

import torch

from tse_core.errors import InputError
from tse_core.models.attention import dropped_by_sdpa
from tse_core.models.network import Network

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast

# Causal ones that take packed trees; tests/core/test_families.py compares each with transformers.
TREES = (
    "gpt2", "gpt_neo", "gptj", "gpt_neox", "opt", "llama", "mistral", "qwen2", "qwen3", "gemma",
    "gemma2", "gemma3_text", "phi", "phi3",
)  # fmt: skip
# Masked architectures that compute nothing after their output embedding, compared there as well.
EMBEDS_LAST = (
    "bert", "roberta", "electra", "albert", "distilbert", "modernbert", "mpnet", "xlm-roberta",
    "camembert",
)  # fmt: skip
# Quantisations of weights alone; others quantise activations, too, by what else is in a pass.
WEIGHTS_ONLY = ("gptq", "awq", "hqq", "aqlm", "mxfp4", "vptq", "eetq", "higgs", "spqr", "bitnet")
ADDS_A_MASK = ("sdpa", "eager")  # attention that adds a mask of (batch, 1, nodes, nodes)
CAPS_LOGITS = ("gemma2", "gemma3_text")  # they read final_logit_softcapping
# One lock for all networks: two of them may share a module, such as a head.
one_pass = threading.RLock()


class HuggingFaceNetwork(Network):
    """Forward passes of a module of transformers, with logits at the requested positions only.

    A network of a listed architecture gives the vectors in front of its output embedding as
    `states`, and `project` turns them into logits, so that a caller bounds the memory of the
    logits. The states of others are their own logits.
    """

    module: Any  # for the caller, who may change it
    _inner: Any  # the same module, for the passes here
    causal: bool
    slower_without_trees = True

    def __init__(self, config: "PreTrainedConfig", *, causal: bool):
        text = config.get_text_config()
        self.causal = causal
        self.vocabulary_size = text.vocab_size
        self.one_at_a_time = quantises_activations(config)
        # GPT-Neo calls it window_size.
        self.window = getattr(text, "sliding_window", None) or getattr(text, "window_size", None)
        if not isinstance(self.window, int | None):
            raise InputError(f"config.json says {self.window!r} of attention's window, no number")
        if text.model_type == "gpt_neo":
            # Its own mask has a row for each position that it reads, and so for each node.
            self.window = min(self.window, text.max_position_embeddings)

    @property
    def device(self) -> torch.device:
        for parameter in self._inner.parameters():
            if parameter.device.type != "meta":
                return parameter.device
        # Accelerate keeps weights elsewhere, and brings each to this device for its part of a pass.
        for part in self._inner.modules():
            hook = getattr(part, "_hf_hook", None)
            device = getattr(hook, "execution_device", None)
            if device is not None:
                return torch.device(device)
        return torch.device("meta")

    @property
    def max_length(self) -> int | None:
        return longest(self._inner)

    @property
    def takes_trees(self) -> bool:
        attention = getattr(self._inner.config, "_attn_implementation", None)
        return self.causal and self._head_apart and attention in ADDS_A_MASK

    @property
    def _head_apart(self) -> bool:
        """Whether states are those in front of the output embedding."""
        if self.one_at_a_time:
            return False
        # Code of a model's own may compute something else under the name of a listed type.
        is_of_library = type(self._inner).__module__.startswith("transformers.models.")
        architectures = TREES if self.causal else EMBEDS_LAST
        return is_of_library and self._inner.config.model_type in architectures

    def tensors(self) -> dict[str, torch.Tensor]:
        return dict(chain(self._inner.named_parameters(), self._inner.named_buffers()))

    def states(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        with self._pass():
            if self._head_apart:
                return self._before_head(rows, columns, input_ids=ids)
            logits = getattr(self._run(input_ids=ids), "logits", None)
            shape = (*ids.shape, self.vocabulary_size)
            if not isinstance(logits, torch.Tensor) or logits.shape != shape:
                raise InputError(
                    f"{type(self._inner).__name__} gives no logits over a vocabulary of "
                    f"{self.vocabulary_size:,} entries; language models are called ...ForCausalLM, "
                    "...LMHeadModel or ...ForMaskedLM, and help(tse_core.load_model) shows a "
                    "wrapper for a network of your own"
                )
            return logits[rows.to(logits.device), columns.to(logits.device)]

    def tree_states(
        self,
        ids: torch.Tensor,
        depths: torch.Tensor,
        visible: torch.Tensor,
        rows: torch.Tensor,
        columns: torch.Tensor,
    ) -> torch.Tensor:
        with self._pass():
            dtype = self._inner.get_input_embeddings().weight.dtype
            # Attention adds the mask to its scores: 0 where a node is seen, else the least number.
            mask = torch.zeros(visible.shape, dtype=dtype, device=visible.device)
            mask.masked_fill_(~visible, torch.finfo(dtype).min)
            return self._before_head(
                rows, columns, input_ids=ids, position_ids=depths, attention_mask=mask[:, None]
            )

    def project(self, states: torch.Tensor) -> torch.Tensor:
        if not self._head_apart:
            return states.float()
        config = self._inner.config
        cap = config.final_logit_softcapping if config.model_type in CAPS_LOGITS else None
        with self._pass():
            logits = self._inner.get_output_embeddings()(states)
            if cap is not None:
                logits = cap * torch.tanh(logits / cap)
            return logits.float()

    @contextmanager
    def _pass(self) -> Iterator[None]:
        """One pass at a time, in the precision of the weights, without gradients."""
        with one_pass, torch.no_grad(), torch.autocast(self.device.type, enabled=False):
            yield

    def _before_head(
        self, rows: torch.Tensor, columns: torch.Tensor, **inputs: Any
    ) -> torch.Tensor:
        """The input of the output embedding at n positions, (n, width)."""
        head_inputs = []

        def keep_input(_: torch.nn.Module, arguments: tuple) -> tuple:
            head_inputs.append(arguments[0])
            # The head itself gets no position, and so computes nothing.
            return (arguments[0][..., :0, :],)

        hook = self._inner.get_output_embeddings().register_forward_pre_hook(keep_input)
        try:
            self._run(**inputs)
        finally:
            hook.remove()
        states = head_inputs[0]
        return states[rows.to(states.device), columns.to(states.device)]

    def _run(self, **inputs: Any) -> Any:
        """A pass of the module, which keeps no cache if it has this option."""
        if "use_cache" in inspect.signature(self._inner.forward).parameters:
            inputs["use_cache"] = False
        return self._inner(**inputs)


class NetworkInMemory(HuggingFaceNetwork):
    """A network that the caller opened, run as it is in each pass, neither copied nor changed.

    Nothing shows all that decides its numbers: a hook and another activation leave its weights as
    they were. So its own logits are read, without trees, and its results are kept only
    where the caller gives a `word`, which stands for whatever is no weight.
    """

    _head_apart = False

    def __init__(self, module: Any, *, causal: bool, word: str | None = None):
        super().__init__(module.config, causal=causal)
        self.module = module
        self._inner = module
        self._word = word
        self.keeps_results = word is not None
        # Parts may be of further libraries, which may also be wrapped around the network.
        packages = {type(part).__module__.partition(".")[0] for part in module.modules()}
        further = sorted(packages - set(self.libraries))
        self.libraries = (*self.libraries, *filter(_is_installed, further))
        # Weights that are elsewhere cannot be hashed here.
        is_offloaded = any(part.device.type == "meta" for part in module.parameters())
        if is_offloaded and self.keeps_results:
            raise InputError(
                f"weights of this {type(module).__name__} are offloaded, so that they have no "
                "fingerprint; leave fingerprint out"
            )
        if self.device.type == "meta":
            raise InputError(
                f"the weights of this {type(module).__name__} are not in memory (device 'meta')"
            )
        if getattr(module.config, "attention_type", None) == "block_sparse":
            raise InputError(
                f"{type(module).__name__} turns its sparse attention off for good when it reads a "
                "short text; call set_attention_type('original_full') on it before"
            )
        dropped = dropped_by_sdpa(module.config)
        if dropped and module.config._attn_implementation == "sdpa":
            raise InputError(
                f"the attention of this {type(module).__name__} (sdpa) drops {', '.join(dropped)} "
                "of its configuration; open it with attn_implementation='eager'"
            )

    @property
    def dtype(self) -> str:
        return dtype_of(self.module)

    def configuration(self) -> dict:
        return self.module.config.to_dict()

    def fingerprint(self, tokenizer: "PreTrainedTokenizerFast") -> str:
        """A hash of the caller's word, the present weights, the configuration and the tokenizer."""
        text = f"{self._word}\n{super().fingerprint(tokenizer)}"
        return hashlib.sha256(text.encode()).hexdigest()

    @contextmanager
    def _pass(self) -> Iterator[None]:
        """As for every network, in evaluation mode and without Accelerate's autocast."""
        with super()._pass():
            device_type = self.device.type
            training = [part for part in self.module.modules() if part.training]

            def without_autocast(*_: Any) -> None:
                torch.set_autocast_enabled(device_type, False)

            # Accelerate wraps the outermost forward: its autocast is on when the parts begin.
            has_wrapper = "_original_forward" in vars(self.module)
            parts = list(self.module.children()) if has_wrapper else []
            hooks = [part.register_forward_pre_hook(without_autocast) for part in parts]
            try:
                for part in training:
                    part.training = False
                yield
            finally:
                for part in training:
                    part.training = True
                for part in training:
                    # RWKV divides its weights for inference, and multiplies them for training.
                    if hasattr(part, "_rescale_layers"):
                        part._rescale_layers()
                for hook in hooks:
                    hook.remove()


def quantises_activations(config: "PreTrainedConfig") -> bool:
    """Whether a network's activations are quantised in each pass, by a configuration."""
    settings = getattr(config, "quantization_config", None)
    if not settings:
        return False
    if not isinstance(settings, dict):
        settings = settings.to_dict()
    method = str(settings.get("quant_method", "")).rpartition(".")[2].lower()
    if method == "bitsandbytes" or not method:
        return bool(settings.get("load_in_8bit", False))
    return method not in WEIGHTS_ONLY


def _is_installed(package: str) -> bool:
    """Whether a package has a version; a module of the user's own has none."""
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def dtype_of(module: torch.nn.Module) -> str:
    """The precision of a module's parameters; several are joined by "+"."""
    names = {str(weight.dtype).removeprefix("torch.") for weight in module.parameters()}
    return "+".join(sorted(names))


def longest(module: Any) -> int | None:
    """The longest sequence that a model reads, in tokens; None if its configuration has no limit.

    In RoBERTa's relatives the position of the first token is the padding's, plus one. Rotary
    positions of the types dynamic and longrope are scaled in texts that exceed a length. The limit
    is that length: in a longer text, a beginning would not be read as it is by itself.
    """
    for name, part in module.named_modules():
        padding = getattr(part, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            return len(part.weight) - padding - 1
    config = module.config.get_text_config()
    limit = getattr(config, "max_seq_len", None)  # MPT
    if not limit:
        limit = getattr(config, "max_position_embeddings", None)
    rope = getattr(config, "rope_parameters", None) or {}
    # Where kinds of layers differ, each has its own settings.
    settings_of_layers = [value for value in rope.values() if isinstance(value, dict)]
    for settings in settings_of_layers or [rope]:
        rope_type = settings.get("rope_type", "")
        if "dynamic" in rope_type or rope_type == "longrope":
            unscaled = settings.get("original_max_position_embeddings")
            limit = unscaled or getattr(config, "original_max_position_embeddings", limit)
    return limit if limit and limit > 0 else None


def in_one_pass(module: Any) -> Any:
    """The module with torch's GELU, one operation, in place of transformers' eight."""
    from transformers.activations import FastGELUActivation, NewGELUActivation

    for parent in list(module.modules()):
        for name, child in parent.named_children():
            if isinstance(child, (NewGELUActivation, FastGELUActivation)):
                setattr(parent, name, torch.nn.GELU(approximate="tanh"))
    return module
