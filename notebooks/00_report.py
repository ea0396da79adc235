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
# # Replication report
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : read what was found: on a model that the papers never saw, in the papers' own numbers, and on their models
#
# You need
# : nothing; [the methods](02_methods.ipynb) explain the scores
#
# Time
# : 5 minutes to read, a few seconds to run
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
# whose results this build made
models = [
    "smollm2-135m-instruct",
    "lab-systematic-causal",
    "lab-lexical-causal",
]
data = ["marvin-linzen"]  # the first is asked for the general claims
lemmas = ["newman-clean"]  # the first list
protocols = ["exact"]  # the first protocol

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "00_report")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import charts
from tse_book.claims import (
    extension_ledger,
    ledger,
    load_claims,
    verdicts,
)
from tse_book.pages import (
    another_verdict,
    extension_table,
    failing_table,
    glue,
    link,
    newman,
    not_confirmed,
    table,
    verdict_rows,
)
from tse_book.recorded import known_results
from tse_book.studies import quick_findings, recorded_findings
from tse_core.paths import store_folder

# %% [markdown] tags=["explains"]
# ## Does the finding hold for a model the paper never saw?
#
# A claim about models in general can be put to any model. Here each becomes one number, measured on a real model that the paper did not test. Where the paper gives no threshold, we set one and say so. A claim is also asked under other conditions: with no {term}`BOS token`, over verbs that are never nouns, with an adverb. Where a paired test shows that the verdict changes, it *depends on* that condition. All tests of one model are corrected together (Holm), but the intervals are not, so a claim can be *undecided* although its interval excludes the threshold.
#
# ```{dropdown} Predict: what is measured lies just above a claim's threshold, and its interval reaches below it. What is the verdict?
# *Undecided.* Another sample of subjects and verbs might put the number on the other side. More sentences may still decide it either way.
# ```

# %% tags=["remove-input"]
recorded = recorded_findings()
known_already = {*recorded["model"], *load_claims()["tested"]["newman-2021"]}
live = quick_findings(
    [n for n in newman.real_models(models) if newman.label(n) not in known_already],
    data[0],
    lemmas[0],
    protocols[0],
    store_folder(),
)
findings = pd.concat(
    [part for part in (recorded, live) if len(part)] or [live], ignore_index=True
)
display(newman.what_is_missing(models, lemmas))
extension = extension_ledger(findings)
extension = extension[extension["verdict"] != verdicts.NOT_RUN]
glue("extension_claims", len(extension))
if len(extension):
    display(
        extension_table(
            extension, findings, "General claims on a model that the papers never saw."
        )
    )
nothing = "No general claim was measured on a model that the papers never saw."
glue("not_confirmed", newman.points(not_confirmed(extension), nothing))

# %% [markdown]
# What does not hold as it stands:
#
# ```{glue:} not_confirmed
# ```
#
# Conditions and rows unfold under *how*: a mean over constructions can hide one that goes the other way.

# %% tags=["remove-input"]
charts.download_table(
    verdict_rows(extension.assign(cell=extension["cell"].map(link))),
    "beyond-the-papers.csv",
    "Download these verdicts and their conditions",
)

# %% tags=["remove-input"]
claims = ledger(known_results(store_folder()))
waiting = claims[claims["verdict"] == verdicts.NOT_RUN]
data_only = claims["verdict"].isin((verdicts.HOLDS, verdicts.FAILS))
judged = ~data_only & (claims["verdict"] != verdicts.NOT_RUN)
glue("rows", len(claims))
glue("reproduced", int((claims["verdict"] == verdicts.REPRODUCED).sum()))
glue("judged", int(judged.sum()))
glue("data_only", int(data_only.sum()))
glue("holds", int((claims["verdict"] == verdicts.HOLDS).sum()))
glue("waiting", len(waiting))
ran = sorted(set(claims.loc[judged, "model"].dropna()))
glue("ran", ", ".join(ran) or "none ran in this build")

# %% [markdown]
# ## What the papers' own numbers say
#
# {glue:text}`data_only:d` rows of [the ledger](19_ledger.ipynb) need no model: what a paper says is held against its own tables and data. {glue:text}`holds:d` of them hold. The others:

# %% tags=["remove-input"]
failing = claims[claims["verdict"] == verdicts.FAILS]
display(
    failing_table(
        claims,
        "Claims that the papers' own numbers do not bear out (a dash: the paper gives no number)",
    )
)
printed = failing["note"].str.contains(r"printed [\d.]+, holds").sum()
newman.say(
    f"{printed} hold as printed, not as corrected. {another_verdict(failing).sum()} would hold under a criterion other "
    "than ours."
)

# %% [markdown]
# ```{dropdown} Predict: a sentence of a paper does not agree with the paper's own table. Did the replication fail?
# No, nothing was run. Whether the claim holds is for a run to say.
# ```
#
# ## What the papers' models said here
#
# Of {glue:text}`rows:d` rows, {glue:text}`judged:d` were judged by a run of the papers' models ({glue:text}`ran:s`), and {glue:text}`waiting:d` wait for one. {glue:text}`reproduced:d` are *reproduced*: the same model, over as many verbs and scored as in the paper, gave the printed number.

# %% [markdown]
# ### What has not run, and how to run it

# %% tags=["remove-input"]
todo = waiting.groupby("how", sort=False).agg(
    claims=("id", "size"),
    models=("model", lambda m: ", ".join(dict.fromkeys(m.dropna()))),
)
todo = todo.reset_index().rename(
    columns={"how": "to run it", "models": "of the models"}
)
table(todo, "What the remaining claims need.")

# %% [markdown] tags=["explains"]
# `make book PROFILE=paper` downloads the models and is best run on a GPU. Results from another machine, for example from
# Colab, come in with `tse results add FILE`, and the next `make book` judges them ([how](../book/gpu.md)).

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/00_report.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book import published
from tse_book.claims import verdicts

# four runs that claim to reproduce a cell of Table 2: what was printed and what was
# measured
runs = {
    "a": {"printed": 0.91, "measured": 0.913, "same_list": True, "laboratory": False},
    "b": {"printed": 0.91, "measured": 0.925, "same_list": True, "laboratory": False},
    "c": {"printed": 0.91, "measured": 0.911, "same_list": False, "laboratory": False},
    "d": {"printed": 0.91, "measured": 0.910, "same_list": True, "laboratory": True},
}
blimp = published.blimp_table3()

# %% [markdown] tags=["explains"]
# ````{exercise} ★ Four runs, four verdicts
# :label: 00-verdict
#
# The cell above describes four `runs`: the printed value, the measured one, whether as many {term}`lemmas <lemma>` counted
# as in the paper, and whether the model was one of the laboratory. All used the *released* {term}`protocol`. Which
# verdict does each get? Give `verdict`, a dictionary from a, b, c, d to the verdict's name.
#
# ```{dropdown} Hint
# The margin beside *Every claim* in [the ledger](19_ledger.ipynb) has the rules. One of the four is not a run of the paper's model at all.
# ```
# ````

# %% tags=["hide-cell", "solution"]
verdict = {
    "a": "reproduced",
    "b": "close",
    "c": "comparable, other lemma list",
    "d": "not yet run",  # a laboratory model is not the model that the claim is about
}

# %% tags=["hide-cell", "check"]
assert isinstance(verdict, dict), "verdict should be a dictionary"
assert set(verdict) == set(runs), "each of a, b, c and d needs a verdict"
for name, run in runs.items():
    difference = run["measured"] - run["printed"]
    expected = verdicts.of_value(
        difference, same_list=run["same_list"], same_protocol=True
    )
    if run["laboratory"]:
        expected = verdicts.NOT_RUN
    assert verdict[name] in verdicts.VERDICTS, (
        f"{name}: {verdict[name]!r} is not a verdict"
    )
    assert verdict[name] == expected, (
        f"{name}: {verdict[name]!r} does not follow from {run}"
    )
print("A small difference is not enough: model and list have to be the paper's.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Not run, not reproduced
# :label: 00-words
#
# No programming. A colleague reads this report and says: *most of the paper could not be reproduced*. What is wrong with the
# sentence, and which sentence would be right?
#
# ```{dropdown} Hint
# Compare two verdicts: *not yet run* and *not reproduced*.
# ```
# ````
#
# ```{solution} 00-words
# :class: dropdown
# *Not reproduced* is a finding: the paper's model ran, with the paper's list and protocol, and gave another number. *Not
# yet run* is the absence of one. A right sentence names three groups: rows checked from published numbers, rows judged by
# runs, and rows that wait for a run.
# ```

# %% [markdown] tags=["explains"]
# ````{exercise} ★★★ Which version of a table?
# :label: 00-version
#
# BLiMP's Table 3 exists as printed, as corrected by its authors, and as recomputed from their data (`blimp`, column
# `source`). The text says that island effects are the hardest phenomenon *by a wide margin*. Write
# `margin(source)`: the mean accuracy of the four models on the next hardest phenomenon, less that on islands. People are
# not models, and *Overall* is not a phenomenon.
#
# ```{dropdown} Hint
# Filter, then `groupby("phenomenon")["accuracy"].mean().sort_values()`: the first two numbers are what you need.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# Six points in the printed table, one in the others: the order holds, the wide margin
# does not.
def margin(source):
    """How much harder islands are than the next phenomenon, as a share."""
    rows = blimp[(blimp["source"] == source) & (blimp["model"] != "human")]
    rows = rows[rows["phenomenon"] != "Overall"]
    hardest = rows.groupby("phenomenon")["accuracy"].mean().sort_values()
    return hardest.drop("ISLAND EFFECTS").min() - hardest["ISLAND EFFECTS"]


# %% tags=["hide-cell", "check"]
tall = blimp[(blimp["model"] != "human") & (blimp["phenomenon"] != "Overall")]
means = tall.pivot_table("accuracy", "phenomenon", "source")
others = means.drop("ISLAND EFFECTS").min()
for source in means:
    expected, own = others[source] - means.loc["ISLAND EFFECTS", source], margin(source)
    assert isinstance(own, float), "margin should return a number"
    assert abs(own - expected) < 1e-6, (
        f"{source}: {own:.4f} is not the margin of the models' means"
    )
print({source: round(float(margin(source)), 3) for source in means})

# %% [markdown]
# ## Takeaways

# %% tags=["remove-input"]
display(
    newman.say(
        f"- Of {int(data_only.sum())} rows checked on published numbers, {len(failing)} do not hold.\n"
        f"- {len(waiting)} rows wait for a model; a file of results turns its rows into verdicts.\n"
        "- The instrument is tested in [the laboratory](16_laboratory.ipynb), where the truth is known; a laboratory "
        "model counts for nothing else."
    )
)

# %% [markdown]
# Functions: {py:func}`tse_book.claims.ledger`, {py:func}`tse_book.claims.extension_ledger`, {py:func}`tse_book.recorded.known_results` and {py:func}`tse_book.recorded.load_recorded`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
