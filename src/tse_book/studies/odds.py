"""One joint model: what multiplies the odds that a verb is conjugated correctly, and by how much.

A logistic regression of every verb's outcome on the kind of verb, the subject's number, an adverb and an attractor
(crossed with one another), on how likely the model finds the verb, how frequent it is and how many tokens it has. Its
odds ratios are those of the population: of other subjects and other verbs taken together. So their errors come from
both, crossed (the sandwich of Cameron, Gelbach & Miller 2011), and not from the millions of outcomes. statsmodels has
no crossed random effects for a binomial outcome but a variational approximation (BinomialBayesMixedGLM); its logistic
regression has no penalty for cells without an error. The few lines below have the penalty and both clusterings. A mixed
model would also estimate something else, odds ratios within one subject and one verb; its two random intercepts and
these two clusterings model the same sources of uncertainty.

Firth's (1993) penalty, half an outcome right and half wrong for each parameter, keeps the odds of small cells finite.
What one subject or one verb alone decides is not estimable: in each compared cell, both right and wrong outcomes need
an effective number of at least two subjects and two verbs (the inverse of the sum of their squared shares). The degrees
of freedom are the smallest of these numbers less one.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from tse_book.studies.details import COLUMNS, Detail, recorded_details
from tse_book.studies.factorial import CELL
from tse_core.datasets.lemmas import load_lemmas
from tse_core.errors import InputError
from tse_core.uncertainty.clusters import codes, crossed_variance
from tse_core.uncertainty.p_values import holm, p_value
from tse_core.uncertainty.quantiles import logistic, t_quantile

ODDS = "odds"  # what `tse record --part` calls the table
# For each factor the reference level, and the names of the comparisons with it.
FACTORS = {
    "noun": ("no", {"yes": "the verb is also a noun"}),
    "number": ("plural", {"singular": "the subject is singular, not plural"}),
    "adverb": ("none", {"some": "an adverb stands before the verb"}),
    "attractor": ("singular", {"plural": "the noun in between is plural, not singular"}),
}
# For each covariate the size of one step, and the name of the step.
COVARIATES = {
    "log_probability": (float(np.log(10)), "the model finds the verb ten times as likely"),
    "frequency": (1.0, "the verb is ten times as frequent in text (one step of Zipf's scale)"),
    "tokens": (1.0, "the verb has one token more"),
}
WAYS = ("subject", "lemma")
STEPS, CLOSE = 100, 1e-8
COLLINEAR = 1e-9  # a smaller eigenvalue of the columns' correlations is rounding


def verb_outcomes(verbs: pd.DataFrame, likely: pd.DataFrame) -> pd.DataFrame:
    """The outcomes of a factorial design, as `odds_ratios` takes them; ambiguous adverbs are left out.

    Parameters
    ----------
    verbs, likely : the tables "factorial_verbs" and "factorial_likely" of `tse_book.studies.factorial`, recorded or
        made from an evaluation

    Returns a table with a row for each subject, verb and cell of the factors: subject, number, adverb ("none", "some"),
    attractor ("none", "singular", "plural"), construction, lemma, noun ("yes", "no"), correct (a share), count
    (contexts), log_probability (mean over these, of both forms together, nats), frequency (Zipf's scale).
    """
    joined = verbs[verbs["ambiguous"] == "no"].merge(likely, on=[*CELL, "lemma"])
    known = load_lemmas("newman-clean").table.drop_duplicates("lemma").set_index("lemma")
    keys = {
        "subject": joined["noun"],
        "number": joined["number"],
        "adverb": joined["adverb"].where(joined["adverb"] == "none", "some"),
        "attractor": joined["attractor_number"].replace("", "none"),
        "construction": joined["construction"],
        "lemma": joined["lemma"],
    }
    counts = {"correct": joined["correct"], "count": joined["contexts"]}
    table = pd.DataFrame(keys | counts).assign(log_probability=joined["log_probability"] * joined["contexts"])
    table = table.groupby(list(keys), sort=False, observed=True).sum().reset_index()
    shares = {name: table[name] / table["count"] for name in ("correct", "log_probability")}
    noun = table["lemma"].map(known["noun"]).map({True: "yes", False: "no"})
    return table.assign(**shares, noun=noun, frequency=table["lemma"].map(known["zipf"]))


def odds_for(model: str, folder: Path | None = None) -> dict[str, Callable[[], Detail]]:
    """The table of a recorded run, as `record_details` takes it: odds ratios over its recorded factorial design."""

    def detail() -> Detail:
        verbs, likely = (recorded_details(model, kind, folder) for kind in ("factorial_verbs", "factorial_likely"))
        if verbs is None or likely is None:
            raise InputError(f"{model} has no recorded factorial design; record that part first")
        return Detail(odds_ratios(verb_outcomes(verbs.table, likely.table))[COLUMNS[ODDS]], verbs.signatures)

    return {ODDS: detail}


def odds_ratios(
    table: pd.DataFrame, factors: Mapping = FACTORS, covariates: Mapping = COVARIATES, *, level: float = 0.95
) -> pd.DataFrame:
    """How much each condition multiplies the odds that a verb is conjugated correctly.

    Parameters
    ----------
    table : DataFrame
        A row for each outcome, or for several of one cell with their share and count (what `verb_outcomes` gives):
        correct (0 to 1), subject, lemma, a column for each factor and covariate; count is 1 by default. A factor or
        covariate with a single value is left out. With a column construction, every construction has its
        own level, so that conditions are compared within constructions.

    Returns a table with a row for each factor's comparison in each cell of the other factors, and for each covariate:
    effect and where (in words), odds_ratio, low, high (other subjects and verbs), p_value, p_holm (corrected for the
    family of this table). A comparison that is not estimable has no row; ``attrs["not estimable"]`` lists them.

    Raises InputError: a column or a value is missing; no share or count; fewer than two subjects or verbs; nothing is
    estimable, as (nearly) all outcomes are right or wrong; a factor or covariate is determined by the others.
    """
    _check(table, [*factors, *covariates])
    factors = {name: known for name, known in factors.items() if name in table and table[name].nunique() > 1}
    covariates = {name: step for name, step in covariates.items() if name in table and table[name].nunique() > 1}
    if few := [way for way in WAYS if table[way].nunique() < 2]:
        raise InputError(f"the outcomes are of one {few[0]} alone; an interval needs at least two")
    cell, cells = pd.factorize(pd.MultiIndex.from_frame(table[list(factors)].astype(str)), sort=True) if factors else (
        np.zeros(len(table), dtype=np.int64), [()])  # fmt: skip
    counts = table["count"].to_numpy(float) if "count" in table else np.ones(len(table))
    slopes = table[list(covariates)].to_numpy(float) / [step for step, _ in covariates.values()]
    slopes = slopes - np.average(slopes, axis=0, weights=counts) if covariates else slopes
    design = np.concatenate([np.eye(len(cells))[cell], slopes, _levels(table, cell)], axis=1)
    _check_rank(design, len(cells), list(covariates))
    coefficients, inverse, residuals = _fitted(design, table["correct"].to_numpy(float), counts)
    ways = [codes([table[way].to_numpy()]) for way in WAYS]
    both = codes(ways)  # the residuals of one subject and verb add up before they are weighed
    sums = np.stack([np.bincount(both, column * residuals) for column in design.T], axis=1)
    first = np.unique(both, return_index=True)[1]
    correct = table["correct"].to_numpy(float) * counts
    rows, vague = [], []
    contrasts = list(_contrasts(factors, covariates, list(cells)))
    for name, (against, named) in factors.items():
        if not {effect for effect, _, _ in contrasts} & set(named.values()):
            raise InputError(
                f"no two cells of the outcomes differ in {name} alone ({against} and {', '.join(named)}); leave out "
                "this factor, or another that determines it"
            )
    for effect, where, contrast in contrasts:
        compared = np.flatnonzero(contrast[: len(cells)])
        groups = [cell == one for one in compared] or [np.ones(len(table), dtype=bool)]
        free = int(min(_spread(part[group], way[group]) for group in groups for part in (correct, counts - correct)
                       for way in ways) + 1e-9) - 1  # fmt: skip
        if free < 1:
            vague.append((effect, where))
            continue
        contrast = np.pad(contrast, (0, design.shape[1] - len(contrast)))
        estimate = float(contrast @ coefficients)
        error = float(np.sqrt(crossed_variance(sums @ inverse @ contrast, [way[first] for way in ways])))
        reach = t_quantile(level, free) * error
        bounds = np.exp([estimate, estimate - reach, estimate + reach])
        rows.append((effect, where, *bounds, p_value(estimate, error, free)))
    found = pd.DataFrame(rows, columns=["effect", "where", "odds_ratio", "low", "high", "p_value"])
    if found.empty:
        raise InputError(
            f"no odds ratio is estimable: of {counts.sum():,.0f} outcomes {correct.sum():,.0f} are right, and in each "
            "cell right and wrong ones must come from at least two subjects and two verbs"
        )
    found = found.assign(p_holm=holm(found["p_value"]))
    found.attrs["not estimable"] = vague
    return found


def _check(table: pd.DataFrame, conditions: Sequence[str]) -> None:
    """Raises InputError for a missing column or value, and for an invalid share or count."""
    if missing := [column for column in ("correct", *WAYS) if column not in table]:
        raise InputError(f"the outcomes have no column {missing[0]!r}; they have: {', '.join(table.columns)}")
    if table.empty:
        raise InputError("there are no outcomes")
    for column in dict.fromkeys(["correct", *WAYS, "count", "construction", *conditions]):
        if column in table and (none := table[column].replace([np.inf, -np.inf], np.nan).isna().to_numpy()).any():
            raise InputError(f"the outcomes, row {none.argmax() + 1}: {column} is missing; leave such rows out")
    for column, highest, what in (("correct", 1.0, "a share from 0 to 1"), ("count", np.inf, "a number from 0 on")):
        if column in table and (wrong := ~table[column].between(0, highest).to_numpy()).any():
            row = int(wrong.argmax())
            raise InputError(f"the outcomes, row {row + 1}: {column} is {table[column].iloc[row]}; it must be {what}")


def _check_rank(design: np.ndarray, cells: int, covariates: Sequence[str]) -> None:
    """Raises InputError where a covariate is a weighted sum of the others and of the cells."""
    gram = design.T @ design
    scale = np.sqrt(np.diag(gram))
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    if values[0] < COLLINEAR:
        weights = np.abs(vectors[cells : cells + len(covariates), 0])
        named = [name for name, weight in zip(covariates, weights, strict=True) if weight > 1e-3]
        raise InputError(f"{' and '.join(named)} cannot be told apart, or from the factors; leave one out")


def _spread(outcomes: np.ndarray, way: np.ndarray) -> float:
    """The effective number of clusters of outcomes (n,): 1 if all are in one, k if evenly in k, 0 if none."""
    sums = np.bincount(way, outcomes)
    return float(sums.sum() ** 2 / max(sums @ sums, 1e-300))


def _levels(table: pd.DataFrame, cell: np.ndarray) -> np.ndarray:
    """A column for each construction whose level the cells do not determine: (n, at most constructions - 1)."""
    constructions = table["construction"].astype(str).to_numpy() if "construction" in table else np.zeros(len(table))
    patterns = pd.DataFrame({"cell": cell, "construction": constructions}).drop_duplicates()
    known, chosen = np.eye(int(cell.max()) + 1)[patterns["cell"]], []
    for construction in patterns["construction"].unique():
        more = np.column_stack([known, patterns["construction"] == construction])
        if np.linalg.matrix_rank(more) > known.shape[1]:
            known = more
            chosen.append(constructions == construction)
    return np.column_stack([np.empty((len(table), 0)), *chosen]).astype(float)


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
