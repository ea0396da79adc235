"""Template grammars: Marvin and Linzen's counts and sentences, and errors that name the place."""

import pandas as pd
import pytest

from golden_facts import TOKENIZERS, vocabulary
from tse_core.datasets.grammar import generate, load_grammar
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
    table = pd.read_csv(data_folder() / "published" / "newman_template_counts.csv").set_index(
        "table2_row"
    )
    return table.drop(index="BLiMP")


@pytest.mark.slow
def test_each_construction_has_the_published_number_of_pairs_and_contexts(pairs):
    published = published_counts()
    assert list(published.index) == list(pairs["construction"].unique())
    assert pairs.groupby("construction", sort=False).size().tolist() == published["pairs"].tolist()
    labels = pairs.groupby("construction", sort=False)["number"].value_counts().unstack()
    assert (
        labels["singular"].reindex(published.index).tolist()
        == published["n_singular_label(-1)"].tolist()
    )
    for kind, column in (
        ("masked", "unique_contexts_left_and_right"),
        ("causal", "unique_contexts_left_only"),
    ):
        for protocol in ("exact", "released"):
            contexts = unique_contexts(pairs, kind, protocol)
            assert (
                contexts.groupby("construction", sort=False).size().tolist()
                == published[column].tolist()
            )


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_as_many_pairs_as_the_paper_had_keep_both_forms_in_the_real_vocabularies(pairs, tokenizer):
    word_id = vocabulary(tokenizer)
    valid = pairs[pairs["correct"].map(word_id).notna() & pairs["wrong"].map(word_id).notna()]
    assert valid.groupby("construction", sort=False).size().to_dict() == TSE_VALID


@pytest.mark.parametrize(
    ("slug", "left", "subject", "attractor", "attractor_number"),
    [
        ("simple", "The author", "author", "", ""),
        ("sentential-complement", "The bankers knew the author", "author", "bankers", "plural"),
        (
            "across-prepositional-phrase",
            "The author near the taxi drivers",
            "author",
            "taxi drivers",
            "plural",
        ),
        ("across-object-relative", "The movie that the guard likes", "movie", "guard", "singular"),
        ("in-object-relative-no-that", "The movies the guard", "guard", "movies", "plural"),
        (
            "vp-coordination",
            "The author knows many different foreign languages and",
            "author",
            "languages",
            "plural",
        ),
        (
            "vp-coordination",
            "The authors write in a journal every day and",
            "authors",
            "day",
            "singular",
        ),
    ],
)
def test_the_subject_rules_the_verb_and_the_attractor_is_the_last_other_noun_before_it(
    grammar, slug, left, subject, attractor, attractor_number
):
    pairs = generate(grammar, slug)
    rows = pairs.loc[
        pairs["left"] == left, ["subject", "attractor", "attractor_number"]
    ].drop_duplicates()
    assert rows.to_numpy().tolist() == [[subject, attractor, attractor_number]]


def test_both_numbers_of_a_subject_share_its_noun(write):
    pairs = generate(
        load_grammar(
            write(SMALL.replace("author/authors", "Autor/Autoren").replace("pilots", "pilotes"))
        )
    )
    nouns = dict(zip(pairs["subject"], pairs["noun"], strict=True))
    assert nouns == {"Autor": "Autor", "Autoren": "Autor", "pilot": "pilot", "pilotes": "pilot"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("author/authors", "author/", r"nouns.person\[0\]: 'author/' is not singular/plural, as in author/authors"),
        ("near: [behind]", "does: [behind]", "lexicon.words.does: another list has this name"),
        ("[*does 1]", "[*doez 1]", "list in constructions.mine.patterns.mine_1 'doez' .did you mean 'does'"),
        ("[*does 1]", "[does 1]", "mine_1: '.*' is not a sentence with slots in square brackets, exactly one with a"),
        ("[*does 1]", "[*near]", "mine_1: the star is for predicates of two forms, and 'near' has"),
        ("laughs/laugh", "put/put", "mine_1: the star is for predicates of two forms, and 'does' has"),
        ("[*does 1]", "[*does 3]", "mine_1: index 3 of 'does' must stand on exactly one noun, it stands on 0"),
        ("lexicon:", "factors: {manner: nere}\nlexicon:", "unknown list of words 'nere'.*did you mean 'near'"),
        ("lexicon:", "factors: {number: near}\nlexicon:", "factors: all pairs have a column 'number'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(write, old, new, message):
    assert old in SMALL
    path = write(SMALL.replace(old, new))
    with pytest.raises(InputError, match=message) as error:
        load_grammar(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize("items", ["", "items: 3\n"])
def test_combinations_without_end_are_refused(write, items):
    words = f"[{', '.join(f'w{number}' for number in range(50))}]"
    text = items + SMALL.replace("[behind]", words).replace("[near]", "[near] " * 6)
    with pytest.raises(InputError, match="mine_1 has more than 1,000,000 combinations of words"):
        generate(load_grammar(write(text)))


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


def test_an_adverb_that_may_belong_to_the_clause_before_it_is_marked(design):
    table = generate(design).groupby(["construction", "adverb"])["ambiguous"].agg(set)
    marked = {key for key, values in table.items() if values == {"yes"}}
    behind = [
        name
        for name in table.index.levels[0]
        if name.startswith(("Across object", "Across subject"))
    ]
    assert marked == {
        (construction, word) for construction in behind for word in ("often", "usually", "always")
    }
    assert all(len(values) == 1 for values in table)


@pytest.mark.slow
def test_twins_share_all_words_but_the_subjects_and_what_agrees_with_it(pairs):
    relative = pairs[pairs["template"] == "subj_rel"]
    assert relative["twin"].iloc[0] == "the author/authors that likes/like the guard ___"
    assert relative.groupby(["twin", "lemma", "right"])["number"].agg(set).map(len).eq(2).all()


def test_a_noun_without_a_plural_is_a_subject_in_the_singular_alone(write):
    pairs = generate(load_grammar(write(SMALL.replace("author/authors", "everyone"))))
    assert set(pairs.loc[pairs["noun"] == "everyone", "number"]) == {"singular"}
    assert set(pairs.loc[pairs["noun"] == "pilot", "number"]) == {"singular", "plural"}
    assert (
        pairs.loc[pairs["noun"] == "everyone", "twin"].str.startswith("the everyone behind").all()
    )
    assert set(pairs["attractor"]) == {"everyone", "pilot", "pilots"}


def test_agreement_controls_ask_every_noun_once_behind_an_opener_and_every_pronoun_behind_each():
    pairs = generate(load_grammar("agreement-controls"))
    contexts = unique_contexts(pairs, "causal")
    assert contexts.groupby("construction", sort=False).size().to_dict() == {
        "The N": 40, "Opener + the N": 20, "Opener + a name": 10, "Everyone or nobody": 10, "It": 5,
        "He, she or they": 15, "The N who": 20,
    }  # fmt: skip
    behind = pairs.drop_duplicates(["construction", "opener", "noun", "number"])
    nouns = behind[behind["construction"] == "Opener + the N"]
    assert nouns["noun"].nunique() == 20 and nouns["opener"].value_counts().tolist() == [4] * 5
    pronouns = behind[behind["construction"] == "He, she or they"]
    assert pronouns.groupby(["noun", "number"])["opener"].nunique().tolist() == [5, 5, 5]


def test_agreement_attractors_cross_22_prepositions_with_six_pairs_of_nouns():
    pairs = generate(load_grammar("agreement-attractors"))
    contexts = pairs.drop_duplicates(["left", "number"])
    assert len(contexts) == 22 * 3 * 6 * 2 * 2
    assert contexts.groupby("noun")["attractor"].nunique().tolist() == [2] * 6
