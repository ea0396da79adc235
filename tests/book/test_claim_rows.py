"""Rows that a run gives the ledger, of tiny models that bear a paper model's name, and the ledger's tables on pages."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

import tse_core
from tests.tiny import save_model
from tse_book.claims.judging import ledger
from tse_book.claims.verdicts import NOT_RUN
from tse_book.pages.ledger import ledger_table
from tse_book.published import table3
from tse_book.studies.rows import not_nouns_rows, past_rows, sentence_rows, suite_rows
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.loading import blimp_paradigms
from tse_core.results.signature import Signature
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sentences.evaluate import PairScores
from tse_core.syntaxgym.library import public_suites
from tse_core.syntaxgym.outcomes import Outcome


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "bert-large-cased"
    return tse_core.load_model(save_model(folder, "masked"), device="cpu")


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "gpt2-xl"
    return tse_core.load_model(save_model(folder, "causal"), device="cpu")


def judged(results, ids):
    table = ledger(results)
    run = table[(table["basis"] == "model run") & (table["verdict"] != NOT_RUN)]
    return run[run["id"].str.startswith(ids)]


@pytest.mark.slow
def test_table_3_is_asked_of_a_model(bert):
    printed, asked = table3(), sentence_rows(bert)
    assert list(asked.columns) == TIDY_COLUMNS
    assert (asked["metric"].str.startswith("P(")).sum() == len(
        printed
    ) + 4  # like and likes in both sentences
    assert asked.set_index("metric").loc["TSE", "score"] in (0, 1 / 3, 2 / 3, 1)
    sentence = printed["sentence"].iloc[0]
    shown = tse_core.slot_distribution(bert, *[part.strip() for part in sentence.split("[mask]")])
    known = asked[(asked["construction"] == sentence) & asked["metric"].str.startswith("P(")]
    for row in known.itertuples():
        there = shown.loc[shown["token"] == row.metric[2:-1], "probability"]
        assert row.score == pytest.approx(there.sum(), abs=1e-7)
    found = judged(asked, "T3")
    assert set(found["model"]) == {"bert-large-cased"}
    assert (
        len(found) == len(printed) + 2
    )  # two overlaps; the others wait for agreement in simple sentences


def test_past_is_what_the_distribution_gives(gpt2):
    """By hand: the probability of all past forms that are no form of a counted lemma in the present."""
    few = tse_core.load_pairs("marvin-linzen/simple").drop_duplicates(["left"]).head(3)
    lemmas = tse_core.load_lemmas("newman-appendix")
    held = counted_verbs(gpt2, lemmas).lemmas
    present = {*held["singular"], *held["plural"]}
    past = set(gpt2.word_ids([*set(lemmas.table["past"]) - present - {""}])) - {None}
    shown = [tse_core.slot_distribution(gpt2, left, right).set_index("id")["probability"]
             for left, right in zip(few["left"], few["right"], strict=True)]  # fmt: skip
    expected = sum(table[table.index.isin(past)].sum() for table in shown) / 3
    assert past_rows(gpt2, few, lemmas)["score"].iloc[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_ew_without_nouns_is_ew_over_a_list_without_nouns(gpt2, tmp_path):
    kept = tse_core.evaluate(gpt2, "marvin-linzen/simple", "newman-appendix", detail="lemmas")
    row = not_nouns_rows(kept).iloc[0]
    table = tse_core.load_lemmas("newman-appendix").table
    table[~table["noun"]][["lemma", "singular", "plural"]].to_csv(
        tmp_path / "verbs.csv", index=False
    )
    alone = tse_core.evaluate(gpt2, "marvin-linzen/simple", tmp_path / "verbs.csv")
    assert row["score"] == pytest.approx(alone.table()["EW"].iloc[0], abs=1e-12)
    assert (row["lemmas"], row["contexts"]) == (len(alone.lemmas), len(alone.contexts))
    bounds = alone.intervals().set_index("metric").loc["EW"]
    assert (row["low"], row["high"]) == pytest.approx((bounds["low"], bounds["high"]))
    found = judged(pd.concat([kept.tidy(), not_nouns_rows(kept)]), "S4.noun-phrase.verbs")
    assert list(found["model"]) == ["gpt2-xl"]


def made_up_blimp(share, model="gpt2-large"):
    """Scores of 10 pairs a paradigm, the first `share` of them right."""
    known = blimp_paradigms()[["phenomenon", "UID"]].rename(columns={"UID": "paradigm"})
    rows = known.merge(pd.DataFrame({"pair_id": range(10)}), how="cross")
    rows = rows.assign(
        correct=(rows["pair_id"] < share * 10).astype(float), tie=False, unknown_critical=False
    )
    made = {"method": "full-sentence", "bos": "none", "dtype": "float32"}
    return PairScores(
        rows, Signature({"model": f"{model}@00000000", "data": "blimp@11111111"}, made)
    )


@pytest.mark.slow
def test_blimp_accuracies_reach_their_claims_but_not_of_a_phenomenon_with_a_paradigm_missing():
    whole = made_up_blimp(0.8)
    rows = whole.tidy()
    assert len(rows) == 67 + 12 + 2  # with the mean over all pairs and that over paradigms
    assert rows["score"].tolist() == pytest.approx([0.8] * 81)
    assert (rows["high"] - rows["low"])[rows["construction"] == "Overall"].iloc[0] < 0.1
    found = judged(rows, "B.")
    assert len(found[found["id"].str.startswith("B.accuracy")]) == 13
    assert set(found["model"]) == {"gpt2-large"} and found["low"].notna().all()
    some = PairScores(whole.pairs[whole.pairs["paradigm"] != "adjunct_island"], whole.signature)
    names = set(some.tidy()["construction"])
    assert "ISLAND EFFECTS" not in names and "Overall" not in names
    assert {"ANAPHOR AGREEMENT", "wh_island", "all pairs"} <= names


def made_up_outcome(suite, right, items):
    named = SimpleNamespace(name=suite, hash="00000000", predictions=[None], items=[])
    table = pd.DataFrame({"item": range(items), "prediction": 1, "unknown": False})
    table = table.assign(holds=table["item"] < right)
    made = Signature(
        {"model": "gpt2@00000000", "data": f"{suite}@00000000"}, {"metric": "sum", "bos": "add"}
    )
    return Outcome(named, "causal", "sum", None, None, table, made)


@pytest.mark.slow
def test_suite_accuracies_reach_their_claims():
    mvrr = suite_rows([made_up_outcome("mvrr", 22, 28)])
    found = judged(mvrr, "SG.")
    assert found.set_index("id")["verdict"].to_dict() == {"SG.mvrr": "reproduced"}
    assert found["low"].iloc[0] < 22 / 28 < found["high"].iloc[0]
    every = suite_rows([made_up_outcome(name, 3, 4) for name in public_suites()["suite"]])
    assert every.set_index("construction").loc["SG score", "score"] == pytest.approx(0.75)
    assert len(judged(every, "SG.recorded")) == 7


@pytest.fixture(scope="module")
def claims():
    return ledger()


def row_of(html, claim):
    return re.search(
        rf"<tr(?: [^>]*)?>(?:(?!</tr>).)*>{re.escape(claim)}<.*?</tr>", html, re.DOTALL
    )[0]


def test_a_row_has_numbers_our_criterion_and_what_a_claim_that_waits_needs(claims):
    html = ledger_table(claims, "all claims").data
    assert '<td data-label="Ours" class="number">37 of 40</td>' in row_of(html, "T2.tse-ew")
    assert "37 of 40, 3 ties" in row_of(html, "T2.tse-ew")
    assert not re.search(r">[-+−]0\.0+<", html)
    assert "<code>make book PROFILE=paper</code>" in row_of(html, "T2.001")
    row = row_of(html, "B.islands")
    assert "<dt>Our criterion</dt><dd>wide: at least 0.05</dd>" in row
    assert '<td data-label="Published" class="number"><span aria-label="none">–</span></td>' in row


def test_a_row_says_what_other_choices_make_of_it_and_what_it_turns_on(claims):
    html = ledger_table(claims, "all claims").data
    row = row_of(html, "B.islands-human")
    assert (
        "<dt>By this criterion</dt><dd>does not hold</dd>" in row
        and "the printed Table 3 (0.218): holds" in row
    )
    assert '<td data-label="Robust" class="number">5 of 6</td>' in row
    assert 'data-robustness="turns on the printed Table 3"' in row
    both = row_of(html, "B.irregulars.2")
    assert 'data-robustness="turns on the printed Table 4|turns on the corrected Table 4"' in both
    assert 'data-robustness="no other choice tried"' in row_of(html, "B.tokens")
    assert 'data-robustness="the same under every choice"' in row_of(html, "B.order")
    assert "data-robustness" not in row_of(html, "T2.001")
