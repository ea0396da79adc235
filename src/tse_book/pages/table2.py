"""Rows of Table 2 (Newman et al. 2021, section 4) from evaluations, beside the published ones."""

from collections.abc import Sequence

import pandas as pd

from tse_book.pages import newman
from tse_book.pages.newman import bos_of, label
from tse_book.pages.notebook import table
from tse_book.recorded import load_recorded
from tse_core.agreement.evaluation import Evaluation
from tse_core.errors import InputError
from tse_core.results.signature import Signature

SCORES = ("MW", "EW", "TSE")


def table2_rows(parts: Sequence[Evaluation], rows: Sequence[str]) -> pd.DataFrame:
    """MW, EW and TSE with their 95 % intervals, one row per construction; a row missing in all parts stays empty."""
    return pd.concat([part.table(intervals=True) for part in parts]).set_index("construction").reindex(rows)


def recorded_rows(signature: Signature, rows: Sequence[str]) -> pd.DataFrame:
    """The rows recorded for this model under these policies, in the columns of `table2_rows`."""
    try:
        found = load_recorded(label(signature.model), "agreement")
    except InputError:
        return pd.DataFrame()
    alike = found["signature"].map(lambda text: Signature.parse(text).policy == signature.policy)
    whole = found["metric"].eq("TSE") | (found["side"].eq("top") & found["cutoff"].eq(1.0))
    found = found[alike & whole & found["construction"].isin(rows) & found["metric"].isin(SCORES)]
    wide = found.pivot_table(index="construction", columns="metric", values=["score", "low", "high"], sort=False)
    wide.columns = [metric if end == "score" else f"{metric}_{end}" for end, metric in wide.columns]
    return wide


def with_interval(found: pd.DataFrame, score: str) -> pd.Series:
    """A score as text, with its interval; empty where there is none.

    >>> found = pd.DataFrame({"EW": [0.861, None], "EW_low": [0.79, None], "EW_high": [0.92, None]})
    >>> list(with_interval(found, "EW").str.replace(chr(160), " "))
    ['0.86 [0.79, 0.92]', '']
    """
    values = found[[score, f"{score}_low", f"{score}_high"]].itertuples(index=False)
    text = pd.Series([f"{mean:.2f} [{low:.2f},\u00a0{high:.2f}]" for mean, low, high in values], found.index)
    return text.where(found[score].notna(), "")


def beside_published(
    parts: Sequence[Evaluation], bare: Sequence[pd.DataFrame], printed: pd.DataFrame, rows: Sequence[str]
):
    """One model's Table 2, also with nothing in front if `bare` has it, beside the published model of its kind.

    Parameters
    ----------
    parts : evaluations of one model with one verb list and protocol
    bare : tables of the same with nothing in front of the first word; empty where that is how the model reads anyway;
        what is recorded has a column source
    printed : Table 2 as published, with columns row, hf_name, metric, value
    rows : the constructions, in order
    """
    signature = parts[0].signature
    name, bos = label(signature.model), bos_of(signature)
    known = printed.pivot(index="row", columns=["hf_name", "metric"], values="value").loc[list(rows)]
    neighbour = newman.neighbour(signature)
    found = table2_rows(parts, rows)
    recorded = recorded_rows(signature, list(found.index[found["EW"].isna()]))
    found = found.fillna(recorded.reindex(index=found.index, columns=found.columns))
    shown = {(f"{bos} in front", score): with_interval(found, score) for score in SCORES}
    without_bos = "nothing in front" + (", recorded" if all("source" in part for part in bare) else "")
    if bare:
        other = pd.concat(bare).set_index("construction").reindex(rows)
        shown |= {(without_bos, score): other[score] for score in SCORES}
    shown |= {(f"{neighbour}, published", score): known[neighbour, score] for score in SCORES}
    verbs, protocol = signature.policy["lemmas"].partition("@")[0], signature.protocol
    counted = f"{len(parts[0].lemmas)} lemmas of {verbs}, protocol {protocol}"
    counted += f"; as recorded: {', '.join(recorded.index)}" if len(recorded) else ""
    return table(
        pd.DataFrame(shown).rename_axis(None),
        f"{name if name == neighbour else f'{name} beside {neighbour}'}: mean and 95 % interval; {counted}.",
        index=True,
        lighter=(without_bos,),
        note=signature.without_provenance,
    )
