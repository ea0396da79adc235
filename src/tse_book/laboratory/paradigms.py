"""Minimal pairs in the laboratory lexicon, in the form of BLiMP's files (Warstadt et al. 2020).

A paradigm is a function that makes an item as a line: ``The author next to the guards [laughs|laugh] .`` stands for the
good and the bad sentence. If they differ before the critical word, that word is in angle brackets,
``The [woman|women] <laughs> .``: the pair then suits the two-prefix method, else the one-prefix method.
"""

import json
import re
from pathlib import Path

from tse_book.laboratory.corpus import as_text
from tse_book.laboratory.language import Language, load_language
from tse_book.laboratory.speaker import Speaker
from tse_core.files import write_output

ITEMS, SEED = 200, 20213
_CHOICE = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")


def write_paradigms(folder: str | Path) -> list[Path]:
    """One JSON Lines file per paradigm; returns their paths. The same seed writes the same bytes."""
    language, folder = load_language(), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for uid in PARADIGMS:
        paths.append(folder / f"{uid}.jsonl")
        lines = [json.dumps(record) for record in paradigm(uid, language, ITEMS, SEED)]
        write_output(paths[-1], "\n".join(lines) + "\n")
    return paths


def paradigm(uid: str, language: Language, items: int, seed: int) -> list[dict]:
    """The records of one paradigm: all different, in words of the language."""
    field, term, say = PARADIGMS[uid]
    speaker = Speaker(language, [seed, list(PARADIGMS).index(uid)])
    seen: set[str] = set()
    records: list[dict] = []
    while len(records) < items:
        speaker.new_item()
        line = say(speaker)
        if line not in seen:
            seen.add(line)
            records.append(record(line, uid, field, term, len(records)))
    return records


def record(line: str, uid: str, field: str, term: str, number: int) -> dict:
    """One line of a paradigm as BLiMP's fields.

    >>> record("The [woman|women] <laughs> .", "x", "morphology", "subject_verb_agreement", 0)["two_prefix_prefix_bad"]
    'The women'
    """
    versions = [_CHOICE.sub(rf"\{place}", line) for place in (1, 2)]
    good, bad = (as_text(version.replace("<", "").replace(">", "").split()) for version in versions)
    two_prefix = "<" in line
    fields = {"sentence_good": good, "sentence_bad": bad}
    if two_prefix:
        before = [as_text(version.split("<")[0].split()) for version in versions]
        word = line[line.index("<") + 1 : line.index(">")]
        fields |= {"two_prefix_prefix_good": before[0], "two_prefix_prefix_bad": before[1], "two_prefix_word": word}
    else:
        prefix, word_good, word_bad, _ = _CHOICE.split(line, maxsplit=1)
        fields |= {"one_prefix_prefix": as_text(prefix.split())}
        fields |= {"one_prefix_word_good": word_good, "one_prefix_word_bad": word_bad}
    return fields | {
        "field": field, "linguistics_term": term, "UID": uid, "simple_LM_method": True,
        "one_prefix_method": not two_prefix, "two_prefix_method": two_prefix, "pairID": str(number),
    }  # fmt: skip


def _agree(forms: tuple[str, str], number: int) -> str:
    """The choice between a word's form in this number and the other one."""
    return f"[{forms[number]}|{forms[1 - number]}]"


def _simple(s, regular=None, band="head"):
    n = s.number()
    return f"the {s.person(regular)[n]} {_agree(s.verb(band), n)} {s.rest()}"


def _two_prefix(s, regular):
    n = s.number()
    return f"the {_agree(s.person(regular), n)} <{s.verb()[n]}> {s.rest()}"


def _across_prepositional(s):
    n = s.number()
    return f"the {s.person()[n]} {s.one('beside')} the {s.person()[1 - n]} {_agree(s.verb(), n)} {s.rest()}"


def _across_subject_relative(s):
    n = s.number()
    return f"the {s.person()[n]} that {s.verb()[n]} the {s.person()[1 - n]} {_agree(s.verb(), n)} {s.rest()}"


def _across_object_relative(s, that="that "):
    n = s.number()
    return f"the {s.person()[n]} {that}the {s.person()[1 - n]} {s.verb()[1 - n]} {_agree(s.verb(), n)} {s.rest()}"


def _in_object_relative(s):
    n = s.number()
    return f"the {s.person()[1 - n]} that the {s.person()[n]} {_agree(s.verb(), n)} {s.verb()[1 - n]} {s.rest()}"


def _in_complement(s):
    n = s.number()
    return f"the {s.person()[1 - n]} {s.one('claimed')} the {s.person()[n]} {_agree(s.verb(), n)} {s.rest()}"


def _coordination(s):
    n = s.number()
    return f"the {s.person()[n]} {s.verb()[n]} and {_agree(s.verb(), n)} {s.rest()}"


def _determiner(s, regular=None, adjective=False, noun=True):
    n, m = s.number(), s.number()
    start = f"the {s.person()[m]} {s.verb()[m]}"
    between = f" {s.one('adjective')}" if adjective else ""
    forms, this = s.thing(regular), ("this", "these")
    if noun:
        return f"{start} {this[n]}{between} {_agree(forms, n)} ."
    return f"{start} {_agree(this, n)}{between} <{forms[n]}> ."


def _quantifier(s):
    n = s.number()
    noun = s.person()
    return f"{('every', 'many')[n]} {_agree(noun, n)} {s.verb()[n]} {s.rest()}"


def _anaphor_number(s, across=False):
    n, himself = s.number(), ("himself", "herself")[s.number()]
    noun = s.person(gender="")[n]
    attractor = f" {s.one('beside')} the {s.person()[1 - n]}" if across else ""
    return f"the {noun}{attractor} {s.verb()[n]} {_agree((himself, 'themselves'), n)} ."


def _anaphor_gender(s):
    g = s.number()
    noun = s.person(gender=("masculine", "feminine")[g])[0]
    return f"the {noun} {s.verb()[0]} {_agree(('himself', 'herself'), g)} ."


def _ever(s):
    n = s.number()
    return f"[no|the] {s.person()[n]} <ever> {s.verb()[n]} {s.rest()}"


def _ever_scope(s):
    n, m = s.number(), s.number()
    first, second = s.person()[n], s.person()[m]
    return f"[no|the] {first} that [the|no] {second} {s.verb()[m]} <ever> {s.verb()[n]} {s.rest()}"


def _gap(s, gap, deep=False):
    n, m = s.number(), s.number()
    start = f"the {s.person()[m]} {s.one('claimed')} {'[what|that]' if gap else '[that|what]'}"
    start += f" the {s.person()[s.number()]} {s.one('claimed')}" if deep else ""
    clause = f"{start} the {s.person()[n]} {s.verb()[n]}"
    return f"{clause} <{s.one('time')}> ." if gap else f"{clause} <the> {s.thing()[s.number()]} ."


_AGREEMENT = ("morphology", "subject_verb_agreement")
_DETERMINER = ("morphology", "determiner_noun_agreement")
_ANAPHOR = ("morphology", "anaphor_agreement")
_FILLER = ("syntax", "filler_gap_dependency")

PARADIGMS = {  # uid: field, linguistics term, function that makes an item
    "regular_plural_agreement_1": (*_AGREEMENT, lambda s: _simple(s, regular=True)),
    "regular_plural_agreement_2": (*_AGREEMENT, lambda s: _two_prefix(s, regular=True)),
    "irregular_plural_agreement_1": (*_AGREEMENT, lambda s: _simple(s, regular=False)),
    "irregular_plural_agreement_2": (*_AGREEMENT, lambda s: _two_prefix(s, regular=False)),
    "rare_verb_agreement": (*_AGREEMENT, lambda s: _simple(s, band="tail")),
    "agreement_in_sentential_complement": (*_AGREEMENT, _in_complement),
    "agreement_in_coordination": (*_AGREEMENT, _coordination),
    "agreement_across_prepositional_phrase": (*_AGREEMENT, _across_prepositional),
    "agreement_across_subject_relative": (*_AGREEMENT, _across_subject_relative),
    "agreement_across_object_relative": (*_AGREEMENT, _across_object_relative),
    "agreement_across_object_relative_no_that": (*_AGREEMENT, lambda s: _across_object_relative(s, that="")),
    "agreement_in_object_relative": (*_AGREEMENT, _in_object_relative),
    "determiner_noun_agreement_1": (*_DETERMINER, lambda s: _determiner(s, True)),
    "determiner_noun_agreement_2": (*_DETERMINER, lambda s: _determiner(s, True, noun=False)),
    "determiner_noun_agreement_irregular_1": (*_DETERMINER, lambda s: _determiner(s, False)),
    "determiner_noun_agreement_irregular_2": (*_DETERMINER, lambda s: _determiner(s, False, noun=False)),
    "determiner_noun_agreement_with_adjective_1": (*_DETERMINER, lambda s: _determiner(s, True, True)),
    "determiner_noun_agreement_with_adjective_2": (*_DETERMINER, lambda s: _determiner(s, True, True, False)),
    "determiner_noun_agreement_with_adjective_irregular_1": (*_DETERMINER, lambda s: _determiner(s, False, True)),
    "determiner_noun_agreement_with_adjective_irregular_2": (
        *_DETERMINER,
        lambda s: _determiner(s, False, True, False),
    ),
    "quantifier_noun_agreement": ("semantics", "quantifiers", _quantifier),
    "anaphor_number_agreement": (*_ANAPHOR, _anaphor_number),
    "anaphor_number_agreement_across_prepositional_phrase": (*_ANAPHOR, lambda s: _anaphor_number(s, across=True)),
    "anaphor_gender_agreement": (*_ANAPHOR, _anaphor_gender),
    "ever_licensor_present": ("semantics", "npi_licensing", _ever),
    "ever_licensor_scope": ("semantics", "npi_licensing", _ever_scope),
    "wh_vs_that_with_gap": (*_FILLER, lambda s: _gap(s, True)),
    "wh_vs_that_no_gap": (*_FILLER, lambda s: _gap(s, False)),
    "wh_vs_that_with_gap_long_distance": (*_FILLER, lambda s: _gap(s, True, True)),
    "wh_vs_that_no_gap_long_distance": (*_FILLER, lambda s: _gap(s, False, True)),
}
