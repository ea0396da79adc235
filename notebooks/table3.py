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
# # Table 3: a word that counts as a wrong verb may be a noun
#
# A word that counts as a wrong verb may be a noun that continues the subject; an adverb before the blank makes that unlikely.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : look at the words that a model expects at one blank
#
# You need
# : TSE and MW, from [Methods](methods.ipynb)
#
# Time
# : 6 minutes to read, seconds to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/table3.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill table3.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]
masked = ["lab-lexical-masked"]  # beside them, because the paper's BERT is masked, too
lemmas = "newman-clean"
sentences = [
    "The senators that the skater ___ are young.",
    "The pilots that the executive ___ are tall.",
]  # the subject of each blank is singular
verbs = ["like", "hate", "love"]  # the verbs in the template of these sentences
adverb = "often"  # what comes before the blank in the last table

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
masked = as_list(masked)
sentences = as_list(sentences, commas=False)
verbs = as_list(verbs)

# %% [markdown] tags=["explains"]
# ## The paper's two sentences
#
# Does {term}`TSE` ask about the verbs that a model would say? In *The senators that the skater ___ are young* the verb belongs to *skater*, so it must be singular. The template names three verbs, *like*, *hate* and *love*. {cite:t}`newman2021refining` print BERT-large-cased's ten most probable {term}`tokens <token>` in two such sentences.
#
# `mark_words` marks each word as a correct, wrong or past form of a verb, or as *other*.

# %%
from tse_book import charts, published
from tse_core.agreement.slots import mark_words

printed = published.table3().rename(columns={"subword": "token"})
printed["form"] = mark_words(printed["token"], "singular", "newman-appendix")
charts.form_bars(printed, title="BERT-large-cased, published")

# %% [markdown]
# None of the template's verbs is among the ten of the first sentence. How much probability does each kind of word have there?

# %%
first = printed[printed["sentence"].str.contains("skater")]
kinds = first.groupby("form")["probability"].sum()
kinds

# %% [markdown] tags=["explains"]
# The paper reports a TSE of .67 for this sentence: the model gets one of the three verbs wrong. {term}`MW` asks about what the model would say: of the probability on present-tense forms among the ten, 22 % is on wrong ones.

# %% [markdown] tags=["explains"]
# ## The same sentences in other models
#
# SmolLM2 reads the words to the left of the blank. The masked {term}`laboratory model` reads both sides, as BERT does. Whose top ten will contain more verbs?

# %%
import pandas as pd

from tse_book.pages import real_models
from tse_book.pages.newman import opened
from tse_core.agreement.slots import marked_distribution

distributions = []
for name in [*real_models(models), *masked]:
    for sentence in sentences:
        words = marked_distribution(opened(name), sentence, "singular", lemmas)
        distributions.append(words.assign(model=name, sentence=sentence))
slots = pd.concat(distributions)

# %%
from IPython.display import display

for name, words in slots.groupby("model", sort=False):
    top = words.groupby("sentence", sort=False).head(10)
    display(charts.form_bars(top, title=name))

# %% [markdown] tags=["explains"]
# The masked model, which has read *are young*, gives ten verbs for each sentence. Of SmolLM2's ten after *the executive*, six are nouns, such as *director* and *officer*. Two of them, *team* and *order*, are on the verb list, so they are marked wrong; as nouns they only continue the noun phrase.
#
# The scores of each sentence, and the probability of past forms, which no score counts:

# %%
from tse_book.pages import table
from tse_book.studies.slot_shares import slot_scores

rows = []
for (name, sentence), words in slots.groupby(["model", "sentence"], sort=False):
    rows.append({"model": name, "sentence": sentence, **slot_scores(words, verbs)})
names = {"tse": "TSE", "ew": "EW", "mw": "MW"}
scores = pd.DataFrame(rows).rename(columns=names)
table(scores[["model", "sentence", "TSE", "EW", "MW", "past"]], "Scores")

# %% [markdown] tags=["explains"]
# ## One word before the verb
#
# After an adverb a noun such as *team* is unlikely: hardly any sentence begins with *the executive often team*.
#
# ```{dropdown} Predict: what will *often* do to TSE, EW and MW?
# It will raise all three if nouns took up the probability, and none if the model does not know that *executive* is singular.
# ```

# %%
rows = []
for name in real_models(models):
    for sentence in sentences:
        for text in (sentence, sentence.replace("___", f"{adverb} ___")):
            words = marked_distribution(opened(name), text, "singular", lemmas)
            rows.append({"model": name, "sentence": text, **slot_scores(words, verbs)})
after = pd.DataFrame(rows, columns=["model", "sentence", *names])
table(after.rename(columns=names), "Without and with an adverb")

# %% [markdown] tags=["explains"]
# SmolLM2's EW rises in both sentences, from .88 to .97 and from .29 to .86; in the second, TSE goes from 0 to 1. We would expect this if nouns took up much of the probability.

# %%
from tse_book.pages import try_this

left = sentences[-1].partition(" ___")[0]
try_this((left, "singular"), (f"{left} {adverb}", "singular"), verb=verbs[0])


# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/table3.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book import published
from tse_core.agreement.slots import mark_words

SENATORS = "The senators that the skater [mask] are young."
PILOTS = "The pilots that the executive [mask] are tall."
top_ten = published.table3()[["sentence", "subword", "probability"]]
# each is correct, wrong, past or other
top_ten["form"] = mark_words(top_ten["subword"], "singular", "newman-appendix")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ TSE without luck (no Python)
# :label: 05-luck
#
# TSE of one sentence with three verbs can be 0, 1/3, 2/3 or 1. How many verbs would it take for
# one failure to cost less than 0.01? EW asks about all verbs: what does it give up in return?
# ````
#
# ```{solution} 05-luck
# :class: dropdown
#
# More than 100. In return EW also asks about verbs that do not fit the sentence, such as *rain*.
# ```

# %% [markdown]
# ````{exercise} ★★ Other verbs
# :label: 05-tse
#
# Compute TSE with three other lemmas. Give `verbs`, a dictionary from three base forms to their third-person forms, all six of
# them printed for `SENATORS`, and `tse`, the TSE with these verbs.
#
# ```{dropdown} Hint
# Pair the entries marked *correct* and *wrong*.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The three most probable verbs all agree. Whoever chooses the verbs chooses a good part
# of the score.
verbs = {"meet": "meets", "encounter": "encounters", "see": "sees"}
tse = 1.0

# %% tags=["hide-cell", "check"]
assert isinstance(verbs, dict), "verbs should be a dictionary"
assert len(verbs) == 3, "there should be three lemmas"
there = top_ten[top_ten["sentence"] == SENATORS].set_index("subword")
wins = 0
for base, third in verbs.items():
    assert {base, third} <= set(there.index), f"{base}, {third} should be among the ten"
    assert there.loc[base, "form"] == "wrong", f"{base} is not marked as a base form"
    assert there.loc[third, "form"] == "correct", f"{third} is not a third person"
    wins += there.loc[third, "probability"] > there.loc[base, "probability"]
assert tse == wins / 3, "tse: for how many of the three is the third person ahead?"
print(f"TSE is {tse:.2f} for these verbs, 0.67 for the template's.")

# %% [markdown]
# ````{exercise} ★★★ What the rest could do
# :label: 05-bounds
#
# Suppose all the probability that was not printed for `SENATORS` were on wrong forms, or all of it on correct ones. Give `low`
# and `high`, the MW in these two cases.
#
# ```{dropdown} Hint
# The rest is 1 minus the sum of all ten printed entries. Past forms and *other* count in neither MW.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The two are far apart: ten entries do not give a score.
first = top_ten[top_ten["sentence"] == SENATORS]
mass = first.groupby("form")["probability"].sum()
rest = 1 - first["probability"].sum()
judged = mass["correct"] + mass["wrong"] + rest
low, high = mass["correct"] / judged, (mass["correct"] + rest) / judged

# %% tags=["hide-cell", "check"]
numbers = isinstance(low, float) and isinstance(high, float)
assert numbers, "low and high should be two numbers"
there = top_ten[top_ten["sentence"] == SENATORS]
correct = there.query("form == 'correct'")["probability"].sum()
wrong = there.query("form == 'wrong'")["probability"].sum()
whole = correct + wrong + 1 - there["probability"].sum()
says = "low: correct forms as printed, divided by correct, wrong and not printed"
assert abs(low - correct / whole) < 1e-6, says
says = "high: only the wrong forms that were printed are wrong"
assert abs(high - (1 - wrong / whole)) < 1e-6, says
ten = correct / (correct + wrong)
print(f"MW lies between {low:.2f} and {high:.2f}; over the ten alone it is {ten:.2f}.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# A word that counts as a wrong verb may be a noun; an adverb before the blank makes that unlikely.
#
# Functions: {py:func}`tse_core.agreement.slots.marked_distribution` and {py:func}`tse_book.charts.form_bars`.
