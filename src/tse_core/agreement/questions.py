"""What is asked of every model on a data set, and what one model scores of it.

A `Question` has the pairs whose subject's number is known and in whose gap a model can look words
up, and a verb list. `Work` is what is left
of it for a model: the lemmas that count for it, and its contexts, or a sample of them.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from tse_core.agreement.comparison import lemmas_of_all
from tse_core.agreement.contexts import (
    in_order,
    numbered_contexts,
    numbered_pairs,
    numbers_by_list,
    warn_of_other_verbs,
    warn_of_unknown_words,
)
from tse_core.agreement.factors import find_factors, refuse_taken_names
from tse_core.agreement.settings import Settings
from tse_core.agreement.verbs import (
    CountedVerbs,
    at_all_slots,
    verbs_at_slots,
    warn_of_few_lemmas,
)
from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.loading import data_hash, verb_list
from tse_core.datasets.pairs import Origin, Protocol
from tse_core.datasets.treebank_pairs import (
    TREEBANK,
    distinct_sites,
    is_of_treebank,
    verbs_of_treebank,
    with_other_forms,
)
from tse_core.errors import InputError, warn
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt, SpelledOtherwiseError, all_read, read

Slot = Prompt | InputError  # or the reason why a model reads none


class Question(NamedTuple):
    """The question to every model on a data set."""

    origin: Origin  # of its pairs
    all_pairs: int  # how many there are
    numbered: pd.DataFrame  # those whose subject's number is known
    pairs: pd.DataFrame  # those of them that a model can read
    lemmas: Lemmas
    data: str  # the name of the pairs and their hash
    settings: Settings


class Work(NamedTuple):
    """What one model scores for a question."""

    verbs: CountedVerbs
    contexts: pd.DataFrame
    pairs: pd.DataFrame  # with a column context: the row of their context
    all_contexts: int  # how many there are without a sample
    slots: Sequence[Prompt]  # of the contexts
    verbs_at: Sequence[CountedVerbs]  # `verbs` as they are spelled at each slot
    repeated: int = 0  # sites of a treebank with a text and a number that an earlier one has


def question_of(
    pairs: pd.DataFrame,
    origin: Origin,
    lemmas,
    settings: Settings,
    models: Iterable[LanguageModel] | None = None,
) -> Question:
    """The question to every model on a data set, over the lemmas that all of `models` count.

    Raises InputError: no pairs; no subject's number is known; a column's name is taken.
    """
    if pairs.empty:
        raise InputError("there are no pairs to score")
    listed = verb_list(pairs, lemmas, settings.protocol)
    if is_of_treebank(pairs.columns):
        pairs = with_other_forms(pairs, listed)
    if models is not None:
        models = list(models)
        # Each reads the same pairs, so that their order decides nothing.
        by_list = numbers_by_list(pairs["correct"], pairs["wrong"], listed)
        numbered = numbered_pairs(pairs, by_list, listed.name)
        contexts = contexts_of(numbered["left"], numbered["right"])
        slots_of_models = [slots_of(model, contexts, settings.protocol) for model in models]
        listed = lemmas_of_all(models, listed, settings.verbs, _read_by_all(slots_of_models))
    listed = in_order(listed)  # of its forms
    # Before anything is scored, which may take hours.
    refuse_taken_names(pairs.columns, listed.table)
    by_list = numbers_by_list(pairs["correct"], pairs["wrong"], listed)
    numbered = numbered_pairs(pairs, by_list, listed.name)
    if (by_list == "").all():
        warn_of_other_verbs(numbered.iloc[0], listed, origin.name)
    data = f"{origin.name}@{data_hash(numbered)}"
    question = Question(origin, len(pairs), numbered, numbered, listed, data, settings)
    contexts = contexts_of(numbered["left"], numbered["right"])
    for model in models or []:
        slots = slots_of(model, contexts, settings.protocol)
        question = readable(question, model.label, slots)
    return question


def has_short_list(origin: Origin, lemmas) -> bool:
    """Whether the verb list is drawn from a treebank; a warning says that whole words count.

    Such a list has some dozens of verbs, few of which are single tokens.
    """
    if lemmas is None:
        lemmas = origin.facts.get("lemmas")
    if not isinstance(lemmas, str) or lemmas != TREEBANK:
        return False
    verbs = len(verbs_of_treebank(origin))
    warn(
        f"{origin.name}: its verb list is drawn from the treebank itself: {verbs:,} verbs "
        "attested in both numbers; so few are scored as whole words with their ends "
        "(--verbs single-token counts single tokens alone)"
    )
    return True


def contexts_of(lefts: Iterable[str], rights: Iterable[str]) -> list[tuple[str, str]]:
    """The texts on both sides of each slot."""
    return list(zip(lefts, rights, strict=True))


def slots_of(
    model: LanguageModel, contexts: Sequence[tuple[str, str]], protocol: Protocol = "exact"
) -> list[Slot]:
    """The slot of each context as the model reads it, or the reason why not; equal ones once.

    All are read in place where most would be refused, as no space stands before the word.
    """
    distinct = list(dict.fromkeys(contexts))
    slots = read(model, distinct, protocol)
    otherwise = sum(isinstance(slot, SpelledOtherwiseError) for slot in slots)
    after_space = sum(isinstance(slot, Prompt) for slot in slots)
    if protocol == "exact" and otherwise > after_space:
        slots = read(model, distinct, in_place=True)
    slot_of = dict(zip(distinct, slots, strict=True))
    return [slot_of[context] for context in contexts]


def readable(question: Question, label: str, slots: Sequence[Slot]) -> Question:
    """The question without the pairs whose slot the model of this label cannot read.

    `slots` (`slots_of`) are those of all numbered pairs. A warning counts the pairs that are set
    aside. Raises InputError where none is left, with the reason for the first.
    """
    # By the index of the pairs, which stays when some are set aside.
    reason_of = {}
    for row, slot in zip(question.numbered.index, slots, strict=True):
        if isinstance(slot, InputError):
            reason_of[row] = slot
    refused = [row for row in question.pairs.index if row in reason_of]
    if not refused:
        return question
    first = reason_of[refused[0]]
    if len(refused) == len(question.pairs):
        raise first
    name = question.data.rpartition("@")[0]
    warn(
        f"{name}: {len(refused):,} of {len(question.pairs):,} pairs are set aside, as "
        f"the model {label} cannot read them or look a word up in their gap; the first, "
        f"{question.pairs.loc[refused[0], 'id']}: {first}"
    )
    pairs = question.pairs.drop(index=refused)
    return question._replace(pairs=pairs, data=f"{name}@{data_hash(pairs)}")


def _read_by_all(slots_of_models: Sequence[Sequence[Slot]]) -> list[list[Prompt]]:
    """The distinct slots of each model at the pairs that all models can read."""
    distinct: list[dict[Prompt, None]] = [{} for _ in slots_of_models]
    for slots_of_pair in zip(*slots_of_models, strict=True):
        prompts = [slot for slot in slots_of_pair if isinstance(slot, Prompt)]
        if len(prompts) == len(distinct):
            for slots, prompt in zip(distinct, prompts, strict=True):
                slots[prompt] = None
    return [list(slots) for slots in distinct]


def work_of(model: LanguageModel, question: Question, by, slots: Sequence[Slot]) -> Work:
    """What a model scores for a question; `by` are the cells that will be asked for.

    `slots` (`slots_of`) are those of all numbered pairs.

    Raises InputError: no lemma counts, the tokenizer does not show the ends of words that count, or
    there can be no such cells.
    """
    settings = question.settings
    # Verbs of pairs that the list lacks are looked up as well: TSE counts them.
    words = pd.concat([question.pairs["correct"], question.pairs["wrong"]]).unique()
    distinct = question.pairs
    if is_of_treebank(distinct.columns):
        distinct = distinct_sites(distinct, model.kind)
    pairs, contexts, all_contexts = numbered_contexts(
        distinct, model.kind, settings.protocol, settings.sample_size, settings.seed
    )
    # The contexts of a causal model have nothing on the right.
    sides = ["left", "right"] if model.reads_right else ["left"]
    of_contexts = _of_contexts(contexts[sides], question.numbered[sides], slots)
    verbs_at = verbs_at_slots(model, question.lemmas, settings.verbs, of_contexts, words)
    verbs = at_all_slots(verbs_at)
    if verbs.ends:
        model.word_ends  # noqa: B018  (a tokenizer that does not show them is refused here)
    if find_factors(by, contexts, verbs.lemmas).of_verbs and settings.detail != "forms":
        raise InputError(f"by is {by!r}, with columns of the verb list: these need detail='forms'")
    warn_of_unknown_words(model, contexts, of_contexts)
    in_place = of_contexts[0].gap is not None
    warn_of_few_lemmas(model.label, verbs, question.lemmas, in_place=in_place)
    repeated = len(question.pairs) - len(distinct)
    return Work(verbs, contexts, pairs, all_contexts, of_contexts, verbs_at, repeated)


def _of_contexts(
    sides: pd.DataFrame, sides_of_pairs: pd.DataFrame, slots: Sequence[Slot]
) -> list[Prompt]:
    """The slots of contexts by their sides, from those of all pairs; each of these can be read."""
    texts_of_pairs = sides_of_pairs.itertuples(index=False, name=None)
    slot_of = dict(zip(texts_of_pairs, slots, strict=True))
    return all_read(slot_of[texts] for texts in sides.itertuples(index=False, name=None))
