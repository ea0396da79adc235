"""Does a finding hold for a model that the paper never saw? Verdicts on measured statistics.

`tse_book.studies.findings` measures, data/claims.yaml (`extensions`) says what is claimed and where the threshold lies:

* **extends**: the statistic lies on the claim's side of the threshold;
* **does not extend**: it lies on the other side;
* **undecided**: it could be either;
* **depends on ...**: under a named condition the verdict is another one, and a paired test shows the difference.

All tests of one model, those against thresholds and those of conditions, are one family: their p-values are corrected
together (Holm), and a verdict needs a corrected p-value below 0.05. The intervals shown are those of each number alone.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_book.claims.blimp import prefix_methods
from tse_book.claims.finding import load_claims
from tse_book.studies.findings import (
    ADVERB,
    AGAINST,
    DEFAULT,
    FINDING_COLUMNS,
    NO_ADVERB,
    NO_BOS,
    NO_NOUNS,
    NOUNS,
    ONCE,
)
from tse_core.errors import InputError, check_known
from tse_core.uncertainty.p_values import holm, p_value

LEVEL = 0.05
ALL, DIFFERENCE = "all", "difference"
EXTENSION = (
    "model", "id", "paper", "claim", "statistic", "threshold", "whose", "why", "value", "low", "high", "n",
    "p_holm", "verdict", "on", "otherwise", "conditions", "signature", "cell",
)  # fmt: skip


def extension_ledger(findings: pd.DataFrame) -> pd.DataFrame:
    """Every general claim, judged on every model that was run and that its paper did not test.

    Parameters
    ----------
    findings : DataFrame
        What `tse_book.studies.findings_table` gives, of any models. Laboratory models and those of a claim's own paper
        are skipped.

    Returns
    -------
    DataFrame
        The columns `EXTENSION`, one row per model and claim: the statistic with its interval under the model's own way
        of reading, its corrected p-value against the threshold, the verdict, the conditions that it depends `on`, the
        verdicts `otherwise`, under other thresholds where the threshold is ours, and `conditions`, a table with one row
        each: condition, value, low, high, verdict, difference (from what it is compared with, over their shared
        rows), p_holm of the difference, and, if the two do not have the same rows, rows (how many they share),
        against and here (the two numbers over these).

    Raises
    ------
    InputError : findings lack a column, name an unknown claim or condition, or have a number twice.
    """
    claims, tested = load_claims()["extensions"], load_claims()["tested"]
    known = _checked(findings, [claim["id"] for claim in claims])
    rows = []
    for model in dict.fromkeys(known["model"]):
        mine = [claim for claim in claims if _outside(model, tested[claim["paper"]])]
        own, by_id = known[known["model"] == model], {claim["id"]: claim for claim in mine}
        judged = _tested(own, by_id)
        for claim in mine:
            row = _row(model, claim, judged[judged["claim"] == claim["id"]])
            others = [claim | {"threshold": other} for other in claim.get("otherwise", [])]
            beside = [(other, _tested(own, by_id | {claim["id"]: other})) for other in others]
            words = [_said(other, _row(model, other, of[of["claim"] == claim["id"]])) for other, of in beside]
            conditions = _over_shared_rows(row["conditions"], own[own["claim"] == claim["id"]])
            rows.append(row | {"otherwise": "; ".join(words), "conditions": conditions})
    return pd.DataFrame(rows, columns=list(EXTENSION))


def _said(claim: dict, row: dict) -> str:
    on = f" on {row['on']}" if row["on"] else ""
    return f"{claim['threshold']:g}: {row['verdict']}{on}"


def _over_shared_rows(conditions: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The conditions, with the two numbers behind a difference if the two do not have the same rows.

    A row is, e.g., a construction. The difference is that of the means over the shared rows; for a statistic that
    is its least or largest row, it is that of the least or largest shared row.
    """
    parts = {name: part.set_index("row")["value"] for name, part in own.groupby("condition", sort=False)}
    found = []
    for condition, gap in conditions[["condition", "difference"]].itertuples(index=False):
        here, against = parts[condition], parts.get(AGAINST[condition] or "")
        number = (np.nan, np.nan, np.nan)
        if against is not None and not np.isnan(gap) and abs(against[ALL] - here[ALL] - gap) > 1e-6:
            shared = [row for row in against.index.intersection(here.index) if row not in (ALL, DIFFERENCE)]
            ends = [part[shared] for part in (against, here)]
            for join in ("mean", "max", "min"):
                first, second = (getattr(end, join)() for end in ends)
                if shared and abs(first - second - gap) < 1e-5:
                    number = (len(shared), first, second)
                    break
        found.append(number)
    return conditions.assign(**dict(zip(("rows", "against", "here"), np.array(found).reshape(-1, 3).T, strict=True)))


def threshold_of(claim: dict) -> float:
    """The claim's threshold: a number, or one computed from published data."""
    given = claim["threshold"]
    if isinstance(given, int | float):
        return float(given)
    check_known("threshold", given, _COMPUTED, " (data/claims.yaml)")
    return float(_COMPUTED[given]())


def extends(value: float, threshold: float, p: float, side: str = "above") -> str:
    """The verdict on a number whose corrected p-value against the threshold is `p`.

    >>> extends(0.05, 0, 0.01), extends(-0.05, 0, 0.01), extends(0.05, 0, 0.2), extends(0.01, 0.013, 0.01, "below")
    ('extends', 'does not extend', 'undecided', 'extends')
    """
    if p >= LEVEL:
        return verdicts.UNDECIDED
    return verdicts.EXTENDS if (value > threshold) == (side == "above") else verdicts.DOES_NOT_EXTEND


def _tested(findings: pd.DataFrame, claims: dict[str, dict]) -> pd.DataFrame:
    """The judged numbers and the differences of one model, with p-values corrected as one family, and verdicts."""
    judged = findings[findings["row"].isin([ALL, DIFFERENCE]) & findings["claim"].isin(claims)].copy()
    described = judged["claim"].map({name: "describes" in claim for name, claim in claims.items()}).astype(bool)
    null = [0.0 if row == DIFFERENCE else threshold_of(claims[claim])
            for row, claim in zip(judged["row"], judged["claim"], strict=True)]  # fmt: skip
    numbers = zip(judged["value"] - null, judged["error"], judged["freedom"], strict=True)
    p = np.array([p_value(*number) for number in numbers])
    judged["p_holm"] = np.nan
    judged.loc[~described, "p_holm"] = holm(p[~described.to_numpy()])
    judged["verdict"] = [
        (verdicts.REACHED if value >= at else verdicts.NOT_REACHED) if "describes" in claims[claim]
        else extends(value, at, corrected, claims[claim].get("side", "above"))
        for value, at, corrected, claim in zip(judged["value"], null, judged["p_holm"], judged["claim"], strict=True)
    ]  # fmt: skip
    return judged


def _row(model: str, claim: dict, judged: pd.DataFrame) -> dict:
    row = {column: claim.get(column, "") for column in EXTENSION} | {"model": model, "threshold": threshold_of(claim)}
    row |= dict.fromkeys(("value", "low", "high", "p_holm"), np.nan) | {"n": 0, "verdict": verdicts.NOT_RUN, "on": ""}
    numbers = judged[judged["row"] == ALL].set_index("condition")
    gaps = judged[judged["row"] == DIFFERENCE].set_index("condition")
    if DEFAULT in numbers.index:
        main = numbers.loc[DEFAULT]
        row |= {name: main[name] for name in ("value", "low", "high", "p_holm", "verdict", "signature")}
        row["n"] = int(main["n"])
    conditions, on = [], []
    for condition in numbers.index.drop(DEFAULT, errors="ignore"):
        here, against = numbers.loc[condition], AGAINST[condition]
        gap, p = gaps.loc[condition, ["value", "p_holm"]] if condition in gaps.index else (np.nan, np.nan)
        numbers_here = {name: here[name] for name in ("value", "low", "high", "verdict")}
        conditions.append({"condition": condition, **numbers_here, "difference": gap, "p_holm": p})
        if p < LEVEL and "describes" not in claim and here["verdict"] != numbers.loc[against, "verdict"]:
            on.append(NAMED[condition])
    if on:
        row |= {"verdict": verdicts.DEPENDS, "on": ", ".join(dict.fromkeys(on))}
    names = ["condition", "value", "low", "high", "verdict", "difference", "p_holm"]
    return row | {"conditions": pd.DataFrame(conditions, columns=names)}


# What a verdict depends on, where a condition changes it.
NAMED = {
    NO_BOS: "the BOS token",
    NOUNS: "the kind of verb",
    NO_NOUNS: "the kind of verb",
    ONCE: "how often TSE counts a decision",
    NO_ADVERB: "the sentences",
    ADVERB: "an adverb before the verb",
}


def _outside(model: str, tested: list[str]) -> bool:
    name = model.rstrip("/").rpartition("/")[2]
    return not name.startswith("lab-") and name not in tested


def _checked(findings: pd.DataFrame, known: list[str]) -> pd.DataFrame:
    if missing := [column for column in FINDING_COLUMNS if column not in findings]:
        raise InputError(f"findings without {', '.join(missing)}; needed: {', '.join(FINDING_COLUMNS)}")
    for column, names in (("claim", known), ("condition", [DEFAULT, *AGAINST])):
        for name in findings[column].unique():
            check_known(f"{column} of a finding", name, names, " (data/claims.yaml)")
    twice = findings[findings.duplicated(["model", "claim", "condition", "row"])]
    if len(twice):
        row = twice.iloc[0]
        raise InputError(f"findings: {row['claim']} of {row['model']} occurs twice (condition: {row['condition']})")
    return findings


_COMPUTED: dict[str, Callable[[], float]] = {
    "furthest_method": lambda: prefix_methods()["difference"].abs().max(),
    "lowest_method_correlation": lambda: prefix_methods().groupby("model")["correlation"].mean().min(),
}
