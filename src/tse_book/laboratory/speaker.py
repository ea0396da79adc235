"""A speaker of the laboratory language: draws single nouns, verbs and phrases for hand-built items, by a seed."""

import numpy as np

from tse_book.laboratory.language import BANDS, Language


class Speaker:
    """Draws words of the language; no noun or verb occurs twice in an item.

    Numbers are 0 singular, 1 plural; a drawn noun or verb is its two forms (singular, plural).
    """

    def __init__(self, language: Language, seed: int | list[int]):
        self.language, self.random = language, np.random.default_rng(seed)
        self.used: set[str] = set()

    def new_item(self) -> None:
        self.used.clear()

    def number(self) -> int:
        return int(self.random.integers(2))

    def person(self, regular: bool | None = None, gender: str | None = None) -> tuple[str, str]:
        return self._noun("person", regular, gender)

    def thing(self, regular: bool | None = None) -> tuple[str, str]:
        return self._noun("thing", regular, None)

    def verb(self, band: str = "head") -> tuple[str, str]:
        """A verb of a band, lemmas equally likely, never is/are (which would need an adjective)."""
        lemmas = self.language.lemmas
        rows = lemmas[(self.language.band() == BANDS.index(band)) & ~lemmas["lemma"].isin({"be", *self.used})]
        row = rows.iloc[int(self.random.integers(len(rows)))]
        self.used.add(row["lemma"])
        return row["singular"], row["plural"]

    def one(self, words: str) -> str:
        """A phrase from one of the language's lists (``beside``, ``adjective``, ...)."""
        phrases = self.language.settings["lexicon"]["words"][words]
        return phrases[int(self.random.integers(len(phrases)))]

    def rest(self) -> str:
        """The end of an item after a verb: nothing, a fixed phrase or a time expression, and the full stop."""
        phrase = ["", self.one("fixed") + " ", self.one("time") + " "][int(self.random.integers(3))]
        return phrase + "."

    def _noun(self, kind: str, regular: bool | None, gender: str | None) -> tuple[str, str]:
        nouns = self.language.nouns
        there = (nouns["class"] == kind) & ~nouns["singular"].isin(self.used)
        if regular is not None:
            there &= (nouns["plural"] == nouns["singular"] + "s") == regular
        if gender is not None:
            there &= nouns["gender"] == gender
        row = nouns[there].iloc[int(self.random.integers(there.sum()))]
        self.used.add(row["singular"])
        return row["singular"], row["plural"]
