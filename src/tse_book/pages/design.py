"""The data of the chapter on the gap for each model: the gap and its parts, the factorial design and its cells."""

import pandas as pd

from tse_book.pages import newman
from tse_book.published import BETWEEN
from tse_book.studies.agreement_findings import SIMPLE, about_verbs
from tse_book.studies.contrasts import DIFFERENCE
from tse_book.studies.details import recorded_details
from tse_book.studies.expectations import Design, design_of
from tse_book.studies.factorial import TABLES, WHOLE
from tse_book.studies.findings import AGAINST, DEFAULT, NO_NOUNS, NOUNS, findings_table
from tse_book.studies.findings_run import joined_pairs, recorded_findings
from tse_book.studies.gap import Stages, recorded_stages, stages_of
from tse_core.agreement.evaluate import evaluate

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
            run = evaluate(newman.opened(name), data, lemmas, cutoffs=WHOLE, keep="forms", store=store)
            contexts, verbs = (TABLES[kind](run) for kind in ("factorial", "factorial_verbs"))
        else:
            contexts, verbs = of_contexts.table, of_verbs.table
        found[label] = design_of(contexts, verbs)
    return found


def gap_stages(model: str, data, lemmas: str, store=None) -> Stages:
    """The stages of a model's gap (`tse_book.studies.gap`): from its recorded run, or from scores on `data`."""
    stages = recorded_stages(newman.label(model))
    if stages is None:
        stages = stages_of([evaluate(newman.opened(model), part, lemmas, keep="forms", store=store) for part in data])
    return stages


def gap_findings(model: str, data, lemmas: str, store=None) -> pd.DataFrame:
    """The findings on TSE minus EW and on the fall of EW: recorded, or the gap scored now on `data`.

    Returns
    -------
    DataFrame in the columns of `tse_book.studies.findings_table`; a kind of verb that no pair has is left out.
    """
    found = recorded_findings()
    found = found[(found["model"] == newman.label(model)) & found["claim"].isin([GAP_CLAIM, FALL_CLAIM])]
    if not {NOUNS, NO_NOUNS} <= set(found["condition"]):
        run = evaluate(newman.opened(model), joined_pairs(data), lemmas, keep="lemmas", store=store)
        kinds = {DEFAULT: None, NOUNS: True, NO_NOUNS: False}
        found = findings_table({kind: [(about_verbs(run, nouns), run.signature)] for kind, nouns in kinds.items()})
        found = found[found["claim"] == GAP_CLAIM]
    return found


def gaps_and_falls(findings: pd.DataFrame) -> pd.DataFrame:
    """The numbers behind the verdict, each next to what it is compared with over the same constructions.

    Parameters
    ----------
    findings : of one model (`gap_findings`)

    Returns
    -------
    DataFrame with claim, condition, value, low, high, against (the value of the condition that it is compared with,
    over the shared constructions; NaN for the default), constructions (how many it covers), without (those of the
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


def ew_cells(design: Design) -> pd.DataFrame:
    """EW of verbs that are also nouns and of others, and TSE of *be*, by adverb, subject's number and attractor.

    Without another noun in *Simple*, with one in *Across prepositional phrase*: the same constructions for every adverb
    and all three scores, and no adverb that can belong to another clause.

    Returns a table with adverb, number, attractor, kind ("also nouns", "never nouns", "TSE of be"), score.
    """
    rows = ew_by_construction(design)
    shown = rows["construction"].eq(rows["attractor"].eq("none").map({True: SIMPLE, False: BETWEEN[0]}))
    return rows[shown].drop(columns="construction")


def with_and_without(design: Design) -> pd.DataFrame:
    """EW after singular subjects, without an adverb and with one (mean of the adverbs that are unambiguous there).

    Returns a table with construction, attractor, kind, without, with: *Simple*, and the constructions with a noun
    between subject and verb.
    """
    rows = ew_by_construction(design).query("number == 'singular' and kind != 'TSE of be'")
    rows = rows[rows["construction"].isin([SIMPLE, *BETWEEN])]
    some = rows["adverb"].eq("none").map({True: "without", False: "with"})
    keys = ["construction", "attractor", "kind", some]
    return rows.groupby(keys, sort=False)["score"].mean().unstack("adverb").reset_index().rename_axis(columns=None)


def ew_by_construction(design: Design) -> pd.DataFrame:
    """EW and TSE of *be* in each construction, without the sentences whose adverb can belong to another clause.

    Returns a table with construction, adverb, number, attractor, kind, score.
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


def typical_sentence(design: Design) -> pd.DataFrame:
    """The sentence of the chart's last panel whose EW lies nearest to the means over all its sentences.

    Singular subject, plural attractor, no adverb and each of them, both kinds of verb: the least sum of squared
    distances from the means.

    Returns a table with noun, preposition, attractor, adverb, kind, score: one row for each adverb and kind of verb.
    """
    rows = beside_attractors(design)
    keys = ["noun", "preposition", "attractor"]
    wide = rows.pivot_table("score", keys, ["kind", "adverb"], observed=True)
    nearest = ((wide - wide.mean()) ** 2).sum(axis=1).idxmin()
    return rows[(rows[keys] == list(nearest)).all(axis=1)].drop(columns=["construction"]).reset_index(drop=True)


def beside_attractors(design: Design) -> pd.DataFrame:
    """EW of each sentence of the chart's construction with a singular subject and a plural attractor."""
    rows = design.contexts[design.contexts["construction"] == BETWEEN[0]]
    rows = rows[(rows["number"] == "singular") & (rows["attractor_number"] == "plural")]
    rows = rows.assign(
        kind=rows["also_noun"].map({True: NOUNS_TOO, False: OTHERS}), score=rows["correct"] / rows["lemmas"]
    )
    return rows[["construction", "noun", "preposition", "attractor", "adverb", "kind", "score"]].astype({"adverb": str})
