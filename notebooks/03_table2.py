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
# # Table 2: nine constructions, three scores
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : score models on all of Marvin and Linzen's constructions, beside the published scores of the paper's four models
#
# You need
# : [the methods](02_methods.ipynb)
#
# Time
# : 10 minutes to read; with a laboratory model about 20 seconds to run on a CPU. The paper's models want a GPU: set `models` below, or `make book PROFILE=paper`
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

# %% tags=["parameters"]
models = ["lab-systematic-causal"]  # names, folders or names on the hub
data = ["marvin-linzen"]  # add "newman-blimp" after: tse data fetch newman-blimp
lemmas = ["newman-clean"]
protocols = ["exact"]  # "released" to compare with the published numbers

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_core.pages import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
from itertools import product

import pandas as pd
from IPython.display import display

import tse_core
from tse_core import charts, published
from tse_core.models import load_model
from tse_core.pages import glue, table
from tse_core.paths import store_folder

# %% [markdown]
# ## What was published
#
# {cite:t}`newman2021refining` scored four models. Every cell is a mean over a construction: {term}`EW` and {term}`MW` over its contexts, {term}`TSE` over its pairs.

# %%
paper = published.table2()
rows, theirs = list(dict.fromkeys(paper["row"])), list(dict.fromkeys(paper["model"]))
wide = paper.pivot(index="row", columns=["model", "metric"], values="value").loc[rows]
wide = wide[[(model, metric) for model in theirs for metric in ("MW", "EW", "TSE")]]
table(
    wide.rename_axis(None).rename_axis([None, None], axis=1),
    "Table 2 as published: BERT and RoBERTa in their large, GPT-2 in its XL size.",
    index=True,
    note="Newman et al. 2021, Table 2.",
)

# %% [markdown]
# ```{margin} Systematicity
# Conjugating any verb, likely or not. EW below TSE means: less of it than the templates show.
# ```
#
# Read it by comparing EW with TSE. Where EW is lower, the verbs of the templates are easier than verbs at large.

# %%
cells = paper.pivot(index=["row", "model"], columns="metric", values="value")
glue("cells", len(cells))
glue("ew_below_tse", int((cells["EW"] < cells["TSE"]).sum()))
glue("ew_ties_tse", int((cells["EW"] == cells["TSE"]).sum()))
glue("mw_above_ew", int((cells["MW"] > cells["EW"]).sum()))
table(
    cells.groupby("model").mean().loc[theirs, ["MW", "EW", "TSE"]].reset_index(),
    "Mean over the ten rows, as published.",
    digits=3,
)

# %% [markdown]
# Of {glue:text}`cells` model-and-row cells, EW is below TSE in {glue:text}`ew_below_tse` and equal in {glue:text}`ew_ties_tse`; MW is above EW in {glue:text}`mw_above_ew`.

# %% tags=["hide-input"]
as_published = paper.rename(columns={"row": "construction", "value": "score"})
chart = charts.table2_dots(
    as_published.assign(source="published"),
    title="As published: EW, which asks about every verb, is mostly the lowest",
    width=420,
)
one = as_published[as_published["hf_name"] == "bert-large-cased"].assign(
    source="published"
)
glue(
    "table2_chart",
    charts.table2_dots(
        one, title="BERT, as published: EW asks about every verb and is the lowest"
    ),
)
chart

# %% [markdown]
# ## Measured here
#
# The same rows for the models of this run. Every unique context is scored over the whole verb list; every pair with its own verb. Intervals are 95 %, clustered by subject noun: the templates have only ten main subjects, and two contexts with the same noun are not two independent facts.
#
# ```{margin} Interval
# If the study were repeated with other nouns of the same kind, such an interval would
# hold the true score nineteen times in twenty.
# ```

# %%
evaluations = {
    (model, list_name, protocol, name): tse_core.evaluate(
        model, name, list_name, protocol=protocol, store=store_folder()
    )
    for model, list_name, protocol, name in product(models, lemmas, protocols, data)
}


def measured(model, list_name, protocol):
    """The rows of Table 2 for one model, those without data left empty."""
    parts = [evaluations[model, list_name, protocol, name] for name in data]
    found = pd.concat([part.table(intervals=True) for part in parts])
    return found.set_index("construction").reindex(rows), parts[0]


def with_interval(found, metric):
    """Scores as text: value and interval."""
    columns = (
        found[column].map("{:.2f}".format)
        for column in (metric, f"{metric}_low", f"{metric}_high")
    )
    text = pd.Series(
        [
            f"{mean} [{low},\u00a0{high}]"
            for mean, low, high in zip(*columns, strict=True)
        ],
        found.index,
    )
    return text.where(found[metric].notna(), "")


# %%
for model, list_name, protocol in product(models, lemmas, protocols):
    found, evaluation = measured(model, list_name, protocol)
    shown = {metric: with_interval(found, metric) for metric in ("MW", "EW", "TSE")}
    shown |= {what: found[what].astype("Int64") for what in ("contexts", "pairs")}
    missing = {
        row: f"{row}: needs a download" for row in rows if pd.isna(found["EW"][row])
    }
    label = load_model(model).label
    display(
        table(
            pd.DataFrame(shown).rename(index=missing).rename_axis(None),
            f"{'Laboratory model' if label.startswith('lab-') else 'Measured'}: {label}, "
            f"{len(evaluation.lemmas)} lemmas of {list_name}, protocol {protocol}. "
            "Mean and 95 % interval.",
            index=True,
            note=evaluation.signature.without_provenance,
        )
    )

# %% [markdown]
# Laboratory models were trained on a language whose grammar is known. They show that the instrument works; they say nothing about the paper's models, and their numbers never stand in the paper's table.

# %% tags=["hide-input"]
scores = pd.concat(
    evaluation.intervals().assign(model=load_model(model).label, source="measured")
    for (model, list_name, protocol, _), evaluation in evaluations.items()
    if (list_name, protocol) == (lemmas[0], protocols[0])
)
charts.table2_dots(scores, title="Measured here, with 95 % intervals", width=420)

# %% [markdown]
# The interval of TSE says what other nouns would do to the score of the template's own verbs. It does not allow for other
# verbs, and a template has four to eight. Taken for a sample of all verbs, they make the interval as wide as below. This is
# the paper's argument in the language of statistics: from a handful of verbs little follows about the rest.

# %%
asked = evaluations[models[0], lemmas[0], protocols[0], data[0]]
both = {
    name: asked.intervals(other_verbs=other)
    .query("metric == 'TSE'")
    .set_index("construction")
    for name, other in (
        ("these verbs, other nouns", False),
        ("other verbs, other nouns", True),
    )
}
text = {
    name: found["low"].map("{:.2f}".format)
    + " to "
    + found["high"].map("{:.2f}".format)
    for name, found in both.items()
}
counted = asked.pairs.groupby("construction", sort=False)["lemma"].nunique()
table(
    pd.DataFrame(
        {"TSE": both["these verbs, other nouns"]["score"], "verbs": counted} | text
    )
    .reindex(counted.index)
    .rename_axis(None),
    f"{load_model(models[0]).label}: 95 % intervals of TSE, clustered by noun, and by noun and verb",
    index=True,
    digits=2,
    note=asked.signature.without_provenance,
)

# %% [markdown]
# ## Side by side
#
# Where a model of this run is one of the paper's, its numbers stand beside the published ones. They count as reproduced only under the *released* {term}`protocol` and with the paper's number of lemmas.

# %%
beside = []
for (model, _, protocol, _), evaluation in evaluations.items():
    label = load_model(model).label
    for row in paper[paper["hf_name"] == label].itertuples():
        ours = evaluation.table().set_index("construction")
        if row.row in ours.index:
            here = ours.loc[row.row, row.metric]
            beside.append(
                {"model": label, "protocol": protocol, "row": row.row, "metric": row.metric, "published": row.value,
                 "here": here, "difference": here - row.value}
            )  # fmt: skip
columns = ["model", "protocol", "row", "metric", "published", "here", "difference"]
labels = {load_model(model).label for model in models}
glue("models_run", ", ".join(sorted(labels)))
glue("paper_models_run", len(labels & set(paper["hf_name"])) or "none")
glue("compared", len(beside))
table(
    pd.DataFrame(beside, columns=columns),
    f"{len(beside)} published cells whose model ran here."
    + ("" if beside else " None of the paper's models is part of this run."),
)

# %% [markdown]
# ## Take it away

# %%
tidy = pd.concat(evaluation.tidy() for evaluation in evaluations.values())
charts.download_table(
    tidy, "table2-measured.csv", "All measured values with signatures"
)

# %%
charts.download_table(paper, "table2-published.csv", "Table 2 as published")

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study.
# {download}`These exercises as a notebook <../_build/exercises/03_table2.ipynb>`: empty cells for your answers, and checks that
# judge them.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_core import published

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
# ````{exercise} ★ Which row is hardest?
# :label: 03-hardest
#
# In the published table, `cells`, which row has the lowest {term}`EW` for each model? Give `hardest`, a dictionary from the
# model's name to the row's name. Is it the same row for all four?
#
# ```{dropdown} Hint
# `cells.loc["GPT2", "EW"]` is one column of one model, and `idxmin` names the place of a column's smallest value.
# ```
# ````

# %% tags=["hide-cell", "solution"]
models = cells.index.unique("model")
hardest = {model: cells.loc[model, "EW"].idxmin() for model in models}

# %% tags=["hide-cell", "check"]
assert isinstance(hardest, dict), "hardest should be a dictionary: model -> row"
assert set(hardest) == set(cells.index.unique("model")), (
    "each of the four models needs a row"
)
for model, row in hardest.items():
    assert (model, row) in cells.index, f"{row!r} is no row of the table"
    assert cells.loc[(model, row), "EW"] == cells.loc[model, "EW"].min(), (
        f"{model}: another row has a lower EW than {row}"
    )
print(hardest)

# %% [markdown]
# ````{exercise} ★★ The exceptions
# :label: 03-exceptions
#
# {term}`MW` is nearly always above EW. Find `exceptions`: the set of (model, row) of all cells with MW *below* EW. What do
# their rows have in common, and which model is never among them?
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
# On *Simple*, EW is 0.94 for BERT cased and 0.93 for RoBERTa. Name three reasons for not saying that BERT cased conjugates
# better there.
#
# ```{dropdown} Hint
# Which verbs did each model answer? From how many nouns? With how many decimals?
# ```
# ````
#
# ```{solution} 03-two-models
# :class: dropdown
# The lists differ: 980 lemmas are whole words for BERT cased, 1,265 for RoBERTa, and the additional ones are rarer. The
# sentences have ten main nouns, so the interval around either score is wider than one point. And both numbers are rounded:
# the difference may be next to nothing. A fair comparison takes the lemmas that both have, and an interval of the
# difference, clustered by noun.
# ```

# %% [markdown]
# ````{exercise} ★★★ Sentences are not independent
# :label: 03-bootstrap
#
# The last lines of the cell above make up a model's `scores` in 120 contexts, and the `nouns` that are their subjects. Write
# `interval(scores, groups, draws=2000)`: draw whole groups with replacement, as many as there are; take the mean of all
# scores of the groups drawn; repeat; return the 2.5 % and 97.5 % quantiles of the means. Then compare
# `interval(scores, nouns)` with `interval(scores, range(120))`, which takes every sentence for a fact of its own. Which
# would you print?
#
# ```{dropdown} Hint
# Collect the scores of each group first. `numpy.random.default_rng(0).integers(0, n, n)` draws n group numbers with
# replacement.
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
# - In the published table EW is below TSE almost everywhere: the templates' verbs are easier than verbs at large.
# - MW is high: what the models would say is mostly well conjugated.
# - A number means something with its signature: which model, which verbs, which protocol.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.pages import offer_results

    offer_results()
