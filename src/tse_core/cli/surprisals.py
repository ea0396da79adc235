"""``tse surprisals``, ``tse tokenize``, ``tse unkify``: what a model makes of the sentences of a file, one per line."""

import sys
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.errors import InputError, shown
from tse_core.files import decoded, lines_of, read_text
from tse_core.progress import progress
from tse_core.words import trimmed

File = Annotated[
    str, typer.Argument(metavar="FILE", help="Text, one sentence per line; - for standard input.")
]


@app.command()
@options.opens_a_model
def surprisals(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """Print the surprisal of every token in bits: sentence_id, token_id, token, surprisal, separated by tabs.

    A causal model without a beginning-of-sequence token gives its first token 0. A masked model is scored by
    pseudo-log-likelihood: each token given all others.

    Example:  echo "The author laughs." | tse surprisals lab-systematic-causal -
    """
    from tse_core.sentences.tokens import token_surprisals

    (loaded,), sentences = opening.models(model), _sentences(file)
    with progress(len(sentences), "surprisals", unit="sentences") as bar:
        scores = token_surprisals(
            loaded, sentences, advance=lambda share: bar.update(share * len(sentences))
        )
    tokens = (
        loaded.tokenize(sentences)
        if loaded.kind in ("causal", "masked")
        else [found.tokens for found in scores]
    )
    print("sentence_id", "token_id", "token", "surprisal", sep="\t")
    for sentence, (names, found) in enumerate(zip(tokens, scores, strict=True), 1):
        for position, (token, bits) in enumerate(zip(names, found.bits, strict=True), 1):
            print(sentence, position, shown(token), f"{bits:.4f}", sep="\t")


@app.command()
@options.opens_a_model
def tokenize(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """Print the tokens of every sentence, separated by spaces."""
    (loaded,), sentences = opening.models(model), _sentences(file)
    for tokens in loaded.tokenize(sentences):
        print(*map(shown, tokens))


@app.command()
@options.opens_a_model
def unkify(model: options.ModelArgument, file: File, opening: options.Opening) -> None:
    """Print for every token of every sentence 1 if the model does not know it, else 0."""
    (loaded,), sentences = opening.models(model), _sentences(file)
    for marks in loaded.unkify(sentences):
        print(*map(int, marks))


def _sentences(file: str) -> list[str]:
    name = "standard input" if file == "-" else file
    text = decoded(sys.stdin.buffer.read(), name) if file == "-" else read_text(file)
    sentences = lines_of(text.rstrip())
    for number, sentence in enumerate(sentences, 1):
        if not sentence.strip():
            raise InputError(f"{name}: line {number} is empty; give one sentence in each line")
    return [trimmed(sentence) for sentence in sentences]
