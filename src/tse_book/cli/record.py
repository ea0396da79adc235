"""tse book record: everything that the claims need from one model, as a recorded run."""

from pathlib import Path
from typing import Annotated

import typer

from tse_book.cli import book
from tse_core.cli import options
from tse_core.errors import check_known

HELP = """Measure what the claims need from one model, on a GPU.

Writes a folder MODEL below --out, a recorded run: the scores (agreement, blimp
and suites.parquet), provenance.json (hardware, versions, date, seconds,
checksums) and, for a model from outside this project, tables of
pairs, items, words and controls, and a table for each treebank: every verb
at every site, by sentence and token, without its text; for one also a sample by
whole words.

The book shows what is in data/recorded, labelled as recorded. On another
machine, `tse results add` puts the files into its store. The command lists what
cannot be measured with the model.

\b
tse book record lab-systematic-causal --part agreement --out runs
tse book record path/to/model --part blimp --part suites --out runs
tse book record gemma-3-270m --part treebanks --data ud/German-GSD --out runs
"""


@book.command(help=HELP)
@options.opens_a_model()
def record(
    model: options.ModelArgument,
    opening: options.Opening,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Recorded runs.")] = Path("recorded"),
    part: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="agreement, blimp, suites, details, words, controls, "
            "treebanks, treebank-words; may be repeated; by default all.",
        ),
    ] = None,
    lemmas: Annotated[str, typer.Option(metavar="NAME", help="Verb list.")] = "newman-clean",
    data: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Agreement pairs, treebanks.")
    ] = None,
    pairs: Annotated[str | None, typer.Option(metavar="NAME", help="Sentence pairs.")] = None,
) -> None:
    from tse_book.recorded.provenance import read_provenance
    from tse_book.recorded.recording import ALL_PARTS, record_model

    for name in part or []:
        check_known("part", name, ALL_PARTS)
    (loaded,) = opening.models(model)
    home = record_model(
        loaded, out, lemmas, parts=part, data=data, pairs=pairs, store=options.store()
    )
    provenance = read_provenance(home)
    files = provenance["files"] | provenance.get("details", {}) | provenance.get("treebanks", {})
    for name, file in files.items():
        numbers = file.get("numbers", file.get("rows"))
        print(f"{name:10} {numbers:8,d} numbers  {file['seconds']:8.1f} s")
    for name, why in provenance["left_out"].items():
        print(f"{name:10} left out: {why}")
    print(f"written: {home}")
