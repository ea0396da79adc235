"""tse blimp: which sentence of each minimal pair a model prefers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import (
    COMPARISON_HEADINGS,
    note,
    print_table,
    write_differences,
    write_scores,
    write_table,
)
from tse_core.datasets.loading import joined_pairs, load_sentence_pairs
from tse_core.errors import InputError, check_known
from tse_core.results.comparing import READING, differences
from tse_core.sentences.columns import names_beside

if TYPE_CHECKING:  # imports torch
    from tse_core.sentences.evaluate import PairScores


@app.command()
@options.opens_a_model()
def blimp(
    model: options.ModelArgument,
    opening: options.Opening,
    data: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Sentence pairs, blimp by default: a name of `tse list data`, a file or a folder "
            "of them, NAME=FILE, or hf:OWNER/NAME/PATH on the hub; may be repeated.",
        ),
    ] = None,
    columns: options.Columns = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="COLUMN", help="Rows shown: phenomenon, paradigm or a column of yours."
        ),
    ] = "phenomenon",
    method: Annotated[
        Literal["full-sentence", "one-prefix", "two-prefix", "pll", "pll-l2r", "left-context"]
        | None,
        typer.Option(
            metavar="NAME",
            help="full-sentence (causal models), pll, pll-l2r or left-context (masked ones), "
            "one-prefix or two-prefix (of what completes a prefix); by default as the data are.",
        ),
    ] = None,
    profile: options.Profile = None,
    against: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Compare it with the first model.")
    ] = None,
    out: options.Out = None,
    items: options.Items = None,
    normalise: Annotated[
        Literal["token", "char", "byte"] | None,
        options.rare(
            metavar="UNIT", help="Compare means per token, char or byte; by default sums."
        ),
    ] = None,
    ties: Annotated[
        Literal["wrong", "half"],
        options.rare(metavar="HOW", help="Two equal scores count as wrong, or as half."),
    ] = "wrong",
    first: Annotated[
        Literal["as-is", "capital", "lower"],
        options.rare(metavar="HOW", help="First letter: as-is, capital or lower."),
    ] = "as-is",
    cluster: Annotated[
        str | None,
        options.rare(
            metavar="COLUMN",
            help="Groups pairs for the intervals; by default each distinct pair is a group.",
        ),
    ] = None,
    unknown: options.UnknownWords = "flag",
) -> None:
    """Which sentence of each minimal pair a model prefers.

    Accuracies by phenomenon, with 95 % intervals: of BLiMP's 67 paradigms, which
    `tse data fetch blimp` downloads, or of pairs of your own. The macro mean
    counts each paradigm alike, whatever its size. Pairs in which the method
    reads the same texts are one item, which counts once for the intervals. An
    interrupted run resumes.

    Completions of a prefix are known by their columns (EWoK, COMPS, entity
    tracking, BLiMP's prefix fields alone): the right one must be likelier than
    all others, given the prefix. A masked model's are scored by their
    pseudo-log-likelihood.

    Log-probabilities are summed, so short sentences have an advantage;
    --normalise divides by the length of what is scored. --against compares two
    models on the same pairs; --out scores.csv then also writes the differences,
    to scores-differences.csv.

    \b
    tse blimp lab-systematic-causal --data laboratory
    tse blimp gpt2 --data blimp/wh_island --data blimp/drop_argument --by paradigm
    tse blimp gpt2 --data mine.csv --columns good=sen,bad=wrong_sen --cluster item
    tse blimp gpt2 --against gpt2-medium --out scores.csv --items items.csv
    tse blimp my-babylm --profile babylm --data full_eval/ewok_filtered --items items.csv
    """
    models = [model] if against is None else [model, against]
    if profile:
        opening = options.of_babylm(opening, *models)
    names_of_columns = options.columns_of(columns)
    tables = []
    for text in data or ["blimp"]:
        name, path = options.named_file(text)
        tables.append(load_sentence_pairs(path, names_of_columns, name=name))
    pairs = joined_pairs(tables)
    names_in_scores = names_beside(pairs.columns)
    check_known("column for --by", by, ["phenomenon", "paradigm", "pair_id", *names_in_scores])
    column_of_by = names_in_scores.get(by, by)
    if cluster is not None:
        check_known("column for --cluster", cluster, pairs.columns)
    if against is not None and ties == "half":
        raise InputError("--against counts right and wrong pairs: leave --ties as it is (wrong)")
    # It imports torch, so that the data are read before.
    from tse_core.sentences.evaluate import evaluate_blimp

    runs: list[PairScores] = []
    for opened in opening.models(*models):
        if runs and opened.label == runs[0].signature.model:
            raise InputError(
                f"both models are called {opened.label!r}, so that results could not tell them "
                "apart; give one a name of your own: NAME=PATH"
            )
        scores = evaluate_blimp(
            opened,
            pairs,
            method=method,
            first=first,
            ties=ties,
            unknown_words=unknown,
            normalise=normalise,
            cluster=cluster,
            store=options.store(),
        )
        runs.append(scores)
        if len(runs) == 2:
            print()
        _print_accuracies(scores, column_of_by, cluster, opened.bos_remedy())
        tied = int(scores.pairs["tie"].sum())
        if profile and tied:
            note(f"{tied:,} ties count as wrong here, and as right in the BabyLM challenge's code")
    write_scores([scores.tidy(column_of_by) for scores in runs], out)
    if against is not None:
        _show_comparison(runs[0], runs[1], column_of_by, out)
    write_table(pd.concat([scores.item_table() for scores in runs], ignore_index=True), items)


def _show_comparison(first: "PairScores", second: "PairScores", by: str, out: Path | None) -> None:
    """The first model against the second by phenomenon or paradigm and on all pairs.

    It is printed, and written beside a file.
    """
    from tse_core.sentences.accuracies import compare

    of_all = compare(first.pairs, second.pairs, "all").assign(**{by: "all pairs"})
    table = pd.concat([compare(first.pairs, second.pairs, by), of_all], ignore_index=True)
    bounds = {"low": "difference_low", "high": "difference_high"}
    columns = [by, "first", "second", "difference", "pairs", "p_value", "p_corrected"]
    print()
    print_table(table.rename(columns=bounds), columns, 1, **COMPARISON_HEADINGS)
    different = differences(first.signature, second.signature)
    policies = [str(policy) for policy in different if policy.policy not in READING]
    if policies:
        note(f"the two models were scored in different ways: {'; '.join(policies)}")
    for side, scores in (("first", first), ("second", second)):
        table[f"model_{side}"] = scores.signature.model
        table[f"signature_{side}"] = str(scores.signature)
    write_differences(table.assign(data=first.signature.data_name), out)


def _print_accuracies(scores: "PairScores", by: str, cluster: str | None, bos_remedy: str) -> None:
    """The accuracies by a column, of all pairs and of all paradigms, the signature, and notes.

    `bos_remedy` is the model's.
    """
    parts = [scores.accuracy(by), scores.accuracy("all").assign(**{by: "all pairs"})]
    if scores.has_macro_mean:
        parts.append(scores.accuracy("macro").assign(**{by: "macro mean"}))
    accuracies = pd.concat(parts)
    accuracies = accuracies.rename(columns={"low": "accuracy_low", "high": "accuracy_high"})
    columns = [by, "accuracy", "pairs", "items", "accuracy_items", "ties", "unknown"]
    if cluster:
        columns.insert(3, "clusters")
    print_table(accuracies, columns, accuracy_items="accuracy of items")
    print(f"\n{scores.signature}")
    unknown = int(scores.pairs["unknown_critical"].sum())
    if unknown:
        note(f"{unknown:,} pairs have a critical word that the model does not know")
    same = int((scores.pairs["good"] == scores.pairs["bad"]).sum())
    if same:
        note(f"pairs whose two sentences are the same, and so tie: {same:,}")
    unscored = int(scores.pairs["unscored_difference"].sum())
    if unscored:
        note(
            f"{unscored:,} pairs differ in their first token, which is scored only with a token "
            f"before it; {bos_remedy}"
        )
