"""Minimal pairs in the laboratory lexicon, in the form of BLiMP's files (Warstadt et al. 2020).

A paradigm is a template. Before the colon stand the numbers that an item draws first (0 singular, 1 plural). In braces
is a word or a phrase in one of these numbers (``~n`` is the other one, ``?`` one drawn there), in square brackets the
good and the bad choice: ``n: the {person n} {beside} the {person ~n} [verb n] {rest}`` makes ``the author next to the
guards [laughs|laugh] .`` If the sentences differ before the critical word, that word is in angle brackets,
``the [woman|women] <laughs> .``: the pair then suits the two-prefix method, else the one-prefix method.
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
_PLACE = re.compile(r"(?P<bracket>[{[])(?P<word>\w+)(?:\.(?P<kind>\w+))?(?: (?P<other>~?)(?P<number>[\w?]))?[\]}]")
_FIXED = {"this": ("this", "these"), "every": ("every", "many"), "gender": ("himself", "herself")}


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
    field, term, template = PARADIGMS[uid]
    speaker = Speaker(language, [seed, list(PARADIGMS).index(uid)])
    lines: dict[str, None] = {}
    while len(lines) < items:
        speaker.new_item()
        lines[_said(template, speaker)] = None
    return [record(line, uid, field, term, number) for number, line in enumerate(lines)]


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


def _said(template: str, speaker: Speaker) -> str:
    """An item of a template: its places filled from left to right."""
    names, text = template.split(": ")
    numbers = {name: speaker.number() for name in names.split()}

    def fill(place: re.Match) -> str:
        word, kind, name = place["word"], place["kind"], place["number"]
        if name is None:
            return speaker.rest() if word == "rest" else speaker.one(word)
        if word in ("person", "thing"):
            gender = {"neuter": "", "gendered": ("masculine", "feminine")[numbers.get("g", 0)]}.get(kind)
            forms = speaker.noun(word, {"regular": True, "irregular": False}.get(kind), gender)
        elif word == "verb":
            forms = speaker.verb(kind or "head")
        else:
            forms = _FIXED[word] if word in _FIXED else (_FIXED["gender"][numbers["g"]], "themselves")
        number = speaker.number() if name == "?" else numbers.get(name, 0)
        number = 1 - number if place["other"] else number
        return forms[number] if place["bracket"] == "{" else f"[{forms[number]}|{forms[1 - number]}]"

    return _PLACE.sub(fill, text)


_AGREEMENT = ("morphology", "subject_verb_agreement")
_DETERMINER = ("morphology", "determiner_noun_agreement")
_ANAPHOR = ("morphology", "anaphor_agreement")
_FILLER = ("syntax", "filler_gap_dependency")
_CLAIM = "n m: the {person m} {claimed}"

PARADIGMS = {  # uid: field, linguistics term, template
    "regular_plural_agreement_1": (*_AGREEMENT, "n: the {person.regular n} [verb n] {rest}"),
    "regular_plural_agreement_2": (*_AGREEMENT, "n: the [person.regular n] <{verb n}> {rest}"),
    "irregular_plural_agreement_1": (*_AGREEMENT, "n: the {person.irregular n} [verb n] {rest}"),
    "irregular_plural_agreement_2": (*_AGREEMENT, "n: the [person.irregular n] <{verb n}> {rest}"),
    "rare_verb_agreement": (*_AGREEMENT, "n: the {person n} [verb.tail n] {rest}"),
    "agreement_in_sentential_complement": (
        *_AGREEMENT, "n: the {person ~n} {claimed} the {person n} [verb n] {rest}"),
    "agreement_in_coordination": (*_AGREEMENT, "n: the {person n} {verb n} and [verb n] {rest}"),
    "agreement_across_prepositional_phrase": (
        *_AGREEMENT, "n: the {person n} {beside} the {person ~n} [verb n] {rest}"),
    "agreement_across_subject_relative": (
        *_AGREEMENT, "n: the {person n} that {verb n} the {person ~n} [verb n] {rest}"),
    "agreement_across_object_relative": (
        *_AGREEMENT, "n: the {person n} that the {person ~n} {verb ~n} [verb n] {rest}"),
    "agreement_across_object_relative_no_that": (
        *_AGREEMENT, "n: the {person n} the {person ~n} {verb ~n} [verb n] {rest}"),
    "agreement_in_object_relative": (
        *_AGREEMENT, "n: the {person ~n} that the {person n} [verb n] {verb ~n} {rest}"),
    "determiner_noun_agreement_1": (*_DETERMINER, "n m: the {person m} {verb m} {this n} [thing.regular n] ."),
    "determiner_noun_agreement_2": (*_DETERMINER, "n m: the {person m} {verb m} [this n] <{thing.regular n}> ."),
    "determiner_noun_agreement_irregular_1": (
        *_DETERMINER, "n m: the {person m} {verb m} {this n} [thing.irregular n] ."),
    "determiner_noun_agreement_irregular_2": (
        *_DETERMINER, "n m: the {person m} {verb m} [this n] <{thing.irregular n}> ."),
    "determiner_noun_agreement_with_adjective_1": (
        *_DETERMINER, "n m: the {person m} {verb m} {this n} {adjective} [thing.regular n] ."),
    "determiner_noun_agreement_with_adjective_2": (
        *_DETERMINER, "n m: the {person m} {verb m} [this n] {adjective} <{thing.regular n}> ."),
    "determiner_noun_agreement_with_adjective_irregular_1": (
        *_DETERMINER, "n m: the {person m} {verb m} {this n} {adjective} [thing.irregular n] ."),
    "determiner_noun_agreement_with_adjective_irregular_2": (
        *_DETERMINER, "n m: the {person m} {verb m} [this n] {adjective} <{thing.irregular n}> ."),
    "quantifier_noun_agreement": ("semantics", "quantifiers", "n: {every n} [person n] {verb n} {rest}"),
    "anaphor_number_agreement": (*_ANAPHOR, "n g: the {person.neuter n} {verb n} [anaphor n] ."),
    "anaphor_number_agreement_across_prepositional_phrase": (
        *_ANAPHOR, "n g: the {person.neuter n} {beside} the {person ~n} {verb n} [anaphor n] ."),
    "anaphor_gender_agreement": (*_ANAPHOR, "g: the {person.gendered 0} {verb 0} [gender g] ."),
    "ever_licensor_present": ("semantics", "npi_licensing", "n: [no|the] {person n} <ever> {verb n} {rest}"),
    "ever_licensor_scope": (
        "semantics", "npi_licensing",
        "n m: [no|the] {person n} that [the|no] {person m} {verb m} <ever> {verb n} {rest}"),
    "wh_vs_that_with_gap": (*_FILLER, f"{_CLAIM} [what|that] the {{person n}} {{verb n}} <{{time}}> ."),
    "wh_vs_that_no_gap": (*_FILLER, f"{_CLAIM} [that|what] the {{person n}} {{verb n}} <the> {{thing ?}} ."),
    "wh_vs_that_with_gap_long_distance": (
        *_FILLER, f"{_CLAIM} [what|that] the {{person ?}} {{claimed}} the {{person n}} {{verb n}} <{{time}}> ."),
    "wh_vs_that_no_gap_long_distance": (
        *_FILLER, f"{_CLAIM} [that|what] the {{person ?}} {{claimed}} the {{person n}} {{verb n}} <the> {{thing ?}} ."),
}  # fmt: skip
