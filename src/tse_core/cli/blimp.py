"""tse blimp: which sentence of each minimal pair a model prefers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import note, print_table, write_scores
from tse_core.datasets.loading import joined_pairs, load_sentence_pairs
from tse_core.results.tidy import write_results

if TYPE_CHECKING:  # imports torch
    from tse_core.blimp.evaluate import PairScores


@app.command()
@options.opens_a_model
def blimp(
    model: options.ModelArgument,
    opening: options.Opening,
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="Sentence pairs: a name, a file, hf:OWNER/NAME/PATH on the hub; may be repeated."
        ),
    ] = None,
    method: Annotated[
        Literal["full-sentence", "one-prefix", "two-prefix", "pll", "pll-l2r"] | None,
        typer.Option(help="full-sentence for causal models, pll for masked ones by default."),
    ] = None,
    by: Annotated[
        Literal["phenomenon", "paradigm"], typer.Option(help="Rows shown.")
    ] = "phenomenon",
    ties: Annotated[
        Literal["wrong", "half"], typer.Option(help="How two equal scores count.")
    ] = "wrong",
    first: Annotated[
        Literal["as-is", "capital", "lower"], typer.Option(help="First letter.")
    ] = "as-is",
    unknown: options.UnknownWords = "flag",
    columns: options.Columns = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that groups pairs for the intervals; by default each distinct pair.",
        ),
    ] = None,
    out: Annotated[Path | None, options.results_option("the scores of every pair")] = None,
    table: options.Table = None,
    store: options.StoreFolder = None,
    no_store: options.NoStore = False,
) -> None:
    """Accuracy of a model on BLiMP's minimal pairs, by phenomenon, with intervals.

    All 67 paradigms by default; [b]tse data fetch blimp[/b] downloads them. An
    interrupted run resumes. Pairs in which the method reads the same texts are
    one item, which counts once for the intervals.

    \b
    tse blimp lab-systematic-causal --data laboratory
    tse blimp gpt2 --data blimp/wh_island --data blimp/adjunct_island --by paradigm
    tse blimp gpt2 --data hf:jumelet/multiblimp/eng/data.tsv
    tse blimp gpt2 --data mine.csv --columns good=sen,bad=wrong_sen --cluster item
    """
    from tse_core.blimp.evaluate import evaluate_blimp

    names_of_columns = options.columns_of(columns)
    tables = [load_sentence_pairs(name, names_of_columns) for name in data or ["blimp"]]
    pairs = joined_pairs(tables)
    (opened,) = opening.models(model)
    scores = evaluate_blimp(
        opened,
        pairs,
        method=method,
        first=first,
        ties=ties,
        unknown_words=unknown,
        cluster=cluster,
        store=options.store_in(store, no_store),
    )
    _print_accuracies(scores, by, cluster)
    if out:
        signature = scores.signature
        identified = {"model": signature.identity["model"], "signature": str(signature)}
        write_results(scores.pairs.assign(**identified), out)
        print(f"written: {out}")
    write_scores([scores], table)


def _print_accuracies(scores: "PairScores", by: str, cluster: str | None) -> None:
    """The accuracies by phenomenon or paradigm and of all pairs, the signature, and notes."""
    of_all = scores.accuracy("all").assign(**{by: "all pairs"})
    accuracies = pd.concat([scores.accuracy(by), of_all])
    accuracies = accuracies.rename(columns={"low": "accuracy_low", "high": "accuracy_high"})
    columns = [by, "accuracy", "pairs", "items", "accuracy_items", "ties", "unknown"]
    if cluster:
        columns.insert(3, "clusters")
    print_table(accuracies, columns, accuracy_items="accuracy of items")
    print(f"\n{scores.signature}")
    unknown = int(scores.pairs["unknown_critical"].sum())
    if unknown:
        note(f"{unknown:,} pairs have a critical word that the model does not know")
    unscored = int(scores.pairs["unscored_difference"].sum())
    if unscored:
        note(
            f"{unscored:,} pairs differ in their first token, which is scored only with a token "
            "before it; --bos add puts one there"
        )
