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
    suites: [public, my-suite.json]                  # of SyntaxGym: names, files, folders, collections
    engine: {name: processes, workers: 2}
    task_tokens: 200000                              # of one task at most

Only `models` is required. Without `data`, `blimp` and `suites` the data are marvin-linzen; without `lemmas` each
protocol takes its own list (`tse_core.evaluate`). Files and folders are looked up next to the plan first, then in the
current folder. Forms are single entries by default, over all contexts; whole words are scored
in a sample of 24 contexts of each construction, on a GPU too, so that results do not depend on where a worker runs.
"""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, get_args

from tse_core.agreement.counted_forms import FORMS_POLICIES
from tse_core.agreement.job import Keep
from tse_core.agreement.samples import SAMPLE_SIZE
from tse_core.datasets.coerce import usual_list
from tse_core.datasets.pairs import PROTOCOLS
from tse_core.errors import InputError
from tse_core.files import is_folder, is_there, read_yaml
from tse_core.models.kinds.request import DTYPES
from tse_core.schemas import check
from tse_core.sweep.runs import Model, Plan, Run
from tse_core.syntaxgym.library import suite_names

MOST_RUNS = 100_000
# Of each engine; a SLURM job opens its model anew.
TASK_TOKENS = {"processes": 200_000, "dask": 200_000, "slurm": 20_000_000}
_TEXT = {"type": "string", "pattern": r"\S"}
_COUNT = {"type": "integer", "minimum": 1}


def _list_of(values: Mapping) -> dict:
    return {"type": "array", "minItems": 1, "items": dict(values)}


def _keys(**properties: Any) -> dict:
    return {"type": "object", "additionalProperties": False, "properties": properties}


_OF_ALL_MODELS = {
    "name": _TEXT,
    "device": _TEXT,
    "bos": _TEXT,
    "kind": {"enum": ["causal", "masked"]},
    "dtype": {"enum": list(DTYPES)},
}
_MODEL = {"required": ["model"]} | _keys(
    model=_TEXT, revisions=_list_of({"type": ["string", "integer"]}), **_OF_ALL_MODELS
)
_FOLDERS = _keys(folders=_TEXT, **_OF_ALL_MODELS)
_SCHEMA = {"required": ["models"]} | _keys(
    models=_list_of({"type": "object", "if": {"required": ["folders"]}, "then": _FOLDERS, "else": _MODEL}),
    data=_list_of(_TEXT),
    lemmas=_list_of(_TEXT),
    protocols=_list_of({"enum": list(PROTOCOLS)}),
    forms=_list_of({"enum": list(FORMS_POLICIES)}),
    sample={"anyOf": [_COUNT, {"const": "all"}]},
    keep={"enum": list(get_args(Keep))},
    blimp=_list_of(_TEXT),
    suites=_list_of(_TEXT),
    task_tokens=_COUNT,
    engine=_keys(
        name={"enum": list(TASK_TOKENS)},
        workers=_COUNT,
        gpus=_COUNT,
        address=_TEXT,
        cluster={"enum": ["slurm", "local"]},
        options={"type": "object"},
    ),
)


def load_plan(plan: str | Path | Mapping) -> Plan:
    """A plan from a YAML file, or from a mapping with the same keys.

    Raises
    ------
    InputError
        Names the file and the place in it: no YAML, an unknown or missing key, a value of the wrong kind, a pattern
        that matches no folder, the same model twice.
    """
    if isinstance(plan, Mapping):
        return _plan(dict(plan), Path(), "the plan")
    return _plan(read_yaml(plan), Path(plan).parent, str(plan))


def _plan(content: Any, folder: Path, where: str) -> Plan:
    content = _written_out(content)
    check(content, _SCHEMA, where)
    models: dict[Model, None] = {}
    for number, entry in enumerate(content["models"]):
        for model in _models(entry, folder, f"{where}: models[{number}]"):
            if model in models:
                raise InputError(f"{where}: models holds {model.label!r} twice")
            models[model] = None

    def named(key: str) -> list[str]:
        return [_beside(folder, name) for name in dict.fromkeys(content.get(key, []))]

    data = named("data") or ([] if {"blimp", "suites"} & set(content) else ["marvin-linzen"])
    suites = dict.fromkeys(suite for name in named("suites") for suite in suite_names(name) or [name])
    protocols, forms = content.get("protocols", ["exact"]), content.get("forms", ["single"])
    agreement = list(product(data, named("lemmas") or [""], protocols, forms))
    if (count := (len(agreement) + len(named("blimp")) + len(suites)) * len(models)) > MOST_RUNS:
        raise InputError(f"{where}: {count:,} runs (models x data x lemmas x protocols x forms); at most {MOST_RUNS:,}")
    keep, sample = content.get("keep", "contexts"), content.get("sample", SAMPLE_SIZE)
    runs: list[Run] = []
    for model in models:
        for name, lemmas, protocol, form in agreement:
            drawn: Any = "all" if form == "single" else sample  # single entries cost so little that all are scored
            verbs = lemmas or usual_list(protocol, name)
            runs.append(Run(model, "agreement", name, verbs, protocol, keep, forms=form, sample=drawn))
        runs += [Run(model, "blimp", name) for name in named("blimp")]
        runs += [Run(model, "suites", name) for name in suites]
    return Plan(tuple(runs), content.get("engine", {}), content.get("task_tokens"))


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
    if isinstance(content.get("engine"), str):
        content["engine"] = {"name": content["engine"]}
    return content


def _models(entry: Mapping[str, Any], folder: Path, where: str) -> list[Model]:
    """The models of one entry: one, or one per revision or folder."""
    options = {key: entry[key] for key in ("kind", "device", "dtype", "bos") if key in entry}
    if "folders" in entry:
        found = _matches(entry["folders"], folder)
        if not found:
            raise InputError(f"{where}: no folder matches {entry['folders']!r}")
        models = [Model(str(f), entry.get("name", f.name), **options) for f in found]
        return sorted(models, key=lambda m: (-1 if m.step is None else m.step, m.source))
    source = _beside(folder, entry["model"])
    name = entry.get("name", Path(source).name if is_folder(source) else source.split("/")[-1])
    if "revisions" not in entry:
        return [Model(source, name, **options)]
    return [Model(source, name, str(revision), **options) for revision in entry["revisions"]]


def _beside(folder: Path, name: str) -> str:
    """The full path of a file or folder next to the plan, so that workers elsewhere find it; other names unchanged."""
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
