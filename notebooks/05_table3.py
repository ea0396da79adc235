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
# : look into the distribution at one verb slot, see TSE and MW disagree about a sentence, and see what an adverb changes
#
# You need
# : TSE and MW, from [Methods](02_methods.ipynb)
#
# Time
# : 6 minutes to read, seconds to run on a CPU
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
models = ["smollm2-135m-instruct"]  # names, folders or hub names
masked = ["lab-lexical-masked"]  # masked models beside them, as the paper's BERT is one
lemmas = ["newman-clean"]
sentences = [
    "The senators that the skater ___ are young.",
    "The pilots that the executive ___ are tall.",
]
numbers = ["singular", "singular"]  # of the subject of each blank
verbs = ["like", "hate", "love"]  # the verbs that the sentences' template names
adverb = "often"  # what comes before the blank in the last table

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "05_table3")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import altair as alt
import pandas as pd
from IPython.display import display

from tse_book import charts, published
from tse_book.pages import glue, guard, newman, table, try_this
from tse_book.studies.slot_shares import slot_scores
from tse_core import load_model
from tse_core.agreement.slots import FORMS, mark_words, marked_distribution

# %% [markdown]
# ## The paper's two sentences
#
# What would a model say at the blank, and would any of it be what {term}`TSE` asks about? In *The senators that the skater ___ are young* the subject of the blank is *skater*, so the verb must be singular. The template names three verbs, *like*, *hate* and *love*. {cite:t}`newman2021refining` print BERT-large-cased's ten likeliest {term}`tokens <token>`.
#
# ```{margin} Marks
# Correct: agrees with the subject. Wrong: does not. Past: a past form; only *was* and *were* show number. Other: not on the verb list.
# ```
#
# ```{dropdown} Predict: which verbs would you expect at the blank, and would *like*, *hate* and *love* be among them?
# Skaters meet and see senators. A template's verbs fit many sentences and need not be likely in one: none of the three is among the ten.
# ```

# %% tags=["hide-input"]
printed = published.table3().rename(
    columns={"subword": "token", "sentence": "printed_as"}
)
printed["sentence"] = printed["printed_as"].str.replace("[mask]", "___", regex=False)
printed["form"] = mark_words(printed["token"], "singular", "newman-appendix")
colours = alt.Scale(
    domain=list(FORMS), range=["#009e73", "#d55e00", "#0072b2", "#8a8f98"]
)


def top_ten(rows, sentence, whose):
    """The ten most probable entries of one sentence as bars, coloured by what they are; a verb's lemma in brackets."""
    rows = rows.head(10).reset_index(drop=True)
    lemma = rows["lemma"] if "lemma" in rows else pd.Series([""] * len(rows))
    words = [
        f"{i + 1}. {token.strip()}" + (f" ({of})" if of and of != token.strip() else "")
        for i, (token, of) in enumerate(zip(rows["token"], lemma, strict=True))
    ]
    counts = rows["form"].value_counts()
    said = ", ".join(f"{counts[form]} {form}" for form in FORMS if form in counts)
    shown = rows.assign(entry=words)[["entry", "probability", "form"]]
    title = f"{sentence} {whose}: {said}"
    return charts.bars(
        shown, "entry", "probability", title=title, colour="form", scale=colours
    )


shown = list(dict.fromkeys(printed["sentence"]))
for sentence in shown:
    display(
        top_ten(
            printed[printed["sentence"] == sentence],
            sentence,
            "BERT-large-cased, published",
        )
    )

# %% tags=["remove-input"]
first = printed[printed["sentence"] == shown[0]].groupby("form")["probability"].sum()
mw = float(first["correct"] / (first["correct"] + first["wrong"]))
quoted = published.quoted_values().query("metric == 'TSE'")["value"].iloc[0]
glue("printed_tse", float(quoted))
glue("printed_top_mw", mw)
glue("printed_wrong", 1 - mw)
ten = printed[printed["sentence"] == shown[0]]
guard(
    "none of the three is among the ten",
    not ten["token"].str.removesuffix("s").isin(verbs).any(),
)
guard("one of the three verbs fails", abs(quoted - 2 / 3) < 0.005)
for form in FORMS:
    glue(f"printed_{form}_tokens", ", ".join(ten["token"][ten["form"] == form]))
glue("handout_ten", table(ten[["token", "probability"]], shown[0], digits=3))
table(
    first.reindex(FORMS).rename("probability").reset_index(),
    "The ten printed tokens of the first sentence by form",
    digits=3,
)

# %% [markdown]
# The paper reports a TSE of {glue:text}`printed_tse:.2f` for this sentence: one of the three verbs fails. MW: of the probability on present-tense verbs among the ten, {glue:text}`printed_wrong:.0%` is on wrong forms.

# %% tags=["remove-input"]
grey = printed.loc[printed["form"] == "other", "token"]
display(
    newman.say(
        f"The grey tokens, {' and '.join(f'*{token}*' for token in grey)}, are not on the verb list, so they count in no score.",
    )
)

# %% [markdown] tags=["explains"]
# ## The same sentences, from a model
#
# A {term}`causal model` reads the words left of the blank. A {term}`masked model`, like BERT, reads both sides, and so does the masked {term}`laboratory model` here, which knows a small language of its own.
#
# ```{dropdown} Predict: whose ten most probable tokens will hold more verbs, the causal or the masked model's?
# The masked model has read *are young*, so it can know that exactly one word is missing. A causal model can go on with a noun or a comma as well. The line below the charts has the count.
# ```

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))

# %% tags=["hide-input"]
asked = [*newman.real_models(models), *masked]
opened = {name: load_model(name) for name in asked}
found = {
    (model, sentence): marked_distribution(opened[model], sentence, number, lemmas[0])
    for model in asked
    for sentence, number in zip(sentences, numbers, strict=True)
}
for (model, sentence), marked in found.items():
    display(top_ten(marked, sentence, newman.label(model)))

# %% tags=["remove-input"]
verb_counts = {
    newman.label(model): [
        int((found[model, s].head(10)["form"] != "other").sum()) for s in sentences
    ]
    for model in asked
}
if found:
    display(
        newman.say(
            "Listed verbs among the ten, present or past:",
            "; ".join(
                f"{name} {' and '.join(map(str, counts))}"
                for name, counts in verb_counts.items()
            )
            + ".",
        )
    )
scores = pd.DataFrame(
    [
        {
            "model": newman.label(model),
            "sentence": sentence,
            **slot_scores(marked, verbs),
        }
        for (model, sentence), marked in found.items()
    ],
    columns=["model", "sentence", "tse", "mw", "ew", *FORMS],
)
if found:
    caption = "Scores of each sentence, and the probability on each kind of form"
    named = scores.rename(columns={"tse": "TSE", "mw": "MW", "ew": "EW"})
    display(table(named, caption, digits=3))
else:
    display(newman.say("No model has read these sentences in this build."))

# %% tags=["remove-input"]
rows = [
    m.head(50).assign(model=newman.label(model), sentence=s)
    for (model, s), m in found.items()
]
charts.download_table(pd.concat(rows) if rows else printed, "table3.csv")

# %% tags=["remove-input"]
read_as_nouns = []
for (model, sentence), marked in found.items():
    top = marked.head(10)
    wrong = top.loc[top["form"] == "wrong", "token"].str.strip()
    if len(wrong) and not newman.is_laboratory(model):
        words = ", ".join(f"*{word}*" for word in wrong)
        read_as_nouns.append(f"{sentence} {', '.join(wrong)}")
        display(
            newman.say(
                f"In *{sentence}* the ten likeliest tokens of {newman.label(model)} include {words}, marked wrong",
                "because the list has each as a verb. Read as nouns they continue the noun phrase, and nothing is wrong.",
            )
        )

# %% [markdown] tags=["explains"]
# ### One word before the verb
#
# An adverb before the blank makes such nouns unlikely: *the executive often team* cannot begin a sentence.
#
# ```{dropdown} Predict: what will *often* before the blank do to TSE, EW and MW?
# If the model did not know that *executive* is singular, nothing. If nouns held the probability, all three rise. The table shows which.
# ```

# %% tags=["hide-input"]
said = "Not measured in this build."
rows = []
for model in newman.real_models(models):
    for sentence, number in zip(sentences, numbers, strict=True):
        after = sentence.replace("___", f"{adverb} ___")
        changed = slot_scores(
            marked_distribution(opened[model], after, number, lemmas[0]), verbs
        )
        plain = slot_scores(found[model, sentence], verbs)
        for text, scored in ((sentence, plain), (after, changed)):
            rows.append(
                (newman.label(model), text, *(scored[m] for m in ("tse", "ew", "mw")))
            )
        if len(rows) == 2 * len(sentences):
            said = f"EW {plain['ew']:.2f} without {adverb}, {changed['ew']:.2f} with it; MW {plain['mw']:.2f} and {changed['mw']:.2f}"
if rows:
    columns = ["model", "sentence", "TSE", "EW", "MW"]
    caption = "The same sentences, without an adverb and with one"
    display(table(pd.DataFrame(rows, columns=columns), caption, digits=3))
else:
    display(newman.say("No real model has read them with an adverb in this build."))

# %% tags=["remove-input"]
glue("adverb_said", said)  # quoted by the slides and the lesson
glue("read_as_nouns", "; ".join(read_as_nouns) or "not measured in this build")
try_this(
    *[
        (f"{sentences[-1].partition(' ___')[0]}{between}", numbers[-1])
        for between in ("", f" {adverb}")
    ],
    verb=verbs[0],
)

# %% [markdown] tags=["explains"]
# [What the gap is made of](18_gap.ipynb) does the same to hundreds of sentences. The metrics leave past forms out, because only *was* and *were* show number; [Figure 3](07_figure3.ipynb) shows how much that is.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/05_table3.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from tse_book import published
from tse_core.agreement.slots import mark_words

SENATORS = "The senators that the skater [mask] are young."
PILOTS = "The pilots that the executive [mask] are tall."
top_ten = published.table3()[["sentence", "subword", "probability"]]
top_ten["form"] = mark_words(
    top_ten["subword"], "singular", "newman-appendix"
)  # correct, wrong, past or other

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ TSE without luck
# :label: 05-luck
#
# No programming. {term}`TSE` of one sentence with three verbs can be 0, 1/3, 2/3 or 1. How many verbs would you need before
# one verb's failure costs less than 0.01? What does {term}`EW`, which asks about all, give up in return?
#
# ```{dropdown} Hint
# One failure among n verbs costs 1/n.
# ```
# ````
#
# ```{solution} 05-luck
# :class: dropdown
#
# More than 100. In return EW asks about verbs that no one would use in the sentence: *The senators that the skater rains* is
# a question about grammar alone.
# ```

# %% [markdown]
# ````{exercise} ★★ A sentence that counts
# :label: 05-tse
#
# Choose three other lemmas and ask TSE about them: give `verbs`, a dictionary from three base forms to their third person,
# such that all six forms are printed for `SENATORS`. With these, what is `tse`?
#
# ```{dropdown} Hint
# List the entries marked *correct* and *wrong*, and pair them.
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
# {term}`MW` of `SENATORS` over its ten printed entries says nothing about the tokens that were not printed. Suppose all
# their probability lay on wrong forms; then suppose it all lay on correct ones. Give `low` and `high`, the MW of the two
# cases. Past forms and the entries marked *other* count in neither.
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

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - TSE of a sentence depends on the few verbs that somebody chose; MW asks about those that the model would use.
# - A word that the list marks as a wrong verb may be a noun in the sentence. An adverb before the verb helps to tell.
# - Past forms hold probability that no agreement metric judges.
#
# Functions: {py:func}`tse_core.agreement.slots.marked_distribution`, {py:func}`tse_book.studies.slot_shares.slot_scores` and {py:func}`tse_core.slot_distribution`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
