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
# # Every verb and other languages
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see which verbs a tokenizer keeps out of EW and MW, score whole words instead, and look at other languages
#
# You need
# : TSE, EW and MW, from [Methods](02_methods.ipynb); the two grammars of [the laboratory](16_laboratory.ipynb)
#
# Time
# : 8 minutes to read, half a minute to run on a CPU
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]  # the first causal one draws the tree
context = "The author"  # of the tree
number = "singular"  # of its subject
drawn = ["write", "accuse", "modernize", "antagonize"]  # its verbs
recorded = "smollm2-135m-instruct"  # whose recorded scores of whole words are shown

# %% [markdown]
# What about the verbs that a tokenizer cuts up? {cite:t}`newman2021refining` count verbs of which *both* forms are single tokens of a model's vocabulary. This chapter counts the others as well.
#
# ## The verbs that drop out
#
# Many tokenizers are trained on text by {term}`byte-pair encoding <byte-pair encoding (BPE)>`: frequent words become one entry, rare words stay in pieces. This vocabulary was learned from the sentences of [the laboratory](16_laboratory.ipynb), where we know how frequent each verb is.
#
# ```{dropdown} Predict: of the verbs of the tail, the rarest ones, how many still count?
# Few: both forms must be frequent enough to get an entry.
# ```

# %%
from tse_book import laboratory

language = laboratory.load_language()
size = len(language.vocabulary)
byte_pairs = laboratory.byte_pair_tokenizer(language, "lexical", size)


def tokens_of(words):
    """How many tokens each word has inside a sentence."""
    inside = [" " + word for word in words]
    ids = byte_pairs(inside, add_special_tokens=False)["input_ids"]
    return [len(tokens) for tokens in ids]


# %%
import numpy as np

verbs = language.lemmas
longer_form = np.maximum(tokens_of(verbs["singular"]), tokens_of(verbs["plural"]))
whole = longer_form == 1
bands = verbs.assign(whole=whole).groupby("band", sort=False)["whole"]
bands.agg(verbs="size", whole="sum")

# %% [markdown]
# Of the 200 frequent verbs 199 stay whole, of the 500 rare ones 6. Real models lose many as well: of the list's 1,945 verbs SmolLM2's vocabulary holds 962 with both forms, Gemma's 1,213.

# %% [markdown] tags=["explains"]
# ## The probability of a whole word
#
# By the chain rule, for a form $w$ with the tokens $t_1, \ldots, t_n$ in the context $c$:
#
# $$
# \begin{aligned}
# P(w \mid c) = {}& P(t_1 \mid c)\; P(t_2 \mid c\, t_1) \\
# &\cdots P(t_n \mid c\, t_1 \ldots t_{n-1}) \\
# &\times P(\text{end} \mid c\, t_1 \ldots t_n)
# \end{aligned}
# $$
#
# The last factor, that the word ends, is easily forgotten {cite}`pimentel2024compute,oh2024leading`. The tokens of *modernize* may be the beginning of *modernizer*; only the next token tells that the word is over. All forms make a *tree*, in which shared beginnings are computed once.

# %%
from tse_book import charts
from tse_book.pages import form_nodes, newman

causal = newman.causal_models(models)
reader = newman.opened(causal[0] if causal else "lab-lexical-causal")
some = verbs.set_index("lemma").loc[drawn]
nodes = form_nodes(reader, context, number, some)
print("read by", reader.label)
charts.word_tree(nodes, context=context, title="Forms as paths of tokens")

# %% [markdown] tags=["explains"]
# ```{dropdown} Predict: a tokenizer cuts a verb so that its base form is the beginning of the form with -s. What is its EW if the end of the word is not counted?
# One half, whatever the model knows: the base form wins after every subject, because a beginning is at least as probable as what begins with it.
# ```

# %%
from tse_book.pages import folded, table

forms = nodes[nodes["form"] != ""].set_index(["form", "tokens"])
billionths = 1e9 * forms[["without", "probability"]]
billionths.columns = ["the tokens", "the whole word"]
shown = table(billionths.reset_index(), "Probabilities in billionths", digits=2)
folded(shown, "The forms of the tree, with and without the end of the word")

# %% [markdown] tags=["explains"]
# With SmolLM2's vocabulary the base form begins the other one for 100 of the 1,945 verbs. For these the end decides.
#
# ## Held against the truth
#
# In the laboratory's lexical grammar the true EW is known.
#
# ```{dropdown} Predict: a perfect model of this language is asked about its single tokens only. Is its EW too high or too low?
# Too high. Its single tokens are the frequent verbs, and in this grammar these are the verbs that agree.
# ```

# %%
agrees = [
    language.correct("lexical", construction) > 0.5
    for construction in language.constructions
]
print("all verbs:    ", round(np.mean([right.mean() for right in agrees]), 3))
print("single tokens:", round(np.mean([right[whole].mean() for right in agrees]), 3))

# %% [markdown]
# A perfect model has an EW of .70, and of .95 if it is asked about single tokens only. A trained model was measured in three ways:

# %%
import pandas as pd

from tse_core.paths import data_folder

measured = pd.read_csv(data_folder() / "recorded" / "laboratory" / "words.csv")
measured = measured[measured["model"] == "lab-lexical-causal-bpe"]
ways = measured.groupby("forms")[["true_EW", "EW", "true_MW", "MW"]].mean()
shown = table(ways.reset_index(), "Means over nine constructions", digits=3)
folded(shown, "EW and MW in three ways, beside the truth")

# %% [markdown] tags=["explains"]
# By single tokens EW is .98 where the truth is .70. Over whole words it is .71.

# %% [markdown] tags=["explains"]
# ## What changes for a real model
#
# SmolLM2 was asked about every verb of the list as a whole word. How do verbs of several tokens compare with the others?

# %%
from tse_book.studies import recorded_details
from tse_core import load_lemmas

asked = recorded_details(recorded, "verbs").table
nouns = load_lemmas("newman-clean").table[["lemma", "noun"]]
asked = asked[asked["forms"] == "words"].merge(nouns)
longest = asked[["tokens_singular", "tokens_plural"]].max(axis=1)
asked["tokens"] = np.where(longest > 1, "several tokens", "single tokens")
asked["verbs"] = np.where(asked["noun"], "also nouns", "never nouns")
asked["EW"] = asked["correct"] / asked["contexts"]

# %%
rows = asked.groupby(["construction", "verbs", "tokens"])["EW"].mean().unstack()
means = rows.groupby("verbs").mean().reset_index()
table(means, "SmolLM2: EW over whole words, mean of nine constructions", digits=3)

# %% [markdown] tags=["explains"]
# Verbs of several tokens score lower, in every construction and for both kinds of verb. So rarity or length costs something, and single tokens cannot show it. Over all verbs of the list:

# %%
words = recorded_details(recorded, "words").table
top = (words["side"] != "bottom") & (words["cutoff"].isna() | (words["cutoff"] == 1))
both = words[top & ~words["signature"].str.contains("forms:words-no-end")].copy()
whole_words = both["signature"].str.contains("forms:words ")
both["model"] = np.where(whole_words, "whole words", "single tokens")
both = both.sort_values("model", kind="stable")
charts.table2_dots(both, title="TSE, EW and MW: single tokens, whole words")

# %% [markdown] tags=["explains"]
# SmolLM2 was asked about 1,945 verbs instead of 962, in the same contexts, 20 or 24 of each construction. On average EW goes from .85 to .83, and MW stays at .89. TSE of whole words is .94; EW is below it in eight of the nine rows.
#
# A {term}`masked model` fills as many masks as a form has tokens {cite}`kauf2023better`; only lemmas whose two forms have equally many tokens count there. With whole words, models of different tokenizers can be asked about the same verbs: `tse evaluate smollm2-135m-instruct --verbs all --against gpt2`.

# %% [markdown] tags=["explains"]
# ## Other languages
#
# CLAMS {cite}`mueller2020crosslinguistic` has Marvin and Linzen's constructions in English, French, German, Hebrew and Russian, and the package has a list of verbs for each. Gemma 3 270M's vocabulary holds few verbs with both forms: 121 German and 67 French ones, all frequent, against 1,213 English ones.
#
# ```{dropdown} Predict: in German and French a verb form behind a subject is hardly ever a noun. Will EW still be below TSE?
# If the reading as a noun were all that lowers EW, no.
# ```

# %%
gemma = recorded_details("gemma-3-270m", "languages").table
languages = gemma.pivot(index="construction", columns="language", values=["EW", "TSE"])
languages = languages.dropna().swaplevel(axis=1).sort_index(axis=1)
table(languages, "Gemma on CLAMS, single tokens", digits=3, index=True)

# %% [markdown] tags=["explains"]
# EW is below TSE in all five rows of all three languages. On average it is .81 against .92 in English, .84 against .94 in French, .91 against .95 in German. So the reading as a noun cannot be the only reason. But TSE is of one to four verbs in a row of French or German, so this says little of how languages differ.
#
# To ask another model: `tse data fetch clams`, then `tse evaluate facebook/xglm-564M --data clams/fr --lemmas french --verbs all`.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/17_every_verb.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book.laboratory import byte_pair_tokenizer, load_language

language = load_language()
verbs = language.lemmas[["lemma", "singular", "plural", "band"]]
byte_pairs = byte_pair_tokenizer(language, "lexical", 2000)

# A made-up model of six entries. What follows the context (no token yet) and each beginning of a word:
following = {
    (): {"walk": 0.5, "walks": 0.1, "admire": 0.1, "adm": 0.3},
    ("walk",): {"s": 0.2, "-": 0.8},
    ("walk", "s"): {"-": 1.0},
    ("walks",): {"-": 1.0},
    ("admire",): {"s": 0.9, "-": 0.1},
    ("admire", "s"): {"-": 1.0},
    ("adm",): {"ires": 1.0},
    ("adm", "ires"): {"-": 1.0},
}  # "-" stands for all entries that end a word, taken together


def spell(word):
    """The tokens of a word inside a sentence, as numbers."""
    return byte_pairs(" " + word, add_special_tokens=False)["input_ids"]


# %% [markdown]
# ````{exercise} ★ Who pays for an entry?
# :label: 17-kept
#
# `spell(word)` gives the tokens of a word as numbers. Make `mean_tokens`, a dictionary from the bands `"head"`, `"middle"` and
# `"tail"` of the table `verbs` to the mean number of tokens of their singular forms.
#
# ```{dropdown} Hint
# `verbs.groupby("band")` gives the verbs of each band.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Frequent verbs are one token or little more, rare ones are cut up.
mean_tokens = {
    band: float(np.mean([len(spell(word)) for word in rows["singular"]]))
    for band, rows in verbs.groupby("band")
}

# %% tags=["hide-cell", "check"]
assert isinstance(mean_tokens, dict), "mean_tokens should be a dictionary"
known = verbs["singular"].map(spell).map(len).groupby(verbs["band"]).mean()
assert set(mean_tokens) == set(known.index), "mean_tokens needs the three bands as keys"
for band, mean in known.items():
    assert abs(mean_tokens[band] - mean) < 1e-9, f"{band}: not the mean of its verbs"
print("Mean tokens:", known.round(2).to_dict())

# %% [markdown]
# ````{exercise} ★★ The chain rule by hand
# :label: 17-chain
#
# `following` says what a made-up model expects after each beginning of a word; `"-"` is the end of the word. Write `whole(tokens)`, which returns the probability of the whole word with these tokens. Which of *admire* and *admires* (`("admire", "s")`) is more probable, with the end and without?
#
# ```{dropdown} Hint
# For tokens (a, b): `following[()][a]`, times `following[(a,)][b]`, times `following[(a, b)]["-"]`.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# With the end, admires is nine times as probable; without it, admire, its beginning, would win.
def whole(tokens):
    """The probability of the whole word with these tokens."""
    probability = 1.0
    for place, token in enumerate(tokens):
        probability *= following[tuple(tokens[:place])][token]
    return probability * following[tuple(tokens)]["-"]


# %% tags=["hide-cell", "check"]
assert isinstance(whole(("walk",)), float), "whole should return a number"
for tokens, known in ((("walk",), 0.4), (("walk", "s"), 0.1), (("admire", "s"), 0.09)):
    found = whole(tokens)
    assert abs(found - known) < 1e-9, f"{tokens}: {found}, multiply the end as well"
print(f"admire {whole(('admire',)):.2f}, admires {found:.2f}: the end decides.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ What whole words do not repair
# :label: 17-left
#
# Two models of different tokenizers can now be asked about the same verbs. Name two reasons why their EW may still differ that have nothing to do with agreement. No program is needed.
#
# ```{dropdown} Hint
# Think of words that mean two things, and of words of three tokens.
# ```
# ````
#
# ```{solution} 17-left
# :class: dropdown
#
# {term}`Homographs <homograph>`: *plan* is still a noun as well. Spelling: a form of several tokens can be harder for a small model, and the two forms of a lemma may be cut differently.
# ```

# %% [markdown]
# ## Takeaways
#
# - EW over single tokens leaves out many rare verbs, the ones that EW was made for.
# - A word's probability is that of its tokens, one after the other, times the probability that the word ends.
#
# Functions: {py:func}`tse_core.evaluate` (with ``verbs="all"``) and {py:func}`tse_book.charts.word_tree`; [all others](../book/api/index.md).
