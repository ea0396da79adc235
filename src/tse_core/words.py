"""Joining words: how parts become a sentence, and the normal form in which all text is read.

Also, where a word begins and ends, and a common label for the singular and the plural of an English noun.
"""

import unicodedata
from collections.abc import Iterable

MARKS = '.,;:!?)]"”'  # follow a word without a space


def composed(text: str) -> str:
    """The text in Unicode's composed form (NFC): é is one character, as in models' training texts, not e and a mark.

    >>> len("e\u0301te\u0301"), len(composed("e\u0301te\u0301"))
    (5, 3)
    """
    return unicodedata.normalize("NFC", text)


def plain(text: str) -> str:
    """The text as all readers give it: composed, one space between words, none at its ends.

    >>> plain(" Un\u00a0e\u0301te\u0301  chaud ")
    'Un été chaud'
    """
    return " ".join(composed(text).split())


def plain_right(text: str) -> str:
    """The text after a gap, as `plain`; a space before a punctuation mark is kept, as in French.

    >>> plain_right(" on  the table."), plain_right("\u00a0!"), plain_right("!")
    ('on the table.', ' !', '!')
    """
    rest = plain(text)
    return f" {rest}" if text[:1].isspace() and rest[:1] and rest[0] in MARKS else rest


def join(left: str, word: str, right: str) -> str:
    """The sentence: one space between the parts, none before a mark unless the right part begins with it.

    A straight quotation mark closes where the left part has opened one, and opens where it has not.

    >>> join("The keys to the cabinet", "are", "on the table.")
    'The keys to the cabinet are on the table.'
    >>> join("The authors", "laugh", "."), join("Il", "rit", " !")
    ('The authors laugh.', 'Il rit !')
    >>> join('"The author', "laughs", '" is said.'), join("He", "writes", '"No".')
    ('"The author laughs" is said.', 'He writes "No".')
    """
    start = f"{left} {word}" if left else word
    opens = right.startswith('"') and start.count('"') % 2 == 0
    if not right or right[0] == " " or (right[0] in MARKS and not opens):
        return start + right
    return f"{start} {right}"


def word_span(sentence: str, position: int) -> tuple[int, int]:
    """Start and end of the word (what stands between spaces) around a character.

    >>> word_span("The author laughs.", 12)
    (11, 18)
    """
    start = sentence.rfind(" ", 0, position + 1) + 1
    return start, start + len(sentence[start:].split(" ", 1)[0])


def spelled_nouns(subjects: Iterable[str]) -> list[str]:
    """One label for the singular and the plural of an English noun, so that `key` and `keys` form one cluster.

    A plural is recognised only when its singular is among `subjects` too; anything else stays as it is, in lower
    case.

    >>> print(*spelled_nouns(["movies", "movie", "lady", "ladies", "bus", "women", "boss"]))
    movie movie lady lady bus woman boss
    """
    subjects = list(subjects)
    word_of = {subject: str(subject).strip().lower() for subject in set(subjects)}
    known = set(word_of.values())
    singular = {word: word for word in known}
    for word in known:
        endings = [("ies", "y"), ("ves", "f"), ("ves", "fe"), ("men", "man"), ("es", ""), ("s", "")]
        options = [word[: -len(old)] + new for old, new in endings if word.endswith(old)]
        options += {"people": ["person"], "children": ["child"], "teeth": ["tooth"], "mice": ["mouse"]}.get(word, [])
        irregular = word.endswith("men") and word not in ("men", "specimen", "regimen", "abdomen", "omen")
        present = [o for o in options if o in known] or ([word[:-3] + "man"] if irregular else [])
        singular[word] = present[-1] if present else word
    return [singular[word_of[subject]] for subject in subjects]
