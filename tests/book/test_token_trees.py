"""The chart of a tree of tokens: every token once, forms at their ends, and words for those who cannot see it."""

import pandas as pd

from tse_book import charts

NODES = pd.DataFrame(
    [
        ("a", "", " mod", 0.25, "", "", None),
        ("ab", "a", "ern", 0.5, "modern", "wrong", 0.1),
        ("abc", "ab", "s", 0.2, "moderns", "correct", 0.025),
        ("ad", "a", "els", 0.04, "models", "correct", 0.01),
        ("e", "", " is", 0.001, "is", "correct", 0.001),
    ],
    columns=["node", "parent", "token", "step", "form", "agrees", "probability"],
)


def test_each_token_has_a_place_and_no_two_share_one():
    rows = charts.chart_data(charts.word_tree(NODES, context="The fox", title="t")).set_index("node")
    assert rows["x"].to_dict() == {"": 0, "a": 1, "ab": 2, "abc": 3, "ad": 2, "e": 1}
    assert rows["y"].to_dict() == {"": 0, "a": 0, "ab": 0, "abc": 0, "ad": 1, "e": 2}
    assert rows["share"].to_dict() == {"": "", "a": "25%", "ab": "50%", "abc": "20%", "ad": "4e-2", "e": "1e-3"}
    assert rows.loc["", "token"] == "The fox"


def test_the_description_reads_the_forms_from_top_to_bottom():
    said = charts.word_tree(NODES, context="The fox", title="t").description
    assert "4 word forms after The fox" in said
    assert "moderns (correct) 2.5e-02; models (correct) 1.0e-02; is (correct) 1.0e-03" in said
    assert "NaN" not in charts.word_tree(NODES, context="The fox", title="t").to_json(validate=False)
