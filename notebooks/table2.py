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
# # Table 2: EW lies below TSE, which rests mostly on *be*
#
# {term}`EW` lies below {term}`TSE` in nearly every cell; on the two models measured here, a third of the difference is left without one verb, *be*.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : compare the published scores of four models with those of two others, and look at the verbs behind TSE
#
# You need
# : [Methods](methods.ipynb) and [Data](data.ipynb)
#
# Time
# : 8 minutes to read, two minutes to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/table2.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill table2.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]  # short names, folders, or names on the hub
recorded = ["gemma-3-270m"]  # shown beside them, from results kept with the book
data = ["marvin-linzen"]  # "newman-blimp" needs: tse data fetch newman-blimp
lemmas = "newman-clean"  # the list of verbs
protocol = "exact"  # "released": exactly as the authors' code counts

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
recorded = as_list(recorded)
data = as_list(data)

# %% [markdown] tags=["explains"]
# ## What was published
#
# Are the verbs that TSE asks about easier than verbs in general? {cite:t}`newman2021refining` scored four models. A row of their Table 2 is a {term}`construction`; the last one uses sentences from the benchmark [BLiMP](blimp.ipynb). In the chart each row is a line with a mark for each score.
#
# ```{dropdown} Predict: will EW, which asks about a thousand verbs, be above or below TSE?
# Below, if a model makes more mistakes with rare verbs than with common ones. Equal, if agreement is a rule for every verb alike.
# ```

# %%
from tse_book import charts, published

paper = published.table2().replace("GPT2", "GPT-2 XL")
charts.table2_dots(paper, title="Table 2 as published")

# %%
from tse_book.pages import folded, table

wide = paper.pivot(index="construction", columns=["model", "metric"], values="score")
wide = wide.sort_index(axis=1).loc[list(published.CONSTRUCTIONS)]
wide = wide.reindex(["TSE", "EW", "MW"], axis="columns", level="metric")
folded(table(wide, "As published", index=True), "All 120 numbers")

# %% [markdown]
# A cell is one construction for one model. In how many cells is EW below TSE?

# %%
cells = paper.pivot(index=["model", "construction"], columns="metric", values="score")
(cells["EW"] < cells["TSE"]).value_counts()

# %% [markdown]
# EW is below TSE in 37 of 40 cells, and equal in the other three: the paper's main finding. MW is above EW in 34 of the 40, which says little, because MW answers a different question.
#
# Three of the four models, BERT and RoBERTa, are {term}`masked <masked model>`: they read both sides of the verb. Only GPT-2 XL reads the left side alone. Is the gap the same for both kinds?

# %%
gap = (cells["TSE"] - cells["EW"]).groupby("model").mean().rename("TSE - EW")
reads = {"GPT-2 XL": "the left side"}
gap = gap.reset_index()
gap.insert(1, "reads", gap["model"].map(reads).fillna("both sides"))
table(gap.sort_values("TSE - EW"), "The published gap, mean of ten rows", digits=3)

# %% [markdown]
# No: it is .064 to .083 for the three masked models, and .143 for GPT-2 XL. The paper expects that a verb that is also a noun (*plan*) misleads EW only in models that read the left side alone. But the masked models show a gap, too (nouns are not the only reason for one: see *be* below).

# %% [markdown] tags=["explains"]
# ## Measured here
#
# Will two models that the paper never saw show the same order? SmolLM2-135M-Instruct and Gemma 3 270M, twice its size, are {term}`causal <causal model>` and {term}`quantised` to four bits.

# %%
import tse_core
from tse_book.pages import real_models
from tse_book.recorded import with_recorded

# the models of the first cell, laboratory models only if there are no others
asked = real_models(models) or models
# detail="lemmas" keeps the scores of every verb, for intervals over verbs
runs = tse_core.evaluate_models(asked, data, lemmas, protocol=protocol, detail="lemmas")
runs = with_recorded(runs, recorded, data, lemmas, protocol=protocol)  # adds Gemma

# %%
scores = runs.intervals()
scores = scores[scores["metric"].isin(["TSE", "EW", "MW"])]
measured_chart = charts.table2_dots(scores, title="Table 2, measured here")
measured_chart

# %%
wide = scores.pivot_table("score", "construction", ["model", "metric"], sort=False)
wide = wide.sort_index(axis="columns")
wide = wide.reindex(["TSE", "EW", "MW"], axis="columns", level="metric")
folded(table(wide, "As measured", index=True), "The numbers")

# %% [markdown] tags=["explains"]
# Yes: EW is below TSE in all nine rows of both models, by .10 on average for SmolLM2, and by .11 for Gemma. The thin lines are 95&nbsp;% {term}`intervals <confidence interval>` over subject nouns. For the tenth row, BLiMP's sentences, of a model of your own, run `tse data fetch newman-blimp` and add `"newman-blimp"` to `data` in the first cell. Only the paper's own models can reproduce its numbers ([You have a GPU?](../book/gpu.md)).
#
# Intervals that overlap do not say whether two scores differ, because a noun that is hard for one score is hard for the other. `compare` takes the difference noun by noun. Its intervals are corrected for asking in nine rows ({term}`Bonferroni correction`): where one lies above 0, TSE is higher.

# %%
by_subject = runs.compare("TSE", "EW")
shown = ["model", "construction", "difference", "low_corrected", "high_corrected"]
corrected = by_subject[shown].set_axis(
    ["model", "row", "difference", "low", "high"], axis=1
)
caption = "TSE minus EW, with corrected intervals over subjects"
folded(table(corrected, caption, digits=3), caption)

# %% [markdown]
# MW is above EW, too: on average by .042 for SmolLM2 (.027 to .057 over other subjects) and by .063 for Gemma (.048 to .077). Would it be with other verbs? Sampled over both, SmolLM2's interval is .011 to .104, Gemma's reaches from below 0 to .179. So it would be on SmolLM2, and is undecided on Gemma.

# %% [markdown] tags=["explains"]
# ## TSE rests on a few verbs, above all on *be*
#
# These intervals say what other subjects would give, with the *same* verbs. A construction has two to eight verbs in TSE. How far does each verb lie above EW, in the rows in which it occurs?
#
# ```{dropdown} Predict: will all of TSE's verbs lie above EW?
# If TSE overstates agreement because its verbs are common, the most common ones should lie furthest above.
# ```

# %%
import pandas as pd

verbs_of, rows_of = {}, {}  # of each model, a part for each data set
for name, run in runs.runs:
    pairs = run.pairs.dropna(subset="tse")
    rows = run.table().set_index("construction")
    of_verbs = pairs.groupby(["lemma", "construction"])["tse"].mean()
    verbs_of.setdefault(name, []).append(of_verbs - rows["EW"])
    others = pairs[pairs["lemma"] != "be"].groupby("construction")["tse"].mean()
    rows = rows[["EW", "TSE", "TSE_items"]].assign(others=others)
    rows_of.setdefault(name, []).append(rows)
by_verb = []
for name, parts in verbs_of.items():
    by_verb.append(pd.concat(parts).groupby("lemma").mean().rename(name))
by_row = [pd.concat(parts) for parts in rows_of.values()]

# %%
verbs = pd.concat(by_verb, axis="columns").sort_values(by_verb[0].name, ascending=False)
caption = "TSE of one verb minus EW, mean of the rows with this verb"
table(verbs.rename_axis("verb").reset_index(), caption)

# %% [markdown] tags=["explains"]
# A dash: the model's tokenizer splits a form of the verb. *Be* lies .14 above EW for SmolLM2 and .18 for Gemma, *smile* .02 and .00. And *be* counts most: it is in seven of the nine rows, and several of its pairs are one {term}`decision <distinct decision>` ([Data](data.ipynb)). So what is left of the difference without *be*, and what if each decision counts once?

# %%
columns = {"TSE": "all", "others": "no be", "TSE_items": "once"}
differences = []
for rows in by_row:
    less_ew = rows[list(columns)].sub(rows["EW"], axis="index")
    less_ew.loc["mean"] = less_ew.mean()
    differences.append(less_ew.rename(columns=columns))
differences = pd.concat(differences, axis="columns", keys=list(rows_of))
caption = "TSE minus EW: all pairs, without be, each decision once"
table(differences, caption, index=True)

# %% [markdown] tags=["explains"]
# Without *be*, TSE lies above EW by .035 for SmolLM2 and by .037 for Gemma, a third of the difference, and below it in two of the nine rows on both. With each decision counted once, the difference is .07 for both. Leaving out any other verb hardly changes it: at least .09 are left. So much for why TSE is high; [In real sentences](real_sentences.ipynb) asks why EW is low.

# %% [markdown] tags=["explains"]
# ## Why a row is low: how far its verbs move
#
# EW says how many verbs are wrong, not why. How far does the subject's number move the verbs of a row on average ({term}`sensitivity`), how unequally ({term}`spread` over mean), and what do they prefer anyway ({term}`bias`)?

# %%
from tse_book.model_names import SHOWN_NAMES

measures = ["EW", "sensitivity", "relative_spread", "bias"]
movement = runs.table()[["model", "construction", *measures]]
movement = movement.rename(columns={"relative_spread": "spread / mean"})
for name, rows in movement.groupby("model", sort=False):
    caption = f"{SHOWN_NAMES.get(name, name)}: EW, and how far verbs move (nats)"
    display(table(rows.drop(columns="model"), caption))

# %% [markdown] tags=["explains"]
# Two rows can be low for different reasons. *In a sentential complement* and *Across object relative (no that)* have nearly the same EW: .77 and .78 on SmolLM2, .70 and .73 on Gemma. In both rows verbs move little. In the first they move a little farther, by 1.53 nats on SmolLM2 and 1.66 on Gemma, but models prefer the plural form more there (bias .93 and 1.86). In the second they move by 1.36 and 1.27 nats, and the bias is smaller (.24 and .90).

# %% [markdown] tags=["explains"]
# ## With and without a BOS token
#
# How much can a row's TSE change with the {term}`BOS token`, which most models read before the first word?

# %%
from tse_book.recorded import recorded_details

# scores of the same sentences, read in several ways
wordings = recorded_details("smollm2-135m-instruct", "wordings").table
wordings = wordings[wordings["capital"]]  # the first word with a capital letter
names = {"default": "SmolLM2, BOS token", "none": "SmolLM2, no BOS token"}
readings = wordings.assign(model=wordings["bos"].map(names)).melt(
    ["model", "construction"], ["TSE", "EW", "MW"], "metric", "score"
)
charts.table2_dots(readings, title="With and without a BOS token")

# %% [markdown] tags=["explains"]
# Without the token, TSE of *Across object relative (no that)* falls from .87 to .62. EW stays below TSE in nine of the ten rows, BLiMP's among them; in the row *In object relative (no that)* it is now above TSE.

# %% tags=["hide-input"]
charts.download_table(runs.tidy(), "table2-measured.csv", "All numbers, measured")

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/table2.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book import published

paper = published.table2()
cells = paper.pivot(index=["model", "construction"], columns="metric", values="score")

# a made-up model that knows the number of seven of ten nouns, each in twelve contexts
nouns = np.repeat(np.arange(10), 12)
ability = np.where(nouns < 7, 0.97, 0.70)
noise = np.random.default_rng(3).normal(0, 0.03, len(nouns))
scores = np.clip(ability + noise, 0, 1)

# %% [markdown]
# ````{exercise} ★ The exceptions
# :label: 03-exceptions
#
# Find `exceptions`: the set of all cells, as (model, construction), with MW *below* EW. What do their rows have in common?
#
# ```{dropdown} Hint
# Compare two columns of `cells`; its index holds model and construction.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# All lie inside an object relative clause, where the verb comes right after its
# subject and the attractor stands before both. GPT-2 is not among them.
exceptions = set(cells[cells["MW"] < cells["EW"]].index)

# %% tags=["hide-cell", "check"]
kind = "exceptions should be a set of (model, construction)"
assert isinstance(exceptions, set), kind
for cell in cells.index:
    below = cells.loc[cell, "MW"] < cells.loc[cell, "EW"]
    assert (cell in exceptions) == below, f"{cell}: is MW below EW there?"
print(f"{len(exceptions)} of {len(cells)} cells are exceptions.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★ Two numbers to ask for (no Python)
# :label: 03-ask
#
# A colleague finds a TSE of .96 and an EW of .80, and concludes that the model has learned common verbs only. Which two numbers would you ask for?
#
# ```{dropdown} Hint
# Which verbs does TSE rest on? Which verbs does EW count as wrong?
# ```
# ````
#
# ```{solution} 03-ask
# :class: dropdown
#
# TSE without *be*, or with each decision counted once; and EW by kind of verb, since verbs that are also nouns may look like errors.
# ```

# %% [markdown]
# ````{exercise} ★★★ Sentences are not independent
# :label: 03-bootstrap
#
# The cell above makes up a model's `scores` in 120 contexts; `nouns` has a number for the subject of each. Write
# `interval(scores, groups, draws=2000)`: draw whole groups with replacement, take the mean of their scores, repeat, and return
# the 2.5&nbsp;% and 97.5&nbsp;% quantiles. Compare the groups `nouns` and `range(120)`.
#
# ```{dropdown} Hint
# `numpy.random.default_rng(0).integers(0, n, n)` draws n group numbers.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# The interval over nouns is right: with other nouns the score could be far from this
# one, however many sentences they stand in.
def interval(scores, groups, draws=2000):
    """Bounds of a 95 % interval of the mean, from drawing whole groups."""
    groups = np.asarray(groups)
    members = [scores[groups == group] for group in np.unique(groups)]
    random = np.random.default_rng(0)
    means = []
    for _ in range(draws):
        drawn = random.integers(0, len(members), len(members))
        means.append(np.concatenate([members[i] for i in drawn]).mean())
    return np.quantile(means, [0.025, 0.975])


# %% tags=["hide-cell", "check"]
by_noun = interval(scores, nouns)
assert np.shape(by_noun) == (2,), "interval should return two numbers, low and high"
assert by_noun[0] < scores.mean() < by_noun[1], "the mean should lie in its interval"
noun_means = scores.reshape(10, 12).mean(axis=1)
expected = 3.92 * noun_means.std() / np.sqrt(10)
width = by_noun[1] - by_noun[0]
wrong = f"over nouns {width:.2f} wide, not {expected:.2f}: do you draw whole groups?"
assert abs(width / expected - 1) < 0.2, wrong
by_sentence = interval(scores, range(120))
narrow = by_sentence[1] - by_sentence[0]
wrong = f"over sentences it should be about 0.04 wide, not {narrow:.2f}"
assert 0.03 < narrow < 0.06, wrong
print(f"Over nouns {width:.3f} wide, over sentences {narrow:.3f}.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - EW is below TSE; on the two models measured here, a third of the difference is left without *be*.
# - A row is low where verbs move little, and lower where models prefer one form whatever the subject is.
# - A BOS token can move TSE by .25; the {term}`signature` of a number says which token was read, if any.
#
# Functions: {py:func}`tse_core.evaluate_models` and {py:func}`tse_core.agreement.comparison.compare_metrics`.
