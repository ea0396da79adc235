"""Measure the laboratory's models beside the truth of their languages: scores, curves, words and verbs, each a .csv.

    python data/recorded/laboratory/measure.py

The files are written beside this script.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from tse_book.laboratory.known_truth import truth
from tse_book.laboratory.language import load_language
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.settings import Verbs
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.loading import load_pairs
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import load_model
from tse_core.paths import data_folder

HERE = Path(__file__).parent
VERBS = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
CAUSAL = (
    "lab-lexical-causal",
    "lab-lexical-causal-bpe",
)  # measured by single tokens and by whole words
LEARNERS = ("lab-systematic-causal", "lab-lexical-causal")  # of a rule, of a list
WAYS: dict[
    str, tuple[Verbs, bool]
] = {  # as signatures name them: verbs, and whether the word's end counts
    "single": ("single-token", False),
    "words": ("all", True),
    "words-no-end": ("all", False),
}
SAMPLE = 12  # contexts of each construction, where words are scored


def against_truth(
    model: LanguageModel, regime: str, pairs: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measured scores of a model beside the truth of the regime it learned, and its scores over the cut-offs.

    Returns two tables: construction, band, contexts, TSE, EW, MW, true_TSE, true_EW, true_MW; and `Evaluation.curves`.
    """
    cells, curves = [], []
    for _, some in pairs.groupby(
        "construction", sort=False
    ):  # the forms of one construction alone are in memory
        found = evaluate(model, some.reset_index(drop=True), VERBS, detail="forms")
        cells += [found.table().assign(band="all"), found.table("construction,band")]
        curves.append(found.curves())
    measured = pd.concat(cells)[["construction", "band", "contexts", "TSE", "EW", "MW"]]
    known = (
        truth(regime)
        .drop(columns="lemmas")
        .set_index(["construction", "band"])
        .add_prefix("true_")
        .reset_index()
    )
    beside = (
        known[["construction", "band"]].merge(measured).merge(known)
    )  # in the order of the truth
    return beside, pd.concat(curves, ignore_index=True)


def against_truth_by_words(
    model: LanguageModel,
    regime: str,
    data="marvin-linzen",
    *,
    ways: Iterable[str] = WAYS,
    sample: int = SAMPLE,
) -> pd.DataFrame:
    """EW and MW with single tokens and with whole words, in the same contexts, beside the truth of all verbs.

    Returns a table: forms (the way), construction, contexts, lemmas (how many counted), EW, EW_low, EW_high, MW,
    MW_low, MW_high (95 %, clustered by subject noun), true_EW, true_MW.
    """
    known = (
        truth(regime)
        .query("band == 'all'")
        .set_index("construction")[["EW", "MW"]]
        .add_prefix("true_")
    )
    parts = []
    for way in ways:
        verbs, end = WAYS[way]
        found = evaluate(model, data, VERBS, verbs=verbs, word_end=end, sample=sample, store=None)
        scores = found.table(intervals=True).join(known, on="construction")
        parts.append(scores.assign(forms=way, lemmas=len(found.lemmas)))
    bounds = [f"{score}{end}" for score in ("EW", "MW") for end in ("", "_low", "_high")]
    columns = ["forms", "construction", "contexts", "lemmas", *bounds, "true_EW", "true_MW"]
    return pd.concat(parts, ignore_index=True)[columns]


def of_each_verb(model: LanguageModel, pairs: pd.DataFrame) -> pd.DataFrame:
    """How far each verb moves, over the contexts of these pairs: lemma, band, sensitivity and bias (nats)."""
    found = evaluate(model, pairs, VERBS, detail="forms", store=None)
    verbs = found.verbs().merge(VERBS.table[["lemma", "band"]])
    return verbs[["lemma", "band", "sensitivity", "bias"]].round(3)


def write(name: str, models: Iterable[str], measure: Callable[[str], pd.DataFrame]) -> None:
    """A file with the table of each model, and the model as its first column."""
    tables = []
    for model in models:
        table = measure(model)
        table.insert(0, "model", model)
        tables.append(table)
    pd.concat(tables, ignore_index=True).to_csv(HERE / name, index=False, float_format="%.6g")


if __name__ == "__main__":
    every = {
        name: against_truth(load_model(name), name.split("-")[1], load_pairs("marvin-linzen"))
        for name in load_language().models()
    }
    write("scores.csv", every, lambda name: every[name][0])
    write("curves.csv", every, lambda name: every[name][1])
    write("words.csv", CAUSAL, lambda name: against_truth_by_words(load_model(name), "lexical"))
    simple = load_pairs("marvin-linzen/simple")
    write("verbs.csv", LEARNERS, lambda name: of_each_verb(load_model(name), simple))
