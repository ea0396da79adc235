# %% [markdown]
# ## What the paper drew

# %%
from tse_book.pages import guard, quotes

ends = falls.set_index(["construction", "metric"]).loc[(row, "MW")]
quotes("MW falls from .987 to .570", ends["head"], ends["tail"])
furthest = falls.groupby("metric")["fall"].max()
quotes("here only MW falls that far (.417)", furthest["MW"])
guard("here only MW falls that far", furthest["EW"] < 0.35)
guard("EW and MW fall in all four rows", (falls["fall"] > 0.2).all())

# %% [markdown]
# ## The same figure for other models

# %%
if set(ends["model"]) == {"smollm2-135m-instruct", "gemma-3-270m"}:
    ew = ends[ends["metric"] == "EW"].set_index("construction")
    quotes("EW falls by .46 for SmolLM2 and by .61 for Gemma", *ew.loc[row, "fall"])
    simple = ew[ew["model"] == "smollm2-135m-instruct"].loc["Simple"]
    quotes("1 at both ends and .89 at top", simple["head"], simple["whole"])
    guard("1 at both ends", simple["tail"] == 1)
    ew = curves[(curves["metric"] == "EW") & (curves["construction"] == "Simple")]
    ew = ew.dropna(subset="score").set_index("model")
    few = ew["contexts"] * (1 - ew["invalid"])  # from top 10 % to the far tail
    contexts = 20, *few["smollm2-135m-instruct"].iloc[[0, -1]]
    quotes("of 20 contexts only 3 at the head and 1 at the tail", *contexts)
    first = ew.loc["gemma-3-270m", "score"].iloc[0], few["gemma-3-270m"].iloc[0]
    quotes("Gemma's EW begins at .75, which rests on 4 contexts", *first)
