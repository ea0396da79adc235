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
# : see what TSE, EW and MW measure, and what each misses, where the right answer is known
#
# You need
# : [the methods](02_methods.ipynb); helpful: [Table 2](03_table2.ipynb)
#
# Time
# : 15 minutes to read; two minutes to run on a CPU
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
    subprocess.run([*install, "lark", "gguf", "lazy_loader"], check=True)
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
from tse_book.pages import glue, guard, newman, table
from tse_core.paths import data_folder, store_folder

# %% [markdown]
# ## In brief
#
# A thermometer is tested in ice water, where the answer is known. Nobody knows what a perfect model of English would score. So this project has a language of its own, written down as probabilities, from which the right score follows by arithmetic.
#
# The language has two grammars. In the *systematic* one every verb agrees with its subject: a rule. In the *lexical* one frequent verbs agree and each rare verb has a favourite form: a list of well-behaved verbs. {term}`TSE` cannot tell the two apart, because its verbs are frequent. {term}`EW` can. {term}`MW` falls less than EW, because a model rarely says the verbs that go wrong.
#
# ## An artificial language
#
# The language has the nouns and constructions of Marvin and Linzen's templates {cite}`marvin2018targeted`, and several hundred verbs:

# %%
language = laboratory.load_language()
for sentence in laboratory.sentences(language, "systematic", 8):
    print(sentence)

# %% [markdown] tags=["explains"]
# Its verbs fall into three bands by frequency. The templates' own verbs, such as *laugh* and *like*, are in the head.

# %% tags=["hide-input"]
verbs = language.lemmas
bands = verbs.groupby("band", sort=False).agg(
    verbs=("lemma", "size"), examples=("lemma", lambda v: ", ".join(v[:8]))
)
glue("verbs", len(verbs))
table(bands.reset_index(), "The verbs of the language, by falling frequency.")

# %% [markdown] tags=["explains"]
# ```{margin} Attraction
# A verb agreeing with a nearby noun that is not its subject. People do it too.
# ```
#
# Systematic grammar
# : Every verb agrees with its subject.
#
# Lexical grammar
# : Verbs of the head agree. Verbs of the middle agree in three of four uses. Each verb of the tail takes one favourite form in nine of ten uses, whatever the subject; half of them prefer the singular.
#
# In both, a verb is now and then *attracted* by the nearest noun {cite}`bock1991broken`, more often in some constructions than in others.
#
# ## The truth, by arithmetic
#
# ```{dropdown} Predict: which of the three scores will be the same in both grammars?
# TSE. It asks about frequent verbs, which agree in both. EW falls with the share of verbs that do not agree, MW with their share of the uses.
# ```
#
# A perfect model has the language's own probabilities, so its scores need no model:

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
lexical_tail = truths.query("regime == 'lexical' and band == 'tail'")
fall = {
    score: whole[score]["systematic"] - whole[score]["lexical"]
    for score in whole.columns.levels[0]
}
guard("TSE is perfect in both grammars", bool((whole["TSE"] == 1).all(axis=None)))
guard(
    "half of the decisions about verbs of the tail are wrong",
    bool((lexical_tail["EW"] == 0.5).all()),
)
guard(
    "MW lies in between",
    bool(whole["MW"]["lexical"].between(whole["EW"]["lexical"], 1).all()),
)
guard("falls less than EW", bool((fall["MW"] < fall["EW"]).all()))
table(
    whole.rename_axis(None).rename_axis([None, None], axis=1),
    "What is true of each grammar, for all verbs of the language.",
    digits=3,
    index=True,
)

# %% [markdown]
# TSE is perfect in both grammars. EW is not: in the lexical one half of the decisions about verbs of the tail are wrong. MW lies in between, since these verbs are rare.
#
# What could fool you: an EW of 1 does not mean that nobody makes mistakes. A verb that goes wrong in one use of four still has its correct form ahead, and counts in full.
#
# ## Measured, beside the truth
#
# A causal and a masked model were trained on each grammar and asked about every verb. Their recorded scores are shown beside the truth.

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
    "lexical_mw",
    float(lexical_simple.loc[lexical_simple["metric"] == "MW", "measured"].mean()),
)
glue(
    "lexical_ew",
    float(lexical_simple.loc[lexical_simple["metric"] == "EW", "measured"].mean()),
)
furthest = within.loc[within["difference"].abs().idxmax()]
glue("furthest", float(abs(furthest["difference"])))
glue(
    "furthest_cell",
    f"{furthest['metric']} of the {furthest['band']}, {furthest['construction']}, {furthest['model']}",
)
table(
    share.reset_index(),
    "Cells (construction and band, EW and MW) that were measured within 0.03 of the truth.",
    digits=3,
)

# %% [markdown]
# {glue:text}`near` of {glue:text}`cells` cells lie within 0.03 of the truth ({glue:text}`share:.1%`); the furthest is off by {glue:text}`furthest:.2f` ({glue:text}`furthest_cell:s`). The charts show the means over all verbs. Grey ticks are true, dots are measured.


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
    return f"The {regime} grammar: {said}; over all verbs the median error of EW and MW is {off.median():.2f}, the largest {off.max():.2f}"


lexical = overall[overall["model"].str.contains("lexical")]
charts.truth_vs_measured(lexical, title=title_of(lexical, "lexical"))

# %% tags=["hide-input"]
systematic = overall[overall["model"].str.contains("systematic")]
charts.truth_vs_measured(systematic, title=title_of(systematic, "systematic"))

# %% [markdown] tags=["explains"]
# The cells furthest from the truth:

# %% tags=["hide-input"]
largest = long.groupby("metric")["difference"].agg(lambda off: off.abs().max())
guard("MW adds up probabilities and errs less there", largest["MW"] < largest["EW"])
missed = long[long["difference"].abs() > 0.03].sort_values(
    "difference", key=abs, ascending=False
)
columns = ["model", "construction", "band", "metric", "truth", "measured", "difference"]
display(table(missed[columns].head(8), "The cells furthest from the truth.", digits=3))
display(charts.download_table(long, "laboratory.csv", "All cells"))

# %% [markdown] tags=["explains"]
# A model that has met a rare verb a few dozen times has not learned that verb's own rate. It falls back on what verbs do in general. Where attraction makes *most* uses of a band's verbs go wrong, EW counts all these verbs as wrong, and a small error of the model can turn them right at once; MW adds up probabilities and errs less there. The fault is the model's, and the metric reports it.
#
# ## What the few verbs of TSE hide

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
guard(
    "TSE cannot tell a rule from a list",
    abs(apart.loc["TSE", "apart"]) < 0.02 < 0.1 < apart.loc["EW", "apart"],
)
table(
    apart.reset_index(),
    "The causal models, means over the nine constructions: what tells the two grammars apart?",
    digits=3,
)

# %% [markdown]
# Between the rule and the list TSE differs by {glue:text}`tse_apart:.3f` and EW by {glue:text}`ew_apart:.3f`. The cut-off curves show where: towards the tail.

# %% tags=["hide-input"]
curves = pd.read_csv(recorded / "curves.csv")
shown = curves[curves["construction"].isin(["Simple", "Across object relative clause"])]


def at_the_bottom(rows):
    """EW of either grammar at bottom 10 %, in words: a mean over the rows' models and constructions."""
    last = rows.query("metric == 'EW' and side == 'bottom' and cutoff == 0.1")
    ew = last.groupby(last["model"].str.split("-").str[1])["score"].mean()
    return f"At bottom 10 % EW is {ew['systematic']:.2f} with the systematic grammar and {ew['lexical']:.2f} with the lexical one"


longest = "Across object relative clause"
causal_curves = shown[shown["model"].str.endswith("causal")]
title = at_the_bottom(causal_curves.query("construction == @longest"))
glue(
    "ew_curves",
    charts.cutoff_curves(causal_curves, "EW", chosen=longest, title=title),
)
charts.cutoff_curves(shown, title=f"{at_the_bottom(shown)}, on average")

# %% [markdown] tags=["explains"]
# ### Verb by verb
#
# Each dot is a {term}`lemma`. To the right are verbs that the model finds likely at this slot; higher up, verbs whose correct form is ahead in more {term}`contexts <context>`. EW is the mean height; MW weighs the dots by their place to the right.

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
    asked = [*newman.real_models(models), *newman.laboratory_models(models)]
    display(
        newman.say(
            f"Choose a model from the menu: {', '.join(map(newman.label, asked))}."
        )
    )

# %% [markdown] tags=["explains"]
# ## Never seen together
#
# ```{dropdown} Predict: will a model of the systematic grammar do worse on pairs of noun and verb that it has never seen together?
# If it stored pairs, by a great deal. If it learned which nouns are singular and which forms go with them, hardly at all.
# ```
#
# {term}`Systematicity` is about combinations that were never met. One in ten pairs of subject noun and verb was kept out of the corpus.

# %% tags=["hide-input"]
held = pd.read_csv(recorded / "held_out.csv")
chosen = held[
    held["model"].str.startswith("lab-systematic") & (held["held_out"] == "pair")
]
largest = chosen["difference"].abs().max()
glue("held_out_largest", float(largest))
zero = (chosen["low"] <= 0) & (chosen["high"] >= 0)
widest = ((chosen["high"] - chosen["low"]) / 2).max()
glue("held_out_zero", int(zero.sum()))
glue("held_out_rows", len(chosen))
glue("held_out_width", float(widest))
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
# The largest difference is {glue:text}`held_out_largest:.3f`, and {glue:text}`held_out_zero` of the {glue:text}`held_out_rows` intervals contain zero. That is what a rule predicts. Some intervals are as wide as ±{glue:text}`held_out_width:.2f`, so single rows prove little.
#
# ## What each metric measures, and misses
#
# | | measures | misses |
# |---|---|---|
# | TSE | a few frequent verbs, yes or no | every other verb; how sure the model is |
# | EW | the share of verbs that agree: systematicity | how likely each verb is; a probability of 0.51 counts like one of 0.99 |
# | MW | the share of probability on correct forms: likely behaviour | rare verbs, however wrong they are |

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/16_laboratory.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book.laboratory import load_language, truth

language = load_language()
bands = language.lemmas["band"].value_counts()

# Every verb's probability of agreeing in simple sentences, and its frequency, under both grammars.
agreeing = {
    grammar: language.correct(grammar, "Simple").mean(axis=(1, 2))
    for grammar in ("systematic", "lexical")
}
frequency = np.array(language.frequency)

# %% [markdown]
# ````{exercise} ★ Truth without a model
# :label: 16-truth
#
# In the lexical grammar verbs of the head and the middle agree more often than not; each verb of the tail has a favourite form, whatever the subject. `bands` counts the verbs of each band. Compute `ew` (a number), the true {term}`EW` of *Simple*, where half of the subjects are singular. Why is it not just the share of head and middle?
#
# ```{dropdown} Hint
# How often does a verb that always takes its singular form happen to be right?
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

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ What the laboratory cannot show
# :label: 16-limits
#
# Name two things about scores of BERT or GPT-2 that the laboratory cannot show, and one that could be added to it. No program is needed.
#
# ```{dropdown} Hint
# What is simpler in a made language than in English?
# ```
# ````
#
# ```{solution} 16-limits
# :class: dropdown
#
# It cannot show what those models know: it was never asked of them. It cannot show whether the verb list suits English, with its {term}`homographs <homograph>` and rare senses, because here every form means one thing. One could add homographs on purpose and see which score moves while the truth stays.
# ```

# %% [markdown]
# ````{exercise} ★★★ A metric of your own
# :label: 16-metric
#
# Write `score(agreeing, frequency)`, which takes two arrays, each verb's probability of agreeing and its frequency, and returns a number from 0 to 1. It should tell the two grammars apart by more than 0.05, *and* weigh likely verbs more than unlikely ones, but less than {term}`MW` does. What does it miss?
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

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - TSE cannot tell a rule from a list of well-behaved frequent verbs; EW can.
# - MW reports likely behaviour: verbs that are rarely said have little weight in it.
# - A real model's low EW can have other reasons than a list; [What the gap is made of](18_gap.ipynb) tells them apart.
#
# Functions: {py:func}`tse_book.laboratory.truth`, {py:func}`tse_book.laboratory.load_language`, {py:func}`tse_book.laboratory.train` and {py:func}`tse_book.charts.truth_vs_measured`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
