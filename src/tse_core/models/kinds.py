"""Causal or masked: what a configuration of transformers says about its model."""

import re
from typing import TYPE_CHECKING

from tse_core.errors import InputError
from tse_core.models.language_model import Kind

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

# Families among the library's causal models that may see later tokens.
ENCODERS = ("bert-generation", "xlnet")

# Families that also read images, whose language model reads text alone as a causal one does;
# tests/core/test_families.py compares each with transformers.
READ_IMAGES = (
    "llava", "mistral3", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "smolvlm", "idefics3",
)  # fmt: skip


def auto_class_of(config: "PreTrainedConfig", kind: Kind) -> str:
    """The class of transformers that opens the network of a model of a kind."""
    if config.model_type in READ_IMAGES:
        return "AutoModelForImageTextToText"
    return "AutoModelForCausalLM" if kind == "causal" else "AutoModelForMaskedLM"


def is_shifted(config: "PreTrainedConfig") -> bool:
    """Whether a configuration says that its model was trained by masked next token prediction."""
    texts = [*(config.architectures or []), getattr(config, "objective", "")]
    texts.append(getattr(config, "training_objective", ""))
    return any("mntp" in str(text).lower() for text in texts)


def kind_of(name: str, config: "PreTrainedConfig", request: Kind | None = None) -> Kind:
    """Masked or causal, by the configuration; `request` decides where that says nothing.

    Raises InputError for other kinds of models, and where the two contradict each other.
    """
    family = config.model_type
    architectures = " ".join(config.architectures or [])
    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"{name} is an encoder-decoder ({family}), which predicts one text from another; "
            "causal and masked models can be scored"
        )
    other = re.search(r"\w+(Classification|QuestionAnswering|MultipleChoice)", architectures)
    if other and request is None:
        raise InputError(
            f"{name} was trained for another task than predicting words ({other[0]}); to read it "
            "as a language model anyway, say kind='masked' or kind='causal'"
        )
    kind = _configured_kind(config, architectures, request)
    if kind is None and "ConditionalGeneration" in architectures:
        raise InputError(
            f"{name} ({family}) reads more than text, and its language model is not opened here; "
            "save that as a folder of its own (its text_config and weights, as ...ForCausalLM)"
        )
    # Reformer's buckets depend on later tokens, and on chance.
    if kind is None or family == "reformer":
        raise InputError(
            f"{name} ({family}) is no masked model, and no causal one that sees earlier tokens only"
        )
    if request not in (None, kind):
        raise InputError(
            f"{name} ({family}) is {kind} by its configuration, and cannot be read as {request}"
        )
    return kind


def _configured_kind(
    config: "PreTrainedConfig", architectures: str, request: Kind | None
) -> Kind | None:
    """The kind of a model by its family, or else by its architectures; None where it is neither."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    family = config.model_type
    if family in MASKED or family in ENCODERS:
        # An encoder may be configured as a decoder; XLM calls the option `causal`.
        if getattr(config, "is_decoder", False) or getattr(config, "causal", False):
            return "causal"
        return "masked" if family in MASKED else None
    if family in READ_IMAGES:
        return "causal"
    if family in CAUSAL:
        text = config.get_text_config()
        # Some families are encoders by an option, under either of two names.
        sees_later_tokens = getattr(text, "use_bidirectional_attention", False) is True
        is_causal = getattr(text, "is_causal", True)
        return "causal" if is_causal and not sees_later_tokens else None
    if request:
        return request
    # A family that brings its own code is known by the names of its classes alone.
    if re.search("MaskedLM|MNTP|CausalLM|LMHead", architectures):
        return "masked" if re.search("MaskedLM|MNTP", architectures) else "causal"
    return None
