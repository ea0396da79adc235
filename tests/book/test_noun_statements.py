"""S7 and S7b on made-up numbers whose answers are known, and the words and nouns that they rest on."""

from math import log

import numpy as np
import pandas as pd
import pytest

from tiny import save_model
from tse_book import charts
from tse_book.claims import noun_statements, verdicts
from tse_book.claims.noun_statements import (
    AS_FIXED,
    COLUMNS,
    STATEMENTS,
    VARIANTS,
    NounTables,
    correlation,
    judge_nouns,
    measure,
    noun_scores,
)
from tse_book.pages import expected_nouns
from tse_book.studies.controls import controlled_verbs
from tse_book.studies.expected_nouns import key_words, nouns_for, subject_nouns
from tse_core import load_lemmas, load_model, load_pairs

S7, S7B, NEVER, ALSO = STATEMENTS
LEMMAS = {"go": False, "see": False, "plan": True, "need": True}
KEY_AFTER = pd.DataFrame(  # Mary with two words on the right, as a masked model reads them
    [
        ("Opener + a name", "I think that", "Mary", log(0.1)),
        ("Opener + a name", "I think that", "Mary", log(0.3)),
        ("It", "I think that", "it", log(0.4)),
    ],
    columns=["construction", "opener", "noun", "log_sum"],
)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(noun_statements, "DRAWS", 500)


def made(m: np.ndarray, also: np.ndarray, never: np.ndarray) -> NounTables:
    """Nouns with a value of M each, and a mean margin of either kind of verb; after an opener all is reversed."""
    names = [f"noun{i}" for i in range(len(m))]
    verbs_after, words_after = [], []
    for construction, sign in (("The N", 1), ("Opener + the N", -1)):
        for i, noun in enumerate(names):
            left = f"{construction} {noun}"
            context = {"construction": construction, "opener": "", "noun": noun}
            context |= {"left": left, "right": ""}
            for lemma, is_noun in LEMMAS.items():
                odds = sign * (also[i] if is_noun else never[i])
                apart = 0.5 if lemma in ("see", "need") else -0.5
                row = {"lemma": lemma, "log_odds": odds + apart, "log_odds_tokens": -odds}
                verbs_after.append({**context, **row, "log_singular": -3.0 + 0.1 * i})
            for word, log_probability in (("flight", sign * m[i]), ("music", -20.0)):
                row = {"word": word, "log_probability": log_probability, "log_end": -1.0}
                words_after.append({**context, **row})
    verbs = pd.DataFrame({"lemma": list(LEMMAS), "also_noun": list(LEMMAS.values())})
    random = np.random.default_rng(1)
    zipf = random.permutation(len(m)) / 10
    nouns = pd.DataFrame({"noun": names, "verb": np.arange(len(m)) % 4 == 0, "zipf": zipf})
    key = pd.DataFrame({"word": ["flight", "music"], "number": "singular"})
    verbs_after, words_after = pd.DataFrame(verbs_after), pd.DataFrame(words_after)
    return NounTables(verbs_after, words_after, verbs, nouns, key, KEY_AFTER)


def test_a_noun_s_scores_by_hand():
    """Two words of the key with P(word and end) .2 and .05, a third, plural one with .25; two verbs of each kind."""
    context = {"construction": "The N", "opener": "", "noun": "rider", "left": "The rider"}
    context |= {"right": ""}
    of_verbs = {  # log-odds by words and by tokens, log P of the form in -s
        "go": (3.0, 4.0, log(0.02)),
        "see": (1.0, -2.0, log(0.03)),
        "plan": (-1.0, 1.0, log(0.5)),
        "need": (0.5, 2.0, log(0.5)),
    }
    verbs_after = []
    for lemma, (odds, tokens, singular) in of_verbs.items():
        row = {"lemma": lemma, "log_odds": odds, "log_odds_tokens": tokens}
        verbs_after.append({**context, **row, "log_singular": singular})
    of_words = {"flight": (0.4, 0.5), "music": (0.1, 0.5), "flights": (0.5, 0.5)}
    words_after = []
    for word, (probability, end) in of_words.items():
        row = {"word": word, "log_probability": log(probability), "log_end": log(end)}
        words_after.append({**context, **row})
    verbs = pd.DataFrame({"lemma": list(LEMMAS), "also_noun": list(LEMMAS.values())})
    nouns = pd.DataFrame({"noun": ["rider"], "verb": [False], "zipf": [4.0]})
    key = pd.DataFrame({"word": list(of_words), "number": ["singular", "singular", "plural"]})
    verbs_after, words_after = pd.DataFrame(verbs_after), pd.DataFrame(words_after)
    tables = NounTables(verbs_after, words_after, verbs, nouns, key, KEY_AFTER)
    [scores] = noun_scores(tables).to_dict("records")
    expected = {
        "M": log(0.25),
        "M_mean": (log(0.2) + log(0.05)) / 2,
        "M_plural": log(0.5),
        "M_tokens": log(0.5),
        "ew_also": 0.5,
        "ew_never": 1.0,
        "margin_also": -0.25,
        "margin_never": 2.0,
        "gap": 2.25,
        "ew_also_tokens": 1.0,
        "ew_never_tokens": 0.5,
        "gap_tokens": 1.0 - 1.5,
        "s_forms": log(0.05),
        "zipf": 4.0,
    }
    assert {name: scores[name] for name in expected} == pytest.approx(expected)


def test_spearman_s_rho_and_its_partial_by_hand():
    """Ranks 1 2 3 4 and 1 3 2 4: 1 - 6 * 2 / 60 = .8; with 2 1 4 3 .6 and 0, so .8 / sqrt(1 - .36) = 1."""
    first, second, third = [1.0, 2.0, 5.0, 9.0], [10.0, 30.0, 20.0, 40.0], [2.0, 1.0, 4.0, 3.0]
    assert correlation(np.array([[first], [second]])) == pytest.approx([0.8])
    assert correlation(np.array([[first], [third]])) == pytest.approx([0.6])
    assert correlation(np.array([[second], [third]])) == pytest.approx([0.0], abs=1e-12)
    assert correlation(np.array([[first], [second], [third]])) == pytest.approx([1.0])
    tied = [1.0, 1.0, 3.0, 4.0]  # ranks 1.5 1.5 3 4: 4.5 / sqrt(5 * 4.5)
    assert correlation(np.array([[first], [tied]])) == pytest.approx([4.5 / np.sqrt(22.5)])
    assert np.isnan(correlation(np.array([[first], [[1.0] * 4]]))).all()


def random_nouns(count: int = 40, seed: int = 0) -> tuple[np.ndarray, np.random.Generator]:
    random = np.random.default_rng(seed)
    return random.permutation(count) / count * 4 - 6, random


def test_both_statements_extend_where_only_verbs_that_are_nouns_suffer():
    m, random = random_nouns()
    also = -(m + 4) + random.normal(0, 0.3, len(m))
    table = judge_nouns(made(m, also, random.normal(3, 0.3, len(m))))
    assert table.columns.tolist() == COLUMNS
    fixed = table[table["choice"] == AS_FIXED].set_index("id")
    assert fixed.loc[["S7", "S7b"], "verdict"].tolist() == [verdicts.EXTENDS] * 2
    assert fixed.loc["S7b.never", "verdict"] == verdicts.UNDECIDED
    assert (fixed["nouns"] == 40).all()
    by_choice = table[table["id"] == "S7b"].set_index("choice")
    assert by_choice.loc["without nouns that are verbs", "nouns"] == 30
    # By tokens the made margins have the other sign; after an opener both they and M have.
    assert by_choice.loc["EW by tokens", "verdict"] == verdicts.DOES_NOT_EXTEND
    after_opener = by_choice.loc["an opener before the noun"]
    assert after_opener["value"] == pytest.approx(by_choice.loc[AS_FIXED, "value"])


def test_an_unfinished_subject_lowers_every_margin_and_leaves_s7b_undecided():
    """S7 holds, and yet M says nothing about nouns: the margins of both kinds fall alike."""
    m, random = random_nouns()
    fall = -(m + 4)
    also, never = (fall + random.normal(0, 0.3, len(m)) for _ in range(2))
    tables = made(m, also, never + 3)
    fixed = judge_nouns(tables).query("choice == @AS_FIXED").set_index("id")["verdict"]
    assert fixed["S7"] == fixed["S7b.never"] == fixed["S7b.also"] == verdicts.EXTENDS
    assert fixed["S7b"] == verdicts.UNDECIDED


def test_each_statement_has_a_table_for_which_it_fails():
    m, random = random_nouns()
    also = (m + 4) + random.normal(0, 0.3, len(m))
    fixed = judge_nouns(made(m, also, random.normal(3, 0.3, len(m))))
    fixed = fixed[fixed["choice"] == AS_FIXED].set_index("id")["verdict"]
    assert fixed["S7"] == fixed["S7b"] == verdicts.DOES_NOT_EXTEND


def test_the_interval_is_the_percentile_bootstraps_over_nouns():
    m, random = random_nouns()
    nouns = noun_scores(made(m, -m + random.normal(0, 2, len(m)), np.zeros(len(m))))
    measured = measure(nouns, S7B)
    start = nouns[nouns["construction"] == "The N"]
    draws = np.random.default_rng(0).integers(40, size=(500, 40))
    rhos = [start.iloc[draw][["M", "gap"]].corr("spearman").iloc[0, 1] for draw in draws]
    assert measured.value == pytest.approx(start[["M", "gap"]].corr("spearman").iloc[0, 1])
    low, high = np.quantile(rhos, [0.025, 0.975])
    assert (measured.low, measured.high) == pytest.approx((low, high))


def test_few_nouns_are_described():
    m, _ = random_nouns(9)
    tables = made(m, -m, np.zeros(9))
    assert set(judge_nouns(tables)["verdict"]) <= {verdicts.DESCRIBED, verdicts.NOT_RUN}


def test_a_page_has_the_chance_of_a_noun_after_each_subject():
    m, _ = random_nouns()
    rows = expected_nouns.subject_chances({"one": made(m, -m, m)})
    assert rows[["model", "subject", "noun", "opener"]].to_numpy().tolist() == [
        ["one", "opener + name", "Mary", "I think that"],
        ["one", "opener + it", "it", "I think that"],
    ]
    assert rows["P"].tolist() == pytest.approx([0.2, 0.4])


@pytest.mark.slow
def test_a_page_names_the_ends_and_the_likeliest_words_and_draws_each_noun_once():
    m, random = random_nouns()
    also = -(m + 4) + random.normal(0, 0.3, len(m))
    tables = {name: made(m, also, random.normal(3, 0.3, len(m))) for name in ("one", "other")}
    rows = expected_nouns.noun_scores(tables)
    one = rows[rows["model"] == "one"].set_index("noun")
    # P(flight) is exp(M's part) and the word's end exp(-1); music adds exp(-21).
    assert one["P"].to_numpy() == pytest.approx(np.exp(m - 1), rel=1e-4)
    assert one.loc[f"noun{m.argmax()}", "named"] and one["named"].sum() <= 4
    words = expected_nouns.likeliest_words(tables, ["noun0"], 2)
    assert words["words"].tolist() == ["flight, music"] * 2
    verdicts_of = expected_nouns.verdict_table(tables)
    assert (
        verdicts_of["id"].tolist()
        == ["S7"] * 2 + ["S7b"] * 2 + ["S7b.never"] * 2 + ["S7b.also"] * 2
    )
    assert verdicts_of["verdict"].tolist() == ["extends"] * 4 + ["described"] * 4
    assert "EW by tokens" in verdicts_of["another verdict by"][2]
    assert expected_nouns.variant_table(tables).shape == (9, 5)
    chart = charts.noun_dots(rows, "EW after each noun").to_dict()
    [data] = chart["datasets"].values()
    assert len(data) == 80


def test_there_are_eight_variants_beside_what_was_fixed():
    assert len(VARIANTS) == 9 and len(set(VARIANTS.values())) == 9


@pytest.mark.slow
def test_the_key_takes_no_side_and_the_nouns_stand_in_none_of_the_controls():
    words = key_words()
    verbs = load_lemmas("newman-clean").table
    assert words["word"].is_unique and len(words[words["number"] == "singular"]) == 600
    assert not set(words["word"]) & {*verbs["singular"], *verbs["plural"]}
    nouns = subject_nouns()
    assert len(nouns) == 64 and nouns["noun"].is_unique
    asked = load_pairs("agreement-nouns")
    assert set(asked["noun"]) == set(nouns["noun"]) and set(asked["number"]) == {"singular"}
    for name in ("agreement-controls", "agreement-attractors", "marvin-linzen"):
        others = load_pairs(name)
        assert not set(nouns["noun"]) & {*others["noun"], *others["attractor"]}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_the_tables_are_measured_and_judged_on_a_model_of_either_kind(tmp_path, kind):
    entries = ["the", "i", "think", "that", ".", "it", "them", "now"]
    entries += [*subject_nouns()["noun"], *key_words()["word"][:20]]
    entries += ["sees", "see", "likes", "like", "works", "work", "smiles", "smile", "plans", "plan"]
    model = load_model(save_model(tmp_path / kind, kind, entries=entries), device="cpu")
    details = {name: measured() for name, measured in nouns_for(model).items()}
    tables = NounTables(
        details["noun_verbs"].table,
        details["noun_words"].table,
        controlled_verbs(),
        subject_nouns(),
        key_words(),
        details["subject_words"].table,
    )
    scores = noun_scores(tables)
    assert scores.groupby("construction").size().tolist() == [64, 64]
    assert (scores["M"] < 0).all() and (scores["M_tokens"] >= scores["M"] - 1e-6).all()
    assert scores[["gap", "ew_also", "s_forms"]].notna().all(axis=None)
    after = tables.key_after
    assert after["noun"].isin(["Mary", "he", "it", "everyone"]).sum() >= 4
    assert (after["log_sum"] < 0).all()
