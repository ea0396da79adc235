# %% [markdown]
# ## What the paper drew

# %%
from tse_book.pages import guard, quotes

ends = falls.set_index(["construction", "metric"]).loc[(row, "MW")]
quotes("MW falls from .987 to .570", ends["head"], ends["tail"])
quotes("here it is MW that shows it (.417)", falls["fall"].max())
guard("EW and MW fall in all four rows", (falls["fall"] > 0.2).all())

# %% [markdown]
# ## The same figure from a model

# %%
if set(ends["model"]) == {"smollm2-135m-instruct", "gemma-3-270m"}:
    ew = ends[ends["metric"] == "EW"].set_index("construction")
    quotes("EW falls by .46 for SmolLM2 and by .61 for Gemma", *ew.loc[row, "fall"])
    simple = ew[ew["model"] == "smollm2-135m-instruct"].loc["Simple"]
    quotes("1 at both ends and .89 at top", simple["head"], simple["whole"])
    ew = curves[(curves["metric"] == "EW") & (curves["construction"] == "Simple")]
    ew = ew[ew["model"] == "smollm2-135m-instruct"].dropna(subset="score")
    few = ew["contexts"] * (1 - ew["invalid"])  # from top 10 % to the far tail
    contexts = ew["contexts"].iloc[0], few.iloc[0], few.iloc[-1]
    quotes("of 20 contexts only 3 and 1 have a verb inside", *contexts)

# %% [markdown]
# ## When the truth is known

# %%
of_rule = of_laboratory[of_laboratory["metric"] == "EW"].assign(source="recorded")
lost = head_and_tail(of_rule).set_index("model")
lost = (lost["head"] - lost["whole"]).groupby("model").mean()
quotes("loses .28 on average", lost["lab-lexical-causal"])
guard("of the systematic model nothing", abs(lost["lab-systematic-causal"]) < 0.001)
far = of_rule[(of_rule["side"] == "bottom") & (of_rule["cutoff"] == 0.1)]
far = far[far["model"] == "lab-systematic-causal"]["score"]
guard("it stays at the top in the tail", len(far) and far.min() > 0.99)
