"""Which lemmas of a list count for a model, and where their forms are: in its vocabulary, or in a list of whole words.

A masked model fills as many masks as a form has tokens, so only lemmas whose two forms are equally long count for it.
It always counts the word's end: it sees the token after the masks, the next one of the sentence, and if that token
starts a new word or is a punctuation mark, the word ends with certainty.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_core.agreement.options import SINGLE_TOKENS, VerbPolicy
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel


class CountedVerbs(NamedTuple):
    """The lemmas that count, and where their forms are."""

    lemmas: pd.DataFrame  # column tokens: the length of a lemma's longer form
    ids: np.ndarray  # (lemmas, 2) [singular, plural] entries of the vocabulary, or places in `spellings`
    where: Mapping[str, int]  # a word's entry or place
    policy: VerbPolicy = SINGLE_TOKENS
    spellings: Sequence[tuple[int, ...]] = ()  # words, first those of the lemmas; none where forms are entries
    listed: int = 0  # how many of the spellings are those of the lemmas
    ends: bool = False  # whether the probability of the word's end is a factor; a masked model's is 1


def counted_verbs(
    model: LanguageModel, lemmas: Lemmas, policy: VerbPolicy = SINGLE_TOKENS, further: Sequence[str] = ()
) -> CountedVerbs:
    """The lemmas of a list that count for a model, and where their forms and further words (those of pairs) are.

    Raises InputError: no lemma counts; whole words without their end for a masked model.
    """
    masked, single = model.kind == "masked", policy.tokens == "single"
    if masked and policy == VerbPolicy("any", word_end=False):
        raise InputError(f"{model.label} is a masked model and sees where a word ends; leave word_end out")
    words = list(dict.fromkeys([*lemmas.table["singular"], *lemmas.table["plural"], *further]))
    spelled = {
        word: spelling
        for word, spelling in zip(words, model.spellings(words), strict=True)
        if spelling and (len(spelling) == 1 or not single)
    }
    both = [(spelled.get(row.singular, ()), spelled.get(row.plural, ())) for row in lemmas.table.itertuples()]
    first = {pair: row for row, pair in reversed([*enumerate(both)])}  # lemmas that are spelled alike count once
    counted = [
        row
        for row, (one, other) in enumerate(both)
        if one and other and one != other and not (masked and len(one) != len(other)) and first[one, other] == row
    ]
    if not counted:
        lack = "two forms that are single tokens" if single else "two forms that it can spell"
        remedy = "choose another list" + (", or count all verbs (verbs='all', --verbs all)" if single else "")
        raise InputError(
            f"the tokenizer of {model.name} holds no lemma of {lemmas.name} ({len(lemmas)} lemmas) with {lack}"
            f"{', of equally many tokens' if masked else ''}; {remedy}"
        )
    table, both = lemmas.table.iloc[counted].reset_index(drop=True), [both[row] for row in counted]
    table = table.assign(tokens=[max(map(len, pair)) for pair in both])
    if policy.in_vocabulary:
        ids = np.array([[spelling[0] for spelling in pair] for pair in both], dtype=np.int64)
        return CountedVerbs(table, ids, {word: spelling[0] for word, spelling in spelled.items()}, policy)
    of_lemmas = dict.fromkeys(pair[form] for form in (0, 1) for pair in both)
    every = list(dict.fromkeys([*of_lemmas, *(spelled[word] for word in further if word in spelled)]))
    places = {spelling: place for place, spelling in enumerate(every)}
    ids = np.array([[places[spelling] for spelling in pair] for pair in both], dtype=np.int64)
    where = {word: places[spelling] for word, spelling in spelled.items() if spelling in places}
    return CountedVerbs(table, ids, where, policy, every, len(of_lemmas), policy.word_end and not masked)
