"""The forms of some verbs after one context: the probabilities of their tokens, and of the whole words."""

import numpy as np
import pandas as pd

from tse_core.forward.word_forms import form_log_probabilities
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import slot


def form_probabilities(model: LanguageModel, context: str, verbs: pd.DataFrame) -> pd.DataFrame:
    """Both forms of each verb after a context. `verbs` has the columns singular and plural.

    Returns a table: form, tokens (separated by bars), without (probability of the tokens), probability (of the whole
    word: of its tokens, and that the word ends there). Forms that the model cannot spell are left out.
    """
    forms: dict[tuple[int, ...], str] = {}
    for kind in ("singular", "plural"):
        for form, ids in zip(verbs[kind], model.spellings(list(verbs[kind])), strict=True):
            if ids:
                forms[ids] = form
    spellings = sorted(forms, key=model.tokens)
    found = form_log_probabilities(model, [slot(model, context)], spellings, ends=model.word_ends)
    without = np.exp(found.log_probability[0])
    return pd.DataFrame(
        {
            "form": [forms[ids] for ids in spellings],
            "tokens": ["|".join(model.tokens(ids)).strip() for ids in spellings],
            "without": without,
            "probability": without * np.exp(found.log_end[0]),
        }
    )
