"""The verbs that are asked about in treebanks: their kinds, noun shares and what speaks against some."""

import numpy as np
import pytest

from tse_book.studies.treebank_verbs import (
    ALSO,
    NEVER,
    PAIRS,
    noun_shares,
    tag_counts,
    treebank_list,
    treebank_verbs,
)
from tse_core import load_lemmas

VERBS = treebank_verbs().set_index("lemma")


def test_every_verb_of_the_list_is_there_in_its_order_and_every_pair_of_nouns_behind_them():
    listed = load_lemmas().table
    assert VERBS.index[: len(listed)].tolist() == listed["lemma"].tolist()
    assert set(VERBS["kind"][: len(listed)]) == {ALSO, NEVER}
    assert set(VERBS["kind"][len(listed) :]) == {PAIRS}
    assert (VERBS.loc["be", "kind"], VERBS.loc["plan", "kind"]) == (NEVER, ALSO)
    assert VERBS[VERBS["kind"] == PAIRS].loc["problem", ["singular", "plural"]].tolist() == [
        "problems",
        "problem",
    ]


def test_no_pair_of_nouns_is_ever_tagged_a_verb_more_than_by_a_slip():
    counts = tag_counts().reindex(VERBS.loc[VERBS["kind"] == PAIRS, "plural"], fill_value=0)
    assert (counts["verb"] <= 0.05 * counts["noun"] + 1).all()


def test_noun_shares_are_those_of_the_counts():
    counts = tag_counts()
    assert counts.loc["plan"].tolist() == [22, 4, 0, 2]
    assert noun_shares(VERBS["plural"][["plan"]]) == pytest.approx([22.5 / 27])
    assert VERBS.loc["plan", "noun_share"] == pytest.approx(22.5 / 27)
    assert VERBS.loc["assuage", "noun_share"] == 0.5  # neither is met
    assert VERBS["noun_share"].between(0, 1, inclusive="neither").all()


def test_a_word_is_no_verb_where_texts_and_lexicon_know_it_otherwise_alone():
    words = VERBS.index[~VERBS["attested"]].tolist()
    assert len(words) == 27 and {"team", "wall", "even"} < set(words)
    assert VERBS.loc[["school", "plan", "be", "abate"], "attested"].all()


def test_other_lists_have_what_they_say_of_their_verbs():
    german = treebank_verbs("german")
    assert set(german["kind"]) == {"", PAIRS} and np.isnan(german["zipf"][0])
    # *court* and *part* are nouns in English texts.
    french = treebank_verbs("french")
    assert french.loc[french["lemma"].isin(["courir", "partir"]), "attested"].tolist() == [True] * 2
    assert len(treebank_list()) == len(VERBS)
