"""``tse syntaxgym``: evaluate models on suites, list and check suites, turn spreadsheets into suites and back."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.listing import print_table
from tse_core.errors import InputError
from tse_core.files import safe_name, write_output

group = typer.Typer(help="SyntaxGym: suites, predictions about surprisal, accuracy.", no_args_is_help=True)
Suites = Annotated[list[str], typer.Argument(metavar="SUITE...", help="Names that `tse list suites` shows, or files.")]
EVALUATE = """Evaluate a model on suites: the share of items for which every prediction holds.

MODEL is a laboratory model, a folder, a name on the Hugging Face hub, [b]command:./my-model[/b] for a model behind a
command, or [b]docker://me/my-model[/b] for one in a container.

[b]Examples[/b]

  tse syntaxgym evaluate lab-systematic-causal my-suite.json

  tse syntaxgym evaluate gpt2 mvrr number_prep --also gpt2-xl --out results/

  tse syntaxgym evaluate docker://me/my-model my-suite.json
"""


def register(app: typer.Typer) -> None:
    """Add ``tse syntaxgym``."""
    app.add_typer(group, name="syntaxgym")


@group.command(help=EVALUATE)
def evaluate(
    model: options.ModelArgument,
    suites: Suites,
    also: Annotated[list[str] | None, typer.Option(help="One more model; may be repeated.")] = None,
    metric: Annotated[
        str | None, typer.Option(help="sum, mean, median, range, max, min; the suite's by default.")
    ] = None,
    unknown: Annotated[
        str, typer.Option(help="flag or refuse suites with unknown words in a region that counts.")
    ] = "flag",
    out: Annotated[Path | None, typer.Option(help="Folder for the evaluated suites (JSON).")] = None,
    kind: options.Kind = None,
    device: options.Device = "auto",
    dtype: options.Dtype = "float32",
    revision: options.Revision = None,
    bos: options.Bos = "default",
    trust: options.Trust = False,
    timeout: Annotated[float, typer.Option(help="Seconds a model behind a command may take.")] = 3600,
    store: options.StoreFolder = None,
    no_store: options.NoStore = False,
) -> None:
    if unknown not in ("flag", "refuse"):
        raise InputError(f"--unknown {unknown}: it must be flag or refuse")
    from tse_core.syntaxgym import evaluate_suite, load_suite

    read = [load_suite(name) for name in suites]
    for suite in read:
        for note in suite.notes:
            print(f"{suite.name}: {note}, removed", file=sys.stderr)
    kept = options.store_of(store, no_store)
    if out:
        out.mkdir(parents=True, exist_ok=True)
    names = [model, *(also or [])]
    choices = {"kind": kind, "device": device, "dtype": dtype, "revision": revision, "bos": bos, "trust": trust}
    for name in names:
        loaded = opened(name, timeout, **choices)
        for suite in read:
            outcome = evaluate_suite(loaded, suite, metric=metric, store=kept)
            flagged = outcome.items[outcome.items["unknown"]]
            if len(flagged) and unknown == "refuse":
                raise InputError(
                    f"{suite.name}: unknown words in {_unknown_words(outcome)}; --unknown flag scores them"
                )
            _print(outcome, heading=len(names) * len(read) > 1)
            if out:
                path = out / f"{safe_name(suite.name)}.{safe_name(loaded.label)}.json"
                write_output(path, outcome.to_json())
                print(f"written: {path}")


@group.command("list")
def list_() -> None:
    """List the suites that have a name: the laboratory's and the 34 public ones.

    Example:  tse syntaxgym list
    """
    from tse_core.syntaxgym import list_suites

    rows = [
        (suite.name, suite.source, suite.circuit, "" if suite.available else "tse data fetch syntaxgym")
        for suite in list_suites().itertuples(index=False, name="Suite")
    ]
    print_table(("name", "source", "circuit", "to download"), [tuple(map(str, row)) for row in rows])


@group.command()
def check(
    suites: Suites,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse stray spaces, too.")] = False,
) -> None:
    """Check suites: one line that names item, condition and region for everything that is wrong.

    Example:  tse syntaxgym check my-suite.json
    """
    from tse_core.syntaxgym import find_suite, problems_of, read_suite

    wrong = False
    for name in suites:
        path = find_suite(name)
        problems = list(problems_of(path, strict=strict))
        for problem in problems:
            print(f"{name}: {problem}")
        wrong = wrong or bool(problems)
        if not problems:
            suite = read_suite(path)
            for note in suite.notes:
                print(f"{name}: {note}, removed when read")
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
    from tse_core.syntaxgym import load_suite, write_suite

    write_suite(load_suite(suite), file)
    print(f"written: {file}")


def opened(name: str, timeout: float = 3600, **choices):
    """The model of a name; one behind a command may take so many seconds."""
    from tse_core.models import CommandModel

    loaded = options.opened(name, **choices)
    if isinstance(loaded, CommandModel):
        loaded.timeout = timeout
    return loaded


def _print(outcome, heading: bool) -> None:
    if heading:
        print(f"{outcome.model} on {outcome.suite.name}")
    rows = outcome.predictions
    total = rows.iloc[-1]
    print(f"Accuracy: {total['accuracy']:.4f} ({total['correct']}/{total['items']} correct)")
    for row in rows.iloc[:-1].itertuples():
        print(f"  prediction {row.prediction}: {row.accuracy:.4f} ({row.correct}/{row.items} correct)  {row.formula}")
    if outcome.items["unknown"].any():
        print(f"  unknown words count in {_unknown_words(outcome)}")
    print(f"  {outcome.signature}")


def _unknown_words(outcome) -> str:
    items = outcome.items.loc[outcome.items["unknown"], "item"].nunique()
    words = list(dict.fromkeys(" ".join(outcome.unknown["unknown"]).split()))
    return f"{items} of {len(outcome.suite.items)} items: {', '.join(words[:8])}{', ...' if len(words) > 8 else ''}"
