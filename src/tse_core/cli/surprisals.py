"""``tse surprisals``, ``tse tokenize``, ``tse unkify``: what a model reads, line by line."""

import sys
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.errors import InputError, shown, warn
from tse_core.files import decoded, lines_of, read_text
from tse_core.progress import progress
from tse_core.words import trimmed

File = Annotated[
    str, typer.Argument(metavar="FILE", help="Text, one sentence per line; - for standard input.")
]


@app.command()
@options.opens_a_model
def surprisals(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """Print the surprisal of every token in bits: sentence_id, token_id, token, surprisal.

    A causal model without a beginning-of-sequence token gives its first token
    0. A masked model is scored by pseudo-log-likelihood: each token given all
    others.

    Example:  echo "The author laughs." | tse surprisals lab-systematic-causal -
    """
    from tse_core.sentences.tokens import token_surprisals

    sentences = _sentences(file)  # before the model, which takes longer
    (opened,) = opening.models(model)
    with progress(len(sentences), "surprisals", unit="sentences") as bar:

        def advance(share: float) -> None:
            bar.update(share * len(sentences))

        surprisals = token_surprisals(opened, sentences, advance=advance)
    if opened.kind in ("causal", "masked"):
        tokens = opened.tokenize(sentences)
    else:
        tokens = [of_sentence.tokens for of_sentence in surprisals]
    print("sentence_id", "token_id", "token", "surprisal", sep="\t")
    for number, (names, of_sentence) in enumerate(zip(tokens, surprisals, strict=True), 1):
        for position, (token, bits) in enumerate(zip(names, of_sentence.bits, strict=True), 1):
            print(number, position, shown(token), f"{bits:.4f}", sep="\t")


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
    """Print for every token of every sentence 1 if the model does not know it, else 0."""
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
