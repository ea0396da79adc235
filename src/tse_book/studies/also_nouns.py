"""Which verbs are also nouns, by the appendix of Newman et al. 2021."""

import pandas as pd

from tse_core.datasets.lemmas import load_lemmas


def also_nouns(lemmas: pd.Series) -> pd.Series:
    """Whether each lemma is also a noun by the appendix; False if it is not listed."""
    known = load_lemmas("newman-appendix").table.drop_duplicates("lemma").set_index("lemma")["noun"]
    return lemmas.map(known).fillna(False).astype(bool)
