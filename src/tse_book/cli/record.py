"""tse record: everything that the claims need from one model, as a recorded run."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.errors import check_known

HELP = """Measure everything that the claims need from one model and keep it as a recorded run.

Writes a folder MODEL below [b]--out[/b]. For every model it holds agreement, blimp and suites.parquet (the scores) and
provenance.json (hardware, versions, date, seconds, checksums). For a model from outside this project it also holds
findings.csv (what the general claims need; for BLiMP and suites, taken from the recorded pairs and items); pairs,
wordings, items and regions.parquet (each pair, Table 2, items and their regions, with a BOS token and without); words
and verbs.parquet (Table 2 by single-token verbs and by whole words, in a sample of contexts); controls.parquet
(every verb after subjects of seven kinds, and three further tables); noun_verbs and noun_words.parquet (every verb, and
the nouns that may follow, after 64 nouns of persons); and subject_words.parquet (how likely such nouns are after the
subjects of seven kinds).

The book shows what is in data/recorded, labelled as recorded. On another machine, [b]tse results add[/b] puts the files
into its store. The command lists what cannot be measured with the model.

[b]Examples[/b]

  tse record lab-systematic-causal --part agreement --out runs

  tse record path/to/model --part blimp --part suites --out runs
"""


@app.command(help=HELP)
@options.opens_a_model
def record(
    model: options.ModelArgument,
    opening: options.Opening,
    out: Annotated[Path, typer.Option(help="Folder of recorded runs.")] = Path("recorded"),
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="agreement, blimp, suites, findings, details, words, controls, nouns; may be repeated."
        ),
    ] = None,
    lemmas: Annotated[str, typer.Option(help="Verb list by name or .csv file.")] = "newman-clean",
    data: Annotated[
        list[str] | None, typer.Option(help="Agreement pairs; may be repeated.")
    ] = None,
    pairs: Annotated[
        str | None, typer.Option(help="Sentence pairs: blimp, laboratory, a .jsonl file.")
    ] = None,
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
    files = provenance["files"] | provenance.get("details", {})
    for name, file in files.items():
        numbers = file.get("numbers", file.get("rows"))
        print(f"{name:10} {numbers:8,d} numbers  {file['seconds']:8.1f} s")
    for name, why in provenance["left_out"].items():
        print(f"{name:10} left out: {why}")
    print(f"written: {home}")
