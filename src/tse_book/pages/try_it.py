"""Links from a chapter to the living page, where a language model reads the reader's own sentences."""

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from tse_book.pages.markup import shown

_PAGE = "../book/try.html"


def try_this(*contexts: tuple[str, str], pair: Sequence[str] = (), verb: str = "", cut: str = "", look: str = ""):
    """A line that links to the living page with the given sentences filled in, as a notebook shows it.

    Parameters
    ----------
    *contexts : (left, number)
        The words before the verb, and "singular" or "plural" for the subject: one context, or two side by side.
    pair : a minimal pair of sentences, which the page reads token by token
    verb : the verb whose TSE the page shows: a lemma, or both forms as in "sings/sing"; "" for the page's own
    cut : a cut-off, "top-0.1" or "bottom-0.01"; "" for all verbs
    look : what to look at there, as a sentence
    """
    link = f'<a href="{escape(_PAGE + "#" + _state(contexts, pair, verb, cut))}">Try this one</a>'
    sentences = [f"<em>{escape(left)} …</em> ({number} subject)" for left, number in contexts]
    sentences += [" against ".join(f"<em>{escape(sentence.rstrip('.'))}</em>" for sentence in pair)] if pair else []
    about = f" {escape(look)}" if look else ""
    return shown(f'<p class="tse-try">{link} on the page <em>Try it</em>: {"; ".join(sentences)}.{about}</p>')


def _state(contexts, pair, verb: str, cut: str) -> str:
    """The state of the page as encoded in its address."""
    state: dict[str, str] = {}
    for (left, number), place in zip(contexts, ("", "2"), strict=False):
        state |= {f"left{place}": left, f"number{place}": number}
    state |= {"verb": verb, "cut": cut, **dict(zip("ab", pair, strict=False))}
    return urlencode({key: value for key, value in state.items() if value})
