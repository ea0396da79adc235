"""From two sentences to one sentence with a gap and two forms, and back."""

import pandas as pd

from tse_core.datasets.pairs import SENTENCE_COLUMNS
from tse_core.errors import InputError
from tse_core.words import MARKS, join, plain


def agreement_as_sentences(pairs: pd.DataFrame) -> pd.DataFrame:
    """Agreement pairs as sentence pairs; the two verb forms are also the one-prefix method's words."""
    prefix, good, bad = pairs["left"], pairs["correct"], pairs["wrong"]
    sentences = {
        "good": [join(*parts) for parts in zip(prefix, good, pairs["right"], strict=True)],
        "bad": [join(*parts) for parts in zip(prefix, bad, pairs["right"], strict=True)],
        "paradigm": pairs["construction"].to_numpy(),
        "pair_id": pairs["id"].to_numpy(),
        "phenomenon": "subject-verb agreement",
        "field": "morphology",
        "one_prefix_prefix": prefix.to_numpy(),
        "one_prefix_word_good": good.to_numpy(),
        "one_prefix_word_bad": bad.to_numpy(),
        "methods": "full-sentence one-prefix",
    }
    return pd.DataFrame(sentences).reindex(columns=SENTENCE_COLUMNS, fill_value="")


def split_pair(good: str, bad: str, where: str) -> tuple[str, str, str, str]:
    """(left, correct, wrong, right) of two sentences that differ in one word; ``where`` names their place in errors."""
    good_words, bad_words = plain(good).split(), plain(bad).split()
    if good_words == bad_words:
        raise InputError(f"{where}: sentence_good and sentence_bad are identical; they must differ in the verb")
    different = [i for i, words in enumerate(zip(good_words, bad_words, strict=False)) if words[0] != words[1]]
    if len(good_words) != len(bad_words) or len(different) != 1:
        raise InputError(f"{where}: the sentences must differ in exactly one word: {good!r} / {bad!r}")
    position = different[0]
    correct, final = _without_marks(good_words[position])
    wrong, wrong_final = _without_marks(bad_words[position])
    if final != wrong_final or not correct or not wrong:
        raise InputError(f"{where}: the two verb forms must carry the same punctuation: {good!r} / {bad!r}")
    rest = " ".join(good_words[position + 1 :])
    left, right = " ".join(good_words[:position]), f"{final} {rest}".strip()
    right = f" {right}" if not final and right[:1] and right[0] in MARKS else right
    if join(left, correct, right) != plain(good):
        raise InputError(f"{where}: the quotation mark behind {correct!r} closes none that stands before it: {good!r}")
    return left, correct, wrong, right


def _without_marks(word: str) -> tuple[str, str]:
    """A word, and the marks behind it."""
    bare = word.rstrip(MARKS)
    return bare, word[len(bare) :]
