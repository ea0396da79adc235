"""``tse surprisals``, ``tse tokenize``, ``tse unkify``: what a model reads, line by line."""

import sys
from bisect import bisect
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
import typer

from tse_core.cli import options, printing
from tse_core.cli.commands import app
from tse_core.datasets.formats import is_file_name, read_file
from tse_core.errors import InputError, check_known, shown, warn
from tse_core.files import decoded, lines_of, read_text
from tse_core.progress import progress
from tse_core.text import texts_of
from tse_core.words import trimmed

ARTICLE = "!ARTICLE"  # a line of .sentitems files: an article begins, which goes on over lines

File = Annotated[
    str, typer.Argument(metavar="FILE", help="Text, one sentence per line; - for standard input.")
]


@app.command()
@options.opens_a_model()
def surprisals(
    model: options.ModelArgument,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Text, one sentence per line; - for standard input; or a table, with --columns.",
        ),
    ],
    opening: options.Opening,
    unit: Annotated[
        Literal["token", "word"],
        typer.Option(metavar="UNIT", help="A row for each token, or word."),
    ] = "token",
    punctuation: Annotated[
        Literal["attached", "apart"] | None,
        typer.Option(
            metavar="HOW", help="attached to its word, the default, or apart, a row of its own."
        ),
    ] = None,
    word_end: Annotated[
        bool,
        typer.Option("--word-end", help="Count a word's end with that word, not with the next."),
    ] = False,
    method: Annotated[
        Literal["full-sentence", "pll", "pll-l2r", "left-context"] | None,
        typer.Option(
            metavar="NAME",
            help="Of masked models: pll, the default, pll-l2r or left-context (what stands before "
            "a token, and masks).",
        ),
    ] = None,
    profile: options.Profile = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="sentence=NAME,item=NAME,context=NAME",
            help="The columns of a table with the sentences, with what each is called, and with a "
            "text that is read before each and not scored.",
        ),
    ] = None,
    stride: Annotated[
        int | None,
        typer.Option(
            metavar="TOKENS",
            help="Read a text longer than the model in windows, each so many tokens further.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all columns to a .csv or .parquet file."),
    ] = None,
) -> None:
    """The surprisal in bits of every token or word.

    A causal model without a beginning-of-sequence token gives the first token
    0 bits, and its word none. A masked model is scored by pseudo-log-likelihood:
    each token given all others. --word-end (causal models only) counts P(the
    word ends) with that word, as in Pimentel and Meister 2024 and Oh and
    Schuler 2024.

    The BabyLM challenge's measure of reading is that of the last word of each
    text with --profile babylm --unit word, of a masked model with --method
    left-context, in nats: bits times 0.6931.

    A sentence's id is the number of its line. Lines !ARTICLE begin an article:
    each line is read behind those before it. Empty lines are skipped, and so
    are sentences whose words cannot be told apart; lines too long for the model
    are, too, with exit code 1, unless --stride reads them in windows. Cells with
    quotation marks are enclosed in them. The signature goes to standard error.

    \b
    echo "The author laughs." | tse surprisals lab-systematic-causal -
    tse surprisals gpt2 lines.txt --unit word --punctuation apart --word-end
    tse surprisals gpt2 items.csv --columns sentence=text --out bits.parquet
    """
    from tse_core.sentences.tokens import surprisals as surprisal_table
    from tse_core.sentences.tokens import with_contexts

    lines, items, contexts = _lines_of(file, columns)  # before the model, which takes longer
    if profile:
        opening = options.of_babylm(opening, model)
    (opened,) = opening.models(model)
    too_long = {}
    if stride is None:
        texts, _ = with_contexts(list(lines.values()), list(contexts.values()) or None)
        too_long = _too_long(opened, dict(zip(lines, texts, strict=True)), word_end, method)
    for number, reason in too_long.items():
        del lines[number]
        contexts.pop(number, None)
        if not lines:
            raise InputError(reason)
        warn(reason)
    sentences = pd.Series(lines)
    with progress(len(sentences), "surprisals", unit="sentences") as bar:
        table = surprisal_table(
            opened,
            sentences,
            unit=unit,
            punctuation=punctuation,
            word_end=word_end,
            method=method,
            contexts=list(contexts.values()) or None,
            stride=stride,
            advance=lambda share: bar.update(share * len(sentences)),
        )
    if "token" in table and opened.kind in ("causal", "masked"):
        table["token"] = _tokens_as_written(opened, table, lines, contexts)
    if items:
        table.insert(1, "item", table["sentence"].map(items))
    if out:
        printing.write_table(table, out)
    else:
        _print_surprisals(table)
    print(table.attrs["signature"], file=sys.stderr)
    if too_long:
        raise typer.Exit(1)


def _tokens_as_written(
    opened: Any, table: pd.DataFrame, lines: dict[int, str], contexts: dict[int, str]
) -> list[str]:
    """The tokens of a table of surprisals as the vocabulary writes them."""
    from tse_core.sentences.tokens import with_contexts

    texts, _ = with_contexts(list(lines.values()), list(contexts.values()) or None)
    counts = table["sentence"].value_counts()
    tokens = []
    for number, of_text in zip(lines, opened.tokenize(texts), strict=True):
        tokens += of_text[len(of_text) - counts[number] :]  # those of a context have no rows
    return tokens


def _print_surprisals(table: pd.DataFrame) -> None:
    """Print a row for each token or word, with tabs between cells, as a .tsv file holds them."""
    unit = "word" if "word" in table else "token"
    printed = {"sentence_id": table["sentence"]}
    if "item" in table:
        printed["item"] = table["item"].map(shown)
    printed[f"{unit}_id"] = table["position"] + 1
    printed[unit] = table[unit].map(shown)
    printed["surprisal"] = table["surprisal"].map("{:.4f}".format).replace("nan", "")
    print(pd.DataFrame(printed).to_csv(sep="\t", index=False, lineterminator="\n"), end="")


def _lines_of(
    file: str, columns: list[str] | None
) -> tuple[dict[int, str], dict[int, str], dict[int, str]]:
    """The sentences of a file by the numbers of their lines, their items' names, their contexts.

    Raises InputError: a table without the name of its column of sentences; no sentence.
    """
    names = options.columns_of(columns)
    if not names and file != "-" and is_file_name(file) and not file.lower().endswith(".txt"):
        raise InputError(
            f"{file}: is a table and no text; --columns sentence=NAME says which of its columns "
            "holds the sentences (item=NAME, which names them; context=NAME, what precedes them)"
        )
    # A text has no columns: a line of it is a sentence.
    if not names:
        return _sentences_after_articles(file)
    for use in names:
        check_known("use of a column", use, ("sentence", "item", "context"))
    if "sentence" not in names:
        raise InputError("--columns sentence=NAME says which column holds the sentences")
    raw, _ = read_file(file)
    for name in names.values():
        check_known(f"column of {file}", name, raw.cells.columns)
    sentences = {}
    column = raw.cells[names["sentence"]].astype(object)
    texts = texts_of(column, raw.lines, f"the column {names['sentence']!r}")
    for number, line, text in zip(raw.cells.index, raw.lines, texts, strict=True):
        if not text.strip():
            raise InputError(f"{line}: {names['sentence']} is empty")
        sentences[number] = trimmed(text)
    # A column that is not named says nothing of any line.
    others = []
    for use in ("item", "context"):
        texts = []
        if use in names:
            column = raw.cells[names[use]].astype(object)
            what = f"the column {names[use]!r}"
            texts = texts_of(column, raw.lines, what, numbers=use == "item")
        others.append(dict(zip(sentences, texts, strict=False)))
    items, contexts = others
    return sentences, items, contexts


def _sentences_after_articles(
    file: str,
) -> tuple[dict[int, str], dict[int, str], dict[int, str]]:
    """The sentences of a text, no items, and what stands before each in its article, if it has any.

    An article reaches from one mark to the next; sentences before the first mark are in none.
    """
    sentences, marks = _sentences(file)
    if not marks:
        return sentences, {}, {}
    contexts = {}
    lines_before: dict[int, list[str]] = {}  # of each article, by its number
    for number, sentence in sentences.items():
        article = bisect(marks, number)
        lines = lines_before.setdefault(article, [])
        contexts[number] = " ".join(lines)
        if article > 0:
            lines.append(sentence)
    name = "standard input" if file == "-" else file
    warn(
        f"{name}: {len(marks):,} lines {ARTICLE} mark where an article begins; each line is read "
        "behind the lines of its article before it"
    )
    return sentences, {}, contexts


def _too_long(
    opened: Any, lines: dict[int, str], word_end: bool, method: str | None
) -> dict[int, str]:
    """The reason why each line with too many tokens for a model is not read, by its number."""
    if opened.kind not in ("causal", "masked") or not opened.network.max_length:
        return {}
    limit = opened.network.max_length
    # A causal model only predicts the last token, and reads it for the end of the last word alone.
    spare = 1 if opened.kind == "causal" and not word_end else 0
    if method == "left-context":
        spare = -2  # of three masks, one stands in a token's place
    reasons = {}
    encodings = opened.encode_batch(list(lines.values()))
    for number, encoding in zip(lines, encodings, strict=True):
        count = len(encoding.ids)
        if count > limit + spare:
            reasons[number] = (
                f"line {number} has {count:,} tokens, and {opened.name} reads {limit:,} at most: "
                "it is left out; make it shorter, or give --stride"
            )
    return reasons


@app.command()
@options.opens_a_model(*options.OF_TOKENS)
def tokenize(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """The tokens of sentences, separated by spaces."""
    lines, _ = _sentences(file)
    (opened,) = opening.models(model)
    tokens_of = dict(zip(lines, opened.tokenize(list(lines.values())), strict=True))
    for number in range(1, max(lines) + 1):
        print(*map(shown, tokens_of.get(number, [])))


@app.command()
@options.opens_a_model(*options.OF_TOKENS)
def unkify(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """For each token 1 if the model does not know it, else 0."""
    lines, _ = _sentences(file)
    (opened,) = opening.models(model)
    marks_of = dict(zip(lines, opened.unkify(list(lines.values())), strict=True))
    for number in range(1, max(lines) + 1):
        print(*map(int, marks_of.get(number, [])))


def _sentences(file: str) -> tuple[dict[int, str], list[int]]:
    """The sentences of a file, or of standard input ("-"), by the numbers of their lines.

    Beside them the numbers of lines that say `ARTICLE`. Empty lines are skipped, and white space at
    the ends of sentences is left out, each with a warning. Raises InputError where there is no
    sentence.
    """
    if file == "-":
        name = "standard input"
        text = decoded(sys.stdin.buffer.read(), name)
    else:
        name = file
        text = read_text(file)
    sentences = {}
    empty, with_space, marks = [], [], []
    # Empty lines at the end of a file are none of its lines.
    lines = lines_of(text.rstrip())
    for number, line in enumerate(lines_of(text)[: len(lines)], 1):
        if not line.strip():
            empty.append(number)
            continue
        if line.strip() == ARTICLE:
            marks.append(number)
            continue
        sentences[number] = trimmed(line)
        if line.strip() != line:
            with_space.append(number)
    if not sentences:
        raise InputError(f"{name}: line 1 is empty; give one sentence in each line")
    if empty:
        numbers = ", ".join(map(str, empty[:10]))
        if len(empty) > 10:
            numbers += f", ... ({len(empty):,} in all)"
        warn(f"{name}: empty lines are skipped: {numbers}")
    if with_space:
        rows = f"{len(with_space):,} of {len(lines):,} lines, the first: {with_space[0]}"
        warn(f"{name}: white space at the ends of sentences is left out ({rows})")
    return sentences, marks
