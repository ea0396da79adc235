"""The tree of tokens that the forms of some verbs share after one context, with the probabilities of its nodes."""

import numpy as np
import pandas as pd

from tse_core.forward.word_forms import form_log_probabilities
from tse_core.models.language_model import LanguageModel


def form_nodes(
    model: LanguageModel, context: str, number: str, verbs: pd.DataFrame
) -> pd.DataFrame:
    """Every beginning of the verbs' forms after a context, as `tse_book.charts.word_tree` draws them.

    `number` is the subject's ("singular" or "plural"); `verbs` has the columns singular and plural, the two forms.

    Returns a table: node, parent, token, step (P of the token after those before it), form ("" where the beginning is
    none), agrees ("correct", "wrong" or ""), tokens (of the form), without (P of the tokens), end (P that the word
    ends), probability (their product; of a form alone).
    """
    forms: dict[tuple[int, ...], tuple[str, str]] = {}
    for kind in ("singular", "plural"):
        agrees = "correct" if kind == number else "wrong"
        for form, ids in zip(verbs[kind], model.spellings(list(verbs[kind])), strict=True):
            if ids:  # a form that the model can spell
                forms[ids] = (form, agrees)
    beginnings = list(dict.fromkeys(ids[:end] for ids in forms for end in range(1, len(ids) + 1)))
    found = form_log_probabilities(model, [model.slot(context)], beginnings, ends=model.word_ends)
    of_tokens = dict(zip(beginnings, np.exp(found.log_probability[0]), strict=True))
    of_end = dict(zip(beginnings, np.exp(found.log_end[0]), strict=True))
    rows = []
    for ids in sorted(beginnings, key=model.tokens):
        form, agrees = forms.get(ids, ("", ""))
        spelled = model.tokens(ids)
        rows.append(
            {
                "node": str(ids),
                "parent": str(ids[:-1]) if ids[1:] else "",
                "token": spelled[-1],
                "step": of_tokens[ids] / of_tokens.get(ids[:-1], 1.0),
                "form": form,
                "agrees": agrees,
                "tokens": "|".join(spelled).strip(),
                "without": of_tokens[ids],
                "end": of_end[ids],
                "probability": of_tokens[ids] * of_end[ids] if form else np.nan,
            }
        )
    return pd.DataFrame(rows)
