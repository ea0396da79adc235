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
# # What the gap is made of
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : take the gap between TSE and EW apart: the verbs that TSE asks, verbs that are nouns as well, attraction, the end of a word, verbs of several tokens; and measure whether a model notices the subject's number at all
#
# You need
# : [Table 2](03_table2.ipynb)
#
# Time
# : 20 minutes to read, five minutes to run on a CPU
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
    "lab-lexical-causal",
]
data = ["marvin-linzen"]
lemmas = ["newman-clean"]
protocols = ["exact"]
design_asked = (
    "marvin-linzen-adverbs"  # scored for a model whose design is not recorded
)
twins_asked = 4  # of each construction, for the laboratory's models

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "18_gap")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
from IPython.display import display

from tse_book import charts
from tse_book.laboratory.sensitivity import sensitivity_against_truth
from tse_book.pages import glue, newman, table
from tse_book.pages.design import designs, ew_cells
from tse_book.studies.expectations import MEAN, expectations, lifts
from tse_book.studies.gap import GAP, gap_parts, known_parts, recorded_stages, stages_of
from tse_core import evaluate, load_lemmas
from tse_core.paths import data_folder, store_folder

store = store_folder()
found = designs(newman.real_models(models), lemmas[0], design_asked, store)
parts = {}
for model in newman.real_models(models):
    name = newman.label(model)
    stages = recorded_stages(name)
    if stages is None:
        runs = [
            evaluate(model, part, lemmas[0], keep="lemmas", store=store)
            for part in data
        ]
        stages = {row: stage for run in runs for row, stage in stages_of(run).items()}
    parts[name] = gap_parts(stages)

# %% [markdown]
# ## In brief
#
# {term}`EW` asks a model about hundreds of verbs, {term}`TSE` about a handful, and EW is mostly the lower of the two. The paper reads this as a weakness with unlikely verbs. But a verb such as *plan* is a noun as well, and after *The author* a noun may follow: *the author plan*. The base form then gets probability for a reason that has nothing to do with agreement. An adverb before the verb rules most of these readings out. This chapter adds one, and looks at what happens to the gap.

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))
said = []
for name, table_of in parts.items():
    whole = table_of[table_of["construction"] == MEAN].set_index("part")
    largest = whole.drop(index=GAP)["value"].idxmax()
    said.append(
        f"For {name} TSE less EW is {whole.loc[GAP, 'value']:.3f} "
        f"[{whole.loc[GAP, 'low']:.3f}, {whole.loc[GAP, 'high']:.3f}]; its largest part, "
        f"{whole.loc[largest, 'value']:.3f}, is *{largest}*."
    )
display(newman.say(*said))
glue("gap_said", " ".join(said).replace("*", '"') or "Not measured in this build.")

# %% [markdown]
# ## Nouns, other verbs, and one adverb
#
# The sentences are Marvin and Linzen's constructions, crossed with an adverb before the verb: none, *often*, *usually*, *always*, *never*, *probably*. Behind a relative clause some adverbs can belong to that clause (*the author that the guards like often*); such sentences are left out here. Drawn are singular subjects, the number for which the base form is wrong.
#
# ```{dropdown} Predict: what does an adverb do to EW of verbs that are also nouns, behind a plural noun?
# It takes the reading as a noun away. What is left is {term}`attraction`: the verb may agree with the nearer noun.
# ```


# %% tags=["hide-input"]
def drawn(name, design):
    """The chart of one model."""
    cells = ew_cells(design).query("number == 'singular'")
    return charts.adverb_dots(
        cells, f"{name}: singular subjects, without and with an adverb"
    )


for name, design in found.items():
    cells = ew_cells(design).query("number == 'singular'")
    display(drawn(name, design))
    wide = cells.pivot_table(
        "score", ["attractor", "kind"], "adverb", sort=False
    ).reset_index()
    display(table(wide, f"{name}: EW by kind of verb, and TSE of be", digits=3))

# %% tags=["hide-input"]
for name, design in found.items():
    for number in ("singular", "plural"):
        lifted = lifts(design, number).assign(
            verbs=lambda t: t["also_noun"].map(
                {True: "nouns too", False: "other verbs"}
            )
        )
        display(
            table(
                lifted[["adverb", "verbs", "value", "low", "high"]],
                f"{name}: what an adverb adds to EW without a plural attractor, {number} subjects; 95 % over subjects and verbs.",
                digits=3,
            )
        )

# %% tags=["remove-input"]
verdict = []
for name, design in found.items():
    whole = parts[name][parts[name]["construction"] == MEAN].set_index("part")
    gap, nouns = whole.loc[GAP], whole.loc["noun readings", "value"]
    lifted = lifts(design, "singular").query("also_noun")["value"]
    much = "Most" if nouns > gap["value"] / 2 else "A part"
    verdict += [
        f"For {name}, {'EW is below TSE' if gap['low'] > 0 else 'it is open whether EW is below TSE'}: over its {parts[name]['construction'].nunique() - 1} constructions and all verbs "
        f"the mean difference is {gap['value']:.2f} [{gap['low']:.2f}, {gap['high']:.2f}].",
        f"{much} of it, {nouns:.2f}, are verbs that are also nouns: with an adverb before the verb their EW after a singular "
        f"subject rises by {lifted.min():.2f} to {lifted.max():.2f} where no plural noun is in between."
        if lifted.min() > 0
        else f"Verbs that are also nouns make up {nouns:.2f} of it.",
    ]
(recorded,) = designs([newman.DEFAULT], lemmas[0], design_asked, store).items()
glue("story_chart", drawn(*recorded))  # the front page shows the recorded design
glue("verdict", " ".join(verdict) or "No real model ran in this build.")

# %% [markdown]
# ## Does the model notice the number?
#
# A constant preference for one form is not ignorance of number. {term}`Number sensitivity` compares twins, contexts that differ in the subject's number alone: it is the share of verbs whose singular form gains on the plural one after the singular subject. A preference that is there in both contexts cancels.
#
# In the laboratory its truth follows from the language. A verb that takes its form whatever the subject counts one half, because a model that learned from a sample errs to either side.

# %% tags=["hide-input"]
for name in newman.laboratory_models(models):
    regime = newman.label(name).split("-")[1]
    measured = sensitivity_against_truth(name, regime, twins=twins_asked, store=store)
    bands = measured.groupby("band", sort=False)[["NS", "true_NS"]].mean()
    display(
        table(
            bands.reset_index(),
            f"{newman.label(name)}: number sensitivity, measured and true, means over the constructions",
            digits=3,
        )
    )
    agreeing = bands.drop(index="tail")
    assert ((agreeing["NS"] - agreeing["true_NS"]).abs() < 0.05).all()

# %% [markdown]
# ## Where the gap comes from
#
# TSE is compared with EW over more and more: other verbs than nouns, all verbs that are single entries, the same with the end of the word counted, all verbs of any number of tokens. The differences are the parts, and they add up to the gap.

# %% tags=["hide-input"]
verbs = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
for name in newman.laboratory_models(models):
    run = evaluate(name, "marvin-linzen/simple", verbs, keep="lemmas", store=store)
    ours = gap_parts(stages_of(run)).query("construction == 'Simple'")
    known = known_parts(newman.label(name).split("-")[1], run.lemmas)
    known = known.query("construction == 'Simple'").rename(columns={"value": "known"})
    display(
        table(
            ours.merge(known, on=["construction", "part"]).drop(columns="construction"),
            f"{newman.label(name)}, Simple: the parts as measured and as known from the language",
            digits=3,
        )
    )

# %% tags=["hide-input"]
for name, table_of in parts.items():
    whole = table_of[table_of["construction"] == MEAN]
    assert abs(whole["value"].iloc[1:].sum() - whole["value"].iloc[0]) < 1e-9
    display(
        charts.gap_bars(whole, f"{name}: the parts of TSE less EW, mean of the rows")
    )
    wide = table_of.pivot(index="construction", columns="part", values="value")
    display(
        table(
            wide[list(dict.fromkeys(table_of["part"]))].rename_axis(None),
            f"{name}: the gap and its parts, row by row",
            digits=3,
            index=True,
        )
    )

# %% [markdown]
# ## What was expected
#
# Before the design was run, four expectations were written down (H1 to H4). An expectation *holds* where the whole interval lies in its region, *fails* where all of it lies outside, and is *open* where the interval contains the region's edge.

# %% tags=["hide-input"]
for name, design in found.items():
    judged = expectations(design)
    means = judged[judged["row"] == MEAN]
    display(
        table(
            means[["expectation", "statement", "value", "low", "high", "verdict"]],
            f"{name}: the expectations, means over the constructions (H3: the smallest cell)",
            digits=3,
        )
    )
    verdicts = means.groupby("verdict").size()
    display(
        newman.say(
            f"Of {len(means)} statements {int(verdicts.get('holds', 0))} hold, "
            f"{int(verdicts.get('fails', 0))} fail and {int(verdicts.get('open', 0))} are open."
        )
    )

# %% [markdown]
# ### What could fool you
#
# The list of nouns is generous: it marks rare nouns as well. An adverb changes more than one thing: it also stands between subject and verb. And the intervals of the parts sample verbs alone where the whole words are recorded.
#
# ## Takeaways
#
# - A low EW can come from verbs that are nouns, from attraction and from verbs of several tokens; EW alone does not tell them apart.
# - One adverb before the verb separates the reading as a noun from attraction.
# - Number sensitivity shows whether a model notices the subject's number, whatever form it prefers.
#
# The functions of this chapter: {py:meth}`tse_core.agreement.evaluation.Evaluation.table`, {py:meth}`tse_core.agreement.evaluation.Evaluation.number_sensitivity` and {py:func}`tse_book.charts.gap_bars`. All others are in the [reference](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
