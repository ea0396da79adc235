"""What notebooks need to become pages: numbers that prose can quote, tables that read well.

Stands beside the other rooms and imports none of them.
"""

import re

import pandas as pd


def glue(name: str, value) -> None:
    """Keep a value under a name, for prose: ``{glue:text}`name:.2f```. Nothing is shown where it stands.

    The book's pages quote it as ``{glue:text}`../notebooks/NN_name.ipynb::name:.2f```. Works wherever a notebook runs;
    only the book's build reads it.
    """
    from IPython.display import display

    display(
        {"application/papermill.record/text/plain": repr(value)},
        raw=True,
        metadata={"scrapbook": {"name": name, "mime_prefix": "application/papermill.record/"}},
    )


def table(frame: pd.DataFrame, caption: str, *, digits: int = 2, index: bool = False):
    """A table for a page: a caption, numbers to a fixed number of digits and aligned, missing values as a dash.

    Parameters
    ----------
    frame : DataFrame
        Column names are shown as they are.
    caption : str
        What the table holds, with units.
    digits : int
        Decimals of floating-point columns; whole numbers get thousands separators.
    index : bool
        Show the row labels.

    Returns
    -------
    An object that a notebook shows as HTML; text is escaped.
    """
    from html import escape

    from IPython.display import HTML

    shown = frame.map(lambda value: _text(value, digits))
    html = shown.to_html(index=index, border=0, classes="tse-table", escape=True, na_rep="–")
    numeric = [pd.api.types.is_numeric_dtype(frame[column]) for column in frame.columns]
    html = (
        _align(html, numeric, index)
        .replace('class="dataframe tse-table"', 'class="tse-table"')
        .replace(' style="text-align: right;"', "")
    )
    return HTML(html.replace("<thead>", f"<caption>{escape(caption)}</caption>\n<thead>", 1))


def _text(value, digits: int) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is pd.NA or value != value:
        return "–"
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return str(value)
    return f"{value:,}" if float(value).is_integer() and "int" in type(value).__name__ else f"{value:.{digits}f}"


def _align(html: str, numeric: list[bool], index: bool) -> str:
    """Class ``number`` on the cells of numeric columns, row by row."""
    columns = ([False] if index else []) + numeric

    def row(match):
        flags = iter(columns)
        return re.sub(
            r"<(t[dh])>", lambda cell: f'<{cell[1]} class="number">' if next(flags, False) else cell[0], match[0]
        )

    return re.sub(r"<tr[^>]*>.*?</tr>", row, html, flags=re.DOTALL)
