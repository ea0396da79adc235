"""What divides an evaluation: names of columns, levels of mixed types, twins in halves, verbs by their forms."""

import numpy as np
import pandas as pd
import pytest

from tse_core import InputError, evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement.divisions import COUNTS, refuse_taken_names
from tse_core.metrics.table import METRICS, NS, Cutoffs

LEMMAS = load_lemmas().table
SOME = LEMMAS[LEMMAS["lemma"].isin(["be", "have", "laugh", "see", "walk"])].reset_index(drop=True)


def simple(**columns) -> pd.DataFrame:
    pairs = load_pairs("marvin-linzen/simple")
    return pairs[pairs["noun"].isin(["author", "pilot"])].reset_index(drop=True).assign(**columns)


@pytest.fixture
def scored(tiny_causal):
    model = load_model(tiny_causal)

    def run(pairs=None, lemmas=SOME, **how):
        return evaluate(model, simple() if pairs is None else pairs, lemmas, detail="forms", **how)

    return run


def test_every_column_of_results_is_refused_before_anything_is_scored(scored):
    found = scored(cutoffs=Cutoffs((0.1, 1.0), (0.5,)))
    tables = [found.table(intervals=True), found.table("noun", intervals=True), found.intervals()]
    taken = {column for table in (*tables, found.contexts, found.pairs) for column in table}
    taken -= {"construction", "noun", "subject", "left", "right", "number", "template", "attractor", "attractor_number"}
    taken -= {"id", "lemma", "correct", "wrong", "twin"}
    assert {"EW", "NS_low", "margin", "shift_high", "TSE_items", "split_twins", "within_noise"} <= taken
    for name in sorted({*taken, *COUNTS, *METRICS, NS, "row", "metric", "tokens", "Pairs", "tse"}):
        with pytest.raises(InputError, match="the pairs have a column .*, which results have too; give it another"):
            refuse_taken_names([name], [])
        with pytest.raises(InputError, match="the verb list has a column .*, which results have too"):
            refuse_taken_names([], [name])
    for name in ("construction", "number", "left", "twin"):
        with pytest.raises(InputError, match="the verb list has a column"):
            scored(lemmas=SOME.assign(**{name: "x"}))
    with pytest.raises(InputError, match="the pairs and the verb list both have a column 'band'"):
        scored(simple(band="x"))
    refuse_taken_names(["mass_verb", "news", "wordlength"], ["lemma", "noun", "singular", "plural", "mass_noun"])


def test_a_lemma_that_is_listed_twice_is_told_apart_by_its_forms(scored):
    forms = [("go", "is", "are", "one"), ("go", "sees", "see", "other")]
    twice = pd.DataFrame(forms, columns=["lemma", "singular", "plural", "spelling"])
    pairs = simple().query("correct in ('is', 'are')").assign(lemma="go")
    others = pairs.replace({"is": "sees", "are": "see"}).head(6)
    unlisted = pairs.replace({"is": "isn't", "are": "aren't"}).head(2)
    found = scored(pd.concat([pairs, others, unlisted], ignore_index=True), twice)
    table = found.table("spelling").set_index("spelling")
    assert table["pairs"].to_dict() == {"one": len(pairs), "other": 6}
    assert table["unscored"].to_dict() == {"one": 2, "other": 0}


def test_twins_whose_halves_are_in_different_cells_are_not_counted_but_numbered(scored):
    length = simple()["left"].str.len()
    found = scored(simple(length=length.where(length > 9, 10)))  # The pilot goes with The author, not with The pilots
    for by in ("length", "noun,length"):
        table = found.table(by, intervals=True).set_index("length")
        assert table.index.unique().tolist() == ["10", "11"]
        assert table.loc["11", "NS"].isna().all() if by != "length" else np.isnan(table.loc["11", "NS"])
        assert np.all(table.loc["11", "twins"] == 0) and np.all(table.loc["11", "split_twins"] == 1)
        one = table.loc[["10"]]
        assert (one["twins"] == 1).all() and (one["split_twins"] == 1).all() and one["NS"].notna().all()
    whole = scored(simple().query("noun == 'pilot'").reset_index(drop=True)).table()["NS"][0]
    assert found.table("length").set_index("length").loc["10", "NS"] == pytest.approx(whole)
    by_number = found.table("number")
    assert by_number["twins"].tolist() == [2, 2] and by_number["split_twins"].tolist() == [0, 0]
