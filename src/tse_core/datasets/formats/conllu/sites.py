"""Sites of agreement in treebanks: a verb in the present behind its subject, in a whole sentence.

A site is a word with the tag VERB or AUX in a finite form of the present indicative, third person,
whose one subject (nsubj, nsubj:pass) stands to its left, is a noun, a name or a personal pronoun,
is not coordinated and has its number. A space stands before the word. An auxiliary or a copula has
the subject of its head. A feature that a treebank does not give is not held against a word.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import pandas as pd

from tse_core.datasets.formats.conllu.sentences import Sentence, Word
from tse_core.errors import InputError

COLUMNS = [
    "sent_id",  # with token, where the site is
    "token",
    "document",
    "genre",
    "kind",  # of the subject: noun, name or pronoun
    "number",
    "distance",  # words between the subject and the site
    "between",  # `_nouns_between`
    "lemma",
    "form",
    "subject",
    "subject_lemma",
    "left",
    "right",
]
# What keeps a verb from being a site.
NO_PRESENT = "no finite present of the third person"
NOT_ONE_SUBJECT = "not exactly one subject"
SUBJECT_BEHIND = "subject behind the verb"
NO_NOUN = "subject is no noun, name or personal pronoun"
COORDINATED = "subject is coordinated"
OTHER_NUMBER = "subject has another number"
CONTRACTED = "part of a contraction"
NO_SPACE = "no space before the verb"
RULES = (  # in the order in which a verb is held against them
    NO_PRESENT,
    NOT_ONE_SUBJECT,
    SUBJECT_BEHIND,
    NO_NOUN,
    COORDINATED,
    OTHER_NUMBER,
    CONTRACTED,
    NO_SPACE,
)
_VERBS = ("VERB", "AUX")
_NUMBERS = {"Sing": "singular", "Plur": "plural"}
_KINDS = {"NOUN": "noun", "PROPN": "name", "PRON": "pronoun"}
_SUBJECTS = ("nsubj", "nsubj:pass")
_OF_HEADS = ("aux", "cop")  # relations of words that have the subject of their head
# Of a language whose treebanks mark more words as personal (everyone, one): those that are.
_PERSONAL = {"en": ("he", "she", "it", "they")}


def sites(sentences: Iterable[Sentence], language: str = "") -> tuple[pd.DataFrame, Counter[str]]:
    """The sites of some sentences, and how many verbs fail each of the `RULES` first.

    `language` is a code of two letters, or "" if it is not known. Columns: `COLUMNS`, all text;
    left and right are the whole text before and behind the verb.
    """
    rows = []
    left_out: Counter[str] = Counter()
    for sentence in sentences:
        for word in sentence.words:
            if word.tag not in _VERBS:
                continue
            subjects = subjects_of(sentence, word)
            rule = _failed_rule(sentence, word, subjects, language)
            if rule:
                left_out[rule] += 1
            else:
                rows.append(_site(sentence, word, subjects[0]))
    in_order = {rule: left_out[rule] for rule in RULES if left_out[rule]}
    return pd.DataFrame(rows, columns=COLUMNS, dtype="str"), Counter(in_order)


def subjects_of(sentence: Sentence, word: Word) -> list[Word]:
    """The subjects of a verb; those of its head where it is an auxiliary or a copula."""
    is_of_head = word.relation.partition(":")[0] in _OF_HEADS
    head = word.head if is_of_head else word.number
    subjects = []
    for other in sentence.words:
        if other.head == head and other.relation in _SUBJECTS:
            subjects.append(other)
    return subjects


def _failed_rule(sentence: Sentence, word: Word, subjects: Sequence[Word], language: str) -> str:
    """The first of the `RULES` that a verb fails; "" if it meets all."""
    if not is_present(word):
        return NO_PRESENT
    if len(subjects) != 1:
        return NOT_ONE_SUBJECT
    subject = subjects[0]
    if subject.number > word.number:
        return SUBJECT_BEHIND
    if not is_third_person(subject, language):
        return NO_NOUN
    if any(_is_conjunct_of(other, subject) for other in sentence.words):
        return COORDINATED
    number = word.features["Number"]
    if subject.features.get("Number", number) != number:
        return OTHER_NUMBER
    if word.is_contracted:
        return CONTRACTED
    before = sentence.text[: word.start]
    if not before[-1:].isspace():
        return NO_SPACE
    return ""


def is_present(word: Word) -> bool:
    """Whether a word is a finite verb, present indicative, third person, with a number."""
    features = word.features
    return (
        word.tag in _VERBS
        and features.get("VerbForm", "Fin") == "Fin"
        and features.get("Mood", "Ind") == "Ind"
        and features.get("Tense") == "Pres"
        and features.get("Person", "3") == "3"
        and features.get("Number") in _NUMBERS
    )


def is_third_person(subject: Word, language: str) -> bool:
    """Whether a subject is a noun, a name or a personal pronoun of the third person."""
    if subject.tag not in _KINDS:
        return False
    if subject.tag != "PRON":
        return True
    features = subject.features
    if features.get("PronType") != "Prs" or features.get("Person") != "3":
        return False
    return language not in _PERSONAL or subject.form.lower() in _PERSONAL[language]


def _is_conjunct_of(word: Word, other: Word) -> bool:
    return word.head == other.number and word.relation.partition(":")[0] == "conj"


def _site(sentence: Sentence, word: Word, subject: Word) -> dict[str, str]:
    """A row of the table of sites."""
    return {
        "sent_id": sentence.name,
        "token": str(word.number),
        "document": sentence.document,
        "genre": sentence.genre,
        "kind": _KINDS[subject.tag],
        "number": _NUMBERS[word.features["Number"]],
        "distance": str(word.number - subject.number - 1),
        "between": _nouns_between(sentence, word, subject),
        "lemma": word.lemma,
        "form": word.form,
        "subject": subject.form,
        "subject_lemma": subject.lemma,
        "left": sentence.text[: word.start],
        "right": sentence.text[word.end :],
    }


def _nouns_between(sentence: Sentence, word: Word, subject: Word) -> str:
    """Whether nouns and names between subject and verb have the verb's number.

    "none" if there are none with a number, "same" if all have it, else "other".
    """
    numbers = set()
    for other in sentence.words:
        is_between = subject.number < other.number < word.number
        if is_between and other.tag in ("NOUN", "PROPN") and "Number" in other.features:
            numbers.add(other.features["Number"])
    if not numbers:
        return "none"
    return "same" if numbers == {word.features["Number"]} else "other"


def no_sites_error(where: str, sentences: Sequence[Sentence]) -> InputError:
    """The error for a treebank without a site: what it lacks, and what would be right."""
    # The first thing that is lacking explains why there is nothing behind it.
    words = list(chain.from_iterable(sentence.words for sentence in sentences))
    verbs = [word for word in words if word.tag in _VERBS]
    relations = {word.relation for word in words}
    if not verbs:
        lack = "no word has the tag VERB or AUX"
        remedy = "sites are verbs by their tag of Universal Dependencies, in the fourth cell"
    elif not any("Number" in word.features for word in verbs):
        lack = f"no verb of {len(verbs):,} has a Number"
        remedy = "agreement in number needs treebanks that mark it on verbs (Number=Sing, Plur)"
    elif not relations & set(_SUBJECTS):
        lack = "no word has the relation nsubj"
        remedy = "sites need subjects by the relations of Universal Dependencies, nsubj, nsubj:pass"
    elif not any(is_present(word) for word in verbs):
        lack = _no_present(verbs)
        remedy = (
            "sites are verbs with VerbForm=Fin, Mood=Ind, Tense=Pres, Person=3 and Number; a "
            "language whose present is no such form has none"
        )
    else:
        lack = f"no verb of {len(verbs):,} has one subject with its number to its left"
        remedy = "sites are verbs in the present behind a noun, a name or a pronoun"
    return InputError(f"{where}: there are no sites, as {lack}; {remedy}")


def _no_present(verbs: Sequence[Word]) -> str:
    """What stands instead of a finite present; participles where there are some."""
    participles = 0
    for word in verbs:
        is_participle = word.features.get("VerbForm") == "Part"
        if is_participle and word.features.get("Tense", "Pres") == "Pres":
            participles += 1
    lack = f"no verb of {len(verbs):,} is a finite present of the third person"
    return f"{lack} ({participles:,} are participles)" if participles else lack
