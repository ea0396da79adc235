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
# # Figure 1: from likely to unlikely verbs
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : read EW and MW along the cut-offs, and see what separates a model that conjugates verbs from one that remembers them
#
# You need
# : TSE, EW, MW and cut-offs, from [Methods](02_methods.ipynb)
#
# Time
# : 10 minutes to read, under a minute to run on a CPU with the laboratory models; BERT-large wants a GPU
# :::

# %% tags=["remove-cell", "setup"]
# On Colab: install the package (its other needs are there already). Where it is installed, this cell does nothing.
import importlib.util
import pathlib
import subprocess
import sys

if importlib.util.find_spec("tse_core") is None:
    uploaded = sorted(map(str, pathlib.Path().glob("tse_core-*.whl")))
    package = uploaded[-1] if uploaded else ""
    if not package:
        raise SystemExit("Upload the tse_core wheel from the book's downloads here, then run this cell again.")
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", package], check=True)
    subprocess.run([*install, "pooch", "lark"], check=True)

# %% tags=["parameters"]
models = ["lab-lexical-causal", "lab-systematic-causal"]  # names, folders or hub names
data = ["marvin-linzen"]
lemmas = ["newman-clean"]
protocols = ["exact"]
constructions = [
    "Simple",
    "Across object relative clause",
    "Across object relative (no that)",
    "BLiMP",
]

# %%
import pandas as pd
from IPython.display import display

from tse_core import charts, figures
from tse_core.notebook import glue, table
from tse_core.paths import store_folder

# %% [markdown]
# ## What the paper drew
#
# A {term}`top p <cut-off>` score asks only about the verbs that a model finds likely. A bottom p score asks only about
# those it finds unlikely. {cite:t}`newman2021refining` drew both for BERT-large-cased and four constructions. Their
# numbers were not released, so the curve below was read off the drawing: each point is good to about 0.003.
#
# ```{margin} Reading the axis
# Left of the gap: top p, linear. Right of it: bottom p, logarithmic. Walk from left to right and the verbs get less and
# less likely.
# ```

# %%
printed = figures.published_curves(1)
falls = figures.head_and_tail(printed)
worst = falls.loc[falls["fall"].idxmax()]
charts.cutoff_curves(
    printed,
    title=f"BERT-large-cased, published: {worst['metric']} falls by up to {worst['fall']:.0%}",
)

# %% [markdown]
# Read one curve. Across an object relative clause (*The author that the guards like* [laughs]{.good} /
# \*[laugh]{.bad}), the head of the distribution is nearly free of errors, and the far tail is not much better than a
# coin.

# %%
shown = falls[["construction", "metric", "head", "whole", "tail", "fall"]]
table(
    shown,
    "Published scores at the top 10 %, the whole distribution, and the bottom 0.0001 %",
    digits=3,
)

# %%
row = falls.set_index(["construction", "metric"]).loc[
    ("Across object relative clause", "MW")
]
glue("published_head", float(row["head"]))
glue("published_tail", float(row["tail"]))
glue("published_worst", float(worst["fall"]))
glue("published_worst_row", f"{worst['metric']}, {worst['construction']}")

# %% [markdown]
# MW across an object relative clause goes from {glue:text}`published_head:.3f` to {glue:text}`published_tail:.3f`. The
# largest fall of the eight curves is {glue:text}`published_worst:.3f` ({glue:text}`published_worst_row`). The paper's
# abstract speaks of a difference of up to 40 %; in this figure it is MW that shows it.
#
# ## The same figure from a model
#
# Each model named in the parameters is scored with the verb list shown below, and drawn with its 95 % intervals,
# clustered by subject noun. If one of them is BERT-large-cased, its curve stands over the published
# one.

# %%
measured = figures.measured_curves(
    models, data, lemmas[0], protocol=protocols[0], store=store_folder()
)
waiting = figures.not_yet_run(models)
runs = measured.drop_duplicates("model")[["model", "lemmas", "signature"]]
table(runs, "The runs drawn below: lemmas that counted, and how each number was made")

# %%
status = (
    "run: its curve is drawn below"
    if "bert-large-cased" not in waiting
    else "not yet run"
)
print(f"bert-large-cased: {status}")
charts.download_table(pd.concat([printed, measured], ignore_index=True), "figure1.csv")

# %% tags=["hide-input"]
ours = measured[measured["model"] == "bert-large-cased"]
drawn = ours[ours["construction"].isin(constructions)]
beside = printed[printed["construction"].isin(constructions)]
if len(drawn):
    display(
        charts.cutoff_curves(
            drawn, published=beside, title="BERT-large-cased: measured over published"
        )
    )

# %% [markdown]
# ## What the figure looks like when the truth is known
#
# The paper's reading of its figure is that the models remember how likely verbs agree rather than agree in general. The
# laboratory can show what each of the two would look like, because it trained a model of each kind: in the *lexical*
# language only the frequent verbs agree, and each rare verb has a habitual form; in the *systematic* language every verb
# agrees with its subject. Both languages have the same nouns, verbs, sentences and frequencies.

# %% tags=["hide-input"]
laboratory = measured[
    measured["model"].str.startswith("lab-")
    & measured["construction"].isin(constructions)
]
means = (
    figures.head_and_tail(laboratory)
    .groupby(["model", "metric"])["fall"]
    .mean()
    .unstack("metric")
)
for model, rows in laboratory.groupby("model", sort=False):
    fall = means.loc[model, "EW"]
    verdict = (
        f"falls by {fall:.0%} on average"
        if abs(fall) > 0.05
        else "stays level to the end of the tail"
    )
    display(
        charts.cutoff_curves(
            rows.drop(columns="model"), "EW", title=f"{model}: EW {verdict}"
        )
    )

# %%
table(
    means.reset_index(),
    "Mean fall from the top 10 % to the last bottom cut-off with a verb",
    digits=3,
)

# %% [markdown]
# A model that has learned the rule keeps its score where verbs are rare. A model that has learned verbs one by one loses
# it there. TSE, asked about a handful of frequent verbs, cannot tell them apart.
#
# ## Exercises
#
# ```{exercise} Two ends of one curve
# :label: 04-ends
#
# EW at top 100 % and EW at bottom 50 % are nearly the same number in every published curve, though one includes the most
# likely verbs and the other leaves them out. Why does that hold for EW and not for MW?
# ```
#
# ```{solution} 04-ends
# :class: dropdown
#
# EW counts lemmas, and nearly all lemmas share the lower half of the probability; leaving out the few that fill the upper
# half changes few votes. MW counts probability, and the upper half of the probability is, by definition, half of it.
# ```
#
# ```{exercise} How wide is the gap?
# :label: 04-gap
#
# Compute, from the published curves, at which cut-off EW of *Simple* first drops below 0.99. Which of the two sides of
# the axis is it on?
# ```

# %% tags=["hide-cell", "solution"]
simple = printed[(printed["construction"] == "Simple") & (printed["metric"] == "EW")]
top = simple[simple["side"] == "top"].sort_values("cutoff")
top.loc[top["score"] < 0.99, ["side", "cutoff", "score"]].head(1)

# %% [markdown]
# ```{exercise} Your own model
# :label: 04-own
#
# Set `models` to a model of your choice and run the notebook. Does its EW curve look more like the lexical or more like
# the systematic one? What would you need to know before calling it systematic?
# ```
#
# ```{solution} 04-own
# :class: dropdown
#
# Look at the right-hand side: a level curve means that agreement does not depend on how likely the verb is. But look at
# Figure 4 as well. Where most contexts have no eligible verb, the curve rests on few of them; and a level curve at 0.75
# is just as level as one at 1.00.
# ```
#
# ## Takeaways
#
# - EW and MW fall together from head to tail in the published figure; MW falls further because at the tail it is an
#   average over small probabilities.
# - The shape, not the level, tells a rule from a list: a systematic model's curve is flat.
# - One number at top 100 % hides all of this.
