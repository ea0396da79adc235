"""Tables that a reader can download."""

import base64
import re
from html import escape

import pandas as pd


def download_table(table: pd.DataFrame, name: str, label: str | None = None):
    """A link that saves the table as CSV; it works from a folder, without a server.

    >>> download_table(pd.DataFrame({"a": [1]}), "one.csv").data[:40]
    '<p class="tse-download"><a download="one'
    """
    from IPython.display import HTML

    name = re.sub(r"[^\w.-]+", "-", name).removesuffix(".csv") + ".csv"
    text = table.to_csv(index=False).encode()
    rows = f"{len(table):,} row{'' if len(table) == 1 else 's'}"
    label = escape(label or "Download the data")
    address = "data:text/csv;charset=utf-8;base64," + base64.b64encode(text).decode()
    return HTML(f'<p class="tse-download"><a download="{escape(name)}" href="{address}">{label} (CSV, {rows})</a></p>')
