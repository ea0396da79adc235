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
# # BLiMP: what else the accuracies say
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : ask the six questions of BLiMP's analysis again, of the published accuracies and of a small model's recorded run
#
# You need
# : [BLiMP](09_blimp.ipynb)
#
# Time
# : 15 minutes to read, seconds to run on a CPU
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
models = ["lab-lexical-causal", "lab-systematic-causal"]  # names, folders or hub names
sentence_pairs = (
    ""  # "blimp", after `tse data fetch blimp`: the models are measured, too
)
recorded = "smollm2-135m-instruct"  # whose recorded run on BLiMP is drawn

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "10_blimp_analysis")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts, published
from tse_book.charts import accuracy_lines
from tse_book.pages import (
    blimp_figures,
    blimp_models,
    blimp_runs,
    glue,
    guard,
    newman,
    not_recorded,
    recorded_accuracies,
    table,
)
from tse_book.studies import doubling_slopes, recorded_pairs
from tse_core.blimp import scores
from tse_core.paths import data_folder

# %% [markdown] tags=["explains"]
# Why do accuracies differ? The paper examines six possible answers: similarity of models, sentence length, dependency length, irregular forms, amount of training text, and evaluation method.
#

# %%
printed = blimp_figures.published_accuracies()
opened, runs = [], {}
if sentence_pairs:
    pairs = tse_core.load_sentence_pairs(sentence_pairs)
    opened = blimp_models(models, sentence_pairs)
    runs = blimp_runs(opened, pairs)
names = list(runs)
columns = ["model", "phenomenon", "paradigm", "accuracy", "low", "high", "pairs"]
measured = scores.accuracies(runs) if runs else pd.DataFrame(columns=columns)
own = recorded_accuracies(recorded)
whole = recorded_pairs(recorded)
both = printed
if own is not None:
    both = pd.concat([printed, own[["model", "phenomenon", "paradigm", "accuracy"]]])
else:
    display(not_recorded(recorded, "BLiMP's pairs"))

# %% [markdown]
# ## Correlations
#
# *Figure 1 of the paper.* If two models find the same paradigms hard, their accuracies correlate.
#
# ```{dropdown} Predict: will a model of 2024 resemble the models of 2019, or the humans?
# The models, if their likeness comes from predicting words; the humans, if it comes from accuracy.
# ```

# %% tags=["hide-input"]
matrix = blimp_figures.correlations(both)
r = matrix.set_index(["model", "other"])["correlation"]
glue("r_lstm_txl", float(r["LSTM", "Transformer-XL"]))
with_humans = r[:, "human"][[*published.BLIMP_MODELS]].drop("human").sort_values()
glue(
    "human_most",
    f"With humans {with_humans.index[-1]} correlates most ({with_humans.iloc[-1]:.2f}), {with_humans.index[0]} least ({with_humans.iloc[0]:.2f}).",
)
charts.heat_map(
    matrix,
    "model",
    "other",
    "correlation",
    title="Correlation of accuracies over the 67 paradigms"
    + (f", {recorded} among the published models" if own is not None else ""),
)


# %% tags=["hide-input"]
def whose(name):
    """The accuracies of a column, in words."""
    known = {"human": "those of humans", "GPT-2": "those of GPT-2 large"}
    return known.get(name, f"those of {name}")


if own is not None:
    alike = r[recorded].drop(recorded).sort_values(ascending=False)
    display(
        newman.say(
            f"The accuracies of {recorded} correlate most with {whose(alike.index[0])} ({alike.iloc[0]:.2f}) and least "
            f"with {whose(alike.index[-1])} ({alike.iloc[-1]:.2f}); with {whose('human')} they correlate at "
            f"{alike['human']:.2f}, GPT-2 large's at {r['GPT-2', 'human']:.2f}."
        )
    )

# %% [markdown]
# LSTM and Transformer-XL correlate at {glue:text}`r_lstm_txl:.2f`. {glue:text}`human_most:s`

# %% tags=["hide-input"]
if len(names) > 1:
    display(
        charts.heat_map(
            blimp_figures.correlations(measured),
            "model",
            "other",
            "correlation",
            domain=(-1, 1),
            title=f"Measured: the models of this run, {sentence_pairs} pairs",
        )
    )

# %% [markdown] tags=["explains"]
# What could fool you: two models can find the same paradigms hard and differ by thirty points on all of them.
#
# ## Shallow predictors
#
# *Figure 2.* Does a model do worse on longer sentences, on surprising ones, or when it is unsure? The pairs are sorted by each quantity and cut into ten bins of equal size. In the paper GPT-2's accuracy climbs fairly steadily with its confidence; that of the others does not.
#
# ```{dropdown} Predict: in which of the four panels will the line climb most?
# Confidence is the natural guess: a model whose two log-probabilities lie far apart should mostly be right.
# ```


# %% tags=["hide-input"]
def in_bins(scored, whose):
    """Figure 2 for some models, and the accuracy in the lowest and the highest bin of each quantity."""
    parts = [
        blimp_figures.shallow_predictors(pairs).assign(model=name)
        for name, pairs in scored.items()
    ]
    binned = pd.concat(parts, ignore_index=True)
    binned["quantity"] = binned["predictor"].map(blimp_figures.PREDICTORS)
    span = binned.groupby(["predictor", "model"])["accuracy"].agg(
        lambda values: values.max() - values.min()
    )
    most = span.groupby("predictor").mean().idxmax()
    display(
        accuracy_lines(
            binned,
            "value",
            panel="quantity",
            quantitative=True,
            x_title="median of the bin",
            title=f"{whose}: of four shallow predictors, {most} moves accuracy most",
            subtitle="Dots: bins of equal size with 95 % intervals.",
        )
    )
    ends = (
        binned.groupby(["model", "quantity"], sort=False)["accuracy"]
        .agg(["first", "last"])
        .reset_index()
    )
    ends["last minus first"] = ends["last"] - ends["first"]
    return binned, ends


if whole is not None:
    binned, ends = in_bins({recorded: whole.pairs}, "Recorded")
    display(
        table(ends, f"{recorded}: accuracy in the lowest and the highest bin", digits=3)
    )
    steps = binned[binned["predictor"] == "confidence"]["accuracy"].diff().dropna()
    display(
        newman.say(
            f"With confidence the accuracy of {recorded} rises in {int((steps > 0).sum())} "
            f"of {len(steps)} steps from bin to bin, from {ends.iloc[-1]['first']:.2f} to "
            f"{ends.iloc[-1]['last']:.2f}."
        )
    )

# %% tags=["hide-input"]
if runs:
    _, ends = in_bins({name: run.pairs for name, run in runs.items()}, "Measured")
    display(table(ends, "Accuracy in the lowest and the highest bin", digits=3))

# %% [markdown] tags=["explains"]
# What could fool you: length is confounded with the paradigm, because long sentences are the ones with relative clauses. And a pair that differs in a whole phrase has more nats between its sentences than a pair that differs in one word, whether or not the model knows the rule.
#
# ## Locality
#
# *Figure 3, upper panel.* *Ron saw these [books]{.good} / \*[book]{.bad}* against *Ron saw these old [books]{.good} / \*[book]{.bad}*: what does one adjective cost?

# %% tags=["hide-input"]
adjective = blimp_figures.contrast(printed, "adjective")
costs = 100 * blimp_figures.cost(adjective).set_index("model")["cost"]
for model in ("5-gram", "LSTM", "Transformer-XL", "GPT-2"):
    glue(f"adjective_{model}", float(costs[model]))
by_source = pd.DataFrame(
    {
        source: 100
        * blimp_figures.cost(
            blimp_figures.contrast(
                blimp_figures.published_accuracies(source), "adjective"
            )
        ).set_index("model")["cost"]
        for source in ("printed", "corrected", "recomputed")
    }
)
glue("adjective_corrected", float(by_source.loc["5-gram", "corrected"]))
table(
    by_source.reset_index(),
    "Points lost to an adjective, in three versions of Table 4",
    digits=1,
)

# %% [markdown]
# The 5-gram model loses {glue:text}`adjective_5-gram:.1f` points; the paper says 35. For the neural models the paper says 3 to 5 points; the LSTM loses {glue:text}`adjective_LSTM:.1f`, Transformer-XL {glue:text}`adjective_Transformer-XL:.1f`, GPT-2 large {glue:text}`adjective_GPT-2:.1f`. From the corrected Table 4 one would compute {glue:text}`adjective_corrected:.1f` for the 5-gram model, because two of its rows repeat the ones with an adjective.

# %% tags=["hide-input"]
display(
    accuracy_lines(
        blimp_figures.contrast(both, "adjective"),
        "condition",
        title=f"One adjective costs the {costs.idxmax()} model most",
    )
)
ours = blimp_figures.contrast(measured, "adjective")
if len(ours):
    display(
        accuracy_lines(
            ours, "condition", title="Measured: the same contrast, models run here"
        )
    )

# %% tags=["hide-input"]
if own is not None:
    ours = blimp_figures.cost(blimp_figures.contrast(own, "adjective"))
    parts = [
        f"{100 * row.cost:.1f} points ({row.group}, {row.condition})"
        for row in ours.itertuples()
    ]
    display(newman.say(f"{recorded} loses " + "; ".join(parts) + "."))

# %% [markdown] tags=["explains"]
# ## Attractors
#
# ```{dropdown} Predict: which loses more to an attractor, a model that counts words or one that reads the whole sentence?
# The one that counts words: the nearest noun is all it sees.
# ```
#
# *Figure 3, lower panel.* A noun of the other number between subject and verb: *The sisters of Cheryl [bake]{.good} / \*[bakes]{.bad}* (in a phrase), *The sisters who met Cheryl [bake]{.good} / \*[bakes]{.bad}* (in a relative clause).

# %% tags=["hide-input"]
attractor = blimp_figures.contrast(printed, "attractor")
lost = 100 * blimp_figures.cost(attractor).groupby("model", sort=False)["cost"].mean()
for model in ("5-gram", "LSTM", "Transformer-XL", "GPT-2"):
    glue(f"attractor_{model}", float(lost[model]))
with_attractor = attractor.query("model == '5-gram' and condition != 'no attractor'")
guard("it is below one half", (with_attractor["accuracy"] < 0.5).all())
table(
    lost.rename("points lost").reset_index(),
    "Mean loss to an attractor of either kind",
    digits=1,
)

# %% tags=["hide-input"]
display(
    accuracy_lines(
        blimp_figures.contrast(both, "attractor"),
        "condition",
        title="An attractor between subject and verb, in a phrase or in a clause",
    )
)
ours = blimp_figures.contrast(measured, "attractor")
if len(ours):
    display(
        accuracy_lines(
            ours, "condition", title="Measured: attractors and the models of this run"
        )
    )

# %% tags=["hide-input"]
if own is not None:
    ours = blimp_figures.cost(blimp_figures.contrast(own, "attractor"))
    parts = [
        f"{100 * row.cost:.1f} points ({row.group}, {row.condition})"
        for row in ours.itertuples()
    ]
    display(newman.say(f"{recorded} loses " + "; ".join(parts) + "."))

# %% [markdown] tags=["explains"]
# GPT-2 large loses {glue:text}`attractor_GPT-2:.0f` points, the LSTM {glue:text}`attractor_LSTM:.0f`, Transformer-XL {glue:text}`attractor_Transformer-XL:.0f`; the paper says 22, 20 and 5. The 5-gram model does not fail at random: it is below one half, because it follows the nearest noun.
#
# ## Irregulars
#
# *Figure 4.* *That man / \*men* against *that kid / \*kids*: only a model that sees letters could profit from the *-s*.

# %% tags=["hide-input"]
irregular = blimp_figures.contrast(printed, "irregular")
wide = irregular.pivot_table(
    index="model", columns=["group", "condition"], values="accuracy", sort=False
)
paradigms = irregular.assign(total=irregular["accuracy"] * irregular["paradigms"])
sums = paradigms.groupby(["model", "condition"], sort=False)[
    ["total", "paradigms"]
].sum()
means = (100 * sums["total"] / sums["paradigms"]).unstack("condition")
means["points lost"] = means["regular plural"] - means["irregular plural"]
means = means.rename_axis(columns=None)
for model in ("LSTM", "Transformer-XL", "GPT-2"):
    glue(f"irregular_{model}", float(means.loc[model, "points lost"]))
table(
    means.reset_index(),
    "Mean accuracy over six paradigms of each kind, in percent",
    digits=1,
)

# %% tags=["hide-input"]
display(
    accuracy_lines(
        blimp_figures.contrast(both, "irregular"),
        "condition",
        panel="group",
        title="Regular and irregular plurals",
    )
)
ours = blimp_figures.contrast(measured, "irregular")
if len(ours):
    display(
        accuracy_lines(
            ours,
            "condition",
            panel="group",
            title="Measured: regular and irregular plurals",
        )
    )

# %% tags=["hide-input"]
if own is not None:
    ours = blimp_figures.cost(blimp_figures.contrast(own, "irregular"))
    parts = [
        f"{100 * row.cost:.1f} points ({row.group}, {row.condition})"
        for row in ours.itertuples()
    ]
    display(newman.say(f"{recorded} loses " + "; ".join(parts) + "."))

# %% [markdown]
# GPT-2 large loses {glue:text}`irregular_GPT-2:.1f` points, Transformer-XL {glue:text}`irregular_Transformer-XL:.1f`, the LSTM {glue:text}`irregular_LSTM:.1f`; the paper's text says less than 1.3 for the first two and 5.2 for the LSTM.
#
# ## Training size
#
# *Figure 5.* The paper trained two models on growing parts of one corpus and fitted a line: what does each doubling of the text bring? Its text prints some slopes:

# %% tags=["hide-input"]
slopes_printed = published.blimp_slopes()
shown = slopes_printed.pivot(index="phenomenon", columns="model", values="slope")
table(
    (100 * shown.sort_values("LSTM", ascending=False)).reset_index(),
    "Points of accuracy that each doubling of the training text brings, as printed",
    digits=2,
    note="Warstadt et al. 2020, section 6.3; a dash: not printed.",
)

# %% [markdown] tags=["explains"]
# From such slopes the paper concludes that more text alone would not be enough. In the laboratory the experiment can be run, with corpora each twice as long as the one before:

# %% tags=["hide-input"]
curve = pd.read_csv(data_folder() / "recorded" / "learning_curve.csv")
curve["phenomenon"] = curve["phenomenon"].str.replace("_", " ")
slopes = doubling_slopes(curve)
table(
    slopes.sort_values(["model", "slope"], ascending=[True, False]),
    "Accuracy gained by each doubling of the corpus (recorded), with 95 % intervals of the fitted line",
    digits=3,
)

# %% tags=["hide-input"]
grouped = (
    curve.groupby(["model", "phenomenon", "words"], sort=False)["accuracy"]
    .mean()
    .reset_index()
)
accuracy_lines(
    grouped,
    "words",
    series="phenomenon",
    panel="model",
    quantitative=True,
    log=True,
    x_title="words in the corpus",
    title="Recorded: phenomena are learned at different speeds",
    subtitle="Tap or click a phenomenon in the legend to see it alone.",
)

# %% tags=["hide-input"]
steep = slopes.loc[slopes.groupby("model")["slope"].idxmax()].set_index("model")
flat = slopes.loc[slopes.groupby("model")["slope"].idxmin()].set_index("model")
glue("steep_lstm", float(steep.loc["lstm", "slope"]))
glue("steep_lstm_phenomenon", steep.loc["lstm", "phenomenon"])
glue("flat_lstm", float(flat.loc["lstm", "slope"]))
glue("flat_lstm_phenomenon", flat.loc["lstm", "phenomenon"])

# %% [markdown]
# For the laboratory's LSTM a doubling brings {glue:text}`steep_lstm:.3f` on {glue:text}`steep_lstm_phenomenon` and {glue:text}`flat_lstm:.3f` on {glue:text}`flat_lstm_phenomenon`. What could fool you: a flat line at the top and a flat line at chance have the same slope and opposite meanings.
#
# ## Methods
#
# *Figure 6.* Instead of whole sentences one may compare two words after the same beginning (one prefix) or one word after two beginnings (two prefixes). Twenty paradigms allow the first, twenty others the second.

# %% tags=["hide-input"]
methods = blimp_figures.published_methods()
averages = methods.groupby(["model", "compared"], sort=False)[
    ["full_sentence", "prefix"]
].mean()
averages["difference"] = averages["prefix"] - averages["full_sentence"]
glue("methods_most", float(100 * averages["difference"].abs().max()))
table(
    averages.reset_index(),
    "Published: means over the paradigms that allow both methods",
    digits=3,
)

# %% tags=["remove-cell"]
points = methods.assign(difference=methods["prefix"] - methods["full_sentence"])
points = points[points["model"] != "human"]
furthest = points.loc[points["difference"].abs().idxmax()]
glue("method_furthest", f"{furthest['paradigm']} ({furthest['model']})")
glue("method_furthest_by", float(100 * furthest["difference"]))

# %% [markdown]
# On average the methods agree to within {glue:text}`methods_most:.1f` points, but {glue:text}`method_furthest` moves by {glue:text}`method_furthest_by:+.0f`. The paper's figure draws three phenomena:

# %% tags=["hide-input"]
THREE = {
    "binding": "BINDING",
    "determiner_noun_agreement": "DETERMINER-NOUN AGR.",
    "subject_verb_agreement": "SUBJECT-VERB AGR.",
}
panels = methods[methods["linguistics_term"].isin(THREE)].assign(
    phenomenon=lambda rows: rows["linguistics_term"].map(THREE)
)
ways = {way: recorded_pairs(recorded, way) for way in ("one-prefix", "two-prefix")}
if whole is not None and all(ways.values()):
    parts = [
        blimp_figures.methods_compared(whole.pairs, run.pairs).assign(compared=way)
        for way, run in ways.items()
    ]
    ours = pd.concat(parts, ignore_index=True)
    names_of = whole.pairs.drop_duplicates("paradigm").set_index("paradigm")[
        "phenomenon"
    ]
    ours = ours.assign(model=recorded, phenomenon=ours["paradigm"].map(names_of))
    ours = ours.rename(columns={"first": "full_sentence", "second": "prefix"})
    panels = pd.concat([panels, ours[ours["phenomenon"].isin(THREE.values())]])
panels = panels[panels["model"] != "human"]
long = panels.melt(
    ["model", "paradigm", "phenomenon", "compared"],
    ["full_sentence", "prefix"],
    var_name="way",
    value_name="accuracy",
)
long["method"] = long["way"].where(long["way"] != "prefix", long["compared"])
long["method"] = long["method"].str.replace("_", " ").str.replace("full", "whole")
long = long.drop_duplicates(["model", "paradigm", "phenomenon", "method"])
three = (
    long.groupby(["model", "phenomenon", "method"], sort=False)["accuracy"]
    .mean()
    .reset_index()
)
order_of = ["whole sentence", "one-prefix", "two-prefix"]
three = three.sort_values("method", key=lambda m: m.map(order_of.index), kind="stable")
accuracy_lines(
    three,
    "method",
    panel="phenomenon",
    columns=3,
    width=190,
    title="Three phenomena by method: whole sentences, one prefix, two prefixes",
    subtitle="Means over the paradigms that allow the method; whole sentences over all of those.",
)

# %% tags=["hide-input"]
if whole is not None and all(ways.values()):
    means = ours.groupby("compared", sort=False)[
        ["full_sentence", "prefix", "difference"]
    ].mean()
    display(
        table(
            means.rename(columns={"full_sentence": "whole sentence"})
            .rename_axis("method")
            .reset_index(),
            f"{recorded} (recorded): means over the 20 paradigms that allow each method",
            digits=3,
        )
    )
    apart = ours.loc[ours["difference"].abs().idxmax()]
    display(
        newman.say(
            f"The single paradigm that moves most is *{apart['paradigm'].replace('_', ' ')}*: "
            f"{apart['full_sentence']:.2f} with whole sentences, {apart['prefix']:.2f} with "
            f"{apart['compared']}."
        )
    )

# %% [markdown] tags=["explains"]
# Whole sentences add what follows the critical word. A prefix asks only about the point where the two sentences differ, as TSE does.

# %% tags=["hide-input"]
causal = [model for model in opened if model.kind == "causal"]
prefixed = blimp_runs(causal, pairs, "one-prefix") if causal else {}
tables = [
    blimp_figures.methods_compared(runs[name].pairs, run.pairs).assign(model=name)
    for name, run in prefixed.items()
]
if tables:
    compared = pd.concat(tables)[
        ["model", "paradigm", "first", "second", "difference", "pairs"]
    ]
    compared = compared.rename(
        columns={"first": "full sentence", "second": "one prefix"}
    )
    means = compared.groupby("model", sort=False)[
        ["full sentence", "one prefix", "difference"]
    ].mean()
    display(
        table(
            means.reset_index(),
            "Measured: means over the paradigms that allow one prefix",
            digits=3,
        )
    )
    display(charts.download_table(compared, "methods.csv"))

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/10_blimp_analysis.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

from tse_book.laboratory import laboratory_ngram, load_language
from tse_book.pages import published_accuracies
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_sentence_pairs

# One paradigm with an attractor, judged by an n-gram model: number of the subject, of the noun next to the verb, verdict.
pairs = load_sentence_pairs("laboratory/agreement_across_prepositional_phrase")
nouns = load_language().nouns
number = dict.fromkeys(nouns["singular"], "singular") | dict.fromkeys(
    nouns["plural"], "plural"
)
before = (
    pairs["one_prefix_prefix"]
    .str.lower()
    .str.split()
    .map(lambda words: [w for w in words if w in number])
)
items = pd.DataFrame(
    {
        "subject": before.str[0].map(number),
        "nearest": before.str[-1].map(number),
        "right": evaluate_blimp(laboratory_ngram(20000), pairs).pairs["correct"] == 1,
    }
)

# Published accuracies, a row for each of the 67 paradigms and a column for each model.
accuracies = published_accuracies().pivot(
    index="paradigm", columns="model", values="accuracy"
)

# %% [markdown]
# ````{exercise} ★ The rule of the nearest noun
# :label: 10-nearest
#
# `items` holds pairs with a phrase between subject and verb: the {term}`number` of the `subject`, the number of the `nearest` noun, and whether an n-gram model is `right`. Suppose that the verb agrees with the nearest noun. Compute `rule`, the accuracy of that rule; `model`, a dictionary with the model's accuracy for `"same"` (both nouns of one number) and `"different"`; and `like_the_rule`, the share of pairs in which the model does what the rule does.
#
# ```{dropdown} Hint
# The rule is right exactly where the two numbers are the same.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# After an attractor the model is below one half. That is not guessing: it knows a rule, the wrong one.
same = items["subject"] == items["nearest"]
rule = float(same.mean())
model = {
    "same": float(items.loc[same, "right"].mean()),
    "different": float(items.loc[~same, "right"].mean()),
}
like_the_rule = float((items["right"] == same).mean())

# %% tags=["hide-cell", "check"]
assert isinstance(rule, float), "rule should be a number"
assert isinstance(model, dict), "model should be a dictionary"
assert isinstance(like_the_rule, float), "like_the_rule should be a number"
groups = items.groupby(items["subject"].eq(items["nearest"]))["right"].agg(
    ["mean", "size"]
)
assert abs(rule - groups.loc[True, "size"] / len(items)) < 1e-9, (
    "rule: where would it be right?"
)
assert set(model) == {"same", "different"}, "model needs the keys same and different"
assert abs(model["same"] - groups.loc[True, "mean"]) < 1e-9, (
    "same: the accuracy among these pairs"
)
assert abs(model["different"] - groups.loc[False, "mean"]) < 1e-9, (
    "different: the other pairs"
)
hits = groups["mean"].mul(groups["size"])
alike = (hits[True] + groups.loc[False, "size"] - hits[False]) / len(items)
assert abs(like_the_rule - alike) < 1e-9, (
    "like_the_rule: right where it is right, wrong where it is wrong"
)
print(
    f"{model['same']:.2f} and {model['different']:.2f}: like the rule in {like_the_rule:.0%} of the pairs."
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ Long sentences are hard
# :label: 10-long
#
# Accuracy falls with the length of a sentence. A colleague concludes that the model cannot keep a subject in mind for long. Which other explanation fits the same curve, and which comparison would tell the two apart? No program is needed.
#
# ```{dropdown} Hint
# Which constructions have long sentences?
# ```
# ````
#
# ```{solution} 10-long
# :class: dropdown
#
# Long sentences come from other templates: those with relative clauses and attractors. Length and construction grow together. Compare within one paradigm, with one and with two adjectives, say, so that only the distance changes. And check that the added words contain no noun, or distance and attraction are confounded instead.
# ```

# %% [markdown]
# ````{exercise} ★★★ What is left of a correlation
# :label: 10-partial
#
# `accuracies` holds the published accuracy of five systems on 67 paradigms. Some paradigms are hard for everybody. Take that away: subtract from LSTM and Transformer-XL, for each paradigm, what a straight line predicts from the mean of the other three systems, and correlate what is left. Give `before` and `after` (numbers).
#
# ```{dropdown} Hint
# `numpy.polyfit(x, y, 1)` gives slope and intercept of the line. What is left are the residuals $y - (ax + b)$.
# ```
# ````

# %% tags=["hide-cell", "solution"]
import numpy as np

# This is a partial correlation. It stays high: the two share more than hard paradigms.
before = float(accuracies["LSTM"].corr(accuracies["Transformer-XL"]))
shared = accuracies[["5-gram", "GPT-2", "human"]].mean(axis=1)
left = {}
for system in ("LSTM", "Transformer-XL"):
    slope, intercept = np.polyfit(shared, accuracies[system], 1)
    left[system] = accuracies[system] - slope * shared - intercept
after = float(left["LSTM"].corr(left["Transformer-XL"]))

# %% tags=["hide-cell", "check"]
assert isinstance(before, float), "before should be a number"
assert isinstance(after, float), "after should be a number"
three = accuracies.drop(columns=["LSTM", "Transformer-XL"]).mean(axis=1)
r = (
    accuracies.assign(shared=three)[["LSTM", "Transformer-XL", "shared"]]
    .corr()
    .to_numpy()
)
assert abs(before - r[0, 1]) < 1e-6, "before: the plain correlation of the two columns"
partial = (r[0, 1] - r[0, 2] * r[1, 2]) / (
    (1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)
) ** 0.5
assert abs(after - partial) < 1e-6, "after: correlate the residuals of both lines"
print(f"{before:.2f} before, {after:.2f} after what all systems share was taken away.")

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - Some numbers in the paper's prose belong to a misprinted table. Recompute before you compare.
# - A model that counts words is misled by attractors systematically, not at random.
# - A slope without its end points can mean mastery or none.
# - Evaluation methods agree on average and disagree in single paradigms.
#
# Functions: {py:func}`tse_core.evaluate_blimp`, {py:func}`tse_book.baselines.baselines.train_baseline`, {py:func}`tse_book.studies.learning_curve` and {py:func}`tse_book.studies.doubling_slopes`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
