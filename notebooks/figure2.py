# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: tags,-all
#     notebook_metadata_filter: -jupytext.text_representation
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 2: the cut-offs alone can make most of a fall
#
# On the model measured here, the cut-offs by themselves make most of a curve's fall; so compare a fall with its {term}`null`.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : find out how much of a fall comes from the cut-offs themselves
#
# You need
# : [Figure 1](figure1.ipynb)
#
# Time
# : 5 minutes to read, three minutes to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/figure2.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill figure2.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
# the first five are explained in the chapter on Table 2
models = ["smollm2-135m-instruct"]
recorded = ["gemma-3-270m"]
data = ["marvin-linzen"]
lemmas = "newman-clean"
protocol = "exact"
sample = 40  # contexts of each construction for the null baseline below

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
recorded = as_list(recorded)
data = as_list(data)

# %% [markdown] tags=["explains"]
# ## The published curves
#
# Does every model do worse with less likely verbs, in every construction? Figure 2 of {cite:t}`newman2021refining` draws ten constructions for four models. A point hidden behind another curve cannot be read off.
#
# ```{dropdown} How an entry on the edge of a cut-off counts
# It counts in part. Let $a$ be the share of the entry that is inside: the cut-off minus the probability before the entry, divided by the entry's probability. Then the score is $(1-a)$ times the score without the entry plus $a$ times the score with it. In the small distribution of [Methods](methods.ipynb) a third of *gleams* is inside top 94&nbsp;%; EW is 1 without it and 2/3 with it, so it is 8/9.
# ```
#
# ```{dropdown} Predict: is the fall from head to tail a matter of a few hard constructions?
# If it were, *Simple* would not fall.
# ```

# %%
from tse_book import charts

coloured = "Across object relative (no that)"
printed = charts.with_table2(charts.published_curves(2))
charts.cutoff_curves(printed, chosen=coloured, title="Figure 2 as published")

# %% [markdown]
# How many of the curves fall by more than .05 from head to tail?

# %%
from tse_book.pages.figures import head_and_tail

falls = head_and_tail(printed)
(falls["fall"] > 0.05).value_counts()

# %% [markdown] tags=["explains"]
# 67 of 77 readable curves do. Where the first points are hidden, a later one stands in for the head, and the fall looks smaller (see the last exercise): only 26 of the 77 can be read from top 10 % onwards, and 19 only at top 100 %. If a curve counts as falling when its line of best fit does, 79 of all 80 fall ([the ledger](ledger.ipynb)).
#
# A point can rest on few contexts. The largest published fall is .92, for GPT-2 XL's EW in the row *Across subject relative clause*; at the last point of this curve, 99.7 % of the contexts have no verb left.

# %% [markdown] tags=["explains"]
# ## Two models that the paper never saw

# %%
import tse_core
from tse_book.pages import real_models
from tse_book.recorded import with_recorded

# the models of the first cell, laboratory models only if there are no others
asked = real_models(models) or models
runs = tse_core.evaluate_models(asked, data, lemmas, protocol=protocol)
runs = with_recorded(runs, recorded, data, lemmas, protocol=protocol)
curves = runs.curves(intervals=True)

# %%
charts.cutoff_curves(curves, chosen=coloured, title="Figure 2, measured here")

# %%
from tse_book.pages import table

measured = head_and_tail(curves)
of_models = measured.groupby(["model", "metric"], sort=False)["fall"]
summary = of_models.agg(["mean", "min", "max", "count"]).reset_index()
table(summary, "Fall from the first top cut-off to the last bottom one", digits=3)

# %% [markdown] tags=["explains"]
# From the first top cut-off to the last bottom one EW falls by .33 on average for SmolLM2 and by .15 for Gemma; for each model 15 of 18 curves fall by more than .05. Two of Gemma's curves rise from 0, in the row *In a sentential complement*, where only two contexts have a verb at top 10 %. Without this row Gemma's EW falls by .27.

# %% [markdown] tags=["explains"]
# ## How much of the fall comes from the cut-offs?
#
# At bottom *p* a verb counts only if *both* its forms are in the tail. That selects verbs the model is unsure about: the other verbs have one form that is too probable for the tail.
#
# How far would a curve fall if a model were equally sure of likely and unlikely verbs? To find out, shuffle the {term}`margins <margin>` (how far the correct form is ahead) among the verbs of a context. Here this is done after *The author*; the tail consists of the verbs whose forms both have less than a millionth of the probability:

# %%
import numpy as np

forms = tse_core.score_context(asked[0], "The author", number="singular").forms
correct = np.log(forms["p_correct"])
wrong = np.log(forms["p_wrong"])
margins = correct - wrong
middle = (correct + wrong) / 2  # how likely the verb is, whatever its margin
millionth = np.log(1e-6)
tail = np.maximum(correct, wrong) < millionth
shuffled = np.random.default_rng(0).permutation(margins)
shuffled_tail = middle + abs(shuffled) / 2 < millionth
shares = margins > 0, margins[tail] > 0, shuffled[shuffled_tail] > 0
# all verbs, the tail, the shuffled tail
[round(float(share.mean()), 2) for share in shares if len(share)]

# %% [markdown] tags=["explains"]
# Over all verbs EW is .91; in the tail it is .75. With shuffled margins it falls as well, although likely and unlikely verbs now differ by chance alone. The {term}`null` baseline does this in every context and at every cut-off, twenty times:

# %%
import pandas as pd

from tse_book.studies.shuffled import null_curves

# detail: "forms" keeps the probabilities of every form, which give the margins
options = {"protocol": protocol, "detail": "forms", "sample": sample}
detailed = tse_core.evaluate_models(asked, data, lemmas, **options)
nulls = [null_curves(run).assign(model=name) for name, run in detailed.runs]
with_null = detailed.curves().merge(pd.concat(nulls))

# %%
title = "Measured, and what the cut-offs alone would give"
charts.cutoff_curves(with_null, chosen=coloured, title=title)

# %% [markdown]
# A curve below its grey band falls further than the cut-offs explain. In numbers, from top 30 % to bottom 1 %:

# %%
keys = ["model", "construction", "metric"]
head = with_null.query("side == 'top' and cutoff == .3").set_index(keys)
tail = with_null.query("side == 'bottom' and cutoff == .01").set_index(keys)
fall = head[["score", "null"]] - tail[["score", "null"]]
fall["beyond"] = fall["score"] - fall["null"]
means = fall.groupby(["model", "metric"])[["score", "null", "beyond"]].mean()
caption = "Mean fall: measured, from the cut-offs alone, and beyond them"
table(means.reset_index(), caption, digits=3)

# %% [markdown] tags=["explains"]
# From top 30 % to bottom 1 %, over 40 contexts of each construction, SmolLM2's EW falls by .16 on average; the cut-offs alone give about .12, so they explain most of the fall. (With only twenty draws the second decimal is not certain, and single rows may fall on either side of their null.) But only 239 of the 340 contexts have a verb at top 30 %, and only one of 40 in the row *In a sentential complement*. At bottom 1 % all contexts have a verb, and eight of nine rows lie below their grey band.

# %% tags=["hide-input"]
charts.download_table(runs.tidy(), "figure2.csv", "All numbers, measured")

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/figure2.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book import charts, published
from tse_book.pages import figures

# all points of Figure 2, including hidden ones; then those that can be read
points = published.figures(2)
curves = charts.published_curves(2)
# Figure 1: four constructions of BERT-large-cased, every point read
complete = charts.published_curves(1)

# %% [markdown] tags=["explains"]
# ````{exercise} ★ A null by hand (no Python)
# :label: 06-null
#
# Two likely verbs have margins of 4 and 3 nats, two unlikely ones of 1 and −1. EW falls from 1 to .5. How far would it fall on average if the four margins were dealt out to the verbs at random?
#
# ```{dropdown} Hint
# Three of the four margins are positive.
# ```
# ````
#
# ```{solution} 06-null
# :class: dropdown
#
# Not at all: each verb has a positive margin in three of four cases, so EW is .75 for likely and for unlikely verbs. Where a cut-off selects by margin, as in this chapter, even dealt-out margins fall.
# ```

# %% [markdown]
# ````{exercise} ★ What cannot be read
# :label: 06-hidden
#
# `points` has a row for every point of Figure 2, with its `side` (top or bottom) and `quality` (ok, partial, hidden or impossible). Give `hidden_top` and `hidden_bottom`, the share of hidden points on each side.
#
# ```{dropdown} Hint
# The mean of True and False is a share.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# At top cut-offs the curves overlap near 1.0; at bottom cut-offs they fan out.
hidden = (points["quality"] == "hidden").groupby(points["side"]).mean()
hidden_top, hidden_bottom = hidden["top"], hidden["bottom"]

# %% tags=["hide-cell", "check"]
for name, share in {"top": hidden_top, "bottom": hidden_bottom}.items():
    rows = points[points["side"] == name]
    assert isinstance(share, float), f"hidden_{name} should be a number"
    assert abs(share - rows["quality"].eq("hidden").mean()) < 1e-6, (
        f"hidden_{name}: the hidden points among the {len(rows)} at {name} cut-offs"
    )
print(f"Hidden: {hidden_top:.2f} of the points at the top, {hidden_bottom:.2f} below.")

# %% [markdown]
# ````{exercise} ★★★ Do hidden points bias the fall?
# :label: 06-bias
#
# `complete` holds four constructions of BERT-large-cased from Figure 1, where every point can be read. Leave out the points that Figure 2 hides. With `figures.head_and_tail`, find `with_gaps`, the mean `fall` over the points that remain, and `without_gaps`, the mean `fall` over all points of the same curves.
#
# ```{dropdown} Hint
# `complete.merge(...)` on construction, metric, side and cutoff keeps the points that `curves` has for BERT-large-cased.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# With gaps the fall is too small: where the head is hidden, a later, lower point
# stands in for it.
place = ["construction", "metric", "side", "cutoff"]
readable = curves.loc[curves["model"] == "bert-large-cased", place]
some_points = figures.head_and_tail(complete.merge(readable, on=place))
all_points = figures.head_and_tail(complete)
same_curves = all_points.merge(some_points[["construction", "metric"]])
with_gaps, without_gaps = some_points["fall"].mean(), same_curves["fall"].mean()

# %% tags=["hide-cell", "check"]
assert isinstance(with_gaps, float), "with_gaps should be a number"
assert isinstance(without_gaps, float), "without_gaps should be a number"
keys = ["construction", "metric", "side", "cutoff"]
of_bert = curves[curves["model"] == "bert-large-cased"].set_index(keys).index
seen = complete[complete.set_index(keys).index.isin(of_bert)]
left = figures.head_and_tail(seen)
same = figures.head_and_tail(complete).merge(left[["construction", "metric"]])
assert abs(with_gaps - left["fall"].mean()) < 1e-6, (
    "with_gaps: only points that Figure 2 also shows"
)
assert abs(without_gaps - same["fall"].mean()) < 1e-6, (
    f"without_gaps: the same {len(left)} curves, all points"
)
print(f"Mean fall {with_gaps:.3f} with gaps, {without_gaps:.3f} without.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# The cut-offs alone explain most of SmolLM2's fall from top 30 % to bottom 1 %: compare a fall with its {term}`null`, and check how many contexts it rests on.
#
# Functions: {py:func}`tse_core.evaluate_models` and {py:func}`tse_book.charts.cutoff_curves`.
