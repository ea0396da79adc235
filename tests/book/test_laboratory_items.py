"""The laboratory's own paradigms and suites: made by their seeds, in known words, and a trained model passes them."""

import pytest

from tse_book.laboratory.language import load_language
from tse_book.laboratory.paradigms import PARADIGMS, write_paradigms
from tse_book.laboratory.suites import SUITES, write_suites
from tse_core import load_model, load_sentence_pairs, score_pairs
from tse_core.paths import data_folder
from tse_core.syntaxgym.library import circuit, load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.syntaxgym.suites import problems_of, read_suite

LANGUAGE = load_language()
FOLDER = data_folder() / "laboratory"
NOT_LEARNED = {"anaphor_gender_agreement"}  # ten of fifty nouns show a gender: too rare for this little training


def _words(sentence: str) -> set[str]:
    return set(sentence.lower().replace(",", " , ").replace(".", " . ").split())


@pytest.mark.parametrize("write", [pytest.param(write_paradigms, marks=pytest.mark.slow), write_suites])
def test_the_files_are_those_that_the_code_writes(write, tmp_path):
    kind = "paradigms" if write is write_paradigms else "suites"
    written = {path.name: path.read_bytes() for path in write(tmp_path)}
    assert written == {path.name: path.read_bytes() for path in (FOLDER / kind).iterdir()}
    assert len(written) == len(PARADIGMS if kind == "paradigms" else SUITES)


def test_pairs_differ_and_use_known_words_only():
    pairs = load_sentence_pairs("laboratory")
    assert len(pairs) == 200 * len(PARADIGMS)
    assert (pairs["good"] != pairs["bad"]).all()
    assert not pairs.duplicated(["good", "bad", "paradigm"]).any()
    assert set().union(*map(_words, [*pairs["good"], *pairs["bad"]])) <= set(LANGUAGE.vocabulary)


def test_a_prefix_and_its_words_make_the_beginnings_of_the_two_sentences():
    pairs = load_sentence_pairs("laboratory")
    one, two = (pairs[pairs["methods"].str.contains(method)] for method in ("one-prefix", "two-prefix"))
    assert len(one) + len(two) == len(pairs)
    for side in ("good", "bad"):
        starts = one["one_prefix_prefix"] + " " + one[f"one_prefix_word_{side}"]
        assert all(map(str.startswith, one[side], starts))
        starts = two[f"two_prefix_prefix_{side}"] + " " + two["two_prefix_word"]
        assert all(map(str.startswith, two[side], starts))


def test_every_circuit_has_a_suite_in_known_words():
    paths = sorted((FOLDER / "suites").glob("*.json"))
    assert [problems_of(path, strict=True) for path in paths] == [[]] * len(paths)
    suites = [read_suite(path) for path in paths]
    assert {circuit(suite) for suite in suites} == {
        "Agreement", "Licensing", "Garden-Path Effects", "Gross Syntactic State", "Center Embedding",
        "Long-Distance Dependencies",
    }  # fmt: skip
    for suite in suites:
        sentences = [text for _, _, text in suite.sentences()]
        assert len(set(sentences)) == len(sentences)
        assert set().union(*map(_words, sentences)) <= set(LANGUAGE.vocabulary)


@pytest.mark.slow
def test_the_systematic_model_passes_them():
    model = load_model("lab-systematic-causal")
    pairs = load_sentence_pairs("laboratory")
    scores = score_pairs(model, pairs, method="full-sentence")["correct"].groupby(pairs["paradigm"].to_numpy()).mean()
    assert (scores.drop(sorted(NOT_LEARNED)) >= 0.95).all()
    assert (scores[sorted(NOT_LEARNED)] < 0.7).all()
    for name in SUITES:
        assert evaluate_suite(model, load_suite(name)).accuracy >= 0.9, name
