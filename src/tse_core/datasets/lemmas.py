"""Verb lemmas: the two present-tense forms of each, and which of them a tokenizer holds as single entries.

Agreement is tested on many verbs at once. A lemma counts if BOTH its forms (third person singular and plural) are
single vocabulary entries, as only those have a probability at the verb slot (Newman et al. 2021, section 3).

Three English lists come with the project, all from that paper's appendix:

- ``newman-appendix``: the 1,970 lemmas as printed, with correct forms;
- ``newman-clean``: the same without non-verbs, typos, was/were and the modals;
- ``newman-released``: the 1,951 rows of the authors' published file, rebuilt by rule with its faults.

A fourth, ``newman-full``, the paper's 3,562, exists once a reader has made it from the Giant Verb List
(`tse_core.datasets.giant_verb_list`). For other languages there are ``french``, ``german``, ``hebrew`` and ``russian``;
data/README.md says where they come from.
"""

import hashlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.datasets.plain_text import check_names, is_text, text_cells, with_plain_text
from tse_core.datasets.tables import read_table
from tse_core.errors import InputError, unknown
from tse_core.files import read_yaml
from tse_core.paths import cache_folder, data_folder

DEFAULT = "newman-clean"
DEFAULTS = {"exact": DEFAULT, "released": "newman-appendix"}  # by protocol: the paper's own list goes with its own code
DESCRIPTIONS = {
    "newman-appendix": "the 1,970 lemmas of the paper's appendix, correct forms (default under protocol released)",
    "newman-clean": "the appendix without non-verbs, typos, was/were and modals (default)",
    "newman-released": "the 1,951 rows of the authors' published file, with its faults",
    "newman-full": "the paper's 3,562; made by: tse data lemmas --giant-verb-list FILE",
    "french": "2,000 French verbs, third persons of the present (Lefff, LGPL-LR)",
    "german": "2,000 German verbs, third persons of the present (german-pos-dict, CC BY-SA 4.0)",
    "hebrew": "231 Hebrew verbs, masculine participles of the present, written by hand",
    "russian": "2,000 Russian imperfective verbs, third persons of the present (OpenCorpora, CC BY-SA 3.0)",
}
REQUIRED = ("lemma", "singular", "plural")
BAND_EDGES = (3.0, 4.0, 5.0)  # zipf: 1, 10 and 100 uses per million words
BANDS = ("under 1 a million", "1 to 10 a million", "10 to 100 a million", "over 100 a million")


@dataclass(frozen=True)
class Lemmas:
    """A verb list.

    Attributes
    ----------
    name : str
    table : DataFrame
        One row per lemma: lemma, singular (third person), plural (base); in the English lists also past (for be
        "was/were"), homograph ("" or why a form's probability may not be present agreement: "past" where
        the base is also a past form, "modal"), noun (bool: also a noun), left_out (why newman-clean leaves it out, or
        ""), zipf (log10 of the uses of both forms in a billion words) and band, its band of frequency (`BANDS`).
    """

    name: str
    table: pd.DataFrame = field(repr=False)

    def __post_init__(self):
        """Plain text. Raises InputError for no row, a missing column, an empty form, a repeated row."""
        given = self.table
        where = given.attrs.get("where", f"the lemma list {self.name}")  # a table from a file has its lines as index
        check_names(given, where)
        further = [name for name in given if name not in REQUIRED and is_text(given[name])]
        table = given.assign(**{name: text_cells(given[name], where) for name in further})
        table = _typed(with_plain_text(table, where, REQUIRED, further), where)
        if table.empty:
            raise InputError(f"{where} holds no lemma; each row needs {', '.join(REQUIRED)}")
        faults = {
            f"{column} is empty; each row needs {', '.join(REQUIRED)}": table[column] == "" for column in REQUIRED
        }
        faults["both forms are the same; they must differ"] = table["singular"] == table["plural"]
        faults["these two forms appear in an earlier row; keep one"] = table.duplicated(["singular", "plural"])
        for fault, rows in faults.items():
            if rows.any():
                row = int(rows.to_numpy().argmax())
                place = f"{where}:{table.index[row]}" if "where" in given.attrs else f"{where}, row {row + 1}"
                raise InputError(f"{place} ({'/'.join(table[['singular', 'plural']].iloc[row])}): {fault}")
        table = table.reset_index(drop=True) if "where" in given.attrs else table
        table.attrs.pop("where", None)
        object.__setattr__(self, "table", table)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits that change when a form changes; order and further columns do not matter."""
        rows = sorted(zip(*(self.table[column] for column in REQUIRED), strict=True))
        return hashlib.sha256("\n".join(map(",".join, rows)).encode()).hexdigest()[:8]

    def inflection_ids(self, word_id: Callable[[str], int | None]) -> tuple[pd.DataFrame, np.ndarray]:
        """The lemmas a vocabulary holds, and where.

        Parameters
        ----------
        word_id : callable
            A whole word inside a sentence -> its vocabulary index, None if it is not a single entry.

        Returns
        -------
        table : DataFrame
            The rows whose two forms are two different single entries.
        ids : int64 array (lemmas, 2)
            Vocabulary indices: [singular, plural].
        """
        pairs = [(word_id(s), word_id(p)) for s, p in zip(self.table["singular"], self.table["plural"], strict=True)]
        kept = [row for row, (s, p) in enumerate(pairs) if s is not None and p is not None and s != p]
        ids = np.array([pairs[row] for row in kept], dtype=np.int64).reshape(-1, 2)
        return self.table.iloc[kept].reset_index(drop=True), ids

    def single_entries(self, model) -> tuple[pd.DataFrame, np.ndarray]:
        """`inflection_ids` of a model's vocabulary, all forms looked up at once."""
        words = list(dict.fromkeys([*self.table["singular"], *self.table["plural"]]))
        return self.inflection_ids(dict(zip(words, model.word_ids(words), strict=True)).get)


def load_lemmas(name_or_path: str | Path = DEFAULT) -> Lemmas:
    """A verb list by name, or from a .csv file with the columns lemma, singular, plural.

    Raises
    ------
    InputError
        For an unknown name, a missing file or column, an empty cell, or a row that occurs twice (with its line).

    Examples
    --------
    >>> lemmas = load_lemmas("newman-appendix")
    >>> len(lemmas)
    1970
    >>> lemmas.table.set_index("plural").loc["quiz", "singular"]
    'quizzes'
    """
    name = str(name_or_path)
    if name == "newman-full":
        return Lemmas(name, _full())
    if name in list_lemmas():
        folder = data_folder() / "lemmas"
        files = sorted(path for path in folder.iterdir() if path.suffix in (".csv", ".yaml", ".txt"))
        return deepcopy(_ours(name, folder, b"".join(path.read_bytes() for path in files)))
    path = Path(name)
    if path.suffix == ".csv":
        return Lemmas(path.stem, read_table(path))
    raise unknown("lemma list", name, list_lemmas(), " (or a .csv file with columns lemma,singular,plural)")


@lru_cache(maxsize=16)
def _ours(name: str, folder: Path, contents: bytes) -> Lemmas:
    """A list that comes with the project, cached; `contents` of the folder are part of the cache key."""
    if name in ("newman-appendix", "newman-clean"):
        return Lemmas(name, _appendix(clean=name == "newman-clean"))
    return Lemmas(name, _released() if name == "newman-released" else read_table(folder / f"{name}.csv"))


def list_lemmas() -> dict[str, str]:
    """Name -> one line, for each list that comes with the project."""
    files = (data_folder() / "lemmas").glob("*.csv")
    return DESCRIPTIONS | {path.stem: "" for path in sorted(files) if path.stem not in DESCRIPTIONS}


def third_person(verb: str) -> str:
    """The third person singular by the plain spelling rule behind the published list.

    have -> has; consonant + y -> ies; after sh, s, x, ch, z, o -> es; else s. Wrong for quiz, stomach and woo.

    >>> [third_person(verb) for verb in ("have", "try", "play", "pass", "go", "walk")]
    ['has', 'tries', 'plays', 'passes', 'goes', 'walks']
    """
    if verb == "have":
        return "has"
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "i", "o", "u"):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("sh", "s", "x", "ch", "z", "o")) else "s")


def _typed(table: pd.DataFrame, where: str) -> pd.DataFrame:
    """The list with noun as bool and zipf as a number with its band, where it has them."""
    if "noun" in table and not pd.api.types.is_bool_dtype(table["noun"]):
        words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        said = pd.Series(text_cells(table["noun"], where), index=table.index)
        known = said.str.strip().str.lower().map(words)
        if known.isna().any():
            row = known.isna().to_numpy().argmax()
            raise InputError(
                f"{where}: noun is {said.iloc[row]!r} for {table['lemma'].iloc[row]}; it must be yes or no"
            )
        table = table.assign(noun=known.astype(bool))
    if "zipf" not in table or ("band" in table and not is_text(table["zipf"])):
        return table
    zipf = pd.to_numeric(table["zipf"], errors="coerce")
    band = pd.cut(zipf, [-np.inf, *BAND_EDGES, np.inf], right=False, labels=BANDS)
    return table.assign(zipf=zipf, band=band)


def _appendix(clean: bool = False) -> pd.DataFrame:
    table = Lemmas("newman-appendix", read_table(data_folder() / "lemmas" / "newman-appendix.csv")).table
    return table[table["left_out"] == ""].reset_index(drop=True) if clean else table


def full_list_file() -> Path:
    """Where the full list is kept once it has been made."""
    return cache_folder() / "lemmas" / "newman-full.csv"


def _full() -> pd.DataFrame:
    file = full_list_file()
    if not file.is_file():
        raise InputError("newman-full has not been made here: tse data lemmas --giant-verb-list FILE")
    table = read_table(file)
    if missing := [column for column in ("past", "homograph", "noun", "left_out", "zipf") if column not in table]:
        raise InputError(
            f"{file}: no column {missing[0]}, it was made by an older version: tse data lemmas --giant-verb-list FILE"
        )
    return table


def _released() -> pd.DataFrame:
    """The published file's rows: the appendix' lemmas, most forms by `third_person`, the rest as listed."""
    folder = data_folder() / "lemmas"
    faults = read_yaml(folder / "released.yaml")
    entries = (folder / "appendix.txt").read_text(encoding="utf-8").split()
    plurals = [entry for entry in entries if entry not in faults["left_out"]]
    singulars = [faults["singular"].get(verb) or third_person(verb) for verb in plurals]
    table = pd.DataFrame({"lemma": plurals, "singular": singulars, "plural": plurals})
    details = _appendix().drop(columns=["lemma", "singular"])
    table = table.merge(details, on="plural", how="left", validate="one_to_one")
    table["lemma"] = table["lemma"].replace({"are": "be", "were": "be"})
    return table
