"""``tse syntaxgym``: evaluate models on suites, list and check suites, turn spreadsheets into suites and back."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.listing import print_suites
from tse_core.cli.printing import print_note, print_table, print_written, score, write_scores
from tse_core.errors import InputError
from tse_core.files import safe_name, write_output

group = typer.Typer(help="SyntaxGym: suites, predictions about surprisal, accuracy.", no_args_is_help=True)
app.add_typer(group, name="syntaxgym")
Suites = Annotated[list[str], typer.Argument(metavar="SUITE...", help="Names that `tse list suites` shows, or files.")]
EVALUATE = """Evaluate a model on suites: the share of items for which every prediction holds.

SUITE is a name or a file, [b]public[/b] (the 34 public suites, after [b]tse data fetch syntaxgym[/b]),
[b]laboratory[/b], or a folder of suites. Several give one table, and the means of their circuits with 95 % intervals.

MODEL is a laboratory model, a folder, a name on the Hugging Face hub, [b]command:./my-model[/b] for a model behind a
command, [b]docker://me/my-model[/b] for one in a container, or the address of a server that speaks OpenAI's completions
protocol.

[b]Examples[/b]

  tse syntaxgym evaluate lab-systematic-causal my-suite.json

  tse syntaxgym evaluate gpt2 mvrr number_prep --also gpt2-xl --out results/

  tse syntaxgym evaluate gpt2 public --table gpt2-suites.csv

  tse syntaxgym evaluate docker://me/my-model my-suite.json
"""


@group.command(help=EVALUATE)
@options.opens_a_model
@options.keeps_work
def evaluate(
    model: options.ModelArgument,
    suites: Suites,
    opening: options.Opening,
    store,
    also: Annotated[list[str] | None, typer.Option(help="One more model; may be repeated.")] = None,
    metric: Annotated[
        str | None, typer.Option(help="sum, mean, median, range, max, min; the suite's by default.")
    ] = None,
    unknown: Annotated[
        str,
        typer.Option(
            help="Items with an unknown word in a region that counts: flag (judged, and counted) or refuse (not "
            "judged, nor is a suite in which they are more than half, or a tenth of all tokens is unknown)."
        ),
    ] = "flag",
    out: Annotated[Path | None, typer.Option(help="Folder for the evaluated suites (JSON).")] = None,
    table: Annotated[Path | None, options.results_option("the accuracies as a results file")] = None,
) -> None:
    if unknown not in ("flag", "refuse"):
        raise InputError(f"--unknown {unknown}: it must be flag or refuse")
    from tse_core.progress import progress
    from tse_core.syntaxgym.outcomes import evaluate_suite

    read = _read(suites)
    if out:
        out.mkdir(parents=True, exist_ok=True)
    count = (1 + len(also or [])) * len(read)
    outcomes, one = [], count == 1
    with nullcontext(lambda n: None) if one else progress(count, "syntaxgym", unit="suites") as advance:
        for name in opening.names(model, *(also or [])):
            loaded = opening.model(name)
            for suite in read:
                outcomes.append(evaluate_suite(loaded, suite, metric=metric, store=store))
                advance(1)
                if out:
                    path = out / f"{safe_name(suite.name)}.{safe_name(loaded.label)}.json"
                    write_output(path, outcomes[-1].to_json())
    if one:
        _print(outcomes[0], unknown)
    else:
        _print_all(outcomes, unknown)
    write_scores(outcomes, table)
    print_written(out, table)
    if unknown == "refuse" and (out or table) and any(outcome.items["unknown"].any() for outcome in outcomes):
        print_note("note: what was written is about all items, those with unknown words too")


@group.command("list")
def list_() -> None:
    """List the suites that have a name, as `tse list suites` does: the laboratory's and the 34 public ones.

    Example:  tse syntaxgym list
    """
    print_suites()


@group.command()
def check(
    suites: Suites,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse stray spaces, too.")] = False,
) -> None:
    """Check suites: one line for each problem, naming its item, condition and region.

    Example:  tse syntaxgym check my-suite.json
    """
    from tse_core.syntaxgym.library import find_suite
    from tse_core.syntaxgym.suites import problems_of, read_suite

    wrong = False
    for name in suites:
        path = find_suite(name)
        problems = problems_of(path, strict=strict)
        for problem in problems:
            print(f"{name}: {problem}")
        wrong = wrong or bool(problems)
        if not problems:
            suite = read_suite(path)
            for note in suite.notes:
                print(f"{name}: {note}, fixed when read")
            items, conditions = len(suite.items), len(suite.conditions)
            print(f"{name}: {items} items, {conditions} conditions, {len(suite.regions)} regions; well formed")
    if wrong:
        raise typer.Exit(2)


@group.command()
def convert(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A name or a file (.json, .csv).")],
    file: Annotated[Path, typer.Argument(help="Where to: .json or .csv.")],
) -> None:
    """Turn a suite into a spreadsheet (CSV) or back (JSON), without loss.

    Examples:  tse syntaxgym convert number_prep number_prep.csv   |   tse syntaxgym convert mine.csv mine.json
    """
    from tse_core.syntaxgym.library import load_suite
    from tse_core.syntaxgym.suites import write_suite

    write_suite(load_suite(suite), file)
    print_written(file)


def _read(names: list[str]) -> list:
    """The suites that names, files, folders and groups mean."""
    from tse_core.syntaxgym.library import PUBLIC, list_suites, load_suites

    read = [suite for name in names for suite in load_suites(name)]
    if "public" in names or PUBLIC in names:
        suites = list_suites()
        if missing := int((~suites["available"] & (suites["source"] == "public")).sum()):
            raise InputError(f"{missing} of the public suites are not downloaded yet: tse data fetch {PUBLIC}")
    if not read:
        raise InputError(f"{', '.join(names)}: holds no suite (.json or .csv)")
    return read


def _print_all(outcomes: list, unknown: str) -> None:
    """A row for each model and suite, then for each circuit."""
    from tse_core.syntaxgym.tables import accuracy_table, circuit_table

    accuracies = accuracy_table(outcomes, unknown)
    rows = [
        [
            row.model,
            row.suite,
            row.circuit,
            score(row.accuracy),
            f"{row.correct}/{row.judged}",
            f"{row.unknown} of {row.items}",
        ]
        for row in accuracies.itertuples()
    ]
    print_table(("model", "suite", "circuit", "accuracy", "correct", "items with unknown words"), rows)
    print()
    rows = [
        [row.model, row.circuit, str(row.suites), score(row.accuracy), f"[{row.low:.3f}, {row.high:.3f}]"]
        for row in circuit_table(accuracies).itertuples()
    ]
    print_table(("model", "circuit", "suites", "mean accuracy", "95 % interval"), rows)
    refused = accuracies["items"] - accuracies["judged"]
    if refused.any():
        whole = int((accuracies["judged"] == 0).sum())
        all_of = f", all those of {whole} suite{'s' * (whole != 1)} among them" if whole else ""
        of = f"{refused.sum():,} of {accuracies['items'].sum():,} items"
        print_note(f"note: {of} are not judged because of unknown words{all_of}")
    if any(outcome.unscored for outcome in outcomes):
        print_note(f"note: {_unscored(outcomes)}")


def _print(outcome, unknown: str) -> None:
    """The accuracy of the items that are judged, that of each prediction, and which items have unknown words."""
    from tse_core.syntaxgym.tables import judged_items

    judged = judged_items(outcome, unknown)
    rows = replace(outcome, items=outcome.items[outcome.items["item"].isin(judged)]).predictions
    total = rows.iloc[-1]
    if len(judged):
        print(f"Accuracy: {total['accuracy']:.4f} ({total['correct']}/{total['items']} correct)")
        for row in rows.iloc[:-1].itertuples():
            share = f"{row.accuracy:.4f} ({row.correct}/{row.items} correct)"
            print(f"  prediction {row.prediction}: {share}  {row.formula}")
    else:
        print("Accuracy: not judged, as too many words are unknown")
    if outcome.items["unknown"].any():
        print(f"  unknown words {'count' if unknown == 'flag' else 'are'} in {_unknown_words(outcome)}")
    if refused := len(outcome.suite.items) - len(judged):
        print(f"  not judged: {refused} of {len(outcome.suite.items)} items; --unknown flag judges them")
    if outcome.unscored:
        print(f"  {_unscored([outcome])}")
    print(f"  {outcome.signature}")


def _unscored(outcomes) -> str:
    items = sum(outcome.unscored for outcome in outcomes)
    of = sum(len(outcome.suite.items) for outcome in outcomes)
    return f"in {items:,} of {of:,} items a prediction rests on a first token, which counts 0 bits without a BOS token"


def _unknown_words(outcome) -> str:
    items = outcome.items.loc[outcome.items["unknown"], "item"].nunique()
    words = list(dict.fromkeys(" ".join(outcome.unknown["unknown"]).split()))
    return f"{items} of {len(outcome.suite.items)} items: {', '.join(words[:8])}{', ...' if len(words) > 8 else ''}"
