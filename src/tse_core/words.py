"""Words, sentences and the parts of a sentence: how they are read, joined and taken apart.

A sentence is read as it is written: in Unicode's composed form, with its white space inside. `join`
puts the text before a word, the word and the text behind it together; `left_part` and `right_part`
are those two texts as tables hold them. Also a common label for the singular and the plural of an
English noun.
"""

import unicodedata
from collections.abc import Collection, Iterable
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

# Final marks: … lacks Unicode's Sentence_Terminal, and NFC turns the question mark of Greek into a
# semicolon. Brackets and quotation marks may follow.
_FINAL = regex.compile(
    rf"(?:[\p{{Sentence_Terminal}}…]|\p{{Greek}};)[\p{{Pe}}{_QUOTES}\s]*$", regex.REVERSE
)

# Writing without spaces between words, with its wide punctuation marks.
_UNSPACED = (
    r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Line_Break=SA}]|(?=\p{P})[\p{ea=W}\p{ea=F}]"
)
_UNSPACED_CHARACTER = regex.compile(_UNSPACED)

# A word of French that lost its vowel before the next one, as in l'homme and qu'il.
_ELIDED = rf"(?<![\p{{L}}\p{{Pi}}\"{APOSTROPHES}])(?:[CDJLMNSTcdjlmnst]|[Qq]u)['’ʼ]"
# A hyphen with what hangs on the word before it, as in Portuguese levanta-se and French parle-t-il.
_HYPHEN = r"-(?=\p{L})"

# Ends of a text that the next word touches: an opening mark, a dash or dots that touch the word
# before them, an elided word, and unspaced writing.
_TOUCHES_NEXT = regex.compile(
    rf"(?:[\p{{Ps}}¿¡]|(?<!\s)(?:[–—]|\.{{3,}})|{_ELIDED}|{_UNSPACED})$", regex.REVERSE
)
# Quotation marks that open, as nothing but a space, a dash or another opening mark precedes them.
_QUOTES_AT_END = regex.compile(rf"(?:^|[\s\p{{Ps}}¿¡–—])[…{_QUOTES}]+$", regex.REVERSE)

# The same for starts of a text, which touch the word before them.
_TOUCHES_PREVIOUS = regex.compile(
    rf"[\p{{Terminal_Punctuation}}\p{{Pe}}…·՛՜՞]|[–—]+(?!\s)|{_HYPHEN}|{_UNSPACED}"
)
_QUOTE_AT_START = regex.compile(rf"[{_QUOTES}](?![\p{{L}}\p{{N}}\p{{Ps}}\p{{Pi}}¿¡])")

# Plural endings of English nouns with those of the singular; the last that gives a noun wins.
_PLURAL_ENDINGS = (
    ("ies", "y"),
    ("ves", "f"),
    ("ves", "fe"),
    ("men", "man"),
    ("es", ""),
    ("s", ""),
)
_IRREGULAR_PLURALS = {"people": "person", "children": "child", "teeth": "tooth", "mice": "mouse"}
_SINGULARS_IN_MEN = ("men", "specimen", "regimen", "abdomen", "omen")


def composed(text: str) -> str:
    """The text in Unicode's composed form (NFC), which is that of models' training texts.

    In it, é is one character, not e and a mark.

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
    r"""The text before a word, as `join` takes it: trimmed, without the one space of `join`.

    Any other white space before the word stays, and so does a space where `join` puts none, as
    behind «.

    >>> left_part(" The author "), left_part("Il dit « "), left_part("Who left?\n")
    ('The author', 'Il dit « ', 'Who left?\n')
    """
    text = composed(text).lstrip()
    stripped = text.rstrip()
    has_usual_space = text == f"{stripped} " and not _touches_next(stripped)
    return stripped if has_usual_space else text


def right_part(text: str) -> str:
    """The text behind a word, as `join` takes it: trimmed, without the one space of `join`.

    Any other white space behind the word stays, and so does a space where `join` puts none, as
    before a mark.

    >>> right_part(" on  the table."), right_part(" !"), right_part("!")
    ('on  the table.', ' !', '!')
    """
    text = composed(text).rstrip()
    stripped = text.lstrip()
    has_usual_space = text == f" {stripped}" and not _touches_previous(stripped)
    return stripped if has_usual_space else text


def join(left: str, word: str, right: str) -> str:
    """The sentence of three parts, with one space between them where the language writes one.

    There is none where a part brings white space or where a mark belongs to the word: an opening
    mark to the word behind it, a closing one to the word before it. Languages that are written
    without spaces get none.

    >>> join("The keys to the cabinet", "are", "on the table.")
    'The keys to the cabinet are on the table.'
    >>> join("The authors", "laugh", "."), join("Il", "rit", " !"), join("作者", "写", "书。")
    ('The authors laugh.', 'Il rit !', '作者写书。')
    >>> join('"The author', "laughs", '" is said.'), join("He", "writes", '"No".')
    ('"The author laughs" is said.', 'He writes "No".')
    >>> join("He (", "writes", ") it."), join("Ela", "levanta", "-se."), join("Il n'", "a", "pas.")
    ('He (writes) it.', 'Ela levanta-se.', "Il n'a pas.")
    >>> join("", "Parle", "-t-il ?"), join("avancent", "-", "rendaient")
    ('Parle-t-il ?', 'avancent - rendaient')
    """
    return with_space(left) + word + _space_before(right) + right


def with_space(left: str) -> str:
    """The text of the sentence before the word: the left part and, if `join` puts one, a space."""
    needs_none = not left or left[-1].isspace() or _touches_next(left)
    return left if needs_none else f"{left} "


def _space_before(right: str) -> str:
    """The space that `join` puts between the word and the right part; empty if it puts none."""
    needs_none = not right or right[0].isspace() or _touches_previous(right)
    return "" if needs_none else " "


def _touches_next(left: str) -> bool:
    """Whether a word usually follows this text without a space."""
    if _TOUCHES_NEXT.search(left):
        return True
    return bool(_QUOTES_AT_END.search(left)) and _is_unpaired(left[-1], left)


def _touches_previous(right: str) -> bool:
    """Whether this text usually follows a word without a space."""
    if _TOUCHES_PREVIOUS.match(right):
        return True
    return bool(_QUOTE_AT_START.match(right)) and _is_unpaired(right[0], right)


def _is_unpaired(mark: str, text: str) -> bool:
    """Whether a quotation mark belongs to the word outside the text.

    It does if its partner is not in the text.
    """
    if mark in _GUILLEMETS:
        return text.count(mark) > text.count(_GUILLEMETS[mark])
    # Straight marks open and close alike; curly ones show by themselves to which side they belong.
    is_straight = mark in '"״'
    return not is_straight or text.count(mark) % 2 == 1


def is_unspaced(text: str) -> bool:
    """Whether a text has characters of writing without spaces between words.

    >>> is_unspaced("彼は本"), is_unspaced("ภาษาไทย"), is_unspaced("한국어")
    (True, True, False)
    """
    return bool(_UNSPACED_CHARACTER.search(text))


def first_letter(text: str, policy: str) -> str:
    """The text with its first letter by a policy: "as-is", "capital" or "lower".

    A capital is Unicode's title case. Marks before the letter are passed over. A letter that has no
    capital at the start of a sentence, as in Georgian, stays. Raises InputError for another policy.

    >>> first_letter("¿los niños", "capital"), first_letter("ბიჭი", "capital")
    ('¿Los niños', 'ბიჭი')
    >>> first_letter("The", "lower")
    'the'
    """
    check_known("policy for first", policy, get_args(First))
    if policy == "as-is":
        return text
    for position, character in enumerate(text):
        if character.isalnum():
            letter = character.title() if policy == "capital" else character.lower()
            return text[:position] + composed(letter) + text[position + 1 :]
    return text


def final_period(text: str, policy: str) -> str:
    """The end of a sentence by a policy: "as-is", or "add", a period where no final mark stands.

    Raises InputError for another policy.

    >>> final_period("on the table", "add"), final_period("here.”", "add")
    ('on the table.', 'here.”')
    >>> final_period("է։", "add")
    'է։'
    """
    check_known("policy for period", policy, get_args(Period))
    is_complete = policy == "as-is" or ends_with_mark(text)
    return text if is_complete else f"{text}."


def ends_with_mark(text: str) -> bool:
    """Whether a text ends with the final mark of a sentence, of any script.

    The mark may stand within brackets or quotation marks.
    """
    return bool(_FINAL.search(text))


def word_span(sentence: str, position: int) -> tuple[int, int]:
    r"""Start and end of the word around a character, or of the next word if it is white space.

    A word is what stands between white space; positions count characters, the end is exclusive.

    >>> word_span("The author laughs.", 12), word_span("Who left?\nThe guests", 9)
    ((11, 18), (10, 13))
    """
    start = position
    # The end of the sentence is a position too, where no character stands.
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
    """One label for the singular and the plural of an English noun, as for `key` and `keys`.

    A plural is recognised only when its singular is among `subjects` too, or when it ends in -men;
    anything else stays as it is, in lower case.

    >>> print(*spelled_nouns(["movies", "movie", "lady", "ladies", "bus", "women", "boss"]))
    movie movie lady lady bus woman boss
    """
    words = [str(subject).strip().lower() for subject in subjects]
    vocabulary = set(words)
    singular_of = {word: _singular(word, vocabulary) for word in vocabulary}
    return [singular_of[word] for word in words]


def _singular(word: str, vocabulary: Collection[str]) -> str:
    """The singular of a word, as far as the vocabulary or the ending shows it; else the word."""
    candidates = []
    for ending, singular_ending in _PLURAL_ENDINGS:
        if word.endswith(ending):
            candidates.append(word.removesuffix(ending) + singular_ending)
    if word in _IRREGULAR_PLURALS:
        candidates.append(_IRREGULAR_PLURALS[word])
    singulars = [candidate for candidate in candidates if candidate in vocabulary]
    if singulars:
        return singulars[-1]
    # Hardly any singular ends in -men, so that policemen is a plural without policeman nearby.
    if word.endswith("men") and word not in _SINGULARS_IN_MEN:
        return word.removesuffix("men") + "man"
    return word
