"""What the papers say of language models in general, as numbers of one model: is the finding there too?

For every general claim (their identifiers stand in data/claims.yaml) one statistic with its 95 % interval, and the rows
that it is made of; `tse_book.claims` judges them. A difference is taken so that a positive number is what the paper
found. Contexts and pairs are clustered by their subject noun, BLiMP's pairs and SyntaxGym's items each by themselves,
and a mean over rows joins the clusters of its rows (`tse_core.uncertainty.intervals.combine`).
"""

from collections.abc import Mapping

import pandas as pd

from tse_book.studies.benchmark_findings import blimp_findings, suite_findings
from tse_book.studies.contrasts import Group, Number, largest_of_rows, mean_of_rows, paired
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import only_verbs
from tse_core.results.signature import Signature
from tse_core.uncertainty.tables import subject_clusters

FINDING_COLUMNS = ["model", "front", "claim", "row", "value", "low", "high", "n", "signature"]
HEAD, TAIL = "top_0.3", "bottom_0.01"  # the ends compared where a claim speaks of likely and unlikely verbs
FIRST, LAST = "top_0.1", "bottom_1e-06"  # the outer ends of the whole curve
FEWEST_NOUNS = 10  # below that, a fall of a curve rests on too few subjects to count as the largest
SIMPLE = "Simple"
BETWEEN = (
    "Across prepositional phrase",
    "Across subject relative clause",
    "Across object relative clause",
    "Across object relative (no that)",
)


def findings_of(
    front: str,
    *,
    evaluation: Evaluation | None = None,
    forms: pd.DataFrame | None = None,
    blimp: Mapping[str, tuple[pd.DataFrame, Signature]] | None = None,
    suites: tuple[pd.DataFrame, Signature] | None = None,
) -> pd.DataFrame:
    """All statistics that can be had from what was measured.

    Parameters
    ----------
    front : "default" or "none"
        What stood in front of every sentence: the model's default, or nothing.
    evaluation : Evaluation, optional
        Of the agreement pairs; with keep="lemmas" it also tells EW over the lemmas that are not nouns.
    forms : DataFrame, optional
        What `form_shares` gives for a sample of the contexts.
    blimp : dict of (DataFrame, Signature), optional
        Method ("full-sentence", "one-prefix", "two-prefix") -> one row a pair (paradigm, pair_id, correct).
    suites : (DataFrame, Signature), optional
        One row an item: suite, item, correct.

    Returns
    -------
    DataFrame
        Columns `FINDING_COLUMNS`, one number a row: claim, row ("all" is what is judged; else a construction, paradigm,
        phenomenon, model or suite), value with its 95 % interval low, high, n (nouns, pairs, items or paradigms that
        the interval rests on), signature.
    """
    parts = []
    if evaluation is not None:
        parts.append((agreement_findings(evaluation, forms), evaluation.signature))
    if blimp:
        scored = {method: pairs for method, (pairs, _) in blimp.items()}
        parts.append((blimp_findings(scored), next(iter(blimp.values()))[1]))
    if suites is not None:
        items, signature = suites
        parts.append((suite_findings(items), signature))
    rows = [
        (signature.model, front, claim, *number, str(signature))
        for found, signature in parts
        for claim, numbers in found.items()
        for number in numbers
    ]
    return pd.DataFrame(rows, columns=FINDING_COLUMNS)


def agreement_findings(evaluation: Evaluation, forms: pd.DataFrame | None = None) -> dict[str, list[Number]]:
    """The claims of Newman et al. 2021, and Marvin and Linzen's attractors: claim -> the judged number and its rows."""
    contexts, pairs = _by_noun(evaluation.contexts), _by_noun(evaluation.pairs)
    ew = {row: Group(group["ew"], group["noun"]) for row, group in contexts.items()}
    tse = {row: Group(group["tse"], group["noun"]) for row, group in pairs.items()}
    mass = {row: Group(1 - group["mass_top_1"], group["noun"]) for row, group in contexts.items()}
    found = {
        "E.ew-below-tse": mean_of_rows({row: [tse[row], _less(ew[row])] for row in ew}),
        "E.mw-above-ew": mean_of_rows(_paired(contexts, "mw", "ew")),
        "E.head-tail.ew": mean_of_rows(_paired(contexts, f"ew_{HEAD}", f"ew_{TAIL}")),
        "E.head-tail.mw": mean_of_rows(_paired(contexts, f"mw_{HEAD}", f"mw_{TAIL}")),
        "E.forty": largest_of_rows(_falls(contexts), FEWEST_NOUNS),
        "E.mass-left": mean_of_rows({row: [group] for row, group in mass.items()}),
        "E.empty-head": mean_of_rows(_empty(contexts, FIRST)),
        "E.empty-tail": mean_of_rows(_empty(contexts, LAST)),
        "E.attractors.pairs": mean_of_rows(_attractors(pairs)),
    }
    if forms is not None:
        rows = _by_noun(forms)
        found["E.mass-past"] = mean_of_rows({r: [Group(_past(g), g["noun"])] for r, g in rows.items()})
    if not contexts or any((group["right"] != "").any() for group in contexts.values()):
        return found  # a model that reads both sides sees the verb's surroundings: the next two are not about it
    found["E.noun-reading"] = mean_of_rows(_against_simple(ew))
    if evaluation.by_lemma is not None:
        rows = _by_noun(evaluation.over(only_verbs()))
        verbs = {row: Group(group["ew"], group["noun"]) for row, group in rows.items()}
        found["E.noun-reading.verbs"] = mean_of_rows(_against_simple(verbs))
    return found


def _by_noun(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """A table of contexts or pairs by construction, its clusters in the column noun."""
    return dict(iter(table.assign(noun=subject_clusters(table)).groupby("construction", sort=False)))


def _less(group: Group) -> Group:
    return group._replace(weight=-group.weight)


def _paired(contexts: Mapping[str, pd.DataFrame], first: str, second: str) -> dict[str, list[Group]]:
    """First less second in each construction, over the contexts in which both are defined."""
    return {row: paired(group[first], group[second], group["noun"]) for row, group in contexts.items()}


def _falls(contexts) -> dict[str, list[Group]]:
    """From the likeliest 10 % to the last bottom cut-off, in each construction and metric."""
    falls = {
        metric: _paired(contexts, f"{metric.lower()}_{FIRST}", f"{metric.lower()}_{LAST}") for metric in ("EW", "MW")
    }
    return {f"{metric}, {row}": groups for metric, rows in falls.items() for row, groups in rows.items()}


def _empty(contexts, end: str) -> dict[str, list[Group]]:
    """Whether a context has no eligible lemma at one end of the distribution."""
    return {row: [Group(g[f"ew_{end}"].isna().astype(float), g["noun"])] for row, g in contexts.items()}


def _attractors(pairs: Mapping[str, pd.DataFrame]) -> dict[str, list[Group]]:
    """TSE where the noun between subject and verb has the subject's number, less TSE where it has the other number."""
    rows = {}
    for row in BETWEEN:
        if row in pairs and "attractor_number" in pairs[row]:
            same = pairs[row]["attractor_number"] == pairs[row]["number"]
            without, with_one = pairs[row][same], pairs[row][~same]
            rows[row] = [Group(without["tse"], without["noun"]), Group(with_one["tse"], with_one["noun"], -1.0)]
    return rows


def _past(forms: pd.DataFrame) -> pd.Series:
    """Of what a context leaves to words that are no present form of a lemma, the share that past forms hold."""
    return forms["past"] / (forms["past"] + forms["other"])


def _against_simple(ew: Mapping[str, Group]) -> dict[str, list[Group]]:
    """EW with material between subject and verb, less EW on Simple."""
    if SIMPLE not in ew:
        return {}
    return {row: [ew[row], _less(ew[SIMPLE])] for row in BETWEEN if row in ew}
