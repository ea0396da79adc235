"""tse evaluate: TSE, EW and MW of a model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
from tse_core.datasets.loading import load_pairs

if TYPE_CHECKING:  # imports torch
    from tse_core.agreement.evaluation import Evaluation, Evaluations


@app.command()
@options.opens_a_model(shown=True)
def evaluate(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL", help=f"{options.MODELS}; NAME=PATH gives it a name of yours."
        ),
    ],
    opening: options.Opening,
    data: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Agreement pairs, marvin-linzen by default: a name of `tse list data`, a file, "
            "NAME=FILE, a treebank (.conllu, a folder or a quoted pattern), or "
            "hf:OWNER/NAME/PATH on the hub; may be repeated.",
        ),
    ] = None,
    columns: options.Columns = None,
    lemmas: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Verb list: a name of `tse list lemmas`, a .csv or .tsv; treebank: drawn from "
            "the data.",
        ),
    ] = None,
    verbs: Annotated[
        Literal["single-token", "all"] | None,
        typer.Option(
            metavar="WHICH",
            help="Verbs of one token, single-token, or all; by default those of one token, of a "
            "treebank's list all.",
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="NAMES", help="A second table, by these factors.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Compare it with the first model.")
    ] = None,
    out: options.Out = None,
    items: options.Items = None,
    each_verb: Annotated[
        Path | None, options.results_option("a row for each verb: sensitivity, bias, EW")
    ] = None,
    protocol: Annotated[
        Literal["exact", "released"],
        options.rare(metavar="NAME", help="released: as in the paper's own code."),
    ] = "exact",
    word_end: Annotated[
        bool | None, options.rare(help="Count the end of the word; default: with --verbs all.")
    ] = None,
    sample: Annotated[
        str | None, options.rare(metavar="N|all", help="Contexts of each construction.")
    ] = None,
    seed: Annotated[int, options.rare(metavar="N", help="Of the sample.", min=0)] = 0,
    first: options.First = None,
    period: options.Period = None,
    batch_tokens: Annotated[
        int | None, options.rare(metavar="N", help="Most tokens in one forward pass.", min=1)
    ] = None,
) -> None:
    """TSE, EW and MW on agreement pairs, with 95 % intervals.

    These are the rows of the paper's Table 2. Each distinct context is scored
    with a whole list of verbs: EW is the share that the model conjugates
    correctly, MW the share of the probability that is on correct forms. TSE
    scores each pair with its own verb. Verbs of several tokens (--verbs all)
    cost much more, so 24 contexts are drawn from each construction.

    --by takes factors of the pairs (construction, number, adverb) and columns
    of the verb list (noun, band, tokens), separated by commas. --against takes
    the verbs that both models have; --out scores.csv then also writes the
    differences, to scores-differences.csv.

    \b
    tse evaluate lab-systematic-causal --data marvin-linzen/simple
    tse evaluate a=run-1/step-500 b=run-2/step-500 --out scores.parquet
    tse evaluate gpt2 --data pairs.csv --columns good=sen,bad=wrong_sen
    tse evaluate gpt2 --verbs all --by noun,number --against gpt2-medium
    """
    from tse_core.agreement.evaluate import evaluate_models

    pairs: list = list(data or ["marvin-linzen"])
    names_of_columns = options.columns_of(columns)
    for position, text in enumerate(pairs):
        name, path = options.named_file(text)
        if name or names_of_columns:
            pairs[position] = load_pairs(
                path, names_of_columns, name=name, first=first, period=period
            )
    size: Any = sample  # other text than "all" is refused with the other options
    if sample and sample.isdecimal():
        size = int(sample)
    if against:
        models = [*models, against]
    evaluations = evaluate_models(
        opening.models(*models),
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
        store=options.store(),
        batch_tokens=batch_tokens,
    )
    _print_scores(evaluations, "construction")
    if by and by != "construction":
        _print_scores(evaluations, by)
    _print_kinds(evaluations)
    for model, evaluation in evaluations.runs:
        print(f"{model}: {evaluation.scored}\n{evaluation.signature}\n")
        _note_weak_scores(evaluation)
    write_scores([evaluations.tidy()], out)
    if against is not None:
        _show_comparison(evaluations, out)
    if items:
        write_table(evaluations.item_table(), items)
    if each_verb:
        write_table(evaluations.verbs(), each_verb)


def _print_kinds(evaluations: "Evaluations") -> None:
    """How far verbs that are never and also nouns move with the subject's number, of all models."""
    from tse_core.agreement.movement import kind_table, least_moving
    from tse_core.metrics.definitions import OF_CELLS

    tables, lines = [], []
    for model, evaluation in evaluations.runs:
        table = kind_table(evaluation)
        if table is None:  # of subjects of one number
            continue
        data = evaluation.signature.data_name
        tables.append(table.assign(model=model, data=data))
        lines.append(f"{model} on {data}: {least_moving(evaluation)}")
    if not tables:
        return
    table = pd.concat(tables, ignore_index=True)
    keys = [name for name in ("model", "data") if table[name].nunique() > 1] + ["verbs"]
    print_table(table, [*keys, *OF_CELLS, "moving", "lemmas"], len(keys), moving="moving rightly")
    print("\n".join(["", *lines, ""]))
    note(
        "sensitivity: how far the subject's number moves a verb towards the form that agrees; "
        "bias: what it prefers whatever the subject is, above 0 the plural form; spread: over verbs"
    )


def _note_weak_scores(evaluation: "Evaluation") -> None:
    """Notes on pairs within numeric noise, and on contexts without a score."""
    uncertain = int(evaluation.pairs["within_noise"].sum())
    if uncertain:
        note(f"{uncertain:,} pairs are decided by a difference within numeric noise")
    undefined = int(evaluation.contexts["mw"].isna().sum())
    if undefined:
        note(f"MW leaves out {undefined:,} contexts, in which all forms have probability 0")


def _show_comparison(evaluations: "Evaluations", out: Path | None) -> None:
    """The first model against the last, metric by metric, printed and written beside a file."""
    first, second = evaluations.models[0], evaluations.models[-1]
    table = evaluations.compare_models(first, second)
    keys = ["construction", "metric"]
    if table["data"].nunique() > 1:
        keys = ["data", *keys]
    columns = [*keys, "difference", "p_value", "p_corrected"]
    print_table(table, columns, len(keys), **COMPARISON_HEADINGS)
    print()
    for side, model in (("first", first), ("second", second)):
        # A model has a signature for each data set.
        signatures = {}
        for name, evaluation in evaluations.runs:
            if name == model:
                signatures[evaluation.signature.data_name] = str(evaluation.signature)
        table[f"model_{side}"] = model
        table[f"signature_{side}"] = table["data"].map(signatures)
    write_differences(table, out)


def _print_scores(evaluations: "Evaluations", by: str) -> None:
    """The scores of all models in cells, with intervals, and the counts behind TSE."""
    from tse_core.agreement.factors import factor_names
    from tse_core.metrics.definitions import table_order
    from tse_core.uncertainty.subject_nouns import name_of_clusters

    tables = []
    for model, evaluation in evaluations.runs:
        scores = evaluation.table(by, intervals=True)
        tables.append(scores.assign(model=model, data=evaluation.signature.data_name))
    table = pd.concat(tables, ignore_index=True)
    factors = factor_names(by)
    # What is the same in every row is not shown.
    keys = [name for name in ("model", "data") if table[name].nunique() > 1] + factors
    metrics = [name for name in table_order() if name in table]
    counts = ["contexts", "pairs", "unscored", "verbs", "items", "TSE_items"]
    if by != "construction":
        counts = ["lemmas", *counts]
    print_table(table, [*keys, *metrics, *counts], len(keys), TSE_items="TSE of items")
    print()
    _, first_evaluation = evaluations.runs[0]
    # What the intervals sample is the same for all models.
    divides_verbs = not set(factors).isdisjoint(first_evaluation.lemmas)
    sampled = name_of_clusters(first_evaluation.contexts)
    if "cluster" in first_evaluation.signature.policy:
        sampled = first_evaluation.signature.policy["cluster"].replace("-", " ")
    if divides_verbs:
        sampled += " and verbs (all but MW and TSE)"
    note(f"95 % intervals over {sampled}; margin, sensitivity, spread and bias are in nats")
    if "sensitivity_low" in table:
        may_be_0 = (table["sensitivity_low"] <= 0) & (table["sensitivity_high"] >= 0)
        if may_be_0.any():
            note("relative_spread has no interval where the sensitivity may be 0")
    split = int(table["split_twins"].max()) if "split_twins" in table else 0
    if split:
        note(f"NS leaves out twins that are in different cells, up to {split:,} in a cell")
