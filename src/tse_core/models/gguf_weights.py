"""The weights of a GGUF file, dequantised, under the names that they have in a Hugging Face network.

A file is refused when any of its tensors has no place in the network, or any place no tensor, so a number never comes
from a network that is only nearly the file's.
"""

import numpy as np
import torch

from tse_core.errors import InputError
from tse_core.models.gguf_header import Header, Tensor

ROTARY_DIVISORS = "rope_freqs.weight"


def read_weights(header: Header, settings: dict, skeleton: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The float32 weights of a network without any (`skeleton`) by their names, and `ROTARY_DIVISORS` if there are any.

    Parameters
    ----------
    settings : of the network, as transformers' tables call them; they say how a family's tensors were turned over

    Raises
    ------
    InputError : tensors without a place, places without a tensor, shapes that do not fit, an unknown quantisation.
    """
    from transformers.modeling_gguf_pytorch_utils import TENSOR_PROCESSORS, TensorProcessor

    data = header.mapped()
    processor = TENSOR_PROCESSORS.get(header.architecture, TensorProcessor)(config=settings)
    places = _places(header, skeleton, processor)
    weights: dict[str, torch.Tensor] = {}
    beside: dict[str, torch.Tensor] = {}
    homeless: list[str] = []
    for tensor in header.tensors:
        values = _dequantised(header, tensor, data)
        if tensor.name == ROTARY_DIVISORS:
            beside[tensor.name] = torch.from_numpy(np.array(values))
            continue
        try:
            values, name, _ = processor.process(
                values, tensor.name, tensor_key_mapping=places, parsed_parameters={"tensors": weights}
            )
        except (ValueError, IndexError, ZeroDivisionError):  # each family arranges its tensors in its own way
            raise InputError(f"{header.path}: {tensor.name} does not fit the settings in the header") from None
        if name in places:
            weights[places[name]] = torch.from_numpy(np.require(values, np.float32, ["C", "W", "O"]))
        elif name is not None:  # None: the processor itself has put it among the weights
            homeless.append(name)
    _check_complete(header, skeleton, weights, homeless)
    return weights | beside


def _places(header: Header, skeleton, processor) -> dict[str, str]:
    """For each name of a tensor in the file, the name of its parameter in the network."""
    from gguf import MODEL_ARCH_NAMES, get_tensor_name_map

    family = next((number for number, name in MODEL_ARCH_NAMES.items() if name == header.architecture), None)
    if family is None:
        raise InputError(f"{header.path}: the package gguf does not know the family {header.architecture!r}")
    table = get_tensor_name_map(family, header.get("block_count"))
    places: dict[str, str] = {}
    for prefix in ("", f"{skeleton.base_model_prefix}."):  # some files were written from the network without its head
        for parameter in skeleton.state_dict():
            if parameter.startswith(prefix):
                name = processor.preprocess_name(parameter.removeprefix(prefix))
                stem, dot, ending = name.rpartition(".") if name.endswith((".weight", ".bias")) else (name, "", "")
                if found := table.get_name(stem):
                    places.setdefault(found + dot + ending, prefix + name)
                else:
                    processor.perform_fallback_tensor_mapping(places, dot + ending, prefix, name)
    return places


def _dequantised(header: Header, tensor: Tensor, data: np.ndarray) -> np.ndarray:
    """A tensor's values in float32."""
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize

    kind = GGMLQuantizationType(tensor.type)
    block, size = GGML_QUANT_SIZES[kind]
    rows = data[tensor.start : tensor.start + tensor.bytes].reshape(
        *tensor.shape[:-1], tensor.shape[-1] // block * size
    )
    try:
        return dequantize(rows, kind)
    except NotImplementedError:
        raise InputError(f"{header.path}: {tensor.name} is stored as {kind.name}, which is not read") from None


def _check_complete(header: Header, skeleton, weights: dict, homeless: list[str]) -> None:
    """Every tensor has its place, every place its tensor, and the shapes fit."""
    path, family = header.path, header.architecture
    if homeless:
        raise InputError(f"{path}: {len(homeless)} tensors have no place in a {family} network: {_some(homeless)}")
    needed = skeleton.state_dict(keep_vars=True)
    filled = {id(needed[name]) for name in weights}  # tied weights are one and the same
    empty = [name for name, weight in needed.items() if id(weight) not in filled]
    if empty:
        raise InputError(f"{path}: a {family} network needs {len(empty)} tensors that are not there: {_some(empty)}")
    wrong = [name for name, weight in weights.items() if weight.shape != needed[name].shape]
    if wrong:
        name = wrong[0]
        shapes = f"{name} has the shape {tuple(weights[name].shape)} instead of {tuple(needed[name].shape)}"
        raise InputError(f"{path}: {len(wrong)} tensors do not fit its settings: {shapes}")


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
