"""Baselines on growing corpora: more text, better agreement; a finished size is not trained again."""

import pytest

from tse_book.studies import learning_curves as curves
from tse_core.errors import InputError
from tse_core.results.store import Store

pytestmark = pytest.mark.slow


def test_more_text_teaches_an_ngram_model_more_and_a_finished_size_is_kept(tmp_path, monkeypatch):
    store = Store(tmp_path)
    table = curves.learning_curve(["ngram"], [250, 1000], store=store)
    means = table.groupby("sentences")["accuracy"].mean()
    assert means[1000] > means[250]
    assert (table.groupby("sentences")["words"].first() / [250, 1000]).between(6, 12).all()
    monkeypatch.setattr(curves, "evaluate_blimp", lambda *a, **k: pytest.fail("trained again"))
    again = curves.learning_curve(["ngram"], [250], store=store)
    assert again["accuracy"].tolist() == table["accuracy"][:30].tolist()
    assert store.waste(older_than=-1) == []  # every shard says what it is


def test_an_unknown_kind_is_named():
    with pytest.raises(InputError, match="unknown kind of baseline 'rnn'"):
        curves.learning_curve(["rnn"], [10])
