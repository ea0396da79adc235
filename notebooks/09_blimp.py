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
# # BLiMP: many phenomena, one question
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : ask models which of two sentences they prefer, over 67 paradigms; see what a small model gets right; compare the versions of the published tables
#
# You need
# : {term}`minimal pairs <minimal pair>`, from [Data](01_data.ipynb)
#
# Time
# : 12 minutes to read, a minute to run on a CPU with the laboratory's paradigms; SmolLM2's run on BLiMP is shown as recorded
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
sentence_pairs = "laboratory"  # "blimp" needs: tse data fetch blimp
recorded = "smollm2-135m-instruct"  # whose recorded run on BLiMP leads
baseline_sentences = 30000  # what the n-gram model is trained on; 0 leaves it out
dtype = "float32"  # "float16" halves the memory; what that moves is in Pitfalls

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "09_blimp")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts, published
from tse_book.charts import accuracy_dots
from tse_book.pages import (
    blimp_models,
    blimp_runs,
    folded,
    glue,
    newman,
    not_recorded,
    recorded_accuracies,
    recording_time,
    table,
    try_this,
)
from tse_book.studies import recorded_pairs
from tse_core.blimp import scores
from tse_core.blimp.defects import pair_defects
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.paths import data_folder

# %% [markdown] tags=["explains"]
# Does a model prefer the acceptable sentence, over many phenomena of English?
#
# ## Phenomena
#
# {cite:t}`warstadt2020blimp` wrote 67 {term}`paradigms <paradigm>`, templates that give 1,000
# {term}`minimal pairs <minimal pair>` each, for twelve phenomena. A model gets a pair right if it gives the
# acceptable sentence the higher probability. An example of each, in our own words:
#
# | phenomenon | what it tests | example |
# |---|---|---|
# | anaphor agreement | a reflexive agrees with what it refers to | The nurse saw [herself]{.good} / \*[itself]{.bad}. |
# | argument structure | which verbs take which objects | The cat [slept]{.good} / \*[devoured]{.bad}. |
# | binding | where a reflexive may find its antecedent | Ann says Tom hurt [himself]{.good} / \*[herself]{.bad}. |
# | control and raising | which predicates can take *there* as their subject | There was [bound]{.good} / \*[unable]{.bad} to be a leak. |
# | determiner-noun agreement | *this* wants a singular, *these* a plural | Mary washed these [cups]{.good} / \*[cup]{.bad}. |
# | ellipsis | what may be left out | He read two old books and she read [three]{.good} / \*[three old]{.bad}. |
# | filler-gap | a fronted *what* needs a gap | I know [what]{.good} / \*[that]{.bad} the boy ate. |
# | irregular forms | irregular participles | The glass has [broken]{.good} / \*[broke]{.bad}. |
# | island effects | where no gap may be | What did they sell [before painting the house]{.good} / \*[the house before painting]{.bad}? |
# | NPI licensing | *ever* and *any* need a licensing word | [No]{.good} / \*[Some]{.bad} guest has ever left early. |
# | quantifiers | which quantifiers fit where | There was [a]{.good} / \*[each]{.bad} dog barking. |
# | subject-verb agreement | a verb agrees with its subject | The keys [are]{.good} / \*[is]{.bad} lost. |

# %% tags=["remove-input", "full-width"]
examples = pd.read_csv(data_folder() / "blimp" / "examples.csv").merge(
    blimp_paradigms()[["UID", "phenomenon"]], on="UID"
)
in_order = examples.sort_values(["phenomenon", "UID"])
folded(
    table(
        pd.DataFrame(
            {
                "paradigm": in_order["UID"].str.replace("_", " "),
                "acceptable": in_order["good"],
                "unacceptable": in_order["bad"],
            }
        ),
        "We invented these pairs to show what is tested; none is in BLiMP.",
    ),
    f"One pair of each of the {len(in_order)} paradigms",
)

# %% [markdown] tags=["explains"]
# ### Read a pair, token by token
#
# A {term}`causal model` gives each {term}`token` a {term}`surprisal`. Choose a pair above the chart.
#
# ```{dropdown} Predict: where in a sentence is a model most surprised?
# Where it could least guess the next word. That need not be where the two sentences differ, so two sentences are compared, and not the height of a bar.
# ```

# %% tags=["hide-input"]
spoken = examples.melt(["UID"], ["good", "bad"], "sentence", "text")
parts = []
for name in newman.real_models(models):
    reader = tse_core.load_model(name)
    if reader.kind == "causal":
        read = tse_core.surprisals(reader, list(spoken["text"]))
        read = read.join(spoken[["UID", "sentence"]].add_suffix("_of"), on="sentence")
        parts.append(
            pd.DataFrame(
                {
                    "model": reader.label,
                    "pair": read["UID_of"].str.replace("_", " "),
                    "sentence": read["sentence_of"],
                    "position": read["position"] + 1,
                    "token": read["token"],
                    "bits": read["surprisal"].where(read["scored"]).round(2),
                }
            )
        )
if parts:
    display(charts.token_browser(pd.concat(parts, ignore_index=True)))
else:
    display(newman.what_is_missing(models))

# %% tags=["remove-input"]
try_this(
    ("The keys", "plural"),
    pair=("The keys are lost.", "The keys is lost."),
)

# %% [markdown]
# *Table 1 of the paper* says who had tested what before, by minimal pairs.
#
# | tested before | by |
# |---|---|
# | anaphora, binding | Marvin and Linzen 2018; Futrell et al. 2018; Warstadt et al. 2019 (five analyses) |
# | subject-verb agreement | Linzen et al. 2016; Futrell et al. 2018; Gulordava et al. 2019; Marvin and Linzen 2018; An et al. 2019; Warstadt et al. 2019 (five analyses) |
# | negative polarity items | Marvin and Linzen 2018; Futrell et al. 2018; Jumelet and Hupkes 2018; Wilcox et al. 2019; Warstadt et al. 2019 (NPIs) |
# | filler-gap, islands | Wilcox et al. 2018; Warstadt et al. 2019 (five analyses); Chowdhury and Zamparelli 2018, 2019; Chaves 2020; Da Costa and Chaves 2020 |
# | argument structure | Kann et al. 2019; Warstadt et al. 2019 (five analyses); Chowdhury and Zamparelli 2019 |
#
# The paper ran a 5-gram model, an LSTM, Transformer-XL and *GPT-2 large*, which is not the XL size of {cite:t}`newman2021refining`.
#
# ## A model that the paper never saw
#
# SmolLM2-135M-Instruct is a sixth of the size of GPT-2 large and was trained on about 250 times as much text. It was then tuned to follow instructions, and is stored in four bits per weight. It read each sentence after the token that stood between documents in its pretraining. BLiMP's own sentences may be in its training text.
#
# ```{dropdown} Predict: on which phenomena will a small model of 2024 be furthest behind GPT-2 large?
# Perhaps where a pair needs the whole sentence at once, as islands do. The chart answers for this model.
# ```


# %% tags=["hide-input"]
def in_sentence(phenomenon):
    """The name of a phenomenon inside a sentence."""
    return phenomenon.lower().replace("npi", "NPI")


phenomena = recorded_accuracies(recorded, "phenomenon")
compared = published.blimp_table3().query("source == 'recomputed'")
if phenomena is not None:
    whole = recorded_accuracies(recorded, "all").assign(phenomenon="Overall")
    bare = recorded_accuracies(recorded, "phenomenon", bos="none")
    named = phenomena.assign(source="recorded")
    others = compared[compared["model"].isin(["GPT-2", "human"])].query(
        "phenomenon != 'Overall'"
    )
    gaps = (
        others[others["model"] == "GPT-2"].set_index("phenomenon")["accuracy"]
        - phenomena.set_index("phenomenon")["accuracy"]
    ).sort_values(ascending=False)
    shown = pd.concat([named, others])
    shown = shown.set_index("phenomenon").loc[gaps.index].reset_index()
    ahead = int((gaps < 0).sum())
    display(
        accuracy_dots(
            shown,
            title=f"{recorded} is furthest behind GPT-2 large on {in_sentence(gaps.index[0])}"
            + (f", and ahead on {ahead} of {len(gaps)} phenomena" if ahead else ""),
        )
    )
    summary = whole.iloc[0]
    overall = 100 * compared.set_index(["phenomenon", "model"])["accuracy"]["Overall"]
    display(
        newman.say(
            f"Over all pairs {recorded} is right in {100 * summary['accuracy']:.1f} % "
            f"[{100 * summary['low']:.1f}, {100 * summary['high']:.1f}]; GPT-2 large in "
            f"{overall['GPT-2']:.1f} %, single humans in {100 * published.blimp_human()['accuracy'].mean():.1f} %.",
            f"In {int(recorded_pairs(recorded).pairs['tie'].sum())} pairs the two sentences are identical; a tie counts as wrong.",
            recording_time(recorded, "blimp"),
        )
    )
else:
    display(not_recorded(recorded, "BLiMP's 67 paradigms"))

# %% tags=["hide-input"]
if phenomena is not None:
    columns = compared.pivot_table(
        index="phenomenon", columns="model", values="accuracy", sort=False
    )
    order_of = list(columns.index.drop("Overall", errors="ignore"))
    beside = columns.loc[order_of, [*published.BLIMP_MODELS]]
    beside = beside.rename(columns={"GPT-2": "GPT-2 large"})
    beside.insert(0, recorded, phenomena.set_index("phenomenon")["accuracy"])
    if bare is not None:
        beside["nothing in front"] = bare.set_index("phenomenon")["accuracy"]
    display(
        table(
            (100 * beside).rename_axis("phenomenon").reset_index(),
            f"Table 3 with {recorded} beside it: accuracy in percent. Last column: {recorded} with nothing in front, as the paper read GPT-2",
            digits=1,
            lighter=["nothing in front"],
            note=str(recorded_pairs(recorded).signature),
        )
    )

# %% [markdown] tags=["explains"]
# Where people (gray) disagree with the labels, a model's low accuracy may be the label's fault as well. What could fool you: a phenomenon is a mean over paradigms that can lie far apart. All 67 are listed below.

# %% tags=["hide-input", "full-width"]
rows67 = published.blimp_table4().query("source == 'recomputed'")
rows67 = rows67.pivot_table(
    index=["phenomenon", "UID"], columns="model", values="accuracy", sort=False
)[[*published.BLIMP_MODELS]].rename(columns={"GPT-2": "GPT-2 large"})
own = recorded_accuracies(recorded)
if own is not None:
    rows67.insert(
        0,
        recorded,
        rows67.index.get_level_values("UID").map(own.set_index("paradigm")["accuracy"]),
    )
numbers67 = (100 * rows67).reset_index()
numbers67["UID"] = numbers67["UID"].str.replace("_", " ")
numbers67 = numbers67.rename(columns={"UID": "paradigm"}).rename_axis(columns=None)
folded(
    table(
        numbers67.drop(columns="phenomenon"),
        "Accuracy in percent, published values recomputed",
        digits=1,
    ),
    f"All {len(numbers67)} paradigms in the order of Table 4",
)

# %% tags=["hide-input"]
if own is not None:
    spread = own.groupby("phenomenon")["accuracy"].agg(["min", "max"])
    widest = (spread["max"] - spread["min"]).idxmax()
    low, high = spread.loc[widest]
    inside = own.loc[own["phenomenon"] == widest, "accuracy"]
    nearest = (inside - inside.mean()).abs().min()
    below = own[own["high"] < 0.5]
    display(
        newman.say(
            f"Within *{in_sentence(widest)}* {recorded} ranges from {100 * low:.0f} % to "
            f"{100 * high:.0f} %; the paradigm nearest to the mean is {100 * nearest:.0f} points from it.",
            f"On {len(below)} of the {len(own)} paradigms it is reliably *below* chance. "
            "A model that knew nothing would be at 50 %, so there it follows some other "
            "cue, consistently and against the grammar."
            if len(below)
            else "",
        )
    )
    display(charts.download_table(own, f"{recorded}-blimp.csv", f"{recorded} on BLiMP"))

# %% [markdown] tags=["explains"]
# ```{dropdown} Predict: what does an accuracy of 20 % mean, when guessing gets 50 %?
# That the model prefers the unacceptable sentence systematically. Such a score is evidence of a shortcut; reversing its answers would not show knowledge.
# ```
#
# ## Table 3
#
# The journal's Table 3 was misprinted, and the authors corrected it in 2021. It is computed anew here from each paradigm's accuracy in their repository.

# %% tags=["hide-input", "full-width"]
versions = published.blimp_table3().pivot_table(
    index=["phenomenon"], columns=["model", "source"], values="accuracy", sort=False
)
order = ["printed", "corrected", "recomputed"]
versions = 100 * versions.reindex(
    columns=pd.MultiIndex.from_product([published.BLIMP_MODELS, order])
)
two = versions.loc[
    :, versions.columns.get_level_values(1).isin(["printed", "recomputed"])
].rename(columns={"GPT-2": "GPT-2 large"}, level=0)
table(
    two.rename_axis(columns=[None, None]).reset_index(),
    "Table 3: accuracy in percent, as first printed and recomputed from the paradigms",
    digits=1,
)

# %% tags=["remove-input"]
moved = (
    versions.xs("printed", axis=1, level=1) - versions.xs("recomputed", axis=1, level=1)
).abs()
glue("most_moved", float(moved.max().max()))
glue("most_moved_model", moved.max().idxmax())
glue("most_moved_phenomenon", moved.max(axis=1).idxmax())
close = (
    versions.xs("corrected", axis=1, level=1)
    - versions.xs("recomputed", axis=1, level=1)
).abs()
glue("corrected_off", float(close.max().max()))

# %% [markdown]
# The printed table is off by up to {glue:text}`most_moved:.1f` points ({glue:text}`most_moved_model`, {glue:text}`most_moved_phenomenon`), the corrected one by {glue:text}`corrected_off:.2f`. Compare with the recomputed values.

# %% tags=["hide-input"]
recomputed = published.blimp_table3().query(
    "source == 'recomputed' and phenomenon != 'Overall'"
)
hard = (
    recomputed[recomputed["model"] != "human"]
    .groupby("phenomenon")["accuracy"]
    .mean()
    .sort_values()
)
ordered = recomputed.set_index("phenomenon").loc[hard.index[::-1]].reset_index()
best = ordered.pivot(index="phenomenon", columns="model", values="accuracy")
lead = int((best["human"] > best.drop(columns="human").max(axis=1)).sum())
accuracy_dots(
    ordered,
    title=f"Humans lead on {lead} of {len(best)} phenomena; {in_sentence(hard.index[0])} are hardest for the models",
)

# %% [markdown]
# ## Table 4
#
# Paradigm by paradigm, these cells of the corrected Table 4 disagree with the data repository:

# %% tags=["hide-input", "full-width"]
cells = published.blimp_table4().pivot_table(
    index=["phenomenon", "UID", "model"],
    columns="source",
    values="accuracy",
    sort=False,
)
wrong = cells[(cells["corrected"] - cells["recomputed"]).abs() > 0.0055]
glue("wrong_cells", len(wrong))
glue("wrong_rows", int(wrong.index.get_level_values("UID").nunique()))
named = wrong[order].rename_axis(columns=None).reset_index()
named["paradigm"] = named.pop("UID").str.replace("_", " ")
table(
    named[["paradigm", "model", *order]],
    "Cells of the corrected Table 4 that differ by more than rounding",
    digits=3,
)

# %% [markdown]
# {glue:text}`wrong_cells` cells in {glue:text}`wrong_rows` rows differ. The two rows of irregular nouns without an adjective repeat the two rows with one.

# %% tags=["hide-input"]
charts.download_table(
    cells.reset_index(), "blimp-table4.csv", "Table 4, all three versions"
)

# %% [markdown] tags=["explains"]
# ## Humans
#
# Twenty people judged each of five pairs per paradigm. How often the *majority* agrees with a label says how reliable the label is. How often a *single* person does is the fairer comparison with a model, which answers once.

# %% tags=["remove-cell"]
human = published.blimp_human()
glue("majority", float(100 * human["items_accepted"].sum() / (5 * len(human))))
glue("single", float(100 * human["accuracy"].mean()))

# %% [markdown] tags=["explains"]
# The majority agrees in {glue:text}`majority:.1f` % of the pairs, a single person in {glue:text}`single:.1f` %.
#
# ## Against humans
#
# ```{dropdown} Predict: can a model agree with BLiMP's labels more often than a person does?
# Yes, where people hesitate or are careless and the model is not. It means agreeing with the label more often, not knowing more English.
# ```

# %% tags=["hide-input"]
gap = versions.xs("recomputed", axis=1, level=1)
gap = (gap["human"] - gap["GPT-2"]).drop("Overall").sort_values()
within = gap[gap <= 2.1]
glue("within_humans", len(within))
glue("subject_verb_gap", float(gap["SUBJECT-VERB AGR."]))
table(
    gap.rename("points below humans").reset_index(),
    "GPT-2 against single human judgments",
    digits=1,
)

# %% [markdown]
# GPT-2 large is within 2.1 points of humans, or above them, on {glue:text}`within_humans` of the twelve. The paper names anaphor, determiner-noun and subject-verb agreement; on the last it is {glue:text}`subject_verb_gap:.1f` points below humans.
#
# ## Hardest

# %% tags=["hide-input"]
hardest = pd.DataFrame(
    {
        s: published.blimp_table3()
        .query("source == @s and model != 'human' and phenomenon != 'Overall'")
        .groupby("phenomenon")["accuracy"]
        .mean()
        for s in order
    }
).sort_values("recomputed")
same = {hardest[version].idxmin() for version in order}
glue(
    "hardest_said",
    f"{hardest.index[0].capitalize()} come last in every version."
    if len(same) == 1
    else f"The versions disagree on which comes last: {', '.join(sorted(same)).lower()}.",
)
glue(
    "hardest_margin",
    float(100 * (hardest["recomputed"].iloc[1] - hardest["recomputed"].iloc[0])),
)
shown = (100 * hardest.head(4)).reset_index()
table(shown, "The four lowest phenomena: mean of the four models, in percent", digits=1)

# %% [markdown]
# {glue:text}`hardest_said:s` The next phenomenon is {glue:text}`hardest_margin:.1f` points better in the recomputed values.
#
# ## A run
#
# These models are scored while the page is built, on the pairs that the first cell names: by default the laboratory's paradigms, BLiMP's question in the laboratory's vocabulary. Pairs of a masked model are compared by {term}`pseudo-log-likelihood` {cite}`salazar2020masked`. On the laboratory's pairs an n-gram model joins them: what it gets right can be solved without syntax.

# %%
pairs = tse_core.load_sentence_pairs(sentence_pairs)
opened = blimp_models(models, sentence_pairs, baseline_sentences, dtype)
runs = blimp_runs(opened, pairs)
if runs:
    summary = scores.accuracies(runs, "all")
    display(
        table(
            summary[["model", "accuracy", "low", "high", "pairs", "ties", "unknown"]],
            f"Accuracy over all pairs of {sentence_pairs}, with 95 % intervals over sentences; chance is 0.5",
            digits=3,
            note=" ‖ ".join(run.signature.without_provenance for run in runs.values()),
        )
    )
else:
    print("no model in the parameters: nothing to score")

# %% tags=["hide-input"]
if runs:
    by_phenomenon = scores.accuracies(runs, "phenomenon")
    by_phenomenon["phenomenon"] = (
        by_phenomenon["phenomenon"].fillna("").str.replace("_", " ")
    )
    display(
        accuracy_dots(
            by_phenomenon, title="The models of this run, phenomenon by phenomenon"
        )
    )
    by_paradigm = scores.accuracies(runs)
    display(charts.download_table(by_paradigm, f"paradigms-{sentence_pairs}.csv"))

# %% [markdown]
# A tie counts as wrong. What is odd about the pairs is listed, not dropped:

# %% tags=["hide-input"]
odd = pair_defects(pairs)
if len(odd):
    shown = (
        odd.groupby(["defect", "consequence"], sort=False)["pairs"].sum().reset_index()
    )
    display(table(shown, f"Oddities in the pairs: {sentence_pairs}", digits=0))
else:
    print("none found")

# %% [markdown]
# ## Sizes
#
# The paper reports that GPT-2 reaches 0.84, give or take 0.01, in all four sizes. To check it in [the ledger](19_ledger.ipynb), run `tse blimp gpt2` and the same for `gpt2-medium`, `gpt2-large` and `gpt2-xl`.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/09_blimp.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
from math import comb

import pandas as pd

from tse_book.laboratory import laboratory_ngram
from tse_core.blimp.scores import evaluate_blimp
from tse_core.blimp.tables import compare
from tse_core.datasets.names import load_sentence_pairs

pairs = load_sentence_pairs("laboratory/determiner_noun_agreement_1")
models = {"small": laboratory_ngram(1000), "large": laboratory_ngram(4000)}
scored = {name: evaluate_blimp(model, pairs).pairs for name, model in models.items()}
# Two models on the same 200 pairs: True where a model is right.
small, large = (scored[name]["correct"] == 1 for name in models)


# %% [markdown]
# ````{exercise} ★ Only one of them is right
# :label: 09-mcnemar
#
# `small` and `large`, two n-gram models, say for the same 200 pairs whether each is right. Count the pairs on which only the first is (`only_small`, a whole number) and only the second (`only_large`). Then compute `p_value`: how often would as many throws of a fair coin come out at least as unevenly, in either direction? This is McNemar's test.
#
# ```{dropdown} Hint
# Pairs on which both are right, or both wrong, say nothing. `comb(n, k)` counts the ways in which `n` throws give `k` heads; each way has probability $2^{-n}$. Sum over the smaller side, and double.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# McNemar's test by hand. Pairs on which the models agree drop out.
only_small = int((small & ~large).sum())
only_large = int((large & ~small).sum())
throws = only_small + only_large
tail = sum(comb(throws, k) for k in range(min(only_small, only_large) + 1))
p_value = min(1.0, 2 * tail / 2**throws)

# %% tags=["hide-cell", "check"]
assert isinstance(only_small, int), "only_small should be a whole number"
assert isinstance(only_large, int), "only_large should be a whole number"
assert isinstance(p_value, float), "p_value should be a number"
known = compare(scored["small"], scored["large"], "all").iloc[0]
assert only_small == known["only_first"], "only_small: right in one, wrong in the other"
assert only_large == known["only_second"], "only_large: the other way round"
assert abs(p_value - known["p_value"]) < 1e-9, (
    f"p_value is {p_value:.3g}: both directions?"
)
print(
    f"{only_small} against {only_large}, p = {p_value:.2f}: so much for {large.mean() - small.mean():+.3f}."
)

# %% [markdown]
# ````{exercise} ★★ Intervals that overlap
# :label: 09-overlap
#
# No programming. Two models have accuracies of 0.90 and 0.93 on the same thousand pairs; their 95 % intervals overlap a little. A reader concludes that they do not differ. What is wrong with that, and what would you compute?
#
# ```{dropdown} Hint
# How large is the difference on pairs that both models find easy?
# ```
# ````
#
# ```{solution} 09-overlap
# :class: dropdown
#
# Each interval allows for other sentences, as if the two models had been given different ones. What makes a pair hard is hard for both, and cancels out of the difference. If the second is right on 40 pairs that the first gets wrong and wrong on 10 that the first gets right, a fair coin is refuted although the two intervals share values. Judge a difference by its own interval.
# ```

# %% [markdown]
# ````{exercise} ★★★ What a tie is worth
# :label: 09-ties
#
# Round the log-probabilities of `scored["large"]` to multiples of 0.5, 2, 8 and 32, as a coarse number format does. Make `rounded`, a DataFrame with a row for each step in this order and the columns `ties` (how many pairs tie), `wrong`, `half` and `right`: the accuracy if a tie counts as wrong, as half, as right.
#
# ```{dropdown} Hint
# `(x / step).round() * step` rounds to multiples of a step.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# A model that loses all precision ends at accuracy 0 if ties are wrong, at 1 if they are right.
# Only the first says that it no longer knows anything.
rows = []
for step in (0.5, 2, 8, 32):
    good, bad = (
        (scored["large"][side] / step).round() * step
        for side in ("logp_good", "logp_bad")
    )
    tied, won = good == bad, good > bad
    rows.append(
        {
            "ties": int(tied.sum()),
            "wrong": won.mean(),
            "half": (won + tied / 2).mean(),
            "right": (won | tied).mean(),
        }
    )
rounded = pd.DataFrame(rows)

# %% tags=["hide-cell", "check"]
assert isinstance(rounded, pd.DataFrame), "rounded should be a DataFrame"
assert list(rounded.columns) == ["ties", "wrong", "half", "right"], (
    "columns: ties, wrong, half, right"
)
assert len(rounded) == 4, "one row for each step"
assert rounded["ties"].is_monotonic_increasing, (
    "coarser steps tie more pairs, not fewer"
)
assert (
    rounded["ties"] / len(pairs) - (rounded["right"] - rounded["wrong"])
).abs().max() < 1e-9, "right minus wrong should be the share of ties"
assert (rounded["half"] * 2 - rounded["right"] - rounded["wrong"]).abs().max() < 1e-9, (
    "half should lie midway"
)
coarse = (scored["large"][["logp_good", "logp_bad"]] / 32).round()
assert rounded["ties"].iloc[-1] == coarse.eval("logp_good == logp_bad").sum(), (
    "the last row should round to multiples of 32"
)
print(
    f"{rounded['ties'].iloc[-1]} ties at step 32: accuracy {rounded['wrong'].iloc[-1]:.2f} or {rounded['right'].iloc[-1]:.2f}."
)

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - An accuracy far below one half is not ignorance: the model follows a cue that points the wrong way.
# - The same table exists in three versions. Compare with the one computed from the paradigms.
# - One accuracy hides its phenomena, a phenomenon its paradigms.
# - Models on the same pairs are compared pair by pair.
#
# Functions: {py:func}`tse_core.load_sentence_pairs`, {py:func}`tse_core.evaluate_blimp`, {py:func}`tse_core.blimp.scores.accuracies` and {py:func}`tse_core.blimp.tables.compare`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
