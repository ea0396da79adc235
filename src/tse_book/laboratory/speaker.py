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

    def noun(self, kind: str = "person", regular: bool | None = None, gender: str | None = None) -> tuple[str, str]:
        """A person or a thing, with or without a regular plural, of a gender ("" for none)."""
        nouns = self.language.nouns
        there = nouns["class"] == kind
        if regular is not None:
            there &= (nouns["plural"] == nouns["singular"] + "s") == regular
        if gender is not None:
            there &= nouns["gender"] == gender
        return self._drawn(nouns[there])

    def verb(self, band: str = "head") -> tuple[str, str]:
        """A verb of a band, lemmas equally likely, never is/are (which would need an adjective)."""
        lemmas = self.language.lemmas
        return self._drawn(lemmas[(self.language.band() == BANDS.index(band)) & (lemmas["lemma"] != "be")])

    def one(self, words: str) -> str:
        """A phrase from one of the language's lists (``beside``, ``adjective``, ...)."""
        phrases = self.language.settings["lexicon"]["words"][words]
        return phrases[int(self.random.integers(len(phrases)))]

    def rest(self) -> str:
        """The end of an item after a verb: nothing, a fixed phrase or a time expression, and the full stop."""
        phrase = ["", self.one("fixed") + " ", self.one("time") + " "][int(self.random.integers(3))]
        return phrase + "."

    def _drawn(self, rows) -> tuple[str, str]:
        rows = rows[~rows["singular"].isin(self.used)]
        row = rows.iloc[int(self.random.integers(len(rows)))]
        self.used.add(row["singular"])
        return row["singular"], row["plural"]
