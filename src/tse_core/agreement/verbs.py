"""Which verbs of a list count for a model, and where their forms are: in its vocabulary, or in a list of whole words.

A masked model fills as many masks as a form has tokens, so only lemmas whose two forms are equally long count for it.
It always counts the word's end: it sees the token after the masks, the next one of the sentence, and if that token
starts a new word or is a punctuation mark, the word ends with certainty.
"""

from collections.abc import Iterable, Mapping
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
    where: Mapping[str, int | None]  # a word's entry or place
    forms: str  # what signatures call the choice of verbs and ends (`Options.forms`)
    spellings: list[tuple[int, ...]] | None = None  # whole words, first those of the lemmas; None: the vocabulary
    listed: int = 0  # how many of the spellings are those of the lemmas
    ends: bool = False  # whether the probability of the word's end is a factor; a masked model's is 1

    def places(self, words: pd.Series) -> np.ndarray:
        """The entry or place of each word, int64; -1 for none."""
        return words.map(self.where).fillna(-1).to_numpy(np.int64)


def counted_verbs(model: LanguageModel, lemmas: Lemmas, forms: str, further: Iterable[str] = ()) -> CountedVerbs:
    """The lemmas of a list that count for a model, and where their forms and further words (those of pairs) are.

    Raises
    ------
    InputError : no lemma counts; whole words without their end for a masked model.
    """
    masked = model.kind == "masked"
    if forms == "words-no-end" and masked:
        raise InputError(f"{model.label} is a masked model and sees where a word ends; leave word_end out")
    further = list(further)
    words = list(dict.fromkeys([*lemmas.table["singular"], *lemmas.table["plural"], *further]))
    none = f"the tokenizer of {model.name} holds no lemma of {lemmas.name} ({len(lemmas)} lemmas) with "
    if forms == "single":
        where = dict(zip(words, model.word_ids(words), strict=True))
        table, ids = lemmas.inflection_ids(where.get)
        if table.empty:
            raise InputError(
                f"{none}both forms as single tokens; choose another lemma list or a model with a larger vocabulary, "
                "or count verbs of any length (verbs='all')"
            )
        return CountedVerbs(table.assign(tokens=1), ids, where, forms)
    spelled = {word: spelling for word, spelling in zip(words, model.spellings(words), strict=True) if spelling}
    if forms == "single-end":
        spelled = {word: spelling for word, spelling in spelled.items() if len(spelling) == 1}
    both = [(spelled.get(row.singular, ()), spelled.get(row.plural, ())) for row in lemmas.table.itertuples()]
    counted = [
        row for row, (singular, plural) in enumerate(both)
        if singular and plural and singular != plural and not (masked and len(singular) != len(plural))
    ]  # fmt: skip
    if not counted:
        one = "both forms as single tokens" if forms == "single-end" else "two forms that it can spell"
        raise InputError(f"{none}{one}{', of equally many tokens' if masked else ''}")
    spellings = [both[row] for row in counted]
    of_lemmas = list(dict.fromkeys([*(singular for singular, _ in spellings), *(plural for _, plural in spellings)]))
    every = list(dict.fromkeys([*of_lemmas, *(spelled[word] for word in further if word in spelled)]))
    places = {spelling: place for place, spelling in enumerate(every)}
    return CountedVerbs(
        lemmas.table.iloc[counted].reset_index(drop=True).assign(tokens=[max(map(len, pair)) for pair in spellings]),
        np.array([[places[spelling] for spelling in pair] for pair in spellings], dtype=np.int64),
        {word: places.get(spelling) for word, spelling in spelled.items()},
        forms,
        every,
        len(of_lemmas),
        forms != "words-no-end" and not masked,
    )
