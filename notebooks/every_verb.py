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
# # Every verb and other languages
#
# EW over single tokens leaves out the rare verbs that it was designed to test; whole words bring them back, if the end of the word is counted, too.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : score the verbs that a tokenizer splits, and verbs of other languages
#
# You need
# : [Methods](methods.ipynb); the two grammars of [the laboratory](laboratory.ipynb)
#
# Time
# : 7 minutes to read, half a minute to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/every_verb.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill every_verb.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]  # the first causal one spells the verbs below
context = "The author"
spelled = ["write", "accuse", "modernize", "antagonize"]
recorded = "smollm2-135m-instruct"  # whose recorded scores of whole words are shown

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
spelled = as_list(spelled)

# %% [markdown]
# {cite:t}`newman2021refining` count verbs whose forms are *both* single tokens of a model. What about the verbs that a tokenizer splits?
#
# ## The verbs that drop out
#
# {term}`Byte-pair encoding <byte-pair encoding (BPE)>` builds a vocabulary from text: frequent words become one entry, rare words stay in pieces. Here it is applied to sentences of [the laboratory](laboratory.ipynb), where the frequency of each verb is known.
#
# ```{dropdown} Predict: how many of the tail verbs, the rarest, still count?
# Few: both forms must be frequent enough to get an entry.
# ```

# %%
from tse_book.laboratory.byte_pair import byte_pair_tokenizer
from tse_book.laboratory.language import load_language

language = load_language()
size = len(language.vocabulary)  # as many entries as the language has words
byte_pairs = byte_pair_tokenizer(language, "lexical", size)


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
# Of the 200 frequent verbs 199 stay whole; of the 500 rare ones, only 6. English verbs drop out in the same way ([Data](data.ipynb)).

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
# The last factor, the probability that the word ends there, is easily forgotten {cite}`pimentel2024compute,oh2024leading`: the tokens of *modernize* may begin *modernizer*, and only the next token shows whether they do.

# %%
from tse_book.pages import form_probabilities, newman, table

causal = newman.causal_models(models)
model = newman.opened(causal[0] if causal else "lab-lexical-causal")
chosen = verbs.set_index("lemma").loc[spelled]
forms = form_probabilities(model, context, chosen).set_index(["form", "tokens"])
billionths = 1e9 * forms
billionths.columns = ["the tokens", "the whole word"]
caption = f"Probabilities in billionths after {context}, by {model.label}"
table(billionths.reset_index(), caption, digits=2)

# %% [markdown] tags=["explains"]
# ```{dropdown} Predict: a verb's form in -s begins with all tokens of its base form. What is the verb's EW if the end of the word is not counted?
# One half, whatever the model knows: a beginning is at least as probable as the whole, so the base form wins after every subject.
# ```

# %% [markdown] tags=["explains"]
# For 100 of the 1,945 verbs, SmolLM2's form in *-s* begins with all the tokens of the base form.
#
# ## Compared with the truth
#
# ```{dropdown} Predict: a perfect model of the laboratory's lexical grammar is tested on single tokens only. Is its EW too high or too low?
# Too high: single tokens are the frequent verbs, which agree in this grammar.
# ```

# %%
# for each construction: which verbs (rows) a perfect model gets right
agrees = [
    language.correct("lexical", construction) > 0.5
    for construction in language.constructions
]
print("all verbs:    ", round(np.mean([right.mean() for right in agrees]), 3))
print("single tokens:", round(np.mean([right[whole].mean() for right in agrees]), 3))

# %% [markdown]
# A perfect model has an EW of .70 over all verbs, and of .95 over single tokens. A trained model was scored over single tokens, over whole words, and over words without their end:

# %%
import pandas as pd

from tse_core.paths import data_folder

measured = pd.read_csv(data_folder() / "recorded" / "laboratory" / "words.csv")
measured = measured[measured["model"] == "lab-lexical-causal-bpe"]
ways = measured.groupby("forms")[["true_EW", "EW", "true_MW", "MW"]].mean()
table(ways.reset_index(), "EW and MW, true and measured, of a trained model", digits=3)

# %% [markdown] tags=["explains"]
# Over single tokens, EW is .98 where the truth is .70. Over whole words, it is .71.
#
# ## What changes for a real model
#
# Do verbs of several tokens score like the others? SmolLM2 was tested on every verb in the list as a whole word.

# %%
from tse_book.recorded import recorded_details
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
# Verbs of several tokens score lower, in every construction and for both kinds of verb, perhaps because they are rarer or longer. Over all verbs of the list:

# %%
from tse_book import charts

words = recorded_details(recorded, "words").table
# TSE has no cut-off; of EW and MW take top 100 %
of_all = words["cutoff"].isna() | ((words["side"] == "top") & (words["cutoff"] == 1))
both = words[of_all].copy()
# the signature says how the forms were scored
forms = both["signature"].str.extract(r"forms:(\S+)")[0].fillna("single")
both["model"] = forms.map({"single": "single tokens", "words": "whole words"})
both = both.dropna(subset="model").sort_values("model", kind="stable")
charts.table2_dots(both, title="TSE, EW and MW: single tokens, whole words")

# %% [markdown] tags=["explains"]
# SmolLM2 was tested on 1,945 verbs instead of 962, in the same contexts, 20 or 24 of each construction. On average EW goes from .85 (.841 over all contexts of these constructions, as in [Table 2](table2.ipynb)) to .83, and MW stays at .89. TSE of whole words is .94, above EW in eight of the nine rows. Whole words have no intervals here, because the method for intervals changed after they were scored.
#
# With whole words, models with different tokenizers can be tested on the same verbs: `tse evaluate smollm2-135m-instruct --verbs all --against gpt2`. With a {term}`masked model` only lemmas whose two forms have the same number of tokens count {cite}`kauf2023better`.

# %% [markdown] tags=["explains"]
# ## Other languages
#
# CLAMS {cite}`mueller2020crosslinguistic` has Marvin and Linzen's constructions in five languages; for English we take Marvin and Linzen's own sentences. Gemma 3 270M's vocabulary contains both forms of 121 German and 67 French verbs, all frequent, against 1,213 English ones.
#
# ```{dropdown} Predict: in German and French a verb form after a subject is hardly ever a noun. Will EW still be below TSE?
# No, if EW is low only because verbs are read as nouns.
# ```

# %%
from tse_book.pages import folded

gemma = recorded_details("gemma-3-270m", "languages").table
languages = gemma.pivot(index="construction", columns="language", values=["EW", "TSE"])
languages = languages.dropna().swaplevel(axis=1).sort_index(axis=1)
caption = "Gemma: CLAMS in French and German, Marvin and Linzen in English"
shown = table(languages, caption, digits=3, index=True)
folded(shown, "EW and TSE of Gemma, row by row")

# %% [markdown] tags=["explains"]
# EW is below TSE in all five rows of all three languages: on average .81 against .92 in English, .84 against .94 in French, .91 against .95 in German. This suggests that the noun reading is not the only reason. But in French and German TSE asks about one to four verbs in each construction, so this says little about how languages differ.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/every_verb.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book.laboratory.byte_pair import byte_pair_tokenizer
from tse_book.laboratory.language import load_language

language = load_language()
verbs = language.lemmas[["lemma", "singular", "band"]].copy()
byte_pairs = byte_pair_tokenizer(language, "lexical", 2000)
inside = [" " + word for word in verbs["singular"]]
verbs["tokens"] = byte_pairs(inside, add_special_tokens=False)["input_ids"]
following = {  # what a made-up model expects after each beginning; "-" is the end
    "": {"walk": 0.5, "admire": 0.1, "other": 0.4},
    "walk": {"s": 0.2, "-": 0.8},
    "walk s": {"-": 1.0},
    "admire": {"s": 0.9, "-": 0.1},
    "admire s": {"-": 1.0},
}

# %% [markdown]
# ````{exercise} ★ Which verbs are split?
# :label: 17-kept
#
# The column `tokens` of `verbs` lists the tokens of each singular form, as numbers. Make `mean_tokens`, a dictionary from band to the mean number of tokens.
#
# ```{dropdown} Hint
# `verbs.groupby("band")` gives the verbs of each band.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Frequent verbs are one token or little more, rare ones are split.
how_many = verbs["tokens"].map(len)
mean_tokens = how_many.groupby(verbs["band"]).mean().to_dict()

# %% tags=["hide-cell", "check"]
assert isinstance(mean_tokens, dict), "mean_tokens should be a dictionary"
known = verbs["tokens"].map(len).groupby(verbs["band"]).mean()
assert set(mean_tokens) == set(known.index), "mean_tokens needs the three bands as keys"
for band, mean in known.items():
    assert abs(mean_tokens[band] - mean) < 1e-9, f"{band}: not the mean of its verbs"
print("Mean tokens:", known.round(2).to_dict())

# %% [markdown]
# ````{exercise} ★★ The chain rule by hand
# :label: 17-chain
#
# `following` says what a made-up model expects after each beginning of a word; `"-"` is the word's end. Write `whole(tokens)`, which returns the probability of the whole word that a list of tokens spells. Which of `["admire"]` and `["admire", "s"]` is more probable, with the end and without?
#
# ```{dropdown} Hint
# For tokens a and b: `following[""][a]`, times `following[a][b]`, times `following[f"{a} {b}"]["-"]`.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# With the end, admires is nine times as probable; without it, its beginning admire would win.
def whole(tokens):
    """The probability of the whole word with these tokens."""
    probability = 1.0
    beginning = []
    for token in tokens:
        probability *= following[" ".join(beginning)][token]
        beginning.append(token)
    return probability * following[" ".join(tokens)]["-"]


# %% tags=["hide-cell", "check"]
assert isinstance(whole(["walk"]), float), "whole should return a number"
known = {"walk": 0.4, "walk s": 0.1, "admire": 0.01, "admire s": 0.09}
for tokens, probability in known.items():
    found = whole(tokens.split())
    assert abs(found - probability) < 1e-9, f"{tokens}: multiply by the end as well"
print("admire 0.01, admires 0.09: the end decides.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ What whole words do not repair (no Python)
# :label: 17-left
#
# Two models with different tokenizers are tested on the same verbs. Name two reasons, other than agreement, why their EW may differ.
#
# ```{dropdown} Hint
# Some words mean two things; some have three tokens.
# ```
# ````
#
# ```{solution} 17-left
# :class: dropdown
#
# {term}`Homographs <homograph>`: *plan* is still a noun as well. Spelling: a form of several tokens can be harder for a small model, and the two forms may be split differently.
# ```

# %% [markdown]
# ## Takeaways
#
# EW over single tokens leaves out the rare verbs it was designed to test. The probability of a word includes the probability that it ends.
#
# Functions: {py:func}`tse_core.evaluate` (with ``verbs="all"``) and {py:func}`tse_core.surprisals`.
