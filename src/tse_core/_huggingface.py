"""Opening Hugging Face models: finding them, telling masked from causal, computing logits only where asked."""

import hashlib
import importlib.util
import json
from pathlib import Path

import torch

from tse_core._unloaded import UnloadedNetwork, files_fingerprint
from tse_core.errors import InputError, unknown
from tse_core.models import Kind, LanguageModel
from tse_core.paths import data_folder

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def laboratory_models() -> list[str]:
    """Names of the models that come with the project."""
    return sorted(p.parent.name for p in (data_folder() / "models").glob("*/config.json"))


def open_model(name: str, *, kind, device, dtype, revision, bos, trust, weights: bool = True) -> LanguageModel:
    """What `load_model` says; without `weights`, a model to plan with: its weights stay in their files."""
    if kind not in (None, "causal", "masked"):
        raise InputError(f"kind is {kind!r}; it must be 'causal' or 'masked'")
    if dtype not in DTYPES:
        raise unknown("dtype", dtype, DTYPES)
    place = data_folder() / "models" / name
    place = str(place) if name in laboratory_models() else name
    if (Path(place) / "tse_baseline.json").is_file():
        from tse_core.baselines import load_baseline

        return load_baseline(place, name=name)
    options = {"revision": revision, "trust_remote_code": trust} if revision else {"trust_remote_code": trust}
    config = _opened(name, place, "AutoConfig", options)
    kind = kind or detect_kind(name, config)
    tokenizer = _opened(name, place, "AutoTokenizer", options)
    if not tokenizer.is_fast:
        raise InputError(
            f"the tokenizer of {name} gives no character offsets; a fast tokenizer (tokenizer.json) is needed"
        )
    if kind == "masked" and tokenizer.mask_token is None:
        raise InputError(f"{name} has no mask token, so it cannot be read as a masked model; use kind='causal'")
    files = [] if weights else _weight_files(place, revision)
    if files:
        network = UnloadedNetwork(config.get_text_config().vocab_size, tuple(files))
    else:
        network = _loaded(name, place, kind, device, options | {"dtype": DTYPES[dtype], "use_safetensors": True})
    spaced = kind == "masked" and config.model_type in ("roberta", "xlm-roberta", "camembert", "longformer")
    return LanguageModel(
        name, kind, tokenizer, network, dtype=dtype, revision=revision, bos=bos,
        leading_space=spaced and _byte_level(tokenizer),
    )  # fmt: skip


def _loaded(name, place, kind, device, options) -> "HuggingFaceNetwork":
    """The network with its weights, on one device, or with device "map" spread over all there are."""
    auto = "AutoModelForCausalLM" if kind == "causal" else "AutoModelForMaskedLM"
    if device == "map":
        if importlib.util.find_spec("accelerate") is None:
            raise InputError("device 'map' needs the package accelerate: pip install accelerate")
        module = _opened(name, place, auto, options | {"device_map": "auto"}).eval()
    else:
        module = _opened(name, place, auto, options).eval().to(_device(device))
    return HuggingFaceNetwork(module, _weight_files(place, options.get("revision")), causal=kind == "causal")


def detect_kind(name: str, config) -> Kind:
    """Masked or causal, from the configuration's architectures, else from what the model type can be."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"{name} is an encoder-decoder ({config.model_type}); only causal and masked models can be scored"
        )
    kinds = set()
    for architecture in config.architectures or []:
        if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
            kinds.add("masked")
        elif architecture.endswith(("ForCausalLM", "LMHeadModel")):
            kinds.add("causal")
    if not kinds:
        kinds |= {"masked"} if config.model_type in MASKED else set()
        kinds |= {"causal"} if config.model_type in CAUSAL else set()
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        raise InputError(
            f"{name} ({config.model_type}) can be read as masked or causal; say kind='masked' or kind='causal'"
        )
    raise InputError(f"{name} ({config.model_type}) is neither a masked nor a causal language model")


class HuggingFaceNetwork:
    """Forward passes that project onto the vocabulary only where asked.

    `states` gives the vectors that go into the output embedding, `project` turns them into logits; so a caller bounds
    the memory of the logits by projecting a few states at a time. Where a model does more than that after its
    output embedding (scaling, capping), it is found out by trial and its own logits are used.
    """

    def __init__(self, module, weight_files: list[Path], *, causal: bool):
        self.module = module
        self.causal = causal
        self._weight_files = weight_files
        self._head = module.get_output_embeddings()
        with torch.inference_mode():
            probe = torch.arange(4, device=self.device)[None] + 1
            whole = module(input_ids=probe).logits
            self.vocabulary_size = whole.shape[-1]
            if self._head is not None:
                parts = self._head(self._captured(input_ids=probe))
                if parts.shape != whole.shape or not torch.allclose(parts, whole, atol=1e-4, rtol=1e-4):
                    self._head = None
            self.takes_trees = causal and self._tree_agrees()

    @property
    def device(self) -> torch.device:
        return next(self.module.parameters()).device

    @property
    def max_length(self) -> int | None:
        limit = getattr(self.module.config, "max_position_embeddings", None)
        offset = 2 if self.module.config.model_type in ("roberta", "xlm-roberta", "camembert") else 0
        return limit - offset if limit else None

    def logits(self, ids, rows, columns):
        return self.project(self.states(ids, rows, columns))

    @torch.inference_mode()
    def states(self, ids, rows, columns):
        """States (n, width) at n places of a batch of equally long sequences (batch, length)."""
        return self._run(rows, columns, input_ids=ids)

    @torch.inference_mode()
    def tree_states(self, ids, depths, visible, rows, columns):
        """States at n places of packed trees of prefixes.

        ids and depths are (batch, nodes); visible (batch, nodes, nodes) says which nodes each node sees: its ancestors
        and itself.
        """
        blocked = torch.zeros(visible.shape, dtype=self.module.dtype, device=visible.device)
        blocked.masked_fill_(~visible, torch.finfo(self.module.dtype).min)
        return self._run(rows, columns, input_ids=ids, position_ids=depths, attention_mask=blocked[:, None])

    @torch.inference_mode()
    def project(self, states):
        """Logits (n, vocabulary) in float32."""
        return (states if self._head is None else self._head(states)).float()

    def fingerprint(self) -> str:
        if self._weight_files:
            return files_fingerprint(self._weight_files)
        digest = hashlib.sha256()
        for _, tensor in sorted(self.module.state_dict().items()):
            digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
        return digest.hexdigest()

    def _run(self, rows, columns, **inputs):
        if self._head is None:
            return self.module(**inputs, **self._no_cache).logits[rows, columns]
        return self._captured(**inputs)[rows, columns]

    def _captured(self, **inputs):
        """What goes into the output embedding; the projection itself is skipped."""
        taken = []

        def keep(_, arguments):
            taken.append(arguments[0])
            return (arguments[0][..., :1, :],)

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
        """Whether the model takes a tree of prefixes: tried on two short sequences that share their first token."""
        ids = torch.tensor([[1, 2, 3], [1, 4, 5]], device=self.device)
        rows, columns = torch.tensor([0, 1], device=self.device), torch.tensor([2, 2], device=self.device)
        nodes = torch.tensor([[1, 2, 3, 4, 5]], device=self.device)
        depths = torch.tensor([[0, 1, 2, 1, 2]], device=self.device)
        visible = torch.tensor([[[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 0, 0, 1, 0], [1, 0, 0, 1, 1]]])
        try:
            plain = self.project(self.states(ids, rows, columns))
            tree = self.project(
                self.tree_states(nodes, depths, visible.bool().to(self.device), torch.zeros_like(rows), rows * 2 + 2)
            )
        except (TypeError, ValueError, RuntimeError, IndexError):
            return False
        tolerance = 1e-4 if self.module.dtype == torch.float32 else 0.1
        return bool(torch.allclose(plain.log_softmax(-1), tree.log_softmax(-1), atol=tolerance))


def _opened(name, place, auto, options):
    """from_pretrained, from the folder or the hub's cache first and from the network only if they do not have it."""
    import transformers
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    bars = logging.is_progress_bar_enabled()
    opener = getattr(transformers, auto).from_pretrained
    try:
        if Path(place).is_dir():
            logging.disable_progress_bar()
            return opener(place, **options | {"revision": "main", "local_files_only": True})
        try:
            return opener(place, **options, local_files_only=True)
        except (OSError, ValueError):
            if not _hub_answers():
                raise
            return opener(place, **options)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise _not_opened(name, place, auto, error) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _hub_answers() -> bool:
    """Whether the hub can be reached; asked briefly, so that a machine without a network waits for nothing."""
    import os
    import socket
    from urllib.parse import urlsplit

    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    if any(os.environ.get(name) for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")):
        return True
    address = urlsplit(constants.ENDPOINT)
    try:
        socket.create_connection((address.hostname, address.port or 443), timeout=5).close()
    except OSError:
        return False
    return True


def _not_opened(name, place, auto, error) -> InputError:
    reason = " ".join(str(error).split())
    here = ", ".join(laboratory_models())
    if Path(place).is_dir():
        if auto == "AutoConfig":
            return InputError(f"{name} is a folder without a readable config.json of a model ({reason[:200]})")
        if "safetensors" in reason:
            return InputError(f"{name} holds no model.safetensors; weights are read from safetensors only")
        return InputError(f"{name} cannot be opened with {auto}: {reason[:300]}")
    if "trust_remote_code" in reason:
        return InputError(
            f"{name} needs to run its own code; allow it with trust_remote_code=True (--trust-remote-code)"
        )
    if "safetensors" in reason and auto not in ("AutoConfig", "AutoTokenizer"):
        return InputError(f"{name} holds no model.safetensors; weights are read from safetensors only")
    return InputError(
        f"unknown model {name!r}: no such folder, none of the project's own ({here}), and not to be had from the "
        "Hugging Face hub (no such name or revision, or no network and not in its cache)"
    )


def _weight_files(place, revision) -> list[Path]:
    """The safetensors files that a model was read from, in order."""
    folder = Path(place)
    if not folder.is_dir():
        from huggingface_hub import try_to_load_from_cache

        for file in ("model.safetensors.index.json", "model.safetensors"):
            found = try_to_load_from_cache(place, file, revision=revision)
            if isinstance(found, str):
                folder = Path(found).parent
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        return sorted({folder / f for f in json.loads(index.read_text())["weight_map"].values()})
    return sorted(folder.glob("model.safetensors")) if folder.is_dir() else []


def _device(device: str) -> torch.device:
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        found = torch.device(device)
        torch.empty(1, device=found)
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {device!r} cannot be used here ({str(error).splitlines()[0][:120]}); 'cpu' always can"
        ) from error
    return found


def _byte_level(tokenizer) -> bool:
    return "Ġthe" in tokenizer.get_vocab()
