# %% [markdown]
# ## The published coverage

# %%
from tse_book import published
from tse_book.pages import guard, quotes

ends = printed[(printed["side"] == "top") & (printed["cutoff"] == 1)]["coverage"]
quotes("coverage lies between .22 and .73", ends.min(), ends.max())
small = ["smollm2-135m-instruct", "gemma-3-270m"]
if runs.models == small:
    quotes(".24 on average for SmolLM2 and .20 for Gemma", *cells[small].mean())

# %% [markdown]
# ## Where the rest of the probability is

# %%
if asked == small[:1] and sample == 20:
    past = shares["past"] / (shares["past"] + shares["other"])
    past = past.groupby(shares["construction"]).mean().mean()
    quotes("26 % is on past forms", 100 * past)

# %% [markdown]
# ## Contexts without a verb

# %%
valley = empty.set_index(["side", "cutoff"])["invalid"] * 100
head, tail = valley["top", 0.1], valley["bottom", 1e-6]
quotes("between 16 % and 69 %", head.min(), head.max())
quotes("between 15 % and", tail.min())
guard("all of them", tail.max() > 99.5)
middle = empty.query(
    "side == 'top' and cutoff == 1 or side == 'bottom' and cutoff >= .01"
)
quotes("with at most 0.4 %", 100 * middle["invalid"].max())
guard("only the row of BLiMP's sentences", set(middle["construction"]) == {"BLiMP"})
readings = published.figures(4).query("quality == 'partial'")
partly = readings.query(
    "side == 'top' and cutoff == 1 or side == 'bottom' and cutoff >= .01"
)
quotes("points of other rows reach 6.8 %", 100 * partly["estimate"].max())

# %% [markdown]
# ## The same contexts at both ends

# %%
if runs.models == small:
    ew = means[means["metric"] == "EW"][["same contexts", "any contexts"]]
    said = "EW falls by .13 instead of .15 for SmolLM2, and by .11 instead of .15 for Gemma"
    quotes(said, *ew.to_numpy().ravel())
