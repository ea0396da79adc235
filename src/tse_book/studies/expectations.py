"""What was expected of the factorial design before it was run in full, and what it shows: H1 to H6.

The expectations come from ten nouns and four; each has a statistic with its 95 % interval over other subjects and other
verbs, crossed, and a region that was named beforehand. An expectation **holds** where the whole interval lies in its
region, **fails** where all of it lies outside, and is **open** where the interval contains the region's edge.
A row of a statistic is a construction; the verdict is on the mean over constructions with equal weights.
"""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book.studies.also_nouns import also_nouns
from tse_book.studies.findings import NO_NOUNS
from tse_core.errors import InputError
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine, interval

MEAN = "mean"
COLUMNS = ["expectation", "statement", "row", "value", "low", "high", "at_least", "at_most", "verdict"]
Parts = list[tuple[Sample, float]]


class Region(NamedTuple):
    """The values that an expectation allows, its ends included."""

    at_least: float = -np.inf
    at_most: float = np.inf

    def verdict(self, low: float, high: float) -> str:
        """holds, fails or open."""
        if self.at_least <= low and high <= self.at_most:
            return "holds"
        return "fails" if high < self.at_least or low > self.at_most else "open"


class Design(NamedTuple):
    """The recorded tables of a design (`tse_book.studies.factorial`), verbs with a column also_noun."""

    contexts: pd.DataFrame
    verbs: pd.DataFrame


def design_of(contexts: pd.DataFrame, verbs: pd.DataFrame) -> Design:
    """The tables "factorial" and "factorial_verbs", prepared for analysis."""
    for name, given in {"contexts": contexts, "verbs": verbs}.items():
        if given.empty:
            raise InputError(f"the design has no {name}, so it cannot be analysed")
    levels = verbs.select_dtypes(exclude="number").columns
    verbs = verbs.assign(also_noun=also_nouns(verbs["lemma"])).astype(dict.fromkeys(levels, "category"))
    return Design(contexts, verbs)


def expectations(design: Design) -> pd.DataFrame:
    """H1 to H4 with their rows: columns `COLUMNS`; ``row`` is a construction or "mean".

    - H1: without a plural attractor and without an adverb, EW over verbs that are never nouns equals TSE within .02;
      TSE over distinct decisions, and of *be* alone.
    - H2: without a plural attractor an adverb lifts EW of nouns by more than .1, of other verbs by less than .02.
    - H3: with an adverb, number sensitivity is at least .99 in every cell (construction, adverb, attractor, kind of
      verb), all of which are judged together.
    - H4: with a plural attractor, an adverb and a singular subject, EW of nouns and of other verbs differ by less than
      .1, and TSE of *be* lies above both.

    Adverbs that may belong to another clause are left out (`ambiguous`).
    """
    calm, pulled = "attractor_number != 'plural'", "attractor_number == 'plural' and number == 'singular'"
    bare, adverb = "adverb == 'none'", "adverb != 'none' and ambiguous == 'no'"
    of_nouns, others = "also_noun", "not also_noun"
    near, nouns_lift, verbs_lift = Region(-0.02, 0.02), Region(at_least=0.1), Region(at_most=0.02)
    close, above = Region(-0.1, 0.1), Region(at_least=0.0)

    def ew(*conditions: str) -> Callable[[str], Sample]:
        return lambda construction: _ew(_rows(design.verbs, construction, *conditions))

    def tse(*conditions: str, be: bool = False) -> Callable[[str], Sample]:
        return lambda construction: _tse(_rows(design.contexts, construction, *conditions), be)

    never, nouns = "EW of verbs that are never nouns", "EW of verbs that are also nouns"
    be = tse(pulled, adverb, be=True)
    judged = [
        ("H1", f"no plural noun, no adverb: {never} minus TSE over distinct decisions",
         ew(calm, bare, others), tse(calm, bare), near),
        ("H1", f"no plural noun, no adverb: {never} minus TSE of be",
         ew(calm, bare, others), tse(calm, bare, be=True), near),
        ("H2", f"no plural noun: {nouns}, with an adverb minus without",
         ew(calm, adverb, of_nouns), ew(calm, bare, of_nouns), nouns_lift),
        ("H2", f"no plural noun: {never}, with an adverb minus without",
         ew(calm, adverb, others), ew(calm, bare, others), verbs_lift),
        ("H4", f"plural noun, adverb: {never} minus that of verbs that are also nouns",
         ew(pulled, adverb, others), ew(pulled, adverb, of_nouns), close),
        ("H4", f"plural noun, adverb: TSE of be minus {never}", be, ew(pulled, adverb, others), above),
        ("H4", f"plural noun, adverb: TSE of be minus {nouns}", be, ew(pulled, adverb, of_nouns), above),
    ]  # fmt: skip
    rows = []
    for name, statement, first, second, region in judged:
        rows += _judged(name, statement, _differences(design, first, second), region)
    rows += _sensitivity(design.verbs.query(adverb), Region(at_least=0.99))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.sort_values("expectation", kind="stable", ignore_index=True)


def expected_of_tokens(table: pd.DataFrame) -> pd.DataFrame:
    """H5: with an adverb, EW of verbs of several tokens lies below that of verbs of one token.

    Parameters
    ----------
    table : "several_tokens" of a recorded run's details
    """
    ways = ("noun", "attractor", "lemma")
    kinds = np.where(also_nouns(table["lemma"]), "nouns", "never nouns")
    parts: dict[str, Parts] = {}
    for (construction, kind), rows in table.groupby(["construction", kinds], sort=False, observed=True):
        lengths = [rows[rows["tokens"] > 1], rows[rows["tokens"] == 1]]
        samples = [
            Sample((some["correct"] / some["contexts"]).to_numpy(), [some[way].to_numpy(str) for way in ways],
                   some["contexts"].to_numpy()) for some in lengths
        ]  # fmt: skip
        parts[f"{construction}, {kind}"] = list(zip(samples, (1.0, -1.0), strict=True))
    statement = "with an adverb: EW of multi-token verbs minus that of single-token verbs, nouns and others apart"
    return pd.DataFrame(_judged("H5", statement, parts, Region(at_most=0.0)), columns=COLUMNS)


def expected_of_falls(findings: pd.DataFrame) -> pd.DataFrame:
    """H6: over verbs that are never nouns, EW falls from head to tail beyond its null in fewer than half of the rows.

    Parameters
    ----------
    findings : of one model, in the columns of `tse_book.studies.findings`

    Returns a table with columns `COLUMNS`. A row's value is its fall beyond the null; it holds where its interval does
    not reach above 0. The row "mean" is the share of rows that fall for certain (the interval lies above 0), with the
    most that it could be (its end does) as its upper bound.
    """
    asked = (findings["claim"] == "E.head-tail.ew") & (findings["condition"] == NO_NOUNS)
    rows = findings[asked & ~findings["row"].isin(["all", "difference"])]
    if rows.empty:
        raise InputError("H6: the findings have no fall from head to tail over verbs that are never nouns")
    certain, possible = (rows["low"] > 0).mean(), (rows["high"] > 0).mean()
    half, none = Region(at_most=0.5 - 1e-9), Region(at_most=0.0)
    share = f"never nouns: share of {len(rows)} rows in which EW falls beyond its null"
    judged = [(MEAN, f"{share} (value, low: for certain; high: possibly)", half, certain, certain, possible)]
    judged += [(r.row, "the fall beyond its null", none, r.value, r.low, r.high) for r in rows.itertuples()]
    table = [("H6", statement, row, *values, *region, region.verdict(*values[1:]))
             for row, statement, region, *values in judged]  # fmt: skip
    return pd.DataFrame(table, columns=COLUMNS)


def lifts(design: Design, number: str) -> pd.DataFrame:
    """How much each adverb lifts EW without a plural attractor, over subjects of one number.

    Returns a table with adverb, also_noun, value, low, high: a mean over the constructions in which it is unambiguous.
    """
    calm = design.verbs.query(f"attractor_number != 'plural' and number == '{number}'")
    by = ["adverb", "also_noun", "construction"]
    bare, cells = (
        {key: _ew(cell) for key, cell in calm.query(asked).groupby(by, sort=False, observed=True)}
        for asked in ("adverb == 'none'", "adverb != 'none' and ambiguous == 'no'")
    )
    found: dict[tuple, dict[str, Parts]] = {}
    for (adverb, noun, construction), cell in cells.items():
        with_and_without = [(cell, 1.0), (bare["none", noun, construction], -1.0)]
        found.setdefault((adverb, noun), {})[construction] = with_and_without
    order = [(adverb, noun) for adverb in design.verbs["adverb"].unique() for noun in (True, False)]
    rows = [(*key, *_mean(found[key])) for key in order if key in found]
    return pd.DataFrame(rows, columns=["adverb", "also_noun", "value", "low", "high"])


class Lift(NamedTuple):
    """A difference with its 95 % interval."""

    value: float
    low: float
    high: float


def lift(design: Design, number: str, attractor: str, constructions: Collection[str], *, noun: bool) -> Lift:
    """How much an adverb lifts EW, mean over the constructions; 95 % over subjects and verbs.

    Parameters
    ----------
    number : of the subject
    attractor : number of the noun in between, or "none"
    noun : True for verbs that are also nouns, False for those that are never nouns
    """
    asked = design.verbs[design.verbs["number"] == number]
    asked = asked[(asked["attractor_number"] == attractor.replace("none", "")) & (asked["also_noun"] == noun)]
    bare, some = asked["adverb"] == "none", (asked["adverb"] != "none") & (asked["ambiguous"] == "no")
    parts = {}
    for name in constructions:
        cells = [_ew(asked[kept & (asked["construction"] == name)]) for kept in (some, bare)]
        parts[name] = list(zip(cells, (1.0, -1.0), strict=True))
    return Lift(*_mean(parts))


def _rows(table: pd.DataFrame, construction: str, *conditions: str) -> pd.DataFrame:
    chosen = table[table["construction"] == construction]
    return chosen.query(" and ".join(f"({condition})" for condition in conditions)) if conditions else chosen


def _ew(rows: pd.DataFrame) -> Sample:
    return _share(rows, "correct", "contexts")


def _share(rows: pd.DataFrame, part: str, whole: str) -> Sample:
    """One count as a share of another, a value for each subject and verb."""
    sums = rows.groupby(["noun", "lemma"], observed=True)[[part, whole]].sum().reset_index()
    clusters = [sums["noun"].to_numpy(str), sums["lemma"].to_numpy(str)]
    return Sample((sums[part] / sums[whole]).to_numpy(), clusters, sums[whole].to_numpy())


def _tse(rows: pd.DataFrame, be: bool) -> Sample:
    """TSE over distinct decisions, or of *be*; the verbs are the templates' own, not a sample of others."""
    if be:
        rows = rows[rows["be"].notna() & ~rows["also_noun"]]
        values, counts = rows["be"].to_numpy(float), None
    else:
        rows = rows[rows["decisions"] > 0]
        values, counts = (rows["decided"] / rows["decisions"]).to_numpy(), rows["decisions"].to_numpy()
    return Sample(values, [rows["noun"].to_numpy(str), np.full(len(rows), "of TSE")], counts)


def _differences(design: Design, first, second) -> dict[str, Parts]:
    found = {}
    for construction in design.verbs["construction"].unique():
        one, other = first(construction), second(construction)
        if len(one.values) and len(other.values):
            found[construction] = [(one, 1.0), (other, -1.0)]
    return found


def _judged(name: str, statement: str, parts: Mapping[str, Parts], region: Region) -> list[tuple]:
    if not parts:
        raise InputError(f"{name}: the design has no contexts for it")
    rows = [(MEAN, *_mean(parts)), *((row, *_mean({row: part})) for row, part in parts.items())]
    return [(name, statement, row, value, low, high, *region, region.verdict(low, high))
            for row, value, low, high in rows]  # fmt: skip


def _mean(parts: Mapping[str, Parts]) -> tuple[float, float, float]:
    """The mean over the rows with equal weights, with its interval over subjects and verbs, crossed."""
    samples = [sample for row in parts.values() for sample, _ in row]
    weights = [weight / len(parts) for row in parts.values() for _, weight in row]
    found = combine(samples, weights)
    return found.estimate, max(found.low, -1.0), min(found.high, 1.0)


def _sensitivity(verbs: pd.DataFrame, region: Region) -> list[tuple]:
    """Number sensitivity in every cell of each construction; the mean row is about all of them.

    Intervals are those of shares (on the logit scale), each of k cells at 1 - 0.05 / k, so that all k contain their
    values together. The value is the smallest of the cells, the bounds are the smallest lower and the smallest
    upper bound: either all intervals lie in the region, or one of them lies below it, or it is open.
    """
    asked = verbs[verbs["twins"] > 0]
    keys = ["construction", "adverb", "attractor_number", "also_noun"]
    cells = {key: _share(cell, "sensitive", "twins") for key, cell in asked.groupby(keys, sort=False, observed=True)}
    if not cells:
        raise InputError("H3: the design has no twins for it")
    bounds = {}
    for key, (values, (noun, lemma), counts) in cells.items():
        found = interval(values, noun, crossed_with=[lemma], counts=counts, level=1 - 0.05 / len(cells))
        bounds[key] = found.estimate, found.low, found.high
    table = pd.DataFrame.from_dict(bounds, orient="index", columns=["value", "low", "high"])
    rows = {
        MEAN: table.min(),
        **{row: part.min() for row, part in table.groupby([key[0] for key in bounds], sort=False)},
    }
    statement = f"with an adverb: NS in each of {len(cells)} cells, the smallest"
    return [("H3", statement, row, *least, *region, region.verdict(*least[1:])) for row, least in rows.items()]
