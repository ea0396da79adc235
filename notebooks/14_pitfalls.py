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
# : meet four faults in running code, see what one token before a sentence does, flip policies, and learn which interval fits which claim
#
# You need
# : [Methods](02_methods.ipynb); each example stands alone
#
# Time
# : 12 minutes to read, a few minutes to run on a CPU
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
models = ["smollm2-135m-instruct", "lab-lexical-causal"]  # names, folders or hub names
lemmas = ["newman-clean"]
data = ["marvin-linzen"]
subset = [
    "marvin-linzen/simple",
    "marvin-linzen/vp-coordination",
]  # kept small: every switch is a new run
recorded = (
    "smollm2-135m-instruct"  # whose recorded runs on BLiMP and SyntaxGym are shown
)
runs = 200  # simulated studies per row of the last table

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "14_pitfalls")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import csv
import io

import numpy as np
import pandas as pd
import torch
from IPython.display import display
from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE

from tse_book import charts
from tse_book.pages import glue, guard, newman, not_recorded, table, try_this
from tse_book.studies import policy_switches, recorded_pairs
from tse_book.studies.coverage import (
    simulated_coverage,
    simulated_crossed_coverage,
    simulated_difference_coverage,
)
from tse_core import cutoff_scores, evaluate, load_lemmas, load_model
from tse_core.blimp import tables
from tse_core.datasets.pairs import unique_contexts
from tse_core.paths import data_folder, store_folder
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import subject_clusters

store = store_folder()

# %% [markdown] tags=["explains"]
# What can go wrong between a definition and a number?
#
# ## Four faults in released code
#
# The code that {cite:t}`newman2021refining` released is clear, and its metrics are right. Four details change numbers all the same.
#
# ### A table keyed on a blank column
#
# In the released verb list every row has the same character, `_`, in its first column, which the loader takes for a dictionary's key: each row overwrites the one before it. A file with three verbs shows it:

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

# %% tags=["hide-input"]
released = load_lemmas("newman-released")
kept = dict(zip("_" * len(released), released.table["lemma"], strict=True))
glue("released_rows", len(released))
glue("released_kept", len(kept))
print(f"{released.name}: {len(released):,} rows, {len(kept)} left under one key")

# %% [markdown]
# Of the list's {glue:text}`released_rows` rows {glue:text}`released_kept` is left, and EW over one verb is its TSE.
#
# *Lesson:* print the count next to the score, as every {term}`signature` here does.
#
# ### A sum that reaches one too early
#
# At top 100 % every lemma should count. The released code finds the cut-off in a running sum in single precision. It rounds to 1.0 long before the last token; lemmas beyond that point are not looked at.

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
# {glue:text}`unseen` of {glue:text}`verbs` lemmas lie wholly below that rank. EW counts them like all others. *Lesson:* at 100 %, skip the sum.
#
# ### The mask that is not where it was counted
#
# The released code encodes RoBERTa's sentence with a space before it, but finds the mask's place by counting the tokens of the left context without one. A tokenizer trained on two short lines shows the slip.

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

# %% tags=["hide-input"]
print("the mask stands at place", sentence.index("<mask>"))
print("counting the left context without its space gives", counted)
print(
    "so the score is read at",
    repr(sentence[counted])
    if counted < len(sentence)
    else "a place after the sentence",
)

# %% [markdown] tags=["explains"]
# *Lesson:* look a position up by what is there, never by counting something else.
#
# ### Contexts that are ambiguous in number
#
# Seen from the left, *The sheep that the guard likes* is singular or plural. The released code keeps the first label that it meets.

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
# Any model is wrong for one of them.

# %% tags=["remove-input"]
sheep_left = sheep["left"].iloc[0]
try_this((sheep_left, "singular"), (sheep_left, "plural"))

# %% [markdown]
# ## The token before the first word
#
# ```{margin} BOS token
# The token, if any, that a program puts before the first word of a text.
# ```
#
# A {term}`causal model` predicts each token from what stands before it. Before the first word the paper puts nothing for GPT-2; other tools put what the tokenizer names as its beginning of a sequence; this book puts the token that stood between documents in pretraining. For SmolLM2-135M-Instruct the three differ: nothing, `<|im_start|>`, `<|endoftext|>`.
#
# [What the gap is made of](18_gap.ipynb) shows how far this moves TSE and EW. On BLiMP look at pairs that differ in their *first* token: without a BOS token that token is not scored.

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))

# %% tags=["hide-input"]
both = {bos: recorded_pairs(recorded, bos=bos) for bos in ("default", "none")}
if all(both.values()):
    pairs_of = {bos: run.pairs for bos, run in both.items()}
    test = tables.compare(pairs_of["default"], pairs_of["none"], "all").iloc[0]
    unscored = pairs_of["none"]["unscored_difference"]
    shares = {
        "all pairs": slice(None),
        "pairs that differ in the first token": unscored,
        "all other pairs": ~unscored,
    }
    display(
        table(
            pd.DataFrame(
                [
                    {
                        "BLiMP": kind,
                        "pairs": len(pairs_of["none"].loc[chosen]),
                        newman.bos_of(both["default"].signature): pairs_of["default"]
                        .loc[chosen, "correct"]
                        .mean(),
                        "nothing": pairs_of["none"].loc[chosen, "correct"].mean(),
                    }
                    for kind, chosen in shares.items()
                ]
            ),
            f"{recorded} on BLiMP, with and without a BOS token (recorded)",
            digits=3,
        )
    )
    display(
        newman.say(
            f"On the same {int(test['pairs']):,} pairs the two conventions differ by "
            f"{100 * test['difference']:.1f} points [{100 * test['low']:.1f}, "
            f"{100 * test['high']:.1f}]: {int(test['only_first']):,} pairs are right only "
            f"with the token, {int(test['only_second']):,} only without it."
        )
    )
else:
    display(not_recorded(recorded, "BLiMP's pairs with and without a BOS token"))

# %% [markdown] tags=["explains"]
# ## The switchboard
#
# Tools differ in *policies* that papers rarely print. Each switch is a run with one of them flipped: the hollow marks stay, the filled ones move.
#
# ```{dropdown} Predict: which switch cannot move any number of a causal model?
# The final period. It stands to the right of the verb, where a causal model has not looked yet.
# ```

# %% tags=["hide-input"]
board = (
    pd.concat(
        [policy_switches(name, subset, lemmas[0], store) for name in models],
        ignore_index=True,
    )
    if models
    else pd.DataFrame()
)
causal = [newman.label(name) for name in models if load_model(name).kind == "causal"]
if len(board):
    ends = board.query("model in @causal and switch == 'no final period'")
    ends = ends.pivot_table("score", ["model", "construction", "metric"], "setting")
    assert (ends["flipped"] == ends["default"]).all(), (
        "a causal model has not read the final period"
    )

# %% tags=["hide-input"]
charts.switchboard(board) if len(board) else print(
    "no model in the parameters: nothing to flip"
)

# %% tags=["hide-input"]
tried = " and ".join(dict.fromkeys(board["construction"])) if len(board) else ""
if len(board):
    moved = board.pivot_table(
        "score", ["model", "switch", "construction", "metric"], "setting"
    )
    moved = (
        (moved["flipped"] - moved["default"])
        .unstack("metric")
        .abs()
        .groupby(["model", "switch"])
        .max()
    )
    for label, part in moved.groupby("model", sort=False):
        far = part.max(axis=1).idxmax()[1]
        size, still = part.loc[(label, far)].max(), part.max(axis=1) == 0
        without = ", ".join(switch for _, switch in part.index[still]) or "none"
        display(
            newman.say(
                f"{label}, {tried}: the largest movement is {size:.3f}, from this switch: *{far}*. "
                f"Without any effect: {without}."
            )
        )
    shown = moved.reset_index()
else:
    shown = pd.DataFrame(columns=["model", "switch", "EW", "MW", "TSE"])
table(
    shown,
    f"Largest change of a score of {tried or 'a construction'}, by switch",
    digits=4,
)

# %% [markdown] tags=["explains"]
# ### Half precision
#
# In half precision scoring is faster and coarser. Nothing chooses it for you: `dtype="bfloat16"` asks for it, or `"float16"` on a card such as a T4. Two forms can then get the very same score. Here a {term}`tie` is wrong; a tool that calls it right turns lost precision into skill.

# %% tags=["hide-input"]
half = pd.read_csv(data_folder() / "recorded" / "half_precision.csv")
columns = {
    "dtype": "weights",
    "TSE": "TSE",
    "EW": "EW",
    "MW": "MW",
    "ties": "ties",
    "accuracy": "BLiMP",
    "decisions_changed": "decisions changed",
    "sentence_ties": "ties of sentences",
}
one, two, other = (
    half.set_index("dtype").loc[["float32", "bfloat16", "float16"]].to_dict("records")
)
glue(
    "half_precision",
    f"{two['model']} in bfloat16: EW of a construction moves by up to {two['EW_largest_change']:.3f}, TSE by up to "
    f"{two['TSE_largest_change']:.3f}, and {two['decisions_changed']} of {two['sentence_pairs']} BLiMP pairs change sides. "
    f"Scoring contexts takes {two['seconds_of_slots'] / one['seconds_of_slots']:.0%} of the time that float32 needs. "
    f"In float16 EW moves by up to {other['EW_largest_change']:.3f}, TSE by {other['TSE_largest_change']:.3f}.",
)
guard(
    "scoring is faster and coarser",
    two["seconds_of_slots"] < one["seconds_of_slots"] and two["ties"] > one["ties"],
)
table(
    half[list(columns)].rename(columns=columns),
    f"{one['model']}: {one['contexts']} contexts and {one['sentence_pairs']} sentence pairs in full and in half precision (recorded)",
    digits=3,
)

# %% [markdown]
# {glue:text}`half_precision:s`
#
# ## Intervals for the wrong unit
#
# ```{dropdown} Predict: a construction has hundreds of contexts and ten nouns. Is an interval over contexts too narrow or too wide?
# Too narrow where nouns differ, since contexts with the same noun repeat each other. But if a noun's singular is easy where its plural is hard, errors cancel, and it is too wide.
# ```
#
# Contexts as if independent, and {term}`clustered <cluster>` by subject noun:

# %% tags=["hide-input"]
rows = []
for name in models:
    for dataset in data:
        contexts = evaluate(name, dataset, lemmas[0], store=store).contexts
        for construction, group in contexts.groupby("construction", sort=False):
            alone = interval(group["mw"])
            shared = interval(group["mw"], subject_clusters(group))
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
# A simulation that knows the score of all nouns counts how often the clustered interval contains it.

# %% tags=["hide-input"]
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
most = found.sort_values("nouns").iloc[-1]
guard(
    "with fewer nouns it is wider",
    found.sort_values("nouns")["width"].is_monotonic_decreasing,
)
glue("most_nouns", int(most["nouns"]))
glue("coverage_most", float(most["coverage"]))
table(
    found,
    f"Share of {runs} simulated studies whose 95 % interval contains the truth",
    digits=3,
)

# %% [markdown]
# With {glue:text}`most_nouns` nouns the interval contains the truth in {glue:text}`coverage_most:.1%` of the simulated studies, with ten, as in most of the templates, in {glue:text}`coverage_ten:.1%`; with fewer nouns it is wider. If none of ten nouns shows an error, up to {glue:text}`rule_of_three:.0%` of all such nouns may still do so (the exact form of the {term}`rule of three`).
#
# An interval by noun is about other subjects and *these* verbs. For verbs in general, draw subjects and verbs, as this simulation does.

# %% tags=["hide-input"]
crossed = [
    {
        "score": f"TSE of {count} verbs",
        **simulated_crossed_coverage(20, count, runs=runs),
    }
    for count in (4, 6, 8)
]
drawn = simulated_difference_coverage(runs=min(runs, 200))
crossed.append({"score": "TSE of 4 verbs minus EW", "first_way": drawn["by_subject"], "all_ways": drawn["by_both"]})  # fmt: skip
verbs = pd.DataFrame(crossed)
glue("verb_coverage_four", float(verbs["first_way"].iloc[0]))
glue("verb_coverage_four_both", float(verbs["all_ways"].iloc[0]))
glue("difference_coverage", float(verbs["first_way"].iloc[-1]))
glue("difference_coverage_both", float(verbs["all_ways"].iloc[-1]))
table(
    verbs.rename(
        columns={"first_way": "over subjects", "all_ways": "over subjects and verbs"}
    ),
    f"Share of {runs} simulated studies (200 for the difference) whose 95 % interval contains the value over all subjects and all verbs",
    digits=3,
)

# %% [markdown] tags=["explains"]
# With four verbs the interval over subjects alone contains the value over all verbs in {glue:text}`verb_coverage_four:.0%` of the studies, the one over subjects and verbs in {glue:text}`verb_coverage_four_both:.0%`. For the difference it is {glue:text}`difference_coverage:.2f` against {glue:text}`difference_coverage_both:.2f`. A claim about verbs needs the second.
#
# Compare two numbers of the same contexts by the interval of their *difference*. Whoever tests many rows must expect false alarms, so this book corrects the p-values of a family of tests together (Holm's method).

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/14_pitfalls.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np
import pandas as pd

from tse_core.uncertainty.intervals import interval

# What a model says after a plural subject: each verb's right form and wrong form. "guards" is a noun as well; the two
# forms of "rust" tie.
likely = {
    "be": (0.30, 0.10),
    "like": (0.08, 0.04),
    "guard": (0.01, 0.05),
    "exist": (0.01, 0.02),
    "gleam": (0.004, 0.002),
    "rust": (0.002, 0.002),
}


def ew_and_mw(verbs, tie=0.0):
    """EW and MW of right and wrong probabilities; a tie counts as `tie` of a verb."""
    right, wrong = np.array(list(verbs.values())).T
    ew = np.where(right == wrong, tie, right > wrong).mean()
    return {"EW": float(ew), "MW": float(right.sum() / (right.sum() + wrong.sum()))}


def study(nouns, seed=1):
    """A study with so many nouns, each in 50 contexts; some nouns are hard for the model, most are not."""
    random = np.random.default_rng(seed)
    rates = random.beta(4, 1, nouns)
    right = random.random((nouns, 50)) < rates[:, None]
    return pd.DataFrame(
        {"noun": np.repeat(np.arange(nouns), 50), "right": right.ravel() * 1.0}
    )


# %% [markdown]
# ````{exercise} ★ Find the fault
# :label: 14-fault
#
# A colleague reports EW and TSE equal to the last digit, for every model and construction. Which of the four faults would you look for first, and which one number would you ask for? No program is needed.
#
# ```{dropdown} Hint
# When are {term}`EW` and {term}`TSE` the same question?
# ```
# ````
#
# ```{solution} 14-fault
# :class: dropdown
#
# The table keyed on a blank column: of all its verbs one is left, and EW over one verb is TSE of that verb. Ask how many lemmas counted.
# ```

# %% [markdown]
# ````{exercise} ★★ Predict the sign
# :label: 14-sign
#
# `likely` says what a model gives six verbs after a plural subject; `ew_and_mw` scores it, with ties as wrong. Four switches: `"no be"`, without *be*; `"no guard"`, without the {term}`homograph`; `"ties right"`; and `"the"`, a junk verb whose plural form is *the*, to which the model gives 0.2, and 0 to its singular. First write down whether {term}`EW` and {term}`MW` rise, fall or stay. Then make `signs`, a dictionary from switch to a dictionary from metric to 1, -1 or 0.
#
# ```{dropdown} Hint
# Is the verb that comes or goes better than the mean verb? MW asks the same about its probability.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Junk raises both scores: "the" is likely and its "singular" is not a word at all. A tie moves EW alone.
before = ew_and_mw(likely)
after = {
    "no be": ew_and_mw({verb: p for verb, p in likely.items() if verb != "be"}),
    "no guard": ew_and_mw({verb: p for verb, p in likely.items() if verb != "guard"}),
    "ties right": ew_and_mw(likely, tie=1.0),
    "the": ew_and_mw(likely | {"the": (0.2, 0.0)}),
}
signs = {
    switch: {metric: int(np.sign(scores[metric] - before[metric])) for metric in scores}
    for switch, scores in after.items()
}

# %% tags=["hide-cell", "check"]
assert isinstance(signs, dict), "signs should be a dictionary: switch -> metric -> sign"
assert set(signs) == {"no be", "no guard", "ties right", "the"}, (
    "signs needs the four switches"
)
chosen = pd.DataFrame(likely, index=["right", "wrong"]).T
flips = {
    "no be": chosen.drop("be"),
    "no guard": chosen.drop("guard"),
    "the": pd.concat([chosen, pd.DataFrame({"right": [0.2], "wrong": [0.0]})]),
}
default = (
    (chosen["right"] > chosen["wrong"]).mean(),
    chosen["right"].sum() / chosen.to_numpy().sum(),
)
for switch, those in flips.items():
    scores = (
        (those["right"] > those["wrong"]).mean(),
        those["right"].sum() / those.to_numpy().sum(),
    )
    for metric, old, new in zip(("EW", "MW"), default, scores, strict=True):
        assert signs[switch][metric] == np.sign(new - old), (
            f"{switch}: {metric} moves another way"
        )
assert signs["ties right"]["EW"] > 0, (
    "ties right: there is one tie, and it counts as wrong before"
)
assert not signs["ties right"]["MW"], "ties right: does MW ask which form is ahead?"
print("Eight signs are right. Which of them did you get wrong before you computed?")

# %% [markdown]
# ````{exercise} ★★★ How many nouns?
# :label: 14-nouns
#
# `study(nouns)` gives the contexts of a study: `noun` and `right` (0 or 1), 50 contexts per noun. `interval(values)` and `interval(values, clusters)` give 95 % intervals with `.low` and `.high`. For `study(10)` compute `alone`, the width with contexts as if independent, and `by_noun`, the width clustered by noun. Then find `nouns`, the smallest of 10, 20, 40, 80, 160 whose clustered width is at most half of `by_noun`.
#
# ```{dropdown} Hint
# Widths fall with the root of the number of *independent* things.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# About four times as many nouns halve the width. More contexts of the same nouns hardly help: what
# varies between nouns stays as it was.


def width(contexts, clusters=None):
    """Width of the 95 % interval of the share of right contexts."""
    found = interval(contexts["right"], clusters)
    return float(found.high - found.low)


ten = study(10)
alone, by_noun = width(ten), width(ten, ten["noun"])
nouns = next(
    n for n in (10, 20, 40, 80, 160) if width(study(n), study(n)["noun"]) <= by_noun / 2
)

# %% tags=["hide-cell", "check"]
assert isinstance(alone, float), "alone should be a number: a width"
assert isinstance(by_noun, float), "by_noun should be a number: a width"
first = study(10)
bounds = interval(first["right"]), interval(first["right"], first["noun"])
assert abs(bounds[0].high - bounds[0].low - alone) < 1e-9, (
    "alone: high minus low, without clusters"
)
assert abs(bounds[1].high - bounds[1].low - by_noun) < 1e-9, (
    "by_noun: high minus low, with clusters"
)
assert nouns in (10, 20, 40, 80, 160), "nouns should be one of 10, 20, 40, 80, 160"
more, fewer = (
    interval(study(n)["right"], study(n)["noun"]) for n in (nouns, max(nouns // 2, 10))
)
assert more.high - more.low <= by_noun / 2, f"{nouns} nouns are too few"
assert fewer.high - fewer.low > by_noun / 2, f"{nouns} nouns are more than needed"
print(f"{alone:.2f} if independent, {by_noun:.2f} by noun; {nouns} nouns halve it.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - The BOS token is part of a score: name it, and ask each model in the way it was trained.
# - Count what was loaded; look positions up; keep "everything" out of floating point.
# - A score without its policies cannot be compared with another.
# - Take the interval over what the claim is about: nouns, verbs, or both.
#
# Functions: {py:func}`tse_core.evaluate`, {py:func}`tse_core.uncertainty.intervals.interval`, {py:func}`tse_book.studies.coverage.simulated_coverage` and {py:func}`tse_book.charts.switchboard`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
