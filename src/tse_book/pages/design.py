"""What the chapter on the gap reads of each model: the gap and its parts, the factorial design and cells of it."""

import pandas as pd

from tse_book.pages import newman
from tse_book.studies.details import recorded_details
from tse_book.studies.expectations import Design, design_of
from tse_book.studies.factorial import TABLES, WHOLE
from tse_book.studies.findings import DEFAULT
from tse_book.studies.findings_run import NO_NOUNS, recorded_findings
from tse_book.studies.gap import (
    CHOICE,
    GAP,
    NOUNS,
    Stages,
    gap_of_never_nouns,
    gap_parts,
    has_whole_words,
    longer_is_worse,
    recorded_stages,
    stages_of,
)
from tse_core.agreement.evaluation import evaluate
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


def single_gap(model: str, stages: Stages) -> pd.DataFrame:
    """TSE minus EW over single entries: index "all", "never nouns" and their paired "difference"; value, low, high.

    From the recorded findings, over all contexts, with intervals over subjects and verbs; else from the stages.
    """
    found = recorded_findings()
    found = found[(found["model"] == newman.label(model)) & (found["claim"] == "E.ew-below-tse")]
    found = found.set_index(["condition", "row"])[["value", "low", "high"]]
    asked = {"all": (DEFAULT, "all"), "never nouns": (NO_NOUNS, "all"), "difference": (NO_NOUNS, "difference")}
    if set(asked.values()) <= set(found.index):
        return found.loc[list(asked.values())].set_axis(list(asked))
    parts = gap_parts(stages, "single entries").query("construction == 'mean'").set_index("part")
    return parts.loc[[GAP, CHOICE, NOUNS], ["value", "low", "high"]].set_axis(list(asked))


def kind_of_verb(single: pd.DataFrame) -> str:
    """Whether the gap over single entries depends on the kind of verb, in a sentence; of `single_gap`.

    >>> rows = pd.DataFrame({"value": [0.1, 0.0, 0.1], "low": [0.09, -0.01, 0.09], "high": [0.11, 0.01, 0.11]},
    ...                     ["all", "never nouns", "difference"])
    >>> print(kind_of_verb(rows))
    Over all verbs that are single vocabulary entries, TSE minus EW is 0.10 [0.09, 0.11]; over those that are never \
nouns it is 0.00 [-0.01, 0.01]. So whether EW is below TSE depends on the kind of verb.
    """
    every, never = (_interval(single.loc[kind]) for kind in ("all", "never nouns"))
    below, above = single["low"] > 0, single["high"] < 0
    if below["all"] and below["never nouns"]:
        verdict = "So EW is below TSE with the verbs that are also nouns and without them."
    elif below["all"] and below["difference"]:
        verdict = "So whether EW is below TSE depends on the kind of verb."
    elif above["all"] and above["never nouns"]:
        verdict = "So EW is above TSE with the verbs that are also nouns and without them."
    else:
        verdict = "So it is open whether EW is below TSE."
    return (
        f"Over all verbs that are single vocabulary entries, TSE minus EW is {every}; over those that are never nouns "
        f"it is {never}. {verdict}"
    )


def length_of_verb(stages: Stages) -> str:
    """What verbs of several tokens change, in a sentence; nothing where whole words were not scored."""
    if not has_whole_words(stages):
        return ""
    gap = gap_parts(stages, "all verbs").iloc[0]
    worse = "Verbs of several tokens do worse, whether or not they are also nouns: over"
    start = worse if longer_is_worse(stages) else "Over"
    never = dict(zip(("value", "low", "high"), gap_of_never_nouns(stages), strict=True))
    return (
        f"{start} verbs of any number of tokens the difference is {_interval(gap)}, and {_interval(never)} over those "
        "that are never nouns (a sample of contexts; intervals over verbs)."
    )


def _interval(row) -> str:
    value, low, high = (f"{row[end]:z.2f}" for end in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def ew_cells(design: Design) -> pd.DataFrame:
    """EW of nouns and of other verbs, and TSE of *be*, for each adverb, subject's number and attractor.

    Only contexts in which the adverb cannot belong to another clause count, and, so that like is compared with like,
    only constructions in which that is so of every adverb; each construction counts alike.

    Returns
    -------
    DataFrame with adverb, number, attractor, kind ("nouns too", "other verbs", "TSE of be"), score, constructions.
    """
    means = ew_by_construction(design).groupby(["adverb", "number", "attractor", "kind"], sort=False)["score"]
    return means.agg(score="mean", constructions="size").reset_index()


def ew_by_construction(design: Design) -> pd.DataFrame:
    """What `ew_cells` is the mean of: the same with a column construction."""
    rows = design.contexts[design.contexts["ambiguous"] == "no"]
    asked = ["construction", "number", "attractor_number"]
    complete = rows.groupby(asked, observed=True)["adverb"].transform("nunique") == rows["adverb"].nunique()
    rows = rows[complete].assign(
        attractor=rows["attractor_number"].map(ATTRACTORS),
        kind=rows["also_noun"].map({True: "nouns too", False: "other verbs"}),
    )
    keys = ["construction", "adverb", "number", "attractor"]
    sums = rows.groupby([*keys, "kind"], sort=False)[["correct", "lemmas"]].sum()
    ew = (sums["correct"] / sums["lemmas"]).rename("score").reset_index()
    be = rows[rows["be"].notna() & ~rows["also_noun"]].astype({"be": float})
    be = be.groupby(keys, sort=False)["be"].mean().rename("score").reset_index()
    return pd.concat([ew, be.assign(kind="TSE of be")], ignore_index=True)
