"""Where the gap between TSE and EW comes from: one stage after the other, from the templates' verbs to every verb.

TSE of a row is compared with EW over more and more: the verbs that are no nouns, all verbs that are single entries, the
same with the end of the word counted, all verbs of any number of tokens. The difference of two stages is a part of the
gap, and the parts add up to it.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tse_book.laboratory.language import Language, load_language
from tse_book.studies.details import recorded_details
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import load_lemmas
from tse_core.errors import InputError
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine
from tse_core.uncertainty.tables import subject_clusters

STAGES = ("TSE", "other verbs", "single entries", "with the word's end", "all verbs")
PARTS = {  # a part of the gap -> the stages between which it lies
    "choice of verbs": STAGES[0:2],
    "noun readings": STAGES[1:3],
    "the word's end": STAGES[2:4],
    "several tokens": STAGES[3:5],
}
GAP, MEAN = "TSE less EW", "mean"
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
    are known), value, low, high: 95 % over the clusters of the samples, as paired differences.
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


def stages_of(single: Evaluation, words: Evaluation | None = None) -> Stages:
    """The stages of one model, sampled over subjects and verbs.

    Parameters
    ----------
    single : single entries of the vocabulary, made with keep="lemmas"
    words : whole words with their ends (forms="words") in the same contexts, made with keep="lemmas"
    """
    made = {STAGES[1]: _by_construction(single, ~_is_noun(single)), STAGES[2]: _by_construction(single)}
    if words is not None:
        made[STAGES[3]] = _by_construction(words, words.lemmas["tokens"] == 1)
        made[STAGES[4]] = _by_construction(words)
    pairs = single.pairs[single.pairs["tse"].notna()]
    pairs = pairs.assign(noun=subject_clusters(pairs))
    found: dict[str, dict[str, Sample]] = {}
    for construction, rows in pairs.groupby("construction", sort=False):
        asked = Sample(rows["tse"].to_numpy(float), [rows["noun"].to_numpy(), rows["lemma"].to_numpy()])
        found[str(construction)] = {STAGES[0]: asked, **{stage: rows[construction] for stage, rows in made.items()}}
    return found


def recorded_stages(model: str) -> Stages | None:
    """The stages of a recorded run, sampled over verbs; TSE stands as it is. None where it has no whole words."""
    verbs, words = recorded_details(model, "verbs"), recorded_details(model, "words")
    if verbs is None or words is None:
        return None
    noun = load_lemmas("newman-appendix").table.drop_duplicates("lemma").set_index("lemma")["noun"]
    table = verbs.table.assign(noun=verbs.table["lemma"].map(noun))
    several = table[["tokens_singular", "tokens_plural"]].max(axis=1) > 1
    single, whole = table["forms"] == "single", table["forms"] == "words"
    rows = {
        STAGES[1]: table[single & ~table["noun"]],
        STAGES[2]: table[single],
        STAGES[3]: table[whole & ~several],
        STAGES[4]: table[whole],
    }
    numbers, found = words.table[words.table["metric"] == "TSE"], {}
    of_singles = [name for name in words.signatures if name.startswith("single")]
    made = {str(words.signatures[name]) for name in of_singles}
    for row in numbers[numbers["signature"].isin(made)].itertuples():
        own = {stage: part[part["construction"] == row.construction] for stage, part in rows.items()}
        found[row.construction] = {
            STAGES[0]: Sample(np.array([row.score]), [np.array(["TSE"])]),
            **{
                stage: Sample((part["correct"] / part["contexts"]).to_numpy(), [part["lemma"].to_numpy()])
                for stage, part in own.items()
            },
        }
    return found


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


def _by_construction(found: Evaluation, chosen=None) -> dict[str, Sample]:
    if found.by_lemma is None:
        raise InputError("the evaluation was made without its lemmas; use keep='lemmas'")
    table = found.by_lemma
    if chosen is not None:
        table = table[table["lemma"].isin(found.lemmas.loc[chosen, "lemma"])]
    table = table.assign(noun=subject_clusters(table.assign(left=table["subject"])))
    return {
        str(construction): Sample(
            (rows["correct"] / rows["contexts"]).to_numpy(),
            [rows["noun"].to_numpy(), rows["lemma"].to_numpy()],
            rows["contexts"].to_numpy(),
        )
        for construction, rows in table.groupby("construction", sort=False)
    }


def _is_noun(found: Evaluation) -> pd.Series:
    return found.lemmas["noun"] if "noun" in found.lemmas else _nouns(found.lemmas["lemma"])


def _nouns(lemmas: pd.Series) -> pd.Series:
    """Whether the appendix knows a lemma as a noun; False for one that it does not list."""
    known = load_lemmas("newman-appendix").table.drop_duplicates("lemma").set_index("lemma")["noun"]
    return lemmas.map(known).fillna(False).astype(bool)
