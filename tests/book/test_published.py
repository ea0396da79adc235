"""The papers' own numbers: sizes, known cells, sources kept apart."""

import hashlib

import pytest

from golden_facts import facts
from tse_book import published
from tse_core.errors import InputError
from tse_core.syntaxgym.library import public_suites


def test_table_2_has_120_cells():
    table = published.table2()
    assert len(table) == 120
    assert not table.duplicated(["construction", "hf_name", "metric"]).any()
    assert list(table["construction"].unique()) == list(published.CONSTRUCTIONS)
    assert set(table["hf_name"]) == set(published.MODELS.values())
    cell = table[(table["construction"] == "BLiMP") & (table["hf_name"] == "gpt2-xl")].set_index("metric")["score"]
    assert cell.to_dict() == {"MW": 0.82, "EW": 0.75, "TSE": 0.91}


def test_figure_1_covers_2_metrics_4_constructions_and_19_cutoffs_and_agrees_with_table_2_where_they_meet():
    figure = published.figure1()
    assert len(figure) == 2 * 4 * 19 and figure["estimate"].between(0.5, 1).all()
    whole = figure.query("side == 'top' and cutoff == 1.0").set_index(["construction", "metric"])["estimate"]
    table = published.table2().query("hf_name == 'bert-large-cased'").set_index(["construction", "metric"])["score"]
    assert len(whole) == 8 and ((whole - table[whole.index]).abs() <= 0.008).all()


def test_hidden_points_of_the_loose_figures_are_left_out_unless_asked_for():
    readable, everything = published.figures234(), published.figures234(readable=False)
    assert readable["estimate"].notna().all()
    assert set(readable["quality"]) == {"ok", "partial"}
    assert len(everything) == 3040
    assert set(published.figures234("figure4")["figure"]) == {"figure4"}
    with pytest.raises(InputError, match="unknown figure 'figure5'"):
        published.figures234("figure5")


def test_counts_of_lemmas_and_templates():
    assert list(published.lemmas_in_vocabulary().values()) == [980, 1159, 1265, 1265]
    table = published.template_counts().set_index("row")
    assert list(table.index) == list(published.CONSTRUCTIONS)
    assert table[["pairs", "contexts"]].sum().tolist() == [125_220, 78_153]
    assert table.loc["Simple"].tolist()[1:] == [140, 70, 70, 100, 20, 4]


def test_blimp_table_3_and_4_keep_three_sources_apart_and_speak_of_the_same_phenomena_and_models():
    third, fourth = published.blimp_table3(), published.blimp_table4()
    assert len(fourth) == 3 * 67 * 5 and fourth["accuracy"].between(0, 1).all()
    cell = fourth[(fourth["UID"] == "transitive") & (fourth["model"] == "GPT-2")].set_index("source")["accuracy"]
    assert cell.to_dict() == {"printed": 0.49, "corrected": 0.76, "recomputed": 0.86}
    assert set(third["phenomenon"]) == {*fourth["phenomenon"], "Overall"}
    assert set(third["model"]) == set(fourth["model"]) == set(published.BLIMP_MODELS)
    assert set(third["source"]) == set(fourth["source"]) == {"printed", "corrected", "recomputed"}


def test_syntaxgym_suites_models_and_records():
    suites = public_suites()
    assert (len(suites), suites["items"].sum(), suites["in_33"].sum(), suites["in_31"].sum()) == (34, 842, 33, 31)
    assert set(published.hu2020_suites()["suite"]) == set(suites["suite"])
    assert len(published.syntaxgym_models()) == 8
    (printed,) = published.syntaxgym_figure5().query("command == 'syntaxgym evaluate gpt-2 mvrr'")["printed"]
    recorded = published.hu2020_suites().query("model == 'gpt-2-pretrained' and suite == 'mvrr'")["accuracy"].item()
    assert printed == f"Accuracy: {recorded:.4f} ({recorded * 28:.0f}/28 correct)"
    assert published.hu2020_circuits()["circuit"].nunique() == 7


def test_the_committed_tables_are_the_published_ones():
    elsewhere = {"blimp_paradigms.csv": "blimp/paradigms.csv", "syntaxgym_suites.csv": "syntaxgym/suites.csv"}
    for name, digest in facts()["published tables"].items():
        file = published.data_folder() / elsewhere.get(name, f"published/{name}")
        assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, name
