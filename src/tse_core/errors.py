"""Mistakes that a user can mend: one line on what is wrong, where, and what would be right."""

import contextlib
import functools
import inspect
import os
import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

# Characters that control a terminal, and those that turn the direction of text around.
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LONGEST_MESSAGE = 2000  # characters
# Files whose lines a warning does not point at: the package's own, and the standard library's
# wrappers, which stand between two of its frames.
_INSIDE = (str(Path(__file__).parent) + os.sep, functools.__file__, contextlib.__file__)


# User and password of an address, and the values of options that are secret.
# A password may hold slashes; a port, which is digits, begins none.
# A path has one slash of the two.
_IN_ADDRESS = re.compile(r"(://|https?:/)(?:[^/\s@:]+:(?!\d+/)[^\s]+|[^/\s@]+)@")
_BEARER = re.compile(r"(Bearer\s+)[^\s'\"]+", re.IGNORECASE)
_OPTION = re.compile(
    r"((?:api[_-]?key|access[_-]?token|auth[_-]?token|hf_token|password|passwd|secret|[?&;]token"
    r"|[?&;]key)['\"]?(?:=|:\s*)['\"]?)[^&\s'\"]+",
    re.IGNORECASE,
)
# Environment variables whose values are secret.
_SECRETS = ("TSE_API_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_SHORTEST_SECRET = 4  # characters; a shorter value would hide words


def shown(text: str) -> str:
    """The text as it may be printed: without secrets, and with control characters escaped.

    A terminal shows escaped characters, and does not obey them. Secrets are user and password in
    an address, options such as ``api_key=``, and the values of `_SECRETS`.

    >>> shown("http://me:word" + "@host/?api_key=abc")
    'http://***@host/?api_key=***'
    """
    return _CONTROL_CHARACTERS.sub(_escape, without_secrets(text))


def without_secrets(text: str) -> str:
    """The text with three stars for what is secret; see `shown`."""
    # Most texts have none of these, and a table may have a line for each of its rows.
    lowered = text.lower()
    if "@" in text:
        text = _IN_ADDRESS.sub(r"\1***@", text)
    if any(word in lowered for word in ("key", "token", "passw", "secret")):
        text = _OPTION.sub(r"\1***", text)
    if "bearer" in lowered:
        text = _BEARER.sub(r"\1***", text)
    for name in _SECRETS:
        value = os.environ.get(name, "").strip()
        if len(value) >= _SHORTEST_SECRET:
            text = _pattern_of_secret(value).sub("***", text)
    return text


@functools.lru_cache(maxsize=8)
def _pattern_of_secret(value: str) -> re.Pattern[str]:
    """A secret, also where its white space was written as another one, or escaped."""
    return re.compile(r"(?:\s|\\[nrt])+".join(map(re.escape, value.split())))


def one_line(text: object, longest: int | None = None) -> str:
    """A text, or the message of an error, in one line of at most `longest` characters.

    Secrets are hidden before it is cut, since half a secret is not known as one.

    >>> one_line("no such    file", 9)
    'no such f'
    """
    try:
        words = str(text)
    except ValueError:  # a whole number of more digits than Python writes
        words = f"a {type(text).__name__} of many digits"
    return " ".join(without_secrets(words).split())[:longest]


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


class InputError(ValueError):
    """Bad input. The command line prints its one line and exits with code 2."""

    def __str__(self) -> str:
        """One line of at most 2,000 characters, whatever bad input it quotes."""
        text = shown(" ".join(super().__str__().splitlines()))
        if len(text) <= _LONGEST_MESSAGE:
            return text
        # The end stays, because the remedy stands there.
        return f"{text[:1500]} ... {text[-490:]}"


@contextlib.contextmanager
def parsing(what: str) -> Iterator[None]:
    """Within this, a library parses what comes from outside; whatever it raises is an InputError.

    `what` begins its line. Errors of memory and of the disk pass, and so does Ctrl-C.
    """
    try:
        yield
    except (InputError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # the tokenizers library panics with one of its own
        if getattr(error, "errno", None) or "out of memory" in str(error):
            raise
        reason = one_line(error, 300) or type(error).__name__
        if isinstance(error, RecursionError):
            reason = "its parts are nested too deep"
        elif isinstance(error, KeyError | AttributeError):
            reason = f"{type(error).__name__}: {reason}"
        raise InputError(f"{what} ({reason})") from error


class TseWarning(UserWarning):
    """What a user should know and need not mend, in one line. The command line prints it.

    Something was inferred that the data or the model's file should say, or not used, such as a
    damaged file of a store.
    """


def warn(message: str) -> None:
    """Issue a `TseWarning` at the caller's line, that of the first frame outside this package."""
    frame = inspect.currentframe()
    level = 1
    while frame and frame.f_code.co_filename.startswith(_INSIDE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, TseWarning, stacklevel=level)


def check_known(what: str, name: object, names: Collection, hint: str = "") -> None:
    """Check that a name is one of the existing names.

    Raises the InputError of `unknown_name_error` for any other name.
    """
    if name not in names:
        raise unknown_name_error(what, name, names, hint)


def check_flag(what: str, flag: object) -> None:
    """Raise InputError for what is neither True, False nor None: a text such as "no" is true."""
    if flag not in (True, False, None):
        raise InputError(f"{what} is {flag!r}; it must be True or False")


def unknown_name_error(what: str, name: object, names: Iterable[str], hint: str = "") -> InputError:
    """The error for a name that does not exist: it suggests the nearest name and lists all names.

    ``what`` is the kind of thing that is named; ``hint`` ends the message.
    """
    names = sorted(names)
    question = did_you_mean(name, names)
    choices = ", ".join(names) or "none"
    return InputError(f"unknown {what} {str(name)!r}{question}; there is: {choices}{hint}")


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """The nearest of the names as a question in brackets, after a space; empty if none is near."""
    matches = get_close_matches(str(name), list(names), n=1, cutoff=0.6)
    return f" (did you mean {matches[0]!r}?)" if matches else ""
