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
# # Figure 3: how much of the distribution is judged
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : measure the {term}`coverage` of EW and MW, and find where the rest of the probability goes
#
# You need
# : [Figure 1](04_figure1.ipynb) and [Table 3](05_table3.ipynb)
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
sampled = 20  # contexts of each construction whose whole distribution is looked at

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "07_figure3")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import charts
from tse_book.pages import figures, glue, newman, table, try_this
from tse_book.studies.slot_shares import form_shares
from tse_core.agreement.slots import FORMS
from tse_core.paths import store_folder

# %% [markdown] tags=["explains"]
# ## The published coverage
#
# How much of what a model would say is judged at all? {term}`MW` says which part of the probability on counted verb forms is on correct ones; the {term}`coverage` says how much lies on counted forms. Figure 3 of {cite:t}`newman2021refining` shows it for every cut-off. First come the models that were run here, each with a published curve behind it: its own, or that of the closest model in the paper.
#
# ```{dropdown} Predict: after *The author*, how much of the probability is on present-tense verb forms?
# Think of ten ways to go on: *of*, *is*, *was*, *said*, a comma ... Some begin with a present-tense verb. The table has the row *Simple*.
# ```

# %% tags=["hide-input"]
printed = figures.published_curves(3)
measured = figures.measured_curves(
    newman.real_models(models),
    data,
    lemmas[0],
    protocol=protocols[0],
    store=store_folder(),
)
real = measured
whole = printed[(printed["side"] == "top") & (printed["cutoff"] == 1.0)]
low, high = whole["coverage"].min(), whole["coverage"].max()
charts.coverage_curves(
    figures.and_others(real, printed),
    published=newman.beside_real(real, printed),
    chosen="Across prepositional phrase",
    title=f"Published: the verb lists cover between {low:.2f} and {high:.2f} of the distribution",
)

# %% tags=["remove-input"]
glue("coverage_low", float(low))
glue("coverage_high", float(high))
display(newman.what_is_missing(models, lemmas))
own = real[(real["side"] == "top") & (real["cutoff"] == 1.0) & (real["metric"] == "EW")]
cells = figures.and_published(own, whole)
order = list(dict.fromkeys(cells["model"]))
cells = cells.pivot_table("coverage", "construction", "model").reindex(
    list(charts.CONSTRUCTIONS)
)[order]
table(
    cells.rename_axis(columns=None).reset_index(),
    "Coverage at top 100 %; of the published curves where it can be read off",
)

# %% tags=["remove-input"]
for name, rows in own.groupby("model", sort=False):
    rows = rows.set_index("construction")["coverage"]
    display(
        newman.say(
            f"**{name}**: the listed forms hold between {rows.min():.2f} (*{rows.idxmin()}*) and {rows.max():.2f}",
            f"(*{rows.idxmax()}*) of the probability, {rows.mean():.2f} on average.",
        )
    )
if len(real):
    display(newman.runs_table(real, "The run drawn above"))

# %% [markdown] tags=["explains"]
# At top 100 %, the published coverage lies between {glue:text}`coverage_low:.2f` and {glue:text}`coverage_high:.2f`. A score is about that share of what a model would say, and about no more.
#
# The right end of the solid line, top 100 %, is how much of the distribution EW and MW of Table 2 are about. Further left, compare each value with its own cut-off: if, for example, the coverage at top 50 % were one half, everything likely at the slot would be a counted verb form.
#
# A model with low coverage has not failed; it expects other words at this place. An MW of nine tenths means that nine tenths *of the covered part* are correct.
#
# What could fool you? A longer list covers more with the same model. Two models with the same MW but different coverage do not make the same number of errors. And in *The author ___ tall* hardly anything but a form of *be* fits; a causal model does not know that *tall* will come.
#
# ## Where the rest of the probability is
#
# The paper says that the rest is often on other {term}`inflections <inflection>` of verbs, such as the past, or on other words. Here, in a sample of contexts, every vocabulary entry is marked as in [Table 3](05_table3.ipynb), and the probability is added up by kind.
#
# ```{dropdown} Predict: which share of the uncounted probability is on past forms?
# In English text the past is common after a subject, but so are prepositions, conjunctions, commas and auxiliaries. The line under the table has the share.
# ```

# %% tags=["hide-input"]
contexts = newman.contexts_of(data)
chosen = (
    contexts.groupby("construction", sort=False)
    .sample(frac=1, random_state=0)
    .groupby("construction", sort=False)
    .head(sampled)
)
parts = [
    form_shares(newman.opened(name), chosen, lemmas[0]).assign(model=newman.label(name))
    for name in newman.real_models(models)
]
shares = (
    pd.concat(parts)
    if parts
    else chosen.assign(model="", **dict.fromkeys(FORMS, 0.0)).head(0)
)
# as in the report: the share in each context first, then means
shares["past in the rest"] = shares["past"] / (shares["past"] + shares["other"])
shares = (
    shares.groupby(["model", "construction"], sort=False)[[*FORMS, "past in the rest"]]
    .mean()
    .reset_index()
)
table(
    shares,
    f"Mean probability by kind of form, over up to {sampled} contexts of each construction",
    digits=3,
)

# %% tags=["remove-input"]
for name, rows in shares.groupby("model", sort=False):
    mean = rows[["past", "other", "past in the rest"]].mean()
    display(
        newman.say(
            f"**{name}** leaves {mean['past'] + mean['other']:.2f} of the probability uncounted. In the mean context past forms "
            f"hold {mean['past in the rest']:.0%} of that (the report adds the row BLiMP).",
        )
    )

# %% tags=["remove-input"]
try_this(
    ("The keys to the cabinet", "plural"),
    look="See how the probability divides.",
)

# %% tags=["remove-input"]
charts.download_table(pd.concat([printed, measured], ignore_index=True), "figure3.csv")

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/07_figure3.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book import published
from tse_book.pages import figures
from tse_core.agreement.slots import mark_words

# BERT-large-cased at "The senators that the skater ___ are young.": Table 3, marked by
# form
table3 = published.table3()
senators = table3[table3["sentence"].str.contains("senators")].copy()
senators["form"] = mark_words(senators["subword"], "singular", "newman-appendix")

coverage = figures.published_curves(3).query("side == 'top' and cutoff == 1")
printed_mw = published.table2().query("metric == 'MW'")[["hf_name", "row", "value"]]
printed_mw.columns = ["model", "construction", "MW"]
rows = coverage[["model", "construction", "coverage"]].merge(printed_mw)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Other things
# :label: 07-other
#
# No programming. {term}`Coverage` at top p cannot exceed p, give or take one token. Which entries could fill the gap between
# the curve and that line? Which of them would you want to judge for agreement?
#
# ```{dropdown} Hint
# Continue *The author* ... in ten different ways, and look at the first word of each.
# ```
# ````
#
# ```{solution} 07-other
# :class: dropdown
#
# Adverbs (*never laughs*), conjunctions, commas, past forms, and verbs whose two forms are not both single tokens. Of these
# the last could be judged at this slot; an adverb moves the verb one place to the right.
# ```

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Wrong for certain
# :label: 07-wrong
#
# Multiply: how much of a model's whole distribution lies on wrong forms, at the least? The table `rows` of the cell above has
# coverage and {term}`MW` as published. Give `worst`, the (model, construction) where that is most, and `share`, how much it is.
#
# ```{dropdown} Hint
# If a fifth of a half is wrong, a tenth of the whole is wrong.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# A product of two means is not the mean of the products, so this is a rough figure.
wrong = rows["coverage"] * (1 - rows["MW"])
most = rows.loc[wrong.idxmax()]
worst, share = (most["model"], most["construction"]), wrong.max()

# %% tags=["hide-cell", "check"]
assert isinstance(worst, tuple) and len(worst) == 2, (
    "worst should be (model, construction)"
)
assert isinstance(share, float), "share should be a number"
joined = rows.set_index(["model", "construction"])
assert worst in joined.index, f"{worst} cannot be read in Figure 3"
certain = joined["coverage"] * (1 - joined["MW"])
assert certain[worst] == certain.max(), f"{worst}: elsewhere more probability is wrong"
assert abs(share - certain.max()) < 1e-6, "share: coverage times (1 - MW) in that row"
print(
    f"{worst[0]}, {worst[1]}: {share:.2f} of the whole distribution is on wrong forms."
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★★ A mean of shares
# :label: 07-mean
#
# MW of a {term}`construction` is the mean of the MW of its {term}`contexts <context>`, whatever their coverage. Make up two
# contexts whose mean MW is below 0.6 although, taken together, more than 0.9 of the probability on verb forms is on correct
# ones. Give `contexts`, a list of two (correct, wrong), each with a sum of at most 1.
#
# ```{dropdown} Hint
# Give one of the contexts hardly any verb.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Neither is wrong. The mean asks how good the model is in a context; the pooled share,
# how often its verbs are right.
contexts = [(0.80, 0.02), (0.01, 0.04)]

# %% tags=["hide-cell", "check"]
assert isinstance(contexts, list) and len(contexts) == 2, (
    "contexts should be a list of two"
)
assert all(min(pair) > 0 and sum(pair) <= 1 for pair in contexts), (
    "probabilities are above 0, and a context's sum is at most 1"
)
mean = sum(right / (right + false) for right, false in contexts) / 2
pooled = sum(right for right, _ in contexts) / sum(map(sum, contexts))
assert mean < 0.6, f"the mean MW is {mean:.2f}; one context should be bad"
assert pooled > 0.9, (
    f"together {pooled:.2f} is correct; the good context should have more probability"
)
print(f"Mean MW {mean:.2f}, pooled {pooled:.2f}.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - EW and MW judge a part of what a model would say. Print that part, the coverage, beside MW.
# - Past forms are in the rest; of them only *was* and *were* show number.
# - Coverage belongs to a model and a list together.
#
# Functions: {py:func}`tse_book.studies.slot_shares.form_shares` and {py:func}`tse_book.charts.coverage_curves`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
