"""Does a finding hold for a model that the paper never saw? Verdicts on measured statistics.

`tse_book.studies.findings` measures, data/claims.yaml (`extensions`) says what is claimed and where the threshold lies:

* **extends**: the statistic lies on the claim's side of the threshold;
* **does not extend**: it lies on the other side;
* **undecided**: it could be either;
* **depends on ...**: under a named condition the verdict is another one, and a paired test shows the difference;
* **described**: it rests on fewer than three units, which show a number and support no verdict.

All tests of one model, those against thresholds and those of conditions, are one family: their p-values are corrected
together (Holm), and a verdict needs a corrected p-value below 0.05. The intervals shown are those of each number alone.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_book.claims.blimp import prefix_methods
from tse_book.claims.finding import load_claims
from tse_book.laboratory.names import is_laboratory
from tse_book.studies.findings import AGAINST, DEFAULT, FINDING_COLUMNS, NO_BOS, ONCE
from tse_core.errors import InputError, check_known
from tse_core.uncertainty.p_values import holm, p_value

LEVEL = 0.05
FEWEST = 3  # units; fewer are described
ALL, DIFFERENCE = "all", "difference"
EXTENSION = (
    "model", "id", "paper", "claim", "statistic", "threshold", "whose", "why", "value", "low", "high", "n",
    "p_holm", "verdict", "on", "otherwise", "conditions", "signature", "cell",
)  # fmt: skip


def extension_ledger(findings: pd.DataFrame) -> pd.DataFrame:
    """Every general claim, judged on every model that was run and that its paper did not test.

    `findings` is what `tse_book.studies.findings_table` gives, of any models; laboratory models and those of a claim's
    own paper are skipped. Raises InputError: findings lack a column, name an unknown claim or condition, or have a
    number twice.

    Returns
    -------
    DataFrame
        The columns `EXTENSION`, one row per model and claim: the statistic with its interval under the model's own way
        of reading, its corrected p-value against the threshold, the verdict, the conditions that it depends `on`, the
        verdicts `otherwise`, under other thresholds where the threshold is ours, and `conditions`, a table: condition,
        value, low, high, verdict, difference (from what it is compared with), p_holm of the difference.
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
            rows.append(row | {"otherwise": "; ".join(words)})
    return pd.DataFrame(rows, columns=list(EXTENSION))


def _said(claim: dict, row: dict) -> str:
    on = f" on {row['on']}" if row["on"] else ""
    return f"{claim['threshold']:g}: {row['verdict']}{on}"


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
    described = judged["n"] < FEWEST
    null = [0.0 if row == DIFFERENCE else threshold_of(claims[claim])
            for row, claim in zip(judged["row"], judged["claim"], strict=True)]  # fmt: skip
    numbers = zip(judged["value"] - null, judged["error"], judged["freedom"], strict=True)
    p = np.array([p_value(*number) for number in numbers])
    judged["p_holm"] = np.nan
    judged.loc[~described, "p_holm"] = holm(p[~described.to_numpy()])
    judged["verdict"] = [
        verdicts.DESCRIBED if few else extends(value, at, corrected, claims[claim].get("side", "above"))
        for value, at, corrected, claim, few in zip(
            judged["value"], null, judged["p_holm"], judged["claim"], described, strict=True
        )
    ]
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
        if main["n"] < FEWEST:
            row |= {"low": np.nan, "high": np.nan}
    conditions, on = [], []
    for condition in numbers.index.drop(DEFAULT, errors="ignore"):
        here, against = numbers.loc[condition], AGAINST[condition]
        gap, p = gaps.loc[condition, ["value", "p_holm"]] if condition in gaps.index else (np.nan, np.nan)
        numbers_here = {name: here[name] for name in ("value", "low", "high", "verdict")}
        conditions.append({"condition": condition, **numbers_here, "difference": gap, "p_holm": p})
        if p < LEVEL and here["verdict"] != numbers.loc[against, "verdict"]:
            on.append(NAMED[condition])
    if on:
        row |= {"verdict": verdicts.DEPENDS, "on": ", ".join(dict.fromkeys(on))}
    names = ["condition", "value", "low", "high", "verdict", "difference", "p_holm"]
    return row | {"conditions": pd.DataFrame(conditions, columns=names)}


# What a verdict depends on, where a condition changes it.
NAMED = {
    NO_BOS: "the BOS token",
    ONCE: "how often TSE counts a decision",
}


def _outside(model: str, tested: list[str]) -> bool:
    name = model.rstrip("/").rpartition("/")[2]
    return not is_laboratory(name) and name not in tested


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
