"""Settings that scaled dot product attention (sdpa, torch's own) drops without a word.

transformers takes sdpa by default. Where the installed version would drop a setting of a model's
configuration, attention is computed step by step ("eager"), as the model was trained.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from transformers import PreTrainedConfig


class Setting(NamedTuple):
    """A setting of configurations that sdpa drops unless it has its default."""

    name: str
    default: object
    model_type: str  # empty for any
    # The first version of transformers whose sdpa reads it; None where no version does.
    read_since: tuple[int, int] | None


SETTINGS = (
    Setting("scale_attn_by_inverse_layer_idx", False, "gpt2", (5, 4)),
    Setting("scale_attn_weights", True, "gpt2", (5, 4)),
    Setting("attn_logit_softcapping", None, "", None),
)


def dropped_by_sdpa(config: "PreTrainedConfig") -> list[str]:
    """The names of a configuration's settings that sdpa would drop in the installed version."""
    text = config.get_text_config()
    major, minor = version("transformers").split(".")[:2]
    installed = int(major), int(minor)
    names = []
    for setting in SETTINGS:
        if setting.model_type not in ("", text.model_type):
            continue
        is_read = setting.read_since is not None and installed >= setting.read_since
        if not is_read and getattr(text, setting.name, setting.default) != setting.default:
            names.append(setting.name)
    return names
