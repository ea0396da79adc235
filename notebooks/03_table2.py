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
# # Table 2: ten rows, three scores
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : read the published scores of four models, see the models of this build beside them, and learn what a difference of two columns can mean
#
# You need
# : [the methods](02_methods.ipynb)
#
# Time
# : 7 minutes to read, two minutes to run on a CPU; the paper's models need a GPU
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
# names, folders or names on the hub
models = [
    "smollm2-135m-instruct",
    "lab-systematic-causal",
    "lab-lexical-causal",
]
data = ["marvin-linzen"]  # "newman-blimp" needs: tse data fetch newman-blimp
lemmas = ["newman-clean"]  # the verb lists
protocols = ["exact"]  # "released" to compare with the published numbers
dtype = "float32"  # "float16" halves the memory; what that moves is in Pitfalls

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "03_table2")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
from itertools import product

import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts, published
from tse_book.pages import (
    beside_published,
    folded,
    glue,
    guard,
    newman,
    table,
    table2_rows,
    try_this,
)
from tse_book.pages.design import (
    gap_findings,
    gaps_and_falls,
)
from tse_book.pages.gap_sentences import (
    kind_of_verb,
)
from tse_book.studies import recorded_bare
from tse_core.agreement.comparison import compare_metrics
from tse_core.paths import store_folder
from tse_core.uncertainty.p_values import holm
from tse_core.uncertainty.tables import subject_clusters, table_intervals

# %% [markdown] tags=["explains"]
# ## What was published
#
# Are the templates' verbs easier than verbs at large? {cite:t}`newman2021refining` scored four models. A row is a {term}`construction`; {term}`EW` and {term}`MW` are means over its contexts, {term}`TSE` over its minimal pairs.
#
# ```{dropdown} Predict: will EW, which asks about a thousand verbs, be above or below TSE?
# Below, if a model conjugates rare verbs worse than common ones. Equal, if agreement is a rule that it applies to every verb alike.
# ```

# %% tags=["hide-input"]
paper = published.table2()
rows, theirs = list(dict.fromkeys(paper["row"])), list(dict.fromkeys(paper["model"]))
cells = paper.pivot(index=["row", "model"], columns="metric", values="value")
below, ties = (
    int((cells["EW"] < cells["TSE"]).sum()),
    int((cells["EW"] == cells["TSE"]).sum()),
)
as_published = paper.rename(columns={"row": "construction", "value": "score"}).assign(
    source="published"
)
published_chart = charts.table2_dots(
    as_published,
    title=f"As published: EW is below TSE in {below} of {len(cells)} cells, and equal in {ties}",
)
published_chart

# %% tags=["remove-input"]
wide = paper.pivot(index="row", columns=["model", "metric"], values="value").loc[rows]
wide = wide[[(model, metric) for model in theirs for metric in ("MW", "EW", "TSE")]]
table(
    wide.rename_axis(None).rename_axis([None, None], axis=1),
    "Table 2 as published: BERT and RoBERTa in their large, GPT-2 in its XL size.",
    index=True,
    note="Newman et al. 2021, Table 2.",
)

# %% tags=["remove-input"]
glue("cells", len(cells))
glue("ew_below_tse", below)
glue("ew_ties_tse", ties)
glue("published_chart", published_chart)
glue("mw_above_ew", int((cells["MW"] > cells["EW"]).sum()))
guard("EW is mostly below TSE in the published table", below > len(cells) / 2)
guard("MW is mostly above EW", (cells["MW"] > cells["EW"]).mean() > 0.5)
simple = cells.loc["Simple", "EW"]
guard(
    "the EW of BERT cased is printed as higher than that of RoBERTa",
    simple["BERT cased"] > simple["RoBERTa"],
)
kept = published.lemmas_in_vocabulary()
guard(
    "fewer lemmas are whole words for BERT cased than for RoBERTa",
    kept["bert-large-cased"] < kept["roberta-large"],
)
means = cells.groupby("model").mean().loc[theirs, ["MW", "EW", "TSE"]]
table(means.reset_index(), "Mean over the ten rows, as published.", digits=3)

# %% [markdown]
# Of {glue:text}`cells` cells (a model and a row), EW is below TSE in {glue:text}`ew_below_tse` and equal in {glue:text}`ew_ties_tse`. This is the paper's main finding.
#
# MW is above EW in {glue:text}`mw_above_ew` cells, which says little: it [answers another question](02_methods.ipynb). Nor can models be compared cell by cell: they were tested on [different verbs](01_data.ipynb).

# %% tags=["remove-input"]
glue("who_is_asked", newman.who_is_asked(models))

# %% [markdown] tags=["explains"]
# ## Measured here
#
# {glue:text}`who_is_asked:s`
#
# ```{dropdown} Predict: will the model of this build show the same order of TSE and EW?
# The claim is about the verbs, not about one model, so it should.
# ```
#
# ```{margin} BOS token
# What is read before the first word. Columns with *nothing in front* are as the paper read GPT-2.
# ```

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))

# %% tags=["hide-input"]
opened = {name: tse_core.load_model(name, dtype=dtype) for name in models}
evaluations = {
    key: tse_core.evaluate(
        opened[key[0]], key[3], key[1], protocol=key[2], store=store_folder()
    )
    for key in product(models, lemmas, protocols, data)
}

real = newman.real_models(models)
choice = list(product(lemmas, protocols))
bare = {}  # the same models with nothing in front of the first word, where that is not what they do already
for model, (list_name, protocol), name in product(real, choice, data):
    key = model, list_name, protocol, name
    if newman.bos_of(evaluations[key].signature) in ("nothing", "[CLS]"):
        continue
    bare[key] = recorded_bare(evaluations[key], name)
    if bare[key] is None:
        read = opened[model].with_policies(bos="none")
        bare[key] = tse_core.evaluate(
            read, name, list_name, protocol=protocol, store=store_folder()
        ).table()
for model, (list_name, protocol) in product(real, choice[:1]):
    parts = [evaluations[model, list_name, protocol, name] for name in data]
    keys = [(model, list_name, protocol, name) for name in data]
    without = [bare[key] for key in keys if key in bare]
    shown = beside_published(parts, without, paper, rows)
    display(shown if model == real[0] else folded(shown, newman.label(model)))

# %% tags=["remove-input"]
others = [
    table2_rows([evaluations[model, *way, name] for name in data], rows)[
        ["MW", "EW", "TSE"]
    ].sub(
        table2_rows([evaluations[model, *choice[0], name] for name in data], rows)[
            ["MW", "EW", "TSE"]
        ]
    )
    for model, way in product(real, choice[1:])
]
if others:
    display(
        table(
            pd.DataFrame(
                [difference.abs().max() for difference in others],
                index=[
                    f"{newman.label(model)}, {way[0]}, {way[1]}"
                    for model, way in product(real, choice[1:])
                ],
            ).rename_axis(None),
            f"The largest difference of any row to the tables above, which are of {choice[0][0]}, protocol {choice[0][1]}.",
            index=True,
            digits=3,
        )
    )

# %% tags=["remove-input"]
verdicts = []
for model in real:
    found = table2_rows(
        [evaluations[model, *choice[0], name] for name in data], rows
    ).dropna(subset="EW")
    under, gap = found["EW"] < found["TSE"], found["TSE"] - found["EW"]
    widest = gap.abs().idxmax()
    gaps = pd.concat(
        [compare_metrics(evaluations[model, *choice[0], name], "TSE", "EW").query("construction in @rows") for name in data]
    )  # fmt: skip
    clear = (holm(gaps["p_value"]) < 0.05) & (gaps["difference"] > 0)
    said = [
        newman.verdict_of(newman.label(model), len(found), int(under.sum()), int(clear.sum())),
        kind_of_verb(gaps_and_falls(gap_findings(model, data, choice[0][0], store_folder()))),
    ]  # fmt: skip
    verdicts += said
    said.append(
        f"The two are furthest apart in the row “{widest}” (TSE minus EW: {gap[widest]:z.2f})."
    )
    if "newman-blimp" not in data:
        said.append("The recorded row BLiMP is not counted here.")
    if (model, *choice[0], data[0]) in bare:
        other = pd.concat(bare[model, *choice[0], name] for name in data)
        lower = int((other["EW"] < other["TSE"]).sum())
        said.append(
            f"With nothing in front, EW is below TSE in {lower} of {len(other)} rows."
        )
    display(newman.say(*said))
glue(
    "bos_verdict",
    " ".join(verdicts)
    or "No real model could be fetched for this build, so only the published numbers answer.",
)

# %% tags=["hide-input"]
first = real[:1] or newman.laboratory_models(models)[:1]
parts = [evaluations[model, *choice[0], name].intervals().assign(model=newman.label(model), source="measured")
         for model in first for name in data]  # fmt: skip
signed = [evaluations[model, *choice[0], data[0]].signature for model in real[:1]]
whose = newman.neighbour(signed[0]) if real else "" if first else newman.CAUSAL
theirs_too = as_published[as_published["hf_name"] == whose].assign(
    model=f"{whose}, published"
)
both = pd.concat([*parts, theirs_too.drop(columns="hf_name")], ignore_index=True)
both = both[
    both["construction"].isin(pd.concat(parts)["construction"])
    if parts
    else slice(None)
]
shown = both.pivot_table("score", ["model", "construction"], "metric")
holds = shown.eval("EW < TSE").groupby("model")
title = (
    "In every row and for every model shown, EW is below TSE"
    if holds.all().all()
    else "EW is below TSE in "
    + ", ".join(
        f"{below.sum()} of {len(below)} rows ({model})" for model, below in holds
    )
)
bos_chart = charts.table2_dots(both[both["metric"] != "MW"], title=title, beside=True)
glue("table2_chart", bos_chart)
bos_chart

# %% [markdown] tags=["explains"]
# What could fool you? *The BOS token*, and *verbs that are also nouns*: after *The author* the word *plan* may be a noun. [What the gap is made of](18_gap.ipynb) measures both. Intervals are {term}`clustered <cluster>` by subject noun; that of the mean gap is over subjects and EW's verbs.
#
# ```{margin} Interval
# If the study were repeated with other nouns of the same kind, such an interval would
# contain the true score about 19 times in 20.
# ```

# %% tags=["remove-input"]
try_this(
    ("The author next to the guards", "singular"),
    verb="laughs",
    look="One row of the table.",
)

# %% [markdown] tags=["explains"]
# ### Other verbs, other intervals
#
# If the template's verbs are to speak for all verbs, the interval must allow for other subjects and other verbs ({term}`crossed` samples).

# %% tags=["hide-input"]
for model in first:
    asked = evaluations[model, *choice[0], data[0]].pairs
    asked = asked.assign(noun=subject_clusters(asked))
    intervals = {
        name: table_intervals(asked, ["tse"], clusters=ways).set_index("construction")
        for name, ways in (
            ("these verbs, other nouns", ["noun"]),
            ("other verbs, other nouns", ["noun", "lemma"]),
        )
    }
    text = {
        name: found["low"].map("{:.2f}".format)
        + " to "
        + found["high"].map("{:.2f}".format)
        for name, found in intervals.items()
    }
    scored = asked.dropna(subset="tse")
    counted = scored.groupby("construction", sort=False)["lemma"].nunique()
    shown = pd.DataFrame(
        {"TSE": intervals["these verbs, other nouns"]["score"], "verbs scored": counted}
        | text
    )
    display(
        table(
            shown.reindex(counted.index).rename_axis(None),
            f"{newman.label(model)}: 95 % intervals of TSE, over nouns, and over nouns and verbs. With two verbs scored, nothing is known of others.",
            index=True,
        )
    )

# %% [markdown] tags=["explains"]
# ## Side by side
#
# {glue:text}`compared_said:s`

# %% tags=["hide-input"]
beside = []
for (model, _, protocol, _), evaluation in evaluations.items():
    ours = evaluation.table().set_index("construction")
    for row in paper[paper["hf_name"] == newman.label(model)].itertuples():
        if row.row in ours.index:
            here = ours.loc[row.row, row.metric]
            beside.append(
                (
                    row.hf_name,
                    protocol,
                    row.row,
                    row.metric,
                    row.value,
                    here,
                    here - row.value,
                )
            )
columns = ["model", "protocol", "row", "metric", "published", "here", "difference"]
labels = {newman.label(model) for model in models}
glue("models_run", ", ".join(sorted(labels)) or "none")
glue("real_run", ", ".join(map(newman.label, real)) or "no real model")
glue("paper_models_run", len(labels & set(paper["hf_name"])) or "none")
glue("compared", len(beside))
compared = pd.DataFrame(beside, columns=columns)
groups = compared.groupby(["model", "protocol", "metric"], sort=False)["difference"]
glue(
    "compared_said",
    "Numbers of the paper's own models, beside the published ones. They count as reproduced only under the released "
    "protocol and with the paper's number of lemmas."
    if beside
    else "None of the paper's models ran in this build, so there is nothing to compare yet.",
)
in_groups = (
    groups.agg(
        cells="size",
        mean="mean",
        **{
            "within 0.005": lambda d: int((d.abs() <= 0.005).sum()),
            "within 0.02": lambda d: int((d.abs() <= 0.02).sum()),
            "largest": lambda d: d.abs().max(),
        },
    )
    .reset_index()
    .rename(columns={"mean": "mean difference"})
)
if beside:
    said = "published cells whose model ran here. The file below has each of them."
    display(table(in_groups, f"{len(beside)} {said}", digits=3))

# %% tags=["remove-input"]
if evaluations:
    scored = pd.concat(evaluation.tidy() for evaluation in evaluations.values())
    display(charts.download_table(scored, "table2-measured.csv", "Measured values"))
if beside:
    display(
        charts.download_table(compared, "table2-beside.csv", "Beside the published")
    )
display(charts.download_table(paper, "table2-published.csv", "Published values"))

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/03_table2.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book import published

cells = published.table2().pivot(
    index=["model", "row"], columns="metric", values="value"
)

# a made-up model: it conjugates after seven of ten nouns, and each noun stands in
# twelve contexts
random = np.random.default_rng(3)
nouns = np.repeat(
    [
        "author",
        "pilot",
        "surgeon",
        "farmer",
        "manager",
        "customer",
        "officer",
        "teacher",
        "senator",
        "consultant",
    ],
    12,
)
known = ~np.isin(nouns, ["surgeon", "officer", "consultant"])
scores = np.clip(np.where(known, 0.97, 0.70) + random.normal(0, 0.03, len(nouns)), 0, 1)

# %% [markdown]
# ````{exercise} ★ The exceptions
# :label: 03-exceptions
#
# MW is mostly above EW. Find `exceptions`: the set of (model, row) of all cells with MW *below* EW. What do
# their rows have in common?
#
# ```{dropdown} Hint
# Compare two columns of `cells`; the index of the rows that remain is a set of pairs already.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# All lie inside an object relative clause, where the verb follows its subject at once
# and the attractor stands before both. GPT-2 is not among them.
exceptions = set(cells[cells["MW"] < cells["EW"]].index)

# %% tags=["hide-cell", "check"]
assert isinstance(exceptions, set), "exceptions should be a set of (model, row)"
for cell in cells.index:
    below = cells.loc[cell, "MW"] < cells.loc[cell, "EW"]
    assert (cell in exceptions) == below, f"{cell}: is MW below EW there?"
rows = sorted({row for _, row in exceptions})
print(f"{len(exceptions)} of {len(cells)} cells, in the rows {rows}.")

# %% [markdown]
# ````{exercise} ★★ Two models, one row
# :label: 03-two-models
#
# No programming; look at the published table. On *Simple*, the EW of BERT cased is printed as higher than that of RoBERTa.
# Name three reasons for not calling BERT cased the better one.
#
# ```{dropdown} Hint
# Which verbs did each model answer? From how many nouns? With how many decimals?
# ```
# ````
#
# ```{solution} 03-two-models
# :class: dropdown
# The lists differ: fewer lemmas are whole words for BERT cased than for RoBERTa. With ten subject nouns the intervals are wide.
# And both numbers are rounded.
# ```

# %% [markdown]
# ````{exercise} ★★★ Sentences are not independent
# :label: 03-bootstrap
#
# The cell above makes up a model's `scores` in 120 contexts, and the `nouns` that are their subjects. Write
# `interval(scores, groups, draws=2000)`: draw whole groups with replacement, take the mean of their scores, repeat, and return
# the 2.5 % and 97.5 % quantiles. Compare `interval(scores, nouns)` with `interval(scores, range(120))`.
#
# ```{dropdown} Hint
# Collect the scores of each group first. `numpy.random.default_rng(0).integers(0, n, n)` draws n group numbers.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# The interval over nouns: with other nouns the score could be far from this one,
# however many sentences they stand in.
def interval(scores, groups, draws=2000):
    """Bounds of a 95 % interval of the mean, from drawing whole groups."""
    groups = np.asarray(groups)
    members = [scores[groups == group] for group in np.unique(groups)]
    dice = np.random.default_rng(0)
    means = []
    for _ in range(draws):
        drawn = dice.integers(0, len(members), len(members))
        means.append(np.concatenate([members[i] for i in drawn]).mean())
    return np.quantile(means, [0.025, 0.975])


# %% tags=["hide-cell", "check"]
by_noun, by_sentence = interval(scores, nouns), interval(scores, range(len(scores)))
assert np.shape(by_noun) == (2,), "interval should return two numbers, low and high"
noun_means = np.array([scores[nouns == noun].mean() for noun in np.unique(nouns)])
expected = 3.92 * noun_means.std() / np.sqrt(len(noun_means))
width, narrow = by_noun[1] - by_noun[0], by_sentence[1] - by_sentence[0]
assert by_noun[0] < scores.mean() < by_noun[1], (
    "the mean should lie inside its interval"
)
assert abs(width / expected - 1) < 0.2, (
    f"over nouns the interval should be about {expected:.2f} wide, not {width:.2f}: "
    "are whole groups drawn?"
)
assert 0.03 < narrow < 0.06, (
    f"over sentences it should be about 0.04 wide, not {narrow:.2f}"
)
print(f"Over nouns {width:.3f} wide, over sentences {narrow:.3f}.")

# %% [markdown]
# ## Takeaways
#
# - EW is mostly below TSE in the published table.
# - The BOS token and the verb list can both move a number; its {term}`signature` says which were used.
#
# Functions: {py:func}`tse_core.evaluate`, {py:func}`tse_core.agreement.comparison.compare_metrics` and {py:func}`tse_book.charts.table2_dots`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
