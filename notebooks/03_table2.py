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
    from tse_core.profiles import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
from itertools import product

import pandas as pd
from IPython.display import display

import tse_core
from tse_core import charts, published
from tse_core.models import load_model
from tse_core.notebook import glue, signed, table
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
# If other nouns had been drawn from the same kind of noun, the score would land here in 95 of 100 draws.
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
            note=signed(evaluation.signature),
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
# ```{exercise} Which row is hardest?
# :label: 03-hardest
# In the published table, which construction has the lowest EW for each model, and which the largest gap between TSE and EW?
# ```

# %% tags=["hide-cell", "solution"]
gap = (cells["TSE"] - cells["EW"]).groupby("model").idxmax().str[0]
hardest = cells["EW"].groupby("model").idxmin().str[0]
table(
    pd.DataFrame({"lowest EW": hardest, "largest gap": gap})
    .rename_axis("model")
    .reset_index(),
    "Solution.",
)

# %% [markdown]
# ```{exercise} One noun less
# :label: 03-noun
# Drop one subject noun from the contexts of *Simple* and recompute EW. How far does it move, and how does that compare with the interval?
# ```

# %% tags=["hide-cell", "solution"]
evaluation = next(iter(evaluations.values()))
simple = evaluation.contexts.query("construction == 'Simple'")
noun = simple["subject"].str.removesuffix("s")
without = {name: simple.loc[noun != name, "ew"].mean() for name in noun.unique()}
assert len(without) == 10
table(
    pd.DataFrame({"without": list(without), "EW": list(without.values())}),
    f"EW of Simple without one noun; with all: {simple['ew'].mean():.4f}.",
    digits=4,
)

# %% [markdown]
# ## Takeaways
#
# - In the published table EW is below TSE almost everywhere: the templates' verbs are easier than verbs at large.
# - MW is high: what the models would say is mostly well conjugated.
# - A number means something with its signature: which model, which verbs, which protocol.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.profiles import offer_results

    offer_results()
