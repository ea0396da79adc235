"""Which forms count under each policy (`evaluate`), and where each is: in the vocabulary, or in a list of whole words.

A masked model fills as many masks as a form has tokens, so only lemmas whose two forms are equally long count for it.
It always counts the end: it sees the token after the masks, the next one of the sentence, and if that token starts a
new word or is a punctuation mark, the word ends with certainty. So "words-no-end" does not apply to it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel

FormsPolicy = Literal["single", "single-end", "words", "words-no-end"]
FORMS_POLICIES: tuple[FormsPolicy, ...] = get_args(FormsPolicy)
Ids = tuple[int, ...]


@dataclass(frozen=True)
class WordList:
    """The forms that are scored as whole words: the first `listed` are those of the lemmas, the others of pairs."""

    spellings: list[Ids]
    listed: int
    forms: FormsPolicy
    end: bool  # whether the probability of the word's end is a factor; a masked model's is 1


@dataclass(frozen=True)
class CountedForms:
    """The lemmas that count, and where their forms are."""

    lemmas: pd.DataFrame  # column tokens: the length of a lemma's longer form
    ids: np.ndarray  # (lemmas, 2) [singular, plural] entries of the vocabulary, or places in the list of words
    where: Mapping[str, int | None]  # a word's entry or place
    words: WordList | None = None  # None: the vocabulary
    single: int = 0  # for whole words: lemmas whose two forms are single entries
    uneven: int = 0  # lemmas left out because their forms differ in length


def counted_forms(
    model: LanguageModel, lemmas: Lemmas, forms: FormsPolicy, further: Iterable[str] = ()
) -> CountedForms:
    """The lemmas of a list that count for a model, and where their forms and further words (those of pairs) are.

    Raises
    ------
    InputError : no lemma counts; "words-no-end" for a masked model.
    """
    check_forms(model, forms)
    listed = [*lemmas.table["singular"], *lemmas.table["plural"]]
    further = list(further)
    words = list(dict.fromkeys([*listed, *further]))
    if forms == "single":
        where = dict(zip(words, model.word_ids(words), strict=True))
        kept, ids = lemmas.inflection_ids(where.get)
        _require(kept, f"the tokenizer of {model.name} holds no lemma of {lemmas.name} ({len(lemmas)} lemmas) with "
                 "both forms as single entries; choose another lemma list or a model with a larger vocabulary, or "
                 "count whole words (forms='words')")  # fmt: skip
        return CountedForms(kept.assign(tokens=1), ids, where)
    spelled = dict(zip(words, model.spellings(words), strict=True))
    if forms == "single-end":
        spelled = {word: spelling for word, spelling in spelled.items() if spelling and len(spelling) == 1}
    numbers = {spelling: i for i, spelling in enumerate(dict.fromkeys(filter(None, spelled.values())))}
    places = {word: numbers[spelling] for word, spelling in spelled.items() if spelling}
    kept, ids = lemmas.inflection_ids(places.get)
    lengths = np.array([len(spelling) for spelling in numbers])
    even = (lengths[ids[:, 0]] == lengths[ids[:, 1]]) if model.kind == "masked" else np.ones(len(ids), dtype=bool)
    uneven, kept, ids = int((~even).sum()), kept[even].reset_index(drop=True), ids[even]
    why = "with two forms of equally many tokens" if uneven else "whose forms it can spell"
    why = "with both forms as single entries" if forms == "single-end" else why
    _require(kept, f"the tokenizer of {model.name} has no lemma of {lemmas.name} ({len(lemmas)} lemmas) {why}")
    of_lemmas = np.unique(ids)
    asked = {places[word] for word in further if word in places}
    order = [*of_lemmas.tolist(), *sorted(asked - set(of_lemmas.tolist()))]
    spellings = list(numbers)
    new = {old: i for i, old in enumerate(order)}
    kept = kept.assign(tokens=lengths[ids].max(axis=1))
    single = int((kept["tokens"] == 1).sum())
    ids = np.searchsorted(of_lemmas, ids)  # the first places of the list, in the order of `of_lemmas`
    end = forms != "words-no-end" and model.kind != "masked"
    where = {word: new.get(place) for word, place in places.items()}
    listed_words = WordList([spellings[i] for i in order], len(of_lemmas), forms, end)
    return CountedForms(kept, ids, where, listed_words, single, uneven)


def check_forms(model: LanguageModel, forms: FormsPolicy) -> None:
    """Raises InputError where a model cannot count forms in this way."""
    if forms == "words-no-end" and model.kind == "masked":
        raise InputError(f"{model.label} is a masked model and sees where a word ends; count with forms='words'")


def _require(kept: pd.DataFrame, message: str) -> None:
    if kept.empty:
        raise InputError(message)
