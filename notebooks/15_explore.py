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
# # Explore: cut-offs, verbs, pairs
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : use three charts: walk along the cut-offs, look up any verb, and read a pair token by token
#
# You need
# : TSE, EW and MW, from [Methods](02_methods.ipynb)
#
# Time
# : as long as you like; two minutes to run on a CPU with the laboratory models
# :::

# %% tags=["remove-cell", "setup"]
# On Colab: install the package (its other needs are there already). Elsewhere only the choice of a profile counts.
# PROFILE = "paper", say, runs other models than those named below:
# base   their small siblings: 2 GB to download, 3 GB of memory on a GPU and 15 minutes there (hours without one)
# paper  the paper's four models: 11 GB to download, 9 GB of memory on a GPU and an hour there (days without one)
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
    subprocess.run([*install, "pooch", "lark", "gguf", "lazy_loader"], check=True)

# %% tags=["parameters"]
models = [
    "smollm2-135m-instruct",
    "lab-lexical-causal",
    "lab-systematic-causal",
]  # names, folders or hub names
data = ["marvin-linzen"]
lemmas = ["newman-clean"]
protocols = ["exact"]
verbs_of = ["marvin-linzen/vp-coordination"]  # the verb chart's data: a dot a verb
pairs_shown = 3  # pairs of each construction in the last chart

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "15_explore")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import charts
from tse_book.laboratory import load_language
from tse_book.pages import figures, glue, newman, table
from tse_core import evaluate, load_lemmas, load_model, load_pairs, surprisals
from tse_core.datasets.pairs import join
from tse_core.paths import store_folder

# %% [markdown]
# ## Walk along the cut-offs
#
# ```{margin} Cut-off
# A share of probability. Top: from the most probable entry down. Bottom: from the least probable up.
# ```
#
# Figures 1 and 2 show all cut-offs at once. Here the slider moves through them one by one, from the verbs a model expects
# most to those it expects least. Choose the model under the chart; the published curves of the paper's models are there
# too, as far as their drawing can be read, and at the whole distribution from Table 2. The line above the dots says over
# how many constructions a mean is taken.
#
# The real model is SmolLM2-135M, tuned to follow instructions and read from weights of four bits. It is none of the paper's models.
#
# ```{dropdown} Predict: when the slider moves from the likely verbs to the unlikely ones, which constructions fall first?
# Those in which a noun stands between subject and verb. Where the subject is next to the verb, the neighbouring word tells even a rare verb which form to take. Watch the order of the dots, not only their height.
# ```

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))

# %% tags=["hide-input"]
measured = figures.measured_curves(
    models, data, lemmas[0], protocol=protocols[0], store=store_folder()
)
printed = newman.with_table2(figures.published_curves(2))
printed["model"] = printed["model"] + " (published)"
charts.cutoff_slider(pd.concat([measured, printed], ignore_index=True))

# %% [markdown]
# What could fool you: at the far ends few contexts have any verb to score. A dot that jumps between two neighbouring cut-offs rests on one or two of them.
#
# ## Look up a verb
#
# Each dot is a {term}`lemma`. To the right: verbs to which the model gives much probability at this slot. Higher: verbs
# whose correct form is ahead in more of the {term}`contexts <context>`. EW is the mean height of the dots; MW weighs them by
# their place to the right. Type a verb to find it.
#
# ```{dropdown} Predict: which verbs of a real model will lie low on the right, frequent and often wrong?
# Verbs whose forms are also something else. *Is* and *are* have no such double, but *guards*, *orders* or *controls* can be a plural noun and *cut*, *put* and *read* a past form. Type a few before you read the table below.
# ```

# %% tags=["hide-input"]
parts = []
for name in models:
    for dataset in verbs_of:
        found = evaluate(name, dataset, lemmas[0], keep="lemmas", store=store_folder())
        parts.append(found.by_lemma.assign(model=found.signature.model))
by_lemma = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
if len(by_lemma):
    display(charts.lemma_explorer(by_lemma))
else:
    print("no model in the parameters: nothing to look up")

# %% [markdown]
# First look at a real model: the cloud widens from right to left. Verbs that it expects are nearly all conjugated correctly; verbs that it does not expect are right sometimes, which is what the fall of the curves is made of. Then compare two models of the laboratory, if both are in the list. The systematic one keeps its dots near the upper edge to the very left. The lexical one has a cloud in the middle of the left side: verbs that are right for one number of the subject only. A real model is neither; ask which of the two its left side resembles more.

# %% tags=["hide-input"]
columns = ["model", "lemma", "contexts", "correct"]
totals = (
    by_lemma[columns].groupby(["model", "lemma"]).sum().reset_index()
    if len(by_lemma)
    else pd.DataFrame(columns=columns)
)
totals["share"] = totals["correct"] / totals["contexts"]
wrong = totals[totals["share"] < 1].sort_values("share", kind="stable")
lowest = wrong.groupby("model", sort=False).head(5).sort_values("model", kind="stable")
table(
    lowest[["model", "lemma", "contexts", "share"]],
    "The five verbs with the lowest share, of those that are ever wrong, per model",
    digits=2,
)

# %% tags=["hide-input"]
language = load_language()
nouns = set(language.nouns["singular"]) | set(language.nouns["plural"])
failing = totals[
    totals["model"].str.startswith("lab-systematic") & (totals["share"] < 0.5)
]["lemma"]
homographs = [lemma for lemma in dict.fromkeys(failing) if lemma in nouns]
glue("failing", ", ".join(dict.fromkeys(failing)) or "none")
glue("failing_nouns", ", ".join(homographs) or "none")
verbs = load_lemmas(lemmas[0]).table
double = set(verbs.loc[verbs["noun"] | (verbs["homograph"] != ""), "lemma"])
parts = []
for name in newman.real_models(models):
    own = totals[totals["model"] == newman.label(name)]
    weak = set(own.loc[own["share"] < 0.5, "lemma"])
    if weak:
        share, usual = len(weak & double) / len(weak), own["lemma"].isin(double).mean()
        parts.append(
            f"{newman.label(name)} is wrong more often than right for {len(weak)} of "
            f"{len(own)} verbs; {100 * share:.0f} % of these have a form that is also a noun "
            f"or a past form, against {100 * usual:.0f} % of all its verbs."
        )
display(newman.say(*parts))

# %% [markdown]
# The verbs that the systematic laboratory model gets wrong are {glue:text}`failing`; of these, {glue:text}`failing_nouns` are nouns of its language as well. Where a form is a {term}`homograph`, its probability at the slot is not only about agreement: the plural noun looks like the singular verb. The language is systematic, but the score also picks up noun readings. The [switchboard](14_pitfalls.ipynb) shows what leaving such verbs out does to a score.
#
# ## Read a pair, token by token
#
# A {term}`causal model` gives each token a {term}`surprisal`. The two sentences of a {term}`minimal pair` share all tokens up
# to the verb, so their bars agree up to there; after the verb they may differ again, when the model is surprised a second
# time by what follows a wrong form.
#
# ```{dropdown} Predict: where in a sentence is a model most surprised, on average?
# At the words that carry most information, which are nouns and verbs, and at the first word after the front token, when everything is possible. A wrong verb form adds a few bits to a verb that was a surprise anyway. That is why the *difference* of two sentences is compared, and not the height of a bar.
# ```

# %% tags=["hide-input"]
pairs = pd.concat([load_pairs(name) for name in data], ignore_index=True)
chosen = pairs.groupby("construction", sort=False).sample(pairs_shown, random_state=1)
rows = []
readers = [model for model in map(load_model, models) if model.kind == "causal"]
for model in readers:
    for pair in chosen.itertuples():
        shown = f"{pair.construction}: {join(pair.left, f'{pair.correct}/{pair.wrong}', pair.right)}"
        for sentence, verb in (("good", pair.correct), ("bad", pair.wrong)):
            found = surprisals(model, join(pair.left, verb, pair.right))
            found = found.assign(
                pair=shown,
                sentence=sentence,
                model=model.label,
                position=found["position"] + 1,
            )
            rows.append(
                found.assign(bits=found["surprisal"].where(found["scored"]).round(3))
            )
tokens = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
kept = ["model", "pair", "sentence", "position", "token", "bits"]
if len(tokens):
    display(charts.token_browser(tokens[kept]))
else:
    print("no model in the parameters: nothing to read")

# %% tags=["hide-input"]
if len(tokens):
    sums = tokens.pivot_table("bits", ["model", "pair"], "sentence", aggfunc="sum")
    preferred = sums["good"] < sums["bad"]
    shares = preferred.groupby("model", sort=False).mean().rename("share").reset_index()
    glue("pairs_read", int(chosen.shape[0]))
else:
    shares = pd.DataFrame(columns=["model", "share"])
    glue("pairs_read", "no")
table(
    shares,
    "Share of these pairs whose good sentence is the more probable one as a whole",
    digits=2,
)

# %% [markdown]
# The chart holds {glue:text}`pairs_read` pairs. Whole-sentence comparison, as here and in BLiMP, and the comparison of two
# forms at one slot, as in TSE, need not agree on a pair: the words after the verb have a say in the first and none in the
# second.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study.
# {download}`These exercises as a notebook <../_build/exercises/15_explore.ipynb>`: empty cells for your answers, and checks that judge them.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

from tse_book.laboratory import laboratory_ngram
from tse_core import evaluate, load_pairs, surprisals
from tse_core.datasets.pairs import join

found = evaluate(
    "lab-lexical-causal", "marvin-linzen/simple", "newman-clean", keep="lemmas"
)
verbs = found.by_lemma[["lemma", "subject", "number", "contexts", "correct"]]

# Pairs read by an n-gram model: surprisal of the verb, and of all that follows it, in both sentences.
chosen = load_pairs("marvin-linzen/across-prepositional-phrase").sample(
    60, random_state=1
)
sides = {"good": "correct", "bad": "wrong"}
rows = [{} for _ in range(len(chosen))]
for side, form in sides.items():
    texts = [
        join(*parts)
        for parts in zip(chosen["left"], chosen[form], chosen["right"], strict=True)
    ]
    tokens = surprisals(laboratory_ngram(4000), texts)
    for row, left, (_, own) in zip(
        rows, chosen["left"], tokens.groupby("sentence"), strict=True
    ):
        bits, slot = own["surprisal"].to_list(), len(left.split())
        row |= {f"verb_{side}": bits[slot], f"after_{side}": sum(bits[slot + 1 :])}
read = pd.DataFrame(rows)


# %% [markdown]
# ````{exercise} ★ The mean height of the dots
# :label: 15-mean
#
# `verbs` has a row for each {term}`lemma`, subject and number: in how many {term}`contexts <context>` the lemma was scored, and in
# how many its correct form was ahead. Compute `height`, a Series from lemma to its share of correct contexts, and `ew`, the mean
# of the heights. Which score of the model is that?
#
# ```{dropdown} Hint
# Sum `contexts` and `correct` over the rows of a lemma first, then divide.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# It is EW: every verb counts alike, however likely it is.
sums = verbs.groupby("lemma")[["correct", "contexts"]].sum()
height = sums["correct"] / sums["contexts"]
ew = float(height.mean())

# %% tags=["hide-cell", "check"]
assert isinstance(height, pd.Series), "height should be a Series from lemma to share"
assert isinstance(ew, float), "ew should be a number"
assert len(height) == verbs["lemma"].nunique(), (
    "height should have one value for each lemma"
)
assert height.between(0, 1).all(), "a share lies between 0 and 1"
assert abs(ew - found.table()["EW"].iloc[0]) < 1e-9, (
    "ew should be the EW of the evaluation"
)
print(f"EW {ew:.3f}: the mean height of {len(height)} dots.")

# %% [markdown]
# ````{exercise} ★★ Habits
# :label: 15-habits
#
# Some verbs are right for one number of the subject only. Make `habits`, a Series from lemma to the difference between its share
# of correct contexts with singular and with plural subjects (singular minus plural), for the ten verbs with the largest
# differences in either direction.
#
# ```{dropdown} Hint
# `groupby(["lemma", "number"])`, then `unstack("number")` gives a column for each number.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# +1 is a verb that is always singular, -1 one that is always plural: it has a favourite form.
by_number = verbs.groupby(["lemma", "number"])[["correct", "contexts"]].sum()
share = (by_number["correct"] / by_number["contexts"]).unstack("number")
difference = share["singular"] - share["plural"]
habits = difference[difference.abs().nlargest(10).index]

# %% tags=["hide-cell", "check"]
assert isinstance(habits, pd.Series), (
    "habits should be a Series from lemma to difference"
)
assert len(habits) == 10, "habits should hold ten verbs"
totals = verbs.pivot_table(["correct", "contexts"], "lemma", "number", aggfunc="sum")
gap = totals["correct", "singular"] / totals["contexts", "singular"]
gap -= totals["correct", "plural"] / totals["contexts", "plural"]
assert (habits - gap[habits.index]).abs().max() < 1e-9, (
    "habits: share for singular minus share for plural"
)
assert habits.abs().min() >= gap.drop(habits.index).abs().max() - 1e-9, (
    "another verb is more one-sided"
)
print(
    f"{(gap.abs() > 0.9).sum()} of {len(gap)} verbs take one form whatever the subject."
)

# %% [markdown]
# ````{exercise} ★★ The second surprise
# :label: 15-second
#
# In the chart of token surprisals, find a pair whose bars differ again *after* the verb. What would a reader make of the word
# there? And what does that mean for a comparison of whole sentences?
#
# ```{dropdown} Hint
# Read *The author laugh* aloud, and go on. Which continuation would make it a sentence?
# ```
# ````
#
# ```{solution} 15-second
# :class: dropdown
#
# After a wrong form the rest is read in another structure: in *The author laugh*, *laugh* could be part of a noun, and a period
# comes too early. So the wrong form is punished twice, at the verb and after it, or it is made up for, if what follows fits the
# other reading. A comparison of whole sentences adds both; a comparison at the slot sees the first alone.
# ```

# %% [markdown]
# ````{exercise} ★★★ Slot or sentence?
# :label: 15-slot
#
# `read` holds the surprisals of sixty pairs, as an n-gram model has them: of the verb (`verb_good`, `verb_bad`) and of what
# follows it (`after_good`, `after_bad`). What stands before the verb is the same in both sentences. Compute three shares: `slot`,
# of pairs whose good *verb* is less surprising; `sentence`, of pairs whose good *sentence* is; and `changed`, of pairs on which
# the two verdicts differ. Is the difference of the first two a good measure of the third?
#
# ```{dropdown} Hint
# The surprisal of a sentence is the sum over its parts; the shared part cancels out.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Verdicts change in both directions, so the shares can be close although single pairs are not.
# Two methods that agree in the mean need not agree on any one pair.
at_the_slot = read["verb_good"] < read["verb_bad"]
good, bad = (read[f"verb_{side}"] + read[f"after_{side}"] for side in ("good", "bad"))
slot = float(at_the_slot.mean())
sentence = float((good < bad).mean())
changed = float((at_the_slot != (good < bad)).mean())

# %% tags=["hide-cell", "check"]
for name, value in {"slot": slot, "sentence": sentence, "changed": changed}.items():
    assert isinstance(value, float), f"{name} should be a number from 0 to 1"
verb = read["verb_bad"] - read["verb_good"]
whole = verb + read["after_bad"] - read["after_good"]
assert abs(slot - (verb > 0).sum() / len(read)) < 1e-9, "slot: compare the verbs alone"
assert abs(sentence - (whole > 0).sum() / len(read)) < 1e-9, (
    "sentence: add what follows the verb"
)
assert abs(changed - ((verb > 0) ^ (whole > 0)).sum() / len(read)) < 1e-9, (
    "changed: where do the verdicts differ?"
)
assert changed >= abs(slot - sentence) - 1e-9, (
    "changed cannot be smaller than the difference of the shares"
)
print(f"slot {slot:.2f}, sentence {sentence:.2f}, changed {changed:.2f}.")

# %% [markdown]
# ## Takeaways
#
# - A curve is made of verbs; look at them before explaining it.
# - EW is the mean height of the cloud, MW the height of its right-hand end.
# - Sentence scores and slot scores answer different questions.
#
# The functions of this chapter: {py:func}`tse_core.evaluate`, {py:func}`tse_core.surprisals`, {py:func}`tse_book.charts.lemma_explorer`, {py:func}`tse_book.charts.cutoff_slider` and {py:func}`tse_book.charts.token_browser`. All others are in the [reference](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
