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
# # Methods: TSE, EW and MW by hand
#
# Three scores ask three questions of one distribution: TSE about chosen verbs, EW about all verbs alike, MW about what the model would say.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : compute the three scores by hand and for a real model
#
# You need
# : school algebra; a little Python
#
# Time
# : 15 minutes to read, a minute and a half to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/methods.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill methods.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
# short names, folders, or names on the Hugging Face hub
models = ["smollm2-135m-instruct"]  # the first that reads from left to right is used
masked = ["lab-systematic-masked"]  # explained below

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
masked = as_list(masked)

# %% [markdown] tags=["explains"]
# ## Two verbs, three scores
#
# Suppose a model knows just two verbs, *be* and *exist*. After *The keys to the cabinet* it gives their four forms these probabilities. The subject is plural, so *are* and *exist* agree.


# %%
import pandas as pd

from tse_book.pages import folded, table

toy = pd.DataFrame({"lemma": ["be", "exist"], "correct": ["are", "exist"]})
toy["P(correct)"] = [0.55, 0.15]
toy["wrong"] = ["is", "exists"]
toy["P(wrong)"] = [0.05, 0.25]
table(toy, "A model that knows two verbs, after The keys to the cabinet")

# %% [markdown]
# {cite:t}`newman2021refining` define three scores. For a context $c$, the words around the verb, and a {term}`lemma` $\ell$, a verb with a correct form $\ell_+$ and a wrong form $\ell_-$, {term}`TSE` asks:
#
# $$
# \mathrm{TSE}(c, \ell) = \mathbb{1}\bigl[P(\ell_+ \mid c) > P(\ell_- \mid c)\bigr]
# $$
#
# This is 1 if the correct form is more probable, and 0 otherwise. {term}`EW` (equally weighted) is the mean of this over all lemmas in a list. {term}`MW` (model weighted) is the share of the probability on verb forms that goes to correct ones:
#
# $$
# \mathrm{MW}(c) = \frac{\sum_\ell P(\ell_+ \mid c)}{\sum_\ell \bigl(P(\ell_+ \mid c) + P(\ell_- \mid c)\bigr)}
# $$
#
# ```{dropdown} Predict: which of the three is largest here, if TSE asks about *be*?
# TSE, because *are* beats *is*. EW also counts *exist*, which the model gets wrong. MW lies between them, because *are* is so probable.
# ```

# %%
correct, wrong = toy["P(correct)"], toy["P(wrong)"]
agrees = correct > wrong
tse = float(agrees[0])  # here TSE asks about *be* alone
ew = agrees.mean()
mw = correct.sum() / (correct.sum() + wrong.sum())
scores = pd.Series({"TSE": tse, "EW": ew, "MW": mw})
scores

# %% [markdown]
# The package computes the same scores from the logarithms of the probabilities:

# %%
import numpy as np

from tse_core import cutoff_scores

probabilities = [[0.05, 0.55, 0.25, 0.15]]  # is, are, exists, exist
lemmas = [[0, 1], [2, 3]]  # positions of each lemma's singular and plural form
plural = [1]  # the subject's number; 0 would be singular
# top=[1.0]: all entries count; smaller shares are explained below
result = cutoff_scores(np.log(probabilities), lemmas, plural, top=[1.0], bottom=[])
result.ew_top, result.mw_top

# %% [markdown]
# TSE is 1.0, EW 0.5 and MW 0.7: the numbers in the paper's Table 1.

# %% [markdown]
# ### Move the probabilities
#
# The sliders set the weight of each form. Can you get a TSE of 0 with an MW near 1?

# %%
from tse_book import charts

charts.weight_sliders(toy, "Three questions about the same four probabilities")

# %% [markdown] tags=["explains"]
# ### From one context to a score
#
# A published score is a mean over a {term}`construction`, a kind of sentence: TSE over its {term}`minimal pairs <minimal pair>`, EW and MW over its contexts.
#
# :::{admonition} Do not compare MW with EW or TSE
# :class: important
# EW and TSE are means of yes-or-no judgements; MW is computed from the probabilities themselves.
# :::
#
# ## A real distribution
#
# Now a real model that the paper never saw: SmolLM2-135M-Instruct, with 135 million weights. For what share of the verbs whose forms are both {term}`entries of its vocabulary <vocabulary entry>` will the correct form be more probable?

# %%
import tse_core
from tse_book.pages import newman

asked = newman.first_model(models)
beginning = "The keys to the cabinet"
for name in asked:
    model = tse_core.load_model(name)
    context = tse_core.score_context(model, beginning, number="plural")
    print(name, len(context.forms), "verbs")
    print(f"EW {context.ew:.2f}  MW {context.mw:.2f}")

# %% tags=["hide-input"]
newman.what_is_missing(models)

# %% [markdown]
# SmolLM2 prefers the correct form of 95&nbsp;% of the 962 verbs, and 97&nbsp;% of the probability on their forms goes to correct ones. It gives *are* .37 and *is* .006, so TSE with *be* is 1.
#
# The slider sets a {term}`cut-off`, a share of the probability: it keeps only the most probable entries, which together make up this share.

# %%
from IPython.display import display

from tse_core.agreement.slots import marked_distribution

if asked:
    marked = marked_distribution(model, f"{beginning} ___", "plural")
    title = "The likeliest verbs inside a cut-off"
    slider = charts.context_slider(marked, context.curves, title=title)
    display(slider)

# %% [markdown] tags=["explains"]
# Within the top 97&nbsp;%, EW is .99; over all verbs it is .95. The most probable errors are on *content*, *double* and *land*, which are also nouns.

# %% tags=["hide-input"]
from tse_book.pages import try_this

try_this((beginning, "plural"), ("The key to the cabinets", "singular"))

# %% [markdown] tags=["explains"]
# ## Cut-offs: the head and the tail
#
# A distribution has a *head*, its few probable entries, and a long *tail* of improbable ones. *Top p* keeps the most probable entries that together make up the share $p$ of the probability; *bottom p* keeps the least probable ones. EW and MW are then computed from the verbs inside the cut-off. Here is a vocabulary of four verbs and two other words; the subject is plural.

# %%
entries = ["are", "have", "not", "is", "has", "of", "gleams", "rusts", "gleam", "rust"]
shares = [0.40, 0.18, 0.12, 0.10, 0.08, 0.05, 0.03, 0.02, 0.012, 0.008]
small = pd.DataFrame({"entry": entries, "form": "wrong", "probability": shares})
small.loc[small["entry"].isin(["are", "have", "gleam", "rust"]), "form"] = "correct"
small.loc[small["entry"].isin(["not", "of"]), "form"] = "not a verb"
small["cumulative"] = small["probability"].cumsum()
table(small, "A small distribution, most probable first", digits=3)

# %% [markdown] tags=["explains"]
# For EW, a lemma is inside a **top** cut-off if *either* form is inside; MW counts each form separately. At a **bottom** cut-off *both* forms must be inside. An entry on the edge counts in part ([Figure 2](figure2.ipynb) says how). The scores at every cut-off:

# %%
lemmas = [[3, 0], [4, 1], [6, 8], [7, 9]]  # is/are, has/have, gleams/gleam, rusts/rust
log_shares = np.log([shares])
cutoffs = np.arange(0.02, 1.01, 0.02).round(2)
curves = cutoff_scores(log_shares, lemmas, plural, top=cutoffs, bottom=cutoffs)
title = "Right about likely verbs, wrong about unlikely ones"
charts.cutoff_explorer(small, curves, cutoffs, title)

# %% [markdown] tags=["explains"]
# ## How far a verb moves: sensitivity and bias
#
# A yes or no does not say how far a form is ahead. So let $m$ be the log-probability of a verb's singular form minus that of its plural form, in {term}`nats <nat>`, and compare two contexts that differ in the subject's number:
#
# $$
# \text{sensitivity} = \frac{m_\text{singular} - m_\text{plural}}{2} \qquad \text{bias} = -\frac{m_\text{singular} + m_\text{plural}}{2}
# $$
#
# {term}`Sensitivity <sensitivity>` is how far the subject's number moves the verb towards the form that agrees, {term}`bias` what the model prefers whatever the subject is: above 0 it prefers the plural form. A verb is right after both subjects if its sensitivity exceeds its bias in size.
#
# ```{dropdown} Predict: which moves farther, *be* or *plan*?
# *Be*, since *plan* is also a noun: after *The student*, a model may expect it whatever the number.
# ```

# %%
contexts = {"singular": "The student", "plural": "The students"}
moves = pd.DataFrame({"verb": ["be", "know", "plan"]})
if asked:
    for number, left in contexts.items():
        forms = tse_core.score_context(model, left, number=number).forms
        forms = forms.set_index("lemma").loc[moves["verb"]]
        ahead = np.log(forms["p_correct"] / forms["p_wrong"]).to_numpy()
        moves[f"m, {number}"] = ahead if number == "singular" else -ahead
    moves["sensitivity"] = (moves["m, singular"] - moves["m, plural"]) / 2
    moves["bias"] = -(moves["m, singular"] + moves["m, plural"]) / 2
table(moves, "After The student and The students, in nats")

# %% [markdown] tags=["explains"]
# All three verbs move towards the form that agrees: *be* by 5.7 nats, *know* by 3.9, *plan* by 1.6. But *plan* has a bias of 2.4, so that SmolLM2 still prefers it after *The student*, and EW counts it as wrong.
#
# ## Masked and causal models
#
# A {term}`causal model` such as GPT-2 predicts the verb from the words before it; a {term}`masked model` such as BERT sees a gap, the *slot*, with words on both sides. Here a model of each kind is given *The author next to the guards ___ tall.* The masked one is a {term}`laboratory model`, trained on a small artificial language. Here are the {term}`tokens <token>` that each reads, and the position at which it predicts the verb:

# %%
from tse_core.models.slots import slot

left, right = "The author next to the guards", "tall."
both = [tse_core.load_model(name) for name in [*asked, *masked]]
for model in both:
    prompt = slot(model, left, right)
    print(model.label, model.tokens(prompt.ids), "at token", prompt.position)

# %%
likeliest = {}
for model in both:
    words = tse_core.slot_distribution(model, left, right)["token"].head(8)
    likeliest[model.label] = words.str.strip()
shown = table(pd.DataFrame(likeliest), "The eight most probable words in the slot")
folded(shown, "What each model expects in the slot")

# %% [markdown] tags=["explains"]
# Both put *is* first, though they answer different questions: what can follow *The author next to the guards*, and what can fill a gap before *tall*.

# %% [markdown] tags=["explains"]
# ## Exact and released
#
# A {term}`protocol` is the way in which a score is computed. *Exact* follows the definitions above. *Released* follows the authors' code, which drops a few entries in the far tail; use it to compare with published numbers. Every result has a {term}`signature`, a line that names all such choices.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/methods.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

# the probabilities that a model gives after "The author"
after_author = {"walks": 0.30, "the": 0.19, "quickly": 0.15, "sing": 0.14}
after_author |= {"walk": 0.10, "sings": 0.06, "sleeps": 0.05, "sleep": 0.01}


def ew_and_mw(probabilities, correct, wrong):
    """EW and MW of a distribution, over lemmas with these correct and wrong forms."""
    of_form = pd.Series(probabilities)
    of_correct, of_wrong = of_form[correct].to_numpy(), of_form[wrong].to_numpy()
    ew = (of_correct > of_wrong).mean()
    mw = of_correct.sum() / (of_correct.sum() + of_wrong.sum())
    return ew, mw


# %% [markdown]
# ````{exercise} ★ By hand
# :label: 02-hand
#
# After *The author* a model gives *walks* .30, *the* .19, *quickly* .15, *sing* .14, *walk* .10, *sings* .06, *sleeps* .05 and *sleep* .01. The list has the lemmas *walk*, *sing* and *sleep*. Give `ew` and `mw`.
#
# ```{dropdown} Hint
# The subject is singular. MW needs two sums.
# ```
# ````

# %% tags=["hide-cell", "solution"]
ew = 2 / 3  # walk and sleep are right, sing is wrong
mw = (0.30 + 0.06 + 0.05) / (0.30 + 0.06 + 0.05 + 0.10 + 0.14 + 0.01)

# %% tags=["hide-cell", "check"]
third_person, base = ["walks", "sings", "sleeps"], ["walk", "sing", "sleep"]
true_ew, true_mw = ew_and_mw(after_author, third_person, base)
assert isinstance(ew, (int, float)), "ew should be a number"
assert isinstance(mw, (int, float)), "mw should be a number"
assert abs(ew - true_ew) < 0.005, "EW: how many of the three lemmas are right?"
parts = "MW: the sum over the correct forms, divided by the sum over all six forms"
assert abs(mw - true_mw) < 0.005, parts
print(f"EW {ew:.2f}, MW {mw:.2f}; the words that are not verbs count in neither.")

# %% [markdown]
# ````{exercise} ★ Low EW, high MW
# :label: 02-low-ew
#
# Choose `probabilities` after *The keys to the cabinet*: a dictionary of the forms *are*, *is*, *exist* and *exists* whose
# values sum to 1, such that EW is 0.5 and MW is above 0.95.
#
# ```{dropdown} Hint
# Which single form would make the sum of the correct ones large?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The model nearly always says "are", and is right. It knows nothing about "exist".
probabilities = {"are": 0.96, "is": 0.02, "exist": 0.005, "exists": 0.015}

# %% tags=["hide-cell", "check"]
assert isinstance(probabilities, dict), "probabilities should be a dictionary"
forms = {"are", "is", "exist", "exists"}
assert set(probabilities) == forms, "use the four forms named above"
assert abs(sum(probabilities.values()) - 1) < 1e-6, "they should sum to 1"
assert min(probabilities.values()) > 0, "every form needs some probability"
ew, mw = ew_and_mw(probabilities, ["are", "exist"], ["is", "exists"])
assert ew == 0.5, "EW: one lemma should be right and the other wrong"
assert mw > 0.95, f"MW is {mw:.3f}: more probability should be on correct forms"
print(f"MW {mw:.3f}: nearly all it says is right, but only half of its verbs are.")

# %% [markdown]
# ````{exercise} ★★ Which one would you report? (no Python)
# :label: 02-report
#
# Someone asks *does this model know agreement?*, someone else *will its texts have agreement errors?* Which
# score would you give to each of them?
# ````
#
# ```{solution} 02-report
# :class: dropdown
# EW for knowledge, because it treats every verb alike. Report it by kind of verb, with {term}`sensitivity` and {term}`bias` beside it, since a wrong preference need not be ignorance. MW for errors, because it weighs verbs by how often the model would use them.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# TSE asks about chosen verbs, EW about all verbs alike, MW about what the model would say. Sensitivity and bias say how far each verb moves, and what the model prefers anyway.
#
# Functions: {py:func}`tse_core.cutoff_scores` and {py:func}`tse_core.score_context`.
