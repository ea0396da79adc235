"""Charts of the book: one look, one colour per construction, metrics by shape, a title and a description each.

Each function takes a table and returns an Altair chart that needs no server: selections, hover and legends run in the
page. ``chart_data(chart)`` gives back what a chart draws, ``download_table(table, name)`` a link that saves it.
"""

from tse_core.charts.cutoffs import coverage_curves, cutoff_curves, invalid_curves
from tse_core.charts.interactive import cutoff_slider, lemma_explorer, switchboard, token_browser
from tse_core.charts.look import CONSTRUCTIONS, chart_data, colours_of
from tse_core.charts.scores import bars, heat_map, table2_dots, truth_vs_measured
from tse_core.charts.tables import download_table

__all__ = [
    "CONSTRUCTIONS", "bars", "chart_data", "colours_of", "coverage_curves", "cutoff_curves", "cutoff_slider",
    "download_table", "heat_map", "invalid_curves", "lemma_explorer", "switchboard", "table2_dots", "token_browser",
    "truth_vs_measured",
]  # fmt: skip
