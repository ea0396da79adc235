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
# # SyntaxGym: from a suite to a model's score
#
# One number for a model hides which suites it fails, and how few items each suite has.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : follow a prediction from its sentences to an accuracy, and compare models
#
# You need
# : no other chapter
#
# Time
# : 8 minutes to read, seconds to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/syntaxgym.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill syntaxgym.ipynb mine.ipynb -p reader gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
reader = "lab-systematic-causal"  # reads the suite: a name, a folder, a name on the hub
suite_name = "lab_number_prep"  # a name that `tse list suites` shows, or a file
item = 1  # the item examined closely
recorded = ["smollm2-135m-instruct", "gemma-3-270m"]  # of the first, items are shown

# %%
from tse_book.pages import as_list

recorded = as_list(recorded)  # one string works, too

# %% [markdown] tags=["explains"]
# A {term}`suite` compares the same place in several versions of a sentence {cite}`gauthier2020syntaxgym`. It has *items*, each a sentence in several *conditions*, cut into numbered {term}`regions <region>`.
#
# ## One suite
#
# These are two of the 19 items of the suite `number_prep`, from the paper's Figure 2. The noun before the verb, an {term}`attractor`, has the *other* number.

# %%
from tse_book.pages import folded, table
from tse_core.paths import data_folder
from tse_core.syntaxgym.library import load_suite

figure2 = load_suite(data_folder() / "syntaxgym" / "figure2.json")
shown = table(figure2.sentences(" | "), "A bar ends a region")
folded(shown, "The two items in their four conditions")

# %% [markdown]
# The *prediction*, a formula, says what should be true of every item:

# %%
print(figure2.predictions[0])

# %% [markdown] tags=["explains"]
# `(6;%match_sing%)` is the {term}`surprisal` of region 6, the verb, in the condition `match_sing`. The matching verb should be less surprising, after the singular subject *and* after the plural one.
#
# ```{dropdown} Predict: is it enough to look at the singular subject?
# No. A model that always prefers the singular verb would pass.
# ```

# %%
from tse_book.recorded import recorded_regions

regions = recorded_regions(recorded[0])
regions = regions[regions["suite"] == "number_prep"]
verb = regions[regions["region"] == 6]
bits = verb.pivot(index="item", columns="condition", values="bits")
shown = bits[figure2.conditions].head(2).T
table(shown, "Surprisal of the verb in bits: items 1 and 2, SmolLM2", index=True)

# %% [markdown] tags=["explains"]
# For the first item the prediction holds. For the second it fails: after *The manager to the side of the architects* SmolLM2 finds *like* 4.4 bits less surprising than *likes*.

# %%
from tse_book.pages import try_this

pair = figure2.sentences()["sentence"].head(2).tolist()
contexts = (
    ("The farmer near the clerks", "singular"),
    ("The farmers near the clerk", "plural"),
)
try_this(*contexts, pair=pair, verb="know")

# %% [markdown] tags=["explains"]
# The chart shows the mean surprisal of each region over all 19 items; the prediction is about the shaded one, the verb.

# %%
from tse_book.charts import region_profile

region_profile(
    regions.assign(model=recorded[0]),
    title="number_prep: surprisal by region",
    critical={6},
)

# %% [markdown] tags=["explains"]
# ## The items that fail
#
# Each item has two margins: how many bits more surprising the wrong verb is after the singular subject, and after the plural one. The prediction holds where both are positive.
#
# ```{dropdown} Predict: after which subject will the model fail more often?
# After the singular one, if it errs as people do: a plural noun attracts verbs more {cite}`bock1991broken`.
# ```

# %%
import pandas as pd

after_singular = bits["mismatch_sing"] - bits["match_sing"]
after_plural = bits["mismatch_plural"] - bits["match_plural"]
margins = pd.DataFrame(
    {"singular subject": after_singular, "plural subject": after_plural}
)
failed = margins[margins.min(axis=1) <= 0]
table(failed.reset_index(), "The items that fail: both margins in bits")

# %% [markdown] tags=["explains"]
# The prediction holds for 15 of the 19 items. Of the other four, three fail after the singular subject, where the nearest noun is plural. The wrong verb wins clearly, by 1.4 to 4.6 bits.

# %% [markdown] tags=["explains"]
# ## From tokens to an accuracy
#
# Now a model from [the laboratory](laboratory.ipynb) reads a suite made of the laboratory's words; the first cell can name another model and suite. A {term}`token` belongs to the region of its first character that is not a space, and a region's surprisal is the sum over its tokens.

# %%
import tse_core

suite = load_suite(suite_name)
outcome = tse_core.evaluate_suite(reader, suite)
tokens = outcome.tokens[outcome.tokens["item"] == item]
tokens = tokens[tokens["condition"] == suite.conditions[0]]
columns = ["position", "token", "region", "bits"]
shown = table(tokens[columns], "One sentence, token by token: surprisals in bits")
folded(shown, "The tokens of one sentence, and the region of each")

# %% [markdown]
# `parts` takes the prediction apart for one item; indentation shows the depth inside the formula.

# %%
prediction = suite.predictions[0]
surprisals = outcome.totals(item)  # of every region in every condition
for step in prediction.parts(surprisals):
    value = step.value if isinstance(step.value, bool) else round(step.value, 2)
    print("    " * step.depth, step.text, "->", value)

# %% [markdown]
# A suite's accuracy is the share of items for which the prediction holds.

# %%
from tse_book.charts import item_outcomes

items = outcome.items.assign(model=reader)
item_outcomes(items, title="For which items does the prediction hold?")

# %% [markdown]
# The formula joins two comparisons, so guessing satisfies both in one item out of four. [Design a suite](../book/designer.md) has all the rules for formulas, and a page on which to try a suite of your own.

# %% [markdown] tags=["explains"]
# ## The suites and the models of 2020
#
# There are [34 public files](https://github.com/cpllab/syntactic-generalization). One has only a single item; without it there are 33, as {cite:t}`gauthier2020syntaxgym` say. {cite:t}`hu2020systematic` set two more aside, which leaves 31, in six {term}`circuits <circuit>`, groups of suites that test one ability.

# %%
from tse_core.syntaxgym.library import public_suites

public = public_suites()
circuits = public[public["in_31"]].groupby("circuit")["items"]
counts = circuits.agg(suites="size", items="sum").reset_index()
table(counts, "The 31 suites by circuit")

# %%
from tse_book import published

hu2020 = published.hu2020_suites()
runs = hu2020.drop_duplicates(["model", "corpus", "seed"])["model"].value_counts()
eight = published.syntaxgym_models()
eight["runs"] = eight["recorded_as"].map(runs)
shown = eight.drop(columns="recorded_as")
shown.columns = ["model", "reference", "trained on", "million tokens", "runs"]
shown = table(shown, "SyntaxGym's Table 1; the size of WebText is estimated", digits=0)
folded(shown, "The eight models whose accuracies Hu and colleagues recorded")

# %% [markdown] tags=["explains"]
# ## Models that the paper did not test
#
# SmolLM2-135M-Instruct has about as many parameters as the small GPT-2 and is five years younger. The *SG score* is a model's mean accuracy over the 31 suites.
#
# ```{dropdown} Predict: where will it rank among the recorded models?
# Near the small GPT-2, if size is what matters. More training text should help; weights {term}`quantised` to four bits may hurt.
# ```

# %%
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
# SmolLM2's SG score is .67: below both sizes of GPT-2 as released (.78 and .84), above Transformer-XL (.60). Without the {term}`BOS token` it is .53. Gemma 3 270M, twice as large as SmolLM2, reaches .78.

# %%
from tse_book.charts import heat_map

trained = ["GPT-2 XL", "GPT-2", "Transformer-XL", "JRNN", "GRNN"]
some = of_31[of_31["run"].isin([*recorded, *trained])]
by_circuit = some.groupby(["circuit", "run"], as_index=False)["accuracy"].mean()
heat_map(by_circuit, "circuit", "run", "accuracy", title="Accuracy by circuit")

# %% [markdown] tags=["explains"]
# Of the five models recorded in 2020, GPT-2 XL is best on five of the six circuits; Gemma is ahead of it on Center Embedding (.98 against .96). Compared with the small GPT-2, SmolLM2 loses most on Gross Syntactic State (.48 against .89).
#
# *Figure 4a of the paper* compares the eight models on `number_prep`. SmolLM2, GPT-2 and GPT-2 XL are right on the same number of items, 15 of 19 (.79); Gemma is right on 10 (.53). The LSTM gets nearly none (.02). Most suites have 19 to 40 items, so an accuracy is uncertain by ten to twenty points either way.

# %%
one_suite = everything.query("suite == 'number_prep'").replace({"model": names})
one_suite = one_suite[one_suite["model"].isin([*names.values(), *recorded])]
means = one_suite.groupby("model")["accuracy"].mean().sort_values(ascending=False)
shown = table(means.reset_index(), "Accuracy on number_prep; of several runs the mean")
folded(shown, "Ten models on one suite")

# %% tags=["hide-output"]
from tse_book.charts import suite_accuracy

theirs = hu2020[hu2020["run"].isin(trained)].assign(model=hu2020["run"])
ours = ours.sort_values(["circuit", "suite"])
suite_accuracy(ours, theirs, title="Accuracy on every suite")

# %% [markdown] tags=["explains"]
# The four suites on which SmolLM2 scores lowest are about reflexives across a relative clause (at most .21). To run a model of your own on all suites: `tse data fetch syntaxgym`, then `tse syntaxgym evaluate MODEL public`.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/syntaxgym.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from itertools import permutations

import pandas as pd

from tse_book import published
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import load_suite

# the surprisal of region 6, the main verb, for three imagined readers
conditions = ["no_object", "no_object_comma", "object", "object_comma"]
readers = {
    "is led astray": [14.0, 6.0, 7.0, 6.5],
    "likes commas": [10.0, 6.0, 9.0, 5.0],
    "is never surprised": [6.0, 6.0, 6.0, 6.0],
}
suite = load_suite("lab_npi_src_ever")

# the accuracies of the models of 2020, with the corpus, if that has a name
accuracies = published.hu2020_suites().query("in_31").fillna({"corpus": ""})

# %% [markdown]
# ````{exercise} ★ A formula for a garden path
# :label: 11-garden
#
# *When the dog scratched the vet left* leads readers astray at *left*, {term}`region` 6. This is the condition `no_object`; `object` has *scratched its owner the vet left*; `no_object_comma` and `object_comma` have a comma before *the vet*. Write `claim`, a formula (as a string) that is true of a reader who is led astray and false of one for whom a missing comma costs the same everywhere.
#
# ```{dropdown} Hint
# The comma should help *more* where there is no object. Compare two differences.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The pair with an object is the control: what a missing comma costs anyway.
claim = "(6;%no_object%) - (6;%no_object_comma%) > (6;%object%) - (6;%object_comma%)"

# %% tags=["hide-cell", "check"]
assert isinstance(claim, str), "claim should be a formula, as a string"
formula = Formula.parse(claim)
formula.check({6}, set(conditions))
places = [(6, condition) for condition in conditions]
for name, bits in readers.items():
    wanted = name == "is led astray"
    assert formula.holds(dict(zip(places, bits, strict=True))) == wanted, (
        f"claim is {not wanted} of the reader who {name}"
    )
assert len(formula.atoms) == 4, "all four conditions should be used"
print("A difference of differences: what the comma does beyond its usual effect.")

# %% [markdown]
# ````{exercise} ★★ What guessing gets
# :label: 11-chance
#
# A model that guesses puts the four conditions of an item in a random order. Compute `chance`, a dictionary with the share of the 24 orders in which each of three formulas holds. Its keys are `"one"`, for `(1;%a%) < (1;%b%)`; `"two"`, for both this and `(1;%c%) < (1;%d%)`; and `"licensing"`, for the prediction of `suite`, whose four conditions are `suite.conditions`.
#
# ```{dropdown} Hint
# `permutations(range(4))` gives the orders. `Formula.parse(text).holds({(1, "a"): 0, ...})` says whether a formula holds.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# An accuracy of 0.4 can be well above chance.
def share(formula):
    """Share of the orders of four conditions for which a formula holds."""
    region = formula.atoms[0][0]
    conditions = suite.conditions if region != 1 else "abcd"
    places = [(region, condition) for condition in conditions]
    orders = [dict(zip(places, order, strict=True)) for order in permutations(range(4))]
    return sum(formula.holds(order) for order in orders) / len(orders)


chance = {
    "one": share(Formula.parse("(1;%a%) < (1;%b%)")),
    "two": share(Formula.parse("((1;%a%) < (1;%b%)) & ((1;%c%) < (1;%d%))")),
    "licensing": share(suite.predictions[0]),
}

# %% tags=["hide-cell", "check"]
assert isinstance(chance, dict), (
    "chance should be a dictionary: name of the formula -> share"
)
assert chance.get("one") == 0.5, "one: half of the orders have a before b"
assert chance.get("two") == 0.25, "two: the comparisons are independent of each other"
licensing = 24 * chance.get("licensing", 0)
assert abs(licensing - 5) < 1e-9, "licensing: all three comparisons have to hold"
print("One half, one quarter, 5 of 24: report it with every accuracy.")

# %% [markdown]
# ````{exercise} ★ Size of the corpus
# :label: 11-size
#
# Some models were trained on parts of one corpus, from `bllip-xs` to `bllip-lg` (column `corpus` of `accuracies`). Compute `gain`, a Series from model to its mean accuracy with `bllip-lg` minus its mean with `bllip-xs`, and `least`, the model that gains least.
#
# ```{dropdown} Hint
# `pivot_table("accuracy", "model", "corpus")`. Some models lack one of the sizes.
# ```
# ````

# %% tags=["hide-cell", "solution"]
means = accuracies.pivot_table("accuracy", "model", "corpus")
gain = (means["bllip-lg"] - means["bllip-xs"]).dropna()
least = gain.idxmin()

# %% tags=["hide-cell", "check"]
assert isinstance(gain, pd.Series), "gain should be a Series from model to difference"
assert isinstance(least, str), "least should be the name of a model"
by_corpus = accuracies.groupby(["corpus", "model"])["accuracy"].mean()
known = (by_corpus["bllip-lg"] - by_corpus["bllip-xs"]).dropna()
assert set(gain.dropna().index) == set(known.index), "gain: models with both sizes"
assert (gain.dropna() - known).abs().max() < 1e-9, "gain: largest minus smallest"
assert (gain.dropna() >= gain[least]).all(), "least: another model gains less"
print(f"{least} gains {gain[least]:.2f}, the others up to {gain.max():.2f}.")

# %% [markdown]
# ````{exercise} ★★ A masked model on a garden path (no Python)
# :label: 11-masked
#
# A {term}`masked model` scores 0.2 on a {term}`garden-path <garden path>` suite, a {term}`causal model` of the same size 0.9. Does this mean that the masked model does not know subordinate clauses?
#
# ```{dropdown} Hint
# What has each model read when it predicts the critical word?
# ```
# ````
#
# ```{solution} 11-masked
# :class: dropdown
#
# We cannot tell. A garden path is a wrong expectation about what has not been read yet, and the masked model has read all the other words.
# ```

# %% [markdown] tags=["explains"]
# ````{exercise} ★★★ A suite of your own (no Python)
# :label: 11-own
#
# Design a suite with [the designer](../book/designer.md): three items, two conditions that should differ and two that control for everything else. Run it there. If an item fails, is that the model's fault or the item's?
#
# ```{dropdown} Hint
# Look *before* the critical region.
# ```
# ````
#
# ```{solution} 11-own
# :class: dropdown
#
# Look for other causes first: an unknown word in the region, a difference before it, or a region of several tokens. If there is none, it is the model's fault.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# A mean over suites hides those on which a model fails. Compare a suite's accuracy with what guessing gets, and check the number of items.
#
# Functions: {py:func}`tse_core.syntaxgym.library.load_suite`, {py:func}`tse_core.evaluate_suite` and {py:func}`tse_core.syntaxgym.accuracies.circuit_table`.
