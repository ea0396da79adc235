"""``tse surprisals``, ``tse tokenize``, ``tse unkify``: what a model reads, line by line."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.errors import InputError, shown, warn
from tse_core.files import decoded, lines_of, read_text
from tse_core.progress import progress
from tse_core.words import trimmed

if TYPE_CHECKING:  # imports torch
    from tse_core.sentences.tokens import Advance

File = Annotated[
    str, typer.Argument(metavar="FILE", help="Text, one sentence per line; - for standard input.")
]


@app.command()
@options.opens_a_model()
def surprisals(
    model: options.ModelArgument,
    file: File,
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
) -> None:
    """The surprisal in bits of every token or word.

    A causal model without a beginning-of-sequence token gives the first token
    0 bits. A masked model is scored by pseudo-log-likelihood: each token given
    all others. --word-end (causal models only) counts P(the word ends) with
    that word, as in Pimentel and Meister 2024 and Oh and Schuler 2024.

    A sentence's id is the number of its line. Empty lines are skipped; so are
    lines too long for the model, with exit code 1.

    \b
    echo "The author laughs." | tse surprisals lab-systematic-causal -
    tse surprisals gpt2 lines.txt --unit word --punctuation apart --word-end
    """
    lines = _sentences(file)  # before the model, which takes longer
    (opened,) = opening.models(model)
    too_long = _too_long(opened, lines, word_end)
    for number, reason in too_long.items():
        del lines[number]
        if not lines:
            raise InputError(reason)
        warn(reason)
    sentences = list(lines.values())
    with progress(len(sentences), "surprisals", unit="sentences") as bar:

        def advance(share: float) -> None:
            bar.update(share * len(sentences))

        if unit == "word" or punctuation or word_end:
            choices = {"unit": unit, "punctuation": punctuation, "word_end": word_end}
            rows = _rows_of_words(opened, lines, choices, advance)
        else:
            rows = _rows_of_tokens(opened, lines, advance)
    print("sentence_id", f"{unit}_id", unit, "surprisal", sep="\t")
    for number, position, text, bits in rows:
        print(number, position, shown(text), f"{bits:.4f}", sep="\t")
    if too_long:
        raise typer.Exit(1)


def _rows_of_tokens(
    opened: Any, lines: dict[int, str], advance: "Advance"
) -> list[tuple[int, int, str, float]]:
    """Number of the line, position (from 1), token as the vocabulary writes it, and bits."""
    from tse_core.sentences.tokens import token_surprisals

    sentences = list(lines.values())
    surprisals = token_surprisals(opened, sentences, advance=advance)
    if opened.kind in ("causal", "masked"):
        tokens = opened.tokenize(sentences)
    else:
        tokens = [of_sentence.tokens for of_sentence in surprisals]
    rows = []
    for number, names, of_sentence in zip(lines, tokens, surprisals, strict=True):
        for position, (token, bits) in enumerate(zip(names, of_sentence.bits, strict=True), 1):
            rows.append((number, position, token, bits))
    return rows


def _rows_of_words(
    opened: Any, lines: dict[int, str], choices: dict[str, Any], advance: "Advance"
) -> list[tuple[int, int, str, float]]:
    """Number of the line, position (from 1), word and bits."""
    from tse_core.sentences.tokens import surprisals as surprisal_table

    table = surprisal_table(opened, list(lines.values()), advance=advance, **choices)
    numbers_of_lines = list(lines)
    rows = []
    for word in table.itertuples():
        line = numbers_of_lines[word.sentence]
        rows.append((line, word.position + 1, word.word, word.surprisal))
    return rows


def _too_long(opened: Any, lines: dict[int, str], word_end: bool) -> dict[int, str]:
    """The reason why each line with too many tokens for a model is not read, by its number."""
    if opened.kind not in ("causal", "masked") or not opened.network.max_length:
        return {}
    limit = opened.network.max_length
    # A causal model only predicts the last token, and reads it for the end of the last word alone.
    spare = 1 if opened.kind == "causal" and not word_end else 0
    reasons = {}
    encodings = opened.encode_batch(list(lines.values()))
    for number, encoding in zip(lines, encodings, strict=True):
        count = len(encoding.ids)
        if count > limit + spare:
            reasons[number] = (
                f"line {number} has {count:,} tokens, and {opened.name} reads {limit:,} at most: "
                "it is left out; make it shorter"
            )
    return reasons


@app.command()
@options.opens_a_model(*options.OF_TOKENS)
def tokenize(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """The tokens of sentences, separated by spaces."""
    lines = _sentences(file)
    (opened,) = opening.models(model)
    tokens_of = dict(zip(lines, opened.tokenize(list(lines.values())), strict=True))
    for number in range(1, max(lines) + 1):
        print(*map(shown, tokens_of.get(number, [])))


@app.command()
@options.opens_a_model(*options.OF_TOKENS)
def unkify(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """For each token 1 if the model does not know it, else 0."""
    lines = _sentences(file)
    (opened,) = opening.models(model)
    marks_of = dict(zip(lines, opened.unkify(list(lines.values())), strict=True))
    for number in range(1, max(lines) + 1):
        print(*map(int, marks_of.get(number, [])))


def _sentences(file: str) -> dict[int, str]:
    """The sentences of a file, or of standard input ("-"), by the numbers of their lines.

    Empty lines are skipped, and white space at the ends of sentences is left out, each with a
    warning. Raises InputError where there is no sentence.
    """
    if file == "-":
        name = "standard input"
        text = decoded(sys.stdin.buffer.read(), name)
    else:
        name = file
        text = read_text(file)
    sentences = {}
    empty, with_space = [], []
    lines = lines_of(text.rstrip())
    for number, line in enumerate(lines_of(text)[: len(lines)], 1):
        if not line.strip():
            empty.append(number)
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
    return sentences
