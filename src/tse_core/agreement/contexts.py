"""From pairs to contexts: the number of each subject, then contexts in a fixed order."""

from collections.abc import Iterable
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.datasets.lemmas import REQUIRED, Lemmas, load_lemmas
from tse_core.datasets.pairs import context_index, contexts_at, lemmas_of
from tse_core.errors import InputError, warn
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt
from tse_core.words import straight


def in_order(lemmas: Lemmas) -> Lemmas:
    """A list in the order of its forms, so that stored tables serve it whatever its own order."""
    return Lemmas(lemmas.name, lemmas.table.sort_values(list(REQUIRED), ignore_index=True))


def numbered_pairs(pairs: pd.DataFrame, by_list: pd.Series, list_name: str) -> pd.DataFrame:
    """The pairs whose subject's number is known.

    It is the pair's own, else that of the correct form in the verb list of this name, which
    `by_list` has (`numbers_by_list`), else in the appendix of Newman et al. (2021). Raises
    InputError: no number is known; the number of a pair contradicts the list's forms of its verb.
    """
    number = pairs["number"]
    # Before anything is filled in, and also where no number is missing.
    contradicts = (by_list != "") & (number != "") & (by_list != number)
    if contradicts.any():
        first = pairs[contradicts].iloc[0]
        raise _contradiction_error(first, by_list[contradicts].iloc[0], list_name)
    if number.ne("").all():
        return pairs
    number = number.mask(number == "", by_list)
    appendix = load_lemmas("newman-appendix")
    by_appendix = numbers_by_list(pairs["correct"], pairs["wrong"], appendix)
    number = number.mask(number == "", by_appendix)
    if number.eq("").all():
        first = pairs.iloc[0]
        raise InputError(
            "no pair says its subject's number, and their verbs do not show it (the first: "
            f"{first['correct']}/{first['wrong']}); add a column number (singular or plural), give "
            "a verb list with these verbs, or compare whole sentences (tse blimp)"
        )
    pairs = pairs.assign(number=number)
    # With its number, a pair shows which form is the plural, and so its lemma.
    pairs = pairs.assign(lemma=lemmas_of(pairs))
    return pairs[number != ""]


def _contradiction_error(pair: pd.Series, by_list: str, list_name: str) -> InputError:
    """The error for a pair whose own number is not that of its form in the verb list."""
    return InputError(
        f"a pair is said to be {pair['number']}, but by the verb list {list_name} its form "
        f"{pair['correct']!r} is {by_list} (the other form is {pair['wrong']!r}): exchange the "
        "numbers, or the columns of the list"
    )


def warn_of_other_verbs(first: pd.Series, lemmas: Lemmas, where: str) -> None:
    """Warn that a list holds no pair's verb, naming the first: it may be of another language."""
    warn(
        f"{where}: no pair's verb is in the verb list {lemmas.name} ({len(lemmas):,} lemmas; the "
        f"first: {first['correct']}/{first['wrong']}), so that EW and MW are about none of them; "
        "give a list of the pairs' language: --lemmas, in Python the argument lemmas (tse list "
        "lemmas)"
    )


def warn_of_unknown_words(
    model: LanguageModel, contexts: pd.DataFrame, slots: Iterable[Prompt]
) -> None:
    """One warning with the words around the slots of contexts that the tokenizer does not know."""
    if not any(model.unknown_id in slot.ids for slot in slots):
        return
    # Only what the model reads of a context.
    texts = set(contexts["left"])
    if model.reads_right:
        texts.update(contexts["right"])
    words: set[str] = set()
    for text in texts:
        words.update(text.split())
    ordered = sorted(words)
    marks = model.unkify(ordered)
    unknown = [repr(word) for word, of_word in zip(ordered, marks, strict=True) if any(of_word)]
    if unknown:
        listed = ", ".join(unknown[:5])
        if len(unknown) > 5:
            listed += f" and {len(unknown) - 5:,} more"
        text = f"{model.label} reads words of the contexts as unknown ({listed})"
        warn(f"{text}: scores do not depend on which they are")


def numbered_contexts(
    pairs: pd.DataFrame, kind: str, protocol: str, sample: int | Literal["all"], seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """The contexts of some pairs, construction by construction, and each pair with its context.

    Parameters
    ----------
    pairs : with a known number each
    kind, protocol : those of the model and the evaluation, which decide what one context is
        (`tse_core.datasets.pairs.context_index`)
    sample, seed : how many contexts of each construction are kept (`stratified_sample`)

    Returns
    -------
    - the pairs of these contexts, with a column ``context``: the row of their context;
    - the contexts;
    - how many contexts there are without a sample.
    """
    index = context_index(pairs, kind, protocol)
    contexts = contexts_at(pairs, kind, index)
    if sample == "all":
        construction, _ = pd.factorize(contexts["construction"])
        chosen = np.argsort(construction, kind="stable")
    else:
        chosen = stratified_sample(contexts, sample, seed)
    # The row of each context among the chosen ones; -1 for the others.
    new_row = np.full(len(contexts), -1)
    new_row[chosen] = np.arange(len(chosen))
    pairs = pairs.assign(context=new_row[index])
    pairs = pairs[pairs["context"] >= 0].reset_index(drop=True)
    return pairs, contexts.iloc[chosen].reset_index(drop=True), len(contexts)


def stratified_sample(contexts: pd.DataFrame, size: int, seed: int = 0) -> np.ndarray:
    """The rows of at most `size` contexts of each construction, int64, in the order of drawing.

    Singular and plural subjects are drawn in proportion to their contexts. The choice depends only
    on the seed, the construction and its contexts (columns construction, number, left, right), not
    on their order or on other constructions; a larger sample with the same seed begins with the
    smaller one, so that its scores are used again.
    """
    chosen: list[int] = []
    for construction, rows in contexts.groupby("construction", sort=False).indices.items():
        table = contexts.iloc[rows].assign(row=rows).sort_values(["number", "left", "right"])
        ranked = []
        for number, stratum in table.groupby("number"):
            # The stratum's name is a part of the seed: strata of equal sizes are drawn otherwise.
            random = np.random.default_rng([seed, *f"{construction} {number}".encode()])
            shuffled = stratum["row"].to_numpy()[random.permutation(len(stratum))]
            for rank, row in enumerate(shuffled.tolist()):
                # Ranks of all strata fill (0, 1) evenly, so any first part is in proportion.
                ranked.append(((rank + 0.5) / len(shuffled), number, row))
        chosen += [row for _, _, row in sorted(ranked)[:size]]
    return np.array(chosen, dtype=np.int64)


def numbers_by_list(correct: pd.Series, wrong: pd.Series, lemmas: Lemmas) -> pd.Series:
    """The number of each correct form by a verb list; "" if the list lacks it and the wrong one.

    Forms are compared in lower case, with straight apostrophes and without a contracted not.
    """
    number_of = {}
    for forms in zip(lemmas.table["singular"], lemmas.table["plural"], strict=True):
        number_of[forms] = "singular"
    # In a loop of its own: of two lemmas with exchanged forms the plural reading counts.
    for singular, plural in zip(lemmas.table["singular"], lemmas.table["plural"], strict=True):
        number_of[plural, singular] = "plural"
    forms_of_pairs = zip(_normalised(correct), _normalised(wrong), strict=True)
    numbers = [number_of.get(forms, "") for forms in forms_of_pairs]
    return pd.Series(numbers, correct.index, dtype="str")


def _normalised(forms: pd.Series) -> pd.Series:
    """Forms as they are looked up."""
    return forms.map(straight).str.lower().str.removesuffix("n't")
