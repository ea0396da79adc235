# %% [markdown]
# ## Over the steps of training

# %%
from tse_book.pages import guard, quotes

scores = systematic.pivot_table("score", "step", ["metric", "band"])
ew, tse = scores["EW"], scores["TSE"]["all"]
quotes("After 512 steps TSE is .92", 512, tse[512])
head = ew.loc[512, ["head", "middle", "tail"]]
quotes("EW is .88 in the head, .83 in the middle and .73 in the tail", *head)
quotes("head and tail stand at 1.00 and .99", *ew.loc[2048, ["head", "tail"]])
guard(
    "finished halfway through its training", tse[1024] > 0.995 and ew.index[-1] == 2048
)

# %%
scores = lexical.pivot_table("score", "step", ["metric", "band"])
for score in scores["EW"]["tail"]:
    quotes("at every checkpoint EW of the tail is .50", score)
quotes("ends at 1.00", scores["TSE"]["all"].iloc[-1])

# %% [markdown]
# ## Over the size of the corpus

# %%
first = reached.min()
three = (first == 512).sum() == 3 and first["Simple"] > 512
guard("Three constructions reach .9 after 512 steps, *Simple* does not", three)
quotes("not even in the head (.52)", by_size.loc[1000, "head"])
quotes(".94 of the head and .67 of the tail", *by_size.loc[8000, ["head", "tail"]])
quotes("all of the head and .95 of the tail", by_size.loc[64000, "tail"])
guard("all of the head", by_size.loc[64000, "head"] > 0.995)
