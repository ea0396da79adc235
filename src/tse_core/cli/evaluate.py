"""tse evaluate: TSE, EW and MW of a model."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table, write_scores
from tse_core.datasets.loading import load_pairs


@app.command()
@options.opens_a_model
def evaluate(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL...", help=f"{options.MODELS}; several give one table."),
    ],
    opening: options.Opening,
    data: Annotated[
        list[str] | None, typer.Option(help="Agreement pairs, by name or file; may be repeated.")
    ] = None,
    columns: options.Columns = None,
    lemmas: Annotated[str | None, typer.Option(help="Verb list, by name or .csv file.")] = None,
    protocol: Annotated[
        Literal["exact", "released"], typer.Option(help="released: as the authors' code.")
    ] = "exact",
    verbs: Annotated[
        Literal["single-token", "all"], typer.Option(help="Which count.")
    ] = "single-token",
    word_end: Annotated[
        bool | None, typer.Option(help="Count that the word ends; default: with --verbs all.")
    ] = None,
    sample: Annotated[
        str | None, typer.Option(metavar="N|all", help="Contexts of each construction.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.", min=0)] = 0,
    first: options.First = None,
    period: options.Period = None,
    by: Annotated[
        str | None, typer.Option(metavar="NAMES", help="A second table, in these cells.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="A further model, compared with the first.")
    ] = None,
    out: Annotated[Path | None, options.results_option("the table and the cut-off curves")] = None,
    batch_tokens: Annotated[
        int | None, typer.Option(help="Most tokens in one forward pass.", min=1)
    ] = None,
    store: options.StoreFolder = None,
    no_store: options.NoStore = False,
) -> None:
    """TSE, EW and MW of a model on agreement pairs: the rows of the paper's Table 2, with 95 % intervals.

    Each unique context is scored over a whole list of verb lemmas (EW: the share it conjugates correctly, MW: the share
    of probability on correct forms), each pair with its own verb (TSE). Verbs of several tokens (--verbs all) cost much
    more, so that 24 contexts of each construction are drawn. With --against only lemmas count that all models have.

    --by takes factors of the pairs (construction, number, adverb) and columns of the verb list (noun, band, tokens),
    with commas between them; NS is number sensitivity.

    \b
    tse evaluate lab-systematic-causal --data marvin-linzen/simple --out scores.parquet
    tse evaluate gpt2 bert-base-cased --data pairs.csv --verbs all --by noun,number
    """
    from tse_core.agreement.evaluate import evaluate_models

    pairs: list = data or ["marvin-linzen"]
    if said := options.columns_of(columns):
        pairs = [load_pairs(name, said) for name in pairs]
    size: Any = sample  # what is neither a number nor "all" is refused with the other options
    if sample and sample.isdecimal():
        size = int(sample)
    runs = evaluate_models(
        opening.models(*models, *([against] if against else [])),
        pairs,
        lemmas,
        shared=against is not None,
        by=by or "construction",
        protocol=protocol,
        detail="forms" if by else "contexts",
        verbs=verbs,
        word_end=word_end,
        sample=size,
        seed=seed,
        first=first,
        period=period,
        store=options.store_in(store, no_store),
        batch_tokens=batch_tokens,
    )
    _show_scores(runs, "construction")
    if by and by != "construction":
        _show_scores(runs, by)
    for model, found in runs.runs:
        print(f"{model}: {found.scored}\n{found.signature}\n")
        if uncertain := int(found.pairs["within_noise"].sum()):
            typer.echo(
                f"note: {uncertain:,} pairs are decided by less than numeric noise", err=True
            )
        if undefined := int(found.contexts["mw"].isna().sum()):
            typer.echo(
                f"note: MW leaves out {undefined:,} contexts, in which all forms have probability 0",
                err=True,
            )
    if against is not None:
        compared = runs.compare_models(runs.models[0], runs.models[-1])
        keys = [*(["data"] if compared["data"].nunique() > 1 else []), "construction", "metric"]
        columns = [*keys, "difference", "p_value"]
        print_table(compared, columns, len(keys), difference="first - second", p_value="p")
        print()
    write_scores([runs], out)


def _show_scores(runs, by: str) -> None:
    """The scores of all models in cells, with intervals, and the counts behind TSE."""
    from tse_core.agreement.factors import factor_names
    from tse_core.metrics.definitions import table_order

    tables = [
        each.table(by, intervals=True).assign(model=m, data=each.signature.data_name)
        for m, each in runs.runs
    ]
    table, factors = pd.concat(tables, ignore_index=True), factor_names(by)
    named = [*(name for name in ("model", "data") if table[name].nunique() > 1), *factors]
    counted = ["contexts", "pairs", "unscored", "verbs", "items", "TSE_items"]
    counted = counted if by == "construction" else ["lemmas", *counted]
    metrics = [name for name in table_order() if name in table]
    print_table(table, [*named, *metrics, *counted], len(named), TSE_items="TSE of items")
    print()
    verbs = (
        " and verbs (EW, margin, NS, shift)" if set(factors) & set(runs.runs[0][1].lemmas) else ""
    )
    typer.echo(
        f"note: 95 % intervals over subject nouns{verbs}; margin and shift are in nats", err=True
    )
    if split := int(table["split_twins"].max() if "split_twins" in table else 0):
        typer.echo(
            f"note: NS leaves out twins that are in different cells, up to {split:,} in a cell",
            err=True,
        )
