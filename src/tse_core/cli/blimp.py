"""tse blimp: which sentence of each minimal pair a model prefers."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_note, print_table, print_written, score, write_scores
from tse_core.errors import InputError, check_known
from tse_core.files import write_output
from tse_core.spreadsheets import csv_text

HELP = """Accuracy of a model on BLiMP's minimal pairs, by phenomenon, with intervals.

All 67 paradigms by default; they are downloaded with [b]tse data fetch blimp[/b]. Finished paradigms are kept: a run
that was interrupted resumes where it stopped.

[b]Methods[/b]: full-sentence (default), one-prefix and two-prefix for causal models; pll (default) and pll-l2r for
masked ones.

[b]Examples[/b]

  tse blimp gpt2 --out gpt2-blimp.parquet

  tse blimp lab-systematic-causal --data laboratory

  tse blimp bert-base-cased --paradigm wh_island --paradigm adjunct_island --method pll-l2r

  tse blimp gpt2 --against gpt2-medium --by paradigm

  tse blimp http://127.0.0.1:8000/v1 --model my-large-model --bos '<|endoftext|>'
"""


@app.command(help=HELP)
@options.opens_a_model
@options.keeps_work
def blimp(
    model: options.ModelArgument,
    opening: options.Opening,
    store,
    data: Annotated[
        str, typer.Option(help="Sentence pairs: blimp, laboratory, a .jsonl, .csv or .tsv file.")
    ] = "blimp",
    column: options.Columns = None,
    paradigm: Annotated[list[str] | None, typer.Option(help="Only this paradigm; may be repeated.")] = None,
    method: Annotated[str | None, typer.Option(help="full-sentence, one-prefix, two-prefix, pll, pll-l2r.")] = None,
    by: Annotated[str, typer.Option(help="Rows shown: phenomenon or paradigm.")] = "phenomenon",
    against: Annotated[str | None, typer.Option(help="A second model, compared pair by pair (McNemar).")] = None,
    ties: Annotated[str, typer.Option(help="Two equal scores count as wrong or half.")] = "wrong",
    first: Annotated[str, typer.Option(help="First letter: as-is, capital, lower.")] = "as-is",
    unknown: Annotated[
        str, typer.Option(help="Pairs with an unknown critical word: flag (scored, counted) or refuse (not judged).")
    ] = "flag",
    out: Annotated[Path | None, options.results_option("the scores of every pair")] = None,
    table: Annotated[Path | None, options.results_option("the accuracies as a results file")] = None,
) -> None:
    from tse_core.blimp.scores import evaluate_blimp
    from tse_core.sentences.preferences import check_policies
    from tse_core.sentences.tokens import check_method, default_method

    check_policies(first=first, ties=ties, unknown_words=unknown)
    check_known("grouping", by, ("phenomenon", "paradigm"))
    pairs = _chosen(data, paradigm, options.columns_of(column))
    opened = opening.models(model, against)
    for loaded in opened:
        check_method(loaded, default_method(loaded) if method is None else method)
    runs = []
    for loaded in opened:
        policies = {"method": method, "first": first, "ties": ties, "unknown_words": unknown}
        runs.append(evaluate_blimp(loaded, pairs, **policies, store=store))
        if out:
            _write(runs, out)
        _show(runs[-1], by)
    if against:
        _show_comparison(runs, by)
    _show_defects(pairs)
    write_scores(runs, table)
    print_written(out, table)


def _chosen(data: str, paradigms: list[str] | None, columns: dict[str, str] | None):
    import pandas as pd

    from tse_core.datasets.names import FILES, load_sentence_pairs

    if not paradigms:
        return load_sentence_pairs(data, columns)
    if not all(name.strip() for name in paradigms):
        raise InputError("--paradigm is empty; it names a paradigm, and without it all are scored")
    if data.endswith(FILES):
        pairs = load_sentence_pairs(data, columns)
        known = set(pairs["paradigm"])
        for name in paradigms:
            check_known(f"paradigm of {data}", name, known)
        chosen = pairs[pairs["paradigm"].isin(paradigms)]
    else:
        chosen = pd.concat([load_sentence_pairs(f"{data}/{name}") for name in paradigms], ignore_index=True)
    chosen.attrs["name"] = f"{Path(data).stem}/{'+'.join(paradigms)}"
    return chosen


def _show(run, by: str) -> None:
    shown, overall = run.accuracy(by), run.accuracy("all")
    names = [*shown[by].fillna("-"), "all pairs"]
    rows = [
        [name, score(row["accuracy"], row["low"], row["high"]) if row["judged"] else "not judged"]
        + [f"{row[count]:,d}" for count in ("pairs", "ties", "unknown")]
        for name, row in zip(names, [*shown.to_dict("records"), *overall.to_dict("records")], strict=True)
    ]
    print_table([by, "accuracy", "pairs", "ties", "unknown"], rows)
    print(f"\n{run.signature}\n")
    if unknown := overall["unknown"].iloc[0]:
        share = unknown / overall["pairs"].iloc[0]
        print_note(f"note: {unknown:,} pairs ({share:.0%}) have a critical word that the model does not know")
    if lost := int(run.pairs["unscored_difference"].sum()):
        pairs = "pair differs in its" if lost == 1 else "pairs differ in their"
        print_note(f"note: {lost:,} {pairs} first token, which is not scored without a BOS token; --bos adds one")


def _show_comparison(runs, by: str) -> None:
    import pandas as pd

    from tse_core.blimp.tables import compare
    from tse_core.results.comparing import differences

    for difference in differences(runs[0].signature, runs[1].signature):
        print_note(f"note: the runs differ in {difference}")
    table = pd.concat([compare(runs[0].pairs, runs[1].pairs, group) for group in (by, "all")])
    names = table[by].fillna("all pairs") if by in table else ["all pairs"] * len(table)
    rows = [
        [name, score(row["difference"], row["low"], row["high"], sign="+")]
        + [f"{row['only_first']:,d}", f"{row['only_second']:,d}", f"{row['p_value']:.2g}"]
        for name, row in zip(names, table.to_dict("records"), strict=True)
    ]
    print_table([by, "first - second", "only first", "only second", "p"], rows)
    print()


def _show_defects(pairs) -> None:
    from tse_core.blimp.defects import pair_defects

    for defect, group in pair_defects(pairs).groupby("defect", sort=False):
        where = group["paradigm"].iloc[0] if len(group) == 1 else f"{len(group)} paradigms"
        print_note(f"data: {group['pairs'].sum():,} pairs in {where}: {defect} ({group['consequence'].iloc[0]})")


def _write(runs, out: Path) -> None:
    import pandas as pd

    tables = [run.pairs.assign(model=run.signature.identity["model"], signature=str(run.signature)) for run in runs]
    table = pd.concat(tables, ignore_index=True)
    write_output(out, table.to_parquet(index=False) if out.suffix == ".parquet" else csv_text(table))
