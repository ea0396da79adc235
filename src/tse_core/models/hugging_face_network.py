"""The network of a Hugging Face model. What it is, is read from its configuration, never guessed from its numbers.

Prefixes are shared in trees by the architectures of `TREES` alone, whose attention adds the mask that it is given.
Every other network computes batches of equally long sequences, and its own logits.
"""

# mypy: disable-error-code=override
import hashlib
import inspect
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import torch

from tse_core.errors import InputError
from tse_core.models.folders import quiet
from tse_core.models.identity import bytes_of, canonical, tokenizer_digest
from tse_core.models.network import Network

TREES = (  # each is compared with plain transformers in tests/core/test_families.py
    "gpt2", "gpt_neo", "gptj", "gpt_neox", "opt", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2",
    "gemma3_text", "phi", "phi3",
)  # fmt: skip
EMBEDS_LAST = (  # masked architectures that compute nothing after their output embedding, compared there as well
    "bert", "roberta", "electra", "albert", "distilbert", "modernbert", "mpnet", "xlm-roberta", "camembert",
)  # fmt: skip
ADDS_A_MASK = ("sdpa", "eager")  # attention that adds a mask of (batch, 1, nodes, nodes)
SAYS_LAYERS = ("qwen2", "qwen3", "gemma2", "gemma3_text")  # they read from layer_types which layers see everything
CAPS_LOGITS = ("gemma2", "gemma3_text")  # they read final_logit_softcapping
PROBE = (4, 32)  # sequences and tokens of a named network's probe
one_pass = threading.RLock()  # for all networks: two of them may share a module, such as a head


class HuggingFaceNetwork(Network):
    """Forward passes of a module of transformers, which compute logits only where asked.

    A network of a listed architecture gives the vectors in front of its output embedding as `states`, and `project`
    turns them into logits, so that a caller bounds the memory of the logits. The states of others are their own logits.
    Passes of all networks exclude one another, and switch autocast off.
    """

    module: Any
    causal: bool
    _no_gradients: Any = torch.inference_mode
    _head_apart = True  # whether the output embedding may be computed by itself, and at some places only

    def __init__(self, config, *, causal: bool):
        text = config.get_text_config()
        self.causal, self.vocabulary_size = causal, text.vocab_size
        self.window, self.scaled_beyond = _window(text), _scaled_beyond(text)

    @property
    def device(self) -> torch.device:
        return next(self.module.parameters()).device

    @property
    def max_length(self) -> int | None:
        return longest(self.module)

    @property
    def takes_trees(self) -> bool:
        return self.causal and not self.without_trees

    @property
    def without_trees(self) -> str:
        from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

        config = self.module.config
        attention = getattr(config, "_attn_implementation", None)
        computed_by = ALL_ATTENTION_FUNCTIONS.get(attention)
        if not self.causal:
            return ""
        if config.model_type not in TREES:
            return f"the architecture {config.model_type} is not one for which it was tested"
        if not _of_library(self.module):
            return f"{type(self.module).__name__} is a class of its own"
        if attention not in ADDS_A_MASK or (computed_by and not computed_by.__module__.startswith("transformers.")):
            return f"its attention is {computed_by or attention}, not the library's {' or '.join(ADDS_A_MASK)}"
        return ""

    @property
    def _splits(self) -> bool:
        """Whether states are those in front of the output embedding."""
        known = self.module.config.model_type in (TREES if self.causal else EMBEDS_LAST)
        return self._head_apart and known and _of_library(self.module)

    def states(self, ids, rows, columns):
        """States (n, width) at n places of a batch of equally long sequences (batch, length)."""
        with self._pass():
            if self._splits:
                return self._before_head(rows, columns, input_ids=ids)
            return self._own_logits(ids, rows, columns)

    def tree_states(self, ids, depths, visible, rows, columns):
        """As `Network.tree_states`."""
        with self._pass():
            dtype = self.module.get_input_embeddings().weight.dtype
            mask = torch.zeros(visible.shape, dtype=dtype, device=visible.device)
            mask.masked_fill_(~visible, torch.finfo(dtype).min)
            return self._before_head(rows, columns, input_ids=ids, position_ids=depths, attention_mask=mask[:, None])

    def project(self, states):
        """Logits (n, vocabulary) in float32."""
        with self._pass():
            return self._projected(states).float() if self._splits else states.float()

    @contextmanager
    def _pass(self) -> Iterator[None]:
        """One pass at a time, in the precision of the weights, without gradients."""
        with one_pass, self._no_gradients(), torch.autocast(self.device.type, enabled=False):
            yield

    def _before_head(self, rows, columns, **inputs):
        """The input of the output embedding, which itself computes nothing, at some places."""
        taken = []

        def keep(_, given):
            taken.append(given[0])
            return (given[0][..., :0, :],)

        hook = self.module.get_output_embeddings().register_forward_pre_hook(keep)
        try:
            self._run(**inputs)
        finally:
            hook.remove()
        return taken[0][rows.to(taken[0].device), columns.to(taken[0].device)]

    def _projected(self, states):
        logits = self.module.get_output_embeddings()(states)
        config = self.module.config
        cap = config.final_logit_softcapping if config.model_type in CAPS_LOGITS else None
        return logits if cap is None else cap * torch.tanh(logits / cap)

    def _own_logits(self, ids, rows, columns):
        """The model's logits at some places; one of transformers in files computes only the columns that are asked."""
        module, known, width, options = self.module, _of_library(self.module), ids.shape[1], {}
        if self._head_apart and known and "logits_to_keep" in self._parameters:
            kept, columns = columns.cpu().unique(return_inverse=True)
            width, options = len(kept), {"logits_to_keep": kept}
        found = getattr(self._run(input_ids=ids, **options), "logits", None)
        classifies = known and module.config.model_type in TREES and module.get_output_embeddings() is None
        expected = (len(ids), width, self.vocabulary_size)
        if classifies or not isinstance(found, torch.Tensor) or found.shape != expected:
            raise InputError(
                f"{type(module).__name__} gives no logits over a vocabulary of {self.vocabulary_size:,} entries; "
                "language models of transformers are called ...ForCausalLM, ...LMHeadModel or ...ForMaskedLM"
            )
        return found[rows.to(found.device), columns.to(found.device)]

    def _run(self, **inputs):
        """A pass of the module, which keeps no cache if it has this option."""
        return self.module(**inputs, **({"use_cache": False} if "use_cache" in self._parameters else {}))

    @property
    def _parameters(self) -> Collection[str]:
        return inspect.signature(self.module.forward).parameters


class NetworkInMemory(HuggingFaceNetwork):
    """A network that the caller opened. It is run as it is in each pass, and neither copied nor changed.

    Nothing shows what decides its numbers: an adapter, a hook and another activation leave its weights as they were.
    So its results are kept only under a `name` of the caller's (see `fingerprint`), and it takes trees only if, in
    float32, they give it the log-probabilities of its own logits; that is tested anew for each run of passes.
    """

    _no_gradients = torch.no_grad  # what a module keeps of a pass may be needed for training
    _head_apart = False  # a hook may do something with all of its logits

    def __init__(self, module, *, causal: bool, name: str | None = None):
        super().__init__(module.config, causal=causal)
        self.module, self.name = module, name
        self.keeps_results = name is not None
        self._check()

    def _check(self) -> None:
        """Raise InputError where it holds packed weights, gives no logits over words, or is causal and sees ahead."""
        if packed := [name for name, each in self.module.state_dict().items() if not isinstance(each, torch.Tensor)]:
            raise InputError(
                f"{type(self.module).__name__} holds weights that are not tensors ({packed[0]}), as quantised modules "
                "do, so that the precision of its scores cannot be told; score it before it is quantised"
            )
        ids = self._test_ids()
        self._log_probabilities(ids)
        if self.causal and self._reads_ahead(ids):
            raise InputError(
                f"{type(self.module).__name__} sees the tokens after the one that it predicts, so it cannot be read as "
                "a causal model"
            )

    @property
    def dtype(self) -> str:
        return dtype_of(self.module)

    def fingerprint(self, tokenizer) -> str:
        """A hash of the name, the tokenizer, the configuration, and the bits of weights and probe as they are now.

        The probe shows what is no weight, such as a hook; the weights and the configuration decide also what the probe
        does not reach: other tokens, and later places.
        """
        draw, shape = torch.Generator().manual_seed(0), (PROBE[0], min(PROBE[1], self.max_length or PROBE[1]))
        digest = hashlib.sha256(f"{self.name}\n{tokenizer_digest(tokenizer)}\n".encode())
        for ids in torch.randint(self.vocabulary_size, shape, generator=draw).to(self.device):
            digest.update(bytes_of(self._log_probabilities(ids[None])))
        digest.update(canonical(self.module.config.to_dict()))
        for name, tensor in chain(self.module.named_parameters(), self.module.named_buffers()):
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            digest.update(bytes_of(tensor))
        return digest.hexdigest()

    @property
    def without_trees(self) -> str:
        if not self.causal or super().without_trees:
            return super().without_trees
        if self.dtype == "float32" and self._trees_agree():
            return ""
        self._check()
        if self.dtype != "float32":
            return f"a network in memory is tested for it in float32 only, and this one is {self.dtype}"
        return "trees of prefixes give it other log-probabilities than its own logits"

    def tree_states(self, ids, depths, visible, rows, columns):
        with self._pass():
            return self._projected(super().tree_states(ids, depths, visible, rows, columns))

    @contextmanager
    def _pass(self) -> Iterator[None]:
        """As it says, in evaluation mode, and without the autocast that Accelerate puts around a forward pass."""
        with super()._pass():
            module = self.module
            training = [part for part in module.modules() if part.training]
            hooks = [part.register_forward_pre_hook(_refuse_autocast) for part in module.modules()]
            wrapped = vars(module).get("forward") if "_original_forward" in vars(module) else None
            try:
                for part in training:
                    part.training = False
                if wrapped:
                    module.forward = module._original_forward
                yield
            finally:
                for hook in hooks:
                    hook.remove()
                for part in training:
                    part.training = True
                if wrapped:
                    module.forward = wrapped

    def _log_probabilities(self, ids):
        """By its own logits, of every token at each place: (batch * length, vocabulary)."""
        places = torch.arange(ids.numel(), device=self.device)
        with quiet():  # the library warns that an id may be padding
            return self.logits(ids, places // ids.shape[1], places % ids.shape[1]).log_softmax(-1)

    def _test_ids(self) -> torch.Tensor:
        """A sequence (1, length) that no limit or window cuts."""
        length = min([16, *filter(None, (self.max_length, self.window, self.scaled_beyond))])
        return torch.arange(length, device=self.device)[None] % self.vocabulary_size

    def _reads_ahead(self, ids) -> bool:
        """Whether later tokens move the log-probabilities at a place, compared with what the token there does."""
        half = ids.shape[1] // 2
        other, later = ids.clone(), ids.clone()
        other[:, half] = (ids[:, half] + 1) % self.vocabulary_size
        later[:, half + 1 :] = (ids[:, half + 1 :] + 1) % self.vocabulary_size
        own, otherwise, ahead = (self._log_probabilities(each)[half] for each in (ids, other, later))
        rounding = 100 if self.dtype == "float32" else 10  # how many times smaller it must be
        return bool((ahead - own).abs().max() > (otherwise - own).abs().max() / rounding)

    def _trees_agree(self) -> bool:
        """Whether a tree whose two branches differ in two tokens gives the log-probabilities of both sequences.

        Rounding must be a thousand times smaller than what seeing the other branch would change.
        """
        ids = self._test_ids()
        length, shared = ids.shape[1], ids.shape[1] - 4
        if shared < 2:
            return False
        depths = torch.tensor([[*range(shared + 2), shared, shared + 1]], device=self.device)
        all_before = torch.ones(1, length, length, dtype=torch.bool, device=self.device).tril()
        visible = all_before.clone()
        visible[:, -2:, -4:-2] = False  # the second branch does not see the first
        branches = torch.cat([ids[:, :-2], torch.cat([ids[:, :shared], ids[:, -2:]], 1)])
        expected = self._log_probabilities(branches)[[shared + 1, 2 * shared + 3]]  # at the end of each
        nodes = torch.tensor([shared + 1, length - 1], device=self.device)
        apart = []
        for seen in (visible, all_before):
            found = self.tree_states(ids, depths, seen, 0 * nodes, nodes).float().log_softmax(-1)
            apart.append((found - expected).abs().max())
        return bool(apart[0] <= 1e-4 and apart[0] <= apart[1] / 1000)


def _refuse_autocast(part, inputs) -> None:
    for given in inputs[:1]:
        if isinstance(given, torch.Tensor) and torch.is_autocast_enabled(given.device.type):
            raise InputError(
                f"the network switches autocast on by itself ({type(part).__name__}), so that the precision of its "
                "scores cannot be told; score it without that"
            )


def _of_library(module) -> bool:
    return type(module).__module__.startswith("transformers.models.")


def dtype_of(module) -> str:
    """The precision of a module's parameters; several are joined by "+"."""
    return "+".join(sorted({str(parameter.dtype).removeprefix("torch.") for parameter in module.parameters()}))


def longest(module) -> int | None:
    """The longest sequence that a model reads, in tokens; None where its configuration says nothing.

    In RoBERTa's relatives the position of the first token is the padding's, plus one.
    """
    for name, part in module.named_modules():
        padding = getattr(part, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            return len(part.weight) - padding - 1
    limit = getattr(module.config.get_text_config(), "max_position_embeddings", None)
    return limit if limit and limit > 0 else None


def _window(config) -> int | None:
    """The window of the layers that do not see everything, in tokens; None if all layers do.

    Of the architectures of `TREES`. Each reads settings of its own, and a configuration may hold others as well.
    """
    if config.model_type == "gpt_neo":
        return config.window_size if "local" in config.attention_layers else None
    if config.model_type in SAYS_LAYERS and set(config.layer_types) == {"full_attention"}:
        return None
    return getattr(config, "sliding_window", None)


def _scaled_beyond(config) -> int | None:
    """The length beyond which rotary positions are scaled otherwise, for a whole sequence (types dynamic, longrope)."""
    said = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    lengths = []
    for settings in said.values() if any(isinstance(part, dict) for part in said.values()) else [said]:
        kind = settings.get("rope_type") or settings.get("type") or ""
        if kind == "longrope" or "dynamic" in kind:
            own = settings.get("original_max_position_embeddings")
            lengths.append(own or getattr(config, "original_max_position_embeddings", config.max_position_embeddings))
    return min(lengths, default=None)


def in_one_pass(module):
    """The module with GPT-2's GELU, eight operations in transformers, replaced by torch's single one."""
    from transformers.activations import FastGELUActivation, NewGELUActivation

    for parent in list(module.modules()):
        for name, child in parent.named_children():
            if isinstance(child, (NewGELUActivation, FastGELUActivation)):
                setattr(parent, name, torch.nn.GELU(approximate="tanh"))
    return module
