"""Measured beside true: what a laboratory model scores, per construction and band, and on combinations it never saw."""

from pathlib import Path

import numpy as np
import pandas as pd

from tse_book.laboratory.known_truth import truth
from tse_book.laboratory.language import Language, load_language
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.errors import check_known
from tse_core.files import write_output
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.uncertainty.intervals import compare


def measure_models(names: list[str] | None, out: str | Path, *, device: str = "auto") -> list[Path]:
    """Measure laboratory models on all nine rows and write scores.csv, held_out.csv and curves.csv with a model column.

    Existing rows of other models in these files are kept.

    Raises
    ------
    InputError
        For a name that is not a laboratory model, before anything is measured.
    """
    language, out = load_language(), Path(out)
    for name in names or []:
        check_known("laboratory model", name, language.models())
    pairs = load_pairs("marvin-linzen")
    tables: dict[str, list[pd.DataFrame]] = {"scores": [], "held_out": [], "curves": []}
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
    """Measured scores beside the truth, held-out combinations beside seen ones, and the scores over the cut-offs.

    Parameters
    ----------
    model : a model of the laboratory language
    regime : the regime it learned
    pairs : agreement pairs whose words the language knows (``load_pairs("marvin-linzen")``)

    Returns
    -------
    cells : DataFrame
        construction, band, contexts, then TSE, EW, MW as measured and true_TSE, true_EW, true_MW.
    held_out : DataFrame
        See :func:`unseen_against_seen`.
    curves : DataFrame
        What `Evaluation.curves` gives.
    """
    language, verbs = load_language(), load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    cells, unseen, curves = [], [], []
    for _, some in pairs.groupby("construction", sort=False):  # the forms of one construction alone are in memory
        found = evaluate(model, some.reset_index(drop=True), verbs, keep="forms")
        cells += [found.table().assign(band="all"), found.table("construction,band")]
        unseen.append(unseen_against_seen(found, language))
        curves.append(found.curves())
    measured = pd.concat(cells)[["construction", "band", "contexts", "TSE", "EW", "MW"]]
    known = truth(regime).drop(columns="lemmas")
    known = known.rename(columns={score: f"true_{score}" for score in ("TSE", "EW", "MW")})
    beside = known[["construction", "band"]].merge(measured).merge(known)  # in the order of the truth
    return beside, pd.concat(unseen, ignore_index=True), pd.concat(curves, ignore_index=True)


def unseen_against_seen(found: Evaluation, language: Language) -> pd.DataFrame:
    """EW and MW on subject-verb combinations that the corpus held out, and on those it showed.

    For each subject noun both scores are means over contexts and lemmas of a kind, with equal weights; the leading
    verbs, which are never held out, are left out, so that like is compared with like. The interval is that of the
    paired difference over nouns (uncertainty.compare).

    Returns a table: construction, held_out ("pair": together nowhere in the corpus; "combination": not in this
    construction), score ("EW", "MW"), seen, unseen (means over nouns), difference (unseen - seen), low, high (95 %),
    nouns.
    """
    construction = found.contexts["construction"].iloc[0]
    place = language.constructions.index(construction)
    nouns = {name: row for row, name in enumerate(language.nouns["singular"])}
    plural = (found.contexts["number"] == "plural").to_numpy()[:, None]
    order = pd.Index(found.lemmas["lemma"]).get_indexer(language.lemmas["lemma"])  # held_out has the language's order
    logs = (found.log_probabilities("singular"), found.log_probabilities("plural"))
    forms = [np.exp(log[:, order]) for log in logs]
    correct, wrong = np.where(plural, forms[::-1], forms)
    values = {"EW": (correct > wrong).astype(float), "MW": correct / (correct + wrong)}
    own, rows = language.lemmas["lemma"].isin(language.leading()).to_numpy(), []
    for kind in ("pair", "combination"):
        for score, table in values.items():
            seen, unseen = [], []
            for noun, there in found.contexts.groupby("noun").indices.items():
                never = language.held_out_pairs[nouns[noun]]
                held_out = language.held_out[place, nouns[noun]]
                seen.append(table[there][:, ~held_out & ~own].mean())
                unseen.append(table[there][:, never if kind == "pair" else held_out & ~never].mean())
            gap = compare(np.array(unseen), np.array(seen), clusters=np.arange(len(seen)))
            means = (np.mean(seen), np.mean(unseen), gap.difference, gap.low, gap.high, len(seen))
            rows.append((construction, kind, score, *means))
    return pd.DataFrame(
        rows, columns=["construction", "held_out", "score", "seen", "unseen", "difference", "low", "high", "nouns"]
    )
