"""Text is read in one spelling from every source; what cannot be text is one line."""

import warnings

import pandas as pd
import pytest

from tiny import save_model
from tse_core import InputError, evaluate, load_lemmas, load_model, score_pairs, surprisals
from tse_core.blimp.scores import evaluate_blimp
from tse_core.cli.printing import print_table
from tse_core.datasets.coerce import as_pairs, as_sentence_pairs
from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.pairs import split_pair
from tse_core.errors import ChangedTextWarning
from tse_core.words import join

PAIR = {"construction": "c", "left": "The author", "right": ".", "number": "singular"}
PAIR |= {"correct": "laughs", "wrong": "laugh"}


def read(**changes):
    return as_pairs(pd.DataFrame([PAIR | changes]))


@pytest.mark.parametrize(
    "change",
    [{"left": "The author "}, {"left": "The\u00a0 author"}, {"construction": " c"}, {"correct": "laughs\t"}],
)
def test_a_table_is_read_as_a_file_is_with_a_warning(change):
    with pytest.warns(ChangedTextWarning, match="the pairs: 1 texts were changed, e.g."):
        assert read(**change).equals(read())


def test_letters_with_marks_are_composed():
    with pytest.warns(ChangedTextWarning):
        assert read(left="L'e\u0301tudiant")["left"].tolist() == ["L'\u00e9tudiant"]
    pairs = pd.DataFrame({"good": ["Un e\u0301te\u0301 "], "bad": ["Un  \u00e9tat"]})
    with pytest.warns(ChangedTextWarning, match="2 texts"):
        assert as_sentence_pairs(pairs).iloc[0].tolist() == ["Un \u00e9t\u00e9", "Un \u00e9tat"]


def test_text_that_is_plain_already_is_not_spoken_of(tiny_masked):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ChangedTextWarning)
        assert read(right=" !")["right"].tolist() == [" !"]
        assert read(right="on the table.")["right"].tolist() == ["on the table."]


def test_a_space_at_an_end_changes_no_score(tiny_masked):
    rows = [PAIR, PAIR | {"left": "The authors", "number": "plural", "correct": "laugh", "wrong": "laughs"}]
    plain = evaluate(tiny_masked, pd.DataFrame(rows)).tidy()
    with pytest.warns(ChangedTextWarning):
        spaced = evaluate(tiny_masked, pd.DataFrame([row | {"left": f" {row['left']}  "} for row in rows])).tidy()
    assert spaced["score"].equals(plain["score"]) and len(plain)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": float("nan")}, "the pairs, row 1: left is nan; it must be a text"),
        ({"construction": None}, "the pairs, row 1: construction is None; it must be a text"),
        ({"correct": 7}, "the pairs, row 1: correct is 7; it must be a text"),
    ],
)
def test_what_is_no_text_is_one_line(change, message):
    with pytest.raises(InputError, match=message):
        read(**change)


SENTENCES = [
    ('He said "she laughs" loudly.', 'He said "she laugh" loudly.'),
    ('The author "laughs" loudly.', 'The author "laugh" loudly.'),
    ('He writes "No" again.', 'He write "No" again.'),
    ("Il rit !", "Il rient !"),
    ("The author laughs!", "The author laugh!"),
    ('"The author laughs," he says.', '"The author laugh," he says.'),
    ("(The author laughs) again", "(The author laugh) again"),
    ("The author laughs", "The author laugh"),
]


@pytest.mark.parametrize(("good", "bad"), SENTENCES)
def test_joining_the_parts_of_a_sentence_gives_the_sentence(good, bad):
    left, correct, wrong, right = split_pair(good, bad, "here")
    assert (join(left, correct, right), join(left, wrong, right)) == (good, bad)


def test_a_quotation_mark_that_closes_nothing_is_one_line():
    with pytest.raises(InputError, match="here: the quotation mark behind 'laughs' closes none"):
        split_pair('He laughs" she says', 'He laugh" she says', "here")


def test_a_lemma_list_from_a_table_is_checked_as_a_file_is():
    table = pd.DataFrame({"lemma": ["go", "go"], "singular": ["goes", "goes "], "plural": ["go", "go"]})
    with pytest.warns(ChangedTextWarning), pytest.raises(InputError, match="the lemma list mine: goes/go again"):
        Lemmas("mine", table)
    with pytest.raises(InputError, match="the lemma list mine: a row has no singular"):
        Lemmas("mine", table.assign(singular=["goes", ""]))
    assert len(load_lemmas("newman-released")) == 1951


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
    plain, spaced = [
        score_pairs(tiny_causal, pd.DataFrame([dict(zip(fields, row, strict=True))]), "one-prefix")
        for row in (("The author", "laughs", "laugh"), (" The  author ", " laughs", "laugh\u00a0"))
    ]
    assert plain.equals(spaced)


def test_a_tokenizer_larger_than_its_network_is_one_line(tmp_path):
    transformers = pytest.importorskip("transformers")
    folder = save_model(tmp_path / "model", "causal")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["zebra", "gnaws", "gnaw"])
    tokenizer.save_pretrained(folder)
    model = load_model(folder)
    with pytest.raises(InputError, match="has the entry 'zebra' .*, but its network only .* entries"):
        surprisals(model, ["The zebra laughs."])
    assert model.spellings(["gnaws", "laughs"])[0] is None and model.word_ids(["gnaws", "laughs"])[1] is not None


def test_a_name_in_a_table_steers_no_terminal(capsys):
    print_table(["model"], [["a\x1b[2Jb\x07"]])
    assert capsys.readouterr().out == "model\na\\x1b[2Jb\\x07\n"
