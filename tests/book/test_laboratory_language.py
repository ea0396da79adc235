"""The laboratory: its language, corpus, items and truth, and what its four models measure, held against that truth."""

import itertools
import json
import re
import runpy
from functools import cache

import numpy as np
import pandas as pd
import pytest

from tse_book.laboratory import corpus
from tse_book.laboratory.known_truth import truth
from tse_book.laboratory.language import BANDS, load_language
from tse_book.published import hu2020_circuits
from tse_core import load_model, load_pairs, load_sentence_pairs, score_pairs
from tse_core.datasets.lemmas import load_lemmas
from tse_core.paths import data_folder
from tse_core.syntaxgym.library import circuit, load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.syntaxgym.suites import read_suite, to_json

LANGUAGE, FOLDER = load_language(), data_folder() / "laboratory"
MADE = runpy.run_path(str(FOLDER / "make.py"))  # what made the files there
PARADIGMS, SUITES = MADE["PARADIGMS"], MADE["SUITES"]
REGIMES = ("systematic", "lexical")


def test_the_verbs_are_drawn_from_the_clean_list():
    drawn = MADE["chosen_lemmas"](load_lemmas("newman-clean").table, LANGUAGE.settings)
    pd.testing.assert_frame_equal(drawn.astype(str), LANGUAGE.lemmas.astype(str), check_dtype=False)


@pytest.mark.slow
def test_the_templates_verbs_are_in_the_head_and_all_their_words_are_known():
    pairs = load_pairs("marvin-linzen")
    band = LANGUAGE.lemmas.set_index("lemma")["band"]
    assert set(band[sorted(set(pairs["lemma"]))]) == {"head"}
    for column in ("left", "right"):
        words = {
            word.strip(".").lower() for text in set(pairs[column]) for word in text.split()
        } - {""}
        assert words <= set(LANGUAGE.vocabulary)


@cache
def _verbs(regime: str, construction: str) -> dict[str, np.ndarray]:
    """The verbs of one construction in a corpus of its patterns alone."""
    found = []
    for pattern in LANGUAGE.patterns:
        if pattern.construction == construction or any(
            construction in arguments for _, arguments in pattern.elements
        ):
            draft = corpus.Draft(
                LANGUAGE, regime, pattern.construction, 8_000, np.random.default_rng(1)
            )
            for name, arguments in pattern.elements:
                corpus.ELEMENTS[name](draft, *arguments)
            found += [verb for verb in draft.verbs if verb["construction"] == construction]
    return {
        key: np.concatenate([verb[key] for verb in found])
        for key in ("noun", "number", "other", "lemma", "form")
    }


@pytest.mark.parametrize(
    "construction", ["Simple", "Across object relative clause", "In object relative (no that)"]
)
@pytest.mark.parametrize("regime", REGIMES)
def test_the_corpus_agrees_as_the_truth_says(regime, construction):
    verbs = _verbs(regime, construction)
    present = verbs["form"] < 2
    lemma, number, other, form = (
        verbs[key][present] for key in ("lemma", "number", "other", "form")
    )
    if construction.startswith(
        "In "
    ):  # both verbs of the pattern are drawn; here the attractor matters for one only
        assert (other != number).any()
    expected = LANGUAGE.correct(regime, construction)[lemma, number, other]
    for cell in itertools.product(range(len(BANDS)), (False, True)):
        there = (LANGUAGE.band()[lemma] == cell[0]) & ((other != number) == cell[1])
        if there.any():
            error = 4 * np.sqrt(0.25 / there.sum()) + 1e-9
            assert abs((form == number)[there].mean() - expected[there].mean()) < error


def test_held_out_combinations_never_occur_and_a_fifth_of_the_uses_is_in_the_past_but_never_of_be():
    verbs = _verbs("systematic", "Simple")
    past, is_be = verbs["form"] == 2, (LANGUAGE.lemmas["lemma"] == "be").to_numpy()[verbs["lemma"]]
    assert abs(past[~is_be].mean() - 0.2) < 0.01 and not past[is_be].any()
    simple = LANGUAGE.held_out[LANGUAGE.constructions.index("Simple")]
    assert not simple[verbs["noun"], verbs["lemma"]].any()
    assert 0.15 < simple.mean() < 0.22  # 10 % everywhere, another 10 % here
    own = LANGUAGE.lemmas["lemma"].isin(LANGUAGE.leading()).to_numpy()
    assert own.sum() == 13 and not LANGUAGE.held_out[:, :, own].any()


def test_truth_by_hand():
    """Simple: 500 of 900 lemmas take one form whatever the subject, right for one number in two.

    Under attraction, middle band: 0.75 beside an attractor of the subject's number, else 0.2 x 0.75 + 0.8 x 0.25.
    """
    lexical, systematic = (
        truth(regime).set_index(["construction", "band"]) for regime in ("lexical", "systematic")
    )
    assert lexical.loc[("Simple", "all"), "EW"] == pytest.approx((200 + 200 + 500 / 2) / 900)
    assert lexical.loc[("Simple", "middle"), "MW"] == pytest.approx(0.75)
    assert lexical.loc[("Simple", "tail"), ["EW", "MW"]].tolist() == pytest.approx([0.5, 0.5])
    assert systematic.loc[("Simple", "all"), ["TSE", "EW", "MW"]].tolist() == [1, 1, 1]
    assert all((table.xs("all", level="band")["TSE"] == 1).all() for table in (lexical, systematic))
    row = lexical.loc[("Across object relative clause", "middle")]
    assert row["MW"] == pytest.approx((0.75 + 0.35) / 2)
    assert row["EW"] == 0.5  # 0.35 loses
    assert systematic.loc[("Across object relative clause", "tail"), "MW"] == pytest.approx(
        (1 + 0.7) / 2
    )


def _words(sentence: str) -> set[str]:
    return set(re.findall(r"[^\s,.]+|[,.]", sentence.lower()))


@pytest.mark.slow
def test_the_items_are_those_that_the_script_draws():
    """The suites whole, of each paradigm the first ten pairs: the script draws one after the other."""
    made = {name: to_json(MADE["suite"](name)) for name in SUITES}
    assert made == {path.stem: path.read_text() for path in (FOLDER / "suites").iterdir()}
    assert {path.stem for path in (FOLDER / "paradigms").iterdir()} == set(PARADIGMS)
    for uid in PARADIGMS:
        lines = (FOLDER / "paradigms" / f"{uid}.jsonl").read_text().splitlines()
        assert [*map(json.loads, lines[:10])] == MADE["paradigm"](uid, 10), uid


@pytest.mark.slow
def test_pairs_differ_use_known_words_only_and_begin_with_their_prefixes():
    pairs = load_sentence_pairs("laboratory")
    assert len(pairs) == 200 * len(PARADIGMS) and (pairs["good"] != pairs["bad"]).all()
    assert not pairs.duplicated(["good", "bad", "paradigm"]).any()
    assert set().union(*map(_words, [*pairs["good"], *pairs["bad"]])) <= set(LANGUAGE.vocabulary)
    one, two = (
        pairs[pairs["methods"].str.contains(method)] for method in ("one-prefix", "two-prefix")
    )
    assert len(one) + len(two) == len(pairs)
    for side in ("good", "bad"):
        starts = one["one_prefix_prefix"] + " " + one[f"one_prefix_word_{side}"]
        assert all(map(str.startswith, one[side], starts))
        starts = two[f"two_prefix_prefix_{side}"] + " " + two["two_prefix_word"]
        assert all(map(str.startswith, two[side], starts))


def test_every_circuit_has_a_suite_in_known_words():
    paths = sorted((FOLDER / "suites").glob("*.json"))
    suites = [read_suite(path) for path in paths]
    assert {circuit(suite) for suite in suites} == set(hu2020_circuits()["circuit"]) - {"SG score"}
    for suite in suites:
        sentences = suite.sentences()["sentence"].tolist()
        assert len(set(sentences)) == len(sentences)
        assert set().union(*map(_words, sentences)) <= set(LANGUAGE.vocabulary)


@pytest.mark.slow
def test_the_systematic_model_passes_them():
    model, pairs = load_model("lab-systematic-causal"), load_sentence_pairs("laboratory").iloc[::4]
    scores = (
        score_pairs(model, pairs, method="full-sentence")["correct"]
        .groupby(pairs["paradigm"].to_numpy())
        .mean()
    )
    # ten of fifty nouns show a gender: too rare for this little training
    assert scores.pop("anaphor_gender_agreement") < 0.7 and (scores >= 0.95).all()
    for name in SUITES:
        assert evaluate_suite(model, load_suite(name)).accuracy >= 0.9, name


MODELS = LANGUAGE.models()
RECORDED = data_folder() / "recorded" / "laboratory"
against_truth = runpy.run_path(str(RECORDED / "measure.py"))["against_truth"]
SCORES, CURVES = (pd.read_csv(RECORDED / f"{name}.csv") for name in ("scores", "curves"))
CELLS = SCORES.set_index(["model", "construction", "band"])


def _regime(model: str) -> str:
    return model.split("-")[1]


@pytest.mark.parametrize("model", MODELS)
def test_ew_and_mw_are_within_3_points_of_the_truth_in_nine_cells_of_ten_and_else_miss_attraction(
    model,
):
    """The cells that miss it all have an attractor: the rates differ by band more than these models learned."""
    cells = SCORES[SCORES["model"] == model]
    known = (
        truth(_regime(model), LANGUAGE)
        .set_index(["construction", "band"])
        .loc[CELLS.loc[model].index]
    )
    assert len(cells) == 9 * 4
    missed = [~((cells[score] - cells[f"true_{score}"]).abs() <= 0.03) for score in ("EW", "MW")]
    assert pd.concat(missed).mean() <= 0.1
    far = pd.concat([cells[one] for one in missed])
    simple = far["construction"].isin(["Simple", "In a sentential complement", "VP coordination"])
    assert (far[simple]["band"] == "tail").all()
    assert not (far[simple]["true_EW"] == 0.5).any()
    for score in ("EW", "MW"):
        assert cells[f"true_{score}"].to_numpy() == pytest.approx(known[score].to_numpy(), abs=1e-5)


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_perfect_tse_hides_that_half_of_the_tail_is_conjugated_wrongly(kind):
    simple = CELLS.loc[f"lab-lexical-{kind}", "Simple", :]
    assert simple.loc["all", "TSE"] >= 0.98 and simple.loc["all", "MW"] > 0.85
    assert simple.loc[["all", "tail"], "EW"].tolist() == pytest.approx([0.722, 0.5], abs=0.03)


def test_the_lexical_curves_fall_towards_the_tail():
    curves = CURVES[CURVES["model"].str.contains("lexical")]
    at = curves.set_index(["side", "cutoff", "model", "metric", "construction"])[
        "score"
    ].sort_index()
    top, whole, bottom = (at[place] for place in [("top", 0.9), ("top", 1.0), ("bottom", 0.1)])
    assert len(top) == len(whole) == len(bottom) == 2 * 2 * 9
    assert (top - whole > 0.01).all() and (whole - bottom > 0.01).all()


@pytest.mark.slow
def test_the_recorded_scores_are_those_of_the_weights_in_data():
    pairs = load_pairs("marvin-linzen/simple")
    for model in MODELS:
        cells, _ = against_truth(load_model(model), _regime(model), pairs)
        recorded = CELLS.loc[model, "Simple", :].loc[cells["band"]]
        for score in ("EW", "MW"):
            assert cells[score].to_numpy() == pytest.approx(recorded[score].to_numpy(), abs=1e-3)
