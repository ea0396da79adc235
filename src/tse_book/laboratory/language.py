"""The laboratory language: words, verbs and rates, read from data/laboratory/.

A language whose probabilities are all known: language.yaml holds nouns, patterns and rates, lemmas.csv the verbs with
their frequency bands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
import pandas as pd

from tse_core.datasets.pairs import NUMBERS
from tse_core.errors import check_known
from tse_core.files import read_yaml
from tse_core.paths import data_folder

SPECIAL = ("[PAD]", "[UNK]", "[BOS]", "[EOS]", "[CLS]", "[SEP]", "[MASK]")
MODEL_KINDS = ("causal", "masked")
BANDS = ("head", "middle", "tail")
FORMS = ["singular", "plural", "past"]
_ELEMENT = re.compile(r"(?P<name>[A-Z]+)\((?P<arguments>(?:[^()]|\([^()]*\))*)\)|(?P<word>\S+)")


@dataclass(frozen=True)
class Pattern:
    """One kind of sentence: its construction, its share of all sentences, and its elements (name, arguments)."""

    construction: str
    share: float
    elements: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, eq=False)
class Language:
    """The language as arrays; numbers are 0 singular, 1 plural.

    lemmas has a row per verb by falling frequency: lemma, singular, plural, past ("" for none), band, preferred
    ("singular" or "plural" in the tail, else ""). nouns has class, singular, plural, gender ("", "masculine",
    "feminine").
    """

    settings: dict = field(repr=False)  # language.yaml as read
    lemmas: pd.DataFrame = field(repr=False)
    frequency: np.ndarray = field(repr=False)  # P(lemma) at a verb slot
    nouns: pd.DataFrame = field(repr=False)
    constructions: tuple[str, ...]  # the rows of Table 2, in its order
    patterns: tuple[Pattern, ...] = field(repr=False)
    vocabulary: tuple[str, ...] = field(
        repr=False
    )  # special tokens, then all words; a word's id is its place
    held_out: np.ndarray = field(
        repr=False
    )  # bool (constructions, nouns, lemmas): never together in the corpus

    def word_ids(self, phrase: str) -> tuple[int, ...]:
        """The ids of a phrase's words."""
        return tuple(self._index[word] for word in phrase.split())

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.vocabulary)}

    @cached_property
    def verb_ids(self) -> np.ndarray:
        """Word ids of the verb forms: int array (lemmas, [singular, plural, past]), 0 for no past."""
        return np.array(
            [[self._index.get(form, 0) for form in row] for row in self.lemmas[FORMS].to_numpy()]
        )

    def models(self) -> list[str]:
        """The names of the laboratory models: lab-<regime>-<kind>."""
        return [
            f"lab-{regime}-{kind}" for regime in self.settings["regimes"] for kind in MODEL_KINDS
        ]

    def band(self) -> np.ndarray:
        """0 head, 1 middle, 2 tail: int array (lemmas,)."""
        return self.lemmas["band"].map(BANDS.index).to_numpy()

    def leading(self) -> list[str]:
        """The lemmas of the templates' own verbs."""
        return [row[0] for row in _leading(self.settings)]

    def past_share(self) -> np.ndarray:
        """Share of uses in the past tense: float array (lemmas,), 0 for a verb without a past form."""
        return np.where(self.lemmas["past"] == "", 0.0, self.settings["verbs"]["past"])

    def attraction(self, regime: str, construction: str) -> np.ndarray:
        """P(the verb agrees with the attractor instead of its subject): float array (lemmas,)."""
        rates = self.settings["constructions"][construction].get("attraction", {}).get(regime, {})
        return np.array([rates.get(name, 0.0) for name in BANDS])[self.band()]

    def agreement(self, regime: str) -> np.ndarray:
        """P(form | lemma, number agreed with), present tense: float array (lemmas, number, form).

        Head and middle: the band's share on the diagonal. A lemma with a preferred form takes it in the band's share of
        its uses in either row. Raises InputError for an unknown regime.
        """
        check_known("regime", regime, self.settings["regimes"])
        rates, band = self.settings["regimes"][regime], self.lemmas["band"]
        share = band.map(rates["agreement"]).fillna(1.0).to_numpy(float)
        table = share[:, None, None] * np.eye(2) + (1 - share)[:, None, None] * (1 - np.eye(2))
        for name, preference in rates.get("preference", {}).items():
            for form, number in enumerate(NUMBERS):
                rows = ((band == name) & (self.lemmas["preferred"] == number)).to_numpy()
                table[rows, :, form], table[rows, :, 1 - form] = preference, 1 - preference
        return table

    def correct(self, regime: str, construction: str) -> np.ndarray:
        """P(the form that agrees with the subject | lemma, its number, the attractor's), present tense.

        With agreement F and attraction a, for subject number n and attractor number m:
        (1 - a) F[n, n] + a F[m, n]. Float array (lemmas, subject number, attractor number).
        """
        table = self.agreement(regime)
        own = np.diagonal(table, axis1=1, axis2=2)[:, :, None]
        rate = self.attraction(regime, construction)[:, None, None]
        return (1 - rate) * own + rate * table.transpose(0, 2, 1)


@cache
def load_language() -> Language:
    """The language of data/laboratory: language.yaml and lemmas.csv."""
    folder = data_folder() / "laboratory"
    settings = read_yaml(folder / "language.yaml")
    lemmas = pd.read_csv(folder / "lemmas.csv", keep_default_na=False)
    nouns = pd.DataFrame(list(_nouns(settings)), columns=["class", "singular", "plural", "gender"])
    frequency = 1 / (np.arange(1, len(lemmas) + 1) + settings["verbs"]["flattening"])
    patterns = tuple(_patterns(settings))
    verbs = [form for form in lemmas[FORMS].to_numpy().ravel() if form]
    return Language(
        settings, lemmas, frequency / frequency.sum(), nouns, tuple(settings["constructions"]), patterns,
        tuple(dict.fromkeys([*SPECIAL, *_words(settings, nouns, patterns), *verbs])),
        _held_out(settings, len(nouns), lemmas["lemma"]),
    )  # fmt: skip


def _nouns(settings: dict) -> Iterator[tuple[str, str, str, str]]:
    for kind, entries in settings["lexicon"]["nouns"].items():
        for entry in entries:
            singular, plural = entry.split("/")
            gender = next(
                (word for word in ("masculine", "feminine") if plural.endswith(" " + word)), ""
            )
            yield kind, singular, plural.removesuffix(" " + gender) if gender else plural, gender


def _patterns(settings: dict) -> Iterator[Pattern]:
    groups = [
        (name, rules.get("patterns", {})) for name, rules in settings["constructions"].items()
    ]
    for construction, patterns in [*groups, ("Simple", settings["other"])]:
        for text, share in patterns.items():
            elements = []
            for found in _ELEMENT.finditer(text):
                arguments = tuple(
                    part.strip() for part in (found["arguments"] or "").split(",") if part.strip()
                )
                elements.append(
                    (found["name"], arguments) if found["name"] else ("WORD", (found["word"],))
                )
            yield Pattern(construction, share, tuple(elements))


def _words(settings: dict, nouns: pd.DataFrame, patterns: tuple[Pattern, ...]) -> list[str]:
    """All words but the verbs', sorted."""
    phrases = [
        ".",
        ",",
        "ever",
        "himself",
        "herself",
        "themselves",
        *nouns["singular"],
        *nouns["plural"],
    ]
    phrases += [entry for entries in settings["lexicon"]["words"].values() for entry in entries]
    phrases += [word for words in settings["determiners"].values() for word in words]
    phrases += [arguments[0] for p in patterns for name, arguments in p.elements if name == "WORD"]
    return sorted({word for phrase in phrases for word in phrase.split()})


def _leading(settings: dict) -> list[tuple[str, str, str, str]]:
    """lemma, singular, plural, past of the verbs written out in language.yaml; `be` alone is not its plural."""
    rows = []
    for entry in settings["verbs"]["leading"]:
        present, _, past = entry.partition(" ")
        singular, plural = present.split("/")
        rows.append(("be" if plural == "are" else plural, singular, plural, past))
    return rows


def _held_out(settings: dict, nouns: int, lemmas: pd.Series) -> np.ndarray:
    """Pairs of noun and lemma that are nowhere in the corpus, and combinations that one construction lacks."""
    rules = settings["held_out"]
    random = np.random.default_rng(rules["seed"])
    pairs = random.random((nouns, len(lemmas))) < rules["pairs"]
    single = (
        random.random((len(settings["constructions"]), nouns, len(lemmas))) < rules["combinations"]
    )
    return (pairs | single) & ~lemmas.isin([row[0] for row in _leading(settings)]).to_numpy()
