"""CLAMS in five languages, and the verb lists of four: counts, rules of pairing, spelling, forms checked by hand."""

import warnings
from itertools import cycle
from pathlib import Path

import pandas as pd
import pytest

from tse_core.datasets import downloads
from tse_core.datasets.downloads import data_sets
from tse_core.datasets.formats.clams import NO_VERB, SEVERAL, UNLISTED, verb_pairs
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.loading import load_pairs, usual_list
from tse_core.datasets.pairs import unique_contexts
from tse_core.errors import InputError, TseWarning
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


def read(path, language):
    return verb_pairs(path, language, load_lemmas(usual_list("exact", f"clams/{language}")))


@pytest.fixture
def pairs_of(tmp_path):
    """Reads sentences in turn right and wrong as a file of CLAMS: the pairs as dictionaries, and what is set aside."""

    def pairs(language, template, *sentences):
        path = tmp_path / f"{template}.txt"
        path.write_text(labelled(*sentences), encoding="utf-8")
        found, aside = read(path, language)
        return found.to_dict("records"), aside

    return pairs


@pytest.fixture
def simple_files(pinned, monkeypatch):
    """Sentences of our own as the simple ones of French and of German."""
    french = []
    for subject, other in (("l' auteur", "les auteurs"), ("le pilote", "les pilotes")):
        for singular, plural in (
            ("parle", "parlent"),
            ("est roux", "sont roux"),
            ("est blond", "sont blonds"),
        ):
            french += [
                f"{subject} {singular}",
                f"{subject} {plural}",
                f"{other} {plural}",
                f"{other} {singular}",
            ]
    german = ["der Pilot lacht", "der Pilot lachen", "die Piloten lachen", "die Piloten lacht"]
    rows, contents = read_yaml(data_folder() / "datasets.yaml"), {}
    for name, sentences in (("clams/fr", french), ("clams/de", german)):
        (path,) = (path for path in rows[name]["files"] if "simple_agrmt" in path)
        contents[name] = {path: labelled(*sentences).encode()}
    monkeypatch.setenv("TSE_MIRROR", str(pinned({name: rows[name] for name in contents}, contents)))


@pytest.mark.slow
def test_each_file_holds_the_lines_and_pairs_that_were_counted(mirror):
    rows = []
    for name in (data.name for data in data_sets().values() if data.format == "clams"):
        code = name.rpartition("/")[2]
        for path in downloads.files([name]):
            pairs, aside = read(path, code)
            lines = path.read_text("utf8").rstrip("\n").count("\n") + 1
            rows.append((code, path.stem, lines, len(pairs), aside[SEVERAL], aside[NO_VERB]))
    found = pd.DataFrame(
        rows, columns=["language", "template", "lines", "pairs", "several words", "no verb"]
    )
    pd.testing.assert_frame_equal(
        found, pd.read_csv(GOLDEN / "clams_counts.csv"), check_dtype=False
    )
    assert (found["lines"] == 2 * found[["pairs", "several words", "no verb"]].sum(axis=1)).all()


@pytest.mark.slow
def test_the_english_pairs_are_those_of_marvin_and_linzens_grammar(mirror):
    columns = ["construction", "template", "lemma", "left", "right", "number", "correct", "wrong"]
    ours, theirs = load_pairs("clams/en"), load_pairs("marvin-linzen")
    assert len(ours) == len(theirs) == 121_220
    assert set(ours[columns].itertuples(index=False)) == set(
        theirs[columns].itertuples(index=False)
    )


def test_a_construction_loads_by_its_name_and_says_what_was_set_aside(simple_files):
    with pytest.warns(
        TseWarning, match=r"clams/fr/simple: 4 of 12 pairs set aside \(4: an adjective agrees too\)"
    ):
        pairs = load_pairs("clams/fr/simple")
    assert set(pairs["construction"]) == {"Simple"}
    assert pairs.attrs["name"] == "clams/fr/simple"
    assert len(unique_contexts(pairs, "causal")) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_pairs("clams/de/simple")["lemma"].tolist() == ["lachen", "lachen"]


def test_pairs_part_at_the_verb_wherever_it_stands(pairs_of):
    right, wrong = (
        f"der Direktor , den die Architekten {verb} , lacht" for verb in ("verehren", "verehrt")
    )
    pairs, aside = pairs_of("de", "obj_rel_within_anim", right, wrong)
    assert not aside and pairs == [
        {"id": "de/obj_rel_within_anim/1", "lemma": "verehren", "left": "der Direktor, den die Architekten",
         "right": ", lacht", "number": "plural", "correct": "verehren", "wrong": "verehrt"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("True\n", "line 1: 'True' is not True or False, a tab and a sentence"),
        ("maybe\tle chat dort .\n", "line 1: 'maybe le chat dort .' is not True or False"),
        ("True\tle chat dort .\n", "has 1 sentences that hold, and 0 that do not"),
    ],
)
def test_a_file_of_other_lines_is_refused(tmp_path, text, reason):
    folder = tmp_path / "fr_evalset"
    folder.mkdir()
    (folder / "own.txt").write_text(text)
    with pytest.raises(InputError, match=reason):
        load_pairs(folder / "own.txt")


def test_an_agreeing_adjective_or_a_missing_verb_sets_a_pair_aside(pairs_of):
    french = [
        "les auteurs sont petits",
        "les auteurs est petit",
        "les auteurs sont vieux",
        "les auteurs est vieux",
    ]
    ((pair,), aside) = pairs_of("fr", "simple_agrmt", *french)
    assert (pair["left"], pair["right"]) == ("les auteurs", "vieux") and aside == {SEVERAL: 1}
    ((pair,), aside) = pairs_of(
        "ru", "simple_agrmt", "авторы ждали", "авторы ждал", "авторы старые", "авторы старый"
    )
    assert [*pair.values()][1:] == ["ждать", "авторы", "", "plural", "ждали", "ждал"] and aside == {
        NO_VERB: 1
    }


def test_hebrew_prefixes_are_joined_except_before_the_gap(pairs_of):
    sentences = "ה מלצר ש ה שומר אוהב רוקד", "ה מלצר ש ה שומר אוהב רוקדים"
    ((pair,), _) = pairs_of("he", "obj_rel_across_anim", *sentences)
    assert join(pair["left"], pair["correct"], pair["right"]) == "המלצר שהשומר אוהב רוקד"
    assert (pair["lemma"], pair["number"]) == ("רקד", "singular")
    ((pair,), _) = pairs_of("he", "vp_coord", "ה מלצר רוקד ו נוסע", "ה מלצר רוקד ו נוסעים")
    assert pair["left"] == "המלצר רוקד ו"


@pytest.mark.parametrize(("language", "name"), LISTS.items())
def test_a_list_holds_the_verbs_of_clams_each_form_once_and_thirty_verbs_as_typed_by_hand(
    language, name
):
    table = load_lemmas(name).table
    forms = [*table["singular"], *table["plural"]]
    assert len(table) == (231 if name == "hebrew" else 2000) == len(set(forms)) / 2
    assert table["lemma"].is_unique and all(form.isalpha() for form in forms)
    listed = {row.lemma: f"{row.singular}/{row.plural}" for row in table.itertuples()}
    typed = pd.read_csv(GOLDEN / "verbs.csv").query("list == @name")
    assert {
        row.lemma: f"{row.singular}/{row.plural}" for row in typed.itertuples()
    }.items() <= listed.items()
    assert not UNLISTED.get(language, {}).keys() & zip(
        table["singular"], table["plural"], strict=True
    )
