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
# # BLiMP's figures: length, distance, irregular forms, training text
#
# The same accuracy can have different reasons: length, distance, vocabulary, or the method of asking.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : repeat BLiMP's analyses, with two small models added
#
# You need
# : [BLiMP](blimp.ipynb)
#
# Time
# : 9 minutes to read, seconds to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/blimp_analysis.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill blimp_analysis.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["gpt2"]  # scored only if sentence_pairs names a data set
sentence_pairs = ""  # "blimp" needs: tse data fetch blimp
recorded = ["smollm2-135m-instruct", "gemma-3-270m"]  # shown if they are recorded

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
recorded = as_list(recorded)

# %% [markdown] tags=["explains"]
# Why do accuracies differ? We compare the following models, and humans; *GPT-2* is GPT-2 large:

# %%
import pandas as pd

from tse_book.model_names import SHOWN_NAMES
from tse_book.pages import newman, published_accuracies, recorded_runs
from tse_core.sentences.evaluate import accuracies, evaluate_blimp

runs = recorded_runs(recorded)
if sentence_pairs:
    readers = [newman.opened(name) for name in models]
    runs = runs | {
        reader.label: evaluate_blimp(reader, sentence_pairs) for reader in readers
    }
scores = pd.concat([published_accuracies(), accuracies(runs)], ignore_index=True)
print(*scores["model"].replace(SHOWN_NAMES).unique(), sep=", ")

# %% [markdown] tags=["explains"]
# ## Correlations
#
# *Figure 1.* If two models find the same paradigms hard, their accuracies correlate.
#
# ```{dropdown} Predict: will a model of 2024 resemble the models of 2019, or the humans?
# The models, if models are alike because they all predict words.
# ```

# %%
from tse_book.pages import table

wide = scores.pivot_table("accuracy", "paradigm", "model", sort=False)
correlations = wide.corr()
of_two = correlations[["GPT-2", "human"]].drop(["GPT-2", "human"])
of_two.columns = ["with GPT-2", "with humans"]
table(of_two, "Correlation of accuracies over the 67 paradigms", index=True)

# %% [markdown] tags=["explains"]
# SmolLM2's accuracies correlate at .86 with GPT-2's and at .57 with humans', Gemma's at .90 and .66. The 5-gram model is furthest from humans. But accuracies can correlate and still differ by thirty points on every paradigm.

# %% [markdown] tags=["explains"]
# ## Shallow predictors
#
# *Figure 2.* Does a model do worse on long sentences, on surprising ones, or when it is unsure? The pairs are sorted by each quantity in the chart and divided into ten equal bins. *Confidence* is the difference between the two log-probabilities.

# %%
from tse_book import charts
from tse_book.pages import blimp_figures

binned = blimp_figures.shallow_predictors(runs)
surprising = binned["predictor"] == "perplexity"
charts.accuracy_lines(
    binned[~surprising],
    "value",
    panel="quantity",
    quantitative=True,
    x_title="median of the bin",
    title="Accuracy in ten bins of each quantity, with 95 % intervals",
)

# %%
charts.accuracy_lines(
    binned[surprising],
    "value",
    panel="quantity",
    quantitative=True,
    log=True,
    x_title="median of the bin (logarithmic)",
    title="Accuracy in ten bins of perplexity, with 95 % intervals",
)

# %% [markdown] tags=["explains"]
# SmolLM2's accuracy rises with its confidence, from .54 to .92, as GPT-2's does in the paper. It falls with {term}`perplexity`, from .91 to .60. But part of this is built in: the perplexity is measured on the good sentence, and the model is right if it prefers this sentence. With the perplexity of both sentences together, accuracy falls only from .82 to .73. With length it goes from .80 to .75.

# %% [markdown] tags=["explains"]
# ## Locality
#
# *Figure 3.* How much accuracy is lost if another word stands between two words that must agree? An adjective can stand between determiner and noun: *Ron saw these old [books]{.good} / \*[book]{.bad}*. An {term}`attractor`, a noun of the other number, can stand between subject and verb, in a phrase (*The sisters of Cheryl [bake]{.good} / \*[bakes]{.bad}*) or in a relative clause (*The sisters who met Cheryl*).

# %%
adjective = blimp_figures.contrast(scores, "adjective")
attractor = blimp_figures.contrast(scores, "attractor")
apart = pd.concat([adjective, attractor])
charts.accuracy_lines(
    apart, "condition", panel="group", title="Agreement at a distance"
)

# %%
percent = 100 * apart.pivot_table("accuracy", "model", "condition", sort=False)
table(percent.reset_index(), "Accuracy in percent", digits=1)

# %% [markdown] tags=["explains"]
# An adjective lowers the 5-gram model's accuracy from 87.6 % to 52.5 %. The neural models lose little: the LSTM and Transformer-XL 5 points, GPT-2 2, SmolLM2 4. (The paper reports 35 points for the 5-gram model and 3 to 5 for the others.)
#
# ## Attractors
#
# With an attractor, GPT-2's mean over both columns of the table is 72.6 %, 24 points lower than without one. The LSTM loses 20, Transformer-XL 5; the paper says 22, 20 and 5 for the three models. SmolLM2 falls from 92.3 % to 85.0 % in a phrase and to 69.8 % in a clause. The 5-gram model does not guess: at 23.5 % and 21.7 % it mostly follows the nearest noun.

# %% [markdown] tags=["explains"]
# ## Irregulars
#
# *Figure 4.* Is *that man / \*men* harder than *that kid / \*kids*? Only a model that sees parts of words could benefit from the *-s*.

# %%
irregular = blimp_figures.contrast(scores, "irregular")
columns = irregular.pivot_table("accuracy", "model", ["group", "condition"])
table(100 * columns, "Accuracy in percent, by kind of plural", digits=1, index=True)

# %% [markdown]
# Between determiner and noun, an irregular plural lowers the accuracy of the LSTM from 89.1 % to 81.7 % and of SmolLM2 from 95.5 % to 90.5 %. Between subject and verb it costs both models almost nothing. The paper explains the LSTM's loss by loanwords such as *theses*, many of which are not in its vocabulary.
#
# ## Training size
#
# *Figure 5.* What does doubling the training text buy? The paper trained two models on growing parts of one corpus. It finds that the amount of text matters most, more than the size of the model, and estimates that on the hardest phenomena, {term}`NPI` licensing and islands, its two models would need well over 10²⁰ tokens to match people.

# %%
from tse_book import published
from tse_book.pages import folded

slopes = published.blimp_slopes().pivot(
    index="phenomenon", columns="model", values="slope"
)
shown = table((100 * slopes).reset_index(), "Points of accuracy gained per doubling")
folded(shown, "The slopes that the paper prints (section 6.3)")

# %% [markdown] tags=["explains"]
# For this book a 5-gram model and an LSTM were trained in the same way, on [the laboratory's language](laboratory.ipynb).

# %%
from tse_core.paths import data_folder

curve = pd.read_csv(data_folder() / "recorded" / "learning_curve.csv")
curve = curve.replace({"ngram": "5-gram", "lstm": "LSTM"})
curve["phenomenon"] = curve["phenomenon"].str.replace("_", " ")

# %%
by_size = curve.groupby(["model", "phenomenon", "words"], sort=False)["accuracy"]
means = by_size.mean().reset_index()
charts.accuracy_lines(
    means,
    "words",
    series="phenomenon",
    panel="model",
    quantitative=True,
    log=True,
    x_title="words in the corpus",
    title="The laboratory: accuracy by size of the corpus",
)

# %% [markdown] tags=["explains"]
# Flat lines can mean opposite things. On {term}`NPI` licensing the LSTM goes from .91 to 1.00: it had little left to learn. On filler-gap dependencies the 5-gram model goes from .52 to .49: more text does not teach it these dependencies.

# %%
doublings = blimp_figures.doubling_slopes(curve)
shown = table(doublings, "Accuracy gained by each doubling of the corpus", digits=3)
folded(shown, "The slopes, with 95 % intervals of the fitted line")

# %% [markdown]
# ## Methods
#
# *Figure 6.* Instead of whole sentences we can compare two words after one beginning (one prefix), or one word after two beginnings (two prefixes). Each of these two methods suits twenty paradigms.

# %%
methods = published.blimp_methods_compared()
methods = pd.concat([methods, blimp_figures.recorded_methods(recorded)])
methods = methods[methods["model"] != "human"]
groups = methods.groupby(["compared", "model"])
means = groups[["full_sentence", "prefix"]].mean().reset_index()
means.columns = ["prefixes", "model", "by whole sentence", "by prefix"]
table(means, "Mean accuracy with whole sentences and with prefixes")

# %% [markdown]
# On average the methods agree to within 3 points. Individual paradigms differ far more: SmolLM2 gets .42 of *matrix question npi licensor present* right with whole sentences and .89 with two prefixes. Prefixes ask only about the point where the sentences differ, as TSE does. The paper's figure shows three phenomena:

# %% tags=["hide-output"]
by_method = blimp_figures.three_phenomena(methods)
title = "Accuracy by method, over the paradigms that allow it"
charts.accuracy_lines(
    by_method, "method", panel="phenomenon", columns=3, width=190, title=title
)

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/blimp_analysis.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np
import pandas as pd

from tse_book.laboratory.networks import laboratory_ngram
from tse_book.pages import published_accuracies
from tse_core.sentences.evaluate import evaluate_blimp

# the pairs that an n-gram model gets right, without an attractor and with one
ngram = laboratory_ngram(20000)
pairs = evaluate_blimp(ngram, "laboratory/regular_plural_agreement_1").pairs
plain = pairs["correct"] == 1
pairs = evaluate_blimp(ngram, "laboratory/agreement_across_prepositional_phrase").pairs
attracted = pairs["correct"] == 1
# published accuracies, a row for each of the 67 paradigms, a column for each model
accuracies = published_accuracies().pivot_table("accuracy", "paradigm", "model")

# %% [markdown]
# ````{exercise} ★ The rule of the nearest noun
# :label: 10-nearest
#
# Two Series say which pairs an n-gram model gets right: `plain`, where the noun next to the verb is its subject, and `attracted`, where it is an {term}`attractor`. Give `accuracy`, a dictionary with the model's accuracy on the `"plain"` and the `"attracted"` pairs, and `like_the_rule`, the share of all pairs in which it does what the rule *agree with the nearest noun* does.
#
# ```{dropdown} Hint
# The rule is right in every plain pair and wrong in every attracted pair.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# With an attractor the model is below one half: it follows a rule, but the wrong one.
accuracy = {"plain": float(plain.mean()), "attracted": float(attracted.mean())}
like_the_rule = float(pd.concat([plain, ~attracted]).mean())

# %% tags=["hide-cell", "check"]
assert isinstance(accuracy, dict), "accuracy should be a dictionary"
assert isinstance(like_the_rule, float), "like_the_rule should be a number"
assert accuracy.keys() == {"plain", "attracted"}, "keys: plain and attracted"
for name, right in {"plain": plain, "attracted": attracted}.items():
    share = right.sum() / len(right)
    assert abs(accuracy[name] - share) < 1e-9, (
        f"{name}: the share of pairs it gets right"
    )
alike = plain.sum() + len(attracted) - attracted.sum()
assert abs(like_the_rule - alike / (len(plain) + len(attracted))) < 1e-9, (
    "like_the_rule: right where the rule is right, wrong where it is wrong"
)
print(f"Like the rule in {like_the_rule:.0%} of the pairs.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Long sentences are hard (no Python)
# :label: 10-long
#
# A model does worse on long sentences. Does it forget the subject? Name another explanation, and a comparison that tells the two apart.
#
# ```{dropdown} Hint
# Which constructions have long sentences?
# ```
# ````
#
# ```{solution} 10-long
# :class: dropdown
#
# Long sentences come from other templates, those with relative clauses and attractors. Compare sentences of one template, with one adjective and with two.
# ```

# %% [markdown]
# ````{exercise} ★★★ What is left of a correlation
# :label: 10-partial
#
# From the columns LSTM and Transformer-XL of `accuracies`, subtract what a straight line predicts from the mean of the other three columns. Give the correlation of the two columns `before` and `after` this.
#
# ```{dropdown} Hint
# `numpy.polyfit(x, y, 1)` gives slope and intercept of the line.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# This is a partial correlation. It stays high: the two share more than hard paradigms.
before = float(accuracies["LSTM"].corr(accuracies["Transformer-XL"]))
shared = accuracies[["5-gram", "GPT-2", "human"]].mean(axis=1)
left = {}
for system in ("LSTM", "Transformer-XL"):
    slope, intercept = np.polyfit(shared, accuracies[system], 1)
    left[system] = accuracies[system] - slope * shared - intercept
after = float(left["LSTM"].corr(left["Transformer-XL"]))

# %% tags=["hide-cell", "check"]
assert isinstance(before, float), "before should be a number"
assert isinstance(after, float), "after should be a number"
three = accuracies.drop(columns=["LSTM", "Transformer-XL"]).mean(axis=1)
columns = accuracies.assign(shared=three)[["LSTM", "Transformer-XL", "shared"]]
r = columns.corr().to_numpy()
assert abs(before - r[0, 1]) < 1e-6, "before: the plain correlation of the two columns"
unshared = np.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2))
partial = (r[0, 1] - r[0, 2] * r[1, 2]) / unshared
assert abs(after - partial) < 1e-6, "after: correlate what is left after both lines"
print(f"{before:.2f} before, {after:.2f} without what all systems share.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# Equal accuracies and flat curves can have different reasons. Evaluation methods agree on average, but not on individual paradigms.
#
# Functions: {py:func}`tse_book.baselines.train_baseline` and {py:func}`tse_book.pages.blimp_figures.doubling_slopes`.
