"""What the chapter on the gap reads of each model: the gap and its parts, the factorial design and cells of it."""

import pandas as pd

from tse_book.studies.details import recorded_details
from tse_book.studies.expectations import MEAN, Design, design_of
from tse_book.studies.factorial import TABLES, WHOLE
from tse_book.studies.gap import GAP, gap_parts, recorded_stages, stages_of
from tse_core.agreement.evaluation import evaluate
from tse_core.models.coerce import load_model

ATTRACTORS = {"": "none", "singular": "singular", "plural": "plural"}


def designs(models, lemmas: str, data: str, store=None) -> dict[str, Design]:
    """The design of each model, by its name: recorded, or scored now on `data`."""
    found = {}
    for name in models:
        label = str(name).rstrip("/").rpartition("/")[2]
        of_contexts, of_verbs = (recorded_details(label, kind) for kind in ("factorial", "factorial_verbs"))
        if of_contexts is None or of_verbs is None:
            run = evaluate(load_model(name), data, lemmas, cutoffs=WHOLE, keep="forms", store=store)
            contexts, verbs = (TABLES[kind](run) for kind in ("factorial", "factorial_verbs"))
        else:
            contexts, verbs = of_contexts.table, of_verbs.table
        found[label] = design_of(contexts, verbs)
    return found


def gap_of(model: str, data, lemmas: str, store=None) -> pd.DataFrame:
    """TSE less EW of a model and its parts (`gap_parts`): from its recorded run, or from scores on `data`."""
    stages = recorded_stages(str(model).rstrip("/").rpartition("/")[2])
    if stages is None:
        stages = stages_of([evaluate(model, part, lemmas, keep="forms", store=store) for part in data])
    return gap_parts(stages)


def kind_of_verb(model: str, parts: pd.DataFrame) -> str:
    """Whether the gap depends on the kind of verb, in a sentence: mean of the rows, with intervals.

    >>> rows = [(MEAN, GAP, 0.13, 0.12, 0.14), (MEAN, "choice of verbs", 0.01, 0.0, 0.01)]
    >>> rows += [(MEAN, "noun readings", 0.1, 0.09, 0.11)]
    >>> kind_of_verb("m", pd.DataFrame(rows, columns=["construction", "part", "value", "low", "high"]))
    'For m it depends on the kind of verb: TSE less EW is 0.01 [0.00, 0.01] over verbs that are no nouns, and verbs \
that are also nouns add 0.10 [0.09, 0.11].'
    """
    mean = parts[parts["construction"] == MEAN].set_index("part")
    others, nouns = (
        f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        for row in (mean.loc["choice of verbs"], mean.loc["noun readings"])
    )
    depends = mean.loc["noun readings", "low"] > 0 and mean.loc["noun readings", "value"] > mean.loc[GAP, "value"] / 2
    return (
        f"For {model} it {'depends' if depends else 'does not depend'} on the kind of verb: TSE less EW is {others} "
        f"over verbs that are no nouns, and verbs that are also nouns add {nouns}."
    )


def ew_cells(design: Design) -> pd.DataFrame:
    """EW of nouns and of other verbs, and TSE of *be*, for each adverb, subject's number and attractor.

    Means over contexts in which the adverb cannot belong to another clause.

    Returns
    -------
    DataFrame with adverb, number, attractor, kind ("nouns too", "other verbs", "TSE of be"), score.
    """
    rows = design.contexts[design.contexts["ambiguous"] == "no"]
    rows = rows.assign(
        attractor=rows["attractor_number"].map(ATTRACTORS),
        kind=rows["also_noun"].map({True: "nouns too", False: "other verbs"}),
    )
    keys = ["adverb", "number", "attractor"]
    sums = rows.groupby([*keys, "kind"], sort=False)[["correct", "lemmas"]].sum()
    ew = (sums["correct"] / sums["lemmas"]).rename("score").reset_index()
    be = rows[rows["be"].notna() & ~rows["also_noun"]].groupby(keys, sort=False)["be"].mean().astype(float)
    return pd.concat([ew, be.rename("score").reset_index().assign(kind="TSE of be")], ignore_index=True)
