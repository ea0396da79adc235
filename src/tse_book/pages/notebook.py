"""Tools to turn notebooks into pages: numbers that prose can quote, and readable tables."""

import re
from html import escape

import pandas as pd

from tse_book.pages.markup import legible, shown

_LEFTWARDS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")  # letters of scripts that run from right to left


def glue(name: str, value) -> None:
    """Keep a value, a chart or a table under a name, for pages to quote; nothing is shown in place.

    The same page quotes it as ``{glue:text}`name:.2f` ``, other pages as
    ``{glue:text}`../notebooks/NN_name.ipynb::name:.2f` ``; a chart or a table is shown by the directive ``{glue:}``
    with ``:doc:``. Works wherever a notebook runs; the book's build reads it.
    """
    from IPython.display import display

    if hasattr(value, "_repr_mimebundle_"):
        kept = value._repr_mimebundle_()
    elif hasattr(value, "_repr_html_"):
        kept = {"text/html": value._repr_html_()}
    else:
        kept = {"text/plain": repr(value)}
    prefix = "application/papermill.record/"
    display(
        {prefix + kind: content for kind, content in kept.items()},
        raw=True,
        metadata={"scrapbook": {"name": name, "mime_prefix": prefix}},
    )


def guard(sentence: str, holds: bool) -> None:
    """Stop a chapter in which a sentence about results is no longer true, and name the sentence.

    Parameters
    ----------
    sentence : str
        The exact words in the chapter or on a page of the book, where the test of sentences looks for them.
    holds : bool
        Whether the numbers support it.

    Raises
    ------
    AssertionError
        The numbers do not support the sentence.

    >>> guard("EW is mostly below TSE", 3 > 2)
    >>> guard("EW is always below TSE", 3 > 4)
    Traceback (most recent call last):
    AssertionError: its numbers no longer bear out the sentence: EW is always below TSE
    """
    if not holds:
        raise AssertionError(f"its numbers no longer bear out the sentence: {sentence}")


def table(frame: pd.DataFrame, caption: str, *, digits: int = 2, index: bool = False, note: str = "", lighter=()):
    """A table for a page: a caption, aligned numbers, missing values as a dash. Text is escaped.

    Parameters
    ----------
    frame : DataFrame
        Column names are shown as they are; for two-level columns the first level is a heading over the second.
    caption : str
        What the table holds, with units.
    digits : int
        Decimals of floating-point columns; whole numbers get thousands separators.
    index : bool
        Show the row labels.
    note : str
        Small text below the table: a signature, a source.
    lighter : names of columns
        Shown smaller and paler than the others: values for comparison. For two-level columns, names of the first.
    """
    text = frame.astype(object).map(lambda value: _text(value, digits))
    text.columns = text.columns.set_names([None] * text.columns.nlevels)  # a name would appear as a separate column
    html = text.to_html(index=index, border=0, escape=True, sparsify=True)
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    quiet = [(name[0] if isinstance(name, tuple) else name) in lighter for name in frame.columns]
    kinds = [" ".join(["number"] * n + ["light"] * q) for n, q in zip(numeric, quiet, strict=True)]
    html = _marked(html, ([""] * frame.index.nlevels if index else []) + kinds)
    html = html.replace("<thead>", f"<caption>{escape(caption)}</caption>\n<thead>", 1)
    return shown(html + (f'\n<p class="tse-note">{escape(legible(note))}</p>' if note else ""))


def folded(made, title: str):
    """A table that opens on a click, to keep the page short."""
    return shown(f"<details><summary>{escape(title)}</summary>\n{made.data}\n</details>")


def _text(value, digits: int) -> str:
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "–"
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return str(value)
    return f"{value:,}" if "int" in type(value).__name__ else f"{value:z.{digits}f}"


def _marked(html: str, kinds: list[str]) -> str:
    """Sets the book's class on the table, and on the cells of each column the given classes.

    A cell with Hebrew or Arabic letters takes the direction of its text, so that a full stop is at the text's end.
    """

    def row(match):
        columns = iter(kinds)

        def cell(tag):
            kind = next(columns, "")
            marks = f' class="{kind}"' * bool(kind) + ' dir="auto"' * bool(_LEFTWARDS.search(tag[2]))
            return f"<{tag[1]}{marks}>{tag[2]}"

        return re.sub(r"<(t[dh])>([^<]*)", cell, match[0])

    html = re.sub(r"<table[^>]*>", '<table class="tse-table">', html, count=1)
    html = re.sub(r' style="[^"]*"', "", html)
    return re.sub(r"<tr>.*?</tr>", row, html, flags=re.DOTALL)
