"""``tse plot``: the paper's figures from results."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli.commands import app
from tse_core.cli.results import Which, opened
from tse_core.errors import InputError, check_known
from tse_core.files import safe_name

VERBS = "verbs"  # the figure that is none of the paper's


@app.command()
def plot(
    which: Which,
    figure: Annotated[str, typer.Option(metavar="NAME", help="1, 2, 3, 4, table2 or verbs.")] = "2",
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A published model: bert-large-cased, bert-large-uncased, roberta-large, gpt2-xl.",
        ),
    ] = None,
    construction: Annotated[
        str | None, typer.Option(metavar="NAME", help="In colour at first.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=".html, .svg, .png or .pdf; by default figure and model."
        ),
    ] = None,
) -> None:
    """Draw a figure of the paper from a run.

    Figures: 1 and 2 (EW and MW at each cut-off, four constructions or all),
    3 (coverage), 4 (contexts without a verb), table2; verbs (how far each
    moves) from a file of tse evaluate --each-verb. Written as .html
    (interactive), .svg, .png or .pdf.

    \b
    tse plot scores.parquet --figure 2 --beside gpt2-xl
    tse plot 4f2a91 --figure table2 --beside gpt2-xl --out table2.svg
    tse plot verbs.csv --figure verbs
    """
    from tse_book.charts import FIGURES, read_verbs, save_chart, verb_dots
    from tse_book.charts import plot as draw

    names = {name.removeprefix("figure"): name for name in FIGURES} | {VERBS: VERBS}
    check_known("figure", figure, names)
    if figure == VERBS:
        if beside or construction:
            raise InputError(
                "a figure of verbs has neither --beside nor --construction; leave them out"
            )
        table = read_verbs(which)
        chart = verb_dots(table)
    else:
        table = opened(which)
        chart = draw(table, names[figure], beside=beside, chosen=construction)
    out = out or Path(f"{names[figure]}-{safe_name(table['model'].iloc[0])}.html")
    save_chart(chart, out)
    print(f"written: {out}")
