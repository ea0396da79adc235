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
# # SyntaxGym: a suite taken apart
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : take a suite apart, from its sentences to its accuracy
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
recorded = "smollm2-135m-instruct"  # whose recorded run on the public suite is shown

# %% [markdown]
# ## The paper's own example
#
# How can we test any part of a sentence? A {term}`suite` {cite}`gauthier2020syntaxgym` has *items*, each a sentence in several *conditions*. Every sentence is cut into numbered {term}`regions <region>`, so that we can compare the same place in all of them. The suite below holds the two items of the paper's Figure 2.

# %%
from tse_core.paths import data_folder
from tse_core.syntaxgym.library import load_suite

figure2 = load_suite(data_folder() / "syntaxgym" / "figure2.json")
figure2.regions

# %%
from tse_book.pages import folded, table

caption = "The two items of the paper's Figure 2; a bar ends a region"
table(figure2.sentences(" | "), caption)

# %% [markdown] tags=["explains"]
# The noun before the verb, an {term}`attractor`, has the *other* number, so a model that follows it gets every item wrong.
#
# ```{margin} Surprisal
# $-\log_2 P$ of a token, given what comes before it, in bits. One bit more means half as probable.
# ```
#
# The *prediction*, a formula over {term}`surprisals <surprisal>`, says what should be true of every item.

# %%
print(figure2.predictions[0])

# %% [markdown] tags=["explains"]
# `(6;%match_sing%)` is the surprisal of region 6, the verb, in the condition `match_sing`. The matching verb should be less surprising, after the singular subject *and* after the plural one.
#
# ```{dropdown} Predict: is it enough to look at the singular subject?
# No. A model that always prefers the singular verb would pass.
# ```
#
# The two items are from `number_prep`, a public suite of 19 items. SmolLM2's surprisals for all of them are recorded.

# %%
from tse_book.recorded import recorded_regions

regions = recorded_regions(recorded)
regions = regions[regions["suite"] == "number_prep"]
verb = regions[regions["region"] == 6]
bits = verb.pivot(index="item", columns="condition", values="bits")
shown = bits[figure2.conditions].head(2).reset_index()
table(shown, "Surprisal of the verb in bits: the two items above")

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
# The next chart shows the mean surprisal of each region over all 19 items; the prediction is about the shaded region, the verb. Before the verb, conditions with the same subject have the same text, so their marks coincide.

# %%
from tse_book.charts import region_profile

region_profile(
    regions.assign(model=recorded),
    title="number_prep: surprisal by region",
    critical={6},
)

# %% [markdown] tags=["explains"]
# ### The items that fail
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
# ## A suite in full
#
# A model from [the laboratory](laboratory.ipynb) now reads a suite made of the laboratory's words; the first cell can name another model and suite.

# %%
import tse_core

suite = load_suite(suite_name)
outcome = tse_core.evaluate_suite(reader, suite)
print(suite.conditions)

# %% [markdown] tags=["explains"]
# ## From tokens to regions
#
# A {term}`token` belongs to the region of its first character that is not a space. A region's surprisal is the sum over its tokens.

# %%
tokens = outcome.tokens[outcome.tokens["item"] == item]
tokens = tokens[tokens["condition"] == suite.conditions[0]]
columns = ["position", "token", "region", "bits"]
shown = table(tokens[columns], "One sentence, token by token: surprisals in bits")
folded(shown, "The tokens of one sentence, and the region of each")

# %% [markdown] tags=["explains"]
# ## Region by region
#
# Choose an item. At the verb the mismatched conditions should be above the matched ones.

# %%
from tse_book.charts import item_outcomes, item_profile

prediction = suite.predictions[0]
# the regions that the prediction names; an atom is one surprisal, such as (6;%a%)
critical = {region for region, condition in prediction.atoms}
shown = outcome.regions.assign(model=reader)
item_profile(shown, title="Surprisal of each region, one item", critical=critical)

# %% [markdown]
# ## The prediction, step by step
#
# `parts` takes the prediction apart for one item. Each part's `depth` inside the formula is shown as indentation.

# %%
surprisals = outcome.totals(item)  # of every region in every condition
for step in prediction.parts(surprisals):
    value = step.value if isinstance(step.value, bool) else round(step.value, 2)
    print("    " * step.depth, step.text, "->", value)

# %% [markdown]
# ## Accuracy
#
# A suite's accuracy is the share of items for which the prediction holds.

# %%
items = outcome.items.assign(model=reader)
item_outcomes(items, title="For which items does the prediction hold?")

# %%
print(outcome.by_item.sum(), "of", len(outcome.by_item), "items:", outcome.accuracy)

# %% [markdown]
# The formula joins two comparisons, so guessing satisfies both in one item out of four: compare an accuracy with what guessing gets. [Design a suite](../book/designer.md) has all the rules for formulas.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/syntaxgym.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from itertools import permutations

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

# %% [markdown] tags=["explains"]
# ````{exercise} ★★★ A suite of your own
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
# A suite compares the same place in several versions of a sentence. Where its prediction joins several comparisons, chance is well below one half.
#
# Functions: {py:func}`tse_core.syntaxgym.library.load_suite`, {py:func}`tse_core.evaluate_suite` and {py:class}`tse_core.syntaxgym.formula.Formula`.
