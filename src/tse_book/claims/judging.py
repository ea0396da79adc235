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
from tse_book.claims.finding import CHECKS, SIDES, Finding, load_claims, meets
from tse_book.claims.results import Results
from tse_book.claims.runs import RUNS, of_a_model_above_chance
from tse_core.errors import InputError
from tse_core.metrics.definitions import METRICS
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
# What a claim's `otherwise` may be about, by the word in data/claims.yaml.
ABOUT = {"threshold": THRESHOLD, "reading": READING, "precision": PRECISION}


def ledger(results: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every claim with its verdict.

    `results` are measured values: what ``Evaluation.tidy()`` gives, or any table in the schema of `RESULTS`. It needs
    hf_name (or else model, of which the part after the last slash counts), construction, metric and score; InputError
    names what it lacks.

    Returns a table with one row per claim, case and basis ("published data" or "model run") and the columns `LEDGER`:
    criterion is our own threshold, where the paper gives none; published what the paper prints or its authors released;
    out_of the total of a count; low and high the 95 % interval; answer whether the claim holds by our criterion;
    verdict one of `VERDICTS`; cell the page and place that show it; how the way to run it. On other choices (see
    `tse_book.claims.choices`): otherwise the answer under each, choices how many were tried, agree how many give our
    answer, robustness their share, turns_on what those are about that do not.
    """
    measured = Results(_tidy(pd.DataFrame(columns=_NEEDED) if results is None else results))
    rows = []
    for case, from_data in _cases():
        if from_data:
            rows.append(from_data)
        if "run" in case:
            rows.append(_row(case) | {"basis": "model run"} | _from_run(case, measured))
    table = pd.DataFrame(rows, columns=list(LEDGER))
    table = table.astype(
        dict.fromkeys(("published", "measured", "out_of", "low", "high", "robustness"), float)
    )
    return table.assign(difference=table["measured"] - table["published"])


def verdict_summary(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """How often each verdict was given: papers down, verdicts across. `table` is a ledger."""
    table = ledger() if table is None else table
    counts = pd.crosstab(table["paper"], table["verdict"])
    return counts.reindex(
        index=list(load_claims()["papers"]), columns=list(verdicts.VERDICTS), fill_value=0
    )


def papers() -> dict[str, str]:
    """The papers of the ledger: key -> title; last those whose findings are only tested on other models."""
    return load_claims()["papers"] | load_claims()["further"]


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
    numbers, parts = ["truth", "measured", "low", "high"], []
    for metric in [metric for metric in METRICS if f"true_{metric}" in scores]:
        names = [*key, f"true_{metric}", metric, f"{metric}_low", f"{metric}_high", "signature"]
        part = scores.reindex(columns=names).set_axis([*key, *numbers, "signature"], axis=1)
        parts.append(part.dropna(subset="truth").assign(metric=metric))
    table = pd.concat(parts, ignore_index=True).astype(dict.fromkeys(numbers, float))
    table["signature"] = table["signature"].astype(object).fillna("")
    table["difference"] = table["measured"] - table["truth"]
    near = np.where(table["difference"].abs() <= 0.02, verdicts.NEAR, verdicts.DIFFERS)
    inside = np.where(
        table["truth"].between(table["low"], table["high"]), verdicts.INSIDE, verdicts.OUTSIDE
    )
    verdict = np.where(table[["low", "high"]].isna().any(axis=1), near, inside)
    table["verdict"] = np.where(table["measured"].isna(), verdicts.NOT_RUN, verdict)
    return table[[*key, "metric", *numbers, "difference", "verdict", "signature"]]


def _tidy(table: pd.DataFrame) -> pd.DataFrame:
    """Results in the schema: names without folders, a number per row, no cut-off meaning the whole distribution."""
    if "hf_name" not in table and "model" in table:
        table = table.assign(
            hf_name=table["model"].astype(str).str.rstrip("/").str.replace(".*/", "", regex=True)
        )
    if missing := [column for column in _NEEDED if column not in table]:
        raise InputError(f"results without {', '.join(missing)}; needed: {', '.join(_NEEDED)}")
    parts = [table]
    for beside in [name for name in ("coverage", "invalid") if name in table]:
        rows = table[(table["metric"] == "EW") & table[beside].notna()]
        parts.append(rows.assign(metric=beside, score=rows[beside], low=np.nan, high=np.nan))
    table = pd.concat(
        [part.reindex(columns=list(RESULTS)).astype(object) for part in parts], ignore_index=True
    )
    require_identified(
        [
            Signature.parse(text)
            for text in table["signature"].dropna().unique()
            if f"@{MEMORY}" in text
        ]
    )
    table["side"] = table["side"].replace("", None)
    for column, value in {
        "side": "top",
        "cutoff": 1.0,
        "protocol": "",
        "method": "",
        "signature": "",
    }.items():
        table[column] = table[column].where(table[column].notna(), value)
    return table.astype(dict.fromkeys(("cutoff", "score", "low", "high", "lemmas"), float))


@cache
def _cases() -> list[tuple[dict, dict | None]]:
    """Each case of each claim, and its row from published data if they are enough for one."""
    found = []
    for claim in load_claims()["claims"]:
        variants = cases(claim)
        for number, variant in enumerate(variants, start=1):
            suffix = f".{number:0{len(str(len(variants)))}d}" if len(variants) > 1 else ""
            case = {**claim, **variant, "id": claim["id"] + suffix}
            found.append((case, _row(case) | _from_data(case) if "from_data" in case else None))
    return found


def _row(case: dict) -> dict:
    """What a case's row in the ledger has before anything is judged."""
    printed = case.get("published")
    words = {**case, "published": f"{printed:g}" if isinstance(printed, float) else printed}
    settings = {**case, **case.get("run", {}), **case.get("from_data", {})}
    return {
        **{
            column: case.get(column)
            for column in ("id", "paper", "model", "construction", "metric", "cell")
        },
        "claim": " ".join(case["claim"].format_map(words).split()),
        "criterion": case.get("criterion", "").format_map(settings),
        "published": np.nan if printed is None else printed,
        "how": case.get("how", load_claims()["how"][case["paper"]]).format_map(
            {"model": case.get("model")}
        ),
        "verdict": verdicts.NOT_RUN,
        **dict.fromkeys(("signature", "note", "answer"), ""),
        **robustness("", []),
    }


def _from_data(case: dict) -> dict:
    """What published data say of a case."""
    settings = {**case, **case["from_data"]}
    check = CHECKS[settings["check"]]
    found = check(settings)
    holds = meets(found, settings)
    choices = list(found.versions)
    for about, words, other in _otherwise(case):
        if "within" in other and SIDES.keys() & settings.keys():
            continue  # a bound is judged by itself
        changed = {**settings, **other}
        choices.append(Choice(about, words, verdicts.in_words(meets(check(changed), changed))))
    answer = verdicts.in_words(holds)
    return {
        "basis": "published data",
        "how": "",
        "measured": found.value,
        "out_of": found.out_of,
        "answer": answer,
        "verdict": verdicts.of_published(holds, turned_by(answer, choices)),
        "note": _joined(found.note, case.get("note")),
        **robustness(answer, choices),
    }


def _from_run(case: dict, results: Results) -> dict:
    """What results say of a case; nothing but a criterion where its model has not run."""
    settings, row = {**case, **case["run"]}, dict[str, Any]()
    if "above_chance" in settings:
        least = (
            f"MW of Simple at least {settings['above_chance']}, which random weights do not reach"
        )
        row["criterion"] = _joined(_row(case)["criterion"], least)
    found = _run(settings, results)
    if found is None:
        return row
    others = [
        (about, words, _run(settings | other, results))
        for about, words, other in _otherwise(case)
        if about != PRECISION
        and "within" not in other  # of readings of figures; runs have tolerances
    ]
    others += [
        (POLICIES[name], f"{name} {value}", _run(settings, other))
        for name, value, other in results.switched(found.signature)
    ]
    choices = [Choice(about, words, other.verdict) for about, words, other in others if other]
    row |= {name: getattr(found, name) for name in ("low", "high", "signature", "out_of")}
    row |= {
        "measured": float(found.value),
        "note": _joined(found.note, case.get("note")),
        "answer": found.verdict,
    }
    turned = THRESHOLD in turned_by(found.verdict, choices)
    row["verdict"] = verdicts.AT_THRESHOLD if turned else found.verdict
    return row | robustness(found.verdict, choices)


def _run(settings: dict, results: Results) -> Finding | None:
    """What a check of results finds; what random weights could pass counts only for a model above chance."""
    found = RUNS[settings["check"]](settings, results)
    return (
        of_a_model_above_chance(found, settings, results) if "above_chance" in settings else found
    )


def _otherwise(claim: dict) -> list[tuple[str, str, dict]]:
    """Other settings of a claim's check than ours: what each choice is about, the choice in words, the settings."""
    found = []
    for other in claim.get("otherwise", []):
        settings = {name: value for name, value in other.items() if name not in ("about", "words")}
        words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())
        found.append((ABOUT[other.get("about", "threshold")], other.get("words", words), settings))
    return found


def _joined(*parts: str | None) -> str:
    return "; ".join(filter(None, parts))
