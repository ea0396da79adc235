# %% [markdown]
# ## The counts, beside the published ones

# %%
from tse_book.pages import glue, guard, quotes

guard("More than 120,000", 120_000 < len(pairs) < 130_000)
guard("None. The chart shows how few contexts", (counts == theirs).all(axis=None))

# %% [markdown]
# ## What a tokenizer keeps

# %%
quotes("The clean list leaves out 25 lemmas", len(left_out))
quotes("From 10 to 19 nouns", few["noun"].min(), few["noun"].max())
guard("at most eight verbs", few["lemma"].max() == 8)
theirs = list(published.lemmas_in_vocabulary().values())
guard("between 980 (BERT, cased) and 1,265", theirs == [980, 1159, 1265, 1265])
guard("of its full list of 3,562", int(published.constants()["lemmas_total"]) == 3562)

# %%
if "smollm2-135m-instruct" in set(verbs["model"]):
    mine = verbs[verbs["model"] == "smollm2-135m-instruct"]
    lost = mine[~mine["kept"]]
    guard("keeps 962 of 1,945 lemmas", (len(mine), len(lost)) == (1945, 983))
    quotes("563 lack only the form in *-s*", lost["plural is one token"].sum())
    nouns = [100 * rows["noun"].mean() for rows in (mine[mine["kept"]], lost)]
    quotes("69 % are also nouns; of those that it loses, 36 %", *nouns)

# %%
glue("pairs", len(pairs))  # for other pages
glue("constructions", len(counts))
glue("fewest_nouns", int(few["noun"].min()))
glue("most_nouns", int(few["noun"].max()))
glue("most_verbs", int(few["lemma"].max()))
for what, number in counts.loc["Simple"].items():
    glue(f"simple_{what}", int(number))
