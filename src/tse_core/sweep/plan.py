"""A sweep as a YAML file: models (with revisions) x data x policies.

    models:
      - lab-systematic-causal                        # what `load_model` takes
      - model: EleutherAI/pythia-160m                # one entry a revision
        revisions: [step0, step512, step143000]
        dtype: bfloat16
      - folders: trained/lab-lexical-causal/checkpoints/step-*
        name: lab-lexical-causal                     # what tables show
    data: [marvin-linzen]                            # agreement pairs
    lemmas: [newman-clean]
    protocols: [exact]
    forms: [single, words]                           # single-token verbs, verbs of any length with their ends
    sample: 24                                       # contexts of each construction for whole words; or all
    keep: contexts
    blimp: [blimp]                                   # sentence pairs, what `load_sentence_pairs` takes
    suites: [public, my-suite.json]                  # of SyntaxGym: names, files, folders, collections
    workers: 2                                       # or address: of a Dask scheduler
    slurm: {queue: gpu, walltime: "01:00:00"}        # what dask_jobqueue.SLURMCluster takes

Only `models` is required. Without `data`, `blimp` and `suites` the data are marvin-linzen; without `lemmas` each
protocol takes its own list (`tse_core.evaluate`). Files and folders are looked up next to the plan first, then in the
current folder. Verbs are single tokens by default, over all contexts; whole words are scored in a sample.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from glob import glob
from itertools import product
from pathlib import Path
from typing import Any, Literal

from tse_core.agreement.options import CHOICES, SAMPLE_SIZE, Detail
from tse_core.datasets.names import usual_list
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.files import is_folder, is_there, read_yaml
from tse_core.models.coerce import AnyModel, load_model
from tse_core.schemas import check, read_schema
from tse_core.syntaxgym.library import suite_names

_LISTS = ("data", "lemmas", "protocols", "forms", "blimp", "suites")  # where a text stands for a list of one


@dataclass(frozen=True)
class Model:
    """One model of a sweep: what `load_model` takes, and the name of its results."""

    source: str
    name: str
    revision: str | None = None
    kind: Literal["causal", "masked"] | None = None
    device: str = "auto"
    dtype: str = "float32"
    bos: str = "default"

    @property
    def label(self) -> str:
        """E.g. ``pythia-160m step512``, ``lab-lexical-causal step-00512``."""
        return self.name if self._version in ("", self.name) else f"{self.name} {self._version}"

    @property
    def step(self) -> int | None:
        """The last number of the revision or folder: ``step512`` is 512, ``stage2-step100-tokens1B`` is 100."""
        found = re.search(r"step[-_]?(\d+)", self._version) or re.search(r"(\d+)\D*$", self._version)
        return int(found[1]) if found else None

    @property
    def _version(self) -> str:
        return self.revision or (Path(self.source).name if is_folder(self.source) else "")

    def load(self) -> AnyModel:
        """The model itself."""
        options: dict[str, Any] = asdict(self)
        del options["name"]
        return load_model(options.pop("source"), **options)


@dataclass(frozen=True)
class Run:
    """One model on one data set under one set of policies; those after `data` are for agreement only."""

    model: Model
    benchmark: Literal["agreement", "blimp", "suites"]
    data: str
    lemmas: str = ""
    protocol: Protocol = "exact"
    keep: Detail = "contexts"
    forms: str = "single"
    sample: int | Literal["all"] = "all"

    @property
    def policies(self) -> dict[str, Any]:
        """The arguments of `evaluate` besides model, data and store; none for other benchmarks."""
        if self.benchmark != "agreement":
            return {}
        verbs, end = CHOICES[self.forms]
        how = {"protocol": self.protocol, "detail": self.keep, "verbs": verbs, "word_end": end}
        return {"lemmas": self.lemmas, "sample": self.sample, **how}

    def __str__(self) -> str:
        policies = f" ({self.protocol}, {self.forms})" if self.benchmark == "agreement" else ""
        return f"{self.model.label} on {self.data}{policies}"


@dataclass(frozen=True)
class Plan:
    """What to run, model by model so that a worker loads each as rarely as possible, and on which workers."""

    runs: tuple[Run, ...]
    workers: int | None = None
    address: str | None = None
    slurm: Mapping | None = None


def load_plan(plan: str | Path | Mapping) -> Plan:
    """A plan from a YAML file, or from a mapping with the same keys.

    Raises InputError with the place in the file: no YAML, an unknown or missing key, a value of the wrong kind
    (data/sweeps/schema.json), a pattern that matches no folder.
    """
    if isinstance(plan, Mapping):
        content, folder, where = plan, Path(), "the plan"
    else:
        content, folder, where = read_yaml(plan), Path(plan).parent, str(plan)
    if isinstance(content, Mapping):
        content = {
            key: [value] if key in _LISTS and isinstance(value, str) else value for key, value in content.items()
        }
        if isinstance(content.get("models"), list):
            content["models"] = [{"model": each} if isinstance(each, str) else each for each in content["models"]]
    check(content, read_schema("sweeps/schema.json"), where)
    benchmarks = {key: [_beside(folder, name) for name in content.get(key, [])] for key in ("data", "blimp", "suites")}
    if not any(benchmarks.values()):
        benchmarks["data"] = ["marvin-linzen"]
    lists = [_beside(folder, name) for name in content.get("lemmas", [""])]
    policies = list(product(lists, content.get("protocols", ["exact"]), content.get("forms", ["single"])))
    keep, sample = content.get("keep", "contexts"), content.get("sample", SAMPLE_SIZE)
    runs: list[Run] = []
    for number, entry in enumerate(content["models"]):
        for model in _models(entry, folder, f"{where}: models[{number}]"):
            for name, (lemmas, protocol, forms) in product(benchmarks["data"], policies):
                drawn: Any = "all" if forms == "single" else sample  # single tokens cost so little that all are scored
                lemmas = lemmas or usual_list(protocol, name)
                runs.append(Run(model, "agreement", name, lemmas, protocol, keep, forms, drawn))
            runs += [Run(model, "blimp", name) for name in benchmarks["blimp"]]
            suites = [suite for name in benchmarks["suites"] for suite in suite_names(name) or [name]]
            runs += [Run(model, "suites", name) for name in suites]
    places = {key: content.get(key) for key in ("workers", "address", "slurm")}
    return Plan(tuple(dict.fromkeys(runs)), **places)


def _models(entry: Mapping[str, Any], folder: Path, where: str) -> list[Model]:
    """The models of one entry: one, or one per revision or folder."""
    options = {key: entry[key] for key in ("kind", "device", "dtype", "bos") if key in entry}
    if "folders" in entry:
        pattern = entry["folders"]
        found = glob(str(folder / pattern)) or glob(pattern)  # noqa: PTH207  (a pattern may be a full path)
        folders = [Path(path).resolve() for path in found if is_folder(path)]
        if not folders:
            raise InputError(f"{where}: no folder matches {pattern!r}")
        models = [Model(str(path), entry.get("name", path.name), **options) for path in folders]
        return sorted(models, key=lambda model: (-1 if model.step is None else model.step, model.source))
    source = _beside(folder, entry["model"])
    name = entry.get("name", Path(source).name if is_folder(source) else source.split("/")[-1])
    revisions = [None if revision is None else str(revision) for revision in entry.get("revisions", [None])]
    return [Model(source, name, revision, **options) for revision in revisions]


def _beside(folder: Path, name: str) -> str:
    """The full path of a file or folder next to the plan, so that workers elsewhere find it; other names unchanged."""
    for place in (folder / name, Path(name)):
        if name and is_there(place):
            return str(place.resolve())
    return name
