"""``tse list``: what can be loaded by name."""

import json
from collections.abc import Iterator
from typing import Annotated, Literal

import typer

from tse_core.cli.commands import app
from tse_core.cli.printing import print_note, print_table
from tse_core.paths import data_folder

What = Annotated[Literal["models", "data", "suites", "lemmas"], typer.Argument(help="What to list.")]


@app.command("list")
def list_names(what: What) -> None:
    """List what can be loaded by name: models, data, suites or lemmas.

    Example:  tse list data
    """
    if what == "models":
        print_table(("name", "kind", "MB", "licence", "where"), _models())
        print_note("Also: a folder, a .gguf file, or any model of the Hugging Face hub by its name.")
    elif what == "data":
        from tse_core.datasets.names import dataset_table  # imports pandas

        print_table(("name", "holds", "source"), dataset_table().itertuples(index=False))
        print_note("Downloads: `tse data status`. Files of your own: a path ending in .jsonl, .csv or .tsv.")
    elif what == "suites":
        from tse_core.syntaxgym.library import list_suites

        table = list_suites()
        names = table["name"].where(table["source"] != "public", "syntaxgym/" + table["name"])
        sources = table["source"].where(table["available"], "download")
        print_table(("name", "source", "circuit"), zip(names, sources, table["circuit"], strict=True))
        print_note("Downloads: `tse data fetch syntaxgym`. Suites of your own: the path of a .json or .csv file.")
    else:
        from tse_core.datasets.lemmas import list_lemmas

        print_table(("name", "what it is"), list_lemmas().items())
        print_note("Lists of your own: a .csv file with the columns lemma, singular, plural.")


def _models() -> Iterator[tuple[str, ...]]:
    """Models of the package index; the folders of data/models, whose config.json says their kind."""
    from tse_core.models.gguf_files import PACKAGE_MODELS, model_state

    for name, model in PACKAGE_MODELS.items():
        where = {"cached": "fetched"}.get(model_state(name), "fetched on first use")
        yield name, "causal", f"{model.bytes / 1e6:.1f}", model.licence, where
    for config in sorted((data_folder() / "models").glob("*/config.json")):
        architectures = json.loads(config.read_text(encoding="utf-8")).get("architectures") or []
        kind = "masked" if any(name.endswith("ForMaskedLM") for name in architectures) else "causal"
        size = sum(file.stat().st_size for file in config.parent.iterdir() if file.is_file())
        yield config.parent.name, kind, f"{size / 1e6:.1f}", "CC-BY-4.0", "comes with the project"
