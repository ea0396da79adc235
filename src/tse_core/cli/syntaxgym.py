"""``tse syntaxgym evaluate``: for which items of a suite do its predictions about surprisal hold?"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table, write_scores
from tse_core.errors import InputError
from tse_core.files import safe_name, write_output
from tse_core.syntaxgym.library import PUBLIC, list_suites, load_suites

group = typer.Typer(
    help="SyntaxGym: suites, predictions about surprisal, accuracy.", no_args_is_help=True
)
app.add_typer(group, name="syntaxgym")


@group.command()
@options.opens_a_model
def evaluate(
    model: options.ModelArgument,
    suites: Annotated[
        list[str], typer.Argument(metavar="SUITE...", help="Names of `tse list suites`, or files.")
    ],
    opening: options.Opening,
    unknown: options.UnknownWords = "flag",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the evaluated suites (JSON).")
    ] = None,
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

    public = list_suites().query("source == 'public'")
    if {"public", PUBLIC} & set(suites) and (missing := int((~public["available"]).sum())):
        raise InputError(
            f"{missing} of the public suites are not downloaded yet: run `tse data fetch {PUBLIC}`"
        )
    read, outcomes = [suite for name in suites for suite in load_suites(name)], []
    if not read:
        raise InputError(f"{', '.join(suites)}: holds no suite (.json or .csv)")
    if out and len(names := [safe_name(suite.name) for suite in read]) > len(set(names)):
        raise InputError(
            f"two suites are called {max(names, key=names.count)}, as would be their files in {out}"
        )
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
        text = f"note: {lost:,} items begin with different tokens, which count 0 bits; --bos add puts one before them"
        typer.echo(text, err=True)
    if out:
        print(f"written: {out}")
    write_scores(outcomes, table)
    if (
        unknown == "refuse"
        and (out or table)
        and any(outcome.items["unknown"].any() for outcome in outcomes)
    ):
        typer.echo(
            "note: what was written is about all items, those with unknown words too", err=True
        )


def _show(outcomes: list, unknown: str) -> None:
    """A row for each model and suite, then for each circuit; of a single suite first what SyntaxGym itself prints."""
    from tse_core.syntaxgym.accuracies import accuracy_table, circuit_table, judged_items

    table = accuracy_table(outcomes, unknown)
    if len(outcomes) == 1:
        outcome, row = outcomes[0], table.iloc[0]
        judged = (
            f"{row['accuracy']:.4f} ({row['correct']}/{row['judged']} correct)"
            if row["judged"]
            else "not judged"
        )
        print(f"Accuracy: {judged}")
        judged_alone = outcome.items[outcome.items["item"].isin(judged_items(outcome, unknown))]
        print_table(replace(outcome, items=judged_alone).predictions)
        print(outcome.signature)
    else:
        print_table(table, keys=2, unknown="items with unknown words")
        print()
        columns = ["model", "circuit", "suites", "accuracy"]
        print_table(circuit_table(table), columns, 2, accuracy="mean accuracy [95 % interval]")
    total = table[["items", "judged", "unknown"]].sum()
    refused = total["items"] - total["judged"]
    for count, what in ((total["unknown"], "have"), (refused, "are not judged because of")):
        if count:
            typer.echo(
                f"note: {count:,} of {total['items']:,} items {what} unknown words", err=True
            )
