"""The lemmas of a list that count for a model, and their forms, in its vocabulary or as words.

A masked model fills as many masks as a form has tokens, so only lemmas whose two forms are equally
long count for it. It always counts the word's end: it sees the token after the masks, the next one
of the sentence, and if that token starts a new word or is a punctuation mark, the word ends with
certainty.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

from tse_core.agreement.settings import SINGLE_TOKENS, VerbPolicy
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError, warn
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt, spellings_in_place
from tse_core.models.tokenizing import Gap
from tse_core.words import is_unspaced

Spelling = tuple[int, ...]  # the tokens of a word
LITTLE = 0.1  # share of a verb list; if the vocabulary holds less, warn


class CountedVerbs(NamedTuple):
    """The lemmas that count, and the place of each form in what a slot's distribution is over.

    That is the vocabulary where forms are single tokens, so that a place is an entry; else it is
    the list of words `spellings`, and a place is a position in this list.

    Attributes
    ----------
    lemmas : their rows of the verb list, and tokens: the length of the longer form, NA where it
        differs between slots
    ids : the places of their two forms, int (lemmas, 2): [singular, plural]
    positions : the place of every word that can be looked up, forms of pairs included
    policy : which verbs count
    spellings : the tokens of the words, first of those of the lemmas; none in a vocabulary
    listed : how many of the words are those of the lemmas
    ends : whether the probability of the word's end is a factor; a masked model's is 1
    """

    lemmas: pd.DataFrame
    ids: np.ndarray
    positions: Mapping[str, int]
    policy: VerbPolicy = SINGLE_TOKENS
    spellings: Sequence[Spelling] = ()
    listed: int = 0
    ends: bool = False


def counted_verbs(
    model: LanguageModel,
    lemmas: Lemmas,
    policy: VerbPolicy = SINGLE_TOKENS,
    further: Sequence[str] = (),
) -> CountedVerbs:
    """The lemmas of a list that count for a model, and the positions of their forms.

    `further` are other words whose positions are needed, such as those of pairs. Raises InputError:
    no lemma counts; whole words without their end for a masked model.
    """
    if model.reads_right and policy == VerbPolicy("any", word_end=False):
        raise InputError(
            f"{model.label} is a masked model and sees where a word ends; leave word_end out"
        )
    words = list(dict.fromkeys([*lemmas.table["singular"], *lemmas.table["plural"], *further]))
    spelled = _spelled(words, model.spellings(words), policy)
    return _counted(model, lemmas, policy, spelled, further)


def _counted(
    model: LanguageModel,
    lemmas: Lemmas,
    policy: VerbPolicy,
    spelled: Mapping[str, Spelling],
    further: Sequence[str],
) -> CountedVerbs:
    """The lemmas that count where words have these spellings. Raises InputError where none does."""
    rows, forms = _counting(lemmas, spelled, model.compares_lengths)
    if not rows:
        raise _no_lemma_error(model, lemmas, policy)
    table = lemmas.table.iloc[rows].reset_index(drop=True)
    table["tokens"] = [max(len(singular), len(plural)) for singular, plural in forms]
    if policy.in_vocabulary:
        ids = np.array([[singular[0], plural[0]] for singular, plural in forms], dtype=np.int64)
        entries = {word: spelling[0] for word, spelling in spelled.items()}
        return CountedVerbs(table, ids, entries, policy)
    # Words of pairs follow those of the lemmas: cut-offs rank the latter alone.
    further_spellings = [spelled[word] for word in further if word in spelled]
    verbs = _as_words(table, forms, spelled, further_spellings)
    return verbs._replace(policy=policy, ends=policy.word_end and not model.reads_right)


def verbs_at_slots(
    model: LanguageModel,
    lemmas: Lemmas,
    policy: VerbPolicy,
    slots: Sequence[Prompt],
    further: Sequence[str] = (),
) -> list[CountedVerbs]:
    """`counted_verbs` at each of some slots, which are all read in place or all after a space.

    The lemmas are the same at all: those whose two forms can be looked up at every slot. Read in
    place, forms may have other entries at each slot, and further words count where they can be
    looked up. Raises InputError, too, for ends of words in writing without spaces.
    """
    if slots[0].gap is None:
        return [counted_verbs(model, lemmas, policy, further)] * len(slots)
    if policy.word_end and not model.reads_right and any(map(is_unspaced, further)):
        raise InputError(
            f"{lemmas.name}: in writing without spaces nothing shows where a word ends; count "
            "words without their ends (--no-word-end, in Python word_end=False)"
        )
    words = list(dict.fromkeys([*lemmas.table["singular"], *lemmas.table["plural"], *further]))
    spelled_at = []
    for slot in slots:
        spellings = spellings_in_place(model, slot, words)
        spelled_at.append(_spelled(words, spellings, policy))
    counted_lemmas = _lemmas_at_all(model, lemmas, policy, slots, spelled_at)
    # Slots at which all words are spelled alike share their verbs.
    verbs_of: dict[tuple, CountedVerbs] = {}
    verbs_at = []
    for spelled in spelled_at:
        key = tuple(spelled.items())
        if key not in verbs_of:
            verbs_of[key] = _counted(model, counted_lemmas, policy, spelled, further)
        verbs_at.append(verbs_of[key])
    return verbs_at


def _lemmas_at_all(
    model: LanguageModel,
    lemmas: Lemmas,
    policy: VerbPolicy,
    slots: Sequence[Prompt],
    spelled_at: Sequence[Mapping[str, Spelling]],
) -> Lemmas:
    """The lemmas that count at every slot, by how words are spelled there.

    Raises InputError where there are none, also if only some of the slots are to blame.
    """
    common = set(range(len(lemmas)))
    without = []  # slots at which no lemma counts
    for slot, spelled in zip(slots, spelled_at, strict=True):
        rows, _ = _counting(lemmas, spelled, model.compares_lengths)
        common &= set(rows)
        if not rows:
            without.append(slot)
    if without and len(without) < len(slots):
        place = cast(Gap, without[0].gap).filled("___")
        raise InputError(
            f"{len(without):,} of {len(slots):,} contexts have a slot at which {model.label} holds "
            f"no lemma of {lemmas.name}, the first {place!r}; leave them out, or compare whole "
            "sentences (tse blimp)"
        )
    if not common:
        raise _no_lemma_error(model, lemmas, policy)
    return Lemmas(lemmas.name, lemmas.table.iloc[sorted(common)].reset_index(drop=True))


def _as_words(
    table: pd.DataFrame,
    forms: Sequence[tuple[Spelling, Spelling]],
    spelled: Mapping[str, Spelling],
    further: Sequence[Spelling],
) -> CountedVerbs:
    """The lemmas of a table whose two forms are words, with the positions of all words.

    The words are the forms of all lemmas, the singular ones first, then further ones.
    """
    singulars = [singular for singular, _ in forms]
    plurals = [plural for _, plural in forms]
    # A form of two lemmas (found, of find and found) has one position.
    listed = list(dict.fromkeys([*singulars, *plurals]))
    spellings = list(dict.fromkeys([*listed, *further]))
    positions = {spelling: position for position, spelling in enumerate(spellings)}
    pairs = [[positions[singular], positions[plural]] for singular, plural in forms]
    of_words = {}
    for word, spelling in spelled.items():
        if spelling in positions:
            of_words[word] = positions[spelling]
    return CountedVerbs(
        lemmas=table,
        ids=np.array(pairs, dtype=np.int64),
        positions=of_words,
        spellings=spellings,
        listed=len(listed),
    )


def _spelled(
    words: Sequence[str], spellings: Sequence[Spelling | None], policy: VerbPolicy
) -> dict[str, Spelling]:
    """The spellings of the words that can count: all that the model spells, or single tokens."""
    spelled = {}
    for word, spelling in zip(words, spellings, strict=True):
        if spelling and (policy.tokens == "any" or len(spelling) == 1):
            spelled[word] = spelling
    return spelled


def _counting(
    lemmas: Lemmas, spelled: Mapping[str, Spelling], compares_lengths: bool
) -> tuple[list[int], list[tuple[Spelling, Spelling]]]:
    """The rows of lemmas that count, and the spellings of their two forms.

    These are equally long for a model that does not compare lengths. Of several lemmas with the
    same two spellings the first counts.
    """
    rows = []
    forms: dict[tuple[Spelling, Spelling], None] = {}
    for row, lemma in enumerate(lemmas.table.itertuples()):
        singular, plural = spelled.get(lemma.singular), spelled.get(lemma.plural)
        if singular is None or plural is None or singular == plural:
            continue
        if len(singular) != len(plural) and not compares_lengths:
            continue
        if (singular, plural) not in forms:
            forms[singular, plural] = None
            rows.append(row)
    return rows, list(forms)


def _no_lemma_error(model: LanguageModel, lemmas: Lemmas, policy: VerbPolicy) -> InputError:
    lack, remedy = "two forms that it can spell", "choose another list"
    if policy.tokens == "single":
        lack = "two forms that are single tokens"
        remedy += ", or count all verbs (verbs='all', --verbs all)"
    if not model.compares_lengths:
        lack += ", of equally many tokens"
    counted = f"{lemmas.name} ({len(lemmas)} lemmas)"
    return InputError(
        f"the tokenizer of {model.name} holds no lemma of {counted} with {lack}; {remedy}"
    )


def at_all_slots(verbs_at: Sequence[CountedVerbs]) -> CountedVerbs:
    """The verbs of the first slot, with the lengths that their lemmas have at all of them."""
    verbs = verbs_at[0]
    distinct = {id(of_slot): of_slot.lemmas["tokens"].to_numpy() for of_slot in verbs_at}
    lengths = np.stack(list(distinct.values()))
    differs = (lengths != lengths[0]).any(axis=0)
    if not differs.any():
        return verbs
    tokens = verbs.lemmas["tokens"].astype("Int64").mask(differs)
    return verbs._replace(lemmas=verbs.lemmas.assign(tokens=tokens))


def warn_of_few_lemmas(
    label: str, verbs: CountedVerbs, lemmas: Lemmas, *, in_place: bool = False
) -> None:
    """Warn where little of the verb list counts for the model of this label.

    It is of all forms, or of those in some gaps.
    """
    if len(verbs.lemmas) < LITTLE * len(lemmas):
        counted = f"{len(verbs.lemmas):,} of {len(lemmas):,} lemmas of {lemmas.name}"
        if in_place:
            counted += " in these gaps"
        warn(f"{label} holds both forms of only {counted}; EW and MW are about these")
