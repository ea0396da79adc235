"""tse evaluate: TSE, EW and MW of a model."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tse_core.cli import options
from tse_core.cli.answers import question, warned
from tse_core.errors import InputError
from tse_core.paths import store_folder

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


def register(app: typer.Typer) -> None:
    app.command("evaluate", help=HELP)(evaluate)


def evaluate(
    context: typer.Context,
    model: options.ModelArgument,
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
            help="[b]exact[/b], or [b]released[/b]: as the authors' code does, to compare with published values."
        ),
    ] = "exact",
    forms: Annotated[
        str,
        typer.Option(
            help="What of a verb counts: [b]single[/b] entries of the vocabulary; whole [b]words[/b] of any number of "
            "tokens, with the word's end; [b]words-no-end[/b], without it."
        ),
    ] = "single",
    sample: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Contexts of each construction, drawn by number; all, but 24 for whole words on a processor.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.", min=0)] = 0,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="A second table in cells: factors of the pairs (construction, number, attractor, adverb) and columns "
            "of the verb list (noun, band, tokens), with commas between them. NS is number sensitivity.",
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="A second model: both over the lemmas that they share, compared by noun.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table and the cut-off curves: .parquet or .csv.")] = None,
    intervals: Annotated[bool, typer.Option(help="95 % intervals, clustered by subject noun.")] = True,
    kind: options.Kind = None,
    device: options.Device = "auto",
    dtype: options.Dtype = "float32",
    revision: options.Revision = None,
    bos: options.Bos = "default",
    chat: options.Chat = None,
    trust: options.Trust = False,
    batch_tokens: Annotated[int | None, typer.Option(help="Tokens in one forward pass at most.", min=1)] = None,
    store: options.StoreFolder = None,
    no_store: options.NoStore = False,
) -> None:
    if out and out.suffix not in (".parquet", ".csv"):
        raise InputError(f"--out {out}: results are written as .parquet or .csv")
    if out and not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}")
    names = [model, against] if against else [model]
    asked = None if out or no_store else question("evaluate", context.params, names, store or store_folder())
    if asked and (answer := asked.answer()):
        _print(*answer)
        return
    drawn: dict[str, Any] = {"forms": forms, "sample": _size(sample), "seed": seed}
    import pandas as pd

    from tse_core.agreement.evaluation import evaluate as run
    from tse_core.datasets.coerce import as_lemmas
    from tse_core.datasets.names import load_pairs
    from tse_core.results.tidy import write_results

    with warned() as of_data:
        tables = [load_pairs(name, options.columns_of(column)) for name in data or ["marvin-linzen"]]
    lists = [as_lemmas(lemmas, protocol, pairs.attrs["name"]) for pairs in tables]
    choices = (kind, device, dtype, revision, bos, trust, chat)
    models = [options.opened(name, *choices) for name in names]
    if against:
        from tse_core.agreement.comparison import compare_evaluations, shared_lemmas

        lists = [shared_lemmas(models, verbs, drawn["forms"]) for verbs in lists]
    drawn["keep"] = "forms" if by else "contexts"
    how = {"protocol": protocol, **drawn, "store": options.store_of(store, no_store), "batch_tokens": batch_tokens}
    with warned() as of_run:
        results = [[run(loaded, *of, **how) for of in zip(tables, lists, strict=True)] for loaded in models]
    runs = [result for of_model in results for result in of_model]
    lines, notes = [], []
    for result in runs:
        tables = [_shown(result.table(name, intervals=intervals), name) for name in ("construction", by) if name]
        lines.append("\n\n".join([*tables, f"{result.scored}\n{result.signature}\n"]))
        if uncertain := int(result.pairs["within_noise"].sum()):
            notes.append(f"note: {uncertain:,} pairs are decided by less than numeric noise")
    if against:
        lines += [_compared(compare_evaluations(*both)) for both in zip(*results, strict=True)]
    _print("\n".join(lines), "\n".join(notes))
    if asked and not (of_data or of_run):
        asked.keep("\n".join(lines), "\n".join(notes), [result.signature.key for result in runs])
    if out:
        write_results(pd.concat([result.tidy() for result in runs], ignore_index=True), out)
        typer.echo(f"written: {out}")


def _print(text: str, notes: str) -> None:
    typer.echo(text)
    if notes:
        typer.echo(notes, err=True)


def _size(sample: str | None) -> int | str | None:
    """How many contexts of each construction, from what --sample says."""
    if sample in (None, "all"):
        return sample
    if not sample.isdecimal() or not int(sample):
        raise InputError(f"--sample {sample}: it must be a number from 1 on, or all")
    return int(sample)


def _compared(table) -> str:
    width = max(map(len, table["construction"]))
    lines = [f"{'first - second':{width}}  metric  difference               p"]
    for row in table.itertuples():
        bounds = f"{row.difference:+.3f} [{row.low:+.3f}, {row.high:+.3f}]"
        lines.append(f"{row.construction:{width}}  {row.metric:6}  {bounds}  {row.p_value:.2g}")
    return "\n".join(lines) + "\n"


def _shown(table, by: str) -> str:
    """The table's scores with their intervals, and what TSE asked."""
    from tse_core.agreement.cells import TABLE_ORDER

    names = by.split(",")
    counted = ["contexts", "pairs", "unscored", "verbs", "decisions"]
    counted = counted if by == "construction" else ["lemmas", *counted]
    header = ["" if names == ["construction"] else name for name in names]
    metrics = [name for name in TABLE_ORDER if name in table]
    rows = [[*header, *metrics, *counted, "TSE of decisions"]]
    for row in table.to_dict("records"):
        labels = [{True: "yes", False: "no"}.get(row[name], str(row[name])) for name in names]
        scores = [_score(row, name) for name in metrics]
        counts = [f"{row[name]:,}" for name in counted]
        rows.append([*labels, *scores, *counts, _score(row, "TSE_decisions")])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = len(names) + len(metrics)
    return "\n".join(
        "  ".join(
            f"{text:{'<' if i < left else '>'}{width}}" for i, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _score(row: dict, name: str) -> str:
    if row[name] != row[name]:
        return "-"
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return f"{row[name]:.3f}" + (f" [{low:.3f}, {high:.3f}]" if low is not None and low == low else "")
