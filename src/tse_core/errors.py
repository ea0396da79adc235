"""Mistakes a user can fix: one line that says what was wrong, where, and what would be right."""

import contextlib
import functools
import inspect
import os
import re
import warnings
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)  # what controls a terminal
# Files whose lines a warning does not point at: the package's, and what stands between two of them.
_INSIDE = (str(Path(__file__).parent) + os.sep, functools.__file__, contextlib.__file__)


def shown(text: str) -> str:
    """The text with terminal control characters escaped: shown, not obeyed."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class InputError(ValueError):
    """Bad input. The command line prints its one line and exits with code 2."""

    def __str__(self) -> str:
        """One line of at most 2,000 characters, whatever bad input it quotes."""
        text = shown(" ".join(super().__str__().splitlines()))
        return text if len(text) <= 2000 else f"{text[:1500]} ... {text[-490:]}"


class TseWarning(UserWarning):
    """What a user should know and need not mend, in one line. The command line prints it.

    Something was inferred that the data or the model's file should say, or not used, such as a damaged file of a store.
    """


def warn(message: str) -> None:
    """Give a `TseWarning` that points at the caller's line: the first frame outside this package."""
    frame = inspect.currentframe()
    level = 1
    while frame and frame.f_code.co_filename.startswith(_INSIDE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, TseWarning, stacklevel=level)


def check_known(what: str, name: object, known: Collection, hint: str = "") -> None:
    """Raises the error of `unknown_name_error` for a name that is not among the known ones."""
    if name not in known:
        raise unknown_name_error(what, name, known, hint)


def unknown_name_error(what: str, name: object, known: Iterable[str], hint: str = "") -> InputError:
    """The error for a name that does not exist: names it, suggests the nearest, lists what exists."""
    known = sorted(known)
    return InputError(
        f"unknown {what} {str(name)!r}{did_you_mean(name, known)}; there is: {', '.join(known) or 'none'}{hint}"
    )


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The nearest of the known names as a question in brackets, after a space; empty where none is near."""
    near = get_close_matches(str(name), list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]!r}?)" if near else ""
