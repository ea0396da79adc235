"""A sweep as a YAML file: models (with revisions) x data x policies.

    models:
      - lab-systematic-causal                        # what `load_model` takes
      - model: EleutherAI/pythia-160m                # one entry a revision
        revisions: [step0, step512, step143000]
        dtype: bfloat16
      - folders: trained/lab-lexical-causal/seed*/step-*
        name: lab-lexical-causal                     # in tables, beside what varies: seed1/step-512
        steps: step-(\\d+)                           # where names do not show the step
    data: [marvin-linzen]                            # what `load_pairs` takes
    lemmas: [newman-clean]
    protocols: [exact]
    verbs: [single-token, all]
    sample: 24                                       # contexts of each construction, or all;
                                                     # for verbs of any length
    detail: contexts
    blimp: [blimp]                                   # what `load_sentence_pairs` takes
    suites: [public, my-suite.json]                  # of SyntaxGym: names, files, folders
    workers: 2                                       # or address: of a Dask scheduler
    slurm: {queue: gpu, walltime: "01:00:00"}        # what dask_jobqueue.SLURMCluster takes
    store: /shared/tse-store                         # in place of TSE_STORE; all machines see it

Only `models` is required. Without `data`, `blimp` and `suites` the data are marvin-linzen; other
defaults are those of `tse_core.evaluate`. Files and folders are looked up next to the plan first,
then in the current folder. Data on the Hugging Face hub (``hf:OWNER/NAME@REVISION/PATH``) without a
revision stay as they were first fetched until another file of their branch is; where that matters,
or workers have caches of their own, name the commit.

The step of a checkpoint is read from its name (`tse_extras.sweep.steps`), unless `steps` gives it:
a regular expression whose group is the number, a number for each revision, or a mapping from
revisions or folders to numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tse_core.plugins import check, read_schema, read_yaml, suite_names
from tse_extras.sweep.models import Arguments, Model, beside, models_of, with_distinct_labels

_NAMES = ("data", "blimp", "suites", "lemmas")  # keys with names, or files beside the plan


@dataclass(frozen=True)
class Run:
    """One evaluation of a sweep: a model on the data of a benchmark."""

    model: Model
    benchmark: str  # "agreement", "blimp" or "suites"
    data: str
    policies: Arguments = ()  # further arguments of `tse_core.evaluate`

    def __str__(self) -> str:
        name = f"{self.model.label} on {self.data}"
        if not self.policies:
            return name
        policies = dict(self.policies)
        return f"{name} ({policies['protocol']}, {policies['verbs']})"


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep, model by model so that a worker rarely opens another; its workers."""

    runs: tuple[Run, ...]
    workers: int | None = None  # processes, or jobs of SLURM
    address: str | None = None  # of a Dask scheduler
    slurm: Mapping | None = None  # arguments of SLURMCluster
    store: str | None = None  # a folder that all workers see, in place of the user's store


def load_plan(plan: str | Path | Mapping) -> Plan:
    """A plan from a YAML file, or from a mapping with the same keys.

    Raises InputError with the position in the file: no YAML, an unknown or missing key, a value of
    the wrong kind (data/sweeps/schema.json), a pattern that matches no folder.
    """
    if isinstance(plan, Mapping):
        content, folder, where = plan, Path(), "the plan"
    else:
        content, folder, where = read_yaml(plan), Path(plan).parent, str(plan)
    check(content, read_schema("sweeps/schema.json"), where)
    names: dict[str, list[str]] = {}
    for key in _NAMES:
        names[key] = [beside(folder, name) for name in content.get(key, [])]
    if not (names["data"] or names["blimp"] or names["suites"]):
        names["data"] = ["marvin-linzen"]
    policies = _policies(content, names["lemmas"])
    models: list[Model] = []
    for number, entry in enumerate(content["models"]):
        models += models_of(entry, folder, f"{where}: models[{number}]")
    runs: list[Run] = []
    for model in with_distinct_labels(models, where):
        runs += _runs(model, names, policies)
    store = content.get("store")
    return Plan(
        runs=tuple(dict.fromkeys(runs)),
        workers=content.get("workers"),
        address=content.get("address"),
        slurm=content.get("slurm"),
        store=beside(folder, store) if store else None,
    )


def _policies(content: Mapping[str, Any], lemmas: list[str]) -> list[Arguments]:
    """The arguments of each evaluation of agreement, for every choice of policies in a plan."""
    protocols = content.get("protocols", ["exact"])
    verbs = content.get("verbs", ["single-token"])
    policies = []
    lists: list[str | None] = [None]  # the usual list of the data
    if lemmas:
        lists = [*lemmas]
    for lemma_list, protocol, verb_choice in product(lists, protocols, verbs):
        arguments = {
            "lemmas": lemma_list,
            "protocol": protocol,
            "verbs": verb_choice,
            "detail": content.get("detail", "contexts"),
        }
        # Single tokens cost so little that all contexts are scored.
        if verb_choice == "all" and "sample" in content:
            arguments["sample"] = content["sample"]
        policies.append(tuple(arguments.items()))
    return policies


def _runs(model: Model, names: Mapping[str, list[str]], policies: list[Arguments]) -> list[Run]:
    """All runs of a model; `names` are those of the data of each benchmark."""
    runs = []
    for data, arguments in product(names["data"], policies):
        runs.append(Run(model, "agreement", data, arguments))
    for data in names["blimp"]:
        runs.append(Run(model, "blimp", data))
    for name in names["suites"]:
        suites = suite_names(name) or [name]  # a collection, or a single suite
        runs += [Run(model, "suites", suite) for suite in suites]
    return runs
