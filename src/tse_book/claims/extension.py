"""Does a finding hold for a model that the paper never saw? Verdicts on measured statistics.

`tse_book.studies.findings_of` measures, data/claims.yaml (`extensions`) says what is claimed and where the border lies:

* **extends**: the whole 95 % interval lies on the claim's side of the border;
* **does not extend**: it lies wholly on the other side;
* **undecided**: it holds the border;
* **depends on the front token**: with the model's default in front of every sentence the verdict is another than with
  nothing in front.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from tse_book.claims.blimp import prefix_methods
from tse_book.claims.finding import load_claims
from tse_book.claims.verdicts import DEPENDS, DOES_NOT_EXTEND, EXTENDS, EXTENSION_VERDICTS, NOT_RUN, UNDECIDED
from tse_book.recorded import BOS_SETTINGS
from tse_core.errors import InputError, unknown

EXTENSION = (
    "model", "id", "paper", "claim", "statistic", "border", "shown", "whose", "why", "value", "low", "high", "n",
    "verdict_default", "value_none", "low_none", "high_none", "verdict_none", "verdict", "signature", "signature_none",
    "cell",
)  # fmt: skip
_NEEDED = ("model", "front", "claim", "row", "value", "low", "high", "n", "signature")


def extension_ledger(findings: pd.DataFrame) -> pd.DataFrame:
    """Every general claim, judged on every model that ran and that its paper did not test.

    Parameters
    ----------
    findings : DataFrame
        What `tse_book.studies.findings_of` gives, of any models. Laboratory models and those of a claim's own paper
        are passed over.

    Returns
    -------
    DataFrame
        The columns `EXTENSION`, one row a model and claim: the statistic with its interval and verdict under the
        model's default front and with nothing in front, and the verdict of both.

    Raises
    ------
    InputError : findings lack a column, name an unknown claim or front, or have a number twice.
    """
    claims, tested = load_claims()["extensions"], load_claims()["tested"]
    judged = _checked(findings, [claim["id"] for claim in claims])
    rows = []
    for model in dict.fromkeys(judged["model"]):
        mine = judged[judged["model"] == model].set_index(["claim", "front"])
        rows += [_row(model, claim, mine) for claim in claims if _outside(model, tested[claim["paper"]])]
    return pd.DataFrame(rows, columns=list(EXTENSION))


def extension_summary(table: pd.DataFrame) -> pd.DataFrame:
    """How often each verdict was given: models down, verdicts across. `table` is an extension ledger."""
    counts = pd.crosstab(table["model"], table["verdict"])
    order = [*EXTENSION_VERDICTS, NOT_RUN]
    return counts.reindex(index=list(dict.fromkeys(table["model"])), columns=order, fill_value=0)


def extension_sentence(table: pd.DataFrame) -> str:
    """How often each verdict was given, as a sentence; claims that were not measured are passed over."""
    measured = table[table["verdict"] != NOT_RUN]
    if measured.empty:
        return "No general claim was measured on a model that the papers never saw."
    words = {EXTENDS: ("extends", "extend"), DOES_NOT_EXTEND: ("does not extend", "do not extend")}
    words |= {UNDECIDED: ("is undecided", "are undecided")}
    words |= {DEPENDS: ("depends on the front token", "depend on the front token")}
    counts = measured["verdict"].value_counts()
    said = [
        f"{counts[verdict]} {word[int(counts[verdict] > 1)]}" for verdict, word in words.items() if verdict in counts
    ]
    return (
        f"Of {len(measured)} general claims measured on {', '.join(dict.fromkeys(measured['model']))}, "
        f"{' and '.join(filter(None, [', '.join(said[:-1]), said[-1]]))}."
    )


def extends(low: float, high: float, border: float, side: str = "above") -> str:
    """The verdict on an interval.

    >>> extends(0.02, 0.08, 0), extends(-0.09, -0.01, 0), extends(-0.01, 0.03, 0), extends(1, 1, 1.5, "below")
    ('extends', 'does not extend', 'undecided', 'extends')
    """
    if side == "below":
        low, high, border = -high, -low, -border
    return EXTENDS if low > border else DOES_NOT_EXTEND if high < border else UNDECIDED


def _row(model: str, claim: dict, found: pd.DataFrame) -> dict:
    border = claim["border"] if isinstance(claim["border"], int | float) else _border(claim["border"])
    row = {column: claim.get(column, "") for column in EXTENSION} | {"model": model, "border": float(border)}
    row |= {"signature": "", "signature_none": "", "verdict_default": NOT_RUN, "verdict_none": NOT_RUN, "n": 0}
    row |= {f"{name}{end}": np.nan for name in ("value", "low", "high") for end in ("", "_none")}
    row["shown"] = claim.get("shown", f"{border:.3g}")
    for front, end in BOS_SETTINGS.items():
        if (claim["id"], front) in found.index:
            number = found.loc[(claim["id"], front)]
            row |= {f"{name}{end}": number[name] for name in ("value", "low", "high", "signature")}
            row["n"] = row["n"] or int(number["n"])
            row[f"verdict_{front}"] = extends(number["low"], number["high"], border, claim.get("side", "above"))
    return row | {"verdict": _joint(row["verdict_default"], row["verdict_none"])}


def _joint(default: str, none: str) -> str:
    """The verdict under both fronts; where one of them did not run, that of the other."""
    if NOT_RUN in (default, none):
        return none if default == NOT_RUN else default
    return default if default == none else DEPENDS


def _outside(model: str, tested: list[str]) -> bool:
    name = model.rstrip("/").rpartition("/")[2]
    return not name.startswith("lab-") and name not in tested


def _checked(findings: pd.DataFrame, known: list[str]) -> pd.DataFrame:
    if missing := [column for column in _NEEDED if column not in findings]:
        raise InputError(f"findings without {', '.join(missing)}; needed: {', '.join(_NEEDED)}")
    for column, names in (("claim", known), ("front", BOS_SETTINGS)):
        for name in findings[column].unique():
            if name not in names:
                raise unknown(f"{column} of a finding", name, names, " (data/claims.yaml)")
    judged = findings[findings["row"] == "all"]
    twice = judged[judged.duplicated(["model", "claim", "front"])]
    if len(twice):
        row = twice.iloc[0]
        raise InputError(f"findings: {row['claim']} of {row['model']} stands there twice (front: {row['front']})")
    return judged


_BORDERS: dict[str, Callable[[], float]] = {
    "furthest_method": lambda: prefix_methods()["difference"].abs().max(),
    "lowest_method_correlation": lambda: prefix_methods().groupby("model")["correlation"].mean().min(),
}


def _border(name: str) -> float:
    if name not in _BORDERS:
        raise unknown("border", name, _BORDERS, " (data/claims.yaml)")
    return float(_BORDERS[name]())
