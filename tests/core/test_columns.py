"""Pairs from tables: other projects' columns, numbers that are said or shown by the verb, one line for each mistake."""

import pandas as pd
import pytest

from tse_core import InputError, evaluate, load_pairs, load_sentence_pairs
from tse_core.blimp.defects import pair_defects
from tse_core.datasets.columns import pairs_from_table
from tse_core.errors import LittleCountedWarning, UnknownWordsWarning

SHOWN = ["construction", "left", "correct", "wrong", "right", "number"]
KEYS = ("The keys to the cabinet", "are", "is", "here.", "plural")
FILES = {  # the same pair as other projects write it
    "named.csv": "good,bad,number\nThe keys to the cabinet are here.,The keys to the cabinet is here.,plural\n",
    "multiblimp.tsv": "\tsen\twrong_sen\tfeature_vals\tverb\n"
    "7\tThe keys to the cabinet are here.\tThe keys to the cabinet is here.\tPL -> SG\tare\n",
    "grewtse.csv": "sentence_id,match_id,form_grammatical,original_text,masked_text,form_ungrammatical,number\n"
    "x,6, are,The keys to the cabinet are here.,The keys to the cabinet [MASK] here., is,Plur\n",
    "gap.tsv": "left\tcorrect\twrong\tright\tlabel\nThe keys to the cabinet\tare\tis\there.\t-2\n",
}


@pytest.fixture
def write(tmp_path):
    def made(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return made


@pytest.mark.parametrize("name", FILES)
def test_the_same_pair_is_read_whatever_the_columns_are_called(write, name):
    path = write(name, FILES[name])
    pairs = load_pairs(path)
    assert pairs[SHOWN].to_numpy().tolist() == [[path.stem, *KEYS]]
    (sentences,) = load_sentence_pairs(path)[["good", "bad"]].to_numpy().tolist()
    assert sentences == ["The keys to the cabinet are here.", "The keys to the cabinet is here."]
    table = pd.read_csv(path, sep="\t" if name.endswith("tsv") else ",")
    assert pairs_from_table(table, construction=path.stem)[SHOWN].equals(pairs[SHOWN])


def test_lines_of_true_and_false_are_pairs_and_one_good_sentence_may_have_several_bad_ones(write):
    lines = ["True\tdie Autoren lachen", "False\tdie Autoren lacht", "False\tdie Autoren lachst"]
    pairs = load_sentence_pairs(write("simple_agrmt.txt", "\r\n".join(lines) + "\r\n"))
    assert pairs["good"].tolist() == ["die Autoren lachen"] * 2
    assert pairs["bad"].tolist() == ["die Autoren lacht", "die Autoren lachst"]
    assert pair_defects(pairs).empty and set(pairs["phenomenon"]) == {"simple_agrmt"}
    assert set(pairs["paradigm"]) == {"simple_agrmt"} and pairs["pair_id"].tolist() == ["2", "3"]


def test_columns_with_any_names_are_said(write):
    path = write("mine.csv", "satz,falsch,art\nThe cat runs.,The cat run.,kurz\n")
    columns = {"good": "satz", "bad": "falsch", "construction": "art"}
    assert load_pairs(path, columns)[SHOWN].to_numpy().tolist() == [["kurz", "The cat", "runs", "run", ".", ""]]


def test_columns_of_ones_own_are_factors_that_an_evaluation_is_divided_by(write, tiny_causal):
    lines = [
        "left,right,correct,wrong,number,adverb",
        "The author,,laughs,laugh,singular,none",
        "The author often,,laughs,laugh,singular,often",
        "The authors,,laugh,laughs,plural,none",
        "The authors often,,laugh,laughs,plural,often",
    ]
    table = evaluate(tiny_causal, write("mine.csv", "\n".join(lines)), keep="forms").table("adverb,number")
    assert table[["adverb", "number", "contexts"]].to_numpy().tolist() == [
        ["none", "singular", 1], ["none", "plural", 1], ["often", "singular", 1], ["often", "plural", 1],
    ]  # fmt: skip


def test_a_factor_that_some_lines_lack_is_empty_there_and_blimps_own_fields_are_none(write):
    lines = ['{"sentence_good": "A b c.", "sentence_bad": "A d c.", "label": -1, "field": "x", "depth": 2}',
             '{"sentence_good": "E b c.", "sentence_bad": "E d c.", "label": -1}']  # fmt: skip
    pairs = load_pairs(write("mine.jsonl", "\n".join(lines)))
    assert pairs["depth"].tolist() == ["2", ""] and "field" not in pairs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "mine.csv: the columns (a, b) hold no pairs; needed: two sentences (good, bad) or a sentence"),
        ("good,bad,number\nThe cat runs.,The cat run.,one\n", "mine.csv:2: number is 'one'; it must be singular or"),
        ("good,bad\nThe cat runs.,The dog run.\n", "mine.csv:2: the sentences must differ in exactly one word"),
        ("good,bad\nThe cat runs.\n", "mine.csv:2: 1 cells, but the header names 2 columns"),
        ("good,good\nA b.,A c.\n", "mine.csv:1: two columns have the same name"),
        ("", "mine.csv: holds no pairs"),
        ("text,correct,wrong\nThe cat.,runs,run\n", "mine.csv:2: no [MASK] in 'The cat.'"),
        ("left,correct,wrong\nThe cat,runs,\n", "mine.csv:2: a form of the verb is empty"),
        ("True\tA b.\nTrue\tA c.\n", "mine.csv:2: True again; the sentence before has no False one"),
        ("True\tA b.\nFalse\tA c.\nTrue\tA d.\n", "mine.csv: the last sentence has no False one"),
        ("False\tA b.\n", "mine.csv:1: False, but no True sentence stands before it"),
        ("True\tA b.\nperhaps\tA c.\n", "mine.csv:2: a line must be True or False, a tab and a sentence"),
    ],
)
def test_a_mistake_is_one_line_with_file_and_line(write, text, message):
    with pytest.raises(InputError) as error:
        load_pairs(write("mine.csv", text))
    assert message in str(error.value)


def test_a_column_that_is_not_there_and_a_use_that_is_none_are_named(write):
    path = write("mine.csv", "good,bad\nThe cat runs.,The cat run.\n")
    with pytest.raises(InputError, match="no column 'satz'; there is: good, bad"):
        load_pairs(path, {"good": "satz"})
    with pytest.raises(InputError, match="unknown use of a column 'godo' .did you mean 'good'"):
        load_sentence_pairs(path, {"godo": "good"})


def test_a_number_is_read_as_tables_write_it_and_gives_the_same_scores(tiny_causal):
    pairs = load_pairs("marvin-linzen/simple").query("number == 'plural'")
    said = pd.Series(["pl", "PL", "Plur", "plural", "-2", -2] * len(pairs), dtype=object)[: len(pairs)]
    found = evaluate(tiny_causal, pairs.assign(number=said.to_numpy())).table()
    pd.testing.assert_frame_equal(found, evaluate(tiny_causal, pairs).table())


@pytest.mark.parametrize("said", ["Plural!", "2", 1])
def test_an_unknown_number_is_an_error_and_no_singular(tiny_causal, said):
    pairs = load_pairs("marvin-linzen/simple")
    wrong = pairs.assign(number=pairs["number"].where(pairs.index != 4, said))
    with pytest.raises(InputError, match=f"the pairs, row 5: number is '{said}'; it must be singular or plural"):
        evaluate(tiny_causal, wrong)


def test_numbers_that_are_not_said_are_shown_by_the_forms_of_the_verb(tiny_causal):
    pairs = load_pairs("marvin-linzen/simple")
    bare = pairs.assign(number="")
    found = evaluate(tiny_causal, bare)
    pd.testing.assert_frame_equal(found.table(), evaluate(tiny_causal, pairs).table())
    spelled = pairs["lemma"].isin(["swim", "admire"]).sum()  # which the paper's list does not hold
    assert found.scored.endswith(f"{spelled} pairs: the number is a guess from English spelling")
    with pytest.raises(InputError, match="no pair says its subject's number, and their verbs do not show it .*: x/y"):
        evaluate(tiny_causal, bare.assign(correct="x", wrong="y"))


def test_what_could_be_scored_is_said_in_a_line(tiny_causal, tmp_path):
    pairs = load_pairs("marvin-linzen/simple").head(8)
    pairs.loc[:1, "correct"] = "gallivants"  # not one token
    pairs.loc[2, ["correct", "wrong", "number"]] = ["zigzags", "zigzag", "singular"]
    pairs.loc[3, ["correct", "wrong", "number"]] = ["went", "gone", ""]
    verbs = tmp_path / "verbs.csv"
    verbs.write_text("lemma,singular,plural\nlaugh,laughs,laugh\nsmile,smiles,smile\nzigzag,zigzags,zigzag\n")
    found = evaluate(tiny_causal, pairs, verbs)
    assert found.scored == (
        "counted: 4 of 8 pairs, 2 of 3 lemmas; 3 pairs: the verb's forms are not one token each; "
        "1 pair: the subject's number is not known"
    )
    assert found.pairs["tse"].count() == 4 and len(found.pairs) == 7


def test_words_of_the_contexts_that_a_model_does_not_know_are_named():
    name = "lab-systematic-causal"
    with pytest.warns(UnknownWordsWarning, match=rf"{name} reads words of the contexts as unknown \('always'"):
        found = evaluate(name, "marvin-linzen-adverbs/simple", "newman-clean")
    assert f"words of the contexts that {name} does not know: 'always'" in found.scored
    pairs = [{"sentence_good": "The author laughs.", "sentence_bad": "The author laugh.", "label": -1}]
    assert "does not know" not in evaluate(name, pd.DataFrame(pairs)).scored


def test_a_list_of_which_almost_nothing_is_in_the_vocabulary_warns(tiny_causal, tmp_path):
    verbs = tmp_path / "verbs.csv"
    rare = "".join(f"a{i},a{i}s,a{i}\n" for i in range(19))
    verbs.write_text("lemma,singular,plural\nlaugh,laughs,laugh\n" + rare)
    with pytest.warns(LittleCountedWarning, match="only 1 of the 20 lemmas of verbs; EW and MW are about these alone"):
        found = evaluate(tiny_causal, "marvin-linzen/simple", verbs)
    assert "1 of 20 lemmas (hardly any: EW and MW are about these alone)" in found.scored
