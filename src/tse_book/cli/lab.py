"""``tse book lab``: the known language (corpus, truth) and the models trained on it (train)."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tse_book.cli import book
from tse_core.cli import options
from tse_core.files import write_output
from tse_core.progress import progress

group = typer.Typer(
    help="The laboratory: a known language, and models trained on it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
book.add_typer(group, name="lab")
Regime = Annotated[
    str,
    typer.Option(
        help="systematic: every verb agrees; lexical: each rare verb has a favourite form."
    ),
]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:1, ...")]
Seed = Annotated[
    int, typer.Option(help="The same seed gives the same result.", min=0, max=2**63 - 1)
]


@group.command()
def corpus(
    regime: Regime = "systematic",
    sentences: Annotated[int, typer.Option(help="How many sentences.", min=1)] = 1000,
    seed: Seed = 0,
) -> None:
    """Print sentences of the laboratory language, one per line.

    With the same seed, a longer corpus begins with the shorter one.

    \b
    tse book lab corpus | head
    tse book lab corpus --regime lexical --sentences 400000 --seed 1 > corpus.txt
    """
    import sys

    from tse_book.laboratory.corpus import sentences as drawn
    from tse_book.laboratory.language import load_language

    lines = drawn(load_language(), regime, sentences, seed)
    with (
        progress(sentences, "drawing", unit="sentences") as bar,
        suppress(BrokenPipeError),
    ):  # | head
        for number, line in enumerate(lines, 1):
            sys.stdout.write(line + "\n")
            if number % 1000 == 0:
                bar.update(1000)


@group.command()
def truth(
    regime: Regime = "systematic",
    out: Annotated[
        Path | None, typer.Option(help="Write it as .csv.", callback=options.table_file)
    ] = None,
) -> None:
    """What a model that knows the language perfectly would score.

    TSE, EW and MW per construction and frequency band.

    \b
    tse book lab truth
    tse book lab truth --regime lexical --out truth.csv
    """
    from tse_book.laboratory.known_truth import truth as computed

    table = computed(regime)
    if out:
        _write(table, out)
    else:
        print(table.to_string(index=False, float_format="{:.3f}".format, na_rep="-"))


@group.command()
def train(
    name: Annotated[str, typer.Argument(help="lab-systematic-causal, lab-lexical-masked, ...")],
    out: Annotated[Path, typer.Option(help="The model's folder; it must not exist yet.")],
    seed: Seed = 0,
    steps: Annotated[
        int | None,
        typer.Option(help="Each has 512 sentences; by default as many as the model needs.", min=1),
    ] = None,
    sentences: Annotated[
        int | None,
        typer.Option(help="Repeat a corpus of this many; by default every sentence is new."),
    ] = None,
    byte_pair: Annotated[
        int | None,
        typer.Option(help="Entries of a byte-pair vocabulary; by default entries are words."),
    ] = None,
    device: Device = "cpu",
    threads: Annotated[
        int | None, typer.Option(help="Processor cores to use; by default all.", min=1)
    ] = None,
    checkpoints: Annotated[
        str, typer.Option(help="log: also save the model after 1, 2, 4, 8, ... steps.")
    ] = "",
) -> None:
    """Train a laboratory model from its seed, in minutes on two cores.

    \b
    tse book lab train lab-systematic-causal --out my-model
    tse book lab train lab-lexical-masked --out small --steps 400 --checkpoints log
    tse book lab train lab-lexical-causal --byte-pair 2867 --out pieces
    """
    import torch

    from tse_book.laboratory.training import plan_for
    from tse_book.laboratory.training import train as run

    plan = plan_for(name, seed=seed, steps=steps, sentences=sentences, byte_pair=byte_pair)
    if threads:
        torch.set_num_threads(threads)
    with progress(plan.steps, f"training {name}", unit="steps") as bar:

        def report(step: int, loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(step - bar.n)

        folder = run(plan, out, device=device, checkpoints=checkpoints, report=report)
    print(f"written: {folder}")


def _write(table: pd.DataFrame, file: Path) -> None:
    """Write a table as CSV, numbers to six digits, and say so."""
    write_output(file, table.to_csv(index=False, float_format="%.6g"))
    print(f"written: {file}")
