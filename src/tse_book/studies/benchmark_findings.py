"""General findings of BLiMP (Warstadt et al. 2020) and of SyntaxGym's suites, as numbers of one model."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.studies.contrasts import Group, Statistic, correlated, negative, paired
from tse_core.datasets.paradigms import blimp_paradigms

FULL, PREFIXES = "full-sentence", ("one-prefix", "two-prefix")
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


def blimp_statistics(scored: Mapping[str, pd.DataFrame]) -> dict[str, Statistic]:
    """The claims about BLiMP: claim -> its statistic.

    `scored` has the pairs of each method: paradigm, pair_id, correct (NaN where the model refuses a pair), logp_good,
    logp_bad (nats).
    """
    groups = {method: _paradigms(pairs) for method, pairs in scored.items()}
    whole, found = groups.get(FULL, {}), {}
    for claim, rows in (("attractors.blimp", ATTRACTORS), ("adjectives", ADJECTIVES), ("irregulars", IRREGULARS),
                        ("wh-gap", GAPS)):  # fmt: skip
        there = {name: [whole[a], *negative([whole[b]])] for name, (a, b) in rows.items() if {a, b} <= whole.keys()}
        found[f"E.{claim}"] = Statistic(there)
    known = blimp_paradigms().set_index("UID")
    if set(known.index) <= whole.keys():
        fields = known["field"].replace({"syntax/semantics": "syntax_semantics"}).str.replace("_", " and ")
        found["E.islands"] = _distance(whole, known["phenomenon"], ISLANDS, hardest=True)
        found["E.morphology"] = _distance(whole, fields, MORPHOLOGY, hardest=False)
        found["E.correlation"] = _neural_and_human(whole)
    if FULL in scored:
        found["E.confidence"] = Statistic({"pairs": _confidence(scored[FULL])})
    prefixes = {method: groups[method] for method in PREFIXES if method in groups}
    if whole and len(prefixes) == len(PREFIXES):
        found["E.methods.mean"] = _method_differences(whole, prefixes)
        found["E.methods.correlation"] = Statistic(
            {method: [_correlation(own, whole, list(own))] for method, own in prefixes.items()}, correlations=True
        )
    return {claim: statistic for claim, statistic in found.items() if statistic.rows}


def suite_statistics(items: pd.DataFrame) -> dict[str, Statistic]:
    """The claims about SyntaxGym's suites: claim -> its statistic.

    `items` has suite, item, correct: whether the item's (first) prediction holds.
    """
    holds = items.assign(correct=items["correct"].astype(float)).pivot_table("correct", "item", "suite")
    modifiers = {base: (base, modified) for base, modified in MODIFIERS.items()}
    distances = {longer: (base, longer) for longer, base in DISTANCES.items()}
    found = {}
    for claim, rows in (("E.suites.modifier", modifiers), ("E.suites.distance", distances)):
        there = {name: ends for name, ends in rows.items() if set(ends) <= set(holds)}
        if there:
            found[claim] = Statistic(
                {name: paired(holds[a], holds[b], _items(holds, a)) for name, (a, b) in there.items()}
            )
    return found


def _items(holds: pd.DataFrame, suite: str) -> np.ndarray:
    """A label for every item of a suite, so that an item is one cluster in all comparisons with the suite."""
    return np.array([f"{suite} {item}" for item in holds.index])


def _paradigms(pairs: pd.DataFrame) -> dict[str, Group]:
    """Paradigm -> its pairs, each a cluster; in the order of the pairs' identifiers."""
    pairs = pairs.sort_values(["paradigm", "pair_id"], kind="stable")
    pairs = pairs.assign(label=pairs["paradigm"] + " " + pairs["pair_id"].astype(str))
    return {
        str(name): Group(group["correct"].to_numpy(float), [group["label"].to_numpy()])
        for name, group in pairs.groupby("paradigm", sort=False)
    }


def _distance(groups: Mapping[str, Group], kinds: pd.Series, chosen: str, *, hardest: bool) -> Statistic:
    """How far every other kind of paradigm lies above the chosen one (or below it), by mean accuracy."""
    members = kinds.groupby(kinds, sort=False).groups

    def mean(kind: str, sign: float) -> list[Group]:
        return [groups[name]._replace(weight=sign / len(members[kind])) for name in members[kind]]

    sign = 1.0 if hardest else -1.0
    rows = {kind: [*mean(kind, sign), *mean(chosen, -sign)] for kind in members if kind != chosen}
    return Statistic(rows, "least")


def _correlation(one: Mapping[str, Group], other: Mapping[str, Group], names: list[str]) -> Group:
    first, second = (np.array([np.nanmean(groups[name].values) for name in names]) for groups in (one, other))
    return correlated(first, second, np.array(names))


def _neural_and_human(groups: Mapping[str, Group]) -> Statistic:
    """The correlation with each published neural model less that with humans, over the paradigms."""
    table = published.blimp_table4()
    wide = table[table["source"] == "recomputed"].pivot_table(index="UID", columns="model", values="accuracy")
    own = np.array([np.nanmean(groups[name].values) for name in wide.index])
    human = correlated(own, wide["human"].to_numpy(), wide.index.to_numpy())
    rows = {name: correlated(own, wide[name].to_numpy(), wide.index.to_numpy()) for name in NEURAL}
    return Statistic({name: [group, *negative([human])] for name, group in rows.items()})


def _confidence(pairs: pd.DataFrame) -> list[Group]:
    """Accuracy on the most confident third of each paradigm, and, subtracted, on the least confident third."""
    pairs = pairs.dropna(subset="correct")
    confidence = (pairs["logp_good"] - pairs["logp_bad"]).abs()
    rank = confidence.groupby(pairs["paradigm"]).rank(pct=True, method="first")
    thirds = []
    for third, sign in ((pairs[rank > 2 / 3], 1.0), (pairs[rank <= 1 / 3], -1.0)):
        accuracy = third["correct"].groupby(third["paradigm"]).mean()
        thirds.append(Group(accuracy.to_numpy(), [accuracy.index.to_numpy()], sign))
    return thirds


def _method_differences(whole, prefixes) -> Statistic:
    """How far a prefix method's mean lies from that of full sentences, in either direction."""
    rows = {}
    for method, groups in prefixes.items():
        pairs = [paired(groups[name].values, whole[name].values, groups[name].clusters[0]) for name in groups]
        for name, sign in ((method, 1.0), (f"-{method}", -1.0)):
            rows[name] = [g._replace(weight=sign * g.weight / len(pairs)) for pair in pairs for g in pair]
    return Statistic(rows, "largest")
