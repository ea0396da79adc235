"""What stands in front of a sentence, by default and when asked."""

import json
import re
import warnings

import pandas as pd
import pytest
import transformers
from tokenizers import Tokenizer, models, processors

from tiny import save_model, words
from tse_book.pages.profiles import papers_bos
from tse_core import InputError, evaluate, load_model, score_pairs, slot_distribution, surprisals
from tse_core.errors import TseWarning
from tse_core.models.document_tokens import document_tokens

SENTENCE = "The author laughs."


def first_id(model) -> int:
    return model.encode(SENTENCE).ids[0]


def test_by_default_a_sentence_begins_with_the_token_of_the_family_s_documents(small_models):
    model = load_model(small_models / "random-gpt2")
    assert model.bos_read == model.policies()["bos"] == "<|endoftext|>"
    assert first_id(model) == model.tokenizer.eos_token_id and model.encode(SENTENCE).special[0]
    assert (
        model.with_policies(bos="tokenizer").bos_read
        == model.with_policies(bos="none").bos_read
        == "none"
    )


def test_what_the_tokenizer_adds_comes_before_the_token_of_the_family_s_documents(small_models):
    model = load_model(small_models / "stories260K")
    assert [model.with_policies(bos=bos).bos_read for bos in ("default", "tokenizer", "add", "none")] == [
        "<s>", "<s>", "<s>", "none",
    ]  # fmt: skip


FIRST = [  # special tokens of a vocabulary, its BOS token, what is read first
    (["<|endoftext|>", "<|im_start|>", "<|im_end|>"], "<|im_start|>", "<|endoftext|>"),
    (["<|end_of_text|>", "<s>"], "<s>", "<|end_of_text|>"),
    (["<s>", "</s>"], None, "<s>"),
    (["<|im_start|>"], "<|im_start|>", "none"),
    (["<|start_header_id|>"], "<|start_header_id|>", "none"),
    (["</s>"], None, "none"),
    (["<eos>", "<bos>"], "<bos>", "<bos>"),
    (["<eos>", "<bos>"], None, "none"),
    (["<|start|>"], "<|start|>", "<|start|>"),
]


@pytest.mark.parametrize(("special", "own", "read"), FIRST)
def test_one_rule_says_what_is_read_first_and_never_is_it_a_token_of_chat(
    special, own, read, tmp_path
):
    folder = save_model(tmp_path / "gpt2-xl", "causal", entries=[*words(), *special])
    rewritten(folder, "config.json", lambda settings: settings.pop("bos"))
    roles = {"bos_token": own, "additional_special_tokens": special}
    rewritten(folder, "tokenizer_config.json", lambda settings: settings.update(roles))
    if read == "none":
        with pytest.warns(
            TseWarning,
            match=r"gpt2-xl reads no BOS token: .* bos names another one .--bos., or 'non",
        ):
            assert load_model(folder).bos_read == "none"
    else:
        assert load_model(folder).bos_read == read
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_model(folder, bos="none").bos_read == "none"
        rewritten(folder, "config.json", lambda settings: settings.update(bos="none"))
        assert load_model(folder).bos_read == "none"


def test_an_ordinary_entry_with_the_text_of_a_document_token_is_none(tmp_path):
    """Gemma's vocabulary has the tag <s> of HTML, and <bos> for the beginning of a text."""
    folder = save_model(tmp_path / "tags", "causal", entries=[*words(), "<s>", "<|endoftext|>"])
    rewritten(folder, "config.json", lambda settings: settings.pop("bos"))
    assert load_model(folder).bos_read == "[CLS]"
    assert load_model(folder, bos="<s>").bos_read == "<s>"


def test_a_bos_token_that_the_chat_template_writes_into_its_turns_is_one_of_chat(tmp_path):
    folder = save_model(tmp_path / "chat", "causal")
    rewritten(folder, "config.json", lambda settings: settings.pop("bos"))
    turns = "{% for message in messages %}[CLS]{{ message['content'] }}{% endfor %}"
    for template, read in (("{{ bos_token }}" + turns, "none"), (f"[CLS]{turns[-10:]}", "[CLS]")):
        (folder / "chat_template.jinja").write_text(template)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert load_model(folder).bos_read == read


def test_documents_of_bloom_ended_in_its_end_of_text(tmp_path):
    """Its training data were written with --append-eod, and eod was the tokenizer's EOS token."""
    special = {"bos_token": "<s>", "eos_token": "</s>"}
    folder = save_model(tmp_path / "bloom", "causal", entries=[*words(), *special.values()])
    rewritten(folder, "tokenizer_config.json", lambda settings: settings.update(special))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    config = transformers.BloomConfig(vocab_size=len(tokenizer), hidden_size=8, n_layer=1, n_head=1)
    assert load_model(transformers.BloomForCausalLM(config), tokenizer).bos_read == "</s>"


REMEDIES = [  # special tokens, BOS token, whether the configuration says that none is read, remedy
    (["<|endoftext|>"], "<|im_start|>", False, "--bos default puts <|endoftext|> there"),
    (["<|endoftext|>"], "<|im_start|>", True, "none of its tokenizer's suits"),
    (["<bos>"], "<bos>", True, "--bos add puts <bos> there"),
]


@pytest.mark.parametrize(("special", "own", "configured", "remedy"), REMEDIES)
def test_a_note_on_a_first_token_names_no_token_of_chat(
    special, own, configured, remedy, tmp_path, tse
):
    folder = save_model(tmp_path / "noted", "causal", entries=[*words(), *special, "<|im_start|>"])
    if not configured:
        rewritten(folder, "config.json", lambda settings: settings.pop("bos"))
    roles = {"bos_token": own, "additional_special_tokens": special}
    rewritten(folder, "tokenizer_config.json", lambda settings: settings.update(roles))
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("good,bad\nthe author laughs.,author laughs.\n")
    code, _, said = tse("blimp", folder, "--data", pairs, "--bos", "none")
    assert code == 0 and "pairs differ in their first token" in said and remedy in said


def test_a_masked_model_whose_tokenizer_adds_nothing_reads_no_cls(tiny_masked):
    model = load_model(tiny_masked)
    assert model.bos_read == "cls"
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_masked)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single="$A")
    network = transformers.AutoModelForMaskedLM.from_pretrained(tiny_masked)
    assert load_model(network, tokenizer).policies()["bos"] == "none"


def test_each_document_token_has_its_source():
    rows = document_tokens()
    assert all(row.token and row.families and row.source for row in rows)
    assert {row.token for row in rows if not row.model_type} == {
        "<|endoftext|>", "<|end_of_text|>", "<s>",
    }  # fmt: skip


def rewritten(folder, name, change):
    settings = json.loads((folder / name).read_text())
    change(settings)
    (folder / name).write_text(json.dumps(settings))


def test_the_paper_s_profile_reads_gpt2_xl_as_the_paper_did():
    assert [papers_bos(name) for name in ("gpt2-xl", "openai-community/gpt2-xl", "gpt2")] == [
        "none",
        "none",
        "default",
    ]


@pytest.fixture
def with_end_of_text(tmp_path):
    """The folder of a model whose vocabulary has a token that stood between documents."""
    folder = save_model(tmp_path / "tiny", "causal", entries=[*words(), "<|endoftext|>"])
    rewritten(folder, "config.json", lambda settings: settings.pop("bos"))
    end = {"eos_token": "<|endoftext|>"}
    rewritten(folder, "tokenizer_config.json", lambda settings: settings.update(end))
    return folder


SPELLED = [  # a sentence, the special token that it spells; "" where it spells none
    ("Say <|endoftext|> now.", "<|endoftext|>"),
    ("The author[SEP]laughs.", "[SEP]"),
    ("The [UNK] laughs.", "[UNK]"),
    ("The <mask> laughs.", "<mask>"),
    ("The author laughs.</s>", "</s>"),
    ("The xylophone laughs, é ß 漢.", ""),
    ("The [ SEP ] author laughs < | endoftext | >.", ""),
]


@pytest.mark.parametrize("name", ["random-roberta", "stories260K", "tiny"])
def test_text_that_spells_a_special_token_is_refused_everywhere(name, small_models, tiny_masked):
    model = load_model(tiny_masked if name == "tiny" else small_models / name)
    special = {
        str(each.content) for each in model.tokenizer.added_tokens_decoder.values() if each.special
    }
    plain = [text for text, token in SPELLED if token not in special]  # to this model it is text
    assert surprisals(model, plain)["token"].notna().all()
    for text, token in SPELLED:
        if text in plain:
            continue
        refused = f"spells '{re.escape(token)}', a special token"
        for asked in (
            lambda text=text: surprisals(model, [text]),
            lambda text=text: slot_distribution(model, text),
            lambda text=text: score_pairs(
                model, pd.DataFrame({"good": [text], "bad": ["The author laughs."]})
            ),
            lambda text=text: model.tokenize(["The author laughs.", text]),
        ):
            with pytest.raises(InputError, match=refused):
                asked()
        assert model.word_ids([token]) == [None]


def test_what_a_tokenizer_without_latin_letters_adds_is_read():
    entries = {token: i for i, token in enumerate(["[BOS]", "<|endoftext|>", *"авгдеиклмнопрст"])}
    backend = Tokenizer(models.BPE(entries, []))
    backend.add_special_tokens(["[BOS]", "<|endoftext|>"])
    backend.post_processor = processors.TemplateProcessing(
        single="[BOS] $A", special_tokens=[("[BOS]", 0)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="[BOS]")
    config = transformers.GPT2Config(n_layer=1, n_embd=8, n_head=1, vocab_size=len(tokenizer))
    model = load_model(transformers.GPT2LMHeadModel(config), tokenizer)
    assert (
        model.bos_read == "[BOS]" and list(model.encode("кот").ids) == tokenizer("кот")["input_ids"]
    )


@pytest.mark.slow
def test_the_protocol_of_the_released_code_reads_no_bos_token_unless_asked_and_the_papers_own_verbs(
    with_end_of_text,
):
    for bos, read in (("default", "none"), ("[SEP]", "[SEP]")):
        scored = evaluate(
            load_model(with_end_of_text, bos=bos), "marvin-linzen/simple", protocol="released"
        )
        assert scored.signature.policy["bos"] == read
        assert scored.signature.policy["lemmas"].startswith("newman-appendix@")
    assert load_model(with_end_of_text).bos_read == "<|endoftext|>"


@pytest.mark.parametrize("bos", ["none", "add", "[SEP]"])
def test_a_masked_model_keeps_what_its_tokenizer_adds(bos, tiny_masked):
    model = load_model(tiny_masked, bos="tokenizer")
    with pytest.raises(
        InputError,
        match=re.escape(f"keeps the tokens that its tokenizer adds: bos cannot be {bos!r}"),
    ):
        model.with_policies(bos=bos)


def test_pairs_that_differ_in_an_unscored_first_token_are_counted(tiny_causal, tiny_masked):
    pairs = pd.DataFrame(
        {"good": ["The author laughs."] * 2, "bad": ["author laughs.", "The authors laughs."]}
    )
    model = load_model(tiny_causal)
    assert score_pairs(model, pairs)["unscored_difference"].tolist() == [True, False]
    assert not score_pairs(model, pairs, bos="add")["unscored_difference"].any()
    assert not score_pairs(load_model(tiny_masked), pairs)["unscored_difference"].any()


def test_a_first_token_is_compared_by_what_the_model_reads(tiny_causal):
    model = load_model(tiny_causal)  # without letter case
    pairs = pd.DataFrame({"good": ["The author laughs."], "bad": ["the author laugh."]})
    assert not score_pairs(model, pairs)["unscored_difference"].any()
