"""What BLiMP (Warstadt et al. 2020) and SyntaxGym's suites find in models generally, as numbers of one model."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.studies.contrasts import ALL, Group, Number, largest_of_rows, mean_of_rows, paired, percentiles
from tse_core.datasets.paradigms import blimp_paradigms

DRAWS = 4000
FULL, PREFIXES = "full-sentence", ("one-prefix", "two-prefix")
MORPHOLOGY, ISLANDS = "morphology", "ISLAND EFFECTS"
REGULAR = "regular_plural_subject_verb_agreement"
DETERMINER = "determiner_noun_agreement"
# Row -> paradigms without what is said to hurt, and with it.
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
# Suites without and with a modifier between the words that depend on each other; item numbers go together.
MODIFIERS = {
    "center_embed": "center_embed_mod",
    "cleft": "cleft_modifier",
    "mvrr": "mvrr_mod",
    "npz_ambig": "npz_ambig_mod",
    "npz_obj": "npz_obj_mod",
}
# The same sentences with more words between the two ends of the dependency: modified nouns, one clause more.
DISTANCES = {
    "subordination_pp-pp": "subordination",
    "subordination_src-src": "subordination",
    "subordination_orc-orc": "subordination",
    "fgd-embed4": "fgd-embed3",
}


def blimp_findings(scored: Mapping[str, pd.DataFrame]) -> dict[str, list[Number]]:
    """The claims about BLiMP: claim -> the judged number and its rows.

    `scored` has the pairs of each method: paradigm, pair_id, correct (NaN where the model refuses a pair).
    """
    groups = {method: _paradigms(pairs) for method, pairs in scored.items()}
    whole, found = groups.get(FULL, {}), {}
    for claim, rows in (("attractors.blimp", ATTRACTORS), ("adjectives", ADJECTIVES), ("irregulars", IRREGULARS)):
        there = {
            name: [whole[a], whole[b]._replace(weight=-1.0)] for name, (a, b) in rows.items() if {a, b} <= whole.keys()
        }
        found[f"E.{claim}"] = mean_of_rows(there)
    known = blimp_paradigms().set_index("UID")
    if set(known.index) <= whole.keys():
        fields = known["field"].replace({"syntax/semantics": "syntax_semantics"}).str.replace("_", " and ")
        found["E.islands"] = _rank(whole, known["phenomenon"], ISLANDS, easiest_first=False)
        found["E.morphology"] = _rank(whole, fields, MORPHOLOGY, easiest_first=True)
        found["E.correlation"] = _correlation(whole)
    prefixes = {method: groups[method] for method in PREFIXES if method in groups}
    if whole and len(prefixes) == len(PREFIXES):
        found["E.methods.mean"] = _method_differences(whole, prefixes)
        found["E.methods.correlation"] = _method_correlations(whole, prefixes)
    return {claim: numbers for claim, numbers in found.items() if numbers}


def suite_findings(items: pd.DataFrame) -> dict[str, list[Number]]:
    """The claims about SyntaxGym's suites: claim -> the judged number and its rows.

    `items` has suite, item, correct: whether the item's (first) prediction holds.
    """
    holds = items.assign(correct=items["correct"].astype(float)).pivot_table("correct", "item", "suite")
    modifiers = {base: (base, modified) for base, modified in MODIFIERS.items()}
    distances = {longer: (base, longer) for longer, base in DISTANCES.items()}
    found = {}
    for claim, rows in (("E.suites.modifier", modifiers), ("E.suites.distance", distances)):
        there = {name: ends for name, ends in rows.items() if set(ends) <= set(holds)}
        found[claim] = mean_of_rows(
            {name: paired(holds[a], holds[b], _items(holds, a)) for name, (a, b) in there.items()}
        )
    return {claim: numbers for claim, numbers in found.items() if numbers}


def _items(holds: pd.DataFrame, suite: str) -> np.ndarray:
    """A label for every item of a suite, so that an item is one cluster in all comparisons with the suite."""
    return np.array([f"{suite} {item}" for item in holds.index])


def _paradigms(pairs: pd.DataFrame) -> dict[str, Group]:
    """Paradigm -> its pairs, each a cluster; in the order of the pairs' identifiers."""
    pairs = pairs.sort_values(["paradigm", "pair_id"], kind="stable")
    labels = pairs["paradigm"] + " " + pairs["pair_id"].astype(str)
    pairs = pairs.assign(label=labels)
    return {
        name: Group(group["correct"].to_numpy(float), group["label"].to_numpy())
        for name, group in pairs.groupby("paradigm", sort=False)
    }


def _accuracies(groups: Mapping[str, Group], names) -> np.ndarray:
    return np.array([np.nanmean(groups[name].values) for name in names])


def _rank(groups: Mapping[str, Group], kinds: pd.Series, chosen: str, *, easiest_first: bool) -> list[Number]:
    """The place of a kind of paradigm by mean accuracy (1: the first), and the places of all kinds.

    Bootstrap: the pairs of every paradigm are drawn anew; an interval holds the middle 95 % of a kind's places.
    """
    random = np.random.default_rng(0)
    names = [name for name in kinds.index if name in groups]
    values = [groups[name].values[~np.isnan(groups[name].values)] for name in names]
    drawn = np.stack([_drawn_means(random, v) for v in values], axis=1)
    seen = np.array([[v.mean() for v in values]])
    labels = list(dict.fromkeys(kinds[names]))
    member = np.array([[kinds[name] == label for label in labels] for name in names], dtype=float)
    sign = -1.0 if easiest_first else 1.0
    ranks, places = (_places(sign * (table @ member / member.sum(axis=0))) for table in (drawn, seen))
    sizes = [sum(len(v) for v, name in zip(values, names, strict=True) if kinds[name] == label) for label in labels]
    rows = [Number(label, float(places[0, i]), *percentiles(ranks[:, i]), sizes[i]) for i, label in enumerate(labels)]
    rows.sort(key=lambda number: number.value)
    return [next(n for n in rows if n.row == chosen)._replace(row=ALL), *rows]


def _drawn_means(random, values: np.ndarray) -> np.ndarray:
    """Means (draws,) of values drawn with replacement."""
    kinds, counts = np.unique(values, return_counts=True)
    return random.multinomial(len(values), counts / len(values), DRAWS) @ kinds / len(values)


def _places(means: np.ndarray) -> np.ndarray:
    """1 for the lowest of each row; equal means share the better place."""
    return 1 + (means[:, :, None] > means[:, None, :]).sum(axis=2)


def _correlation(groups: Mapping[str, Group]) -> list[Number]:
    """Pearson's correlation with each published model over the paradigms, which the bootstrap draws anew."""
    table = published.blimp_table4()
    table = table[(table["source"] == "recomputed") & (table["model"] != "human")]
    wide = table.pivot_table(index="UID", columns="model", values="accuracy", sort=False)
    own = _accuracies(groups, wide.index)
    return _mean_correlation({name: (own, wide[name].to_numpy()) for name in wide})


def _method_correlations(whole, prefixes) -> list[Number]:
    """Over the paradigms that allow a prefix method, its accuracies against those of full sentences."""
    return _mean_correlation(
        {m: (_accuracies(groups, groups), _accuracies(whole, groups)) for m, groups in prefixes.items()}
    )


def _mean_correlation(columns: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> list[Number]:
    """Correlations of pairs of columns of one length, and their mean; bootstrap over the columns' entries."""
    random = np.random.default_rng(0)
    size = len(next(iter(columns.values()))[0])
    chosen = np.concatenate([np.arange(size)[None], random.integers(0, size, (DRAWS, size))])
    found = {name: _correlations(first[chosen], second[chosen]) for name, (first, second) in columns.items()}
    found = {ALL: np.mean(list(found.values()), axis=0)} | found
    return [Number(name, float(r[0]), *percentiles(r[1:]), size) for name, r in found.items()]


def _correlations(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each row of the one table with the same row of the other."""
    first, second = (table - table.mean(axis=1, keepdims=True) for table in (first, second))
    return (first * second).sum(axis=1) / np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))


def _method_differences(whole, prefixes) -> list[Number]:
    """How far a prefix method's mean lies from that of full sentences, in either direction: the further of the two."""
    rows = {}
    for method, groups in prefixes.items():
        pairs = [paired(groups[name].values, whole[name].values, groups[name].clusters) for name in groups]
        for name, sign in ((method, 1.0), (f"-{method}", -1.0)):
            rows[name] = [g._replace(weight=sign * g.weight / len(pairs)) for pair in pairs for g in pair]
    furthest, *signed = largest_of_rows(rows, fewest_clusters=2)
    return [furthest._replace(low=max(0.0, furthest.low)), *(n for n in signed if n.row in prefixes)]
