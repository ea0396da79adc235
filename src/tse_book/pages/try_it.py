"""Links from a chapter to the living page, where a language model reads the reader's own sentences."""

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from IPython.display import HTML

from tse_book.pages.markup import page_link


def try_this(
    *contexts: tuple[str, str],
    pair: Sequence[str] = (),
    verb: str = "",
    cut: str = "",
    look: str = "",
):
    """A line that links to the living page with the given sentences filled in, as a notebook shows it.

    Where the book cannot be reached (see `page_link`), the line stands without its link.

    `contexts` are one, or two side by side: the words before the verb, and "singular" or "plural" for the subject. The
    page reads the `pair` of sentences token by token; `verb` is the one whose TSE it shows (a lemma, or both forms as
    in "sings/sing"; "" for the page's own), `cut` a cut-off ("top-0.1", "bottom-0.01"; "" for all verbs), `look` what
    to look at there, as a sentence.
    """
    state: dict[str, str] = {}
    for (left, number), place in zip(contexts, ("", "2"), strict=False):
        state |= {f"left{place}": left, f"number{place}": number}
    state |= {"verb": verb, "cut": cut, **dict(zip("ab", pair, strict=False))}
    chosen = {key: value for key, value in state.items() if value}
    link = page_link(f"book/try.html#{urlencode(chosen)}", "Try this one")
    sentences = [f"<em>{escape(left)} …</em> ({number} subject)" for left, number in contexts]
    sentences += (
        [" against ".join(f"<em>{escape(sentence.rstrip('.'))}</em>" for sentence in pair)]
        if pair
        else []
    )
    about = f" {escape(look)}" if look else ""
    return HTML(
        f'<p class="tse-try">{link} on the page <em>Try it</em>: {"; ".join(sentences)}.{about}</p>'
    )
