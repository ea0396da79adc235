"""Template grammars: every agreement pair that a lexicon and a few sentence patterns, written in YAML, allow.

>>> from tse_core.datasets.grammar_notation import load_grammar
>>> pairs = generate(load_grammar("marvin-linzen"), "simple")
>>> len(pairs), pairs["left"][0], pairs["correct"][0]
(140, 'The author', 'laughs')
"""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from tse_core.datasets.grammar_notation import BOTH, Entry, Grammar, Slot, Template
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS, shape, verb_lemma
from tse_core.errors import InputError, unknown

MOST_PAIRS = 1_000_000  # about 1 GB of memory


def generate(grammar: Grammar, only: str | None = None, *, capital: bool = True, period: bool = True) -> pd.DataFrame:
    """All agreement pairs of a grammar, or of the one construction whose slug is ``only``, in a fixed order.

    A pair is one choice of entries and numbers. ``subject`` is the noun that the tested verb agrees with, ``attractor``
    the last other noun before that verb (empty where there is none), each in the form it has in the sentence; ``noun``
    is the subject's singular, which its plural shares. ``twin`` is the sentence with both numbers of the subject
    written out ("the author/authors near the guards ___"), the same for all pairs that differ only in the
    subject's number. A factorial design adds a column for each factor, and ``ambiguous`` ("yes", "no").
    ``capital`` and ``period`` are the policies of :func:`tse_core.datasets.pairs.shape`.
    """
    if only is not None and only not in grammar.constructions:
        raise unknown(f"construction of {grammar.name}", only, grammar.constructions)
    chosen = [template for template in grammar.templates if only in (None, template.slug)]
    if (count := sum(_combinations(grammar, template) for template in chosen)) > MOST_PAIRS:
        raise InputError(f"the grammar {grammar.name} gives {count:,} pairs; at most {MOST_PAIRS:,} are made")
    rows = [row for template in chosen for row in _pairs(grammar, template, capital, period)]
    design = [*grammar.factors, "ambiguous"] if grammar.factors else []
    return pd.DataFrame(rows, columns=[*AGREEMENT_COLUMNS, "twin", *design])


def _combinations(grammar: Grammar, template: Template) -> int:
    """How many pairs a template gives at most, counted without making them."""
    slots = [part for part in template.parts if isinstance(part, Slot)]
    indices = {slot.index for slot in slots if slot.index}
    items = math.prod(len(grammar.lexicon[slot.list]) for slot in slots if _is_item(grammar, slot))
    crossed = math.prod(len(grammar.lexicon[slot.list]) for slot in slots if not _is_item(grammar, slot))
    return len(NUMBERS) ** len(indices) * crossed * min(items, grammar.items or items)


def _is_item(grammar: Grammar, slot: Slot) -> bool:
    """Whether the words of a slot make items, rather than levels of a factor or verbs under test."""
    return not slot.tested and slot.list not in grammar.factors.values()


def noun_table(grammar: Grammar) -> pd.DataFrame:
    """The grammar's nouns: columns list, singular, plural; one row per noun, in the file's order."""
    rows = [
        (name, entry.singular, entry.plural)
        for name, entries in grammar.lexicon.items()
        if grammar.kinds[name] == "nouns"
        for entry in entries
    ]
    return pd.DataFrame(rows, columns=["list", "singular", "plural"])


def template_table(grammar: Grammar) -> pd.DataFrame:
    """The grammar's patterns: columns slug, construction, template, pattern; one row per template."""
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
    repeated = [[i for i in slots if slots[i].list == name] for name in dict.fromkeys(names) if names.count(name) > 1]
    noun = {i: slot.index for i, slot in slots.items() if slot.kind == "nouns"}
    subject = next(i for i, noun_index in noun.items() if noun_index == index)
    agreeing = {i for i, slot in slots.items() if slot.index == index}
    items = [choices]
    if grammar.items:
        places = [i for i, slot in slots.items() if _is_item(grammar, slot)]
        again = [[i for i in group if i in places] for group in repeated]
        items = list(_drawn_items(choices, places, again, grammar.items, template))
    rows: list[tuple] = []
    for values in itertools.product(NUMBERS, repeat=len(indices)):
        number_of = dict(zip(indices, values, strict=True)) | {0: "singular"}
        number = number_of[index]
        other = NUMBERS[number == "singular"]
        at = [number_of[part.index] if isinstance(part, Slot) else "singular" for part in template.parts]
        twin_at = [BOTH if i in agreeing else n for i, n in enumerate(at)]
        for item in items:
            written = [
                [(entry, entry.text(of_place), entry.text(of_twin)) for entry in choice]
                for choice, of_place, of_twin in zip(item, at, twin_at, strict=True)
            ]
            for choice in itertools.product(*written):
                chosen, texts, twins = zip(*choice, strict=True)
                if _says_twice(chosen, repeated):
                    continue
                attractor, its_number = _attractor(chosen, at, noun, subject, verb)
                left, right = shape(*_sides(texts, chosen[verb].rest, verb), capital=capital, period=period)
                rows.append(
                    (  # in the order of the columns of `generate`; a dict for each row takes an eighth longer
                        f"{template.name}/{len(rows) + 1}",
                        template.construction,
                        template.name,
                        chosen[subject].text(at[subject]),
                        chosen[subject].singular,
                        attractor,
                        its_number,
                        verb_lemma(chosen[verb].plural),
                        left,
                        right,
                        number,
                        chosen[verb].form(number),
                        chosen[verb].form(other),
                        " ___ ".join(_sides(twins, chosen[verb].rest, verb)).strip(),
                        *_design(grammar, template, chosen, slots),
                    )
                )
    return rows


def _says_twice(chosen: Sequence[Entry] | Mapping[int, Entry], repeated: list[list[int]]) -> bool:
    """Whether a list that is used at several places gives the same entry to two of them."""
    return any(len({chosen[i] for i in group}) < len(group) for group in repeated)


def _sides(texts: Sequence[str], rest: str, verb: int) -> tuple[str, str]:
    """What stands before the verb under test and behind it, where the verb's entry goes on with `rest`."""
    return " ".join(filter(None, texts[:verb])), " ".join(filter(None, (rest, *texts[verb + 1 :])))


def _drawn_items(
    choices: list[tuple[Entry, ...]], places: list[int], again: list[list[int]], count: int, template: Template
):
    """The choices at each place of the sentence, for each of `count` items, whose words stand at `places`; each list
    that stands at the places of a group in `again` gives different entries to them.

    Drawn one by one with the template's own seed, each time an item whose words were drawn least.
    """
    left = list(itertools.product(*(choices[i] for i in places)))
    order = np.random.default_rng([*template.name.encode()]).permutation(len(left))
    left = [left[i] for i in order if not _says_twice(dict(zip(places, left[i], strict=True)), again)]
    drawn: Counter[tuple[int, Entry]] = Counter()
    for _ in range(min(count, len(left))):
        item = min(left, key=lambda words: sorted((drawn[p, word] for p, word in enumerate(words)), reverse=True))
        left.remove(item)
        drawn.update(enumerate(item))
        fixed = dict(zip(places, item, strict=True))
        yield [(fixed[i],) if i in fixed else choice for i, choice in enumerate(choices)]


def _design(grammar: Grammar, template: Template, chosen: tuple[Entry, ...], slots: dict[int, Slot]) -> list[str]:
    """The level of each factor of a design in a sentence with these entries, and whether it is ambiguous."""
    if not grammar.factors:
        return []
    words = {slot.list: chosen[i].singular for i, slot in slots.items()}
    levels = {column: words.get(name) or "none" for column, name in grammar.factors.items()}
    known = {"constructions": template.slug, **levels}
    ambiguous = any(
        all(known[key] in values for key, values in rule.items() if key != "why") for rule in grammar.ambiguous
    )
    return [*levels.values(), "yes" if ambiguous else "no"]


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
