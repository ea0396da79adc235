"""Saved scores are the same to the last bit when they are loaded; other files are refused."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from suites import suite_data
from tse_core import (
    InputError,
    evaluate,
    evaluate_blimp,
    evaluate_suite,
    load_lemmas,
    load_pairs,
    load_scores,
)
from tse_core.results.tidy import TIDY_COLUMNS, read_results
from tse_core.syntaxgym.suites import suite_from_dict

TABLES = ["contexts", "pairs", "lemmas", "at_cutoffs", "by_lemma"]


@pytest.fixture(scope="module")
def pairs():
    """Pairs with a factor of their own; one has a verb that no vocabulary holds."""
    pairs = load_pairs("marvin-linzen/simple").iloc[::7].reset_index(drop=True)
    pairs.loc[0, ["correct", "wrong"]] = ["zorks", "zork"]
    return pairs.assign(length=pairs["left"].str.len())


@pytest.mark.slow
@pytest.mark.parametrize("detail", ["contexts", "lemmas", "forms"])
@pytest.mark.parametrize("kind", ["tiny_causal", "tiny_masked"])
def test_saved_scores_are_loaded_to_the_last_bit(kind, detail, pairs, request, tmp_path):
    scores = evaluate(request.getfixturevalue(kind), pairs, cutoffs=((0.3, 1.0), ()), detail=detail)
    assert scores.pairs["tse"].isna().any() and scores.at_cutoffs["score"].isna().any()
    scores.save(tmp_path / "scores.parquet")
    loaded = load_scores(tmp_path / "scores.parquet")
    for table in TABLES:
        if getattr(scores, table) is None:
            assert getattr(loaded, table) is None
        else:
            pd.testing.assert_frame_equal(
                getattr(loaded, table), getattr(scores, table), check_exact=True
            )
    assert (loaded.signature, loaded.cutoffs, loaded.scored) == (
        scores.signature,
        scores.cutoffs,
        scores.scored,
    )
    assert str(loaded.signature) == str(scores.signature) and repr(loaded) == repr(scores)
    by = "noun,length" if detail == "forms" else "length"
    for table in (
        lambda e: e.table(by, intervals=True),
        lambda e: e.curves(intervals=True),
        lambda e: e.tidy(),
    ):
        pd.testing.assert_frame_equal(table(loaded), table(scores), check_exact=True)
    if detail == "forms":
        assert loaded.log_odds.dtype == scores.log_odds.dtype and np.array_equal(
            loaded.log_odds, scores.log_odds
        )
        for form in ("singular", "plural"):
            assert np.array_equal(loaded.log_probabilities(form), scores.log_probabilities(form))
            assert np.array_equal(loaded.mass_above(form), scores.mass_above(form))


@pytest.mark.slow
def test_columns_of_the_verb_list_keep_their_types(pairs, tiny_causal, tmp_path):
    verbs = load_lemmas("newman-clean").table
    verbs["class"] = pd.Categorical(
        np.where(verbs["noun"], "also a noun", "verb alone"), ["verb alone", "also a noun"]
    )
    verbs["rank"] = pd.array([None, *range(1, len(verbs))], "Int16")
    verbs["seen"] = pd.Timestamp("2026-01-02")
    scores = evaluate(tiny_causal, pairs, verbs)
    scores.save(tmp_path / "scores.parquet")
    loaded = load_scores(tmp_path / "scores.parquet")
    pd.testing.assert_frame_equal(loaded.lemmas, scores.lemmas, check_exact=True)
    assert loaded.lemmas["band"].cat.ordered


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "scores.csv",
            "scores.csv: scores are saved as one Parquet file; give a name that ends in .parquet",
        ),
        ("nowhere/scores.parquet", "there is no folder .*nowhere"),
    ],
)
def test_where_scores_cannot_be_saved(name, message, pairs, tiny_causal, tmp_path):
    with pytest.raises(InputError, match=message):
        evaluate(tiny_causal, pairs).save(tmp_path / name)


@pytest.mark.slow
def test_a_column_that_no_file_can_hold_is_named_in_one_line(pairs, tiny_causal, tmp_path):
    scores = evaluate(tiny_causal, pairs)
    mixed = ["one", *range(1, len(scores.lemmas))]
    odd = replace(scores, lemmas=scores.lemmas.assign(mixed=mixed))
    with pytest.raises(InputError, match="a column holds what no Parquet file can .*mixed"):
        odd.save(tmp_path / "scores.parquet")
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(pairs, tiny_causal, tmp_path):
    scores = evaluate(tiny_causal, pairs, store=tmp_path / "store")
    file = tmp_path / "scores.parquet"
    with pytest.raises(InputError, match="scores.parquet: no such file"):
        load_scores(file)
    (piece,) = (tmp_path / "store").glob("pieces/*/*.parquet")
    with pytest.raises(InputError, match="a piece of the store, which reads it"):
        load_scores(piece)
    (results,) = (tmp_path / "store").glob("scores/*.parquet")
    with pytest.raises(InputError, match="holds results without what was measured; `tse results"):
        load_scores(results)
    scores.item_table().to_parquet(tmp_path / "items.parquet")
    with pytest.raises(InputError, match="holds a table without scores .*; pandas reads it"):
        load_scores(tmp_path / "items.parquet")
    scores.item_table().to_csv(tmp_path / "items.csv")
    with pytest.raises(InputError, match="holds a table without scores .*; pandas reads it"):
        load_scores(tmp_path / "items.csv")
    scores.save(file)
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(InputError, match="not a readable file of tables"):
        load_scores(file)


@pytest.mark.slow
def test_scores_of_sentence_pairs_and_of_a_suite_are_read_back(tiny_causal, tmp_path):
    table = pd.DataFrame({"good": ["The author laughs."], "bad": ["The author laugh."]})
    items = [{"x": ["The author", "laughs ."], "y": ["The authors", "laughs ."]}]
    suite = suite_from_dict(suite_data(items, "(2;%x%) < (2;%y%)"))
    for scores in (evaluate_blimp(tiny_causal, table), evaluate_suite(tiny_causal, suite)):
        file = tmp_path / f"{scores.signature.kind}.parquet"
        scores.save(file)
        loaded = load_scores(file)
        assert type(loaded) is type(scores)
        assert str(loaded.signature) == str(scores.signature)
        pd.testing.assert_frame_equal(loaded.tidy(), scores.tidy())
        tidy = scores.tidy().reset_index(drop=True)
        pd.testing.assert_frame_equal(read_results(file), tidy, check_dtype=False, check_exact=True)


def test_any_tool_reads_the_results_in_a_file_of_saved_scores(pairs, tiny_causal, tmp_path):
    scores = evaluate(tiny_causal, pairs)
    scores.save(tmp_path / "scores.parquet")
    table = pd.read_parquet(tmp_path / "scores.parquet", columns=TIDY_COLUMNS)
    pd.testing.assert_frame_equal(table, scores.tidy(), check_dtype=False, check_exact=True)
    metadata = json.loads(pq.read_metadata(tmp_path / "scores.parquet").metadata[b"tse"])
    (run,) = metadata["runs"]
    assert (metadata["format"], run["kind"]) == (1, "agreement")
    assert run["identity"] == scores.signature.identity
