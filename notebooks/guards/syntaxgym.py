# %% [markdown]
# ## The items that fail

# %%
from tse_book.pages import quotes

if recorded[0] == "smollm2-135m-instruct":
    lost = -failed.stack()[lambda margin: margin <= 0]
    second = -margins.loc[2, "singular subject"]
    quotes("finds *like* 4.4 bits less surprising than *likes*", second)
    quotes("holds for 15 of the 19 items", len(margins) - len(failed), len(margins))
    quotes("wins clearly, by 1.4 to 4.6 bits", lost.min(), lost.max())
    after = lost.index.get_level_values(1)
    assert list(after).count("singular subject") == 3  # three fail after the singular

# %% [markdown]
# ## The suites and the models of 2020

# %%
from tse_book.pages import quotes

quotes("There are 34 public files", len(public))
quotes("without it there are 33", public["in_33"].sum())
quotes("two more aside, which leaves 31", public["in_31"].sum())

# %% [markdown]
# ## Models that the paper did not test

# %%
bare = recorded_suites(recorded[:1], "none")
quotes("score is .67", scores["smollm2-135m-instruct"])
if "gemma-3-270m" in scores:
    quotes("as SmolLM2, reaches .78", scores["gemma-3-270m"])
gpt2 = scores[["GPT-2", "GPT-2 XL"]]
quotes("released (.78 and .84)", *gpt2)
quotes("above Transformer-XL (.60)", scores["Transformer-XL"])
quotes("Without the BOS token it is .53", bare.loc[bare["in_31"], "accuracy"].mean())

# %%
wide = by_circuit.pivot(index="circuit", columns="run", values="accuracy")
best = wide[trained].idxmax(axis=1)
assert (best == "GPT-2 XL").sum() == 5  # five of the six
if "gemma-3-270m" in wide:
    embedded = wide.loc["Center Embedding", ["gemma-3-270m", "GPT-2 XL"]]
    quotes("(.98 against .96)", *embedded)
both_small = wide[["smollm2-135m-instruct", "GPT-2"]]
quotes("(.48 against .89)", *both_small.loc["Gross Syntactic State"])
assert both_small.diff(axis=1)["GPT-2"].idxmax() == "Gross Syntactic State"

# %%
alike = means[["GPT-2", "GPT-2 XL", "smollm2-135m-instruct"]]
assert alike.round(3).nunique() == 1  # the same number
quotes("15 of 19 (.79)", 19 * alike.mean(), 19, alike.mean())
quotes("nearly none (.02)", means["LSTM"])
if "gemma-3-270m" in means:
    quotes("Gemma on 10 (.53)", 19 * means["gemma-3-270m"], means["gemma-3-270m"])

# %%
lowest = ours[ours["model"] == "smollm2-135m-instruct"].nsmallest(4, "accuracy")
assert lowest["suite"].str.startswith("reflexive").all()
quotes("(at most .21)", lowest["accuracy"].max())
