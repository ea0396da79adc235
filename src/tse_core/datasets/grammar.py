"""Template grammars: all agreement pairs of a lexicon and a few sentence patterns, written in YAML.

``data/grammars/marvin-linzen.yaml`` explains the notation at its top; ``the [person 1] that [feels
for 1] the [other person 2] [*does 1]`` reads: co-indexed words share their number, the starred verb
is the one under test.

>>> pairs = generate(load_grammar("marvin-linzen"), "simple")
>>> len(pairs), pairs["left"][0], pairs["correct"][0]
(140, 'The author', 'laughs')
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS, OTHER, shape, verb_lemma
from tse_core.errors import InputError, check_known, one_line
from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.schemas import check, read_schema
from tse_core.words import First, Period

MOST_CHOICES = 1_000_000  # of entries and numbers for one pattern; tens of thousands are usual
BOTH = "both"  # the number of a word of a twin of which both forms are written out
# An element of a pattern: a fixed word, or a slot with its star, list and index.
_ELEMENT = re.compile(r"([^\[\]\s]+)|\[(\*?)\s*([^\[\]]*?)(?:\s+(\d+))?\s*\]")
# A noun inside an entry, with its number: guards(plural).
_MARK = re.compile(r"(\S+)\((singular|plural)\)")


class Entry(NamedTuple):
    """A word of the lexicon: its two forms, the text behind them, and a noun inside that text.

    ``plural`` is None for a noun that has none (everyone), the singular for words that do not
    agree. ``noun`` and its number are empty where ``rest`` holds no marked noun.
    """

    singular: str
    plural: str | None
    rest: str = ""
    noun: str = ""
    noun_number: str = ""

    def form(self, number: str) -> str:
        """Its form in a number; both of them (author/authors) for `BOTH`."""
        if number == "singular" or self.plural is None or self.plural == self.singular:
            return self.singular
        if number == BOTH:
            return f"{self.singular}/{self.plural}"
        return self.plural

    def text(self, number: str) -> str:
        """The form and the text behind it."""
        form = self.form(number)
        return f"{form} {self.rest}" if self.rest else form


class Element(NamedTuple):
    """An element of a pattern: a slot, or a fixed word, whose list is "" and has one entry."""

    list: str
    kind: str  # of the list: nouns, predicates or words
    number: int  # the index that agreeing words share
    tested: bool
    entries: Sequence[Entry]

    @property
    def has_number(self) -> bool:
        """Whether its form depends on a number."""
        return self.kind in ("nouns", "predicates")


class Filling(NamedTuple):
    """An entry that fills an element, with its text in the sentence and in the sentence's twin."""

    entry: Entry
    text: str
    twin_text: str


@dataclass(frozen=True)
class Grammar:
    """A grammar as its file describes it.

    ``patterns`` has the columns slug, construction, template, pattern and elements (the list of the
    pattern's `Element`). In a factorial design ``factors`` maps a column of the pairs to the list
    whose words it holds, ``ambiguous`` holds the combinations that can be read in two ways,
    ``items`` is the number of items of a pattern that are drawn (0: all), and ``drawn`` names the
    factors that are drawn with the items and not crossed with them. ``first`` and ``period`` are
    the policies by which its sentences are written (:func:`tse_core.datasets.pairs.shape`).
    """

    name: str
    patterns: pd.DataFrame
    factors: Mapping[str, str] = field(default_factory=dict)
    ambiguous: Sequence[Mapping[str, Any]] = ()
    items: int = 0
    drawn: Sequence[str] = ()
    first: First = "as-is"
    period: Period = "as-is"

    @property
    def constructions(self) -> dict[str, str]:
        """Slug -> name of each construction, in the file's order."""
        return dict(zip(self.patterns["slug"], self.patterns["construction"], strict=True))


def load_grammar(name_or_path: str | Path) -> Grammar:
    """A grammar by the name of its file in data/grammars, or by the path of a YAML file.

    Raises InputError, naming the file and where the mistake is in it
    (``constructions.simple.patterns.simple_agrmt``).
    """
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        check_known("grammar", str(name_or_path), grammar_files())
        path = grammar_files()[str(name_or_path)]
    content = read_yaml(path)
    check(content, read_schema("grammars/schema.json"), str(path))
    try:
        return _grammar(content, path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def grammar_files() -> dict[str, Path]:
    """The files of the grammars in data/grammars, by name."""
    paths = sorted((data_folder() / "grammars").glob("*.yaml"))
    return {path.stem: path for path in paths}


def generate(
    grammar: Grammar,
    only: str | None = None,
    *,
    first: First | None = None,
    period: Period | None = None,
) -> pd.DataFrame:
    """All agreement pairs of a grammar, or of the construction whose slug is ``only``.

    Their order is fixed. A pair is one choice of entries and numbers. ``subject`` is the noun that
    the tested verb agrees with, ``attractor`` the last other noun before that verb (empty where
    there is none), each in the form it has in the sentence; ``noun`` is the subject's singular,
    which its plural shares. ``twin`` is the sentence with both numbers of the subject written out
    ("the author/authors near the guards ___"), the same for all pairs that differ only in the
    subject's number. A factorial design adds a column for each factor, and ``ambiguous`` ("yes",
    "no"). ``first`` and ``period``, by default the grammar's own, are the policies of
    :func:`tse_core.datasets.pairs.shape`. Raises InputError for an unknown construction.
    """
    first = first or grammar.first
    period = period or grammar.period
    if only is not None:
        check_known(f"construction of {grammar.name}", only, grammar.constructions)
    columns = [*AGREEMENT_COLUMNS, "twin"]
    if grammar.factors:
        columns += [*grammar.factors, "ambiguous"]
    pairs: list[dict[str, str]] = []
    for pattern in grammar.patterns.itertuples():
        if only is None or only == pattern.slug:
            pairs += _pairs(grammar, pattern, first, period)
    return pd.DataFrame(pairs, columns=columns)


def _grammar(content: dict[str, Any], stem: str) -> Grammar:
    """The grammar of a file's content, which the schema has checked. Raises InputError."""
    lists = _lexicon(content["lexicon"])
    # A row for each pattern, with what it is made of.
    templates = []
    for slug, construction in content["constructions"].items():
        slug = str(slug)
        name = construction.get("name", slug)
        for template, pattern in construction["patterns"].items():
            elements = _elements(pattern, lists, f"constructions.{slug}.patterns.{template}")
            templates.append((slug, name, str(template), pattern, elements))
    columns = ["slug", "construction", "template", "pattern", "elements"]
    patterns = pd.DataFrame(templates, columns=columns)
    if not patterns["template"].is_unique:
        raise InputError(f"two patterns are called {patterns['template'].mode()[0]!r}")
    attributes = ("factors", "ambiguous", "items", "drawn", "first", "period")
    settings = {name: content[name] for name in attributes if name in content}
    grammar = Grammar(content.get("name", stem), patterns, **settings)
    _check_design(grammar, content["lexicon"].get("words", {}))
    return grammar


def _lexicon(content: Mapping[str, Any]) -> dict[str, tuple[str, list[Entry]]]:
    """Each list of the lexicon by its name: its kind and its entries."""
    lists: dict[str, tuple[str, list[Entry]]] = {}
    for kind, lists_of_kind in content.items():
        for name, texts in lists_of_kind.items():
            if name in lists:
                raise InputError(f"lexicon.{kind}.{name}: another list has this name already")
            entries = [_entry(one_line(text), kind) for text in texts]
            lists[name] = kind, entries
    return lists


def _check_design(grammar: Grammar, words: Mapping[str, Any]) -> None:
    """Raise InputError for a name in a factorial design that is unknown, or taken already."""
    for column in grammar.factors:
        if column in (*AGREEMENT_COLUMNS, "twin", "ambiguous"):
            raise InputError(f"factors: all pairs have a column {column!r}; name the factor anew")
    for name in grammar.factors.values():
        check_known("list of words", name, words)
    columns = ["why", "constructions", *grammar.factors]
    for column in itertools.chain(grammar.drawn, *grammar.ambiguous):
        check_known("factor", column, columns)
    for rule in grammar.ambiguous:
        for slug in rule.get("constructions", []):
            check_known("construction", slug, grammar.constructions)


def _entry(text: str, kind: str) -> Entry:
    """The entry of a text of the lexicon: a noun, a predicate (likes/like the guards) or a word."""
    if kind == "words":
        return Entry(text, text)
    forms, rest = text, ""
    # A noun may have several words; a predicate is a verb and its complement.
    if kind == "predicates":
        forms, _, rest = text.partition(" ")
    singular, _, plural = forms.partition("/")
    noun, number = "", ""
    marks = _MARK.findall(rest)
    if marks:
        noun, number = marks[-1]
    rest = _MARK.sub(r"\1", rest)
    return Entry(singular.strip(), plural.strip() or None, rest, noun, number)


def _elements(
    pattern: str, lists: Mapping[str, tuple[str, list[Entry]]], where: str
) -> list[Element]:
    """The fixed words and slots of a pattern; ``where`` is its path in the file.

    Raises InputError: a list that is not there, a star on words without two forms, an index without
    its one noun.
    """
    elements = []
    for word, star, name, number in _ELEMENT.findall(pattern):
        if word:
            elements.append(Element("", "", 0, False, [Entry(word, word)]))
            continue
        check_known(f"list in {where}", name, lists)
        kind, entries = lists[name]
        # A pattern of one noun needs no index: its words share the index 0.
        elements.append(Element(name, kind, int(number or 0), bool(star), entries))
    nouns = Counter(element.number for element in elements if element.kind == "nouns")
    for element in elements:
        if element.tested and not _has_two_forms(element):
            raise InputError(
                f"{where}: the star is for predicates of two forms, and {element.list!r} has others"
            )
        count = nouns[element.number]
        if element.has_number and count != 1:
            index = f"{where}: index {element.number or 'none'} of {element.list!r}"
            raise InputError(f"{index} must stand on exactly one noun, it stands on {count}")
    return elements


def _has_two_forms(element: Element) -> bool:
    """Whether an element is no noun and its entries all have two forms."""
    if element.kind == "nouns":
        return False
    return all(entry.singular != entry.plural for entry in element.entries)


def _pairs(grammar: Grammar, pattern, first: First, period: Period) -> Iterator[dict[str, str]]:
    """The rows of a pattern in `generate`: one for each choice of numbers and entries."""
    elements = pattern.elements
    verb, subject = _verb_and_subject(elements)
    for pair_number, (numbers, fillings) in enumerate(_choices(grammar, pattern), start=1):
        entries, texts, twin_texts = zip(*fillings, strict=True)
        tested = entries[verb]
        number = numbers[verb]
        left, right = _sides(texts, tested.rest, verb)
        twin = " ___ ".join(_sides(twin_texts, tested.rest, verb)).strip()
        left, right = shape(left, right, first=first, period=period)
        attractor, attractor_number = _attractor(elements, entries, numbers, subject, verb)
        yield {
            "id": f"{pattern.template}/{pair_number}",
            "construction": pattern.construction,
            "template": pattern.template,
            "subject": texts[subject],
            "noun": entries[subject].singular,
            "attractor": attractor,
            "attractor_number": attractor_number,
            "lemma": verb_lemma(tested.plural),
            "left": left,
            "right": right,
            "number": number,
            "correct": tested.form(number),
            "wrong": tested.form(OTHER[number]),
            "twin": twin,
            **_levels(grammar, pattern.slug, elements, entries),
        }


def _verb_and_subject(elements: Sequence[Element]) -> tuple[int, int]:
    """The positions in a pattern of the verb under test and of the noun that it agrees with."""
    verb = [element.tested for element in elements].index(True)
    number = elements[verb].number
    # `_elements` has checked that there is one such noun.
    subject = [(element.kind, element.number) for element in elements].index(("nouns", number))
    return verb, subject


def _choices(grammar: Grammar, pattern) -> Iterator[tuple[Sequence[str], tuple[Filling, ...]]]:
    """Every choice of numbers and entries in a pattern: the number and the filling of each element.

    No choice has an entry twice. Raises InputError where there are too many.
    """
    elements = pattern.elements
    verb, _ = _verb_and_subject(elements)
    subject_index = elements[verb].number
    indices = sorted({element.number for element in elements if element.has_number})
    items = list(_items(grammar, pattern))
    # Most patterns use no list twice, so that no choice of theirs can repeat an entry.
    lists = Counter(element.list for element in elements if element.list)
    may_repeat = max(lists.values()) > 1
    count = 0
    for values in itertools.product(NUMBERS, repeat=len(indices)):
        number_of = dict(zip(indices, values, strict=True))
        # A word that does not agree has one form, whatever number it gets here.
        numbers = [number_of.get(element.number, "singular") for element in elements]
        for item in items:
            fillings_of_elements = []
            for element, entries, number in zip(elements, item, numbers, strict=True):
                twin_number = BOTH if element.number == subject_index else number
                fillings_of_elements.append(_fillings(entries, number, twin_number))
            # An item without a choice takes time, too.
            count += 1 + math.prod(map(len, fillings_of_elements))
            _check_choices(count, pattern)
            for fillings in itertools.product(*fillings_of_elements):
                entries = [filling.entry for filling in fillings]
                if not (may_repeat and _repeats_entry(elements, entries)):
                    yield numbers, fillings


def _fillings(entries: Sequence[Entry], number: str, twin_number: str) -> list[Filling]:
    """What may fill an element of a number: its entries, with their texts."""
    fillings = []
    for entry in entries:
        # A noun without a plural (everyone) is a subject of the singular only.
        if number == "singular" or entry.plural is not None:
            fillings.append(Filling(entry, entry.text(number), entry.text(twin_number)))
    return fillings


def _items(grammar: Grammar, pattern) -> Iterator[list[Sequence[Entry]]]:
    """The entries of each element: all of them, or one item of a design after the other.

    An item is a choice of the words that are neither levels of a crossed factor nor under test.
    """
    elements = pattern.elements
    if not grammar.items:
        yield [element.entries for element in elements]
        return
    positions = _free_positions(grammar, elements)
    for item in _drawn_items(grammar.items, [elements[i] for i in positions], pattern):
        entries = [element.entries for element in elements]
        for position, entry in zip(positions, item, strict=True):
            entries[position] = (entry,)
        yield entries


def _drawn_items(items: int, free: Sequence[Element], pattern) -> Iterator[tuple[Entry, ...]]:
    """At most so many items, an entry of each free element, drawn with the template's own seed.

    Items use all words about equally often: each time one is drawn whose words have been drawn the
    fewest times.
    """
    count = math.prod(len(element.entries) for element in free)
    _check_choices(count, pattern)
    # Each draw looks at all candidates; a hundred looks take the time of one choice.
    _check_choices(min(items, count) * count // 100, pattern)
    candidates = list(itertools.product(*(element.entries for element in free)))
    order = np.random.default_rng([*pattern.template.encode()]).permutation(len(candidates))
    candidates = [candidates[i] for i in order if not _repeats_entry(free, candidates[i])]
    uses: Counter[tuple[int, Entry]] = Counter()  # of each word in its slot

    def uses_of_words(item: tuple[Entry, ...]) -> list[int]:
        """How often each word of an item has been drawn, most often first."""
        return sorted((uses[word] for word in enumerate(item)), reverse=True)

    for _ in range(min(items, len(candidates))):
        item = min(candidates, key=uses_of_words)
        candidates.remove(item)
        uses.update(enumerate(item))
        yield item


def _check_choices(count: int, pattern) -> None:
    """Raise InputError for more choices of entries and numbers than a pattern may have."""
    if count > MOST_CHOICES:
        raise InputError(
            f"the pattern {pattern.template} has more than {MOST_CHOICES:,} combinations of words; "
            "shorten its lists, or draw fewer items of them (items)"
        )


def _free_positions(grammar: Grammar, elements: Sequence[Element]) -> list[int]:
    """The positions of the slots that the items of a design fill."""
    fixed = {""}  # the list of fixed words
    for column, name in grammar.factors.items():
        if column not in grammar.drawn:
            fixed.add(name)
    positions = []
    for position, element in enumerate(elements):
        if element.list not in fixed and not element.tested:
            positions.append(position)
    return positions


def _repeats_entry(elements: Sequence[Element], entries: Sequence[Entry]) -> bool:
    """Whether two slots have the same entry of the same list."""
    filled = zip(elements, entries, strict=True)
    words = [(element.list, entry) for element, entry in filled if element.list]
    return len(set(words)) < len(words)


def _sides(texts: Sequence[str], rest: str, verb: int) -> tuple[str, str]:
    """The texts before and behind the form of the verb under test.

    ``texts`` are those of the elements, empty ones among them, ``verb`` the position of the verb,
    and ``rest`` the text that belongs to its entry.
    """
    left = " ".join(filter(None, texts[:verb]))
    right = " ".join(filter(None, (rest, *texts[verb + 1 :])))
    return left, right


def _levels(
    grammar: Grammar, slug: str, elements: Sequence[Element], entries: Sequence[Entry]
) -> dict[str, str]:
    """The level of each factor of a design in a sentence, and whether that is ambiguous."""
    if not grammar.factors:
        return {}
    filled = zip(elements, entries, strict=True)
    words = {element.list: entry.singular for element, entry in filled}
    # A pattern without the list of a factor is at its level "none".
    levels = {column: words.get(name) or "none" for column, name in grammar.factors.items()}
    features = levels | {"constructions": slug}
    is_ambiguous = any(_applies(rule, features) for rule in grammar.ambiguous)
    return levels | {"ambiguous": "yes" if is_ambiguous else "no"}


def _applies(rule: Mapping[str, Any], features: Mapping[str, str]) -> bool:
    """Whether a rule of ambiguity lists each of these features that it names."""
    names = rule.keys() - {"why"}
    return all(features[name] in rule[name] for name in names)


def _attractor(
    elements: Sequence[Element],
    entries: Sequence[Entry],
    numbers: Sequence[str],
    subject: int,
    verb: int,
) -> tuple[str, str]:
    """The last noun before the verb but its subject, and its number; empty if there is none.

    ``subject`` and ``verb`` are positions in the pattern.
    """
    for position in reversed(range(verb)):
        entry = entries[position]
        if entry.noun:
            return entry.noun, entry.noun_number
        if elements[position].kind == "nouns" and position != subject:
            number = numbers[position]
            return entry.form(number), number
    return "", ""
