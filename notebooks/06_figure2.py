# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 2: every construction, every model
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : check on all ten rows of Table 2 what Figure 1 showed on four, and compare models by the shape of their curves
#
# You need
# : [Figure 1](04_figure1.ipynb)
#
# Time
# : 10 minutes to read, a minute to run on a CPU with the laboratory models; the paper's four models want a GPU
# :::

# %% tags=["remove-cell", "setup"]
# On Colab: install the package (its other needs are there already). Elsewhere only the choice of a profile counts.
# PROFILE = "paper", say, runs other models than those named below:
# base   their small siblings: 2 GB to download, 3 GB of memory, about 15 minutes on a GPU (hours without)
# paper  the paper's four models: 11 GB to download, 12 GB of memory on a GPU, about an hour (days without)
PROFILE = ""

import importlib.util
import pathlib
import subprocess
import sys

if importlib.util.find_spec("tse_core") is None:
    uploaded = sorted(map(str, pathlib.Path().glob("tse_core-*.whl")))
    package = uploaded[-1] if uploaded else ""
    if not package:
        raise SystemExit(
            "Upload the tse_core wheel from the book's downloads, then run this again."
        )
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", package], check=True)
    subprocess.run([*install, "pooch", "lark"], check=True)

# %% tags=["parameters"]
models = ["lab-lexical-causal", "lab-systematic-causal"]  # names, folders or hub names
data = ["marvin-linzen"]
lemmas = ["newman-clean"]
protocols = ["exact"]

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_core.pages import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
import pandas as pd
from IPython.display import display

from tse_core import charts
from tse_core.pages import figures, glue, table
from tse_core.paths import store_folder

# %% [markdown]
# ## The published curves
#
# ```{margin} Digitised
# Read off a drawing. Hidden points have no value; "partial" ones are partly covered.
# ```
#
# Figure 2 of {cite:t}`newman2021refining` draws ten {term}`constructions <construction>` for four models. Twenty curves
# cross in each of its panels, so many points cannot be read off the drawing: those are left out here, and a line may jump
# over them. Choose a model below the chart, then single out series in the legend. (The figure's caption names
# BERT-base-uncased; the text and the released code say BERT-large-uncased.)

# %%
printed = figures.published_curves(2)
falls = figures.head_and_tail(printed)
falling = falls["fall"] > 0.05
title = f"Published: {falling.sum()} of {len(falls)} curves fall by more than 0.05 from head to tail"
charts.cutoff_curves(printed, choose=True, title=title)

# %%
glue("falling", int(falling.sum()))
glue("curves", len(falls))
wide = falls.pivot_table("fall", ["model", "construction"], "metric").dropna()
glue("mw_further", int((wide["MW"] > wide["EW"]).sum()))
glue("both_readable", len(wide))
by_model = (
    falls.groupby(["model", "metric"])["fall"]
    .agg(["mean", "max", "count"])
    .reset_index()
)
by_model = by_model.rename(
    columns={"mean": "mean fall", "max": "largest fall", "count": "curves"}
)
table(
    by_model,
    "Published: fall from the first readable top cut-off to the last readable bottom one",
    digits=3,
)

# %% [markdown]
# {glue:text}`falling` of {glue:text}`curves` readable curves fall by more than 0.05. Where both metrics can be read, MW
# falls further than EW in {glue:text}`mw_further` of {glue:text}`both_readable` rows.
# The appendix calls the EW curves of RoBERTa and BERT stable; the spread over the top cut-offs says how stable.

# %%
top = printed[(printed["side"] == "top") & (printed["metric"] == "EW")]
spread = (
    top.groupby(["model", "construction"])["score"]
    .agg(lambda s: s.max() - s.min())
    .unstack("construction")
)
spread = (
    spread.mean(axis=1).rename("mean range of EW over the top cut-offs").reset_index()
)
table(
    spread,
    "How far EW moves between top 10 % and top 100 %, mean over readable constructions",
    digits=3,
)

# %% [markdown]
# ## The same figure from models
#
# ```{margin} Clustered
# Contexts with the same noun count as one unit, because they tend to succeed or fail together.
# ```
#
# One panel a model, with 95 % intervals clustered by subject noun. Where one of the paper's models has run, its curves
# stand over the published ones.

# %%
measured = figures.measured_curves(
    models, data, lemmas[0], protocol=protocols[0], store=store_folder()
)
real, over, laboratory = figures.real_and_laboratory(measured, printed)
print("not yet run:", ", ".join(figures.not_yet_run(models)) or "none")
runs = measured.drop_duplicates("model")[["model", "lemmas", "signature"]]
table(runs, "The runs drawn below: lemmas that counted, and how each number was made")

# %% tags=["hide-input"]
if len(real):
    display(
        charts.cutoff_curves(
            real,
            published=over,
            choose=True,
            title="Measured (filled) over published (hollow)",
        )
    )

# %% tags=["hide-input"]
if len(laboratory):
    display(
        charts.cutoff_curves(
            laboratory, choose=True, title="The laboratory models, whose truth is known"
        )
    )

# %%
charts.download_table(pd.concat([printed, measured], ignore_index=True), "figure2.csv")

# %%
ends = figures.head_and_tail(measured)
table(
    ends.groupby(["model", "metric"])[["head", "whole", "tail", "fall"]]
    .mean()
    .reset_index(),
    "Measured: means over constructions",
    digits=3,
)

# %% [markdown]
# In the laboratory even the systematic model falls at the far bottom; [Figure 1](04_figure1.ipynb) explains why. Compare it
# with the lexical one left of the gap.
#
# ## Which constructions fall furthest?
#
# ```{margin} Fall
# Score at top 10 % less the score at the last readable bottom cut-off of the same curve.
# ```
#
# One cell of this map is one curve: its score at top 10 % less its score at the last readable bottom cut-off.

# %% tags=["hide-input"]
grid = pd.concat([falls, ends], ignore_index=True)
grid["series"] = grid["model"] + " " + grid["metric"]
order = [name for name in charts.CONSTRUCTIONS if name in set(grid["construction"])]
order += [name for name in dict.fromkeys(grid["construction"]) if name not in order]
grid = grid.sort_values(
    "construction", key=lambda names: names.map(order.index), kind="stable"
)
charts.heat_map(
    grid,
    "construction",
    "series",
    "fall",
    title="Fall from likely to unlikely verbs",
    domain=(0, 0.6),
)

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study.
# {download}`These exercises as a notebook <../_build/exercises/06_figure2.ipynb>`: empty cells for your answers, and checks that
# judge them.

# %% tags=["hide-input", "exercise-setup"]
from tse_core import published
from tse_core.pages import figures

# all points of Figure 2, hidden ones too; those that can be read
points = published.figures234("figure2", readable=False)
curves = figures.published_curves(2)
# Figure 1: four constructions of BERT-large-cased, every point read
complete = figures.published_curves(1)
table2 = published.table2()

# %% [markdown]
# ````{exercise} ★ What cannot be read
# :label: 06-hidden
#
# `points` has a row for every point of Figure 2, with a `quality`: ok, partial or hidden. Give `hidden_top` and
# `hidden_bottom`: the share of hidden points among the top {term}`cut-offs <cut-off>`, and among the bottom ones. Why do
# they differ?
#
# ```{dropdown} Hint
# The mean of a column of True and False is a share.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Near 1.0 the curves lie on top of each other; further down they fan out.
hidden = (points["quality"] == "hidden").groupby(points["side"]).mean()
hidden_top, hidden_bottom = hidden["top"], hidden["bottom"]

# %% tags=["hide-cell", "check"]
for name, share in {"top": hidden_top, "bottom": hidden_bottom}.items():
    rows = points[points["side"] == name]
    assert isinstance(share, float), f"hidden_{name} should be a number"
    assert abs(share - rows["quality"].eq("hidden").mean()) < 1e-6, (
        f"hidden_{name}: the hidden points among the {len(rows)} at {name} cut-offs"
    )
print(
    f"Hidden: {hidden_top:.2f} of the top points, {hidden_bottom:.2f} of the bottom ones."
)

# %% [markdown]
# ````{exercise} ★★ Rank the models twice
# :label: 06-rank
#
# Rank the four models by their mean {term}`EW`, best first, as lists of their names on the hub: `by_figure` from the points
# of `curves` at top 100 %, `by_table` from `table2`, which prints the same quantity for all ten rows. Which list do you
# trust, and what went wrong in the other?
#
# ```{dropdown} Hint
# In `curves` the name is in the column `model`, in `table2` in `hf_name`. Count how many rows each mean of the figure
# rests on.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The table. In the figure GPT-2's high points are hidden behind those of other curves,
# so its mean is that of its low ones.
at_100 = curves[
    (curves["metric"] == "EW") & (curves["side"] == "top") & (curves["cutoff"] == 1)
]
ranked = at_100.groupby("model")["score"].mean().sort_values(ascending=False)
by_figure = list(ranked.index)
printed_ew = table2[table2["metric"] == "EW"].groupby("hf_name")["value"].mean()
by_table = list(printed_ew.sort_values(ascending=False).index)

# %% tags=["hide-cell", "check"]
assert isinstance(by_figure, list) and isinstance(by_table, list), (
    "both should be lists of names"
)
assert set(by_figure) == set(by_table) == set(curves["model"]), (
    "each list names the four models once"
)
of_figure = curves.query("metric == 'EW' and side == 'top' and cutoff == 1").groupby(
    "model"
)["score"]
of_table = table2.query("metric == 'EW'").groupby("hf_name")["value"]
for name, ranking, means in (
    ("by_figure", by_figure, of_figure),
    ("by_table", by_table, of_table),
):
    values = [round(float(means.mean()[model]), 3) for model in ranking]
    assert values == sorted(values, reverse=True), (
        f"{name}: the best comes first; means are {values}"
    )
print("Rows behind each mean of the figure:", of_figure.count().to_dict())

# %% [markdown]
# ````{exercise} ★★ A level curve, low
# :label: 06-level
#
# In Table 2, *In a sentential complement* has the lowest or nearly the lowest EW of every model. A
# {term}`construction` can be low because its curve falls steeply, or because the whole curve is low. Which is it here, and
# what does each say about the construction and the verbs?
#
# ```{dropdown} Hint
# Single the series out in the legend of the first chart and look at its shape.
# ```
# ````
#
# ```{solution} 06-level
# :class: dropdown
#
# Where its points can be read, the curve is low from its middle on and does not sink much further at the tail: the
# difficulty lies in the sentences more than in rare verbs. After *The bankers knew the officer*, a masked model also finds
# verbs fair that do not agree with *officer*. Level and slope are two findings.
# ```

# %% [markdown]
# ````{exercise} ★★★ Do hidden points bias the fall?
# :label: 06-bias
#
# Figure 1 shows four constructions of BERT-large-cased without a gap: `complete`. Hide from it the points that cannot be
# read in Figure 2, and compute the mean of the column `fall` of `figures.head_and_tail` over the curves of EW and
# {term}`MW` that are left: `with_gaps`. Do the same with all points of the same curves: `without_gaps`. Are the falls of
# this chapter too large or too small?
#
# ```{dropdown} Hint
# `complete.merge(...)` on construction, metric, side and cutoff keeps the points that `curves` has for BERT-large-cased. One
# construction loses so many points that it has no fall any more: leave it out of both means.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Too small: where the head is hidden, a later, lower point stands in for it.
place = ["construction", "metric", "side", "cutoff"]
readable = curves.loc[curves["model"] == "bert-large-cased", place]
ends = figures.head_and_tail(complete.merge(readable, on=place)).set_index(
    ["construction", "metric"]
)
all_ends = figures.head_and_tail(complete).set_index(["construction", "metric"])
with_gaps = ends["fall"].mean()
without_gaps = all_ends.loc[ends.index, "fall"].mean()

# %% tags=["hide-cell", "check"]
assert isinstance(with_gaps, float), "with_gaps should be a number"
assert isinstance(without_gaps, float), "without_gaps should be a number"
place = ["construction", "metric", "side", "cutoff"]
of_bert = curves[curves["model"] == "bert-large-cased"].set_index(place).index
seen = complete[complete.set_index(place).index.isin(of_bert)]
left = figures.head_and_tail(seen)
same = figures.head_and_tail(complete).merge(left[["construction", "metric"]])
assert abs(with_gaps - left["fall"].mean()) < 1e-6, (
    "with_gaps: only points that Figure 2 shows too"
)
assert abs(without_gaps - same["fall"].mean()) < 1e-6, (
    f"without_gaps: the same {len(left)} curves, all points"
)
print(f"Mean fall {with_gaps:.3f} with gaps, {without_gaps:.3f} without.")

# %% [markdown]
# ## Takeaways
#
# - The fall from head to tail is no accident of four constructions or one model.
# - MW falls further than EW in most rows.
# - Compare shapes within a model. Levels of different models rest on different verb lists.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.pages import offer_results

    offer_results()
