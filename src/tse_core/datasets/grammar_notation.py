"""The notation of template grammars: the YAML file, its lexicon and its patterns; errors name the place in the file.

``data/grammars/marvin-linzen.yaml`` explains the notation at its top; ``the [person 1] that [feels for 1] the
[other person 2] [*does 1]`` reads: co-indexed words share their number, the starred verb is the one under test.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS
from tse_core.errors import InputError, unknown
from tse_core.files import read_yaml
from tse_core.paths import data_folder

BOTH = "both"  # a place of a twin, where both numbers are written out
WORD_KINDS = ("nouns", "predicates", "words")
MADE = ("twin", "ambiguous")  # columns that a grammar adds to those of all agreement pairs
WHOLE = "-all"
_SLOT = re.compile(r"\[([^\[\]]*)\]")
_INSIDE = re.compile(r"^\s*(\*?)\s*(.*?)(?:\s+(\d+))?\s*$")
_MARK = re.compile(r"(\S+)\((\w+)\)")


@dataclass(frozen=True)
class Entry:
    """A word of the lexicon: its two forms (equal where it does not agree), what follows them, a noun inside that."""

    singular: str
    plural: str
    rest: str = ""
    noun: str = ""
    noun_number: str = ""

    def form(self, number: str) -> str:
        """Its form in a number; for `BOTH`, as in author/authors."""
        if number == BOTH and self.singular != self.plural:
            return f"{self.singular}/{self.plural}"
        return self.plural if number == "plural" else self.singular

    def text(self, number: str) -> str:
        """The form, and what follows it."""
        return f"{self.form(number)} {self.rest}" if self.rest else self.form(number)


@dataclass(frozen=True)
class Slot:
    """A place of a pattern: the list its word comes from, the agreement index (0: none), whether it is under test."""

    list: str
    kind: str
    index: int
    tested: bool


@dataclass(frozen=True)
class Template:
    """One sentence pattern of a construction; ``parts`` are fixed words and slots, in order."""

    name: str
    slug: str
    construction: str
    pattern: str
    parts: tuple[str | Slot, ...]

    @property
    def verb(self) -> int:
        """The place of the verb under test among the parts."""
        return next(i for i, part in enumerate(self.parts) if isinstance(part, Slot) and part.tested)


@dataclass(frozen=True)
class Grammar:
    """A grammar as read: ``lexicon`` maps a list's name to its entries, ``kinds`` to nouns, predicates or words.

    In a factorial design ``factors`` maps a column of the pairs to the list whose words it holds, ``ambiguous`` holds
    the combinations that can be read in two ways, and ``items`` says how many items of a pattern are drawn (0: all).
    """

    name: str
    lexicon: dict[str, tuple[Entry, ...]]
    kinds: dict[str, str]
    templates: tuple[Template, ...]
    factors: dict[str, str] = field(default_factory=dict)
    ambiguous: tuple[dict, ...] = ()
    items: int = 0

    @property
    def constructions(self) -> dict[str, str]:
        """Slug -> name of each construction, in the file's order."""
        return {template.slug: template.construction for template in self.templates}


def load_grammar(name_or_path: str | Path) -> Grammar:
    """A grammar by the name of its file in data/grammars, or by the path of a YAML file.

    With -all after its name a factorial design keeps all items, whatever its file says.

    Raises
    ------
    InputError : naming the file and the place in it (``constructions.simple.patterns.simple_agrmt``).
    """
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        if str(name_or_path) not in list_grammars():
            raise unknown("grammar", name_or_path, list_grammars())
        path = grammar_file(str(name_or_path))
    content = _mapping(read_yaml(path), f"{path}")
    missing = [key for key in ("lexicon", "constructions") if key not in content]
    if missing:
        raise InputError(f"{path}: the part {missing[0]!r} is missing; a grammar has lexicon and constructions")
    lexicon, kinds = _read_lexicon(content["lexicon"], f"{path}: lexicon")
    templates = _read_templates(content["constructions"], lexicon, kinds, f"{path}: constructions")
    factors, ambiguous = _read_factors(content, kinds, templates, f"{path}")
    items = 0 if str(name_or_path).endswith(WHOLE) else content.get("items", 0)
    if type(items) is not int or items < 0:
        raise InputError(f"{path}: items is {items!r}; it must be the number of items drawn per pattern")
    name = str(content.get("name", path.stem))
    return Grammar(name, lexicon, kinds, tuple(templates), factors, ambiguous, items)


def grammar_file(name: str) -> Path:
    """The file of a grammar in data/grammars."""
    return data_folder() / "grammars" / f"{name.removesuffix(WHOLE)}.yaml"


def list_grammars() -> list[str]:
    """The names of the grammars in data/grammars; designs also appear with -all."""
    files = sorted((data_folder() / "grammars").glob("*.yaml"))
    designs = [path.stem + WHOLE for path in files if "\nitems:" in path.read_text(encoding="utf-8")]
    return sorted([*(path.stem for path in files), *designs])


def parse_pattern(pattern: str, kinds: dict[str, str], where: str = "pattern") -> tuple[str | Slot, ...]:
    """The fixed words and slots of a pattern; ``kinds`` says of each list whether it holds nouns, predicates or words.

    >>> parse_pattern("the [person 1] [*does 1]", {"person": "nouns", "does": "predicates"})[2].tested
    True
    """
    if not isinstance(pattern, str) or not pattern.strip():
        raise InputError(f"{where}: a pattern must be a sentence with slots, not {pattern!r}")
    parts: list[str | Slot] = []
    for i, piece in enumerate(_SLOT.split(pattern)):
        if i % 2:
            parts.append(_slot(piece, kinds, where))
        elif "[" in piece or "]" in piece:
            raise InputError(f"{where}: a square bracket has no partner in {pattern!r}")
        else:
            parts += piece.split()
    _check_agreement([part for part in parts if isinstance(part, Slot)], where)
    return tuple(parts)


def _read_lexicon(content: object, where: str) -> tuple[dict[str, tuple[Entry, ...]], dict[str, str]]:
    lexicon: dict[str, tuple[Entry, ...]] = {}
    kinds: dict[str, str] = {}
    for kind, lists in _mapping(content, where).items():
        if kind not in WORD_KINDS:
            raise InputError(f"{where}: {unknown('kind of words', kind, WORD_KINDS)}")
        for name, entries in _mapping(lists, f"{where}.{kind}").items():
            place = f"{where}.{kind}.{name}"
            if name in lexicon:
                raise InputError(f"{place}: another list has this name already")
            if not isinstance(entries, list) or not entries:
                raise InputError(f"{place}: must be a list of entries, not {entries!r}")
            lexicon[name] = tuple(_entry(text, kind, f"{place}, entry {i}") for i, text in enumerate(entries, start=1))
            kinds[name] = kind
            if len(set(lexicon[name])) < len(entries):
                raise InputError(f"{place}: an entry appears twice")
    return lexicon, kinds


def _entry(text: object, kind: str, where: str) -> Entry:
    if not isinstance(text, str) or not text.strip() and kind != "words":
        raise InputError(f"{where}: must be text, not {text!r} (quote words that YAML reads as something else)")
    text = " ".join(text.split())
    if kind == "words":
        return Entry(text, text)
    forms, _, rest = text.partition(" ") if kind == "predicates" else (text, "", "")
    singular, slash, plural = (part.strip() for part in forms.partition("/"))
    if not slash or not singular or not plural or "/" in plural:
        example = "author/authors" if kind == "nouns" else "is/are tall"
        raise InputError(f"{where}: {text!r} must give singular/plural, as in {example!r}")
    if kind == "predicates" and singular == plural:
        raise InputError(f"{where}: {text!r} has the same form twice, so that no wrong form is left to test")
    noun, noun_number = "", ""
    for noun, noun_number in _MARK.findall(rest):
        if noun_number not in NUMBERS:
            raise InputError(f"{where}: {noun}({noun_number}) must be marked (singular) or (plural)")
    return Entry(singular, plural, _MARK.sub(r"\1", rest), noun, noun_number)


def _read_templates(content: object, lexicon: dict, kinds: dict[str, str], where: str) -> list[Template]:
    templates: list[Template] = []
    for slug, construction in _mapping(content, where).items():
        construction = _mapping(construction, f"{where}.{slug}")
        name = str(construction.get("name", slug))
        if name in {template.construction for template in templates}:
            raise InputError(f"{where}.{slug}: another construction is named {name!r} already")
        for template, pattern in _mapping(construction.get("patterns"), f"{where}.{slug}.patterns").items():
            place = f"{where}.{slug}.patterns.{template}"
            if template in {other.name for other in templates}:
                raise InputError(f"{place}: another pattern has this name already")
            parts = parse_pattern(pattern, kinds, place)
            lists = [part.list for part in parts if isinstance(part, Slot)]
            short = [name for name in lists if lists.count(name) > len(lexicon[name])]
            if short:
                raise InputError(f"{place}: uses {short[0]!r} more often than that list has entries")
            templates.append(Template(str(template), str(slug), name, pattern, parts))
    return templates


def _read_factors(content: dict, kinds: dict[str, str], templates: list[Template], where: str):
    """The factors of a design, column -> list, and its ambiguous combinations."""
    factors = _mapping(content["factors"], f"{where}: factors") if "factors" in content else {}
    for column, name in factors.items():
        if kinds.get(name) != "words":
            lists = [known for known, kind in kinds.items() if kind == "words"]
            raise InputError(f"{where}: factors.{column}: {unknown('list of words', name, lists)}")
        if column in (*AGREEMENT_COLUMNS, *MADE):
            raise InputError(f"{where}: factors.{column}: every grammar's pairs have a column {column!r}; name another")
    slugs = {template.slug for template in templates}
    for number, rule in enumerate(content.get("ambiguous", []), start=1):
        place = f"{where}: ambiguous, entry {number}"
        for key in set(_mapping(rule, place)) - {"why"}:
            if key not in ("constructions", *factors):
                raise InputError(f"{place}: {unknown('factor', key, ['constructions', *factors])}")
        if wrong := set(rule.get("constructions", [])) - slugs:
            raise InputError(f"{place}: {unknown('construction', min(wrong), slugs)}")
    return dict(factors), tuple(content.get("ambiguous", []))


def _slot(piece: str, kinds: dict[str, str], where: str) -> Slot:
    found = _INSIDE.match(piece)
    if found is None:
        raise InputError(f"{where}: the slot [{piece}] spans two lines; write it on one")
    star, name, index = found.groups()
    if name not in kinds:
        raise InputError(f"{where}: {unknown('list', name, kinds)}")
    kind = kinds[name]
    if kind == "words" and (index or star):
        raise InputError(f"{where}: [{piece}] takes no index and no star: {name!r} lists words that do not agree")
    if kind != "words" and not int(index or 0):
        raise InputError(f"{where}: [{piece}] needs an index, as in [{name} 1]: co-indexed words agree")
    if star and kind != "predicates":
        raise InputError(f"{where}: [{piece}] is starred, but only a predicate can be under test")
    return Slot(name, kind, int(index or 0), bool(star))


def _check_agreement(slots: list[Slot], where: str) -> None:
    if sum(slot.tested for slot in slots) != 1:
        raise InputError(f"{where}: exactly one predicate must carry the star of the verb under test, as in [*does 1]")
    for index in sorted({slot.index for slot in slots if slot.index}):
        nouns = [slot.list for slot in slots if slot.index == index and slot.kind == "nouns"]
        if len(nouns) != 1:
            raise InputError(f"{where}: index {index} must stand on exactly one noun, it stands on {len(nouns)}")


def _mapping(content: object, where: str) -> dict:
    if not isinstance(content, dict) or not content:
        raise InputError(f"{where}: must hold named parts (name: ...), not {content!r}")
    return content
