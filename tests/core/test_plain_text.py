"""Text is read in one spelling from every source; what cannot be text is one line."""

import json
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from suites import suite_data
from tse_core import load_lemmas, load_pairs, load_sentence_pairs
from tse_core.errors import TseWarning
from tse_core.syntaxgym.suites import read_suite
from tse_core.words import plain, trimmed

ROOT = Path(__file__).parents[2]
TEXTS = ["a", " a \u00a0 b\t", "e\u0301te\u0301", "a\u2028b", "\u3000a\u200b", "\u1100\u1161"]
PAIR = {"construction": "c", "left": "The author", "right": ".", "number": "singular"}
PAIR |= {"correct": "laughs", "wrong": "laugh"}


def read(**changes):
    return load_pairs(pd.DataFrame([PAIR | changes]))


@pytest.mark.parametrize(
    "change",
    [
        {"left": "The author "},
        {"left": "\nThe author"},
        {"construction": " c"},
        {"correct": "laughs\t"},
    ],
)
def test_a_table_is_read_as_a_file_is(change):
    assert read(**change).equals(read())


def test_white_space_inside_a_sentence_is_kept():
    for right in (" !", "\u202f!", "on  the\ntable.", "on the table."):
        assert read(right=right)["right"].tolist() == [right]
    for left in ("The\u00a0 author", "Who left?\n", "Il dit « "):
        assert read(left=left)["left"].tolist() == [left]


def test_white_space_at_the_ends_of_a_sentence_goes_and_a_line_says_so():
    table = pd.DataFrame({"good": ["A\n\nb  c.", "A b."], "bad": ["A\n\nd  c.", " A d. "]})
    said = "^the pairs: white space at the ends of sentences is left out .1 of 2 rows, the first: row 2"
    for load in (load_pairs, load_sentence_pairs):
        with pytest.warns(
            TseWarning, match=said if load is load_pairs else "1 of 2 rows, the first: row 2"
        ):
            pairs = load(table)
    assert pairs[["good", "bad"]].to_numpy().tolist() == [
        ["A\n\nb  c.", "A\n\nd  c."],
        ["A b.", "A d."],
    ]


COMPOSED = "Le lion a e\u0301te\u0301"  # written with é as two characters each
LINE = '{"sentence_good": "The  author laughs.", "sentence_bad": "The  author laugh.", "label": -1}'
SUITE = suite_data([{"x": [COMPOSED, "mang\u00e9\u00a0"]}], "(1;%x%) < (2;%x%)")
TABLE = "left,correct,wrong,right,number\nThe author ,laughs,laugh,.,singular\n"
GRAMMAR = """
period: add
lexicon: {nouns: {n: [key/keys]}, predicates: {v: ['is/are e\u0301lu']}}
constructions: {c: {patterns: {p: 'the [n 1] [*v 1]'}}}
"""
VERBS = "lemma,singular,plural\ngo,goes,go\nrun,runs ,run\n"
FILES = {  # each kind of file, with text in another spelling: how it is read, and a text that reading gives
    "a.jsonl": (LINE, load_pairs, lambda pairs: pairs["left"][0] == "The  author"),
    "a.csv": (TABLE, load_pairs, lambda pairs: pairs["left"][0] == "The author"),
    "s.csv": (
        'good,bad\n"The author  laughs.",The author laugh.\n',
        load_sentence_pairs,
        lambda pairs: pairs["good"][0] == "The author  laughs.",
    ),
    "a.yaml": (
        GRAMMAR,
        load_pairs,
        lambda pairs: (pairs["left"][0], pairs["right"][0]) == ("the key", "\u00e9lu."),
    ),
    "v.csv": (
        VERBS,
        load_lemmas,
        lambda lemmas: lemmas.table["singular"].tolist() == ["goes", "runs"],
    ),
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
    texts = TEXTS + [
        f"a{chr(code)}b" for code in range(0x3100) if code not in range(0xD800, 0xE000)
    ]
    reading = (
        f"global.window = {{}}; require({json.dumps(str(ROOT / 'book' / 'assets' / 'common.js'))});"
    )
    for name, spell in (("plain", plain), ("trimmed", trimmed)):
        code = f"{reading} console.log(JSON.stringify({json.dumps(texts)}.map(window.tseCommon.{name})))"
        done = subprocess.run(
            [node, "-"], input=code, capture_output=True, encoding="utf-8", check=True
        )
        assert json.loads(done.stdout) == [spell(text) for text in texts]
