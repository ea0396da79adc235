"""Measured beside true: what a laboratory model scores, per construction and band."""

from pathlib import Path

import pandas as pd

from tse_book.laboratory.known_truth import truth
from tse_book.laboratory.language import load_language
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.errors import check_known
from tse_core.files import write_output
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder


def measure_models(names: list[str] | None, out: str | Path, *, device: str = "auto") -> list[Path]:
    """Measure laboratory models on all nine rows and write scores.csv and curves.csv with a model column.

    Existing rows of other models in these files are kept. Raises InputError for a name that is not a laboratory model,
    before anything is measured.
    """
    language, out = load_language(), Path(out)
    for name in names or []:
        check_known("laboratory model", name, language.models())
    pairs = load_pairs("marvin-linzen")
    tables: dict[str, list[pd.DataFrame]] = {"scores": [], "curves": []}
    for name in names or language.models():
        found = against_truth(load_model(name, device=device), name.split("-")[1], pairs)
        for kind, table in zip(tables, found, strict=True):
            tables[kind].append(table.assign(model=name))
    out.mkdir(parents=True, exist_ok=True)
    return [_write_rows(out / f"{kind}.csv", pd.concat(parts), language.models()) for kind, parts in tables.items()]


def _write_rows(path: Path, table: pd.DataFrame, models: list[str]) -> Path:
    """Replace the rows of the table's models in the file; rows are in the order of `models`."""
    if path.exists():
        kept = pd.read_csv(path)
        table = pd.concat([kept[~kept["model"].isin(table["model"].unique())], table])
    table = table.sort_values("model", key=lambda names: names.map(models.index), kind="stable")
    write_output(path, table[["model", *table.columns.drop("model")]].to_csv(index=False, float_format="%.6g"))
    return path


def against_truth(model: LanguageModel, regime: str, pairs: pd.DataFrame) -> tuple[pd.DataFrame, ...]:
    """Measured scores of a model beside the truth of the regime it learned, and its scores over the cut-offs.

    Returns two tables: construction, band, contexts, TSE, EW, MW, true_TSE, true_EW, true_MW; and `Evaluation.curves`.
    """
    verbs = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    cells, curves = [], []
    for _, some in pairs.groupby("construction", sort=False):  # the forms of one construction alone are in memory
        found = evaluate(model, some.reset_index(drop=True), verbs, detail="forms")
        cells += [found.table().assign(band="all"), found.table("construction,band")]
        curves.append(found.curves())
    measured = pd.concat(cells)[["construction", "band", "contexts", "TSE", "EW", "MW"]]
    known = truth(regime).drop(columns="lemmas")
    known = known.rename(columns={score: f"true_{score}" for score in ("TSE", "EW", "MW")})
    beside = known[["construction", "band"]].merge(measured).merge(known)  # in the order of the truth
    return beside, pd.concat(curves, ignore_index=True)
