"""CLAMS (Mueller et al. 2020): Marvin and Linzen's constructions in five languages, as pairs.

The files hold a True and a False sentence in turn and nothing else, so that subjects and attractors
are not known. Their folder names the language (``fr_evalset``), whose verb list and three rules
turn the sentences into agreement pairs:

- A pair is kept if its sentences differ in one word, which is a form of a verb. Pairs in which an
  adjective agrees too (les auteurs sont petits / est petit) are set aside: they have no single
  slot, and the adjective would tell a masked model the number. So are Russian pairs without a
  verb (авторы старые / старый).
- Text is in Unicode's composed form (NFC) and written as the language writes it: no space before a
  comma, l'auteur, and Hebrew prefixes joined to their word, except right before the slot, where
  "and" stays a separate word.
- Files on reflexives and negative polarity (English only) are about no verb: none of their pairs
  is left.

Known faults are kept as they are: German "den Wächter" behind a preposition lacks the ending of the
dative.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import DEFAULT, LANGUAGES, Lemmas, load_lemmas
from tse_core.datasets.raw_tables import RawTable, raw_table
from tse_core.errors import InputError, one_line
from tse_core.files import read_text
from tse_core.words import plain

ENDINGS = (".txt",)
_FOLDER = re.compile(r"([a-z]{2})_evalset")

# Why a pair is set aside.
SEVERAL = "an adjective agrees too"
NO_VERB = "an adjective stands in the verb's place"

# Words that the files write apart from the word behind them.
JOINED = {
    "fr": ("l'",),
    "he": ("ה", "ו", "ש", "ב"),
}

# Verbs of the files that the verb lists do not hold: (singular, plural) -> lemma. Russian "waited"
# is a past, which agrees in number there.
UNLISTED = {
    "en": {("swims", "swim"): "swim", ("admires", "admire"): "admire"},
    "ru": {("ждал", "ждали"): "ждать"},
}
_COLUMNS = ["id", "lemma", "left", "right", "number", "correct", "wrong"]


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a file lies in a folder of CLAMS, such as ``fr_evalset``."""
    is_text = path.suffix.lower() in ENDINGS
    return is_text and not columns and _FOLDER.fullmatch(path.parent.name) is not None


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """The pairs of a file by the verb list of its language, and how many it sets aside, and why.

    Raises InputError where none is left.
    """
    language = path.parent.name.partition("_")[0]
    verbs = load_lemmas(LANGUAGES.get(language) or DEFAULT)
    pairs, aside = verb_pairs(path, language, verbs)
    if pairs.empty:
        raise InputError(f"{path}: no two sentences differ in a verb of the list {verbs.name}")
    return replace(raw_table(pairs, str(path)), aside=aside), columns


def verb_pairs(path: Path, language: str, lemmas: Lemmas) -> tuple[pd.DataFrame, Counter[str]]:
    """The agreement pairs of a file, and the number of pairs set aside for each reason.

    ``language`` is a code of two letters (fr), ``lemmas`` the verbs of that language. Columns of
    the pairs: id, lemma, left, right, number, correct, wrong. The number in an id is that of the
    pair in its file, so that it stays when other pairs are set aside.
    """
    lemma_of = _lemma_of_forms(language, lemmas)
    joined = JOINED.get(language, ())
    pairs: list[tuple[str, ...]] = []
    aside: Counter[str] = Counter()
    for pair_number, (good, bad) in enumerate(_sentences(path), start=1):
        position = _only_difference(good, bad)
        if position is None:
            aside[SEVERAL] += 1
            continue
        correct, wrong = good[position], bad[position]
        if (correct, wrong) in lemma_of:
            number, lemma = "singular", lemma_of[correct, wrong]
        elif (wrong, correct) in lemma_of:
            number, lemma = "plural", lemma_of[wrong, correct]
        else:
            aside[NO_VERB] += 1
            continue
        pair_id = f"{language}/{path.stem}/{pair_number}"
        left = written(good[:position], joined)
        right = written(good[position + 1 :], joined)
        pairs.append((pair_id, lemma, left, right, number, correct, wrong))
    return pd.DataFrame(pairs, columns=_COLUMNS), aside


def _lemma_of_forms(language: str, lemmas: Lemmas) -> dict[tuple[str, str], str]:
    """The lemma of each pair of a singular and a plural form."""
    table = lemmas.table
    forms = zip(table["singular"], table["plural"], strict=True)
    lemma_of = dict(zip(forms, table["lemma"], strict=True))
    return lemma_of | UNLISTED.get(language, {})


def _sentences(path: Path) -> list[tuple[list[str], list[str]]]:
    """The words of the good and of the bad sentence of each pair of a file."""
    words: dict[str, list[list[str]]] = {"True": [], "False": []}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        holds, _, sentence = line.partition("\t")
        if holds.strip() not in words or not sentence.strip():
            raise InputError(
                f"{path}, line {number}: {one_line(line, 60)!r} is not True or False, a tab and a "
                "sentence"
            )
        words[holds.strip()].append(plain(sentence).split())
    if len(words["True"]) != len(words["False"]):
        raise InputError(
            f"{path}: has {len(words['True'])} sentences that hold, and "
            f"{len(words['False'])} that do not; they are pairs"
        )
    return list(zip(words["True"], words["False"], strict=True))


def _only_difference(good: list[str], bad: list[str]) -> int | None:
    """The position of the one word in which two sentences differ; None if there is no such word."""
    if len(good) != len(bad):
        return None
    positions = [i for i in range(len(good)) if good[i] != bad[i]]
    return positions[0] if len(positions) == 1 else None


def written(words: list[str], joined: tuple[str, ...]) -> str:
    """Words that a file separates by spaces, spelled as in their language.

    ``joined`` are the words that the language writes together with the word behind them.

    >>> written("les auteurs , que l' adjoint".split(), ("l'",))
    "les auteurs, que l'adjoint"
    """
    text = ""
    previous = ""
    for word in words:
        needs_space = previous and previous not in joined and word != ","
        text += f" {word}" if needs_space else word
        previous = word
    return text
