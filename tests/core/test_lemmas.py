"""The verb lists: counts of the paper and of the published file, forms, homographs, bad input."""

import csv
import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from golden_facts import TOKENIZERS, facts, verb_forms, vocabulary
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.lemmas import Lemmas, list_lemmas, load_lemmas
from tse_core.errors import InputError

SCRIPTS = Path(__file__).parents[2] / "data/lemmas"
# Lemmas with both forms in the vocabulary. The released list's counts and the appendix' by rule are in the field notes;
# the appendix' own forms (woos, quizzes, stomachs, has) give these.
IN_VOCABULARY = {
    "newman-released": {"bert-cased": 734, "bert-uncased": 835, "gpt2": 935, "roberta": 935},
    "newman-appendix": {"bert-cased": 746, "bert-uncased": 848, "gpt2": 948, "roberta": 948},
}


def forms(name):
    return load_lemmas(name).table.set_index("plural")


def test_forms_are_right_where_spelling_rules_go_wrong():
    plurals = ["quiz", "stomach", "woo", "have", "are", "go", "mimic", "veto"]
    found = forms("newman-appendix").loc[plurals]
    assert found["singular"].tolist() == [
        "quizzes",
        "stomachs",
        "woos",
        "has",
        "is",
        "goes",
        "mimics",
        "vetoes",
    ]
    past = ["quizzed", "stomached", "wooed", "had", "was/were", "went", "mimicked", "vetoed"]
    assert found["past"].tolist() == past


def test_homographs_are_flagged():
    homograph = forms("newman-appendix")["homograph"]
    assert (
        homograph[["put", "cut", "set", "read", "beat", "broadcast", "were", "wound"]] == "past"
    ).all()
    assert (homograph[["will", "shall"]] == "modal").all()
    assert (homograph[["walk", "are", "have"]] == "").all()


def test_the_clean_list_keeps_only_present_tense_verbs():
    clean = forms("newman-clean")
    gone = set(forms("newman-appendix").index) - set(clean.index)
    assert len(clean) == 1970 - len(gone)
    assert gone == {
        *("accomodate", "excorciate", "repond"),  # typos
        *("allowed", "born", "increased", "refocuses", "shorn", "were"),  # inflected forms
        *(
            "attention",
            "buy-back",
            "growth",
            "plea",
            "safety",
            "streetspeak",
            "tandy",
            "the",
        ),  # no verbs
        *("don", "emphaticize", "gon", "plur", "scape", "wan"),  # fragments
        *("shall", "will"),  # modals
    }
    assert "modal" not in set(clean["homograph"])
    assert clean.loc["are", "singular"] == "is"


def test_the_released_list_is_the_published_file_row_for_row():
    ours = load_lemmas("newman-released").table
    assert len(ours) == 1951
    assert verb_forms(ours) == facts()["released verbs"]


@pytest.mark.parametrize("name", IN_VOCABULARY)
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_in_vocabulary_counts(name, tokenizer):
    word_id = vocabulary(tokenizer)

    def spellings(words):
        return [None if word_id(word) is None else (word_id(word),) for word in words]

    model = SimpleNamespace(
        name=tokenizer, spellings=spellings, reads_right=False, compares_lengths=True
    )
    counted = counted_verbs(model, load_lemmas(name))
    assert len(counted.lemmas) == len(counted.ids) == IN_VOCABULARY[name][tokenizer]
    first = counted.lemmas.iloc[0]
    assert counted.ids[0].tolist() == [word_id(first["singular"]), word_id(first["plural"])]


def test_a_file_among_the_projects_lists_has_a_name_and_one_of_ones_own_is_read_by_its_path(
    tmp_path, monkeypatch
):
    (tmp_path / "lemmas").mkdir()
    (tmp_path / "lemmas" / "dutch.csv").write_text("lemma,singular,plural\nlopen,loopt,lopen\n")
    monkeypatch.setattr("tse_core.datasets.lemmas.data_folder", lambda: tmp_path)
    assert "dutch" in list_lemmas() and load_lemmas("dutch").table["singular"].tolist() == ["loopt"]
    own = load_lemmas(tmp_path / "lemmas" / "dutch.csv")
    assert (own.name, len(own)) == ("dutch", 1)


def test_the_hash_names_the_forms_and_nothing_else():
    lemmas = load_lemmas("newman-clean")
    shuffled = Lemmas("other", lemmas.table.sample(frac=1, random_state=0).drop(columns="noun"))
    assert shuffled.hash == lemmas.hash
    named = [name for name in list_lemmas() if name != "newman-full"]
    assert len({load_lemmas(name).hash for name in named}) == len(named)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "lemma,singular\nwalk,walks\n",
            "bad.csv: needs rows with the columns .*plural; has lemma, singular",
        ),
        (
            "lemma,singular,plural\nwalk,walks,walk\nrun,,run\n",
            "bad.csv:3: the lemma or a form is empty",
        ),
        (
            "lemma,singular,plural\nwalk,walks,walk\nrun,runs,run\nwalk,walks,walk\n",
            "bad.csv:4: these two forms",
        ),
        ("lemma,singular,plural\nput,put,put\n", "bad.csv:2: both forms are the same"),
        (
            "lemma,singular,plural,noun\nwalk,walks,walk,maybe\n",
            "bad.csv:2: noun must be yes or no",
        ),
    ],
)
def test_a_faulty_list_is_refused_with_its_line(tmp_path, text, message):
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        load_lemmas(file)


FAULTY = """lemma\tsingular\tplural
walk\twalks\twalk
run\t\trun
put\tput\tput
sing\tsings\t
"""


def test_all_faulty_rows_are_in_one_message(tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text(FAULTY)
    message = (
        r"mine.tsv: 3 rows are faulty \(the lemma or a form is empty: 3, 5; both forms are the same; "
        r"they must differ: 4\)"
    )
    with pytest.raises(InputError, match=message):
        load_lemmas(file)
    file.write_text("lemma\tsingular\tplural\nput\tput\tput\n")
    with pytest.raises(InputError, match="mine.tsv:2: both forms are the same"):
        load_lemmas(file)


def script(name):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_tables_are_what_the_rules_make(monkeypatch):
    pytest.importorskip("lemminflect")
    monkeypatch.syspath_prepend(SCRIPTS)
    make = script("make")
    texts = [
        (SCRIPTS / f"newman-{name}.csv").read_text(encoding="utf-8")
        for name in ("appendix", "released")
    ]
    table, released = (list(csv.DictReader(text.splitlines())) for text in texts)
    if importlib.util.find_spec("wordfreq") is None:  # a large package, wanted for one column alone
        make._zipf = lambda singular, plural: next(zipf)
        zipf = iter([row["zipf"] for row in table])
    assert make.rows() == table and make.released(table) == released


def test_lemmas_that_a_tokenizer_spells_alike_are_one(model):
    rows = [("laugh", "laughs", "laugh"), ("Laugh", "Laughs", "Laugh"), ("swim", "swims", "swim")]
    both = Lemmas("capitals", pd.DataFrame(rows, columns=["lemma", "singular", "plural"]))
    assert counted_verbs(model, both).lemmas["lemma"].tolist() == ["laugh", "swim"]
