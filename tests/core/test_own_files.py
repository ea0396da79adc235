"""Files as people have them: rows and contexts set aside, names of one's own, rows by columns of one's own."""

import shutil

import pandas as pd
import pytest

from tse_core import InputError, evaluate, evaluate_models, load_pairs, load_sentence_pairs
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


def test_two_folders_of_one_name_have_names_of_their_own(write, tiny_causal, tse, tmp_path):
    data = write("mine.csv", f"good,bad,number\n{AUTHOR}")
    for seed in "12":
        shutil.copytree(tiny_causal, tmp_path / seed / "checkpoint-500")
    models = [tmp_path / seed / "checkpoint-500" for seed in "12"]
    code, _, errors = tse("evaluate", *models, "--data", data, "--no-store")
    assert code == 2 and "two models are called 'checkpoint-500'; give each a name" in errors
    named = [f"seed-{seed}={model}" for seed, model in zip("12", models, strict=True)]
    out = tmp_path / "out.csv"
    code, output, _ = tse("evaluate", *named, "--data", f"own={data}", "--no-store", "--out", out)
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
        "blimp", tiny_causal, "--data", data, "--by", "category", "--out", out, "--table", table
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
