"""The figures and the table of Newman et al. (2021), for any run, beside a published model."""

from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path

import altair as alt
import pandas as pd

from tse_book import published
from tse_book.charts.comparisons import table2_dots
from tse_book.charts.cutoffs import CHOOSE, coverage_curves, cutoff_curves, invalid_curves
from tse_book.charts.digitised import KEYS, published_curves
from tse_book.charts.theme import INERT, described, listed, needs
from tse_book.published import with_table2
from tse_core.errors import InputError, check_known
from tse_core.files import write_output
from tse_core.metrics.definitions import metrics_of_sums
from tse_core.results.tidy import of_everything

FIGURES = ("figure1", "figure2", "figure3", "figure4", "table2")
WIDTH = 560  # pixels of a single panel in a file; on a page it fills its container
ENDINGS = (".html", ".svg", ".png", ".pdf")


def plot(results, figure: str, *, beside: str | None = None, chosen: str | None = None):
    """A figure of the paper drawn from a run, as an Altair chart; `save_chart` writes it.

    Raises InputError: an unknown figure, model or construction; results that hold no agreement scores, or a model
    twice.

    Parameters
    ----------
    results : Evaluation, or the tidy table of one or several runs (`tse_core.results.tidy.read_results`)
    figure : "figure1" (EW and MW at each cut-off, the four constructions that the paper draws), "figure2" (all
        constructions), "figure3" (coverage), "figure4" (contexts without a verb) or "table2"
    beside : a published model to draw behind the run: "bert-large-cased", "bert-large-uncased", "roberta-large",
        "gpt2-xl"; figure 1 was published only for the first
    chosen : the construction in colour at the start; the others are grey
    """
    check_known("figure", figure, FIGURES)
    if beside is not None:
        check_known("published model", beside, published.MODELS.values())
    table = results if isinstance(results, pd.DataFrame) else results.tidy()
    table = needs(table, *KEYS, "score", what="a figure of the paper").assign(source="measured")
    rows = table[table["metric"].isin(metrics_of_sums())]
    if rows.empty:
        raise InputError(
            f"the results hold no {listed(metrics_of_sums())}; tse evaluate measures them"
        )
    if len(twice := rows.loc[rows.duplicated(KEYS), "model"]):
        raise InputError(
            f"the results hold several runs of {twice.iloc[0]}; give the store's key of one"
        )
    if figure == "table2":
        shown = rows.loc[
            of_everything(rows),
            ["construction", "model", "metric", "score", "low", "high", "source"],
        ]
        if beside:
            printed = (
                published.table2()
                .query("hf_name == @beside")
                .assign(model=beside, source="published")
            )
            shown = pd.concat(
                [shown, printed[printed["construction"].isin(shown["construction"])]],
                ignore_index=True,
            )
        title = f"Three scores of the same sentences: {listed(shown['model'].unique())}"
        return table2_dots(shown.drop(columns="hf_name", errors="ignore"), title=title, beside=True)
    number = int(figure.removeprefix("figure"))
    rows = rows[rows["side"] != ""]
    printed = published_curves(number)
    if number == 1:
        rows = rows[rows["construction"].isin(printed["construction"])]
        if rows.empty:
            raise InputError(
                f"figure1 draws {listed(printed['construction'].unique())}; the results hold none of them"
            )
    if chosen is not None:
        check_known("construction of the results", chosen, rows["construction"].unique())
    draw = {3: coverage_curves, 4: invalid_curves}.get(number, cutoff_curves)
    return draw(rows, published=_behind(rows, printed, beside, number), chosen=chosen)


def save_chart(chart, path: str | Path) -> None:
    """A chart as .html (stays interactive), .svg, .png or .pdf (a picture).

    Pictures need vl-convert-python; with it a page carries its own copy of Vega and opens without a network.

    Raises InputError.
    """
    path = Path(path)
    check_known("ending of a figure", path.suffix, ENDINGS)
    if getattr(chart, "width", alt.Undefined) == "container":
        chart = chart.properties(width=WIDTH)
    alone = chart.configure(background="white")
    has_vega = find_spec("vl_convert") is not None
    if path.suffix != ".html":
        if not has_vega:
            raise InputError(
                f"{path}: pictures need one package more: pip install vl-convert-python (.html needs none)"
            )
        params = [] if alone.params is alt.Undefined else alone.params
        for shown in (
            param.value for param in params if param.name == "shown"
        ):  # named, instead of the list
            said = " ".join(alone.title.subtitle).replace(CHOOSE, f"In colour: {shown}.")
            alone = described(alone, " ".join(alone.title.text), alone.description, said)
    content = StringIO() if path.suffix in (".html", ".svg") else BytesIO()
    how = {"inline": has_vega} if path.suffix == ".html" else {"scale_factor": 2}
    alone.save(content, path.suffix[1:], json_kwds=INERT, **how)
    write_output(path, content.getvalue())


def _behind(
    rows: pd.DataFrame, printed: pd.DataFrame, beside: str | None, number: int
) -> pd.DataFrame | None:
    """The published curves to draw in the panels of every model."""
    if beside is None:
        return None
    curves = printed[printed["model"] == beside]
    if curves.empty:
        raise InputError(
            f"figure{number} was published for {listed(printed['model'].unique())}, not for {beside}"
        )
    curves = with_table2(curves) if number < 3 else curves
    known = curves["construction"].unique()
    curves = curves[curves["construction"].isin(rows["construction"])]
    if curves.empty:
        raise InputError(f"{beside} was published for {listed(known)}; the results hold others")
    return curves.merge(pd.DataFrame({"beside": rows["model"].unique()}), how="cross")
