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
# # Figures 3 and 4: scores judge part of what a model would say
#
# EW and MW judge only part of what a model would say, and at the ends of a curve not the same contexts as in its middle.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see how much of the probability EW and MW judge, and in how many contexts
#
# You need
# : [Figure 1](figure1.ipynb) and [Table 3](table3.ipynb)
#
# Time
# : 7 minutes to read, three minutes to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/figures3_4.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill figures3_4.ipynb mine.ipynb -p models gpt2`
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
sample = 20  # contexts of each construction whose whole distribution is examined

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
recorded = as_list(recorded)
data = as_list(data)

# %% [markdown] tags=["explains"]
# ## The published coverage
#
# How much of what a model would say is judged by the scores? The {term}`coverage` is the probability on the verb forms that EW or MW counts. Figure 3 of {cite:t}`newman2021refining` draws it for every cut-off.
#
# ```{dropdown} Predict: after *The author*, how much of the probability is on present-tense verb forms?
# The sentence may also go on with *of*, *was*, *said* or a comma: see the row *Simple* below.
# ```

# %%
from tse_book import charts

coloured = "Across prepositional phrase"
printed = charts.published_curves(3)
charts.coverage_curves(printed, chosen=coloured, title="Figure 3 as published")

# %% [markdown]
# The same for two models that the paper never saw:

# %%
import tse_core
from tse_book.pages import real_models
from tse_book.recorded import with_recorded

# the models of the first cell, laboratory models only if there are no others
asked = real_models(models) or models
runs = tse_core.evaluate_models(asked, data, lemmas, protocol=protocol)
runs = with_recorded(runs, recorded, data, lemmas, protocol=protocol)
curves = runs.curves()

# %%
charts.coverage_curves(curves, chosen=coloured, title="Figure 3, measured here")

# %%
import pandas as pd

from tse_book.pages import table

both = pd.concat([curves[curves["metric"] == "EW"], printed])
whole = both.query("side == 'top' and cutoff == 1")
cells = whole.pivot_table("coverage", "construction", "model", sort=False)
table(cells, "Coverage at top 100 %; a dash means it cannot be read off", index=True)

# %% [markdown] tags=["explains"]
# The published coverage lies between .22 and .73 where it can be read. Here it is .24 on average for SmolLM2 and .20 for Gemma. A score describes only that share of the model's predictions.
#
# A model with low coverage has not failed; it expects other words here. But two models with the same MW and different coverage do not make the same number of errors.

# %% [markdown] tags=["explains"]
# ## Where the rest of the probability is
#
# The paper mentions other {term}`inflections <inflection>` of verbs, such as the past, and other words. Mark every vocabulary entry as in [Table 3](table3.ipynb), and add up the probability of each kind.

# %%
from tse_book.pages.newman import opened
from tse_book.studies.slot_shares import form_shares

parts = []
for name in asked:
    # the same number of contexts for each construction, drawn at random
    contexts = runs[name].contexts.sample(frac=1, random_state=0)
    contexts = contexts.groupby("construction").head(sample).sort_index()
    parts.append(form_shares(opened(name), contexts, lemmas).assign(model=name))
shares = pd.concat(parts)

# %%
kinds = ["correct", "wrong", "past", "other"]
means = shares.groupby(["model", "construction"], sort=False)[kinds].mean()
table(means.reset_index(), "Mean probability by kind of form", digits=3)

# %% [markdown] tags=["explains"]
# *Correct* and *wrong* are counted. Of the probability that SmolLM2 leaves uncounted in these contexts, 20 of each construction, 26 % is on past forms.

# %% [markdown] tags=["explains"]
# ## Contexts without a verb
#
# A context without a verb inside the cut-off gets no score. Figure 4 shows how often that happens.
#
# ```{dropdown} Predict: at which end do contexts drop out, the head or the tail?
# At both. In the head another word can fill the whole cut-off; in the tail one form may be too probable to be inside.
# ```

# %%
empty = charts.published_curves(4)
charts.invalid_curves(empty, chosen=coloured, title="Figure 4 as published")

# %%
charts.invalid_curves(curves, chosen=coloured, title="Figure 4, measured here")

# %% [markdown] tags=["explains"]
# In the published figure between 16 % and 69 % of a row's contexts have no verb at top 10 %, and between 15 % and all of them at bottom 0.0001 %. From top 100 % to bottom 1 % only the row of BLiMP's sentences can be read off, with at most 0.4 %; points of other rows that are partly hidden reach 6.8 %. So at the ends a score may change because the contexts change; in the middle this matters less.

# %% [markdown] tags=["explains"]
# ## The same contexts at both ends
#
# How much of a fall comes from different contexts? Take the mean at each end over all contexts with a score there, as the paper does, and then over those with a score at both ends.

# %%
from tse_book.pages.figures import falls_of_same_contexts

falls = falls_of_same_contexts(runs)
of_model = falls.groupby(["model", "metric"], sort=False)
means = of_model[["any contexts", "same contexts"]].mean().reset_index()
table(means, "Mean fall from top 30 % to bottom 1 %", digits=3)

# %% [markdown] tags=["explains"]
# Over the same contexts EW falls by .13 instead of .15 for SmolLM2 ([Figure 2](figure2.ipynb) has .16, over 40 contexts of each construction), and by .11 instead of .15 for Gemma: part of the fall is only a change of contexts.

# %% tags=["hide-input"]
charts.download_table(runs.tidy(), "figures3-4.csv", "All numbers, measured")

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/figures3_4.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np
import pandas as pd

from tse_core.metrics.scores import cutoff_scores

# four contexts: the probability of three words; 97 rare words share the rest
four = pd.DataFrame(index=["a", "b", "c", "d"])
four["walks"] = [0.05, 0.08, 0.20, 0.004]
four["walk"] = [0.01, 0.07, 0.0001, 0.001]
four["the"] = [0.30, 0.01, 0.10, 0.30]
# 300 contexts of a made-up model; the hard ones have no verb at top 10 %
hard = np.random.default_rng(1).random(300) < 0.4
scores = pd.DataFrame({"top 10 %": np.where(hard, np.nan, 0.95)})
scores["top 100 %"] = np.where(hard, 0.7, 0.95)
scores["bottom 1 %"] = np.where(hard, 0.6, 0.85)

# %% [markdown]
# ````{exercise} ★ Two reasons to be empty
# :label: 07-reasons
#
# In the contexts of `four`, 97 other words share the rest of the probability evenly. The only lemma on the list is *walk*. Give `empty_top` and `empty_bottom`, the sets of contexts (their letters) without a verb at top 10 % and at bottom 10 %.
#
# ```{dropdown} Hint
# Top: one form inside is enough. Bottom: count from the least probable; both forms have to be inside.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Top: in a and d "the" alone fills 10 %. Bottom: the rare words have about 0.007 each
# and fill it; only d has both forms below them.
empty_top = {"a", "d"}
empty_bottom = {"a", "b", "c"}

# %% tags=["hide-cell", "check"]
assert isinstance(empty_top, set), "empty_top should be a set of letters"
assert isinstance(empty_bottom, set), "empty_bottom should be a set of letters"
rest = (1 - four.sum(axis=1)) / 97
words = pd.concat([four, *[rest] * 97], axis=1).to_numpy()
found = cutoff_scores(np.log(words), [[0, 1]], [0] * 4, top=[0.1], bottom=[0.1])
none_at_top = set(four.index[np.isnan(found.ew_top[:, 0])])
none_at_bottom = set(four.index[np.isnan(found.ew_bottom[:, 0])])
wrong = sorted(empty_top ^ none_at_top)
assert not wrong, f"{wrong}: which entries fill the top 10 %?"
wrong = sorted(empty_bottom ^ none_at_bottom)
assert not wrong, f"{wrong}: are both forms among the entries of the last 10 %?"
print(
    "At the top another word fills the cut-off; at the bottom a form is too probable."
)

# %% [markdown]
# ````{exercise} ★★ Other things (no Python)
# :label: 07-other
#
# Coverage at top *p* is at most *p*, give or take one token. Which entries fill the rest, and which of them would you judge for agreement?
#
# ```{dropdown} Hint
# Continue *The author* ... in ten ways, and look at the first words.
# ```
# ````
#
# ```{solution} 07-other
# :class: dropdown
#
# Adverbs (*never laughs*), conjunctions, commas, past forms, and verbs whose forms are not both single tokens. Only the last could be judged here.
# ```

# %% [markdown]
# ````{exercise} ★★★ The same contexts throughout
# :label: 07-same
#
# `scores` has a row for each of 300 contexts and a column for each of three cut-offs; an empty context is NaN. Write `falls(scores)`, which returns the fall of the mean from the first to the last column twice: over whatever contexts each column has, and over those with a score in *every* column.
#
# ```{dropdown} Hint
# `mean()` leaves NaN out, column by column; `dropna()` leaves out whole rows.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# Contexts with a verb at top 10 % are the easy ones, so the mean falls further when
# the hard ones come in. The second fall says nothing about the contexts left out.
def falls(scores):
    """Falls of the mean: over all contexts, over those with every score."""
    every, same = scores.mean(), scores.dropna().mean()
    return every.iloc[0] - every.iloc[-1], same.iloc[0] - same.iloc[-1]


# %% tags=["hide-cell", "check"]
answer = falls(scores)
assert isinstance(answer, tuple) and len(answer) == 2, "falls should return two numbers"
first_column, last_column = scores.iloc[:, 0], scores.iloc[:, -1]
kept = scores.notna().all(axis=1)
assert abs(answer[0] - (np.nanmean(first_column) - np.nanmean(last_column))) < 1e-9, (
    "the first number: each column's own mean"
)
assert abs(answer[1] - (first_column[kept] - last_column[kept]).mean()) < 1e-9, (
    f"the second number: the {kept.sum()} contexts that have every score"
)
change = answer[0] - answer[1]
print(f"A fall of {answer[0]:.2f}, of which {change:.2f} is a change of contexts.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# EW and MW judge only part of what a model would say: print the coverage beside them. Compare the ends of a curve over the same contexts.
#
# Functions: {py:func}`tse_book.charts.coverage_curves` and {py:func}`tse_book.charts.invalid_curves`.
