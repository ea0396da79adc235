"""General findings of BLiMP (Warstadt et al. 2020) and of SyntaxGym's suites, as numbers of one model.

The claims about BLiMP are about paradigms, and so are the units: a paradigm's thousand pairs, made from one template
and few nouns, are one number, and a comparison of k pairs of paradigms has k units.
"""

from collections.abc import Mapping

import pandas as pd

from tse_book import published
from tse_book.studies.contrasts import Group, Statistic, Statistics, correlated, negative
from tse_core.datasets.loading import blimp_paradigms
from tse_core.datasets.pairs import PREFIX_FIELDS

FULL = "full-sentence"
PREFIXES = list(PREFIX_FIELDS)
METHODS = (FULL, *PREFIXES)  # of causal models on pairs; a masked one has its own, "pll"
MORPHOLOGY, ISLANDS = "morphology", "ISLAND EFFECTS"
REGULAR = "regular_plural_subject_verb_agreement"
DETERMINER = "determiner_noun_agreement"
# Row -> the paradigm without the claimed difficulty, and the one with it.
ATTRACTORS = {
    "relational noun": (f"{REGULAR}_1", "distractor_agreement_relational_noun"),
    "relative clause": (f"{REGULAR}_1", "distractor_agreement_relative_clause"),
}
ADJECTIVES = {
    "regular 1": (f"{DETERMINER}_1", f"{DETERMINER}_with_adjective_1"),
    "regular 2": (f"{DETERMINER}_2", f"{DETERMINER}_with_adj_2"),
    "irregular 1": (f"{DETERMINER}_irregular_1", f"{DETERMINER}_with_adj_irregular_1"),
    "irregular 2": (f"{DETERMINER}_irregular_2", f"{DETERMINER}_with_adj_irregular_2"),
}
IRREGULARS = {
    "determiner and noun 1": (f"{DETERMINER}_1", f"{DETERMINER}_irregular_1"),
    "determiner and noun 2": (f"{DETERMINER}_2", f"{DETERMINER}_irregular_2"),
    "with adjective 1": (f"{DETERMINER}_with_adjective_1", f"{DETERMINER}_with_adj_irregular_1"),
    "with adjective 2": (f"{DETERMINER}_with_adj_2", f"{DETERMINER}_with_adj_irregular_2"),
    "subject and verb 1": (f"{REGULAR}_1", f"ir{REGULAR}_1"),
    "subject and verb 2": (f"{REGULAR}_2", f"ir{REGULAR}_2"),
}
# Row -> the paradigm whose bad sentence lacks a gap, and the one whose bad sentence has an illicit gap.
GAPS = {
    "short": ("wh_vs_that_no_gap", "wh_vs_that_with_gap"),
    "long distance": ("wh_vs_that_no_gap_long_distance", "wh_vs_that_with_gap_long_distance"),
}
NEURAL = ("LSTM", "Transformer-XL", "GPT-2")
# Suites without and with a modifier between the words that depend on each other; item numbers correspond.
MODIFIERS = {
    "center_embed": "center_embed_mod",
    "cleft": "cleft_modifier",
    "mvrr": "mvrr_mod",
    "npz_ambig": "npz_ambig_mod",
    "npz_obj": "npz_obj_mod",
}
# The same sentences with more words between the two ends of the dependency: modified nouns, one more clause.
DISTANCES = {
    "subordination_pp-pp": "subordination",
    "subordination_src-src": "subordination",
    "subordination_orc-orc": "subordination",
    "fgd-embed4": "fgd-embed3",
}


def blimp_statistics(scored: Mapping[str, pd.DataFrame]) -> Statistics:
    """The claims about BLiMP: claim -> its statistic.

    `scored` has the pairs of each method: paradigm, correct (NaN where the model refuses a pair).
    """
    accuracies = {
        method: pairs.groupby("paradigm")["correct"].mean() for method, pairs in scored.items()
    }
    whole, found = accuracies.get(FULL, pd.Series(dtype=float)), {}
    for claim, rows in (("attractors.blimp", ATTRACTORS), ("adjectives", ADJECTIVES), ("irregulars", IRREGULARS),
                        ("wh-gap", GAPS)):  # fmt: skip
        there = {
            name: whole[a] - whole[b] for name, (a, b) in rows.items() if {a, b} <= set(whole.index)
        }
        if there:
            found[f"E.{claim}"] = Statistic(
                {"pairs of paradigms": [_by_paradigm(pd.Series(there))]}
            )
    known = blimp_paradigms().set_index("UID")
    if set(known.index) <= set(whole.index):
        fields = (
            known["field"]
            .replace({"syntax/semantics": "syntax_semantics"})
            .str.replace("_", " and ")
        )
        found["E.islands"] = _distance(whole, known["phenomenon"], ISLANDS, hardest=True)
        found["E.morphology"] = _distance(whole, fields, MORPHOLOGY, hardest=False)
        wide = (
            published.blimp_table4()
            .query("source == 'recomputed'")
            .pivot_table("accuracy", "UID", "model")
        )
        human = negative(
            [_correlation(whole[wide.index], wide["human"])]
        )  # less each published neural model's
        found["E.correlation"] = Statistic(
            {n: [_correlation(whole[wide.index], wide[n]), *human] for n in NEURAL}
        )
    if len(whole) and set(PREFIXES) <= set(accuracies):
        means: dict[str, list[Group]] = {}
        correlations = {}
        for (
            method
        ) in PREFIXES:  # how far its mean lies from that of full sentences, in either direction
            away = accuracies[method] - whole[accuracies[method].index]
            means |= {method: [_by_paradigm(away)], f"-{method}": [_by_paradigm(away, -1.0)]}
            correlations[method] = [_correlation(accuracies[method], whole)]
        found["E.methods.mean"] = Statistic(means, "largest")
        found["E.methods.correlation"] = Statistic(correlations, correlations=True)
    return found


def suite_statistics(items: pd.DataFrame) -> Statistics:
    """The claims about SyntaxGym's suites: claim -> its statistic.

    `items` has suite, item, correct: whether the item's (first) prediction holds.
    """
    holds = items.assign(correct=items["correct"].astype(float)).pivot_table(
        "correct", "item", "suite"
    )
    modifiers = {base: (base, modified) for base, modified in MODIFIERS.items()}
    distances = {longer: (base, longer) for longer, base in DISTANCES.items()}
    found = {}
    for claim, suites in (("E.suites.modifier", modifiers), ("E.suites.distance", distances)):
        rows = {}
        for name, (easy, hard) in suites.items():
            if {easy, hard} <= set(holds):
                both = holds[[easy, hard]].dropna()
                units = [
                    [f"{easy} {item}" for item in both.index]
                ]  # an item is one in all comparisons with the suite
                rows[name] = [
                    Group(both[easy].to_numpy(), units),
                    Group(both[hard].to_numpy(), units, -1.0),
                ]
        if rows:
            found[claim] = Statistic(rows)
    return found


def _by_paradigm(values: pd.Series, weight: float = 1.0) -> Group:
    """A number for each paradigm, or pair of them, each a unit."""
    return Group(values.to_numpy(float), [values.index.to_numpy()], weight)


def _distance(accuracy: pd.Series, kinds: pd.Series, chosen: str, *, hardest: bool) -> Statistic:
    """How far every other kind of paradigm lies above the chosen one (or below it), by mean accuracy."""
    members = kinds.groupby(kinds, sort=False).groups
    sign = 1.0 if hardest else -1.0
    own = _by_paradigm(accuracy[members[chosen]], -sign)
    rows = {
        kind: [_by_paradigm(accuracy[names], sign), own]
        for kind, names in members.items()
        if kind != chosen
    }
    return Statistic(rows, "least")


def _correlation(one: pd.Series, other: pd.Series) -> Group:
    return correlated(one.to_numpy(float), other[one.index].to_numpy(float), one.index.to_numpy())
