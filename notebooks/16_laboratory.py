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
# : 12 minutes to read; half a minute to run on a CPU. The models were trained on a CPU in minutes each; no GPU is needed
# :::

# %% tags=["remove-cell", "setup"]
# On Colab: install the package (its other needs are there already). Elsewhere only the choice of a profile counts.
# PROFILE = "paper", say, runs other models than those named below:
# base   their small siblings: 2 GB to download, 3 GB of memory, about 15 minutes on a GPU (hours without)
# paper  the paper's four models: 11 GB to download, 12 GB of memory on a GPU, about an hour (days without)
PROFILE = ""

import importlib.util
import pathlib
import subprocess
import sys

if importlib.util.find_spec("tse_core") is None:
    uploaded = sorted(map(str, pathlib.Path().glob("tse_core-*.whl")))
    package = uploaded[-1] if uploaded else ""
    if not package:
        raise SystemExit(
            "Upload the tse_core wheel from the book's downloads, then run this again."
        )
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", package], check=True)
    subprocess.run([*install, "pooch", "lark"], check=True)

# %% [markdown]
# A thermometer is tested in ice water, where the answer is known. This chapter does the same with metrics. It makes a small English in which the number of every verb is ruled by known probabilities, trains models on sentences of it, and compares what the metrics report with what is true.
#
# Nothing here says anything about BERT or GPT-2. It says whether the instrument works.

# %%
import pandas as pd

import tse_core
from tse_core import charts, laboratory
from tse_core.notebook import glue, table
from tse_core.paths import data_folder

# %% [markdown]
# ## A language made on purpose
#
# The language has the nouns and the constructions of Marvin and Linzen's templates {cite}`marvin2018targeted`, and several hundred verbs. A few of its sentences:

# %%
language = laboratory.load_language()
for sentence in laboratory.sentences(language, "systematic", 8):
    print(sentence)

# %% [markdown]
# Its verbs fall into three bands by frequency. The templates' own verbs, such as *laugh* and *like*, are all in the head.

# %%
verbs = language.lemmas
bands = verbs.groupby("band", sort=False).agg(
    verbs=("lemma", "size"), examples=("lemma", lambda v: ", ".join(v[:8]))
)
glue("verbs", len(verbs))
table(bands.reset_index(), "The verbs of the language, by falling frequency.")

# %% [markdown]
# There are two regimes of grammar.
#
# Systematic
# : Every verb agrees with its subject.
#
# Lexical
# : Verbs of the head agree. Verbs of the middle band agree in three of four uses. Each verb of the tail has a form that it takes in nine of ten uses, whatever the subject: half of these verbs prefer the singular, half the plural.
#
# In both, a verb is now and then *attracted* by the nearest noun {cite}`bock1991broken`, more often in some constructions than in others. So constructions differ, as they do in people.
#
# ```{margin} The truth
# A score that follows from the grammar by arithmetic, as a perfect model of the language would get it.
# ```
#
# ## The truth, by arithmetic
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
# Look at the first two columns. TSE is perfect in both regimes. In one of them a large part of the verbs does not agree at all, and TSE cannot know: it asks about verbs of the head only.
#
# ## Measured, beside the truth
#
# Four models were trained on this language: a causal and a masked one for each regime. Each was asked about all verbs at every slot of the templates. The recorded scores:

# %%
recorded = data_folder() / "recorded" / "laboratory"
scores = pd.read_csv(recorded / "scores.csv")
models = list(dict.fromkeys(scores["model"]))
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

# %%
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
charts.truth_vs_measured(
    overall[overall["model"].str.contains("lexical")],
    title="The lexical regime: TSE says perfect, EW and MW say what is true",
)

# %% tags=["hide-input"]
charts.truth_vs_measured(
    overall[overall["model"].str.contains("systematic")],
    title="The systematic regime: all three agree that verbs agree",
)

# %% tags=["hide-input"]
charts.download_table(long, "laboratory.csv", "All cells (CSV)")

# %% [markdown]
# ### What misses, and why
#
# The largest differences:

# %%
missed = long[long["difference"].abs() > 0.03].sort_values(
    "difference", key=abs, ascending=False
)
columns = ["model", "construction", "band", "metric", "truth", "measured", "difference"]
table(missed[columns].head(12), "The cells furthest from the truth.", digits=3)

# %%
where = (
    missed.groupby(["band", "metric"]).size().rename("cells beyond 0.03").reset_index()
)
table(where, "Where the misses are.")

# %% [markdown]
# A model that has seen a rare verb a few dozen times does not learn that verb's own rate to two decimals. It falls back on what verbs do in general. So where the language lets attraction turn a *majority* of a band the wrong way, a small model shrinks towards the rest of the verbs, and EW, which only asks which side of one half a probability lies on, moves most. This is under-training, a property of the model: the metric reports it faithfully. MW, a smooth sum, moves less.
#
# ## What the few verbs of TSE hide
#
# Here are the two regimes side by side, the causal models alone.

# %%
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
# The cut-off curves show where the difference lies. They fall towards the tail in the lexical regime, and stay up in the systematic one.

# %% tags=["hide-input"]
curves = pd.read_csv(recorded / "curves.csv")
shown = curves[curves["construction"].isin(["Simple", "Across object relative clause"])]
charts.cutoff_curves(
    shown,
    choose=True,
    title="Towards the tail the lexical model fails and the systematic one does not",
)

# %% [markdown]
# ## Never seen together
#
# {term}`Systematicity` is about combinations that were never met. One in ten pairs of a subject noun and a verb was kept out of the corpus altogether; of the rest, one in ten was kept out of each construction. Do the models conjugate those as well as the others?

# %%
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
# None is better. They answer different questions, and the laboratory shows that each answers its own.
#
# ## Exercises
#
# ```{exercise} Truth without a model
# :label: 16-truth
#
# ★ In the lexical regime, why is the true EW of *Simple* not simply the share of verbs in the head and middle bands? Compute both and explain the difference.
# ```
#
# ```{solution} 16-truth
# :class: dropdown
#
# Half of the tail's verbs prefer the singular and half the plural. Such a verb is right whenever the subject happens to have the number it prefers: in half of the contexts.
# ```

# %% tags=["hide-cell", "solution"]
by_band = (
    laboratory.truth("lexical").query("construction == 'Simple'").set_index("band")
)
share_without_tail = 1 - by_band.loc["tail", "lemmas"] / by_band.loc["all", "lemmas"]
(
    share_without_tail,
    by_band.loc["all", "EW"],
    share_without_tail + (1 - share_without_tail) / 2,
)

# %% [markdown]
# ```{exercise} One verb at a time
# :label: 16-slot
#
# ★★ Ask `lab-lexical-causal` for the distribution after *The author* and after *The authors*. Find a verb of the tail whose more probable form is the same in both.
# ```
#
# ```{solution} 16-slot
# :class: dropdown
#
# Any verb whose preferred form is known from the verb table will do, as long as the model has learned it.
# ```

# %% tags=["hide-cell", "solution"]
tail = verbs[verbs["preferred"] == "singular"].iloc[0]
after = {
    left: tse_core.slot_distribution("lab-lexical-causal", left)
    for left in ("The author", "The authors")
}
{
    left: {
        form: float(d.loc[d["token"].str.strip() == tail[form], "probability"].sum())
        for form in ("singular", "plural")
    }
    for left, d in after.items()
}

# %% [markdown]
# ```{exercise} A metric of your own
# :label: 16-metric
#
# ★★★ Propose a score that tells the two regimes apart *and* weighs verbs by how likely they are. Compute it from the table of bands above and say what it misses.
# ```
#
# ```{solution} 16-metric
# :class: dropdown
#
# One choice: the mean over verbs of the probability of the correct form *given the verb*, weighted by the verb's probability. That is MW again if the weights are the model's; with the square root of the probability as weight it lies between EW and MW. Whatever the weight, it misses what the weight makes small.
# ```

# %% tags=["hide-cell", "solution"]
frequency = pd.Series(language.frequency, index=verbs["lemma"]) ** 0.5
agreeing = pd.Series(
    language.correct("lexical", "Simple").mean(axis=(1, 2)), index=verbs["lemma"]
)
float((frequency * agreeing).sum() / frequency.sum())

# %% [markdown]
# ## Takeaways
#
# - TSE cannot tell a grammar with a rule from a grammar with a list of well-behaved frequent verbs; EW can.
# - MW reports likely behaviour: it is high even where most verbs are wrong, because those verbs are rare.
# - Measured against known truth, EW and MW are right to within a few hundredths wherever the model has learned its language.
