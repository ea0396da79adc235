"""Measured beside true: what laboratory models score, by construction and band, by single tokens and by whole words."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import pandas as pd

from tse_book.laboratory.known_truth import truth
from tse_book.laboratory.language import load_language
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.options import CHOICES
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.errors import InputError, check_known
from tse_core.files import write_output
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.results.store import Store


def measure_models(names: list[str] | None, out: str | Path, *, device: str = "auto") -> list[Path]:
    """Measure laboratory models on all nine rows and write scores.csv and curves.csv with a model column.

    Existing rows of other models in these files are kept. Raises InputError for a name that is not a laboratory model,
    before anything is measured.
    """
    known = load_language().models()
    for name in names or []:
        check_known("laboratory model", name, known)
    pairs, scores, curves = load_pairs("marvin-linzen"), [], []
    for name in names or known:
        found = against_truth(load_model(name, device=device), name.split("-")[1], pairs)
        scores.append(found[0].assign(model=name))
        curves.append(found[1].assign(model=name))
    return [_written(Path(out) / "scores.csv", scores), _written(Path(out) / "curves.csv", curves)]


def measure_words(names: Iterable[str], out: str | Path, *, sample: int = 24, device: str = "auto") -> Path:
    """Measure causal laboratory models (``lab-<regime>-causal...``) by single tokens and whole words into words.csv."""
    parts = []
    for name in names:
        known = Path(name).name.split("-")
        if known[0] != "lab" or known[2:3] != ["causal"]:
            raise InputError(f"{name}: whole words are measured for causal laboratory models, lab-<regime>-causal...")
        model = load_model(name, device=device)
        parts.append(against_truth_by_forms(model, known[1], sample=sample).assign(model=model.label))
    return _written(Path(out) / "words.csv", parts)


def against_truth(model: LanguageModel, regime: str, pairs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measured scores of a model beside the truth of the regime it learned, and its scores over the cut-offs.

    Returns two tables: construction, band, contexts, TSE, EW, MW, true_TSE, true_EW, true_MW; and `Evaluation.curves`.
    """
    cells, curves = [], []
    for _, some in pairs.groupby("construction", sort=False):  # the forms of one construction alone are in memory
        found = evaluate(model, some.reset_index(drop=True), _verbs(), detail="forms")
        cells += [found.table().assign(band="all"), found.table("construction,band")]
        curves.append(found.curves())
    measured = pd.concat(cells)[["construction", "band", "contexts", "TSE", "EW", "MW"]]
    known = truth(regime).drop(columns="lemmas").set_index(["construction", "band"]).add_prefix("true_").reset_index()
    beside = known[["construction", "band"]].merge(measured).merge(known)  # in the order of the truth
    return beside, pd.concat(curves, ignore_index=True)


def against_truth_by_forms(
    model: LanguageModel,
    regime: str,
    *,
    data: str | pd.DataFrame = "marvin-linzen",
    forms: Iterable[str] = ("single", "words", "words-no-end"),
    sample: int | Literal["all"] | None = None,
    store: Store | str | Path | None = None,
) -> pd.DataFrame:
    """EW and MW of a laboratory model, with single tokens and with whole words, beside the truth of all verbs.

    `forms` are named as signatures name them; `sample` is of contexts of each construction, the same for all forms.

    Returns a table: forms, construction, contexts, lemmas (how many counted), EW, EW_low, EW_high, MW, MW_low, MW_high
    (95 %, clustered by subject noun), true_EW, true_MW (of all verbs of the language).
    """
    known = truth(regime).query("band == 'all'").set_index("construction")[["EW", "MW"]].add_prefix("true_")
    parts = []
    for policy in forms:
        verbs, end = CHOICES[policy]
        found = evaluate(model, data, _verbs(), verbs=verbs, word_end=end, sample=sample, store=store)
        scores = found.table(intervals=True).join(known, on="construction")
        parts.append(scores.assign(forms=policy, lemmas=len(found.lemmas)))
    bounds = [f"{score}{end}" for score in ("EW", "MW") for end in ("", "_low", "_high")]
    columns = ["forms", "construction", "contexts", "lemmas", *bounds, "true_EW", "true_MW"]
    return pd.concat(parts, ignore_index=True)[columns]


def _verbs() -> Lemmas:
    return load_lemmas(data_folder() / "laboratory" / "lemmas.csv")


def _written(path: Path, tables: list[pd.DataFrame]) -> Path:
    """Replace the rows of the tables' models in a file; rows are in the order of the laboratory's models."""
    table = pd.concat(tables, ignore_index=True)
    if path.exists():
        kept = pd.read_csv(path)
        table = pd.concat([kept[~kept["model"].isin(table["model"].unique())], table])
    order = [*load_language().models(), *table["model"].unique()]
    table = table.sort_values("model", key=lambda names: names.map(order.index), kind="stable")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_output(path, table[["model", *table.columns.drop("model")]].to_csv(index=False, float_format="%.6g"))
    return path
