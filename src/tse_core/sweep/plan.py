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
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

from tse_core.agreement.options import CHOICES, SAMPLE_SIZE, TABLES, Detail
from tse_core.datasets.names import usual_list
from tse_core.datasets.pairs import PROTOCOLS, Protocol
from tse_core.errors import InputError
from tse_core.files import is_folder, is_there, read_yaml
from tse_core.models.coerce import AnyModel, load_model
from tse_core.models.devices import DTYPES
from tse_core.schemas import check
from tse_core.syntaxgym.library import suite_names

_TEXT = {"type": "string", "pattern": r"\S"}
_COUNT = {"type": "integer", "minimum": 1}


def _list_of(values: Mapping) -> dict:
    return {"type": "array", "minItems": 1, "items": dict(values)}


def _keys(**properties: Any) -> dict:
    return {"type": "object", "additionalProperties": False, "properties": properties}


_OF_ALL = {"name": _TEXT, "device": _TEXT, "bos": _TEXT, "kind": {"enum": ["causal", "masked"]}}
_OF_ALL |= {"dtype": {"enum": list(DTYPES)}}
_MODEL = _keys(model=_TEXT, revisions=_list_of({"type": ["string", "integer"]}), **_OF_ALL) | {"required": ["model"]}
_FOLDERS = _keys(folders=_TEXT, **_OF_ALL)
_SCHEMA = {"required": ["models"]} | _keys(
    models=_list_of({"type": "object", "if": {"required": ["folders"]}, "then": _FOLDERS, "else": _MODEL}),
    data=_list_of(_TEXT),
    lemmas=_list_of(_TEXT),
    protocols=_list_of({"enum": list(PROTOCOLS)}),
    forms=_list_of({"enum": list(CHOICES)}),
    sample={"anyOf": [_COUNT, {"const": "all"}]},
    keep={"enum": list(TABLES)},
    blimp=_list_of(_TEXT),
    suites=_list_of(_TEXT),
    workers=_COUNT,
    address=_TEXT,
    slurm={"type": "object"},
)


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

    def load(self) -> AnyModel:
        """The model itself."""
        options: Any = {key: getattr(self, key) for key in ("kind", "device", "dtype", "revision", "bos")}
        return load_model(self.source, **options)


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

    Raises InputError with the place in the file: no YAML, an unknown or missing key, a value of the wrong kind, a
    pattern that matches no folder.
    """
    if isinstance(plan, Mapping):
        return _plan(dict(plan), Path(), "the plan")
    return _plan(read_yaml(plan), Path(plan).parent, str(plan))


def _plan(content: Any, folder: Path, where: str) -> Plan:
    content = _written_out(content)
    check(content, _SCHEMA, where)

    def named(key: str) -> list[str]:
        return [_beside(folder, name) for name in content.get(key, [])]

    data = named("data") or ([] if {"blimp", "suites"} & set(content) else ["marvin-linzen"])
    suites = [suite for name in named("suites") for suite in suite_names(name) or [name]]
    protocols, forms = content.get("protocols", ["exact"]), content.get("forms", ["single"])
    keep, sample = content.get("keep", "contexts"), content.get("sample", SAMPLE_SIZE)
    runs: list[Run] = []
    for number, entry in enumerate(content["models"]):
        for model in _models(entry, folder, f"{where}: models[{number}]"):
            for name, lemmas, protocol, form in product(data, named("lemmas") or [""], protocols, forms):
                drawn: Any = "all" if form == "single" else sample  # single tokens cost so little that all are scored
                verbs = lemmas or usual_list(protocol, name)
                runs.append(Run(model, "agreement", name, verbs, protocol, keep, form, drawn))
            runs += [Run(model, "blimp", name) for name in named("blimp")]
            runs += [Run(model, "suites", name) for name in suites]
    places = {key: content.get(key) for key in ("workers", "address", "slurm")}
    return Plan(tuple(dict.fromkeys(runs)), **places)


def _written_out(content: Any) -> Any:
    """The plan without short forms: a single name stands for a list of one, or for a mapping with just that name."""
    if not isinstance(content, dict):
        return content
    content = dict(content)
    for key in ("data", "lemmas", "protocols", "forms", "blimp", "suites"):
        if isinstance(content.get(key), str):
            content[key] = [content[key]]
    if isinstance(content.get("models"), list):
        content["models"] = [{"model": entry} if isinstance(entry, str) else entry for entry in content["models"]]
    return content


def _models(entry: Mapping[str, Any], folder: Path, where: str) -> list[Model]:
    """The models of one entry: one, or one per revision or folder."""
    options = {key: entry[key] for key in ("kind", "device", "dtype", "bos") if key in entry}
    if "folders" in entry:
        pattern = Path(entry["folders"])
        bases = [Path(pattern.anchor)] if pattern.is_absolute() else [folder, Path()]
        matches = ([p.resolve() for p in base.glob(str(pattern.relative_to(pattern.anchor)))] for base in bases)
        folders = [path for path in next(filter(None, matches), []) if path.is_dir()]
        if not folders:
            raise InputError(f"{where}: no folder matches {entry['folders']!r}")
        models = [Model(str(path), entry.get("name", path.name), **options) for path in folders]
        return sorted(models, key=lambda model: (-1 if model.step is None else model.step, model.source))
    source = _beside(folder, entry["model"])
    name = entry.get("name", Path(source).name if is_folder(source) else source.split("/")[-1])
    return [
        Model(source, name, None if revision is None else str(revision), **options)
        for revision in entry.get("revisions", [None])
    ]


def _beside(folder: Path, name: str) -> str:
    """The full path of a file or folder next to the plan, so that workers elsewhere find it; other names unchanged."""
    for place in (folder / name, Path(name)):
        if is_there(place):
            return str(place.resolve())
    return name
