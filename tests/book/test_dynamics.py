"""Scores by frequency band, and over the steps of training."""

import pandas as pd
import pytest

from tiny import save_model
from tse_book.studies.dynamics import band_scores, likely_bands, training_curves
from tse_core import evaluate, load_pairs, slot_distribution
from tse_core.results.tidy import ALL_CONSTRUCTIONS as ALL
from tse_core.sweep.running import sweep

BANDS = {"laugh": "head", "swim": "head", "see": "middle", "walk": "tail", "write": "tail"}


@pytest.fixture(scope="module")
def lemmas(tmp_path_factory):
    file = tmp_path_factory.mktemp("lists") / "verbs.csv"
    rows = [f"{lemma},{lemma}s,{lemma},{band}" for lemma, band in BANDS.items()]
    file.write_text("\n".join(["lemma,singular,plural,band", *rows]))
    return file


@pytest.fixture(scope="module")
def result(tiny_causal, lemmas):
    return evaluate(tiny_causal, load_pairs("marvin-linzen/simple"), lemmas, detail="lemmas")


def test_band_scores_are_those_of_each_slot(result, tiny_causal):
    """Each context by hand; in Simple, a subject and number have one left context, so pooling changes nothing."""
    values = []
    for context in result.contexts.itertuples():
        probability = slot_distribution(tiny_causal, context.left).set_index("token")["probability"]
        for lemma, band in BANDS.items():
            forms = [probability[lemma + "s"], probability[lemma]]
            correct, wrong = forms if context.number == "singular" else forms[::-1]
            values.append((context.Index, band, correct, wrong))
    by_hand = pd.DataFrame(values, columns=["context", "band", "correct", "wrong"])
    by_hand["chosen"] = by_hand["correct"] > by_hand["wrong"]
    scores = band_scores(result, BANDS).set_index(["construction", "band", "metric"])
    for band, rows in by_hand.groupby("band"):
        sums = rows.groupby("context")[["correct", "wrong"]].sum()
        assert scores.loc[("Simple", band, "EW"), "score"] == pytest.approx(rows["chosen"].mean(), abs=1e-9)
        expected = (sums["correct"] / sums.sum(axis=1)).mean()
        assert scores.loc[("Simple", band, "MW"), "score"] == pytest.approx(expected, abs=1e-6)
        assert scores.loc[("Simple", band, "EW"), "lemmas"] == list(BANDS.values()).count(band)


def test_over_all_verbs_the_scores_are_the_tables_and_likely_bands_cut_the_probability_on_verbs(result):
    scores = band_scores(result, BANDS).set_index(["construction", "band", "metric"])["score"]
    table = result.table().set_index("construction").loc["Simple"]
    for metric in ("TSE", "EW", "MW"):
        assert [scores[row, "all", metric] for row in ("Simple", ALL)] == pytest.approx([table[metric]] * 2)
    bands = likely_bands(result)
    rows = result.by_lemma.assign(mass=lambda t: (t["probability_correct"] + t["probability_wrong"]) * t["contexts"])
    mass = rows.groupby("lemma")["mass"].sum()
    share = mass.groupby(bands).sum() / mass.sum()
    assert share["head"] >= 0.5 and share.get("tail", 0.0) <= 0.1
    assert max(mass[mass.index.map(bands) == "tail"], default=0) <= min(mass[mass.index.map(bands) == "head"])


@pytest.mark.slow
def test_curves_hold_every_step(tmp_path, lemmas):
    for seed, step in enumerate((1, 4)):
        save_model(tmp_path / "trained" / f"step-{step}", "causal", seed)
    plan = {"models": [{"folders": f"{tmp_path}/trained/step-*", "name": "tiny"}], "lemmas": [str(lemmas)]}
    plan |= {"data": ["marvin-linzen/simple"], "keep": "lemmas"}
    sweep(plan, store=tmp_path / "store")
    curves = training_curves(plan, tmp_path / "store")
    assert set(curves["step"]) == {1, 4} and set(curves["name"]) == {"tiny"}
    assert set(curves["band"]) == {"all", "head", "middle", "tail"}
    alone = evaluate(tmp_path / "trained" / "step-4", "marvin-linzen/simple", lemmas).table()
    last = curves[(curves["step"] == 4) & (curves["band"] == "all") & (curves["construction"] == "Simple")]
    assert last.set_index("metric")["score"]["EW"] == pytest.approx(alone["EW"].item())
