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
# # Every verb
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see which verbs a tokenizer keeps out of EW and MW, compute the probability of a form of several tokens, and see what leaving verbs out does
#
# You need
# : TSE, EW and MW, from [Methods](02_methods.ipynb); the two grammars of [the laboratory](16_laboratory.ipynb)
#
# Time
# : 10 minutes to read, a minute to run on a CPU; a GPU for all contexts
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
models = ["smollm2-135m-instruct"]  # real models, to be asked about whole words
lemmas = ["newman-clean"]
in_words = "lab-lexical-causal"  # the laboratory's model with an entry for every word
in_pieces = "lab-lexical-causal-bpe"  # its sibling with byte pairs
context, number = "The author", "singular"  # the context of the tree
long_context = "The author that the guards like"  # the context whose cost is counted
drawn = ["write", "accuse", "modernize", "antagonize"]  # its verbs

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "17_every_verb")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% [markdown]
# What about the verbs that a tokenizer cuts up? {cite:t}`newman2021refining` count verbs of which *both* forms are single tokens of a model's vocabulary. This chapter counts the others as well.

# %% tags=["hide-input"]
import numpy as np
import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts, laboratory
from tse_book.pages import glue, guard, newman, table
from tse_book.studies import recorded_details
from tse_core.forward import word_forms
from tse_core.paths import data_folder
from tse_core.results.signature import Signature

# %% [markdown]
# ## The verbs that drop out
#
# Many tokenizers are trained on text by {term}`byte-pair encoding <byte-pair encoding (BPE)>`. Frequent words become one entry; rare words stay in pieces. In the laboratory we know how frequent each verb is, and this vocabulary was learned from its sentences.
#
# ```{dropdown} Predict: of the verbs of the tail, the rarest ones, how many still count with such a vocabulary?
# A lemma needs two entries, and a form must be frequent to get one, so expect few.
# ```

# %% tags=["hide-input"]
language = laboratory.load_language()
verbs = language.lemmas
byte_pairs = laboratory.byte_pair_tokenizer(
    language, "lexical", len(language.vocabulary)
)


def spelled_by(reader, words):
    """The tokens of words inside a sentence, for a model or for the tokenizer of byte pairs."""
    if reader is not byte_pairs:
        return reader.spellings(list(words))
    inside = [" " + word for word in words]
    return list(map(tuple, byte_pairs(inside, add_special_tokens=False)["input_ids"]))


def single(reader, rows):
    """For each verb of a table, whether both forms are single tokens of a vocabulary."""
    both = [spelled_by(reader, rows[form]) for form in ("singular", "plural")]
    return np.array([all(ids and len(ids) == 1 for ids in pair) for pair in zip(*both, strict=True)])  # fmt: skip


kept = verbs.assign(kept=single(byte_pairs, verbs))
bands = kept.groupby("band", sort=False).agg(
    verbs=("lemma", "size"), single=("kept", "sum")
)
shares = bands["single"] / bands["verbs"]
guard("leaves out many rare verbs", shares["tail"] < 0.5 < shares["head"])
for band, row in bands.iterrows():
    glue(f"{band}_verbs", int(row["verbs"]))
    glue(f"{band}_single", int(row["single"]))
table(
    bands.reset_index().rename(columns={"single": "both forms are single tokens"}),
    f"The verbs of the laboratory's language, by falling frequency, and how many a byte-pair vocabulary of {len(byte_pairs):,} entries keeps whole.",
)

# %% [markdown]
# {glue:text}`head_single` of the {glue:text}`head_verbs` frequent verbs stay whole, and {glue:text}`tail_single` of the {glue:text}`tail_verbs` rare ones. The same loss in real models:

# %% tags=["remove-input"]
display(newman.what_is_missing(models, lemmas))

# %% tags=["hide-input"]
listed = tse_core.load_lemmas(lemmas[0])
real = {
    newman.label(name): tse_core.load_model(name) for name in newman.real_models(models)
}
rows = []
for name, model in real.items():
    whole = single(model, listed.table)
    gone = listed.table.loc[~whole, "lemma"]
    rows.append(
        (name, len(listed), int(whole.sum()), whole.mean(), ", ".join(gone.iloc[:: max(1, len(gone) // 5)][:5]))
    )  # fmt: skip
columns = [
    "model",
    "verbs of the list",
    "counted",
    "share",
    "some that are not counted",
]
if rows:
    display(
        table(pd.DataFrame(rows, columns=columns), f"Verbs of {lemmas[0]} whose two forms are single tokens.")
    )  # fmt: skip

# %% [markdown] tags=["explains"]
# ## The probability of a whole word
#
# The probability of a word of several tokens follows by the chain rule. For a form $w$ with the tokens $t_1, \ldots, t_n$ in the context $c$:
#
# $$
# \begin{aligned}
# P(w \mid c) = {}& P(t_1 \mid c)\; P(t_2 \mid c\, t_1) \\
# &\cdots P(t_n \mid c\, t_1 \ldots t_{n-1}) \\
# &\times P(\text{end} \mid c\, t_1 \ldots t_n)
# \end{aligned}
# $$
#
# The last factor, that the word ends, is easily forgotten {cite}`pimentel2024compute,oh2024leading`. The tokens of *modernize* may be the beginning of *modernizer*; only the next token tells that the word is over. All forms of a list make a *tree*, in which shared beginnings are computed once.

# %% tags=["hide-input"]
causal = {name: model for name, model in real.items() if model.kind == "causal"}
drawn_by = next(iter(causal.values()), None) or tse_core.load_model(in_words)
chosen = verbs.set_index("lemma").loc[drawn]


def tree_nodes(model, rows):
    """The beginnings of some verbs' forms in the context: a row each, for the chart, and one with a form for the table."""
    forms = {}
    for lemma, row in rows.iterrows():
        for kind in ("singular", "plural"):
            agrees = "correct" if kind == number else "wrong"
            (spelling,) = model.spellings([row[kind]])
            forms[spelling] = (lemma, row[kind], agrees)
    beginnings = word_forms.form_tree(list(forms)).beginnings[1:]
    found = word_forms.form_log_probabilities(
        model, [model.slot(context)], beginnings, ends=model.word_ends
    )
    of_tokens = dict(zip(beginnings, np.exp(found.log_probability[0]), strict=True))
    of_end = dict(zip(beginnings, np.exp(found.log_end[0]), strict=True))
    nodes = []
    for ids in sorted(beginnings, key=lambda ids: model.tokens(ids)):
        lemma, form, agrees = forms.get(ids, ("", "", ""))
        nodes.append(
            {"node": str(ids), "parent": str(ids[:-1]) if ids[1:] else "", "token": model.tokens(ids[-1:])[0],
             "step": of_tokens[ids] / of_tokens.get(ids[:-1], 1.0), "lemma": lemma, "form": form, "agrees": agrees,
             "tokens": "|".join(model.tokens(ids)).strip(), "without": of_tokens[ids], "end": of_end[ids],
             "probability": of_tokens[ids] * of_end[ids] if form else np.nan}
        )  # fmt: skip
    return pd.DataFrame(nodes)


nodes = tree_nodes(drawn_by, chosen)
forms = nodes[nodes["form"] != ""]
charts.word_tree(
    nodes,
    context=context,
    title=f"{len(forms)} forms of {len(drawn)} verbs as paths of tokens",
)

# %% [markdown] tags=["explains"]
# ```{dropdown} Predict: suppose that a tokenizer cuts a verb so that its base form is the beginning of the form with -s. What does EW say of this verb if the end of the word is not counted?
# One half, whatever the model knows. A beginning is at least as probable as everything that begins with it, so the base form wins after every subject.
# ```

# %% tags=["hide-input"]
shown = forms[["form", "tokens", "without", "end", "probability"]].copy()
for column in ("without", "end", "probability"):
    shown[column] = [f"{value:.2g}" for value in shown[column]]
table(
    shown.rename(
        columns={"without": "P(tokens)", "end": "P(end)", "probability": "P(word)"}
    ),
    f"The forms of the tree after {context}: with and without the end of the word.",
)

# %% tags=["hide-input"]
rows = []
for name, reader in {**real, "the laboratory, byte-pair": byte_pairs}.items():
    of_list = verbs if reader is byte_pairs else listed.table
    both = [spelled_by(reader, of_list[form]) for form in ("singular", "plural")]
    nested = sum(s[: len(p)] == p for s, p in zip(*both, strict=True) if s and p)
    rows.append((name, len(of_list), nested, nested / len(of_list)))
columns = ["vocabulary of", "verbs", "base form begins the other form", "share"]
table(
    pd.DataFrame(rows, columns=columns),
    "Verbs for which EW would be one half without the end of the word.",
)

# %% [markdown] tags=["explains"]
# For these verbs the end decides. What could fool you: a word can be cut into tokens in more than one way. Only the split that the tokenizer itself makes is counted.
#
# ## Held against the truth
#
# In the laboratory's lexical grammar the true EW is known, for all verbs and for any part of them.
#
# ```{dropdown} Predict: a perfect model of this language is asked about its single tokens only. Is its EW too high or too low?
# Too high. Its single tokens are the frequent verbs, and in this grammar these are the verbs that agree.
# ```

# %% tags=["hide-input"]
present = language.frequency * (1 - language.past_share())


def perfect(construction, there):
    """EW and MW of a perfect model of the lexical grammar, over some of its verbs."""
    correct = language.correct("lexical", construction)[there]
    mw = np.average(correct.mean(axis=(1, 2)), weights=present[there])
    return float((correct > 0.5).mean()), float(mw)


every, whole = np.full(len(verbs), True), kept["kept"].to_numpy()
rows = []
for construction in language.constructions:
    (ew, mw), (ew_single, mw_single) = (
        perfect(construction, some) for some in (every, whole)
    )
    rows.append((construction, ew, ew_single, mw, mw_single))
truth = pd.DataFrame(
    rows,
    columns=pd.MultiIndex.from_tuples(
        [("", "construction"), ("EW", "all verbs"), ("EW", "single tokens"), ("MW", "all verbs"), ("MW", "single tokens")]
    ),
)  # fmt: skip
for score in ("EW", "MW"):
    assert (truth[score, "single tokens"] >= truth[score, "all verbs"]).all(), (
        f"{score} of single tokens is too high"
    )
    glue(
        f"{score}_bias",
        float((truth[score, "single tokens"] - truth[score, "all verbs"]).mean()),
    )
table(
    truth.set_index(("", "construction")).rename_axis(None),
    "What a perfect model of the lexical grammar scores: over all verbs, and over the single tokens of the byte-pair vocabulary.",
    digits=3,
    index=True,
)

# %% [markdown]
# Asked about single tokens only, a perfect model has an EW that is {glue:text}`EW_bias:.2f` too high, and an MW that is {glue:text}`MW_bias:.2f` too high. A model trained on the same sentences can be held against these numbers:

# %% tags=["hide-input"]
NAMES = {"single": "single tokens", "words": "whole words", "words-no-end": "without the end"}  # fmt: skip
file = data_folder() / "recorded" / "laboratory" / "words.csv"
measured = pd.read_csv(file) if file.exists() else pd.DataFrame(columns=["model"])
measured = measured[measured["model"].isin([in_words, in_pieces])]


def cell(row, score):
    return (
        f"{row[score]:.2f} [{row[f'{score}_low']:.2f},\u00a0{row[f'{score}_high']:.2f}]"
    )


def beside_truth(score):
    """Rows: constructions. Columns: the truth, and what each vocabulary and choice of forms measures."""
    known = measured.drop_duplicates("construction").set_index("construction")
    columns = {("", "truth"): known[f"true_{score}"].map("{:.2f}".format)}
    for (model, forms), rows in measured.groupby(["model", "forms"], sort=False):
        if model == in_pieces or forms == "single":
            vocabulary = "byte-pair" if model == in_pieces else "one entry per word"
            cells = rows.set_index("construction").apply(cell, axis=1, score=score)
            columns[vocabulary, NAMES[forms]] = cells
    return pd.DataFrame(columns).rename_axis(None)


def off(model, forms, score):
    """The mean difference from the truth over the constructions."""
    rows = measured.query("model == @model and forms == @forms")
    return float((rows[score] - rows[f"true_{score}"]).mean())


def within(forms, score):
    """In how many constructions the interval of the byte-pair model contains the truth."""
    rows = measured.query("model == @in_pieces and forms == @forms")
    return int(
        rows[f"true_{score}"].between(rows[f"{score}_low"], rows[f"{score}_high"]).sum()
    )


def too(value):
    """A difference from the truth in words."""
    return f"{abs(value):.2f} too {'high' if value > 0 else 'low'}"


if len(measured):
    by_way = {forms: off(in_pieces, forms, "EW") for forms in NAMES}
    display(
        newman.say(
            f"On average EW of the byte-pair model is {too(by_way['single'])} with single tokens, {too(by_way['words'])} over",
            f"whole words, and {too(by_way['words-no-end'])} without the end of the word; with one entry per word it is",
            f"{too(off(in_words, 'single', 'EW'))}. MW is {too(off(in_pieces, 'single', 'MW'))} with single tokens and",
            f"{too(off(in_pieces, 'words', 'MW'))} over whole words. The true EW lies in {within('words', 'EW')} of the",
            f"{measured['construction'].nunique()} intervals of the byte-pair model over whole words and in {within('single', 'EW')} of",
            "its intervals with single entries.",
        )
    )
else:
    display(
        newman.say(
            f"*{in_pieces}: not yet run.* `tse lab train {in_words} --byte-pair {len(byte_pairs)} --out {in_pieces}` trains it,",
            f"and `tse lab measure-words {in_words} {in_pieces} --out data/recorded/laboratory` measures both vocabularies.",
        )
    )
for score in ("EW", "MW") if len(measured) else ():
    display(
        table(
            beside_truth(score),
            f"{score} of the lexical grammar: true, and measured. Means with 95 % intervals, clustered by subject noun.",
            index=True,
        )
    )

# %% [markdown] tags=["explains"]
# ## What changes for a real model
#
# First the verbs that were always counted against those that could not be, all of them as whole words.

# %% tags=["remove-input"]
display(newman.what_is_missing(models))

# %% tags=["hide-input"]
of_noun = listed.table.drop_duplicates("lemma").set_index("lemma")["noun"]
for name in real:
    detail = recorded_details(name, "verbs")
    if detail is None:
        continue
    asked = detail.table.query("forms == 'words'")
    asked = asked.assign(
        spelled=np.where(
            asked[["tokens_singular", "tokens_plural"]].max(axis=1) > 1,
            "several tokens",
            "single tokens",
        ),
        kind=np.where(asked["lemma"].map(of_noun), "also nouns", "never nouns"),
        right=asked["correct"] / asked["contexts"],
    )
    means = asked.groupby(["construction", "kind", "spelled"], sort=False)[
        "right"
    ].mean()
    shown = means.groupby(["kind", "spelled"]).mean().unstack()
    rows = means.unstack("spelled")
    lower = int((rows["several tokens"] < rows["single tokens"]).sum())
    counts = asked.drop_duplicates("lemma").groupby("kind").size()
    display(
        table(
            shown.assign(verbs=counts).reset_index(),
            f"{name}: EW over whole words, mean over {means.index.unique('construction').size} constructions",
            digits=3,
        ),
        newman.say(
            f"In {lower} of {len(rows)} cells (a construction, nouns or not) verbs of several tokens score lower.",
            "So rarity or length costs something, and single tokens cannot show it."
            if lower > 0.8 * len(rows)
            else "",
        ),
    )

# %% [markdown]
# [What the gap is made of](18_gap.ipynb) separates the effects of length and of nouns. Over all verbs:


# %% tags=["hide-input"]
def recorded_words(name):
    """Recorded EW and MW over all verbs, with single tokens and as whole words; None where nothing is recorded."""
    detail = recorded_details(name, "words")
    if detail is None:
        return None
    tidy = detail.table.query(
        "metric == 'TSE' or metric in ('EW', 'MW') and side == 'top' and cutoff == 1"
    )
    policies = [Signature.parse(made).policy for made in tidy["signature"]]
    return tidy.assign(forms=[policy.get("forms", "single") for policy in policies])


def not_yet(name):
    """What the page says where nothing is recorded."""
    return f"*{name}: not yet run.* `tse record {name} --part words --out data/recorded` scores it."


recorded = {name: recorded_words(name) for name in real}
said = []
for name, tidy in recorded.items():
    if tidy is None:
        said.append(f"The comparison of {name} over all its verbs is not yet recorded.")
        display(newman.say(not_yet(name)))
        continue
    wide = tidy.pivot_table(
        ["score", "low", "high", "lemmas"],
        "construction",
        ["forms", "metric"],
        sort=False,
    )
    tidy = tidy[tidy["metric"] != "TSE"]
    ways = [way for way in NAMES if way in tidy["forms"].unique()]
    shown = pd.DataFrame(
        {
            (metric, NAMES[way]): [
                f"{row['score', way, metric]:.2f} [{row['low', way, metric]:.2f},\u00a0{row['high', way, metric]:.2f}]"
                for _, row in wide.iterrows()
            ]
            for metric in ("EW", "MW")
            for way in ways
        },
        index=wide.index,
    ).rename_axis(None)
    verbs_of = tidy.groupby("forms")["lemmas"].first()
    said.append(
        f"{name} was asked about {verbs_of['words']:,.0f} verbs as whole words instead of {verbs_of['single']:,.0f} single tokens, "
        f"in the same contexts. On average EW goes from {wide['score', 'single', 'EW'].mean():.2f} to "
        f"{wide['score', 'words', 'EW'].mean():.2f}, MW from {wide['score', 'single', 'MW'].mean():.2f} to "
        f"{wide['score', 'words', 'MW'].mean():.2f}."
    )
    below = wide["score", "words", "EW"] < wide["score", "words", "TSE"]
    said.append(
        f"TSE of the same whole words is {wide['score', 'words', 'TSE'].mean():.2f}: EW is below it in "
        f"{int(below.sum())} of {len(below)} rows."
    )
    display(
        table(
            shown,
            f"{name}: EW and MW with single tokens and over all verbs as whole words, in the same contexts. 95 % intervals, clustered by subject noun.",
            index=True,
            note=" ‖ ".join(tidy.drop_duplicates("forms")["signature"]),
        )
    )
    drawn_rows = tidy[tidy["forms"].isin(["single", "words"])].assign(
        model=lambda t: t["forms"].map(NAMES)
    )
    display(
        charts.table2_dots(
            drawn_rows,
            title=f"{name}: over all verbs EW changes by {(wide['score', 'words', 'EW'] - wide['score', 'single', 'EW']).mean():+.2f} on average",
        )
    )
glue("every_verb_said", " ".join(said) or "No real model took part in this build.")

# %% [markdown]
# {glue:text}`every_verb_said:s`
#
# What could fool you: the two scores are not about the same verbs. And bottom p over whole words cannot be computed, because words of any length are possible. The package's *list cut-offs* are shares of the list's probability.
#
# ## What it costs

# %% tags=["hide-input"]
rows = []
for name, model in (causal or {in_words: drawn_by}).items():
    of_list = listed.table if causal else verbs
    words = dict.fromkeys([*of_list["singular"], *of_list["plural"]])
    spelled = [ids for ids in model.spellings(list(words)) if ids]
    tree, before = word_forms.form_tree(spelled), len(model.slot(long_context).ids)
    alone = sum(before + len(ids) for ids in spelled)
    asked = before + len(np.union1d(tree.inner, tree.of_forms)) - 1
    without = before + len(tree.inner) - 1
    rows.append((name, len(spelled), alone, asked, alone / asked, without))
columns = ["model", "forms", "form by form", "as a tree", "times fewer", "as a tree, without the end"]  # fmt: skip
cost = pd.DataFrame(rows, columns=columns)
glue("nodes", int(cost.iloc[0]["as a tree"]))
glue("forms_asked", int(cost.iloc[0]["forms"]))
glue("times_fewer", float(cost.iloc[0]["times fewer"]))
table(
    cost,
    f"Tokens that a model must read after {long_context}.",
    digits=1,
)

# %% [markdown] tags=["explains"]
# Whole words cost {glue:text}`nodes:,` tokens per context for {glue:text}`forms_asked:,` forms; scored one form at a time they would cost {glue:text}`times_fewer:.0f` times as many. A {term}`masked model` fills as many masks as a form has tokens, from left to right {cite}`kauf2023better`; only lemmas whose two forms have equally many tokens count there.
#
# With whole words, models of different tokenizers can be asked about the same verbs: `tse evaluate smollm2-135m-instruct --forms words --against gpt2`.
#
# ## Five languages
#
# CLAMS {cite}`mueller2020crosslinguistic` has Marvin and Linzen's constructions in English, French, German, Hebrew and Russian. The package reads them (`load_pairs("clams/fr")`) and has a list of verbs for each.

# %% tags=["hide-input"]
LISTS = {"English": lemmas[0], "French": "french", "German": "german", "Russian": "russian", "Hebrew": "hebrew"}  # fmt: skip
rows = []
for name, model in real.items():
    for language_name, list_name in LISTS.items():
        of_list = tse_core.load_lemmas(list_name).table
        spelled = model.spellings([*of_list["singular"], *of_list["plural"]])
        lengths = [len(ids) for ids in spelled if ids]
        counted_whole = int(single(model, of_list).sum())
        rows.append(
            (language_name, len(of_list), counted_whole, np.mean(lengths), name)
        )
columns = ["language", "verbs", "both forms are single tokens", "tokens of a form", "vocabulary of"]  # fmt: skip
if rows:
    display(
        table(
            pd.DataFrame(rows, columns=columns),
            "The verb lists of five languages, and what one vocabulary holds of them.",
            digits=1,
        )
    )

# %% [markdown] tags=["explains"]
# No multilingual model was run here. After `tse data fetch clams` one command does: `tse evaluate facebook/xglm-564M --data clams/fr --lemmas french --forms words`.

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/17_every_verb.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import numpy as np

from tse_book.laboratory import byte_pair_tokenizer, load_language

language = load_language()
verbs = language.lemmas[["lemma", "singular", "plural", "band"]]
byte_pairs = byte_pair_tokenizer(language, "lexical", 2000)

# A made-up model of six entries. What follows the context (no token yet) and each beginning of a word:
following = {
    (): {"walk": 0.5, "walks": 0.1, "admire": 0.1, "adm": 0.3},
    ("walk",): {"s": 0.2, "-": 0.8},
    ("walk", "s"): {"-": 1.0},
    ("walks",): {"-": 1.0},
    ("admire",): {"s": 0.9, "-": 0.1},
    ("admire", "s"): {"-": 1.0},
    ("adm",): {"ires": 1.0},
    ("adm", "ires"): {"-": 1.0},
}  # "-" stands for all entries that end a word, taken together


def spell(word):
    """The tokens of a word inside a sentence, as numbers."""
    return byte_pairs(" " + word, add_special_tokens=False)["input_ids"]


# %% [markdown]
# ````{exercise} ★ Who pays for an entry?
# :label: 17-kept
#
# `spell(word)` gives the tokens of a word as numbers. Make `mean_tokens`, a dictionary from the bands `"head"`, `"middle"` and
# `"tail"` of the table `verbs` to the mean number of tokens of their singular forms.
#
# ```{dropdown} Hint
# `verbs.groupby("band")` gives the verbs of each band; the length of `spell(word)` is what you want the mean of.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# Frequent verbs are one token or little more, rare ones are cut up.
mean_tokens = {
    band: float(np.mean([len(spell(word)) for word in rows["singular"]]))
    for band, rows in verbs.groupby("band")
}

# %% tags=["hide-cell", "check"]
assert isinstance(mean_tokens, dict), (
    "mean_tokens should be a dictionary: band -> number"
)
assert set(mean_tokens) == {"head", "middle", "tail"}, (
    "mean_tokens needs the three bands as keys"
)
for band, rows in verbs.groupby("band"):
    lengths = [len(spell(word)) for word in rows["singular"]]
    assert abs(mean_tokens[band] - np.mean(lengths)) < 1e-9, (
        f"{band}: not the mean number of tokens of its singular forms"
    )
print(
    "Mean tokens:",
    ", ".join(f"{band} {mean:.2f}" for band, mean in mean_tokens.items()),
)

# %% [markdown]
# ````{exercise} ★★ The chain rule by hand
# :label: 17-chain
#
# `following` says what a made-up model expects after each beginning of a word; `"-"` is the end of the word. Write `whole(tokens)`, which returns the probability of the whole word with these tokens. Which of *admire* and *admires*, cut as `("admire", "s")`, is more probable, and which would be if the end were not counted?
#
# ```{dropdown} Hint
# For tokens (a, b): `following[()][a]`, times `following[(a,)][b]`, times `following[(a, b)]["-"]`.
# ```
# ````


# %% tags=["hide-cell", "solution"]
# With the end, admires is nine times as probable; without it, admire, its beginning, would win.
def whole(tokens):
    """The probability of the whole word with these tokens."""
    probability = 1.0
    for place, token in enumerate(tokens):
        probability *= following[tuple(tokens[:place])][token]
    return probability * following[tuple(tokens)]["-"]


# %% tags=["hide-cell", "check"]
assert isinstance(whole(("walk",)), float), "whole should return a number"
for tokens, known in ((("walk",), 0.4), (("walk", "s"), 0.1), (("admire", "s"), 0.09)):
    assert abs(whole(tokens) - known) < 1e-9, (
        f"{tokens}: multiply each token's probability, then that of the end"
    )
assert abs(sum(whole(tokens) for tokens in following if tokens and "-" in following[tokens]) - 1) < 1e-9, (
    "all words together should have the probability 1"
)  # fmt: skip
print(
    f"admire {whole(('admire',)):.2f}, admires {whole(('admire', 's')):.2f}: the end decides."
)

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ What whole words do not repair
# :label: 17-left
#
# Two models of different tokenizers can now be asked about the same verbs. Name two reasons why their EW may still differ that have nothing to do with agreement. No program is needed.
#
# ```{dropdown} Hint
# Think of words that mean two things, and of the number of decisions in a word of three tokens.
# ```
# ````
#
# ```{solution} 17-left
# :class: dropdown
#
# {term}`Homographs <homograph>`: *plan* is still a noun as well. Spelling: a form that is cut into several tokens can be harder for a small model, and the two forms of a lemma may be cut differently.
# ```

# %% [markdown]
# ## Takeaways
#
# - EW over single tokens leaves out many rare verbs, the ones that EW was made for.
# - A word's probability is that of its tokens, one after the other, times the probability that the word ends.
# - Without the end, a form that is the beginning of the other form wins, and EW is about spelling.
#
# Functions: {py:func}`tse_core.evaluate` (with ``forms="words"``), {py:func}`tse_book.laboratory.byte_pair_tokenizer` and {py:func}`tse_book.charts.word_tree`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
