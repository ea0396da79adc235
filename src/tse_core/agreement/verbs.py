"""Which verbs of a list count for a model, and where their forms are: in its vocabulary, or in a list of whole words.

A masked model fills as many masks as a form has tokens, so only lemmas whose two forms are equally long count for it.
It always counts the word's end: it sees the token after the masks, the next one of the sentence, and if that token
starts a new word or is a punctuation mark, the word ends with certainty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel


@dataclass(frozen=True)
class CountedVerbs:
    """The lemmas that count, and where their forms are."""

    lemmas: pd.DataFrame  # column tokens: the length of a lemma's longer form
    ids: np.ndarray  # (lemmas, 2) [singular, plural] entries of the vocabulary, or places in `spellings`
    where: Mapping[str, int]  # a word's entry or place
    forms: str  # what signatures call the choice of verbs and ends (`Options.forms`)
    spellings: list[tuple[int, ...]] | None = None  # whole words, first those of the lemmas; None: the vocabulary
    listed: int = 0  # how many of the spellings are those of the lemmas
    ends: bool = False  # whether the probability of the word's end is a factor; a masked model's is 1

    def places(self, words: pd.Series) -> np.ndarray:
        """The entry or place of each word, int64; -1 for none."""
        return words.map(self.where).fillna(-1).to_numpy(np.int64)


def counted_verbs(model: LanguageModel, lemmas: Lemmas, forms: str, further: Sequence[str] = ()) -> CountedVerbs:
    """The lemmas of a list that count for a model, and where their forms and further words (those of pairs) are.

    Raises
    ------
    InputError : no lemma counts; whole words without their end for a masked model.
    """
    masked, single = model.kind == "masked", forms in ("single", "single-end")
    if forms == "words-no-end" and masked:
        raise InputError(f"{model.label} is a masked model and sees where a word ends; leave word_end out")
    words = list(dict.fromkeys([*lemmas.table["singular"], *lemmas.table["plural"], *further]))
    spelled = {
        word: spelling
        for word, spelling in zip(words, model.spellings(words), strict=True)
        if spelling and (len(spelling) == 1 or not single)
    }
    both = [(spelled.get(row.singular, ()), spelled.get(row.plural, ())) for row in lemmas.table.itertuples()]
    counted = [
        row
        for row, (one, other) in enumerate(both)
        if one and other and one != other and not (masked and len(one) != len(other))
    ]
    if not counted:
        lack = "two forms that are single tokens" if single else "two forms that it can spell"
        raise InputError(
            f"the tokenizer of {model.name} holds no lemma of {lemmas.name} ({len(lemmas)} lemmas) with {lack}"
            f"{', of equally many tokens' if masked else ''}; choose another list, or verbs='all'"
        )
    table = lemmas.table.iloc[counted].reset_index(drop=True)
    table = table.assign(tokens=[max(map(len, both[row])) for row in counted])
    if forms == "single":
        ids = np.array([[spelling[0] for spelling in both[row]] for row in counted], dtype=np.int64)
        return CountedVerbs(table, ids, {word: spelling[0] for word, spelling in spelled.items()}, forms)
    of_lemmas = dict.fromkeys(both[row][form] for form in (0, 1) for row in counted)
    every = list(dict.fromkeys([*of_lemmas, *(spelled[word] for word in further if word in spelled)]))
    places = {spelling: place for place, spelling in enumerate(every)}
    return CountedVerbs(
        table,
        np.array([[places[spelling] for spelling in both[row]] for row in counted], dtype=np.int64),
        {word: places[spelling] for word, spelling in spelled.items() if spelling in places},
        forms,
        every,
        len(of_lemmas),
        forms != "words-no-end" and not masked,
    )
