"""Text is read in one spelling from every source; what cannot be text is one line."""

import json
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from suites import suite_data
from tse_core import load_lemmas, load_pairs, load_sentence_pairs
from tse_core.syntaxgym.suites import read_suite
from tse_core.words import plain

ROOT = Path(__file__).parents[2]
TEXTS = ["a", " a \u00a0 b\t", "e\u0301te\u0301", "a\u2028b", "\u3000a\u200b", "\u1100\u1161"]
PAIR = {"construction": "c", "left": "The author", "right": ".", "number": "singular"}
PAIR |= {"correct": "laughs", "wrong": "laugh"}


def read(**changes):
    return load_pairs(pd.DataFrame([PAIR | changes]))


@pytest.mark.parametrize(
    "change",
    [{"left": "The author "}, {"left": "The\u00a0 author"}, {"construction": " c"}, {"correct": "laughs\t"}],
)
def test_a_table_is_read_as_a_file_is(change):
    assert read(**change).equals(read())


def test_the_space_before_a_mark_is_kept():
    for right in (" !", "on the table."):
        assert read(right=right)["right"].tolist() == [right]


COMPOSED = "Le lion a e\u0301te\u0301"  # written with é as two characters each
LINE = '{"sentence_good": " The  author laughs.", "sentence_bad": "The author laugh.", "label": -1}'
SUITE = suite_data([{"x": [COMPOSED, "mang\u00e9\u00a0"]}], "(1;%x%) < (2;%x%)")
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
        json.dumps(SUITE),
        read_suite,
        lambda suite: suite.sentences()["sentence"][0] == "Le lion a \u00e9t\u00e9 mang\u00e9",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_each_kind_of_file_is_read_in_one_spelling(name, tmp_path):
    text, read, holds = FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert holds(read(tmp_path / name))


def test_pages_read_text_as_python_does():
    if not (node := shutil.which("node")):
        pytest.skip("no node")
    texts = TEXTS + [f"a{chr(code)}b" for code in range(0x3100) if code not in range(0xD800, 0xE000)]
    reading = f"global.window = {{}}; require({json.dumps(str(ROOT / 'book' / 'assets' / 'common.js'))});"
    code = f"{reading} console.log(JSON.stringify({json.dumps(texts)}.map(window.tseCommon.plain)))"
    done = subprocess.run([node, "-"], input=code, capture_output=True, encoding="utf-8", check=True)
    assert json.loads(done.stdout) == [plain(text) for text in texts]
