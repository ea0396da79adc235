"""``tse syntaxgym evaluate``: the items of a suite whose predictions about surprisal hold."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import note, print_table, write_scores
from tse_core.errors import InputError, shown
from tse_core.files import is_file, safe_name, write_output
from tse_core.syntaxgym.library import PUBLIC, list_suites, load_suite, load_suites, suite_names
from tse_core.syntaxgym.suites import Suite, file_faults

if TYPE_CHECKING:  # imports torch
    from tse_core.syntaxgym.outcomes import Outcome

group = typer.Typer(
    help="SyntaxGym's suites: whether predictions hold.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(group, name="syntaxgym")


@group.command()
@options.opens_a_model()
def evaluate(
    model: options.ModelArgument,
    suites: Annotated[
        list[str],
        typer.Argument(metavar="SUITE", help="Names from `tse list suites`, or files."),
    ],
    opening: options.Opening,
    out: options.Out = None,
    regions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the surprisal (bits) of every region of every item: .csv.",
            callback=options.table_file,
        ),
    ] = None,
    suite_folder: Annotated[
        Path | None,
        options.rare(
            "--json", metavar="FOLDER", help="Write each evaluated suite into a folder, as JSON."
        ),
    ] = None,
    unknown: options.UnknownWords = "flag",
) -> None:
    """The share of items for which every prediction of a suite holds.

    SUITE is a name, a file or a folder of suites, laboratory, or public (the 34
    public suites, after `tse data fetch syntaxgym`). With several suites you
    get one table, and the means of their circuits with 95 % intervals.

    \b
    tse syntaxgym evaluate lab-systematic-causal laboratory
    tse syntaxgym evaluate gpt2 mvrr my-suite.json --regions regions.csv
    """
    from tse_core.syntaxgym.outcomes import evaluate_suite

    loaded = _loaded_suites(suites, suite_folder)
    if suite_folder:
        suite_folder.mkdir(parents=True, exist_ok=True)
    (opened,) = opening.models(model)
    outcomes = []
    for suite in loaded:
        outcome = evaluate_suite(opened, suite, store=options.store())
        outcomes.append(outcome)
        if suite_folder:
            name = f"{safe_name(suite.name)}.{safe_name(outcome.signature.model)}.json"
            write_output(suite_folder / name, outcome.to_json())
    _print_outcomes(outcomes, unknown)
    unscored = sum(outcome.unscored for outcome in outcomes)
    if unscored:
        note(
            f"{unscored:,} items begin with different tokens, which count 0 bits without a token "
            f"before them; {opened.bos_remedy()}"
        )
    if suite_folder:
        print(f"written: {suite_folder}")
    write_scores([outcome.tidy() for outcome in outcomes], out)
    if regions:
        by_region = pd.concat([outcome.by_region() for outcome in outcomes])
        write_output(regions, by_region.to_csv(index=False))
        print(f"written: {regions}")
    has_unknown = any(outcome.items["unknown"].any() for outcome in outcomes)
    if unknown == "refuse" and (out or suite_folder or regions) and has_unknown:
        note("what was written covers all items, including those with unknown words")


@group.command()
def validate(
    suites: Annotated[
        list[str], typer.Argument(metavar="SUITE", help="Files, folders, or names of suites.")
    ],
) -> None:
    """Print everything that is wrong with suites.

    Formulas, items, conditions and regions are checked. Exit code 2: a fault.

    \b
    tse syntaxgym validate my-suite.json my-suite.csv
    """
    faulty = 0
    for name in _files_or_names(suites):
        faults = _faults(name)
        for fault in faults:
            print(shown(fault))
        if faults:
            faulty += 1
            continue
        suite = load_suite(name)
        counts = f"{len(suite.items)} items, {len(suite.conditions)} conditions"
        print(f"{name}: valid ({counts}, {len(suite.regions)} regions)")
    if faulty:
        raise typer.Exit(2)


def _faults(name: str) -> list[str]:
    """What is wrong with a suite, a line each, which begins with its file."""
    try:
        if name.endswith((".json", ".csv")) or is_file(name):
            return [f"{name}: {fault}" for fault in file_faults(name)]
        load_suite(name)
    except InputError as error:
        return [str(error)]
    return []


def _files_or_names(suites: list[str]) -> list[str]:
    """The files, or the names, of all suites. Raises InputError: there is none."""
    names = []
    for entry in suites:
        names += suite_names(entry)
    if not names:
        raise InputError(f"{', '.join(suites)}: holds no suite (.json or .csv)")
    return names


def _loaded_suites(names: list[str], folder: Path | None) -> list[Suite]:
    """All suites of some names.

    Raises InputError: there is none; one is not downloaded; two would be one file in `folder`.
    """
    if "public" in names or PUBLIC in names:
        public = list_suites().query("source == 'public'")
        missing = int((~public["available"]).sum())
        if missing:
            command = f"tse data fetch {PUBLIC}"
            raise InputError(
                f"{missing} of the public suites are not downloaded yet: run `{command}`"
            )
    suites = []
    for name in names:
        suites += load_suites(name)
    if not suites:
        raise InputError(f"{', '.join(names)}: holds no suite (.json or .csv)")
    file_names = [safe_name(suite.name) for suite in suites]
    if folder and len(file_names) > len(set(file_names)):
        most_common = max(file_names, key=file_names.count)
        raise InputError(f"two suites are called {most_common}; in {folder} they would be one file")
    return suites


def _print_outcomes(outcomes: list["Outcome"], unknown: str) -> None:
    """The output of SyntaxGym itself for a single suite; else a row for each suite and circuit."""
    from tse_core.syntaxgym.accuracies import accuracy_table, circuit_table, has_many_unknown

    table = accuracy_table(outcomes, unknown)
    if len(outcomes) == 1:
        _print_single(outcomes[0], table.iloc[0], unknown)
    else:
        print_table(table, keys=2, unknown="items with unknown words")
        print()
        columns = ["model", "circuit", "suites", "accuracy"]
        print_table(circuit_table(table), columns, 2, accuracy="mean accuracy [95 % interval]")
    strange = [outcome for outcome in outcomes if has_many_unknown(outcome)]
    if strange:
        note(_many_unknown(strange))
    total = table[["items", "judged", "unknown"]].sum()
    refused = total["items"] - total["judged"]
    for count, verb in ((total["unknown"], "have"), (refused, "are not judged because of")):
        if count:
            note(f"{count:,} of {total['items']:,} items {verb} unknown words")


def _many_unknown(outcomes: list["Outcome"]) -> str:
    """How many tokens of suites the model does not know, with the first of them."""
    tokens = pd.concat([outcome.tokens for outcome in outcomes])
    unknown = tokens.loc[tokens["unknown"] != "", "unknown"]
    words = unknown.unique().tolist()
    examples = ", ".join(words[:5])
    more = ", ..." if len(words) > 5 else ""
    names = f"{len(outcomes)} suites" if len(outcomes) > 1 else outcomes[0].suite.name
    return (
        f"{outcomes[0].signature.model} does not know {len(unknown):,} of the {len(tokens):,} "
        f"tokens of {names} ({examples}{more}): its accuracy says little there; take a model that "
        "knows these words"
    )


def _print_single(outcome: "Outcome", accuracy: pd.Series, unknown: str) -> None:
    """The accuracy of a suite (its row of `accuracy_table`), its predictions and its signature."""
    from tse_core.syntaxgym.accuracies import judged_items

    text = "not judged"
    if accuracy["judged"]:
        counts = f"{accuracy['correct']}/{accuracy['judged']} correct"
        text = f"{accuracy['accuracy']:.4f} ({counts})"
    print(f"Accuracy: {text}")
    is_judged = outcome.items["item"].isin(judged_items(outcome, unknown))
    print_table(replace(outcome, items=outcome.items[is_judged]).predictions)
    print(outcome.signature)
