"""CLAMS (Mueller et al. 2020): Marvin and Linzen's constructions in five languages, read as agreement pairs.

The files hold a True and a False sentence in turn and nothing else, so that subjects and attractors are not known.
The verb list of the language and three rules turn the sentences into pairs:

- A pair is kept if its sentences differ in one word, which is a form of a verb. Pairs in which an adjective agrees too
  (les auteurs sont petits / est petit) are set aside: they have no single slot, and the adjective would tell a masked
  model the number. So are Russian pairs without a verb (авторы старые / старый).
- Text is in Unicode's composed form (NFC) and written as the language writes it: no space before a comma, l'auteur, and
  Hebrew prefixes joined to their word, except right before the slot, where "and" stays a separate word.
- Files on reflexives and negative polarity (English only) are about no verb and are not in data/datasets.yaml.

Known faults are kept as they are: German "den Wächter" behind a preposition lacks the ending of the dative.
"""

import csv
from collections import Counter
from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import Lemmas
from tse_core.words import plain

SEVERAL, NO_VERB = (
    "an adjective agrees too",
    "an adjective stands in the verb's place",
)  # why a pair is set aside
JOINED = {
    "fr": ("l'",),
    "he": ("ה", "ו", "ש", "ב"),
}  # words that the files write apart from the word behind them
UNLISTED = {  # verbs of the files that the verb lists do not hold; waited is a past, which agrees in number in Russian
    "en": {("swims", "swim"): "swim", ("admires", "admire"): "admire"},
    "ru": {("ждал", "ждали"): "ждать"},
}


def verb_pairs(path: Path, language: str, lemmas: Lemmas) -> tuple[pd.DataFrame, Counter[str]]:
    """The pairs of a file of a language (fr) with these verbs, and how many pairs were set aside for which reason.

    Columns of the pairs: id, lemma, left, right, number, correct, wrong.
    """
    lines = pd.read_csv(
        path, sep="\t", names=["holds", "sentence"], dtype="str", quoting=csv.QUOTE_NONE
    )
    said = [lines.loc[lines["holds"].str.strip() == word, "sentence"] for word in ("True", "False")]
    listed = lemmas.table[["singular", "plural", "lemma"]].itertuples(index=False)
    lemma_of = {(singular, plural): lemma for singular, plural, lemma in listed} | UNLISTED.get(
        language, {}
    )
    joined = JOINED.get(language, ())
    rows: list[tuple[str, ...]] = []
    aside: Counter[str] = Counter()
    for pair, sentences in enumerate(zip(*said, strict=True), start=1):
        good, bad = (plain(sentence).split() for sentence in sentences)
        parted = [i for i, both in enumerate(zip(good, bad, strict=False)) if both[0] != both[1]]
        if len(good) != len(bad) or len(parted) != 1:
            aside[SEVERAL] += 1
            continue
        (verb,) = parted
        forms = good[verb], bad[verb]
        number, lemma = (
            ("singular", lemma_of[forms])
            if forms in lemma_of
            else ("plural", lemma_of.get(forms[::-1]))
        )
        if lemma is None:
            aside[NO_VERB] += 1
            continue
        sides = written(good[:verb], joined), written(good[verb + 1 :], joined)
        rows.append((f"{language}/{path.stem}/{pair}", lemma, *sides, number, *forms))
    return pd.DataFrame(
        rows, columns=["id", "lemma", "left", "right", "number", "correct", "wrong"]
    ), aside


def written(words: list[str], joined: tuple[str, ...]) -> str:
    """Words that a file separates by spaces, spelled as in their language.

    >>> written("les auteurs , que l' adjoint".split(), ("l'",))
    "les auteurs, que l'adjoint"
    """
    text = previous = ""
    for word in words:
        apart = previous and previous not in joined and word != ","
        text, previous = f"{text} {word}" if apart else text + word, word
    return text
