"""What the chapter on the gap reads of each model: the factorial design, recorded or scored, and cells of it."""

import pandas as pd

from tse_book.studies.details import recorded_details
from tse_book.studies.expectations import Design, design_of
from tse_book.studies.factorial import TABLES, WHOLE
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
