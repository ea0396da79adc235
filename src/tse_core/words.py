"""Words side by side: how the parts around a gap become a sentence."""


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
