"""One way in: what every public function takes for its pairs and its lemmas."""

from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.names import load_pairs, load_sentence_pairs


def as_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Agreement pairs as they are, or those that a name or path means (see `load_pairs`). Raises InputError."""
    return pairs if isinstance(pairs, pd.DataFrame) else load_pairs(pairs)


def as_sentence_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Sentence pairs as they are, or those that a name or path means (see `load_sentence_pairs`). Raises InputError."""
    return pairs if isinstance(pairs, pd.DataFrame) else load_sentence_pairs(pairs)


def as_lemmas(lemmas: Lemmas | str | Path) -> Lemmas:
    """A lemma list as it is, or the one that a name or path means (see `load_lemmas`). Raises InputError."""
    return lemmas if isinstance(lemmas, Lemmas) else load_lemmas(lemmas)
