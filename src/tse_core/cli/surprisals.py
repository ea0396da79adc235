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
@options.opens_a_model
def surprisals(
    model: options.ModelArgument,
    file: File,
    opening: options.Opening,
    unit: Annotated[
        Literal["token", "word"], typer.Option(help="Print a row for each token or word.")
    ] = "token",
    punctuation: Annotated[
        Literal["attached", "apart"] | None,
        typer.Option(help="Punctuation: part of a word (default), or a row of its own."),
    ] = None,
    word_end: Annotated[
        bool,
        typer.Option(
            "--word-end", help="Count a word's end with that word, not with the next one."
        ),
    ] = False,
) -> None:
    """Print the surprisal of every token or word in bits: sentence_id, token_id, token, surprisal.

    A causal model without a beginning-of-sequence token gives the first token
    0 bits. A masked model is scored by pseudo-log-likelihood: each token given
    all others. --word-end (causal models only) counts P(the word ends) with
    that word, as in Pimentel and Meister 2024 and Oh and Schuler 2024.

    \b
    echo "The author laughs." | tse surprisals lab-systematic-causal -
    tse surprisals gpt2 lines.txt --unit word --punctuation apart --word-end
    """
    sentences = _sentences(file)  # before the model, which takes longer
    (opened,) = opening.models(model)
    with progress(len(sentences), "surprisals", unit="sentences") as bar:

        def advance(share: float) -> None:
            bar.update(share * len(sentences))

        if unit == "word" or punctuation or word_end:
            choices = {"unit": unit, "punctuation": punctuation, "word_end": word_end}
            rows = _rows_of_words(opened, sentences, choices, advance)
        else:
            rows = _rows_of_tokens(opened, sentences, advance)
    print("sentence_id", f"{unit}_id", unit, "surprisal", sep="\t")
    for number, position, text, bits in rows:
        print(number, position, shown(text), f"{bits:.4f}", sep="\t")


def _rows_of_tokens(
    opened: Any, sentences: list[str], advance: "Advance"
) -> list[tuple[int, int, str, float]]:
    """Sentence, position (both from 1), token and bits, as the vocabulary writes it."""
    from tse_core.sentences.tokens import token_surprisals

    surprisals = token_surprisals(opened, sentences, advance=advance)
    if opened.kind in ("causal", "masked"):
        tokens = opened.tokenize(sentences)
    else:
        tokens = [of_sentence.tokens for of_sentence in surprisals]
    rows = []
    for number, (names, of_sentence) in enumerate(zip(tokens, surprisals, strict=True), 1):
        for position, (token, bits) in enumerate(zip(names, of_sentence.bits, strict=True), 1):
            rows.append((number, position, token, bits))
    return rows


def _rows_of_words(
    opened: Any, sentences: list[str], choices: dict[str, Any], advance: "Advance"
) -> list[tuple[int, int, str, float]]:
    """Sentence, position (both from 1), word and bits."""
    from tse_core.sentences.tokens import surprisals as surprisal_table

    table = surprisal_table(opened, sentences, advance=advance, **choices)
    numbers, positions = table["sentence"] + 1, table["position"] + 1
    return list(zip(numbers, positions, table["word"], table["surprisal"], strict=True))


@app.command()
@options.opens_a_model
def tokenize(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """Print the tokens of every sentence, separated by spaces."""
    sentences = _sentences(file)
    (opened,) = opening.models(model)
    for tokens in opened.tokenize(sentences):
        print(*map(shown, tokens))


@app.command()
@options.opens_a_model
def unkify(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """Print 1 for every token that the model does not know, and 0 for every other one."""
    sentences = _sentences(file)
    (opened,) = opening.models(model)
    for marks in opened.unkify(sentences):
        print(*map(int, marks))


def _sentences(file: str) -> list[str]:
    """The sentences of a file, or of standard input ("-"). Raises InputError for an empty line.

    White space at their ends is left out, with a warning.
    """
    if file == "-":
        name = "standard input"
        text = decoded(sys.stdin.buffer.read(), name)
    else:
        name = file
        text = read_text(file)
    count = len(lines_of(text.rstrip()))
    lines = lines_of(text)[:count]
    with_space = []
    for number, line in enumerate(lines, 1):
        sentence = line.strip()
        if not sentence:
            raise InputError(f"{name}: line {number} is empty; give one sentence in each line")
        if sentence != line:
            with_space.append(number)
    if with_space:
        rows = f"{len(with_space):,} of {count:,} lines, the first: {with_space[0]}"
        warn(f"{name}: white space at the ends of sentences is left out ({rows})")
    return [trimmed(line) for line in lines]
