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
# # Figure 1: scores fall from likely to unlikely verbs
#
# From the verbs that a model expects to those that it does not, EW and MW fall.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : follow EW and MW from likely to unlikely verbs
#
# You need
# : EW, MW and cut-offs, from [Methods](methods.ipynb)
#
# Time
# : 5 minutes to read, two minutes to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/figure1.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill figure1.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
# explained in the chapter on Table 2
models = ["smollm2-135m-instruct"]
recorded = ["gemma-3-270m"]
data = ["marvin-linzen"]
lemmas = "newman-clean"
protocol = "exact"

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
recorded = as_list(recorded)
data = as_list(data)

# %% [markdown] tags=["explains"]
# ## What the paper drew
#
# Does a model do better on the verbs that it finds likely? {cite:t}`newman2021refining` drew EW and MW along the {term}`cut-offs <cut-off>` for BERT-large-cased and four rows of Table 2 (here {term}`digitised`). From left to right verbs get less likely: first come the top cut-offs, then, after the gap, the bottom ones.
#
# ```{dropdown} Predict: which way will a curve go?
# Down, if a model knows likely verbs better. It stays level if agreement is a rule for all verbs.
# ```

# %%
from tse_book import charts

row = "Across object relative clause"  # the row discussed below
printed = charts.published_curves(1)
printed = charts.with_table2(printed)  # adds top 100 %, which Table 2 prints
charts.cutoff_curves(printed, title="Figure 1 as published")

# %% [markdown]
# `head` is the score at top 10&nbsp;%, `whole` at top 100&nbsp;%, `tail` at the last bottom cut-off that has a verb; `fall` is head minus tail:

# %%
from tse_book.pages import table
from tse_book.pages.figures import head_and_tail

falls = head_and_tail(printed)
shown = ["construction", "metric", "head", "whole", "tail", "fall"]
table(falls[shown], "BERT cased, published", digits=3)

# %% [markdown] tags=["explains"]
# In the row *Across object relative clause* (*The author that the guards like* [laughs]{.good} / \*[laugh]{.bad}) MW falls from .987 to .570. EW and MW fall in all four rows. The paper's abstract speaks of a difference of up to 40&nbsp;%; here only MW falls that far (.417).

# %%
from tse_book.pages import try_this

subject = ("The author that the guards like", "singular")
try_this(subject, verb="laughs", cut="bottom-0.01")

# %% [markdown] tags=["explains"]
# ## The same figure for other models
#
# Now two other models, with 95&nbsp;% intervals. Compare shapes, not heights, because each model is tested on its own set of verbs.

# %%
import tse_core
from tse_book.pages import real_models
from tse_book.recorded import with_recorded

# the models of the first cell, laboratory models only if there are no others
asked = real_models(models) or models
runs = tse_core.evaluate_models(asked, data, lemmas, protocol=protocol)
runs = with_recorded(runs, recorded, data, lemmas, protocol=protocol)

# %%
curves = runs.curves(intervals=True)
curves = curves[curves["construction"].isin(printed["construction"])]
charts.cutoff_curves(curves, title="Figure 1, measured here")

# %%
from tse_book.model_names import SHOWN_NAMES

ends = head_and_tail(curves)
for name, rows in ends.groupby("model", sort=False):
    display(
        table(rows[shown], f"{SHOWN_NAMES.get(name, name)}, measured here", digits=3)
    )

# %% [markdown] tags=["explains"]
# In the row *Across object relative clause* EW falls by .46 for SmolLM2 and by .61 for Gemma. In the row *Simple*, SmolLM2's EW is 1 at both ends and .89 at top 100&nbsp;%, but of 20 contexts only 3 at the head and 1 at the tail have a verb inside the cut-off. Gemma's EW begins at .75, which rests on 4 contexts.

# %% [markdown]
# All constructions at one cut-off, with the four published models:

# %%
import pandas as pd

from tse_book.model_names import SHOWN_NAMES

published = charts.with_table2(charts.published_curves(2))
published["model"] = published["model"].replace(SHOWN_NAMES) + " (published)"
charts.cutoff_slider(pd.concat([runs.curves(intervals=True), published]))

# %% [markdown] tags=["explains"]
# But the tail is not a fair sample of verbs: [Figure 2](figure2.ipynb) shows what the bottom cut-offs select. {term}`Attraction` and verbs that are also nouns can lower a curve as well.

# %% tags=["hide-input"]
charts.download_table(runs.tidy(), "figure1.csv", "All numbers, measured")

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/figure1.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book import charts
from tse_core.metrics.scores import agreement, cutoff_scores

curves = charts.published_curves(1)

# a made-up distribution: 1,000 verbs that agree equally well, frequent or rare
random = np.random.default_rng(0)
frequency = random.normal(0, 0.5, 1000)
strength = random.normal(4, 2.2, 1000)  # of the agreeing form over the other
logits = np.stack([frequency - strength / 2, frequency + strength / 2], axis=1)
logits = logits.reshape(1, -1)
verbs = np.arange(2000).reshape(1000, 2)  # ids of both forms; the subject is plural

# %% [markdown] tags=["explains"]
# ````{exercise} ★ Not about rare verbs (no Python)
# :label: 04-other
#
# EW is .95 at top 10 % and .70 at bottom 1 %. Give a reason for the fall that has nothing to do with what the model knows of rare verbs.
#
# ```{dropdown} Hint
# When is a verb inside a bottom cut-off?
# ```
# ````
#
# ```{solution} 04-other
# :class: dropdown
#
# At the bottom a verb counts only if both of its forms are improbable, so verbs of which the model is sure drop out. And the two ends may rest on different contexts.
# ```

# %% [markdown]
# ````{exercise} ★ Where does EW begin to fall?
# :label: 04-gap
#
# At which cut-off does the published EW of *Simple* first drop below 0.99 as verbs get less likely? Give `cutoff`, a
# fraction, and `side`, "top" or "bottom", from `curves`.
#
# ```{dropdown} Hint
# First the top cut-offs from 0.1 to 1, then the bottom ones from 0.5 down.
# ```
# ````

# %% tags=["hide-cell", "solution"]
simple = curves[(curves["construction"] == "Simple") & (curves["metric"] == "EW")]
top = simple[simple["side"] == "top"].sort_values("cutoff")
cutoff = top.loc[top["score"] < 0.99, "cutoff"].iloc[0]
side = "top"

# %% tags=["hide-cell", "check"]
of_simple = curves.query("construction == 'Simple' and metric == 'EW'")
low = of_simple[of_simple["score"] < 0.99]
assert side in ("top", "bottom"), "side should be 'top' or 'bottom'"
early = "side: the top cut-offs come first; does EW drop below 0.99 there already?"
assert side == "top", early
first = low.loc[low["side"] == "top", "cutoff"].min()
assert cutoff == first, f"cutoff: {cutoff} is not where EW first drops below 0.99"
print(f"EW of Simple drops below 0.99 at {side} {cutoff:.0%}.")

# %% [markdown]
# ````{exercise} ★★★ A tail that selects
# :label: 04-tail
#
# In the made-up distribution above, rare and frequent `verbs` agree equally well. Give `rare`, the share of verbs
# whose correct form is ahead (`agreement(logits, verbs, [1])`) among the 100 of lowest `frequency`, and `bottom`, EW at bottom
# 1&nbsp;% (`cutoff_scores(logits, verbs, [1], top=[], bottom=[0.01])`). What would a reader of the bottom curve conclude?
#
# ```{dropdown} Hint
# `np.argsort(frequency)[:100]` finds the rare verbs.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The bottom curve suggests that rare verbs fail. They do not: a verb that agrees has
# its correct form higher up, so the tail has both forms of only a few verbs, most
# of which do not agree.
right = agreement(logits, verbs, [1])[0]
rare = right[np.argsort(frequency)[:100]].mean()
bottom = cutoff_scores(logits, verbs, [1], top=[], bottom=[0.01]).ew_bottom[0, 0]

# %% tags=["hide-cell", "check"]
assert isinstance(rare, float), "rare should be a number"
assert isinstance(bottom, float), "bottom should be a number"
verdict = (logits[0, 1::2] > logits[0, 0::2])[frequency <= np.sort(frequency)[99]]
share = "rare: the share of the 100 rarest verbs that agree"
assert abs(rare - verdict.mean()) < 1e-6, share
tail = cutoff_scores(logits, verbs, [1], top=[], bottom=[0.01]).ew_bottom[0, 0]
assert abs(bottom - tail) < 1e-6, "bottom: EW of this distribution at bottom 0.01"
print(f"{rare:.0%} of the rarest verbs agree; EW at bottom 1 % is {bottom:.2f}.")

# %% [markdown]
# ## Takeaways
#
# EW and MW fall from head to tail in the published figure, and in most rows of two other models.
#
# Functions: {py:func}`tse_book.charts.cutoff_curves` and {py:func}`tse_core.cutoff_scores`.
