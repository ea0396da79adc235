"""The truth of the laboratory language, by arithmetic: what a model that knows it perfectly would score.

Write p(l) for a lemma's share of the verbs at the slot and c(l; n, m) for the probability of its correct form, among
its two present forms, when the subject's number is n and the attractor's m (Language.correct). Templates cross both
numbers evenly, so a score is the mean over the four combinations. Verbs have no valency and all have the same share of
past forms, so neither the right context nor what else may follow the left context changes these numbers: causal and
masked models share one truth.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tse_book.laboratory.language import BANDS, Language, load_language


def truth(regime: str, language: Language | None = None) -> pd.DataFrame:
    """TSE, EW and MW of each construction, for all lemmas and for each frequency band.

    - EW = mean over l, n, m of [c(l; n, m) > 1/2], every lemma counting the same.
    - MW = mean over n, m of sum_l p(l) s(l) c(l; n, m) / sum_l p(l) s(l), s(l) being the share of uses in the present.
    - TSE = the same indicator as EW, for the templates' own verbs alone; all are in the head, elsewhere it is NaN.

    Returns a table: construction, band ("all", "head", "middle", "tail"), lemmas (how many), TSE, EW, MW (0 to 1).
    Raises InputError for an unknown regime.
    """
    language = language or load_language()
    present = language.frequency * (1 - language.past_share())
    own = language.lemmas["lemma"].isin(language.leading()).to_numpy()
    rows = []
    for construction in language.constructions:
        correct = language.correct(regime, construction)
        chosen = (correct > 0.5).mean(axis=(1, 2))
        for name, there in in_bands(language):
            tse = chosen[there & own].mean() if (there & own).any() else np.nan
            mw = np.average(correct.mean(axis=(1, 2))[there], weights=present[there])
            rows.append((construction, name, int(there.sum()), tse, chosen[there].mean(), mw))
    return pd.DataFrame(rows, columns=["construction", "band", "lemmas", "TSE", "EW", "MW"])


def in_bands(language: Language) -> Iterator[tuple[str, np.ndarray]]:
    """Which lemmas are in each frequency band, after an entry for "all": bool arrays (lemmas,)."""
    band = language.band()
    yield "all", np.full(len(band), True)
    yield from ((name, band == number) for number, name in enumerate(BANDS))
