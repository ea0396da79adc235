"""Sentences about a model's numbers, computed from them, for the chapter on the gap and the front page."""

import pandas as pd

from tse_book.pages.design import (
    FALL_CLAIM,
    GAP_CLAIM,
    NOUNS_TOO,
    OTHERS,
    beside_attractors,
    ew_by_construction,
    typical_sentence,
    with_and_without,
)
from tse_book.published import BETWEEN
from tse_book.studies.agreement_findings import SIMPLE
from tse_book.studies.expectations import MEAN, Design, lift
from tse_book.studies.findings import DEFAULT, NO_BOS, NO_NOUNS, NOUNS, ONCE
from tse_book.studies.gap import SINGLE, Stages, ew_of_kinds, has_whole_words, longer_is_worse, mean_of


def kind_of_verb(numbers: pd.DataFrame) -> str:
    """TSE minus EW over single entries by kind of verb, and what follows, in sentences; from `gaps_and_falls`.

    >>> rows = pd.DataFrame({"claim": GAP_CLAIM, "condition": [DEFAULT, NOUNS, NO_NOUNS], "value": [0.1, 0.07, 0.02],
    ...                      "low": [0.09, 0.05, 0.01], "high": [0.11, 0.09, 0.03], "against": [None, 0.1, 0.12],
    ...                      "constructions": [10, 10, 8]})
    >>> print(kind_of_verb(rows))
    Over verbs whose forms are single tokens, TSE minus EW is 0.10 [0.09, 0.11]. Within verbs that are also nouns it \
is 0.07 [0.05, 0.09] (all verbs: 0.10), within verbs that are never nouns 0.02 [0.01, 0.03] (all verbs in the same 8 \
constructions: 0.12). So within either kind EW is below TSE.
    """
    single = numbers[numbers["claim"] == GAP_CLAIM].set_index("condition")
    once = f", or {_interval(single.loc[ONCE])} if TSE counts each decision once" if ONCE in single.index else ""
    said = f"Over verbs whose forms are single tokens, TSE minus EW is {_interval(single.loc[DEFAULT])}{once}."
    if not {NOUNS, NO_NOUNS} <= set(single.index):
        return said
    nouns, never = single.loc[NOUNS], single.loc[NO_NOUNS]
    of_nouns, of_others = map(_side, (nouns, never))
    verdict = (
        f"within either kind {of_nouns}"
        if of_nouns == of_others
        else f"within the former {of_nouns}, within the latter {of_others}"
    )
    return (
        f"{said} Within verbs that are also nouns it is {_interval(nouns)} (all verbs: {nouns['against']:z.2f}), "
        f"within verbs that are never nouns {_interval(never)} (all verbs in the same {never['constructions']} "
        f"constructions: {never['against']:z.2f}). So {verdict}."
    )


def _side(gap) -> str:
    """Whether EW is certainly below or above TSE, by the interval of TSE minus EW."""
    return "EW is below TSE" if gap["low"] > 0 else "EW is above TSE" if gap["high"] < 0 else "it is open"


def decisions_said(judged: pd.DataFrame) -> str:
    """A sentence that compares EW of verbs that are never nouns with TSE over distinct decisions.

    `judged`: what `tse_book.studies.expectations.expectations` gives.

    >>> row = {"expectation": "H1", "statement": "EW minus TSE over distinct decisions", "row": "mean"}
    >>> print(decisions_said(pd.DataFrame([row | {"value": 0.02, "low": 0.01, "high": 0.03}])))
    Against TSE of all the templates' verbs, each decision once, EW of verbs that are never nouns is above: the \
difference is 0.02 [0.01, 0.03] (without a plural noun or an adverb).
    """
    rows = judged[(judged["expectation"] == "H1") & judged["statement"].str.endswith("distinct decisions")]
    mean = rows[rows["row"] == MEAN].iloc[0]
    side = "is above" if mean["low"] > 0 else "is below" if mean["high"] < 0 else "can be either"
    return (
        f"Against TSE of all the templates' verbs, each decision once, EW of verbs that are never nouns {side}: the "
        f"difference is {_interval(mean)} (without a plural noun or an adverb)."
    )


def length_of_verb(stages: Stages) -> str:
    """What multi-token verbs change, in a sentence; nothing where whole words were not scored."""
    if not has_whole_words(stages):
        return ""
    ew = ew_of_kinds(stages).set_index(["verbs", "length"])["value"]
    start = "Without an adverb multi-token verbs score lower: with them" if longer_is_worse(stages) else "With them"
    moved = [f"from {ew[kind, 'one token']:.2f} to {ew[kind, 'any']:.2f}" for kind in ("all", "never nouns")]
    return (
        f"{start} EW over whole words goes {moved[0]}, over verbs that are never nouns {moved[1]} (a sample of "
        f"contexts; single tokens without the word's end: {mean_of(stages, SINGLE):.2f})."
    )


def fall_of_ew(numbers: pd.DataFrame) -> str:
    """How far EW falls from likely to unlikely verbs, in sentences; from `gaps_and_falls`. Empty if not known."""
    found = numbers[numbers["claim"] == FALL_CLAIM].set_index("condition")
    if not {DEFAULT, NO_NOUNS} <= set(found.index):
        return ""
    whole, never = found.loc[DEFAULT], found.loc[NO_NOUNS]
    bare = ""
    if NO_BOS in found.index:
        row = found.loc[NO_BOS]
        bare = f"; without a BOS token {_interval(row)}"
    return (
        f"From likely to unlikely verbs EW falls by {_interval(whole)} beyond what the cut-offs alone produce "
        f"({whole['constructions']} constructions in which ten nouns have a score at both ends{bare}). Over verbs that "
        f"are never nouns it is {_interval(never)}, a certain fall in {never['certain']} of {never['constructions']}."
    )


def _interval(row) -> str:
    value, low, high = (f"{row[end]:z.2f}" for end in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def adverbs_said(design: Design, *, mirrored: bool = False) -> list[str]:
    """What an adverb does to EW of either kind of verb after singular subjects, in sentences.

    `mirrored`: also after a plural subject with a singular noun in between, and beside a noun of the subject's number;
    and how the subject's surroundings change what an adverb does.
    """
    table = with_and_without(design)
    said = []
    if SIMPLE in set(table["construction"]):
        said.append(
            "After a singular subject (*Simple*), adding an adverb "
            f"{_moved(design, 'none', (SIMPLE,), NOUNS_TOO, 'EW of verbs that are also nouns')}, and "
            f"{_moved(design, 'none', (SIMPLE,), OTHERS, 'EW of the others')}."
        )
    between = table[table["construction"].isin(BETWEEN)]
    if {"singular", "plural"} <= set(between["attractor"]):
        rows = between.query("attractor == 'plural' and kind == @OTHERS")
        falls = int((rows["with"] < rows["without"]).sum())
        where = tuple(rows["construction"])
        said += [
            f"With a plural noun in between (mean of {len(rows)} constructions; the chart shows one), it "
            f"{_moved(design, 'plural', where, NOUNS_TOO)}, and {_moved(design, 'plural', where, OTHERS)}, with a fall "
            f"in {falls} of {len(rows)}. With a singular noun there, it {_moved(design, 'singular', where, OTHERS)}.",
        ]
        if mirrored:
            said += [surroundings_said(design), mirror_said(design)]
    return said


def surroundings_said(design: Design) -> str:
    """How much the effect of an adverb after a plural attractor depends on the preposition before the attractor."""
    rows = beside_attractors(design).query("kind == @OTHERS")
    some = rows["adverb"].eq("none").map({True: "without", False: "with"})
    ew = rows.groupby(["preposition", some])["score"].mean().unstack()
    change = (ew["with"] - ew["without"]).sort_values()
    return (
        f"The mean hides much: in *{BETWEEN[0]}* the latter changes by {change.iloc[0]:+.2f} after "
        f"*{change.index[0]}* and by {change.iloc[-1]:+.2f} after *{change.index[-1]}*."
    )


def example_said(design: Design, adverb: str) -> str:
    """The typical sentence with its numbers, in words."""
    found = typical_sentence(design)
    row, ew = found.iloc[0], found.set_index(["kind", "adverb"])["score"]
    moved = {kind: f"from {ew[kind, 'none']:.2f} to {ew[kind, adverb]:.2f}" for kind in (NOUNS_TOO, OTHERS)}
    context = f"the {row['noun']} {row['preposition']} the {row['attractor']}"
    return (
        f"Nearest to the means of the last panel is *{context}*: *{adverb}* moves EW {moved[NOUNS_TOO]} "
        f"for verbs that are also nouns, and {moved[OTHERS]} for the others."
    )


def mirror_said(design: Design) -> str:
    """The mirror case of attraction, and whether a noun of the subject's own number helps; of verbs never nouns."""
    rows = ew_by_construction(design).query("kind == @OTHERS")
    rows = rows[rows["construction"].isin(BETWEEN) | (rows["construction"].eq(SIMPLE) & rows["attractor"].eq("none"))]
    some = rows["adverb"].eq("none").map({True: "without", False: "with"})
    ew = rows.groupby(["number", "attractor", "construction", some])["score"].mean().unstack()
    mirror = ew.loc["plural", "singular"]
    falls = int((mirror["with"] < mirror["without"]).sum())
    numbers = ("singular", "plural")
    own, bare = (
        [ew.loc[number, other]["with"].mean() for number, other in zip(numbers, others, strict=True)]
        for others in (numbers, ("none", "none"))
    )
    helps = "helps" if own[0] > bare[0] and own[1] > bare[1] else "does not help"
    where = tuple(mirror.index)
    return (
        "In the mirror case, a plural subject with a singular noun, it "
        f"{_moved(design, 'singular', where, OTHERS, number='plural')}, with a fall in {falls} of {len(mirror)}. "
        f"A noun of the subject's own number {helps}: {own[0]:.2f} and {own[1]:.2f} (singular, plural) after an "
        f"adverb, in *Simple* {bare[0]:.2f} and {bare[1]:.2f}."
    )


def _moved(design: Design, attractor: str, constructions, kind: str, what: str = "", number: str = "singular") -> str:
    """The effect of an adverb on EW, with the interval of the difference; three digits where two would show 1."""
    rows = ew_by_construction(design).query("number == @number and attractor == @attractor and kind == @kind")
    rows = rows[rows["construction"].isin(constructions)]
    by = rows.groupby([rows["adverb"] == "none", "construction"])["score"].mean().groupby(level=0).mean()
    before, after = by[True], by[False]
    change = lift(design, number, attractor, constructions, noun=kind == NOUNS_TOO)
    digits = 3 if max(before, after) > 0.995 else 2
    verb = "raises" if change.low > 0 else "lowers" if change.high < 0 else "moves"
    low, high = (f"{end:z.{digits}f}" for end in (change.low, change.high))
    of = what or ("the latter" if kind == OTHERS else "the former")
    return f"{verb} {of} from {before:.{digits}f} to {after:.{digits}f} ({change.value:+z.{digits}f} [{low}, {high}])"
