"""Results files and the store's finished numbers; two models over the lemmas they share."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tse_book.claims.judging import ledger
from tse_core import (
    InputError,
    evaluate,
    load_model,
    load_pairs,
    load_scores,
    slot_distribution,
)
from tse_core.agreement.comparison import compare_evaluations
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import (
    TIDY_COLUMNS,
    difference_table,
    read_results,
    write_results,
    write_table,
)

SIGNATURE = "m@00000000 d@11111111 | l@22222222(3) bos:none protocol:exact/1 | 0.1.0 cpu 2026-01-01"


def tidy(scores=(0.5, 0.75), signature=SIGNATURE) -> pd.DataFrame:
    rows = []
    for construction, score in zip(("Simple", "VP, long"), scores, strict=False):
        common = dict.fromkeys(TIDY_COLUMNS, 1) | {"model": "m", "protocol": "exact", "method": ""}
        common |= {
            "construction": construction,
            "score": score,
            "low": 0.1,
            "high": 0.9,
            "signature": signature,
        }
        rows.append(
            common
            | {"metric": "TSE", "side": "", "cutoff": np.nan, "coverage": np.nan, "invalid": np.nan}
        )
        rows.append(
            common
            | {"metric": "EW", "side": "top", "cutoff": 1.0, "coverage": 1 / 3, "invalid": 0.0}
        )
    return pd.DataFrame(rows)[TIDY_COLUMNS]


@pytest.fixture(scope="module")
def models(tiny_causal, tiny_masked):
    return [load_model(folder, device="cpu") for folder in (tiny_causal, tiny_masked)]


@pytest.fixture(scope="module")
def evaluations(models, simple):
    return [evaluate(model, simple, detail="lemmas", store=None) for model in models]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_gives_back_every_number_exactly(tmp_path, ending):
    write_results(tidy((1 / 3, np.pi / 4)), tmp_path / f"r.{ending}")
    pd.testing.assert_frame_equal(
        read_results(tmp_path / f"r.{ending}"), tidy((1 / 3, np.pi / 4)), check_dtype=False
    )
    assert [f.name for f in tmp_path.iterdir()] == [f"r.{ending}"]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"low": 0.9, "high": 0.1}, "row 1: its interval does not contain the score"),
        ({"score": np.nan}, "row 1: its interval does not contain the score"),
        ({"score": 1.5}, "row 1: score is outside its range"),
        ({"pairs": -1}, "row 1: pairs is outside its range"),
        ({"pairs": 1.5}, "row 1: pairs is outside its range"),
        ({"model": "another"}, "row 1: the model is not the one that its signature names"),
        (
            {"construction": "Simple"},
            "row 3: the same number stands in an earlier row with another value",
        ),
        ({"side": "left"}, "row [12]: a number has a side"),
        ({"cutoff": np.nan, "side": "top"}, "row 1: a number has a side"),
        ({"signature": "m@1"}, "not a signature: .m@1."),
    ],
)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_rows_that_contradict_themselves_are_refused_with_their_number(
    tmp_path, ending, changes, line
):
    write_table(tidy().assign(**changes), tmp_path / f"r.{ending}")
    with pytest.raises(InputError, match=line):
        read_results(tmp_path / f"r.{ending}")


def test_results_of_another_machine_are_added_once(tmp_path):
    store = Store(tmp_path)
    later = SIGNATURE.replace("cpu 2026-01-01", "H100 2027-01-01")
    both = pd.concat([tidy(signature=later), tidy(signature=later.replace("d@1", "d@2"))])
    assert [store.add(table) for table in (tidy(), both, both)] == [1, 1, 0]
    assert len(list(tmp_path.glob("scores/*.parquet"))) == 2
    numbers = store.numbers()
    of_first_run = numbers[numbers["signature"] == SIGNATURE].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_first_run, tidy(), check_dtype=False)


def test_what_is_added_never_takes_the_place_of_what_is_there(tmp_path):
    store = Store(tmp_path)
    store.add(tidy())
    assert store.add(tidy((0.6, 0.75))) == 0
    assert store.numbers()["score"].tolist() == tidy()["score"].tolist()


def test_numbers_of_one_signature_stand_together_and_the_newest_count(tmp_path, monkeypatch):
    store, signature = Store(tmp_path), Signature.parse(SIGNATURE)
    store.add(tidy((0.9, 0.75)))
    store.keep_numbers(signature, tidy)
    store.keep_numbers(signature, lambda: pytest.fail("it is there"))
    assert store.numbers()["score"].tolist() == tidy()["score"].tolist()
    further = tidy().assign(metric=lambda table: table["metric"] + ", further")
    store.keep_numbers(signature, lambda: further, of="further")
    assert len(store.numbers()) == 2 * len(tidy())
    monkeypatch.setattr("tse_core.results.store.__version__", "99.0")
    # Another version of the package may have other intervals of the same scores.
    store.keep_numbers(signature, lambda: tidy().assign(low=0.3))
    assert len(store.numbers()) == 2 * len(tidy())
    assert set(store.numbers()["low"]) >= {0.3}


@pytest.mark.slow
def test_what_was_scored_on_two_machines_says_so(models, tmp_path, monkeypatch):
    """Simple in January on a GPU, then both constructions today: each shard keeps how it was made."""
    pairs = load_pairs("marvin-linzen").groupby("construction", sort=False).head(20)
    both = ["Simple", "In a sentential complement"]
    days = (
        ("H200", "2026-01-03", both[:1]),
        ("cpu", "2026-06-30", both),
        ("cpu", "2027-01-01", both),
    )
    runs = []
    for hardware, date, chosen in days:
        made = {"version": "0.1.0", "hardware": hardware, "date": date}
        monkeypatch.setattr("tse_core.results.signature.provenance", lambda device, made=made: made)
        runs.append(evaluate(models[0], pairs[pairs["construction"].isin(chosen)], store=tmp_path))
    shown = [str(run.signature).rpartition(" | ")[2] for run in runs]
    joined = "0.1.0 H200,cpu 2026-01-03/2026-06-30"
    assert shown == ["0.1.0 H200 2026-01-03", joined, joined]
    assert Signature.parse(str(runs[1].signature)).provenance == runs[1].signature.provenance


def test_differences_number_by_number():
    found = difference_table(tidy(), tidy((0.4, 0.75), SIGNATURE.replace("exact", "released")))
    assert found["difference"].round(9).tolist() == [-0.1, -0.1, 0, 0]
    with pytest.raises(InputError, match="first results hold several runs"):
        difference_table(
            pd.concat([tidy(), tidy(signature=SIGNATURE.replace("bos:none", "bos:add"))]), tidy()
        )
    with pytest.raises(InputError, match="share no number"):
        difference_table(tidy(), tidy().assign(construction="Other"))


def test_results_of_a_network_without_a_fingerprint_are_read_but_not_compared(tse, tmp_path):
    unnamed = SIGNATURE.replace("00000000", "memory")
    write_results(tidy(signature=unnamed), tmp_path / "r.csv")
    code, _, err = tse("results", "diff", tmp_path / "r.csv", tmp_path / "r.csv")
    assert code == 2 and "of a network in memory, and nothing says which" in err
    with pytest.raises(InputError, match="of a network in memory, and nothing says which"):
        ledger(read_results(tmp_path / "r.csv"))


@pytest.mark.slow
def test_compared_evaluations_have_the_scores_of_their_tables_and_a_paired_interval(evaluations):
    table = compare_evaluations(*evaluations).set_index("metric")
    for metric in ("MW", "EW", "TSE"):
        scores = [run.table()[metric][0] for run in evaluations]
        assert table.loc[metric, ["first", "second"]].tolist() == pytest.approx(scores)
    table = table.drop("relative_spread")  # has no interval: these models' sensitivity may be 0
    assert ((table["low"] <= table["difference"]) & (table["difference"] <= table["high"])).all()
    same = compare_evaluations(evaluations[0], evaluations[0])
    assert (same["difference"] == 0).all() and (same["p_value"] == 1).all()


@pytest.mark.slow
def test_evaluations_of_other_data_or_other_verbs_are_not_compared(models, simple, evaluations):
    first, half = (
        evaluations[0],
        evaluate(models[0], simple.head(len(simple) // 2), detail="lemmas"),
    )
    with pytest.raises(InputError, match="different data .*evaluate both on the same pairs"):
        compare_evaluations(first, half)
    verbs = first.lemmas.assign(singular=first.lemmas["singular"].replace("laughs", "writhes"))
    with pytest.raises(
        InputError, match="counted different lemmas .only one of them (laughs|writhes)/"
    ):
        compare_evaluations(first, replace(first, lemmas=verbs))


def test_scores_of_no_file_and_slots_of_no_text_are_named(tmp_path):
    with pytest.raises(InputError, match="none.parquet: no such file"):
        load_scores(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="left and right are the texts .* left is None"):
        slot_distribution("lab-systematic-causal", None)
