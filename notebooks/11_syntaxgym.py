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
# : read the paper's own example with a real model, then take a whole suite apart: its sentences, its prediction, the surprisal of its regions, and item by item why the prediction holds or fails
#
# You need
# : nothing but the idea that a language model gives words probabilities; [the next notebook](12_suites_and_models.ipynb) compares models and suites
#
# Time
# : 20 minutes to read, seconds to run on a CPU; no GPU
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
    subprocess.run([*install, "pooch", "lark", "gguf", "lazy_loader"], check=True)
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
# ## The paper's own example
#
# TSE asks about one word in one sentence. {cite:t}`gauthier2020syntaxgym` ask about any stretch of a sentence, in any number of versions of it. Their unit is the {term}`suite`. A suite has *items*. An item is one frame with its own words, and comes in several *conditions*. Each sentence is cut into numbered {term}`regions <region>`, so that one can point at the same place in all of them. Figure 2 of the paper shows two items of a suite about the number of subject and verb; here they are, written as code, because a suite is nothing but this table and one formula.

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

# %% [markdown]
# Everything but the number of the subject, the number of its neighbour and the form of the verb is the same within an item. The neighbour always has the *other* number, so a model that lets the nearest noun decide gets every item wrong.
#
# The prediction is a formula over {term}`surprisals <surprisal>`: `(6;%match_sing%)` is the surprisal of region 6, the verb, in the condition `match_sing`. Both comparisons must hold, for the singular subject and for the plural one.
#
# The sentences are read by the first causal model of this build: {glue:text}`introduced:s`.
#
# ```{dropdown} Predict: is it enough to look at the singular subject?
# No. A model that always prefers the singular verb, whatever the subject, passes the first comparison and fails the second. A model that always prefers the more frequent form can pass either one by luck. Only both together need the subject.
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

# %% [markdown]
# Compare match with mismatch for each number: the verb that matches should have fewer bits than the one that does not. One bit less means twice as probable. The size of the difference is not part of the verdict: a prediction that holds by a hundredth of a bit counts as much as one that holds by five.
#
# What could fool you: two items are an illustration. The suite from which they are taken, `number_prep`, has 19.

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

# %% [markdown]
# The shaded region is the verb. Before it the lines of one number lie on top of each other, because the sentences are the same up to there.
#
# ### The items that fail
#
# A mean shows no failure. For each item there are two margins: by how many bits the wrong verb is more surprising than the right one, after the singular subject and after the plural one. The prediction holds where both are positive.
#
# ```{dropdown} Predict: the neighbour always has the other number. After which subject will the model fail more often?
# If it follows the neighbour, it fails after both alike. Attraction in English is stronger from a plural neighbour, which makes *the manager near the architects like* sound better than it is, so failures should come after the singular subject. Count them below.
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
            f"Of the {len(failed)} failed items, {fails['singular']} fail after the singular subject, whose neighbour is plural, "
            f"and {fails['plural']} after the plural one.",
            f"The wrong verb wins by {sizes.min():.1f} to {sizes.max():.1f} bits, so none of these is decided by a hair."
            if sizes.min() > 0.5
            else f"The narrowest failure is one of {sizes.min():.2f} bits.",
        )
    )

# %% [markdown]
#
# ## A suite in full
#
# The laboratory's suites come with the project and have the same form; one of them is taken apart here. This is one item, with a row for each condition and a column for each region. A caution: the laboratory's suites ask only about frequent verbs, so, like TSE, they cannot tell a model with a rule from one with a list.
#
# ```{margin} Condition
# One of the versions in which every item comes: here, whether subject and verb match, and the subject's number.
# ```

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
# Only the number of the subject and the form of the verb vary across the rows. The sentence is the regions that are not
# empty, joined by one space.
#
# ## The prediction
#
# ```{margin} Formula
# `(6;%a%) < (6;%b%)`: region 6 is less surprising in condition *a* than in condition *b*.
# ```
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

# %% [markdown]
# ```{margin} Bits and nats
# Surprisal is in bits (logarithm to base 2). One nat, the unit of the natural logarithm, is 1.44 bits.
# ```
#
# Nothing is lost on the way: the tokens add up to {glue:text}`whole:.3f` bits, the regions to
# {glue:text}`regions_sum:.3f`. A causal model that reads no {term}`BOS token` has nothing to predict its first token
# from, and that token counts 0. A masked model has no left-to-right probability; its tokens are scored by
# {term}`pseudo-log-likelihood`, each given all the others. How this model was read: {glue:text}`how`.
#
# ## Region by region
#
# The mean over all items shows what the model expects where. Look at the shaded region, the one that the prediction speaks
# of: the mismatched conditions should stand above the matched ones, and to its left
# the lines of one number should lie on top of each other.

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
# A mean hides the items. Choose one; point at a dot, or touch it, to see its words. The legend singles out a condition.

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

# %% tags=["hide-input"]
table(outcome.predictions, f"{model.label} on {suite.name}", digits=4)

# %% tags=["hide-input"]
glue("accuracy", outcome.accuracy)
glue("correct", int(outcome.by_item.sum()))
glue("items", len(suite.items))
print(outcome.signature.without_provenance)

# %% tags=["hide-input"]
download_table(outcome.tokens, f"{suite.name}-tokens.csv", "Every token's surprisal")

# %% [markdown]
# Accuracy: {glue:text}`accuracy:.4f` ({glue:text}`correct`/{glue:text}`items` correct). A model that guesses gets far less
# than half here, because the formula joins two comparisons: guessing would satisfy both in one item out of four.
#
# ```{dropdown} Predict: a suite with three comparisons, and a model with 0.30. Is that bad?
# Not before you know what guessing gets. Three independent comparisons hold together in one item of eight, so 0.30 is more than twice chance; but it is also far from mastery. An accuracy on a suite says little without its own chance level, and the chance levels of suites differ.
# ```
#
# ## Other ways to sum up a region
#
# The sum is the usual choice. For a region of one token all choices give the same value, except the range, which is then 0
# everywhere, so that no comparison can hold. With several tokens they differ: the mean forgives a long region, the maximum
# looks only at its worst token. A suite names its choice in `meta.metric`. No metric
# needs another pass through the model.

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
    digits=4,
)

# %% [markdown]
# ## The prediction language has traps
#
# `&` and `|` have equal rank and are read from the left. Many programming languages read `&` first, and would call the
# first of these true. A chain like `1 < 2 < 3` is refused here; the original reader silently drops its third part.
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
# ★ takes minutes, ★★ some thought, ★★★ a small study.
# {download}`These exercises as a notebook <../_build/exercises/11_syntaxgym.ipynb>`: empty cells for your answers, and checks that judge them.

# %% tags=["hide-input", "exercise-setup"]
import math
from itertools import permutations

from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import load_suite

# A sentence of five tokens: the region in which each lies, and its probability given what comes before.
tokens = [
    {"token": "the", "region": 1, "probability": 0.25},
    {"token": "key", "region": 1, "probability": 0.03125},
    {"token": "un", "region": 2, "probability": 0.125},
    {"token": "locks", "region": 2, "probability": 0.5},
    {"token": ".", "region": 3, "probability": 0.5},
]
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
# ````{exercise} ★ Surprisal by hand
# :label: 11-hand
#
# `tokens` is a sentence: each token with its {term}`region` and its probability given the tokens before it. Compute `bits`, a
# dictionary from region to {term}`surprisal`: the sum over its tokens, in bits. What is the probability of the sentence?
#
# ```{dropdown} Hint
# A probability of 0.25 is two bits: one half, twice. Surprisals add up where probabilities multiply.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# 12 bits in all, so the sentence has a probability of one half to the twelfth.
bits = {}
for token in tokens:
    bits[token["region"]] = bits.get(token["region"], 0) - math.log2(
        token["probability"]
    )

# %% tags=["hide-cell", "check"]
assert isinstance(bits, dict), "bits should be a dictionary: region -> surprisal"
assert set(bits) == {1, 2, 3}, "bits needs the regions 1, 2 and 3"
for region in bits:
    product = math.prod(t["probability"] for t in tokens if t["region"] == region)
    assert abs(2.0 ** -bits[region] - product) < 1e-9, (
        f"region {region}: not the surprisal in bits"
    )
print(
    f"{sum(bits.values()):.0f} bits: the whole sentence has a probability of 1 in {2 ** sum(bits.values()):,.0f}."
)

# %% [markdown]
# ````{exercise} ★★ A formula for a garden path
# :label: 11-garden
#
# *When the dog scratched the vet left* leads readers astray at *left*. Four conditions: `no_object` as above;
# `no_object_comma`, with a comma before *the vet*; `object`, where the first verb has an object already (*scratched its
# owner the vet left*); `object_comma`. Write `claim`, a formula as a string, over {term}`region` 6 that is true of a reader
# who is led astray and false of one for whom a missing comma costs the same everywhere. First say why `(6;%no_object%) >
# (6;%no_object_comma%)` is not enough.
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
# A suite joins comparisons. A model without any knowledge puts the four conditions of an item in a random order of
# {term}`surprisal`, each of the 24 orders as likely as any other. Compute `chance`, a dictionary from the name of a formula
# to the share of orders for which it holds, for `"one"`: `(1;%a%) < (1;%b%)`; `"two"`: that and `(1;%c%) < (1;%d%)`; and
# `"licensing"`: the prediction of `suite`, whose conditions are in `suite.conditions`.
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

# %% [markdown]
# ````{exercise} ★★★ A suite of your own
# :label: 11-own
#
# Design a suite of three items with [the designer](../book/designer.md): a construction, two conditions that should differ
# and two that control for everything else. Save it, run `tse syntaxgym evaluate` on it with a laboratory model, and look at
# the item that fails. Is that the model's fault or the item's?
#
# ```{dropdown} Hint
# Look at the regions *before* the critical one. If the conditions already part there, the items differ in more than you meant.
# ```
# ````
#
# ```{solution} 11-own
# :class: dropdown
#
# Three causes, to be looked for in this order. A word that the model does not know: `tse unkify` marks them, and a region
# with an unknown word says nothing about syntax. A difference before the critical region: then the two conditions are not a
# minimal pair. A critical region of several tokens, of which only the first is about the construction: look at the tokens.
# Only what is left is the model's fault. A good control condition has the same words at the critical region and lacks just
# the one thing that the prediction is about.
# ```

# %% [markdown]
# ## Takeaways
#
# - A suite compares the same place in several versions of a sentence, so what the sentences share cancels out.
# - A prediction is a formula over surprisals in bits; a suite's accuracy is the share of items for which it holds.
# - Tokens are assigned to regions by their characters, so suites work for every tokenizer; sums over regions equal the
#   surprisal of the sentence.
# - Joined comparisons are strict: chance is well below one half.
#
# The functions of this chapter: {py:func}`tse_core.syntaxgym.library.load_suite`, {py:func}`tse_core.evaluate_suite`, {py:func}`tse_book.charts.region_profile`, {py:func}`tse_book.charts.item_profile`, {py:class}`tse_core.syntaxgym.formula.Formula` and {py:func}`tse_book.charts.item_outcomes`. All others are in the [reference](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
