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
# # What is learned first
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : follow TSE and EW over the training of two small models
#
# You need
# : [A known truth](laboratory.ipynb)
#
# Time
# : 6 minutes to read, seconds to run, from recorded results
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/training_dynamics.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). From a terminal: `papermill training_dynamics.ipynb mine.ipynb`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
plan = "laboratory-steps"  # from data/sweeps; its recorded curves are shown
sizes = "laboratory-sizes"  # the same for the size of the corpus

# %% [markdown] tags=["explains"]
# ## Checkpoints
#
# A model that conjugates nearly every verb may have learned one rule, or one verb after another. In the end both look alike; on the way, a rule should reach frequent and rare verbs at almost the same time.
#
# For each grammar of [the laboratory](laboratory.ipynb), *systematic* and *lexical*, a new model was trained on less text than in that chapter, saved after 1, 2, 4, ... steps (each saved model is a {term}`checkpoint`) and scored on Marvin and Linzen's templates. The 200 most frequent verbs are the *head*, the next 200 the *middle*, and 500 rare ones the *tail*.

# %%
from tse_book.pages import table
from tse_book.studies import dynamics

recorded = dynamics.recorded(plan)
curves = recorded[recorded["construction"] == "All constructions"]
columns = ["name", "step", "band", "metric", "score", "low", "high"]
curves[columns].tail(3)

# %% [markdown] tags=["explains"]
# Each row is a score of one checkpoint, with its 95 % interval over subject nouns. It is a mean over all contexts together, not over the nine constructions as in the laboratory's chapter.
#
# ## Over the steps of training
#
# TSE asks about the templates' own verbs, all in the head; EW is drawn for each band.
#
# ```{dropdown} Predict: in the systematic language, will the frequent verbs come before the rare ones?
# Not if the model learns a rule and nothing else.
# ```

# %%
from tse_book import charts

systematic = curves[curves["name"] == "lab-systematic-checkpoints"]
charts.training_chart(systematic, "A language in which every verb agrees")

# %% [markdown]
# After 512 steps TSE is .92, while EW is .89 in the head, .85 in the middle and .75 in the tail. At the end, after 2,048 steps, head and tail reach 1.00 and .99. One rule covers all verbs of this language, and yet the frequent ones come first. TSE is already 1.00 after 1,024 steps: judged by TSE alone, this model was finished halfway through its training.

# %% [markdown] tags=["explains"]
# ```{dropdown} Predict: in the lexical language, what will EW of the rare verbs do over time?
# It could stay at chance. Or it could rise first, as the model learns that verbs agree, and fall when it learns that the rare ones do not.
# ```

# %%
lexical = curves[curves["name"] == "lab-lexical-checkpoints"]
charts.training_chart(lexical, "A language in which only frequent verbs agree")

# %% [markdown]
# It stays at chance: at every checkpoint the tail's EW is .50, which is also the true value in this language. TSE, which does not ask about these verbs, ends at 1.00. Caveat: a model that knows nothing and one that knows every verb's favourite form both have an EW of one half.

# %% [markdown]
# ## Which construction first
#
# When does EW over all verbs reach .9, in the systematic language?

# %%
whole = recorded[recorded["name"] == "lab-systematic-checkpoints"]
whole = whole[(whole["metric"] == "EW") & (whole["band"] == "all")]
whole = whole[whole["construction"] != "All constructions"]
reached = whole[whole["score"] >= 0.9].groupby("construction", sort=False)["step"]
table(reached.min().reset_index(), "The first checkpoint with an EW of .9 or more")

# %% [markdown] tags=["explains"]
# *In object relative (no that)* reaches .9 after 512 steps, the other eight only after 1,024.
#
# ## Over the size of the corpus
#
# Every model takes the same number of steps; the corpus grows from 1,000 sentences, read many times, to 64,000.

# %%
by_size = dynamics.recorded(sizes).rename(columns={"step": "sentences"})
by_size = by_size[by_size["construction"] == "All constructions"]
by_size = by_size[by_size["metric"] == "EW"]
by_size = by_size.pivot(index="sentences", columns="band", values="score")
bands = ["head", "middle", "tail"]
table(by_size[bands].reset_index(), "EW by size of the corpus, systematic language")

# %% [markdown]
# From 1,000 sentences a model hardly learns agreement, not even in the head (.52). From 8,000 it gets .94 of the head and .67 of the tail right, from 64,000 all of the head and .94 of the tail. Caveat: each size, like each language above, has only one model, trained once.

# %% [markdown] tags=["explains"]
# ## Your own models
#
# The plan `pythia` names twenty checkpoints of Pythia on the Hugging Face hub ([You have a GPU, or a cluster?](../book/gpu.md) says how to run a plan). On a GPU:
#
# ```bash
# tse sweep data/sweeps/pythia.yaml
# tse training-curves data/sweeps/pythia.yaml data/recorded/dynamics/pythia.csv
# ```
#
# Then `dynamics.recorded("pythia")` gives a table like those above. There the head consists of the likeliest verbs, which together have half of the probability that the last checkpoint gives to verbs, and the tail consists of the least likely ones, which have the last tenth. {py:class}`tse_book.EvaluationCallback` scores a model while Hugging Face's Trainer trains it.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/training_dynamics.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

from tse_core.paths import data_folder

# scores over all constructions: a row for each step, a column for each metric and band
recorded = pd.read_csv(data_folder() / "recorded" / "dynamics" / "laboratory-steps.csv")
recorded = recorded[recorded["construction"] == "All constructions"]
recorded["score of"] = recorded["metric"] + " " + recorded["band"]
by_name = recorded.pivot_table("score", ["name", "step"], "score of")
systematic = by_name.loc["lab-systematic-checkpoints"]
lexical = by_name.loc["lab-lexical-checkpoints"]

# %% [markdown]
# ````{exercise} ★ Which metric moves first?
# :label: 13-first
#
# `lexical["EW head"]` is a Series, {term}`EW` of the frequent verbs by step of training; `lexical["MW head"]` is {term}`MW`. Make `first`, a dictionary from `"EW"` and `"MW"` to the first step at which each is above 0.9. What does the later one wait for?
#
# ```{dropdown} Hint
# `series[series > 0.9]`; the index of a Series holds the steps.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# EW only asks that the right form be ahead, MW that the wrong forms be improbable.
first = {}
for metric in ("EW", "MW"):
    scores = lexical[f"{metric} head"]
    first[metric] = int(scores[scores > 0.9].index[0])

# %% tags=["hide-cell", "check"]
assert isinstance(first, dict), "first should be a dictionary: metric -> step"
assert set(first) == {"EW", "MW"}, "first needs the keys EW and MW"
for metric, step in first.items():
    above = lexical[f"{metric} head"] > 0.9
    assert above.get(step), f"{metric} is not above 0.9 at step {step}"
    assert above.idxmax() == step, f"{metric} was above 0.9 before step {step}"
print(f"EW after {first['EW']} steps, MW after {first['MW']}: first ahead, then sure.")

# %% [markdown]
# ````{exercise} ★★ Head before tail
# :label: 13-lag
#
# Compute `lead`, a Series by step: EW of the head minus EW of the tail in `systematic`; `widest`, the step at which it is largest; and `end`, its last value. How would the lead develop in a model that learns a rule, and in one that learns verb by verb?
#
# ```{dropdown} Hint
# `Series.idxmax()` gives the step of the largest value.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# A rule: the lead stays near 0. Verb by verb: it rises and stays. Here it rises and
# comes back: the head is learned first, and the rule then reaches the tail.
lead = systematic["EW head"] - systematic["EW tail"]
widest = int(lead.idxmax())
end = float(lead.iloc[-1])

# %% tags=["hide-cell", "check"]
assert isinstance(lead, pd.Series), "lead should be a Series by step"
assert isinstance(end, float), "end should be a number"
known = systematic.eval("`EW head` - `EW tail`")
assert lead.index.equals(known.index), "lead should have a value for each step"
assert (lead - known).abs().max() < 1e-9, "lead: head minus tail"
assert widest == known.idxmax(), "widest: the lead is larger at another step"
assert end == lead.iloc[-1], "end: the value at the last step"
print(f"The lead is {lead.max():.2f} after {widest} steps and ends at {end:.2f}.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ One low tail, two stories
# :label: 13-tail
#
# A finished model of an unknown language has an EW of 1.00 for its frequent verbs and 0.60 for its rare ones. Give two explanations, and say how its checkpoints would tell them apart.
#
# ```{dropdown} Hint
# In which of the two languages can a tail be at 0.60, and when?
# ```
# ````
#
# ```{solution} 13-tail
# :class: dropdown
#
# Either training stopped before the rule reached the rare verbs, or the rule holds only for the frequent ones. In the first case the tail is still rising; in the second it has long been flat.
# ```

# %% [markdown]
# ## Takeaways
#
# Judged by TSE, a model can look finished while it still gets rare verbs wrong. Checkpoints show in which order verbs are learned; a finished model does not.
#
# Functions: {py:func}`tse_core.sweep.running.sweep`, {py:func}`tse_book.studies.dynamics.training_curves` and {py:func}`tse_book.charts.training_chart`.
