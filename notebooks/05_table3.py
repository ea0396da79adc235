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
# # Table 3: what a model would say
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : look into the distribution at one verb slot, and see TSE and MW disagree about the same sentence
#
# You need
# : TSE and MW, from [Methods](02_methods.ipynb)
#
# Time
# : 10 minutes to read, seconds to run on a CPU; BERT-large runs two sentences on a CPU too
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
models = ["lab-lexical-masked"]  # names, folders or hub names
lemmas = ["newman-clean"]
sentences = [
    "The senators that the skater ___ are young.",
    "The pilots that the executive ___ are tall.",
]
numbers = ["singular", "singular"]  # of the subject of each blank
verbs = ["like", "hate", "love"]  # the verbs that the sentences' template names

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_core.profiles import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
import altair as alt
import pandas as pd
from IPython.display import display

from tse_core import charts, published
from tse_core.notebook import glue, table
from tse_core.slots import FORMS, mark_words, marked_distribution, slot_scores

# %% [markdown]
# ## The paper's two sentences
#
# The subject of the blank in *The senators that the skater ___ are young* is *skater*, so the verb must be singular. The
# template of this {term}`construction` names three verbs, *like*, *hate* and *love*; {term}`TSE` asks about these and no
# others. {cite:t}`newman2021refining` print the ten {term}`tokens <token>` that BERT-large-cased finds most probable there.
#
# ```{margin} Marks
# Correct: third person singular, like the subject. Wrong: the plural form. Past: says nothing about number.
# ```

# %% tags=["hide-input"]
printed = published.table3().rename(
    columns={"subword": "token", "sentence": "printed_as"}
)
printed["sentence"] = printed["printed_as"].str.replace("[mask]", "___", regex=False)
printed["form"] = mark_words(printed["token"], "singular")
colours = alt.Scale(
    domain=list(FORMS), range=["#009e73", "#d55e00", "#0072b2", "#8a8f98"]
)


def top_ten(rows, sentence):
    """The ten most probable entries of one sentence as bars, coloured by what they are."""
    rows = rows.head(10).assign(
        entry=lambda t: [f"{i + 1}. {w.strip()}" for i, w in enumerate(t["token"])]
    )
    forms = rows["form"].value_counts()
    title = f"{sentence} {forms.get('correct', 0)} of the ten agree, {forms.get('wrong', 0)} do not"
    return charts.bars(
        rows[["entry", "probability", "form"]],
        "entry",
        "probability",
        title=title,
        colour="form",
        scale=colours,
    )


shown = list(dict.fromkeys(printed["sentence"]))
for sentence in shown:
    display(top_ten(printed[printed["sentence"] == sentence], sentence))

# %%
first = printed[printed["sentence"] == shown[0]].groupby("form")["probability"].sum()
mw = float(first["correct"] / (first["correct"] + first["wrong"]))
quoted = published.quoted_values().query("metric == 'TSE'")["value"].iloc[0]
glue("printed_tse", float(quoted))
glue("printed_top_mw", mw)
table(
    first.reindex(FORMS).rename("probability").reset_index(),
    "The ten printed tokens of the first sentence by form",
    digits=3,
)

# %% [markdown]
# The paper reports a TSE of {glue:text}`printed_tse:.2f` for this sentence: the model prefers *like* to *likes*. Yet among
# the printed tokens the forms that agree hold {glue:text}`printed_top_mw:.2f` of the probability on verbs. Asked what it
# would say, the model hardly errs; asked about three verbs it would not say, it errs on one.
#
# One of the printed words, *pilots*, counts as a verb in the paper's text but is missing from the list in its appendix (it
# stands in the longer list that was not printed), so it is not marked here.
#
# ## The same sentences, from a model
#
# Every model in the parameters answers the same sentences. A {term}`masked model` reads the words on both sides of the
# blank, a {term}`causal model` those on the left.

# %%
found = {
    (m, s): marked_distribution(m, s, n, lemmas[0])
    for m in models
    for s, n in zip(sentences, numbers, strict=True)
}
bert = [m for m in models if m.rstrip("/").endswith("bert-large-cased")]
print("bert-large-cased:", "run, shown below" if bert else "not yet run")

# %% tags=["hide-input"]
for (model, sentence), marked in found.items():
    chart = top_ten(marked, sentence)
    display(
        chart.properties(
            title=alt.TitleParams(
                chart.title.text, subtitle=model.rstrip("/").rpartition("/")[2]
            )
        )
    )

# %%
scores = pd.DataFrame(
    [
        {
            "model": model.rstrip("/").rpartition("/")[2],
            "sentence": sentence,
            **slot_scores(marked, verbs),
        }
        for (model, sentence), marked in found.items()
    ],
    columns=["model", "sentence", "tse", "mw", "ew", *FORMS],
)
table(
    scores.rename(columns={"tse": "TSE", "mw": "MW", "ew": "EW"}),
    "Scores of each sentence, and the probability on each kind of form",
    digits=3,
)

# %%
rows = [
    m.head(50).assign(model=model.rpartition("/")[2], sentence=s)
    for (model, s), m in found.items()
]
charts.download_table(pd.concat(rows) if rows else printed, "table3.csv")

# %% [markdown]
# The last columns say where the rest of the probability is. Past forms (*met*, *saw*) agree with any subject, so they
# belong neither to the right nor to the wrong verbs, and the metrics leave them out; Figure 3 shows how much is left out
# in all.
#
# ## Exercises
#
# ```{exercise} A sentence of your own
# :label: 05-own
#
# Put a sentence with an attractor into `sentences`, for example *The keys to the cabinet ___ on the table.*, with its
# number in `numbers`. Which verb does the model want, and does it agree?
# ```
#
# ```{solution} 05-own
# :class: dropdown
#
# Most models put nearly everything on a form of *be*. MW of that sentence is then a statement about one verb, which is why
# the paper also looks at the distribution with its head cut off (bottom p).
# ```
#
# ```{exercise} Count the printed distribution
# :label: 05-mass
#
# How much of the whole distribution do the ten printed tokens hold in each sentence? Which sentence is the model more sure
# about?
# ```

# %% tags=["hide-cell", "solution"]
printed.groupby("sentence")["probability"].sum()

# %% [markdown]
# ```{exercise} TSE without luck
# :label: 05-luck
#
# TSE of one sentence with three verbs can only be 0, 1/3, 2/3 or 1. How many verbs would you need before one verb's
# failure costs less than 0.01? How many does EW use?
# ```
#
# ```{solution} 05-luck
# :class: dropdown
#
# More than 100. EW uses every lemma whose two forms are single tokens: several hundred for the models of the paper.
# ```
#
# ## Takeaways
#
# - TSE can be low where a model behaves well, and high where it does not: it depends on three verbs that somebody chose.
# - MW asks about the verbs that the model itself would use.
# - Past forms hold probability that no agreement metric judges.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.profiles import offer_results

    offer_results()
