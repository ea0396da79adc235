"""The forms of a verb after a context: their tokens, and the whole words."""

import pandas as pd
import pytest

from tse_book.pages import form_probabilities
from tse_core import load_model, slot_distribution


def test_a_form_of_one_token_has_its_probability_in_the_slot_and_ends_within_it():
    model = load_model("lab-systematic-causal")
    verbs = pd.DataFrame({"singular": ["laughs"], "plural": ["laugh"]})
    forms = form_probabilities(model, "The author", verbs).set_index("form")
    slot = slot_distribution(model, "The author").set_index("token")["probability"]
    for form in ("laughs", "laugh"):
        assert forms.loc[form, "tokens"] == form
        assert forms.loc[form, "without"] == pytest.approx(slot[form], rel=1e-4)
        assert forms.loc[form, "probability"] <= forms.loc[form, "without"] * (1 + 1e-6)
