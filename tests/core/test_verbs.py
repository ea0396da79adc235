"""Sensitivity and bias of evaluations: metrics of cells, a row a verb, and models whose truth is known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from test_cells import by_hand

from tse_core import InputError, evaluate, evaluate_models, load_model, load_pairs, load_scores
from tse_core.agreement.movement import KIND_NAMES, kind_table
from tse_core.metrics.definitions import OF_CELLS, score_range, table_order
from tse_core.metrics.movement import verb_scores
from tse_core.paths import data_folder
from tse_core.results.tidy import read_results, write_results

SIMPLE = "marvin-linzen/simple"
CELLS = list(OF_CELLS)


@pytest.fixture(scope="module")
def forms(tiny_causal):
    pairs = load_pairs("marvin-linzen").iloc[::37].reset_index(drop=True)
    pairs.attrs["name"] = "some"
    return evaluate(tiny_causal, pairs, detail="forms", store=None)


def test_the_row_of_each_verb_by_hand():
    """The key and the box are singular, the keys plural; m of open 2, 1 and -2, of rust 1, 0 and 1, of walk -1, 0, -3."""
    verbs = by_hand().verbs().set_index("lemma")
    assert verbs["sensitivity"].tolist() == [(1.5 + 2) / 2, (0.5 - 1) / 2, (-0.5 + 3) / 2]
    assert verbs["bias"].tolist() == [-(1.5 - 2) / 2, -(0.5 + 1) / 2, -(-0.5 - 3) / 2]
    assert verbs["EW_singular"].tolist() == [1.0, 0.5, 0.0]
    assert verbs["EW_plural"].tolist() == [1.0, 0.0, 1.0]
    assert verbs["EW"].tolist() == [1.0, 0.25, 0.5]
    assert verbs["kind"].tolist() == ["never", "never", "noun"]
    assert (verbs["contexts"] == 3).all()
    table = by_hand().table().iloc[0]
    assert table["sensitivity"] == pytest.approx(verbs["sensitivity"].mean())
    assert table["bias"] == pytest.approx(verbs["bias"].mean())
    assert table["balanced_EW"] == pytest.approx(verbs["EW"].mean())


def test_cells_of_one_number_have_no_sensitivity_and_others_have_it():
    adverbs = by_hand().table("adverb").set_index("adverb")  # the box is alone in "often"
    assert adverbs["sensitivity"].isna().to_dict() == {"none": False, "often": True}
    assert "sensitivity" not in by_hand().table("number")
    assert by_hand().verbs("adverb")["sensitivity"].isna().tolist() == [False] * 3 + [True] * 3


@pytest.mark.slow
def test_what_groups_keep_is_what_forms_give(forms):
    """In cells of constructions both do; groups hold single precision."""
    groups_alone = replace(forms, form_arrays=None)
    expected, found = (e.table(intervals=True) for e in (forms, groups_alone))
    columns = [c for c in expected if c.startswith(tuple(CELLS))]
    assert len(columns) == 3 * len(CELLS)
    for column in columns:
        # A spread is divided by means near 0 here.
        assert found[column].tolist() == pytest.approx(
            expected[column].tolist(), rel=1e-3, abs=2e-5, nan_ok=True
        )
    pd.testing.assert_frame_equal(groups_alone.verbs(), forms.verbs(), atol=2e-5, rtol=0)
    with pytest.raises(InputError, match="evaluate with detail='forms'"):
        groups_alone.verbs("attractor_number")
    assert "sensitivity" not in groups_alone.table("attractor_number")


def test_sums_of_lemmas_give_the_same_groups(forms):
    again = replace(forms, form_arrays=None, verb_groups=None)
    pd.testing.assert_frame_equal(again.verbs(), forms.verbs(), atol=2e-5, rtol=0)
    assert again.table()["spread"].tolist() == pytest.approx(forms.table()["spread"], abs=1e-4)


def test_metrics_of_cells_are_those_of_the_arrays(forms):
    rows = (forms.contexts["construction"] == forms.contexts["construction"][0]).to_numpy()
    verbs = verb_scores(forms.log_odds[rows], forms.plural[rows].ravel(), forms.subjects[rows])
    table = forms.table().iloc[0]
    for name, metric in OF_CELLS.items():
        assert table[name] == pytest.approx(metric.value(verbs)), name
    is_noun = forms.lemmas["noun"].to_numpy()
    of_nouns = forms.table("construction,noun").iloc[:2].set_index("noun")
    assert of_nouns["spread"][True] == pytest.approx(OF_CELLS["spread"].value(verbs.of(is_noun)))


def test_the_interval_of_a_mean_is_that_of_the_margin_where_numbers_are_balanced(tiny_causal):
    """With as many contexts of each number in every cluster the two are one number, asked in two ways."""
    scores = evaluate(tiny_causal, SIMPLE, detail="lemmas", store=None)
    ends = ["score", "low", "high"]
    one_way = scores.intervals(["subjects"]).set_index("metric")[ends].astype(float)
    two_ways = scores.intervals(["subjects", "verbs"]).set_index("metric")[ends].astype(float)
    for metric, same in (("sensitivity", "margin"), ("balanced_EW", "EW")):
        assert one_way.loc[metric].tolist() == pytest.approx(one_way.loc[same].tolist(), abs=1e-5)
        # What a subject does to single verbs is not taken off the two ways' sum.
        assert two_ways.loc[metric, "low"] <= two_ways.loc[same, "low"] + 1e-5
        assert two_ways.loc[metric, "high"] >= two_ways.loc[same, "high"] - 1e-5


def test_saved_tidy_and_printed_scores_hold_them(tiny_causal, tmp_path):
    scores = evaluate(tiny_causal, SIMPLE, store=None)
    scores.save(tmp_path / "scores.parquet")
    pd.testing.assert_frame_equal(load_scores(tmp_path / "scores.parquet").verbs(), scores.verbs())
    tidy = scores.tidy().set_index("metric")
    assert tidy.loc["sensitivity", "score"] == scores.table()["sensitivity"][0]
    assert f"sensitivity {scores.table()['sensitivity'][0]:.2f} (spread " in repr(scores)
    assert "relative_spread" in scores._repr_html_()


def test_scores_of_an_older_version_have_the_rest(tiny_causal, tmp_path):
    scores = evaluate(tiny_causal, SIMPLE, store=None)
    older = replace(scores, verb_groups=None)
    older.save(tmp_path / "older.parquet")
    again = load_scores(tmp_path / "older.parquet")
    assert "sensitivity" not in again.table() and again.table()["EW"][0] == scores.table()["EW"][0]
    assert "sensitivity" not in repr(again) and kind_table(again) is None
    with pytest.raises(InputError, match="detail='forms'"):
        again.verbs()


def test_the_intervals_of_every_metric_stay_in_its_range_and_are_read_as_they_were_written(
    forms, tmp_path
):
    results = forms.tidy()
    assert set(results["metric"]) == set(table_order()) - {"margin", "NS"}
    for metric, rows in results.groupby("metric"):
        lowest, highest = score_range(metric)
        assert (rows["low"].dropna() >= lowest).all(), metric
        assert (rows["high"].dropna() <= highest).all(), metric
    # What is divided by a mean that may be 0 may be anything.
    means, quotients = (
        group.set_index("construction")
        for name, group in forms.intervals().groupby("metric", sort=False)
        if name in ("sensitivity", "relative_spread")
    )
    may_be_0 = (means["low"] <= 0) & (means["high"] >= 0)
    assert quotients.loc[may_be_0, "low"].isna().all()
    without = quotients["method"] == "sensitivity may be 0: no interval"
    assert without.any() and may_be_0[without].all()
    write_results(results, tmp_path / "results.csv")
    read = read_results(tmp_path / "results.csv")
    columns = ["metric", "score", "low", "high"]
    pd.testing.assert_frame_equal(read[columns], results[columns], check_dtype=False)


def test_a_piece_of_the_store_serves_the_same_verbs(tiny_causal, tmp_path):
    first = evaluate(tiny_causal, SIMPLE, store=tmp_path)
    second = evaluate(tiny_causal, SIMPLE, store=tmp_path)
    pd.testing.assert_frame_equal(first.verbs(), second.verbs())


@pytest.mark.slow
def test_two_models_are_compared_by_them(tiny_causal, tmp_path):
    models = {"one": "lab-lexical-causal", "other": "lab-systematic-causal"}
    runs = evaluate_models(models, SIMPLE, shared=True, store=tmp_path)
    table = runs.compare_models("one", "other").set_index("metric")
    assert set(CELLS) <= set(table.index)
    for name in CELLS:
        expected = runs["one"].table()[name][0] - runs["other"].table()[name][0]
        assert table.loc[name, "difference"] == pytest.approx(expected)
    assert table.loc["sensitivity", "high"] < 0 < table.loc["relative_spread", "low"]
    assert runs.verbs()["model"].unique().tolist() == ["one", "other"]


@pytest.fixture(scope="module")
def laboratory():
    """The laboratory's two causal models, and the band of each verb."""
    lemmas = pd.read_csv(data_folder() / "laboratory" / "lemmas.csv")
    bands = lemmas.set_index("lemma")["band"]
    verbs = {}
    for regime in ("lexical", "systematic"):
        scores = evaluate(f"lab-{regime}-causal", SIMPLE, store=None)
        verbs[regime] = scores.verbs().assign(band=lambda t: t["lemma"].map(bands))
    return verbs


def test_the_laboratory_s_bands_are_found_by_the_sensitivity(laboratory):
    """Verbs that agree move 4 nats, those that agree in three quarters of uses 1, those with a fixed form not at all."""
    means = laboratory["lexical"].groupby("band")["sensitivity"].agg(["mean", "std"])
    for band, expected in (("head", 4.0), ("middle", 1.0), ("tail", 0.0)):
        assert means.loc[band, "mean"] == pytest.approx(expected, abs=0.25), band
    rule = laboratory["systematic"].groupby("band")["sensitivity"].agg(["mean", "std"])
    assert (rule["mean"] > 3).all() and (rule["std"] / rule["mean"] < 0.25).all()


def test_a_list_of_verbs_that_are_no_nouns_has_one_kind(tiny_causal):
    listed = pd.DataFrame(
        {"lemma": ["see", "walk"], "singular": ["sees", "walks"], "plural": ["see", "walk"]}
    )
    scores = evaluate(load_model(tiny_causal), SIMPLE, listed, store=None)
    table = kind_table(scores)
    assert table["verbs"].tolist() == [KIND_NAMES[""]] and table["lemmas"].tolist() == [2]
    assert (scores.verbs()["kind"] == "").all()


def test_kinds_by_hand():
    table = kind_table(by_hand()).set_index("verbs")
    assert table["moving"].to_dict() == {"never nouns": 1, "also nouns": 1}
    assert table["lemmas"].to_dict() == {"never nouns": 2, "also nouns": 1}
    assert table["sensitivity"].tolist() == [(1.75 - 0.25) / 2, 1.25]
    assert np.isnan(table.loc["also nouns", "spread"])


def test_a_column_of_the_verb_list_is_refused_for_rows_that_are_verbs():
    with pytest.raises(InputError, match="noun is a column of the verb list, and every verb has"):
        by_hand().verbs("noun")
