"""Baselines on growing corpora: more text, better agreement; a finished size is not trained again."""

import pytest

from tse_book.studies import learning_curves as curves
from tse_core.errors import InputError
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import read_results, write_results

pytestmark = pytest.mark.slow


def test_more_text_teaches_an_ngram_model_more_and_a_finished_size_is_kept(tmp_path, monkeypatch):
    store = Store(tmp_path)
    curve = curves.learning_curve(["ngram"], [250, 1000], store=store)
    table = curve.table()
    means = table.groupby("sentences")["accuracy"].mean()
    assert means[1000] > means[250]
    assert (table.groupby("sentences")["words"].first() / [250, 1000]).between(6, 12).all()
    monkeypatch.setattr(curves, "evaluate_blimp", lambda *a, **k: pytest.fail("trained again"))
    again = curves.learning_curve(["ngram"], [250], store=store)
    assert again.table()["accuracy"].tolist() == table["accuracy"][:30].tolist()
    assert store.waste(older_than=-1) == []  # every shard says what it is


def test_a_curve_gives_its_numbers_in_the_columns_of_result_files(tmp_path):
    curve = curves.learning_curve(["ngram"], [100])
    tidy = curve.tidy()
    write_results(tidy, tmp_path / "curve.csv")
    assert len(read_results(tmp_path / "curve.csv")) == len(curve.table()) == 30
    (signature,) = map(Signature.parse, tidy["signature"].unique())
    assert signature.model == "ngram-100" and signature.data_name == "laboratory"
    assert Signature.parse(str(curve.signature)) == curve.signature


def test_an_unknown_kind_is_named():
    with pytest.raises(InputError, match="unknown kind of baseline 'rnn'"):
        curves.learning_curve(["rnn"], [10])
