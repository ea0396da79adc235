"""What divides an evaluation: names of columns, levels of mixed types, twins in halves, verbs by their forms."""

import numpy as np
import pandas as pd
import pytest

from tse_core import InputError, evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement.divisions import COUNTS, refuse_taken_names
from tse_core.datasets.lemmas import Lemmas
from tse_core.metrics.table import METRICS, NS, Cutoffs

LEMMAS = load_lemmas().table
SOME = LEMMAS[LEMMAS["lemma"].isin(["be", "have", "laugh", "see", "walk"])].reset_index(drop=True)


def simple(**columns) -> pd.DataFrame:
    pairs = load_pairs("marvin-linzen/simple")
    return pairs[pairs["noun"].isin(["author", "pilot"])].reset_index(drop=True).assign(**columns)


def around_attractors() -> pd.DataFrame:
    pairs = load_pairs("marvin-linzen/across-prepositional-phrase")
    chosen = pairs["noun"].eq("author") & pairs["attractor"].str.startswith("guard")
    return pairs[chosen].reset_index(drop=True)


@pytest.fixture
def scored(tiny_causal):
    model = load_model(tiny_causal)

    def run(pairs=None, lemmas=SOME, **how):
        return evaluate(model, simple() if pairs is None else pairs, lemmas, keep="forms", **how)

    return run


def test_a_table_of_lemmas_is_a_verb_list_and_one_without_its_columns_is_one_line(scored):
    assert scored(lemmas=SOME).table()["EW"][0] == scored(lemmas=Lemmas("verbs", SOME)).table()["EW"][0]
    with pytest.raises(InputError, match="^the lemma list verbs: no column 'lemma'; there is: verb, singular, plural$"):
        scored(lemmas=SOME.rename(columns={"lemma": "verb"})[["verb", "singular", "plural"]])
    with pytest.raises(InputError, match="^the lemma list verbs holds no lemma"):
        scored(lemmas=SOME.head(0))


def test_attractor_means_its_number_where_that_is_known_and_else_the_noun(scored):
    pairs = around_attractors()
    numbers = scored(pairs).table("attractor")["attractor"].tolist()
    nouns = scored(pairs.drop(columns="attractor_number")).table("attractor")["attractor"].tolist()
    assert numbers == scored(pairs.drop(columns="attractor")).table("attractor")["attractor"].tolist()
    assert (numbers, nouns) == (["singular", "plural"], ["guard", "guards"])
    unknown = pairs["attractor_number"].mask(pairs["attractor"] == "guard", "")
    assert scored(pairs.assign(attractor_number=unknown)).table("attractor")["attractor"].tolist() == nouns


def test_the_command_says_which_column_divides(tse, tiny_causal, tmp_path):
    file = tmp_path / "pairs.csv"
    for columns, heading in (([], "attractor_number"), (["attractor_number"], "attractor")):
        around_attractors().drop(columns=columns).to_csv(file, index=False)
        code, out, _ = tse("evaluate", tiny_causal, "--data", file, "--by", "attractor,number")
        assert code == 0 and f"\n{heading}\tnumber\tMW" in out


def test_every_column_of_results_is_refused_before_anything_is_scored(scored, monkeypatch):
    found = scored(cutoffs=Cutoffs((0.1, 1.0), (0.5,)))
    tables = [found.table(intervals=True), found.table("noun", intervals=True), found.intervals()]
    taken = {column for table in (*tables, found.contexts, found.pairs) for column in table}
    taken -= {"construction", "noun", "subject", "left", "right", "number", "template", "attractor", "attractor_number"}
    taken -= {"id", "lemma", "correct", "wrong", "twin"}
    assert {"EW", "NS_low", "ew_top_0.1", "mass_bottom_0.5", "TSE_decisions", "split_twins", "within_noise"} <= taken
    monkeypatch.setattr("tse_core.agreement.evaluate.evaluated", None)
    pairs_line = "the pairs have a column .*, which results have too; give it another name"
    for name in sorted({*taken, *COUNTS, *METRICS, NS, "row", "metric", "tokens", "Pairs", "tse"}):
        with pytest.raises(InputError, match=pairs_line):
            scored(simple(**{name: "x"}))
        with pytest.raises(InputError, match="the verb list has a column .*, which results have too"):
            scored(lemmas=SOME.assign(**{name: "x"}))
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


def test_a_noun_without_a_subject_keeps_its_own_sums(tiny_causal):
    pairs = around_attractors()
    both = pd.concat([pairs, pairs.assign(noun="pilot", left=pairs["left"].str.replace("author", "pilot"))])
    whole = evaluate(tiny_causal, both, SOME, keep="lemmas").by_lemma
    without = evaluate(tiny_causal, both.assign(subject=""), SOME, keep="lemmas").by_lemma
    assert set(without["noun"]) == {"author", "pilot"} == set(without["subject"])
    keys = ["noun", "number", "lemma"]
    pd.testing.assert_series_equal(*(t.set_index(keys)["correct"].sort_index() for t in (whole, without)))


def test_numbers_texts_and_missing_values_mean_one_level_each(scored):
    mixed = [1, "1", 1.0, " 1", True, None, np.nan, "none", ""]
    pairs = pd.concat([simple(f=value, left=simple()["left"] + f" {i}") for i, value in enumerate(mixed)])
    levels = scored(pairs.reset_index(drop=True)).table("f")
    assert levels.set_index("f")["contexts"].to_dict() == {"1": 16, "True": 4, "none": 16}
    verbs = SOME.assign(f=[1, "1", None, np.nan, "none"], score_of=1)
    assert scored(lemmas=verbs).table("f")["f"].tolist() in (["1", "none"], ["none"], ["1"])
    with pytest.raises(InputError, match="^the pairs, row 1: f is .1.; it must be text or a number$"):
        scored(simple(f=[[1]] * len(simple())))
    with pytest.raises(InputError, match="^the pairs: a column is called 3"):
        scored(simple().assign(**{"x": "y"}).rename(columns={"x": 3}))
    with pytest.raises(InputError, match="^the pairs: two columns are called 'left'"):
        scored(pd.concat([simple(), simple()[["left"]]], axis=1))


def test_a_cut_off_that_is_no_share_is_one_line_whatever_is_scored(scored):
    for how in ({"forms": "words", "cut": "all-words"}, {"forms": "words"}, {}):
        for share in (0, 1.5, float("nan")):
            with pytest.raises(
                InputError, match="cut-off .* is not a share of probability; it must be above 0 and at m"
            ):
                scored(cutoffs=Cutoffs((share,), ()), **how)


def test_mistakes_are_found_before_the_first_context_is_scored(tse, tiny_causal, monkeypatch, tmp_path):
    monkeypatch.setattr("tse_core.agreement.evaluate.run", None)
    file = tmp_path / "more.csv"
    simple(row="x").to_csv(file, index=False)
    for said, message in (
        (("--by", "advrb"), "unknown column to divide by 'advrb'"),
        (("--by", ""), "name at least one, each once"),
        (("--data", file), "the pairs have a column 'row'"),
    ):
        code, _, error = tse("evaluate", tiny_causal, "--data", "marvin-linzen-adverbs/simple", *said)
        assert code == 2 and message in error and "Traceback" not in error


def test_names_and_levels_with_commas_come_through_whole(tse, tiny_causal, tmp_path):
    from tse_core.results.tidy import read_results

    file, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    named = simple(construction='simple, "so to speak"', **{"adverb, place": "often, here"})
    named.to_csv(file, index=False)
    by = '"adverb, place",number'
    code, printed, error = tse("evaluate", tiny_causal, "--data", file, "--by", by, "--out", out)
    assert code == 0, error
    assert "\nadverb, place\tnumber\t" in printed and "\noften, here\tsingular\t" in printed
    assert set(read_results(out)["construction"]) == {'simple, "so to speak"'}
    found = evaluate(tiny_causal, named, SOME, keep="forms")
    for asked in (by, ["adverb, place", "number"]):
        assert found.table(asked)["adverb, place"].tolist() == ["often, here"] * 2
