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
    verbs: [single-token, all]
    sample: 24                                       # contexts of each construction for verbs of any length; or all
    detail: contexts
    blimp: [blimp]                                   # sentence pairs, what `load_sentence_pairs` takes
    suites: [public, my-suite.json]                  # of SyntaxGym: names, files, folders, collections
    workers: 2                                       # or address: of a Dask scheduler
    slurm: {queue: gpu, walltime: "01:00:00"}        # what dask_jobqueue.SLURMCluster takes

Only `models` is required. Without `data`, `blimp` and `suites` the data are marvin-linzen; what is left out else is as
in `tse_core.evaluate`. Files and folders are looked up next to the plan first, then in the current folder.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from glob import glob
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from tse_core.errors import InputError
from tse_core.files import is_folder, is_there, read_yaml
from tse_core.schemas import check, read_schema
from tse_core.syntaxgym.library import suite_names

_NAMES = ("data", "blimp", "suites", "lemmas")  # lists of names, or of files that may lie beside the plan
Arguments: TypeAlias = tuple[tuple[str, Any], ...]  # names and values


@dataclass(frozen=True)
class Model:
    """One model of a sweep: what `load_model` takes, and the name of its results."""

    source: str
    name: str
    version: str = ""  # its revision, or the name of its folder
    options: Arguments = ()  # further arguments of `load_model`

    @property
    def label(self) -> str:
        """E.g. ``pythia-160m step512``, ``lab-lexical-causal step-00512``."""
        return self.name if self.version in ("", self.name) else f"{self.name} {self.version}"

    @property
    def step(self) -> int | None:
        """The last number of the revision or folder: ``step512`` is 512, ``stage2-step100-tokens1B`` is 100."""
        found = re.search(r"step[-_]?(\d+)", self.version) or re.search(r"(\d+)\D*$", self.version)
        return int(found[1]) if found else None


@dataclass(frozen=True)
class Run:
    """One evaluation of a sweep: a model on the data of a benchmark ("agreement", "blimp" or "suites")."""

    model: Model
    benchmark: str
    data: str
    policies: Arguments = ()  # further arguments of `tse_core.evaluate`

    def __str__(self) -> str:
        how = dict(self.policies)
        return f"{self.model.label} on {self.data}" + (f" ({how['protocol']}, {how['verbs']})" if how else "")


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
    check(content, read_schema("sweeps/schema.json"), where)
    named: dict[str, list] = {key: [_beside(folder, name) for name in content.get(key, [])] for key in _NAMES}
    if not (named["data"] or named["blimp"] or named["suites"]):
        named["data"] = ["marvin-linzen"]
    choices = named["lemmas"] or [None], content.get("protocols", ["exact"]), content.get("verbs", ["single-token"])
    policies = []
    for lemmas, protocol, verbs in product(*choices):
        how = {"lemmas": lemmas, "protocol": protocol, "verbs": verbs, "detail": content.get("detail", "contexts")}
        if verbs == "all" and "sample" in content:  # single tokens cost so little that all contexts are scored
            how["sample"] = content["sample"]
        policies.append(tuple(how.items()))
    runs: list[Run] = []
    for number, entry in enumerate(content["models"]):
        for model in _models(entry, folder, f"{where}: models[{number}]"):
            runs += [Run(model, "agreement", *each) for each in product(named["data"], policies)]
            runs += [Run(model, "blimp", name) for name in named["blimp"]]
            runs += [Run(model, "suites", suite) for name in named["suites"] for suite in suite_names(name) or [name]]
    places = {key: content.get(key) for key in ("workers", "address", "slurm")}
    return Plan(tuple(dict.fromkeys(runs)), **places)


def _models(entry: str | Mapping[str, Any], folder: Path, where: str) -> list[Model]:
    """The models of one entry: one, or one per revision or folder."""
    if isinstance(entry, str):
        entry = {"model": entry}
    options = {key: entry[key] for key in ("kind", "device", "dtype", "bos") if key in entry}
    if "folders" in entry:
        pattern = entry["folders"]
        found = glob(str(folder / pattern)) or glob(pattern)  # noqa: PTH207  (a pattern may be a full path)
        sources = [str(Path(path).resolve()) for path in found if is_folder(path)]
        if not sources:
            raise InputError(f"{where}: no folder matches {pattern!r}")
    else:
        sources = [_beside(folder, entry["model"])]
    models = []
    for source, revision in product(sources, map(str, entry["revisions"]) if "revisions" in entry else [None]):
        last = Path(source).name
        version = revision or (last if is_folder(source) else "")
        models.append(Model(source, entry.get("name", last), version, (*options.items(), ("revision", revision))))
    return sorted(models, key=lambda model: (-1 if model.step is None else model.step, model.source))


def _beside(folder: Path, name: str) -> str:
    """The full path of a file or folder next to the plan, so that workers elsewhere find it; other names unchanged."""
    for place in (folder / name, Path(name)):
        if is_there(place):
            return str(place.resolve())
    return name
