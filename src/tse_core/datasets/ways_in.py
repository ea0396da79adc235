"""One way in: what every public function takes for its pairs and its lemmas."""

from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import DEFAULTS, Lemmas, load_lemmas
from tse_core.datasets.names import load_pairs, load_sentence_pairs
from tse_core.errors import unknown


def as_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Agreement pairs as they are, or those that a name or path means (see `load_pairs`). Raises InputError."""
    return pairs if isinstance(pairs, pd.DataFrame) else load_pairs(pairs)


def as_sentence_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Sentence pairs as they are, or those that a name or path means (see `load_sentence_pairs`). Raises InputError."""
    return pairs if isinstance(pairs, pd.DataFrame) else load_sentence_pairs(pairs)


def as_lemmas(lemmas: Lemmas | str | Path | None, protocol: str = "exact") -> Lemmas:
    """A lemma list as it is, the one that a name or path means (see `load_lemmas`), or for None the protocol's own.

    Raises InputError.
    """
    if protocol not in DEFAULTS:
        raise unknown("protocol", protocol, DEFAULTS)
    return lemmas if isinstance(lemmas, Lemmas) else load_lemmas(lemmas or DEFAULTS[protocol])
