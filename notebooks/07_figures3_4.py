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
# # Figures 3 and 4: what a score leaves out
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : measure how much of the probability EW and MW are about, and see how many contexts a point rests on
#
# You need
# : [Figure 1](04_figure1.ipynb) and [Table 3](05_table3.ipynb)
#
# Time
# : 7 minutes to read, three minutes to run on a CPU
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
sample = 20  # contexts of each construction whose whole distribution is looked at

# %% [markdown] tags=["explains"]
# ## The published coverage
#
# How much of what a model would say is judged at all? The {term}`coverage` is the probability on the verb forms that count. Figure 3 of {cite:t}`newman2021refining` shows it for every cut-off.
#
# ```{dropdown} Predict: after *The author*, how much of the probability is on present-tense verb forms?
# Think of ten ways to go on: *of*, *is*, *was*, *said*, a comma ... The table below has the row *Simple*.
# ```

# %%
from tse_book import charts

row = "Across prepositional phrase"  # the one in colour
printed = charts.published_curves(3)
charts.coverage_curves(printed, chosen=row, title="Figure 3 as published")

# %% [markdown]
# Now the same for two models that the paper never saw.

# %%
import tse_core
from tse_book.pages import real_models
from tse_book.recorded import with_recorded

asked = real_models(models) or models  # the laboratory's, if there is no real one
runs = tse_core.evaluate_models(asked, data, lemmas, protocol=protocol)
runs = with_recorded(runs, recorded, data, lemmas, protocol=protocol)
curves = runs.curves()

# %%
charts.coverage_curves(curves, chosen=row, title="Figure 3, measured here")

# %%
import pandas as pd

from tse_book.pages import table

every = pd.concat([curves[curves["metric"] == "EW"], printed])
whole = every[(every["side"] == "top") & (every["cutoff"] == 1)]
cells = whole.pivot_table("coverage", "construction", "model", sort=False)
table(cells, "Coverage at top 100 %; a dash: it cannot be read off", index=True)

# %% [markdown] tags=["explains"]
# At top 100 %, the published coverage lies between .22 and .74 in the rows where it can be read. It is lower here: .24 on average for SmolLM2 and .20 for Gemma. A score is about that share of what a model would say, and about no more.
#
# A model with low coverage has not failed; it expects other words at this place. But two models with the same MW and different coverage do not make the same number of errors. And a longer list covers more.

# %% [markdown] tags=["explains"]
# ## Where the rest of the probability is
#
# The paper says that the rest is often on other {term}`inflections <inflection>` of verbs, such as the past, or on other words. Here every vocabulary entry is marked as in [Table 3](05_table3.ipynb), and the probability is added up by kind.
#
# ```{dropdown} Predict: which share of the uncounted probability is on past forms?
# In English text the past is common after a subject, but so are prepositions, conjunctions and commas.
# ```

# %%
from tse_book.pages.newman import opened
from tse_book.studies.slot_shares import form_shares

parts = []
for name in asked:
    contexts = runs[name].contexts.sample(frac=1, random_state=0)
    contexts = contexts.groupby("construction").head(sample).sort_index()
    parts.append(form_shares(opened(name), contexts, lemmas).assign(model=name))
shares = pd.concat(parts)

# %%
kinds = ["correct", "wrong", "past", "other"]
means = shares.groupby(["model", "construction"], sort=False)[kinds].mean()
table(means.reset_index(), "Mean probability by kind of form", digits=3)

# %% [markdown] tags=["explains"]
# In these contexts SmolLM2 leaves .78 of the probability uncounted on average, and past forms hold 26 % of that.

# %%
from tse_book.pages import try_this

try_this(("The keys to the cabinet", "plural"))

# %% [markdown] tags=["explains"]
# ## Contexts without a verb
#
# How many contexts does a point of Figures 1 and 2 rest on? A context without a verb inside the cut-off gets no score. Figure 4 shows how often that happens.
#
# ```{dropdown} Predict: at which end do contexts drop out, the head or the tail?
# At both. At the head, a word that is no listed verb can take up the whole cut-off; at the tail, one form is too probable to be inside.
# ```

# %%
empty = charts.published_curves(4)
charts.invalid_curves(empty, chosen=row, title="Figure 4 as published")

# %%
charts.invalid_curves(curves, chosen=row, title="Figure 4, measured here")

# %% [markdown] tags=["explains"]
# At top 10 % between 16 % and 69 % of the contexts have no verb in the published figure, at bottom 0.0001 % between 15 % and all of them. From top 100 % to bottom 1 % it is at most 0.4 %, where it can be read. Scores in the middle can be compared; at the edges, a change of the score may come from a change of contexts alone.

# %% [markdown] tags=["explains"]
# ## The same contexts at both ends
#
# How much of a fall comes from different contexts? Compare two means: over whatever contexts each end has, as the paper averages, and over the contexts that have a score at both ends.

# %%
from tse_book.pages.figures import falls_of_same_contexts

falls = falls_of_same_contexts(runs)
of_model = falls.groupby(["model", "metric"], sort=False)
means = of_model[["any contexts", "same contexts"]].mean().reset_index()
table(means, "Mean fall from top 30 % to bottom 1 %", digits=3)

# %% [markdown] tags=["explains"]
# Over the same contexts EW falls by .13 instead of .15 for SmolLM2, and by .11 instead of .15 for Gemma: a part of the fall is a change of contexts.

# %% tags=["hide-input"]
charts.download_table(runs.tidy(), "figures3-4.csv", "All numbers, measured")

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/07_figures3_4.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np
import pandas as pd

from tse_core.metrics.scores import cutoff_scores

# four contexts over the vocabulary walks, walk, the, and 97 rare words of no interest
REST = 97
four = {
    "a": {"walks": 0.05, "walk": 0.01, "the": 0.30},
    "b": {"walks": 0.08, "walk": 0.07, "the": 0.01},
    "c": {"walks": 0.20, "walk": 0.0001, "the": 0.10},
    "d": {"walks": 0.004, "walk": 0.001, "the": 0.30},
}
# a made-up model: the score of 300 contexts at three cut-offs; the hard ones have no
# verb at top 10 %
random = np.random.default_rng(1)
hard = random.random(300) < 0.4
scores = pd.DataFrame(
    {cut: np.where(hard, 0.7, 0.95) for cut in ("top 10 %", "top 100 %", "bottom 1 %")}
)
scores["bottom 1 %"] -= 0.1
scores += random.normal(0, 0.01, scores.shape)
scores.loc[hard, "top 10 %"] = np.nan

# %% [markdown]
# ````{exercise} ★ Two reasons to be empty
# :label: 07-reasons
#
# The cell above describes `four` contexts; what is missing to 1 is spread evenly over 97 other words. The only lemma on the
# list is *walk*. Give `empty_top` and `empty_bottom`, the sets of letters of contexts that have no verb at top 10 % and none
# at bottom 10 %.
#
# ```{dropdown} Hint
# Top: one form inside is enough. Bottom: count from the least probable, and both forms have to be inside.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Top: in a and d "the" fills 10 % alone. Bottom: the rare words hold about 0.007 each
# and fill it; only d has both forms below them.
empty_top = {"a", "d"}
empty_bottom = {"a", "b", "c"}

# %% tags=["hide-cell", "check"]
assert isinstance(empty_top, set), "empty_top should be a set of letters"
assert isinstance(empty_bottom, set), "empty_bottom should be a set of letters"
words = np.array(
    [[*one.values(), *[(1 - sum(one.values())) / REST] * REST] for one in four.values()]
)
found = cutoff_scores(np.log(words), [[0, 1]], [0] * 4, top=[0.1], bottom=[0.1])
for letter, at_top, at_bottom in zip(
    four, found.ew_top[:, 0], found.ew_bottom[:, 0], strict=True
):
    assert (letter in empty_top) == np.isnan(at_top), (
        f"{letter}: which entries fill the top 10 %?"
    )
    assert (letter in empty_bottom) == np.isnan(at_bottom), (
        f"{letter}: are both forms among the least probable entries that hold 10 %?"
    )
print(
    "At the top another word takes up the cut-off; at the bottom one form is too probable."
)

# %% [markdown]
# ````{exercise} ★★ Other things
# :label: 07-other
#
# No programming. Coverage at top p cannot exceed p, give or take one token. Which entries could fill the gap between the
# curve and that line? Which of them would you want to judge for agreement?
#
# ```{dropdown} Hint
# Continue *The author* ... in ten different ways, and look at the first word of each.
# ```
# ````
#
# ```{solution} 07-other
# :class: dropdown
#
# Adverbs (*never laughs*), conjunctions, commas, past forms, and verbs whose two forms are not both single tokens. Of these
# the last could be judged at this slot.
# ```

# %% [markdown]
# ````{exercise} ★★ A selected sample
# :label: 07-selected
#
# No programming. Suppose the contexts that keep a verb at top 10 % are those in which the model is surest. What happens to
# the curve of EW at the head? What would you draw instead?
#
# ```{dropdown} Hint
# Which contexts are left in the mean?
# ```
# ````
#
# ```{solution} 07-selected
# :class: dropdown
#
# It is too high there, because the hard contexts have left the mean. Average over the contexts that have a score at every
# cut-off.
# ```

# %% [markdown]
# ````{exercise} ★★★ The same contexts throughout
# :label: 07-same
#
# `scores` has a row for each of 300 contexts of a made-up model and a column for each of three cut-offs; an empty context
# is NaN. Write `falls(scores)`, which returns two numbers: the fall of the mean from the first to the last column over
# whatever contexts each has, and the same fall over the contexts that have a score in *every* column.
#
# ```{dropdown} Hint
# `mean()` leaves NaN out, column by column; `dropna()` leaves out whole rows.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# About half of it. The price of the honest fall: it says nothing about the contexts
# left out.
def falls(scores):
    """Fall of the mean from first to last: over all contexts, over those with every score."""
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
print(
    f"A fall of {answer[0]:.2f}, of which {answer[0] - answer[1]:.2f} is a change of contexts."
)

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - EW and MW judge a part of what a model would say. Print that part, the coverage, beside MW.
# - A point on a curve is a mean over the contexts that have a verb there. Compare its ends over the same contexts.
#
# Functions: {py:func}`tse_book.charts.coverage_curves` and {py:func}`tse_book.charts.invalid_curves`; [all others](../book/api/index.md).
