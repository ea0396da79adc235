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
    from tse_core.profiles import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
import pandas as pd
from IPython.display import display

from tse_core import charts, figures
from tse_core.notebook import glue, table
from tse_core.paths import store_folder

# %% [markdown]
# ## The published curves
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
# ```{exercise} A level curve, low
# :label: 06-level
#
# In Table 2, *In a sentential complement* has the lowest or nearly the lowest EW of every model. A construction can be low
# because its curve falls steeply, or because the whole curve is low. Which is it here, and what does each say about the
# construction and the verbs?
# ```
#
# ```{solution} 06-level
# :class: dropdown
#
# Single the series out in the legend. Where its points can be read, the curve is low from its middle on and does not sink
# much further at the tail: the difficulty lies in the sentences more than in rare verbs. After *The bankers knew the
# officer*, a masked model also finds verbs fair that do not agree with *officer*. Level and slope are two findings.
# ```
#
# ```{exercise} Rank the models twice
# :label: 06-rank
#
# Rank the four models by published EW at top 100 %, and by the mean fall of their EW curves. Are the ranks the same?
# ```

# %% tags=["hide-cell", "solution"]
ew = falls[falls["metric"] == "EW"].groupby("model")
ranks = pd.DataFrame(
    {
        "by EW": ew["whole"].mean().rank(ascending=False),
        "by fall": ew["fall"].mean().rank(),
    }
)
table(
    ranks.reset_index(),
    "Ranks of the published models: 1 is the highest EW, the smallest fall",
    digits=0,
)

# %% [markdown]
# ```{exercise} Points that cannot be read
# :label: 06-hidden
#
# Count the readable points of each model. Could it be that the missing points are missing for a reason that biases the
# mean fall?
# ```
#
# ```{solution} 06-hidden
# :class: dropdown
#
# A point is hidden where curves lie on top of each other, and they do so near 1.0, at the head. Losing points there makes
# `head` a later, lower point, so the falls computed here are, if anything, too small.
# ```
#
# ## Takeaways
#
# - The fall from head to tail is no accident of four constructions or one model.
# - MW falls further than EW in most rows.
# - Compare shapes within a model. Levels of different models rest on different verb lists.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.profiles import offer_results

    offer_results()
