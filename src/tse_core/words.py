"""Words, sentences and the parts of a sentence: how they are read, joined and taken apart.

A sentence is read as it is written: in Unicode's composed form, with its white space inside. `join` puts the text
before a word, the word and the text behind it together; `left_part` and `right_part` are those two texts as tables hold
them. Also a common label for the singular and the plural of an English noun.
"""

import unicodedata
from collections.abc import Iterable
from typing import Literal, get_args

import regex

from tse_core.errors import check_known

First = Literal["as-is", "capital", "lower"]  # policies for the first letter of a sentence
Period = Literal["as-is", "add"]  # policies for its final mark

APOSTROPHES = "'’ʼ׳"
DIVIDER = regex.compile(r"([–—]+|\.{3,})")  # parts two words without a space
_GUILLEMETS = {"«": "»", "»": "«", "‹": "›", "›": "‹"}  # either one opens: « French », »German«
_QUOTES = rf"\p{{Pi}}\p{{Pf}}\"״{APOSTROPHES}"
# Marks that may stand right before a word, and right behind one.
OPENING = regex.compile(rf"[\p{{Ps}}¿¡…{_QUOTES}]*")
CLOSING = regex.compile(rf"[\p{{Terminal_Punctuation}}\p{{Pe}}…·՛՜՞{_QUOTES}]*$", regex.REVERSE)
# Final marks: … lacks Unicode's Sentence_Terminal, and NFC turns the question mark of Greek into a semicolon.
_FINAL = regex.compile(
    rf"(?:[\p{{Sentence_Terminal}}…]|\p{{Greek}};)[\p{{Pe}}{_QUOTES}\s]*$", regex.REVERSE
)
# Writing without spaces between words, with its wide punctuation marks.
_UNSPACED = (
    r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Line_Break=SA}]|(?=\p{P})[\p{ea=W}\p{ea=F}]"
)
_TOUCHES_NEXT = regex.compile(
    rf"(?:[\p{{Ps}}¿¡]|(?<!\s)(?:[–—]|\.{{3,}})|{_UNSPACED})$", regex.REVERSE
)
_QUOTES_AT_END = regex.compile(rf"(?:^|[\s\p{{Ps}}¿¡–—])[…{_QUOTES}]+$", regex.REVERSE)
_TOUCHES_PREVIOUS = regex.compile(
    rf"[\p{{Terminal_Punctuation}}\p{{Pe}}…·՛՜՞]|[–—]+(?!\s)|{_UNSPACED}"
)
_QUOTE_AT_START = regex.compile(rf"[{_QUOTES}](?![\p{{L}}\p{{N}}\p{{Ps}}\p{{Pi}}¿¡])")


def composed(text: str) -> str:
    """The text in Unicode's composed form (NFC): é is one character, as in models' training texts, not e and a mark.

    >>> len("e\u0301te\u0301"), len(composed("e\u0301te\u0301"))
    (5, 3)
    """
    return unicodedata.normalize("NFC", text)


def plain(text: str) -> str:
    """A name, a form or a label: composed, one space between words, none at its ends.

    >>> plain(" Un\u00a0e\u0301te\u0301  chaud ")
    'Un été chaud'
    """
    return " ".join(composed(text).split())


def trimmed(text: str) -> str:
    r"""A sentence: composed, without white space at its ends; inside, white space is kept.

    >>> trimmed(" Who left?\n\nThe guests did. ")
    'Who left?\n\nThe guests did.'
    """
    return composed(text).strip()


def left_part(text: str) -> str:
    r"""What stands before a word, as `join` takes it: trimmed, without the one space that `join` puts there.

    Any other white space before the word is kept, and so is a space where `join` puts none, as behind «.

    >>> left_part(" The author "), left_part("Il dit « "), left_part("Who left?\n")
    ('The author', 'Il dit « ', 'Who left?\n')
    """
    text = composed(text).lstrip()
    without = text.rstrip()
    has_usual_space = text == f"{without} " and not _touches_next(without)
    return without if has_usual_space else text


def right_part(text: str) -> str:
    """What stands behind a word, as `join` takes it: trimmed, without the one space that `join` puts there.

    Any other white space behind the word is kept, and so is a space where `join` puts none, as before a mark.

    >>> right_part(" on  the table."), right_part(" !"), right_part("!")
    ('on  the table.', ' !', '!')
    """
    text = composed(text).rstrip()
    without = text.lstrip()
    has_usual_space = text == f" {without}" and not _touches_previous(without)
    return without if has_usual_space else text


def join(left: str, word: str, right: str) -> str:
    """The sentence: one space between its parts, none where a part brings white space or a mark belongs to the word.

    An opening mark belongs to the word behind it, a closing one to the word before it. Languages that are written
    without spaces get none.

    >>> join("The keys to the cabinet", "are", "on the table.")
    'The keys to the cabinet are on the table.'
    >>> join("The authors", "laugh", "."), join("Il", "rit", " !"), join("作者", "写", "书。")
    ('The authors laugh.', 'Il rit !', '作者写书。')
    >>> join('"The author', "laughs", '" is said.'), join("He", "writes", '"No".'), join("He (", "writes", ") it.")
    ('"The author laughs" is said.', 'He writes "No".', 'He (writes) it.')
    """
    return with_space(left) + word + _space_before(right) + right


def with_space(left: str) -> str:
    """What the sentence holds before the word: the left part and the space that `join` puts behind it, if any."""
    has_own = not left or left[-1].isspace() or _touches_next(left)
    return left if has_own else f"{left} "


def _space_before(right: str) -> str:
    has_own = not right or right[0].isspace() or _touches_previous(right)
    return "" if has_own else " "


def _touches_next(left: str) -> bool:
    """Whether a word follows this text without a space, if nothing else is said."""
    if _TOUCHES_NEXT.search(left):
        return True
    return bool(_QUOTES_AT_END.search(left)) and _is_unpaired(left[-1], left)


def _touches_previous(right: str) -> bool:
    """Whether this text follows a word without a space, if nothing else is said."""
    if _TOUCHES_PREVIOUS.match(right):
        return True
    return bool(_QUOTE_AT_START.match(right)) and _is_unpaired(right[0], right)


def _is_unpaired(mark: str, text: str) -> bool:
    """Whether a quotation mark belongs to the word outside the text: its partner is not in the text."""
    if mark in _GUILLEMETS:
        return text.count(mark) > text.count(_GUILLEMETS[mark])
    return mark not in '"״' or text.count(mark) % 2 == 1


def first_letter(text: str, policy: str) -> str:
    """The text with its first letter as a policy says: "as-is", "capital" (Unicode's title case) or "lower".

    Marks before it are passed over. A letter that has no capital at the start of a sentence, as in Georgian, stays.

    >>> first_letter("¿los niños", "capital"), first_letter("ბიჭი", "capital"), first_letter("The", "lower")
    ('¿Los niños', 'ბიჭი', 'the')
    """
    check_known("policy for first", policy, get_args(First))
    place = next((i for i, character in enumerate(text) if character.isalnum()), None)
    if policy == "as-is" or place is None:
        return text
    letter = text[place].title() if policy == "capital" else text[place].lower()
    return text[:place] + composed(letter) + text[place + 1 :]


def final_period(text: str, policy: str) -> str:
    """The end of a sentence as a policy says: "as-is", or "add", which puts a period where there is no final mark.

    >>> final_period("on the table", "add"), final_period("here.”", "add"), final_period("է։", "add")
    ('on the table.', 'here.”', 'է։')
    """
    check_known("policy for period", policy, get_args(Period))
    return text if policy == "as-is" or ends_with_mark(text) else f"{text}."


def ends_with_mark(text: str) -> bool:
    """Whether a text ends with the final mark of a sentence, of any script, also within brackets or quotation marks."""
    return bool(_FINAL.search(text))


def word_span(sentence: str, position: int) -> tuple[int, int]:
    r"""Start and end of the word (what stands between white space) around a character, or behind a space.

    >>> word_span("The author laughs.", 12), word_span("Who left?\nThe guests", 9)
    ((11, 18), (10, 13))
    """
    start = position
    if sentence[position : position + 1].isspace():
        start = len(sentence) - len(sentence[position:].lstrip())
    while start > 0 and not sentence[start - 1].isspace():
        start -= 1
    end = start
    while end < len(sentence) and not sentence[end].isspace():
        end += 1
    return start, end


def straight(word: str) -> str:
    """The word with straight apostrophes, as the verb lists are written: aren’t is aren't.

    >>> straight("aren’t")
    "aren't"
    """
    return word.replace("’", "'").replace("ʼ", "'")


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
        options += {
            "people": ["person"],
            "children": ["child"],
            "teeth": ["tooth"],
            "mice": ["mouse"],
        }.get(word, [])
        irregular = word.endswith("men") and word not in (
            "men",
            "specimen",
            "regimen",
            "abdomen",
            "omen",
        )
        present = [o for o in options if o in known] or ([word[:-3] + "man"] if irregular else [])
        singular[word] = present[-1] if present else word
    return [singular[word_of[subject]] for subject in subjects]
