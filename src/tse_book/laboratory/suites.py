"""Test suites in the laboratory lexicon, in SyntaxGym's format: at least one for each circuit of Hu et al. (2020).

A suite is a function that returns one item: the regions of each condition. What the language cannot express, such as a
reduced relative clause, has no suite.
"""

from pathlib import Path

import pandas as pd

from tse_book.laboratory.language import load_language
from tse_book.laboratory.speaker import Speaker
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.suites import COLUMNS, Suite, write_suite

ITEMS, SEED = 24, 20214
_MATCH = "(({0};%match_sing%) < ({0};%mismatch_sing%)) & (({0};%match_plural%) < ({0};%mismatch_plural%))"
_EVER = "((7;%neg_pos%) < (7;%pos_pos%)) & ((7;%neg_neg%) < (7;%pos_neg%)) & ((7;%neg_pos%) < (7;%pos_neg%))"
_GAP = "(({0};%what_nogap%) > ({0};%that_nogap%)) & (({1};%what_gap%) < ({1};%that_gap%))"
_CENTER = "((6;%plaus%) + (7;%plaus%)) < ((6;%implaus%) + (7;%implaus%))"
_SUBORDINATION = "((3;%sub_no-matrix%) > (3;%no-sub_no-matrix%)) & ((3;%sub_matrix%) < (3;%no-sub_matrix%))"
_GARDEN = (
    "((6;%no-obj_no-comma%) > (6;%no-obj_comma%)) & ((6;%no-obj_no-comma%) > (6;%obj_no-comma%))"
    " & (((6;%no-obj_no-comma%) - (6;%no-obj_comma%)) > ((6;%obj_no-comma%) - (6;%obj_comma%)))"
)


def write_suites(folder: str | Path) -> list[Path]:
    """One JSON file per suite; returns their paths. The same seed writes the same bytes."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in SUITES:
        paths.append(folder / f"{name}.json")
        write_suite(build_suite(name), paths[-1])
    return paths


def build_suite(name: str) -> Suite:
    """One suite, its items drawn by the seed."""
    circuit, regions, formula, say = SUITES[name]
    speaker, rows = Speaker(load_language(), [SEED, list(SUITES).index(name)]), []
    for item in range(1, ITEMS + 1):
        speaker.new_item()
        for condition, texts in say(speaker).items():
            rows += [(item, condition, region, text) for region, text in enumerate(texts, 1)]
    meta = {"name": name, "metric": "sum", "circuit": circuit, "comment": "in the words of the laboratory language"}
    names = dict(enumerate(regions.split(), 1))
    return Suite(meta, names, (Formula.parse(formula),), pd.DataFrame(rows, columns=COLUMNS))


def _numbers(say) -> dict[str, list[str]]:
    """The four number conditions: ``say(subject number, number of the tested word)``."""
    conditions = {"match_sing": (0, 0), "mismatch_sing": (0, 1), "match_plural": (1, 1), "mismatch_plural": (1, 0)}
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
    noun, attractor, inner, verb, preposition = s.noun(gender=""), s.noun(), s.verb(), s.verb(), s.one("beside")
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
        middle = [inner[n], embedded, second[m]] if clause == "src" else [embedded, second[m], inner[m]]
        return [outer, first[n], "that", *middle, "ever", f"{verb[n]} {rest}"]

    words = {"neg": ("No", "no"), "pos": ("The", "the")}
    return {f"{a}_{b}": say(words[a][0], words[b][1]) for a in words for b in words}


def _filler_gap(s, deep: bool):
    speaker, claimed, noun, verb = s.noun()[s.number()], s.one("claimed"), s.noun(), s.verb()
    n, thing, time = s.number(), s.noun("thing")[s.number()], s.one("time")
    middle = [f"the {s.noun()[s.number()]}", s.one("claimed")] if deep else []

    def say(word, filled):
        filler = f"the {thing}" if filled else ""
        return [f"The {speaker} {claimed}", word, *middle, f"the {noun[n]}", verb[n], filler, time, "."]

    return {f"{w}_{'nogap' if filled else 'gap'}": say(w, filled) for w in ("what", "that") for filled in (True, False)}


def _center(s, adjectives: bool):
    outer, inner, first, second, n = s.noun(), s.noun(), s.verb(), s.verb(), s.number()
    big, small = (f"{s.one('adjective')} " if adjectives else "" for _ in range(2))
    start = ["The", big + outer[n], "that", "the", small + inner[1 - n]]
    return {"plaus": [*start, first[1 - n], second[n], "."], "implaus": [*start, first[n], second[1 - n], "."]}


def _subordination(s, filled: bool):
    word, first, second, verb, other, rest = s.one("subordinator"), s.noun(), s.noun(), s.verb(), s.verb(), s.rest()
    n, m = s.number(), s.number()
    phrase = f"{verb[n]} the {s.noun('thing')[s.number()]}" if filled else verb[n]
    matrix = f", the {second[m]} {other[m]} {rest}"
    starts = {"sub": f"{word.capitalize()} the {first[n]}", "no-sub": f"The {first[n]}"}
    ends = {"no-matrix": ".", "matrix": matrix}
    return {f"{a}_{b}": [starts[a], phrase, ends[b]] for b in ends for a in starts}


def _garden_path(s):
    word, first, second, verb, other, rest = s.one("subordinator"), s.noun(), s.noun(), s.verb(), s.verb(), s.rest()
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
