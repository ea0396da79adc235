"""Links from a chapter to the living page, where a language model reads the reader's own sentences."""

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from tse_book.pages.markup import shown
from tse_core.datasets.pairs import NUMBERS
from tse_core.errors import InputError, check_known

_PAGE = "../book/try.html"


def try_this(*contexts: tuple[str, str], pair: Sequence[str] = (), verb: str = "", cut: str = "", look: str = ""):
    """A line that links to the living page with the given sentences filled in, as a notebook shows it.

    Parameters
    ----------
    *contexts : (left, number)
        The words before the verb, and "singular" or "plural" for the subject: one context, or two side by side.
    pair : two sentences
        A minimal pair, which the page reads token by token.
    verb : str
        The verb whose TSE the page shows: a lemma, or both forms as in "sings/sing"; "" for the page's own.
    cut : str
        A cut-off, "top-0.1" or "bottom-0.01"; "" for all verbs.
    look : str
        What to look at there, as a sentence; it is escaped.

    Raises InputError: Without a context or pair, with more than fits on the page, or with an unknown number.
    """
    link = f'<a href="{escape(_PAGE + "#" + _state(contexts, pair, verb, cut))}">Try this one</a>'
    sentences = [f"<em>{escape(left)} …</em> ({number} subject)" for left, number in contexts]
    sentences += [" against ".join(f"<em>{escape(sentence.rstrip('.'))}</em>" for sentence in pair)] if pair else []
    about = f" {escape(look)}" if look else ""
    return shown(f'<p class="tse-try">{link} on the page <em>Try it</em>: {"; ".join(sentences)}.{about}</p>')


def _state(contexts, pair, verb: str, cut: str) -> str:
    """The state of the page as encoded in its address."""
    if not contexts and not pair:
        raise InputError("try_this: there is neither a context nor a pair to try")
    if len(contexts) > 2 or len(pair) not in (0, 2):
        raise InputError(
            f"try_this: {len(contexts)} contexts and {len(pair)} sentences of a pair; "
            "the page takes two contexts at most, and a pair has two sentences"
        )
    state: dict[str, str] = {}
    for (left, number), place in zip(contexts, ("", "2"), strict=False):
        check_known("number", number, NUMBERS)
        state |= {f"left{place}": left, f"number{place}": number}
    state |= {"verb": verb, "cut": cut, **dict(zip("ab", pair, strict=False))}
    return urlencode({key: value for key, value in state.items() if value})
