"""Tables of evaluated suites: accuracy by suite, by circuit, and over all (Hu et al. 2020)."""

import pandas as pd

from tse_core.syntaxgym.library import circuit
from tse_core.syntaxgym.outcomes import Outcome
from tse_core.uncertainty.shares import joined, wilson

COLUMNS = ["model", "suite", "circuit", "accuracy", "correct", "items", "judged", "unknown"]


def accuracy_table(outcomes: list[Outcome], unknown: str = "refuse") -> pd.DataFrame:
    """A row per model and suite, in `COLUMNS`; the accuracy is NaN where no item is judged.

    ``judged`` counts the items that `judged_items` gives, ``unknown`` those with an unknown word in
    a region that a prediction speaks of.
    """
    rows = []
    for outcome in outcomes:
        affected = outcome.items.groupby("item")["unknown"].any()
        judged = judged_items(outcome, unknown)
        holds = outcome.by_item[judged]
        row = {
            "model": label(outcome),
            "suite": outcome.suite.name,
            "circuit": circuit(outcome.suite),
            "accuracy": holds.mean(),
            "correct": int(holds.sum()),
            "items": len(affected),
            "judged": len(judged),
            "unknown": int(affected.sum()),
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def judged_items(outcome: Outcome, unknown: str = "refuse") -> pd.Index:
    """The numbers of the items that are judged: under "flag" all of them.

    Under "refuse" those without an unknown word in a region that a prediction speaks of, or none at
    all where they are fewer than half or where more than a tenth of all tokens is unknown.
    """
    affected = outcome.items.groupby("item")["unknown"].any()
    if unknown == "flag":
        return affected.index
    judged = affected.index[~affected]
    # A few items that happen to be known would not stand for the suite.
    too_few = len(judged) < len(affected) / 2
    if too_few or has_many_unknown(outcome):
        return judged[:0]
    return judged


def has_many_unknown(outcome: Outcome) -> bool:
    """Whether more than a tenth of the suite's tokens is unknown to the model, in any region."""
    return bool((outcome.tokens["unknown"] != "").mean() > 0.1)


def circuit_table(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Each model's mean accuracy in each circuit and over all its judged suites, the SG score.

    Takes what `accuracy_table` gives. Columns model, circuit ("all suites" for the SG score),
    suites (how many), accuracy, low, high: a 95 % interval over other items of the same suites,
    from the suites' own (Wilson's), joined by `uncertainty.shares.joined`.
    """
    rows = []
    for model, suites in accuracies.dropna(subset=["accuracy"]).groupby("model", sort=False):
        circuits = suites[suites["circuit"] != ""].groupby("circuit", sort=False)
        for name, part in [*circuits, ("all suites", suites)]:
            shares, lows, highs = [], [], []
            for row in part.itertuples():
                share, low, high = wilson(row.correct, row.judged)
                shares.append(share)
                lows.append(low)
                highs.append(high)
            rows.append((model, name, len(part), *joined(shares, lows, highs)))
    return pd.DataFrame(rows, columns=["model", "circuit", "suites", "accuracy", "low", "high"])


def label(outcome: Outcome) -> str:
    """A model's name in tables: masked ones say how they were scored."""
    name = outcome.signature.model
    return f"{name} (PLL)" if outcome.kind == "masked" else name
