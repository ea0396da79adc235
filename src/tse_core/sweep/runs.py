"""What a sweep runs: models, each on a data set under policies, and the plan of all of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tse_core.files import is_folder

if TYPE_CHECKING:
    from tse_core.agreement.counted_forms import FormsPolicy
    from tse_core.agreement.job import Keep
    from tse_core.datasets.pairs import Protocol


@dataclass(frozen=True)
class Model:
    """One model of a sweep: what `load_model` takes, and the name and step of its results."""

    source: str
    name: str
    revision: str | None = None
    kind: str | None = None
    device: str = "auto"
    dtype: str = "float32"
    bos: str = "default"

    @property
    def label(self) -> str:
        """E.g. ``pythia-160m step512``, ``lab-lexical-causal step-00512``."""
        if self.revision:
            return f"{self.name} {self.revision}"
        folder = Path(self.source)
        return f"{self.name} {folder.name}" if is_folder(folder) and folder.name != self.name else self.name

    @property
    def step(self) -> int | None:
        """The last number of the revision or folder: ``step512`` is 512, ``stage2-step100-tokens1B`` is 100."""
        text = self.revision or (Path(self.source).name if is_folder(self.source) else "")
        found = re.search(r"step[-_]?(\d+)", text) or re.search(r"(\d+)\D*$", text)
        return int(found[1]) if found else None

    def load(self, **further):
        """The model itself."""
        from tse_core.models.coerce import load_model

        options = {key: getattr(self, key) for key in ("kind", "device", "dtype", "revision", "bos")}
        return load_model(self.source, **options | further)


@dataclass(frozen=True)
class Run:
    """One model on one data set under one set of policies; those after `data` are for agreement only."""

    model: Model
    benchmark: str  # "agreement", "blimp" or "suites"
    data: str
    lemmas: str = ""
    protocol: "Protocol" = "exact"
    keep: "Keep" = "contexts"
    forms: "FormsPolicy" = "single"
    sample: int | Literal["all"] = "all"


@dataclass(frozen=True)
class Plan:
    """What to run, and on what.

    Attributes
    ----------
    runs : tuple of Run
        Model by model, so that a worker loads each as rarely as possible.
    engine : dict
        name ("processes", "dask", "slurm"), workers, gpus, address, cluster, options; see `engines.engine`.
    task_tokens : int or None
        Tokens of one task at most; None leaves it to the engine.
    """

    runs: tuple[Run, ...]
    engine: Mapping = field(default_factory=dict)
    task_tokens: int | None = None
