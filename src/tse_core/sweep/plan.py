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
    forms: [single, words]                           # single entries of the vocabulary, whole words
    sample: 24                                       # contexts of each construction for whole words; or all
    keep: contexts
    blimp: [blimp]                                   # sentence pairs, what `load_sentence_pairs` takes
    suites: [public, my-suite.json]                  # of SyntaxGym: names, files, "public", "laboratory"
    engine: {name: processes, workers: 2}

Only `models` must be there; where neither `data` nor `blimp` nor `suites` is, the data are marvin-linzen, and where
`lemmas` is not, each protocol takes its own list (`tse_core.evaluate`). Files and folders are looked for beside the
plan first, then where the command runs. Forms are single entries by default, over all contexts; whole words are scored
in a sample of 24 contexts of each construction, on a GPU too, so that results do not depend on where a worker runs.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Literal

from tse_core.agreement.counted_forms import FORMS_POLICIES
from tse_core.agreement.samples import SAMPLE_SIZE
from tse_core.datasets.lemmas import DEFAULTS
from tse_core.errors import InputError, unknown
from tse_core.files import is_folder, is_there, read_yaml

if TYPE_CHECKING:
    from tse_core.agreement.counted_forms import FormsPolicy
    from tse_core.agreement.job import Keep, Protocol

MOST_RUNS = 100_000
ENGINES = ("processes", "dask", "slurm")
_POLICIES = {
    "kind": ("causal", "masked"),
    "dtype": ("float32", "float16", "bfloat16"),
}
_MODEL_KEYS = ("model", "folders", "name", "revisions", "device", "bos", *_POLICIES)
_PLAN_KEYS = ("models", "data", "lemmas", "protocols", "forms", "sample", "keep", "blimp", "suites", "engine",
              "task_tokens")  # fmt: skip
_ENGINE_KEYS = {"name": str, "workers": int, "gpus": int, "address": str, "cluster": str, "options": dict}


@dataclass(frozen=True)
class Model:
    """One model of a sweep: what `load_model` takes, and the name and step under which its results stand."""

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
    part: str  # "agreement", "blimp" or "suites"
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
        Model by model, so that a worker loads each as seldom as can be.
    engine : dict
        name ("processes", "dask", "slurm"), workers, gpus, address, cluster, options; see `engines.engine`.
    task_tokens : int or None
        Tokens of one task at most; None leaves it to the engine.
    """

    runs: tuple[Run, ...]
    engine: Mapping = field(default_factory=dict)
    task_tokens: int | None = None


def load_plan(plan: str | Path | Mapping) -> Plan:
    """A plan from a YAML file, or from a mapping with the same keys.

    Raises
    ------
    InputError
        Names the file and the key: a file that is no YAML, an unknown or missing key, a value of the wrong kind, a
        pattern that matches no folder, the same model twice.
    """
    if isinstance(plan, Mapping):
        return _plan(dict(plan), Path(), "the plan")
    path = Path(plan)
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise InputError(f"{path} must hold keys such as 'models' and 'data'")
    return _plan(content, path.parent, str(path))


def _plan(content: dict, folder: Path, where: str) -> Plan:
    _known(content, _PLAN_KEYS, where)
    entries = content.get("models")
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{where}: models must be a list with at least one model")
    models = [m for i, entry in enumerate(entries) for m in _models(entry, folder, f"{where}: models[{i}]")]
    if twice := {m.label for m, times in Counter(models).items() if times > 1}:
        raise InputError(f"{where}: models holds {sorted(twice)[0]!r} twice")
    none = not {"data", "blimp", "suites"} & set(content)
    default = {"data": ["marvin-linzen"] if none else [], "lemmas": [], "blimp": [], "suites": []}
    named = {key: [_here(n, folder) for n in _names(content, key, names, where)] for key, names in default.items()}
    lists: list[str | None] = [*named["lemmas"]] or [None]
    protocols = [
        _one_of(protocol, ("exact", "released"), f"{where}: protocols")
        for protocol in _names(content, "protocols", ["exact"], where)
    ]
    forms = [_one_of(f, FORMS_POLICIES, f"{where}: forms") for f in _names(content, "forms", ["single"], where)]
    sample = content.get("sample", SAMPLE_SIZE)
    if sample != "all" and (type(sample) is not int or sample < 1):
        raise InputError(f"{where}: sample is {str(sample)[:80]!r}; it must be a whole number above 0, or all")
    keep = _one_of(content.get("keep", "contexts"), ("contexts", "lemmas", "forms"), f"{where}: keep")
    tokens = content.get("task_tokens")
    if tokens is not None and (type(tokens) is not int or tokens < 1):
        raise InputError(f"{where}: task_tokens is {tokens!r}; it must be a whole number above 0")
    suites = [suite for name in named["suites"] for suite in _suites(name)]
    count = len(named["data"]) * len(lists) * len(protocols) * len(forms) + len(named["blimp"]) + len(suites)
    if (count := count * len(models)) > MOST_RUNS:
        raise InputError(f"{where}: {count:,} runs (models x data x lemmas x protocols x forms); at most {MOST_RUNS:,}")
    runs = []
    for model in models:
        runs += [
            Run(model, "agreement", data, lemmas or DEFAULTS[protocol], protocol, keep, form, _sampled(form, sample))
            for data, lemmas, protocol, form in product(named["data"], lists, protocols, forms)
        ]
        runs += [Run(model, "blimp", name) for name in named["blimp"]]
        runs += [Run(model, "suites", name) for name in dict.fromkeys(suites)]
    return Plan(tuple(runs), _engine(content.get("engine", {}), where), tokens)


def _sampled(forms: str, sample: int | Literal["all"]) -> int | Literal["all"]:
    """How many contexts of each construction: single entries cost so little that all are scored."""
    return "all" if forms == "single" else sample


def _models(entry, folder: Path, where: str) -> list[Model]:
    """The models of one entry: one, or one a revision or folder."""
    entry = {"model": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, dict) or ("model" in entry) == ("folders" in entry):
        raise InputError(f"{where} must be a name, or hold either 'model' or 'folders'")
    _known(entry, _MODEL_KEYS, where)
    for key, value in entry.items():
        if key != "revisions" and (not isinstance(value, str) or not value.strip()):
            raise InputError(f"{where}: {key} is {str(value)[:80]!r}; it must be a text")
    policies = {key: entry[key] for key in ("device", "bos", *_POLICIES) if key in entry}
    for key, known in _POLICIES.items():
        if key in policies:
            _one_of(policies[key], known, f"{where}: {key}")
    if "folders" in entry:
        if "revisions" in entry:
            raise InputError(f"{where}: revisions belong to a model of the hub, not to folders")
        found = _matches(str(entry["folders"]), folder)
        if not found:
            raise InputError(f"{where}: no folder matches {str(entry['folders'])!r}")
        models = [Model(str(f), str(entry.get("name", f.name)), **policies) for f in found]
        return sorted(models, key=lambda m: (-1 if m.step is None else m.step, m.source))
    source = _here(str(entry["model"]), folder)
    name = str(entry.get("name", Path(source).name if is_folder(source) else source.split("/")[-1]))
    revisions = entry.get("revisions", [None])
    if not isinstance(revisions, list) or not revisions:
        raise InputError(f"{where}: revisions must be a list with at least one revision")
    if wrong := [r for r in revisions if not isinstance(r, (str, int, NoneType))]:
        raise InputError(f"{where}: a revision is a branch, tag or commit, not {str(wrong[0])[:80]!r}")
    return [Model(source, name, None if r is None else str(r), **policies) for r in revisions]


def _suites(name: str) -> list[str]:
    """The names or files that an entry of `suites` stands for."""
    if name in ("laboratory", "public"):
        from tse_core.syntaxgym.library import list_suites

        table = list_suites()
        return table.loc[(table["source"] == name) & table["available"], "name"].tolist()
    if is_folder(name):
        return [str(file) for file in sorted(Path(name).iterdir()) if file.suffix in (".json", ".csv")]
    return [name]


def _engine(engine, where: str) -> dict:
    engine = {"name": engine} if isinstance(engine, str) else engine
    if not isinstance(engine, dict):
        raise InputError(f"{where}: engine must be a name ({', '.join(ENGINES)}) or hold 'name'")
    _known(engine, _ENGINE_KEYS, f"{where}: engine")
    for key, kind in _ENGINE_KEYS.items():
        if key in engine and (type(engine[key]) is not kind or (kind is int and engine[key] < 1)):
            right = {int: "a whole number above 0", str: "text", dict: "keys and values"}[kind]
            raise InputError(f"{where}: engine: {key} is {engine[key]!r}; it must be {right}")
    if "name" in engine:
        _one_of(engine["name"], ENGINES, f"{where}: engine: name")
    return engine


def _names(content: dict, key: str, default: list[str], where: str) -> list[str]:
    value = content.get(key, default)
    value = [value] if isinstance(value, str) else value
    if key not in content:
        return value
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise InputError(f"{where}: {key} must be a list of names")
    return list(dict.fromkeys(value))


def _known(content: dict, keys, where: str) -> None:
    for key in content:
        if key not in keys:
            raise InputError(f"{where}: {unknown('key', key, keys)}")


def _one_of(value, known, where: str):
    if value not in known:
        raise InputError(f"{where}: {unknown('value', value, known)}")
    return value


def _here(name: str, folder: Path) -> str:
    """A file or folder beside the plan by its full path, so that workers elsewhere find it; other names as they are."""
    for place in (folder / name, Path(name)):
        if is_there(place):
            return str(place.resolve())
    return name


def _matches(pattern: str, folder: Path) -> list[Path]:
    """The folders that a pattern with * and ? stands for, beside the plan or where the command runs."""
    parts = Path(pattern)
    for base in [Path(parts.anchor)] if parts.is_absolute() else [folder, Path()]:
        try:
            found = [p.resolve() for p in base.glob(str(parts.relative_to(parts.anchor))) if p.is_dir()]
        except (ValueError, IndexError, NotImplementedError):  # no pattern, such as "/" and "**a"
            return []
        if found:
            return found
    return []
