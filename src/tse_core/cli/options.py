"""Options that several sub-commands share: which model and how it is opened, where finished work is kept."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from tse_core.errors import InputError

MODEL, WORK = "How the model is opened", "Finished work"  # panels of the help
ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A laboratory model, a folder, a name on the Hugging Face hub, a .gguf file; for surprisals also "
        "command:./my-model or a server's address.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT=NAME",
        help="Which column of a table of pairs is what, e.g. good=sentence bad=wrong number=nr; may be repeated.",
    ),
]
StoreFolder = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="Folder of finished work; $TSE_STORE or the user's cache by default.",
        rich_help_panel=WORK,
    ),
]


def results_file(param: typer.CallbackParam, path: Path | None) -> Path | None:
    """Option callback: checks, before any work, that results can be written to a file."""
    return _writable(param, path, "results are written as", (".parquet", ".csv"))


def results_option(what: str) -> Any:
    """The option of a command that writes a results file."""
    return typer.Option(help=f"Write {what}: .parquet or .csv.", callback=results_file)


def table_file(param: typer.CallbackParam, path: Path | None) -> Path | None:
    """As `results_file`, for a table that is written as CSV."""
    return _writable(param, path, "the table is written as", (".csv",))


def _writable(param: typer.CallbackParam, path: Path | None, said: str, endings: tuple[str, ...]) -> Path | None:
    option = " ".join([*(name for name in param.opts[:1] if name.startswith("-")), str(path)])
    if path and path.suffix not in endings:
        raise InputError(f"{option}: {said} {' or '.join(endings)}")
    if path and not path.parent.is_dir():
        raise InputError(f"{option}: there is no folder {path.parent}")
    return path


def _of_model(*names: str, **how: Any) -> Any:
    return typer.Option(*names, rich_help_panel=MODEL, **how)


@dataclass(frozen=True)
class Opening:
    """The options on how a model is opened."""

    kind: Annotated[
        str | None, _of_model(help="Read the model as [b]causal[/b] or [b]masked[/b]; detected by default.")
    ] = None
    device: Annotated[str, _of_model(help="auto, cpu, cuda, cuda:1, mps; map: all GPUs together.")] = "auto"
    dtype: Annotated[str, _of_model(help="Precision of the weights: float32, float16, bfloat16.")] = "float32"
    revision: Annotated[str | None, _of_model(help="Branch, tag or commit of a model on the hub.")] = None
    bos: Annotated[
        str,
        _of_model(
            help="The BOS token of a sentence, for causal models: [b]default[/b] (what the tokenizer puts there, else "
            "the token that opened documents in pretraining), tokenizer, add, none, or a token such as '<|endoftext|>'."
        ),
    ] = "default"
    chat: Annotated[
        str | None,
        _of_model(help="A user's message: sentences are read as the reply to it in the tokenizer's chat template."),
    ] = None
    trust: Annotated[bool, _of_model("--trust-remote-code", help="Let the hub repository run its own code.")] = False
    served: Annotated[
        str | None,
        _of_model("--model", metavar="NAME", help="Which model of the server, where MODEL is its address."),
    ] = None
    timeout: Annotated[
        float | None,
        _of_model(
            help="Seconds a model behind a command may take, or a request to a server; an hour by default.",
            min=0.001,
            max=1e9,
        ),
    ] = None

    def model(self, name: str) -> Any:
        """The model of a name. Raises InputError."""
        from tse_core.models.coerce import load_model

        said = {key: getattr(self, key) for key in ("kind", "device", "dtype", "revision", "bos", "chat")}
        loaded: Any = load_model(name, **said, trust_remote_code=self.trust)
        if self.timeout is not None and hasattr(loaded, "timeout"):  # behind a command or a server
            loaded.timeout = self.timeout
        return loaded

    def names(self, first: str, *others: str | None) -> list[str]:
        """The name of the first model, which may be a server's (``--model``), and of the others that are given."""
        if self.served is not None:
            if not first.startswith(("http://", "https://")):
                where = f"{first} is not an address such as http://127.0.0.1:8000/v1"
                raise InputError(f"--model names a model of a server; {where}")
            first = f"{first}#{self.served}"
        return [first, *(name for name in others if name is not None)]

    def models(self, first: str, *others: str | None) -> list:
        """The models of `names`."""
        return [self.model(name) for name in self.names(first, *others)]


def opens_a_model(command: Callable) -> Callable:
    """The command with the options of `Opening`, which it receives together as ``opening``."""
    shared = list(inspect.signature(Opening).parameters.values())
    return _with(command, "opening", shared, lambda said: Opening(**said))


def keeps_work(command: Callable) -> Callable:
    """The command with ``--store`` and ``--no-store``, from which it receives the store or None as ``store``."""

    def told(store: StoreFolder = None, no_store: Annotated[bool, typer.Option(
        "--no-store", help="Compute everything, keep nothing.", rich_help_panel=WORK)] = False):  # fmt: skip
        return None if no_store else store_in(store)

    return _with(command, "store", list(inspect.signature(told).parameters.values()), lambda said: told(**said))


def _with(command: Callable, name: str, shared: list[inspect.Parameter], made: Callable[[Mapping], Any]) -> Callable:
    """The command with the shared options in place of one parameter, which is built from them."""
    shared = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in shared]
    of_command = inspect.signature(command).parameters
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in of_command.values() if p.name != name]

    @wraps(command)
    def called(**said):
        value = made({option.name: said.pop(option.name) for option in shared})
        return command(**said, **{name: value})

    called.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]  # typer reads it
    called.__annotations__ = {option.name: option.annotation for option in (*own, *shared)}
    return called


def store_in(folder: Path | None):
    """The store in a folder, or in the user's own."""
    from tse_core.results.store import Store

    return Store(folder)


def columns_of(said: list[str] | None) -> dict[str, str] | None:
    """What the columns of a table hold, from ``WHAT=NAME``."""
    for text in said or []:
        if "=" not in text:
            raise InputError(f"--column {text}: it must be WHAT=NAME, e.g. good=sentence")
    return dict(text.split("=", 1) for text in said) if said else None
