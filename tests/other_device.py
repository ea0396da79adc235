"""A device that no test machine has, on the processor: tensors say that they lie on "cuda" or "mps", and behave so.

Within `OtherDevice`, whatever is made or moved there becomes a `There`. As on the hardware, it meets no tensor of the
processor (only indices and single numbers may come from there), becomes no numpy array, and "mps" has no float64.
"""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

INDEXING = ("__getitem__", "__setitem__", "copy_", "index_put_")
PROCESSOR = torch.device("cpu")


class There(torch.Tensor):
    """A tensor on the other device."""


class OtherDevice(TorchFunctionMode):
    """Stands in for "cuda" or "mps"."""

    def __init__(self, kind: str):
        super().__init__()
        self.device = torch.device(kind)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        leaves = tree_leaves((args, kwargs))
        there = [leaf for leaf in leaves if isinstance(leaf, There)]
        if func == torch.Tensor.device.__get__:
            return self.device if there else func(*args)
        if there and name in ("numpy", "__array__"):
            raise TypeError(f"can't convert {self.device} tensor to numpy; use Tensor.cpu()")
        moved = {torch.device(d) for leaf in leaves if (d := _device(leaf))}
        if name == "to" and len(args) > 1 and isinstance(args[1], torch.Tensor):
            moved = {self.device if isinstance(args[1], There) else PROCESSOR}
        elif name == "cpu":
            moved = {PROCESSOR}
        elif there and name != "to":
            self._alone(name, args, leaves)
        found = func(*tree_map(self._here, args), **tree_map(self._here, kwargs))
        stays = there and not moved
        return (
            self._wrapped(found)
            if stays or self.device.type in {place.type for place in moved}
            else found
        )

    def _alone(self, name: str, args, leaves) -> None:
        """Raise where tensors of two devices meet."""
        others = [
            leaf
            for leaf in leaves
            if type(leaf) is not There and isinstance(leaf, torch.Tensor) and leaf.ndim
        ]
        if others and not (name in INDEXING and isinstance(args[0], There)):
            raise RuntimeError(
                f"{name}: expected all tensors to be on the same device, found {self.device} and cpu"
            )

    def _here(self, leaf):
        if (place := _device(leaf)) and torch.device(place).type == self.device.type:
            return PROCESSOR
        return leaf.as_subclass(torch.Tensor) if isinstance(leaf, There) else leaf

    def _wrapped(self, found):
        if isinstance(found, torch.Tensor):
            if found.dtype == torch.float64 and self.device.type == "mps":
                raise TypeError("the MPS framework doesn't support float64")
            return found.as_subclass(There)
        if type(found) in (list, tuple) or isinstance(found, tuple):
            parts = [self._wrapped(part) for part in found]
            return (
                parts
                if isinstance(found, list)
                else tuple(parts)
                if type(found) is tuple
                else type(found)(parts)
            )
        return (
            iter([self._wrapped(part) for part in found]) if hasattr(found, "__next__") else found
        )


def moved(module: torch.nn.Module, device: OtherDevice) -> torch.nn.Module:
    """The module with its weights there; to be called within the device."""
    known: dict[int, torch.Tensor] = {}
    for part in module.modules():
        for name, weight in part._parameters.items():
            if weight is not None:
                there = torch.nn.Parameter(weight.detach().to(device.device), requires_grad=False)
                part._parameters[name] = known.setdefault(id(weight), there)
        for name, buffer in part._buffers.items():
            if buffer is not None:
                part._buffers[name] = buffer.to(device.device)
    return module


def _device(leaf) -> str | torch.device | None:
    if isinstance(leaf, torch.device):
        return leaf
    return (
        leaf if isinstance(leaf, str) and leaf.partition(":")[0] in ("cpu", "cuda", "mps") else None
    )
