"""The network of a Hugging Face model, computing logits only where needed."""

import os
import re
import secrets

import torch

from tse_core.models.identity import Tensor
from tse_core.models.network import Network
from tse_core.results.code import code_of

TYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float64: "F64"}  # in safetensors
PROBE_LENGTH = 64  # tokens of the sequences with which a model is tested when it is opened
PROCESS = secrets.token_hex(8)  # says, with the process id, where a network was changed by hand
REFUSALS = (
    AssertionError,
    AttributeError,
    TypeError,
    ValueError,
    RuntimeError,
    IndexError,
)  # of a network that cannot do it


class HuggingFaceNetwork(Network):
    """Forward passes that project onto the vocabulary only where asked.

    `states` gives the vectors that go into the output embedding, `project` turns them into logits; so a caller bounds
    the memory of the logits by projecting a few states at a time. Whether this works for a model is tested when
    it is opened. Where it does more after its output embedding (scaling, capping), its own logits are used.

    `takes_trees` says whether a causal model takes packed trees of prefixes, `window` how many tokens a layer sees at
    most (None: all). A tree's mask stands in place of a layer's window, so a tree has at most `window` tokens.
    `reads_ahead` says whether a causal model's logits depend on later tokens, as those of a masked model do.
    """

    def __init__(self, module, *, causal: bool):
        self.module = _in_one_pass(module)
        self.causal = causal
        self._head = module.get_output_embeddings()
        self.max_length = longest(module)
        with torch.inference_mode():
            length = min(PROBE_LENGTH, self.max_length or PROBE_LENGTH)
            ids = 1 + torch.arange(length, device=self.device) % 4
            half = length // 2
            ids = torch.stack([ids, torch.cat([ids[:half], ids.flip(0)[half:]])])
            rows, columns = torch.tensor([[0, 1, 1], [half, 0, length - 1]], device=self.device)
            logits = module(input_ids=ids).logits
            first, second = logits[:, max(half - 1, 0)].float()
            self.reads_ahead = causal and half > 0 and bool(_apart(first, second).mean() > self._tolerance)
            self.vocabulary_size = logits.shape[-1]
            expected = logits[rows, columns].float()
            if not self._agrees(lambda: self.logits(ids, rows, columns), expected):
                self._head = None
            self.window = _window(module.config)
            self.takes_trees = causal and self._tree_agrees()
        self._made = _parts(module)

    @property
    def device(self) -> torch.device:
        return next(self.module.parameters()).device

    @property
    def parameter_count(self) -> int:
        return sum(parameter.numel() for parameter in self.module.parameters())

    @torch.inference_mode()
    def states(self, ids, rows, columns):
        """States (n, width) at n places of a batch of equally long sequences (batch, length)."""
        return self._run(rows, columns, input_ids=ids)

    @torch.inference_mode()
    def tree_states(self, ids, depths, visible, rows, columns):
        """As `Network.tree_states`."""
        blocked = torch.zeros(visible.shape, dtype=self.module.dtype, device=visible.device)
        blocked.masked_fill_(~visible, torch.finfo(self.module.dtype).min)
        return self._run(rows, columns, input_ids=ids, position_ids=depths, attention_mask=blocked[:, None])

    @torch.inference_mode()
    def project(self, states):
        """Logits (n, vocabulary) in float32."""
        return (states if self._head is None else self._head(states)).float()

    def tensors(self) -> list[Tensor]:
        """The weights as `save_pretrained` writes them: shared ones only once."""
        tied, places, found = set(getattr(self.module, "_tied_weights_keys", None) or ()), set(), []
        weights = self.module.state_dict()
        for name in sorted(weights, key=lambda name: (name in tied, name)):
            tensor = weights[name]
            place = (tensor.data_ptr(), tensor.shape, tensor.stride())
            if place not in places or not tensor.numel():
                found.append(_as_file(name, tensor.detach()))
            places.add(place)
        return found

    def configuration(self) -> dict:
        """The library's; beside it, hooks and changes of modules by hand, which no other process recognises."""
        parts, hooks = _parts(self.module), _hooks(self.module)
        by_hand = {"changed": [PROCESS, os.getpid(), sorted(parts), sorted(hooks)]}
        return self.module.config.to_diff_dict() | (by_hand if hooks or parts != self._made else {})

    def checksum(self) -> int:
        return 0 if any(part.is_meta for part in self.module.parameters()) else super().checksum()  # meta: on a disk

    @property
    def code(self) -> str:
        return code_of({type(part) for part in self.module.modules()})

    def _run(self, rows, columns, **inputs):
        """What the model gives at the places, which may lie on another device than its answer."""
        found = self.module(**inputs, **self._no_cache).logits if self._head is None else self._before_head(**inputs)
        return found[rows.to(found.device), columns.to(found.device)]

    def _before_head(self, **inputs):
        """The input of the output embedding, which itself computes nothing."""
        taken = []

        def keep(_, arguments):
            taken.append(arguments[0])
            return (arguments[0][..., :0, :],)

        hook = self._head.register_forward_pre_hook(keep)
        try:
            self.module(**inputs, **self._no_cache)
        finally:
            hook.remove()
        return taken[0]

    @property
    def _no_cache(self):
        return {"use_cache": False} if self.causal else {}

    def _tree_agrees(self) -> bool:
        """Whether the model takes a tree of prefixes: tested on two sequences that differ in their last two tokens."""
        limits = [limit for limit in (self.max_length, self.window) if limit]
        length = min([PROBE_LENGTH, *limits])
        if length < 5:
            return False
        shared, nodes = length - 4, torch.arange(length)[None]
        nodes = 1 + nodes % min(self.vocabulary_size - 1, 50)
        depths = torch.tensor([[*range(shared + 2), shared, shared + 1]])
        visible = torch.ones(1, length, length).tril().bool()
        visible[:, -2:, -4:-2] = False  # the second branch does not see the first
        ids = torch.cat([nodes[:, :-2], torch.cat([nodes[:, :shared], nodes[:, -2:]], 1)])
        rows, columns = torch.tensor([0, 1]), torch.tensor([shared + 1, shared + 1])
        ids, nodes, depths, visible, rows, columns = (
            tensor.to(self.device) for tensor in (ids, nodes, depths, visible, rows, columns)
        )

        def tree(seen):
            return self.project(self.tree_states(nodes, depths, seen, torch.zeros_like(rows), columns + 2 * rows))

        expected = self.logits(ids, rows, columns)
        if self._agrees(lambda: tree(visible), expected):
            return True
        if self.module.dtype == torch.float32:
            return False
        # Half precision may round by more. Then a tree must be much nearer than one whose branches see everything.
        try:
            near, far = (_apart(tree(seen), expected).mean() for seen in (visible, torch.ones_like(visible).tril()))
        except REFUSALS:
            return False
        return bool(near < far / 2)

    def _agrees(self, attempt, expected) -> bool:
        """Whether logits computed in another way exist and give the same log-probabilities."""
        try:
            found = attempt()
        except REFUSALS:
            return False
        return found.shape == expected.shape and bool((_apart(found, expected) <= self._tolerance).all())

    @property
    def _tolerance(self) -> float:
        return 1e-4 if self.module.dtype == torch.float32 else 0.1


def _apart(found, expected):
    """How far log-probabilities lie apart, from logits."""
    return (found.log_softmax(-1) - expected.log_softmax(-1)).abs()


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


def _hooks(module) -> set[str]:
    """The hooks of a pass: the module's name, and the number that torch has given the hook."""
    return {
        f"{name} {number}"
        for name, part in module.named_modules()
        for number in (*part._forward_hooks, *part._forward_pre_hooks)
    }


def _parts(module) -> set[str]:
    """What each module computes besides its weights: its type and settings, its mode, a forward pass of its own."""
    return {
        f"{name} {type(part).__name__} {part.extra_repr()} {part.training} {id(vars(part).get('forward'))}"
        for name, part in module.named_modules()
    }


def _as_file(name: str, tensor: torch.Tensor) -> Tensor:
    def blocks():
        yield tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data  # no copy

    return Tensor(name, TYPES.get(tensor.dtype, str(tensor.dtype)), tuple(tensor.shape), blocks)


def _window(config) -> int | None:
    """The smallest window of a layer, in tokens, by the configuration; None if all layers see everything.

    Families name it differently: sliding_window, window_size, attention_chunk_size, local_attention and others.
    """
    said = config.get_text_config().to_dict()
    if said.get("use_sliding_window") is False or set(said.get("layer_types") or ["?"]) == {"full_attention"}:
        said = {name: value for name, value in said.items() if "sliding" not in name}
    windows = [
        value
        for name, value in said.items()
        if re.search("window|chunk|local_attention", name) and not re.search("layers|pattern", name)
        if type(value) is int and value > 0
    ]
    return min(windows, default=None)


def _in_one_pass(module):
    """The module with GPT-2's GELU, eight operations in transformers, replaced by torch's single one."""
    from transformers.activations import FastGELUActivation, NewGELUActivation

    for parent in list(module.modules()):
        for name, child in parent.named_children():
            if isinstance(child, (NewGELUActivation, FastGELUActivation)):
                setattr(parent, name, torch.nn.GELU(approximate="tanh"))
    return module
