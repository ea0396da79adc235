"""tse evaluate: TSE, EW and MW of a model."""

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_note, print_table, print_written, score, write_scores
from tse_core.errors import InputError, LittleCountedWarning, UnknownWordsWarning

HELP = """TSE, EW and MW of a model on agreement pairs: the rows of the paper's Table 2.

Each unique context is scored over a whole list of verb lemmas (EW: the share it conjugates correctly, MW: the share of
probability on correct forms), each pair with its own verb (TSE).

[b]Examples[/b]

  tse evaluate lab-systematic-causal

  tse evaluate gpt2 --data marvin-linzen/simple --data newman-blimp --out gpt2.parquet

  tse evaluate path/to/model --lemmas verbs.csv --protocol released

  tse evaluate gpt2 --against bert-base-cased

  tse evaluate smollm2-135m-instruct --data marvin-linzen/simple --forms words

  tse evaluate smollm2-135m-instruct --data marvin-linzen-adverbs --by noun,adverb,attractor
"""


@app.command(help=HELP)
@options.opens_a_model
@options.keeps_work
def evaluate(
    model: options.ModelArgument,
    opening: options.Opening,
    store,
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="Agreement pairs by name or file (.jsonl, .csv, .tsv); may be repeated. marvin-linzen by default."
        ),
    ] = None,
    column: options.Columns = None,
    lemmas: Annotated[
        str | None,
        typer.Option(
            help="Verb list by name or .csv file; newman-clean, newman-appendix under protocol released; for CLAMS "
            "that of its language."
        ),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            help="[b]exact[/b], or [b]released[/b]: like the authors' code, to compare with published values."
        ),
    ] = "exact",
    forms: Annotated[
        str,
        typer.Option(
            help="Which verbs count. [b]single[/b]: those whose forms are single tokens. [b]single-end[/b]: the same, "
            "times the probability that the word ends. [b]words[/b]: verbs of any number of tokens, with the word's "
            "end. [b]words-no-end[/b]: the same without it."
        ),
    ] = "single",
    cut: Annotated[
        str,
        typer.Option(
            help="With whole words, what a cut-off is a share of. [b]list[/b]: the probability of all forms of the "
            "list. [b]all-words[/b]: that of all words, as in the paper (causal models, top 10 to 70 %, seconds per "
            "context)."
        ),
    ] = "list",
    sample: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="How many contexts of each construction to score, stratified by number: all by default, but 24 on a "
            "CPU where --forms is not single.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.", min=0)] = 0,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="A second table in cells: factors of the pairs (construction, number, attractor, adverb) and columns "
            "of the verb list (noun, band, tokens), with commas between them. NS is number sensitivity.",
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="A second model, compared by noun over the lemmas that both have.")
    ] = None,
    out: Annotated[Path | None, options.results_option("the table and the cut-off curves")] = None,
    intervals: Annotated[bool, typer.Option(help="95 % intervals, clustered by subject noun.")] = True,
    batch_tokens: Annotated[int | None, typer.Option(help="Most tokens in one forward pass.", min=1)] = None,
) -> None:
    from tse_core.agreement.divisions import divisions
    from tse_core.agreement.evaluate import evaluated
    from tse_core.agreement.prepare import prepare
    from tse_core.datasets.coerce import as_lemmas
    from tse_core.datasets.names import load_pairs
    from tse_core.metrics.table import PAPER_CUTOFFS, Cutoffs

    for category in (LittleCountedWarning, UnknownWordsWarning):  # the line `scored` of each run says both
        warnings.simplefilter("ignore", category)
    of_all_words = Cutoffs(tuple(p for p in PAPER_CUTOFFS.top if p <= 0.7 or p == 1), bottom=())
    how: dict[str, Any] = {
        "cutoffs": of_all_words if cut == "all-words" else PAPER_CUTOFFS,
        "protocol": protocol,
        "keep": "contexts" if by is None else "forms",
        "forms": forms,
        "sample": _size(sample),
        "seed": seed,
        "cut": cut,
    }
    tables = [load_pairs(name, options.columns_of(column)) for name in data or ["marvin-linzen"]]
    lists = [as_lemmas(lemmas, protocol, pairs.attrs["name"]) for pairs in tables]
    models = opening.models(model, against)
    if against:
        from tse_core.agreement.comparison import shared_lemmas

        lists = [shared_lemmas(models, verbs, how["forms"]) for verbs in lists]
    jobs = [[prepare(loaded, *of, **how) for of in zip(tables, lists, strict=True)] for loaded in models]
    asked = ["construction"] if by is None else ["construction", by]
    for job in (job for of_model in jobs for job in of_model):
        for name in asked:
            divisions(name, job.contexts, job.lemmas)  # reports every mistake before the first model is run
    results = [[evaluated(job, store, batch_tokens) for job in of_model] for of_model in jobs]
    runs = [result for of_model in results for result in of_model]
    for result in runs:
        for name in asked:
            _show_scores(result, name, intervals)
        print(f"{result.scored}\n{result.signature}\n")
        if uncertain := int(result.pairs["within_noise"].sum()):
            print_note(f"note: {uncertain:,} pairs are decided by less than numeric noise")
        if cut != "all-words" and (undefined := int(result.contexts["mw"].isna().sum())):
            print_note(f"note: MW leaves out {undefined:,} contexts, in which all forms together have probability 0")
    for both in zip(*results, strict=True) if against else ():
        _show_comparison(*both)
    write_scores(runs, out)
    print_written(out)


def _size(sample: str | None) -> int | str | None:
    """How many contexts of each construction, from what --sample says."""
    if sample in (None, "all"):
        return sample
    if not sample.isdecimal() or not int(sample):
        raise InputError(f"--sample {sample}: it must be a number from 1 on, or all")
    return int(sample)


def _show_scores(found, by: str, intervals: bool) -> None:
    """The scores of an evaluation in cells, with intervals, and the counts behind TSE."""
    from tse_core.agreement.cells import TABLE_ORDER
    from tse_core.agreement.divisions import divisions, factor_names

    table, factors = found.table(by, intervals=intervals), factor_names(by)
    meant, of_verbs = divisions(by, found.contexts, found.lemmas)
    counted = ["contexts", "pairs", "unscored", "verbs", "decisions"]
    counted = counted if by == "construction" else ["lemmas", *counted]
    metrics = [name for name in TABLE_ORDER if name in table]
    rows = []
    for row in table.to_dict("records"):
        labels = [("no", "yes")[row[name]] if isinstance(row[name], bool) else row[name] for name in factors]
        scores = [score(row[m], row.get(f"{m}_low"), row.get(f"{m}_high")) for m in (*metrics, "TSE_decisions")]
        rows.append([*labels, *scores[:-1], *(f"{row[name]:,}" for name in counted), scores[-1]])
    print_table([*(meant.get(name, name) for name in factors), *metrics, *counted, "TSE of decisions"], rows)
    print()
    if intervals:
        over = "subject nouns and verbs (EW and NS)" if of_verbs else "subject nouns"
        print_note(f"note: 95 % intervals over {over}")
    if split := int(table["split_twins"].max() if "split_twins" in table else 0):
        print_note(f"note: NS leaves out twins whose two contexts are in different cells, up to {split:,} in a cell")


def _show_comparison(first, second) -> None:
    from tse_core.agreement.comparison import compare_evaluations

    rows = [
        [row.construction, row.metric, score(row.difference, row.low, row.high, sign="+"), f"{row.p_value:.2g}"]
        for row in compare_evaluations(first, second).itertuples()
    ]
    print_table(["construction", "metric", "first - second", "p"], rows)
    print()
