"""``tse results``: the finished numbers in the store, and those of other machines."""

import json
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table
from tse_core.errors import InputError
from tse_core.files import write_output
from tse_core.results.comparing import differences, require_identified
from tse_core.results.signature import Signature
from tse_core.results.tidy import (
    TIDY_COLUMNS,
    difference_table,
    is_results,
    of_everything,
    read_results,
    read_table,
    write_results,
)
from tse_core.sentences.predictions import predictions as of_items

group = typer.Typer(
    help="Results that are kept, in TSE_STORE or the user's cache.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(group, name="results")
Which = Annotated[
    str, typer.Argument(metavar="KEY|FILE", help="A key of `tse results list`, or a results file.")
]


@group.command("list")
def list_() -> None:
    """List the finished runs."""
    runs = []
    for text, numbers in options.required_store().numbers().groupby("signature", sort=False):
        signature = Signature.parse(text)
        _, policy, made_with = text.split(" | ")
        identity = signature.identity.values()
        runs.append((signature.key[:10], *identity, policy, len(numbers), made_with))
    columns = ["key", "model", "data", "policy", "numbers", "made with"]
    print_table(pd.DataFrame(runs, columns=columns))


@group.command()
def show(which: Which) -> None:
    """Print the scores of a run and its signature.

    Those of Table 2, or accuracies (BLiMP, SyntaxGym).

    Example:  tse results show scores.parquet
    """
    columns = ["construction", "metric", "score", "lemmas", "contexts", "pairs"]
    table = opened(which)
    table = table[of_everything(table)]
    for signature, numbers in table.groupby("signature", sort=False):
        numbers = numbers.sort_values(["construction", "metric"], kind="stable")
        print_table(numbers, columns, score="score [95 % interval]")
        print(signature)


@group.command()
def add(
    files: Annotated[
        list[Path], typer.Argument(help="Results files, or folders of them, e.g. recorded runs.")
    ],
) -> None:
    """Add results from another machine to the store.

    They keep their signatures. All files are checked first. Runs that the store
    already has stay as they are. Of a folder, its .parquet files with results
    are added.

    Example:  tse results add recorded/gpt2
    """
    tables = {}
    for path in files:
        for file in _results_files(path):
            tables[file] = read_results(file)
    if not tables:
        paths = ", ".join(map(str, files))
        raise InputError(f"{paths}: there is no results file (.parquet with signatures)")
    for file, table in tables.items():
        added = options.required_store().add(table)
        there = table["signature"].nunique() - added
        print(f"{file}: {added} runs added, {there} were already there")


@group.command()
def diff(first: Which, second: Which) -> None:
    """Say how two results differ, in policies and in scores.

    Example:  tse results diff 4f2a91 scores.parquet
    """
    first_numbers, second_numbers = opened(first), opened(second)
    table = difference_table(first_numbers, second_numbers)
    first_signature = Signature.parse(first_numbers["signature"].iloc[0])
    second_signature = Signature.parse(second_numbers["signature"].iloc[0])
    require_identified([first_signature, second_signature])
    for part in ("model", "data"):
        names = [first_signature.identity[part], second_signature.identity[part]]
        print(f"{part}:", " against ".join(dict.fromkeys(names)))  # one name stands once
    policies = differences(first_signature, second_signature)
    print(f"policies that differ: {len(policies)}", *policies, sep="\n  ")
    cutoff = " " + table["side"] + " " + (100 * table["cutoff"]).map("{:g} %".format)
    table["metric"] += cutoff.where(table["side"] != "", "")
    columns = ["construction", "metric", "first", "second", "difference"]
    print_table(table[of_everything(table)], columns, difference="second - first")


@group.command()
def export(
    out: Annotated[
        Path,
        typer.Argument(metavar="FILE", help=".parquet or .csv.", callback=options.results_file),
    ],
    keys: Annotated[list[str] | None, typer.Argument(help="Keys of runs; all by default.")] = None,
) -> None:
    """Write finished runs to one file, a number a row.

    `tse results add` reads it on another machine.

    Example:  tse results export two.csv 4f2a91 77c0de
    """
    table = _numbers(keys)
    if table.empty:
        store = options.required_store().folder
        raise InputError(f"the store {store} holds no results yet; tse evaluate MODEL makes some")
    write_results(table[TIDY_COLUMNS].reset_index(drop=True), out)
    print(f"written: {out} ({len(table)} numbers of {table['signature'].nunique()} runs)")


@group.command()
def predictions(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="What `tse blimp --items` wrote, of one task.")
    ],
    out: Annotated[
        Path, typer.Argument(metavar="FILE", help="predictions.json.", callback=options.json_file)
    ],
) -> None:
    """Write the BabyLM challenge's predictions.json.

    A tie, and an item without a verdict, count as wrong: the wrong text stands
    there. Printed is how many items each part of the task has.

    Example:  tse results predictions ewok.parquet predictions.json
    """
    table = read_table(items)
    parts = of_items(table, str(items))
    sizes = [(part, len(content["predictions"])) for part, content in parts.items()]
    print_table(pd.DataFrame(sizes, columns=["part", "items"]))
    write_output(out, json.dumps(parts, ensure_ascii=False))
    print(f"written: {out}")


def opened(which: str) -> pd.DataFrame:
    """The tidy table of a file, or of the only run in the store whose key starts with a text.

    Raises InputError.
    """
    if which.endswith((".parquet", ".csv")):
        return read_results(which)
    table = options.required_store().numbers()
    key_of = {text: Signature.parse(text).key for text in table["signature"].unique()}
    keys = table["signature"].map(key_of)
    matching = [key for key in keys.unique() if key.startswith(which)]
    if len(matching) == 1:
        return table[keys == matching[0]]
    listed = ", ".join(key[:10] for key in matching or keys.unique())
    raise InputError(
        f"the store has {len(matching)} results whose key starts with {which!r}, not one (its "
        f"keys: {listed or 'none'}); give the start of one key, or a path that ends in .parquet or "
        ".csv"
    )


def _numbers(keys: list[str] | None) -> pd.DataFrame:
    """The numbers of some keys or files; without any those of all runs in the store."""
    if not keys:
        return options.required_store().numbers()
    return pd.concat([opened(key) for key in keys])


def _results_files(path: Path) -> list[Path]:
    """The results files of a folder; a file as it is."""
    if not path.is_dir():
        return [path]
    return [file for file in sorted(path.glob("*.parquet")) if is_results(file)]
