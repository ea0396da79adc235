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
# : read the paper's own example with a real model, and take a suite apart: sentences, prediction, surprisal by region, and item by item why the prediction holds or fails
#
# You need
# : the idea that a language model gives words probabilities
#
# Time
# : 12 minutes to read, seconds to run on a CPU
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
models = [
    "smollm2-135m-instruct",
    "lab-systematic-causal",
]  # the paper's example: the first real causal one; the suite: the first of the laboratory
suite_name = "lab_number_prep"  # a name that `tse list suites` shows, or a file
item = 1  # the item looked at closely
recorded = "smollm2-135m-instruct"  # whose recorded run on the public suite is shown

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "11_syntaxgym")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

import tse_core
from tse_book.charts import download_table, item_outcomes, item_profile, region_profile
from tse_book.pages import glue, newman, not_recorded, table, try_this
from tse_book.studies import recorded_items, recorded_regions
from tse_core.paths import store_folder
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.syntaxgym.regions import METRICS
from tse_core.syntaxgym.suites import Item, Suite

# %% [markdown]
# How does one test a model on any stretch of a sentence?
#
# ## The paper's own example
#
# TSE asks about one word in one sentence. {cite:t}`gauthier2020syntaxgym` ask about any stretch, in any number of versions. Their unit is the {term}`suite`. A suite has *items*: frames, each with its own words, in several *conditions*. Each sentence is cut into numbered {term}`regions <region>`, so that one can point at the same place in all of them. Figure 2 of the paper shows two items of a suite about number; here they are as code.

# %%
regions = dict(
    enumerate(["intro", "np subj", "prep", "the", "prep np", "matrix verb", "rest"], 1)
)
words = {  # singular and plural subject, preposition, singular and plural neighbour, both forms of the verb, the rest
    1: ("farmer", "farmers", "near", "clerk", "clerks", "knows", "know", "many people"),
    2: (
        "manager",
        "managers",
        "to the side of",
        "architect",
        "architects",
        "likes",
        "like",
        "to gamble",
    ),
}


def conditions(one, many, where, near, nears, has, have, rest):
    """The four versions of an item: subject and verb match or not, the subject is singular or plural."""
    singular = ["The", one, where, "the", nears]
    plural = ["The", many, where, "the", near]
    versions = {
        "match_sing": [*singular, has, rest],
        "mismatch_sing": [*singular, have, rest],
        "mismatch_plural": [*plural, has, rest],
        "match_plural": [*plural, have, rest],
    }
    return {name: dict(enumerate(texts, 1)) for name, texts in versions.items()}


figure2 = Suite(
    meta={"name": "figure2", "metric": "sum"},
    regions=regions,
    predictions=(
        Formula.parse(
            "((6;%match_sing%) < (6;%mismatch_sing%)) & ((6;%match_plural%) < (6;%mismatch_plural%))"
        ),
    ),
    items=tuple(Item(number, conditions(*texts)) for number, texts in words.items()),
)

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"item": one.number, "condition": name}
            | {f"{n} {regions[n]}": text for n, text in texts.items()}
            for one in figure2.items
            for name, texts in one.contents.items()
        ]
    ),
    "The two items of the paper's Figure 2, in regions",
)

# %% [markdown] tags=["explains"]
# The nearest noun, an {term}`attractor`, always has the *other* number, so a model that lets the nearest noun decide gets every item wrong.
#
# ```{margin} Surprisal
# $-\log_2 P$ of a token after what comes before it, in bits. One bit more means half as probable.
# ```
#
# The prediction is a formula over {term}`surprisals <surprisal>`: `(6;%match_sing%)` is the surprisal of region 6, the verb, in the condition `match_sing`. Both comparisons must hold.
#
# The sentences are read by the first causal model of this build: {glue:text}`introduced:s`.
#
# ```{dropdown} Predict: is it enough to look at the singular subject?
# No. A model that always prefers the singular verb passes the first comparison and fails the second. Only a model that uses the subject is sure to pass both.
# ```

# %% tags=["remove-input"]
real = newman.causal_models(models)[:1]
glue("introduced", newman.introduced(real))
display(newman.what_is_missing(models))

# %% tags=["hide-input"]
for name in real:
    reader = tse_core.load_model(name)
    read = evaluate_suite(reader, figure2, store=store_folder())
    verb = read.regions[read.regions["region"] == 6]
    wide = verb.pivot(index="item", columns="condition", values="bits")[
        list(figure2.conditions)
    ]
    wide["prediction"] = read.by_item.map({True: "holds", False: "fails"})
    display(
        table(
            wide.rename_axis(columns=None).reset_index(),
            f"Surprisal of the verb in bits: {reader.label}",
            note=read.signature.without_provenance,
        )
    )
    gaps = {
        number: (wide[f"mismatch_{number}"] - wide[f"match_{number}"])
        for number in ("sing", "plural")
    }
    display(
        newman.say(
            f"The prediction holds for {int(read.by_item.sum())} of the {len(read.by_item)} items.",
            f"On average the wrong verb is more surprising by {gaps['sing'].mean():.1f} bits after a "
            f"singular subject and by {gaps['plural'].mean():.1f} bits after a plural one.",
        )
    )

# %% [markdown] tags=["explains"]
# Compare match with mismatch for each number: the verb that matches should have fewer bits. The two items are from `number_prep`, a suite of 19.

# %% tags=["remove-input"]
one = figure2.items[0]
try_this(
    ("The farmer near the clerks", "singular"),
    ("The farmers near the clerk", "plural"),
    pair=(one.sentence("match_sing"), one.sentence("mismatch_sing")),
    verb="know",
    look="Look at the verb of the pair first, then at the words after it.",
)

# %% tags=["hide-input"]
items = recorded_items(recorded)
if items is not None:
    public = items[items["suite"] == "number_prep"]
    held = public[public["prediction"] == 1]["holds"]
    display(
        region_profile(
            recorded_regions(recorded)
            .query("suite == 'number_prep'")
            .assign(model=recorded),
            title=f"number_prep: the prediction holds for {int(held.sum())} of {len(held)} items ({recorded}, recorded)",
            critical={6},
        )
    )
else:
    display(not_recorded(recorded, "SyntaxGym's suites"))

# %% [markdown] tags=["explains"]
# ### The items that fail
#
# A mean hides the items that fail. Each item has two margins: by how many bits the wrong verb is more surprising, after the singular and after the plural subject. The prediction holds where both are positive.
#
# ```{dropdown} Predict: the nearest noun always has the other number. After which subject will the model fail more often?
# Attraction is stronger from a plural noun {cite}`bock1991broken`, so a reader that errs as we do should fail after the singular subject. The text below has the counts.
# ```

# %% tags=["hide-input"]
if items is not None:
    verb = recorded_regions(recorded).query("suite == 'number_prep' and region == 6")
    verb = verb.pivot(index="item", columns="condition", values="bits")
    margins = pd.DataFrame(
        {
            number: verb[f"mismatch_{short}"] - verb[f"match_{short}"]
            for number, short in (("singular", "sing"), ("plural", "plural"))
        }
    )
    failed = margins[(margins <= 0).any(axis=1)]
    assert set(failed.index) == set(public.loc[~public["holds"], "item"])
    display(
        table(
            failed.rename_axis("item").add_suffix(" subject").reset_index(),
            "The failed items: bits by which the wrong verb is more surprising; negative: the wrong verb is preferred",
            digits=1,
        )
    )
    fails = (failed <= 0).sum()
    sizes = -failed.where(failed <= 0).stack()
    display(
        newman.say(
            f"Of the {len(failed)} failed items, {fails['singular']} fail after the singular subject, where the nearest noun is plural, "
            f"and {fails['plural']} after the plural one.",
            f"The wrong verb wins by {sizes.min():.1f} to {sizes.max():.1f} bits, so none of these is decided by a hair."
            if sizes.min() > 0.5
            else f"The narrowest failure is one of {sizes.min():.2f} bits.",
        )
    )

# %% [markdown] tags=["explains"]
# ## A suite in full
#
# One of the laboratory's suites is taken apart here: a row for each condition, a column for each region. These suites ask only about frequent verbs, so, like TSE, they cannot tell a model with a rule from one with a list.

# %% tags=["hide-input"]
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
# ## The prediction

# %%
for formula in suite.predictions:
    print(formula)

# %% [markdown] tags=["explains"]
# ## From tokens to regions
#
# A model reads {term}`tokens <token>`. A token belongs to the region that contains its first non-space character. The surprisal of a region is the sum over its tokens.

# %% tags=["hide-input"]
known = newman.laboratory_models(models) or real or ["lab-systematic-causal"]
model = tse_core.load_model(known[0])
outcome = evaluate_suite(model, suite, store=store_folder())
first = suite.conditions[0]
own = (outcome.tokens["item"] == item) & (outcome.tokens["condition"] == first)
tokens = outcome.tokens.loc[own, ["position", "token", "region", "bits"]]
table(tokens, f"Tokens of item {item}, {first}, and their surprisals in bits")

# %% tags=["hide-input"]
own = (outcome.regions["item"] == item) & (outcome.regions["condition"] == first)
regions = outcome.regions.loc[own, ["region", "name", "content", "tokens", "bits"]]
table(regions, f"The same sentence by region: number of tokens, sum of bits ({first})")

# %% tags=["hide-input"]
glue("whole", float(tokens["bits"].sum()))
glue("regions_sum", float(regions["bits"].sum()))
glue("how", " ".join(f"{k}:{v}" for k, v in outcome.signature.policy.items()))

# %% [markdown] tags=["explains"]
# The tokens add up to {glue:text}`whole:.3f` bits, the regions to {glue:text}`regions_sum:.3f`. Without a {term}`BOS token` a causal model's first token counts 0. How this model was read: {glue:text}`how`.
#
# ## Region by region
#
# Look at the shaded region: the mismatched conditions should be above the matched ones.

# %% tags=["hide-input"]
shown = outcome.regions.assign(model=model.label)
critical = {region for f in suite.predictions for region, _ in f.atoms}
means = shown[shown["region"].isin(critical)].groupby("condition")["bits"].mean()
region_profile(
    shown,
    title=f"{means.idxmax()} surprises most at the critical region"
    if (means == means.max()).sum() == 1
    else "Several conditions surprise equally at the critical region",
    critical=critical,
)

# %% [markdown]
# A mean hides the items. Choose one; touch a dot, or point at it, to see its words.

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
# For one item the formula is arithmetic, read from the inside out.

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
# A suite's accuracy is the share of its items for which the prediction holds.

# %% tags=["hide-input"]
item_outcomes(
    outcome.items.assign(model=model.label),
    title=f"The prediction holds for {outcome.by_item.sum()} of {len(suite.items)} items",
)

# %% tags=["hide-input"]
glue("accuracy", outcome.accuracy)
glue("correct", int(outcome.by_item.sum()))
glue("items", len(suite.items))
display(
    table(
        outcome.predictions,
        f"{model.label} on {suite.name}",
        digits=4,
        note=outcome.signature.without_provenance,
    )
)
display(
    download_table(
        outcome.tokens, f"{suite.name}-tokens.csv", "Every token's surprisal"
    )
)

# %% [markdown]
# Accuracy: {glue:text}`accuracy:.4f` ({glue:text}`correct`/{glue:text}`items`). The formula joins two comparisons, so guessing would satisfy both in one item out of four.
#
# ```{dropdown} Predict: a suite with three comparisons, and a model with 0.30. Is that bad?
# Not before you know what guessing gets. Three independent comparisons hold together in one item of eight.
# ```
#
# ## Other ways to sum up a region
#
# With several tokens the sum, the mean and the maximum differ; for a region of one token they agree, and the range is 0. A suite names its choice in `meta.metric`.

# %% tags=["hide-input"]
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
    digits=2,
)

# %% [markdown] tags=["explains"]
# ## The prediction language has traps
#
# `&` and `|` have the same precedence and are read from the left. `=` is closeness: within 0.001 plus 0.00001 of the right side, in bits.

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
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/11_syntaxgym.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from itertools import permutations

from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import load_suite

# Surprisals at the main verb, region 6, of three imagined readers. In "When the dog scratched the vet left" the reader
# first takes "the vet" for the object. A comma prevents that, and so does another object.
READERS = {
    "is led astray": {
        "no_object": 14.0,
        "no_object_comma": 6.0,
        "object": 7.0,
        "object_comma": 6.5,
    },
    "likes commas": {
        "no_object": 10.0,
        "no_object_comma": 6.0,
        "object": 9.0,
        "object_comma": 5.0,
    },
    "is never surprised": dict.fromkeys(
        ("no_object", "no_object_comma", "object", "object_comma"), 6.0
    ),
}
readers = {
    name: {(6, condition): bits for condition, bits in surprisals.items()}
    for name, surprisals in READERS.items()
}
suite = load_suite("lab_npi_src_ever")


# %% [markdown]
# ````{exercise} ★ A formula for a garden path
# :label: 11-garden
#
# *When the dog scratched the vet left* leads readers astray at *left*. Four conditions: `no_object` as above; `no_object_comma`, with a comma before *the vet*; `object`, where the first verb has an object (*scratched its owner the vet left*); `object_comma`. Write `claim`, a formula as a string, over {term}`region` 6 that is true of a reader who is led astray and false of one for whom a missing comma costs the same everywhere.
#
# ```{dropdown} Hint
# The comma should help *more* where there is no object. Compare two differences.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The pair with an object is the control: it shows what a missing comma costs without a garden path.
claim = "(6;%no_object%) - (6;%no_object_comma%) > (6;%object%) - (6;%object_comma%)"

# %% tags=["hide-cell", "check"]
assert isinstance(claim, str), "claim should be a formula, as a string"
formula = Formula.parse(claim)
formula.check({6}, {condition for _, condition in readers["is led astray"]})
verdicts = {name: formula.holds(surprisals) for name, surprisals in readers.items()}
assert verdicts["is led astray"], (
    "the formula should hold of the reader who is led astray"
)
assert not verdicts["likes commas"], (
    "the formula should fail where a missing comma costs the same everywhere"
)
assert not verdicts["is never surprised"], (
    "the formula should fail where nothing surprises"
)
assert len(formula.atoms) == 4, "all four conditions should be used"
print("A difference of differences: what the comma does beyond being a comma.")

# %% [markdown]
# ````{exercise} ★★ What guessing gets
# :label: 11-chance
#
# A model without any knowledge puts the four conditions of an item in a random order of {term}`surprisal`. Compute `chance`, a dictionary from the name of a formula to the share of the 24 orders for which it holds, for `"one"`: `(1;%a%) < (1;%b%)`; `"two"`: that and `(1;%c%) < (1;%d%)`; and `"licensing"`: the prediction of `suite`, whose conditions are in `suite.conditions`.
#
# ```{dropdown} Hint
# `permutations(range(4))` gives the orders. `Formula.parse(text).holds({(1, "a"): 0, ...})` says whether a formula holds.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# One half, one quarter, and 5 of 24: an accuracy of 0.4 can be well above chance.
def share(formula):
    """Share of the orders of four conditions for which a formula holds."""
    region = formula.atoms[0][0]
    conditions = suite.conditions if region != 1 else "abcd"
    orders = [
        {
            (region, condition): rank
            for condition, rank in zip(conditions, order, strict=True)
        }
        for order in permutations(range(4))
    ]
    return sum(formula.holds(order) for order in orders) / len(orders)


chance = {
    "one": share(Formula.parse("(1;%a%) < (1;%b%)")),
    "two": share(Formula.parse("((1;%a%) < (1;%b%)) & ((1;%c%) < (1;%d%))")),
    "licensing": share(suite.predictions[0]),
}

# %% tags=["hide-cell", "check"]
assert isinstance(chance, dict), (
    "chance should be a dictionary: name of the formula -> share"
)
assert set(chance) == {"one", "two", "licensing"}, (
    "chance needs the keys one, two and licensing"
)
assert chance["one"] == 0.5, "one: half of the orders have a before b"
assert chance["two"] ** 0.5 == 0.5, (
    "two: the two comparisons are independent of each other"
)
assert round(24 * chance["licensing"]) == 24 * chance["licensing"], (
    "licensing: a share of 24 orders"
)
assert 0.2 < chance["licensing"] < 0.25, (
    "licensing: all three comparisons have to hold at once"
)
print(
    {name: round(value, 3) for name, value in chance.items()},
    "- say so beside every accuracy.",
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★★ A suite of your own
# :label: 11-own
#
# Design a suite of three items with [the designer](../book/designer.md), which needs no program: two conditions that should differ and two that control for everything else. Run it there, and look at the item that fails. Is that the model's fault or the item's?
#
# ```{dropdown} Hint
# Look at the regions *before* the critical one.
# ```
# ````
#
# ```{solution} 11-own
# :class: dropdown
#
# Look for three causes in this order. An unknown word: a region that holds one says nothing about syntax. A difference before the critical region: then the conditions are not a minimal pair. A critical region of several tokens, of which only the first is about the construction. Only what is left is the model's fault.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - A suite compares the same place in several versions of a sentence, so what the sentences share cancels out.
# - A prediction is a formula over surprisals in bits; accuracy is the share of items for which it holds.
# - Joined comparisons are strict: chance is well below one half.
#
# Functions: {py:func}`tse_core.syntaxgym.library.load_suite`, {py:func}`tse_core.evaluate_suite`, {py:class}`tse_core.syntaxgym.formula.Formula` and {py:func}`tse_book.charts.region_profile`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
