"""Only text is text: what is no sentence, label or form is refused where it enters."""

import json
from datetime import date
from io import StringIO

import numpy as np
import pandas as pd
import pytest

import tse_core
from tse_core import InputError, load_lemmas, load_pairs, load_sentence_pairs, surprisals
from tse_core.errors import TseWarning
from tse_core.syntaxgym import load_suite
from tse_core.syntaxgym.suites import read_suite
from tse_core.text import text_of

WORDS = ["The", "author", "laughs", "."]
NO_TEXTS = {
    "a list": (WORDS, "is a list, no text .*join a list of words with spaces first"),
    "an array": (np.array(WORDS), "is a list, no text"),
    "an object": ({"text": "The author laughs."}, "is an object with keys, no text"),
    "bytes": (b"The author laughs.", "is bytes, no text; decode them first"),
    "a flag": (True, "is True, no text"),
    "a number": (7, "is the number 7, no text"),
    "a date": (date(2020, 1, 1), "is of the type date, no text"),
}


@pytest.mark.parametrize("kind", NO_TEXTS)
@pytest.mark.parametrize("load", [load_pairs, load_sentence_pairs])
def test_a_cell_that_is_no_text_is_no_sentence(tmp_path, kind, load):
    value, message = NO_TEXTS[kind]
    good = "The author laughs."
    bad = "The author laugh."
    table = pd.DataFrame({"good": [good, value], "bad": [bad, bad]})
    with pytest.raises(InputError, match=f"the pairs, row 2: the column 'good' {message}"):
        load(table)
    if kind in ("a list", "an object", "a flag", "a number"):
        lines = [{"good": good, "bad": bad}, {"good": value, "bad": bad}]
        path = tmp_path / "own.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        with pytest.raises(InputError, match=f"own.jsonl:2: the column 'good' {message}"):
            load(path)
    if kind == "a list":
        path = tmp_path / "own.parquet"
        pd.DataFrame({"good": [WORDS], "bad": [WORDS]}).to_parquet(path)
        with pytest.raises(InputError, match=f"own.parquet, row 1: the column 'good' {message}"):
            load(path)


@pytest.mark.parametrize("kind", NO_TEXTS)
def test_a_value_that_is_no_text_is_no_form_and_no_sentence_of_a_list(tiny_causal, kind):
    value, message = NO_TEXTS[kind]
    forms = {"lemma": ["laugh"], "singular": [value], "plural": ["laugh"]}
    with pytest.raises(InputError, match=f"row 1: the column 'singular' {message}"):
        load_lemmas(pd.DataFrame(forms))
    with pytest.raises(InputError, match=f"sentence 2 {message}"):
        surprisals(tiny_causal, ["The author laughs.", value])


def test_labels_and_factors_may_be_numbers_and_lists_are_no_factors():
    table = pd.DataFrame(
        {
            "good": ["The author laughs."],
            "bad": ["The author laugh."],
            "id": [3.0],
            "distance": [2],
            "frequent": [True],
            "tokens": [WORDS],
        }
    )
    pairs = load_pairs(table)
    assert pairs[["id", "distance", "frequent"]].to_numpy().tolist() == [["3", "2", "True"]]
    assert "tokens" not in pairs and "tokens" not in load_sentence_pairs(table)


def test_a_missing_value_is_empty_and_no_word():
    assert [text_of(value, "x") for value in (None, np.nan, pd.NA, np.str_("a"))] == [
        "", "", "", "a",
    ]  # fmt: skip
    table = pd.DataFrame({"good": ["The author laughs.", None], "bad": ["The author laugh."] * 2})
    with pytest.raises(InputError, match="row 2: good is missing"):
        load_pairs(table)


def test_a_key_or_a_line_that_is_there_twice_is_refused(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text('{"good": "A b.", "bad": "A c.", "good": "A d."}\n')
    with pytest.raises(InputError, match="own.jsonl:1: .*the key 'good' appears twice"):
        load_pairs(path)
    suite = tmp_path / "suite.json"
    suite.write_text('{"meta": {"name": "a", "name": "b"}}')
    with pytest.raises(InputError, match="suite.json: .*the key 'name' appears twice"):
        load_suite(suite)
    suite = tmp_path / "suite.csv"
    suite.write_text(
        "#meta,name,one\n#meta,metric,sum\n#meta,metric,mean\n#prediction,(1;%a%) < (1;%b%)\n"
        "item_number,condition_name,1: verb\n1,a,laughs\n1,b,laugh\n"
    )
    with pytest.raises(InputError, match="two lines #meta say 'metric'; keep one"):
        read_suite(suite)


def test_sentences_are_texts_and_no_table_or_mapping(tiny_causal):
    table = pd.DataFrame({"item": ["a", "b"], "sentence": ["The author laughs.", "The key is."]})
    with pytest.raises(InputError, match="'own.csv' is the name of a file: read its lines"):
        surprisals(tiny_causal, "own.csv")
    with pytest.raises(InputError, match="not a DataFrame; .*the columns are item, sentence"):
        surprisals(tiny_causal, table)
    for value in ({"The author laughs.": 1}, b"The author laughs.", 7):
        with pytest.raises(InputError, match="sentences are a list of texts; this is"):
            surprisals(tiny_causal, value)
    column = table.set_index("item")["sentence"]
    found = surprisals(tiny_causal, column, unit="word")
    expected = surprisals(tiny_causal, list(column), unit="word")
    assert found["sentence"].unique().tolist() == ["a", "b"]
    assert found.drop(columns="sentence").equals(expected.drop(columns="sentence"))


@pytest.mark.slow
def test_a_pair_that_a_model_cannot_read_is_set_aside(tmp_path, tiny_causal):
    """Of a special token of the model: the others have the scores that they have alone."""
    model = tse_core.load_model(tiny_causal)
    special = model.tokenizer.unk_token or model.tokenizer.eos_token
    path = tmp_path / "own.csv"
    rows = ["The author laughs.,The author laugh.", "The authors laugh.,The authors laughs."]
    faulty = f"The {special} author laughs.,The {special} author laugh."
    path.write_text("\n".join(["good,bad", rows[0], faulty, rows[1]]))
    sound = tmp_path / "sound.csv"
    sound.write_text("\n".join(["good,bad", *rows]))
    with pytest.warns(TseWarning, match="own: 1 of 3 pairs are set aside, .*own/3: the text"):
        found = tse_core.evaluate(model, path, store=None)
    alone = tse_core.evaluate(model, sound, store=None)
    scores = ["log_probability_correct", "log_probability_wrong"]
    assert found.pairs[scores].equals(alone.pairs[scores])
    with pytest.warns(TseWarning, match="own: 1 of 3 rows are set aside, .*own/3: the text"):
        found = tse_core.evaluate_blimp(model, path, store=None)
    alone = tse_core.evaluate_blimp(model, sound, store=None)
    assert found.pairs["logp_good"].tolist() == alone.pairs["logp_good"].tolist()


def test_printed_surprisals_come_back_whole(tmp_path, tiny_causal, tse):
    path = tmp_path / "lines.txt"
    path.write_text('"Stop there," the author said.\nHe read NA and null.\n')
    options = ["--unit", "word", "--bos", "none"]
    code, output, _ = tse("surprisals", tiny_causal, path, *options)
    (tmp_path / "out.tsv").write_text(output)
    table = pd.read_csv(tmp_path / "out.tsv", sep="\t", dtype="str", keep_default_na=False)
    assert code == 0 and table["word"].tolist() == path.read_text().split()
    assert table["surprisal"].tolist().index("") == 0  # nothing predicts the first word
    for name in ("out.csv", "out.parquet"):
        out = tmp_path / name
        code, output, _ = tse("surprisals", tiny_causal, path, *options, "--out", out)
        read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
        written = read(out)
        words = surprisals(tiny_causal, path.read_text().splitlines(), unit="word", bos="none")
        assert code == 0 and list(written) == list(words)
        assert written["scored"].tolist() == words["scored"].tolist()
        np.testing.assert_allclose(written["surprisal"], words["surprisal"])


def test_surprisals_of_a_table_need_its_column(tmp_path, tiny_causal, tse):
    path = tmp_path / "items.csv"
    path.write_text('item,sentence\n7,The author laughs.\n9,"The key, here."\n')
    code, _, errors = tse("surprisals", tiny_causal, path)
    assert code == 2 and "items.csv: is a table and no text; --columns sentence=NAME" in errors
    code, output, _ = tse(
        "surprisals",
        tiny_causal,
        path,
        "--unit",
        "word",
        "--columns",
        "sentence=sentence,item=item",
    )
    rows = [line.split("\t") for line in output.splitlines()]
    assert code == 0 and rows[0] == ["sentence_id", "item", "word_id", "word", "surprisal"]
    assert [row[:4] for row in rows[1::3]] == [["2", "7", "1", "The"], ["3", "9", "1", "The"]]


def test_an_article_goes_on_over_lines_and_ends_at_the_next_mark(tmp_path, tiny_causal, tse):
    path = tmp_path / "own.sentitems"
    path.write_text("The key.\n!ARTICLE\nThe author laughs.\nThe key is.\n!ARTICLE\nThe key is.\n")
    code, output, errors = tse("surprisals", tiny_causal, path)
    rows = pd.read_csv(StringIO(output), sep="\t")
    assert code == 0 and list(rows["sentence_id"].unique()) == [1, 3, 4, 6]
    assert "2 lines !ARTICLE mark where an article begins" in errors
    whole = surprisals(str(tiny_causal), ["The author laughs. The key is.", "The key is."])
    found = rows.loc[rows["sentence_id"].isin([4, 6]), "surprisal"]
    expected = whole["surprisal"].tail(len(found)).round(4)
    np.testing.assert_allclose(found, expected, atol=1e-4)
