"""Make what is drawn once of the laboratory: lemmas.csv, the minimal pairs in paradigms/, the test suites in suites/.

    python data/laboratory/make.py

The pairs have the form of BLiMP's files (Warstadt et al. 2020). A paradigm is a template. Before the colon stand the
numbers that an item draws first (0 singular, 1 plural). In braces is a word or a phrase in one of these numbers (``~n``
is the other one, ``?`` one drawn there), in square brackets the good and the bad choice: ``n: the {person n} {beside}
the {person ~n} [verb n] {rest}`` makes ``the author next to the guards [laughs|laugh] .`` If the sentences differ
before the critical word, that word is in angle brackets, ``the [woman|women] <laughs> .``: the pair then suits the
two-prefix method, else the one-prefix method.

The suites have SyntaxGym's format, at least one for each circuit of Hu et al. (2020). A suite is a function that
returns one item: the regions of each condition. What the language cannot express has no suite.
"""

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from tse_book.laboratory import language
from tse_book.laboratory.corpus import as_text
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.pairs import NUMBERS
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.suites import COLUMNS, Suite, to_json

HERE = Path(__file__).parent
PARADIGM_SEED, SUITE_SEED = 20213, 20214


def chosen_lemmas(verbs, settings):
    """Draw the laboratory's verbs from a verb list with forms: how lemmas.csv was made.

    Kept are the leading verbs and every lemma that is no noun, is one plain word, differs in all three forms, and
    shares no form with another word of the language or another verb. Their order behind the leading verbs is drawn.
    """
    nouns = pd.DataFrame(
        list(language._nouns(settings)), columns=["class", "singular", "plural", "gender"]
    )
    taken = {*language._words(settings, nouns, tuple(language._patterns(settings)))}
    rules, forms = settings["verbs"], ["singular", "plural", "past"]
    leading = pd.DataFrame(language._leading(settings), columns=["lemma", *forms])
    free = verbs[~verbs["noun"].astype(bool) & ~verbs["lemma"].isin(leading["lemma"])]
    taken |= {*leading[forms].stack()}
    uses = Counter(form for row in verbs[forms].itertuples(index=False) for form in {*row})
    plain = [
        len({*row}) == 3
        and all(
            form.isascii() and form.isalpha() and uses[form] == 1 and form not in taken
            for form in row
        )
        for row in free[forms].itertuples(index=False)
    ]
    free = free[plain]
    order = np.random.default_rng(rules["seed"]).permutation(len(free))
    table = pd.concat([leading, free.iloc[order]], ignore_index=True)[["lemma", *forms]].iloc[
        : sum(rules["bands"].values())
    ]
    bands = np.repeat(list(rules["bands"]), list(rules["bands"].values()))
    tail = bands == "tail"
    preferred = np.where(tail, np.array(NUMBERS)[np.cumsum(tail) % 2], "")
    return table.assign(band=bands, preferred=preferred)


class Speaker:
    """Draws words of the language; no noun or verb occurs twice in an item.

    Numbers are 0 singular, 1 plural; a drawn noun or verb is its two forms (singular, plural).
    """

    def __init__(self, seed: list[int]):
        self.language, self.random = language.load_language(), np.random.default_rng(seed)
        self.used: set[str] = set()

    def new_item(self) -> None:
        self.used.clear()

    def number(self) -> int:
        return int(self.random.integers(2))

    def noun(
        self, kind: str = "person", regular: bool | None = None, gender: str | None = None
    ) -> tuple[str, str]:
        """A person or a thing, with or without a regular plural, of a gender ("" for none)."""
        nouns = self.language.nouns
        there = nouns["class"] == kind
        if regular is not None:
            there &= (nouns["plural"] == nouns["singular"] + "s") == regular
        if gender is not None:
            there &= nouns["gender"] == gender
        return self._drawn(nouns[there])

    def verb(self, band: str = "head") -> tuple[str, str]:
        """A verb of a band, lemmas equally likely, never is/are (which would need an adjective)."""
        lemmas = self.language.lemmas
        return self._drawn(
            lemmas[(self.language.band() == language.BANDS.index(band)) & (lemmas["lemma"] != "be")]
        )

    def one(self, words: str) -> str:
        """A phrase from one of the language's lists (``beside``, ``adjective``, ...)."""
        phrases = self.language.settings["lexicon"]["words"][words]
        return phrases[int(self.random.integers(len(phrases)))]

    def rest(self) -> str:
        """The end of an item after a verb: nothing, a fixed phrase or a time expression, and the full stop."""
        phrase = ["", self.one("fixed") + " ", self.one("time") + " "][int(self.random.integers(3))]
        return phrase + "."

    def _drawn(self, rows) -> tuple[str, str]:
        rows = rows[~rows["singular"].isin(self.used)]
        row = rows.iloc[int(self.random.integers(len(rows)))]
        self.used.add(row["singular"])
        return row["singular"], row["plural"]


# Minimal pairs

_CHOICE = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
_PLACE = re.compile(
    r"(?P<bracket>[{[])(?P<word>\w+)(?:\.(?P<kind>\w+))?(?: (?P<other>~?)(?P<number>[\w?]))?[\]}]"
)
_FIXED = {"this": ("this", "these"), "every": ("every", "many"), "gender": ("himself", "herself")}


def paradigm(uid: str, items: int = 200) -> list[dict]:
    """The records of one paradigm: all different, in words of the language."""
    field, term, template = PARADIGMS[uid]
    speaker = Speaker([PARADIGM_SEED, list(PARADIGMS).index(uid)])
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
        fields |= {
            "two_prefix_prefix_good": before[0],
            "two_prefix_prefix_bad": before[1],
            "two_prefix_word": word,
        }
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
            gender = {"neuter": "", "gendered": ("masculine", "feminine")[numbers.get("g", 0)]}.get(
                kind
            )
            forms = speaker.noun(word, {"regular": True, "irregular": False}.get(kind), gender)
        elif word == "verb":
            forms = speaker.verb(kind or "head")
        else:
            forms = (
                _FIXED[word] if word in _FIXED else (_FIXED["gender"][numbers["g"]], "themselves")
            )
        number = speaker.number() if name == "?" else numbers.get(name, 0)
        number = 1 - number if place["other"] else number
        return (
            forms[number] if place["bracket"] == "{" else f"[{forms[number]}|{forms[1 - number]}]"
        )

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


# Suites

_MATCH = "(({0};%match_sing%) < ({0};%mismatch_sing%)) & (({0};%match_plural%) < ({0};%mismatch_plural%))"
_EVER = "((7;%neg_pos%) < (7;%pos_pos%)) & ((7;%neg_neg%) < (7;%pos_neg%)) & ((7;%neg_pos%) < (7;%pos_neg%))"
_GAP = "(({0};%what_nogap%) > ({0};%that_nogap%)) & (({1};%what_gap%) < ({1};%that_gap%))"
_CENTER = "((6;%plaus%) + (7;%plaus%)) < ((6;%implaus%) + (7;%implaus%))"
_SUBORDINATION = (
    "((3;%sub_no-matrix%) > (3;%no-sub_no-matrix%)) & ((3;%sub_matrix%) < (3;%no-sub_matrix%))"
)
_GARDEN = (
    "((6;%no-obj_no-comma%) > (6;%no-obj_comma%)) & ((6;%no-obj_no-comma%) > (6;%obj_no-comma%))"
    " & (((6;%no-obj_no-comma%) - (6;%no-obj_comma%)) > ((6;%obj_no-comma%) - (6;%obj_comma%)))"
)


def suite(name: str, items: int = 24) -> Suite:
    """One suite, its items drawn by the seed."""
    circuit, regions, formula, say = SUITES[name]
    speaker, rows = Speaker([SUITE_SEED, list(SUITES).index(name)]), []
    for item in range(1, items + 1):
        speaker.new_item()
        for condition, texts in say(speaker).items():
            rows += [(item, condition, region, text) for region, text in enumerate(texts, 1)]
    meta = {
        "name": name,
        "metric": "sum",
        "circuit": circuit,
        "comment": "in the words of the laboratory language",
    }
    names = dict(enumerate(regions.split(), 1))
    return Suite(meta, names, (Formula.parse(formula),), pd.DataFrame(rows, columns=COLUMNS))


def _numbers(say) -> dict[str, list[str]]:
    """The four number conditions: ``say(subject number, number of the tested word)``."""
    conditions = {
        "match_sing": (0, 0),
        "mismatch_sing": (0, 1),
        "match_plural": (1, 1),
        "mismatch_plural": (1, 0),
    }
    return {name: say(*numbers) for name, numbers in conditions.items()}


def _number(s, clause: str):
    noun, attractor = s.noun(), s.noun()
    inner = s.verb() if clause != "prep" else (s.one("beside"),) * 2
    verb, rest = s.verb(), s.rest()

    def say(n, v):
        between = {
            "prep": [inner[n], "the", attractor[1 - n]],
            "src": ["that", inner[n], "the", attractor[1 - n]],
            "orc": ["that", "the", attractor[1 - n], inner[1 - n]],
        }[clause]
        return ["The", noun[n], *between, verb[v], rest]

    return _numbers(say)


def _reflexive(s, clause: str):
    noun, attractor, inner, verb, preposition = (
        s.noun(gender=""),
        s.noun(),
        s.verb(),
        s.verb(),
        s.one("beside"),
    )
    word = (("himself", "herself")[s.number()], "themselves")

    def say(n, v):
        between = {
            "prep": [preposition, "the", attractor[1 - n]],
            "src": [f"that {inner[n]}", "the", attractor[1 - n]],
            "orc": ["that", f"the {attractor[1 - n]}", inner[1 - n]],
        }[clause]
        return ["The", noun[n], *between, verb[n], word[v], "."]

    return _numbers(say)


def _ever(s, clause: str):
    first, second, inner, verb, rest = s.noun(), s.noun(), s.verb(), s.verb(), s.rest()
    n, m = s.number(), s.number()

    def say(outer, embedded):
        middle = (
            [inner[n], embedded, second[m]] if clause == "src" else [embedded, second[m], inner[m]]
        )
        return [outer, first[n], "that", *middle, "ever", f"{verb[n]} {rest}"]

    words = {"neg": ("No", "no"), "pos": ("The", "the")}
    return {f"{a}_{b}": say(words[a][0], words[b][1]) for a in words for b in words}


def _filler_gap(s, deep: bool):
    speaker, claimed, noun, verb = s.noun()[s.number()], s.one("claimed"), s.noun(), s.verb()
    n, thing, time = s.number(), s.noun("thing")[s.number()], s.one("time")
    middle = [f"the {s.noun()[s.number()]}", s.one("claimed")] if deep else []

    def say(word, filled):
        filler = f"the {thing}" if filled else ""
        return [
            f"The {speaker} {claimed}",
            word,
            *middle,
            f"the {noun[n]}",
            verb[n],
            filler,
            time,
            ".",
        ]

    return {
        f"{w}_{'nogap' if filled else 'gap'}": say(w, filled)
        for w in ("what", "that")
        for filled in (True, False)
    }


def _center(s, adjectives: bool):
    outer, inner, first, second, n = s.noun(), s.noun(), s.verb(), s.verb(), s.number()
    big, small = (f"{s.one('adjective')} " if adjectives else "" for _ in range(2))
    start = ["The", big + outer[n], "that", "the", small + inner[1 - n]]
    return {
        "plaus": [*start, first[1 - n], second[n], "."],
        "implaus": [*start, first[n], second[1 - n], "."],
    }


def _subordination(s, filled: bool):
    word, first, second, verb, other, rest = (
        s.one("subordinator"),
        s.noun(),
        s.noun(),
        s.verb(),
        s.verb(),
        s.rest(),
    )
    n, m = s.number(), s.number()
    phrase = f"{verb[n]} the {s.noun('thing')[s.number()]}" if filled else verb[n]
    matrix = f", the {second[m]} {other[m]} {rest}"
    starts = {"sub": f"{word.capitalize()} the {first[n]}", "no-sub": f"The {first[n]}"}
    ends = {"no-matrix": ".", "matrix": matrix}
    return {f"{a}_{b}": [starts[a], phrase, ends[b]] for b in ends for a in starts}


def _garden_path(s):
    word, first, second, verb, other, rest = (
        s.one("subordinator"),
        s.noun(),
        s.noun(),
        s.verb(),
        s.verb(),
        s.rest(),
    )
    n, m, thing = s.number(), s.number(), s.noun("thing")[s.number()]
    start = [f"{word.capitalize()} the {first[n]}", verb[n]]
    objects, commas = {"no-obj": "", "obj": f"the {thing}"}, {"no-comma": "", "comma": ","}
    end = [f"the {second[m]}", other[m], rest]
    return {f"{a}_{b}": [*start, objects[a], commas[b], *end] for a in objects for b in commas}


_PREP = "intro np prep the prep_np matrix_v continuation"
_SRC = "intro np that embed_vp the embed_np matrix_v continuation"
_ORC = "intro np that the embed_np embed_vp matrix_v continuation"
_REFLEXIVE = "intro np relative_1 relative_2 relative_3 matrix_v reflexive end"
_NPI = "licensor np that clause_1 clause_2 clause_3 npi continuation"
_CLAUSE = "prefix comp np verb object time end"
_CLAUSES = "prefix comp embed_np embed_vp np verb object time end"
_NESTED = "intro np_1 that the np_2 verb1 verb2 end"
_LICENSING, _LONG, _CENTERED = "Licensing", "Long-Distance Dependencies", "Center Embedding"
_GARDEN_PATH, _STATE = "Garden-Path Effects", "Gross Syntactic State"

SUITES = {  # name: circuit, regions, prediction, function that makes an item
    "lab_number_prep": ("Agreement", _PREP, _MATCH.format(6), lambda s: _number(s, "prep")),
    "lab_number_src": ("Agreement", _SRC, _MATCH.format(7), lambda s: _number(s, "src")),
    "lab_number_orc": ("Agreement", _ORC, _MATCH.format(7), lambda s: _number(s, "orc")),
    "lab_reflexive_prep": (_LICENSING, _REFLEXIVE, _MATCH.format(7), lambda s: _reflexive(s, "prep")),
    "lab_reflexive_src": (_LICENSING, _REFLEXIVE, _MATCH.format(7), lambda s: _reflexive(s, "src")),
    "lab_reflexive_orc": (_LICENSING, _REFLEXIVE, _MATCH.format(7), lambda s: _reflexive(s, "orc")),
    "lab_npi_src_ever": (_LICENSING, _NPI, _EVER, lambda s: _ever(s, "src")),
    "lab_npi_orc_ever": (_LICENSING, _NPI, _EVER, lambda s: _ever(s, "orc")),
    "lab_fgd_object": (_LONG, _CLAUSE, _GAP.format(5, 6), lambda s: _filler_gap(s, False)),
    "lab_fgd_embedded": (_LONG, _CLAUSES, _GAP.format(7, 8), lambda s: _filler_gap(s, True)),
    "lab_center_embed": (_CENTERED, _NESTED, _CENTER, lambda s: _center(s, False)),
    "lab_center_embed_mod": (_CENTERED, _NESTED, _CENTER, lambda s: _center(s, True)),
    "lab_npz_obj": (_GARDEN_PATH, "subordinate verb object comma np matrix_v continuation", _GARDEN, _garden_path),
    "lab_subordination": (_STATE, "subject verb main", _SUBORDINATION, lambda s: _subordination(s, False)),
    "lab_subordination_obj": (_STATE, "subject verb main", _SUBORDINATION, lambda s: _subordination(s, True)),
}  # fmt: skip


def main() -> None:
    settings = language.load_language().settings
    verbs = chosen_lemmas(load_lemmas("newman-clean").table, settings)
    verbs.to_csv(HERE / "lemmas.csv", index=False, lineterminator="\n")
    for uid in PARADIGMS:
        lines = "".join(json.dumps(record) + "\n" for record in paradigm(uid))
        (HERE / "paradigms" / f"{uid}.jsonl").write_text(lines, encoding="utf-8")
    for name in SUITES:
        (HERE / "suites" / f"{name}.json").write_text(to_json(suite(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
