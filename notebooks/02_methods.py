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
# # Methods: TSE, EW and MW by hand
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : compute three scores on two verbs, then on the real distribution after *The keys to the cabinet*; see what a {term}`cut-off` keeps and what a masked and a causal model are asked
#
# You need
# : school algebra to read it; a little Python for the folded cells
#
# Time
# : 15 minutes to read, half a minute to run on a CPU
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
models = ["smollm2-135m-instruct"]  # whose distributions to look at
masked = ["lab-systematic-masked"]  # a masked model, for the section on the two kinds
plural = {
    "are": 0.55,
    "exist": 0.15,
}  # the forms that agree with "The keys to the cabinet"
singular = {"is": 0.05, "exists": 0.25}  # the forms that do not

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "02_methods")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import altair as alt
import numpy as np
import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts, published
from tse_book.pages import glue, guard, newman, table, try_this
from tse_core.agreement.slots import FORMS, marked_distribution
from tse_core.metrics.scores import cutoff_scores, tse_scores
from tse_core.metrics.table import PAPER_CUTOFFS
from tse_core.words import join

# %% [markdown] tags=["explains"]
# ## Two verbs, three scores
#
# Does a language model make its verbs agree? Suppose a model knows just two verbs, *be* and *exist*, and gives their four forms the probabilities of the table below after *The keys to the cabinet*. The subject is plural, so *are* and *exist* agree. The paper's Table 1 has this situation; the probabilities are ours, chosen to give its scores.
#
# ```{margin} TSE
# Is the correct form of one chosen verb more probable than its wrong form?
# ```
# ```{margin} EW
# Equally weighted: of all verbs, the share whose correct form is more probable.
# ```
# ```{margin} MW
# Model weighted: of the probability on all forms, the share on correct ones.
# ```

# %% tags=["hide-input"]
toy = pd.DataFrame(
    {
        "lemma": ["be", "exist"],
        "correct": list(plural),
        "P(correct)": list(plural.values()),
        "wrong": list(singular),
        "P(wrong)": list(singular.values()),
    }
)
toy["correct is likelier"] = toy["P(correct)"] > toy["P(wrong)"]
table(toy, "A model that knows two verbs, after The keys to the cabinet.")

# %% [markdown]
# {cite:t}`newman2021refining` write the three scores with two equations. For a context $c$ and a {term}`lemma` $\ell$ with the correct form $\ell_+$ and the wrong form $\ell_-$, {term}`TSE` asks:
#
# $$
# \mathrm{TSE}(c, \ell) = \mathbb{1}\bigl[P(\ell_+ \mid c) > P(\ell_- \mid c)\bigr] \qquad (1)
# $$
#
# {term}`EW` is the mean of (1) over all lemmas of a list. {term}`MW` is the probability of a correct form, given that the next word is one of the listed forms:
#
# $$
# \mathrm{MW}(c) = \frac{\sum_\ell P(\ell_+ \mid c)}{\sum_\ell P(\ell_+ \mid c) + P(\ell_- \mid c)} \qquad (2)
# $$
#
# ```{dropdown} Predict: which of the three is largest for the probabilities above?
# TSE: it asks about *be* alone, and *are* beats *is*. EW asks about both verbs and finds *exist* wrong. MW lies between them, because *are* is so probable.
# ```

# %% tags=["hide-input"]
by_hand = {
    "TSE": float(toy.loc[0, "correct is likelier"]),
    "EW": toy["correct is likelier"].mean(),
    "MW": toy["P(correct)"].sum() / (toy["P(correct)"].sum() + toy["P(wrong)"].sum()),
}
guard("TSE: it asks about *be* alone, and *are* beats *is*", by_hand["TSE"] == 1)
guard("EW asks about both verbs and finds *exist* wrong", by_hand["EW"] == 0.5)
guard("MW lies between them", by_hand["EW"] < by_hand["MW"] < by_hand["TSE"])

# %% tags=["hide-input"]
# a row over the vocabulary is, are, exists, exist; the entries of each lemma's singular and
# plural form; the subject's number (0 singular, 1 plural)
probabilities = np.array(
    [[singular["is"], plural["are"], singular["exists"], plural["exist"]]]
)
scores = cutoff_scores(
    np.log(probabilities), [[0, 1], [2, 3]], [1], top=[1.0], bottom=[]
)
by_package = {
    "TSE": float(tse_scores(np.log(plural["are"]), np.log(singular["is"]))),
    "EW": float(scores.ew_top[0, 0]),
    "MW": float(scores.mw_top[0, 0]),
}
said = {
    metric: float(published.constants()[f"toy_table1_{metric}"]) for metric in by_hand
}
for metric, value in by_package.items():
    glue(metric, value)
table(
    pd.DataFrame(
        {
            "metric": list(by_hand),
            "by hand": by_hand.values(),
            "by the package": by_package.values(),
            "the paper's Table 1": said.values(),
        }
    ),
    "Table 1 of the paper, computed.",
)

# %% [markdown]
# TSE gives {glue:text}`TSE:.1f`, EW {glue:text}`EW:.1f`. By MW, a share of {glue:text}`MW:.1f` of the probability on verb forms is on correct ones.
#
# ### Move the probabilities
#
# The sliders set the weight of each form. Can you get a high TSE with a low EW? A low EW with a high MW? A TSE of 0 with an MW near 1?

# %% tags=["hide-input"]
forms = pd.DataFrame(
    {
        "form": ["are", "is", "exist", "exists"],
        "agrees": ["correct", "wrong", "correct", "wrong"],
        "lemma": ["be", "be", "exist", "exist"],
    }
)
start = {**plural, **singular}
sliders = {
    form: alt.param(
        name=f"w_{form}",
        value=round(100 * start[form]),
        bind=alt.binding_range(min=1, max=100, step=1, name=f"weight of {form} "),
    )
    for form in forms["form"]
}
total = "(w_are + w_is + w_exist + w_exists)"
weight = "datum.form == 'are' ? w_are : datum.form == 'is' ? w_is : datum.form == 'exist' ? w_exist : w_exists"
bars = (
    alt.Chart(forms)
    .transform_calculate(probability=f"({weight}) / {total}")
    .mark_bar(height=18)
    .encode(
        x=alt.X("probability:Q", scale=alt.Scale(domain=[0, 1]), title="probability"),
        y=alt.Y("form:N", sort=None, title=None),
        color=alt.Color(
            "agrees:N",
            title=None,
            scale=alt.Scale(domain=["correct", "wrong"], range=["#009e73", "#d55e00"]),
            legend=alt.Legend(orient="bottom"),
        ),
        tooltip=["form:N", "agrees:N", alt.Tooltip("probability:Q", format=".2f")],
    )
    .properties(width=330, height=130)
)
live = {
    "TSE": "w_are > w_is ? 1 : 0",
    "EW": "((w_are > w_is ? 1 : 0) + (w_exist > w_exists ? 1 : 0)) / 2",
    "MW": f"(w_are + w_exist) / {total}",
}
choice = (
    " : ".join(
        f"datum.metric == '{metric}' ? {formula}" for metric, formula in live.items()
    )
    + " : 0"
)
numbers = (
    alt.Chart(pd.DataFrame({"metric": list(live)}))
    .transform_calculate(
        score=choice, shown="datum.metric + '  ' + format(" + f"({choice})" + ", '.2f')"
    )
    .mark_text(align="left", fontSize=20, fontWeight=600)
    .encode(y=alt.Y("metric:N", sort=None, axis=None), x=alt.value(6), text="shown:N")
    .properties(width=130, height=130)
)
alt.hconcat(bars, numbers).add_params(*sliders.values()).properties(
    title="Three questions about the same four probabilities",
    description="Bars for the probabilities of are, is, exist and exists, set by four sliders, and the TSE, EW and MW they "
    f"give. At the start TSE is {by_package['TSE']:.2f}, EW {by_package['EW']:.2f} and MW {by_package['MW']:.2f}.",
).configure_view(stroke=None)

# %% [markdown] tags=["explains"]
# ### From one context to a score
#
# A published score is a mean. TSE is averaged over the minimal pairs of a {term}`construction`; each brings its own verb. EW and MW are averaged over its *unique contexts*; in each, all verbs of the list count.
#
# :::{admonition} Do not compare MW with EW or TSE
# :class: important
# EW and TSE are means of yes-or-no judgements, and differ mainly in the verbs asked about: many or few. MW is made of probabilities: a verb that is right by a hair counts 1 in EW and hardly more than one half in MW. The authors call MW "not directly comparable" with the others.
# :::
#
# ## A real distribution
#
# Here is a real model after *The keys to the cabinet*: {glue:text}`introduced:s`. (SmolLM2-135M-Instruct has 135 million weights, stored in four bits each, and was tuned to follow instructions.) The slider runs through every verb of the list whose two forms are single tokens; the chart shows the likeliest inside the cut-off.

# %% tags=["remove-input"]
# what comes next is asked of a causal model, where there is one
asked = (newman.causal_models(models) or newman.real_models(models))[:1]
glue("introduced", newman.introduced(asked))
display(newman.what_is_missing(models))

# %% tags=["hide-input"]
keys, cabinet = "The keys to the cabinet", "plural"
turned, turned_number = "The key to the cabinets", "singular"
story = {"expected": newman.what_is_missing(models), "slider": newman.say("")}
lesson = {"keys": "not measured in this build", "turned": "not measured in this build"}
for model in asked:
    real = tse_core.load_model(model)
    context = tse_core.score_context(real, keys, number=cabinet, lemmas="newman-clean")
    shown = marked_distribution(real, f"{keys} ___", cabinet, "newman-clean")
    slider = charts.context_slider(
        shown,
        context.curves,
        title=f"{newman.label(model)} after {keys}: the likeliest verbs inside a cut-off",
    )
    display(slider)
    shown = shown.assign(entry=shown["token"].str.strip())
    likeliest = shown.loc[shown["form"].isin(["correct", "wrong"])].iloc[0]
    wrong = shown[shown["form"] == "wrong"].head(
        1
    )  # the likeliest wrong form has a bar too
    top = pd.concat([shown.head(10), wrong]).drop_duplicates("token")
    expected = charts.bars(
        top[["entry", "probability", "form"]],
        "entry",
        "probability",
        title=f"After “{keys}” the likeliest verb form is “{likeliest['entry']}”, a {likeliest['form']} one",
        colour="form",
        format=".2g",
        scale=alt.Scale(
            domain=list(FORMS), range=["#009e73", "#d55e00", "#0072b2", "#8a8f98"]
        ),
        note="A bar is the probability that this word comes next: 0.4 is four times in ten. 's can be is or the genitive, and counts as neither.",
    )
    story = {"expected": expected, "slider": slider}
    forms = context.forms.set_index("lemma")
    be, wrong = forms.loc["be"], forms[~forms["agrees"]]
    head = (
        context.curves.query("metric == 'EW' and side == 'top'")
        .dropna(subset="score")
        .iloc[0]
    )
    other = tse_core.score_context(
        real, turned, number=turned_number, lemmas="newman-clean"
    )
    for name, found in (("keys", context), ("turned", other)):
        right = found.forms.set_index("lemma").loc["be", "agrees"]
        lesson[name] = f"TSE with be {int(right)}, EW {found.ew:.2f}, MW {found.mw:.2f}"
    display(
        newman.say(
            f"The model gives *are* {be['p_correct']:.3f} and *is* {be['p_wrong']:.3f}, so TSE with *be* is",
            f"{int(be['agrees'])}. Of the {len(forms)} verbs it conjugates {context.ew:.0%} correctly. The likeliest verbs that it gets",
            f"wrong are {', '.join(f'*{w}*' for w in wrong['wrong'].head(5))} (the form it prefers is shown).",
            f"Among the verbs inside the top {head['cutoff']:.0%} EW is {head['score']:.2f}.",
        )
    )

# %% tags=["remove-input"]
glue("lesson_keys", lesson["keys"])  # quoted by the lesson on the real model
glue("lesson_turned", lesson["turned"])
for name, figure in story.items():  # the first two figures of the front page
    glue(f"story_{name}", figure)

# %% [markdown] tags=["explains"]
# Move the slider to its left end, then to the right: further right come verbs that nobody would use with *keys*.

# %% tags=["remove-input"]
try_this(
    (keys, cabinet),
    (turned, turned_number),
)

# %% [markdown] tags=["explains"]
# ## Cut-offs: the head and the tail
#
# Which verbs are wrong, the likely or the unlikely ones? *Top p* keeps the most probable entries that together hold the share $p$ of probability; *bottom p* keeps the least probable ones. EW and MW are then computed from the verbs inside. Here is a small vocabulary with four verbs and two other words; the subject is plural.
#
# ```{margin} Cut-off
# A share of probability. Top: from the most probable entry down. Bottom: from the least probable up.
# ```

# %% tags=["hide-input"]
small = pd.DataFrame(
    [
        ("are", 0.40, "be"),
        ("have", 0.18, "have"),
        ("not", 0.12, ""),
        ("is", 0.10, "be"),
        ("has", 0.08, "have"),
        ("of", 0.05, ""),
        ("gleams", 0.03, "gleam"),
        ("rusts", 0.02, "rust"),
        ("gleam", 0.012, "gleam"),
        ("rust", 0.008, "rust"),
    ],
    columns=["entry", "probability", "lemma"],
)
small["cumulative"] = small["probability"].cumsum()
small["agrees"] = (
    small["entry"]
    .map(lambda w: "correct" if w in ("are", "have", "gleam", "rust") else "wrong")
    .where(small["lemma"] != "", "not a verb")
)
assert abs(small["probability"].sum() - 1) < 1e-9
table(
    small[["entry", "lemma", "agrees", "probability", "cumulative"]],
    "A small distribution, most probable first.",
    digits=3,
)

# %% [markdown] tags=["explains"]
# A lemma is inside a **top** cut-off for EW as soon as *either* form is inside; MW counts each form by itself. At a **bottom** cut-off *both* forms must be inside. A cut-off usually falls inside an entry, which then counts in part:
#
# $$
# \begin{aligned}
# \text{score}(p)={}&(1-a)\times\text{score without it}\\
# &{}+a\times\text{score with it}
# \end{aligned}
# $$
#
# $$
# a = \frac{p - \text{mass before it}}{\text{its probability}}
# $$
#
# ```{dropdown} Predict: on which entry does top 94 % fall, and is it right or wrong?
# Add up the column from above. Before *gleams* there is 0.93; with it 0.96. So the cut-off falls on *gleams*, a wrong form, a third of which is inside.
# ```

# %%
p = 0.94
boundary = int((small["cumulative"] >= p - 1e-12).to_numpy().argmax())
before = small["cumulative"][boundary - 1]
share = (p - before) / small["probability"][boundary]


def inside(rows):
    """EW over lemmas with either form inside, MW over forms inside."""
    of = dict(zip(small["entry"], small["probability"], strict=True))
    right = {
        "be": ("are", "is"),
        "have": ("have", "has"),
        "gleam": ("gleam", "gleams"),
        "rust": ("rust", "rusts"),
    }
    lemmas = [lemma for lemma in rows["lemma"].unique() if lemma]
    mass = rows[rows["lemma"] != ""].groupby("agrees")["probability"].sum()
    return float(
        np.mean([of[right[x][0]] > of[right[x][1]] for x in lemmas])
    ), mass.get("correct", 0) / mass.sum()


without, including = inside(small[:boundary]), inside(small[: boundary + 1])
hand = [(1 - share) * w + share * i for w, i in zip(without, including, strict=True)]

entries = {word: place for place, word in enumerate(small["entry"])}
forms_of = [("is", "are"), ("has", "have"), ("gleams", "gleam"), ("rusts", "rust")]
ids = [[entries[s], entries[pl]] for s, pl in forms_of]
logits = np.log(small["probability"].to_numpy())[None]
machine = cutoff_scores(logits, ids, [1], top=[p], bottom=[])
glue("boundary", small["entry"][boundary])
guard(
    "falls on *gleams*",
    small["entry"][boundary] == "gleams" and abs(share - 1 / 3) < 1e-9,
)
likely, unlikely = (
    small[small["probability"] > 0.05],
    small[small["probability"] < 0.05],
)
guard(
    "right about its likely verbs and wrong about its unlikely ones",
    inside(likely)[0] == 1 and inside(unlikely)[0] == 0,
)
glue("share", float(share))
table(
    pd.DataFrame(
        {
            "metric": ["EW", "MW"],
            "without the entry": without,
            "with it": including,
            "by hand": hand,
            "cutoff_scores": [machine.ew_top[0, 0], machine.mw_top[0, 0]],
        }
    ),
    f"Top {p:.0%} of the small distribution.",
    digits=4,
)

# %% tags=["remove-cell"]
# What the handout prints, and its key.
head, tail = 0.8, 0.04
ends = cutoff_scores(logits, ids, [1], top=[head], bottom=[tail])
rising = small[::-1].assign(below=lambda rows: rows["probability"].cumsum())
inside_head = small["entry"][small["cumulative"] <= head + 1e-9]
inside_tail = rising["entry"][rising["below"] <= tail + 1e-9]
four = pd.Series({**plural, **singular}, name="probability").sort_values()[::-1]
glue(
    "handout_toy",
    table(four.rename_axis("entry").reset_index(), "After The keys to the cabinet"),
)
glue(
    "handout_small",
    table(
        small[["entry", "probability"]], "After the same words, another model", digits=3
    ),
)
glue("head", head)
glue("tail", tail)
glue("inside_head", ", ".join(inside_head))
glue("inside_tail", ", ".join(inside_tail))
for metric in ("ew", "mw"):
    glue(f"{metric}_head", float(getattr(ends, f"{metric}_top")[0, 0]))
    glue(f"{metric}_tail", float(getattr(ends, f"{metric}_bottom")[0, 0]))

# %% [markdown]
# The cut-off falls on *{glue:text}`boundary`*, of which the share $a$ = {glue:text}`share:.2f` is inside. Now try every cut-off. This model is right about its likely verbs and wrong about its unlikely ones.

# %% tags=["hide-input"]
grid = [round(x, 3) for x in np.arange(0.02, 1.0001, 0.02)]
at = cutoff_scores(logits, ids, [1], top=grid, bottom=grid)
curve = pd.concat(
    pd.DataFrame(
        {
            "p": grid,
            "metric": metric,
            "side": side,
            "score": getattr(at, f"{metric.lower()}_{side}")[0],
        }
    )
    for metric in ("EW", "MW")
    for side in ("top", "bottom")
).dropna()
cut = alt.param(
    name="p_cut",
    value=0.94,
    bind=alt.binding_range(min=0.02, max=1, step=0.02, name="p "),
)
side = alt.param(
    name="side_cut",
    value="top",
    bind=alt.binding_radio(options=["top", "bottom"], name="side "),
)
shown = small.assign(
    start=small["cumulative"] - small["probability"], order=range(len(small))
)
part = (
    "side_cut == 'top' ? clamp((p_cut - datum.start) / datum.probability, 0, 1)"
    " : clamp((p_cut - (1 - datum.cumulative)) / datum.probability, 0, 1)"
)
entries_chart = (
    alt.Chart(shown)
    .transform_calculate(inside=part)
    .mark_bar()
    .encode(
        x=alt.X(
            "entry:N",
            sort=alt.SortField("order"),
            title=None,
            axis=alt.Axis(labelAngle=-40),
        ),
        y=alt.Y("probability:Q"),
        color=alt.Color(
            "agrees:N",
            title=None,
            scale=alt.Scale(
                domain=["correct", "wrong", "not a verb"],
                range=["#009e73", "#d55e00", "#8a8f98"],
            ),
            legend=alt.Legend(orient="bottom"),
        ),
        opacity=alt.Opacity(
            "inside:Q", scale=alt.Scale(domain=[0, 1], range=[0.15, 1]), legend=None
        ),
        tooltip=[
            "entry:N",
            "lemma:N",
            alt.Tooltip("probability:Q", format=".3f"),
            alt.Tooltip("inside:Q", format=".2f", title="share inside"),
        ],
    )
    .properties(width=270, height=190)
)
lines = (
    alt.Chart(curve)
    .transform_filter("datum.side == side_cut")
    .mark_line()
    .encode(
        x=alt.X("p:Q", scale=alt.Scale(domain=[0, 1]), title="cut-off p"),
        y=alt.Y("score:Q", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(
            "metric:N",
            title=None,
            scale=alt.Scale(domain=["EW", "MW"], range=["#0072b2", "#b3578f"]),
            legend=alt.Legend(orient="bottom"),
        ),
    )
)
here = (
    lines.transform_filter("abs(datum.p - p_cut) < 0.009")
    .mark_point(filled=True, size=90, opacity=1)
    .encode(tooltip=["metric:N", "side:N", "p:Q", alt.Tooltip("score:Q", format=".3f")])
)
values = here.mark_text(align="left", dx=8, dy=-8, fontSize=12, fontWeight=600).encode(
    text=alt.Text("score:Q", format=".2f")
)
alt.hconcat(
    entries_chart, alt.layer(lines, here, values).properties(width=230, height=190)
).add_params(side, cut).resolve_scale(color="independent").properties(
    title="The head of this distribution is well conjugated, its tail is not",
    description="Left: the ten entries of a small distribution, those outside the chosen cut-off faded. Right: EW and MW "
    "at every cut-off, from the top or from the bottom, with the chosen one marked. From the top both start at 1 and fall "
    "as unlikely verbs come in; from the bottom both start low.",
)

# %% tags=["remove-input"]
paper = pd.DataFrame(
    {
        "side": ["top", "bottom"],
        "cut-offs": [
            ", ".join(f"{100 * c:g} %" for c in cuts) for cuts in PAPER_CUTOFFS
        ],
    }
)
table(
    paper,
    "The cut-offs of the paper's figures. Its Table 2 uses top 100 %: the whole distribution.",
)

# %% [markdown] tags=["explains"]
# ## Masked and causal models
#
# ```{margin} Masked, causal
# Masked: fills a gap, sees both sides (BERT). Causal: predicts the next token, sees the
# left side (GPT-2).
# ```
#
# A {term}`causal model` predicts the verb from the words before it. A {term}`masked model` sees a gap with words on both sides. Here both read one sentence; the arrow marks the position at which it predicts the verb. The masked model is one of the {term}`laboratory's <laboratory model>`, trained by this project on a small artificial language.
#
# ```{dropdown} Predict: what can the masked model use that the causal model cannot?
# The words after the gap. It has read *tall*, so it could expect a form of *be*; the lists show whether it does. The causal model does not know what follows, not even that a verb is due.
# ```

# %% tags=["hide-input"]
left, right = "The author next to the guards", "tall."
both = [
    tse_core.load_model(name)
    for name in [*(newman.causal_models(models) or models)[:1], *masked]
]
rows, tops = [], []
for model in both:
    slot = model.slot(left, right)
    tokens = [token.strip() or "␣" for token in model.tokens(slot.ids)]
    tokens[slot.position] = f"→{tokens[slot.position]}←"
    rows.append({"model": model.label, "kind": model.kind, "tokens": " ".join(tokens)})
    top = tse_core.slot_distribution(model, left, right).head(8)
    tops.append(pd.Series([f"{t.strip()} {p:.3f}" for t, p in zip(top["token"], top["probability"], strict=True)],
                          name=f"{model.label} ({model.kind})"))  # fmt: skip
display(table(pd.DataFrame(rows), f"What a model reads of {join(left, '___', right)}"))
table(
    pd.concat(tops, axis=1).rename(index=lambda i: i + 1) if tops else pd.DataFrame(),
    f"The most probable words at the slot of {join(left, '___', right)}",
    index=True,
)

# %% [markdown] tags=["explains"]
# The lists answer different questions: what may follow *The author next to the guards*, and what may fill a gap in front of *tall*.

# %% [markdown] tags=["explains"]
# ```{margin} Protocol
# *Exact* does what the definitions say; *released* repeats what the authors' code does.
# ```
#
# ## Exact and released
#
# There are two {term}`protocols <protocol>`. *Exact* computes what is written above. *Released* repeats the authors' code, in which a few entries of the far tail drop out at top 100 % ([Pitfalls](14_pitfalls.ipynb) says why). Use *released* to compare with published numbers, *exact* for everything else.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/02_methods.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_core.metrics.scores import cutoff_scores

# what a model gives after "The author": the subject is singular
slot = {
    "walks": 0.30,
    "the": 0.19,
    "quickly": 0.15,
    "sing": 0.14,
    "walk": 0.10,
    "sings": 0.06,
    "sleeps": 0.05,
    "sleep": 0.01,
}
VERBS = [("walks", "walk"), ("sings", "sing"), ("sleeps", "sleep")]
BE_AND_EXIST = [("is", "are"), ("exists", "exist")]


def scores_of(probabilities, verbs, number, **cutoffs):
    """`cutoff_scores` of one distribution, a dictionary from form to probability."""
    place = {form: i for i, form in enumerate(probabilities)}
    ids = [[place[form] for form in lemma] for lemma in verbs]
    logits = np.log([list(probabilities.values())])
    return cutoff_scores(logits, ids, [number], **cutoffs)


# %% [markdown]
# ````{exercise} ★ By hand
# :label: 02-hand
#
# After *The author* a model gives the probabilities `slot` of the cell above. Three {term}`lemmas <lemma>` are on the
# list: *walk*, *sing* and *sleep*. Give `ew` and `mw`, two numbers.
#
# ```{dropdown} Hint
# The subject is singular. {term}`EW` asks each lemma whether its form in *-s* is the more probable one. {term}`MW` needs
# two sums.
# ```
# ````

# %% tags=["hide-cell", "solution"]
ew = 2 / 3  # walk and sleep are right, sing is wrong
mw = (0.30 + 0.06 + 0.05) / (0.30 + 0.06 + 0.05 + 0.10 + 0.14 + 0.01)

# %% tags=["hide-cell", "check"]
whole = scores_of(slot, VERBS, 0, top=[1.0], bottom=[])
assert isinstance(ew, (int, float)), "ew should be a number"
assert isinstance(mw, (int, float)), "mw should be a number"
assert abs(ew - whole.ew_top[0, 0]) < 0.005, (
    "EW: how many of the three lemmas are right?"
)
assert abs(mw - whole.mw_top[0, 0]) < 0.005, (
    "MW: the correct forms' probability, divided by that of all six verb forms"
)
print(f"EW {ew:.2f}, MW {mw:.2f}; the words that are not verbs count in neither.")

# %% [markdown]
# ````{exercise} ★ Low EW, high MW
# :label: 02-low-ew
#
# The subject is plural: *The keys to the cabinet*. Choose `probabilities`, a dictionary with the forms *are*, *is*,
# *exist*, *exists* that sums to 1, so that EW is 0.5 and MW is above 0.95.
#
# ```{dropdown} Hint
# MW looks at sums. Which single form would make the sum of the correct ones large?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# The model nearly always says "are", and is right. About "exist" it knows nothing.
probabilities = {"are": 0.96, "is": 0.02, "exist": 0.005, "exists": 0.015}

# %% tags=["hide-cell", "check"]
assert isinstance(probabilities, dict), "probabilities should be a dictionary"
assert set(probabilities) == {"are", "is", "exist", "exists"}, (
    "the four forms are are, is, exist and exists"
)
assert abs(sum(probabilities.values()) - 1) < 1e-6, "they should sum to 1"
assert min(probabilities.values()) > 0, "every form needs some probability"
found = scores_of(probabilities, BE_AND_EXIST, 1, top=[1.0], bottom=[])
assert found.ew_top[0, 0] == 0.5, "EW: one lemma should be right and the other wrong"
assert found.mw_top[0, 0] > 0.95, (
    f"MW is {found.mw_top[0, 0]:.3f}: more of the probability should lie on correct forms"
)
print(
    f"MW {found.mw_top[0, 0]:.3f}: nearly all that it would say is right, but only half of its verbs are."
)

# %% [markdown]
# ````{exercise} ★★ Which one would you report?
# :label: 02-report
#
# No programming; the sliders above help. Someone wants one number for *does this model know agreement?*, someone else for
# *will its texts have agreement errors?* Which score would you give to whom? And with a verb list of one lemma, which two of
# the three are the same?
#
# ```{dropdown} Hint
# Set the sliders so that the scores disagree. Who would be misled by which?
# ```
# ````
#
# ```{solution} 02-report
# :class: dropdown
# Whoever asks about knowledge gets EW, which treats every verb alike; whoever asks about errors in texts gets MW, which weighs verbs as the model
# would use them. TSE answers for the few verbs that somebody chose. With one lemma TSE is EW, and MW is still a share.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - TSE asks about chosen verbs, EW about all verbs alike, MW about what the model would say.
# - Compare EW with TSE, never with MW. TSE is averaged over pairs, EW and MW over unique contexts.
# - Cut-offs tell the head from the tail; the entry on which a cut-off falls counts in part.
# - A score belongs to a model, a verb list and a protocol. Its {term}`signature` says which.
#
# Functions: {py:func}`tse_core.cutoff_scores`, {py:func}`tse_core.score_context`, {py:func}`tse_core.slot_distribution` and {py:func}`tse_core.agreement.slots.marked_distribution`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
