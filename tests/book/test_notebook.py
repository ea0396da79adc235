"""What notebooks show on pages."""

import pandas as pd
import pytest

from book.make.pair import renewed, setup_cell
from tse_book.pages import folded, glue, table


def test_a_table_aligns_numbers_marks_what_is_missing_and_escapes_text():
    frame = pd.DataFrame({"verb": ["<b>laugh</b>", "swim"], "EW": [0.5, None], "pairs": [12345, 7]})
    html = table(frame, "Scores & counts", note="a <note>").data
    assert "<caption>Scores &amp; counts</caption>" in html
    assert "&lt;b&gt;laugh" in html and "<b>" not in html and "a &lt;note&gt;" in html
    assert '<td class="number">0.50</td>' in html and '<td class="number">–</td>' in html
    assert '<td class="number">12,345</td>' in html and "<td>swim</td>" in html
    assert "style=" not in html


def test_a_glued_value_is_stored_under_its_name_and_not_shown(monkeypatch):
    outputs = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw, metadata: outputs.append((data, raw, metadata)))
    glue("ew", 0.25)
    [(data, raw, metadata)] = outputs
    assert raw and metadata["scrapbook"]["name"] == "ew"
    assert data == {"application/papermill.record/text/plain": "0.25"}  # no type that a page would show


def test_a_cell_of_hebrew_runs_from_right_to_left_and_a_folded_table_is_whole_and_has_a_title():
    shown = table(pd.DataFrame({"sentence": ["המלצר רוקד.", "Le chef parle."], "pairs": [1, 2]}), "Pairs")
    assert '<td dir="auto">המלצר רוקד.</td>' in shown.data and "<td>Le chef parle.</td>" in shown.data
    assert shown.data.count("dir=") == 1
    html = folded(shown, "gpt2 & others").data
    assert html.startswith("<details><summary>gpt2 &amp; others</summary>") and shown.data in html


@pytest.mark.parametrize("body", ["", "\nPROFILE = ''\n"])
def test_the_set_up_cell_is_filled_and_the_cell_after_it_stays(body):
    parameters = '# %% tags=["parameters"]\nmodels = ["a"]  # to score\n'
    text = f'# %% [markdown]\n# # Title\n\n# %% tags=["remove-cell", "setup"]\n{body}\n{parameters}'
    filled = renewed(text, "20_new")
    assert setup_cell() in filled and parameters in filled
    assert renewed(filled, "20_new") == filled
