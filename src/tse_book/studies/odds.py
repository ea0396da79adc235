"""One model of all of it: what multiplies the odds that a verb is conjugated correctly, and by how much.

A logistic regression of every verb's outcome on the kind of verb, the subject's number, an adverb and an attractor
(crossed with one another), on how likely the model finds the verb, how frequent it is and how many tokens it has. Its
odds ratios are those of the population: of other subjects and other verbs taken together. So their errors come from
both, crossed (the sandwich of Cameron, Gelbach & Miller 2011), and not from the millions of outcomes. A mixed model
would estimate another thing, odds ratios within one subject and one verb, at a hundred times the time; its two random
intercepts and these two clusterings say the same of what is uncertain.

Cells without an error have no finite odds; Firth's (1993) penalty, half an outcome right and half wrong for each
parameter, keeps them finite.
"""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from tse_core.errors import InputError
from tse_core.uncertainty.clusters import codes, crossed_variance
from tse_core.uncertainty.intervals import holm, p_value
from tse_core.uncertainty.quantiles import logistic, t_quantile
from tse_core.uncertainty.tables import subject_clusters

# Of each factor the level that the others are held against, and what the comparison is called.
FACTORS = {
    "noun": ("no", {"yes": "the verb is also a noun"}),
    "number": ("plural", {"singular": "the subject is singular, not plural"}),
    "adverb": ("none", {"some": "an adverb stands before the verb"}),
    "attractor": ("singular", {"plural": "the noun in between is plural, not singular"}),
}
# Of each covariate how much of it is one step, and what the step is called.
COVARIATES = {
    "log_probability": (float(np.log(10)), "the model finds the verb ten times as likely"),
    "frequency": (1.0, "the verb is ten times as frequent in text (one step of Zipf's scale)"),
    "tokens": (1.0, "the verb has one token more"),
}
WAYS = ("subject", "lemma")
STEPS, CLOSE = 100, 1e-8


def verb_outcomes(evaluation) -> pd.DataFrame:
    """The outcomes of an evaluation of factorial sentences, as `odds_ratios` takes them.

    Parameters
    ----------
    evaluation : Evaluation
        Made with keep="forms"; its contexts name adverb, attractor_number, and its lemmas noun and zipf.

    Returns
    -------
    DataFrame with a row for each subject, verb and cell of the factors: subject, lemma, noun ("yes", "no"), number,
    adverb ("none", "some"), attractor ("none", "singular", "plural"), correct (a share), count (contexts),
    log_probability (mean over these, of both forms together, nats), frequency (Zipf's scale), tokens.
    """
    if evaluation.forms is None:
        raise InputError("the evaluation was made without its forms; use keep='forms'")
    contexts, lemmas = evaluation.contexts, evaluation.lemmas
    shape = (len(contexts), len(lemmas))
    forms = {n: evaluation.forms[f"log_probability_{n}"].to_numpy(float).reshape(shape) for n in ("singular", "plural")}
    plural = (contexts["number"] == "plural").to_numpy()[:, None]
    wins = np.where(plural, forms["plural"] > forms["singular"], forms["singular"] > forms["plural"]).astype(float)
    cells = pd.DataFrame({
        "subject": subject_clusters(contexts), "number": contexts["number"].to_numpy(),
        "adverb": np.where(contexts["adverb"] == "none", "none", "some"),
        "attractor": contexts["attractor_number"].replace("", "none").to_numpy(),
    })  # fmt: skip
    group, keys = pd.factorize(pd.MultiIndex.from_frame(cells))
    sizes = np.bincount(group)
    sums = np.zeros((2, len(keys), len(lemmas)))
    for total, values in zip(sums, (wins, np.logaddexp(*forms.values())), strict=True):
        np.add.at(total, group, values)
    table = pd.DataFrame(list(keys), columns=list(cells)).loc[np.repeat(np.arange(len(keys)), len(lemmas))]
    of_lemmas = {
        "lemma": lemmas["lemma"], "noun": np.where(lemmas["noun"], "yes", "no"), "frequency": lemmas["zipf"],
        "tokens": lemmas.get("tokens", pd.Series(1, lemmas.index)),
    }  # fmt: skip
    table = table.assign(**{name: np.tile(np.asarray(column), len(keys)) for name, column in of_lemmas.items()})
    means = (sums / sizes[:, None]).reshape(2, -1)
    return table.assign(correct=means[0], log_probability=means[1], count=np.repeat(sizes, len(lemmas)))


def odds_ratios(
    table: pd.DataFrame, factors: Mapping = FACTORS, covariates: Mapping = COVARIATES, *, level: float = 0.95
) -> pd.DataFrame:
    """By how much each condition multiplies the odds that a verb is conjugated correctly.

    Parameters
    ----------
    table : DataFrame
        A row for each outcome, or for several of one cell with their share and count (what `verb_outcomes` gives):
        correct (0 to 1), subject, lemma, a column for each factor and covariate; count is 1 by default. A factor or
        covariate with one value alone is left out.

    Returns
    -------
    DataFrame with a row for each factor's comparison in each cell of the other factors, and for each covariate:
    effect and where (in words), odds_ratio, low, high (other subjects and verbs), p_value, p_holm (corrected for the
    family of this table).

    Raises
    ------
    InputError : a column is missing; fewer than two subjects or verbs.
    """
    factors = {name: known for name, known in factors.items() if name in table and table[name].nunique() > 1}
    covariates = {name: step for name, step in covariates.items() if name in table and table[name].nunique() > 1}
    if missing := [column for column in ("correct", *WAYS) if column not in table]:
        raise InputError(f"the outcomes have no column {missing[0]!r}; they have: {', '.join(table.columns)}")
    if few := [way for way in WAYS if table[way].nunique() < 2]:
        raise InputError(f"the outcomes are of one {few[0]} alone; an interval needs at least two")
    cell, cells = pd.factorize(pd.MultiIndex.from_frame(table[list(factors)].astype(str)), sort=True) if factors else (
        np.zeros(len(table), dtype=np.int64), [()])  # fmt: skip
    counts = table["count"].to_numpy(float) if "count" in table else np.ones(len(table))
    slopes = table[list(covariates)].to_numpy(float) / [step for step, _ in covariates.values()]
    slopes = slopes - np.average(slopes, axis=0, weights=counts) if covariates else slopes
    design = np.concatenate([np.eye(len(cells))[cell], slopes], axis=1)
    coefficients, inverse, residuals = _fitted(design, table["correct"].to_numpy(float), counts)
    ways = [codes([table[way].to_numpy()]) for way in WAYS]
    free = min(int(way.max()) for way in ways)
    rows = []
    for effect, where, contrast in _contrasts(factors, covariates, list(cells)):
        estimate = float(contrast @ coefficients)
        error = float(np.sqrt(crossed_variance((design @ (inverse @ contrast)) * residuals, ways)))
        reach = t_quantile(level, free) * error
        bounds = np.exp([estimate, estimate - reach, estimate + reach])
        rows.append((effect, where, *bounds, p_value(estimate, error, free)))
    found = pd.DataFrame(rows, columns=["effect", "where", "odds_ratio", "low", "high", "p_value"])
    return found.assign(p_holm=holm(found["p_value"]))


def _fitted(design: np.ndarray, shares: np.ndarray, counts: np.ndarray):
    """Coefficients, the inverse information and the residuals (n,) of a logistic regression with Firth's penalty."""
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        fitted = logistic(design @ coefficients)
        weights = counts * fitted * (1 - fitted)
        inverse = np.linalg.inv((design.T * weights) @ design)
        leverage = weights * np.einsum("ij,jk,ik->i", design, inverse, design, optimize=True)
        residuals = counts * (shares - fitted)
        step = inverse @ (design.T @ (residuals + leverage * (0.5 - fitted)))
        coefficients = coefficients + step * min(1.0, 5.0 / max(np.abs(step).max(), 1e-12))
        if np.abs(step).max() < CLOSE:
            return coefficients, inverse, residuals
    raise InputError("the regression does not settle; a factor or covariate may be determined by the others")


def _contrasts(factors: Mapping, covariates: Mapping, cells: list[tuple]):
    """Effect, where, and the weights of the coefficients whose sum is its log odds ratio."""
    place, names = {cell: i for i, cell in enumerate(cells)}, list(factors)
    width = len(cells) + len(covariates)
    for position, (name, (against, named)) in enumerate(factors.items()):
        others = [sorted({cell[i] for cell in cells}) for i in range(len(names)) if i != position]
        for (level, effect), rest in product(named.items(), product(*others)):
            ends = [(*rest[:position], value, *rest[position:]) for value in (level, against)]
            if all(end in place for end in ends):
                contrast = np.zeros(width)
                contrast[[place[end] for end in ends]] = 1.0, -1.0
                said = [f"{n} {value}" for n, value in zip((n for n in names if n != name), rest, strict=True)]
                yield effect, ", ".join(said), contrast
    for position, (_, effect) in enumerate(covariates.values()):
        yield effect, "everywhere", np.eye(width)[len(cells) + position]


def simulated_odds_coverage(
    subjects: int = 20, verbs: int = 150, *, spread: Sequence[float] = (0.5, 1.0), runs: int = 200, seed: int = 0
) -> dict:
    """How often the intervals hold the population's odds ratios, in data whose effects are known.

    Verbs are nouns or not, subjects singular or plural (a noun costs odds in the singular), and likelier verbs do
    better; subjects and verbs differ by normal draws (standard deviations `spread`). The truth is the same regression
    on the whole population: the mean outcome over many draws.

    Returns
    -------
    dict with coverage (a Series by effect and where) and mean, over `runs`.
    """
    random = np.random.default_rng([seed, subjects, verbs])
    factors = {name: FACTORS[name] for name in ("noun", "number")}
    covariates = {"log_probability": COVARIATES["log_probability"]}
    easiness = {("no", "singular"): 2.5, ("yes", "singular"): 0.5, ("no", "plural"): 2.5, ("yes", "plural"): 2.0}

    def drawn(how_many_subjects, how_many_verbs, outcome):
        of_subject = random.normal(0, spread[0], how_many_subjects)
        of_verb, likely = random.normal(0, spread[1], how_many_verbs), random.normal(-8, 2, how_many_verbs)
        s, v, n = (way.ravel() for way in np.indices((how_many_subjects, how_many_verbs, 2)))
        table = pd.DataFrame({"subject": s, "lemma": v, "number": np.where(n == 0, "singular", "plural"),
                              "noun": np.where(v % 2 == 0, "yes", "no"), "log_probability": likely[v]})  # fmt: skip
        base = np.array([easiness[key] for key in zip(table["noun"], table["number"], strict=True)])
        chance = logistic(base + 0.2 * (likely[v] + 8) + of_subject[s] + of_verb[v])
        return table.assign(correct=outcome(chance))

    whole = drawn(300, 3000, lambda chance: chance)
    truth = odds_ratios(whole, factors, covariates)["odds_ratio"]
    held = pd.Series(0, index=truth.index)
    for _ in range(runs):
        some = drawn(subjects, verbs, lambda chance: (random.random(len(chance)) < chance).astype(float))
        found = odds_ratios(some, factors, covariates)
        held = held + (found["low"].le(truth) & found["high"].ge(truth)).astype(int)
    coverage = (held / runs).set_axis([f"{e}: {w}" for e, w in zip(found["effect"], found["where"], strict=True)])
    return {"coverage": coverage, "mean": float(coverage.mean())}
