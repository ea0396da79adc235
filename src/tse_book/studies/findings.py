"""General claims of the papers about language models, as numbers of one model: does the finding hold for it?

Every general claim (listed in data/claims.yaml) gets one statistic with its 95 % interval, and the rows behind it,
under the model's own way of reading and under named conditions that may change the answer; with the paired difference
between each condition and its reference. `tse_book.claims` judges them. A positive number is what the paper found.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from tse_book.studies.agreement_findings import about_verbs, agreement_statistics
from tse_book.studies.contrasts import Statistics, difference, numbers
from tse_book.studies.details import readings
from tse_book.studies.rows import sampled_forms
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.results.signature import Signature
from tse_core.results.store import Store

FINDING_COLUMNS = [
    "model", "condition", "claim", "row", "value", "low", "high", "error", "freedom", "n", "signature",
]  # fmt: skip
DEFAULT, NO_BOS, ONCE = "default", "no BOS token", "distinct decisions"
# Condition -> the one that it is compared with.
AGAINST = {NO_BOS: DEFAULT, ONCE: DEFAULT}

Measured = tuple[
    str, Statistics, Signature
]  # under a condition: statistics by claim, and what they are made of


def findings_table(measured: Iterable[Measured]) -> pd.DataFrame:
    """All numbers of one model, a row each, with the columns `FINDING_COLUMNS`.

    Row "all" is what is judged, "difference" the paired difference of a condition's reference less the condition, any
    other a construction, phenomenon, model or suite; low and high are the 95 % interval, n the subjects or verbs, items
    or paradigms that it rests on, whichever are fewest.
    """
    known = {
        (condition, claim): (one, made)
        for condition, claims, made in measured
        for claim, one in claims.items()
    }
    rows = []
    for (condition, claim), (statistic, signature) in known.items():
        found = numbers(statistic)
        reference = known.get((AGAINST.get(condition, ""), claim))
        if found and reference and (gap := difference(reference[0], statistic)):
            found.append(gap)
        rows += [(signature.model, condition, claim, *number, str(signature)) for number in found]
    return pd.DataFrame(rows, columns=FINDING_COLUMNS)


def measure_findings(
    model,
    *,
    lemmas: str,
    data: Iterable[str],
    protocol: Protocol = "exact",
    sample: int = 200,
    store: Store | str | Path | None = "default",
    benchmarks: Mapping[str, Iterable[tuple[Statistics, Signature]]] | None = None,
) -> pd.DataFrame:
    """All statistics of the general claims, under every condition that can be measured with the model.

    `data` are names of agreement pairs, whose constructions together are the rows of Table 2; `sample` is of contexts
    of each construction for past forms. `benchmarks` are the statistics of BLiMP and of suites by BOS policy, with
    their signatures; without them the claims about those are left out.

    Returns a table as `findings_table`. Raises InputError: nothing can be measured.
    """
    names, found, trouble = list(data), [], None
    pairs = pd.concat([load_pairs(name) for name in names], ignore_index=True)
    pairs.attrs["name"] = "+".join(names)
    for bos, own in readings(model):
        condition = DEFAULT if bos == "default" else NO_BOS
        try:
            evaluation = evaluate(
                own, pairs, lemmas, protocol=protocol, detail="lemmas", store=store
            )
            forms = sampled_forms(own, evaluation.contexts, lemmas, sample)
            found.append((condition, agreement_statistics(evaluation, forms), evaluation.signature))
            if condition == DEFAULT:
                found.append((ONCE, about_verbs(evaluation, once=True), evaluation.signature))
        except InputError as error:  # such as no lemma in the vocabulary; other claims need none
            trouble = error
        for statistics, signature in (benchmarks or {}).get(bos, ()):
            found.append((condition, statistics, signature))
    if trouble and not found:
        raise trouble
    return findings_table(found)
