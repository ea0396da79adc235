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
# # Data: sentences and verbs
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see how templates become the {term}`minimal pairs <minimal pair>` of Table 2, which verbs stand for "any verb", and which of them a model can be asked about
#
# You need
# : TSE, EW and MW, from [Methods](02_methods.ipynb)
#
# Time
# : 10 minutes to read, under a minute to run on a CPU
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
# whose vocabularies to look into; laboratory models only if no real one is named
models = ["smollm2-135m-instruct"]

# %% [markdown] tags=["explains"]
# ## Nine constructions
#
# Which sentences does a score rest on, and which verbs? Every test sentence comes from a {term}`template`: a pattern with slots for nouns and verbs, written by {cite:t}`marvin2018targeted`. Every bracket names a list of words: `[person 1]` is a noun of the list *person*, and `[*does 1]` the tested verb. Words that share an index agree in number.

# %%
from tse_book.pages import folded, table
from tse_core.datasets.grammar import load_grammar, template_table

grammar = load_grammar("marvin-linzen")
patterns = template_table(grammar)[["construction", "pattern"]]
table(patterns, "The templates")

# %% [markdown] tags=["explains"]
# The slots are filled in every possible way, and each filling gives one minimal pair.
#
# ```{dropdown} Predict: how many pairs will nine constructions and a few dozen words give?
# The choices multiply: nouns, numbers, second nouns and their numbers, prepositions, verbs.
# ```

# %%
import tse_core

pairs = tse_core.load_pairs("marvin-linzen")
len(pairs)

# %% [markdown]
# More than 120,000. Choose a construction below to read them; the starred form does not agree.

# %%
from tse_book import charts

charts.pair_browser(pairs, "One slot, two forms: only the verb's number differs")

# %% [markdown] tags=["explains"]
# ## The counts, beside the published ones
#
# Many pairs share their {term}`context`: *the author laughs* and *the author swims* are two pairs but one context. A {term}`masked model` also sees what follows the verb, so it has more contexts than a {term}`causal model`.

# %%
import pandas as pd

from tse_core.datasets.pairs import unique_contexts

by_construction = {"pairs": pairs}
by_construction["contexts"] = unique_contexts(pairs, "masked")
by_construction["left_contexts"] = unique_contexts(pairs, "causal")
for what, rows in by_construction.items():
    by_construction[what] = rows.groupby("construction", sort=False).size()
counts = pd.DataFrame(by_construction)
named = counts.rename(columns={"contexts": "masked", "left_contexts": "causal"})
caption = "Minimal pairs, contexts of a masked model, contexts of a causal model"
table(named, caption, index=True)

# %% [markdown]
# Are these the counts of the paper's released data?

# %%
from tse_book import published

theirs = published.template_counts().set_index("row").loc[counts.index, counts.columns]
(counts != theirs).sum()

# %% [markdown]
# No count differs.

# %%
charts.count_dots(counts, "Many pairs, few contexts")

# %% [markdown] tags=["explains"]
# ## Few words make many sentences
#
# How many nouns can be the subject, and how many verbs does TSE ask about?

# %%
few = pairs.groupby("construction", sort=False)[["noun", "lemma"]].nunique()
few.agg(["min", "max"])

# %% [markdown]
# From 10 to 19 nouns, and at most eight verbs. A model that knows that *surgeon* is singular knows it in all the sentences about a surgeon: sentences with the same noun, or the same verb, are not independent evidence.

# %%
verbs = pairs.groupby("construction", sort=False)["lemma"].unique().str.join(", ")
folded(table(verbs.reset_index(), "The verbs that TSE asks about"), "All verbs")

# %% [markdown] tags=["explains"]
# ## The verb list
#
# What would the score be with other verbs? That is the paper's question, and it needs a long list of {term}`lemmas <lemma>`, pairs such as *walks* and *walk*. Three versions come with the project:
#
# - `newman-appendix`: the list of the paper's appendix
# - `newman-clean`: the same without words that are not verbs, typos, *was/were* and modals; for new results
# - `newman-released`: the authors' file with its faults; for comparing with published counts

# %%
names = ["newman-appendix", "newman-clean", "newman-released"]
lists = {name: tse_core.load_lemmas(name) for name in names}
for name, lemmas in lists.items():
    print(name, len(lemmas))

# %% [markdown]
# The clean list leaves out 25 lemmas.

# %%
appendix = lists["newman-appendix"].table
junk = appendix[appendix["left_out"] != ""]
shown = junk[["lemma", "singular", "plural", "left_out"]]
folded(table(shown, "Left out of the clean list, and why"), "The 25 lemmas")


# %% [markdown] tags=["explains"]
# ## What a tokenizer keeps
#
# A verb form that the {term}`tokenizer` splits has no probability of its own. So a lemma counts for a model only if **both** forms are single {term}`entries of its vocabulary <vocabulary entry>`.
#
# ```{dropdown} Predict: which of the two forms will more often be split into pieces?
# Frequent strings are entries, and *gleam* is more frequent than *gleams*; so expect the third person. But *plans* is frequent for another reason: it is also a noun.
# ```

# %% tags=["hide-input"]
from tse_book.pages import newman

newman.what_is_missing(models)

# %%
from tse_book.pages import real_models

parts = []
for name in real_models(models) or models:
    model, verbs = tse_core.load_model(name), lists["newman-clean"].table.copy()
    for form in ["singular", "plural"]:
        verbs[f"{form} is one token"] = pd.notna(model.word_ids(list(verbs[form])))
    parts.append(verbs.assign(model=model.label))
verbs = pd.concat(parts)
forms = ["singular is one token", "plural is one token"]
table(
    verbs.groupby(["model", *forms]).size().reset_index(name="lemmas"),
    "How many lemmas have each form as a single token",
)

# %% [markdown] tags=["explains"]
# SmolLM2 keeps 962 of 1,945 lemmas. Of the lost ones, 563 lack only the form in *-s*, for example *gleams*, which is read as *gle* + *ams*. The paper's models keep between 980 (BERT, cased) and 1,265 (RoBERTa and GPT-2) of the 3,562 lemmas of the paper's full list.
#
# ```{dropdown} Predict: are the verbs that remain a fair sample of the list?
# No: they are the frequent ones, and a form in *-s* that is also a plural noun is more frequent.
# ```

# %%
verbs["kept"] = verbs[forms].all(axis=1)
verbs.groupby(["model", "kept"])["noun"].mean().round(2)

# %% [markdown] tags=["explains"]
# Of the verbs that SmolLM2 keeps, 69&nbsp;% are also nouns; of those that it loses, 36&nbsp;%. (The library lemminflect says so of a verb; 44 were decided by hand.) So EW asks about *every verb that is a single entry*, and this is not every verb. A verb that is also a noun cannot be judged as simply as others: *The author plan* may be the beginning of *The author plan was rejected*.
#
# What could fool you? A model with a larger vocabulary is tested on rarer verbs, and a lower EW may mean no more than that. Compare two models over the lemmas that both have.
#
# Is every verb that TSE asks about a single token?

# %%
for name in real_models(models) or models:
    model, own = tse_core.load_model(name), [*pairs["correct"].unique()]
    entries = pd.Series(model.word_ids(own), index=own)
    print(model.label, [*entries.index[entries.isna()]])

# %% [markdown] tags=["explains"]
# For SmolLM2 *laughs*, *swims*, *admires* and *hates* are not, so its TSE rests on fewer verbs. And *is tall*, *is old*, *is young* and *is short* are four pairs but one decision, *is* or *are*, for a model that reads the left side only.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/01_data.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import tempfile
from pathlib import Path

from tse_core.datasets.grammar import generate, load_grammar


def pairs_of(text):
    """The minimal pairs of a grammar given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.yaml"
        path.write_text(text, encoding="utf-8")
        return generate(load_grammar(path))


# %% [markdown]
# ````{exercise} ★ Count before you generate
# :label: 01-count
#
# The pattern `the [person 1] [beside] the [other person 2] [*does 1]` has ten nouns in each of its two lists, both in both
# numbers, six prepositions and seven predicates: *laughs*, *swims*, *smiles* and *is* with *tall*, *old*, *young* or
# *short*. Give `pairs`, `both_sides` (contexts of a masked model) and `left` (contexts of a causal model).
#
# ```{dropdown} Hint
# How many different right sides do the seven predicates have?
# ```
# ````

# %% tags=["hide-cell", "solution"]
left = 10 * 2 * 6 * 10 * 2  # noun, number, preposition, noun, number
both_sides = left * 5  # ".", "tall.", "old.", "young.", "short."
pairs = left * 7

# %% tags=["hide-cell", "check"]
made = generate(load_grammar("marvin-linzen"), "across-prepositional-phrase")
made = made[made["template"] == "prep_anim"]
assert pairs == len(made), "pairs: each choice of words and numbers is one pair"
assert left == made["left"].nunique(), "left: do the words after the verb matter here?"
assert both_sides == len(made[["left", "right"]].drop_duplicates()), (
    "both_sides: which predicates look the same around the blank?"
)
print(f"{pairs:,} pairs, {both_sides:,} contexts of both sides, {left:,} of the left.")

# %% [markdown]
# ````{exercise} ★★ Write a template
# :label: 01-template
#
# Write `grammar`, a text in the notation of `data/grammars/marvin-linzen.yaml`, with one pattern for sentences such as
# *The dog near the cats barks.*: three nouns that can be the subject, two others that can be the {term}`attractor`, one
# preposition, two verbs.
#
# ```{dropdown} Hint
# A grammar has the keys `lexicon` (with `nouns`, `predicates`, `words`) and `constructions`.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# 3 subjects x 2 numbers x 2 attractors x 2 numbers x 2 verbs; half of the attractors
# differ in number.
grammar = """
lexicon:
  nouns:
    subject: [dog/dogs, horse/horses, child/children]
    bystander: [cat/cats, bird/birds]
  predicates:
    does: [barks/bark, sleeps/sleep]
  words:
    where: [near]
constructions:
  near:
    name: Across a preposition
    patterns:
      near: the [subject 1] [where] the [bystander 2] [*does 1]
"""

# %% tags=["hide-cell", "check"]
assert isinstance(grammar, str), "grammar should be a text between three quotes"
made = pairs_of(grammar)
assert (made["attractor"] != "").all(), (
    "every sentence needs an attractor before the verb"
)
assert made["subject"].nunique() == 6, (
    "three subject nouns in two numbers are six forms"
)
assert made["attractor"].nunique() == 4, "two attractors in two numbers are four forms"
assert made["lemma"].nunique() == 2, "two verbs are asked for"
assert len(made) == 48, (
    f"{len(made)} pairs, where three, two and two words should give 48"
)
differ = made["number"] != made["attractor_number"]
assert differ.mean() == 0.5, "subject and attractor should have indices of their own"
print(f"{len(made)} pairs, {differ.sum()} with an attractor of the other number.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ A verb drops out
# :label: 01-dropped
#
# No programming. One tokenizer keeps *swims* whole, another splits it. What happens to the pairs of *swim* in TSE, and to
# their contexts in EW? Can the TSE of the two models be compared?
#
# ```{dropdown} Hint
# TSE asks each pair about its own verb.
# ```
# ````
#
# ```{solution} 01-dropped
# :class: dropdown
# For the second model the pairs of *swim* leave TSE; their contexts stay, because other verbs share them. So the two TSE
# are means over different pairs. Compare them over the pairs that both can answer.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - The templates make more than 120,000 pairs from a few dozen words; TSE asks about eight verbs or fewer in a construction.
# - TSE is a mean over pairs, EW and MW over contexts.
# - The tokenizer decides which verbs count.
#
# Functions: {py:func}`tse_core.load_pairs` and {py:func}`tse_core.load_lemmas`; [all others](../book/api/index.md).
