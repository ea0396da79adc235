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
# # Pitfalls
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : meet four faults that hide in running code, flip the policies that nobody writes down, and see which of them move a score
#
# You need
# : [Methods](02_methods.ipynb); the code is short and each example stands alone
#
# Time
# : 25 minutes to read, two minutes to run on a CPU with the laboratory models; no GPU
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
models = ["lab-lexical-causal"]  # names, folders or hub names
lemmas = ["newman-clean"]
data = ["marvin-linzen"]
subset = [
    "marvin-linzen/simple",
    "marvin-linzen/vp-coordination",
]  # kept small: every switch is a new run
runs = 200  # simulated studies per row of the last table

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_core.profiles import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
import csv
import io

import numpy as np
import pandas as pd
import torch
from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE

from tse_core import (
    charts,
    cutoff_scores,
    evaluate,
    load_lemmas,
    load_model,
    load_pairs,
)
from tse_core.interval_coverage import simulated_coverage
from tse_core.lemmas import Lemmas
from tse_core.notebook import glue, signed, table
from tse_core.pairs import unique_contexts
from tse_core.paths import store_folder
from tse_core.uncertainty import interval, noun_of

# %% [markdown]
# ## Four faults in released code
#
# The code that {cite:t}`newman2021refining` released is clear and short, and its metrics are right. Four details of it
# change numbers all the same. Each can be shown in a few lines, and each is a kind of mistake that any of us makes.
#
# ### A table keyed on a blank column
#
# In the released verb list every row has the same sign, `_`, in its first column, and the loader keys a dictionary on that
# column. Here is such a file with three verbs.

# %%
verb_list = "index,singular,plural\n_,walks,walk\n_,sees,see\n_,was,were\n"
by_index = {
    row["index"]: (row["singular"], row["plural"])
    for row in csv.DictReader(io.StringIO(verb_list))
}
print(
    f"rows in the file: {len(verb_list.splitlines()) - 1}, verbs in the dictionary: {len(by_index)}"
)
by_index

# %%
released = load_lemmas("newman-released")
kept = dict(zip("_" * len(released), released.table["lemma"], strict=True))
glue("released_rows", len(released))
glue("released_kept", len(kept))
print(f"{released.name}: {len(released):,} rows, {len(kept)} left under one key")

# %% [markdown]
# Of {glue:text}`released_rows` rows {glue:text}`released_kept` is left, and EW over a single verb is TSE by another name.
# The paper's own table cannot come from that file: its EW and TSE differ. So the list was blanked after the runs, and this
# book numbers its rows again.
#
# *What to learn:* count what was loaded, and print the count next to the score. Every {term}`signature` here does.
#
# ### A sum that reaches one too early
#
# At top 100 % every lemma should count. The released code finds the cut-off in a running sum that is stored in single
# precision. On a peaked distribution that sum rounds to 1.0 long before the last token, and the lemmas behind that point
# are never looked at.

# %%
random = np.random.default_rng(0)
vocabulary, verbs = 30_000, 400
logits = random.normal(0, 4, (1, vocabulary)).astype("float32")
ids = random.permutation(vocabulary)[: 2 * verbs].reshape(verbs, 2)
probability = torch.tensor(logits).softmax(-1).sort(descending=True).values[0]
running = probability.double().cumsum(0).float()
reached = int((running >= 1).nonzero()[0])
print(f"the single-precision sum reaches 1.0 at rank {reached:,} of {vocabulary:,}")

# %%
rows = []
for name, accumulate in (
    ("every lemma (float64)", "float64"),
    ("as released (float32)", "float32"),
):
    found = cutoff_scores(
        torch.tensor(logits),
        torch.tensor(ids),
        torch.tensor([0]),
        top=(1.0,),
        bottom=(),
        accumulate=accumulate,
    )
    rows.append((name, float(found.ew_top[0, 0]), float(found.mw_top[0, 0])))
behind = (
    torch.tensor(logits)[0, ids]
    < torch.tensor(logits).sort(descending=True).values[0, reached]
).all(1)
glue("unseen", int(behind.sum()))
glue("verbs", verbs)
table(
    pd.DataFrame(rows, columns=["running sum", "EW", "MW"]),
    "One context, 400 random lemmas, top 100 %",
    digits=4,
)

# %% [markdown]
# {glue:text}`unseen` of {glue:text}`verbs` lemmas lie wholly behind that rank. MW hardly notices, since they have no
# probability to speak of. EW does: it counts them all alike.
#
# *What to learn:* a limit of "everything" should not go through arithmetic at all.
#
# ### The mask that is not where it was counted
#
# RoBERTa's tokenizer writes the space into the following word, so a word at the start of a text and the same word after a
# space can be split differently. The released code encodes the sentence with a space in front, but finds the mask's place
# by counting the tokens of the left context without one. A tokenizer trained on two short lines shows the slip.

# %%
tokenizer = Tokenizer(BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
alphabet = pre_tokenizers.ByteLevel.alphabet()
trainer = trainers.BpeTrainer(
    vocab_size=300,
    special_tokens=["<mask>"],
    initial_alphabet=alphabet,
    show_progress=False,
)
tokenizer.train_from_iterator([" Hardy laughs", " Hardy sees us"], trainer)
sentence = tokenizer.encode(" Hardy<mask> us.").tokens
counted = len(tokenizer.encode("Hardy").tokens)
table(
    pd.DataFrame(
        {
            "place": range(len(sentence)),
            "token": [t.replace("Ġ", "␣") for t in sentence],
        }
    ).head(4),
    "The sentence as encoded (␣ is a space inside a token)",
)

# %%
print("the mask stands at place", sentence.index("<mask>"))
print("counting the left context without its space gives", counted)
print(
    "so the score is read at",
    repr(sentence[counted])
    if counted < len(sentence)
    else "a place after the sentence",
)

# %% [markdown]
# *What to learn:* look a position up by what stands there, never by counting something else.
#
# ### Contexts that do not say their number
#
# Seen from the left, *The sheep that the guard likes* is singular or plural. The released code takes the first label that
# it meets for such a string, and drops the other.

# %%
sheep = pd.DataFrame(
    {
        "construction": "Across object relative clause",
        "left": ["The sheep that the guard likes"] * 2
        + ["The key that the guard likes"],
        "right": ["."] * 3,
        "number": ["singular", "plural", "singular"],
    }
)
rows = [
    (protocol, len(unique_contexts(sheep, "causal", protocol)))
    for protocol in ("released", "exact")
]
table(
    pd.DataFrame(rows, columns=["protocol", "contexts"]),
    "How many contexts three pairs make for a causal model",
)

# %% [markdown]
# Half of the two sheep's verbs are wrong by force, whatever the model does. Keeping both contexts keeps the loss visible;
# leaving such items out would be better still.
#
# ## Both protocols, side by side
#
# The last three of the four can still be had: `released` repeats the authors' arithmetic, mask index and labels, and is
# what published numbers are compared with; `exact` does what the definitions say.

# %%
opened = {load_model(name).label: load_model(name) for name in models}
store = store_folder()
pairs = pd.concat([load_pairs(name) for name in subset], ignore_index=True)
pairs.attrs["name"] = "+".join(name.rpartition("/")[2] for name in subset)


def scores(model, pairs=pairs, verbs=lemmas[0], **options):
    """Table 2's rows in long form."""
    found = evaluate(model, pairs, verbs, store=store, **options)
    return found.table().melt(
        "construction", ["MW", "EW", "TSE"], var_name="metric", value_name="score"
    )


keys = ["construction", "metric"]
default = {
    label: scores(model).set_index(keys)["score"] for label, model in opened.items()
}
as_released = {
    label: scores(model, protocol="released").set_index(keys)["score"]
    for label, model in opened.items()
}
both = [
    pd.DataFrame({"exact": default[label], "released": as_released[label]})
    .reset_index()
    .assign(model=label)
    for label in opened
]
both = (
    pd.concat(both)
    if both
    else pd.DataFrame(columns=[*keys, "exact", "released", "model"])
)
both["difference"] = both["released"] - both["exact"]
table(
    both[["model", *keys, "exact", "released", "difference"]],
    "Top 100 % under both protocols",
    digits=4,
)

# %% [markdown]
# ## The switchboard
#
# Papers rarely print these choices, and tools differ in them: a token before the first word, a space before it, a capital,
# a final period, the verb list, the precision of the weights. Each row below is a run with one of them flipped and
# everything else as in the paper.

# %%
base = load_lemmas(lemmas[0]).table
plain = base[(base["homograph"] == "") & ~base["noun"]].reset_index(drop=True)
plain = Lemmas(f"{lemmas[0]}-plain", plain)
lower = pd.concat(
    [load_pairs(name, capital=False) for name in subset], ignore_index=True
)
open_end = pd.concat(
    [load_pairs(name, period=False) for name in subset], ignore_index=True
)


def flipped(name, model):
    """One policy changed at a time: what the list shows -> the scores."""
    options = {
        "no capital on the first word": lambda: scores(model, lower),
        "no final period": lambda: scores(model, open_end),
        "a space before the first word": lambda: scores(
            model.with_policies(leading_space=True)
        ),
        "verbs: the appendix, junk and all": lambda: scores(
            model, verbs="newman-appendix"
        ),
        "verbs: the released file": lambda: scores(model, verbs="newman-released"),
        "verbs: none that is also a noun or a past form": lambda: scores(
            model, verbs=plain
        ),
        "weights in half precision (bfloat16)": lambda: scores(
            load_model(name, dtype="bfloat16")
        ),
        "running sum in float32": lambda: scores(model, protocol="released"),
    }
    if model.kind == "causal" and model.tokenizer.bos_token_id is not None:
        other = "none" if model.policies()["bos"] == "add" else "add"
        options[f"BOS: {other}"] = lambda: scores(model.with_policies(bos=other))
    return {switch: run() for switch, run in options.items()}


rows = []
for name, model in zip(models, opened.values(), strict=True):
    for switch, result in flipped(name, model).items():
        before = default[model.label].rename("score").reset_index()
        for setting, part in (("default", before), ("flipped", result)):
            rows.append(part.assign(model=model.label, switch=switch, setting=setting))
board = pd.concat(rows, ignore_index=True).dropna() if rows else pd.DataFrame()
for label, model in opened.items():
    print(
        label,
        "default:",
        signed(evaluate(model, pairs, lemmas[0], store=store).signature),
    )

# %% tags=["hide-input"]
charts.switchboard(board) if len(board) else print(
    "no model in the parameters: nothing to flip"
)

# %% tags=["hide-input"]
if len(board):
    moved = board.pivot_table("score", ["model", "switch", *keys], "setting")
    moved = (
        (moved["flipped"] - moved["default"])
        .unstack("metric")
        .abs()
        .groupby(["model", "switch"])
        .max()
    )
    glue("largest_move", float(moved.max().max()))
    glue("largest_switch", moved.max(axis=1).idxmax()[1])
    shown = moved.reset_index()
else:
    glue("largest_move", "not yet run")
    glue("largest_switch", "not yet run")
    shown = pd.DataFrame(columns=["model", "switch", "EW", "MW", "TSE"])
table(shown, "Largest change of any construction's score, by switch", digits=4)

# %% [markdown]
# The largest movement here is {glue:text}`largest_move`, from this switch: {glue:text}`largest_switch`. Which switch
# matters depends on the model: a model that has never seen a lower-case first word reads it as an unknown word, and one
# whose vocabulary has no junk verbs cannot be hurt by them. That is the reason to print the switches with the score.
#
# ### Ties
#
# In half precision two forms can get the very same score. Here a tie is wrong; a tool that calls it right, or asks for
# "not less", turns lost precision into skill.

# %%
rows = []
for name in models:
    for dtype in ("float32", "bfloat16"):
        found = evaluate(
            load_model(name, dtype=dtype), pairs, lemmas[0], store=store
        ).pairs.dropna(subset="tse")
        tied = found["log_probability_correct"] == found["log_probability_wrong"]
        wrong, right = found["tse"].mean(), (found["tse"] + tied).mean()
        rows.append(
            (
                name.rstrip("/").rpartition("/")[2],
                dtype,
                len(found),
                int(tied.sum()),
                wrong,
                right,
            )
        )
columns = ["model", "weights", "pairs", "ties", "TSE, ties wrong", "TSE, ties right"]
table(
    pd.DataFrame(rows, columns=columns),
    "Ties among the two forms of the pairs",
    digits=4,
)

# %% [markdown]
# ## Intervals for the wrong unit
#
# A construction's hundreds of contexts come from ten nouns. An interval that takes them for independent is too narrow where
# the nouns differ, and can be too wide where the singular and the plural of a noun err in opposite ways. Clustering by noun
# gets both right. The two columns are intervals for the same mean.

# %%
rows = []
for name in models:
    for dataset in data:
        contexts = evaluate(name, dataset, lemmas[0], store=store).contexts
        for construction, group in contexts.groupby("construction", sort=False):
            alone = interval(group["mw"])
            shared = interval(group["mw"], noun_of(group["subject"]))
            row = {
                "construction": construction,
                "contexts": len(group),
                "nouns": shared.clusters,
            }
            row |= {
                "independent": alone.high - alone.low,
                "by noun": shared.high - shared.low,
            }
            rows.append({"model": name.rstrip("/").rpartition("/")[2], **row})
columns = ["model", "construction", "contexts", "nouns", "independent", "by noun"]
table(
    pd.DataFrame(rows, columns=columns),
    "Width of the 95 % interval of MW: contexts as if independent, and clustered by noun",
    digits=4,
)

# %% [markdown]
# Does the clustered one hold what it promises? A simulation knows the score of the whole population of nouns, draws a few of
# them, and counts how often the interval contains it.

# %%
found = pd.DataFrame(
    [simulated_coverage(clusters, runs=runs) for clusters in (5, 10, 30)]
)
found = found.rename(
    columns={
        "below": "interval too low",
        "above": "interval too high",
        "clusters": "nouns",
    }
)
glue("rule_of_three", 1 - interval(np.ones(10)).low)
glue("coverage_ten", float(found.loc[found["nouns"] == 10, "coverage"].iloc[0]))
table(
    found,
    f"Share of {runs} simulated studies whose 95 % interval holds the truth",
    digits=3,
)

# %% [markdown]
# From 30 nouns up the promise is kept. With the ten main nouns of the templates it was kept in
# {glue:text}`coverage_ten:.3f` of the studies here: ten nouns say little about their kind, and no formula can change that.
# A row that scores 1.00 has an interval too: ten nouns without an error are compatible with a share of error-prone nouns
# of up to {glue:text}`rule_of_three:.2f` (the {term}`rule of three`).
#
# ## Exercises
#
# ```{exercise} Find the fault
# :label: 14-fault
#
# A colleague reports EW = TSE = 1.000 to the last digit for every model. Which of the four faults would you look for
# first, and what one number would you ask for?
# ```
#
# ```{solution} 14-fault
# :class: dropdown
#
# The table keyed on a blank column. Ask how many lemmas counted.
# ```
#
# ```{exercise} How peaked is too peaked?
# :label: 14-peaked
#
# The example drew logits with a standard deviation of 4. At which standard deviation, of 1 to 8, does the
# single-precision sum first reach 1.0 before nine tenths of the vocabulary?
# ```


# %% tags=["hide-cell", "solution"]
def early(deviation):
    """Rank at which the stored sum reaches one, as a share of the vocabulary."""
    values = np.random.default_rng(0).normal(0, deviation, vocabulary).astype("float32")
    ordered = torch.tensor(values).softmax(-1).sort(descending=True).values
    reached = (ordered.double().cumsum(0).float() >= 1).nonzero()
    return float(reached[0]) / vocabulary if len(reached) else 1.0


ranks = pd.DataFrame(
    {"standard deviation": range(1, 9), "share": [early(d) for d in range(1, 9)]}
)
table(ranks, "Where the stored sum reaches 1.0, as a share of the vocabulary", digits=3)

# %% [markdown]
# ```{exercise} A switch of your own
# :label: 14-own
#
# Add a switch to `flipped` that removes the most frequent verb, *be*, from the list. Which metric moves more, and why?
# ```
#
# ```{solution} 14-own
# :class: dropdown
#
# MW, wherever the model would say *is* or *are*: it weighs verbs by their probability. EW loses one vote in hundreds.
# ```
#
# ## Takeaways
#
# - Count what was loaded; look positions up; keep "everything" out of floating point; keep ambiguous items visible.
# - A score without its policies cannot be compared with another.
# - Sentences from one template are not independent; nouns are the units, and ten are few.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.profiles import offer_results

    offer_results()
