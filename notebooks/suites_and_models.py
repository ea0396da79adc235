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
# # Models, suites and circuits
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : compare two small models with those recorded in 2020
#
# You need
# : [SyntaxGym](syntaxgym.ipynb)
#
# Time
# : 6 minutes to read, seconds to run, from recorded results
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/suites_and_models.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With one model: `papermill suites_and_models.ipynb mine.ipynb -p recorded gemma-3-270m`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
recorded = ["smollm2-135m-instruct", "gemma-3-270m"]  # shown if they are recorded

# %%
from tse_book.pages import as_list

recorded = as_list(recorded)  # one string works, too

# %% [markdown] tags=["explains"]
# ## How many suites are there?
#
# [SyntaxGym](https://syntaxgym.org) is a website for suites, with [a command line](https://cpllab.github.io/syntaxgym-core/) and, for models, [lm-zoo](https://cpllab.github.io/lm-zoo/). There are [34 public files](https://github.com/cpllab/syntactic-generalization). One has only a single item; without it there are 33, as {cite:t}`gauthier2020syntaxgym` say. {cite:t}`hu2020systematic` set two more aside, which leaves 31, in six {term}`circuits <circuit>`, groups of suites that test one ability.

# %%
from tse_book.pages import folded, table
from tse_core.syntaxgym.library import public_suites

public = public_suites()
outside = public[~public["in_31"]]
columns = ["suite", "items", "in_33", "in_31", "formula"]
shown = table(outside[columns], "The public suites that are not in every count")
folded(shown, "The suites that are not in every count")

# %%
circuits = public[public["in_31"]].groupby("circuit")["items"]
counts = circuits.agg(suites="size", items="sum").reset_index()
table(counts, "The 31 suites by circuit")

# %% [markdown] tags=["explains"]
# ## The models of the SyntaxGym paper
#
# The paper's Table 1 lists eight models. Hu and colleagues recorded their accuracies; a *run* is one training of a model.

# %%
from tse_book import published

hu2020 = published.hu2020_suites()
runs = hu2020.drop_duplicates(["model", "corpus", "seed"])["model"].value_counts()
eight = published.syntaxgym_models()
eight["runs"] = eight["recorded_as"].map(runs)
shown = eight.drop(columns="recorded_as")
shown.columns = ["model", "reference", "trained on", "million tokens", "runs"]
table(shown, "SyntaxGym's Table 1; the size of WebText is an estimate", digits=0)

# %% [markdown]
# ## A model that the paper did not test
#
# SmolLM2-135M-Instruct has about as many parameters as the small GPT-2 and is five years younger. It read every sentence after its {term}`BOS token`. The *SG score* is a model's mean accuracy over the 31 suites.
#
# ```{dropdown} Predict: where will it rank among the recorded models?
# Near the small GPT-2, if size is what matters. More training text should help; weights {term}`quantised` to four bits may hurt.
# ```

# %%
import pandas as pd

from tse_book.pages import recorded_suites

names = eight.set_index("recorded_as")["model"].to_dict()
# two more models, which Hu and colleagues trained themselves
named = hu2020["model"].replace(names | {"gpt-2": "GPT-2", "ngram": "n-gram"})
hu2020["run"] = named + " " + hu2020["corpus"].fillna("")
hu2020["run"] = hu2020["run"].str.strip()
ours = recorded_suites(recorded)
everything = pd.concat([hu2020, ours.assign(run=ours["model"])])
of_31 = everything[everything["in_31"]]
scores = of_31.groupby("run")["accuracy"].mean().sort_values(ascending=False)

# %%
from tse_book.charts import bars

ranked = scores.reset_index(name="SG score")
ranked["recorded by"] = "Hu et al. (2020)"
ranked.loc[ranked["run"].isin(recorded), "recorded by"] = "this book"
bars(ranked, "run", "SG score", title="SG score", colour="recorded by")

# %% [markdown] tags=["explains"]
# SmolLM2's SG score is .67: below both sizes of GPT-2 as released (.78 and .84), above Transformer-XL (.60). Without the BOS token it is .53. Gemma 3 270M, twice as large as SmolLM2, reaches .78.

# %% [markdown] tags=["explains"]
# ## Suites in, models in, a chart out
#
# In the paper's Figure 1, models run on suites and a chart compares them. [The gym](../book/gym.md) does this for suites and models of your own.

# %%
from tse_book.charts import heat_map

trained = ["GPT-2 XL", "GPT-2", "Transformer-XL", "JRNN", "GRNN"]
some = of_31[of_31["run"].isin([*recorded, *trained])]
by_circuit = some.groupby(["circuit", "run"], as_index=False)["accuracy"].mean()
heat_map(by_circuit, "circuit", "run", "accuracy", title="Accuracy by circuit")

# %% [markdown] tags=["explains"]
# Of the five models recorded in 2020, GPT-2 XL is best on five of the six circuits; Gemma is ahead of it on Center Embedding (.98 against .96). Compared with the small GPT-2, SmolLM2 loses most on Gross Syntactic State (.48 against .89).
#
# Caveat: guessing gets 0.5 on one suite and 0.2 on another. Most suites have 19 to 40 items, so an accuracy is uncertain by ten to twenty points either way.

# %% [markdown] tags=["explains"]
# ## One suite, eight models
#
# *Figure 4a of the paper* compares the eight models on `number_prep`, the suite of [the last chapter](syntaxgym.ipynb). Where a model has several runs, their mean is shown.

# %%
one_suite = everything.query("suite == 'number_prep'").replace({"model": names})
one_suite = one_suite[one_suite["model"].isin([*names.values(), *recorded])]
means = one_suite.groupby("model")["accuracy"].mean().sort_values(ascending=False)
bars(means.reset_index(), "model", "accuracy", title="Accuracy on number_prep")

# %% [markdown] tags=["explains"]
# SmolLM2, GPT-2 and GPT-2 XL are right on the same number of items, 15 of 19 (.79); Gemma is right on 10 (.53). The LSTM gets nearly none (.02).

# %% [markdown] tags=["explains"]
# ## Every suite
#
# The chart shows the two models of this book and five recorded in 2020 on every suite.

# %%
from tse_book.charts import suite_accuracy

theirs = hu2020[hu2020["run"].isin(trained)].assign(model=hu2020["run"])
ours = ours.sort_values(["circuit", "suite"])
suite_accuracy(ours, theirs, title="Accuracy on every suite")

# %% [markdown] tags=["explains"]
# The four suites on which SmolLM2 scores lowest are about reflexives across a relative clause (at most .21). To run a model of your own on all suites: `tse data fetch syntaxgym`, then `tse syntaxgym evaluate MODEL public`.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/suites_and_models.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

from tse_book import published

# the accuracy of each model (with its corpus, if that has a name) on each of 31 suites
recorded = published.hu2020_suites().fillna({"corpus": ""})
recorded = recorded[recorded["in_31"]]
keys = ["model", "corpus", "suite"]
recorded = recorded.groupby(keys, as_index=False)["accuracy"].mean()

# %% [markdown]
# ````{exercise} ★ Size of the corpus
# :label: 12-size
#
# Some models were trained on parts of one corpus, from `bllip-xs` to `bllip-lg` (column `corpus` of `recorded`). Compute `gain`, a Series from model to its mean accuracy with `bllip-lg` minus its mean with `bllip-xs`, and `least`, the model that gains least.
#
# ```{dropdown} Hint
# `pivot_table("accuracy", "model", "corpus")`. Some models lack one of the sizes.
# ```
# ````

# %% tags=["hide-cell", "solution"]
means = recorded.pivot_table("accuracy", "model", "corpus")
gain = (means["bllip-lg"] - means["bllip-xs"]).dropna()
least = gain.idxmin()

# %% tags=["hide-cell", "check"]
assert isinstance(gain, pd.Series), "gain should be a Series from model to difference"
assert isinstance(least, str), "least should be the name of a model"
by_corpus = recorded.groupby(["corpus", "model"])["accuracy"].mean()
known = (by_corpus["bllip-lg"] - by_corpus["bllip-xs"]).dropna()
assert set(gain.dropna().index) == set(known.index), "gain: models with both sizes"
assert (gain.dropna() - known).abs().max() < 1e-9, "gain: largest minus smallest"
assert (gain.dropna() >= gain[least]).all(), "least: another model gains less"
print(f"{least} gains {gain[least]:.2f}, the others up to {gain.max():.2f}.")

# %% [markdown]
# ````{exercise} ★★ A masked model on a garden path
# :label: 12-masked
#
# A {term}`masked model` scores 0.2 on a {term}`garden-path <garden path>` suite, a {term}`causal model` of the same size 0.9. Does this mean that the masked model does not know subordinate clauses?
#
# ```{dropdown} Hint
# What has each model read when it predicts the critical word?
# ```
# ````
#
# ```{solution} 12-masked
# :class: dropdown
#
# We cannot tell. A garden path is a wrong expectation about what has not been read yet, and the masked model has read all the other words.
# ```

# %% [markdown]
# ## Takeaways
#
# - Compare an accuracy with what guessing gets, and check the number of items.
# - A mean such as the SG score hides the suites on which a model fails.
#
# Functions: {py:func}`tse_core.syntaxgym.library.load_suites`, {py:func}`tse_core.syntaxgym.accuracies.circuit_table` and {py:func}`tse_book.charts.suite_accuracy`.
