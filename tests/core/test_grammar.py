"""Template grammars: Marvin and Linzen's counts and sentences, and errors that name the place."""

import pandas as pd
import pytest
import yaml

from golden_facts import TOKENIZERS, vocabulary
from tse_core.datasets.grammar import generate, noun_table, template_table
from tse_core.datasets.grammar_notation import load_grammar
from tse_core.datasets.pairs import unique_contexts
from tse_core.errors import InputError
from tse_core.paths import data_folder

TSE_VALID = {  # pairs whose two forms are single entries of BERT's vocabulary (swims and admires are not)
    "Simple": 120,
    "In a sentential complement": 1440,
    "VP coordination": 1120,
    "Across prepositional phrase": 19440,
    "Across subject relative clause": 9600,
    "Across object relative clause": 19680,
    "Across object relative (no that)": 19680,
    "In object relative clause": 15960,
    "In object relative (no that)": 15960,
}
SMALL = """
lexicon:
  nouns:
    person: [author/authors, pilot/pilots]
  predicates:
    does: [laughs/laugh, is/are tall]
    has long: ["knows/know many languages(plural)"]
  words:
    near: [behind]
constructions:
  mine:
    name: My construction
    patterns:
      mine_1: the [person 1] [near] the [person 2] [*does 1] today
"""


@pytest.fixture(scope="module")
def grammar():
    return load_grammar("marvin-linzen")


@pytest.fixture(scope="module")
def pairs(grammar):
    return generate(grammar)


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def published_counts():
    table = pd.read_csv(data_folder() / "published" / "newman_template_counts.csv").set_index("table2_row")
    return table.drop(index="BLiMP")


def test_each_construction_has_the_published_number_of_pairs_and_contexts(pairs):
    published = published_counts()
    assert list(published.index) == list(pairs["construction"].unique())
    assert pairs.groupby("construction", sort=False).size().tolist() == published["pairs"].tolist()
    labels = pairs.groupby("construction", sort=False)["number"].value_counts().unstack()
    assert labels["singular"].reindex(published.index).tolist() == published["n_singular_label(-1)"].tolist()
    for kind, column in (("masked", "unique_contexts_left_and_right"), ("causal", "unique_contexts_left_only")):
        for protocol in ("exact", "released"):
            contexts = unique_contexts(pairs, kind, protocol)
            assert contexts.groupby("construction", sort=False).size().tolist() == published[column].tolist()


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_as_many_pairs_as_the_paper_had_keep_both_forms_in_the_real_vocabularies(pairs, tokenizer):
    word_id = vocabulary(tokenizer)
    valid = pairs[pairs["correct"].map(word_id).notna() & pairs["wrong"].map(word_id).notna()]
    assert valid.groupby("construction", sort=False).size().to_dict() == TSE_VALID


def test_every_row_is_complete_and_spelt_as_in_the_paper(pairs):
    assert pairs["id"].is_unique
    assert pairs["left"].str.startswith("The ").all()
    assert pairs["right"].str.endswith(".").all()
    assert not pairs["left"].str.endswith(" ").any()
    assert not pairs["right"].str.startswith(" ").any()
    assert (pairs["correct"] != pairs["wrong"]).all()
    action = {"laugh", "swim", "smile", "bring", "interest", "know", "enjoy", "write"}
    assert set(pairs["lemma"]) == action | {"be", "like", "admire", "hate", "love"}


@pytest.mark.parametrize(
    ("slug", "left", "subject", "attractor", "attractor_number"),
    [
        ("simple", "The author", "author", "", ""),
        ("sentential-complement", "The bankers knew the author", "author", "bankers", "plural"),
        ("across-prepositional-phrase", "The author near the taxi drivers", "author", "taxi drivers", "plural"),
        ("across-subject-relative", "The author that likes the chefs", "author", "chefs", "plural"),
        ("across-object-relative", "The movie that the guard likes", "movie", "guard", "singular"),
        ("in-object-relative-no-that", "The movies the guard", "guard", "movies", "plural"),
        ("vp-coordination", "The author laughs and", "author", "", ""),
        ("vp-coordination", "The author knows many different foreign languages and", "author", "languages", "plural"),
        ("vp-coordination", "The authors write in a journal every day and", "authors", "day", "singular"),
    ],
)
def test_the_subject_rules_the_verb_and_the_attractor_is_the_last_other_noun_before_it(
    grammar, slug, left, subject, attractor, attractor_number
):
    pairs = generate(grammar, slug)
    rows = pairs.loc[pairs["left"] == left, ["subject", "attractor", "attractor_number"]].drop_duplicates()
    assert rows.to_numpy().tolist() == [[subject, attractor, attractor_number]]


def test_both_numbers_of_a_subject_share_its_noun(write):
    german = SMALL.replace("author/authors", "Autor/Autoren").replace("pilot/pilots", "foot/feet")
    pairs = generate(load_grammar(write(german)))
    assert set(pairs["subject"]) == {"Autor", "Autoren", "foot", "feet"}
    assert dict(zip(pairs["subject"], pairs["noun"], strict=True))["Autoren"] == "Autor"
    assert dict(zip(pairs["subject"], pairs["noun"], strict=True))["feet"] == "foot"


def test_the_order_is_stable_and_a_construction_alone_is_a_part_of_the_whole(grammar, pairs):
    for slug, name in [*grammar.constructions.items()][:3]:
        part = pairs[pairs["construction"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(generate(grammar, slug), part)


def test_nouns_and_patterns_can_be_looked_at(grammar):
    nouns = noun_table(grammar)
    sizes = {"person": 10, "other person": 10, "speaker": 2, "thing": 9}
    assert nouns.groupby("list", sort=False).size().to_dict() == sizes
    assert ["other person", "taxi driver", "taxi drivers"] in nouns.to_numpy().tolist()
    assert len(template_table(grammar)) == 15


def test_a_readers_own_grammar_by_hand(write):
    pairs = generate(load_grammar(write(SMALL)))
    # 2 nouns in two places, never the same twice: 2 orders; 2 x 2 numbers; 2 predicates
    assert len(pairs) == 2 * 4 * 2
    first = pairs.iloc[0][["left", "correct", "wrong", "right"]].tolist()
    assert first == ["The author behind the pilot", "laughs", "laugh", "today."]
    assert pairs.iloc[1]["right"] == "tall today."
    assert set(pairs["construction"]) == {"My construction"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("author/authors", "author", "lexicon.nouns.person, entry 1: 'author' must give singular/plural"),
        ("author/authors", "no", "lexicon.nouns.person, entry 1: must be text, not False"),
        ("pilot/pilots", "author/authors", "lexicon.nouns.person: an entry appears twice"),
        ("laughs/laugh", "put/put", "lexicon.predicates.does, entry 1: 'put/put' has the same form twice"),
        ("languages(plural)", "languages(many)", r"has long, entry 1: languages\(many\) must be marked"),
        ("near: [behind]", "near: behind", "lexicon.words.near: must be a list"),
        ("near: [behind]", "does: [behind]", "lexicon.words.does: another list has this name"),
        ("  words:", "  wordz:", "lexicon: unknown kind of words 'wordz' .did you mean 'words'"),
        ("[*does 1]", "[*doez 1]", "constructions.mine.patterns.mine_1: unknown list 'doez' .did you mean 'does'"),
        ("[*does 1]", "[does 1]", "mine_1: exactly one predicate must carry the star"),
        ("[*does 1]", "[*does]", r"mine_1: \[\*does\] needs an index"),
        ("[*does 1]", "[*does 0]", r"mine_1: \[\*does 0\] needs an index"),
        ("[*does 1]", "[*does 3]", "mine_1: index 3 must stand on exactly one noun, it stands on 0"),
        ("[*does 1]", "[*does 1", "mine_1: a square bracket has no partner"),
        ("[person 2]", "[person 1]", "mine_1: index 1 must stand on exactly one noun, it stands on 2"),
        ("[person 2]", "[*person 2]", "mine_1: .* only a predicate can be under test"),
        ("[near]", "[near 1]", "mine_1: .* takes no index"),
        ("[near]", "[person 3] [near]", "mine_1: uses 'person' more often than that list has entries"),
        ("      mine_1: the", "      mine_1: []\n      mine_2: the", "mine_1: a pattern must be a sentence"),
        ("constructions:", "construction:", "the part 'constructions' is missing"),
        ("    name: My construction\n", "    name: [\n", "mine.yaml, line 1[0-9]: not YAML"),
    ],
)
def test_a_mistake_is_named_with_its_place(write, old, new, message):
    assert old in SMALL
    path = write(SMALL.replace(old, new))
    with pytest.raises(InputError, match=message) as error:
        load_grammar(path)
    assert str(error.value).startswith(str(path))


@pytest.fixture(scope="module")
def design():
    return load_grammar("marvin-linzen-adverbs")


def test_a_design_crosses_its_factors_in_full_over_a_balanced_sample_of_items(design):
    pairs = generate(design, "across-prepositional-phrase")
    levels = ["adverb", "preposition", "number", "attractor_number", "lemma"]
    cells = pairs.groupby(levels).size()
    assert len(cells) == 6 * 6 * 2 * 2 * 4 and set(cells) == {20}
    items = pairs.drop_duplicates(["noun", "attractor"]).query("attractor_number == 'singular'")
    assert len(items) == 20
    assert set(items["noun"].value_counts()) == set(items["attractor"].value_counts()) == {2}


def test_the_whole_design_holds_the_sample_and_the_sample_is_always_the_same(design):
    relative = "across-subject-relative"
    some, again, whole = (generate(g, relative) for g in (design, design, load_grammar("marvin-linzen-adverbs-all")))
    pd.testing.assert_frame_equal(some, again)
    words = ["left", "correct", "wrong", "number", "adverb"]
    assert set(some[words].itertuples(index=False)) < set(whole[words].itertuples(index=False))
    assert len(unique_contexts(whole, "causal")) == 10 * 10 * 2 * 4 * 6


def test_without_an_adverb_its_contexts_are_marvin_and_linzens(pairs):
    plain = generate(load_grammar("marvin-linzen-adverbs-all")).query("adverb == 'none'")
    there = set(pairs[["construction", "left", "number"]].itertuples(index=False))
    missing = set(plain[["construction", "left", "number"]].itertuples(index=False)) - there
    assert {row.construction for row in missing} == {"VP coordination"}  # "the author is late and"
    assert all("late and" in row.left for row in missing)


def test_an_adverb_that_may_belong_to_the_clause_before_it_is_marked(design):
    table = generate(design).groupby(["construction", "adverb"])["ambiguous"].agg(set)
    marked = {key for key, values in table.items() if values == {"yes"}}
    behind = [name for name in table.index.levels[0] if name.startswith(("Across object", "Across subject"))]
    assert marked == {(construction, word) for construction in behind for word in ("often", "usually", "always")}
    assert all(len(values) == 1 for values in table)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("items: some", "items is 'some'"),
        ("factors: {place: person}", "factors.place: unknown list of words 'person'"),
        ("factors: {lemma: near}", "factors.lemma: every grammar's pairs have a column 'lemma'"),
        ("factors: {place: near}\nambiguous: [{plaice: [behind]}]", "ambiguous, entry 1: unknown factor 'plaice'"),
        ("ambiguous: [{constructions: [yours]}]", "ambiguous, entry 1: unknown construction 'yours'"),
    ],
)
def test_a_mistake_in_a_design_is_named_with_its_place(write, more, message):
    with pytest.raises(InputError, match=message):
        load_grammar(write(f"{SMALL}\n{more}\n"))


def test_twins_share_all_words_but_the_subjects_and_what_agrees_with_it(pairs):
    relative = pairs[pairs["template"] == "subj_rel"]
    assert relative["twin"].iloc[0] == "the author/authors that likes/like the guard ___"
    assert relative.groupby(["twin", "lemma", "right"])["number"].agg(set).map(len).eq(2).all()


def test_items_are_drawn_among_those_that_use_no_entry_of_a_list_twice(tmp_path):
    patterns = {f"p{n}": "the [n 1] and [n 2] [*v 1]" for n in range(8)}
    lists = {"nouns": {"n": ["key/keys", "dog/dogs"]}, "predicates": {"v": ["is/are"]}}
    file = tmp_path / "two.yaml"
    file.write_text(yaml.safe_dump({"items": 1, "lexicon": lists, "constructions": {"c": {"patterns": patterns}}}))
    pairs = generate(load_grammar(file))
    assert pairs["template"].value_counts().to_dict() == dict.fromkeys(patterns, 4)  # the numbers of two nouns
    assert (pairs["noun"] != pairs["attractor"].str.removesuffix("s")).all()


def test_an_entry_of_two_lists_may_stand_twice_where_each_list_gives_it_once(tmp_path):
    lists = {
        "nouns": {"n": ["key/keys", "dog/dogs"], "m": ["key/keys", "cat/cats"]},
        "predicates": {"v": ["is/are"]},
        "words": {"w": ["near", "by"]},
    }
    pattern = "the [n 1] and [n 2] [w] [m 3] [m 4] [*v 1]"
    file = tmp_path / "shared.yaml"
    file.write_text(yaml.safe_dump({"lexicon": lists, "constructions": {"c": {"patterns": {"p": pattern}}}}))
    pairs = generate(load_grammar(file))
    assert len(pairs) == (2 * 1) * 2 * (2 * 1) * 2**4  # two nouns, a word, two nouns, the numbers of four
    assert len(pairs.drop_duplicates(["left", "correct"])) == len(pairs)
