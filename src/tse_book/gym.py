"""The gym: every suite of data/gym.yaml on every model there, and the data of the page that shows the results.

Token surprisals are kept in the store, so only what is new is computed. Results of recorded runs
stand beside them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tse_book import published
from tse_book.charts.suites import mean_regions, region_profile
from tse_book.charts.theme import INERT
from tse_book.model_names import SHOWN_NAMES
from tse_book.recorded import read_provenance, recorded_details
from tse_book.recorded.provenance import runs_folder
from tse_core.errors import InputError
from tse_core.files import is_there, read_yaml, safe_name, write_output
from tse_core.models.loading import as_model
from tse_core.paths import data_folder
from tse_core.schemas import check
from tse_core.syntaxgym.accuracies import accuracy_table, judged_items, label
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import circuit, load_suites, public_suites
from tse_core.syntaxgym.outcomes import TOKEN_COLUMNS, Outcome, evaluate_suite
from tse_core.syntaxgym.suites import KEYS, Suite

_LIST = {"type": "array", "items": {"type": "string"}}
SCHEMA = {  # of data/gym.yaml
    "type": "object",
    "properties": {
        "suites": _LIST,
        "models": _LIST,
        "recorded": _LIST,
        "opens": {"type": "string"},
        "unknown": {"enum": ["refuse", "flag"]},
    },
    "additionalProperties": False,
}


class Gym(NamedTuple):
    """What data/gym.yaml says: suites, names of models and of recorded runs.

    `opens` is the name of the suite that the page shows first; items with unknown words are judged
    under "flag".
    """

    suites: list[Suite]
    models: list[str]
    unknown: str = "refuse"
    recorded: tuple[str, ...] = ()
    opens: str = ""


def load_gym(path: str | Path | None = None) -> Gym:
    """Read data/gym.yaml or another file like it; paths in it start from the file's folder or the one above.

    Raises InputError: something is wrong in the file or in a suite.
    """
    path = Path(path) if path else data_folder() / "gym.yaml"
    data = read_yaml(path) or {}
    check(data, SCHEMA, str(path))
    suites = [
        suite for entry in data.get("suites", []) for suite in load_suites(_placed(entry, path))
    ]
    names = [suite.name for suite in suites]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{path}: two suites are called {twice!r}; change meta.name of one")
    models = [_placed(entry, path) for entry in data.get("models", [])]
    return Gym(
        suites,
        list(dict.fromkeys(models)),
        data.get("unknown", "refuse"),
        tuple(data.get("recorded", [])),
        data.get("opens", ""),
    )


def _placed(entry: str, path: Path) -> str:
    """A path in the file, relative to the file's folder or the one above; any other name unchanged."""
    places = [
        folder / entry for folder in (path.parent, path.parent.parent) if is_there(folder / entry)
    ]
    return str(places[0]) if places and entry not in ("laboratory", "public") else entry


def recorded_outcomes(gym: Gym) -> Iterator[Outcome]:
    """The outcomes of recorded runs, run by run.

    They are those on the gym's suites that are the same today, and those on public suites that are
    not downloaded, where the words of the regions are missing.

    Raises InputError: a run of which no suites are recorded.
    """
    for model in gym.recorded:
        items = recorded_details(model, "items")
        regions = recorded_details(model, "regions")
        if items is None or regions is None:
            raise InputError(
                f"{model}: no recorded run with suites; take its line out of `recorded`"
            )
        kind = read_provenance(runs_folder() / model)["kind"]
        wordless = _wordless_suites(gym, regions.table)
        for suite in [*gym.suites, *wordless]:
            part = f"default {suite.name}"  # with the model's own BOS policy
            signature = items.signatures.get(part)
            if signature is None:
                continue
            same = signature.identity["data"] == f"{suite.name}@{suite.hash}"
            if suite not in wordless and not same:
                continue
            yield Outcome(
                suite,
                kind,
                signature.policy["metric"],
                pd.DataFrame(columns=TOKEN_COLUMNS),
                _recorded_regions(regions.table, suite),
                _of_suite(items.table, suite.name),
                signature,
            )


def _wordless_suites(gym: Gym, regions: pd.DataFrame) -> list[Suite]:
    """The public suites of a recorded run that the gym lacks, with None for the words of a region."""
    lacking = set(regions["suite"]) - {suite.name for suite in gym.suites}
    public = public_suites().set_index("suite")
    suites = []
    for name, formulas in public.loc[public.index.isin(lacking), "formula"].items():
        rows = _of_suite(regions, str(name))
        words = rows["tokens"].map(lambda tokens: None if tokens else "")
        region_names = rows.drop_duplicates("region").set_index("region")["name"]
        predictions = [Formula.parse(formula) for formula in formulas.split(" || ")]
        suite = Suite(
            {"name": name, "metric": "sum"},
            region_names.to_dict(),
            tuple(predictions),
            rows[KEYS].assign(content=words.astype(object)),
        )
        suites.append(suite)
    return suites


def _recorded_regions(regions: pd.DataFrame, suite: Suite) -> pd.DataFrame:
    """The rows of a run's regions of a suite, as ``Outcome.regions``."""
    keys = ["item", "condition", "region"]
    columns = [*keys, "name", "content", "bits", "tokens"]
    rows = suite.table.merge(_of_suite(regions, suite.name), on=keys, how="left", validate="1:1")
    return rows[columns].assign(bits=rows["bits"].astype(float), unknown="")


def _of_suite(table: pd.DataFrame, suite: str) -> pd.DataFrame:
    """The rows of a recorded table of one suite, with the model's own BOS policy."""
    rows = table[(table["bos"] == "default") & (table["suite"] == suite)]
    return rows.drop(columns=["bos", "suite"]).reset_index(drop=True)


def run_gym(gym: Gym, store) -> Iterator[Outcome]:
    """Every model on every suite, model by model. Raises InputError at the very end, with every model that failed."""
    failures, titles = [], set()
    for name in gym.models:
        try:
            model = as_model(name)
            if model.label in titles:
                raise InputError(
                    f"another model is called {model.label!r}, too; rename the folder of one"
                )
            titles.add(model.label)
            for suite in gym.suites:
                yield evaluate_suite(model, suite, store=store)
        except InputError as error:  # whatever is wrong with one model, the others are evaluated
            failures.append(f"{name}: {error}")
    if failures:
        raise InputError(f"{len(failures)} failed, all others are done: {'; '.join(failures)}")


def write_page_data(gym: Gym, outcomes: list[Outcome], folder: str | Path) -> None:
    """Write what the gym's page reads into a folder: gym-data.js, and for each suite its regions as CSV in gym/."""
    outcomes = sorted(outcomes, key=lambda outcome: outcome.kind == "masked")
    folder = Path(folder)
    (folder / "gym").mkdir(parents=True, exist_ok=True)
    suites = []
    shown = {suite.name: suite for suite in [*(one.suite for one in outcomes), *gym.suites]}
    for suite in shown.values():
        own = [outcome for outcome in outcomes if outcome.suite.name == suite.name]
        suites.append(_suite(suite, own, gym.unknown))
        if own:
            write_output(
                folder / "gym" / f"{safe_name(suite.name)}.csv",
                _regions(own).round(4).to_csv(index=False),
            )
    accuracies = accuracy_table(outcomes, gym.unknown)
    write_output(folder / "gym" / "accuracies.csv", accuracies.round(6).to_csv(index=False))
    chart = None  # of regions, into which the page puts the rows of the suite and model chosen
    if outcomes:
        chart = region_profile(
            _regions(outcomes[:1]), title="Mean surprisal of each region"
        ).to_dict(validate=False)
        chart |= {"datasets": {}, "data": {"values": []}}
    data = {
        "suites": suites,
        "chart": chart,
        "models": {label(outcome): _shown_name(outcome, gym) for outcome in outcomes},
        "opens": gym.opens,
    }
    write_output(folder / "gym-data.js", f"window.tseGym = {json.dumps(data, cls=INERT['cls'])};\n")


def _shown_name(outcome: Outcome, gym: Gym) -> str:
    """The name of a model on the page, which says whether its results are recorded."""
    name = label(outcome)
    if outcome.signature.model in gym.recorded:
        return f"{SHOWN_NAMES.get(name, name)} (recorded)"
    return name


def _suite(suite: Suite, outcomes: list[Outcome], unknown: str) -> dict:
    """What the page shows of a suite: its question, an item, and what each model did on it."""
    first = suite.table[suite.table["item"] == suite.items[0]].sort_values("region", kind="stable")
    if first["content"].isna().any():  # its sentences are not here
        first = first.iloc[:0]
    item = first.groupby("condition", sort=False)["content"]  # in the order of the columns
    recorded = published.hu2020_suites()
    recorded = recorded[recorded["suite"] == suite.name].fillna({"corpus": ""})
    recorded = recorded.assign(model=(recorded["model"] + " " + recorded["corpus"]).str.strip())
    accuracies = accuracy_table(outcomes, unknown)[
        ["model", "accuracy", "correct", "judged", "unknown"]
    ]
    profiles = {label(outcome): mean_regions(_regions([outcome])) for outcome in outcomes}
    return {
        "name": suite.name,
        "circuit": circuit(suite),
        "question": question_of(suite.name),
        "metric": suite.metric,
        "items": len(suite.items),
        "predictions": [str(formula) for formula in suite.predictions],
        "critical": sorted(
            {region for formula in suite.predictions for region, _ in formula.atoms if region}
        ),
        "regions": [f"{number} {name}" for number, name in suite.regions.items()],
        "example": [{"condition": name, "texts": texts.tolist()} for name, texts in item],
        "accuracies": accuracies.astype(object).where(accuracies.notna(), None).to_dict("records"),
        "recorded": recorded.groupby("model", sort=False)["accuracy"].mean().round(4).to_dict(),
        "profiles": {
            name: rows[["condition", "label", "bits"]].to_dict("records")
            for name, rows in profiles.items()
        },
        "outcomes": {label(outcome): _holds(outcome, unknown) for outcome in outcomes},
        "file": f"gym/{safe_name(suite.name)}.csv" if outcomes else "",
    }


def question_of(suite: str) -> str:
    """The question of a public or laboratory suite, by its name, as Markdown; "" for any other suite.

    >>> question_of("lab_number_prep") == question_of("number_prep") != ""
    True
    """
    questions = read_yaml(data_folder() / "syntaxgym" / "questions.yaml")
    fitting = [
        beginning for beginning in questions if suite.removeprefix("lab_").startswith(beginning)
    ]
    return questions[max(fitting, key=len)] if fitting else ""


def _holds(outcome: Outcome, unknown: str) -> dict[str, str]:
    """ "holds", "fails" or "not judged", by the number of the item."""
    said = outcome.by_item.map({True: "holds", False: "fails"})
    said[~said.index.isin(judged_items(outcome, unknown))] = "not judged"
    return {str(item): verdict for item, verdict in said.items()}


def _regions(outcomes: list[Outcome]) -> pd.DataFrame:
    return pd.concat(
        [outcome.regions.assign(model=label(outcome)) for outcome in outcomes], ignore_index=True
    )
