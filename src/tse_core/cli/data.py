"""``tse list``, the names that can be loaded; ``tse data``, the pinned downloads."""

from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table, write_table
from tse_core.datasets import downloads
from tse_core.datasets.lemmas import list_lemmas
from tse_core.datasets.loading import dataset_table, load_pairs, verb_list
from tse_core.datasets.pairs import with_sentences
from tse_core.datasets.treebank_pairs import with_other_forms
from tse_core.models.backend import NamedModel
from tse_core.models.discovery import examples, named_models
from tse_core.paths import data_folder
from tse_core.syntaxgym.library import list_suites

WHICH = "Data sets (blimp), single files (blimp/adjunct_island), or all"
Names = Annotated[list[str] | None, typer.Argument(help=f"{WHICH}, which is the default.")]
group = typer.Typer(
    help="Download data and models, pinned and checked.\n\nTSE_CACHE is the folder for downloads, "
    "by default the user's cache; TSE_MIRROR is a folder or an address in place of the network.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(group, name="data")


@app.command("list")
def list_names(
    what: Annotated[
        Literal["models", "data", "suites", "lemmas"],
        typer.Argument(metavar="WHAT", help="models, data, suites or lemmas."),
    ],
) -> None:
    """List what can be loaded by name.

    Example:  tse list data
    """
    if what == "models":
        table = _models()
        forms = ["a folder", "any model of the Hugging Face hub by its name", *examples()]
        note = f"Also: {'; '.join(forms)}."
    elif what == "data":
        table = dataset_table()
        note = (
            "Downloads: `tse data status`. "
            "Files of your own: a path (.csv, .tsv, .jsonl, .json, .parquet)."
        )
    elif what == "suites":
        table = list_suites()
        note = (
            "Downloads: `tse data fetch syntaxgym`. "
            "Suites of your own: the path of a .json or .csv file."
        )
    else:
        table = pd.DataFrame(list_lemmas().items(), columns=["name", "what it is"])
        note = "Lists of your own: a .csv or .tsv file with the columns lemma, singular, plural."
    print_table(table)
    typer.echo(note, err=True)


@group.command()
def fetch(
    names: Annotated[
        list[str], typer.Argument(help=f"{WHICH}; or models (smollm2-135m-instruct).")
    ],
) -> None:
    """Download what is missing or damaged.

    It is checked against its pin and kept in the cache.

    \b
    tse data fetch newman-blimp smollm2-135m-instruct
    TSE_MIRROR=/media/stick tse data fetch all    # OWNER/REPOSITORY/COMMIT/PATH
    """
    models = named_models()
    data = [name for name in names if name not in models]
    # An unknown name is reported here, before anything is fetched.
    files = downloads.select(data, models)
    for name in names:
        if name in models:
            print(f"{name}: {models[name].fetch()}")
    if data:
        fetched = downloads.fetch(data)
        already_there = len(files) - fetched
        cache = downloads.path_of("")
        print(f"files fetched: {fetched}, already there: {already_there} ({cache})")
        for licence, of_licence in files.groupby("licence"):
            print(f"licence of {', '.join(of_licence['dataset'].unique())}: {licence}")


@group.command()
def pairs(
    data: Annotated[
        str,
        typer.Argument(help="Agreement pairs: a name, a file, a treebank (.conllu, a folder)."),
    ],
    out: Annotated[Path, typer.Option(help="The table: .csv.", callback=options.table_file)],
    lemmas: Annotated[
        str | None,
        typer.Option(help="Verb list for the other forms of verbs; treebank: drawn from the data."),
    ] = None,
) -> None:
    """Write minimal pairs as a table: the good sentence, the bad one, and all that is known.

    Of a treebank that is a row for each verb in the present behind its
    subject whose other form is known: where it stands (sent_id, token),
    its subject (kind, number), distance and nouns between. The table
    is data again, here and for other programs.

    Example:  tse data pairs en_ewt-ud-test.conllu --out pairs.csv
    """
    table = load_pairs(data)
    table = with_other_forms(table, verb_list(table, lemmas, "exact"))
    has_both_forms = table["wrong"] != ""
    minimal_pairs = with_sentences(table[has_both_forms])
    is_empty = (minimal_pairs == "").all()
    without = len(table) - len(minimal_pairs)
    print(f"pairs: {len(minimal_pairs):,}; verbs without another form: {without:,}")
    write_table(minimal_pairs.loc[:, ~is_empty], out)


@group.command()
def status(names: Names = None) -> None:
    """Show what can be downloaded, and what is in the cache.

    Each cached file is checked against its pin. Exit code 1: a file is damaged,
    and named with the command that repairs it.

    Example:  tse data status blimp
    """
    models = named_models()
    of_data = [name for name in names or ["all"] if name not in models]
    of_models = [name for name in names or models if name in models]
    # An unknown name is reported with those of both.
    downloads.select(of_data, models)
    files = downloads.states(of_data)
    rows = [*_data_rows(files), *[_model_row(name, models[name]) for name in of_models]]
    table = pd.DataFrame(rows)
    print_table(table)
    print(f"cache: {downloads.path_of('')}")
    is_damaged_model = (table["damaged"] > 0) & table["name"].isin(of_models)
    damaged = [
        *files.loc[files["state"] == "damaged", "name"],
        *table.loc[is_damaged_model, "name"],
    ]
    for name in damaged:
        print(f"damaged: {name}; `tse data fetch {name}` repairs it")
    if damaged:
        raise typer.Exit(1)


def _data_rows(files: pd.DataFrame) -> list[dict]:
    """A row for each data set of some files, with their states."""
    rows = []
    for name, of_data_set in files.groupby("dataset", sort=False):
        first = of_data_set.iloc[0]
        rows.append(
            {
                "name": name,
                "files": len(of_data_set),
                "cached": _count(of_data_set, "cached"),
                "damaged": _count(of_data_set, "damaged"),
                "MB": _megabytes(of_data_set["bytes"].sum()),
                "licence": first["licence"],
                "source": f"{first['repository']} @ {first['commit'][:7]}",
            }
        )
    return rows


def _model_row(name: str, model: NamedModel) -> dict:
    """The same of a model that a plug-in fetches."""
    state = model.state()
    return {
        "name": name,
        "files": 1,
        "cached": int(state == "cached"),
        "damaged": int(state == "damaged"),
        "MB": _megabytes(model.bytes),
        "licence": model.licence,
        "source": model.source,
    }


def _count(files: pd.DataFrame, state: str) -> int:
    """How many files are in a state: "cached", "damaged" or "missing"."""
    return int((files["state"] == state).sum())


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}"


def _models() -> pd.DataFrame:
    """Models of plug-ins, then those of data/models, whose names contain their kind."""
    models = []
    for name, model in named_models().items():
        where = "fetched" if model.state() == "cached" else "fetched on first use"
        models.append((name, model.kind, _megabytes(model.bytes), model.licence, where))
    for weights in sorted((data_folder() / "models").glob("*/model.safetensors")):
        name = weights.parent.name
        kind = "masked" if "masked" in name else "causal"
        size = _megabytes(weights.stat().st_size)
        models.append((name, kind, size, "CC-BY-4.0", "comes with the project"))
    return pd.DataFrame(models, columns=["name", "kind", "MB", "licence", "where"])
