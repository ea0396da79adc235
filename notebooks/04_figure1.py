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
# # Figure 1: from likely to unlikely verbs
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : read EW and MW along the cut-offs, published and measured, and see what tells a rule from a list
#
# You need
# : TSE, EW, MW and cut-offs, from [Methods](02_methods.ipynb)
#
# Time
# : 7 minutes to read, under two minutes to run on a CPU; BERT-large needs a GPU
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
# names, folders or hub names; the laboratory's curves are recorded
models = ["smollm2-135m-instruct"]
data = ["marvin-linzen"]
lemmas = ["newman-clean"]  # the first list is drawn
protocols = ["exact"]  # the first protocol is drawn
constructions = [
    "Simple",
    "Across object relative clause",
    "Across object relative (no that)",
    "BLiMP",
]  # those of the paper's figure

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "04_figure1")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import charts
from tse_book.pages import figures, glue, guard, newman, table, try_this
from tse_core.paths import data_folder, store_folder

# %% [markdown] tags=["explains"]
# ## What the paper drew
#
# Does a model do better on the verbs that it finds likely? A {term}`top p <cut-off>` score asks about the likely verbs of a context, a bottom p score about the unlikely ones. {cite:t}`newman2021refining` drew both for BERT-large-cased and four rows of Table 2. The curves below were read off the drawing.
#
# ```{margin} Reading the axis
# Left of the gap: top p. Right of it: bottom p, logarithmic. From left to right verbs get less likely.
# ```
#
# ```{dropdown} Predict: where will a curve start, and which way will it go?
# If a model knows the verbs that it would say better than others, the curve starts near 1 and falls. If agreement is a rule for all verbs, it stays level.
# ```

# %% tags=["hide-input"]
printed = newman.with_table2(figures.published_curves(1))
falls = figures.head_and_tail(printed)
worst = falls.loc[falls["fall"].idxmax()]
every = printed.query("metric == 'EW'").set_index(["construction", "side", "cutoff"])
every = every["score"]
middle = every.xs(("top", 1.0), level=(1, 2)) - every.xs(("bottom", 0.5), level=(1, 2))
guard(
    "EW at bottom 50 % are nearly the same number in every curve",
    middle.abs().max() < 0.01,
)
charts.cutoff_curves(
    printed,
    chosen="Across object relative clause",
    title=f"BERT-large-cased, published: {worst['metric']} falls by up to {worst['fall']:.0%}",
)

# %% [markdown]
# Across an object relative clause (*The author that the guards like* [laughs]{.good} / \*[laugh]{.bad}), by MW, the head of the distribution is nearly free of errors, and the far tail is little better than tossing a coin.

# %% tags=["remove-input"]
try_this(
    ("The author that the guards like", "singular"),
    verb="laughs",
    cut="bottom-0.01",
    look="The same curve for one context.",
)

# %% tags=["remove-input"]
shown = falls[["construction", "metric", "head", "whole", "tail", "fall"]]
row = falls.set_index(["construction", "metric"]).loc[
    ("Across object relative clause", "MW")
]
guard("the head of the distribution is nearly free of errors", row["head"] > 0.98)
guard("the far tail is little better than tossing a coin", 0.5 < row["tail"] < 0.6)
guard(
    "EW and MW fall from head to tail in the published figure",
    (falls["fall"] > 0.2).all(),
)
guard(
    "in this figure it is MW that shows it",
    worst["metric"] == "MW" and worst["fall"] > 0.4,
)
glue("published_head", float(row["head"]))
glue("published_tail", float(row["tail"]))
glue("published_worst", float(worst["fall"]))
table(
    shown,
    "Published scores at the top 10 %, the whole distribution (from Table 2), and the bottom 0.0001 %",
    digits=3,
)

# %% [markdown]
# Across an object relative clause MW falls from {glue:text}`published_head:.3f` to {glue:text}`published_tail:.3f`. The paper's abstract speaks of a difference of up to 40 %; in this figure it is MW that shows it ({glue:text}`published_worst:.3f`).
#
# ## The same figure from a model
#
# Here are the curves of {glue:text}`introduced:s`, with 95 % intervals by subject noun, over BERT's published ones (hollow). Compare the shapes, not the heights: two models do not have the same verb list.

# %% tags=["hide-input"]
glue("introduced", newman.introduced(models))
measured = figures.measured_curves(
    newman.real_models(models),
    data,
    lemmas[0],
    protocol=protocols[0],
    store=store_folder(),
)
ends = figures.head_and_tail(measured)
if len(measured):
    drawn = measured[measured["construction"].isin(constructions)]
    some = ends[ends["construction"].isin(constructions)]
    falling = int((some["fall"] > 0.05).sum())
    name = ", ".join(drawn["model"].unique())
    display(
        charts.cutoff_curves(
            drawn,
            published=newman.beside_real(drawn, printed),
            chosen="Across object relative clause",
            title=f"{name}: {falling} of {len(some)} curves fall by more than 0.05",
        )
    )
display(newman.what_is_missing(models, lemmas))

# %% tags=["remove-input"]
for name, rows in measured.groupby("model", sort=False):
    own = ends[ends["model"] == name].set_index(["construction", "metric"])
    counted = (
        (1 - rows["invalid"].astype(float)) * rows["contexts"].astype(float)
    ).round()
    thin = rows[counted < charts.FEW]
    firm = rows[counted >= charts.FEW]
    firm_ends = figures.head_and_tail(firm).set_index(["construction", "metric"])
    largest = firm_ends["fall"].idxmax()
    display(
        newman.say(
            f"Over all {rows['construction'].nunique()} constructions, {(own['fall'] > 0).sum()} of the {len(own)} curves of {name} end lower than they",
            f"start. {len(thin)} of its {len(rows)} points rest on fewer than {charts.FEW} contexts and are drawn faint; without them",
            f"the steepest curve is {largest[1]} in the row “{largest[0]}”, which falls by {firm_ends['fall'][largest]:.2f} (each end",
            "over the contexts that it has).",
        ),
        newman.runs_table(rows, "The run drawn above"),
    )
    own["tail at"] = [f"bottom {cutoff * 100:.10g} %" for cutoff in own["tail_cutoff"]]
    table_of = own.reset_index()[
        ["construction", "metric", "head", "whole", "tail", "tail at", "fall"]
    ]
    display(
        table(
            table_of[table_of["construction"].isin(constructions)],
            f"{name}: scores at the first top cut-off with a verb, top 100 %, and the last bottom cut-off with a verb",
            digits=3,
        )
    )

# %% tags=["remove-input"]
charts.download_table(pd.concat([printed, measured], ignore_index=True), "figure1.csv")

# %% tags=["hide-input"]
as_printed = newman.with_table2(figures.published_curves(2))
as_printed["model"] = as_printed["model"] + " (published)"
charts.cutoff_slider(pd.concat([measured, as_printed], ignore_index=True))

# %% [markdown] tags=["explains"]
# What could fool you? Head and tail are means over different contexts, and over few ([Figure 4](08_figure4.ipynb)). And the tail selects: at bottom p a lemma counts only if *both* its forms are unlikely. A model that agrees puts its correct forms higher up, so the far tail holds mostly lemmas that it gets wrong.
#
# ## When the truth is known
#
# The laboratory shows both cases. In its *systematic* grammar every verb agrees with its subject; in its *lexical* one frequent verbs do, and each rare verb has a favourite form.
#
# ```{dropdown} Predict: the systematic model's curve, at bottom 10 %?
# It stays at the top. Every verb of that language agrees, so even those that the model finds unlikely are conjugated.
# ```

# %% tags=["hide-input"]
recorded = pd.read_csv(data_folder() / "recorded" / "laboratory" / "curves.csv")
recorded = recorded[
    recorded["model"].str.endswith("causal") & (recorded["metric"] == "EW")
]
shown = recorded[recorded["construction"].isin(constructions)]
lab_ends = figures.head_and_tail(recorded.assign(source="measured"))
lost = (lab_ends["head"] - lab_ends["whole"]).groupby(lab_ends["model"]).mean()
rule, habit = lost["lab-systematic-causal"], lost["lab-lexical-causal"]
charts.cutoff_curves(
    shown,
    "EW",
    chosen="Across object relative clause",
    title=f"Up to top 100 % the list loses {habit:.2f} of EW, the rule {rule:.2f}",
)

# %% tags=["remove-input"]
far = recorded[(recorded["side"] == "bottom") & recorded["cutoff"].between(0.09, 0.11)]
far = far[far["model"] == "lab-systematic-causal"]["score"]
guard("It stays at the top", far.min() > 0.99)
guard("a systematic model's curve stays flat up to top 100 %", abs(rule) < 0.01)
glue("lost_systematic", float(rule))
glue("lost_lexical", float(habit))

# %% [markdown]
# As the top p takes in rarer verbs, EW of the systematic model loses {glue:text}`lost_systematic:.3f` on average, that of the lexical model {glue:text}`lost_lexical:.3f`. A slope in a model of English can have [other reasons](18_gap.ipynb): {term}`attraction`, and verbs that are also nouns.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/04_figure1.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book.pages import figures
from tse_core.metrics.scores import agreement, cutoff_scores

curves = figures.published_curves(1)

# a made-up distribution: 1,000 verbs that agree alike well whether frequent or rare
random = np.random.default_rng(0)
frequency = random.normal(0, 0.5, 1000)
strength = random.normal(4, 2.2, 1000)  # of the form that agrees, over the other one
logits = np.stack([frequency - strength / 2, frequency + strength / 2], axis=1).reshape(
    1, -1
)
verbs = np.arange(2000).reshape(
    1000, 2
)  # places of each verb's two forms; the subject is plural

# %% [markdown]
# ````{exercise} ★ Where does it leave the ceiling?
# :label: 04-gap
#
# At which {term}`cut-off` does the published {term}`EW` of *Simple* first drop below 0.99 as verbs get less likely? Give
# `cutoff`, a fraction, and `side`, "top" or "bottom", from `curves`.
#
# ```{dropdown} Hint
# The axis has the top cut-offs from 0.1 to 1, then the bottom ones from 0.5 down.
# ```
# ````

# %% tags=["hide-cell", "solution"]
simple = curves[(curves["construction"] == "Simple") & (curves["metric"] == "EW")]
top = simple[simple["side"] == "top"].sort_values("cutoff")
cutoff = top.loc[top["score"] < 0.99, "cutoff"].iloc[0]
side = "top"

# %% tags=["hide-cell", "check"]
of_simple = curves.query("construction == 'Simple' and metric == 'EW'")
low = of_simple[of_simple["score"] < 0.99]
assert side in ("top", "bottom"), "side should be 'top' or 'bottom'"
assert side == ("top" if (low["side"] == "top").any() else "bottom"), (
    "side: the top cut-offs come first; does EW drop below 0.99 there already?"
)
first = low.loc[low["side"] == "top", "cutoff"].min()
assert cutoff == first, (
    f"cutoff: EW is {'above' if cutoff < first else 'below'} 0.99 before that"
)
print(f"EW of Simple drops below 0.99 at {side} {cutoff:.0%}.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Two ends of one curve
# :label: 04-ends
#
# No programming; look at the first chart. EW at top 100 % and EW at bottom 50 % are nearly the same number in every curve,
# though one includes the likeliest verbs and the other does not. Why?
#
# ```{dropdown} Hint
# How many verbs does it take to fill the upper half of the probability?
# ```
# ````
#
# ```{solution} 04-ends
# :class: dropdown
#
# EW counts lemmas. Few lemmas fill the upper half of the probability; leaving them out changes few votes.
# ```

# %% [markdown]
# ````{exercise} ★★★ A tail that selects
# :label: 04-tail
#
# The cell above makes up a distribution over 1,000 `verbs`, rare ones and frequent ones agreeing alike. Give
# `rare`, the share of the 100 verbs of lowest `frequency` whose correct form is ahead
# (`agreement(logits, verbs, [1])`), and `bottom`, EW at bottom 1 %
# (`cutoff_scores(logits, verbs, [1], top=[], bottom=[0.01])`). What would a reader of the bottom curve conclude?
#
# ```{dropdown} Hint
# `np.argsort(frequency)[:100]` finds the rare verbs.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The bottom curve suggests that rare verbs fail. They do not: a verb that agrees has
# its correct form higher up, so the tail holds both forms of few verbs, most of them
# among the wrong ones.
right = agreement(logits, verbs, [1])[0]
rare = right[np.argsort(frequency)[:100]].mean()
bottom = cutoff_scores(logits, verbs, [1], top=[], bottom=[0.01]).ew_bottom[0, 0]

# %% tags=["hide-cell", "check"]
assert isinstance(rare, float), "rare should be a number"
assert isinstance(bottom, float), "bottom should be a number"
verdict = (logits[0, 1::2] > logits[0, 0::2])[frequency <= np.sort(frequency)[99]]
assert abs(rare - verdict.mean()) < 1e-6, (
    "rare: the share of the 100 rarest verbs that agree"
)
tail = cutoff_scores(logits, verbs, [1], top=[], bottom=[0.01])
assert abs(bottom - tail.ew_bottom[0, 0]) < 1e-6, (
    "bottom: EW of this distribution at bottom 0.01"
)
print(f"Of the rarest verbs {rare:.2f} agree; EW at bottom 1 % is {bottom:.2f}.")

# %% [markdown]
# ## Takeaways
#
# - EW and MW fall from head to tail in the published figure.
# - On the top side the shape tells a rule from a list: a systematic model's curve stays flat up to top 100 %.
#
# Functions: {py:func}`tse_core.evaluate`, {py:func}`tse_core.cutoff_scores` and {py:func}`tse_book.charts.cutoff_curves`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
