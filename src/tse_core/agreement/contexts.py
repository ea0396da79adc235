"""From pairs to contexts: the number of each subject, then the contexts, one number each for all later tables."""

from typing import Literal

import numpy as np
import pandas as pd

from tse_core.datasets.lemmas import REQUIRED, Lemmas, load_lemmas
from tse_core.datasets.pairs import context_index, contexts_at
from tse_core.datasets.readers import lemmas_of
from tse_core.errors import InputError, warn
from tse_core.words import straight


def in_order(lemmas: Lemmas) -> Lemmas:
    """A list in the order of its forms: the same tables are kept for it, whatever the order of its rows."""
    return Lemmas(lemmas.name, lemmas.table.sort_values(list(REQUIRED), ignore_index=True))


def numbered_pairs(pairs: pd.DataFrame, lemmas: Lemmas) -> pd.DataFrame:
    """The pairs whose subject's number is given, or shown by the verb's two forms in the list or in the appendix.

    Raises InputError: no number is known; a pair gives one number, and the list's forms of its verb imply the other.
    """
    number, shown = pairs["number"], _shown(pairs, lemmas)
    for row in pairs[(shown != "") & (number != "") & (shown != number)].head(1).itertuples():
        raise InputError(
            f"a pair is said to be {row.number}, but by the verb list {lemmas.name} its form {row.correct!r} is "
            f"{shown[row.Index]} (the other form is {row.wrong!r}): exchange the numbers, or the columns of the list"
        )
    if number.ne("").all():
        return pairs
    number = number.mask(number == "", shown)
    number = number.mask(number == "", _shown(pairs, load_lemmas("newman-appendix")))
    if number.eq("").all():
        raise InputError(
            f"no pair says its subject's number, and their verbs do not show it (the first: "
            f"{pairs['correct'].iloc[0]}/{pairs['wrong'].iloc[0]}); add a column number (singular or plural), give a "
            "verb list with these verbs, or compare whole sentences (tse blimp)"
        )
    pairs = pairs.assign(number=number)
    return pairs.assign(lemma=lemmas_of(pairs))[number != ""]


def warn_of_other_verbs(pairs: pd.DataFrame, lemmas: Lemmas, where: str) -> None:
    """A warning where the list holds no pair's verb: it may be that of another language."""
    if (_shown(pairs, lemmas) == "").all():
        first = pairs.iloc[0]
        text = (
            f"{where}: no pair's verb is in the verb list {lemmas.name} ({len(lemmas):,} lemmas; the first: "
            f"{first['correct']}/{first['wrong']}), so that EW and MW are about none of them; give a list of the "
            "pairs' language: --lemmas, in Python the argument lemmas (tse list lemmas)"
        )
        warn(text)


def numbered_contexts(
    pairs: pd.DataFrame, kind: str, protocol: str, sample: int | Literal["all"], seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Each pair with the number of its context, and the contexts, construction by construction.

    `kind` and `protocol` say what makes a context (`tse_core.datasets.pairs.context_index`), `sample` and `seed` how
    many of each construction are kept (`stratified_sample`); pairs of others are left out.

    Returns the pairs with a column ``context``, the contexts in the order of their numbers, and how many contexts there
    are without a sample.
    """
    index = context_index(pairs, kind, protocol)
    contexts = contexts_at(pairs, kind, index)
    if sample == "all":
        chosen = np.argsort(pd.factorize(contexts["construction"])[0], kind="stable")
    else:
        chosen = stratified_sample(contexts, sample, seed)
    number = np.full(len(contexts), -1)
    number[chosen] = np.arange(len(chosen))
    pairs = pairs.assign(context=number[index])
    pairs = pairs[pairs["context"] >= 0].reset_index(drop=True)
    return pairs, contexts.iloc[chosen].reset_index(drop=True), len(contexts)


def stratified_sample(contexts: pd.DataFrame, size: int, seed: int = 0) -> np.ndarray:
    """The rows of at most `size` contexts of each construction, in proportion to its numbers, int64, as drawn.

    The choice depends only on the seed, the construction and its contexts (columns construction, number, left, right),
    not on their order or on other constructions; a larger sample with the same seed begins with the smaller one, so
    that its scores are used again.
    """
    chosen = []
    for construction, rows in contexts.groupby("construction", sort=False).indices.items():
        strata = (
            contexts.iloc[rows]
            .assign(row=rows)
            .sort_values(["number", "left", "right"])
            .groupby("number")
        )
        drawn = []
        for number, stratum in strata:
            random = np.random.default_rng([seed, *f"{construction} {number}".encode()])
            found = stratum["row"].to_numpy()[random.permutation(len(stratum))]
            drawn += [
                ((rank + 0.5) / len(found), number, row) for rank, row in enumerate(found.tolist())
            ]
        chosen += [row for *_, row in sorted(drawn)[:size]]
    return np.array(chosen, dtype=np.int64)


def _shown(pairs: pd.DataFrame, lemmas: Lemmas) -> pd.Series:
    """The number of each pair's correct form by a verb list; "" where the list does not hold both forms.

    Forms are compared in lower case, with straight apostrophes and without a contracted not.
    """
    forms = list(zip(lemmas.table["singular"], lemmas.table["plural"], strict=True))
    number_of = dict.fromkeys(forms, "singular") | {
        (plural, singular): "plural" for singular, plural in forms
    }
    correct, wrong = (
        pairs[side].map(straight).str.lower().str.removesuffix("n't")
        for side in ("correct", "wrong")
    )
    found = [number_of.get(both, "") for both in zip(correct, wrong, strict=True)]
    return pd.Series(found, pairs.index, dtype="str")
