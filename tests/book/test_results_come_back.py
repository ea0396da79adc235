"""Results of a run elsewhere, on a machine with a GPU or with a store of its own, come back and go on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.tiny import save_model
from tse_book.claims.judging import ledger
from tse_book.claims.verdicts import NOT_RUN, OTHER_LIST
from tse_book.recorded import known_results, load_recorded
from tse_book.recorded.measurements import parts_for
from tse_book.recorded.recording import record
from tse_core import load_model
from tse_core.paths import store_folder
from tse_core.results.tidy import TIDY_COLUMNS

MAKEFILE = Path(__file__).parents[2] / "Makefile"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """What `tse book record` leaves of a model with the name of one of the paper's, and a file of another kind beside it."""
    place = tmp_path_factory.mktemp("far away")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TSE_STORE", str(place / "store"))
        model = load_model(save_model(place / "gpt2-xl", "causal"), device="cpu")
        parts = parts_for(model, "newman-clean", ["marvin-linzen/simple"], "", [], None)
        record(model, place / "recorded", {"agreement": parts["agreement"]})
    home = place / "recorded" / "gpt2-xl"
    pd.DataFrame({"word": ["keys"]}).to_csv(home / "words.csv")
    return home


def verdict(known):
    table = ledger(known)
    cells = table[table["id"].str.startswith("T2.") & table["construction"].eq("Simple")]
    return cells.set_index(["model", "metric"]).loc[("gpt2-xl", "EW"), "verdict"]


@pytest.mark.slow
def test_all_that_a_recorded_run_wrote_is_taken_and_the_book_reads_the_same_store(tse, recorded):
    assert verdict(known_results(store_folder())) == NOT_RUN
    code, out, _ = tse("results", "add", *sorted(recorded.glob("*.parquet")))
    assert code == 0 and "agreement.parquet" in out
    assert verdict(known_results(store_folder())) == OTHER_LIST
    assert "0 runs added" in tse("results", "add", recorded)[1]  # a folder is all its files


@pytest.mark.slow
def test_recorded_files_show_in_a_clone_with_all_that_the_claims_ask_of_one_model(
    recorded, tmp_path, monkeypatch
):
    monkeypatch.setenv("TSE_STORE", str(tmp_path / "empty"))
    known = known_results(store_folder(), recorded.parent)
    assert verdict(known) == OTHER_LIST
    table = load_recorded("gpt2-xl", folder=recorded.parent)
    assert set(table["construction"]) >= {"Simple"} and set(table) >= {*TIDY_COLUMNS}
    assert {"EW", "MW", "TSE", "past", "EW, not nouns", "top-10 overlap"} <= set(table["metric"])
    assert set(table["protocol"]) == {"exact", "released"}
    found = ledger(known).query("basis == 'model run' and verdict != @NOT_RUN")
    assert set(found["model"]) == {"gpt2-xl"}
    assert {"T2.004", "T2.044", "T2.084", "S4.noun-phrase.verbs", "S3.vocabulary.4"} <= set(
        found["id"]
    )


def test_cleaning_keeps_results_and_only_distclean_removes_them(tmp_path):
    shutil.copy(MAKEFILE, tmp_path)
    for file in ("_build/page.html", "store/results/ab.parquet", "env/bin/python"):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "env" / "bin" / "python").chmod(0o755)
    store = tmp_path / "store"

    def left(target):
        environment = os.environ | {"TSE_STORE": str(store)}
        subprocess.run(
            ["make", target, "VENV=env"],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
        )
        return {name for name in ("_build", "store", "env") if (tmp_path / name).exists()}

    assert left("clean") == {"store", "env"}
    assert left("distclean") == set()
