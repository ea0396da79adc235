"""Template grammars: a lexicon and a few sentence patterns, written in YAML, give every agreement pair they allow.

>>> pairs = generate(load_grammar("marvin-linzen"), "simple")
>>> len(pairs), pairs["left"][0], pairs["correct"][0]
(140, 'The author', 'laughs')
"""

import itertools
import math

import pandas as pd

from tse_core.datasets.grammar_notation import (
    Entry,
    Grammar,
    Slot,
    Template,
    list_grammars,
    load_grammar,
    parse_pattern,
)
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS, shape, verb_lemma
from tse_core.errors import InputError, unknown

MOST_PAIRS = 1_000_000  # about 1 GB of memory
__all__ = ["Grammar", "generate", "list_grammars", "load_grammar", "noun_table", "parse_pattern", "template_table"]


def generate(grammar: Grammar, only: str | None = None, *, capital: bool = True, period: bool = True) -> pd.DataFrame:
    """All agreement pairs of a grammar, or of the one construction whose slug is ``only``, in a fixed order.

    A pair is one choice of entries and numbers. ``subject`` is the noun that the tested verb agrees with, ``attractor``
    the last other noun before that verb (empty where there is none), each in the form it has in the sentence; ``noun``
    is the subject's singular, which its plural shares.
    ``capital`` and ``period`` are the policies of :func:`tse_core.datasets.pairs.shape`.
    """
    if only is not None and only not in grammar.constructions:
        raise unknown(f"construction of {grammar.name}", only, grammar.constructions)
    chosen = [template for template in grammar.templates if only in (None, template.slug)]
    if (count := sum(_combinations(grammar, template) for template in chosen)) > MOST_PAIRS:
        raise InputError(f"the grammar {grammar.name} gives {count:,} pairs; at most {MOST_PAIRS:,} are made")
    rows = [row for template in chosen for row in _pairs(grammar, template, capital, period)]
    return pd.DataFrame(rows, columns=AGREEMENT_COLUMNS)


def _combinations(grammar: Grammar, template: Template) -> int:
    """How many pairs a template gives at most, counted without making them."""
    slots = [part for part in template.parts if isinstance(part, Slot)]
    indices = {slot.index for slot in slots if slot.index}
    return len(NUMBERS) ** len(indices) * math.prod(len(grammar.lexicon[slot.list]) for slot in slots)


def noun_table(grammar: Grammar) -> pd.DataFrame:
    """The grammar's nouns: columns list, singular, plural; one row a noun, in the file's order."""
    rows = [
        (name, entry.singular, entry.plural)
        for name, entries in grammar.lexicon.items()
        if grammar.kinds[name] == "nouns"
        for entry in entries
    ]
    return pd.DataFrame(rows, columns=["list", "singular", "plural"])


def template_table(grammar: Grammar) -> pd.DataFrame:
    """The grammar's patterns: columns slug, construction, template, pattern; one row a template."""
    rows = [(t.slug, t.construction, t.name, t.pattern) for t in grammar.templates]
    return pd.DataFrame(rows, columns=["slug", "construction", "template", "pattern"])


def _pairs(grammar: Grammar, template: Template, capital: bool, period: bool) -> list[tuple]:
    slots = {i: part for i, part in enumerate(template.parts) if isinstance(part, Slot)}
    indices = sorted({slot.index for slot in slots.values() if slot.index})
    verb = template.verb
    index = slots[verb].index
    choices = [
        grammar.lexicon[part.list] if isinstance(part, Slot) else (Entry(part, part),) for part in template.parts
    ]
    names = [slot.list for slot in slots.values()]
    repeated = [i for i, slot in slots.items() if names.count(slot.list) > 1]
    noun = {i: slot.index for i, slot in slots.items() if slot.kind == "nouns"}
    subject = next(i for i, noun_index in noun.items() if noun_index == index)
    rows: list[tuple] = []
    for values in itertools.product(NUMBERS, repeat=len(indices)):
        number_of = dict(zip(indices, values, strict=True)) | {0: "singular"}
        number = number_of[index]
        other = NUMBERS[number == "singular"]
        at = [number_of[part.index] if isinstance(part, Slot) else "singular" for part in template.parts]
        for chosen in itertools.product(*choices):
            if repeated and len({chosen[i] for i in repeated}) < len(repeated):
                continue
            texts = [entry.text(n) for entry, n in zip(chosen, at, strict=True)]
            tested = chosen[verb]
            left = " ".join(texts[:verb])
            right = " ".join(([tested.rest] if tested.rest else []) + texts[verb + 1 :])
            left, right = shape(left, right, capital=capital, period=period)
            attractor, attractor_number = _attractor(chosen, at, noun, subject, verb)
            rows.append(
                (
                    f"{template.name}/{len(rows) + 1}",
                    template.construction,
                    template.name,
                    texts[subject],
                    chosen[subject].singular,
                    attractor,
                    attractor_number,
                    verb_lemma(tested.plural),
                    left,
                    right,
                    number,
                    tested.form(number),
                    tested.form(other),
                )
            )
    return rows


def _attractor(
    chosen: tuple[Entry, ...], at: list[str], noun: dict[int, int], subject: int, verb: int
) -> tuple[str, str]:
    """The last noun before the verb that is not its subject, and that noun's number; empty where there is none."""
    for i in range(verb - 1, -1, -1):
        if chosen[i].noun:
            return chosen[i].noun, chosen[i].noun_number
        if i in noun and i != subject:
            return chosen[i].form(at[i]), at[i]
    return "", ""
