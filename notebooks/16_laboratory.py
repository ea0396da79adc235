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
# # The laboratory: metrics held against a known truth
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see what TSE, EW and MW measure, and what each of them misses, on models whose language is known to the last probability
#
# You need
# : [the methods](02_methods.ipynb); helpful: [Table 2](03_table2.ipynb)
#
# Time
# : 20 minutes to read; two minutes to run on a CPU. The laboratory's models were trained on a CPU in minutes each; no GPU is needed
# :::

# %% tags=["remove-cell", "setup"]
# On Colab: install the package (its other needs are there already). Elsewhere only the choice of a profile counts.
# PROFILE = "paper", say, runs other models than those named below:
# base   their small siblings: 2 GB to download, 3 GB of memory on a GPU and an hour on a T4 (a day without one)
# paper  the paper's four models: 11 GB to download, 9 GB of memory on a GPU and 4 hours on a T4 (days without one)
PROFILE = ""
KEEP = False  # on Colab, True keeps results in your Google Drive: after a disconnect, the same cells go on

import importlib.util
import os
import pathlib
import subprocess
import sys

if importlib.util.find_spec("tse_core") is None:
    uploaded = sorted(map(str, pathlib.Path().glob("tse_core-*.whl")))
    package = uploaded[-1] if uploaded else ""
    if not package:
        raise SystemExit(
            "Upload the tse_core wheel from the book's downloads (the folder symbol on the "
            "left, then the arrow), and run this again."
        )
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", package], check=True)
    subprocess.run([*install, "pooch", "lark", "gguf", "lazy_loader"], check=True)
if KEEP:
    from google.colab import drive

    drive.mount("/content/drive")
    os.environ["TSE_STORE"] = "/content/drive/MyDrive/tse-results"

# %% tags=["parameters"]
models = [  # names or folders
    "smollm2-135m-instruct",
    "lab-systematic-causal",
    "lab-lexical-causal",
]

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "16_laboratory")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% [markdown]
# Does each metric measure what it claims? Where the truth is known, one can look.

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts, laboratory
from tse_book.pages import glue, newman, table
from tse_core.paths import data_folder, store_folder

# %% [markdown]
# ## In brief
#
# A thermometer is tested in ice water, where the answer is known. A score below one for a model of English could mean many things: the model fails on some verbs, or the metric is unfair, or the verb list is full of nouns, or the program has a fault. Nobody knows what a perfect model of English would score. So this project has a language of its own, written down as probabilities, from which the right score follows by arithmetic. It comes in two versions. In the *systematic* one every verb agrees: this is what a rule looks like. In the *lexical* one frequent verbs agree and each rare verb keeps the form that it is used to: this is what a list of well-behaved verbs looks like. {term}`TSE` cannot tell the two apart, because its verbs are frequent; {term}`EW` can; {term}`MW` stays high for both, because a model rarely says the verbs that go wrong. None of this is about BERT, GPT-2 or SmolLM2: a laboratory model answers for its own language, and its numbers stand beside the paper's tables, never in them.
#
# ## A language made on purpose
#
# The language has the nouns and the constructions of Marvin and Linzen's templates {cite}`marvin2018targeted`, and several hundred verbs. A few of its sentences:

# %%
language = laboratory.load_language()
for sentence in laboratory.sentences(language, "systematic", 8):
    print(sentence)

# %% [markdown]
# Its verbs fall into three bands by frequency. The templates' own verbs, such as *laugh* and *like*, are all in the head.

# %% tags=["hide-input"]
verbs = language.lemmas
bands = verbs.groupby("band", sort=False).agg(
    verbs=("lemma", "size"), examples=("lemma", lambda v: ", ".join(v[:8]))
)
glue("verbs", len(verbs))
table(bands.reset_index(), "The verbs of the language, by falling frequency.")

# %% [markdown]
# ```{margin} Band
# Head, middle or tail: the frequency of a verb in the language, fixed before any model exists.
# ```
#
# There are two regimes of grammar.
#
# Systematic
# : Every verb agrees with its subject.
#
# Lexical
# : Verbs of the head agree. Verbs of the middle band agree in three of four uses. Each verb of the tail has a form that it takes in nine of ten uses, whatever the subject: half of these verbs prefer the singular, half the plural.
#
# ```{margin} Attraction
# A verb agreeing with a nearby noun that is not its subject. People do it too.
# ```
#
# In both, a verb is now and then *attracted* by the nearest noun {cite}`bock1991broken`, more often in some constructions than in others. So constructions differ, as they do in people.
#
# ```{margin} The truth
# A score that follows from the grammar by arithmetic, as a perfect model of the language would get it.
# ```
#
# ## The truth, by arithmetic
#
# ```{dropdown} Predict: which of the three scores will be the same in both regimes?
# TSE. It asks about the verbs of the templates, and these are frequent verbs, which agree in both. EW and MW differ: EW by the share of verbs that do not agree, MW by the share of uses.
# ```
#
# A perfect model of the language has the language's own probabilities. {term}`TSE`, {term}`EW` and {term}`MW` of that model need no model at all:

# %%
truths = pd.concat(
    [
        laboratory.truth(regime).assign(regime=regime)
        for regime in ("systematic", "lexical")
    ]
)
whole = truths[truths["band"] == "all"].pivot(
    index="construction", columns="regime", values=["TSE", "EW", "MW"]
)
whole = whole.loc[
    language.constructions,
    [(m, r) for m in ("TSE", "EW", "MW") for r in ("systematic", "lexical")],
]
table(
    whole.rename_axis(None).rename_axis([None, None], axis=1),
    "What is true of each regime, for all verbs of the language.",
    digits=3,
    index=True,
)

# %% [markdown]
# Look at the first two columns. TSE is perfect in both regimes. In one of them a large part of the verbs does not agree at all, and TSE cannot notice this, because it asks about verbs of the head only. EW notices: half of the decisions about verbs of the tail are wrong. MW lies in between, since these verbs are rarely used.
#
# What could fool you: a true EW of 1 does not mean that nobody ever makes a mistake in this language. EW asks which form is the likelier one. A verb that goes wrong in one use of four still has its correct form ahead, and counts in full.
#
# ## Measured, beside the truth
#
# Four models were trained on this language: a causal and a masked one for each regime. Each was asked about all verbs at every slot of the templates. Their scores were recorded and are compared here with the truth, cell by cell.

# %% tags=["hide-input"]
recorded = data_folder() / "recorded" / "laboratory"
scores = pd.read_csv(recorded / "scores.csv")
long = pd.concat(
    [
        scores[["model", "construction", "band", "contexts"]].assign(
            metric=metric, measured=scores[metric], truth=scores[f"true_{metric}"]
        )
        for metric in ("TSE", "EW", "MW")
    ],
    ignore_index=True,
).dropna(subset=["measured", "truth"])
long["difference"] = long["measured"] - long["truth"]
overall = long[long["band"] == "all"]

# %% tags=["hide-input"]
within = long[long["metric"] != "TSE"].assign(
    near=lambda t: t["difference"].abs() <= 0.03
)
share = within.groupby("model", sort=False)["near"].agg(
    cells="size", within="sum", share="mean"
)
lexical_simple = overall[
    overall["model"].str.contains("lexical") & (overall["construction"] == "Simple")
]
glue("cells", int(share["cells"].sum()))
glue("near", int(share["within"].sum()))
glue("share", float(share["within"].sum() / share["cells"].sum()))
glue(
    "lexical_tse",
    float(lexical_simple.loc[lexical_simple["metric"] == "TSE", "measured"].min()),
)
glue(
    "lexical_ew",
    float(lexical_simple.loc[lexical_simple["metric"] == "EW", "measured"].mean()),
)
glue(
    "lexical_mw",
    float(lexical_simple.loc[lexical_simple["metric"] == "MW", "measured"].mean()),
)
table(
    share.reset_index(),
    "Cells (construction and band, EW and MW) that were measured within 0.03 of the truth.",
    digits=3,
)

# %% [markdown]
# {glue:text}`near` of {glue:text}`cells` cells lie within 0.03 of the truth ({glue:text}`share:.1%`).
#
# Grey ticks are true, dots are measured. Click a metric in the legend to see it alone.


# %% tags=["hide-input"]
def title_of(rows, regime):
    """What the chart of one regime shows, from its numbers."""
    tse = rows.loc[rows["metric"] == "TSE", "measured"]
    off = rows[rows["metric"] != "TSE"]["difference"].abs()
    said = (
        f"TSE is at least {tse.min():.2f}"
        if tse.min() < 1
        else "TSE is 1.00 everywhere"
    )
    return f"The {regime} regime: {said}; EW and MW lie {off.median():.2f} from the truth in the middle, {off.max():.2f} at most"


lexical = overall[overall["model"].str.contains("lexical")]
charts.truth_vs_measured(lexical, title=title_of(lexical, "lexical"))

# %% tags=["hide-input"]
systematic = overall[overall["model"].str.contains("systematic")]
charts.truth_vs_measured(systematic, title=title_of(systematic, "systematic"))

# %% tags=["hide-input"]
charts.download_table(long, "laboratory.csv", "All cells (CSV)")

# %% [markdown]
# ### Which scores are off, and why
#
# The largest differences:

# %% tags=["hide-input"]
missed = long[long["difference"].abs() > 0.03].sort_values(
    "difference", key=abs, ascending=False
)
columns = ["model", "construction", "band", "metric", "truth", "measured", "difference"]
table(missed[columns].head(12), "The cells furthest from the truth.", digits=3)

# %% tags=["hide-input"]
where = (
    missed.groupby(["band", "metric"]).size().rename("cells beyond 0.03").reset_index()
)
table(where, "Where the misses are.")

# %% [markdown]
# A model that has seen a rare verb a few dozen times does not learn that verb's own rate to two decimals. It falls back on what verbs do in general. So where attraction in this language is strong enough to turn *most* verbs of a band the wrong way, a small model stays too close to what the other verbs do. EW moves most, because it only asks on which side of one half a probability lies, and a small error can carry it across. MW adds up probabilities and moves less. The fault is the model's, which has seen too little, and the metric reports it faithfully.
#
# ## What the few verbs of TSE hide
#
# Here are the two regimes side by side, the causal models alone.

# %% tags=["hide-input"]
causal = overall[overall["model"].str.endswith("causal")]
apart = causal.pivot_table(index="metric", columns="model", values="measured").loc[
    ["TSE", "EW", "MW"]
]
apart["apart"] = (
    apart.iloc[:, 1] - apart.iloc[:, 0]
    if "systematic" in apart.columns[1]
    else apart.iloc[:, 0] - apart.iloc[:, 1]
)
glue("tse_apart", float(apart.loc["TSE", "apart"]))
glue("ew_apart", float(apart.loc["EW", "apart"]))
table(
    apart.reset_index(),
    "Mean over the nine constructions: what tells the two regimes apart?",
    digits=3,
)

# %% [markdown]
# TSE differs by {glue:text}`tse_apart:.3f` between a model of a grammar without exceptions and a model of a grammar in which most rare verbs do not agree. EW differs by {glue:text}`ew_apart:.3f`.
#
# The cut-off curves show where the difference lies. They fall towards the tail in the lexical regime, and stay up in the systematic one, for as long as any verb of the language is left. The verbs asked here are the language's own, none of which is also one of its nouns. With the paper's list a few such words slip in, and the outermost points of a curve can then rest on them alone, as [Figure 1](04_figure1.ipynb) shows.

# %% tags=["hide-input"]
curves = pd.read_csv(recorded / "curves.csv")
shown = curves[curves["construction"].isin(["Simple", "Across object relative clause"])]
ends = shown[shown["metric"] == "EW"].dropna(subset="score")
last = (
    ends[(ends["side"] == "bottom") & (ends["cutoff"] == 0.1)]
    .groupby(ends["model"].str.split("-").str[1])["score"]
    .mean()
)
title = f"At bottom 10 % EW is {last['systematic']:.2f} for the rule and {last['lexical']:.2f} for the list"
causal_curves = shown[shown["model"].str.endswith("causal")]
glue(
    "ew_curves",
    charts.cutoff_curves(
        causal_curves, "EW", chosen="Across object relative clause", title=title
    ),
)
charts.cutoff_curves(shown, title=title)

# %% [markdown]
# ### Verb by verb
#
# Each dot is a {term}`lemma`. To the right: verbs to which the model gives much probability at this slot. Higher: verbs whose correct form is ahead in more of the {term}`contexts <context>`. {term}`EW` is the mean height of the dots; {term}`MW` weighs them by their place to the right. Type a verb to find it, and choose the model under the chart.

# %% tags=["remove-input"]
display(newman.what_is_missing(models))

# %% tags=["hide-input"]
parts = []
for name in [*newman.real_models(models), *newman.laboratory_models(models)]:
    asked = tse_core.evaluate(
        name,
        "marvin-linzen/simple",
        "newman-clean",
        keep="lemmas",
        store=store_folder(),
    )
    parts.append(asked.by_lemma.assign(model=asked.signature.model))
if parts:
    display(charts.lemma_explorer(pd.concat(parts, ignore_index=True)))

# %% [markdown]
# ## Never seen together
#
# ```{dropdown} Predict: will a model of the systematic language do worse on pairs of noun and verb that it has never seen together?
# If it stored pairs, by a great deal. If it learned which nouns are singular and which forms go with them, hardly at all, because nothing about the pair itself is needed.
# ```
#
# ```{margin} Held out
# Kept from the model in training, so that a test can ask for what it has never seen.
# ```
#
# {term}`Systematicity` is about combinations that were never met. One in ten pairs of a subject noun and a verb was kept out of the corpus altogether; of the rest, one in ten was kept out of each construction. Do the models conjugate those as well as the others?

# %% tags=["hide-input"]
held = pd.read_csv(recorded / "held_out.csv")
chosen = held[
    held["model"].str.startswith("lab-systematic") & (held["held_out"] == "pair")
]
largest = chosen["difference"].abs().max()
glue("held_out_largest", float(largest))
table(
    chosen[
        [
            "model",
            "construction",
            "score",
            "seen",
            "unseen",
            "difference",
            "low",
            "high",
        ]
    ].reset_index(drop=True),
    "Systematic models: pairs of noun and verb seen in training and never seen. 95 % intervals over nouns.",
    digits=3,
)

# %% [markdown]
# The largest difference is {glue:text}`held_out_largest:.3f`. What these models learned is a rule, not a list.
#
# ## What each metric measures, and misses
#
# | | measures | misses |
# |---|---|---|
# | TSE | a few frequent verbs, yes or no | every other verb; how sure the model is |
# | EW | the share of verbs that agree: systematicity | how likely each verb is; a probability of 0.51 counts like one of 0.99 |
# | MW | the share of probability on correct forms: likely behaviour | rare verbs, however wrong they are |
#
# None of them is the better one. They answer different questions, and the laboratory shows that each answers its own.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study.
# {download}`These exercises as a notebook <../_build/exercises/16_laboratory.ipynb>`: empty cells for your answers, and checks that judge them.

# %% tags=["hide-input", "exercise-setup"]
from functools import cache

import numpy as np
import pandas as pd

from tse_book.laboratory import load_language, truth
from tse_core import slot_distribution
from tse_core.paths import data_folder

language = load_language()
verbs = language.lemmas[["lemma", "singular", "plural", "band"]]
bands = verbs["band"].value_counts()

# Every verb's probability of agreeing in simple sentences, and its frequency, under both grammars.
agreeing = {
    grammar: language.correct(grammar, "Simple").mean(axis=(1, 2))
    for grammar in ("systematic", "lexical")
}
frequency = np.array(language.frequency)

measured = pd.read_csv(data_folder() / "recorded" / "laboratory" / "scores.csv")


@cache
def after(left):
    """The probability of every word after some words, for the model of the lexical grammar."""
    shown = slot_distribution("lab-lexical-causal", left)
    return shown.set_index(shown["token"].str.strip())["probability"]


def likelier(verb, left):
    """The form, "singular" or "plural", of a lemma that the model finds likelier after some words."""
    forms = verbs.set_index("lemma").loc[verb, ["singular", "plural"]]
    return after(left)[forms].set_axis(forms.index).idxmax()


# %% [markdown]
# ````{exercise} ★ Truth without a model
# :label: 16-truth
#
# In the lexical grammar, verbs of the head and the middle agree more often than not; each verb of the tail has a favourite form
# that it takes whatever the subject. `bands` says how many verbs each band has. Compute `ew` (a number), the true {term}`EW` of
# *Simple*, where subjects are singular in half of the contexts. Why is it not just the share of head and middle?
#
# ```{dropdown} Hint
# In how many contexts does a verb that always takes its singular form happen to be right?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# A verb with a favourite form is right whenever the subject happens to have that number: half of the time.
share_with_rule = (bands["head"] + bands["middle"]) / bands.sum()
ew = float(share_with_rule + (1 - share_with_rule) / 2)

# %% tags=["hide-cell", "check"]
assert isinstance(ew, float), "ew should be a number"
assert ew > 1 - bands["tail"] / bands.sum(), (
    "ew: verbs of the tail are sometimes right, too"
)
known = (
    truth("lexical").query("construction == 'Simple' and band == 'all'")["EW"].item()
)
assert abs(ew - known) < 1e-6, f"ew is {ew:.4f}, which is not what the grammar gives"
print(f"EW {ew:.4f}: known before any model was trained.")

# %% [markdown]
# ````{exercise} ★★ One verb at a time
# :label: 16-slot
#
# `likelier(verb, left)` says which form of a verb the model of the lexical grammar finds likelier after some words. Make `habit`, a
# list of five verbs (lemmas in the table `verbs`) whose likelier form is the same after *The author* and after *The authors*. From
# which band do they come?
#
# ```{dropdown} Hint
# The column `band` of `verbs` says how frequent a verb is. Where does the rule not hold?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# They come from the tail, which has favourite forms in place of a rule.
tail = verbs.loc[verbs["band"] == "tail", "lemma"]
habit = [v for v in tail if likelier(v, "The author") == likelier(v, "The authors")][:5]

# %% tags=["hide-cell", "check"]
assert isinstance(habit, list), "habit should be a list of lemmas"
assert len(set(habit)) == 5, "habit should hold five different verbs"
for verb in habit:
    assert verb in set(verbs["lemma"]), f"{verb} is no lemma of the table"
    forms = {left: likelier(verb, left) for left in ("The author", "The authors")}
    assert len(set(forms.values())) == 1, f"{verb} changes its form with the subject"
found_in = verbs.set_index("lemma").loc[habit, "band"].value_counts()
print(
    "Bands of your verbs:",
    ", ".join(f"{band} {count}" for band, count in found_in.items()),
)

# %% [markdown]
# ````{exercise} ★★ What the laboratory cannot show
# :label: 16-limits
#
# The laboratory shows that {term}`EW` and {term}`MW` measure what they claim. Name two things about scores of BERT or GPT-2 that
# it cannot show, and one that could be added to it.
#
# ```{dropdown} Hint
# What is simpler in a made language than in English?
# ```
# ````
#
# ```{solution} 16-limits
# :class: dropdown
#
# It cannot show what those models know: it was never asked of them. It cannot show whether the verb list suits English, with its
# {term}`homographs <homograph>`, pieces of words and rare senses, because here every form is one entry and means one thing. It
# cannot show how annotators or sentence templates mislead. One could add homographs on purpose, or split rare verbs into
# pieces, and see which score moves while the truth stays.
# ```

# %% [markdown]
# ````{exercise} ★★ Known truth, measured value
# :label: 16-miss
#
# `measured` has a row for each model, construction and `band` (one of them is `"all"`), with the columns `EW` and `MW` as measured
# and `true_EW` and `true_MW` as they should be. Make `error`, a dictionary from (band, metric) to the mean absolute difference,
# for the bands `"head"`, `"middle"` and `"tail"`, and `worst`, the (band, metric) with the largest. Is the instrument at fault
# there, or the model?
#
# ```{dropdown} Hint
# A difference in EW of one metric and none in the other would be the instrument's. Look also at how often the model saw
# such verbs.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The model: rare and attracted verbs are under-trained, and EW, which asks which side of one half a
# probability lies on, turns a small error into a large one. MW moves less.
error = {
    (band, metric): float((rows[metric] - rows[f"true_{metric}"]).abs().mean())
    for band, rows in measured.groupby("band")
    for metric in ("EW", "MW")
    if band != "all"
}
worst = max(error, key=error.get)

# %% tags=["hide-cell", "check"]
assert isinstance(error, dict), "error should be a dictionary: (band, metric) -> number"
cells = {
    (band, metric) for band in ("head", "middle", "tail") for metric in ("EW", "MW")
}
assert set(error) == cells, (
    "error needs six keys, from ('head', 'EW') to ('tail', 'MW')"
)
for band, metric in cells:
    off = measured.loc[measured["band"] == band].eval(f"abs({metric} - true_{metric})")
    assert abs(error[band, metric] - off.mean()) < 1e-9, (
        f"{band} {metric}: mean of the absolute differences"
    )
assert worst in cells, "worst should be one of the keys of error"
assert error[worst] == max(error.values()), (
    "worst: another cell is further from the truth"
)
print(
    f"Furthest from the truth: {worst[1]} of the {worst[0]}, by {error[worst]:.3f} in the mean."
)

# %% [markdown]
# ````{exercise} ★★★ A metric of your own
# :label: 16-metric
#
# Write `score(agreeing, frequency)`, which takes two arrays, each verb's probability of agreeing and its frequency, and returns a
# number from 0 to 1. It should tell the two grammars apart by more than 0.05, *and* weigh likely verbs more than unlikely ones, but
# less than {term}`MW` does. What does your metric miss?
#
# ```{dropdown} Hint
# EW weighs every verb by 1, MW by its frequency. What lies between?
# ```
# ````


# %% tags=["hide-cell", "solution"]
# Whatever the weight, a metric misses what the weight makes small: here, still, the rarest verbs.
def score(agreeing, frequency):
    """Mean probability of agreeing, weighted by the root of the frequency."""
    return float(np.average(agreeing, weights=np.sqrt(frequency)))


# %% tags=["hide-cell", "check"]
all_right, common = np.ones(4), np.array([8.0, 4.0, 2.0, 1.0])
head, rare = np.array([1.0, 1, 1, 0]), np.array([0.0, 1, 1, 1])
assert isinstance(score(all_right, common), float), "score should return a number"
assert abs(score(all_right, common) - 1) < 1e-9, (
    "score should be 1 where every verb agrees"
)
assert score(head, common) > score(rare, common), (
    "an error on a frequent verb should cost more than one on a rare verb"
)
assert score(rare, common) > (rare * common).sum() / common.sum(), (
    "frequent verbs should count less than in MW"
)
apart = score(agreeing["systematic"], frequency) - score(agreeing["lexical"], frequency)
assert apart > 0.05, f"the two grammars are only {apart:.3f} apart"
print(f"The grammars are {apart:.3f} apart under your metric.")

# %% [markdown]
# ## Takeaways
#
# - TSE cannot tell a grammar with a rule from a grammar with a list of well-behaved frequent verbs; EW can.
# - MW reports likely behaviour: it is high even where most verbs are wrong, because those verbs are rare.
# - Measured against known truth, EW and MW are right to within a few hundredths wherever the model has learned its language.
# - A real model's low EW can have other reasons than a list of verbs; [What the gap is made of](18_gap.ipynb) tells them apart.
#
# The functions of this chapter: {py:func}`tse_book.laboratory.truth`, {py:func}`tse_book.laboratory.load_language`, {py:func}`tse_book.laboratory.sentences`, {py:func}`tse_book.laboratory.train` and {py:func}`tse_book.charts.truth_vs_measured`. All others are in the [reference](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
