"""The noun of a subject: given by the data, else guessed from English spelling; its part in intervals and hashes."""

import json

import pandas as pd
import pytest

from tse_core import evaluate, load_pairs
from tse_core.datasets.names import data_hash
from tse_core.datasets.pair_files import read_pairs
from tse_core.datasets.pairs import with_nouns
from tse_core.errors import GuessedWarning
from tse_core.words import spelled_nouns

LINES = [
    {"sentence_good": f"my {subject} {good}", "sentence_bad": f"my {subject} {bad}", "label": label, "subject": subject}
    for subject, good, bad, label in [("foot", "hurts", "hurt", -1), ("feet", "hurt", "hurts", -2)]
]


def written(path, **columns):
    path.write_text("\n".join(json.dumps(line | columns) for line in LINES), encoding="utf-8")
    return path


def test_singular_and_plural_of_an_english_noun_are_recognised_by_their_spelling():
    words = ["Authors", "author", "movies", "movie", "bus", "keys", ""]
    assert spelled_nouns(words) == ["author", "author", "movie", "movie", "bus", "keys", ""]


def test_a_file_that_says_its_nouns_is_believed_and_nothing_is_guessed(tmp_path, recwarn):
    assert read_pairs(written(tmp_path / "feet.jsonl", noun="foot"))["noun"].tolist() == ["foot", "foot"]
    assert not [warning for warning in recwarn if warning.category is GuessedWarning]


def test_a_file_without_nouns_has_them_guessed_and_says_so_once(tmp_path):
    with pytest.warns(GuessedWarning, match=r"feet\.jsonl: subjects without a 'noun': 2 of 2; ") as said:
        pairs = read_pairs(written(tmp_path / "feet.jsonl"))
    assert pairs["noun"].tolist() == ["foot", "feet"] and len(said) == 1


def test_a_table_with_some_empty_nouns_says_how_many_are_guessed():
    some = pd.DataFrame({"subject": ["The boxes", "keys", "key", ""], "noun": ["box", "", "", ""]})
    with pytest.warns(GuessedWarning, match="^the pairs: subjects without a 'noun': 2 of 3; "):
        assert with_nouns(some)["noun"].tolist() == ["box", "key", "key", ""]


def test_pairs_without_a_subject_have_no_noun_and_no_warning(recwarn):
    assert with_nouns(pd.DataFrame({"left": ["The author"]}))["noun"].tolist() == [""]
    assert not [warning for warning in recwarn if warning.category is GuessedWarning]


def test_nouns_that_spelling_gives_too_leave_the_hash_of_the_data_alone_and_others_change_it():
    pairs = load_pairs("marvin-linzen/simple")
    assert data_hash(pairs) == data_hash(pairs.drop(columns="noun")) == "ed9b0bef"
    assert data_hash(pairs.assign(noun=pairs["subject"])) != data_hash(pairs)


@pytest.fixture(scope="module")
def simple():
    return load_pairs("marvin-linzen/simple")


@pytest.fixture(scope="module")
def found(tiny_causal, simple):
    return evaluate(tiny_causal, simple, keep="lemmas")


def test_contexts_and_lemmas_of_an_evaluation_carry_the_noun_and_clusters_follow_it(tiny_causal, simple, found):
    nouns = dict(zip(simple["subject"], simple["noun"], strict=True))
    for table in (found.contexts, found.by_lemma):
        assert table["noun"].tolist() == table["subject"].map(nouns).tolist()
    assert set(found.intervals()["clusters"]) == {simple["noun"].nunique()}
    apart = evaluate(tiny_causal, simple.assign(noun=simple["subject"]))
    assert set(apart.intervals()["clusters"]) == {simple["subject"].nunique()}
    assert apart.contexts["ew"].tolist() == found.contexts["ew"].tolist()
    assert apart.signature.key != found.signature.key


def test_a_table_without_nouns_is_scored_as_one_that_has_them(tiny_causal, simple, found):
    with pytest.warns(GuessedWarning, match="the pairs: subjects without a 'noun'"):
        guessed = evaluate(tiny_causal, simple.drop(columns="noun"))
    pd.testing.assert_frame_equal(guessed.tidy(), found.tidy())
