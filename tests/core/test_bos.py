"""What stands in front of a sentence, by default and when asked."""

import pandas as pd
import pytest

from tiny import save_model
from tse_core import InputError, evaluate, load_model, score_pairs

SENTENCE = "The author laughs."


def first_id(model) -> int:
    return model.encode(SENTENCE).ids[0]


def test_by_default_a_sentence_begins_with_the_token_of_the_family_s_documents(small_models):
    model = load_model(small_models / "random-gpt2")
    assert model.bos_read == model.policies()["bos"] == "<|endoftext|>"
    assert first_id(model) == model.tokenizer.eos_token_id and model.encode(SENTENCE).special[0]
    assert model.with_policies(bos="tokenizer").bos_read == model.with_policies(bos="none").bos_read == "none"


def test_what_the_tokenizer_adds_comes_before_the_token_of_the_family_s_documents(small_models):
    model = load_model(small_models / "stories260K")
    assert [model.with_policies(bos=bos).bos_read for bos in ("default", "tokenizer", "add", "none")] == [
        "<s>", "<s>", "<s>", "none",
    ]  # fmt: skip


def test_a_laboratory_model_that_is_trained_anew_reads_no_bos_token(tmp_path):
    from tse_book.laboratory.language import load_language
    from tse_book.laboratory.networks import new_network, save

    language = load_language()
    save(new_network("causal", len(language.vocabulary)), language, "causal", tmp_path / "new")
    assert load_model(tmp_path / "new").bos_read == "none"


def test_the_paper_s_gpt2_xl_reads_no_bos_token_and_other_gpt2_do_not(small_models):
    from transformers import AutoConfig, AutoTokenizer

    from tse_core.models.bos import document_bos

    parts = [auto.from_pretrained(small_models / "random-gpt2") for auto in (AutoConfig, AutoTokenizer)]
    names = ["gpt2-xl", "openai-community/gpt2-xl", "gpt2", "openai-community/gpt2-large"]
    assert [document_bos(name, *parts) for name in names] == [None, None, "<|endoftext|>", "<|endoftext|>"]


@pytest.fixture
def with_end_of_text(tmp_path):
    """The folder of a model of a family that is not known, whose tokenizer has an end-of-text token."""
    from transformers import AutoTokenizer

    folder = save_model(tmp_path / "tiny", "causal")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.eos_token = "[SEP]"
    tokenizer.save_pretrained(folder)
    return folder


def test_of_an_unknown_family_the_end_of_text_token_is_read_first_and_without_that_nothing(
    tiny_causal, with_end_of_text
):
    assert load_model(tiny_causal).bos_read == "none"
    assert load_model(with_end_of_text).bos_read == "[SEP]"


def test_the_protocol_of_the_released_code_reads_no_bos_token_unless_asked_and_the_papers_own_verbs(with_end_of_text):
    for bos, read in (("default", "none"), ("[SEP]", "[SEP]")):
        scored = evaluate(load_model(with_end_of_text, bos=bos), "marvin-linzen/simple", protocol="released")
        assert scored.signature.policy["bos"] == read
        assert scored.signature.policy["lemmas"].startswith("newman-appendix@")


def test_any_token_can_be_the_bos_token_by_its_text(tiny_causal):
    model = load_model(tiny_causal, bos="[SEP]")
    token = model.tokenizer.get_vocab()["[SEP]"]
    assert model.bos_read == "[SEP]" and first_id(model) == token
    slot = model.slot("", "laughs.")
    assert slot.ids == (token,) and slot.position == 0
    with pytest.raises(InputError, match="nothing to its left.*bos='add' or a token's text"):
        model.with_policies(bos="none").slot("", "laughs.")


def test_pairs_that_differ_in_an_unscored_first_token_are_counted(tiny_causal, tiny_masked):
    pairs = pd.DataFrame({"good": ["The author laughs."] * 2, "bad": ["author laughs.", "The authors laughs."]})
    model = load_model(tiny_causal)
    assert score_pairs(model, pairs)["unscored_difference"].tolist() == [True, False]
    assert not score_pairs(model, pairs, bos="add")["unscored_difference"].any()
    assert not score_pairs(load_model(tiny_masked), pairs)["unscored_difference"].any()
