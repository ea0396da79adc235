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

    `findings` is what `tse_book.studies.findings.findings_table` gives, of any models; laboratory models and those of a
    claim's own paper are skipped. Raises InputError: findings name an unknown claim or condition, or have a number
    twice.

    Returns a table with the columns `EXTENSION`, one row per model and claim: the statistic with its interval under the
    model's own way of reading, its corrected p-value against the threshold, the verdict, the conditions that it depends
    `on`, the verdicts `otherwise`, under other thresholds where the threshold is ours, and `conditions`, a table:
    condition, value, low, high, verdict, difference (from what it is compared with), p_holm of the difference.
    """
    claims, tested = load_claims()["extensions"], load_claims()["tested"]
    for column, names in (
        ("claim", [claim["id"] for claim in claims]),
        ("condition", [DEFAULT, *AGAINST]),
    ):
        for name in findings[column].unique():
            check_known(f"{column} of a finding", name, names, " (data/claims.yaml)")
    for row in findings[findings.duplicated(["model", "claim", "condition", "row"])].itertuples():
        raise InputError(
            f"findings: {row.claim} of {row.model} occurs twice (condition: {row.condition})"
        )
    rows = []
    for model, measured in findings.groupby("model", sort=False):
        name = model.rstrip("/").rpartition("/")[2]
        papers = [
            paper
            for paper, models in tested.items()
            if name not in models and not is_laboratory(name)
        ]
        mine = {claim["id"]: claim for claim in claims if claim["paper"] in papers}
        judged = _tested(measured, mine)
        for name, claim in mine.items():
            thresholds = []
            for threshold in claim.get("otherwise", []):
                other = claim | {"threshold": threshold}
                row = _row(model, other, _tested(measured, mine | {name: other}))
                said = row["verdict"] + (f" on {row['on']}" if row["on"] else "")
                thresholds.append(Choice(THRESHOLD, f"{threshold:g}", said))
            row = _row(model, claim, judged)
            conditions = row["conditions"][["condition", "verdict"]].itertuples(index=False)
            others = [
                Choice(NAMED[condition], condition, verdict) for condition, verdict in conditions
            ]
            row |= robustness(row["answer"], [*thresholds, *others])
            rows.append(row | {"otherwise": robustness("", thresholds)["otherwise"]})
    return pd.DataFrame(rows, columns=list(EXTENSION))


def threshold_of(claim: dict) -> float:
    """The claim's threshold: a number, or one computed from published data."""
    if not isinstance(claim["threshold"], str):
        return float(claim["threshold"])
    methods = prefix_methods()
    return {
        "furthest_method": methods["difference"].abs().max(),
        "lowest_method_correlation": methods.groupby("model")["correlation"].mean().min(),
    }[claim["threshold"]]


def extends(value: float, threshold: float, p: float, side: str = "above") -> str:
    """The verdict on a number whose corrected p-value against the threshold is `p`.

    >>> extends(0.05, 0, 0.01), extends(-0.05, 0, 0.01), extends(0.05, 0, 0.2), extends(0.01, 0.013, 0.01, "below")
    ('extends', 'does not extend', 'undecided', 'extends')
    """
    if p >= SIGNIFICANCE:
        return verdicts.UNDECIDED
    return (
        verdicts.EXTENDS if (value > threshold) == (side == "above") else verdicts.DOES_NOT_EXTEND
    )


def _tested(findings: pd.DataFrame, claims: dict[str, dict]) -> pd.DataFrame:
    """The judged numbers and the differences of one model, with p-values corrected as one family, and verdicts."""
    judged = findings[
        findings["row"].isin([ALL, DIFFERENCE]) & findings["claim"].isin(claims)
    ].copy()
    thresholds = judged["claim"].map({name: threshold_of(claim) for name, claim in claims.items()})
    thresholds = thresholds.where(judged["row"] == ALL, 0.0).astype(float)
    sides = judged["claim"].map(
        {name: claim.get("side", "above") for name, claim in claims.items()}
    )
    tested = judged["n"] >= FEWEST
    numbers = zip(judged["value"] - thresholds, judged["error"], judged["freedom"], strict=True)
    p = np.array([p_value(*number) for number in numbers])
    judged["p_holm"] = np.nan
    judged.loc[tested, "p_holm"] = holm(p[tested.to_numpy()])
    judged["verdict"] = list(map(extends, judged["value"], thresholds, judged["p_holm"], sides))
    judged["verdict"] = judged["verdict"].where(tested, verdicts.DESCRIBED)
    return judged


def _row(model: str, claim: dict, judged: pd.DataFrame) -> dict:
    row = {column: claim.get(column, "") for column in EXTENSION} | {
        "model": model,
        "threshold": threshold_of(claim),
    }
    row |= dict.fromkeys(("value", "low", "high", "p_holm"), np.nan) | {
        "n": 0,
        "verdict": verdicts.NOT_RUN,
        "on": "",
    }
    of_claim = judged[judged["claim"] == claim["id"]].set_index("condition")
    numbers, gaps = (of_claim[of_claim["row"] == kind] for kind in (ALL, DIFFERENCE))
    if DEFAULT in numbers.index:
        row |= numbers.loc[
            DEFAULT, ["value", "low", "high", "n", "p_holm", "verdict", "signature"]
        ].to_dict()
        if row["n"] < FEWEST:
            row |= {"low": np.nan, "high": np.nan}
    row["answer"] = row["verdict"]
    conditions = numbers.drop(index=DEFAULT, errors="ignore")[["value", "low", "high", "verdict"]]
    conditions = conditions.join(
        gaps[["value", "p_holm"]].set_axis(["difference", "p_holm"], axis=1)
    )
    against = numbers["verdict"].reindex(conditions.index.map(AGAINST)).to_numpy()
    changed = (conditions["p_holm"] < SIGNIFICANCE) & (conditions["verdict"] != against)
    if changed.any():
        row |= {
            "verdict": verdicts.DEPENDS,
            "on": ", ".join(NAMED[name] for name in conditions.index[changed]),
        }
    return row | {"conditions": conditions.reset_index()}


# What a verdict depends on, where a condition changes it.
NAMED = {NO_BOS: "the BOS token", ONCE: "how often TSE counts a decision"}
