# %% [markdown]
# ## The counts beside the published ones

# %%
from tse_book.pages import guard, quotes

guard("None. The chart shows how few contexts", (counts == theirs).all(axis=None))

# %% [markdown]
# ## What a tokenizer keeps

# %%
quotes("The clean list leaves out 25 lemmas", len(left_out))
quotes("Between 10 and 19 nouns", few["noun"].min(), few["noun"].max())
guard("at most eight verbs", few["lemma"].max() == 8)
theirs = list(published.lemmas_in_vocabulary().values())
guard("between 980 (BERT, cased) and 1,265", theirs == [980, 1159, 1265, 1265])
guard("of the full list of 3,562", int(published.constants()["lemmas_total"]) == 3562)
sources = ["lemmas_total", "lemmas_COCA", "lemmas_PTB_VB", "lemmas_GiantVerbList"]
counted = [int(published.constants()[name]) for name in sources]
guard("the 1,000 most frequent verbs", counted == [3562, 1000, 1951, 3250])

# %%
if "smollm2-135m-instruct" in set(verbs["model"]):
    mine = verbs[verbs["model"] == "smollm2-135m-instruct"]
    lost = mine[~mine["kept"]]
    guard("keeps 962 of 1,945 lemmas", (len(mine), len(lost)) == (1945, 983))
    quotes(
        "563 are lost only because the form in *-s* is split",
        lost["plural is one token"].sum(),
    )
    nouns = [100 * rows["noun"].mean() for rows in (mine[mine["kept"]], lost)]
    quotes("69 % are also nouns; of those that it loses, 36 %", *nouns)

# %%
guard(
    "121,220, because the choices multiply", (len(pairs), len(counts)) == (121_220, 9)
)
