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

`Tables` are those of `tse_book.studies.controls`. Only verbs count whose base is not their past; words are counted with
their ends; singular and plural subjects are never pooled. A *fifth* is a fifth of the verbs by how likely they are at a
place where no subject decides their form (after a modal; of the past form; by the lexicon). What is binned by it is
resampled, nouns or openers and verbs, with fifths made anew in each draw. Differences have Student's t on the variance
over crossed units, with Satterthwaite's degrees of freedom: the tests stand as they were fixed, whatever becomes of the
intervals of `tse_core.uncertainty`.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from tse_book.claims import verdicts
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine
from tse_core.uncertainty.p_values import holm

LEVEL, DRAWS, SEED = 0.05, 2000, 0
NO_INTERVAL, FEW_VERBS = 3, 10
FIFTHS = 5
NOUN, OPENER_NOUN, PRONOUN = "The N", "Opener + the N", "He, she or they"
RESULT = ["id", "statement", "unit", "role", "value", "low", "high", "p_value", "p_holm", "units", "verdict"]


class Tables(NamedTuple):
    """What was measured of one model, and its verbs: the tables of `tse_book.studies.controls`."""

    controls: pd.DataFrame
    attractors: pd.DataFrame
    rows: pd.DataFrame
    likelihoods: pd.DataFrame
    verbs: pd.DataFrame  # of `controlled_verbs`
    jackknife: bool = (
        False  # whether differences get the intervals of `tse_core.uncertainty`, not those that were fixed
    )


class Measured(NamedTuple):
    """A statistic, its interval and p-value against 0 (NaN where there is none), and the units of each kind."""

    value: float
    low: float
    high: float
    p_value: float
    units: Mapping[str, int]


class Statement(NamedTuple):
    """A statement, the unit of its statistic, whether it is judged or shows how robust another is, and its measure."""

    id: str
    words: str
    unit: str
    role: str
    measure: Callable[[Tables], Measured]


def judge(tables: Tables) -> pd.DataFrame:
    """Every statement on one model: a row each, with the columns `RESULT`; those that show robustness are no tests."""
    measured = [statement.measure(tables) for statement in STATEMENTS]
    table = pd.DataFrame([m._asdict() for m in measured])
    table = table.assign(**{name: [getattr(s, name) for s in STATEMENTS] for name in ("id", "unit", "role")})
    table["statement"] = [statement.words for statement in STATEMENTS]
    tested = (table["role"] == "judged") & table["p_value"].notna()
    table["p_holm"] = np.nan
    table.loc[tested, "p_holm"] = holm(table.loc[tested, "p_value"])
    pairs = zip(table["low"], table["high"], table["p_holm"].fillna(table["p_value"]), strict=True)
    table["verdict"] = [verdict(*pair) for pair in pairs]
    table.loc[table["value"].isna(), "verdict"] = verdicts.NOT_RUN
    table["units"] = [", ".join(f"{count} {kind}" for kind, count in units.items()) for units in table["units"]]
    return table[RESULT]


def judge_otherwise(tables: Tables, bare: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
    """Every statement as fixed, and under each of `CHOICES`: the columns `RESULT` with the choice first.

    `bare` has the controls and attractors without a BOS token, for one choice more (`NO_BOS`).
    """
    changed = {choice: change(tables) for choice, change in CHOICES.items()}
    if bare:
        changed[NO_BOS] = _by_tokens(tables._replace(**bare))
    parts = [judge(of).assign(choice=choice) for choice, of in changed.items()]
    return pd.concat(parts, ignore_index=True)[["choice", *RESULT]]


def verdict(low: float, high: float, p_value: float) -> str:
    """The verdict on an interval and its p-value against 0.

    >>> verdict(0.1, 0.3, 0.01), verdict(-0.3, -0.1, 0.01), verdict(0.1, 0.3, 0.2), verdict(np.nan, np.nan, np.nan)
    ('extends', 'does not extend', 'undecided', 'described')
    """
    if np.isnan(low):
        return verdicts.DESCRIBED
    if p_value >= LEVEL or low <= 0 <= high:
        return verdicts.UNDECIDED
    return verdicts.EXTENDS if low > 0 else verdicts.DOES_NOT_EXTEND


def noun_below_pronoun(tables: Tables) -> Measured:
    """S1. Also-nouns: EW by words after an opener and he or she, less EW after the same openers and *the N*.

    The two pronouns are no sample of pronouns; each of their contexts is a unit beside the nouns.
    """
    verbs = subject_verbs(tables)
    verbs = verbs[verbs["also_noun"] & (verbs["number"] == "singular")]
    parts = [verbs[verbs["construction"] == kind] for kind in (PRONOUN, OPENER_NOUN)]
    openers = set(parts[0]["opener"]) & set(parts[1]["opener"])
    parts = [part[part["opener"].isin(openers)] for part in parts]
    units = {"nouns": parts[1]["noun"].nunique(), "openers": len(openers), "verbs": parts[1]["lemma"].nunique()}
    parts[0] = parts[0].assign(noun=parts[0]["opener"] + " " + parts[0]["noun"])
    ways = ["noun", "opener", "lemma"]
    return _difference(tables, [part["correct"] for part in parts], parts, ways, [1, -1], units)


def also_below_never(tables: Tables) -> Measured:
    """S2. After an opener and he or she, by words: the margin (nats) of never-nouns less that of also-nouns."""
    verbs = pronoun_verbs(tables)
    parts = [verbs[~verbs["also_noun"]], verbs[verbs["also_noun"]]]
    units = {"openers": verbs["opener"].nunique(), "verbs": min(part["lemma"].nunique() for part in parts)}
    return _difference(tables, [part["margin"] for part in parts], parts, ["opener", "lemma"], [1, -1], units)


def rises_in_rows(tables: Tables, key: str = "modal", also_noun: bool = True, number: str = "singular") -> Measured:
    """S3a. EW of Table 2's nine rows, last fifth of the verbs by a key less the first; by default also-nouns."""
    verbs = row_verbs(tables)
    verbs = verbs[(verbs["also_noun"] == also_noun) & (verbs["number"] == number)]
    return _fifths(verbs, "correct", key, "noun", "nouns")


def shift_beyond_frequency(tables: Tables) -> Measured:
    """S3b. Never-nouns: how the twin shift (nats) in the nine rows rises with P(base | modal), frequency held fixed.

    The shift is a verb's mean log-odds of its singular form after singular subjects less that after plural ones; the
    statistic is its slope in nats for a tenfold P, from a regression that has the verb's frequency (Zipf's scale) too.
    """
    verbs = row_verbs(tables)
    verbs = verbs[~verbs["also_noun"]]
    columns = verbs.drop_duplicates("lemma").set_index("lemma")[["modal", "zipf"]].dropna()
    cells = [
        Cells(verbs[verbs["number"] == number], "log_odds", columns.index, "noun") for number in ("singular", "plural")
    ]
    design = np.column_stack([np.ones(len(columns)), columns["modal"] / np.log(10), columns["zipf"]])

    def slope(shift: np.ndarray, weights: np.ndarray) -> float:
        return float(np.linalg.lstsq(design * np.sqrt(weights)[:, None], shift * np.sqrt(weights), rcond=None)[0][1])

    units = {"nouns": verbs["noun"].nunique(), "verbs": len(columns)}
    return _resampled(lambda nouns: cells[0].scores(nouns) - cells[1].scores(nouns), slope, cells[0].units, units)


def rises_after_pronoun(tables: Tables, score: str = "correct", key: str = "modal") -> Measured:
    """S4. As S3a after an opener and he or she, by words, in EW or in nats (``score="margin"``)."""
    verbs = pronoun_verbs(tables)
    return _fifths(verbs[verbs["also_noun"]], score, key, "opener", "openers")


def attraction(tables: Tables) -> Measured:
    """S6. Never-nouns, singular subjects, no adverb: EW after a singular attractor less EW after a plural one."""
    cells = _attractors(tables)
    parts = [cells[("none", number)] for number in ("singular", "plural")]
    return _over_prepositions(tables, [part["correct"] / part["verbs"] for part in parts], parts, [1, -1])


def attraction_with(tables: Tables, adverb: str) -> Measured:
    """S6b. The margin (nats) that a plural attractor costs after an adverb, less what it costs without one."""
    cells = _attractors(tables)
    parts = [cells[(level, number)] for level in (adverb, "none") for number in ("singular", "plural")]
    return _over_prepositions(tables, [part["margin"] for part in parts], parts, [1, -1, -1, 1])


def subject_verbs(tables: Tables) -> pd.DataFrame:
    """The verbs after the subjects of agreement-controls, by words: margin (nats) and correct (1.0, 0.0) beside."""
    table = tables.controls.merge(_verbs(tables), on="lemma")
    signs = np.where(table["number"] == "plural", -1.0, 1.0)
    margins = {"margin": table["log_odds"] * signs, "margin_tokens": table["log_odds_tokens"] * signs}
    correct = {"correct": (margins["margin"] > 0) * 1.0, "correct_tokens": (margins["margin_tokens"] > 0) * 1.0}
    return table.assign(contexts=1, **margins, **correct)


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
    scores = Cells(table, score, known.index, "noun").scores()
    bins = _bins(known.to_numpy(float), np.ones(len(known)))
    rows = [
        (k + 1, int((bins == k).sum()), float(scores[bins == k].mean())) for k in range(FIFTHS) if (bins == k).any()
    ]
    return pd.DataFrame(rows, columns=["fifth", "verbs", "value"])


class Cells:
    """Scores of verbs in constructions and units (nouns or openers), to be averaged with weights of the units.

    A row of the table with several contexts counts as often as it has contexts.
    """

    def __init__(self, table: pd.DataFrame, score: str, verbs: pd.Index, unit: str):
        self.units = list(dict.fromkeys(table[unit]))
        self.sums, self.counts = [], []
        for _, rows in table.groupby("construction", sort=False):
            weighted = rows.assign(sum=rows[score] * rows["contexts"])
            both = weighted.pivot_table(index=unit, columns="lemma", values=["sum", "contexts"], aggfunc="sum")
            wide = [both[name].reindex(self.units, columns=verbs).fillna(0.0) for name in ("sum", "contexts")]
            self.sums.append(wide[0].to_numpy(float))
            self.counts.append(wide[1].to_numpy(float))

    def scores(self, weights: np.ndarray | None = None) -> np.ndarray:
        """The score of each verb: the mean over the constructions of its weighted mean over the units.

        `weights` are (units,), or (draws, units) for several draws; the scores are (verbs,) or (draws, verbs).
        """
        weights = np.ones(len(self.units)) if weights is None else weights
        total, defined = np.zeros(1), np.zeros(1)
        for sums, counts in zip(self.sums, self.counts, strict=True):
            size = weights @ counts
            total = total + np.divide(weights @ sums, size, out=np.zeros_like(size), where=size > 0)
            defined = defined + (size > 0)
        return total / defined


def _verbs(tables: Tables) -> pd.DataFrame:
    known = tables.verbs.drop(columns=["singular", "plural", "past"], errors="ignore")
    return known.merge(tables.likelihoods, on="lemma", how="left")


def _attractors(tables: Tables) -> dict[tuple[str, str], pd.DataFrame]:
    """Never-nouns after singular subjects, by adverb and by the attractor's number."""
    table = tables.attractors
    table = table[~table["also_noun"] & (table["number"] == "singular")]
    return {
        (str(adverb), str(number)): part for (adverb, number), part in table.groupby(["adverb", "attractor_number"])
    }


def _over_prepositions(tables: Tables, values, parts, weights) -> Measured:
    units = {"prepositions": parts[0]["preposition"].nunique(), "noun pairs": parts[0]["noun"].nunique()}
    return _difference(tables, values, parts, ["preposition", "noun"], weights, units)


def _difference(tables: Tables, values, parts, ways, weights, units) -> Measured:
    """A weighted sum of means, with an interval over units of every way, crossed."""
    if any(part.empty for part in parts):
        return Measured(np.nan, np.nan, np.nan, np.nan, units)
    scores = [np.asarray(value, dtype=float) for value in values]
    estimate = float(sum(weight * score.mean() for weight, score in zip(weights, scores, strict=True)))
    if min(units.values()) < NO_INTERVAL:
        return Measured(estimate, np.nan, np.nan, np.nan, units)
    if tables.jackknife:
        samples = [
            Sample(score, [part[way].to_numpy() for way in ways]) for score, part in zip(scores, parts, strict=True)
        ]
        found = combine(samples, weights)
        return Measured(estimate, found.low, found.high, found.p_value(), units)
    influences = [w * (score - score.mean()) / len(score) for w, score in zip(weights, scores, strict=True)]
    codes = [_codes([part[way].to_numpy() for part in parts]) for way in ways]
    error = np.sqrt(_crossed_variance(np.concatenate(influences), [np.concatenate(code) for code in codes]))
    freedom = min(_freedom(influences, code) for code in codes)
    reach = stdtrit(freedom, 1 - LEVEL / 2) * error
    p_value = float(2 * stdtr(freedom, -abs(estimate) / error))
    return Measured(estimate, estimate - reach, estimate + reach, p_value, units)


def _codes(labels: list[np.ndarray]) -> list[np.ndarray]:
    """A number for each value's unit, the same in all samples that share the unit."""
    joined = pd.factorize(np.concatenate([array.astype(str) for array in labels]))[0]
    return np.split(joined, np.cumsum([len(array) for array in labels])[:-1])


def _crossed_variance(influence: np.ndarray, ways: list[np.ndarray]) -> float:
    """The variance of an estimate over crossed ways of sampling (Cameron, Gelbach & Miller 2011): the sum of the
    variances by each way, less those by each two ways together, and so on; never less than by one way alone."""
    alone, total = [], 0.0
    for size in range(1, len(ways) + 1):
        for chosen in combinations(ways, size):
            place = np.unique(np.stack(chosen), axis=1, return_inverse=True)[1].ravel()
            sums = np.bincount(place, influence)
            variance = float(sums @ sums) * len(sums) / max(len(sums) - 1, 1)
            total += variance if size % 2 else -variance
            alone += [variance] * (size == 1)
    return max(total, *alone)


def _freedom(influences: list[np.ndarray], codes: list[np.ndarray]) -> int:
    """Satterthwaite's (1946) degrees of freedom of a sum of means over one way of sampling."""
    variances, free = [], []
    for influence, code in zip(influences, codes, strict=True):
        count = len(np.unique(code))
        if count > 1:
            sums = np.bincount(code, influence)
            variances.append(float(sums @ sums) * count / (count - 1))
            free.append(count - 1)
    found = int(sum(variances) ** 2 / sum(v**2 / f for v, f in zip(variances, free, strict=True)) + 1e-9)
    return max(1, min(found, len(np.unique(np.concatenate(codes))) - 1))


def _fifths(verbs: pd.DataFrame, score: str, key: str, unit: str, units: str) -> Measured:
    if verbs.empty:
        return Measured(np.nan, np.nan, np.nan, np.nan, {units: 0, "verbs": 0})
    known = verbs.drop_duplicates("lemma").set_index("lemma")[key].dropna()
    cells, likely = Cells(verbs, score, known.index, unit), known.to_numpy(float)

    def last_less_first(scores: np.ndarray, weights: np.ndarray) -> float:
        bins = _bins(likely, weights)
        ends = [np.average(scores[bins == k], weights=weights[bins == k]) for k in (FIFTHS - 1, 0)]
        return float(ends[0] - ends[1])

    bins = _bins(likely, np.ones(len(known)))
    smallest = min(int((bins == k).sum()) for k in (0, FIFTHS - 1))
    counts = {units: len(cells.units), "verbs": len(known), "verbs in a fifth": smallest}
    found = _resampled(cells.scores, last_less_first, cells.units, counts)
    return found if smallest >= FEW_VERBS else found._replace(low=np.nan, high=np.nan, p_value=np.nan)


def _bins(key: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The fifth (0 to 4) of each verb; verbs with the same key are in one fifth, those of weight 0 in none (-1)."""
    known = np.flatnonzero(weights > 0)
    levels, place = np.unique(key[known], return_inverse=True)
    sums = np.bincount(place, weights[known], len(levels))
    middle = (np.cumsum(sums) - sums / 2) / sums.sum()
    bins = np.full(len(key), -1)
    bins[known] = np.minimum((middle * FIFTHS).astype(int), FIFTHS - 1)[place]
    return bins


def _resampled(scores, statistic, resampled: list, units: Mapping[str, int]) -> Measured:
    """A statistic of the verbs' scores, with the interval of draws of the units and of the verbs, crossed.

    `scores` gives the verbs' scores for weights of the units, `statistic` joins them with weights of the verbs.
    """
    of_all = scores(np.ones(len(resampled)))
    value = statistic(of_all, np.ones(len(of_all)))
    if len(resampled) < NO_INTERVAL or len(of_all) < NO_INTERVAL:
        return Measured(value, np.nan, np.nan, np.nan, units)
    sizes, generator = (len(resampled), len(of_all)), np.random.default_rng(SEED)
    drawn = [[generator.multinomial(n, np.full(n, 1 / n)).astype(float) for n in sizes] for _ in range(DRAWS)]
    of_units, of_verbs = (np.stack(part) for part in zip(*drawn, strict=True))
    found = np.array([statistic(*draw) for draw in zip(scores(of_units), of_verbs, strict=True)])
    low, high = np.quantile(found, [LEVEL / 2, 1 - LEVEL / 2])
    beyond = 1 + min((found <= 0).sum(), (found >= 0).sum())
    return Measured(value, float(low), float(high), min(1.0, 2 * beyond / (1 + DRAWS)), units)


def _rise(key: str) -> Callable[[Tables], Measured]:
    return lambda tables: rises_in_rows(tables, key)


STATEMENTS = (
    Statement(
        "S1", "Verbs that are also nouns do worse after the N than after he or she with the same openers (by words)",
        "EW", "judged", noun_below_pronoun,
    ),
    Statement(
        "S2", "After he or she, verbs that are also nouns lie below verbs that never are (by words)",
        "nats", "judged", also_below_never,
    ),
    Statement(
        "S3a", "Verbs that are also nouns: EW of Table 2 rises over fifths of P(base | modal), singular subjects",
        "EW", "judged", rises_in_rows,
    ),
    Statement("S3a.past", "... over fifths of P(past form)", "EW", "robustness", _rise("past")),
    Statement("S3a.lexicon", "... over fifths of the lexicon's verb count", "EW", "robustness", _rise("verb_uses")),
    Statement(
        "S3b", "Verbs that are never nouns: the twin shift rises with P(base | modal) beyond frequency",
        "nats for a tenfold P", "judged", shift_beyond_frequency,
    ),
    Statement(
        "S4.ew", "After he or she, EW of verbs that are also nouns rises over fifths of P(base | modal) (by words)",
        "EW", "judged", rises_after_pronoun,
    ),
    Statement(
        "S4.nats", "After he or she, their margin rises over fifths of P(base | modal) (by words)",
        "nats", "judged", lambda tables: rises_after_pronoun(tables, "margin"),
    ),
    Statement(
        "S6", "A plural noun between a singular subject and a verb that is never a noun lowers EW, without an adverb",
        "EW", "judged", attraction,
    ),
    Statement(
        "S6b.often", "*often* makes this larger", "nats", "judged", lambda tables: attraction_with(tables, "often"),
    ),
    Statement(
        "S6b.probably", "*probably* makes this larger", "nats", "judged",
        lambda tables: attraction_with(tables, "probably"),
    ),
)  # fmt: skip


def _some(name: str, column: str, keep: Callable[[pd.Series], pd.Series]) -> Callable[[Tables], Tables]:
    def change(tables: Tables) -> Tables:
        table = getattr(tables, name)
        return tables._replace(**{name: table[keep(table[column])]})

    return change


def _by_lexicon(tables: Tables) -> Tables:
    """Also a noun: a tenth of the uses that the lexicon counts or more; verbs that it does not count are left out."""
    verbs = tables.verbs.dropna(subset="noun_share")
    return tables._replace(verbs=verbs.assign(also_noun=verbs["noun_share"] >= LEXICON_NOUN))


def _by_tokens(tables: Tables) -> Tables:
    """Single tokens instead of whole words, after the subjects of agreement-controls."""
    return tables._replace(controls=tables.controls.assign(log_odds=tables.controls["log_odds_tokens"]))


AS_FIXED, NO_BOS = "as fixed", "single tokens, no BOS token"
LEXICON_NOUN = 0.1
PAPERS_NOUNS = (
    "author", "pilot", "surgeon", "farmer", "manager", "customer", "officer", "teacher", "senator", "consultant",
)  # fmt: skip
CLAUSES = ("after", "before")  # "the pilot after the dancers ..." may begin a clause
CHOICES: dict[str, Callable[[Tables], Tables]] = {
    AS_FIXED: lambda tables: tables,
    "the paper's nouns alone": _some(
        "controls", "noun", lambda nouns: nouns.isin([*PAPERS_NOUNS, "he", "she", "they"])
    ),
    "the new nouns alone": _some("controls", "noun", lambda nouns: ~nouns.isin(PAPERS_NOUNS)),
    "three openers": _some("controls", "opener", lambda openers: ~openers.isin(["They say that", "It seems that"])),
    "no preposition that can begin a clause": _some("attractors", "preposition", lambda words: ~words.isin(CLAUSES)),
    "also a noun by the lexicon": _by_lexicon,
    "single tokens": _by_tokens,
    "the package's jackknife": lambda tables: tables._replace(jackknife=True),
}
