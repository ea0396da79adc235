"""``tse results``: the finished numbers in the store, and those of other machines."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_results, print_table
from tse_core.errors import InputError

group = typer.Typer(help="Finished results: list, show, add, diff, export.", no_args_is_help=True)
app.add_typer(group, name="results")
Which = Annotated[str, typer.Argument(metavar="KEY|FILE", help="A key of `tse results list`, or a results file.")]


@group.command("list")
def list_(store: options.StoreFolder = None) -> None:
    """List the finished runs. Numbers computed by code that has changed since are no longer used."""
    rows = []
    for run in options.store_in(store).runs():
        made = run.signature
        policy = " ".join(f"{name}:{value}" for name, value in made.policy.items()) if made else ""
        identity = [made.identity["model"], made.identity["data"]] if made else ["-", "-"]
        rows.append([run.key[:10], *identity, policy, f"{run.path.stat().st_size / 1e6:.1f} MB", run.origin])
    print_table(["key", "model", "data", "policy", "size", "origin"], rows)


@group.command()
def show(which: Which, store: options.StoreFolder = None) -> None:
    """Print the rows of Table 2 of a run, or its accuracies (BLiMP, SyntaxGym), and its signature.

    Example:  tse results show scores.parquet
    """
    columns = ["construction", "metric", "score", "lemmas", "contexts", "pairs"]
    for signature, rows in _whole(opened(which, store)).groupby("signature", sort=False):
        rows = rows.sort_values(["construction", "metric"], kind="stable")
        print_results(rows, columns, {"score": "score [95 % interval]"})
        print(signature)


@group.command()
def add(
    files: Annotated[list[Path], typer.Argument(help="Results files, or folders of them, e.g. recorded runs.")],
    store: options.StoreFolder = None,
) -> None:
    """Add results made elsewhere, on a GPU or in Colab, to the store, with their signatures.

    All files are checked first. Numbers that the store has are skipped, and so are files without results among several.

    Example:  tse results add recorded/gpt2
    """
    from tse_core.results.tidy import is_results, read_results

    found = [file for place in files for file in (sorted(place.iterdir()) if place.is_dir() else [place])]
    tables = {file: read_results(file) for file in found if len(found) == 1 or is_results(file)}
    if not tables:
        raise InputError(f"{', '.join(map(str, files))}: no results file is there (.parquet or .csv with signatures)")
    for file, table in tables.items():
        new = options.store_in(store).add(table)
        print(f"{file}: {new} numbers added, {len(table) - new} were there already")


@group.command()
def diff(first: Which, second: Which, store: options.StoreFolder = None) -> None:
    """Say which policies of two results differ, what each does to scores, and by how much the scores differ.

    Example:  tse results diff 4f2a91 scores.parquet
    """
    from tse_core.results.comparing import differences, require_identified
    from tse_core.results.signature import Signature
    from tse_core.results.tidy import difference_table

    tables = [opened(which, store) for which in (first, second)]
    found = difference_table(*tables)
    made = [Signature.parse(table["signature"].iloc[0]) for table in tables]
    require_identified(made)
    for part in ("model", "data"):
        print(f"{part}:", " against ".join(dict.fromkeys(signature.identity[part] for signature in made)))
    policies = differences(*made)
    print(f"policies that differ: {len(policies)}")
    for difference in policies:
        print(f"  {difference}")
    at = " " + found["side"] + " " + (100 * found["cutoff"]).map("{:g} %".format)
    found["metric"] += at.where(found["side"] != "", "")
    columns = ["construction", "metric", "first", "second", "difference"]
    print_results(_whole(found), columns, {"difference": "second - first"})
    if found["difference"].notna().any():
        row = found.loc[found["difference"].abs().idxmax()]
        place = f"{row['construction']}, {row['metric']}"
        print(f"largest of {len(found)} differences: {row['difference']:+.4f} ({place})")


@group.command()
def export(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where to: .parquet or .csv.")],
    keys: Annotated[list[str] | None, typer.Argument(help="Keys of runs; all by default.")] = None,
    store: options.StoreFolder = None,
) -> None:
    """Write finished runs to one tidy file, a number a row with its signature; `tse results add` reads it elsewhere.

    Example:  tse results export two.csv 4f2a91 77c0de
    """
    import pandas as pd

    from tse_core.results.tidy import TIDY_COLUMNS, write_results

    place = options.store_in(store)
    table = pd.concat([opened(key, store) for key in keys], ignore_index=True) if keys else place.numbers()
    if table.empty:
        raise InputError(f"the store {place.folder} holds no results yet; tse evaluate MODEL makes some")
    write_results(table[TIDY_COLUMNS], out)
    print(f"written: {out} ({len(table)} numbers of {table['signature'].nunique()} runs)")


def opened(which: str, store: Path | None):
    """The tidy table of a file or of a key in the store."""
    from tse_core.results.tidy import read_results

    if which.endswith((".parquet", ".csv")):
        return read_results(which)
    place = options.store_in(store)
    key = place.full_key(which)
    table = place.numbers(key)
    if table.empty:
        raise InputError(f"{key[:10]}: {', '.join(run.origin for run in place.runs(key))}; evaluate again")
    return table


def _whole(table):
    """The numbers over all verbs, as in Table 2, without those of other cut-offs."""
    return table[(table["side"] == "") | ((table["side"] == "top") & (table["cutoff"] == 1))]
