"""Where the gap between TSE and EW comes from: one stage after the other, from the templates' verbs to every verb.

TSE of a row is compared with EW over more and more: the verbs that are no nouns, all verbs that are single entries, the
same with the end of the word counted, all verbs of any number of tokens. The difference of two stages is a part of the
gap, and the parts add up to it.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from tse_book.laboratory.language import Language, load_language
from tse_book.studies.details import recorded_details
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import load_lemmas
from tse_core.errors import InputError
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters

STAGES = ("TSE", "other verbs", "single entries", "with the word's end", "all verbs")
PARTS = {  # a part of the gap -> the stages between which it lies
    "choice of verbs": STAGES[0:2],
    "noun readings": STAGES[1:3],
    "the word's end": STAGES[2:4],
    "several tokens": STAGES[3:5],
}
GAP, MEAN = "TSE less EW", "mean"
PAIRS, TEMPLATES = "pairs", "the templates' own"  # the outcomes that TSE counts, and their verbs
OUTCOMES = ["forms", "construction", "noun", "attractor", "lemma", "contexts", "correct"]
Stages = Mapping[str, Mapping[str, Sample]]  # construction -> stage -> its scores


def gap_parts(stages: Stages) -> pd.DataFrame:
    """The gap between the first and the last stage, and its parts.

    Parameters
    ----------
    stages : what `stages_of` or `recorded_stages` gives; without whole words the last two stages are not there, and
        the gap is TSE less EW over single entries, as in the paper

    Returns
    -------
    DataFrame with construction ("mean": over the rows, each counting alike), part (`GAP`, then those of `PARTS` that
    are known), value, low, high: 95 % over the clusters of the samples (subjects, verbs and attractors, crossed, where
    they are known), as paired differences.
    """
    there = [name for name in STAGES if all(name in row for row in stages.values())]
    if STAGES[0] not in there or len(there) < 2:
        raise InputError(f"a gap lies between {STAGES[0]} and another stage; known in every row: {', '.join(there)}")
    between = {GAP: (there[0], there[-1])} | {p: ends for p, ends in PARTS.items() if set(ends) <= set(there)}
    rows = []
    for construction, chosen in {MEAN: list(stages), **{name: [name] for name in stages}}.items():
        for part, (first, second) in between.items():
            samples = [stages[name][stage] for name in chosen for stage in (first, second)]
            found = combine(samples, [1 / len(chosen), -1 / len(chosen)] * len(chosen))
            rows.append((construction, part, found.estimate, max(found.low, -1.0), min(found.high, 1.0)))
    return pd.DataFrame(rows, columns=["construction", "part", "value", "low", "high"])


def stages_of(single: Iterable[Evaluation], words: Iterable[Evaluation] = ()) -> Stages:
    """The stages of one model, sampled over subjects, verbs and attractors, crossed.

    Parameters
    ----------
    single : over single entries of the vocabulary, made with keep="forms"
    words : over whole words with their ends (forms="words") in the same contexts, made with keep="forms"
    """
    tables = [table for found in single for table in (pair_outcomes(found), verb_outcomes(found, "single"))]
    tables += [verb_outcomes(found, "words") for found in words]
    return stages(pd.concat(tables, ignore_index=True))


def verb_outcomes(found: Evaluation, forms: str) -> pd.DataFrame:
    """In how many contexts each verb agrees, by subject and attractor.

    Returns
    -------
    DataFrame with forms (as given), construction, noun, attractor (clusters), lemma, contexts, correct.
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
    """The same of the pairs that TSE scores. Their verbs are the templates' own, no sample of others."""
    pairs = found.pairs[found.pairs["tse"].notna()]
    table = _cells(pairs).assign(tse=pairs["tse"].to_numpy())
    sums = table.groupby(list(table.columns[:-1]), sort=False)["tse"].agg(["size", "sum"]).reset_index()
    sums = sums.rename(columns={"size": "contexts", "sum": "correct"})
    return sums.assign(forms=PAIRS, lemma=TEMPLATES)[OUTCOMES]


def stages(outcomes: pd.DataFrame) -> Stages:
    """The stages of tables of outcomes, clustered by those of noun, attractor and lemma that are among the columns."""
    ways = [way for way in ("noun", "attractor", "lemma") if way in outcomes]
    table = outcomes.assign(**{way: pd.factorize(outcomes[way])[0] for way in ways})
    forms, single = outcomes["forms"], outcomes["lemma"].isin(outcomes.loc[outcomes["forms"] == "single", "lemma"])
    chosen = {
        STAGES[0]: forms == PAIRS,
        STAGES[1]: (forms == "single") & ~_nouns(outcomes["lemma"]),
        STAGES[2]: forms == "single",
        STAGES[3]: (forms == "words") & single,
        STAGES[4]: forms == "words",
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
    """The stages of a recorded run, sampled over verbs; TSE stands as it is. None where it has no whole words."""
    verbs, words = recorded_details(model, "verbs"), recorded_details(model, "words")
    if verbs is None or words is None:
        return None
    made = {str(signature) for name, signature in words.signatures.items() if name.startswith("single")}
    scores = words.table[(words.table["metric"] == "TSE") & words.table["signature"].isin(made)]
    pairs = scores[["construction"]].assign(forms=PAIRS, lemma=TEMPLATES, contexts=1, correct=scores["score"])
    of_verbs = verbs.table[["forms", "construction", "lemma", "contexts", "correct"]]
    return stages(pd.concat([pairs, of_verbs], ignore_index=True))


def known_parts(regime: str, lemmas: pd.DataFrame, language: Language | None = None) -> pd.DataFrame:
    """What the parts of the gap are in the laboratory language, by arithmetic.

    Parameters
    ----------
    regime : of the language
    lemmas : the lemmas whose forms are single entries of a model's vocabulary, with their column lemma

    Returns
    -------
    DataFrame with construction, part, value. No verb of the language is read as a noun and its words end where they
    end, so "the word's end" is 0, and "noun readings" only says how the verbs that English has as nouns too differ.
    """
    language = language or load_language()
    listed, noun = language.lemmas["lemma"], _nouns(language.lemmas["lemma"])
    single, own = listed.isin(lemmas["lemma"]).to_numpy(), listed.isin(language.leading()).to_numpy()
    rows = []
    for construction in language.constructions:
        right = (language.correct(regime, construction) > 0.5).mean(axis=(1, 2))
        ends = [
            right[own].mean(),
            right[single & ~noun].mean(),
            right[single].mean(),
            right[single].mean(),
            right.mean(),
        ]
        rows.append((construction, GAP, ends[0] - ends[-1]))
        rows += [(construction, part, ends[i] - ends[i + 1]) for i, part in enumerate(PARTS)]
    table = pd.DataFrame(rows, columns=["construction", "part", "value"])
    mean = table.groupby("part", sort=False, as_index=False)["value"].mean().assign(construction=MEAN)
    return pd.concat([mean[table.columns], table], ignore_index=True)


def _cells(table: pd.DataFrame) -> pd.DataFrame:
    """The construction and the clusters of each row."""
    attractors = attractor_clusters(table) if "attractor" in table else "no attractor"
    nouns = subject_clusters(table)
    return pd.DataFrame({"construction": table["construction"].to_numpy(), "noun": nouns, "attractor": attractors})


def _nouns(lemmas: pd.Series) -> pd.Series:
    """Whether the appendix knows a lemma as a noun; False for one that it does not list."""
    known = load_lemmas("newman-appendix").table.drop_duplicates("lemma").set_index("lemma")["noun"]
    return lemmas.map(known).fillna(False).astype(bool)
