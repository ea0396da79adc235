"""The page's arithmetic is the package's: the same probabilities and surprisals give the same scores and outcomes."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

from tse_core.metrics.definitions import PAPER_CUTOFFS
from tse_core.metrics.scores import cutoff_scores
from tse_core.paths import data_folder
from tse_core.syntaxgym.outcomes import assign_tokens, region_value
from tse_core.syntaxgym.suites import read_suite, to_json

SUITE = data_folder() / "laboratory" / "suites" / "lab_number_prep.json"
SCORE = """async ([probabilities, pairs, number, cutoffs]) => {
    const scoring = await import("../_static/live/scoring.js");
    return scoring.cutoffScores(Float32Array.from(probabilities), pairs, number, cutoffs);
}"""


@pytest.fixture(scope="module")
def page(browser, served):
    opened = browser.new_page()
    opened.goto(f"{served}book/designer.html")
    yield opened
    opened.close()


def distributions():
    """Peaked, flat, and with many equal probabilities."""
    draw = np.random.default_rng(5)
    yield draw.normal(0, 4, 3_000)
    yield draw.normal(0, 0.1, 500)
    yield np.round(draw.normal(0, 1, 1_000))


@pytest.mark.parametrize("logits", list(distributions()), ids=["peaked", "flat", "ties"])
@pytest.mark.parametrize("number", [0, 1])
def test_scores_at_every_cutoff_are_the_packages(page, logits, number):
    logits = torch.tensor(logits, dtype=torch.float32)[None]
    ids = np.random.default_rng(6).permutation(logits.shape[1])[:200].reshape(100, 2)
    expected = cutoff_scores(logits, ids, [number])
    cutoffs = {"top": list(PAPER_CUTOFFS.top), "bottom": list(PAPER_CUTOFFS.bottom)}
    found = page.evaluate(SCORE, [logits.softmax(-1)[0].tolist(), ids.tolist(), number, cutoffs])
    for side in ("top", "bottom"):
        for key, name in (("ew", "ew"), ("mw", "mw"), ("coverage", "mass")):
            values = np.array(
                [np.nan if one[key] is None else one[key] for one in found[side]], dtype=float
            )
            np.testing.assert_allclose(
                values, getattr(expected, f"{name}_{side}")[0], rtol=1e-5, atol=1e-7
            )


def test_the_papers_toy_example(page):
    """Table 1 of Newman et al. (2021): are .6, is .2, exist .1, exists .1."""
    probabilities = [0.6, 0.2, 0.1, 0.1001]
    found = page.evaluate(SCORE, [probabilities, [[1, 0], [3, 2]], 1, {"top": [1], "bottom": []}])[
        "top"
    ][0]
    assert found["ew"] == 0.5 and round(found["mw"], 2) == 0.70


RUN = """async ([suite, read, metric]) => {
    const data = window.tseSuite.canonical(suite);
    data.meta.metric = metric;
    const found = [];
    for (const item of data.items) found.push(await tseSuite.evaluateItem(item, data, (sentence) => read[sentence]));
    return found;
}"""


def pieces(sentence: str, draw) -> pd.DataFrame:
    """A sentence in pieces of one to four characters, spaces before words, with bits of their own."""
    ends = np.unique(np.minimum(np.cumsum(draw.integers(1, 5, len(sentence))), len(sentence)))
    starts = np.concatenate([[0], ends[:-1]])
    return pd.DataFrame({"start": starts, "end": ends, "bits": draw.gamma(2, 2, len(ends))})


@pytest.mark.parametrize("metric", ["sum", "mean", "median", "range", "max", "min"])
def test_regions_and_outcomes_are_the_packages(page, metric):
    suite, draw = read_suite(SUITE), np.random.default_rng(7)
    sentences = suite.sentences()
    read = {sentence: pieces(sentence, draw) for sentence in sentences["sentence"]}
    given = {sentence: tokens.to_dict("records") for sentence, tokens in read.items()}
    found = page.evaluate(RUN, [json.loads(to_json(suite)), given, metric])
    texts = suite.table.set_index("region").groupby(["item", "condition"], sort=False)["content"]
    for (item, rows), one in zip(sentences.groupby("item", sort=False), found, strict=True):
        totals = {}
        for condition, sentence in zip(rows["condition"], rows["sentence"], strict=True):
            tokens, regions = read[sentence], texts.get_group((item, condition)).to_dict()
            owners = assign_tokens(regions, tokens["start"])
            for region in regions:
                totals[region, condition] = region_value(
                    tokens["bits"][owners == region].to_numpy(), metric
                )
        said = {
            (region["region_number"], condition["condition_name"]): region["metric_value"][metric]
            for condition in one["item"]["conditions"]
            for region in condition["regions"]
        }
        assert said == pytest.approx(totals)
        assert one["holds"] == [formula.holds(totals) for formula in suite.predictions]
