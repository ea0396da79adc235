"""Recorded runs on treebanks: m at every site for every verb, by sentence and token.

    data/recorded/MODEL/treebanks/English-EWT.parquet
    data/recorded/MODEL/treebanks/English-GUM-words.parquet  a sample by whole words

A file (`tse_core.results.parquet`) holds no text of the treebank: which sentence and token each site is, what its
annotation says of the subject and the words between, and numbers in half precision, those of m with 8 binary digits.
Their sign stays, and so does EW. With it every statement on treebanks is computed again without a model.
"""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from tse_book.recorded.compact import compact
from tse_book.recorded.provenance import runs_folder
from tse_book.studies.treebanks import (
    PRONOUN,
    TreebankScores,
    known_verbs,
)
from tse_core.datasets.downloads import data_set_of
from tse_core.datasets.formats.conllu.sentences import is_treebank, treebank_name
from tse_core.datasets.lemmas import REQUIRED, load_lemmas
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import Signature

HOLDS = "treebank scores"  # the fact by which such a file is known
DIGITS = 8
NOUNS = "-and-nouns"  # how the name of a list ends that has pairs of nouns beside the verbs


def is_treebank_name(name: str) -> bool:
    """Whether a name is that of a treebank: a data set of data/datasets.yaml, or a file."""
    match = data_set_of(name)
    return is_treebank(name) or (match is not None and match[0].format == "conllu")


def file_of(home: Path, data: str, by_words: bool = False) -> Path:
    """The file of a treebank in the folder of a run: ud/English-EWT is English-EWT.parquet, of words -words.parquet."""
    ending = "-words" if by_words else ""
    return home / "treebanks" / f"{treebank_name(data)}{ending}.parquet"


def write_treebank(path: Path, scores: TreebankScores) -> None:
    """Write the scores of a treebank in half precision."""
    after_pronoun = (scores.sites["kind"] == PRONOUN).to_numpy()
    tables = {
        "sites": scores.sites,
        "verbs": scores.verbs[list(REQUIRED)],
        "log_odds": _halves(_rounded(scores.log_odds.T)),
        "likelihoods": _halves(scores.likelihoods[after_pronoun].T),
    }
    facts = {"holds": HOLDS, "left_out": scores.left_out, **asdict(scores.signature)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_tables(path, tables, facts)
    compact(path)


def recorded_treebank(
    model: str, data: str, folder: Path | None = None, *, by_words: bool = False
) -> TreebankScores | None:
    """The recorded scores of a model on a treebank, or those of a sample by whole words; None where it has none.

    Raises InputError for a damaged file.
    """
    path = file_of(runs_folder(folder) / model, data, by_words)
    return read_treebank(path) if path.exists() else None


def read_treebank(path: Path) -> TreebankScores:
    """The scores in a file. Raises InputError for a damaged file."""
    tables, facts = read_tables(path)
    signature = Signature(facts["identity"], facts["policy"], facts["provenance"])
    sites, verbs = tables["sites"], tables["verbs"]
    likelihoods = np.full((len(sites), len(verbs)), np.nan, dtype="float32")
    after_pronoun = (sites["kind"] == PRONOUN).to_numpy()
    likelihoods[after_pronoun] = _whole(tables["likelihoods"], len(verbs))
    list_name = signature.policy["lemmas"].partition("@")[0].removesuffix(NOUNS)
    return TreebankScores(
        sites,
        known_verbs(verbs, load_lemmas(list_name)),
        _whole(tables["log_odds"], len(verbs)),
        likelihoods,
        signature,
        facts["left_out"],
    )


def _rounded(values: np.ndarray) -> np.ndarray:
    """Numbers in single precision with `DIGITS` binary digits, right to 1 in 256."""
    lost = 24 - DIGITS  # of the digits of single precision
    bits = np.ascontiguousarray(values, dtype="float32").view("uint32") + np.uint32(1 << (lost - 1))
    return (bits >> lost << lost).view("float32")


def _halves(values: np.ndarray) -> pd.DataFrame:
    """Numbers in half precision as two columns: the first bytes, which are alike, compress by themselves."""
    bits = values.astype("float16").ravel().view("uint16")
    return pd.DataFrame(
        {"first": (bits >> 8).astype("uint8"), "last": (bits & 255).astype("uint8")}
    )


def _whole(table: pd.DataFrame, verbs: int) -> np.ndarray:
    """The numbers of two columns as (sites, verbs), in single precision."""
    bits = table["first"].to_numpy("uint16") << 8 | table["last"].to_numpy("uint16")
    return bits.view("float16").astype("float32").reshape(verbs, -1).T
