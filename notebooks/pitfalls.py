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
# # Pitfalls: what moves a score, and what to report
#
# A score without its policies cannot be compared with another, and an interval is only about what was sampled.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see what can go wrong between a definition and a number
#
# You need
# : [Methods](methods.ipynb)
#
# Time
# : 8 minutes to read, a few minutes to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/pitfalls.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill pitfalls.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]  # short names, folders, or names on the hub
lemmas = "newman-clean"  # the list of verbs
constructions = [  # kept small: every change is a new run
    "marvin-linzen/simple",
    "marvin-linzen/vp-coordination",
]
kept = "gemma-3-270m"  # whose recorded scores of Table 2 get intervals

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
constructions = as_list(constructions)

# %% [markdown] tags=["explains"]
# ## Four faults in released code
#
# Newman et al.'s code, [refining-tse](https://github.com/bnewm0609/refining-tse), computes the metrics correctly, but four details change numbers.
#
# ### A verb list of which one row is left
#
# The code reads the verb list into a dictionary whose keys are the first column. There every row has `_`, so each row overwrites the one before it:

# %%
import csv
import io

verb_list = "index,singular,plural\n_,walks,walk\n_,sees,see\n_,was,were\n"
rows = csv.DictReader(io.StringIO(verb_list))
by_index = {row["index"]: (row["singular"], row["plural"]) for row in rows}
by_index

# %% [markdown]
# Only 1 of 1,951 rows of the released list survives.

# %% [markdown]
# ### A sum that reaches one too early
#
# At top 100 % every lemma should count. But the code finds the {term}`cut-off` by adding up probabilities in single precision, and this sum reaches 1 before the last token. Lemmas after that point are left out, as in this made-up context:

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
# In single precision EW loses a hundredth, and MW hardly moves.

# %% [markdown]
# ### The mask is looked for at the wrong position
#
# The code puts a space before RoBERTa's sentence, but counts the tokens before the mask without that space. With a small tokenizer:

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
print("the mask is at", sentence.index("<mask>"), "but is looked for at", counted)

# %% [markdown] tags=["explains"]
# With the space (Ġ) *Hardy* is one token, without it several.
#
# ### Contexts that are ambiguous in number
#
# Read from the left, *The sheep that the guard likes* may be singular or plural. The code keeps the first label; the {term}`protocol` *exact* keeps both.

# %%
import pandas as pd

from tse_core.datasets.pairs import unique_contexts

sheep = pd.DataFrame({"number": ["singular", "plural"]})
sheep["construction"] = "Across object relative clause"
sheep["left"] = "The sheep that the guard likes"
sheep["right"] = "."
for protocol in ["released", "exact"]:
    print(protocol, len(unique_contexts(sheep, "causal", protocol)), "contexts")

# %% [markdown]
# ## One changed setting moves a score
#
# Tools differ in {term}`policies <policy>`, choices that papers rarely report. One is the {term}`BOS token`: the paper does not say what stands before GPT-2's first word; its released code puts nothing there, this book the token that separated documents in pretraining (`<|endoftext|>`). The table shows how far a score moves if one policy is changed: the sentence's capital, period or leading space; the list of verbs; the precision of the weights; the {term}`protocol`; or the BOS token (none, or the one that the tokenizer names, `<|im_start|>` for SmolLM2).
#
# ```{dropdown} Predict: which change cannot move any score of a causal model?
# Leaving out the final period. It stands to the right of the verb, and a causal model has read only the left.
# ```

# %% tags=["hide-input"]
from IPython.display import display

from tse_book.pages import newman

display(newman.what_is_missing(models))

# %%
from tse_book.pages import folded, table
from tse_book.studies.switches import largest_changes, policy_switches

boards = [policy_switches(name, constructions, lemmas) for name in models]
board = pd.concat(boards)
caption = "The largest change of a score when one setting is changed"
table(largest_changes(board), caption, digits=3)

# %% [markdown] tags=["explains"]
# In the two constructions asked here, the final period moves nothing on SmolLM2. Putting `<|im_start|>` in front moves a score most, by .14; it was not there in pretraining. (Other constructions can move [more](table2.ipynb).) Leaving out verbs that are also nouns or past forms moves a score by up to .11.
#
# With weights in bfloat16 instead of float32, two forms get the same score more often. Such a {term}`tie` counts as wrong.

# %%
from tse_core.paths import data_folder

half = pd.read_csv(data_folder() / "recorded" / "half_precision.csv")
columns = ["dtype", "TSE", "EW", "MW", "ties", "accuracy", "decisions_changed"]
shown = half[columns].rename(columns={"decisions_changed": "decisions changed"})
shown = table(shown, "SmolLM2 in three precisions: templates, then BLiMP", digits=3)
folded(shown, "SmolLM2 in three precisions")

# %% [markdown]
# In bfloat16 a construction's EW moves by up to .006 and TSE by up to .017; in float16, which has more digits, by up to .001 and .010.

# %% [markdown] tags=["explains"]
# ## What would other nouns give?
#
# A score is measured on a few nouns, and other nouns would give another one. A 95&nbsp;% {term}`interval <confidence interval>` is a range made so that in 95 of 100 studies, each with its own nouns, it contains the score over *all* nouns of the kind.
#
# ```{dropdown} Predict: a construction has hundreds of contexts and ten nouns. Is an interval over contexts too narrow or too wide?
# Too narrow, if nouns differ: contexts with the same noun repeat each other.
# ```
#
# The width of MW's interval, first as if contexts were independent, then {term}`clustered <cluster>` by subject noun:

# %%
from tse_book.recorded import with_recorded
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.subject_nouns import subject_clusters

runs = with_recorded(None, [kept], "marvin-linzen", lemmas)
contexts = runs[kept].contexts
widths = []
for construction, rows in contexts.groupby("construction", sort=False):
    alone = interval(rows["mw"])
    by_noun = interval(rows["mw"], subject_clusters(rows))
    narrow, wide = alone.high - alone.low, by_noun.high - by_noun.low
    widths.append([construction, len(rows), by_noun.clusters, narrow, wide])

# %%
columns = ["construction", "contexts", "nouns", "independent", "by noun"]
caption = "Width of the 95 % interval of MW, Gemma 3 270M"
table(pd.DataFrame(widths, columns=columns), caption, digits=3)

# %% [markdown]
# Clustered by noun, the interval is wider in eight of nine rows, and about eight times as wide for *In object relative clause*: .17 instead of .02.
#
# ```{dropdown} How the intervals of this book are made
# Leave out one noun and compute the score again; then put it back and leave out the next. The more the score changes, the more other nouns would change it, and the wider the interval is ({term}`jackknife`). If a single noun makes most of the change, the interval is wide, since other samples may lack such a noun or have two.
#
# A share, such as MW, gets an interval within 0 and 1. Ten nouns that happen to be alike do not show that the next one will be, so the interval is never shorter than if each noun had given 10 yes-or-no answers.
#
# How often is the truth inside? Of 99 kinds of simulated studies with ten or more nouns, 98 have it inside at least .93 of the intervals; the other has .91. Half of the kinds served to choose the limit of 10; the one with .91 is in the other half. One bad noun in ten, the last row of the table below, was not among them. Intervals over nouns *and* verbs are too wide: they contain the truth in more than .98 of the studies wherever the mean is .90 or more.
# ```
#
# ### Does it keep its promise?
#
# In how many of 2,000 simulated studies does a method's interval contain the score over all nouns?

# %%
from tse_book.pages.coverage import coverage_by_method

simulated = data_folder() / "recorded" / "interval_coverage.csv"
recorded_coverage = pd.read_csv(simulated)
coverage = coverage_by_method(recorded_coverage)
caption = "Share of 2,000 simulated studies whose 95 % interval contains the truth"
table(coverage, caption, digits=2)

# %% [markdown] tags=["explains"]
# The bootstrap contains the truth in .86 and .69 of the studies of ten nouns (second and third row), because ten nouns differ less from each other than all nouns do; the intervals of this book contain it in more than .99 of them. The price is width: near 1 they are wider than they need be.
#
# No method can know what was not sampled: if one noun in ten is bad, an eighth of all samples of twenty nouns have none, and the interval contains the truth in only .86 of the studies.
#
# An interval by noun is about other nouns and *these* verbs. A claim about other verbs, too, needs an interval over both ({term}`crossed`).
#
# ### Many questions at once
#
# Of twenty such intervals one may miss the truth. So where *k* questions are asked together (such as the rows of a table), each interval is made at 1 − .05/*k* ({term}`Bonferroni correction`), and a number is called *above 0* only if this interval is.

# %% [markdown] tags=["explains"]
# ## What to report beside a score
#
# | say | because | here |
# |---|---|---|
# | which model, file and tuning | one name can stand for several models | every {term}`signature` |
# | the BOS token, or that there is none | it can reverse a verdict | [Table 2](table2.ipynb) |
# | the verb list, and how many verbs were scored | multi-{term}`token` verbs are dropped silently | [Data](data.ipynb) |
# | the verbs of TSE, and its {term}`distinct decisions <distinct decision>` | *is tall* and *is old* are one | [Table 2](table2.ipynb) |
# | {term}`sensitivity` and {term}`bias`, by kind of verb | a verb that moves, but not far enough, is weak and not missing | [In real sentences](real_sentences.ipynb) |
# | intervals over what the claim is about | an interval over nouns says nothing about other verbs | above |
# | how far EW falls from the cut-offs alone ({term}`null`) | a bottom cut-off selects verbs with small margins | [Figure 2](figure2.ipynb) |

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/pitfalls.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np
import pandas as pd

from tse_core.uncertainty.intervals import interval


def drawn_study(nouns):
    random = np.random.default_rng(1)
    shares = random.beta(4, 1, nouns)
    right = (random.random((nouns, 50)) < shares[:, None]).ravel().astype(float)
    return pd.DataFrame({"noun": np.repeat(np.arange(nouns), 50), "right": right})


likely = pd.DataFrame(index=["be", "like", "guard", "exist", "gleam", "rust"])
likely["right"] = [0.30, 0.08, 0.01, 0.01, 0.004, 0.002]
likely["wrong"] = [0.10, 0.04, 0.05, 0.02, 0.002, 0.002]


def ew_and_mw(verbs, tie=0.0):
    """EW and MW of a table of verbs; a tie counts as `tie` of a verb."""
    ew = verbs.eval("(right > wrong) + @tie * (right == wrong)").mean()
    return pd.Series({"EW": ew, "MW": verbs["right"].sum() / verbs.to_numpy().sum()})


# %% [markdown]
# ````{exercise} ★ Find the fault (no Python)
# :label: 14-fault
#
# A colleague reports EW and TSE that are equal to the last digit for every model. Which of the four faults do you suspect, and which number would you ask for?
#
# ```{dropdown} Hint
# When are {term}`EW` and {term}`TSE` the same question?
# ```
# ````
#
# ```{solution} 14-fault
# :class: dropdown
#
# The verb list of which one row is left: EW over one verb is its TSE. Ask how many verbs counted.
# ```

# %% [markdown]
# ````{exercise} ★★ Predict the sign
# :label: 14-sign
#
# `likely` has a model's probabilities of the right and wrong forms of six verbs after a plural subject; `ew_and_mw(likely)` scores it, with ties counted as wrong. Do {term}`EW` and {term}`MW` rise, fall or stay the same with these switches: `"no be"`, without *be*; `"no guard"`, without a verb that is also a noun; `"ties right"`; `"the"`, with a row added, right 0.2 and wrong 0? Predict, then make `signs`, a table with a column for each switch, rows `"EW"` and `"MW"`, and cells of 1, -1 or 0.
#
# ```{dropdown} Hint
# Does the verb that is added or removed score better than the others?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# An entry that is not a verb raises both scores. A tie changes EW alone.
the = pd.DataFrame({"right": [0.2], "wrong": [0.0]}, index=["the"])
after = pd.DataFrame()
after["no be"] = ew_and_mw(likely.drop("be"))
after["no guard"] = ew_and_mw(likely.drop("guard"))
after["ties right"] = ew_and_mw(likely, tie=1.0)
after["the"] = ew_and_mw(pd.concat([likely, the]))
signs = np.sign(after.sub(ew_and_mw(likely), axis=0))

# %% tags=["hide-cell", "check"]
assert isinstance(signs, pd.DataFrame), "signs should be a table (a DataFrame)"
more = pd.DataFrame({"right": [0.2], "wrong": [0.0]}, index=["the"])
known = {
    "no be": ew_and_mw(likely.drop("be")),
    "no guard": ew_and_mw(likely.drop("guard")),
    "ties right": ew_and_mw(likely, tie=1.0),
    "the": ew_and_mw(pd.concat([likely, more])),
}
assert set(signs) == set(known), "signs needs a column for each of the four switches"
for switch, scores in known.items():
    moved = np.sign(scores - ew_and_mw(likely))
    right = signs[switch].reindex(moved.index) == moved
    assert right.all(), f"{switch}: {list(moved[~right].index)} moves differently"
print("Eight signs are right. Which of them did you get wrong before you computed?")

# %% [markdown]
# ````{exercise} ★★★ How many nouns?
# :label: 14-nouns
#
# `drawn_study(nouns)` gives 50 contexts for each noun, with their `noun` and `right` (0 or 1); each noun has its own share of right answers. `interval(values)` and `interval(values, clusters)` have `.low` and `.high`. For `drawn_study(10)` compute the widths `alone`, as if contexts were independent, and `by_noun`, clustered. Then find `nouns`, the smallest of 10, 20, 40, 80, 160 with a clustered width of at most half of `by_noun`.
#
# ```{dropdown} Hint
# Widths fall with the root of the number of nouns.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# Four times as many nouns halve the width; more contexts of the same nouns hardly help.
def width(contexts, clusters=None):
    """Width of the 95 % interval of the share of right contexts."""
    found = interval(contexts["right"], clusters)
    return float(found.high - found.low)


ten = drawn_study(10)
alone, by_noun = width(ten), width(ten, ten["noun"])
studies = {size: drawn_study(size) for size in [10, 20, 40, 80, 160]}
widths = {size: width(drawn, drawn["noun"]) for size, drawn in studies.items()}
nouns = min(size for size in widths if widths[size] <= by_noun / 2)

# %% tags=["hide-cell", "check"]
assert isinstance(alone, float), "alone should be a number: a width"
assert isinstance(by_noun, float), "by_noun should be a number: a width"
contexts = drawn_study(10)
found = interval(contexts["right"])
assert abs(found.high - found.low - alone) < 1e-9, "alone: high minus low, no clusters"
found = interval(contexts["right"], contexts["noun"])
assert abs(found.high - found.low - by_noun) < 1e-9, "by_noun: high minus low, by noun"
assert nouns in (10, 20, 40, 80, 160), "nouns should be one of 10, 20, 40, 80, 160"
for size in [nouns // 2, nouns]:
    contexts = drawn_study(size)
    found = interval(contexts["right"], contexts["noun"])
    narrow = found.high - found.low <= by_noun / 2
    assert narrow == (size == nouns), f"{nouns} nouns are too few, or more than needed"
print(f"{alone:.2f} if independent, {by_noun:.2f} by noun; {nouns} nouns halve it.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# Report the policies beside a score, and take the interval over what the claim is about: nouns, verbs, or both.
#
# Functions: {py:func}`tse_core.uncertainty.intervals.interval`, {py:func}`tse_core.uncertainty.intervals.corrected_level` and {py:func}`tse_book.studies.switches.policy_switches`.
