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
# : take the gap between TSE and EW apart, and measure whether a model notices the subject's number at all
#
# You need
# : [Table 2](03_table2.ipynb)
#
# Time
# : 12 minutes to read, five minutes to run on a CPU
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
    "lab-lexical-causal",
]
data = ["marvin-linzen"]
lemmas = ["newman-clean"]
protocols = ["exact"]
# scored for a model whose design is not recorded
design_asked = "marvin-linzen-adverbs"
constructions_asked = [  # whose verbs are sorted from likely to unlikely
    "marvin-linzen/simple",
    "marvin-linzen/vp-coordination",
    "marvin-linzen/across-subject-relative",
]
twins_asked = 4  # of each construction, for the laboratory's models
# what a causal model reads before the first word, and in which constructions
bos_policies = ["default", "none", "<|im_start|>"]
bos_rows = ["marvin-linzen/simple", "marvin-linzen/in-object-relative-no-that"]

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "18_gap")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import altair as alt
import pandas as pd
from IPython.display import display

from tse_book import charts, published
from tse_book.laboratory import load_language
from tse_book.laboratory.sensitivity import sensitivity_against_truth
from tse_book.pages import glue, guard, newman, table
from tse_book.pages.design import (
    designs,
    ew_cells,
    gap_findings,
    gap_stages,
    gaps_and_falls,
    typical_sentence,
    with_and_without,
)
from tse_book.pages.gap_sentences import (
    adverbs_said,
    decisions_said,
    example_said,
    fall_of_ew,
    kind_of_verb,
    length_of_verb,
)
from tse_book.studies import recorded_findings
from tse_book.studies.details import recorded_details
from tse_book.studies.expectations import (
    MEAN,
    expectations,
    expected_of_falls,
    expected_of_tokens,
    lifts,
)
from tse_book.studies.gap import (
    ew_of_kinds,
    gap_parts,
    has_whole_words,
    known_parts,
    stages_of,
)
from tse_core import evaluate, load_lemmas, load_pairs
from tse_core.paths import data_folder, store_folder

store = store_folder()
real = newman.real_models(models)
found = designs(real, lemmas[0], design_asked, store)
stages = {newman.label(name): gap_stages(name, data, lemmas[0], store) for name in real}
parts_of_gap = {
    name: gap_parts(of, "all verbs" if has_whole_words(of) else "single entries")
    for name, of in stages.items()
}
numbers = {
    newman.label(name): gaps_and_falls(gap_findings(name, data, lemmas[0], store))
    for name in real
}
said_of_gap = {
    name: (kind_of_verb(of), length_of_verb(stages[name]), fall_of_ew(of))
    for name, of in numbers.items()
}
paper = published.table2().groupby(["model", "metric"])["value"].mean().unstack()
gaps = paper["TSE"] - paper["EW"]
masked_gaps = gaps.drop("GPT2")
concerned = "one causal model" if real == [newman.DEFAULT] else "other models"
other_models = (
    f"All this concerns {concerned}. The paper's gaps (masked models "
    f"{masked_gaps.min():.2f} to {masked_gaps.max():.2f}, GPT-2 {gaps['GPT2']:.2f}) are not explained here."
)


def whose(name):
    """The name before what is said of a model, where there are several."""
    return f"{name}:" if len(real) > 1 else ""


# %% [markdown] tags=["explains"]
# ## In brief
#
# Why is {term}`EW` mostly below {term}`TSE`? The paper names a potential confounder for GPT-2: a verb such as *plan* is also a noun, and a noun may follow *The author*: *the author plan*. The base form may then get probability that has nothing to do with agreement.

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))
display(newman.points(said_of_gap))

# %% [markdown]
# (what-the-verdict-rests-on)=
# ### What this rests on
#
# The gaps of the two kinds of verb do not add up to the whole gap, because TSE and EW weigh the kinds differently. [The report](00_report.ipynb) unfolds the constructions.

# %% tags=["hide-input"]
STATEMENTS = {
    "E.ew-below-tse": "TSE minus EW",
    "E.head-tail.ew": "fall of EW beyond its null",
}
for name, of in numbers.items():
    rests_on = of.assign(statement=of["claim"].map(STATEMENTS)).sort_values("claim", kind="stable")  # fmt: skip
    rests_on = rests_on.rename(columns={"against": "without the condition, same rows", "constructions": "rows", "certain": "rows above 0", "without": "rows left out"})  # fmt: skip
    display(
        table(
            rests_on[["statement", "condition", "value", "low", "high", "without the condition, same rows", "rows", "rows above 0", "rows left out"]],
            f"{name}: single-token verbs; 95 % over subjects and EW's verbs (TSE's are taken as given), of a fall over subjects; an adverb is held against the same design without one",
            digits=3,
        )
    )  # fmt: skip

# %% [markdown] tags=["explains"]
# ## Verbs that are also nouns
#
# In the chart the verbs of three constructions are sorted from the likeliest at the slot to the least likely. The grey lines are the {term}`laboratory's <laboratory model>` two grammars. In one, every verb agrees (*the rule*). In the other, frequent verbs agree and each rare verb keeps one form (*the list*).
#
# ```{dropdown} Predict: for which verbs should an English model's line fall like that of the list?
# If unlikely verbs are the trouble, all lines fall to the right. If the reading as a noun is the trouble, the line of the verbs that are also nouns lies apart.
# ```

# %% tags=["hide-input"]
ORDER = ["the rule", "the list", "never nouns", "all verbs", "also nouns"]
COLOURS = ["#888888", "#888888", "#0072b2", "#009e73", "#d55e00"]
TENTHS = 10
language = load_language()
constructions = [
    load_pairs(part)["construction"].iloc[0] for part in constructions_asked
]
also_nouns = set(load_lemmas(lemmas[0]).table.query("noun")["lemma"])


def verbs_of(by_lemma):
    """Share of contexts in which each verb is right, for either number, and its place from likeliest (0) to least likely (1)."""
    sums = by_lemma.eval("mass = (probability_correct + probability_wrong) * contexts")
    sums = sums.groupby(["construction", "lemma", "number"])[
        ["contexts", "correct", "mass"]
    ].sum()
    right = (sums["correct"] / sums["contexts"]).unstack("number")
    likely = sums["mass"].groupby(["construction", "lemma"]).sum()
    place = likely.groupby("construction").rank(ascending=False, pct=True)
    return right.assign(place=place).reset_index()


def true_verbs(regime):
    """The same for a perfect model of one of the laboratory's languages."""
    tables = []
    for construction in constructions:
        right = (language.correct(regime, construction) > 0.5).mean(axis=2)
        verbs = pd.DataFrame({"construction": construction, "lemma": language.lemmas["lemma"],
                              "singular": right[:, 0], "plural": right[:, 1]})  # fmt: skip
        tables.append(verbs.assign(place=(verbs.index + 1) / len(verbs)))
    return pd.concat(tables, ignore_index=True)


def by_tenth(verbs, line):
    """EW of each tenth of the verbs."""
    rows = verbs.assign(
        tenth=(verbs["place"] * TENTHS - 1e-9).astype(int) + 1,
        score=(verbs["singular"] + verbs["plural"]) / 2,
    )
    rows = rows.groupby("tenth").agg(
        score=("score", "mean"), verbs=("lemma", "nunique")
    )
    return rows.reset_index().assign(line=line)


kinds = {}
for name in real:
    runs = [
        evaluate(newman.opened(name), part, lemmas[0], keep="lemmas", store=store)
        for part in constructions_asked
    ]
    every = verbs_of(pd.concat(run.by_lemma for run in runs))
    noun = every["lemma"].isin(also_nouns)
    kinds[newman.label(name)] = {
        "never nouns": every[~noun],
        "all verbs": every,
        "also nouns": every[noun],
    }
for label, groups in kinds.items():
    lines = {
        "the rule": true_verbs("systematic"),
        "the list": true_verbs("lexical"),
        **groups,
    }
    tenths = pd.concat(by_tenth(verbs, line) for line, verbs in lines.items())
    ends = tenths[tenths["tenth"].isin([1, TENTHS])].pivot(
        index="line", columns="tenth", values="score"
    )
    falls = ends[1] - ends[TENTHS]
    base = alt.Chart(tenths).encode(
        x=alt.X("tenth:O", title="tenth of the verbs, the likeliest first", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("score:Q", title="EW", scale=alt.Scale(domain=[0.4, 1.0])),
        color=alt.Color("line:N", sort=ORDER, title=None, scale=alt.Scale(domain=ORDER, range=COLOURS), legend=alt.Legend(orient="bottom", columns=2, symbolOpacity=1)),
        strokeDash=alt.StrokeDash("line:N", sort=ORDER, legend=None, scale=alt.Scale(domain=ORDER, range=[[1, 0], [6, 4], [1, 0], [1, 0], [1, 0]])),
        shape=alt.Shape("line:N", sort=ORDER, legend=None, scale=alt.Scale(domain=ORDER, range=["square", "diamond", "circle", "cross", "triangle-up"])),
        tooltip=["line:N", "tenth:O", alt.Tooltip("score:Q", format=".3f"), "verbs:Q"],
    )  # fmt: skip
    display(
        (base.mark_line() + base.mark_point(filled=True, size=55, opacity=1)).properties(
            width="container",
            height=280,
            title=[
                f"{label}: from first to last, EW falls by",
                f"{falls['also nouns']:.2f} for verbs that are also nouns,",
                f"{falls['never nouns']:.2f} for verbs that are never nouns",
            ],
            description=f"Line chart of EW over ten groups of verbs, from the likeliest to the least likely, for the true rule, the true list, and {label} with all verbs, with verbs that are never nouns and with verbs that are also nouns. "
            + "; ".join(f"{line}: {row[1]:.2f} at first, {row[TENTHS]:.2f} at last" for line, row in ends.iterrows()),
        )
    )  # fmt: skip

# %% tags=["remove-input"]
for label, groups in kinds.items():
    right = groups["all verbs"]
    habit = right[(right["singular"] - right["plural"]).abs() > 0.5]
    for_base = (habit["plural"] > habit["singular"]).mean()
    display(
        newman.say(
            f"Where a verb is right for one number of the subject and wrong for the other, {label} prefers the base form in {for_base:.0%} of the cases.",
        )
    )

# %% [markdown] tags=["explains"]
#

# %% [markdown] tags=["explains"]
# ## One adverb
#
# The sentences are Marvin and Linzen's constructions, crossed with an adverb before the verb: none, *often*, *usually*, *always*, *never*, *probably*. Sentences in which the adverb can belong to a relative clause are left out.
#
# ```{dropdown} Predict: what does an adverb do to EW of each kind of verb, after a plural noun?
# The adverb makes the reading as a noun unlikely, so EW of nouns should rise. {term}`Attraction`, agreement with the nearer noun, should stay, or grow with the distance.
# ```


# %% tags=["hide-input"]
def drawn(name, design):
    """The chart of one model."""
    cells = ew_cells(design).query("number == 'singular'")
    return charts.adverb_dots(
        cells, f"{name}: singular subjects, without and with an adverb"
    )


for name, design in found.items():
    display(drawn(name, design))
    display(
        table(
            with_and_without(design),
            f"{name}: EW after singular subjects, without an adverb and with one (mean of those that are unambiguous)",
            digits=3,
        )
    )

# %% tags=["hide-input"]
for name, design in found.items():
    lifted = pd.concat(
        lifts(design, number).assign(subject=number)
        for number in ("singular", "plural")
    )
    lifted["verbs"] = lifted["also_noun"].map(
        {True: "also nouns", False: "never nouns"}
    )
    display(
        table(
            lifted[["subject", "adverb", "verbs", "value", "low", "high"]],
            f"{name}: what an adverb adds to EW without a plural attractor; 95 % over subjects and verbs.",
            digits=3,
        )
    )


# %% tags=["remove-input"]
for name, design in found.items():
    display(newman.say(whose(name), *adverbs_said(design, mirrored=True)))
further = () if newman.papers_own(real) else (other_models,)
(recorded,) = designs([newman.DEFAULT], lemmas[0], design_asked, store).items()
glue("story_chart", drawn(*recorded))  # the front page shows the recorded design
glue("story_said", " ".join(adverbs_said(recorded[1])).replace("*", '"'))
ADVERB = "often"  # what the front page's box starts with
typical = typical_sentence(recorded[1]).set_index(["kind", "adverb"])["score"]
guard(
    "That fall is attraction",
    typical["never nouns", ADVERB] < typical["never nouns", "none"]
    and typical["also nouns", ADVERB] > typical["also nouns", "none"],
)
glue("story_example", example_said(recorded[1], ADVERB).replace("*", '"'))
expected = {name: expectations(design) for name, design in found.items()}
verdict = {}
for name in found:
    by_kind, *others = said_of_gap[name]
    verdict[name] = (f"{by_kind} {decisions_said(expected[name])}", *others, *further)
glue("verdict", newman.points(verdict, "No real model ran in this build."))

# %% [markdown] tags=["explains"]
# ## Does the model notice the number?
#
# A model may prefer one form and still notice the subject's number. {term}`Number sensitivity` compares twins, contexts that differ in the subject's number alone. It is the share of verbs whose singular form gains on the plural one after the singular subject.
#
# The laboratory tests the measure where the truth is known. A verb that always takes the same form scores one half.

# %% tags=["hide-input"]
number_said = []
for name, design in found.items():
    twins = design.verbs.query("twins > 0 and ambiguous == 'no'")
    adverb = twins["adverb"].eq("none").map({True: "none", False: "some"})
    noun = twins["also_noun"].map({True: "also nouns", False: "never nouns"})
    counts = twins[["sensitive", "twins"]].astype(int).groupby([adverb, noun]).sum()
    share = (counts["sensitive"] / counts["twins"]).unstack()
    display(table(share.rename_axis("adverb").rename_axis(columns=None).reset_index(), f"{name}: number sensitivity by kind of verb", digits=3))  # fmt: skip
    number_said.append(
        f"{whose(name)} With an adverb, number sensitivity is {share.loc['some', 'also nouns']:.3f} for verbs that are also nouns and "
        f"{share.loc['some', 'never nouns']:.3f} for the others, over all twins."
    )

# %% tags=["hide-input"]
for name in newman.laboratory_models(models):
    regime = newman.label(name).split("-")[1]
    measured = sensitivity_against_truth(name, regime, twins=twins_asked, store=store)
    bands = measured.groupby("band", sort=False)[["NS", "true_NS"]].mean()
    display(
        table(
            bands.reset_index().rename(
                columns={"band": "verbs", "NS": "measured NS", "true_NS": "true NS"}
            ),
            f"{newman.label(name)}: number sensitivity (NS), measured and true, by frequency of the verb; means over the constructions",
            digits=3,
        )
    )
    agreeing = bands.drop(index="tail")
    assert ((agreeing["NS"] - agreeing["true_NS"]).abs() < 0.05).all()

# %% [markdown] tags=["explains"]
# ## The token before the sentence
#
# Before the first word a {term}`causal model` can read a {term}`BOS token`: the token that separated documents in pretraining, or the one that the tokenizer names. Or it can read none, as in the paper.

# %% tags=["hide-input"]
rows = []
for name in newman.causal_models(models)[:1]:
    reader = newman.opened(name)
    for bos in bos_policies:
        model = reader.with_policies(bos=bos)
        for part in bos_rows:
            run = evaluate(model, part, lemmas[0], store=store)
            before = newman.bos_of(run.signature)
            rows.append(run.table().assign(model=model.label, **{"BOS token": before}))
lesson_bos = "Not measured in this build."
if rows:
    moved = pd.concat(rows, ignore_index=True)
    moved["TSE minus EW"] = moved["TSE"] - moved["EW"]
    moved = moved.sort_values("construction", kind="stable")
    columns = ["construction", "BOS token", "TSE", "EW", "TSE minus EW", "MW"]
    display(table(moved[columns], f"{moved['model'].iloc[0]}: the same sentences after different tokens", digits=3))  # fmt: skip
    by_row = moved.groupby("construction")
    spread = by_row["TSE"].max() - by_row["TSE"].min()
    turned = [row for row, part in by_row if part["TSE minus EW"].min() < 0 < part["TSE minus EW"].max()]  # fmt: skip
    said = (
        f"In these {len(spread)} constructions the BOS token alone moves TSE by up to {spread.max():.2f} "
        f"(row “{spread.idxmax()}”).",
        f"{'There' if turned[0] == spread.idxmax() else f'In “{turned[0]}”'} it even reverses the order of TSE and EW."
        if turned
        else "The order of TSE and EW is the same after each of these tokens.",
    )
    display(newman.say(*said))
    lesson_bos = " ".join(said).replace("*", '"')
glue("lesson_bos", lesson_bos)

# %% [markdown] tags=["explains"]
# ## Where the gap comes from
#
# The first part goes from the templates' verbs to all single-token verbs that are never nouns. The *word's end*: what changes, for these verbs, when a form counts only if the word ends there, so that *absorb* no longer includes *absorbent*. Verbs can be multi-token and nouns, so each of these two parts is the mean over both orders.

# %% tags=["hide-input"]
verbs = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
for name in newman.laboratory_models(models):
    run = evaluate(name, "marvin-linzen/simple", verbs, keep="forms", store=store)
    ours = gap_parts(stages_of([run]), "single entries")
    ours = ours.query("construction == 'Simple'")
    known = known_parts(newman.label(name).split("-")[1], run.lemmas, "single entries")
    known = known.query("construction == 'Simple'").rename(columns={"value": "known"})
    display(
        table(
            ours.merge(known, on=["construction", "part"]).drop(columns="construction"),
            f"{newman.label(name)}, Simple: the parts as measured and as known from the language (where the difference is exactly 0, the interval is by the rule of three)",
            digits=3,
        )
    )

# %% tags=["hide-input"]
for name, table_of in parts_of_gap.items():
    whole = table_of[table_of["construction"] == MEAN]
    assert abs(whole["value"].iloc[1:].sum() - whole["value"].iloc[0]) < 1e-9
    display(
        charts.gap_bars(
            whole,
            f"{name}: the parts of TSE minus EW over all verbs (whole words), mean of the rows of a sample of contexts",
        )
    )
    if has_whole_words(stages[name]):
        display(
            table(
                ew_of_kinds(stages[name]),
                f"{name}: EW over whole words, mean of the rows; 95 % over verbs",
                digits=3,
            )
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

# %% [markdown] tags=["explains"]
# ## One regression of all outcomes
#
# A logistic regression holds the other conditions and the verb's likelihood fixed; its intervals are over subjects and verbs. The p-values are corrected for all effects, the intervals are not. If adding an adverb does not change the odds ratio of verbs that are also nouns, it helps both kinds alike. So either the adverb leaves part of the noun reading, or these verbs are harder for another reason.

# %% tags=["hide-input"]
for name in found:
    recorded_odds = recorded_details(name, "odds")
    if recorded_odds is None:
        continue
    odds = recorded_odds.table
    nouns = odds[odds["effect"] == "the verb is also a noun"].set_index("where")
    after = nouns.loc["number singular, adverb some, attractor none"]
    guard(
        "So either the adverb leaves part of the noun reading, or these verbs are harder for another reason",
        after["high"] < 1 and after["low"] < nouns.loc["number singular, adverb none, attractor none", "odds_ratio"] < after["high"],
    )  # fmt: skip
    shown = odds[
        ~odds["where"].str.contains("number plural")
        & ~odds["effect"].str.startswith("the subject")
    ]
    corrected = shown["p_holm"].map(lambda p: "< .001" if p < 0.001 else f"{p:.3f}")
    columns = ["effect", "where", "odds_ratio", "low", "high", "p, corrected"]
    shown = shown.assign(**{"p, corrected": corrected})[columns]
    display(
        table(
            shown.rename(columns={"odds_ratio": "odds ratio"}),
            f"{name}: what multiplies the odds of a correct form, singular subjects (recorded)",
        )
    )
    said = [
        f"{row.odds_ratio:.2f} [{row.low:.2f}, {row.high:.2f}] where {row.effect}"
        for row in odds[odds["where"] == "everywhere"].itertuples()
    ]
    display(
        newman.say(
            f"We have no explanation for the effect of frequency: everywhere the odds are multiplied by {' and by '.join(said)}."
        )
    )

# %% [markdown] tags=["explains"]
# ## What was expected
#
# Before the design was run in full, six expectations (H1 to H6) were written down after a trial with a handful of nouns; how their terms are counted was decided when the first numbers were known, so read the verdicts as description. An expectation *holds* if its whole interval is within its limits, *fails* if all of it is outside, and is *open* otherwise.


# %% tags=["hide-input"]
def limits(row):
    """The values that an expectation allows, as text."""
    least, most = row["at_least"], row["at_most"]
    if most == float("inf"):
        return f"{least:g} or more"
    ends = "up to" if most == round(most, 6) else "below"
    return f"{ends} {most:.3g}" if least == -float("inf") else f"{least:g} to {most:g}"


for name in found:
    judged = [expected[name]]
    if (several := recorded_details(name, "several_tokens")) is not None:
        judged.append(expected_of_tokens(several.table))
    if len(own := recorded_findings().query("model == @name")):
        judged.append(expected_of_falls(own))
    judged = pd.concat(judged, ignore_index=True)
    means = judged[judged["row"] == MEAN]
    what = means["expectation"].map({"H3": "smallest cell", "H6": "share of rows"})
    means = means.assign(limits=means.apply(limits, axis=1), what=what.fillna("mean"))
    display(
        table(
            means[
                [
                    "expectation",
                    "verdict",
                    "statement",
                    "limits",
                    "what",
                    "value",
                    "low",
                    "high",
                ]
            ],
            f"{name}: the expectations over the constructions",
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

# %% [markdown] tags=["explains"]
# What could fool you? In *likes to watch television shows and laugh* (*VP coordination*) the form counted as wrong is grammatical.
#
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/18_gap.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

# log-probabilities of four verbs after The author and after The authors
after_singular = {"walks": -7.0, "walk": -8.5, "plans": -8.0, "plan": -6.0,
                  "sees": -6.5, "see": -9.0, "rusts": -12.0, "rust": -11.0}  # fmt: skip
after_plural = {"walks": -9.0, "walk": -6.5, "plans": -9.5, "plan": -5.5,
                "sees": -9.5, "see": -6.0, "rusts": -12.0, "rust": -11.0}  # fmt: skip
VERBS = [("walks", "walk"), ("plans", "plan"), ("sees", "see"), ("rusts", "rust")]
# EW of a made-up model over more and more verbs; the first is TSE
STAGES = {"TSE": 0.95, "no nouns": 0.93, "single entries": 0.84, "all verbs": 0.80}

# %% [markdown]
# ````{exercise} ★ Does it know, or does it prefer?
# :label: 18-sensitivity
#
# The cell above has log-probabilities of four verbs in two twin contexts. Give `ew`, the {term}`EW` after *The author*, and `ns`, the {term}`number sensitivity` of the twins. Which verb does the model know although EW calls it wrong?
#
# ```{dropdown} Hint
# For number sensitivity, subtract: by how much is the form in *-s* ahead after the singular, and after the plural?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# "plan" is wrong after the singular, and its form in -s still gains there. "rust" does
# not move at all.
ew = 2 / 4
ns = 3 / 4

# %% tags=["hide-cell", "check"]
ahead = {base: after_singular[s] - after_singular[base] for s, base in VERBS}
gains = {
    base: ahead[base] - (after_plural[s] - after_plural[base]) for s, base in VERBS
}
assert ew == np.mean([value > 0 for value in ahead.values()]), (
    "ew: for how many of the four is the form in -s ahead after the singular?"
)
assert ns == np.mean([value > 0 for value in gains.values()]), (
    "ns: for how many does the form in -s gain on the base form after the singular?"
)
print(f"EW {ew:.2f}, number sensitivity {ns:.2f}: a preference is not ignorance.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ An adverb of your own
# :label: 18-adverb
#
# No programming: open [Try it](../book/try.md), type *The farmer across from the ministers*, choose *singular*, and note which verbs the model gets wrong. Then put an adverb after *ministers*. Which verbs are right now, and which stay wrong? Why?
#
# ```{dropdown} Hint
# Ask of each wrong verb whether it is also a noun.
# ```
# ````
#
# ```{solution} 18-adverb
# :class: dropdown
# A verb that is right now was probably read as a noun. A verb that stays wrong, or goes wrong now, may follow the nearer noun, *ministers*: attraction.
# ```

# %% [markdown]
# ````{exercise} ★★ Parts that add up
# :label: 18-parts
#
# `STAGES` of the cell above has four scores of a made-up model. Write `parts(stages)`, which returns a list: the difference of each stage and the next. Give `largest`, the pair of stages with the largest part between them.
#
# ```{dropdown} Hint
# `zip(values, values[1:])` pairs each value with the next.
# ```
# ````


# %% tags=["hide-cell", "solution"]
def parts(stages):
    """How much each stage loses against the one before."""
    values = list(stages.values())
    return [first - second for first, second in zip(values, values[1:], strict=False)]


largest = ("no nouns", "single entries")

# %% tags=["hide-cell", "check"]
own, names = parts(STAGES), list(STAGES)
assert isinstance(own, list) and len(own) == len(STAGES) - 1, (
    "parts should return a list with a part between each two stages"
)
assert abs(sum(own) - (STAGES["TSE"] - STAGES["all verbs"])) < 1e-9, (
    "the parts should add up to the first stage less the last"
)
place = int(np.argmax(own))
assert largest == (names[place], names[place + 1]), (
    "largest: the two stages between which the score falls furthest"
)
print(
    f"The gap of {sum(own):.2f} has the parts {', '.join(f'{part:.2f}' for part in own)}."
)

# %% [markdown]
# ## Takeaways

# %% tags=["remove-input"]
taken = [f"- {said}" for said in number_said]
taken += [
    "- A low EW can come from nouns, from attraction, from long verbs or from not knowing the number, and EW alone does not say which. Report it by kind of verb, with an adverb "
    "and without, beside number sensitivity ([what to report](../book/reporting.md))."
]
display(newman.say("\n".join(taken)))

# %% [markdown]
# Functions: {py:func}`tse_book.pages.design.gap_findings`, {py:func}`tse_book.pages.design.gaps_and_falls`, {py:meth}`tse_core.agreement.evaluation.Evaluation.table`, {py:meth}`tse_core.agreement.evaluation.Evaluation.number_sensitivity` and {py:func}`tse_book.charts.gap_bars`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
