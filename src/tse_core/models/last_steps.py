"""The last steps of a pass only where somebody asks: behind the last attention, no place looks at another any more.

That is the feed-forward part of the last layer, two thirds of the layer, and what follows the layers: a last
normalisation, BERT's transformation before its output embedding.
"""

from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class LastSteps:
    """Makes the end of a Hugging Face model's pass compute some places only.

    It knows how the library's models are written: the layers are the longest list of modules; a layer calls its module
    ``mlp`` (GPT-2 and most models after it) or its method ``feed_forward_chunk`` (BERT and its kin). Whether that is
    true of a given model is to be tried (see `HuggingFaceNetwork`), and where it is not, taken back with `remove`.
    """

    def __init__(self, module: "PreTrainedModel"):
        self._places = None
        lists = [m for m in module.modules() if isinstance(m, torch.nn.ModuleList) and len(m)]
        layer = max(lists, key=len)[-1] if lists else None
        owners = (getattr(layer, "mlp", None), "forward"), (layer, "feed_forward_chunk")
        self._replaced = [(owner, name, getattr(owner, name)) for owner, name in owners if hasattr(owner, name)]
        for owner, name, feed_forward in self._replaced:
            setattr(owner, name, self._in_place(feed_forward))
        self._hook = module.base_model.register_forward_hook(self._gathered)

    def remove(self) -> None:
        for replaced in self._replaced:
            setattr(*replaced)
        self._hook.remove()

    @contextmanager
    def at(self, rows, columns):
        """Within this, the model's last hidden states are (1, n, width), those of n places (rows, columns)."""
        self._places = rows, columns
        try:
            yield
        finally:
            self._places = None

    def _in_place(self, feed_forward):
        @wraps(feed_forward)  # whose arguments the library counts
        def there(states, *more):
            if self._places is None or more:  # Bloom adds what came before by itself, everywhere
                return feed_forward(states, *more)
            changed = torch.zeros_like(states)
            places = tuple(p.to(states.device) for p in self._places)
            changed[places] = feed_forward(states[places][None])[0]
            return changed

        return there

    def _gathered(self, _, __, output):
        if self._places is not None:
            output.last_hidden_state = at(output.last_hidden_state, *self._places)[None]
        return output


def at(states, rows, columns):
    """States (n, width) at n places; a model may lie on several devices and give them on another than it took."""
    return states[rows.to(states.device), columns.to(states.device)]
