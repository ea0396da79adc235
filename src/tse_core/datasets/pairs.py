"""Minimal pairs as plain tables.

An *agreement pair* is one sentence with a gap where the verb stood, and two forms for the gap: the
one that agrees with its subject and the one that does not. A *sentence pair* is simply an
acceptable and an unacceptable sentence. Both are pandas tables, one row per pair; ``readers.py``
beside this module reads them.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from tse_core.errors import check_known, warn
from tse_core.words import First, Period, final_period, first_letter, join, spelled_nouns, straight

# fmt: off
AGREEMENT_COLUMNS = [
    "id", "construction", "template", "subject", "noun", "attractor", "attractor_number", "lemma",
    "left", "right", "number", "correct", "wrong",
]
# fmt: on
PREFIX_FIELDS = {
    "one-prefix": ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    "two-prefix": ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}  # the fields that BLiMP's prefix methods read
_OF_ALL = ["good", "bad", "paradigm", "pair_id", "phenomenon", "field"]
SENTENCE_COLUMNS = [*_OF_ALL, *PREFIX_FIELDS["one-prefix"], *PREFIX_FIELDS["two-prefix"], "methods"]
# Wrong completions of a prefix besides the first, as a JSON list: entity tracking has five options.
FURTHER_BAD = "one_prefix_further_bad"
PARTS = {FURTHER_BAD}.union(*PREFIX_FIELDS.values())  # columns of parts of sentences
SITE = ("sent_id", "token")  # columns of pairs of a treebank: where the verb stands in it
NUMBERS = ("singular", "plural")
OTHER = dict(zip(NUMBERS, reversed(NUMBERS), strict=True))  # a number -> the other one
Protocol = Literal["exact", "released"]  # how contexts are counted and scored; see `evaluate`
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
# Forms that are not their verbs' lemmas, some of them before a contracted not (won't, can't).
_BE = {"are": "be", "were": "be", "'re": "be", "wo": "will", "ca": "can"}


class Origin(NamedTuple):
    """Where pairs come from, which their table has in ``attrs``."""

    name: str = ""  # what signatures call them
    # Of data of the hub a name with the commit, all 40 digits of it, e.g.
    # hf:jumelet/multiblimp@110832f.../eng/data.tsv
    source: str = ""
    facts: Mapping[str, Any] = {}  # of a treebank, see `tse_core.datasets.treebank_pairs`


def with_origin(
    pairs: pd.DataFrame, name: str, source: str = "", facts: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """The pairs with their origin, which `origin_of` reads: the parts of an `Origin`."""
    attributes = {**(facts or {}), "name": name, "source": source}
    pairs.attrs = {key: value for key, value in attributes.items() if value != ""}
    return pairs


def origin_of(pairs: pd.DataFrame) -> Origin:
    """The origin that `with_origin` gave to pairs; its parts are empty if they have none."""
    facts = dict(pairs.attrs)
    name = str(facts.pop("name", ""))
    source = str(facts.pop("source", ""))
    return Origin(name, source, facts)


def unique_contexts(pairs: pd.DataFrame, kind: str, protocol: str = "exact") -> pd.DataFrame:
    """The different gaps among the pairs, over which EW and MW average.

    A context of a ``"masked"`` model is what stands on both sides of the gap, of a ``"causal"`` one
    the left side. Protocol ``"exact"`` keeps a context that occurs with both numbers as two rows;
    ``"released"`` keeps one row, with the number of the first pair, as the paper's released code
    does.

    Returns one row a context, in order of first appearance: construction (each has its own
    contexts), subject, noun, left, right (empty for causal) and number of the first pair ("" where
    there is none), pairs (the number of pairs that share it), then each further column of the pairs
    with one value per context, such as the factors of a design. ``twin`` ends at the gap for a
    causal model, which reads no further. Raises InputError for another kind or protocol. Source:
    Newman et al. (2021), section 3.
    """
    return contexts_at(pairs, kind, context_index(pairs, kind, protocol))


def contexts_at(pairs: pd.DataFrame, kind: str, index: np.ndarray) -> pd.DataFrame:
    """`unique_contexts` by the row of each pair's context, which `context_index` gives."""
    # The first pair of each context stands for it.
    first = np.unique(index, return_index=True)[1]
    columns = ["construction", "subject", "noun", "left", "right", "number"]
    contexts = pairs.iloc[first].reindex(columns=columns, fill_value="").reset_index(drop=True)
    if kind == "causal":
        contexts["right"] = ""
    contexts["pairs"] = np.bincount(index)
    # Columns of the verb differ within a context by nature.
    others = {*contexts, "id", "lemma", "correct", "wrong"}
    for column in pairs:
        if column in others:
            continue
        values = pairs[column].fillna("")
        if column == "twin" and kind == "causal":
            values = values.str.partition("___")[0].str.strip()
        values = values.to_numpy()
        values_of_first = values[first]
        if (values_of_first[index] == values).all():
            contexts[column] = values_of_first
    return contexts


def context_index(pairs: pd.DataFrame, kind: str, protocol: str = "exact") -> np.ndarray:
    """For each pair, the row of its context in :func:`unique_contexts`: int64, shape (pairs,)."""
    keys = {"masked": ["construction", "left", "right"], "causal": ["construction", "left"]}
    check_known("kind of model", kind, keys)
    check_known("protocol", protocol, PROTOCOLS)
    columns = keys[kind]
    if protocol == "exact":
        columns.append("number")
    return pairs.groupby(columns, sort=False).ngroup().to_numpy(dtype="int64")


def shape(
    left: str, right: str, *, first: First = "as-is", period: Period = "as-is"
) -> tuple[str, str]:
    """The two sides of a gap under the policies of spelling: the first letter, and the final mark.

    The first letter is that of the text before the gap; a verb that begins the sentence stays as it
    is.
    """
    return first_letter(left, first), final_period(right, period)


def with_sentences(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs with their two sentences, good and bad, as first columns."""
    sentences = {}
    for sentence, form in (("good", "correct"), ("bad", "wrong")):
        sentences[sentence] = list(map(join, pairs["left"], pairs[form], pairs["right"]))
    return pd.concat([pd.DataFrame(sentences, pairs.index), pairs], axis=1)


def verb_lemma(plural: str) -> str:
    """The lemma of a plural (base) form: itself, or be for are and were; without a contracted not.

    >>> [verb_lemma(form) for form in ("laugh", "are", "were", "weren't", "haven’t")]
    ['laugh', 'be', 'be', 'be', 'have']
    """
    base = straight(plural).lower().removesuffix("n't")
    return _BE.get(base, base)


def lemmas_of(pairs: pd.DataFrame) -> pd.Series:
    """The lemma of each pair: its own, else that of its plural form, if the number is known."""
    plural = pairs["correct"].where(pairs["number"] == "plural", pairs["wrong"])
    missing = (pairs["lemma"] == "") & (pairs["number"] != "")
    return pairs["lemma"].mask(missing, plural.map(verb_lemma))


def nouns_of(subjects: pd.Series, nouns: pd.Series, where: str = "the pairs") -> pd.Series:
    """The noun of each subject: its own, else guessed from the subjects by English spelling.

    A warning, which begins with `where`, tells of the guess.
    """
    has_subject = subjects != ""
    missing = has_subject & (nouns == "")
    if not missing.any():
        return nouns
    guess = "the singular and the plural of a subject are matched by English spelling"
    count = f"subjects without a 'noun': {missing.sum():,} of {has_subject.sum():,}"
    warn(f"{where}: {count}; {guess}")
    return nouns.mask(missing, pd.Series(spelled_nouns(subjects), subjects.index))
