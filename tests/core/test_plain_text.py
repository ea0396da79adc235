"""Text is read in one spelling from every source; what cannot be text is one line."""

import json
import shutil
import subprocess
import warnings
from pathlib import Path

import pandas as pd
import pytest
import transformers

from tiny import save_model
from tse_core import (
    InputError,
    load_lemmas,
    load_model,
    load_pairs,
    load_sentence_pairs,
    score_pairs,
    surprisals,
)
from tse_core.agreement.slots import slot_distribution
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.coerce import as_pairs, as_sentence_pairs
from tse_core.datasets.conversions import split_pair
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import ChangedTextWarning
from tse_core.syntaxgym.suites import Item, read_suite
from tse_core.words import join, plain

ROOT = Path(__file__).parents[2]
TEXTS = ["a", " a \u00a0 b\t", "e\u0301te\u0301", "a\u2028b", "\u3000a\u200b", "\u1100\u1161"]
PAIR = {"construction": "c", "left": "The author", "right": ".", "number": "singular"}
PAIR |= {"correct": "laughs", "wrong": "laugh"}


def read(**changes):
    return as_pairs(pd.DataFrame([PAIR | changes]))


@pytest.mark.parametrize(
    "change",
    [{"left": "The author "}, {"left": "The\u00a0 author"}, {"construction": " c"}, {"correct": "laughs\t"}],
)
def test_a_table_is_read_as_a_file_is_with_a_warning(change):
    with pytest.warns(ChangedTextWarning, match="the pairs: 1 text was changed, e.g."):
        assert read(**change).equals(read())


def test_letters_with_marks_are_composed():
    with pytest.warns(ChangedTextWarning):
        assert read(left="L'e\u0301tudiant")["left"].tolist() == ["L'\u00e9tudiant"]
    pairs = pd.DataFrame({"good": ["Un e\u0301te\u0301 "], "bad": ["Un  \u00e9tat"], "paradigm": [" un"]})
    with pytest.warns(ChangedTextWarning, match="3 texts"):
        assert as_sentence_pairs(pairs).iloc[0].tolist() == ["Un \u00e9t\u00e9", "Un \u00e9tat", "un"]


def test_text_that_is_plain_already_is_not_spoken_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ChangedTextWarning)
        for right in (" !", "on the table."):
            assert read(right=right)["right"].tolist() == [right]


@pytest.mark.parametrize(("column", "value"), [("left", float("nan")), ("construction", None), ("correct", 7)])
def test_what_is_no_text_is_one_line(column, value):
    with pytest.raises(InputError, match=f"the pairs, row 1: {column} is {value}; it must be text"):
        read(**{column: value})


SENTENCES = [
    ('He said "she laughs" loudly.', 'He said "she laugh" loudly.'),
    ('The author "laughs" loudly.', 'The author "laugh" loudly.'),
    ('He writes "No" again.', 'He write "No" again.'),
    ("Il rit !", "Il rient !"),
    ("The author laughs!", "The author laugh!"),
    ('"The author laughs," he says.', '"The author laugh," he says.'),
    ("(The author laughs) again", "(The author laugh) again"),
    ("The author laughs", "The author laugh"),
    ("The author laughs, then swims.", "The author laugh, then swims."),
    ("Are they tall?", "Is they tall?"),
]


@pytest.mark.parametrize(("good", "bad"), SENTENCES)
def test_joining_the_parts_of_a_sentence_gives_the_sentence(good, bad):
    left, correct, wrong, right = split_pair(good, bad, "here")
    assert (join(left, correct, right), join(left, wrong, right)) == (good, bad)


def test_a_quotation_mark_that_closes_nothing_is_one_line():
    with pytest.raises(InputError, match="here: the quotation mark behind 'laughs' closes none"):
        split_pair('He laughs" she says', 'He laugh" she says', "here")


COMPOSED = "Le lion a e\u0301te\u0301"  # written with é as two characters each
LINE = '{"sentence_good": " The  author laughs.", "sentence_bad": "The author laugh.", "label": -1}'
SUITE = {
    "meta": {"name": "mine", "metric": "sum"},
    "region_meta": {"1": "a", "2": "b"},
    "predictions": [{"type": "formula", "formula": "(1;%x%) < (2;%x%)"}],
}
ITEM = {"item_number": 1, "conditions": [{"condition_name": "x", "regions": [
    {"region_number": 1, "content": COMPOSED}, {"region_number": 2, "content": "mang\u00e9\u00a0"}]}]}  # fmt: skip


TABLE = "left,correct,wrong,right,number\nThe author ,laughs,laugh,.,singular\n"
GRAMMAR = """
lexicon: {nouns: {n: [key/keys]}, predicates: {v: ['is/are e\u0301lu']}}
constructions: {c: {patterns: {p: 'the [n 1] [*v 1]'}}}
"""
VERBS = "lemma,singular,plural\ngo,goes,go\nrun,runs ,run\n"
FILES = {  # each kind of file, with text in another spelling: how it is read, and a text that reading gives
    "a.jsonl": (LINE, load_pairs, lambda pairs: pairs["left"][0] == "The author"),
    "a.csv": (TABLE, load_pairs, lambda pairs: pairs["left"][0] == "The author"),
    "s.csv": (
        'good,bad\n"The author  laughs.",The author laugh.\n',
        load_sentence_pairs,
        lambda pairs: pairs["good"][0] == "The author laughs.",
    ),
    "a.yaml": (GRAMMAR, load_pairs, lambda pairs: "\u00e9lu" in pairs["right"][0]),
    "v.csv": (VERBS, load_lemmas, lambda lemmas: lemmas.table["singular"].tolist() == ["goes", "runs"]),
    "u.json": (
        json.dumps(SUITE | {"items": [ITEM]}),
        read_suite,
        lambda suite: suite.items[0].sentence("x") == "Le lion a \u00e9t\u00e9 mang\u00e9",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_each_kind_of_file_is_read_in_one_spelling_with_one_warning(name, tmp_path):
    text, read, holds = FILES[name]
    (tmp_path / name).write_text(text)
    with pytest.warns(ChangedTextWarning) as said:
        assert holds(read(tmp_path / name))
    assert len(said) == 1 and "changed, e.g. " in str(said[0].message), [str(each.message) for each in said]


def test_a_list_of_sentences_is_read_as_a_file_is(tiny_causal, tse, tmp_path):
    plain = surprisals(tiny_causal, ["The author laughs."], unit="word")
    with pytest.warns(ChangedTextWarning, match="the sentences: 1 text was changed"):
        assert surprisals(tiny_causal, [" The\u00a0author  laughs. "], unit="word").equals(plain)
    (tmp_path / "s.txt").write_text(" The\u00a0author  laughs. \n")
    (tmp_path / "t.txt").write_text("The author laughs.\n")
    (code, out, said), (_, wanted, _) = (tse("surprisals", tiny_causal, tmp_path / name) for name in ("s.txt", "t.txt"))
    assert code == 0 and out == wanted and "1 text was changed" in said


def test_a_context_is_read_as_a_file_is(tiny_masked):
    plain = slot_distribution(tiny_masked, "The author", "the book.")
    with pytest.warns(ChangedTextWarning, match="the context: 1 text was changed"):
        assert slot_distribution(tiny_masked, "The  author", "the book.").equals(plain)


def test_a_suite_made_in_python_is_read_as_a_file_is():
    with pytest.warns(ChangedTextWarning, match="item 1: 1 text was changed"):
        assert Item(1, {"x": {1: COMPOSED, 2: "b"}}).sentence("x") == "Le lion a \u00e9t\u00e9 b"


PAGES = {  # where the code for the browser has its spelling
    "designer": ("suite.js", "global.window = {}; require(FILE); const plain = window.tseSuite.tidy;"),
    "living page": ("live/spelling.js", "const { plain } = await import(FILE);"),
}


@pytest.mark.parametrize("page", PAGES)
def test_pages_read_text_as_python_does(page):
    if not (node := shutil.which("node")):
        pytest.skip("no node")
    file, reading = PAGES[page]
    texts = TEXTS + [f"a{chr(code)}b" for code in range(0x3100) if code not in range(0xD800, 0xE000)]
    reading = reading.replace("FILE", json.dumps(str(ROOT / "book" / "assets" / file)))
    code = f"(async () => {{ {reading} console.log(JSON.stringify({json.dumps(texts)}.map(plain))) }})()"
    done = subprocess.run([node, "-"], input=code, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [plain(text) for text in texts]


def test_a_lemma_list_from_a_table_is_checked_as_a_file_is():
    table = pd.DataFrame({"lemma": ["go", "go"], "singular": ["goes", "goes "], "plural": ["go", "go"]})
    message = "the lemma list mine, row 2 .goes/go.: these two forms"
    with pytest.warns(ChangedTextWarning), pytest.raises(InputError, match=message):
        Lemmas("mine", table)
    with pytest.raises(InputError, match="the lemma list mine, row 2 ./go.: singular is empty"):
        Lemmas("mine", table.assign(singular=["goes", ""]))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"paradigm": ["all pairs", "x"]}, "a paradigm is called 'all pairs', which is what results call"),
        ({"paradigm": ["a", "b"], "phenomenon": ["b", "b"]}, "a paradigm and a phenomenon of other pairs"),
    ],
)
def test_no_paradigm_takes_the_row_of_another_thing(tiny_causal, names, message):
    pairs = pd.DataFrame({"good": ["The author laughs."] * 2, "bad": ["The author laugh."] * 2} | names)
    with pytest.raises(InputError, match=message):
        evaluate_blimp(tiny_causal, pairs)


def test_prefixes_are_plain_where_they_are_scored(tiny_causal):
    fields = ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad")
    rows = (("The author", "laughs", "laugh"), (" The  author ", " laughs", "laugh\u00a0"))
    tables = [pd.DataFrame([dict(zip(fields, row, strict=True))]) for row in rows]
    plain = score_pairs(tiny_causal, tables[0], "one-prefix")
    with pytest.warns(ChangedTextWarning):
        assert score_pairs(tiny_causal, tables[1], "one-prefix").equals(plain)


def test_a_tokenizer_larger_than_its_network_is_one_line(tmp_path):
    folder = save_model(tmp_path / "model", "causal")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["zebra", "gnaws", "gnaw"])
    tokenizer.save_pretrained(folder)
    model = load_model(folder)
    for given, sentence in ((model, "The zebra laughs."), (load_model(folder, bos="zebra"), "The author laughs.")):
        with pytest.raises(InputError, match="has the entry 'zebra' .*, but its network only .* entries"):
            surprisals(given, [sentence])
    assert model.spellings(["gnaws", "laughs"])[0] is None and model.word_ids(["gnaws", "laughs"])[1] is not None
