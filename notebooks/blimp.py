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
# # BLiMP: an overall accuracy hides single paradigms
#
# An overall accuracy hides differences between phenomena, and these hide differences between paradigms.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : ask which of two sentences a model prefers, and check the published tables
#
# You need
# : [Data](data.ipynb) and, for the {term}`BOS token`, [Table 2](table2.ipynb)
#
# Time
# : 9 minutes to read, a minute to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/blimp.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill blimp.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = [  # the first causal one reads pairs; the laboratory's (lab-) are scored
    "smollm2-135m-instruct",
    "lab-lexical-causal",
    "lab-systematic-causal",
]
sentence_pairs = "laboratory"  # "blimp" needs: tse data fetch blimp
recorded = ["smollm2-135m-instruct", "gemma-3-270m"]  # shown if they are recorded

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
recorded = as_list(recorded)

# %% [markdown] tags=["explains"]
# ## Phenomena
#
# BLiMP, the Benchmark of Linguistic Minimal Pairs ({cite:t}`warstadt2020blimp`; [its data](https://github.com/alexwarstadt/blimp)), has 67 {term}`paradigms <paradigm>` of 1,000 {term}`minimal pairs <minimal pair>` each, in twelve phenomena. A model is right if it finds the acceptable sentence more probable. Here is an example of our own for each phenomenon:
#
# | phenomenon | what it tests | example |
# |---|---|---|
# | anaphor agreement | a reflexive agrees with what it refers to | The nurse saw [herself]{.good} / \*[itself]{.bad}. |
# | argument structure | which verbs take which objects | The cat [slept]{.good} / \*[devoured]{.bad}. |
# | binding | where a reflexive may find its antecedent | Ann says Tom hurt [himself]{.good} / \*[herself]{.bad}. |
# | control and raising | which predicates can take *there* as their subject | There was [bound]{.good} / \*[unable]{.bad} to be a leak. |
# | determiner-noun agreement | *this* takes a singular, *these* a plural | Mary washed these [cups]{.good} / \*[cup]{.bad}. |
# | ellipsis | what may be left out | He read two old books and she read [three]{.good} / \*[three old]{.bad}. |
# | filler-gap | a fronted *what* needs a gap | I know [what]{.good} / \*[that]{.bad} the boy ate. |
# | irregular forms | irregular participles | The glass has [broken]{.good} / \*[broke]{.bad}. |
# | island effects | where no gap is allowed | What did they sell [before painting the house]{.good} / \*[the house before painting]{.bad}? |
# | NPI licensing | *ever* and *any* need a licensing word | [No]{.good} / \*[Some]{.bad} guest has ever left early. |
# | quantifiers | which quantifiers fit where | There was [a]{.good} / \*[each]{.bad} dog barking. |
# | subject-verb agreement | a verb agrees with its subject | The keys [are]{.good} / \*[is]{.bad} lost. |
# %%
import pandas as pd

from tse_book.pages import folded, table
from tse_core.paths import data_folder

examples = pd.read_csv(data_folder() / "blimp" / "examples.csv")
examples["UID"] = examples["UID"].str.replace("_", " ")
examples.columns = ["paradigm", "good", "bad"]
shown = table(examples, "We invented these pairs; none of them is in BLiMP.")
folded(shown, "One pair from each of the 67 paradigms")

# %% [markdown] tags=["explains"]
# ### Read a pair, token by token
#
# A {term}`causal model` gives each {term}`token` a {term}`surprisal`, which is high if the token is improbable. Choose a pair above the chart.
#
# ```{dropdown} Predict: where in a sentence is a model most surprised?
# Where the next word is hardest to guess, which need not be where the sentences differ.
# ```

# %%
from IPython.display import display

import tse_core
from tse_book import charts
from tse_book.pages import newman

sentences = examples.melt("paradigm", ["good", "bad"], "sentence", "text")
for name in newman.causal_models(models)[:1]:  # a causal one, if any
    tokens = tse_core.surprisals(newman.opened(name), list(sentences["text"]))
    display(charts.token_browser(tokens, sentences, "Surprisal, token by token"))
display(newman.what_is_missing(models))  # a note if no real model is named

# %%
from tse_book.pages import try_this

try_this(("The keys", "plural"), pair=("The keys are lost.", "The keys is lost."))

# %% [markdown]
# ```{dropdown} Table 1 of the paper: who had tested what before
# | tested before | by |
# |---|---|
# | anaphora, binding | Marvin and Linzen 2018; Futrell et al. 2018; Warstadt et al. 2019 (five analyses) |
# | subject-verb agreement | Linzen et al. 2016; Futrell et al. 2018; Gulordava et al. 2019; Marvin and Linzen 2018; An et al. 2019; Warstadt et al. 2019 (five analyses) |
# | negative polarity items | Marvin and Linzen 2018; Futrell et al. 2018; Jumelet and Hupkes 2018; Wilcox et al. 2019; Warstadt et al. 2019 (NPIs) |
# | filler-gap, islands | Wilcox et al. 2018; Warstadt et al. 2019 (five analyses); Chowdhury and Zamparelli 2018, 2019; Chaves 2020; Da Costa and Chaves 2020 |
# | argument structure | Kann et al. 2019; Warstadt et al. 2019 (five analyses); Chowdhury and Zamparelli 2019 |
# ```
#
# ## A model that the paper never saw
#
# The paper ran a {term}`5-gram model <n-gram model>`, an LSTM, Transformer-XL and GPT-2 *large*. SmolLM2-135M-Instruct has a sixth of GPT-2 large's parameters and read about 250 times as much text in training, perhaps even BLiMP's own sentences.
#
# ```{dropdown} Predict: on which phenomena will a small model of 2024 be furthest behind GPT-2 large?
# Perhaps on islands, where the whole sentence matters.
# ```

# %%
from tse_book import published
from tse_book.pages import recorded_accuracies

ours = recorded_accuracies(recorded, "phenomenon")
table3 = published.blimp_table3().query("source == 'recomputed'")
table3 = table3.replace({"model": {"GPT-2": "GPT-2 large"}})
by_phenomenon = table3[table3["phenomenon"] != "Overall"]
beside = by_phenomenon[by_phenomenon["model"].isin(["GPT-2 large", "human"])]
charts.accuracy_dots(pd.concat([ours, beside]), title="Accuracy by phenomenon")

# %% [markdown] tags=["explains"]
# SmolLM2 is right in 77.1 % of BLiMP's 67,000 pairs, GPT-2 large in 83.0 %, a single person in 88.6 %. SmolLM2 is behind GPT-2 large on all twelve phenomena: most on NPI licensing (15 points) and island effects (10), least on subject-verb agreement (1). Gemma 3 270M was tested on only 50 pairs from each paradigm, so its intervals are wider.

# %%
paradigms = recorded_accuracies(recorded)
table4 = published.blimp_table4().rename(columns={"UID": "paradigm"})
rows = pd.concat([paradigms, table4.query("source == 'recomputed'")])
rows = rows.replace({"model": {"GPT-2": "GPT-2 large"}})
wide = rows.pivot_table("accuracy", "paradigm", "model", sort=False)
wide.index = wide.index.str.replace("_", " ")
shown = table((100 * wide).reset_index(), "Accuracy in percent, recomputed", digits=1)
folded(shown, "All 67 paradigms, with the published models")

# %% [markdown] tags=["explains"]
# A phenomenon's accuracy is a mean over paradigms that can differ widely: within filler-gap dependencies SmolLM2's accuracies range from 27 % to 94 %. On five of the 67 it is reliably *below* one half, as if it followed a cue that points the wrong way.

# %% [markdown]
# ## Table 3
#
# The printed table had errors, which the authors corrected in 2021. This one is computed from their data:

# %%
columns = pd.concat([ours, by_phenomenon])
columns = columns.pivot_table("accuracy", "phenomenon", "model", sort=False)
table((100 * columns).reset_index(), "Table 3: accuracy in percent", digits=1)

# %%
versions = published.blimp_table3().pivot_table(
    "accuracy", "phenomenon", ["source", "model"], sort=False
)
shown = table((100 * versions).reset_index(), "Table 3: accuracy in percent", digits=1)
folded(shown, "Table 3 as printed, as corrected and as recomputed")

# %% [markdown] tags=["explains"]
# The printed table is off by up to 9.6 points (GPT-2, island effects), the corrected one by at most a tenth of a point.
#
# ## Table 4
#
# Even the corrected table of the 67 paradigms disagrees with the authors' data in 12 cells of 6 rows.

# %%
cells = table4.pivot_table(
    "accuracy", ["paradigm", "model"], "source", sort=False
).reset_index()
off = (cells["corrected"] - cells["recomputed"]).abs() > 0.0055  # more than rounding
wrong = cells[off]
shown = table(wrong, "Cells that differ by more than rounding", digits=3)
folded(shown, "The cells of the corrected Table 4 that disagree")

# %% [markdown] tags=["explains"]
# ## Humans
#
# Five pairs of every paradigm were judged by twenty people each. A paradigm was kept if most of them agreed with the label in at least four of the five pairs. Their *majority* agrees with the label in 96.4 % of the pairs: this is how reliable the labels are. A *single* person agrees less often; a model, which answers once, should be compared with single people.
#
# [Limitations](../book/limitations.md) says whose English the labels follow.
#
# ## Models against humans
#
# GPT-2 large agrees with the labels more often than single people do on ellipsis, determiner-noun agreement and anaphor agreement. The paper says that it nearly reaches people on subject-verb agreement, too. The printed 89.0 %, against their 90.9 %, bears this out; recomputed, GPT-2 large has only 86.4 %.
#
# ## The hardest phenomenon
#
# On average, island effects are hardest for the models in all versions of Table 3; in the recomputed one NPI licensing is only 1.1 points easier. This is due to the 5-gram model: over the three neural models the distance is 5.4 points.

# %% [markdown]
# ## Models scored on this page
#
# The laboratory's models know only the words of [their own language](laboratory.ipynb), so they read pairs made of these words, and so does a 5-gram model. With `sentence_pairs = "blimp"` the models of the first cell are scored on BLiMP, masked ones by {term}`pseudo-log-likelihood` {cite}`salazar2020masked`.

# %%
from tse_book.laboratory.networks import laboratory_ngram
from tse_core.sentences.evaluate import accuracies, evaluate_blimp

if sentence_pairs == "laboratory":
    readers = [
        *map(newman.opened, newman.laboratory_models(models)),
        laboratory_ngram(30000),
    ]
else:
    readers = [newman.opened(name) for name in models]
runs = {reader.label: evaluate_blimp(reader, sentence_pairs) for reader in readers}

# %%
columns = ["model", "accuracy", "low", "high", "pairs", "ties"]
table(accuracies(runs, "all")[columns], "Accuracy with 95 % intervals", digits=3)

# %%
scored = accuracies(runs, "phenomenon")
charts.accuracy_dots(scored, title="Models run here, by phenomenon")

# %% [markdown]
# Both laboratory models are right in .83 of the pairs on anaphor agreement, as if they knew a noun's number but not its gender.
#
# ## Does the size of the model matter?
#
# The paper reports that GPT-2 reaches 0.84 ± 0.01 in all four sizes. Run `tse blimp` for each of `gpt2`, `gpt2-medium`, `gpt2-large` and `gpt2-xl`: [the ledger](ledger.ipynb) then shows the verdict.

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/blimp.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from math import comb

import pandas as pd

from tse_book.laboratory.networks import laboratory_ngram
from tse_core.datasets.loading import load_sentence_pairs
from tse_core.sentences.accuracies import compare
from tse_core.sentences.evaluate import evaluate_blimp

pairs = load_sentence_pairs("laboratory/determiner_noun_agreement_1")
models = {"small": laboratory_ngram(1000), "large": laboratory_ngram(4000)}
scored = {name: evaluate_blimp(model, pairs).pairs for name, model in models.items()}
# Two models on the same 200 pairs: True where a model is right.
small, large = scored["small"]["correct"] == 1, scored["large"]["correct"] == 1


# %% [markdown] tags=["explains"]
# ````{exercise} ★ Worse than guessing (no Python)
# :label: 09-below
#
# A model is right in 27 % of the pairs of a paradigm. Does it know nothing of the phenomenon?
#
# ```{dropdown} Hint
# What would a coin get?
# ```
# ````
#
# ```{solution} 09-below
# :class: dropdown
#
# A coin would get half of them right. The model prefers the wrong sentence systematically, so it follows some cue, such as the nearest noun, which points the wrong way there.
# ```

# %% [markdown]
# ````{exercise} ★ Only one of them is right
# :label: 09-mcnemar
#
# `small` and `large` say which of the same 200 pairs two n-gram models get right. Count the pairs that only the first gets right (`only_small`, a whole number) and those that only the second gets right (`only_large`). Compute McNemar's `p_value`: how often would a fair coin, tossed once for each such pair, come out at least as unevenly, in either direction?
#
# ```{dropdown} Hint
# The chance of `k` heads in `n` tosses is `comb(n, k) / 2**n`. Sum over the smaller side, and double.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# McNemar's test by hand. Pairs on which the models agree drop out.
only_small = int((small & ~large).sum())
only_large = int((large & ~small).sum())
tosses = only_small + only_large
tail = sum(comb(tosses, k) for k in range(min(only_small, only_large) + 1))
p_value = min(1.0, 2 * tail / 2**tosses)

# %% tags=["hide-cell", "check"]
assert isinstance(only_small, int), "only_small should be a whole number"
assert isinstance(only_large, int), "only_large should be a whole number"
assert isinstance(p_value, float), "p_value should be a number"
known = compare(scored["small"], scored["large"], "all").iloc[0]
assert only_small == known["only_first"], "only_small: right in one, wrong in the other"
assert only_large == known["only_second"], "only_large: the other way round"
assert abs(p_value - known["p_value"]) < 1e-9, (
    f"p_value is {p_value:.3g}: both directions?"
)
chance = "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}"
gain = large.mean() - small.mean()
print(f"{only_small} against {only_large}, {chance}, for a difference of {gain:+.3f}.")

# %% [markdown]
# ````{exercise} ★★★ What a tie is worth
# :label: 09-ties
#
# Round `logp_good` and `logp_bad` of `scored["large"]` to multiples of 0.5, 2, 8 and 32, as a coarse number format does. Make `rounded`, a DataFrame with a row for each step and the columns `ties` (their number) and `wrong`, `half`, `right` (the accuracy if a tie counts as wrong, half right or right).
#
# ```{dropdown} Hint
# `(x / step).round() * step` rounds to multiples of a step.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# A model that loses all precision ends at 0 if ties are wrong, at 1 if they are right.
rows = []
for step in (0.5, 2, 8, 32):
    good = (scored["large"]["logp_good"] / step).round()
    bad = (scored["large"]["logp_bad"] / step).round()
    ties, wrong, right = (good == bad).sum(), (good > bad).mean(), (good >= bad).mean()
    rows.append([ties, wrong, (wrong + right) / 2, right])
rounded = pd.DataFrame(rows, columns=["ties", "wrong", "half", "right"])

# %% tags=["hide-cell", "check"]
assert isinstance(rounded, pd.DataFrame), "rounded should be a DataFrame"
names = ["ties", "wrong", "half", "right"]
assert list(rounded) == names, "columns: ties, wrong, half, right"
assert len(rounded) == 4, "one row for each step"
ties, wrong, half, right = (rounded[name] for name in names)
tied = (right - wrong - ties / len(pairs)).abs().max() < 1e-9
assert tied, "right minus wrong should be the share of ties"
assert (half * 2 - right - wrong).abs().max() < 1e-9, "half should lie midway"
coarse = (scored["large"][["logp_good", "logp_bad"]] / 32).round()
expected = coarse.eval("logp_good == logp_bad").sum()
assert ties.iloc[-1] == expected, "the last row should round to multiples of 32"
print(f"At step 32 the accuracy is {wrong.iloc[-1]:.2f} or {right.iloc[-1]:.2f}.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# Look at single paradigms. An accuracy far below one half is not mere ignorance.
#
# Functions: {py:func}`tse_core.evaluate_blimp`, {py:func}`tse_core.sentences.evaluate.accuracies` and {py:func}`tse_core.sentences.accuracies.compare`.
