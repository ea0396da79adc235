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
# # Figure 2: every construction, every model
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : check on all rows of Table 2 what Figure 1 showed on four, and learn how much of a fall comes from the cut-offs themselves
#
# You need
# : [Figure 1](04_figure1.ipynb)
#
# Time
# : 7 minutes to read, two minutes to run on a CPU; the paper's four models need a GPU
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
null_contexts = 40  # of each construction, in which the null of the fall is drawn

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "06_figure2")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import charts
from tse_book.pages import (
    figures,
    folded,
    glue,
    guard,
    newman,
    table,
    try_this,
)
from tse_core.paths import store_folder

# %% [markdown] tags=["explains"]
# ## The published curves
#
# ```{margin} Digitised
# Read off a drawing. A point that another curve covers has no value here.
# ```
#
# Do all constructions and all models do worse with less likely verbs? Figure 2 of {cite:t}`newman2021refining` draws the ten rows of Table 2 for four models. First come the models that were run here, each with a published curve, hollow, behind it. Choose the construction above the chart.
#
# ```{dropdown} Predict: is the fall from head to tail a matter of a few hard constructions?
# If it came from the syntax, *Simple* would not fall. If it comes from the verbs, or from the cut-offs, even *Simple* does. Try *Simple* first.
# ```

# %% tags=["hide-input"]
printed = newman.with_table2(figures.published_curves(2))
measured = figures.measured_curves(
    newman.real_models(models),
    data,
    lemmas[0],
    protocol=protocols[0],
    store=store_folder(),
)
measured = figures.with_null(
    measured, newman.real_models(models), data, lemmas[0], sample=null_contexts, store=store_folder()
)  # fmt: skip
real = measured
falls = figures.head_and_tail(printed)
falling = int((falls["fall"] > 0.05).sum())
charts.cutoff_curves(
    figures.and_others(real, printed),
    published=newman.beside_real(real, printed),
    chosen="Across prepositional phrase",
    title=f"Published: {falling} of {len(falls)} readable curves fall by more than 0.05 from head to tail",
)

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))
if len(real):
    display(newman.runs_table(real, "The run drawn above"))
    bare = [
        name
        for name in printed["construction"].unique()
        if name not in set(real["construction"])
    ]
    display(newman.say(f"Not measured here: {', '.join(bare)}." if bare else ""))

# %% tags=["remove-input"]
try_this(
    ("The farmer across from the ministers", "singular"),
)

# %% tags=["remove-input"]
guard("models do better on the verbs that they find likely", falling > 0.8 * len(falls))
glue("falling", falling)
glue("curves", len(falls))
ends = figures.head_and_tail(measured)
everything = figures.and_published(ends[ends["model"].isin(real["model"])], falls)
by_model = (
    everything.groupby(["model", "metric"], sort=False)["fall"]
    .agg(["mean", "max", "count"])
    .reset_index()
)
by_model = by_model.rename(
    columns={"mean": "mean fall", "max": "largest fall", "count": "curves"}
)
wide = falls.pivot_table("fall", ["model", "construction"], "metric").dropna()
glue("mw_further", int((wide["MW"] > wide["EW"]).sum()))
glue("both_readable", len(wide))
table(
    by_model,
    "Fall from the first readable top cut-off to the last readable bottom one",
    digits=3,
)

# %% tags=["remove-input"]
for name, rows in ends[ends["model"].isin(real["model"])].groupby("model", sort=False):
    both = rows.pivot_table("fall", "construction", "metric").dropna()
    display(
        newman.say(
            f"**{name}**: {(rows['fall'] > 0.05).sum()} of {len(rows)} complete curves fall by more than 0.05, and MW falls",
            f"further than EW in {(both['MW'] > both['EW']).sum()} of {len(both)} rows.",
        )
    )

# %% [markdown]
# In the published figure {glue:text}`falling` of {glue:text}`curves` readable curves fall by more than 0.05 (this book's threshold). Where both metrics can be read, MW falls further than EW in {glue:text}`mw_further` of {glue:text}`both_readable` rows.

# %% [markdown] tags=["explains"]
# ### How much of the fall is the cut-off's own doing?
#
# ```{margin} Null
# The null baseline: what a score would do if likelihood and agreement were unrelated.
# ```
#
# At bottom *p* a verb counts only if *both* its forms are in the tail. So only verbs about whose form a model is unsure stay in the tail; of any other verb one form is too likely.
#
# ```{dropdown} Predict: suppose that how sure a model is had nothing to do with how likely a verb is. Would the curves be level?
# No: the rule that both forms must be in the tail selects unsure verbs all the same. The grey band shows how far the curves would fall.
# ```
#
# The band comes from shuffling: in each context the agreement margins (log-probability of the correct form minus that of the wrong one) change places among the verbs. A curve below its band falls further than the cut-offs alone explain.

# %% tags=["hide-input"]
null_said = "no curve is measured in this build"
if "null" in real:
    both_ends = real[
        ((real["side"] == "top") & real["cutoff"].between(0.29, 0.31))
        | ((real["side"] == "bottom") & real["cutoff"].between(0.009, 0.011))
    ]
    wide = both_ends.pivot_table(["score", "null"], ["model", "metric", "construction"], "side", sort=False).dropna()  # fmt: skip
    shown = pd.DataFrame(
        {
            "measured fall": wide["score", "top"] - wide["score", "bottom"],
            "null": wide["null", "top"] - wide["null", "bottom"],
        }
    )
    shown["beyond the null"] = shown["measured fall"] - shown["null"]
    for number, (name, rows) in enumerate(shown.groupby("model", sort=False)):
        of_model = table(
            rows.reset_index().drop(columns="model"),
            f"{name}, top 30 % minus bottom 1 %: measured, and what the cut-offs alone would give (margins shuffled, {null_contexts} contexts of each construction)",
            digits=3,
        )
        display(folded(of_model, name) if number else of_model)
    ew = shown.xs("EW", level="metric")
    beyond = ew["beyond the null"].groupby("construction").mean()
    display(
        newman.say(
            f"On average EW falls by {ew['measured fall'].mean():z.2f}, and the cut-offs alone would make it fall by",
            f"{ew['null'].mean():z.2f}; {(ew['beyond the null'] > 0).sum()} of {len(ew)} curves fall further than their null.",
            "The report's difference is over contexts scored at both ends, in rows with ten nouns.",
        )
    )
    null_said = (
        f"over all {len(beyond)} rows the fall beyond the cut-offs is {beyond.mean():z.2f}; "
        f"the row “{beyond.idxmin()}” {'goes the other way' if beyond.min() < 0 else 'falls least'}"
    )
glue("null_said", null_said)  # quoted by the front page

# %% [markdown] tags=["explains"]
# What could fool you? At the likely end, points that other curves cover (last exercise); everywhere, faint points, which rest on few contexts. The largest published fall is an example:

# %% tags=["remove-input"]
largest = falls.loc[falls["fall"].idxmax()]
empty = figures.published_curves(4)
empty = empty[
    (empty["model"] == largest["model"])
    & (empty["construction"] == largest["construction"])
    & (empty["side"] == "bottom")
    & (empty["cutoff"] == largest["tail_cutoff"])
]["invalid"]
display(
    newman.say(
        f"{largest['metric']} of {largest['model']} falls by {largest['fall']:.2f} in *{largest['construction']}*, where the paper",
        'speaks of "up to 40 %".',
        f"Figure 4 says that {empty.iloc[0]:.1%} of the contexts have no verb at that end."
        if len(empty)
        else "How many contexts carry its last point cannot be read off Figure 4.",
    )
)

# %% [markdown] tags=["explains"]
# ## Which constructions fall furthest?
#
# ```{margin} Fall
# Score at the first readable top cut-off less the score at the last readable bottom cut-off
# of the same curve.
# ```
#
# One cell is one curve; it is empty where too little of the curve can be read.

# %% tags=["hide-input"]
grid = everything
order = [name for name in charts.CONSTRUCTIONS if name in set(grid["construction"])]
grid = grid[grid["construction"].isin(order)]
grid = grid.sort_values(
    "construction", key=lambda names: names.map(order.index), kind="stable"
)
for metric, cells in grid.groupby("metric", sort=False):
    steepest = cells.groupby("construction")["fall"].mean()
    title = f"{metric}: {steepest.idxmax()} falls furthest on average ({steepest.max():.2f})"
    display(
        charts.heat_map(
            cells, "construction", "model", "fall", title=title, domain=(0, 0.6)
        )
    )

# %% tags=["remove-input"]
charts.download_table(pd.concat([printed, measured], ignore_index=True), "figure2.csv")

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/06_figure2.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book import published
from tse_book.pages import figures

# all points of Figure 2, hidden ones too; those that can be read
points = published.figures234("figure2", readable=False)
curves = figures.published_curves(2)
# Figure 1: four constructions of BERT-large-cased, every point read
complete = figures.published_curves(1)
table2 = published.table2()

# %% [markdown]
# ````{exercise} ★ What cannot be read
# :label: 06-hidden
#
# `points` has a row for every point of Figure 2, with a `quality`: ok, partial or hidden. Give `hidden_top` and
# `hidden_bottom`: the share of hidden points among the top {term}`cut-offs <cut-off>`, and among the bottom ones.
#
# ```{dropdown} Hint
# The mean of a column of True and False is a share.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Near 1.0 the curves lie on top of each other; further down they fan out.
hidden = (points["quality"] == "hidden").groupby(points["side"]).mean()
hidden_top, hidden_bottom = hidden["top"], hidden["bottom"]

# %% tags=["hide-cell", "check"]
for name, share in {"top": hidden_top, "bottom": hidden_bottom}.items():
    rows = points[points["side"] == name]
    assert isinstance(share, float), f"hidden_{name} should be a number"
    assert abs(share - rows["quality"].eq("hidden").mean()) < 1e-6, (
        f"hidden_{name}: the hidden points among the {len(rows)} at {name} cut-offs"
    )
print(
    f"Hidden: {hidden_top:.2f} of the top points, {hidden_bottom:.2f} of the bottom ones."
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Level and slope
# :label: 06-level
#
# No programming. Choose constructions above the first chart until you find one whose curve is low and level, and one whose
# curve starts high and falls. What does each say about the construction and the verbs?
#
# ```{dropdown} Hint
# Which of the two would change if you asked about other verbs?
# ```
# ````
#
# ```{solution} 06-level
# :class: dropdown
#
# Low and level: the sentences are hard for likely verbs too. High and falling: the verbs make the difference, or the
# cut-offs' selection of verbs. Level and slope are two findings.
# ```

# %% [markdown]
# ````{exercise} ★★★ Do hidden points bias the fall?
# :label: 06-bias
#
# Figure 1 shows four constructions of BERT-large-cased without a gap: `complete`. Hide from it the points that cannot be
# read in Figure 2, and compute the mean of the column `fall` of `figures.head_and_tail` over the curves that are left:
# `with_gaps`; and over all points of the same curves: `without_gaps`.
#
# ```{dropdown} Hint
# `complete.merge(...)` on construction, metric, side and cutoff keeps the points that `curves` has for BERT-large-cased. One
# construction has no fall any more: leave it out of both means.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Too small: where the head is hidden, a later, lower point stands in for it.
place = ["construction", "metric", "side", "cutoff"]
readable = curves.loc[curves["model"] == "bert-large-cased", place]
ends = figures.head_and_tail(complete.merge(readable, on=place)).set_index(
    ["construction", "metric"]
)
all_ends = figures.head_and_tail(complete).set_index(["construction", "metric"])
with_gaps = ends["fall"].mean()
without_gaps = all_ends.loc[ends.index, "fall"].mean()

# %% tags=["hide-cell", "check"]
assert isinstance(with_gaps, float), "with_gaps should be a number"
assert isinstance(without_gaps, float), "without_gaps should be a number"
place = ["construction", "metric", "side", "cutoff"]
of_bert = curves[curves["model"] == "bert-large-cased"].set_index(place).index
seen = complete[complete.set_index(place).index.isin(of_bert)]
left = figures.head_and_tail(seen)
same = figures.head_and_tail(complete).merge(left[["construction", "metric"]])
assert abs(with_gaps - left["fall"].mean()) < 1e-6, (
    "with_gaps: only points that Figure 2 shows too"
)
assert abs(without_gaps - same["fall"].mean()) < 1e-6, (
    f"without_gaps: the same {len(left)} curves, all points"
)
print(f"Mean fall {with_gaps:.3f} with gaps, {without_gaps:.3f} without.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - A part of the fall from head to tail is the cut-off's own doing; compare it with its {term}`null`.
# - Compare shapes within a model. Levels of different models rest on different verb lists.
#
# Functions: {py:func}`tse_core.evaluate`, {py:func}`tse_book.charts.cutoff_curves` and {py:func}`tse_book.charts.heat_map`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
