"""What EW measures: statements S1 to S6b, each with its statistic, its interval and the rule of its verdict.

They were found on SmolLM2-135M-Instruct and fixed here before the second model, Gemma 3 270M, was run on these
contexts. Every statement is a difference that must be above 0. Its interval (95 %) is for other units of every kind
that it names: nouns and openers and verbs, crossed; prepositions and pairs of nouns. The p-values of a model's
statements are one family, corrected by Holm:

* **extends**: the whole interval lies above 0, and the corrected p-value is below .05;
* **does not extend**: the whole interval lies below 0, and likewise;
* **undecided**: anything else;
* **described**: fewer than three units of a kind, or fewer than ten verbs in a fifth: no interval, or no verdict;
* **not yet run**: a part of the sentences was not measured.

Only verbs count whose base is not their past; words are counted with their ends; singular and plural subjects are never
pooled. A *fifth* is a fifth of the verbs by how likely they are at a place where no subject decides their form (after a
modal; of the past form; by the lexicon). What is binned by it is resampled, nouns or openers and verbs, with fifths
made anew in each draw. Differences have Student's t on the variance over crossed units, with Satterthwaite's degrees of
freedom: the tests stand as they were fixed, whatever becomes of the intervals of `tse_core.uncertainty`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from tse_book.claims import verdicts
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine

SIGNIFICANCE, DRAWS, SEED = 0.05, 2000, 0
NO_INTERVAL, FEW_VERBS = 3, 10
FIFTHS = 5
NOUN, OPENER_NOUN, PRONOUN = "The N", "Opener + the N", "He, she or they"
RESULT = [
    "id",
    "statement",
    "unit",
    "role",
    "value",
    "low",
    "high",
    "p_value",
    "p_holm",
    "units",
    "verdict",
]
AS_FIXED = (
    "as fixed"  # and not under another choice of method, as data/recorded/statements.py judges too
)


class Tables(NamedTuple):
    """What was measured of one model, and its verbs: the tables of `tse_book.studies.controls`."""

    controls: pd.DataFrame
    attractors: pd.DataFrame
    rows: pd.DataFrame
    likelihoods: pd.DataFrame
    verbs: pd.DataFrame  # of `controlled_verbs`
    jackknife: bool = (
        False  # differences get the intervals of `tse_core.uncertainty`, not those that were fixed
    )


class Measured(NamedTuple):
    """The units of each kind, a statistic, its interval and p-value against 0 (NaN where there is none)."""

    units: Mapping[str, int]
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p_value: float = np.nan


class Statement(NamedTuple):
    """A statement, the unit of its statistic, whether it is judged or shows how robust another is, and its measure."""

    id: str
    words: str
    unit: str
    role: str
    measure: Callable[[Tables], Measured]


def judge(tables: Tables) -> pd.DataFrame:
    """Every statement on one model: a row each, with the columns `RESULT`; those that show robustness are no tests."""
    table = pd.DataFrame([{**s._asdict(), **s.measure(tables)._asdict()} for s in STATEMENTS])
    tested = (table["role"] == "judged") & table["p_value"].notna()
    table["p_holm"] = np.nan
    table.loc[tested, "p_holm"] = holm(table.loc[tested, "p_value"])
    pairs = zip(table["low"], table["high"], table["p_holm"].fillna(table["p_value"]), strict=True)
    table["verdict"] = [verdict(*pair) for pair in pairs]
    table.loc[table["value"].isna(), "verdict"] = verdicts.NOT_RUN
    table["units"] = [
        ", ".join(f"{count} {kind}" for kind, count in units.items()) for units in table["units"]
    ]
    return table.rename(columns={"words": "statement"})[RESULT]


def holm(p_values: Sequence[float]) -> np.ndarray:
    """The p-values of a family of tests, adjusted for their number (Holm 1979).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p_values, dtype=float)
    order = np.argsort(raw, kind="stable")
    products = raw[order] * np.arange(len(raw), 0, -1)
    adjusted = np.empty(len(raw))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(products))
    return adjusted


def verdict(low: float, high: float, p_value: float) -> str:
    """The verdict on an interval and its p-value against 0.

    >>> verdict(0.1, 0.3, 0.01), verdict(-0.3, -0.1, 0.01), verdict(0.1, 0.3, 0.2), verdict(np.nan, np.nan, np.nan)
    ('extends', 'does not extend', 'undecided', 'described')
    """
    if np.isnan(low):
        return verdicts.DESCRIBED
    if p_value >= SIGNIFICANCE or low <= 0 <= high:
        return verdicts.UNDECIDED
    return verdicts.EXTENDS if low > 0 else verdicts.DOES_NOT_EXTEND


def noun_below_pronoun(tables: Tables) -> Measured:
    """S1. Also-nouns: EW by words after an opener and he or she, less EW after the same openers and *the N*.

    The two pronouns are no sample of pronouns; each of their contexts is a unit beside the nouns.
    """
    verbs = subject_verbs(tables)
    verbs = verbs[verbs["also_noun"] & (verbs["number"] == "singular")]
    pronouns, nouns = (verbs[verbs["construction"] == kind] for kind in (PRONOUN, OPENER_NOUN))
    openers = set(pronouns["opener"]) & set(nouns["opener"])
    pronouns, nouns = (part[part["opener"].isin(openers)] for part in (pronouns, nouns))
    units = {
        "nouns": nouns["noun"].nunique(),
        "openers": len(openers),
        "verbs": nouns["lemma"].nunique(),
    }
    pronouns = pronouns.assign(noun=pronouns["opener"] + " " + pronouns["noun"])
    return _difference(
        tables, "correct", [pronouns, nouns], [1, -1], ["noun", "opener", "lemma"], units
    )


def also_below_never(tables: Tables) -> Measured:
    """S2. After an opener and he or she, by words: the margin (nats) of never-nouns less that of also-nouns."""
    verbs = pronoun_verbs(tables)
    parts = [verbs[~verbs["also_noun"]], verbs[verbs["also_noun"]]]
    units = {
        "openers": verbs["opener"].nunique(),
        "verbs": min(part["lemma"].nunique() for part in parts),
    }
    return _difference(tables, "margin", parts, [1, -1], ["opener", "lemma"], units)


def rises_in_rows(tables: Tables, key: str = "modal") -> Measured:
    """S3a. EW of also-nouns in Table 2's nine rows, singular subjects: last fifth of the verbs by a key less first."""
    verbs = row_verbs(tables)
    return _rise(
        verbs[verbs["also_noun"] & (verbs["number"] == "singular")], "correct", key, "noun", "nouns"
    )


def shift_beyond_frequency(tables: Tables) -> Measured:
    """S3b. Never-nouns: how the twin shift (nats) in the nine rows rises with P(base | modal), frequency held fixed.

    The shift is a verb's mean log-odds of its singular form after singular subjects less that after plural ones; the
    statistic is its slope in nats for a tenfold P, from a regression that has the verb's frequency (Zipf's scale) too.
    """
    verbs = row_verbs(tables)
    verbs = verbs[~verbs["also_noun"]]
    columns = verbs.drop_duplicates("lemma").set_index("lemma")[["modal", "zipf"]].dropna()
    singular, plural = (
        _cells(verbs[verbs["number"] == number], "log_odds", columns.index, "noun")
        for number in ("singular", "plural")
    )
    design = np.column_stack(
        [np.ones(len(columns)), columns["modal"] / np.log(10), columns["zipf"]]
    )

    def slope(shift: np.ndarray, weights: np.ndarray) -> float:
        return float(
            np.linalg.lstsq(
                design * np.sqrt(weights)[:, None], shift * np.sqrt(weights), rcond=None
            )[0][1]
        )

    units = {"nouns": verbs["noun"].nunique(), "verbs": len(columns)}
    return _resampled(
        lambda nouns: _scores(singular, nouns) - _scores(plural, nouns),
        slope,
        len(singular[0][0]),
        units,
    )


def rises_after_pronoun(tables: Tables, score: str = "correct", key: str = "modal") -> Measured:
    """S4. As S3a after an opener and he or she, by words, in EW or in nats (``score="margin"``)."""
    verbs = pronoun_verbs(tables)
    return _rise(verbs[verbs["also_noun"]], score, key, "opener", "openers")


def attraction(tables: Tables) -> Measured:
    """S6. Never-nouns, singular subjects, no adverb: EW after a singular attractor less EW after a plural one."""
    return _over_prepositions(tables, "correct", ["none"], [1, -1])


def attraction_with(tables: Tables, adverb: str) -> Measured:
    """S6b. The margin (nats) that a plural attractor costs after an adverb, less what it costs without one."""
    return _over_prepositions(tables, "margin", [adverb, "none"], [1, -1, -1, 1])


def subject_verbs(tables: Tables) -> pd.DataFrame:
    """The verbs after the subjects of agreement-controls, by words: margin (nats) and correct (1.0, 0.0) beside."""
    table = tables.controls.merge(_verbs(tables), on="lemma")
    sign = np.where(table["number"] == "plural", -1.0, 1.0)
    for end in ("", "_tokens"):
        table[f"margin{end}"] = table[f"log_odds{end}"] * sign
        table[f"correct{end}"] = (table[f"margin{end}"] > 0) * 1.0
    return table.assign(contexts=1)


def pronoun_verbs(tables: Tables) -> pd.DataFrame:
    """The verbs after he and she."""
    table = subject_verbs(tables)
    return table[(table["construction"] == PRONOUN) & (table["number"] == "singular")]


def row_verbs(tables: Tables) -> pd.DataFrame:
    """The verbs in Table 2's rows, by tokens; correct and log_odds are means over a noun's contexts."""
    table = tables.rows.merge(_verbs(tables), on="lemma")
    return table.assign(correct=table["correct"] / table["contexts"])


def fifths(table: pd.DataFrame, score: str, key: str) -> pd.DataFrame:
    """A score in each fifth of the verbs by a key: fifth (1 to 5), verbs, value (a mean over the verbs)."""
    known = table.drop_duplicates("lemma").set_index("lemma")[key].dropna()
    scores = _scores(_cells(table, score, known.index, "noun"), np.ones(table["noun"].nunique()))
    groups = pd.Series(scores).groupby(_bins(known.to_numpy(float), np.ones(len(known))) + 1)
    return groups.agg(verbs="size", value="mean").rename_axis("fifth").reset_index()


def _cells(
    table: pd.DataFrame, score: str, verbs: pd.Index, unit: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each construction the sums of the verbs' scores and the numbers of contexts, (units, verbs) each.

    The units (nouns or openers) are the same in all. A row of the table with several contexts counts as often.
    """
    found = []
    for _, rows in table.groupby("construction", sort=False):
        weighted = rows.assign(sum=rows[score] * rows["contexts"])
        wide = weighted.pivot_table(["sum", "contexts"], unit, "lemma", aggfunc="sum").reindex(
            table[unit].unique()
        )
        sums, counts = (
            wide[name].reindex(columns=verbs).fillna(0.0).to_numpy(float)
            for name in ("sum", "contexts")
        )
        found.append((sums, counts))
    return found


def _scores(cells: list[tuple[np.ndarray, np.ndarray]], weights: np.ndarray) -> np.ndarray:
    """The score of each verb: the mean over the constructions of its weighted mean over the units.

    `weights` are (units,), or (draws, units) for several draws; the scores are (verbs,) or (draws, verbs).
    """
    total, defined = np.zeros(1), np.zeros(1)
    for sums, counts in cells:
        size = weights @ counts
        total = total + np.divide(weights @ sums, size, out=np.zeros_like(size), where=size > 0)
        defined = defined + (size > 0)
    return total / defined


def _verbs(tables: Tables) -> pd.DataFrame:
    known = tables.verbs.drop(columns=["singular", "plural", "past"], errors="ignore")
    return known.merge(tables.likelihoods, on="lemma", how="left")


def _over_prepositions(
    tables: Tables, score: str, adverbs: Sequence[str], weights: Sequence[int]
) -> Measured:
    """Never-nouns after singular subjects: for each adverb after a singular and after a plural attractor."""
    table = tables.attractors
    table = table[~table["also_noun"] & (table["number"] == "singular")]
    table = table.assign(correct=table["correct"] / table["verbs"])
    parts = [
        table[(table["adverb"] == adverb) & (table["attractor_number"] == number)]
        for adverb in adverbs
        for number in ("singular", "plural")
    ]
    units = {
        "prepositions": parts[0]["preposition"].nunique(),
        "noun pairs": parts[0]["noun"].nunique(),
    }
    return _difference(tables, score, parts, weights, ["preposition", "noun"], units)


def _difference(tables: Tables, score: str, parts, weights, ways: list[str], units) -> Measured:
    """A weighted sum of the parts' mean scores, with an interval over units of every way, crossed."""
    if any(part.empty for part in parts):
        return Measured(units)
    means = [part[score].to_numpy(float).mean() for part in parts]
    estimate = float(sum(weight * mean for weight, mean in zip(weights, means, strict=True)))
    if min(units.values()) < NO_INTERVAL:
        return Measured(units, estimate)
    if tables.jackknife:
        samples = [
            Sample(part[score].to_numpy(float), [part[way].to_numpy() for way in ways])
            for part in parts
        ]
        found = combine(samples, weights)
        return Measured(units, estimate, found.low, found.high, found.p_value())
    joined = pd.concat(parts, ignore_index=True)
    sizes = [len(part) for part in parts]
    sample = np.repeat(np.arange(len(parts)), sizes)
    influence = (np.divide(weights, sizes)[sample]) * (
        joined[score].to_numpy(float) - np.array(means)[sample]
    )
    codes = [pd.factorize(joined[way].astype(str))[0] for way in ways]
    error = np.sqrt(_crossed_variance(influence, codes))
    freedom = min(_freedom(influence, sample, code) for code in codes)
    reach = stdtrit(freedom, 1 - SIGNIFICANCE / 2) * error
    return Measured(
        units,
        estimate,
        estimate - reach,
        estimate + reach,
        2 * stdtr(freedom, -abs(estimate) / error),
    )


def _variance(influence: np.ndarray, code: np.ndarray) -> tuple[float, int]:
    """The variance of an estimate over the units of one way of sampling, and how many units there are."""
    sums = np.bincount(np.unique(code, return_inverse=True)[1], influence)
    return float(sums @ sums) * len(sums) / max(len(sums) - 1, 1), len(sums)


def _crossed_variance(influence: np.ndarray, ways: list[np.ndarray]) -> float:
    """The variance of an estimate over crossed ways of sampling (Cameron, Gelbach & Miller 2011): the sum of the
    variances by each way, less those by each two ways together, and so on; never less than by one way alone."""
    total = 0.0
    for size in range(1, len(ways) + 1):
        for chosen in combinations(ways, size):
            together = (
                pd.DataFrame(dict(enumerate(chosen))).groupby(list(range(size))).ngroup().to_numpy()
            )
            total += _variance(influence, together)[0] * (1 if size % 2 else -1)
    return max(total, *(_variance(influence, way)[0] for way in ways))


def _freedom(influence: np.ndarray, sample: np.ndarray, code: np.ndarray) -> int:
    """Satterthwaite's (1946) degrees of freedom of a sum of means over one way of sampling."""
    parts = [
        _variance(influence[sample == part], code[sample == part]) for part in np.unique(sample)
    ]
    parts = [(variance, units - 1) for variance, units in parts if units > 1]
    found = int(sum(v for v, _ in parts) ** 2 / sum(v**2 / free for v, free in parts) + 1e-9)
    return max(1, min(found, len(np.unique(code)) - 1))


def _rise(verbs: pd.DataFrame, score: str, key: str, unit: str, units: str) -> Measured:
    """The score of the last fifth of the verbs by a key less that of the first."""
    if verbs.empty:
        return Measured({units: 0, "verbs": 0})
    known = verbs.drop_duplicates("lemma").set_index("lemma")[key].dropna()
    cells, likely = _cells(verbs, score, known.index, unit), known.to_numpy(float)

    def last_less_first(scores: np.ndarray, weights: np.ndarray) -> float:
        bins = _bins(likely, weights)
        ends = [np.average(scores[bins == k], weights=weights[bins == k]) for k in (FIFTHS - 1, 0)]
        return float(ends[0] - ends[1])

    bins = _bins(likely, np.ones(len(known)))
    smallest = min(int((bins == k).sum()) for k in (0, FIFTHS - 1))
    counts = {units: verbs[unit].nunique(), "verbs": len(known), "verbs in a fifth": smallest}
    found = _resampled(partial(_scores, cells), last_less_first, counts[units], counts)
    return found if smallest >= FEW_VERBS else Measured(counts, found.value)


def _bins(key: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The fifth (0 to 4) of each verb; verbs with the same key are in one fifth, those of weight 0 in none (-1)."""
    known = np.flatnonzero(weights > 0)
    levels, place = np.unique(key[known], return_inverse=True)
    sums = np.bincount(place, weights[known], len(levels))
    middle = (np.cumsum(sums) - sums / 2) / sums.sum()
    bins = np.full(len(key), -1)
    bins[known] = np.minimum((middle * FIFTHS).astype(int), FIFTHS - 1)[place]
    return bins


def _resampled(scores, statistic, resampled: int, units: Mapping[str, int]) -> Measured:
    """A statistic of the verbs' scores, with the interval of draws of the units and of the verbs, crossed.

    `scores` gives the verbs' scores for weights of the `resampled` units, `statistic` joins them with weights of verbs.
    """
    of_all = scores(np.ones(resampled))
    value = statistic(of_all, np.ones(len(of_all)))
    if resampled < NO_INTERVAL or len(of_all) < NO_INTERVAL:
        return Measured(units, value)
    generator = np.random.default_rng(SEED)
    drawn = [[generator.multinomial(n, np.full(n, 1 / n)).astype(float) for n in (resampled, len(of_all))]
             for _ in range(DRAWS)]  # fmt: skip
    of_units, of_verbs = (np.stack(part) for part in zip(*drawn, strict=True))
    found = np.array([statistic(*draw) for draw in zip(scores(of_units), of_verbs, strict=True)])
    low, high = np.quantile(found, [SIGNIFICANCE / 2, 1 - SIGNIFICANCE / 2])
    beyond = 1 + min((found <= 0).sum(), (found >= 0).sum())
    return Measured(units, value, float(low), float(high), min(1.0, 2 * beyond / (1 + DRAWS)))


STATEMENTS = [Statement(*row) for row in (
    ("S1", "Verbs that are also nouns do worse after the N than after he or she with the same openers (by words)",
     "EW", "judged", noun_below_pronoun),
    ("S2", "After he or she, verbs that are also nouns lie below verbs that never are (by words)",
     "nats", "judged", also_below_never),
    ("S3a", "Verbs that are also nouns: EW of Table 2 rises over fifths of P(base | modal), singular subjects",
     "EW", "judged", rises_in_rows),
    ("S3a.past", "... over fifths of P(past form)", "EW", "robustness", partial(rises_in_rows, key="past")),
    ("S3a.lexicon", "... over fifths of the lexicon's verb count",
     "EW", "robustness", partial(rises_in_rows, key="verb_uses")),
    ("S3b", "Verbs that are never nouns: the twin shift rises with P(base | modal) beyond frequency",
     "nats for a tenfold P", "judged", shift_beyond_frequency),
    ("S4.ew", "After he or she, EW of verbs that are also nouns rises over fifths of P(base | modal) (by words)",
     "EW", "judged", rises_after_pronoun),
    ("S4.nats", "After he or she, their margin rises over fifths of P(base | modal) (by words)",
     "nats", "judged", partial(rises_after_pronoun, score="margin")),
    ("S6", "A plural noun between a singular subject and a verb that is never a noun lowers EW, without an adverb",
     "EW", "judged", attraction),
    ("S6b.often", "*often* makes this larger", "nats", "judged", partial(attraction_with, adverb="often")),
    ("S6b.probably", "*probably* makes this larger", "nats", "judged", partial(attraction_with, adverb="probably")),
)]  # fmt: skip
