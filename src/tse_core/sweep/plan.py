"""A sweep as a YAML file: models (with revisions) x data x policies.

    models:
      - lab-systematic-causal                        # what `load_model` takes
      - model: EleutherAI/pythia-160m                # one entry a revision
        revisions: [step0, step512, step143000]
        dtype: bfloat16
      - folders: trained/lab-lexical-causal/seed*/step-*
        name: lab-lexical-causal                     # in tables, beside what varies: seed1/step-512
        steps: step-(\\d+)                           # where names do not show the step
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

The step of a checkpoint is read from its name (`tse_core.sweep.steps`), unless `steps` says it: a
regular expression whose group is the number, a number for each revision, or a mapping from revisions
or folders to numbers.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from tse_core.errors import InputError, check_known, warn
from tse_core.files import is_folder, is_there, read_yaml
from tse_core.schemas import check, read_schema
from tse_core.sweep.steps import as_number, stage_of, step_of
from tse_core.syntaxgym.library import suite_names

_NAMES = (
    "data",
    "blimp",
    "suites",
    "lemmas",
)  # lists of names, or of files that may lie beside the plan
Arguments: TypeAlias = tuple[tuple[str, Any], ...]  # names and values


@dataclass(frozen=True)
class Model:
    """One model of a sweep: what `load_model` takes, and the name of its results."""

    source: str
    name: str
    version: str = ""  # its revision, or the part of its folder's path that varies
    options: Arguments = ()  # further arguments of `load_model`
    step: int | None = None  # of training

    @property
    def label(self) -> str:
        """E.g. ``pythia-160m step512``, ``lab-lexical-causal seed1/step-00512``."""
        return self.name if self.version in ("", self.name) else f"{self.name} {self.version}"

    @property
    def series(self) -> str:
        """What the checkpoints of one training share: the name, and the path above, as in ``mine seed1``."""
        above = self.version.rpartition("/")[0]
        if above and self.name == self.version:
            return above
        return f"{self.name} {above}".rstrip()


@dataclass(frozen=True)
class Run:
    """One evaluation of a sweep: a model on the data of a benchmark ("agreement", "blimp" or "suites")."""

    model: Model
    benchmark: str
    data: str
    policies: Arguments = ()  # further arguments of `tse_core.evaluate`

    def __str__(self) -> str:
        how = dict(self.policies)
        return f"{self.model.label} on {self.data}" + (
            f" ({how['protocol']}, {how['verbs']})" if how else ""
        )


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
    named: dict[str, list] = {
        key: [_beside(folder, name) for name in content.get(key, [])] for key in _NAMES
    }
    if not (named["data"] or named["blimp"] or named["suites"]):
        named["data"] = ["marvin-linzen"]
    choices = (
        named["lemmas"] or [None],
        content.get("protocols", ["exact"]),
        content.get("verbs", ["single-token"]),
    )
    policies = []
    for lemmas, protocol, verbs in product(*choices):
        how = {
            "lemmas": lemmas,
            "protocol": protocol,
            "verbs": verbs,
            "detail": content.get("detail", "contexts"),
        }
        if (
            verbs == "all" and "sample" in content
        ):  # single tokens cost so little that all contexts are scored
            how["sample"] = content["sample"]
        policies.append(tuple(how.items()))
    models: list[Model] = []
    for number, entry in enumerate(content["models"]):
        models += _models(entry, folder, f"{where}: models[{number}]")
    runs: list[Run] = []
    for model in _told_apart(models, where):
        runs += [Run(model, "agreement", *each) for each in product(named["data"], policies)]
        runs += [Run(model, "blimp", name) for name in named["blimp"]]
        runs += [
            Run(model, "suites", suite)
            for name in named["suites"]
            for suite in suite_names(name) or [name]
        ]
    places = {key: content.get(key) for key in ("workers", "address", "slurm")}
    return Plan(tuple(dict.fromkeys(runs)), **places)


def _models(entry: str | Mapping[str, Any], folder: Path, where: str) -> list[Model]:
    """The models of one entry: one, or one per revision or folder, by stage and step of training."""
    if isinstance(entry, str):
        entry = {"model": entry}
    options = tuple((key, entry[key]) for key in ("kind", "device", "dtype", "bos") if key in entry)
    models = []
    if "folders" in entry:
        pattern = entry["folders"]
        matches = glob(str(folder / pattern)) or glob(pattern)  # noqa: PTH207  (a pattern may be a full path)
        paths = sorted(path for path in matches if is_folder(path))
        if not paths:
            raise InputError(f"{where}: no folder matches {pattern!r}")
        for path, version in zip(paths, _differences(paths), strict=True):
            source = str(Path(path).resolve())
            name = entry.get("name", version)
            models.append(Model(source, name, version, (*options, ("revision", None))))
    else:
        source = _beside(folder, entry["model"])
        last = Path(source).name
        name = entry.get("name", last)
        usual = last if is_folder(source) else ""
        revisions = [str(revision) for revision in entry.get("revisions", [])]
        for revision in revisions or [""]:
            chosen = ("revision", revision or None)
            models.append(Model(source, name, revision or usual, (*options, chosen)))
    steps = _steps([model.version for model in models], entry, where)
    models = [replace(model, step=step) for model, step in zip(models, steps, strict=True)]
    return sorted(models, key=_order)


def _order(model: Model) -> tuple:
    """What models of an entry are sorted by: those without a step first."""
    return stage_of(model.version), -1 if model.step is None else model.step, model.source


def _differences(paths: Sequence[str]) -> list[str]:
    """The end of each path, from the first part that differs on; of a single one its last part."""
    parts = [Path(path).parts for path in paths]
    shared = len(os.path.commonprefix(parts))
    return ["/".join(own[min(shared, len(own) - 1) :]) for own in parts]


def _steps(names: list[str], entry: Mapping[str, Any], where: str) -> list[int | None]:
    """The step of each revision or folder of an entry: as its `steps` say, else as its name shows.

    Warns where a name has several numbers of which none is announced as the step, or two are. Raises
    InputError: steps for a name that is not there, too few or too many, or no numbers; a regular
    expression that finds none.
    """
    known = _known_steps(names, entry, f"{where}.steps")
    alone = "folders" not in entry and "revisions" not in entry
    steps, doubts = [], []
    for name in names:
        step, others = step_of(name, announced_only=alone)
        if others and name not in known:
            other = " or ".join(map(str, others))
            doubts.append(f"the step of {name!r} is read as {step}, and could be {other}")
        steps.append(known.get(name, step))
    if doubts:
        more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
        text = f"{where}: {doubts[0]}{more}; steps: in the plan says it"
        warn(text)
    return steps


def _known_steps(names: list[str], entry: Mapping[str, Any], where: str) -> dict[str, int]:
    """The numbers that `steps` of an entry states, by revision or folder."""
    steps = entry.get("steps", {})
    if isinstance(steps, str):
        return {name: _searched(steps, name, where) for name in names}
    if isinstance(steps, list):
        revisions = entry.get("revisions", [])
        if len(steps) != len(revisions):
            count = f"{len(steps)} steps for {len(revisions)} revisions"
            raise InputError(f"{where}: {count}; give one for each, or a mapping {{NAME: STEP}}")
        steps = dict(zip(revisions, steps, strict=True))
    known = {}
    for name, step in steps.items():
        check_known(f"revision or folder in {where}", str(name), names)
        number = as_number(str(step))  # YAML reads 1e6 as a text
        if number is None:
            what = f"the step of {str(name)!r} is {step!r}, which is no whole number"
            raise InputError(f"{where}: {what}")
        known[str(name)] = number
    return known


def _searched(pattern: str, name: str, where: str) -> int:
    """The number in the first group of a regular expression."""
    try:
        match = re.search(pattern, name)
        step = as_number(match[1] or "") if match else None
    except (re.error, IndexError) as error:
        what = f"{pattern!r} is no regular expression with a group"
        raise InputError(f"{where}: {what} ({error})") from None
    if step is None:
        raise InputError(f"{where}: {pattern!r} finds no number in {name!r}")
    return step


def _told_apart(models: Iterable[Model], where: str) -> list[Model]:
    """The models, those of one label but different places under names that tell them apart.

    Raises InputError where a name that the plan gives stands for two places.
    """
    models = list(models)
    places: dict[str, dict[str, str]] = {}  # by label: the name for each place
    for model in models:
        places.setdefault(model.label, {})[model.source] = ""
    for label, names in places.items():
        if len(names) > 1:
            places[label] = dict(zip(names, _differences(list(names)), strict=True))
    found = []
    for model in models:
        name = places[model.label][model.source]
        if name and model.name not in (Path(model.source).name, model.version):
            others = " and ".join(list(places[model.label])[:2])
            what = f"are both called {model.label!r}; give each a name of its own"
            raise InputError(f"{where}: {others} {what}")
        if name:
            version = name if model.version == model.name else model.version
            model = replace(model, name=name, version=version)
        found.append(model)
    return found


def _beside(folder: Path, name: str) -> str:
    """The full path of a file or folder next to the plan, so that workers elsewhere find it; other names unchanged."""
    for place in (folder / name, Path(name)):
        if is_there(place):
            return str(place.resolve())
    return name
