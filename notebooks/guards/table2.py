# %% [markdown]
# ## What was published

# %%
from tse_book.pages import guard, quotes

below, ties = cells["EW"] < cells["TSE"], cells["EW"] == cells["TSE"]
quotes("EW is below TSE in 37 of 40 cells", below.sum(), len(cells))
guard("equal in the other three", ties.sum() == 3)
quotes("MW is above EW in 34 of the 40", (cells["MW"] > cells["EW"]).sum(), 40)
means = cells.mean()
quotes("MW is .88 on average, EW .82", means["MW"], means["EW"])

# %% [markdown]
# ## Could the difference be chance?

# %%
if runs.models == ["smollm2-135m-instruct", "gemma-3-270m"] and len(runs.runs) == 2:
    rows = scores.pivot_table("score", ["model", "construction"], "metric")
    guard("EW is below TSE in all nine rows", (rows["EW"] < rows["TSE"]).all())
    means = by_subject.groupby("model", sort=False).last()["difference"]
    quotes("by .10 on average for SmolLM2, and by .11 for Gemma", *means)
    clear = by_subject.groupby("model")["p < .05"].sum()
    guard("in all nine rows of Gemma and in seven of SmolLM2", [*clear] == [10, 8])
    ends = differences.groupby("model", sort=False).last()[["low", "high"]]
    between = "from −.21 to .87 for SmolLM2, and from −.22 to .93 for Gemma"
    quotes(between, *ends.abs().to_numpy().ravel())
    verbs = [number for _, run in runs.runs for number in run.table()["verbs"]]
    guard("two to eight verbs for a construction", (min(verbs), max(verbs)) == (2, 8))
    few = differences.groupby("model")["p < .05"].sum()
    guard("significant in one row of Gemma and in none of SmolLM2", [*few] == [1, 0])

# %% [markdown]
# ## With and without a BOS token

# %%
bare = wordings[wordings["bos"] == "none"].set_index("construction")
usual = wordings[wordings["bos"] == "default"].set_index("construction")
moved = "Across object relative (no that)"
quotes("falls from .87 to .62", usual.loc[moved, "TSE"], bare.loc[moved, "TSE"])
quotes("can move TSE by .25", (usual["TSE"] - bare["TSE"]).abs().max())
above = bare.index[bare["EW"] > bare["TSE"]]
guard("below TSE in nine of the ten rows", (bare["EW"] < bare["TSE"]).sum() == 9)
guard("it is now above TSE", [*above] == ["In object relative (no that)"])

# %% [markdown]
# ## Takeaways
