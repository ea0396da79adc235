"""Single entries and whole words beside the truth: what a score means for verbs that a tokenizer splits."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import pandas as pd

from tse_book.laboratory.known_truth import truth
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.options import CHOICES
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.errors import InputError
from tse_core.files import write_output
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.results.store import Store


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
    pairs = load_pairs(data) if isinstance(data, str) else data
    verbs = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    known = truth(regime).query("band == 'all'").set_index("construction")[["EW", "MW"]].add_prefix("true_")
    parts = []
    for policy in forms:
        chosen, end = CHOICES[policy]
        found = evaluate(model, pairs, verbs, verbs=chosen, word_end=end, sample=sample, store=store)
        scores = found.table(intervals=True).join(known, on="construction")
        parts.append(scores.assign(forms=policy, lemmas=len(found.lemmas)))
    bounds = [f"{score}{end}" for score in ("EW", "MW") for end in ("", "_low", "_high")]
    columns = ["forms", "construction", "contexts", "lemmas", *bounds, "true_EW", "true_MW"]
    return pd.concat(parts, ignore_index=True)[columns]


def measure_words(names: Iterable[str], out: str | Path, *, sample: int = 24, device: str = "auto") -> Path:
    """Measure causal laboratory models (``lab-<regime>-causal...``) by single tokens and whole words into words.csv."""
    parts = []
    for name in names:
        known = Path(name).name.split("-")
        if known[0] != "lab" or known[2:3] != ["causal"]:
            raise InputError(f"{name}: whole words are measured for causal laboratory models, lab-<regime>-causal...")
        model = load_model(name, device=device)
        parts.append(against_truth_by_forms(model, known[1], sample=sample).assign(model=model.label))
    table = pd.concat(parts, ignore_index=True)
    path = Path(out) / "words.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_output(path, table[["model", *table.columns.drop("model")]].to_csv(index=False, float_format="%.6g"))
    return path
