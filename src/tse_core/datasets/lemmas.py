"""Verb lists: lemmas with their two present-tense forms, third person singular and plural.

Agreement is tested on many verbs at once; `tse_core.agreement.verbs` chooses the lemmas of a list
that count for a model. `DESCRIPTIONS` has a line on each list, data/README.md its source.
"""

import hashlib
from dataclasses import InitVar, dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from tse_core.datasets.formats import is_file_name, read_file
from tse_core.datasets.pairs import origin_of
from tse_core.datasets.plain_tables import plain_table
from tse_core.datasets.raw_tables import RawTable, raw_table
from tse_core.errors import InputError, check_known
from tse_core.paths import cache_folder, data_folder

MAKE_FULL = "python data/lemmas/giant_verb_list.py FILE"  # FILE being the Giant Verb List, a PDF
DEFAULT = "newman-clean"
# By protocol: the paper's own list goes with its own code.
DEFAULTS = {"exact": DEFAULT, "released": "newman-appendix"}
# By language, a code of two letters; "" is that of the protocol.
LANGUAGES = {"en": "", "de": "german", "fr": "french", "he": "hebrew", "ru": "russian"}
DESCRIPTIONS = {
    "newman-appendix": (
        "the 1,970 lemmas of the paper's appendix, correct forms (default under protocol released)"
    ),
    "newman-clean": "the appendix without non-verbs, typos, was/were and modals (default)",
    "newman-released": "the 1,951 rows of the authors' published file, with its faults",
    "newman-full": f"the paper's 3,562; made by: {MAKE_FULL}",
    "french": "2,000 French verbs, third persons of the present (Lefff, LGPL-LR)",
    "german": "2,000 German verbs, third persons of the present (german-pos-dict, CC BY-SA 4.0)",
    "hebrew": "231 Hebrew verbs, masculine participles of the present, written by hand",
    "russian": (
        "2,000 Russian imperfective verbs, third persons of the present (OpenCorpora, CC BY-SA 3.0)"
    ),
}
REQUIRED = ("lemma", "singular", "plural")
BAND_EDGES = (3.0, 4.0, 5.0)  # zipf: 1, 10 and 100 uses per million words
BANDS = ("under 1 a million", "1 to 10 a million", "10 to 100 a million", "over 100 a million")
# Spellings of yes and no in the column noun of a file.
_YES_OR_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True)
class Lemmas:
    """A verb list: its name, and a table with a row per lemma.

    Columns: lemma, singular (third person), plural (base); in the English lists also past (for be
    "was/were"), homograph ("" or why a form's probability may not be present agreement: "past"
    where the base is also a past form, "modal"), noun (bool: also a noun), left_out (why
    newman-clean leaves it out, or ""), zipf (log10 of the uses of both forms in a billion words)
    and band, its band of frequency (`BANDS`).

    Raises InputError for no row, a missing column, and with all faulty rows for an empty form, two
    equal forms, a repeated row, a noun that is neither yes nor no.
    """

    name: str
    table: pd.DataFrame = field(repr=False)
    origin: InitVar[RawTable | None] = None  # where the rows stand, for messages

    def __post_init__(self, origin: RawTable | None):
        raw = origin or raw_table(self.table, f"the lemma list {self.name}")
        where = raw.where
        table = _plain_forms(raw)
        faults = _faults(table)
        if (faults != "").any():
            raise _faulty_rows_error(faults, where)
        if "noun" in table and not is_bool_dtype(table["noun"]):
            table["noun"] = _as_bool(table["noun"]).astype(bool)
        if "zipf" in table:
            table["zipf"] = pd.to_numeric(table["zipf"], errors="coerce")
            # A word without a frequency is in no band.
            edges = [-np.inf, *BAND_EDGES, np.inf]
            table["band"] = pd.cut(table["zipf"], edges, right=False, labels=BANDS)
        table = table.reset_index(drop=True)
        object.__setattr__(self, "table", table)  # the way to set an attribute of a frozen class

    def __len__(self) -> int:
        return len(self.table)

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits that change when a form changes.

        The order of the rows and further columns do not matter.
        """
        lines = []
        for forms in sorted(self.table[[*REQUIRED]].itertuples(index=False, name=None)):
            lines.append(",".join(forms))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def _plain_forms(raw: RawTable) -> pd.DataFrame:
    """The table of a verb list as plain text, but for its columns of numbers.

    The index holds the location of each row. Raises InputError for a missing column.
    """
    table = raw.cells.set_axis(raw.lines)
    if not set(REQUIRED) <= set(table):
        columns = ", ".join(table)
        raise InputError(
            f"{raw.where}: needs rows with the columns {', '.join(REQUIRED)}; has {columns}"
        )
    texts = [name for name in table if name in REQUIRED or not is_numeric_dtype(table[name])]
    return plain_table(table, raw.where, texts)


def _as_bool(noun: pd.Series) -> pd.Series:
    """The values of a column of yes and no; missing for any other."""
    return noun.astype("str").str.lower().map(_YES_OR_NO)


def _faults(table: pd.DataFrame) -> pd.Series:
    """The fault of each row of a verb list; empty where it has none."""
    rows_with_fault = {
        "the lemma or a form is empty": (table[[*REQUIRED]] == "").any(axis=1),
        "both forms are the same; they must differ": table["singular"] == table["plural"],
        "these two forms appear in an earlier row; keep one": table.duplicated(
            ["singular", "plural"]
        ),
    }
    if "noun" in table and not is_bool_dtype(table["noun"]):
        rows_with_fault["noun must be yes or no"] = _as_bool(table["noun"]).isna()
    faults = pd.Series("", table.index, dtype="str")
    for fault, is_faulty in rows_with_fault.items():
        faults = faults.mask((faults == "") & is_faulty, fault)
    return faults


def _faulty_rows_error(faults: pd.Series, where: str) -> InputError:
    """The error for the faulty rows of a list, all in one line."""
    faults = faults[faults != ""]
    if len(faults) == 1:
        return InputError(f"{faults.index[0]}: {faults.iloc[0]}")
    parts = []
    for fault, of_fault in faults.groupby(faults, sort=False):
        rows = [location.removeprefix(where).lstrip(":, ") for location in of_fault.index]
        parts.append(f"{fault}: {', '.join(rows)}")
    return InputError(f"{where}: {len(faults):,} rows are faulty ({'; '.join(parts)})")


def load_lemmas(name_or_path: str | Path | pd.DataFrame | Lemmas = DEFAULT) -> Lemmas:
    """A verb list by name, or from a file or a table with columns lemma, singular, plural.

    A file is one that ``tse_core.datasets.formats`` reads, such as .csv or .tsv. A `Lemmas` stays
    as it is.

    Raises InputError for an unknown name, and what `Lemmas` raises.

    >>> lemmas = load_lemmas("newman-appendix")
    >>> len(lemmas)
    1970
    >>> lemmas.table.set_index("plural").loc["quiz", "singular"]
    'quizzes'
    """
    if isinstance(name_or_path, Lemmas):
        return name_or_path
    if isinstance(name_or_path, pd.DataFrame):
        list_name = origin_of(name_or_path).name or "verbs"
        raw = raw_table(name_or_path, f"the lemma list {list_name}")
        return Lemmas(list_name, raw.cells, raw)
    name = str(name_or_path)
    if not is_file_name(name):
        return _named_list(name)
    raw, _ = read_file(name)
    return Lemmas(Path(name).stem, raw.cells, raw)


def _named_list(name: str) -> Lemmas:
    """A list that comes with the project, or that is made here. Raises InputError."""
    hint = " (or a .csv or .tsv file with the columns lemma, singular, plural)"
    check_known("lemma list", name, list_lemmas(), hint)
    if name == "newman-clean":
        table = load_lemmas("newman-appendix").table
        return Lemmas(name, table[table["left_out"] == ""])
    if name != "newman-full":
        raw, _ = read_file(data_folder() / "lemmas" / f"{name}.csv")
        return Lemmas(name, raw.cells, raw)
    if not full_list_file().is_file():
        raise InputError(f"newman-full has not been made here: {MAKE_FULL}")
    raw, _ = read_file(full_list_file())
    return Lemmas(name, raw.cells, raw)


def list_lemmas() -> dict[str, str]:
    """Name -> one line, for each list that comes with the project."""
    descriptions = dict(DESCRIPTIONS)
    for path in sorted((data_folder() / "lemmas").glob("*.csv")):
        descriptions.setdefault(path.stem, "")
    return descriptions


def full_list_file() -> Path:
    """The file of the paper's full list, which `MAKE_FULL` writes."""
    return cache_folder() / "lemmas" / "newman-full.csv"
