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
# # Figure 4: contexts without a verb
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see how many contexts each point of a cut-off curve rests on, and what that does to the score and to its interval
#
# You need
# : [Figure 1](04_figure1.ipynb)
#
# Time
# : 6 minutes to read, two minutes to run on a CPU; the paper's four models need a GPU
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
# names, folders or hub names
models = [
    "smollm2-135m-instruct",
    "lab-systematic-causal",
    "lab-lexical-causal",
]
data = ["marvin-linzen"]
lemmas = ["newman-clean"]  # the first list is drawn
protocols = ["exact"]  # the first protocol is drawn

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "08_figure4")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts
from tse_book.pages import figures, glue, guard, newman, table, try_this
from tse_core.paths import store_folder

# %% [markdown] tags=["explains"]
# ## The published shares
#
# How many contexts does a point of Figures 1 and 2 rest on? A mean can change because it is taken over different contexts. If a token that is not a listed verb fills the first cut-off alone, the context has no eligible lemma there and gets no score. Figure 4 of {cite:t}`newman2021refining` shows how often that happens.
#
# ```{margin} Eligible
# Top p: one form of the lemma lies inside the cut-off. Bottom p: both forms do.
# ```
#
# ```{dropdown} Predict: at which end do contexts drop out, the head or the tail?
# At both. At the head, a word that is not a listed verb takes up the whole cut-off; at the tail, the better form is too probable to be inside. Compare the outer columns of the table.
# ```

# %% tags=["hide-input"]
printed = figures.published_curves(4)
measured = figures.measured_curves(
    newman.real_models(models),
    data,
    lemmas[0],
    protocol=protocols[0],
    store=store_folder(),
)
real = measured
tail = printed[(printed["side"] == "bottom") & (printed["cutoff"] == 1e-6)]
low, high = tail["invalid"].min(), tail["invalid"].max()
charts.invalid_curves(
    figures.and_others(real, printed),
    published=newman.beside_real(real, printed),
    chosen="Across prepositional phrase",
    title=f"Published: at bottom 0.0001 % between {low:.0%} and {high:.0%} of the contexts have no verb",
)

# %% tags=["remove-input"]
head = printed[(printed["side"] == "top") & (printed["cutoff"] == 0.1)]
glue("head_low", float(head["invalid"].min()))
glue("head_high", float(head["invalid"].max()))
middle = printed.query(
    "(side == 'top' and cutoff > .98) or (side == 'bottom' and cutoff >= .01)"
)
glue("middle_high", float(middle["invalid"].max()))
outer = min(head["invalid"].min(), tail["invalid"].min())
guard("The shape is a valley", middle["invalid"].max() < outer)
glue("tail_low", float(low))
glue("tail_high", float(high))
display(newman.what_is_missing(models, lemmas))
every = figures.and_published(real[real["metric"] == "EW"], printed)
named = {
    "top 10 %": ("top", 0.1),
    "top 100 %": ("top", 1.0),
    "bottom 1 %": ("bottom", 0.01),
    "bottom 0.0001 %": ("bottom", 1e-6),
}
ends = pd.concat(
    every[(every["side"] == side) & (every["cutoff"] == cut)].assign(at=at)
    for at, (side, cut) in named.items()
)
cells = ends.pivot_table("invalid", "model", "at", aggfunc="mean", sort=False)[
    list(named)
]
table(
    cells.rename_axis(columns=None).reset_index(),
    "Share of contexts without an eligible lemma, mean over constructions",
)

# %% tags=["remove-input"]
for name, rows in real[real["metric"] == "EW"].groupby("model", sort=False):
    counted = (
        (1 - rows["invalid"].astype(float)) * rows["contexts"].astype(float)
    ).round()
    thin = rows[counted < charts.FEW]
    display(
        newman.say(
            f"**{name}**: {len(thin)} of its {len(rows)} points rest on fewer than {charts.FEW} contexts",
            f"and {(rows['invalid'] > 0.5).sum()} on less than half of the contexts.",
        )
    )
if len(real):
    display(newman.runs_table(real, "The run drawn above"))

# %% [markdown]
# In the published figure the share runs from {glue:text}`head_low:.2f` to {glue:text}`head_high:.2f` at top 10 %, and from {glue:text}`tail_low:.2f` to {glue:text}`tail_high:.2f` at bottom 0.0001 %. From top 100 % to bottom 1 %, where the points can be read, it is {glue:text}`middle_high:.3f` at the highest. The shape is a valley. Scores in its middle can be compared; at its edges, a change of the score may come from a change of contexts alone.
#
# What could fool you? With a share of 0, EW can still rest on one or two verbs in each context.

# %% tags=["remove-input"]
try_this(
    ("The author", "singular"),
    cut="top-0.1",
    look="A dash: no verb is left.",
)

# %% [markdown] tags=["explains"]
# ## Fewer contexts, wider intervals?
#
# ```{dropdown} Predict: does an interval get wider when contexts drop out?
# It should, because fewer contexts say less. But if the few that are left score alike, it gets narrow, and the curve looks surer than it is. See the table.
# ```

# %% tags=["hide-input"]
points = measured.dropna(subset="score").assign(
    counted=lambda t: (
        (1 - t["invalid"].astype(float)) * t["contexts"].astype(float)
    ).round(),
    width=lambda t: (t["high"] - t["low"]).astype(float),
)
bins = pd.cut(
    points["invalid"].astype(float),
    [-0.01, 0.1, 0.5, 0.9, 1.0],
    labels=["up to 10 %", "10 to 50 %", "50 to 90 %", "over 90 %"],
)
widths = points.groupby(
    ["model", bins.rename("share of contexts without a verb")], observed=True
)
widths = widths[["counted", "width"]].median().reset_index()
widths["counted"] = widths["counted"].round().astype(int)
widths = widths.sort_values(
    "model",
    key=lambda names: names.map(list(measured["model"].unique()).index),
    kind="stable",
)
table(
    widths.rename(
        columns={
            "counted": "median contexts counted",
            "width": "median width of the interval",
        }
    ),
    "Median number of contexts that count and median width of the 95 % interval",
    digits=3,
)

# %% [markdown] tags=["explains"]
# ### The same contexts at both ends
#
# How much of a fall comes from different verbs, and how much from different contexts? Take the contexts that have a score at both ends, top 30 % and bottom 1 %, and compare their fall with that of the published way of averaging, which takes at each end whatever is left.

# %% tags=["hide-input"]
rows = []
for model in newman.real_models(models):
    for name in data:
        contexts = tse_core.evaluate(
            newman.opened(model),
            name,
            lemmas[0],
            protocol=protocols[0],
            store=store_folder(),
        ).contexts
        for metric in ("ew", "mw"):
            pair = contexts[["construction"]].assign(
                head=contexts[f"{metric}_top_0.3"],
                tail=contexts[f"{metric}_bottom_0.01"],
            )
            same = pair.dropna()
            for construction, group in pair.groupby("construction", sort=False):
                both = same[same["construction"] == construction]
                rows.append(
                    (newman.label(model), construction, metric.upper(), len(group), len(both),
                     group["head"].mean() - group["tail"].mean(), (both["head"] - both["tail"]).mean())
                )  # fmt: skip
columns = [
    "model",
    "construction",
    "metric",
    "contexts",
    "at both ends",
    "fall, whatever is left",
    "fall, same contexts",
]
same_contexts = pd.DataFrame(rows, columns=columns)
table(
    same_contexts,
    "The fall from top 30 % to bottom 1 %, over all contexts and over the same ones",
    digits=3,
)

# %% tags=["remove-input"]
for name, group in same_contexts.groupby("model", sort=False):
    firm = group[group["at both ends"] >= charts.FEW]
    moved = (firm["fall, whatever is left"] - firm["fall, same contexts"]).abs()
    display(
        newman.say(
            f"For {name} the two ways differ by {moved.mean():.3f} on average and by {moved.max():.3f} at most",
            f"in the {len(firm)} curves with at least {charts.FEW} contexts at both ends. With the same contexts",
            f"{(firm['fall, same contexts'] > 0).sum()} of these {len(firm)} still fall, by "
            f"{firm['fall, same contexts'].mean():.2f} on average instead of {firm['fall, whatever is left'].mean():.2f}.",
        )
        if len(firm)
        else newman.say("")
    )

# %% [markdown] tags=["explains"]
# A fall over the same contexts is about verbs, or about the cut-off's own selection of verbs ([Figure 2](06_figure2.ipynb)).

# %% tags=["remove-input"]
charts.download_table(pd.concat([printed, measured], ignore_index=True), "figure4.csv")

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/08_figure4.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np
import pandas as pd

from tse_core.metrics.scores import cutoff_scores

# four contexts over the vocabulary walks, walk, the, and 97 rare words of no interest
REST = 97
four = {
    "a": {"walks": 0.05, "walk": 0.01, "the": 0.30},
    "b": {"walks": 0.08, "walk": 0.07, "the": 0.01},
    "c": {"walks": 0.20, "walk": 0.0001, "the": 0.10},
    "d": {"walks": 0.004, "walk": 0.001, "the": 0.30},
}
# a made-up model: the score of 300 contexts at three cut-offs; the hard ones have no
# verb at top 10 %
random = np.random.default_rng(1)
hard = random.random(300) < 0.4
scores = pd.DataFrame(
    {cut: np.where(hard, 0.7, 0.95) for cut in ("top 10 %", "top 100 %", "bottom 1 %")}
)
scores["bottom 1 %"] -= 0.1
scores += random.normal(0, 0.01, scores.shape)
scores.loc[hard, "top 10 %"] = np.nan

# %% [markdown]
# ````{exercise} ★ Two reasons to be empty
# :label: 08-reasons
#
# The cell above describes `four` {term}`contexts <context>`; what is missing to 1 is spread evenly over 97 other words.
# The {term}`lemma` on the list is *walk*. Which contexts have no eligible lemma at top 10 %, and which have none at
# bottom 10 %? Give `empty_top` and `empty_bottom`, two sets of letters.
#
# ```{dropdown} Hint
# Top: one form inside is enough. Bottom: count from the least probable, and both forms have to be inside.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Top: in a and d "the" fills 10 % alone. Bottom: the rare words hold about 0.007 each
# and fill it; only d has both forms below them.
empty_top = {"a", "d"}
empty_bottom = {"a", "b", "c"}

# %% tags=["hide-cell", "check"]
assert isinstance(empty_top, set), "empty_top should be a set of letters"
assert isinstance(empty_bottom, set), "empty_bottom should be a set of letters"
words = np.array(
    [[*one.values(), *[(1 - sum(one.values())) / REST] * REST] for one in four.values()]
)
found = cutoff_scores(np.log(words), [[0, 1]], [0] * 4, top=[0.1], bottom=[0.1])
for letter, at_top, at_bottom in zip(
    four, found.ew_top[:, 0], found.ew_bottom[:, 0], strict=True
):
    assert (letter in empty_top) == np.isnan(at_top), (
        f"{letter}: which entries fill the top 10 %?"
    )
    assert (letter in empty_bottom) == np.isnan(at_bottom), (
        f"{letter}: are both forms among the least probable entries that hold 10 %?"
    )
print(
    "At the top another word takes up the cut-off; at the bottom one form is too probable."
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ A selected sample
# :label: 08-selected
#
# No programming. Suppose the contexts that keep an eligible verb at top 10 % are those in which the model is surest. What
# happens to the curve of {term}`EW` at the head? What would you draw instead?
#
# ```{dropdown} Hint
# A mean over those who turned up.
# ```
# ````
#
# ```{solution} 08-selected
# :class: dropdown
#
# It is too high there: the hard contexts have left the mean, and a part of the fall is a change of contexts. Average over the
# contexts that have a score at every cut-off.
# ```

# %% [markdown] tags=["explains"]
# ````{exercise} ★★★ The same contexts throughout
# :label: 08-same
#
# `scores` has a row for each of 300 contexts of a made-up model and a column for each of three cut-offs; an empty context
# is NaN. Write `falls(scores)`, which returns two numbers: the fall of the mean from the first to the last column over
# whatever contexts each has, and the same fall over the contexts that have a score in *every* column.
#
# ```{dropdown} Hint
# `mean()` leaves NaN out, column by column; `dropna()` leaves out whole rows.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# About half of it. The price of the honest fall: it says nothing about the contexts
# left out.
def falls(scores):
    """Fall of the mean from first to last: over all contexts, over those with every score."""
    every, same = scores.mean(), scores.dropna().mean()
    return every.iloc[0] - every.iloc[-1], same.iloc[0] - same.iloc[-1]


# %% tags=["hide-cell", "check"]
answer = falls(scores)
assert isinstance(answer, tuple) and len(answer) == 2, "falls should return two numbers"
first_column, last_column = scores.iloc[:, 0], scores.iloc[:, -1]
kept = scores.notna().all(axis=1)
assert abs(answer[0] - (np.nanmean(first_column) - np.nanmean(last_column))) < 1e-9, (
    "the first number: each column's own mean"
)
assert abs(answer[1] - (first_column[kept] - last_column[kept]).mean()) < 1e-9, (
    f"the second number: the {kept.sum()} contexts that have every score"
)
print(
    f"A fall of {answer[0]:.2f}, of which {answer[0] - answer[1]:.2f} is a change of contexts."
)

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - A point on a curve is a mean over the contexts that have a verb there; read its count with it.
# - Compare ends over the contexts that both have before speaking of a fall.
#
# Functions: {py:func}`tse_core.evaluate` and {py:func}`tse_book.charts.invalid_curves`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
