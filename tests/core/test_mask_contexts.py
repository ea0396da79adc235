"""Tokens beside a mask are those of the sentence, and words are those of the tokenizer.

The tokenizers are made by transformers' own classes, with tiny vocabularies; what is right is the
mask put into the ids of the sentence itself.
"""

import math

import pandas as pd
import pytest
import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers, processors
from tokenizers.models import BPE, WordLevel
from tokenizers.pre_tokenizers import ByteLevel
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from tse_core import InputError, evaluate, load_model, score_context
from tse_core.agreement import pieces
from tse_core.datasets.lemmas import Lemmas
from tse_core.models.slots import all_read, read, slot
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.sentences.tokens import token_surprisals

FORMS = {"lemma": ["go", "run"], "singular": ["goes", "runs"], "plural": ["go", "run"]}
VERBS = Lemmas("two", pd.DataFrame(FORMS))
WORDS = ["The", "author", "goes", "go", "runs", "run", "she", "here", "said"]
LETTERS = [chr(number) for number in range(97, 123)]
MARKS = [".", ",", "!", '"', "'"]
CONTEXTS = [
    ("The author", "."),
    ("The author", ", she said."),
    ("The author", "!"),
    ('"The author', '" she said.'),
    ("The author", "here."),
]
PIECES = {
    "XLMRobertaTokenizer": (["<s>", "<pad>", "</s>", "<unk>"], ["<mask>"]),
    "CamembertTokenizer": (
        ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"],
        ["<mask>"],
    ),
    "AlbertTokenizer": (["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], []),
    "DebertaV2Tokenizer": (["[PAD]", "[CLS]", "[SEP]", "[UNK]"], ["[MASK]"]),
}
WORD_PIECES = {
    "BertTokenizer": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    "ElectraTokenizer": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    "MPNetTokenizer": ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"],
}
SECTIONS = list(
    PIECES
)  # begin each section of a text, such as the one behind a mask, with a mark of their own
KINDS = [
    *SECTIONS,
    *WORD_PIECES,
    "roberta",
    "roberta without lstrip",
    "roberta with a space",
    "modernbert",
]


def sentence_pieces(kind):
    first, last = PIECES[kind]
    vocabulary = [(token, 0.0) for token in first]
    vocabulary += [(f"▁{word}", -2.0) for word in WORDS]
    vocabulary += [(token, -6.0) for token in ["▁", *MARKS, *LETTERS, "T"]]
    vocabulary += [(token, 0.0) for token in last]
    return getattr(transformers, kind)(vocab=vocabulary)


def word_pieces(kind):
    lower = dict.fromkeys(word.lower() for word in WORDS)
    entries = [*WORD_PIECES[kind], *lower, *MARKS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    return getattr(transformers, kind)(
        vocab={entry: number for number, entry in enumerate(entries)}
    )


def byte_pairs(special):
    """Entries and merges: the words of the list, with and without a space before them."""
    merges = {(word[:end], word[end]): None for word in WORDS for end in range(1, len(word))}
    merges |= {("Ġ", word): None for word in WORDS}
    entries = [*special, *sorted(ByteLevel.alphabet()), *map("".join, merges)]
    return {entry: number for number, entry in enumerate(dict.fromkeys(entries))}, list(merges)


def roberta(lstrip):
    vocabulary, merges = byte_pairs(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    mask = AddedToken("<mask>", lstrip=lstrip, special=True, normalized=False)
    return transformers.RobertaTokenizer(vocab=vocabulary, merges=merges, mask_token=mask)


def modernbert():
    special = {
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
    }
    vocabulary, merges = byte_pairs([*special.values(), "[MASK]"])
    tokenizer = Tokenizer(BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ends
    )
    mask = AddedToken("[MASK]", lstrip=True, special=True, normalized=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token=mask, **special)


def masked(tokenizer, name="tiny"):
    torch.manual_seed(1)
    size = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
    }
    config = BertConfig(
        vocab_size=len(tokenizer), max_position_embeddings=64, initializer_range=0.5, **size
    )
    return load_model(BertForMaskedLM(config).eval(), tokenizer, name=name, fingerprint=name)


@pytest.fixture(scope="module")
def models():
    made = {kind: masked(sentence_pieces(kind)) for kind in PIECES}
    made |= {kind: masked(word_pieces(kind)) for kind in WORD_PIECES}
    made |= {"roberta": masked(roberta(True)), "roberta without lstrip": masked(roberta(False))}
    made["roberta with a space"] = made["roberta without lstrip"].with_policies(space=True)
    return made | {"modernbert": masked(modernbert())}


def plainly(model, sentence):
    """MW by transformers alone: the mask put into the ids of the sentence that has the verb *goes*."""
    tokenizer = model.tokenizer
    ids = tokenizer(" " * model.space + sentence)["input_ids"]
    tokens = tokenizer.convert_ids_to_tokens(ids)
    place = [token.lstrip("▁Ġ") for token in tokens].index("goes")
    ids[place] = tokenizer.mask_token_id
    with torch.no_grad():
        shares = model.network.module(torch.tensor([ids])).logits[0, place].softmax(-1)
    forms = {word: tokens[place].replace("goes", word) for word in ("goes", "runs", "go", "run")}
    p = {word: shares[tokenizer.convert_tokens_to_ids(form)].item() for word, form in forms.items()}
    return (p["goes"] + p["runs"]) / sum(p.values())


@pytest.mark.parametrize("kind", KINDS)
def test_mw_is_that_of_the_mask_in_the_ids_of_the_sentence(models, kind):
    pairs = pd.DataFrame(CONTEXTS, columns=["left", "right"]).assign(
        correct="goes", wrong="go", number="singular"
    )
    found = evaluate(models[kind], pairs, VERBS, store=None).contexts
    assert list(zip(found["left"], found["right"], strict=True)) == CONTEXTS
    sentences = [
        f"{left} goes{' here.' if right == 'here.' else right}" for left, right in CONTEXTS
    ]
    expected = [plainly(models[kind], sentence) for sentence in sentences]
    assert list(found["mw"]) == pytest.approx(expected, abs=1e-5)


def signature(model, right, **how):
    pair = {
        "left": "The author",
        "right": right,
        "correct": "goes",
        "wrong": "go",
        "number": "singular",
    }
    return evaluate(model, pd.DataFrame([pair]), VERBS, store=None, **how).signature


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_signature_says_where_the_masks_own_text_would_have_been_read_otherwise(models, kind):
    """A mark behind the mask that the sentence lacks, or a space before it where it has no lstrip."""
    differs = kind in SECTIONS or "roberta with" in kind
    assert ("slot:ids" in str(signature(models[kind], "."))) == differs
    assert ("slot:ids" in str(signature(models[kind], "here."))) == ("roberta with" in kind)
    assert "slot" not in signature(models[kind], ".", protocol="released").policy


def test_a_stored_slice_serves_data_whose_other_slots_are_read_otherwise(
    models, tmp_path, monkeypatch
):
    """Its key has the policy of its own slots: no slice is served that was read otherwise."""
    model = models["XLMRobertaTokenizer"]
    pair = {"left": "The author", "correct": "goes", "wrong": "go", "number": "singular"}
    here, mark = (
        pd.DataFrame([{**pair, "right": right, "construction": right}]) for right in ("here.", ".")
    )
    evaluate(model, here, VERBS, store=tmp_path)
    computed, score = [], pieces.score_contexts
    monkeypatch.setattr(pieces, "score_contexts", lambda *a: computed.append(a) or score(*a))
    both = evaluate(model, pd.concat([here, mark]), VERBS, store=tmp_path)
    assert "slot:ids" in str(both.signature) and len(computed) == 1
    evaluate(model, mark, VERBS, store=tmp_path)
    assert len(computed) == 1
    assert len({path.parent for path in tmp_path.glob("*/*/*.parquet")}) == 2


def test_protocol_released_reads_the_text_with_the_mask(models):
    model = models["XLMRobertaTokenizer"]
    (released,) = read(model, [("The author", ".")], "released")
    assert list(released.ids) == model.tokenizer("The author <mask>.")["input_ids"]
    assert len(slot(model, "The author", ".").ids) == len(released.ids) - 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_word_is_looked_up_where_it_is_spelled_as_after_a_space(models, kind):
    model = models[kind]
    if kind in ("roberta", "roberta without lstrip", "modernbert"):
        for protocol in ("exact", "released"):
            with pytest.raises(InputError, match="'___ here.' has no word to its left"):
                all_read(read(model, [("", "here.")], protocol))
        return
    found = score_context(model, "", "here.", number="singular", lemmas=VERBS)
    assert found.mw == pytest.approx(plainly(model, "goes here."), abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_behind_a_mark_is_looked_up_as_it_is_spelled_there(models, kind):
    model, around = models[kind], ("The author '", "' here.")
    if kind in PIECES:  # without a space before it, each verb is several letters
        with pytest.raises(InputError, match="no lemma of two .* single tokens"):
            score_context(model, *around, number="singular", lemmas=VERBS)
        return
    if kind not in WORD_PIECES:
        with pytest.raises(InputError, match="the slot in \"The author '___' here.\" is one where"):
            slot(model, *around)
    found = score_context(model, *around, number="singular", lemmas=VERBS)
    assert found.mw == pytest.approx(plainly(model, "The author 'goes' here."), abs=1e-5)


def bits_with(model, sentence, masks):
    """-log2 P of each token with the tokens at its own places masked, by transformers alone."""
    ids, mask, found = model.tokenizer(sentence)["input_ids"], model.tokenizer.mask_token_id, []
    for place, others in enumerate(masks, 1):  # behind the tokenizer's own first token
        read = [mask if at in others else token for at, token in enumerate(ids)]
        with torch.no_grad():
            logits = model.network.module(torch.tensor([read])).logits[0, place]
        found.append(-logits.log_softmax(-1)[ids[place]].item() / math.log(2))
    return found


def in_one_word(model, sentence):
    return token_surprisals(model, [sentence], method="pll-l2r")[0].bits


def test_each_chinese_character_is_a_word_of_berts_tokenizer():
    entries = [
        *WORD_PIECES["BertTokenizer"],
        *"大山上の中国人",
        *"thes",
        *(f"##{letter}" for letter in "hesaintor"),
        ".",
    ]
    tokenizer = transformers.BertTokenizer(
        vocab={entry: number for number, entry in enumerate(entries)}
    )
    model, sentence = masked(tokenizer), "大山上の中国人"
    assert in_one_word(model, sentence) == pytest.approx(
        bits_with(model, sentence, [{n} for n in range(1, 8)]), abs=1e-4
    )
    assert in_one_word(model, "the.") == pytest.approx(
        bits_with(model, "the.", [{1, 2, 3}, {2, 3}, {3}, {4}]), abs=1e-4
    )


def test_a_final_mark_belongs_to_the_word_of_a_tokenizer_that_divides_at_spaces(models):
    model, sentence = models["XLMRobertaTokenizer"], "author goes."
    expected = bits_with(model, sentence, [{1}, {2, 3}, {3}])
    assert in_one_word(model, sentence) == pytest.approx(expected, abs=1e-4)


def test_robertas_tokenizer_divides_digits_from_letters(models):
    model = models["roberta"]
    expected = bits_with(model, "80s here", [{1, 2}, {2}, {3}, {4}])
    assert in_one_word(model, "80s here") == pytest.approx(expected, abs=1e-4)


def listed(entries, pre_tokenizer):
    tokenizer = Tokenizer(
        WordLevel({entry: number for number, entry in enumerate(entries)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizer
    names = {"unk_token": "[UNK]", "eos_token": "</s>", "mask_token": "[MASK]"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def test_a_gap_that_shares_its_token_with_a_mark_is_refused():
    entries = ["</s>", "[UNK]", "[MASK]", *WORDS, "here."]
    model = masked(listed(entries, pre_tokenizers.WhitespaceSplit()))
    assert slot(model, "The author", "here.").position == 2  # neither carrier is in this vocabulary
    with pytest.raises(InputError, match="the slot in 'The author ___.' is one where"):
        slot(model, "The author", ".")


def test_a_gap_that_changes_the_tokens_beside_it_is_refused():
    """The entry *e.* joins the last letter of one carrier to the mark, and none of the other."""
    entries = ["[MASK]", "</s>", *LETTERS, "Ġ", ".", "e."]
    tokenizer = Tokenizer(
        BPE({entry: number for number, entry in enumerate(entries)}, [("e", ".")])
    )
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=False)
    model = masked(
        PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="[MASK]", eos_token="</s>")
    )
    assert slot(model, "an author", "here").position == 9
    with pytest.raises(InputError, match="the slot in 'an author ___.' is one where"):
        slot(model, "an author", ".")


def test_the_scores_of_a_paradigm_are_kept_whatever_stands_beside_it(models, tmp_path):
    model = models["XLMRobertaTokenizer"]
    alone = pd.DataFrame({"paradigm": ["a"], "good": ["author"], "bad": ["goes"]})
    beside = pd.DataFrame({"paradigm": ["b"], "good": ["author goes."], "bad": ["goes author."]})
    for pairs in (alone, pd.concat([alone, beside], ignore_index=True)):
        evaluate_blimp(model, pairs, method="pll-l2r", store=tmp_path)
    shards = [file.name[0] for file in sorted(tmp_path.glob("*/*/*.parquet"))]
    assert shards == ["a", "b"]
