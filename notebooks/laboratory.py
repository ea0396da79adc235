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
# # Where the truth is known: TSE cannot tell a rule from verbs learned one by one
#
# In a language whose true scores are known, TSE cannot tell a model that learned the rule from one that learned its frequent verbs one by one; EW can.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : test the three scores on a language whose right answers are known, and see what is learned first
#
# You need
# : [Methods](methods.ipynb)
#
# Time
# : 7 minutes to read, half a minute to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/laboratory.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). From a terminal: `papermill laboratory.ipynb mine.ipynb`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
grammars = ["systematic", "lexical"]  # the language's two grammars, in this order
plan = "laboratory-steps"  # from data/sweeps; its recorded curves are shown

# %%
from tse_book.pages import as_list

grammars = as_list(grammars)  # one string works, too

# %% [markdown] tags=["explains"]
# Does each score measure what it should? Nobody knows what a perfect model of English would score. So this project made a small language, *the laboratory*, whose true scores can be worked out by arithmetic.
#
# ## A made-up language
#
# The language has the nouns and constructions of Marvin and Linzen's templates {cite}`marvin2018targeted`, and several hundred verbs. Its sentences follow a grammar and need not make sense:

# %%
from tse_book.laboratory.corpus import sentences
from tse_book.laboratory.language import load_language

language = load_language()
for sentence in sentences(language, "systematic", 8):
    print(sentence)

# %% [markdown]
# Its verbs fall into three bands, from frequent to rare: *head*, *middle* and *tail*. The verbs that the templates ask about, such as *laugh* and *like*, are all in the head.

# %%
from tse_book.pages import table

verbs = language.lemmas.groupby("band", sort=False)["lemma"]
bands = verbs.agg(verbs="size", examples=lambda lemmas: ", ".join(lemmas[:8]))
table(bands.reset_index(), "The verbs of the language, from frequent to rare")

# %% [markdown] tags=["explains"]
# The language has two grammars.
#
# Systematic grammar
# : Every verb agrees with its subject: a rule.
#
# Lexical grammar
# : Verbs in the head always agree; middle-band verbs agree in three of every four uses. Each verb in the tail takes its favourite form in nine of every ten uses, whatever the subject. So there is no rule, and a model must learn each verb by itself.
#
# In both grammars a verb sometimes agrees with the nearest noun instead, by {term}`attraction` {cite}`bock1991broken`.
#
# ## The truth, by arithmetic
#
# ```{dropdown} Predict: which of the three scores is the same in both grammars?
# TSE. It asks about frequent verbs, which agree in both grammars.
# ```
#
# A perfect model has the language's own probabilities, so its scores can be computed without training any model.

# %%
import pandas as pd

from tse_book.laboratory.known_truth import truth

truths = [truth(name).assign(grammar=name) for name in grammars]
truths = pd.concat(truths)
scores = ["TSE", "EW", "MW"]
means = truths.groupby(["grammar", "band"], sort=False)[scores].mean()
table(means.reset_index(), "The true scores: means over the nine constructions")

# %% [markdown] tags=["explains"]
# TSE is perfect in both grammars: it cannot tell them apart. (A dash means that TSE asks about no verb of that band.) But EW can: in the lexical grammar half of the decisions about tail verbs are wrong, and EW over all verbs is .70. MW falls less, from .98 (attraction keeps it below 1) to .85, because these verbs are rare.
#
# In the lexical grammar, EW for the middle band is .89. The reason is that across an object relative clause a noun of the other number stands just before the verb, and attraction makes most uses of these verbs wrong. Elsewhere EW is 1, although one use in four is wrong: the correct form is still more probable, so the verb counts in full.

# %% [markdown] tags=["explains"]
# ## Measured, beside the truth
#
# A causal and a masked model were trained on sentences of each grammar and tested on every verb. The dot is the measured score, the tick the true one.

# %%
from tse_core.paths import data_folder

recorded = data_folder() / "recorded" / "laboratory"
measured = pd.read_csv(recorded / "scores.csv")
overall = measured[measured["band"] == "all"]
lexical_model = overall[overall["model"] == "lab-lexical-causal"]

# %%
from tse_book import charts

title = "A causal model of the lexical grammar, all verbs"
charts.truth_vs_measured(lexical_model, title)

# %% [markdown] tags=["explains"]
# Most dots lie on their ticks. The models of the systematic grammar have an EW of 1.00 in every construction.
#
# EW is far off in only two rows, across an object relative clause with and without *that*: it should be .61 and is .72. A model that has seen a middle-band verb only a few dozen times probably relies on how verbs behave in general. The error is the model's, and the score reports it.

# %% [markdown] tags=["explains"]
# ## What the few verbs of TSE hide
#
# Which score shows that only one of the two causal models learned the rule?

# %%
names = {f"lab-{grammar}-causal": f"{grammar} grammar" for grammar in grammars}
causal = overall[overall["model"].isin(names)].replace({"model": names})
compared = causal.groupby("model", sort=False)[scores].mean().T
first, second = compared.columns  # the systematic model, the lexical one
compared["difference"] = compared[first] - compared[second]
caption = "Two causal models, means over the nine constructions"
table(compared.reset_index(names="score"), caption, digits=3)

# %% [markdown] tags=["explains"]
# Not TSE. EW does, and the curves show where, as the {term}`cut-off` moves from likely verbs (left) to unlikely ones (right).

# %%
curves = pd.read_csv(recorded / "curves.csv").replace({"model": names})
longest = "Across object relative clause"
shown = curves["construction"].isin(["Simple", longest])
shown &= curves["model"].isin(compared.columns)
title = "EW from likely to unlikely verbs, two grammars"
chart = charts.cutoff_curves(curves[shown], "EW", chosen=longest, title=title)
chart

# %% [markdown] tags=["explains"]
# Both begin at 1. The systematic model stays there; the lexical one falls as rare verbs come in. In English a curve can fall for other reasons: see [In real sentences](real_sentences.ipynb).
#
# ## Frequent verbs are learned first, even where one rule covers all
#
# A finished model does not show how it learned. For each grammar a new model was trained on less text, saved after 1, 2, 4, ... steps (each saved model is a {term}`checkpoint`) and scored on all contexts of the templates together. TSE asks about verbs of the head; EW is drawn for each band.
#
# ```{dropdown} Predict: in the systematic language, will the frequent verbs come before the rare ones?
# Not if the model learns a rule and nothing else.
# ```

# %%
from tse_book.studies import dynamics

steps = dynamics.recorded(plan)
steps = steps[steps["construction"] == "All constructions"]
systematic = steps[steps["name"] == "lab-systematic-checkpoints"]
charts.training_chart(systematic, "A language in which every verb agrees")

# %% [markdown]
# After 512 steps TSE is .92, while EW is .89 in the head, .85 in the middle and .75 in the tail. At the end, after 2,048 steps, head and tail reach 1.00 and .99. TSE is 1.00 after 1,024 steps: judged by TSE alone, this model was finished halfway through its training.

# %%
lexical = steps[steps["name"] == "lab-lexical-checkpoints"]
charts.training_chart(lexical, "A language in which only frequent verbs agree")

# %% [markdown] tags=["explains"]
# In the lexical language the tail's EW is .50 at every checkpoint, which is also its true value, and TSE ends at 1.00. Each language has only one model here, trained once. [You have a GPU?](../book/gpu.md) says how to draw such curves for other models.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/laboratory.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book.laboratory.known_truth import truth
from tse_book.laboratory.language import load_language

language = load_language()
bands = language.lemmas["band"].value_counts()

# Every verb's probability of agreeing in simple sentences, and its frequency, under both grammars.
agreeing = {
    grammar: language.correct(grammar, "Simple").mean(axis=(1, 2))
    for grammar in ("systematic", "lexical")
}
frequency = np.array(language.frequency)

# %% [markdown]
# ````{exercise} ★ Truth without a model
# :label: 16-truth
#
# `bands` counts the verbs of each band. Compute `ew`, the true {term}`EW` of *Simple* in the lexical grammar, where half of the subjects are singular. Why is it not just the share of verbs in the head and the middle?
#
# ```{dropdown} Hint
# How often does a verb that always takes its singular form happen to be right?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# A verb with a favourite form is right whenever the subject happens to have that number.
share_with_rule = (bands["head"] + bands["middle"]) / bands.sum()
ew = float(share_with_rule + (1 - share_with_rule) / 2)

# %% tags=["hide-cell", "check"]
assert isinstance(ew, float), "ew should be a number"
known = truth("lexical").query("construction == 'Simple' and band == 'all'")
known = known["EW"].item()
assert abs(ew - known) < 1e-6, f"ew is {ew:.4f}, which is not what the grammar gives"
print(f"EW {ew:.4f}: known before any model was trained.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ What the laboratory cannot show (no Python)
# :label: 16-limits
#
# Name two things about scores of BERT or GPT-2 that the laboratory cannot show.
#
# ```{dropdown} Hint
# What is simpler in a made-up language than in English?
# ```
# ````
#
# ```{solution} 16-limits
# :class: dropdown
#
# What those models know, and whether the verb list suits English with its {term}`homographs <homograph>`, because here every form has only one meaning.
# ```

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ One low tail, two stories (no Python)
# :label: 16-tail
#
# A finished model of an unknown language has an EW of 1.00 for its frequent verbs and 0.60 for its rare ones. Give two explanations, and say how its checkpoints would tell them apart.
#
# ```{dropdown} Hint
# In which of the two languages can a tail be at 0.60, and when?
# ```
# ````
#
# ```{solution} 16-tail
# :class: dropdown
#
# Either training stopped before the rule reached the rare verbs, or the rule holds only for the frequent ones. In the first case the tail is still rising; in the second it has long been flat.
# ```

# %% [markdown]
# ````{exercise} ★★★ A metric of your own
# :label: 16-metric
#
# Write `score(agreeing, frequency)`, which takes two arrays, each verb's probability of agreeing and its frequency, and returns a number from 0 to 1. It should tell the two grammars apart by more than 0.05 *and* weigh likely verbs more than unlikely ones, but less than {term}`MW` does. What does it miss?
#
# ```{dropdown} Hint
# EW weighs every verb by 1, MW by its frequency. What lies between?
# ```
# ````


# %% tags=["hide-cell", "solution"]
# A weighted metric misses whatever has a small weight: here it is still the rarest verbs.
def score(agreeing, frequency):
    """Mean probability of agreeing, weighted by the root of the frequency."""
    return float(np.average(agreeing, weights=np.sqrt(frequency)))


# %% tags=["hide-cell", "check"]
common = np.array([8.0, 4.0, 2.0, 1.0])
perfect = score(np.ones(4), common)
assert isinstance(perfect, float), "score should return a number"
assert abs(perfect - 1) < 1e-9, "score should be 1 where every verb agrees"
first_wrong, last_wrong = np.array([0.0, 1, 1, 1]), np.array([1.0, 1, 1, 0])
low, high = score(first_wrong, common), score(last_wrong, common)
assert high > low, "an error on a frequent verb should cost more"
mw = np.average(first_wrong, weights=common)
assert low > mw, "frequent verbs should count less than in MW"
apart = score(agreeing["systematic"], frequency) - score(agreeing["lexical"], frequency)
assert apart > 0.05, f"the two grammars are only {apart:.3f} apart"
print(f"The grammars are {apart:.3f} apart under your metric.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# TSE cannot tell a rule from frequent verbs learned one by one, and it looks finished while rare verbs are still wrong. EW shows the difference, but a form that is just ahead counts as much as one that is far ahead. In MW rare verbs carry little weight, however wrong they are.
#
# Functions: {py:func}`tse_book.laboratory.known_truth.truth`, {py:func}`tse_book.laboratory.training.train` and {py:func}`tse_extras.sweep.curves.training_curves`.
