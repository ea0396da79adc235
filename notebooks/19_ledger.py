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
# # The ledger: every claim and its verdict
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : look up any claim of the three papers: what was printed, what was found, the verdict, and the place in this book that shows it
#
# You need
# : nothing; [the report](00_report.ipynb) says what the rows add up to
#
# Time
# : as long as you search; seconds to run
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

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import charts
from tse_book.claims import (
    laboratory_ledger,
    ledger,
    papers,
    training_ledger,
    verdict_summary,
)
from tse_book.pages import (
    another_verdict,
    glue,
    laboratory_table,
    ledger_table,
    legible,
    link,
    newman,
    table,
    verdict_tiles,
)
from tse_book.published import blimp_table3
from tse_book.recorded import known_results, list_recorded, load_recorded
from tse_book.studies import dynamics
from tse_core.paths import data_folder, store_folder
from tse_core.syntaxgym.library import public_suites

# %% [markdown] tags=["explains"]
# ## At a glance
#
# What became of each claim? A row is a sentence or a number of the papers, and each verdict is computed from results. A tile shows its rows below.

# %% tags=["remove-input"]
claims = ledger(known_results(store_folder()))
verdict_tiles(claims)

# %% tags=["remove-input"]
summary = verdict_summary(claims)
short = {key: title.partition(",")[0] for key, title in papers().items()}
table(
    summary.loc[:, summary.any()]
    .T.rename(columns=short)
    .rename_axis(index=None, columns=None),
    "Rows by verdict and paper.",
    index=True,
)

# %% [markdown] tags=["explains"]
# ```{margin} Verdicts
# *Reproduced*: within 0.005 of the printed value, by the same model, with as many lemmas in its vocabulary as the paper
# had, scored as the released code scores. *Close*: within 0.02. A probability of Table 3 is judged by its ratio to the printed
# one: *reproduced* up to a factor of 1.05, *close* up to 1.25. *Direction*: a comparison that holds. A run with another
# verb list is never called reproduced. What random weights could pass counts only for a model that knows agreement in *Simple*.
# ```
#
# ## Every claim
#
# ```{margin} Signature
# How a number was made: model and weights, data, verbs that counted, every choice of
# protocol. Two numbers with the same signature must be equal.
# ```
#
# ```{dropdown} Predict: somebody runs the paper's model with a cleaner list of verbs and gets the printed number. Is it reproduced?
# No. The number agrees, but it was made in another way, and a second difference may have made up for the first. What agrees with another list is called *comparable*.
# ```
#
# [Claims on a model that the papers never saw (E. ...) are in [the report](00_report.ipynb).]{.tse-elsewhere} Published data and model runs are separate rows. Intervals are 95 % confidence intervals, clustered by subject noun. Open
# *how* in a row for the number's signature or the command that makes it; the link below a claim leads to its cell.

# %% tags=["remove-input"]
display(
    newman.say(
        f"{another_verdict(claims).sum()} rows *depend on our criterion*: under another, which *how* names, the verdict "
        "is another."
    )
)
ledger_table(claims, "The claims of the three papers, with verdicts.")

# %% tags=["remove-input"]
charts.download_table(
    claims.assign(cell=claims["cell"].map(link)), "claims.csv", "Download the ledger"
)

# %% [markdown]
# ## Recorded runs
#
# A run that is too long for a build is recorded once: its results are kept in the project with the machine, the versions and
# the date. Where a live run of the same numbers exists, that one counts.

# %% tags=["remove-input"]
recorded = list_recorded()
summed = [
    "Overall",
    "all pairs",
    "SG score",
    *blimp_table3()["phenomenon"].unique()[1:],
]
summed += list(public_suites()["circuit"].dropna().unique())
shown = recorded[
    ["model", "parts", "numbers", "date", "hardware", "minutes", "left_out"]
]
table(
    shown.rename(columns={"left_out": "left out"}),
    "Recorded runs in data/recorded: what was measured, when and on what.",
    digits=1,
)

# %% tags=["remove-input"]
runs = pd.concat([load_recorded(name) for name in recorded["model"]], ignore_index=True)
sums = runs[(runs["metric"] == "accuracy") & runs["construction"].isin(summed)]
table(
    sums[["model", "construction", "score", "low", "high", "pairs"]],
    "What the recorded runs scored: accuracy, its 95 % interval, pairs or items.",
    digits=3,
)

# %% [markdown] tags=["explains"]
# ## The laboratory's own ledger
#
# ```{margin} Truth
# What the language's own probabilities give as score; see [the laboratory](16_laboratory.ipynb).
# ```
#
# The laboratory's models learned a language whose truth is known, so what they measure tests the instrument, not the
# papers; none of it counts above.

# %% tags=["remove-input"]
measured = pd.read_csv(data_folder() / "recorded" / "laboratory" / "scores.csv")
laboratory = laboratory_ledger(measured)
distance = laboratory["difference"].abs()
glue("laboratory_rows", len(laboratory))
glue("laboratory_near", int((distance <= 0.02).sum()))
glue("laboratory_mean", float(distance.mean()))
by_band = laboratory.assign(distance=distance).pivot_table(
    "distance", ["model", "metric"], "band", sort=False
)
table(
    by_band.reset_index().rename_axis(None, axis=1),
    "Mean distance of measured from true values, by band of lemma frequency.",
    digits=3,
)

# %% [markdown]
# Of {glue:text}`laboratory_rows:d` values, {glue:text}`laboratory_near:d` lie within 0.02 of the truth; the mean distance
# is {glue:text}`laboratory_mean:.3f`.

# %% tags=["remove-input"]
laboratory_table(
    laboratory, "Laboratory models: the language's truth beside what is measured."
)

# %% tags=["remove-input"]
charts.download_table(
    laboratory, "laboratory-ledger.csv", "Download the laboratory's ledger"
)

# %% [markdown]
# Two models of the same languages, trained anew, were saved on the way ([What is learned first](13_training_dynamics.ipynb)).

# %% tags=["remove-input", "full-width"]
training = training_ledger(dynamics.recorded("laboratory-steps"))
table(
    training.assign(signature=training["signature"].map(legible)).set_axis(
        ["", "claim", "model", "step", "measured", "verdict", "signature"], axis=1
    ),
    "The laboratory's claims about training, and what its checkpoints show.",
)
