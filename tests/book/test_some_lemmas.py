"""EW and MW over some of the lemmas of an evaluation, against sums by hand and against an evaluation of just these."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from tse_book.studies.rows import only_verbs
from tse_book.studies.some_lemmas import scores_over
from tse_core import InputError, evaluate, load_lemmas, load_model, load_pairs
from tse_core.datasets.lemmas import Lemmas


@pytest.fixture(scope="module")
def model(tiny_causal):
    return load_model(tiny_causal)


@pytest.fixture(scope="module")
def found(model):
    return evaluate(model, load_pairs("marvin-linzen/simple"), keep="lemmas")


def test_two_contexts_of_a_subject_share_the_scores_of_both():
    cell = {"construction": "Simple", "subject": "keys", "noun": "key", "number": "plural", "contexts": 2}
    by_lemma = pd.DataFrame(
        [
            cell | {"lemma": "be", "correct": 2, "probability_correct": 0.5, "probability_wrong": 0.1},
            cell | {"lemma": "open", "correct": 1, "probability_correct": 0.1, "probability_wrong": 0.1},
            cell | {"lemma": "rust", "correct": 0, "probability_correct": 0.0, "probability_wrong": 0.2},
        ]
    )
    scores = scores_over(SimpleNamespace(by_lemma=by_lemma), ["be", "open", "no such lemma"])
    assert len(scores) == 2 and set(scores["noun"]) == {"key"}
    assert scores["ew"].tolist() == [0.75, 0.75] and scores["mw"].tolist() == pytest.approx([0.75, 0.75])
    assert scores["lemmas"].tolist() == [2, 2]


@pytest.mark.parametrize("step", [1, 3])
def test_over_some_or_all_lemmas_the_scores_are_those_of_an_evaluation_of_these(found, model, step):
    chosen, table = found.lemmas["lemma"].iloc[::step], load_lemmas().table
    own = Lemmas("some", table[table["lemma"].isin(chosen)])
    alone = evaluate(model, load_pairs("marvin-linzen/simple"), own)
    scores = scores_over(found, chosen)
    assert len(scores) == len(found.contexts)
    assert scores["ew"].mean() == pytest.approx(alone.table()["EW"].item(), abs=1e-12)
    assert scores["mw"].mean() == pytest.approx(alone.table()["MW"].item(), abs=1e-6)


@pytest.mark.parametrize("keep", ["lemmas", "forms"])
def test_a_list_in_another_order_finds_the_same_scores_of_each_verb_in_the_store(found, model, tmp_path, keep):
    """Shards number lemmas; a list sorted anew has the same hash, so its shards are the same."""
    table, pairs = load_lemmas().table, load_pairs("marvin-linzen/simple").iloc[::10]
    table = table[table["lemma"].isin(found.lemmas["lemma"])]
    orders = [table, table.iloc[::-1], table.sample(frac=1, random_state=0)]
    runs = [evaluate(model, pairs, Lemmas("verbs", order), keep=keep, store=tmp_path) for order in orders]
    runs.append(evaluate(model, pairs, Lemmas("verbs", orders[-1]), keep=keep))
    for verb in runs[0].lemmas["lemma"]:
        assert len({scores_over(run, [verb])["ew"].mean() for run in runs}) == 1, verb
    if keep == "forms":
        for run in runs[1:]:
            names = [e.forms["lemma"].map(e.lemmas["plural"]).tolist() for e in (runs[0], run)]
            assert names[0] == names[1] and runs[0].forms.equals(run.forms)


def test_verbs_that_are_no_nouns_are_part_of_the_appendix():
    assert {"be", "exist"} <= only_verbs() and not only_verbs() & {"walk", "laugh", "swim"}


def test_an_evaluation_without_its_lemmas_is_refused(found):
    with pytest.raises(InputError, match="use keep='lemmas'"):
        scores_over(replace(found, by_lemma=None), ["be"])
