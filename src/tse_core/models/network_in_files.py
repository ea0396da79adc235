"""The network of a Hugging Face model in files: its weights are read when they are needed.

Until then its files only give the model's identity. They may change on disk meanwhile, and so they
are compared with what they were when the identity was worked out.
"""

# mypy: disable-error-code=override
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from tse_core.errors import InputError, parsing
from tse_core.files import file_digest
from tse_core.models.attention import dropped_by_sdpa
from tse_core.models.backend import Source
from tse_core.models.folders import open_network, shape_of
from tse_core.models.hugging_face_network import (
    HuggingFaceNetwork,
    dtype_of,
    in_one_pass,
    one_pass,
)
from tse_core.models.identity import (
    cached,
    state_of,
    stored_tensors,
    tokenizer_digest,
    weights_digest,
)
from tse_core.models.kinds import auto_class_of
from tse_core.models.network import DTYPES, usable_device

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast


class NetworkInFiles(HuggingFaceNetwork):
    """A network whose weights are read when they are needed."""

    def __init__(
        self,
        source: Source,
        config: "PreTrainedConfig",
        *,
        causal: bool,
        device: str,
        dtype: str,
        options: dict,
    ):
        super().__init__(config, causal=causal)
        self._source = source
        self._config = config
        self._dtype = dtype
        # With the configuration that was opened, whatever is written into the folder later.
        self._options = options | {"config": config}
        self._auto_class = auto_class_of(config, "causal" if causal else "masked")
        self.libraries = (*self.libraries, *source.libraries)
        self._spread = device == "map"
        if self._spread:
            device = "auto"  # where the inputs are
        self._device = usable_device(device)
        self._module: Any = None

    @property
    def module(self) -> Any:
        """The module with its weights, for the caller.

        The caller may change it: from here on no results are kept.
        """
        self.keeps_results = False
        return self._inner

    @property
    def _inner(self):
        """The module with its weights, read on first use.

        Raises InputError where their files changed after the model was opened.
        """
        # Two threads that need the weights at once read them once.
        with one_pass:
            if self._module is None:
                state, _ = self._provenance
                module = in_one_pass(self._read())
                files = list(self._source.files)
                if state != state_of(files):
                    raise InputError(
                        f"{files[0]} changed after the model was opened; open it again"
                    )
                self._module = module
            return self._module

    @property
    def max_length(self) -> int | None:
        with parsing(f"{self._source.name}: its config.json says no length that can be read"):
            return super().max_length

    @contextmanager
    def _pass(self) -> Iterator[None]:
        """As for every network. Raises InputError: files decide what the module is."""
        with parsing(f"{self._source.name}: its network cannot be computed"), super()._pass():
            yield

    @property
    def device(self) -> torch.device:
        return self._device

    @property
    def dtype(self) -> str:
        """Precision of the weights: the requested one, until the caller has the module."""
        return self._dtype if self.keeps_results else dtype_of(self._inner)

    def fingerprint(self, tokenizer: "PreTrainedTokenizerFast") -> str:
        _, digest = self._provenance
        if self._source.digest:  # covers the tokenizer, too
            return digest
        return hashlib.sha256((digest + tokenizer_digest(tokenizer)).encode()).hexdigest()

    @cached_property
    def _provenance(self) -> tuple[list[tuple], str]:
        """Stat fingerprint of the weight files on first use, and hash of what decides numbers.

        The hash covers weights, configuration, the source's settings and the folder's own code.
        """
        source = self._source
        files = list(source.files)
        state = state_of(files)
        if source.digest:
            return state, source.digest
        trusts_code = self._options["trust_remote_code"]
        settings = self._config.to_diff_dict()
        if source.settings:
            shape = shape_of(source.name, self._auto_class, self._config, trusts_code)
            settings |= source.settings(shape)
        # Code of its own decides the numbers as weights do.
        if trusts_code:
            code = [file_digest(file) for file in sorted(source.folder.glob("*.py"))]
            if code:
                settings["code"] = code
        digest = cached(files, lambda: weights_digest(stored_tensors(files), settings), settings)
        return state, digest

    def _read(self) -> Any:
        """The module from its files, on its device, in evaluation mode."""
        source = self._source
        # What is changed is changed in single precision, and the result converted.
        dtype = "float32" if source.change else self._dtype
        options = self._options | {"dtype": DTYPES[dtype], "use_safetensors": True}
        options["device_map"] = "auto" if self._spread else None
        if dropped_by_sdpa(self._config):
            options["attn_implementation"] = "eager"
        module = open_network(source.name, source.folder, self._auto_class, options)
        # safetensors maps the file, which may be overwritten in place: keep a copy in memory.
        module._apply(lambda tensor: tensor.clone())
        if source.change:
            module = source.change(module).to(DTYPES[self._dtype])
        module.eval()
        if not self._spread:
            module.to(self._device)
        return module
