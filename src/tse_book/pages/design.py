"""What the chapter on the gap reads of each model: the gap and its parts, the factorial design and cells of it."""

import pandas as pd

from tse_book.pages import newman
from tse_book.studies.agreement_findings import BETWEEN, SIMPLE, about_verbs
from tse_book.studies.details import recorded_details
from tse_book.studies.expectations import MEAN, Design, design_of
from tse_book.studies.factorial import TABLES, WHOLE
from tse_book.studies.findings import DEFAULT, NO_BOS, NO_NOUNS, NOUNS, findings_table
from tse_book.studies.findings_run import joined_pairs, recorded_findings
from tse_book.studies.gap import (
    Stages,
    ew_of_kinds,
    has_whole_words,
    longer_is_worse,
    recorded_stages,
    stages_of,
)
from tse_core.agreement.evaluate import evaluate
from tse_core.models.coerce import load_model

ATTRACTORS = {"": "none", "singular": "singular", "plural": "plural"}


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


def single_gap(model: str, data, lemmas: str, store=None) -> pd.DataFrame:
    """TSE minus EW over single entries: index "all", "also nouns", "never nouns"; value, low, high.

    TSE and EW alike are over the verbs of that kind. From the recorded findings, else from scores on `data`; intervals
    over subjects and verbs. A kind of verb that no pair has is no row.
    """
    found = recorded_findings()
    found = found[found["model"] == newman.label(model)]
    if not {NOUNS, NO_NOUNS} <= set(found["condition"]):
        run = evaluate(model, joined_pairs(data), lemmas, keep="lemmas", store=store)
        measured = {
            DEFAULT: about_verbs(run),
            NOUNS: about_verbs(run, nouns=True),
            NO_NOUNS: about_verbs(run, nouns=False),
        }
        found = findings_table({kind: [(statistics, run.signature)] for kind, statistics in measured.items()})
    found = found[(found["claim"] == "E.ew-below-tse") & (found["row"] == "all")].set_index("condition")
    kinds = {DEFAULT: "all", NOUNS: "also nouns", NO_NOUNS: "never nouns"}
    return found.loc[[kind for kind in kinds if kind in found.index], ["value", "low", "high"]].rename(index=kinds)


def kind_of_verb(single: pd.DataFrame) -> str:
    """TSE minus EW over single entries, kind by kind, in a sentence, and what follows; of `single_gap`.

    >>> rows = pd.DataFrame({"value": [0.1, 0.07, 0.02], "low": [0.09, 0.05, 0.01], "high": [0.11, 0.09, 0.03]},
    ...                     ["all", "also nouns", "never nouns"])
    >>> print(kind_of_verb(rows))
    Over single-token verbs, TSE minus EW is 0.10 [0.09, 0.11]. Within verbs that are also nouns it is 0.07 \
[0.05, 0.09], within verbs that are never nouns 0.02 [0.01, 0.03] (in the rows where TSE \
tests such a verb). So EW is below TSE for either kind.
    """
    said = f"Over single-token verbs, TSE minus EW is {_interval(single.loc['all'])}."
    if not {"also nouns", "never nouns"} <= set(single.index):
        return said
    nouns, never = single.loc["also nouns"], single.loc["never nouns"]
    of_nouns, of_others = map(_side, (nouns, never))
    verdict = (
        f"{of_nouns} for either kind"
        if of_nouns == of_others
        else f"for the former {of_nouns}, for the latter {of_others}"
    )
    return (
        f"{said} Within verbs that are also nouns it is {_interval(nouns)}, within verbs that are never nouns "
        f"{_interval(never)} (in the rows where TSE tests such a verb). So {verdict}."
    )


def _side(gap) -> str:
    """Where EW lies for certain, by the interval of TSE minus EW."""
    return "EW is below TSE" if gap["low"] > 0 else "EW is above TSE" if gap["high"] < 0 else "it is open"


def decisions_said(judged: pd.DataFrame) -> str:
    """Where EW of verbs that are never nouns lies against TSE over distinct decisions, in a sentence.

    `judged`: what `tse_book.studies.expectations.expectations` gives.

    >>> row = {"expectation": "H1", "statement": "EW minus TSE over distinct decisions", "row": "mean"}
    >>> print(decisions_said(pd.DataFrame([row | {"value": 0.02, "low": 0.01, "high": 0.03}])))
    If TSE counts each decision once, EW over verbs that are never nouns minus TSE is 0.02 [0.01, 0.03] (factorial \
sentences without a plural noun or an adverb): EW is above TSE.
    """
    rows = judged[(judged["expectation"] == "H1") & judged["statement"].str.endswith("distinct decisions")]
    mean = rows[rows["row"] == MEAN].iloc[0]
    gap = {"low": -mean["high"], "high": -mean["low"]}  # of TSE minus EW
    return (
        f"If TSE counts each decision once, EW over verbs that are never nouns minus TSE is {_interval(mean)} "
        f"(factorial sentences without a plural noun or an adverb): {_side(gap)}."
    )


def length_of_verb(stages: Stages) -> str:
    """What multi-token verbs change, in a sentence; nothing where whole words were not scored."""
    if not has_whole_words(stages):
        return ""
    ew = ew_of_kinds(stages).set_index(["verbs", "length"])["value"]
    start = "Without an adverb multi-token verbs score lower: counting" if longer_is_worse(stages) else "Counting"
    moved = [f"from {ew[kind, 'one token']:.2f} to {ew[kind, 'any']:.2f}" for kind in ("all", "never nouns")]
    return (
        f"{start} them too takes EW of whole words {moved[0]} over all verbs, and {moved[1]} over verbs that are never "
        "nouns (a sample of contexts)."
    )


def fall_of_ew(model: str) -> str:
    """How far EW falls from likely to unlikely verbs, in a sentence; nothing where no findings are recorded."""
    found = recorded_findings()
    found = found[(found["model"] == newman.label(model)) & (found["claim"] == "E.head-tail.ew")]
    never = found[found["condition"] == NO_NOUNS]
    found = found[found["row"] == "all"].set_index("condition")
    if not {DEFAULT, NO_NOUNS} <= set(found.index):
        return ""
    bare = ""
    if NO_BOS in found.index:
        row = found.loc[NO_BOS]
        bare = f" ({'undecided' if row['low'] < 0 < row['high'] else 'and'} with no BOS token: {_interval(row)})"
    rows = never[~never["row"].isin(["all", "difference"])]
    return (
        f"From likely to unlikely verbs EW falls by {_interval(found.loc[DEFAULT])} more than the method itself "
        f"makes it fall, in the rows with ten nouns at both ends{bare}. Over verbs that are never nouns the mean is "
        f"{_interval(found.loc[NO_NOUNS])}, and {int((rows['low'] > 0).sum())} of {len(rows)} rows fall for certain."
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
        kind=rows["also_noun"].map({True: "also nouns", False: "never nouns"}),
    )
    keys = ["construction", "adverb", "number", "attractor"]
    sums = rows.groupby([*keys, "kind"], sort=False)[["correct", "lemmas"]].sum()
    ew = (sums["correct"] / sums["lemmas"]).rename("score").reset_index()
    be = rows[rows["be"].notna() & ~rows["also_noun"]].astype({"be": float})
    be = be.groupby(keys, sort=False)["be"].mean().rename("score").reset_index()
    return pd.concat([ew, be.assign(kind="TSE of be")], ignore_index=True)


def adverbs_said(design: Design, *, mirrored: bool = False) -> list[str]:
    """What an adverb does to EW of either kind of verb after singular subjects, in sentences.

    `mirrored`: also after a plural subject with a singular noun in between, and beside a noun of the subject's number.
    """
    table = with_and_without(design)
    between = table[table["construction"].isin(BETWEEN)]
    ew = table[table["construction"] == SIMPLE].set_index("kind")
    said = []
    if len(ew):
        said.append(
            f"After a singular subject without another noun (*Simple*), an adverb takes EW {_moved(ew, 'also nouns')} "
            f"for verbs that are also nouns and {_moved(ew, 'never nouns')} for those that are never nouns, which "
            f"removes {_removed(ew, 'also nouns')} and {_removed(ew, 'never nouns')} of the errors."
        )
    means = between.groupby(["attractor", "kind"])[["without", "with"]].mean()
    if {"singular", "plural"} <= set(between["attractor"]):
        plural, singular = means.loc["plural"], means.loc["singular"]
        rows = between.query("attractor == 'plural' and kind == 'never nouns'")
        falls = int((rows["with"] < rows["without"]).sum())
        brought = f". The latter falls in {falls} of {len(rows)} constructions" if falls else ""
        said += [
            f"With a plural noun between subject and verb (mean of {len(rows)} constructions; the chart shows one), it "
            f"takes EW {_moved(plural, 'also nouns')} for verbs that are also nouns and "
            f"{_moved(plural, 'never nouns')} for the others{brought}.",
            mirror_said(design)
            if mirrored
            else "With a singular noun there, EW of the others after an adverb is "
            f"{singular['with']['never nouns']:.2f}.",
        ]
    return said


def mirror_said(design: Design) -> str:
    """The mirror case of attraction, and whether a noun of the subject's own number helps; of verbs never nouns."""
    rows = ew_by_construction(design).query("kind == 'never nouns'")
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
    return (
        "In the mirror case, a plural subject with a singular noun, it takes EW of the others from "
        f"{mirror['without'].mean():.2f} to {mirror['with'].mean():.2f}, with a fall in {falls} of {len(mirror)}. "
        f"A noun of the subject's own number {helps}: after an adverb EW is {own[0]:.2f} and {own[1]:.2f} "
        f"(singular, plural), in *Simple* {bare[0]:.2f} and {bare[1]:.2f}."
    )


def _moved(ew: pd.DataFrame, kind: str) -> str:
    return f"from {ew.loc[kind, 'without']:.2f} to {ew.loc[kind, 'with']:.2f}"


def _removed(ew: pd.DataFrame, kind: str) -> str:
    """The share of the errors without an adverb that are none with one."""
    without, with_one = ew.loc[kind, ["without", "with"]]
    return f"{1 - (1 - with_one) / (1 - without):.0%}" if without < 1 else "none"
