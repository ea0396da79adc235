"""``tse results``: the finished numbers in the store, and those of other machines."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table
from tse_core.errors import InputError
from tse_core.results.comparing import differences, require_identified
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import (
    TIDY_COLUMNS,
    difference_table,
    is_results,
    of_everything,
    read_results,
    write_results,
)

group = typer.Typer(help="Finished results: list, show, add, diff, export.", no_args_is_help=True)
app.add_typer(group, name="results")
Which = Annotated[
    str, typer.Argument(metavar="KEY|FILE", help="A key of `tse results list`, or a results file.")
]


@group.command("list")
def list_(store: options.StoreFolder = None) -> None:
    """List the finished runs. Numbers computed by code that has changed since are no longer used."""
    rows = []
    for (text, source), numbers in (
        Store(store).numbers().groupby(["signature", "source"], sort=False)
    ):
        made = Signature.parse(text)
        rows.append(
            (made.key[:10], *made.identity.values(), text.split(" | ")[1], len(numbers), source)
        )
    print_table(pd.DataFrame(rows, columns=["key", "model", "data", "policy", "numbers", "origin"]))


@group.command()
def show(which: Which, store: options.StoreFolder = None) -> None:
    """Print the rows of Table 2 of a run, or its accuracies (BLiMP, SyntaxGym), and its signature.

    Example:  tse results show scores.parquet
    """
    columns = ["construction", "metric", "score", "lemmas", "contexts", "pairs"]
    table = opened(which, store)
    for signature, rows in table[of_everything(table)].groupby("signature", sort=False):
        rows = rows.sort_values(["construction", "metric"], kind="stable")
        print_table(rows, columns, score="score [95 % interval]")
        print(signature)


@group.command()
def add(
    files: Annotated[
        list[Path], typer.Argument(help="Results files, or folders of them, e.g. recorded runs.")
    ],
    store: options.StoreFolder = None,
) -> None:
    """Add results made elsewhere, on a GPU or in Colab, to the store, with their signatures.

    All files are checked first. Numbers that the store has are skipped, and so are a folder's files without results.

    Example:  tse results add recorded/gpt2
    """
    found = [
        filter(is_results, sorted(place.glob("*.parquet"))) if place.is_dir() else [place]
        for place in files
    ]
    tables = {file: read_results(file) for some in found for file in some}
    if not tables:
        raise InputError(
            f"{', '.join(map(str, files))}: no results file is there (.parquet with signatures)"
        )
    for file, table in tables.items():
        new = Store(store).add(table)
        print(f"{file}: {new} numbers added, {len(table) - new} were there already")


@group.command()
def diff(first: Which, second: Which, store: options.StoreFolder = None) -> None:
    """Say which policies of two results differ, what each does to scores, and by how much the scores differ.

    Example:  tse results diff 4f2a91 scores.parquet
    """
    tables = [opened(which, store) for which in (first, second)]
    found = difference_table(*tables)
    made = [Signature.parse(table["signature"].iloc[0]) for table in tables]
    require_identified(made)
    for part in ("model", "data"):
        print(
            f"{part}:",
            " against ".join(dict.fromkeys(signature.identity[part] for signature in made)),
        )
    policies = differences(*made)
    print(f"policies that differ: {len(policies)}", *policies, sep="\n  ")
    at = " " + found["side"] + " " + (100 * found["cutoff"]).map("{:g} %".format)
    found["metric"] += at.where(found["side"] != "", "")
    columns = ["construction", "metric", "first", "second", "difference"]
    print_table(found[of_everything(found)], columns, difference="second - first")


@group.command()
def export(
    out: Annotated[
        Path,
        typer.Argument(metavar="FILE", help=".parquet or .csv.", callback=options.results_file),
    ],
    keys: Annotated[list[str] | None, typer.Argument(help="Keys of runs; all by default.")] = None,
    store: options.StoreFolder = None,
) -> None:
    """Write finished runs to one tidy file, a number a row with its signature; `tse results add` reads it elsewhere.

    Example:  tse results export two.csv 4f2a91 77c0de
    """
    table = pd.concat([opened(key, store) for key in keys]) if keys else Store(store).numbers()
    if table.empty:
        raise InputError(
            f"the store {Store(store).folder} holds no results yet; tse evaluate MODEL makes some"
        )
    write_results(table[TIDY_COLUMNS].reset_index(drop=True), out)
    print(f"written: {out} ({len(table)} numbers of {table['signature'].nunique()} runs)")


def opened(which: str, store: Path | None) -> pd.DataFrame:
    """The tidy table of a file, or of the only run in the store whose key starts so. Raises InputError."""
    if which.endswith((".parquet", ".csv")):
        return read_results(which)
    table = Store(store).numbers()
    keys = table["signature"].map(
        {text: Signature.parse(text).key for text in table["signature"].unique()}
    )
    matching = [key for key in keys.unique() if key.startswith(which)]
    if len(matching) != 1:
        known = ", ".join(key[:10] for key in matching or keys.unique()) or "none"
        text = f"the store has {len(matching)} results whose key starts with {which!r}, not one (its keys: {known})"
        raise InputError(
            f"{text}; give the start of one key, or a path that ends in .parquet or .csv"
        )
    return table[keys == matching[0]]
