"""Verb lists from treebanks: the lemmas that are attested in both numbers."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TypeAlias

import pandas as pd

from tse_core.datasets.formats.conllu.sentences import Sentence, Word
from tse_core.datasets.formats.conllu.sites import is_present, is_third_person, subjects_of

# The uses of a lemma: how often each of its forms is used, by its number ("Sing" or "Plur"), under
# each set of further features (gender, tense, voice, polarity).
_Uses: TypeAlias = dict[frozenset, dict[str, Counter[str]]]
# All forms that count have these, whether the treebank says so or not.
_OF_ALL = ("Number", "Person", "Mood", "VerbForm")


def attested_verbs(sentences: Iterable[Sentence], language: str = "") -> pd.DataFrame:
    """The verbs of which the third person of the present is attested in both numbers.

    Columns lemma, singular, plural, in lower case, sorted. The two forms of a lemma are equal in
    all other features, such as gender, tense and voice; of several such pairs of forms the most
    frequent one counts. A form of which the treebank does not give the person counts where its
    subject is a noun, a name or a pronoun of the third person. Parts of contractions are no forms.
    """
    uses_of: dict[str, _Uses] = defaultdict(dict)
    for sentence in sentences:
        for word in sentence.words:
            if _is_form(sentence, word, language):
                _count(uses_of[word.lemma.lower()], word)
    rows = []
    for lemma in sorted(uses_of):
        forms = _forms(uses_of[lemma])
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


def _count(uses: _Uses, word: Word) -> None:
    """Count a use of a form, under its further features and its number."""
    further = {name: value for name, value in word.features.items() if name not in _OF_ALL}
    features = frozenset(further.items())
    forms = uses.setdefault(features, {"Sing": Counter(), "Plur": Counter()})
    forms[word.features["Number"]][word.form.lower()] += 1


def _forms(uses: _Uses) -> tuple[str, str] | None:
    """The two forms of a lemma that are used most; None if no two forms are attested."""
    candidates = []
    for forms in uses.values():
        if not forms["Sing"] or not forms["Plur"]:
            continue
        singular = _most_frequent(forms["Sing"])
        plural = _most_frequent(forms["Plur"])
        if singular != plural:
            count = forms["Sing"][singular] + forms["Plur"][plural]
            candidates.append((-count, singular, plural))
    if not candidates:
        return None
    # The most uses come first by their sign; of equally many the first forms of the alphabet.
    _, singular, plural = min(candidates)
    return singular, plural


def _most_frequent(forms: Counter[str]) -> str:
    """The most frequent form, of several the first in order of the alphabet."""
    return min(forms, key=lambda form: (-forms[form], form))
