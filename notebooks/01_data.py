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
# : see how nine sentence patterns become all the {term}`minimal pairs <minimal pair>` of Table 2, which verbs stand in for "any verb", and which of them a model can be asked about
#
# You need
# : the [front page](../book/index.md); to rerun it, a little Python
#
# Time
# : 15 minutes to read, under a minute to run on a CPU; no GPU
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
models = ["lab-systematic-causal"]  # whose vocabularies to look into: names or folders

# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_core.profiles import chosen

    globals().update({k: v for k, v in chosen(PROFILE).items() if k in globals()})

# %%
import altair as alt
import pandas as pd

import tse_core
from tse_core import charts, published
from tse_core.grammar import load_grammar, noun_table, template_table
from tse_core.lemmas import third_person
from tse_core.notebook import glue, table
from tse_core.pairs import unique_contexts

# %% [markdown]
# ## Nine constructions
#
# Every test sentence comes from a {term}`template`: a pattern with slots for nouns and verbs. {cite:t}`marvin2018targeted` wrote them; here they are a small YAML file, `data/grammars/marvin-linzen.yaml`. Words that share an index agree in number, and the star marks the verb under test.
#
# ```{margin} Construction
# A kind of sentence; one row of Table 2. It has one or two templates.
# ```

# %%
grammar = load_grammar("marvin-linzen")
patterns = template_table(grammar)
table(
    patterns[["construction", "pattern"]],
    "The templates. [person 1] is a noun of the list `person`; [*does 1] is the tested verb that agrees with it.",
)

# %% [markdown]
# Filling the slots in every way gives the {term}`minimal pairs <minimal pair>`: the subject's number, the other noun's number, the nouns, the verbs. A noun is used once in a sentence.

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

# %% [markdown]
# ### Browse the pairs
#
# Choose a construction. Each line is one pair: the words before the verb, the form that agrees and the starred one that does not, the words after. The lines are drawn at random, the same ones each time.

# %% tags=["hide-input"]
LINES = 9
sample = (
    pairs.groupby("construction", sort=False)
    .sample(4 * LINES, random_state=0)
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
        options=list(sample["construction"].unique()), name="Construction "
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


def words(column, x, align, **looks):
    return base.mark_text(align=align, fontSize=13, **looks).encode(
        x=alt.value(x), text=f"{column}:N"
    )


browser = alt.layer(
    words("left", 410, "right"),
    words("correct", 452, "center", color="#009e73", fontWeight=600),
    words("starred", 532, "center", color="#d55e00", fontWeight=600),
    words("right", 575, "left"),
).add_params(construction, page)
browser.properties(
    width=760,
    height=alt.Step(24),
    title="One slot, two forms: only the verb's number differs",
    description="A browser of minimal pairs: for the chosen construction, nine pairs a page, each with the words before "
    "the verb, the agreeing form, the other form, and the words after.",
).configure_view(stroke=None)

# %% [markdown]
# ## The counts, beside the published ones
#
# Many pairs share their {term}`context`: *the author laughs* and *the author swims* are two pairs but, left of the verb, one context. {term}`TSE` averages over pairs; {term}`EW` and {term}`MW` over contexts. A {term}`masked model` also sees what follows the verb, so it has more contexts than a {term}`causal model`.
#
# ```{margin} Context
# The words around the verb: both sides for a masked model, the left side for a causal one.
# ```
#
# The counts of the paper's released data are in `data/published`. Ours are computed here.

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
table(
    counts.rename_axis(None),
    "Pairs and unique contexts of each row of Table 2. The BLiMP row needs a download: tse data fetch newman-blimp.",
    index=True,
)

# %% [markdown]
# Of {glue:text}`compared` counts compared, {glue:text}`differences` differ. The order of magnitude between pairs and contexts is worth a picture.

# %% tags=["hide-input"]
long = (
    ours.rename(columns=names)
    .rename_axis("construction")
    .reset_index()
    .melt("construction", var_name="what", value_name="count")
)
alt.Chart(long).mark_circle(size=90, opacity=1).encode(
    x=alt.X("count:Q", scale=alt.Scale(type="log"), title="count (logarithmic)"),
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
        legend=alt.Legend(orient="bottom"),
    ),
    tooltip=["construction", "what", alt.Tooltip("count", format=",")],
).properties(
    width="container",
    height=alt.Step(26),
    title="Thousands of pairs are far fewer contexts",
    description="Dot plot of the number of pairs, of contexts with both sides, and of left contexts for each "
    f"construction. In all there are {len(pairs):,} pairs, {ours['contexts'].sum():,} contexts with both sides and "
    f"{ours['left_contexts'].sum():,} left contexts.",
)

# %% [markdown]
# ## Few words make many sentences
#
# The sentences are built from short lists. That matters for statistics: two contexts with the same subject are not independent, so intervals in this book are clustered by subject noun.

# %%
nouns = noun_table(grammar)
glue("main_nouns", int((nouns["list"] == "person").sum()))
lists = nouns.groupby("list", sort=False).agg(
    nouns=("singular", "size"), singular=("singular", ", ".join)
)
table(lists.reset_index(), "The grammar's nouns.")

# %%
verbs = pairs.groupby("construction", sort=False)["lemma"].agg(
    ["nunique", lambda lemmas: ", ".join(dict.fromkeys(lemmas))]
)
verbs.columns = ["verbs", "which"]
glue("most_verbs", int(verbs["verbs"].max()))
table(
    verbs.reset_index(),
    "The verbs that TSE asks about: a handful in each construction.",
)

# %% [markdown]
# No construction asks about more than {glue:text}`most_verbs` verbs. What would the score be with others? That is the paper's question, and it needs a long list.
#
# ## The verb list
#
# A {term}`lemma` is a pair of forms: third person singular (*walks*) and base (*walk*). The paper's list is the union of three sources; its appendix prints the lemmas of two of them, and three versions of that list come with this project.
#
# ```{margin} Lemma
# A verb as a dictionary lists it; here the pair of its two present-tense forms.
# ```

# %%
lists = {
    name: tse_core.load_lemmas(name)
    for name in ("newman-appendix", "newman-clean", "newman-released")
}
about = {
    "newman-appendix": "the appendix, with correct forms: the paper's definition",
    "newman-clean": "without words that are no verbs, typos, was/were and the modals: for new results",
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

# %% [markdown]
# Real lists have junk. The appendix came out of a tagger, and a tagger errs:

# %%
appendix = lists["newman-appendix"].table
junk = appendix[appendix["left_out"] != ""]
glue("junk", len(junk))
table(
    junk[["lemma", "singular", "plural", "left_out"]],
    f"The {len(junk)} lemmas that the clean list leaves out, and why.",
)

# %% [markdown]
# The published file spells the third person by rule. The rule is good, but English is not regular:

# %%
by_rule = appendix.assign(rule=appendix["plural"].map(third_person))
wrong = by_rule[(by_rule["rule"] != by_rule["singular"]) & (by_rule["left_out"] == "")]
table(
    wrong[["lemma", "rule", "singular"]],
    "Verbs whose third person the spelling rule gets wrong.",
)

# %% [markdown]
# And some forms are more than one thing. *Put* is present and past; *will* as a modal has no third person, but a great deal of probability. Such {term}`homographs <homograph>` are flagged, so that results with and without them can be compared.

# %%
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

# %% [markdown]
# ## What a tokenizer keeps
#
# A model has a probability for an entry of its vocabulary. A verb form that the {term}`tokenizer <token>` splits into pieces has none, so a lemma counts for a model only if **both** forms are single entries. The larger the vocabulary, the more of the list survives.

# %%
loaded = {name: tse_core.load_model(name) for name in models}
kept = pd.DataFrame(
    [
        {
            "model": model.label,
            "vocabulary": model.vocabulary_size,
            "list": name,
            "lemmas": len(lemmas),
            "kept": len(lemmas.in_vocabulary(model)),
        }
        for model in loaded.values()
        for name, lemmas in lists.items()
    ]
)
table(kept, "Lemmas of each list with both forms in the vocabulary.")

# %%
published_kept = published.lemmas_in_vocabulary()
table(
    pd.DataFrame(
        {"model": list(published_kept), "lemmas kept": list(published_kept.values())}
    ),
    f"For comparison, as published: of {int(published.constants()['lemmas_total']):,} lemmas (with a third source that is not part of this project).",
)

# %% [markdown]
# A laboratory model's vocabulary holds the verbs of its own language, so it keeps the verbs that language has. Here are some that each model keeps and some that it lacks.

# %%
rows = []
for model in loaded.values():
    in_vocabulary = set(lists["newman-clean"].in_vocabulary(model)["lemma"])
    clean = lists["newman-clean"].table["lemma"]
    inside, outside = (
        clean[clean.isin(in_vocabulary)],
        clean[~clean.isin(in_vocabulary)],
    )
    for what, some in (("kept", inside), ("not kept", outside)):
        rows.append(
            {
                "model": model.label,
                "lemmas": what,
                "how many": len(some),
                "for example": ", ".join(some.iloc[:: max(1, len(some) // 12)][:12]),
            }
        )
table(pd.DataFrame(rows), "Which lemmas of newman-clean each model can be asked about.")

# %%
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
            "forms of the templates' own verbs that are no single entry": [
                ", ".join(w) or "none" for w in lost.values()
            ],
        }
    ),
    "A pair whose own verb is split drops out of TSE, though its context stays in EW and MW.",
)

# %% [markdown]
# ## Take it away

# %%
charts.download_table(
    counts.droplevel(0, axis=1)
    .set_axis([f"{a}, {b}" for a, b in counts.columns], axis=1)
    .reset_index(names="row"),
    "counts.csv",
    "Counts of every row",
)

# %%
charts.download_table(
    lists["newman-clean"].table, "newman-clean.csv", "The clean verb list"
)

# %% [markdown]
# ## Takeaways
#
# - The templates make {glue:text}`pairs:,` pairs in {glue:text}`constructions` constructions, from a few dozen words.
# - TSE counts pairs, EW and MW count contexts, and a masked model has more contexts than a causal one.
# - Each construction asks TSE about at most {glue:text}`most_verbs` verbs; the appendix has {glue:text}`appendix:,` lemmas.
# - How many of them count depends on the tokenizer. Scores over different lists are comparable only with that said.

# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_core.profiles import offer_results

    offer_results()
