"""Words side by side: how the parts around a gap become a sentence, and one spelling for letters with marks."""

import unicodedata


def composed(text: str) -> str:
    """The text in Unicode's composed form (NFC): é is one character, as models' texts have it, and not e and a mark.

    >>> len("e\u0301te\u0301"), len(composed("e\u0301te\u0301"))
    (5, 3)
    """
    return unicodedata.normalize("NFC", text)


def join(left: str, word: str, right: str) -> str:
    """The sentence: one space between the parts, none before punctuation.

    >>> join("The keys to the cabinet", "are", "on the table.")
    'The keys to the cabinet are on the table.'
    >>> join("The authors", "laugh", ".")
    'The authors laugh.'
    """
    start = f"{left} {word}" if left else word
    if not right or right[0] in ".,;:!?)]”":
        return start + right
    return f"{start} {right}"
