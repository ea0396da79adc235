"""What stands in front of a sentence, by default and when asked."""

import pandas as pd
import pytest

from tiny import save_model
from tse_core import InputError, evaluate, load_model, score_pairs, surprisals
from tse_core.results.signature import Signature

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


@pytest.mark.parametrize("name", ["lab-systematic-causal", "lab-lexical-causal"])
def test_laboratory_models_read_no_bos_token(name):
    assert load_model(name).bos_read == "none"


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


def test_of_an_unknown_family_the_end_of_text_token_is_read_first_and_without_that_nothing(tmp_path):
    from transformers import AutoTokenizer

    folder = save_model(tmp_path / "tiny", "causal")
    assert load_model(folder).bos_read == "none"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.eos_token = "[SEP]"
    tokenizer.save_pretrained(folder)
    assert load_model(folder).bos_read == "[SEP]"


def test_any_token_can_be_the_bos_token_by_its_text(tiny_causal):
    model = load_model(tiny_causal, bos="[SEP]")
    assert model.bos_read == "[SEP]" and first_id(model) == model.tokenizer.get_vocab()["[SEP]"]
    with pytest.raises(
        InputError, match=r"bos is '<eot>', which is no token of .*'default', 'tokenizer', 'add', 'none'"
    ):
        model.with_policies(bos="<eot>")


def test_the_protocol_of_the_released_code_reads_no_bos_token(small_models):
    model = small_models / "random-gpt2"
    made = [evaluate(model, "marvin-linzen/simple", protocol=protocol).signature for protocol in ("exact", "released")]
    assert [signature.policy["bos"] for signature in made] == ["<|endoftext|>", "none"]
    asked = load_model(model, bos="<|endoftext|>")
    assert evaluate(asked, "marvin-linzen/simple", protocol="released").signature.policy["bos"] == "<|endoftext|>"
    assert Signature.parse(str(made[0])).policy["bos"] == "<|endoftext|>"


def test_a_slot_with_nothing_to_its_left_has_the_bos_token(tiny_causal):
    model = load_model(tiny_causal)
    with pytest.raises(InputError, match="nothing to its left.*bos='add' or a token's text"):
        model.slot("", "laughs.")
    slot = model.with_policies(bos="[SEP]").slot("", "laughs.")
    assert slot.ids == (model.tokenizer.get_vocab()["[SEP]"],) and slot.position == 0


def test_with_a_bos_token_the_first_token_is_scored(tiny_causal):
    plain, behind = (surprisals(load_model(tiny_causal, bos=bos), SENTENCE) for bos in ("none", "[SEP]"))
    assert plain["scored"].tolist() == [False, True, True, True] and behind["scored"].all()


def test_pairs_that_differ_in_an_unscored_first_token_are_counted(tiny_causal, tiny_masked):
    pairs = pd.DataFrame(
        {"good": ["The author laughs.", "The author laughs."], "bad": ["Authors laughs.", "The authors laughs."]}
    )
    pairs["bad"] = pairs["bad"].str.replace("Authors", "author")
    model = load_model(tiny_causal)
    assert score_pairs(model, pairs)["unscored_difference"].tolist() == [True, False]
    assert not score_pairs(model, pairs, bos="add")["unscored_difference"].any()
    assert not score_pairs(load_model(tiny_masked), pairs)["unscored_difference"].any()
