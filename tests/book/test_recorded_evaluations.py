"""Recorded evaluations: read back as they were made, and only for what was asked in the same way."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from tse_book.recorded.evaluations import recorded_evaluation, write_evaluation
from tse_core import evaluate, load_lemmas, load_pairs
from tse_core.agreement.comparison import compare_metrics
from tse_core.agreement.settings import Settings, VerbPolicy
from tse_core.metrics.definitions import Cutoffs
from tse_core.paths import data_folder

SIMPLE = "marvin-linzen/simple"


@pytest.fixture(scope="module")
def made():
    return evaluate("lab-systematic-causal", SIMPLE, detail="lemmas", store=None)


@pytest.fixture(scope="module")
def kept(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    write_evaluation(made, folder / "model" / "evaluations" / "simple.parquet")
    return folder


@pytest.mark.slow
def test_an_evaluation_that_was_kept_is_read_back_as_it_was(made, kept):
    found = recorded_evaluation(
        "model", load_pairs(SIMPLE), load_lemmas("newman-clean"), Settings(), kept
    )
    assert found.signature == made.signature and "recorded on" in found.scored
    for of in (
        lambda run: run.table(intervals=True),
        lambda run: run.curves(intervals=True),
        lambda run: run.intervals(("subjects", "verbs")),
        lambda run: run.by_lemma,
        lambda run: run.lemmas,
        lambda run: compare_metrics(run, "TSE", "EW"),
        lambda run: run.tidy().drop(columns="signature"),
    ):
        pd.testing.assert_frame_equal(of(found), of(made), rtol=2e-4, atol=1e-6, check_dtype=False)


@pytest.mark.parametrize(
    ("data", "lemmas", "how"),
    [
        ("marvin-linzen/vp-coordination", "newman-clean", {}),
        (SIMPLE, "newman-appendix", {}),
        (SIMPLE, "newman-clean", {"protocol": "released"}),
        (SIMPLE, "newman-clean", {"detail": "forms"}),
        (SIMPLE, "newman-clean", {"verbs": VerbPolicy("any", word_end=True)}),
        (SIMPLE, "newman-clean", {"sample": 4}),
        (SIMPLE, "newman-clean", {"cutoffs": Cutoffs((1.0,), ())}),
    ],
)
def test_what_was_asked_in_another_way_is_not_answered_from_a_record(data, lemmas, how, kept):
    assert (
        recorded_evaluation("model", load_pairs(data), load_lemmas(lemmas), Settings(**how), kept)
        is None
    )


@pytest.mark.slow
def test_the_recorded_evaluation_of_gemma_is_the_one_that_was_measured():
    found = recorded_evaluation(
        "gemma-3-270m", load_pairs("marvin-linzen"), load_lemmas("newman-clean"), Settings()
    )
    assert found.table().set_index("construction").loc["Simple", "EW"] == pytest.approx(
        0.8344, abs=1e-4
    )
    gaps = compare_metrics(found, "TSE", "EW").set_index("construction")
    assert gaps.loc["Simple", "difference"] == pytest.approx(0.9643 - 0.8344, abs=1e-4)
    home = data_folder() / "recorded/gemma-3-270m"
    bounds, measured = ["score", "low", "high"], pd.read_parquet(home / "agreement.parquet")
    assert np.allclose(measured[bounds], found.tidy()[bounds], atol=1e-6, equal_nan=True)
    provenance = json.loads((home / "provenance.json").read_text())
    file = home / "evaluations/marvin-linzen.parquet"
    assert (
        hashlib.sha256(file.read_bytes()).hexdigest()
        == provenance["evaluations"]["marvin-linzen"]["sha256"]
    )
