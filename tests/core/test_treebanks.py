"""Treebanks as data: their sites by each rule, other forms, lists, clusters, mistakes, known counts of twenty."""

import warnings

import numpy as np
import pandas as pd
import pytest

import tse_core
from treebank import FAILING, KEYS, PLUR, SING, write_treebank
from tse_core.datasets.formats.conllu.sentences import read_sentences
from tse_core.datasets.formats.conllu.sites import RULES, sites
from tse_core.datasets.formats.conllu.verbs import attested_verbs
from tse_core.datasets.loading import load_pairs, load_sentence_pairs
from tse_core.datasets.treebank_pairs import distinct_sites
from tse_core.errors import InputError, TseWarning

pytestmark = pytest.mark.filterwarnings("ignore:.* verbs are sites of agreement")

# Distinct sites of dev and test (of ParTUT and Sequoia with train) by text before the verb and number.
COUNTS = {
    "English-EWT": 790, "English-GUM": 887, "English-LinES": 291, "English-PUD": 273,
    "English-GENTLE": 235, "English-ParTUT": 884, "German-GSD": 561, "German-PUD": 348,
    "French-GSD": 1164, "French-Sequoia": 1248, "Dutch-Alpino": 499, "Spanish-GSD": 679,
    "Portuguese-Bosque": 856, "Italian-ISDT": 414, "Finnish-TDT": 571, "Polish-LFG": 352,
    "Czech-CAC": 303, "Greek-GDT": 280, "Russian-GSD": 187,
}  # fmt: skip


@pytest.fixture
def treebank(tmp_path):
    return write_treebank(tmp_path, KEYS + "\n" + FAILING)


@pytest.fixture
def pairs(treebank):
    return load_pairs(treebank)


def found(path, language="en"):
    table, left_out = sites(read_sentences([path])[0], language)
    return table, left_out


def test_sites_have_the_columns_that_the_sentences_show(pairs):
    by_id = pairs.set_index("id")
    keys = by_id.loc["s1:6"]
    assert keys["left"] == "The keys to the cabinet"
    assert keys["right"] == "here."
    assert keys[["kind", "number", "distance", "between"]].tolist() == [
        "noun",
        "plural",
        "3",
        "other",
    ]
    assert keys[["subject", "noun", "lemma", "form", "correct", "wrong"]].tolist() == [
        "keys", "key", "stand", "stand", "stand", "stands",
    ]  # fmt: skip
    assert by_id.loc["s2:4", ["distance", "between", "left"]].tolist() == [
        "1",
        "none",
        "The door often",
    ]
    assert by_id["kind"].tolist() == [
        "noun",
        "noun",
        "pronoun",
        "pronoun",
        "pronoun",
        "name",
        "noun",
    ]
    assert by_id["form"].tolist() == ["stand", "opens", "opens", "closes", "are", "has", "open"]
    assert set(pairs["document"]) == {"GUM_letter_keys"} and set(pairs["genre"]) == {"letter"}


def test_each_verb_that_is_no_site_is_counted_by_the_rule_that_it_fails(treebank):
    _, left_out = found(treebank)
    # The participle left and the infinitive open are verbs, too.
    assert left_out == {
        RULES[0]: 3, RULES[1]: 1, RULES[2]: 1, RULES[3]: 2, RULES[4]: 1, RULES[5]: 1, RULES[6]: 1, RULES[7]: 1,
    }  # fmt: skip
    with pytest.warns(
        TseWarning, match="7 of 18 verbs are sites of agreement; left out: no finite"
    ):
        load_pairs(treebank)


def test_a_feature_that_is_not_given_is_not_held_against_a_word(tmp_path):
    bare = write_treebank(
        tmp_path,
        "De de DET _ 2 det\ndeur deur NOUN _ 3 nsubj\nopent openen VERB Number=Sing|Tense=Pres 0 root\n\n"
        "Ze ze PRON PronType=Prs 2 nsubj\nopent openen VERB Number=Sing|Tense=Pres 0 root\n\n"
        "De de DET _ 2 det\ndeur deur NOUN _ 3 nsubj\nopent openen VERB Number=Sing 0 root",
    )
    table, left_out = found(bare, "nl")
    assert table["sent_id"].tolist() == ["s1"]
    assert left_out == {RULES[0]: 1, RULES[3]: 1}  # without a tense; a pronoun of no known person


def test_other_languages_keep_the_pronouns_that_their_treebank_calls_personal(treebank):
    assert len(found(treebank, "en")[0]) + 1 == len(found(treebank, "fr")[0])


def test_a_site_counts_once_by_its_text_and_number(pairs):
    causal, masked = distinct_sites(pairs, "causal"), distinct_sites(pairs, "masked")
    # "It opens" and "It closes" have one text before the verb, and no text behind it.
    assert len(pairs) == 7 and len(causal) == len(masked) == 6
    assert "closes" not in set(causal["form"])


def test_documents_cluster_else_runs_of_25_sentences(tmp_path, pairs):
    assert pairs.attrs["clusters"] == "documents"
    sentence = "It it PRON IT 2 nsubj\nopens open VERB SING 0 root\n"
    without = load_pairs(write_treebank(tmp_path, "\n".join([sentence] * 60), "en_runs-ud-dev"))
    assert without.attrs["clusters"] == "runs-of-25-sentences"
    assert without["document"].value_counts(sort=False).tolist() == [25, 25, 10]


def test_a_treebank_is_a_file_a_folder_or_a_pattern(treebank, tmp_path):
    write_treebank(tmp_path, KEYS, "en_own-ud-dev")
    assert len(load_pairs(tmp_path)) == len(load_pairs(f"{tmp_path}/en_own-*.conllu")) == 14
    assert load_pairs(f"{tmp_path}/en_own-*.conllu").attrs["name"] == "en_own"
    assert load_pairs(treebank).attrs["name"] == "en_own-ud-test"
    assert load_pairs(treebank, name="mine")["construction"].unique().tolist() == ["mine"]


def test_verbs_attested_in_both_numbers_with_equal_further_features(tmp_path):
    past = SING.replace("Pres", "Past")
    path = write_treebank(
        tmp_path,
        f"""Ze ze PRON IT 2 nsubj\nopent openen VERB SING 0 root

Ze ze PRON THEY 2 nsubj\nopenen openen VERB PLUR 0 root

Ze ze PRON IT 2 nsubj\nsluit sluiten VERB {SING}|Voice=Act 0 root

Ze ze PRON THEY 2 nsubj\nsluiten sluiten VERB {PLUR}|Voice=Pass 0 root

Ze ze PRON IT 2 nsubj\nzag zien VERB {past} 0 root

Ze ze PRON THEY 2 nsubj\nzien zien VERB PLUR 0 root

Ik ik PRON Person=1|PronType=Prs 2 nsubj\nkom komen VERB Number=Sing|Tense=Pres 0 root

Ze ze PRON THEY 2 nsubj\nkomen komen VERB Number=Plur|Tense=Pres 0 root""",
        "nl_own-ud-test",
    )
    verbs = attested_verbs(read_sentences([path])[0], "nl")
    assert verbs.to_numpy().tolist() == [["openen", "opent", "openen"]]
    pairs = load_pairs(path)
    wrong = dict(zip(pairs["form"], pairs["wrong"], strict=True))
    assert (wrong["opent"], wrong["openen"], wrong["sluit"]) == ("openen", "opent", "")


def test_an_evaluation_counts_each_context_once_and_keeps_what_was_left_out(
    model, treebank, tmp_path
):
    evaluation = tse_core.evaluate(model, treebank, detail="forms", store=None)
    assert len(evaluation.contexts) == 6
    assert evaluation.left_out[RULES[0]] == 3
    assert evaluation.signature.policy["cluster"] == "documents"
    table = evaluation.table("kind,between")
    assert table["contexts"].sum() == 6
    assert evaluation.table("genre")["genre"].tolist() == ["letter"]
    assert set(evaluation.subjects) == {"GUM_letter_keys"}
    evaluation.save(tmp_path / "scores.parquet")
    again = tse_core.load_scores(tmp_path / "scores.parquet")
    assert again.left_out == evaluation.left_out
    pd.testing.assert_frame_equal(again.contexts, evaluation.contexts)


@pytest.mark.slow
def test_a_masked_model_reads_both_sides(tiny_masked, treebank, tmp_path):
    evaluation = tse_core.evaluate(tiny_masked, treebank, store=None)
    assert evaluation.contexts["right"].tolist()[:2] == ["here.", ""]
    closes = "closes close VERB SING 0 root"
    other = KEYS.replace(closes, f"{closes}\nsoon soon ADV _ 2 advmod")
    path = write_treebank(tmp_path, other, "en_other-ud-test")
    # "It opens" and "It closes soon" are two contexts of it, and one of a causal model.
    assert len(tse_core.evaluate(tiny_masked, path, store=None).contexts) == 7
    assert len(distinct_sites(load_pairs(path), "causal")) == 6


@pytest.mark.slow
def test_a_table_of_sites_gives_the_scores_of_its_treebank(model, pairs, treebank, tmp_path):
    pairs.to_csv(tmp_path / "sites.csv", index=False)
    scores = [
        tse_core.evaluate(model, data, store=None)
        for data in (treebank, pairs, tmp_path / "sites.csv")
    ]
    for other in scores[1:]:
        np.testing.assert_array_equal(scores[0].contexts["ew"], other.contexts["ew"])
        np.testing.assert_array_equal(scores[0].pairs["tse"], other.pairs["tse"])


def test_a_list_from_a_treebank_counts_whole_words(model, tmp_path):
    sentences = []
    for verb in ("laugh", "smile"):
        sentences.append(f"It it PRON IT 2 nsubj\n{verb}s {verb} VERB SING 0 root\n")
        sentences.append(f"They they PRON THEY 2 nsubj\n{verb} {verb} VERB PLUR 0 root\n")
    path = write_treebank(tmp_path, "\n".join(sentences))
    with pytest.warns(TseWarning, match="2 verbs attested in both numbers; .* whole words"):
        evaluation = tse_core.evaluate(model, path, "treebank", store=None)
    assert evaluation.signature.policy["forms"] == "words"
    assert evaluation.lemmas["lemma"].tolist() == ["laugh", "smile"]
    single = tse_core.evaluate(model, path, "treebank", verbs="single-token", store=None)
    assert "forms" not in single.signature.policy


def test_sentence_pairs_of_a_treebank_are_whole_sentences(treebank):
    pairs = load_sentence_pairs(treebank)
    first = pairs.iloc[0]
    assert first["good"] == "The keys to the cabinet stand here."
    assert first["bad"] == "The keys to the cabinet stands here."


def test_pairs_of_a_treebank_are_written_as_a_table_and_read_again(tse, treebank, tmp_path, pairs):
    code, output, _ = tse("data", "pairs", treebank, "--out", tmp_path / "pairs.csv")
    assert (code, output.splitlines()[0]) == (0, "pairs: 7; verbs without another form: 0")
    written = pd.read_csv(tmp_path / "pairs.csv", dtype="str", keep_default_na=False)
    assert written.loc[0, ["good", "bad", "sent_id", "token"]].tolist() == [
        "The keys to the cabinet stand here.", "The keys to the cabinet stands here.", "s1", "6",
    ]  # fmt: skip
    again = load_pairs(tmp_path / "pairs.csv")
    pd.testing.assert_frame_equal(again, pairs[again.columns], check_like=True)


def test_a_file_of_data_in_the_place_of_a_model_is_said(tse, treebank):
    code, _, said = tse("evaluate", treebank, "--data", treebank)
    assert code == 2 and said.count("\n") == 1
    assert "en_own-ud-test.conllu is data and no model: --data" in said


def test_sums_over_verbs_are_kept_by_document(model, tmp_path):
    notation = KEYS + "\n" + FAILING.replace("Open open VERB Mood=Imp|VerbForm=Fin", "Oh oh INTJ _")
    later = "\n# newdoc id = b\nKeys key NOUN P 2 nsubj\nopen open VERB PLUR 0 root\n"
    path = write_treebank(tmp_path, notation + later)
    evaluation = tse_core.evaluate(model, path, detail="lemmas", store=None)
    assert set(evaluation.by_lemma["noun"]) == {"GUM_letter_keys", "b"}
    intervals = evaluation.intervals(("subjects", "verbs"))
    assert intervals.set_index("metric").loc["EW", "clusters"] == 2


MISTAKES = {
    "no CoNLL-U": ("The keys rust.\n", "sentence 1: is no CoNLL-U"),
    "too few cells": ("1\tIt\tit\tPRON\n\n", "sentence 1: is no CoNLL-U"),
    "nothing": ("", "holds no sentence"),
    "another text": (
        "# sent_id = a\n# text = He opens\n1\tIt\tit\tPRON\t_\t_\t0\troot\t_\t_\n\n",
        "sentence a: its text has 'He opens' where its words have 'It'",
    ),
    "no verb": ("1\tIt\tit\tPRON\t_\t_\t0\troot\t_\t_\n\n", "no word has the tag VERB or AUX"),
    "no number": (
        "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\topens\topen\tVERB\t_\tTense=Pres\t0\troot\t_\t_\n\n",
        "no verb of 1 has a Number",
    ),
    "no subject": (
        f"1\tIt\tit\tPRON\t_\t_\t2\tdep\t_\t_\n2\topens\topen\tVERB\t_\t{SING}\t0\troot\t_\t_\n\n",
        "no word has the relation nsubj",
    ),
    "participles": (
        "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
        "2\topens\topen\tVERB\t_\tNumber=Sing|VerbForm=Part\t0\troot\t_\t_\n\n",
        "no verb of 1 is a finite present of the third person (1 are participles)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line(mistake, tmp_path):
    content, line = MISTAKES[mistake]
    path = tmp_path / "en_own-ud-test.conllu"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        load_pairs(path)
    assert line in str(error.value) and "\n" not in str(error.value)


def test_a_folder_or_pattern_without_a_treebank_is_said(tmp_path):
    with pytest.raises(InputError, match="the folder .* holds no file that ends in .conllu"):
        load_pairs(tmp_path)
    with pytest.raises(InputError, match="no file has such a name"):
        load_pairs(tmp_path / "en_*.conllu")


def test_a_list_can_only_be_drawn_from_a_treebank(model, simple, treebank):
    with pytest.raises(InputError, match="is no treebank"):
        tse_core.evaluate(model, simple, "treebank", store=None)
    with pytest.raises(InputError, match="no verb is attested in both numbers"):
        only_one = load_pairs(treebank)
        only_one.attrs["attested"] = ()
        tse_core.evaluate(model, only_one, "treebank", store=None)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*COUNTS, "Hebrew-HTB"])
def test_the_sites_of_public_treebanks_are_these(name, shared, tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(shared / "mirror"))
    monkeypatch.setenv("TSE_CACHE", str(tmp_path))
    if name == "Hebrew-HTB":
        with pytest.raises(InputError, match="648 are participles"):
            load_pairs("ud/Hebrew-HTB")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TseWarning)
        pairs = load_pairs(f"ud/{name}")
    assert len(distinct_sites(pairs, "causal")) == COUNTS[name]
