"""tse baseline: train an n-gram or LSTM language model."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tse_core.errors import InputError
from tse_core.files import lines_of, read_text
from tse_core.progress import progress

HELP = """Train an n-gram or LSTM language model and keep it as a folder that every other command takes as MODEL.

The corpus is the laboratory's by default, or a text file with one sentence per line.

[b]Examples[/b]

  tse baseline ngram my-5-gram --sentences 200000

  tse baseline lstm my-lstm --regime lexical --epochs 5

  tse baseline ngram wikipedia-3-gram --corpus wikipedia.txt --order 3
"""


def register(app: typer.Typer) -> None:
    app.command("baseline", help=HELP)(baseline)


def baseline(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="ngram or lstm.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the model is written.")],
    corpus: Annotated[Path | None, typer.Option(help="Text file, one sentence per line.")] = None,
    regime: Annotated[str, typer.Option(help="The laboratory corpus: systematic or lexical.")] = "systematic",
    sentences: Annotated[int, typer.Option(help="Sentences of the laboratory corpus.", min=1)] = 100_000,
    seed: Annotated[
        int, typer.Option(help="Of the laboratory corpus and of an LSTM's weights.", min=0, max=2**63 - 1)
    ] = 0,
    order: Annotated[int, typer.Option(help="n of an n-gram model.", min=1)] = 5,
    hidden: Annotated[int, typer.Option(help="Width of an LSTM.", min=1)] = 128,
    layers: Annotated[int, typer.Option(help="Layers of an LSTM.", min=1)] = 1,
    epochs: Annotated[float, typer.Option(help="Passes over the corpus.", min=0)] = 3,
) -> None:
    from tse_book.baselines.baselines import BASELINES, save_baseline, train_baseline
    from tse_core.errors import unknown

    if kind not in BASELINES:
        raise unknown("kind of baseline", kind, BASELINES)
    if folder.exists():
        raise InputError(f"{folder} exists already: name another folder or remove it")
    tokenizer = None
    if corpus:
        lines = _lines(corpus)
    else:
        from tse_book.laboratory import load_language
        from tse_book.laboratory import sentences as drawn
        from tse_book.laboratory import tokenizer as laboratory_tokenizer

        language = load_language()
        lines, tokenizer = list(drawn(language, regime, sentences, seed)), laboratory_tokenizer(language, "causal")
    settings: dict[str, Any] = {"order": order}
    if kind == "lstm":
        settings = {"embedding": hidden, "hidden": hidden, "layers": layers}
    with progress(1, f"training {kind}") as bar:
        if kind == "lstm":
            settings |= {"epochs": epochs, "seed": seed, "progress": lambda step, steps, loss: bar(1 / steps)}
        model = train_baseline(kind, lines, tokenizer, name=folder.name, **settings)
    save_baseline(model, folder)
    print(f"{model.identity()}: {len(lines):,} sentences, {model.vocabulary_size:,} words, in {folder}")


def _lines(corpus: Path) -> list[str]:
    return [line.strip() for line in lines_of(read_text(corpus)) if line.strip()]
