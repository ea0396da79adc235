"""Options that several sub-commands share, said once."""

from pathlib import Path
from typing import Annotated

import typer

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A laboratory model, a folder, or a name on the Hugging Face hub.")
]
Kind = Annotated[
    str | None, typer.Option(help="Read the model as [b]causal[/b] or [b]masked[/b]; found out by default.")
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]
Dtype = Annotated[str, typer.Option(help="Precision of the weights: float32, float16, bfloat16.")]
Revision = Annotated[str | None, typer.Option(help="Branch, tag or commit of a model on the hub.")]
Bos = Annotated[
    str,
    typer.Option(
        help="In front of a sentence, for causal models: [b]default[/b] (what the tokenizer puts there, else the token "
        "that opened documents in pretraining), tokenizer, add, none, or a token such as '<|endoftext|>'."
    ),
]
Trust = Annotated[bool, typer.Option("--trust-remote-code", help="Let the hub repository run its own code.")]
StoreFolder = Annotated[
    Path | None, typer.Option("--store", help="Folder of finished work; $TSE_STORE or the user's cache by default.")
]
NoStore = Annotated[bool, typer.Option("--no-store", help="Compute everything, keep nothing.")]


def opened(model, kind=None, device="auto", dtype="float32", revision=None, bos="default", trust=False):
    """The model that the options describe."""
    from tse_core.models import load_model

    options = {"kind": kind, "device": device, "dtype": dtype, "revision": revision, "bos": bos}
    return load_model(model, **options, trust_remote_code=trust)


def store_of(folder: Path | None, without: bool):
    """The store that the options describe, None for no store."""
    from tse_core.results import Store

    return None if without else Store(folder)


def register(app: typer.Typer) -> None:
    """Nothing to add: other files take their options from here."""
