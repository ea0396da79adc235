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
# # What is learned first
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : follow TSE, EW and MW through training, for frequent and for rare verbs, and with more and less text
#
# You need
# : TSE, EW and MW, from [Methods](02_methods.ipynb); the two grammars of [the laboratory](16_laboratory.ipynb)
#
# Time
# : 10 minutes to read, seconds to run from recorded results
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
plans = [
    "laboratory-steps",
    "laboratory-sizes",
    "pythia",
]  # recorded results, or plans of data/sweeps, or .yaml files
run = [
    "none"
]  # those of the plans that are to be run here, with a GPU where there is one

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

from tse_book import charts
from tse_book.charts import training_chart
from tse_book.claims import training_ledger
from tse_book.laboratory import truth
from tse_book.pages import glue, guard, table
from tse_book.pages.newman import say
from tse_book.studies import dynamics
from tse_core.paths import data_folder, store_folder
from tse_core.results.tidy import ALL_CONSTRUCTIONS
from tse_core.sweep import running

# %% [markdown] tags=["explains"]
# In which order are verbs learned: one rule for all, or verb after verb?
#
# ## Checkpoints
#
# A finished model says what was learned. Its {term}`checkpoints <checkpoint>` say in which order. Two models, trained anew on less text than [the laboratory's](16_laboratory.ipynb), were saved after 1, 2, 4, ... steps and scored on Marvin and Linzen's templates. Their language has 900 verbs, and we know how often each occurs: 200 verbs are its *head*, 200 its *middle*, and 500 rare verbs its *tail*.
#
# A model that conjugates nearly every verb may have learned one rule, or verb after verb. At the end the two look alike. On the way a rule should reach frequent and rare verbs at almost the same time.
#

# %% tags=["hide-input"]
curves, status = {}, []
for plan in plans:
    shipped = data_folder() / "sweeps" / f"{plan}.yaml"
    source = shipped if shipped.is_file() else plan
    if plan in run:
        done = running.sweep(source, store=store_folder())
        if not done.failures:
            curves[plan] = dynamics.training_curves(source, store_folder())
    elif (recorded := dynamics.recorded(plan)) is not None:
        curves[plan] = recorded
    found = curves.get(plan)
    status.append(
        {
            "plan": plan,
            "models": "–" if found is None else ", ".join(found["name"].unique()),
            "checkpoints": 0
            if found is None
            else found.groupby("name")["step"].nunique().sum(),
            "status": "not yet run"
            if found is None
            else "measured here"
            if plan in run
            else "recorded",
        }
    )
table(pd.DataFrame(status), "The plans of this page")

# %% [markdown] tags=["explains"]
# ## Over the steps of training
#
# Each line is one band of verbs, over all constructions together, with its 95 % interval, clustered by subject noun. TSE asks about the templates' own verbs, all of which are in the head.
#
# ```{dropdown} Predict: in a language in which every verb agrees, which score comes first: TSE, EW of the frequent verbs or EW of the rare ones?
# TSE and EW of the frequent verbs together, since they ask about verbs of the same kind; EW of the rare ones last. If the model learned a rule and nothing else, they would not be apart at all.
# ```


# %% tags=["hide-input"]
def overall(curves):
    """All constructions together: the bands of EW and MW, and TSE."""
    rows = curves[curves["construction"] == ALL_CONSTRUCTIONS]
    return rows[(rows["band"] != "all") | (rows["metric"] == "TSE")]


def goal(curves):
    """The truth of each model's language, constructions weighing as many contexts as they have."""
    parts = []
    for name, mine in curves.groupby("name", sort=False):
        sizes = (
            mine[(mine["metric"] == "EW") & (mine["band"] == "head")]
            .groupby("construction")["n"]
            .first()
        )
        known = truth(name.split("-")[1]).melt(
            ["construction", "band"], ["TSE", "EW", "MW"], "metric", "truth"
        )
        known["weight"] = known["construction"].map(sizes)
        known["sum"] = known["truth"] * known["weight"]
        means = (
            known.dropna(subset="sum")
            .groupby(["band", "metric"], as_index=False)[["sum", "weight"]]
            .sum()
        )
        parts.append(
            means.assign(name=name, truth=means["sum"] / means["weight"])[
                ["name", "band", "metric", "truth"]
            ]
        )
    return pd.concat(parts, ignore_index=True)


def first_step(curves, metric, band, level):
    """The first checkpoint at which a score reaches a level, in words."""
    table = dynamics.reached(
        curves[(curves["metric"] == metric) & (curves["band"] == band)], level
    )
    return "never" if table["step"].isna().all() else f"{table['step'].min():,}"


steps = overall(curves["laboratory-steps"])
known = goal(curves["laboratory-steps"])
systematic = steps[steps["name"] == "lab-systematic-checkpoints"]
scores = systematic.set_index(["step", "metric", "band"])["score"]
turn = systematic.loc[
    (systematic["metric"] == "TSE") & (systematic["score"] >= 0.9), "step"
].min()
training_chart(
    systematic,
    title=f"Every verb agrees: after {turn:,} steps EW is {scores[turn, 'EW', 'head']:.2f} for frequent verbs, "
    f"{scores[turn, 'EW', 'tail']:.2f} for rare ones",
    truth=known,
)

# %% tags=["remove-input"]
final = systematic["step"].max()
glue("turn", int(turn))
glue("last_step", int(final))
glue("turn_tse", float(scores[turn, "TSE", "all"]))
frequent_first = scores[turn, "EW", "head"] > scores[turn, "EW", "tail"]
guard("the frequent ones come first", frequent_first)
guard("this model got the frequent ones right first", frequent_first)
guard(
    "it can look finished while rare verbs are not",
    scores[turn, "TSE", "all"] > 0.9 > scores[turn, "EW", "tail"],
)
for band in ("head", "middle", "tail"):
    glue(f"turn_ew_{band}", float(scores[turn, "EW", band]))
    glue(f"arrived_{band}", first_step(systematic, "EW", band, 0.98))
glue("last_ew_tail", float(scores[final, "EW", "tail"]))
glue("last_ew_head", float(scores[final, "EW", "head"]))

# %% [markdown] tags=["explains"]
# After {glue:text}`turn:.0f` steps TSE is {glue:text}`turn_tse:.3f`, while EW is {glue:text}`turn_ew_head:.3f` in the head, {glue:text}`turn_ew_middle:.3f` in the middle and {glue:text}`turn_ew_tail:.3f` in the tail. EW first exceeds 0.98 at {glue:text}`arrived_head` steps in the head and at {glue:text}`arrived_tail` in the tail. At the end, after {glue:text}`last_step:.0f` steps, head and tail stand at {glue:text}`last_ew_head:.3f` and {glue:text}`last_ew_tail:.3f`. One rule covers all verbs of this language, and yet the frequent ones come first.
#
# What could fool you: the checkpoints double from one to the next, so "at the same step" can hide a lag of several hundred steps.
#
# ```{dropdown} Predict: in the lexical language, in which each rare verb keeps a favourite form, what will EW of the rare verbs do over time?
# It could rise first and fall later: the model learns that verbs agree, applies this to the rare ones, and then finds out that these do not, as children say *goed*. Or it stays at chance. The chart shows which.
# ```

# %% tags=["hide-input"]
lexical = steps[steps["name"] == "lab-lexical-checkpoints"]
end = lexical[lexical["step"] == lexical["step"].max()].set_index(["metric", "band"])[
    "score"
]
training_chart(
    lexical,
    title=f"Only frequent verbs agree: head EW ends at {end['EW', 'head']:.2f}, tail EW at {end['EW', 'tail']:.2f}",
    truth=known,
)

# %% tags=["remove-input"]
tail_truth = known.set_index(["name", "metric", "band"])["truth"][
    "lab-lexical-checkpoints", "EW", "tail"
]
tail_best = lexical[
    (lexical["metric"] == "EW") & (lexical["band"] == "tail")
].set_index("step")["score"]
glue("lexical_tail_last", float(end["EW", "tail"]))
glue("lexical_tail_truth", float(tail_truth))
glue("lexical_tail_best", float(tail_best.max()))
glue("lexical_tse", float(end["TSE", "all"]))

# %% [markdown]
# In the lexical language a rare verb keeps its favourite form, so the tail's EW should end at {glue:text}`lexical_tail_truth:.2f`; it ends at {glue:text}`lexical_tail_last:.3f`. It never exceeds {glue:text}`lexical_tail_best:.3f`. TSE was not asked about these verbs: it ends at {glue:text}`lexical_tse:.3f`.
#
# A flat line at one half is easy to misread: a model that knows nothing and one that knows every verb's favourite form both have an EW of one half.
#
# ## Which construction first

# %% tags=["hide-input"]
whole = curves["laboratory-steps"]
whole = whole[
    (whole["band"] == "all")
    & (whole["metric"] == "EW")
    & (whole["construction"] != ALL_CONSTRUCTIONS)
]
part = whole[whole["name"] == "lab-systematic-checkpoints"].assign(
    step=lambda t: t["step"].astype(str)
)
charts.heat_map(
    part,
    "step",
    "construction",
    "score",
    title="EW by construction and step, systematic language",
    domain=(0.4, 1.0),
    upright=True,
)

# %% tags=["hide-input"]
first = dynamics.reached(whole[whole["name"] == "lab-systematic-checkpoints"], 0.9)
table(
    first[["construction", "step", "score"]].rename(
        columns={"step": "first step with EW >= 0.9", "score": "highest EW"}
    ),
    "When each construction is learned (systematic language, at the checkpoints recorded)",
    digits=3,
)

# %% [markdown]
# Distance between subject and verb, an {term}`attractor` between them, and how often a construction occurs in the corpus could explain the order, among others. These checkpoints cannot decide; training on languages that differ in one of them could.
#
# ## What was expected
#
# Three things follow from the design of the two languages. TSE counts as *learned* at the first checkpoint at which it reaches the level named in the claim. These claims are in [the ledger](19_ledger.ipynb), too.

# %% tags=["remove-input"]
expected = training_ledger(curves.get("laboratory-steps"))
table(
    expected.drop(columns="signature").set_axis(
        ["", "claim", "model", "step", "measured", "verdict"], axis=1
    ),
    "The laboratory's claims about training",
)

# %% [markdown] tags=["explains"]
# ## Over the size of the corpus
#
# In the plan `laboratory-sizes` ([how plans run](../book/scaling.md)) the steps stay the same and the corpus grows: the smallest is read many times over.
#
# ```{dropdown} Predict: if a model reads a small corpus many times over, will it still conjugate the frequent verbs?
# If it has merely memorised sentences, it will fail with new subjects even there. Look at its frequent verbs first, then at the rare ones.
# ```

# %% tags=["hide-input"]
if "laboratory-sizes" in curves:
    sizes = overall(curves["laboratory-sizes"])
    ends = sizes[(sizes["metric"] == "EW") & (sizes["band"] == "tail")].set_index(
        "step"
    )["score"]
    display(
        training_chart(
            sizes,
            title=f"EW of rare verbs: {ends.iloc[0]:.2f} on the smallest corpus, {ends.iloc[-1]:.2f} on the largest",
            x_title="sentences in the corpus",
            truth=goal(curves["laboratory-sizes"]),
        )
    )
else:
    display(say("*laboratory-sizes: not yet run.*"))

# %% [markdown] tags=["explains"]
# What could fool you: each size is one model, trained once from one random start.
#
# ## A model from the Hugging Face hub
#
# The plan `pythia` names twenty revisions of Pythia, from the first step to the last. On a GPU, set `run = ["pythia"]` above, or:
#
# ```bash
# tse sweep data/sweeps/pythia.yaml --gpus 1
# tse training-curves data/sweeps/pythia.yaml data/recorded/dynamics/pythia.csv
# ```
#
# The head of Pythia's list holds half of the last checkpoint's probability on verbs, its tail the last tenth.

# %% tags=["hide-input"]
for plan in plans:
    if plan in curves and not plan.startswith("laboratory-"):
        display(
            training_chart(
                overall(curves[plan]), title=f"{plan}: EW, MW and TSE over training"
            )
        )
    elif not plan.startswith("laboratory-"):
        display(say(f"*{plan}: not yet run.*"))

# %% [markdown]
# In your own training, {py:class}`tse_book.EvaluationCallback` goes into a Trainer of Hugging Face's library and writes the scores into its log, without changing the weights:
#
# ```python
# callback = EvaluationCallback(
#     trainer,
#     {"simple": lambda model: tse_core.evaluate(model, "marvin-linzen/simple")},
#     every=500,
#     out="curve.csv",
# )
# trainer.add_callback(callback)
# ```

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/13_training_dynamics.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

from tse_core.paths import data_folder

# Scores of the checkpoints, all constructions together: a row for each step, a column for each metric and band.
recorded = pd.read_csv(data_folder() / "recorded" / "dynamics" / "laboratory-steps.csv")
recorded = recorded[recorded["construction"] == "All constructions"]
checkpoints = {
    name.split("-")[1]: own.pivot_table("score", "step", ["metric", "band"])
    for name, own in recorded.groupby("name")
}
systematic, lexical = checkpoints["systematic"], checkpoints["lexical"]

# %% [markdown]
# ````{exercise} ★ Which metric moves first?
# :label: 13-first
#
# `lexical["EW", "head"]` is a Series: {term}`EW` of the frequent verbs by step of training; `lexical["MW", "head"]` is {term}`MW` of the same. Make `first`, a dictionary from `"EW"` and `"MW"` to the first step at which each is above 0.9. What does the later one wait for?
#
# ```{dropdown} Hint
# `series[series > 0.9]`; the index of a Series holds the steps.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# EW only asks that the right form be ahead. MW asks that the wrong forms have become improbable.
first = {}
for metric in ("EW", "MW"):
    scores = lexical[metric, "head"]
    first[metric] = int(scores[scores > 0.9].index[0])

# %% tags=["hide-cell", "check"]
assert isinstance(first, dict), "first should be a dictionary: metric -> step"
assert set(first) == {"EW", "MW"}, "first needs the keys EW and MW"
for metric, step in first.items():
    scores = lexical[metric, "head"]
    assert step in scores.index, f"{metric}: {step} is not a recorded step"
    assert scores[step] > 0.9, f"{metric} is not above 0.9 at step {step}"
    assert (scores[scores.index < step] <= 0.9).all(), (
        f"{metric} was above 0.9 before step {step}"
    )
print(f"EW after {first['EW']} steps, MW after {first['MW']}: first ahead, then sure.")

# %% [markdown]
# ````{exercise} ★★ Head before tail
# :label: 13-lag
#
# Compute `lead`, a Series by step: EW of the head minus EW of the tail in `systematic`; `widest`, the step at which it is largest; and `end`, its value at the last step. What would the curve look like for a learner who finds the rule at once? And for one who learns verb by verb?
#
# ```{dropdown} Hint
# `systematic["EW", "tail"]`; `Series.idxmax()` gives the step of the largest value.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# At once: the lead stays near 0. Verb by verb: it rises and stays. Here it rises and comes back:
# the head is learned first, and the rule then reaches the tail.
lead = systematic["EW", "head"] - systematic["EW", "tail"]
widest = int(lead.idxmax())
end = float(lead.iloc[-1])

# %% tags=["hide-cell", "check"]
assert isinstance(lead, pd.Series), "lead should be a Series by step"
assert isinstance(end, float), "end should be a number"
assert list(lead.index) == list(systematic.index), (
    "lead should have a value for each step"
)
assert (
    lead + systematic["EW", "tail"] - systematic["EW", "head"]
).abs().max() < 1e-9, "lead: head minus tail"
assert widest in lead.index, "widest should be one of the steps"
assert lead[widest] == lead.max(), "widest: the lead is larger at another step"
assert end == lead.iloc[-1], "end: the value at the last step"
print(
    f"The lead grows to {lead[widest]:.2f} after {widest} steps and ends at {end:.2f}."
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ One low tail, two stories
# :label: 13-tail
#
# One finished model of an unknown language has an EW of 1.00 for its frequent verbs and 0.60 for its rare ones. Give two explanations, and say what you would measure to tell them apart: with the model's checkpoints, and without. No program is needed.
#
# ```{dropdown} Hint
# In which of the laboratory's two languages can a tail be at 0.60, and when?
# ```
# ````
#
# ```{solution} 13-tail
# :class: dropdown
#
# Either the rule holds for all verbs and training stopped before it reached the rare ones, or it holds for the frequent verbs only. With checkpoints: in the first case the tail is still rising, in the second it has been flat for long. Without: a tail that was not learned is unsure, both forms near one half in every context; a tail of verbs with favourite forms is sure and wrong for one number of the subject.
# ```

# %% [markdown]
# ## Takeaways
#
# - TSE asks about the most frequent verbs, so it can look finished while rare verbs are not.
# - Even where one rule covers all verbs, this model got the frequent ones right first; whether it learned a rule, these checkpoints do not say.
#
# Functions: {py:func}`tse_core.sweep.running.sweep`, {py:func}`tse_book.studies.training_curves` and {py:func}`tse_book.charts.training_chart`; [all others](../book/api/index.md).
