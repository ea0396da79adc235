"""Treebanks of Universal Dependencies (CoNLL-U): a row for each verb that agrees with its subject.

A treebank is a file, a folder of files or a pattern that their names fit. The form of the text is
held against the verb's other form. This comes from the verb list of the language, where there is
one here, else from the treebank itself. A site whose verb no list holds has no other form: EW and
MW count its context, TSE does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tse_core.datasets.formats.conllu.sentences import (
    ENDING,
    is_treebank,
    language_of,
    read_sentences,
    treebank_files,
    treebank_name,
)
from tse_core.datasets.formats.conllu.sites import no_sites_error, sites
from tse_core.datasets.formats.conllu.verbs import attested_verbs
from tse_core.datasets.lemmas import DEFAULT, LANGUAGES, load_lemmas
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, SITE
from tse_core.datasets.raw_tables import RawTable, raw_table
from tse_core.datasets.treebank_pairs import TREEBANK, list_of_attested, with_other_forms
from tse_core.errors import InputError, warn
from tse_core.words import left_part, plain, right_part

ENDINGS = (ENDING,)
_SITE_COLUMNS = [*SITE, "document", "genre", "kind", "distance", "between", "form"]


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a path is that of a treebank."""
    return is_treebank(str(path))


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """The sites of a treebank. Raises InputError, also for names of columns."""
    if columns:
        raise InputError(f"{path}: is a treebank, whose columns are known; leave theirs out")
    return read_treebank(treebank_files(str(path)), treebank_name(str(path))), columns


def read_treebank(files: Sequence[Path], name: str) -> RawTable:
    """The sites of the files of one treebank: a row for each.

    Columns: those of agreement pairs, then ``sent_id``, ``token``, ``document``, ``genre`` (if a
    sentence states one), ``kind``, ``distance``, ``between`` and ``form`` (see ``sites.py`` beside
    this module); wrong is "" where no verb list has the other form. Its facts are those of
    ``tse_core.datasets.treebank_pairs``. A warning counts the verbs that are no sites. Raises
    InputError: no site; what `read_sentences` raises.
    """
    sentences, clusters = read_sentences(files)
    language = language_of(files)
    table, left_out = sites(sentences, language)
    where = str(files[0]) if len(files) == 1 else name
    if table.empty:
        raise no_sites_error(where, sentences)
    _warn_of_others(name, len(table), left_out)
    attested = list(attested_verbs(sentences, language).itertuples(index=False, name=None))
    # "" for English, whose list is that of the protocol.
    name_of_list = LANGUAGES.get(language, TREEBANK)
    cells = _cells(table)
    if name_of_list != TREEBANK:
        cells = with_other_forms(cells, load_lemmas(name_of_list or DEFAULT))
    elif attested:
        cells = with_other_forms(cells, list_of_attested(attested))
    facts = {
        "lemmas": name_of_list,
        "attested": tuple(attested),
        "clusters": clusters,
        "left_out": dict(left_out),
    }
    return replace(raw_table(cells, where), name=name, stem=name, facts=facts)


def _warn_of_others(name: str, count: int, left_out: Mapping[str, int]) -> None:
    """One line with the number of verbs that each rule left out."""
    reasons = "; ".join(f"{rule}: {number:,}" for rule, number in left_out.items())
    verbs = count + sum(left_out.values())
    warn(f"{name}: {count:,} of {verbs:,} verbs are sites of agreement; left out: {reasons}")


def _cells(table: pd.DataFrame) -> pd.DataFrame:
    """Sites in the columns of agreement pairs, without their other forms."""
    columns = list(_SITE_COLUMNS)
    if not table["genre"].any():
        columns.remove("genre")
    cells = table.assign(
        left=table["left"].map(left_part),
        right=table["right"].map(right_part),
        id=table["sent_id"] + ":" + table["token"],
        noun=table["subject_lemma"].str.lower(),
        correct=table["form"].map(plain),
    )
    return cells.reindex(columns=[*AGREEMENT_COLUMNS, *columns], fill_value="")
