"""Where the gap between TSE and EW comes from.

The paper computes EW over verbs that are single entries of the vocabulary. There the gap has two successive
parts: from the templates' verbs, some of which are also nouns, to the verbs that are never nouns, and from these to all
verbs (`tse_book.studies.agreement_findings.about_verbs` compares TSE and EW kind by kind). Over verbs of any
number of tokens, being a noun and being long overlap, so the effect of either depends on which is removed first:
its part is the mean over both orders (Shapley 1953). The parts add up to the gap.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np
import pandas as pd

from tse_book.laboratory.language import load_language
from tse_book.studies.also_nouns import also_nouns
from tse_book.studies.details import recorded_details
from tse_core.agreement.evaluation import Evaluation
from tse_core.errors import InputError
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters

Over = Literal["single entries", "all verbs"]
TSE, NEVER, SINGLE = "TSE", "never nouns, single entries", "single entries"
# Over whole words with the word's end: verbs of one token, and of any number.
NEVER_END, SINGLE_END = "never nouns, single, with the end", "single, with the end"
NEVER_ALL, ALL = "never nouns, all lengths", "all verbs"
STAGES = (TSE, NEVER, SINGLE, NEVER_END, SINGLE_END, NEVER_ALL, ALL)
GAP, MEAN = "TSE minus EW", "mean"
CHOICE, NOUNS, END, TOKENS = "the templates' verbs", "verbs that are also nouns", "the word's end", "several tokens"
# What a part is: the weights of the stages' means.
PARTS: Mapping[Over, Mapping[str, Mapping[str, float]]] = {
    "single entries": {
        GAP: {TSE: 1, SINGLE: -1},
        CHOICE: {TSE: 1, NEVER: -1},
        NOUNS: {NEVER: 1, SINGLE: -1},
    },
    "all verbs": {
        GAP: {TSE: 1, ALL: -1},
        CHOICE: {TSE: 1, NEVER: -1},
        END: {NEVER: 1, NEVER_END: -1},
        NOUNS: {NEVER_END: 0.5, SINGLE_END: -0.5, NEVER_ALL: 0.5, ALL: -0.5},
        TOKENS: {NEVER_END: 0.5, NEVER_ALL: -0.5, SINGLE_END: 0.5, ALL: -0.5},
    },
}
PAIRS, TEMPLATES = "pairs", "the templates' own"  # the outcomes that TSE counts, and their verbs
OUTCOMES = ["forms", "construction", "noun", "attractor", "lemma", "contexts", "correct"]
Stages = Mapping[str, Mapping[str, Sample]]  # construction -> stage -> its scores


def gap_parts(stages: Stages, over: Over) -> pd.DataFrame:
    """TSE minus EW over some verbs, and its parts.

    Parameters
    ----------
    stages : what `stages_of` or `recorded_stages` gives
    over : "single entries", as in the paper, or "all verbs", which needs the stages of whole words

    Returns a table with construction ("mean": over the rows, each counting alike), part (`GAP`, then its parts), value,
    low, high: 95 % over the clusters of the samples (subjects, verbs and attractors, crossed, where they are known), as
    paired differences.
    """
    return _weighted(stages, PARTS[over], "part")


def ew_of_kinds(stages: Stages) -> pd.DataFrame:
    """EW over whole words with their ends: verbs that are never nouns and all verbs, of one token and of any number.

    Returns a table with verbs ("never nouns", "all"), length ("one token", "any"), value, low, high: means of the rows.
    """
    cells = {("never nouns", "one token"): NEVER_END, ("never nouns", "any"): NEVER_ALL,
             ("all", "one token"): SINGLE_END, ("all", "any"): ALL}  # fmt: skip
    found = _weighted(stages, {stage: {stage: 1} for stage in cells.values()}, "stage")
    means = found[found["construction"] == MEAN].set_index("stage")
    rows = [(*kind, *means.loc[stage, ["value", "low", "high"]]) for kind, stage in cells.items()]
    return pd.DataFrame(rows, columns=["verbs", "length", "value", "low", "high"])


def mean_of(stages: Stages, stage: str) -> float:
    """The score of one stage, averaged over the rows."""
    found = _weighted(stages, {stage: {stage: 1}}, "stage")
    return float(found.loc[found["construction"] == MEAN, "value"].iloc[0])


def longer_is_worse(stages: Stages) -> bool:
    """Whether verbs of any length certainly score below single-token ones, for all verbs and for those never nouns."""
    cost = {"never nouns": {NEVER_END: 1, NEVER_ALL: -1}, "all": {SINGLE_END: 1, ALL: -1}}
    found = _weighted(stages, cost, "verbs")
    return bool((found.loc[found["construction"] == MEAN, "low"] > 0).all())


def _weighted(stages: Stages, asked: Mapping[str, Mapping[str, float]], column: str) -> pd.DataFrame:
    """Weighted sums of stages: construction ("mean" first), the name of each sum in `column`, value, low, high."""
    if not stages:
        raise InputError("no stages to compare: an evaluation with its forms, or a recorded run with details, has them")
    needed = dict.fromkeys(stage for weights in asked.values() for stage in weights)
    if missing := [stage for stage in needed if not all(stage in row for row in stages.values())]:
        raise InputError(f"no scores of: {'; '.join(missing)}; known in every row: {', '.join(_everywhere(stages))}")
    rows = []
    for construction, chosen in {MEAN: list(stages), **{name: [name] for name in stages}}.items():
        for name, weights in asked.items():
            samples = [stages[row][stage] for row in chosen for stage in weights]
            found = combine(samples, [weight / len(chosen) for weight in weights.values()] * len(chosen))
            rows.append((construction, name, found.estimate, max(found.low, -1.0), min(found.high, 1.0)))
    return pd.DataFrame(rows, columns=["construction", column, "value", "low", "high"])


def _everywhere(stages: Stages) -> list[str]:
    return [stage for stage in STAGES if all(stage in row for row in stages.values())]


def has_whole_words(stages: Stages) -> bool:
    """Whether the stages of whole words are known in every row."""
    return bool(stages) and ALL in _everywhere(stages)


def stages_of(evaluations: Iterable[Evaluation]) -> Stages:
    """The stages of one model over single entries, sampled over subjects, verbs and attractors, crossed.

    `evaluations` were made with keep="forms".
    """
    tables = [table for found in evaluations for table in (pair_outcomes(found), verb_outcomes(found, "single"))]
    if not tables:
        raise InputError("no evaluation to take apart; give those over single entries")
    return stages(pd.concat(tables, ignore_index=True))


def verb_outcomes(found: Evaluation, forms: str) -> pd.DataFrame:
    """In how many contexts each verb agrees, by subject and attractor.

    Returns a table with forms (as given), construction, noun, attractor (clusters), lemma, contexts, correct.
    """
    cells = _cells(found.contexts)
    plural = (found.contexts["number"] == "plural").to_numpy()[:, None]
    odds = found.log_odds
    group, keys = pd.factorize(pd.MultiIndex.from_frame(cells))
    right = np.zeros((len(keys), len(found.lemmas)), dtype=np.int64)
    np.add.at(right, group, np.where(plural, odds < 0, odds > 0))
    lemmas = found.lemmas["lemma"].to_numpy()
    table = pd.DataFrame(list(keys), columns=list(cells)).loc[np.repeat(np.arange(len(keys)), len(lemmas))]
    counts = {"contexts": np.repeat(np.bincount(group), len(lemmas)), "correct": right.ravel()}
    return table.assign(forms=forms, lemma=np.tile(lemmas, len(keys)), **counts)[OUTCOMES]


def pair_outcomes(found: Evaluation) -> pd.DataFrame:
    """The same for the pairs that TSE scores. Their verbs are the templates' own, not a sample of others."""
    pairs = found.pairs[found.pairs["tse"].notna()]
    table = _cells(pairs).assign(tse=pairs["tse"].to_numpy())
    sums = table.groupby(list(table.columns[:-1]), sort=False)["tse"].agg(["size", "sum"]).reset_index()
    sums = sums.rename(columns={"size": "contexts", "sum": "correct"})
    return sums.assign(forms=PAIRS, lemma=TEMPLATES)[OUTCOMES]


def stages(outcomes: pd.DataFrame) -> Stages:
    """The stages of tables of outcomes, clustered by those of noun, attractor and lemma that are among the columns.

    Raises InputError where there is no outcome.
    """
    if outcomes.empty:
        raise InputError("there are no outcomes to take apart")
    ways = [way for way in ("noun", "attractor", "lemma") if way in outcomes]
    table = outcomes.assign(**{way: pd.factorize(outcomes[way])[0] for way in ways})
    forms, single = outcomes["forms"], outcomes["lemma"].isin(outcomes.loc[outcomes["forms"] == "single", "lemma"])
    never, words = ~also_nouns(outcomes["lemma"]), forms == "words"
    chosen = {
        TSE: forms == PAIRS,
        NEVER: (forms == "single") & never,
        SINGLE: forms == "single",
        NEVER_END: words & single & never,
        SINGLE_END: words & single,
        NEVER_ALL: words & never,
        ALL: words,
    }
    found: dict[str, dict[str, Sample]] = {}
    for stage, rows in chosen.items():
        for construction, part in table[rows].groupby("construction", sort=False, observed=True):
            clusters = [part[way].to_numpy() for way in ways]
            counts = part["contexts"].to_numpy(float)
            sample = Sample(part["correct"].to_numpy(float) / counts, clusters, counts)
            found.setdefault(str(construction), {})[stage] = sample
    return found


def recorded_stages(model: str) -> Stages | None:
    """The stages of a recorded run, sampled over verbs; TSE is taken as it is. None if it has no whole words."""
    verbs, words = recorded_details(model, "verbs"), recorded_details(model, "words")
    if verbs is None or words is None:
        return None
    made = {str(signature) for name, signature in words.signatures.items() if name.startswith("single")}
    scores = words.table[(words.table["metric"] == "TSE") & words.table["signature"].isin(made)]
    pairs = scores[["construction"]].assign(forms=PAIRS, lemma=TEMPLATES, contexts=1, correct=scores["score"])
    of_verbs = verbs.table[["forms", "construction", "lemma", "contexts", "correct"]]
    return stages(pd.concat([pairs, of_verbs], ignore_index=True))


def known_parts(regime: str, lemmas: pd.DataFrame, over: Over) -> pd.DataFrame:
    """The parts of the gap in the laboratory language, by arithmetic.

    Parameters
    ----------
    regime : of the language
    lemmas : the lemmas whose forms are single entries of a model's vocabulary, with their column lemma
    over : as for `gap_parts`

    Returns a table with construction, part, value. No verb of the language is read as a noun and its words end where
    they end; the part of the nouns only says how the verbs that English has as nouns too differ.
    """
    language = load_language()
    if lemmas.empty:
        raise InputError("no lemma has both forms as single entries, so the gap has no known parts")
    listed, noun = language.lemmas["lemma"], also_nouns(language.lemmas["lemma"])
    single, own = listed.isin(lemmas["lemma"]).to_numpy(), listed.isin(language.leading()).to_numpy()
    rows = []
    for construction in language.constructions:
        right = (language.correct(regime, construction) > 0.5).mean(axis=(1, 2))
        ew = {TSE: own, NEVER: single & ~noun, SINGLE: single, NEVER_ALL: ~noun, ALL: np.ones_like(single)}
        means = {stage: right[verbs].mean() for stage, verbs in ew.items()}
        means |= {NEVER_END: means[NEVER], SINGLE_END: means[SINGLE]}
        for part, weights in PARTS[over].items():
            rows.append((construction, part, sum(weight * means[stage] for stage, weight in weights.items())))
    table = pd.DataFrame(rows, columns=["construction", "part", "value"])
    mean = table.groupby("part", sort=False, as_index=False)["value"].mean().assign(construction=MEAN)
    return pd.concat([mean[table.columns], table], ignore_index=True)


def _cells(table: pd.DataFrame) -> pd.DataFrame:
    """The construction and the clusters of each row."""
    attractors = attractor_clusters(table) if "attractor" in table else "no attractor"
    nouns = subject_clusters(table)
    return pd.DataFrame({"construction": table["construction"].to_numpy(), "noun": nouns, "attractor": attractors})
