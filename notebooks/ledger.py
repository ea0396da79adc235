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
# : look up any claim of the three papers: what was printed, what was found, and the verdict
#
# You need
# : nothing; [the report](report.ipynb) sums it up
#
# Time
# : seconds to run
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
# ## Statements of this book
#
# [What the gap is made of](gap.ipynb) explains these statements:
#
# ```{glue:} statements_table
# :doc: gap.ipynb
# ```
#
# The question of why nouns differ was asked later, of both models; the statements and their tests were fixed before either model was run on these nouns:
#
# ```{glue:} noun_statements_table
# :doc: gap.ipynb
# ```

# %% [markdown] tags=["explains"]
# ```{margin} Verdicts
# *Reproduced*: within 0.005 of the printed value, by the same model, with as many lemmas in its vocabulary as the paper
# had, scored as in the released code. *Close*: within 0.02. A probability of Table 3 is judged by its ratio to the printed
# one: *reproduced* up to a factor of 1.05, *close* up to 1.25. *Direction*: a comparison that holds. *Holds as printed, not on the corrected table*: BLiMP's authors corrected their
# tables after the text was printed. *At our threshold*: another threshold, as good as ours, would change the answer. A claim that random weights could satisfy counts only for a model that knows agreement in *Simple*.
# ```
#
# ## Every claim
#
# ```{dropdown} Predict: somebody runs the paper's model with a cleaner list of verbs and gets the printed number. Is it reproduced?
# No. Another difference may have cancelled the effect of the list. A number that agrees but was computed over another list is *comparable*.
# ```
#
# [Claims about a model that the papers never saw (*E. ...*) are in [the report](report.ipynb).]{.tse-elsewhere} Published data and model runs have separate rows. Intervals (95 %) are clustered by subject noun. *How* in a row shows the number's {term}`signature` or the command that makes it; the link below a claim leads to its cell.
#
# How robust is a verdict? Somebody else might have chosen another version of a table, another threshold, BOS token or verb list. *Robust* counts how many of the choices that we tried give our answer; *how* names them, and the filter finds the rows that depend on a choice. Of the 63 rows from published data, 25 are the same under every choice and 25 depend on a choice; for 13 there was no choice to try.

# %% tags=["hide-input"]
from tse_book.pages import ledger_table

ledger_table(claims, "The claims of the three papers, with verdicts.")

# %% tags=["hide-input"]
from tse_book import charts
from tse_book.pages import link

linked = claims.assign(cell=claims["cell"].map(link))
charts.download_table(linked, "claims.csv", "Download the ledger")

# %% [markdown]
# ## Recorded runs
#
# Runs that are too long for a build are kept in the project. Where a run was also made live, the live one counts.

# %% tags=["hide-input"]
from tse_book.recorded import list_recorded, load_recorded

recorded = list_recorded()
columns = ["model", "parts", "numbers", "date", "hardware", "minutes", "left_out"]
made = recorded[columns].rename(columns={"left_out": "left out"})
caption = "Recorded runs in data/recorded: what was run, when, and on which machine."
table(made, caption, digits=1)

# %% tags=["hide-input"]
from tse_book.published import blimp_table3
from tse_core.syntaxgym.library import public_suites

circuits = public_suites()["circuit"].dropna().unique()
sums = ["all pairs", "SG score", *blimp_table3()["phenomenon"].unique(), *circuits]
runs = pd.concat([load_recorded(name) for name in recorded["model"]], ignore_index=True)
shown = runs[(runs["metric"] == "accuracy") & runs["construction"].isin(sums)]
columns = ["model", "construction", "score", "low", "high", "pairs"]
caption = "What the recorded runs scored: accuracy, its 95 % interval, pairs or items."
table(shown[columns], caption, digits=3)

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
# Two further models of the same languages were saved during their training ([What is learned first](training_dynamics.ipynb)).

# %% tags=["hide-input", "full-width"]
from urllib.parse import unquote

from tse_book.claims.training import training_ledger
from tse_book.studies import dynamics

training = training_ledger(dynamics.recorded("laboratory-steps"))
training = training.assign(signature=training["signature"].map(unquote))
training.columns = ["", "claim", "model", "step", "measured", "verdict", "signature"]
table(
    training, "The laboratory's claims about training, and what its checkpoints show."
)
