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
# # Pitfalls
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : meet four faults in running code, flip policies, and learn which interval fits which claim
#
# You need
# : [Methods](02_methods.ipynb); each example stands alone
#
# Time
# : 9 minutes to read, a few minutes to run on a CPU
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]  # names, folders or names on the hub
lemmas = "newman-clean"  # the list of verbs
constructions = [  # kept small: every switch is a new run
    "marvin-linzen/simple",
    "marvin-linzen/vp-coordination",
]
recorded = "smollm2-135m-instruct"  # whose recorded runs on BLiMP are shown
kept = "gemma-3-270m"  # whose recorded scores of Table 2 get intervals

# %% [markdown] tags=["explains"]
# What can go wrong between a definition and a number?
#
# ## Four faults in released code
#
# In the code that {cite:t}`newman2021refining` released the metrics are right. Four details change numbers all the same.
#
# ### A table keyed on a blank column
#
# In the released verb list every row has `_` in its first column. The loader takes this column for a dictionary's key, so each row overwrites the one before it:

# %%
import csv
import io

verb_list = "index,singular,plural\n_,walks,walk\n_,sees,see\n_,was,were\n"
rows = csv.DictReader(io.StringIO(verb_list))
by_index = {row["index"]: (row["singular"], row["plural"]) for row in rows}
by_index

# %% [markdown]
# Only 1 of 1,951 rows of the released list survives, and EW over one verb is its TSE. *Lesson:* print the count next to the score.

# %% [markdown]
# ### A sum that reaches one too early
#
# At top 100 % every lemma should count. The released code finds the cut-off in a running sum in single precision, which has seven digits. Such a sum is 1 long before the last token of a vocabulary, and lemmas beyond that point are not looked at. Here is one made-up context with 400 random lemmas:

# %%
import numpy as np

from tse_core import cutoff_scores

random = np.random.default_rng(0)
logits = random.normal(0, 4, (1, 30_000)).astype("float32")
verbs = random.permutation(30_000)[:800].reshape(400, 2)
for sums in ["float64", "float32"]:
    found = cutoff_scores(logits, verbs, [0], top=[1.0], bottom=[], accumulate=sums)
    print(sums, "EW", found.ew_top.round(4), "MW", found.mw_top.round(4))

# %% [markdown]
# EW loses a point because some verbs are never asked; MW hardly moves, because these verbs have hardly any probability.

# %% [markdown]
# ### The mask that is not where it was counted
#
# The released code encodes RoBERTa's sentence with a space before it, but finds the mask's place by counting the tokens of the left context without one. A small tokenizer shows what follows:

# %%
from tokenizers import Tokenizer, pre_tokenizers, trainers
from tokenizers import models as kinds

tokenizer = Tokenizer(kinds.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
trainer = trainers.BpeTrainer(special_tokens=["<mask>"], show_progress=False)
tokenizer.train_from_iterator([" Hardy laughs", " Hardy sees us"], trainer)

# %%
sentence = tokenizer.encode(" Hardy<mask> us").tokens
counted = len(tokenizer.encode("Hardy").tokens)
print(sentence)
print("the mask stands at", sentence.index("<mask>"), "but is looked for at", counted)

# %% [markdown] tags=["explains"]
# With the space *Hardy* is one token (Ġ is the space), without it several. *Lesson:* look a position up by what is there.
#
# ### Contexts that are ambiguous in number
#
# Seen from the left, *The sheep that the guard likes* is singular or plural. The released code keeps the first label that it meets; *exact* keeps both, and any causal model is wrong for one of them.

# %%
import pandas as pd

from tse_core.datasets.pairs import unique_contexts

sheep = pd.DataFrame({"number": ["singular", "plural"]})
sheep["construction"] = "Across object relative clause"
sheep["left"] = "The sheep that the guard likes"
sheep["right"] = "."
for protocol in ["released", "exact"]:
    print(protocol, len(unique_contexts(sheep, "causal", protocol)), "contexts")

# %% tags=["hide-input"]
from tse_book.pages import try_this

flock = sheep["left"][0]
try_this((flock, "singular"), (flock, "plural"))

# %% [markdown]
# ## The token before the first word
#
# ```{margin} BOS token
# The token, if any, that a program puts before the first word of a text.
# ```
#
# Before the first word the paper puts nothing for GPT-2; other tools put what the tokenizer names as its beginning of a sequence (for SmolLM2 `<|im_start|>`); this book puts the token that separated documents in pretraining (`<|endoftext|>`).
#
# Here are SmolLM2's accuracies on [BLiMP](09_blimp.ipynb) with `<|endoftext|>` and with nothing. Where two sentences differ in their *first* token, that token is not scored without a BOS token.

# %%
from tse_book.pages import table
from tse_book.studies import recorded_pairs

with_token = recorded_pairs(recorded, bos="default").pairs["correct"]
without = recorded_pairs(recorded, bos="none").pairs
both = pd.DataFrame({"with token": with_token, "nothing": without["correct"]})
both["first token differs"] = without["unscored_difference"]
accuracies = both.groupby("first token differs")
accuracies = accuracies.mean().assign(pairs=accuracies.size()).reset_index()
table(accuracies, "BLiMP with and without a BOS token (recorded)", digits=3)

# %% [markdown]
# Without the token accuracy falls from .771 to .731 over all pairs, and where the first token differs from .624 to .546, near chance.
#
# ## The switchboard
#
# Tools differ in *policies* that papers rarely print. Each switch is a run with one of them flipped: the hollow marks stay, the filled ones move.
#
# ```{dropdown} Predict: which switch cannot move any number of a causal model?
# The final period. It stands to the right of the verb, where a causal model has not looked yet.
# ```

# %% tags=["hide-input"]
from IPython.display import display

from tse_book.pages import newman

display(newman.what_is_missing(models))

# %%
from tse_book import charts
from tse_book.studies import policy_switches

boards = [policy_switches(name, constructions, lemmas) for name in models]
board = pd.concat(boards)
charts.switchboard(board)

# %% [markdown] tags=["explains"]
# For SmolLM2 the final period moves nothing. The token `<|im_start|>` in front moves a score most, by .14, because the model was not pretrained with it there. Without verbs that are also nouns or past forms a score moves by up to .11.
#
# ### Half precision
#
# In half precision (`dtype="bfloat16"`) scoring is faster and coarser. Two forms can then get the very same score. Here a {term}`tie` is wrong; a tool that calls it right turns lost precision into skill.

# %%
from tse_core.paths import data_folder

half = pd.read_csv(data_folder() / "recorded" / "half_precision.csv")
columns = ["dtype", "TSE", "EW", "MW", "ties", "accuracy", "decisions_changed"]
half[columns].round(3)

# %% [markdown]
# For SmolLM2, bfloat16 moves EW of a construction by up to .006 and TSE by up to .017; scoring takes two thirds of the time. In float16, which has more digits, EW moves by up to .001.

# %% [markdown] tags=["explains"]
# ## Intervals for the wrong unit
#
# ```{dropdown} Predict: a construction has hundreds of contexts and ten nouns. Is an interval over contexts too narrow or too wide?
# Too narrow where nouns differ, since contexts with the same noun repeat each other.
# ```
#
# Here are the widths of the 95 % interval of MW: contexts as if independent, and {term}`clustered <cluster>` by subject noun.

# %%
from tse_core import evaluate_models
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import subject_clusters

contexts = evaluate_models([kept], "marvin-linzen")[kept].contexts
widths = []
for construction, some in contexts.groupby("construction", sort=False):
    alone = interval(some["mw"])
    by_noun = interval(some["mw"], subject_clusters(some))
    narrow, wide = alone.high - alone.low, by_noun.high - by_noun.low
    widths.append([construction, len(some), by_noun.clusters, narrow, wide])

# %%
columns = ["construction", "contexts", "nouns", "independent", "by noun"]
caption = "Width of the 95 % interval of MW, Gemma 3 270M"
table(pd.DataFrame(widths, columns=columns), caption, digits=3)

# %% [markdown]
# Clustered by noun, the interval is wider in eight of nine rows, *In object relative clause* more than ten times: .28 where .02 was promised.
#
# Which of the two is right? A simulation knows the score of *all* nouns, draws a few in every simulated study, and counts how often the clustered interval contains the truth.

# %%
from tse_book.studies.coverage import simulated_coverage

studies = [simulated_coverage(nouns, runs=200) for nouns in [5, 10, 30]]
coverage = pd.DataFrame(studies)[["clusters", "coverage", "width"]]
caption = "200 simulated studies: how often the interval holds the truth"
table(coverage.rename(columns={"clusters": "nouns"}), caption, digits=3)

# %% [markdown]
# With ten nouns, as in most of the templates, the interval holds the truth in 95 % of the studies, as it should; with five in 93 %. If none of ten nouns shows an error, up to 26 % of all such nouns may still do so (the {term}`rule of three` approximates this bound):

# %%
interval(np.ones(10)).low

# %% [markdown]
# An interval by noun is about other subjects and *these* verbs. The next simulation draws verbs as well, four, as TSE does:

# %%
from tse_book.studies.coverage import simulated_crossed_coverage

crossed = simulated_crossed_coverage(20, 4, runs=200)
crossed

# %% [markdown] tags=["explains"]
# Intervals over subjects alone (`first_way`) hold the value over all verbs in 76.5 % of the studies, intervals over subjects and verbs (`all_ways`) in 94 %. A claim about verbs needs the second.
#
# Compare two numbers of the same contexts by the interval of their *difference*. Whoever tests many rows must expect false alarms, so this book corrects p-values together (Holm's method: the smallest is multiplied by the number of tests, the next by one less, and so on).

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/14_pitfalls.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np
import pandas as pd

from tse_core.uncertainty.intervals import interval

# What a model says after a plural subject: each verb's right form and wrong form. "guards" is a noun as well; the two
# forms of "rust" tie.
likely = {"be": (0.30, 0.10), "like": (0.08, 0.04), "guard": (0.01, 0.05)}
likely |= {"exist": (0.01, 0.02), "gleam": (0.004, 0.002), "rust": (0.002, 0.002)}


def ew_and_mw(verbs, tie=0.0):
    """EW and MW of right and wrong probabilities; a tie counts as `tie` of a verb."""
    right, wrong = np.array(list(verbs.values())).T
    ew = np.where(right == wrong, tie, right > wrong).mean()
    return {"EW": float(ew), "MW": float(right.sum() / (right.sum() + wrong.sum()))}


def study(nouns, seed=1):
    """A study with so many nouns, each in 50 contexts; some nouns are hard for the model, most are not."""
    random = np.random.default_rng(seed)
    rates = random.beta(4, 1, nouns)
    right = random.random((nouns, 50)) < rates[:, None]
    return pd.DataFrame(
        {"noun": np.repeat(np.arange(nouns), 50), "right": right.ravel() * 1.0}
    )


# %% [markdown]
# ````{exercise} ★ Find the fault
# :label: 14-fault
#
# A colleague reports EW and TSE equal to the last digit, for every model. Which of the four faults do you suspect, and which number would you ask for? No program is needed.
#
# ```{dropdown} Hint
# When are {term}`EW` and {term}`TSE` the same question?
# ```
# ````
#
# ```{solution} 14-fault
# :class: dropdown
#
# The table keyed on a blank column: of all its verbs one is left, and EW over one verb is TSE of that verb. Ask how many lemmas counted.
# ```

# %% [markdown]
# ````{exercise} ★★ Predict the sign
# :label: 14-sign
#
# `likely` says what a model gives six verbs after a plural subject; `ew_and_mw` scores it, with ties as wrong. There are four switches: `"no be"`, without *be*; `"no guard"`, without the {term}`homograph`; `"ties right"`; and `"the"`, with a junk verb whose plural form *the* has 0.2 and whose singular has 0. Write down first whether {term}`EW` and {term}`MW` rise, fall or stay. Then make `signs`, a dictionary from switch to a dictionary from metric to 1, -1 or 0.
#
# ```{dropdown} Hint
# Is the verb that comes or goes better than the mean verb? MW asks the same about its probability.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Junk raises both scores: "the" is likely and its "singular" is not a word at all. A tie moves EW alone.
before = ew_and_mw(likely)
after = {
    "no be": ew_and_mw({verb: p for verb, p in likely.items() if verb != "be"}),
    "no guard": ew_and_mw({verb: p for verb, p in likely.items() if verb != "guard"}),
    "ties right": ew_and_mw(likely, tie=1.0),
    "the": ew_and_mw(likely | {"the": (0.2, 0.0)}),
}
signs = {
    switch: {metric: int(np.sign(scores[metric] - before[metric])) for metric in scores}
    for switch, scores in after.items()
}

# %% tags=["hide-cell", "check"]
assert isinstance(signs, dict), "signs should be a dictionary: switch -> metric -> sign"
switches = {
    "no be": ({name: p for name, p in likely.items() if name != "be"}, 0.0),
    "no guard": ({name: p for name, p in likely.items() if name != "guard"}, 0.0),
    "ties right": (likely, 1.0),
    "the": (likely | {"the": (0.2, 0.0)}, 0.0),
}
assert set(signs) == set(switches), "signs needs the four switches"
for switch, (those, tie) in switches.items():
    for metric, score in ew_and_mw(those, tie).items():
        known = np.sign(score - ew_and_mw(likely)[metric])
        assert signs[switch][metric] == known, f"{switch}: {metric} moves another way"
print("Eight signs are right. Which of them did you get wrong before you computed?")

# %% [markdown]
# ````{exercise} ★★★ How many nouns?
# :label: 14-nouns
#
# `study(nouns)` gives the contexts of a study: `noun` and `right` (0 or 1). `interval(values)` and `interval(values, clusters)` give 95 % intervals with `.low` and `.high`. For `study(10)` compute `alone`, the width with contexts as if independent, and `by_noun`, the width clustered by noun. Then find `nouns`, the smallest of 10, 20, 40, 80, 160 whose clustered width is at most half of `by_noun`.
#
# ```{dropdown} Hint
# Widths fall with the root of the number of nouns.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# About four times as many nouns halve the width; more contexts of the same nouns hardly help.


def width(contexts, clusters=None):
    """Width of the 95 % interval of the share of right contexts."""
    found = interval(contexts["right"], clusters)
    return float(found.high - found.low)


ten = study(10)
alone, by_noun = width(ten), width(ten, ten["noun"])
nouns = next(
    n for n in (10, 20, 40, 80, 160) if width(study(n), study(n)["noun"]) <= by_noun / 2
)

# %% tags=["hide-cell", "check"]
assert isinstance(alone, float), "alone should be a number: a width"
assert isinstance(by_noun, float), "by_noun should be a number: a width"
first = study(10)
one, two = interval(first["right"]), interval(first["right"], first["noun"])
assert abs(one.high - one.low - alone) < 1e-9, "alone: high minus low, no clusters"
assert abs(two.high - two.low - by_noun) < 1e-9, "by_noun: high minus low, by noun"
assert nouns in (10, 20, 40, 80, 160), "nouns should be one of 10, 20, 40, 80, 160"
more, fewer = (
    interval(study(n)["right"], study(n)["noun"]) for n in (nouns, max(nouns // 2, 10))
)
assert more.high - more.low <= by_noun / 2, f"{nouns} nouns are too few"
assert fewer.high - fewer.low > by_noun / 2, f"{nouns} nouns are more than needed"
print(f"{alone:.2f} if independent, {by_noun:.2f} by noun; {nouns} nouns halve it.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - The BOS token is part of a score: ask each model in the way it was trained.
# - Count what was loaded, and look positions up.
# - A score without its policies cannot be compared with another.
# - Take the interval over what the claim is about: nouns, verbs, or both.
#
# Functions: {py:func}`tse_core.uncertainty.intervals.interval`, {py:func}`tse_book.studies.coverage.simulated_coverage` and {py:func}`tse_book.charts.switchboard`; [all others](../book/api/index.md).
