"""Tables of details that a study measures, and the readings of a model that it compares."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pandas as pd

from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import Signature


class Detail(NamedTuple):
    """A table of details, and the signature of each of its parts."""

    table: pd.DataFrame
    signatures: Mapping[str, Signature]


def small_detail(table: pd.DataFrame, signatures: Mapping[str, Signature]) -> Detail:
    """A detail whose numbers are in single precision, counts in two bytes where they fit."""
    types = dict.fromkeys(table.select_dtypes("float64"), "float32")
    for name in table.select_dtypes("int64"):
        if table[name].abs().max() < 2**15:
            types[name] = "int16"
    return Detail(table.astype(types), signatures)


def readings(model: LanguageModel) -> Iterator[tuple[str, LanguageModel]]:
    """The model with its default BOS policy and, if it is causal, with none where that differs."""
    default = model.with_policies(bos="default")
    yield "default", default
    if model.kind == "causal" and default.bos_read != "none":
        yield "none", model.with_policies(bos="none")
