"""Template grammars: every agreement pair that a lexicon and a few sentence patterns, written in YAML, allow.

``data/grammars/marvin-linzen.yaml`` explains the notation at its top; ``the [person 1] that [feels for 1] the
[other person 2] [*does 1]`` reads: co-indexed words share their number, the starred verb is the one under test.

>>> pairs = generate(load_grammar("marvin-linzen"), "simple")
>>> len(pairs), pairs["left"][0], pairs["correct"][0]
(140, 'The author', 'laughs')
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS, OTHER, shape, verb_lemma
from tse_core.errors import InputError, check_known
from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.schemas import check, read_schema
from tse_core.words import First, Period

BOTH = "both"  # the number of a place of a twin where both forms are written out
_PLACE = re.compile(
    r"([^\[\]\s]+)|\[(\*?)\s*([^\[\]]*?)(?:\s+(\d+))?\s*\]"
)  # a word, or a slot: star, list, index
_MARK = re.compile(r"(\S+)\((singular|plural)\)")


class Entry(NamedTuple):
    """A word of the lexicon: its two forms, what follows them, and a noun inside that with its number."""

    singular: str
    plural: (
        str | None
    )  # None for a noun that has none (everyone); the singular for words that do not agree
    rest: str = ""
    noun: str = ""
    noun_number: str = ""

    def form(self, number: str) -> str:
        """Its form in a number; for `BOTH`, as in author/authors."""
        if number == "singular" or self.plural in (None, self.singular):
            return self.singular
        return f"{self.singular}/{self.plural}" if number == BOTH else self.plural

    def text(self, number: str) -> str:
        """The form, and what follows it."""
        return f"{self.form(number)} {self.rest}" if self.rest else self.form(number)


class Place(NamedTuple):
    """A place of a pattern; a fixed word is one without a list's name and with one entry."""

    list: str
    kind: str  # of the list: nouns, predicates or words
    number: int  # the index that agreeing words share
    tested: bool
    entries: Sequence[Entry]


@dataclass(frozen=True)
class Grammar:
    """A grammar as read.

    ``patterns`` has the columns slug, construction, template, pattern and places (each a `Place`). In a factorial
    design ``factors`` maps a column of the pairs to the list whose words it holds, ``ambiguous`` holds the combinations
    that can be read in two ways, ``items`` says how many items of a pattern are drawn (0: all), and ``drawn`` names the
    factors that are drawn with the items and not crossed with them. ``first`` and ``period`` say how its sentences are
    written (:func:`tse_core.datasets.pairs.shape`).
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

    Raises InputError, naming the file and the place in it (``constructions.simple.patterns.simple_agrmt``).
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
    return {path.stem: path for path in sorted((data_folder() / "grammars").glob("*.yaml"))}


def generate(
    grammar: Grammar,
    only: str | None = None,
    *,
    first: First | None = None,
    period: Period | None = None,
) -> pd.DataFrame:
    """All agreement pairs of a grammar, or of the one construction whose slug is ``only``, in a fixed order.

    A pair is one choice of entries and numbers. ``subject`` is the noun that the tested verb agrees with, ``attractor``
    the last other noun before that verb (empty where there is none), each in the form it has in the sentence; ``noun``
    is the subject's singular, which its plural shares. ``twin`` is the sentence with both numbers of the subject
    written out ("the author/authors near the guards ___"), the same for all pairs that differ only in the
    subject's number. A factorial design adds a column for each factor, and ``ambiguous`` ("yes", "no").
    ``first`` and ``period``, by default the grammar's own, are the policies of :func:`tse_core.datasets.pairs.shape`.
    """
    first, period = first or grammar.first, period or grammar.period
    if only is not None:
        check_known(f"construction of {grammar.name}", only, grammar.constructions)
    rows: list[tuple] = []
    for pattern in grammar.patterns.itertuples():
        if only in (None, pattern.slug):
            rows += _pairs(grammar, pattern, first, period)
    design = [*grammar.factors, "ambiguous"] if grammar.factors else []
    return pd.DataFrame(rows, columns=[*AGREEMENT_COLUMNS, "twin", *design])


def _grammar(content: dict[str, Any], stem: str) -> Grammar:
    lists: dict[str, tuple[str, list[Entry]]] = {}
    for kind, named in content["lexicon"].items():
        for name, texts in named.items():
            if name in lists:
                raise InputError(f"lexicon.{kind}.{name}: another list has this name already")
            lists[name] = kind, [_entry(" ".join(text.split()), kind) for text in texts]
    rows = []
    for slug, construction in content["constructions"].items():
        for name, pattern in construction["patterns"].items():
            places = _places(pattern, lists, f"constructions.{slug}.patterns.{name}")
            rows.append(
                (str(slug), construction.get("name", str(slug)), str(name), pattern, places)
            )
    patterns = pd.DataFrame(rows, columns=["slug", "construction", "template", "pattern", "places"])
    if not patterns["template"].is_unique:
        raise InputError(f"two patterns are called {patterns['template'].mode()[0]!r}")
    further = ("factors", "ambiguous", "items", "drawn", "first", "period")
    options = {key: content[key] for key in further if key in content}
    grammar = Grammar(content.get("name", stem), patterns, **options)
    for name in grammar.factors.values():
        check_known("list of words", name, content["lexicon"].get("words", {}))
    for column in itertools.chain(grammar.drawn, *grammar.ambiguous):
        check_known("factor", column, ["why", "constructions", *grammar.factors])
    for slug in itertools.chain(*(rule.get("constructions", []) for rule in grammar.ambiguous)):
        check_known("construction", slug, grammar.constructions)
    return grammar


def _entry(text: str, kind: str) -> Entry:
    if kind == "words":
        return Entry(text, text)
    forms, _, rest = text.partition(" ") if kind == "predicates" else (text, "", "")
    singular, _, plural = (part.strip() for part in forms.partition("/"))
    noun, number = (_MARK.findall(rest) or [("", "")])[-1]
    return Entry(singular, plural or None, _MARK.sub(r"\1", rest), noun, number)


def _places(pattern: str, lists: Mapping[str, tuple[str, list[Entry]]], where: str) -> list[Place]:
    """The fixed words and slots of a pattern."""
    places = []
    for word, star, name, number in _PLACE.findall(pattern):
        if not word:
            check_known(f"list in {where}", name, lists)
        kind, entries = ("", [Entry(word, word)]) if word else lists[name]
        places.append(Place(name, kind, int(number or 0), bool(star), entries))
    nouns = Counter(place.number for place in places if place.kind == "nouns")
    for place in places:
        if place.tested and (
            place.kind == "nouns" or any(word.singular == word.plural for word in place.entries)
        ):
            raise InputError(
                f"{where}: the star is for predicates of two forms, and {place.list!r} has others"
            )
        if place.kind in ("nouns", "predicates") and nouns[place.number] != 1:
            which = f"{where}: index {place.number or 'none'} of {place.list!r}"
            raise InputError(
                f"{which} must stand on exactly one noun, it stands on {nouns[place.number]}"
            )
    return places


def _pairs(grammar: Grammar, pattern, first: First, period: Period) -> Iterator[tuple]:
    """Every choice of numbers and entries, as rows in the order of the columns of `generate`."""
    places = pattern.places
    verb = next(i for i, place in enumerate(places) if place.tested)
    agreed = places[verb].number
    subject = next(
        i for i, place in enumerate(places) if place.kind == "nouns" and place.number == agreed
    )
    indices = sorted({place.number for place in places if place.kind in ("nouns", "predicates")})
    items, rows = list(_items(grammar, pattern)), itertools.count(1)
    lists = Counter(place.list for place in places if place.list)
    may_repeat = max(lists.values()) > 1
    for values in itertools.product(NUMBERS, repeat=len(indices)):
        number_of = dict(zip(indices, values, strict=True))
        number = number_of[agreed]
        at = [number_of.get(place.number, "singular") for place in places]
        twin_at = [
            BOTH if place.number == agreed else n for place, n in zip(places, at, strict=True)
        ]
        for item in items:
            possible = [
                [
                    (e, e.text(n), e.text(twin))
                    for e in entries
                    if n == "singular" or e.plural is not None
                ]
                for entries, n, twin in zip(item, at, twin_at, strict=True)
            ]
            for choice in itertools.product(*possible):
                chosen, texts, twins = zip(*choice, strict=True)
                if may_repeat and _says_twice(places, chosen):
                    continue
                tested = chosen[verb]
                yield (
                    f"{pattern.template}/{next(rows)}",
                    pattern.construction,
                    pattern.template,
                    texts[subject],
                    chosen[subject].singular,
                    *_attractor(places, chosen, at, subject, verb),
                    verb_lemma(tested.plural),
                    *shape(*_sides(texts, tested.rest, verb), first=first, period=period),
                    number,
                    tested.form(number),
                    tested.form(OTHER[number]),
                    " ___ ".join(_sides(twins, tested.rest, verb)).strip(),
                    *_levels(grammar, pattern.slug, places, chosen),
                )


def _items(grammar: Grammar, pattern) -> Iterator[list[Sequence[Entry]]]:
    """The entries at each place of a sentence: all of them, or for each of the items drawn in a design.

    An item is a choice of the words that are neither levels of a crossed factor nor under test. Items are drawn one by
    one with the template's own seed, each time one whose words were drawn least.
    """
    places = pattern.places
    if not grammar.items:
        yield [place.entries for place in places]
        return
    crossed = {
        "",
        *(name for column, name in grammar.factors.items() if column not in grammar.drawn),
    }
    at = [i for i, place in enumerate(places) if place.list not in crossed and not place.tested]
    free = [places[i] for i in at]
    left = list(itertools.product(*(place.entries for place in free)))
    order = np.random.default_rng([*pattern.template.encode()]).permutation(len(left))
    left = [left[i] for i in order if not _says_twice(free, left[i])]
    drawn: Counter[tuple[int, Entry]] = Counter()
    for _ in range(min(grammar.items, len(left))):
        item = min(
            left, key=lambda words: sorted((drawn[word] for word in enumerate(words)), reverse=True)
        )
        left.remove(item)
        drawn.update(enumerate(item))
        fixed = {i: (word,) for i, word in zip(at, item, strict=True)}
        yield [fixed.get(i, place.entries) for i, place in enumerate(places)]


def _says_twice(places: Sequence[Place], chosen: Sequence[Entry]) -> bool:
    """Whether a list gives the same entry to two of its places."""
    drawn = [(place.list, entry) for place, entry in zip(places, chosen, strict=True) if place.list]
    return len(set(drawn)) < len(drawn)


def _sides(texts: Sequence[str], rest: str, verb: int) -> tuple[str, str]:
    """What stands before the verb under test and behind it, where the verb's entry goes on with `rest`."""
    return " ".join(filter(None, texts[:verb])), " ".join(filter(None, (rest, *texts[verb + 1 :])))


def _levels(
    grammar: Grammar, slug: str, places: Sequence[Place], chosen: Sequence[Entry]
) -> list[str]:
    """The level of each factor of a design in a sentence with these entries, and whether it is ambiguous."""
    if not grammar.factors:
        return []
    words = {place.list: entry.singular for place, entry in zip(places, chosen, strict=True)}
    levels = {column: words.get(name) or "none" for column, name in grammar.factors.items()}
    known = levels | {"constructions": slug}
    ambiguous = any(
        all(known[key] in rule[key] for key in rule.keys() - {"why"}) for rule in grammar.ambiguous
    )
    return [*levels.values(), "yes" if ambiguous else "no"]


def _attractor(
    places: Sequence[Place], chosen: Sequence[Entry], at: Sequence[str], subject: int, verb: int
) -> tuple:
    """The last noun before the verb that is not its subject, and that noun's number; empty where there is none."""
    for i in range(verb - 1, -1, -1):
        if chosen[i].noun:
            return chosen[i].noun, chosen[i].noun_number
        if places[i].kind == "nouns" and i != subject:
            return chosen[i].form(at[i]), at[i]
    return "", ""
