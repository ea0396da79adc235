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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS, shape, verb_lemma
from tse_core.errors import InputError, check_known, unknown_name_error
from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.schemas import check

BOTH = "both"  # the number of a place of a twin where both forms are written out
_SLOT = re.compile(r"\[(\*?)\s*([^\[\]]*?)(?:\s+(\d+))?\s*\]")
_MARK = re.compile(r"(\S+)\((\w+)\)")
_TEXT = {"type": "string"}
_TEXTS = {"type": "object", "minProperties": 1, "additionalProperties": _TEXT}
_ENTRIES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": _TEXT}
_LISTS = {"type": "object", "minProperties": 1, "additionalProperties": _ENTRIES}
_CONSTRUCTION = {"type": "object", "required": ["patterns"], "properties": {"name": _TEXT, "patterns": _TEXTS}}
_SCHEMA = {
    "type": "object",
    "required": ["lexicon", "constructions"],
    "properties": {
        "name": _TEXT,
        "items": {"type": "integer", "minimum": 0},
        "factors": _TEXTS,
        "drawn": {"type": "array", "items": _TEXT},
        "ambiguous": {"type": "array", "items": {"type": "object", "properties": {"why": _TEXT}}},
        "lexicon": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"nouns": _LISTS, "predicates": _LISTS, "words": _LISTS},
        },
        "constructions": {"type": "object", "minProperties": 1, "additionalProperties": _CONSTRUCTION},
    },
}


@dataclass(frozen=True)
class Entry:
    """A word of the lexicon: its two forms (equal where it does not agree), what follows them, a noun inside that.

    The plural of a noun that has none (everyone) is None.
    """

    singular: str
    plural: str | None
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


@dataclass(frozen=True)
class Slot:
    """A place of a pattern: its list, that list's kind, the agreement index (0: none), whether it is under test.

    A fixed word is a place without a list's name and with one entry.
    """

    list: str
    kind: str
    index: int
    tested: bool
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Template:
    """One sentence pattern of a construction; ``parts`` are its places, in order."""

    name: str
    slug: str
    construction: str
    pattern: str
    parts: tuple[Slot, ...]


@dataclass(frozen=True)
class Grammar:
    """A grammar as read: ``lexicon`` maps nouns, predicates and words to lists, and those to entries.

    In a factorial design ``factors`` maps a column of the pairs to the list whose words it holds, ``ambiguous`` holds
    the combinations that can be read in two ways, ``items`` says how many items of a pattern are drawn (0: all), and
    ``drawn`` names the factors that are drawn with the items and not crossed with them.
    """

    name: str
    lexicon: Mapping[str, Mapping[str, tuple[Entry, ...]]]
    templates: tuple[Template, ...]
    factors: Mapping[str, str]
    ambiguous: Sequence[Mapping[str, Any]]
    items: int
    drawn: Sequence[str]

    @property
    def constructions(self) -> dict[str, str]:
        """Slug -> name of each construction, in the file's order."""
        return {template.slug: template.construction for template in self.templates}


def load_grammar(name_or_path: str | Path) -> Grammar:
    """A grammar by the name of its file in data/grammars, or by the path of a YAML file.

    Raises InputError, naming the file and the place in it (``constructions.simple.patterns.simple_agrmt``).
    """
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        check_known("grammar", str(name_or_path), list_grammars())
        path = grammar_file(str(name_or_path))
    content = read_yaml(path)
    check(content, _SCHEMA, str(path))
    try:
        return _grammar(content, path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def grammar_file(name: str) -> Path:
    """The file of a grammar in data/grammars."""
    return data_folder() / "grammars" / f"{name}.yaml"


def list_grammars() -> list[str]:
    """The names of the grammars in data/grammars."""
    return sorted(path.stem for path in (data_folder() / "grammars").glob("*.yaml"))


def noun_table(grammar: Grammar) -> pd.DataFrame:
    """The grammar's nouns: columns list, singular, plural; one row per noun, in the file's order."""
    lists = grammar.lexicon.get("nouns", {})
    rows = [(name, noun.singular, noun.plural or "") for name, nouns in lists.items() for noun in nouns]
    return pd.DataFrame(rows, columns=["list", "singular", "plural"])


def template_table(grammar: Grammar) -> pd.DataFrame:
    """The grammar's patterns: columns slug, construction, template, pattern; one row per template."""
    rows = [(t.slug, t.construction, t.name, t.pattern) for t in grammar.templates]
    return pd.DataFrame(rows, columns=["slug", "construction", "template", "pattern"])


def generate(grammar: Grammar, only: str | None = None, *, capital: bool = True, period: bool = True) -> pd.DataFrame:
    """All agreement pairs of a grammar, or of the one construction whose slug is ``only``, in a fixed order.

    A pair is one choice of entries and numbers. ``subject`` is the noun that the tested verb agrees with, ``attractor``
    the last other noun before that verb (empty where there is none), each in the form it has in the sentence; ``noun``
    is the subject's singular, which its plural shares. ``twin`` is the sentence with both numbers of the subject
    written out ("the author/authors near the guards ___"), the same for all pairs that differ only in the
    subject's number. A factorial design adds a column for each factor, and ``ambiguous`` ("yes", "no").
    ``capital`` and ``period`` are the policies of :func:`tse_core.datasets.pairs.shape`.
    """
    if only is not None:
        check_known(f"construction of {grammar.name}", only, grammar.constructions)
    chosen = [template for template in grammar.templates if only in (None, template.slug)]
    rows = [row for template in chosen for row in _pairs(grammar, template, capital, period)]
    design = [*grammar.factors, "ambiguous"] if grammar.factors else []
    return pd.DataFrame(rows, columns=[*AGREEMENT_COLUMNS, "twin", *design])


def _grammar(content: dict[str, Any], stem: str) -> Grammar:
    lexicon: dict[str, dict[str, tuple[Entry, ...]]] = {}
    kinds: dict[str, str] = {}
    for kind, lists in content["lexicon"].items():
        lexicon[kind] = {}
        for name, texts in lists.items():
            if name in kinds:
                raise InputError(f"lexicon.{kind}.{name}: another list has this name already")
            kinds[name] = kind
            lexicon[kind][name] = tuple(_entry(text, kind, f"lexicon.{kind}.{name}") for text in texts)
    templates = []
    for slug, construction in content["constructions"].items():
        for name, pattern in construction["patterns"].items():
            parts = _parts(pattern, lexicon, kinds, f"constructions.{slug}.patterns.{name}")
            templates.append(Template(str(name), str(slug), construction.get("name", str(slug)), pattern, parts))
    name, times = Counter(template.name for template in templates).most_common(1)[0]
    if times > 1:
        raise InputError(f"two patterns are called {name!r}")
    design: dict[str, Any] = {"factors": {}, "ambiguous": (), "items": 0, "drawn": ()}
    design |= {name: content[name] for name in design if name in content}
    grammar = Grammar(content.get("name", stem), lexicon, tuple(templates), **design)
    _check_design(grammar)
    return grammar


def _entry(text: str, kind: str, where: str) -> Entry:
    text = " ".join(text.split())
    if kind == "words":
        return Entry(text, text)
    if kind == "nouns" and "/" not in text:
        return Entry(text, None)
    forms, _, rest = text.partition(" ") if kind == "predicates" else (text, "", "")
    singular, _, plural = (part.strip() for part in forms.partition("/"))
    if not singular or not plural or "/" in plural or (kind == "predicates" and singular == plural):
        example = "author/authors" if kind == "nouns" else "is/are tall"
        raise InputError(f"{where}: {text!r} must give singular/plural, as in {example!r}")
    noun, number = (_MARK.findall(rest) or [("", "")])[-1]
    if number and number not in NUMBERS:
        raise InputError(f"{where}: {noun}({number}) must be marked (singular) or (plural)")
    return Entry(singular, plural, _MARK.sub(r"\1", rest), noun, number)


def _parts(pattern: str, lexicon: Mapping, kinds: Mapping[str, str], where: str) -> tuple[Slot, ...]:
    """The fixed words and slots of a pattern."""
    parts: list[Slot] = []
    end = 0
    for found in [*_SLOT.finditer(pattern), None]:
        for word in pattern[end : found.start() if found else None].split():
            if "[" in word or "]" in word:
                raise InputError(f"{where}: a square bracket has no partner in {pattern!r}")
            parts.append(Slot("", "", 0, False, (Entry(word, word),)))
        if found:
            end = found.end()
            star, name, number = found.groups(default="0")
            index = int(number)
            if name not in kinds:
                raise InputError(f"{where}: {unknown_name_error('list', name, kinds)}")
            if kinds[name] != "words" and not index:
                raise InputError(f"{where}: {found[0]} needs an index, as in [{name} 1]: co-indexed words agree")
            parts.append(Slot(name, kinds[name], index, bool(star), lexicon[kinds[name]][name]))
    if [part.kind for part in parts if part.tested] != ["predicates"]:
        raise InputError(f"{where}: exactly one predicate must carry the star of the verb under test, as in [*does 1]")
    for index in sorted({part.index for part in parts if part.index}):
        nouns = sum(part.index == index and part.kind == "nouns" for part in parts)
        if nouns != 1:
            raise InputError(f"{where}: index {index} must stand on exactly one noun, it stands on {nouns}")
    return tuple(parts)


def _check_design(grammar: Grammar) -> None:
    """Raises InputError for a name that a design uses and the grammar does not hold."""
    for name in grammar.factors.values():
        check_known("list of words", name, grammar.lexicon.get("words", {}))
    for column in grammar.drawn:
        check_known("factor", column, grammar.factors)
    for rule in grammar.ambiguous:
        for key in rule:
            check_known("factor", key, ["why", "constructions", *grammar.factors])
        for slug in rule.get("constructions", []):
            check_known("construction", slug, grammar.constructions)


def _pairs(grammar: Grammar, template: Template, capital: bool, period: bool) -> list[tuple]:
    """Every choice of numbers and entries, as rows in the order of the columns of `generate`."""
    parts = template.parts
    verb = next(i for i, part in enumerate(parts) if part.tested)
    subject = next(i for i, part in enumerate(parts) if part.kind == "nouns" and part.index == parts[verb].index)
    indices = sorted({part.index for part in parts if part.index})
    items, repeated = list(_items(grammar, template)), _repeated(parts)
    rows: list[tuple] = []
    for values in itertools.product(NUMBERS, repeat=len(indices)):
        number_of = dict(zip(indices, values, strict=True)) | {0: "singular"}
        number = number_of[parts[verb].index]
        other = NUMBERS[number == "singular"]
        at = [number_of[part.index] for part in parts]
        twin_at = [BOTH if part.index == parts[verb].index else n for part, n in zip(parts, at, strict=True)]
        for choices in items:
            written = [
                [
                    (entry, entry.text(of_place), entry.text(of_twin))
                    for entry in choice
                    if of_place == "singular" or entry.plural is not None
                ]
                for choice, of_place, of_twin in zip(choices, at, twin_at, strict=True)
            ]
            for choice in itertools.product(*written):
                chosen, texts, twins = zip(*choice, strict=True)
                if _says_twice(chosen, repeated):
                    continue
                tested = chosen[verb]
                left, right = shape(*_sides(texts, tested.rest, verb), capital=capital, period=period)
                rows.append(
                    (
                        f"{template.name}/{len(rows) + 1}",
                        template.construction,
                        template.name,
                        texts[subject],
                        chosen[subject].singular,
                        *_attractor(parts, chosen, at, subject, verb),
                        verb_lemma(tested.plural),
                        left,
                        right,
                        number,
                        tested.form(number),
                        tested.form(other),
                        " ___ ".join(_sides(twins, tested.rest, verb)).strip(),
                        *_levels(grammar, template, chosen),
                    )
                )
    return rows


def _items(grammar: Grammar, template: Template) -> Iterator[list[tuple[Entry, ...]]]:
    """The entries at each place of a sentence: all of them, or for each of the items drawn in a design.

    An item is a choice of the words that are neither levels of a crossed factor nor under test. Items are drawn one by
    one with the template's own seed, each time one whose words were drawn least.
    """
    parts = template.parts
    if not grammar.items:
        yield [part.entries for part in parts]
        return
    crossed = {"", *(name for column, name in grammar.factors.items() if column not in grammar.drawn)}
    places = [i for i, part in enumerate(parts) if part.list not in crossed and not part.tested]
    repeated = _repeated([parts[i] for i in places])
    left = list(itertools.product(*(parts[i].entries for i in places)))
    order = np.random.default_rng([*template.name.encode()]).permutation(len(left))
    left = [left[i] for i in order if not _says_twice(left[i], repeated)]
    drawn: Counter[tuple[int, Entry]] = Counter()
    for _ in range(min(grammar.items, len(left))):
        item = min(left, key=lambda words: sorted((drawn[p, word] for p, word in enumerate(words)), reverse=True))
        left.remove(item)
        drawn.update(enumerate(item))
        fixed = dict(zip(places, item, strict=True))
        yield [(fixed[i],) if i in fixed else part.entries for i, part in enumerate(parts)]


def _repeated(parts: Sequence[Slot]) -> list[list[int]]:
    """The places of each list that stands at several."""
    places = [[i for i, part in enumerate(parts) if part.list == name] for name in {part.list for part in parts} - {""}]
    return [group for group in places if len(group) > 1]


def _says_twice(chosen: Sequence[Entry], repeated: list[list[int]]) -> bool:
    """Whether a list gives the same entry to two of its places."""
    return any(len({chosen[i] for i in group}) < len(group) for group in repeated)


def _sides(texts: Sequence[str], rest: str, verb: int) -> tuple[str, str]:
    """What stands before the verb under test and behind it, where the verb's entry goes on with `rest`."""
    return " ".join(filter(None, texts[:verb])), " ".join(filter(None, (rest, *texts[verb + 1 :])))


def _levels(grammar: Grammar, template: Template, chosen: Sequence[Entry]) -> list[str]:
    """The level of each factor of a design in a sentence with these entries, and whether it is ambiguous."""
    if not grammar.factors:
        return []
    words = {part.list: entry.singular for part, entry in zip(template.parts, chosen, strict=True)}
    levels = {column: words.get(name) or "none" for column, name in grammar.factors.items()}
    known = {"constructions": template.slug, **levels}
    ambiguous = any(
        all(known[key] in values for key, values in rule.items() if key != "why") for rule in grammar.ambiguous
    )
    return [*levels.values(), "yes" if ambiguous else "no"]


def _attractor(
    parts: Sequence[Slot], chosen: Sequence[Entry], at: Sequence[str], subject: int, verb: int
) -> tuple[str, str]:
    """The last noun before the verb that is not its subject, and that noun's number; empty where there is none."""
    for i in range(verb - 1, -1, -1):
        if chosen[i].noun:
            return chosen[i].noun, chosen[i].noun_number
        if parts[i].kind == "nouns" and i != subject:
            return chosen[i].form(at[i]), at[i]
    return "", ""
