# %% [markdown]
# ## Correlations

# %%
from tse_book.pages import guard, quotes

small = correlations[["GPT-2", "human"]].reindex(recorded).dropna()
sentence = "at .86 with those of GPT-2 and at .57 with those of humans"
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
both = runs["smollm2-135m-instruct"].pairs
bits = both["logp_good"] + both["logp_bad"]
ranks = (bits / (both["length_good"] + both["length_bad"])).rank(ascending=False)
tenths = both["correct"].groupby(pd.qcut(ranks, 10, labels=False)).mean()
quotes("only from .82 to .73", tenths.iloc[0], tenths.iloc[-1])

# %% [markdown]
# ## Attractors

# %%
beside, between = percent["next to each other"], percent["an adjective between"]
quotes("from 87.6 % to 52.5 %", beside["5-gram"], between["5-gram"])
neural = ["LSTM", "Transformer-XL", "GPT-2", "smollm2-135m-instruct"]
lost = (beside - between)[neural]
guard(
    "The neural models lose little",
    list(lost.round()) == [5, 5, 2, 4],
)
far = percent[["in a phrase", "in a relative clause"]]
mean = far.mean(axis=1)
lost = (percent["no attractor"] - mean)[["GPT-2", "LSTM", "Transformer-XL"]]
quotes("mean is 72.6 %", mean["GPT-2"])
guard("24 points lower than without", list(lost.round()) == [24, 20, 5])
falls = percent.loc["smollm2-135m-instruct", ["no attractor", *far]]
quotes("from 92.3 % to 85.0 % in a phrase and to 69.8 % in a clause", *falls)
quotes("at 23.5 % and 21.7 %", *far.loc["5-gram"])

# %% [markdown]
# ## Training size

# %%
plural = 100 * columns.loc[["LSTM", "smollm2-135m-instruct"]]
nouns = plural["determiner and noun"][["regular plural", "irregular plural"]]
said = "the LSTM from 89.1 % to 81.7 % and SmolLM2 from 95.5 % to 90.5 %"
quotes(said, *nouns.to_numpy().ravel())
verbs = plural["subject and verb"]
lost = verbs["regular plural"] - verbs["irregular plural"]
guard("it costs both models almost nothing", lost.abs().max() < 1)

# %%
ends = doublings.set_index(["model", "phenomenon"])[["first", "last"]]
quotes("goes from .91 to 1.00", *ends.loc["LSTM", "npi licensing"])
quotes("goes from .52 to .49", *ends.loc["5-gram", "filler gap dependency"])

# %% [markdown]
# ## Methods

# %%
apart = methods.groupby(["model", "compared"])[["full_sentence", "prefix"]].mean()
assert (apart["prefix"] - apart["full_sentence"]).abs().max() < 0.03
moved = methods.set_index(["model", "paradigm"])
moved = moved.loc["smollm2-135m-instruct", "matrix_question_npi_licensor_present"]
quotes("with whole sentences and .89", moved["prefix"].item())
