"""CLAMS in five languages, and the verb lists of four: counts, rules of pairing, spelling, forms checked by hand."""

import unicodedata
import warnings
from itertools import cycle
from pathlib import Path

import pandas as pd
import pytest

from golden_facts import facts
from tse_core.datasets import downloads
from tse_core.datasets.clams import clams_names, read_clams, written
from tse_core.datasets.coerce import as_lemmas
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, NUMBERS, unique_contexts
from tse_core.datasets.registry import data_sets
from tse_core.errors import InputError, SetAsideWarning
from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.words import join

GOLDEN = Path(__file__).parents[1] / "golden"
LISTS = {"fr": "french", "de": "german", "he": "hebrew", "ru": "russian"}


@pytest.fixture
def mirror(shared, tmp_path, monkeypatch):
    """The public files, out of the reference data beside the repository."""
    if not (shared / "mirror" / "aaronmueller").is_dir():
        pytest.skip("the reference data does not hold CLAMS")
    monkeypatch.setenv("TSE_MIRROR", str(shared / "mirror"))
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    return shared / "mirror"


def labelled(*sentences):
    """True and False lines, as the files of CLAMS have them."""
    return "\n".join(map("\t".join, zip(cycle(("True", "False")), sentences, strict=False)))


@pytest.fixture
def clams_file(tmp_path):
    """Writes True and False lines as a file of CLAMS."""

    def write(template, *sentences):
        path = tmp_path / f"{template}.txt"
        path.write_text(labelled(*sentences), encoding="utf-8")
        return path

    return write


@pytest.fixture
def simple_files(in_place_of_downloads):
    """Sentences of our own as the simple ones of French, as many as there are, and of German."""
    verbs = ["déménage / déménagent", "parle / parlent", "retourne / retournent", "est roux / sont roux"]
    adjectives = ["est blond / sont blonds", "est brun / sont bruns", "est pâle / sont pâles"]
    predicates = [predicate.split(" / ") for predicate in verbs + adjectives]
    sentences = []
    for noun in read_yaml(data_folder() / "clams.yaml")["fr"]["nouns"][:20]:
        for number, form in enumerate(noun.split(" / ")):
            subject = f"les {form}" if number else f"l' {form}" if form[0] in "aeiou" else f"le {form}"
            for forms in predicates:
                sentences += [f"{subject} {forms[number]}", f"{subject} {forms[1 - number]}"]
    german = ["der Pilot lacht", "der Pilot lachen", "die Piloten lachen", "die Piloten lacht"]
    in_place_of_downloads({"clams/fr/simple_agrmt": labelled(*sentences), "clams/de/simple_agrmt": labelled(*german)})


# The files


@pytest.mark.slow
def test_each_file_holds_the_lines_and_pairs_that_were_counted(mirror):
    rows = []
    for name in (data.name for data in data_sets().values() if data.format == "clams"):
        code = name.rpartition("/")[2]
        for path in downloads.files(name):
            pairs, aside = read_clams(path, code)
            rows.append(
                (code, path.stem, path.read_text("utf8").rstrip("\n").count("\n") + 1, len(pairs), *aside.values())
            )
    found = pd.DataFrame(rows, columns=["language", "template", "lines", "pairs", "several words", "no verb"])
    pd.testing.assert_frame_equal(found, pd.read_csv(GOLDEN / "clams_counts.csv"), check_dtype=False)
    assert (found["lines"] == 2 * found[["pairs", "several words", "no verb"]].sum(axis=1)).all()


def test_only_files_on_reflexives_and_polarity_are_not_in_the_registry():
    counted = pd.read_csv(GOLDEN / "clams_counts.csv")
    ours = set(counted["language"] + "_evalset/" + counted["template"] + ".txt")
    assert ours == {path for data in data_sets().values() if data.format == "clams" for path in data.files}
    others = set(facts()["files of CLAMS"]) - ours
    assert len(others) == 7
    assert all("npi" in name or "reflexive" in name for name in others)


@pytest.mark.slow
def test_the_english_pairs_are_those_of_marvin_and_linzens_grammar(mirror):
    columns = AGREEMENT_COLUMNS[1:]
    ours, theirs = load_pairs("clams/en"), load_pairs("marvin-linzen")
    assert len(ours) == len(theirs) == 121_220
    assert set(ours[columns].itertuples(index=False)) == set(theirs[columns].itertuples(index=False))


@pytest.mark.slow
@pytest.mark.parametrize("language", LISTS)
def test_numbers_of_subjects_and_attractors_are_those_that_the_sentences_show(mirror, language):
    pairs = load_pairs(f"clams/{language}")
    assert pairs["noun"].nunique() == 19 + (language in ("fr", "de", "ru"))
    forms = read_yaml(data_folder() / "clams.yaml")[language]["verbs"]
    number = {form: n for both in forms.values() for form, n in zip(both.split(" / "), NUMBERS, strict=True)}
    across = pairs[pairs["template"] == "obj_rel_across_anim"]  # the verb before the gap agrees with the attractor
    assert across["left"].str.rstrip(",").str.split().str[-1].map(number).eq(across["attractor_number"]).all()
    clauses = pairs[~pairs["construction"].isin(["Simple", "VP coordination"])]
    assert (clauses["attractor_number"] == clauses["number"]).groupby(clauses["construction"]).mean().eq(0.5).all()
    assert pairs["number"].value_counts().nunique() == 1


def test_a_construction_loads_by_its_name_and_says_what_was_set_aside(simple_files):
    with pytest.warns(
        SetAsideWarning, match=r"clams/fr/simple: 120 of 280 pairs set aside \(120: an adjective agrees too\)"
    ):
        pairs = load_pairs("clams/fr/simple")
    assert set(pairs["construction"]) == {"Simple"}
    assert pairs.attrs["name"] == "clams/fr/simple"
    assert len(unique_contexts(pairs, "causal")) == 40
    assert "clams/en/across-object-relative-no-that" in clams_names("clams/en")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_pairs("clams/de/simple")["noun"].tolist() == ["Pilot", "Pilot"]


def test_the_command_line_says_what_was_set_aside(simple_files, tse, tiny_causal):
    code, _, said = tse("evaluate", tiny_causal, "--data", "clams/fr/simple", "--lemmas", "french")
    assert "tse: clams/fr/simple: 120 of 280 pairs set aside (120: an adjective agrees too)" in said
    assert code == 2 and "holds no lemma of french" in said  # the vocabulary of the tiny model is English


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clams", "there is: clams/de, clams/en, clams/fr, clams/he, clams/ru"),
        ("clams/es", "unknown agreement data 'clams/es'.*clams/ru"),
        ("clams/fr/simpel", "did you mean 'clams/fr/simple'"),
    ],
)
def test_an_unknown_name_lists_what_there_is(name, message):
    with pytest.raises(InputError, match=message):
        load_pairs(name)


# The rules


def test_pairs_part_at_the_verb_wherever_it_stands(clams_file):
    path = clams_file(
        "obj_rel_within_anim",
        "der Direktor , den die Architekten verehren , lacht",
        "der Direktor , den die Architekten verehrt , lacht",
    )
    pairs, aside = read_clams(path, "de")
    assert sum(aside.values()) == 0
    assert pairs.iloc[0].to_dict() == {
        "id": "de/obj_rel_within_anim/1",
        "construction": "In object relative clause",
        "template": "obj_rel_within_anim",
        "subject": "Architekten",
        "noun": "Architekt",
        "attractor": "Direktor",
        "attractor_number": "singular",
        "lemma": "verehren",
        "left": "Der Direktor, den die Architekten",
        "right": ", lacht.",
        "number": "plural",
        "correct": "verehren",
        "wrong": "verehrt",
    }


def test_an_agreeing_adjective_or_a_missing_verb_sets_a_pair_aside(clams_file):
    french = ["les auteurs sont petits", "les auteurs est petit", "les auteurs sont vieux", "les auteurs est vieux"]
    pairs, aside = read_clams(clams_file("simple_agrmt", *french), "fr")
    assert (pairs["left"] + "|" + pairs["right"]).tolist() == ["Les auteurs|vieux."]
    assert aside == {"several words": 1, "no verb": 0}
    russian = ["авторы ждали", "авторы ждал", "авторы старые", "авторы старый"]
    pairs, aside = read_clams(clams_file("simple_agrmt", *russian), "ru")
    assert pairs[["lemma", "number", "correct", "wrong"]].values.tolist() == [["ждать", "plural", "ждали", "ждал"]]
    assert aside == {"several words": 0, "no verb": 1}


def test_decomposed_letters_are_composed(clams_file, tmp_path):
    sentences = ["le sénateur déménage", "le sénateur déménagent"]
    decomposed = [unicodedata.normalize("NFD", sentence) for sentence in sentences]
    assert decomposed != sentences
    one, _ = read_clams(clams_file("simple_agrmt", *sentences), "fr")
    other, _ = read_clams(clams_file("simple_agrmt", *decomposed), "fr")
    pd.testing.assert_frame_equal(one, other)
    assert one["correct"].tolist() == ["déménage"]
    table = tmp_path / "verbs.csv"
    table.write_text(unicodedata.normalize("NFD", "lemma,singular,plural\nréfléchir,réfléchit,réfléchissent\n"))
    assert load_lemmas(table).table["singular"].tolist() == ["réfléchit"]


def test_hebrew_prefixes_are_joined_except_before_the_gap(clams_file):
    relative = clams_file("obj_rel_across_anim", "ה מלצר ש ה שומר אוהב רוקד", "ה מלצר ש ה שומר אוהב רוקדים")
    (pair,) = read_clams(relative, "he")[0].to_dict("records")
    assert join(pair["left"], pair["correct"], pair["right"]) == "המלצר שהשומר אוהב רוקד."
    assert (pair["noun"], pair["attractor"], pair["lemma"], pair["number"]) == ("מלצר", "שומר", "רקד", "singular")
    coordination = clams_file("vp_coord", "ה מלצר רוקד ו נוסע", "ה מלצר רוקד ו נוסעים")
    assert read_clams(coordination, "he")[0]["left"].tolist() == ["המלצר רוקד ו"]


@pytest.mark.parametrize(
    ("apart", "joined", "text"),
    [
        ("l' auteur en face de l' adjoint", ["l'"], "l'auteur en face de l'adjoint"),
        (", которого агенты любят ,", [], ", которого агенты любят,"),
        ("גר ב מרכז ה עיר", ["ה", "ב"], "גר במרכז העיר"),
        ("", [], ""),
    ],
)
def test_words_are_written_as_their_language_writes_them(apart, joined, text):
    assert written(apart.split(), joined) == text


# The verb lists


@pytest.mark.parametrize("name", LISTS.values())
def test_the_forms_of_thirty_verbs_are_those_typed_by_hand(name):
    typed = pd.read_csv(GOLDEN / "verbs.csv").query("list == @name")
    assert len(typed) == 30
    listed = load_lemmas(name).table.set_index("lemma").loc[typed["lemma"]]
    assert listed["singular"].tolist() == typed["singular"].tolist()
    assert listed["plural"].tolist() == typed["plural"].tolist()


@pytest.mark.parametrize(("language", "name"), LISTS.items())
def test_a_list_holds_the_verbs_of_clams_and_each_form_once(language, name):
    lemmas = load_lemmas(name)
    assert len(lemmas) == (231 if name == "hebrew" else 2000)
    forms = [*lemmas.table["singular"], *lemmas.table["plural"]]
    assert len(set(forms)) == len(forms)
    assert lemmas.table["lemma"].is_unique
    assert all(unicodedata.is_normalized("NFC", form) and form.isalpha() for form in forms)
    listed = {row.lemma: f"{row.singular} / {row.plural}" for row in lemmas.table.itertuples()}
    verbs = read_yaml(data_folder() / "clams.yaml")[language]["verbs"]
    assert {lemma for lemma, both in verbs.items() if listed.get(lemma) != both} == (
        {"ждать"} if language == "ru" else set()
    )


def test_hebrew_plurals_follow_from_their_singulars():
    """The masculine participle takes -im for -e or behind its last letter, whose final shape it loses."""
    medial = str.maketrans("םןץףך", "מנצפכ")
    table = load_lemmas("hebrew").table
    assert table["plural"].tolist() == [s.removesuffix("ה").translate(medial) + "ים" for s in table["singular"]]


def test_german_has_the_spelling_of_1996_and_no_separable_verbs():
    table = load_lemmas("german").table
    assert table.loc[table["plural"] != table["lemma"], "lemma"].tolist() == ["sein"]
    sharp = table["singular"].str.contains("ß") & ~table["lemma"].str.contains("ß")
    assert table.loc[sharp, "singular"].tolist() == ["weiß"]
    assert not table["lemma"].isin(["feststellen", "mitnehmen", "stattfinden"]).any()


def test_the_codes_are_those_of_the_lexicon():
    names = [data.name for data in data_sets().values() if data.format == "clams"]
    assert sorted(read_yaml(data_folder() / "clams.yaml")) == sorted(name.removeprefix("clams/") for name in names)


@pytest.mark.parametrize(
    ("data", "usual"), [("clams/fr/simple", "french"), ("clams/he", "hebrew"), ("clams/en", "newman-clean")]
)
def test_without_a_list_the_verbs_of_the_language_are_asked(data, usual):
    assert as_lemmas(None, data=data).name == usual
    assert as_lemmas("german", data=data).name == "german"
