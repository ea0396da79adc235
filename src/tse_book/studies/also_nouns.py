"""Which verbs are also nouns, by the appendix of Newman et al. 2021."""

import pandas as pd

from tse_core.datasets.lemmas import load_lemmas


def also_nouns(lemmas: pd.Series) -> pd.Series:
    """Whether the appendix knows each lemma as a noun; False for one that it does not list."""
    known = load_lemmas("newman-appendix").table.drop_duplicates("lemma").set_index("lemma")["noun"]
    return lemmas.map(known).fillna(False).astype(bool)
