"""Options that several sub-commands share: the model and its opening, the store, files."""

import inspect
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from tse_core.datasets.formats import is_file_name
from tse_core.datasets.formats.conllu.sentences import is_treebank
from tse_core.datasets.loading import GRAMMARS
from tse_core.errors import InputError
from tse_core.files import is_there
from tse_core.results.store import Store

# Sections of the help of a command.
RARE = "Rarely needed"
OPENING = "Opening the model"
SECTIONS = ("Arguments", "Options", RARE, OPENING)
MODELS = "A folder, a name on the Hugging Face hub, or what `tse list models` shows"


def _writable(*endings: str) -> Callable[[Path | None], Path | None]:
    """The callback of an option for a file that is written at the end of the work.

    It is called before any work, and refuses another ending, and a folder that does not exist.
    """

    def checked(path: Path | None) -> Path | None:
        if path is None:
            return None
        if path.suffix not in endings:
            raise typer.BadParameter(f"{path} must end in {' or '.join(endings)}")
        if not path.parent.is_dir():
            raise typer.BadParameter(f"there is no folder {path.parent}")
        return path

    return checked


table_file = _writable(".csv")
results_file = _writable(".parquet", ".csv")
json_file = _writable(".json")


def results_option(what: str) -> Any:
    """The option of a command that writes a table."""
    return typer.Option(
        metavar="FILE", help=f"Write {what}: .parquet or .csv.", callback=results_file
    )


def rare(*names: str, **settings: Any) -> Any:
    """An option in the section on rarely needed ones; the arguments are those of `typer.Option`."""
    return typer.Option(*names, rich_help_panel=RARE, **settings)


def _of_model(*names: str, **settings: Any) -> Any:
    """An option in the section on models; the arguments are those of `typer.Option`."""
    return typer.Option(*names, rich_help_panel=OPENING, **settings)


ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help=f"{MODELS}: names, and forms such as files, programs and servers.",
    ),
]
UnknownWords = Annotated[
    Literal["flag", "refuse"],
    typer.Option(
        metavar="HOW",
        rich_help_panel=RARE,
        help="Items with an unknown critical word: flag, which counts them, or refuse, which "
        "does not judge them.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="USE=NAME,...",
        help="What the columns of a file hold: good=sen,bad=wrong_sen; one sentence a row: "
        "sentence=NAME,grammatical=NAME,item=NAME; good and bad lines in turn: good=odd,bad=even.",
    ),
]
First = Annotated[
    Literal["as-is", "capital", "lower"] | None,
    rare(metavar="HOW", help="First letter: as-is, capital or lower; by default as in the data."),
]
Period = Annotated[
    Literal["as-is", "add"] | None,
    rare(metavar="HOW", help="Final period: as-is, or add where there is none."),
]
Out = Annotated[
    Path | None, results_option("all scores with their signatures, which `tse results` reads")
]
Items = Annotated[Path | None, results_option("a row for each item, ready for a mixed model")]
# Whether ``tse --no-store`` was asked for.
NO_STORE: ContextVar[bool] = ContextVar("no_store", default=False)


def store() -> Store | None:
    """The user's store; None with ``tse --no-store``."""
    return None if NO_STORE.get() else Store()


def required_store() -> Store:
    """The user's store, of a command that needs it. Raises InputError with ``tse --no-store``."""
    if NO_STORE.get():
        raise InputError("this command needs the store; leave out --no-store")
    return Store()


def columns_of(texts: list[str] | None) -> dict[str, str]:
    """The columns of `--columns`: the name of each, by its use. Raises InputError.

    >>> columns_of(["good=sen,bad=wrong sen", "number=a=b, c"])
    {'good': 'sen', 'bad': 'wrong sen', 'number': 'a=b, c'}
    """
    columns: dict[str, str] = {}
    for text in texts or []:
        for part in re.split(r",(?=\s*\w+\s*=)", text):  # names may hold commas, too
            use, equals_sign, name = map(str.strip, part.partition("="))
            if not (use and equals_sign and name):
                example = "good=sen,bad=wrong_sen"
                raise InputError(f"--columns is {text!r}; it reads USE=NAME, as in {example}")
            if use in columns:
                raise InputError(f"--columns says twice which column holds {use!r}")
            columns[use] = name
    return columns


def named(text: str) -> tuple[str | None, str]:
    """The parts of NAME=PATH: a name of the user's own, and what it names; else None and the text.

    An existing path has no such name. Nor has what a word with a colon introduces, such as
    ``http:``, as no name holds a colon.

    >>> named("seed-1=runs/1/checkpoint-500"), named("http://127.0.0.1:8000/v1?x=y#gpt2")
    (('seed-1', 'runs/1/checkpoint-500'), (None, 'http://127.0.0.1:8000/v1?x=y#gpt2'))
    """
    match = re.fullmatch(r"([\w.-]+)=(.+)", text, re.DOTALL)
    if match is None or is_there(text):
        return None, text
    return match[1], match[2]


def named_file(text: str) -> tuple[str | None, str]:
    """As `named`, of data: no name of a data set is given another one, as it chooses a verb list.

    >>> named_file("mine=pairs.csv"), named_file("fr=clams/fr")
    (('mine', 'pairs.csv'), (None, 'fr=clams/fr'))
    """
    name, path = named(text)
    has_own_name = is_file_name(path) or path.endswith(GRAMMARS) or is_treebank(path)
    has_own_name |= Path(path).is_dir()
    if name is None or not has_own_name:
        return None, text
    return name, path


@dataclass(frozen=True)
class Opening:
    """The options on how a model is opened."""

    kind: Annotated[
        Literal["causal", "masked", "mntp"] | None,
        _of_model(
            metavar="KIND",
            help="causal, masked or mntp (shifted masked); by default read from its configuration.",
        ),
    ] = None
    device: Annotated[
        str, _of_model(metavar="NAME", help="cpu, cuda, cuda:1, mps; map: all GPUs together.")
    ] = "auto"
    dtype: Annotated[
        Literal["float32", "float16", "bfloat16"],
        _of_model(metavar="TYPE", help="Precision of the weights; also float16, bfloat16."),
    ] = "float32"
    revision: Annotated[
        str | None, _of_model(metavar="NAME", help="Branch, tag or commit on the hub.")
    ] = None
    bos: Annotated[
        str | None,
        _of_model(
            metavar="TOKEN", help="What is read first: tokenizer, add, none, or a token's text."
        ),
    ] = None
    space: Annotated[
        Literal["yes", "no"] | None,
        _of_model(
            metavar="yes|no", help="A space before the first word; by default of RoBERTa's kind."
        ),
    ] = None
    trust_remote_code: Annotated[
        bool,
        _of_model("--trust-remote-code", help="Let the folder or hub repository run its own code."),
    ] = False
    timeout: Annotated[
        float,
        _of_model(metavar="SECONDS", min=0.001, help="For one answer of a program or a server."),
    ] = 3600.0

    def models(self, *names: str) -> Iterator[Any]:
        """The models of some names, each opened when it is its turn. Raises InputError."""
        from tse_core.models.discovery import backend_of
        from tse_core.models.loading import load_model  # imports torch

        options = asdict(self)
        space = options.pop("space")
        if self.bos is None:
            options["bos"] = "default"
        for text in names:
            own_name, name = named(text)
            if backend_of(text):
                own_name, name = None, text
            else:
                # A plug-in may take names with an equals sign, and files of any ending.
                _refuse_data(name)
            model = load_model(name, **options)
            if space is not None:
                model = model.with_policies(space=space == "yes")
            yield model if own_name is None else _under_name(own_name, model)


def _refuse_data(name: str) -> None:
    """Raises InputError for the name of a file of data, as of those that a shell makes of a *."""
    if is_file_name(name) or is_treebank(name):
        raise InputError(
            f"{name} is data and no model: --data {name}; each file takes a --data of its own, and "
            "a pattern is put in quotes, so that it stays one: --data '*.conllu'"
        )


def _under_name(name: str, model: Any) -> Any:
    """The model under another name, which tables, files and signatures show."""
    from tse_core.models.language_model import LanguageModel  # imports torch

    if isinstance(model, LanguageModel):
        return replace(model, name=name)
    model.name = name  # of a model that gives surprisals only
    return model


# Options of `Opening` that matter where a model only cuts text into tokens.
Profile = Annotated[
    Literal["babylm"] | None,
    typer.Option(
        metavar="NAME",
        help="babylm: read text as the BabyLM challenge's code does, which is --bos tokenizer "
        "--space no.",
    ),
]


def of_babylm(opening: Opening, *models: str) -> Opening:
    """The opening of models that read text as the BabyLM challenge's code does.

    Raises InputError: another option says how text is read, too, or one of these models takes none.
    """
    from tse_core.models.discovery import backend_of

    if opening.bos is not None or opening.space is not None:
        raise InputError("--profile babylm is --bos tokenizer --space no: leave these two out")
    for name in models:
        backend = backend_of(name)
        if backend and backend.opener and "bos" not in backend.options:
            raise InputError(
                f"{name} reads text in its own way, and --profile babylm says how: leave --profile "
                "out"
            )
    return replace(opening, bos="tokenizer", space="no")


OF_TOKENS = ("kind", "revision", "trust_remote_code", "timeout")


def opens_a_model(*names: str, shown: bool = False) -> Callable[[Callable], Callable]:
    """A decorator: a command gets options of `Opening`, together, as its argument ``opening``.

    Typer reads options from the parameters of a function, so these are written anew here.

    Parameters
    ----------
    names : the options that the command takes, by default all
    shown : whether its help shows them
    """
    opening_options = inspect.signature(Opening).parameters
    chosen = {name: opening_options[name] for name in names or opening_options}

    def decorate(command: Callable) -> Callable:
        parameters = dict(inspect.signature(command).parameters)
        del parameters["opening"]
        for name, option in chosen.items():
            parameters[name] = option if shown else _hidden(option)
        options = []
        for parameter in parameters.values():
            options.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

        @wraps(command)
        def with_opening(**values):
            opening = Opening(**{name: values.pop(name) for name in chosen})
            return command(**values, opening=opening)

        with_opening.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        with_opening.__annotations__ = {option.name: option.annotation for option in options}
        return with_opening

    return decorate


def _hidden(option: inspect.Parameter) -> inspect.Parameter:
    """The option without its place in the help."""
    kind, settings = get_args(option.annotation)
    hidden_settings = copy(settings)
    hidden_settings.hidden = True
    return option.replace(annotation=Annotated[kind, hidden_settings])
