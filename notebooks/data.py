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
# # Data: few words make many sentences
#
# A few dozen words make more than a hundred thousand pairs, so sentences are not independent evidence; and the tokenizer decides which verbs count.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see which sentences and verbs a model is tested on
#
# You need
# : TSE, EW and MW, from [Methods](methods.ipynb)
#
# Time
# : 10 minutes to read, under a minute to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/data.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill data.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]  # whose vocabularies are inspected

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"

# %% [markdown] tags=["explains"]
# ## Nine constructions
#
# Every test sentence comes from a {term}`template` of {cite:t}`marvin2018targeted`. A bracket names a list of words: `[person 1]` is a noun from the list *person*, and `[*does 1]` is the tested verb. Words that share an index agree in number.

# %%
from tse_book.pages import folded, table
from tse_core.datasets.grammar import load_grammar

grammar = load_grammar("marvin-linzen")
patterns = grammar.patterns[["construction", "pattern"]]
table(patterns, "The templates")

# %% [markdown] tags=["explains"]
# Each way to fill the brackets gives one {term}`minimal pair`. How many pairs will nine constructions and a few dozen words give?

# %%
import tse_core

pairs = tse_core.load_pairs("marvin-linzen")
len(pairs)

# %% [markdown]
# 121,220, because the choices multiply. Choose a construction to read its pairs; the starred form does not agree.

# %%
from tse_book import charts

charts.pair_browser(pairs, "One slot, two forms: only the verb's number differs")

# %% [markdown] tags=["explains"]
# ## The counts beside the published ones
#
# Many pairs share their {term}`context`: *the author laughs* and *the author swims* are two pairs in one context. A {term}`masked model` also sees what follows the verb, so it has more contexts than a {term}`causal model`.

# %%
import pandas as pd

from tse_core.datasets.pairs import unique_contexts

to_count = {
    "pairs": pairs,
    "contexts": unique_contexts(pairs, "masked"),
    "left_contexts": unique_contexts(pairs, "causal"),
}
counts = pd.DataFrame()
for name, rows in to_count.items():
    counts[name] = rows.groupby("construction", sort=False).size()

# %%
shown = counts.rename(columns={"contexts": "masked", "left_contexts": "causal"})
caption = "Minimal pairs, and contexts for a masked and for a causal model"
folded(table(shown, caption, index=True), "The counts of each construction")

# %% [markdown]
# How many of these counts differ from the paper's released data?

# %%
from tse_book import published

theirs = published.template_counts().set_index("row").loc[counts.index, counts.columns]
(counts != theirs).sum()

# %% [markdown]
# None. The chart shows how few contexts the pairs share.

# %%
charts.count_dots(counts, "Many pairs, few contexts")

# %% [markdown] tags=["explains"]
# ## Subject nouns and verbs
#
# How many subject nouns and verbs does a construction have?

# %%
few = pairs.groupby("construction", sort=False)[["noun", "lemma"]].nunique()
few.agg(["min", "max"])

# %% [markdown]
# Between 10 and 19 nouns, and at most eight verbs. So the sentences are not independent evidence: a model that knows that *surgeon* is singular knows it in all of them.

# %%
of_tse = pairs.groupby("construction", sort=False)["lemma"].unique().str.join(", ")
folded(table(of_tse.reset_index(), "The verbs that TSE asks about"), "All verbs")

# %% [markdown] tags=["explains"]
# ## The verb list
#
# EW and MW need a long list of {term}`lemmas <lemma>`, pairs such as *walks* and *walk*. The paper's 3,562 come from three sources: the 1,000 most frequent verbs of COCA {cite}`davies2008coca`, the 1,951 tagged as base forms in the Penn Treebank {cite}`marcus1993penn`, and the 3,250 of the Giant Verb List, which may not be copied. The paper's appendix prints the verbs from the first two. Three lists can be used here:
#
# - `newman-appendix`: the list in the paper's appendix
# - `newman-clean`, for new results: the same list without typos, modals, *was/were* and words that are not verbs
# - `newman-released`, to compare with published counts: the authors' file with its faults

# %%
names = ["newman-appendix", "newman-clean", "newman-released"]
lists = {name: tse_core.load_lemmas(name) for name in names}
for name, lemmas in lists.items():
    print(name, len(lemmas))

# %% [markdown]
# The clean list leaves out 25 lemmas:

# %%
appendix = lists["newman-appendix"].table
left_out = appendix[appendix["left_out"] != ""]
shown = left_out[["lemma", "singular", "plural", "left_out"]]
folded(table(shown, "Left out of the clean list, and why"), "The 25 lemmas")


# %% [markdown] tags=["explains"]
# ## What a tokenizer keeps
#
# A verb form that the {term}`tokenizer` splits has no probability of its own. So a lemma counts for a model only if **both** forms are single {term}`entries of its vocabulary <vocabulary entry>`.
#
# ```{dropdown} Predict: which form will be split more often?
# The form in *-s*, which is usually less frequent.
# ```

# %% tags=["hide-input"]
from tse_book.pages import newman

newman.what_is_missing(models)

# %%
from tse_book.pages import real_models

# the models of the first cell, laboratory models only if there are no others
asked = real_models(models) or models
of_each_model = []
for name in asked:
    model = tse_core.load_model(name)
    verbs = lists["newman-clean"].table.assign(model=model.label)
    for form in ["singular", "plural"]:
        entries = model.word_ids(list(verbs[form]))  # missing where a form is split
        verbs[f"{form} is one token"] = pd.notna(entries)
    of_each_model.append(verbs)
verbs = pd.concat(of_each_model)

# %%
whole = ["singular is one token", "plural is one token"]
lemma_counts = verbs.groupby(["model", *whole]).size().reset_index(name="lemmas")
table(lemma_counts, "Lemmas, counted by which of their forms are single tokens")

# %% [markdown] tags=["explains"]
# SmolLM2 keeps 962 of 1,945 lemmas. Of the others, 563 are lost only because the form in *-s* is split: *gleams* is read as *gle* + *ams*. The paper's models keep between 980 (BERT, cased) and 1,265 (RoBERTa and GPT-2) of the full list of 3,562, which may not be redistributed.
#
# Do the verbs that remain differ from the others? The list's column `noun` says which verbs are also nouns; here is their share.

# %%
verbs["kept"] = verbs[whole].all(axis=1)
verbs.groupby(["model", "kept"])["noun"].mean().round(2)

# %% [markdown] tags=["explains"]
# Of the verbs that SmolLM2 keeps, 69&nbsp;% are also nouns; of those that it loses, 36&nbsp;%, perhaps because a form in *-s* that is also a plural noun is more frequent. A verb that is also a noun is harder to judge ([Table 3](table3.ipynb)).
#
# A larger vocabulary has rarer verbs too, so compare two models over the lemmas that both have.
#
# Which of the verb forms that TSE asks about are not single tokens?

# %%
forms = pd.Series(pairs["correct"].unique())
for name in asked:
    entries = pd.Series(tse_core.load_model(name).word_ids(list(forms)))
    print(name, list(forms[entries.isna()]))

# %% [markdown] tags=["explains"]
# So SmolLM2's TSE rests on fewer verbs. And for a model that reads only the left side, *is tall*, *is old*, *is young* and *is short* are four pairs but one decision, *is* or *are*.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/data.ipynb>`.

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
# The pattern `the [person 1] [beside] the [other person 2] [*does 1]` has two lists of ten nouns in both numbers, six
# prepositions and seven predicates: *laughs*, *swims*, *smiles* and *is* with *tall*, *old*, *young* or *short*. Give
# `pairs`, the number of pairs, and the numbers of contexts: `both_sides` for a masked model, `left` for a causal one.
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
print(f"{pairs:,} pairs; contexts: {both_sides:,} masked, {left:,} causal.")

# %% [markdown]
# ````{exercise} ★★ Write a template
# :label: 01-template
#
# This grammar makes eight pairs, among them *the baker waits today* with *the baker wait today*:
#
# ```yaml
# lexicon:
#   nouns:
#     worker: [baker/bakers, nurse/nurses]
#   predicates: {does: [waits/wait]}
#   words: {when: [today, now]}
# constructions:
#   today:
#     name: A word after the verb
#     patterns:
#       today: the [worker 1] [*does 1] [when]
# ```
#
# In the same notation write `grammar`, a string in triple quotes, with one pattern for sentences such as *The dog near
# the cats barks.* Use three subject nouns, two other nouns as {term}`attractors <attractor>`, one preposition and two verbs.
#
# ```{dropdown} Hint
# Words with the same index agree in number. Each noun needs a list of its own, and so does the preposition.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# 3 subjects x 2 numbers x 2 attractors x 2 numbers x 2 verbs
grammar = """
lexicon:
  nouns:
    subject: [dog/dogs, horse/horses, child/children]
    bystander: [cat/cats, bird/birds]
  predicates: {does: [barks/bark, sleeps/sleep]}
  words: {where: [near]}
constructions:
  near:
    name: Across a preposition
    patterns:
      near: the [subject 1] [where] the [bystander 2] [*does 1]
"""

# %% tags=["hide-cell", "check"]
assert isinstance(grammar, str), "grammar should be a string in triple quotes"
made = pairs_of(grammar)
assert (made["attractor"] != "").all(), "a sentence has no attractor before the verb"
assert made["subject"].nunique() == 6, "three subjects in two numbers are six forms"
assert made["attractor"].nunique() == 4, "two attractors in two numbers are four forms"
assert made["lemma"].nunique() == 2, "there should be two verbs"
assert len(made) == 48, f"{len(made)} pairs; there should be 48"
differ = made["number"] != made["attractor_number"]
assert differ.mean() == 0.5, "subject and attractor should have different indices"
print(f"{len(made)} pairs, {differ.sum()} with an attractor of the other number.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ A verb drops out (no Python)
# :label: 01-dropped
#
# One model's tokenizer keeps *swims* whole, another's splits it. What happens to the pairs of *swim* in TSE,
# and to their contexts in EW? Can the two models' TSE be compared?
#
# ```{dropdown} Hint
# In TSE each pair asks about its own verb only.
# ```
# ````
#
# ```{solution} 01-dropped
# :class: dropdown
# The second model's TSE loses the pairs of *swim*; their contexts stay in EW, because other verbs share them. Compare TSE over
# the pairs that both models can answer.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# A few dozen words make very many pairs. The tokenizer decides which verbs count: frequent ones, many of which are also nouns.
#
# Functions: {py:func}`tse_core.load_pairs` and {py:func}`tse_core.load_lemmas`.
