# %% [markdown]
# ## Over the steps of training

# %%
from tse_book.pages import guard, quotes

scores = systematic.pivot_table("score", "step", ["metric", "band"])
ew, tse = scores["EW"], scores["TSE"]["all"]
quotes("After 512 steps TSE is .92", 512, tse[512])
head = ew.loc[512, ["head", "middle", "tail"]]
quotes("EW is .89 in the head, .85 in the middle and .75 in the tail", *head)
quotes("head and tail reach 1.00 and .99", *ew.loc[2048, ["head", "tail"]])
guard(
    "finished halfway through its training", tse[1024] > 0.995 and ew.index[-1] == 2048
)

# %%
scores = lexical.pivot_table("score", "step", ["metric", "band"])
for score in scores["EW"]["tail"]:
    quotes("at every checkpoint the tail's EW is .50", score)
quotes("ends at 1.00", scores["TSE"]["all"].iloc[-1])

# %% [markdown]
# ## Over the size of the corpus

# %%
first = reached.min()
guard(
    "*In object relative (no that)* reaches .9 after 512 steps",
    first["In object relative (no that)"] == 512,
)
guard("the other eight only after 1,024", (first == 1024).sum() == 8)
quotes("not even in the head (.52)", by_size.loc[1000, "head"])
quotes(".94 of the head and .67 of the tail", *by_size.loc[8000, ["head", "tail"]])
quotes("all of the head and .94 of the tail", by_size.loc[64000, "tail"])
guard("all of the head", by_size.loc[64000, "head"] > 0.995)
