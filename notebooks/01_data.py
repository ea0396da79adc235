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
# # Data: sentences and verbs
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see how the templates of nine constructions become the {term}`minimal pairs <minimal pair>` of Table 2, which verbs stand for "any verb", and which of them a model can be asked about
#
# You need
# : TSE, EW and MW, from [Methods](02_methods.ipynb)
#
# Time
# : 10 minutes to read, under a minute to run on a CPU
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
models = [  # whose vocabularies to look into: names or folders
    "smollm2-135m-instruct",
    "lab-systematic-causal",
]

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "01_data")
    globals().update({k: v for k, v in own.items() if k in globals()})

# %% tags=["hide-input"]
import altair as alt
import pandas as pd
from IPython.display import display

import tse_core
from tse_book import charts, published
from tse_book.pages import glue, guard, newman, table
from tse_core.datasets.grammar import noun_table, template_table
from tse_core.datasets.grammar_notation import load_grammar
from tse_core.datasets.lemmas import third_person
from tse_core.datasets.pairs import unique_contexts

# %% [markdown] tags=["explains"]
# ## Nine constructions
#
# Which sentences does a score rest on, and which verbs? Every test sentence comes from a {term}`template`: a pattern with slots for nouns and verbs, written by {cite:t}`marvin2018targeted`. Here they are a small YAML file, `data/grammars/marvin-linzen.yaml`. Words that share an index agree in number, and the star marks the verb under test. The paper's tenth row, BLiMP, holds agreement pairs of [another benchmark](09_blimp.ipynb).

# %%
grammar = load_grammar("marvin-linzen")
patterns = template_table(grammar)
table(
    patterns[["construction", "pattern"]],
    "The templates. [person 1] is a noun of the list `person`; [*does 1] is the tested verb that agrees with it.",
)

# %% [markdown] tags=["explains"]
# The slots are filled in every possible way: every noun and verb, both numbers. Each filling gives one {term}`minimal pair`. A noun never occurs twice in the same sentence.
#
# ```{dropdown} Predict: how many pairs will nine constructions and a few dozen words give?
# The choices multiply: nouns, numbers, second nouns and their numbers, prepositions, verbs. Together they give {glue:text}`pairs:,d` pairs.
# ```

# %%
pairs = tse_core.load_pairs("marvin-linzen")
glue("pairs", len(pairs))
glue("constructions", pairs["construction"].nunique())
pairs.groupby("construction", sort=False).head(1)[
    ["construction", "subject", "attractor", "left", "correct", "wrong", "right"]
].pipe(
    table,
    "The first pair of each construction: what stands left of the verb, the two forms, what stands right.",
)

# %% [markdown] tags=["explains"]
# ### Browse the pairs
#
# Choose a construction. Each pair has two lines: the words before the verb; the form that agrees, the starred one that does not, the words after.

# %% tags=["hide-input"]
LINES = 9
sample = (
    pairs.sample(frac=1, random_state=0)
    .groupby("construction", sort=False)
    .head(4 * LINES)
    .assign(place=lambda rows: rows.groupby("construction").cumcount())
    .assign(
        page=lambda rows: rows["place"] // LINES + 1,
        line=lambda rows: rows["place"] % LINES,
    )
    .assign(starred=lambda rows: "*" + rows["wrong"])
)[["construction", "page", "line", "left", "correct", "starred", "right"]]
construction = alt.param(
    name="construction",
    value="Simple",
    bind=alt.binding_select(
        options=list(pairs["construction"].unique()), name="Construction "
    ),
)
page = alt.param(
    name="page", value=1, bind=alt.binding_range(min=1, max=4, step=1, name="Page ")
)
base = (
    alt.Chart(sample)
    .transform_filter("datum.construction == construction && datum.page == page")
    .encode(y=alt.Y("line:O", axis=None))
)


def words(column, x, dy, **looks):
    return base.mark_text(align="left", fontSize=13, dy=dy, **looks).encode(
        x=alt.value(x), text=f"{column}:N"
    )


browser = alt.layer(  # each pair on two lines, so that it fits on a phone
    words("left", 0, -9),
    words("correct", 16, 9, color="#009e73", fontWeight=600),
    words("starred", 96, 9, color="#d55e00", fontWeight=600),
    words("right", 180, 9),
).add_params(construction, page)
browser.properties(
    width="container",
    height=alt.Step(48),
    title="One slot, two forms: only the verb's number differs",
    description="A browser of minimal pairs: for the chosen construction, nine pairs a page, each with the words before "
    "the verb, the agreeing form, the other form, and the words after.",
).configure_view(stroke=None)

# %% [markdown] tags=["explains"]
# ## The counts, beside the published ones
#
# Many pairs share their {term}`context`: *the author laughs* and *the author swims* are two pairs but, left of the verb, one context. A {term}`masked model` also sees what follows the verb, so it has more contexts than a {term}`causal model`. The published counts are those of the paper's released data.

# %%
contexts = {kind: unique_contexts(pairs, kind) for kind in ("masked", "causal")}
by_row = {
    "pairs": pairs.groupby("construction", sort=False).size(),
    "contexts": contexts["masked"].groupby("construction", sort=False).size(),
    "left_contexts": contexts["causal"].groupby("construction", sort=False).size(),
}
ours = pd.DataFrame(by_row)
theirs = published.template_counts().set_index("row")[list(by_row)]
names = {
    "pairs": "Pairs",
    "contexts": "Contexts (both sides)",
    "left_contexts": "Contexts (left side)",
}
counts = pd.concat(
    {names[c]: pd.DataFrame({"published": theirs[c], "here": ours[c]}) for c in by_row},
    axis=1,
)
counts = counts.reindex(theirs.index).astype("Int64")
differences = int((ours != theirs.loc[ours.index]).to_numpy().sum())
glue("differences", differences)
glue("compared", ours.size)
for column, count in ours.loc["Simple"].items():
    glue(f"simple_{column}", int(count))
assert differences == 0, "the grammar makes as many sentences as the paper has"
table(
    counts.rename_axis(None),
    "Pairs and unique contexts of each row of Table 2. The BLiMP row needs a download: tse data fetch newman-blimp.",
    index=True,
)

# %% [markdown] tags=["explains"]
# Of {glue:text}`compared` counts compared, {glue:text}`differences` differ. In the next picture, where there are many more pairs (grey) than contexts, pairs differ in the verb alone. Where a masked model has many more contexts (blue) than a causal one (orange), sentences differ only after the verb.

# %% tags=["hide-input"]
long = (
    ours.rename(columns=names)
    .rename_axis("construction")
    .reset_index()
    .melt("construction", var_name="what", value_name="count")
)
alt.Chart(long).mark_circle(size=90, opacity=1).encode(
    x=alt.X(
        "count:Q",
        scale=alt.Scale(type="log"),
        title="count (logarithmic)",
        axis=alt.Axis(values=[10**power for power in range(1, 6)], format=","),
    ),
    y=alt.Y(
        "construction:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelLimit=220, grid=True),
    ),
    color=alt.Color(
        "what:N",
        sort=None,
        title=None,
        scale=alt.Scale(range=["#888888", "#0072b2", "#d55e00"]),
        legend=alt.Legend(orient="bottom", columns=1),
    ),
    tooltip=["construction", "what", alt.Tooltip("count", format=",")],
).properties(
    width="container",
    height=alt.Step(26),
    title=f"{len(pairs):,} pairs share {ours['left_contexts'].sum():,} left contexts",
    description="Dot plot of the number of pairs, of contexts with both sides, and of left contexts for each "
    f"construction. In all there are {len(pairs):,} pairs, {ours['contexts'].sum():,} contexts with both sides and "
    f"{ours['left_contexts'].sum():,} left contexts.",
)

# %% [markdown] tags=["explains"]
# ```{margin} Attractor
# Another noun, mostly between subject and verb, with which the verb may wrongly agree.
# ```
#
# ## Few words make many sentences
#
# A model that knows that *surgeon* is singular knows so in all the sentences about a surgeon. Sentences with the same subject noun, or the same verb, are not independent pieces of evidence; [Pitfalls](14_pitfalls.ipynb) shows what follows for intervals.

# %% tags=["hide-input"]
nouns = noun_table(grammar)
of_each = pairs.groupby("construction")["noun"].nunique()
glue("fewest_nouns", int(of_each.min()))
glue("most_nouns", int(of_each.max()))
lists = nouns.groupby("list", sort=False).agg(
    nouns=("singular", "size"), singular=("singular", ", ".join)
)
table(lists.reset_index(), "The grammar's nouns.")

# %% tags=["hide-input"]
verbs = pairs.groupby("construction", sort=False)["lemma"].agg(
    ["nunique", lambda lemmas: ", ".join(dict.fromkeys(lemmas))]
)
verbs.columns = ["verbs", "which"]
glue("most_verbs", int(verbs["verbs"].max()))
table(
    verbs.reset_index(),
    "The verbs that TSE asks about: a handful in each construction.",
)

# %% [markdown] tags=["explains"]
# No construction asks about more than {glue:text}`most_verbs` verbs. What would the score be with others? That is the paper's question, and it needs a long list.
#
# ## The verb list
#
# A {term}`lemma` is a pair of forms: third person singular (*walks*) and base (*walk*). The paper's list joins three sources. Its appendix prints two of them; three versions of these come with the project.

# %%
lists = {
    name: tse_core.load_lemmas(name)
    for name in ("newman-appendix", "newman-clean", "newman-released")
}
about = {
    "newman-appendix": "the appendix, with correct forms: the paper's definition",
    "newman-clean": "without words that are not verbs, typos, was/were and the modals: for new results",
    "newman-released": "the authors' published file, its faults included: for comparing with published counts",
}
glue("appendix", len(lists["newman-appendix"]))
table(
    pd.DataFrame(
        {
            "list": list(lists),
            "lemmas": [len(x) for x in lists.values()],
            "what": [about[x] for x in lists],
        }
    ),
    "Verb lists that come with the project.",
)

# %% [markdown] tags=["explains"]
# A program tagged the verbs of a corpus to make the list, and made mistakes:

# %% tags=["hide-input"]
appendix = lists["newman-appendix"].table
junk = appendix[appendix["left_out"] != ""]
glue("junk", len(junk))
table(
    junk[["lemma", "singular", "plural", "left_out"]].rename(
        columns={"left_out": "left out"}
    ),
    f"The {len(junk)} lemmas that the clean list leaves out, and why.",
)

# %% [markdown] tags=["explains"]
# The published file spells the third person by rule, which is wrong for these verbs:

# %% tags=["hide-input"]
by_rule = appendix.assign(rule=appendix["plural"].map(third_person))
wrong = by_rule[(by_rule["rule"] != by_rule["singular"]) & (by_rule["left_out"] == "")]
table(
    wrong[["lemma", "rule", "singular"]],
    "Verbs whose third person the spelling rule gets wrong.",
)

# %% [markdown] tags=["explains"]
# Some forms have a second use: *put* is present and past. Such {term}`homographs <homograph>` are marked, so that results with and without them can be compared.

# %% tags=["hide-input"]
homographs = (
    appendix[appendix["homograph"] != ""]
    .groupby("homograph")["plural"]
    .agg(["size", ", ".join])
)
homographs.columns = ["lemmas", "which"]
table(
    homographs.rename_axis("why").reset_index(),
    "Lemmas with a form that is also a past tense or a modal.",
)

# %% [markdown] tags=["explains"]
# ## What a tokenizer keeps
#
# A model gives a probability to each {term}`entry of its vocabulary <vocabulary entry>`. A verb form that the {term}`tokenizer` splits has none of its own. So a lemma counts for a model only if **both** forms are single tokens: a masked model cannot fill one gap with two pieces.
#
# ```{dropdown} Predict: which of the two forms will more often be split into pieces?
# Entries go to strings that are frequent in text, and *gleam* is more frequent than *gleams*; so expect the third person. But where the form in *-s* is also a plural noun, as *plans* is, it is frequent for another reason. The sentence under the second table has the numbers.
# ```

# %%
loaded = {name: tse_core.load_model(name) for name in models}
rows = []
for model in loaded.values():
    for name, lemmas in lists.items():
        count = len(lemmas.single_entries(model)[0])
        share = round(100 * count / len(lemmas))
        rows.append(
            (model.label, model.vocabulary_size, name, len(lemmas), count, share)
        )

# %% tags=["remove-input"]
display(newman.what_is_missing(models))
kept = pd.DataFrame(
    rows, columns=["model", "vocabulary", "list", "lemmas", "kept", "share (%)"]
)
table(kept, "Lemmas of each list with both forms in the vocabulary.")

# %% tags=["hide-input"]
published_kept = published.lemmas_in_vocabulary()
bert = max(n for name, n in published_kept.items() if name.startswith("bert"))
guard(
    "GPT-2 and RoBERTa keep more lemmas than BERT",
    min(published_kept["gpt2-xl"], published_kept["roberta-large"]) > bert,
)
total = int(published.constants()["lemmas_total"])
glue("lemmas_total", total)
table(
    pd.DataFrame(
        {
            "model": list(published_kept),
            "lemmas kept": list(published_kept.values()),
            "share (%)": [round(100 * n / total) for n in published_kept.values()],
        }
    ),
    f"For comparison, as published: of {total:,} lemmas, from three sources.",
    note="Newman et al. 2021, section 3.",
)

# %% [markdown]
# Compare the numbers of lemmas, not the shares: the paper's {glue:text}`lemmas_total:,` lemmas include a third source, a long list of rarer verbs. Among the paper's models, GPT-2 and RoBERTa keep more lemmas than BERT. A laboratory model's vocabulary was made for its own language.
#
# ### Which form is missing?

# %% tags=["hide-input"]
clean = lists["newman-clean"].table
in_vocabulary = {
    name: clean.assign(
        s_form=[i is not None for i in model.word_ids(list(clean["singular"]))],
        base=[i is not None for i in model.word_ids(list(clean["plural"]))],
    ).assign(kept=lambda t: t["s_form"] & t["base"])
    for name, model in loaded.items()
}


def examples(rows, n=8):
    """Some lemmas, from the whole alphabet."""
    return ", ".join(rows["lemma"].iloc[:: max(1, len(rows) // n)][:n])


rows = []
for name, verbs_of in in_vocabulary.items():
    for what, s_form, base in (
        ("both forms are entries", True, True),
        ("only the base form", False, True),
        ("only the form in -s", True, False),
        ("neither", False, False),
    ):
        some = verbs_of[(verbs_of["s_form"] == s_form) & (verbs_of["base"] == base)]
        rows.append((loaded[name].label, what, len(some), examples(some)))
table(
    pd.DataFrame(rows, columns=["model", "in the vocabulary", "lemmas", "for example"]),
    "The lemmas of newman-clean, by which of their forms are single tokens.",
)

# %% tags=["remove-input"]
for name in newman.real_models(models):
    verbs_of, model = in_vocabulary[name], loaded[name]
    lost = verbs_of[~verbs_of["kept"]]
    only_s, only_base = int(lost["base"].sum()), int(lost["s_form"].sum())  # is missing
    sentence, word = "The author", "gleams"
    read = model.encode(f"{sentence} {word}")
    cut = [
        token.strip()
        for token, (start, _) in zip(model.tokens(read.ids), read.offsets, strict=True)
        if start >= len(sentence)
    ]
    display(
        newman.say(
            f"{model.label} loses {len(lost):,} of {len(verbs_of):,} lemmas. For {only_s:,} of them only the form in *-s* is",
            f"missing, for {only_base:,} only the base form, and for {len(lost) - only_s - only_base:,} both. *Gleams*, for example, is",
            f"read as {' + '.join(f'*{piece}*' for piece in cut)}."
            if len(cut) > 1
            else "one entry.",
        )
    )

# %% [markdown] tags=["explains"]
# ### What the rule selects
#
# ```{dropdown} Predict: are the verbs that remain a fair sample of the list?
# They are the frequent ones. And a form in *-s* has a better chance of an entry if it is also a plural noun, so expect more nouns among them. See the table.
# ```

# %% tags=["remove-input"]
rows = []
for name, verbs_of in in_vocabulary.items():
    for what, some in (
        ("kept", verbs_of[verbs_of["kept"]]),
        ("lost", verbs_of[~verbs_of["kept"]]),
    ):
        nouns_too = round(100 * some["noun"].mean())
        rows.append(
            (loaded[name].label, what, len(some), nouns_too, examples(some, 10))
        )
selected = pd.DataFrame(
    rows, columns=["model", "lemmas", "how many", "also nouns (%)", "for example"]
)
table(
    selected, "Which verbs are kept and which are lost: the share that are also nouns."
)

# %% tags=["remove-input"]
for name in newman.real_models(models):
    shares = in_vocabulary[name].groupby("kept")["noun"].mean()
    display(
        newman.say(
            f"Of the verbs that {loaded[name].label} keeps, {shares[True]:.0%} are also nouns; of those that it loses,",
            f"{shares[False]:.0%}.",
        )
    )

# %% [markdown] tags=["explains"]
# So EW asks about *every verb that is a single entry*, and this is not every verb. A verb that is also a noun cannot be judged as simply as others: *The author plan* may be the beginning of *The author plan that was published last year*. [What the gap is made of](18_gap.ipynb) shows how much of a low EW comes from this.
#
# What could fool you: a model with a larger vocabulary is tested on rarer verbs, and a lower EW may mean no more than that. Compare two models over the lemmas that both have.
#
# ### The templates' own verbs

# %% tags=["hide-input"]
words_of_pairs = pd.unique(pd.concat([pairs["correct"], pairs["wrong"]]))
lost = {
    model.label: [
        w
        for w, i in zip(
            words_of_pairs, model.word_ids(list(words_of_pairs)), strict=True
        )
        if i is None
    ]
    for model in loaded.values()
}
table(
    pd.DataFrame(
        {
            "model": list(lost),
            "forms that are not single tokens": [
                ", ".join(w) or "none" for w in lost.values()
            ],
            "pairs without a TSE": [
                int((pairs["correct"].isin(w) | pairs["wrong"].isin(w)).sum())
                for w in lost.values()
            ],
        }
    ),
    f"Forms of the templates' own verbs, and how many of the {len(pairs):,} pairs they take with them.",
)

# %% [markdown] tags=["explains"]
# A pair whose own verb is split drops out of TSE, though its context stays in EW and MW. And *is tall*, *is old*, *is young* and *is short* are four pairs but one decision, *is* or *are*, for a model that reads the left side only. [Table 2](03_table2.ipynb) prints how many verbs each TSE rests on.
#
# ## Downloads

# %% tags=["remove-input"]
charts.download_table(
    counts.droplevel(0, axis=1)
    .set_axis([f"{a}, {b}" for a, b in counts.columns], axis=1)
    .reset_index(names="row"),
    "counts.csv",
    "Counts of every row",
)

# %% tags=["remove-input"]
charts.download_table(
    lists["newman-clean"].table, "newman-clean.csv", "The clean verb list"
)

# %% [markdown]
# ## Exercises
#
# ★ takes minutes, ★★ some thought, ★★★ a small study; {download}`a notebook checks your answers <../_build/exercises/01_data.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import tempfile
from pathlib import Path

from tse_core.datasets.grammar import generate
from tse_core.datasets.grammar_notation import load_grammar


def pairs_of(text):
    """The minimal pairs of a grammar given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.yaml"
        path.write_text(text, encoding="utf-8")
        return generate(load_grammar(path))


# %% [markdown]
# ````{exercise} ★ Count before you generate
# :label: 01-count
#
# The pattern `the [person 1] [beside] the [other person 2] [*does 1]` has ten nouns in each of its two lists, six
# prepositions and seven predicates: *laughs*, *swims*, *smiles* and *is* with *tall*, *old*, *young* or *short*. Both nouns
# come in both numbers. Give three whole numbers: `pairs`, `both_sides` ({term}`contexts <context>` of a masked model) and
# `left` (contexts of a causal model).
#
# ```{dropdown} Hint
# Multiply the choices left of the verb. Then ask how many different right sides the seven predicates have.
# ```
# ````

# %% tags=["hide-cell", "solution"]
left = 10 * 2 * 6 * 10 * 2  # noun, number, preposition, noun, number
both_sides = left * 5  # ".", "tall.", "old.", "young.", "short."
pairs = left * 7

# %% tags=["hide-cell", "check"]
made = generate(load_grammar("marvin-linzen"), "across-prepositional-phrase")
made = made[made["template"] == "prep_anim"]
assert pairs == len(made), "pairs: each choice of words and numbers is one pair"
assert left == made["left"].nunique(), "left: do the words after the verb matter here?"
assert both_sides == len(made[["left", "right"]].drop_duplicates()), (
    "both_sides: which predicates look the same around the blank?"
)
print(f"{pairs:,} pairs, {both_sides:,} contexts of both sides, {left:,} of the left.")

# %% [markdown]
# ````{exercise} ★★ Write a template
# :label: 01-template
#
# Write `grammar`, a text in the notation of `data/grammars/marvin-linzen.yaml`, with one pattern for sentences such as
# *The dog near the cats barks.*: three nouns that can be the subject, two others that can be the {term}`attractor`, one
# preposition, two verbs. How many minimal pairs will it make?
#
# ```{dropdown} Hint
# A grammar has the keys `lexicon` (with `nouns`, `predicates`, `words`) and `constructions`. Give the verb the subject's
# index and the attractor another one.
# ```
# ````

# %% tags=["hide-cell", "solution"]
# 3 subjects x 2 numbers x 2 attractors x 2 numbers x 2 verbs; half of the attractors
# differ in number.
grammar = """
lexicon:
  nouns:
    subject: [dog/dogs, horse/horses, child/children]
    bystander: [cat/cats, bird/birds]
  predicates:
    does: [barks/bark, sleeps/sleep]
  words:
    where: [near]
constructions:
  near:
    name: Across a preposition
    patterns:
      near: the [subject 1] [where] the [bystander 2] [*does 1]
"""

# %% tags=["hide-cell", "check"]
assert isinstance(grammar, str), "grammar should be a text between three quotes"
made = pairs_of(grammar)
assert (made["attractor"] != "").all(), (
    "every sentence needs an attractor before the verb"
)
assert made["subject"].nunique() == 6, (
    "three subject nouns in two numbers are six forms"
)
assert made["attractor"].nunique() == 4, "two attractors in two numbers are four forms"
assert made["lemma"].nunique() == 2, "two verbs are asked for"
assert len(made) == 48, (
    f"{len(made)} pairs, where three, two and two words should give 48"
)
differ = made["number"] != made["attractor_number"]
assert differ.mean() == 0.5, "subject and attractor should have indices of their own"
print(f"{len(made)} pairs, {differ.sum()} with an attractor of the other number.")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ A verb drops out
# :label: 01-dropped
#
# No programming. One tokenizer keeps *swims* whole, another splits it into *swim* and *##s*. What happens to the pairs of
# *swim* in {term}`TSE`, and to their contexts in {term}`EW`? Is the TSE of the two models still a fair comparison?
#
# ```{dropdown} Hint
# TSE asks each pair about its own verb. EW asks each context about a whole list.
# ```
# ````
#
# ```{solution} 01-dropped
# :class: dropdown
# For the second model the pairs of *swim* leave TSE. Their contexts stay: *The author ___* is also the context of other
# verbs. So the two TSE are means over different pairs, and the second model may have lost its hardest ones. Compare them
# over the pairs that both can answer.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# - The templates make {glue:text}`pairs:,` pairs in {glue:text}`constructions` constructions, from a few dozen words.
# - TSE is a mean over pairs, EW and MW over contexts.
# - A construction asks TSE about {glue:text}`most_verbs` verbs or fewer; the appendix has {glue:text}`appendix:,` lemmas.
# - Which of them count depends on the tokenizer. Two scores over different verbs are not directly comparable.
#
# Functions: {py:func}`tse_core.load_pairs`, {py:func}`tse_core.load_lemmas`, {py:func}`tse_core.datasets.grammar.template_table` and {py:func}`tse_core.datasets.pairs.unique_contexts`; [all others](../book/api/index.md).

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
