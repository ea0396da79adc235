# %% [markdown]
# ## Correlations

# %%
from tse_book.pages import quotes

small = correlations[["GPT-2", "human"]].reindex(recorded).dropna()
sentence = "at .86 with those of GPT-2 large and at .57 with those of humans"
quotes(sentence, *small.loc["smollm2-135m-instruct"])
if "gemma-3-270m" in small.index:
    quotes("Gemma's at .90 and .66", *small.loc["gemma-3-270m"])
assert correlations["human"].nsmallest(1).index[0] == "5-gram"  # furthest from humans

# %% [markdown]
# ## Shallow predictors

# %%
own = binned[binned["model"] == "smollm2-135m-instruct"]
bins = own.groupby("predictor")["accuracy"].agg(["first", "last"])
quotes("from .54 to .92", *bins.loc["confidence"])
quotes("from .91 to .60", *bins.loc["perplexity"])
quotes("from .80 to .75", *bins.loc["length"])

# %% [markdown]
# ## Attractors

# %%
lost = percent["next to each other"] - percent["an adjective between"]
quotes("the 5-gram model 35.1 points", lost["5-gram"])
neural = ["LSTM", "Transformer-XL", "GPT-2", "smollm2-135m-instruct"]
quotes("loses 4.8, Transformer-XL 5.3, GPT-2 large 2.1, and SmolLM2 4.3", *lost[neural])
far = percent[["in a phrase", "in a relative clause"]]
lost = -far.sub(percent["no attractor"], axis=0)
mean = lost.mean(axis=1)[["GPT-2", "LSTM", "Transformer-XL"]]
quotes("loses 24 points to an attractor, the LSTM 20, Transformer-XL 5", *mean)
quotes("7 points in a phrase and 23 in a clause", *lost.loc["smollm2-135m-instruct"])
assert (far.loc["5-gram"] < 50).all()  # it is below one half

# %% [markdown]
# ## Training size

# %%
plural = 100 * columns.loc[["LSTM", "smollm2-135m-instruct"], "determiner and noun"]
cost = plural["regular plural"] - plural["irregular plural"]
quotes("cost the LSTM 7.5 points and SmolLM2 5.1", *cost)

# %%
ends = doublings.set_index(["model", "phenomenon"])[["first", "last"]]
quotes(
    "from the start (.91) and ends by knowing it (1.00)",
    *ends.loc["LSTM", "npi licensing"],
)
quotes("starts at .52 and ends at .49", *ends.loc["5-gram", "filler gap dependency"])

# %% [markdown]
# ## Methods

# %%
apart = methods.groupby(["model", "compared"])[["full_sentence", "prefix"]].mean()
assert (apart["prefix"] - apart["full_sentence"]).abs().max() < 0.03
moved = methods.set_index(["model", "paradigm"])
moved = moved.loc["smollm2-135m-instruct", "matrix_question_npi_licensor_present"]
quotes("by whole sentences and .89", moved["prefix"].item())
