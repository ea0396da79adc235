"""Sentences of the laboratory language in large numbers: streamed, seeded, vectorised.

A block of sentences is drawn pattern by pattern: each element adds columns of word ids to a table with one row per
sentence (0 where a row has no word), and at the end the zeros are squeezed out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

import numpy as np

from tse_book.laboratory.language import Language
from tse_core.datasets.pairs import NUMBERS

BLOCK = 20_000


def sentences(language: Language, regime: str, number: int, seed: int = 0) -> Iterator[str]:
    """The corpus' first ``number`` sentences as text: ``The authors that the guard likes laugh.``"""
    for row in islice(stream(language, regime, seed), number):
        yield as_text([language.vocabulary[word] for word in row])


def stream(language: Language, regime: str, seed: int = 0) -> Iterator[np.ndarray]:
    """The endless corpus of a seed: int16 arrays of word ids without special tokens.

    Block k is drawn from the generator seeded by (seed, k), so a corpus is a prefix of every longer one.
    """
    for block in count():
        yield from draw(language, regime, BLOCK, np.random.default_rng([seed, block]))


def draw(
    language: Language, regime: str, number: int, random: np.random.Generator
) -> list[np.ndarray]:
    """One block of sentences in random order: a list of int16 arrays of word ids."""
    shares = [pattern.share for pattern in language.patterns]
    rows: list[np.ndarray] = []
    for pattern, wanted in zip(language.patterns, random.multinomial(number, shares), strict=True):
        if wanted:
            draft = Draft(language, regime, pattern.construction, int(wanted), random)
            for name, arguments in pattern.elements:
                ELEMENTS[name](draft, *arguments)
            rows.extend(draft.rows())
    return [rows[place] for place in random.permutation(number)]


def as_text(words: list[str]) -> str:
    """Words as a sentence: no space before a comma or full stop, first letter capitalised."""
    text = " ".join(words).replace(" ,", ",").replace(" .", ".")
    return text[:1].upper() + text[1:]


@dataclass
class Draft:
    """Sentences of one pattern in the making: word columns, and for each role its noun, number and `no`."""

    language: Language
    regime: str
    construction: str
    count: int
    random: np.random.Generator
    columns: list[np.ndarray] = field(default_factory=list)
    roles: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    verbs: list[dict[str, Any]] = field(
        default_factory=list
    )  # the name of a construction, and arrays

    def add(self, words: np.ndarray) -> None:
        """Append one column (n,) or several (n, width) of word ids; 0 is no word."""
        self.columns.append(words.reshape(self.count, -1).astype(np.int16))

    def rows(self) -> list[np.ndarray]:
        """The sentences with their full stops: one array of word ids each."""
        self.add(np.full(self.count, self.id("."), dtype=np.int16))
        table = np.hstack(self.columns)
        there = table > 0
        return np.split(table[there], np.cumsum(there.sum(axis=1))[:-1])

    def id(self, word: str) -> int:
        return self.language.word_ids(word)[0]

    def table(self, phrases: list[str]) -> np.ndarray:
        """Word ids of phrases, zeros behind the shorter ones: int array (phrases, width)."""
        ids = [self.language.word_ids(phrase) for phrase in phrases]
        width = max(map(len, ids))
        return np.array([[*words, *[0] * (width - len(words))] for words in ids])

    def listed(self, name: str) -> np.ndarray:
        """A random phrase of one of the language's lists per row: word ids (n, longest phrase)."""
        phrases = self.table(self.language.settings["lexicon"]["words"][name])
        return phrases[self.pick(len(phrases))]

    def pick(self, number: int, weights=None) -> np.ndarray:
        if weights is None:
            return self.random.integers(number, size=self.count)
        return np.searchsorted(
            np.cumsum(weights) / np.sum(weights), self.random.random(self.count), side="right"
        )

    def where(self, share: float | np.ndarray) -> np.ndarray:
        return self.random.random(self.count) < share


def _noun_phrase(draft: Draft, role: str, kind: str) -> None:
    nouns, settings = draft.language.nouns, draft.language.settings
    members = np.flatnonzero(nouns["class"] == kind)
    noun, number = members[draft.pick(len(members))], draft.pick(2)
    either = []
    for weights in (settings["determiners"][name] for name in NUMBERS):
        either.append(
            draft.table(list(weights))[draft.pick(len(weights), list(weights.values())), 0]
        )
    determiner = np.where(number == 0, *either)
    draft.add(determiner)
    draft.add(draft.listed("adjective")[:, 0] * draft.where(settings["attributive"]))
    draft.add(np.stack([draft.table(nouns[name].tolist()) for name in NUMBERS])[number, noun])
    draft.roles[role] = {"noun": noun, "number": number, "no": determiner == draft.id("no")}


def _verb(draft: Draft, subject: str, attractor: str = "", construction: str = "") -> None:
    """Add a verb: lemma by frequency, never a held-out one; form by Language.correct; past tense by its share."""
    language, construction = draft.language, construction or draft.construction
    noun, number = draft.roles[subject]["noun"], draft.roles[subject]["number"]
    other = draft.roles[attractor]["number"] if attractor else number
    held_out = language.held_out[language.constructions.index(construction)]
    lemma = draft.pick(len(language.lemmas), language.frequency)
    while (again := held_out[noun, lemma]).any():
        lemma = np.where(again, draft.pick(len(language.lemmas), language.frequency), lemma)
    right = draft.where(language.correct(draft.regime, construction)[lemma, number, other])
    form = np.where(
        draft.where(language.past_share()[lemma]), 2, np.where(right, number, 1 - number)
    )
    draft.add(language.verb_ids[lemma, form])
    draft.verbs.append(
        {
            "construction": construction,
            "noun": noun,
            "number": number,
            "other": other,
            "lemma": lemma,
            "form": form,
        }
    )


def _ever(draft: Draft, subject: str) -> None:
    licensed = draft.roles[subject]["no"] & draft.where(draft.language.settings["ever"])
    draft.add(draft.id("ever") * licensed)


def _object(draft: Draft, some: np.ndarray | None = None) -> None:
    """Add a person or a thing where ``some`` is true."""
    some = np.full(draft.count, True) if some is None else some
    person = draft.where(0.6)
    for kind, chosen in (("person", some & person), ("thing", some & ~person)):
        before = len(draft.columns)
        _noun_phrase(draft, "object", kind)
        for column in draft.columns[before:]:
            column *= chosen[:, None]


def _rest(draft: Draft, subject: str) -> None:
    kinds, weights = zip(*draft.language.settings["rest"].items(), strict=True)
    kind = np.array(kinds)[draft.pick(len(kinds), weights)]
    _plain_rest(draft, kind)
    _object(draft, kind == "object")
    nouns, role = draft.language.nouns, draft.roles[subject]
    gender = nouns["gender"].to_numpy()[role["noun"]]
    feminine = (gender == "feminine") | ((gender == "") & draft.where(0.5))
    words = np.array(draft.language.word_ids("himself herself themselves"))
    person = nouns["class"].to_numpy()[role["noun"]] == "person"
    draft.add(
        words[np.where(role["number"] == 1, 2, feminine.astype(int))]
        * ((kind == "anaphor") & person)
    )


def _more(draft: Draft) -> None:
    weights = draft.language.settings["rest"]
    kinds = ["nothing", "adjective", "fixed", "time"]
    _plain_rest(draft, np.array(kinds)[draft.pick(len(kinds), [weights[kind] for kind in kinds])])


def _plain_rest(draft: Draft, kind: np.ndarray) -> None:
    for name in ("adjective", "fixed", "time"):
        draft.add(draft.listed(name) * (kind == name)[:, None])


ELEMENTS: dict[str, Callable[..., None]] = {
    "NP": _noun_phrase, "VERB": _verb, "EVER": _ever, "OBJECT": _object, "REST": _rest, "MORE": _more,
    "ONE": lambda draft, words: draft.add(draft.listed(words)),
    "WORD": lambda draft, word: draft.add(np.full(draft.count, draft.id(word))),
    "GAP": lambda draft: draft.add(draft.listed("time") * draft.where(0.5)[:, None]),  # a clause ends, half with a time
}  # fmt: skip
