"""``tse syntaxgym evaluate``: the items of a suite whose predictions about surprisal hold."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import note, print_table, write_scores
from tse_core.errors import InputError
from tse_core.files import safe_name, write_output
from tse_core.syntaxgym.library import PUBLIC, list_suites, load_suites
from tse_core.syntaxgym.suites import Suite

if TYPE_CHECKING:  # imports torch
    from tse_core.syntaxgym.outcomes import Outcome

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

    SUITE is a name, a file or a folder of suites, [b]laboratory[/b], or
    [b]public[/b] (the 34 public suites, after [b]tse data fetch
    syntaxgym[/b]). Several give one table, and the means of their circuits
    with 95 % intervals.

    A model can be behind a command ([b]command:./my-model[/b]), also in a
    container ([b]command:docker run --rm -v /tmp:/tmp:ro me/my-model[/b]).

    \b
    tse syntaxgym evaluate lab-systematic-causal laboratory
    tse syntaxgym evaluate gpt2 mvrr my-suite.json --table gpt2-suites.csv
    """
    from tse_core.syntaxgym.outcomes import evaluate_suite

    loaded = _loaded_suites(suites, out)
    if out:
        out.mkdir(parents=True, exist_ok=True)
    results_store = options.store_in(store, no_store)
    (opened,) = opening.models(model)
    outcomes = []
    for suite in loaded:
        outcome = evaluate_suite(opened, suite, store=results_store)
        outcomes.append(outcome)
        if out:
            file = out / f"{safe_name(suite.name)}.{safe_name(outcome.signature.model)}.json"
            write_output(file, outcome.to_json())
    _print_outcomes(outcomes, unknown)
    unscored = sum(outcome.unscored for outcome in outcomes)
    if unscored:
        note(
            f"{unscored:,} items begin with different tokens, which count 0 bits; --bos add puts "
            "one before them"
        )
    if out:
        print(f"written: {out}")
    write_scores(outcomes, table)
    has_unknown = any(outcome.items["unknown"].any() for outcome in outcomes)
    if unknown == "refuse" and (out or table) and has_unknown:
        note("what was written is about all items, those with unknown words too")


def _loaded_suites(names: list[str], out: Path | None) -> list[Suite]:
    """All suites of some names.

    Raises InputError: there is none; one is not downloaded; two would be one file in `out`.
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
    if out and len(file_names) > len(set(file_names)):
        most_common = max(file_names, key=file_names.count)
        raise InputError(f"two suites are called {most_common}, as would be their files in {out}")
    return suites


def _print_outcomes(outcomes: list["Outcome"], unknown: str) -> None:
    """The output of SyntaxGym itself for a single suite; else a row for each suite and circuit."""
    from tse_core.syntaxgym.accuracies import accuracy_table, circuit_table

    table = accuracy_table(outcomes, unknown)
    if len(outcomes) == 1:
        _print_single(outcomes[0], table.iloc[0], unknown)
    else:
        print_table(table, keys=2, unknown="items with unknown words")
        print()
        columns = ["model", "circuit", "suites", "accuracy"]
        print_table(circuit_table(table), columns, 2, accuracy="mean accuracy [95 % interval]")
    total = table[["items", "judged", "unknown"]].sum()
    refused = total["items"] - total["judged"]
    for count, verb in ((total["unknown"], "have"), (refused, "are not judged because of")):
        if count:
            note(f"{count:,} of {total['items']:,} items {verb} unknown words")


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
