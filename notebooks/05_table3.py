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
    from tse_core.pages import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
import altair as alt
import pandas as pd
from IPython.display import display

from tse_core import charts, published
from tse_core.agreement import FORMS, mark_words, marked_distribution, slot_scores
from tse_core.pages import glue, table

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
# ```{margin} MW of ten tokens
# The share of correct forms among the verb forms printed, by probability. The rest of the
# distribution is not in it.
# ```
#
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

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study.
# {download}`These exercises as a notebook <../_build/exercises/05_table3.ipynb>`: empty cells for your answers, and checks that
# judge them.

# %% tags=["hide-input", "exercise-setup"]
from tse_core import published
from tse_core.agreement import mark_words

SENATORS = "The senators that the skater [mask] are young."
PILOTS = "The pilots that the executive [mask] are tall."
top_ten = published.table3()[["sentence", "subword", "probability"]]
top_ten["form"] = mark_words(
    top_ten["subword"], "singular"
)  # correct, wrong, past or other

# %% [markdown]
# ````{exercise} ★ How much is printed?
# :label: 05-mass
#
# How much of the whole distribution do the ten printed entries hold in each sentence? Give `held`, a dictionary from
# `SENATORS` and `PILOTS` to a share. About which of the two is the model more sure?
#
# ```{dropdown} Hint
# The column `probability` of `top_ten` needs only be added up, sentence by sentence.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Of the first: its ten entries hold nearly half. The rest is spread over thousands of
# entries.
held = top_ten.groupby("sentence")["probability"].sum().to_dict()

# %% tags=["hide-cell", "check"]
assert isinstance(held, dict), "held should be a dictionary: sentence -> share"
assert set(held) == {SENATORS, PILOTS}, "both sentences need a share"
for sentence, share in held.items():
    printed_there = top_ten.loc[top_ten["sentence"] == sentence, "probability"].sum()
    assert abs(share - printed_there) < 1e-6, (
        f"{sentence}: add up its ten probabilities"
    )
print({sentence: round(share, 3) for sentence, share in held.items()})

# %% [markdown]
# ````{exercise} ★★ TSE without luck
# :label: 05-luck
#
# {term}`TSE` of one sentence with three verbs can only be 0, 1/3, 2/3 or 1. How many verbs would you need before one
# verb's failure costs less than 0.01? How many does {term}`EW` use? What does EW give up in return?
#
# ```{dropdown} Hint
# One failure among n verbs costs 1/n.
# ```
# ````
#
# ```{solution} 05-luck
# :class: dropdown
#
# More than 100. EW uses every lemma whose two forms are single tokens: 980 to 1,265 for the models of the paper. In return
# it asks about verbs that no one would use in the sentence: *The senators that the skater rains* is a question about
# grammar alone.
# ```

# %% [markdown]
# ````{exercise} ★★ A sentence that counts
# :label: 05-tse
#
# Of the verbs of the template, *like*, *hate* and *love*, none is among the ten printed entries. Choose three other lemmas
# and ask TSE about them instead: give `verbs`, a dictionary from three base forms to their third person, such that all
# six forms are printed for `SENATORS`. With these, what is `tse`?
#
# ```{dropdown} Hint
# List the entries marked *correct* and *wrong*, and pair them. The subject of the blank is *skater*.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The three most probable verbs all agree. Whoever chooses the verbs chooses a good part
# of the score.
verbs = {"meet": "meets", "encounter": "encounters", "see": "sees"}
tse = 1.0

# %% tags=["hide-cell", "check"]
assert isinstance(verbs, dict), (
    "verbs should be a dictionary: base form -> third person"
)
assert len(verbs) == 3, "three lemmas are asked for"
p = top_ten[top_ten["sentence"] == SENATORS].set_index("subword")
for base, third in verbs.items():
    assert base in p.index and third in p.index, (
        f"{base}, {third}: both should be printed"
    )
    assert p.loc[base, "form"] == "wrong", f"{base} is not marked as a base form"
    assert p.loc[third, "form"] == "correct", f"{third} is not marked as a third person"
wins = [
    p.loc[third, "probability"] > p.loc[base, "probability"]
    for base, third in verbs.items()
]
assert tse == sum(wins) / 3, (
    "tse: in how many of the three is the third person more probable?"
)
print(
    f"TSE is {tse:.2f} for these, 0.67 for the template's: the choice of verbs decides."
)

# %% [markdown]
# ````{exercise} ★★★ What the rest could do
# :label: 05-bounds
#
# {term}`MW` of `SENATORS` over its ten printed entries says nothing about the thousands that were not printed. Suppose all
# their probability lay on wrong forms; then suppose it all lay on correct ones. Give `low` and `high`, the MW of the two
# cases. Past forms count in neither, and nor do the printed entries marked *other*.
#
# ```{dropdown} Hint
# What is left for the rest is 1 less the sum of all ten printed entries, whatever their mark.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Far apart: ten entries show how a model begins, not its score.
first = top_ten[top_ten["sentence"] == SENATORS]
mass = first.groupby("form")["probability"].sum()
rest = 1 - first["probability"].sum()
judged = mass["correct"] + mass["wrong"] + rest
low, high = mass["correct"] / judged, (mass["correct"] + rest) / judged

# %% tags=["hide-cell", "check"]
assert isinstance(low, float) and isinstance(high, float), (
    "low and high should be two numbers"
)
there = top_ten[top_ten["sentence"] == SENATORS]
right, false = (
    there.loc[there["form"] == f, "probability"].sum() for f in ("correct", "wrong")
)
unseen = 1 - there["probability"].sum()
assert abs(low * (right + false + unseen) - right) < 1e-6, (
    "low: correct forms as printed, divided by correct, wrong and all that was not printed"
)
assert abs((1 - high) * (right + false + unseen) - false) < 1e-6, (
    "high: only the wrong forms that were printed are wrong"
)
print(
    f"MW lies between {low:.2f} and {high:.2f}; "
    f"over the ten alone it is {right / (right + false):.2f}."
)

# %% [markdown]
# ## Takeaways
#
# - TSE can be low where a model behaves well, and high where it does not: it depends on three verbs that somebody chose.
# - MW asks about the verbs that the model itself would use.
# - Past forms hold probability that no agreement metric judges.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.pages import offer_results

    offer_results()
