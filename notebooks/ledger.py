# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: tags,-all
#     notebook_metadata_filter: -jupytext.text_representation
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The ledger: every claim and its verdict
#
# Published numbers were held against 63 claims of the papers; the others wait for the papers' models, and nothing counts as reproduced until these have run.
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : look up any claim of the three papers: what was printed, what was found, and the verdict
#
# You need
# : nothing; [Results in one table](../book/findings.md) sums it up
#
# Time
# : look up what you need; seconds to run
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/ledger.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With results of your own: `papermill ledger.ipynb mine.ipynb -p results mine.parquet`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
results = []  # files of your own, as `tse evaluate MODEL --out FILE` writes them

# %% [markdown] tags=["explains"]
# ## At a glance
#
# Each row is a sentence or a number from the papers; its verdict is computed from results. Press a tile to see its rows below.

# %% tags=["hide-input"]
import pandas as pd

from tse_book.claims.judging import ledger
from tse_book.pages import as_list, verdict_tiles
from tse_book.recorded import known_results
from tse_core.results.tidy import read_results

results = as_list(results)  # one string works, too: "a.parquet, b.parquet"
measured = [read_results(file) for file in results]
claims = ledger(pd.concat([*measured, known_results()]))
verdict_tiles(claims)

# %% tags=["hide-input"]
from tse_book.claims.judging import papers, verdict_summary
from tse_book.pages import table

short = {key: title.partition(",")[0] for key, title in papers().items()}
summary = verdict_summary(claims).rename(index=short)
given = summary.loc[:, summary.any()].T.rename_axis(index=None, columns=None)
table(given, "Rows by verdict and paper.", index=True)

# %% [markdown] tags=["explains"]
# ```{margin} Verdicts
# *Reproduced*: within 0.005 of the printed value, by the same model, with as many lemmas in its vocabulary as the paper
# had, scored as in the released code. *Close*: within 0.02. A probability of Table 3 is judged by its ratio to the printed
# one: *reproduced* up to a factor of 1.05, *close* up to 1.25. *Direction*: a comparison that holds. *Holds as printed, not on the corrected table*: BLiMP's authors corrected their
# tables after the text was printed. *Depends on the published table*: versions of a table give different answers. *At our threshold*: half or twice the leeway would change the answer. Some claims could hold for a model with random weights; they count only for a model that knows agreement in *Simple*.
# ```
#
# ## Every claim
#
# ```{dropdown} Predict: somebody runs the paper's model with a cleaner list of verbs and gets the printed number. Is it reproduced?
# No. Another difference may have cancelled the effect of the list. A number that agrees but was computed over another list is *comparable*.
# ```
#
# Published data and model runs have separate rows. Intervals (95 %) are clustered by subject noun. *How* in a row shows the number's {term}`signature` or the command that makes it; the link below a claim leads to its cell.
#
# How robust is a verdict? Somebody else might have chosen another version of a table, another threshold, BOS token or verb list, or other data. *Robust* counts how many of the choices that we tried give our answer; *how* names them, and the filter finds the rows that depend on a choice.
#
# ```{dropdown} How the other choices are named
# By rule, the same for every claim; only other readings of a sentence are named by hand.
#
# - Thresholds: half and twice the leeway, the distance from the nearest number that nobody has to choose: the printed one, 0, chance, or the whole (*at least 36 of 40* allows four exceptions, so 38 and 32 are tried).
# - Versions: BLiMP's tables as printed and as corrected.
# - Data, for a claim about more than one printed number: each model, construction, phenomenon, paradigm or side of the distribution left out in turn, and every second one by alphabet (those at odd places, then those at even places). Leaving each out in turn is one choice, which gives our answer only if all do; those that change no number are not counted.
# - Precision: a number read off a figure, or a mean of rounded ones, as far off as it may be.
# - Correlations: of ranks, too.
# ```
#
# Of the 63 rows from published data, 29 are the same under every choice and 29 depend on a choice; for 5 no choice that we tried changes the number, or none was tried, and they count as neither.

# %% tags=["hide-input"]
from tse_book.pages import ledger_table

ledger_table(claims, "The claims of the three papers, with verdicts.")

# %% tags=["hide-input"]
from tse_book import charts
from tse_book.pages import link

linked = claims.assign(cell=claims["cell"].map(link))
charts.download_table(linked, "claims.csv", "Download the ledger")

# %% [markdown] tags=["explains"]
# ## The statements of this book
#
# The papers' claims are compared with thresholds. None of the verdicts above comes from a statistical test, so nothing is corrected for their number.
#
# This book's own statements, N1 to N7, are tested, on [treebanks on which no model had run](real_sentences.ipynb). Their 28 tests, 13 of them on English for each of two models, are one family. A verdict is read from the interval at 1 − .05/28, over other documents ({term}`Bonferroni correction`): a statement holds where all of it lies on the side that is named.

# %% tags=["hide-input"]
from tse_book.pages import own_statements

stated = own_statements.recorded_verdicts()
statements = own_statements.statement_table(stated).reset_index()
columns = ["statement", "model", "verdict", "other choices"]
table(
    statements[columns],
    "N1 to N7: the verdict, and under how many choices it is the same",
)

# %% [markdown] tags=["explains"]
# Of the 28, 27 hold; N6 is undecided on SmolLM2. Under other choices, such as half of the documents, rarer verbs or medians, 17 of the 28 verdicts never change; 11 change under at least one. [In real sentences](real_sentences.ipynb) has the numbers, and the choices that turn a verdict.
#
# ## Every table and figure
#
# *Live* numbers are computed with the book, *recorded* ones come from a run kept with it, and {term}`digitised` ones are read off a published figure, without its hidden points.
#
# ```{dropdown} Newman and others 2021
# | original | shows | where | made from |
# |---|---|---|---|
# | Table 1 | a toy example | [](methods.ipynb) | live |
# | Table 2 | MW, EW and TSE of four models | [](table2.ipynb) | published; live |
# | Table 3 | the ten most probable words in two sentences | [](table3.ipynb) | published; live |
# | Figure 1 | EW and MW along the cut-offs | [](figure1.ipynb) | digitised; live |
# | Figure 2 | the same for all constructions | [](figure2.ipynb) | digitised; live |
# | Figure 3 | the probability on the verbs that counted | [](figures3_4.ipynb) | digitised; live |
# | Figure 4 | contexts in which no verb counted | [](figures3_4.ipynb) | digitised; live |
# ```
#
# ```{dropdown} BLiMP: Warstadt and others 2020
# | original | shows | where | made from |
# |---|---|---|---|
# | Table 1 | who had tested what before | [](blimp.ipynb) | published |
# | Table 2 | a pair of each phenomenon | [](blimp.ipynb) | this book's own pairs |
# | Table 3 | accuracy of four models and people | [](blimp.ipynb) | published; recorded |
# | Table 4 | the 67 paradigms: examples and accuracies | [](blimp.ipynb) | published; recorded; no examples without BLiMP |
# | Figure 1 | correlation of the models' accuracies | [](blimp_analysis.ipynb) | published; recorded |
# | Figure 2 | accuracy by length and probability | [](blimp_analysis.ipynb) | recorded and live, for other models |
# | Figure 3 | distance and attractors in agreement | [](blimp_analysis.ipynb) | published; live |
# | Figure 4 | regular and irregular words | [](blimp_analysis.ipynb) | published; live |
# | Figure 5 | accuracy by size of the training text | [](blimp_analysis.ipynb) | published slopes; recorded, for laboratory models |
# | Figure 6 | whole sentences against prefixes | [](blimp_analysis.ipynb) | published; live |
# ```
#
# ```{dropdown} SyntaxGym: Gauthier and others 2020
# | original | shows | where | made from |
# |---|---|---|---|
# | Table 1 | the eight models | [](syntaxgym.ipynb) | published |
# | Figure 1 | suites and models in, a chart out | [](syntaxgym.ipynb) | published; recorded; the chart alone |
# | Figure 2 | two items and their prediction | [](syntaxgym.ipynb) | live |
# | Figure 3 | a suite made in the browser | [](../book/designer.md) | live |
# | Figure 4a | the eight models on one suite | [](syntaxgym.ipynb) | published; recorded |
# | Figure 4b | surprisal by region | [](syntaxgym.ipynb) | recorded, for another model |
# | Figure 5 | two command lines | [](../book/designer.md) | this book's own command |
# ```

# %% [markdown]
# ## Recorded runs
#
# Runs that are too long for a build are kept in the project. Where a run was also made live, the live one counts.

# %% tags=["hide-input"]
from tse_book.recorded import list_recorded, load_recorded

recorded = list_recorded()
columns = ["model", "parts", "date", "hardware"]
caption = "Recorded runs in data/recorded: what was run, when, and on which machine."
table(recorded[columns], caption)

# %% tags=["hide-input"]
from tse_book.pages import folded

left_out = recorded.loc[recorded["left_out"] != "", ["model", "left_out"]]
left_out = left_out.rename(columns={"left_out": "not run, and why"})
folded(table(left_out, "What the recorded runs leave out"), "What they leave out")

# %% tags=["hide-input"]
from tse_book.published import blimp_table3
from tse_core.syntaxgym.library import public_suites

circuits = public_suites()["circuit"].dropna().unique()
phenomena = blimp_table3()["phenomenon"].unique()
sums = ["all pairs", "macro mean", "SG score", *phenomena, *circuits]
runs = pd.concat([load_recorded(name) for name in recorded["model"]], ignore_index=True)
shown = runs[(runs["metric"] == "accuracy") & runs["construction"].isin(sums)]
ends = zip(shown["low"], shown["high"], strict=True)
shown = shown.assign(interval=[f"{low:.2f} to {high:.2f}" for low, high in ends])
columns = ["model", "construction", "score", "interval"]
caption = "What the recorded runs scored: accuracy, and its 95 % interval."
table(shown[columns], caption)

# %% [markdown] tags=["explains"]
# ## The laboratory's own ledger
#
# The models of [the laboratory](laboratory.ipynb) learned a language whose true scores are known. They test the scores, not the papers, and are not counted above.

# %% tags=["hide-input"]
from tse_book.claims.judging import laboratory_ledger
from tse_core.paths import data_folder

measured = pd.read_csv(data_folder() / "recorded" / "laboratory" / "scores.csv")
laboratory = laboratory_ledger(measured)
distance = laboratory["difference"].abs()
by_band = laboratory.assign(distance=distance)
by_band = by_band.pivot_table("distance", ["model", "metric"], "band", sort=False)
by_band = by_band.reset_index().rename_axis(None, axis=1)
table(by_band, "Mean distance of measured from true values, by frequency.", digits=3)

# %% [markdown]
# Of 360 values, 327 lie within 0.02 of the truth; the mean distance is 0.012.

# %% tags=["hide-input"]
from tse_book.pages import laboratory_table

caption = "Laboratory models: true scores beside measured ones."
laboratory_table(laboratory, caption)

# %% tags=["hide-input"]
title = "Download the laboratory's ledger"
charts.download_table(laboratory, "laboratory-ledger.csv", title)

# %% [markdown]
# Two further models of the same languages were saved during their training.

# %% tags=["hide-input"]
from tse_book.claims.training import training_ledger
from tse_book.studies import dynamics

training = training_ledger(dynamics.recorded("laboratory-steps"))
columns = ["claim", "model", "step", "measured", "verdict"]
caption = "The laboratory's claims about training, and what its checkpoints show"
table(training[columns], caption)

# %% [markdown]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/ledger.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book.claims import verdicts

# four runs of a cell of Table 2: what was printed, what was measured
runs = {
    "a": {"printed": 0.91, "measured": 0.913, "same_list": True, "laboratory": False},
    "b": {"printed": 0.91, "measured": 0.925, "same_list": True, "laboratory": False},
    "c": {"printed": 0.91, "measured": 0.911, "same_list": False, "laboratory": False},
    "d": {"printed": 0.91, "measured": 0.910, "same_list": True, "laboratory": True},
}

# %% [markdown] tags=["explains"]
# ````{exercise} ★ Four runs, four verdicts
# :label: 00-verdict
#
# All four `runs` used the *released* {term}`protocol`. `same_list` says whether the same number of
# {term}`lemmas <lemma>` counted as in the paper, `laboratory` whether a {term}`laboratory model` ran. Give `verdict`, a dictionary from a, b, c and d to a
# verdict's name.
#
# ```{dropdown} Hint
# The margin beside *Every claim* has the rules.
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
    same_list = run["same_list"]
    expected = verdicts.of_value(difference, same_list=same_list, same_protocol=True)
    if run["laboratory"]:
        expected = verdicts.NOT_RUN
    given = verdict[name]
    assert given in verdicts.VERDICTS, f"{name}: {given!r} is not a verdict"
    assert given == expected, f"{name}: {given!r} does not follow from {run}"
print("A small difference is not enough: it takes the paper's model and list.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Not run, not reproduced (no Python)
# :label: 00-words
#
# A colleague concludes that *most of the paper could not be reproduced*. What should the colleague say instead?
#
# ```{dropdown} Hint
# Compare the verdicts *not yet run* and *not reproduced*.
# ```
# ````
#
# ```{solution} 00-words
# :class: dropdown
# *Not reproduced* is a finding: the paper's model ran and gave another number. *Not yet run* is not a finding.
# The colleague should say how many claims were checked on published numbers and how many still wait for a model.
# ```

# %% [markdown]
# ## Takeaways
#
# Nothing counts as reproduced until the papers' own models have run.
#
# Function: {py:func}`tse_book.claims.judging.ledger`.
