"""The claim ledger: every claim of the papers, its text, the findings, and the verdict.

data/claims.yaml holds the claims in our own words and names the check of each. A claim is checked from the papers'
published numbers, from results of a model that ran, or both; then it has one row for each. A verdict exists only if
the model that ran is the model of the claim. Laboratory models have their own ledger.
"""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from tse_book.claims import benchmarks, newman, verdicts  # noqa: F401  (each registers its checks)
from tse_book.claims.cases import cases
from tse_book.claims.choices import (
    POLICIES,
    PRECISION,
    READING,
    THRESHOLD,
    Choice,
    robustness,
    turned_by,
)
from tse_book.claims.finding import (
    CHECKS,
    OTHER_DATA,
    Finding,
    load_claims,
    meets,
    other_thresholds,
)
from tse_book.claims.results import Results
from tse_book.claims.runs import RUNS, of_a_model_above_chance
from tse_core.errors import InputError
from tse_core.metrics.definitions import metrics_of_sums
from tse_core.results.comparing import require_identified
from tse_core.results.signature import MEMORY, Signature

# The schema of measured results: one row per number, as from `Evaluation.tidy()` (coverage, invalid as columns too).
# The construction is a row of Table 2, a BLiMP phenomenon or paradigm, a suite or circuit, or a sentence of Table 3.
# Numbers without a cut-off have side top and cutoff 1; those without a verb list have no lemmas.
RESULTS = (
    "model", "hf_name", "protocol", "method", "construction", "metric", "side", "cutoff", "score", "low", "high",
    "lemmas", "contexts", "pairs", "signature",
)  # fmt: skip
LEDGER = (
    "id", "paper", "claim", "criterion", "otherwise", "basis", "model", "construction", "metric", "published",
    "measured", "out_of", "low", "high", "difference", "answer", "verdict", "robustness", "agree", "choices",
    "turns_on", "signature", "cell", "how", "note",
)  # fmt: skip
_NEEDED = ["hf_name", "construction", "metric", "score"]


def ledger(results: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every claim with its verdict.

    `results` are measured values: a table as of ``Evaluation.tidy()``, or any in the schema of
    `RESULTS`. It needs hf_name (or else model, of which the part after the last slash counts),
    construction, metric and score; InputError names what it lacks.

    Returns a table with one row per claim, case and basis ("published data" or "model run") and the
    columns `LEDGER`: criterion is our own threshold, where the paper gives none; published what the
    paper prints or its authors released; out_of the total of a count; low and high the 95 %
    interval; answer whether the claim holds by our criterion; verdict one of `VERDICTS`; cell the
    page and place that show it; how the way to run it. On other choices (see
    ``choices.py``): otherwise the answer under each, choices how many were tried, agree
    how many give our answer, robustness their share, turns_on what those are about that do not.
    """
    if results is None:
        results = pd.DataFrame(columns=_NEEDED)
    measured = Results(_tidy(results))
    rows = []
    for case, data_row in _cases():
        if data_row:
            rows.append(data_row)
        if "run" in case:
            rows.append(_row(case) | {"basis": "model run"} | _from_run(case, measured))
    table = pd.DataFrame(rows, columns=list(LEDGER))
    numbers = ("published", "measured", "out_of", "low", "high", "robustness")
    table = table.astype(dict.fromkeys(numbers, float))
    return table.assign(difference=table["measured"] - table["published"])


def verdict_summary(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """How often each verdict was given: papers down, verdicts across. `table` is a ledger."""
    table = ledger() if table is None else table
    counts = pd.crosstab(table["paper"], table["verdict"])
    paper_keys = list(load_claims()["papers"])
    return counts.reindex(index=paper_keys, columns=list(verdicts.VERDICTS), fill_value=0)


def papers() -> dict[str, str]:
    """The papers of the ledger: key -> title."""
    return load_claims()["papers"]


def laboratory_ledger(scores: pd.DataFrame) -> pd.DataFrame:
    """The laboratory's own ledger: known truth beside what its models measure.

    `scores` is data/recorded/laboratory/scores.csv or has its columns: model, construction, band and true_TSE, true_EW,
    true_MW; TSE, EW, MW where measured; EW_low, EW_high and so on (95 % interval) and signature where known.

    Returns a table: model, construction, band, metric, truth, measured, low, high, difference, verdict ("truth in the
    interval", "truth outside the interval"; without an interval "within 0.02" or "differs"; "not yet run"), signature.
    """
    key = ["model", "construction", "band"]
    needed = [*key, "true_TSE", "true_EW", "true_MW"]
    if missing := [column for column in needed if column not in scores]:
        raise InputError(
            f"laboratory scores without {', '.join(missing)}; needed: {', '.join(needed)}"
        )
    numbers = ["truth", "measured", "low", "high"]
    parts = []
    for metric in metrics_of_sums():
        if f"true_{metric}" not in scores:
            continue
        names = [*key, f"true_{metric}", metric, f"{metric}_low", f"{metric}_high", "signature"]
        part = scores.reindex(columns=names).set_axis([*key, *numbers, "signature"], axis=1)
        parts.append(part.dropna(subset="truth").assign(metric=metric))
    table = pd.concat(parts, ignore_index=True).astype(dict.fromkeys(numbers, float))
    table["signature"] = table["signature"].astype(object).fillna("")
    table["difference"] = table["measured"] - table["truth"]
    by_distance = np.where(table["difference"].abs() <= 0.02, verdicts.NEAR, verdicts.DIFFERS)
    is_inside = table["truth"].between(table["low"], table["high"])
    by_interval = np.where(is_inside, verdicts.INSIDE, verdicts.OUTSIDE)
    lacks_interval = table[["low", "high"]].isna().any(axis=1)
    verdict = np.where(lacks_interval, by_distance, by_interval)
    table["verdict"] = np.where(table["measured"].isna(), verdicts.NOT_RUN, verdict)
    return table[[*key, "metric", *numbers, "difference", "verdict", "signature"]]


def _tidy(table: pd.DataFrame) -> pd.DataFrame:
    """Results in the schema: model names without folders, a number per row.

    Numbers without a cut-off are of the whole distribution.
    """
    if "hf_name" not in table and "model" in table:
        names = table["model"].astype(str).str.rstrip("/").str.replace(".*/", "", regex=True)
        table = table.assign(hf_name=names)
    if missing := [column for column in _NEEDED if column not in table]:
        raise InputError(f"results without {', '.join(missing)}; needed: {', '.join(_NEEDED)}")
    parts = [table]
    for column in ("coverage", "invalid"):  # beside the scores, and numbers of their own
        if column in table:
            numbers = table[(table["metric"] == "EW") & table[column].notna()]
            numbers = numbers.assign(metric=column, score=numbers[column], low=np.nan, high=np.nan)
            parts.append(numbers)
    parts = [part.reindex(columns=list(RESULTS)).astype(object) for part in parts]
    table = pd.concat(parts, ignore_index=True)
    texts = table["signature"].dropna().unique()
    require_identified([Signature.parse(text) for text in texts if f"@{MEMORY}" in text])
    table["side"] = table["side"].replace("", None)
    defaults = {"side": "top", "cutoff": 1.0, "protocol": "", "method": "", "signature": ""}
    for column, value in defaults.items():
        table[column] = table[column].where(table[column].notna(), value)
    return table.astype(dict.fromkeys(("cutoff", "score", "low", "high", "lemmas"), float))


@cache
def _cases() -> list[tuple[dict, dict | None]]:
    """Each case of each claim, and its row from published data if they are enough for one."""
    cases_and_rows = []
    for claim in load_claims()["claims"]:
        variants = cases(claim)
        digits = len(str(len(variants)))
        for number, variant in enumerate(variants, start=1):
            name = claim["id"]
            if len(variants) > 1:
                name += f".{number:0{digits}d}"  # such as T2.004
            case = {**claim, **variant, "id": name}
            row = None
            if "from_data" in case:
                row = _row(case) | _from_data(case)
            cases_and_rows.append((case, row))
    return cases_and_rows


def _row(case: dict) -> dict:
    """A case's row in the ledger before anything is judged."""
    columns = ("id", "paper", "model", "construction", "metric", "cell")
    row = {column: case.get(column) for column in columns}
    published = case.get("published")
    words = dict(case, published=published)
    if isinstance(published, float):
        words["published"] = f"{published:g}"
    settings = {**case, **case.get("run", {}), **case.get("from_data", {})}
    how = case.get("how", load_claims()["how"][case["paper"]])
    row |= {
        "claim": " ".join(case["claim"].format_map(words).split()),
        "criterion": case.get("criterion", "").format_map(settings),
        "published": np.nan if published is None else published,
        "how": how.format_map({"model": case.get("model")}),
        "verdict": verdicts.NOT_RUN,
    }
    return row | dict.fromkeys(("signature", "note", "answer"), "") | robustness("", [])


def _from_data(case: dict) -> dict:
    """The columns of a case that published data decide."""
    settings = {**case, **case["from_data"]}
    finding = CHECKS[settings["check"]](settings)
    holds = meets(finding, settings)
    choices = _other_choices_of_data(case, settings, finding)
    answer = verdicts.in_words(holds)
    return {
        "basis": "published data",
        "how": "",
        "measured": finding.value,
        "out_of": finding.out_of,
        "answer": answer,
        "verdict": verdicts.of_published(holds, turned_by(answer, choices)),
        "note": _joined(finding.note, case.get("note")),
        **robustness(answer, choices),
    }


def _other_choices_of_data(case: dict, settings: dict, finding: Finding) -> list[Choice]:
    """What other data, thresholds, precision and readings make of a case that published data decide."""
    check = CHECKS[settings["check"]]
    choices = []
    if settings["check"] in OTHER_DATA:
        choices = OTHER_DATA[settings["check"]](settings, finding)
    others = [(THRESHOLD, *other) for other in other_thresholds(settings, finding.out_of)]
    for reading in case.get("otherwise", []):
        others.append((READING, reading["words"], reading))
    for about, words, other in others:
        changed = {**settings, **other}
        other_holds = meets(check(changed), changed)
        choices.append(Choice(about, words, verdicts.in_words(other_holds)))
    if finding.error:
        holds = meets(finding, settings, finding.error)
        words = f"if it is up to {finding.error:g} off"
        choices.append(Choice(PRECISION, words, verdicts.in_words(holds)))
    return choices


def _from_run(case: dict, results: Results) -> dict:
    """The columns of a case that results decide; only a criterion where its model has not run."""
    settings = {**case, **case["run"]}
    row: dict[str, Any] = {}
    if "above_chance" in settings:
        least = settings["above_chance"]
        chance = f"MW of Simple at least {least}, which random weights do not reach"
        row["criterion"] = _joined(_row(case)["criterion"], chance)
    finding = _run(settings, results)
    if finding is None:
        return row
    choices = _other_choices(settings, results, finding)
    row |= {
        "low": finding.low,
        "high": finding.high,
        "signature": finding.signature,
        "out_of": finding.out_of,
        "measured": float(finding.value),
        "note": _joined(finding.note, case.get("note")),
        "answer": finding.verdict,
        "verdict": finding.verdict,
    }
    if THRESHOLD in turned_by(finding.verdict, choices):
        row["verdict"] = verdicts.AT_THRESHOLD
    return row | robustness(finding.verdict, choices)


def _other_choices(settings: dict, results: Results, finding: Finding) -> list[Choice]:
    """The verdicts on a case of results under other thresholds, and under other policies."""
    choices = []
    for words, other in other_thresholds(settings, finding.out_of):
        changed = _run(settings | other, results)
        if changed is not None:
            choices.append(Choice(THRESHOLD, words, changed.verdict))
    for name, value, other_results in results.switched(finding.signature):
        changed = _run(settings, other_results)
        if changed is not None:
            choices.append(Choice(POLICIES[name], f"{name} {value}", changed.verdict))
    return choices


def _run(settings: dict, results: Results) -> Finding | None:
    """The finding of a check of results, None if its model has not run.

    A check that random weights could pass counts only for a model above chance.
    """
    check = RUNS[settings["check"]]
    finding = check(settings, results)
    if "above_chance" in settings:
        return of_a_model_above_chance(finding, settings, results)
    return finding


def _joined(*parts: str | None) -> str:
    return "; ".join(filter(None, parts))
