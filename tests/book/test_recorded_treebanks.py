"""A model on a treebank, recorded without its text: what is written is read again, and makes the same panel."""

import json

import numpy as np
import pandas as pd
import pytest

from treebank import FAILING, KEYS, write_treebank
from tse_book.claims.panels import checked, panel_of, sums_of
from tse_book.recorded.recording import record_model
from tse_book.recorded.treebanks import file_of, recorded_treebank
from tse_book.studies import treebanks
from tse_book.studies.treebanks import SITE_COLUMNS, treebank_scores
from tse_core.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::tse_core.errors.TseWarning")


@pytest.fixture(scope="module")
def run(model, tmp_path_factory):
    """The folder of recorded runs with one of a treebank of ours, and the scores themselves."""
    folder = tmp_path_factory.mktemp("recorded")
    treebank = write_treebank(folder, KEYS + "\n" + FAILING)
    record_model(model, folder, "newman-clean", parts=["treebanks"], data=[str(treebank)])
    return folder, treebank, treebank_scores(model, str(treebank))


@pytest.mark.slow
def test_what_is_recorded_is_what_was_measured_rounded(run, model):
    folder, _, scores = run
    again = recorded_treebank(model.label, "en_own-ud-test", folder)
    pd.testing.assert_frame_equal(again.sites, scores.sites, check_dtype=False)
    pd.testing.assert_frame_equal(again.verbs, scores.verbs)
    assert (again.signature, again.left_out) == (scores.signature, scores.left_out)
    np.testing.assert_allclose(again.log_odds, scores.log_odds, rtol=2**-8)
    np.testing.assert_array_equal(np.sign(again.log_odds), np.sign(scores.log_odds))
    np.testing.assert_allclose(again.likelihoods, scores.likelihoods, rtol=2**-11)
    after_pronoun = scores.sites["kind"] == "pronoun"
    assert (~np.isnan(again.likelihoods)).all(axis=1).tolist() == after_pronoun.tolist()


def test_sites_are_known_by_sentence_and_token_alone(run, model):
    folder, treebank, scores = run
    assert list(scores.sites) == list(SITE_COLUMNS)
    keys = scores.sites.iloc[0]
    assert keys[["sent_id", "token", "words_before", "ends_in_s"]].tolist() == ["s1", 6, 5, False]
    assert scores.sites.iloc[-1][["lemma", "number"]].tolist() == ["open", "plural"]
    content = file_of(folder / model.label, str(treebank.stem)).read_bytes()
    assert b"cabinet" not in content


def test_a_panel_can_be_made_of_a_recorded_treebank(run, model):
    folder, _, scores = run
    panel = checked(panel_of(recorded_treebank(model.label, "en_own-ud-test", folder)))
    assert len(panel.verbs) == scores.log_odds.shape[1]
    means = sums_of(panel).means()
    # Of the sites only "Doors open" is right behind a plural noun.
    doors = (scores.sites["sent_id"] == "s7").to_numpy()
    expected = scores.log_odds[doors][0]
    np.testing.assert_allclose(means.log_odds["noun", "plural"], expected, rtol=2**-8)


def test_the_provenance_lists_the_file(run, model):
    folder, treebank, scores = run
    provenance = json.loads((folder / model.label / "provenance.json").read_text())
    facts = provenance["treebanks"][treebank.stem]
    assert (facts["sites"], facts["verbs"]) == scores.log_odds.shape
    assert recorded_treebank(model.label, "another", folder) is None


DOORS = """
The the DET _ 2 det
door door NOUN S 3 nsubj
opens open VERB SING 0 root

Doors door NOUN P 2 nsubj
open open VERB PLUR 0 root
"""


@pytest.mark.slow
def test_a_sample_by_whole_words_has_the_verbs_of_single_tokens_too(model, tmp_path, monkeypatch):
    treebank = str(write_treebank(tmp_path, DOORS))
    with pytest.raises(InputError, match="1 sites after nouns of one number; 16 are drawn"):
        treebanks.word_scores(model, treebank)
    monkeypatch.setattr(treebanks, "WORD_SITES", 1)
    scores = treebanks.word_scores(model, treebank)
    assert sorted(scores.sites["number"]) == ["plural", "singular"]
    single = treebank_scores(model, treebank).verbs.query("kind != 'noun pairs'")
    assert set(single["lemma"]) <= set(scores.verbs["lemma"])
