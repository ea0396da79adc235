"""How the probability at a verb slot divides between forms that agree, forms that do not, past forms and the rest."""

import numpy as np
import pandas as pd
import torch

from tse_core.agreement.slots import FORMS, marked_entries
from tse_core.datasets.lemmas import DEFAULT, Lemmas
from tse_core.forward.passes import blocks
from tse_core.models.loading import as_language_model
from tse_core.models.slots import all_read, read
from tse_core.words import left_part, right_part


def form_shares(model, contexts: pd.DataFrame, lemmas: Lemmas | str = DEFAULT) -> pd.DataFrame:
    """How the probability at the verb slot divides in many contexts (columns left, right, number).

    Returns the contexts with a column for each of `FORMS`: the probability on such entries; a row adds to 1.
    """
    model = as_language_model(model)
    membership = {}
    for number in contexts["number"].unique():
        kinds = torch.zeros(model.vocabulary_size, len(FORMS))
        kinds[:, FORMS.index("other")] = 1
        for entry, (form, _) in marked_entries(model, number, lemmas).items():
            kinds[entry] = 0
            kinds[entry, FORMS.index(form)] = 1
        membership[number] = kinds
    contexts = contexts.assign(
        left=contexts["left"].map(left_part), right=contexts["right"].map(right_part)
    )
    slots = all_read(read(model, list(zip(contexts["left"], contexts["right"], strict=True))))
    shares, numbers = np.zeros((len(contexts), len(FORMS))), contexts["number"].to_numpy()
    for block in blocks(model, [slot.ids for slot in slots], [[slot.position] for slot in slots]):
        probabilities = block.logits.softmax(-1)
        for number, kinds in membership.items():
            chosen = numbers[block.requests] == number
            found = (probabilities @ kinds.to(probabilities.device)).cpu().numpy()
            shares[block.requests[chosen]] = found[block.rows[chosen]]
    return contexts.assign(**dict(zip(FORMS, shares.T, strict=True)))


def slot_scores(marked: pd.DataFrame, verbs=()) -> dict[str, float]:
    """The scores of one sentence, from `marked_distribution`: tse, ew, mw, and the probability on each of `FORMS`.

    `verbs` are the lemmas of the sentence's template; tse is NaN where the vocabulary holds none.
    """
    shares = marked.groupby("form")["probability"].sum()
    present = marked[marked["form"].isin(("correct", "wrong"))]
    by_lemma = present.pivot_table("log_probability", "lemma", "form", aggfunc=np.logaddexp.reduce)
    by_lemma = by_lemma.reindex(columns=["correct", "wrong"])
    right = (by_lemma["correct"] > by_lemma["wrong"])[by_lemma.notna().all(axis=1)]
    asked = right[right.index.intersection(list(verbs))]
    logs = present.groupby("form")["log_probability"].agg(np.logaddexp.reduce)
    correct, wrong = (logs.get(form, -np.inf) for form in ("correct", "wrong"))
    return {
        "tse": float(asked.mean()) if len(asked) else np.nan,
        "ew": float(right.mean()) if len(right) else np.nan,
        "mw": float(np.exp(correct - np.logaddexp(correct, wrong))) if len(present) else np.nan,
        **{form: float(shares.get(form, 0.0)) for form in FORMS},
    }
