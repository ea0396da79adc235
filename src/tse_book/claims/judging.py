"""The claim ledger: every claim of the papers, its text, the findings, and the verdict.

data/claims.yaml holds the claims in our own words and names the check of each. A claim is checked from the papers'
published numbers, from results of a model that ran, or both; then it has one row for each. A verdict exists only if
the model that ran is the model of the claim. Laboratory models have their own ledger.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from tse_book.claims import blimp, newman, syntaxgym, verdicts  # noqa: F401  (each registers its checks)
from tse_book.claims.cases import cases
from tse_book.claims.finding import CHECKS, Finding, load_claims
from tse_book.claims.results import Results
from tse_book.claims.runs import RUNS, of_a_model_above_chance
from tse_book.claims.verdicts import VERDICTS
from tse_core.errors import InputError
from tse_core.metrics.table import METRICS
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
    "measured", "out_of", "low", "high", "difference", "verdict", "signature", "cell", "how", "note",
)  # fmt: skip
_NEEDED = ("hf_name", "construction", "metric", "score")


def ledger(results: pd.DataFrame | Iterable[pd.DataFrame] | None = None) -> pd.DataFrame:
    """Every claim with its verdict.

    `results` are measured values: what ``Evaluation.tidy()`` gives, or any table in the schema of `RESULTS`. It needs
    hf_name (or else model, of which the part after the last slash counts), construction, metric and score; InputError
    names what it lacks.

    Returns
    -------
    DataFrame
        One row per claim, case and basis ("published data" or "model run"), with the columns `LEDGER`: criterion is our
        own threshold, where the paper gives none, otherwise the verdict under other thresholds; published what the
        paper prints or its authors released; out_of the total of a count; low and high the 95 % interval; verdict one
        of `VERDICTS`; cell the page and place that show it; how the way to run it.
    """
    results = _tidy(results)
    rows = [row for case, finding in _cases() for row in _rows(case, finding, results)]
    table = pd.DataFrame(rows, columns=list(LEDGER))
    table = table.astype(dict.fromkeys(("published", "measured", "out_of", "low", "high"), float))
    return table.assign(difference=table["measured"] - table["published"])


def verdict_summary(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """How often each verdict was given: papers down, verdicts across. `table` is a ledger."""
    table = ledger() if table is None else table
    counts = pd.crosstab(table["paper"], table["verdict"])
    return counts.reindex(index=list(load_claims()["papers"]), columns=list(VERDICTS), fill_value=0)


def papers() -> dict[str, str]:
    """The papers of the ledger: key -> title; last those whose findings are only tested on other models."""
    return load_claims()["papers"] | load_claims()["further"]


def laboratory_ledger(scores: pd.DataFrame) -> pd.DataFrame:
    """The laboratory's own ledger: known truth beside what its models measure.

    `scores` is what ``tse lab measure`` writes: model, construction, band and true_TSE, true_EW, true_MW; TSE, EW, MW
    where measured; EW_low, EW_high and so on (95 % interval) and signature where known.

    Returns a table: model, construction, band, metric, truth, measured, low, high, difference, verdict ("truth in the
    interval", "truth outside the interval"; without an interval "within 0.02" or "differs"; "not yet run"), signature.
    """
    key = ["model", "construction", "band"]
    needed = [*key, "true_TSE", "true_EW", "true_MW"]
    if missing := [column for column in needed if column not in scores]:
        raise InputError(f"laboratory scores without {', '.join(missing)}; needed: {', '.join(needed)}")
    parts = []
    for metric in [metric for metric in METRICS if f"true_{metric}" in scores]:
        names = [*key, f"true_{metric}", metric, f"{metric}_low", f"{metric}_high", "signature"]
        part = scores.reindex(columns=names).set_axis([*key, "truth", "measured", "low", "high", "signature"], axis=1)
        parts.append(part.dropna(subset="truth").assign(metric=metric))
    table = pd.concat(parts, ignore_index=True)
    table = table.astype(dict.fromkeys(("measured", "low", "high"), float))
    table["signature"] = table["signature"].astype(object).fillna("")
    table["difference"] = table["measured"] - table["truth"]
    table["verdict"] = [_laboratory_verdict(row) for row in table.itertuples()]
    return table[[*key, "metric", "truth", "measured", "low", "high", "difference", "verdict", "signature"]]


def _tidy(results) -> Results:
    tables = [] if results is None else [results] if isinstance(results, pd.DataFrame) else list(results)
    tables = [_normal(table) for table in tables]
    table = pd.concat([table for table in tables if len(table)] or [pd.DataFrame(columns=list(RESULTS))])
    return Results(table.astype(dict.fromkeys(("cutoff", "score", "low", "high", "lemmas"), float)))


def _normal(table: pd.DataFrame) -> pd.DataFrame:
    """One table of results in the schema: names without folders, a number per row, no cut-off meaning the whole."""
    if "hf_name" not in table and "model" in table:
        table = table.assign(hf_name=table["model"].astype(str).str.rstrip("/").str.replace(".*/", "", regex=True))
    if missing := [column for column in _NEEDED if column not in table]:
        raise InputError(f"results without {', '.join(missing)}; needed: {', '.join(_NEEDED)}")
    parts = [table]
    for beside in {"coverage", "invalid"} & set(table):
        rows = table[(table["metric"] == "EW") & table[beside].notna()]
        parts.append(rows.assign(metric=beside, score=rows[beside], low=np.nan, high=np.nan))
    table = pd.concat([part.reindex(columns=list(RESULTS)).astype(object) for part in parts], ignore_index=True)
    require_identified([Signature.parse(text) for text in table["signature"].dropna().unique() if f"@{MEMORY}" in text])
    table["side"] = table["side"].replace("", None)
    for column, value in {"side": "top", "cutoff": 1.0, "protocol": "", "method": "", "signature": ""}.items():
        table[column] = table[column].where(table[column].notna(), value)
    return table


@cache
def _cases() -> list[tuple[dict, Finding | None]]:
    """Each case of each claim, and the finding from published data if there is one.

    The case's `beside` has the verdicts on these data under other thresholds than ours.
    """
    found: list[tuple[dict, Finding | None]] = []
    for claim in load_claims()["claims"]:
        variants = cases(claim)
        for number, variant in enumerate(variants, start=1):
            suffix = f".{number:0{len(str(len(variants)))}d}" if len(variants) > 1 else ""
            case, data = {**claim, **variant, "id": claim["id"] + suffix}, claim.get("from_data")
            finding = None
            if data:
                check = CHECKS[data["check"]]
                finding = check({**case, **data})
                others = {words: check({**case, **data, **other}).holds for words, other in _otherwise(case)}
                case["beside"] = "; ".join(f"{w}: {'holds' if yes else 'does not hold'}" for w, yes in others.items())
            found.append((case, finding))
    return found


def _otherwise(claim: dict) -> list[tuple[str, dict]]:
    """Other settings of a claim's check than ours, each in words."""
    found = []
    for other in claim.get("otherwise", []):
        settings = {name: value for name, value in other.items() if name != "words"}
        words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())
        found.append((other.get("words", words), settings))
    return found


def _rows(claim: dict, finding: Finding | None, results: Results) -> list[dict]:
    """The claim's row for each basis it can be checked on."""
    said = claim.get("published")
    words = {**claim, "published": f"{said:g}" if isinstance(said, float) else said}
    settings = {**claim, **claim.get("run", {}), **claim.get("from_data", {})}
    common = {
        **{column: claim.get(column) for column in ("id", "paper", "model", "construction", "metric", "cell")},
        **dict.fromkeys(("signature", "note", "otherwise"), ""),
        "claim": " ".join(claim["claim"].format_map(words).split()),
        "criterion": claim.get("criterion", "").format_map(settings),
        "published": np.nan if said is None else said,
        "how": claim.get("how", load_claims()["how"][claim["paper"]]).format_map({"model": claim.get("model")}),
    }
    rows = []
    if finding is not None:
        row = common | {"basis": "published data", "how": "", "verdict": verdicts.of_published(finding.holds)}
        row |= {"measured": finding.value, "out_of": finding.out_of, "otherwise": claim["beside"]}
        rows.append(row | {"note": _joined(finding.note, claim)})
    if "run" in claim:
        row = common | {"basis": "model run", "verdict": verdicts.NOT_RUN}
        case = {**claim, **claim["run"]}
        check = RUNS[case["check"]]
        found = check(case, results)
        if "above_chance" in case:
            found = of_a_model_above_chance(found, case, results)
            least = f"MW of Simple at least {case['above_chance']}, which random weights do not reach"
            row["criterion"] = "; ".join(filter(None, [row["criterion"], least]))
        if found is not None:
            others = [(words, check({**case, **other}, results)) for words, other in _otherwise(claim)]
            row |= {name: getattr(found, name) for name in ("verdict", "low", "high", "signature", "out_of")}
            row |= {"measured": found.value, "note": _joined(found.note, claim)}
            row["otherwise"] = "; ".join(f"{words}: {other.verdict}" for words, other in others if other)
        rows.append(row)
    return rows


def _joined(note: str, claim: dict) -> str:
    return "; ".join(filter(None, [note, claim.get("note")]))


def _laboratory_verdict(row) -> str:
    if np.isnan(row.measured):
        return verdicts.NOT_RUN
    if np.isnan(row.low) or np.isnan(row.high):
        return "within 0.02" if abs(row.difference) <= 0.02 else "differs"
    return "truth in the interval" if row.low <= row.truth <= row.high else "truth outside the interval"
