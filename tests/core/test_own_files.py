"""Files as people have them: rows and contexts set aside, names of one's own, rows by columns of one's own."""

import re
import shutil

import pandas as pd
import pytest

from tse_core import (
    InputError,
    evaluate,
    evaluate_blimp,
    evaluate_models,
    load_model,
    load_pairs,
    load_sentence_pairs,
)
from tse_core.datasets.loading import data_hash
from tse_core.errors import TseWarning

AUTHOR = "The author laughs.,The author laugh.,singular\n"
SET_ASIDE = "pairs in whose gap the model cannot look a word up"


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.mark.slow
def test_contexts_that_a_model_cannot_read_are_set_aside(write, tiny_causal, tiny_masked):
    path = write("mine.csv", f"good,bad,number\nAre they tall?,Is they tall?,plural\n{AUTHOR}")
    with pytest.warns(
        TseWarning, match=r"^mine: 1 of 2 pairs are set aside, .* mine/2: .*'___ they"
    ):
        mixed = evaluate(tiny_causal, path)
    alone = evaluate(tiny_causal, write("alone/mine.csv", f"good,bad,number\n{AUTHOR}"))
    pd.testing.assert_frame_equal(mixed.table(), alone.table())
    assert SET_ASIDE + ": 1" in mixed.scored and SET_ASIDE not in alone.scored
    with pytest.warns(TseWarning, match="1 of 2 pairs are set aside"):
        runs = evaluate_models({"a": tiny_causal, "b": tiny_masked}, path, shared=True)
    assert list(runs) == ["a", "b"] and [len(run.pairs) for run in runs.values()] == [1, 1]
    verbs_first = write("first.csv", "good,bad\nAre they tall?,Is they tall?\n")
    with pytest.raises(InputError, match="has no word to its left"):
        evaluate(tiny_causal, verbs_first)


@pytest.mark.slow
def test_two_folders_of_one_name_have_names_of_their_own(write, tiny_causal, tse, tmp_path):
    data = write("mine.csv", f"good,bad,number\n{AUTHOR}")
    for seed in "12":
        shutil.copytree(tiny_causal, tmp_path / seed / "checkpoint-500")
    models = [tmp_path / seed / "checkpoint-500" for seed in "12"]
    code, _, errors = tse("--no-store", "evaluate", *models, "--data", data)
    assert code == 2 and "two models are called 'checkpoint-500'; give each a name" in errors
    named = [f"seed-{seed}={model}" for seed, model in zip("12", models, strict=True)]
    out = tmp_path / "out.csv"
    code, output, _ = tse("--no-store", "evaluate", *named, "--data", f"own={data}", "--out", out)
    assert code == 0 and "\nseed-1\t" in output and "\nseed-2\t" in output
    assert set(pd.read_csv(out)["model"]) == {"seed-1", "seed-2"}
    assert "seed-2@" in output and " own@" in output
    code, _, errors = tse("evaluate", f"a={models[0]}", "--data", f"own={data}", "--out", data)
    assert code == 2 and "would be written over" in errors


def test_a_name_of_ones_own_stands_for_that_of_the_file(write):
    paths = [
        write(f"{folder}/test.csv", "good,bad\nThe cat runs.,The cat run.\n") for folder in "ab"
    ]
    assert load_sentence_pairs(paths[0], name="first")["paradigm"].tolist() == ["first"]
    pairs = load_pairs(paths[1], name="second")
    assert pairs.attrs["name"] == "second" and pairs["construction"].tolist() == ["second"]
    assert pairs["id"].tolist() == ["second/2"]
    with pytest.raises(InputError, match="name is 'x', but 'marvin-linzen' has a name"):
        load_pairs("marvin-linzen", name="x")


BY = """good,bad,category,margin
The author laughs.,The author laugh.,syntax,1
The author laughs.,The farmers laughs.,meaning,2
The farmers laugh.,The farmers laughs.,syntax,3
"""


def test_columns_of_ones_own_are_rows_and_are_written(write, tiny_causal, tse, tmp_path):
    data, out, table = write("mine.csv", BY), tmp_path / "pairs.csv", tmp_path / "table.csv"
    code, output, errors = tse(
        "blimp", tiny_causal, "--data", data, "--by", "category", "--items", out, "--out", table
    )
    assert code == 0, errors
    lines = [line.split("\t")[:3] for line in output.splitlines()]
    assert [lines[0][0], lines[1][0], lines[2][0], lines[3][0]] == [
        "category", "syntax", "meaning", "all pairs"
    ]  # fmt: skip
    assert [line[2] for line in lines[1:4]] == ["2", "1", "3"]
    written = pd.read_csv(out)
    assert written[["good", "bad", "category", "data_margin"]].equals(
        pd.read_csv(data).rename(columns={"margin": "data_margin"})
    )
    assert {"syntax", "meaning"} < set(pd.read_csv(table)["construction"])
    plain = write("plain/mine.csv", "good,bad\n" + "\n".join(
        ",".join(line.split(",")[:2]) for line in BY.splitlines()[1:]
    ))  # fmt: skip
    signature = output.splitlines()[5]
    assert signature in tse("blimp", tiny_causal, "--data", plain)[1]
    code, _, errors = tse("blimp", tiny_causal, "--data", data, "--by", "kategory")
    assert code == 2 and "unknown column for --by 'kategory' (did you mean 'category'?)" in errors


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squares", "lemmas", "correct_second"])
def test_a_column_called_like_a_result_divides_as_any_other(
    write, tiny_causal, tmp_path, tse, name
):
    tables = []
    for column in ("condition", name):
        table = pd.read_csv(write("mine.csv", BY)).rename(columns={"category": column})
        path = write(f"{column}.csv", table.to_csv(index=False))
        files = [tmp_path / f"{column}-{kind}.csv" for kind in ("out", "items")]
        options = dict(zip(("--out", "--items"), files, strict=True))
        words = [word for option in options.items() for word in option]
        models = [tiny_causal, "--against", f"again={tiny_causal}"]
        code, _, errors = tse("blimp", *models, "--data", path, "--by", column, *words)
        assert code == 0, errors
        differences = pd.read_csv(tmp_path / f"{column}-out-differences.csv")
        assert {"syntax", "meaning"} < set(differences.iloc[:, 0])
        numbers = differences[["pairs", "difference", "low", "high"]].astype(float)
        items = pd.read_csv(files[1])
        (own,) = (kept for kept in items if items[kept].isin(["syntax", "meaning"]).all())
        scores = pd.read_csv(files[0])[["construction", "score", "pairs", "lemmas"]]
        scores["construction"] = scores["construction"].replace(column, "file")
        tables.append((numbers, items[own].tolist(), scores))
    (numbers, labels, scores), (numbers_of_other, labels_of_other, scores_of_other) = tables
    pd.testing.assert_frame_equal(numbers, numbers_of_other)
    assert labels == labels_of_other
    pd.testing.assert_frame_equal(scores, scores_of_other)


def test_a_column_is_not_taken_for_another_that_begins_with_data(write, tiny_causal, tse, tmp_path):
    table = pd.read_csv(write("mine.csv", BY))
    table = table.assign(data_category="x", data_margin=["a", "b", "c"])
    path, out = write("mine.csv", table.to_csv(index=False)), tmp_path / "out.csv"
    code, output, errors = tse(
        "blimp", tiny_causal, "--data", path, "--by", "category", "--items", out
    )
    assert code == 0 and output.startswith("category\t") and "\nsyntax\t" in output, errors
    written = pd.read_csv(out)
    for own, name in (("data_margin", "data_margin"), ("margin", "data_data_margin")):
        assert written[name].tolist() == table[own].tolist()
    code, _, errors = tse("blimp", tiny_causal, "--data", path, "--by", "methods")
    assert code == 2 and "unknown column for --by 'methods'" in errors


def test_a_value_called_like_a_paradigm_has_a_row_of_its_own(write, tiny_causal):
    table = pd.read_csv(write("mine.csv", BY)).assign(paradigm="syntax")
    scores = evaluate_blimp(tiny_causal, table)
    accuracy = scores.accuracy("category").set_index("category")["accuracy"]
    numbers = scores.tidy("category").set_index("construction")["score"]
    assert numbers["category=syntax"] == accuracy["syntax"]
    assert numbers["meaning"] == accuracy["meaning"]
    assert numbers["syntax"] == numbers["all pairs"] == scores.accuracy()["accuracy"].item()


def test_two_files_of_one_name_are_not_one_paradigm(write, tiny_causal, tse):
    paths = [write(f"{folder}/mine.csv", BY) for folder in "ab"]
    data = [word for path in paths for word in ("--data", path)]
    code, _, errors = tse("blimp", tiny_causal, *data)
    assert code == 2 and "2 data sets are called 'mine'" in errors and "NAME=FILE" in errors
    data = ["--data", f"a={paths[0]}", "--data", f"b={paths[1]}"]
    code, output, _ = tse("blimp", tiny_causal, *data, "--by", "paradigm")
    assert code == 0 and "\na\t" in output and "\nb\t" in output


GOOD, BAD = "The cat runs here.", "The cat run here."
ROWS = {  # the same pair, one sentence a row, as other projects write it, and what columns say of it
    "dutch.csv": (
        f"paradigm,item,zin,goed,rating\np,1,{GOOD},1,6.5\np,1,{BAD},0,2\nq,1,{GOOD},1,6.5\nq,1,{BAD},0,2\n",
        {"sentence": "zin", "grammatical": "goed", "item": "item"},
    ),
    "mixed.csv": (f"sentence,grammatical,item\n{BAD},no,b\n{GOOD},yes,b\n", None),
    "chinese.tsv": (f"label\tsentence\n1\t{GOOD}\n0\t{BAD}\n", None),
    "generated.tab": (
        "pattern\tid1\tid2\tform\tclass\tprefix\tfreq\n"
        "L\t1\t0\truns\tcorrect\tThe cat\t5\nL\t1\t0\trun\twrong\tThe cat\t7\n"
        "L\t1\t1\truns\tcorrect\tThe cat\t5\nL\t1\t1\trun\twrong\tThe cat\t7\n",
        {"left": "prefix", "grammatical": "class", "item": "pattern+id1+id2"},
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_one_sentence_a_row_is_read_as_pairs(write, name):
    text, columns = ROWS[name]
    path = write(name, text)
    pairs, sentences = load_pairs(path, columns), load_sentence_pairs(path, columns)
    right = "" if name == "generated.tab" else "here."
    assert pairs[["left", "correct", "wrong", "right"]].drop_duplicates().to_numpy().tolist() == [
        ["The cat", "runs", "run", right]
    ]
    assert len(pairs) == len(sentences) == (2 if columns else 1)
    if name != "generated.tab":
        assert set(sentences["good"]) == {GOOD} and set(sentences["bad"]) == {BAD}
    if name == "dutch.csv":
        assert sentences[["rating_good", "rating_bad"]].to_numpy().tolist() == [["6.5", "2"]] * 2
        assert sentences["paradigm"].tolist() == ["p", "q"]


def test_the_message_about_gulordavas_table_has_the_columns_that_read_it(write):
    path = write(
        "generated.tab", ROWS["generated.tab"][0].replace("id1\tid2", "constr_id\tsent_id")
    )
    with pytest.raises(InputError) as error:
        load_pairs(path)
    words = re.search("--columns ([^ ]+) reads it", str(error.value))[1].split(",")
    assert len(load_pairs(path, dict(word.split("=") for word in words))) == 2


def test_a_table_read_again_is_the_same_data_and_an_empty_folder_is_said(write, tmp_path):
    header = (
        "sentence_good,sentence_bad,two_prefix_prefix_good,two_prefix_prefix_bad,two_prefix_word"
    )
    row = "Some cats run.,Some cat run.,Some cats,Some cat, run."
    pairs = load_sentence_pairs(write("blimp.csv", f"{header}\n{row}\n"))
    assert pairs["two_prefix_word"].tolist() == [" run."]
    assert data_hash(load_sentence_pairs(pairs)) == data_hash(pairs)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds no file that ends in \.conllu, \.csv"):
        load_sentence_pairs(tmp_path / "empty")


def test_linzens_pair_of_files_is_read_by_the_name_of_one(write):
    write("agr.text", "the keys to the door are here . <eos>\nis he ?\n")
    pairs = load_pairs(write("agr.gold", "5\tare\tis\t1\n0\tIs\tAre\t0\n"))
    columns = ["left", "correct", "wrong", "right", "attractors"]
    assert pairs[columns].to_numpy().tolist() == [
        ["the keys to the door", "are", "is", "here .", "1"],
        ["", "is", "are", "he ?", "0"],
    ]
    for place, message in (
        ("4\tare\tis\t1\n0\tis\tare\t0\n", "agr.gold:1: 'are' is not word 5"),
        ("5\tare\tis\t1\n", "has 1 lines and .* 2"),
        ("are\n\nis\n", "agr.gold:1: needs four cells"),
    ):
        with pytest.raises(InputError, match=message):
            load_pairs(write("agr.gold", place))
    with pytest.raises(InputError, match="needs its sentences in .*other.text"):
        load_pairs(write("other.gold", "5\tare\tis\t1\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{GOOD},1\n{BAD},0\n{BAD},0\n{GOOD},1\n", "m.csv:4: without a column for the item"),
        (f"{GOOD},1\n{BAD},0\n{GOOD},1\n", "m.csv:4: without a column for the item"),
        (f"{GOOD},1\n{BAD},maybe\n", "m.csv:3: the column 'label' is 'maybe'; it must say whether"),
        (f"{GOOD},1\n,0\n", "m.csv:3: sentence is missing"),
    ],
)  # fmt: skip
def test_rows_out_of_order_are_refused_with_their_line(write, text, message):
    with pytest.raises(InputError, match=message):
        load_sentence_pairs(write("m.csv", f"sentence,label\n{text}"))


def test_items_without_two_sentences_are_set_aside(write):
    rows = f"sentence,label,item\n{GOOD},1,a\n{BAD},0,b\n{GOOD},1,c\n{BAD},0,c\n"
    with pytest.warns(TseWarning, match="2 of 4 rows are set aside, .* the first: .*m.csv:2"):
        assert len(load_sentence_pairs(write("m.csv", rows))) == 1
    with pytest.raises(InputError, match=r"m.csv:2: its item has not one .* item=NAME\+NAME"):
        load_sentence_pairs(write("m.csv", rows), {"item": "sentence"})


def test_a_column_of_both_sides_replaces_no_other(write):
    rows = f"sentence,label,item,freq,freq_good\n{GOOD},1,a,5,x\n{BAD},0,a,7,x\n"
    with pytest.raises(InputError, match="m.csv: the column 'freq_good' is there, and another"):
        load_sentence_pairs(write("m.csv", rows))
    pairs = load_sentence_pairs(write("m.csv", rows.replace("freq_good", "kind")))
    assert pairs[["freq_good", "freq_bad", "kind"]].to_numpy().tolist() == [["5", "7", "x"]]


def test_good_and_bad_lines_alternate_in_the_order_that_is_given(write):
    path = write("zorro.txt", f"{BAD}\n{GOOD}\n\nThe dogs sits .\nThe dogs sit .\n")
    pairs = load_sentence_pairs(path, {"good": "even", "bad": "odd"})
    assert pairs[["good", "bad", "pair_id"]].to_numpy().tolist() == [
        [GOOD, BAD, "1"], ["The dogs sit .", "The dogs sits .", "4"]
    ]  # fmt: skip
    reverse = load_sentence_pairs(path, {"good": "odd", "bad": "even"})
    assert reverse["good"].tolist() == pairs["bad"].tolist()
    with pytest.raises(
        InputError, match="zorro.txt: .*in turn, --columns good=odd,bad=even or the"
    ):
        load_sentence_pairs(path)
    with pytest.raises(
        InputError, match="odd.txt:3: good and bad lines alternate, but there are 3"
    ):
        load_pairs(write("odd.txt", "a b\na c\nd e\n"), {"good": "odd", "bad": "even"})


def test_a_named_data_set_has_alternating_lines(pinned, tse, monkeypatch):
    data = {"holds": "sentence pairs", "format": "lines", "columns": {"good": "even", "bad": "odd"}}
    source = {"repository": "owner/zorro", "commit": "0" * 40, "licence": "MIT"}
    files = {"sentences/agreement.txt": f"{BAD}\n{GOOD}\n".encode()}
    monkeypatch.setenv("TSE_MIRROR", str(pinned({"zorro": data | source}, {"zorro": files})))
    pairs = load_sentence_pairs("zorro/agreement")
    assert pairs[["good", "bad", "paradigm"]].to_numpy().tolist() == [[GOOD, BAD, "agreement"]]


@pytest.mark.parametrize("mark", ["[MASK]", "[mask]", "<mask>", "***mask***", "___"])
def test_the_mark_of_a_gap_is_read_or_quoted(write, mark):
    text = f"The cat {mark} here."
    pairs = load_pairs(write("m.csv", f"text,correct,wrong\n{text},runs,run\n"))
    assert pairs[["left", "right"]].to_numpy().tolist() == [["The cat", "here."]]
    with pytest.raises(InputError) as error:
        load_pairs(write("m.csv", f"text\n{text}\n"))
    assert f"{text!r} has a gap, and needs the two forms beside it" in str(error.value)
    with pytest.raises(InputError, match="the first line has no names of columns"):
        load_pairs(write("m.csv", f"{text},runs,run\n{text},sees,see\n"))


@pytest.mark.parametrize("beside", ["text", "left"])
def test_forms_under_the_names_of_sentences_are_not_scored_as_sentences(write, beside):
    text = "The cat ***mask*** here." if beside == "text" else "The cat"
    path = write("m.csv", f"{beside},good,bad\n{text},runs,run\n")
    with pytest.raises(InputError, match=f"'good' .'runs'. does not begin like '{beside}'"):
        load_sentence_pairs(path)
    forms = load_sentence_pairs(path, {"correct": "good", "wrong": "bad"})
    assert forms["good"].iloc[0].startswith("The cat runs")
    assert load_sentence_pairs(path, {"good": "good", "bad": "bad"})["good"].tolist() == ["runs"]
    sentences = write("n.csv", f"{beside},good,bad\n{text},The cat runs here.,The cat run here.\n")
    assert load_sentence_pairs(sentences)["good"].tolist() == ["The cat runs here."]


def test_rows_that_are_no_pair_of_one_verb_are_set_aside(write):
    rows = (
        "good,bad,label\nThe cat runs.,The cat run.,SG\nShe saw herself.,She saw himself.,F -> M\n"
        "The cats run.,The cat runs.,PL\n"
    )
    with pytest.warns(
        TseWarning, match="2 of 3 rows are set aside, .*m.csv:3: the column 'label' is"
    ):
        assert load_pairs(write("m.csv", rows))["id"].tolist() == ["m/2"]
    with pytest.raises(InputError, match="m.csv:2: the column 'label' is '0'; the number of the"):
        load_pairs(write("m.csv", "good,bad,label\nThe cat runs.,The cat run.,0\n"))


def test_surprisals_skip_what_cannot_be_read(write, tiny_causal, tse):
    long = " ".join(["The author laughs."] * 200)
    path = write("m.txt", f"The author laughs.\n\n{long}\nThe author laughs.\n")
    code, output, errors = tse("surprisals", tiny_causal, path)
    rows = [line.split("\t") for line in output.splitlines()[1:]]
    assert code == 1 and {row[0] for row in rows} == {"1", "4"}
    first, last = ([row[1:] for row in rows if row[0] == number] for number in "14")
    assert first == last
    assert "m.txt: empty lines are skipped: 2\n" in errors and "line 3 has " in errors
    code, output, _ = tse("tokenize", tiny_causal, write("t.txt", "The author\n\nlaughs.\n"))
    assert code == 0 and output.splitlines()[1] == "" and len(output.splitlines()) == 3


def test_pairs_of_one_sentence_twice_are_counted_in_a_note(write, tiny_causal, tse):
    path = write("m.csv", f"good,bad\n{GOOD},{BAD}\n{GOOD},{GOOD}\n")
    code, _, errors = tse("--no-store", "blimp", tiny_causal, "--data", path)
    assert code == 0 and "pairs whose two sentences are the same, and so tie: 1" in errors
    scores = evaluate_blimp(load_model(tiny_causal), load_sentence_pairs(path))
    assert str(scores).startswith("accuracy ") and " over 2 pairs | " in str(scores)


def test_the_end_of_the_last_word_needs_room(write, tiny_causal, tse):
    """The model reads 64 tokens: it predicts a 65th, but not what follows that."""
    path = write("m.txt", f"The author laughs.\n{' '.join(['author'] * 65)}\n")
    command = ["surprisals", tiny_causal, path, "--unit", "word", "--punctuation", "apart"]
    for more, lines in (([], {"1", "2"}), (["--word-end"], {"1"})):
        code, output, errors = tse(*command, *more)
        assert {row.split("\t")[0] for row in output.splitlines()[1:]} == lines
        assert code == len(more) and errors.count("line 2 has 65 tokens") == len(more)
