"""``tse results``: the finished numbers in the store, and those of other machines."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table, score
from tse_core.errors import InputError, unknown

group = typer.Typer(help="Finished results: list, show, add, diff, export, remove, gc.", no_args_is_help=True)
app.add_typer(group, name="results")
Which = Annotated[str, typer.Argument(metavar="KEY|FILE", help="A key of `tse results list`, or a results file.")]


@group.command("list")
def list_(
    work: Annotated[bool, typer.Option("--work", help="Pieces of work kept for resuming, instead of results.")] = False,
    store: options.StoreFolder = None,
) -> None:
    """List the finished runs: key, model, data, policies, bytes, and where the numbers come from.

    They were computed here, imported, or computed by code that has changed since; the numbers of the last kind are no
    longer used.

    Example:  tse results list
    """
    from tse_core.results.result_index import origins

    place = options.store_in(store)
    rows = []
    for entry in place.entries("work" if work else "results"):
        policy = " ".join(value if name == "lemmas" else f"{name}:{value}" for name, value in entry["policy"].items())
        row = [entry["key"][:10], *entry["identity"].values(), policy, f"{entry['bytes'] / 1e6:.1f} MB"]
        rows.append(row if work else [*row, origins(entry["key"], place)])
    print_table(["key", "model", "data", "policy", "size", *([] if work else ["origin"])], rows)


@group.command()
def show(which: Which, store: options.StoreFolder = None) -> None:
    """Print the rows of Table 2 of a run, or its accuracies (BLiMP, SyntaxGym), and its signature.

    Example:  tse results show 4f2a91   |   tse results show gpt2.parquet
    """
    table = opened(which, store)
    for signature, rows in table.groupby("signature", sort=False):
        print_table(["construction", "metric", "score [95 % interval]", "lemmas", "contexts", "pairs"], _whole(rows))
        print(signature)


@group.command()
def add(
    files: Annotated[list[Path], typer.Argument(help="Results files, or folders of them, e.g. recorded runs.")],
    store: options.StoreFolder = None,
) -> None:
    """Merge results made elsewhere, on a GPU or in Colab, into the store, with their signatures.

    Files are checked first: columns, ranges, signatures and, for Parquet, the digest of the rows. Numbers
    already in the store are skipped, and so are files without results where several files or a folder are given.

    Example:  tse results add from-colab.parquet   |   tse results add recorded/gpt2
    """
    import sys

    from tse_core.results.result_index import keep_results
    from tse_core.results.signature import Signature
    from tse_core.results.tidy import is_results, read_results

    single, found = len(files) == 1 and files[0].is_file(), _files_in(files)
    others = [] if single else [file for file in found if not is_results(file)]
    tables = {file: read_results(file) for file in found if file not in others}
    if not tables:
        raise InputError(f"{', '.join(map(str, files))}: no results file is there (.parquet or .csv with signatures)")
    if others:
        names = ", ".join(file.name for file in others)
        print(f"tse: skipped, as they hold no results: {names}", file=sys.stderr)
    for file, table in tables.items():
        new = keep_results(table, options.store_in(store), imported=True)
        print(f"{file}: {new} numbers added, {len(table) - new} were there already")
        for made in map(Signature.parse, table["signature"].unique()):
            lemmas = made.policy.get("lemmas", "").partition("(")[0]
            for note in other_contents(made.identity["data"], lemmas):
                print(f"tse: {file}: {note}", file=sys.stderr)


@group.command()
def remove(
    keys: Annotated[list[str], typer.Argument(help="Keys of `tse results list`.")],
    store: options.StoreFolder = None,
) -> None:
    """Forget the finished numbers of runs, whatever their origin. Shards stay: computed numbers are soon there again.

    Example:  tse results remove 4f2a91
    """
    from tse_core.results.result_index import full_key

    place = options.store_in(store)
    there, chosen = place.keys("results"), dict.fromkeys(full_key(key, place) for key in keys)
    for key in chosen:
        if key not in there:
            raise _no_result(key, place)
    for whole in chosen:
        removed = place.remove_results(whole)
        print(f"{whole[:10]}: {removed} file{'s' * (removed != 1)} removed")


@group.command()
def diff(
    first: Which,
    second: Which,
    curves: Annotated[bool, typer.Option("--curves", help="Every cut-off, not just the rows of Table 2.")] = False,
    store: options.StoreFolder = None,
) -> None:
    """Say which policies of two results differ, what each does to scores, and by how much the scores differ.

    Example:  tse results diff 4f2a91 77c0de   |   tse results diff exact.parquet released.csv --curves
    """
    from tse_core.metrics.table import OF_CONTEXTS
    from tse_core.results.comparing import differences
    from tse_core.results.signature import Signature
    from tse_core.results.tidy import difference_table

    tables = [opened(which, store) for which in (first, second)]
    found = difference_table(*tables)
    made = [Signature.parse(table["signature"].iloc[0]) for table in tables]
    for part in ("model", "data"):
        names = [signature.identity[part] for signature in made]
        print(f"{part}: {names[0]}" if names[0] == names[1] else f"{part}: {names[0]} against {names[1]}")
    policies = differences(*made)
    print("policies: the same" if not policies else f"policies that differ: {len(policies)}")
    for difference in policies:
        print(f"  {difference}")
    models = {signature.identity["model"] for signature in made}
    if len(models) > 1 and found["metric"].isin(OF_CONTEXTS).any():
        print("verbs: each model counts those of its own vocabulary; tse evaluate A --against B counts those of both")
    if len(policies) > 1 or (policies and len(models) > 1):
        print("  more than one thing differs, so no difference below can be attributed to one of them")
    of_list = any(signature.policy.get("cut") == "list" for signature in made)
    rows = [
        [r["construction"], _metric(r, of_list), f"{r['first']:.4f}", f"{r['second']:.4f}", f"{r['difference']:+.4f}"]
        for r in found.to_dict("records")
        if curves or not r["side"] or (r["side"] == "top" and r["cutoff"] == 1)
    ]
    print_table(["construction", "metric", "first", "second", "second - first"], rows)
    largest = found.loc[found["difference"].abs().idxmax()] if found["difference"].notna().any() else None
    if largest is not None:
        place = f"{largest['construction']}, {_metric(largest, of_list)}"
        print(f"largest of {len(found)} differences: {largest['difference']:+.4f} ({place})")


@group.command()
def export(
    file: Annotated[Path, typer.Argument(help="Where to: .parquet or .csv.")],
    keys: Annotated[list[str] | None, typer.Argument(help="Keys of runs; all by default.")] = None,
    store: options.StoreFolder = None,
) -> None:
    """Write finished runs to one tidy file, a number a row with its signature; `tse results add` reads it elsewhere.

    Example:  tse results export everything.parquet   |   tse results export two.csv 4f2a91 77c0de
    """
    import pandas as pd

    from tse_core.results.result_index import find
    from tse_core.results.tidy import write_results

    place = options.store_in(store)
    chosen = keys or [key for key in place.keys("results") if find(key, place) is not None]
    if not chosen:
        raise InputError(f"the store {place.folder} holds no results yet; tse evaluate MODEL makes some")
    table = pd.concat([opened(key, store) for key in chosen], ignore_index=True)
    write_results(table, file)
    print(f"written: {file} ({len(table)} numbers of {table['signature'].nunique()} runs)")


@group.command()
def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before removing files that are whole.")] = False,
    older_than: Annotated[float, typer.Option(help="Minutes for which a part must be unchanged.", min=0)] = 60,
    store: options.StoreFolder = None,
) -> None:
    """Remove damaged files, parts left by killed runs, and orphans.

    An orphan is a shard or a file of finished numbers that nothing describes, or that was computed by code that has
    changed since. Asks before it removes anything whole. Only the store's own files are examined.

    Example:  tse results gc --dry-run
    """
    place = options.store_in(store)
    waste = place.waste(older_than * 60)
    for item in waste:
        print(f"{item.path.relative_to(place.folder)}: {item.reason}, {item.bytes:,} bytes")
    whole = [item for item in waste if item.reason.startswith("orphan")]
    if waste and not dry_run:
        if whole and not yes and not typer.confirm(f"{len(whole)} of these files are whole; remove them too?"):
            waste = [item for item in waste if item not in whole]
        place.remove(waste)
    size = sum(item.bytes for item in waste)
    print(f"{len(waste)} files, {size:,} bytes {'would be ' if dry_run else ''}removed")


def _files_in(places: list[Path]) -> list[Path]:
    """The files, with each folder replaced by its files."""
    return [file for place in places for file in (sorted(place.iterdir()) if place.is_dir() else [place])]


def opened(which: str, store: Path | None):
    """The tidy table of a file or of a key in the store."""
    from tse_core.results.result_index import find
    from tse_core.results.tidy import read_results

    if which.endswith((".parquet", ".csv")):
        return read_results(which)
    place = options.store_in(store)
    table = find(which, place)
    if table is None:
        raise _no_result(which, place)
    return table


def other_contents(data: str, lemmas: str = "") -> list[str]:
    """Where data or lemmas, each as name@hash, have other contents under that name here, one line each.

    Data that is not on this machine is skipped.
    """
    from tse_core.datasets.lemmas import load_lemmas
    from tse_core.datasets.names import data_hash, load_pairs

    found = []
    for said, ours in ((data, lambda name: data_hash(load_pairs(name))), (lemmas, lambda name: load_lemmas(name).hash)):
        name, _, there = said.rpartition("@")
        with suppress(InputError):
            if name and (here := ours(name)) != there:
                found.append(f"{name} is {here} here but {there} there: other contents under the same name")
    return found


def _no_result(which: str, place) -> InputError:
    """Why a key shows nothing: its numbers are no longer used or cannot be read, or there is no such key."""
    from tse_core.results.result_index import full_key, origins

    if (whole := full_key(which, place)) in place.keys("results"):
        if origins(whole, place) == "other code":
            why = "its numbers were computed by code that has changed since; evaluate again, or"
            return InputError(f"{whole[:10]}: {why} `tse results remove {whole[:10]}`")
        return InputError(f"{whole[:10]}: its files are damaged; evaluate again, or `tse results remove {whole[:10]}`")
    keys = [key[:10] for key in place.keys("results")]
    if not keys:
        return InputError(f"no results {which!r}: the store {place.folder} is empty; or give a .parquet or .csv file")
    return unknown("result", which, keys, "; or a path that ends in .parquet or .csv")


def _whole(rows) -> list[list[str]]:
    """The rows of Table 2 (TSE, and MW and EW at top 100 %), or the accuracies of other runs."""
    chosen = rows[(rows["side"] == "") | ((rows["side"] == "top") & (rows["cutoff"] == 1))]
    found = []
    for row in chosen.sort_values(["construction", "metric"], kind="stable").itertuples():
        counts = map(str, (row.lemmas, row.contexts, row.pairs))
        found.append([row.construction, row.metric, score(row.score, row.low, row.high), *counts])
    return found


def _metric(row, of_list: bool) -> str:
    """The metric and its cut-off, e.g. "EW top 10 %"; cut-offs of a list of whole words say so."""
    share = " of the list" if of_list else ""
    return row["metric"] if not row["side"] else f"{row['metric']} {row['side']} {100 * row['cutoff']:g} %{share}"
