"""``tse syntaxgym``: evaluate models on suites, check suites."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table, write_scores
from tse_core.errors import InputError
from tse_core.files import safe_name, write_output
from tse_core.syntaxgym.library import PUBLIC, find_suite, list_suites, load_suites
from tse_core.syntaxgym.suites import problems_of, read_suite

group = typer.Typer(help="SyntaxGym: suites, predictions about surprisal, accuracy.", no_args_is_help=True)
app.add_typer(group, name="syntaxgym")
Suites = Annotated[list[str], typer.Argument(metavar="SUITE...", help="Names that `tse list suites` shows, or files.")]


@group.command()
@options.opens_a_model
def evaluate(
    model: options.ModelArgument,
    suites: Suites,
    opening: options.Opening,
    unknown: options.UnknownWords = "flag",
    out: Annotated[Path | None, typer.Option(help="Folder for the evaluated suites (JSON).")] = None,
    table: options.Table = None,
    store: options.StoreFolder = None,
    no_store: options.NoStore = False,
) -> None:
    """Evaluate a model on suites: the share of items for which every prediction holds.

    SUITE is a name, a file or a folder of suites, [b]laboratory[/b], or [b]public[/b] (the 34 public suites, after
    [b]tse data fetch syntaxgym[/b]). Several give one table, and the means of their circuits with 95 % intervals.

    A model can be behind a command ([b]command:./my-model[/b]), also in a container ([b]command:docker run --rm
    -v /tmp:/tmp:ro me/my-model[/b]).

    \b
    tse syntaxgym evaluate lab-systematic-causal laboratory
    tse syntaxgym evaluate gpt2 mvrr my-suite.json --table gpt2-suites.csv
    """
    from tse_core.syntaxgym.outcomes import evaluate_suite

    read, outcomes = _read(suites), []
    if out:
        out.mkdir(parents=True, exist_ok=True)
    kept = options.store_in(store, no_store)
    for opened in opening.models(model):
        for suite in read:
            outcomes.append(outcome := evaluate_suite(opened, suite, store=kept))
            if out:
                file = out / f"{safe_name(suite.name)}.{safe_name(outcome.signature.model)}.json"
                write_output(file, outcome.to_json())
    _show(outcomes, unknown)
    if lost := sum(outcome.unscored for outcome in outcomes):
        text = f"note: {lost:,} items begin with different tokens, which count 0 bits; --bos adds one before them"
        typer.echo(text, err=True)
    if out:
        print(f"written: {out}")
    write_scores(outcomes, table)
    if unknown == "refuse" and (out or table) and any(outcome.items["unknown"].any() for outcome in outcomes):
        typer.echo("note: what was written is about all items, those with unknown words too", err=True)


@group.command()
def check(suites: Suites) -> None:
    """Check suites: one line for each problem, naming its item, condition and region.

    Example:  tse syntaxgym check lab_number_prep my-suite.json
    """
    paths = {name: find_suite(name) for name in suites}
    problems = {name: problems_of(path) for name, path in paths.items()}
    for name, found in problems.items():
        if not found:
            suite = read_suite(paths[name])
            items, conditions = len(suite.items), len(suite.conditions)
            found = [f"{items} items, {conditions} conditions, {len(suite.regions)} regions; well formed"]
        print(*(f"{name}: {line}" for line in found), sep="\n")
    if any(problems.values()):
        raise typer.Exit(2)


def _read(names: list[str]) -> list:
    """The suites that names, files, folders and groups mean."""
    if {"public", PUBLIC} & set(names):
        suites = list_suites()
        if missing := int((~suites["available"] & (suites["source"] == "public")).sum()):
            raise InputError(f"{missing} of the public suites are not downloaded yet: tse data fetch {PUBLIC}")
    read = [suite for name in names for suite in load_suites(name)]
    if not read:
        raise InputError(f"{', '.join(names)}: holds no suite (.json or .csv)")
    return read


def _show(outcomes: list, unknown: str) -> None:
    """A row for each model and suite, then for each circuit; of a single suite first what SyntaxGym itself prints."""
    from tse_core.syntaxgym.tables import accuracy_table, circuit_table, judged_items

    table = accuracy_table(outcomes, unknown)
    if len(outcomes) == 1:
        outcome, row = outcomes[0], table.iloc[0]
        judged = f"{row['accuracy']:.4f} ({row['correct']}/{row['judged']} correct)" if row["judged"] else "not judged"
        print(f"Accuracy: {judged}")
        judged_alone = outcome.items[outcome.items["item"].isin(judged_items(outcome, unknown))]
        print_table(replace(outcome, items=judged_alone).predictions)
        print(outcome.signature)
    else:
        print_table(table, unknown="items with unknown words")
        print()
        columns = ["model", "circuit", "suites", "accuracy"]
        print_table(circuit_table(table), columns, accuracy="mean accuracy [95 % interval]")
    total = table[["items", "judged", "unknown"]].sum()
    refused = total["items"] - total["judged"]
    for count, what in ((total["unknown"], "have"), (refused, "are not judged because of")):
        if count:
            typer.echo(f"note: {count:,} of {total['items']:,} items {what} unknown words", err=True)
