"""What the chapter on the gap reads of each model: the gap and its parts, the factorial design and cells of it."""

import pandas as pd

from tse_book.pages import newman
from tse_book.studies.agreement_findings import BETWEEN, SIMPLE, about_verbs
from tse_book.studies.contrasts import DIFFERENCE
from tse_book.studies.details import recorded_details
from tse_book.studies.expectations import MEAN, Design, design_of, lift
from tse_book.studies.factorial import TABLES, WHOLE
from tse_book.studies.findings import AGAINST, DEFAULT, NO_BOS, NO_NOUNS, NOUNS, ONCE, findings_table
from tse_book.studies.findings_run import joined_pairs, recorded_findings
from tse_book.studies.gap import (
    SINGLE,
    Stages,
    ew_of_kinds,
    has_whole_words,
    longer_is_worse,
    mean_of,
    recorded_stages,
    stages_of,
)
from tse_core.agreement.evaluate import evaluate
from tse_core.models.coerce import load_model

ATTRACTORS = {"": "none", "singular": "singular", "plural": "plural"}
GAP_CLAIM, FALL_CLAIM = "E.ew-below-tse", "E.head-tail.ew"
NOUNS_TOO, OTHERS = "also nouns", "never nouns"


def designs(models, lemmas: str, data: str, store=None) -> dict[str, Design]:
    """The design of each model, by its name: recorded, or scored now on `data`."""
    found = {}
    for name in models:
        label = newman.label(name)
        of_contexts, of_verbs = (recorded_details(label, kind) for kind in ("factorial", "factorial_verbs"))
        if of_contexts is None or of_verbs is None:
            run = evaluate(load_model(name), data, lemmas, cutoffs=WHOLE, keep="forms", store=store)
            contexts, verbs = (TABLES[kind](run) for kind in ("factorial", "factorial_verbs"))
        else:
            contexts, verbs = of_contexts.table, of_verbs.table
        found[label] = design_of(contexts, verbs)
    return found


def gap_stages(model: str, data, lemmas: str, store=None) -> Stages:
    """What a model's gap lies between (`tse_book.studies.gap`): from its recorded run, or from scores on `data`."""
    stages = recorded_stages(newman.label(model))
    if stages is None:
        stages = stages_of([evaluate(model, part, lemmas, keep="forms", store=store) for part in data])
    return stages


def gap_findings(model: str, data, lemmas: str, store=None) -> pd.DataFrame:
    """The findings on TSE minus EW and on the fall of EW: recorded, or the gap scored now on `data`.

    Returns
    -------
    DataFrame in the columns of `tse_book.studies.findings_table`; a kind of verb that no pair has is no condition.
    """
    found = recorded_findings()
    found = found[(found["model"] == newman.label(model)) & found["claim"].isin([GAP_CLAIM, FALL_CLAIM])]
    if not {NOUNS, NO_NOUNS} <= set(found["condition"]):
        run = evaluate(model, joined_pairs(data), lemmas, keep="lemmas", store=store)
        measured = {
            DEFAULT: about_verbs(run),
            NOUNS: about_verbs(run, nouns=True),
            NO_NOUNS: about_verbs(run, nouns=False),
        }
        found = findings_table({kind: [(statistics, run.signature)] for kind, statistics in measured.items()})
        found = found[found["claim"] == GAP_CLAIM]
    return found


def gaps_and_falls(findings: pd.DataFrame) -> pd.DataFrame:
    """The numbers that the verdict rests on, each beside what it is held against over the same constructions.

    Parameters
    ----------
    findings : of one model (`gap_findings`)

    Returns
    -------
    DataFrame with claim, condition, value, low, high, against (the value of the condition that it is held against, over
    the constructions that both have; NaN of the default), constructions (how many it is over), without (those of the
    gap that it lacks), certain (in how many the interval lies above 0).
    """
    values = findings[findings["row"] != "all"].set_index(["claim", "condition", "row"])["value"].sort_index()
    every = values[GAP_CLAIM, DEFAULT].index
    rows = []
    for (claim, condition), part in findings.groupby(["claim", "condition"], sort=False):
        own = part[~part["row"].isin(["all", DIFFERENCE])].set_index("row")
        other = AGAINST.get(condition)
        against = values[claim, other].reindex(own.index).mean() if other else float("nan")
        whole = part[part["row"] == "all"].iloc[0]
        rows.append(
            {
                "claim": claim,
                "condition": condition,
                **{end: whole[end] for end in ("value", "low", "high")},
                "against": against,
                "constructions": len(own),
                "without": ", ".join(every[~every.isin(own.index)]),
                "certain": int((own["low"] > 0).sum()),
            }
        )
    return pd.DataFrame(rows)


def kind_of_verb(numbers: pd.DataFrame) -> str:
    """TSE minus EW over single entries, kind by kind, in sentences, and what follows; of `gaps_and_falls`.

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
    """Where EW lies for certain, by the interval of TSE minus EW."""
    return "EW is below TSE" if gap["low"] > 0 else "EW is above TSE" if gap["high"] < 0 else "it is open"


def decisions_said(judged: pd.DataFrame) -> str:
    """Where EW of verbs that are never nouns lies against TSE over distinct decisions, in a sentence.

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
    """How far EW falls from likely to unlikely verbs, in sentences; of `gaps_and_falls`. Nothing where not known."""
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


def ew_cells(design: Design) -> pd.DataFrame:
    """EW of nouns and of other verbs, and TSE of *be*, for each adverb, subject's number and attractor.

    Without another noun in *Simple*, with one in *Across prepositional phrase*: the same constructions for every adverb
    and all three scores, and no adverb that can belong to another clause.

    Returns
    -------
    DataFrame with adverb, number, attractor, kind ("also nouns", "never nouns", "TSE of be"), score.
    """
    rows = ew_by_construction(design)
    shown = rows["construction"].eq(rows["attractor"].eq("none").map({True: SIMPLE, False: BETWEEN[0]}))
    return rows[shown].drop(columns="construction")


def with_and_without(design: Design) -> pd.DataFrame:
    """EW after singular subjects, without an adverb and with one (mean of the adverbs that are unambiguous there).

    Returns
    -------
    DataFrame with construction, attractor, kind, without, with: *Simple*, and the constructions with a noun between
    subject and verb.
    """
    rows = ew_by_construction(design).query("number == 'singular' and kind != 'TSE of be'")
    rows = rows[rows["construction"].isin([SIMPLE, *BETWEEN])]
    some = rows["adverb"].eq("none").map({True: "without", False: "with"})
    keys = ["construction", "attractor", "kind", some]
    return rows.groupby(keys, sort=False)["score"].mean().unstack("adverb").reset_index().rename_axis(columns=None)


def ew_by_construction(design: Design) -> pd.DataFrame:
    """EW and TSE of *be* in each construction, without the sentences whose adverb can belong to another clause.

    Returns
    -------
    DataFrame with construction, adverb, number, attractor, kind, score.
    """
    rows = design.contexts[design.contexts["ambiguous"] == "no"]
    rows = rows.assign(
        attractor=rows["attractor_number"].map(ATTRACTORS),
        kind=rows["also_noun"].map({True: NOUNS_TOO, False: OTHERS}),
    )
    keys = ["construction", "adverb", "number", "attractor"]
    sums = rows.groupby([*keys, "kind"], sort=False)[["correct", "lemmas"]].sum()
    ew = (sums["correct"] / sums["lemmas"]).rename("score").reset_index()
    be = rows[rows["be"].notna() & ~rows["also_noun"]].astype({"be": float})
    be = be.groupby(keys, sort=False)["be"].mean().rename("score").reset_index()
    return pd.concat([ew, be.assign(kind="TSE of be")], ignore_index=True)


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
    """How far what an adverb does beside a plural attractor depends on the preposition before it."""
    rows = _beside_attractors(design).query("kind == @OTHERS")
    some = rows["adverb"].eq("none").map({True: "without", False: "with"})
    ew = rows.groupby(["preposition", some])["score"].mean().unstack()
    change = (ew["with"] - ew["without"]).sort_values()
    return (
        f"The mean hides much: in *{BETWEEN[0]}* the latter changes by {change.iloc[0]:+.2f} after "
        f"*{change.index[0]}* and by {change.iloc[-1]:+.2f} after *{change.index[-1]}*."
    )


def typical_sentence(design: Design) -> pd.DataFrame:
    """The sentence of the chart's last panel whose EW lies nearest to the means over all its sentences.

    Singular subject, plural attractor, no adverb and each of them, both kinds of verb: the least sum of squared
    distances from the means.

    Returns
    -------
    DataFrame with noun, preposition, attractor, adverb, kind, score: one row for each adverb and kind of verb.
    """
    rows = _beside_attractors(design)
    keys = ["noun", "preposition", "attractor"]
    wide = rows.pivot_table("score", keys, ["kind", "adverb"], observed=True)
    nearest = ((wide - wide.mean()) ** 2).sum(axis=1).idxmin()
    return rows[(rows[keys] == list(nearest)).all(axis=1)].drop(columns=["construction"]).reset_index(drop=True)


def _beside_attractors(design: Design) -> pd.DataFrame:
    """EW of each sentence of the chart's construction with a singular subject and a plural attractor."""
    rows = design.contexts[design.contexts["construction"] == BETWEEN[0]]
    rows = rows[(rows["number"] == "singular") & (rows["attractor_number"] == "plural")]
    rows = rows.assign(
        kind=rows["also_noun"].map({True: NOUNS_TOO, False: OTHERS}), score=rows["correct"] / rows["lemmas"]
    )
    return rows[["construction", "noun", "preposition", "attractor", "adverb", "kind", "score"]].astype({"adverb": str})


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
    """What an adverb does to EW, with the interval of the difference; three digits where two would be 1."""
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
