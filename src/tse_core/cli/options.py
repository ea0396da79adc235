"""Options that several sub-commands share, said once."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.errors import InputError

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A laboratory model, a folder, a name on the Hugging Face hub, a .gguf file; for surprisals also "
        "command:./my-model or a server's address.",
    ),
]
Kind = Annotated[
    str | None, typer.Option(help="Read the model as [b]causal[/b] or [b]masked[/b]; found out by default.")
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps; map: all GPUs together.")]
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
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT=NAME",
        help="Which column of a table of pairs is what, e.g. good=sentence bad=wrong number=nr; may be repeated.",
    ),
]
Served = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Which model of the server, where MODEL is its address.")
]
Chat = Annotated[
    str | None,
    typer.Option(help="A user's message: sentences are read as the reply to it in the tokenizer's chat template."),
]
NoStore = Annotated[bool, typer.Option("--no-store", help="Compute everything, keep nothing.")]


def opened(model, kind=None, device="auto", dtype="float32", revision=None, bos="default", trust=False, chat=None):
    """The model that the options describe."""
    from tse_core.models.coerce import load_model

    options = {"kind": kind, "device": device, "dtype": dtype, "revision": revision, "bos": bos, "chat": chat}
    return load_model(model, **options, trust_remote_code=trust)


def at_server(model: str, served: str | None) -> str:
    """The name of a server's model; any other model's as it is, for which ``--model`` has no meaning."""
    if served is None:
        return model
    if not model.startswith(("http://", "https://")):
        raise InputError(f"--model names a model of a server; {model} is no address such as http://127.0.0.1:8000/v1")
    return f"{model}#{served}"


def store_of(folder: Path | None, without: bool):
    """The store that the options describe, None for no store."""
    from tse_core.results.store import Store

    return None if without else Store(folder)


def columns_of(said: list[str] | None) -> dict[str, str] | None:
    """What the columns of a table hold, from ``WHAT=NAME``."""
    for text in said or []:
        if "=" not in text:
            raise InputError(f"--column {text}: it must be WHAT=NAME, e.g. good=sentence")
    return dict(text.split("=", 1) for text in said) if said else None
