"""General claims of the papers about language models, as numbers of one model: does the finding hold for it?

Every general claim (listed in data/claims.yaml) gets one statistic with its 95 % interval, and the rows
behind it, under the model's own way of reading and under named conditions that may change the answer; with the
paired difference between each condition and its reference. `tse_book.claims` judges them. A difference is
taken so that a positive number is what the paper found.
"""

from collections.abc import Mapping

import pandas as pd

from tse_book.studies.contrasts import Statistics, difference, numbers
from tse_core.results.signature import Signature

FINDING_COLUMNS = [
    "model", "condition", "claim", "row", "value", "low", "high", "error", "freedom", "n", "signature",
]  # fmt: skip
DEFAULT, NO_BOS, ONCE = "default", "no BOS token", "distinct decisions"
# Condition -> the one that it is compared with.
AGAINST = {NO_BOS: DEFAULT, ONCE: DEFAULT}


def findings_table(measured: Mapping[str, list[tuple[Statistics, Signature]]]) -> pd.DataFrame:
    """All numbers of one model, a row each, with the columns `FINDING_COLUMNS`.

    `measured` has for each condition ("default" or a key of `AGAINST`) statistics by claim, with the signature of what
    they are made of. In the table, row "all" is what is judged, "difference" the paired difference of a condition's
    reference less the condition, any other a construction, phenomenon, model or suite; low and high are the 95 %
    interval, n the subjects or verbs, items or paradigms that it rests on, whichever are fewest.
    """
    known = {condition: {claim: part for part in parts for claim in part[0]} for condition, parts in measured.items()}
    rows = []
    for condition, claims in known.items():
        for claim, (statistics, signature) in claims.items():
            found = numbers(statistics[claim])
            other = known.get(AGAINST.get(condition, ""), {}).get(claim)
            if found and other and (gap := difference(other[0][claim], statistics[claim])):
                found.append(gap)
            rows += [(signature.model, condition, claim, *number, str(signature)) for number in found]
    return pd.DataFrame(rows, columns=FINDING_COLUMNS)
