"""Tokens are placed by their texts, left to right."""

import pytest

from tse_core.models.spelling import spell


@pytest.mark.parametrize(
    ("sentence", "tokens", "expected"),
    [
        ("The cats aren't here.", "The Ġcats Ġaren 't Ġhere .", ["The", "cats", "aren", "'t", "here", "."]),
        ("The unaffable cat", "▁The ▁un aff able ▁cat", ["The", "un", "aff", "able", "cat"]),
        ("The unaffable cat", "[CLS] the un ##aff ##able cat [SEP]", ["", "The", "un", "aff", "able", "cat", ""]),
        ("The unaffable cat", "The un@@ affable cat </s>", ["The", "un", "affable", "cat", ""]),
        ("Zoë's café", "zoe 's cafe", ["Zoë", "'s", "café"]),
        ("Zoë ate", "Zo Ã« Ġate", ["Zo", "ë", "ate"]),
        ("She said ( no )", "She said -LRB- no -RRB-", ["She", "said", "(", "no", ")"]),
        ("well-known 'fact' & so", "well @-@ known &apos;fact&apos; &amp; so",
         ["well", "-", "known", "'fact'", "&", "so"]),
        ("The blorps glim.", "The <unk> <unk> .", ["The", "blorps", "glim", "."]),
        ("The blorps glim.", "The <unk> s <unk> .", ["The", "blorp", "s", "glim", "."]),
        ("The zebra a", "The <unk> a", ["The", "zebra", "a"]),
        ("x < y", "x < y", ["x", "<", "y"]),
        ("The cat", "The dog", None),
        ("The cat", "The", None),
        ("The cat sat", "The <unk>", None),  # an unknown word ends at its space
        ("a" * 4000, " ".join(["<unk>", "a"] * 1000 + ["z"]), None),
    ],
)  # fmt: skip
def test_tokens_are_found_in_their_sentence(sentence, tokens, expected):
    tokens = tokens.split()
    spans = spell(sentence, tokens, [token == "<unk>" for token in tokens])
    assert (spans and [sentence[start:end] for start, end in spans]) == expected


def test_tokenizers_of_the_usual_kinds_spell_real_sentences(small_models):
    from transformers import AutoTokenizer

    sentences = [
        "The author next to the senators isn't good .",
        "It's the co-worker's résumé, naïvely (unread)!",
    ]
    for name in ("random-bert-cased", "random-gpt2", "random-roberta"):
        tokenizer = AutoTokenizer.from_pretrained(small_models / name)
        for sentence in sentences:
            encoding = tokenizer(sentence, return_offsets_mapping=True)
            tokens = tokenizer.convert_ids_to_tokens(encoding["input_ids"])
            spans = spell(sentence, tokens, [False] * len(tokens))
            for (start, end), (a, b), token in zip(
                spans, encoding["offset_mapping"], tokens, strict=True
            ):
                assert b == a or sentence[start:end] == sentence[a:b].strip(), token
