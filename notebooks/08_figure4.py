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
# # Figure 4: contexts without a verb
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see how many contexts each point of a cut-off curve rests on, and what that does to its interval
#
# You need
# : [Figure 1](04_figure1.ipynb)
#
# Time
# : 8 minutes to read, a minute to run on a CPU with the laboratory models; the paper's four models want a GPU
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
# ## The published shares
#
# A context whose most probable token already holds 10 % and is no verb on the list has no eligible lemma at top 10 %. It
# gets no score and leaves the mean. At the far bottom the same happens: both forms of a lemma must be inside the tail.
# Figure 4 of {cite:t}`newman2021refining` shows how often.
#
# ```{margin} Eligible
# Top p: one form of the lemma lies inside the cut-off. Bottom p: both forms do.
# ```

# %%
printed = figures.published_curves(4)
tail = printed[(printed["side"] == "bottom") & (printed["cutoff"] == 1e-6)]
low, high = tail["invalid"].min(), tail["invalid"].max()
title = f"Published: at bottom 0.0001 % between {low:.0%} and {high:.0%} of the contexts have no verb"
charts.invalid_curves(printed, choose=True, title=title)

# %%
head = printed[(printed["side"] == "top") & (printed["cutoff"] == 0.1)]
glue("head_low", float(head["invalid"].min()))
glue("head_high", float(head["invalid"].max()))
glue("tail_low", float(low))
glue("tail_high", float(high))
whole = printed[(printed["side"] == "top") & (printed["cutoff"] == 1.0)]
named = {"top 10 %": head, "top 100 %": whole, "bottom 0.0001 %": tail}
ends = pd.concat([rows.assign(at=at) for at, rows in named.items()])
cells = (
    ends.groupby(["model", "at"])["invalid"].agg(["mean", "min", "max"]).reset_index()
)
table(
    cells,
    "Published share of contexts without an eligible lemma, over constructions",
    digits=2,
)

# %% [markdown]
# At top 10 % the share runs from {glue:text}`head_low:.2f` to {glue:text}`head_high:.2f`, at bottom 0.0001 % from
# {glue:text}`tail_low:.2f` to {glue:text}`tail_high:.2f`. So the two ends of every curve in Figures 1 and 2 are means over
# a part of the contexts, and not over the same part.
#
# ## The same figure from models

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
        charts.invalid_curves(
            real,
            published=over,
            choose=True,
            title="Contexts without a verb, over published",
        )
    )
if len(laboratory):
    display(
        charts.invalid_curves(
            laboratory, choose=True, title="Contexts without a verb, laboratory models"
        )
    )

# %%
charts.download_table(pd.concat([printed, measured], ignore_index=True), "figure4.csv")

# %% [markdown]
# ## Fewer contexts, other intervals
#
# Each point's interval is computed from the contexts that have a score there. Where few are left it tends to widen, unless
# the few score alike: a curve can look sure of itself because it has lost the contexts that disagreed.

# %%
points = measured.dropna(subset="score").assign(
    counted=lambda t: (
        (1 - t["invalid"].astype(float)) * t["contexts"].astype(float)
    ).round(),
    width=lambda t: t["high"] - t["low"],
)
bins = pd.cut(
    points["invalid"].astype(float),
    [-0.01, 0.1, 0.5, 0.9, 1.0],
    labels=["to 10 %", "to 50 %", "to 90 %", "more"],
)
widths = points.groupby(
    ["metric", bins.rename("contexts without a verb")], observed=True
)[["counted", "width"]].median()
table(
    widths.reset_index(),
    "Median contexts counted and width of the 95 % interval, by share of empty contexts",
    digits=3,
)

# %% [markdown]
# ## Exercises
#
# ```{exercise} A selected sample
# :label: 08-selected
#
# Suppose the contexts that keep an eligible verb at top 10 % are those in which the model is surest. What happens to the
# curve of EW at the head, compared with a curve over all contexts?
# ```
#
# ```{solution} 08-selected
# :class: dropdown
#
# It is too high there: the hard contexts have left the mean. Part of the fall from head to tail can come from the change
# of contexts, not of verbs. Averaging over the contexts that have a score at every cut-off would separate the two.
# ```
#
# ```{exercise} The first empty one
# :label: 08-first
#
# For each published model, find the largest bottom cut-off at which more than half of the contexts of some construction
# are empty.
# ```

# %% tags=["hide-cell", "solution"]
empty = printed[(printed["side"] == "bottom") & (printed["invalid"] > 0.5)]
first = empty.sort_values("cutoff").groupby("model").tail(1)
table(
    first[["model", "construction", "cutoff", "invalid"]],
    "The first cut-off (a fraction) that is mostly empty",
    digits=6,
)

# %% [markdown]
# ```{exercise} Two reasons to be empty
# :label: 08-reasons
#
# Which of these makes a context empty at top 10 %: one token with probability 0.3 that is no verb; ten verbs with 0.01
# each and nothing above; a lemma whose singular has 0.2 and whose plural has 0.0001?
# ```
#
# ```{solution} 08-reasons
# :class: dropdown
#
# Only the first. Ten verbs of 0.01 fill the top 10 % by themselves. And at the top one form inside is enough, so the lemma
# with 0.2 is eligible.
# ```
#
# ## Takeaways
#
# - A point on a curve is a mean over the contexts that have a verb there; read its count with it.
# - The ends of the curves rest on the fewest contexts.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.profiles import offer_results

    offer_results()
