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
# # SyntaxGym: a suite taken apart
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : take one suite apart: its sentences, its prediction, the surprisal of its regions, and item by item why the prediction holds or fails
#
# You need
# : nothing but the idea that a language model gives words probabilities; [the next notebook](12_suites_and_models.ipynb) compares models and suites
#
# Time
# : 20 minutes to read, seconds to run on a CPU with a laboratory model; no GPU
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
models = ["lab-systematic-causal"]  # the first one is taken apart
suite_name = "lab_number_prep"  # a name that `tse list suites` shows, or a file
item = 1  # the item looked at closely

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_core.profiles import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
import pandas as pd

import tse_core
from tse_core.charts import download_table
from tse_core.charts.suites import item_outcomes, item_profile, region_profile
from tse_core.formula import Formula
from tse_core.notebook import glue, table
from tse_core.paths import store_folder
from tse_core.syntaxgym import METRICS, evaluate_suite, load_suite, region_value

# %% [markdown]
# ## The sentences
#
# TSE asks about one word in one sentence. {cite:t}`gauthier2020syntaxgym` ask about any stretch of a sentence, in any
# number of versions of it. Their unit is the {term}`suite`. A suite has *items*; each item is one frame with its own words
# and comes in several *conditions*; each sentence is cut into numbered {term}`regions <region>`, so that one can point at
# the same place in all of them. Here is one item, a row a condition and a column a region.
#
# ```{margin} Condition
# One of the versions in which every item comes: here, whether subject and verb match, and the subject's number.
# ```

# %%
suite = load_suite(suite_name)
chosen = next(one for one in suite.items if one.number == item)
table(
    pd.DataFrame(
        [
            {"condition": c} | {f"{n} {suite.regions[n]}": t for n, t in texts.items()}
            for c, texts in chosen.contents.items()
        ]
    ),
    f"{suite.name}, item {item} of {len(suite.items)}",
)

# %% [markdown]
# Everything but the thing under study is the same across the rows: only the number of the subject and the form of the verb
# vary. The sentence is the regions that are not empty, joined by one space.
#
# ## The prediction
#
# What should hold of a model that knows the construction is written as a formula over {term}`surprisals <surprisal>`.

# %%
for formula in suite.predictions:
    print(formula)

# %% [markdown]
# `(6;%match_sing%)` is the surprisal of region 6 in the condition `match_sing`, in bits. The formula speaks of nothing
# else: whether the whole sentence is likely does not matter, only whether the word is less surprising where it should be.
#
# ```{margin} Surprisal
# $-\log_2 P(\text{token} \mid \text{what comes before})$, in bits. One bit more means half as probable.
# ```
#
# ## From tokens to regions
#
# A model reads {term}`tokens <token>`, which are not words, and regions are not tokens. A token belongs to the region in
# which its first character that is not a space lies. The surprisal of a region is the sum over its tokens; an empty region
# has none and its surprisal is 0.

# %%
model = tse_core.load_model(models[0])
outcome = evaluate_suite(model, suite, store=store_folder())
first = suite.conditions[0]
own = (outcome.tokens["item"] == item) & (outcome.tokens["condition"] == first)
tokens = outcome.tokens.loc[own, ["position", "token", "region", "bits"]]
table(tokens, f"Tokens of item {item}, {first}, and their surprisals in bits")

# %%
own = (outcome.regions["item"] == item) & (outcome.regions["condition"] == first)
regions = outcome.regions.loc[own, ["region", "name", "content", "tokens", "bits"]]
table(regions, f"The same sentence by region: number of tokens, sum of bits ({first})")

# %%
glue("whole", float(tokens["bits"].sum()))
glue("regions_sum", float(regions["bits"].sum()))
glue("how", " ".join(f"{k}:{v}" for k, v in outcome.policies.items()))

# %% [markdown]
# Nothing is lost on the way: the tokens add up to {glue:text}`whole:.3f` bits, the regions to
# {glue:text}`regions_sum:.3f`. A causal model that reads no {term}`BOS` token has nothing to predict its first token
# from, and that token counts 0. A masked model has no left-to-right probability; its tokens are scored by
# {term}`pseudo-log-likelihood`, each given all the others. How this model was read: {glue:text}`how`.
#
# ## Region by region
#
# The mean over all items shows what the model expects where. Look at the shaded region, the one that the prediction speaks
# of: the mismatched conditions should stand above the matched ones, and nowhere else should the lines of one number part
# before it.

# %% tags=["hide-input"]
shown = outcome.regions.assign(model=model.label)
critical = {region for f in suite.predictions for region, _ in f.atoms}
means = shown[shown["region"].isin(critical)].groupby("condition")["bits"].mean()
region_profile(
    shown,
    title=f"{means.idxmax()} surprises most at the critical region",
    critical=critical,
)

# %% [markdown]
# A mean hides the items. Choose one; point at a dot to see its words. Click a condition in the legend to single it out.

# %% tags=["hide-input"]
spelled = (
    outcome.tokens.groupby(["item", "condition", "region"], sort=False)
    .apply(
        lambda part: " ".join(
            f"{token.strip()} {bits:.1f}"
            for token, bits in zip(part["token"], part["bits"], strict=True)
        )
    )
    .rename("pieces")
    .reset_index()
)
item_profile(
    shown.merge(spelled, how="left").fillna({"pieces": ""}),
    title="Surprisal of each region, one item",
    critical=critical,
)

# %% [markdown]
# ## The prediction, step by step
#
# For one item, the formula is arithmetic: put the bits in and read it from the inside out.

# %%
steps = suite.predictions[0].parts(outcome.totals(item))
table(
    pd.DataFrame(
        {
            "part": [". " * step.depth + step.text for step in steps],
            "value": [
                ("holds" if step.value else "fails")
                if isinstance(step.value, bool)
                else f"{step.value:.2f} bits"
                for step in steps
            ],
        }
    ),
    f"Prediction 1 for item {item}: the whole formula, then its parts",
)

# %% [markdown]
# ## Accuracy
#
# A suite's accuracy is the share of its items for which the prediction holds. If it has several predictions, each is
# reported, and their conjunction: an item then counts only where all of them hold.

# %% tags=["hide-input"]
item_outcomes(
    outcome.items.assign(model=model.label),
    title=f"The prediction holds for {outcome.by_item.sum()} of {len(suite.items)} items",
)

# %%
table(outcome.predictions, f"{model.label} on {suite.name}", digits=4)

# %%
glue("accuracy", outcome.accuracy)
glue("correct", int(outcome.by_item.sum()))
glue("items", len(suite.items))
print(str(outcome.signature).rpartition(" | ")[0])

# %%
download_table(outcome.tokens, f"{suite.name}-tokens.csv", "Every token's surprisal")

# %% [markdown]
# Accuracy: {glue:text}`accuracy:.4f` ({glue:text}`correct`/{glue:text}`items` correct). A model that guesses gets far less
# than half here, because the formula joins two comparisons: guessing would satisfy both in one item out of four.
#
# ## Other ways to sum up a region
#
# The sum is the usual choice, and for a region of one token all choices are the same. With several tokens they differ: the
# mean forgives a long region, the maximum asks for its worst token. A suite names its choice in `meta.metric`. No metric
# needs another pass through the model.

# %%
table(
    pd.DataFrame(
        [
            {"metric": metric, "accuracy": evaluated.accuracy}
            for metric in METRICS
            for evaluated in [
                evaluate_suite(model, suite, metric=metric, store=store_folder())
            ]
        ]
    ),
    "Accuracy of the suite by the metric of its regions",
    digits=4,
)

# %% [markdown]
# ## The prediction language has traps
#
# `&` and `|` have equal rank and are read from the left. Many programming languages read `&` first, and would call the
# first of these true. A chain like `1 < 2 < 3` is refused here; the original reader drops its third part without a word.
# `=` is not equality but closeness: within 0.001 plus 0.00001 of the right side, in bits.

# %%
cases = ["3>2 | 1>2 & 1>2", "3>2 | (1>2 & 1>2)", "1 = 1.001", "1 = 1.002", "1 < 2 < 3"]
rows = []
for text in cases:
    try:
        formula = Formula.parse(text)
        rows.append((text, str(formula), "true" if formula.holds({}) else "false"))
    except tse_core.InputError as error:
        rows.append((text, "", str(error)))
table(
    pd.DataFrame(rows, columns=["text", "read as", "value"]),
    "Formulas as they are read",
)

# %% [markdown]
# ## Exercises
#
# ```{exercise} Another claim about the same sentences
# :label: 11-whole
#
# The prediction compares one region. Would it hold as often if it compared whole sentences, `(*;%match_sing%)` with
# `(*;%mismatch_sing%)`? Say what you expect, and why, before you compute it.
# ```

# %% tags=["hide-cell", "solution"]
conditions = suite.conditions
whole = Formula.parse(f"(*;%{conditions[0]}%) < (*;%{conditions[1]}%)")
holds = [whole.holds(outcome.totals(one.number)) for one in suite.items]
# The whole sentence adds what comes after the verb to the comparison. With a causal model
# everything before the verb is the same in both and cancels out.
f"{sum(holds)} of {len(holds)} items"

# %% [markdown]
# ```{exercise} The weakest item
# :label: 11-margin
#
# For which item is the prediction closest to failing? Compute for each item the smaller of the two differences that the
# formula compares.
# ```

# %% tags=["hide-cell", "solution"]
margins = {}
for one in suite.items:
    parts = suite.predictions[0].parts(outcome.totals(one.number))
    bits = [p.value for p in parts if not isinstance(p.value, bool)]
    margins[one.number] = min(b - a for a, b in zip(bits[::2], bits[1::2], strict=True))
pd.Series(margins, name="margin in bits").sort_values().head(3)

# %% [markdown]
# ```{exercise} By hand
# :label: 11-hand
#
# A region has three tokens with 1, 5 and 2 bits. What is its surprisal under each metric?
# ```

# %% tags=["hide-cell", "solution"]
{
    metric: region_value(pd.Series([1.0, 5.0, 2.0]).to_numpy(), metric)
    for metric in METRICS
}

# %% [markdown]
# ```{exercise} A suite of your own
# :label: 11-own
#
# Design a suite of three items with [the designer](../book/designer.md), save it, and set `suite_name` to its file. Which
# of your items fails, and is that the model's fault or the item's?
# ```
#
# ```{solution} 11-own
# :class: dropdown
#
# Look first at the words: a laboratory model knows only the laboratory's. `tse unkify` marks what a model does not know,
# and a region with an unknown word says nothing about syntax. Then look at the regions before the critical one: if the
# lines already part there, the item differs in more than what you meant to study.
# ```
#
# ## Takeaways
#
# - A suite compares the same place in several versions of a sentence, so what the sentences share cancels out.
# - A prediction is a formula over surprisals in bits; a suite's accuracy is the share of items that bear it out.
# - Tokens are assigned to regions by their characters, so suites work for every tokenizer; sums over regions equal the
#   surprisal of the sentence.
# - Joined comparisons are strict: chance is well below one half.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.profiles import offer_results

    offer_results()
