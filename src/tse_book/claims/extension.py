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

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_book.claims.benchmarks import prefix_methods
from tse_book.claims.choices import THRESHOLD, Choice, robustness
from tse_book.claims.finding import load_claims
from tse_book.laboratory.names import is_laboratory
from tse_book.studies.contrasts import ALL, DIFFERENCE
from tse_book.studies.findings import AGAINST, DEFAULT, NO_BOS, ONCE
from tse_core.errors import InputError, check_known
from tse_core.uncertainty.p_values import holm, p_value

SIGNIFICANCE = 0.05
FEWEST = 3  # units; fewer are described
EXTENSION = (
    "model", "id", "paper", "claim", "statistic", "threshold", "whose", "why", "value", "low", "high", "n",
    "p_holm", "verdict", "on", "robustness", "agree", "choices", "turns_on", "otherwise", "conditions", "signature",
    "cell",
)  # fmt: skip


def extension_ledger(findings: pd.DataFrame) -> pd.DataFrame:
    """Every general claim, judged on every model that was run and that its paper did not test.

    `findings` is a table as of `tse_book.studies.findings.findings_table`, of any models; laboratory
    models and those of a claim's own paper are skipped. Raises InputError: findings name an unknown
    claim or condition, or have a number twice.

    Returns a table with the columns `EXTENSION`, one row per model and claim: the statistic with its
    interval under the model's own way of reading, its corrected p-value against the threshold, the
    verdict, the conditions that it depends `on`, the verdicts `otherwise`, under other thresholds
    where the threshold is ours, and `conditions`, a table: condition, value, low, high, verdict,
    difference (from what it is compared with), p_holm of the difference.
    """
    _check(findings)
    rows = []
    for model, measured in findings.groupby("model", sort=False):
        claims = _claims_for(model)
        tested = _tested(measured, claims)
        for name, claim in claims.items():
            row = _row(model, claim, tested)
            thresholds = []
            for threshold in claim.get("otherwise", []):
                other = claim | {"threshold": threshold}
                other_row = _row(model, other, _tested(measured, claims | {name: other}))
                answer = other_row["verdict"]
                if other_row["on"]:
                    answer += f" on {other_row['on']}"
                thresholds.append(Choice(THRESHOLD, f"{threshold:g}", answer))
            conditions = []
            for condition in row["conditions"].itertuples():
                about = NAMED[condition.condition]
                conditions.append(Choice(about, condition.condition, condition.verdict))
            row |= robustness(row["answer"], [*thresholds, *conditions])
            row["otherwise"] = robustness("", thresholds)["otherwise"]
            rows.append(row)
    return pd.DataFrame(rows, columns=list(EXTENSION))


def _check(findings: pd.DataFrame) -> None:
    """Raise InputError where findings name an unknown claim or condition, or have a number twice."""
    claims = [claim["id"] for claim in load_claims()["extensions"]]
    names = {"claim": claims, "condition": [DEFAULT, *AGAINST]}
    for column, known_names in names.items():
        for name in findings[column].unique():
            check_known(f"{column} of a finding", name, known_names, " (data/claims.yaml)")
    twice = findings[findings.duplicated(["model", "claim", "condition", "row"])]
    if len(twice):
        first = twice.iloc[0]
        raise InputError(
            f"findings: {first['claim']} of {first['model']} occurs twice "
            f"(condition: {first['condition']})"
        )


def _claims_for(model: str) -> dict[str, dict]:
    """The general claims of the papers that did not test a model, by id; none for a laboratory model."""
    name = model.rstrip("/").rpartition("/")[2]
    if is_laboratory(name):
        return {}
    tested_models = load_claims()["tested"]
    claims = {}
    for claim in load_claims()["extensions"]:
        paper = claim["paper"]
        if paper in tested_models and name not in tested_models[paper]:
            claims[claim["id"]] = claim
    return claims


def threshold_of(claim: dict) -> float:
    """The claim's threshold: a number, or one computed from published data."""
    if not isinstance(claim["threshold"], str):
        return float(claim["threshold"])
    methods = prefix_methods()
    thresholds = {
        "furthest_method": methods["difference"].abs().max(),
        "lowest_method_correlation": methods.groupby("model")["correlation"].mean().min(),
    }
    return thresholds[claim["threshold"]]


def extends(value: float, threshold: float, p: float, side: str = "above") -> str:
    """The verdict on a number whose corrected p-value against the threshold is `p`.

    >>> extends(0.05, 0, 0.01), extends(-0.05, 0, 0.01), extends(0.05, 0, 0.2), extends(0.01, 0.013, 0.01, "below")
    ('extends', 'does not extend', 'undecided', 'extends')
    """
    if p >= SIGNIFICANCE:
        return verdicts.UNDECIDED
    is_above = value > threshold
    if is_above == (side == "above"):
        return verdicts.EXTENDS
    return verdicts.DOES_NOT_EXTEND


def _tested(findings: pd.DataFrame, claims: dict[str, dict]) -> pd.DataFrame:
    """The judged numbers and the differences of one model, with p-values of one family, and verdicts."""
    is_tested = findings["row"].isin([ALL, DIFFERENCE]) & findings["claim"].isin(claims)
    table = findings[is_tested].copy()
    thresholds = {name: threshold_of(claim) for name, claim in claims.items()}
    sides = {name: claim.get("side", "above") for name, claim in claims.items()}
    side = table["claim"].map(sides)
    # Differences are tested against 0.
    threshold = table["claim"].map(thresholds).where(table["row"] == ALL, 0.0).astype(float)
    enough = table["n"] >= FEWEST
    tests = zip(table["value"] - threshold, table["error"], table["freedom"], strict=True)
    p_values = np.array([p_value(*test) for test in tests])
    table["p_holm"] = np.nan
    table.loc[enough, "p_holm"] = holm(p_values[enough.to_numpy()])
    table["verdict"] = list(map(extends, table["value"], threshold, table["p_holm"], side))
    table["verdict"] = table["verdict"].where(enough, verdicts.DESCRIBED)
    return table


def _row(model: str, claim: dict, tested: pd.DataFrame) -> dict:
    """A claim's row in the ledger, with the answer under the model's own way of reading."""
    row = {column: claim.get(column, "") for column in EXTENSION}
    row |= {"model": model, "threshold": threshold_of(claim)}
    row |= dict.fromkeys(("value", "low", "high", "p_holm"), np.nan)
    row |= {"n": 0, "verdict": verdicts.NOT_RUN, "on": ""}
    of_claim = tested[tested["claim"] == claim["id"]].set_index("condition")
    numbers = of_claim[of_claim["row"] == ALL]
    differences = of_claim[of_claim["row"] == DIFFERENCE]
    if DEFAULT in numbers.index:
        columns = ["value", "low", "high", "n", "p_holm", "verdict", "signature"]
        row |= numbers.loc[DEFAULT, columns].to_dict()
        if row["n"] < FEWEST:
            row |= {"low": np.nan, "high": np.nan}
    row["answer"] = row["verdict"]
    conditions = numbers.drop(index=DEFAULT, errors="ignore")[["value", "low", "high", "verdict"]]
    differences = differences[["value", "p_holm"]].rename(columns={"value": "difference"})
    conditions = conditions.join(differences)
    # A condition changes the verdict if it differs by more than chance and is judged otherwise.
    reference = numbers["verdict"].reindex(conditions.index.map(AGAINST)).to_numpy()
    is_changed = (conditions["p_holm"] < SIGNIFICANCE) & (conditions["verdict"] != reference)
    if is_changed.any():
        row["verdict"] = verdicts.DEPENDS
        row["on"] = ", ".join(NAMED[name] for name in conditions.index[is_changed])
    return row | {"conditions": conditions.reset_index()}


# What a verdict depends on, where a condition changes it.
NAMED = {NO_BOS: "the BOS token", ONCE: "how often TSE counts a decision"}
