"""Results files and the store's finished numbers; two models over the lemmas they share."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tse_core import InputError, evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement.comparison import compare_evaluations, shared_lemmas
from tse_core.agreement.curves import number_names
from tse_core.agreement.evaluate import NOISE
from tse_core.cli.results import other_contents
from tse_core.datasets.names import data_hash
from tse_core.errors import StoreWarning
from tse_core.metrics.scores import Cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.results.result_index import find, finished, keep_results
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS, difference_table, read_results, write_results

SIGNATURE = "m@00000000 d@11111111 | l@22222222(3) bos:none protocol:exact/1 | 0.1.0 cpu 2026-01-01"


def tidy(scores=(0.5, 0.75), signature=SIGNATURE) -> pd.DataFrame:
    rows = []
    for construction, score in zip(("Simple", "VP, long"), scores, strict=False):
        common = dict.fromkeys(TIDY_COLUMNS, 1) | {"model": "m", "protocol": "exact", "construction": construction}
        common |= {"score": score, "low": 0.1, "high": 0.9, "signature": signature}
        rows.append(common | {"metric": "TSE", "side": "", "cutoff": np.nan, "coverage": np.nan, "invalid": np.nan})
        rows.append(common | {"metric": "EW", "side": "top", "cutoff": 1.0, "coverage": 1 / 3, "invalid": 0.0})
    return pd.DataFrame(rows)[TIDY_COLUMNS]


@pytest.fixture(scope="module")
def models(tiny_causal, tiny_masked):
    return [load_model(folder, device="cpu") for folder in (tiny_causal, tiny_masked)]


@pytest.fixture(scope="module")
def simple():
    return load_pairs("marvin-linzen/simple")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def evaluations(models, simple, store):
    """Of both models, left in a store."""
    return [evaluate(model, simple, keep="lemmas", store=store) for model in models]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_gives_back_every_number_exactly(tmp_path, ending):
    write_results(tidy((1 / 3, np.pi / 4)), tmp_path / f"r.{ending}")
    pd.testing.assert_frame_equal(read_results(tmp_path / f"r.{ending}"), tidy((1 / 3, np.pi / 4)), check_dtype=False)
    assert [f.name for f in tmp_path.iterdir()] == [f"r.{ending}"]


def test_the_same_table_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_results(tidy(), tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_rows_changed_after_writing_are_noticed(tmp_path):
    write_results(tidy(), tmp_path / "r.parquet")
    table = pq.read_table(tmp_path / "r.parquet")
    forged = table.to_pandas().assign(score=0.89)
    forged = table.from_pandas(forged, preserve_index=False).replace_schema_metadata(table.schema.metadata)
    pq.write_table(forged, tmp_path / "r.parquet")
    with pytest.raises(InputError, match="not those that were written .another digest."):
        read_results(tmp_path / "r.parquet")


def test_results_of_another_machine_are_merged_and_duplicates_passed_over(tmp_path):
    store = Store(tmp_path / "store")
    write_results(tidy(), tmp_path / "a.parquet")
    assert keep_results(read_results(tmp_path / "a.parquet"), store, imported=True) == 4
    later = SIGNATURE.replace("cpu 2026-01-01", "H100 2027-01-01")
    write_results(pd.concat([tidy(signature=later), tidy(signature=later.replace("d@1", "d@2"))]), tmp_path / "b.csv")
    assert keep_results(read_results(tmp_path / "b.csv"), store, imported=True) == 4
    assert keep_results(read_results(tmp_path / "b.csv"), store, imported=True) == 0
    assert len(store.entries("results")) == 2
    found = find(Signature.parse(SIGNATURE).key[:6], store)
    pd.testing.assert_frame_equal(found, tidy(), check_dtype=False)


def test_numbers_that_contradict_the_store_under_the_same_signature_are_refused(tmp_path):
    store = Store(tmp_path)
    keep_results(tidy(), store, imported=True)
    with pytest.raises(InputError, match="Simple, TSE: 0.6000, but the store has 0.5000 under the same signature"):
        keep_results(tidy((0.6, 0.75)), store, imported=True)
    assert keep_results(tidy((0.5 + 1e-6, 0.75)), store, imported=True) == 0  # rounding


def test_names_that_stand_for_other_contents_here_are_told():
    lemmas = f"newman-clean@{load_lemmas().hash}"
    here = f"marvin-linzen/simple@{data_hash(load_pairs('marvin-linzen/simple'))}"
    assert other_contents(here, lemmas) == []
    (note,) = other_contents("marvin-linzen/simple@00000000", lemmas)
    assert note == f"marvin-linzen/simple is {here[-8:]} here but 00000000 there: other contents under the same name"


def test_differences_number_by_number():
    found = difference_table(tidy(), tidy((0.4, 0.75), SIGNATURE.replace("exact", "released")))
    assert found["difference"].round(9).tolist() == [-0.1, -0.1, 0, 0]
    with pytest.raises(InputError, match="first results hold several runs"):
        difference_table(pd.concat([tidy(), tidy(signature=SIGNATURE.replace("bos:none", "bos:add"))]), tidy())
    with pytest.raises(InputError, match="share no number"):
        difference_table(tidy(), tidy().assign(construction="Other"))


def test_an_evaluation_leaves_its_numbers_in_the_store(evaluations, store):
    for found in evaluations:
        pd.testing.assert_frame_equal(find(found.signature.key, store), found.tidy(), check_dtype=False)


def test_what_was_scored_on_two_machines_says_so(models, tmp_path, monkeypatch):
    """Simple in January on a GPU, then both constructions today: each shard keeps how it was made."""
    pairs = load_pairs("marvin-linzen").groupby("construction", sort=False).head(20)
    both = ["Simple", "In a sentential complement"]
    days = (("H200", "2026-01-03", both[:1]), ("cpu", "2026-06-30", both), ("cpu", "2027-01-01", both))
    runs = []
    for hardware, date, chosen in days:
        made = {"version": "0.1.0", "hardware": hardware, "date": date}
        monkeypatch.setattr("tse_core.agreement.job.provenance", lambda device, made=made: made)
        runs.append(evaluate(models[0], pairs[pairs["construction"].isin(chosen)], store=tmp_path))
    shown = [str(run.signature).rpartition(" | ")[2] for run in runs]
    joined = "0.1.0 H200,cpu 2026-01-03/2026-06-30"
    assert shown == ["0.1.0 H200 2026-01-03", joined, joined]
    assert Signature.parse(str(runs[1].signature)).provenance == runs[1].signature.provenance
    tables = [table for run in runs for table in (run.contexts, run.pairs, run.tidy())]
    assert not any(table.attrs.keys() & {"provenance", "probe"} for table in tables)


def test_a_run_is_finished_once_the_store_has_each_of_its_numbers(evaluations, tmp_path):
    found, store = evaluations[0], Store(tmp_path)
    tidy = found.tidy()
    signature, constructions = found.signature, tidy["construction"].unique()
    names = number_names(constructions, found.cutoffs)
    assert finished(signature, names, store) is None
    keep_results(tidy, store, imported=True)
    assert finished(signature, names, store) is None  # numbers that were imported are worked out here
    keep_results(tidy.iloc[5:], store, imported=False)
    assert finished(signature, names, store) is None
    keep_results(tidy, store, imported=False)
    pd.testing.assert_frame_equal(finished(signature, names, store), tidy, check_dtype=False)  # whatever came first
    fewer = number_names(constructions, Cutoffs(top=(0.5, 1.0), bottom=()))
    assert set(finished(signature, fewer, store)["cutoff"].dropna()) == {0.5, 1.0}
    assert finished(signature, number_names(constructions, Cutoffs(top=(0.123,), bottom=())), store) is None
    assert finished(signature, [*names, (constructions[0], "new metric", "", None)], store) is None


def test_computed_numbers_go_before_imported_ones_that_differ(tmp_path):
    store, key = Store(tmp_path), Signature.parse(SIGNATURE).key
    keep_results(tidy((0.9, 0.75)), store, imported=True)
    message = "Simple, TSE: 0.5000, but 0.9000 was imported .* computed number counts"
    with pytest.warns(StoreWarning, match=message):
        assert keep_results(tidy(), store, imported=False) == 4
    assert find(key, store).set_index(["construction", "metric"])["score"]["Simple", "TSE"] == 0.5
    with pytest.raises(InputError, match="0.9000, but the store has 0.5000"):
        keep_results(tidy((0.9, 0.75)), store, imported=True)
    assert store.remove_results(key) == 2 and find(key, store) is None and not list(tmp_path.rglob("*"))[1:]


def test_numbers_that_other_code_computed_are_not_shown(tmp_path, monkeypatch):
    store, key = Store(tmp_path), Signature.parse(SIGNATURE).key
    keep_results(tidy(), store, imported=False)
    monkeypatch.setattr("tse_core.results.result_index.code_digest", lambda: "0" * 12)
    assert find(key, store) is None
    keep_results(tidy((0.9, 0.75)), store, imported=False)
    assert find(key, store)["score"].max() == 0.9


def test_pairs_decided_by_less_than_the_numeric_noise_are_flagged(models, simple, evaluations, monkeypatch):
    pairs = evaluations[1].pairs
    margin = (pairs["log_probability_correct"] - pairs["log_probability_wrong"]).abs()
    assert (pairs["within_noise"] == (margin < NOISE["float32"])).all()
    monkeypatch.setitem(NOISE, "float32", float(margin.median()))
    flagged = evaluate(models[1], simple).pairs["within_noise"]
    assert 0.4 < flagged.mean() < 0.6


def test_shared_lemmas_are_those_of_both_vocabularies(models):
    class Knows(LanguageModel):
        def word_ids(self, words):
            return [i if w in ("laughs", "laugh", "sees", "see", "is") else None for i, w in enumerate(words)]

    knows = Knows("knows three", "causal", models[0].tokenizer, models[0].network)
    shared = shared_lemmas([models[0], knows])
    assert shared.table["lemma"].tolist() == ["laugh", "see"]
    assert shared.name == "newman-clean-shared" and shared.hash != load_lemmas().hash
    others = type(shared)("l", load_lemmas().table[lambda table: ~table["lemma"].isin(["laugh", "see"])])
    with pytest.raises(InputError, match="and knows three share no lemma of l with both forms"):
        shared_lemmas([models[0], knows], others)
    with pytest.raises(InputError, match="^the tokenizer of knows three holds no lemma of l "):
        shared_lemmas([knows], others)


def test_compared_evaluations_have_the_scores_of_their_tables_and_a_paired_interval(evaluations):
    table = compare_evaluations(*evaluations).set_index("metric")
    for metric in ("MW", "EW", "TSE"):
        row = table.loc[metric]
        assert [row["first"], row["second"]] == [pytest.approx(r.table()[metric][0]) for r in evaluations]
        assert row["low"] <= row["difference"] <= row["high"] and 0 <= row["p_value"] <= 1
    same = compare_evaluations(evaluations[0], evaluations[0])
    assert (same["difference"] == 0).all() and (same["p_value"] == 1).all()


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"low": 0.9, "high": 0.1}, r"row 1: the interval \[0.9, 0.1\] does not contain the score 0.5"),
        ({"score": np.nan}, "row 1: the interval .* does not contain the score nan"),
        ({"model": "another"}, "row 1: model is another, but its signature says m"),
        ({"protocol": "released"}, "row 1: protocol is released, but its signature says exact"),
        ({"construction": "Simple"}, "row 3: the same number appears in an earlier row with other values"),
        ({"side": "left"}, "row 1: side is 'left'; it must be (empty|top or bottom)"),
        ({"cutoff": 0.5, "side": ""}, "row 1: side is ''; it must be top or bottom, as there is a cut-off"),
        ({"cutoff": np.nan, "side": "top"}, "row 1: side is 'top'; it must be empty, as there is no cut-off"),
    ],
)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_rows_that_contradict_themselves_are_refused_with_their_number(tmp_path, ending, changes, line):
    write_results(tidy().assign(**changes), tmp_path / f"r.{ending}")
    with pytest.raises(InputError, match=line):
        read_results(tmp_path / f"r.{ending}")


def test_evaluations_of_other_data_or_other_verbs_are_not_compared(models, simple, evaluations):
    first, half = evaluations[0], evaluate(models[0], simple.head(len(simple) // 2), keep="lemmas")
    with pytest.raises(InputError, match="different data .*evaluate both on the same pairs"):
        compare_evaluations(first, half)
    verbs = first.lemmas.assign(singular=first.lemmas["singular"].replace("laughs", "writhes"))
    with pytest.raises(InputError, match="counted different lemmas .only one of them (laughs|writhes)/"):
        compare_evaluations(first, replace(first, lemmas=verbs))


def test_names_that_a_spreadsheet_would_run_are_inert_in_csv_and_read_back_as_they_were(tmp_path):
    table = tidy(signature=SIGNATURE.replace("m@", "=HYPERLINK(1)@", 1))
    table = table.assign(model="=HYPERLINK(1)", construction="@SUM(A1)", score=0.25)
    write_results(table, tmp_path / "r.csv")
    header, *rows = (tmp_path / "r.csv").read_text().splitlines()
    assert header.startswith("model,protocol") and rows
    assert all(row.startswith("'=HYPERLINK(1),") and ",'@SUM(A1)," in row and ",0.25," in row for row in rows)
    pd.testing.assert_frame_equal(read_results(tmp_path / "r.csv"), table, check_dtype=False)
