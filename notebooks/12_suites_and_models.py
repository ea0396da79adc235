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
# # Models, suites and circuits
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : put a small model beside those recorded in 2020, on suites and {term}`circuits <circuit>`, and find out why there are 31, 33 or 34 suites
#
# You need
# : what a suite is, from [SyntaxGym](11_syntaxgym.ipynb)
#
# Time
# : 10 minutes to read, seconds to run on a CPU; the real model's run is shown as recorded
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
models = []  # models that read English, to be run on the public suites
suites = ["public"]  # after `tse data fetch syntaxgym`
recorded = "smollm2-135m-instruct"  # whose recorded run on the public suites leads

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "12_suites_and_models")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import published
from tse_book.charts import bars, download_table, heat_map, suite_accuracy
from tse_book.gym.plan import Gym, run_gym
from tse_book.pages import (
    glue,
    newman,
    not_recorded,
    recorded_suites,
    recording_time,
    table,
)
from tse_core.paths import store_folder
from tse_core.results.store import Store
from tse_core.syntaxgym.library import load_suites, public_suites
from tse_core.syntaxgym.tables import accuracy_table, sg_scores

# %% [markdown] tags=["explains"]
# How do models compare over many suites, and over which?
#
# ## How many suites are there?
#
# {cite:t}`gauthier2020syntaxgym` speak of 33 suites; {cite:t}`hu2020systematic` analyse fewer, and there are more public files than either.

# %% tags=["hide-input"]
public = public_suites()
outside = public[~public["in_31"]]
glue("n_files", len(public))
glue("n_33", int(public["in_33"].sum()))
glue("n_31", int(public["in_31"].sum()))
table(
    outside[["suite", "items", "in_33", "in_31", "formula"]]
    .rename(columns={"in_33": "in 33", "in_31": "in 31"})
    .replace({True: "yes", False: "no"}),
    "The public suites that are not in every count",
)

# %% [markdown]
# There are {glue:text}`n_files` files. One has a single item and belongs to no circuit; without it there are {glue:text}`n_33`. Hu and colleagues set two more aside, which leaves {glue:text}`n_31`.

# %% tags=["hide-input"]
counts = (
    public[public["in_31"]]
    .groupby("circuit", sort=False)
    .agg(suites=("suite", "size"), items=("items", "sum"))
    .reset_index()
)
table(counts, "The suites in all counts, by circuit")

# %% [markdown] tags=["explains"]
# ```{margin} Circuit
# A group of suites that test one ability. A model's score on a circuit is the mean over its suites.
# ```
#
# ## The models of the SyntaxGym paper
#
# Its Table 1 lists eight models. For most of them {cite:t}`hu2020systematic` recorded accuracies, several times where a model was trained more than once.

# %% tags=["hide-input"]
listed = published.syntaxgym_models()
millions = listed["tokens_millions"]
about = millions.map(
    lambda n: f"{n / 1000:g} billion" if n >= 1000 else f"{n:g} million"
)
listed["tokens"] = about.where(listed["training_data"] != "WebText", "about " + about)
hu2020 = published.hu2020_suites()
runs = hu2020.drop_duplicates(["model", "corpus", "seed"]).groupby("model").size()
listed["runs"] = listed["recorded_as"].map(runs).fillna(0).astype(int)
shown = listed[["model", "reference", "training_data", "tokens", "runs"]]
table(
    shown.rename(columns={"training_data": "training data", "runs": "recorded runs"}),
    "SyntaxGym's Table 1, with the number of training runs that Hu et al. (2020) recorded",
    digits=0,
)

# %% [markdown]
# ## What was recorded
#
# The SG score is the mean accuracy over suites.

# %% tags=["hide-input"]
named = hu2020.fillna({"corpus": ""}).assign(
    run=lambda t: (t["model"] + " " + t["corpus"]).str.strip()
)
of_31 = named[named["in_31"]]
score = of_31.groupby("run")["accuracy"].mean().sort_values(ascending=False)
ranked = score.rename("SG score").reset_index()
display(
    bars(
        ranked,
        "run",
        "SG score",
        title=f"{ranked.loc[0, 'run']} has the highest recorded SG score",
        note="SG score: mean accuracy over 31 suites.",
    )
)
display(download_table(hu2020, "hu2020-recorded.csv", "All recorded accuracies"))

# %% [markdown]
# ## A model that was not in the gym
#
# SmolLM2-135M-Instruct has about as many parameters as the small GPT-2 and is five years younger. It was scored on all 34 public suites, with the token that stood between documents in its pretraining, and without one.
#
# ```{dropdown} Predict: where will it stand among the recorded models?
# Near the small GPT-2, if size decides. Its training text should help; instruction tuning and weights of four bits may cost something.
# ```

# %% tags=["hide-input"]
pretrained = [
    "gpt-2-pretrained",
    "gpt-2-xl-pretrained",
    "transformer-xl",
    "grnn",
    "jrnn",
]
own = recorded_suites(recorded)
bare = recorded_suites(recorded, "none")
if own is not None:
    ours = own[own["in_31"]]["accuracy"].mean()
    theirs = score[score.index.isin(pretrained)]
    beside = pd.concat(
        [
            pd.DataFrame({"run": [recorded], "SG score": [ours]}),
            theirs.rename("SG score").reset_index(),
        ]
    )
    beside = beside.sort_values("SG score", ascending=False, ignore_index=True)
    above = int((theirs < ours).sum())
    display(
        bars(
            beside,
            "run",
            "SG score",
            title=f"{recorded} scores higher than {above} of the {len(theirs)} recorded models that were trained by others",
            note="SG score: mean accuracy over 31 suites, first prediction.",
        )
    )
else:
    display(not_recorded(recorded, "SyntaxGym's suites"))

# %% tags=["hide-input", "full-width"]
if own is not None:
    columns = {recorded: own[own["in_31"]].groupby("circuit")["accuracy"].mean()}
    by_run = of_31.groupby(["circuit", "run"])["accuracy"].mean().unstack("run")
    columns |= {run: by_run[run] for run in pretrained}
    if bare is not None:
        columns["nothing in front"] = (
            bare[bare["in_31"]].groupby("circuit")["accuracy"].mean()
        )
    circuits = pd.DataFrame(columns)
    circuits.loc["SG score"] = [
        ours,
        *(score[run] for run in pretrained),
        *([bare[bare["in_31"]]["accuracy"].mean()] if bare is not None else []),
    ]
    display(
        table(
            circuits.rename_axis("circuit").reset_index(),
            f"Mean accuracy by circuit: {recorded} (recorded) beside models recorded by Hu et al. (2020); last column: {recorded} with nothing in front",
            digits=2,
            lighter=["nothing in front"],
        )
    )
    gap = circuits.drop(index="SG score")
    gap = (gap[recorded] - gap["gpt-2-pretrained"]).sort_values()
    display(
        newman.say(
            f"Against the small GPT-2 it loses most on *{gap.index[0]}* ({gap.iloc[0]:+.2f}) "
            f"and {'gains most' if gap.iloc[-1] > 0 else 'loses least'} on "
            f"*{gap.index[-1]}* ({gap.iloc[-1]:+.2f}).",
            recording_time(recorded, "suites"),
        )
    )

# %% [markdown] tags=["explains"]
# ## Suites in, models in, a chart out
#
# *Figure 1 of the paper*: every model is run on every suite, and a chart compares them by groups of suites. Here are the recorded models and SmolLM2; [the gym](../book/gym/index.md) is the same plan with suites and models of your own.

# %% tags=["hide-input"]
by_circuit = of_31[of_31["run"].isin(pretrained)]
by_circuit = by_circuit.groupby(["circuit", "run"], as_index=False, sort=False)[
    "accuracy"
].mean()
if own is not None:
    ours_by_circuit = own[own["in_31"]].groupby("circuit", as_index=False)["accuracy"]
    by_circuit = pd.concat([ours_by_circuit.mean().assign(run=recorded), by_circuit])
first = by_circuit["accuracy"] == by_circuit.groupby("circuit")["accuracy"].transform(
    "max"
)
leads = by_circuit[first].groupby("run")["circuit"].nunique().sort_values()
n_circuits = by_circuit["circuit"].nunique()
heat_map(
    by_circuit,
    "circuit",
    "run",
    "accuracy",
    title=f"{leads.index[-1]} is highest on all {n_circuits} circuits"
    if leads.iloc[-1] == n_circuits
    else f"No model is highest on all {n_circuits} circuits; {leads.index[-1]} is on {leads.iloc[-1]}",
)

# %% [markdown] tags=["explains"]
# What could fool you: a circuit with a high mean can hold a suite with a low accuracy. The recorded run of GPT-2 put a token at both ends of each sentence, so the fair column for SmolLM2 is the one with a BOS token. Guessing gets 0.5 on one suite and 0.2 on another. And a single suite's accuracy, of 19 to 40 items in most cases, is uncertain by ten to twenty points either way.
#
# ```{dropdown} Predict: a circuit has three suites of 19 items. How far apart must two models be before you believe in a difference?
# With 57 items, one model's share is uncertain by about twelve points either way. The items are the same for both, which helps, but five points on one circuit are easily chance.
# ```
#
# ## One suite, eight models
#
# *Figure 4a of the paper* compares the eight models on one suite about the number of subject and verb.

# %% tags=["hide-input"]
one_suite = "number_prep"
names_of = listed.set_index("recorded_as")["model"]
eight = named[named["suite"] == one_suite].assign(
    name=lambda rows: rows["model"].map(names_of)
)
eight = eight.dropna(subset=["name"]).groupby("name")["accuracy"].mean()
if own is not None:
    eight[recorded] = own.set_index("suite")["accuracy"][one_suite]
eight = eight.sort_values(ascending=False).rename("accuracy").rename_axis("model")
bars(
    eight.reset_index(),
    "model",
    "accuracy",
    title=f"{one_suite}: from {eight.iloc[-1]:.2f} ({eight.index[-1]}) to {eight.iloc[0]:.2f} ({eight.index[0]})",
    note="Accuracy: share of 19 items for which both numbers agree.",
)

# %% tags=["hide-input"]
if own is not None:
    within = own.sort_values(["circuit", "suite"])
    others = named[named["run"].isin(pretrained)]
    others = others.groupby(["suite", "run"], as_index=False)["accuracy"].mean()
    worst = within.sort_values("accuracy").iloc[0]
    display(
        suite_accuracy(
            within,
            title=f"{recorded} on all {len(within)} suites: lowest on {worst['suite']} ({worst['accuracy']:.2f})",
            recorded=others.rename(columns={"run": "model"}),
        )
    )
    display(download_table(own, f"{recorded}-suites.csv", f"{recorded} on every suite"))

# %% [markdown]
# Hollow diamonds are the five recorded models that others had trained; the filled dot is SmolLM2.
#
# ## Command lines
#
# *Figure 5 of the paper* shows two tools at work. Each step has its command here, and each takes a program, a container or a server instead of a model.

# %% tags=["hide-input"]
figure5 = published.syntaxgym_figure5()
figure5["here"] = [
    "tse list models",
    "tse list suites",
    "tse syntaxgym evaluate gpt2 mvrr",
    "tse syntaxgym evaluate docker://me/my-model my-suite.json",
    "tse list models",
    "tse surprisals MODEL foo.txt",
    "tse surprisals MODEL foo.txt",
]
display(
    table(
        figure5[["part", "command", "printed", "here"]].rename(
            columns={"command": "in the paper", "printed": "prints"}
        ),
        "Figure 5 of the SyntaxGym paper, and the same steps here",
    )
)
printed = figure5.set_index("command")["printed"]["syntaxgym evaluate gpt-2 mvrr"]
kept = named[(named["run"] == "gpt-2-pretrained") & (named["suite"] == "mvrr")]
kept = f"{kept['accuracy'].item():.4f}"
display(
    newman.say(
        f"The figure prints “{printed}” for GPT-2 on `mvrr`; the accuracy that Hu and colleagues recorded is {kept}, "
        + ("the same." if kept in printed else "which is another number."),
        f"For {recorded} the recorded accuracy is {own.set_index('suite')['accuracy']['mvrr']:.4f}."
        if own is not None
        else "",
    )
)

# %% [markdown]
# ## Measured here
#
# English models that the first cell names are run on the public suites. Like a recorded accuracy, a measured one uses the first prediction alone.

# %% tags=["hide-input", "full-width"]
asked = [
    name
    for name in newman.real_models(models)
    if own is None or newman.label(name) != recorded
]
accuracies = pd.DataFrame()
if asked:
    found = [suite for entry in suites for suite in load_suites(entry)]
    accuracies = accuracy_table(list(run_gym(Gym(found, asked), Store(store_folder()))))
    display(
        table(
            sg_scores(accuracies),
            "Mean accuracy over the judged suites, and by circuit",
            digits=3,
        )
    )
    display(
        download_table(
            accuracies, "accuracies.csv", "Accuracy of every model on every suite"
        )
    )
    runs_of = {"gpt2": "gpt-2-pretrained", "gpt2-xl": "gpt-2-xl-pretrained"}
    beside = accuracies.assign(
        run=accuracies["model"].map(runs_of).astype(object)
    ).merge(
        named.groupby(["suite", "run"], as_index=False)["accuracy"].mean(),
        on=["suite", "run"],
        suffixes=("", "_recorded"),
    )
    beside["difference"] = beside["prediction_1"] - beside["accuracy_recorded"]
    columns = ["model", "suite", "prediction_1", "accuracy_recorded", "difference"]
    if len(beside):
        caption = "Measured and recorded accuracy of the first prediction"
        display(table(beside[columns], caption, digits=3))
else:
    display(newman.say("The first cell names no other English model."))

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/12_suites_and_models.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from math import comb

import pandas as pd

from tse_book import published

# One row for each recorded model (with its corpus, if it has a name) and each of the 31 suites.
recorded = published.hu2020_suites().fillna({"corpus": ""})
recorded = recorded[recorded["in_31"]]
recorded["run"] = (recorded["model"] + " " + recorded["corpus"]).str.strip()
recorded = recorded.groupby(
    ["model", "corpus", "run", "circuit", "suite"], as_index=False
)["accuracy"].mean()

# %% [markdown]
# ````{exercise} ★ Size of the corpus
# :label: 12-size
#
# `recorded` has a row for each `run` and suite. Some models were trained on four parts of one corpus, `bllip-xs` to `bllip-lg` (column `corpus`). Compute `gain`, a Series from model to the mean accuracy with `bllip-lg` minus that with `bllip-xs`, and `least`, the name of the model that more text helps least.
#
# ```{dropdown} Hint
# `pivot_table("accuracy", "model", "corpus")`. A model without one of the two sizes has no gain.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# From the smallest corpus to the largest, that is: in between the same model is better, and then worse again.
means = recorded.pivot_table("accuracy", "model", "corpus")
gain = (means["bllip-lg"] - means["bllip-xs"]).dropna()
least = gain.idxmin()

# %% tags=["hide-cell", "check"]
assert isinstance(gain, pd.Series), "gain should be a Series from model to difference"
assert isinstance(least, str), "least should be the name of a model"
large = recorded[recorded["corpus"] == "bllip-lg"].groupby("model")["accuracy"].mean()
small = recorded[recorded["corpus"] == "bllip-xs"].groupby("model")["accuracy"].mean()
both = large.index.intersection(small.index)
assert set(gain.dropna().index) == set(both), "gain: the models that have both sizes"
assert all(abs(gain[m] + small[m] - large[m]) < 1e-9 for m in both), (
    "gain: largest minus smallest"
)
assert (gain.dropna() >= gain[least]).all(), "least: another model gains less"
print(f"{least} gains {gain[least]:.2f}, the others up to {gain.max():.2f}.")

# %% [markdown]
# ````{exercise} ★★ A masked model on a garden path
# :label: 12-masked
#
# A {term}`masked model` scores 0.2 on a garden-path suite on which a {term}`causal model` of the same size scores 0.9. A colleague reports that masked models do not know subordinate clauses. What do you answer? No program is needed.
#
# ```{dropdown} Hint
# What has each model read when it is asked about the word at which readers stumble?
# ```
# ````
#
# ```{solution} 12-masked
# :class: dropdown
#
# A garden path is a wrong expectation, and expectations are about what has not been read yet. The masked model is asked about each word with all others in view, the resolution of the garden path among them. Nothing can surprise it there, so the prediction fails whatever the model knows.
# ```

# %% [markdown]
# ````{exercise} ★★★ Is the larger model better?
# :label: 12-sign
#
# `gpt-2-xl-pretrained` has a higher mean than `gpt-2-pretrained`. Count the suites on which the larger one is better (`wins`) and worse (`losses`), whole numbers; suites with equal accuracy drop out. Compute `p_value`: how often would a fair coin divide so many suites at least as unevenly, in either direction?
#
# ```{dropdown} Hint
# `comb(n, k) / 2**n` is the chance of `k` heads in `n` throws.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The sign test. Its units are suites, so it asks about other suites of this kind, which is the question
# one usually has; an interval over the items of a suite asks about other items.
wide = recorded.pivot_table("accuracy", "suite", "run")
difference = wide["gpt-2-xl-pretrained"] - wide["gpt-2-pretrained"]
wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
n = wins + losses
p_value = min(1.0, 2 * sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n)

# %% tags=["hide-cell", "check"]
assert isinstance(wins, int), "wins should be a whole number"
assert isinstance(losses, int), "losses should be a whole number"
assert isinstance(p_value, float), "p_value should be a number"
xl, base = (
    recorded[recorded["run"] == run].set_index("suite")["accuracy"].sort_index()
    for run in ("gpt-2-xl-pretrained", "gpt-2-pretrained")
)
assert wins == xl.gt(base).sum(), "wins: suites on which the larger model is better"
assert losses == base.gt(xl).sum(), "losses: suites on which it is worse"
thrown = sum(
    comb(wins + losses, k) for k in range(max(wins, losses), wins + losses + 1)
)
assert abs(p_value - min(1, thrown / 2 ** (wins + losses - 1))) < 1e-9, (
    "p_value: both directions?"
)
print(f"{wins} suites for the larger model, {losses} against it: p = {p_value:.3f}.")

# %% [markdown]
# ## Takeaways
#
# - An accuracy is read against its own chance, its number of items, and the BOS token.
# - The SG score is a mean over suites; say over which: 34 files, 33 in one paper, 31 in the other.
# - Circuits show what a single score hides.
#
# Functions: {py:func}`tse_core.syntaxgym.library.load_suites`, {py:func}`tse_book.gym.plan.run_gym`, {py:func}`tse_core.syntaxgym.tables.sg_scores` and {py:func}`tse_book.charts.suite_accuracy`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
