"""Pairs of a treebank: their verb list, the other forms of their verbs, the sites that count once.

``formats/conllu`` reads them: a pair for each verb that agrees with its subject. Their origin has
four facts: lemmas, the name of the verb list; attested, the rows of the treebank's own list;
clusters, what its documents are; left_out, how many verbs failed each rule.
"""

from collections.abc import Iterable

import pandas as pd

from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.pairs import OTHER, SITE, Origin
from tse_core.errors import InputError

TREEBANK = "treebank"  # the name of the verb list that is drawn from the data


def verbs_of_treebank(origin: Origin) -> Lemmas:
    """The verb list that is drawn from the treebank of some pairs, by their origin.

    Raises InputError: they are of none; no verb.
    """
    attested = origin.facts.get("attested")
    name = origin.name or "the pairs"
    if attested is None:
        raise InputError(
            f"{name} is no treebank, so that no verb list can be drawn from it; name one (tse list "
            "lemmas) or give a file with the columns lemma, singular, plural"
        )
    if not attested:
        raise InputError(
            f"{name}: no verb is attested in both numbers, so that no verb list can be drawn from "
            "it; give more of the treebank, or a list: --lemmas, in Python the argument lemmas"
        )
    return list_of_attested(attested)


def list_of_attested(verbs: Iterable[tuple[str, str, str]]) -> Lemmas:
    """The verb list of lemmas with the two forms in which a treebank attests each."""
    return Lemmas(TREEBANK, pd.DataFrame(verbs, columns=["lemma", "singular", "plural"]))


def with_other_forms(pairs: pd.DataFrame, lemmas: Lemmas) -> pd.DataFrame:
    """The pairs with the other forms of a verb list where they have none.

    Of several verbs with a form the one with the pair's lemma counts, else the first of the list.
    """
    other_form: dict[tuple[str, ...], str] = {}
    for verb in lemmas.table.itertuples():
        for number in OTHER:
            form, other = getattr(verb, number), getattr(verb, OTHER[number])
            other_form.setdefault((number, form), other)
            other_form.setdefault((number, form, verb.lemma), other)
    others = []
    for pair in pairs.itertuples():
        by_form = other_form.get((pair.number, pair.correct), "")
        others.append(other_form.get((pair.number, pair.correct, pair.lemma), by_form))
    wrong = pairs["wrong"].where(pairs["wrong"] != "", pd.Series(others, pairs.index, dtype="str"))
    return pairs.assign(wrong=wrong)


def distinct_sites(pairs: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Pairs of a treebank with the first site of each text and number alone.

    The text is that before the verb, for a masked model that on both sides.
    """
    text = ["left", "right"] if kind == "masked" else ["left"]
    return pairs.drop_duplicates(["construction", *text, "number"])


def is_of_treebank(columns: Iterable[str]) -> bool:
    """Whether pairs with these columns are sites of a treebank, or come from a table of these."""
    return set(SITE) <= set(columns)
