"""Verb lists from treebanks: the lemmas that are attested in both numbers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import pandas as pd

from tse_core.datasets.formats.conllu.sentences import Sentence, Word
from tse_core.datasets.formats.conllu.sites import is_present, is_third_person, subjects_of

_Cell = frozenset  # features of a form: gender, tense, voice, polarity
# All forms that count have these, whether the treebank says so or not.
_OF_ALL = ("Number", "Person", "Mood", "VerbForm")


def attested_verbs(sentences: Iterable[Sentence], language: str = "") -> pd.DataFrame:
    """The verbs of which the third person of the present is attested in both numbers.

    Columns lemma, singular, plural, in lower case, sorted. The two forms of a lemma are equal in
    all other features, such as gender, tense and voice; of several such pairs of forms the most
    frequent one counts. A form of which the treebank does not give the person counts where its
    subject is a noun, a name or a pronoun of the third person. Parts of contractions are no forms.
    """
    uses: dict[str, dict[_Cell, dict[str, Counter[str]]]] = defaultdict(dict)
    for sentence in sentences:
        for word in sentence.words:
            if _is_form(sentence, word, language):
                _count(uses[word.lemma.lower()], word)
    rows = []
    for lemma in sorted(uses):
        forms = _forms(uses[lemma])
        if forms is not None:
            rows.append((lemma, *forms))
    table = pd.DataFrame(rows, columns=["lemma", "singular", "plural"], dtype="str")
    # Lemmas with the same two forms are one verb, for whatever reason it has two names.
    return table.drop_duplicates(["singular", "plural"], ignore_index=True)


def _is_form(sentence: Sentence, word: Word, language: str) -> bool:
    """Whether a word is a form of the third person of the present."""
    if not is_present(word) or not word.lemma or word.is_contracted:
        return False
    if "Person" in word.features:
        return True
    subjects = subjects_of(sentence, word)
    return len(subjects) == 1 and is_third_person(subjects[0], language)


def _count(cells: dict[_Cell, dict[str, Counter[str]]], word: Word) -> None:
    """Count a use of a form, under its further features and its number."""
    further = {name: value for name, value in word.features.items() if name not in _OF_ALL}
    cell = frozenset(further.items())
    forms = cells.setdefault(cell, {"Sing": Counter(), "Plur": Counter()})
    forms[word.features["Number"]][word.form.lower()] += 1


def _forms(cells: Mapping[_Cell, Mapping[str, Counter[str]]]) -> tuple[str, str] | None:
    """The two forms of a lemma that are used most; None if no two forms are attested."""
    candidates = []
    for forms in cells.values():
        if not forms["Sing"] or not forms["Plur"]:
            continue
        singular = _most_frequent(forms["Sing"])
        plural = _most_frequent(forms["Plur"])
        if singular != plural:
            uses = forms["Sing"][singular] + forms["Plur"][plural]
            candidates.append((-uses, singular, plural))
    if not candidates:
        return None
    _, singular, plural = min(candidates)
    return singular, plural


def _most_frequent(forms: Counter[str]) -> str:
    """The most frequent form, of several the first in order of the alphabet."""
    return min(forms, key=lambda form: (-forms[form], form))
