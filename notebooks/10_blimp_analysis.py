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
# # BLiMP: what else the accuracies say
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : ask the questions of BLiMP's analysis again, of the published accuracies and of small models' recorded runs
#
# You need
# : [BLiMP](09_blimp.ipynb)
#
# Time
# : 9 minutes to read, seconds to run on a CPU
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["gpt2"]  # scored if sentence_pairs names some
sentence_pairs = ""  # "blimp" needs: tse data fetch blimp
recorded = ["smollm2-135m-instruct", "gemma-3-270m"]  # shown if they are recorded

# %% [markdown] tags=["explains"]
# Why do accuracies differ? The paper examines six possible answers: similarity of models, sentence length, dependency length, irregular forms, amount of training text, and evaluation method.

# %%
import pandas as pd

from tse_book.pages import newman, published_accuracies, recorded_runs
from tse_core.blimp.scores import accuracies, evaluate_blimp_models

runs = recorded_runs(recorded)
if sentence_pairs:
    readers = [newman.opened(name) for name in models]
    runs = runs | evaluate_blimp_models(readers, sentence_pairs)
scores = pd.concat([published_accuracies(), accuracies(runs)], ignore_index=True)
print(*scores["model"].unique(), sep=", ")

# %% [markdown] tags=["explains"]
# ## Correlations
#
# This is BLiMP's Figure 1. If two models find the same paradigms hard, their accuracies correlate.
#
# ```{dropdown} Predict: will a model of 2024 resemble the models of 2019, or the humans?
# The models, if likeness comes from predicting words.
# ```

# %%
from tse_book import charts

wide = scores.pivot_table("accuracy", "paradigm", "model", sort=False)
correlations = wide.corr()
pairs_of_models = correlations.rename_axis(columns="other").stack()
charts.heat_map(
    pairs_of_models.rename("r").reset_index(),
    "model",
    "other",
    "r",
    title="Correlation of accuracies over the 67 paradigms",
)

# %% [markdown] tags=["explains"]
# Both small models resemble the neural models more than humans: SmolLM2's accuracies correlate at .86 with those of GPT-2 large and at .57 with those of humans, Gemma's at .90 and .66. The 5-gram model is furthest from humans.
#
# What could fool you: two models can find the same paradigms hard and differ by thirty points on all of them.

# %% [markdown] tags=["explains"]
# ## Shallow predictors
#
# This is BLiMP's Figure 2. Does a model do worse on longer sentences, on surprising ones, or when it is unsure? The pairs are sorted by each quantity and cut into ten bins of equal size.

# %%
from tse_book.pages import blimp_figures

binned = blimp_figures.shallow_predictors(runs)
charts.accuracy_lines(
    binned,
    "value",
    panel="quantity",
    quantitative=True,
    x_title="median of the bin",
    title="Accuracy in ten bins of each quantity, with 95 % intervals",
)

# %% [markdown] tags=["explains"]
# SmolLM2's accuracy climbs with its confidence in every step, from .54 to .92, as GPT-2's does in the paper. It falls with perplexity, from .91 to .60, and hardly with length, from .80 to .75.
#
# What could fool you: length is confounded with the paradigm, because long sentences are the ones with relative clauses.

# %% [markdown] tags=["explains"]
# ## Locality
#
# *Figure 3.* What does it cost to take two words apart that must agree? An adjective stands between determiner and noun: *Ron saw these old [books]{.good} / \*[book]{.bad}*. Or an {term}`attractor`, a noun of the other number, stands between subject and verb, in a phrase (*The sisters of Cheryl [bake]{.good} / \*[bakes]{.bad}*) or in a relative clause (*The sisters who met Cheryl [bake]{.good} / \*[bakes]{.bad}*).
#
# ```{dropdown} Predict: which loses more to an attractor, a model that counts words or one that reads the whole sentence?
# The one that counts words: it sees only the nearest noun.
# ```

# %%
adjective = blimp_figures.contrast(scores, "adjective")
attractor = blimp_figures.contrast(scores, "attractor")
apart = pd.concat([adjective, attractor])
charts.accuracy_lines(
    apart, "condition", panel="group", title="Words apart that must agree"
)

# %%
from tse_book.pages import table

percent = 100 * apart.pivot_table("accuracy", "model", "condition", sort=False)
table(percent.reset_index(), "Accuracy in percent", digits=1)

# %% [markdown] tags=["explains"]
# An adjective costs the 5-gram model 35.1 points and the neural models few: the LSTM loses 4.8, Transformer-XL 5.3, GPT-2 large 2.1, and SmolLM2 4.3. The paper says 35 and 3 to 5.
#
# ## Attractors
#
# GPT-2 large loses 24 points to an attractor, the LSTM 20, Transformer-XL 5; the paper says 22, 20 and 5. SmolLM2 loses 7 points in a phrase and 23 in a clause. The 5-gram model does not guess: it is below one half, because it follows the nearest noun.

# %% [markdown] tags=["explains"]
# ## Irregulars
#
# *Figure 4.* *That man / \*men* against *that kid / \*kids*: only a model that sees letters could profit from the *-s*.

# %%
irregular = blimp_figures.contrast(scores, "irregular")
columns = irregular.pivot_table("accuracy", "model", ["group", "condition"], sort=False)
table(100 * columns, "Accuracy in percent, by kind of plural", digits=1, index=True)

# %% [markdown]
# Between determiner and noun irregular plurals cost the LSTM 7.5 points and SmolLM2 5.1; between subject and verb they cost hardly anything.
#
# ## Training size
#
# *Figure 5.* The paper trained two models on growing parts of one corpus: what does each doubling of the text bring? It concludes that more text alone would not be enough.

# %%
from tse_book import published
from tse_book.pages import folded

slopes = published.blimp_slopes().pivot(
    index="phenomenon", columns="model", values="slope"
)
shown = table((100 * slopes).reset_index(), "Points of accuracy for each doubling")
folded(shown, "The slopes that the paper prints (section 6.3)")

# %% [markdown] tags=["explains"]
# In [the laboratory](16_laboratory.ipynb) the experiment was run with a 5-gram model and an LSTM, on corpora each twice as long as the one before.

# %%
from tse_core.paths import data_folder

curve = pd.read_csv(data_folder() / "recorded" / "learning_curve.csv")
curve = curve.replace({"ngram": "5-gram", "lstm": "LSTM"})
curve["phenomenon"] = curve["phenomenon"].str.replace("_", " ")

# %%
sizes = ["model", "phenomenon", "words"]
means = curve.groupby(sizes, as_index=False, sort=False)["accuracy"].mean()
charts.accuracy_lines(
    means,
    "words",
    series="phenomenon",
    panel="model",
    quantitative=True,
    log=True,
    x_title="words in the corpus",
    title="The laboratory: accuracy over the size of the corpus",
)

# %% [markdown] tags=["explains"]
# Flat lines can mean opposite things. The LSTM nearly knew {term}`NPI` licensing from the start (.91) and ends by knowing it (1.00). The 5-gram model starts at .52 and ends at .49 on filler-gap dependencies: no number of words teaches it these.

# %%
from tse_book.studies import doubling_slopes

doublings = doubling_slopes(curve)
shown = table(doublings, "Accuracy gained by each doubling of the corpus", digits=3)
folded(shown, "The slopes, with 95 % intervals of the fitted line")

# %% [markdown]
# ## Methods
#
# *Figure 6.* Instead of whole sentences one may compare two words after the same beginning (one prefix) or one word after two beginnings (two prefixes). Twenty paradigms allow each.

# %%
methods = published.blimp_methods_compared()
methods = pd.concat([methods, blimp_figures.recorded_methods(recorded)])
methods = methods[methods["model"] != "human"]
means = methods.groupby(["model", "compared"], sort=False)
means = means[["full_sentence", "prefix"]].mean().unstack().swaplevel(axis=1)
means = means.sort_index(axis=1).rename(columns=lambda name: name.replace("_", " "))
table(means, "Mean accuracy by whole sentences and by prefixes", index=True)

# %% [markdown]
# On average the methods agree to within 3 points. Single paradigms move by far more: SmolLM2 gets .42 of *matrix question npi licensor present* right by whole sentences and .89 by two prefixes. A prefix asks only about the point where the two sentences differ, as TSE does.
#
# The paper's figure draws three phenomena:

# %% tags=["hide-output"]
long = blimp_figures.three_phenomena(methods)
title = "Accuracy by method, over the paradigms that allow it"
charts.accuracy_lines(
    long, "method", panel="phenomenon", columns=3, width=190, title=title
)

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/10_blimp_analysis.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

from tse_book.laboratory import laboratory_ngram, load_language
from tse_book.pages import published_accuracies
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_sentence_pairs

# One paradigm with an attractor, judged by an n-gram model: number of the subject, of the noun next to the verb, verdict.
pairs = load_sentence_pairs("laboratory/agreement_across_prepositional_phrase")
nouns = load_language().nouns
number = dict.fromkeys(nouns["singular"], "singular") | dict.fromkeys(
    nouns["plural"], "plural"
)
words = pairs["one_prefix_prefix"].str.lower().str.split()
before = words.map(lambda some: [word for word in some if word in number])
items = pd.DataFrame(
    {
        "subject": before.str[0].map(number),
        "nearest": before.str[-1].map(number),
        "right": evaluate_blimp(laboratory_ngram(20000), pairs).pairs["correct"] == 1,
    }
)

# Published accuracies, a row for each of the 67 paradigms and a column for each model.
accuracies = published_accuracies().pivot(
    index="paradigm", columns="model", values="accuracy"
)

# %% [markdown]
# ````{exercise} ★ The rule of the nearest noun
# :label: 10-nearest
#
# `items` holds pairs with a phrase between subject and verb: the {term}`number` of the `subject` and of the `nearest` noun, and whether an n-gram model is `right`. Suppose that the verb agrees with the nearest noun. Compute `rule`, the accuracy of that rule; `model`, a dictionary with the model's accuracy where both numbers are the `"same"` and where they are `"different"`; and `like_the_rule`, the share of pairs in which the model does what the rule does.
#
# ```{dropdown} Hint
# The rule is right where the numbers are the same.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# After an attractor the model is below one half. That is not guessing: it knows a rule, the wrong one.
same = items["subject"] == items["nearest"]
rule = float(same.mean())
model = {
    "same": float(items.loc[same, "right"].mean()),
    "different": float(items.loc[~same, "right"].mean()),
}
like_the_rule = float((items["right"] == same).mean())

# %% tags=["hide-cell", "check"]
assert isinstance(rule, float), "rule should be a number"
assert isinstance(model, dict), "model should be a dictionary"
assert isinstance(like_the_rule, float), "like_the_rule should be a number"
groups = items["right"].groupby(items["subject"].eq(items["nearest"]))
groups = groups.agg(["mean", "size"])
share = groups.loc[True, "size"] / len(items)
assert abs(rule - share) < 1e-9, "rule: where would it be right?"
assert set(model) == {"same", "different"}, "model needs the keys same and different"
assert abs(model["same"] - groups.loc[True, "mean"]) < 1e-9, (
    "same: the accuracy among these pairs"
)
assert abs(model["different"] - groups.loc[False, "mean"]) < 1e-9, (
    "different: the other pairs"
)
hits = groups["mean"].mul(groups["size"])
alike = (hits[True] + groups.loc[False, "size"] - hits[False]) / len(items)
assert abs(like_the_rule - alike) < 1e-9, (
    "like_the_rule: right where it is right, wrong where it is wrong"
)
print(
    f"{model['same']:.2f} and {model['different']:.2f}: like the rule in {like_the_rule:.0%} of the pairs."
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Long sentences are hard
# :label: 10-long
#
# Accuracy falls with the length of a sentence. Does the model forget its subject? Name another explanation, and a comparison that tells the two apart. No program is needed.
#
# ```{dropdown} Hint
# Which constructions have long sentences?
# ```
# ````
#
# ```{solution} 10-long
# :class: dropdown
#
# Long sentences come from other templates: those with relative clauses and attractors. Compare within one paradigm, with one and with two adjectives, say, so that only the distance changes, and no noun is added that could attract the verb.
# ```

# %% [markdown]
# ````{exercise} ★★★ What is left of a correlation
# :label: 10-partial
#
# `accuracies` holds the published accuracy of five systems on 67 paradigms. Some paradigms are hard for everybody. Take that away: subtract from LSTM and from Transformer-XL what a straight line predicts from the mean of the other three systems, and correlate what is left. Give both correlations, `before` and `after`.
#
# ```{dropdown} Hint
# `numpy.polyfit(x, y, 1)` gives slope and intercept of the line.
# ```
# ````

# %% tags=["hide-cell", "solution"]
import numpy as np

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
partial = (r[0, 1] - r[0, 2] * r[1, 2]) / (
    (1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)
) ** 0.5
assert abs(after - partial) < 1e-6, "after: correlate the residuals of both lines"
print(f"{before:.2f} before, {after:.2f} after what all systems share was taken away.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - A model that counts words is misled by attractors systematically, not at random.
# - A slope without its end points can mean mastery or none.
# - Evaluation methods agree on average and disagree in single paradigms.
#
# Functions: {py:func}`tse_book.baselines.baselines.train_baseline`, {py:func}`tse_book.studies.learning_curve` and {py:func}`tse_book.studies.doubling_slopes`; [all others](../book/api/index.md).
