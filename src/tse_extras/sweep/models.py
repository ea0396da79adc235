"""The models of a sweep: what each entry of a plan under `models` means.

An entry is one model, its revisions, or the folders that match a pattern. `models_of` gives its
models in the order of training, `with_distinct_labels` gives no two sources one name.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any, TypeAlias

from tse_core import InputError
from tse_core.plugins import check_known, is_folder, is_there, warn
from tse_extras.sweep.steps import as_number, stage_of, step_of

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
        if self.version in ("", self.name):
            return self.name
        return f"{self.name} {self.version}"

    @property
    def series(self) -> str:
        """The name that the checkpoints of one training share, with the path above them.

        E.g. ``mine seed1``.
        """
        above = self.version.rpartition("/")[0]
        if above and self.name == self.version:
            return above
        return f"{self.name} {above}".rstrip()


def models_of(entry: str | Mapping[str, Any], folder: Path, where: str) -> list[Model]:
    """The models of an entry: one, or one per revision or folder, by stage and step of training."""
    if isinstance(entry, str):
        entry = {"model": entry}
    options = tuple((key, entry[key]) for key in ("kind", "device", "dtype", "bos") if key in entry)
    if "folders" in entry:
        models = _models_in_folders(entry, options, folder, where)
    else:
        models = _revisions(entry, options, folder)
    steps = _steps([model.version for model in models], entry, where)
    models = [replace(model, step=step) for model, step in zip(models, steps, strict=True)]
    return sorted(models, key=_order)


def _models_in_folders(
    entry: Mapping[str, Any], options: Arguments, folder: Path, where: str
) -> list[Model]:
    """The models of an entry in the folders that match its pattern. Raises InputError for none."""
    pattern = entry["folders"]
    matches = glob(str(folder / pattern))  # noqa: PTH207  (a pattern may be a full path)
    if not matches:
        matches = glob(pattern)  # noqa: PTH207
    paths = sorted(path for path in matches if is_folder(path))
    if not paths:
        raise InputError(f"{where}: no folder matches {pattern!r}")
    models = []
    for path, version in zip(paths, _differences(paths), strict=True):
        source = str(Path(path).resolve())
        name = entry.get("name", version)
        models.append(Model(source, name, version, (*options, ("revision", None))))
    return models


def _revisions(entry: Mapping[str, Any], options: Arguments, folder: Path) -> list[Model]:
    """The models of an entry with a single source, one for each revision."""
    source = beside(folder, entry["model"])
    last_part = Path(source).name
    name = entry.get("name", last_part)
    revisions = [str(revision) for revision in entry.get("revisions", [])]
    if not revisions:
        version = last_part if is_folder(source) else ""
        return [Model(source, name, version, (*options, ("revision", None)))]
    return [Model(source, name, tag, (*options, ("revision", tag))) for tag in revisions]


def _order(model: Model) -> tuple:
    """The key by which models of an entry are sorted; those without a step come first."""
    step = -1 if model.step is None else model.step
    return stage_of(model.version), step, model.source


def _differences(paths: Sequence[str]) -> list[str]:
    """The end of each path, from the first part that differs on; of a single one its last part."""
    all_parts = [Path(path).parts for path in paths]
    shared = len(os.path.commonprefix(all_parts))
    ends = []
    for parts in all_parts:
        start = min(shared, len(parts) - 1)  # at least the last part
        ends.append("/".join(parts[start:]))
    return ends


def _steps(names: list[str], entry: Mapping[str, Any], where: str) -> list[int | None]:
    """The step of each revision or folder of an entry: from its `steps`, else from its name.

    Warns where a name has several numbers of which none is announced as the step, or two are.
    Raises InputError: steps for a name that is not there, too few or too many, or no numbers; a
    regular expression that finds none.
    """
    stated = _stated_steps(names, entry, f"{where}.steps")
    alone = "folders" not in entry and "revisions" not in entry  # a single model, maybe "run-3"
    steps, doubts = [], []
    for name in names:
        step, others = step_of(name, announced_only=alone)
        if others and name not in stated:
            other = " or ".join(map(str, others))
            doubts.append(f"the step of {name!r} is read as {step}, and could be {other}")
        steps.append(stated.get(name, step))
    if doubts:
        more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
        warn(f"{where}: {doubts[0]}{more}; steps: in the plan says it")
    return steps


def _stated_steps(names: list[str], entry: Mapping[str, Any], where: str) -> dict[str, int]:
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
    numbers = {}
    for name, step in steps.items():
        check_known(f"revision or folder in {where}", str(name), names)
        number = as_number(str(step))  # YAML reads 1e6 as a text
        if number is None:
            mistake = f"the step of {str(name)!r} is {step!r}, which is no whole number"
            raise InputError(f"{where}: {mistake}")
        numbers[str(name)] = number
    return numbers


def _searched(pattern: str, name: str, where: str) -> int:
    """The number in the first group of a regular expression. Raises InputError if there is none."""
    step = None
    try:
        match = re.search(pattern, name)
        if match:
            step = as_number(match[1] or "")
    except (re.error, IndexError) as error:
        mistake = f"{pattern!r} is no regular expression with a group"
        raise InputError(f"{where}: {mistake} ({error})") from None
    if step is None:
        raise InputError(f"{where}: {pattern!r} finds no number in {name!r}")
    return step


def with_distinct_labels(models: Sequence[Model], where: str) -> list[Model]:
    """The models; those of one label but different sources get the ends of their paths as names.

    Raises InputError where a name that the plan gives stands for two sources.
    """
    sources: dict[str, list[str]] = {}  # by label
    for model in models:
        of_label = sources.setdefault(model.label, [])
        if model.source not in of_label:
            of_label.append(model.source)
    distinct = []
    for model in models:
        of_label = sources[model.label]
        if len(of_label) == 1:
            distinct.append(model)
            continue
        if model.name not in (Path(model.source).name, model.version):  # the plan's own name
            two = " and ".join(of_label[:2])
            remedy = "give each a name of its own"
            raise InputError(f"{where}: {two} are both called {model.label!r}; {remedy}")
        name = _differences(of_label)[of_label.index(model.source)]
        version = name if model.version == model.name else model.version
        distinct.append(replace(model, name=name, version=version))
    return distinct


def beside(folder: Path, name: str) -> str:
    """The full path of a file or folder next to the plan, else in the current folder.

    With full paths workers elsewhere find them. Other names stay as they are.
    """
    for path in (folder / name, Path(name)):
        if is_there(path):
            return str(path.resolve())
    return name
