"""A pair of sentences, split at the verb in which they differ."""

import re
from itertools import islice
from os.path import commonprefix

from tse_core.errors import InputError
from tse_core.words import APOSTROPHES, CLOSING, DIVIDER, OPENING, join, left_part, right_part

_WORD = re.compile(r"\S+")
# A single quotation mark before a word, without one that closes the quotation behind it.
_OPEN_QUOTATION = re.compile(r"(?<!\S)[\"“(]*['‘]\w(?!.*\w['’](?!\w))", re.DOTALL)


def split_pair(good: str, bad: str, where: str) -> tuple[str, str, str, str]:
    """The parts of two sentences that differ in one word: (left, correct, wrong, right).

    A mark belongs to the sentence where both forms carry it. `join` gives the sentences again, to
    the letter. Raises InputError; ``where`` is the location of the pair that it names.
    """
    sentences = f"{good!r} / {bad!r}"
    word, other = _different_words(good, bad)
    if word is None or other is None:
        raise InputError(
            f"{where}: the sentences must differ in exactly one word, or be compared as a whole "
            f"(tse blimp): {sentences}"
        )
    if _WORD.split(good) != _WORD.split(bad):
        raise InputError(
            f"{where}: the sentences must not differ in their white space: {sentences}"
        )
    # The verb may be one of several words that dashes join.
    start, correct, wrong, end = _parted_at_dashes(word[0], other[0])
    before = good[: word.start()] + start
    after = end + good[word.end() :]
    opening, correct, wrong, closing = _without_marks(before, correct, wrong)
    left = left_part(before + opening)
    right = right_part(closing + after)
    if not correct or not wrong or _has_mark(correct) or _has_mark(wrong):
        raise InputError(
            f"{where}: the two verb forms must carry the same punctuation: {sentences}"
        )
    # Parts that do not give the sentence again would be scored as another sentence.
    if join(left, correct, right) != good or join(left, wrong, right) != bad:
        raise InputError(
            f"{where}: the marks around the verb do not show which belong to it; put spaces "
            f"between them and other words: {sentences}"
        )
    return left, correct, wrong, right


def _different_words(good: str, bad: str) -> tuple[re.Match | None, re.Match | None]:
    """The one word of each sentence that differs; None, None if there is not exactly one."""
    good_words = good.split()
    bad_words = bad.split()
    if len(good_words) != len(bad_words):
        return None, None
    different = [i for i in range(len(good_words)) if good_words[i] != bad_words[i]]
    if len(different) != 1:
        return None, None
    return _word_at(good, different[0]), _word_at(bad, different[0])


def _word_at(sentence: str, position: int) -> re.Match:
    """A word of a sentence by its position, from 0, with where it stands."""
    return next(islice(_WORD.finditer(sentence), position, None))


def _parted_at_dashes(good: str, bad: str) -> tuple[str, str, str, str]:
    """The parts of two words, or of several with dashes or dots between.

    They are the text before the one word that differs, that word in both, and the text behind it.
    """
    good_parts = DIVIDER.split(good)
    bad_parts = DIVIDER.split(bad)
    if len(good_parts) != len(bad_parts):
        return "", good, bad, ""
    different = [i for i in range(len(good_parts)) if good_parts[i] != bad_parts[i]]
    if len(different) != 1:
        return "", good, bad, ""
    position = different[0]
    start = "".join(good_parts[:position])
    end = "".join(good_parts[position + 1 :])
    return start, good_parts[position], bad_parts[position], end


def _without_marks(before: str, good: str, bad: str) -> tuple[str, str, str, str]:
    """Two forms without the marks that both carry: (opening, good, bad, closing).

    ``before`` is the text before the forms. An apostrophe at one edge alone is a letter of the form
    (goin', va', 're), unless a quotation that was opened before it ends there.
    """
    opening = commonprefix([OPENING.match(good)[0], OPENING.match(bad)[0]])
    # The opening marks go first, so that a form of nothing but marks does not count them twice.
    good = good.removeprefix(opening)
    bad = bad.removeprefix(opening)
    closing = _common_end(CLOSING.search(good)[0], CLOSING.search(bad)[0])
    if not closing.startswith(tuple(APOSTROPHES)):
        marks = opening.rstrip(APOSTROPHES)
        apostrophes = opening.removeprefix(marks)
        opening, good, bad = marks, apostrophes + good, apostrophes + bad
    elif not opening.endswith((*APOSTROPHES, "‘")) and not _OPEN_QUOTATION.search(before):
        closing = closing.lstrip(APOSTROPHES)
    return opening, good.removesuffix(closing), bad.removesuffix(closing), closing


def _common_end(one: str, other: str) -> str:
    """The longest text with which both end."""
    reversed_texts = [one[::-1], other[::-1]]
    return commonprefix(reversed_texts)[::-1]


def _has_mark(form: str) -> bool:
    """Whether a form has a mark at an edge, apart from an apostrophe."""
    marks = OPENING.match(form)[0] + CLOSING.search(form)[0]
    return marks.strip(APOSTROPHES) != ""
