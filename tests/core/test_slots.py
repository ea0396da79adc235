"""The verb slot: marks and scores of hand-made distributions, and the paper's own table."""

import numpy as np
import pandas as pd
import pytest

from tse_book import published
from tse_core.agreement.slots import FORMS, form_shares, mark_words, marked_distribution, slot_scores, split_blank
from tse_core.errors import InputError


def test_the_papers_own_words_are_marked_as_its_text_reads_them():
    table = published.table3()
    senators = table[table["sentence"].str.startswith("The senators")]["subword"]
    assert mark_words(senators, "singular") == [
        "correct", "correct", "correct", "wrong", "wrong", "wrong", "other", "correct", "past", "past",
    ]  # fmt: skip
    pilots = table[table["sentence"].str.startswith("The pilots")]["subword"]
    assert mark_words(pilots, "singular") == ["other"] + ["correct"] * 9  # the appendix does not list "pilot"


def test_the_marks_turn_round_with_the_number():
    assert mark_words(["meets", "meet", "met"], "plural") == ["wrong", "correct", "past"]


def test_was_and_were_are_judged_where_the_list_judges_them():
    words = ["are", "is", "were", "was", "been"]
    assert mark_words(words, "plural", "newman-appendix") == ["correct", "wrong", "correct", "wrong", "other"]
    assert mark_words(words, "singular", "newman-appendix") == ["wrong", "correct", "wrong", "correct", "other"]
    for number in ("singular", "plural"):
        assert mark_words(words[2:], number, "newman-clean") == ["past", "past", "other"]


def test_scores_of_a_distribution_by_hand():
    marked = pd.DataFrame(
        {
            "probability": [0.4, 0.1, 0.1, 0.2, 0.05, 0.15],
            "form": ["correct", "wrong", "correct", "wrong", "past", "other"],
            "lemma": ["meet", "meet", "like", "like", "meet", ""],
        }
    )
    marked["log_probability"] = np.log(marked["probability"])
    found = slot_scores(marked, verbs=["like", "hate"])
    assert found["mw"] == pytest.approx(0.5 / 0.8) and found["ew"] == 0.5 and found["tse"] == 0.0
    assert sum(found[form] for form in ("correct", "wrong", "past", "other")) == pytest.approx(1)


def test_a_template_without_a_verb_in_the_vocabulary_has_no_tse():
    marked = pd.DataFrame({"probability": [1.0], "log_probability": [0.0], "form": ["other"], "lemma": [""]})
    assert pd.isna(slot_scores(marked, verbs=["admire"])["tse"])


def test_probabilities_that_no_float_can_hold_are_compared_by_their_logarithms():
    """e^-200 against e^-201: both are 0 in single precision; MW is 1 / (1 + 1/e)."""
    marked = pd.DataFrame({"form": ["other", "correct", "wrong"], "lemma": ["", "meet", "meet"]})
    marked = marked.assign(probability=[1.0, 0.0, 0.0], log_probability=[0.0, -200.0, -201.0])
    found = slot_scores(marked, verbs=["meet"])
    assert (found["tse"], found["ew"], found["mw"]) == (1.0, 1.0, pytest.approx(1 / (1 + np.exp(-1))))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random-bert-cased", "random-gpt2"])
def test_a_models_distribution_sums_to_one_and_agrees_with_evaluate(small_models, name):
    from tse_core import evaluate, load_model, load_pairs

    model = load_model(small_models / name)
    pairs = load_pairs("marvin-linzen/simple").head(1)
    sentence = f"{pairs['left'].iloc[0]} ___ {pairs['right'].iloc[0]}"
    found = slot_scores(marked_distribution(model, sentence, pairs["number"].iloc[0], "newman-clean"))
    context = evaluate(model, pairs, "newman-clean").contexts.iloc[0]
    assert found["correct"] + found["wrong"] + found["past"] + found["other"] == pytest.approx(1, abs=1e-4)
    assert found["mw"] == pytest.approx(context["mw"], abs=0.01)
    assert found["ew"] == pytest.approx(context["ew"], abs=0.01)
    both = pd.concat([pairs, pairs.assign(number="plural" if pairs["number"].iloc[0] == "singular" else "singular")])
    shares = form_shares(model, both, "newman-clean")[list(FORMS)]
    assert shares.iloc[0].to_dict() == pytest.approx({form: found[form] for form in FORMS}, abs=2e-4)
    assert shares["correct"].iloc[0] != pytest.approx(shares["correct"].iloc[1], abs=1e-6)


@pytest.mark.parametrize("sentence", ["No place here.", "___ first.", "Two ___ of ___ them."])
def test_a_sentence_needs_one_blank(sentence):
    with pytest.raises(InputError, match="write the verb's place as ___, once"):
        split_blank(sentence)


def test_an_unknown_number_is_refused():
    with pytest.raises(InputError, match="unknown number 'dual'"):
        mark_words(["meets"], "dual")
