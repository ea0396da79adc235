"""Tools to turn notebooks into pages: numbers that prose can quote, and readable tables."""

import ast
import re
from collections.abc import Sequence
from html import escape

import pandas as pd
import yaml
from bs4 import BeautifulSoup
from IPython import get_ipython
from IPython.display import HTML, display

from tse_book.model_names import SHOWN_NAMES
from tse_core.errors import InputError, check_known

HANDED_OVER = "# Parameters\n"  # how papermill begins a cell with what it hands over
NOTHING = "no model in this build has such numbers."  # instead of a table without rows
_NUMBERS = re.compile(r"(?<![\w.-])(?:\d+(?:\.\d+)?|\.\d+)(?![\w-])")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")  # letters of such scripts


def as_list(value: str | list[str], *, commas: bool = True) -> list[str]:
    """A parameter that holds several texts: a list as it is, or what ``papermill -p`` hands over, which is one text.

    A text in brackets is a YAML list; any other is cut at its commas, or is one entry where `commas` is False, for
    sentences. Raises InputError: a text in brackets that is no list of texts; in a notebook, a parameter handed over
    that it does not have.

    >>> as_list("gpt2"), as_list("gpt2, roberta-base"), as_list('["gpt2", "roberta-base"]')
    (['gpt2'], ['gpt2', 'roberta-base'], ['gpt2', 'roberta-base'])
    """
    shell = get_ipython()
    if shell:
        check_handed_over(shell.user_ns["In"])
    if not isinstance(value, str):
        return list(value)
    text = value.strip()
    if text.startswith("["):
        return _yaml_list(text)
    parts = text.split(",") if commas else [text]
    return [part.strip() for part in parts if part.strip()]


def check_handed_over(cells: Sequence[str]) -> None:
    """Check that what papermill hands over are parameters of the notebook: it would run the defaults, and warn.

    `cells` is the code that has run. Papermill puts a cell with what it hands over behind that of the parameters.
    Raises InputError for a name that the cell of the parameters does not have.
    """
    for parameters, handed_over in zip(cells, cells[1:], strict=False):
        if handed_over.startswith(HANDED_OVER):
            for name in _assigned(handed_over):
                check_known("parameter", name, _assigned(parameters))


def _assigned(code: str) -> list[str]:
    """The names to which lines of code give values."""
    assignments = [line for line in ast.parse(code).body if isinstance(line, ast.Assign)]
    targets = [line.targets[0] for line in assignments]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _yaml_list(text: str) -> list[str]:
    try:
        entries = yaml.safe_load(text)
    except yaml.YAMLError:
        entries = None
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise InputError(f'no list of texts: {text}; right would be: ["gpt2", "roberta-base"]')
    return entries


def glue(name: str, value) -> None:
    """Keep a value, a chart or a table under a name, for pages to quote; nothing is shown in place.

    The same page quotes it as ``{glue:text}`name:.2f` ``, other pages as
    ``{glue:text}`../notebooks/NAME.ipynb::name:.2f` ``; the directive ``{glue:}`` with ``:doc:`` shows a chart.
    """
    if hasattr(value, "_repr_mimebundle_"):
        contents = value._repr_mimebundle_()
    elif hasattr(value, "_repr_html_"):
        contents = {"text/html": value._repr_html_()}
    else:
        contents = {"text/plain": repr(value)}
    prefix = "application/papermill.record/"
    display(
        {prefix + kind: content for kind, content in contents.items()},
        raw=True,
        metadata={"scrapbook": {"name": name, "mime_prefix": prefix}},
    )


def guard(sentence: str, holds: bool) -> None:
    """Stop a chapter in which a sentence about results is no longer true: an AssertionError that names the sentence.

    `sentence` has the exact words of the chapter or of a page of the book, where the test of sentences looks for them.

    >>> guard("EW is mostly below TSE", 3 > 2)
    >>> guard("EW is always below TSE", 3 > 4)
    Traceback (most recent call last):
    AssertionError: its numbers no longer bear out the sentence: EW is always below TSE
    """
    if not holds:
        raise AssertionError(f"its numbers no longer bear out the sentence: {sentence}")


def quotes(sentence: str, *numbers: float) -> None:
    """Stop a chapter in which a sentence no longer gives the numbers that were found, rounded as it rounds them.

    `sentence` has words of the chapter with its numbers in figures; the digits in names (SmolLM2, GPT-2) are none.
    `numbers` is what was found, one for each number of the sentence, in its order and unit.

    >>> quotes("SmolLM2 is right in 77.1 % of the pairs, in some paradigms in 27 %", 77.07, 27.3)
    >>> quotes("EW falls from .91 to .53", 0.91, 0.54)
    Traceback (most recent call last):
    AssertionError: its numbers no longer bear out the sentence: EW falls from .91 to .53; found: 0.91, 0.54
    """
    numerals = _NUMBERS.findall(sentence)
    units = [10.0 ** -len(text.partition(".")[2]) for text in numerals]  # of the last digit
    pairs = zip(numerals, units, numbers, strict=False)
    right = [abs(float(text) - number) <= unit / 2 + 1e-9 for text, unit, number in pairs]
    found = ", ".join(f"{number:.6g}" for number in numbers)
    guard(f"{sentence}; found: {found}", len(numerals) == len(numbers) and all(right))


def table(frame: pd.DataFrame, caption: str, *, digits=2, index: bool = False, empty: str = ""):
    """A table for a page: a caption, aligned numbers, missing values as a dash. Text is escaped.

    Of two-level columns the first level is a heading over the second. Models have the names that charts give
    them. The caption says what the table holds, with
    units. Floating-point columns have `digits` decimals, whole numbers thousands separators. `index` shows the row
    labels; `empty` is the sentence shown instead of a table without rows, by default that nothing was measured.
    """
    if frame.empty:
        return HTML(f'<p class="tse-note">{escape(empty or f"{caption}: {NOTHING}")}</p>')
    text = frame.astype(object).map(lambda value: _text(value, digits)).replace(SHOWN_NAMES)
    text = text.rename(columns=SHOWN_NAMES, index=SHOWN_NAMES)
    text.columns = text.columns.set_names(
        [None] * text.columns.nlevels
    )  # a name would appear as a separate column
    text.index = text.index.set_names([None] * text.index.nlevels)  # or as a separate row
    page = BeautifulSoup(
        text.to_html(index=index, border=0, escape=True, sparsify=True), "html.parser"
    )
    kinds = ["number" if pd.api.types.is_numeric_dtype(kind) else "" for kind in frame.dtypes]
    for row in page("tr"):
        row.attrs = {}
        cells = [
            cell for cell in row(["th", "td"]) if not cell.attrs
        ]  # without headings over several columns
        for cell, kind in zip(cells, [""] * frame.index.nlevels * index + kinds, strict=False):
            cell.attrs = {"class": kind} if kind else {}
            if _RIGHT_TO_LEFT.search(cell.text):  # a full stop is at the end of Hebrew and Arabic
                cell["dir"] = "auto"
    page("table")[0].attrs = {"class": "tse-table"}
    page("thead")[0].insert_before(
        BeautifulSoup(f"<caption>{escape(caption)}</caption>\n", "html.parser")
    )
    return HTML(str(page))


def folded(content: HTML, title: str):
    """A table that opens on a click, to keep the page short."""
    return HTML(f"<details><summary>{escape(title)}</summary>\n{content.data}\n</details>")


def _text(value, digits: int) -> str:
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "–"
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return str(value)
    return f"{value:,}" if "int" in type(value).__name__ else f"{value + 0.0:.{digits}f}"
